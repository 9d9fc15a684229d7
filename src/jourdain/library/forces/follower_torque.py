"""Follower torque: in body axes."""

from __future__ import annotations

from ...equations.lowered import Couple, Lowered
from .. import kinds as k
from .. import quantities as measured
from ..geometry import body_axes, combined
from ..kinds import FORCES, Key, Kind
from ..shared_keys import INPUTS
from ..values import Values


def _torque(values: Values) -> Lowered:
    vector = values.formulas("torque")
    if values.blueprint.dim == 3:
        vector = combined(vector, body_axes(values.blueprint, values.raw("on")))
    names = ("torque",) if len(vector) == 1 else ("mx", "my", "mz")
    return Lowered(couples=(Couple(values.raw("on"), vector),), channels=dict(zip(names, vector, strict=True)))


FOLLOWER_TORQUE = Kind(
    "follower-torque",
    {"on": Key(k.BODY), "torque": Key(k.FORMULA, size="turns", unit="N m"), "inputs": INPUTS},
    _torque,
    "a torque on a body, components in body axes",
    FORCES,
    measures={"torque": measured.MOMENT, **measured.MOMENTS},
    example='m.follower_torque("rotor", on=drone, torque=(0, 0, "0.1*t"))',
)
