"""The graph of a mechanism (Wijckmans 1992, section 2.4): bodies and the ground joined by joints, as a tree and cuts.

A base is a body next to the ground; a junction is a body with more than one branch; a chain is the run of bodies from
a base or a junction's branch to the next junction or end. Bodies that no joint holds have a free joint to the ground.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...library.joints import kind_of
from ...library.joints.tree_motions import TreeJoint, free_motion
from ...mechanism.names import counted, nearest
from ...mechanism.parts import GROUND, PLANAR, Blueprint, Joint
from .spanning import Spanning, span

FREE = "free"
SHOWN = 6  # bodies of a chain that are printed before some are left out


@dataclass(frozen=True)
class Link:
    """A body with the joint that carries it. `joint` is None for a free body.

    `forward` says that the joint was written from the parent to the body, so that its second port is the body's.
    """

    body: str
    parent: str
    joint: Joint | None
    depth: int

    @property
    def type(self) -> str:
        return FREE if self.joint is None else self.joint.type

    def motion(self, dim: int) -> TreeJoint:
        """How the joint carries it in joint coordinates."""
        found = free_motion(dim) if self.joint is None else kind_of(self.joint).tree(dim)
        assert found is not None, "a joint without joint coordinates is cut"
        return found

    @property
    def forward(self) -> bool:
        return self.joint is None or self.joint.second.body == self.body

    def __str__(self) -> str:
        name = FREE if self.joint is None else f"{self.joint.name}: {self.joint.type}"
        return f"{self.body} ({name})"


@dataclass(frozen=True)
class SystemGraph:
    """The tree of a mechanism and its cut joints. `print(graph)` shows it.

    `links` lists every body once, parents before children, each branch whole before the next one begins.
    """

    mechanism: str
    space: str
    links: tuple[Link, ...]
    cuts: tuple[Joint, ...]
    off: tuple[Joint, ...] = ()  # switched off: in neither
    order: tuple[int, ...] = field(default=(), repr=False)  # number of each link's body in the mechanism

    def __getitem__(self, body: str) -> Link:
        if body not in self._by_body:
            raise KeyError(f"no body '{body}' in the graph of '{self.mechanism}'; {nearest(body, self._by_body)}")
        return self._by_body[body]

    @cached_property
    def _by_body(self) -> dict[str, Link]:
        return {link.body: link for link in self.links}

    @cached_property
    def _by_cut(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.cuts}

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """Of every body and of the ground."""
        found: dict[str, list[str]] = {GROUND: [], **{link.body: [] for link in self.links}}
        for link in self.links:
            found[link.parent].append(link.body)
        return {name: tuple(names) for name, names in found.items()}

    @property
    def bases(self) -> tuple[str, ...]:
        """Bodies next to the ground: one for each tree."""
        return self.children[GROUND]

    @property
    def floating(self) -> tuple[str, ...]:
        """Bases that nothing holds: they have a free joint."""
        return tuple(link.body for link in self.links if link.joint is None)

    @cached_property
    def junctions(self) -> tuple[str, ...]:
        """Bodies with more than one branch."""
        return tuple(link.body for link in self.links if len(self.children[link.body]) > 1)

    @cached_property
    def chains(self) -> tuple[tuple[str, ...], ...]:
        """Runs of bodies between junctions; together they hold every body once."""
        found: list[list[str]] = []
        for link in self.links:
            if link.parent == GROUND or len(self.children[link.parent]) > 1:
                found.append([])
            found[-1].append(link.body)
        return tuple(tuple(chain) for chain in found)

    @property
    def depth(self) -> int:
        """Joints between the ground and the farthest body."""
        return max((link.depth for link in self.links), default=0)

    @property
    def freedoms(self) -> int:
        """Joint coordinates of the tree, those of free bodies included."""
        dim = 2 if self.space == PLANAR else 3
        return sum(link.motion(dim).freedoms for link in self.links)

    def closes_at(self, cut: str) -> str:
        """Where the two chains of a cut joint meet: a body, or the ground."""
        if cut not in self._by_cut:
            raise KeyError(f"joint '{cut}' is not cut; {nearest(cut, self._by_cut)}")
        a, b = self._by_cut[cut].first.body, self._by_cut[cut].second.body
        while a != b:
            if b == GROUND or (a != GROUND and self[a].depth >= self[b].depth):
                a = self[a].parent
            else:
                b = self[b].parent
        return a

    def __str__(self) -> str:
        lines = [f"{self.mechanism}: {self._summary()}", GROUND]
        starts = {chain[0]: chain for chain in self.chains}
        # What is still to be printed: first body of a chain, what stands left of it, whether it is the last branch.
        waiting = [(body, "", k == 0) for k, body in enumerate(reversed(self.bases))]
        while waiting:
            body, margin, last = waiting.pop()
            chain = starts[body]
            lines.append(f"{margin}{'└─ ' if last else '├─ '}{self._shown(chain)}")
            inner = margin + ("   " if last else "│  ")
            waiting += [(child, inner, k == 0) for k, child in enumerate(reversed(self.children[chain[-1]]))]
        for joint in self.cuts:
            place = self.closes_at(joint.name)
            lines.append(f"cut {joint.name}: {joint.type}, {joint.first} to {joint.second}; closes at {place}")
        lines += [f"switched off: {joint.name}" for joint in self.off]
        return "\n".join(lines)

    def _summary(self) -> str:
        parts = [
            counted(len(self.links), "body", "bodies"),
            counted(len(self.bases), "tree"),
            counted(self.freedoms, "joint coordinate"),
            counted(len(self.cuts), "cut joint"),
            f"depth {self.depth}",
        ]
        return ", ".join(parts)

    def _shown(self, chain: tuple[str, ...]) -> str:
        words = [str(self[body]) for body in (chain if len(chain) <= SHOWN else (*chain[:2], *chain[-2:]))]
        if len(chain) > SHOWN:
            words.insert(2, f"... {len(chain) - 4} more ...")
        return " - ".join(words)


def system_graph(blueprint: Blueprint, cuts: Collection[str] = (), base: str | None = None) -> SystemGraph:
    """The graph of a blueprint without faults; joints named in `cuts` are cut, and the tree grows from `base`."""
    if wrong := [*_wrong_cuts(blueprint, cuts), *_wrong_base(blueprint, base)]:
        raise blueprint.refused(wrong)
    tree = span(blueprint, cuts, base)
    return SystemGraph(
        blueprint.name,
        blueprint.space,
        _links(blueprint, tree),
        tuple(blueprint.joints[k] for k in tree.cuts),
        tuple(blueprint.joints[k] for k in tree.off),
        tree.order,
    )


def _links(blueprint: Blueprint, tree: Spanning) -> tuple[Link, ...]:
    names = [body.name for body in blueprint.bodies]
    depths = [0] * len(names)
    links = []
    for body in tree.order:
        parent, joint = tree.parents[body], tree.joints[body]
        depths[body] = 1 if parent < 0 else depths[parent] + 1
        links.append(
            Link(
                names[body],
                GROUND if parent < 0 else names[parent],
                None if joint < 0 else blueprint.joints[joint],
                depths[body],
            )
        )
    return tuple(links)


def _wrong_base(blueprint: Blueprint, base: str | None) -> list[str]:
    known = [body.name for body in blueprint.bodies]
    if base is None or (isinstance(base, str) and base in known):
        return []
    if not isinstance(base, str):
        return [f"base is {base!r}; expected the name of a body, or None for the ground"]
    return [f"base: there is no body '{base}'; {nearest(base, known)}"]


def _wrong_cuts(blueprint: Blueprint, cuts: Collection[str]) -> list[str]:
    if isinstance(cuts, str):
        return [f"cuts is {cuts!r}; expected names of joints, like [{cuts!r}]"]
    known = {joint.name for joint in blueprint.joints}
    return [f"cuts: there is no joint '{name}'; {nearest(name, known)}" for name in cuts if name not in known]
