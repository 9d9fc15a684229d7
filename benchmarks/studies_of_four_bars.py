"""Studies (w): 10,000 four-bars over two numbers, against the bare batch that computes the same, here and on a cluster.

    python benchmarks/run.py --only w

One of the numbers is a parameter in the formula of a spring. The bare batch keeps no channel. A cluster of two workers
is counted from when it stands and has run once; its bits have to be those of the study here before anything is timed.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import jourdain as jd
from jourdain.files.gallery import path
from jourdain.studies.executors import cluster_executor

SIDE, DURATION, EVERY = 100, 5.0, 0.05
MUST = {"study here": 1.3, "study on two workers": 1.5}  # times the bare batch


def run(full: bool, rounds: int) -> dict[str, Any]:
    print("\nw. Studies of 10,000 four-bars; times the bare batch, best of each")
    text = path("four_bar").read_text(encoding="utf-8").replace("stiffness: k", "stiffness: 2*k")
    m = jd.load(text)
    vary = {"k": np.linspace(50, 150, SIDE), "crank.spin": np.linspace(-1, 1, SIDE)}
    k, spin = (column.ravel() for column in np.meshgrid(*vary.values(), indexing="ij"))
    given: dict[str, Any] = {"vary": vary, "collect": {"peak": "max(A.load)"}, "every": EVERY, "workers": 2}
    times: dict[str, list[float]] = {"bare": [], "study here": [], "study on two workers": []}
    with cluster_executor("local", 2) as executor:
        there = {key: value for key, value in given.items() if key != "workers"} | {"executor": executor}
        here = jd.study(m, DURATION, **given)
        if not np.array_equal(here["peak"], jd.study(m, DURATION, **there)["peak"]):
            raise AssertionError("the cluster gives other bits")
        for _ in range(max(2, rounds // 4)):
            values = {"k": k, "crank.spin": spin}
            _timed(
                times["bare"], lambda v: jd.simulate_many(m, DURATION, v, every=EVERY, channels=[], threads=2), values
            )
            _timed(times["study here"], lambda v: jd.study(m, DURATION, **v), given)
            _timed(times["study on two workers"], lambda v: jd.study(m, DURATION, **v), there)
    best = {name: min(found) for name, found in times.items()}
    found: dict[str, Any] = {"bare": {"seconds": best["bare"]}}
    for name, must in MUST.items():
        ratio = best[name] / best["bare"]
        print(f"  {name:<24}{ratio:6.2f}   at most {must}: {'enough' if ratio <= must else 'MISSED'}", flush=True)
        found[name] = {"seconds": best[name], "ratio": ratio, "must": must}
    return {"w": found}


def _timed(into: list[float], work: Any, given: dict[str, Any]) -> None:
    begun = time.perf_counter()
    work(given)
    into.append(time.perf_counter() - begun)
