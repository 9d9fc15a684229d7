"""Spatial loops (h): RSSR, Bricard's loop, a Stewart platform on springs, in steps of 1 ms, beside Exudyn and MuJoCo.

The reference is dop853 at 1e-11, another method than those timed; the peers agree with it. In MuJoCo loops are cut and
closed by `connect`, a revolute by two of them on its axis. Exudyn cannot solve Bricard's loop as it is, for its thirty
equations are one too many: it is timed with one of them taken out by hand, and the attempt with all of them stands
beside that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import jourdain as jd
from harness import Contender, Sample, compete, is_installed
from jourdain.mechanism.parts import Blueprint, PortName, SpringDamper

STEP = 1e-3
CHECKED, STEPS = 200, 100
BRICARD, EXUDYN = "Bricard's loop", "Exudyn generalized-alpha"


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
        R = Rotation.from_quat(np.roll(piston.attitude, -1)).as_matrix()
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


def exudyn(name: str, m: Blueprint, bar: float, relaxed: str = "", words: str = "") -> Contender | None:
    import peer_exudyn

    if peer_exudyn.library() is None:
        return None
    import peer_exudyn_spatial

    calls = iter([CHECKED])

    def run() -> Sample:
        count = next(calls, STEPS)
        linkage = peer_exudyn_spatial.SpatialLinkage(m, relaxed)
        try:
            seconds, found = linkage.generalized_alpha(count, STEP, modified=not words)
        except (RuntimeError, ValueError, MemoryError):  # whatever a singular matrix leads to: no answer
            return Sample(np.inf, count, np.full((len(m.bodies), 3), np.nan))
        return Sample(seconds, count, found)

    settings = words or "fast build, Euler parameters, modified Newton to 1e-6, radius 0.9"
    return Contender(name, run, bar, settings + (f", one equation of {relaxed} taken out" if relaxed else ""))


def contenders(name: str, m: Blueprint) -> list[Contender | None]:
    found = [
        jourdain(m, "Jourdain rk4 + projection", 1e-6, integrator="rk4"),
        jourdain(m, "Jourdain generalized-alpha", 1e-3, integrator="generalized-alpha"),
        mujoco(m, 1e-3),
        exudyn(EXUDYN, m, 1e-3, relaxed="J6" if name == BRICARD else ""),
    ]
    if name == BRICARD:
        whole = "all thirty equations, full Newton; its matrix is singular"
        found.append(exudyn(f"{EXUDYN}, nothing taken out", m, 1e-3, words=whole))
    return found


def run(full: bool, rounds: int) -> dict[str, Any]:
    found = {}
    for name, m in {"RSSR": rssr(), BRICARD: bricard(), "Stewart platform": stewart()}.items():
        exact = places(jd.simulate(m, CHECKED * STEP, every=CHECKED * STEP, integrator="dop853", rtol=1e-11))
        found[f"h {name}"] = compete(f"h. {name}", "step of 1 ms", contenders(name, m), exact, (), 3 * rounds)
    return found
