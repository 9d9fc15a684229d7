"""Andrews' squeezing mechanism to 0.03 s, at errors of 1e-6 and 1e-10 (d), against tests/reference P08.

The error is that of the point F, relative to the size of the machine, 7 cm. Exudyn's generalized-alpha takes whatever
step reaches 1e-6; to 1e-10 it would need steps of some nanoseconds and is left out. MuJoCo's soft equalities do not
reach 1e-6 here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import jourdain as jd
import machines
from harness import REFERENCE, Contender, Sample, compete
from jourdain.mechanism.attitude import matrix_from_angle
from jourdain.mechanism.parts import Blueprint

SECONDS = 0.03
SIZE = 0.07
TOLERANCES = [10.0**-k for k in np.arange(4.0, 13.1, 0.5)]
STEPS = [3e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1e-6]


def point_f() -> np.ndarray:
    found = json.loads((REFERENCE / "P08_andrews.json").read_text())["reference"]
    return np.array(found["F_xy"][found["t"].index(SECONDS)]) / SIZE


def jourdain_run(m: Blueprint, **how: Any) -> Sample:
    run = jd.simulate(m, SECONDS, every=SECONDS, **how)
    return Sample(run.statistics.seconds, 1, np.array([run["K2.F.x"][-1], run["K2.F.y"][-1]]) / SIZE)


def exudyn_run(m: Blueprint, step: float) -> Sample:
    import peer_exudyn

    seconds, found = peer_exudyn.Linkage(m).generalized_alpha(round(SECONDS / step), step)
    x, y, angle = found[1]
    body = m.bodies[1]
    at = matrix_from_angle(angle) @ (np.array(body.ports["F"].at) - np.array(body.centre))
    return Sample(seconds, 1, (np.array([x, y]) + at) / SIZE)


def cheapest(
    name: str, settings: list[float], run: Callable[[float], Sample], error: float, words: str, ours: bool = False
) -> Contender | None:
    """The contender at the first setting, from the coarsest on, that reaches the error."""
    for setting in settings:
        if np.max(np.abs(run(setting).answer - point_f())) <= error:
            return Contender(name, lambda setting=setting: run(setting), error, f"{words} {setting:.1e}", ours)
    return None


def run(full: bool, rounds: int) -> dict[str, Any]:
    import peer_exudyn

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
        if error > 1e-8 and peer_exudyn.library() is not None:
            contenders += [
                cheapest("Exudyn generalized-alpha", STEPS, lambda h: exudyn_run(m, h), error, "step"),
                cheapest(
                    "Jourdain generalized-alpha",
                    STEPS,
                    lambda h: jourdain_run(m, integrator="generalized-alpha", step=h),
                    error,
                    "step",
                    ours=True,
                ),
            ]
        title = f"d. Andrews' squeezing mechanism to {SECONDS:g} s, error {error:g} of its size"
        found[f"d {error:g}"] = compete(title, "run", contenders, point_f(), (), max(4, rounds // 2))
    return found
