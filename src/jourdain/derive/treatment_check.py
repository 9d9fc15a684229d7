"""The lines of treatments as they are printed, evaluated on random matrices: each must give the accelerations of the
bordered system, recursion those of a chain in dense matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .kernel_check import Checked, Comparison
from .line_values import Values, read
from .notation import line_of
from .treatment_lines import LINES

SIZE, ROWS = 7, 3
_ROUNDS = {"uzawa": 2000, "augmented-lagrangian": 30}  # of iterated lines, which stop where nothing changes
_STILL = 1e-13
# Iterated ways stop a little before; a penalty of 1e10 is wrong by its inverse.
_LIMITS = {"augmented-lagrangian": 1e-8, "penalty": 1e-4, "uzawa": 1e-8}
_LIMIT = 1e-10


def check_treatment(name: str, cases: int = 20) -> Checked:
    """An error if a line of it is wrong."""
    rng = np.random.default_rng(5)
    compare = Comparison()
    lines = [line_of(text) for text, _ in LINES[name]]
    with np.errstate(all="ignore"):  # what is wrong may grow beyond all numbers
        _compare(name, lines, cases, rng, compare)
    return Checked(cases, compare.worst, compare.lines, "against the bordered system on random matrices")


def _compare(name: str, lines: Any, cases: int, rng: np.random.Generator, compare: Comparison) -> None:
    for _ in range(cases):
        if name == "recursion":
            compare(name, *_chain(rng, lines))
            continue
        root = rng.normal(size=(SIZE, SIZE))
        M, J = root @ root.T + np.eye(SIZE), rng.normal(size=(ROWS, SIZE))
        known: Values = {"M": M, "J": J, "Q": rng.normal(size=SIZE), "γ": rng.normal(size=ROWS), "C": 0.0, "0": 0.0}
        K = np.block([[M, J.T], [J, np.zeros((ROWS, ROWS))]])
        expected = np.linalg.solve(K, np.concatenate([known["Q"], known["γ"]]))
        known |= _helpers(name, known, expected)
        limit = _LIMITS.get(name, _LIMIT)
        for text, left, right in read(lines, known):
            compare(f"the line {text}", left, np.broadcast_to(right, np.shape(left)), limit)
        if "λ_k+1" in known:
            _repeated(lines, known, _ROUNDS[name])
        found = next(known[v] for v in ("v'", "v'_k+1", "v'_k") if v in known)
        compare(f"what the lines of {name} give", found, expected[:SIZE], limit)
        load = next((known[v] for v in ("λ", "λ_k+1") if v in known), expected[SIZE:])
        compare(f"multipliers of the lines of {name}", load, expected[SIZE:], limit)


def _helpers(name: str, known: Values, expected: Any) -> Values:
    """What lines take for granted: how columns are split, a basis, numbers of iterations."""
    M, J = known["M"], known["J"]
    K = J @ np.linalg.solve(M, J.T)
    if name == "uzawa":
        ends = np.linalg.eigvalsh(K)
        return {"ρ": 2.0 / (ends[0] + ends[-1]), "λ_k": np.zeros(ROWS), "w": 1.0, "K_jj": K[0, 0]}
    if name in ("penalty", "augmented-lagrangian"):
        return {"α": 1e10 if name == "penalty" else 1e4, "λ_k": np.zeros(ROWS)}
    if name == "partitioning":
        return {"J_d": J[:, :ROWS], "J_i": J[:, ROWS:], "1": np.eye(SIZE - ROWS)}
    if name == "null-space":
        return {"N": np.linalg.svd(J)[2][ROWS:].T}
    return {"λ": expected[SIZE:]} if name == "index3" else {}


def _repeated(lines: Any, known: Values, rounds: int) -> None:
    """Round after round until multipliers stand still."""
    for _ in range(rounds):
        change = float(np.max(np.abs(known["λ_k+1"] - known["λ_k"])))
        known["λ_k"] = known["λ_k+1"]
        for key in [key for key in known if key.endswith("_k+1") or key in ("v'_k", "ρ_j")]:
            del known[key]
        read(lines, known)
        if change < _STILL * (1.0 + float(np.max(np.abs(known["λ_k"])))):
            break


def _chain(rng: np.random.Generator, lines: Any, links: int = 4) -> tuple[Any, Any]:
    """Joint accelerations and velocities of a chain by the recursion's lines, and from its mass matrix."""
    sizes: dict[str, Any] = {"A": (6, 6), "B": (6, 1), "c": 6}
    given = [{name: rng.normal(size=size) for name, size in sizes.items()} for _ in range(links)]
    roots, g, tau = rng.normal(size=(links, 6, 6)), rng.normal(size=(links, 6)), rng.normal(size=(links, 1))
    M, rates = roots @ roots.transpose(0, 2, 1) + np.eye(6), rng.normal(size=(links, 1))
    Mh, gh = M.copy(), g.copy()
    named = {line.left.text(): line for line in lines}
    inward = [named[name] for name in ("D", "Mt_i", "h", "gt_i")]
    known: list[Values] = [{}] * links
    for k in range(links - 1, -1, -1):
        known[k] = {**given[k], "Mh_j": Mh[k], "gh_j": gh[k], "τ": tau[k]}
        read(inward, known[k])
        if k:
            Mh[k - 1] += known[k]["Mt_i"]
            gh[k - 1] += known[k]["gt_i"]
    V, dV, found = np.zeros(6), np.zeros(6), np.zeros(links)
    P, bias, velocities = [np.zeros((6, links))], [np.zeros(6)], []
    for k, (one, own) in enumerate(zip(known, given, strict=True)):
        one |= {"V_i": V, "V'_i": dV, "q'_ij": rates[k]}
        read([line for name, line in named.items() if name not in ("D", "Mt_i", "h", "gt_i")], one)
        V, dV, found[k] = one["V_j"], one["V'_j"], one["q''_ij"][0]
        velocities.append(V)
        column = np.zeros((6, links))
        column[:, k] = own["B"][:, 0]
        P.append(own["A"] @ P[-1] + column)
        bias.append(own["A"] @ bias[-1] + own["c"])
    mass = sum(p.T @ m @ p for p, m in zip(P[1:], M, strict=True))
    right = tau[:, 0] + sum(p.T @ (x - m @ b) for p, m, x, b in zip(P[1:], M, g, bias[1:], strict=True))
    expected = [np.linalg.solve(mass, right), *(p @ rates[:, 0] for p in P[1:])]
    return np.concatenate([found, *velocities]), np.concatenate(expected)
