"""The command line, called in process: what it prints, which files it leaves, and the codes it ends with."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.cli import codes
from jourdain.cli.main import COMMANDS, main
from jourdain.files import gallery

ARM = """\
jourdain: 1
name: swinging arm
gravity: [0, -9.81]
parameters: {L: 1 m, k: 20 N/m}
ground: {points: {A: [0, 0], S: [0, -1.5]}}
bodies:
  arm: {mass: 1, inertia: 1/12*L^2, position: [L/2, 0], angle: 0, points: {A: [-L/2, 0], B: [L/2, 0]}}
joints:
  A: {type: revolute, between: [ground.A, arm.A]}
forces:
  spring: {type: spring-damper, between: [ground.S, arm.B], stiffness: k, length: 1}
simulate: {duration: 1 s}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with one mechanism file, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.yaml").write_text(ARM.replace("^", "**"))
    return tmp_path


def files() -> set[str]:
    return {path.name for path in Path().iterdir()} - {"arm.yaml"}


class Said:
    """What one call printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def jourdain(capfd: pytest.CaptureFixture[str]):
    def call(*words: str) -> Said:
        capfd.readouterr()
        code = main(list(words))
        return Said(code, *capfd.readouterr())

    return call


# run --------------------------------------------------------------------------------------------------------------


def test_run_prints_what_came_of_it_and_writes_nothing(jourdain) -> None:
    said = jourdain("run", "arm.yaml")
    assert said.code == 0
    for words in (
        "swinging arm: 1 body, 1 joint",
        "1 degree of freedom; 2 equations of rank 2",
        "angle (the default in the plane)",
        "kkt + projection (the default)",
        "dop853, rtol 1e-09 (the default: finds its own steps)",
        "0 to 1 s, 201 samples",
        "at most (m or rad)",
        "balance kept to",
        "completed to t = 1 s",
        "none; -o out.csv keeps the numbers, --animate out.html shows the motion",
    ):
        assert words in said.out
    assert re.search(r"steps  \d+ \(\d+ rejected\), \d+ evaluations", said.out)
    assert files() == set()


def test_every_option_of_solving_reaches_the_run(jourdain) -> None:
    said = jourdain(
        *("run", "arm.yaml", "--duration", "500ms", "--every", "0.1", "--integrator", "rk4", "--step", "2 ms"),
        *("--treatment", "udwadia-kalaba", "--coordinates", "angle", "--set", "k=300", "--set", "L=50 cm", "--json"),
    )
    facts = json.loads(said.out)
    assert facts["parameters"] == {"L": 0.5, "k": 300.0}
    assert (facts["integrator"], facts["step"], facts["steps"]) == ("rk4", 0.002, 250)
    assert (facts["treatment"], facts["coordinates"]) == ("udwadia-kalaba", "angle")
    assert (facts["t_end"], facts["samples"]) == (0.5, 6)
    tight = json.loads(jourdain("run", "arm.yaml", "--rtol", "1e-5", "--atol", "1e-6", "--json").out)
    assert (tight["rtol"], tight["atol"]) == (1e-5, 1e-6)


def test_reasons_for_choices_are_told(jourdain) -> None:
    asked = jourdain("run", "arm.yaml", "--integrator", "rk4", "--step", "1e-3", "--stabilisation", "euclidean")
    assert "kkt + euclidean (as asked for)" in asked.out
    assert "rk4, step 0.001 s (as asked for)" in asked.out
    text = Path("arm.yaml").read_text().replace("duration: 1 s", "duration: 1 s, step: 1e-3")
    Path("fixed.yaml").write_text(text)
    assert "rk4, step 0.001 s (as the file says)" in jourdain("run", "fixed.yaml").out


def test_results_are_written_in_every_kind_and_agree(jourdain) -> None:
    said = jourdain("run", "arm.yaml", "-o", "a.csv", "-o", "a.json", "--output", "a.nc")
    assert said.code == 0
    assert files() == {"a.csv", "a.json", "a.nc"}
    assert [line.split()[1] for line in said.out.splitlines() if line.strip().startswith("written")] == [
        "a.csv",
        "a.json",
        "a.nc",
    ]
    run = jd.simulate(jd.load("arm.yaml"))
    for name in files():
        assert np.array_equal(jd.load_results(name)["arm.angle"], run["arm.angle"])
    assert Path("a.csv").read_text().startswith("t,arm.x,arm.y,arm.angle,")


def test_chosen_channels_only(jourdain) -> None:
    assert jourdain("run", "arm.yaml", "-o", "a.csv", "--channels", "arm.B.x,A.fx").code == 0
    assert Path("a.csv").read_text().splitlines()[0] == "t,arm.B.x,A.fx"


def test_pictures_of_a_run(jourdain) -> None:
    said = jourdain(
        *("run", "arm.yaml", "--duration", "0.2", "--plot", "arm.x,arm.y", "--plot", "A"),
        *("--animate", "a.html", "--animate", "a.gif", "--trace", "arm.B", "--speed", "0.5", "--fps", "10"),
    )
    assert said.code == 0
    assert files() == {"arm-plot.png", "a.html", "a.gif"}
    assert all(Path(name).stat().st_size > 5_000 for name in files())
    jourdain("run", "arm.yaml", "--plot", "arm.x", "--plot-to", "other.svg")
    assert "arm.x (m)" not in said.out
    assert Path("other.svg").read_text().startswith("<?xml")


def test_an_animation_gets_enough_samples(jourdain) -> None:
    facts = json.loads(jourdain("run", "arm.yaml", "--duration", "6", "--animate", "a.html", "--json").out)
    assert facts["samples"] == 361  # 60 a second, where 201 would be the default
    facts = json.loads(jourdain("run", "arm.yaml", "--every", "0.1", "--animate", "a.html", "--json").out)
    assert facts["samples"] == 11


def test_a_motion_too_short_to_see_is_told(jourdain) -> None:
    said = jourdain("run", "arm.yaml", "--duration", "0.03", "--animate", "a.html")
    assert said.code == 0
    assert said.err == "jourdain: note: at this speed the motion lasts 0.03 s; --speed 0.006 shows it in 5 s\n"
    assert jourdain("animate", "arm.yaml", "--duration", "0.03", "--speed", "0.006").err == ""


def test_quiet_says_nothing(jourdain) -> None:
    said = jourdain("run", "arm.yaml", "-o", "a.csv", "--quiet")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert files() == {"a.csv"}


def test_a_run_that_stops_early_is_kept_and_fails(jourdain) -> None:
    text = Path("arm.yaml").read_text().replace("stiffness: k", "stiffness: k, damping: 0")
    text += "elements:\n  e: {type: element, states: {s: 1}, rates: {s: s**2}}\n"
    Path("blow.yaml").write_text(text)
    said = jourdain("run", "blow.yaml", "--duration", "5", "-o", "a.csv")
    assert said.code == codes.FAILED
    assert re.search(r"status  stopped (at|near) t = ", said.out)
    assert len(Path("a.csv").read_text().splitlines()) > 10
    quiet = jourdain("run", "blow.yaml", "--duration", "5", "--quiet")
    assert quiet.code == codes.FAILED
    assert quiet.out == ""
    assert quiet.err.startswith("jourdain: stopped ")


def interrupt_at(t: float):
    """A reporter that presses Ctrl-C when the run has come to t."""

    def report(look: jd.Progress) -> None:
        if look.t > t and not look.over:
            signal.raise_signal(signal.SIGINT)

    return lambda progress: report


def test_ctrl_c_keeps_what_was_computed(jourdain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jourdain.analysis.simulate.reporter", interrupt_at(20.0))
    words = ("run", "arm.yaml", "--duration", "10000", "--every", "0.1", "-o", "a.csv", "--channels", "arm.x")
    said = jourdain(*words)
    assert said.code == codes.INTERRUPTED
    end = float(re.search(r"interrupted at t = (\S+) s; what was computed is kept", said.out)[1])
    assert 20 < end < 9000
    rows = Path("a.csv").read_text().splitlines()
    assert float(rows[-1].split(",")[0]) == pytest.approx(end, abs=0.1)


def test_pictures_of_an_interrupted_run_show_what_there_is(jourdain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jourdain.analysis.simulate.reporter", interrupt_at(20.0))
    said = jourdain("plot", "arm.yaml", "arm.x", "--duration", "10000", "--every", "0.1")
    assert said.code == codes.INTERRUPTED
    assert "interrupted at t = " in said.err
    assert files() == {"arm-plot.png"}


def test_the_file_that_is_read_is_not_written_over(jourdain) -> None:
    jd.save(jd.load("arm.yaml"), "arm.json")
    before = Path("arm.json").read_text()
    said = jourdain("run", "arm.json", "-o", "./arm.json")
    assert said.code == codes.FAULTY
    assert "-o ./arm.json: that is the file that is read; give another name" in said.err
    assert Path("arm.json").read_text() == before


def test_ctrl_c_before_the_run_is_one_sentence(jourdain, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("jourdain.cli.run.mechanism", pressed)
    said = jourdain("run", "arm.yaml")
    assert said.code == codes.INTERRUPTED
    assert said.err == "jourdain: interrupted before there was anything to keep\n"


def test_ctrl_c_while_an_animation_is_written_keeps_the_rest(jourdain, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(self: object, path: str, **_: object) -> None:
        Path(path).write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(jd.Solution, "animate", pressed)
    said = jourdain("run", "arm.yaml", "-o", "a.csv", "--animate", "a.gif")
    assert said.code == codes.INTERRUPTED
    assert files() == {"a.csv"}
    assert "interrupted while writing; finished files are kept" in said.err


# What cannot be written -------------------------------------------------------------------------------------------

WRITERS = {
    "full.csv": ("-o",),
    "full.json": ("-o",),
    "full.nc": ("-o",),
    "full.html": ("--animate",),
    "full.gif": ("--animate",),
    "full.mp4": ("--animate",),
    "full.png": ("--plot", "arm.x", "--plot-to"),
    "full.svg": ("--plot", "arm.x", "--plot-to"),
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_one_sentence(jourdain, name: str) -> None:
    os.symlink("/dev/full", name)
    said = jourdain("run", "arm.yaml", "--duration", "0.6", "-o", "good.csv", *WRITERS[name], name)
    assert said.code == codes.UNWRITTEN
    assert said.err == f"jourdain: cannot write {name}: No space left on device\n"
    assert files() == {"good.csv", name}
    assert "completed to t = 0.6 s" in said.out
    assert f"written  {name}" not in said.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only_is_one_sentence(jourdain) -> None:
    Path("locked").mkdir(mode=0o500)
    said = jourdain("run", "arm.yaml", "-o", "locked/a.csv")
    assert said.code == codes.UNWRITTEN
    assert said.err == "jourdain: cannot write locked/a.csv: Permission denied\n"


def test_a_refusal_of_the_system_is_one_sentence(jourdain, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a read-only folder would refuse, also where the tests are run by root."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("jourdain.results.export.to_csv", refused)
    said = jourdain("run", "arm.yaml", "-o", "a.csv", "-o", "a.json")
    assert said.code == codes.UNWRITTEN
    assert said.err == "jourdain: cannot write a.csv: Permission denied\n"
    assert files() == {"a.json"}


@pytest.mark.parametrize(
    ("library", "words", "package"),
    [
        ("h5py", ("run", "arm.yaml", "-o", "a.nc"), "h5py"),
        ("imageio_ffmpeg", ("run", "arm.yaml", "--animate", "a.mp4"), "imageio-ffmpeg"),
        ("imageio_ffmpeg", ("animate", "arm.yaml", "-o", "a.mp4"), "imageio-ffmpeg"),
    ],
)
def test_a_missing_library_is_told_before_the_run(jourdain, monkeypatch, library, words, package) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr("jourdain.analysis.simulate.simulate", lambda *_, **__: pytest.fail("it ran"))
    said = jourdain(*words)
    assert said.code == codes.UNWRITTEN
    assert re.fullmatch(
        rf"jourdain: .* needs {package}, which is not installed here; get it by: pip install {package}\n", said.err
    )
    assert files() == set()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("-o", "a.gif"),
            "-o a.gif: cannot write '.gif'; known: .csv, .h5, .hdf5, .json, .nc; for '.gif' there is --animate",
        ),
        (("-o", "out"), "-o out: cannot write ''; known: .csv, .h5, .hdf5, .json, .nc"),
        (("-o", "nowhere/a.csv"), "-o nowhere/a.csv: there is no folder 'nowhere'"),
        (("--animate", "a.avi"), "--animate a.avi: cannot write '.avi'; known: .gif, .html, .mp4"),
        (("-o", "a.csv", "-o", "./a.csv"), "a.csv would be written twice"),
        (("--channels", "arm.x"), "--channels does nothing without -o"),
        (("--plot-to", "a.png"), "--plot-to does nothing without --plot"),
        (("--trace", "arm.B"), "--trace and --fps do nothing without --animate"),
        (("--speed", "2"), "--speed does nothing without --animate"),
        (("--animate", "a.gif", "--speed", "0"), "--speed 0: expected a positive number"),
        (
            ("--animate", "a.gif", "--duration", "1000"),
            "25001 frames are too many for one file (at most 5000); raise speed",
        ),
        (("--duration", "5 m"), "--duration '5 m': 'm' is no unit of time; use s, ms or min"),
        (("--duration", "long"), "--duration 'long': expected a time, such as 5, 0.01 or 20ms"),
        (("--duration", "-1"), "duration is -1.0; expected a positive number of seconds"),
        (("--set", "k"), "--set 'k': expected NAME=VALUE, such as --set k=300"),
        (("--set", "k=1", "--set", "k=2"), "--set k is given twice: 1.0 and 2"),
        (("--set", "q=1"), "there is no parameter 'q' to set; known: L, k"),
        (("--set", "k=3 kg"), "stiffness is 'k', a mass; expected a stiffness (N/m)"),
        (("--plot", "arm.xx"), "no channel 'arm.xx'"),
        (("-o", "a.csv", "--channels", "arm.xx"), "no channel 'arm.xx'"),
        (("--animate", "a.html", "--trace", "arm.Q"), "there is no point 'arm.Q' to trace; known: arm.A, arm.B"),
        (("--recipe", "nafc"), "unknown recipe 'nafc'; known: auto, "),
        (("--integrator", "rk5"), "unknown integrator 'rk5'"),
        (("--step", "1e-3", "--integrator", "dop853"), "dop853 finds its own steps, so step would do nothing"),
        (("--stabilisation", "hope"), "unknown stabilisation 'hope'"),
        (("--treatment", "magic", "--stabilisation", "projection"), "unknown treatment 'magic'"),
    ],
)
def test_what_is_asked_for_wrongly_is_refused_before_anything_is_written(jourdain, words, sentence) -> None:
    said = jourdain("run", "arm.yaml", *words)
    assert said.code == codes.FAULTY
    assert said.err.startswith("jourdain: ")
    assert sentence in said.err
    assert said.out == ""
    assert files() == set()


# Names of files and options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "amr.yaml"), "there is no file 'amr.yaml'; known: arm.yaml (did you mean 'arm.yaml'?)"),
        (("run", "slider_crnk"), "there is no file and no example 'slider_crnk'; known: "),
        (("check", "."), "'.' is a folder; expected a mechanism file or the name of an example"),
        (("run", "arm.yaml", "--duraton", "3"), "unrecognized arguments: --duraton 3 (did you mean '--duration'?)"),
        (("run", "arm.yaml", "--dur", "3"), "unrecognized arguments: --dur 3"),
        (("rnu", "arm.yaml"), "(did you mean 'run'?)"),
        (("run",), "the following arguments are required: FILE|EXAMPLE"),
        (("run", "arm.yaml", "--rtol", "small"), "invalid float value: 'small'"),
        (("examples", "copy", "pendulm"), "there is no example 'pendulm'; known: "),
        (("examples", "run", "arm.yaml"), "there is no example 'arm.yaml'; known: "),
        (("completion", "tcsh"), "invalid choice: 'tcsh'"),
        (("plot", "nothing.csv", "arm.x"), "nothing.csv: No such file or directory"),
        (("plot", "nothing.nc", "arm.x"), "nothing.nc: No such file or directory"),
    ],
)
def test_mistyped_names_are_answered_with_the_nearest(jourdain, words, sentence) -> None:
    said = jourdain(*words)
    assert said.code == codes.FAULTY
    assert sentence in said.err
    assert "Traceback" not in said.err


def test_a_file_without_duration_asks_for_one(jourdain) -> None:
    Path("bare.yaml").write_text(re.sub(r"simulate:.*\n", "", Path("arm.yaml").read_text()))
    for words in (("run", "bare.yaml"), ("compare", "bare.yaml"), ("animate", "bare.yaml")):
        said = jourdain(*words)
        assert said.code == codes.FAULTY
        assert "how long? the file has no 'simulate: {duration: ...}'; give --duration 5" in said.err


# check, compare ---------------------------------------------------------------------------------------------------


def test_check_tells_freedoms_or_all_faults(jourdain) -> None:
    good = jourdain("check", "arm.yaml")
    assert good.code == 0
    assert good.out == "swinging arm: no faults\n2 equations of rank 2, 1 degree of freedom\n"
    facts = json.loads(jourdain("check", "arm.yaml", "--json").out)
    assert facts["degrees_of_freedom"] == 1
    assert facts["redundant"] == []
    Path("bad.yaml").write_text(Path("arm.yaml").read_text().replace("mass: 1", "mas: 1").replace("arm.A]", "arm.Q]"))
    bad = jourdain("check", "bad.yaml")
    assert bad.code == codes.FAULTY
    assert re.search(r"bad\.yaml:7:\d+: .*'mas'", bad.err)
    assert re.search(r"bad\.yaml:9:\d+: .*body 'arm' has no point 'Q'; known: A, B", bad.err)
    assert bad.out == ""


def test_compare_prints_a_table_and_draws(jourdain) -> None:
    said = jourdain(
        *("compare", "arm.yaml", "--duration", "0.2", "--coordinates", "angle", "--treatments", "kkt"),
        *("--integrators", "rk4,dop853", "--steps", "1e-2,1e-3", "--tolerances", "1e-6", "--plot", "work.png"),
    )
    assert said.code == 0
    assert said.out.count("angle, kkt, rk4") == 2
    assert said.out.count("angle, kkt, dop853") == 1
    assert files() == {"work.png"}
    wrong = jourdain("compare", "arm.yaml", "--steps", "fine")
    assert wrong.code == codes.FAULTY
    assert "--steps 'fine': expected numbers with commas between them" in wrong.err


# plot, draw, animate ----------------------------------------------------------------------------------------------


def test_results_are_plotted_drawn_and_animated_without_running(jourdain, monkeypatch) -> None:
    jourdain("run", "arm.yaml", "-o", "out.nc", "-o", "out.csv", "-o", "out.json", "--quiet")
    monkeypatch.setattr("jourdain.analysis.simulate.simulate", lambda *_, **__: pytest.fail("it ran"))
    for words, made in (
        (("plot", "out.nc", "arm.x", "A"), "out-plot.png"),
        (("plot", "out.csv", "arm.x", "--against", "arm.angle", "-o", "path.svg"), "path.svg"),
        (("plot", "out.json", "arm.B.x", "--against", "arm.angle", "--polar", "-o", "polar.pdf"), "polar.pdf"),
        (("draw", "out.json", "--at", "0", "--at", "500ms", "--trace", "arm.B"), "out.png"),
        (("animate", "out.nc", "--trace", "arm.B"), "out.html"),
    ):
        said = jourdain(*words)
        assert (said.code, said.out, said.err) == (0, f"{made} written\n", "")
        assert Path(made).stat().st_size > 3_000


def test_without_channels_plot_lists_them(jourdain) -> None:
    listed = jourdain("plot", "arm.yaml").out.splitlines()
    assert "arm.x (m)" in listed
    assert "A.fx (N)" in listed
    assert files() == set()


def test_a_colour_that_does_not_exist_is_told_before_the_run(jourdain) -> None:
    Path("odd.yaml").write_text(Path("arm.yaml").read_text().replace("angle: 0,", "angle: 0, look: {colour: blueish},"))
    for words in (("run", "odd.yaml", "--animate", "a.html"), ("draw", "odd.yaml")):
        said = jourdain(*words)
        assert said.code == codes.FAULTY
        assert "there is no colour 'blueish'" in said.err
    assert files() == {"odd.yaml"}


def test_mechanism_files_are_run_first(jourdain) -> None:
    assert jourdain("plot", "arm.yaml", "arm.x", "--duration", "0.1").out == "arm-plot.png written\n"
    assert jourdain("draw", "arm.yaml").out == "arm.png written\n"
    assert jourdain("animate", "arm.yaml", "--duration", "0.1", "-o", "a.gif").out == "a.gif written\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("plot", "out.csv", "arm.xx"), "no channel 'arm.xx' in out.csv"),
        (("plot", "out.csv", "arm.x", "--polar"), "a polar plot needs against= a channel that is an angle"),
        (
            ("plot", "out.csv", "arm.x", "--duration", "3"),
            "--duration: out.csv holds results, which are not computed anew",
        ),
        (("plot", "out.csv", "--against", "arm.x"), "what is to be plotted? 'jourdain plot out.csv' alone lists the"),
        (("draw", "out.csv"), "out.csv does not keep the mechanism, so it cannot be drawn"),
        (("animate", "out.csv"), "out.csv does not keep the mechanism, so it cannot be drawn"),
        (("draw", "arm.yaml", "--at", "7"), "--at 7: the run goes from 0 to 1 s"),
        (("draw", "arm.yaml", "-o", "a.gif"), "-o a.gif: cannot write '.gif'; known: .pdf, .png, .svg"),
        (("animate", "arm.yaml", "--fps", "-3"), "fps is -3.0; expected a positive number"),
    ],
)
def test_pictures_that_cannot_be_made(jourdain, words, sentence) -> None:
    jourdain("run", "arm.yaml", "-o", "out.csv", "--quiet")
    said = jourdain(*words)
    assert said.code == codes.FAULTY
    assert sentence in said.err
    assert files() == {"out.csv"}


# examples, schema, completion, version ------------------------------------------------------------------------------


def test_examples_are_listed_shown_copied_and_run(jourdain) -> None:
    name = gallery.names()[0]
    listed = jourdain("examples")
    assert listed.out == jourdain("examples", "list").out
    assert [line.split()[0] for line in listed.out.splitlines()[:-2]] == list(gallery.names())
    assert jourdain("examples", "show", name).out == Path(gallery.path(name)).read_text()
    assert jourdain("examples", "copy", name, "mine.yaml").out == "mine.yaml written; try: jourdain run mine.yaml\n"
    assert Path("mine.yaml").read_text() == Path(gallery.path(name)).read_text()
    again = jourdain("examples", "copy", name, "mine.yaml")
    assert again.code == codes.FAULTY
    assert "mine.yaml exists; give another name, or --force to write over it" in again.err
    assert jourdain("examples", "copy", name, "mine.yaml", "--force").code == 0
    Path("sub").mkdir()
    assert jourdain("examples", "copy", name, "sub").code == 0
    assert Path(f"sub/{name}.yaml").exists()


def test_an_example_is_run_by_its_name(jourdain) -> None:
    said = jourdain("run", "four_bar", "--duration", "0.1", "--json")
    assert said.code == 0
    assert json.loads(said.out)["degrees_of_freedom"] == 1
    also = jourdain("examples", "run", "four_bar", "--duration", "0.1", "--json")
    assert json.loads(also.out)["t_end"] == 0.1


def test_schema_is_the_schema(jourdain) -> None:
    assert json.loads(jourdain("schema").out) == json.loads(json.dumps(jd.schema()))


def test_version_is_told_in_both_ways(jourdain) -> None:
    assert jourdain("version").out.startswith(f"jourdain {jd.__version__} (Python 3.")
    assert jourdain("--version").out == jourdain("version").out


def test_help_shows_examples_and_every_choice(jourdain) -> None:
    for name in COMMANDS:
        said = jourdain(name, "--help")
        assert said.code == 0
        assert "@" not in said.out
        if name not in ("schema", "version"):
            assert f"jourdain {name}" in said.out.split("examples:")[1]
    text = jourdain("run", "--help").out
    for word in ("nacf", "udwadia-kalaba", "generalized-alpha", "quaternion", "euclidean", "exit codes: 0 done"):
        assert word in text
    assert jourdain().out == jourdain("--help").out


def test_bash_completes_commands_options_and_values(jourdain) -> None:
    script = jourdain("completion", "bash").out
    Path("complete.sh").write_text(script)

    def completed(*words: str) -> set[str]:
        line = " ".join(f"'{word}'" for word in words)
        code = (
            f'source complete.sh; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _jourdain; echo "${{COMPREPLY[@]}}"'
        )
        return set(subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True).stdout.split())

    assert completed("jourdain", "ch") == {"check"}
    assert completed("jourdain", "run", "--stab") == {"--stabilisation"}
    assert completed("jourdain", "run", "four_b") == {"four_bar"}
    assert completed("jourdain", "run", "ar") == {"arm.yaml"}
    assert completed("jourdain", "run", "x", "--integrator", "rk") == {"rk4", "rk6"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_for_other_shells_know_all_commands(jourdain, shell: str) -> None:
    script = jourdain("completion", shell).out
    assert all(name in script for name in COMMANDS)
    assert "--plot-to" in script or "-l plot-to" in script
    if shutil.which(shell):
        Path("script").write_text(script)
        subprocess.run([shell, "-n", "script"], check=True)


# As a program -----------------------------------------------------------------------------------------------------


def program(*words: str, **more) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-m", "jourdain", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, **more)


def test_commands_without_kernels_start_at_once_and_never_import_numba() -> None:
    """Half a second on an idle machine; what is imported does not depend on what else runs."""
    Path("bad.yaml").write_text("jourdain: 1\nbodies: {a: {}}\n")
    for words in (["version"], ["--help"], ["run", "--help"], ["examples"], ["schema"], ["check", "bad.yaml"]):
        code = (
            "import sys\nfrom jourdain.cli.main import main\n"
            f"code = main({words!r})\n"
            "assert not {'numba', 'matplotlib', 'scipy'} & set(sys.modules), sorted(sys.modules)\n"
            "sys.exit(code)"
        )
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        best = float("inf")
        for _ in range(3):
            begun = time.perf_counter()
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
            best = min(best, time.perf_counter() - begun)
            assert done.returncode == (2 if "bad.yaml" in words else 0), done.stderr
        assert best < 2.0, words  # four times the promise: test machines are slow and busy


def test_a_reader_that_stops_is_no_error() -> None:
    command = f"{sys.executable} -m jourdain plot arm.yaml | head -1; echo ${{PIPESTATUS[0]}}"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines()[0] == "arm.x (m)"
    assert done.stdout.splitlines()[1] in ("0", "141")  # all may have fitted into the pipe
    assert done.stderr == ""


def test_the_program_ends_with_the_code() -> None:
    done = program("run", "nothing.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("jourdain: there is no file 'nothing.yaml'")
