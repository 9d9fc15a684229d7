"""The lines of treatments, evaluated on random matrices: each must give the accelerations of the bordered system."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .kernel_check import Checked, Comparison

SIZE, ROWS = 7, 3


def _bordered(M: Any, J: Any, Q: Any, gamma: Any) -> Any:
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.solve(K, np.concatenate([Q, gamma]))


def _schur(M: Any, J: Any, Q: Any, gamma: Any) -> Any:
    a = np.linalg.solve(M, Q)
    K = J @ np.linalg.solve(M, J.T)
    lam = np.linalg.pinv(K) @ (J @ a - gamma)
    return np.concatenate([a - np.linalg.solve(M, J.T @ lam), lam])


def _augmented(M: Any, J: Any, Q: Any, gamma: Any, rounds: int = 30, alpha: float = 1e4) -> Any:
    lam = np.zeros(len(J))
    A = M + alpha * J.T @ J
    for _ in range(rounds):
        a = np.linalg.solve(A, Q - J.T @ lam + alpha * J.T @ gamma)
        lam = lam + alpha * (J @ a - gamma)
    return np.concatenate([a, lam])


def _uzawa(M: Any, J: Any, Q: Any, gamma: Any) -> Any:
    K = J @ np.linalg.solve(M, J.T)
    eigenvalues = np.linalg.eigvalsh(K)
    rho = 2.0 / (eigenvalues[0] + eigenvalues[-1])
    lam = np.zeros(len(J))
    for _ in range(20000):
        a = np.linalg.solve(M, Q - J.T @ lam)
        change = rho * (J @ a - gamma)
        lam = lam + change
        if np.max(np.abs(change)) < 1e-15 * (1.0 + np.max(np.abs(lam))):
            break
    return np.concatenate([np.linalg.solve(M, Q - J.T @ lam), lam])


def _partitioning(M: Any, J: Any, Q: Any, gamma: Any) -> Any:
    d, i = slice(0, len(J)), slice(len(J), len(M))
    inverse = np.linalg.inv(J[:, d])
    R = np.vstack([-inverse @ J[:, i], np.eye(len(M) - len(J))])
    v0 = np.concatenate([inverse @ gamma, np.zeros(len(M) - len(J))])
    a = R @ np.linalg.solve(R.T @ M @ R, R.T @ (Q - M @ v0)) + v0
    return _with_multipliers(a, M, J, Q)


def _null_space(M: Any, J: Any, Q: Any, gamma: Any) -> Any:
    N = np.linalg.svd(J)[2][len(J) :].T
    p = np.linalg.pinv(J) @ gamma
    a = N @ np.linalg.solve(N.T @ M @ N, N.T @ (Q - M @ p)) + p
    return _with_multipliers(a, M, J, Q)


def _with_multipliers(a: Any, M: Any, J: Any, Q: Any) -> Any:
    return np.concatenate([a, np.linalg.lstsq(J.T, Q - M @ a, rcond=None)[0]])


_WAYS: dict[str, Callable[..., Any]] = {
    "kkt": _schur,
    "udwadia-kalaba": _schur,
    "augmented-lagrangian": _augmented,
    "penalty": partial(_augmented, rounds=1, alpha=1e10),
    "uzawa": _uzawa,
    "partitioning": _partitioning,
    "null-space": _null_space,
    "index3": _bordered,
}
# Iterated ways stop a little before; a penalty of 1e10 is wrong by its inverse.
_LIMITS = {"augmented-lagrangian": 1e-8, "penalty": 1e-4, "uzawa": 1e-8}


def check_treatment(name: str, cases: int = 20) -> Checked:
    """Against the bordered system; of recursion against a chain in dense matrices."""
    rng = np.random.default_rng(5)
    compare = Comparison()
    for _ in range(cases):
        if name == "recursion":
            compare("recursion", *_chain(rng))
            continue
        root = rng.normal(size=(SIZE, SIZE))
        given = (
            root @ root.T + np.eye(SIZE),
            rng.normal(size=(ROWS, SIZE)),
            rng.normal(size=SIZE),
            rng.normal(size=ROWS),
        )
        compare(name, _WAYS[name](*given)[:SIZE], _bordered(*given)[:SIZE], _LIMITS.get(name, 1e-10))
    return Checked(cases, compare.worst, compare.lines, "against the bordered system on random matrices")


def _chain(rng: np.random.Generator, links: int = 4) -> tuple[Any, Any]:
    """Joint accelerations of a chain by the recursion's lines, and from its mass matrix."""
    A = [rng.normal(size=(6, 6)) for _ in range(links)]
    B = [rng.normal(size=(6, 1)) for _ in range(links)]
    c = [rng.normal(size=6) for _ in range(links)]
    roots = [rng.normal(size=(6, 6)) for _ in range(links)]
    M = [root @ root.T + np.eye(6) for root in roots]
    g, tau = [rng.normal(size=6) for _ in range(links)], rng.normal(size=links)
    Mh, gh = [m.copy() for m in M], [x.copy() for x in g]
    for k in range(links - 1, 0, -1):
        U = Mh[k] @ B[k]
        D = float((B[k].T @ U)[0, 0])
        Mh[k - 1] += A[k].T @ (Mh[k] - U @ U.T / D) @ A[k]
        rest = gh[k] - Mh[k] @ c[k]
        gh[k - 1] += A[k].T @ (rest - U[:, 0] / D * (tau[k] + float(B[k][:, 0] @ rest)))
    acceleration, found = np.zeros(6), np.zeros(links)
    for k in range(links):
        carried = A[k] @ acceleration + c[k]
        D = float((B[k].T @ Mh[k] @ B[k])[0, 0])
        found[k] = (tau[k] + float(B[k][:, 0] @ (gh[k] - Mh[k] @ carried))) / D
        acceleration = carried + B[k][:, 0] * found[k]
    P, bias = [np.zeros((6, links))], [np.zeros(6)]
    for k in range(links):
        column = np.zeros((6, links))
        column[:, k] = B[k][:, 0]
        P.append(A[k] @ P[-1] + column)
        bias.append(A[k] @ bias[-1] + c[k])
    mass = sum(p.T @ m @ p for p, m in zip(P[1:], M, strict=True))
    right = tau + sum(p.T @ (x - m @ b) for p, m, x, b in zip(P[1:], M, g, bias[1:], strict=True))
    return found, np.linalg.solve(mass, right)
