"""Branches, limits of travel and change points of four-bars, against their closed forms."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import jourdain as jd
from linkages import four_bar, pins, rates

TURN = 2 * math.pi


def coupler_point(run) -> np.ndarray:
    return run["coupler.C.x"] + 1j * run["coupler.C.y"]


@pytest.mark.parametrize("branch", [1, -1])
def test_both_branches_are_kept_over_four_turns(branch: int) -> None:
    lengths = (1, 3, 2.5, 3.2)
    run = jd.kinematics(four_bar(*lengths, branch=branch), "A", from_=0, to="1440 deg", speed=10, points=721)
    theta = np.linspace(0, 4 * TURN, 721)
    np.testing.assert_allclose(run["A.angle"], theta, atol=1e-12)
    np.testing.assert_allclose(coupler_point(run), pins(theta, *lengths, branch)[1], atol=1e-12)
    w2, w3, a2, a3 = rates(theta, 10, *lengths, branch)
    for channel, values in (("coupler.spin", w2), ("rocker.spin", w3), ("coupler.spin_rate", a2), ("D.speed", w3)):
        np.testing.assert_allclose(run[channel], values, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(run["rocker.spin_rate"], a3, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("scale", "speed"), [(1e-4, 1e-5), (1e-2, 1.0), (1e3, 1e4)])
def test_neither_size_nor_speed_nor_weight_matters(scale: float, speed: float) -> None:
    """Accelerations of a crank that turns once in a week are not lost beside that of gravity."""
    lengths = tuple(scale * x for x in (1, 3, 2.5, 3.2))
    run = jd.kinematics(four_bar(*lengths), "A", from_=0, to="720 deg", speed=speed, points=73)
    _, w3, a2, a3 = rates(run["A.angle"], speed, *lengths)
    np.testing.assert_allclose(coupler_point(run) / scale, pins(run["A.angle"], *lengths)[1] / scale, atol=1e-11)
    np.testing.assert_allclose(run["rocker.spin"] / speed, w3 / speed, atol=1e-11)
    np.testing.assert_allclose(run["coupler.spin_rate"] / speed**2, a2 / speed**2, atol=1e-11)
    np.testing.assert_allclose(run["rocker.spin_rate"] / speed**2, a3 / speed**2, atol=1e-11)
    assert len(run.dead_points) == 8


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("branch", [1, -1])
def test_branches_that_almost_touch_are_told_apart(gap: float, branch: int) -> None:
    """A Grashof linkage that misses its change point by `gap`, with samples that see nothing of it (12 a turn)."""
    lengths = (1, 3 + gap, 1.5, 3.5)
    run = jd.kinematics(four_bar(*lengths, branch=branch), "A", from_=1, to=1 + 3 * TURN, points=37)
    _, C, _, _ = pins(run["A.angle"], *lengths, branch)
    np.testing.assert_allclose(coupler_point(run), C, atol=1e-10)
    assert run.change_points == ()


def test_samples_do_not_decide_the_branch() -> None:
    """Two samples a turn, or a thousand: the same places."""
    lengths = (1, 3.001, 1.5, 3.5)
    m = four_bar(*lengths)
    few, many = (jd.kinematics(m, "A", from_=0, to=2 * TURN, points=n) for n in (5, 1001))
    np.testing.assert_allclose(coupler_point(few), coupler_point(many)[::250], atol=1e-11)


@pytest.mark.parametrize("points", [37, 100, 721])
def test_change_points_are_crossed_straight_on(points: int) -> None:
    """s + l = p + q: at 180 deg all pins are in line, and going straight on changes the branch."""
    lengths = (1, 3, 1.5, 3.5)
    run = jd.kinematics(four_bar(*lengths), "A", from_=math.pi, to=5 * math.pi, points=points)
    np.testing.assert_allclose([c.value for c in run.change_points], np.array([1, 3, 5]) * math.pi, atol=1e-7)
    theta = run["A.angle"]
    turns = np.floor((theta - math.pi) / TURN + 1e-12)
    _, C, _, _ = pins(theta, *lengths, np.where(turns % 2 == 0, -1, 1))
    np.testing.assert_allclose(coupler_point(run), C, atol=1e-9)  # joined by a cubic inside of a change point
    assert "change point at A.angle = 180 deg: two ways to go on" in str(run)


def test_a_parallelogram_stays_one() -> None:
    run = jd.kinematics(four_bar(1, 3, 1, 3), "A", from_=0, to="720 deg", speed=2, points=145)
    np.testing.assert_allclose(run["D.angle"] - run["D.angle"][0], 2 * run.t, atol=1e-9)
    np.testing.assert_allclose(run["coupler.spin"], 0.0, atol=1e-8)
    np.testing.assert_allclose([c.value for c in run.change_points], math.pi * np.arange(5), atol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_limits_of_linkages_that_cannot_turn(seed: int) -> None:
    """Random linkages without Grashof's property: the crank stops where coupler and rocker are in line."""
    rng = np.random.default_rng(seed)
    while True:
        a, b, c, d = lengths = rng.uniform(0.5, 3.0, 4)
        stretched = (a**2 + d**2 - (b + c) ** 2) / (2 * a * d)
        folded = (a**2 + d**2 - (b - c) ** 2) / (2 * a * d)
        if (
            max(lengths) + min(lengths) > sum(lengths) / 2 + 0.05
            and abs(stretched) < 0.97
            and max(lengths) < 0.9 * (sum(lengths) - max(lengths))
        ):
            break
    # B is nearer to D than b + c, and farther than |b - c|.
    limit = math.acos(stretched)
    inner = math.acos(folded) if abs(folded) < 1 else 0.0
    middle = 0.5 * (limit + inner)
    m = four_bar(*lengths, drawn=middle)
    ends = []
    for to in (20.0, -20.0):
        with pytest.warns(jd.SimulationWarning, match="limit of travel"):
            run = jd.kinematics(m, "A", to=to, points=301)
        assert not run.status.ok
        ends.append(run.limits[0].value)
    np.testing.assert_allclose(ends, [limit, inner if inner else -limit], atol=1e-13)


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("points", [7, 361])
def test_limits_that_almost_are_change_points(gap: float, points: int) -> None:
    """The other side of Grashof: the branches join, and the crank must turn back within a tiny bend of its path."""
    lengths = (1, 3 - gap, 1.5, 3.5)
    limit = math.acos((1 + 3.5**2 - (4.5 - gap) ** 2) / 7)
    with pytest.warns(jd.SimulationWarning, match="limit of travel"):
        run = jd.kinematics(four_bar(*lengths), "A", from_=0, to=3 * TURN, points=points)
    # cos(limit) is rounded to 1e-16, and the limit is near pi.
    assert abs(run.limits[0].value - limit) < 1e-15 / math.sin(limit) + 1e-13
    np.testing.assert_allclose(coupler_point(run), pins(run["A.angle"], *lengths)[1], atol=1e-9)


def test_the_pose_at_a_limit_and_the_samples_before_it() -> None:
    lengths = (2, 1.5, 2, 3)
    limit = math.acos((4 + 9 - 3.5**2) / 12)
    with pytest.warns(
        jd.SimulationWarning,
        match=r"'A' cannot be driven beyond 86.4166783 deg: limit of travel \(asked for 180 deg\); 87 of 181 samples",
    ):
        run = jd.kinematics(four_bar(*lengths, drawn=0.5), "A", from_=0, to="180 deg", points=181)
    assert abs(run.limits[0].value - limit) < 1e-14
    pose = run.limits[0].state
    # Coupler and rocker in line: their directions are opposite or equal.
    assert abs(math.sin(pose["coupler"].attitude - pose["rocker"].attitude)) < 1e-7
    np.testing.assert_allclose(coupler_point(run), pins(run["A.angle"], *lengths)[1], atol=1e-11)
    assert np.all(np.isfinite(run["rocker.spin"]))


def test_a_start_beyond_the_limit_is_refused() -> None:
    m = four_bar(2, 1.5, 2, 3, drawn=0.5)
    words = r"to from_ = 120 deg: limit of travel at 86.4166783 deg and 273.583322 deg"
    with pytest.raises(jd.ChoiceError, match=words):
        jd.kinematics(m, "A", from_="120 deg", to="180 deg")


def test_the_longer_way_round_where_the_shorter_is_blocked() -> None:
    """A double rocker reaches -85 deg + 360 deg from 85 deg only through zero."""
    m = four_bar(2, 1.5, 2, 3, drawn=math.radians(80))
    run = jd.kinematics(m, "A", from_="280 deg", to="300 deg", points=5)
    _, C, _, _ = pins(run["A.angle"], 2, 1.5, 2, 3)
    np.testing.assert_allclose(coupler_point(run), C, atol=1e-11)


def test_motions_through_time_stop_at_limits_too() -> None:
    m = four_bar(2, 1.5, 2, 3, drawn=0.5)
    m.motion("drive", joint="A", angle="0.5 + t**2")
    limit = math.acos((4 + 9 - 3.5**2) / 12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = jd.kinematics(m, duration=3.0, every=0.05)
    assert abs(run.limits[0].t - math.sqrt(limit - 0.5)) < 1e-13
    assert run.status.sentence.startswith(
        "stopped at t = 1.0041193 s: 'A' cannot be driven beyond 86.417 deg: limit of travel (motion 'drive'); 21 of 61"
    )
    assert run.limits[0].value is None


def test_resting_motions_are_no_singular_positions() -> None:
    """A driver that starts and stops: nothing moves there, and nothing is wrong."""
    m = four_bar(1, 3, 2.5, 3.2)
    m.motion("drive", joint="A", angle="2 - cos(t)")
    run = jd.kinematics(m, duration=TURN, every=TURN / 40)
    assert run.status.ok
    np.testing.assert_allclose(run["A.angle"], 2 - np.cos(run.t), atol=1e-13)
    np.testing.assert_allclose(run["A.speed"], np.sin(run.t), atol=1e-13)
    turned = [d.t for d in run.dead_points]
    assert not np.any(np.abs(np.array(turned) - math.pi) < 1e-3)  # the driver turns back there, and all with it


def test_a_point_that_is_drawn_at_a_limit_of_its_travel_cannot_drive():
    m = jd.Mechanism("bar")
    bar = m.body("bar", mass=1, inertia=1, position=(0.5, 0), points={"A": (-0.5, 0), "P": (0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    with pytest.raises(jd.MechanismError, match=r"'bar\.P\.x' stands still in every motion"):
        jd.kinematics(m, "bar.P.x", from_="900 mm", to="500 mm")
    run = jd.kinematics(m, "bar.P.y", from_="0 mm", to="500 mm")
    assert run["bar.angle"][-1] == pytest.approx(np.pi / 6)
