"""Fixtures that several files of tests share."""

from __future__ import annotations

import gc
import random
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from command_line import ARM, Said


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and tests within files, in a random order")


def pytest_configure(config: pytest.Config) -> None:
    """A shell that starts tests in the background makes them deaf to Ctrl-C, which some of them press."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header(config: pytest.Config) -> str | None:
    seed = config.getoption("shuffle")
    return None if seed is None else f"order: --shuffle {seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files stay together, for workers are given whole files; every worker must find the same order."""
    seed = config.getoption("shuffle")
    if seed is None:
        return
    chance = random.Random(seed)
    files = [list(tests) for _, tests in groupby(items, lambda item: item.path)]
    chance.shuffle(files)
    for tests in files:
        chance.shuffle(tests)
    items[:] = [test for tests in files for test in tests]


def is_whole(config: pytest.Config) -> bool:
    """Whether all tests run: then it pays to compile all kernels first."""
    chosen = config.option.keyword or config.option.markexpr or config.option.collectonly
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen


CLAIMS = pytest.StashKey[str]()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker is told where workers claim what they compile."""
    if is_whole(node.config):
        if CLAIMS not in node.config.stash:
            node.config.stash[CLAIMS] = tempfile.mkdtemp(prefix="jourdain-claims-")
        node.workerinput["claims"] = node.config.stash[CLAIMS]


def pytest_unconfigure(config: pytest.Config) -> None:
    if CLAIMS in config.stash:
        shutil.rmtree(config.stash[CLAIMS])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """A worker that has collected its tests compiles its share first. What is there by then stays for ever.

    Numba keeps millions of objects, which each search for garbage would look through.
    """
    if claims := getattr(session.config, "workerinput", {}).get("claims"):
        from kernels_first import compile_first

        compile_first(Path(claims))
    gc.freeze()


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from studio_window import browsing

    yield from browsing()


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which the wheel is installed."""
    from studio_window import with_wheel

    return with_wheel(tmp_path_factory)
