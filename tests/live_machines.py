"""Live machines with a clock that the test turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import jourdain as jd
from jourdain.files.gallery import path
from jourdain.live.beginning import begin

FRAME = 1 / 60
PIN_C = {"type": "revolute", "between": ["coupler.C", "rocker.C"]}


class Clock:
    """Seconds that go on when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def lively(source: Any, **choices: Any) -> tuple[jd.Live, Callable[..., None]]:
    """A live machine, and a function that lets it run for some seconds, with something to do before each frame."""
    clock = Clock()
    live = begin(source, clock=clock, warm=False, **choices)

    def run(seconds: float, before: Callable[[float], None] | None = None) -> None:
        live.play()
        for _ in range(round(seconds / FRAME)):
            clock.now += FRAME
            if before is not None:
                before(clock.now)
            live.tick()

    return live, run


def busy(seed: int, seconds: float = 6.0) -> tuple[jd.Live, Callable[..., None]]:
    """A machine to which much was done."""
    live, run = lively(path("four_bar"))
    rng = np.random.default_rng(seed)
    run(0.7)
    hand = live.grab("coupler.C")
    base = live[["coupler.C.x", "coupler.C.y"]]
    run(seconds / 4, lambda now: hand.move(base + rng.uniform(-0.3, 0.3, 2)))
    hand.release()
    live.apply({"do": "remove", "part": "joints.C"})
    run(0.4)
    live.apply({"do": "insert", "part": "joints.C", "value": PIN_C})
    run(seconds / 4)
    live.apply({"do": "set", "number": "k", "value": 100})
    run(seconds / 4)
    return live, run
