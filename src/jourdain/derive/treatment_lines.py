"""How each treatment solves M v' = Q + bias - J^T lam, J v' = gamma: a few lines each, with their sources."""

from __future__ import annotations

from .document import Section
from .ink import Ink, Matrix, Number, Raised, Relation, Symbol, added, multiplied

M, J, Q, K, C, B, D, A = (Symbol(x) for x in ("M", "J", "Q", "K", "C", "B", "D", "A"))
lam, gamma, acc, free, alpha = Symbol("lambda"), Symbol("gamma"), Symbol("v", dots=1), Symbol("a"), Symbol("alpha")
JT, MI, ZERO = Raised(J, "T"), Raised(M, "-1"), Number(0.0)
Lines = list[tuple[Ink, str]]


def _next(x: Ink) -> Ink:
    return Symbol(x.name, "k+1", x.dots) if isinstance(x, Symbol) else x


def _schur(solve: Ink, source: str) -> Lines:
    return [
        (Relation(free, multiplied(MI, Q)), "theory, schur; Q with the bias"),
        (Relation(K, multiplied(J, MI, JT)), "theory, schur"),
        (Relation(lam, solve), source),
        (Relation(acc, added([(1, free), (-1, multiplied(MI, JT, lam))])), "theory, schur"),
    ]


_GAP = added([(1, multiplied(J, free)), (-1, gamma)])
_W = Symbol("C", dots=2)
LINES: dict[str, Lines] = {
    "kkt": [
        (Relation(multiplied(Matrix(((M, JT), (J, ZERO))), Matrix(((acc,), (lam,)))), Matrix(((Q,), (gamma,)))), "Wijckmans, augmentation"),
        *_schur(multiplied(Raised(K, "-1"), _GAP), "block by block"),
    ],
    "udwadia-kalaba": _schur(multiplied(Raised(K, "+"), _GAP), "Pappalardo; in the paper's words λ = -K⁺ε, ε = γ - J a"),
    "augmented-lagrangian": [
        (
            Relation(
                multiplied(added([(1, M), (1, multiplied(alpha, JT, J))]), _next(acc)),
                added([(1, Q), (-1, multiplied(JT, Symbol("lambda", "k"))), (1, multiplied(alpha, JT, gamma))]),
            ),
            "Joli 24, with γ for the bracket it shortens",
        ),
        (Relation(_next(lam), added([(1, Symbol("lambda", "k")), (1, multiplied(alpha, _W))])), "Joli 23 without its spurious α"),
    ],
    "penalty": [
        (Relation(multiplied(added([(1, M), (1, multiplied(alpha, JT, J))]), acc), added([(1, Q), (1, multiplied(alpha, JT, gamma))])), "one step of the augmented Lagrangian"),
        (Relation(lam, multiplied(alpha, _W)), "wrong by 1/α"),
    ],
    "uzawa": [
        (Relation(Symbol("v", "k", 1), multiplied(MI, added([(1, Q), (-1, multiplied(JT, Symbol("lambda", "k")))]))), "Joli 25"),
        (Relation(Symbol("lambda", "k+1"), added([(1, Symbol("lambda", "k")), (1, multiplied(Symbol("rho"), _W))])), "Joli 26; converges for ρ < 2/largest eigenvalue of K"),
        (Relation(Symbol("rho"), multiplied(Symbol("w"), Raised(Symbol("K", "jj"), "-1"))), "by joint: w < 2 / joints on one body"),
    ],
    "partitioning": [
        (Relation(J, Matrix(((Symbol("J", "d"), Symbol("J", "i")),))), "columns chosen by pivoting"),
        (Relation(Symbol("v", "d", 1), multiplied(Raised(Symbol("J", "d"), "-1"), added([(1, gamma), (-1, multiplied(Symbol("J", "i"), Symbol("v", "i", 1)))]))), "dependent from independent"),
        (Relation(Symbol("R"), Matrix(((added([(-1, multiplied(Raised(Symbol("J", "d"), "-1"), Symbol("J", "i")))]),), (Number(1.0),)))), "v = R v_i + ..."),
        (Relation(multiplied(Raised(Symbol("R"), "T"), M, Symbol("R"), Symbol("v", "i", 1)), multiplied(Raised(Symbol("R"), "T"), added([(1, Q), (-1, multiplied(M, Symbol("v", "0", 1)))]))), "v'_0: with v'_i = 0"),
    ],
    "null-space": [
        (Relation(multiplied(J, Symbol("N")), ZERO), "orthonormal columns"),
        (Relation(Symbol("v", "p", 1), multiplied(Raised(J, "+"), gamma)), "a particular solution"),
        (Relation(multiplied(Raised(Symbol("N"), "T"), M, Symbol("N"), Symbol("u", dots=1)), multiplied(Raised(Symbol("N"), "T"), added([(1, Q), (-1, multiplied(M, Symbol("v", "p", 1)))]))), "reduced equations"),
        (Relation(acc, added([(1, multiplied(Symbol("N"), Symbol("u", dots=1))), (1, Symbol("v", "p", 1))])), ""),
    ],
    "index3": [
        (Relation(multiplied(M, acc), added([(1, Q), (-1, multiplied(JT, lam))])), "as they stand, at the end of each step"),
        (Relation(C, ZERO), "positions, not accelerations"),
    ],
    "recursion": [
        (Relation(Symbol("V", "j"), added([(1, multiplied(A, Symbol("V", "i"))), (1, multiplied(B, Symbol("q", "ij", 1)))])), "Wijckmans: outward, i carries j"),
        (Relation(Symbol("V", "j", 1), added([(1, multiplied(A, Symbol("V", "i", 1))), (1, multiplied(B, Symbol("q", "ij", 2))), (1, Symbol("c"))])), "Wijckmans"),
        (Relation(D, multiplied(Raised(B, "T"), Symbol("M", "j^"), B)), "inward; M^ = M + sum of M~ of children"),
        (Relation(Symbol("M", "i~"), multiplied(Raised(A, "T"), added([(1, Symbol("M", "j^")), (-1, multiplied(Symbol("M", "j^"), B, Raised(D, "-1"), Raised(B, "T"), Symbol("M", "j^")))]), A)), "Wijckmans"),
        (Relation(Symbol("g", "i~"), multiplied(Raised(A, "T"), added([(1, added([(1, Symbol("g", "j^")), (-1, multiplied(Symbol("M", "j^"), Symbol("c")))])), (-1, multiplied(Symbol("M", "j^"), B, Raised(D, "-1"), added([(1, Symbol("tau")), (1, multiplied(Raised(B, "T"), added([(1, Symbol("g", "j^")), (-1, multiplied(Symbol("M", "j^"), Symbol("c")))])))])))]))), "Wijckmans, with τ of the joint"),
        (Relation(Symbol("q", "ij", 2), multiplied(Raised(D, "-1"), added([(1, Symbol("tau")), (1, multiplied(Raised(B, "T"), added([(1, Symbol("g", "j^")), (-1, multiplied(Symbol("M", "j^"), added([(1, multiplied(A, Symbol("V", "i", 1))), (1, Symbol("c"))])))])))]))), "outward again"),
    ],
}  # fmt: skip


def write_treatment(section: Section, name: str) -> None:
    for ink, source in LINES[name]:
        section.line(ink, source)
