"""Sessions (l): what a frame, a number that is set, a checkpoint and a channel cost beside the kernel.

The machine is the four-bar, by rk4 in steps of 1 ms, in frames of 16 ms with one channel read. Kernel time is the time
inside calls of the compiled loop, taken off each frame by a clock around them; what is left is Python. Bits are
compared with those of `simulate` before anything is timed. A sample is a mean over several calls, the best of many
samples counts.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import jourdain as jd
import machines
from jourdain.engine import time_loop

FRAME, STEP = 0.016, 1e-3
HOW: dict[str, Any] = {"integrator": "rk4", "step": STEP}
CHANNEL, NUMBER = "crank.angle", "spring.stiffness"
CHECKED = 20  # frames
DURATION = 5.0  # s, of the whole run whose Python frames are counted
# Microseconds, and calls of Python functions, at most; None where nothing is asked for.
MUST = {
    "frame": 100.0,
    "frame with a number set": None,
    "set": 50.0,
    "checkpoint": 100.0,
    "restore": 100.0,
    "channel": 5.0,
    "reaction": None,
    "simulate": None,
    "python calls of simulate": 3000.0,
}


class Clock:
    """Seconds inside calls of the compiled loops."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            begun = time.perf_counter()
            found = call(*args)
            self.seconds += time.perf_counter() - begun
            return found

        return timed


@contextmanager
def kernel_clock() -> Iterator[Clock]:
    """A clock around the calls of compiled loops, as long as the block lasts."""
    clock, plain = Clock(), time_loop.compiled_loop
    made: dict[int, Callable[..., Any]] = {}

    def watched(key: Any) -> Callable[..., Any]:
        call = plain(key)
        return made.setdefault(id(call), clock.around(call))

    time_loop.compiled_loop = watched
    try:
        yield clock
    finally:
        time_loop.compiled_loop = plain


def beside_the_kernel(call: Callable[[], Any], repeated: int, samples: int) -> list[float]:
    """Microseconds of a call that are not the kernel's: means over `repeated` calls each."""
    found = []
    with kernel_clock() as clock:
        for _ in range(samples):
            clock.seconds, begun = 0.0, time.perf_counter()
            for _ in range(repeated):
                call()
            found.append(1e6 * (time.perf_counter() - begun - clock.seconds) / repeated)
    return found


def check() -> None:
    """A session over a grid, after a number is set, and after a checkpoint: the bits of `simulate`."""
    m, times = machines.four_bar(), FRAME * np.arange(CHECKED + 1)
    whole = jd.simulate(m, times=times, **HOW)
    s = jd.session(m, **HOW)
    mark = s.checkpoint()
    for way in ("advanced", "restored"):
        s.restore(mark)
        for t, expected in zip(times[1:], whole[CHANNEL][1:], strict=True):
            s.advance(to=t)
            _same(s[CHANNEL], expected, f"the session, {way}")
    s = jd.session(m, **HOW)
    s.set(NUMBER, 300.0)
    changed = jd.simulate_many(m, variants={NUMBER: [300.0]}, times=times, **HOW)
    for t, expected in zip(times[1:], changed[CHANNEL][0][1:], strict=True):
        s.advance(to=t)
        _same(s[CHANNEL], expected, f"the session with {NUMBER} set")


def _same(found: float, expected: float, who: str) -> None:
    if found != expected:
        raise RuntimeError(f"{who} is off by {abs(found - expected):.1e}; wrong answers are not timed")


def python_calls(call: Callable[[], Any]) -> int:
    """How many Python functions are called."""
    count = 0

    def seen(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count - 1  # `call` itself


def run(full: bool, rounds: int) -> dict[str, Any]:
    check()
    m = machines.four_bar().frozen()
    s = jd.session(m, **HOW)
    turn = iter(range(10**9))

    def frame() -> None:
        s.advance(FRAME)
        s[CHANNEL]

    def number() -> None:
        s.set(NUMBER, 200.0 + next(turn) % 7)

    def steered() -> None:
        number()
        frame()

    def reaction() -> None:
        s.advance(FRAME)
        s["A.fx"]

    frame()
    mark = s.checkpoint()
    whole = lambda: jd.simulate(m, DURATION)  # noqa: E731
    calls: dict[str, tuple[Callable[[], Any], int]] = {
        "frame": (frame, 20),
        "frame with a number set": (steered, 20),
        "set": (number, 50),
        "checkpoint": (s.checkpoint, 20),
        "restore": (lambda: s.restore(mark), 20),
        "channel": (lambda: s[CHANNEL], 200),
        "reaction": (reaction, 20),
        "simulate": (whole, 3),
    }
    print("\nl. Sessions: four-bar, rk4, frames of 16 ms in steps of 1 ms; microseconds beside the kernel")
    found: dict[str, Any] = {}
    for name, (call, repeated) in calls.items():
        call()
        times = beside_the_kernel(call, repeated, max(5, 4 * rounds))
        found[name] = _judged(name, min(times), statistics.median(times))
    count = python_calls(whole)
    found["python calls of simulate"] = _judged("python calls of simulate", count, count)
    return {"l": found}


def _judged(name: str, best: float, median: float) -> dict[str, Any]:
    must = MUST[name]
    verdict = "" if must is None else f"   at most {must:g}: {'enough' if best <= must else 'MISSED'}"
    print(f"  {name:<28}{best:11.2f} ({median:10.2f}){verdict}")
    return {"best": best, "median": median, "must": must}
