"""A kinematic run takes from the mechanism what it says: the speed of its own motion, and where its crank is drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jourdain as jd

TEXT = """
jourdain: 1
name: crank-rocker
space: planar
parameters: {n: 600 rpm}
ground: {points: {A: [0, 0], D: [4, 0]}}
bodies:
  crank: {mass: 1, inertia: 1, position: [0, 0], angle: 90 deg, points: {A: [0, 0], B: [1, 0]}}
  coupler: {mass: 1, inertia: 1, points: {B: [0, 0], C: [3.5, 0]}}
  rocker: {mass: 1, inertia: 1, position: [4, 0], angle: 100 deg, points: {D: [0, 0], C: [2.5, 0]}}
joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
"""


@pytest.mark.parametrize(
    ("motion", "rate"),
    [
        ("{joint: A, speed: n}", 20 * math.pi),
        ("{joint: A, speed: -60 rpm}", -2 * math.pi),
        ("{joint: A, angle: 45 deg + 2*n*t}", 40 * math.pi),
        ("{joint: A, angle: 60 rpm * t, from: drawn}", 2 * math.pi),
    ],
)
@pytest.mark.parametrize("drive", ["A", "motor"])
def test_a_machine_with_its_own_motion_is_driven_at_its_speed(motion: str, rate: float, drive: str) -> None:
    run = jd.kinematics(jd.load(f"{TEXT}motions: {{motor: {motion}}}\n"), drive)
    assert run.driver.rate == pytest.approx(rate)
    assert run["crank.spin"] == pytest.approx(np.full(361, rate))
    assert run.driver.end - run.driver.start == pytest.approx(math.copysign(2 * math.pi, rate))
    assert "the speed of motion 'motor'" in run.summary()


def test_a_speed_that_nobody_said_is_told() -> None:
    assert "at 1 rad/s (9.5493 rpm): no speed is given" in jd.kinematics(jd.load(TEXT), "A").summary()
    unsteady = jd.load(f"{TEXT}motions: {{motor: {{joint: A, angle: sin(t)}}}}\n")
    assert "at 1 rad/s (9.5493 rpm): no speed is given" in jd.kinematics(unsteady, "A").summary()
    given = jd.kinematics(jd.load(TEXT), "A", speed="1500 rpm").summary()
    assert "405" not in given and "at 157.08 rad/s (1500 rpm)\n" in given


def test_the_driven_joint_starts_where_it_is_drawn() -> None:
    """Assembling alone turned the crank by 70 degrees towards the rocker, which was only guessed."""
    run = jd.kinematics(jd.load(TEXT), "A")
    assert run["A.angle"][0] == pytest.approx(math.pi / 2)
    assert run["A.angle"][-1] == pytest.approx(math.pi / 2 + 2 * math.pi)


def test_where_it_cannot_start_as_drawn_it_starts_as_it_is_assembled() -> None:
    short = jd.load(TEXT.replace("C: [3.5, 0]", "C: [0.9, 0]"))  # 4 - 2.5 - 0.9: only near 0 degrees
    run = jd.kinematics(short, "A", to="0 deg")
    assert abs(run["A.angle"][0]) < 0.95  # not the quarter turn that is drawn
