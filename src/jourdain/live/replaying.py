"""A recording played again: the same commands at the same steps, and whether the same came of it, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..mechanism.errors import JourdainError
from ..session.begin import begin as session_of
from ..session.fingerprint import code
from .document import Document
from .engine import FINEST, Engine
from .recording import Recording, RecordingError, read_recording
from .resting import Run
from .structure import Grid, Structure
from .timeline import state_hash
from .warm_up import warm_up

if TYPE_CHECKING:
    from .live import Live


class Replay:
    """A live machine that follows a recording."""

    def __init__(self, recording: Recording, path: str = "") -> None:
        self.recording, self.path = recording, path
        begun = recording.begin
        self.same_code = begun["code"] == code()
        self.engine = Engine(_structure(begun, path), float(begun["history"]))
        self.checked = 0  # hashes that were the same
        self.diverged: str = ""  # where the first was another
        self._done = 0

    @classmethod
    def open(cls, path: str | Path) -> Replay:
        """A file. Raises RecordingError."""
        return cls(read_recording(path), str(path))

    def run(self, look: Callable[[int], None] | None = None) -> Engine:
        """Play all of it."""
        for number, command in enumerate(self.recording.commands, 2):
            try:
                self._follow(command)
            except (JourdainError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
                raise RecordingError(f"{self.path}: record {number} cannot be repeated: {error}") from None
            if look is not None:
                look(number)
        return self.engine

    def _follow(self, command: dict[str, Any]) -> None:
        engine, do, n = self.engine, command["do"], command["n"]
        if do == "seek":
            engine.seek(n, command.get("items"))
            return
        if do == "take":
            engine.take(command["branch"])
            return
        if n < engine.n:
            raise RecordingError(f"step {n} is behind step {engine.n}")
        if n > engine.n and not engine.advance(n - engine.n):
            raise RecordingError(f"the machine does not come to step {n}: {engine.failure}")
        if do == "hash":
            self._compare(n, command["hash"])
        elif do == "apply":
            engine.apply(command["operation"])
        elif do in ("undo", "redo"):
            getattr(engine, do)()
        elif do == "grab":
            self._grab(command)
        elif do == "release":
            engine.release(command["hand"])
        elif do in ("lock", "unlock"):
            getattr(engine, do)(command["body"])
        elif do == "steer":
            engine.steer({str(name): float(value) for name, value in command["numbers"].items()})
        elif do == "divide":
            engine.divide(max(1, min(FINEST, command["parts"])))
        elif do == "drag":
            engine.drag({int(k): [float(x) for x in r] for k, r in command["aims"].items()})

    def _grab(self, command: dict[str, Any]) -> None:
        """Hands that were refused are not in recordings."""
        dim, at = self.engine.structure.document.blueprint.dim, command.get("at")
        along = [tuple(map(float, direction)) for direction in command["directions"]]
        if not along or any(len(one) != dim for one in along) or (at is not None and len(at) != dim):
            raise RecordingError(f"a hand has {dim} coordinates here")
        number, outcome = self.engine.grab(command["body"], command["point"], at, along, command.get("turns") is True)
        if not number:
            raise RecordingError(outcome.sentence)

    def _compare(self, n: int, hashed: str) -> None:
        if self.diverged:
            return
        if state_hash(self.engine.structure) == hashed:
            self.checked += 1
        else:
            self.diverged = f"at step {n}, t = {self.engine.t:g} s"

    def live(self, look: Callable[[int], None] | None = None) -> Live:
        """All of it, played, as a machine that goes on from there; it stands at the end."""
        from .live import Live

        engine = self.run(look)
        structure = engine.structure
        written = {key: value for key, value in structure.session.written.items() if key in ("integrator", "step")}
        warm_up(structure.document.blueprint.space, written, lambda done, total, what: None)
        return Live(engine, speed=1.0, clock=None, so_far=[c for c in self.recording.commands if c["do"] != "end"])

    @property
    def sentence(self) -> str:
        """What came of it."""
        end = (
            "" if self.recording.whole else "; the recording was cut off, and was followed up to its last whole record"
        )
        if self.diverged:
            why = "" if self.same_code else " (it was recorded by another release, or on another processor)"
            return f"the repetition diverged {self.diverged}{why}{end}"
        return f"repeated to the bit: {self.checked} of {self.checked} states are the same{end}"


def _structure(begun: dict[str, Any], path: str) -> Structure:
    source = begun.get("path")
    document = Document(begun["text"], path=source if isinstance(source, str) else None)
    if document.mechanism is None or document.faults:
        told = "; ".join(str(fault) for fault in document.faults[:3])
        raise RecordingError(f"{path}: the text of the recording has faults: {told}")
    try:
        session = session_of(document.blueprint, **begun["choices"])
    except (JourdainError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise RecordingError(f"{path}: the machine of the recording cannot be made: {error}") from None
    step = getattr(session.choices.integrator, "step", None)
    if step != begun["step"]:
        raise RecordingError(f"{path}: the recording has steps of {begun['step']} s, its choices of {step} s")
    return Structure(document, Run(session), Grid(0, session.t, float(step)))
