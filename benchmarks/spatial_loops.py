"""Spatial loops (h): RSSR, Bricard's loop, a Stewart platform on springs, in steps of 1 ms, beside MuJoCo.

The reference is dop853 at 1e-11 (Bricard's loop: udwadia-kalaba at 1e-11), another method than those timed. In MuJoCo
loops are cut and closed by `connect`, a revolute by two of them on its axis.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import jourdain as jd
from harness import Contender, Sample, compete, is_installed
from jourdain.mechanism.attitude import matrix_from_quaternion
from jourdain.mechanism.parts import Blueprint, PortName, SpringDamper

STEP = 1e-3
CHECKED, STEPS = 200, 100


def rssr() -> Blueprint:
    """Without its motor: it swings under gravity, which is tilted, for upright it stays where it is."""
    m = jd.example("rssr").frozen()
    return _at_rest(replace(m, motions=(), gravity=(2.0, 1.0, -9.81)))


def bricard() -> Blueprint:
    """With bars that are not quite slender: MuJoCo wants an inertia about every axis."""
    m = jd.example("bricard").frozen()
    thick = [replace(b, inertia=tuple(max(i, 0.01) for i in b.inertia[:3]) + b.inertia[3:]) for b in m.bodies]
    return _at_rest(replace(m, bodies=tuple(thick)))


def stewart() -> Blueprint:
    """Springs and dampers in place of the drives, a little longer than drawn."""
    m = jd.example("stewart_platform").frozen()
    springs = []
    for k in range(1, 7):
        first, second = PortName("ground", f"leg{k}_B"), PortName(f"leg{k}_piston", "T")
        piston = m.body(second.body)
        R = matrix_from_quaternion(piston.attitude)
        far = np.array(piston.position) + R @ np.array(piston.ports["T"].at)
        length = float(np.linalg.norm(far - np.array(m.port(first).at)))
        springs.append(SpringDamper(f"spring{k}", first, second, 2e4, 300.0, 1.02 * length))
    return _at_rest(replace(m, motions=(), forces=tuple(springs)))


def _at_rest(m: Blueprint) -> Blueprint:
    zero = (0.0, 0.0, 0.0)
    return replace(m, bodies=tuple(replace(b, velocity=zero, spin=zero) for b in m.bodies))


def places(run: jd.Solution) -> np.ndarray:
    return run.motion.position[-1]


def jourdain(m: Blueprint, name: str, bar: float, **how: Any) -> Contender:
    calls = iter([CHECKED])

    def run() -> Sample:
        count = next(calls, STEPS)
        found = jd.simulate(m, count * STEP, every=count * STEP, step=STEP, **how)
        return Sample(found.statistics.seconds, found.statistics.steps, places(found))

    return Contender(name, run, bar, ", ".join(f"{k}={v}" for k, v in how.items()), ours=True)


def mujoco(m: Blueprint, bar: float) -> Contender | None:
    if not is_installed("mujoco"):
        return None
    import peer_mujoco

    linkage = peer_mujoco.SpatialLinkage(m, "RK4", STEP)
    calls = iter([CHECKED])

    def run() -> Sample:
        count = next(calls, STEPS)
        seconds, found = linkage.steps(count)
        return Sample(seconds, count, found)

    return Contender("MuJoCo RK4", run, bar, "connect, mj_step(nstep), all else off")


def run(full: bool, rounds: int) -> dict[str, Any]:
    found = {}
    for name, m in {"RSSR": rssr(), "Bricard's loop": bricard(), "Stewart platform": stewart()}.items():
        exact = places(jd.simulate(m, CHECKED * STEP, every=CHECKED * STEP, integrator="dop853", rtol=1e-11))
        contenders = [
            jourdain(m, "Jourdain rk4 + projection", 1e-6, integrator="rk4"),
            jourdain(m, "Jourdain generalized-alpha", 1e-3, integrator="generalized-alpha"),
            mujoco(m, 1e-3),
        ]
        found[f"h {name}"] = compete(f"h. {name}", "step of 1 ms", contenders, exact, (), 3 * rounds)
    return found
