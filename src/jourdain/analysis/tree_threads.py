"""Branches of a large tree in several threads: forward dynamics in the steps that the serial pass takes too.

A thread costs two messages an evaluation, one there and one back: about 20 us, where locks are all that is between
them. Numba's own loops in parallel were no faster, and their usual backends end the process when it forks or when two
threads enter them. See compiled/branches.py for the parts, and for the size from which on all this pays.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.branches import shares
from ..compiled.kernels import Recursion
from ..compiled.tree import TreeModel

Array = npt.NDArray[np.float64]


class _Worker:
    """A thread that waits for a job, does it and says so."""

    def __init__(self) -> None:
        self.go, self.done = threading.Lock(), threading.Lock()
        self.go.acquire()
        self.done.acquire()
        self.job: Callable[[], int] | None = None
        self.status = 0
        threading.Thread(target=self._work, name="jourdain-branches", daemon=True).start()

    def _work(self) -> None:
        while True:
            self.go.acquire()
            if self.job is None:
                return
            self.status = self.job()
            self.done.release()

    def begin(self, job: Callable[[], int] | None) -> None:
        self.job = job
        self.go.release()


class Crew:
    """The caller and threads that help it with the branches of one tree."""

    def __init__(self, model: TreeModel, recursion: Recursion, threads: int) -> None:
        self._k, self._table, self._threads = recursion, model.table, threads
        self._chosen = [np.array(numbers, dtype=np.int64) for numbers in shares(model.parts, threads)[0]]
        self._trunk = any(part.trunk for part in model.parts)
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._workers = [_Worker() for _ in range(self._threads - 1)]
        weakref.finalize(self, _dismiss, self._workers)

    def forward(self, q: Array, v: Array, out: Array) -> int:
        """What the kernel `forward` does, with the same result."""
        c, kernels = self._k.common, self._k.kernels
        if self._process != os.getpid():  # threads do not follow into a forked process
            self._start()
        arguments = (self._table, q, v, out)
        kernels.advance_trunk(*arguments, c.PLACE)
        steps = c.PLACE + c.INWARD
        if self._table[c.HAS_LOADS] == 1:
            self._branches(arguments, c.PLACE)
            kernels.apply_loads(self._table, q, v)
            steps = c.INWARD
        if not self._trunk:
            return self._branches(arguments, steps + c.OUTWARD)
        self._branches(arguments, steps)
        status = kernels.advance_trunk(*arguments, c.INWARD + c.OUTWARD)
        return max(status, self._branches(arguments, c.OUTWARD))

    def _branches(self, arguments: tuple[Any, ...], steps: int) -> int:
        advance = self._k.kernels.advance_branches
        for worker, chosen in zip(self._workers, self._chosen[1:], strict=True):
            worker.begin(partial(advance, *arguments, chosen, steps))
        status = advance(*arguments, self._chosen[0], steps)
        interrupted = None
        for worker in self._workers:
            while True:
                try:
                    worker.done.acquire()
                    break
                except KeyboardInterrupt as error:  # not before the arrays are left alone
                    interrupted = error
            status = max(status, worker.status)
        if interrupted is not None:
            raise interrupted
        return int(status)


def crew_for(model: TreeModel, recursion: Recursion, threads: int | None) -> Crew | None:
    """Helpers as many as asked for, or as the computer has, if the tree has branches for them."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise ValueError(f"threads is {threads!r}; expected a whole number from 1 on, or None for as many as pay")
    branches = sum(not part.trunk for part in model.parts)
    count = min(branches, _processors() if threads is None else threads)
    return Crew(model, recursion, count) if count > 1 else None


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _dismiss(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.begin(None)
