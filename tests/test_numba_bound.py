"""Numba's inside: what is used of it is listed and is there, and versions that nobody tried are refused."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import jourdain as jd
from jourdain.engine import kernel_cache
from jourdain.engine.numba_bound import BELOW, FROM, PRIVATE, PUBLIC, check_version, requirement

SOURCE = Path(jd.__file__).parent
ROOT = Path(__file__).resolve().parent.parent


def named(path: str) -> Any:
    """What a dotted name stands for: as much of it as is a module, then attributes."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(path)


@pytest.mark.parametrize("name", PRIVATE)
def test_what_is_used_of_the_inside_of_numba_is_there(name: str) -> None:
    assert named(name) is not None or name.startswith("numba.core.config.")  # a setting may be None


def imported_names() -> set[str]:
    """Everything of Numba that a module imports by name, in full."""
    found = set()
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    for text in [text for text in texts if "numba" in text]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba" and not node.level:
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "numba"}
    return found


def test_whatever_is_imported_from_inside_numba_is_listed() -> None:
    names = imported_names()
    assert "numba.np.arrayobj.populate_array" in names
    inside = [name for name in names if name not in PUBLIC and name.rpartition(".")[0] not in PUBLIC]
    unlisted = [name for name in inside if not any(listed.startswith(name) for listed in PRIVATE)]
    assert not unlisted, f"engine/numba_bound.py does not list {unlisted}"


def test_the_bound_is_that_of_the_package() -> None:
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert requirement() in needs
    check_version(version("numba"))
    pinned = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("numba==")]
    check_version(pinned[0].removeprefix("numba=="))


@pytest.mark.parametrize(
    ("installed", "age"),
    [
        (f"{BELOW[0]}.{BELOW[1]}.0", "newer"),
        (f"{BELOW[0]}.{BELOW[1]}.0rc1", "newer"),
        ("1.0", "newer"),
        (f"{FROM[0]}.{FROM[1] - 1}.2", "older"),
    ],
)
def test_other_versions_are_refused_in_a_sentence(installed: str, age: str) -> None:
    with pytest.raises(jd.JourdainError) as refused:
        check_version(installed)
    words = str(refused.value)
    assert f"numba {installed} is installed, which is {age}" in words
    assert words.endswith(f"pip install '{requirement()}'")


def test_a_run_is_refused_before_numba_is_asked_for_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "version", lambda name: "9.0")
    kernel_cache._settings.cache_clear()
    with pytest.raises(jd.JourdainError, match=r"numba 9\.0 is installed"), kernel_cache.own_cache():
        pass


KEYS = """
import sys
from jourdain.engine.kernel_cache import cache_folder
print(cache_folder().name, "numba" in sys.modules)
"""


def test_settings_that_change_the_code_have_caches_of_their_own(tmp_path: Path) -> None:
    """Else code without checks would be found where checks are asked for, or code for another processor."""
    settings = [{}, *({f"NUMBA_{name}": "1"} for name in ("BOUNDSCHECK", "CPU_NAME", "DISABLE_JIT"))]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment = {**inherited, "JOURDAIN_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(SOURCE.parent)}
    started = [
        subprocess.Popen([sys.executable, "-c", KEYS], env=environment | setting, stdout=subprocess.PIPE, text=True)
        for setting in settings
    ]
    said = [process.communicate()[0].split() for process in started]
    assert len({folder for folder, _ in said}) == len(settings)
    assert {with_numba for _, with_numba in said} == {"False"}
