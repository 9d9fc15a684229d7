"""Boxes in a chain (p): the time of macro steps over the number of boxes, against the same links as one mechanism.

`extended` and `uzawa` along conjugate directions, bent and straight, links of 1 m, each with the same coordinates,
integrator and step as the one mechanism; errors of both, of the worst bar, are against dop853 at tight tolerances, and
much the same for `extended`. Processor time, best of several stretches, in turns. The boxes but one are alike, so they
go on together inside the kernel, once a round.
"""

from __future__ import annotations

import time
from typing import Any

import jourdain as jd
import systems
from harness import exponent

SHORT, LONG = (10, 25, 50), (10, 25, 50, 100, 200)
MACRO = 5e-3  # s
STEPS = 8  # macro steps of a stretch that is timed
STRETCHES = 3
LENGTH = 1.0  # m
CLOSE = 1e-8  # m: what `extended` is off at most


def measured(n: int, bent: bool, coupling: str) -> dict[str, float]:
    s = systems.chain(n, bent, LENGTH)
    session = jd.session(s, macro_step=MACRO, coupling=coupling, threads=1)
    one = jd.session(s.joined(), coordinates="angle", **systems.RK4)
    for each in (session, one):
        each.advance(2 * MACRO)
    seconds = [float("inf"), float("inf")]
    for _ in range(STRETCHES):
        for k, each in enumerate((session, one)):
            begun = time.process_time()
            each.advance(STEPS * MACRO)
            seconds[k] = min(seconds[k], time.process_time() - begun)
    tight = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-13}
    true = jd.simulate(s.joined(), times=[0.0, session.t], coordinates="angle", **tight)
    ends = (session.solution(), "."), (one.solution(), "_")
    places = [(k, c) for k in range(n) for c in "xy"]
    off = [
        float(max(abs(run[f"b{k}{dot}bar.{c}"][-1] - true[f"b{k}_bar.{c}"][-1]) for k, c in places))
        for run, dot in ends
    ]
    if off[0] > (CLOSE if coupling == "extended" else 1e6 * CLOSE):
        raise SystemExit(f"{n} boxes by {coupling} are {off[0]:.1e} m off")
    rounds = session.kept.rounds / session.kept.steps
    found = {"macro step ms": 1e3 * seconds[0] / STEPS, "factor": seconds[0] / seconds[1], "rounds": rounds}
    return {**found, "error m": off[0], "of one m": off[1]}


def run(full: bool, rounds: int) -> dict[str, Any]:
    sizes = LONG if full else SHORT
    found: dict[str, Any] = {}
    for coupling in ("extended", "uzawa"):
        for bent in (True, False):
            name = f"{coupling}, {'bent' if bent else 'straight'}"
            rows = [measured(n, bent, coupling) for n in sizes]
            power = exponent(sizes, [row["macro step ms"] for row in rows])
            print(f"\np. {name}: exponent {power:.2f}")
            for n, row in zip(sizes, rows, strict=True):
                print(f"  {n:>4} boxes  " + ", ".join(f"{key} {value:.3g}" for key, value in row.items()))
            found[name] = {"sizes": list(sizes), "rows": rows, "exponent": power}
    return {"p": found}
