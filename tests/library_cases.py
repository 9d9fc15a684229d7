"""One healthy component of every type, in the plane and in space."""

from __future__ import annotations

from typing import Any

import jourdain as jd
from jourdain.equations.lowered import Effort, Lowered
from jourdain.library import lowered
from jourdain.library.mechanism_faults import faults_of
from jourdain.mechanism.parts import Blueprint, Component
from oracle import World, slope


def bench(dim: int) -> jd.Mechanism:
    """Two bodies with joints of all kinds; what they close to does not matter here."""
    if dim == 2:
        m = jd.Mechanism("bench", gravity=(0, -9.81))
        points: dict[str, Any] = {"P": (0.3, -0.1), "Q": {"at": (-0.4, 0.2), "angle": 0.6}}
        where: dict[str, Any] = {"position": (0, 0), "angle": 0.0}
        ground: list[Any] = [("O", (0.1, 0.2), {}), ("U", (2.0, -1.0), {"angle": 0.3})]
        inertia: Any = 1
    else:
        m = jd.Mechanism("bench", gravity=(0, 0, -9.81))
        points = {"P": (0.3, -0.1, 0.2), "Q": {"at": (-0.4, 0.2, 0.1), "x": (0, 1, 0), "z": (0.6, 0, 0.8)}}
        where = {"position": (0, 0, 0), "quaternion": (1, 0, 0, 0)}
        ground = [("O", (0.1, 0.2, 0.3), {}), ("U", (2.0, -1.0, 0.5), {"x": (0.6, 0.8, 0), "z": (0, 0, 1)})]
        inertia = (1, 1, 1)
    a = m.body("a", mass=1, inertia=inertia, points=points, **where)
    b = m.body("b", mass=1, inertia=inertia, points=points, **where)
    for name, at, axes in ground:
        m.ground.point(name, at, **axes)
    m.revolute("A", m.ground["O"], a["P"])
    m.revolute("B", a["Q"], b["P"])
    m.prismatic("S", m.ground["U"], b["Q"])
    if dim == 3:
        m.cylindrical("C", a["P"], b["Q"])
        m.spherical("ball", a["P"], b["P"])
    else:
        m.distance("ball", a["P"], b["P"], length=1)
    m.parameter("k", 40.0)
    m.parameter("kick", 0.5)
    return m


def add_all(m: jd.Mechanism, dim: int) -> None:
    """At least one of every type."""
    a, b, ground = m["a"], m["b"], m.ground
    _relations(m, b)
    m.torsion_spring_damper("torsion", joint="A", stiffness="2*k", damping=3, angle=0.4)
    m.spring("cubic", a["P"], b["Q"], force="k*(length - 0.5)**3 + 2*rate", damping=0.5)
    m.spring("measured", ground["O"], b["Q"], table=[(0.5, -20), (1, 0), (2, 50), (3, 60)])
    m.actuator("drive", joint="A", stiffness=5, damping=1, free=0.2, preload=2, motor="sin(t)*A.speed")
    m.actuator("limited", joint="S", stops=(-0.1, 0.1), stop_stiffness=1e3, stop_damping=0.3)
    count = 3 if dim == 2 else 6
    m.bushing("rubber", ground["U"], b["Q"], stiffness=range(10, 10 + count), damping=range(1, 1 + count))
    own = {"states": {"s": 0.1}, "rates": {"s": "(length - s)/0.2"}, "outputs": {"pull": "k*(length - s)"}}
    m.component("forces", "law", "maxwell", a["P"], b["Q"], force="pull + 2*rate", **own)
    push = {
        "vector": [f"-{n}*k - 0.1*v{n}" for n in "xyz"[:dim]],
        "couple": "-angle" if dim == 2 else ("-rx", "-ry", 0),
    }
    m.component("forces", "law", "mount", ground["U"], b["Q"], **push)
    m.component("forces", "law", "governor", joint="A", force="-k*coordinate - 3*rate")
    m.stop("end", joint="B", below=0.2, above=0.3, stiffness=200, damping=0.2)
    m.stop("near", a["P"], b["P"], below=5.0, stiffness=200, damping=0.2)
    m.rope("rope", ground["O"], a["Q"], length=0.2, stiffness=300, damping=0.1)
    m.component("forces", "attraction", "attraction", ground["O"], a["Q"], strength=3)
    m.friction("rub", joint="A", coefficient=0.2, static=0.3, radius=0.02, viscous=0.1)
    m.friction("slide", joint="S", coefficient=0.2, guide_length=0.3, preload=4)
    m.line_load("snow", a["P"], a["Q"], vector=("3*s", "-500*s**2 + t", 2)[:dim], axes="body")
    m.drag("water", a["P"], a["Q"], quadratic=40, linear=2)
    m.follower_force("thrust", on=a["P"], vector=(1, "2*t", 3)[:dim])
    m.follower_torque("rotor", on=a, torque=4 if dim == 2 else (1, 2, "3*t"))
    _elements(m)


def _relations(m: jd.Mechanism, b: Any) -> None:
    m.gear("mesh", joints=("A", "B"), teeth=(20, 60))
    m.belt("belt", joints=("A", "B"), radii=(0.1, 0.3))
    m.rack_and_pinion("rack", joints=("A", "S"), radius=0.05)
    m.screw("thread", joints=("A", "S"), pitch=0.002)
    m.coupling("cam", joints=("A", "S"), function="0.1*(1 - cos(x))")
    m.equation("own", formula="a.x**2 + a.P.y - sin(t)")
    m.velocity_constraint("skate", formula="a.vx*cos(a.y) - a.vy*sin(a.y) - t")
    m.motion("turn", joint="A", angle="2*pi*t")
    m.motion("lead", point=b["P"], x="sin(t)", y=[(0, 0), (1, 2)])


def _elements(m: jd.Mechanism) -> None:
    m.element(
        "own_states", states={"y": 1}, inputs={"u": "A.angle"}, rates={"y": "(u - y)/0.1 + kick"}, outputs={"w": "2*y"}
    )
    m.first_order("filter", input="A.angle", time_constant=0.1)
    polynomials = {"numerator": [2, 1], "denominator": [0.1, 1, 3]}
    m.component("elements", "transfer-function", "shaper", input="A.angle", **polynomials)
    matrices = {"A": [[0, 1], [-4, -1]], "B": [[0, 1], [1, 0]], "C": [[1, 0]], "D": [[0, 2]]}
    m.component("elements", "linear-system", "block", inputs={"u": "A.angle", "w": "t"}, **matrices, start=[0.1, 0])
    m.second_order("servo", input="sin(t)", frequency=60, damping_ratio=0.7)
    m.dc_motor("motor", joint="A", voltage="hold.output", resistance=2, inductance=1e-3, constant=0.05, gear=30)
    m.pi_controller("hold", target=1, measured="A.angle", proportional=20, integral=5, limits=(-12, 12))
    oil: dict[str, Any] = {"areas": (2e-3, 1e-3), "volumes": (1e-3, 2e-3), "bulk_modulus": 1e9}
    oil |= {"pressures": (2e5, 1e5), "leakage": 1e-12, "flows": ("1e-4*t", "-1e-9*p2")}
    m.hydraulic_cylinder("jack", joint="S", **oil)
    m.hydraulic_cylinder("ram", m["a"]["P"], m["b"]["Q"], reference=1.0, **oil)


def blueprint(dim: int) -> Blueprint:
    m = bench(dim)
    add_all(m, dim)
    return m.frozen()


def component(blueprint: Blueprint, name: str) -> Component:
    return next(c for c in blueprint.components if c.name == name)


# Reactions and states, for formulas that use them.
EXTRA = {
    **{f"{j}.{c}": v for j in ("A", "S") for c, v in zip(("fx", "fy", "fz"), (30.0, -40.0, 12.0), strict=True)},
    **{f"{j}.{c}": v for j in ("A", "S") for c, v in zip(("mx", "my", "mz"), (3.0, -2.0, 1.5), strict=True)},
    "own_states.y": 0.3,
    "filter.output": 0.2,
    "servo.output": 0.1,
    "shaper.x1": 0.2,
    "shaper.x2": -0.3,
    "block.x1": 0.1,
    "block.x2": 0.4,
    "maxwell.s": 0.3,
    "servo.rate": -0.4,
    "hold.sum": 2.0,
    "motor.current": 1.5,
    "jack.p1": 3e5,
    "jack.p2": 2e5,
    "ram.p1": 1e5,
    "ram.p2": 4e5,
    "hold.output": 7.0,
}


def low_of(dim: int, name: str) -> Lowered:
    b = blueprint(dim)
    return lowered(component(b, name), b)


def made(build: Any, dim: int = 2) -> tuple[Lowered, World]:
    """The last component a builder's call made, and a world for it. It must be without fault."""
    m = bench(dim)
    name = build(m)
    b = m.frozen()
    assert faults_of(component(b, name), b) == []
    return lowered(component(b, name), b), World(b, extra=dict(EXTRA))


def effort(e: Effort, world: World, time: float = 0.0) -> tuple[float, float, float]:
    """Quantity, rate (by differences) and magnitude."""
    along = world(e.along, time)
    rate = slope(lambda when: world(e.along, when), time)
    return along, rate, world(e.magnitude, time, along=along, rate=rate)


def pull(low: Lowered, along: float, rate: float = 0.0, **more: float) -> float:
    """Sum of magnitudes of efforts along one quantity."""
    values = {"along": along, "rate": rate, "k": 40.0, **more}
    return sum(e.magnitude(0.0, values.__getitem__) for e in low.efforts)
