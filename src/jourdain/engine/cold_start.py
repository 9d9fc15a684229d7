"""The first run on a machine: says that it compiles, and uses a second process to halve the wait.

Entries and integrators compile and cache each on its own, so two processes can share the work, both into the same
cache: each takes the next from a list, costliest first, until none is left. What a mechanism does not need is not
compiled. If the other process cannot be started, nothing is lost but time: whatever is missing is compiled when it is
first used.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from ..choices.contract import Entry, Loop
from ..mechanism.telling import tell
from .compiled_entries import COMPLEX, FLOAT, LANES, compiled, is_importable, loop, marker
from .kept_code import keep
from .kernel_cache import cache_folder, in_python
from .lanes_workspace import lanes_entries, lanes_loops
from .plan import Plan
from .signatures import is_loop

PACKAGE_ROOT = Path(__file__).resolve().parent.parent.parent
# Seconds of an ordinary core to compile the costlier entries, by slot or by source; all others count as OTHERS. Only
# puts them in order and tells how long it will take.
SECONDS = {
    "ADVANCE_ADAPTIVE": 3.3,  # with what Numba has to load for the first of all
    "SEARCH": 1.5,
    "EXACT": 2.0,
    "TRY": 1.0,
    "DENSE": 0.6,
    "RHS": 0.8,
    "AFTER_STEP": 1.5,
    "OUTPUTS": 0.6,
    "PLACE": 0.6,
    "FORCES": 0.5,
    "FACTOR": 0.4,
    "REACTIONS": 0.4,
    "FORWARD": 0.5,
    "TERM_ROWS": 0.4,
    "TAPE_ROWS": 0.1,
    "STEP": 0.5,
    "BODIES": 0.5,
    "CHART": 0.6,
    "TREE_FACTOR": 2.0,
    "TREE_SOLVE": 2.0,
    "TREE_REACTIONS": 0.8,
    "UNPACK": 0.1,
    "jourdain.kernels.tree.joint_coordinates:make_rhs": 4.4,
    "jourdain.kernels.integrators.implicit_step:make_attempt": 4.8,
    "jourdain.kernels.coordinates.quaternion:load": 0.8,
}
OTHERS = 0.15
ADVANCE = 1.0  # of the other time loops
WAYS_IN = 0.2  # of what Python calls besides
STARTING = 2.0  # of the other process
TWICE = 1.4  # both processes make what several entries are made of
SHORT = 2.0  # s: what takes no longer is not announced
PACE = "compile-pace.txt"  # in the cache: how long it took before, against the seconds listed here
MOST_PACE = 20.0
HELPERS = 2  # processes that compile

# What Python calls besides time loops.
SYSTEM = tuple(
    Entry(slot, f"jourdain.kernels.core.dynamics:{slot.lower()}")
    for slot in ("PROJECT", "CALL_ENTRY", "SAMPLE_OUTPUTS")
)
# Tasks that are known to be in the cache, so that nobody has to look on the disk for each run.
_ready: set[tuple[Entry, str]] = set()
WORDS = {FLOAT: "", COMPLEX: " in complex numbers", LANES: " in vector lanes"}


def compile_for(
    plan: Plan, number: str = FLOAT, before: Plan | None = None, slots: Collection[str] | None = None
) -> None:
    """Bring the kernels that a plan needs into the cache, if they are not there yet.

    `number` complex128: those that find derivatives by complex step; lanes: those of batches in vector lanes. `before`:
    the mechanism in other coordinates, in which it is assembled first. `slots`: these entries, and nothing else.
    """
    if in_python():
        return
    tasks = _tasks(plan, number) if slots is None else [e for s, e in plan.recipe.entries.items() if s in slots]
    if slots is None and number == FLOAT and plan.assembling is not plan:
        tasks += _tasks(plan.assembling)
    if before is not None:
        tasks += _tasks(before)
    tasks = list(dict.fromkeys(tasks))
    missing = [task for task in tasks if (task, number) not in _ready and not marker(task, number).exists()]
    if not missing:
        _ready.update([(task, number) for task in tasks])
        return
    missing.sort(key=lambda task: -_seconds(task))
    listed = _when_idle(missing)
    busy = _load()
    about = listed * pace() * busy
    what = plan.coordinates.name if len(missing) == len(tasks) else "what this mechanism needs besides"
    what += WORDS[number]
    if about >= SHORT:
        words = f"(once on this machine, about {max(1, round(about))} s)"
        tell(f"compiling the kernels for {what} {words} ...")
    begun = time.perf_counter()
    _share_out(missing, number)
    _ready.update([(task, number) for task in tasks if marker(task, number).exists()])
    spent = time.perf_counter() - begun
    if about >= SHORT:
        tell(f"compiled in {spent:.1f} s")
    elif spent >= 2 * SHORT:
        tell(f"compiled the kernels for {what} in {spent:.1f} s (once on this machine)")
    if listed >= SHORT:
        _keep_pace(spent / (listed * busy))


def _when_idle(tasks: Collection[Entry]) -> float:
    """How long tasks take an idle machine of ordinary pace."""
    total = sum(_seconds(task) for task in tasks)
    alone = len(tasks) == 1 or total < STARTING  # done before another process is there
    return total if alone else 0.5 * (TWICE * total + STARTING)


def pace() -> float:
    """How long compiling took here when nothing else went on, against the seconds listed; one where nobody knows."""
    with contextlib.suppress(OSError, ValueError):
        known = float((cache_folder() / PACE).read_text(encoding="utf-8"))
        if 1 / MOST_PACE <= known <= MOST_PACE:
            return known
    return 1.0


def _load() -> float:
    """How much longer it takes since others compute: neither what has just ended nor a moment's start counts."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        cores = max(os.cpu_count() or 1, HELPERS)
        return max(1.0, (min(os.getloadavg()[0], _running()) + HELPERS) / cores)
    return 1.0


def _running() -> int:
    """How many others compute at this moment, where Linux tells it."""
    return int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0]) - 1


def _keep_pace(found: float) -> None:
    """Half way to what was just found: one run beside others is not all."""
    with contextlib.suppress(OSError):
        known = pace() if (cache_folder() / PACE).exists() else found
        (cache_folder() / PACE).write_text(f"{(known * found) ** 0.5:.3g}", encoding="utf-8")


def _tasks(plan: Plan, number: str = FLOAT) -> list[Entry]:
    """Entries and loops that a plan needs, but for those that wait until they are called."""
    if number == LANES:
        return [*lanes_entries(plan).values(), *lanes_loops(plan)]
    tasks = [entry for entry in plan.recipe.entries.values() if not entry.late]
    wanted = Loop.RUN if number == FLOAT else Loop.FOLLOW
    if wanted in plan.loops:
        tasks += [plan.loops[wanted], *SYSTEM]
    return tasks + list(plan.coordinates.reading())


def _seconds(task: Entry) -> float:
    if task in SYSTEM:
        return WAYS_IN
    return SECONDS.get(task.source, SECONDS.get(task.slot, ADVANCE if is_loop(task.slot) else OTHERS))


def _share_out(tasks: list[Entry], number: str) -> None:
    """All tasks, with the help of another process; what it leaves undone is done here."""
    with tempfile.TemporaryDirectory(prefix="jourdain-") as claims:
        shared = [task for task in tasks if is_importable(task.source)]
        alone = [task for task in tasks if task not in shared]  # of a notebook, which another process cannot import
        helper = _start_helper(shared, number, claims) if len(shared) > 1 else None
        try:
            _compile(shared, number, Path(claims))
            _compile(alone, number)
            if helper is not None and helper.wait() != 0:
                _compile([task for task in shared if not marker(task, number).exists()], number)
        finally:
            if helper is not None:
                helper.kill()
                helper.wait()  # before the folder of claims goes


def _start_helper(tasks: list[Entry], number: str, claims: str) -> subprocess.Popen[bytes] | None:
    paths = [str(PACKAGE_ROOT), *(p for p in sys.path if p), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(p for p in paths if p)),
        "JOURDAIN_CACHE_DIR": str(cache_folder().parent.parent),
    }
    written = json.dumps(tasks)
    command = [sys.executable, "-m", "jourdain.engine.cold_start", number, claims, written]
    try:
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, TypeError):
        return None


def _compile(tasks: Iterable[Entry], number: str, claims: Path | None = None) -> None:
    """Those tasks that nobody else has claimed, by a file of its number in that folder."""
    with _uncollected():
        for k, task in enumerate(tasks):
            if claims is not None and not _claim(claims / str(k)):
                continue
            if is_loop(task.slot):
                loop(task, number)
            else:
                compiled(task, number)
            keep(marker(task, number))


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


if __name__ == "__main__":
    _number, _claims, _written = sys.argv[1:]
    _listed = [Entry(slot, source, tuple(args), late) for slot, source, args, late in json.loads(_written)]
    _compile(_listed, _number, Path(_claims))
