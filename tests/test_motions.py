"""Driven joints and points as a user writes them, against closed forms."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd

FOLDER = Path(__file__).parent / "reference"
# Positions follow from the prescribed angle by Newton to rounding, rates and torque by linear solves; the reference
# has 13 digits of numbers up to 300, so that 1e-9 leaves two digits for condition.
BAR = 1e-9
R, L, OMEGA, G = 0.25, 1.0, 10.0, 9.81
TURN = 2 * math.pi / OMEGA
REFERENCE = {
    key: np.array(values)
    for key, values in json.loads((FOLDER / "P15_slidercrank_driven.json").read_text())["reference"].items()
}
TIMES = math.pi / 120 * np.arange(25)  # the file's, without its rounding to 13 digits


def slider_crank(start: float = 0.0) -> jd.Mechanism:
    """The crank of P15 without its motor, drawn at crank angle `start`."""
    m = jd.Mechanism("slider-crank", gravity=(0, -G))
    rod_angle = -math.asin(R / L * math.sin(start))
    bx, by = R * math.cos(start), R * math.sin(start)
    rod_at = (bx + L / 2 * math.cos(rod_angle), by + L / 2 * math.sin(rod_angle))
    crank = m.body("crank", mass=1, inertia=R**2 / 12, position=(bx / 2, by / 2), angle=start)
    rod = m.body("rod", mass=2, inertia=2 * L**2 / 12, position=rod_at, angle=rod_angle)
    slider = m.body("slider", mass=3, inertia=1, position=(bx + L * math.cos(rod_angle), 0), angle=0)
    m.revolute("A", m.ground.point("O", (0, 0)), crank.point("A", (-R / 2, 0)))
    m.revolute("B", crank.point("B", (R / 2, 0)), rod.point("B", (-L / 2, 0)))
    m.revolute("C", rod.point("C", (L / 2, 0)), slider.point("C", (0, 0)))
    m.prismatic("S", m.ground["O"], slider["C"])
    return m


def closed_form(theta: np.ndarray, rate: np.ndarray, growth: np.ndarray) -> dict[str, np.ndarray]:
    """The motion and the torque at the crank, by power: torque * rate = d(kinetic + potential)/dt."""
    beta = -np.arcsin(R / L * np.sin(theta))
    # Rates per radian of the crank (first and second), then the chain rule.
    b1 = -R * np.cos(theta) / (L * np.cos(beta))
    b2 = (R * np.sin(theta) / L + np.sin(beta) * b1**2) / np.cos(beta)
    x1 = -R * np.sin(theta) - L * np.sin(beta) * b1
    x2 = -R * np.cos(theta) - L * (np.cos(beta) * b1**2 + np.sin(beta) * b2)
    rod = np.stack([-R * np.sin(theta) - L / 2 * np.sin(beta) * b1, R * np.cos(theta) + L / 2 * np.cos(beta) * b1])
    rod2 = np.stack(
        [
            -R * np.cos(theta) - L / 2 * (np.cos(beta) * b1**2 + np.sin(beta) * b2),
            -R * np.sin(theta) + L / 2 * (-np.sin(beta) * b1**2 + np.cos(beta) * b2),
        ]
    )
    inertia = R**2 / 12 + R**2 / 4 + 2 * np.sum(rod**2, axis=0) + 2 * L**2 / 12 * b1**2 + 3 * x1**2
    slope = 4 * np.sum(rod * rod2, axis=0) + 4 * L**2 / 12 * b1 * b2 + 6 * x1 * x2
    weight = G * (R / 2 * np.cos(theta) + 2 * rod[1])
    return {
        "slider.x": R * np.cos(theta) + L * np.cos(beta),
        "slider.vx": x1 * rate,
        "slider.ax": x2 * rate**2 + x1 * growth,
        "rod.angle": beta,
        "rod.spin": b1 * rate,
        "rod.spin_rate": b2 * rate**2 + b1 * growth,
        "drive.torque": inertia * growth + 0.5 * slope * rate**2 + weight,
    }


def worst(run: jd.Solution, expected: dict[str, np.ndarray]) -> float:
    """Greatest difference, each channel of the size of its own greatest value or of 1."""
    return max(float(np.max(np.abs(run[key] - v)) / max(1.0, np.max(np.abs(v)))) for key, v in expected.items())


def test_closed_form_is_the_reference() -> None:
    """The formulas here and the file, made apart, agree to the digits of the file (13 of 300)."""
    found = closed_form(OMEGA * TIMES, OMEGA + 0 * TIMES, 0 * TIMES)
    names = {"slider.x": "slider_x", "slider.ax": "slider_x_dd", "rod.spin_rate": "rod_angle_dd"}
    for key, column in {**names, "drive.torque": "driver_torque"}.items():
        assert found[key] == pytest.approx(REFERENCE[column], abs=2e-10)


CHOICES: dict[str, dict[str, Any]] = {
    **{c: {"coordinates": c} for c in ("angle", "euler-parameters", "natural", "points")},
    "udwadia-kalaba": {"coordinates": "natural", "treatment": "udwadia-kalaba"},
    "nacf": {"recipe": "nacf"},
    "rk4": {"integrator": "rk4", "step": 1e-2},
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_driven_slider_crank(choice: dict[str, Any]) -> None:
    m = slider_crank()
    m.motion("drive", joint="A", angle="10*t")
    run = jd.simulate(m, times=TIMES, **choice)
    assert run.status.ok
    assert worst(run, closed_form(OMEGA * TIMES, OMEGA + 0 * TIMES, 0 * TIMES)) < BAR
    assert run["A.angle"] == pytest.approx(OMEGA * TIMES, abs=BAR)
    assert run["drive.torque"] == pytest.approx(REFERENCE["driver_torque"], abs=3e2 * BAR)


QUADRATIC = [(k / 4, 2 * (k / 4) ** 2 + k / 4) for k in range(9)]
SIGNALS: dict[str, Any] = {
    "formula": "2*t**2 + t",
    "function": lambda t: 2 * t**2 + t,
    "branching": lambda t: 2 * t**2 + t if t > -1 else 0 * t,
    "table": QUADRATIC,
}


@pytest.mark.parametrize("signal", SIGNALS.values(), ids=SIGNALS)
@pytest.mark.parametrize("coordinates", ["angle", "natural"])
def test_quadratic_angle(signal: Any, coordinates: str) -> None:
    """A spline reproduces a quadratic; so all four ways of writing it are the same motion."""
    m = slider_crank()
    m.motion("drive", joint="A", angle=signal)
    t = np.linspace(0, 2, 41)
    run = jd.simulate(m, times=t, coordinates=coordinates)
    assert worst(run, closed_form(2 * t**2 + t, 4 * t + 1, 4 + 0 * t)) < BAR


def test_dense_table() -> None:
    """A cubic spline through points h apart is wrong by at most 5/384 h^4 |f''''| (de Boor), its ends by more."""
    h = 1e-3
    s = h * np.arange(1001)
    m = slider_crank()
    m.motion("drive", joint="A", angle=np.stack([s, np.sin(3 * s)], axis=1))
    run = jd.simulate(m, times=np.linspace(0.1, 0.9, 9))
    assert run["A.angle"] == pytest.approx(np.sin(3 * run.t), abs=5 / 384 * h**4 * 81 + 1e-12)


@pytest.mark.parametrize(("speed", "theta"), [(10, lambda t: 10 * t), ("4*t + 1", lambda t: 2 * t**2 + t)])
def test_driven_speed(speed: Any, theta: Any) -> None:
    """A speed is integrated: the angle has the integrator's error (rtol 1e-9 a step), a few times over."""
    m = slider_crank()
    m.motion("drive", joint="A", speed=speed)
    t = np.linspace(0, 1, 21)
    run = jd.simulate(m, times=t, rtol=1e-11)
    rate, growth = (10 + 0 * t, 0 * t) if speed == 10 else (4 * t + 1, 4 + 0 * t)
    assert worst(run, closed_form(theta(t), rate, growth)) < BAR
    assert run["drive.power"] == pytest.approx(run["drive.torque"] * rate, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("coordinates", ["angle", "euler-parameters", "natural", "points"])
def test_slanted_slide(coordinates: str) -> None:
    """Nothing but the drive moves: rates that are zero up to 1e-160 must not upset the choice of steps."""
    m = jd.Mechanism("slide", gravity=(0, -G))
    block = m.body("block", mass=3, inertia=0.2, position=(3, 0), angle=-0.5, points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("U", (3, 0), angle=-0.5), block["C"])
    m.motion("push", joint="S", displacement="0.3*sin(2*t)")
    run = jd.simulate(m, 3.0, coordinates=coordinates)
    assert run["S.displacement"] == pytest.approx(0.3 * np.sin(2 * run.t), abs=1e-12)
    expected = 3 * (-1.2 * np.sin(2 * run.t) + G * math.sin(-0.5))
    assert run["push.force"] == pytest.approx(expected, abs=1e-9)


def test_driven_displacement() -> None:
    """The slider is driven along; force on it by the closed form of the crank: force * speed is the power."""
    m = slider_crank(start=1.0)
    theta0 = 1.0
    x0 = R * math.cos(theta0) + math.sqrt(L**2 - (R * math.sin(theta0)) ** 2)
    m.motion("push", joint="S", displacement=f"{x0!r} + 0.05*sin(3*t)")
    t = np.linspace(0, 2, 21)
    run = jd.simulate(m, times=t)
    x, v, a = x0 + 0.05 * np.sin(3 * t), 0.15 * np.cos(3 * t), -0.45 * np.sin(3 * t)
    # Law of cosines for the crank's angle; then torque at the crank by the closed form, transmitted by the slope.
    theta = np.arccos((x**2 + R**2 - L**2) / (2 * R * x))
    per = closed_form(theta, np.ones_like(t), np.zeros_like(t))
    rate = v / per["slider.vx"]
    growth = (a - per["slider.ax"] * rate**2) / per["slider.vx"]
    expected = closed_form(theta, rate, growth)
    force = expected.pop("drive.torque") / per["slider.vx"]
    assert worst(run, {**expected, "push.force": force, "A.angle": theta}) < BAR
    assert run["push.power"] == pytest.approx(force * v, abs=1e-9 * np.max(np.abs(force)))


def test_driven_point() -> None:
    """A free disc led along an ellipse by its centre: force = mass times acceleration, weight held."""
    m = jd.Mechanism("led", gravity=(0, -G))
    m.body("disc", mass=2, inertia=0.1, position=(1, 0), angle=0, spin=4, points={"C": (0, 0)})
    m.motion("lead", point=m["disc"]["C"], x="cos(3*t)", y="0.5*sin(3*t)")
    run = jd.simulate(m, 2.0, rtol=1e-11)  # the work is a quadrature outside the error control
    t = run.t
    assert run["disc.x"] == pytest.approx(np.cos(3 * t), abs=1e-12)
    assert run["disc.y"] == pytest.approx(0.5 * np.sin(3 * t), abs=1e-12)
    assert run["disc.angle"] == pytest.approx(4 * t, abs=BAR)
    assert run["lead.fx"] == pytest.approx(-18 * np.cos(3 * t), abs=BAR)
    assert run["lead.fy"] == pytest.approx(-9 * np.sin(3 * t) + 2 * G, abs=BAR)
    power = run["lead.fx"] * run["disc.vx"] + run["lead.fy"] * run["disc.vy"]
    assert run["lead.power"] == pytest.approx(power, abs=1e-9)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * G)


def test_driven_point_in_space() -> None:
    m = jd.Mechanism("led", gravity=(0, 0, -G))
    m.body("ball", mass=2, inertia=(1, 1, 1), position=(0, 0, 1), points={"C": (0, 0, 0)})
    m.motion("lift", point=m["ball"]["C"], z="1 + t**2")
    run = jd.simulate(m, 2.0)
    assert run["ball.z"] == pytest.approx(1 + run.t**2, abs=1e-12)
    assert run["lift.fz"] == pytest.approx(2 * (G + 2), abs=BAR)
    assert run["lift.force"] == pytest.approx(run["lift.fz"])


@pytest.mark.parametrize("coordinates", ["angle", "natural", "points"])
def test_fifty_turns(coordinates: str) -> None:
    """No turn is lost, and the last is as good as the first."""
    m = slider_crank()
    m.motion("drive", joint="A", angle="10*t")
    last = np.append(0.0, 49 * TURN + TIMES)
    run = jd.simulate(m, times=last, coordinates=coordinates)
    theta = OMEGA * run.t
    assert run["A.angle"] == pytest.approx(theta, abs=1e-10)
    assert worst(run, closed_form(theta, OMEGA + 0 * theta, 0 * theta)) < BAR


@pytest.mark.parametrize("coordinates", ["angle", "natural"])
def test_start_beyond_a_turn(coordinates: str) -> None:
    """370 degrees is a turn and ten degrees, and stays that."""
    start = math.radians(370)
    m = slider_crank(start)
    m.motion("drive", joint="A", angle=f"{start!r} + 10*t")
    run = jd.simulate(m, times=TIMES, coordinates=coordinates)
    assert run["A.angle"] == pytest.approx(start + OMEGA * TIMES, abs=1e-10)
    assert worst(run, closed_form(start + OMEGA * TIMES, OMEGA + 0 * TIMES, 0 * TIMES)) < BAR
    assert not any("moved" in note for note in run.status.notes)


def test_from_drawn() -> None:
    """Counted from the drawn pose: zero at the start is where the crank is."""
    m = slider_crank(0.7)
    m.motion("drive", joint="A", angle="10*t", from_drawn=True)
    run = jd.simulate(m, times=TIMES)
    assert worst(run, closed_form(0.7 + OMEGA * TIMES, OMEGA + 0 * TIMES, 0 * TIMES)) < BAR


def test_contradiction_is_told() -> None:
    """Drawn at 0.7, driven from 0: the run starts where the motion says, and the notes say what moved."""
    m = slider_crank(0.7)
    m.motion("drive", joint="A", angle="10*t")
    run = jd.simulate(m, times=TIMES)
    assert run["A.angle"][0] == pytest.approx(0.0, abs=1e-10)
    assert any("crank" in note for note in run.status.notes)


def test_contradicting_speed_is_told() -> None:
    """A body is written to turn at 3 rad/s, and its motion makes it turn at 10."""
    m = jd.Mechanism("rotor")
    rotor = m.body("rotor", mass=1, inertia=1, position=(0, 0), angle=0, spin=3, points={"C": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), rotor["C"])
    m.motion("drive", joint="A", angle="10*t")
    run = jd.simulate(m, 1.0)
    assert run["rotor.spin"] == pytest.approx(10, abs=1e-9)
    assert any("changed the spin of body 'rotor' by 7 rad/s" in note for note in run.status.notes)


@pytest.mark.parametrize("treatment", ["kkt", "udwadia-kalaba"])
def test_driven_twice_is_redundant(treatment: str) -> None:
    """Two motions that agree: the mechanism moves on, and one is named as redundant."""
    m = slider_crank()
    m.motion("drive", joint="A", angle="10*t")
    m.motion("again", joint="A", angle="10*t")
    run = jd.simulate(m, times=TIMES, treatment=treatment)
    expected = closed_form(OMEGA * TIMES, OMEGA + 0 * TIMES, 0 * TIMES)
    torque = expected.pop("drive.torque")
    assert worst(run, expected) < BAR
    assert run["drive.torque"] + run["again.torque"] == pytest.approx(torque, abs=3e2 * BAR)
    assert any("redundant" in note and ("again" in note or "drive" in note) for note in run.status.notes)


@pytest.mark.parametrize("keys", [{"angle": "3*sin(2*t)"}, {"speed": "6*cos(2*t)"}], ids=["angle", "speed"])
def test_power_is_the_driven_energy(keys: dict[str, Any]) -> None:
    """power = torque * speed, and its integral (Simpson, h^4/180 f'''' T: 1e-8 here) is what was driven."""
    m = slider_crank()
    m.motion("drive", joint="A", **keys)
    run = jd.simulate(m, times=np.linspace(0, 2, 4001))
    power = run["drive.power"]
    assert power == pytest.approx(run["drive.torque"] * run["A.speed"], rel=1e-12, abs=1e-9)
    h = run.t[1]
    simpson = h / 3 * (power[:-2:2] + 4 * power[1:-1:2] + power[2::2])
    driven = run.energy.driven
    assert np.cumsum(simpson) == pytest.approx(driven[2::2] - driven[0], abs=1e-7)
    scale = np.max(np.abs(driven))
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * scale)
    assert scale > 1.0
