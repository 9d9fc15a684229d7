"""Why an assembly failed, in sentences: joints that stay open and by how much, targets out of reach or at odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..engine.pose import null_space
from ..mechanism.fault import Fault
from ..mechanism.ties import smallest
from .close_joints import flipped
from .search import NEWTON_STEPS, random_start, solutions
from .targets import Target, View
from .targets_problem import CLOSED, Problem

Array = npt.NDArray[np.float64]

TRIES = 12  # random starts from which the smallest gap is looked for
BASES = 3  # closed poses from which targets are approached


def explained(problem: Problem, closed: Array | None, drawn: Array) -> Array:
    """Raise MechanismError that says what stands against the joints and targets of a problem.

    Should the targets be met after all, by approaching them instead of asking for them, that state is returned.
    """
    blueprint = problem.model.blueprint
    alone = Problem(problem.pose, problem.t, ())
    if closed is None:
        bases, _ = solutions(alone, drawn) if problem.musts else ([], 0)
        if not bases:
            raise blueprint.refused(_open_joints(alone, drawn))
    else:
        bases = [closed]
    together, values = _best(problem, problem.musts, bases)
    if problem.is_closed(end := problem.close(together)) and not flipped(problem.pose, problem.t, end):
        return end
    raise blueprint.refused(_missed_targets(problem, bases, values))


def _open_joints(problem: Problem, drawn: Array) -> list[Fault]:
    """The pose that is nearest to closed, joint by joint."""
    rng = np.random.default_rng(1)
    problem.pose.floating = True
    starts = [drawn, *(random_start(problem.model, drawn, rng) for _ in range(TRIES))]
    ends = [problem.close(start, most=NEWTON_STEPS) for start in starts]
    turned = [flipped(problem.pose, problem.t, y) for y in ends]
    closed = [faults for y, faults in zip(ends, turned, strict=True) if faults and problem.is_closed(y)]
    if closed:
        return closed[0]
    best = problem.relax(ends[smallest(float(np.linalg.norm(problem.residual(y))) for y in ends)])
    gaps: dict[str, float] = {}
    for row, gap in zip(problem.model.rows, np.abs(problem.residual(best)), strict=True):
        gaps[row.joint] = max(gaps.get(row.joint, 0.0), float(gap))
    size = problem.model.size
    words = f"(m or rad) remain in the best of {len(starts)} tries; check lengths and axes"
    found = [
        Fault(joint, "", f"joint '{joint}' cannot be closed: {gap:.3g} {words}")
        for joint, gap in gaps.items()
        if gap > CLOSED * size
    ]
    return found or [Fault("", "", "no pose was found in which all joints close; draw it nearer to closed")]


def refuse_held(problem: Problem, y: Array) -> None:
    """Raise MechanismError where motions stand against targets, which no other pose could change."""
    held = _holding_motions(problem, y)
    if held:
        words = f"what the motions hold at t = {problem.t:g} s ({held}) stands against"
        advice = "give the t at which they agree, or take the motions out"
        faults = [f"{words} target {', '.join(map(str, problem.musts))}; {advice}"]
        raise problem.model.blueprint.refused(faults)


def _missed_targets(problem: Problem, bases: Sequence[Array], together: Sequence[float]) -> list[str]:
    """`together` are the values of all musts where they are missed least."""
    musts = problem.musts
    singly = [_best(problem, [x], bases)[1][0] for x in musts] if len(musts) > 1 else together
    unreached = [(x, found) for x, found in zip(musts, singly, strict=True) if not _meets(x, found, problem)]
    if unreached:
        return [_unreached(problem, x, found, bases[0]) for x, found in unreached]
    parts = [
        f"{x.name} {x.channel.shown(found)}, {x.channel.shown(abs(x.channel.short_of(found, x.wanted)))} off"
        for x, found in zip(musts, together, strict=True)
        if not _meets(x, found, problem)
    ]
    words = f"targets {' and '.join(map(str, musts))} contradict each other: each can be met, but not together"
    return [f"{words}; the nearest is {'; '.join(parts)}"]


def _unreached(problem: Problem, target: Target, found: float, base: Array) -> str:
    shown = target.channel.shown
    free = null_space(problem.pose.position_jacobian(problem.t, base) * problem.pose.scales())
    gradient = problem.gradients([target], base)[0] * problem.pose.scales()
    still = abs(target.channel.short_of(found, target.channel.value(View(problem.model, base))))
    locked = still <= 1e-9 * max(1.0, problem.model.size)
    if locked and np.linalg.norm(gradient @ free) <= 1e-6 * np.linalg.norm(gradient):
        return f"target {target} cannot be met: the joints lock {target.name} at {shown(found)}"
    short = shown(abs(target.channel.short_of(found, target.wanted)))
    return f"target {target} is out of reach: the nearest that the joints allow is {shown(found)}, {short} short"


def _meets(target: Target, found: float, problem: Problem) -> bool:
    gap = abs(target.channel.short_of(found, target.wanted))
    return gap <= 1e-6 * (1.0 if target.channel.kind == "angle" else problem.model.size)


def _best(problem: Problem, targets: Sequence[Target], bases: Sequence[Array]) -> tuple[Array, list[float]]:
    """Where targets that are only wished for are missed least, from several closed poses; and their values there."""
    wished = Problem(problem.pose, problem.t, [replace(x, must=False) for x in targets])
    starts = list(bases[:BASES])
    rng = np.random.default_rng(2)
    for _ in range(BASES):
        y = wished.close(random_start(problem.model, bases[0], rng))
        if wished.is_closed(y) and not flipped(problem.pose, problem.t, y):
            starts.append(y)
    ends = [wished.wish(start) for start in starts]
    best = ends[smallest(map(wished.missed, ends), floor=CLOSED * problem.model.size)]
    return best, [x.channel.value(View(problem.model, best)) for x in targets]


def _holding_motions(problem: Problem, y: Array) -> str:
    """Motions that take away what the targets need: their rows and the joints' span the targets, the joints' do not."""
    names = {motion.name for motion in problem.model.blueprint.motions}
    driven = np.array([row.joint in names for row in problem.model.rows], dtype=bool)
    if not np.any(driven):
        return ""
    scales = problem.pose.scales()
    J = problem.pose.position_jacobian(problem.t, y) * scales
    G = problem.gradients(problem.musts, y) * scales
    free, held = null_space(J[~driven]), null_space(J)
    small = [1e-6 * float(np.linalg.norm(g)) for g in G]
    lost = any(np.linalg.norm(g @ held) <= least < np.linalg.norm(g @ free) for g, least in zip(G, small, strict=True))
    return ", ".join(sorted(names)) if lost else ""
