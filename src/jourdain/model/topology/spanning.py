"""Which joints carry the tree and which are cut.

Nodes are bodies, and the ground; edges are joints. A tree joint gives a body its joint coordinates, and a cut joint
leaves its equations to be solved for multipliers, so the best tree leaves fewest equations to the cuts: a maximal
spanning tree with the number of a joint's equations for weight. Prim's method finds one, from the ground outwards; of
joints with as many equations it takes the one nearest to the ground, so that among equals the tree is shallow (with one
kind of joint, as shallow as can be). The cost is O(n log n) in joints.

A shallow tree runs up a scissor lift or a ladder on both sides at once, and all its loops close at the bottom: their
rows are carried all the way, and solving them costs n^2 and more. A deep tree, which takes the joint farthest from the
ground, winds through the stages, and each loop closes beside itself. Where there are many loops both are counted, and
the deep one is taken if it carries far fewer rows.

A part of the mechanism that no tree joint holds to the ground gets a free joint at its middle: the body from which the
farthest is nearest.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...library.joints import kind_of
from ...mechanism.parts import GROUND, PLANAR, Blueprint

MANY_LOOPS = 8  # from which on a deep tree is tried
SAVES = 4  # how many times less it must carry
Edge = tuple[int, int, int]  # equations, node at the other end, joint


@dataclass(frozen=True)
class Spanning:
    """By body: the parent body (-1 the ground) and the joint to it (-1 a free joint). Bodies come after their parents.

    `order` goes down each branch before the next begins, so that the bodies of a chain are neighbours in memory.
    """

    order: tuple[int, ...]
    parents: tuple[int, ...]
    joints: tuple[int, ...]
    cuts: tuple[int, ...]
    off: tuple[int, ...]


def span(blueprint: Blueprint, cuts: Collection[str] = (), base: str | None = None) -> Spanning:
    """Choose the tree; joints named in `cuts` stay out of it. Joints that are switched off are no edges.

    It grows from the ground, or from `base`, which gets a free joint: joints to the ground are cut then.
    """
    count = len(blueprint.bodies)
    number = {body.name: k for k, body in enumerate(blueprint.bodies)} | {GROUND: count}
    most = 3 if blueprint.space == PLANAR else 6
    edges: list[list[Edge]] = [[] for _ in range(count + 1)]
    off = []
    for k, joint in enumerate(blueprint.joints):
        motion = kind_of(joint).tree(blueprint.dim)  # None: no joint coordinates describe it, it is always cut
        if joint.name in blueprint.off:
            off.append(k)
        elif motion is not None and joint.name not in cuts:
            a, b = number[joint.first.body], number[joint.second.body]
            held = most - motion.freedoms
            edges[a].append((held, b, k))
            edges[b].append((held, a, k))
    ends = [(number[joint.first.body], number[joint.second.body]) for joint in blueprint.joints]
    root = None if base is None else number[base]
    parents, joints = _tree(edges, deep=False, base=root)
    cut = _cut(ends, joints, off)
    if len(cut) >= MANY_LOOPS:
        other = _tree(edges, deep=True, base=root)
        others = _cut(ends, other[1], off)
        if SAVES * _carried(other[0], [ends[k] for k in others]) < _carried(parents, [ends[k] for k in cut]):
            (parents, joints), cut = other, others
    return Spanning(_outward(parents), tuple(parents), tuple(joints), cut, tuple(off))


def _cut(ends: Sequence[tuple[int, int]], joints: Sequence[int], off: Sequence[int]) -> tuple[int, ...]:
    """Joints that are not in a tree, of those that are on."""
    used = {*joints, *off}
    return tuple(k for k in range(len(ends)) if k not in used)


def _carried(parents: Sequence[int], loops: Sequence[tuple[int, int]]) -> int:
    """What carrying the rows of all loops to where they close costs: the sum of squares of how many pass each body."""
    ground = len(parents)
    depth = {ground: 0}
    for body in _outward(parents):
        depth[body] = depth[ground if parents[body] < 0 else parents[body]] + 1
    passing = [0] * (ground + 1)
    for a, b in loops:
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            passing[a] += 1
            a = ground if parents[a] < 0 else parents[a]
    return sum(count * count for count in passing)


def _tree(edges: Sequence[Sequence[Edge]], deep: bool, base: int | None) -> tuple[list[int], list[int]]:
    """Parent and joint of every body."""
    count = len(edges) - 1
    parents, joints = [-1] * count, [-1] * count
    reached = [False] * count + [True]
    if base is not None:
        reached[base] = True
        _grow(base, edges, reached, parents, joints, deep)
    _grow(count, edges, reached, parents, joints, deep)
    for body in range(count):
        if not reached[body]:
            middle = _middle(body, edges)
            reached[middle] = True
            _grow(middle, edges, reached, parents, joints, deep)
    return parents, joints


def _grow(
    root: int, edges: Sequence[Sequence[Edge]], reached: list[bool], parents: list[int], joints: list[int], deep: bool
) -> None:
    """Prim's method from `root`: always the joint with most equations, then the nearest to it, or the farthest."""
    ground = len(edges) - 1
    ready: list[tuple[int, int, int, int, int]] = []

    def look_around(node: int, depth: int) -> None:
        for held, other, joint in edges[node]:
            if not reached[other]:
                heapq.heappush(ready, (-held, -depth if deep else depth, joint, node, other))

    look_around(root, 1)
    while ready:
        _, depth, joint, node, other = heapq.heappop(ready)
        if not reached[other]:
            reached[other] = True
            parents[other] = -1 if node == ground else node
            joints[other] = joint
            look_around(other, abs(depth) + 1)


def _middle(body: int, edges: Sequence[Sequence[Edge]]) -> int:
    """The middle of a longest path: in a tree the body from which the farthest is nearest, in loops close to it."""
    end = _paths(body, edges)[1]
    before, far = _paths(end, edges)
    path = [far]
    while path[-1] != end:
        path.append(before[path[-1]])
    return path[len(path) // 2]


def _paths(start: int, edges: Sequence[Sequence[Edge]]) -> tuple[dict[int, int], int]:
    """Breadth first from `start`: where each body was reached from, and the last one reached."""
    before = {start: start}
    waiting = deque([start])
    node = start
    while waiting:
        node = waiting.popleft()
        for _, other, _ in edges[node]:
            if other not in before:
                before[other] = node
                waiting.append(other)
    return before, node


def _outward(parents: Sequence[int]) -> tuple[int, ...]:
    """Bodies in depth-first order, children in the order written."""
    children: list[list[int]] = [[] for _ in parents]
    bases: list[int] = []
    for body, parent in enumerate(parents):
        (bases if parent < 0 else children[parent]).append(body)
    order, waiting = [], bases[::-1]
    while waiting:
        body = waiting.pop()
        order.append(body)
        waiting += children[body][::-1]
    return tuple(order)
