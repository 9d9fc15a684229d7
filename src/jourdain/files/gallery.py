"""The mechanisms that come with the package: files in `jourdain/examples`, found by name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ..mechanism.arguments import asked
from ..mechanism.errors import JourdainError
from ..mechanism.names import nearest

if TYPE_CHECKING:
    from ..mechanism.builder import Mechanism


def folder() -> Path:
    """Where they are."""
    return Path(str(files("jourdain").joinpath("examples")))


def example_names() -> list[str]:
    """The examples in alphabetical order, by file name without its ending; parts of others begin with `_`."""
    return sorted(path.stem for path in folder().glob("*.yaml") if not path.stem.startswith("_"))


def path(name: str) -> Path:
    """The file of an example. Raises JourdainError with the nearest name where there is none."""
    known = example_names()
    if name not in known:
        raise JourdainError(f"there is no example '{name}'; {nearest(name, known)}")
    return folder() / f"{name}.yaml"


@asked
def example(name: str) -> Mechanism:
    """An example as a mechanism, such as `example("four_bar")`; `jourdain examples` lists them."""
    from .loading import load

    return load(path(name))
