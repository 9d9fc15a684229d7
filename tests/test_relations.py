"""Gears, belts, racks, screws and couplings as a user builds them, against closed forms and Newton and Euler."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jourdain as jd

G = 9.81
# Default tolerance 1e-9 a step; the motions here are polynomials or sines of a few turns.
BAR = 1e-8


def rotors(space: str, inertias: tuple[float, ...], torque: float = 0.0, spin: float = 0.0) -> jd.Mechanism:
    """Shafts A, B, ... of parallel axes on the ground; a torque on the first."""
    flat = space == "planar"
    m = jd.Mechanism("shafts", space=space)
    for k, (name, inertia) in enumerate(zip("AB", inertias, strict=False)):
        at = (float(k), 0.0) if flat else (float(k), 0.0, 0.0)
        axis: dict[str, Any] = {} if flat else {"axis": (0, 1, 0)}
        start: dict[str, Any] = {"spin": (spin if flat else (0, spin, 0))} if k == 0 else {}
        full: Any = inertia if flat else (inertia, inertia, inertia)
        zero = (0,) * len(at)
        body = m.body(name.lower(), mass=1, inertia=full, position=at, points={"C": {"at": zero, **axis}}, **start)
        m.revolute(name, m.ground.point(name, at, **axis), body["C"])
    if torque:
        m.torque("motor", on=m["a"], torque=torque if flat else (0, torque, 0))
    return m


GEARS: dict[str, tuple[dict[str, Any], float]] = {
    "ratio": ({"ratio": 2.5}, 2.5),
    "external ratio": ({"ratio": -0.4}, -0.4),
    "teeth": ({"teeth": (20, 60)}, -3.0),
    "internal": ({"teeth": (20, 60), "internal": True}, 3.0),
}


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize(("keys", "ratio"), GEARS.values(), ids=GEARS)
def test_gear(space: str, keys: dict[str, Any], ratio: float) -> None:
    """w1 = i w2: w1' = M / (J1 + J2/i^2); the torque of the mesh on each shaft by Euler's law."""
    J1, J2, torque = 0.3, 0.7, 5.0
    m = rotors(space, (J1, J2), torque)
    m.gear("mesh", joints=("A", "B"), **keys)
    run = jd.simulate(m, 2.0)
    rate = torque / (J1 + J2 / ratio**2)
    assert run["A.angle"] == pytest.approx(0.5 * rate * run.t**2, abs=BAR)
    assert run["B.angle"] == pytest.approx(0.5 * rate / ratio * run.t**2, abs=BAR)
    assert run["mesh.on_first"] == pytest.approx(J1 * rate - torque, abs=1e-9)
    assert run["mesh.on_second"] == pytest.approx(J2 * rate / ratio, abs=1e-9)
    assert run.energy.total == pytest.approx(0.0, abs=1e-8 * run.energy.driven[-1])


@pytest.mark.parametrize("crossed", [False, True])
def test_belt(crossed: bool) -> None:
    J1, J2, torque, (r1, r2) = 0.3, 0.7, 5.0, (0.1, 0.25)
    m = rotors("planar", (J1, J2), torque)
    m.belt("belt", joints=("A", "B"), radii=(r1, r2), crossed=crossed)
    run = jd.simulate(m, 2.0)
    ratio = -r2 / r1 if crossed else r2 / r1
    rate = torque / (J1 + J2 / ratio**2)
    assert run["B.angle"] == pytest.approx(0.5 * rate / ratio * run.t**2, abs=BAR)
    # The pull of the belt, from either pulley.
    assert run["belt.on_first"] / r1 == pytest.approx(-abs(J2 * rate / ratio) / r2, rel=1e-9)


@pytest.mark.parametrize(
    ("space", "coordinates"), [("planar", "angle"), ("planar", "natural"), ("spatial", "quaternion")]
)
@pytest.mark.parametrize("ratio", [-7 / 3, 1.5])
def test_thousand_turns(space: str, coordinates: str, ratio: float) -> None:
    """Not a tooth is lost in 1,000 turns: with 60 teeth one of them would be 0.1 rad."""
    turns, spin = 1000, 200.0
    m = rotors(space, (0.3, 0.7), spin=spin)
    m.gear("mesh", joints=("A", "B"), ratio=ratio)
    t = np.linspace(0, turns * 2 * math.pi / spin, 5)
    run = jd.simulate(m, times=t, coordinates=coordinates)
    first, second = run["A.angle"], run["B.angle"]
    # A free shaft turns at the speed it has; 1e-9 a step adds up over thousands of steps.
    assert first[-1] == pytest.approx(run["A.speed"][0] * t[-1], rel=1e-7)
    assert abs(first[-1]) > 0.9 * turns * 2 * math.pi
    assert first == pytest.approx(ratio * second, abs=1e-9)


def test_planetary_gear_of_willis() -> None:
    """(sun - carrier) = -(ring teeth / sun teeth) (ring - carrier), the ring held; torques by power."""
    zs, zp, zr = 24, 18, 60
    rs, rp = 0.12, 0.09
    m = jd.Mechanism("planetary")
    origin = m.ground.point("O", (0, 0))
    sun = m.body("sun", mass=1, inertia=0.02, position=(0, 0), points={"C": (0, 0)})
    carrier = m.body("carrier", mass=1, inertia=0.05, position=(0, 0), points={"C": (0, 0), "P": (rs + rp, 0)})
    planet = m.body("planet", mass=0.4, inertia=0.003, position=(rs + rp, 0), points={"C": (0, 0)})
    ring = m.body("ring", mass=2, inertia=0.3, position=(0, 0), angle=0, points={"C": (0, 0)})
    for name, body in (("S", sun), ("H", carrier), ("R", ring)):
        m.revolute(name, origin, body["C"])
    m.revolute("P", carrier["P"], planet["C"])
    m.revolute("SH", carrier["C"], sun["C"])  # the sun seen from the carrier
    m.revolute("RH", carrier["C"], ring["C"])
    m.gear("inner", joints=("SH", "P"), teeth=(zs, zp))
    m.gear("outer", joints=("P", "RH"), teeth=(zp, zr), internal=True)
    m.motion("held", joint="R", angle=0)
    m.motion("drive", joint="S", angle="20*t + 3*t**2")
    t = np.linspace(0, 3, 31)
    run = jd.simulate(m, times=t)
    ratio = 1 + zr / zs
    sun_angle, sun_rate = 20 * t + 3 * t**2, 6.0
    assert run["H.angle"] == pytest.approx(sun_angle / ratio, abs=BAR)
    assert run["planet.angle"] == pytest.approx(sun_angle / ratio - (sun_angle - sun_angle / ratio) * zs / zp, abs=BAR)
    # Reduced inertia at the sun: carrier and planet's centre turn with 1/ratio, the planet with its own ratio.
    own = 1 / ratio - (1 - 1 / ratio) * zs / zp
    reduced = 0.02 + (0.05 + 0.4 * (rs + rp) ** 2) / ratio**2 + 0.003 * own**2
    assert run["drive.torque"] == pytest.approx(reduced * sun_rate, rel=1e-8)
    assert run["held.torque"] == pytest.approx(np.full(31, run["held.torque"][0]), rel=1e-7)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_rack_and_pinion(space: str) -> None:
    """A pinion with a torque M and a rack of mass m: x'' = M r / (J + m r^2)."""
    J, mass, r, torque = 0.2, 3.0, -0.05, 4.0
    m = rotors(space, (J,), torque)
    flat = space == "planar"
    at = (0.0, 1.0) if flat else (0.0, 1.0, 0.0)
    axes: dict[str, Any] = {} if flat else {"axis": (1, 0, 0)}
    rack = m.body("rack", mass=mass, inertia=1 if flat else (1, 1, 1), position=at)
    m.prismatic("R", m.ground.point("R", at, **axes), rack.point("C", (0,) * len(at), **axes))
    m.rack_and_pinion("mesh", joints=("A", "R"), radius=r)
    run = jd.simulate(m, 2.0)
    a = torque * r / (J + mass * r * r)
    assert run["R.displacement"] == pytest.approx(0.5 * a * run.t**2, abs=BAR)
    assert run["mesh.on_second"] == pytest.approx(mass * a, abs=1e-9)
    assert run["mesh.on_first"] == pytest.approx(J * a / r - torque, abs=1e-9)


SCREW = {"m": 2.0, "I": 0.004, "p": 0.05}


def check_falling_nut(run: jd.Solution, angle: str, place: str) -> None:
    mass, inertia, pitch = SCREW["m"], SCREW["I"], SCREW["p"]
    a = G / (1 + inertia * (2 * math.pi / pitch) ** 2 / mass)
    assert run[place] == pytest.approx(-0.5 * a * run.t**2, abs=BAR)
    assert run[angle] == pytest.approx(-0.5 * a * run.t**2 * 2 * math.pi / pitch, abs=BAR * 2 * math.pi / pitch)
    # Energy does not care what is on the way; it is of the size of the weight's work.
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8 * mass * G)


@pytest.mark.parametrize("coordinates", ["quaternion", "natural"])
@pytest.mark.parametrize("how", ["joint", "relation", "coupled"])
def test_falling_nut(coordinates: str, how: str) -> None:
    """A nut on a vertical thread falls with g / (1 + I (2 pi/p)^2 / m), one turn a pitch."""
    mass, inertia, pitch = SCREW["m"], SCREW["I"], SCREW["p"]
    m = jd.Mechanism("nut", gravity=(0, 0, -G))
    nut = m.body("nut", mass=mass, inertia=(0.01, 0.01, inertia), position=(0, 0, 0), points={"C": (0, 0, 0)})
    axis = m.ground.point("O", (0, 0, 0))
    if how == "joint":
        m.screw("T", axis, nut["C"], pitch=pitch)
    else:
        m.cylindrical("T", axis, nut["C"])
        if how == "relation":
            m.screw("thread", joints=("T", "T"), pitch=pitch)
        else:
            m.coupling("thread", joints=("T.angle", "T.displacement"), function=f"{pitch}*x/(2*pi)")
    run = jd.simulate(m, 3.0, coordinates=coordinates)
    check_falling_nut(run, "T.angle", "T.displacement")
    assert abs(run["T.angle"][-1]) > 20 * math.pi  # many turns, none lost


def test_screw_between_joints_in_the_plane() -> None:
    """A shaft and a slide coupled by a thread: as with a rack of radius p / (2 pi)."""
    J, mass, pitch, torque = 0.2, 3.0, 0.1, 4.0
    m = rotors("planar", (J,), torque)
    slide = m.body("slide", mass=mass, inertia=1, position=(0, 1), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("S", (0, 1)), slide["C"])
    m.screw("thread", joints=("A", "S"), pitch=pitch)
    run = jd.simulate(m, 1.0)
    lead = pitch / (2 * math.pi)
    a = torque * lead / (J + mass * lead**2)
    assert run["S.displacement"] == pytest.approx(0.5 * a * run.t**2, abs=BAR)
    assert run["thread.on_second"] == pytest.approx(mass * a, abs=1e-9)


CAMS: dict[str, Any] = {
    "text": "0.1*(1 - cos(x)) + 0.02*sin(2*x)",
    "function": lambda x: 0.1 * (1 - np.cos(x)) + 0.02 * np.sin(2 * x),
    "branching": lambda x: 0.1 * (1 - np.cos(x)) + 0.02 * np.sin(2 * x) if x < 1e6 else x,
}


@pytest.mark.parametrize("function", CAMS.values(), ids=CAMS)
def test_cam(function: Any) -> None:
    """A driven cam lifts a follower: force m (f'' w^2 + g), torque at the cam f' times that."""
    mass, w = 2.0, 9.0
    m = jd.Mechanism("cam", gravity=(0, -G))
    cam = m.body("cam", mass=1, inertia=0.1, position=(0, 0), points={"C": (0, 0)})
    follower = m.body("follower", mass=mass, inertia=1, position=(0, 0), angle=math.pi / 2, points={"C": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), cam["C"])
    m.prismatic("F", m.ground.point("F", (0, 0), angle=math.pi / 2), follower["C"])
    m.coupling("lift", joints=("A", "F"), function=function)
    m.motion("drive", joint="A", angle=f"{w}*t")
    run = jd.simulate(m, 1.5)
    x = w * run.t
    f = 0.1 * (1 - np.cos(x)) + 0.02 * np.sin(2 * x)
    f1, f2 = 0.1 * np.sin(x) + 0.04 * np.cos(2 * x), 0.1 * np.cos(x) - 0.08 * np.sin(2 * x)
    force = mass * (f2 * w * w + G)
    assert run["follower.y"] == pytest.approx(f, abs=1e-10)
    assert run["follower.vy"] == pytest.approx(f1 * w, abs=1e-9)
    assert run["follower.ay"] == pytest.approx(f2 * w * w, abs=1e-8)
    assert run["lift.on_second"] == pytest.approx(force, abs=1e-7)
    assert run["drive.torque"] == pytest.approx(f1 * force, abs=1e-7)


def test_coupling_from_drawn() -> None:
    """Counted from the drawn pose, the follower stays where it is drawn and moves by the function's change."""
    m = rotors("planar", (0.3, 0.7), spin=1.0)
    m.coupling("link", joints=("A", "B"), function="2*x + 5", from_drawn=True)
    run = jd.simulate(m, 1.0)
    assert run["B.angle"] == pytest.approx(2 * run["A.angle"], abs=1e-9)
    assert not any("moved" in note for note in run.status.notes)


def test_relations_of_driven_shafts_keep_their_phase() -> None:
    """Gears mesh where they are drawn: a shaft drawn at 0.5 rad is not turned back."""
    m = jd.Mechanism("phase")
    a = m.body("a", mass=1, inertia=1, position=(0, 0), angle=0.5, points={"C": (0, 0)})
    b = m.body("b", mass=1, inertia=1, position=(1, 0), angle=-1.0, points={"C": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), a["C"])
    m.revolute("B", m.ground.point("B", (1, 0)), b["C"])
    m.gear("mesh", joints=("A", "B"), ratio=-2)
    m.motion("drive", joint="A", angle="0.5 + 4*t")
    run = jd.simulate(m, 5.0)
    assert run["B.angle"] == pytest.approx(-1.0 - 2 * run.t, abs=1e-9)
    assert run.status.notes == ()


REFUSED: dict[str, tuple[Any, str]] = {
    "both ratio and teeth": (
        lambda m: m.gear("G", joints=("A", "B"), ratio=2, teeth=(1, 2)),
        "ratio or teeth, not both",
    ),
    "zero ratio": (lambda m: m.gear("G", joints=("A", "B"), ratio=0), "ratio is 0.0"),
    "one joint twice": (lambda m: m.gear("G", joints=("A", "A"), ratio=2), "both joints are 'A'"),
    "no such joint": (lambda m: m.gear("G", joints=("A", "X"), ratio=2), "X"),
    "half teeth": (lambda m: m.gear("G", joints=("A", "B"), teeth=(10.5, 20)), "whole numbers"),
    "not smooth": (
        lambda m: m.coupling("G", joints=("A", "B"), function="max(x, 0)"),
        "function: 'max' has no derivative",
    ),
}


@pytest.mark.parametrize(("add", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(add: Any, words: str) -> None:
    m = rotors("planar", (1.0, 1.0))
    add(m)
    with pytest.raises(jd.MechanismError, match=words):
        jd.simulate(m, 1.0)
