"""`jourdain live`: a machine in a terminal. It plays, says a line a second, and takes what is typed, one a line."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from ..mechanism.errors import JourdainError
from . import codes
from .codes import UsageError
from .sources import mechanism_path, parameters

PATIENCE = 2.0  # s that a pipe may be silent before that is told

WORDS = """\
  {do: set, number: k, value: 300 N/m}      an operation, as in docs/live.md
  play | pause | step [N] | speed X         time goes on, stands, by steps, faster
  seek T|NAME | snapshot NAME               to a time or a name of one
  branches | take BRANCH                    ways that were taken, and to the end of one
  undo [back] | redo                        edits, from now on or back to then
  grab BODY.POINT | move HAND X Y [Z] | release HAND
  wait T                                    the next line waits so many seconds of the machine
  show CHANNEL ..                           values now
  save [FILE] [over] | help | quit          over: also where a file is, or was changed meanwhile"""


class WallClock:
    """Frames by the clock on the wall."""

    def __init__(self) -> None:
        self._due = time.perf_counter()

    def __call__(self) -> float:
        return time.perf_counter()

    def wait(self, frame: float) -> None:
        self._due = max(self._due + frame, time.perf_counter())
        time.sleep(max(0.0, self._due - time.perf_counter()))


class NoWait:
    """Frames one after the other, as fast as they come."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def wait(self, frame: float) -> None:
        self._now += frame


def live(arguments: Any) -> int:
    """Play until it is told to quit, or for a time."""
    from ..live.beginning import begin, document_of
    from ..live.live import FRAME

    document = document_of(mechanism_path(arguments.file))
    for name, value in parameters(arguments.set).items():
        outcome = document.apply({"do": "set", "number": name, "value": value})
        if not outcome:
            raise UsageError(f"--set {name}: {outcome.sentence}")
    given = {key: getattr(arguments, key) for key in ("integrator", "step", "coordinates")}
    choices = {key: value for key, value in given.items() if value is not None}
    clock = NoWait() if arguments.no_wait else WallClock()
    machine = begin(document, speed=arguments.speed, clock=clock, progress=_progress, **choices)
    with machine:
        if arguments.record:
            machine.record(arguments.record)
        for note in machine.notes:
            _say(note)
        terminal = Terminal(machine, arguments.quiet)
        lines = Lines(patient=arguments.no_wait)
        machine.play()
        try:
            return terminal.run(lines, clock, FRAME, arguments.duration)
        except KeyboardInterrupt:
            _say("interrupted; what was recorded is kept")
            return codes.INTERRUPTED


def _progress(done: int, total: int, words: str) -> None:
    if done == total and total:
        return
    sys.stderr.write(f"jourdain: getting ready {done + 1} of {total}: {words}\n")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


class Lines:
    """What is typed or piped, line by line as it comes."""

    def __init__(self, patient: bool) -> None:
        """`patient`: whoever asks for the next line of a pipe waits for it."""
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # None: there are no more
        self.ended = False
        stream = sys.stdin
        self._patient = patient and stream is not None and not stream.isatty()
        try:
            number = stream.fileno()
        except (OSError, AttributeError, ValueError):  # no file: whatever it is, all of it can be read
            with contextlib.suppress(OSError, AttributeError):
                for line in stream.read().splitlines():
                    self._queue.put(line)
            self._queue.put(None)
            return
        threading.Thread(target=self._read, args=(number,), daemon=True).start()

    def _read(self, number: int) -> None:
        """By the descriptor: a buffered reader in another thread does not let Python end."""
        left = b""
        with contextlib.suppress(OSError):
            while piece := os.read(number, 65536):
                *lines, left = (left + piece).split(b"\n")
                for line in lines:
                    self._queue.put(line.decode(errors="replace"))
        if left:
            self._queue.put(left.decode(errors="replace"))
        self._queue.put(None)

    def take(self) -> str | None:
        """The next line; None if there is none, or none yet."""
        said = False
        while not self.ended:
            try:
                line = self._queue.get(timeout=PATIENCE) if self._patient else self._queue.get_nowait()
            except queue.Empty:
                if not self._patient:
                    return None
                if not said:
                    sys.stderr.write("jourdain: waiting for lines; end them, or give </dev/null, to go on without\n")
                said = True
                continue
            self.ended = line is None
            return line
        return None


class Terminal:
    """One live machine and the words for it."""

    def __init__(self, machine: Any, quiet: bool) -> None:
        self.machine, self.quiet = machine, quiet
        self._hands: dict[int, Any] = {}
        self._until = -float("inf")
        self._told, self._second = len(machine.notes), -1
        self._code, self._quit = codes.OK, False

    def run(self, lines: Lines, clock: Any, frame: float, duration: float | None) -> int:
        """Frames and lines until the end."""
        machine = self.machine
        self._tell()
        while not self._quit:
            while machine.t >= self._until - 1e-9 or not machine.playing:
                line = lines.take()
                if line is None:
                    break
                self.obey(line)
                if self._quit:
                    return self._code
            clock.wait(frame)
            machine.tick()
            self._tell()
            if machine.failure and lines.ended:
                return codes.FAILED
            if duration is not None and machine.t >= duration - 1e-9:
                break
            if lines.ended and (not machine.playing or (duration is None and machine.t >= self._until)):
                break
        return self._code

    def _tell(self) -> None:
        notes = self.machine.notes
        for note in notes[self._told :]:
            _say(note)
        self._told = len(notes)
        if int(self.machine.t) != self._second and not self.quiet:
            self._second = int(self.machine.t)
            _say(self.line())

    def line(self) -> str:
        """Where the machine stands."""
        m = self.machine
        energy, gap = m["energy.total"], m["violation.position"]
        hands = "".join(f"  @{k} {where} {m[f'@{k}.power']:.3g} W" for k, where in m.hands.items())
        return (
            f"t {m.t:9.3f} s  speed {m.actual_speed:5.2f} of {m.speed:g}  energy {energy:.9g} J  gap {gap:.1e}{hands}"
        )

    # Words -----------------------------------------------------------------------------------------------------------

    def obey(self, line: str) -> None:
        """One line. What it cannot do it says."""
        words = line.strip()
        if not words or words.startswith("#"):
            return
        try:
            if words.startswith("{"):
                self._operation(words)
                return
            name, *rest = words.split()
            found: Callable[..., None] | None = getattr(self, f"_word_{name}", None)
            if found is None:
                _say(f"'{name}' is no word of this; help lists them")
                self._code = codes.FAILED
                return
            found(*rest)
        except (JourdainError, KeyError) as error:
            _say(str(error.args[0] if error.args else error))
            self._code = codes.FAILED
        except (TypeError, ValueError):
            _say(f"'{words}' cannot be understood; help says how it is written")
            self._code = codes.FAILED

    def _operation(self, words: str) -> None:
        from ..files.nodes import UnreadableError, parse

        try:
            operation = parse(words, "<line>").plain()
        except UnreadableError as error:
            _say(str(error))
            self._code = codes.FAILED
            return
        self._outcome(self.machine.apply(operation))

    def _outcome(self, outcome: Any) -> None:
        if not outcome.ok:
            self._code = codes.FAILED
            _say(outcome.sentence)
            return
        said = len(self.machine.notes) > self._told
        self._tell()
        if not said:
            _say(f"  {outcome.sentence}")
        for name, impulse in outcome.impulses.items():
            _say(f"  impulse of {name}: {', '.join(f'{x:.4g}' for x in impulse)}")

    def _word_play(self) -> None:
        self.machine.play()

    def _word_pause(self) -> None:
        self.machine.pause()

    def _word_step(self, n: str = "1") -> None:
        self.machine.step(int(n))
        _say(self.line())

    def _word_speed(self, x: str) -> None:
        self.machine.speed = float(x)

    def _word_seek(self, where: str) -> None:
        try:
            target: float | str = float(where)
        except ValueError:
            target = where
        self.machine.seek(target)
        self._until = self.machine.t
        _say(self.line())

    def _word_snapshot(self, name: str) -> None:
        self.machine.snapshot(name)

    def _word_branches(self) -> None:
        for branch in self.machine.branches.values():
            origin = f" from {branch.parent} at {branch.since:g} s" if branch.parent else ""
            _say(f"  {branch.name}: {branch.start:g} to {branch.end:g} s{origin}")

    def _word_take(self, *name: str) -> None:
        self.machine.take(" ".join(name))
        self._until = self.machine.t
        _say(self.line())

    def _word_undo(self, back: str = "") -> None:
        if back not in ("", "back"):
            raise ValueError(back)
        self._outcome(self.machine.undo(back == "back"))

    def _word_redo(self) -> None:
        self._outcome(self.machine.redo())

    def _word_grab(self, point: str) -> None:
        hand = self.machine.grab(point)
        self._hands[hand.number] = hand
        _say(f"  hand {hand.number} holds {point}")

    def _word_move(self, number: str, *place: str) -> None:
        self._hand(number).move([float(x) for x in place])

    def _word_release(self, number: str) -> None:
        self._hand(number).release()

    def _hand(self, number: str) -> Any:
        if int(number) not in self._hands:
            raise JourdainError(f"there is no hand {number}")
        return self._hands[int(number)]

    def _word_wait(self, seconds: str) -> None:
        if not self.machine.playing:
            raise JourdainError("the machine stands, so that waiting would not end; play lets it go on")
        self._until = max(self._until, self.machine.t) + float(seconds)

    def _word_show(self, *channels: str) -> None:
        for name in channels:
            _say(f"  {name} = {self.machine[name]:.12g}")

    def _word_save(self, *words: str) -> None:
        over = words[-1:] == ("over",)
        path = words[:-1] if over else words
        _say(f"  saved {self.machine.save(*path, overwrite=over)}")

    def _word_help(self) -> None:
        _say(WORDS)

    def _word_quit(self) -> None:
        self._quit = True
