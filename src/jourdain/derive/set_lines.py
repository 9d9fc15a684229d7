"""Mass block and bias of one body in each coordinate set, as blocks: what stands in M and bias of a mechanism."""

from __future__ import annotations

from ..choices.coordinates import Coordinates, Natural
from .ink import Ink
from .notation import line_of

_EULER = [
    ("M_b = [m 1, A S^T Q; Q^T S A^T, Q^T J_O Q]", "Stanescu, M; S is the skew matrix of m r_C"),
    ("F~_s = - (A S^T Q' + A' S^T Q) beta'", "Stanescu; signs and brackets mended"),
    ("F~_b = - Q^T (J_O Q' + W J_O Q) beta'", "Stanescu; mended likewise; W is the skew matrix of the spin"),
    ("bias_b = [F~_s; F~_b]", ""),
]
_LINES: dict[str, list[tuple[str, str]]] = {
    "angle": [("M_b = [m, 0, 0; 0, m, 0; 0, 0, I]", "Marquis-Favre 5"), ("bias_b = 0", "")],
    "quaternion": [
        ("M_b = [m 1, 0; 0, R I R^T]", "Newton and Euler, fixed axes"),
        ("bias_b = [0; - omega* × (R I R^T omega*)]", ""),
    ],
    "euler-parameters": [
        ("M_b = [m 1, 0; 0, 4 G^T I G]", "Lagrange; the spin in body axes is 2 G p'"),
        ("bias_b = [0; - 8 G'^T I G p']", "G' = G(p')"),
    ],
    "natural": [
        ("M_b = [m, J_x, J_y; J_x, J_xx, J_xy; J_y, J_xy, J_yy] ⊗ 1", "Pappalardo 55; the print repeats J_x"),
        ("bias_b = 0", "M is constant"),
    ],
    "points": [
        ("M_b = m G^T G + (I / (L L)) T^T T", "r_G = G q, d' = T v, d from one point to the other"),
        ("bias_b = 0", "M is constant"),
    ],
    "natural in space": [
        (
            "M_b = [m, J_x, J_y, J_z; J_x, J_xx, J_xy, J_xz; J_y, J_xy, J_yy, J_yz; J_z, J_xz, J_yz, J_zz] ⊗ 1",
            "Pappalardo 55, with z",
        ),
        ("bias_b = 0", "M is constant"),
    ],
    "relative": [
        ("M = Σ P_b^T M_b P_b", "V_b = P_b v: velocity of the mass centre and spin"),
        ("bias = Σ P_b^T (bias_b - M_b V'_b0)", "V'_b0: at v' = 0"),
    ],
}
_JACOBIAN = [("J_kb = [f*_M^T, (GM* × f*_M + Σ (a* × f*_a))^T]", "Marquis-Favre 14; theory, contraction")]
_CARRIED = [("J_k = Σ J_kb P_b", "rows of cut joints alone")]


def set_lines(s: Coordinates) -> list[tuple[Ink, str]]:
    """Of a set by name; sequences of angles share theirs."""
    kind = "natural" if isinstance(s, Natural) else s.name
    name = f"{kind} in space" if s.dim == 3 and f"{kind} in space" in _LINES else kind
    return [(line_of(text), source) for text, source in _LINES.get(name, _EULER if s.charts else [])]


def jacobian_lines(joined: bool) -> list[tuple[Ink, str]]:
    """J of a joint on its two bodies, from the gradients f of its rows by points and axes."""
    return [(line_of(text), source) for text, source in (_CARRIED if joined else _JACOBIAN)]
