"""equilibria: how an equilibrium moves while a parameter, such as a load, goes through some values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...files.by_name import Given, or_file
from ...mechanism.arguments import asked
from ...mechanism.builder import blueprint_of
from ...mechanism.errors import ChoiceError, EquilibriumError
from ...mechanism.names import nearest
from ...model.stopped_clock import without_speeds
from ...results.resting_pose import Equilibria
from ..statics import SEEK, rest_of
from .inputs import unused, with_inputs
from .manifold import manifold_at


@or_file
@asked
def equilibria(
    mechanism: Given,
    parameter: str,
    values: Sequence[float],
    *,
    t: float = 0.0,
    state: Mapping[str, Any] | None = None,
    seek: str = "downhill",
) -> Equilibria:
    """Equilibria for some values of a parameter of formulas, each sought from the one before; the rest as in `statics`.

    Where the equilibrium followed vanishes, the mechanism snaps to another, and that is said.
    """
    blueprint = without_speeds(blueprint_of(mechanism))
    faults = [] if seek in SEEK else [f"seek is {seek!r}; {nearest(str(seek), SEEK)}"]
    if parameter not in blueprint.parameters:
        faults.append(f"there is no parameter '{parameter}'; {nearest(str(parameter), blueprint.parameters)}")
    numbers = np.array(values, dtype=float)
    if numbers.ndim != 1 or numbers.size == 0 or not np.all(np.isfinite(numbers)):
        faults.append(f"values are {values!r}; expected one or more numbers")
    if faults:
        raise ChoiceError("; ".join(faults))
    manifold, y, prepared = manifold_at(blueprint, state, t, stopped=True)
    if idle := unused(manifold.model, with_inputs(blueprint, parameter)[0]):
        raise ChoiceError(idle[0])
    found = []
    for value in numbers:
        manifold.set(parameter, float(value))
        closed = manifold.moved(y, np.zeros(manifold.model.nv))
        if closed is None:
            raise EquilibriumError(f"the joints do not close at {parameter} = {value:g}")
        try:
            found.append(rest_of(manifold, closed, prepared, seek))
        except EquilibriumError as error:
            raise EquilibriumError(f"at {parameter} = {value:g}: {error}") from error
        y = found[-1].solution.samples[0]
    return Equilibria(parameter, numbers, tuple(found))
