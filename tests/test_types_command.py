"""`jourdain types` and the schema with types of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

import jourdain as jd
from command_line import Said
from jourdain.cli.sources import mechanism
from jourdain.files.nodes import parse
from jourdain.library import TYPES as COMPONENTS
from jourdain.library.joints import BY_NAME
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
    text = TYPES.replace("    ports: [slot, pin]", "    ports: [slot, pin]\n    symbol: {slot: [[[0, 0], [1, 0]]]}")
    (tmp_path / "mine.yaml").write_text(f"jourdain: 1\n{text.replace('A rod with', 'A <rod> with')}")
    jourdain("types", str(tmp_path / "mine.yaml"), "-o", str(tmp_path / "mine.html"))
    page = (tmp_path / "mine.html").read_text()
    for words in (
        "A &lt;rod&gt; with two ends.",
        "<polyline",
        "NAME: {type: rubber",
        '<h2 id="arc-pin">',
        "N/m, to be given",
    ):
        assert words in page
    assert "http" not in page.replace("http://www.w3.org", "")  # nothing from elsewhere


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
