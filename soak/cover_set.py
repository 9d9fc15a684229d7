"""Runs that go through the kernels, short enough for plain Python, which is thousands of times slower.

Every machine of the gallery as it is, linkages in the plane and in space in every way to solve, random machines for
joints and forces of all kinds, and each analysis once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import clutch
import friction_block
import heun
import hydraulic_boom
import jourdain as jd
import known_mechanisms
import machines
import pi_pendulum
import rope_swing
from jourdain.files.gallery import names
from random_mechanisms import random_mechanism
from random_trees import random_tree
from session_ways import WAYS

SPAN = 0.02  # s
MORE_WAYS: dict[str, dict[str, Any]] = {
    "euler": {"coordinates": "euler", "treatment": "udwadia-kalaba"},
    "points": {"coordinates": "points"},
    "generalized-alpha in natural": {"integrator": "generalized-alpha", "step": 5e-3, "coordinates": "natural"},
    "own integrator": {"integrator": heun.Heun(step=5e-3)},
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
    for space in ("planar", "spatial"):
        for seed in range(3):
            yield f"{space} machine {seed}", partial(_brief, random_mechanism(seed, space, bodies=4, loops=1))
            tree = random_tree(seed, space, bodies=6, forces=seed > 0)
            yield f"{space} tree {seed}", partial(_tree, tree)
            yield f"{space} tree {seed} in joint coordinates", partial(_brief, tree, coordinates="relative")
    for module in (friction_block, rope_swing, pi_pendulum, hydraulic_boom):
        yield module.__name__, partial(_brief, module.build())
    yield from ANALYSES.items()


def _simulate(machine: str, **choices: Any) -> None:
    jd.simulate(jd.example(machine), SPAN, every=SPAN / 2, **choices)


def _brief(m: jd.Mechanism, **choices: Any) -> None:
    jd.simulate(m, SPAN / 4, every=SPAN / 4, **choices)


def _tree(m: jd.Mechanism) -> None:
    tree = jd.tree(m)
    tree.inverse(0.0, *tree.start, tree.accelerations(0.0, *tree.start))
    tree.simulate(SPAN / 4, every=SPAN / 4)


def _singular() -> None:
    """A parallelogram that goes through the position where its rows depend on each other."""
    m = known_mechanisms.parallelogram(angle=1e-3)
    for choices in ({}, {"coordinates": "relative"}):
        jd.simulate(m, SPAN, every=SPAN / 2, **choices)


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
    "singular": _singular,
    "equilibria": _equilibria,
    "kinematics": _kinematics,
    "session": _session,
}
