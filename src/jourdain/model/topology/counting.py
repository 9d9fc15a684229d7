"""What an evaluation takes in coordinates of bodies and in those of joints, counted before anything is compiled.

In coordinates of bodies K = J M^-1 J^T is assembled and factored block by block of rows: with k blocks still to come
that a block is coupled to, its elimination takes some k^2 / 2 products of blocks. In joint coordinates each velocity of
a joint is eliminated from an inertia and from the w rows that are carried past it, w^2 / 2 multiplications more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...library.joints import rows_of
from ...mechanism.parts import GROUND, Blueprint, Component, Joint, PortName
from .carrying import carrying
from .elimination import minimum_degree
from .system_graph import SystemGraph

Held = tuple[int, tuple[str, ...]]  # rows, and the bodies that they act on


@dataclass(frozen=True)
class Work:
    """Bodies, or velocities of joints; multiplications that eliminate them or the rows; rows."""

    units: int
    products: int
    rows: int


def in_bodies(blueprint: Blueprint) -> Work:
    """Rows of all joints, in blocks of as many as there are directions."""
    dim = blueprint.dim
    width = 3 if dim == 2 else 6
    held = [*_of_joints(blueprint.joints, dim), *_of_others(blueprint)]
    blocks = [bodies for rows, bodies in held for _ in range(-(-rows // dim))]
    on: dict[str, list[int]] = {}
    for b, bodies in enumerate(blocks):
        for body in bodies:
            on.setdefault(body, []).append(b)
    near: list[set[int]] = [set() for _ in blocks]
    for together in on.values():
        for b in together:
            near[b].update(together)
    _, columns = minimum_degree([others - {b} for b, others in enumerate(near)])
    coupled = [len(column) for column in columns]
    factored = dim**3 * sum(1 + k + k * (k + 1) // 2 for k in coupled)
    paired = dim**2 * width * sum(len(together) * (len(together) + 1) // 2 for together in on.values())
    return Work(len(blueprint.bodies), factored + paired, dim * len(blocks))


def in_joints(blueprint: Blueprint, graph: SystemGraph) -> Work:
    """Rows of cut joints and of what else holds joints, carried along the tree."""
    dim = blueprint.dim
    width = 3 if dim == 2 else 6
    number = {link.body: 1 + k for k, link in enumerate(graph.links)}
    parents = [0, *(number.get(link.parent, 0) for link in graph.links)]
    velocities = [0, *(link.motion(dim).freedoms for link in graph.links)]
    blocks: dict[int, list[int]] = {}
    slots: list[tuple[int, int]] = []
    for b, (rows, bodies) in enumerate((*_of_joints(graph.cuts, dim), *_of_others(blueprint))):
        blocks[b] = list(range(b * width, b * width + min(rows, width)))
        slots += [(b, number[body]) for body in bodies]
    found = carrying(parents, velocities, slots, blocks, width, {})
    carried = (found.ranges[:, 2] - found.ranges[:, 1]).tolist()
    passed = sum(n * (width**2 + 2 * width * w + w * (w + 1) // 2) for n, w in zip(velocities, carried, strict=True))
    handed = len(graph.links) * 2 * width**2
    solved = len(found.updates) + width * len(found.neighbours)
    return Work(sum(velocities), passed + handed + solved, sum(map(len, blocks.values())))


def _of_joints(joints: tuple[Joint, ...], dim: int) -> Iterator[Held]:
    for joint in joints:
        rows = rows_of(joint, dim)
        yield len(rows.equations) + len(rows.formulas), _moving(joint.first.body, joint.second.body)


def _of_others(blueprint: Blueprint) -> Iterator[Held]:
    """A row each, on the bodies of the joints and points that they name."""
    joints = {joint.name: joint for joint in blueprint.joints}
    for part in (*blueprint.motions, *blueprint.relations):
        yield 1, _named(part, joints)


def _named(part: Component, joints: Mapping[str, Joint]) -> tuple[str, ...]:
    found: list[str] = []
    for value in part.values.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, PortName):
                found.append(one.body)
            elif isinstance(one, str) and one in joints:
                found += [joints[one].first.body, joints[one].second.body]
    return _moving(*found)


def _moving(*bodies: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(body for body in bodies if body != GROUND))
