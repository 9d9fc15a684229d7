"""Steps of generalized-alpha: one four-bar, rows of many, and a stiff machine with the exact iteration matrix.

    python benchmarks/generalized_alpha.py

Answers are checked before anything is timed: against the minimal form of each machine, an equation in one angle
integrated by scipy, or against radau. Then best of many rounds, in microseconds a step of 1 ms, inside the kernel loop.
A row of N four-bars has 2 N + 1 bodies; the exponent of growth is fitted over N, and should be 1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

import jourdain as jd
import machines

STEP = 1e-3
ROW_SECONDS = 0.5  # checked at
ROWS = (2, 10, 40, 100, 200)
FITTED_FROM = 10  # below, what a step costs whatever its bodies is the larger part
ROUNDS = 25
ROW_ROUNDS = 60  # short ones: other work on the computer then misses the best of them
TIMED_SECONDS = 0.05
G = 9.81


def row_angle(n: int, t: float) -> float:
    """Angle of the links of a row of four-bars from the horizontal: all are parallel, slender, 1 m, 1 kg."""
    inertia = (n + 1) / 3 + n
    moment = G * ((n + 1) / 2 + n)

    def rates(_: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], -moment * np.cos(y[0]) / inertia

    return float(solve_ivp(rates, (0, t), (np.pi / 2, -1.0), rtol=1e-11, atol=1e-12).y[0, -1])


def stiff_pair() -> jd.Mechanism:
    """Two bars tied by a spring of 8e5 N/m and a damper of 4e4 N s/m."""
    m = jd.Mechanism("pair", gravity=(0, -G))
    a = m.body("a", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "C": (0, 0)})
    b = m.body("b", mass=1, inertia=0.1, position=(0.5, -1), points={"A": (-0.5, 0), "C": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), a["A"])
    m.revolute("B", m.ground.point("B", (0, -1)), b["A"])
    m.spring_damper("S", a["C"], b["C"], stiffness=8e5, damping=4e4, length=1)
    return m


def best_of(rounds: int, simulate: Callable[[], jd.Solution]) -> tuple[float, float]:
    """Microseconds and evaluations a step."""
    runs = [simulate().statistics for _ in range(rounds)]
    return 1e6 * min(s.seconds / s.steps for s in runs), runs[0].evaluations / runs[0].steps


def check(name: str, found: float, expected: float, bar: float) -> None:
    if not abs(found - expected) <= bar:
        sys.exit(f"{name}: {found} instead of {expected}, off by more than {bar:g}: wrong, not timed")


def report(name: str, bodies: int, best: float, evaluations: float, wrong: float) -> None:
    print(f"{name:<34}{bodies:>7}{best:>10.2f}{best / bodies:>12.3f}{evaluations:>13.2f}{wrong:>12.1e}")


def time_four_bar() -> None:
    machine = machines.four_bar("AC")
    exact = jd.simulate(machine, 5.0, every=0.5, rtol=1e-11)["coupler.x"]

    def simulate() -> jd.Solution:
        return jd.simulate(machine, 5.0, every=0.5, integrator="generalized-alpha", step=STEP)

    found = simulate()["coupler.x"]
    wrong = float(np.max(np.abs(found - exact)))
    check("four-bar", wrong, 0.0, 1e-3)
    report("four-bar with spring-damper", 3, *best_of(2 * ROUNDS, simulate), wrong)


def time_row(n: int) -> float:
    machine = machines.n_four_bar(n)
    exact = row_angle(n, ROW_SECONDS)

    def simulate(duration: float = TIMED_SECONDS) -> jd.Solution:
        return jd.simulate(machine, duration, every=duration, integrator="generalized-alpha", step=STEP)

    found = float(simulate(ROW_SECONDS)[f"link{n}.angle"][-1])
    check(f"row of {n}", found, exact, 1e-5)
    best, evaluations = best_of(ROW_ROUNDS, simulate)
    report(f"row of {n} four-bars", 2 * n + 1, best, evaluations, abs(found - exact))
    return best


def time_stiff(newton: str) -> None:
    machine = stiff_pair()
    exact = float(jd.simulate(machine, 2.0, every=2.0, integrator=jd.Radau(rtol=1e-10))["b.x"][-1])

    def simulate() -> jd.Solution:
        return jd.simulate(machine, 2.0, every=2.0, integrator=jd.GeneralizedAlpha(STEP, newton=newton))

    found = float(simulate()["b.x"][-1])
    check("stiff pair", found, exact, 1e-4)
    report(f"stiff pair, newton='{newton}'", 2, *best_of(ROUNDS, simulate), abs(found - exact))


def main() -> None:
    print(f"{'generalized-alpha, steps of 1 ms':<34}{'bodies':>7}{'us/step':>10}{'us/body':>12}", end="")
    print(f"{'evaluations':>13}{'error':>12}")
    time_four_bar()
    times = {n: time_row(n) for n in ROWS}
    time_stiff("auto")
    time_stiff("exact")
    kept = {n: t for n, t in times.items() if n >= FITTED_FROM}
    slope = np.polyfit(np.log([2 * n + 1 for n in kept]), np.log(list(kept.values())), 1)[0]
    print(f"\ntime a step grows with the bodies to the power of {slope:.2f} (rows from {FITTED_FROM} four-bars on)")


if __name__ == "__main__":
    main()
