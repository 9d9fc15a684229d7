"""`jourdain derive`: on the terminal and into files."""

from __future__ import annotations

from pathlib import Path

import pytest

from jourdain.cli.main import main


def test_it_prints_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "four_bar"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# four-bar linkage: blocks") and "Checked at 20 poses" in text
    assert main(["derive", "four_bar", "B", "--level", "components", "--coordinates", "natural"]) == 0
    assert "components in coordinates natural" in capsys.readouterr().out
    assert main(["derive", "dot(N - M, y_i)"]) == 0
    assert "C_1 = MN·y_i" in capsys.readouterr().out


def test_it_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / f"out{suffix}" for suffix in (".tex", ".md", ".html", ".py", ".c")]
    options = [word for path in paths for word in ("-o", str(path))]
    assert main(["derive", "pendulum", *options]) == 0
    assert all(path.stat().st_size > 500 for path in paths)
    assert capsys.readouterr().out.count("checked at 20 poses") == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["four_bar", "Z"], "there is no part 'Z'"),
        (["prismatic", "B"], "is no mechanism"),
        (["four_bar", "-o", "out.docx"], "cannot write '.docx'"),
        (["four_bar", "--level", "deep"], "expected one of vectors"),
        (["nothing"], "there is no file and no example 'nothing'"),
        (["four_bar", "--budget", "-1"], "more than none"),
    ],
)
def test_refusals(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", *arguments]) != 0
    assert words in capsys.readouterr().err
