"""Laws that several forces share: linear springs and dampers, and contact that only pushes."""

from __future__ import annotations

from ...equations.formula import Formula, apply, leaf
from ...equations.lowered import DISSIPATED, OWN_POTENTIAL, Effort

ALONG, RATE = leaf("along"), leaf("rate")


def spring(along: Formula, stiffness: Formula, free: Formula) -> Effort:
    """-k (q - free), with the potential k (q - free)^2 / 2."""
    stretch = along - free
    return Effort(along, -(stiffness * (ALONG - free)), OWN_POTENTIAL, 0.5 * stiffness * stretch * stretch)


def damper(along: Formula, damping: Formula) -> Effort:
    """-c q'."""
    return Effort(along, -(damping * RATE), DISSIPATED)


def dropped(efforts: tuple[Effort, ...]) -> tuple[Effort, ...]:
    """Without those whose magnitude is the number zero."""
    return tuple(e for e in efforts if not (e.magnitude.constant and e.magnitude.value == 0.0))


def one_sided(
    along: Formula, limit: Formula, side: float, stiffness: Formula, damping: Formula
) -> tuple[tuple[Effort, ...], tuple[Formula, Formula]]:
    """Contact beyond a limit (side +1: above, -1: below), and its depth and force as functions of (q, q').

    N = k d max(0, 1 + b d') with depth d >= 0: the damping of Hunt and Crossley (J. Appl. Mech. 42, 1975, eq. 8 with
    exponent 1), which starts from zero with the depth, cut off where the contact would pull. The second pair is the
    depth over "along" and N over "along" and "rate". The part beyond the spring always takes energy: k d max(-1, b d')
    has the sign of d'.
    """
    depth = apply("max", side * (ALONG - limit), 0.0)
    depth_here = apply("max", side * (along - limit), 0.0)
    elastic = stiffness * depth
    extra = elastic * apply("max", side * damping * RATE, -1.0)
    efforts = (
        Effort(along, -side * elastic, OWN_POTENTIAL, 0.5 * stiffness * depth_here * depth_here),
        Effort(along, -side * extra, DISSIPATED),
    )
    return dropped(efforts), (depth, elastic + extra)


def here(f: Formula, along: Formula, rate: Formula) -> Formula:
    """A formula over "along" and "rate" as one over channels."""
    return f.resolved(lambda key: along if key == "along" else rate if key == "rate" else leaf(key))


def total_effort(efforts: tuple[Effort, ...], along: Formula, rate: Formula) -> Formula:
    """The sum of the magnitudes of efforts along one quantity, over channels."""
    f = efforts[0].magnitude
    for effort in efforts[1:]:
        f = f + effort.magnitude
    return here(f, along, rate)
