"""Force on a point, in fixed axes."""

from __future__ import annotations

from ...equations.lowered import Load, Lowered
from .. import kinds as k
from .. import quantities as measured
from ..kinds import FORCES, Key, Kind
from ..shared_keys import INPUTS_INSTEAD
from ..values import Values


def _force(values: Values) -> Lowered:
    on = values.raw("on")
    return Lowered(loads=(Load(on.body, values.blueprint.port(on).at, values.formulas("vector")),))


FORCE = Kind(
    "force",
    {"on": Key(k.PORT), "vector": Key(k.FORMULA, size="dim", unit="N"), "inputs": INPUTS_INSTEAD},
    _force,
    "a force on a point, components in fixed axes",
    FORCES,
    measures=measured.FORCES,
    example='m.force("push", on=cart["P"], vector=(10, "5*sin(t)"))',
)
