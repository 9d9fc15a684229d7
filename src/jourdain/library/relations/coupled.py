"""Relations between joint coordinates, and a user's own scalar equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...equations.formula import Formula, leaf, number
from ...equations.lowered import Equation, Lowered
from ...equations.tracing import Place, trace
from ...mechanism.fault import Fault
from ...mechanism.parts import GROUND, PortName
from .. import kinds as k
from ..channels.known_names import OF_POSITION, OF_VELOCITY, VELOCITY, kind_of
from ..checking import joint_faults
from ..geometry import ANGLE, DISPLACEMENT, Coordinate, axis_of_ports, coordinate, place
from ..kinds import RELATIONS, Key, Kind, optional
from ..values import Values, is_function, is_number

# Relative departure from linearity that rounding explains, in formulas of a few dozen operations.
LINEAR = 1e-9


def _relation(first: Coordinate, second: Coordinate, factor: Formula, phase: str) -> Lowered:
    """first = factor * second, up to the phase in which the mechanism is assembled.

    Reported is what the relation exerts in either coordinate: a torque on an angle, a force on a displacement.
    """
    multiplier = leaf(("multiplier", 0))
    return Lowered(
        equations=(Equation(first.along - factor * second.along, phase, floating=True),),
        channels={"on_first": -multiplier, "on_second": factor * multiplier},
    )


def _both(quantity: str) -> Any:
    """A check that both joints of a pair have (or mean) this coordinate, and are not one and the same."""

    def check(values: Values) -> Iterator[Fault]:
        a, b = values.coordinates()
        for c, text in zip((a, b), values.raw("joints"), strict=True):
            if c.quantity != quantity:
                words = f"joint '{text}' has no {quantity}; a {values.component.type} joins two joints that have one"
                yield values.fault("joints", words, name=text)
        if a.along == b.along:
            yield values.fault("joints", f"both joints are '{values.raw('joints')[0]}'; expected two different ones")

    return check


# Gears and belts ----------------------------------------------------------------------------------------------------


def _gear_check(values: Values) -> Iterator[Fault]:
    yield from _both(ANGLE)(values)
    if values.has("ratio") == values.has("teeth"):
        yield values.fault("teeth", "expected either ratio or teeth" + (", not both" if values.has("ratio") else ""))
    elif values.has("ratio") and values.start_of("ratio") == 0:
        words = "ratio is 0.0; expected the speed of the first joint over that of the second, not zero"
        yield values.fault("ratio", words)
    if values.has("ratio") and values.has("internal"):
        yield values.fault(
            "internal", "internal goes with teeth; the sign of ratio says it already (negative: external)"
        )
    for z in values.raw("teeth") or () if values.has("teeth") else ():
        if is_number(z) and z != round(z):
            yield values.fault("teeth", f"teeth are {values.raw('teeth')}; expected whole numbers")
            break


def _gear(values: Values) -> Lowered:
    """Transmission ratio i = speed of the driving over speed of the driven gear, negative if external (ISO 1122-1)."""
    a, b = values.coordinates()
    if values.has("teeth"):
        za, zb = values.numbers("teeth")
        ratio = zb / za if values.raw("internal") else -(zb / za)
    else:
        ratio = values.number("ratio")
    return _relation(a, b, ratio, "mesh of the teeth (phase of the assembled pose)")


def _belt(values: Values) -> Lowered:
    """No slip: both pulleys have the same belt speed, so that ra * speed a = +-rb * speed b."""
    a, b = values.coordinates()
    ra, rb = values.numbers("radii")
    ratio = rb / ra
    return _relation(a, b, -ratio if values.raw("crossed") else ratio, "length of the belt (as assembled)")


# From turning to sliding --------------------------------------------------------------------------------------------


def _turn_and_slide(values: Values) -> tuple[Coordinate, Coordinate]:
    """The angle of the first joint and the displacement of the second, which of a cylindrical joint may be its own."""
    turning, sliding = values.raw("joints")
    return coordinate(values.blueprint, turning, ANGLE), coordinate(values.blueprint, sliding, DISPLACEMENT)


def _turn_and_slide_check(values: Values) -> Iterator[Fault]:
    for text, wanted in zip(values.raw("joints"), (ANGLE, DISPLACEMENT), strict=True):
        yield from joint_faults(values, "joints", text, wanted)


def _rack(values: Values) -> Lowered:
    turn, slide = _turn_and_slide(values)
    phase = "mesh of rack and pinion (phase of the assembled pose)"
    return _swapped(_relation(slide, turn, values.number("radius"), phase))


def _swapped(relation: Lowered) -> Lowered:
    """`on_first` belongs to the joint written first, the turning one."""
    first, second = (relation.channels[name] for name in ("on_second", "on_first"))
    return Lowered(equations=relation.equations, channels={"on_first": first, "on_second": second})


def _screw(values: Values) -> Lowered:
    turn, slide = _turn_and_slide(values)
    advance = values.number("pitch") / (2.0 * np.pi)
    return _swapped(_relation(slide, turn, advance, "thread (phase of the assembled pose)"))


def _not_zero(key: str) -> Any:
    """The check of a rack or a screw, whose advance a turn must not be zero."""

    def check(values: Values) -> Iterator[Fault]:
        yield from _turn_and_slide_check(values)
        if values.start_of(key) == 0:
            yield values.fault(key, f"{key} is 0.0; expected a number other than zero")

    return check


def _coupling(values: Values) -> Lowered:
    a, b = values.coordinates()
    f = values.smooth(values.formula("function", {"x": a.along}), "function")
    meaning = f"coupling of {values.raw('joints')[0]} and {values.raw('joints')[1]}"
    # What it exerts on the second joint; on the first it is minus that times the slope of the function.
    return Lowered(
        equations=(Equation(b.along - f, meaning, floating=values.raw("from_drawn")),),
        channels={"on_second": -leaf(("multiplier", 0))},
    )


def _coupling_check(values: Values) -> Iterator[Fault]:
    a, b = values.coordinates()
    if a.along == b.along:
        yield values.fault("joints", f"both joints are '{values.raw('joints')[0]}'; expected two different ones")


# A user's own equations ---------------------------------------------------------------------------------------------


def _own(values: Values) -> Formula:
    """The formula of an equation: as written, or traced from a function of ports and inputs."""
    written = values.raw("formula")
    if not is_function(written):
        return values.smooth(values.formula("formula"), "formula")
    ports = tuple(values.raw("ports") or ())
    inputs = [values.read(text, "formula") for text in values.raw("inputs") or (() if ports else ("t",))]
    places = [_seen(values, ports, n) for n in range(len(ports))]
    found = trace(written, [*places, *inputs])
    if found.results is not None and len(found.results) == 1:
        return values.smooth(found.results[0], "formula")
    reason = found.reason or f"it returns {len(found.results or ())} numbers, not one"
    if values.component.type == "equation":  # it has no business with velocities
        places = [replace(place, velocity=None, spin=None) for place in places]
    return values.differentiated(written, [*places, *inputs], "formula", reason)


def _seen(values: Values, ports: tuple[PortName, ...], n: int) -> Place:
    """The n-th port as symbols; the axes of the first two are completed as for a joint between them."""
    blueprint, port = values.blueprint, ports[n]
    first, second = ports[:2] if len(ports) > 1 and n < 2 else (port, port)
    side = "j" if n == 1 else "i"
    axes = [axis_of_ports(blueprint, first, second, f"{name}_{side}") for name in "xyz"[: blueprint.dim]]
    channels = ("spin",) if blueprint.dim == 2 else ("wx", "wy", "wz")
    spin = [number(0.0) if port.body == GROUND else leaf(f"{port.body}.{c}") for c in channels]
    z = axes[2] if blueprint.dim == 3 else None
    turning = spin[0] if blueprint.dim == 2 else tuple(spin)
    return Place(place(blueprint, port), axes[0], axes[1], z, place(blueprint, port, 1), turning)


def _equation(values: Values) -> Lowered:
    f = _own(values)
    for key in _velocities(f):
        shown = f"velocity of {key[1]}" if isinstance(key, tuple) else str(key)
        raise values.error("formula", f"formula: '{shown}' is a velocity; use a velocity-constraint")
    return Lowered(equations=(Equation(f, "equation", floating=values.raw("from_drawn")),))


def _velocities(f: Formula) -> list[Any]:
    """The leaves of a formula that are velocities, by their names."""
    channels = ("vx", "vy", "vz", "spin", "speed", "wx", "wy", "wz")
    keys = f.quantities()
    return [key for key in keys if kind_of(key, {}) == VELOCITY or str(key).rpartition(".")[2] in channels]


def _velocity_constraint(values: Values) -> Lowered:
    f = _own(values)
    if not _linear(f):
        words = "formula is not linear in the velocities; expected a sum of velocities times positions"
        raise values.error("formula", words)
    return Lowered(equations=(Equation(f, "velocity constraint", velocity=True),))


def _linear(f: Formula) -> bool:
    """Whether f is linear in its velocities: f(u + v) + f(0) = f(u) + f(v) at a few random places."""
    random = np.random.default_rng(0)
    keys, moving = f.quantities(), _velocities(f)
    for _ in range(5):
        here = {key: float(random.uniform(0.1, 2.0)) for key in keys}
        u, v = ({key: float(random.normal()) for key in moving} for _ in range(2))
        both = {key: u[key] + v[key] for key in moving}
        try:
            found = [f(1.3, {**here, **dict.fromkeys(moving, 0.0), **s}.__getitem__) for s in (both, {}, u, v)]
        except (ArithmeticError, ValueError):
            continue
        if abs(found[0] + found[1] - found[2] - found[3]) > LINEAR * max(1.0, *(abs(x) for x in found)):
            return False
    return bool(moving)


_OWN_KEYS = {
    "ports": optional(k.PLACES, help="what a function takes first: objects with position, x, y, z, velocity, spin"),
    "inputs": optional(k.NAMES, help="what a function takes next: channels, parameters or t"),
}
_ANGLES = Key(k.JOINTS, help="two joints, by name")
_FROM_DRAWN = optional(k.FLAG, False, help="hold the value of the assembled pose instead of zero")

KINDS: dict[str, Kind] = {
    "gear": Kind(
        {
            "joints": _ANGLES,
            "ratio": optional(k.NUMBER, help="speed of the first over speed of the second; negative: external"),
            "teeth": optional(k.POSITIVE, size=2, help="numbers of teeth of the first and the second gear"),
            "internal": optional(k.FLAG, False, help="with teeth: both turn the same way"),
        },
        _gear,
        "two joint angles in a fixed ratio",
        RELATIONS,
        _gear_check,
    ),
    "belt": Kind(
        {
            "joints": _ANGLES,
            "radii": Key(k.POSITIVE, size=2, unit="m"),
            "crossed": optional(k.FLAG, False, help="the pulleys turn against each other"),
        },
        _belt,
        "two pulleys and a belt that does not slip",
        RELATIONS,
        _both(ANGLE),
    ),
    "rack-and-pinion": Kind(
        {"joints": Key(k.JOINTS, help="the pinion's joint, the rack's"), "radius": Key(k.NUMBER, unit="m")},
        _rack,
        "displacement of a rack = radius times angle of a pinion",
        RELATIONS,
        _not_zero("radius"),
    ),
    "screw": Kind(
        {"joints": Key(k.JOINTS, help="the turning joint, the sliding one"), "pitch": Key(k.NUMBER, unit="m/turn")},
        _screw,
        "displacement = pitch times turns; negative pitch: left-handed",
        RELATIONS,
        _not_zero("pitch"),
    ),
    "coupling": Kind(
        {
            "joints": Key(k.JOINTS),
            "function": Key(k.FORMULA, local=("x",), allowed=OF_POSITION, derivatives=True),
            "from_drawn": _FROM_DRAWN,
        },
        _coupling,
        "the coordinate of the second joint as a function of that of the first, x",
        RELATIONS,
        _coupling_check,
    ),
    "equation": Kind(
        {
            "formula": Key(k.FORMULA, allowed=OF_POSITION, derivatives=True),
            **_OWN_KEYS,
            "from_drawn": _FROM_DRAWN,
        },
        _equation,
        "an equation of your own: formula = 0, over positions and t",
        RELATIONS,
    ),
    "velocity-constraint": Kind(
        {"formula": Key(k.FORMULA, allowed=OF_VELOCITY, derivatives=True), **_OWN_KEYS},
        _velocity_constraint,
        "a velocity constraint of your own: formula = 0, linear in velocities",
        RELATIONS,
    ),
}
