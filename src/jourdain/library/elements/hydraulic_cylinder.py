"""Hydraulic cylinder: two chambers of oil."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.lowered import DRIVEN, Effort, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from .. import quantities as measured
from ..geometry import length
from ..kinds import ELEMENTS, Key, Kind, LinkSymbol, optional
from ..values import Values


def _cylinder_check(values: Values) -> Iterator[Fault]:
    if values.has("joint") == values.has("between"):
        both = ", not both" if values.has("joint") else ""
        yield values.fault("between", f"expected either joint or between{both}")
    elif values.has("joint"):
        q = values.coordinate()
        if q.angular:
            yield values.fault("joint", f"joint '{values.raw('joint')}' turns; a cylinder needs one that slides")


def _cylinder(values: Values) -> Lowered:
    """Two chambers of oil (Merritt, Hydraulic Control Systems, 1967, section 3-5).

    Chamber 1 grows with the coordinate x, chamber 2 shrinks:

        V1 = V01 + A1 (x - x0)      V1 p1' / beta = Q1 - A1 x' - C (p1 - p2)
        V2 = V02 - A2 (x - x0)      V2 p2' / beta = Q2 + A2 x' + C (p1 - p2)
        force on x = A1 p1 - A2 p2

    with the flows Q into the chambers, the bulk modulus beta of the oil and the leakage C past the piston.
    """
    if values.has("joint"):
        q = values.coordinate()
        along, rate = q.along, q.rate
    else:
        along, rate = length(values.blueprint, *values.ports())
    (a1, a2), (v01, v02) = values.numbers("areas"), values.numbers("volumes")
    p1, p2 = values.own("p1"), values.own("p2")
    local = {"p1": p1, "p2": p2}
    flow1, flow2 = values.formulas("flows", local)
    moved = along - values.number("reference")
    volume1, volume2 = v01 + a1 * moved, v02 - a2 * moved
    leak = values.number("leakage") * (p1 - p2)
    bulk = values.number("bulk_modulus")
    starts = [values.at_start(f) for f in values.numbers("pressures")]
    force = a1 * p1 - a2 * p2
    return Lowered(
        efforts=(Effort(along, force, DRIVEN),),
        states=(
            ("p1", starts[0], bulk * (flow1 - a1 * rate - leak) / volume1),
            ("p2", starts[1], bulk * (flow2 + a2 * rate + leak) / volume2),
        ),
        channels={"force": force, "v1": volume1, "v2": volume2, "flow1": flow1, "flow2": flow2},
    )


HYDRAULIC_CYLINDER = Kind(
    "hydraulic-cylinder",
    {
        "joint": optional(k.JOINT, help="a joint that slides; or between"),
        "between": optional(k.PORTS, help="two points, whose distance is the coordinate; or joint"),
        "areas": Key(k.POSITIVE, size=2, unit="m^2", help="of the piston, on the side that extends and the other"),
        "volumes": Key(k.POSITIVE, size=2, unit="m^3", help="of the chambers at the reference"),
        "reference": optional(k.NUMBER, 0.0, unit="m", help="coordinate where the volumes hold"),
        "pressures": Key(k.NUMBER, size=2, unit="Pa", help="at the start"),
        "bulk_modulus": Key(k.POSITIVE, unit="Pa"),
        "flows": Key(k.FORMULA, size=2, unit="m^3/s", local=("p1", "p2"), help="into the chambers, over p1, p2"),
        "leakage": optional(k.NOT_NEGATIVE, 0.0, unit="m^3/(s Pa)", help="past the piston"),
        "inputs": optional(k.NAMES, help="what functions `flows` take, instead of p1 and p2"),
    },
    _cylinder,
    "two chambers of compressible oil; channels p1, p2, v1, v2, flow1, flow2, force",
    ELEMENTS,
    _cylinder_check,
    symbol=LinkSymbol.CYLINDER,
    measures={
        "force": measured.FORCE,
        **dict.fromkeys(("p1", "p2"), measured.Quantity("pressure", "Pa")),
        **dict.fromkeys(("v1", "v2"), measured.Quantity("volume", "m³")),
        **dict.fromkeys(("flow1", "flow2"), measured.Quantity("flow", "m³/s")),
    },
    example='m.hydraulic_cylinder("jack", joint="S", areas=(2e-3, 1e-3), volumes=(1e-4, 1e-3), '
    'pressures=(1e5, 1e5), bulk_modulus=1.4e9, flows=("1e-4", 0))',
)
