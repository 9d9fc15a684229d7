"""What all benchmarks have in common: answers checked before they are timed, turns taken, the best of many, a record.

Contenders take turns in short samples, and the best of each counts: other work on the computer then disturbs all alike,
and hardly the best. A contender whose answer is further from the reference than its own method allows is wrong and is
not timed. Ratios are a peer's time over ours.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
REFERENCE = HERE.parent / "tests" / "reference"
RESULTS = HERE / "results"
EXAMPLES = HERE.parent / "examples"
if str(EXAMPLES) not in sys.path:
    sys.path.append(str(EXAMPLES))  # last: no module there may hide one of the benchmarks

LIBRARIES = ("jourdain", "numpy", "scipy", "numba", "exudyn", "mujoco", "pin", "sympy", "pydy")


class Sample(NamedTuple):
    """One run: seconds spent in the library's own loop, units of work done (steps, runs), the answer."""

    seconds: float
    units: int
    answer: Any


@dataclass
class Contender:
    """Somebody who solves the problem; `bar` is the error that its method may have."""

    name: str
    run: Callable[[], Sample]
    bar: float
    settings: str = ""
    ours: bool = False
    subset: Any = None  # rows of the reference that it answers, where it would take too long to do all
    error: float = np.nan
    times: list[float] = field(default_factory=list)  # microseconds a unit

    @property
    def right(self) -> bool:
        return bool(self.error <= self.bar)

    @property
    def best(self) -> float:
        return min(self.times, default=float("nan"))

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "ours": self.ours,
            "settings": self.settings,
            "error": self.error,
            "right": self.right,
            "best_us": self.best,
            "median_us": statistics.median(self.times) if self.times else None,
        }


@dataclass(frozen=True)
class Absent:
    """Somebody who would belong here and was not run, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Target:
    """A ratio that is asked for: a peer's best time over ours."""

    words: str
    ours: tuple[str, ...]  # the fastest of these counts
    peers: tuple[str, ...]  # and the fastest of these
    must: float
    aim: float


def compete(
    title: str,
    unit: str,
    contenders: Sequence[Contender | Absent | None],
    reference: Any,
    targets: Sequence[Target] = (),
    rounds: int = 12,
    budget: float = 12.0,
) -> dict[str, Any]:
    """Check all, let them take turns, print a table and return its record."""
    print(f"\n{title}")
    found = [c for c in contenders if isinstance(c, Contender)]
    absent = [c for c in contenders if isinstance(c, Absent)]
    for contender in found:
        answer = np.asarray(contender.run().answer, dtype=float)
        expected = np.asarray(reference) if contender.subset is None else np.asarray(reference)[contender.subset]
        contender.error = float(np.max(np.abs(answer - expected)))
    right = [c for c in found if c.right]
    done = take_turns(right, rounds, budget)
    print(f"  microseconds a {unit}, best of {done} (median); error against the reference")
    for c in found:
        if c.right:
            print(f"  {c.name:<44}{c.best:11.3f} ({statistics.median(c.times):10.3f})   {c.error:8.1e}   {c.settings}")
        else:
            print(f"  {c.name:<44}not timed: off by {c.error:.1e}, more than {c.bar:.0e}")
    for who in absent:
        print(f"  {who.name:<44}not run: {who.why}")
    record = {"title": title, "unit": unit, "rounds": done, "contenders": [c.record() for c in found]}
    record |= {"absent": [asdict(who) for who in absent]}
    return record | {"targets": [met for t in targets if (met := judged(t, found))]}


def take_turns(contenders: Sequence[Contender], rounds: int, budget: float) -> int:
    """One sample of each a round, until rounds or seconds are used up; returns the rounds made."""
    deadline = time.perf_counter() + budget
    for done in range(rounds):
        if done >= 3 and time.perf_counter() > deadline:
            return done
        for contender in contenders:
            sample = contender.run()
            contender.times.append(1e6 * sample.seconds / sample.units)
    return rounds


def judged(target: Target, found: Sequence[Contender]) -> dict[str, Any] | None:
    """The ratio reached, printed beside what is asked for."""
    times = {c.name: c.best for c in found if c.times}
    peers = {name: times[name] for name in target.peers if name in times}
    own = {name: times[name] for name in target.ours if name in times}
    if not own or not peers:
        return None
    peer, best = min(peers, key=peers.__getitem__), min(own, key=own.__getitem__)
    ratio = peers[peer] / own[best]
    verdict = "reached" if ratio >= target.aim else "enough" if ratio >= target.must else "MISSED"
    print(
        f"  {target.words}: {ratio:.1f} times faster than {peer} (must {target.must:g}, aim {target.aim:g}): {verdict}"
    )
    return {
        "words": target.words,
        "ours": best,
        "peer": peer,
        "ratio": ratio,
        "must": target.must,
        "aim": target.aim,
    }


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The power of the size that fits the times."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def version_of(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        if name != "jourdain":
            return "not installed"
        from jourdain.version import __version__

        return __version__


def is_installed(name: str) -> bool:
    return version_of(name) != "not installed"


def header() -> dict[str, Any]:
    """When, on what, and with which versions."""
    load = [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load_average": load,
        "versions": {"python": platform.python_version(), **{name: version_of(name) for name in LIBRARIES}},
    }
