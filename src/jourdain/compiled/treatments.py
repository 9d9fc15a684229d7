"""The second free choice: how accelerations and multipliers are found, and how drift is held."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Kkt:
    """Accelerations and multipliers from the KKT system by its Schur complement K = J M^-1 J^T.

    Redundant rows are found at the start and bear no load. `stabilisation`: `projection` in the mass metric after each
    step, or `euclidean`, the paper's direct correction with J^+.
    """

    stabilisation: str = "projection"
    name: str = field(default="kkt", init=False)


@dataclass(frozen=True)
class UdwadiaKalaba:
    """Udwadia-Kalaba: lam = K^+ (J M^-1 Q - gamma), Moore-Penrose where rows are redundant (Pappalardo 2018, sec. 4).

    All rows are kept; redundant ones share their load in the least-squares sense. Dense where the rank is deficient.
    """

    stabilisation: str = "projection"
    name: str = field(default="udwadia-kalaba", init=False)


@dataclass(frozen=True)
class Index3:
    """The equations M v' + J^T lam = f and C(q, t) = 0 as they stand, solved together in every step.

    Only `generalized-alpha` and `hht` do that. Redundant rows are found at the start and bear no load.
    """

    stabilisation: str = "projection"  # of the start; the steps close positions themselves
    name: str = field(default="index3", init=False)


Treatment = Kkt | UdwadiaKalaba | Index3
TREATMENTS: dict[str, Any] = {"kkt": Kkt, "udwadia-kalaba": UdwadiaKalaba, "index3": Index3}
STABILISATIONS = ("projection", "euclidean")
