"""Closing the joints: from a drawn pose that is nearly closed to one that is, keeping the written velocities close.

Newton's method in the mass metric by the kernel; where that fails (singular or redundant rows), damped Newton by
least squares. Flipped joints never pass: the catalogue's signs are checked afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engine.body_states import from_vector, recounted
from ..engine.pose import RANK_TOLERANCE, Pose
from ..engine.workspace import Workspace
from ..kernels.layout.returned import OK
from ..mechanism.fault import Fault
from ..mechanism.rotations import swung
from ..model.compile import MAX_DENSE_ROWS
from ..model.flat import FlatModel
from ..model.states import BodyState, body_poses, drawn_state, to_vector
from .placing import placed_state
from .why_open import open_fault

Array = npt.NDArray[np.float64]

MAX_ITERATIONS = 60
# Singular directions are left alone while closing: relative to the largest singular value.
CLOSING_CUTOFF = 1e-6
MOST_VELOCITY_STEPS = 30  # of Newton, where a constraint is not linear in the velocities
OPEN = 1e-10  # of the size of the part that an equation is of: off by more, a joint is open
ASIDE = (0.1, 0.3, 0.3, 1.0, 1.0, 1.5)  # rad, about: from where else joints are closed


@dataclass(frozen=True)
class Assembly:
    """The closed start, and how far it is from what was drawn."""

    y: Array
    moved: dict[str, float]  # m, by body
    turned: dict[str, float]  # rad, by body
    speed_change: dict[str, float]  # m/s, by body
    spin_change: dict[str, float]  # rad/s, by body
    free: Freedom
    phases: dict[str, float]  # of floating rows, by the parameter that holds them

    def notes(self, size: float) -> list[str]:
        """Sentences about changes a user should know of."""
        found = []
        for body, (position, attitude, velocity, spin) in self.free.bodies.items():
            moved, turned = self.moved[body] > 1e-9 * size, self.turned[body] > 1e-9
            if (moved and not position) or (turned and not attitude):
                how = [f"moved {{}} by {self.moved[body]:.3g} m"] if moved else []
                how += [f"turned {{}} by {self.turned[body]:.3g} rad"] if turned else []
                found.append(f"assembly {' and '.join(how)} to close the joints".format(f"body '{body}'", "it"))
            if self.speed_change[body] > 1e-9 * max(size, 1.0) and not velocity:
                found.append(
                    f"assembly changed the velocity of body '{body}' by {self.speed_change[body]:.3g} m/s "
                    "to agree with the joints"
                )
            if self.spin_change[body] > 1e-9 and not spin:
                found.append(
                    f"assembly changed the spin of body '{body}' by {self.spin_change[body]:.3g} rad/s to agree with "
                    "the joints"
                )
        return found


def close_joints(
    model: FlatModel, workspace: Workspace, start: Array | None = None, t: float = 0.0, as_written: bool = False
) -> Assembly:
    """Close the joints from `start` (default: as drawn). Raises MechanismError if they cannot be closed.

    Whose velocity is written keeps it, where the start is not given or `as_written` says that it holds these.
    """
    drawn = to_vector(model, placed_state(model)) if start is None else start
    pose = Pose(model, workspace)
    free = Freedom.of(model) if start is None else Freedom.moving(model) if as_written else Freedom.none(model)
    pose.floating = True
    y = drawn = _turned_to_motions(pose, t, drawn)
    if len(model.rows) <= MAX_DENSE_ROWS:
        if np.any(free.pose) and not _closed(pose, t, y):
            y = _close_what_is_free(pose, t, y, free.pose)
        if np.any(free.motion):
            y = _move_what_is_free(pose, t, y, free.motion)
    begun = y
    y = begun.copy()
    if pose.project(t, y) != OK or not _closed(pose, t, y):
        y = close_by_least_squares(pose, t, begun)
        if not _closed(pose, t, y):
            y = _closed_from_beside(pose, t, drawn, free.pose, y)
        _raise_if_open(pose, t, y, begun)
        y = _consistent_velocities(pose, t, y)
    elif model.flags["NONLINEAR"]:
        y = _consistent_velocities(pose, t, y)
    if model.flags["NONLINEAR"]:
        _raise_if_too_fast(pose, t, y)
    raise_if_flipped(pose, t, y)
    y = recounted(model, y, drawn)
    pose.floating = False
    phases = pose.phases(t, y)
    workspace.set_numbers(phases)
    moved, turned, speed, spin = changes(model, drawn, y)
    return Assembly(y, moved, turned, speed, spin, free, phases)


def _turned_to_motions(pose: Pose, t: float, y: Array) -> Array:
    """Turns of driven joints chosen so that their motion is less than half a turn away: 370 deg is not 10 deg."""
    model = pose.model
    driven = {
        m.name: m.values.get("joint") or m.values["body"]
        for m in model.blueprint.motions
        if m.values.get("angle") is not None
    }
    if not driven:
        return y
    floating = {row for row, _ in model.floating}
    y = y.copy()
    residual = pose.residual(t, y)
    for row, gap in zip(model.rows, residual, strict=True):
        angle = row.joint in driven and row.meaning == "driven angle"
        if angle and row.row not in floating and np.isfinite(gap):
            y[model.layout.turn(driven[row.joint])] -= 2 * np.pi * round(gap / (2 * np.pi))
    return y


@dataclass(frozen=True)
class Freedom:
    """What the mechanism leaves out and assembly may choose.

    The masks run over the twists of all bodies, whatever the coordinates: velocity of the origin, then spin.
    """

    pose: npt.NDArray[np.bool_]
    motion: npt.NDArray[np.bool_]
    bodies: dict[str, tuple[bool, bool, bool, bool]]  # position, attitude, velocity, spin left out

    @classmethod
    def of(cls, model: FlatModel) -> Freedom:
        dim = model.blueprint.dim
        spin = 1 if dim == 2 else 3
        pose: list[bool] = []
        motion: list[bool] = []
        bodies = {}
        for body in model.blueprint.bodies:
            out = (body.position is None, body.attitude is None, body.velocity is None, body.spin is None)
            pose += [out[0]] * dim + [out[1]] * spin
            motion += [out[2]] * dim + [out[3]] * spin
            bodies[body.name] = out
        return cls(np.array(pose), np.array(motion), bodies)

    @classmethod
    def moving(cls, model: FlatModel) -> Freedom:
        """Of velocities alone, where some are written and some are left out."""
        found = cls.of(model)
        motion = found.motion if not np.all(found.motion) else np.zeros(0, dtype=bool)
        return cls(np.zeros(0, dtype=bool), motion, found.bodies)

    @classmethod
    def none(cls, model: FlatModel) -> Freedom:
        mask = np.zeros(0, dtype=bool)
        return cls(mask, mask, {body.name: (False, False, False, False) for body in model.blueprint.bodies})


def _twists(model: FlatModel, y: Array) -> tuple[Array, Array]:
    """Velocities of unit twists of every body (nv, twists), and scales that make turning and moving comparable."""
    dim, nb = model.blueprint.dim, model.bodies
    spin = 1 if dim == 2 else 3
    at = model.layout
    _, frames, _ = body_poses(model, y)
    basis = np.zeros((model.nv, nb, dim + spin))
    for b, data in enumerate(model.body_data):
        arm = frames[b] @ data.centre
        for k, unit in enumerate(np.eye(dim + spin)):
            w = unit[dim:]
            twist = unit[:dim] + swung(w, arm), w if dim == 3 else w[0]
            basis[at.moves_of[b], b, k] = model.set.twist_in(*twist, y[at.q_of[b]], data)
    scales = np.concatenate([[*[1.0] * dim, *[1.0 / size] * spin] for size in model.body_sizes])
    return basis.reshape(model.nv, nb * (dim + spin)), scales


def _closed_from_beside(pose: Pose, t: float, drawn: Array, free: npt.NDArray[np.bool_], given_up: Array) -> Array:
    """The joints closed with the attitudes that are left out turned a little first; else the state given up.

    Bodies that lie in one line, or at a right angle to their rail, leave no direction in which they come nearer.
    """
    model = pose.model
    dim, spin = (2, 1) if model.blueprint.dim == 2 else (3, 3)
    turning = free & np.tile([False] * dim + [True] * spin, model.bodies) if free.size else free
    if not np.any(turning) or len(model.rows) > MAX_DENSE_ROWS:
        return given_up
    rng = np.random.default_rng(0)
    for angle in ASIDE:
        basis, _ = _twists(model, drawn)
        y = pose.retract(drawn, basis @ (turning * angle * rng.normal(size=turning.size)))
        y = _close_what_is_free(pose, t, y, free)
        y = y if _closed(pose, t, y) else close_by_least_squares(pose, t, y)
        if _closed(pose, t, y) and not flipped(pose, t, y):
            return y
    return given_up


def _close_what_is_free(pose: Pose, t: float, y: Array, free: npt.NDArray[np.bool_]) -> Array:
    """Newton's method in twists of bodies: what was left out moves first, what was written only as far as it must."""
    model, at = pose.model, pose.model.layout
    joints = np.array([not row.intrinsic for row in model.rows])
    residual = pose.residual(t, y)[joints]
    for _ in range(MAX_ITERATIONS):
        if np.max(np.abs(residual), initial=0.0) <= 1e-14 * model.size:
            break
        basis, scales = _twists(model, y)
        step = basis @ _two_stage(pose.position_jacobian(t, y)[joints] @ basis, residual, scales, free, CLOSING_CUTOFF)
        fraction = 1.0
        while fraction > 1e-3:
            moved = pose.retract(y, fraction * step)
            trial = y.copy()
            trial[at.q] = to_vector(model, from_vector(model, moved))[at.q]
            new = pose.residual(t, trial)[joints]
            if np.linalg.norm(new) < np.linalg.norm(residual):
                break
            fraction *= 0.5
        else:
            break
        y, residual = trial, new
    # Velocities are written for the drawn pose in fixed axes: say them again in the coordinates of this one.
    drawn = drawn_state(model)
    here = from_vector(model, y)
    states = {n: BodyState(here[n].position, here[n].attitude, drawn[n].velocity, drawn[n].spin) for n in drawn}
    return np.concatenate([to_vector(model, states)[at.motion], y[at.z]])


def _move_what_is_free(pose: Pose, t: float, y: Array, free: npt.NDArray[np.bool_]) -> Array:
    """Velocities that keep the joints closed: those left out change first."""
    model = pose.model
    rate = pose.rate(t, y)
    if np.max(np.abs(rate), initial=0.0) == 0.0:
        return y
    basis, scales = _twists(model, y)
    y = y.copy()
    J = pose.jacobian(t, y)
    y[model.layout.v] += basis @ _two_stage(J @ basis, rate, scales, free, RANK_TOLERANCE)
    return y


def _two_stage(J: Array, residual: Array, scales: Array, free: npt.NDArray[np.bool_], cutoff: float) -> Array:
    """Smallest step with J step = -residual: by the free columns alone as far as they reach, then by all."""
    step = np.zeros(J.shape[1])
    if np.any(free):
        step[free] = -np.linalg.lstsq((J * scales)[:, free], residual, rcond=cutoff)[0] * scales[free]
        residual = residual + J @ step
        if np.max(np.abs(residual), initial=0.0) < 1e-12:
            return step
    return step - scales * np.linalg.lstsq(J * scales, residual, rcond=cutoff)[0]


def close_by_least_squares(pose: Pose, t: float, y: Array, but: Array | None = None) -> Array:
    """Damped Newton with truncated least squares: does not mind redundant or nearly singular rows.

    Rows of `but` are directions, scaled, in which nothing may move.
    """
    scales = pose.scales()
    kept = np.zeros((0, pose.model.nv)) if but is None else np.atleast_2d(but)
    still = np.zeros(len(kept))
    return damped_newton(
        pose,
        y,
        lambda x: np.concatenate([pose.residual(t, x), still]),
        lambda x: np.vstack([pose.position_jacobian(t, x) * scales, kept]),
    )


def damped_newton(
    pose: Pose,
    y: Array,
    residual_at: Callable[[Array], Array],
    jacobian_at: Callable[[Array], Array],
    most: int = MAX_ITERATIONS,
    longest: float = np.inf,
) -> Array:
    """y where the residual vanishes, or as near as the method comes. Of the Jacobian the columns are scaled.

    Steps are at most `longest` in the scaled metric.
    """
    scales, size = pose.scales(), pose.model.size
    residual = residual_at(y)
    for _ in range(most):
        if np.max(np.abs(residual), initial=0.0) <= 1e-14 * size:
            break
        step = -np.linalg.lstsq(jacobian_at(y), residual, rcond=CLOSING_CUTOFF)[0]
        length = float(np.linalg.norm(step))
        fraction = min(1.0, longest / length) if length > 0 else 1.0
        while fraction > 1e-3:
            trial = pose.retract(y, fraction * scales * step)
            new = residual_at(trial)
            if np.linalg.norm(new) < np.linalg.norm(residual):
                break
            fraction *= 0.5
        else:
            break
        y, residual = trial, new
    return y


def ahead(pose: Pose, y: Array, t: float, direction: Array, step: float) -> Array:
    """The joints closed on the plane that lies `step` ahead of y in a scaled unit direction; never back at y."""
    return close_by_least_squares(pose, t, pose.retract(y, pose.scales() * direction * step), direction)


def _consistent_velocities(pose: Pose, t: float, y: Array) -> Array:
    """Velocities nearest to the given ones that keep the joints closed."""
    model, scales = pose.model, pose.scales()
    y = y.copy()
    last = np.inf
    for _ in range(MOST_VELOCITY_STEPS if model.flags["NONLINEAR"] else 1):
        rate = pose.rate(t, y)
        gap = float(np.max(np.abs(rate), initial=0.0))
        if not gap < 0.5 * last:  # rounding stops it
            break
        last = gap
        step = np.linalg.lstsq(pose.jacobian(t, y) * scales, rate, rcond=RANK_TOLERANCE)[0]
        y[model.layout.v] -= scales * step
    return y


def _raise_if_too_fast(pose: Pose, t: float, y: Array) -> None:
    """Where velocities do not enter linearly, there may be none nearby that a constraint allows."""
    rates = np.abs(pose.rate(t, y))
    faults = [
        Fault(
            row.joint,
            "",
            f"velocity-constraint '{row.joint}' cannot be met from the written velocities: {gap:.3g} remains; write "
            "velocities that are nearer (at rest it may not tell which way to go)",
        )
        for row, gap in zip(pose.model.rows, rates, strict=True)
        if row.velocity and not gap <= OPEN * max(1.0, pose.model.size)
    ]
    if faults:
        raise pose.model.blueprint.refused(faults)


def _closed(pose: Pose, t: float, y: Array) -> bool:
    return bool(np.all(np.abs(pose.residual(t, y)) <= _limits(pose)))


def _limits(pose: Pose) -> Array:
    """What each equation may be off by, as last placed: more is open."""
    return OPEN * pose.row_sizes + pose.rounding()


def _raise_if_open(pose: Pose, t: float, y: Array, drawn: Array) -> None:
    residual = np.abs(pose.residual(t, y))
    limits = _limits(pose)
    if np.all(residual <= limits):
        return
    lost = np.flatnonzero(~np.isfinite(residual + limits))
    if lost.size:
        raise pose.model.blueprint.refused([pose.not_finite(lost)])
    gaps: dict[str, float] = {}
    for row, gap, limit in zip(pose.model.rows, residual, limits, strict=True):
        if not gap <= limit:
            gaps[row.joint] = max(gaps.get(row.joint, 0.0), float(gap))
    raise pose.model.blueprint.refused([open_fault(pose, t, drawn, gaps)])


def raise_if_flipped(pose: Pose, t: float, y: Array) -> None:
    """Refuse a pose in which a joint is closed the wrong way round."""
    faults = flipped(pose, t, y)
    if faults:
        raise pose.model.blueprint.refused(faults)


def flipped(pose: Pose, t: float, y: Array) -> list[Fault]:
    """A fault for each sign condition of a joint that fails at this state."""
    pose.place(t, y)
    words, advice = "is closed the wrong way round", "turn one of its bodies or axes by half a turn"
    return [
        Fault(sign.joint, "", f"joint '{sign.joint}' {words} ({sign.words} does not hold); {advice}")
        for sign in pose.model.signs
        if pose.vector(sign.a) @ pose.vector(sign.b) <= 0
    ]


def changes(model: FlatModel, old: Array, new: Array) -> tuple[dict[str, float], ...]:
    """How far each body moved and turned, and by how much its velocity and its spin changed."""
    before, after = from_vector(model, old), from_vector(model, new)
    frames = [body_poses(model, y)[1] for y in (old, new)]
    moved, turned, speed, spin = {}, {}, {}, {}
    for k, name in enumerate(before):
        moved[name] = float(np.linalg.norm(np.subtract(after[name].position, before[name].position)))
        speed[name] = float(np.linalg.norm(np.subtract(after[name].velocity, before[name].velocity)))
        spin[name] = float(np.linalg.norm(np.subtract(after[name].spin, before[name].spin)))
        # |R1 - R0|_F = 2 sqrt(1 - cos) in the plane and 2 sqrt(2) sin(angle/2) in space; equal for small angles.
        chord = float(np.linalg.norm(frames[1][k] - frames[0][k])) / (2.0 * np.sqrt(2.0))
        turned[name] = 2.0 * float(np.arcsin(min(1.0, chord)))
    return moved, turned, speed, spin
