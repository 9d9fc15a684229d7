"""The third free choice: how time goes on. Each integrator is a small object with its parameters.

`loop` names the kernel, and whether multipliers are among its unknowns; methods with error control all have `rtol`,
`atol` and `max_step`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

WITH_MULTIPLIERS = "+multipliers"
WITH_FORCES = "+forces"


def method_of(loop: str) -> str:
    """The method of a loop, whatever its unknowns and stages."""
    name = loop.partition("+")[0]
    return "radau" if name.startswith("radau") else name


def stages_of(loop: str) -> int:
    """Stages of radau, whose loops are named by their order."""
    return (int(loop.partition("+")[0].removeprefix("radau") or 5) + 1) // 2


@dataclass(frozen=True)
class Rk4:
    """Classical Runge-Kutta of order 4. `step` is the longest step; steps divide output intervals evenly."""

    step: float
    name: str = field(default="rk4", init=False)
    loop: ClassVar[str] = "rk4"


@dataclass(frozen=True)
class Rk6:
    """Runge-Kutta of order 6 in seven stages (Butcher 1964); steps as for rk4."""

    step: float
    name: str = field(default="rk6", init=False)
    loop: ClassVar[str] = "rk6"


@dataclass(frozen=True)
class Ab6:
    """Adams-Bashforth of order 6, one evaluation a step, started by rk6; steps as for rk4. Not for stiff machines.

    A run whose errors of earlier steps begin to grow is stopped.
    """

    step: float = 1e-3
    name: str = field(default="ab6", init=False)
    loop: ClassVar[str] = "ab6"


@dataclass(frozen=True)
class Newmark:
    """Newmark's trapezoidal rule as predictor and corrector, one evaluation a correction (Joli, Seguy and Feng 2008).

    Of order 1 with one correction, of order 2 with two; steps as for rk4.
    """

    step: float
    corrections: int = 2
    name: str = field(default="newmark", init=False)
    loop: ClassVar[str] = "newmark"


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Generalized-alpha of order 2 on the index-3 equations (Chung and Hulbert 1993; Arnold and Bruls 2007).

    `rho` is the spectral radius at infinite frequency: 1 damps nothing, 0 damps what a step does not resolve at once.
    Positions are closed in every step, velocities to the accuracy of the method. `newton` says with which matrix the
    equations of a step are iterated: "modified" has the masses only, which costs nothing; "exact" also what stiffness,
    damping and element states do, and is dense; "auto" takes the exact one where the other converges slowly.
    """

    step: float
    rho: float = 0.9
    newton: str = "auto"
    name: str = field(default="generalized-alpha", init=False)
    loop: ClassVar[str] = "alpha"

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        am, af = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        gamma = 0.5 - am + af
        return am, af, 0.25 * (gamma + 0.5) ** 2, gamma


@dataclass(frozen=True)
class Hht:
    """Hilber, Hughes and Taylor's method of order 2 on the index-3 equations; `alpha` from 0 (no damping) to 1/3.

    `newton` as for generalized-alpha.
    """

    step: float
    alpha: float = 0.05
    newton: str = "auto"
    name: str = field(default="hht", init=False)
    loop: ClassVar[str] = "alpha"

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        return 0.0, self.alpha, 0.25 * (1 + self.alpha) ** 2, 0.5 + self.alpha


@dataclass(frozen=True)
class Dop853:
    """Dormand-Prince of order 8 with error control. `atol` None: `rtol` times the smaller of 1 and the size in m."""

    rtol: float = 1e-9
    atol: float | None = None
    max_step: float = math.inf
    name: str = field(default="dop853", init=False)
    loop: ClassVar[str] = "dop853"


@dataclass(frozen=True)
class Dopri5:
    """Dormand-Prince of order 5 with error control; for loose tolerances and many corners. `atol` as for dop853."""

    rtol: float = 1e-6
    atol: float | None = None
    max_step: float = math.inf
    name: str = field(default="dopri5", init=False)
    loop: ClassVar[str] = "dopri5"


@dataclass(frozen=True)
class Radau:
    """Radau IIA with error control, implicit: for stiff machines. `atol` as for dop853.

    `stages` 3, 5 or 7 have order 5, 9 or 13; more for tight tolerances. `multipliers`: they are unknowns of a step,
    beside the motion, instead of being solved for in each evaluation. `forces`: those of springs, dampers and other
    forces along a line or about an axis are, which lets steps be long where stiff ones turn with the machine.
    """

    rtol: float = 1e-6
    atol: float | None = None
    max_step: float = math.inf
    multipliers: bool = False
    stages: int = 3
    forces: bool = False
    name: str = field(default="radau", init=False)

    @property
    def loop(self) -> str:
        order = "" if self.stages == 3 else str(2 * self.stages - 1)
        return f"radau{order}{WITH_MULTIPLIERS if self.multipliers else WITH_FORCES if self.forces else ''}"


@dataclass(frozen=True)
class Bdf:
    """Backward differences of order 1 to 5 with error control, implicit: for large stiff machines and loose tolerances.

    `atol` as for dop853, `multipliers` as for radau.
    """

    rtol: float = 1e-6
    atol: float | None = None
    max_step: float = math.inf
    multipliers: bool = False
    name: str = field(default="bdf", init=False)

    @property
    def loop(self) -> str:
        return f"bdf{WITH_MULTIPLIERS}" if self.multipliers else "bdf"


Integrator = Rk4 | Rk6 | Ab6 | Newmark | GeneralizedAlpha | Hht | Dop853 | Dopri5 | Radau | Bdf
FIXED_STEP: dict[str, Any] = {
    "rk4": Rk4,
    "rk6": Rk6,
    "ab6": Ab6,
    "newmark": Newmark,
    "generalized-alpha": GeneralizedAlpha,
    "hht": Hht,
}
ADAPTIVE: dict[str, Any] = {"dop853": Dop853, "dopri5": Dopri5, "radau": Radau, "bdf": Bdf}
Adaptive = Dop853 | Dopri5 | Radau | Bdf
IMPLICIT = ("radau", "bdf")  # methods that can have multipliers among their unknowns
# Methods that solve the index-3 equations themselves, whatever the treatment of the others.
INDEX3 = ("generalized-alpha", "hht")
# Their iteration matrices, in the order of kernels/context.py.
NEWTONS = ("auto", "exact", "modified")
