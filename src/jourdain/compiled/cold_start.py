"""The first run on a machine: says that it compiles, and uses a second process to halve the wait.

Entries and integrators compile and cache each on its own, so two processes can share the work, both into the same
cache. What a mechanism does not need is not compiled. If the other process cannot be started, nothing is lost but time:
whatever is missing is compiled when it is first used.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .flat import FlatModel, compiled_entry, needed_entries, rare_entries, variant_of
from .integrators import ADAPTIVE, method_of
from .kernels import cache_folder, load_kernels, own_cache
from .lanes import lanes_driver, lanes_entries

PACKAGE_ROOT = Path(__file__).resolve().parent.parent.parent
# Seconds on an ordinary core to compile the costlier entries; all others count as OTHERS. Only shares the work fairly.
SECONDS = {
    "F_SEARCH": 2.5,
    "F_RHS": 1.5,
    "F_FACTOR": 1.5,
    "F_FORWARD": 1.5,
    "F_AFTER_STEP": 1.2,
    "F_PLACE": 0.8,
    "F_LOAD": 0.8,
    "F_TAPE_ROWS": 0.8,
    "F_STEP": 0.8,
    "F_TRY": 1.5,
    "F_DENSE": 0.8,
    "F_EXACT": 3.0,
    "F_ENERGY": 0.6,
    "F_BODIES": 1.0,
    "F_CHART": 1.0,
}
OTHERS = 0.4
ADVANCE_ADAPTIVE = 3.0  # of the time loop of all methods with error control
ADVANCE_OTHERS = 2.0  # of each of the others

# Time loops of methods with error control: without the search for events, and with it.
PLAIN, SEARCHING = "plain", "searching"

Task = tuple[int, str]  # an entry and its variant; entry -1: the time loop of the integrator named


def compile_for(
    model: FlatModel,
    integrator: str = "",
    stabilisation: str = "projection",
    treatment: str = "kkt",
    besides: tuple[int, ...] = (),
    number: str = "float64",
) -> None:
    """Bring the kernels that a model needs, and entries `besides`, into the cache, if they are not there yet.

    `number` complex128: those that find derivatives by complex step; lanes: those of batches in vector lanes.
    """
    space, coordinates = model.blueprint.space, model.coordinates
    rare = rare_entries(load_kernels().context)
    needed = lanes_entries(model) if number == "lanes" else needed_entries(model, stabilisation, integrator, treatment)
    entries = [*(f for f in needed if f not in rare or number == "lanes"), *besides]
    tasks: list[Task] = [(f, variant_of(f, stabilisation, integrator, treatment)) for f in entries]
    if number == "float64":  # assembly uses kkt and projection in any case
        tasks = list(dict.fromkeys([*tasks, *((f, variant_of(f, "projection", integrator)) for f in entries)]))
    if integrator:
        tasks.append((-1, integrator if number == "lanes" else _loop(model, integrator)))
    missing = [task for task in tasks if not _marker(space, coordinates, task, number).exists()]
    if not missing:
        return
    seconds = {task: _seconds(task) for task in missing}
    ours, theirs = _shared(seconds)
    about = max(1, round(max(sum(seconds[task] for task in share) for share in (ours, theirs))))
    what = coordinates if len(missing) == len(tasks) else "what this mechanism needs besides"
    what += {"float64": "", "complex128": " in complex numbers", "lanes": " in vector lanes"}[number]
    sys.stderr.write(f"jourdain: compiling the kernels for {what} (once on this machine, about {about} s) ...\n")
    sys.stderr.flush()
    begun = time.perf_counter()
    helper = _start_helper(space, coordinates, theirs, number) if theirs else None
    try:
        _compile(space, coordinates, ours, number)
        if helper is None or helper.wait() != 0:
            _compile(space, coordinates, theirs, number)
    finally:
        if helper is not None:
            helper.kill()
    sys.stderr.write(f"jourdain: compiled in {time.perf_counter() - begun:.1f} s\n")


def _loop(model: FlatModel, integrator: str) -> str:
    if method_of(integrator) not in ADAPTIVE:
        return integrator
    return SEARCHING if len(model.fields[load_kernels().context.EVENTS]) else PLAIN


def _marker(space: str, coordinates: str, task: Task, number: str) -> Path:
    """An empty file that says that an entry is in the cache: asking Numba would mean loading it."""
    what = f"{space}-{coordinates}" if task[0] >= 0 else "loop"  # which knows nothing of coordinates
    return cache_folder() / f"{what}-{task[0]}-{task[1]}-{number}.compiled"


def _seconds(task: Task) -> float:
    if task[0] < 0:
        return ADVANCE_ADAPTIVE if task[1] in (PLAIN, SEARCHING) else ADVANCE_OTHERS
    c = load_kernels().context
    return next((s for name, s in SECONDS.items() if getattr(c, name) == task[0]), OTHERS)


def _shared(seconds: dict[Task, float]) -> tuple[list[Task], list[Task]]:
    """Two shares of about equal work: always the next costliest to who has less. Starting the other costs a second."""
    shares: tuple[list[Task], list[Task]] = ([], [])
    loads = [0.0, 1.0]
    for task, cost in sorted(seconds.items(), key=lambda item: -item[1]):
        k = 0 if loads[0] <= loads[1] else 1
        shares[k].append(task)
        loads[k] += cost
    return shares


def _start_helper(space: str, coordinates: str, tasks: list[Task], number: str) -> subprocess.Popen[bytes] | None:
    paths = [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "JOURDAIN_CACHE_DIR": str(cache_folder().parent.parent),
    }
    written = [f"{function}:{variant}" for function, variant in tasks]
    command = [sys.executable, "-m", "jourdain.compiled.cold_start", space, coordinates, number, *written]
    try:
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, TypeError):
        return None


def _compile(space: str, coordinates: str, tasks: list[Task], number: str) -> None:
    with _uncollected():
        for task in tasks:
            function, variant = task
            if function < 0:
                _compile_loop(variant, number)
            else:
                compiled_entry(space, coordinates, function, number, variant)
            _marker(space, coordinates, task, number).touch()


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: Numba makes millions of objects that live on, and looking at them takes 6 %."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _compile_loop(integrator: str, number: str) -> None:
    """The time loop, and the ways in for Python."""
    if number == "lanes":
        lanes_driver(integrator)
        return
    import numba
    from numba import float64, int64

    k = load_kernels()
    scalar = getattr(numba, number)
    times, counts = float64[::1], int64[::1]
    vector, matrix = scalar[::1], scalar[:, ::1]
    progress = (times, counts, int64, int64)
    with own_cache():
        if scalar is not float64 and integrator in (PLAIN, SEARCHING):
            k.adaptive.follow.compile((counts, vector, times, times, matrix, times, counts))
        elif scalar is not float64:
            follow = getattr(k.fixed_step, f"follow_{integrator}")
            follow.compile((counts, vector, matrix, times, matrix, float64, times, counts))
        elif integrator in (PLAIN, SEARCHING):
            numbers = (int64, float64, float64, float64)
            advance = k.adaptive.advance if integrator == SEARCHING else k.adaptive.advance_plain
            advance.compile((counts, vector, vector, matrix, *numbers, *progress))
        else:
            advance = getattr(k.fixed_step, f"advance_{integrator}")
            advance.compile((counts, vector, matrix, vector, matrix, float64, *progress))
        k.system.project.compile((counts, float64, vector))
        k.system.call_entry.compile((counts, int64, float64, vector, vector))
        k.system.sample_outputs.compile((counts, times, matrix, matrix))


def batch_driver(integrator: str) -> Any:
    """The compiled function that runs many variants, for the time loop of an integrator."""
    k = load_kernels()
    many, names = k.method("many"), k.fixed_step
    codes = {"rk4": names.RK4, "rk6": names.RK6, "ab6": names.AB6, "alpha": names.ALPHA, "newmark": names.NEWMARK}
    name = "adaptive" if method_of(integrator) in ADAPTIVE else integrator
    return _driver(name, codes.get(name, many.ADAPTIVE))


@functools.cache
def _driver(name: str, code: int) -> Any:
    marker = cache_folder() / f"many-{name}.compiled"
    if not marker.exists():
        sys.stderr.write("jourdain: compiling the driver of batches (once on this machine, about 5 s) ...\n")
        sys.stderr.flush()
    from numba import float64, int64

    vector, matrix, cube = float64[::1], float64[:, ::1], float64[:, :, ::1]
    integers, table = int64[::1], int64[:, ::1]
    with own_cache():
        drive = load_kernels().method("many").make_drive(code)
        numbers = (integers, vector, matrix, table, matrix, vector, vector, integers, integers)
        drive.compile((integers, integers, table, table, matrix, matrix, vector, vector, cube, cube, *numbers))
    marker.touch()
    return drive


if __name__ == "__main__":
    _space, _coordinates, _number, *_written = sys.argv[1:]
    _tasks = [(int(text.partition(":")[0]), text.partition(":")[2]) for text in _written]
    _compile(_space, _coordinates, _tasks, _number)
