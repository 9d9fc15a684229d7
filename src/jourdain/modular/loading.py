"""jd.load: the file of a mechanism, or of a system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files.loading import load as load_mechanism
from ..mechanism.arguments import asked
from ..mechanism.builder import Mechanism


@asked
def load(source: str | Path, parameters: Mapping[str, Any] | None = None, /, **more: Any) -> Mechanism:
    """Read a mechanism from a file (YAML or JSON), or from a text of several lines.

    Parameters of the file can be given other values: `load("arm.yaml", k=300)`, or as text with a unit. Raises
    FileError with all faults of the file, each with its line and column.
    """
    return load_mechanism(source, parameters, **more)
