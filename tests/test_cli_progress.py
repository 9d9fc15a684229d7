"""How far a run is: looks at it change no bit, and what is shown is true."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.cli import codes
from jourdain.engine import time_loop as loop
from jourdain.session import progress
from jourdain.session.progress import Progress, duration

CHOICES = [
    {},
    {"rtol": 1e-6},
    {"integrator": "rk4", "step": 1e-3},
    {"integrator": "ab6", "step": 1e-3},
    {"integrator": "generalized-alpha", "step": 2e-3},
]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda c: "-".join(str(v) for v in c.values()) or "auto")
def test_a_watched_run_gives_the_same_bits(choice) -> None:
    looks: list[Progress] = []
    alone = jd.simulate(machines.four_bar(), 2.0, **choice)
    watched = jd.simulate(machines.four_bar(), 2.0, **choice, progress=looks.append)
    assert np.array_equal(watched.samples, alone.samples)
    assert np.array_equal(watched["A.fx"], alone["A.fx"])
    assert watched.statistics.steps == alone.statistics.steps
    assert looks[-1].over


@pytest.mark.parametrize("choice", CHOICES[2:], ids=lambda c: str(c["integrator"]))
def test_methods_with_a_fixed_step_do_not_feel_pauses_at_all(choice, monkeypatch: pytest.MonkeyPatch) -> None:
    rarely = jd.simulate(machines.four_bar(), 1.0, **choice)
    monkeypatch.setattr(loop, "PAUSE", 7)
    monkeypatch.setattr(loop, "LEAST_PAUSE", 7)
    often = jd.simulate(machines.four_bar(), 1.0, **choice)
    assert np.array_equal(often.samples, rarely.samples)


def test_looks_go_forward_from_start_to_end() -> None:
    looks: list[Progress] = []
    run = jd.simulate(
        machines.four_bar(), times=np.linspace(1, 6, 11), integrator="rk4", step=1e-3, progress=looks.append
    )
    assert len(looks) >= run.statistics.steps // loop.PAUSE
    assert {(look.start, look.end) for look in looks} == {(1.0, 6.0)}
    times = [look.t for look in looks]
    assert times == sorted(times)
    assert times[-1] == 6.0
    assert [look.over for look in looks] == [False] * (len(looks) - 1) + [True]


def test_large_mechanisms_are_looked_at_more_often() -> None:
    looks: list[int] = []
    for n in (1, 40):
        seen: list[Progress] = []
        jd.simulate(machines.n_four_bar(n), 0.5, integrator="rk4", step=1e-3, progress=seen.append)
        looks.append(len(seen))
    assert looks[1] > 2 * looks[0]


def test_what_is_told_is_true() -> None:
    look = Progress(t=3.0, start=1.0, end=9.0, seconds=4.0)
    assert look.done == 0.25
    assert look.real_time_factor == 0.5
    assert look.seconds_left == 12.0
    assert str(look) == "[######..................]  25 %  t = 3 of 9 s  0.5 x real time  12 s left"
    assert Progress(0.0, 0.0, 1.0, 0.0).seconds_left == float("inf")
    assert "? left" in str(Progress(0.0, 0.0, 1.0, 0.0))
    assert Progress(0.0, 0.0, 0.0, 0.0).done == 1.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (200, "3 min 20 s"),
        (3605, "1 h 00 min"),
        (7500, "2 h 05 min"),
        (1e300, "3.2e+292 years"),
    ],
)
def test_times_are_told_as_people_do(seconds: float, words: str) -> None:
    assert duration(seconds) == words


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def slow_run(monkeypatch: pytest.MonkeyPatch, screen: io.StringIO, progress_choice: bool | None) -> str:
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "BETWEEN", 0.0)
    jd.simulate(machines.four_bar(), 3.0, integrator="rk4", step=1e-3, progress=progress_choice)
    return screen.getvalue()


def test_the_bar_is_for_terminals_and_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    jd.simulate(machines.four_bar(), 0.1, integrator="rk4", step=1e-3)  # what must be compiled says so on stderr
    shown = slow_run(monkeypatch, Terminal(), None)
    assert "x real time" in shown
    assert "of 3 s" in shown
    assert shown.endswith("\r")
    assert shown.rstrip("\r").endswith(" ")
    assert "\n" not in shown
    assert slow_run(monkeypatch, io.StringIO(), None) == ""
    assert slow_run(monkeypatch, Terminal(), False) == ""
    assert "x real time" in slow_run(monkeypatch, io.StringIO(), True)


def test_the_bar_is_written_ten_times_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    bar = progress.Bar()
    for k in range(1, 1001):
        bar(Progress(k / 100, 0.0, 10.0, seconds=2.0 + k / 1000))
    assert 9 <= screen.getvalue().count("x real time") <= 11


def test_a_short_run_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    jd.simulate(machines.four_bar(), 0.1, integrator="rk4", step=1e-3)
    monkeypatch.setattr(sys, "stderr", screen)
    jd.simulate(machines.four_bar(), 1.0, integrator="rk4", step=1e-3)
    assert screen.getvalue() == ""


def test_ctrl_c_is_heard_inside_a_long_run() -> None:
    """A signal that comes while the compiled loop runs: heard within a fraction of a second, and nothing is lost."""
    old = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    jd.simulate(machines.four_bar(), 0.1, integrator="rk4", step=1e-3)
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    begun = time.perf_counter()
    try:
        with pytest.warns(jd.SimulationWarning, match="interrupted at t = "):
            run = jd.simulate(machines.four_bar(), 1e5, every=1.0, integrator="rk4", step=1e-3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert time.perf_counter() - begun < 5.0
    assert run.status.interrupted
    assert not run.status.ok
    assert 0 < run.t[-1] < 1e5
    assert np.all(np.isfinite(run["A.fx"]))


def test_an_interrupt_in_the_middle_of_an_import_has_the_usual_code(tmp_path: Path) -> None:
    """Python remembers one that passes through exec() of a text, as of data classes, and ends by the signal."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'jourdain.cli.run':\n"
        "            exec('raise KeyboardInterrupt')\n"
        "sys.meta_path.insert(0, Interrupted())\n"
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    said = subprocess.run(
        [sys.executable, "-m", "jourdain", "run", "four_bar"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert said.stderr == "jourdain: interrupted before there was anything to keep\n"
    assert said.returncode == codes.INTERRUPTED


def test_in_a_notebook_the_bar_is_one_output_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Output:
        def update(self, text: str) -> None:
            shown.append(text)

    def display(text: str, display_id: bool) -> Output:
        shown.append(f"new: {text}")
        return Output()

    fake = types.SimpleNamespace(display=display, Pretty=str)
    monkeypatch.setitem(sys.modules, "IPython.display", fake)  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "stderr", type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})())
    report = progress.reporter(None)
    for seconds in (1.0, 2.5, 2.6, 4.0):
        report(Progress(seconds, 0.0, 10.0, seconds))
    report(Progress(10.0, 0.0, 10.0, 10.0, over=True))
    assert len(shown) == 3 and shown[0].startswith("new: [") and shown[-1] == ""
