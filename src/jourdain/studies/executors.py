"""Where the pieces of a study are computed: here, on all cores, or by the workers of an executor."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from ..mechanism.errors import JourdainError, StudyError
from ..optional import need
from ..results.status import SimulationWarning
from ..session.progress import Progress
from .code_version import Code
from .piece import Piece
from .remote import Answer, functions_of, packed, run_piece
from .workshop import Workshop

Done = Callable[[int, Piece], None]
Span = tuple[int, int]

IN_LINE = 256  # pieces handed to an executor at once
WAIT = 0.5  # s
DIVIDED = 8  # parts of what killed its worker: each division costs some more of them
LOCAL = "local"
CONNECT = 10  # s, within which a cluster has to answer
LOST = "KilledWorker"  # what Dask raises when a task has cost several workers their life


def run_here(workshop: Workshop, spans: dict[int, Span], done: Done, report: Callable[[Progress], None]) -> None:
    """Pieces one after the other; each of them uses all threads of the workshop."""
    for k, (first, last) in spans.items():
        done(k, workshop.run(first, last, report))


class Spread:
    """Pieces on their way through an executor. A worker that dies costs what it was doing."""

    def __init__(self, executor: Executor, workshop: Workshop) -> None:
        self._executor, self._workshop = executor, workshop
        self._given = packed(workshop.plan), functions_of(workshop.plan)
        self._running: dict[Future[Answer], tuple[int, Span]] = {}
        self._parts: dict[int, list[Piece]] = {}  # of pieces that were divided
        self._wanted: dict[int, Span] = {}
        self._cpus: set[str] = {Code.here().cpu}

    def run(self, spans: dict[int, Span], done: Done, tick: Callable[[], None]) -> None:
        self._wanted = spans
        waiting: Iterator[tuple[int, Span]] = iter(spans.items())
        try:
            self._fill(waiting)
            while self._running:
                finished, _ = wait(self._running, timeout=WAIT, return_when=FIRST_COMPLETED)
                for future in finished:
                    self._take(future, done)
                self._fill(waiting)
                tick()
        finally:
            for future in self._running:
                future.cancel()

    def _fill(self, waiting: Iterator[tuple[int, Span]]) -> None:
        while len(self._running) < IN_LINE:
            following = next(waiting, None)
            if following is None:
                return
            self._submit(*following)

    def _submit(self, k: int, span: Span) -> None:
        try:
            future = self._executor.submit(run_piece, *self._given, *span)
        except JourdainError:
            raise
        except Exception as error:  # noqa: BLE001  (executors raise what they like when they are closed or broken)
            raise StudyError(f"the executor takes no more work: {_words(error)}. What is done is kept") from None
        self._running[future] = k, span

    def _take(self, future: Future[Answer], done: Done) -> None:
        k, (first, last) = self._running.pop(future)
        if future.cancelled():
            raise StudyError("the cluster gave up a piece of the study. What is done is kept; the same command goes on")
        error = future.exception()
        if error is None:
            answer = future.result()
            if answer.refused:
                words = f"a worker cannot take part: {answer.refused}. Install the same version there and here"
                raise StudyError(words)
            self._tell_processor(answer.cpu)
            self._add(k, Piece.from_bytes(answer.piece), done)
        elif type(error).__name__ == LOST or isinstance(error, MemoryError):
            self._divide(k, first, last, error, done)
        else:
            raise _explained(error) from None

    def _divide(self, k: int, first: int, last: int, error: BaseException, done: Done) -> None:
        """What kills its worker again and again is divided, until the one variant is found that does."""
        if last - first > 1:
            ends = sorted({first + (last - first) * i // DIVIDED for i in range(DIVIDED + 1)})
            for own in pairwise(ends):
                self._submit(k, own)
            return
        words = f"its worker died of it each time ({_words(error)})"
        self._add(k, Piece.lost(first, last, self._workshop.shapes, words), done)

    def _add(self, k: int, piece: Piece, done: Done) -> None:
        parts = self._parts.setdefault(k, [])
        parts.append(piece)
        first, last = self._wanted[k]
        if sum(part.last - part.first for part in parts) == last - first:
            done(k, Piece.joined(sorted(self._parts.pop(k), key=lambda part: part.first)))

    def _tell_processor(self, cpu: str) -> None:
        if cpu not in self._cpus:
            self._cpus.add(cpu)
            words = f"workers have different processors ({', '.join(sorted(self._cpus))}): last digits may differ"
            warnings.warn(words, SimulationWarning, stacklevel=2)


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else text[:197] + "..."


def _explained(error: BaseException) -> Exception:
    """An error of a worker, as a sentence."""
    if isinstance(error, ImportError) and "jourdain" in str(error):
        return StudyError(
            f"a worker has no Jourdain, or another one ({_words(error)}); install it there: pip install jourdain"
        )
    if isinstance(error, BrokenExecutor):
        words = "a process of the executor died, and with it the executor; what is done is kept: go on with a new one"
        return StudyError(f"{words} ({_words(error)})")
    if isinstance(error, JourdainError):
        return error
    if isinstance(error, AttributeError | TypeError) and "pickle" in str(error):
        return StudyError(
            f"a function that collects cannot be sent to another process ({_words(error)}); define it in a module"
        )
    return StudyError(f"a worker failed: {type(error).__name__}: {_words(error)}")


# Clusters ---------------------------------------------------------------------------------------------------------


@contextmanager
def cluster_executor(address: str, workers: int | None) -> Iterator[Executor]:
    """An executor on a Dask cluster: one that runs somewhere, or one of this computer, made for the study."""
    distributed = need("distributed", "a study on a cluster", "'jourdain[cluster]'")
    if address == LOCAL:
        count = workers or os.cpu_count() or 1
        with (
            distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=40
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client.get_executor()
        return
    with _client(distributed, address) as client:
        yield client.get_executor()


def _client(distributed: Any, address: str) -> Any:
    parts = urlsplit(address)
    if parts.scheme not in ("tcp", "tls", "ws", "wss") or not parts.hostname:
        words = (
            f"cluster is '{address}'; expected 'local', or the address of a Dask scheduler such as tcp://10.0.0.5:8786"
        )
        raise StudyError(words)
    if parts.scheme in ("tcp", "ws"):
        words = (
            f"{address} is not encrypted and asks nobody who he is: who reaches it can run programs on its workers. "
            "Use it in a network that you trust, or take tls://"
        )
        warnings.warn(words, SimulationWarning, stacklevel=5)
    try:
        return distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(f"there is no Dask scheduler at {address}: {_words(error) or 'it does not answer'}") from None
