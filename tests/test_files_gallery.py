"""The mechanisms that come with the package: each loads, assembles, runs to its end, and means what it says."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.files import gallery, load

# Degrees of freedom by counting: bodies, less what joints and motions hold, plus what is redundant.
FREEDOMS = {
    "andrews_squeezer": 1,
    "bricard": 1,
    "double_inverted_pendulum": 3,
    "double_pendulum": 2,
    "flyball_governor": 2,  # spindle and arms
    "four_bar": 1,
    "hanging_chain": 10,
    "heavy_top": 3,
    "jansen_leg": 0,  # one, driven
    "motor_crank": 1,
    "n_four_bar": 1,
    "peaucellier": 0,
    "pendulum": 1,
    "quick_return": 1,
    "rolling_disc": 3,
    "rssr": 1,  # the rod spins about itself; the crank is driven
    "scissor_lift": 0,
    "singular_slider_crank": 1,
    "slider_crank": 1,
    "spatial_four_bar": 1,
    "stewart_platform": 0,  # six, all driven
    "two_bars": 9,
    "universal_shaft": 0,
}


@cache
def run_of(name: str) -> jd.Solution:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return jd.simulate(load(gallery.path(name)))


def test_every_example_is_in_the_table() -> None:
    assert gallery.example_names() == sorted(FREEDOMS)


@pytest.mark.parametrize("name", gallery.example_names())
def test_examples_run_as_they_say(name: str) -> None:
    mechanism = load(gallery.path(name))
    assert len(mechanism.description.split()) > 15
    run = run_of(name)
    assert run.status.ok, run.status.sentence
    assert not [note for note in run.status.notes if "moved body" in note or "changed" in note]
    assert run.redundancy.freedoms == FREEDOMS[name]
    assert np.max(run.violation.position) < 1e-10 * 10
    energy = run.energy
    scale = max(float(np.max(np.abs(part))) for part in (energy.kinetic, energy.potential - energy.potential[0]))
    assert np.ptp(energy.total) < 1e-6 * scale


def test_an_example_that_is_none() -> None:
    with pytest.raises(jd.JourdainError, match=r"no example 'fourbar'; known: .* \(did you mean 'four_bar'\?\)"):
        gallery.path("fourbar")


# What they mean -----------------------------------------------------------------------------------------------------


def _pendulum(run: jd.Solution) -> None:
    # Let go level, a bar turns through its lowest point with w^2 = 3 g / L.
    assert np.max(np.abs(run["bar.spin"])) == pytest.approx(math.sqrt(3 * 9.81), rel=1e-3)


def _peaucellier(run: jd.Solution) -> None:
    assert np.ptp(run["DA.D.x"]) < 1e-12
    assert np.ptp(run["DA.D.y"]) > 0.2


def _jansen(run: jd.Solution) -> None:
    x, y = run["foot_plate.toe.x"], run["foot_plate.toe.y"]
    low = y < np.min(y) + 0.02  # the foot is on the ground for more than a third of the way, along half its stride
    assert np.mean(low) > 0.35
    assert np.ptp(x[low]) > 0.5 * np.ptp(x)


def _universal(run: jd.Solution) -> None:
    bend, turn = math.radians(25), run["A.angle"]
    middle = np.unwrap(np.arctan2(np.sin(turn), np.cos(turn) * math.cos(bend)))  # tan(out) = tan(in) / cos(bend)
    assert np.max(np.abs(run["D.angle"] - turn)) < 1e-8
    assert np.ptp(middle - turn) > 0.05


def _rssr(run: jd.Solution) -> None:
    a, c, d = 0.1, 0.3, 0.5
    turn, rock = run["O.angle"], run["Q.angle"]
    gap = (d + c * np.sin(rock) - a * np.cos(turn)) ** 2 + (a * np.sin(turn)) ** 2 + (c * np.cos(rock)) ** 2
    assert np.max(np.abs(np.sqrt(gap) - 0.5)) < 1e-10


def _governor(run: jd.Solution) -> None:
    assert np.max(np.abs(run["right_arm.angle"] - run["left_arm.angle"])) < 1e-7
    assert np.max(np.hypot(run["right.ball.x"], run["right.ball.y"])) > 0.19


def _top(run: jd.Solution) -> None:
    # A fast top precesses at about m g l / (I3 spin).
    turned = np.unwrap(np.arctan2(run["top.tip.y"], run["top.tip.x"]))
    steady = 9.81 * 0.15 / (0.5 * 0.08**2 * 1500 * 2 * math.pi / 60)
    assert turned[-1] / 3.0 == pytest.approx(steady, rel=0.05)
    assert np.min(run["top.tip.z"]) > 0.0


def _coin(run: jd.Solution) -> None:
    assert np.allclose(np.hypot(run["coin.x"], run["coin.y"]), 0.12, atol=1e-6)


def _lift(run: jd.Solution) -> None:
    foot = math.cos(math.radians(20)) - 0.1 * run.t
    assert np.allclose(run["platform.y"], 3 * np.sqrt(1 - foot**2), atol=1e-9)


def _motor(run: jd.Solution) -> None:
    when = float(np.interp(20 * math.pi, run["O.angle"], run.t))
    assert 0.5 < when < 4.5
    assert abs(run["crank.spin"][-1]) < 0.2 * np.max(np.abs(run["crank.spin"]))


def _stewart(run: jd.Solution) -> None:
    weight = 50 * 9.81 + 6 * 6 * 9.81
    base = sum(run[f"leg{k}_base.fz"] for k in range(1, 7))
    assert np.mean(base) == pytest.approx(weight, rel=0.05)  # on the average over two periods the legs bear the weight


MEANINGS: dict[str, Callable[[jd.Solution], None]] = {
    "pendulum": _pendulum,
    "peaucellier": _peaucellier,
    "jansen_leg": _jansen,
    "universal_shaft": _universal,
    "rssr": _rssr,
    "flyball_governor": _governor,
    "heavy_top": _top,
    "rolling_disc": _coin,
    "scissor_lift": _lift,
    "motor_crank": _motor,
    "stewart_platform": _stewart,
}


@pytest.mark.parametrize("name", MEANINGS)
def test_examples_mean_what_they_say(name: str) -> None:
    MEANINGS[name](run_of(name))


SAME: dict[str, Callable[[], jd.Mechanism]] = {
    "andrews_squeezer": machines.andrews,
    "bricard": machines.bricard,
    "double_inverted_pendulum": machines.double_inverted_pendulum,
    "double_pendulum": machines.double_pendulum,
    "four_bar": machines.four_bar,
    "n_four_bar": lambda: machines.n_four_bar(2),
    "pendulum": machines.pendulum_bar,
    "quick_return": machines.quick_return,
    "singular_slider_crank": machines.slider_crank_singular,
    "slider_crank": machines.slider_crank,
    "spatial_four_bar": machines.spatial_four_bar,
    "two_bars": machines.two_bars,
}


@pytest.mark.parametrize("name", SAME)
def test_files_are_the_machines_that_are_tested_against_the_references(name: str) -> None:
    """Accelerations at the start agree with the machine in Python, whose motion `test_reference.py` checks."""
    a, b = (jd.simulate(m, times=[0.0]) for m in (load(gallery.path(name)), SAME[name]()))
    bodies = [body.name for body in a.model.blueprint.bodies]
    other = [body.name for body in b.model.blueprint.bodies]
    channels = ("ax", "ay") if a.model.blueprint.dim == 2 else ("ax", "ay", "az")
    found, wanted = (np.array([[run[f"{n}.{c}"][0] for c in channels] for n in names])
                     for run, names in ((a, bodies), (b, other)))  # fmt: skip
    assert np.allclose(found, wanted, atol=1e-8 * max(1.0, float(np.max(np.abs(wanted)))), rtol=0)
