"""The mechanism file: read, written, described by a schema, with every fault at its line and column.

Names are imported when first used: a list of examples needs neither reader nor compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loading import load
    from .saving import dumps, save
    from .schemas import schema

__all__ = ["dumps", "load", "save", "schema"]

_HOME = {"dumps": "saving", "load": "loading", "save": "saving", "schema": "schemas"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module 'jourdain.files' has no attribute '{name}'")
