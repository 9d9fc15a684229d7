"""Machines that are no single mechanism and bring their own ways to be run, checked and saved.

The functions that users call (`simulate`, `session`, `check`, `compare`, `save`) take a mechanism; where they are given
a machine of several mechanisms, they hand everything over to it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


Run = TypeVar("Run", covariant=True)
Going = TypeVar("Going", covariant=True)
Report = TypeVar("Report", covariant=True)
Compared = TypeVar("Compared", covariant=True)


class Machine(ABC, Generic[Run, Going, Report, Compared]):
    """What a machine of several mechanisms answers where a mechanism is expected."""

    @abstractmethod
    def simulate(self, *args: Any, **kwargs: Any) -> Run:
        """As `jd.simulate`."""

    @abstractmethod
    def session(self, *args: Any, **kwargs: Any) -> Going:
        """As `jd.session`."""

    @abstractmethod
    def check(self, *args: Any, **kwargs: Any) -> Report:
        """As `jd.check`."""

    @abstractmethod
    def compare(self, *args: Any, **kwargs: Any) -> Compared:
        """As `jd.compare`."""

    @abstractmethod
    def save(self, path: str | Path) -> Path:
        """As `jd.save`."""


def or_machine(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; given a machine, that machine's own way of the same name."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if args and isinstance(args[0], Machine):
            found: R = getattr(args[0], function.__name__)(*args[1:], **kwargs)
            return found
        return function(*args, **kwargs)

    return called
