"""Runs that go through the kernels, short enough for plain Python, which is thousands of times slower.

Every machine of the gallery as it is, linkages in the plane and in space in every way to solve, and each analysis once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import clutch
import friction_block
import machines
import numpy as np
import rope_swing
from session_ways import WAYS

import jourdain as jd
from jourdain.files.gallery import names

SPAN = 0.02  # s
MORE_WAYS: dict[str, dict[str, Any]] = {
    "euler": {"coordinates": "euler", "treatment": "udwadia-kalaba"},
    "points": {"coordinates": "points"},
    "shifted": {"treatment": "shifted"},
    "exact Newton": {"integrator": jd.GeneralizedAlpha(step=5e-3, newton="exact")},
    "bdf with multipliers": {"integrator": jd.Bdf(multipliers=True)},
    "relative with radau": {"coordinates": "relative", "integrator": "radau"},
}


def runs() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Names and runs."""
    for machine in names():
        yield machine, partial(_simulate, machine)
    for machine in ("four_bar", "rssr"):
        for way, choices in (WAYS | MORE_WAYS).items():
            yield f"{machine}, {way}", partial(_simulate, machine, **choices)
    yield from ANALYSES.items()


def _simulate(machine: str, **choices: Any) -> None:
    jd.simulate(jd.example(machine), SPAN, every=SPAN / 2, **choices)


def _sensitivity() -> None:
    for choices in ({}, {"integrator": "rk4", "step": SPAN / 4}):
        m = jd.example("four_bar")
        jd.sensitivity(m, ["k", "crank.mass"], of=["coupler.x", "B.fx"], duration=SPAN, every=SPAN / 2, **choices)


def _batches() -> None:
    masses = {"crank.mass": np.linspace(2.0, 3.0, 9)}
    for integrator in ({}, {"integrator": "dopri5"}, {"integrator": "rk4", "step": SPAN / 4}):
        for lanes in (True, False):
            many = jd.simulate_many(machines.four_bar(), SPAN, masses, every=SPAN / 2, lanes=lanes, **integrator)
            many["B.fx"]


def _events() -> None:
    for integrator in ({}, {"integrator": "rk4", "step": 0.02}, {"integrator": "radau"}):
        jd.simulate(clutch.build(), 3.0, every=1.5, **integrator)


def _friction() -> None:
    jd.simulate(friction_block.build(), SPAN, every=SPAN / 2)


def _rope() -> None:
    jd.simulate(rope_swing.build(), SPAN, every=SPAN / 2)


def _trees() -> None:
    for machine in ("double_pendulum", "heavy_top", "hanging_chain"):
        tree = jd.tree(jd.example(machine))
        a = tree.accelerations(0.0, *tree.start)
        tree.inverse(0.0, *tree.start, a)
        tree.simulate(SPAN, every=SPAN / 2)


def _equilibria() -> None:
    jd.modes(jd.example("double_pendulum"))
    jd.statics(jd.example("four_bar"))


def _kinematics() -> None:
    jd.kinematics(jd.example("slider_crank"), drive="A", points=5)
    jd.assemble(jd.example("four_bar"), {"crank.angle": "40 deg"})


def _session() -> None:
    s = jd.session(jd.example("four_bar"))
    s.advance(SPAN)
    s.restore(s.checkpoint())


ANALYSES: dict[str, Callable[[], None]] = {
    "sensitivity": _sensitivity,
    "batches": _batches,
    "events": _events,
    "friction": _friction,
    "rope": _rope,
    "trees": _trees,
    "equilibria": _equilibria,
    "kinematics": _kinematics,
    "session": _session,
}
