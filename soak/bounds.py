"""The whole set of tests with every index checked: compiled code otherwise reads and writes beyond the end of an array.

Fields and what entries are given are arrays of the lengths that the context says, so Numba can check them. A kernel
that Python calls raises what it finds; in an entry, which is called by address, nobody can catch it, so Python reports
it as an exception that was ignored, and pytest makes that the failure of the test that ran.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from campaign import Outcome
from matrix import Run, whole_runs

RUNS = (Run("checked", checked=True),)


def bounds(options: Namespace) -> Iterator[Outcome]:
    yield from whole_runs("bounds", RUNS, options)
