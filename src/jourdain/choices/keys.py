"""The choices of a run as keyword arguments, as types: `session`, `live`, `cycle` and others pass them on."""

from __future__ import annotations

from typing import TypedDict

from ..mechanism.taken import Seconds
from .contract import Integrator, Stabilisation, Treatment
from .coordinates import Coordinates


class ChoiceKeys(TypedDict, total=False):
    """How to solve: a name or an object each, as in `simulate`."""

    recipe: str | None
    coordinates: str | Coordinates | None
    treatment: str | Treatment | None
    stabilisation: str | Stabilisation | None
    integrator: str | Integrator | None
    step: Seconds | None
    rtol: float | None
    atol: float | None
    max_step: Seconds | None


class MachineKeys(ChoiceKeys, total=False):
    """Those of a machine of several mechanisms besides: how they are coupled."""

    coupling: object  # a name, or Explicit(), Extended(), UzawaCoupling()
    macro_step: Seconds | None
    threads: int | None
