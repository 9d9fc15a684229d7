"""Elements with states of their own: one file a kind. A new one is a file and its line in `KINDS`."""

from __future__ import annotations

from ..kinds import Kind
from .dc_motor import DC_MOTOR
from .element import ELEMENT
from .first_order import FIRST_ORDER
from .hydraulic_cylinder import HYDRAULIC_CYLINDER
from .linear_system import LINEAR_SYSTEM
from .pi_controller import PI_CONTROLLER
from .second_order import SECOND_ORDER
from .transfer_function import TRANSFER_FUNCTION

KINDS: tuple[Kind, ...] = (
    ELEMENT,
    FIRST_ORDER,
    SECOND_ORDER,
    TRANSFER_FUNCTION,
    LINEAR_SYSTEM,
    PI_CONTROLLER,
    DC_MOTOR,
    HYDRAULIC_CYLINDER,
)
