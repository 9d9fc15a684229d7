"""Faults of files: every one in one report, at its line and column, by text; and what no file may do to the reader."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from random import Random

import pytest

import jourdain as jd
from broken_files import EXCHANGES, HEALTHY, broken
from fault_keys import JOINT_KEYS
from jourdain.files import load, vocabulary
from jourdain.library import TYPES

# Of parts and of the file itself.
KEYS = {*vocabulary.TOP, *vocabulary.BODY, *vocabulary.POINT, *vocabulary.EVENT, *JOINT_KEYS}
KEYS |= {key for kind in TYPES.values() for key in kind.keys} | {vocabulary.FROM}
BODY = "jourdain: 1\nbodies: {a: {mass: 1, inertia: 1}}\n"


def faults_of(text: str | Path) -> list[str]:
    with pytest.raises(jd.FileError) as error:
        load(text)
    for fault in error.value.faults:
        key = fault.key.partition(".")[0]
        assert not key or key in KEYS or "unknown key" in fault, fault
        assert not isinstance(text, str) or not fault.part or f"{fault.part.rpartition('.')[2]}:" in text, fault
    return [str(fault).removeprefix("<text>:") for fault in error.value.faults]


def test_the_healthy_file_has_none() -> None:
    assert load(HEALTHY).name == "press"


@pytest.mark.parametrize("name", EXCHANGES)
def test_one_thing_wrong(name: str) -> None:
    assert faults_of(broken(name)) == list(EXCHANGES[name][2])


def test_all_faults_come_in_one_report() -> None:
    names = (
        "unit mistyped",
        "mass negative",
        "joint to an unknown body",
        "event direction unknown",
        "duration negative",
    )
    text = HEALTHY
    for name in names:
        old, new, _ = EXCHANGES[name]
        text = text.replace(old, new)
    found = faults_of(text)
    assert sorted(found) == sorted(fault for name in names for fault in EXCHANGES[name][2])
    with pytest.raises(jd.FileError) as error:
        load(text)
    assert str(error.value).startswith("<text> has 5 faults:\n  <text>:12:11: body 'crank': mass is -3.0; expected")


def test_the_file_is_named_in_every_line(tmp_path: Path) -> None:
    path = tmp_path / "press.yaml"
    path.write_text(broken("mass negative"))
    assert faults_of(path) == [f"{path}:12:11: body 'crank': mass is -3.0; expected a positive number"]


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(HEALTHY)
    assert faults_of(tmp_path / "amr.yaml") == [
        f"{tmp_path / 'amr.yaml'}:1:1: there is no such file; known: arm.yaml (did you mean 'arm.yaml'?)"
    ]
    (tmp_path / "picture.yaml").write_bytes(b"\xff\xfe\x00\x80")
    assert faults_of(tmp_path / "picture.yaml") == [f"{tmp_path / 'picture.yaml'}:1:1: the file is not text in UTF-8"]
    assert faults_of(tmp_path)[0].startswith(f"{tmp_path}:1:1: the file cannot be read: ")


def test_parameters_given_to_load() -> None:
    assert load(HEALTHY, k=300).frozen().parameters["k"] == 300.0
    assert load(HEALTHY, {"L": "1 m"}).frozen().parameters["half"] == 0.5
    with pytest.raises(
        jd.FileError, match=r"there is no parameter 'kk' to set; known: L, half, k \(did you mean 'k'\?\)"
    ):
        load(HEALTHY, kk=3)
    with pytest.raises(jd.FileError, match=r"<text>:6:6: parameter 'k': '3 foo': unknown unit 'foo' after a number"):
        load(HEALTHY, k="3 foo")


# What no file may do ------------------------------------------------------------------------------------------------


def _laughs(levels: int) -> str:
    """Each level names the one before nine times."""
    lines = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(["jourdain: 1", "l0: &l0 [x, x, x]", *lines, ""])


HOSTILE: dict[str, tuple[str, str]] = {
    "10 MB of brackets": (
        "jourdain: 1\nname: " + "[" * 10_000_000,
        "1:1: the file has 10000019 characters; expected at most 8000000 (8 MB)",
    ),
    "5 MB of brackets": ("jourdain: 1\nname: " + "[" * 5_000_000, "2:36: nested more than 30 deep"),
    "a million tables": ("jourdain: 1\nname: " + "{a: " * 1_000_000, "2:123: nested more than 30 deep"),
    "lists in lists": ("jourdain: 1\nname:\n  " + "- " * 100_000, "3:61: nested more than 30 deep"),
    "5 MB of brackets in a formula": (
        BODY + f"parameters: {{k: '{'(' * 5_000_000}'}}",
        "3:17: parameter 'k': a formula of 5000000 characters is too long (at most 10000); expected a number, "
        "a quantity or a formula of parameters",
    ),
    "brackets in a formula": (
        BODY + f"parameters: {{k: '{'(' * 5000}'}}",
        f"3:17: parameter 'k': '{'(' * 57}...': brackets are nested 5000 deep (at most 60); expected a number, "
        "a quantity or a formula of parameters",
    ),
    "aliases that explode": (_laughs(12), "8:10: more than 500000 values, aliases counted; no mechanism is that large"),
    "an alias in itself": ("jourdain: 1\nname: &a [*a]", "2:11: alias '*a' names what it stands in"),
    "a tower of powers": (
        BODY + "parameters: {k: 9**9**9**9}",
        "3:17: parameter 'k': '9**9**9**9': pow of 9.0, 387420489.0: math range error; expected a number, a quantity "
        "or a formula of parameters",
    ),
    "a power of a unit": (
        BODY + "parameters: {k: 1 m^999999999}",
        "3:17: parameter 'k': 'm^999999999' has a power that no quantity has; expected a number, a quantity or a "
        "formula of parameters",
    ),
    "a large exponent with a unit": (
        BODY + "parameters: {k: 1e999999999 mm}",
        "3:17: parameter 'k': '1e999999999 mm': a number is too large; expected a number, a quantity or a formula of "
        "parameters",
    ),
    "a long number": (
        BODY + f"parameters: {{k: {'9' * 5000}}}",
        "3:17: parameter 'k' is inf; expected a finite number",
    ),
    "minus minus minus": (
        BODY + f"parameters: {{k: '{'-' * 9000}1'}}",
        f"3:17: parameter 'k': '{'-' * 57}...' cannot be read as a formula; expected a number, a quantity or a formula "
        "of parameters",
    ),
    "a long circle": (
        BODY + "parameters:\n" + "".join(f"  p{n}: p{(n + 1) % 5000}\n" for n in range(5000)),
        "4:7: parameters go in a circle, p0 -> p1 -> p2 -> p3 -> p4 -> p5 -> p6 -> p7 -> ... -> p0; expected each to "
        "use others that do not use it",
    ),
    "a control character": (
        "jourdain: 1\nname: a\0b",
        "1:1: not readable as YAML: unacceptable character #x0000: control characters are not allowed in "
        '"<unicode string>", position 19',
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once(name: str) -> None:
    text, fault = HOSTILE[name]
    begun = time.process_time()
    found = faults_of(text + "\n")
    assert time.process_time() - begun < 2.0
    assert found == [fault]


@pytest.mark.parametrize(
    "formula", ["__import__('os')", "().__class__", "[x for x in (1,)]", "lambda: 1", "(x := 1)", "f'{1}'"]
)
def test_formulas_are_no_python(formula: str) -> None:
    assert faults_of(BODY + f'parameters: {{k: "{formula}"}}\n')[0].startswith("3:17: parameter 'k': '")


def test_more_faults_than_anyone_reads() -> None:
    begun = time.process_time()
    found = faults_of("jourdain: 1\nbodies:\n" + "".join(f"  b{n}: {{mas: 1}}\n" for n in range(5000)))
    assert time.process_time() - begun < 5.0
    assert len(found) == 201
    assert found[-1] == "... and more; mend these first"


def test_included_files_that_include_each_other(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"jourdain: 1\ninclude: {{path: {other}.yaml, prefix: {other}_}}\n")
    found = faults_of(tmp_path / "a.yaml")
    place = tmp_path / "b.yaml"
    assert f"{place}:2:17: include: files include each other in a circle, a.yaml -> b.yaml -> a.yaml" in found


def test_includes_that_explode(tmp_path: Path) -> None:
    for n in range(12):
        both = f"{{path: f{n + 1}.yaml, prefix: l_}}, {{path: f{n + 1}.yaml, prefix: r_}}"
        (tmp_path / f"f{n}.yaml").write_text(f"jourdain: 1\ninclude: [{both}]\n")
    (tmp_path / "f12.yaml").write_text("jourdain: 1\n")
    begun = time.process_time()
    found = faults_of(tmp_path / "f0.yaml")
    assert time.process_time() - begun < 5.0
    assert sum("more than 200 files are included" in fault for fault in found) == 1


def test_whatever_is_written_ends_in_a_mechanism_or_in_a_report() -> None:
    """Pieces of the healthy file exchanged for others at random: never another exception."""
    random = Random(7)
    pieces = [
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "*a",
        "1e400",
        "null",
        "true",
        "'",
        "t",
        "L",
        " kg",
        "**",
        "(",
        "\n",
        "A",
        "0",
    ]
    pieces += ["-1", "[]", "{}", "[1, 2, 3]", "{a: 1}", "screw", "custom", "crank", "1 N/m", "min(1, 2)"]
    begun = time.process_time()
    for _ in range(400):
        text = HEALTHY
        for _ in range(random.randint(1, 3)):
            start = random.randrange(len(text))
            text = text[:start] + random.choice(pieces) + text[start + random.randint(0, 12) :]
        with contextlib.suppress(jd.FileError):
            load(text + "\n")
    assert time.process_time() - begun < 30.0
