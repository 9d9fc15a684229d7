"""The schema: it accepts what the reader accepts, marks what it can, and the committed pages are made from it."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import jourdain as jd
from broken_files import EXCHANGES, HEALTHY, broken
from jourdain import library
from jourdain.files import dumps, gallery, load
from jourdain.files.nodes import parse
from jourdain.library.joints import BY_NAME
from library_cases import add_all, bench
from random_mechanisms import random_mechanism

DOCS = Path(__file__).resolve().parent.parent / "docs"
MAKE: dict[str, Any] = runpy.run_path(str(DOCS / "make_file_reference.py"))
CHECK = jsonschema.Draft202012Validator(jd.schema())


def messages(text: str) -> list[str]:
    return [error.message for error in CHECK.iter_errors(parse(text, "x").plain())]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(jd.schema())
    json.dumps(jd.schema())


@pytest.mark.parametrize("path", sorted(gallery.path("pendulum").parent.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples_are_valid(path: Path) -> None:
    assert messages(path.read_text()) == []


@pytest.mark.parametrize("dim", [2, 3])
def test_every_type_of_component_is_valid(dim: int) -> None:
    m = bench(dim)
    add_all(m, dim)
    assert messages(dumps(m)) == []


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_random_mechanisms_are_valid(space: str) -> None:
    assert [messages(dumps(random_mechanism(seed, space))) for seed in range(5)] == [[]] * 5


SYSTEM = """jourdain: 1
gravity: [0, -9.81]
parameters: {k: 5 N/m}
subsystems:
  one: {path: one.yaml, parameters: {m: 2 kg}, simulate: {coordinates: angle, integrator: rk4, step: 1 ms}}
  two: {path: two.yaml, ports: [bar.A, bar.B]}
ground: {points: {W: [2, 1]}}
joints:
  B: {type: revolute, between: [one.bar.B, two.bar.A]}
forces:
  S: {type: spring-damper, between: [ground.W, two.bar.B], stiffness: k, length: 1}
  T: {type: torque, on: two.bar.B, torque: 0.1*t}
simulate: {duration: 0.1 s, coupling: uzawa, macro_step: auto, threads: 2}
"""


def test_systems_are_valid() -> None:
    assert messages(SYSTEM) == []
    assert messages(SYSTEM.replace("auto", "10 ms")) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("path: two.yaml, ", "", "'path' is a required property"),
        ("ports:", "portts:", "'portts' was unexpected"),
        ("step: 1 ms", "stepp: 1 ms", "'stepp' was unexpected"),
        ("uzawa", "magic", "'magic' is not one of"),
        ("type: revolute", "type: revolutte", "'revolutte' is not one of"),
        ("ground:", "bodies: {a: {mass: 1}}\nground:", "'bodies' is not one of"),
    ],
)
def test_what_is_wrong_in_a_system_is_marked(old: str, new: str, words: str) -> None:
    assert any(words in message for message in messages(SYSTEM.replace(old, new)))


def test_a_mechanism_has_no_coupling() -> None:
    text = "jourdain: 1\nbodies: {bar: {mass: 1, inertia: 1}}\nsimulate: {coupling: uzawa}\n"
    assert messages(text.replace("coupling: uzawa", "step: 1 ms")) == []
    assert any("'coupling' is not one of" in message for message in messages(text))


def test_every_type_is_known_to_it() -> None:
    sections = jd.schema()["properties"]
    types = {section: set(sections[section]["additionalProperties"]["properties"]["type"]["anyOf"][0]["enum"])
             for section in ("joints", "relations", "forces", "elements")}  # fmt: skip
    assert types["joints"] == BY_NAME.keys() | types["relations"]
    assert types["relations"] | types["forces"] | types["elements"] | {"motion"} == set(library.TYPES)


SEEN = [name for name in EXCHANGES if re.search("key unknown|unknown section|type unknown|type missing", name)]


@pytest.mark.parametrize("name", SEEN)
def test_misspelt_keys_and_types_are_marked(name: str) -> None:
    assert messages(HEALTHY) == []
    assert messages(broken(name))


@pytest.mark.parametrize("path", [MAKE["SCHEMA"], MAKE["PAGE"]], ids=lambda path: path.name)
def test_committed_files_are_up_to_date(path: Path) -> None:
    assert MAKE["texts"]()[path] == path.read_text(), "run python docs/make_file_reference.py"


BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", (DOCS / "file-format.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_examples_of_the_page_run(number: int) -> None:
    assert messages(BLOCKS[number]) == []
    run = jd.simulate(load(BLOCKS[number]))
    assert run.status.ok and not [note for note in run.status.notes if "the table is joined" not in note]
