"""The command line, called in process: what it prints, which files it leaves, and the codes it ends with."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from command_line import files
from jourdain.cli import codes
from jourdain.cli.main import COMMANDS
from jourdain.files import gallery

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
    text = Path("arm.yaml").read_text().replace("duration: 1 s", "duration: 1 s, step: 1e-3, stabilisation: euclidean")
    Path("fixed.yaml").write_text(text)
    written = jourdain("run", "fixed.yaml").out
    assert "rk4, step 0.001 s (as the file says)" in written
    assert "kkt + euclidean (as the file says)" in written
    both = jourdain("run", "fixed.yaml", "--treatment", "udwadia-kalaba", "--stabilisation", "projection").out
    assert "udwadia-kalaba + projection (as asked for)" in both


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
    assert said.err == (
        "jourdain: note: a.html is slowed down 50 times, so that it can be followed; --speed 1 is true speed\n"
    )
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


# check, compare ---------------------------------------------------------------------------------------------------


def test_check_tells_freedoms_or_all_faults(jourdain) -> None:
    good = jourdain("check", "arm.yaml")
    assert good.code == 0
    told = "2 equations of rank 2, 1 degree of freedom\nmobility: 1 freedom, at this instant and in finite motion\n"
    assert good.out.startswith(f"swinging arm: no faults\n{told}distance from singular positions: ")
    turned = Path("arm.yaml").read_text().replace("forces:", "motions: {drive: {joint: A, angle: t}}\nforces:")
    Path("turned.yaml").write_text(turned)
    driven = jourdain("check", "turned.yaml").out
    assert driven.startswith("swinging arm: no faults\n3 equations of rank 3, 0 degrees of freedom\n")
    assert "without its motions it would have 1 freedom" in driven and driven.endswith("\nall motion is driven\n")
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
    assert said.out.count("angle, kkt + projection, rk4") == 2
    assert said.out.count("angle, kkt + projection, dop853") == 1
    assert files() == {"work.png"}
    wrong = jourdain("compare", "arm.yaml", "--steps", "fine")
    assert wrong.code == codes.FAULTY
    assert "--steps 'fine': expected numbers with commas between them" in wrong.err


def test_an_example_without_an_action(jourdain) -> None:
    said = jourdain("examples", "four_bar")
    assert said.code == codes.FAULTY
    assert "(did you mean 'jourdain examples show four_bar'?)" in said.err


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
    Path("askew.yaml").write_text(Path("arm.yaml").read_text().replace("[L/2, 0], angle", "[L/2, 0.1], angle"))
    assert "note: assembly moved body 'arm' by " in jourdain("draw", "askew.yaml").err
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
        (
            ("draw", "arm.yaml", "-o", "a.gif"),
            "cannot write '.gif'; known: .pdf, .png, .svg; for '.gif' there is jourdain animate",
        ),
        (("animate", "arm.yaml", "-o", "a.png"), "for '.png' there is jourdain draw or plot"),
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
    name = gallery.example_names()[0]
    listed = jourdain("examples")
    assert listed.out == jourdain("examples", "list").out
    assert [line.split()[0] for line in listed.out.splitlines()[:-2]] == list(gallery.example_names())
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


def test_an_example_is_copied_with_the_files_it_includes(jourdain) -> None:
    assert jourdain("examples", "copy", "stewart_platform", "mine.yaml").code == 0
    assert files() == {"mine.yaml", "_stewart_leg.yaml"}
    assert jd.load("mine.yaml").name == jd.load(gallery.path("stewart_platform")).name


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


def test_commands_without_kernels_start_at_once_and_never_import_numba(folder: Path) -> None:
    """Half a second; what is imported does not depend on what else runs."""
    Path("bad.yaml").write_text("jourdain: 1\nbodies: {a: {}}\n")
    for words in (["version"], ["--help"], ["run", "--help"], ["examples"], ["schema"], ["check", "bad.yaml"]):
        code = (
            "import sys\nfrom jourdain.cli.main import main\n"
            f"code = main({words!r})\n"
            "assert not {'numba', 'matplotlib', 'scipy'} & set(sys.modules), sorted(sys.modules)\n"
            "sys.exit(code)"
        )
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        before = os.times()
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == (2 if "bad.yaml" in words else 0), done.stderr
        after = os.times()
        worked = after.children_user - before.children_user + after.children_system - before.children_system
        assert worked < 2.0, words  # of the processor; four times the promise, for slow ones


def test_a_reader_that_stops_is_no_error(folder: Path) -> None:
    command = f"{sys.executable} -m jourdain plot arm.yaml | head -1; echo ${{PIPESTATUS[0]}}"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines()[0] == "arm.x (m)"
    assert done.stdout.splitlines()[1] in ("0", "141")  # all may have fitted into the pipe
    assert done.stderr == ""


def test_the_program_ends_with_the_code(folder: Path) -> None:
    done = program("run", "nothing.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("jourdain: there is no file 'nothing.yaml'")
