"""What a page may ask for. One function a word; what does not fit its form is refused with a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..analysis.check import check
from ..live.document import Document
from ..live.live import Hand
from ..mechanism.errors import JourdainError
from ..session.editing import Outcome
from . import menus
from .bench import RECORDING, Bench, RefusedError, check_size, examples, faults_of
from .document_links import link_of

MOST_TEXT = 2_000_000  # letters
MOST_HANDS = 10  # of a page
MOST_CHANNELS = 400
MOST_STEPS = 10_000
MOST_NAMED = 100  # snapshots
SPEEDS = 1 / 1024, 64.0
Answer = dict[str, Any]


class Asker:
    """One page at the bench: its hands are its own, and let go when it goes."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.channels: tuple[str, ...] = ()
        self.subscription = 0
        self.hands: dict[int, Hand] = {}
        self._named = 0

    def answer(self, message: Any) -> Answer:
        """What to reply; never raises for what a stranger could have sent."""
        try:
            if not isinstance(message, dict):
                raise RefusedError("expected a table")
            found = WORDS.get(message.get("ask")) if isinstance(message.get("ask"), str) else None
            if found is None:
                raise RefusedError(f"there is no ask {str(message.get('ask'))[:40]!r}")
            reply = {"ok": True, "sentence": "", **(found(self, message) or {})}
        except (JourdainError, KeyError) as error:
            reply = {"ok": False, "sentence": str(error.args[0] if error.args else error)}
        except (TypeError, ValueError, OverflowError, RecursionError):
            reply = {"ok": False, "sentence": "that cannot be understood"}
        return reply

    # Changes ---------------------------------------------------------------------------------------------------------

    def apply(self, message: Answer) -> Answer:
        operation = message.get("operation")
        if not isinstance(operation, dict):
            raise RefusedError("apply: operation is missing")
        bench = self.bench
        if operation.get("do") in ("insert", "text") and bench.live is not None:
            trial = bench.document.copy()
            if trial.apply(operation).ok and not trial.faults:
                check_size(trial)
        if bench.live is None:
            document = bench.document
            outcome = document.apply(operation)
            if outcome.ok:
                bench.mend(document)
            return _told(outcome)
        return self._after(bench.live.apply(operation))

    def undo(self, message: Answer) -> Answer:
        return self._after(self.bench.machine().undo(message.get("back") is True))

    def redo(self, message: Answer) -> Answer:
        return self._after(self.bench.machine().redo())

    def _after(self, outcome: Outcome) -> Answer:
        self.bench.refresh()
        return _told(outcome)

    def check(self, message: Answer) -> Answer:
        """Faults of a text that is being typed."""
        text = _text(message, "text", MOST_TEXT)
        return {"faults": faults_of(Document(text, path=self.bench.document.path))}

    def menu(self, message: Answer) -> Answer:
        parts = message.get("parts")
        section = message.get("section")
        document, live = self.bench.document, self.bench.live
        if document.mechanism is None:
            raise RefusedError("mend the text first")
        if isinstance(section, str):
            return {"rows": menus.of_section(document, section, *self.bench.room)}
        if not isinstance(parts, list) or not 1 <= len(parts) <= 2 or not all(isinstance(p, str) for p in parts):
            raise RefusedError("menu: expected one part, two points, or a section")
        if len(parts) == 2:
            return {"rows": menus.of_points(document, *parts)}
        return {"rows": menus.of_part(document, parts[0], live.locked if live is not None else ())}

    def report(self, message: Answer) -> Answer:
        """Freedoms, redundancy, nearness to singular positions, of the machine as it is drawn."""
        document = self.bench.document
        if document.mechanism is None:
            raise RefusedError("mend the text first")
        return {"lines": str(check(document.mechanism)).splitlines()}

    # Files -----------------------------------------------------------------------------------------------------------

    def examples(self, message: Answer) -> Answer:
        files, recordings = self.bench.files(), self.bench.files(RECORDING)
        return {"examples": list(examples()), "files": files, "recordings": recordings}

    def open(self, message: Answer) -> Answer:
        if "new" in message:
            self.bench.open_new(_text(message, "new", 20))
        elif "example" in message:
            self.bench.open_example(_text(message, "example", 200))
        elif "recording" in message:
            self.bench.open_recording(_text(message, "recording", 1000))
        else:
            self.bench.open_file(_text(message, "file", 1000))
        return {}

    def record(self, message: Answer) -> Answer:
        return {"sentence": self.bench.record()}

    def share(self, message: Answer) -> Answer:
        document = self.bench.document
        if not document.has_text:
            raise RefusedError("a machine with Python functions in it has no text to share")
        return {"link": link_of(document.text)}

    def save(self, message: Answer) -> Answer:
        name = _text(message, "name", 1000) if message.get("name") else None
        return {"sentence": self.bench.save(name, message.get("overwrite") is True)}

    # Time ------------------------------------------------------------------------------------------------------------

    def play(self, message: Answer) -> None:
        self.bench.machine().play()
        self.bench.stir()

    def pause(self, message: Answer) -> None:
        self.bench.machine().pause()
        self.bench.stir()

    def step(self, message: Answer) -> None:
        n = message.get("n", 1)
        if not isinstance(n, int) or isinstance(n, bool) or not 0 < abs(n) <= MOST_STEPS:
            raise RefusedError(f"step: expected at most {MOST_STEPS} steps")
        self.bench.machine().step(n)
        self.bench.refresh()

    def seek(self, message: Answer) -> None:
        to = message.get("t")
        self.bench.machine().seek(_text(message, "t", 200) if isinstance(to, str) else _number(message, "t"))
        self.bench.refresh()

    def speed(self, message: Answer) -> None:
        value = _number(message, "x")
        if not SPEEDS[0] <= value <= SPEEDS[1]:
            raise RefusedError(f"speed: expected {SPEEDS[0]:g} to {SPEEDS[1]:g}")
        self.bench.machine().speed = value
        self.bench.stir()

    def take(self, message: Answer) -> None:
        self.bench.machine().take(_text(message, "branch", 200))
        self.bench.refresh()

    def snapshot(self, message: Answer) -> Answer:
        self._named += 1
        if self._named > MOST_NAMED:
            raise RefusedError(f"snapshot: at most {MOST_NAMED} from one page")
        name = _text(message, "name", 100)
        self.bench.machine().snapshot(name)
        self.bench.mark()
        return {"sentence": f"'{name}' is where it stands"}

    # Locks -----------------------------------------------------------------------------------------------------------

    def lock(self, message: Answer) -> Answer:
        return self._after(self.bench.machine().lock(_text(message, "body", 200)))

    def unlock(self, message: Answer) -> Answer:
        return self._after(self.bench.machine().unlock(_text(message, "body", 200)))

    # Hands -----------------------------------------------------------------------------------------------------------

    def grab(self, message: Answer) -> Answer:
        if len(self.hands) >= MOST_HANDS:
            raise RefusedError(f"at most {MOST_HANDS} hands")
        point, at = _text(message, "point", 200), message.get("at")
        place = None if at is None else [float(x) for x in at]
        plane = message.get("plane")
        normal = None if plane is None else [float(x) for x in plane]
        turn = message.get("turn") is True
        hand = self.bench.machine().grab(point, at=place, plane=None if turn else normal, turn=turn)
        self.hands[hand.number] = hand
        self.bench.stir()
        return {"hand": hand.number, "sentence": hand.outcome.sentence}

    def move(self, message: Answer) -> None:
        hand = self.hands.get(message.get("hand", 0))
        if hand is None or not hand.holds:
            raise RefusedError("that hand holds nothing")
        hand.move([float(x) for x in message["to"]])
        self.bench.stir()

    def release(self, message: Answer) -> None:
        hand = self.hands.pop(message.get("hand", 0), None)
        if hand is not None and hand.holds:
            hand.release()
        self.bench.stir()

    def let_go(self) -> None:
        """Of everything, when the page is gone."""
        for number in list(self.hands):
            self.answer({"ask": "release", "hand": number})

    # Channels --------------------------------------------------------------------------------------------------------

    def subscribe(self, message: Answer) -> Answer:
        """Which channels snapshots bring, from here on."""
        names = message.get("channels")
        if not isinstance(names, list) or len(names) > MOST_CHANNELS or not all(isinstance(n, str) for n in names):
            raise RefusedError(f"subscribe: expected at most {MOST_CHANNELS} names of channels")
        known = set(self.bench.machine().channels)
        self.channels = tuple(name for name in names if name in known)
        self.subscription += 1
        self.bench.stir()
        return {"subscription": self.subscription, "channels": list(self.channels)}


WORDS: dict[Any, Callable[[Asker, Answer], Answer | None]] = {
    name: getattr(Asker, name)
    for name in (
        *("apply", "undo", "redo", "check", "menu", "examples", "open", "save", "play", "pause", "step", "seek"),
        *(
            "lock",
            "unlock",
            "speed",
            "take",
            "snapshot",
            "grab",
            "move",
            "release",
            "subscribe",
            "report",
            "record",
            "share",
        ),
    )
}


def _told(outcome: Outcome) -> Answer:
    impulses = {name: list(map(float, values)) for name, values in outcome.impulses.items()}
    return {"ok": outcome.ok, "sentence": outcome.sentence, "impulses": impulses, "lost": float(outcome.lost)}


def _text(message: Answer, key: str, most: int) -> str:
    value = message.get(key)
    if not isinstance(value, str) or len(value) > most or not value:
        raise RefusedError(f"{key}: expected a text of at most {most} letters")
    return value


def _number(message: Answer, key: str) -> float:
    value = message.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise RefusedError(f"{key}: expected a number")
    return float(value)
