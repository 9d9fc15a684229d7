"""Forces that the builder keeps as parts of their own, seen as components."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...equations.formula import Formula
from ...equations.unit_formulas import Faulty
from ...mechanism.fault import Fault, about
from ...mechanism.parts import Blueprint, Component, PointForce, SpringDamper, Torque
from ...mechanism.table_data import Table
from ..channels.known_names import unusable
from ..checking import name_fault
from ..levels import OF_FORCE
from ..values import constant, is_function, with_tables
from .force import FORCE
from .spring_damper import SPRING_DAMPER
from .torque import TORQUE

# By their methods of the builder, which want all their arguments.
OWN_PARTS = (SPRING_DAMPER.name, FORCE.name, TORQUE.name)


def as_component(force: SpringDamper | PointForce | Torque) -> Component:
    """A force of a class of its own as a component of the library."""
    if isinstance(force, SpringDamper):
        values: dict[str, Any] = {"between": (force.first, force.second), "stiffness": force.stiffness}
        return Component(force.name, SPRING_DAMPER.name, values | {"damping": force.damping, "length": force.length})
    components = force.vector if isinstance(force, PointForce) else force.torque
    one = len(components) == 1 and is_function(components[0])
    key, kind = ("vector", FORCE) if isinstance(force, PointForce) else ("torque", TORQUE)
    values = {"on": force.on, key: components[0] if one else components}
    return Component(force.name, kind.name, values | ({"inputs": force.inputs} if force.inputs else {}))


def load_faults(force: PointForce | Torque, blueprint: Blueprint, known: Mapping[str, str]) -> Iterator[Fault]:
    """What is wrong with the formulas of a force or torque; the rest `mechanism.checks` has found."""
    kind, key = ("force", "vector") if isinstance(force, PointForce) else ("torque", "torque")
    components = force.vector if isinstance(force, PointForce) else force.torque
    where = about(kind, force.name)
    sources = [(key, source.over if isinstance(source, Table) else source) for source in components]
    sources += [("inputs", source) for source in force.inputs]
    for key, source in sources:
        if not isinstance(source, str | Formula):
            continue
        where = where._replace(key=key)
        try:
            leaves = with_tables(constant(source), blueprint, str(where)).quantities()
        except Faulty as error:
            yield where.fault(f"{where}: {error}")
            continue
        for leaf_key in leaves:
            if no := unusable(leaf_key, known, OF_FORCE):
                yield name_fault(where, no)
