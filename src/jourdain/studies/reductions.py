"""Numbers of a whole run: the largest, the mean, the last, when something happened.

`max(A.load)` in a text to be collected becomes a placeholder in the formula around it, and a Reduction that says how to
come from the samples of a channel, or of a formula over channels, to that number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.quantities import Quantity
from ..mechanism.errors import ChoiceError
from ..mechanism.units import quantity
from ..results.solution import Solution

Array = npt.NDArray[np.float64]

TIME = Quantity("time", "s")
_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\(")


def _largest(values: Array, t: Array) -> Array:
    return np.asarray(values.max(axis=1))


def _smallest(values: Array, t: Array) -> Array:
    return np.asarray(values.min(axis=1))


def _mean(values: Array, t: Array) -> Array:
    """Over time, by trapezoids. Row by row, so that a number does not depend on those beside it."""
    if len(t) < 2:
        return values[:, 0].copy()
    weights = np.zeros(len(t))
    weights[1:] += 0.5 * np.diff(t)
    weights[:-1] += 0.5 * np.diff(t)
    weights /= t[-1] - t[0]
    return np.array([np.sum(row * weights) for row in values])


def _rms(values: Array, t: Array) -> Array:
    return np.asarray(np.sqrt(_mean(values * values, t)))


def _time_of_largest(values: Array, t: Array) -> Array:
    return t[values.argmax(axis=1)]


def _time_of_smallest(values: Array, t: Array) -> Array:
    return t[values.argmin(axis=1)]


OF_CHANNELS: dict[str, Callable[[Array, Array], Array]] = {
    "max": _largest,
    "min": _smallest,
    "mean": _mean,
    "rms": _rms,
    "final": lambda values, t: values[:, -1].copy(),
    "first": lambda values, t: values[:, 0].copy(),
    "time_of_max": _time_of_largest,
    "time_of_min": _time_of_smallest,
}
AT = "at"
OF_EVENTS = ("count", "time_of")
NAMES = (*OF_CHANNELS, AT, *OF_EVENTS)


@dataclass(frozen=True)
class Reduction:
    """One number of a run: `kind` of `what`, which is a formula over channels, or an event."""

    kind: str
    what: str
    t: float = 0.0  # s, of `at`
    window: tuple[float, float] | None = None  # s, between which samples count

    @property
    def is_of_event(self) -> bool:
        return self.kind in OF_EVENTS

    def of_rows(self, values: Array, t: Array) -> Array:
        """Of many runs, a row of samples for each."""
        if self.kind != AT:
            own = self._window(t)
            return OF_CHANNELS[self.kind](values[:, own], t[own]) if own.size else np.full(len(values), np.nan)
        place = self._place(t)
        return np.full(len(values), np.nan) if place is None else values[:, place].copy()

    def of_run(self, run: Solution) -> float:
        """Of one run."""
        if self.is_of_event:
            times: Any = run.events[self.what].t if self.what in run.events else ()
            return float(len(times)) if self.kind == "count" else float(times[0]) if len(times) else float("nan")
        return float(self.of_rows(np.asarray(run[self.what], dtype=float)[None], run.t)[0])

    def check(self, start: Solution, grid: Array) -> Quantity:
        """What it measures. KeyError for what the machine does not have, ChoiceError for a time without sample."""
        if self.is_of_event:
            known = [event.name for event in start.blueprint.events]
            if self.what not in known:
                raise KeyError(
                    f"no event '{self.what}' to {self.kind.replace('_', ' the ')}; known: {', '.join(known) or 'none'}"
                )
            return Quantity("number", "") if self.kind == "count" else TIME
        start[self.what]  # raises with the nearest name
        if self.kind == AT and self._place(grid) is None:
            raise ChoiceError(
                f"at({self.what}, {self.t:g}): there is no sample at {self.t:g} s; choose times= or every="
            )
        if self.window is not None and not self._window(grid).size:
            first, last = self.window
            raise ChoiceError(
                f"{self.kind}({self.what}, {first:g}, {last:g}): there are no samples between these times"
            )
        return TIME if self.kind.startswith("time_of") else start.quantity(self.what)

    def _window(self, t: Array) -> npt.NDArray[np.intp]:
        if self.window is None:
            return np.arange(len(t))
        slack = 1e-9 * (t[-1] - t[0])
        return np.flatnonzero((t >= self.window[0] - slack) & (t <= self.window[1] + slack))

    def _place(self, t: Array) -> int | None:
        place = int(np.argmin(np.abs(t - self.t)))
        near = abs(float(t[place]) - self.t) <= 1e-9 * max(1.0, abs(self.t))
        return place if near else None


def without_reductions(text: str) -> tuple[str, list[Reduction]]:
    """The formula around reductions, in which `reduced0`, `reduced1` stand for them."""
    found: list[Reduction] = []
    return _without(text, text, found), found


def placeholder(k: int) -> str:
    return f"reduced{k}"


def _without(text: str, whole: str, found: list[Reduction]) -> str:
    made, place = "", 0
    for call in _CALL.finditer(text):
        if call.start() < place:
            continue
        name, begin = call[1], call.end()
        end = _closing(text, begin, whole)
        inside = text[begin:end]
        parts = _arguments(inside)
        made += text[place : call.start()]
        if _is_reduction(name, parts):
            made += placeholder(len(found))
            found.append(_reduction(name, parts, whole))
        else:
            made += f"{name}({_without(inside, whole, found)})"
        place = end + 1
    return made + text[place:]


def _is_reduction(name: str, parts: list[str]) -> bool:
    """`max` and `min` of two things are functions of formulas."""
    return name in NAMES and not (name in ("max", "min") and len(parts) == 2)


def _reduction(name: str, parts: list[str], whole: str) -> Reduction:
    wanted = (2,) if name == AT else (1,) if name in OF_EVENTS else (1, 3)
    if len(parts) not in wanted or not all(parts):
        forms = {AT: "at(A.load, 0.5 s)", "count": "count(hit)", "time_of": "time_of(hit)"}
        raise ChoiceError(f"'{whole}': expected {forms.get(name, f'{name}(A.load), or {name}(A.load, 2 s, 5 s)')}")
    if any(_is_reduction(call[1], [""]) for call in _CALL.finditer(parts[0]) if call[1] not in ("max", "min")):
        raise ChoiceError(f"'{whole}': {name}(...) is already one number of the run; nothing inside it can be another")
    try:
        times = [quantity(part, "s") for part in parts[1:]]
    except ValueError as error:
        raise ChoiceError(f"'{whole}': {error}") from None
    if name == AT:
        return Reduction(name, parts[0], times[0])
    return Reduction(name, parts[0], window=(times[0], times[1]) if times else None)


def _closing(text: str, begin: int, whole: str) -> int:
    depth = 1
    for place in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ChoiceError(f"'{whole}': a bracket is not closed")


def _arguments(inside: str) -> list[str]:
    parts, depth = [""], 0
    for letter in inside:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
