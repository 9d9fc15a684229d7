"""Coordinate sets as formulas: where every body is and how it moves, its mass block, bias and own rows.

One function a set, named in SETS; joint coordinates are in `chain_formulas.py`. Written from the definitions of the
sets (docs/coordinates.md), not from their kernels, which they are checked against.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..choices.coordinates import Angle, Coordinates, Euler, EulerParameters, Natural, Points, Quaternion
from ..equations.formula import Formula, number
from ..mechanism.errors import ChoiceError
from .moving_bodies import Columns, Givens, Moved, Moving, OwnRow, RateMotion, RigidMotion, own_row, q_of, v_of
from .space import (
    NOTHING,
    UNITS,
    Mat,
    Vec,
    add,
    apply_matrix,
    column,
    cross,
    dot,
    multiply,
    rotation,
    rotation_of_parameters,
    scale,
    transposed,
)
from .symbolic_rates import ONE, ZERO, minus, negative, plus, times

Entries = dict[tuple[int, int], Formula]


@dataclass(frozen=True)
class SetFormulas:
    """All bodies in one set: `M` and `bias` by column, `rates` of q, rows of its own, `centred` local vectors."""

    bodies: dict[str, Moving]
    M: Entries
    bias: dict[int, Formula]
    rates: tuple[Formula, ...]
    own: tuple[OwnRow, ...]
    centred: bool  # body vectors count from the mass centre, not from the origin
    angles: dict[
        str, Formula
    ]  # of bodies in the plane and of joints, whole turns included, where coordinates have them


@dataclass(frozen=True)
class BodyNumbers:
    """Mass properties as constants with names: inertia about the mass centre in body axes, centre from the origin."""

    name: str
    mass: Formula
    inertia: Mat
    centre: Vec

    @staticmethod
    def of(name: str, data: Any, dim: int, given: Givens) -> BodyNumbers:
        mass = given(f"{name}.mass", data.mass)
        centre = given.vector(f"{name}.centre", data.centre)
        if dim == 2:
            return BodyNumbers(
                name, mass, ((ZERO,) * 3, (ZERO,) * 3, (ZERO, ZERO, given(f"{name}.inertia", data.inertia))), centre
            )
        I = np.asarray(data.inertia)
        rows = [
            [given(f"{name}.I{a}{b}", I[min(i, j), max(i, j)]) for j, b in enumerate("xyz")]
            for i, a in enumerate("xyz")
        ]
        for i in range(3):
            for j in range(i):
                rows[i][j] = rows[j][i]
        return BodyNumbers(name, mass, tuple(map(tuple, rows)), centre)


def in_fixed_axes(R: Mat, inertia: Mat, x: Vec) -> Vec:
    """R I R^T x."""
    return apply_matrix(R, apply_matrix(inertia, apply_matrix(transposed(R), x)))


def newton_euler(bodies: Sequence[tuple[BodyNumbers, Moving, Vec]]) -> tuple[Entries, dict[int, Formula]]:
    """M and bias of bodies, from the columns of mass centre and spin (Jourdain's principle):

    M_kl = sum m B_k.B_l + S_k.I S_l,   bias_k = -sum m B_k.X''0 + S_k.(I w0 + w x I w)
    """
    M: Entries = {}
    bias: dict[int, Formula] = {}
    for body, motion, centre in bodies:
        G, spin, R = motion.vector(centre, True), motion.spin, motion.frame
        turned = {n: in_fixed_axes(R, body.inertia, S) for n, S in spin.B.items()}
        momentum = in_fixed_axes(R, body.inertia, spin.X)
        couple = add(in_fixed_axes(R, body.inertia, spin.A), cross(spin.X, momentum))
        columns = sorted({*G.B, *spin.B})
        for k in columns:
            push, twist = G.B.get(k, NOTHING), spin.B.get(k, NOTHING)
            load = plus(times(body.mass, dot(push, G.A)), dot(twist, couple))
            bias[k] = minus(bias.get(k, ZERO), load)
            for l in columns:
                if l > k:
                    continue
                entry = plus(times(body.mass, dot(push, G.B.get(l, NOTHING))), dot(twist, turned.get(l, NOTHING)))
                M[k, l] = plus(M.get((k, l), ZERO), entry)
                M[l, k] = M[k, l]
    return M, bias


# Sets of one body after another ----------------------------------------------------------------------------------


def _origin(first: int, v: int, dim: int) -> Moved:
    """A point whose coordinates and velocities stand in q and v."""
    X = tuple(q_of(first + k) if k < dim else ZERO for k in range(3))
    V = tuple(v_of(v + k) if k < dim else ZERO for k in range(3))
    return Moved(X, V, NOTHING, {v + k: UNITS[k] for k in range(dim)})


def _angle(s: Coordinates, k: int, body: BodyNumbers) -> tuple[Moving, list[Formula]]:
    o = 3 * k
    w = Moved((ZERO, ZERO, v_of(o + 2)), B={o + 2: UNITS[2]})
    return RigidMotion(_origin(o, o, 2), rotation(2, q_of(o + 2)), w), [v_of(o + n) for n in range(3)]


def _quaternion(s: Coordinates, k: int, body: BodyNumbers) -> tuple[Moving, list[Formula]]:
    o, v = 7 * k, 6 * k
    w = tuple(v_of(v + 3 + n) for n in range(3))
    p = tuple(q_of(o + 3 + n) for n in range(4))
    motion = RigidMotion(
        _origin(o, v, 3), rotation_of_parameters(p), Moved(w, B={v + 3 + n: UNITS[n] for n in range(3)})
    )
    return motion, [*(v_of(v + n) for n in range(3)), *turning(p, w)]


def turning(p: Vec, w: Vec) -> list[Formula]:
    """p' of a quaternion whose body has spin w, in the axes that it turns from: w p / 2."""
    half = number(0.5)
    p0, u = p[0], p[1:]
    rates = [negative(dot(w, u)), *add(scale(p0, w), cross(w, u))]
    return [times(half, r) for r in rates]


def _euler(s: Coordinates, k: int, body: BodyNumbers) -> tuple[Moving, list[Formula]]:
    """R = R_i R_j R_k; the spin is the sum of rates about the three axes, each turned by those before it."""
    assert isinstance(s, Euler)
    o, v = 7 * k, 6 * k
    R: Mat = UNITS
    w, bias, columns = NOTHING, NOTHING, {}
    for n, letter in enumerate(s.sequence):
        axis = "xyz".index(letter)
        a, rate = column(R, axis), v_of(v + 3 + n)
        bias = add(bias, scale(rate, cross(w, a)))
        w = add(w, scale(rate, a))
        columns[v + 3 + n] = a
        R = multiply(R, rotation(axis, q_of(o + 3 + n)))
    rates = [v_of(v + n) for n in range(6)]
    return RigidMotion(_origin(o, v, 3), R, Moved(w, A=bias, B=columns)), [*rates, ZERO]


def _euler_parameters(s: Coordinates, k: int, body: BodyNumbers) -> tuple[Moving, list[Formula]]:
    o = s.nv * k
    p, d = _parameters(s, k)
    R = rotation_of_parameters(p)
    if s.dim == 2:  # p1, p2 of space are zero; the turn is about z
        spin = times(number(2.0), minus(p[0] * d[3], p[3] * d[0]))
        columns: Columns = {
            o + 2: (ZERO, ZERO, times(number(-2.0), p[3])),
            o + 3: (ZERO, ZERO, times(number(2.0), p[0])),
        }
        w = Moved((ZERO, ZERO, spin), B=columns)
    else:
        E = transposed(_gyration(p, -1.0))
        columns = {o + 3 + n: scale(number(2.0), E[n]) for n in range(4)}
        w = Moved(add(*(scale(d[n], columns[o + 3 + n]) for n in range(4))), B=columns)
    dim = s.dim

    def place(local: Vec, point: bool) -> Vec:
        arm = apply_matrix(R, local)
        return add(tuple(q_of(o + n) if n < dim else ZERO for n in range(3)), arm) if point else arm

    return RateMotion(place, R, w, o, s.nv), [v_of(o + n) for n in range(s.nv)]


def _parameters(s: Coordinates, k: int) -> tuple[Vec, Vec]:
    """Four parameters of a body and their rates; in the plane two of them are zero."""
    o = s.nv * k + s.dim
    if s.dim == 2:
        return (q_of(o), ZERO, ZERO, q_of(o + 1)), (v_of(o), ZERO, ZERO, v_of(o + 1))
    return tuple(q_of(o + n) for n in range(4)), tuple(v_of(o + n) for n in range(4))


def _gyration(p: Vec, sign: float) -> Mat:
    """G(p) (sign 1: spin 2 G p' in body axes) or E(p) (sign -1: 2 E p' in fixed axes), 3 x 4."""
    p0, p1, p2, p3 = p
    s = number(sign)
    return (
        (negative(p1), p0, times(s, p3), negative(times(s, p2))),
        (negative(p2), negative(times(s, p3)), p0, times(s, p1)),
        (negative(p3), times(s, p2), negative(times(s, p1)), p0),
    )


def _parameter_masses(s: Coordinates, bodies: Sequence[BodyNumbers]) -> tuple[Entries, dict[int, Formula]]:
    """M_pp = 4 G^T I G, bias -8 G'^T I G p'; of the plane what remains of them."""
    M: Entries = {}
    bias: dict[int, Formula] = {}
    for k, body in enumerate(bodies):
        o = s.nv * k
        for n in range(s.dim):
            M[o + n, o + n] = body.mass
        p, d = _parameters(s, k)
        G, rate = transposed(_gyration(p, 1.0)), transposed(_gyration(d, 1.0))
        places = {n: o + s.dim + n for n in range(4)} if s.dim == 3 else {0: o + 2, 3: o + 3}
        momentum = apply_matrix(body.inertia, add(*(scale(d[n], G[n]) for n in range(4))))
        for n, a in places.items():
            bias[a] = times(number(-8.0), dot(rate[n], momentum))
            for m, b in places.items():
                M[a, b] = times(number(4.0), dot(G[n], apply_matrix(body.inertia, G[m])))
    return M, bias


def _parameter_rows(s: Coordinates, bodies: Sequence[BodyNumbers]) -> list[OwnRow]:
    found = []
    for k, body in enumerate(bodies):
        p, _ = _parameters(s, k)
        found.append(own_row(body.name, s.intrinsic[0], minus(dot(p, p), ONE), s.nv * k, s.nv))
    return found


# Linear sets -----------------------------------------------------------------------------------------------------


def _natural(s: Coordinates, k: int, body: BodyNumbers) -> tuple[Moving, list[Formula]]:
    """X = R + sum l_c u_c."""
    o, dim = s.nv * k, s.dim
    axes = _axes(s, k)
    frame = transposed(tuple(axes) if dim == 3 else (*axes, UNITS[2]))
    columns: dict[int, Vec] = {}
    half = number(0.5)
    for a, u in enumerate(axes):  # spin: half the sum of u x u'
        for c in range(dim):
            columns[o + dim * (1 + a) + c] = scale(half, cross(u, UNITS[c]))
    w = add(*(scale(v_of(n), S) for n, S in columns.items()))

    def place(local: Vec, point: bool) -> Vec:
        origin = tuple(q_of(o + n) if n < dim else ZERO for n in range(3))
        parts = [scale(local[a], u) for a, u in enumerate(axes)]
        return add(origin, *parts) if point else add(*parts)

    return RateMotion(place, frame, Moved(w, B=columns), o, s.nv), [v_of(o + n) for n in range(s.nv)]


def _axes(s: Coordinates, k: int) -> list[Vec]:
    o, dim = s.nv * k, s.dim
    return [tuple(q_of(o + dim * (1 + a) + c) if c < dim else ZERO for c in range(3)) for a in range(dim)]


def _natural_rows(s: Coordinates, bodies: Sequence[BodyNumbers]) -> list[OwnRow]:
    found = []
    pairs = [(a, b) for a in range(s.dim) for b in range(a, s.dim)]
    for k, body in enumerate(bodies):
        axes = _axes(s, k)
        for (a, b), meaning in zip(pairs, s.intrinsic, strict=True):
            C = minus(dot(axes[a], axes[b]), ONE if a == b else ZERO)
            found.append(own_row(body.name, meaning, C, s.nv * k, s.nv))
    return found


def _points(s: Coordinates, k: int, body: BodyNumbers, B: Callable[[Vec, bool], Any], length: Formula) -> Any:
    o = 4 * k
    d = (minus(q_of(o + 2), q_of(o)), minus(q_of(o + 3), q_of(o + 1)), ZERO)
    square = length * length
    turn = {o: d[1], o + 1: negative(d[0]), o + 2: negative(d[1]), o + 3: d[0]}
    columns: Columns = {n: (ZERO, ZERO, f / square) for n, f in turn.items()}
    w = plus(*(times(v_of(n), S[2]) for n, S in columns.items()))

    def place(local: Vec, point: bool) -> Vec:
        rows = B(local, point)
        return (*(dot(row, [q_of(o + n) for n in range(4)]) for row in rows), ZERO)

    x = place(UNITS[0], False)
    frame = transposed((x, (negative(x[1]), x[0], ZERO), UNITS[2]))
    motion = RateMotion(place, frame, Moved((ZERO, ZERO, w), B=columns), o, 4)
    C = minus(dot(d, d), square) / (number(2.0) * length)
    return motion, own_row(body.name, s.intrinsic[0], C, o, 4)


def _points_all(s: Coordinates, bodies: Sequence[BodyNumbers], data: Sequence[Any], given: Givens) -> SetFormulas:
    """X = P_1 + a d + b d_perp; a, b are the components of the vector along and across the bar."""
    found: dict[str, Moving] = {}
    M: Entries = {}
    own = []
    for k, (body, one) in enumerate(zip(bodies, data, strict=True)):
        p1, p2 = s.own_points(one)  # type: ignore[attr-defined]
        d = p2 - p1
        length = given(f"{body.name}.length", float(np.linalg.norm(d)))

        def rows(local: Vec, point: bool, p1: Any = p1, d: Any = d, name: str = body.name) -> Any:
            l = np.array([given.values[c.key[1]] if c.op == "leaf" else c.value for c in local[:2]])
            rel = l - (p1 if point else 0.0)
            a, b = rel @ d / (d @ d), (rel[1] * d[0] - rel[0] * d[1]) / (d @ d)
            one = 1.0 if point else 0.0
            return (tuple(map(number, (one - a, b, a, -b))), tuple(map(number, (-b, one - a, b, a))))

        found[body.name], row = _points(s, k, body, rows, length)
        own.append(row)
        G = np.array([[f.value for f in row] for row in rows(tuple(map(number, one.centre)), True)])
        turn = np.hstack([-np.eye(2), np.eye(2)])
        block = one.mass * G.T @ G + one.inertia / (d @ d) * turn.T @ turn
        for i in range(4):
            for j in range(4):
                M[4 * k + i, 4 * k + j] = given(f"{body.name}.M{min(i, j) + 1}{max(i, j) + 1}", block[i, j])
    rates = tuple(v_of(n) for n in range(4 * len(bodies)))
    return SetFormulas(found, M, {}, rates, tuple(own), False, {})


def _natural_masses(s: Coordinates, bodies: Sequence[BodyNumbers], data: Sequence[Any], given: Givens) -> Entries:
    """[[m, Jx ..], [Jx, Jxx ..]] times the unit matrix (Pappalardo and Guida 2018, eq. 55)."""
    M: Entries = {}
    dim, names = s.dim, "xyz"
    for k, (body, one) in enumerate(zip(bodies, data, strict=True)):
        c = np.asarray(one.centre)
        I = np.asarray(one.inertia)
        second = 0.5 * one.inertia * np.eye(2) if dim == 2 else 0.5 * np.trace(I) * np.eye(3) - I
        second = second + one.mass * np.outer(c, c)
        small: dict[tuple[int, int], Formula] = {(0, 0): body.mass}
        for a in range(dim):
            small[0, 1 + a] = small[1 + a, 0] = given(f"{body.name}.J{names[a]}", one.mass * c[a])
            for b in range(a, dim):
                small[1 + a, 1 + b] = given(f"{body.name}.J{names[a]}{names[b]}", second[a, b])
                small[1 + b, 1 + a] = small[1 + a, 1 + b]
        for (a, b), entry in small.items():
            for n in range(dim):
                M[s.nv * k + dim * a + n, s.nv * k + dim * b + n] = entry
    return M


def formulas_of(
    s: Coordinates, names: Sequence[str], data: Sequence[Any], given: Givens, sequences: Sequence[str] = ()
) -> SetFormulas:
    """All bodies of a mechanism in a set of coordinates of bodies; each may have a sequence of angles of its own."""
    bodies = [BodyNumbers.of(name, one, s.dim, given) for name, one in zip(names, data, strict=True)]
    if isinstance(s, Points):
        return _points_all(s, bodies, data, given)
    kind = next((kind for kind in _MOTIONS if isinstance(s, kind)), None)
    if kind is None:
        raise ChoiceError(f"coordinates '{s.name}' are not known to derive; it knows those of the list of coordinates")
    sets = [replace(s, sequence=own) for own in sequences] or [s] * len(bodies)  # type: ignore[call-arg]
    moved = [_MOTIONS[kind](one, k, body) for k, (one, body) in enumerate(zip(sets, bodies, strict=True))]
    motions = [motion for motion, _ in moved]
    rates = tuple(rate for _, rates in moved for rate in rates)
    own: list[OwnRow] = []
    bias: dict[int, Formula] = {}
    if isinstance(s, Natural):
        M, own = _natural_masses(s, bodies, data, given), _natural_rows(s, bodies)
    elif isinstance(s, EulerParameters):
        (M, bias), own = _parameter_masses(s, bodies), _parameter_rows(s, bodies)
    else:
        centres = [body.centre if s.from_origin else NOTHING for body in bodies]
        M, bias = newton_euler(list(zip(bodies, motions, centres, strict=True)))
    angles = {name: q_of(3 * k + 2) for k, name in enumerate(names)} if isinstance(s, Angle) else {}
    placed = dict(zip(names, motions, strict=True))
    return SetFormulas(placed, M, bias, rates, tuple(own), not s.from_origin, angles)


_MOTIONS: dict[type, Callable[[Any, int, BodyNumbers], tuple[Moving, list[Formula]]]] = {
    Angle: _angle,
    Quaternion: _quaternion,
    Euler: _euler,
    EulerParameters: _euler_parameters,
    Natural: _natural,
}
