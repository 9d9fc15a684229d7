"""Eigenvalues of a linearised mechanism: which are zero, which are one (critical damping), and their eigenvectors.

An undamped mechanism at rest is a symmetric problem K x = w^2 M x, whose zeros stay zeros to rounding. Otherwise the
eigenvalues of A are taken; there a free body has a double zero with one eigenvector, which rounding tears apart by the
square root of its size, so zeros are counted by ranks instead: x with A x = 0, then those with A x among them.

Pairs come by the size of the eigenvalue, what grows first, then in declared order of the bodies that move. Eigenvalues
nearer than a tolerance are one, and their vectors, which may be mixed at will, are taken apart by declared order too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import numpy.typing as npt

from ...mechanism.ties import tied, turned

Array = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]

ZERO = 1e-11  # of the largest singular value of balanced A, or of the largest w^2
UNDAMPED = 1e-10  # of sqrt(A21): less dependence on rates is none
SYMMETRIC = 1e-7  # of the largest entry of K
MOST_SCALE = 1e12  # between units of states
LIGHT = 1e-9  # of the largest mass: less is none
DOUBLE = 1e-6  # of an eigenvalue: rounding tears a double one apart by less
SAME = 1e-8  # of an eigenvalue: nearer ones are equal, and so are those that the error of A may have made unlike
APART = 1e-4  # of the largest: vectors of equal eigenvalues that are nearer to dependent are not turned


@dataclass(frozen=True)
class EigenPair:
    """An eigenvalue with non-negative imaginary part, its vector, and how it counts."""

    value: complex
    vector: Complex  # of the states
    zeros: int = 0  # 2 for a free motion, 1 for a rest anywhere, 0 for all that are not zero
    double: bool = False  # two real eigenvalues in one: critical damping


def eigenpairs(
    A: Array, mass: Array, freedoms: tuple[int, int], error: float, velocity_error: float, scale: float, seen: Array
) -> list[EigenPair]:
    """Eigenvalues, conjugate ones once, smallest first; a stiffness of the rounding of `scale` (1/s^2) is none.

    `seen` (displacements in declared order, states) tells who moves.
    """
    if len(A) == 0:
        return []
    fq, fv = freedoms
    if fq == fv and len(A) == fq + fv:
        stiffness, damping = -A[fq:, :fq], A[fq:, fq:]
        rate = float(np.sqrt(np.max(np.abs(stiffness), initial=0.0)))
        K = mass @ stiffness
        skew = float(np.max(np.abs(K - K.T), initial=0.0))
        undamped = np.max(np.abs(damping)) <= UNDAMPED * rate + 10.0 * velocity_error
        # A slender rod may turn about its axis, where it has no mass at all.
        heavy = fq > 0 and np.linalg.eigvalsh(mass)[0] > LIGHT * np.max(np.abs(mass))
        if undamped and heavy and skew <= SYMMETRIC * np.max(np.abs(K)):
            return _undamped(0.5 * (K + K.T), mass, error, scale, seen[:, :fq])
    pairs = _general(A, _scales(A, fq, fv), max(ZERO, 100.0 * error))
    return _ordered(pairs, np.vstack([seen, np.eye(len(A))[fq + fv :]]), error)


def _undamped(K: Array, mass: Array, error: float, scale: float, seen: Array) -> list[EigenPair]:
    from scipy.linalg import eigh

    squares, X = eigh(K, mass)
    largest = float(np.max(np.abs(squares)))
    small = max(max(ZERO, 10.0 * error) * largest, ZERO * scale)
    squares = np.where(np.abs(squares) <= small, 0.0, squares)
    pairs = []
    for group in tied(range(len(squares)), lambda k: squares[k], 2.0 * SAME, 10.0 * error * largest):
        square = float(np.mean(squares[group])) if np.all(squares[group]) else 0.0
        root = np.sqrt(complex(square))
        values = [0j] if square == 0 else [1j * root] if square > 0 else [root * -1j, root * 1j]
        vectors = X[:, group] @ turned(seen @ X[:, group])
        pairs += [EigenPair(s, np.concatenate([x, s * x]), 0 if s else 2) for s in values for x in vectors.T]
    return [pair for equal in _equal(pairs, 0.0) for pair in equal]


def _equal(pairs: list[EigenPair], floor: float) -> Iterator[list[EigenPair]]:
    """Pairs by size, then growth, those that are equal in both together."""
    for size in tied(pairs, lambda pair: abs(pair.value), SAME, floor):
        yield from tied(size, lambda pair: -pair.value.real, 0.0, max(floor, SAME * abs(size[0].value)))


def _ordered(pairs: list[EigenPair], seen: Array, error: float) -> list[EigenPair]:
    """By size, then growth; of pairs that are equal in both the vectors are turned to declared order."""
    found: list[EigenPair] = []
    for equal in _equal(pairs, 10.0 * error * max((abs(pair.value) for pair in pairs), default=0.0)):
        # What counts otherwise is another motion: zeros of two kinds, critical damping.
        for _, kind in groupby(equal, lambda pair: (pair.zeros, pair.double)):
            found += _turned(list(kind), seen)
    return found


def _turned(pairs: list[EigenPair], seen: Array) -> list[EigenPair]:
    """Pairs of one eigenvalue, their vectors orthogonal as displacements."""
    vectors = np.array([pair.vector for pair in pairs]).T
    Q, R = np.linalg.qr(seen @ vectors)
    sizes = np.abs(np.diag(R))
    if len(pairs) == 1 or len(sizes) < len(pairs) or np.min(sizes) < APART * np.max(sizes):
        return pairs
    value = complex(np.mean([pair.value for pair in pairs]))
    vectors = vectors @ np.linalg.solve(R, turned(Q))
    return [replace(pair, value=value, vector=x) for pair, x in zip(pairs, vectors.T, strict=True)]


def _scales(A: Array, fq: int, fv: int) -> Array:
    """Units of the states in which A is balanced: one for all rates, and what suits each state of an element.

    Balancing all of A would hide a free motion, whose rate drives its position and nothing else.
    """
    from scipy.linalg import matrix_balance

    mechanical = A[fq : fq + fv, : fq + fv]
    rate = max(
        float(np.sqrt(np.max(np.abs(mechanical[:, :fq]), initial=0.0))),
        float(np.max(np.abs(mechanical[:, fq:]), initial=0.0)),
    )
    scales = np.ones(len(A))
    scales[fq : fq + fv] = rate or 1.0
    if len(A) > fq + fv:
        _, (units, _) = matrix_balance(A * scales / scales[:, None], permute=False, separate=True)
        relative = units / np.exp(np.mean(np.log(units[: fq + fv]))) if fq + fv else units
        scales[fq + fv :] = np.clip(relative[fq + fv :], 1 / MOST_SCALE, MOST_SCALE)
    return scales


def _general(A: Array, scales: Array, tolerance: float) -> list[EigenPair]:
    balanced, scaling = A * scales / scales[:, None], np.diag(scales)
    values, vectors = np.linalg.eig(balanced)
    Z, chains, zeros = _null(balanced, tolerance)
    order = np.argsort(np.abs(values))
    pairs = [EigenPair(0.0, (scaling @ z).astype(complex), zeros=2 if k < chains else 1) for k, z in enumerate(Z.T)]
    rest = [int(k) for k in order[zeros:]]
    taken: set[int] = set()
    for k in rest:
        value, vector = complex(values[k]), scaling @ vectors[:, k]
        if k in taken:
            continue
        twin = _twin(values, vectors, k, [j for j in rest if j != k and j not in taken])
        if twin is not None:
            taken.add(twin)
            mean = 0.5 * complex(values[k] + values[twin]).real
            pairs.append(EigenPair(complex(mean), scaling @ vectors[:, k].real.astype(complex), double=True))
        elif abs(value.imag) <= 1e-14 * abs(value):
            pairs.append(EigenPair(complex(value.real), vector.astype(complex)))
        elif value.imag > 0:
            pairs.append(EigenPair(value, vector))
    return pairs


def _twin(values: Complex, vectors: Complex, k: int, others: list[int]) -> int | None:
    """Another eigenvalue that is the same real one with the same vector, torn apart by rounding."""
    value = values[k]
    if abs(value.imag) > DOUBLE * abs(value):
        return None
    for j in others:
        near = abs(values[j] - value) <= DOUBLE * abs(value)
        if near and abs(np.vdot(vectors[:, j], vectors[:, k])) > 1.0 - DOUBLE:
            return j
    return None


def _null(A: Array, tolerance: float) -> tuple[Array, int, int]:
    """Vectors with A x = 0, those that end a chain first; how many these are; how many eigenvalues are zero in all."""
    largest = float(np.linalg.norm(A, 2))

    def null(matrix: Array) -> Array:
        _, singular, Vt = np.linalg.svd(matrix)
        return np.asarray(Vt[singular <= tolerance * largest].T)

    Z = null(A)
    chained = within = Z
    while True:
        longer = null(A - within @ (within.T @ A))
        if within is Z:
            chained = longer
        if longer.shape[1] == within.shape[1]:
            break
        within = longer
    U, _, _ = np.linalg.svd(Z.T @ (A @ chained)) if Z.size else (np.zeros((0, 0)), 0, 0)
    return Z @ U, chained.shape[1] - Z.shape[1], within.shape[1]
