"""The tables of the documentation say what the program does: keys and channels of components, choices."""

from __future__ import annotations

import itertools
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import jourdain as jd
import jourdain.typing as jt
from jourdain import library
from jourdain.choices import COORDINATES, INTEGRATORS, RECIPES, STABILISATIONS, TREATMENTS
from jourdain.choices.treatments.reduced import Reduced
from jourdain.cli.parser import build_parser, choice_names
from jourdain.library.joints import KINDS
from library_cases import blueprint

DOCS = Path(__file__).resolve().parent.parent / "docs"
TABLES: dict[str, Any] = runpy.run_path(str(DOCS / "make_tables.py"))
PAGES = [page for page in sorted(DOCS.glob("*.md")) if "<!-- keys:" in page.read_text()]
JOINTS = [page for page in sorted(DOCS.glob("*.md")) if "<!-- joints:" in page.read_text()]
CHOICES = [page for page in sorted(DOCS.glob("*.md")) if "<!-- choices:" in page.read_text()]


DERIVED = [DOCS / "joints.md", DOCS / "theory.md", DOCS / "papers.md"]


@pytest.mark.parametrize("page", [*PAGES, *CHOICES, *JOINTS, *DERIVED], ids=lambda page: page.name)
def test_tables_are_up_to_date(page: Path) -> None:
    assert TABLES["updated"](page.read_text()) == page.read_text(), "run python docs/make_tables.py"


def test_the_page_of_all_names_is_up_to_date() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(DOCS / "make_api.py"))["text"]() == page, "run python docs/make_api.py"
    headings = set(re.findall(r"^### (\w+)$", page, re.MULTILINE))
    public = {name for name in jd.__all__ if not name.startswith("_")}
    assert public <= headings <= public | set(jt.__all__)


def test_every_type_has_a_table_of_keys() -> None:
    shown = [name for page in PAGES for name in re.findall(r"<!-- keys: ([a-z-]+) -->", page.read_text())]
    assert sorted(shown) == sorted(library.TYPES)


@pytest.mark.parametrize("dim", [2, 3])
def test_every_channel_of_components_is_on_the_page_of_channels(dim: int) -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]*) \|$", (DOCS / "channels.md").read_text(), re.MULTILINE))
    b = blueprint(dim)
    for part in b.components:
        if (
            part.type == "element" or part.name == "maxwell"
        ):  # its states and outputs have the names their author gave them
            continue
        for name in library.channels_of(part, b):
            assert f"`{name.partition('.')[2]}`" in rows[part.type], f"{part.type}: {name}"


def test_every_joint_is_on_the_page_of_joints() -> None:
    text = (DOCS / "joints.md").read_text()
    assert re.findall(r"<!-- joints: ([a-z]+) -->", text) == ["plane", "space", "formulas"]
    assert {kind.name for kind in KINDS} == set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE))


# Choices --------------------------------------------------------------------------------------------------------


def first_table(page: str) -> list[list[str]]:
    """The cells of the first table of a page, without its head."""
    lines = (DOCS / page).read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("|"))
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[start + 2 :])
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_every_kind_of_choice_has_its_table() -> None:
    shown = [name for page in CHOICES for name in re.findall(r"<!-- choices: ([a-z]+) -->", page.read_text())]
    assert sorted(shown) == sorted(TABLES["PARTS"])


def test_integrators() -> None:
    rows = {row[0].strip("`"): row for row in first_table("integrators.md")}
    assert rows.keys() == INTEGRATORS.keys()
    for name, (_, order, steps, *_) in rows.items():
        assert str(INTEGRATORS[name].order) in re.findall(r"\d+", order)
        assert steps == ("fixed" if INTEGRATORS[name].fixed else "by error control")


def test_treatments() -> None:
    rows = {row[0].strip("`"): row for row in first_table("treatments.md")}
    assert rows.keys() == TREATMENTS.keys()
    for name, (_, made, _, redundant, cost) in rows.items():
        kind = TREATMENTS[name]
        assert made == f"`{kind.__name__}()`"
        assert redundant.startswith("share") == kind.keeps_rows
        assert ("up to 600 rows" in cost) == issubclass(kind, Reduced)


def test_coordinates() -> None:
    rows = first_table("coordinates.md")
    shown = {(name.strip("`"), place): own for name, place, _, own, *_ in rows}
    places = {"planar": "plane", "spatial": "space"}
    for space, place in places.items():
        for name, one in COORDINATES[space].items():
            if not one.shown or name.endswith("-fixed"):
                continue
            own = shown[name, "both" if one.joined else place]
            assert (own == "none") == (not one.intrinsic)
            assert own == "none" or own.startswith(str(len(one.intrinsic)))


def test_help_names_every_choice() -> None:
    names = choice_names()
    assert set(names["integrator"]) == INTEGRATORS.keys()
    assert set(names["treatment"]) == TREATMENTS.keys()
    assert set(names["stabilisation"]) == STABILISATIONS.keys()
    assert set(names["recipe"]) == RECIPES.keys()
    assert set(names["coordinates"]) == {name for sets in COORDINATES.values() for name in sets}


def test_help_is_made_of_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    """What the prompt prints: all names but those of sets that stand for no kind of their own."""
    with pytest.raises(SystemExit):
        build_parser().parse_args(["run", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    shown = {name for sets in COORDINATES.values() for name, one in sets.items() if one.shown}
    for names in (INTEGRATORS, TREATMENTS, STABILISATIONS, RECIPES, shown):
        assert all(re.search(rf"(?<![\w-]){name}(?![\w-])", said) for name in names)
    assert "euler-zxz" in choice_names()["coordinates"] and "euler-zxz" not in said


def test_every_claim_of_the_papers_names_tests_that_exist():
    text = (Path(__file__).parents[1] / "docs" / "papers-claims.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", text)
    assert len(named) > 45
    for file, test in named:
        source = (Path(__file__).parent / file).read_text(encoding="utf-8")
        assert f"def {test}(" in source, f"{file}::{test}"
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith("| place"):
            held = "`test_" in line.split("|")[-2]
            assert held or "**outlook**" in line or "**not there**" in line, line


def test_the_page_of_the_papers_is_whole():
    """`make papers` writes it; each of its parts stands there, with its pictures."""
    docs = Path(__file__).parents[1] / "docs"
    text = (docs / "papers-again.md").read_text(encoding="utf-8")
    script = (docs / "make_papers.py").read_text(encoding="utf-8")
    headings = re.findall(r'"(##+ [^"\\]+)\\n"', script)
    assert len(headings) > 10
    assert all(heading in text for heading in headings)
    pictures = re.findall(r"\((images/[\w.]+)\)", text)
    assert len(pictures) == 3 and all((docs / picture).exists() for picture in pictures)
    for table in ("| double pendulum | 0.001 s | 47.7 s |", "| slider-crank | 0.001 s | 70.4 s |", "1.256e-15"):
        assert table in text
