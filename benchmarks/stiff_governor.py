"""A stiff flyball governor: `auto` against `dop853` at equal error.

    python benchmarks/stiff_governor.py

Both are compared with a run of dop853 at 1e-12 before anything is timed. Best of a few rounds, taken in turns.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

import jourdain as jd
import machines

ROUNDS = 5
CASES = ((5.0, 10.0), (0.5, 4.0), (0.01, 2.0))  # mass of a ball in kg, seconds
WAYS: dict[str, dict[str, Any]] = {"dop853": {"integrator": "dop853", "rtol": 1e-9}, "auto": {"rtol": 1e-9}}


def main() -> None:
    print(f"{'balls':>8}  {'way':<7} {'steps':>7} {'evaluations':>12} {'error':>9} {'ms':>8}")
    for ball, seconds in CASES:
        m = machines.governor(ball)
        times = np.linspace(0, seconds, 51)
        best = jd.simulate(m, times=times, integrator="dop853", rtol=1e-12)
        runs: dict[str, list[jd.Solution]] = {name: [] for name in WAYS}
        for _ in range(ROUNDS):
            for name, how in WAYS.items():
                runs[name].append(jd.simulate(m, times=times, **how))
        spent = {name: 1e3 * min(run.statistics.seconds for run in runs[name]) for name in WAYS}
        for name in WAYS:
            s = runs[name][0].statistics
            error = np.max(np.abs(runs[name][0].motion.position - best.motion.position))
            if not error < 1e-8:
                raise SystemExit(f"{name} is off by {error:g} m")
            print(f"{ball:6g} kg  {name:<7} {s.steps:7d} {s.evaluations:12d} {error:7.1e} m {spent[name]:8.1f}")
        steps = runs["dop853"][0].statistics.steps / runs["auto"][0].statistics.steps
        faster = spent["dop853"] / spent["auto"]
        print(f"{'':>8}  dop853 takes {steps:.0f} times the steps and {faster:.1f} times the time")


if __name__ == "__main__":
    main()
