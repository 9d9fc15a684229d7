"""Follower force: in body axes, it turns with the body."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.lowered import Load, Lowered
from ...mechanism.fault import Fault
from ...mechanism.parts import GROUND
from .. import kinds as k
from .. import quantities as measured
from ..geometry import body_axes, combined
from ..kinds import FORCES, Key, Kind
from ..shared_keys import INPUTS
from ..values import Values
from .rods import summed


def _force(values: Values) -> Lowered:
    on = values.raw("on")
    vector = combined(values.formulas("vector"), body_axes(values.blueprint, on.body))
    load = Load(on.body, values.blueprint.port(on).at, vector)
    return Lowered(loads=(load,), channels=summed([load]))


def _force_check(values: Values) -> Iterator[Fault]:
    if values.raw("on").body == GROUND:
        yield values.fault("on", "acts on the ground, which does not move; name a point of a body")


FOLLOWER_FORCE = Kind(
    "follower-force",
    {"on": Key(k.PORT), "vector": Key(k.FORMULA, size="dim", unit="N"), "inputs": INPUTS},
    _force,
    "a force on a point, components in body axes",
    FORCES,
    _force_check,
    measures=measured.FORCES,
    example='m.follower_force("thrust", on=rocket["tail"], vector=(0, 100))',
)
