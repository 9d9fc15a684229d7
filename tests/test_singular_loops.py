"""Loops judged one by one: what carrying and solving them counts, how near they are to depending on each other.

Oracles: the exact motion of a row of parallelograms, the dense J and its singular values, coordinates of bodies.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import jourdain as jd
import machines
import singular_machines
from jourdain.assembly.prepare import dropped_of, prepare, rows_chosen_anew, without_rows
from jourdain.engine.body_states import body_motion
from jourdain.engine.pose import Pose
from jourdain.engine.row_independence import row_independence
from jourdain.kernels.layout import fields as f
from jourdain.kernels.layout import tree_table as t
from test_crossing import parallelograms


def ladder(stages: int) -> jd.Mechanism:
    """Crossed bars, stage on stage, pinned at their middles and ends."""
    m = jd.Mechanism("ladder", gravity=(1.0, -9.81))
    below: list[dict[str, object]] = []
    for k in range(stages):
        bars = []
        for name, angle in (("u", 0.4), ("d", np.pi - 0.4)):
            bar = m.body(f"{name}{k}", mass=1, inertia=0.1, position=(0.5, (k + 0.5) * np.tan(0.4)), angle=angle)
            half = 0.5 / np.cos(0.4)
            bars.append({"L": bar.point("L", (-half, 0)), "C": bar.point("C", (0, 0)), "R": bar.point("R", (half, 0))})
        m.revolute(f"C{k}", bars[0]["C"], bars[1]["C"])
        if below:
            m.revolute(f"A{k}", below[1]["R"], bars[0]["L"])
            m.revolute(f"B{k}", below[0]["R"], bars[1]["L"])
        else:
            m.revolute("A", m.ground.point("A", (0, 0)), bars[0]["L"])
            m.point_on_line("B", m.ground.point("B", (0, 0)), bars[1]["L"])
        below = bars
    return m


def counted(model) -> int:
    """Multiplications of one elimination of the rows, but for constant factors."""
    fields = model.fields
    passing = fields[t.SPOT_RANGES][:, 2] - fields[t.SPOT_RANGES][:, 1]
    return int(np.sum(passing**2) + len(fields[t.CLOSING_UPDATES]) + len(fields[t.NEIGHBOURS]))


@pytest.mark.parametrize("make", [machines.n_four_bar, ladder], ids=["at the ground", "at bars"])
def test_what_loops_cost_grows_with_their_number(make) -> None:
    """By operations: five times the loops, at most 5.5 times the work."""
    counts = [counted(prepare(make(n).frozen(), "relative").model) for n in (20, 100)]
    assert counts[1] < 5.5 * counts[0]


@pytest.mark.parametrize("make", [machines.n_four_bar, ladder], ids=["at the ground", "at bars"])
def test_many_loops_accelerate_as_in_coordinates_of_bodies(make) -> None:
    found = []
    for coordinates in ("relative", "angle"):
        prepared = prepare(make(30).frozen(), coordinates)
        y = prepared.assembly.y
        status, slope = Pose(prepared.model, prepared.workspace).slope(0.0, y)
        assert status == 0
        found.append(body_motion(prepared.model, y[None], slope[None, prepared.model.layout.v])[5][0])
    assert np.max(np.abs(found[0] - found[1])) < 1e-10 * np.max(np.abs(found[1]))


@pytest.mark.parametrize("coordinates", ["angle", "natural", "relative"])
def test_a_row_of_forty_is_right_in_every_set(coordinates: str) -> None:
    """Through ten positions in which forty loops lose rank at once; the factors stay sparse."""
    times = np.linspace(0, 5, 51)
    run = jd.simulate(machines.n_four_bar(40), times=times, coordinates=coordinates)
    assert run.status.ok, run.status
    angle = parallelograms(40, times)
    for k in (0, 17, 40):
        np.testing.assert_allclose(run[f"link{k}.x"], k + 0.5 * np.sin(angle), atol=1e-7)


def test_independence_is_the_smallest_angle_of_a_row() -> None:
    """Zero with the rank, and no smaller than J's singular value, which a combination of all rows would be."""
    for name in ("four_bar", "slider_crank", "bricard", "stewart_platform"):
        prepared = prepare(jd.example(name), None)
        pose, y = Pose(prepared.model, prepared.workspace), prepared.assembly.y
        J = pose.scaled_jacobian(0.0, y)[[k for k, row in enumerate(prepared.model.rows) if not row.dropped]]
        assert row_independence(pose, 0.0, y).least >= 0.999 * np.linalg.svd(J, compute_uv=False)[-1]
    for coordinates in ("angle", "relative"):
        prepared = prepare(machines.n_four_bar(3).frozen(), coordinates)
        pose, y = Pose(prepared.model, prepared.workspace), prepared.assembly.y
        assert row_independence(pose, 0.0, y).least > 0.05


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
def test_independence_goes_straight_through_zero() -> None:
    """Goldberg's loop, on its way through a singular position at 0.808 s: no jump, zero there, the angle by NumPy.

    The sine of a row's angle to all others is 1 / sqrt(its diagonal entry of (S S^T)^-1), rows of S being of length
    one. The row with the smallest angle has the largest part in the combination that vanishes, up to the square of
    the ratio of the two smallest singular values, here at most 1/20.
    """
    session = jd.session(singular_machines.random_case(1013).mechanism, integrator="rk4", step=2e-4)
    beside = prepare(singular_machines.random_case(1013).mechanism, None)  # with the equations left out at the start
    model, pose = beside.model, Pose(beside.model, beside.workspace)
    kept = [k for k, row in enumerate(model.rows) if not row.dropped]
    times, found = np.linspace(0.79, 0.826, 13), []
    for time in times:
        session.advance(to=time)
        S = pose.scaled_jacobian(time, session.y)[kept]
        found.append(row_independence(pose, time, session.y).least)
        true = 1.0 / np.sqrt(np.max(np.diag(np.linalg.inv(S @ S.T))))
        assert true <= 1.0001 * found[-1]
        assert found[-1] < 1.05 * true
    signed = np.where(times < 0.8083, found, -np.array(found))
    assert np.max(np.abs(signed - np.polyval(np.polyfit(times, signed, 2), times))) < 1e-4


@pytest.mark.parametrize("coordinates", ["angle", "relative"])
def test_the_joints_of_a_singular_loop_are_named_and_no_others(coordinates: str) -> None:
    """A flat parallelogram beside a four-bar that is nowhere near: only its own joints depend on each other."""
    m = jd.Mechanism("two loops", gravity=(0, -9.81))
    for loop, (x, angle) in {"flat": (0.0, 1e-5), "steep": (10.0, 1.0)}.items():
        c, s = np.cos(angle), np.sin(angle)
        bars = []
        for k, place in enumerate(((x, 0.0), (x + 1.0, 0.0))):
            bar = m.body(f"{loop}{k}", mass=1, inertia=0.1, position=(place[0] + c / 2, s / 2), angle=angle)
            m.revolute(f"{loop}A{k}", m.ground.point(f"{loop}{k}", place), bar.point("A", (-0.5, 0)))
            bars.append(bar.point("B", (0.5, 0)))
        top = m.body(f"{loop}top", mass=1, inertia=0.1, position=(x + c + 0.5, s))
        m.revolute(f"{loop}L", bars[0], top.point("L", (-0.5, 0)))
        m.revolute(f"{loop}R", top.point("R", (0.5, 0)), bars[1])
    prepared = prepare(m.frozen(), coordinates)
    found = row_independence(Pose(prepared.model, prepared.workspace), 0.0, prepared.assembly.y, names=True)
    assert found.least < 1e-4
    assert found.joints
    assert all(name.startswith("flat") for name in found.joints)


@pytest.mark.parametrize("coordinates", ["angle", "relative"])
def test_a_rank_that_is_lost_leaves_the_factors_sparse(coordinates: str) -> None:
    """A parallelogram drawn flat, at rest: a row gets no multiplier, and J v' = 0 holds for all rows all the same."""
    m = jd.Mechanism("flat", gravity=(0, -9.81))
    ends = []
    for k in range(2):
        bar = m.body(f"b{k}", mass=1, inertia=0.1, position=(k + 0.5, 0), angle=0.0)
        m.revolute(f"A{k}", m.ground.point(f"A{k}", (k, 0)), bar.point("A", (-0.5, 0)))
        ends.append(bar.point("B", (0.5, 0)))
    top = m.body("top", mass=1, inertia=0.1, position=(1.5, 0), angle=0.0)
    m.revolute("L", ends[0], top.point("L", (-0.5, 0)))
    m.revolute("R", top.point("R", (0.5, 0)), ends[1])
    prepared = prepare(m.frozen(), coordinates)
    pose, y = Pose(prepared.model, prepared.workspace), prepared.assembly.y
    status, slope = pose.slope(0.0, y)
    assert status == 0
    assert prepared.workspace.ctx[f.H_DENSE] == 0
    assert prepared.workspace.ctx[f.H_RANK] == prepared.workspace.ctx[f.H_ROWS] - 1
    assert np.max(np.abs(pose.jacobian(0.0, y) @ slope[prepared.model.layout.v])) < 1e-9
    assert np.max(np.abs(slope[prepared.model.layout.v])) > 1.0  # it falls


@pytest.mark.parametrize(
    ("example", "ways"),
    [("row", {"recipe": "amesim"}), ("slider", {"recipe": "amesim"})],
)
def test_a_method_that_leaves_its_branch_is_stopped_and_says_so(example: str, ways: dict[str, str]) -> None:
    m = machines.n_four_bar(2) if example == "row" else jd.example("singular_slider_crank")
    with pytest.warns(jd.SimulationWarning, match="another branch"):
        run = jd.simulate(m, 5.0, **ways)
    assert not run.status.ok
    assert "singular position at t = " in run.status.sentence
    assert ("'L1'" if example == "row" else "'B'") in run.status.sentence


def test_an_iteration_that_converges_goes_through_on_its_branch() -> None:
    """The slider-crank with masses at the ends of its links, whose rows stay apart in the singular position."""
    m = jd.example("singular_slider_crank")
    run, exact = (jd.simulate(m, 5.0, **ways) for ways in ({"treatment": "uzawa"}, {"rtol": 1e-11}))
    assert run.status.ok, run.status
    np.testing.assert_allclose(run["rod.x"], exact["rod.x"], atol=1e-7)


def test_a_method_that_holds_its_branch_is_left_alone() -> None:
    """Baumgarte's drift is no other branch."""
    times = np.linspace(0, 2, 21)
    run = jd.simulate(machines.n_four_bar(2), times=times, stabilisation="baumgarte", integrator="rk4", step=1e-3)
    assert run.status.ok, run.status
    np.testing.assert_allclose(run["link1.x"], 1 + 0.5 * np.sin(parallelograms(2, times)), atol=1e-4)


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize("seed", [7, 8, 9, 31, 4, 5, 6])
def test_random_machines_are_right_or_stopped(seed: int) -> None:
    """One of each family; `make soak ARGS=singular` has a thousand, with rk4 and radau too."""
    found = singular_machines.judged(seed, methods=("auto",))
    assert not [words for verdict, words in found if verdict == "WRONG"]
    assert [verdict for verdict, _ in found] == ["right", "right"]


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize(("seed", "coordinates"), [(1008, "relative"), (1024, None), (1030, "relative"), (1052, None)])
def test_long_steps_are_judged_behind_a_position(seed: int, coordinates: str | None) -> None:
    """radau crawls through it, and what rounding leaves of velocities is another branch, or a jump of a thousandth.

    It is rounding, too, whether it comes through at all: right, or stopped behind the position or before it, and then
    with the names of joints of the loop.
    """
    ((verdict, words),) = singular_machines.judged(seed, (coordinates,), ("radau",))
    assert verdict in ("right", "stopped"), words
    if verdict == "stopped":
        named = re.search(r"a singular position .*where equations of ((?:'\w+'(?:, )?)+) depend on each other", words)
        assert named, words
        assert set(re.findall(r"\w+", named[1])) <= set("ABCD"), words


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
def test_fixed_steps_are_judged_behind_a_position() -> None:
    """A deltoid of which a step of rk4 ends so near to its position that what is left of its velocities is rounding.

    Whether it does is rounding, too: right within what steps of rk4 err by, or stopped.
    """
    ((verdict, words),) = singular_machines.judged(1101, (None,), ("rk4",))
    assert verdict in ("right", "stopped"), words


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize("lanes", [False, True])
def test_variants_of_a_batch_end_as_they_would_alone(lanes: bool) -> None:
    """The same deltoid: near the position a variant is left to `simulate`, so it stops, or does not, as there."""
    case = singular_machines.random_case(1101)
    times = np.linspace(0.0, case.duration, 41)[:10]
    how = {"times": times, "integrator": "rk4", "step": 2e-3 * np.sqrt(case.size / 9.81)}
    masses = case.mechanism.frozen().bodies[0].mass * np.array([1.0, 1.01])
    many = jd.simulate_many(case.mechanism, variants={"bar0.mass": masses}, lanes=lanes, **how)
    alone = jd.simulate(case.mechanism, **how)
    assert many.statuses[0].sentence == alone.status.sentence
    np.testing.assert_array_equal(many[0]["bar0.x"], alone["bar0.x"])


def rotor() -> jd.Mechanism:
    """A slider on it is held by a ball besides, along the slide: two of three equations of the ball are too many."""
    m = jd.Mechanism("rotor", gravity=(0, 0, -9.81))
    still = {"velocity": None, "spin": (0, 0, 3.0)}
    rotor = m.body("rotor", mass=2, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0), **still)
    slider = m.body("slider", mass=1, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0), **still)
    m.revolute("axle", bodies=(m.ground, rotor), at=(0, 0, 0), axis=(0, 0, 1))
    m.prismatic("slide", bodies=(rotor, slider), at=(1, 0, 0), axis=(1, 0, 0))
    m.spherical("ball", bodies=(rotor, slider), at=(1, 0.2, 0.1))
    return m


@pytest.mark.parametrize("coordinates", ["quaternion", "relative"])
@pytest.mark.parametrize("how", [{}, {"integrator": "rk4", "step": 5e-3}], ids=["auto", "rk4"])
def test_redundant_equations_are_chosen_anew_as_a_loop_turns(coordinates: str, how: dict[str, object]) -> None:
    """Which equations of the ball are too many depends on how far the rotor has turned.

    A quarter of a turn later the one that was kept says nothing. It turns steadily, and no position is singular.
    """
    times = np.linspace(0, 1.75, 36)  # the last choice is not the first one again
    run = jd.simulate(rotor(), times=times, coordinates=coordinates, **how)
    assert run.status.ok, run.status
    np.testing.assert_allclose(run["slider.x"], np.cos(3 * times), atol=1e-7)
    np.testing.assert_allclose(run["slider.y"], np.sin(3 * times), atol=1e-7)
    notes = " ".join(run.status.notes)
    assert "singular" not in notes and "lost rank" not in notes
    assert "others bear no load in place of those left out at the start" in notes


def test_a_checkpoint_knows_which_equations_are_left_out() -> None:
    """A four-bar of ordinary revolutes in space, three rows too many, gone on with after a quarter of a turn."""
    m = jd.example("spatial_four_bar")
    first, second = (jd.session(m, coordinates="quaternion", integrator="rk4", step=1e-2) for _ in range(2))
    first.advance(to=0.3)
    other = rows_chosen_anew(first.loop.workspace, first.t, first.y)
    left_out = dropped_of(first.loop.workspace.model)
    if other is None:  # the same are best: one row elsewhere is as good
        joint, k = left_out[0]
        other = without_rows(first.loop.workspace, [(joint, (k + 1) % 5), *left_out[1:]], first.t, first.y)
    first.rows.use(other)
    first.loop.begin_anew()
    assert dropped_of(first.loop.workspace.model) != left_out
    mark = first.checkpoint()
    second.restore(mark)
    assert dropped_of(second.loop.workspace.model) == dropped_of(first.loop.workspace.model)
    for session in (first, second):
        session.advance(to=0.6)
    np.testing.assert_array_equal(first.y, second.y)


def test_numbers_are_set_where_equations_were_chosen_anew() -> None:
    """Kinetic energies of the rotor at 3 rad/s; its numbers go where the equations are solved by then."""
    session = jd.session(rotor(), coordinates="quaternion", integrator="rk4", step=5e-3)
    left_out = dropped_of(session.loop.workspace.model)
    session.set("slider.mass", 1.5)
    session.advance(to=0.8)
    assert dropped_of(session.loop.workspace.model) != left_out
    for mass in (1.5, 2.0):
        session.set("slider.mass", mass)
        assert session["energy.kinetic"] == pytest.approx(0.5 * 9 * (0.2 + 0.1 + mass), rel=1e-7)
        session.advance(0.1)
        assert session["energy.kinetic"] == pytest.approx(0.5 * 9 * (0.2 + 0.1 + mass), rel=1e-7)
