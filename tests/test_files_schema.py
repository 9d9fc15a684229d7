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
