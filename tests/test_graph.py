"""The system graph: trees and cuts of known mechanisms, and what must hold of every tree, on random ones."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time

import numpy as np
import pytest

import jourdain as jd
from jourdain.plotting.graphs import places
from random_mechanisms import random_mechanism

# What each joint leaves free, from any textbook; joints that are not here have no joint coordinates.
FREEDOMS = {
    "planar": {"revolute": 1, "prismatic": 1, "weld": 0},
    "spatial": {
        "revolute": 1,
        "prismatic": 1,
        "screw": 1,
        "cylindrical": 2,
        "universal": 2,
        "spherical": 3,
        "planar": 3,
        "weld": 0,
    },
}

SEEDS = range(25)


def bars(count, joints, space="planar"):
    """Bodies b0 .. and joints (type, a, b) between them; `g` is the ground. Only the graph means anything."""
    zero = (0, 0) if space == "planar" else (0, 0, 0)
    m = jd.Mechanism("bars", space=space)
    handles = {"g": m.ground}
    for k in range(count):
        inertia = 1.0 if space == "planar" else (1.0, 1.0, 1.0)
        handles[k] = m.body(f"b{k}", mass=1, inertia=inertia, position=zero)
    for number, (kind, a, b) in enumerate(joints):
        extra = {"length": 1.0} if kind == "distance" else {}
        ports = [handles[body].point(f"p{number}", zero) for body in (a, b)]
        m.joint(kind, f"j{number}", *ports, **extra)
    return m


def test_four_bar_is_cut_opposite_the_ground():
    joints = [("revolute", "g", 0), ("revolute", 0, 1), ("revolute", 1, 2), ("revolute", 2, "g")]
    graph = jd.graph(bars(3, joints))
    assert [joint.name for joint in graph.cuts] in (["j1"], ["j2"])
    assert graph.depth == 2
    assert graph.freedoms == 3
    assert graph.closes_at(graph.cuts[0].name) == "ground"


def test_printed_graph():
    joints = [("revolute", "g", 0), ("revolute", 0, 1), ("prismatic", 0, 2), ("revolute", 2, 3), ("distance", 1, 3)]
    graph = jd.graph(bars(5, joints))
    assert str(graph).splitlines() == [
        "bars: 5 bodies, 2 trees, 7 joint coordinates, 1 cut joint, depth 3",
        "ground",
        "├─ b0 (j0: revolute)",
        "│  ├─ b1 (j1: revolute)",
        "│  └─ b2 (j2: prismatic) - b3 (j3: revolute)",
        "└─ b4 (free)",
        "cut j4: distance, b1.p4 to b3.p4; closes at b0",
    ]
    assert graph.junctions == ("b0",)
    assert graph.chains == (("b0",), ("b1",), ("b2", "b3"), ("b4",))
    assert graph.floating == ("b4",)


def test_loops_are_cut_where_fewest_equations_remain():
    kinds = ("revolute", "spherical", "weld", "revolute")
    ends = [("g", 0), (0, 1), (1, 2), (2, "g")]
    graph = jd.graph(bars(3, [(kind, *pair) for kind, pair in zip(kinds, ends, strict=True)], "spatial"))
    assert [joint.name for joint in graph.cuts] == ["j1"]


def test_named_cuts_and_faults_of_names():
    joints = [("revolute", "g", 0), ("revolute", 0, 1), ("revolute", 1, 2), ("revolute", 2, "g")]
    m = bars(3, joints)
    graph = jd.graph(m, cuts=["j0"])
    assert [joint.name for joint in graph.cuts] == ["j0"]
    assert graph["b0"].parent == "b1"
    assert not graph["b0"].forward
    graph = jd.graph(m, cuts=["j0", "j3"])  # nothing holds the rest: it floats on its middle
    assert graph.floating == ("b1",)
    with pytest.raises(jd.MechanismError, match=r"there is no joint 'jj'.*\n.*there is no joint 'kk'"):
        jd.graph(m, cuts=["jj", "kk"])
    with pytest.raises(jd.MechanismError, match=r"cuts is 'j0'; expected names of joints"):
        jd.graph(m, cuts="j0")
    with pytest.raises(KeyError, match="no body 'b9'"):
        graph["b9"]
    with pytest.raises(KeyError, match="joint 'j1' is not cut"):
        graph.closes_at("j1")


def test_floating_chain_has_its_base_in_the_middle():
    graph = jd.graph(bars(7, [("revolute", k, k + 1) for k in range(6)]))
    assert graph.floating == ("b3",)
    assert graph.depth == 4


def test_joints_switched_off_are_no_edges():
    m = bars(2, [("revolute", "g", 0), ("revolute", 0, 1)])
    m.switch_off("j1")
    graph = jd.graph(m)
    assert graph.floating == ("b1",)
    assert [joint.name for joint in graph.off] == ["j1"]
    assert str(graph).endswith("switched off: j1")


def test_a_faulty_mechanism_is_refused():
    m = bars(1, [("revolute", "g", 0)])
    m.body("b0", mass=-1, inertia=1.0)
    with pytest.raises(jd.MechanismError, match="mass is"):
        jd.graph(m)
    with pytest.raises(jd.MechanismError, match="unknown joint type 'hinge'"):
        jd.graph(bars(1, [("hinge", "g", 0)]))


def breadth_first_depth(m):
    """Of the farthest body, counted without looking at the graph under test."""
    near, depth, seen = {"ground"}, 0, {"ground"}
    while True:
        pairs = [(j.first.body, j.second.body) for j in m.frozen().joints]
        near = {b for pair in pairs for a, b in (pair, pair[::-1]) if a in near} - seen
        if not near:
            return depth
        seen |= near
        depth += 1


@pytest.mark.parametrize("seed", SEEDS)
def test_tree_of_pins_is_as_shallow_as_can_be(seed):
    rng = np.random.default_rng(seed)
    joints = [("revolute", ["g", *range(k)][rng.integers(k + 1)], k) for k in range(12)]
    joints += [("revolute", *map(int, rng.choice(12, 2, replace=False))) for _ in range(8)]
    m = bars(12, joints)
    assert jd.graph(m).depth == breadth_first_depth(m)


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("seed", SEEDS)
def test_tree_and_cuts_hold_every_joint_and_body_once(space, seed):
    m = random_mechanism(seed, space, bodies=8, loops=5, constraint_limit=False)
    graph = jd.graph(m)
    blueprint = m.frozen()
    kept = [link.joint.name for link in graph.links if link.joint is not None]
    assert sorted([*kept, *(j.name for j in graph.cuts)]) == sorted(j.name for j in blueprint.joints)
    assert sorted(link.body for link in graph.links) == sorted(b.name for b in blueprint.bodies)
    assert sorted(b for chain in graph.chains for b in chain) == sorted(b.name for b in blueprint.bodies)
    assert [blueprint.bodies[k].name for k in graph.order] == [link.body for link in graph.links]
    seen = {"ground": 0}
    for link in graph.links:
        assert link.depth == seen[link.parent] + 1  # parents come first
        seen[link.body] = link.depth
        if link.joint is not None:
            assert {link.joint.first.body, link.joint.second.body} == {link.body, link.parent}
            assert link.forward == (link.joint.first.body == link.parent)
            assert link.type in FREEDOMS[space]
    for joint in graph.cuts:
        assert lowest(graph, joint.first.body) & lowest(graph, joint.second.body)
        shared = lowest(graph, joint.first.body) & lowest(graph, joint.second.body)
        deepest = max(shared, key=lambda body: seen[body])
        assert graph.closes_at(joint.name) == deepest


def lowest(graph, body):
    """A body and all that carry it."""
    found = {body}
    while body != "ground":
        body = graph[body].parent
        found.add(body)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_no_other_tree_leaves_fewer_equations(seed):
    """Against every spanning tree of a small graph."""
    rng = np.random.default_rng(seed)
    kinds = list(FREEDOMS["spatial"])
    ends = [(["g", *range(k)][rng.integers(k + 1)], k) for k in range(5)]
    ends += [tuple(map(int, rng.choice(5, 2, replace=False))) for _ in range(4)]
    kinds = [k for k in kinds if k != "screw"]
    joints = [(str(rng.choice(kinds)), *pair) for pair in ends]
    held = [6 - FREEDOMS["spatial"][kind] for kind, *_ in joints]
    best = max(
        sum(held[k] for k in chosen)
        for chosen in itertools.combinations(range(9), 5)
        if connected([joints[k][1:] for k in chosen])
    )
    graph = jd.graph(bars(5, joints, "spatial"))
    assert sum(6 - FREEDOMS["spatial"][link.type] for link in graph.links) == best


def connected(pairs):
    group = {"g"}
    for _ in range(6):
        group |= {b for pair in pairs for a, b in (pair, pair[::-1]) if a in group}
    return len(group) == 6


def test_linear_in_bodies():
    """10,000 bodies well below a second, and no recursion that would overflow."""
    m = bars(10_000, [("revolute", "g" if k == 0 else k - 1, k) for k in range(10_000)])
    blueprint = m.frozen()
    start = time.process_time()
    graph = jd.graph(blueprint)
    assert time.process_time() - start < 3.0  # 0.4 s, most of it the search for faults
    assert graph.depth == 10_000
    assert "... 9996 more ..." in str(graph)
    assert len(graph.chains) == 1


def test_drawing(tmp_path):
    joints = [("revolute", "g", 0), ("revolute", 0, 1), ("revolute", 0, 2), ("revolute", 1, 2)]
    graph = jd.graph(bars(4, joints))
    at = places(graph)
    assert at["b0"][0] == pytest.approx((at["b1"][0] + at["b2"][0]) / 2)
    assert at["b1"][1] == at["b2"][1] == -2.0
    figure = graph.draw(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 5000
    words = [text.get_text() for text in figure.axes[0].texts]
    assert {"ground", "b0", "b3", "j0", "free", graph.cuts[0].name} <= set(words)
    long = jd.graph(bars(70, [("revolute", "g" if k == 0 else k - 1, k) for k in range(70)]))
    assert [text.get_text() for text in long.draw().axes[0].texts] == ["ground"]


def test_needs_no_compiler():
    code = (
        "import sys, jourdain as jd; m = jd.Mechanism('m'); m.body('b', mass=1, inertia=1.0); jd.graph(m);"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
