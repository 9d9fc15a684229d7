"""A mechanism at rest in plain numpy: closure equations, potential and masses of bodies by position and turn.

Written from the meaning of joints and forces, with nothing of the program but the blueprint. Coordinates are the shift
of each body's origin and its turn from a given pose: a number in the plane, in space a rotation vector in fixed axes.
Everything is holomorphic, so that gradients come by complex steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

STEP = 1e-30  # of complex steps
APART = 1e-3  # of differences of gradients, m and rad: sixth order, so 1e-18 of truncation against 1e-13 of rounding
WEIGHTS = ((-3, -1 / 60), (-2, 3 / 20), (-1, -3 / 4), (1, 3 / 4), (2, -3 / 20), (3, 1 / 60))


class PlainModel:
    """About the pose of a Solution's sample."""

    def __init__(self, solution: Any, sample: int = 0) -> None:
        self.blueprint = blueprint = solution.blueprint
        self.dim = dim = blueprint.dim
        self.size = 3 if dim == 2 else 6
        self.origins, self.frames = {}, {}
        for body in blueprint.bodies:
            value = lambda name, body=body: float(solution[f"{body.name}.{name}"][sample])  # noqa: E731
            self.origins[body.name] = np.array([value(k) for k in "xyz"[:dim]])
            if dim == 2:
                self.frames[body.name] = _turn(np.array([value("angle")]))
            else:
                w, x, y, z = (value(f"q{k}") for k in "wxyz")
                self.frames[body.name] = np.array([
                    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
                ])  # fmt: skip
        self.number = {body.name: k for k, body in enumerate(blueprint.bodies)}
        self.n = self.size * len(blueprint.bodies)

    def place(self, q: Array, body: str) -> tuple[Array, Array]:
        """Origin and axes of a body."""
        if body == "ground":
            return np.zeros(self.dim), np.eye(self.dim)
        own = q[self.size * self.number[body] :][: self.size]
        return self.origins[body] + own[: self.dim], _turn(own[self.dim :]) @ self.frames[body]

    def port(self, q: Array, name: Any) -> tuple[Array, Array]:
        """Place and axes (columns) of a port."""
        origin, R = self.place(q, name.body)
        port = self.blueprint.port(name)
        return origin + R @ np.array(port.at), R @ _axes(port, self.dim)

    # Closure ----------------------------------------------------------------------------------------------------------

    def residual(self, q: Array) -> Array:
        rows: list[Any] = []
        for joint in self.blueprint.joints:
            (M, A), (N, B) = self.port(q, joint.first), self.port(q, joint.second)
            rows += _rows(joint, M, A, N, B)
        return np.array(rows)

    def jacobian(self, q: Array) -> Array:
        columns = []
        for k in range(self.n):
            shifted = q.astype(complex)
            shifted[k] += 1j * STEP
            columns.append(self.residual(shifted).imag / STEP)
        rows = self.residual(q).size
        return np.array(columns).T.reshape(rows, self.n)

    # Forces -----------------------------------------------------------------------------------------------------------

    def potential(self, q: Array) -> Any:
        """Of gravity, springs and forces that do not change."""
        whole: Any = 0.0
        for body in self.blueprint.bodies:
            origin, R = self.place(q, body.name)
            whole = whole - body.mass * np.dot(self.blueprint.gravity, origin + R @ np.array(body.centre))
        for force in self.blueprint.forces:
            if hasattr(force, "stiffness"):
                whole = whole + 0.5 * force.stiffness * (self._length(q, force) - force.length) ** 2
            else:
                whole = whole - np.dot(force.vector, self.port(q, force.on)[0])
        return whole

    def _length(self, q: Array, spring: Any) -> Any:
        apart = self.port(q, spring.second)[0] - self.port(q, spring.first)[0]
        return np.sqrt(np.sum(apart * apart))

    def gradient(self, function: Any, q: Array, along: Array | None = None) -> Array:
        """Of a function of q, in each coordinate or along the columns of a matrix."""
        found = []
        for direction in (np.eye(self.n) if along is None else along).T:
            found.append(function(q + 1j * STEP * direction).imag / STEP)
        return np.array(found)

    def stiffness(self, multipliers: Array, basis: Array) -> Array:
        """Second derivatives of potential plus multipliers times closure along a basis, where q is zero."""

        def function(q: Array) -> Any:
            return self.potential(q) + np.dot(multipliers, self.residual(q))

        rows = []
        for direction in basis.T:
            there = [(weight, step * APART * direction) for step, weight in WEIGHTS]
            rows.append(sum(weight * self.gradient(function, q, basis) for weight, q in there) / APART)
        found = np.array(rows).reshape(basis.shape[1], basis.shape[1])
        return 0.5 * (found + found.T)

    def damping(self) -> Array:
        found, zero = np.zeros((self.n, self.n)), np.zeros(self.n)
        for force in self.blueprint.forces:
            if getattr(force, "damping", 0.0):
                along = self.gradient(lambda q, force=force: self._length(q, force), zero)
                found += force.damping * np.outer(along, along)
        return found

    def mass(self) -> Array:
        """By the virtual displacement of the mass centre and the turn, in fixed axes, where q is zero."""
        found = np.zeros((self.n, self.n))
        for body in self.blueprint.bodies:
            R, at = self.frames[body.name], self.size * self.number[body.name]
            arm = R @ np.array(body.centre)
            if self.dim == 2:
                moved = np.array([[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]])
                turned, inertia = np.array([[0.0, 0.0, 1.0]]), np.array([[float(body.inertia)]])
            else:
                across = np.array([[0, arm[2], -arm[1]], [-arm[2], 0, arm[0]], [arm[1], -arm[0], 0]])
                moved, turned = np.hstack([np.eye(3), across]), np.hstack([np.zeros((3, 3)), np.eye(3)])
                xx, yy, zz, xy, xz, yz = (*body.inertia, 0.0, 0.0, 0.0)[:6]
                inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
            own = slice(at, at + self.size)
            found[own, own] = body.mass * moved.T @ moved + turned.T @ inertia @ turned
        return found


def _rows(joint: Any, M: Array, A: Array, N: Array, B: Array) -> list[Any]:
    """The equations of a joint, from its name: which points coincide and which axes stay square to each other."""
    apart, kind, planar = N - M, joint.type, len(M) == 2
    x, y, z = A[:, 0], A[:, 1], A[:, -1]
    if kind == "distance":
        return [(np.dot(apart, apart) - joint.length**2) / (2 * joint.length)]
    if planar:
        square = np.dot(B[:, 0], y)
        table = {"revolute": list(apart), "prismatic": [np.dot(apart, y), square], "weld": [*apart, square]}
        return table[kind] if kind in table else [np.dot(apart, y)]  # point-on-line
    along = [np.dot(B[:, 0], z), np.dot(B[:, 1], z)]
    aside = [np.dot(apart, x), np.dot(apart, y)]
    turn = np.dot(B[:, 1], x)
    return {
        "spherical": list(apart),
        "revolute": [*apart, *along],
        "universal": [*apart, np.dot(B[:, 2], z)],
        "cylindrical": [*along, *aside],
        "prismatic": [*along, *aside, turn],
        "planar": [*along, np.dot(apart, z)],
        "weld": [*apart, *along, turn],
        "point-in-plane": [np.dot(apart, z)],
        "point-on-line": aside,
    }[kind]


def _axes(port: Any, dim: int) -> Array:
    x = np.array(port.x if port.x is not None else np.eye(dim)[0])
    if dim == 2:
        return np.array([[x[0], -x[1]], [x[1], x[0]]])
    z = np.array(port.z if port.z is not None else np.eye(3)[2])
    return np.stack([x, np.cross(z, x), z], axis=1)


def _turn(turn: Array) -> Array:
    """The matrix of an angle, or of a rotation vector by its series, which complex numbers may go through."""
    if turn.size == 1:
        c, s = np.cos(turn[0]), np.sin(turn[0])
        return np.array([[c, -s], [s, c]])
    a, b, c = turn
    K = np.array([[0 * a, -c, b], [c, 0 * a, -a], [-b, a, 0 * a]])
    squared = a * a + b * b + c * c
    sine, cosine = 1.0 - squared / 6 + squared**2 / 120, 0.5 - squared / 24 + squared**2 / 720  # turns of 3e-3 at most
    found: Array = np.eye(3) + sine * K + cosine * (K @ K)
    return found
