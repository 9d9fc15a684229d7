"""Functions that take a mechanism take its file too, or the name of an example: `jd.simulate("four_bar", 5)`."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

from ..mechanism.builder import Mechanism
from ..mechanism.errors import JourdainError
from ..mechanism.names import nearest
from ..mechanism.parts import Blueprint
from . import gallery
from .loading import load

P = ParamSpec("P")
R = TypeVar("R")

Given: TypeAlias = Mechanism | Blueprint | str | Path


def or_file(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; a path or a name in the place of its mechanism is read first."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> R:
        if args and isinstance(args[0], str | os.PathLike):
            args = (read(args[0]), *args[1:])
        elif isinstance(kwargs.get("mechanism"), str | os.PathLike):
            kwargs["mechanism"] = read(kwargs["mechanism"])
        return function(*args, **kwargs)

    return called


def file_of(name: str | os.PathLike[str]) -> Path:
    """The file of that name; where there is none, that of the example."""
    path = Path(name)
    known = not path.exists() and os.fspath(name) in gallery.example_names()
    return gallery.path(os.fspath(name)) if known else path


def read(name: str | os.PathLike[str]) -> Mechanism:
    """The mechanism of a file, or of the example of that name; an existing file comes first."""
    text = os.fspath(name)
    path = Path(text) if "\n" not in text else None
    if path is None or path.is_file() or path.suffix or path.name != text:
        return load(text if path is None else path)  # which says what is wrong with a file
    if text in gallery.example_names():
        return gallery.example(text)
    raise JourdainError(f"there is no file and no example '{text}'; {nearest(text, gallery.example_names())}")
