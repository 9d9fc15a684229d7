"""Fixtures that several files of tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import ARM, Said


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with one mechanism file, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.yaml").write_text(ARM)
    return tmp_path


@pytest.fixture
def jourdain(folder: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """The command line, called in process, in that folder."""
    from jourdain.cli.main import main

    def call(*words: str) -> Said:
        capfd.readouterr()
        code = main(list(words))
        return Said(code, *capfd.readouterr())

    return call
