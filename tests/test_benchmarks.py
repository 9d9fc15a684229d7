"""The benchmarks' own parts: machines told otherwise stay the same machines, wrong answers are not timed, the page.

Nothing here is timed against a clock: what is checked is that figures could be trusted.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "benchmarks"
NEW = {path.stem for path in BENCHMARKS.glob("*.py")}


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Their folder can be imported from, and leaves no modules behind."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in NEW:
        sys.modules.pop(name, None)


def test_no_module_of_the_benchmarks_hides_one_elsewhere() -> None:
    others = {path.stem for folder in ("tests", "examples") for path in (ROOT / folder).glob("*.py")}
    assert not NEW & others, "the one found first would be taken for the other"


@pytest.mark.parametrize("name", ["four_bar", "bricard", "stewart"])
def test_machines_told_otherwise_move_the_same(benchmarks: Any, name: str) -> None:
    import spatial_loops
    import transforms

    m = machines.four_bar("AC").frozen() if name == "four_bar" else getattr(spatial_loops, name)()
    R = transforms.rotation(m.dim)
    run = jd.simulate(m, 0.02, every=0.02, integrator="rk4", step=1e-3)
    plain = run.motion.position[-1]
    assert np.max(np.abs(plain - run.motion.position[0])) > 1e-4, "it moves"
    for word, tell in transforms.TOLD.items():
        told = tell(m)
        assert told != m, word
        end = jd.simulate(told, 0.02, every=0.02, integrator="rk4", step=1e-3).motion.position[-1]
        np.testing.assert_allclose(end @ R if word == "rotated" else end, plain, atol=1e-9, err_msg=word)


def test_axes_of_ports_of_the_ground_turn_with_the_machine(benchmarks: Any) -> None:
    """An axis given alone, along the default x: no x may be put beside it."""
    import transforms
    from jourdain.mechanism.parts import Port

    R = transforms.rotation(3)
    alone = transforms._turned(R, Port((1.0, 0.0, 0.0), z=(1.0, 0.0, 0.0)))
    assert alone.x is None and alone.z == pytest.approx(tuple(R[:, 0]))
    plain = transforms._turned(R, Port((0.0, 0.0, 0.0)))
    assert plain.x == pytest.approx(tuple(R[:, 0])) and plain.z == pytest.approx(tuple(R[:, 2]))


def test_a_wrong_answer_is_not_timed_and_who_is_absent_is_named(benchmarks: Any, capsys: Any) -> None:
    from harness import Absent, Contender, Sample, Target, compete

    calls: list[str] = []

    def contender(name: str, answer: float, seconds: float, **how: Any) -> Contender:
        def run() -> Sample:
            calls.append(name)
            return Sample(seconds, 10, [answer])

        return Contender(name, run, 1e-3, **how)

    field = [
        contender("ours", 1.0005, 1e-3, ours=True),
        contender("wrong", 1.1, 1e-9),
        contender("peer", 1.0, 5e-3),
        Absent("other", "it has no wheels"),
        None,
    ]
    targets = [Target("much", ("ours",), ("wrong", "peer"), 3, 8), Target("more", ("ours",), ("peer",), 6, 8)]
    record = compete("title", "step", field, [1.0], targets, rounds=4)
    assert calls.count("wrong") == 1 and calls.count("ours") == calls.count("peer") == 5
    assert [c["right"] for c in record["contenders"]] == [True, False, True]
    assert [t["ratio"] for t in record["targets"]] == pytest.approx([5.0, 5.0])
    assert record["absent"] == [{"name": "other", "why": "it has no wheels"}]
    said = capsys.readouterr().out
    assert "not timed: off by 1.0e-01" in said and "not run: it has no wheels" in said
    assert "(must 3, aim 8): enough" in said and "(must 6, aim 8): MISSED" in said


def test_a_telling_that_is_refused_or_slow_is_not_within(benchmarks: Any) -> None:
    import told
    import transforms

    def prepare(m: Any, word: str) -> Any:
        if word == "renamed":
            raise jd.JourdainError("no\n  - not by that name")
        slow = 2e-3 if word == "rotated" else 1e-3
        return lambda: (slow, np.zeros(2))

    record = told.measured(told.Case("case", machines.four_bar().frozen(), prepare), rounds=2)
    assert record["refused"] == {"renamed": "not by that name"} and not record["within"]
    assert record["ratios"]["rotated"] == pytest.approx(2.0)
    assert set(record["ratios"]) == set(transforms.TOLD) - {"renamed"}


def test_every_timed_problem_is_told_otherwise(benchmarks: Any) -> None:
    import told

    assert {case.name[0] for case in told.cases()} == set("abcdefgh")


def test_every_recipe_is_in_the_diagrams(benchmarks: Any) -> None:
    import precision

    names = [line.split()[0] for line in jd.recipes().splitlines() if not line.startswith(" ")]
    assert len(names) >= 6 and {f"recipe {name}" for name in names} <= set(precision.WAYS)


def test_who_cannot_do_a_machine_has_the_reason_in_its_curve(benchmarks: Any) -> None:
    import precision
    from harness import Sample

    def run(setting: float) -> Sample:
        if setting > 1:
            raise RuntimeError("too coarse\nmore")
        return Sample(1e-3, 1, [1.0 + setting])

    found = precision.curve("somebody", (2.0, 0.5, 0.1), run, np.array([1.0]), 3)
    assert found["words"] == "too coarse"
    assert [p["error"] for p in found["points"]] == pytest.approx([0.5, 0.1])
    assert precision.curve("nobody", (2.0,), run, np.array([1.0]), 3)["points"] == []


def test_a_session_is_timed_only_with_the_bits_of_simulate(benchmarks: Any) -> None:
    import sessions

    sessions.check()
    with pytest.raises(RuntimeError, match=r"the session is off by 1\.0e-12; wrong answers are not timed"):
        sessions._same(1e-12, 0.0, "the session")


def test_the_clock_around_the_kernel_is_taken_off_again(benchmarks: Any) -> None:
    import sessions
    from jourdain.engine import time_loop

    plain, s = time_loop.compiled_loop, jd.session(machines.four_bar(), **sessions.HOW)
    with sessions.kernel_clock() as clock:
        s.advance(sessions.FRAME)
    assert clock.seconds > 0 and time_loop.compiled_loop is plain
    assert sessions.python_calls(lambda: len([])) == 0 and sessions.python_calls(lambda: s.advance(0.1)) > 1


def test_two_sources_are_compared_by_their_best_times(benchmarks: Any) -> None:
    import before_after

    old, new = (before_after.Source(str(ROOT / "src"), sys.executable) for _ in range(2))
    old.best, new.best = {"a": 4e-3, "b": 1e-3}, {"a": 2e-3, "b": 2e-3}
    old.answers, new.answers = {"a": [1.0, 2.0], "b": [3.0]}, {"a": [1.0, 2.5], "b": [3.0]}
    new.words = {"c": "it cannot"}
    _, a, b, c, end = before_after.table(old, new, ["a", "b", "c"])
    assert a.split() == ["a", "4.000", "2.000", "2.000", "5.0e-01"] and b.split()[-2:] == ["0.500", "0.0e+00"]
    assert c.endswith("not compared: it cannot") and end == "geometric mean 1.000; smallest 0.500 (b)"
    with pytest.raises(SystemExit, match="has no jourdain in it; expected the src folder of a checkout"):
        before_after.Source(str(ROOT / "docs"), sys.executable)


def contender(name: str, us: float, error: float, ours: bool = False, right: bool = True) -> dict[str, Any]:
    numbers = {"best_us": us, "median_us": us, "error": error, "right": right}
    return {"name": name, "ours": ours, "settings": "its best", **numbers}


def test_the_page_says_where_a_peer_wins_and_what_was_missed() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_performance.py"))
    record = {
        "title": "b. Machine",
        "unit": "step",
        "contenders": [
            contender("Jourdain rk4", 8.0, 1e-12, ours=True),
            contender("Jourdain alpha", 2.0, 1e-5, ours=True),
            contender("Quick", 4.0, 1e-8),
            contender("Rough", 3.0, 1e-4),
            contender("Lost", float("nan"), 0.5, right=False),
        ],
        "absent": [{"name": "Away", "why": "it has no wheels"}],
        "targets": [{"words": "b, rk4", "ratio": 3.5, "must": 4, "aim": 8, "peer": "Quick"}],
    }
    lines = page["lost"]({"b": record})
    assert any("Quick takes 4.0 us a step (error 1e-08), Jourdain rk4 8.0 us" in line for line in lines)
    assert not any("Rough" in line for line in lines), "alpha is faster, and as exact"
    assert any("3.5 times as fast as Quick, where 4 times are asked for" in line for line in lines)
    table = page["problem"](record)
    assert "| Away | not run |  |  | it has no wheels |" in table
    assert "| Lost | not timed: wrong |  | 5e-01 | its best |" in table
    told = {"a": {"ratios": {"rotated": 1.7}, "refused": {"renamed": "no"}, "apart": 1e-9}}
    lines = page["told_otherwise"]({"told otherwise": told})
    assert "| a | **1.70**, missed | refused | 1e-09 |" in lines and "- renamed: no" in lines
    start = page["start_up"](
        {
            "j": {
                "planar": {
                    "import": 0.01,
                    "cold": 9.0,
                    "warm": 2.0,
                    "further run": 0.01,
                    "must": {"cold": 15.0, "warm": 1.5},
                }
            }
        }
    )
    assert "| planar | 0.01 | 9.00 | **2.00**, missed | 0.010 |" in start
    figures = {
        "frame": {"best": 120.0, "median": 130.0, "must": 100.0},
        "x": {"best": 1.0, "median": 2.0, "must": None},
    }
    lines = page["sessions"]({"l": figures})
    assert "| frame | **120.0**, missed | 130.0 | 100 |" in lines and "| x | 1.0 | 2.0 |  |" in lines


def test_a_peer_ahead_in_a_diagram_is_named() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_performance.py"))
    points = [{"error": 1e-6, "ms": 2.0}]
    curves = [
        {"name": "Jourdain auto", "points": points},
        {"name": "Ahead", "points": [{"error": 1e-7, "ms": 3.0}]},
        {"name": "Behind", "points": [{"error": 1e-5, "ms": 3.0}]},
    ]
    assert [words.split()[0] for words in page["ahead"](curves)] == ["Ahead"]
