"""Springs, bushings, ropes, stops, loads, drag and followers against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import jourdain as jd

G = 9.81
# Trajectories at rtol 1e-11: the errors of some hundred steps.
BAR = 1e-8
TIGHT = {"rtol": 1e-11}


def rotor(inertia: float = 0.2, spin: float = 0.0, angle: float = 0.0) -> jd.Mechanism:
    m = jd.Mechanism("rotor")
    body = m.body("rotor", mass=1, inertia=inertia, position=(0, 0), angle=angle, spin=spin, points={"C": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), body["C"])
    return m


def slider(mass: float = 2.0, x: float = 0.0, v: float = 0.0, gravity: float = 0.0, slope: float = 0.0) -> jd.Mechanism:
    """A block on a straight guide S through the origin; gravity acts along the guide's -x."""
    m = jd.Mechanism("slider", gravity=(-gravity, 0) if gravity else None)
    where: dict[str, Any] = {"position": (x, 0), "angle": 0, "velocity": (v, 0)}
    block = m.body("block", mass=mass, inertia=1, points={"C": (0, 0)}, **where)
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    return m


# Springs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zeta", [0.0, 0.1, 1.5])
def test_torsion_pendulum(zeta: float) -> None:
    """w = sqrt(k/I), damping ratio c / (2 sqrt(k I)): the linear oscillator's closed form about the free angle."""
    inertia, k, free, start = 0.2, 30.0, 0.3, 2.0
    w = math.sqrt(k / inertia)
    m = rotor(inertia, angle=start)
    m.torsion_spring_damper("spring", joint="A", stiffness=k, damping=2 * zeta * math.sqrt(k * inertia), angle=free)
    run = jd.simulate(m, 2.0, **TIGHT)
    root = np.sqrt(complex(zeta**2 - 1))
    a, b = (-zeta + root) * w, (-zeta - root) * w
    x = (start - free) * np.real((a * np.exp(b * run.t) - b * np.exp(a * run.t)) / (a - b))
    assert run["A.angle"] == pytest.approx(free + x, abs=BAR)
    assert run["spring.torque"] == pytest.approx(-k * x - 2 * zeta * math.sqrt(k * inertia) * run["A.speed"], abs=1e-6)
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-8)


@pytest.mark.parametrize("turns", [0, 3])
def test_torsion_spring_counts_turns(turns: int) -> None:
    """Wound up three turns it is stronger than at rest: the angle is unwrapped."""
    m = rotor(0.2, spin=40.0)
    m.torsion_spring_damper("spring", joint="A", stiffness=5.0, angle=2 * math.pi * turns)
    run = jd.simulate(m, 1.0, **TIGHT)
    w, free = math.sqrt(5.0 / 0.2), 2 * math.pi * turns
    expected = free - free * np.cos(w * run.t) + 40.0 / w * np.sin(w * run.t)
    assert run["A.angle"] == pytest.approx(expected, abs=1e-7)
    assert np.max(run["A.angle"]) > 2 * math.pi


DUFFING: dict[str, dict[str, Any]] = {
    "text": {"force": "50*(length - 3) + 400*(length - 3)**3"},
    "function": {"force": lambda length: 50 * (length - 3) + 400 * (length - 3) ** 3},
    "two functions": {"force": lambda length, rate: 50 * (length - 3) + 400 * (length - 3) ** 3 + 0 * rate},
}


@pytest.mark.parametrize("keys", DUFFING.values(), ids=DUFFING)
def test_duffing(keys: dict[str, Any]) -> None:
    """m x'' + a x + b x^3 = 0 from x0 at rest: x0 cn(w t, k), w^2 = (a + b x0^2)/m, k^2 = b x0^2 / (2 m w^2)."""
    mass, a, b, x0 = 2.0, 50.0, 400.0, 0.6
    m = slider(mass, x=x0)
    m.spring("duffing", m.ground.point("far", (-3, 0)), m["block"]["C"], **keys)
    run = jd.simulate(m, 3.0, **TIGHT)
    w2 = (a + b * x0**2) / mass
    k2 = b * x0**2 / (2 * mass * w2)
    assert run["block.x"] == pytest.approx(x0 * ellipj(math.sqrt(w2) * run.t, k2)[1], abs=1e-7)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * np.max(run.energy.kinetic))
    period = 4 * ellipk(k2) / math.sqrt(w2)
    m.event("top", "block.vx", direction="falling")
    tops = jd.simulate(m, 3.0, **TIGHT).events["top"].t
    assert tops == pytest.approx(period * np.arange(1, len(tops) + 1), abs=1e-8)
    assert len(tops) >= 3


def test_spring_table() -> None:
    """A table of a straight line is a linear spring, also beyond its ends; its energy is stored."""
    mass, k, x0 = 2.0, 80.0, 1.5
    m = slider(mass, x=x0)
    m.spring("table", m.ground.point("far", (-3, 0)), m["block"]["C"], table=[(2.5, -40), (3, 0), (3.7, 56)])
    run = jd.simulate(m, 2.0, **TIGHT)
    assert run["block.x"] == pytest.approx(x0 * np.cos(math.sqrt(k / mass) * run.t), abs=BAR)
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-8)


def test_actuator_is_what_it_is_made_of() -> None:
    """Spring, damper, preload and motor: m x'' = -k (x - free) - c x' + P + F sin(w t), by scipy."""
    m = slider(2.0, x=0.1)
    m.actuator("leg", joint="S", stiffness=60, damping=1.5, free=0.2, preload=3, motor="5*sin(4*t)")
    run = jd.simulate(m, 4.0, **TIGHT)

    def rates(t: float, y: Any) -> Any:
        return [y[1], (-60 * (y[0] - 0.2) - 1.5 * y[1] + 3 + 5 * math.sin(4 * t)) / 2.0]

    found = solve_ivp(rates, (0, 4), [0.1, 0], t_eval=run.t, rtol=1e-12, atol=1e-13, method="DOP853").y
    assert run["block.x"] == pytest.approx(found[0], abs=BAR)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8)


# Bushings -----------------------------------------------------------------------------------------------------------


def test_bushing_in_the_plane() -> None:
    """Three natural frequencies, each on its own: sqrt(kx/m), sqrt(ky/m), sqrt(kt/I)."""
    mass, inertia, k = 2.0, 0.3, (800.0, 200.0, 12.0)
    m = jd.Mechanism("bushing")
    where: dict[str, Any] = {"position": (0.02, -0.03), "angle": 0.4, "velocity": (0, 0), "spin": 0}
    body = m.body("block", mass=mass, inertia=inertia, points={"C": (0, 0)}, **where)
    m.bushing("rubber", m.ground.point("O", (0, 0)), body["C"], stiffness=k)
    run = jd.simulate(m, 2.0, **TIGHT)
    for channel, start, w2 in zip(
        ("x", "y", "angle"), (0.02, -0.03, 0.4), (k[0] / mass, k[1] / mass, k[2] / inertia), strict=True
    ):
        assert run[f"block.{channel}"] == pytest.approx(start * np.cos(math.sqrt(w2) * run.t), abs=BAR)
    assert run["rubber.fx"] == pytest.approx(-k[0] * run["block.x"], abs=1e-9)


@pytest.mark.parametrize("axis", range(6))
def test_bushing_in_space(axis: int) -> None:
    """Six natural frequencies, each mode alone, in turned port axes; turns may be large about one axis."""
    mass, inertia, k = 2.0, (0.3, 0.4, 0.5), (800.0, 200.0, 500.0, 12.0, 20.0, 9.0)
    turn = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3.0
    m = jd.Mechanism("bushing", gravity=(0, 0, 0))
    amount = 0.05 if axis < 3 else 1.2
    position, attitude = np.zeros(3), turn
    if axis < 3:
        position = amount * turn[:, axis]
    else:
        c, s = math.cos(amount), math.sin(amount)
        p, q = (axis + 1) % 3, (axis + 2) % 3
        local = np.eye(3)
        local[p, p], local[p, q], local[q, p], local[q, q] = c, -s, s, c
        attitude = turn @ local
    rest: dict[str, Any] = {"velocity": (0, 0, 0), "spin": (0, 0, 0)}
    points = {"C": (0, 0, 0)}
    m.body("block", mass=mass, inertia=inertia, position=position, matrix=attitude, points=points, **rest)
    frame = m.ground.point("O", (0, 0, 0), x=tuple(turn[:, 0]), z=tuple(turn[:, 2]))
    m.bushing("rubber", frame, m["block"]["C"], stiffness=k)
    run = jd.simulate(m, 1.0, **TIGHT)
    w = math.sqrt(k[axis] / (mass if axis < 3 else inertia[axis - 3]))
    channels = ("x", "y", "z", "rx", "ry", "rz")
    for n, channel in enumerate(channels):
        expected = amount * np.cos(w * run.t) if n == axis else 0 * run.t
        assert run[f"rubber.{channel}"] == pytest.approx(expected, abs=BAR)
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-8)


# One-sided ----------------------------------------------------------------------------------------------------------


def test_rope_bounce() -> None:
    """Free fall to the rope's length, then half an oscillation about the stretched rest, then flight: piecewise."""
    mass, k, length, drop = 2.0, 500.0, 1.0, 0.5
    m = slider(mass, x=-drop, gravity=G)
    m.rope("rope", m.ground.point("top", (0, 0)), m["block"]["C"], length=length, stiffness=k)
    run = jd.simulate(m, 1.5, times=None, rtol=1e-11)
    w, rest = math.sqrt(k / mass), mass * G / k
    t1 = math.sqrt(2 * (length - drop) / G)
    v1 = G * t1
    # y is the stretch: y = rest + A cos(w s) + B sin(w s), back at zero after twice the time to the deepest point.
    deepest = (math.pi - math.atan2(v1 / w, rest)) / w
    contact = 2 * deepest
    s = run.t - t1
    inside = -length - (rest - rest * np.cos(w * s) + v1 / w * np.sin(w * s))
    after = -length + v1 * (s - contact) - 0.5 * G * (s - contact) ** 2
    x = np.where(s < 0, -drop - 0.5 * G * run.t**2, np.where(s < contact, inside, after))
    early = run.t < t1 + contact + 2 * v1 / G
    assert run["block.x"][early] == pytest.approx(x[early], abs=1e-7)
    assert np.sum(early & (s > contact)) > 10
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-7 * mass * G)
    assert np.min(run["rope.force"]) >= 0


@pytest.mark.parametrize("on", ["joint", "distance"])
def test_stop_gives_all_back(on: str) -> None:
    """Without damping a stop is a spring that only pushes: the rebound has the speed of the approach."""
    mass, v, k, limit = 2.0, 3.0, 1e4, 0.5
    m = slider(mass, v=v)
    if on == "joint":
        m.stop("end", joint="S", above=limit, stiffness=k)
    else:
        m.stop("end", m.ground.point("far", (-2, 0)), m["block"]["C"], above=2 + limit, stiffness=k)
    run = jd.simulate(m, 0.5, **TIGHT)
    contact = math.pi / math.sqrt(k / mass)
    assert run["block.vx"][-1] == pytest.approx(-v, abs=1e-8)
    assert run["block.x"][-1] == pytest.approx(limit - v * (0.5 - limit / v - contact), abs=1e-8)
    assert run.energy.dissipated == pytest.approx(0.0, abs=1e-8)
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-8)


def test_damped_stop_takes_energy() -> None:
    """Hunt and Crossley: the energy lost is what `dissipated` counts; the phase curve is exact and implicit.

    m x'' = -k x (1 + b x'): with u = 1 + b v, (u_out - ln u_out) = (u_in - ln u_in), until the contact would pull.
    """
    mass, v, k, b = 2.0, 0.5, 1e4, 0.8
    m = slider(mass, v=v)
    m.stop("end", joint="S", above=0.1, stiffness=k, damping=b)
    run = jd.simulate(m, 0.4, **TIGHT)
    out = 1 + b * run["block.vx"][-1]
    assert out - math.log(out) == pytest.approx((1 + b * v) - math.log(1 + b * v), abs=1e-8)
    assert run["block.vx"][-1] < -0.1
    lost = 0.5 * mass * (v**2 - run["block.vx"][-1] ** 2)
    assert run.energy.dissipated[-1] == pytest.approx(lost, rel=1e-7)


def test_end_stops_of_an_actuator() -> None:
    """Between two stops a block goes to and fro with a period of two flights and two contacts."""
    mass, v, k, (low, high) = 2.0, 3.0, 1e4, (-0.2, 0.4)
    m = slider(mass, v=v)
    m.actuator("leg", joint="S", stops=(low, high), stop_stiffness=k)
    m.event("home", "block.x", direction="rising")
    run = jd.simulate(m, 2.0, **TIGHT)
    period = 2 * (high - low) / v + 2 * math.pi / math.sqrt(k / mass)
    home = run.events["home"].t
    assert home == pytest.approx(period * np.arange(1, len(home) + 1), abs=1e-8)
    depth = v / math.sqrt(k / mass)
    assert np.max(run["block.x"]) <= high + depth * (1 + 1e-9)
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-8)


# Distributed loads --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("axes", ["fixed", "body"])
def test_line_load_is_its_resultant(space: str, axes: str) -> None:
    """f(s) = f0 + f1 s^2 along a rod of length l: force l (f0 + f1/3) at its centre of load."""
    flat, l, f0, f1 = space == "planar", 2.0, 3.0, 6.0
    zero, rest = ((0, 0), {}) if flat else ((0, 0, 0), {})
    inertia: Any = 0.7 if flat else (0.1, 0.7, 0.7)

    def machine() -> jd.Mechanism:
        m = jd.Mechanism("rod", space=space)
        where: dict[str, Any] = {"angle": 0.4} if flat else {"bryan": (0.2, 0.4, -0.1)}
        points = {"A": (-l / 2, *zero[1:]), "B": (l / 2, *zero[1:])}
        m.body("rod", mass=2, inertia=inertia, position=zero, points=points, **where, **rest)
        return m

    m, other = machine(), machine()
    load = (1.0, f"{f0} + {f1}*s**2", *((0.5,) if not flat else ()))
    m.line_load("load", m["rod"]["A"], m["rod"]["B"], vector=load, axes=axes)
    # The parts of one direction each act at their own centre of load.
    whole, mean = l * (f0 + f1 / 3), (f0 / 2 + f1 / 4) / (f0 + f1 / 3)
    centre = other["rod"].point("M", zero)
    at = other["rod"].point("R", (-l / 2 + l * mean, *zero[1:]))
    add = other.force if axes == "fixed" else other.follower_force
    add("even", on=centre, vector=(l * 1.0, 0, *((l * 0.5,) if not flat else ())))
    add("uneven", on=at, vector=(0, whole, *((0,) if not flat else ())))
    a, b = (jd.simulate(x, 2.0, **TIGHT) for x in (m, other))
    for channel in ("rod.x", "rod.y", "rod.A.x", "rod.A.y"):
        assert a[channel] == pytest.approx(b[channel], abs=BAR)
    assert a.energy.total == pytest.approx(a.energy.total[0], abs=1e-8 * max(1.0, a.energy.driven[-1]))


@pytest.mark.parametrize("law", ["linear", "quadratic"])
def test_falling_rod_in_drag(law: str) -> None:
    """A level rod falls across itself: v = vt (1 - exp(-t/tau)), or vt tanh(g t / vt), up to its terminal speed."""
    mass, length, c = 2.0, 1.5, 4.0
    m = jd.Mechanism("rod", gravity=(0, -G))
    rod = m.body("rod", mass=mass, inertia=1, position=(0, 0), angle=0, points={"A": (-0.75, 0), "B": (0.75, 0)})
    m.drag("air", rod["A"], rod["B"], **{law: c})
    run = jd.simulate(m, 3.0, **TIGHT)
    if law == "linear":
        terminal = mass * G / (c * length)
        expected = -terminal * (1 - np.exp(-run.t * c * length / mass))
    else:
        terminal = math.sqrt(mass * G / (c * length))
        expected = -terminal * np.tanh(G * run.t / terminal)
    assert run["rod.vy"] == pytest.approx(expected, abs=BAR)
    assert run["air.fy"][-1] == pytest.approx(-c * length * expected[-1] * (1 if law == "linear" else -expected[-1]))
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * run.energy.dissipated[-1])


def test_drag_of_a_turning_rod() -> None:
    """Linear drag on a rod that turns about its middle: moment c l^3/12 w, so that w = w0 exp(-c l^3/(12 I) t)."""
    m = rotor(0.4, spin=10.0)
    m.drag("oil", m["rotor"].point("P", (-0.6, 0)), m["rotor"].point("Q", (0.6, 0)), linear=2.0)
    run = jd.simulate(m, 2.0, **TIGHT)
    assert run["A.speed"] == pytest.approx(10 * np.exp(-2.0 * 1.2**3 / 12 / 0.4 * run.t), abs=BAR)


# Followers ----------------------------------------------------------------------------------------------------------


def test_follower_force_spirals() -> None:
    """A thrust in body axes on a spinning disc: acceleration turns with it, velocity goes round, drift is straight."""
    mass, w, thrust = 2.0, 3.0, (1.5, 0.5)
    m = jd.Mechanism("rocket")
    body = m.body("disc", mass=mass, inertia=1, position=(0, 0), angle=0, velocity=(0, 0), spin=w, points={"C": (0, 0)})
    m.follower_force("thrust", on=body["C"], vector=thrust)
    run = jd.simulate(m, 5.0, **TIGHT)
    a = complex(*thrust) / mass
    velocity = a * (np.exp(1j * w * run.t) - 1) / (1j * w)
    place = a * ((np.exp(1j * w * run.t) - 1) / (1j * w) - run.t) / (1j * w)
    assert run["disc.vx"] + 1j * run["disc.vy"] == pytest.approx(velocity, abs=BAR)
    assert run["disc.x"] + 1j * run["disc.y"] == pytest.approx(place, abs=BAR)
    assert run["thrust.fx"] == pytest.approx(np.real(np.exp(1j * w * run.t) * complex(*thrust)), abs=1e-7)


def test_follower_torque_on_a_turning_body() -> None:
    """A body-fixed torque about a principal axis spins it up, in whatever direction that axis looks: t^2 of a ramp."""
    turn = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3.0
    m = jd.Mechanism("drone", gravity=(0, 0, 0))
    rest: dict[str, Any] = {"velocity": (0, 0, 0), "spin": (0, 0, 0)}
    body = m.body("drone", mass=1, inertia=(0.3, 0.4, 0.5), position=(0, 0, 0), matrix=turn, **rest)
    m.follower_torque("rotor", on=body, torque=(0, "0.8*t", 0))
    run = jd.simulate(m, 3.0, **TIGHT)
    spin = np.stack([run[f"drone.w{c}"] for c in "xyz"], axis=1)
    assert spin == pytest.approx(np.outer(0.8 * run.t**2 / 2 / 0.4, turn[:, 1]), abs=BAR)
    assert run.energy.total == pytest.approx(0.0, abs=1e-8 * run.energy.driven[-1])


# Forces on channels -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["text", "function", "branching"])
def test_force_on_channels_is_a_spring(how: str) -> None:
    """A proportional controller on a position and its speed is a spring and a damper."""
    k, c = 90.0, 2.0
    m, other = slider(2.0, x=0.3), slider(2.0, x=0.3)
    vectors: dict[str, Any] = {
        "text": ["-90*block.x - 2*block.vx", 0],
        "function": [lambda x, v: -90 * x - 2 * v, 0],
        "branching": [lambda x, v: -90 * x - 2 * v if x > -9 else 0.0, 0],
    }
    inputs = {} if how == "text" else {"inputs": ["block.x", "block.vx"]}
    m.force("control", on=m["block"]["C"], vector=vectors[how], **inputs)
    other.actuator("spring", joint="S", stiffness=k, damping=c)
    a, b = (jd.simulate(x, 2.0, **TIGHT) for x in (m, other))
    assert a["block.x"] == pytest.approx(b["block.x"], abs=1e-10)
    # It stores nothing: what it takes out was driven, with a minus sign.
    assert -a.energy.driven == pytest.approx(b.energy.dissipated + b.energy.potential - b.energy.potential[0], abs=1e-8)


@pytest.mark.parametrize("coordinates", ["angle", "natural"])
@pytest.mark.parametrize("added", [0.9, 1.9, 12.0, -1.0])
@pytest.mark.parametrize("how", ["text", "function"])
def test_acceleration_dependent_force(coordinates: str, how: str, added: float) -> None:
    """A force -ma x'' is an added mass, also where it is more than the mass itself: (m + ma) x'' = -k x."""
    mass, k = 2.0, 50.0
    m = slider(mass, x=0.3)
    m.actuator("spring", joint="S", stiffness=k)
    if how == "text":
        m.force("water", on=m["block"]["C"], vector=[f"-({added})*block.ax", 0])
    else:
        m.force("water", on=m["block"]["C"], vector=[lambda a: -added * a, 0], inputs=["block.ax"])
    run = jd.simulate(m, 2.0, coordinates=coordinates, **TIGHT)
    w = math.sqrt(k / (mass + added))
    assert run["block.x"] == pytest.approx(0.3 * np.cos(w * run.t), abs=BAR)
    assert run["block.ax"] == pytest.approx(-0.3 * w**2 * np.cos(w * run.t), abs=1e-6)


def test_reaction_dependent_force() -> None:
    """A brake whose force is 0.3 of the normal force that a guide carries: a = 0.3 * 40 / 2 against the motion."""
    m = jd.Mechanism("brake")
    block = m.body("block", mass=2, inertia=1, position=(0, 0), angle=0, velocity=(10, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    m.force("press", on=block["C"], vector=(0, -40))
    m.force("brake", on=block["C"], vector=("-0.3*S.fy", 0))
    run = jd.simulate(m, 1.0, **TIGHT)
    assert run["block.vx"] == pytest.approx(10 - 6 * run.t, abs=BAR)
    assert run["S.fy"] == pytest.approx(40.0, rel=1e-10)
