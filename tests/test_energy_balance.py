"""kinetic + potential + dissipated - driven is constant, for every type of the library, in the plane and in space."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain import library

G = 9.81
# Of the greatest energy that moves about. Works are quadratures outside the error control, hence the tighter rtol.
BALANCE = 1e-8
HOW = {"rtol": 1e-11}
SAME = 1e-7
SETS = {2: ("angle", "natural", "relative"), 3: ("quaternion", "natural", "relative")}


def machine(dim: int) -> jd.Mechanism:
    """A double pendulum (A, B) and a block on a slide S that falls along a slope, all moving."""
    if dim == 2:
        m = jd.Mechanism("balance", gravity=(0, -G))
        a = m.body("a", mass=2, inertia=0.3, position=(0.5, 0), angle=0, spin=1, points={"P": (-0.5, 0), "Q": (0.5, 0)})
        b = m.body("b", mass=1, inertia=0.1, position=(1.4, 0), angle=0, points={"P": (-0.4, 0), "Q": (0.4, 0.1)})
        c = m.body("c", mass=3, inertia=0.2, position=(3, 0), angle=-0.5, velocity=(0, 0), points={"C": (0, 0)})
        m.revolute("A", m.ground.point("O", (0, 0)), a["P"])
        m.revolute("B", a["Q"], b["P"])
        m.prismatic("S", m.ground.point("U", (3, 0), angle=-0.5), c["C"])
        return m
    m = jd.Mechanism("balance", gravity=(0, 0, -G))
    pin = {"axis": (0, -1, 0.3)}
    down = {"axis": (math.cos(0.5), 0, -math.sin(0.5))}
    a = m.body("a", mass=2, inertia=(0.2, 0.3, 0.3), position=(0.5, 0, 0), quaternion=(1, 0, 0, 0))
    b = m.body("b", mass=1, inertia=(0.1, 0.1, 0.1), position=(1.4, 0, 0), quaternion=(1, 0, 0, 0))
    c = m.body("c", mass=3, inertia=(0.2, 0.2, 0.2), position=(3, 0, 0), quaternion=(1, 0, 0, 0), velocity=(0, 0, 0))
    m.revolute("A", m.ground.point("O", (0, 0, 0), **pin), a.point("P", (-0.5, 0, 0), **pin))
    m.revolute("B", a.point("Q", (0.5, 0, 0), axis=(0, 0, 1)), b.point("P", (-0.4, 0, 0), axis=(0, 0, 1)))
    b.point("Q", (0.4, 0.1, 0.2))
    m.prismatic("S", m.ground.point("U", (3, 0, 0), **down), c.point("C", (0, 0, 0), **down))
    return m


Add = Callable[[jd.Mechanism, int], Any]
OIL: dict[str, Any] = {"areas": (2e-3, 1e-3), "volumes": (1e-3, 2e-3), "bulk_modulus": 1e8, "pressures": (2e5, 3e5)}
OIL |= {"flows": ("1e-4*sin(3*t)", "-1e-9*p2"), "leakage": 1e-11}

CASES: dict[str, tuple[str, Add]] = {
    "gear": ("gear", lambda m, d: m.gear("X", joints=("A", "B"), ratio=-2)),
    "belt": ("belt", lambda m, d: m.belt("X", joints=("A", "B"), radii=(0.1, 0.3))),
    "rack": ("rack-and-pinion", lambda m, d: m.rack_and_pinion("X", joints=("A", "S"), radius=0.3)),
    "screw": ("screw", lambda m, d: m.screw("X", joints=("A", "S"), pitch=0.8)),
    "coupling": ("coupling", lambda m, d: m.coupling("X", joints=("A", "S"), function="0.4*sin(x) + 0.1*x")),
    "equation": ("equation", lambda m, d: m.equation("X", formula="c.x - 3 + 0.5*(b.Q.x - a.x) - 0.65 + 0.1*sin(t)")),
    "velocity constraint": (
        "velocity-constraint",
        lambda m, d: m.velocity_constraint("X", formula="B.speed + (0.5 + 0.2*sin(A.angle))*A.speed - 0.3*sin(t)"),
    ),
    "motion of angle": ("motion", lambda m, d: m.motion("X", joint="A", angle="sin(2*t)")),
    "motion of displacement": ("motion", lambda m, d: m.motion("X", joint="S", displacement="0.3*sin(2*t)")),
    "motion of speed": ("motion", lambda m, d: m.motion("X", joint="B", speed="sin(2*t)")),
    "motion of a point": ("motion", lambda m, d: m.motion("X", point=m["a"]["Q"], **{"yz"[d - 2]: "0.3*sin(3*t)"})),
    "spring-damper": (
        "spring-damper",
        lambda m, d: m.spring_damper("X", m.ground["U"], m["b"]["Q"], stiffness=30, damping=2, length=1),
    ),
    "force": ("force", lambda m, d: m.force("X", on=m["b"]["Q"], vector=("3*sin(t)", "-0.5*b.Q.vy", 1)[:d])),
    "torque": (
        "torque",
        lambda m, d: m.torque("X", on=m["b"], torque="2*cos(t)" if d == 2 else ("sin(t)", "-0.2*b.wy", 1)),
    ),
    "torsion": (
        "torsion-spring-damper",
        lambda m, d: m.torsion_spring_damper("X", joint="A", stiffness=20, damping=1, angle=0.4),
    ),
    "spring": ("spring", lambda m, d: m.spring("X", m["c"]["C"], m["b"]["Q"], force="20*(length - 1)**3 + 2*rate")),
    "spring by time": ("spring", lambda m, d: m.spring("X", m["c"]["C"], m["b"]["Q"], force="5*length*sin(t)")),
    "spring table": (
        "spring",
        lambda m, d: m.spring("X", m["c"]["C"], m["b"]["Q"], table=[(0.5, -10), (1, 0), (2, 20)], damping=1),
    ),
    "actuator": (
        "actuator",
        lambda m, d: m.actuator("X", joint="A", stiffness=5, damping=1, free=0.2, preload=2, motor="sin(t)*A.speed"),
    ),
    "actuator stops": (
        "actuator",
        lambda m, d: m.actuator("X", joint="S", stops=(-0.1, 0.3), stop_stiffness=500, stop_damping=0.3),
    ),
    "bushing": (
        "bushing",
        lambda m, d: m.bushing(
            "X",
            m["a"]["Q"],
            m["b"]["Q"],
            stiffness=(30, 40, 10) + (20, 15, 12) * (d == 3),
            damping=(1,) * (3 * (d - 1)),
        ),
    ),
    "law": (
        "law",
        lambda m, d: m.component(
            "forces",
            "law",
            "X",
            m.ground["U"],
            m["b"]["Q"],
            force="5*(length - 0.5) + rate + 3*(length - s)",
            states={"s": 0.4},
            rates={"s": "length - s"},
        ),
    ),
    "law of a mount": (
        "law",
        lambda m, d: m.component(
            "forces",
            "law",
            "X",
            m["a"]["Q"],
            m["b"]["Q"],
            vector=[f"-{n}**3 - v{n}" for n in "xyz"[:d]],
            couple="-2*angle" if d == 2 else ("-rx", "-2*ry", 0),
        ),
    ),
    "rope": ("rope", lambda m, d: m.rope("X", m.ground["U"], m["b"]["Q"], length=1.4, stiffness=200, damping=0.2)),
    "stop": ("stop", lambda m, d: m.stop("X", joint="A", below=-1.0, stiffness=300, damping=0.2)),
    "friction of a pin": (
        "friction",
        lambda m, d: m.friction(
            "X", joint="A", coefficient=0.2, radius=0.05, static=0.3, regular_speed=0.02, viscous=0.1
        ),
    ),
    "friction of a slide": (
        "friction",
        lambda m, d: m.friction("X", joint="S", coefficient=0.2, guide_length=0.3, preload=4, regular_speed=0.02),
    ),
    "line load": (
        "line-load",
        lambda m, d: m.line_load("X", m["a"]["P"], m["a"]["Q"], vector=("3*s", "-5*s**2 + t", 2)[:d], axes="body"),
    ),
    "attraction": (
        "attraction",
        lambda m, d: m.component("forces", "attraction", "X", m["a"]["Q"], m["c"]["C"], strength=3),
    ),
    "drag": ("drag", lambda m, d: m.drag("X", m["b"]["P"], m["b"]["Q"], quadratic=2, linear=1)),
    "follower force": ("follower-force", lambda m, d: m.follower_force("X", on=m["b"]["Q"], vector=(1, "2*t", 3)[:d])),
    "follower torque": (
        "follower-torque",
        lambda m, d: m.follower_torque("X", on=m["b"], torque="t" if d == 2 else (0.1, 0.2, "0.3*t")),
    ),
    "element": (
        "element",
        lambda m, d: (
            m.element("X", states={"y": 1}, inputs={"u": "A.angle"}, rates={"y": "u - y"}, outputs={"w": "2*y"}),
            m.actuator("Y", joint="A", motor="X.w"),
        ),
    ),
    "first order": (
        "first-order",
        lambda m, d: (
            m.first_order("X", input="A.angle", time_constant=0.1),
            m.actuator("Y", joint="A", motor="-5*X.output"),
        ),
    ),
    "second order": (
        "second-order",
        lambda m, d: (
            m.second_order("X", input="sin(t)", frequency=6, damping_ratio=0.7),
            m.motion("Y", joint="A", angle="X.output"),
        ),
    ),
    "transfer function": (
        "transfer-function",
        lambda m, d: (
            m.component("elements", "transfer-function", "X", input="A.angle", numerator=[3, 1], denominator=[1, 2, 5]),
            m.actuator("Y", joint="A", motor="-5*X.output"),
        ),
    ),
    "state space": (
        "linear-system",
        lambda m, d: (
            m.component(
                "elements",
                "linear-system",
                "X",
                inputs={"u": "A.angle", "w": "t"},
                A=[[-1, 2], [0, -3]],
                B=[[0, 1], [1, 0]],
                C=[[1, 1]],
                D=[[0.5, 0]],
            ),
            m.actuator("Y", joint="A", motor="-5*X.output"),
        ),
    ),
    "motor": (
        "dc-motor",
        lambda m, d: m.dc_motor("X", joint="A", voltage=12, resistance=1, inductance=0.01, constant=0.1, gear=10),
    ),
    "controller": (
        "pi-controller",
        lambda m, d: (
            m.pi_controller("X", target=-1, measured="A.angle", proportional=20, integral=5),
            m.actuator("Y", joint="A", motor="X.output", damping=1),
        ),
    ),
    "cylinder": ("hydraulic-cylinder", lambda m, d: m.hydraulic_cylinder("X", joint="S", **OIL)),
}


def test_no_type_is_missing() -> None:
    assert {kind for kind, _ in CASES.values()} == set(library.TYPES)


@pytest.mark.parametrize("dim", [2, 3], ids=["plane", "space"])
@pytest.mark.parametrize("case", CASES)
def test_balance_and_three_sets(case: str, dim: int) -> None:
    _, add = CASES[case]
    m = machine(dim)
    add(m, dim)
    runs = [jd.simulate(m, times=np.linspace(0, 1, 41), coordinates=c, **HOW) for c in SETS[dim]]
    plain = jd.simulate(machine(dim), times=np.linspace(0, 1, 41), **HOW)
    moved = [f"{b}.{c}" for b in "abc" for c in "xyz"[:dim]]
    for run in runs:
        assert run.status.ok
        e = run.energy
        parts = (e.kinetic, e.potential, e.dissipated, e.driven)
        scale = max(float(np.ptp(part)) for part in parts)
        assert np.ptp(e.total) < BALANCE * scale
        assert np.max(run.violation.position) < 1e-9
    for channel in moved:
        for run in runs[1:]:
            assert runs[0][channel] == pytest.approx(run[channel], abs=SAME)
    # It did something: the machine without it moves otherwise.
    assert max(np.max(np.abs(runs[0][c] - plain[c])) for c in moved) > 1e-3
