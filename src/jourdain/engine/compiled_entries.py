"""Compiled functions from their names: entries of the context, time loops, and where each is found in the cache."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from ..choices.contract import Entry, Loop
from .kernel_cache import announced, cache_folder, imported, in_python, load_kernels, own_cache
from .late_entries import Stub
from .signatures import signatures_of

OURS = "jourdain."
FLOAT, COMPLEX, LANES = "float64", "complex128", "lanes"


def function_of(entry: Entry) -> Any:
    """The plain function, or what a maker makes of its arguments."""
    found = imported(entry.source)
    return found(*entry.args) if entry.args else found


@functools.cache
def _compiled(source: str, args: tuple[int | str, ...], number: str) -> Any:
    """An entry, compiled for a number type. Lives as long as the process."""
    import numba

    with own_cache():
        context = load_kernels().context
        scalar = context.lanes if number == LANES else numba.from_dtype(np.dtype(number))
        return context.entry(function_of(Entry("", source, args)), scalar)


def compiled(entry: Entry, number: str = FLOAT) -> Any:
    """An entry of the context; its `address` goes into the table."""
    return _compiled(entry.source, entry.args, number)


@functools.cache
def _stub(entry: Entry, number: str) -> Stub:
    return Stub(entry.slot, marker(entry, number).stem, lambda: compiled(entry, number))


@functools.cache
def address(entry: Entry, number: str = FLOAT) -> int:
    """Of an entry, for the table of a context; one that is late is compiled when it is called."""
    found = _stub(entry, number) if entry.late and not in_python() else compiled(entry, number)
    return int(found.address)


@functools.cache
def loop(entry: Entry, number: str = FLOAT) -> Any:
    """A time loop, or another function that Python calls, compiled for the types that it is called with."""
    with own_cache():
        function = function_of(entry)
        for signature in signatures_of(entry.slot, number) if not in_python() else ():
            if signature not in function.signatures:
                function.compile(signature)
    return function


def batch_driver(plan: Any) -> Any:
    """The compiled function that runs many variants of a plan."""
    entry = plan.loops[Loop.MANY]
    with announced("the driver of batches", marker(entry).stem):
        return loop(entry)


@functools.cache
def marker(entry: Entry, number: str = FLOAT) -> Path:
    """An empty file that says that a function is in the cache: asking Numba would mean loading it."""
    module, _, function = entry.source.partition(":")
    words = [module.removeprefix(f"{OURS}kernels."), function, *(str(a) for a in entry.args), number]
    if not module.startswith(OURS):
        words.append(_digest(module))
    return cache_folder() / f"{'-'.join(words)}.compiled"


def is_importable(source: str) -> bool:
    """Whether another process finds a function by its name: not what a notebook or a script defines."""
    module = source.partition(":")[0]
    return module.startswith(OURS) or (module != "__main__" and importlib.util.find_spec(module) is not None)


def _digest(module: str) -> str:
    """Of a file that is not ours: the name of our cache says nothing about it."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None or not Path(found.origin).exists():
        return "unknown"
    return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()[:12]
