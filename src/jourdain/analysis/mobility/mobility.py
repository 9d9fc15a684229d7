"""Mobility: what can move at this instant, and what can move farther than an instant.

At a pose where the rank of the equations is full, both are the same. Otherwise the pose is left in every direction that
the equations allow to first order, and the joints are closed again on the plane one step ahead. Where that cannot be
done, the motion was infinitesimal only; where it can, the rank is taken anew. At the flat position of a parallelogram
two motions of one freedom each cross, so that there are two freedoms at that instant and one afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...assembly.close_joints import ahead
from ...assembly.idle import Idle, idle_motions
from ...assembly.targets import View
from ...engine.pose import Pose, null_space, nullity_of
from ...mechanism.names import counted
from ...model.flat import FlatModel

Array = npt.NDArray[np.float64]

STEP = 1e-2  # of the size: how far the pose is left
MOVED = 0.3  # of the step, and of a unit way: less is not a motion but its bending
FARTHEST = 10.0  # steps: a pose farther away was not found along the direction
SECOND_STEP = 0.25  # of the first: shorter than the way back to where branches meet
EXTRA = 4  # random directions besides a basis
APART = 0.2  # sine of the angle between directions of motion that are not the same
CLOSED = 1e-9  # of the size: a pose that cannot be closed better than this is no pose


@dataclass(frozen=True)
class Mobility:
    """Freedoms of a mechanism in its pose. Velocity constraints count in `velocities` only."""

    instantaneous: int  # of positions: what the equations allow to first order
    finite: int  # of positions, along the motion with the most freedom that passes through the pose
    velocities: int  # freedoms of velocities in a general position nearby, with rolling and knife edges counted
    velocities_here: int  # the same at this instant
    ways: int  # motions that cross in this pose; 1 in an ordinary one, 0 if nothing can move
    all_finite: tuple[int, ...]  # freedom of each of them
    without_motions: int  # of positions, at this instant, if no motion were driven
    idle: tuple[Idle, ...] = ()
    holding: tuple[str, ...] = ()  # what holds velocities only, in words
    # A state on the motion where the rank is ordinary, for analyses that need one.
    ordinary: Array = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)

    @property
    def shaky(self) -> bool:
        """Whether some freedom exists for an instant only."""
        return self.instantaneous > self.finite

    def sentences(self) -> list[str]:
        """In words."""
        here, far = counted(self.instantaneous, "freedom"), counted(self.finite, "freedom")
        if not self.shaky:
            lines = [f"mobility: {here}, at this instant and in finite motion"]
        elif self.ways > 1:
            words = f"mobility: {here} at this instant, {far} in finite motion"
            lines = [f"{words}: {self.ways} branches of motion cross in this position"]
        else:
            words = f"mobility: {here} at this instant, {far} in finite motion"
            lines = [f"{words}: the rest is infinitesimal, the position is shaky"]
        if len(set(self.all_finite)) > 1:
            lines.append(f"branches of motion have {' and '.join(map(str, sorted(set(self.all_finite))))} freedoms")
        if self.velocities != self.finite:
            who, hold = " and ".join(self.holding), "hold" if len(self.holding) > 1 else "holds"
            words = f"velocities have {counted(self.velocities, 'freedom')}: {who} {hold} the others"
            lines.append(f"{words} without keeping positions from being reached")
        if self.without_motions != self.instantaneous:
            lines.append(
                f"without its motions it would have {counted(self.without_motions, 'freedom')} at this instant"
            )
        lines += [f"idle freedom: {motion}, which moves nothing else" for motion in self.idle]
        return lines


def mobility(pose: Pose, y: Array, t: float, independent: bool = False) -> Mobility:
    """Instantaneous and finite mobility at a closed state; `independent` says that no row depends on the others."""
    model = pose.model
    rows = np.array([not row.velocity for row in model.rows], dtype=bool)
    names = {motion.name for motion in model.blueprint.motions}
    undriven = rows & np.array([row.joint not in names for row in model.rows], dtype=bool)
    J = pose.jacobian(t, y)
    idle = tuple(idle_motions(model, View(model, y), J))
    J = J * pose.scales()

    def nullity(chosen: npt.NDArray[np.bool_]) -> int:
        return model.nv - int(np.sum(chosen)) if independent else nullity_of(J[chosen])

    k, everything = nullity(rows), np.ones(len(rows), dtype=bool)
    here = nullity(everything)
    through: tuple[tuple[int, ...], int, Array] = (k,), min(k, 1), y
    if k > 0 and model.nv - k < int(np.sum(rows)):
        through = _probe(pose, y, t, null_space(J[rows]), rows)
    dims, ways, ordinary = through
    later = max(dims)
    if not np.all(rows):
        later = here if ordinary is y else null_space(pose.jacobian(t, ordinary) * pose.scales()).shape[1]
    return Mobility(
        instantaneous=k,
        finite=max(dims),
        velocities=later,
        velocities_here=here,
        ways=ways,
        all_finite=dims,
        without_motions=nullity(undriven),
        idle=idle,
        holding=tuple(_holding(model)),
        ordinary=ordinary,
    )


def _holding(model: FlatModel) -> Iterator[str]:
    """Parts that hold velocities and no positions, each by its kind and name."""
    motions = {motion.name for motion in model.blueprint.motions}
    for name in dict.fromkeys(row.joint for row in model.rows if row.velocity):
        if name in motions:
            yield f"motion '{name}', which prescribes a speed,"
        else:
            joint = model.blueprint.joints_by_name.get(name)
            yield f"{joint.type if joint is not None else 'the constraint'} '{name}'"


def _probe(
    pose: Pose, y: Array, t: float, free: Array, rows: npt.NDArray[np.bool_]
) -> tuple[tuple[int, ...], int, Array]:
    """Freedoms of the motions through y, how many cross there, and a state on one of them."""
    k = free.shape[1]
    away, where = _left(pose, y, t, free, STEP, k + EXTRA)
    if not len(away):
        return (0,), 0, y
    nearby = [pose.jacobian(t, p)[rows] * pose.scales() for p in where]
    if all(nullity_of(J) == k for J in nearby):  # the rank is constant: an ordinary position
        return (_dimension(away),), 1, y
    spaces = [null_space(J) for J in nearby]
    found: list[tuple[int, Array, Array]] = []
    for p, space in zip(where, spaces, strict=True):
        if any(_same_space(space, other) for _, other, _ in found):
            continue
        moved, _ = _left(pose, p, t, space, SECOND_STEP * STEP, space.shape[1])
        found.append((_dimension(moved), space, p))
    dims = tuple(sorted((d for d, _, _ in found), reverse=True))
    best = max(found, key=lambda entry: (-entry[1].shape[1], entry[0]))
    return dims, len(found), best[2]


def _left(pose: Pose, y: Array, t: float, free: Array, step: float, count: int) -> tuple[Array, list[Array]]:
    """Ways from y, in steps, to closed poses that lie a step ahead in free directions; only those that exist."""
    rng = np.random.default_rng(0)
    k = free.shape[1]
    basis, _ = np.linalg.qr(rng.normal(size=(k, k)))
    mixed = [*basis.T, *(x / np.linalg.norm(x) for x in rng.normal(size=(max(0, count - k), k)))]
    ways, places = [], []
    size = pose.model.size
    for z in mixed:
        p = ahead(pose, y, t, free @ z, step * size)
        way = difference(pose, y, p) / (step * size)
        if np.max(np.abs(pose.residual(t, p)), initial=0.0) <= CLOSED * size and MOVED < np.linalg.norm(way) < FARTHEST:
            ways.append(way)
            places.append(p)
    return np.array(ways).reshape(len(ways), pose.model.nv), places


def _dimension(ways: Array) -> int:
    """Of the space that ways span, their bending not counted."""
    if not len(ways):
        return 0
    unit = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    return int(np.sum(np.linalg.svd(unit, compute_uv=False) > MOVED))


def _same_space(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(np.linalg.norm(a - b @ (b.T @ a), 2) < APART)


def difference(pose: Pose, old: Array, new: Array) -> Array:
    """From one state to another one nearby, as a scaled velocity times one second (default coordinates)."""
    a, b = View(pose.model, old), View(pose.model, new)
    size = pose.model.size
    parts = []
    for k in range(pose.model.bodies):
        turn = b.frame[k] @ a.frame[k].T
        skew = 0.5 * (turn - turn.T)
        spin = [skew[1, 0]] if a.dim == 2 else [skew[2, 1], skew[0, 2], skew[1, 0]]
        parts += [*(b.centre[k] - a.centre[k]), *(size * np.array(spin))]
    return np.array(parts)
