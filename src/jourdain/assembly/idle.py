"""Idle freedoms: parts that can spin about the line between two ball joints and move nothing else.

The rod of an RSSR linkage and the legs of a platform on two ball joints each have one. It counts as a freedom of the
mechanism, and no position that a user asks for depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..library.joints import Pair, kind_of
from ..mechanism.parts import GROUND
from ..model.flat import FlatModel
from .targets import View

Array = npt.NDArray[np.float64]

IDLE = 1e-7  # of the rate of any equation at unit spin: below that it does not notice the spin


@dataclass(frozen=True)
class Idle:
    """Bodies that spin together about the line between two ball joints."""

    bodies: tuple[str, ...]
    joints: tuple[str, str]

    def __str__(self) -> str:
        verb = "spins" if len(self.bodies) == 1 else "spin together"
        return f"{' and '.join(self.bodies)} {verb} about the line between {self.joints[0]} and {self.joints[1]}"


def idle_motions(model: FlatModel, view: View, J: Array) -> list[Idle]:
    """Groups of bodies between two ball joints whose spin no row of J (equations and targets) notices."""
    blueprint = model.blueprint
    if blueprint.dim == 2:
        return []
    on = [joint for joint in blueprint.joints if joint.name not in blueprint.off]
    balls = [joint for joint in on if kind_of(joint).pair in (Pair.BALL, Pair.ROD)]
    if not balls:
        return []
    names = [body.name for body in blueprint.bodies]
    found = []
    for group in _groups([GROUND, *names], [(j.first.body, j.second.body) for j in on if j not in balls]):
        ends = [(j.name, view.port(p)) for j in balls for p in (j.first, j.second) if p.body in group]
        if GROUND in group or len(ends) != 2:
            continue
        (first, P), (second, R) = ends
        length = float(np.linalg.norm(R - P))
        if length <= 1e-9 * model.size:
            continue
        axis, spin = (R - P) / length, np.zeros(model.nv)
        for name in group:
            spin[view.slot(name)] = np.concatenate([np.cross(axis, view.mass_centre(name) - P), axis])
        if np.max(np.abs(J @ spin), initial=0.0) <= IDLE * max(1.0, model.size):
            found.append(Idle(tuple(name for name in names if name in group), (first, second)))
    return found


def _groups(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Names connected by pairs."""
    group = {name: {name} for name in names}
    for a, b in pairs:
        if group[a] is not group[b]:
            group[a] |= group[b]
            for name in group[b]:
                group[name] = group[a]
    return [members for name, members in group.items() if name == next(iter(sorted(members)))]
