"""What CONTRIBUTING and the page on the architecture say is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from test_house import ROOMS

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "jourdain"
PAGES = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md")
CODE = re.compile(r"`([\w./-]+)`")
PLACE = re.compile(r"`([\w/]+\.py)`,\s+`(\w+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_folders_are_there(page: Path) -> None:
    named = [word for word in CODE.findall(page.read_text()) if "/" in word or word.endswith((".py", ".md", ".txt"))]
    inner = [SOURCE, SOURCE / "library", SOURCE / "kernels" / "core", ROOT]
    assert len(named) > 5
    assert not [word for word in named if not any((folder / word).exists() for folder in inner)]


def test_functions_stand_where_the_page_says() -> None:
    places = PLACE.findall((ROOT / "docs" / "architecture.md").read_text())
    assert len(places) > 8
    for path, name in places:
        tree = ast.parse((SOURCE / path).read_text())
        known = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        known |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        assert name in known, f"{path}: {name}"


def test_rooms_are_listed_from_the_top_to_the_bottom() -> None:
    table = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    assert table == list(reversed(ROOMS))
