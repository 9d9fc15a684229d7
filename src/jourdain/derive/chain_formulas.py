"""Joint coordinates as formulas: every body carried by its parent, outward from the ground (Wijckmans 1992, ch. 3).

    w_j = w_i + sum e_k v_k,   w0_j = w0_i + sum e_k' v_k,   and likewise for the origin of the link;

the columns of V_j = A_ij V_i + B_ij v_ij are those of the parent, moved to the child, and those of the joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..equations.formula import Formula, number
from ..kernels.layout import tree_table as codes
from ..mechanism.parts import GROUND
from .moving_bodies import Givens, Moved, Moving, RigidMotion, Start, q_of, v_of
from .set_formulas import BodyNumbers, SetFormulas, newton_euler, turning
from .space import (
    NOTHING,
    UNITS,
    Mat,
    Vec,
    add,
    apply_matrix,
    column,
    cross,
    matrix_of,
    multiply,
    opposite,
    rotation,
    rotation_of_parameters,
    scale,
    transposed,
)
from .symbolic_rates import ZERO, plus, times

_QUARTER: Mat = ((number(1.0), ZERO, ZERO), (ZERO, ZERO, number(-1.0)), (ZERO, number(1.0), ZERO))  # about x


@dataclass(frozen=True)
class PlanarMotion(RigidMotion):
    """Of a body in the plane, with the angle of its axes."""

    angle: Formula = ZERO


class _Joint:
    """Place and turn of a link in the axes of its port, and the directions its velocities turn and slide it in."""

    def __init__(
        self, motion: Any, q: list[Formula], v: list[Formula], sense: float, lead: Formula, phase: Formula
    ) -> None:
        self.d: Vec = NOTHING
        self.angle = ZERO  # of the turn, where it is about z
        self.turn: Mat = UNITS
        self.rates: list[Formula] = list(v)
        self.slides: list[tuple[int, Formula]] = []  # axis of the port, velocity number
        self.turns: list[tuple[Any, int]] = []  # axis of the port, or "link", velocity number
        code, planar = motion.code, len(motion.coordinates) == 3
        if code == codes.REVOLUTE:
            self.angle = times(number(sense), q[0])
            self.turn, self.turns = rotation(2, self.angle), [(2, 0)]
        elif code == codes.PRISMATIC:
            self._slide(q, v, [0] if motion_is_planar(motion) else [2])
        elif code == codes.SCREW:
            self.turn, self.turns = rotation(2, q[0]), [(2, 0)]
            self.d = (ZERO, ZERO, phase + times(lead, q[0]))
        elif code == codes.CYLINDRICAL:
            self.turn, self.turns = rotation(2, q[0]), [(2, 0)]
            self.d = (ZERO, ZERO, q[1])
        elif code == codes.UNIVERSAL:
            self.turn = multiply(multiply(rotation(2, q[0]), _QUARTER), rotation(2, q[1]))
            self.turns = [(2, 0), ("link", 1)]
        elif code == codes.SPHERICAL:
            self._free_turn(tuple(q), tuple(v), 0)
        elif code == codes.PLANAR or (code == codes.FREE and planar):
            self.d, self.turn, self.turns, self.angle = (q[0], q[1], ZERO), rotation(2, q[2]), [(2, 2)], q[2]
        elif code == codes.FREE:
            self.d = tuple(q[:3])
            self._free_turn(tuple(q[3:]), tuple(v[3:]), 3)

    def _slide(self, q: list[Formula], v: list[Formula], axes: list[int]) -> None:
        d = list(NOTHING)
        for n, axis in enumerate(axes):
            d[axis] = q[n]
        self.d = tuple(d)

    def _free_turn(self, p: Vec, w: Vec, first: int) -> None:
        self.turn = rotation_of_parameters(p)
        self.turns = [(k, first + k) for k in range(3)]
        self.rates = [*self.rates[:first], *turning(p, w)]


def motion_is_planar(motion: Any) -> bool:
    """Whether a sliding motion is the plane's, which slides along x."""
    from ..library.joints.tree_motions import SLIDING_IN_PLANE

    return motion is SLIDING_IN_PLANE


def chain_formulas(tree: Any, names: list[str], data: Any, given: Givens, dim: int) -> SetFormulas:
    """All bodies of a mechanism on its tree."""
    numbers = {name: BodyNumbers.of(name, one, dim, given) for name, one in zip(names, data, strict=True)}
    still = Moved(NOTHING)
    bodies: dict[str, Any] = {GROUND: RigidMotion(still, UNITS, still)}
    rates: list[Formula] = []
    angles: dict[str, Formula] = {}
    for k, (link, frame) in enumerate(zip(tree.graph.links, tree.frames, strict=True)):
        motion = link.motion(dim)
        q = [q_of(tree.first_q[k] + n) for n in range(len(motion.coordinates))]
        v = [v_of(tree.first_v[k] + n) for n in range(motion.freedoms)]
        owner = link.body if link.joint is None else link.joint.name
        lead = given(
            f"{owner}.lead", link.joint.values["pitch"] / 6.283185307179586 if motion.code == codes.SCREW else 0.0
        )
        phase = given(f"{owner}.phase", tree.phases.get(link.body, 0.0))
        joint = _Joint(motion, q, v, frame.sense, lead, phase)
        rates += joint.rates
        if "angle" in motion.coordinates and link.joint is not None:
            angles[owner] = q[motion.coordinates.index("angle")]
        bodies[link.body] = _carried(bodies[link.parent], link, frame, joint, tree.first_v[k], v, motion, given, lead)
    del bodies[GROUND]
    centres = zip(names, data, strict=True)
    listed = [(numbers[n], bodies[n], bodies[n].start.to(given, n, "centre", one.centre)) for n, one in centres]
    M, bias = newton_euler(listed)
    return SetFormulas(bodies, M, bias, tuple(rates), (), False, angles)


def _carried(
    parent: RigidMotion,
    link: Any,
    frame: Any,
    joint: _Joint,
    first: int,
    v: list[Formula],
    motion: Any,
    given: Givens,
    lead: Formula,
) -> Moving:
    owner = link.body if link.joint is None else link.joint.name
    if parent.start is None:
        port = given.vector(f"{link.parent}.{owner}", frame.port)
    else:
        port = parent.start.to(given, link.parent, owner, frame.port)
    carrying = parent.vector(port, True)
    axes = multiply(parent.frame, _named(given, f"{owner}.axes", frame.port_axes))
    r = apply_matrix(axes, joint.d)
    link_axes = multiply(axes, joint.turn)
    w, w0 = parent.spin.X, parent.spin.A
    spins, slides = _directions(motion, joint, axes, link_axes, frame.sense, lead)
    # spin of the link
    S = dict(parent.spin.B)
    spin, bias = w, w0
    for n, e in spins.items():
        S[first + n] = e
        spin = add(spin, scale(v[n], e))
    for n, e in spins.items():
        turned_by = spin if ("link", n) in joint.turns else w
        bias = add(bias, scale(v[n], cross(turned_by, e)))
    # origin of the link: the port, carried on by r and sliding along it
    B = {
        n: add(carrying.B.get(n, NOTHING), cross(parent.spin.B[n], r) if n in parent.spin.B else NOTHING)
        for n in {*carrying.B, *parent.spin.B}
    }
    sliding = NOTHING
    for n, e in slides.items():
        B[first + n] = e
        sliding = add(sliding, scale(v[n], e))
    V = add(carrying.V, cross(w, r), sliding)
    A = add(carrying.A, cross(w0, r), cross(w, cross(w, r)), scale(number(2.0), cross(w, sliding)))
    at_link = RigidMotion(Moved(add(carrying.X, r), V, A, B), link_axes, Moved(spin, A=bias, B=S))
    if len(frame.port) == 2:
        return _in_plane(parent, at_link, link, frame, joint, given, owner)
    # the body's own axes; its points are counted from the port
    back = transposed(_named(given, f"{link.body}.own_axes", frame.axes))
    start = Start(owner, tuple(map(float, frame.origin)))
    return RigidMotion(at_link.origin, multiply(link_axes, back), at_link.spin, start)


def _in_plane(
    parent: RigidMotion, at_link: RigidMotion, link: Any, frame: Any, joint: _Joint, given: Givens, owner: str
) -> Moving:
    """In the plane turns add up: the frame of a body is that of the sum of its angles."""
    tilt = float(np.arctan2(frame.port_axes[1, 0], frame.port_axes[0, 0]))
    own = float(np.arctan2(frame.axes[1, 0], frame.axes[0, 0]))
    angle = plus(_angle_of(parent), given(f"{owner}.tilt", tilt - own), joint.angle)
    turned = rotation(2, angle) if angle.op != "const" or angle.value else UNITS
    start = Start(owner, tuple(map(float, frame.origin)))
    return PlanarMotion(at_link.origin, turned, at_link.spin, start, angle)


def _angle_of(motion: Any) -> Formula:
    return motion.angle if isinstance(motion, PlanarMotion) else ZERO


def _directions(
    motion: Any, joint: _Joint, axes: Mat, link_axes: Mat, sense: float, lead: Formula
) -> tuple[dict[int, Vec], dict[int, Vec]]:
    """Axes that each velocity of the joint turns and slides the link about and along, in fixed axes."""
    spins: dict[int, Vec] = {}
    for axis, n in joint.turns:
        spins[n] = column(link_axes, 2) if axis == "link" else column(axes, axis)
    if motion.code == codes.REVOLUTE and sense < 0:
        spins = {n: opposite(e) for n, e in spins.items()}
    slides: dict[int, Vec] = {}
    if motion.code == codes.PRISMATIC:
        slides[0] = column(axes, 0 if motion_is_planar(motion) else 2)
    elif motion.code == codes.SCREW:
        slides[0] = scale(lead, column(axes, 2))
    elif motion.code == codes.CYLINDRICAL:
        slides[1] = column(axes, 2)
    elif motion.code == codes.PLANAR or (motion.code == codes.FREE and len(motion.coordinates) == 3):
        slides = {0: column(axes, 0), 1: column(axes, 1)}
    elif motion.code == codes.FREE:
        slides = {n: column(axes, n) for n in range(3)}
    return spins, slides


def _named(given: Givens, name: str, values: Any) -> Mat:
    """A constant matrix; entries that are neither zero nor one have names."""
    found = []
    for i, row in enumerate(matrix_of(values)):
        found.append(tuple(given(f"{name}.{'xyz'[i]}{'xyz'[j]}", entry.value, True) for j, entry in enumerate(row)))
    return tuple(found)
