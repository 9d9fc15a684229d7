"""What is said of compiling: little, and with an estimate that has learned how fast this machine is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import machines
from jourdain import choices as ch
from jourdain.engine import cold_start
from jourdain.engine.plan import Plan
from jourdain.model.compile import compile_mechanism


@pytest.fixture
def nothing_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A cache that is empty, an idle machine, and a compiler that takes as long as the test says, by its own clock."""
    monkeypatch.setattr(cold_start, "_load", lambda: 1.0)
    clock = {"now": 0.0, "takes": 0.0}
    monkeypatch.setattr(cold_start, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(cold_start, "marker", lambda task, number: tmp_path / "none")
    monkeypatch.setattr(cold_start, "_ready", set())
    monkeypatch.setattr(cold_start.time, "perf_counter", lambda: clock["now"])

    def share_out(tasks: Any, number: str) -> None:
        clock["now"] += clock["takes"]

    monkeypatch.setattr(cold_start, "_share_out", share_out)
    return clock


def plan() -> Plan:
    m = machines.four_bar().frozen()
    return Plan(compile_mechanism(m, "angle"), ch.Kkt(), ch.Dop853())


def test_the_second_estimate_is_what_the_first_took(nothing_compiled: Any, capsys: pytest.CaptureFixture[str]) -> None:
    nothing_compiled["takes"] = 60.0
    cold_start.compile_for(plan())
    assert capsys.readouterr().err.endswith("jourdain: compiled in 60.0 s\n")
    cold_start.compile_for(plan())
    assert "(once on this machine, about 60 s) ..." in capsys.readouterr().err


def test_what_is_short_is_not_announced(
    nothing_compiled: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cold_start, "pace", lambda: 1.0)
    nothing_compiled["takes"] = 0.3
    cold_start.compile_for(plan(), slots=("PLACE",))
    assert capsys.readouterr().err == ""
    nothing_compiled["takes"] = 30.0
    cold_start.compile_for(plan(), slots=("PLACE",))
    said = capsys.readouterr().err
    assert said.startswith("jourdain: compiled the kernels for") and said.endswith("in 30.0 s (once on this machine)\n")


def test_a_busy_machine_is_given_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start.os, "cpu_count", lambda: 2)
    for average, running, factor in ((0.0, 0, 1.0), (4.0, 4, 3.0), (4.0, 0, 1.0), (0.0, 9, 1.0)):  # both have to say so
        monkeypatch.setattr(cold_start.os, "getloadavg", lambda average=average: (average, 0.0, 0.0))
        monkeypatch.setattr(cold_start, "_running", lambda running=running: running)
        assert cold_start._load() == factor


def test_one_run_beside_others_is_not_the_pace(nothing_compiled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "_load", lambda: 3.0)
    about = 3.0 * cold_start._when_idle(list(dict.fromkeys(cold_start._tasks(plan()))))
    nothing_compiled["takes"] = about
    cold_start.compile_for(plan())
    assert cold_start.pace() == pytest.approx(1.0, rel=0.01)  # as long as it should: the others were to blame
    nothing_compiled["takes"] = 4 * about
    cold_start.compile_for(plan())
    assert cold_start.pace() == pytest.approx(2.0, rel=0.01)
