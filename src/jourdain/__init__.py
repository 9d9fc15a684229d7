"""Jourdain: mechanisms in the plane and in space, closed loops included.

    import jourdain as jd
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    run = jd.simulate(m, 5.0)

Names are imported when first used, so that `import jourdain` is quick and needs no compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .analysis.check import check
    from .analysis.compare import compare
    from .analysis.graph import graph
    from .analysis.many import simulate_many
    from .analysis.progress import Progress
    from .analysis.rhs import rhs
    from .analysis.simulate import simulate
    from .analysis.tree import Tree, tree
    from .compiled.choices import RECIPES, recipes
    from .compiled.integrators import Ab6, Bdf, Dop853, Dopri5, GeneralizedAlpha, Hht, Newmark, Radau, Rk4, Rk6
    from .compiled.treatments import (
        AugmentedLagrangian,
        Baumgarte,
        Index3,
        Kkt,
        NullSpace,
        Partitioning,
        Penalty,
        UdwadiaKalaba,
        Uzawa,
    )
    from .files.gallery import example
    from .files.loading import load
    from .files.saving import save
    from .files.schemas import schema
    from .mechanism.builder import Mechanism
    from .mechanism.errors import (
        ChoiceError,
        FileError,
        JourdainError,
        MechanismError,
        MissingLibraryError,
        PictureError,
        ResultsError,
        SimulationError,
    )
    from .results.many import Many
    from .results.reload import load_results
    from .results.solution import Solution
    from .results.status import SimulationWarning

_HOME = {
    "check": "analysis.check",
    "compare": "analysis.compare",
    "graph": "analysis.graph",
    "rhs": "analysis.rhs",
    "simulate": "analysis.simulate",
    "simulate_many": "analysis.many",
    "Many": "results.many",
    "Tree": "analysis.tree",
    "tree": "analysis.tree",
    "RECIPES": "compiled.choices",
    "recipes": "compiled.choices",
    "Ab6": "compiled.integrators",
    "Bdf": "compiled.integrators",
    "Dop853": "compiled.integrators",
    "Dopri5": "compiled.integrators",
    "GeneralizedAlpha": "compiled.integrators",
    "Hht": "compiled.integrators",
    "Index3": "compiled.treatments",
    "Kkt": "compiled.treatments",
    "Newmark": "compiled.integrators",
    "Radau": "compiled.integrators",
    "Rk4": "compiled.integrators",
    "Rk6": "compiled.integrators",
    "UdwadiaKalaba": "compiled.treatments",
    "example": "files.gallery",
    "load": "files.loading",
    "save": "files.saving",
    "schema": "files.schemas",
    "Uzawa": "compiled.treatments",
    "Penalty": "compiled.treatments",
    "Partitioning": "compiled.treatments",
    "NullSpace": "compiled.treatments",
    "Baumgarte": "compiled.treatments",
    "AugmentedLagrangian": "compiled.treatments",
    "Mechanism": "mechanism.builder",
    "ChoiceError": "mechanism.errors",
    "FileError": "mechanism.errors",
    "JourdainError": "mechanism.errors",
    "MechanismError": "mechanism.errors",
    "SimulationError": "mechanism.errors",
    "MissingLibraryError": "mechanism.errors",
    "PictureError": "mechanism.errors",
    "Progress": "analysis.progress",
    "ResultsError": "mechanism.errors",
    "Solution": "results.solution",
    "load_results": "results.reload",
    "SimulationWarning": "results.status",
}

__all__ = [
    "RECIPES",
    "Ab6",
    "AugmentedLagrangian",
    "Baumgarte",
    "Bdf",
    "ChoiceError",
    "Dop853",
    "Dopri5",
    "FileError",
    "GeneralizedAlpha",
    "Hht",
    "Index3",
    "JourdainError",
    "Kkt",
    "Many",
    "Mechanism",
    "MechanismError",
    "MissingLibraryError",
    "Newmark",
    "NullSpace",
    "Partitioning",
    "Penalty",
    "PictureError",
    "Progress",
    "Radau",
    "ResultsError",
    "Rk4",
    "Rk6",
    "SimulationError",
    "SimulationWarning",
    "Solution",
    "Tree",
    "UdwadiaKalaba",
    "Uzawa",
    "__version__",
    "check",
    "compare",
    "example",
    "graph",
    "load",
    "load_results",
    "recipes",
    "rhs",
    "save",
    "schema",
    "simulate",
    "simulate_many",
    "tree",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module 'jourdain' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
