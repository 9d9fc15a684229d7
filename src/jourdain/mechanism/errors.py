"""The errors a user meets. Their texts say where, what was found, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fault import Fault
from .names import plain, shortened


class JourdainError(Exception):
    """Base of all errors that Jourdain raises on purpose. They come back whole from other processes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(cls: type[JourdainError], args: tuple[Any, ...], what: dict[str, Any]) -> JourdainError:
    """An error as it was, without its arguments, which it did not keep."""
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(what)
    return error


class MechanismError(JourdainError):
    """A mechanism that cannot be simulated as described; lists every fault at once.

    `faults` are data: each has a `part`, a `key` and its `words`; `str(fault)` is the sentence. A sentence alone is a
    fault of the whole mechanism.
    """

    def __init__(self, mechanism: str, faults: Sequence[Fault | str]) -> None:
        self.mechanism = mechanism
        self.faults = tuple(Fault("", "", fault) if isinstance(fault, str) else fault for fault in faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        lines = "\n".join(f"  - {fault}" for fault in faults)
        super().__init__(plain(f"mechanism '{mechanism}' has {count}:\n{lines}"))


class TableError(JourdainError, ValueError):
    """A table that cannot be one: its text says the file, the line and the column where there are any."""


class ChoiceError(JourdainError):
    """A choice of coordinates, treatment or integrator that does not exist or cannot work.

    `keys` are the arguments of `simulate` that are to blame, where these are known; the first one more than the others.
    """

    def __init__(self, words: str, *keys: str) -> None:
        super().__init__(shortened(words))
        self.keys = keys


def no_mechanism(given: object) -> ChoiceError:
    """What was given where a mechanism should be."""
    makers = "jd.Mechanism(name), jd.load(path) and jd.example(name) make one"
    if callable(getattr(given, "joined", None)):  # a system of subsystems
        makers = "its joined() is the one mechanism that it stands for"
    return ChoiceError(f"{given!r} is no mechanism; {makers}")


class SimulationError(JourdainError):
    """A run that a user's own function ended with an exception; `solution` keeps what was computed."""

    solution: Any = None


class EquilibriumError(JourdainError):
    """A mechanism that has no equilibrium, or is not in one where an analysis needs it."""


class MissingLibraryError(JourdainError, ImportError):
    """A library that only some users need is not installed; the text says which."""


class PictureError(JourdainError, ValueError):
    """A plot, drawing or animation that cannot be made as asked for."""


class ResultsError(JourdainError):
    """A file of results that cannot be read, or does not hold what was asked of it."""


class StudyError(JourdainError):
    """A study that cannot begin or go on: its folder, its cluster, or what changed since it began."""


class FileError(MechanismError):
    """A mechanism file with faults; lists every one at once, as `file:line:column: what is wrong`.

    The `faults` have their place in the file too: `mark`, with path, line and column.
    """

    def __init__(self, path: str, faults: Sequence[Fault | str]) -> None:
        super().__init__(path, faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        self.args = (plain("\n".join((f"{path} has {count}:", *(f"  {fault}" for fault in faults)))),)


class PictureWarning(UserWarning):
    """An animation does not show everything, or not as it looks."""
