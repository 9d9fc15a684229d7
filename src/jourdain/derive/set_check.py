"""The lines of coordinate sets as they are printed, evaluated at random states: mass block and bias of a body.

What stands in the lines is made here from its definition or asked of the kernel as the motion of bodies, never of the
formulas that are derived.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.matrices import Evaluator
from ..choices.coordinates import Coordinates, Euler, EulerParameters, Points
from ..engine.body_states import body_motion
from ..mechanism.parts import Blueprint
from .kernel_check import Checked, Comparison, random_states
from .line_values import Values, read
from .set_lines import set_lines

STATES = 5
STEP = 1e-30  # of complex steps


def check_set(s: Coordinates, blueprint: Blueprint) -> Checked:
    """On the first body of a mechanism whose bodies are loose, in joint coordinates on all."""
    e = Evaluator.drawn(blueprint, s)
    compare = Comparison()
    lines = [ink for ink, _ in set_lines(s)]
    for t, y in random_states(e, STATES):
        kernel = e.of(t, y)
        if s.joined:
            parts = [_values(e, s, y, k) for k in range(len(e.model.body_data))]
            for known in parts:
                read(lines, known)
            compare("the line of M", sum(known["M"] for known in parts), kernel.M)
            compare("the line of bias", sum(known["bias"] for known in parts), kernel.bias)
            continue
        known = _values(e, s, y, 0)
        for text, left, right in read(lines, known):
            compare(f"the line {text}", left, right)
        own = e.model.layout.moves_of[0]
        compare("the line of M_b", known["M_b"], kernel.M[own, own])
        compare("the line of bias_b", np.broadcast_to(known["bias_b"], kernel.bias[own].shape), kernel.bias[own])
    return Checked(STATES, compare.worst, compare.lines)


def _values(e: Evaluator, s: Coordinates, y: Any, k: int) -> Values:
    """Names of the lines for body k."""
    model, data, dim = e.model, e.model.body_data[k], s.dim
    at = model.layout
    c, m = np.asarray(data.centre, dtype=float), float(data.mass)
    I = float(data.inertia) if dim == 2 else np.asarray(data.inertia, dtype=float)
    P, V0, R, w = _motion(e, y, k)
    known: Values = {"m": m, "I": I, "1": np.eye(dim), "0": 0.0, "R": R, "ω": w, "Σ": 1.0}
    known |= {"P_b": P, "V'_b0": V0}
    if s.joined:
        spatial = np.zeros(6) if dim == 3 else np.zeros(3)
        M = np.diag([m] * dim + [1.0] * (len(spatial) - dim))
        M[dim:, dim:] = R @ I @ R.T if dim == 3 else I
        if dim == 3:
            spatial[3:] = -np.cross(w, R @ I @ R.T @ w)
        return known | {"M_b": M, "bias_b": spatial}
    q, v = y[at.q_of[k]], y[at.v][at.moves_of[k]]
    if isinstance(s, EulerParameters):
        return known | _of_parameters(q[dim:], v[dim:])
    if isinstance(s, Points):
        turn = np.hstack([-np.eye(2), np.eye(2)])
        p1, p2 = s.own_points(data)
        return known | {"G": P[:2], "T": turn, "L": float(np.linalg.norm(p2 - p1))}
    if isinstance(s, Euler):
        centre = c if s.from_origin else 0.0 * c
        return known | _of_angles(e.sequences[k], q[3:6], v[3:6], m, centre, I)
    second = (0.5 * I * np.eye(2) if dim == 2 else 0.5 * np.trace(I) * np.eye(3) - I) + m * np.outer(c, c)
    names = "xyz"[:dim]
    known |= {f"J_{a}": m * c[n] for n, a in enumerate(names)}
    return known | {f"J_{a}{b}": second[n, l] for n, a in enumerate(names) for l, b in enumerate(names)}


def _motion(e: Evaluator, y: Any, k: int) -> tuple[Any, Any, Any, Any]:
    """How velocities move mass centre and spin of a body, their rates at v' = 0, its axes and its spin."""
    model, at = e.model, e.model.layout
    n = model.nv
    states = np.repeat(y[None], n + 1, axis=0)
    states[1:, at.v] = np.eye(n)
    moved = body_motion(model, states, np.zeros((n + 1, n)))
    V, w, A, dw = (np.asarray(moved[part])[:, k] for part in (3, 4, 5, 6))
    P = np.hstack([V[1:], np.reshape(w[1:], (n, -1))]).T
    own = at.moves_of[k]
    columns = P if model.set.joined else P[:, own]
    return columns, np.concatenate([A[0], np.ravel(dw[0])]), np.asarray(moved[1])[0, k], np.ravel(w[0])


def _of_parameters(p: Any, rates: Any) -> Values:
    def gyration(x: Any) -> Any:
        if len(x) == 2:
            return np.array([[-x[1], x[0]]])
        a, b, c, d = x
        return np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])

    return {"p": p, "p'": rates, "G": gyration(p), "G'": gyration(rates)}


def _of_angles(sequence: Sequence[str], angles: Any, rates: Any, m: float, centre: Any, inertia: Any) -> Values:
    """A, Q of a sequence and their rates, by complex steps."""

    def frames(beta: Any) -> tuple[Any, Any]:
        A, Q = np.eye(3, dtype=complex), np.zeros((3, 3), dtype=complex)
        for n in (2, 1, 0):
            axis = "xyz".index(sequence[n])
            Q[:, n] = A.T @ np.eye(3)[axis]
            A = _turn(axis, beta[n]) @ A
        return A, Q

    ahead = frames(angles + 1j * STEP * rates)
    (A, Q), (dA, dQ) = (tuple(x.real for x in ahead), tuple(x.imag / STEP for x in ahead))
    skewed = _skew(m * centre)
    J = inertia + m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    known = {"A": A, "A'": dA, "Q": Q, "Q'": dQ, "S": skewed, "J_O": J, "β'": rates}
    return known | {"W": _skew(Q @ rates)}


def _turn(axis: int, angle: complex) -> Any:
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3, dtype=complex)
    R[j, j] = R[k, k] = np.cos(angle)
    R[k, j], R[j, k] = np.sin(angle), -np.sin(angle)
    return R


def _skew(x: Any) -> Any:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
