"""Libraries that only some users need: imported when asked for, and asked for by one sentence when missing."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from .mechanism.errors import MissingLibraryError


def need(library: str, purpose: str, package: str = "") -> Any:
    """The library, or an error that says what to install. `package` is its name for pip, where that differs."""
    try:
        return importlib.import_module(library)
    except ImportError:
        package = package or library
        words = f"{purpose} needs {package}, which is not installed here; get it by: pip install {package}"
        raise MissingLibraryError(words) from None


def installed(library: str) -> bool:
    """Whether a library is there, without importing it."""
    return importlib.util.find_spec(library) is not None
