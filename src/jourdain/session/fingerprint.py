"""A fingerprint of a mechanism and of choices: equal if a run would be, in another process too."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from types import CodeType
from typing import Any

import numpy as np

from ..choices import Choices
from ..engine.kernel_cache import compiled_from
from ..mechanism.parts import Blueprint
from ..version import __version__


def fingerprint(blueprint: Blueprint, choices: Choices) -> str:
    """Of the mechanism as it was given, and of the choices."""
    return _made(id(blueprint), Kept(blueprint), Kept(choices))


@cache
def code() -> str:
    """Of what runs them: this release, its kernels and what compiles them, for this processor."""
    from llvmlite.binding import get_host_cpu_name

    parts = (__version__, compiled_from(), get_host_cpu_name())
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


class Kept:
    """An object to hash by identity: it lives as long as its fingerprint is remembered."""

    def __init__(self, of: Any) -> None:
        self.of = of

    def __hash__(self) -> int:
        return id(self.of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kept) and self.of is other.of


@lru_cache(maxsize=64)
def _made(_: int, blueprint: Kept, choices: Kept) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in (_plain(blueprint.of), _plain(choices.of)):
        digest.update(repr(part).encode())
    return digest.hexdigest()


def _code(code: CodeType) -> Any:
    """Of a function, and of those inside it: what they do, without where they are in memory."""
    inner = (_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return (code.co_code.hex(), code.co_names, *inner)


def _plain(thing: Any) -> Any:
    """The same in texts, numbers and tuples of them."""
    if is_dataclass(thing) and not isinstance(thing, type):
        named = ((f.name, _plain(getattr(thing, f.name))) for f in fields(thing) if f.compare)
        return (type(thing).__name__, *named)
    if isinstance(thing, Mapping):
        return ("map", *sorted(((str(k), _plain(v)) for k, v in thing.items()), key=lambda pair: pair[0]))
    if isinstance(thing, list | tuple):
        return tuple(_plain(x) for x in thing)
    if isinstance(thing, set | frozenset):
        return ("set", *sorted(map(repr, (_plain(x) for x in thing))))
    if isinstance(thing, Enum):
        return thing.name
    if isinstance(thing, np.ndarray):
        return ("array", thing.shape, thing.tobytes().hex())
    if callable(thing) and hasattr(thing, "__code__"):
        return ("function", thing.__qualname__, _code(thing.__code__))
    if thing is None or isinstance(thing, bool | int | float | complex | str | bytes):
        return thing
    return (type(thing).__name__, getattr(thing, "__qualname__", ""))
