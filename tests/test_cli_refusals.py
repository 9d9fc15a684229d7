"""The command line where something is wrong: options, names, full disks, missing libraries. One sentence each."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from command_line import files
from jourdain.cli import codes

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

    monkeypatch.setattr("jourdain.results.table_files.to_csv", refused)
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
        (("-o", "out"), "-o out: what kind of file? give its name an ending: .csv, .h5, .hdf5, .json, .nc"),
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
        (("--animate", "a.html", "--trace", "B"), "to trace; known: arm.A, arm.B (did you mean 'arm.B'?)"),
        (("--recipe", "nafc"), "unknown recipe 'nafc'; known: amesim, auto, "),
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
