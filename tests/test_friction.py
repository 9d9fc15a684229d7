"""Dry friction in joints: sticking, sliding, stopping, pins, Stribeck, and what jams."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jourdain as jd

G = 9.81
TIGHT = {"rtol": 1e-10}


def incline(slope: float, v: float = 0.0, mass: float = 2.0) -> jd.Mechanism:
    """A block on a slope, its guide S along the slope; down is -x."""
    m = jd.Mechanism("incline", gravity=(0, -G))
    along = np.array([math.cos(slope), math.sin(slope)])
    where: dict[str, Any] = {"position": (0, 0), "angle": slope, "velocity": tuple(v * along)}
    block = m.body("block", mass=mass, inertia=1, points={"C": (0, 0)}, **where)
    m.prismatic("S", m.ground.point("O", (0, 0), angle=slope), block["C"])
    return m


@pytest.mark.parametrize("coordinates", ["angle", "natural", "relative"])
def test_sticks_on_a_gentle_slope(coordinates: str) -> None:
    """Below the angle of friction it creeps at the speed where tanh(v/v_r) = tan(slope)/mu, and no faster."""
    mu, slope, v_r = 0.5, math.atan(0.3), 1e-3
    m = incline(slope)
    m.friction("F", joint="S", coefficient=mu, regular_speed=v_r)
    run = jd.simulate(m, 2.0, coordinates=coordinates)
    creep = v_r * math.atanh(math.tan(slope) / mu)
    assert creep < v_r
    assert run["S.speed"][-1] == pytest.approx(-creep, rel=1e-4)
    # Explicit steps at their limit of stability leave some 1e-8 m/s of noise.
    assert np.max(np.abs(run["S.speed"])) <= creep * (1 + 1e-4)
    assert abs(run["S.displacement"][-1]) <= creep * 2.0 * (1 + 1e-4)
    assert run["F.force"][-1] == pytest.approx(2.0 * G * math.sin(slope), rel=1e-3)


def test_slides_on_a_steep_slope() -> None:
    """a = g (sin - mu cos), once faster than a few regular speeds; the delay till then is at most a few v_r / a."""
    mu, slope, v_r = 0.5, math.atan(0.8), 1e-4
    m = incline(slope)
    m.friction("F", joint="S", coefficient=mu, regular_speed=v_r)
    run = jd.simulate(m, 2.0, **TIGHT)
    a = G * (math.sin(slope) - mu * math.cos(slope))
    late = run.t > 0.1
    assert run["block.ax"][late] == pytest.approx(-a * math.cos(slope), rel=1e-7)
    # Until tanh is one, friction is less than mu N: the block gains at most the order of v_r on the closed form.
    assert run["S.speed"] == pytest.approx(-a * run.t, abs=5 * v_r)
    assert run["F.normal"] == pytest.approx(2.0 * G * math.cos(slope), rel=1e-9)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * run.energy.dissipated[-1])


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_stopping_distance(space: str) -> None:
    """v^2 / (2 mu g). The regularisation takes it further by some v_r^2 / (mu g), far below the bar."""
    mu, v, v_r = 0.4, 3.0, 1e-5
    if space == "planar":
        m = incline(0.0, v)
    else:
        m = jd.Mechanism("block", gravity=(0, 0, -G))
        axes = {"axis": (1, 0, 0)}
        block = m.body("block", mass=2, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(v, 0, 0))
        m.prismatic("S", m.ground.point("O", (0, 0, 0), **axes), block.point("C", (0, 0, 0), **axes))
    m.friction("F", joint="S", coefficient=mu, regular_speed=v_r)
    run = jd.simulate(m, 0.9, **TIGHT)
    assert run["S.displacement"][-1] == pytest.approx(v**2 / (2 * mu * G), rel=1e-4)
    assert abs(run["S.speed"][-1]) < 1e-9
    assert run.energy.dissipated[-1] == pytest.approx(0.5 * 2 * v**2, rel=1e-8)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_pin(space: str) -> None:
    """A balanced rotor of weight m g in its bearing: torque mu r m g against the rotation."""
    mu, r, mass, inertia, w = 0.2, 0.03, 5.0, 0.1, 20.0
    if space == "planar":
        m = jd.Mechanism("pin", gravity=(0, -G))
        body = m.body("rotor", mass=mass, inertia=inertia, position=(0, 0), spin=w, points={"C": (0, 0)})
        m.revolute("A", m.ground.point("O", (0, 0)), body["C"])
    else:
        m = jd.Mechanism("pin", gravity=(0, 0, -G))
        axes: dict[str, Any] = {"axis": (0, 1, 0)}
        full = (inertia, inertia, inertia)
        body = m.body("rotor", mass=mass, inertia=full, position=(0, 0, 0), spin=(0, w, 0))
        m.revolute("A", m.ground.point("O", (0, 0, 0), **axes), body.point("C", (0, 0, 0), **axes))
    m.friction("F", joint="A", coefficient=mu, radius=r)
    run = jd.simulate(m, 2.0, **TIGHT)
    torque = mu * r * mass * G
    assert run["F.torque"] == pytest.approx(-torque, rel=1e-9)
    assert run["A.speed"] == pytest.approx(w - torque / inertia * run.t, abs=1e-8)
    assert run["F.normal"] == pytest.approx(mass * G, rel=1e-9)


@pytest.mark.parametrize("speed", [1e-4, 3e-3, 1e-2, 0.05, 1.0])
def test_stribeck(speed: float) -> None:
    """Pulled at a constant speed: (mu_k + (mu_s - mu_k) exp(-(v/v_st)^2)) N tanh(v/v_r) + viscous v."""
    mu_k, mu_s, v_st, v_r, viscous = 0.2, 0.35, 1e-2, 1e-4, 3.0
    m = incline(0.0, speed)
    keys = {"stribeck_speed": v_st, "regular_speed": v_r, "viscous": viscous}
    m.friction("F", joint="S", coefficient=mu_k, static=mu_s, **keys)
    m.motion("pull", joint="S", speed=speed)
    run = jd.simulate(m, 0.1)
    mu = mu_k + (mu_s - mu_k) * math.exp(-((speed / v_st) ** 2))
    expected = mu * 2.0 * G * math.tanh(speed / v_r) + viscous * speed
    assert run["F.force"] == pytest.approx(-expected, rel=1e-8)
    assert run["pull.force"] == pytest.approx(expected, rel=1e-8)


def test_preload_and_guide_length() -> None:
    """A block pushed off the middle of its guide carries a couple: two forces at the guide's ends press it.

    Weight m g on the guide and a couple M: ends bear m g/2 +- M/l, both pressing: N = |m g/2 + M/l| + |m g/2 - M/l|.
    """
    mass, moment, length, mu, preload = 2.0, 10.0, 0.4, 0.25, 7.0
    m = incline(0.0, v=5.0, mass=mass)
    m.torque("tilt", on=m["block"], torque=moment)
    m.friction("F", joint="S", coefficient=mu, guide_length=length, preload=preload)
    run = jd.simulate(m, 0.3, **TIGHT)
    ends = abs(mass * G / 2 + moment / length) + abs(mass * G / 2 - moment / length)
    assert run["F.normal"] == pytest.approx(ends + preload, rel=1e-9)
    assert run["S.speed"] == pytest.approx(5.0 - mu * (ends + preload) / mass * run.t, abs=1e-8)


FRICTION_SETS = ["angle", "natural", "relative"]


@pytest.mark.parametrize("coordinates", FRICTION_SETS)
def test_four_bar_balance(coordinates: str) -> None:
    """Friction in all four pins of a four-bar, and the reactions depend on it: the energy balance holds."""
    m = jd.Mechanism("four-bar", gravity=(0, -G))
    places = {"A": (0.0, 0.0), "B": (0.3, 0.4), "C": (1.4, 0.9), "D": (1.5, 0.0)}

    def link(name: str, p: str, q: str, mass: float, **start: Any) -> None:
        a, b = np.array(places[p]), np.array(places[q])
        length = float(np.linalg.norm(b - a))
        angle = math.atan2(*(b - a)[::-1])
        points = {p: (-length / 2, 0), q: (length / 2, 0)}
        m.body(
            name, mass=mass, inertia=mass * length**2 / 12, position=(a + b) / 2, angle=angle, points=points, **start
        )

    link("crank", "A", "B", 2.0, spin=12.0)
    link("coupler", "B", "C", 3.0)
    link("rocker", "D", "C", 2.5)
    m.revolute("A", m.ground.point("A", places["A"]), m["crank"]["A"])
    m.revolute("B", m["crank"]["B"], m["coupler"]["B"])
    m.revolute("C", m["coupler"]["C"], m["rocker"]["C"])
    m.revolute("D", m.ground.point("D", places["D"]), m["rocker"]["D"])
    for joint in "ABCD":
        m.friction(f"F{joint}", joint=joint, coefficient=0.15, radius=0.02, regular_speed=1e-3)
    run = jd.simulate(m, 2.0, coordinates=coordinates, **TIGHT)
    assert run.status.ok
    lost = run.energy.dissipated
    assert lost[-1] > 1.0
    assert np.min(np.diff(lost)) > -1e-12
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * np.max(run.energy.kinetic) + 1e-7)
    for joint in "ABCD":
        normal = np.hypot(run[f"{joint}.fx"], run[f"{joint}.fy"])
        assert run[f"F{joint}.normal"] == pytest.approx(normal, rel=1e-10)
        expected = -0.15 * 0.02 * normal * np.tanh(0.02 * run[f"{joint}.speed"] / 1e-3)
        assert run[f"F{joint}.torque"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def slider_crank(r: float, start: float) -> jd.Mechanism:
    """Crank r, rod 1 m of 2 kg, slider of 3 kg on a guide along x, drawn at crank angle `start`."""
    m = jd.Mechanism("slider-crank", gravity=(0, -G))
    beta = -math.asin(r * math.sin(start))
    bx, by = r * math.cos(start), r * math.sin(start)
    crank = m.body("crank", mass=1, inertia=r**2 / 12, position=(bx / 2, by / 2), angle=start)
    at = (bx + math.cos(beta) / 2, by + math.sin(beta) / 2)
    rod = m.body("rod", mass=2, inertia=2 / 12, position=at, angle=beta)
    slider = m.body("slider", mass=3, inertia=1, position=(bx + math.cos(beta), 0), angle=0)
    m.revolute("A", m.ground.point("O", (0, 0)), crank.point("A", (-r / 2, 0)))
    m.revolute("B", crank.point("B", (r / 2, 0)), rod.point("B", (-0.5, 0)))
    m.revolute("C", rod.point("C", (0.5, 0)), slider.point("C", (0, 0)))
    m.prismatic("S", m.ground["O"], slider["C"])
    return m


@pytest.mark.parametrize("coordinates", FRICTION_SETS)
def test_driven_slider_crank(coordinates: str) -> None:
    """Friction by a reaction that friction changes, the motion prescribed: Newton and Euler for rod and slider.

    About B the rod gives the pin force at C in terms of the friction F, so N = a + b F; and F = -mu |N| sign(v).
    """
    r, mu, w = 0.5, 0.7, 8.0
    m = slider_crank(r, 0.3)
    m.motion("drive", joint="A", angle=f"0.3 + {w}*t")
    m.friction("F", joint="S", coefficient=mu, regular_speed=1e-6)
    run = jd.simulate(m, times=np.linspace(0, 0.8, 81), coordinates=coordinates, **TIGHT)
    theta = 0.3 + w * run.t
    beta = -np.arcsin(r * np.sin(theta))
    b1 = -r * w * np.cos(theta) / np.cos(beta)
    b2 = (r * w**2 * np.sin(theta) + np.sin(beta) * b1**2) / np.cos(beta)
    # Accelerations of B, of the rod's centre and of the slider, as complex numbers.
    u = np.exp(1j * beta)
    a_b = -r * w**2 * np.exp(1j * theta)
    a_rod, a_slider = a_b + (1j * b2 - b1**2) * u / 2, np.real(a_b + (1j * b2 - b1**2) * u)
    speed = np.real(1j * r * w * np.exp(1j * theta) + 1j * b1 * u)
    # Moment about B: cos Cy - sin Cx - m g cos/2 = I b2 + m (u/2) x a_rod, with Cx = F - 3 a_slider on the rod.
    moment = 2 / 12 * b2 + 2 * np.imag(np.conj(u / 2) * a_rod) + 2 * G * np.cos(beta) / 2
    a = 3 * G + (moment - np.sin(beta) * 3 * a_slider) / np.cos(beta)
    b = np.tan(beta)
    s = -mu * np.sign(speed)
    normal = np.where(a / (1 - b * s) > 0, a / (1 - b * s), a / (1 + b * s))
    force = s * np.abs(normal)
    clear = np.abs(speed) > 0.1  # of the dead centres, where friction changes sign within 1e-6 m/s
    assert run["F.force"][clear] == pytest.approx(force[clear], rel=1e-9)
    assert run["S.fy"][clear] == pytest.approx(normal[clear], rel=1e-9)
    # Power at the crank: what friction takes comes on top of the frictionless torque.
    free = slider_crank(r, 0.3)
    free.motion("drive", joint="A", angle=f"0.3 + {w}*t")
    torque = jd.simulate(free, times=run.t)["drive.torque"] - force * speed / w
    assert run["drive.torque"][clear] == pytest.approx(torque[clear], rel=1e-8)
    assert np.max(np.abs(mu * b)) > 0.3  # it does feed back


@pytest.mark.parametrize("mu", [1.0, 2.0])
def test_jamming_is_told(mu: float) -> None:
    """Pushed by a rod steeper than the angle of friction, tan = 1/mu, a slider jams; a run says so, where it happens.

    Up to there the guide's force grows without bound, and the friction is right.
    """
    m = slider_crank(0.9, 2.8)
    m.motion("drive", joint="A", angle="2.8 - 2*t")
    m.friction("F", joint="S", coefficient=mu)
    with pytest.warns(jd.SimulationWarning, match="a joint with friction may jam here"):
        run = jd.simulate(m, times=np.linspace(0, 1, 1001))
    angle = abs(run["rod.angle"][-1])
    # The last sample is at most 1 ms before the jam, in which the rod turns by less than 2 mrad.
    assert math.atan(1 / mu) - 4e-3 < angle < math.atan(1 / mu)
    assert run["F.normal"][-1] > 10 * run["F.normal"][0]


def test_self_locking_holds() -> None:
    """With a torque instead of a prescribed motion the jammed slider stays where it is, within the regular speed."""
    m = slider_crank(0.9, 2.2)
    m.torque("motor", on=m["crank"], torque=-30)
    m.friction("F", joint="S", coefficient=2.0)
    run = jd.simulate(m, 0.5, rtol=1e-7)
    assert run.status.ok
    assert abs(run["rod.angle"][0]) > math.atan(1 / 2.0)
    assert np.max(np.abs(run["S.speed"])) < 1e-3


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "radius in a slide": ({"joint": "S", "coefficient": 0.1, "radius": 0.1}, "radius does nothing in a prismatic"),
    "negative": ({"joint": "S", "coefficient": -0.1}, "coefficient is -0.1; expected zero or a positive number"),
    "static below": ({"joint": "S", "coefficient": 0.3, "static": 0.2}, "less than the coefficient"),
}


@pytest.mark.parametrize(("keys", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(keys: dict[str, Any], words: str) -> None:
    m = incline(0.1)
    m.friction("F", **keys)
    with pytest.raises(jd.MechanismError, match=words):
        jd.simulate(m, 1.0)
