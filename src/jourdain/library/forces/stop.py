"""Stop: pushes back beyond a limit."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import number
from ...equations.lowered import Effort, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from .. import quantities as measured
from ..geometry import length
from ..kinds import FORCES, Key, Kind, LinkSymbol, optional
from ..shared_keys import CONTACT_DAMPING
from ..values import Values
from .laws import here, one_sided


def _stop_check(values: Values) -> Iterator[Fault]:
    if values.has("joint") == values.has("between"):
        both = ", not both" if values.has("joint") else ""
        yield values.fault("between", f"expected either joint or between{both}")
    if not values.has("below") and not values.has("above"):
        yield values.fault("below", "expected a limit: below, above or both")
    elif values.has("below") and values.has("above") and values.start_of("below") >= values.start_of("above"):
        words = f"below is {values.start_of('below')} and above is {values.start_of('above')}; expected below < above"
        yield values.fault("below", words)


def _stop(values: Values) -> Lowered:
    if values.has("joint"):
        q = values.coordinate()
        along, rate = q.along, q.rate
    else:
        along, rate = length(values.blueprint, *values.ports())
    efforts: list[Effort] = []
    depth, force = number(0.0), number(0.0)
    for key, side in (("below", -1.0), ("above", 1.0)):
        if values.has(key):
            stiffness, damping = values.number("stiffness"), values.number("damping")
            found, (d, N) = one_sided(along, values.number(key), side, stiffness, damping)
            efforts += found
            depth, force = depth + here(d, along, rate), force - side * here(N, along, rate)
    return Lowered(efforts=tuple(efforts), channels={"depth": depth, "force": force})


STOP = Kind(
    "stop",
    {
        "joint": optional(k.JOINT, help="limits its coordinate; or between"),
        "between": optional(k.PORTS, help="limits their distance; or joint"),
        "below": optional(k.NUMBER, unit="m or rad", help="acts below this"),
        "above": optional(k.NUMBER, unit="m or rad", help="acts above this"),
        "stiffness": Key(k.POSITIVE, unit="N/m or N m/rad"),
        "damping": optional(k.NOT_NEGATIVE, 0.0, unit="s/m or s/rad", help=CONTACT_DAMPING),
    },
    _stop,
    "an elastic limit of a joint's coordinate or of a distance; it never pulls",
    FORCES,
    _stop_check,
    symbol=LinkSymbol.GAP,
    measures={"depth": measured.Quantity("depth", "m or rad"), "force": measured.FORCE},
    example='m.stop("end", joint="S", above=0.2, stiffness=1e5, damping=0.5)',
)
