"""Relations between joint coordinates, and a user's own equations: one file a kind.

A new one is a file and its line in `KINDS`.
"""

from __future__ import annotations

from ..kinds import Kind
from .belt import BELT
from .coupling import COUPLING
from .equation import EQUATION
from .gear import GEAR
from .rack_and_pinion import RACK_AND_PINION
from .screw import SCREW
from .velocity_constraint import VELOCITY_CONSTRAINT

KINDS: tuple[Kind, ...] = (
    GEAR,
    BELT,
    RACK_AND_PINION,
    SCREW,
    COUPLING,
    EQUATION,
    VELOCITY_CONSTRAINT,
)
