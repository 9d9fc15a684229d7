"""Treatments and stabilisations: every way to the accelerations gives the same ones, and drift does what it should."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.assembly.prepare import prepare
from jourdain.choices import NullSpace, resolve
from jourdain.engine.kernel_cache import load_kernels
from jourdain.engine.plan import Plan
from jourdain.engine.pose import Pose
from jourdain.engine.workspace import Workspace
from random_mechanisms import random_mechanism
from test_reference import CASES

TIME = 0.7
AGREES = 1e-8
SETS = (
    *(("planar", name) for name in ("angle", "euler-parameters", "natural")),
    *(("spatial", name) for name in ("quaternion", "natural", "bryan")),
)
EXACT = {
    "augmented-lagrangian": jd.AugmentedLagrangian(),
    "partitioning": jd.Partitioning(),
    "null-space": jd.NullSpace(),
}
# More rounds and a tighter tolerance than by default: the bound is on accelerations, the tolerance on what is left.
UZAWA = jd.Uzawa(tolerance=1e-12, most=20000)
CONVERGES = 50  # condition of D^-1 K up to which uzawa is asked to converge


@functools.cache
def mechanism(space, seed):
    """Every third has redundant rows, every second a velocity row; `custom` joints depend on time."""
    m = random_mechanism(seed, space, bodies=3 + seed % 3, loops=seed % 3)
    if seed % 2 == 0:
        m.velocity_constraint("drag", formula="b1.vx + 0.3*b0.vy - 0.2*sin(t)")
    return m.frozen()


@functools.cache
def solved(space, name, seed, treatment=None):
    """Status, accelerations and wrenches at the assembled state, which no treatment changes."""
    p = prepare(mechanism(space, seed), name, t=TIME, treatment=treatment)
    return (*evaluated(p, TIME), p)


def evaluated(p, t):
    k = load_kernels()
    c = k.context
    y = p.assembly.y.copy()
    q, v = y[: p.model.nq].copy(), y[p.model.nq : p.model.nq + p.model.nv].copy()
    status = k.dynamics.call_entry(p.workspace.ctx, c.F_RHS, t, y, np.zeros_like(y))
    k.dynamics.call_entry(p.workspace.ctx, c.F_REACTIONS, t, q, v)
    return status, p.workspace[c.ACCELERATION][:, 0].copy(), p.workspace[c.WRENCHES].copy()


def unique_sides(p):
    """Sides of joints, in the order of WRENCHES, all of whose reactions are unique."""
    joints = [joint.name for joint in p.model.blueprint.joints]
    return [s for k, j in enumerate(joints) if all(p.redundancy.unique[j].values()) for s in (2 * k, 2 * k + 1)]


def assert_agrees(found, expected, bar=AGREES):
    assert np.max(np.abs(found - expected), initial=0.0) <= bar * max(1.0, np.max(np.abs(expected), initial=0.0))


def condition(p):
    """Largest over smallest eigenvalue of D^-1 K that is not zero, D the diagonal blocks of K."""
    J = np.zeros((p.model.padded, p.model.nv))
    J[[row.row for row in p.model.rows]] = Pose(p.model, p.workspace).jacobian(TIME, p.assembly.y)
    mass = mass_matrix(p)
    K = J @ np.linalg.solve(mass, J.T)
    size = p.model.set.block
    D = np.zeros_like(K)
    for b in range(0, len(K), size):
        D[b : b + size, b : b + size] = K[b : b + size, b : b + size]
    values = np.linalg.eigvals(np.linalg.pinv(D, 1e-10) @ K).real
    values = values[values > 1e-9]
    return values.max() / values.min()


def mass_matrix(p):
    """M + E by F_MASS, column by column."""
    k = load_kernels()
    w = Workspace(Plan(p.model, NullSpace()))
    q, v = p.assembly.y[: p.model.nq].copy(), p.assembly.y[p.model.nq : p.model.nq + p.model.nv].copy()
    k.dynamics.call_entry(w.ctx, k.context.F_PLACE, TIME, q, v)
    columns = np.eye(p.model.nv)
    out = np.zeros_like(columns)
    for x, column in zip(columns, out, strict=True):
        k.dynamics.call_entry(w.ctx, k.context.F_MASS, TIME, x, column)
    return out


# The same accelerations ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("space", "name"), SETS)
@pytest.mark.parametrize("treatment", EXACT)
def test_same_accelerations_and_unique_reactions(treatment, space, name, seed):
    _, acceleration, wrenches, reference = solved(space, name, seed)
    status, found, reactions, _ = solved(space, name, seed, EXACT[treatment])
    assert status == load_kernels().context.OK
    assert_agrees(found, acceleration)
    sides = unique_sides(reference)
    assert_agrees(reactions[sides], wrenches[sides])


@pytest.mark.parametrize(("space", "name"), [("planar", "angle"), ("spatial", "quaternion")])
def test_the_random_mechanisms_have_redundant_rows_and_unique_reactions(space, name):
    found = [solved(space, name, seed)[3] for seed in range(6)]
    assert any(p.redundancy.dropped for p in found)
    assert any(row.velocity for p in found for row in p.model.rows)
    assert any(unique_sides(p) for p in found)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("space", "name"), [("planar", "angle"), ("planar", "natural"), ("spatial", "quaternion")])
def test_uzawa_is_right_or_says_so(space, name, seed):
    _, acceleration, wrenches, reference = solved(space, name, seed)
    status, found, reactions, p = solved(space, name, seed, UZAWA)
    c = load_kernels().context
    assert status == c.OK or (status == c.NO_CONVERGENCE and condition(p) > CONVERGES)
    if status == c.OK and condition(p) < CONVERGES:
        assert_agrees(found, acceleration)
        sides = unique_sides(reference)
        assert_agrees(reactions[sides], wrenches[sides])


@pytest.mark.parametrize(("space", "name"), [("planar", "angle"), ("spatial", "quaternion")])
def test_penalty_is_wrong_by_one_over_alpha(space, name):
    _, acceleration, _, _ = solved(space, name, 0)
    wrong = []
    for alpha in (1e5, 1e6, 1e7):
        gains = jd.Baumgarte(1.0, 1.0)
        _, found, _, _ = solved(space, name, 0, jd.Penalty(alpha, stabilisation=gains))
        wrong.append(np.max(np.abs(found - acceleration)))
    assert wrong[0] / wrong[1] == pytest.approx(10, rel=0.05)
    assert wrong[1] / wrong[2] == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize(("space", "name"), SETS)
def test_mass_is_the_inverse_of_its_inverse(space, name):
    p = solved(space, name, 1)[3]
    k = load_kernels()
    W = p.workspace[k.context.WEIGHTED].reshape(-1, p.model.nv // p.model.bodies)
    J = p.workspace[k.context.JACOBIAN].reshape(W.shape)
    body = np.repeat(p.model.fields[k.context.SLOTS][:, 1], p.model.set.block)
    mass, nv = mass_matrix(p), W.shape[1]
    for w, j, b in zip(W, J, body, strict=True):
        part = slice(nv * b, nv * (b + 1))
        np.testing.assert_allclose(mass[part, part] @ w, j, atol=1e-9)


# Motions --------------------------------------------------------------------------------------------------------------

WAYS = {
    **EXACT,
    "uzawa": jd.Uzawa(),
    "kkt, baumgarte": jd.Kkt(jd.Baumgarte(20, 20)),
    "uzawa, baumgarte": jd.Uzawa(stabilisation=jd.Baumgarte(20, 20)),
    "udwadia-kalaba, none": jd.UdwadiaKalaba("none"),
    "null-space, baumgarte": jd.NullSpace(jd.Baumgarte(20, 20)),
    "augmented-lagrangian, euclidean": jd.AugmentedLagrangian(stabilisation="euclidean"),
}


@functools.cache
def reference(build):
    return jd.simulate(getattr(machines, build)(), 1.0, every=0.1, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("treatment", WAYS)
@pytest.mark.parametrize("build", ["four_bar", "slider_crank", "spatial_four_bar"])
def test_same_motion(build, treatment):
    """rk4 with this step is within 1e-7 by projection; drift without it is of the error of the method."""
    expected = reference(build)
    run = jd.simulate(getattr(machines, build)(), 1.0, every=0.1, treatment=WAYS[treatment], step=1e-3)
    assert run.status.ok
    np.testing.assert_allclose(run.motion.position, expected.motion.position, atol=1e-6)
    np.testing.assert_allclose(run.energy.total, expected.energy.total, atol=1e-5 * np.ptp(expected.energy.kinetic))


@pytest.mark.parametrize("treatment", ["kkt, baumgarte", "udwadia-kalaba, none", *EXACT])
@pytest.mark.parametrize("case", [c for c in CASES if c.name in ("four-bar AC", "slider-crank")], ids=lambda c: c.name)
def test_reference_motions(case, treatment):
    run = jd.simulate(case.build(), times=case.t, treatment=WAYS[treatment], rtol=1e-10, atol=1e-10)
    for channel, expected in case.positions.items():
        np.testing.assert_allclose(run[channel], expected, atol=case.bar)


@pytest.mark.parametrize("treatment", EXACT)
@pytest.mark.parametrize("integrator", ["ab6", "rk6", "dop853"])
def test_any_integrator(integrator, treatment):
    step = {} if integrator == "dop853" else {"step": 1e-3}
    run = jd.simulate(
        machines.slider_crank(), 1.0, every=0.1, treatment=EXACT[treatment], integrator=integrator, **step
    )
    # Errors of a step are taken out along the dependent coordinates, not the shortest way: with ab6, at this step, 200
    # times those of projection, and falling with order 5 or more.
    bar = 1e-6 if (integrator, treatment) == ("ab6", "partitioning") else 1e-7
    np.testing.assert_allclose(run.motion.position, reference("slider_crank").motion.position, atol=bar)
    assert np.max(run.violation.position) < 1e-10


def test_partitioning_chooses_anew_where_coordinates_become_poor():
    """A crank that turns round and round: no one angle or coordinate is good all the way."""
    m = jd.Mechanism("crank", gravity=(0, 0))
    bar = m.body("bar", mass=1, inertia=0.1, position=(1, 0), velocity=(0, 5), spin=5, points={"A": (-1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    for coordinates in ("angle", "natural"):
        run = jd.simulate(m, 2.0, every=0.1, coordinates=coordinates, treatment="partitioning", integrator="ab6",
                          step=1e-3)  # fmt: skip
        np.testing.assert_allclose(run["bar.x"], np.cos(5 * run.t), atol=1e-9)
        assert np.max(run.violation.position) < 1e-12


@pytest.mark.parametrize("treatment", ["augmented-lagrangian", "partitioning", "null-space", "uzawa"])
@pytest.mark.parametrize("build", ["double_pendulum", "slider_crank_singular"])
def test_singular_masses(build, treatment):
    """Point masses, and a machine that passes a singular position."""
    m = getattr(machines, build)()
    expected = jd.simulate(m, 0.5, every=0.1, step=1e-3)
    run = jd.simulate(m, 0.5, every=0.1, step=1e-3, treatment=treatment)
    np.testing.assert_allclose(run.motion.position, expected.motion.position, atol=1e-7)


# Drift ----------------------------------------------------------------------------------------------------------------


def gap(how, step, duration=5.0):
    run = jd.simulate(machines.four_bar(), duration, every=0.1, step=step, treatment=jd.Kkt(how))
    return np.asarray(run.violation.position)


def test_drift_grows_without_stabilisation_and_is_bounded_with_baumgarte():
    """Where the machine is fast the gains add to the error of a step; what they must do is to take it back again."""
    free, held, none = gap("none", 2e-2), gap(jd.Baumgarte(20, 20), 2e-2), gap("projection", 2e-2)
    assert np.max(free[25:]) > 2 * np.max(free[:25])
    assert np.max(held[-10:]) < 1e-2 * np.max(free[-10:])
    assert np.max(held[25:]) < np.max(held[:25])
    assert np.max(none) < 1e-10


@pytest.mark.parametrize(("space", "name"), [("planar", "angle"), ("planar", "natural"), ("spatial", "quaternion")])
@pytest.mark.parametrize("kind", [jd.Kkt, jd.UdwadiaKalaba, jd.AugmentedLagrangian, jd.NullSpace])
def test_baumgarte_adds_its_terms(kind, space, name):
    """Off the constraints, J v' differs from what it is without by kv C' + kp C."""
    k = load_kernels()
    c = k.context
    slopes = []
    for how in ("none", jd.Baumgarte(3.0, 5.0)):
        p = prepare(mechanism(space, 0), name, t=TIME, treatment=kind(stabilisation=how))
        nq, nv = p.model.nq, p.model.nv
        p.assembly.y[: nq + nv] += 1e-3 * np.sin(np.arange(nq + nv))
        slopes.append(evaluated(p, TIME)[1])
    J = Pose(p.model, p.workspace).jacobian(TIME, p.assembly.y)
    rows = [row.row for row in p.model.rows]
    gaps = p.workspace[c.RESIDUAL][rows, 0]
    rates = J @ p.assembly.y[nq : nq + nv] + p.workspace[c.PARTIAL][rows, 0]
    expected = -(2 * 3.0 * rates + 5.0**2 * gaps)
    kept = [k for k, row in enumerate(p.model.rows) if not row.dropped]
    assert np.max(np.abs(expected)) > 1e-3
    assert_agrees((J @ (slopes[1] - slopes[0]))[kept], expected[kept])


def test_drift_converges_with_the_order_of_the_method():
    for how in ("none", jd.Baumgarte(20, 20)):
        coarse, fine = np.max(gap(how, 2e-2)), np.max(gap(how, 1e-2))
        assert coarse / fine > 2**3.3


def test_gains_from_the_step():
    chosen = resolve("planar", treatment=jd.Kkt("baumgarte"), step=1e-2).treatment.stabilisation
    kv, kp = chosen.gains()
    assert kp == pytest.approx(0.394 / 1e-4, rel=3e-3) and kv == pytest.approx(0.125 / 1e-2, rel=6e-3)
    assert np.max(gap("baumgarte", 1e-2)[-10:]) < 1e-2 * np.max(gap("none", 1e-2)[-10:])


def test_penalty_runs_with_gains_from_the_step():
    run = jd.simulate(machines.four_bar(), 1.0, every=0.1, step=1e-3, treatment="penalty")
    np.testing.assert_allclose(run.motion.position, reference("four_bar").motion.position, atol=1e-5)


def test_velocity_rows_decay_to_first_order():
    """A block whose velocity row is met at the start and driven off by nothing: |P| stays at rounding."""
    m = jd.Mechanism("block", gravity=(0, -9.81))
    m.body("block", mass=1, inertia=1)
    m.velocity_constraint("rail", formula="block.vy - sin(3*t)")
    run = jd.simulate(m, 1.0, every=0.1, step=1e-3, treatment=jd.Kkt(jd.Baumgarte(10, 10)))
    np.testing.assert_allclose(run["block.vy"], np.sin(3 * run.t), atol=1e-9)


# Said and refused -----------------------------------------------------------------------------------------------------


def test_uzawa_that_does_not_converge_says_so():
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        run = jd.simulate(machines.n_four_bar(20), 0.1, step=1e-3, treatment=jd.Uzawa(most=5))
    assert not run.status.ok
    assert "did not converge in 5 rounds" in run.status.sentence and "use kkt" in run.status.sentence


def test_uzawa_with_the_tolerance_of_the_paper():
    treatment = jd.Uzawa(tolerance=1e-2, stabilisation="baumgarte")
    run = jd.simulate(machines.four_bar(), 1.0, every=0.1, step=1e-3, treatment=treatment)
    np.testing.assert_allclose(run.motion.position, reference("four_bar").motion.position, atol=2e-2)


REFUSED = {
    "step": ({"treatment": jd.Kkt("baumgarte")}, "dop853 has no fixed one; give Baumgarte(alpha=..., beta=...)"),
    "penalty": ({"treatment": "penalty"}, "dop853 has no fixed one"),
    "one gain": ({"treatment": jd.Kkt(jd.Baumgarte(alpha=1))}, "give both, or none"),
    "gain": ({"treatment": jd.Kkt(jd.Baumgarte(-1, 1))}, "alpha is -1; expected a positive number"),
    "partitioning": ({"treatment": jd.Partitioning("projection")}, "or use null-space with projection"),
    "dependent": ({"treatment": jd.Kkt("dependent")}, "use projection, or partitioning"),
    "euclidean": ({"treatment": jd.NullSpace("euclidean")}, "use projection, or udwadia-kalaba"),
    "index3": ({"treatment": jd.Index3("none"), "integrator": "hht", "step": 1e-3}, "or use kkt with rk4"),
    "penalty none": ({"treatment": jd.Penalty(stabilisation="none"), "step": 1e-3}, "use baumgarte"),
    "alpha": ({"treatment": jd.AugmentedLagrangian(alpha=1e15)}, "expected 1 to 1e+09"),
    "tolerance": ({"treatment": jd.Uzawa(tolerance=2.0)}, "tolerance is 2"),
    "stabilisation": ({"treatment": jd.Kkt("projektion")}, "did you mean 'projection'?"),
    "no stabilisation": ({"treatment": jd.Kkt(3)}, "stabilisation is 3; expected a name"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    given, words = REFUSED[case]
    with pytest.raises(jd.ChoiceError) as caught:
        resolve("planar", **given)
    assert words in str(caught.value)


def test_relaxation_beyond_its_bound_is_refused():
    with pytest.raises(jd.ChoiceError, match="uzawa converges below"):
        jd.simulate(machines.four_bar(), 0.1, treatment=jd.Uzawa(relaxation=1.5))


def test_dense_treatments_refuse_what_is_too_large():
    with pytest.raises(jd.ChoiceError, match="takes up to 600 rows"):
        jd.simulate(machines.n_four_bar(150), 0.1, treatment="null-space")


def test_a_coarse_uzawa_is_finer_where_something_is_iterated_around_it():
    """Bars without mass of their own (Joli's examples as point masses): their accelerations would be anywhere."""
    run = jd.simulate(machines.double_pendulum(), 1.0, recipe="joli")
    best = jd.simulate(machines.double_pendulum(), 1.0)
    assert np.max(np.abs(run.motion.position - best.motion.position)) < 1e-4
    assert any("bodies without full inertia are iterated around uzawa" in note for note in run.status.notes)
