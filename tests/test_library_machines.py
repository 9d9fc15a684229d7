"""Friction, loads along rods and elements with states, by the plain-Python value of their formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jourdain import library
from jourdain.equations.lowered import DRIVEN, Lowered
from jourdain.library import lowered
from jourdain.library.forces.friction import REGULAR_SPEED, SMALLEST_FORCE, STRIBECK_SPEED
from jourdain.library.mechanism_faults import part_faults
from library_cases import EXTRA, bench, blueprint, component, effort, low_of, made, pull
from oracle import World, slope

# Friction -----------------------------------------------------------------------------------------------------------


def test_friction_of_a_pin() -> None:
    low, world = made(lambda m: m.friction("f", joint="A", coefficient=0.2, static=0.3, radius=0.02))
    (e,) = low.efforts
    normal = math.hypot(30, -40)
    assert world(low.channels["normal"]) == pytest.approx(normal)
    fast = world(e.magnitude, along=0.0, rate=100.0)
    assert fast == pytest.approx(-0.2 * normal * 0.02)
    assert world(e.magnitude, along=0.0, rate=-100.0) == pytest.approx(-fast)
    v = STRIBECK_SPEED
    slow = world(e.magnitude, along=0.0, rate=v / 0.02)
    mu = 0.2 + 0.1 * math.exp(-1)
    assert slow == pytest.approx(-mu * normal * 0.02 * math.tanh(v / REGULAR_SPEED))
    world.extra |= {"A.fx": 0.0, "A.fy": 0.0}
    assert world(low.channels["normal"]) == pytest.approx(SMALLEST_FORCE)


def test_friction_of_a_pin_in_space_is_radial() -> None:
    low, world = made(lambda m: m.friction("f", joint="A", coefficient=0.2, radius=0.02, viscous=3), 3)
    # The ground's port O has the fixed axes, so that z carries no radial force.
    assert world(low.channels["normal"]) == pytest.approx(math.hypot(30, -40))
    magnitude = world(low.efforts[0].magnitude, along=0.0, rate=100.0)
    assert magnitude == pytest.approx(-0.2 * 50 * 0.02 - 300)


def test_friction_of_a_slider_and_its_guide() -> None:
    low, world = made(lambda m: m.friction("f", joint="S", coefficient=0.2, preload=4))
    across = 30 * -math.sin(0.3) - 40 * math.cos(0.3)
    assert world(low.channels["normal"]) == pytest.approx(abs(across) + 4)
    assert world(low.efforts[0].magnitude, along=0.0, rate=1.0) == pytest.approx(-0.2 * (abs(across) + 4))
    low, world = made(lambda m: m.friction("f", joint="S", coefficient=0.2, guide_length=0.01))
    # A short guide: the couple alone presses, 2 m / L.
    assert world(low.channels["normal"]) == pytest.approx(2 * 1.5 / 0.01)
    low, world = made(lambda m: m.friction("f", joint="S", coefficient=0.2, guide_length=100.0))
    assert world(low.channels["normal"]) == pytest.approx(abs(across))


def test_guide_in_space_balances_force_and_couple() -> None:
    low, world = made(lambda m: m.friction("f", joint="S", coefficient=0.2, guide_length=0.3), 3)
    z = np.array([0, 0, 1.0])
    F, m = np.array([30.0, -40.0, 12.0]), np.array([3.0, -2.0, 1.5])
    F, m = F - F @ z * z, m - m @ z * z
    # End forces at +-L/2 along z that make up F and m; solved, not derived.
    arm = 0.15
    A = np.block([[np.eye(3), np.eye(3)], [_cross(arm * z), _cross(-arm * z)]])
    ends = np.linalg.lstsq(A, np.concatenate([F, m]), rcond=None)[0]
    assert world(low.channels["normal"]) == pytest.approx(np.linalg.norm(ends[:3]) + np.linalg.norm(ends[3:]))


def _cross(v: Any) -> Any:
    """The matrix of v x ."""
    return np.array([np.cross(v, e) for e in np.eye(3)]).T


# Along a rod --------------------------------------------------------------------------------------------------------


def test_line_load_sums_to_the_closed_form() -> None:
    low, world = made(lambda m: m.line_load("snow", m["a"]["P"], m["a"]["Q"], vector=("6*s", "-500*s**2 + t")))
    ports = world.blueprint.body("a").ports
    a, b = np.array(ports["P"].at), np.array(ports["Q"].at)
    L = float(np.linalg.norm(b - a))
    forces = np.array([[world(f, 2.0) for f in load.vector] for load in low.loads])
    assert forces.sum(axis=0) == pytest.approx([3 * L, (-500 / 3 + 2) * L])
    # First moment about P along the rod: int s f ds.
    s = np.array([np.linalg.norm(np.array(load.at) - a) / L for load in low.loads])
    assert s @ forces == pytest.approx([2 * L, (-500 / 4 + 1) * L])
    assert world(low.channels["fy"], 2.0) == pytest.approx((-500 / 3 + 2) * L)


@pytest.mark.parametrize("dim", [2, 3])
def test_loads_in_body_axes_turn_with_the_body(dim: int) -> None:
    low, world = made(lambda m: m.follower_force("f", on=m["a"]["P"], vector=(1, "2*t", 3)[:dim]), dim)
    (load,) = low.loads
    expected = world.rotation("a", 0.5) @ np.array([1, 1, 3][:dim])
    assert [world(f, 0.5) for f in load.vector] == pytest.approx(expected)
    assert load.at == world.blueprint.body("a").ports["P"].at
    low, world = made(
        lambda m: m.line_load("f", m["a"]["P"], m["a"]["Q"], vector=(1, 2, 3)[:dim], axes="body", points=1), dim
    )
    ports = world.blueprint.body("a").ports
    L = np.linalg.norm(np.subtract(ports["P"].at, ports["Q"].at))
    expected = world.rotation("a", 0.5) @ np.array([1, 2, 3][:dim]) * L
    assert [world(f, 0.5) for f in low.loads[0].vector] == pytest.approx(expected)


def test_follower_torque() -> None:
    low, world = made(lambda m: m.follower_torque("f", on=m["a"], torque=(1, 2, "3*t")), 3)
    assert [world(f, 0.5) for f in low.couples[0].vector] == pytest.approx(world.rotation("a", 0.5) @ [1, 2, 1.5])
    low, world = made(lambda m: m.follower_torque("f", on=m["a"], torque="3*t"))
    assert [world(f, 0.5) for f in low.couples[0].vector] == [1.5]


@pytest.mark.parametrize("dim", [2, 3])
def test_drag_of_a_turning_rod(dim: int) -> None:
    """About its end a rod has the drag moment c w |w| L^4 / 4 + d w L^3 / 3."""
    m = bench(dim)
    zero = (0.0,) * dim
    rod = m.body("rod", mass=1, inertia=1 if dim == 2 else (1, 1, 1), points={"E": zero, "F": (2.0, *zero[1:])})
    m.drag("water", rod["E"], rod["F"], quadratic=40, linear=6)
    b = m.frozen()
    world = World(b)
    p, v, turn, spin = world.paths["rod"]
    w = -3.0
    world.paths["rod"] = (p, 0 * v, 0 * turn, np.array([w] if dim == 2 else [0, 0, w]))
    low = lowered(component(b, "water"), b)
    moment = sum(load.at[0] * world(load.vector[1]) for load in low.loads)
    assert moment == pytest.approx(-40 * w * abs(w) * 2**4 / 4 - 6 * w * 2**3 / 3)
    world.paths["rod"] = (p, np.array([5.0, *zero[1:]]), 0 * turn, 0 * spin)  # along itself: none
    assert abs(world(low.channels["fx"])) < 1e-12


# Elements -----------------------------------------------------------------------------------------------------------


def states(low: Lowered) -> dict[str, Any]:
    return {name: rate for name, _, rate in low.states}


def test_local_names_come_before_parameters() -> None:
    low, world = made(
        lambda m: m.element(
            "e",
            states={"k": 3, "v": "kick"},
            inputs={"u": "A.angle + kick"},
            rates={"k": "v - u*k", "v": "twice + t"},
            outputs={"more": "twice + 1", "twice": "2*k"},
        )
    )
    world.extra |= {"e.k": 5.0, "e.v": 7.0}
    u = world.value("A.angle", 0.5) + 0.5
    assert [start for _, start, _ in low.states] == [3.0, 0.5]
    assert world(states(low)["k"], 0.5) == pytest.approx(7 - 5 * u)
    assert world(states(low)["v"], 0.5) == 10.5
    assert (world(low.channels["twice"]), world(low.channels["more"])) == (10.0, 11.0)


SCALE = 2.0


def pure_rates(state: Any, inputs: Any) -> Any:
    return [state[1], -math.sin(state[0]) + inputs[0]]


def scaled_outputs(state: Any, inputs: Any) -> Any:
    return SCALE * state[0], state[1] + inputs[0]


def test_element_by_functions() -> None:
    low, world = made(
        lambda m: m.element(
            "e",
            states={"x": 0, "v": 0},
            inputs={"u": "A.angle"},
            rates=pure_rates,
            outputs=scaled_outputs,
            output_names=["first", "second"],
        )
    )
    world.extra |= {"e.x": 0.3, "e.v": 0.4}
    u = world.value("A.angle", 0.0)
    assert [world(rate) for rate in states(low).values()] == pytest.approx([0.4, -math.sin(0.3) + u])
    assert [world(f) for f in low.channels.values()] == pytest.approx([0.6, 0.4 + u])
    # What reads a variable is called, since the variable may change; the other became a formula.
    assert any(node.op == "call" for node in low.channels["first"].nodes())
    assert not any(node.op == "call" for node in states(low)["v"].nodes())


def settled(low: Lowered, world: World, name: str, duration: float, step: float) -> dict[str, float]:
    """States after a while, by Euler's method, which is exact where nothing changes any more."""
    now = {state: start for state, start, _ in low.states}
    for _ in range(int(duration / step)):
        world.extra |= {f"{name}.{state}": value for state, value in now.items()}
        now = {state: now[state] + step * world(rate) for state, _, rate in low.states}
    return now


def test_lags_settle_at_gain_times_input() -> None:
    low, world = made(lambda m: m.first_order("e", input=2, time_constant=0.1, gain=3, start=-1))
    assert low.states[0][1] == -1.0
    assert settled(low, world, "e", 4.0, 0.01)["output"] == pytest.approx(6.0)
    world.extra["e.output"] = 0.0
    assert world(states(low)["output"]) == pytest.approx(60.0)
    low, world = made(lambda m: m.second_order("e", input=2, frequency=20, damping_ratio=0.5, gain=3))
    assert settled(low, world, "e", 8.0, 0.002) == pytest.approx({"output": 6.0, "rate": 0.0}, abs=1e-9)
    world.extra |= {"e.output": 0.0, "e.rate": 1.0}
    assert world(states(low)["rate"]) == pytest.approx(400 * 6 - 2 * 0.5 * 20)


MOTOR: dict[str, Any] = {"joint": "A", "voltage": 12, "resistance": 2, "constant": 0.05, "gear": 30}


def test_dc_motor() -> None:
    low, world = made(lambda m: m.dc_motor("e", inductance=0.01, **MOTOR))
    (e,) = low.efforts
    assert e.account == DRIVEN
    world.extra["A.speed"] = 2.0
    current = settled(low, world, "e", 0.5, 1e-3)["current"]
    assert current == pytest.approx((12 - 0.05 * 30 * 2) / 2)
    assert world(e.magnitude) == pytest.approx(0.05 * 30 * current)
    # Settled, electric power is heat and mechanical power.
    assert world(low.channels["power"]) == pytest.approx(2 * current**2 + world(e.magnitude) * 2.0)
    world.extra |= {"A.speed": 12 / (0.05 * 30), "e.current": 0.0}  # runs free where the back-emf is the voltage
    assert world(states(low)["current"]) == pytest.approx(0.0, abs=1e-12)


def test_dc_motor_without_inductance() -> None:
    low, world = made(lambda m: m.dc_motor("e", back_emf=0.1, **MOTOR))
    world.extra["A.speed"] = 2.0
    assert low.states == ()
    assert world(low.channels["current"]) == pytest.approx((12 - 0.1 * 60) / 2)


def test_pi_controller() -> None:
    low, world = made(lambda m: m.pi_controller("e", target=3, measured="k/20", proportional=4, integral=8, start=1))
    world.extra["e.sum"] = 1.0
    assert low.states[0][:2] == ("sum", 1.0)
    assert world(low.channels["error"]) == 1.0
    assert world(low.channels["output"]) == 5.0
    assert world(states(low)["sum"]) == 8.0
    low, world = made(
        lambda m: m.pi_controller("e", target=3, measured=2, proportional=4, integral=8, limits=(-2, 2), start=1)
    )
    world.extra["e.sum"] = 1.0
    assert world(low.channels["output"]) == 2.0
    assert world(states(low)["sum"]) == pytest.approx(8 + (2 - 5) / 0.5)
    # Held at its limit the integral does not wind up: it rests where the wanted output is a little beyond.
    assert settled(low, world, "e", 20.0, 0.01)["sum"] == pytest.approx(2 - 4 + 8 * 0.5)


@pytest.mark.parametrize("name", ["jack", "ram"])
@pytest.mark.parametrize("dim", [2, 3])
def test_hydraulic_mass_balance(dim: int, name: str) -> None:
    """What flows in either makes a chamber larger or is pressed into it, and leaks from one into the other."""
    low, world = low_of(dim, name), World(blueprint(dim), 1, dict(EXTRA))
    p1, p2 = (EXTRA[f"{name}.p{k}"] for k in (1, 2))
    leaked = 1e-12 * (p1 - p2)
    for k, sign in ((1, 1), (2, -1)):
        volume = low.channels[f"v{k}"]
        growth = slope(lambda when, f=volume: world(f, when), 0.4)
        pressed = world(volume, 0.4) * world(states(low)[f"p{k}"], 0.4) / 1e9
        flow = {1: 1e-4 * 0.4, 2: -1e-9 * p2}[k]
        assert growth + pressed == pytest.approx(flow - sign * leaked, rel=1e-7)
        assert world(low.channels[f"flow{k}"], 0.4) == pytest.approx(flow)
    (e,) = low.efforts
    assert effort(e, world)[2] == pytest.approx(2e-3 * p1 - 1e-3 * p2)
    assert [start for _, start, _ in low.states] == [2e5, 1e5]


# Forces with classes of their own -----------------------------------------------------------------------------------


def test_the_old_forces_are_lowered_too() -> None:
    m = bench(2)
    m.spring_damper("coil", m["a"]["P"], m["b"]["Q"], stiffness=100, damping=5, length=0.5)
    m.force("push", on=m["a"]["P"], vector=[lambda v, w: v + w, "2*t"], inputs=["a.vx", "a.spin"])
    m.force("pair", on=m["a"]["P"], vector=lambda v: (v, -v), inputs=["a.vx"])
    m.torque("twist", on=m["a"], torque=lambda t: 3 * t)
    b = m.frozen()
    assert part_faults(b) == []
    world = World(b)
    coil, push, pair, twist = (lowered(force, b) for force in b.forces)
    assert pull(coil, 0.7) == pytest.approx(-20.0)
    assert pull(coil, 0.5, rate=2.0) == pytest.approx(-10.0)
    vx, spin = world.value("a.vx", 0.0), world.value("a.spin", 0.0)
    assert [world(f, 0.5) for f in push.loads[0].vector] == pytest.approx([vx + spin, 1.0])
    assert [world(f) for f in pair.loads[0].vector] == pytest.approx([vx, -vx])
    assert world(twist.couples[0].vector[0], 0.5) == 1.5


def test_channels_that_use_each_other_are_written_out() -> None:
    b = blueprint(2)
    f = library.channel_formulas(b)["motor.voltage"]
    assert set(f.quantities()) == {"A.angle", "hold.sum"}
    assert f(0.0, {"A.angle": 0.9, "hold.sum": 3.0}.__getitem__) == pytest.approx(20 * 0.1 + 3)


def test_channels_of_a_component() -> None:
    b = blueprint(2)
    assert library.channels_of(component(b, "motor"), b) == [
        "motor.current",
        "motor.voltage",
        "motor.torque",
        "motor.power",
    ]
