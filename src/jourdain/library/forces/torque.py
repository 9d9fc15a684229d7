"""Torque on a body, in fixed axes."""

from __future__ import annotations

from ...equations.lowered import Couple, Lowered
from .. import kinds as k
from .. import quantities as measured
from ..kinds import FORCES, Key, Kind
from ..shared_keys import INPUTS_INSTEAD
from ..values import Values


def _torque(values: Values) -> Lowered:
    return Lowered(couples=(Couple(values.raw("on"), values.formulas("torque")),))


TORQUE = Kind(
    "torque",
    {"on": Key(k.BODY), "torque": Key(k.FORMULA, size="turns", unit="N m"), "inputs": INPUTS_INSTEAD},
    _torque,
    "a torque on a body, components in fixed axes",
    FORCES,
    measures={"torque": measured.MOMENT, **measured.MOMENTS},
    example='m.torque("drive", on=crank, torque="2*cos(t)")',
)
