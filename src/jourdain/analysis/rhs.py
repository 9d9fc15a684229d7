"""rhs: the right-hand side as a plain callable, for people with their own integrator or controller."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from ..assembly.prepare import prepare
from ..assembly.sentences import failure
from ..choices import Coordinates, resolve
from ..engine.body_states import from_vector
from ..engine.callbacks import raise_errors
from ..engine.pose import Pose
from ..files.by_name import Given, or_file
from ..kernels.layout.returned import OK
from ..mechanism.arguments import asked, shown, uncalled
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import ChoiceError, JourdainError
from ..mechanism.parts import Blueprint
from ..model.states import State

Array = npt.NDArray[np.float64]


class RightHandSide:
    """`f(t, y)` with y = [q | v | states of elements, works, turns].

    `f.start` is a closed start, `f.project(t, y)` closes the joints again. Threads may share it: they take turns, since
    it has one memory to work in. For work side by side make one for each.
    """

    def __init__(self, mechanism: Mechanism | Blueprint, coordinates: str | Coordinates) -> None:
        prepared = prepare(mechanism, coordinates)
        self._pose = Pose(prepared.model, prepared.workspace)
        self.model = prepared.model
        self.start: Array = prepared.assembly.y.copy()
        self._turn = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_turn"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._turn = threading.RLock()

    def __call__(self, t: float, y: Array) -> Array:
        y = self._checked(y)
        with self._turn:
            status, dy = self._pose.slope(float(t), y)
            self._check(status, t, y)
        return dy

    def project(self, t: float, y: Array) -> Array:
        y = self._checked(y).copy()
        with self._turn:
            self._check(self._pose.project(float(t), y), t, y)
            self._pose.forget()
        return y

    def state(self, y: Array) -> State:
        """Poses and velocities by body name."""
        return State(from_vector(self.model, np.asarray(y, dtype=float)))

    def _checked(self, y: Array) -> Array:
        wanted = f"expected an array of {self.model.length} numbers, laid out as `start`"
        if words := uncalled("y", y):
            raise ChoiceError(f"{words}, and y is no state by name either; {wanted}")
        try:
            y = np.ascontiguousarray(y, dtype=float)
        except (TypeError, ValueError):
            raise ChoiceError(f"y is {shown(y)}; {wanted}") from None
        if y.shape != (self.model.length,):
            raise ValueError(
                f"y has shape {y.shape}; expected ({self.model.length},): coordinates, velocities, then "
                f"{self.model.nz} states of elements, works and turns (see `start`)"
            )
        return y

    def _check(self, status: int, t: float, y: Array) -> None:
        raise_errors(self._pose.workspace.callbacks, f"stopped near t = {t:g} s: ")
        if status != OK:
            raise JourdainError(failure(status, t, self.model, self._pose.workspace, y))


@or_file
@asked
def rhs(mechanism: Given, coordinates: str | Coordinates | None = None) -> RightHandSide:
    """The right-hand side of a mechanism as `f(t, y)`."""
    blueprint = blueprint_of(mechanism)
    chosen = resolve(blueprint.space, coordinates=coordinates).set
    return RightHandSide(blueprint, chosen)
