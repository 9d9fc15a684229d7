"""jd.load: the file of a mechanism, or of a system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..files.loading import TEXT_NAME, read_file
from ..files.loading import load as load_mechanism
from ..mechanism.arguments import asked
from ..mechanism.builder import Mechanism
from ..mechanism.taken import Amount
from .system import System
from .system_files import is_system, load_system


@asked
def load(source: str | Path, /, parameters: Mapping[str, Amount] | None = None, **more: Amount) -> Mechanism | System:
    """Read a mechanism, or a system of subsystems, from a file (YAML or JSON), or from a text of several lines.

    Parameters of the file can be given other values: `load("arm.yaml", k=300)`, or as text with a unit. Raises
    FileError with all faults of the file, each with its line and column.
    """
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        text, path, folder = source, TEXT_NAME, Path()
    elif Path(source).is_file() and Path(source).suffix in (".yaml", ".yml", ".json"):
        text, path, folder = read_file(Path(source)), str(source), Path(source).parent
    else:
        return load_mechanism(source, parameters, **more)
    if is_system(text, path):
        return load_system(text, path, folder, {**(parameters or {}), **more})
    return load_mechanism(source, parameters, **more)
