"""Pulses of 1 ms to 0.3 s in runs of 5 to 100 s: what they do arrives, whatever the shape, the part and the method."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator

from campaign import FOLDER, ROOT, Outcome, in_process

COUNT = 500
SHAPES = ("bell", "box", "tent", "steps", "peak")  # of forces
PARTS = ("element", "table", "motion")

CODE = """
import sys
sys.path[:0] = {folders}
from test_time_marks import {trial}
wrong = 0
for seed in range({first}, {last}):
    words = {trial}({shape!r}, seed)
    wrong += bool(words)
    if words:
        print(f"{{seed}}: {{words}}", flush=True)
print(f"{{wrong}} of {{{last} - {first}}} wrong")
sys.exit(bool(wrong))
"""


def pulses(options: Namespace) -> Iterator[Outcome]:
    """A part for each of them, which `--only` takes by name; seeds go up from `--seed` times 100,000."""
    folders = [str(ROOT / name) for name in ("tests", "examples")]
    first, count = 100_000 * options.seed, (options.count or COUNT) // len(SHAPES + PARTS)
    for shape in SHAPES + PARTS:
        if options.only and shape not in options.only:
            continue
        trial = "one_pulse" if shape in SHAPES else "one_part"
        log, begun = FOLDER / f"pulses-{shape}.log", time.perf_counter()
        ok, said = in_process(
            CODE.format(folders=folders, trial=trial, shape=shape, first=first, last=first + count), log
        )
        yield Outcome(shape, ok, f"seeds {first} to {first + count - 1}: {said}", time.perf_counter() - begun, log)
