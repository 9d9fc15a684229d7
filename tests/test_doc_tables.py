"""The tables of the documentation say what the program does: keys, and channels of every type of component."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from jourdain.equations import library
from library_cases import blueprint

DOCS = Path(__file__).resolve().parent.parent / "docs"
TABLES: dict[str, Any] = runpy.run_path(str(DOCS / "make_tables.py"))
PAGES = [page for page in sorted(DOCS.glob("*.md")) if "<!-- keys:" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_of_keys_are_up_to_date(page: Path) -> None:
    assert TABLES["updated"](page.read_text()) == page.read_text(), "run python docs/make_tables.py"


def test_every_type_has_a_table_of_keys() -> None:
    shown = [name for page in PAGES for name in re.findall(r"<!-- keys: ([a-z-]+) -->", page.read_text())]
    assert sorted(shown) == sorted(library.TYPES)


@pytest.mark.parametrize("dim", [2, 3])
def test_every_channel_of_components_is_on_the_page_of_channels(dim: int) -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]*) \|$", (DOCS / "channels.md").read_text(), re.MULTILINE))
    b = blueprint(dim)
    for part in b.components:
        if part.type == "element":  # its states and outputs have the names their author gave them
            continue
        for name in library.channels(part, b):
            assert f"`{name.partition('.')[2]}`" in rows[part.type], f"{part.type}: {name}"
