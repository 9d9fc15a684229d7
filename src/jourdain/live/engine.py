"""The live machine without a clock: steps, commands, history. What it does depends on nothing but what it is told.

Every command is stamped with the step at which it acts; the same commands at the same steps give the same bits. So a
recording is the list of commands, and a branch a list that goes on otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import ChoiceError, JourdainError
from ..mechanism.names import nearest
from ..mechanism.numbers import get, path_of, put
from ..mechanism.parts import GROUND, PortName
from ..mechanism.rotations import matrix_from_quaternion
from ..session.editing import Outcome
from .document import Document
from .dragging import dragged
from .hands import Grip
from .locks import Lock, lock_of
from .operations import RAMP, OperationError, checked
from .steering import Packed, Steering
from .structure import Structure, changed, same_total
from .timeline import DENSE, FINE, Spot, Timeline, state_hash

Array = npt.NDArray[np.float64]
Command = dict[str, Any]
Aims = Mapping[int, Sequence[Sequence[float]]]

MAIN = "main"
# Into how many parts steps are divided, and what part of their force hands exert: tried one after the other.
TRIALS = ((1, 1.0), (4, 1.0), (16, 1.0), (16, 0.1), (16, 0.0))
FINER, FINEST = 16, 64
# Parts of the energy exchanged in a frame that are out of balance: beyond, steps are divided; hands are weakened.
WRONG, GROSS = 1e-6, 1e-2


class Engine:
    """A structure at a step, and where it has been."""

    def __init__(self, structure: Structure, history: float) -> None:
        self.structure, self.history, self.n = structure, history, 0
        self.timeline = Timeline(MAIN)
        self.timelines = {MAIN: self.timeline}
        self.snapshots: dict[str, tuple[str, int]] = {}
        self.failure = ""  # why it cannot go on
        self.tell: Callable[[str, str], None] = lambda kind, words: None
        self.log: Callable[[Command], None] = lambda command: None
        self.parts = 1  # into which a step is divided
        self._hands = 0  # that were ever there
        self.said: dict[int, str] = {}  # of hands, in the frame before
        self._behind: Spot | None = None  # where it stands in what was; None: behind everything that was done
        self.timeline.keep(0, structure)

    # What it is like -------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        return self.structure.session.t

    @property
    def _dense(self) -> int:
        """Steps between two marks."""
        return max(1, round(DENSE / self.structure.grid.h))

    # Going on --------------------------------------------------------------------------------------------------------

    def advance(self, steps: int) -> bool:
        """On by so many steps; False where it cannot go on, and `failure` says why."""
        self._go_on()
        last = self.n + steps
        while self.n < last:
            if not self._settle():
                return False
            stop = min(last, (self.n // self._dense + 1) * self._dense)
            ramp = self.structure.next_stop
            stop = stop if ramp is None else min(stop, ramp)
            if not self._run(stop):
                return False
            self._arrived()
        return True

    def _run(self, stop: int) -> bool:
        session, grid = self.structure.session, self.structure.grid
        times = grid.times(self.n + 1, stop, self.parts)
        session.events.told.clear()
        try:
            status = session.through(times)
            words = status.sentence
        except JourdainError as error:
            words = str(error)
        self.timeline.happened += [one for one in session.events.told if one.t <= session.t]
        if session.t >= times[-1]:
            self.n = stop
            self.timeline.end = max(self.timeline.end, stop)
            return True
        good = max(self.n, grid.step_at(session.t))
        self._restore(self.timeline.head._replace(n=good))
        self.timeline.drop_happened(session.t)
        self.timeline.end = max(self.timeline.end, good)
        self.failure = words
        self.tell("fail", words)
        return False

    def _arrived(self) -> None:
        if self.n % self._dense == 0:
            self.timeline.keep(self.n, self.structure, parts=self.parts)
            if self.n % (4 * self._dense) == 0:
                self.timeline.hashes[self.n] = found = state_hash(self.structure)
                self.log({"do": "hash", "n": self.n, "hash": found})
                for line in self.timelines.values():
                    line.thin(self.t, self.history)
                self._put_away()
        self._settle()

    def _put_away(self) -> None:
        """Sessions that were not needed for a while."""
        marks = {id(mark): mark for line in self.timelines.values() for mark in line.marks}
        recent = [mark for mark in self.timeline.marks if mark.t > self.t - FINE]
        needed = {id(mark.structure.run) for mark in recent} | {id(self.structure.run)}
        for mark in marks.values():
            if id(mark.structure.run) not in needed:
                mark.structure.run.rest()

    def _settle(self) -> bool:
        """Joints that have closed are themselves again."""
        stop = self.structure.next_stop
        if stop is None or stop > self.n:
            return True
        found, outcome = self.structure.without_ramps(self.n)
        if found is None:
            self.failure = outcome.sentence
            self.tell("fail", outcome.sentence)
            return False
        self._begin(found, outcome)
        self._drop_outcome()
        return True

    def _begin(self, structure: Structure, outcome: Outcome) -> None:
        """Go on with another structure."""
        self._go_on()
        self.structure, self.failure = structure, ""
        self.timeline.keep(self.n, structure, change=True, outcome=outcome, parts=self.parts)

    # Changes ---------------------------------------------------------------------------------------------------------

    def apply(self, operation: Mapping[str, Any]) -> Outcome:
        """Carry out an operation on the document and on what runs."""
        try:
            found = checked(operation)
        except OperationError as error:
            return Outcome(False, f"nothing was changed: {error}")
        if found["do"] == "set" and (quick := self._slide(found)) is not None:
            return quick
        document = self.structure.document.copy(same_file=True)
        outcome = document.apply(found)
        if not outcome.ok:
            return outcome
        if document.faults:  # the last good machine runs on
            outcome = self._only_document(document, outcome)
        else:
            defaults = document.blueprint.defaults  # with units understood
            chosen = {key: defaults.get(key) for key in found if key != "do"} if found["do"] == "choose" else {}
            outcome = self._change(document, outcome, found, chosen)
        if outcome.ok:
            self.log({"do": "apply", "n": self.n, "operation": found})
        return outcome

    def _change(
        self,
        document: Document,
        said: Outcome,
        operation: Mapping[str, Any],
        chosen: Mapping[str, Any],
        renamed: tuple[str, ...] = (),
    ) -> Outcome:
        if operation.get("do") == "set" and (quick := self._set(document, operation, said)) is not None:
            return quick
        close = operation.get("close", RAMP)
        renamed = renamed or _renamed(operation)
        structure, outcome = changed(
            self.structure, self.n, document=document, close=close, written=chosen, renamed=renamed
        )
        if structure is None:
            return outcome
        whole = Outcome(True, f"{said.sentence}; {outcome.sentence}", outcome.impulses, outcome.lost)
        self._begin(structure, whole)
        self.tell("edit", whole.sentence)
        return whole

    def _only_document(self, document: Document, said: Outcome) -> Outcome:
        """The text is another; what runs stays."""
        self._go_on()
        self.structure = replace(self.structure, document=document)
        self.timeline.keep(self.n, self.structure, change=True, outcome=said, parts=self.parts)
        self.tell("edit", said.sentence)
        return said

    def _slide(self, operation: dict[str, Any]) -> Outcome | None:
        """Another value of the number that was set last: no text is read. None where that cannot be."""
        document = self.structure.document.with_number(operation)
        if document is None or self.structure.ramps:
            return None
        number, value = operation["number"], float(operation["value"])
        self._go_on()
        try:
            self.structure.session.set(number, value)
        except (JourdainError, KeyError):
            return None
        self.structure, self.failure = replace(self.structure, document=document), ""
        self.timeline.steer(Steering(self.n, {}, 0, (number, value), self.structure))
        self.log({"do": "apply", "n": self.n, "operation": operation})
        return Outcome(True, f"{number} is {value:g} now")

    def _set(self, document: Document, operation: Mapping[str, Any], said: Outcome) -> Outcome | None:
        """A number straight into the run; None where more than that number differs, or a joint would open."""
        number, old, new = operation["number"], self.structure.document, document.blueprint
        try:
            path = path_of(new, number)
            value = float(get(new, path))
            if self.structure.ramps or put(old.blueprint, path, value) != new:
                return None
            self._go_on()
            before = self.structure.session["energy.total"]
            self.structure.session.set(number, value)
            same_total(self.structure.session, before)
        except (KeyError, ChoiceError, JourdainError):
            return None
        document.remember(number, path)
        self.structure, self.failure = replace(self.structure, document=document), ""
        self.timeline.keep(self.n, self.structure, change=True, outcome=said, parts=self.parts)
        self.tell("edit", said.sentence)
        return said

    def undo(self, back: bool = False) -> Outcome:
        """Take the last edit back: from now on, or by going back to before it."""
        if back:
            found = self.timeline.last_edit(self.here)
            if found is None:
                return Outcome(False, "there is no edit to go back to in what is remembered")
            self.go_back_to(found[0])
            return Outcome(True, f"back at t = {self.t:g} s, before: {found[1]}")
        return self._back_or_forth("undo")

    def redo(self) -> Outcome:
        """Make the last edit again that was taken back."""
        return self._back_or_forth("redo")

    def _back_or_forth(self, which: str) -> Outcome:
        document = self.structure.document.copy(same_file=True)
        said = getattr(document, which)()
        if not said.ok:
            return Outcome(False, said.sentence)
        if document.faults or document.mechanism is None:
            outcome = self._only_document(document, said)
        else:
            renamed = _renamed(self.structure.document.last, back=True) if which == "undo" else _renamed(document.last)
            outcome = self._change(document, said, {"do": which}, {}, renamed)
        if outcome.ok:
            self.log({"do": which, "n": self.n})
        return outcome

    # Hands -----------------------------------------------------------------------------------------------------------

    def grab(
        self,
        body: str,
        point: str,
        at: Sequence[float] | None,
        directions: Sequence[Sequence[float]],
        turns: bool = False,
    ) -> tuple[int, Outcome]:
        """A hand at a point of a body, or one that turns it: its number (0: refused), and what became of it."""
        blueprint = self.structure.document.blueprint
        if body == GROUND or not blueprint.has_body(body):
            names = [part.name for part in blueprint.bodies]
            return 0, Outcome(False, f"there is no body '{body}' to take hold of; {nearest(body, names)}")
        ports = blueprint.ports_of(body)
        if at is None and point not in ports:
            return 0, Outcome(False, f"'{body}' has no point '{point}'; {nearest(point, ports)}")
        number = self._hands + 1
        place = ports[point].at if at is None else tuple(float(x) for x in at)
        name = point if at is None else f"_held{number}"
        if turns and blueprint.dim == 2:
            return 0, Outcome(False, "in the plane a body is turned by pulling at a point of it")
        grip = Grip(number, PortName(body, name), tuple(place), tuple(map(tuple, directions)))
        if turns:
            R = matrix_from_quaternion(self.structure.session.state()[body].attitude)
            grip = replace(
                grip, turned_from=tuple(R.ravel().tolist()), scale=self.structure.session.prepared.model.size
            )
        structure, outcome = changed(self.structure, self.n, grips=(*self.structure.grips, grip))
        if structure is None:
            return 0, outcome
        self._hands = number
        told = {"body": body, "point": point, "at": at, "directions": list(directions), "turns": turns}
        self.log({"do": "grab", "n": self.n, **told})
        p, _ = structure.hold.points(structure.session.y)
        dim, zero = structure.hold.dim, (0.0,) * structure.hold.dim
        k = len(structure.grips) - 1
        aimed = grip.aimed(self.t, (p[k * dim : (k + 1) * dim].tolist(), zero, zero))
        self._begin(structure.aimed((*structure.grips[:-1], aimed)), outcome)
        self._drop_outcome()
        return number, outcome

    def _drop_outcome(self) -> None:
        """Hands are no edits that undo goes back to."""
        mark = self.timeline.marks[-1]
        self.timeline.marks[-1] = replace(mark, sentence="", outcome=None)

    def release(self, number: int) -> Outcome:
        """Let go."""
        rest = tuple(grip for grip in self.structure.grips if grip.number != number)
        if len(rest) == len(self.structure.grips):
            return Outcome(False, f"hand {number} holds nothing")
        structure, outcome = changed(self.structure, self.n, grips=rest)
        if structure is not None:
            self._begin(structure, outcome)
            self._drop_outcome()
            self.log({"do": "release", "n": self.n, "hand": number})
        return outcome

    # Locks -----------------------------------------------------------------------------------------------------------

    def lock(self, body: str) -> Outcome:
        """Hold a body where it is; what moves it is stopped by an impulse."""
        blueprint, locks = self.structure.document.blueprint, self.structure.locks
        if not blueprint.has_body(body):
            return Outcome(
                False, f"there is no body '{body}' to lock; {nearest(body, [b.name for b in blueprint.bodies])}"
            )
        if any(lock.body == body for lock in locks):
            return Outcome(False, f"'{body}' is locked already")
        held = lock_of(body, self.structure.session.state())
        return self._locked((*locks, held), {"do": "lock", "n": self.n, "body": body}, f"{body} is locked")

    def unlock(self, body: str) -> Outcome:
        """Let a body move again."""
        rest = tuple(lock for lock in self.structure.locks if lock.body != body)
        if len(rest) == len(self.structure.locks):
            return Outcome(False, f"'{body}' is not locked")
        return self._locked(rest, {"do": "unlock", "n": self.n, "body": body}, f"{body} moves again")

    def _locked(self, locks: Sequence[Lock], command: Command, words: str) -> Outcome:
        structure, outcome = changed(self.structure, self.n, locks=locks)
        if structure is None:
            driven = self.structure.document.blueprint.motions and command["do"] == "lock"
            words = f"'{command['body']}' cannot be locked: a motion drives it, or drives what hangs on it"
            return Outcome(False, words) if driven else outcome
        if outcome.lost > 0:
            words += f"; the impulse that stopped it took {outcome.lost:.3g} J"
        told = Outcome(True, words, outcome.impulses, outcome.lost)
        self._begin(structure, told)
        self._drop_outcome()
        self.log(command)
        self.tell("hand", words)
        return told

    # Frames ----------------------------------------------------------------------------------------------------------

    def go(self, steps: int, aims: Aims | None = None, wrong: Callable[[], float] = lambda: 0.0) -> bool:
        """A frame: hands aimed, and so many steps. What fails is tried with shorter steps, then with weaker hands.

        So is what `wrong` says to be out of balance.
        """
        self._go_on()
        line, n, structure = self.timeline, self.n, self.structure
        before = list(line.marks), line.dropped + len(line.log), line.end, self.parts
        log, tell, ok = self.log, self.tell, False
        trials = [(f, w) for f, w in TRIALS if w == 1 or aims is not None]
        trials = [(f, w) for f, w in trials if f == 1 or w < 1 or self.parts < FINEST]  # it is as fine already
        for finer, weakened in trials:
            commands: list[Command] = []
            words: list[tuple[str, str]] = []
            self.log, self.tell = commands.append, _listening(words)
            try:
                if finer > 1:
                    self.divide(min(FINEST, before[3] * finer))
                if aims is not None:
                    self.aim(aims, weakened)
                ok = self.advance(steps)
            finally:
                self.log, self.tell = log, tell
            good = ok and wrong() <= (GROSS if self.parts >= FINEST or finer >= FINER else WRONG)
            if good or (finer, weakened) == trials[-1]:
                break
            marks, done, end, self.parts = before
            line.marks, line.end, self.structure, self.failure = marks[:], end, structure, ""
            line.log = line.log.until(done - line.dropped)
            self._restore(line.head._replace(n=n))
            line.drop_happened(self.t)
        if self.parts > before[3]:
            tell("step", f"the step is too long for this: it is divided by {self.parts}")
        if weakened < 1:
            tell("hand", "the machine cannot be pulled so hard: hands exert a part of their force")
        if ok and (part := wrong()) > GROSS:
            tell("step", f"energy is out of balance by {part:.1%} of what was exchanged: no step is short enough here")
        for command in commands:
            log(command)
        for one in words:
            tell(*one)
        return ok

    def divide(self, parts: int) -> None:
        """From here on a step is made in so many parts."""
        self._go_on()
        self.parts = parts
        self.timeline.steer(Steering(self.n, {}, parts))
        self.log({"do": "divide", "n": self.n, "parts": parts})

    def aim(self, aims: Aims, weakened: float = 1.0) -> None:
        """Where hands shall be now: r, r', r'' by number. The machine is steered there until they are aimed anew."""
        grips = [g.aimed(self.t, aims[g.number]) if g.number in aims else g for g in self.structure.grips]
        self.structure = self.structure.aimed(grips)
        pull = self.structure.hold.pull(self.t, self.structure.session.y, weakened)
        for number, words in pull.told.items():
            if self.said.get(number) != words:
                self.tell("hand", words)
        self.said = dict(pull.told)
        self.steer(pull.numbers)

    def steer(self, numbers: Mapping[str, float]) -> None:
        """Parameters of hands from here on."""
        self._go_on()
        packed = Packed.of(numbers)
        self.timeline.steer(Steering(self.n, packed))
        self.log({"do": "steer", "n": self.n, "numbers": packed})
        self.structure.session.steer(numbers)

    def drag(self, aims: Mapping[int, Sequence[float]]) -> Outcome:
        """Move the machine that stands still: joints stay closed, points come as near as they can."""
        self._go_on()
        self.log({"do": "drag", "n": self.n, "aims": {str(k): [float(x) for x in r] for k, r in aims.items()}})
        y, outcome = dragged(self.structure.hold, self.t, self.structure.session.y, aims)
        self.structure.session.place(y)
        self.timeline.keep(self.n, self.structure, change=True, parts=self.parts)
        if outcome.sentence:
            self.tell("hand", outcome.sentence)
        return outcome

    # Time ------------------------------------------------------------------------------------------------------------

    def seek(self, n: int, items: int | None = None) -> None:
        """Go to a step of this branch; behind the first so many things that were done there, if that is said."""
        line = self.timeline
        n = max(n, line.marks[0].n)
        if items is not None:
            self.go_back_to(line.spot(n, items))
        else:
            self.go_back_to(line.head if n >= line.end else line.arrival(n))

    def go_back_to(self, spot: Spot) -> None:
        """Go to a spot of this branch."""
        line = self.timeline
        self._restore(spot)
        self.failure = ""
        plain = spot == (line.head if spot.n >= line.end else line.arrival(spot.n))
        self.log({"do": "seek", "n": spot.n, **({} if plain else {"items": line.items(spot)})})

    @property
    def here(self) -> Spot:
        """Where it stands in this branch."""
        return self.timeline.head if self._behind is None else self._behind

    def _restore(self, spot: Spot) -> None:
        mark, entries = self.timeline.way(spot)
        self.structure, self.n, self.parts = mark.structure, mark.n, mark.parts
        self.structure.session.restore(mark.bytes)
        for entry in entries:
            self._once_more(entry)
        self._repeat(spot.n)
        self._behind = None if spot >= self.timeline.head else spot

    def _once_more(self, entry: Steering) -> None:
        """What was done, in its step."""
        self._repeat(entry.n)
        session = self.structure.session
        self.parts = entry.parts or self.parts
        if entry.numbers:
            session.steer(entry.numbers)
        if entry.setting is not None and entry.structure is not None:
            session.set(*entry.setting)
            self.structure = entry.structure

    def visit(self, steps: Iterable[int]) -> Iterator[int]:
        """Stand at one step after the other, on arrival there; they go up."""
        last, done = None, 0
        for n in steps:
            spot = self.timeline.arrival(n)
            mark, entries = self.timeline.way(spot)
            if mark is not last:
                self._restore(Spot(mark.n, spot.marks, mark.done))
                last, done = mark, 0
            for entry in entries[done:]:
                self._once_more(entry)
            done = len(entries)
            self._repeat(n)
            yield n

    def _repeat(self, n: int) -> None:
        if n > self.n:
            self.structure.session.through(self.structure.grid.times(self.n + 1, n, self.parts))
            self.n = n

    def _go_on(self) -> None:
        """Whoever goes on in the past takes another way; what was to come stays in its branch."""
        if self._behind is None:
            return
        k = 1
        while (name := f"branch {k}") in self.timelines:
            k += 1
        self.timeline = self.timelines[name] = self.timeline.branch(name, self._behind, self.t)
        self._behind = None
        self.timeline.keep(self.n, self.structure, change=True, parts=self.parts)
        self.tell("branch", f"{name} begins at t = {self.t:g} s")

    def time_of(self, name: str, n: int) -> float:
        """When a step of a branch ends; steps may have changed their length."""
        marks = self.timelines[name].marks
        return next((mark for mark in reversed(marks) if mark.n <= n), marks[0]).structure.grid.at(n)

    def take(self, name: str) -> None:
        """Go to the end of another branch. Raises ChoiceError."""
        if name not in self.timelines:
            raise ChoiceError(f"there is no branch '{name}'; {nearest(name, self.timelines)}")
        self.timeline = self.timelines[name]
        self._restore(self.timeline.head)
        self.failure = ""
        self.log({"do": "take", "n": self.n, "branch": name})


def _renamed(operation: Mapping[str, Any], back: bool = False) -> tuple[str, ...]:
    """What a renaming renames, `(bodies, crank, arm)` or `(bodies, crank, B, C)` of a point; nothing of others."""
    if operation.get("do") != "rename":
        return ()
    steps = [step for step in operation["part"].split(".") if step != "points"]
    if steps[0] == GROUND:
        return ()
    steps = ["bodies", *steps] if len(steps) == 1 else steps  # a name alone; of a body, if that matters
    old, new = (operation["to"], steps[-1]) if back else (steps[-1], operation["to"])
    return (*steps[:-1], old, new)


def _listening(words: list[tuple[str, str]]) -> Callable[[str, str], None]:
    return lambda kind, said: words.append((kind, said))
