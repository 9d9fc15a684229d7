"""What a mechanism shows at states near one: coordinates with their rates, states of elements, outputs; differenced."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
import numpy.typing as npt

from .differences import derivative
from .independent import ROTATIONS, IndependentCoordinate
from .manifold import Manifold

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ReadPlace:
    """Where a mechanism is linearised."""

    manifold: Manifold
    y: Array
    words: str
    at_rest: bool  # nothing moves and nothing accelerates
    notes: tuple[str, ...]


class Readings:
    """What is read at a state, by place in a row of numbers.

    Values, rates and second rates of candidates for coordinates; accelerations along the columns of `along`; states of
    elements and their rates; outputs.
    """

    def __init__(
        self, place: ReadPlace, candidates: list[IndependentCoordinate], outputs: list[str], along: Array
    ) -> None:
        self.place = place
        self._along = along
        self.candidates = candidates
        self.outputs = outputs
        model = place.manifold.model
        self._z = model.layout.states
        n, ns = len(candidates), len(model.states)
        f = along.shape[1]
        ends = np.cumsum([0, n, n, n, f, ns, ns, len(outputs)])
        self.x, self.v, self.a, self.w, self.z, self.dz, self.y = (slice(int(i), int(j)) for i, j in pairwise(ends))
        # Numbers of one unit and one body belong together; all others stand alone.
        runs = [len(list(group)) for _, group in groupby(range(n), self.kind)]
        self.groups = [*runs, *runs, *runs, f, *[1] * int(ends[-1] - ends[4])]

    def kind(self, k: int) -> tuple[str, bool]:
        """Whose coordinate it is, and whether it is an angle."""
        stem, _, last = self.candidates[k].name.rpartition(".")
        return stem, last == "angle" or last in ROTATIONS

    def of(self, samples: Array, out: Array | None = None, rates: Array | None = None) -> Array:
        """All readings (sample, number); the first sample is the state itself."""
        manifold = self.place.manifold
        out = manifold.outputs(samples) if out is None else out
        near = manifold.solution(samples, out=out)
        found = np.zeros((len(samples), self.y.stop))
        found[:, self.w] = out[:, manifold.model.outputs.accelerations] @ self._along
        for k, coordinate in enumerate(self.candidates):
            triple = coordinate.triple(near)
            for part, values in zip((self.x, self.v, self.a), triple, strict=True):
                found[:, part.start + k] = values
        if manifold.model.states:
            found[:, self.z] = samples[:, self._z]
            found[:, self.dz] = np.array([manifold.slope(y)[1] for y in samples]) if rates is None else rates
        for k, name in enumerate(self.outputs):
            found[:, self.y.start + k] = near[name]
        return found

    def along(self, delta: Array, velocity: Array, states: Array, unit: float) -> tuple[Array, Array]:
        """Derivatives along a deviation, and their errors."""
        manifold, y = self.place.manifold, self.place.y
        v, z = y[manifold.model.layout.v], y[self._z]

        def values(h: Array) -> tuple[Array, Array]:
            samples, out, good = [y], [manifold.outputs(y[None])[0]], [True]
            for s in (*h, *-h):
                found = manifold.moved(y, s * delta, v + s * velocity, z + s * states)
                reported = None if found is None else manifold.reported(found)
                good.append(reported is not None)
                samples.append(y if found is None or reported is None else found)
                out.append(out[0] if reported is None else reported)
            return _sides(self.of(np.array(samples), np.array(out)), good)

        return derivative(values, unit, self.groups)

    def by_input(self, parameter: str, unit: float) -> tuple[Array, Array]:
        """Derivatives by a parameter at fixed deviations."""
        manifold, y = self.place.manifold, self.place.y
        model = manifold.model
        v = y[model.layout.v]
        value = manifold.parameter(parameter)

        def values(h: Array) -> tuple[Array, Array]:
            samples, out, rates, good = [y], [manifold.outputs(y[None])[0]], [manifold.slope(y)[1]], [True]
            try:
                for s in (*h, *-h):
                    manifold.set(parameter, value + s)
                    found = manifold.moved(y, np.zeros(model.nv), v, y[self._z])
                    reported = None if found is None else manifold.reported(found)
                    good.append(reported is not None)
                    samples.append(y if found is None or reported is None else found)
                    out.append(out[0] if reported is None else reported)
                    rates.append(rates[0] if reported is None else manifold.slope(samples[-1])[1])
            finally:
                manifold.set(parameter, value)
            return _sides(self.of(np.array(samples), np.array(out), np.array(rates)), good)

        return derivative(values, unit, self.groups)


def _sides(readings: Array, good: list[bool]) -> tuple[Array, Array]:
    """Readings at the steps forth and back; not a number where the joints did not close."""
    readings[~np.array(good)] = np.nan
    n = len(readings) // 2
    return readings[1 : n + 1], readings[n + 1 :]
