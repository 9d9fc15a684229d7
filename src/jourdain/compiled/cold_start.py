"""The first run on a machine: says that it compiles, and uses a second process to halve the wait.

Entries and integrators compile and cache each on its own, so two processes can share the work: this one compiles
what knows the coordinates, the other the rest, both into the same cache. If the other cannot be started, nothing is
lost but time: whatever is missing is compiled when it is first used.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from .flat import compiled_entry, coordinate_set
from .kernels import cache_folder, load_kernels, own_cache

PACKAGE_ROOT = Path(__file__).resolve().parent.parent.parent
# Seconds of work in one process on a slow laptop core; only for the sentence.
ABOUT_SECONDS = 10


def compile_for(space: str, coordinates: str, integrator: str = "") -> None:
    """Bring the kernels of these choices into the cache, if they are not there yet."""
    done = cache_folder() / f"{space}-{coordinates}-{integrator}.compiled"
    if done.exists():
        return
    sys.stderr.write(
        f"jourdain: compiling the kernels for {coordinates}{' and ' if integrator else ''}{integrator} "
        f"(once on this machine, about {ABOUT_SECONDS} s) ...\n"
    )
    sys.stderr.flush()
    begun = time.perf_counter()
    helper = _start_helper(space, coordinates, integrator)
    ours, _ = _shares(space, coordinates)
    try:
        for function in ours:
            compiled_entry(space, coordinates, function, "float64")
        finished = helper is not None and helper.wait() == 0
    finally:
        if helper is not None:
            helper.kill()
    sys.stderr.write(f"jourdain: compiled in {time.perf_counter() - begun:.1f} s\n")
    if finished:
        done.touch()


def _shares(space: str, coordinates: str) -> tuple[list[int], list[int]]:
    """Entries for this process and for the other: about equal work, whether what sets share is there already or not."""
    c = load_kernels().context
    s = coordinate_set(space, coordinates)
    later = {c.F_SIGNALS, c.F_SHIFT, c.F_UNIT_WEIGH}
    later |= set() if s.GENERAL else {c.F_BODIES}
    later |= set() if s.CHARTS else {c.F_CHART}
    shared = [c.F_RHS, c.F_AFTER_STEP, c.F_DENSE_FACTOR, c.F_DENSE_SOLVE]
    own = [c.F_FACTOR, c.F_LOAD, c.F_SOLVE, c.F_ENERGY, c.F_CHART] if s.GENERAL else []
    theirs = [f for f in own + shared if f not in later]
    return [f for f in range(c.F_COUNT) if f not in later and f not in theirs], theirs


def _start_helper(space: str, coordinates: str, integrator: str) -> subprocess.Popen[bytes] | None:
    paths = [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "JOURDAIN_CACHE_DIR": str(cache_folder().parent.parent),
    }
    command = [sys.executable, "-m", "jourdain.compiled.cold_start", space, coordinates, integrator]
    try:
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, TypeError):
        return None


def _compile_theirs(space: str, coordinates: str, integrator: str) -> None:
    """The other process's part."""
    from numba import float64, int64

    k = load_kernels()
    vector, matrix, counts = float64[::1], float64[:, ::1], int64[::1]
    state = (counts, vector, matrix, vector, matrix)
    progress = (vector, counts, int64, int64)
    with own_cache():
        if integrator == "dop853":
            k.dop853.advance.compile((*state, float64, float64, float64, *progress))
        elif integrator:
            getattr(k.fixed_step, f"advance_{integrator}").compile((*state, float64, *progress))
        k.system.project.compile((counts, float64, vector))
        k.system.call_entry.compile((counts, int64, float64, vector, vector))
        k.system.sample_outputs.compile((counts, vector, matrix, matrix))
    for function in _shares(space, coordinates)[1]:
        compiled_entry(space, coordinates, function, "float64")


if __name__ == "__main__":
    _compile_theirs(*sys.argv[1:])
