"""A studio in a process of its own, and a page of it without a browser."""

from __future__ import annotations

import contextlib
import json
import os
import re
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HEAD = struct.Struct("<4I5d2I")
PATIENCE = 120.0  # s, for what comes at once unless the machine is very busy
COMPILING = 1200.0  # s, for a first start, which may compile everything


class Studio:
    """What `jourdain studio` says at its start."""

    def __init__(self, folder: Path, *arguments: str, python: Path | None = None) -> None:
        """`python`: of another environment, in which jourdain is installed."""
        self.folder = folder
        environment = dict(os.environ)
        if python is not None:
            environment.pop("PYTHONPATH", None)
        words = [str(python or sys.executable), "-m", "jourdain", "studio", *arguments, "--no-open"]
        self.process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
        )
        self.said: list[str] = []
        try:
            self.address = self._address()
        except BaseException:
            self.process.kill()
            raise

    def _address(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if found := re.search(r"http://\S+", line):
                return found[0]
        assert self.process.stderr is not None
        raise AssertionError("".join(self.said) + self.process.stderr.read())

    @property
    def origin(self) -> str:
        return "/".join(self.address.split("/")[:3])

    @property
    def token(self) -> str:
        return self.address.split("/")[3]

    def end(self) -> str:
        """What it wrote to stderr in its life."""
        self.process.terminate()
        _, errors = self.process.communicate(timeout=PATIENCE)
        return errors


@contextlib.contextmanager
def studio(folder: Path, *arguments: str, python: Path | None = None) -> Iterator[Studio]:
    found = Studio(folder, *arguments, python=python)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
        found.process.communicate()


class Page:
    """A socket to a studio: asks, events, snapshots."""

    def __init__(self, studio: Studio) -> None:
        from websockets.sync.client import connect

        url = studio.address.replace("http", "ws", 1) + "socket"
        self._ends = contextlib.ExitStack()
        self.socket: Any = self._ends.enter_context(connect(url, origin=studio.origin, max_size=None))
        self.events: deque[dict[str, Any]] = deque(maxlen=10_000)
        self.state: dict[str, Any] = {}
        self.scene: dict[str, Any] = {}
        self.heard: list[str] = []
        self.shot: dict[str, Any] = {}
        self._last = 0

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def take(self, acknowledge: bool = True, patience: float = PATIENCE) -> dict[str, Any] | None:
        """One message: an answer is returned, everything else is kept."""
        message = self.socket.recv(timeout=patience)
        if isinstance(message, bytes):
            serial, scene = HEAD.unpack_from(message)[:2]
            assert scene <= self.scene.get("number", 0), "a moment of a scene that the page was not told of"
            if scene == self.scene.get("number"):  # as the page does: what is of another scene is not looked at
                self.shot = read(message, self.scene)
            if acknowledge:
                self.socket.send(json.dumps({"ack": serial}))
            return None
        found: dict[str, Any] = json.loads(message)
        if "event" not in found:
            return found
        self.events.append(found)
        if found["event"] in ("state", "scene"):
            setattr(self, found["event"], found)
        if found["event"] == "told":
            self.heard.append(found["words"])
        return None

    def ask(self, word: str, *, patience: float = PATIENCE, **more: Any) -> dict[str, Any]:
        """Ask, and wait for the answer to that."""
        self._last += 1
        self.socket.send(json.dumps({"id": self._last, "ask": word, **more}))
        while True:
            answer = self.take(patience=patience)
            if answer is not None and answer.get("id") == self._last:
                return answer

    def until(self, wanted: Any, patience: float = PATIENCE) -> None:
        """Take messages until something is so."""
        end = time.monotonic() + patience
        while not wanted(self):
            assert time.monotonic() < end, "that did not come"
            self.take(patience=patience)


def read(message: bytes, scene: dict[str, Any]) -> dict[str, Any]:
    """A snapshot, as src/jourdain/studio/snapshot.py says."""
    names = ["serial", "scene", "version", "flags", "n", "t", "end", "speed", "actual", "subscription", "hands"]
    found: dict[str, Any] = dict(zip(names, HEAD.unpack_from(message), strict=True))
    dim, bodies = scene.get("dim", 2), len(scene.get("bodies", ()))
    width = 3 if dim == 2 else 7
    size = 4 * width * bodies
    poses = struct.unpack_from(f"<{width * bodies}f", message, HEAD.size)
    found["poses"] = [poses[k * width : (k + 1) * width] for k in range(bodies)]
    start = HEAD.size + size + (-size % 8)
    rest = struct.unpack_from(f"<{(len(message) - start) // 8}d", message, start)
    tail = dim + found["hands"] * (3 * dim + 3)
    found["values"], found["centre"] = rest[: len(rest) - tail], rest[len(rest) - tail :][:dim]
    found["held"] = rest[len(rest) - tail + dim :]
    return found
