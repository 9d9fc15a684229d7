"""Mechanism files gone wrong at random, ten thousand of them: a report or a sentence, within 5 s and 500 MB, each."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator

from campaign import FOLDER, ROOT, Outcome, in_process

PIECES = 20
PIECE = 500  # files, in a process of their own
MOST_MEMORY = 500  # MB

CODE = """
import resource, sys, tempfile
from pathlib import Path
sys.path[:0] = {folders}
import mutated_files
with tempfile.TemporaryDirectory() as folder:
    wrong = mutated_files.survey(range({first}, {last}), Path(folder))
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{{len(wrong)}} wrong, {{memory:.0f}} MB at most")
sys.exit(bool(wrong) or memory > {memory})
"""


def mutants(options: Namespace) -> Iterator[Outcome]:
    """A part for each five hundred seeds of its own from `--seed`; `--only` takes the numbers of parts."""
    folders = [str(ROOT / "tests"), str(ROOT / "examples")]
    for part in range(PIECES):
        if options.only and str(part) not in options.only:
            continue
        first = PIECE * (options.seed * PIECES + part)
        log, begun = FOLDER / f"mutants-{part}.log", time.perf_counter()
        code = CODE.format(folders=folders, first=first, last=first + PIECE, memory=MOST_MEMORY)
        ok, last = in_process(code, log)
        words = f"seeds {first} to {first + PIECE - 1}: {last}"
        yield Outcome(str(part), ok, words, time.perf_counter() - begun, log)
