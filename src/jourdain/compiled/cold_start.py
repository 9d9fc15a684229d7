"""The first run on a machine: says that it compiles, and uses a second process to halve the wait.

Entries and integrators compile and cache each on its own, so two processes can share the work, both into the same
cache: each takes the next from a list, costliest first, until none is left. What a mechanism does not need is not
compiled. If the other process cannot be started, nothing is lost but time: whatever is missing is compiled when it is
first used.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .flat import FlatModel, compiled_entry, needed_entries, rare_entries, variant_of
from .integrators import ADAPTIVE, method_of
from .kernels import announced, cache_folder, load_kernels, load_unpacking, own_cache
from .lanes import lanes_driver, lanes_entries

PACKAGE_ROOT = Path(__file__).resolve().parent.parent.parent
# Seconds on an ordinary core to compile the costlier entries; all others count as OTHERS. Only puts them in order and
# tells how long it will take.
SECONDS = {
    "F_SEARCH": 2.5,
    "F_EXACT": 3.0,
    "F_TRY": 1.5,
    "F_DENSE": 1.2,
    "F_RHS": 1.2,
    "F_AFTER_STEP": 1.2,
    "F_OUTPUTS": 1.0,
    "F_PLACE": 1.0,
    "F_FORCES": 1.0,
    "F_FACTOR": 0.9,
    "F_REACTIONS": 0.8,
    "F_FORWARD": 1.5,
    "F_TERM_ROWS": 0.8,
    "F_TAPE_ROWS": 0.8,
    "F_STEP": 0.8,
    "F_BODIES": 1.0,
    "F_CHART": 1.0,
    "F_TREE_FACTOR": 3.0,
    "F_TREE_SOLVE": 3.0,
    "F_OPEN_TREE": 2.0,
    "F_TREE_REACTIONS": 1.2,
}
OTHERS = 0.4
ADVANCE = 3.0  # of a time loop, and of unpacking
STARTING = 1.0  # of the other process

# Time loops of methods with error control: without the search for events, and with it.
PLAIN, SEARCHING = "plain", "searching"
LOOP, UNPACKING = -1, -2

# Coordinates, entry and its variant; or nothing, LOOP and the time loop of an integrator; or UNPACKING.
Task = tuple[str, int, str]


def compile_for(
    model: FlatModel,
    integrator: str = "",
    stabilisation: str = "projection",
    treatment: str = "kkt",
    besides: tuple[int, ...] = (),
    number: str = "float64",
    before: FlatModel | None = None,
) -> None:
    """Bring the kernels that a model needs, and entries `besides`, into the cache, if they are not there yet.

    `number` complex128: those that find derivatives by complex step; lanes: those of batches in vector lanes. `before`:
    the mechanism in other coordinates, in which it is assembled first.
    """
    space = model.blueprint.space
    tasks = _tasks(model, integrator, stabilisation, treatment, besides, number)
    if number == "float64":  # assembly uses kkt and projection in any case
        tasks += _tasks(model, integrator, besides=besides)
    if before is not None:
        tasks += _tasks(before)
    tasks = list(dict.fromkeys(tasks))
    missing = [task for task in tasks if not _marker(space, task, number).exists()]
    if not missing:
        return
    seconds = {task: _seconds(task) for task in missing}
    missing.sort(key=lambda task: -seconds[task])
    total = sum(seconds.values())
    about = max(1, round(0.5 * (total + STARTING) if len(missing) > 1 else total))
    what = model.coordinates if len(missing) == len(tasks) else "what this mechanism needs besides"
    what += {"float64": "", "complex128": " in complex numbers", "lanes": " in vector lanes"}[number]
    sys.stderr.write(f"jourdain: compiling the kernels for {what} (once on this machine, about {about} s) ...\n")
    sys.stderr.flush()
    begun = time.perf_counter()
    _share_out(space, missing, number)
    sys.stderr.write(f"jourdain: compiled in {time.perf_counter() - begun:.1f} s\n")


def _tasks(
    model: FlatModel,
    integrator: str = "",
    stabilisation: str = "projection",
    treatment: str = "kkt",
    besides: tuple[int, ...] = (),
    number: str = "float64",
) -> list[Task]:
    in_lanes, rare = number == "lanes", rare_entries(load_kernels().context)
    needed = needed_entries(model, stabilisation, integrator, treatment)
    entries = lanes_entries(model) if in_lanes else [f for f in needed if f not in rare]
    variants = {f: variant_of(f, stabilisation, integrator, treatment) for f in (*entries, *besides)}
    tasks: list[Task] = [(model.coordinates, f, variant) for f, variant in variants.items()]
    if integrator:
        tasks.append(("", LOOP, integrator if in_lanes else _loop(model, integrator)))
    if model.tree is not None:
        tasks.append((model.coordinates, UNPACKING, ""))
    return tasks


def _loop(model: FlatModel, integrator: str) -> str:
    if method_of(integrator) not in ADAPTIVE:
        return integrator
    return SEARCHING if len(model.fields[load_kernels().context.EVENTS]) else PLAIN


def _marker(space: str, task: Task, number: str) -> Path:
    """An empty file that says that an entry is in the cache: asking Numba would mean loading it."""
    coordinates, function, variant = task
    what = "loop" if function == LOOP else f"{space}-{coordinates}"  # which knows nothing of coordinates
    return cache_folder() / f"{what}-{function}-{variant}-{number}.compiled"


def _seconds(task: Task) -> float:
    if task[1] < 0:
        return ADVANCE
    c = load_kernels().context
    return next((s for name, s in SECONDS.items() if getattr(c, name) == task[1]), OTHERS)


def _share_out(space: str, tasks: list[Task], number: str) -> None:
    """All tasks, with the help of another process; what it leaves undone is done here."""
    with tempfile.TemporaryDirectory(prefix="jourdain-") as claims:
        helper = _start_helper(space, tasks, number, claims) if len(tasks) > 1 else None
        try:
            _compile(space, tasks, number, Path(claims))
            if helper is not None and helper.wait() != 0:
                _compile(space, [task for task in tasks if not _marker(space, task, number).exists()], number)
        finally:
            if helper is not None:
                helper.kill()
                helper.wait()  # before the folder of claims goes


def _start_helper(space: str, tasks: list[Task], number: str, claims: str) -> subprocess.Popen[bytes] | None:
    paths = [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "JOURDAIN_CACHE_DIR": str(cache_folder().parent.parent),
    }
    written = [f"{coordinates}:{function}:{variant}" for coordinates, function, variant in tasks]
    command = [sys.executable, "-m", "jourdain.compiled.cold_start", space, number, claims, *written]
    try:
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, TypeError):
        return None


def _compile(space: str, tasks: list[Task], number: str, claims: Path | None = None) -> None:
    """Those tasks that nobody else has claimed, by a file of its number in that folder."""
    with _uncollected():
        for k, task in enumerate(tasks):
            if claims is not None and not _claim(claims / str(k)):
                continue
            coordinates, function, variant = task
            if function == LOOP:
                _compile_loop(variant, number)
            elif function == UNPACKING:
                load_unpacking(space)
            else:
                compiled_entry(space, coordinates, function, number, variant)
            _marker(space, task, number).touch()


def _claim(file: Path) -> bool:
    try:
        file.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


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
    from numba import float64, int64

    vector, matrix, cube = float64[::1], float64[:, ::1], float64[:, :, ::1]
    integers, table = int64[::1], int64[:, ::1]
    with announced("the driver of batches", f"many-{name}"), own_cache():
        drive = load_kernels().method("many").make_drive(code)
        numbers = (integers, vector, matrix, table, matrix, vector, vector, integers, integers)
        drive.compile((integers, integers, table, table, matrix, matrix, vector, vector, cube, cube, *numbers))
    return drive


if __name__ == "__main__":
    _space, _number, _claims, *_written = sys.argv[1:]
    _split = [text.split(":") for text in _written]
    _compile(_space, [(which, int(function), variant) for which, function, variant in _split], _number, Path(_claims))
