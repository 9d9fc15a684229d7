"""One random machine, tried: the default as it comes against two other coordinate sets and against Newton and Euler."""

from __future__ import annotations

import contextlib
import signal
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

import jourdain as jd
from judging import APART, AT, REACH, grid, unbalanced, unideal, worst_channel
from random_machines import Machine, random_machine

Array = npt.NDArray[np.float64]

DURATION, MOMENTS = 0.6, 20
ALLOWED = 1e4 * 1e-9  # times the default's rtol, of the range
SHARP = 1e-12  # rtol of the others
NUDGE, SEPARATED = 1e-7, 1e3  # of velocities at the start; how much farther apart is too far to compare
LONGEST, PATIENCE = 60.0, 15.0  # s of the processor, of the default and of each other set
SETS = {
    "planar": ("relative", "natural", "angle", "points"),
    "spatial": ("relative", "euler-parameters", "natural", "quaternion"),
}
NEAR = 1e-3  # of the largest singular value of all rows, the least: nearer to a singular position is told apart
RIGHT, STOPPED, REFUSED, SINGULAR, UNKNOWN, WRONG = "right", "stopped", "refused", "singular", "unknown", "WRONG"


class TooLongError(BaseException):
    """Not an Exception: nobody on the way may take it for his own."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Of the processor: what is compiled in other processes, and what the machine does besides, does not count."""

    def stop(number: int, frame: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def trial(seed: int, other_ways: bool) -> tuple[str, str]:
    """The verdict on a machine and its line; `other_ways`: also through batches and sessions."""
    machine = random_machine(seed)
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", jd.SimulationWarning)
            verdict, words = _tried(machine, other_ways)
    except TooLongError:
        verdict, words = WRONG, f"not done after {LONGEST:g} s"
    except jd.JourdainError as error:
        verdict, words = REFUSED, f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001  (it is what is looked for)
        verdict, words = WRONG, f"traceback: {type(error).__name__}: {error}"
    return verdict, f"{machine}: {verdict}; {words} ({time.perf_counter() - begun:.1f} s)"


def _tried(machine: Machine, other_ways: bool) -> tuple[str, str]:
    times = grid(DURATION, MOMENTS)
    with limit(LONGEST):
        run = jd.simulate(machine.m, times=times, progress=False)
    if not run.status.ok:
        return STOPPED, run.status.sentence.splitlines()[0]
    taken = str(run.choices.coordinates)
    others, given_up = _others(machine, times, taken)
    if len(others) < 2:
        return UNKNOWN, f"no two other sets: {'; '.join(given_up)}; conditioning {conditioning(run):.1e}"
    told, found = [], []
    use = _comparable(machine, others, times)
    for name, other in others.items():
        off, channel = worst_channel(run, other, use)
        found.append(f"{name} {off:.1e} ({channel})")
        if off > ALLOWED:
            told.append(f"differs from {name} by {off:.1e} of its range in {channel}")
    off, words = _balance(machine, run, times, use)
    found.append(f"{words} {off:.1e}")
    if off > ALLOWED:
        told.append(f"{words}: {off:.1e} is missing")
    off, words = unideal(run)
    if off > ALLOWED:
        told.append(f"{words}: {off:.1e}")
    if other_ways:
        told += _other_ways(machine, run, use)
    summary = f"{taken}, {np.sum(use)} of {times.size} samples, " + ", ".join([*found, *given_up])
    if not told:
        return RIGHT, summary
    near = conditioning(run)
    verdict = SINGULAR if near < NEAR else WRONG
    return verdict, f"{'; '.join(told)}; conditioning {near:.1e}; {summary}"


def _others(machine: Machine, times: Array, taken: str) -> tuple[dict[str, Any], list[str]]:
    """Two runs in other sets at a sharp tolerance, and what was said of sets that could not."""
    sets = [name for name in SETS[machine.m.frozen().space] if name not in taken]
    first = machine.seed % len(sets)
    found: dict[str, Any] = {}
    given_up = []
    for name in (*sets[first:], *sets[:first]):
        try:
            with limit(PATIENCE):
                other = _sharp(machine.m, times, name)
        except TooLongError:
            given_up.append(f"{name} not done after {PATIENCE:g} s")
            continue
        if not other.status.ok:
            given_up.append(f"{name} {other.status.sentence.splitlines()[0]}")
            continue
        found[name] = other
        if len(found) == 2:
            break
    return found, given_up


def _sharp(m: Any, times: Array, name: str) -> Any:
    return jd.simulate(m, times=times, coordinates=name, rtol=SHARP, progress=False)


def _comparable(machine: Machine, runs: dict[str, Any], times: Array) -> Array:
    """Samples until nearby starts are a thousand times farther apart, away from moments of events."""
    (name, *_), others = runs, list(runs.values())
    try:
        with limit(PATIENCE):
            nearby = _sharp(random_machine(machine.seed, NUDGE).m, times, name)
    except TooLongError:
        nearby = others[0]
    use = np.zeros(times.size, dtype=bool)
    last = min([nearby.t.size, times.size, *(other.t.size for other in others)])
    apart = np.zeros(last)
    for body in nearby.blueprint.bodies:
        names = (
            ("x", "y", "angle", "vx", "vy", "spin")
            if machine.planar
            else ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")
        )
        for name in names:
            apart += (nearby[f"{body.name}.{name}"][:last] - others[0][f"{body.name}.{name}"][:last]) ** 2
    apart = np.sqrt(apart)
    far = np.flatnonzero(apart > SEPARATED * max(apart[0], 1e-3 * NUDGE))
    use[: far[0] if far.size else last] = True
    for other in others:
        for moments in other.events.values():
            for t in moments.t:
                use &= np.abs(times - t) > 1e-6
    return use


def _balance(machine: Machine, run: Any, times: Array, use: Array) -> tuple[float, str]:
    for apart in APART:
        if apart != APART[0]:
            times = grid(DURATION, MOMENTS, apart)
            run = jd.simulate(machine.m, times=times, progress=False)
        events = np.concatenate([[], *(moments.t for moments in run.events.values())])
        clear = np.array([not np.any(np.abs(events - t) < (REACH + 1) * apart) for t in times[AT]], dtype=bool)
        off, words = unbalanced(machine, run, clear & use[AT], apart)
        if off <= ALLOWED:
            break
    return off, words


def _other_ways(machine: Machine, run: Any, use: Array) -> list[str]:
    """A session over the same times has the same bits; a batch with the masses as they are has the same numbers."""
    told = []
    s = jd.session(machine.m)
    found = [s.y.copy()]
    for t in run.t[1:]:
        s.advance(to=t)
        found.append(s.y.copy())
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found, run.samples, strict=True)):
        told.append("a session has other bits")
    mass = run.blueprint.bodies[0].mass
    many = jd.simulate_many(machine.m, variants={"b0.mass": [mass, 1.1 * mass]}, times=run.t, progress=False)
    other = jd.simulate(_heavier(machine, 1.1), times=run.t, progress=False)
    for k, alone in enumerate((run, other)):
        if many[k].status.ok != alone.status.ok:
            told.append(f"variant {k} of a batch: {many[k].status.sentence.splitlines()[0]}")
        elif alone.status.ok:
            off, channel = worst_channel(many[k], alone, use)
            if off > ALLOWED:
                told.append(f"variant {k} of a batch is {off:.1e} off in {channel}")
    return told


def _heavier(machine: Machine, factor: float) -> Any:
    blueprint = machine.m.frozen()
    first, *rest = blueprint.bodies
    return replace(blueprint, bodies=(replace(first, mass=factor * first.mass), *rest))


def conditioning(run: Any) -> float:
    """How near to a singular position it comes: least over largest singular value of its independent rows."""
    from jourdain.engine.pose import Pose

    name = "angle" if run.blueprint.dim == 2 else "quaternion"
    if name not in str(run.choices.coordinates):
        run = jd.simulate(run.blueprint, times=run.t, coordinates=name, progress=False)
    pose, rank, least = Pose(run.model), run.redundancy.rank, 1.0
    for t, y in zip(run.t, run.samples, strict=True):
        sizes = np.linalg.svd(pose.jacobian(t, y), compute_uv=False)
        least = min(least, sizes[rank - 1] / sizes[0]) if rank else least
    return float(least)
