"""Messages that one can act on: why a loop stays open, no dumped tables, methods to be called, files named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import jourdain as jd
from jourdain.files import gallery
from jourdain.mechanism.names import shortened

LINKAGE = """
jourdain: 1
name: linkage
space: planar
ground: {points: {A: [0, 0], D: [4, 0]}}
bodies:
  crank: {mass: 1, inertia: 1, position: [0, 0], points: {A: [0, 0], B: [1, 0]}}
  coupler: {mass: 1, inertia: 1, points: {B: [0, 0], C: [3.5, 0]}}
  rocker: {mass: 1, inertia: 1, position: [4, 0], points: {D: [0, 0], C: [2.5, 0]}}
joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
"""
LOOP = "joints 'A', 'B', 'C', 'D' cannot be closed from the drawn pose: "


def fault_of(text: str) -> str:
    with pytest.raises(jd.MechanismError) as error:
        jd.check(jd.load(text))
    (fault,) = error.value.faults  # once, not once a joint
    return fault.words


def test_lengths_that_do_not_fit() -> None:
    words = fault_of(LINKAGE.replace("D: [4, 0]}}", "D: [40, 0]}}").replace("position: [4, 0]", "position: [40, 0]"))
    assert words.startswith(LOOP)
    assert "in the loop A, B, C, D ground is 40 m long, and crank, coupler, rocker together reach 7 m" in words


@pytest.mark.parametrize(("length", "times"), [("3500", "1.4e+03 times larger"), ("0.0035", "714 times smaller")])
def test_a_body_in_other_units(length: str, times: str) -> None:
    words = fault_of(LINKAGE.replace("C: [3.5, 0]", f"C: [{length}, 0]"))
    assert f"body 'coupler' is {times} than the others" in words and "other units?" in words


def test_a_joint_to_the_wrong_body() -> None:
    words = fault_of(LINKAGE.replace("[coupler.C, rocker.C]", "[coupler.C, crank.B]"))
    assert "joints 'B' and 'C' both join crank and coupler, at points 0 m apart on crank and 3.5 m on coupler" in words
    assert words.endswith("points used by nothing: rocker.C")


def test_motions_that_contradict_each_other_are_called_motions() -> None:
    two = "motions: {m1: {joint: A, angle: 90 deg}, m2: {joint: D, angle: 30 deg}}\n"
    words = fault_of(LINKAGE + two)
    assert "and motions 'm1', 'm2' cannot be closed" in words and "joint 'm1'" not in words
    assert "the motions contradict each other at t = 0 s" in words
    words = fault_of(LINKAGE.replace("B: [1, 0]", "B: [3, 0]") + "motions: {m1: {joint: A, angle: 180 deg}}\n")
    assert "without motion 'm1' all joints close: it asks at t = 0 s for what they do not allow" in words


def test_one_joint_too_many() -> None:
    words = fault_of(LINKAGE + "  E: {type: prismatic, between: [ground.A, coupler.C]}\n")
    assert "there are too many equations, 10 equations for 9 coordinates: without joint" in words
    assert "'D' or 'E' the others close" in words


def test_points_that_nothing_uses_are_told() -> None:
    found = jd.check(jd.load(LINKAGE.replace("C: [3.5, 0]", "C: [3.5, 0], P: [1, 1]")))
    assert found.idle_points == ("coupler.P",)
    assert "points used by nothing: coupler.P" in str(found)
    used = "forces: {pull: {type: force, on: coupler.P, vector: [1, 0]}}\n"
    assert jd.check(jd.load(LINKAGE.replace("C: [3.5, 0]", "C: [3.5, 0], P: [1, 1]") + used)).idle_points == ()


def test_long_lists_are_told_by_their_first() -> None:
    m = jd.Mechanism("pendulum")
    arm = m.body("arm", mass=1, inertia=1, points={"A": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), arm["A"])
    m.torque("push", on="arm", torque=[(0.01 * k, float(k)) for k in range(2000)])
    with pytest.raises(jd.MechanismError) as error:
        jd.simulate(m, 1.0)
    assert "torque is [(0.0, 0.0), (0.01, 1.0), (0.02, 2.0), ... 2000 in all]; expected a number" in str(error.value)
    assert len(str(error.value)) < 200


def test_sentences_in_brackets_stay_whole() -> None:
    words = f"a position (of {', '.join(f'joint{k}' for k in range(60))}) is singular"
    assert shortened(words) == words
    assert shortened(f"x is {list(range(9))}") == "x is [0, 1, 2, 3, 4, 5, 6, 7, 8]"


def calls() -> dict[str, Any]:
    m = jd.load(gallery.path("four_bar"))
    run = jd.simulate(m, 0.1)
    return {
        "simulate": lambda: jd.simulate(m, 0.1, state=run.state),
        "session": lambda: jd.session(m, state=run.state),
        "kinematics": lambda: jd.kinematics(m, "A", state=run.state),
        "assemble": lambda: jd.assemble(m, state=run.state),
        "modes": lambda: jd.modes(m, about=run.state),
    }


@pytest.mark.parametrize("name", ["simulate", "session", "kinematics", "assemble", "modes"])
def test_a_method_where_a_state_is_wanted_gets_a_sentence(name: str) -> None:
    with pytest.raises(
        jd.ChoiceError, match=r"is the method Solution\.state itself; call it, with brackets: \.state\(\)"
    ):
        calls()[name]()


def test_every_fault_of_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "linkage.yaml"
    path.write_text(LINKAGE)
    locked = tmp_path / "locked.yaml"
    locked.write_text(LINKAGE + "  E: {type: weld, between: [ground.A, crank.A]}\n")
    open_loop = tmp_path / "open.yaml"
    open_loop.write_text(LINKAGE.replace("3.5", "0.1"))
    asked = {
        path: lambda m: jd.kinematics(m, times=[0.0]),
        locked: lambda m: jd.kinematics(m, "A"),
        open_loop: jd.check,
    }
    for file, call in asked.items():
        with pytest.raises(jd.MechanismError) as error:
            call(jd.load(file))
        assert all(fault.mark is not None and fault.mark.path == str(file) for fault in error.value.faults)
        assert str(file) in str(error.value)


def test_bodies_drawn_in_one_line_are_closed() -> None:
    """The linkage above lies in one line: no step from there brings the ends of coupler and rocker nearer."""
    run = jd.simulate(jd.load(LINKAGE), 0.1)
    assert run.violation.position[0] < 1e-10
    m = jd.Mechanism("rail", gravity=(0, -9.81))
    ball = m.body("ball", mass=1, inertia=0.1, position=(0, 1), points={"P": (0, 0)})
    m.prismatic("guide", m.ground.point("O", (0, 0), angle=1.5707963267948966), ball["P"])
    assert jd.simulate(m, times=[0.0])["guide.displacement"][0] == pytest.approx(1)
