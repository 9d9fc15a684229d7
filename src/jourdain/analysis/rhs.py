"""rhs: the right-hand side as a plain callable, for people with their own integrator or controller."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.callbacks import raise_errors
from ..compiled.kernels import load_kernels
from ..compiled.states import BodyState, from_vector
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import JourdainError
from ..mechanism.parts import Blueprint
from .running.sentences import failure
from .starting.prepare import prepare

Array = npt.NDArray[np.float64]


class RightHandSide:
    """`f(t, y)` with y = [q | v | states of elements, works, turns].

    `f.start` is a closed start, `f.project(t, y)` closes the joints again.
    """

    def __init__(self, mechanism: Mechanism | Blueprint, coordinates: str) -> None:
        prepared = prepare(mechanism, coordinates)
        self._prepared = prepared
        self._k = load_kernels()
        self.model = prepared.model
        self.start: Array = prepared.assembly.y.copy()

    def __call__(self, t: float, y: Array) -> Array:
        y = self._checked(y)
        dy = np.zeros_like(y)
        ctx = self._prepared.workspace.ctx
        ctx[self._k.context.H_FRESH] = 0  # whatever was factored belongs to another state
        self._check(self._k.system.call_entry(ctx, self._k.context.F_RHS, float(t), y, dy), t, y)
        return dy

    def project(self, t: float, y: Array) -> Array:
        y = self._checked(y).copy()
        status = self._k.system.project(self._prepared.workspace.ctx, float(t), y)
        self._check(self._k.context.OK if status == self._k.context.RESTART else status, t, y)
        self._prepared.workspace.ctx[self._k.context.H_FRESH] = 0
        return y

    def state(self, y: Array) -> dict[str, BodyState]:
        """Poses and velocities by body name."""
        return from_vector(self.model, np.asarray(y, dtype=float))

    def _checked(self, y: Array) -> Array:
        y = np.ascontiguousarray(y, dtype=float)
        if y.shape != (self.model.length,):
            raise ValueError(
                f"y has shape {y.shape}; expected ({self.model.length},): coordinates, velocities, then "
                f"{self.model.nz} states of elements, works and turns (see `start`)"
            )
        return y

    def _check(self, status: int, t: float, y: Array) -> None:
        raise_errors(self.model.keepalive, f"stopped near t = {t:g} s: ")
        if status != self._k.context.OK:
            raise JourdainError(failure(status, t, self.model, self._prepared.workspace, y))


def rhs(mechanism: Mechanism | Blueprint, coordinates: str | None = None) -> RightHandSide:
    """The right-hand side of a mechanism as `f(t, y)`."""
    from ..compiled.choices import resolve

    blueprint = blueprint_of(mechanism)
    chosen = resolve(blueprint.space, coordinates=coordinates).coordinates
    return RightHandSide(blueprint, chosen)
