"""Parts of the recursion: sines and cosines, and the calls that read NumPy's arrays themselves."""

from __future__ import annotations

import functools
import gc
import inspect
import sys
import weakref

import numpy as np
import pytest

import jourdain as jd
from jourdain.engine.kernel_cache import load_recursion, quick_accelerations


@pytest.fixture(scope="module")
def pendulum():
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=2, inertia=0.5, position=(1, 0), points={"A": (-1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    return jd.tree(m)


def turned(pendulum, angles):
    """Cosines and sines as the planar recursion has them, of the one link."""
    recursion = load_recursion("planar")
    columns, state = recursion.columns, pendulum._dynamics._workspace[recursion.common.STATE]
    found = []
    for angle in angles:
        pendulum._dynamics.accelerations(0.0, np.array([angle]), np.zeros(1), None, np.zeros(1))
        found.append((state[1, columns.C], state[1, columns.S]))
    return np.array(found)


def test_sines_and_cosines_to_an_ulp(pendulum):
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [rng.uniform(-7, 7, 500), rng.uniform(-1e5, 1e5, 500), np.arange(-40, 41) * np.pi / 4, [1e-300, 3e5, -1e9]]
    )
    exact = np.stack([np.cos(angles), np.sin(angles)], 1)
    assert np.max(np.abs(turned(pendulum, angles) - exact)) <= 2.3e-16


def test_many_links_turn_at_once():
    """Blocks of angles and what is left over: the position of the end of a chain against NumPy."""
    for links in (1, 2, 3, 4, 5, 11):
        m = jd.Mechanism("chain")
        port = m.ground.point("O", (0, 0))
        for k in range(links):
            bar = m.body(f"b{k}", mass=1, inertia=1.0, points={"A": (0, 0), "B": (1, 0)})
            m.revolute(f"j{k}", port, bar["A"])
            port = bar["B"]
        tree = jd.tree(m)
        q = np.random.default_rng(links).normal(size=links)
        angles = np.cumsum(q)
        place = tree.state(q, np.zeros(links))[f"b{links - 1}"].position
        assert place == pytest.approx([np.sum(np.cos(angles[:-1])), np.sum(np.sin(angles[:-1]))], abs=1e-14)


def test_only_plain_vectors_go_the_direct_way(pendulum):
    workspace = pendulum._dynamics._workspace
    f = quick_accelerations(load_recursion("planar"), workspace, lambda *given, **named: (given, named))
    q, v, out = np.zeros(1), np.zeros(1), np.zeros(1)
    assert f(0.0, q, v, None, out) is out
    assert f(0.0, q, v, out=out) is out
    assert out == pytest.approx([-2 * 9.81 / 2.5], rel=1e-15)  # -m g l / (J + m l^2)
    assert np.array_equal(f(0.0, q, v), out)
    locked = np.zeros(1)
    locked.flags.writeable = False
    assert f(0.0, locked, locked, None, out) is out  # may be read
    others = [
        [0.0],
        None,
        np.zeros(2),
        np.zeros((1, 1)),
        np.zeros(1, dtype=np.float32),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=">f8"),
        np.ma.zeros(1),
    ]
    for other in [*others, np.array([np.nan])]:
        assert f(0.0, other, v) == ((0.0, other, v), {})
    for other in others:
        assert f(0.0, q, other, None, out) == ((0.0, q, other, None, out), {})
    for other in [*others, locked]:
        assert f(0.0, q, v, None, other) == ((0.0, q, v, None, other), {})
    for given, named in [((0.0, q), {}), ((0.0, q, v, v), {}), ((0.0, q, v), {"efforts": v}), ((), {"t": 0.0, "q": q})]:
        assert f(*given, **named) == (given, named)


def test_the_built_in_function_counts_its_references(pendulum):
    f, q, out = pendulum.accelerations, np.zeros(1), np.zeros(1)
    f(0.0, q, [0.0])  # may compile the ordinary way
    before = [sys.getrefcount(x) for x in (q, out, None)]
    for _ in range(1000):
        f(0.0, q, q, out=out)
        f(0.0, q, q, None, out)
        f(0.0, q, [0.0])
    after = [sys.getrefcount(x) for x in (q, out, None)]
    assert np.max(np.abs(np.subtract(after, before))) < 10
    assert sys.getrefcount(f(0.0, q, q)) <= 2


def test_the_built_in_function_and_its_tree_keep_each_other_alive_and_are_freed_together():
    m = jd.Mechanism("bar", gravity=(0, -9.81))
    bar = m.body("bar", mass=2, inertia=0.5, position=(1, 0), points={"A": (-1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    tree = jd.tree(m)
    f, gone = tree.accelerations, weakref.ref(tree)
    del tree
    gc.collect()
    assert f(0.0, np.zeros(1), np.zeros(1)) == pytest.approx([-2 * 9.81 / 2.5])
    assert list(inspect.signature(f).parameters) == ["t", "q", "v", "efforts", "out"]
    with pytest.raises(ValueError, match=r"q has shape \(2,\); expected \(1,\)"):
        f(0.0, np.zeros(2), np.zeros(1))
    del f
    gc.collect()
    assert gone() is None


def test_the_ordinary_way_is_taken_where_arrays_look_different(pendulum, monkeypatch):
    recursion = load_recursion("planar")
    monkeypatch.setattr(recursion.common.direct, "layout_known", lambda: False)
    ordinary = functools.partial(type(pendulum).accelerations, pendulum)
    assert quick_accelerations(recursion, pendulum._dynamics._workspace, ordinary) is ordinary
    q = np.array([0.3])
    assert np.array_equal(ordinary(0.0, q, q), pendulum.accelerations(0.0, q, q))


def test_a_heavy_flywheel_on_a_short_arm_costs_no_digits():
    """J of the outer link is 1e12 times what its arm adds to the inner one: a pin passes nothing of it on."""
    m = jd.Mechanism("flywheel", gravity=(0, -9.81))
    arm = m.body("arm", mass=1, inertia=1e-3, position=(0, 0), points={"A": (0, 0), "B": (1e-3, 0)})
    wheel = m.body("wheel", mass=1, inertia=1e6, position=(1e-3, 0), points={"B": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), arm["A"])
    m.revolute("B", arm["B"], wheel["B"])
    tree = jd.tree(m)
    expected = -1 * 9.81 * 1e-3 / (1e-3 + 1 * 1e-6)  # the wheel hangs in its centre: a point mass
    assert tree.accelerations(0.0, *tree.start)[0] == pytest.approx(expected, rel=1e-14)
