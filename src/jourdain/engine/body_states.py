"""States out of a model: motions of bodies at samples of y, and states by body name. The way in is model/states.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.frozen import Frozen
from ..mechanism.rotations import swung
from ..model.flat import FlatModel
from ..model.states import BodyState, State, attitude_from_frames, to_vector
from .compiled_entries import loop
from .plan import Plan
from .workspace import Workspace

Array = npt.NDArray[np.float64]


def body_motion(model: FlatModel, samples: Array, accelerations: Array) -> tuple[Any, ...]:
    """Mass centre, axes, attitude or None, velocity, spin, acceleration, its rate of all bodies at samples of y."""
    links = link_states(model, samples, accelerations) if model.set.reading() else None
    found: tuple[Any, ...] = model.set.motion(model, samples, accelerations, links)
    return found


def link_states(model: FlatModel, samples: Array, accelerations: Array, workspace: Workspace | None = None) -> Array:
    """What the compiled function behind a set finds of every link at samples of y (time, link, ...).

    A workspace is memory that may be written.
    """
    (entry,), workspace = model.set.reading(), workspace or Workspace(Plan.of(model), slots=())
    out = np.empty((len(samples), len(model.tree.graph.links), 9 if model.blueprint.dim == 2 else 24))
    given = np.ascontiguousarray(samples), np.ascontiguousarray(accelerations)
    loop(entry)(workspace.ctx, model.nq, model.nv, *given, out)
    return out


def origin_motion(model: FlatModel, samples: Array) -> tuple[Array, Array, Array, Array]:
    """On a tree: position, axes, velocity and spin of the origins of all bodies at samples of y."""
    links = link_states(model, samples, np.zeros((len(samples), model.nv)))
    found: tuple[Array, Array, Array, Array] = model.tree.body_origins(links)
    return found


def from_vector(model: FlatModel, y: Array) -> dict[str, BodyState]:
    """The state of every body by name, of its origin."""
    found = body_motion(model, y[None], np.zeros((1, model.nv)))
    attitude: Any = None if found[2] is None else found[2][0]
    centre, frame, speed, spin = (found[k][0] for k in (0, 1, 3, 4))
    if attitude is None:
        attitude = attitude_from_frames(frame)
    arms = np.array([axes @ data.centre for axes, data in zip(frame, model.body_data, strict=True)])
    return states_by_name(model, centre - arms, attitude, speed - swung(spin, arms), spin)


def states_by_name(model: FlatModel, places: Array, attitudes: Array, speeds: Array, spins: Array) -> dict[str, Any]:
    """Of the origins of all bodies, in their order."""
    planar = model.blueprint.dim == 2
    states = {}
    rows = (part.tolist() for part in (places, attitudes, speeds, spins))
    for body, place, a, speed, w in zip(model.blueprint.bodies, *rows, strict=True):
        a, w = (a, w[0]) if planar else (tuple(a), tuple(w))
        states[body.name] = BodyState(tuple(place), a, tuple(speed), w)
    return states


def whole_state(model: FlatModel, y: Array) -> State:
    """The state of every body, and of elements and turning joints too: what a run can be continued from."""
    found: dict[str, Any] = {**from_vector(model, y)}
    at = model.layout
    for (element, name), value in zip(model.states, y[at.states], strict=True):
        found.setdefault(element, {})[name] = float(value)
    for name, angle in zip(model.turns, y[at.turns], strict=True):
        if not model.blueprint.has_body(name):
            found[name] = float(angle)
    q = y[at.q]
    return State({**found, **{name: float(q[k]) for name, k in model.set.angle_columns(model).items()}})


def recounted(model: FlatModel, y: Array, before: Array) -> Array:
    """y with the states of elements of a state before it, works zero, and turns nearest to those it had then."""
    at = model.layout
    found = to_vector(model, {**whole_state(model, before), **from_vector(model, y)})
    found[at.turns] += 2 * np.pi * np.round((before[at.turns] - found[at.turns]) / (2 * np.pi))
    return np.concatenate([y[at.motion], found[at.z]])


def with_turns(model: FlatModel, y: Array, known: Mapping[str, float] | None = None) -> FlatModel:
    """On a tree in the plane: the model whose angles of bodies count from those known (default: drawn) at pose y."""
    angles = body_motion(model, y[None], np.zeros((1, model.nv)))[2]
    if angles is None:
        return model
    turned = dict(model.tree.turned)
    for body, angle in zip(model.blueprint.bodies, angles[0], strict=True):
        wanted = body.attitude if known is None else known[body.name]
        if wanted is not None:
            whole = 2 * np.pi * round((wanted - angle) / (2 * np.pi))
            turned[body.name] = turned.get(body.name, 0.0) + whole
    return replace(model, tree=replace(model.tree, turned=Frozen(turned)))
