"""Joint coordinates on trees: against absolute coordinates, closed forms, and physics identities on random trees.

Tolerances: 1e-9 of the size of what is compared, unless a comment says otherwise; random trees of a few bodies have
condition numbers far below 1e4, so that 100 cond eps stays below it.
"""

from __future__ import annotations

import functools
import threading
from importlib.resources import files

import numpy as np
import pytest

import jourdain as jd
from jourdain.choices.coordinates.relative import LinkMotion
from jourdain.engine.kernel_cache import load_kernels, load_recursion
from jourdain.mechanism.rotations import swung
from random_trees import SPATIAL, random_tree

TIME = 0.7
CASES = [(space, seed) for space in ("planar", "spatial") for seed in range(15)]
every_tree = pytest.mark.parametrize(("space", "seed"), CASES)


@functools.cache
def pair(space, seed, forces=False):
    """A random tree in absolute and in joint coordinates, in the same state."""
    m = random_tree(seed, space, bodies=2 + seed % 7, forces=forces)
    f, tree = jd.rhs(m), jd.tree(m)
    return f, tree, *tree.joint_state(f.state(f.start))


def link_motion(tree, q, v):
    return LinkMotion.of(tree._dynamics.links(q, v), tree.model.blueprint.dim)


def body_accelerations(tree, q, v, a):
    """Of mass centres and spins, in the order of the bodies: the twists' derivative along (q', a) by differences."""
    h = 1e-5
    dq = tree.rates(q, v)

    def twists(s):
        motion = link_motion(tree, q + s * dq + 0.5 * s * s * bend, v + s * a)
        arms = np.einsum("nij,nj->ni", motion.frames, tree.model.tree.centres)
        return np.hstack([motion.velocities + swung(motion.spins, arms), motion.spins])

    bend = (tree.rates(q + h * dq, v + h * a) - tree.rates(q - h * dq, v - h * a)) / (2 * h)
    fine = (8 * (twists(h) - twists(-h)) - (twists(2 * h) - twists(-2 * h))) / (12 * h)
    out = np.empty_like(fine)
    out[list(tree.graph.order)] = fine
    return out


def close(a, b, tolerance=1e-9):
    return np.max(np.abs(np.subtract(a, b)), initial=0.0) <= tolerance * max(1.0, np.max(np.abs(b), initial=0.0))


@every_tree
@pytest.mark.parametrize("forces", [False, True])
def test_same_accelerations_as_absolute_coordinates(space, seed, forces):
    f, tree, q, v = pair(space, seed, forces)
    nq, nv = f.model.nq, f.model.nv
    expected = f(TIME, f.start)[nq : nq + nv].reshape(len(tree.graph.links), -1)
    a = tree.accelerations(TIME, q, v)
    # Fourth-order differences with h = 1e-5: rounding 1e-16 / h, times velocities of about 10.
    assert close(body_accelerations(tree, q, v, a), expected, 1e-8)
    assert close(tree.accelerations(TIME, q, v), a, 0.0)  # call twice


@every_tree
def test_accelerations_of_links_are_those_of_the_recursion(space, seed):
    """Exactly, where differences cannot tell: kernel's own link accelerations against absolute coordinates."""
    f, tree, q, v = pair(space, seed, True)
    nq, nv = f.model.nq, f.model.nv
    expected = f(TIME, f.start)[nq : nq + nv].reshape(len(tree.graph.links), -1)
    recursion, motion = load_recursion(space), link_motion(tree, q, v)
    c = recursion.columns
    tree.accelerations(TIME, q, v)
    state = tree._dynamics._workspace[recursion.common.STATE][1:]
    spins = 1 if space == "planar" else 3
    first = c.DW if space == "planar" else c.ACC
    turning, moving = state[:, first : first + spins], state[:, first + spins : first + spins + motion.places.shape[1]]
    arms = np.einsum("nij,nj->ni", motion.frames, tree.model.tree.centres)
    centres = moving + swung(turning, arms) + swung(motion.spins, swung(motion.spins, arms))
    found = np.empty_like(expected)
    found[list(tree.graph.order)] = np.hstack([centres + np.array(tree.model.blueprint.gravity), turning])
    assert close(found, expected)


@every_tree
def test_inverse_then_forward_dynamics(space, seed):
    _, tree, q, v = pair(space, seed, True)
    a = np.random.default_rng(seed).normal(size=v.size)
    efforts = tree.inverse(TIME, q, v, a)
    assert close(tree.accelerations(TIME, q, v, efforts), a, 1e-10)
    assert close(tree.inverse(TIME, q, v, tree.accelerations(TIME, q, v)), np.zeros(v.size), 1e-9)


@every_tree
def test_poses_and_velocities_go_in_and_out(space, seed):
    f, tree, q, v = pair(space, seed)
    expected, found = f.state(f.start), tree.state(q, v)
    for body in expected:
        assert close(found[body].position, expected[body].position)
        assert close(found[body].velocity, expected[body].velocity)
        assert close(found[body].spin, expected[body].spin)
        if space == "spatial":
            assert abs(np.dot(found[body].attitude, expected[body].attitude)) == pytest.approx(1.0, abs=1e-12)
        else:
            turn = found[body].attitude - expected[body].attitude
            assert np.cos(turn) == pytest.approx(1.0, abs=1e-12)
    again = tree.joint_state(found)
    assert close(again.v, v)
    assert close(tree.state(*again)["b0"].position, found["b0"].position)


@every_tree
def test_reactions_are_those_of_absolute_coordinates(space, seed):
    f, tree, q, v = pair(space, seed, True)
    k = load_kernels()
    f(TIME, f.start)
    joints = f.model.blueprint.joints
    dim, width = (2, 3) if space == "planar" else (3, 6)
    wrenches = np.zeros(2 * len(joints) * width)
    workspace = f._pose.workspace
    lam = workspace[k.context.LAMBDA][:, 0].copy()
    k.dynamics.joint_wrenches(workspace.ctx, lam, wrenches, dim)
    second = wrenches.reshape(-1, 2, width)[:, 1]
    found = tree.reactions(TIME, q, v)
    assert set(found) == {joint.name for joint in joints}
    size = max(1.0, np.max(np.abs(second), initial=0.0))
    for joint, wrench in zip(joints, second, strict=True):
        assert np.max(np.abs(found[joint.name].force - wrench[:dim])) < 1e-9 * size
        assert np.max(np.abs(found[joint.name].moment - wrench[dim:])) < 1e-9 * size


@every_tree
def test_energy_rate_is_the_power_of_efforts(space, seed):
    _, tree, q, v = pair(space, seed)
    efforts = np.random.default_rng(seed).normal(size=v.size)
    a, dq, h = tree.accelerations(TIME, q, v, efforts), tree.rates(q, v), 1e-5
    energy = [sum(tree.energy(q + s * dq, v + s * a)) for s in (h, -h, 2 * h, -2 * h)]
    rate = (8 * (energy[0] - energy[1]) - (energy[2] - energy[3])) / (12 * h)
    assert rate == pytest.approx(float(efforts @ v), abs=1e-7 * max(1.0, abs(sum(tree.energy(q, v)))))


def pendulum(angle=0.3, links=1):
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    port = m.ground.point("O", (0, 0))
    place = np.zeros(2)
    for k in range(links):
        along = np.array([np.cos(angle), np.sin(angle)])
        bar = m.body(
            f"bar{k}", mass=2, inertia=2 / 3, position=place + along, angle=angle, points={"A": (-1, 0), "B": (1, 0)}
        )
        m.revolute(f"A{k}", port, bar["A"])
        port, place = bar["B"], place + 2 * along
    return m


def test_pendulum_in_closed_form():
    """A rod of length 2 l, J = m l^2 / 3 (Wijckmans 1992): theta'' = -3 g cos(theta) / (4 l)."""
    tree = jd.tree(pendulum())
    assert tree.coordinates == tree.velocities == ("A0.angle",)
    assert tree.start.q == pytest.approx([0.3])
    assert tree.accelerations(0.0, *tree.start) == pytest.approx([-3 * 9.81 * np.cos(0.3) / 4], rel=1e-14)
    force = tree.reactions(0.0, *tree.start)["A0"].force  # m (a - g)
    a = -3 * 9.81 * np.cos(0.3) / 4 * np.array([-np.sin(0.3), np.cos(0.3)])
    assert force == pytest.approx(2 * (a + np.array([0, 9.81])), rel=1e-13)


def test_double_pendulum_in_closed_form():
    tree = jd.tree(pendulum(links=2))
    q, v = np.array([0.4, -0.9]), np.array([1.3, -0.7])
    m, l, J, g = 2.0, 1.0, 2 / 3, 9.81
    p1, p2, w1, w2 = q[0], q[0] + q[1], v[0], v[0] + v[1]
    # Lagrange's equations in the absolute angles.
    M = np.array([[J + m * l**2 + 4 * m * l**2, 2 * m * l**2 * np.cos(p2 - p1)], [0, J + m * l**2]])
    M[1, 0] = M[0, 1]
    s = 2 * m * l**2 * np.sin(p2 - p1)
    Q = np.array([s * w2**2 - 3 * m * g * l * np.cos(p1), -s * w1**2 - m * g * l * np.cos(p2)])
    absolute = np.linalg.solve(M, Q)
    assert tree.accelerations(0.0, q, v) == pytest.approx([absolute[0], absolute[1] - absolute[0]], rel=1e-12)


def test_a_free_body_falls_and_turns_by_eulers_equations():
    m = jd.Mechanism("stone", gravity=(0, 0, -9.81))
    m.body("stone", mass=2, inertia=(1, 2, 3), position=(1, 2, 3), velocity=(1, 0, 0), spin=(0.3, 0.2, 0.1))
    tree = jd.tree(m)
    assert tree.coordinates == tuple(f"stone.{name}" for name in ("x", "y", "z", "qw", "qx", "qy", "qz"))
    w = np.array([0.3, 0.2, 0.1])
    I = np.array([1.0, 2.0, 3.0])
    expected = [0, 0, -9.81, *(-np.cross(w, I * w) / I)]
    assert tree.accelerations(0.0, *tree.start) == pytest.approx(expected, abs=1e-14)


def test_initial_angles_and_speeds_and_bodies_without_a_pose():
    m = jd.Mechanism("two", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=1.0, points={"O": (0, 0), "B": (1, 0)})
    b = m.body("b", mass=1, inertia=1.0, points={"B": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), a["O"], initial={"angle": 0.5, "speed": 2.0})
    m.prismatic("B", a["B"], b["B"], initial={"displacement": 0.25})
    tree = jd.tree(m)
    assert tree.start.q == pytest.approx([0.5, 0.25])
    assert tree.start.v == pytest.approx([2.0, 0.0])
    place = tree.state(*tree.start)["b"].position
    assert place == pytest.approx([1.25 * np.cos(0.5), 1.25 * np.sin(0.5)])


def test_joint_angles_mean_the_same_in_either_direction():
    """The second body relative to the first, whichever of them carries the other."""
    for space, gravity in (("planar", (0, -9.81)), ("spatial", (0, -9.81, 0))):
        for turned in (False, True):
            m = jd.Mechanism("pin", gravity=gravity)
            inertia, zero = (1.0, (0, 0)) if space == "planar" else ((1.0, 1.0, 1.0), (0, 0, 0))
            attitude = {"angle": 0.4} if space == "planar" else {"euler": ("z", (0.4,))}
            bar = m.body("bar", mass=1, inertia=inertia, position=zero, **attitude, points={"A": zero})
            ports = [m.ground.point("A", zero), bar["A"]]
            m.revolute("A", *(ports[::-1] if turned else ports))
            assert jd.tree(m).start.q == pytest.approx([-0.4 if turned else 0.4])


def test_a_torsion_spring_follows_the_joint_beyond_half_a_turn():
    m = pendulum(0.0)
    m.torsion_spring_damper("hinge", joint="A0", stiffness=20, damping=0.5)
    tree = jd.tree(m)
    for angle in (0.3, 4.0, 20.0):
        q, v = np.array([angle]), np.array([1.5])
        expected = (-20 * angle - 0.5 * 1.5 - 2 * 9.81 * np.cos(angle)) / (8 / 3)
        assert tree.accelerations(0.0, q, v) == pytest.approx([expected], rel=1e-12)


def test_errors_of_users_functions_are_told():
    def broken(t):
        raise ZeroDivisionError("oh")

    m = pendulum()
    m.torque("motor", on=m["bar0"], torque=broken)
    tree = jd.tree(m)
    with pytest.raises(jd.SimulationError, match=r"near t = 0 s the function of .*motor.* raised Zero.*: oh"):
        tree.accelerations(0.0, *tree.start)


def test_refusals_name_everything():
    m = pendulum(links=2)
    m.revolute("loop", m.ground.point("E", (4, 0)), m["bar1"]["B"])
    m.motion("drive", joint="A0", angle="t")
    m.event("late", when="t - 1", stop=True)
    with pytest.raises(jd.MechanismError, match=r"joint '.*' \(revolute\) closes a loop") as caught:
        jd.tree(m)
    assert len(caught.value.faults) == 3
    assert "event 'late' cannot be used in joint coordinates" in caught.value.faults[2]
    assert "motion 'drive' cannot be used in joint coordinates" in caught.value.faults[1]


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_joint_written_out_is_the_joint_of_the_catalogue(space):
    """In any order; not where an equation stands twice, nor where it is drawn the other way round."""
    dim = 2 if space == "planar" else 3
    pin = [f"dot(N - M, e_{k})" for k in "xyz"[:dim]]
    rows = pin if dim == 2 else [*pin, "dot(z_i, x_j)", "dot(y_j, z_i)"]

    def pendulum(equations, axis=(0, 1, 0)):
        m = jd.Mechanism("pendulum", gravity=(0, -9.81) if dim == 2 else (0, 0, -9.81))
        here, zero = {} if dim == 2 else {"z": (0, 1, 0)}, (0.0,) * dim
        there = {} if dim == 2 else {"z": axis}
        pose = {"angle": 0.0} if dim == 2 else {"matrix": np.eye(3)}
        middle = (0.5, *zero[1:])
        bar = m.body("bar", mass=1, inertia=0.1 if dim == 2 else (0.1, 0.1, 0.1), position=middle, **pose)
        ports = m.ground.point("O", zero, **here), bar.point("O", tuple(-x for x in middle), **there)
        if equations is None:
            m.revolute("A", *ports)
        else:
            m.joint("custom", "A", *ports, equations=equations)
        return m

    q, v = np.array([0.4]), np.array([0.7])
    expected = jd.tree(pendulum(None)).accelerations(0.0, q, v)
    assert jd.tree(pendulum(rows[::-1])).accelerations(0.0, q, v) == expected != 0.0
    ends = [jd.simulate(pendulum(e), 0.1, every=0.1, coordinates="relative") for e in (None, rows[::-1])]
    assert np.array_equal(ends[0]["bar.x"], ends[1]["bar.x"]) and not ends[1].model.tree.graph.cuts
    with pytest.raises(jd.MechanismError, match=r"joint 'A' \(custom\) closes a loop or has no joint coordinates"):
        jd.tree(pendulum([*rows[:-1], rows[0]]))
    if dim == 3:
        with pytest.raises(jd.MechanismError, match=r"joint 'A' \(custom\) closes a loop"):
            jd.tree(pendulum(rows, axis=(0, -1, 0)))


def test_wrong_arguments():
    tree = jd.tree(pendulum(links=2))
    q, v = tree.start
    with pytest.raises(ValueError, match=r"q has shape \(3,\); expected \(2,\)"):
        tree.accelerations(0.0, np.zeros(3), v)
    with pytest.raises(ValueError, match=r"efforts has shape \(1,\); expected \(2,\)"):
        tree.accelerations(0.0, q, v, np.zeros(1))
    with pytest.raises(ValueError, match=r"out is \(5,\); expected an array of 2 numbers"):
        tree.accelerations(0.0, q, v, out=np.zeros(5))
    with pytest.raises(jd.JourdainError, match=r"v is not finite at A1.angle"):
        tree.accelerations(0.0, q, np.array([0.0, np.nan]))
    with pytest.raises(ValueError, match="the state lacks bar1"):
        tree.joint_state({"bar0": tree.state(q, v)["bar0"]})
    assert tree.accelerations(0.0, [0, 0], [0, 0]) == pytest.approx(tree.accelerations(0.0, np.zeros(2), np.zeros(2)))
    strided = np.zeros(4)[::2]
    assert tree.accelerations(0.0, strided, strided) == pytest.approx(tree.accelerations(0.0, [0, 0], [0, 0]))


def test_a_link_without_inertia_is_told():
    m = jd.Mechanism("point", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.0, points={"A": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    tree = jd.tree(m)
    with pytest.raises(jd.JourdainError, match=r"the acceleration of A.angle is not finite; a joint whose"):
        tree.accelerations(0.0, *tree.start)


def chain(links, space="planar"):
    m = jd.Mechanism("chain", gravity=(0, -9.81) if space == "planar" else (0, 0, -9.81))
    zero = (0,) * (2 if space == "planar" else 3)
    port = m.ground.point("O", zero, **({} if space == "planar" else {"axis": (0, 1, 0)}))
    for k in range(links):
        place = (k + 0.5, *zero[1:])
        if space == "planar":
            bar = m.body(f"l{k}", mass=1, inertia=1 / 12, position=place, points={"A": (-0.5, 0), "B": (0.5, 0)})
        else:
            axes = [(0, 1, 0), (0, 0, 1)]
            points = {
                "A": {"at": (-0.5, 0, 0), "axis": axes[k % 2]},
                "B": {"at": (0.5, 0, 0), "axis": axes[(k + 1) % 2]},
            }
            bar = m.body(f"l{k}", mass=1, inertia=(0.01, 1 / 12, 1 / 12), position=place, points=points)
        m.revolute(f"j{k}", port, bar["A"])
        port = bar["B"]
    return m


@functools.cache
def long_chain(space, links):
    return jd.tree(chain(links, space))


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("links", [10, 1000, 10_000])
def test_inverse_then_forward_dynamics_of_long_chains(space, links):
    """Accelerations return to what rounding the efforts once does to them: the recursion adds nothing of its own.

    Efforts that are rounded by a relative eps move the accelerations by cond eps, where cond is how they respond to
    relative changes of all efforts with random signs. It grows to 4e11 with the length of the chain.
    """
    tree, rng = long_chain(space, links), np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, links))
    v *= 0.01
    efforts = tree.inverse(0.0, q, v, a)
    found = tree.accelerations(0.0, q, v, efforts)
    change = 1e-6
    signs = rng.choice([-1, 1], size=(4, links))
    moved = [tree.accelerations(0.0, q, v, efforts * (1 + change * s)) - found for s in signs]
    cond = np.max(np.abs(moved)) / change
    assert np.max(np.abs(found - a)) < 5 * cond * np.finfo(float).eps  # 0.2 to 0.9 times it was seen
    assert cond < 1e12


STEPPED = [
    ("rk4", {"step": 1e-3}),
    ("rk6", {"step": 2e-3}),
    ("ab6", {"step": 1e-3}),
    ("dopri5", {"rtol": 1e-10}),
    ("dop853", {}),
    ("radau", {}),
]


def test_motion_of_a_double_pendulum_in_every_method():
    """Against absolute coordinates, with tolerance 1e-9 a motion of 1 s that is not chaotic yet."""
    m = pendulum(links=2)
    reference = jd.simulate(m, 1.0, every=0.1)
    expected = np.stack([reference["bar0.angle"], reference["bar1.angle"] - reference["bar0.angle"]], 1)
    tree = jd.tree(m)
    for name, numbers in STEPPED:
        run = tree.simulate(1.0, every=0.1, integrator=name, **numbers)
        assert run.t == pytest.approx(reference.t)
        assert np.max(np.abs(run.q - expected)) < 1e-7, name


def test_energy_of_every_joint_over_time():
    """Every kind of joint among these trees; dop853 at 1e-9 holds the energy to about that."""
    kinds = set()
    for seed in range(12):
        tree = jd.tree(random_tree(seed, "spatial", bodies=6))
        kinds |= {link.type for link in tree.graph.links}
        run = tree.simulate(0.5, every=0.5)
        first, last = (sum(tree.energy(run.q[k], run.v[k])) for k in (0, -1))
        assert abs(last - first) < 1e-7 * max(1.0, tree.energy(run.q[0], run.v[0])[0])
    assert kinds == {*SPATIAL, "free"}


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("links", [1, 100, 10_000])
def test_energy_of_long_chains(space, links):
    """0.1 s of falling, rk4 with steps of 1 ms: to 1e-8 of the energy that has changed its form."""
    tree = long_chain(space, links)
    q = np.random.default_rng(0).uniform(-0.3, 0.3, size=links)
    run = tree.simulate(0.1, every=0.1, start=(q, np.zeros(links)), integrator="rk4", step=1e-3)
    (kinetic, potential), (moving, lower) = (tree.energy(run.q[k], run.v[k]) for k in (0, -1))
    assert kinetic == 0.0
    assert moving > 0.3
    assert abs(moving + lower - potential) < 1e-8 * moving


def test_what_simulate_refuses():
    tree = jd.tree(pendulum())
    with pytest.raises(jd.ChoiceError, match=r"solves the index-3 equations of other coordinates"):
        tree.simulate(1.0, integrator="generalized-alpha", step=1e-3)
    with pytest.raises(ValueError, match="expected 0 < every <= duration"):
        tree.simulate(1.0, every=2.0)
    with pytest.raises(jd.ChoiceError, match="step"):
        tree.simulate(1.0, integrator="dop853", step=1e-3)


def test_forces_act_over_time():
    """A motor, springs and dampers, a torsion spring: as in absolute coordinates."""
    m = pendulum(links=2)
    m.torque("motor", on=m["bar0"], torque="3*sin(5*t)")
    m.spring_damper("spring", m.ground.point("S", (1, 1)), m["bar1"]["B"], stiffness=20, damping=1, length=1)
    m.torsion_spring_damper("hinge", joint="A1", stiffness=5, damping=0.1)
    reference, run = jd.simulate(m, 1.0, every=0.1), jd.tree(m).simulate(1.0, every=0.1)
    assert np.max(np.abs(run.q[:, 0] - reference["bar0.angle"])) < 1e-7
    assert np.max(np.abs(run.q[:, 1] - reference["A1.angle"])) < 1e-7


def test_a_users_function_that_fails_ends_the_run():
    def broken(t):
        return 1 / (t - t) if t > 0.05 else 1.0

    m = pendulum()
    m.torque("motor", on=m["bar0"], torque=broken)
    with pytest.raises(jd.SimulationError, match=r"the function of .*motor.* raised ZeroDivisionError"):
        jd.tree(m).simulate(1.0)


def test_bodies_that_cannot_start_as_drawn_are_named():
    assert jd.tree(pendulum(links=2)).moved == {}
    m = jd.Mechanism("torn")
    bar = m.body("bar", mass=1, inertia=1.0, position=(1.5, 0), angle=0.0, points={"A": (-1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    assert jd.tree(m).moved == {"bar": (pytest.approx(0.5), pytest.approx(0.0))}
    m = jd.Mechanism("turned")
    bar = m.body("bar", mass=1, inertia=1.0, position=(1, 0), angle=0.25, points={"A": (0, 0)})
    m.prismatic("A", m.ground.point("A", (0, 0)), bar["A"])
    assert jd.tree(m).moved["bar"][1] == pytest.approx(0.25)
    for seed in range(5):
        m = random_tree(seed, "spatial")
        assert jd.tree(m).moved == {}


@pytest.mark.parametrize(
    "name", ["two_bars", "heavy_top", "hanging_chain", "double_pendulum", "double_inverted_pendulum"]
)
def test_trees_of_the_gallery_start_and_move_as_simulated(name):
    """Poses and velocities that are left out, springs and all: as in absolute coordinates."""
    m = jd.load(str(files("jourdain") / "examples" / f"{name}.yaml"))
    tree, reference = jd.tree(m), jd.simulate(m, 0.25, every=0.25)
    run = tree.simulate(0.25, every=0.25)
    for k in (0, -1):
        for body, state in tree.state(run.q[k], run.v[k]).items():
            for axis, place in zip("xyz", state.position, strict=False):
                assert place == pytest.approx(reference[f"{body}.{axis}"][k], abs=1e-7)


def loaded_chain(links):
    m = chain(links, "spatial")
    m.spring_damper("s", m.ground.point("S", (1, 1, 1)), m[f"l{links - 1}"]["B"], stiffness=20, damping=1, length=1)
    m.torsion_spring_damper("h", joint="j0", stiffness=5, damping=0.1)
    return m


@pytest.mark.parametrize("make", [chain, loaded_chain])
def test_several_threads_may_use_one_tree(make):
    """Each finds the very numbers that it finds alone, whatever the others ask for meanwhile."""
    tree = jd.tree(make(200))
    rng = np.random.default_rng(6)
    states = 0.3 * rng.normal(size=(4, 3, tree.model.nv))

    def asked(q, v, a):
        yield tree.accelerations(0.1, q, v)
        yield tree.accelerations(0.2, q, v, a)
        yield tree.inverse(0.3, q, v, a)
        yield np.array(tree.energy(q, v))
        yield tree.reactions(0.4, q, v)["j7"].moment

    alone = [[np.array(found) for found in asked(*given)] for given in states]
    wrong = []

    def work(k):
        for _ in range(60):
            wrong.extend(k for found, exact in zip(asked(*states[k]), alone[k], strict=True) if (found != exact).any())

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


@pytest.mark.parametrize("name", ["accelerations", "energy"])
def test_a_function_that_asks_its_own_tree_is_told(name):
    """Else it would wait for itself for ever, or spoil what it is part of; the tree can be used again."""
    asked = []

    def curious(t):
        before = (t,) if name == "accelerations" else ()
        return float(getattr(asked[0], name)(*before, *asked[0].start)[0]) if asked else 1.0

    m = pendulum()
    m.torque("motor", on=m["bar0"], torque=curious)
    tree = jd.tree(m)
    expected = tree.accelerations(0.0, *tree.start)
    asked.append(tree)
    with pytest.raises(
        jd.SimulationError, match=r"motor.*asks its own tree while that waits for it; make a second one"
    ):
        tree.accelerations(0.0, *tree.start)
    asked.clear()
    assert np.array_equal(tree.accelerations(0.0, *tree.start), expected)


@pytest.mark.parametrize("name", ["double_pendulum", "heavy_top"])
def test_a_tree_moves_as_relative_coordinates_do(name):
    """A fixed step, to the bit: they are one engine."""
    m = jd.example(name)
    found = jd.tree(m).simulate(0.1, every=0.1, integrator="rk4", step=1e-3)
    expected = jd.simulate(m, 0.1, every=0.1, integrator="rk4", step=1e-3, coordinates="relative")
    assert np.array_equal(found.q[-1], expected.samples[-1, expected.model.layout.q])
    assert np.array_equal(found.v[-1], expected.samples[-1, expected.model.layout.v])


def test_a_tree_without_freedoms_stands_still():
    m = jd.Mechanism("post", gravity=(0, -9.81))
    post = m.body("post", mass=1, inertia=1.0, points={"A": (0, 0)})
    m.weld("A", m.ground.point("A", (0, 0)), post["A"])
    run = jd.tree(m).simulate(1.0, every=0.5)
    assert run.q.shape == run.v.shape == (3, 0)
