"""Checkpoints taken apart and put together with a checksum that is right, whatever they say."""

from __future__ import annotations

import copy
import json
import math
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import jourdain as jd
from jourdain.session.checkpoint import HEAD, MAGIC, VERSION, CheckpointError, _checksum

Arrays = dict[str, Any]


def opened(mark: bytes) -> tuple[dict[str, Any], Arrays]:
    """Head and arrays, the arrays one's own."""
    _, _, length = HEAD.unpack_from(mark)
    head = json.loads(mark[HEAD.size : HEAD.size + length])
    at, arrays = HEAD.size + length, {}
    for entry in head["arrays"].split(", "):
        name, kind, sizes = entry.split(" ")
        shape = [int(n) for n in sizes.split("x")]
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(mark, np.dtype(kind), count, at).reshape(shape).copy()
        at += 8 * count
    return head, arrays


def entries(arrays: Arrays) -> str:
    """How a head lists them."""
    return ", ".join(f"{name} {a.dtype.str[1:]} {'x'.join(map(str, a.shape))}" for name, a in arrays.items())


def packed(head: Any, arrays: Arrays, *, version: int = VERSION, listed: Any = None) -> bytes:
    """Bytes whose checksum is right. The head lists the arrays as they are, or as `listed` says."""
    if isinstance(head, dict):
        head = copy.deepcopy(head)
        head["arrays"] = entries(arrays) if listed is None else listed
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    body = HEAD.pack(MAGIC, version, len(text)) + text + b"".join(a.tobytes() for a in arrays.values())
    return body + _checksum(body)


def sealed(body: bytes) -> bytes:
    """Any bytes with a checksum that is right."""
    return body + _checksum(body)


class Marked:
    """A session somewhat after a checkpoint, and the bits of both ways on: from the checkpoint, from where it is."""

    def __init__(self, machine: jd.Mechanism, first: float = 0.1037, **how: Any) -> None:
        self.machine, self.how = machine, how
        self.session = s = jd.session(machine, **how)
        s.advance(first)
        self.mark = s.checkpoint()
        self.times = (first + 0.01, first + 0.03)
        self.wanted = self._onward(s)
        self.here, self.y = s.checkpoint(), s.y.copy()
        s.advance(0.02)
        self.after = s.y.copy()
        s.restore(self.here)

    def _onward(self, s: jd.Session) -> list[np.ndarray]:
        found = []
        for t in self.times:
            s.advance(to=t)
            found.append(s.y.copy())
        return found

    def refuses(self, mark: Any, words: str = "") -> str:
        """The sentence; the session is where it was, and goes on as if nothing had been."""
        s = self.session
        try:
            s.restore(mark)
        except CheckpointError as error:
            said = str(error)
        else:
            raise AssertionError(f"it is taken: {words}")
        assert words in said, said
        assert s.t == self.times[1] and np.array_equal(s.y, self.y), said
        s.advance(0.02)
        assert np.array_equal(s.y, self.after), said
        s.restore(self.here)
        return said

    def is_refused_or_harmless(self, mark: bytes, what: Any) -> bool:
        """Whether it is refused. If it is taken, the way on is that of the checkpoint it was made from."""
        s = self.session
        try:
            s.restore(mark)
        except CheckpointError:
            assert s.t == self.times[1] and np.array_equal(s.y, self.y), what
            s.advance(0.02)
            assert np.array_equal(s.y, self.after), what
            s.restore(self.here)
            return True
        assert all(map(np.array_equal, self._onward(s), self.wanted)), what
        s.restore(self.here)
        return False


SESSIONS: dict[str, Callable[[], Marked]] = {
    "rk4": lambda: Marked(jd.example("four_bar"), integrator="rk4", step=2e-3),
    "ab6": lambda: Marked(jd.example("four_bar"), integrator="ab6", step=1e-3),
    "generalized-alpha": lambda: Marked(jd.example("slider_crank"), integrator="generalized-alpha", step=2e-3),
    "auto": lambda: Marked(jd.example("four_bar")),
    "radau": lambda: Marked(jd.example("slider_crank"), integrator="radau"),
    "bdf": lambda: Marked(jd.example("slider_crank"), integrator="bdf"),
    "partitioning": lambda: Marked(jd.example("four_bar"), treatment="partitioning"),
    "quaternions": lambda: Marked(jd.example("heavy_top"), integrator="dop853"),
}


def marked(name: str) -> Marked:
    return SESSIONS[name]()


WRONG: tuple[Any, ...] = (
    *(None, True, -1, 1.5, 1e300, math.nan, math.inf, 10**30, "x", "1.5", [], {}, [1], {"a": 1}, [[[[]]]], ["A"], ...),
)
# What is told to the user and nothing else; a wrong number there is no wrong run.
TOLD = {"seconds", "exact_from", "outcome", "spent"}


def paths(head: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a head, those of lists and of dictionaries too."""
    if before:
        yield before
    if isinstance(head, dict):
        for key, inside in head.items():
            yield from paths(inside, (*before, key))
    elif isinstance(head, list):
        for k, inside in enumerate(head[:6]):
            yield from paths(inside, (*before, k))


def replaced(head: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A head with another value at a place; `...`: without that place."""
    head = copy.deepcopy(head)
    inside: Any = head
    for key in path[:-1]:
        inside = inside[key]
    if value is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return head


def all_heads(m: Marked, every: int = 1) -> int:
    """Anything anywhere in the head, or every so many of it: how many are refused; the others make no difference."""
    head, arrays = opened(m.mark)
    del head["arrays"]
    ways = [(path, value) for path in paths(head) for value in WRONG]
    return sum(m.is_refused_or_harmless(packed(replaced(head, *way), arrays), way) for way in ways[::every])


def all_numbers(m: Marked, every: int = 1) -> int:
    """Every number, or every so many, as one that cannot be: NaN, or an index beyond its bound. All are refused."""
    head, arrays = opened(m.mark)
    ways = [(key, place) for key, array in arrays.items() for place in range(array.size)][::every]
    for key, place in ways:
        bad = arrays[key].copy()
        bad.flat[place] = math.nan if bad.dtype == np.float64 else -(2**62)
        m.refuses(packed(head, {**arrays, key: bad}))
    return len(ways)


def wild(name: str, count: int, seed: int) -> None:
    """Restores what was made wild and goes on a little, if it is taken; a run that does not end is interrupted."""
    m = marked(name)
    head, arrays = opened(m.mark)
    rng = np.random.default_rng(seed)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    for _ in range(count):
        bad = {key: array.copy() for key, array in arrays.items()}
        for _ in range(int(rng.integers(1, 4))):
            key = list(bad)[int(rng.integers(len(bad)))]
            if bad[key].size:
                values = (-1, 1, 2, 3, 7, 9, 100, 2**31, 2**62, -(2**63))
                floats = (-1.0, 0.5, 2.0, 1e9, -1e18, 1e300, -1e-300, math.inf, -math.inf)
                chosen: Any = values if bad[key].dtype == np.int64 else floats
                bad[key].flat[int(rng.integers(bad[key].size))] = chosen[int(rng.integers(len(chosen)))]
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        try:
            m.session.restore(packed(head, bad))
            m.session.advance(0.02)
        except (jd.JourdainError, KeyboardInterrupt):
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        try:
            m.session.restore(m.here)
        except CheckpointError:
            m = marked(name)
