"""Dynamics of an open tree both ways, as functions of time, joint coordinates and joint velocities.

The model is that of the coordinates `relative`, and so are workspace and kernels: what is added is the way in from
Python. States have no z here, so turns that formulas ask for are told by the joint coordinates.

Several threads may call: what changes memory waits for its turn, and the built-in function, which never gives the
interpreter away, has memory of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout import tree_table as tree
from ..mechanism.errors import JourdainError
from ..model.flat import FlatModel
from ..model.tree.tree_arrays import told_by_joints
from .body_states import link_states
from .callbacks import raise_errors
from .cold_start import compile_for
from .kernel_cache import load_kernels, load_recursion, quick_accelerations
from .plan import Plan
from .tree_threads import crew_for
from .workspace import Workspace

Array = npt.NDArray[np.float64]

LOADING = ("FORCES", "SIGNALS", "FORWARD", "REVERSE", "TAPE_FORCES")  # entries behind applied forces
REACTIONS = ("TREE_REACTIONS",)


class JointDynamics:
    """Vectors in one piece and of the right length; answers go to `out`, and a status comes back, 0 if all is finite.

    `model` is what a plan for the same functions over time takes.
    """

    def __init__(self, model: FlatModel, threads: int | None = None) -> None:
        self.model = told_by_joints(model)
        self._plan = Plan.of(self.model)
        self._loaded = self.model.flags["HAS_LOADS"] == 1
        self._workspace = self._with_entries(LOADING if self._loaded else ())
        self._recursion = load_recursion(self.model.blueprint.space)
        self._efforts = self._workspace[tree.EFFORTS][:, 0]
        self._clock = self._workspace[tree.CLOCK]
        self._crew = crew_for(self._workspace, threads)
        self._turn = threading.RLock()
        self._busy = False
        self._reacts = False  # whether its workspace has what finds reactions

    @property
    def arrays(self) -> Mapping[int, Array]:
        """Memory and constants of an evaluation."""
        return self._workspace.arrays

    def _with_entries(self, slots: tuple[str, ...]) -> Workspace:
        if slots:
            compile_for(self._plan, slots=slots)
        return Workspace(self._plan, slots=slots)

    def accelerations(self, t: float, q: Array, v: Array, efforts: Array | None, out: Array) -> int:
        """The articulated body algorithm, with efforts along the joint velocities."""
        with self._turn:
            if efforts is None or self._busy:
                return self._under_loads(t, self._forward, q, v, out)
            self._efforts[:] = efforts
            try:
                return self._under_loads(t, self._forward, q, v, out) if self._loaded else self._forward(q, v, out)
            finally:
                self._efforts[:] = 0.0

    def inverse(self, t: float, q: Array, v: Array, a: Array, out: Array) -> int:
        """Recursive Newton-Euler."""
        with self._turn:
            return self._under_loads(t, self._inverse, q, v, a, out) if self._loaded else self._inverse(q, v, a, out)

    def reactions(self, t: float, q: Array, v: Array, efforts: Array | None, out: Array) -> tuple[int, Array]:
        """Accelerations, and what each joint of the mechanism exerts on both its sides (joint, side, component)."""
        with self._turn:
            workspace = self._workspace
            status = self.accelerations(t, q, v, efforts, out)
            workspace[f.ACCELERATION][:, 0] = out
            if not self._reacts:
                compile_for(self._plan, slots=REACTIONS)
                workspace.provide(REACTIONS)
                self._reacts = True
            wrenches = workspace[f.WRENCHES]
            wrenches[...] = 0.0
            load_kernels().dynamics.call_entry(workspace.ctx, f.F_TREE_REACTIONS, t, q, v)
            return status, wrenches.reshape(-1, 2, wrenches.shape[1]).copy()

    def links(self, q: Array, v: Array) -> Array:
        """How all links move, as the tree of the model reads it."""
        y, still = np.concatenate([q, v])[None], np.zeros((1, v.size))
        with self._turn:
            self._refuse_itself()
            found: Array = link_states(self.model, y, still, self._workspace)[0]
        return found

    def rates(self, q: Array, v: Array, out: Array) -> None:
        """q'."""
        self._recursion.kernels.rates(self._workspace.ctx, q, v, out)

    def quick(self, ordinary: Any) -> Any:
        """Accelerations as a built-in function where that can be, else `ordinary`, which takes the same arguments."""
        if self._loaded or self._crew is not None:
            return ordinary
        return quick_accelerations(self._recursion, self._with_entries(()), ordinary)

    # Kernels, each compiled when first asked for.

    @cached_property
    def _forward(self) -> Callable[..., int]:
        if self._crew is not None:
            return self._crew.forward
        return partial(self._recursion.kernels.forward, self._workspace.ctx)

    @cached_property
    def _inverse(self) -> Callable[..., int]:
        return partial(self._recursion.kernels.inverse, self._workspace.ctx)

    def _refuse_itself(self) -> None:
        if self._busy:
            words = "a function of the mechanism asks its own tree while that waits for it"
            raise JourdainError(f"{words}; make a second one")

    def _under_loads(self, t: float, kernel: Callable[..., int], *vectors: Array) -> int:
        """What a kernel answers at time t; raises what a user's function has raised, once."""
        self._refuse_itself()
        self._clock[0, 0] = t
        callbacks = self._workspace.callbacks
        if not callbacks:
            return kernel(*vectors)
        self._busy = True
        try:
            status = kernel(*vectors)
            raise_errors(callbacks, f"near t = {t:g} s ")
        finally:
            self._busy = False
            for callback in callbacks:
                callback.clear()
        return status
