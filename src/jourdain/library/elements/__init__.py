"""Elements with states of their own: one file a kind. A new one is a file and its line in `KINDS`."""

from __future__ import annotations

from ..kinds import Kind
from .dc_motor import DC_MOTOR
from .element import ELEMENT
from .first_order import FIRST_ORDER
from .hydraulic_cylinder import HYDRAULIC_CYLINDER
from .pi_controller import PI_CONTROLLER
from .second_order import SECOND_ORDER

KINDS: tuple[Kind, ...] = (
    ELEMENT,
    FIRST_ORDER,
    SECOND_ORDER,
    PI_CONTROLLER,
    DC_MOTOR,
    HYDRAULIC_CYLINDER,
)
