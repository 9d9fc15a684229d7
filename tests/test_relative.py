"""Joint coordinates as a coordinate set: the same accelerations, reactions and motions as the default set.

The default set is proved against complex steps and Lagrange's equations in test_identities.py; here both solve the same
random trees and loops. Their solutions agree to 100 eps times the condition of the constraints, squared because both
work on K, or to 1e-9.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.assembly.prepare import prepare
from jourdain.engine.body_states import body_motion
from jourdain.engine.kernel_cache import load_kernels, load_recursion
from jourdain.engine.pose import Pose
from jourdain.model.topology.carrying import carrying, meeting_point
from random_mechanisms import random_mechanism
from random_trees import random_tree

DEFAULT = {"planar": "angle", "spatial": "quaternion"}
EPS = np.finfo(float).eps
SPACES = ("planar", "spatial")


def evaluated(m, coordinates, t=0.0):
    """What is reported at the start: prepared, motion of all bodies, reactions, energies."""
    p = prepare(m, coordinates)
    k, w = load_kernels(), p.workspace
    c = k.context
    out = np.zeros(p.model.outputs.length)
    y = p.assembly.y.copy()
    assert k.dynamics.call_entry(w.ctx, c.F_OUTPUTS, t, y, out) == c.OK
    motion = body_motion(p.model, y[None], out[None, : p.model.nv])
    return p, motion, w[c.WRENCHES].copy(), w[c.ENERGY][:, 0].copy()


def bar_of(p):
    """1e-9, or 100 cond eps with the condition of K."""
    kept = [k for k, row in enumerate(p.model.rows) if not row.dropped]
    if not kept:
        return 1e-9
    singular = np.linalg.svd(Pose(p.model, p.workspace).scaled_jacobian(0.0, p.assembly.y)[kept], compute_uv=False)
    return max(1e-9, 100 * EPS * (singular[0] / singular[-1]) ** 2)


def unique_sides(p):
    joints = [joint.name for joint in p.model.blueprint.joints]
    return [s for k, j in enumerate(joints) if all(p.redundancy.unique[j].values()) for s in (2 * k, 2 * k + 1)]


def assert_same(m):
    p, motion, wrenches, energy = evaluated(m, DEFAULT[m.space])
    r, found, reactions, energies = evaluated(m, "relative")
    bar = bar_of(p)
    for part, expected in zip(found, motion, strict=True):
        if part is not None and expected is not None:
            np.testing.assert_allclose(part, expected, rtol=0, atol=bar * max(1.0, np.max(np.abs(expected))))
    sides = unique_sides(p)
    scale = max(1.0, np.max(np.abs(wrenches), initial=0.0))
    np.testing.assert_allclose(reactions[sides], wrenches[sides], rtol=0, atol=bar * scale)
    np.testing.assert_allclose(energies, energy, rtol=0, atol=1e-9 * max(1.0, np.max(np.abs(energy))))
    return r


# Accelerations and reactions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("space", SPACES)
def test_loops(space, seed):
    assert_same(random_mechanism(seed, space, bodies=6, loops=3))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("space", SPACES)
def test_trees(space, seed):
    r = assert_same(random_tree(seed, space, bodies=8, forces=True))
    assert r.model.padded == 0


@pytest.mark.parametrize("space", SPACES)
def test_random_loops_close_at_junctions_and_at_the_ground_and_have_redundant_rows(space):
    prepared = [prepare(random_mechanism(seed, space, bodies=6, loops=3), "relative") for seed in range(12)]
    places = {j for p in prepared for j in p.model.carried.values()}
    assert 0 in places
    assert places - {0}
    assert any(p.redundancy.dropped for p in prepared)


def ladder(cells: int) -> jd.Mechanism:
    """Four-bars hung into each other: bar k + 1 and coupler k hang from bar k, so that each loop closes at a bar."""
    m = jd.Mechanism("ladder", gravity=(0, -9.81))
    previous, here = m.ground, (0.0, 0.0)
    for k in range(cells):
        bar = m.body(f"bar{k}", mass=1, inertia=0.1, position=(here[0], here[1] - 0.5), angle=0.1 * (k == 0))
        m.revolute(f"hang{k}", previous.point(f"p{k}", _local(previous, k)), bar.point("top", (0, 0.5)))
        side = m.body(f"side{k}", mass=0.5, inertia=0.05)
        rung = m.body(f"rung{k}", mass=0.3, inertia=0.02)
        m.revolute(f"a{k}", bar.point("a", (0.4, 0.2)), side.point("top", (0, 0.3)))
        m.revolute(f"b{k}", side.point("foot", (0, -0.3)), rung.point("far", (0.2, 0)))
        m.revolute(f"c{k}", rung.point("near", (-0.2, 0)), bar.point("b", (0, -0.4)))
        previous, here = bar, (here[0], here[1] - 1.0)
    return m


def _local(body, k):
    return (0.0, 0.0) if k == 0 else (0.0, -0.5)


def test_loops_along_a_chain_are_solved_where_they_close():
    r = assert_same(ladder(5))
    links = r.model.tree.graph.links
    names = {links[j - 1].body for j in r.model.carried.values()}
    assert names == {f"bar{k}" for k in range(5)}
    # So no link carries rows of more than its own loop, however long the chain is.
    common = load_recursion("planar").common
    ranges = r.model.fields[common.SPOT_RANGES]
    assert np.max(ranges[:, 2] - ranges[:, 0]) == 2


def test_rows_that_only_the_way_to_the_ground_can_hold_are_carried_on():
    """A rod that fixes the distance of two welded points of a pendulum's parts has no freedom inside its loop."""
    m = jd.Mechanism("stiff", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, position=(0.5, 0))
    b = m.body("b", mass=1, inertia=0.1, position=(1.5, 0))
    m.revolute("O", m.ground.point("O", (0, 0)), a.point("O", (-0.5, 0)))
    m.weld("W", a.point("W", (0.5, 0)), b.point("W", (-0.5, 0)))
    m.motion("M", joint="O", angle="0.3*t")
    r = assert_same(m)
    assert set(r.model.carried.values()) == {0}


def test_meeting_points():
    parents = [0, 0, 1, 2, 1, 4, 0]
    depths = [0, 1, 2, 3, 2, 3, 1]
    assert meeting_point(parents, depths, [3, 5]) == 1
    assert meeting_point(parents, depths, [3, 2]) == 2
    assert meeting_point(parents, depths, [5, 6]) == 0
    assert meeting_point(parents, depths, [3]) == 0
    plan = carrying(parents, [0, 1, 1, 1, 1, 1, 1], [(0, 3), (0, 5)], {0: [0, 1]}, 2, {})
    # Carried past links 3, 2, 5 and 4, and solved at 1.
    assert [int(r[2] - r[1]) for r in plan.ranges] == [0, 0, 2, 2, 2, 2, 0]
    assert plan.ranges[1, 1] - plan.ranges[1, 0] == 2
    assert plan.crossings == 8


# Singular positions and redundancy --------------------------------------------------------------------------------


def test_a_spatial_four_bar_of_ordinary_revolutes():
    run = jd.simulate(jd.example("spatial_four_bar"), 2.0, recipe="recursive")
    plain = jd.simulate(jd.example("spatial_four_bar"), 2.0)
    assert len(run.redundancy.dropped) == 3
    for body in plain.blueprint.bodies:
        for axis in "xyz":
            np.testing.assert_allclose(run[f"{body.name}.{axis}"], plain[f"{body.name}.{axis}"], atol=1e-6)


def test_the_equal_link_slider_crank_keeps_its_branch():
    run = jd.simulate(jd.example("singular_slider_crank"), 3.0, recipe="recursive", integrator=jd.Rk4(1e-3))
    plain = jd.simulate(jd.example("singular_slider_crank"), 3.0, integrator=jd.Rk4(1e-3))
    assert run.status.ok
    for channel in ("crank.angle", "rod.C.x"):
        np.testing.assert_allclose(run[channel], plain[channel], atol=1e-7)


def test_where_rank_is_lost_the_dense_way_gives_the_same_accelerations():
    """K is built from the tree, column by column, as soon as the rank is said to be known."""
    r = prepare(machines.four_bar(), "relative")
    k = load_kernels()
    c = k.context
    y = r.assembly.y.copy()
    found = []
    for dense in (0, 1):
        out = np.zeros(r.model.outputs.length)
        r.workspace.ctx[c.H_EXPECTED_RANK] = dense * r.model.padded
        assert k.dynamics.call_entry(r.workspace.ctx, c.F_OUTPUTS, 0.0, y, out) == c.OK
        assert r.workspace.ctx[c.H_DENSE] == dense
        found.append(out)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-9)


# Motions ----------------------------------------------------------------------------------------------------------


GALLERY = ("andrews_squeezer", "bricard", "flyball_governor", "motor_crank", "rolling_disc", "universal_shaft", "rssr")


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallery_moves_alike(name):
    duration = 0.03 if name == "andrews_squeezer" else 1.0
    plain, run = (
        jd.simulate(jd.example(name), duration, every=duration / 10, recipe=recipe, rtol=1e-9)
        for recipe in ("auto", "recursive")
    )
    assert run.status.ok
    assert str(run.choices) == "relative, recursion + projection, dop853 (recipe recursive)"
    unique = plain.redundancy.unique
    for channel in plain.channels:
        owner = channel.partition(".")[0]
        if owner == "violation" or not all(unique.get(owner, {"": True}).values()):
            continue
        expected = plain[channel]
        scale = max(1.0, float(np.max(np.abs(expected))))
        off = run[channel] - expected
        if re.search(r"[.](bryan|euler)_", channel):  # half a turn has either sign
            off = np.angle(np.exp(1j * off))
        assert np.max(np.abs(off)) <= 1e-6 * scale, channel


def test_a_run_can_be_continued_and_counts_its_turns():
    m = jd.Mechanism("wheel")
    wheel = m.body("wheel", mass=1, inertia=1, angle=7.0, spin=3.0)
    arm = m.body("arm", mass=0.1, inertia=0.1, position=(0, 0), spin=3.0)
    m.revolute("O", m.ground.point("O", (0, 0)), wheel.point("O", (0, 0)))
    m.revolute("P", wheel.point("P", (0, 0)), arm.point("P", (0, 0)))
    half = jd.simulate(m, 4.0, recipe="recursive")
    rest = jd.simulate(m, times=[4.0, 8.0], recipe="recursive", state=half.state())
    assert half["wheel.angle"][0] == pytest.approx(7.0, abs=1e-12)
    assert rest["wheel.angle"][-1] == pytest.approx(7.0 + 24.0, abs=1e-9)
    assert rest["arm.angle"][-1] == pytest.approx(24.0, abs=1e-9)


def test_quaternions_of_a_spinning_body_are_continuous():
    m = jd.Mechanism("spin", space="spatial", gravity=(0, 0, 0))
    m.body("top", mass=1, inertia=(1, 1, 1), spin=(0, 0, 10.0))
    run = jd.simulate(m, 2.0, every=0.4, recipe="recursive")
    np.testing.assert_allclose(run["top.qw"], np.cos(5.0 * run.t), atol=1e-7)
    np.testing.assert_allclose(run["top.qz"], np.sin(5.0 * run.t), atol=1e-7)


def test_joints_that_events_switch_are_cut():
    m = machines.four_bar()
    m.event("let_go", when="t - 0.5", off="C")
    run = jd.simulate(m, 1.0, recipe="recursive", rtol=1e-9)
    plain = jd.simulate(m, 1.0, rtol=1e-9)
    assert "C" in {joint.name for joint in run.model.tree.graph.cuts}
    for channel in ("coupler.x", "coupler.y", "crank.angle", "energy.total"):
        np.testing.assert_allclose(run[channel], plain[channel], atol=1e-6)


METHODS = (jd.Rk4(1e-3), jd.Rk6(2e-3), jd.Ab6(1e-3), "dopri5", "radau", "bdf", jd.Newmark(1e-4))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_integrators(method):
    m = machines.four_bar()
    run = jd.simulate(m, 0.5, coordinates="relative", integrator=method)
    plain = jd.simulate(m, 0.5, rtol=1e-10)
    np.testing.assert_allclose(run["coupler.x"], plain["coupler.x"], atol=1e-5)


def test_a_user_names_the_cut():
    plain = jd.simulate(machines.four_bar(), 0.5, rtol=1e-9)
    for cut in "ABCD":
        run = jd.simulate(machines.four_bar(), 0.5, rtol=1e-9, coordinates=jd.Relative(cuts=[cut]))
        assert {joint.name for joint in run.model.tree.graph.cuts} == {cut}
        for channel in ("coupler.x", f"{cut}.fx", f"{cut}.on_first.fy"):
            np.testing.assert_allclose(run[channel], plain[channel], atol=1e-6)
    with pytest.raises(jd.MechanismError, match="cuts: there is no joint 'E'"):
        jd.simulate(machines.four_bar(), 0.5, coordinates=jd.Relative(cuts=["E"]))


def long_chain(count, tip=False):
    m = jd.Mechanism("chain", gravity=(0, -9.81))
    previous = m.ground.point("O", (0, 0))
    for k in range(count):
        link = m.body(
            f"b{k}", mass=1, inertia=0.1, position=(k + 0.5, 0), angle=0, points={"A": (-0.5, 0), "B": (0.5, 0)}
        )
        m.revolute(f"j{k}", previous, link["A"])
        previous = link["B"]
    if tip:
        m.revolute("tip", previous, m.ground.point("T", (count, 0)))
    return m


def test_auto_takes_joint_coordinates_for_large_trees_and_says_so():
    run = jd.simulate(long_chain(20), 0.1)
    assert run.choices.coordinates == "relative"
    words = "relative, recursion + projection, dop853 (auto: joint coordinates are faster for 20 bodies with 0 loops"
    assert str(run.choices).startswith(words)
    assert words in run.summary()
    assert run.status.notes == ()
    for other in (
        jd.simulate(long_chain(19), 0.01),
        jd.simulate(long_chain(20, tip=True), 0.001),
        jd.simulate(long_chain(20), 0.01, coordinates="angle"),
        jd.simulate(long_chain(20), 0.01, treatment="kkt"),
    ):
        assert other.choices.coordinates == "angle"
    plain = jd.simulate(long_chain(20), 0.1, coordinates="angle")
    np.testing.assert_allclose(run["b19.y"], plain["b19.y"], atol=1e-7)
    assert run.redundancy.freedoms == plain.redundancy.freedoms == 20


def four_bars_beside_each_other(n):
    """Of ordinary revolutes in space."""
    m = jd.Mechanism("four-bars", gravity=(0, 0, -9.81))
    z = (0.0, 1.0, 0.0)
    for k in range(n):
        corners = [(0.0, k, 0.0), (0.3, k, 1.0), (2.3, k, 1.6), (2.5, k, 0.0)]
        bodies = [m.ground]
        for a, b in pairwise(corners):
            middle = tuple((p + q) / 2 for p, q in zip(a, b, strict=True))
            bodies.append(m.body(f"b{k}_{len(bodies)}", mass=1, inertia=(0.1, 0.1, 0.1), position=middle))
        for j, place in enumerate(corners):
            pair = bodies[j], bodies[(j + 1) % 4]
            m.revolute(f"j{k}_{j}", bodies=pair, at=place, axis=z)
    return m


@pytest.mark.parametrize(
    ("make", "coordinates"),
    [
        (lambda: machines.n_four_bar(10), "angle"),
        (lambda: four_bars_beside_each_other(7), "relative"),
        (lambda: four_bars_beside_each_other(6), "quaternion"),
    ],
    ids=["loops in the plane", "loops in space", "18 bodies"],
)
def test_auto_counts_what_loops_cost(make, coordinates):
    """1.9 and 0.6 times what bodies take, measured (`python benchmarks/run.py --only o`); small machines stay."""
    run = jd.simulate(make(), 0.02, every=0.01)
    assert run.choices.coordinates == coordinates
    assert run.status.ok, run.status


# Refusals ---------------------------------------------------------------------------------------------------------

REFUSED = {
    "treatment": (
        {"coordinates": "relative", "treatment": "kkt"},
        "joint coordinates are solved by recursion on the tree; leave out 'kkt', or use it with other coordinates",
    ),
    "coordinates": (
        {"coordinates": "angle", "treatment": "recursion"},
        "recursion is for joint coordinates; use relative, not angle, or kkt",
    ),
    "stabilisation": (
        {"coordinates": "relative", "stabilisation": "euclidean"},
        "recursion projects its cut joints; leave out 'euclidean', or use kkt with other coordinates",
    ),
    "index3": (
        {"coordinates": "relative", "integrator": jd.GeneralizedAlpha(1e-3)},
        "generalized-alpha solves the index-3 equations of other coordinates; with relative use dop853, rk4 or radau",
    ),
}


@pytest.mark.parametrize(("given", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(given, words):
    with pytest.raises(jd.ChoiceError) as caught:
        jd.simulate(machines.four_bar(), 1.0, **given)
    assert str(caught.value) == words


def test_recursion_alone_means_joint_coordinates():
    run = jd.simulate(machines.four_bar(), 0.1, treatment="recursion")
    assert run.choices.coordinates == "relative"
