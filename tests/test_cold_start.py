"""The first run on a machine: what is compiled, by whom, and what waits until it is called."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.choices import Dop853, Entry
from jourdain.engine import cold_start, compiled_entries
from jourdain.engine import kernel_cache as kernels
from jourdain.engine.late_entries import _SIGNATURE, Stub
from jourdain.engine.plan import Plan
from jourdain.kernels.layout import fields as f
from jourdain.kernels.layout.returned import RANK_LOST
from jourdain.model.compile import compile_mechanism

TASKS = [
    Entry("RHS", "jourdain.kernels.core.dynamics:rhs"),
    Entry("ROWS", "jourdain.kernels.core.constraint_rows:make_entry", (2,)),
]


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Tasks that this process compiles, which are only noted, in a cache of its own."""
    done: list[Entry] = []
    monkeypatch.setattr(cold_start, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(cold_start, "marker", lambda entry, number: tmp_path / f"{entry.slot}-{number}")
    monkeypatch.setattr(cold_start, "compiled", lambda entry, number: done.append(entry))
    return done


class Helper:
    """A process that has claimed the second task."""

    def __init__(self, claims: str, status: int) -> None:
        (Path(claims) / "1").touch()
        self.status = status

    def wait(self) -> int:
        return self.status

    def kill(self) -> None:
        pass


@pytest.mark.parametrize(("status", "ours"), [(0, TASKS[:1]), (1, TASKS)])
def test_what_another_process_has_claimed_is_left_to_it_unless_it_fails(compiled, monkeypatch, status, ours):
    monkeypatch.setattr(cold_start, "_start_helper", lambda tasks, number, claims: Helper(claims, status))
    cold_start._share_out(TASKS, "float64")
    assert compiled == ours


def test_all_is_compiled_where_no_other_process_can_be_started(compiled, monkeypatch):
    monkeypatch.setattr(cold_start.sys, "executable", "/nowhere/python")
    cold_start._share_out(TASKS, "float64")
    assert compiled == TASKS


def test_what_another_process_cannot_import_is_compiled_here(compiled, monkeypatch):
    shared = []
    monkeypatch.setattr(cold_start, "_start_helper", lambda tasks, number, claims: shared.extend(tasks))
    own = Entry("STEP", "__main__:step")
    cold_start._share_out([*TASKS, own], "float64")
    assert shared == TASKS
    assert compiled == [*TASKS, own]


def test_marks_of_functions_tell_them_apart():
    entries = [Entry("ROWS", "jourdain.kernels.core.constraint_rows:make_entry", (dim,)) for dim in (2, 3)]
    numbers = (compiled_entries.FLOAT, compiled_entries.COMPLEX)
    marks = {compiled_entries.marker(entry, number) for entry in entries for number in numbers}
    assert len(marks) == 4
    toy = compiled_entries.marker(Entry("BODIES", "toy_degrees:bodies"))
    assert len(toy.stem.rpartition("-")[2]) == 12  # of the file, which our cache knows nothing of


def tasks_of(mechanism: jd.Mechanism, coordinates: str) -> dict[str, str]:
    plan = Plan.of(compile_mechanism(mechanism.frozen(), coordinates), Dop853())
    return {entry.slot: entry.source for entry in cold_start._tasks(plan)}


def test_a_mechanism_gets_what_it_uses():
    pins = tasks_of(machines.four_bar(), "angle")
    assert pins["ADVANCE_ADAPTIVE"] == "jourdain.kernels.integrators.adaptive_loop:advance_plain"
    assert not {"TERM_ROWS", "SHIFTED", "SEARCH", "WHOLE", "DENSE_FACTOR", "DENSE_SOLVE"} & pins.keys()
    assert "TERM_ROWS" in tasks_of(machines.slider_crank(), "angle")
    closed, tree = (tasks_of(m, "relative") for m in (machines.four_bar(), machines.double_pendulum()))
    assert {"TREE_FACTOR", "TREE_SOLVE", "UNPACK"} <= closed.keys()
    assert closed["RHS"] == "jourdain.kernels.core.dynamics:rhs"
    assert tree["RHS"] == "jourdain.kernels.tree.joint_coordinates:make_rhs"
    assert not {"LOAD", "WHOLE", "TREE_FACTOR", "TREE_SOLVE"} & tree.keys()


def test_events_bring_the_loop_that_searches_for_them():
    m = machines.four_bar()
    m.event("turn", when="crank.angle")
    found = tasks_of(m, "angle")
    assert found["ADVANCE_ADAPTIVE"] == "jourdain.kernels.integrators.adaptive_loop:advance"
    assert "SEARCH" in found


def call(stub: Stub) -> tuple[int, int]:
    """Status, and what stands in the table afterwards."""
    table = np.zeros(f.TABLE_LENGTH, dtype=np.int64)
    status = _SIGNATURE(stub.address)(0.5, 0, 0, table.ctypes.data)
    return status, int(table[f.H_COUNT + f.F_DENSE_SOLVE])


def test_an_entry_that_is_called_for_the_first_time_is_brought_and_called(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    entry = _SIGNATURE(lambda t, a, b, table: int(10 * t))
    entry.address = ctypes.cast(entry, ctypes.c_void_p).value
    assert call(Stub("DENSE_SOLVE", "some", lambda: entry)) == (5, entry.address)
    words = "jourdain: compiling what singular positions need (once on this machine) ...\n"
    assert capfd.readouterr().err == words
    assert call(Stub("DENSE_SOLVE", "some", lambda: entry)) == (5, entry.address)
    assert capfd.readouterr().err == ""


def test_an_entry_that_cannot_be_compiled_ends_the_run(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)

    def full():
        raise OSError("no space left")

    assert call(Stub("DENSE_SOLVE", "some", full)) == (RANK_LOST, 0)
    assert "OSError: no space left" in capfd.readouterr().err

    def interrupted():
        raise KeyboardInterrupt

    found = []
    with pytest.raises(KeyboardInterrupt):  # once the kernel has returned
        found.append(call(Stub("DENSE_SOLVE", "some", interrupted)))
        time.sleep(5)
    assert found == [(RANK_LOST, 0)]


TWO_THREADS = """
import threading
from jourdain.choices import Entry
from jourdain.engine.compiled_entries import address
found = {}
def go(kernel):
    found[kernel] = [address(Entry(s, f"jourdain.kernels.{kernel}:{s.lower()}")) for s in ("RATES", "RETRACT")]
threads = [threading.Thread(target=go, args=(f"coordinates.{name}",)) for name in ("angle", "quaternion")]
[t.start() for t in threads], [t.join() for t in threads]
print(len({address for each in found.values() for address in each}))
"""


def test_two_threads_compile_into_an_empty_cache(tmp_path):
    paths = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "JOURDAIN_CACHE_DIR": str(tmp_path), "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", TWO_THREADS], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["4"], done.stderr
    (folder,) = (tmp_path / "jourdain").iterdir()
    assert len(list(folder.rglob("*.nbc"))) == 4  # all in our folder, none in Numba's own
