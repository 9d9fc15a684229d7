"""InverseDynamics: a prescribed motion with the efforts that make it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..equations.parse import formula
from ..equations.tables import smooth
from ..library.forces.actuator import ACTUATOR
from ..library.geometry import ANGLE, split_joint
from ..mechanism.equality import equal_by
from ..mechanism.errors import ChoiceError
from ..mechanism.frozen import Frozen
from ..mechanism.names import owner_and_rest
from ..mechanism.parts import Blueprint, Component, PointForce
from .driven_motion import Kinematics

Array = npt.NDArray[np.float64]


@equal_by("blueprint", "choices", "t", "samples", "outputs", "status", "metadata")
class InverseDynamics(Kinematics):
    """A kinematic run with `efforts`: what each actuator exerts over time, by joint, or each motion by its name.

    Torques and forces are on the second body, positive where the coordinate grows. `sources` has the channel of each.
    `actuators` are the joints that were chosen, empty where each motion makes its own effort; `internal` is a basis of
    the efforts that only strain the mechanism, at the first sample. Everything else is as in Kinematics.
    """

    efforts: dict[str, Array]
    sources: dict[str, str]
    actuators: tuple[str, ...] = ()
    internal: tuple[dict[str, float], ...] = ()

    def summary(self) -> str:
        lines = [super().summary()]
        for name, effort in self.efforts.items():
            peak, rms = float(np.max(np.abs(effort))), float(np.sqrt(np.mean(effort**2)))
            unit = self.quantity(self.sources[name]).unit
            lines.append(f"{'effort':>10}  {name}: up to {peak:.4g} {unit}, RMS {rms:.4g}")
        for stress in self.internal:
            words = ", ".join(f"{name} {value:+.3g}" for name, value in stress.items())
            lines.append(f"{'internal':>10}  {words}: these efforts together move nothing (first sample)")
        return "\n".join(lines)

    @property
    def metadata(self) -> dict[str, Any]:
        return {**super().metadata, "analysis": "inverse dynamics", "efforts": dict(self.sources)}

    def driven_by_efforts(self) -> Blueprint:
        """The mechanism with these efforts over time in place of motions: simulated from `state(0)`, it moves alike."""
        if len(self.t) < 6:
            raise ChoiceError(f"efforts of {len(self.t)} samples cannot be joined smoothly; take 6 or more")
        forces = [force for force in self.blueprint.forces if force.name not in map(actuator_name, self.actuators)]
        by_name = {motion.name: motion for motion in self.blueprint.motions}
        pushes: dict[str, dict[str, Any]] = {}
        for name, effort in self.efforts.items():
            over_time = smooth(np.column_stack([self.t, effort]), name).of(formula("t"))
            owner, channel = owner_and_rest(self.sources[name], {*by_name, *map(actuator_name, self.actuators)})
            if name in self.actuators:
                forces.append(_actuator(owner, name, over_time))
            elif by_name[owner].values.get("joint") is not None:
                joint = split_joint(by_name[owner].values["joint"], self.blueprint.joints_by_name)[0]
                quantity = ANGLE if channel == "torque" else "displacement"
                forces.append(_actuator(f"{owner}_{quantity}", f"{joint}.{quantity}", over_time))
            else:
                pushes.setdefault(owner, {})[channel[-1]] = _callable(over_time)
        for owner, parts in pushes.items():
            vector = tuple(parts.get(axis, 0.0) for axis in "xyz"[: self.blueprint.dim])
            forces.append(PointForce(f"{owner}_force", by_name[owner].values["point"], vector))
        kept = {k: v for k, v in self.blueprint.parameters.items() if k not in map(parameter_name, self.actuators)}
        return replace(self.blueprint, forces=tuple(forces), motions=(), parameters=Frozen(kept))


def actuator_name(joint: str) -> str:
    return f"actuator_{joint.replace('.', '_')}"


def parameter_name(joint: str) -> str:
    return f"effort_{joint.replace('.', '_')}"


def _actuator(name: str, joint: str, motor: Any) -> Component:
    return Component(name, ACTUATOR.name, Frozen({"joint": joint, "motor": motor}))


def _callable(over_time: Any) -> Any:
    return lambda t: over_time(t, {}.__getitem__)
