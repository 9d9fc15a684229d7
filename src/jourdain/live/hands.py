"""Hands: points of a running machine that follow a pointer, by a force in every stage of every step.

With P the Jacobian of all points held, W = P (M^-1 - M^-1 J^T K^+ J M^-1) P^T their mobility with the loops closed and
a0 their acceleration without hands,

    F = D (w^2 (r - p) + 2 z w (r' - p') + r'' - a0),     D = sum_i u_i u_i^T l_i / (l_i^2 + eps^2)

over the eigenpairs of W, eps = lambda_max(P M^-1 P^T) / 200: at a dead point, where W loses a direction, the force
stays finite. W and a0 are found once a frame, by the treatment's own factors: accelerations under unit forces less
those without. F is linear in p and p', so the machine has it as a formula whose coefficients are parameters:

    F = g0 + g1 s + g2 s^2 - S (w^2 p + 2 z w p'),     s = t - t0

A hand that turns a body in space is the same with the rotation vector from where it was grabbed for p and a torque for
F, both times a length, the size of the machine, so that one W has them all. In the formula its p is the integral of the
spin, which a rotation vector is as far as a frame goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.body_states import body_motion
from ..engine.pose import Pose
from ..kernels.layout import returned
from ..mechanism.frozen import Frozen
from ..mechanism.parts import Blueprint, Component, PointForce, Port, PortName, Torque
from ..mechanism.rotations import rotation_of, rotation_vector, swung
from ..session.session import Session

Array = npt.NDArray[np.float64]

FREQUENCY = 2 * np.pi * 8.0  # rad/s, of a hand's spring
RATIO = 1.0  # of its damping
SOFT = 200.0  # the part of the free mobility below which a direction counts as blocked
REACH = 1.0  # of the machine's size: a target farther away pulls no more than one there
LOCKED = 1e-9  # of the free mobility: nothing moves there
STRONGEST = 200.0  # times the weight of the machine, on earth
EARTH = 9.81  # m/s^2
LETTERS = "xyz"
SHORT = 1e-3  # s, over which spins of an aim are found


@dataclass(frozen=True)
class Grip:
    """A point that is held, the directions in which it is pulled (columns), and where it shall be: r, r', r'' at t0."""

    number: int
    port: PortName
    at: tuple[float, ...]  # in body axes
    directions: tuple[tuple[float, ...], ...]
    target: tuple[tuple[float, ...], ...] = ()
    t0: float = 0.0
    turned_from: tuple[float, ...] = ()  # of a hand that turns: the axes of the body when it was grabbed, row by row
    scale: float = 1.0  # m, by which its turns are multiplied

    @property
    def name(self) -> str:
        return f"_hand{self.number}"

    def aimed(self, t0: float, target: Sequence[Sequence[float]]) -> Grip:
        """With another aim."""
        return replace(self, t0=t0, target=tuple(tuple(float(x) for x in part) for part in target))


@dataclass(frozen=True)
class Pull:
    """What hands do in a frame: parameters of the machine, and what is to be told of each hand."""

    numbers: Mapping[str, float]
    told: Mapping[int, str] = field(default_factory=dict)


def with_hands(blueprint: Blueprint, grips: Sequence[Grip]) -> Blueprint:
    """The mechanism with what hands need: a force at each point, and its work as a state."""
    if not grips:
        return blueprint
    dim, parameters = blueprint.dim, {name: 0.0 for name in _names(grips, blueprint.dim)}
    bodies = list(blueprint.bodies)
    for grip in grips:
        k = next(k for k, body in enumerate(bodies) if body.name == grip.port.body)
        if grip.port.point not in bodies[k].ports:
            bodies[k] = replace(bodies[k], ports={**bodies[k].ports, grip.port.point: Port(grip.at)})
    elements = [_element(grip, grips, dim) for grip in grips]
    forces = [_force(grip, dim) for grip in grips]
    return replace(
        blueprint,
        bodies=tuple(bodies),
        forces=(*blueprint.forces, *forces),
        elements=(*blueprint.elements, *elements),
        parameters=Frozen({**blueprint.parameters, **parameters}),
    )


def _force(grip: Grip, dim: int) -> PointForce | Torque:
    parts = tuple(f"{grip.name}.f{c}" for c in LETTERS[:dim])
    name = f"_pull{grip.number}"
    return Torque(name, grip.port.body, parts) if grip.turned_from else PointForce(name, grip.port, parts)


def _element(grip: Grip, grips: Sequence[Grip], dim: int) -> Component:
    """Force or torque, power and work of a hand as channels."""
    forces, a = {}, grip.number
    for i in range(dim):
        terms = [f"_g0_{a}{i} + _g1_{a}{i}*(t - _t0) + _g2_{a}{i}*(t - _t0)**2"]
        for other in grips:
            for j, (place, speed) in enumerate(_motion(other, dim)):
                spring = f"{FREQUENCY**2!r}*{place} + {2 * RATIO * FREQUENCY!r}*{speed}"
                terms.append(f"- _s_{a}{i}_{other.number}{j}*({spring})")
        whole = " ".join(terms)
        forces[f"f{LETTERS[i]}"] = f"{grip.scale!r}*({whole})" if grip.turned_from else whole
    body = grip.port.body
    rates = [f"{body}.w{c}" if grip.turned_from else f"{grip.port}.v{c}" for c in LETTERS[:dim]]
    power = " + ".join(f"f{c}*{rate}" for c, rate in zip(LETTERS, rates, strict=False))
    turns = {f"turn{c}": rate for c, rate in zip(LETTERS, rates, strict=False)} if grip.turned_from else {}
    values: dict[str, dict[str, Any]] = {
        "states": {"work": 0.0, **dict.fromkeys(turns, 0.0)},
        "inputs": {},
        "outputs": {**forces, "power": power},
        "rates": {"work": power, **turns},
    }
    return Component(grip.name, "element", Frozen({k: Frozen(v) for k, v in values.items()}))


def _motion(grip: Grip, dim: int) -> Iterator[tuple[str, str]]:
    """Channels of p and p'."""
    for c in LETTERS[:dim]:
        if grip.turned_from:
            yield f"{grip.scale!r}*{grip.name}.turn{c}", f"{grip.scale!r}*{grip.port.body}.w{c}"
        else:
            yield f"{grip.port}.{c}", f"{grip.port}.v{c}"


def _names(grips: Sequence[Grip], dim: int) -> Iterator[str]:
    yield "_t0"
    for grip in grips:
        for i in range(dim):
            yield from (f"_g{k}_{grip.number}{i}" for k in range(3))
            yield from (f"_s_{grip.number}{i}_{other.number}{j}" for other in grips for j in range(dim))


# What they do ---------------------------------------------------------------------------------------------------------


class Hold:
    """All hands on one structure: finds mobilities in memory of its own."""

    def __init__(self, session: Session, grips: Sequence[Grip]) -> None:
        self.session, self.grips = session, tuple(grips)
        workspace = session.loop.workspace
        self.model = workspace.model
        self._own = workspace.twin()
        self._pose = Pose(self.model, self._own)
        self.dim, names = self.model.blueprint.dim, [body.name for body in self.model.blueprint.bodies]
        self._bodies = [names.index(grip.port.body) for grip in grips]
        data = self.model.body_data
        self._arms = [np.array(g.at) - np.array(data[b].centre) for g, b in zip(grips, self._bodies, strict=True)]
        self._still = dict.fromkeys(_names(grips, self.dim), 0.0)
        gravity = max(EARTH, float(np.linalg.norm(self.model.blueprint.gravity)))
        self.strongest = STRONGEST * gravity * sum(body.mass for body in data)

    def places(self, y: Array) -> list[Array]:
        """Where the points are, also of hands that turn."""
        centre, axes, *_ = body_motion(self.model, y[None], np.zeros((1, self.model.nv)))
        both = zip(self._bodies, self._arms, strict=True)
        return [np.asarray(centre[0, b] + axes[0, b] @ arm) for b, arm in both]

    def points(self, y: Array) -> tuple[Array, Array]:
        """Places and velocities of the points, one behind the other; of hands that turn, turns and spins."""
        x, v, _ = self._moving(y[None], np.zeros((1, self.model.nv)))
        return x[0], v[0]

    def _moving(self, samples: Array, accelerations: Array) -> tuple[Array, Array, Array]:
        centre, axes, _, speed, spin, rate, turn = body_motion(self.model, samples, accelerations)
        found: list[list[Array]] = [[], [], []]
        for grip, b, arm in zip(self.grips, self._bodies, self._arms, strict=True):
            if grip.turned_from:
                begun = np.reshape(grip.turned_from, (3, 3))
                found[0].append(grip.scale * np.array([rotation_vector(R @ begun.T) for R in axes[:, b]]))
                found[1].append(grip.scale * spin[:, b])
                found[2].append(grip.scale * turn[:, b])
                continue
            r = axes[:, b] @ arm
            w, a = spin[:, b], turn[:, b]
            across = swung(w, r)
            found[0].append(centre[:, b] + r)
            found[1].append(speed[:, b] + across)
            found[2].append(rate[:, b] + swung(a, r) + swung(w, across))
        return tuple(np.concatenate(part, axis=1) for part in found)  # type: ignore[return-value]

    def mobility(self, t: float, y: Array) -> tuple[Array, Array, Array] | None:
        """W, a0 and the columns (M^-1 - ..) P^T in velocities; None where the machine cannot be evaluated."""
        n = self.dim * len(self.grips)
        self._own.take_numbers(self.session.loop.workspace)
        self._own.set_numbers(self._still)
        slopes = []
        unit = self.strongest / STRONGEST  # so that differences keep their digits
        names = [f"_g0_{grip.number}{i}" for grip in self.grips for i in range(self.dim)]
        for k in range(-1, n):
            if k >= 0:
                self._own.set_numbers({names[k]: unit, **({names[k - 1]: 0.0} if k > 0 else {})})
            status, slope = self._pose.slope(t, y)
            if status != returned.OK:
                return None
            slopes.append(slope[self.model.layout.v])
        accelerations = np.array(slopes)
        a = self._moving(np.repeat(y[None], n + 1, axis=0), accelerations)[2]
        W = (a[1:] - a[0]).T / unit
        return 0.5 * (W + W.T), a[0], (accelerations[1:] - accelerations[0]).T / unit

    def free_mobility(self, y: Array) -> float:
        """lambda_max(P M^-1 P^T): of the points as if there were no joints."""
        axes = body_motion(self.model, y[None], np.zeros((1, self.model.nv)))[1][0]
        n, dim = len(self.grips), self.dim
        W = np.zeros((n * dim, n * dim))
        for i in range(n):
            for j in range(n):
                if self._bodies[i] == self._bodies[j]:
                    block = self._of_body(i, j, axes)
                    W[i * dim : (i + 1) * dim, j * dim : (j + 1) * dim] = block
        return float(np.linalg.eigvalsh(W)[-1])

    def _of_body(self, i: int, j: int, axes: Array) -> Array:
        """Of two hands on one body."""
        b = self._bodies[i]
        data, R = self.model.body_data[b], axes[b]
        mass = max(data.mass, 1e-300)
        inertia: Any = self.model.blueprint.bodies[b].inertia
        if self.dim == 2:
            r, s = R @ self._arms[i], R @ self._arms[j]
            turn = 0.0 if not inertia > 0 else 1.0 / inertia
            return np.asarray(np.eye(2) / mass + turn * np.outer([-r[1], r[0]], [-s[1], s[0]]))
        xx, yy, zz, xy, xz, yz = (*inertia, 0.0, 0.0, 0.0)[:6]
        I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        both = [(self.grips[k], self._arms[k]) for k in (i, j)]
        arms = [g.scale * np.eye(3) if g.turned_from else _cross(R @ arm).T for g, arm in both]
        moved = np.zeros((3, 3)) if any(grip.turned_from for grip, _ in both) else np.eye(3) / mass
        return np.asarray(moved + arms[0] @ np.linalg.pinv(I) @ arms[1].T)

    def pull(self, t: float, y: Array, weakened: float = 1.0) -> Pull:
        """Parameters for the frame that begins at t; `weakened` is the part of the force that is exerted."""
        found = self.mobility(t, y)
        if found is None:
            return Pull(
                {**self._still, "_t0": t}, {g.number: "the machine cannot be evaluated here" for g in self.grips}
            )
        W, a0, _ = found
        n, dim = len(self.grips), self.dim
        B = self.directions()
        free = self.free_mobility(y)
        D, told = inverse(B.T @ W @ B, free), {}
        D = B @ D @ B.T
        w, z = FREQUENCY, RATIO
        r, r1, r2 = (np.concatenate(part) for part in zip(*(g.target for g in self.grips), strict=True))
        shift = np.concatenate([np.full(dim, t - grip.t0) for grip in self.grips])
        r, r1 = r + r1 * shift + 0.5 * r2 * shift**2, r1 + r2 * shift
        p, v = self.points(y)
        self._from_here(r, r1, r2, p)
        reach = REACH * self.model.size
        for k, grip in enumerate(self.grips):
            own = slice(k * dim, (k + 1) * dim)
            far = float(np.linalg.norm(r[own] - p[own]))
            if far > reach:
                if not grip.turned_from:
                    told[grip.number] = f"the hand is far from {grip.port}: it pulls as if it were {reach:.3g} m away"
                r[own] = p[own] + (r[own] - p[own]) * (reach / far)
        c = (w**2 * r + 2 * z * w * r1 + r2 - a0, w**2 * r1 + 2 * z * w * r2, 0.5 * w**2 * r2)
        g = [D @ part for part in c]
        F = g[0] - D @ (w**2 * p + 2 * z * w * v)
        scale = np.full(n, weakened)
        for k, grip in enumerate(self.grips):
            own = slice(k * dim, (k + 1) * dim)
            size = float(np.linalg.norm(F[own]))
            if np.trace(W[own, own]) <= LOCKED * free:
                told[grip.number] = f"{grip.port} cannot move: joints and motions hold it; the hand pulls in vain"
                scale[k] = 0.0
            elif size > self.strongest:
                how = f"turns with no more than {self.strongest * grip.scale:.3g} N m"
                how = how if grip.turned_from else f"pulls with no more than {self.strongest:.3g} N"
                told[grip.number] = f"the hand at {grip.port} {how}"
                scale[k] *= self.strongest / size
        numbers, strength = {"_t0": t}, np.repeat(scale, dim)
        for k, part in enumerate(g):
            numbers |= {
                f"_g{k}_{a.number}{i}": float(x) for (a, i), x in zip(self._all(), strength * part, strict=True)
            }
        for (a, i), row in zip(self._all(), strength[:, None] * D, strict=True):
            pairs = zip(self._all(), row, strict=True)
            numbers |= {f"_s_{a.number}{i}_{b.number}{j}": float(x) for (b, j), x in pairs}
        return Pull(numbers, told)

    def _from_here(self, r: Array, r1: Array, r2: Array, p: Array) -> None:
        """Of hands that turn, in place: p as the formula has it, and the aim as what is left of the turn from there.

        Rotation vectors from another attitude do not add, and their rates are no spins: the aim is taken at three
        times, as attitudes.
        """
        for k, grip in enumerate(self.grips):
            if not grip.turned_from:
                continue
            own, scale = slice(3 * k, 3 * k + 3), grip.scale
            here = p[own].copy()
            before, now, after = (
                left_of(r[own] + s * r1[own] + 0.5 * s**2 * r2[own], here, scale) for s in (-SHORT, 0.0, SHORT)
            )
            p[own] = [scale * float(self.session[f"{grip.name}.turn{c}"]) for c in LETTERS]
            r[own] = p[own] + now
            r1[own] = (after - before) / (2 * SHORT)
            r2[own] = (after - 2 * now + before) / SHORT**2

    def gap(self, target: Array, p: Array) -> Array:
        """From where hands are to where they shall be."""
        found = target - p
        for k, grip in enumerate(self.grips):
            if grip.turned_from:
                own = slice(3 * k, 3 * k + 3)
                found[own] = left_of(target[own], p[own], grip.scale)
        return found

    def _all(self) -> list[tuple[Grip, int]]:
        return [(grip, i) for grip in self.grips for i in range(self.dim)]

    def directions(self) -> Array:
        """Orthonormal columns: in which directions the hands pull."""
        blocks = [np.array(grip.directions).T.reshape(self.dim, -1) for grip in self.grips]
        B = np.zeros((self.dim * len(blocks), sum(block.shape[1] for block in blocks)))
        column = 0
        for k, block in enumerate(blocks):
            B[k * self.dim : (k + 1) * self.dim, column : column + block.shape[1]] = block
            column += block.shape[1]
        return B

    def retract(self, y: Array, delta: Array) -> Array:
        return self._pose.retract(y, delta)

    def close(self, t: float, y: Array) -> bool:
        """Close the joints of y in place."""
        status = self._pose.project(t, y)
        return status == returned.OK and bool(np.all(np.isfinite(y)))


def inverse(W: Array, free: float) -> Array:
    """Of a mobility, with directions that are blocked left alone."""
    values, vectors = np.linalg.eigh(W)
    eps = free / SOFT
    return np.asarray((vectors * (values / (values**2 + eps**2))) @ vectors.T)


def left_of(r: Array, p: Array, scale: float) -> Array:
    """The rotation vector that leads from one turn to another, all times a length."""
    return np.asarray(scale * rotation_vector(rotation_of(r / scale) @ rotation_of(p / scale).T))


def _cross(r: Array) -> Array:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def directions(dim: int, plane: Sequence[float] | None, line: Sequence[float] | None) -> tuple[tuple[float, ...], ...]:
    """Unit vectors along which a hand pulls: all, across the normal of a plane, or along a line. Raises ValueError."""
    if plane is None and line is None:
        return tuple(map(tuple, np.eye(dim).tolist()))
    given = np.asarray(plane if line is None else line, dtype=float)
    if (plane is not None and line is not None) or given.shape != (dim,) or not np.all(np.isfinite(given)):
        raise ValueError(f"expected {dim} numbers: the direction of a line, or the normal of a plane, not both")
    size = float(np.linalg.norm(given))
    if not size > 0:
        raise ValueError("a direction of length zero says nothing")
    unit = given / size
    if line is not None:
        return (tuple(unit.tolist()),)
    rest = np.linalg.svd(unit[None])[2][1:]
    return tuple(map(tuple, rest.tolist()))


__all__ = ["Grip", "Hold", "Pull", "directions", "inverse", "with_hands"]
