"""Singular positions: random machines that pass them, in two coordinate sets and three integrators: right or stopped.

A part is a hundred machines; `--only` takes numbers of parts. The machines are those of tests/singular_machines.py: the
seed of a machine is `1000 * seed + number`, so that one can be made again.
"""

from __future__ import annotations

import sys
import time
import warnings
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator

from campaign import FOLDER, ROOT, Outcome

PARTS, IN_A_PART = 10, 100
RIGHT, STOPPED, WRONG = "right", "stopped", "WRONG"


def singular(options: Namespace) -> Iterator[Outcome]:
    sys.path.insert(0, str(ROOT / "tests"))
    import singular_machines

    wanted = [int(name) for name in options.only] or range(PARTS)
    for part in wanted:
        log, begun, found = FOLDER / f"singular-{part}.log", time.perf_counter(), Counter[str]()
        with log.open("w") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number in range(part * IN_A_PART, (part + 1) * IN_A_PART):
                for verdict, words in singular_machines.judged(1000 * options.seed + number):
                    found[verdict] += 1
                    file.write(f"{verdict}  {words}\n")
                    file.flush()
        words = ", ".join(f"{found[kind]} {kind}" for kind in (RIGHT, STOPPED, WRONG))
        yield Outcome(f"{part}", not found[WRONG], words, time.perf_counter() - begun, log)
