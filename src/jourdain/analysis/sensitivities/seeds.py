"""How the flat arrays and the start of a mechanism depend on a parameter, put into complex workspaces.

Arrays in complex numbers whose imaginary part is `step` times their derivative go through the kernels, and what comes
out has `step` times its own derivative as imaginary part, without any subtraction (Squire and Trapp, SIAM Review 40,
1998). Only what goes in is differentiated by differences: constants and drawn poses, which cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...assembly.close_joints import assemble
from ...assembly.initial_values import started
from ...assembly.prepare import Prepared
from ...engine.complex_numbers import imaginary_step, numbers_of, plant, with_parameters
from ...engine.plan import Plan
from ...engine.workspace import Workspace
from ...mechanism.errors import ChoiceError
from ...mechanism.parts import Blueprint
from ...model.compile import compile_mechanism
from ...model.flat import FlatModel
from ...model.states import to_vector
from .parameter import FINER, SPACING, Nodes, Parameter, around

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Seed:
    """Derivatives by one parameter: of every array of numbers, and of the closed start."""

    parameter: Parameter
    model: FlatModel
    fields: dict[int, Array]
    y: Array
    start: Array
    step: float  # imaginary, of the parameter
    spacing: float
    offsets: tuple[int, ...]

    def plant(self, workspace: Workspace) -> None:
        """Give the arrays of a complex workspace their imaginary parts."""
        step = 1j * self.step
        plant(workspace, {key: self.model.fields[key] + step * derivative for key, derivative in self.fields.items()})

    def begin(self) -> Array:
        """The start in complex numbers."""
        return np.asarray(self.start + 1j * self.step * self.y)


@dataclass(frozen=True)
class _Node:
    model: FlatModel
    y: Array


def seed(parameter: Parameter, prepared: Prepared, state: Mapping[str, Any] | None, t: float) -> Seed:
    """Compile and assemble the mechanism with values beside the parameter's own; differentiate what comes of it."""
    model = prepared.model
    scale = parameter.scale(model.size)
    for finer in FINER:
        spacing = SPACING * scale * finer

        def evaluate(value: float) -> _Node:
            return _compiled(parameter.at(value), prepared, state, t)

        base, nodes = _same_structure(parameter, around(parameter, spacing, evaluate), prepared)
        fields, smooth = _derivatives(nodes, base)
        start = prepared.assembly.y
        y, smooth_start = nodes.derivative(lambda node: node.y, start)
        if smooth and smooth_start:
            return Seed(parameter, base, fields, y, start, imaginary_step(scale), spacing, nodes.offsets)
    raise ChoiceError(
        f"there is no derivative by '{parameter.name}': at {parameter.value:g} the mechanism or its start does not "
        "change smoothly with it; is a minimum, a maximum, a rounding or another way of assembly involved?"
    )


def _compiled(blueprint: Blueprint, prepared: Prepared, state: Mapping[str, Any] | None, t: float) -> _Node:
    """The mechanism with another value: its arrays with the phases that its own start decides, and that start."""
    coordinates, off = prepared.model.set, prepared.model.off
    model = compile_mechanism(blueprint, coordinates, off=off)
    workspace = Workspace(Plan.of(model))
    begun = started(blueprint, coordinates, t)[0] if state is None else state
    y = assemble(model, workspace, None if begun is None else to_vector(model, begun), t).y
    dropped = _dropped(prepared.model)
    if dropped:
        model = compile_mechanism(blueprint, coordinates, dropped, off=off)
    return _Node(with_parameters(model, workspace), y)


def _dropped(model: FlatModel) -> list[tuple[str, int]]:
    """Redundant equations without a multiplier, by joint and number."""
    count: dict[str, int] = {}
    found = []
    for row in model.rows:
        number = count.get(row.joint, 0)
        count[row.joint] = number + 1
        if row.dropped:
            found.append((row.joint, number))
    return found


def _derivatives(nodes: Nodes, base: FlatModel) -> tuple[dict[int, Array], bool]:
    """Of every array of numbers that changes at all, and whether all are smooth."""
    found, smooth = {}, True
    for key in numbers_of(nodes.found[0].model):
        found[key], fits = nodes.derivative(lambda node, key=key: node.model.fields[key], base.fields[key])  # type: ignore[misc]
        smooth = smooth and fits
    return found, smooth


def _same_structure(parameter: Parameter, nodes: Nodes, prepared: Prepared) -> tuple[FlatModel, Nodes]:
    """The model with arrays laid out as beside it.

    Vectors that happen to be equal are kept once, so a parameter that moves one of them changes the layout. Then the
    arrays in the middle are interpolated from those beside.
    """
    model = with_parameters(prepared.model, prepared.workspace)
    beside = nodes.beside()
    first = beside.found[0].model
    if not all(_alike(first, node.model) for node in beside.found):
        raise ChoiceError(
            f"there is no derivative by '{parameter.name}': the parts of the mechanism are other ones beside "
            f"{parameter.value:g}"
        )
    if _alike(first, model):
        return model, nodes
    fields = {
        key: beside.middle(lambda node, key=key: node.model.fields[key]) if array.dtype.kind == "f" else array  # type: ignore[misc]
        for key, array in first.fields.items()
    }
    own = {"blueprint": model.blueprint, "body_data": model.body_data, "settings": model.settings}
    return replace(first, fields=fields, **own), beside


def _alike(a: FlatModel, b: FlatModel) -> bool:
    if a.flags != b.flags or a.fields.keys() != b.fields.keys():
        return False
    for key, array in a.fields.items():
        other = b.fields[key]
        if array.shape != other.shape or (array.dtype.kind != "f" and not np.array_equal(array, other)):
            return False
    return True
