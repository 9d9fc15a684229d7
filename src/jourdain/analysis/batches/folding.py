"""Springs whose constants are formulas over parameters, as springs of numbers.

A formula is evaluated by the kernel at every look, and keeps a batch out of vector lanes. One that only parameters
enter is the same number all through a run, so each variant can be given that number instead.
"""

from __future__ import annotations

from dataclasses import replace

from ...equations.formula import Formula
from ...equations.unit_formulas import Faulty
from ...library.forces.spring_damper import SPRING_DAMPER
from ...library.values import constant
from ...mechanism.numbers import Path
from ...mechanism.parts import Blueprint, Component, SpringDamper

_KEYS = ("stiffness", "damping", "length")
_MOVING = frozenset({"t", "named", "table", "call"})  # operations that are more than arithmetic of parameters


def folded(base: Blueprint) -> tuple[Blueprint, dict[Path, Formula]]:
    """The mechanism with such springs as plain ones, and the formulas that belong at their constants."""
    formulas: dict[Path, Formula] = {}
    if base.events or base.off:  # which may switch a spring, or set what its formula is made of
        return base, formulas
    forces = list(base.forces)
    for place, force in enumerate(forces):
        found = _constants(base, force)
        if found is None or not isinstance(force, Component):
            continue
        numbers = {key: _value(base, f) for key, f in found.items()}
        if any(value is None for value in numbers.values()) or (numbers["length"] or 0.0) < 0.0:
            continue
        first, second = force.values["between"]
        k, c, l0 = (numbers[key] or 0.0 for key in ("stiffness", "damping", "length"))
        forces[place] = SpringDamper(force.name, first, second, k, c, l0)
        formulas |= {("forces", place, key): f for key, f in found.items() if not f.constant}
    return (replace(base, forces=tuple(forces)), formulas) if formulas else (base, formulas)


def _constants(base: Blueprint, force: object) -> dict[str, Formula] | None:
    """Stiffness, damping and length as formulas of parameters; None if this is no such spring."""
    if not isinstance(force, Component) or force.type != SPRING_DAMPER.name:
        return None
    found = {}
    for key in _KEYS:
        value = force.values.get(key)
        try:
            f = constant(SPRING_DAMPER.keys[key].default if value is None else value)
        except Faulty:
            return None
        if any(node.op in _MOVING for node in f.nodes()) or not all(name in base.parameters for name in f.quantities()):
            return None
        found[key] = f
    return found


def _value(base: Blueprint, f: Formula) -> float | None:
    try:
        return f(0.0, lambda name: base.parameters[name])
    except (ArithmeticError, ValueError):
        return None
