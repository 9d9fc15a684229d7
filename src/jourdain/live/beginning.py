"""jd.live: a mechanism, a file, a document or a system in; a live machine out, paused at the start."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Unpack

from ..choices.keys import ChoiceKeys
from ..files.by_name import file_of
from ..files.loading import TEXT_NAME, FromFile, Text, read_file
from ..mechanism.arguments import is_finite
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import ChoiceError, FileError
from ..mechanism.parts import Blueprint
from ..modular.system import System
from ..modular.system_files import is_system, load_system
from ..session.begin import begin as session_of
from .document import Document
from .engine import Engine
from .live import Live
from .resting import Run
from .step_choice import EQUAL_STEPS, chosen_step
from .structure import Grid, Structure
from .warm_up import Told, warm_up


def begin(
    source: Mechanism | Blueprint | Document | System | str | Path,
    *,
    speed: float = 1.0,
    history: float = 600.0,
    clock: Callable[[], float] | None = None,
    progress: Told | None = None,
    warm: bool = True,
    **choices: Unpack[ChoiceKeys],
) -> Live:
    """A live machine, paused at the start: a context manager.

    `speed` is in seconds of the machine a second, `history` in seconds that are remembered. With a `clock` of your own,
    a function that tells seconds, nothing runs by itself: `tick` makes a frame. `progress` is told what is compiled.
    `choices` are those of `simulate`.
    """
    if not is_finite(speed) or not speed > 0:
        raise ChoiceError(f"speed is {speed!r}; expected a positive number")
    if not is_finite(history) or not history > 0:
        raise ChoiceError(f"history is {history!r}; expected seconds")
    document = document_of(source)
    structure, words = structure_of(document, choices)
    if warm:
        written = {key: value for key, value in structure.session.written.items() if key in ("integrator", "step")}
        warm_up(document.blueprint.space, written, progress or (lambda done, total, what: None))
    return Live(Engine(structure, float(history)), speed=float(speed), clock=clock, notes=[words] if words else [])


def document_of(source: Any) -> Document:
    """What was given, as a document. Raises FileError for one with faults."""
    if isinstance(source, str | Path) and "\n" not in str(source):
        source = file_of(source)
    if isinstance(source, Document):
        document = source.copy()
    elif isinstance(source, str) and "\n" in source:
        system = _system(source)
        document = Document(source) if system is None else Document.of(system.joined())
    elif isinstance(source, str | Path):
        document = opened(Path(source))
    elif callable(getattr(source, "joined", None)):  # a system is the one mechanism that it stands for
        document = Document.of(source.joined())
    elif isinstance(source, Mechanism | Blueprint):
        document = _from_file(source) or Document.of(source)
    else:
        raise ChoiceError(f"{source!r} cannot be live; expected a mechanism, a document or the path of a file")
    if document.faults or document.mechanism is None:
        raise FileError(str(document.path or "<text>"), list(document.faults))
    return document


def opened(path: Path) -> Document:
    """A file as a document, with its faults; a system as the one mechanism it stands for, which has no file yet."""
    system = _system(path)
    if system is None:
        return Document.open(path)
    document = Document.of(system.joined())
    document.home = path.parent
    return document


def _system(source: str | Path) -> System | None:
    """The system that a file or a text describes, if it has subsystems."""
    if isinstance(source, str) and "\n" in source:
        return load_system(source, TEXT_NAME, Path(), {}) if is_system(source, TEXT_NAME) else None
    path = Path(source)
    text = read_file(path)
    return load_system(text, str(path), path.parent, {}) if is_system(text, str(path)) else None


def _from_file(mechanism: Mechanism | Blueprint) -> Document | None:
    """The file that a mechanism came from, if it is still the same: its text says more than the mechanism does."""
    source = mechanism.source
    path = source.source if isinstance(source, FromFile) and not source.values else None
    if isinstance(path, Text) or path is None:
        return None
    document = Document(path) if isinstance(path, str) and "\n" in path else Document.open(path)
    same = document.mechanism is not None and document.blueprint == blueprint_of(mechanism)
    return document if same else None


def structure_of(document: Document, choices: Any) -> tuple[Structure, str]:
    """The first structure of a live machine, and what is to be told of its step."""
    written, words = chosen_step(document.blueprint, {**_defaults(document), **choices})
    session = session_of(document.blueprint, **written)
    step = getattr(session.choices.integrator, "step", None)
    if step is None or not math.isfinite(step):
        name = session.choices.integrator.name
        raise ChoiceError(
            f"a live machine goes on by equal steps, and {name} chooses its own; take rk4 or generalized-alpha"
        )
    return Structure(document, Run(session), Grid(0, session.t, float(step))), words


def _defaults(document: Document) -> dict[str, Any]:
    """Choices of the file that hold for a live machine too: methods that choose their steps themselves do not."""
    written = dict(document.blueprint.defaults)
    kept: tuple[str, ...] = ("coordinates", "treatment", "stabilisation")
    if written.get("integrator") in EQUAL_STEPS and "step" in written:
        kept = (*kept, "integrator", "step")
    return {key: written[key] for key in kept if key in written}
