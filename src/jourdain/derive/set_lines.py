"""Mass block and bias of one body in each coordinate set, as blocks: what stands in M and bias of a mechanism."""

from __future__ import annotations

from ..choices.coordinates import Coordinates
from .ink import ZERO, Fraction, Ink, Matrix, Number, Pairing, Power, Raised, Relation, Symbol, added, multiplied

Lines = list[tuple[Ink, str]]

_m, _I, _R, _one = Symbol("m"), Symbol("I"), Symbol("R"), Symbol("1")
_w = Symbol("omega", vector=True)
_M, _bias = Symbol("M", "b"), Symbol("bias", "b")
_turned = multiplied(_R, _I, Raised(_R, "T"))
_A, _S, _Q, _JO = Symbol("A"), Symbol("S"), Symbol("Q"), Symbol("J", "O")
_G, _beta = Symbol("G"), Symbol("beta", dots=1)


def _column(*parts: Ink) -> Ink:
    return Matrix(tuple((part,) for part in parts))


_EULER: Lines = [
    (Relation(_M, Matrix(((multiplied(_m, _one), multiplied(_A, Raised(_S, "T"), _Q)), (multiplied(Raised(_Q, "T"), _S, Raised(_A, "T")), multiplied(Raised(_Q, "T"), _JO, _Q))))), "Stanescu, M; S is the skew matrix of m r_C"),
    (Relation(Symbol("F~", "s"), multiplied(added([(-1, added([(1, multiplied(_A, Raised(_S, "T"), Symbol("Q", dots=1))), (1, multiplied(Symbol("A", dots=1), Raised(_S, "T"), _Q))]))]), _beta)), "Stanescu, signs and brackets mended"),
    (Relation(Symbol("F~", "b"), multiplied(added([(-1, Raised(_Q, "T"))]), added([(1, multiplied(_JO, Symbol("Q", dots=1))), (1, multiplied(Symbol("omega~"), _JO, _Q))]), _beta)), "Stanescu, mended likewise"),
]  # fmt: skip
_LINES: dict[str, Lines] = {
    "angle": [
        (Relation(_M, Matrix(((_m, ZERO, ZERO), (ZERO, _m, ZERO), (ZERO, ZERO, _I)))), "Marquis-Favre 5"),
        (Relation(_bias, ZERO), ""),
    ],
    "quaternion": [
        (Relation(_M, Matrix(((multiplied(_m, _one), ZERO), (ZERO, _turned)))), "Newton and Euler, fixed axes"),
        (Relation(_bias, _column(ZERO, added([(-1, Pairing(_w, multiplied(_turned, _w), "x"))]))), ""),
    ],
    "euler-parameters": [
        (Relation(_M, Matrix(((multiplied(_m, _one), ZERO), (ZERO, multiplied(Number(4.0), Raised(_G, "T"), _I, _G))))), "Lagrange; spin 2 G p' in body axes"),
        (Relation(_bias, _column(ZERO, added([(-1, multiplied(Number(8.0), Raised(Symbol("G", dots=1), "T"), _I, _G, Symbol("p", dots=1)))]))), ""),
    ],
    "natural": [
        (Relation(_M, multiplied(Matrix(((_m, Symbol("J", "x"), Symbol("J", "y")), (Symbol("J", "x"), Symbol("J", "xx"), Symbol("J", "xy")), (Symbol("J", "y"), Symbol("J", "xy"), Symbol("J", "yy")))), Symbol("⊗ 1"))), "Pappalardo 55; the print repeats J_x"),
        (Relation(_bias, ZERO), "M is constant"),
    ],
    "points": [
        (Relation(_M, added([(1, multiplied(_m, Raised(_G, "T"), _G)), (1, multiplied(Fraction(_I, Power(Symbol("L"), Number(2.0))), Raised(Symbol("T"), "T"), Symbol("T")))])), "r_G = G q, d' = T v"),
        (Relation(_bias, ZERO), "M is constant"),
    ],
    "relative": [
        (Relation(Symbol("M"), multiplied(Symbol("Σ"), Raised(Symbol("P", "b"), "T"), _M, Symbol("P", "b"))), "V_b = P_b v: velocity of the mass centre and spin"),
        (Relation(Symbol("bias"), multiplied(Symbol("Σ"), Raised(Symbol("P", "b"), "T"), added([(1, _bias), (-1, multiplied(_M, Symbol("V", "b,0", 1)))]))), "V'_b,0: at v' = 0"),
    ],
}  # fmt: skip


def set_lines(s: Coordinates) -> Lines:
    """Of a set by name; sequences of angles share theirs."""
    return _LINES.get(s.name, _EULER if s.charts else [])


def jacobian_lines(joined: bool) -> Lines:
    """J of a joint on its two bodies, from the gradients of its rows."""
    if joined:
        J = multiplied(Symbol("Σ"), Symbol("J", "k,b"), Symbol("P", "b"))
        return [(Relation(Symbol("J", "k"), J), "rows of cut joints alone")]
    f, r, a = Symbol("f", "M", vector=True), Symbol("GM", vector=True), Symbol("a", vector=True)
    turning = added(
        [(1, Pairing(r, f, "x")), (1, multiplied(Symbol("Σ"), Pairing(a, Symbol("f", "a", vector=True), "x")))]
    )
    return [
        (
            Relation(Symbol("J", "k,b"), Matrix(((Raised(f, "T"), Raised(turning, "T")),))),
            "Marquis-Favre 14; theory, contraction",
        ),
    ]
