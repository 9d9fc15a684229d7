"""Velocity constraints: knife edge, wheel, rolling disc and a user's own, against closed forms and independent ODEs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd

FOLDER = Path(__file__).parent / "reference"
SLEIGH = {k: np.array(v) for k, v in json.loads((FOLDER / "P11_sleigh.json").read_text())["reference"].items()}
M, I, A, G = 2.0, 0.6, 0.3, 9.81
# The sleigh hardly amplifies errors: at rtol 1e-11 the 1e-9 asked for leaves two digits for their sum over the steps.
BAR = 1e-9


def check_sleigh(run: jd.Solution, heading: np.ndarray) -> None:
    assert run["sled.E.x"] == pytest.approx(SLEIGH["blade_x"], abs=BAR)
    assert run["sled.E.y"] == pytest.approx(SLEIGH["blade_y"], abs=BAR)
    assert heading == pytest.approx(SLEIGH["heading"], abs=BAR)
    v = run["sled.E.vx"] * np.cos(heading) + run["sled.E.vy"] * np.sin(heading)
    assert v == pytest.approx(SLEIGH["v"], abs=BAR)
    # The constraint does no work.
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-9)
    assert run.violation.velocity == pytest.approx(0.0, abs=1e-10)


def planar_sled() -> jd.Mechanism:
    m = jd.Mechanism("sleigh")
    points = {"E": (-A, 0)}
    m.body("sled", mass=M, inertia=I, position=(A, 0), angle=0, velocity=(0.2, 3 * A), spin=3, points=points)
    m.ground.point("O", (0, 0))
    return m


OWN: dict[str, dict[str, Any]] = {
    "formula": {"formula": "sled.E.vy*cos(sled.angle) - sled.E.vx*sin(sled.angle)"},
    "function": {
        "formula": lambda p: p.velocity[0] * p.y[0] + p.velocity[1] * p.y[1],
        "ports": None,
    },
}


@pytest.mark.parametrize("coordinates", ["angle", "euler-parameters", "natural", "points"])
@pytest.mark.parametrize("how", ["knife-edge", "wheel", *OWN])
def test_sleigh(coordinates: str, how: str) -> None:
    """P11, with the catalogue's joints and with a user's own equation."""
    m = planar_sled()
    if how in OWN:
        keys = dict(OWN[how])
        if "ports" in keys:
            keys["ports"] = [m["sled"]["E"]]
        m.velocity_constraint("blade", **keys)
    else:
        m.joint(how, "blade", m.ground["O"], m["sled"]["E"])
    run = jd.simulate(m, times=0.1 * np.arange(51), coordinates=coordinates, rtol=1e-11)
    check_sleigh(run, run["sled.angle"])


@pytest.mark.parametrize("coordinates", ["quaternion", "natural"])
@pytest.mark.parametrize("how", ["knife-edge", "wheel"])
def test_sleigh_in_space(coordinates: str, how: str) -> None:
    """Held in a sloping plane, without gravity: the same numbers in the axes of that plane."""
    turn = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3.0  # columns: the axes of the plane
    m = jd.Mechanism("sleigh", gravity=(0, 0, 0))
    velocity, spin = turn @ (0.2, 3 * A, 0), turn @ (0, 0, 3)
    axes = {"x": (1, 0, 0), "z": (0, 0, 1)} if how == "knife-edge" else {"x": (1, 0, 0), "z": (0, 1, 0)}
    points = {"E": {"at": (-A, 0, 0), **axes}, "F": {"at": (0, 0, 0), "x": (1, 0, 0), "z": (0, 0, 1)}}
    where = {"position": tuple(turn @ (A, 0, 0)), "matrix": turn, "velocity": tuple(velocity), "spin": tuple(spin)}
    sled = m.body("sled", mass=M, inertia=(0.3, 0.4, I), points=points, **where)
    floor = m.ground.point("O", (0, 0, 0), x=tuple(turn[:, 0]), z=tuple(turn[:, 2]))
    m.planar("floor", floor, sled["F"])
    m.joint(how, "blade", floor, sled["E"])
    run = jd.simulate(m, times=0.1 * np.arange(51), coordinates=coordinates, rtol=1e-11)
    place = np.stack([run[f"sled.E.{c}"] for c in "xyz"], axis=1) @ turn
    assert place[:, 0] == pytest.approx(SLEIGH["blade_x"], abs=BAR)
    assert place[:, 1] == pytest.approx(SLEIGH["blade_y"], abs=BAR)
    assert place[:, 2] == pytest.approx(0.0, abs=1e-10)
    assert run["floor.angle"] == pytest.approx(SLEIGH["heading"], abs=BAR)


# Rolling discs ------------------------------------------------------------------------------------------------------


def spatial_disc(theta: float, precession: float, mass: float, r: float, inertia: tuple[float, float]) -> jd.Mechanism:
    """A disc set off in its steady turn; theta is the angle of its axis from vertical."""
    across, along = inertia
    s, c = math.sin(theta), math.cos(theta)
    w3 = spin_of_steady_turn(theta, precession, mass, r, inertia)
    e1, e3 = np.array([1.0, 0, 0]), np.array([0, -s, c])
    e2 = np.cross(e3, e1)
    m = jd.Mechanism("disc", gravity=(0, 0, -G))
    disc = m.body(
        "disc",
        mass=mass,
        inertia=(across, across, along),
        position=(0, 0, r * s),
        matrix=np.stack([e1, e2, e3], axis=1),
        velocity=tuple(-r * w3 * e1),
        spin=tuple(precession * s * e2 + w3 * e3),
        points={"C": {"at": (0, 0, 0), "axis": (0, 0, 1)}},
    )
    m.rolling_disc("roll", m.ground.point("O", (0, 0, 0), axis=(0, 0, 1)), disc["C"], radius=r)
    return m


def spin_of_steady_turn(theta: float, precession: float, mass: float, r: float, inertia: tuple[float, float]) -> float:
    across, along = inertia
    s, c = math.sin(theta), math.cos(theta)
    return (across * precession**2 * s * c - mass * r * G * c) / ((along + mass * r * r) * precession * s)


@pytest.mark.parametrize("coordinates", ["quaternion", "euler-parameters", "natural"])
def test_steady_turn_of_a_disc(coordinates: str) -> None:
    """Closed form of the rolling disc in steady precession (Routh, Advanced Rigid Dynamics, article 244)."""
    theta, precession, mass, r = 1.1, 2.5, 1.5, 0.4
    inertia = (mass * r**2 / 4, mass * r**2 / 2)
    m = spatial_disc(theta, precession, mass, r, inertia)
    w3 = spin_of_steady_turn(theta, precession, mass, r, inertia)
    t = np.linspace(0, 2 * math.pi / precession, 21)
    run = jd.simulate(m, times=t, coordinates=coordinates, rtol=1e-11)
    radius = r * w3 / precession
    assert run["disc.x"] == pytest.approx(-radius * np.sin(precession * t), abs=1e-8)
    assert run["disc.y"] == pytest.approx(-radius * (1 - np.cos(precession * t)), abs=1e-8)
    assert run["disc.z"] == pytest.approx(r * math.sin(theta), abs=1e-8)
    assert run["roll.fz"] == pytest.approx(mass * G, rel=1e-7)
    # The centre goes round a circle, so the floor pushes it inwards with m v^2 / R.
    push = np.hypot(run["roll.fx"], run["roll.fy"])
    assert push == pytest.approx(mass * precession**2 * abs(radius), rel=1e-7)
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-9)


@pytest.mark.parametrize("coordinates", ["angle", "euler-parameters", "natural", "points"])
def test_disc_rolls_down_an_incline(coordinates: str) -> None:
    """a = g sin / (1 + I/(m r^2)), friction m g sin - m a up the slope, and no slip."""
    slope, mass, r, inertia = 0.4, 2.0, 0.3, 0.05
    along, normal = np.array([math.cos(slope), math.sin(slope)]), np.array([-math.sin(slope), math.cos(slope)])
    m = jd.Mechanism("incline", gravity=(0, -G))
    disc = m.body("disc", mass=mass, inertia=inertia, position=tuple(r * normal), angle=0.2, velocity=(0, 0), spin=0)
    m.rolling_disc("roll", m.ground.point("O", (0, 0), angle=slope), disc.point("C", (0, 0)), radius=r)
    run = jd.simulate(m, 2.0, coordinates=coordinates)
    a = G * math.sin(slope) / (1 + inertia / (mass * r * r))
    x = run["disc.x"] * along[0] + run["disc.y"] * along[1]
    assert x == pytest.approx(-0.5 * a * run.t**2, abs=1e-9)
    assert run["disc.angle"] - 0.2 == pytest.approx(-x / r, abs=1e-8)  # down is -x: it turns positively
    force = np.stack([run["roll.fx"], run["roll.fy"]], axis=1)
    assert force @ normal == pytest.approx(mass * G * math.cos(slope), rel=1e-9)
    assert force @ along == pytest.approx(mass * (G * math.sin(slope) - a), rel=1e-9)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-9 * mass * G)


def test_disc_rolls_on_a_cart() -> None:
    """The plane moves: a disc on a cart that is pulled with acceleration b rolls back with b / (1 + I/(m r^2))."""
    mass, r, inertia, b = 2.0, 0.3, 0.09, 1.5
    m = jd.Mechanism("cart", gravity=(0, -G))
    cart = m.body("cart", mass=5, inertia=1, position=(0, 0), angle=0, velocity=(0, 0), spin=0, points={"T": (0, 0)})
    disc = m.body("disc", mass=mass, inertia=inertia, position=(0, r), angle=0, velocity=(0, 0), spin=0)
    m.prismatic("rail", m.ground.point("O", (0, 0)), cart["T"])
    m.rolling_disc("roll", cart["T"], disc.point("C", (0, 0)), radius=r)
    m.motion("pull", joint="rail", displacement=f"{b / 2}*t**2")
    run = jd.simulate(m, 2.0)
    share = inertia / (mass * r**2)
    expected = b * share / (1 + share)  # of the centre, in fixed axes
    assert run["disc.x"] == pytest.approx(0.5 * expected * run.t**2, abs=1e-9)
    assert run["disc.spin"] == pytest.approx((b - expected) / r * run.t, abs=1e-8)
    assert run["pull.force"] == pytest.approx(5 * b + mass * expected, rel=1e-8)


# Wheels -------------------------------------------------------------------------------------------------------------


def test_trailer_behind_a_driven_hitch() -> None:
    """A trailer with one axle, pulled along a circle: heading' = (v x heading) / length, by scipy."""
    length, t = 1.2, np.linspace(0, 6, 61)
    m = jd.Mechanism("trailer")
    box = m.body("box", mass=50, inertia=8, position=(-0.5, 0), angle=0, points={"H": (0.5, 0), "W": (-0.7, 0)})
    m.wheel("axle", m.ground.point("O", (0, 0)), box["W"])
    m.motion("pull", point=box["H"], x="2*sin(t)", y="2*(1 - cos(t))")
    run = jd.simulate(m, times=t, rtol=1e-11)

    def heading(time: float, phi: Any) -> Any:
        vx, vy = 2 * math.cos(time), 2 * math.sin(time)
        return [(vy * math.cos(phi[0]) - vx * math.sin(phi[0])) / length]

    expected = solve_ivp(heading, (0, 6), [0.0], t_eval=t, rtol=1e-12, atol=1e-13, method="DOP853").y[0]
    assert run["box.angle"] == pytest.approx(expected, abs=1e-9)


def test_caster_with_inertia() -> None:
    """A free caster: the sleigh's equations with wheel ahead of or behind the mass centre, integrated by scipy.

    Forward speed u of the axle, spin w, mass centre a ahead of it: u' = a w^2, w' = -m a u w / (I + m a^2).
    """
    mass, inertia, a, t = 3.0, 0.2, -0.25, np.linspace(0, 4, 41)
    m = jd.Mechanism("caster")
    where = {"position": (a, 0), "angle": 0, "velocity": (1.0, 0.1 * a), "spin": 0.1}
    body = m.body("fork", mass=mass, inertia=inertia, points={"W": (-a, 0)}, **where)
    m.wheel("wheel", m.ground.point("O", (0, 0)), body["W"])
    run = jd.simulate(m, times=t, rtol=1e-11)

    def rates(_: float, y: Any) -> Any:
        u, w, phi = y[:3]
        return [a * w * w, -mass * a * u * w / (inertia + mass * a * a), w, u * math.cos(phi), u * math.sin(phi)]

    found = solve_ivp(rates, (0, 4), [1.0, 0.1, 0, 0, 0], t_eval=t, rtol=1e-12, atol=1e-13, method="DOP853").y
    # Ahead of its wheel the mass centre is stable, behind it the caster swings round: errors grow with it.
    assert run["fork.angle"] == pytest.approx(found[2], abs=1e-8)
    assert run["fork.W.x"] == pytest.approx(found[3], abs=1e-8)
    assert run["fork.W.y"] == pytest.approx(found[4], abs=1e-8)
    assert abs(found[2][-1]) > 1.0  # it did swing round


def test_velocity_constraint_with_time() -> None:
    """A user's equation with a part of t: a conveyor that carries a block at speed sin(t)."""
    m = jd.Mechanism("conveyor")
    m.body("block", mass=2, inertia=1, position=(0, 0), velocity=(0, 1), points={"P": (0, 0)})
    m.velocity_constraint("belt", formula="block.vx - sin(t)")
    run = jd.simulate(m, 3.0, rtol=1e-11)
    assert run["block.x"] == pytest.approx(1 - np.cos(run.t), abs=1e-9)
    assert run["block.y"] == pytest.approx(run.t, abs=1e-9)
    assert run.energy.driven == pytest.approx(np.sin(run.t) ** 2, abs=1e-8)


def test_refused_velocity_constraints() -> None:
    m = planar_sled()
    m.velocity_constraint("still", formula="sled.x - 1")
    with pytest.raises(jd.MechanismError, match="velocity-constraint 'still'"):
        jd.simulate(m, 1.0)
    m = planar_sled()
    m.equation("moving", formula="sled.vx - 1")
    with pytest.raises(jd.MechanismError, match=r"'sled\.vx' is a velocity"):
        jd.simulate(m, 1.0)
