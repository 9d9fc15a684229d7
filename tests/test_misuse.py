"""What users, other programs and full disks do: answered by a sentence, never by a traceback, a hang or silence."""

from __future__ import annotations

import errno
import importlib.util
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
import mutated_files
from jourdain.cli import codes
from jourdain.cli.main import main
from jourdain.engine import kept_code, kernel_cache
from jourdain.interrupts import held_back
from jourdain.kernels.layout import returned as status
from jourdain.session.auto import crossing

SOURCE = Path(jd.__file__).resolve().parent.parent


def pendulum(name: str = "m", mass: Any = 1, **more: Any) -> jd.Mechanism:
    m = jd.Mechanism(name, gravity=(0, -9.81))
    b = m.body("b", mass=mass, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)}, **more)
    m.revolute("A", m.ground.point("O", (0, 0)), b["A"])
    return m


# The cache of compiled code --------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for compiled code of its own, and nothing said yet."""
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(kept_code, "_said", set())
    (tmp_path / "cache").mkdir()
    (tmp_path / "small.py").write_text("from numba import njit\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n")
    return tmp_path / "cache"


def compiled_twice(cache: Path) -> Any:
    """A small function as kernels are brought: decorated and compiled with our cache."""
    spec = importlib.util.spec_from_file_location("small", cache.parent / "small.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with kernel_cache.own_cache():
        spec.loader.exec_module(module)
        assert module.twice(21) == 42
    return module.twice


def damage(cache: Path, ending: str, change: Callable[[bytes], bytes]) -> None:
    found = list(cache.rglob(f"*.{ending}"))
    assert found
    for file in found:
        file.write_bytes(change(file.read_bytes()))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "change",
    [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: bytes(len(b)), lambda b: b[:-40] + bytes(8) + b[-32:]],
    ids=["empty", "half", "zeros", "hole"],
)
def test_a_damaged_cache_is_compiled_again(cache, capfd, ending, change) -> None:
    compiled_twice(cache)
    assert capfd.readouterr().err == ""
    damage(cache, ending, change)
    assert compiled_twice(cache).stats.cache_hits == {}  # not what the damaged file holds
    said = capfd.readouterr().err
    assert said == f"jourdain: damaged files in {cache} are compiled again\n"
    assert sum(compiled_twice(cache).stats.cache_hits.values()) == 1  # and kept again


def test_a_full_cache_is_done_without(cache, capfd, monkeypatch) -> None:
    def full(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(kept_code.kept_files(), "_open_for_write", full)
    monkeypatch.setattr(Path, "touch", full)
    compiled_twice(cache)
    kept_code.keep(cache / "x.compiled")
    words = "cannot be kept in"
    assert capfd.readouterr().err.count(words) == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="rights of POSIX")
@pytest.mark.parametrize("which", [".", "jourdain", "jourdain/*"])
def test_code_is_not_loaded_from_where_others_can_write(which, tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.setattr(kept_code, "_said", set())
    monkeypatch.setenv("JOURDAIN_CACHE_DIR", str(tmp_path / "open"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    first = kernel_cache.cache_folder.__wrapped__()
    assert first.is_relative_to(tmp_path / "open")
    assert first.stat().st_mode & 0o077 == 0
    assert capfd.readouterr().err == ""
    for folder in (tmp_path / "open").glob(which) if which != "." else [tmp_path / "open"]:
        folder.chmod(0o777)
    assert kernel_cache.cache_folder.__wrapped__().is_relative_to(tmp_path / "own")
    assert "others can write to" in capfd.readouterr().err


def test_where_nothing_can_be_written_a_sentence_says_so(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    for name in ("JOURDAIN_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "x"))
    folder = kernel_cache.cache_folder.__wrapped__()  # a temporary one: the other process finds it by its parents
    assert folder.parent.name == "jourdain"

    def full(**_: Any) -> Any:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(kernel_cache.tempfile, "mkdtemp", full)
    with pytest.raises(jd.JourdainError, match="JOURDAIN_CACHE_DIR"):
        kernel_cache.cache_folder.__wrapped__()


# Ctrl-C ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [held_back, kernel_cache.own_cache])
def test_an_interrupt_waits_for_what_is_compiled(block, monkeypatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.default_int_handler)  # ignored in the background
    done = []
    with pytest.raises(KeyboardInterrupt), block():
        with block():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            done.append("inside")
        done.append("outside")
    assert done[:1] == ["inside"]


def test_a_second_interrupt_does_not_wait() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done = []
    try:
        with pytest.raises(KeyboardInterrupt), held_back():
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)
                done.append("more")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["more"]


def test_other_threads_compile_without_signals() -> None:
    done = []

    def work() -> None:
        with held_back():
            done.append("here")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == ["here"]


# Files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["/dev/zero", "pipe", ".", "no\0such"])
def test_what_is_no_file_is_not_read(what, tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "m.yaml"
    path.write_text(f'jourdain: 1\ninclude: [{{path: "{what}", prefix: a_}}]\n'.replace("\0", "\\0"))
    with pytest.raises(jd.FileError, match=rf"{path}:2:1\d: include: .*(the file cannot be read|cannot be a file)"):
        jd.load(path)
    with pytest.raises(jd.FileError, match="the file cannot be read"):
        jd.load(tmp_path / what)
    if what == "pipe":
        (tmp_path / "pipe").rename(tmp_path / "pipe.csv")
        with pytest.raises(jd.ResultsError, match="cannot be read: it is a folder, a pipe or a device"):
            jd.load_results(tmp_path / "pipe.csv")


@pytest.mark.parametrize(
    "content", ["{}", '{"format": "jourdain-results", "version": 1}', "[" * 100_000, "t\n\0", "t\nä"]
)
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_results_that_are_damaged(content, ending, tmp_path) -> None:
    path = tmp_path / f"r.{ending}"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(jd.ResultsError, match=r"r\."):
        jd.load_results(path)


def test_mutated_files_end_in_reports_or_sentences(tmp_path) -> None:
    """A slice of `make soak ARGS=mutants`."""
    assert mutated_files.survey(range(60), tmp_path) == []


# Points and bodies of another mechanism --------------------------------------------------------------------------

FOREIGN: dict[str, Callable[[jd.Mechanism, jd.Mechanism], Any]] = {
    "spring": lambda m, n: m.spring_damper("S", n.ground["O"], m["b"]["B"], stiffness=1),
    "spring by formula": lambda m, n: m.spring_damper("S", n.ground["O"], m["b"]["B"], stiffness="2*3"),
    "joint": lambda m, n: m.distance("S", n.ground["O"], m["b"]["B"], length=1),
    "joint between bodies": lambda m, n: m.weld("S", bodies=(m.ground, n["b"]), at=(0, 0)),
    "force": lambda m, n: m.force("S", on=n["b"]["B"], vector=(1, 0)),
    "torque": lambda m, n: m.torque("S", on=n["b"], torque=1),
    "follower": lambda m, n: m.follower_torque("S", on=n["b"], torque=1),
    "rope": lambda m, n: m.rope("S", m.ground["O"], n["b"]["B"], length=1, stiffness=1),
    "between": lambda m, n: m.bushing("S", between=[m.ground["O"], n["b"]["B"]], stiffness=(1, 1, 1)),
    "ports": lambda m, n: m.equation("S", formula="dot(N - M, e_x)", ports={"M": m.ground["O"], "N": n["b"]["B"]}),
    "motion": lambda m, n: m.motion("S", point=n["b"]["B"], x="t"),
}


@pytest.mark.parametrize("way", FOREIGN)
@pytest.mark.parametrize("name", ["n", "m"])
def test_points_and_bodies_of_another_mechanism_are_refused(way, name) -> None:
    """Their names are known here, and mean something else."""
    m, n = pendulum("m"), pendulum(name)
    FOREIGN[way](m, n)
    whose = "mechanism 'n'" if name == "n" else "another mechanism of the same name"
    with pytest.raises(jd.MechanismError) as caught:
        jd.check(m)
    assert f"belongs to {whose}; expected one of 'm' itself" in str(caught.value)


def test_points_of_this_mechanism_are_taken_and_forget_it() -> None:
    m = pendulum()
    m.spring_damper("S", m.ground["O"], m["b"]["B"], stiffness=1)
    m.rope("R", m.ground["O"], m["b"]["B"], length=3, stiffness=1)
    parts = m.frozen()
    assert [port.owner for port in (parts.forces[0].first, *parts.forces[1].values["between"])] == [None] * 3


# Names that command ----------------------------------------------------------------------------------------------

COMMANDS = ("\x1b[31m", "\x1b]0;x\x07", "\x9b31m", "\x7f", "\r", "\u202e")


@pytest.mark.parametrize("text", COMMANDS)
def test_control_characters_are_shown_written_out(text, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "".join(f"\\u{ord(c):04x}" for c in text)
    body = "{mass: 1, inertia: 1, position: [0, 0]}"
    for line in (f'name: "x{code}y"', f'description: "x{code}y"', f'"{code}": 1', f'off: ["{code}"]'):
        Path("m.yaml").write_text(f"jourdain: 1\n{line}\nbodies: {{b: {body}}}\n")
        assert main(["check", "m.yaml"]) == codes.FAULTY
        err = capsys.readouterr().err
        assert not any(c in err for c in text if c not in "[31m]0;x")
        assert "m.yaml:2:" in err
    Path("m.yaml").write_text(f'jourdain: 1\nbodies: {{b: {body}}}\ninclude: [{{path: "{code}.yaml", prefix: a_}}]\n')
    assert main(["check", "m.yaml", "--set", f"{text}=1"]) == codes.FAULTY
    m = pendulum(text)
    with pytest.raises(jd.MechanismError) as caught:
        jd.simulate(m, 0.1)
    assert not any(c in str(caught.value) + capsys.readouterr().err for c in text if c not in "[31m]0;x")


@pytest.mark.parametrize("name", ["<!--<script>", "</script><script>alert(1)</script>", "@DATA@", "]]>&lt;"])
def test_a_name_does_not_end_the_data_of_a_page(name, tmp_path) -> None:
    jd.simulate(pendulum(name), 0.1).animate(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    data = page.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    import json

    assert json.loads(data)["name"] == name
    assert page.count("<script") == 2


# Wrong values ----------------------------------------------------------------------------------------------------

HUGE = 10**400
STATE = {"b": {"x": 0.0}}
WRONG: dict[str, Callable[[], Any]] = {
    **{f"every={x}": lambda x=x: jd.simulate(pendulum(), 0.1, every=x) for x in (1e-12, 1e-300, HUGE, "1", 1j)},
    **{
        f"duration={x}": lambda x=x: jd.simulate(pendulum(), x)
        for x in (HUGE, -HUGE, math.nan, math.inf, "1", 1j, True)
    },
    **{f"recipe={x}": lambda x=x: jd.simulate(pendulum(), 0.1, recipe=x) for x in (5, math.nan, ["kkt"], {}, "")},
    **{
        f"{key}={x!r}": lambda key=key, x=x: jd.simulate(pendulum(), 0.1, **{key: x})
        for key in ("coordinates", "treatment", "stabilisation", "integrator", "step", "rtol", "max_step", "state")
        for x in (5j, [], object, HUGE, math.nan)
    },
    **{f"state={x!r}": lambda x=x: jd.simulate(pendulum(), 0.1, state=x) for x in (5, STATE, {"b": None}, {"A": "x"})},
    "state of assemble": lambda: jd.assemble(pendulum(), state=STATE),
    "state of statics": lambda: jd.statics(pendulum(), state=STATE),
    "times": lambda: jd.simulate(pendulum(), times=[0, HUGE]),
    "session every": lambda: jd.session(pendulum(), every=1e-12).advance(1),
    "session until": lambda: jd.session(pendulum(), until=HUGE),
    "session dt": lambda: jd.session(pendulum()).advance(HUGE),
    "step": lambda: jd.simulate(pendulum(), 0.1, step=1e-30),
    "step of a session": lambda: jd.session(pendulum(), step=1e-30).advance(0.1),
    "step of many": lambda: jd.simulate_many(pendulum(), {"b.mass": [1.0, 2.0]}, 0.1, step=1e-30),
    **{f"mass={x!r}"[:20]: lambda x=x: jd.check(pendulum(mass=x)) for x in (HUGE, 1j, "", [], math.nan)},
    "position": lambda: jd.check(pendulum(look=5)),
    "velocity": lambda: jd.check(pendulum(velocity=(HUGE, 0))),
    "name": lambda: jd.check(pendulum(5)),  # type: ignore[arg-type]
    "mechanism": lambda: jd.check(5),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_values_are_told_in_a_sentence(case) -> None:
    with pytest.raises(jd.JourdainError) as caught:
        WRONG[case]()
    assert str(caught.value)


def test_states_that_do_not_fit_are_named() -> None:
    run = jd.simulate(pendulum(), 0.1)
    state = run.state()
    wrong = {"b": type(state["b"])((1.0, math.nan), 0.0, (0.0, 0.0), 0.0)}
    with pytest.raises(jd.ChoiceError, match=r"the position of body 'b' is .*expected 2 finite numbers"):
        jd.simulate(pendulum(), 0.1, state=wrong)


def test_a_step_that_time_cannot_show_is_refused_and_the_shortest_is_taken() -> None:
    with pytest.raises(jd.ChoiceError, match=r"step is 1e-30 s, and at t = 0.1 s numbers are 1.4e-17 s apart"):
        jd.simulate(pendulum(), 0.1, step=1e-30)
    run = jd.simulate(pendulum(), 1e-28, step=1e-30)
    assert run.statistics.steps == 200  # one a sample, each of 5e-31 s


# Output ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("redirected", "code"),
    [(">&-", 0), (">&- 2>&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", codes.UNWRITTEN), (">/dev/full 2>/dev/full", 3)],
)
def test_output_that_is_closed_or_full(redirected, code) -> None:
    command = f"{sys.executable} -m jourdain examples {redirected}"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_letters_that_an_encoding_lacks(tmp_path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "jourdain", "check", "fä.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == codes.FAULTY
    assert r"there is no file 'f\xe4.yaml'" in done.stderr


def test_a_mistake_of_the_program_is_one_sentence(monkeypatch, capsys) -> None:
    def broken(arguments: Any) -> int:
        raise ZeroDivisionError("so it is")

    monkeypatch.setattr("jourdain.cli.check_command.check", broken)
    assert main(["check", "four_bar"]) == codes.MISTAKE
    assert "mistake in jourdain itself, please report it: ZeroDivisionError: so it is (test_misuse.py" in (
        capsys.readouterr().err
    )


# Singular positions ----------------------------------------------------------------------------------------------


def test_an_event_may_change_fast_on_the_way_through_a_singular_position(monkeypatch) -> None:
    """Short steps of rk4 cannot be made shorter to see events in; that was asked of them, and ended the run."""
    monkeypatch.setattr(crossing, "is_ahead", lambda loop, usual: True)
    monkeypatch.setattr(crossing, "approach", lambda loop, usual: (0.4, -0.4))  # for ever 1 s before one
    monkeypatch.setattr(crossing, "AWAY", np.inf)
    m = jd.example("four_bar")
    m.event("E", "sin(2e4*min(crank.angle, -1.2)) - 1.5")  # -1.08 after 0.2 s, -1.44 after 0.3 s
    session = jd.session(m)
    session.advance(0.2)
    session.loop.usual_step = 0.032
    session.crossing.begin()
    assert session.crossing.active
    found = session.advance(to=0.3)
    assert found.ok, found
    assert any("an event changed too fast" in note for note in found.notes)


@pytest.mark.parametrize("force", ["50*max(0, t - 0.3)", "100*sign(t - 0.3)"])
def test_a_corner_in_a_force_is_no_singular_position(force) -> None:
    """Ten four-bars are near one all the time, and at it from 0.72 s on."""
    m = machines.n_four_bar(10)
    body = m.frozen().bodies[0]
    m.force("F", on=m[body.name][[*body.ports][-1]], vector=(force, 0))
    assert jd.simulate(m, 0.5).status.notes == ()


def test_every_failure_has_a_sentence() -> None:
    from jourdain.assembly.sentences import _unforeseen

    assert _unforeseen(status.BLURRED) == "a step ended with 'blurred'"
    assert "something unknown" in _unforeseen(-5)
    assert np.all([isinstance(code, int) for name, code in vars(status).items() if name.isupper()])
