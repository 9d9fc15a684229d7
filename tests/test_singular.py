"""Singular mass blocks, redundant equations and singular positions."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.assembly.prepare import prepare
from jourdain.engine.kernel_cache import load_kernels
from jourdain.engine.pose import Pose
from jourdain.mechanism.rotations import matrix_from_quaternion
from test_identities import mass_matrix


def accelerations(p, t=0.0):
    k = load_kernels()
    dy = np.zeros(p.model.length)
    assert k.dynamics.call_entry(p.workspace.ctx, k.context.F_RHS, t, p.assembly.y.copy(), dy) == 0
    return dy[p.model.nq : p.model.nq + p.model.nv]


def augmented_kkt(p, Q):
    """The oracle: dense KKT with M + J^T W J and Q + J^T W gamma, which leaves v' and lam unchanged."""
    c = load_kernels().context
    J = Pose(p.model, p.workspace).jacobian(0.0, p.assembly.y)
    rows = [row.row for row in p.model.rows]
    gamma = p.workspace[c.GAMMA][rows, 0]
    M = mass_matrix(p)
    W = 3.0
    kkt = np.block([[M + W * J.T @ J, J.T], [J, np.zeros((len(J), len(J)))]])
    solution = np.linalg.solve(kkt, np.concatenate([Q + W * J.T @ gamma, gamma]))
    return solution[: len(M)], solution[len(M) :], np.linalg.cond(kkt)


def chain_of_point_masses(n=6):
    """Massless bars with a point mass at each far end, swinging."""
    m = jd.Mechanism("beads", gravity=(0, -9.81))
    end, place = m.ground.point("O", (0, 0)), np.zeros(2)
    rng = np.random.default_rng(3)
    for k in range(n):
        angle = rng.uniform(-2, 2)
        far = place + np.array([np.cos(angle), np.sin(angle)])
        bar = m.body(
            f"bar{k}",
            mass=1 + 0.1 * k,
            inertia=0,
            position=place,
            angle=angle,
            centre=(1, 0),
            spin=rng.normal(),
            points={"near": (0, 0), "far": (1, 0)},
        )
        m.revolute(f"j{k}", end, bar["near"])
        end, place = bar["far"], far
    return m


@pytest.mark.parametrize("build", [chain_of_point_masses, machines.double_pendulum, machines.slider_crank_singular])
def test_zero_inertia_equals_the_augmented_system(build):
    p = prepare(build(), "angle")
    acc = accelerations(p)
    bodies = p.model.blueprint.bodies
    Q = mass_matrix(p) @ np.tile([*p.model.blueprint.gravity, 0.0], len(bodies))
    expected, lam, cond = augmented_kkt(p, Q)
    tol = max(1e-9, 100 * cond * np.finfo(float).eps)
    assert np.max(np.abs(acc - expected)) <= tol * np.max(np.abs(expected))
    c = load_kernels().context
    found = p.workspace[c.LAMBDA][[row.row for row in p.model.rows], 0]
    assert np.max(np.abs(found - lam)) <= tol * max(1.0, np.max(np.abs(lam)))


def slender_double_pendulum(inertia_axial):
    """Two rods on universal joints: the axial spin is held by the joints, so its inertia hardly matters."""
    m = jd.Mechanism("rods", gravity=(0, 0, -9.81))
    top = m.ground.point("O", (0, 0, 0), z=(0, 1, 0))
    place = np.zeros(3)
    for k in range(2):
        rod = m.body(
            f"rod{k}",
            mass=1,
            inertia=(inertia_axial, 1 / 12, 1 / 12),
            position=place + np.array([0.5, 0, 0]),
            velocity=None,
            points={"near": {"at": (-0.5, 0, 0), "z": (0, 0, 1)}, "far": {"at": (0.5, 0, 0), "z": (0, 1, 0)}},
        )
        m.universal(f"u{k}", top, rod["near"])
        top, place = rod["far"], place + np.array([1.0, 0, 0])
    m.force("wind", on=m["rod1"].point("tip", (0.5, 0, 0)), vector=(0, "2*sin(3*t)", 0))
    return m


def test_slender_rods_in_space_are_the_limit_of_thin_ones():
    """Axial inertia 0 is the limit of 1e-4 and 2e-4 by Richardson: what is left is of second order, about 1e-8."""
    runs = [jd.simulate(slender_double_pendulum(i), 1.0, every=0.25)["rod1.y"] for i in (0.0, 1e-4, 2e-4)]
    assert np.max(np.abs(runs[0])) > 1e-2
    assert np.max(np.abs(runs[1] - runs[0])) > 1e-7  # the axial inertia does matter a little
    assert np.max(np.abs(2 * runs[1] - runs[2] - runs[0])) < 1e-7


def test_a_point_mass_that_nothing_turns_keeps_its_attitude():
    m = jd.Mechanism("bead on a string", gravity=(0, -9.81))
    bead = m.body("bead", mass=2, inertia=0, position=(1, 0), angle=0.3, points={"P": (0, 0)})
    m.distance("string", m.ground.point("O", (0, 0)), bead["P"], length=1)
    run = jd.simulate(m, 1.0, every=0.1)
    assert run.status.ok
    assert np.all(run["bead.angle"] == 0.3)
    assert np.max(np.abs(run.energy.total - run.energy.total[0])) < 1e-7


def test_a_moment_on_a_body_without_inertia_is_refused_in_words():
    m = jd.Mechanism("spun bead")
    bead = m.body("bead", mass=1, inertia=0, position=(0, 0))
    m.torque("twist", on=bead, torque=1.0)
    with pytest.warns(jd.SimulationWarning, match="bead"):
        run = jd.simulate(m, 1.0)
    assert not run.status.ok
    assert "give them an inertia" in run.status.sentence


def test_spatial_four_bar_of_four_ordinary_revolutes_in_any_orientation():
    rng = np.random.default_rng(11)
    R = matrix_from_quaternion(rng.normal(size=4))
    m = machines.spatial_four_bar(R)
    report = jd.check(m)
    assert (report.equations, report.rank, report.freedoms) == (20, 17, 1)
    assert len(report.dropped) == 3 and len(report.self_stress) == 3
    for unique in report.unique.values():  # only the load in the plane of motion is determined
        assert unique == {"fx": True, "fy": True, "fz": False, "mx": False, "my": False, "mz": True}
    text = str(report)
    assert "20 equations of rank 17" in text and "self-stress 3" in text and "not unique fz, mx, my" in text

    run = jd.simulate(m, 5.0, every=0.1, rtol=1e-10, atol=1e-10)
    planar = jd.simulate(machines.four_bar(spring="AC"), 5.0, every=0.1, rtol=1e-10, atol=1e-10)
    assert run.status.ok and any("redundant" in note for note in run.status.notes)
    assert np.max(run.violation.position) < 1e-10
    back = run.motion.position @ R
    assert np.max(np.abs(back[..., :2] - planar.motion.position)) < 1e-8
    assert np.max(np.abs(back[..., 2])) < 1e-10
    for name, reaction in run.reactions.items():  # unique components agree with the plane's
        assert not reaction.is_unique
        in_plane = (reaction.force @ R)[:, :2]
        scale = np.max(np.abs(planar.reactions[name].force))
        assert np.max(np.abs(in_plane - planar.reactions[name].force)) < 1e-7 * scale


def test_self_stress_moves_nothing_and_balances_on_every_body():
    p = prepare(machines.spatial_four_bar(), "quaternion")
    for stress in p.redundancy.self_stress:
        assert max(np.max(np.abs(w)) for w in stress.values()) > 0.1
    pose = Pose(prepare(machines.spatial_four_bar(), "quaternion").model)
    J = pose.jacobian(0.0, p.assembly.y)
    assert np.linalg.matrix_rank(J) == 17


def flat_four_bar():
    """A parallelogram drawn flat: all links on one line, where it can choose between two branches."""
    m = jd.Mechanism("flat", gravity=(0, -9.81))
    ground = [m.ground.point(n, (x, 0)) for n, x in (("A", 0), ("D", 2))]
    crank = m.body("crank", mass=1, inertia=0.1, position=(0.5, 0), angle=0, points={"A": (-0.5, 0), "B": (0.5, 0)})
    bar = m.body("bar", mass=1, inertia=0.3, position=(2, 0), angle=0, points={"B": (-1, 0), "C": (1, 0)})
    rocker = m.body("rocker", mass=1, inertia=0.1, position=(2.5, 0), angle=0, points={"C": (0.5, 0), "D": (-0.5, 0)})
    m.revolute("A", ground[0], crank["A"])
    m.revolute("B", crank["B"], bar["B"])
    m.revolute("C", bar["C"], rocker["C"])
    m.revolute("D", ground[1], rocker["D"])
    return m


def test_a_singular_start_drops_no_equation():
    report = jd.check(flat_four_bar())
    assert (report.equations, report.rank, report.rank_here) == (8, 8, 7)
    assert report.singular and not report.dropped
    assert "singular position" in str(report)


@pytest.mark.parametrize("step", [1e-3, 5e-4])
def test_singular_positions_are_crossed_on_the_true_branch_by_projected_rk4(step):
    """P06: x of the slider is 2 cos(theta) all the way; the false branch would stay at 0."""
    run = jd.simulate(machines.slider_crank_singular(), 5.0, every=0.05, step=step)
    slider, crank = run.model.blueprint.joints[-1].second, run.model.blueprint.bodies[0].name
    x = run.motion.point(slider)[0][:, 0]
    angle = run[f"{crank}.angle"]
    assert np.max(np.abs(x - 2 * np.cos(angle))) < 1e-6
    assert np.min(x) < -1.9
