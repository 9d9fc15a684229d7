"""Studies: what they collect is what each run gives alone, and what is done is never lost."""

from __future__ import annotations

import csv
import errno
import json
import multiprocessing
import os
import random
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import jourdain as jd
from jourdain.cli.main import main
from jourdain.files.gallery import path
from jourdain.mechanism.thawing import with_numbers
from jourdain.studies import executors, folder, workshop
from jourdain.studies.collected import read_items
from jourdain.studies.design import read_design
from jourdain.studies.subject import Subject, subject_of

COLLECT = {
    "peak": "max(A.load)",
    "swing": "max(crank.angle) - min(crank.angle)",
    "late": "time_of_max(B.load)",
    "level": "mean(energy.kinetic)/k",
    "effort": "rms(spring.force)",
    "end": "final(coupler.x)",
    "half": "at(coupler.x, 200 ms)",
    "later": "max(A.load, 0.1 s, 300 ms)",
}
VARY = {"k": [100.0, 200.0, 300.0], "crank.mass": [1.0, 3.0]}
SHORT: dict[str, Any] = {"duration": 0.4, "every": 0.02}


@pytest.fixture
def many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies of a few dozen variants are cut as those of a hundred thousand are."""
    monkeypatch.setattr(workshop, "LEAST_IN_PIECE", 4)
    monkeypatch.setattr(workshop, "LEAST_PIECES", 100)


def four_bar() -> jd.Mechanism:
    return jd.example("four_bar")


def columns(study: jd.Study) -> dict[str, bytes]:
    return {name: study[name].tobytes() for name in study.names}


# What is collected ----------------------------------------------------------------------------------------------------


def test_numbers_are_those_of_each_run() -> None:
    found = jd.study(four_bar(), vary=VARY, collect=COLLECT, **SHORT)
    assert found.ok.all() and len(found) == 6
    for k in range(6):
        run = found.variant(k).run()
        t, energy = run.t, run["energy.kinetic"]
        weights = np.gradient(t) * np.where((t == t[0]) | (t == t[-1]), 0.5, 1.0) / (t[-1] - t[0])
        expected = {
            "peak": run["A.load"].max(),
            "swing": np.ptp(run["crank.angle"]),
            "late": t[np.argmax(run["B.load"])],
            "level": np.sum(weights * energy) / found.values["k"][k],
            "effort": np.sqrt(np.sum(weights * run["spring.force"] ** 2)),
            "end": run["coupler.x"][-1],
            "half": run["coupler.x"][10],
            "later": run["A.load"][5:16].max(),
        }
        assert {type(value) for value in found.variant(k).collected.values()} == {float}  # printed as they are
        for name, value in expected.items():
            assert_allclose(found[name][k], value, rtol=1e-9, atol=1e-9, err_msg=name)
    assert [found.quantity(name).unit for name in ("peak", "late", "end")] == ["N", "s", "m"]


def test_many_at_once_and_one_by_one_give_the_same_bits() -> None:
    together = jd.study(four_bar(), vary=VARY, collect=COLLECT, **SHORT)
    alone = jd.study(four_bar(), vary=VARY, collect={**COLLECT, "f": lambda run: run["A.load"].max()}, **SHORT)
    assert all(np.array_equal(together[name], alone[name]) for name in COLLECT)
    assert np.array_equal(alone["f"], together["peak"])


def test_variants_that_need_python_are_run_too() -> None:
    m = four_bar()
    m.force("push", on=m["coupler"]["C"], vector=(lambda t: 10 * t, 0))
    for machine in (m, jd.example("motor_crank")):
        body = machine.frozen().bodies[0].name
        found = jd.study(machine, 0.1, vary={f"{body}.mass": [1.0, 2.0]}, collect="final(energy.kinetic)")
        assert found.ok.all()
        assert_allclose(found["final(energy.kinetic)"][1], found.variant(1).run()["energy.kinetic"][-1], rtol=1e-12)


def test_events_are_counted_and_timed() -> None:
    m = jd.example("pendulum")
    m.event("low", "A.angle")
    found = jd.study(m, 3.0, vary={"bar.mass": [1.0, 2.0]}, collect={"n": "count(low)", "s": "time_of(low)"}, every=0.1)
    run = jd.simulate(m, 3.0, every=0.1)
    assert found["n"][0] == len(run.events["low"].t)
    if len(run.events["low"].t):
        assert_allclose(found["s"][0], run.events["low"].t[0], atol=1e-8)


def test_whole_channels_and_tables(tmp_path: Path) -> None:
    found = jd.study(four_bar(), vary=VARY, collect=COLLECT, channels=["A.load"], **SHORT)
    assert found["A.load"].shape == (6, 21)
    assert np.array_equal(found["A.load"].max(axis=1), found["peak"])
    table = found.to_xarray()
    assert table["peak"].dims == ("k", "crank.mass") and table["A.load"].dims == ("k", "crank.mass", "t")
    assert float(table["peak"].sel(k=200, **{"crank.mass": 3})) == found["peak"][3]
    assert table["peak"].attrs["units"] == "N"
    found.save(tmp_path / "x.csv")
    found.save(tmp_path / "x.nc")
    with (tmp_path / "x.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[5]["peak"]) == found["peak"][5] and rows[5]["ok"] == "1"
    assert found.to_pandas()["peak"].tolist() == found["peak"].tolist()


def test_designs_are_what_they_say() -> None:
    base = four_bar().frozen()
    grid = read_design(base, {"k": "100:300:100", "crank.mass": "1 kg,2000 g"}, "grid", 0)
    assert {name: list(c) for name, c in grid.columns(2, 5).items()} == {"k": [200, 200, 300], "crank.mass": [1, 2, 1]}
    listed = read_design(base, {"k": [1, 2, 3], "crank.mass": 5}, "list", 0)
    assert listed.count == 3 and list(listed.columns()["crank.mass"]) == [5, 5, 5]
    for kind in ("latin:64", "sobol:64"):
        design = read_design(base, {"k": "100:300", "integrator": "rk4,dop853"}, kind, 3)
        k = np.asarray(design.columns()["k"])
        assert sorted(((k - 100) / 200 * 64).astype(int)) == list(range(64))  # one in each of 64 slices
        assert np.array_equal(np.asarray(design.columns(10, 20)["k"]), k[10:20])
        assert set(design.columns()["integrator"]) == {"rk4", "dop853"}
        assert not np.array_equal(k, read_design(base, {"k": "100:300"}, kind, 4).columns()["k"])


def test_choices_and_files_vary(tmp_path: Path) -> None:
    for name, force in (("soft", 1.0), ("hard", 5.0)):
        (tmp_path / f"{name}.csv").write_text(f"x,f\n0,0\n1,{force}\n2,{2 * force}\n")
    text = (
        "jourdain: 1\nname: cart\nspace: planar\ngravity: [0, 0]\nground: {points: {O: [0, 0]}}\n"
        "bodies: {cart: {mass: 1, inertia: 1, points: {C: [0, 0]}, position: [0, 0]}}\n"
        "joints: {A: {type: prismatic, between: [ground.O, cart.C]}}\n"
        "tables: {push: {file: soft.csv}}\nforces: {f: {type: force, on: cart.C, vector: ['push(t)', 0]}}\n"
    )
    (tmp_path / "cart.yaml").write_text(text)
    m = jd.load(tmp_path / "cart.yaml")
    vary = {"push.file": "soft.csv,hard.csv", "integrator": ["dop853", "radau"], "cart.mass": [1.0, 2.0]}
    found = jd.study(m, 1.0, vary=vary, collect={"x": "final(cart.x)"}, every=0.1, into=tmp_path / "kept")
    expected = [force / mass / 6 for force in (1, 5) for _ in range(2) for mass in (1, 2)]
    assert_allclose(found["x"], expected, rtol=1e-6)
    again = jd.load_results(tmp_path / "kept")
    assert_allclose(again.variant(6).run()["cart.x"][-1], expected[6], rtol=1e-6)


def test_a_machine_travels_as_text(tmp_path: Path) -> None:
    for name in ("four_bar", "stewart_platform", "n_four_bar"):
        m = jd.example(name)
        subject = Subject.from_data(json.loads(json.dumps(subject_of(m).to_data())))
        assert subject.mechanism.frozen() == m.frozen()  # type: ignore[union-attr]
    built = jd.Mechanism("p", gravity=(0, -9.81))
    bar = built.body("bar", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0)})
    built.revolute("A", built.ground.point("A", (0, 0)), bar["A"])
    assert subject_of(built).texts
    built.force("push", on=bar["A"], vector=(lambda t: t, 0))
    with pytest.raises(jd.ChoiceError, match="push"):
        jd.study(built, 0.1, vary={"bar.mass": [1, 2]}, collect="final(bar.x)", into=tmp_path / "x")
    assert jd.study(built, 0.1, vary={"bar.mass": [1, 2]}, collect="final(bar.x)").ok.all()


def test_parameters_vary_beside_numbers_that_were_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A heavier crank is the same crank in every variant, in the folder and in the command that runs one again."""
    given = ["four_bar", "--set", "crank.mass=2 kg", "--vary", "k=100,200", "--collect", "x=final(coupler.x)"]
    given += ["--duration", "0.2", "--into", str(tmp_path / "kept")]
    assert main(["sweep", *given]) == 0
    capsys.readouterr()
    m = jd.load(path("four_bar"), k=200)
    m = with_numbers(m, {"crank.mass": 2.0})
    expected = jd.simulate(m, 0.2)["coupler.x"][-1]
    kept = jd.load_results(tmp_path / "kept")
    assert kept["x"][1] == pytest.approx(expected, rel=1e-7)
    assert kept.variant(1).run()["coupler.x"][-1] == pytest.approx(expected, rel=1e-7)
    assert "crank.mass=2.0" in jd.study(m, 0.2, vary={"k": [100, 200]}, collect="final(coupler.x)").variant(0).command
    many = jd.simulate_many(m, 0.2, {"k": [100.0, 200.0]})
    assert many["coupler.x"][1, -1] == pytest.approx(expected, rel=1e-7)
    with pytest.raises(jd.StudyError, match=r"numbers changed from \{.crank.mass.: 2.0\} to \{.crank.mass.: 3.0\}"):
        jd.study(
            with_numbers(m, {"crank.mass": 3.0}),
            0.2,
            vary={"k": [100, 200]},
            collect={"x": "final(coupler.x)"},
            into=tmp_path / "kept",
        )


# Failures -------------------------------------------------------------------------------------------------------------


def test_what_fails_says_so_and_stops_nobody() -> None:
    def picky(run: jd.Solution) -> float:
        if run.blueprint.bodies[0].mass > 2.5:
            raise ValueError("too heavy")
        return 1.0

    with pytest.warns(jd.SimulationWarning, match="2 of 4 variants did not complete"):
        found = jd.study(
            four_bar(), vary={"crank.mass": [1, -1, 2, 3]}, collect={"peak": "max(A.load)", "f": picky}, **SHORT
        )
    assert found.ok.tolist() == [True, False, True, False]
    assert np.isnan(found["peak"][1]) and "mass is -1" in found.sentences[1]
    assert "'f' could not be collected: ValueError: too heavy" in found.sentences[3]
    assert found.lowest("peak").index == 0 and found.highest("peak").index == 3


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"collect": "max(A.laod)"}, "no channel 'A.laod'.*did you mean 'A.load'"),
        ({"collect": "max(A.load) - 3 m"}, "a force and a length cannot be added"),
        ({"collect": "A.load - max(A.load)"}, "has a value at each sample"),
        ({"collect": "max(mean(A.load))"}, "already one number|inside"),
        ({"collect": "count(hit)"}, "no event 'hit'"),
        ({"collect": "at(A.load, 0.123)"}, "there is no sample at 0.123 s"),
        ({"collect": None}, "nothing is collected"),
        ({"vary": {"crank.mass": "1 m:2 m:1 m"}}, "'1 m' is a length"),
        ({"vary": {"k": ["100 N/m", "2 kg"]}}, "'2 kg' is a mass; expected a stiffness"),
        ({"vary": {"k": "100 N/m:300 kg:50 s"}}, "'300 kg' is a mass; expected a stiffness"),
        ({"collect": {"k": "max(A.load)"}}, "'k' is the name of what varies"),
        ({"collect": {"ok": "max(A.load)"}}, "'ok' is a column that every table of a study has"),
        ({"collect": 3}, "collect is 3; expected formulas or functions by name"),
        ({"design": "latin:3", "seed": -1}, "seed is -1"),
        ({"into": ""}, "into is empty"),
        ({"vary": {"crank.mas": [1]}}, "did you mean 'crank.mass'"),
        ({"vary": {"k": "1:1e6:1", "L": "1:1e6:1"}}, "1e\\+12 variants"),
        ({"vary": {"k": "1:2"}}, "FROM:TO:STEP"),
        ({"vary": {}}, "nothing varies"),
        ({"vary": {"k": [1, 2], "L": [1, 2, 3]}, "design": "list"}, "differ in number: 'k' 2, 'L' 3"),
        ({"design": "latine:5"}, "did you mean 'latin'"),
        ({"design": "sobol"}, "expected a number of variants"),
        ({"vary": {"integrator": ["rk4", "rk44"]}}, "did you mean 'rk4'"),
        ({"vary": {"integrator": ["rk4"]}, "integrator": "rk4"}, "also given once for all"),
        ({"cluster": "somewhere"}, "expected 'local', or the address"),
    ],
)
def test_bad_input_is_a_sentence(how: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"vary": {"k": [100.0, 200.0]}, "collect": "max(A.load)", **SHORT, **how}
    with pytest.raises((jd.ChoiceError, jd.StudyError), match=words):
        jd.study(four_bar(), **given)


def test_a_folder_that_is_not_ours_or_of_another_study_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("notes")
    given: dict[str, Any] = {"vary": VARY, "collect": "max(A.load)", **SHORT}
    with pytest.raises(jd.StudyError, match="no folder of a study"):
        jd.study(four_bar(), into=tmp_path, **given)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    into = tmp_path / "study"
    jd.study(four_bar(), into=into, **given)
    changes = {
        "times changed": {"duration": 0.5},
        "'crank.mass' varies no longer": {"vary": {"k": VARY["k"]}},
        "the values of 'k' changed": {"vary": {**VARY, "k": [1, 2, 3]}},
        "what is collected changed": {"collect": "min(A.load)"},
        "choices changed": {"integrator": "radau"},
    }
    for words, change in changes.items():
        with pytest.raises(jd.StudyError, match=words):
            jd.study(four_bar(), into=into, **{**given, **change})
    text = Path(subject_of(four_bar()).path).read_text()
    (tmp_path / "four_bar.yaml").write_text(text.replace("mass: 3 kg", "mass: 4 kg", 1))
    with pytest.raises(jd.StudyError, match="'mass: 3 kg' became 'mass: 4 kg'"):
        jd.study(jd.load(tmp_path / "four_bar.yaml"), into=into, **given)


def test_a_second_process_is_told(tmp_path: Path) -> None:
    given: dict[str, Any] = {"vary": VARY, "collect": "max(A.load)", "into": tmp_path / "s", **SHORT}
    with (
        folder.Folder(tmp_path / "s").held(),
        pytest.raises(jd.StudyError, match=f"process {os.getpid()} on .* is work"),
    ):
        jd.study(four_bar(), **given)
    assert jd.study(four_bar(), **given).ok.all()


def test_a_full_disk_loses_nothing(tmp_path: Path, many_pieces: None, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"vary": {"k": np.linspace(100, 300, 16)}, "collect": "max(A.load)", **SHORT}
    expected = columns(jd.study(four_bar(), **given))
    sync, calls = os.fsync, [0]

    def full(file: int) -> None:
        calls[0] += 1
        if calls[0] == 3:  # the manifest, one piece, and now
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(folder.os, "fsync", full)
    with pytest.raises(jd.StudyError, match="the disk is full"):
        jd.study(four_bar(), into=tmp_path / "s", **given)
    assert len(list((tmp_path / "s" / "pieces").iterdir())) == 1
    assert columns(jd.study(four_bar(), into=tmp_path / "s", **given)) == expected


# Going on -------------------------------------------------------------------------------------------------------------


def _work(into: Path) -> None:
    jd.study(four_bar(), vary={"k": np.linspace(100, 300, 120)}, collect=COLLECT, into=into, workers=1, **SHORT)


def test_killed_at_any_moment_it_goes_on_with_the_same_bits(tmp_path: Path, many_pieces: None) -> None:
    begun = time.perf_counter()
    _work(tmp_path / "whole")
    span = time.perf_counter() - begun
    rng, into = random.Random(7), tmp_path / "killed"
    context = multiprocessing.get_context("fork")
    computed = 0
    for _ in range(10):
        before = _pieces(into)
        process = context.Process(target=_work, args=(into,))
        process.start()
        time.sleep(rng.uniform(0.0, 0.35) * span)
        process.kill()
        process.join()
        after = _pieces(into)
        assert before.items() <= after.items()  # nothing that was done was touched
        computed += len(after) - len(before)
    _work(into)
    assert len(_pieces(into)) == 30 and computed <= 30
    assert columns(jd.load_results(into)) == columns(jd.load_results(tmp_path / "whole"))


def _pieces(into: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in into.glob("pieces/*.npz")}


def test_a_damaged_piece_is_computed_again(tmp_path: Path, many_pieces: None) -> None:
    _work(tmp_path / "s")
    whole = columns(jd.load_results(tmp_path / "s"))
    for name, content in (("000003", b""), ("000005", b"PK but not really"), ("000007", None)):
        path = tmp_path / "s" / "pieces" / f"{name}.npz"
        path.write_bytes(path.read_bytes()[:-40] if content is None else content)
    assert int((~jd.load_results(tmp_path / "s").ok).sum()) == 12
    _work(tmp_path / "s")
    assert columns(jd.load_results(tmp_path / "s")) == whole


def test_interrupted_it_keeps_what_is_done(tmp_path: Path, many_pieces: None) -> None:
    def stop(look: jd.Progress) -> None:
        if look.t >= 40 and not look.over:
            raise KeyboardInterrupt

    vary = {"k": np.linspace(100, 300, 120)}
    given: dict[str, Any] = {"vary": vary, "collect": COLLECT, "into": tmp_path / "s", "workers": 1, **SHORT}
    with pytest.warns(jd.SimulationWarning):
        part = jd.study(four_bar(), progress=stop, **given)
    assert part.interrupted and 20 <= part.ok.sum() < 120
    assert "interrupted" in part.summary() and "the same call goes on" in part.summary()
    assert jd.study(four_bar(), **given).ok.all()


# Executors ------------------------------------------------------------------------------------------------------------


def test_bits_do_not_depend_on_who_computes(many_pieces: None) -> None:
    given: dict[str, Any] = {"vary": {"k": np.linspace(100, 300, 40)}, "collect": COLLECT, **SHORT}
    one = columns(jd.study(four_bar(), workers=1, **given))
    assert columns(jd.study(four_bar(), workers=3, **given)) == one
    with ThreadPoolExecutor(2) as pool:
        assert columns(jd.study(four_bar(), executor=pool, **given)) == one


KilledWorker = type("KilledWorker", (Exception,), {})  # as Dask calls it


class Deadly(ThreadPoolExecutor):
    """An executor whose workers die of some variants."""

    def submit(self, function: Any, /, *args: Any, **keys: Any) -> Future[Any]:
        first, last = args[-2:]
        if any(first <= k < last for k in (5, 6, 17)):
            dead: Future[Any] = Future()
            dead.set_exception(KilledWorker("it took 4 workers down"))
            return dead
        return super().submit(function, *args, **keys)


def test_a_variant_that_kills_its_worker_is_found_and_marked(many_pieces: None) -> None:
    given: dict[str, Any] = {"vary": {"k": np.linspace(100, 300, 40)}, "collect": COLLECT, **SHORT}
    whole = jd.study(four_bar(), **given)
    with Deadly(2) as pool, pytest.warns(jd.SimulationWarning, match="3 of 40"):
        found = jd.study(four_bar(), executor=pool, **given)
    assert np.flatnonzero(~found.ok).tolist() == [5, 6, 17]
    assert "its worker died of it each time" in found.sentences[5]
    assert np.array_equal(found["peak"][found.ok], whole["peak"][found.ok])


def test_a_worker_of_another_version_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Older(ThreadPoolExecutor):
        def submit(self, function: Any, /, *args: Any, **keys: Any) -> Future[Any]:
            answer: Future[Any] = Future()
            monkeypatch.setattr("jourdain.studies.code_version.__version__", "0.0.1")
            answer.set_result(function(*args, **keys))
            return answer

    with Older(1) as pool, pytest.raises(jd.StudyError, match=r"jourdain 0.0.1 there and .* here"):
        jd.study(four_bar(), vary=VARY, collect="max(A.load)", executor=pool, **SHORT)


def test_a_function_that_cannot_travel_is_named() -> None:
    error = executors._explained(AttributeError("Can't pickle local object 'f.<locals>.g'"))
    assert "cannot be sent to another process" in str(error)


def test_items_are_read_with_all_their_faults() -> None:
    with pytest.raises(jd.ChoiceError, match=r"a bracket is not closed; .*expected at\(A.load"):
        read_items({"a": "max(A.load", "b": "at(A.load)"})


def test_a_command_is_printed_that_runs_a_variant_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    found = jd.study(four_bar(), vary=VARY, collect=COLLECT, integrator="radau", **SHORT)
    kept = jd.study(four_bar(), vary=VARY, collect=COLLECT, integrator="radau", into=tmp_path / "s", **SHORT)
    for study in (found, kept):
        words = shlex.split(study.highest("peak").command)
        assert main([*words[1:], "-o", str(tmp_path / "run.csv"), "--quiet"]) == 0
        assert_allclose(jd.load_results(tmp_path / "run.csv")["A.load"].max(), study["peak"].max(), rtol=1e-12)
    assert main(["plot", str(tmp_path / "s"), "-o", str(tmp_path / "s.png")]) == 0
    assert (tmp_path / "s.png").stat().st_size > 10_000


def test_sweep_makes_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:

    words = [
        "sweep",
        "four_bar",
        "--vary",
        "k=100 N/m:300 N/m",
        "--design",
        "latin:20",
        "--collect",
        "peak=max(A.load)",
    ]
    words += ["--into", str(tmp_path / "s"), "--duration", "0.2", "-o", str(tmp_path / "s.csv"), "--seed", "3"]
    assert main(words) == 0
    assert "peak: most" in capsys.readouterr().out
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 21
    assert (tmp_path / "s" / "results.nc").exists()
    assert main([*words[:-1], "4"]) == 2
    assert "the seed changed from 3 to 4" in capsys.readouterr().err
