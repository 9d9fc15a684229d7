"""Macro steps: how long they are, and where macro points lie."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..mechanism.arguments import is_finite, is_plain, seconds_of
from ..mechanism.errors import ChoiceError
from .box import Box
from .own_box import MechanismBox
from .step import Step

if TYPE_CHECKING:
    from .coupled import SystemSession

SAME = 1e-9  # of a macro step: times no farther apart are the same
FIRST = 5e-3  # s, of "auto"
LEAST = 1e-6  # s, of "auto"
ERROR = 1e-8  # of the size, at the end of a macro step of "auto"
SAFETY, GROWS, SHRINKS = 0.9, 2.0, 0.3
ORDER = 6  # with which the estimate falls


def checked_macro(given: Any) -> float | str:
    """A macro step as written, if it is one."""
    if isinstance(given, str) and given == "auto":
        return "auto"
    if isinstance(given, str) and not is_plain(given):
        given = seconds_of("macro_step", given)
    if not is_finite(given) or given <= 0:
        raise ChoiceError(f"macro_step is {given!r}; expected a positive number of seconds, or 'auto'", "macro_step")
    return float(given)


class Macro:
    """Fixed macro steps from the start on; or, with "auto", as long as their error allows, ending on samples."""

    def __init__(self, given: float | str, boxes: Mapping[str, Box], start: float) -> None:
        self.start = start
        self.longest = math.inf
        self.fixed = None if isinstance(given, str) else given
        self.now = self.fixed or FIRST  # s, the next one
        self.use(given, boxes)

    def use(self, given: float | str, boxes: Mapping[str, Box]) -> None:
        """Go on with these boxes, if it fits their steps."""
        self.fixed = None if isinstance(given, str) else given
        own = {name: _step_of(box) for name, box in boxes.items()}
        self.least = max([LEAST, *(step for step in own.values() if step)])
        self.now = max(self.now, self.least) if self.fixed is None else self.now
        if self.fixed is not None:
            for name, step in own.items():
                if step is not None:
                    _check_multiple(self.fixed, name, step)

    def check(self, t: float, target: float) -> None:
        """Refuse a time between two macro points."""
        if self.fixed is None:
            return
        count = (target - self.start) / self.fixed
        if abs(count - round(count)) > SAME * max(1.0, abs(count)):
            low = math.floor(count)
            before, after = (self.start + k * self.fixed for k in (low, low + 1))
            raise ChoiceError(
                f"t = {target:g} s lies between two macro points, {before:g} s and {after:g} s; "
                "the session advances by whole macro steps"
            )

    def steps(self, session: SystemSession, end: float) -> Iterator[tuple[float, bool]]:
        """Lengths of the macro steps to a time, and whether each is the last."""
        if self.fixed is not None:
            count = round((end - session.t) / self.fixed)
            for k in range(count):
                yield self.fixed, k == count - 1
            return
        while session.t < end - SAME * max(self.now, LEAST):
            left = end - session.t
            count = max(1, math.ceil(left / self.now * (1 - SAME)))
            yield left / count, count == 1

    def learn(self, step: Step, H: float, size: float) -> None:
        """The next one by the error of the last."""
        if self.fixed is not None:
            return
        wanted = ERROR * size / max(step.error, 1e-300)
        factor = min(GROWS, max(SHRINKS, SAFETY * wanted ** (1 / ORDER)))
        self.now = min(self.longest, max(self.least, min(H * factor, GROWS * H)))


def _step_of(box: Box) -> float | None:
    return box.fixed_step() if isinstance(box, MechanismBox) else box.step


def _check_multiple(H: float, name: str, step: float) -> None:
    if step * (1 - SAME) > H:
        raise ChoiceError(
            f"macro_step is {H:g} s, shorter than the step of subsystem '{name}', {step:g} s; "
            f"give macro_step at least {step:g} s, or the subsystem a shorter step",
            "macro_step",
        )
    count = H / step
    if abs(count - round(count)) > SAME * count:
        low = math.floor(count)
        raise ChoiceError(
            f"macro_step is {H:g} s, no multiple of the step of subsystem '{name}', {step:g} s; "
            f"the nearest are {low * step:g} s and {(low + 1) * step:g} s",
            "macro_step",
        )


def fitting_every(H: float, duration: float, samples: int) -> float:
    """Seconds between samples that fit macro steps."""
    return H * max(1, round(duration / samples / H))
