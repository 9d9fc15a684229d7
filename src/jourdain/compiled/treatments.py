"""The second free choice: how accelerations and multipliers are found, and how drift is held.

K = J M^-1 J^T throughout, and K lam = J M^-1 Q - gamma are the equations to be solved (see docs/treatments.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Baumgarte:
    """C'' + 2 alpha C' + beta^2 C = 0 in place of C'' = 0; alpha and beta in 1/s. Nothing is projected.

    Without alpha and beta they come from the step: beta = 0.2 pi / step and alpha = `damping` beta (Joli, Seguy and
    Feng 2008, sec. 2), which needs a fixed step. Drift stays bounded, and is not zero. Rows that hold velocities decay
    with 2 alpha.
    """

    alpha: float | None = None
    beta: float | None = None
    damping: float = 0.1
    name: str = field(default="baumgarte", init=False)

    def __str__(self) -> str:
        return self.name

    def gains(self) -> tuple[float, float]:
        """kv and kp."""
        return 2.0 * (self.alpha or 0.0), (self.beta or 0.0) ** 2

    def from_step(self, step: float) -> Baumgarte:
        beta = 0.2 * math.pi / step
        return Baumgarte(self.damping * beta, beta, self.damping)


Stabilisation = str | Baumgarte


@dataclass(frozen=True)
class Kkt:
    """Accelerations and multipliers from the KKT system by its Schur complement K = J M^-1 J^T.

    Redundant rows are found at the start and bear no load. `stabilisation`: `projection` in the mass metric after each
    step, `euclidean`, the paper's direct correction with J^+, `baumgarte`, `none`, or with `radau` and `bdf` `ggl`, the
    equations of Gear, Gupta and Leimkuhler with positions and velocities closed inside the step.
    """

    stabilisation: Stabilisation = "projection"
    name: str = field(default="kkt", init=False)


@dataclass(frozen=True)
class UdwadiaKalaba:
    """Udwadia-Kalaba: lam = K^+ (J M^-1 Q - gamma), Moore-Penrose where rows are redundant (Pappalardo 2018, sec. 4).

    All rows are kept; redundant ones share their load in the least-squares sense. Dense where the rank is deficient.
    """

    stabilisation: Stabilisation = "projection"
    name: str = field(default="udwadia-kalaba", init=False)


@dataclass(frozen=True)
class AugmentedLagrangian:
    """Bayo's augmented Lagrangian in accelerations (Joli, Seguy and Feng 2008, eqs 23 and 24 mended), to `tolerance`.

    The penalty of each row is `alpha` over its diagonal of K, so one number suits rows in any unit; an eigenvalue k of
    K against its diagonal converges by 1 / (1 + alpha k) a round. Singular positions and redundant rows, which are all
    kept and share their load, need nothing special. A run that does not converge in `most` rounds stops and says so.
    """

    alpha: float = 1e6
    tolerance: float = 1e-12
    most: int = 200
    stabilisation: Stabilisation = "projection"
    name: str = field(default="augmented-lagrangian", init=False)


@dataclass(frozen=True)
class Penalty:
    """The first round of the augmented Lagrangian: lam = alpha D (J v' - gamma + kv C' + kp C), D = diag(K)^-1.

    Accelerations and reactions are wrong by O(1 / alpha), of which Baumgarte's gains keep positions and velocities from
    drifting away: by default those from the step. Redundant rows share their load.
    """

    alpha: float = 1e7
    stabilisation: Stabilisation = field(default_factory=Baumgarte)
    name: str = field(default="penalty", init=False)


@dataclass(frozen=True)
class Uzawa:
    """Uzawa's iteration between joints (Joli, Seguy and Feng 2008, eqs 26 and 36 mended): no matrix of the whole.

    lam_j += w K_jj^-1 (J_j v' - gamma_j), K_jj from the bodies of block j alone, begun with the last multipliers.
    `relaxation` is w; it must be below 2 over the largest number of blocks on one body. Without it, rounds go along
    conjugate directions, which converges far faster and through singular positions. Done when the accelerations that
    are left are below `tolerance` (the paper: 1e-2 or 1e-1) of what there was without multipliers. With `inside` (the
    paper: 1e4) the rows that keep bodies rigid are solved inside each body by the augmented Lagrangian with that alpha,
    and only joints are iterated. A run that does not converge in `most` rounds stops and says so.
    """

    tolerance: float = 1e-10
    relaxation: float | None = None
    most: int = 5000
    inside: float | None = None
    stabilisation: Stabilisation = "projection"
    name: str = field(default="uzawa", init=False)


@dataclass(frozen=True)
class Partitioning:
    """Independent coordinates by full pivoting of J (Wehage and Haug 1982), kept while their pivots stay good.

    Accelerations by the reduced system; after each step dependent positions by Newton's method, dependent velocities by
    the velocity equations. Dense, up to 600 rows. A new choice is made at the end of a step, and multistep methods
    start anew then.
    """

    stabilisation: Stabilisation = "dependent"
    name: str = field(default="partitioning", init=False)


@dataclass(frozen=True)
class NullSpace:
    """Accelerations from the reduced system T M T^T, T an orthonormal basis of the null space of J; lam afterwards.

    Dense, up to 600 rows. Redundant rows are found at the start and bear no load.
    """

    stabilisation: Stabilisation = "projection"
    name: str = field(default="null-space", init=False)


@dataclass(frozen=True)
class Index3:
    """The equations M v' + J^T lam = f and C(q, t) = 0 as they stand, solved together in every step.

    Only `generalized-alpha` and `hht` do that. Redundant rows are found at the start and bear no load.
    """

    stabilisation: Stabilisation = "projection"  # of the start; the steps close positions themselves
    name: str = field(default="index3", init=False)


@dataclass(frozen=True)
class Recursion:
    """Joint coordinates: accelerations and multipliers by one way inward and one outward on the tree (Wijckmans 1992).

    Rows of cut joints are carried inward and solved where their loops close; the cost grows with the number of bodies.
    Redundant rows are found at the start and bear no load.
    """

    stabilisation: Stabilisation = "projection"  # of the cut joints; the others cannot come apart
    name: str = field(default="recursion", init=False)


Treatment = Recursion | Kkt | UdwadiaKalaba | AugmentedLagrangian | Penalty | Uzawa | Partitioning | NullSpace | Index3
TREATMENTS: dict[str, Any] = {
    "kkt": Kkt,
    "udwadia-kalaba": UdwadiaKalaba,
    "augmented-lagrangian": AugmentedLagrangian,
    "penalty": Penalty,
    "uzawa": Uzawa,
    "partitioning": Partitioning,
    "null-space": NullSpace,
    "index3": Index3,
    "recursion": Recursion,
}
STABILISATIONS = ("projection", "euclidean", "baumgarte", "ggl", "none", "dependent")
# Rows of these are all kept where some are redundant.
KEEP_ALL = ("udwadia-kalaba", "augmented-lagrangian", "penalty", "uzawa")
DENSE = ("partitioning", "null-space")
