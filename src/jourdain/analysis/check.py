"""check: degrees of freedom, redundant equations and self-stress of a mechanism, without simulating it."""

from __future__ import annotations

from ..compiled.choices import DEFAULT_COORDINATES
from ..mechanism.builder import Mechanism
from ..mechanism.parts import Blueprint
from .prepare import blueprint_of, prepare
from .redundancy import Redundancy


def check(mechanism: Mechanism | Blueprint) -> Redundancy:
    """Close the joints as drawn and report rank, freedoms, redundancy, self-stress and unique reactions.

    Raises MechanismError with all faults at once if the mechanism cannot be assembled. `print(check(m))` reads well.
    """
    blueprint = blueprint_of(mechanism)
    coordinates = DEFAULT_COORDINATES[blueprint.space]
    return prepare(blueprint, coordinates).redundancy
