"""Motions: coordinates of joints and points that follow a given function of time."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import Formula, apply, leaf, number
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
BRYAN = "bryan"


def _check(values: Values) -> Iterator[Fault]:
    quantities = [key for key in (*_OF_JOINT, *_OF_POINT, BRYAN) if values.has(key)]
    given = [key for key in ("joint", "point", "body") if values.has(key)]
    if len(given) != 1:
        yield values.fault("point", "expected either joint, point or body" + (", one of them" if given else ""))
        return
    (of,) = given
    places = _OF_POINT[: values.blueprint.dim]
    attitude = (ANGLE,) if values.blueprint.dim == 2 else (BRYAN,)
    allowed = {"joint": _OF_JOINT, "point": places, "body": (*places, *attitude)}[of]
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
    name, quantity = split_joint(text, values.blueprint.joints_by_name)
    if quantity and "speed" not in quantities:
        yield values.fault("joint", f"joint is '{text}'; expected the name of a joint alone")
    if "speed" in quantities and not kind_of(values.blueprint.joint(name)).coordinates:
        yield from joint_faults(values, "joint", text, "")


def _motion(values: Values) -> Lowered:
    """Rows, and what holding them takes: the force or torque of the motion is minus its multiplier."""
    floating = values.raw("from_drawn")
    equations = []
    rates = []
    if values.has("body"):
        return _pose(values, floating)
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


def _pose(values: Values, floating: bool) -> Lowered:
    """A body's origin and attitude: what a platform is moved through, while its legs follow."""
    body, dim = values.raw("body"), values.blueprint.dim
    equations, rates = [], []
    for axis, key in enumerate(_OF_POINT[:dim]):
        if values.has(key):
            at, rate = (leaf(("at", body, (0.0,) * dim, axis, order)) for order in (0, 1))
            equations.append(Equation(at - values.signal(key), f"driven {key}", floating=floating))
            rates.append((f"f{key}", rate))
    if values.has(ANGLE):
        equations.append(Equation(leaf(f"{body}.angle") - values.signal(ANGLE), "driven angle", floating=floating))
        rates.append(("torque", leaf(f"{body}.spin")))
    channels = _efforts(rates)
    if values.has(BRYAN):
        angles = [values.smooth(f, BRYAN) for f in values.formulas(BRYAN)]
        rows = _attitude(body, angles)
        equations += [Equation(f, f"driven attitude ({words})", floating=floating) for words, f in rows]
        channels.pop("power")  # that of the attitude is not in it
    return Lowered(equations=tuple(equations), channels=channels)


def _attitude(body: str, angles: list[Formula]) -> Iterator[tuple[str, Formula]]:
    """Axes of the body across those of R = R_x(a) R_y(b) R_z(c), as for a weld."""
    (ca, sa), (cb, sb), (cc, sc) = ((apply("cos", f), apply("sin", f)) for f in angles)
    wanted = (
        (cb * cc, ca * sc + sa * sb * cc, sa * sc - ca * sb * cc),
        (-(cb * sc), ca * cc - sa * sb * sc, sa * cc + ca * sb * sc),
        (sb, -(sa * cb), ca * cb),
    )
    origin = (0.0, 0.0, 0.0)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        unit = tuple(float(n == i) for n in range(3))
        axis = [leaf(("at", body, unit, n, 0)) - leaf(("at", body, origin, n, 0)) for n in range(3)]
        yield f"{'xyz'[i]} across {'xyz'[j]}", sum((a * w for a, w in zip(axis, wanted[j], strict=True)), number(0.0))


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
        "body": optional(k.BODY, help="the body whose pose is driven: its origin by x, y, z, and its attitude"),
        "angle": optional(k.SIGNAL, unit="rad", **_SIGNAL),
        "displacement": optional(k.SIGNAL, unit="m", **_SIGNAL),
        "speed": optional(k.SIGNAL, unit="rad/s or m/s", rate=True, **_SIGNAL),
        "x": optional(k.SIGNAL, unit="m", **_SIGNAL),
        "y": optional(k.SIGNAL, unit="m", **_SIGNAL),
        "z": optional(k.SIGNAL, unit="m", **_SIGNAL),
        BRYAN: optional(
            k.FORMULA, size=3, unit="rad", help="attitude of a body in space, intrinsic x, y, z", **_SIGNAL
        ),
        "from_drawn": optional(k.FLAG, False, help="count from the assembled pose instead of zero"),
    },
    _motion,
    "a joint's angle, displacement or speed, a point's coordinates, or a body's pose, as functions of time",
    MOTIONS,
    _check,
    measures={"torque": measured.MOMENT, "force": measured.FORCE, **measured.FORCES, "power": measured.POWER},
    example='m.motion("drive", joint="A", angle="2*pi*t")',
)
