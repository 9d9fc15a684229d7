"""Every command of README and documentation, on the files that stand there, in order, as a reader would."""

from __future__ import annotations

import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from jourdain.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FILE = re.compile(r"^```yaml\n(# (\w+\.yaml)\n.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """A backslash at the end of a line joins the next one to it."""
    lines = [line for block in SHELL.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("jourdain ")]


WITH_COMMANDS = [page for page in PAGES if commands(page.read_text())]


def test_the_pages_that_matter_have_commands() -> None:
    assert {"README.md", "command-line.md"} <= {page.name for page in WITH_COMMANDS}


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_commands_of_a_page_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    for content, name in FILE.findall(text):
        Path(name).write_text(content)
    for line in commands(text):
        words = shlex.split(line, comments=True)[1:]
        words, target = (words[:-2], words[-1]) if ">" in words else (words, "printed.txt")
        with open(target, "w") as file, redirect_stdout(file):
            code = main(words)
        assert code == (2 if line.endswith("# exit code 2") else 0), line
        for word in words:
            if word.endswith((".html", ".gif", ".csv", ".nc", ".svg", ".png")):
                assert Path(word.rpartition("=")[2]).stat().st_size > 0, line  # also of mode 1 as 1=mode.html


def test_outputs_on_the_page_of_the_command_line_are_true(tmp_path, monkeypatch, capsys) -> None:
    """Word for word, where numbers do not depend on the machine."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "command-line.md").read_text()
    content, name = FILE.findall(text)[0]
    Path(name).write_text(content)
    shown = re.findall(r"^```sh\n(jourdain [^\n]*)\n```\n\n```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    for line, expected in shown:
        capsys.readouterr()
        main(shlex.split(line)[1:])
        found = capsys.readouterr().out
        changing = re.compile(r"^ +(violation|energy|computed in|steps) .*$", re.MULTILINE)
        assert changing.sub("", found) == changing.sub("", expected)
