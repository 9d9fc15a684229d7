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
    from .analysis.assemble import assemble, branch_of, branches
    from .analysis.assembled import Assembled
    from .analysis.check import check
    from .analysis.compare import compare
    from .analysis.cycle import Cycle, cycle
    from .analysis.equilibrium.equilibria import equilibria
    from .analysis.graph import graph
    from .analysis.inverse_dynamics import inverse_dynamics
    from .analysis.kinematics import kinematics
    from .analysis.linearise import linearise
    from .analysis.matrices import Matrices, matrices
    from .analysis.modes import modes
    from .analysis.rhs import rhs
    from .analysis.sensitivity import sensitivity
    from .analysis.simulate import simulate
    from .analysis.simulate_many import simulate_many
    from .analysis.statics import statics
    from .analysis.tree import Tree, tree
    from .choices import (
        RECIPES,
        AugmentedLagrangian,
        Baumgarte,
        Euclidean,
        Index3,
        Kkt,
        Natural,
        NullSpace,
        Partitioning,
        Penalty,
        Recursion,
        Relative,
        UdwadiaKalaba,
        Uzawa,
        recipes,
    )
    from .choices.integrators import Ab6, Bdf, Dop853, Dopri5, GeneralizedAlpha, Hht, Newmark, Radau, Rk4, Rk6
    from .derive.derivation import Derivation
    from .derive.equations_of import derive
    from .files.gallery import example
    from .files.saving import save
    from .files.schemas import schema
    from .files.types.python_type import Type
    from .live.beginning import begin as live
    from .live.document import Document
    from .live.live import Hand, Live
    from .live.recording import RecordingError
    from .live.replaying import Replay
    from .mechanism.builder import Mechanism
    from .mechanism.errors import (
        ChoiceError,
        EquilibriumError,
        FileError,
        JourdainError,
        MechanismError,
        MissingLibraryError,
        PictureError,
        PictureWarning,
        ResultsError,
        SimulationError,
        StudyError,
        TableError,
    )
    from .mechanism.fault import Fault
    from .mechanism.table_data import Table
    from .modular.box import Box, PortMotion
    from .modular.explicit_coupling import Explicit
    from .modular.extended_coupling import Extended
    from .modular.load_any import load
    from .modular.process_box import ProcessBox
    from .modular.system import System
    from .modular.uzawa_coupling import UzawaCoupling
    from .results.derivatives import Sensitivity
    from .results.driven_motion import Kinematics
    from .results.inverse import InverseDynamics
    from .results.many import Many
    from .results.solution import Solution
    from .results.status import SimulationWarning
    from .session.begin import begin as session
    from .session.editing import Outcome
    from .session.progress import Progress
    from .session.session import Session
    from .studies.load_study import load_results
    from .studies.result import Study
    from .studies.study import study

_HOME = {
    "Assembled": "analysis.assembled",
    "assemble": "analysis.assemble",
    "branch_of": "analysis.assemble",
    "branches": "analysis.assemble",
    "check": "analysis.check",
    "compare": "analysis.compare",
    "Cycle": "analysis.cycle",
    "cycle": "analysis.cycle",
    "graph": "analysis.graph",
    "inverse_dynamics": "analysis.inverse_dynamics",
    "kinematics": "analysis.kinematics",
    "equilibria": "analysis.equilibrium.equilibria",
    "linearise": "analysis.linearise",
    "Derivation": "derive.derivation",
    "Matrices": "analysis.matrices",
    "matrices": "analysis.matrices",
    "modes": "analysis.modes",
    "rhs": "analysis.rhs",
    "sensitivity": "analysis.sensitivity",
    "simulate": "analysis.simulate",
    "statics": "analysis.statics",
    "simulate_many": "analysis.simulate_many",
    "Many": "results.many",
    "Tree": "analysis.tree",
    "tree": "analysis.tree",
    "RECIPES": "choices",
    "Relative": "choices",
    "Recursion": "choices",
    "recipes": "choices",
    "Ab6": "choices",
    "Bdf": "choices",
    "Dop853": "choices",
    "Dopri5": "choices",
    "Euclidean": "choices",
    "GeneralizedAlpha": "choices",
    "Hht": "choices",
    "Index3": "choices",
    "Kkt": "choices",
    "Newmark": "choices",
    "Radau": "choices",
    "Rk4": "choices",
    "Rk6": "choices",
    "UdwadiaKalaba": "choices",
    "example": "files.gallery",
    "load": "modular.load_any",
    "save": "files.saving",
    "schema": "files.schemas",
    "Type": "files.types.python_type",
    "Uzawa": "choices",
    "Penalty": "choices",
    "Partitioning": "choices",
    "Natural": "choices",
    "NullSpace": "choices",
    "Baumgarte": "choices",
    "AugmentedLagrangian": "choices",
    "Document": "live.document",
    "Hand": "live.live",
    "Live": "live.live",
    "RecordingError": "live.recording",
    "Replay": "live.replaying",
    "Box": "modular.box",
    "ProcessBox": "modular.process_box",
    "PortMotion": "modular.box",
    "Explicit": "modular.explicit_coupling",
    "Extended": "modular.extended_coupling",
    "System": "modular.system",
    "UzawaCoupling": "modular.uzawa_coupling",
    "Mechanism": "mechanism.builder",
    "ChoiceError": "mechanism.errors",
    "EquilibriumError": "mechanism.errors",
    "FileError": "mechanism.errors",
    "JourdainError": "mechanism.errors",
    "MechanismError": "mechanism.errors",
    "Fault": "mechanism.fault",
    "Table": "mechanism.table_data",
    "TableError": "mechanism.errors",
    "SimulationError": "mechanism.errors",
    "StudyError": "mechanism.errors",
    "MissingLibraryError": "mechanism.errors",
    "PictureError": "mechanism.errors",
    "PictureWarning": "mechanism.errors",
    "Progress": "session.progress",
    "Outcome": "session.editing",
    "Session": "session.session",
    "Study": "studies.result",
    "study": "studies.study",
    "ResultsError": "mechanism.errors",
    "InverseDynamics": "results.inverse",
    "Kinematics": "results.driven_motion",
    "Sensitivity": "results.derivatives",
    "Solution": "results.solution",
    "load_results": "studies.load_study",
    "SimulationWarning": "results.status",
}

__all__ = [
    "RECIPES",
    "Ab6",
    "Assembled",
    "AugmentedLagrangian",
    "Baumgarte",
    "Bdf",
    "Box",
    "ChoiceError",
    "Cycle",
    "Derivation",
    "Document",
    "Dop853",
    "Dopri5",
    "EquilibriumError",
    "Euclidean",
    "Explicit",
    "Extended",
    "Fault",
    "FileError",
    "GeneralizedAlpha",
    "Hand",
    "Hht",
    "Index3",
    "InverseDynamics",
    "JourdainError",
    "Kinematics",
    "Kkt",
    "Live",
    "Many",
    "Matrices",
    "Mechanism",
    "MechanismError",
    "MissingLibraryError",
    "Natural",
    "Newmark",
    "NullSpace",
    "Outcome",
    "Partitioning",
    "Penalty",
    "PictureError",
    "PictureWarning",
    "PortMotion",
    "ProcessBox",
    "Progress",
    "Radau",
    "RecordingError",
    "Recursion",
    "Relative",
    "Replay",
    "ResultsError",
    "Rk4",
    "Rk6",
    "Sensitivity",
    "Session",
    "SimulationError",
    "SimulationWarning",
    "Solution",
    "Study",
    "StudyError",
    "System",
    "Table",
    "TableError",
    "Tree",
    "Type",
    "UdwadiaKalaba",
    "Uzawa",
    "UzawaCoupling",
    "__version__",
    "assemble",
    "branch_of",
    "branches",
    "check",
    "compare",
    "cycle",
    "derive",
    "equilibria",
    "example",
    "graph",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "live",
    "load",
    "load_results",
    "matrices",
    "modes",
    "recipes",
    "rhs",
    "save",
    "schema",
    "sensitivity",
    "session",
    "simulate",
    "simulate_many",
    "statics",
    "study",
    "tree",
]


if not TYPE_CHECKING:  # to a type checker, a name that is not imported above is a mistake

    def __getattr__(name: str) -> Any:
        if name in ("derive", "live", "session"):  # rooms that can be called
            return importlib.import_module(f"{__name__}.{name}")
        if name in _HOME:
            return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        new = importlib.import_module(f"{__name__}.mechanism.renamed").new_name(name)
        if new is not None:
            return __getattr__(new)
        raise AttributeError(f"module 'jourdain' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
