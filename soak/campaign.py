"""What a campaign is: a name and something that runs for long, each of its parts with a log of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "soak"  # logs, environments, caches of compiled kernels


@dataclass(frozen=True)
class Outcome:
    """One part of a campaign: whether it held, and the line that says so."""

    name: str
    ok: bool
    words: str
    seconds: float
    log: Path


@dataclass(frozen=True)
class Campaign:
    """`run` is given the options of the command and yields outcomes as they come."""

    name: str
    words: str
    run: Callable[[Namespace], Iterator[Outcome]]


LONGEST = 3600  # s of a piece: nothing may stop the process for so long


def in_process(code: str, log: Path) -> tuple[bool, str]:
    """Code in a process of its own, with what it prints in a log: whether it ended well, and its last line.

    Linear algebra takes one thread there: several of them wait for each other on a machine that does other things too.
    """
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as file:
        try:
            command = [sys.executable, "-c", code]
            done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, timeout=LONGEST, env=environment)
            ok = done.returncode == 0
        except subprocess.TimeoutExpired:
            ok = False
    return ok, (log.read_text(errors="replace").splitlines() or ["nothing was said"])[-1]
