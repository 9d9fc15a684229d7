"""The page of the gallery shows every example as its file says, with a picture that is there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

from jourdain.files import gallery

DOCS = Path(__file__).resolve().parent.parent / "docs"
MADE: dict[str, Any] = runpy.run_path(str(DOCS / "make_gallery.py"))
PICTURES = DOCS / "images" / "gallery"


def test_page_is_up_to_date() -> None:
    pages = MADE["pages"]()
    assert {path.stem for path in (DOCS / "gallery").iterdir()} == set(gallery.example_names())
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, "run python docs/make_gallery.py"


def test_every_example_has_its_picture_and_command() -> None:
    text = (DOCS / "gallery.md").read_text()
    assert sorted(re.findall(r"\(images/gallery/(\w+)\.png\)", text)) == gallery.example_names()
    assert sorted(re.findall(r"\]\(gallery/(\w+)\.md\)", text)) == gallery.example_names()
    for name in gallery.example_names():
        own = (DOCS / "gallery" / f"{name}.md").read_text(encoding="utf-8")
        assert f"jourdain run {name} --animate {name}.html" in own and f"motions/{name}.html" in own


def test_pictures_are_those_of_the_examples_and_small() -> None:
    files = sorted(PICTURES.iterdir())
    assert [path.stem for path in files] == gallery.example_names()
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in files)
    assert sum(path.stat().st_size for path in files) < 1.5e6


def test_every_example_has_a_time_at_which_it_is_drawn() -> None:
    assert sorted(MADE["POSES"]) == gallery.example_names()
