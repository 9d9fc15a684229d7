"""Branches of a large tree in several threads: forward dynamics in the steps that the serial pass takes too.

Threads of our own, which wait for work in compiled code (kernels/core/mailbox.py). With locks alone a thread cost 60 us
an evaluation. Numba's own loops in parallel were as fast, but they take 7 s more to compile, and their usual backends
end the process when it forks (OpenMP) or when two threads enter them (workqueue). See model/tree/branches.py for the
parts, and for the size from which on all this pays.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.tree.branches import shares
from .kernel_cache import TreeKernels, load_recursion
from .workspace import Workspace

Array = npt.NDArray[np.float64]


PATIENCE = 400  # times a thread looks for its next job before it sleeps: about 0.1 ms


class _Worker:
    """A thread that advances its branches whenever it is told to."""

    def __init__(self, recursion: TreeKernels, table: Any, chosen: Any) -> None:
        self._k, self._table, self._chosen = recursion.kernels, table, chosen
        self._serve = self._k.serve  # compiled here, if need be, and not while somebody waits
        self._box = self._k.mailbox.new_box()
        self._awake = threading.Lock()
        self._awake.acquire()
        self._dismissed = False
        threading.Thread(target=self._work, name="jourdain-branches", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._awake.acquire()
            if self._dismissed:
                return
            self._serve(self._table, self._box, self._chosen, PATIENCE)

    def begin(self, q: Array, v: Array, out: Array, steps: int) -> None:
        if self._k.mailbox.send(self._box, q, v, out, steps):
            self._awake.release()

    def end(self) -> int:
        """Wait until it is done; in pieces, so that the keyboard is heard."""
        while not self._k.mailbox.is_done(self._box, 1000 * PATIENCE):
            pass
        return int(self._box[self._k.mailbox.STATUS])

    def dismiss(self) -> None:
        self._dismissed = True
        self._awake.release()


class Crew:
    """The caller and threads that help it with the branches of one tree."""

    def __init__(self, workspace: Workspace, threads: int) -> None:
        self._k, self._workspace = load_recursion(workspace.model.blueprint.space), workspace
        self._table = workspace.ctx
        parts = workspace.model.tree.parts
        self._chosen = [np.array(numbers, dtype=np.int64) for numbers in shares(parts, threads)[0]]
        self._trunk = any(part.trunk for part in parts)
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._workers = [_Worker(self._k, self._table, chosen) for chosen in self._chosen[1:]]
        weakref.finalize(self, _dismiss, self._workers)

    def forward(self, q: Array, v: Array, out: Array) -> int:
        """What the kernel `forward` does, with the same result."""
        c, kernels = self._k.common, self._k.kernels
        if self._process != os.getpid():  # threads do not follow into a forked process
            self._start()
        vectors = (q, v, out)
        kernels.advance_trunk(self._table, *vectors, c.PLACE)
        steps = c.PLACE + c.INWARD
        if self._table[c.HAS_LOADS] == 1:
            self._branches(vectors, c.PLACE)
            kernels.apply_loads(self._table, q, v)
            steps = c.INWARD
        if not self._trunk:
            return self._branches(vectors, steps + c.OUTWARD)
        self._branches(vectors, steps)
        status = kernels.advance_trunk(self._table, *vectors, c.INWARD + c.OUTWARD)
        return max(status, self._branches(vectors, c.OUTWARD))

    def _branches(self, vectors: tuple[Array, Array, Array], steps: int) -> int:
        begun: list[_Worker] = []
        try:
            for worker in self._workers:
                begun.append(worker)
                worker.begin(*vectors, steps)
            status = self._k.kernels.advance_branches(self._table, *vectors, self._chosen[0], steps)
        finally:  # no interrupt goes on before the arrays are left alone
            found = _ends(begun)
        return int(max(status, *found))


def _ends(workers: list[_Worker]) -> list[int]:
    """Wait for all of them, whatever happens meanwhile."""
    found: list[int] = []
    interrupted = None
    while len(found) < len(workers):
        try:
            found.append(workers[len(found)].end())
        except KeyboardInterrupt as error:
            interrupted = error
    if interrupted is not None:
        raise interrupted
    return found


def crew_for(workspace: Workspace, threads: int | None) -> Crew | None:
    """Helpers as many as asked for, if the tree has branches for them. None: none.

    Whether they pay depends on what else the computer does: two threads on 6,001 bodies took 143 us where one took 118.
    """
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise ValueError(f"threads is {threads!r}; expected a whole number from 1 on, or None for one")
    branches = sum(not part.trunk for part in workspace.model.tree.parts)
    count = min(branches, threads or 1)
    return Crew(workspace, count) if count > 1 else None


def _dismiss(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.dismiss()
