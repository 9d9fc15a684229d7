"""`jourdain types` and the schema with types of one's own."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import jourdain as jd
from command_line import Said
from jourdain.cli.sources import mechanism
from jourdain.files.nodes import parse
from jourdain.files.types.python_type import library
from jourdain.library import TYPES as COMPONENTS
from jourdain.library.joints import BY_NAME
from jourdain.plotting.specimens import picture
from test_machine_parts import LIFT
from test_types import TYPES, USED

Call = Callable[..., Said]


def test_the_list_has_everything(jourdain: Call) -> None:
    out = jourdain("types").out
    for name in (*COMPONENTS, *BY_NAME, *jd.Type.library("machine-parts")):
        assert re.search(rf"^  {name}  +\S", out, re.MULTILINE), name


def test_one_type_with_all_it_takes(jourdain: Call, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"jourdain: 1\n{TYPES}")
    out = jourdain("types", str(tmp_path / "mine.yaml"), "rubber").out
    assert "rubber  (under forces, of law)" in out and "A spring with a Maxwell branch beside it." in out
    assert "connected by between: frame, arm" in out
    assert re.search(r"stiffness +N/m, to be given, more than 0", out)
    assert jourdain("types", "bearing").out.count("variant ") == 3
    found = json.loads(jourdain("types", str(tmp_path / "mine.yaml"), "--json").out)
    assert [one["name"] for one in found] == ["arc-pin", "rubber", "cam", "bar"]
    assert "did you mean 'bearing'?" in jourdain("types", "bearin").err
    assert "no such file" in jourdain("types", str(tmp_path / "their.yaml")).err


def test_a_page_of_a_library(jourdain: Call, tmp_path: Path) -> None:
    """Each type with its picture: strokes with units and parameters, built-in symbols, whole assemblies."""
    text = TYPES.replace(
        "    ports: [slot, pin]", "    ports: [slot, pin]\n    symbol: {slot: [[[0, 0], [2*radius, 1 mm]]]}"
    )
    head = "jourdain: 1\nname: My parts\ndescription: Of <my> workshop.\n"
    (tmp_path / "mine.yaml").write_text(head + text.replace("A rod with", "A <rod> with"))
    jourdain("types", str(tmp_path / "mine.yaml"), "-o", str(tmp_path / "mine.html"))
    page = (tmp_path / "mine.html").read_text()
    for words in (
        "<h1>My parts</h1>",
        "Of &lt;my&gt; workshop.",
        "A &lt;rod&gt; with two ends.",
        "NAME: {type: rubber",
        '<h2 id="arc-pin">',
        "N/m, to be given",
    ):
        assert words in page
    assert "http" not in page  # nothing from elsewhere
    pictures = dict(re.findall(r'<img src="data:image/svg[+]xml;base64,([^"]*)" alt="(\S+) as it is drawn">', page))
    assert list(pictures.values()) == ["arc-pin", "rubber", "bar"]  # a relation is between joints, and seen at these
    for data in pictures:
        ElementTree.fromstring(base64.b64decode(data))


@pytest.mark.parametrize("name", ["bearing", "maxwell-mount", "cylinder", "gearbox-stage", "wishbone-corner"])
def test_pictures_of_types(name: str) -> None:
    """Of each variant; they show what the part is drawn with, and not the axes of the paper."""
    type = library("machine-parts").types[name]
    for one in type.variants.values() or [type]:
        text = picture(one)
        assert text.count("<path") > 2 and "<text" not in text


def test_a_type_whose_defaults_are_no_machine_has_no_picture() -> None:
    odd = jd.Type("odd", kind="joint", of="revolute", ports=["a", "b"], parameters={"c": {"default": -1, "above": 0}})
    assert not picture(odd.definition)


def test_a_type_says_where_its_variants_stand(jourdain: Call, tmp_path: Path) -> None:
    text = """jourdain: 1
types:
  pin:
    says: A pin of two depths.
    ports: [frame, arm]
    variants: {ideal: {kind: joint, of: revolute, says: without play}, elastic: {kind: force, of: bushing}}
"""
    (tmp_path / "mine.yaml").write_text(text)
    found = jourdain("types", str(tmp_path / "mine.yaml")).out
    assert found.startswith("pin  (under joints or forces)\n  A pin of two depths.\n")
    assert "  variant ideal  (of revolute)\n    without play\n  variant elastic  (of bushing)\n" in found


@pytest.mark.parametrize("text", [USED, LIFT], ids=["types in the file", "library"])
def test_files_with_types_are_valid(text: str) -> None:
    tree = parse(text, "x").plain()
    plain = jsonschema.Draft202012Validator(jd.schema())
    assert [error.message for error in plain.iter_errors(tree)] == []


def test_the_schema_of_a_library_knows_its_types(jourdain: Call, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"jourdain: 1\n{TYPES}")
    schema = json.loads(jourdain("schema", str(tmp_path / "mine.yaml")).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    assert not list(check.iter_errors(parse(USED, "x").plain()))
    for old, new in (("radius: R/10", "radios: R/10"), ("stiffness: k", "branch: k"), ("[one.B, two.A]", "[one.B]")):
        assert list(check.iter_errors(parse(USED.replace(old, new), "x").plain())), new
    own = jsonschema.Draft202012Validator(jd.schema("machine-parts"))
    assert not list(own.iter_errors(parse(LIFT, "x").plain()))
    assert list(own.iter_errors(parse(LIFT.replace("variant: ideal", "variant: idle"), "x").plain()))


def test_a_number_of_a_type_at_the_prompt(jourdain: Call, tmp_path: Path) -> None:
    """A radius of a joint's equations, written as a formula, and a number of one body."""
    (tmp_path / "m.yaml").write_text(USED)
    path = str(tmp_path / "m.yaml")
    numbers = ["B.radius=30 mm", "slide.mass=2"]
    found = mechanism(path, numbers).frozen()
    assert found.joint("B").equations == ("(dot(N - M, N - M) - 0.03**2)/(2*0.03)",)
    assert found.body("slide").mass == 2
    assert jourdain("run", path, "--duration", "0.01", "--set", numbers[0], "--quiet").code == 0
    assert "no number 'B.radios'" in jourdain("run", path, "--set", "B.radios=30 mm").err
