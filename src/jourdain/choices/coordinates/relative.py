"""Joint coordinates on the spanning tree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ...mechanism.parts import PLANAR, SPATIAL
from ..base import Chosen, Coordinates, Entry, PlanLike, Treatment
from ..treatments.recursion import RELATIVE, Recursion

SHIFTS = ("displacement", "x", "y", "z")  # joint velocities in m/s


@dataclass(frozen=True)
class Relative(Coordinates):
    """Joint coordinates with a say in which joints are cut: `coordinates=Relative(cuts=["C"])`."""

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
        made = ["PLACE", "LOAD", "ENERGY", "TIMES", "WHOLE", "TREE_REACTIONS"]
        made += ["OPEN_TREE"] if plan.sizes.rows == 0 and not plan.sizes.feedback else ["TREE_FACTOR", "TREE_SOLVE"]
        plain = ("WEIGH", "CORRECT", "RATES", "RETRACT")
        return (
            *(Entry(slot, f"{RELATIVE}:make_{slot.lower()}", (dim,)) for slot in made),
            *(Entry(slot, f"{RELATIVE}:{slot.lower()}") for slot in plain),
        )

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {"CHARTS": 0, "BLOCK": self.block, "BODY_V": self.nv}

    def reading(self) -> Sequence[Entry]:
        return (Entry("UNPACK", f"{RELATIVE}:unpack_{self.at_hand}"),)
