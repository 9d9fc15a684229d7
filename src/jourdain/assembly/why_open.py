"""Why joints cannot be closed, in one sentence: units, a wrong body, motions, lengths, or too many equations.

Each reason is tried by itself: a body of another scale, two pins between the same two bodies whose points are not the
same distance apart on both, motions without which all closes, a side of a loop longer than all others together, a joint
without which the others close. What is none of these may be a matter of the drawn pose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from statistics import median

import numpy as np
import numpy.typing as npt

from ..engine.pose import Pose
from ..library.joints import Symbol, kind_of
from ..mechanism.fault import Fault
from ..mechanism.names import counted
from ..mechanism.parts import GROUND, Blueprint, Joint

Array = npt.NDArray[np.float64]

SCALE = 200.0  # a body so many times larger or smaller than the others is in other units
APART = 1e-6  # of the size: distances that differ by less are the same
MOST_TRIED = 24  # joints that are left out one by one
STEPS, HALVINGS = 40, 8
CLOSED = 1e-8
ASIDE = (0.0, 0.1, 0.2, 0.4)  # of the size: from where it is tried, since bodies may lie in one line
PINS = (Symbol.PIN, Symbol.BALL, Symbol.SQUARE, Symbol.CROSS)  # both points are in one place
ADVICE = "check lengths and positions, or draw it nearer to closed"


def open_fault(pose: Pose, t: float, drawn: Array, gaps: dict[str, float]) -> Fault:
    """One fault for all joints and motions that stay open; it is about the widest gap."""
    blueprint = pose.model.blueprint
    widest = max(gaps, key=lambda name: gaps[name])
    motions = {motion.name for motion in blueprint.motions}
    joints = [name for name in gaps if name not in motions]
    named = _named("joint", joints) + _named("motion", [name for name in gaps if name in motions])
    words = f"{' and '.join(named)} cannot be closed from the drawn pose: {gaps[widest]:.3g} (m or rad) remain"
    first = joints[0] if joints else widest
    return Fault(first, "", f"{words}; {why_open(pose, t, drawn, gaps) or ADVICE}{_idle_points(blueprint)}")


def _named(kind: str, names: list[str]) -> list[str]:
    if not names:
        return []
    return [f"{kind}{'s' if len(names) > 1 else ''} {', '.join(repr(name) for name in names)}"]


def why_open(pose: Pose, t: float, drawn: Array, gaps: dict[str, float]) -> str:
    """The reason that was found; empty where there is none."""
    blueprint, size = pose.model.blueprint, pose.model.size
    looks: list[Callable[[], Iterator[str]]] = [
        lambda: _other_units(blueprint),
        lambda: _wrong_body(blueprint, gaps, size),
        lambda: _contradicting_motions(pose, t, drawn),
        lambda: _too_short(blueprint, gaps, size),
        lambda: _too_many(pose, t, drawn, gaps),
    ]
    return next((words for look in looks for words in look()), "")


def _other_units(blueprint: Blueprint) -> Iterator[str]:
    """A body a thousand times larger, or smaller, than the others."""
    reaches = {
        body.name: max(float(np.linalg.norm(np.subtract(p.at, q.at))) for p in ports for q in ports)
        for body in blueprint.bodies
        if len(ports := list(body.ports.values())) > 1
    }
    places = [np.array(port.at) for port in blueprint.ground.values()]
    if len(places) > 1:
        reaches[GROUND] = max(float(np.linalg.norm(p - q)) for p in places for q in places)
    for name, reach in reaches.items():
        others = [r for other, r in reaches.items() if other != name and r > 0]
        if not others or reach == 0:
            continue
        part = reach / median(others)
        if not 1 / SCALE < part < SCALE:
            who = "the ground" if name == GROUND else f"body '{name}'"
            times = f"{part:.3g} times larger" if part > 1 else f"{1 / part:.3g} times smaller"
            sizes = f"its points are {reach:g} m apart, those of others {median(others):g} m"
            yield f"{who} is {times} than the others ({sizes}): other units? numbers without a unit are metres"


def _wrong_body(blueprint: Blueprint, gaps: dict[str, float], size: float) -> Iterator[str]:
    """Two pins between the same two bodies, whose points are not equally far apart on both."""
    pins = [joint for joint in blueprint.joints if joint.name in gaps and kind_of(joint).symbol in PINS]
    for a, b in combinations(pins, 2):
        bodies = a.first.body, a.second.body
        if set(bodies) != {b.first.body, b.second.body} or len(set(bodies)) != 2:
            continue
        lengths = {body: _between(blueprint, body, a, b) for body in bodies}
        (one, x), (other, y) = lengths.items()
        if abs(x - y) > APART * size:
            both = f"joints '{a.name}' and '{b.name}' both join {one} and {other}"
            yield f"{both}, at points {x:.4g} m apart on {one} and {y:.4g} m on {other}: is one meant for another body?"


def _between(blueprint: Blueprint, body: str, a: Joint, b: Joint) -> float:
    """How far the points of two joints are apart on a body."""
    p, q = (blueprint.port(j.first if j.first.body == body else j.second).at for j in (a, b))
    return float(np.linalg.norm(np.subtract(p, q)))


def _contradicting_motions(pose: Pose, t: float, drawn: Array) -> Iterator[str]:
    names = [motion.name for motion in pose.model.blueprint.motions]
    if not names or not _closes_without(pose, t, drawn, set(names)):
        return
    single = [name for name in names if len(names) > 1 and _closes_without(pose, t, drawn, {name})]
    if len(names) == 1:
        yield f"without motion '{names[0]}' all joints close: it asks at t = {t:g} s for what they do not allow"
    elif single:
        which = " or ".join(f"'{name}'" for name in single)
        yield f"without motion {which} all else closes: the motions contradict each other at t = {t:g} s"
    else:
        yield f"without the motions all joints close: motions {', '.join(names)} contradict each other at t = {t:g} s"


def _too_short(blueprint: Blueprint, gaps: dict[str, float], size: float) -> Iterator[str]:
    """A loop of pins with one side longer than all others together."""
    pins = [joint for joint in blueprint.joints if kind_of(joint).symbol in PINS]
    for closing in pins:
        if closing.name not in gaps:
            continue
        way = _way(closing, [joint for joint in pins if joint is not closing])
        if way is None:
            continue
        loop = [closing, *way]
        sides: dict[str, float] = {}
        for a, b in zip(loop, [*loop[1:], loop[0]], strict=True):
            for body in {a.first.body, a.second.body} & {b.first.body, b.second.body}:
                sides[body] = _between(blueprint, body, a, b)
        longest = max(sides, key=lambda body: sides[body])
        rest = sum(sides.values()) - sides[longest]
        if len(sides) == len(loop) > 2 and sides[longest] > rest + APART * size:
            others = ", ".join(body for body in sides if body != longest)
            names = ", ".join(joint.name for joint in loop)
            yield (
                f"the lengths do not fit: in the loop {names} {longest} is {sides[longest]:.4g} m long, and {others} "
                f"together reach {rest:.4g} m"
            )
            return


def _way(closing: Joint, joints: list[Joint]) -> list[Joint] | None:
    """The shortest chain of joints between the bodies of a joint, from its second to its first."""
    ways: dict[str, list[Joint]] = {closing.second.body: []}
    ahead = [closing.second.body]
    while ahead and closing.first.body not in ways:
        body = ahead.pop(0)
        for joint in joints:
            ends = [joint.first.body, joint.second.body]
            if body in ends:
                other = ends[1 - ends.index(body)]
                if other not in ways:
                    ways[other] = [*ways[body], joint]
                    ahead.append(other)
    return ways.get(closing.first.body)


def _too_many(pose: Pose, t: float, drawn: Array, gaps: dict[str, float]) -> Iterator[str]:
    """Joints without any one of which the others close: of a single loop each is such a one, which tells nothing."""
    names = [joint.name for joint in pose.model.blueprint.joints]
    rows = sum(1 for row in pose.model.rows if not row.velocity)
    if not 1 < len(names) <= MOST_TRIED:
        return
    single = [name for name in names if _closes_without(pose, t, drawn, {name})]
    which = " or ".join(f"'{name}'" for name in single)
    if single and rows > pose.model.nv:
        count = f"{counted(rows, 'equation')} for {pose.model.nv} coordinates"
        yield f"there are too many equations, {count}: without joint {which} the others close"
    elif single and len(single) < len(gaps):
        yield f"without joint {which} the others close"


def _closes_without(pose: Pose, t: float, drawn: Array, left_out: set[str]) -> bool:
    """Whether all equations but those of these parts can be closed, by Gauss and Newton from the drawn pose."""
    kept = np.array([row.joint not in left_out and not row.velocity for row in pose.model.rows], dtype=bool)
    rng = np.random.default_rng(0)
    ways = [part * pose.model.size * pose.scales() * rng.normal(size=pose.model.nv) for part in ASIDE]
    return any(_closes(pose, t, pose.retract(drawn, way), kept) for way in ways)


def _closes(pose: Pose, t: float, y: Array, kept: npt.NDArray[np.bool_]) -> bool:
    y, scales = y.copy(), pose.scales()
    gap = pose.residual(t, y)[kept]
    for _ in range(STEPS):
        if np.max(np.abs(gap), initial=0.0) <= CLOSED * pose.model.size:
            return True
        step = np.linalg.lstsq(pose.jacobian(t, y)[kept] * scales, gap, rcond=1e-9)[0]
        for halving in range(HALVINGS):
            trial = pose.retract(y, -scales * step * 0.5**halving)
            found = pose.residual(t, trial)[kept]
            if np.linalg.norm(found) < np.linalg.norm(gap):
                break
        else:
            return False
        y, gap = trial, found
    return bool(np.max(np.abs(gap), initial=0.0) <= CLOSED * pose.model.size)


def idle_points(blueprint: Blueprint) -> list[str]:
    """Points that nothing uses: no joint, force, motion or relation, and no picture."""
    used = {str(port) for joint in blueprint.joints for port in (joint.first, joint.second)}
    written = repr(blueprint.forces) + repr(blueprint.components) + repr(blueprint.events)
    found = []
    for body in blueprint.bodies:
        shown = body.look.traces if body.look is not None else ()
        for point in body.ports:
            name = f"{body.name}.{point}"
            named = name in written or f"PortName(body='{body.name}', point='{point}')" in written
            if name not in used and not named and point not in shown:
                found.append(name)
    return found


def _idle_points(blueprint: Blueprint) -> str:
    found = idle_points(blueprint)
    return f"; points used by nothing: {', '.join(found)}" if found else ""
