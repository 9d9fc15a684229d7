"""Variants of a compiled model without compiling: numbers that go straight from the mechanism into its arrays.

Parameters, gravity and the constants of spring-dampers are copied; mass properties go through the same functions as
when compiling, so the bits are the same. What else changes needs compiling. Nothing here is taken on trust: callers
compile some variants and compare (`agree`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..mechanism.checks import body_faults
from ..mechanism.numbers import get
from ..mechanism.parts import Blueprint, SpringDamper
from .body_data import body_data, differ
from .flat import FlatModel
from .formula_tables import switched
from .frozen_arrays import frozen_arrays
from .time_marks import clock_functions

Array = npt.NDArray[np.float64]

SPRING_COLUMNS = ("stiffness", "damping", "length")
MASS = ("mass", "inertia")
START = ("velocity", "spin")
OF_BODIES = ("BODY", "MASS", "EXTRA", "MASS_INVERSE")  # fields with a row for each body that hold mass properties


@dataclass(frozen=True)
class Patches:
    """Where variants of a model differ: fields, rows and columns of its arrays, and whether their starts differ."""

    model: FlatModel
    copied: tuple[tuple[tuple[Any, ...], tuple[int, int, int]], ...]  # path in the blueprint, place
    bodies: tuple[int, ...]  # whose mass properties vary
    starts: bool

    @property
    def places(self) -> list[tuple[int, int, int]]:
        return [place for _, place in self.copied] + [place for b in self.bodies for place in self._of_body(b)]

    @property
    def moves_marks(self) -> bool:
        """Whether numbers differ that functions of time are made of, so that steps have to end elsewhere."""
        formulas = (f.CONSTANTS, f.PARAMETERS, f.TABLE)
        return any(field in formulas for field, _, _ in self.places) and clock_functions(self.model) is not None

    def _of_body(self, body: int) -> list[tuple[int, int, int]]:
        found = [(f.MASSES, body, 0)]
        for name in OF_BODIES:
            field = int(getattr(f, name))
            rows, columns = self.model.fields[field].shape
            found += [(field, body, k) for k in range(columns)] if rows == self.model.bodies else []
        return found

    def patched(self, blueprint: Blueprint) -> FlatModel | None:
        """The model of a variant that differs only in what is patched.

        None if it must be compiled after all, be it to say what is wrong with it.
        """
        base = self.model
        fields = {field: base.fields[field].copy() for field, _, _ in self.places}
        for path, (field, row, column) in self.copied:
            fields[field][row, column] = value = get(blueprint, path)
            if is_faulty(path, value):
                return None
        data = base.body_data
        if self.bodies:
            if any(True for b in self.bodies for _ in body_faults(blueprint.bodies[b])):
                return None
            data = tuple(
                body_data(blueprint, body, base.body_sizes[k]) if k in self.bodies else old
                for k, (body, old) in enumerate(zip(blueprint.bodies, data, strict=True))
            )
            constants = base.set.constants(data, _described(base))
            if int(constants["singular"]) != base.flags["SINGULAR"]:
                return None
            if base.rows and differ(data) != (base.flags["REFINED"] == 1):
                return None
            fields[f.MASSES][:, 0] = [body.mass for body in data]
            for name in OF_BODIES:
                field = int(getattr(f, name))
                if name in constants and field in fields:
                    fields[field] = np.array(constants[name], dtype=np.float64).reshape(base.fields[field].shape)
        return replace(base, blueprint=blueprint, fields=frozen_arrays({**base.fields, **fields}), body_data=data)


def is_faulty(path: tuple[Any, ...], value: Any) -> Any:
    """Whether a number that is copied is one that the mechanism may not have; elementwise for arrays."""
    finite = np.isfinite(value)
    return ~finite | (np.asarray(value) < 0) if path[0] == "forces" and path[-1] == "length" else ~finite


def find_patches(model: FlatModel, paths: Sequence[tuple[Any, ...]]) -> Patches | None:
    """How to change a model at these paths of its blueprint; None if that takes compiling."""
    blueprint = model.blueprint
    springs = [force.name for force in blueprint.forces if isinstance(force, SpringDamper)]
    copied: list[tuple[tuple[Any, ...], tuple[int, int, int]]] = []
    bodies, starts = set(), False
    for path in paths:
        if not model.set.patches(path):
            return None
        if path[0] == "parameters":
            if path[1] in model.parameters:
                copied.append((path, (f.PARAMETERS, model.parameters[path[1]], 0)))
        elif path[0] == "forces" and isinstance(force := blueprint.forces[path[1]], SpringDamper):
            if path[2] not in SPRING_COLUMNS or force.name in switched(blueprint):
                return None
            place = (f.SPRING, springs.index(force.name), SPRING_COLUMNS.index(path[2]))
            copied.append((path, place))
        elif path[0] == "gravity":
            components = path[1:] or range(blueprint.dim)
            if not all(isinstance(k, int) for k in components):  # its size
                return None
            copied += [(("gravity", k), (f.GRAVITY, k, 0)) for k in components]
        elif path[0] == "bodies" and path[2] in MASS:
            bodies.add(path[1])
        elif path[0] == "bodies" and path[2] in START:
            starts = True
        else:
            return None
    return Patches(model, tuple(copied), tuple(sorted(bodies)), starts)


def agree(one: FlatModel, other: FlatModel) -> bool:
    """Whether two models of one blueprint are the same to the last bit."""
    plain = ("flags", "settings", "rows", "size", "starts", "turns", "parameters", "floating", "states")
    if one.fields.keys() != other.fields.keys() or any(getattr(one, k) != getattr(other, k) for k in plain):
        return False
    return all(_same(array, other.fields[key]) for key, array in one.fields.items())


def _same(one: Any, other: Any) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()


def _described(model: FlatModel) -> list[tuple[int, Array, float]]:
    """Body (-1: the ground), components and kind of every vector, as coordinate sets want them."""
    local = model.fields[f.VECTOR_LOCAL]
    owner = np.full(len(local), -1)
    for body, (first, last) in enumerate(model.fields[f.BODY_VECTORS]):
        owner[first:last] = body
    dim = model.blueprint.dim
    return [(int(b), row[:dim].copy(), float(row[dim])) for b, row in zip(owner, local, strict=True)]
