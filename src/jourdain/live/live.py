"""Live: a machine that runs by the clock in a thread of its own, and may be touched from any other.

One lock guards the machine; a frame holds it for as long as its steps take, and nobody else holds it for longer, but
for `apply` and `seek`. With a clock of the user's own there is no thread, and `tick` makes a frame.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.arguments import is_finite
from ..mechanism.errors import ChoiceError, JourdainError
from ..mechanism.names import nearest
from ..mechanism.stays_here import StaysHere
from ..optional import need
from ..results.reload import Reloaded
from ..results.solution import Solution
from ..session.editing import Outcome
from ..session.event_actions import Happened
from .document import Document
from .engine import Engine
from .hands import directions
from .look import Frame, Look, look
from .pace import Pace
from .past_samples import Piece, joined, last_piece, pieces_between
from .pointer import Pointer
from .pull_balance import Balance
from .recording import Recorder
from .subsystem_names import known, parts_of, understood

Array = npt.NDArray[np.float64]

FRAME = 1.0 / 60.0  # s
SOONEST = FRAME / 2  # s between two frames, however fast a pointer is
PATIENT = FRAME / 4  # s, by which a frame waits for a pointer that comes at 60 Hz
MOST_NOTES = 1000
MOST_COMMANDS = 10_000  # that are kept for a recording that begins later
KINDS = ("frame", "edit", "hand", "branch", "fail", "slow", "step")


@dataclass(frozen=True)
class Branch:
    """A way that the machine has taken."""

    name: str
    start: float
    end: float
    parent: str
    since: float


class Hand:
    """A point that is held."""

    def __init__(self, live: Live, number: int, outcome: Outcome) -> None:
        self._live, self.number, self.outcome = live, number, outcome

    @property
    def holds(self) -> bool:
        """Whether there is something in it."""
        return self.number in self._live.hands

    def move(self, r: Sequence[float]) -> None:
        """Pull towards r, in fixed axes."""
        self._live._move(self.number, r)

    def release(self) -> None:
        """Let go."""
        self._live._release(self.number)

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"<Hand {self.number}: {'holds' if self.holds else 'holds nothing'}>"


class Live(StaysHere):
    """A live machine: `play`, `pause`, `grab`, `apply`, `seek`, `undo`, `record`."""

    INSTEAD = "record it, and replay the recording"

    def __init__(
        self,
        engine: Engine,
        *,
        speed: float,
        clock: Callable[[], float] | None,
        notes: Sequence[str] = (),
        so_far: Sequence[dict[str, Any]] = (),
    ) -> None:
        self._engine, self._lock = engine, threading.RLock()
        self._clock, self._by_itself = clock or time.perf_counter, clock is None
        self._pace = Pace(speed, FRAME)
        self._playing = False
        self._stopped = ""  # what a function that was called, or something unforeseen, raised
        self._pointers: dict[int, Pointer] = {}
        self._listeners: dict[str, list[Callable[..., Any]]] = {kind: [] for kind in KINDS}
        self._recorder: Recorder | None = None
        self.notes: list[str] = list(notes)
        self._slow = False
        self._balance = Balance()
        self._named: tuple[Any, frozenset[str]] = None, frozenset()
        self._thread: threading.Thread | None = None
        self._end = threading.Event()
        self._pulled = threading.Event()  # a pointer moved: the next frame comes sooner
        self._new_frame = threading.Condition()
        engine.tell, engine.log = self._tell, self._log
        self._commands: list[dict[str, Any]] | None = list(so_far)  # for a recording that begins later

    # Beginning and end -----------------------------------------------------------------------------------------------

    def __enter__(self) -> Live:
        if self._by_itself and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="jourdain live", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the machine and finish its recording."""
        self._end.set()
        self._pulled.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None
        with self._lock:
            self._playing = False
            if self._recorder is not None:
                self._recorder.close(self._engine.n)
                self._recorder = None

    def _run(self) -> None:
        """The thread: frames by the clock, or by a pointer that pulls, so that the picture follows it at once."""
        due = time.perf_counter()
        while not self._end.is_set():
            begun = time.perf_counter()
            self.tick()
            due = max(due + FRAME, time.perf_counter() - FRAME)
            if self._pulled.wait(max(1e-4, due - time.perf_counter())):
                self._end.wait(max(0.0, begun + SOONEST - time.perf_counter()))
                self._pulled.clear()
                due = time.perf_counter() + PATIENT  # the pointer tells when the next one is

    # Frames ----------------------------------------------------------------------------------------------------------

    def tick(self) -> Frame:
        """One frame: as many steps as are due."""
        with self._lock:
            try:
                self._frame()
            except JourdainError as error:
                self._stop(str(error))
            except Exception as error:  # noqa: BLE001  (whatever it is, the machine stands and says so)
                self._stop(f"something unforeseen: {type(error).__name__}: {error}")
            frame = self.frame
        self._call("frame", frame)
        with self._new_frame:
            self._new_frame.notify_all()
        return frame

    def _frame(self) -> None:
        engine, now = self._engine, self._clock()
        if not self._playing:
            self._pace.begin(now)
            return
        steps = self._pace.steps(now, engine.structure.grid.h)
        if self._pace.slow and not self._slow:
            words = f"the machine cannot keep pace: it runs at {self._pace.actual:.3g} of {self._pace.speed:g}"
            self._tell("slow", words)
        self._slow = self._pace.slow
        if not steps:
            return
        begun = self._clock()
        aims = self._aims(now, self._pace.speed) if engine.structure.grips else None
        minded = bool(aims) or engine.parts > 1
        ok = engine.go(steps, aims, self._wrong) if minded else engine.go(steps)
        if minded:
            self._mind_balance()
        self._playing = ok and not engine.failure
        self._pace.spent(steps, self._clock() - begun)

    def _wrong(self) -> float:
        return self._balance.wrong(self._engine.structure.session)

    def _mind_balance(self) -> None:
        """Divide steps as long as energy is out of balance."""
        engine = self._engine
        parts = self._balance.parts(engine.structure.session, engine.parts)
        if parts > engine.parts:
            self._tell("step", f"the step is too long for this pulling: it is divided by {parts}")
        if parts != engine.parts:
            engine.divide(parts)

    def _aims(self, now: float, speed: float) -> dict[int, Any]:
        """Where the pointers of hands are going."""
        return {number: self._pointers[number].aim(now, speed) for number in self.hands if number in self._pointers}

    @property
    def frame(self) -> Frame:
        """The last frame."""
        e = self._engine
        document = e.structure.document
        return Frame(e.n, e.t, self._playing, self._pace.speed, self._pace.actual, document.version, self.failure)

    def frames(self) -> Iterator[Frame]:
        """Frames as they come, until the machine is closed; with a clock of your own each is a tick."""
        while not self._end.is_set():
            if not self._by_itself:
                yield self.tick()
                continue
            with self._new_frame:
                self._new_frame.wait(1.0)
            yield self.frame

    # What it is like -------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """s."""
        return self._engine.t

    @property
    def n(self) -> int:
        """The step it stands at."""
        return self._engine.n

    @property
    def playing(self) -> bool:
        return self._playing

    @property
    def document(self) -> Document:
        """A copy of the document as it is; changes go through `apply`."""
        with self._lock:
            return self._engine.structure.document.copy(same_file=True)

    @property
    def hands(self) -> dict[int, str]:
        """What is held, by number."""
        return {grip.number: str(grip.port) for grip in self._engine.structure.grips}

    @property
    def speed(self) -> float:
        """Seconds of the machine a second, as asked for."""
        return self._pace.speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not is_finite(value) or not value > 0:
            raise ChoiceError(f"speed is {value!r}; expected a positive number")
        self._pace.speed = float(value)

    @property
    def actual_speed(self) -> float:
        """The same as it is."""
        return self._pace.actual

    @property
    def failure(self) -> str:
        """Why the machine stands: it cannot go on, or a function that was called raised something."""
        return self._engine.failure or self._stopped

    def __getitem__(self, channel: str | list[str]) -> Any:
        """A channel now; `@1.fx`, `@1.power`, `@1.work` are those of the first hand."""
        with self._lock:
            if isinstance(channel, list | tuple):
                return np.array([self._value(name) for name in channel])
            return self._value(channel)

    def _value(self, channel: str) -> Any:
        session = self._engine.structure.session
        try:
            return session[self._channel(channel)]
        except KeyError:
            name = known(channel, self._parts) if isinstance(channel, str) else channel
            if name == channel:
                raise
            return session[name]

    def _parts(self) -> frozenset[str]:
        """Names of all parts that run."""
        blueprint = self._engine.structure.session.blueprint
        if self._named[0] is not blueprint:
            self._named = blueprint, parts_of(blueprint)
        return self._named[1]

    def look(self, channels: Sequence[str] = ()) -> Look:
        """Where all bodies and hands are, and channels, at one moment: what a picture needs."""
        with self._lock:
            names = {name: known(name, self._parts) for name in channels}
            found = look(self._engine, self.frame, list(names.values()))
            return replace(found, values={given: found.values[name] for given, name in names.items()})

    @property
    def channels(self) -> list[str]:
        """Names of all channels."""
        with self._lock:
            return self._engine.structure.session.channels

    def _channel(self, name: str) -> str:
        if not isinstance(name, str) or not name.startswith("@"):
            return name
        number, _, rest = name[1:].partition(".")
        if not number.isdigit() or int(number) not in self.hands:
            raise KeyError(f"there is no hand '@{number}'; {nearest(number, map(str, self.hands))}")
        return f"_hand{number}.{rest}"

    # Time ------------------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Let it run."""
        with self._lock:
            if self._engine.failure:
                self._tell("fail", self._engine.failure)
                return
            for number in self.hands.keys() - self._pointers.keys():  # of the past, and let go since
                self._engine.release(number)
            self._pace.begin(self._clock())
            self._playing, self._stopped = True, ""

    def pause(self) -> None:
        """Let it stand."""
        with self._lock:
            self._playing = False

    def step(self, n: int = 1) -> Frame:
        """On by n steps, or back where n is negative; paused."""
        with self._lock:
            self._playing = False
            if not isinstance(n, int | np.integer) or isinstance(n, bool):
                raise ChoiceError(f"n is {n!r}; expected a whole number of steps")
            if n > 0:
                self._engine.go(int(n), self._aims(self._clock(), 1.0) if self._engine.structure.grips else None)
            else:
                self._engine.seek(self._engine.n + int(n))
            return self.frame

    def seek(self, t: float | str) -> Frame:
        """Go to a time of this branch, or to a snapshot by name; paused. Going on from there opens a branch."""
        with self._lock:
            self._playing = False
            if isinstance(t, str):
                if t not in self._engine.snapshots:
                    raise ChoiceError(f"there is no snapshot '{t}'; {nearest(t, self._engine.snapshots)}")
                name, n, items = self._engine.snapshots[t]
                if name != self._engine.timeline.name:
                    self._engine.take(name)
                self._engine.seek(n, items)
                return self.frame
            if not is_finite(t):
                raise ChoiceError(f"seek got {t!r}; expected a time")
            self._engine.seek(self._step_at(float(t)))
            return self.frame

    def _step_at(self, t: float) -> int:
        """The step at a time of this branch, whose steps may have changed their length."""
        marks = [mark for mark in self._engine.timeline.marks if mark.t <= t]
        mark = marks[-1] if marks else self._engine.timeline.marks[0]
        return mark.structure.grid.step_at(t)

    def snapshot(self, name: str) -> None:
        """A name for where it stands."""
        with self._lock:
            self._engine.snapshot(str(name))

    @property
    def branches(self) -> dict[str, Branch]:
        """All ways that were taken, by name."""
        with self._lock:
            lines = self._engine.timelines
            ends = {name: line.marks[-1].structure.grid.at(line.end) for name, line in lines.items()}
            return {name: Branch(name, line.start, ends[name], line.parent, line.since) for name, line in lines.items()}

    @property
    def branch(self) -> str:
        """The name of the way it is on."""
        return self._engine.timeline.name

    @property
    def edits(self) -> tuple[tuple[float, str], ...]:
        """When this branch was changed, s, and by what."""
        with self._lock:
            return tuple((m.t, m.sentence) for m in self._engine.timeline.marks if m.change and m.sentence)

    @property
    def happened(self) -> tuple[Happened, ...]:
        """Events of the machine in this branch."""
        with self._lock:
            return tuple(self._engine.timeline.happened)

    @property
    def snapshots(self) -> dict[str, tuple[str, float]]:
        """Moments that have a name: their branch, and when."""
        with self._lock:
            found = self._engine.snapshots.items()
            return {name: (line, self._engine.time_of(line, n)) for name, (line, n, _) in found}

    def take(self, branch: str) -> Frame:
        """Go to the end of another branch; paused."""
        with self._lock:
            self._playing = False
            self._engine.take(branch)
            return self.frame

    # Changes ---------------------------------------------------------------------------------------------------------

    def apply(self, operation: Mapping[str, Any]) -> Outcome:
        """Carry out an operation on the document and on what runs. The outcome tells impulses and energy lost."""
        with self._lock:
            if isinstance(operation, Mapping):
                operation = understood(operation, self._parts)
            return self._engine.apply(operation)

    def undo(self, back: bool = False) -> Outcome:
        """Take the last edit back from now on; `back`: go to before it."""
        with self._lock:
            self._playing = self._playing and not back
            return self._engine.undo(back)

    def redo(self) -> Outcome:
        """Make the last edit again that was taken back."""
        with self._lock:
            return self._engine.redo()

    # Hands -----------------------------------------------------------------------------------------------------------

    def grab(
        self,
        point: str,
        *,
        at: Sequence[float] | None = None,
        plane: Sequence[float] | None = None,
        line: Sequence[float] | None = None,
        turn: bool = False,
    ) -> Hand:
        """Take hold of a point, `crank.B`; or of a body `at` a place in its axes. Raises ChoiceError.

        `plane`, by its normal, or `line`, by its direction, restrict where the hand pulls. A hand that shall `turn` a
        body in space moves to a rotation vector, rad in fixed axes, from where it took hold.
        """
        if not isinstance(point, str):
            raise ChoiceError(f"grab got {point!r}; expected a point such as 'crank.B'")
        with self._lock:
            dim = self._engine.structure.document.blueprint.dim
            try:
                along = directions(dim, plane, line)
                if at is not None and (len(at) != dim or not all(is_finite(x) for x in at)):
                    raise ValueError(f"at is {at!r}; expected {dim} numbers")
            except (TypeError, ValueError) as error:
                raise ChoiceError(f"grab {point}: {error}") from None
            point = known(point, self._parts)
            blueprint = self._engine.structure.document.blueprint
            body, name = blueprint.owner_of(blueprint.full_name(point))
            place = None if at is None else [float(x) for x in at]
            number, outcome = self._engine.grab(body, name, place, along, turn)
            if not number:
                raise ChoiceError(f"grab {point}: {outcome.sentence}")
            hold = self._engine.structure.hold
            p, _v = hold.points(self._engine.structure.session.y)
            self._pointers[number] = Pointer(p[-dim:])
            return Hand(self, number, outcome)

    def _move(self, number: int, r: Sequence[float]) -> None:
        with self._lock:
            dim = self._engine.structure.document.blueprint.dim
            place = np.asarray(r, dtype=float)
            if place.shape != (dim,) or not np.all(np.isfinite(place)):
                raise ChoiceError(f"move got {r!r}; expected {dim} numbers")
            if number not in self.hands:
                raise ChoiceError(f"hand {number} holds nothing")
            place = place * next(g.scale for g in self._engine.structure.grips if g.number == number)
            self._pointers[number].move(self._clock(), place)
            if not self._playing:
                self._engine.drag({number: place.tolist()})
        self._pulled.set()

    def _release(self, number: int) -> None:
        with self._lock:
            self._pointers.pop(number, None)
            if number in self.hands:
                self._engine.release(number)

    def lock(self, body: str) -> Outcome:
        """Hold a body where it is, until `unlock`: as exactly as a joint does, and no part of the document."""
        with self._lock:
            return self._engine.lock(known(body, self._parts))

    def unlock(self, body: str) -> Outcome:
        """Let a locked body move again."""
        with self._lock:
            return self._engine.unlock(known(body, self._parts))

    @property
    def locked(self) -> tuple[str, ...]:
        """Bodies that are held where they are."""
        return tuple(lock.body for lock in self._engine.structure.locks)

    # Who wants to know -----------------------------------------------------------------------------------------------

    def on(self, kind: str, f: Callable[..., Any]) -> None:
        """Call f with a Frame after each `frame`, or with a sentence of an `edit`, `hand`, `branch`, `fail` ..."""
        if kind not in KINDS:
            raise ChoiceError(f"there is no kind {kind!r}; {nearest(kind, KINDS)}")
        if not callable(f):
            raise ChoiceError(f"{f!r} is no function")
        self._listeners[kind].append(f)

    def _call(self, kind: str, what: Any) -> None:
        for f in self._listeners[kind]:
            try:
                f(what)
            except Exception as error:  # noqa: BLE001  (whatever it is, the machine stands and says so)
                self._stop(f"a function called on '{kind}' raised {type(error).__name__}: {error}")

    def _tell(self, kind: str, words: str) -> None:
        self.notes.append(f"t = {self._engine.t:g} s: {words}")
        del self.notes[:-MOST_NOTES]
        self._call(kind, words)

    def _stop(self, words: str) -> None:
        self._playing = False
        if words == self._stopped:  # each frame
            return
        self._stopped = words
        self._tell("fail", words)

    # Recordings and results ------------------------------------------------------------------------------------------

    def save(self, path: str | Path | None = None, *, overwrite: bool = False) -> Path:
        """Write the document as it is to its file, or to another one, as `Document.save` does."""
        return self.document.save(path, overwrite=overwrite)

    def record(self, path: str | Path) -> Path:
        """Write everything that is done, from the start on, to a recording."""
        with self._lock:
            if self._recorder is not None:
                raise JourdainError(f"it is being recorded already, in {self._recorder.path}")
            if self._commands is None:
                raise JourdainError("so much was done that the beginning is forgotten; record from the start on")
            self._recorder = Recorder(Path(path), self._engine, self._commands)
            return self._recorder.path

    def _log(self, command: dict[str, Any]) -> None:
        if self._recorder is not None:
            self._recorder.write(command)
        if self._commands is not None:
            self._commands.append(command)
            if self._engine.t > self._engine.history or len(self._commands) > MOST_COMMANDS:
                self._commands = None

    def solution(self, start: float | None = None, end: float | None = None, *, every: float = FRAME) -> Solution:
        """What happened between two times of this branch, as `simulate` gives it, as far as one structure reaches."""
        return last_piece(self._pieces(start, end, every))

    def pieces(self, start: float | None = None, end: float | None = None, *, every: float = FRAME) -> list[Solution]:
        """The same, a Solution for each structure that the machine had."""
        return [piece.solution for piece in self._pieces(start, end, every)]

    def history(self, start: float | None = None, end: float | None = None, *, every: float = FRAME) -> Reloaded:
        """All of it as one table, to plot, to save, to animate. Channels have no number where their part was away."""
        return joined(self._pieces(start, end, every), self.document.blueprint.name)

    def _pieces(self, start: float | None, end: float | None, every: float) -> list[Piece]:
        if not is_finite(every) or not every > 0:
            raise ChoiceError(f"every is {every!r}; expected seconds")
        with self._lock:
            first = self._engine.timeline.start if start is None else float(start)
            last = self._engine.t if end is None else float(end)
            if not last >= first:
                raise ChoiceError(f"the end, t = {last:g} s, is before the start, {first:g} s")
            return pieces_between(self._engine, self._step_at(first), self._step_at(last), every)

    def show(self, height: int = 560) -> Any:
        """This machine on the page of the studio: below the cell of a notebook, else at the address that is told."""
        return need("jourdain.studio.show", "the page of a live machine", "'jourdain[studio]'").show(self, height)

    def __repr__(self) -> str:
        name, how = self._engine.structure.document.blueprint.name, "plays" if self._playing else "paused"
        return f"<Live {name} at t = {self.t:g} s, {how}, {self._pace.actual:.3g} of {self._pace.speed:g} x>"
