"""The bench: one document, its live machine, and the pages that look at both.

What pages ask is done by one worker, in the order in which it came; frames come from the machine's own thread. Pages
are told of changes by events; where bodies are they see in snapshots.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from ..files import gallery
from ..live.beginning import begin, opened
from ..live.document import Document
from ..live.live import Live
from ..live.look import Frame, Look
from ..live.replaying import Replay
from ..mechanism.errors import JourdainError
from .new_machines import NEW
from .shown_parts import scene_of, tree_of, words_of

MOST_BODIES = 2000
TOLD = ("edit", "hand", "branch", "fail", "slow", "step")
PASSING = ("travel", "below", "half", "length", "slack")  # of joints and links in a scene
ENDINGS = (".yaml", ".yml", ".json")
RECORDING = (".jdlive",)
LONGEST = 3600.0  # s of a machine, of a recording
MOST_MARKS = 300  # of a kind
MARKED = 0.25  # s between two lists of marks
JUMP = 1e-9  # m/s or rad/s, beyond which an event was an impact
Event = dict[str, Any]
NO_TEXT = "# This machine has Python functions in it: it has no text, and can be neither saved nor shared.\n"


class RefusedError(JourdainError):
    """What was asked cannot be done; nothing was changed."""


class Page(Protocol):
    """One who looks."""

    @property
    def channels(self) -> tuple[str, ...]: ...

    def tell(self, event: Event) -> None: ...

    def show(self, look: Look, scene: int) -> None: ...


class Bench:
    """What is being worked on. Everything but `join`, `leave` and `close` is called by one worker."""

    def __init__(self, folder: Path, *, warm: bool = True) -> None:
        self.folder, self._warm = folder.resolve(), warm
        self.live: Live | None = None
        self.broken: Document | None = None  # a document that cannot run yet
        self.path: Path | None = None  # where it is saved
        self.name = ""
        self._on_disk: bytes | None = None
        self._saved = ""
        self._pages: list[Page] = []
        self._lock = threading.Lock()
        self._scene: Event | None = None
        self._scene_of: tuple[object, int] | None = None  # structure and version
        self._scene_number = 0
        self._state: Event | None = None
        self._moved = True  # something happened that a standing machine shows
        self.later: Callable[[Callable[[], None]], object] = lambda task: None  # gives the worker a task
        self._asked = False
        self.lent = False  # the machine is somebody else's, who only shows it here
        self._marks: Event | None = None
        self._marked = 0.0, -1  # when, and how many events had happened

    # Pages -----------------------------------------------------------------------------------------------------------

    def join(self, page: Page) -> None:
        """From here on it is told. What it must know first comes first."""
        with self._lock:
            for event in (self._state, self._scene, self._marks):
                if event is not None:
                    page.tell(event)
            self._pages.append(page)
            self._moved = True

    def leave(self, page: Page) -> None:
        with self._lock:
            self._pages = [one for one in self._pages if one is not page]

    def _tell(self, event: Event) -> None:
        with self._lock:
            if event["event"] == "state":
                self._state = event
            if event["event"] == "scene":
                self._scene = event
            if event["event"] == "marks":
                self._marks = event
            for page in self._pages:
                page.tell(event)

    def told(self, kind: str, words: str) -> None:
        """A sentence for all pages."""
        self._tell({"event": "told", "kind": kind, "words": words, "t": self.live.t if self.live else 0.0})

    # Opening and saving ----------------------------------------------------------------------------------------------

    def open(self, path: Path, *, example: bool = False) -> None:
        """Another document. Raises what Document.open raises."""
        self._own_only()
        document = opened(path)
        own = not example and document.path is not None  # a system has no file as the one mechanism
        self.path, self.name = (path if own else None), path.name if own else path.stem
        self._saved, self._on_disk = document.text, path.read_bytes()
        self._begin(document)

    def open_example(self, name: str) -> None:
        self.open(gallery.path(name), example=True)

    def open_file(self, name: str) -> None:
        """A file below the folder, by its path from there."""
        self.open(self.inside(name))

    def open_new(self, space: str) -> None:
        """A bar on a pin, to begin with; it has no file yet."""
        if space not in NEW:
            raise RefusedError(f"a machine is planar or spatial, not {space!r}")
        self._own_only()
        self.open_text(NEW[space], "new")

    def open_recording(self, name: str) -> None:
        """A machine with all that was done to it; it stands at its beginning. Raises what Replay.open raises."""
        self._own_only()
        path = self.inside(name, RECORDING)
        repeated = Replay.open(path)
        check_size(repeated.engine.structure.document)
        last = max((command["n"] for command in repeated.recording.commands), default=0)
        if last * repeated.engine.structure.grid.h > LONGEST:
            raise RefusedError(f"{path.name} is longer than {LONGEST:g} s; jourdain replay repeats it at the prompt")
        self.close()
        self.path, self.name, self._saved, self._on_disk = None, path.stem, "", None
        self.broken, self._state, self._scene, self._scene_of, self._marks = None, None, None, None, None
        total = len(repeated.recording.commands)

        def look(number: int) -> None:
            if number % 100 == 0:
                self._tell({"event": "busy", "words": f"repeating {path.name}", "part": number / max(1, total)})

        self._tell({"event": "busy", "words": f"repeating {path.name}", "part": 0.0})
        live = repeated.live(look)
        live.seek(live.branches[live.branch].start)
        self._run(live)
        self.told("note", repeated.sentence)

    def show(self, live: Live) -> None:
        """A machine of somebody else's, who keeps it."""
        document = live.document
        self.name = document.path.name if document.path else document.blueprint.name
        self.path = document.path
        self._saved = document.text if document.has_text and document.path else ""
        self._on_disk = document.path.read_bytes() if document.path and document.path.is_file() else None
        self.lent = True
        self._run(live)

    def _own_only(self) -> None:
        if self.lent:
            raise RefusedError("this page shows one machine; jourdain studio opens others")

    def inside(self, name: str, endings: tuple[str, ...] = ENDINGS) -> Path:
        """The path of a file below the folder. Raises RefusedError for any other."""
        try:
            path = (self.folder / name).resolve()
        except (OSError, ValueError, RuntimeError):
            raise RefusedError(f"{name[:80]!r} is no name of a file") from None
        if not path.is_relative_to(self.folder) or path == self.folder:
            raise RefusedError("that lies outside the folder that was opened")
        if path.suffix not in endings:
            raise RefusedError(f"expected a file that ends in {', '.join(endings)}")
        return path

    def files(self, endings: tuple[str, ...] = ENDINGS) -> list[str]:
        """Mechanism files in the folder, or others, not below it."""
        return sorted(p.name for p in self.folder.iterdir() if p.suffix in endings and p.is_file())[:200]

    def _begin(self, document: Document) -> None:
        """Run a document; one with faults is shown with its text alone."""
        runs = not document.faults and document.mechanism is not None
        if runs:
            check_size(document)
        self.close()
        self.broken, self._state, self._scene, self._scene_of = None, None, None, None  # all of it is told anew
        self._marks = None
        if not runs:
            self.broken = document
            self.refresh()
            return
        self._tell({"event": "busy", "words": "getting ready", "part": 0.0})

        def progress(done: int, total: int, words: str) -> None:
            self._tell({"event": "busy", "words": words, "part": done / max(1, total)})

        try:
            live = begin(document, progress=progress, warm=self._warm)
        except JourdainError as error:  # it can be read, but not run
            self.broken = document
            self.refresh()
            self.told("fail", str(error))
            return
        self._run(live)
        for note in live.notes:
            self.told("note", note)

    def _run(self, live: Live) -> None:
        """Show this machine, and let it go on by its clock."""
        for kind in TOLD:
            live.on(kind, lambda words, kind=kind: self.told(kind, words))
        live.on("frame", self._on_frame)
        self.live = live
        self.refresh()
        live.__enter__()

    def open_text(self, text: str, name: str = "shared") -> None:
        """A document that came by a link; it has no file."""
        self.path, self.name, self._saved, self._on_disk = None, name, "", None
        self._begin(Document(text))

    def record(self) -> str:
        """Write what is done from the start on to a file beside the document; the sentence says where."""
        stem, k = Path(self.name).stem, 1
        while (path := self.folder / f"{stem}_{k}.jdlive").exists():
            k += 1
        self.machine().record(path)
        return f"recorded in {path.name}, from the start on, until another document is opened or the studio ends"

    def close(self) -> None:
        """Let the machine go."""
        live, self.live = self.live, None
        if live is not None and not self.lent:
            live.close()

    @property
    def document(self) -> Document:
        """As it is now; a copy. Raises RefusedError where nothing is open."""
        if self.live is not None:
            return self.live.document
        if self.broken is None:
            raise RefusedError("nothing is open; choose an example or a file")
        return self.broken

    def machine(self) -> Live:
        """The machine that runs. Raises RefusedError where there is none."""
        if self.live is None:
            raise RefusedError("nothing runs; open an example or a file, or mend the text")
        return self.live

    @property
    def room(self) -> tuple[float, list[float]]:
        """How large a new part would be, m, and where there is room for it: above the machine."""
        scene = self._scene
        if scene is None:
            dim = self.document.blueprint.dim
            return 1.0, [0.0] * dim
        low, high = scene["low"], scene["high"]
        size = max(b - a for a, b in zip(low, high, strict=True))
        middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        up = scene["up"]
        far = [b if u > 0.5 else a if u < -0.5 else m for a, b, m, u in zip(low, high, middle, up, strict=True)]
        return size / 3, [m + 0.85 * (f - m) for m, f in zip(middle, far, strict=True)]

    def mend(self, document: Document) -> None:
        """A text that could not run was changed."""
        if document.faults or document.mechanism is None:
            self.broken = document
            self.refresh()
        else:
            self._begin(document)

    def save(self, name: str | None, overwrite: bool) -> str:
        """Write the text; the sentence says where. Raises RefusedError."""
        path = self.inside(name) if name else self.path
        if path is None:
            raise RefusedError("it has no file yet; give it a name, such as mine.yaml")
        if not overwrite and path.exists():
            if path != self.path:
                raise RefusedError(f"{path.name} is there already; save it under another name, or over it")
            if path.read_bytes() != self._on_disk:
                raise RefusedError(
                    f"{path.name} was changed on disk since it was opened; open it again, or save over it"
                )
        document = self.document
        if path != self.path and any(line.startswith("include:") for line in document.text.splitlines()):
            raise RefusedError("it includes other files by their place; it can be saved only where it was opened")
        document.save(path, overwrite=True)
        self.path, self.name, self._saved, self._on_disk = path, path.name, document.text, path.read_bytes()
        self.refresh()
        return f"saved as {path.name}"

    # What pages are shown --------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Tell what changed: the document, what is drawn, and where the machine has been."""
        self._asked = False
        live = self.live
        if live is None and self.broken is None:
            return
        document = self.document
        state: Event = {
            "event": "state",
            "name": self.name,
            "file": self.path.name if self.path else "",
            "text": document.text if document.has_text else NO_TEXT,
            "version": document.version,
            "faults": faults_of(document),
            "saved": document.has_text and document.text == self._saved and self.path is not None,
            "lent": self.lent,
            "undo": bool(document.last),
            "redo": document.can_redo,
            "runs": live is not None,
            "tree": tree_of(document) if document.mechanism is not None else [],
            "words": words_of(document),
        }
        if live is not None:
            branches = [vars(branch) for branch in live.branches.values()]
            channels = [name for name in live.channels if not name.startswith("_")]  # hands and locks are ours
            state |= {"branch": live.branch, "branches": branches, "channels": channels, "locked": list(live.locked)}
        if state != self._state:
            self._tell(state)
        if live is None:
            return
        self.mark()
        self.stir()
        look = live.look()
        if self._scene is not None and self._scene_of == (look.structure, look.frame.version):
            return
        scene = {"event": "scene", **scene_of(look, live)}
        if self._scene is None or lasting(self._scene) != lasting(scene):
            self._scene_number += 1
            self._tell({**scene, "number": self._scene_number})
        self._scene_of = look.structure, look.frame.version
        self.stir()

    def mark(self) -> None:
        """Tell what happened in this branch: edits, events and impacts of the machine, moments with a name."""
        live = self.live
        if live is None:
            return
        happened = live.happened
        self._marked = time.monotonic(), len(happened)
        marks = [(t, "edit", words) for t, words in live.edits][-MOST_MARKS:]
        marks += [(t, "impact" if jump > JUMP else "event", names) for t, names, jump in happened[-MOST_MARKS:]]
        marks += [(t, "snapshot", name) for name, (line, t) in live.snapshots.items() if line == live.branch]
        event = {"event": "marks", "marks": [{"t": t, "kind": k, "words": w} for t, k, w in sorted(marks)]}
        if event != self._marks:
            self._tell(event)

    def stir(self) -> None:
        """What a standing machine shows may have changed."""
        self._moved = True

    def _on_frame(self, frame: Frame) -> None:
        live = self.live
        if live is None or not (frame.playing or self._moved) or not self._pages:
            return
        then, count = self._marked
        if time.monotonic() - then > MARKED and len(live.happened) != count:
            self._marked = time.monotonic(), count
            self.later(self.mark)
        self._moved = False
        with self._lock:
            pages = list(self._pages)
        look = live.look(sorted({name for page in pages for name in page.channels}))
        if self._scene_of != (look.structure, frame.version) and not self._asked:
            self._asked = True
            self.later(self.refresh)
        if self._scene is None or len(self._scene["bodies"]) != len(look.places):
            self._moved = True  # the page does not know these bodies yet
            return
        for page in pages:
            page.show(look, self._scene_number)


def lasting(scene: Event) -> Event:
    """A scene without what depends on where the machine stands: for that alone the picture shall not jump."""
    rest = {key: value for key, value in scene.items() if key not in ("number", "low", "high")}
    joints = [{key: value for key, value in joint.items() if key not in PASSING} for joint in scene["joints"]]
    links = [{key: value for key, value in link.items() if key not in PASSING} for link in scene["links"]]
    return {
        **rest,
        "joints": joints,
        "links": links,
        "circles": [f"{math.hypot(*circle['u']):.3g}" for circle in scene["circles"]],
    }


def faults_of(document: Document) -> list[dict[str, Any]]:
    """As the text underlines them."""
    return [
        {
            "line": f.mark.line if f.mark else 1,
            "column": f.mark.column if f.mark else 1,
            "words": f.words,
            "part": f.part,
        }
        for f in document.faults
    ]


def check_size(document: Document) -> None:
    """Raises RefusedError for a machine that would take all memory."""
    count = len(document.blueprint.bodies)
    if count > MOST_BODIES:
        raise RefusedError(f"{count} bodies; a page shows at most {MOST_BODIES}")


def examples() -> Iterable[Event]:
    """The gallery: name, title and what it is."""
    for name in gallery.example_names():
        mechanism = gallery.example(name)
        yield {"name": name, "title": mechanism.name, "words": mechanism.description, "space": mechanism.space}
