"""The first run on a machine: what is compiled, by whom, and what waits until it is called."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.compiled import cold_start, kernels
from jourdain.compiled.compile import compile_mechanism
from jourdain.compiled.flat import rare_entries
from jourdain.compiled.kernels import load_kernels
from jourdain.compiled.rare import _SIGNATURE, Stub

c = load_kernels().context
TASKS = [("angle", 1, "x"), ("angle", 2, "")]


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Tasks that this process compiles, which are only noted, in a cache of its own."""
    done: list[tuple[str, int, str]] = []
    monkeypatch.setattr(cold_start, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(cold_start, "compiled_entry", lambda space, which, f, number, v: done.append((which, f, v)))
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
    monkeypatch.setattr(cold_start, "_start_helper", lambda space, tasks, number, claims: Helper(claims, status))
    cold_start._share_out("planar", TASKS, "float64")
    assert compiled == ours


def test_all_is_compiled_where_no_other_process_can_be_started(compiled, monkeypatch):
    monkeypatch.setattr(cold_start.sys, "executable", "/nowhere/python")
    cold_start._share_out("planar", TASKS, "float64")
    assert compiled == TASKS


def tasks_of(mechanism: jd.Mechanism, coordinates: str) -> dict[int, str]:
    model = compile_mechanism(mechanism.frozen(), coordinates)
    return {function: variant for _, function, variant in cold_start._tasks(model, "dop853")}


def test_a_mechanism_gets_what_it_uses():
    pins = tasks_of(machines.four_bar(), "angle")
    assert pins[cold_start.LOOP] == cold_start.PLAIN
    assert not {c.F_TERM_ROWS, c.F_SHIFTED, c.F_SEARCH, c.F_WHOLE, *rare_entries(c)} & pins.keys()
    assert c.F_TERM_ROWS in tasks_of(machines.slider_crank(), "angle")
    closed, tree = (tasks_of(m, "relative") for m in (machines.four_bar(), machines.double_pendulum()))
    assert {c.F_TREE_FACTOR, c.F_TREE_SOLVE, cold_start.UNPACKING} <= closed.keys()
    assert c.F_OPEN_TREE not in closed
    assert c.F_OPEN_TREE in tree
    assert not {c.F_TREE_FACTOR, c.F_TREE_SOLVE} & tree.keys()


def test_events_bring_the_loop_that_searches_for_them():
    m = machines.four_bar()
    m.event("turn", when="crank.angle")
    found = tasks_of(m, "angle")
    assert found[cold_start.LOOP] == cold_start.SEARCHING
    assert c.F_SEARCH in found


def call(stub: Stub) -> tuple[int, int]:
    """Status, and what stands in the table afterwards."""
    table = np.zeros(c.TABLE_LENGTH, dtype=np.int64)
    status = _SIGNATURE(stub.address)(0.5, 0, 0, table.ctypes.data)
    return status, int(table[c.H_COUNT + c.F_DENSE_SOLVE])


def test_an_entry_that_is_called_for_the_first_time_is_brought_and_called(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    entry = _SIGNATURE(lambda t, a, b, table: int(10 * t))
    entry.address = ctypes.cast(entry, ctypes.c_void_p).value
    assert call(Stub(c.F_DENSE_SOLVE, "some", lambda: entry)) == (5, entry.address)
    words = "jourdain: compiling what singular positions need (once on this machine) ...\n"
    assert capfd.readouterr().err == words
    assert call(Stub(c.F_DENSE_SOLVE, "some", lambda: entry)) == (5, entry.address)
    assert capfd.readouterr().err == ""


def test_an_entry_that_cannot_be_compiled_ends_the_run(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)

    def full():
        raise OSError("no space left")

    assert call(Stub(c.F_DENSE_SOLVE, "some", full)) == (c.RANK_LOST, 0)
    assert "OSError: no space left" in capfd.readouterr().err

    def interrupted():
        raise KeyboardInterrupt

    found = []
    with pytest.raises(KeyboardInterrupt):  # once the kernel has returned
        found.append(call(Stub(c.F_DENSE_SOLVE, "some", interrupted)))
        time.sleep(5)
    assert found == [(c.RANK_LOST, 0)]
