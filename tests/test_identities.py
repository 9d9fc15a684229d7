"""Physics identities on random mechanisms: trees and loops of all joints, in the plane and in space.

Tolerance throughout: max(1e-9, 100 cond eps), cond of the KKT matrix in scaled form, relative to the size of what
is compared.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import jourdain as jd
from grids import some
from jourdain.assembly.prepare import prepare
from jourdain.engine.kernel_cache import load_kernels
from jourdain.engine.plan import Plan
from jourdain.engine.pose import Pose
from jourdain.engine.workspace import Workspace
from jourdain.mechanism.parts import PointForce, SpringDamper
from jourdain.model.body_data import inertia_matrix
from jourdain.model.compile import compile_mechanism
from random_mechanisms import random_mechanism

EPS = np.finfo(float).eps
PLANAR = ("angle", "euler-parameters", "natural", "points")
SPATIAL = ("quaternion", "euler-parameters", "natural", "bryan", "euler-zxz")
DEFAULT = {"planar": "angle", "spatial": "quaternion"}
# Seeds for the default sets and for the others: twelve meet three to six bodies with none to two loops, each with each.
MANY, FEW = some(range(30), 12), some(range(10), 6)


def cases(planar=PLANAR, spatial=SPATIAL):
    sets = [("planar", name) for name in planar] + [("spatial", name) for name in spatial]
    return [(*pair, seed) for pair in sets for seed in (MANY if pair[1] in DEFAULT.values() else FEW)]


TIME = 0.7  # an ordinary moment: sines, cosines and their derivatives are all alive
STEP = 1e-30

every_set = pytest.mark.parametrize(("space", "name", "seed"), cases())
default_sets = pytest.mark.parametrize(("space", "name", "seed"), cases(("angle",), ("quaternion",)))
other_sets = pytest.mark.parametrize(("space", "name", "seed"), cases(PLANAR[1:], SPATIAL[1:]))


@functools.cache
def prepared(space, name, seed):
    m = random_mechanism(seed, space, bodies=3 + seed % 4, loops=seed % 3)
    return prepare(m, name, t=TIME)


@functools.cache
def oracle(space, name, seed):
    """J, M and the right-hand sides of the KKT system as dense matrices, and the tolerance they allow."""
    p = prepared(space, name, seed)
    c = load_kernels().context
    pose = Pose(p.model, p.workspace)
    J = pose.jacobian(TIME, p.assembly.y)
    rows = [row.row for row in p.model.rows]
    gamma = p.workspace[c.GAMMA][rows, 0].copy()
    keep = [k for k, row in enumerate(p.model.rows) if not row.dropped]
    M = mass_matrix(p)
    n, r = len(M), len(keep)
    kkt = np.block([[M, J[keep].T], [J[keep], np.zeros((r, r))]])
    scale = 1 / np.sqrt(np.max(np.abs(kkt), axis=1))
    cond = np.linalg.cond(kkt * scale * scale[:, None])
    return {"J": J[keep], "M": M, "gamma": gamma[keep], "keep": keep, "tol": max(1e-9, 100 * cond * EPS), "n": n}


def mass_matrix(p):
    """Block diagonal. Default sets: from the blueprint, fixed axes, about mass centres; others: the kernels' own."""
    bodies = p.model.blueprint.bodies
    nv = p.model.nv // len(bodies)
    M = np.zeros((p.model.nv, p.model.nv))
    if p.model.set.vector_jacobian:
        k = load_kernels()
        nq = p.model.nq
        q, v = p.assembly.y[:nq].copy(), p.assembly.y[nq : nq + p.model.nv].copy()
        k.dynamics.call_entry(p.workspace.ctx, k.context.F_PLACE, TIME, q, v)
        for b, block in enumerate(p.workspace[k.context.MASS].reshape(-1, nv, nv)):
            M[b * nv : (b + 1) * nv, b * nv : (b + 1) * nv] = block
        return M
    q = p.assembly.y[: p.model.nq].reshape(len(bodies), -1)
    _, frames, _ = p.model.set.pose_out(q, p.model.body_data)
    for k, body in enumerate(bodies):
        inertia = inertia_matrix(body)
        R = frames[k]
        dim = len(body.centre)
        block = M[k * nv : (k + 1) * nv, k * nv : (k + 1) * nv]
        block[:dim, :dim] = body.mass * np.eye(dim)
        block[dim:, dim:] = inertia if dim == 2 else R @ inertia @ R.T
    return M


def assert_close(actual, expected, tol, scale=None):
    """Agreement to tol, relative to the largest expected number (or to one, if that is larger)."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)) if scale is None else scale)
    assert np.max(np.abs(actual - expected), initial=0.0) <= tol * size


class Complex:
    """The same kernels in complex numbers: derivatives without subtraction."""

    def __init__(self, model):
        self.k = load_kernels()
        self.c = self.k.context
        self.model = model
        slots = {"BODIES", "PLACE", "ROWS", "TERM_ROWS", "TIMES", "RATES", "ENERGY", "SPRINGS", "SIGNALS", "FORWARD"}
        slots |= {"REVERSE", "TAPE_ROWS", "TAPE_FORCES", "TAPE_VALUES", "WIND"}
        self.w = Workspace(Plan.of(model), np.complex128, slots)

    def call(self, function, t, a, b):
        assert self.k.dynamics.call_entry(self.w.ctx, function, t, a, b) == 0

    def q_rate(self, q, v):
        dy = np.zeros(self.model.length, dtype=complex)
        self.call(self.c.F_RATES, 0.0, np.concatenate([q, v]).astype(complex), dy)
        return dy[: self.model.nq].real

    def rows(self, field):
        return self.w[field][[row.row for row in self.model.rows], 0].copy()

    def residual(self, t, q, v):
        self.call(self.c.F_PLACE, t, q.astype(complex), v.astype(complex))
        return self.rows(self.c.RESIDUAL)

    def rate(self, t, q, v):
        """J v + C_t."""
        q, v = q.astype(complex), v.astype(complex)
        self.call(self.c.F_PLACE, t, q, v)
        out = np.zeros(max(1, self.model.padded), dtype=complex)
        self.call(self.c.F_TIMES, t, v, out)
        return out[[row.row for row in self.model.rows]] + self.rows(self.c.PARTIAL)

    def energy(self, t, q, v):
        q, v = q.astype(complex), v.astype(complex)
        self.call(self.c.F_PLACE, t, q, v)
        self.call(self.c.F_ENERGY, t, q, v)
        return self.w[self.c.ENERGY][0, 0] + self.w[self.c.ENERGY][1, 0]


def full_model(space, name, seed):
    """The model with no rows dropped, and its state."""
    p = prepared(space, name, seed)
    model = compile_mechanism(p.model.blueprint, p.model.coordinates)
    y = p.assembly.y
    return model, y[: model.nq], y[model.nq : model.nq + model.nv]


@every_set
def test_jacobian_is_the_derivative_of_the_residual(space, name, seed):
    model, q, v = full_model(space, name, seed)
    z = Complex(model)
    J = Pose(model).jacobian(TIME, np.concatenate([q, v, np.zeros(model.nz)]))
    for k, e in enumerate(np.eye(model.nv)):
        column = z.residual(TIME, q + 1j * STEP * z.q_rate(q, e), v).imag / STEP
        assert_close(column, J[:, k], 1e-12)


@every_set
def test_partial_and_gamma_are_derivatives_of_the_rows(space, name, seed):
    """C_t by differences in time; gamma = -d/dt (J v + C_t) at v' = 0, by complex step in q and differences in t."""
    model, q, v = full_model(space, name, seed)
    z = Complex(model)
    h = 1e-3

    def in_time(f):  # sixth-order differences: error about h^6, rounding about eps / h
        weights = {1: 45, 2: -9, 3: 1}
        return sum(w * (f(TIME + k * h) - f(TIME - k * h)) for k, w in weights.items()) / (60 * h)

    y = np.concatenate([q, v, np.zeros(model.nz)])
    pose = Pose(model)
    pose.place(TIME, y)
    c = load_kernels().context
    rows = [row.row for row in model.rows]
    assert_close(pose.workspace[c.PARTIAL][rows, 0], in_time(lambda t: z.residual(t, q, v).real), 1e-10)
    along_q = z.rate(TIME, q + 1j * STEP * z.q_rate(q, v), v).imag / STEP
    along_t = in_time(lambda t: z.rate(t, q, v).real)
    assert_close(pose.workspace[c.GAMMA][rows, 0], -(along_q + along_t), 1e-10)


@every_set
def test_energy_rate_is_power(space, name, seed):
    p = prepared(space, name, seed)
    f = right_hand_side(p)
    nq, nv = p.model.nq, p.model.nv
    z = Complex(p.model)
    y = p.assembly.y
    q, v = y[:nq].astype(complex), y[nq : nq + nv].astype(complex)
    rate = z.energy(TIME, q + 1j * STEP * f[:nq], v + 1j * STEP * f[nq : nq + nv]).imag / STEP
    dissipated, driven = f[nq + nv], f[nq + nv + 1]
    scale = abs(dissipated) + abs(driven) + np.abs(v.real) @ np.abs(mass_matrix(p) @ f[nq : nq + nv])
    assert_close(rate + dissipated - driven, 0.0, oracle(space, name, seed)["tol"], scale)


def right_hand_side(p):
    k = load_kernels()
    dy = np.zeros(p.model.length)
    p.workspace.ctx[k.context.H_FRESH] = 0
    assert k.dynamics.call_entry(p.workspace.ctx, k.context.F_RHS, TIME, p.assembly.y.copy(), dy) == 0
    return dy


@every_set
def test_accelerations_and_multipliers_solve_the_kkt_system(space, name, seed):
    """Against dense linear algebra: M v' + J^T lam = Q, J v' = gamma, Q found from Newton-Euler below."""
    p = prepared(space, name, seed)
    o = oracle(space, name, seed)
    c = load_kernels().context
    acc = right_hand_side(p)[p.model.nq : p.model.nq + p.model.nv]
    lam = p.workspace[c.LAMBDA][[row.row for row in p.model.rows], 0][o["keep"]]
    Q = o["M"] @ p.workspace[c.FREE][:, 0]
    assert_close(o["J"] @ acc, o["gamma"], o["tol"])
    assert_close(o["M"] @ acc + o["J"].T @ lam, Q, o["tol"])


@every_set
def test_reactions_satisfy_newton_euler_for_each_body(space, name, seed):
    """m a = sum F and (I w)' = sum M about the mass centre, from the channels a user reads."""
    m = random_mechanism(seed, space, bodies=3 + seed % 4, loops=seed % 3)
    run = jd.simulate(m, times=[TIME], coordinates=name)
    blueprint = run.model.blueprint
    dim = blueprint.dim
    tol = oracle(space, name, seed)["tol"]
    for body in blueprint.bodies:
        force, moment, scale = body.mass * np.array(blueprint.gravity), np.zeros(3), 1.0
        G = centre_of_mass(run, body)
        for place, f, m in wrenches_on(run, body.name):
            force = force + f
            moment = moment + m + np.cross(pad(place - G), pad(f))
            scale = max(scale, np.linalg.norm(f), np.linalg.norm(m))
        a, rate = momentum_rates(run, body, dim)
        assert_close(force, body.mass * a, tol, scale)
        assert_close(moment if dim == 3 else moment[2:], rate, tol, scale)


def pad(v):
    return np.concatenate([v, np.zeros(3 - len(v))])


def centre_of_mass(run, body):
    b = run.motion.index(body.name)
    return run.motion.position[0, b] + run.motion.frame[0, b] @ np.array(body.centre)


def momentum_rates(run, body, dim):
    """Acceleration of the mass centre and rate of the angular momentum about it."""
    b = run.motion.index(body.name)
    w, dw = run.motion.spin[0, b], run.motion.spin_rate[0, b]
    arm = run.motion.frame[0, b] @ np.array(body.centre)
    if dim == 2:
        a = run.motion.acceleration[0, b] + dw * np.array([-arm[1], arm[0]]) - w**2 * arm
        return a, inertia_matrix(body) * dw
    I = run.motion.frame[0, b] @ inertia_matrix(body) @ run.motion.frame[0, b].T
    a = run.motion.acceleration[0, b] + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    return a, I @ dw + np.cross(w, I @ w)


def wrenches_on(run, name):
    """(place, force, moment as a 3-vector) of everything that acts on a body, at t = TIME."""
    blueprint = run.model.blueprint
    dim = blueprint.dim
    found = []
    for joint in blueprint.joints:
        r = run.reactions[joint.name]
        for port, f, m in ((joint.first, r.on_first_force, r.on_first_moment), (joint.second, r.force, r.moment)):
            if port.body == name:
                moment = m[0] if dim == 3 else np.array([0, 0, m[0, 0]])
                found.append((run.motion.point(port)[0][0], f[0], moment))
    for force in blueprint.forces:
        if isinstance(force, SpringDamper):
            ends = [run.motion.point(p) for p in (force.first, force.second)]
            d, v = (ends[1][k][0] - ends[0][k][0] for k in (0, 1))
            length = np.linalg.norm(d)
            pull = (force.stiffness * (length - force.length) + force.damping * d @ v / length) * d / length
            for port, end, f in ((force.first, ends[0], pull), (force.second, ends[1], -pull)):
                if port.body == name:
                    found.append((end[0][0], f, np.zeros(3)))
        elif isinstance(force, PointForce):
            if force.on.body == name:
                f = np.array([3 * np.sin(2 * TIME), *force.vector[1:]])
                found.append((run.motion.point(force.on)[0][0], f, np.zeros(3)))
        elif force.on == name:
            tau = [0, 0, 2 * np.cos(TIME)] if dim == 2 else [2 * np.cos(TIME), *force.torque[1:]]
            found.append((centre_of_mass(run, blueprint.body(name)), np.zeros(dim), np.array(tau)))
    return found


@default_sets
def test_pins_by_their_own_rows_equal_the_general_table(space, name, seed):
    p = prepared(space, name, seed)
    blueprint = random_mechanism(seed, space, joints=("revolute", "weld")).frozen()
    states = []
    for fast in (True, False):
        model = compile_mechanism(blueprint, p.model.coordinates, fast_pins=fast)
        pose = Pose(model)
        y = np.concatenate([p.assembly.y[:0], start_of(model)])
        J = pose.jacobian(TIME, y)
        c = load_kernels().context
        rows = [row.row for row in model.rows]
        states.append((J, *(pose.workspace[f][rows, 0].copy() for f in (c.RESIDUAL, c.GAMMA))))
    for a, b in zip(*states, strict=True):
        assert_close(a, b, 1e-13)


def start_of(model):
    from jourdain.model.states import drawn_state, to_vector

    return to_vector(model, drawn_state(model))


@every_set
def test_calling_twice_gives_the_same_numbers(space, name, seed):
    p = prepared(space, name, seed)
    assert np.array_equal(right_hand_side(p), right_hand_side(p))


@other_sets
def test_inertia_bias_follows_from_lagrange(space, name, seed):
    """bias = -(d/dt dT/dv at v' = 0 - dT/dq), T = v^T M(q) v / 2, by complex step: Lagrange against Newton-Euler."""
    model, q, v = full_model(space, name, seed)
    z = Complex(model)
    nv, bodies = model.set.nv, model.bodies

    def mass(q):
        z.call(z.c.F_PLACE, TIME, q.astype(complex), v.astype(complex))
        return z.w[z.c.MASS].reshape(bodies, nv, nv).copy()

    V = v.reshape(bodies, nv)
    along = mass(q + 1j * STEP * z.q_rate(q, v)).imag / STEP
    expected = -np.einsum("bij,bj->bi", along, V)
    for k, e in enumerate(np.eye(model.nv)):
        change = mass(q + 1j * STEP * z.q_rate(q, e)).imag / STEP
        b, i = divmod(k, nv)
        expected[b, i] += 0.5 * V[b] @ change[b] @ V[b]
    mass(q)
    found = z.w[z.c.BIAS].reshape(bodies, nv).real
    assert_close(found, expected, 1e-11)


@other_sets
def test_every_set_gives_the_same_accelerations_and_unique_reactions(space, name, seed):
    m = random_mechanism(seed, space, bodies=3 + seed % 4, loops=seed % 3)
    runs = [jd.simulate(m, times=[TIME], coordinates=c) for c in (DEFAULT[space], name)]
    a, b = runs
    tol = max(oracle(space, c, seed)["tol"] for c in (DEFAULT[space], name))
    assert_close(b.motion.position, a.motion.position, tol)
    assert_close(b.motion.spin, a.motion.spin, tol)
    assert_close(b.motion.acceleration, a.motion.acceleration, tol)
    assert_close(b.motion.spin_rate, a.motion.spin_rate, tol)
    assert (a.redundancy.rank, a.redundancy.freedoms) == (b.redundancy.rank - intrinsic(b), b.redundancy.freedoms)
    for joint, reaction in a.reactions.items():
        assert reaction.unique == b.reactions[joint].unique
        if reaction.is_unique:
            scale = np.max(np.abs(reaction.force)) + np.max(np.abs(reaction.moment))
            assert_close(b.reactions[joint].force, reaction.force, tol, scale)
            assert_close(b.reactions[joint].moment, reaction.moment, tol, scale)


def intrinsic(run):
    return run.model.bodies * len(run.model.set.intrinsic)


@pytest.mark.parametrize(("space", "name"), [(s, n) for s, n, seed in cases(PLANAR[1:], SPATIAL[1:]) if seed == 0])
def test_every_set_gives_the_same_motion_over_a_second(space, name):
    for seed in (1, 3):
        m = random_mechanism(seed, space, bodies=3, loops=1)
        a, b = (jd.simulate(m, 1.0, every=0.25, rtol=1e-10, atol=1e-10, coordinates=c) for c in (DEFAULT[space], name))
        assert a.status.ok and b.status.ok
        # The integrator's tolerance, amplified by the motion itself: a thousandfold covers these seeds.
        assert_close(b.motion.position, a.motion.position, 1e-7)
        assert_close(b.energy.total, a.energy.total, 1e-7)
