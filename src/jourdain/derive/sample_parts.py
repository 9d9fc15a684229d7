"""One healthy component of every type of the library on a small planar machine: what a type by name is shown on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..mechanism.builder import Mechanism
from ..mechanism.parts import Blueprint

PART = "part"


def _bench() -> Mechanism:
    m = Mechanism("sample", gravity=(0.0, -9.81))
    points: dict[str, Any] = {"P": (0.3, -0.1), "Q": {"at": (-0.4, 0.2), "angle": 0.6}}
    for name in ("a", "b"):
        m.body(name, mass=1.5, inertia=0.4, position=(0.2, 0.1), angle=0.0, points=points)
    m.revolute("A", m.ground.point("O", (0.1, 0.2)), m["a"]["P"])
    m.revolute("B", m["a"]["Q"], m["b"]["P"])
    m.prismatic("S", m.ground.point("U", (2.0, -1.0), angle=0.3), m["b"]["Q"])
    return m


_OIL: dict[str, Any] = {
    "areas": (2e-3, 1e-3),
    "volumes": (1e-3, 2e-3),
    "bulk_modulus": 1e9,
    "pressures": (2e5, 1e5),
    "flows": (1e-4, -1e-4),
}
_MAKE: dict[str, Callable[[Mechanism], Any]] = {
    "gear": lambda m: m.gear(PART, joints=("A", "B"), ratio=-3.0),
    "belt": lambda m: m.belt(PART, joints=("A", "B"), radii=(0.1, 0.3)),
    "rack-and-pinion": lambda m: m.rack_and_pinion(PART, joints=("A", "S"), radius=0.05),
    "screw": lambda m: m.screw(PART, joints=("A", "S"), pitch=0.002),
    "coupling": lambda m: m.coupling(PART, joints=("A", "S"), function="0.1*(1 - cos(x))"),
    "equation": lambda m: m.equation(PART, formula="a.x**2 + a.P.y - sin(t)"),
    "velocity-constraint": lambda m: m.velocity_constraint(PART, formula="a.vx*cos(a.angle) - a.vy*sin(a.angle)"),
    "motion": lambda m: m.motion(PART, joint="A", angle="2*pi*t"),
    "spring-damper": lambda m: m.spring_damper(PART, m["a"]["P"], m["b"]["Q"], stiffness=200, damping=15, length=0.5),
    "torsion-spring-damper": lambda m: m.torsion_spring_damper(PART, joint="A", stiffness=80, damping=3, angle=0.4),
    "spring": lambda m: m.spring(PART, m["a"]["P"], m["b"]["Q"], force="40*(length - 0.5)**3 + 2*rate"),
    "actuator": lambda m: m.actuator(PART, joint="A", stiffness=5, damping=1, free=0.2, preload=2, motor="sin(t)"),
    "bushing": lambda m: m.bushing(PART, m.ground["U"], m["b"]["Q"], stiffness=(10, 11, 12), damping=(1, 2, 3)),
    "law": lambda m: m.component("forces", "law", PART, m["a"]["P"], m["b"]["Q"], force="40*(length - 0.5) + 2*rate"),
    "stop": lambda m: m.stop(PART, joint="B", below=0.2, above=0.3, stiffness=200, damping=0.2),
    "rope": lambda m: m.rope(PART, m.ground["O"], m["a"]["Q"], length=0.2, stiffness=300, damping=0.1),
    "attraction": lambda m: m.component("forces", "attraction", PART, m.ground["O"], m["a"]["Q"], strength=3),
    "friction": lambda m: m.friction(PART, joint="A", coefficient=0.2, radius=0.02),
    "line-load": lambda m: m.line_load(PART, m["a"]["P"], m["a"]["Q"], vector=("3*s", "-500*s**2"), axes="body"),
    "drag": lambda m: m.drag(PART, m["a"]["P"], m["a"]["Q"], quadratic=40, linear=2),
    "follower-force": lambda m: m.follower_force(PART, on=m["a"]["P"], vector=(1, "2*t")),
    "follower-torque": lambda m: m.follower_torque(PART, on=m["a"], torque="4*t"),
    "force": lambda m: m.force(PART, on=m["a"]["P"], vector=("10*sin(2*t)", -3)),
    "torque": lambda m: m.torque(PART, on=m["a"], torque="4*cos(t)"),
    "element": lambda m: m.element(PART, states={"y": 1}, inputs={"u": "A.angle"}, rates={"y": "(u - y)/0.1"}),
    "first-order": lambda m: m.first_order(PART, input="A.angle", time_constant=0.1),
    "second-order": lambda m: m.second_order(PART, input="sin(t)", frequency=60, damping_ratio=0.7),
    "transfer-function": lambda m: m.component(
        "elements", "transfer-function", PART, input="A.angle", numerator=[2, 1], denominator=[0.1, 1, 3]
    ),
    "linear-system": lambda m: m.component(
        "elements", "linear-system", PART, inputs={"u": "A.angle"}, A=[[0, 1], [-4, -1]], B=[[0], [1]], C=[[1, 0]]
    ),
    "dc-motor": lambda m: m.dc_motor(
        PART, joint="A", voltage=12, resistance=2, inductance=1e-3, constant=0.05, gear=30
    ),
    "pi-controller": lambda m: m.pi_controller(PART, target=1, measured="A.angle", proportional=20, integral=5),
    "hydraulic-cylinder": lambda m: m.hydraulic_cylinder(PART, joint="S", **_OIL),
}


def known_types() -> tuple[str, ...]:
    return tuple(_MAKE)


def sample_of(type_name: str) -> Blueprint:
    """A machine with one component of the type, called `part`."""
    m = _bench()
    _MAKE[type_name](m)
    return m.frozen()
