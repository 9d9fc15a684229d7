"""Andrews' squeezing mechanism to 0.03 s, at errors of 1e-6 and 1e-10 (d), against tests/reference P08.

The error is that of the point F, relative to the size of the machine, 7 cm. Methods of Exudyn and MuJoCo take the
longest step that reaches 1e-6; they are left out at 1e-10, for their errors fall with the square of the step.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import jourdain as jd
import machines
from harness import REFERENCE, Absent, Contender, Sample, compete, is_installed
from jourdain.mechanism.parts import Blueprint
from jourdain.mechanism.rotations import matrix_from_angle

SECONDS = 0.03
SIZE = 0.07
TOLERANCES = [10.0**-k for k in np.arange(4.0, 13.1, 0.5)]
OUT_OF_REACH = 1e-8  # errors below are left to methods of high order
EXUDYN, MUJOCO = "Exudyn generalized-alpha", "MuJoCo RK4"
STEPS = [3e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1e-6]


def point_f() -> np.ndarray:
    found = json.loads((REFERENCE / "P08_andrews.json").read_text())["reference"]
    return np.array(found["F_xy"][found["t"].index(SECONDS)]) / SIZE


def jourdain_run(m: Blueprint, **how: Any) -> Sample:
    run = jd.simulate(m, SECONDS, every=SECONDS, **how)
    return Sample(run.statistics.seconds, 1, np.array([run["K2.F.x"][-1], run["K2.F.y"][-1]]) / SIZE)


def point_of(m: Blueprint, found: np.ndarray) -> np.ndarray:
    """The point F from x, y of mass centres and angles of all bodies."""
    x, y, angle = found[1]
    body = m.bodies[1]
    at = matrix_from_angle(angle) @ (np.array(body.ports["F"].at) - np.array(body.centre))
    return (np.array([x, y]) + at) / SIZE


def exudyn_run(m: Blueprint, step: float) -> Sample:
    import peer_exudyn

    seconds, found = peer_exudyn.Linkage(m).generalized_alpha(round(SECONDS / step), step)
    return Sample(seconds, 1, point_of(m, found))


def mujoco_run(m: Blueprint, step: float) -> Sample:
    import peer_mujoco

    seconds, found = peer_mujoco.Linkage(m, "RK4", step).steps(round(SECONDS / step), angles=True)
    return Sample(seconds, 1, point_of(m, found))


def cheapest(
    name: str, settings: list[float], run: Callable[[float], Sample], error: float, words: str, ours: bool = False
) -> Contender | Absent:
    """The contender at the first setting, from the coarsest on, that reaches the error."""
    for setting in settings:
        if np.max(np.abs(run(setting).answer - point_f())) <= error:
            return Contender(name, lambda setting=setting: run(setting), error, f"{words} {setting:.1e}", ours)
    return Absent(name, f"{words} {settings[-1]:.1e}, the smallest tried, does not reach {error:g}")


def peers(m: Blueprint, error: float) -> list[Contender | Absent]:
    import peer_exudyn

    runs = {
        EXUDYN: (peer_exudyn.library() is not None, exudyn_run),
        MUJOCO: (is_installed("mujoco"), mujoco_run),
    }
    found = []
    for name, (there, run) in runs.items():
        if there and error > OUT_OF_REACH:
            found.append(cheapest(name, STEPS, lambda h, run=run: run(m, h), error, "step"))
        elif there:
            found.append(
                Absent(name, f"its error falls with the square of the step; {error:g} would take steps of 0.1 us")
            )
    return found


def run(full: bool, rounds: int) -> dict[str, Any]:
    m = machines.andrews().frozen()
    found = {}
    for error in (1e-6, 1e-10):
        contenders = [
            cheapest(
                f"Jourdain {name}",
                TOLERANCES,
                lambda tol, name=name: jourdain_run(m, integrator=name, rtol=tol),
                error,
                "rtol",
                ours=True,
            )
            for name in ("dop853", "dopri5", "radau")
        ]
        if error > OUT_OF_REACH:
            alpha = lambda h: jourdain_run(m, integrator="generalized-alpha", step=h)  # noqa: E731
            contenders.append(cheapest("Jourdain generalized-alpha", STEPS, alpha, error, "step", ours=True))
        contenders += peers(m, error)
        title = f"d. Andrews' squeezing mechanism to {SECONDS:g} s, error {error:g} of its size"
        found[f"d {error:g}"] = compete(title, "run", contenders, point_f(), (), max(4, rounds // 2))
    return found
