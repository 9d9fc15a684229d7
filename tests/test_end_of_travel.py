"""A run whose motion asks for more than a joint can have says which joint is at its end, and where."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import pytest

import jourdain as jd
from jourdain.files import gallery

ROCKER = """
jourdain: 1
name: rocker
space: planar
ground: {points: {A: [0, 0], D: [4, 0]}}
bodies:
  crank: {mass: 1, inertia: 1, position: [0, 0], angle: 20 deg, points: {A: [0, 0], B: [3, 0]}}
  coupler: {mass: 1, inertia: 1, points: {B: [0, 0], C: [2.5, 0]}}
  rocker: {mass: 1, inertia: 1, position: [4, 0], points: {D: [0, 0], C: [2.5, 0]}}
joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
motions: {motor: {joint: A, angle: 60 rpm * t, from: drawn}}
"""
STEPS = {"step": 1e-3}


@cache
def stopped(text: str, **choices: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jd.SimulationWarning)
        run = jd.simulate(jd.load(text), 1.0, **choices)
    assert not run.status.ok
    assert not [note for note in run.status.notes if "crossed" in note]
    return run.status.sentence


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"integrator": "rk4", **STEPS},
        {"integrator": "radau"},
        {"coordinates": "relative"},
        {"coordinates": "natural"},
        {"integrator": "generalized-alpha", **STEPS},
        {"recipe": "nacf"},
        {"treatment": "null-space"},
    ],
    ids=str,
)
def test_the_end_of_travel_is_told_by_joint_and_angle(choices: dict[str, Any]) -> None:
    """Crank and ground of 3 and 4, coupler and rocker of 2.5 each: all is stretched where 3, 4, 5 is a triangle."""
    words = "'A' cannot be driven beyond 90 deg: limit of travel (motion 'motor')"
    assert stopped(ROCKER, **choices).endswith(words)


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
def test_each_variant_of_a_batch_and_of_a_study_tells_its_own() -> None:
    text = ROCKER.replace("motions:", "parameters: {m: 1 kg}\nmotions:").replace("crank: {mass: 1,", "crank: {mass: m,")
    words = "'A' cannot be driven beyond 90 deg: limit of travel (motion 'motor')"
    batch = jd.simulate_many(jd.load(text), 1.0, {"m": [1.0, 2.0]})
    study = jd.study(jd.load(text), 1.0, vary={"m": [1.0, 2.0]}, collect={"load": "max(A.load)"})
    for told in (batch.failures, study.failures):
        assert [words in said for said in told] == [True, True], told


def test_a_driven_speed_ends_there_too() -> None:
    text = ROCKER.replace("angle: 60 rpm * t, from: drawn", "speed: -60 rpm")
    assert "'A' cannot be driven beyond -90 deg: limit of travel (motion 'motor')" in stopped(text)


def test_sliders_come_to_their_end() -> None:
    text = (
        gallery.path("slider_crank").read_text()
        + "motions: {push: {joint: guide, displacement: 2 m/s * t, from: drawn}}"
    )
    # Crank and rod in line: 4 and 4 (1 + sqrt 3).
    assert "'guide' cannot be driven beyond 14.928 m: limit of travel (motion 'push')" in stopped(text)


def test_the_same_end_as_kinematics_finds() -> None:
    text = gallery.path("quick_return").read_text() + "motions: {motor: {joint: A, angle: 60 rpm * t, from: drawn}}"
    with pytest.warns(jd.SimulationWarning):
        limit = jd.kinematics(jd.load(text), "A").limits[0].value
    assert f"beyond {limit * 57.29577951308232:.5g} deg" in stopped(text)
