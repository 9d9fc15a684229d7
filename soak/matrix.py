"""The whole set of tests under everything that must not matter to it.

Processors fuse multiplications or do not, libraries round in their own ways, sets of names come in any order, tests may
leave something behind for the next one, and kernels come from a cache or from the compiler. Few whole runs cover all
of that: each changes several things at once, and the log of one that fails says which.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from campaign import FOLDER, ROOT, Outcome

PINNED, OLDEST, NEWEST = "pinned", "oldest", "newest"
WATCHED = ("numpy", "scipy", "numba", "matplotlib")
# Matplotlib of the age of its lower bound calls functions of pyparsing by names that have since been given up, with
# warnings that the tests take for errors.
COMPANIONS = ("pyparsing<3.2",)


@dataclass(frozen=True)
class Run:
    """One whole run; `order` and `hashes` are added to the seed, None leaves things as they are written."""

    name: str
    versions: str = PINNED
    processor: str = "host"
    order: int | None = None
    hashes: int | None = None
    workers: int = 2
    cache: str = ""  # of another run, filled by it; "" is an empty one
    checked: bool = False  # every index, by Numba

    def words(self, seed: int) -> str:
        order = "declared order" if self.order is None else f"order {seed + self.order}"
        hashes = "" if self.hashes is None else f", PYTHONHASHSEED {(seed + self.hashes) % 2**32}"
        cache = f"cache filled by {self.cache}" if self.cache else "empty cache"
        checked = ", indices checked" if self.checked else ""
        return (
            f"{self.versions} versions, {self.processor} processor, {order}{hashes}, {self.workers} worker(s), {cache}"
            f"{checked}"
        )


RUNS = (
    Run("host"),
    Run("generic", processor="generic", order=0, hashes=0),
    Run("oldest", versions=OLDEST, order=1, hashes=1),
    Run("newest", versions=NEWEST, order=2, hashes=2),
    Run("alone", order=3, hashes=3, workers=1, cache="host"),
)


def matrix(options: Namespace) -> Iterator[Outcome]:
    yield from whole_runs("matrix", RUNS, options)


def whole_runs(campaign: str, runs: Iterable[Run], options: Namespace) -> Iterator[Outcome]:
    for run in [run for run in runs if not options.only or run.name in options.only]:
        log = FOLDER / f"{campaign}-{run.name}.log"
        begun = time.perf_counter()
        with log.open("w") as out:
            try:
                python = _environment(run.versions, out)
                ok = _tested(run, python, options.seed, out)
            except subprocess.CalledProcessError as error:
                out.write(f"{error}\n")
                ok = False
        said = f"{run.words(options.seed)}: {_summary(log)}"
        yield Outcome(run.name, ok, said, time.perf_counter() - begun, log)


def _tested(run: Run, python: Path, seed: int, out) -> bool:
    cache = FOLDER / f"cache-{run.cache or run.name}"
    if not run.cache:
        shutil.rmtree(cache, ignore_errors=True)
    environment = {**os.environ, "JOURDAIN_CACHE_DIR": str(cache), "JOURDAIN_GRIDS": "whole"}
    if run.processor != "host":
        environment["NUMBA_CPU_NAME"] = run.processor
    if run.checked:
        environment["NUMBA_BOUNDSCHECK"] = "1"
    if run.hashes is not None:
        environment["PYTHONHASHSEED"] = str((seed + run.hashes) % 2**32)
    command = [str(python), "-m", "pytest", "-q"]
    command += ["-n", str(run.workers), "--dist", "loadfile"] if run.workers > 1 else []
    command += [] if run.order is None else ["--shuffle", str(seed + run.order)]
    out.write(f"{run.words(seed)}\n{_versions(python)}\n{' '.join(command)}\n")
    out.flush()
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT).returncode == 0


def _environment(versions: str, out) -> Path:
    """The Python of an environment with these versions, made anew where what it should hold has changed."""
    if versions == PINNED:
        return Path(sys.executable)
    folder = FOLDER / f"venv-{versions}"
    python, marker = folder / "bin" / "python", folder / "wanted.txt"
    wanted = "\n".join(oldest()) if versions == OLDEST else f"newest of {time.strftime('%Y-%m-%d')}"
    if marker.exists() and marker.read_text() == wanted:
        return python
    shutil.rmtree(folder, ignore_errors=True)

    def call(*command: str) -> None:
        subprocess.run(command, check=True, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)

    call(sys.executable, "-m", "venv", str(folder))
    constraints = folder / "constraints.txt"
    constraints.write_text(wanted if versions == OLDEST else "")
    call(str(python), "-m", "pip", "install", "-q", "-c", str(constraints), "-e", ".[dev]")
    marker.write_text(wanted)
    return python


def oldest() -> list[str]:
    """The lower bounds of pyproject.toml as constraints."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    bounds = [re.fullmatch(r"([\w-]+)>=([\w.]+)(?:,<[\w.]+)?", need) for need in needs]
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound] + list(COMPANIONS)


def _versions(python: Path) -> str:
    code = f"from importlib.metadata import version; print(*(f'{{n}} {{version(n)}}' for n in {WATCHED}), sep=', ')"
    found = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    return found.stdout.strip()


def _summary(log: Path) -> str:
    """The last line of pytest, and the versions."""
    lines = log.read_text(errors="replace").splitlines()
    ends = [line.strip("= ") for line in lines if re.search(r"\d+ (passed|failed|errors?)\b.* in ", line)]
    versions = next((line for line in lines if line.startswith("numpy ")), "no environment")
    return f"{ends[-1] if ends else 'no result'}; {versions}"
