"""Where a live machine has been: checkpoints, thinned with age, and what was done, stamped with step numbers.

A state is found again by the last checkpoint before it and the steps from there, with the same numbers in the same
steps: to the last bit. Each change of structure has a checkpoint of its own, so that no change has to be made twice.
"""

from __future__ import annotations

import hashlib
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..session.editing import Outcome
from ..session.event_actions import Happened
from .steering import Log, Steering
from .structure import Structure

Array = npt.NDArray[np.float64]

FINE = 10.0  # s, for which marks are dense
DENSE = 0.25  # s between two of them
COARSE = 1.0  # s between two that are older
MOST_HAPPENED = 10_000  # events that are remembered


@dataclass(frozen=True)
class Mark:
    """A checkpoint at a step: on arrival there, or after a change of the structure."""

    n: int
    t: float
    structure: Structure
    packed: bytes
    done: int  # entries of the log before it
    change: bool
    sentence: str = ""
    outcome: Outcome | None = None
    parts: int = 1  # into which steps are divided

    @property
    def bytes(self) -> bytes:
        return zlib.decompress(self.packed)


class Spot(NamedTuple):
    """A place in a timeline: a step, and behind how many marks and entries of the log, dropped ones included."""

    n: int
    marks: int
    done: int


@dataclass
class Timeline:
    """One branch."""

    name: str
    marks: list[Mark] = field(default_factory=list)
    log: Log = field(default_factory=Log)
    dropped: int = 0  # entries of the log that are older than the history
    hashes: dict[int, str] = field(default_factory=dict)
    happened: list[Happened] = field(default_factory=list)  # events of the machine
    end: int = 0  # the last step
    parent: str = ""
    since: float = 0.0  # s, where it left its parent

    def keep(
        self, n: int, structure: Structure, change: bool = False, outcome: Outcome | None = None, parts: int = 1
    ) -> Mark:
        """A mark of where the machine stands."""
        packed = zlib.compress(structure.session.checkpoint(), 1)
        sentence = "" if outcome is None else outcome.sentence
        t, done = structure.session.t, self.dropped + len(self.log)
        mark = Mark(n, t, structure, packed, done, change, sentence, outcome, parts)
        if self.marks and not change and self.marks[-1].n == n and not self.marks[-1].change:
            self.marks.pop()
        self.marks.append(mark)
        self.end = max(self.end, n)
        return mark

    def steer(self, entry: Steering) -> None:
        self.log.append(entry)

    # Spots -----------------------------------------------------------------------------------------------------------

    @property
    def head(self) -> Spot:
        """Behind everything that was done."""
        return Spot(self.end, len(self.marks), self.dropped + len(self.log))

    def arrival(self, n: int) -> Spot:
        """On arrival at a step, before anything was done there."""
        marks = bisect_left(self.marks, (n, True), key=lambda mark: (mark.n, mark.change))
        done = self.log.before_step(n)
        return Spot(n, max(marks, 1), self.dropped + done)

    def spot(self, n: int, items: int) -> Spot:
        """At a step, behind the first so many things that were done there."""
        there = self.arrival(n)
        for mark, entry in self._items(there):
            if items <= 0 or (entry.n if mark is None else mark.n) > n:
                break
            there = Spot(n, there.marks + (mark is not None), there.done + (mark is None))
            items -= 1
        return there

    def items(self, spot: Spot) -> int:
        """How many things were done at the step of a spot before it."""
        first = self.arrival(spot.n)
        return spot.marks - first.marks + spot.done - first.done

    def _items(self, spot: Spot) -> Iterator[tuple[Mark | None, Steering]]:
        """Changes and entries of the log behind a spot, in the order in which they were done."""
        nothing = Steering(spot.n, {})
        marks, done = spot.marks, spot.done - self.dropped
        while marks < len(self.marks) or done < len(self.log):
            if marks < len(self.marks) and self.marks[marks].done - self.dropped <= done:
                yield self.marks[marks], nothing
                marks += 1
            else:
                yield None, self.log[done]
                done += 1

    def last_edit(self, spot: Spot) -> tuple[Spot, str] | None:
        """Before the last edit up to a spot, and what that was."""
        for k in reversed(range(spot.marks)):
            mark, later = self.marks[k], spot.done if k + 1 == spot.marks else self.marks[k + 1].done
            for j in reversed(range(max(mark.done, self.dropped), later)):
                entry = self.log[j - self.dropped]
                if entry.setting is not None:
                    return Spot(entry.n, k + 1, j), "{} is {:g} now".format(*entry.setting)
            if mark.change and mark.outcome is not None and k > 0:
                return Spot(mark.n, k, mark.done), mark.sentence
        return None

    def way(self, spot: Spot) -> tuple[Mark, list[Steering]]:
        """The mark from which a spot is found, and what was done from there on."""
        mark = self.marks[spot.marks - 1]
        return mark, self.log.between(mark.done - self.dropped, spot.done - self.dropped)

    def thin(self, now: float, history: float) -> None:
        """Forget what is too old, and most of what is old."""
        kept: list[Mark] = []
        for k, mark in enumerate(self.marks):
            last = k == len(self.marks) - 1
            age = now - mark.t
            if not last and age > history and self.marks[k + 1].t <= now - history:
                continue
            coarse = age > FINE and not mark.change and kept and not kept[-1].change
            if not last and coarse and mark.t - kept[-1].t < COARSE * (1 - 1e-6):
                continue
            kept.append(mark)
        self.marks = kept
        first = kept[0].done - self.dropped
        if first > 0:
            self.log.forget(first)
            self.dropped += first
        self.happened = [one for one in self.happened if one.t >= kept[0].t][-MOST_HAPPENED:]
        old = sorted(self.hashes)
        for n in old[: bisect_left(old, kept[0].n)]:
            del self.hashes[n]

    def branch(self, name: str, spot: Spot, t: float) -> Timeline:
        """Another way from a spot on; this one stays as it is."""
        marks, log = self.marks[: spot.marks], self.log.until(spot.done - self.dropped)
        hashes = {step: value for step, value in self.hashes.items() if step <= spot.n}
        happened = [one for one in self.happened if one.t <= t]
        return Timeline(name, marks, log, self.dropped, hashes, happened, spot.n, self.name, t)

    def drop_happened(self, t: float) -> None:
        """Nothing happened after t: it was only tried."""
        while self.happened and self.happened[-1].t > t:
            self.happened.pop()

    @property
    def start(self) -> float:
        """s, from which on it is remembered."""
        return self.marks[0].t

    @property
    def size(self) -> int:
        """Bytes of its marks and log, roughly."""
        return sum(len(mark.packed) + 200 for mark in self.marks) + self.log.size


def state_hash(structure: Structure) -> str:
    """Of where a machine stands."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(np.float64(structure.session.t).tobytes())
    digest.update(np.ascontiguousarray(structure.session.y).tobytes())
    return digest.hexdigest()
