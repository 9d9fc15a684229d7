"""For editors and type checkers: methods of the builder that a system has between its ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ..choices.keys import ChoiceKeys, MachineKeys
from ..mechanism.part_keys import PlaceKeys
from ..mechanism.part_methods import ForceMethods, JointMethods, MotionMethods, RelationMethods
from ..mechanism.parts import PortName
from ..mechanism.taken import Amount, Amounts, Expression, Initial, PartValue, Seconds
from .step import Coupling


class Links(JointMethods, RelationMethods, MotionMethods, ForceMethods):
    """Never made: a system hands these over to the mechanism of its links."""

    def joint(
        self,
        type: str,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        bodies: Any = None,
        at: Amounts | None = None,
        axis: Amounts | None = None,
        equations: Sequence[str | Expression] | str = (),
        length: Amount | None = None,
        values: Mapping[str, Amount] | None = None,
        initial: Initial | None = None,
    ) -> str:
        raise NotImplementedError

    def component(self, section: str, type: str, name: str, /, *ends: PortName, **keys: PartValue) -> str:
        raise NotImplementedError

    def screw(
        self,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        pitch: Amount,
        joints: Sequence[str] | None = None,
        **where: Unpack[PlaceKeys],
    ) -> str:
        raise NotImplementedError

    def spring_damper(
        self,
        name: str,
        first: PortName,
        second: PortName,
        *,
        stiffness: Amount = 0.0,
        damping: Amount = 0.0,
        length: Amount = 0.0,
    ) -> str:
        raise NotImplementedError

    def parameter(self, name: str, value: Amount) -> str:
        raise NotImplementedError


class SessionKeys(MachineKeys, total=False):
    until: float | None
    every: float | None
    times: Sequence[float] | npt.NDArray[np.float64] | None
    state: Mapping[str, Any] | None


class RunKeys(MachineKeys, total=False):
    every: Seconds | None
    times: Sequence[float] | npt.NDArray[np.float64] | None
    state: Mapping[str, Any] | None
    progress: Any


class CompareKeys(ChoiceKeys, total=False):
    couplings: Sequence[str | Coupling] | None
    macro_steps: Sequence[float]
