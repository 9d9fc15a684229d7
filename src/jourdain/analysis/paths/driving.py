"""What drives a kinematic analysis: a joint through a range, or the mechanism's own motions through time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...equations.formula import FormulaError
from ...equations.vectors import EquationError
from ...library.geometry import ANGLE, split_joint
from ...library.joints import kind_of
from ...library.motions.motion import BRYAN, MOTION
from ...library.values import constant
from ...mechanism.errors import ChoiceError
from ...mechanism.fault import Fault
from ...mechanism.frozen import Frozen
from ...mechanism.names import nearest
from ...mechanism.parts import GROUND, Blueprint, Component, PortName
from ...results.driven_motion import Drive

UNITS = {("value", True): "rad", ("value", False): "m", ("speed", True): "rad/s", ("speed", False): "m/s"}


def amount(where: str, value: Any, units: str) -> float:
    """A number in SI, or a text like `720 deg`, `2*pi` or `1500 rpm`."""
    if isinstance(value, str):
        from ...equations.unit_formulas import expression
        from ...mechanism.units import UnitError, fits, name_of, unit

        try:
            read = expression(value, {})
            if read.formula.quantities() or any(part.op == "t" for part in read.formula.nodes()):
                raise FormulaError("it is no number")
            if read.dimension is not None and not fits(read.dimension, unit(units).dimension):
                raise FormulaError(f"that is {name_of(read.dimension)}")
            number = float(read.formula(0.0, dict[str, float]().__getitem__))
        except (FormulaError, EquationError, UnitError, ArithmeticError, ValueError) as error:
            raise ChoiceError(f"{where} is {value!r}: {error}; expected a number ({units})") from None
    else:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ChoiceError(f"{where} is {value!r}; expected a number ({units})") from None
    if not math.isfinite(number):
        raise ChoiceError(f"{where} is {value!r}; expected a finite number ({units})")
    return number


@dataclass(frozen=True)
class Asked:
    """A drive as the user names it: the motion to make or replace, and the coordinate of which joint."""

    name: str
    joint: str
    quantity: str
    point: PortName | None = None  # instead of a joint

    @property
    def angular(self) -> bool:
        return self.quantity == ANGLE

    def amount(self, where: str, value: Any, kind: str = "value") -> float:
        return amount(where, value, UNITS[kind, self.angular])


def asked(blueprint: Blueprint, drive: Any) -> Asked:
    """The joint, or the joint of the motion, that `drive` names."""
    motions = {motion.name: motion for motion in blueprint.motions}
    joints = {joint.name: joint for joint in blueprint.joints}
    if not isinstance(drive, str):
        raise ChoiceError(f"drive is {drive!r}; expected the name of a joint or of a motion")
    if (point := _point_of(blueprint, drive)) is not None:
        return point
    name, quantity = split_joint(drive, joints if drive not in motions else motions)
    if name in motions and not quantity:
        motion = motions[name]
        if motion.values.get("joint") is None:
            raise ChoiceError(f"motion '{name}' drives a point, which has no range; name a joint, or leave drive out")
        joint, quantity = split_joint(motion.values["joint"], joints)
        quantity = quantity or next((q for q in (ANGLE, "displacement") if motion.values.get(q) is not None), "")
        return Asked(name, joint, quantity or kind_of(joints[joint]).coordinates[0])
    known = {n: j for n, j in joints.items() if kind_of(j).coordinates}
    if name not in joints:
        raise ChoiceError(f"no joint or motion '{name}' to drive; {nearest(name, [*known, *motions])}")
    possible = kind_of(joints[name]).coordinates
    if not possible:
        words = f"joint '{name}' is {joints[name].type} and has neither angle nor displacement to drive"
        raise ChoiceError(f"{words}; {nearest(name, known)}")
    if quantity and quantity not in possible:
        raise ChoiceError(f"joint '{name}' has no '{quantity}' to drive; expected {' or '.join(possible)}")
    found = quantity or possible[0]
    of_it = [m.name for m in blueprint.motions if _drives(m, name, found)]
    return Asked(of_it[0] if of_it else _free_name(blueprint, name), name, found)


def _point_of(blueprint: Blueprint, drive: str) -> Asked | None:
    """A coordinate of a point: `bucket.T.x`."""
    port, _, axis = drive.rpartition(".")
    body, _, point = blueprint.full_name(port).rpartition(".")
    if not blueprint.has_body(body) or body == GROUND or body in blueprint.joints_by_name:
        return None
    if point not in blueprint.ports_of(body):
        raise ChoiceError(f"body '{body}' has no point '{point}' to drive; {nearest(point, blueprint.ports_of(body))}")
    axes = "xyz"[: blueprint.dim]
    if axis not in axes:
        raise ChoiceError(f"'{drive}': a point is driven along {', '.join(axes)}")
    return Asked(_free_name(blueprint, f"{body}_{point}"), f"{body}.{point}", axis, PortName(body, point))


def _drives(motion: Component, joint: str, quantity: str) -> bool:
    name, of = split_joint(motion.values.get("joint") or "", (joint,))
    return name == joint and (motion.values.get(quantity) is not None or (of in ("", quantity) and _is_speed(motion)))


def _is_speed(motion: Component) -> bool:
    return motion.values.get("speed") is not None


def names_taken(blueprint: Blueprint) -> set[str]:
    """Names that parts and parameters of the mechanism have."""
    parts = (*blueprint.bodies, *blueprint.joints, *blueprint.forces, *blueprint.components, *blueprint.events)
    return {part.name for part in parts} | set(blueprint.parameters)


def _free_name(blueprint: Blueprint, joint: str) -> str:
    names = ["drive", f"drive_{joint}", *(f"drive_{joint}_{k}" for k in range(2, 99))]
    return next(name for name in names if name not in names_taken(blueprint))


def without(blueprint: Blueprint, asked: Asked) -> Blueprint:
    """The mechanism without the motion that is replaced; of a motion of two coordinates the other one stays."""
    kept: list[Component] = []
    for motion in blueprint.motions:
        if motion.name != asked.name:
            kept.append(motion)
            continue
        rest = {k: v for k, v in motion.values.items() if k not in (asked.quantity, "speed")}
        if any(rest.get(key) is not None for key in (ANGLE, "displacement")):
            kept.append(Component(f"{motion.name}_rest", motion.type, Frozen(rest)))
    return replace(blueprint, motions=tuple(kept))


def driven(blueprint: Blueprint, asked: Asked, start: float, rate: float) -> Blueprint:
    """The mechanism with `start + rate t` as motion."""
    of: dict[str, Any] = {"joint": asked.joint} if asked.point is None else {"point": asked.point}
    values = {**of, asked.quantity: f"{start!r} + {rate!r}*t"}
    return replace(blueprint, motions=(*blueprint.motions, motion_of(asked.name, values)))


def motion_of(name: str, values: Mapping[str, Any]) -> Component:
    return Component(name, MOTION.name, Frozen(dict(values)))


def held(blueprint: Blueprint) -> Blueprint:
    """The mechanism with its motions standing still where they are assembled."""
    still = {*(ANGLE, "displacement"), *"xyz"}
    motions = [
        motion_of(m.name, {k: _still(k, v, still) for k, v in m.values.items()} | {"from_drawn": True})
        for m in blueprint.motions
    ]
    return replace(blueprint, motions=tuple(motions))


def _still(key: str, value: Any, still: set[str]) -> Any:
    return (0.0, 0.0, 0.0) if key == BRYAN and value is not None else 0.0 if key in still else value


def positioned(blueprint: Blueprint) -> Blueprint:
    """The mechanism with constant speeds as positions that count from the assembled pose.

    Refuses motions that time alone does not decide: speeds that change, and states of elements.
    """
    motions, faults = [], []
    for motion in blueprint.motions:
        signals = [value for key, value in motion.values.items() if key not in ("joint", "body")]
        followed = sorted(name for value in signals for name in _channels(blueprint, value))
        if followed:
            words = f"motion '{motion.name}' follows {', '.join(followed)}, which changes only in a simulation"
            faults.append(Fault(motion.name, "", f"{words}; prescribe it over time, or simulate"))
            continue
        if not _is_speed(motion):
            motions.append(motion)
            continue
        speed = motion.values["speed"]
        if not _constant(blueprint, speed):
            words = f"motion '{motion.name}' prescribes a speed that changes, so positions depend on what came before"
            faults.append(Fault(motion.name, "speed", f"{words}; prescribe the angle or displacement, or simulate"))
            continue
        joint, quantity = split_joint(motion.values["joint"], blueprint.joints_by_name)
        quantity = quantity or kind_of(blueprint.joint(joint)).coordinates[0]
        motions.append(motion_of(motion.name, {"joint": joint, quantity: f"({speed})*t", "from_drawn": True}))
    if faults:
        raise blueprint.refused(faults)
    return replace(blueprint, motions=tuple(motions))


def _channels(blueprint: Blueprint, value: Any) -> set[str]:
    """What a formula depends on besides time and parameters."""
    if not isinstance(value, str):
        return set()
    try:
        return {str(name) for name in constant(value).quantities()} - set(blueprint.parameters)
    except (FormulaError, EquationError):
        return set()  # the compiler tells what is wrong with it


def _constant(blueprint: Blueprint, speed: Any) -> bool:
    if not isinstance(speed, str):
        return isinstance(speed, int | float)
    read = constant(speed)
    names = set(read.quantities())
    return names <= set(blueprint.parameters) and not any(part.op == "t" for part in read.nodes())


def checked_range(asked: Asked, to: Any, speed: Any, points: Any) -> tuple[float | None, float | None, int]:
    """`to`, the speed and the number of samples; every fault at once."""
    faults: list[str] = []

    def read(where: str, value: Any, kind: str) -> float | None:
        try:
            return None if value is None else asked.amount(where, value, kind)
        except ChoiceError as error:
            faults.append(str(error))
            return None

    end = read("to", to, "value")
    rate = read("speed", speed, "speed")
    if rate is not None and rate <= 0:
        words = f"speed is {speed!r}: a driver that does not move has no range"
        if rate < 0:
            words = f"speed is {speed!r}: the direction is that from `from_` to `to`"
        faults.append(f"{words}; expected a positive number ({UNITS['speed', asked.angular]})")
    if points is not None and (isinstance(points, bool) or not isinstance(points, int) or points < 2):
        faults.append(f"points is {points!r}; expected a whole number from 2 on")
    if to is None and not asked.angular:
        faults.append(f"to is missing; a displacement has no natural range: how far is '{asked.joint}' driven, in m?")
    if faults:
        raise ChoiceError("; ".join(faults))
    return end, rate, int(points or 0)


def driver(asked: Asked, start: float, end: float, speed: float, origin: str) -> Drive:
    return Drive(asked.name, asked.joint, asked.quantity, start, end, speed, origin)
