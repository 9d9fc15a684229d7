"""Every gallery machine in every integrator and recipe that applies: for tests and the long campaign of sessions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import jourdain as jd
from jourdain.files.gallery import example_names

WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "dop853": {"integrator": "dop853"},
    "dopri5": {"integrator": "dopri5"},
    "radau": {"integrator": "radau"},
    "radau with multipliers": {"integrator": jd.Radau(multipliers=True)},
    "radau of seven stages with forces": {"integrator": jd.Radau(stages=7, forces=True)},
    "bdf": {"integrator": "bdf"},
    "rk4": {"integrator": "rk4", "step": 2e-3},
    "rk6": {"integrator": "rk6", "step": 4e-3},
    "ab6": {"integrator": "ab6", "step": 1e-3},
    "newmark": {"integrator": "newmark", "step": 1e-3},
    "generalized-alpha": {"integrator": "generalized-alpha", "step": 2e-3},
    "hht": {"integrator": "hht", "step": 2e-3},
    "amesim": {"recipe": "amesim"},
    "nacf": {"recipe": "nacf"},
    "recursive": {"recipe": "recursive"},
    "joli": {"recipe": "joli"},
    "stanescu": {"recipe": "stanescu"},
    "uzawa": {"treatment": "uzawa"},
    "augmented": {"treatment": "augmented-lagrangian"},
    "penalty": {"treatment": "penalty", "integrator": "rk4", "step": 1e-3},
    "partitioning": {"treatment": "partitioning"},
    "null-space": {"treatment": "null-space"},
    "baumgarte": {"stabilisation": jd.Baumgarte(alpha=20.0, beta=20.0)},
    "ggl": {"stabilisation": "ggl", "integrator": "radau"},
    "natural": {"coordinates": "natural"},
    "euler-parameters": {"coordinates": "euler-parameters"},
}


def all_ways() -> Iterator[tuple[str, str]]:
    for machine in example_names():
        for way in WAYS:
            yield machine, way


def covering() -> list[tuple[str, str]]:
    """Each machine in two or three ways, each way on at least one machine, and none that takes ten seconds."""
    ways = list(WAYS)
    return [(m, ways[k]) for i, m in enumerate(example_names()) for k in range(len(ways)) if (k + 3 * i + 6) % 13 == 0]


def check(machine: str, way: str, duration: float = 0.6, samples: int = 24) -> str:
    """Whether a session over a grid has the bits of `simulate`, also restored, here and elsewhere: empty, or why not.

    What is refused, or fails in `simulate`, must do the same in a session.
    """
    m = jd.example(machine)
    times = np.linspace(0.0, duration, samples + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jd.SimulationWarning)
        try:
            run = jd.simulate(m, times=times, **WAYS[way])
        except jd.ChoiceError:
            return ""
    begun = {"times": times[:1]} if times[0] else {}
    s = jd.session(m, **begun, **WAYS[way])
    found, marks = [s.y.copy()], {}
    for k, t in enumerate(run.t[1:], 1):
        if k in (5, samples // 2, samples - 3):
            marks[k] = s.checkpoint()
        s.advance(to=t)
        found.append(s.y.copy())
    wanted = [y for y in run.samples]
    if bad := _unlike(found, wanted):
        return f"the session differs from sample {bad} on"
    other = jd.session(m, **begun, **WAYS[way])
    for k, mark in marks.items():
        for who, name in ((s, "the same session"), (other, "another session")):
            who.restore(mark)
            later = []
            for t in run.t[k:]:
                who.advance(to=t)
                later.append(who.y.copy())
            if bad := _unlike(later, wanted[k:]):
                return f"{name} restored before sample {k} differs {bad} samples later"
    return ""


def _unlike(found: list[Any], wanted: list[Any]) -> int:
    """The number, from 1, of the first sample that differs; an event may have happened there."""
    for k, (one, two) in enumerate(zip(found, wanted, strict=True), 1):
        if not np.array_equal(one, two, equal_nan=True):
            return k
    return 0
