"""The second free choice: how accelerations and multipliers are found. One file for each treatment; this is the list.

K = J M^-1 J^T throughout, and K lam = J M^-1 Q - gamma are the equations to be solved (see docs/treatments.md).
"""

from __future__ import annotations

from ..contract import Treatment
from .augmented_lagrangian import AugmentedLagrangian
from .index3 import Index3
from .kkt import Kkt
from .null_space import NullSpace
from .partitioning import Partitioning
from .penalty import Penalty
from .recursion import Recursion
from .udwadia_kalaba import UdwadiaKalaba
from .uzawa import Uzawa

TREATMENTS: dict[str, type[Treatment]] = {
    kind.name: kind
    for kind in (
        Kkt,
        UdwadiaKalaba,
        AugmentedLagrangian,
        Penalty,
        Uzawa,
        Partitioning,
        NullSpace,
        Index3,
        Recursion,
    )
}
