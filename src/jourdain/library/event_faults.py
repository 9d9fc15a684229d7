"""Faults of events: their formulas. Targets are checked with the other names (`mechanism/checks.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..equations.formula import FormulaError
from ..equations.vectors import EquationError
from ..mechanism.parts import Blueprint, Event
from .channels.known_names import OF_EVENT, unusable
from .values import constant, is_number


def event_faults(event: Event, blueprint: Blueprint, known: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with `when` and with the values it sets."""
    formulas = [("when", event.when)]
    formulas += [(f"set {a.target}", a.value) for a in event.actions if a.kind == "set"]
    for key, source in formulas:
        where = f"event '{event.name}': {key}"
        if not isinstance(source, str) and not (is_number(source) and key != "when"):
            yield f"{where} is {source!r}; expected {'a formula' if key == 'when' else 'a number or a formula'}"
            continue
        try:
            f = constant(source)
        except (FormulaError, EquationError) as error:
            yield f"{where}: {error}"
            continue
        leaves = f.quantities()
        for leaf_key in leaves:
            if sentence := unusable(leaf_key, known, OF_EVENT):
                yield f"{where}: {sentence}"
