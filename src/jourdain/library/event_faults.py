"""Faults of events: their formulas. Targets are checked with the other names (`mechanism/checks.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..equations.unit_formulas import Faulty
from ..mechanism.fault import Fault, Where, about
from ..mechanism.parts import Blueprint, Event
from .channels.known_names import unusable
from .checking import name_fault
from .levels import OF_EVENT
from .values import constant, is_number, with_tables


def event_faults(event: Event, blueprint: Blueprint, known: Mapping[str, str]) -> Iterator[Fault]:
    """What is wrong with `when` and with the values it sets."""
    about_it = about("event", event.name)
    formulas = [(about_it.at("when"), event.when)]
    for action in event.actions:
        if action.kind == "set":
            where = Where(event.name, f"set.{action.target}", f"{about_it}: set {action.target}")
            formulas.append((where, action.value))
    for where, source in formulas:
        is_when = where.key == "when"
        if not isinstance(source, str) and not (is_number(source) and not is_when):
            expected = "a formula" if is_when else "a number or a formula"
            yield where.fault(f"{where} is {source!r}; expected {expected}")
            continue
        try:
            f = with_tables(constant(source), blueprint, str(where))
        except Faulty as error:
            yield where.fault(f"{where}: {error}")
            continue
        leaves = f.quantities()
        for leaf_key in leaves:
            if no := unusable(leaf_key, known, OF_EVENT):
                yield name_fault(where, no)
