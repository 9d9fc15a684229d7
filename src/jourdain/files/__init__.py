"""The mechanism file: read, written, described by a schema, with every fault at its line and column."""

from .loading import load

__all__ = ["load"]
