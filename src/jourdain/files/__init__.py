"""The mechanism file: read, written, described by a schema, with every fault at its line and column."""

from .loading import load
from .saving import dumps, save
from .schemas import schema

__all__ = ["dumps", "load", "save", "schema"]
