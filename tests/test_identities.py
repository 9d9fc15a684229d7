"""Physics identities on random mechanisms: trees and loops of all joints, in the plane and in space.

Tolerance throughout: max(1e-9, 100 cond eps), cond of the KKT matrix in scaled form, relative to the size of what
is compared.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import jourdain as jd
from jourdain.analysis.linear import Pose
from jourdain.analysis.simulate import prepare
from jourdain.compiled.bodies import inertia_matrix
from jourdain.compiled.compile import compile_mechanism
from jourdain.compiled.flat import Workspace, coordinate_module
from jourdain.compiled.kernels import load_kernels
from jourdain.mechanism.parts import PointForce, SpringDamper
from random_mechanisms import random_mechanism

EPS = np.finfo(float).eps
CASES = [("planar", seed) for seed in range(30)] + [("spatial", seed) for seed in range(30)]
SETS = {"planar": "angle", "spatial": "quaternion"}
TIME = 0.7  # an ordinary moment: sines, cosines and their derivatives are all alive
STEP = 1e-30

pytestmark = pytest.mark.parametrize(("space", "seed"), CASES)


@functools.cache
def prepared(space, seed):
    m = random_mechanism(seed, space, bodies=3 + seed % 4, loops=seed % 3)
    return prepare(m, SETS[space], t=TIME)


@functools.cache
def oracle(space, seed):
    """J, M and the right-hand sides of the KKT system as dense matrices, and the tolerance they allow."""
    p = prepared(space, seed)
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
    """Block diagonal, fixed axes, about mass centres; built from the blueprint, not from the kernels."""
    bodies = p.model.blueprint.bodies
    _, frames, _ = coordinate_module(p.model.coordinates).pose_out(p.assembly.y[: p.model.nq].reshape(len(bodies), -1))
    nv = p.model.nv // len(bodies)
    M = np.zeros((p.model.nv, p.model.nv))
    for k, body in enumerate(bodies):
        inertia = inertia_matrix(body)
        R = frames[k]
        dim = len(body.centre)
        block = M[k * nv : (k + 1) * nv, k * nv : (k + 1) * nv]
        block[:dim, :dim] = body.mass * np.eye(dim)
        block[dim:, dim:] = inertia if dim == 2 else R @ inertia @ R.T
    return M


def close(actual, expected, tol, scale=None):
    """Agreement to tol, relative to the largest expected number (or to one, if that is larger)."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)) if scale is None else scale)
    assert np.max(np.abs(actual - expected), initial=0.0) <= tol * size


class Complex:
    """The same kernels in complex numbers: derivatives without subtraction."""

    def __init__(self, model):
        self.k = load_kernels()
        c = self.c = self.k.context
        self.model = model
        functions = [c.F_PLACE, c.F_TIMES, c.F_RATES, c.F_ENERGY]
        functions += [c.F_SIGNALS] if len(model.fields[c.SIGNALS]) else []
        self.w = Workspace(model, np.complex128, functions)

    def call(self, function, t, a, b):
        assert self.k.system.call_entry(self.w.ctx, function, t, a, b) == 0

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


def full_model(space, seed):
    """The model with no rows dropped, and its state."""
    p = prepared(space, seed)
    model = compile_mechanism(p.model.blueprint, p.model.coordinates)
    y = p.assembly.y
    return model, y[: model.nq], y[model.nq : model.nq + model.nv]


def test_jacobian_is_the_derivative_of_the_residual(space, seed):
    model, q, v = full_model(space, seed)
    z = Complex(model)
    J = Pose(model).jacobian(TIME, np.concatenate([q, v, np.zeros(model.nz)]))
    for k, e in enumerate(np.eye(model.nv)):
        column = z.residual(TIME, q + 1j * STEP * z.q_rate(q, e), v).imag / STEP
        close(column, J[:, k], 1e-12)


def test_partial_and_gamma_are_derivatives_of_the_rows(space, seed):
    """C_t by differences in time; gamma = -d/dt (J v + C_t) at v' = 0, by complex step in q and differences in t."""
    model, q, v = full_model(space, seed)
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
    close(pose.workspace[c.PARTIAL][rows, 0], in_time(lambda t: z.residual(t, q, v).real), 1e-10)
    along_q = z.rate(TIME, q + 1j * STEP * z.q_rate(q, v), v).imag / STEP
    along_t = in_time(lambda t: z.rate(t, q, v).real)
    close(pose.workspace[c.GAMMA][rows, 0], -(along_q + along_t), 1e-10)


def test_energy_rate_is_power(space, seed):
    p = prepared(space, seed)
    f = right_hand_side(p)
    nq, nv = p.model.nq, p.model.nv
    z = Complex(p.model)
    y = p.assembly.y
    q, v = y[:nq].astype(complex), y[nq : nq + nv].astype(complex)
    rate = z.energy(TIME, q + 1j * STEP * f[:nq], v + 1j * STEP * f[nq : nq + nv]).imag / STEP
    dissipated, driven = f[nq + nv], f[nq + nv + 1]
    scale = abs(dissipated) + abs(driven) + np.abs(v.real) @ np.abs(mass_matrix(p) @ f[nq : nq + nv])
    close(rate + dissipated - driven, 0.0, oracle(space, seed)["tol"], scale)


def right_hand_side(p):
    k = load_kernels()
    dy = np.zeros(p.model.length)
    p.workspace.ctx[k.context.H_FRESH] = 0
    assert k.system.call_entry(p.workspace.ctx, k.context.F_RHS, TIME, p.assembly.y.copy(), dy) == 0
    return dy


def test_accelerations_and_multipliers_solve_the_kkt_system(space, seed):
    """Against dense linear algebra: M v' + J^T lam = Q, J v' = gamma, Q found from Newton-Euler below."""
    p = prepared(space, seed)
    o = oracle(space, seed)
    c = load_kernels().context
    acc = right_hand_side(p)[p.model.nq : p.model.nq + p.model.nv]
    lam = p.workspace[c.LAMBDA][[row.row for row in p.model.rows], 0][o["keep"]]
    Q = o["M"] @ p.workspace[c.FREE][:, 0]
    close(o["J"] @ acc, o["gamma"], o["tol"])
    close(o["M"] @ acc + o["J"].T @ lam, Q, o["tol"])


def test_reactions_satisfy_newton_euler_for_each_body(space, seed):
    """m a = sum F and (I w)' = sum M about the mass centre, from the channels a user reads."""
    run = jd.simulate(random_mechanism(seed, space, bodies=3 + seed % 4, loops=seed % 3), times=[TIME])
    blueprint = run.model.blueprint
    dim = blueprint.dim
    tol = oracle(space, seed)["tol"]
    for body in blueprint.bodies:
        force, moment, scale = body.mass * np.array(blueprint.gravity), np.zeros(3), 1.0
        G = centre_of_mass(run, body)
        for place, f, m in wrenches_on(run, body.name):
            force = force + f
            moment = moment + m + np.cross(pad(place - G), pad(f))
            scale = max(scale, np.linalg.norm(f), np.linalg.norm(m))
        a, rate = momentum_rates(run, body, dim)
        close(force, body.mass * a, tol, scale)
        close(moment if dim == 3 else moment[2:], rate, tol, scale)


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


def test_pins_by_their_own_rows_equal_the_general_table(space, seed):
    p = prepared(space, seed)
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
        close(a, b, 1e-13)


def start_of(model):
    from jourdain.compiled.states import drawn_state, to_vector

    return to_vector(model, drawn_state(model))


def test_calling_twice_gives_the_same_numbers(space, seed):
    p = prepared(space, seed)
    assert np.array_equal(right_hand_side(p), right_hand_side(p))
