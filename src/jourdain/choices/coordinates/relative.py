"""Joint coordinates on the spanning tree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import PLANAR, SPATIAL
from ...mechanism.rotations import swung
from ..contract import Chosen, Entry, PlanLike, Treatment
from ..treatments.recursion import RELATIVE, Recursion
from .coordinate_set import Coordinates

Array = npt.NDArray[np.float64]

SHIFTS = ("displacement", "x", "y", "z")  # joint velocities in m/s


class LinkMotion(NamedTuple):
    """Of the origins of all links, in the order of the tree, fixed axes (.., link, component); spins have 1 or 3."""

    places: Array
    velocities: Array
    accelerations: Array
    frames: Array  # axes of the link
    turns: Array | None  # its angle, in the plane
    spins: Array
    rates: Array

    @staticmethod
    def of(links: Array, dim: int) -> LinkMotion:
        """From the columns that the function of `reading` writes."""
        place, speed, acceleration = (links[..., k * dim : (k + 1) * dim] for k in range(3))
        if dim == 3:
            frames = links[..., 9:18].reshape(*links.shape[:-1], 3, 3)
            return LinkMotion(place, speed, acceleration, frames, None, links[..., 18:21], links[..., 21:24])
        turn = links[..., 6]
        cosine, sine = np.cos(turn), np.sin(turn)
        frames = np.stack([cosine, -sine, sine, cosine], -1).reshape(*turn.shape, 2, 2)
        return LinkMotion(place, speed, acceleration, frames, turn, links[..., 7:8], links[..., 8:9])


@dataclass(frozen=True)
class Relative(Coordinates):
    """Joint coordinates with a say in which joints are cut, and from which body the tree grows.

    `coordinates=Relative(cuts=["C"])`; `base` is a body by name, which gets a free joint, so that joints to the ground
    are cut (Slaats' base body); None: the ground.
    """

    name: ClassVar[str] = "relative"
    says: ClassVar[str] = "joint coordinates on the spanning tree; joints that close loops are cut"
    source: ClassVar[str] = "Wijckmans 1992"
    # Of a body that nothing carries; rows are written in velocities of bodies before the tree takes them over.
    per_body: ClassVar[Mapping[str, tuple[int, int]]] = {PLANAR: (3, 3), SPATIAL: (7, 6)}
    joined: ClassVar[bool] = True
    # The error of an angle is felt by all links beyond, while other coordinates control each body's own position. So
    # the double pendulum of the references has the same errors at the same tolerance.
    tolerance: ClassVar[float] = 0.1

    cuts: Collection[str] = ()
    base: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuts", (self.cuts,) if isinstance(self.cuts, str) else tuple(self.cuts))

    @property
    def counts_angle(self) -> bool:  # type: ignore[override]
        return self.dim == 2

    @property
    def lengths(self) -> tuple[bool, ...]:
        return (True, True, False) if self.dim == 2 else (True, True, True, False, False, False)

    @property
    def own_treatment(self) -> Treatment:
        return Recursion()

    def refuses(self, chosen: Chosen) -> str | None:
        if chosen.integrator.implies is not None:
            return (
                f"{chosen.integrator} solves the index-3 equations of other coordinates; with relative use dop853, rk4 "
                "or radau"
            )
        if not isinstance(chosen.treatment, Recursion):
            return (
                f"joint coordinates are solved by recursion on the tree; leave out '{chosen.treatment}', or use it "
                "with other coordinates"
            )
        return None

    def lengths_of(self, model: Any) -> tuple[bool, ...]:
        return tuple(name.rpartition(".")[2] in SHIFTS for name in model.tree.velocities)

    def patches(self, path: tuple[Any, ...]) -> bool:
        """The tree's own arrays hold masses and gravity, worked into other numbers."""
        return path[0] != "gravity" and not (path[0] == "bodies" and path[2] in ("mass", "inertia"))

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        """Nothing that is not in the arrays of the tree; bodies without full inertia are no special case."""
        return {"singular": False}

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        dim = plan.sizes.dim
        made = ["PLACE", "ENERGY", "TIMES", "TREE_REACTIONS"]
        made += [] if _is_open(plan) else ["LOAD", "WHOLE", "TREE_FACTOR", "TREE_SOLVE"]
        plain = ("WEIGH", "CORRECT", "RATES", "RETRACT")
        return (
            *(Entry(slot, f"{RELATIVE}:make_{slot.lower()}", (dim,)) for slot in made),
            *(Entry(slot, f"{RELATIVE}:{slot.lower()}") for slot in plain),
        )

    def slope(self, plan: PlanLike) -> Entry | None:
        """An open tree goes through the articulated body algorithm."""
        return Entry("RHS", f"{RELATIVE}:make_rhs", (plan.sizes.dim,)) if _is_open(plan) else None

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {"CHARTS": 0, "BLOCK": self.block, "BODY_V": self.nv, "RECURSIVE": 1}

    def reading(self) -> Sequence[Entry]:
        return (Entry("UNPACK", f"{RELATIVE}:unpack_{self.at_hand}"),)

    # Of all bodies together ------------------------------------------------------------------------------------------

    def shares(self, model: Any) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
        found: tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]] = model.tree.shares
        return found

    def vector(
        self,
        model: Any,
        states: Mapping[str, Any],
        frames: Mapping[str, Array],
        angles: Mapping[str, float | None],
    ) -> tuple[Array, Array]:
        q, v = model.tree.vector(states, angles)
        return q, v

    def motion(self, model: Any, samples: Array, accelerations: Array, links: Any) -> tuple[Any, ...]:
        """From places, velocities, accelerations and turns of links, in the order of the tree."""
        tree = model.tree
        order = tree.by_body
        axes, centres, found = tree.axes[order], tree.centres[order], LinkMotion.of(links[:, order], self.dim)
        angle = found.turns
        if angle is not None:
            angle = angle - np.arctan2(axes[:, 1, 0], axes[:, 0, 0])
            angle += [tree.turned.get(body.name, 0.0) for body in model.blueprint.bodies]
        arms = np.einsum("tbij,bj->tbi", found.frames, centres)
        moved = swung(found.spins, arms)
        swing = swung(found.rates, arms) + swung(found.spins, moved)
        body_frames = np.einsum("tbij,bkj->tbik", found.frames, axes)
        centre, speed, acceleration = found.places + arms, found.velocities + moved, found.accelerations + swing
        return centre, body_frames, angle, speed, found.spins, acceleration, found.rates

    def angle_columns(self, model: Any) -> Mapping[str, int]:
        found: Mapping[str, int] = model.tree.angle_columns
        return found

    def attitudes(self, model: Any, samples: Array) -> Array | None:
        return None if self.dim == 2 else model.tree.quaternions(model.blueprint.bodies, samples)

    def jacobian(self, pose: Any) -> Array:
        """In joint velocities, one at a time."""
        found: Array = pose.by_columns()
        return found

    def row_sizes(self, pose: Any) -> Array:
        """In velocities of bodies: a row that no joint velocity moves is zero but for rounding."""
        lengths = np.where(self.lengths, 1.0, 1.0 / max(pose.model.body_sizes))
        found: Array = pose.largest_in_rows(lengths)
        return found


def _is_open(plan: PlanLike) -> bool:
    """A tree without rows whose forces do not depend on reactions."""
    return plan.sizes.rows == 0 and not plan.sizes.feedback
