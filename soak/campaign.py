"""What a campaign is: a name and something that runs for long, each of its parts with a log of its own."""

from __future__ import annotations

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
