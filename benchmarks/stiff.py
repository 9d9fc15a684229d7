"""Stiff machines: a flyball governor by `auto` and by dop853 at equal error; two bars tied by a hard spring-damper.

Both ways of the governor are compared with a run of dop853 at 1e-12 before they are timed, generalized-alpha with radau
at 1e-10.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import jourdain as jd
import machines
from harness import Contender, Sample, compete

BALLS = ((5.0, 10.0), (0.5, 4.0), (0.01, 2.0))  # mass of a ball in kg, seconds
STEP = 1e-3
G = 9.81


def governor(ball: float, seconds: float, rounds: int) -> dict[str, Any]:
    m, grid = machines.governor(ball).frozen(), np.linspace(0, seconds, 51)
    exact = jd.simulate(m, times=grid, integrator="dop853", rtol=1e-12).motion.position

    def contender(name: str, **how: Any) -> Contender:
        def run() -> Sample:
            found = jd.simulate(m, times=grid, rtol=1e-9, **how)
            return Sample(found.statistics.seconds, 1, found.motion.position)

        return Contender(name, run, 1e-8, "rtol 1e-9", ours=True)

    contenders = [contender("Jourdain dop853", integrator="dop853"), contender("Jourdain auto")]
    return compete(f"Governor with balls of {ball:g} kg, {seconds:g} s", "run", contenders, exact, (), rounds)


def stiff_pair() -> jd.Mechanism:
    """Two bars tied by a spring of 8e5 N/m and a damper of 4e4 N s/m."""
    m = jd.Mechanism("pair", gravity=(0, -G))
    a = m.body("a", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "C": (0, 0)})
    b = m.body("b", mass=1, inertia=0.1, position=(0.5, -1), points={"A": (-0.5, 0), "C": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), a["A"])
    m.revolute("B", m.ground.point("B", (0, -1)), b["A"])
    m.spring_damper("S", a["C"], b["C"], stiffness=8e5, damping=4e4, length=1)
    return m


def pair(rounds: int) -> dict[str, Any]:
    m = stiff_pair().frozen()
    exact = jd.simulate(m, 2.0, every=2.0, integrator=jd.Radau(rtol=1e-10))["b.x"][-1:]

    def contender(newton: str) -> Contender:
        def run() -> Sample:
            found = jd.simulate(m, 2.0, every=2.0, integrator=jd.GeneralizedAlpha(STEP, newton=newton))
            return Sample(found.statistics.seconds, found.statistics.steps, found["b.x"][-1:])

        return Contender(f"Jourdain generalized-alpha, newton={newton}", run, 1e-4, "steps of 1 ms", ours=True)

    return compete("Stiff pair of bars", "step of 1 ms", [contender("auto"), contender("exact")], exact, (), rounds)


def run(full: bool, rounds: int) -> dict[str, Any]:
    few = max(3, rounds // 3)
    found = {f"governor {ball:g} kg": governor(ball, seconds, few) for ball, seconds in (BALLS if full else ())}
    return found | {"stiff pair": pair(few)}
