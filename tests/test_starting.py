"""Joints that say where they start, and poses that are left out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jourdain as jd

ROD = {"mass": 1, "shape": {"rod": 1}, "points": {"A": (-0.5, 0), "B": (0.5, 0)}}


def chain(**starts: Any) -> jd.Mechanism:
    m = jd.Mechanism("chain", gravity=(0, -9.81))
    a, b = m.body("a", **ROD), m.body("b", **ROD)
    m.revolute("A", m.ground.point("O", (1, 2)), a["A"], initial=starts.get("A"))
    m.revolute("B", a["B"], b["A"], initial=starts.get("B"))
    return m


def slider_crank(**crank: float) -> jd.Mechanism:
    """Crank of 1 m, rod of 3 m; nothing but the start of the crank is written."""
    m = jd.Mechanism("slider-crank", gravity=(0, -9.81))
    a = m.body("crank", **ROD)
    b = m.body("rod", mass=1, shape={"rod": 3}, points={"B": (-1.5, 0), "C": (1.5, 0)})
    c = m.body("slider", mass=1, shape={"box": (0.2, 0.1)}, points={"C": (0, 0)})
    O = m.ground.point("O", (0, 0))
    m.revolute("A", O, a["A"], initial=crank)
    m.revolute("B", a["B"], b["B"])
    m.revolute("C", b["C"], c["C"])
    m.prismatic("G", O, c["C"])
    return m


def started(m: jd.Mechanism) -> jd.Solution:
    return jd.simulate(m, times=[0.0])


def test_a_chain_without_poses_starts_as_its_joints_say() -> None:
    run = started(chain(A={"angle": -0.5, "speed": 2}, B={"angle": 1.8, "speed": -3}))
    assert run["A.angle"][0] == pytest.approx(-0.5, abs=1e-12)
    assert run["B.angle"][0] == pytest.approx(1.8, abs=1e-12)
    assert run["A.speed"][0] == pytest.approx(2, abs=1e-11)
    assert run["b.spin"][0] == pytest.approx(-1, abs=1e-11)
    assert run["b.x"][0] == pytest.approx(1 + math.cos(-0.5) + 0.5 * math.cos(1.3), abs=1e-12)
    assert run["b.vx"][0] == pytest.approx(-2 * math.sin(-0.5) + 0.5 * math.sin(1.3), abs=1e-11)
    assert run.status.notes == ()


def test_a_speed_that_is_not_written_is_free() -> None:
    run = started(chain(A={"angle": 0.3}, B={"speed": 4}))
    assert run["A.angle"][0] == pytest.approx(0.3, abs=1e-12)
    assert run["b.spin"][0] - run["a.spin"][0] == pytest.approx(4, abs=1e-11)


@pytest.mark.parametrize("angle", [0.4, 2.0, -1.2])
def test_a_loop_without_poses_is_closed_from_one_angle(angle: float) -> None:
    run = started(slider_crank(angle=angle, speed=10))
    side = math.copysign(1.0, run["slider.x"][0])  # the rod may point either way: nobody said
    root = side * math.sqrt(9 - math.sin(angle) ** 2)
    x, rate = math.cos(angle) + root, -10 * math.sin(angle) * (1 + math.cos(angle) / root)
    assert run["A.angle"][0] == pytest.approx(angle, abs=1e-10)
    assert run["slider.x"][0] == pytest.approx(x, abs=1e-10)
    assert run["slider.vx"][0] == pytest.approx(rate, abs=1e-8)


def test_turns_are_counted_from_the_start() -> None:
    m = jd.Mechanism("arm", gravity=(0, 0, -9.81))
    axis = {"axis": (0, 1, 0)}
    arm = m.body("arm", mass=1, shape={"rod": 1}, points={"A": {"at": (-0.5, 0, 0), **axis}})
    m.revolute("A", m.ground.point("O", (0, 0, 1), **axis), arm["A"], initial={"angle": math.radians(370), "speed": 1})
    run = started(m)
    assert run["A.angle"][0] == pytest.approx(math.radians(370), abs=1e-12)
    assert run["A.speed"][0] == pytest.approx(1, abs=1e-12)
    # About y a positive turn takes x down.
    assert run["arm.z"][0] == pytest.approx(1 - 0.5 * math.sin(math.radians(10)), abs=1e-12)


def test_a_screw_starts_at_its_displacement() -> None:
    m = jd.Mechanism("nut", gravity=(0, 0, 0))
    nut = m.body("nut", mass=1, shape={"sphere": 0.1}, points={"A": (0, 0, 0)})
    m.cylindrical("A", m.ground.point("O", (0, 0, 0)), nut["A"], initial={"displacement": 0.25, "angle": 0.5})
    run = started(m)
    assert (run["nut.z"][0], run["A.angle"][0]) == pytest.approx((0.25, 0.5), abs=1e-12)


def test_what_is_written_gives_way_to_a_start_and_is_noted() -> None:
    m = jd.Mechanism("bar", gravity=(0, -9.81))
    bar = m.body("bar", position=(0.5, 0), angle=0, **ROD)
    m.revolute("A", m.ground.point("O", (0, 0)), bar["A"], initial={"angle": 0.1})
    run = started(m)
    assert run["bar.angle"][0] == pytest.approx(0.1, abs=1e-12)
    (note,) = run.status.notes
    assert note.startswith("assembly moved body 'bar' by 0.05 m and turned it by 0.1 rad to close the joints")


def test_a_body_that_is_moved_and_not_turned_is_not_said_to_turn() -> None:
    m = jd.Mechanism("block")
    block = m.body("block", mass=1, inertia=1, position=(0.5, 0.1), angle=0, points={"P": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["P"])
    (note,) = started(m).status.notes
    assert note == "assembly moved body 'block' by 0.1 m to close the joints"


def test_starts_that_cannot_all_hold_are_a_guess() -> None:
    loop = jd.Mechanism("loop", gravity=(0, -9.81))
    a, b = loop.body("a", **ROD), loop.body("b", mass=1, shape={"rod": 3}, points={"A": (-1.5, 0), "B": (1.5, 0)})
    O = loop.ground.point("O", (0, 0))
    loop.revolute("A", O, a["A"], initial={"angle": 1.0})
    loop.revolute("B", a["B"], b["A"], initial={"angle": -2.0})
    loop.point_on_line("line", O, b["B"])
    run = started(loop)
    assert run.status.notes == ("joints A, B cannot all start as written; the pose was closed from there",)
    assert abs(run["b.B.y"][0]) < 1e-12


def test_bodies_with_an_attitude_are_only_moved() -> None:
    m = jd.Mechanism("arm", gravity=(0, -9.81))
    bar = m.body("bar", angle=math.pi / 2, velocity=(0, 0), spin=0, **ROD)
    m.revolute("A", m.ground.point("O", (3, 4)), bar["A"])
    run = started(m)
    assert (run["bar.x"][0], run["bar.y"][0], run["bar.angle"][0]) == pytest.approx((3, 4.5, math.pi / 2), abs=1e-12)


FAULTS: dict[str, tuple[Any, str]] = {
    "unknown key": (
        {"angel": 1},
        "joint 'A': initial has an unknown key 'angel'; known: angle, displacement, speed (did you mean 'angle'?)",
    ),
    "no such coordinate": (
        {"displacement": 1},
        "joint 'A': initial: displacement: a revolute joint has no displacement; it has: angle",
    ),
    "not finite": ({"angle": math.nan}, "joint 'A': initial: angle is nan; expected a finite number"),
    "no number": ({"angle": "far"}, "joint 'A': initial: angle is 'far'; expected a number"),
    "no table": (3, "joint 'A': initial is 3; expected keys angle, displacement, speed"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    start, sentence = FAULTS[name]
    with pytest.raises(jd.MechanismError) as error:
        jd.check(chain(A=start))
    assert tuple(map(str, error.value.faults)) == (sentence,)


def test_starts_go_with_every_set_of_coordinates() -> None:
    m = chain(A={"angle": -0.5, "speed": 2}, B={"angle": 1.8, "speed": -3})
    runs = [jd.simulate(m, times=[0.0], coordinates=name) for name in ("angle", "natural", "points")]
    for run in runs:
        assert np.allclose([run["B.angle"][0], run["b.spin"][0]], [1.8, -1], atol=1e-10)
