"""What relations in a fixed ratio share: their equation, and checks of the joints they join."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...equations.formula import Formula, leaf
from ...equations.lowered import Equation, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from ..checking import joint_faults
from ..geometry import Coordinate, coordinate
from ..joints import ANGLE, DISPLACEMENT
from ..kinds import Key
from ..quantities import FORCE, MOMENT, Quantity
from ..values import Values

# What a relation exerts in either coordinate, by the names of its channels.
EXERTED = dict.fromkeys(("on_first", "on_second"), Quantity("force or moment", "N or N m"))
TURN_AND_SLIDE = {"on_first": MOMENT, "on_second": FORCE}


def relation(first: Coordinate, second: Coordinate, factor: Formula, phase: str) -> Lowered:
    """first = factor * second, up to the phase in which the mechanism is assembled.

    Reported is what the relation exerts in either coordinate: a torque on an angle, a force on a displacement.
    """
    multiplier = leaf(("multiplier", 0))
    return Lowered(
        equations=(Equation(first.along - factor * second.along, phase, floating=True),),
        channels={"on_first": -multiplier, "on_second": factor * multiplier},
    )


def both(quantity: str) -> Any:
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


def turn_and_slide(values: Values) -> tuple[Coordinate, Coordinate]:
    """The angle of the first joint and the displacement of the second, which of a cylindrical joint may be its own."""
    turning, sliding = values.raw("joints")
    return coordinate(values.blueprint, turning, ANGLE), coordinate(values.blueprint, sliding, DISPLACEMENT)


def turn_and_slide_check(values: Values) -> Iterator[Fault]:
    for text, wanted in zip(values.raw("joints"), (ANGLE, DISPLACEMENT), strict=True):
        yield from joint_faults(values, "joints", text, wanted)


def swapped(relation: Lowered) -> Lowered:
    """`on_first` belongs to the joint written first, the turning one."""
    first, second = (relation.channels[name] for name in ("on_second", "on_first"))
    return Lowered(equations=relation.equations, channels={"on_first": first, "on_second": second})


def not_zero(key: str) -> Any:
    """The check of a rack or a screw, whose advance a turn must not be zero."""

    def check(values: Values) -> Iterator[Fault]:
        yield from turn_and_slide_check(values)
        if values.start_of(key) == 0:
            yield values.fault(key, f"{key} is 0.0; expected a number other than zero")

    return check


ANGLES = Key(k.JOINTS, help="two joints, by name")
