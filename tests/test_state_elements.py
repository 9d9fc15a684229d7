"""Elements with states: controllers, filters, motors, cylinders and a user's own, against independent ODEs."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd

G = 9.81
TIGHT = {"rtol": 1e-11}


def by_scipy(rates: Any, start: Any, t: Any) -> Any:
    found = solve_ivp(rates, (t[0], t[-1]), start, t_eval=t, rtol=1e-12, atol=1e-13, method="DOP853")
    assert found.success
    return found.y


def pendulum(angle: float = 0.3, spin: float = 0.0) -> jd.Mechanism:
    """A bar of 2 kg and 1 m hung at its end; A.angle is from the downward vertical."""
    m = jd.Mechanism("pendulum", gravity=(0, -G))
    turned = angle - math.pi / 2
    at = (0.5 * math.cos(turned), 0.5 * math.sin(turned))
    body = m.body("bar", mass=2, inertia=2 / 12, position=at, angle=turned, spin=spin, points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("O", (0, 0), angle=-math.pi / 2), body["A"])
    return m


INERTIA, WEIGHT = 2 / 3, 2 * G * 0.5  # of the pendulum about its pin


@pytest.mark.parametrize("limits", [None, (-6.0, 6.0)])
@pytest.mark.parametrize("coordinates", ["angle", "natural"])
def test_pi_controlled_pendulum(limits: Any, coordinates: str) -> None:
    """PI action on the angle and a damper; with limits the integral is drawn back by what was cut off."""
    kp, ki, target = 30.0, 12.0, 1.0
    m = pendulum()
    keys = {} if limits is None else {"limits": limits}
    m.pi_controller("hold", target=target, measured="A.angle", proportional=kp, integral=ki, **keys)
    m.actuator("motor", joint="A", motor="hold.output", damping=1.5)
    run = jd.simulate(m, 4.0, coordinates=coordinates, **TIGHT)

    def rates(_: float, y: Any) -> Any:
        error = target - y[0]
        wanted = kp * error + y[2]
        output = wanted if limits is None else min(max(wanted, limits[0]), limits[1])
        back = 0.0 if limits is None else (output - wanted) / (kp / ki)
        return [y[1], (-WEIGHT * math.sin(y[0]) - 1.5 * y[1] + output) / INERTIA, ki * error + back]

    found = by_scipy(rates, [0.3, 0, 0], run.t)
    # The kinks at the limits cost both integrators some digits.
    bar = 1e-8 if limits is None else 1e-7
    assert run["A.angle"] == pytest.approx(found[0], abs=bar)
    assert run["A.speed"] == pytest.approx(found[1], abs=10 * bar)
    assert run["hold.sum"] == pytest.approx(found[2], abs=10 * bar)
    assert run["hold.error"] == pytest.approx(target - found[0], abs=bar)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=10 * bar)


FOUR_BAR = {"a": 0.3, "b": 1.1, "c": 0.8, "d": 1.0}
MASSES = (1.0, 2.0, 1.5)


def four_bar(theta: float) -> jd.Mechanism:
    a, b, c, d = FOUR_BAR.values()
    B = a * np.array([math.cos(theta), math.sin(theta)])
    C = B + b * np.array([math.cos(coupler_angle(theta)), math.sin(coupler_angle(theta))])
    m = jd.Mechanism("four-bar", gravity=(0, -G))
    ends = {"crank": ((0, 0), B), "coupler": (B, C), "rocker": ((d, 0), C)}
    for (name, (p, q)), mass in zip(ends.items(), MASSES, strict=True):
        p, q = np.array(p, dtype=float), np.array(q, dtype=float)
        length = float(np.linalg.norm(q - p))
        angle = math.atan2(q[1] - p[1], q[0] - p[0])
        points = {"P": (-length / 2, 0), "Q": (length / 2, 0)}
        m.body(name, mass=mass, inertia=mass * length**2 / 12, position=(p + q) / 2, angle=angle, points=points)
    m.revolute("A", m.ground.point("A", (0, 0)), m["crank"]["P"])
    m.revolute("B", m["crank"]["Q"], m["coupler"]["P"])
    m.revolute("C", m["coupler"]["Q"], m["rocker"]["Q"])
    m.revolute("D", m.ground.point("D", (d, 0)), m["rocker"]["P"])
    assert abs(np.linalg.norm(C - (d, 0)) - c) < 1e-12
    return m


def coupler_angle(theta: Any) -> Any:
    """By Freudenstein's triangle: the angle of the coupler of the open branch."""
    a, b, c, d = FOUR_BAR.values()
    dx, dy = d - a * np.cos(theta), -a * np.sin(theta)
    e = np.sqrt(dx * dx + dy * dy)
    return np.arctan2(dy, dx) + np.arccos((e * e + b * b - c * c) / (2 * e * b))


def reduced(theta: Any) -> tuple[Any, Any, Any]:
    """J(theta), its slope and the slope of V of the four-bar, by hand: velocities per radian of the crank."""
    a, b, c, d = FOUR_BAR.values()
    m1, m2, m3 = MASSES
    phi = coupler_angle(theta)
    psi = np.arctan2(a * np.sin(theta) + b * np.sin(phi), a * np.cos(theta) + b * np.cos(phi) - d)
    # a e^(i theta) + b e^(i phi) = d + c e^(i psi), differentiated once and twice by theta.
    p1 = a * np.sin(psi - theta) / (b * np.sin(phi - psi))
    s1 = a * np.sin(phi - theta) / (c * np.sin(phi - psi))
    right = -a * np.exp(1j * theta) - b * p1**2 * np.exp(1j * phi) + c * s1**2 * np.exp(1j * psi)
    u = 1j * right
    p2 = np.imag(u * np.exp(-1j * psi)) / (b * np.sin(phi - psi))
    s2 = np.imag(u * np.exp(-1j * phi)) / (c * np.sin(phi - psi))
    v = 1j * a * np.exp(1j * theta) + 1j * b / 2 * p1 * np.exp(1j * phi)  # of the coupler's centre
    v2 = -a * np.exp(1j * theta) + b / 2 * (1j * p2 - p1**2) * np.exp(1j * phi)
    I1, I2, I3 = m1 * a * a / 3, m2 * b * b / 12, m3 * c * c / 3
    J = I1 + m2 * abs(v) ** 2 + I2 * p1**2 + I3 * s1**2
    slope = 2 * m2 * np.real(np.conj(v) * v2) + 2 * I2 * p1 * p2 + 2 * I3 * s1 * s2
    V1 = G * (m1 * a / 2 * np.cos(theta) + m2 * v.imag + m3 * c / 2 * np.cos(psi) * s1)
    return J, slope, V1


def test_reduction_is_right() -> None:
    """The slopes by hand against central differences (h^2 and eps/h: 1e-8), so that a wrong oracle proves nothing."""
    theta, h = np.linspace(0, 6, 13), 1e-5
    _, slope, _ = reduced(theta)
    assert slope == pytest.approx((reduced(theta + h)[0] - reduced(theta - h)[0]) / (2 * h), abs=1e-8)
    a, b = FOUR_BAR["a"], FOUR_BAR["b"]

    def height(x: Any) -> Any:
        phi = coupler_angle(x)
        y_c = a * np.sin(x) + b * np.sin(phi)
        rest = MASSES[1] * (a * np.sin(x) + b / 2 * np.sin(phi)) + MASSES[2] * y_c / 2
        return G * (MASSES[0] * a / 2 * np.sin(x) + rest)

    assert reduced(theta)[2] == pytest.approx((height(theta + h) - height(theta - h)) / (2 * h), abs=1e-7)


@pytest.mark.parametrize("inductance", [0.0, 5e-3])
def test_dc_motor_drives_a_four_bar(inductance: float) -> None:
    """J theta'' + J'/2 theta'^2 + V' = gear K i, with L i' = U - R i - K gear theta'."""
    volts, ohms, constant, gear, start = 24.0, 0.8, 0.1, 12.0, 0.9
    m = four_bar(start)
    keys = {"inductance": inductance} if inductance else {}
    m.dc_motor("motor", joint="A", voltage=volts, resistance=ohms, constant=constant, gear=gear, **keys)
    run = jd.simulate(m, 2.0, **TIGHT)

    def rates(_: float, y: Any) -> Any:
        J, slope, V1 = (float(x) for x in reduced(y[0]))
        current = y[2] if inductance else (volts - constant * gear * y[1]) / ohms
        growth = (gear * constant * current - 0.5 * slope * y[1] ** 2 - V1) / J
        change = (volts - ohms * y[2] - constant * gear * y[1]) / inductance if inductance else 0.0
        return [y[1], growth, change]

    found = by_scipy(rates, [start, 0, 0], run.t)
    assert run["A.angle"] == pytest.approx(found[0], abs=1e-7)
    assert run["A.speed"] == pytest.approx(found[1], abs=1e-6)
    current = found[2] if inductance else (volts - constant * gear * found[1]) / ohms
    assert run["motor.current"] == pytest.approx(current, abs=1e-6)
    assert run["motor.torque"] == pytest.approx(gear * constant * current, abs=1e-6)
    assert run["motor.power"] == pytest.approx(volts * current, abs=1e-4)
    assert found[0][-1] > 2 * math.pi  # it goes round
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * run.energy.driven[-1])


def free_block(v: float = 0.0) -> jd.Mechanism:
    m = jd.Mechanism("block")
    block = m.body("block", mass=50, inertia=1, position=(0, 0), angle=0, velocity=(v, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    return m


def test_first_order() -> None:
    """A lag of a ramp, T y' + y = K c t from y0: K c (t - T) + (y0 + K c T) exp(-t/T)."""
    m = free_block(v=0.5)
    m.first_order("lag", input="block.x", time_constant=0.2, gain=3, start=1.0)
    run = jd.simulate(m, 2.0, **TIGHT)
    T, kc = 0.2, 3 * 0.5
    assert run["lag.output"] == pytest.approx(kc * (run.t - T) + (1 + kc * T) * np.exp(-run.t / T), abs=1e-9)


@pytest.mark.parametrize("zeta", [0.2, 1.0, 2.0])
def test_second_order(zeta: float) -> None:
    """y'' + 2 zeta w y' + w^2 y = K w^2 u, by scipy."""
    m = free_block()
    m.second_order("servo", input="sin(3*t)", frequency=8, damping_ratio=zeta, gain=2, start=0.5)
    run = jd.simulate(m, 3.0, **TIGHT)

    def rates(t: float, y: Any) -> Any:
        return [y[1], 64 * (2 * math.sin(3 * t) - y[0]) - 16 * zeta * y[1]]

    found = by_scipy(rates, [0.5, 0], run.t)
    assert run["servo.output"] == pytest.approx(found[0], abs=1e-8)
    assert run["servo.rate"] == pytest.approx(found[1], abs=1e-7)


@pytest.mark.parametrize("on", ["joint", "between"])
def test_hydraulic_cylinder(on: str) -> None:
    """Two chambers, a pulse of flow and leakage, a mass: scipy on the four states."""
    a1, a2, v1, v2, beta, leak = 2e-3, 1.2e-3, 4e-4, 5e-4, 1.0e9, 2e-12
    m = free_block()
    oil: dict[str, Any] = {"areas": (a1, a2), "volumes": (v1, v2), "pressures": (3e5, 5e5), "bulk_modulus": beta}
    oil |= {"flows": ("1e-4*sin(5*t)", "-2e-11*p2"), "leakage": leak}
    if on == "joint":
        m.hydraulic_cylinder("jack", joint="S", **oil)
    else:
        m.hydraulic_cylinder("jack", m.ground.point("far", (-2, 0)), m["block"]["C"], reference=2, **oil)
    run = jd.simulate(m, 0.5, **TIGHT)

    def rates(t: float, y: Any) -> Any:
        x, v, p1, p2 = y
        q1, q2, lost = 1e-4 * math.sin(5 * t), -2e-11 * p2, leak * (p1 - p2)
        return [
            v,
            (a1 * p1 - a2 * p2) / 50,
            beta * (q1 - a1 * v - lost) / (v1 + a1 * x),
            beta * (q2 + a2 * v + lost) / (v2 - a2 * x),
        ]

    found = by_scipy(rates, [0, 0, 3e5, 5e5], run.t)
    assert run["block.x"] == pytest.approx(found[0], abs=1e-8)
    assert run["jack.p1"] == pytest.approx(found[2], rel=1e-7)
    assert run["jack.p2"] == pytest.approx(found[3], rel=1e-7)
    assert run["jack.force"] == pytest.approx(a1 * found[2] - a2 * found[3], abs=1e-4)
    assert run["jack.v1"] == pytest.approx(v1 + a1 * found[0], rel=1e-9)


# A user's own -------------------------------------------------------------------------------------------------------


def plain_rates(state: Any, inputs: Any) -> Any:
    x, y = state
    (u,) = inputs
    if x > 1e9:  # keeps it from being traced
        return (0.0, 0.0)
    return (y, 4 * (u - x) - y * abs(y))


def plain_outputs(state: Any, inputs: Any) -> Any:
    if inputs[0] > 1e9:
        return (0.0,)
    return (3 * state[0] - inputs[0],)


WRITTEN: dict[str, dict[str, Any]] = {
    "text": {"rates": {"x": "y", "y": "4*(u - x) - y*abs(y)"}, "outputs": {"w": "3*x - u"}},
    "traced": {
        "rates": lambda s, u: (s[1], 4 * (u[0] - s[0]) - s[1] * abs(s[1])),
        "outputs": lambda s, u: (3 * s[0] - u[0],),
        "output_names": ["w"],
    },
    "python": {"rates": plain_rates, "outputs": plain_outputs, "output_names": ["w"]},
    "numba": {"rates": numba.njit(plain_rates), "outputs": numba.njit(plain_outputs), "output_names": ["w"]},
}


@pytest.mark.parametrize("how", WRITTEN)
def test_own_element(how: str) -> None:
    """An element in the loop: it reads the pendulum's angle and drives it. All ways of writing it, against scipy."""
    m = pendulum(0.3, spin=1.0)
    m.element("own", states={"x": 0.2, "y": -0.1}, inputs={"u": "A.angle"}, **WRITTEN[how])
    m.actuator("motor", joint="A", motor="own.w")
    run = jd.simulate(m, 3.0, **TIGHT)

    def rates(_: float, s: Any) -> Any:
        angle, speed, x, y = s
        return [speed, (-WEIGHT * math.sin(angle) + 3 * x - angle) / INERTIA, y, 4 * (angle - x) - y * abs(y)]

    found = by_scipy(rates, [0.3, 1.0, 0.2, -0.1], run.t)
    assert run["A.angle"] == pytest.approx(found[0], abs=1e-8)
    assert run["own.x"] == pytest.approx(found[2], abs=1e-8)
    assert run["own.y"] == pytest.approx(found[3], abs=1e-7)
    assert run["own.w"] == pytest.approx(3 * found[2] - found[0], abs=1e-7)


@pytest.mark.parametrize("coordinates", ["angle", "natural"])
def test_continued_run(coordinates: str) -> None:
    """States of elements and turns of joints are in `run.state()`: two halves are the whole."""
    m = pendulum(0.3, spin=9.0)
    m.pi_controller("hold", target=20.0, measured="A.angle", proportional=3, integral=1, limits=(-25, 25))
    m.dc_motor("motor", joint="A", voltage="hold.output", resistance=1, inductance=0.02, constant=0.5, gear=3)
    t = np.linspace(0, 4, 41)
    how: dict[str, Any] = {"coordinates": coordinates, **TIGHT}
    whole = jd.simulate(m, times=t, **how)
    first = jd.simulate(m, times=t[:21], **how)
    state = first.state()
    assert {"hold", "motor"} <= set(state)
    second = jd.simulate(m, times=t[20:], state=state, **how)
    for channel in ("A.angle", "A.speed", "hold.sum", "motor.current"):
        joined = np.concatenate([first[channel], second[channel][1:]])
        assert joined == pytest.approx(whole[channel], abs=1e-7)
    assert np.max(whole["A.angle"]) > 2 * math.pi


def test_states_are_channels() -> None:
    m = pendulum()
    m.first_order("lag", input="A.angle", time_constant=0.2, start=0.7)
    run = jd.simulate(m, 1.0)
    assert "lag.output" in run.channels
    assert run["lag.output"][0] == 0.7


# Motions fed by elements --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", ["angle", "natural"])
@pytest.mark.parametrize("quantity", ["angle", "speed"])
def test_motion_fed_by_an_element(quantity: str, coordinates: str) -> None:
    """A servo's output prescribes an angle, or a speed: the pendulum does exactly that, and the torque is inverse.

    The output y of a second-order servo has y' = rate and y'' from its equation, so that an angle is possible too.
    """
    m = pendulum(0.0)
    m.second_order("servo", input="sin(t)", frequency=5, damping_ratio=0.8)
    m.motion("drive", joint="A", **{quantity: "servo.output"})
    run = jd.simulate(m, 3.0, coordinates=coordinates, **TIGHT)

    def rates(t: float, y: Any) -> Any:
        return [y[1], 25 * (math.sin(t) - y[0]) - 8 * y[1], y[0]]

    found = by_scipy(rates, [0, 0, 0], run.t)
    second = 25 * (np.sin(run.t) - found[0]) - 8 * found[1]
    angle, speed, growth = (found[0], found[1], second) if quantity == "angle" else (found[2], found[0], found[1])
    assert run["A.angle"] == pytest.approx(angle, abs=1e-8)
    assert run["A.speed"] == pytest.approx(speed, abs=1e-8)
    torque = INERTIA * growth + WEIGHT * np.sin(angle)
    assert run["drive.torque"] == pytest.approx(torque, abs=1e-6)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-7)


def test_motion_that_an_element_cannot_feed() -> None:
    """An angle needs two derivatives; an element that reads the acceleration the motion decides has none to give."""
    m = pendulum(0.0)
    m.first_order("lag", input="A.speed", time_constant=0.1)
    m.motion("drive", joint="A", angle="lag.output")
    with pytest.raises(jd.JourdainError, match="drive"):
        jd.simulate(m, 1.0)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "rate missing": ({"states": {"x": 0, "y": 0}, "rates": {"x": "1"}}, "the rate of state 'y' is missing"),
    "unknown state": ({"states": {"x": 0}, "rates": {"x": "1", "z": "1"}}, "there is no state 'z'"),
    "circle": ({"outputs": {"p": "q", "q": "p"}}, "is a circle"),
    "name twice": ({"states": {"x": 0}, "inputs": {"x": "t"}, "rates": {"x": "1"}}, "'x' is used twice"),
    "unknown channel": ({"states": {"x": 0}, "inputs": {"u": "B.angle"}, "rates": {"x": "u"}}, "'B'"),
}


@pytest.mark.parametrize(("keys", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(keys: dict[str, Any], words: str) -> None:
    m = pendulum()
    m.element("own", **keys)
    with pytest.raises(jd.MechanismError, match=words):
        jd.simulate(m, 1.0)
