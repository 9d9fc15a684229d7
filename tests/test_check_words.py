"""`check` says what is locked, what holds velocities, what is out of proportion, and which axes were taken."""

from __future__ import annotations

import pytest

import jourdain as jd
from jourdain.files import gallery

TRUSS = """
jourdain: 1
name: truss
space: planar
gravity: [0, -9.81]
ground: {points: {A: [0, 0], D: [4, 0]}}
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0], angle: 60 deg, points: {A: [0, 0], B: [4, 0]}}
  b: {mass: 1, inertia: 1, position: [4, 0], angle: 120 deg, points: {D: [0, 0], C: [4, 0]}}
joints:
  A: {type: revolute, between: [ground.A, a.A]}
  D: {type: revolute, between: [ground.D, b.D]}
  B: {type: revolute, between: [a.B, b.C]}
"""
ROCKER = """
jourdain: 1
name: crank-rocker
space: planar
ground: {points: {A: [0, 0], D: [4, 0]}}
bodies:
  crank: {mass: 2, inertia: 1, position: [0, 0], angle: 1.5 rad, points: {A: [0, 0], B: [1, 0]}}
  coupler: {mass: 3, inertia: 1, points: {B: [0, 0], C: [3.5, 0]}}
  rocker: {mass: 2, inertia: 1, position: [4, 0], points: {D: [0, 0], C: [2.5, 0]}}
joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
forces: {spring: {type: spring-damper, between: [crank.B, ground.D], stiffness: 200, length: 1}}
motions: {motor: {joint: A, speed: 600 rpm}}
"""


def test_what_is_locked_is_called_locked() -> None:
    found = jd.check(jd.load(TRUSS))
    assert found.locked and "locked: no freedom is left, so nothing moves" in str(found).splitlines()
    driven = jd.check(jd.load(ROCKER))
    assert driven.freedoms == 0 and not driven.locked and "locked" not in str(driven)


def test_the_balance_of_what_is_locked_is_no_huge_number() -> None:
    run = jd.simulate(jd.load(TRUSS), 1.0)
    assert "nothing moves" in run.summary() and "largest kinetic energy" not in run.summary()
    falling = jd.simulate(jd.load(gallery.path("four_bar")), 1.0)
    assert "of the largest kinetic energy)" in falling.summary()


def test_a_driven_speed_is_called_by_its_name() -> None:
    words = str(jd.check(jd.load(ROCKER)))
    assert "velocities have 0 freedoms: motion 'motor', which prescribes a speed, holds the others" in words
    assert "rolling" not in words


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("coupler: {mass: 3,", "coupler: {mass: 800,", "body 'coupler' has 800 kg, the others some 2 kg; grams?"),
        ("stiffness: 200", "stiffness: -200", "spring 'spring': stiffness is -200, so it pushes away from where"),
        ("stiffness: 200", "stiffness: 200, damping: -5", "damping is -5, so it drives instead of braking"),
        ("angle: 1.5 rad", "angle: 90", "body 'crank': angle is 90 rad; degrees? write 90 deg"),
        ("speed: 600 rpm", "angle: 90 + 2*t", "motion 'motor': angle is 90 rad; degrees? write 90 deg"),
    ],
)
def test_numbers_out_of_proportion_are_hinted_at(old: str, new: str, words: str) -> None:
    assert old in ROCKER
    odd = jd.check(jd.load(ROCKER.replace(old, new))).hints
    assert any(words in hint for hint in odd)
    assert not jd.check(jd.load(ROCKER)).hints


@pytest.mark.parametrize("name", gallery.example_names())
def test_nothing_looks_odd_in_the_gallery(name: str) -> None:
    assert jd.check(jd.load(gallery.path(name))).hints == ()


def test_the_axis_that_was_taken_is_told() -> None:
    m = jd.Mechanism("door", gravity=(0, 0, -9.81))
    door = m.body("door", mass=1, inertia=(1, 1, 1), position=(1, 0, 0), points={"H": (-1, 0, 0)})
    m.revolute("hinge", m.ground.point("H", (0, 0, 0)), door["H"])
    words = "joint 'hinge' turns about z of the axes of ground and door: no axis is written at 'ground.H' or 'door.H'"
    assert jd.check(m).axes == (words,)
    assert f"axis taken: {words}" in str(jd.check(m))
    assert jd.check(jd.load(gallery.path("rssr"))).axes == ()
