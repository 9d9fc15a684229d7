"""What is wrong with clock, counts, words and memory that somebody else wrote: kernels believe all they find there.

Each rule is what the kernels keep to themselves (adaptive_loop.py, fixed_loop.py and event_search.py in
kernels/integrators); numbers of theirs are said where they are used. What is told is the first thing that cannot be.
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..kernels.layout import fields as f
from ..kernels.layout import loops
from ..kernels.layout import returned as st
from .time_loop import MAX_STEPS, TimeLoop
from .workspace import KEPT_HEADER, KEPT_SETTINGS, Workspace

Array = npt.NDArray[Any]

ROUNDING = 1e-9  # of a time
ANY = 2**62  # counts stay below
GROW, MOST_FIRST = 6.0, 0.1  # of adaptive_loop.py: a step to the next one; s, a first one
SHORTEST = 1e-14  # likewise: of the time, or of 1 s
MOST_ROUGH, MOST_TINY = 16, 500  # of ab6.py and adaptive_loop.py: steps in a row with which a run ends
WORDS_BELOW = {"FRESH": 2, "FACTORED": 2, "DENSE": 2, "INTERPOLANT": 2, "FLOATING": 2, "CHOSEN": 3}
START = KEPT_SETTINGS.index("START")
STEP = KEPT_SETTINGS.index("STEP")
EXACT = KEPT_SETTINGS.index("EXACT")
NOISE, LARGEST = 0, 1  # rows of EVENT_WORK (event_search.py)
MOST_NOISE = 1e-6  # likewise: of the largest value seen, and half as much again for rounding


def count_bounds(loop: TimeLoop) -> tuple[Array, Array]:
    """Least counts of a loop, and what they stay below."""
    least, below = np.zeros(loops.C_LENGTH, np.int64), np.full(loops.C_LENGTH, MAX_STEPS, np.int64)
    least[loops.C_HISTORY] = -1
    for flag in (loops.C_RESTART, loops.C_RETRIED, loops.C_CHANGED, loops.C_SINGLE, loops.C_CHOSEN):
        below[flag] = 2
    below[loops.C_BROKEN] = st.STOPPED
    below[loops.C_ROUGH], below[loops.C_TINY] = MOST_ROUGH + 1, MOST_TINY + 1
    for flag in (loops.C_WATCH, loops.C_RANK):  # nobody changes them on the way
        least[flag], below[flag] = loop.counts[flag], loop.counts[flag] + 1
    return least, below


def word_bounds(workspace: Workspace) -> Array:
    """What the words of the header stay below."""
    below = np.array([WORDS_BELOW.get(name, ANY) for name in KEPT_HEADER], np.int64)
    below[KEPT_HEADER.index("RANK")] = workspace.model.padded + 1
    return below


def impossible(loop: TimeLoop, clock: Array, counts: Array, settings: Array, t: float) -> str | None:
    """What is wrong with what a loop that was asked for t wrote down; None: nothing. Bounds are kept already."""
    times, count = clock.tolist(), counts.tolist()
    now, ahead, stop, step = (times[k] for k in (loops.T_NOW, loops.T_AHEAD, loops.T_STOP, loops.T_STEP))
    tried = count[loops.C_STEPS] + count[loops.C_REJECTED]
    crossing = loop.crossing is not None and loop.crossing.active
    helper = loop.takeover
    watched = crossing or (helper is not None and helper.active)
    if helper is not None and helper.at_times:
        watched = watched or count[loops.C_LOOK] > 0
    fixed = isinstance(loop.integrator, ch.FixedStep)
    slack = ROUNDING * max(1.0, abs(now))
    if (count[loops.C_LOOK] > 0) != watched or (watched and count[loops.C_LOOK] < tried):
        return "it wants to be looked at where nobody looks"
    if count[loops.C_STIFF] and not (helper is not None and helper.changes_methods):
        return "it wants to change its method where nobody does"
    if max(count[loops.C_HISTORY], count[loops.C_SUBSTEP]) > count[loops.C_STEPS]:
        return "it remembers more steps than it took"
    if wrong := _wrong_times(times) or _wrong_settings(settings):
        return wrong
    if fixed:
        wrong = _wrong_fixed(times, count, getattr(loop.integrator, "step", np.inf), slack)
    else:
        wrong = _wrong_adaptive(times, count, settings, slack)
    if wrong:
        return wrong
    if ahead > -np.inf and fixed:
        return "the step ahead of it is none"
    if not stop > now or (stop < np.inf and not loop.workspace.sizes.events):
        return "it goes to an event that is none"
    # On its way over a singular position it stands before it, and samples behind are known.
    beyond = now + loop.crossing.usual if crossing and loop.crossing is not None else now
    if not now <= t <= max(beyond, ahead, stop if stop < np.inf else now):
        return "it stands outside the step that it is in"
    if ahead > loop.until:
        return f"its step goes on to t = {ahead:g} s, and this session ends at until = {loop.until:g} s"
    if step < 0.0:
        return "its clock shows what cannot be"
    return None


def _wrong_times(times: list[float]) -> str | None:
    now, origin, end = times[loops.T_NOW], times[loops.T_FROM], times[loops.T_BLURRED_END]
    if any(time != time for time in times):
        return "it has a clock with numbers that are none"
    lengths = [times[k] for k in (loops.T_STEP, loops.T_USUAL, loops.T_BLURRED, loops.T_TURN, loops.T_REACH)]
    if not (-np.inf < now < np.inf and -np.inf < origin <= now) or end == np.inf:
        return "its clock shows what cannot be"
    if not all(0.0 <= length < np.inf for length in lengths):
        return "its clock shows a step that cannot be"
    return None


def _wrong_settings(settings: Array) -> str | None:
    for name, value in zip(KEPT_SETTINGS, settings.tolist(), strict=True):
        if not isfinite(value) or (value < 0.0 and name != "START"):
            return f"S_{name} is {value!r}"
    if settings[EXACT] != int(settings[EXACT]):
        return f"S_EXACT is {settings[EXACT]!r}; expected a count"
    return None


def _wrong_fixed(times: list[float], count: list[int], step: float, slack: float) -> str | None:
    """Steps divide an interval evenly and are no longer than was asked for; T_STEP is the last one."""
    last, substeps = times[loops.T_STEP], count[loops.C_SUBSTEP]
    if count[loops.C_RESTART]:  # it begins anew, whatever was
        return None
    if abs(times[loops.T_FROM] + substeps * (last if substeps else 0.0) - times[loops.T_NOW]) > slack:
        return "its steps do not lead to where it stands"
    if last > step * (1.0 + 1e-6) or ((substeps or count[loops.C_HISTORY] > 0) and last == 0.0):
        return f"its last step is {last:g} s, and it takes steps of {step:g} s"
    return None


def _wrong_adaptive(times: list[float], count: list[int], settings: Array, slack: float) -> str | None:
    """The next step is at most GROW times the last one; the usual one is at least the last one that was taken."""
    now, ahead, step, usual = (times[k] for k in (loops.T_NOW, loops.T_AHEAD, loops.T_STEP, loops.T_USUAL))
    tried = float(settings[STEP])
    most = GROW * max(usual, tried, MOST_FIRST)
    if ahead > -np.inf:
        if settings[START] != now or abs(now + tried - ahead) > slack or not ahead > now:
            return "the step ahead of it is none"
        if times[loops.T_STOP] == np.inf:
            if usual < tried:
                return f"its usual step is {usual:g} s, and it took one of {tried:g} s"
            most = GROW * tried
    if step > most * (1.0 + ROUNDING):
        return f"its next step is {step:g} s; after those before it is {most:g} s at most"
    if ahead > -np.inf and not count[loops.C_RESTART] and 0.0 < step < 1e-3 * SHORTEST * max(1.0, abs(now)):
        return f"its next step is {step:g} s; a step that was taken is followed by none so short"
    if times[loops.T_UNTIL] < max(now, ahead):
        return "it goes beyond where no step goes"
    return None


def limit_steps(loop: TimeLoop) -> None:
    """A loop that was given a clock goes no farther than it would by itself: `until` is of a session."""
    loop.clock[loops.T_UNTIL] = min(float(loop.clock[loops.T_UNTIL]), loop.end_after(loop.t))


def time_of(clock: Array) -> float:
    """Where y stands, by a clock that was written down."""
    return float(clock[loops.T_NOW])


def end_ahead(clock: Array) -> float | None:
    """Where the step ahead ends, by a clock that was written down; None if there is none."""
    ahead = float(clock[loops.T_AHEAD])
    return ahead if ahead > -np.inf else None


def goes_on(clock: Array, counts: Array) -> bool:
    """Whether memory is read as it is: the loop neither begins anew nor is on its way to an event."""
    return not counts[loops.C_RESTART] and clock[loops.T_STOP] == np.inf


def in_order(times: list[Any], end: float) -> bool:
    """Whether these are finite times, each not before the one before it, up to an end."""
    numbers = all(isinstance(at, int | float) and not isinstance(at, bool) and isfinite(at) for at in times)
    return numbers and all(one <= two for one, two in pairwise([*times, end]))


def may_be_infinite(name: str, shape: tuple[int, ...]) -> Array:
    """Which numbers of an array that is kept may be: what a method remembers in its row of notes, and the clock's."""
    allowed = np.zeros(shape, dtype=bool)
    if name in ("METHOD_WORK", "STEP_WORK") and shape[0] >= f.NOTES_ROW:
        allowed[shape[0] - f.NOTES_ROW] = True
    elif name == "clock":
        allowed[:] = True
    return allowed


def wrong_events(values: Array, work: Array, found: Array | None) -> int | None:
    """The number of the first event whose side cannot be; None: all can. `found` are values where it stands.

    An event's value is the one found there, or 0 after it has happened and while it is not larger than the noise; the
    noise is a small part of the largest value seen.
    """
    side, noise, largest = values[:, 0], work[NOISE], work[LARGEST]
    wrong = (noise < 0.0) | (largest < np.abs(side)) | (noise > 1.5 * MOST_NOISE * largest)
    wrong |= (noise > 0.0) & (side != 0.0)
    if found is not None:
        near = np.maximum(1.5 * MOST_NOISE * np.maximum(largest, np.abs(found)), noise)
        wrong |= ~(np.abs(np.where(side == 0.0, found, found - side)) <= near)
    return int(np.argmax(wrong)) if wrong.any() else None
