"""How well a run keeps its energy, in words that mean something where next to nothing moves."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..mechanism.parts import Blueprint

Array = npt.NDArray[np.float64]

EARTH = 9.81  # m/s2, where there is no gravity
AT_REST = 1e-12  # of the energy of all bodies falling by the size: less kinetic energy is rounding


class _Run(Protocol):
    @property
    def blueprint(self) -> Blueprint: ...

    @property
    def size(self) -> float: ...

    @property
    def energy(self) -> Any: ...


def drift_of(run: _Run) -> tuple[float, float | None]:
    """In joules, and against the largest kinetic energy; None where nothing moves."""
    total, kinetic = run.energy.total, run.energy.kinetic
    drift = float(np.max(np.abs(total - total[0]), initial=0.0))
    largest = float(np.max(np.abs(kinetic), initial=0.0))
    gravity = float(np.linalg.norm(run.blueprint.gravity)) or EARTH
    weight = gravity * sum(body.mass for body in run.blueprint.bodies)
    return drift, drift / largest if largest > AT_REST * weight * run.size else None


def balance_words(run: _Run) -> str:
    drift, part = drift_of(run)
    words = f"balance kept to {drift:.2g} J"
    return f"{words}; nothing moves" if part is None else f"{words} ({part:.1g} of the largest kinetic energy)"
