"""How each treatment solves M v' = Q + bias - J^T lam, J v' = gamma: a few lines each, with their sources.

Q stands for Q + bias here. Every treatment's lines are evaluated on random matrices (`treatment_check.py`).
"""

from __future__ import annotations

from .notation import line_of
from .sheet import Section

_FREE = [("a = M^-1 Q", "theory, schur; Q with the bias"), ("K = J M^-1 J^T", "theory, schur")]
_BACK = ("v' = a - M^-1 J^T lambda", "theory, schur")
LINES: dict[str, list[tuple[str, str]]] = {
    "kkt": [
        ("[M, J^T; J, 0] [v'; lambda] = [Q; gamma]", "Wijckmans, augmentation"),
        *_FREE,
        ("lambda = K^-1 (J a - gamma)", "block by block"),
        _BACK,
    ],
    "udwadia-kalaba": [
        *_FREE,
        ("epsilon = gamma - J a", "Pappalardo"),
        ("lambda = - K^+ epsilon", "Pappalardo; Moore-Penrose where rows are redundant"),
        _BACK,
    ],
    "augmented-lagrangian": [
        ("(M + alpha J^T J) v'_k+1 = Q - J^T lambda_k + alpha J^T gamma", "Joli 24; gamma with the terms it forgets"),
        ("lambda_k+1 = lambda_k + alpha (J v'_k+1 - gamma)", "Joli 23 without its spurious factor"),
    ],
    "penalty": [
        ("(M + alpha J^T J) v' = Q + alpha J^T gamma", "one step of the augmented Lagrangian"),
        ("lambda = alpha (J v' - gamma)", "wrong by one over alpha"),
    ],
    "uzawa": [
        ("v'_k = M^-1 (Q - J^T lambda_k)", "Joli 25"),
        ("lambda_k+1 = lambda_k + rho (J v'_k - gamma)", "Joli 26; rho below 2 over the largest eigenvalue of K"),
        ("rho_j = w K_jj^-1", "joint by joint; w below 2 over the joints on one body"),
    ],
    "partitioning": [
        ("J = [J_d, J_i]", "columns chosen by pivoting"),
        ("R = [- J_d^-1 J_i; 1]", "v = R v_i + ..."),
        ("v'_0 = [J_d^-1 gamma; 0]", "with v'_i = 0"),
        ("R^T M R v'_i = R^T (Q - M v'_0)", "reduced equations"),
        ("v' = R v'_i + v'_0", "dependent from independent"),
    ],
    "null-space": [
        ("J N = 0", "orthonormal columns"),
        ("v'_p = J^+ gamma", "a particular solution"),
        ("N^T M N u' = N^T (Q - M v'_p)", "reduced equations"),
        ("v' = N u' + v'_p", ""),
    ],
    "index3": [
        ("M v' = Q - J^T lambda", "as they stand, at the end of each step"),
        ("C = 0", "positions, not accelerations"),
    ],
    "recursion": [
        ("V_j = A V_i + B q'_ij", "Wijckmans: outward, i carries j"),
        ("V'_j = A V'_i + B q''_ij + c", "Wijckmans"),
        ("D = B^T Mh_j B", "inward; Mh is M and the Mt of all children"),
        ("Mt_i = A^T (Mh_j - Mh_j B D^-1 B^T Mh_j) A", "Wijckmans"),
        ("h = gh_j - Mh_j c", "gh is g and the gt of all children"),
        ("gt_i = A^T (h - Mh_j B D^-1 (tau + B^T h))", "Wijckmans, with tau of the joint"),
        ("q''_ij = D^-1 (tau + B^T (gh_j - Mh_j (A V'_i + c)))", "outward again"),
    ],
}


def write_treatment(section: Section, name: str) -> None:
    for text, source in LINES[name]:
        section.line(line_of(text), source)
