"""One variant of a study as a run of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..analysis.batches.variants import read_variants
from ..analysis.simulate import simulate
from ..mechanism.builder import blueprint_of
from ..mechanism.parts import Blueprint
from ..results.solution import Solution
from .axes import CHOICE, FILE, NUMBER
from .workshop import Plan


def machine_of(plan: Plan, values: Mapping[str, Any]) -> Blueprint:
    """The machine of a variant with these values."""
    kinds = {axis.name: axis.kind for axis in plan.design.axes}
    machine = plan.subject.of({name: values[name] for name in values if kinds[name] == FILE})
    numbers = {name: [value] for name, value in values.items() if kinds[name] == NUMBER}
    return read_variants(machine, numbers).blueprint(0) if numbers else blueprint_of(machine)


def options_of(plan: Plan, values: Mapping[str, Any]) -> dict[str, Any]:
    """How long and how it is solved."""
    chosen = {axis.name: values[axis.name] for axis in plan.design.axes if axis.kind == CHOICE}
    return {**plan.times, **plan.choices, **chosen}


def rerun(plan: Plan, values: Mapping[str, Any]) -> Solution:
    machine = machine_of(plan, values)
    options = options_of(plan, values)
    return simulate(replace(machine, source=None), **options)
