"""Dry friction in joints, from the reaction that the joint carries.

Coulomb friction with the rise towards rest of Stribeck, in the form of Bo and Pavelescu, smoothed by tanh (Armstrong-
Helouvry, Dupont and Canudas de Wit, Automatica 30, 1994, section 3):

    F = -(mu_k + (mu_s - mu_k) exp(-(v/v_st)^2)) N tanh(v/v_r) - viscous * rate

The joint creeps instead of sticking: at v = v_r it has 76 % of its force.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import Formula, apply, leaf, number
from ...equations.lowered import DISSIPATED, Effort, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from .. import quantities as measured
from ..geometry import Coordinate, axis, dot
from ..joints import KINDS as JOINT_KINDS
from ..joints import kind_of
from ..kinds import FORCES, Key, Kind, optional
from ..values import Values
from .laws import RATE, here

# Newtons; keeps the magnitude of a reaction smooth where it vanishes, far below any reaction that matters.
SMALLEST_FORCE = 1e-9


# Sliding speed, m/s, at which friction has grown to 76 %; small beside the speeds of mechanisms, large enough to step.
REGULAR_SPEED = 1e-3


STRIBECK_SPEED = 1e-2


def _check(values: Values) -> Iterator[Fault]:
    q = values.coordinate()
    kind = kind_of(q.joint)
    if not kind.rubs:
        *names, last = (known.name for known in JOINT_KINDS if known.rubs)
        words = f"friction in a {kind.name} joint is not known; expected {', '.join(names)} or {last}"
        yield values.fault("joint", words)
        return
    if q.angular and not values.has("radius"):
        yield values.fault("radius", "radius is missing; friction in a turning joint acts at the radius of its pin")
    if not q.angular and values.has("radius"):
        yield values.fault("radius", f"radius does nothing in a {q.joint.type} joint that slides")
    if values.has("guide_length") and not kind.guided:
        words = f"guide_length does nothing in a {q.joint.type} joint; only a prismatic one has a guide"
        yield values.fault("guide_length", words)
    if values.has("static") and values.start_of("static") < values.start_of("coefficient"):
        yield values.fault(
            "static",
            f"static is {values.start_of('static')}, less than the coefficient {values.start_of('coefficient')}; "
            "expected at least as much",
        )
    if values.has("stribeck_speed") and not values.has("static"):
        yield values.fault("stribeck_speed", "stribeck_speed does nothing without static")


def _size(components: list[Formula]) -> Formula:
    return apply("sqrt", dot(components, components) + SMALLEST_FORCE**2)


def _normal(values: Values, q: Coordinate) -> Formula:
    """The force that presses the surfaces together, from the reaction on the second body at its port."""
    blueprint, joint = values.blueprint, q.joint
    force = [leaf(f"{joint.name}.f{n}") for n in "xyz"[: blueprint.dim]]
    if blueprint.dim == 2:
        if q.angular:
            return _size(force)
        across = [dot(force, axis(blueprint, joint, "y_i"))]
        lever = [leaf(f"{joint.name}.mz")]
    else:
        x, y = axis(blueprint, joint, "x_i"), axis(blueprint, joint, "y_i")
        across = [dot(force, x), dot(force, y)]
        moment = [leaf(f"{joint.name}.m{n}") for n in "xyz"]
        # A couple m across the guide z is m = (L/2) z x D of end forces that differ by D, so D = (2/L) m x z.
        lever = [dot(moment, y), -dot(moment, x)]
    if not values.has("guide_length"):
        return _size(across)
    guide = values.number("guide_length")
    ends = [[0.5 * f + side * m / guide for f, m in zip(across, lever, strict=True)] for side in (1.0, -1.0)]
    return _size(ends[0]) + _size(ends[1])


def _friction(values: Values) -> Lowered:
    q = values.coordinate()
    radius = values.number("radius") if q.angular else number(1.0)
    v = radius * RATE
    kinetic = values.number("coefficient")
    mu = kinetic
    if values.has("static"):
        ratio = v / values.number("stribeck_speed")
        mu = kinetic + (values.number("static") - kinetic) * apply("exp", -(ratio * ratio))
    normal = _normal(values, q) + values.number("preload")
    dry = radius * mu * normal * apply("tanh", v / values.number("regular_speed"))
    magnitude = -dry - values.number("viscous") * RATE
    effort = Effort(q.along, magnitude, DISSIPATED)
    name = "torque" if q.angular else "force"
    return Lowered(efforts=(effort,), channels={name: here(magnitude, q.along, q.rate), "normal": normal})


FRICTION = Kind(
    "friction",
    {
        "joint": Key(k.JOINT),
        "coefficient": Key(k.NOT_NEGATIVE, help="of sliding friction"),
        "static": optional(k.NOT_NEGATIVE, help="coefficient near rest"),
        "stribeck_speed": optional(k.POSITIVE, STRIBECK_SPEED, unit="m/s"),
        "radius": optional(k.POSITIVE, unit="m", help="of the pin; turning joints only"),
        "viscous": optional(k.NOT_NEGATIVE, 0.0, unit="N s/m or N m s/rad"),
        "regular_speed": optional(k.POSITIVE, REGULAR_SPEED, unit="m/s", help="where 76 % of it is reached"),
        "preload": optional(k.NOT_NEGATIVE, 0.0, unit="N", help="adds to the normal force"),
        "guide_length": optional(k.POSITIVE, unit="m", help="of the slider, centred at the second port"),
    },
    _friction,
    "dry friction in a joint, from the reaction it carries",
    FORCES,
    _check,
    dry=True,
    measures={"torque": measured.MOMENT, "force": measured.FORCE, "normal": measured.FORCE},
    example='m.friction("F", joint="A", coefficient=0.1, radius=0.02)',
)
