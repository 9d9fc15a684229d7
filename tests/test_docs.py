"""Documentation that runs: every Python block of README and docs, and every example, as a reader would run them."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*.py")) if path.name not in ("machines.py", "systems.py")]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```yaml\n(# (\w+\.yaml)\n.*?)^```$", re.MULTILINE | re.DOTALL)  # files that stand on the page
SHOWN = re.compile(r"\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SENTENCES = ("sessions.md", "check.md", "getting-started.md", "units.md")  # not the last digits of numbers
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


@pytest.fixture(autouse=True)
def scratch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks write their files here, and draw without a display."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_a_page_run_in_order(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block of text right behind one is what it prints, on pages that show sentences; dots stand for the rest."""
    text = page.read_text()
    namespace: dict[str, object] = {"__name__": page.stem}
    for content, name in FILE.findall(text):
        Path(name).write_text(content)
    for block in BLOCK.finditer(text):
        # Empty lines in front, so that a traceback shows the line of the page.
        above = "\n" * text.count("\n", 0, block.start(1))
        exec(compile(above + block.group(1), str(page), "exec"), namespace)
        printed = capsys.readouterr().out
        shown = SHOWN.match(text, block.end())
        if shown and page.name in SENTENCES:
            words = " ".join(map(re.escape, shown.group(1).split())).replace(re.escape("..."), ".*")
            assert re.fullmatch(words, " ".join(printed.split())), printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_runs(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(example), "picture.png"])
    runpy.run_path(str(example), run_name="__main__")
    assert list(Path().glob("*.png")), "every example draws something"


def test_readme_shows_the_example_as_it_is() -> None:
    first_block = BLOCK.findall((ROOT / "README.md").read_text())[0]
    assert first_block in (ROOT / "examples" / "slider_crank.py").read_text()


def test_pictures_of_the_readme_are_small() -> None:
    for picture in (ROOT / "docs" / "images").glob("*.png"):
        assert picture.stat().st_size < 150_000, f"{picture.name}: a clone should stay quick"
