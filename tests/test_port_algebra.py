"""Sums between ports, and K factored, against dense matrices; loads on ports as polynomials against formulas."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.engine.port_algebra import Pattern, Stiffness
from jourdain.kernels.layout import fields as f
from jourdain.mechanism.parts import PointForce, PortName
from jourdain.model.compile import compile_mechanism
from jourdain.modular.factor import Factor
from jourdain.modular.own_box import loaded

sys.path.insert(0, "examples")
systems = importlib.import_module("systems")


def dense(session: Any) -> tuple[np.ndarray, np.ndarray]:
    """J, and Y as one matrix, of a session."""
    network = session.network
    n = network.algebra.numbers
    joints = network.joints(session.t, network.motion, session.z)
    J = np.array([-network.wrenches(joints.J, row).ravel() for row in np.eye(len(network.interface.rows))])
    Y = np.zeros((n, n))
    for k, name in enumerate(network.names):
        own = slice(network.where[name].start * network.width, network.where[name].stop * network.width)
        block = network.mobility()[network.algebra.places_of(k)]
        Y[own, own] = block.reshape(own.stop - own.start, -1)
    return J, Y


@pytest.mark.parametrize("machine", ["chain", "stewart", "rssr", "long chain"])
def test_sums_between_ports(machine: str) -> None:
    """J itself is that of the interface's own pose; everything else follows from it and from the boxes' mobilities."""
    made = {"chain": lambda: systems.chain(4), "long chain": lambda: systems.chain(20)}
    session = jd.session(made.get(machine, getattr(systems, machine, None))(), macro_step=0.005)
    session.advance(0.01)
    network, rng = session.network, np.random.default_rng(1)
    joints, Y = network.joints(session.t, network.motion, session.z), network.mobility()
    J, whole = dense(session)
    assert np.allclose(J, network.interface.pose.jacobian_here(), atol=1e-14)
    x, lam = rng.normal(size=J.shape[1]), rng.normal(size=len(J))
    assert np.allclose(network.algebra.times(joints.J, x), J @ x, atol=1e-12)
    assert np.allclose(network.algebra.moved(Y, x), whole @ x, atol=1e-10 * np.abs(whole).max())
    K = J @ whole @ J.T
    found = network.algebra.stiffness(joints.J, Y)
    assert found.pattern.kind == ("band" if machine == "long chain" else "dense")
    scale = np.abs(K).max()
    assert np.allclose(found.dense(), K, atol=1e-12 * scale)
    assert np.allclose(found.diagonal, np.diag(K), atol=1e-12 * scale)
    assert np.allclose(network.algebra.answered(joints.J, Y, lam), K @ lam, atol=1e-11 * scale)
    for rows, blocks in network.algebra.own_stiffness(joints.J, Y):
        for own, block in zip(rows, blocks, strict=True):
            assert np.allclose(block, K[np.ix_(own, own)], atol=1e-12 * scale)


def columns(K: np.ndarray) -> Stiffness:
    """By columns, whole ones."""
    n = len(K)
    ends = np.arange(0, n * n + 1, n)
    return Stiffness(Pattern("columns", n, n * n, np.arange(n), np.tile(np.arange(n), n), ends), K.T.ravel().copy())


def band(K: np.ndarray) -> Stiffness:
    """All of it a band, in an order of its own."""
    n = len(K)
    order = np.random.default_rng(0).permutation(n)
    turned = K[np.ix_(order, order)]
    values = np.array([np.append(np.diagonal(turned, -d), np.zeros(d)) for d in range(n)])
    nothing = np.zeros(0, dtype=np.int64)
    return Stiffness(Pattern("band", n, n * n, order, nothing, nothing), values.ravel())


def whole(K: np.ndarray) -> Stiffness:
    n, nothing = len(K), np.zeros(0, dtype=np.int64)
    return Stiffness(Pattern("dense", n, n * n, np.arange(n), nothing, nothing), K.ravel().copy())


@pytest.mark.parametrize("made", [whole, band, columns])
@pytest.mark.parametrize("rank", [6, 4])
def test_factor_solves_with_the_pseudoinverse(made: Any, rank: int) -> None:
    """Regular, and where two rows repeat others: rows of very different size."""
    rng = np.random.default_rng(2)
    J = rng.normal(size=(rank, 8))
    J = np.vstack([J, 2.0 * J[: 6 - rank]]) * np.logspace(0, 2, 6)[:, None]
    K = J @ J.T
    stiffness = made(K)
    assert np.allclose(stiffness.dense(), K)
    factor = Factor(stiffness)
    assert factor.rank == rank
    assert factor.null.shape == (6, 6 - rank)
    scale = factor.weights
    expected = scale * (np.linalg.pinv(scale[:, None] * K * scale, rcond=1e-10, hermitian=True) @ (scale * J[:, 0]))
    assert np.allclose(factor.solve(J[:, 0]), expected, rtol=1e-8, atol=1e-10)
    assert np.allclose(K @ factor.solve(J[:, 0]), J[:, 0], rtol=1e-8, atol=1e-6)  # in the range of K


def test_loads_on_ports_are_no_formulas() -> None:
    m = systems.free("m", (0, 0), (1, 0)).frozen()
    model = compile_mechanism(loaded(m, ["bar.A", "bar.B"], 2)[0], None)
    assert len(model.fields[f.POLYNOMIALS]) == 6
    assert not len(model.fields[f.VALUE_TAPES])


@pytest.mark.parametrize("coordinates", ["angle", "natural", "relative"])
def test_polynomials_are_what_their_formulas_say(coordinates: str) -> None:
    """The same force written so that it is a tape, over 1 s."""
    m = systems.pinned("m", (0, 0), (1, 0))
    m.parameter("t0", 0.25)
    m.parameter("pace", 2.0)
    for k, c in enumerate((3.0, -5.0, 7.0)):
        m.parameter(f"c{k}", c)
    base = m.frozen()
    runs = []
    for words in (
        "c0 + (t - t0)*pace*(c1 + (t - t0)*pace*c2)",
        "0*bar.x + c0 + c1*2*(t - t0) + 4*c2*(t - t0)*(t - t0)",
    ):
        force = PointForce("push", PortName("bar", "B"), (words, "0"))
        one = replace(base, forces=(force,))
        assert bool(len(compile_mechanism(one, None).fields[f.POLYNOMIALS])) is not words.startswith("0")
        runs.append(jd.simulate(one, 1.0, coordinates=coordinates, integrator="rk4", step=1e-3))
    for channel in ("bar.x", "bar.y", "energy.total"):
        assert np.allclose(runs[0][channel], runs[1][channel], rtol=0, atol=1e-12)
