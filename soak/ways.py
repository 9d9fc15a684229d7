"""Ways: every gallery machine in every coordinate set, treatment, integrator and recipe: right, or stopped in words.

A part is a machine; `--only` takes names of machines, `--count` takes so many ways of each, drawn by the seed.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator

import numpy as np

from campaign import FOLDER, ROOT, Outcome


def ways(options: Namespace) -> Iterator[Outcome]:
    sys.path.insert(0, str(ROOT / "tests"))
    import way_judging

    machines: dict[str, list[dict[str, str]]] = {}
    for machine, way in way_judging.all_ways():
        machines.setdefault(machine, []).append(way)
    for machine, found in machines.items():
        if options.only and machine not in options.only:
            continue
        rng = np.random.default_rng([options.seed, 19])
        drawn = [found[k] for k in rng.permutation(len(found))[: options.count]]
        log, begun, counts = FOLDER / f"ways-{machine}.log", time.perf_counter(), Counter[str]()
        with log.open("w") as file:
            for way in drawn:
                try:
                    verdict, words = way_judging.judged(machine, way)
                except Exception as error:  # noqa: BLE001  (told in the log; the campaign goes on)
                    verdict, words = way_judging.WRONG, f"{machine} {way}: {type(error).__name__}: {error}"
                counts[verdict] += 1
                file.write(f"{verdict}  {words}\n")
                file.flush()
        words = f"{len(drawn)} ways: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
        yield Outcome(machine, not counts[way_judging.WRONG], words, time.perf_counter() - begun, log)
