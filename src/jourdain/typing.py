"""Types of what public functions take and return, for annotations and `isinstance`.

    import jourdain as jd
    import jourdain.typing as jt

    def crank(m: jd.Mechanism, pin: jt.PortName) -> jt.BodyHandle: ...

What one makes oneself is in `jourdain`; here is what one gets. Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis.check import Checked
    from .analysis.compare import Comparison
    from .analysis.graph import Graph
    from .analysis.modes import Modes
    from .analysis.rhs import RightHandSide
    from .analysis.simulate_many import Build
    from .analysis.tree import JointState, TreeMotion, Wrench
    from .assembly.prepare import Prepared
    from .choices import Choices, Coordinates, Integrator, Stabilisation, Treatment
    from .choices.keys import ChoiceKeys, MachineKeys
    from .files.by_name import Given
    from .files.types.type_definition import Definition
    from .library.quantities import Quantity
    from .live.engine import Engine
    from .live.live import Branch
    from .live.look import Frame, Look
    from .live.warm_up import Told
    from .mechanism.display import Display
    from .mechanism.fault import Mark
    from .mechanism.handles import BodyHandle, PartHandle, PartType
    from .mechanism.machine import Machine
    from .mechanism.parts import Blueprint, Body, Component, Event, Force, Joint, Port, PortName
    from .mechanism.taken import (
        Amount,
        Amounts,
        AxisKeys,
        Bodies,
        Expression,
        Initial,
        Limits,
        Load,
        Loads,
        Pairs,
        PartValue,
        Place,
        Rows,
        Seconds,
    )
    from .model.flat import FlatModel
    from .model.states import BodyState, State
    from .modular.check_system import CheckedSystem
    from .modular.compare_couplings import ComparedSystem
    from .modular.coupled import SystemSession
    from .modular.system import Handle, SystemGround
    from .modular.system_solution import SystemSolution
    from .modular.typed_links import CompareKeys, RunKeys, SessionKeys
    from .plotting.shown import Poses
    from .results.body_motion import Motion
    from .results.extremes import Extremum, Spectrum
    from .results.figures_of_machines import Shaking
    from .results.maxima import Maxima
    from .results.notebook import Moving
    from .results.reactions import Reaction
    from .results.record import AnimateKeys, Record, Units
    from .results.reload import Reloaded
    from .results.resting_pose import Equilibria, Equilibrium
    from .results.row_multipliers import Multipliers
    from .results.solution import Energy, Violation
    from .results.state_space import StateSpace
    from .results.status import Status
    from .session.event_actions import Happened, Moment

_HOME = {
    "Amount": "mechanism.taken",
    "AxisKeys": "mechanism.taken",
    "Body": "mechanism.parts",
    "Component": "mechanism.parts",
    "Event": "mechanism.parts",
    "Force": "mechanism.parts",
    "Port": "mechanism.parts",
    "AnimateKeys": "results.record",
    "Poses": "plotting.shown",
    "Amounts": "mechanism.taken",
    "Blueprint": "mechanism.parts",
    "Bodies": "mechanism.taken",
    "BodyHandle": "mechanism.handles",
    "BodyState": "model.states",
    "Branch": "live.live",
    "Build": "analysis.simulate_many",
    "Checked": "analysis.check",
    "CheckedSystem": "modular.check_system",
    "ChoiceKeys": "choices.keys",
    "Choices": "choices",
    "CompareKeys": "modular.typed_links",
    "ComparedSystem": "modular.compare_couplings",
    "Comparison": "analysis.compare",
    "Coordinates": "choices",
    "Definition": "files.types.type_definition",
    "Display": "mechanism.display",
    "Energy": "results.solution",
    "Engine": "live.engine",
    "Equilibria": "results.resting_pose",
    "Equilibrium": "results.resting_pose",
    "Expression": "mechanism.taken",
    "Extremum": "results.extremes",
    "FlatModel": "model.flat",
    "Frame": "live.look",
    "Given": "files.by_name",
    "Graph": "analysis.graph",
    "Handle": "modular.system",
    "Happened": "session.event_actions",
    "Initial": "mechanism.taken",
    "Integrator": "choices",
    "Joint": "mechanism.parts",
    "JointState": "analysis.tree",
    "Limits": "mechanism.taken",
    "Load": "mechanism.taken",
    "Loads": "mechanism.taken",
    "Look": "live.look",
    "Machine": "mechanism.machine",
    "MachineKeys": "choices.keys",
    "Mark": "mechanism.fault",
    "Maxima": "results.maxima",
    "Modes": "analysis.modes",
    "Moving": "results.notebook",
    "Moment": "session.event_actions",
    "Motion": "results.body_motion",
    "Multipliers": "results.row_multipliers",
    "Pairs": "mechanism.taken",
    "PartHandle": "mechanism.handles",
    "PartType": "mechanism.handles",
    "PartValue": "mechanism.taken",
    "Place": "mechanism.taken",
    "PortName": "mechanism.parts",
    "Prepared": "assembly.prepare",
    "Quantity": "library.quantities",
    "Reaction": "results.reactions",
    "Record": "results.record",
    "Reloaded": "results.reload",
    "RightHandSide": "analysis.rhs",
    "Rows": "mechanism.taken",
    "RunKeys": "modular.typed_links",
    "Seconds": "mechanism.taken",
    "SessionKeys": "modular.typed_links",
    "Shaking": "results.figures_of_machines",
    "Spectrum": "results.extremes",
    "Stabilisation": "choices",
    "State": "model.states",
    "StateSpace": "results.state_space",
    "Status": "results.status",
    "SystemGround": "modular.system",
    "SystemSession": "modular.coupled",
    "SystemSolution": "modular.system_solution",
    "Told": "live.warm_up",
    "Treatment": "choices",
    "TreeMotion": "analysis.tree",
    "Units": "results.record",
    "Violation": "results.solution",
    "Wrench": "analysis.tree",
}

__all__ = [
    "Amount",
    "Amounts",
    "AnimateKeys",
    "AxisKeys",
    "Blueprint",
    "Bodies",
    "Body",
    "BodyHandle",
    "BodyState",
    "Branch",
    "Build",
    "Checked",
    "CheckedSystem",
    "ChoiceKeys",
    "Choices",
    "CompareKeys",
    "ComparedSystem",
    "Comparison",
    "Component",
    "Coordinates",
    "Definition",
    "Display",
    "Energy",
    "Engine",
    "Equilibria",
    "Equilibrium",
    "Event",
    "Expression",
    "Extremum",
    "FlatModel",
    "Force",
    "Frame",
    "Given",
    "Graph",
    "Handle",
    "Happened",
    "Initial",
    "Integrator",
    "Joint",
    "JointState",
    "Limits",
    "Load",
    "Loads",
    "Look",
    "Machine",
    "MachineKeys",
    "Mark",
    "Maxima",
    "Modes",
    "Moment",
    "Motion",
    "Moving",
    "Multipliers",
    "Pairs",
    "PartHandle",
    "PartType",
    "PartValue",
    "Place",
    "Port",
    "PortName",
    "Poses",
    "Prepared",
    "Quantity",
    "Reaction",
    "Record",
    "Reloaded",
    "RightHandSide",
    "Rows",
    "RunKeys",
    "Seconds",
    "SessionKeys",
    "Shaking",
    "Spectrum",
    "Stabilisation",
    "State",
    "StateSpace",
    "Status",
    "SystemGround",
    "SystemSession",
    "SystemSolution",
    "Told",
    "Treatment",
    "TreeMotion",
    "Units",
    "Violation",
    "Wrench",
]


if not TYPE_CHECKING:  # to a type checker, a name that is not imported above is a mistake

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(importlib.import_module(f"jourdain.{_HOME[name]}"), name)
        raise AttributeError(f"module 'jourdain.typing' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
