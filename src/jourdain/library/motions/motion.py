"""Motions: coordinates of joints and points that follow a given function of time."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import Formula, leaf, number
from ...equations.lowered import Equation, Lowered
from ...mechanism.fault import Fault
from ...mechanism.parts import GROUND
from .. import kinds as k
from .. import quantities as measured
from ..checking import joint_faults
from ..geometry import coordinate, place, split_joint
from ..joints import ANGLE, DISPLACEMENT, kind_of
from ..kinds import MOTIONS, Kind, optional
from ..levels import OF_TIME
from ..values import Values

_OF_JOINT = (ANGLE, DISPLACEMENT, "speed")


_OF_POINT = ("x", "y", "z")


def _check(values: Values) -> Iterator[Fault]:
    quantities = [key for key in (*_OF_JOINT, *_OF_POINT) if values.has(key)]
    if values.has("joint") == values.has("point"):
        yield values.fault("point", "expected either joint or point" + (", not both" if values.has("joint") else ""))
        return
    of = "joint" if values.has("joint") else "point"
    allowed = _OF_JOINT if of == "joint" else _OF_POINT[: values.blueprint.dim]
    for key in quantities:
        if key not in allowed:
            yield values.fault(key, f"{key} is no quantity of a {of} here; expected {', '.join(allowed)}")
    if not quantities:
        yield values.fault(allowed[0], f"nothing is prescribed; expected {', '.join(allowed)}")
    if of == "point" and values.raw("point").body == GROUND:
        yield values.fault("point", f"point '{values.raw('point')}' is on the ground, which does not move")
    if of == "joint":
        yield from _joint_check(values, quantities)


def _joint_check(values: Values, quantities: list[str]) -> Iterator[Fault]:
    text = values.raw("joint")
    if "speed" in quantities and len(quantities) > 1:
        yield values.fault("speed", f"speed and {quantities[0]} are both prescribed; keep one")
    if "speed" in quantities and values.raw("from_drawn"):
        yield values.fault("from_drawn", "from_drawn does nothing to a speed; leave it out")
    for quantity in quantities:
        if quantity in (ANGLE, DISPLACEMENT):
            yield from joint_faults(values, "joint", text, quantity)
    name, quantity = split_joint(text)
    if quantity and "speed" not in quantities:
        yield values.fault("joint", f"joint is '{text}'; expected the name of a joint alone")
    if "speed" in quantities and not kind_of(values.blueprint.joint(name)).coordinates:
        yield from joint_faults(values, "joint", text, "")


def _motion(values: Values) -> Lowered:
    """Rows, and what holding them takes: the force or torque of the motion is minus its multiplier."""
    floating = values.raw("from_drawn")
    equations = []
    rates = []
    if values.has("joint"):
        for key in (ANGLE, DISPLACEMENT):
            if values.has(key):
                driven = coordinate(values.blueprint, values.raw("joint"), key)
                equations.append(Equation(driven.along - values.signal(key), f"driven {key}", floating=floating))
                rates.append(("torque" if key == ANGLE else "force", driven.rate))
        if values.has("speed"):
            driven = coordinate(values.blueprint, values.raw("joint"))
            equations.append(Equation(driven.rate - values.signal("speed"), "driven speed", velocity=True))
            rates.append(("torque" if driven.quantity == ANGLE else "force", driven.rate))
    else:
        point = values.raw("point")
        places, velocities = place(values.blueprint, point), place(values.blueprint, point, 1)
        for key, component, rate in zip(_OF_POINT, places, velocities, strict=False):
            if values.has(key):
                equations.append(Equation(component - values.signal(key), f"driven {key}", floating=floating))
                rates.append((f"f{key}", rate))
    return Lowered(equations=tuple(equations), channels=_efforts(rates))


def _efforts(rates: list[tuple[str, Formula]]) -> dict[str, Formula]:
    """The channels of a motion: `torque` or `force`, and `power`; of a point `fx`, `fy`, `fz`."""
    efforts = [(name, -leaf(("multiplier", k)), rate) for k, (name, rate) in enumerate(rates)]
    channels = {name: effort for name, effort, _ in efforts}
    if len(efforts) == 1:
        channels.setdefault("torque" if efforts[0][0] == "torque" else "force", efforts[0][1])
    return {**channels, "power": sum((effort * rate for _, effort, rate in efforts), number(0.0))}


_SIGNAL = {"allowed": OF_TIME, "derivatives": True}


MOTION = Kind(
    "motion",
    {
        "joint": optional(k.JOINT, help="the joint that is driven; or point"),
        "point": optional(k.PORT, help="the point that is driven; or joint"),
        "angle": optional(k.SIGNAL, unit="rad", **_SIGNAL),
        "displacement": optional(k.SIGNAL, unit="m", **_SIGNAL),
        "speed": optional(k.SIGNAL, unit="rad/s or m/s", rate=True, **_SIGNAL),
        "x": optional(k.SIGNAL, unit="m", **_SIGNAL),
        "y": optional(k.SIGNAL, unit="m", **_SIGNAL),
        "z": optional(k.SIGNAL, unit="m", **_SIGNAL),
        "from_drawn": optional(k.FLAG, False, help="count from the assembled pose instead of zero"),
    },
    _motion,
    "a joint's angle, displacement or speed, or a point's coordinates, as functions of time",
    MOTIONS,
    _check,
    measures={"torque": measured.MOMENT, "force": measured.FORCE, **measured.FORCES, "power": measured.POWER},
)
