"""Branches of large trees in threads: the very bits of the serial pass, and the numbers of the plain recursion.

Sums at junctions are taken in another order than in the plain pass, whose tree is one part: they differ by rounding.
"""

from __future__ import annotations

import functools
import gc
import os
import threading
from dataclasses import replace

import numpy as np
import pytest

import jourdain as jd
from jourdain.engine.joint_dynamics import JointDynamics
from jourdain.engine.tree_threads import crew_for
from jourdain.kernels.layout.tree_table import BRANCH, PARTS
from jourdain.model.tree import branches
from random_trees import random_tree

both_spaces = pytest.mark.parametrize("space", ["planar", "spatial"])


def bunch(space, sizes, trunk=0, floats=False):
    """Chains of pins of these sizes on a trunk of so many links, or on the ground; the trunk may float."""
    planar = space == "planar"
    m = jd.Mechanism("bunch", space=space, gravity=(0.3, -9.81) if planar else (0.3, 0, -9.81))
    zero = (0.0,) * (2 if planar else 3)
    rng = np.random.default_rng(5)

    def bar(name, port, k):
        axes = [{} if planar else {"axis": np.roll((0, 1, 0), (k + side) % 2)} for side in (0, 1)]
        ends = {"A": {"at": (-0.5, *zero[1:]), **axes[0]}, "B": {"at": (0.5, *zero[1:]), **axes[1]}}
        inertia = 1 / 12 if planar else (0.01, 1 / 12, 1 / 12)
        body = m.body(name, mass=rng.uniform(0.5, 1.5), inertia=inertia, points=ends)
        if port is not None:
            m.revolute(f"j_{name}", port, body["A"])
        return body["B"]

    root = None if floats else m.ground.point("O", zero, **({} if planar else {"axis": (0, 1, 0)}))
    for k in range(trunk):
        root = bar(f"t{k}", root, k)
    for b, size in enumerate(sizes):
        port = root
        for k in range(size):
            port = bar(f"b{b}_{k}", port, trunk + k)
    return m


# Of a branch: four of them are as many bodies as are shared out among threads.
SIZE = {space: least // 4 for space, least in branches.SPLIT_FROM.items()}


@functools.cache
def four_branches(space):
    return bunch(space, [SIZE[space]] * 4).frozen()


def some_state(tree, seed=0):
    rng = np.random.default_rng(seed)
    q = tree.start.q + rng.uniform(-1, 1, size=tree.model.nq)
    return q, rng.uniform(-0.5, 0.5, size=tree.model.nv)


def whole_pass(tree, t, q, v, efforts=None):
    """Accelerations by the plain recursion: all links as one part."""
    links = len(tree.graph.links) + 1
    one = np.array([[1, links, links, BRANCH]])
    model = replace(tree.model, fields={**tree.model.fields, PARTS: one})
    found = np.empty(tree.model.nv)
    assert JointDynamics(model, threads=1).accelerations(t, q, v, efforts, found) == 0
    return found


def in_threads(count, tree, t, q, v, efforts=None):
    """Accelerations of the same tree by several threads."""
    dynamics, found = JointDynamics(tree.model, count), np.empty(tree.model.nv)
    assert dynamics._crew is not None
    assert dynamics.accelerations(t, q, v, efforts, found) == 0
    return found


def close(found, expected, tolerance):
    return np.max(np.abs(found - expected)) <= tolerance * np.max(np.abs(expected))


@both_spaces
def test_four_branches(space):
    blueprint = four_branches(space)
    serial, parallel = jd.tree(blueprint, threads=1), jd.tree(blueprint, threads=2)
    assert [part.size for part in serial.model.tree.parts] == [SIZE[space]] * 4
    assert serial._dynamics._crew is None
    assert parallel._dynamics._crew is not None
    for seed in range(3):
        q, v = some_state(serial, seed)
        efforts = None if seed else np.random.default_rng(9).normal(size=v.size)
        a = serial.accelerations(0.0, q, v, efforts)
        assert np.array_equal(parallel.accelerations(0.0, q, v, efforts), a)
        assert close(a, whole_pass(serial, 0.0, q, v, efforts), 1e-12)  # branches on the ground: nothing is summed


@both_spaces
def test_any_number_of_threads_gives_the_same_bits(space):
    part = SIZE[space] // 10
    blueprint = bunch(space, [18 * part, 6 * part, 12 * part, 40, 8 * part], trunk=7, floats=True).frozen()
    serial = jd.tree(blueprint, threads=1)
    q, v = some_state(serial)
    a = np.empty(v.size)
    assert JointDynamics(serial.model, threads=1).accelerations(0.0, q, v, None, a) == 0
    assert close(serial.accelerations(0.0, q, v), a, 1e-12)  # compiled on its own: rounding
    assert any(part.trunk for part in serial.model.tree.parts)
    assert serial.graph.floating
    # Sums at junctions in another order: rounding, which reaches a chain's tip through 2000 links.
    assert close(a, whole_pass(serial, 0.0, q, v), 1e-9)
    for threads in (2, 3, 50):
        assert np.array_equal(in_threads(threads, serial, 0.0, q, v), a)
    assert crew_for(JointDynamics(serial.model)._workspace, None) is None  # others do not pay by themselves


@both_spaces
@pytest.mark.parametrize("forces", [False, True])
def test_random_trees_in_parts(space, forces, monkeypatch):
    """Every kind of joint, free bodies and forces; several trees, small ones together; junctions in branches."""
    monkeypatch.setattr(branches, "SPLIT_FROM", {"planar": 1, "spatial": 1})
    monkeypatch.setattr(branches, "LEAST_GAIN", 0.0)
    for seed in range(4):
        tree = jd.tree(random_tree(seed, space, bodies=25, forces=forces), threads=1)
        parts = tree.model.tree.parts
        assert any(part.trunk for part in parts)
        assert [part.first for part in parts[1:]] == [part.last for part in parts[:-1]]
        q, v = tree.start.q, np.random.default_rng(seed).normal(size=tree.model.nv)
        efforts = tree.inverse(0.4, q, v, v)
        for given in (None, efforts):
            a = tree.accelerations(0.4, q, v, given)
            assert np.array_equal(in_threads(3, tree, 0.4, q, v, given), a)
            assert close(a, whole_pass(tree, 0.4, q, v, given), 1e-9)  # 100 cond eps, cond below 1e5
        assert close(a, v, 1e-9)


@both_spaces
def test_time_loops_take_the_parts_too(space, monkeypatch):
    whole = jd.tree(bunch(space, [30, 20, 10], trunk=4))
    monkeypatch.setattr(branches, "SPLIT_FROM", {"planar": 1, "spatial": 1})
    split = jd.tree(bunch(space, [30, 20, 10], trunk=4), threads=2)
    assert len(split.model.tree.parts) == 4
    runs = [tree.simulate(0.05, every=0.05, integrator="rk4", step=1e-3) for tree in (whole, split)]
    assert close(runs[1].q[-1], runs[0].q[-1], 1e-10)


def test_where_trees_are_split():
    def parts(parents):
        return [(p.first, p.last, p.trunk) for p in branches.split([0, *parents], "planar")]

    chain = list(range(5000))
    assert parts(chain) == [(1, 5001, False)]  # nothing to share out
    assert parts(chain[:100]) == [(1, 101, False)]  # small
    fork = [*range(2000), *range(4000, 6000)]  # link 2001 hangs from ...
    fork[2000:] = [10, *range(2001, 4000)]
    assert parts(fork) == [(1, 11, True), (11, 2001, False), (2001, 4001, False)]
    heap = [0] * 8000  # bodies side by side: sixteen lots
    assert [last - first for first, last, _ in parts(heap)] == [500] * 16
    comb = [*range(3000), *range(1, 3001)]
    order = [x for k in range(1, 3001) for x in (k, 3000 + k)]
    new = {old: at for at, old in enumerate(order, start=1)} | {0: 0}
    # Depth first with a tooth before the rest of the spine at every link: too many parts for their size.
    assert len(parts([new[comb[old - 1]] for old in order])) == 1
    assert branches.shares(branches.split([0, *fork], "planar"), 2)[1] == [2000, 1990]


def test_threads_end_with_their_tree():
    before = set(threading.enumerate())
    tree = jd.tree(four_branches("planar"), threads=3)
    helpers = [thread for thread in threading.enumerate() if thread not in before]
    assert [thread.name for thread in helpers] == ["jourdain-branches"] * 2
    tree.accelerations(0.0, *some_state(tree))
    assert all(thread.is_alive() for thread in helpers)
    del tree
    gc.collect()
    for thread in helpers:
        thread.join(timeout=20)
        assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_threads_start_anew_in_a_forked_process():
    tree = jd.tree(four_branches("planar"), threads=2)
    q, v = some_state(tree)
    a = tree.accelerations(0.0, q, v)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(tree.accelerations(0.0, q, v), a) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_wrong_numbers_and_sentences_with_threads():
    for threads in (0, -1, 1.5, True, "two"):
        with pytest.raises((ValueError, jd.ChoiceError), match=r"threads is .*; expected a whole number"):
            jd.tree(bunch("planar", [2]), threads=threads)
    tree = jd.tree(four_branches("planar"), threads=2)
    q, v = some_state(tree)
    v[3000] = np.nan
    with pytest.raises(jd.JourdainError, match=f"v is not finite at {tree.velocities[3000]}"):
        tree.accelerations(0.0, q, v)


def test_two_threads_may_ask_for_the_help_of_the_same_branches():
    tree = jd.tree(four_branches("spatial"), threads=2)
    states = [some_state(tree, seed) for seed in range(2)]
    alone = [tree.accelerations(0.0, *state) for state in states]
    wrong = []

    def work(k):
        wrong.extend(k for _ in range(20) if not np.array_equal(tree.accelerations(0.0, *states[k]), alone[k]))

    callers = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []
