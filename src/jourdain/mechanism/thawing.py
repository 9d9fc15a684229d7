"""A frozen mechanism as a builder again, for whoever wants to go on with one whose numbers were changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .builder import Mechanism
from .numbers import put_all
from .parts import Blueprint


def thawed(blueprint: Blueprint) -> Mechanism:
    """A builder that holds the parts of a blueprint."""
    m = Mechanism(blueprint.name, gravity=blueprint.gravity, space=blueprint.space)
    m.description, m.hints, m.source = blueprint.description, blueprint.hints, blueprint.source
    m.defaults, m.display = dict(blueprint.defaults), dict(blueprint.display)
    m._ground |= blueprint.ground
    m._bodies += blueprint.bodies
    m._place |= {body.name: k for k, body in enumerate(blueprint.bodies)}
    m._joints += blueprint.joints
    m._forces += blueprint.forces
    m._relations += blueprint.relations
    m._motions += blueprint.motions
    m._elements += blueprint.elements
    m._events += blueprint.events
    m._parameters |= blueprint.parameters
    m._tables |= blueprint.tables
    m._off |= blueprint.off
    m._faults += blueprint.early_faults
    return m


def with_numbers(mechanism: Mechanism, numbers: Mapping[str, Any]) -> Mechanism:
    """A builder with other values of numbers, by name. Raises KeyError with the nearest name where there is none."""
    found = put_all(mechanism.frozen(), numbers)
    if found.source is not None:
        found = replace(found, source=found.source.with_numbers(numbers))
    return thawed(found)
