"""Names for the ways in which a planar mechanism can be assembled.

Bodies are found one group after another (Assur 1914): a group is the smallest set of links that targets and joints to
bodies already known determine. In a pair of links each way of assembly is a sign: at which side of the line between its
outer pins the middle one stands, or which way along a slide. The sign changes only where the pair is stretched or
folded flat, which is where branches meet; so a motion that passes no such position keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..library.joints import Pair, kind_of
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName
from ..mechanism.port_axes import joint_axes
from ..model.flat import FlatModel
from .targets import Target, View

Array = npt.NDArray[np.float64]

IN_LINE = 1e-6  # sine of an angle: below that a pair is flat
LARGEST_GROUP = 4
MOST_SETS = 4000  # of links to be tried as a group


@dataclass(frozen=True)
class BranchMark:
    """One sign of an assembly: `B-C-D`, to the left or to the right; and how a four-bar or an arm calls it."""

    label: str
    word: str
    alias: str = ""

    def __str__(self) -> str:
        return f"{self.label} {self.word}"


@dataclass(frozen=True)
class _Pin:
    name: str
    links: tuple[str, str]
    place: Callable[[View], Array]
    target: bool = False  # a point that a target holds


@dataclass(frozen=True)
class _Slide:
    name: str
    links: tuple[str, str]
    along: Callable[[View], Array]


@dataclass
class _Structure:
    links: list[str] = field(default_factory=list)
    pins: list[_Pin] = field(default_factory=list)
    slides: list[_Slide] = field(default_factory=list)
    holds: list[tuple[frozenset[str], int]] = field(default_factory=list)  # links and the number of their equations


def marks(model: FlatModel, targets: Sequence[Target], view: View) -> list[BranchMark]:
    """The signs of an assembly, group by group; none in space."""
    if model.blueprint.dim == 3:
        return []
    s = _structure(model, targets)
    found: list[BranchMark] = []
    for group, known in _groups(s):
        found += _marks_of(s, group, known, view)
    return found


def branch_name(found: Sequence[BranchMark]) -> str:
    """What people call the branch: `open`, `elbow up`, or the signs themselves."""
    if len(found) == 1 and found[0].alias:
        return found[0].alias
    return ", ".join(f"{mark.label} {mark.alias or mark.word}" for mark in found)


# The structure --------------------------------------------------------------------------------------------------------


def _structure(model: FlatModel, targets: Sequence[Target]) -> _Structure:
    blueprint = model.blueprint
    s = _Structure([body.name for body in blueprint.bodies])
    rows: dict[str, int] = {}
    for row in model.rows:
        rows[row.joint] = rows.get(row.joint, 0) + (not row.velocity)
    for joint in blueprint.joints:
        if joint.name in model.off or joint.name not in rows:
            continue
        ends, pair = (joint.first.body, joint.second.body), kind_of(joint).pair
        if pair is Pair.ROD:  # a link of its own with a pin at either end
            s.links.append(joint.name)
            for port in (joint.first, joint.second):
                s.pins.append(_Pin(str(port), (port.body, joint.name), _at(port)))
                s.holds.append((frozenset((port.body, joint.name)), 2))
            continue
        s.holds.append((frozenset(ends), rows[joint.name]))
        if pair is Pair.PIN:
            s.pins.append(_Pin(joint.name, ends, _at(joint.first)))
        elif pair in (Pair.SLIDE, Pair.SLOT):
            s.slides.append(_Slide(joint.name, ends, _along(blueprint, joint)))
    for part in (*blueprint.relations, *blueprint.motions):
        if part.name in rows:
            s.holds.append((frozenset(_bodies_of(blueprint, part.values.values())), rows[part.name]))
    _add_targets(blueprint, s, targets)
    return s


def _add_targets(blueprint: Blueprint, s: _Structure, targets: Sequence[Target]) -> None:
    names = {x.name for x in targets if x.must}
    for name in sorted(names):
        s.holds.append((frozenset(_bodies_of(blueprint, [name])) | {GROUND}, 1))
        body, point = blueprint.owner_of(name.rpartition(".")[0])
        if point and name.endswith(".x") and f"{body}.{point}.y" in names:
            s.pins.append(_Pin(f"{body}.{point}", (body, GROUND), _at(PortName(body, point)), target=True))


def _bodies_of(blueprint: Blueprint, values: object) -> set[str]:
    """Bodies that texts among the values name, by themselves or by their joints."""
    found: set[str] = set()
    joints = {joint.name: joint for joint in blueprint.joints}
    stack = list(values)  # type: ignore[call-overload]
    while stack:
        value = stack.pop()
        if isinstance(value, list | tuple):
            stack += list(value)
        name = value.body if isinstance(value, PortName) else blueprint.owner_of(str(value))[0]
        if name in joints:
            found |= {joints[name].first.body, joints[name].second.body}
        elif blueprint.has_body(name):
            found.add(name)
    return found


def _at(port: PortName) -> Callable[[View], Array]:
    return lambda view: view.port(port)


def _along(blueprint: Blueprint, joint: Joint) -> Callable[[View], Array]:
    axis = joint_axes(blueprint, joint)["x_i"]
    return lambda view: view.direction(joint.first.body, axis)


def _groups(s: _Structure) -> Iterator[tuple[tuple[str, ...], frozenset[str]]]:
    """Groups of links in the order in which they are determined, each with what was known before."""
    known, unknown = frozenset((GROUND,)), list(s.links)
    while unknown:
        group = next(_determined(s, known, unknown), tuple(unknown))
        yield group, known
        known |= set(group)
        unknown = [name for name in unknown if name not in group]


def _determined(s: _Structure, known: frozenset[str], unknown: list[str]) -> Iterator[tuple[str, ...]]:
    tried = 0
    for size in range(1, min(LARGEST_GROUP, len(unknown)) + 1):
        for group in combinations(unknown, size):
            tried += 1
            if tried > MOST_SETS:
                return
            inside = known | set(group)
            held = sum(count for ends, count in s.holds if ends <= inside and not ends <= known)
            if held >= 3 * size:
                yield group


# The signs ------------------------------------------------------------------------------------------------------------


def _marks_of(s: _Structure, group: tuple[str, ...], known: frozenset[str], view: View) -> Iterator[BranchMark]:
    # In a large group any joint may be an outer one.
    ends = known if len(group) <= 2 else known | set(group)
    for middle in s.pins:
        a, b = middle.links
        if a not in group or b not in group:
            continue
        for p in _outer(s.pins, a, ends, middle):
            for r in _outer(s.pins, b, ends, middle):
                yield _turn(s, view, p, middle, r)
        for near, far in ((a, b), (b, a)):
            for _, pin in _outer(s.pins, near, ends, middle):
                for _, slide in _outer(s.slides, far, ends, None):
                    way = middle.place(view) - pin.place(view)
                    yield BranchMark(f"{pin.name}-{middle.name} along {slide.name}", _way(way, slide.along(view)))
    for slide in s.slides:
        a, b = slide.links
        if a in group and b in group:
            for _, first in _outer(s.pins, a, ends, None):
                for _, last in _outer(s.pins, b, ends, None):
                    way = last.place(view) - first.place(view)
                    yield BranchMark(f"{first.name}-{last.name} along {slide.name}", _way(way, slide.along(view)))


J = TypeVar("J", _Pin, _Slide)


def _outer(joints: Sequence[J], link: str, ends: frozenset[str], but: object) -> list[tuple[str, J]]:
    """Joints of a link to some of the ends, each with the end."""
    others = [(j.links[0] if j.links[1] == link else j.links[1], j) for j in joints if link in j.links]
    return [(end, j) for end, j in others if j is not but and end in ends]


def _turn(s: _Structure, view: View, first: tuple[str, _Pin], middle: _Pin, last: tuple[str, _Pin]) -> BranchMark:
    (x, p), (y, r) = first, last
    P, Q, R = (pin.place(view) for pin in (p, middle, r))
    sign = _side(P, Q, R)
    word = {1: "left", -1: "right", 0: "in line"}[sign]
    alias = ""
    closing = next((pin for pin in s.pins if set(pin.links) == {x, y} and not pin.target), None)
    if x != y and closing is not None:  # four pins in a loop: a four-bar
        other = _side(R, closing.place(view), P)
        if sign and other:
            alias = "open" if sign == other else "crossed"
    elif p.target != r.target and sign and abs(R[0] - P[0]) > IN_LINE * float(np.linalg.norm(R - P)):
        height = (Q - P)[1] - (R - P)[1] * (Q - P)[0] / (R - P)[0]
        alias = "elbow up" if height > 0 else "elbow down"
    return BranchMark(f"{p.name}-{middle.name}-{r.name}", word, alias)


def _side(P: Array, Q: Array, R: Array) -> int:
    """Whether the way P, Q, R turns left (1) or right (-1) at Q; 0: straight on, or back."""
    a, b = Q - P, R - Q
    scale = float(np.linalg.norm(a) * np.linalg.norm(b))
    sine = (a[0] * b[1] - a[1] * b[0]) / scale if scale > 0 else 0.0
    return 0 if abs(sine) < IN_LINE else 1 if sine > 0 else -1


def _way(v: Array, along: Array) -> str:
    length = float(np.linalg.norm(v))
    cosine = float(v @ along) / length if length > 0 else 0.0
    return "across" if abs(cosine) < IN_LINE else "forward" if cosine > 0 else "backward"
