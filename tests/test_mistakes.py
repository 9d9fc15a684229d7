"""Ten mistakes made on purpose: what is said of them can be acted on, and the documentation has it word for word."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import ten_mistakes
from ten_mistakes import MISTAKES


@pytest.mark.parametrize("mistake", MISTAKES, ids=[title for title, *_ in MISTAKES])
def test_a_mistake_is_told_with_what_to_do(mistake: Any) -> None:
    _, old, new, do, words = mistake
    assert words in ten_mistakes.said(old, new, do)


def test_without_mistakes_nothing_is_said() -> None:
    m = ten_mistakes.jd.load(ten_mistakes.FILE)
    assert ten_mistakes.check(m) == ""
    assert ten_mistakes.run(m) == "completed to t = 0.2 s"


def test_the_page_of_mistakes_is_up_to_date() -> None:
    docs = Path(__file__).resolve().parent.parent / "docs"
    made = runpy.run_path(str(docs / "make_mistakes.py"))["page"]()
    assert (docs / "mistakes.md").read_text(encoding="utf-8") == made
