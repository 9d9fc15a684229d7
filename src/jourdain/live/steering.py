"""What is done between the marks of a timeline: small things, sixty a second while somebody pulls.

The last few are kept as they are; older ones are packed, so many together: numbers of all of them byte by byte, of
which the first ones hardly change from frame to frame and take next to no room.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from struct import pack, unpack_from
from typing import ClassVar, NamedTuple

import numpy as np

from .structure import Structure

TOGETHER = 256  # entries that are packed at once
MOST_NAMES = 1000  # sets of names that are shared


class Packed(Mapping[str, float]):
    """Numbers by name: the names are shared."""

    __slots__ = ("_names", "_values")
    _known: ClassVar[dict[tuple[str, ...], tuple[str, ...]]] = {}

    def __init__(self, names: Iterable[str], values: bytes) -> None:
        names = tuple(names)
        if len(self._known) > MOST_NAMES:
            self._known.clear()
        self._names = self._known.setdefault(names, names)
        self._values = values

    @classmethod
    def of(cls, numbers: Mapping[str, float]) -> Packed:
        """The same numbers, with less around them."""
        return cls(numbers, pack(f"{len(numbers)}d", *numbers.values()))

    @property
    def content(self) -> bytes:
        """The numbers in their order, as doubles."""
        return self._values

    def __getitem__(self, name: str) -> float:
        return float(unpack_from("d", self._values, 8 * self._names.index(name))[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True, slots=True)
class Steering:
    """Parameters of hands from a step on; or into how many parts steps are divided; or a number that was set."""

    n: int
    numbers: Mapping[str, float]
    parts: int = 0
    setting: tuple[str, float] | None = None
    structure: Structure | None = None  # with the document as it is then


class Alike(NamedTuple):
    """Entries that have the same names: which of a block, and their parts and numbers."""

    names: tuple[str, ...]
    which: bytes  # bit by bit
    packed: bytes


class Block(NamedTuple):
    """So many entries together."""

    first: int  # the step of the first one
    steps: bytes
    alike: tuple[Alike, ...]
    others: Mapping[int, Steering]  # that set numbers

    @classmethod
    def of(cls, entries: Sequence[Steering]) -> Block:
        steps = np.array([entry.n for entry in entries], dtype=np.int64)
        others = {k: entry for k, entry in enumerate(entries) if entry.setting is not None}
        groups: dict[tuple[str, ...], list[int]] = {}
        for k, entry in enumerate(entries):
            if k not in others:
                groups.setdefault(tuple(entry.numbers), []).append(k)
        alike = []
        for names, members in groups.items():
            rows = [pack("d", entries[k].parts) + Packed.of(entries[k].numbers).content for k in members]
            which = np.zeros(len(entries), dtype=bool)
            which[members] = True
            alike.append(Alike(names, np.packbits(which).tobytes(), _squeezed(b"".join(rows), len(rows))))
        return cls(entries[0].n, _squeezed(steps.tobytes(), len(entries)), tuple(alike), others)

    @property
    def entries(self) -> list[Steering]:
        """All of them as they were."""
        steps = np.frombuffer(_unfolded(self.steps, TOGETHER), dtype=np.int64)
        found = dict(self.others)
        for names, which, packed in self.alike:
            members = np.flatnonzero(np.unpackbits(np.frombuffer(which, dtype=np.uint8), count=TOGETHER))
            content, row = _unfolded(packed, len(members)), 8 * (1 + len(names))
            for j, k in enumerate(members):
                values = content[j * row : (j + 1) * row]
                parts = int(unpack_from("d", values)[0])
                found[int(k)] = Steering(int(steps[k]), Packed(names, values[8:]) if names else {}, parts)
        return [found[k] for k in range(TOGETHER)]

    @property
    def size(self) -> int:
        """Bytes, roughly."""
        return 200 + len(self.steps) + sum(200 + len(one.packed) for one in self.alike) + 400 * len(self.others)


def _squeezed(content: bytes, rows: int) -> bytes:
    """First bytes of all rows, then the second ones .."""
    return zlib.compress(np.frombuffer(content, dtype=np.uint8).reshape(rows, -1).T.tobytes(), 1)


def _unfolded(packed: bytes, rows: int) -> bytes:
    return np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(-1, rows).T.tobytes()


class Log:
    """Entries in the order of their steps."""

    def __init__(self, blocks: Sequence[Block] = (), last: Sequence[Steering] = (), gone: int = 0) -> None:
        self._blocks, self._last = list(blocks), list(last)
        self._gone = gone  # entries of the first block that are forgotten
        self._read: tuple[Block, list[Steering]] | None = None  # the block that was looked into last

    def __len__(self) -> int:
        return TOGETHER * len(self._blocks) + len(self._last) - self._gone

    def append(self, entry: Steering) -> None:
        self._last.append(entry)
        if len(self._last) >= 2 * TOGETHER:
            self._blocks.append(Block.of(self._last[:TOGETHER]))
            del self._last[:TOGETHER]

    def __getitem__(self, k: int) -> Steering:
        if not 0 <= k < len(self):
            raise IndexError(k)
        block, place = divmod(k + self._gone, TOGETHER)
        if block < len(self._blocks):
            return self._entries(block)[place]
        return self._last[k + self._gone - TOGETHER * len(self._blocks)]

    def between(self, first: int, last: int) -> list[Steering]:
        """Entries from the first to before the last."""
        return [self[k] for k in range(max(0, first), min(last, len(self)))]

    def before_step(self, n: int) -> int:
        """How many entries were made before a step."""
        block = bisect_left(self._blocks, n, key=lambda one: one.first) - 1
        whole = TOGETHER * max(block, 0) - self._gone
        inside = 0 if block < 0 else bisect_left(self._entries(block), n, key=lambda entry: entry.n)
        if block + 1 == len(self._blocks) and inside in (0, TOGETHER):
            whole, inside = whole + inside, bisect_left(self._last, n, key=lambda entry: entry.n)
        return max(0, whole + inside)

    def forget(self, count: int) -> None:
        """The first ones."""
        gone = self._gone + min(count, len(self))
        whole = min(gone // TOGETHER, len(self._blocks))
        del self._blocks[:whole]
        self._gone = gone - TOGETHER * whole
        if not self._blocks:
            del self._last[: self._gone]
            self._gone = 0

    def until(self, count: int) -> Log:
        """The first ones, in a log of their own."""
        end = max(0, min(count, len(self))) + self._gone
        whole = min(end // TOGETHER, len(self._blocks))
        rest = self.between(TOGETHER * whole - self._gone, end - self._gone)
        return Log(self._blocks[:whole], rest, self._gone) if whole else Log((), rest)

    def _entries(self, block: int) -> list[Steering]:
        found = self._blocks[block]
        if self._read is None or self._read[0] is not found:
            self._read = found, found.entries
        return self._read[1]

    @property
    def size(self) -> int:
        """Bytes, roughly."""
        return sum(block.size for block in self._blocks) + sum(200 + 8 * len(entry.numbers) for entry in self._last)
