"""A box in another process: the contract passes names, numbers, arrays of floats and bytes, so no pickle is needed.

A message is the length of a head, the head as JSON (what is asked, shapes of arrays, lengths of texts of bytes), then
the arrays and bytes themselves, little-endian.
"""

from __future__ import annotations

import importlib
import json
import os
import selectors
import struct
import subprocess
import sys
import weakref
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import ChoiceError, SimulationError
from .box import Box, PortMotion

Array = npt.NDArray[np.float64]

LENGTH = struct.Struct("<I")
PATIENCE = 60.0  # s, that a call may take
LAST_SECONDS = 2.0  # that a process may take to end
LONGEST = 1 << 28  # bytes of a head


class ProcessBox(Box):
    """A box that `maker` ("module:function", called with texts and numbers) makes in a process of its own.

    A process that dies, or takes longer than `patience` seconds over one call, is told by name.
    """

    def __init__(self, maker: str, *arguments: Any, patience: float = PATIENCE) -> None:
        self._maker, self._patience = maker, patience
        try:
            sent = json.dumps(arguments)
        except TypeError as error:
            raise ChoiceError(
                f"box '{maker}' takes numbers, words and lists of them over to its process: {error}"
            ) from error
        self._process = subprocess.Popen(
            [sys.executable, "-m", "jourdain.modular.process_box", maker, sent],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._end = weakref.finalize(self, _ended, self._process)
        told, _ = self._call("about")
        self.space, self.ports, self.step = told["space"], tuple(told["ports"]), told["step"]
        self.gravity = None if told["gravity"] is None else tuple(told["gravity"])
        self.restores, self._kicks = told["restores"], told["kicks"]

    def start(self, t: float) -> PortMotion:
        return PortMotion(*self._call("start", t)[1])

    def advance(self, H: float, wrenches: Array) -> PortMotion:
        return PortMotion(*self._call("advance", H, arrays=[wrenches])[1])

    def mobility(self) -> Array:
        return self._call("mobility")[1][0]

    def kick(self, impulses: Array) -> PortMotion:
        return PortMotion(*self._call("kick", arrays=[impulses])[1])

    @property
    def kicks(self) -> bool:
        return bool(self._kicks)

    def state(self) -> bytes:
        return self._call("state")[1][0].tobytes()

    def restore(self, state: bytes) -> None:
        self._call("restore", arrays=[np.frombuffer(state, dtype=np.uint8)])

    def channels(self) -> Mapping[str, float]:
        found: dict[str, float] = self._call("channels")[0]["channels"]
        return found

    def close(self) -> None:
        """End the process; so does the end of this one, or of the last use of the box."""
        self._end()

    def __enter__(self) -> ProcessBox:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _call(self, what: str, *numbers: float, arrays: Any = ()) -> tuple[dict[str, Any], list[Array]]:
        try:
            _write(self._process.stdin, {"do": what, "numbers": numbers}, arrays)  # type: ignore[arg-type]
            self._wait(what)
            head, found = _read(self._process.stdout)  # type: ignore[arg-type]
        except (OSError, EOFError, ValueError) as error:
            words = f"ended with code {self._code()}"
            raise SimulationError(f"the process of box '{self._maker}' {words} in the middle of {what}") from error
        if "unmade" in head:
            raise SimulationError(f"box '{self._maker}' could not be made in its process: {head['unmade']}")
        if "error" in head:
            raise SimulationError(f"box '{self._maker}' raised {head['error']}")
        return head, found

    def _code(self) -> int | None:
        """With which the process ended; it may take a moment to be told."""
        try:
            return self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return None

    def _wait(self, what: str) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
            if not selector.select(self._patience):
                self._process.kill()
                raise SimulationError(
                    f"the process of box '{self._maker}' gave no answer to {what} within {self._patience:g} s "
                    "and was ended"
                )


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, and see to it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not read any more
                pipe.close()
    try:
        process.wait(LAST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _write(pipe: BinaryIO, head: Mapping[str, Any], arrays: Any) -> None:
    parts = [np.ascontiguousarray(array) for array in arrays]
    listed = [[part.dtype.str, list(part.shape)] for part in parts]
    text = json.dumps({**head, "arrays": listed}).encode()
    pipe.write(LENGTH.pack(len(text)) + text + b"".join(part.tobytes() for part in parts))
    pipe.flush()


def _read(pipe: BinaryIO) -> tuple[dict[str, Any], list[Array]]:
    (length,) = LENGTH.unpack(_exactly(pipe, LENGTH.size))
    if length > LONGEST:
        raise ValueError("a head that is too long")
    head = json.loads(_exactly(pipe, length))
    found = []
    for kind, shape in head["arrays"]:
        if kind not in ("<f8", "|u1"):
            raise ValueError(f"an array of {kind}")
        count = int(np.prod(shape))
        found.append(np.frombuffer(_exactly(pipe, np.dtype(kind).itemsize * count), kind).reshape(shape).copy())
    return head, found


def _exactly(pipe: BinaryIO, count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data


# In the other process -------------------------------------------------------------------------------------------------


def _serve(maker: str, arguments: list[Any]) -> None:
    # What a box prints must not get between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    module, _, function = maker.partition(":")
    try:
        box: Box = getattr(importlib.import_module(module), function)(*arguments)
    except Exception as error:  # noqa: BLE001  (whatever it is, the other side has to know)
        _read(sys.stdin.buffer)  # who asks finds the pipe open
        return _write(answers, {"unmade": f"{type(error).__name__}: {error}"}, [])
    while True:
        try:
            head, arrays = _read(sys.stdin.buffer)
        except EOFError:
            return
        try:
            told, found = _answer(box, head, arrays)
        except Exception as error:  # noqa: BLE001  (whatever it is, the other side has to know)
            told, found = {"error": f"{type(error).__name__}: {error}"}, []
        _write(answers, told, found)


def _answer(box: Box, head: Mapping[str, Any], arrays: list[Array]) -> tuple[dict[str, Any], Any]:
    what, numbers = head["do"], head["numbers"]
    if what == "about":
        about = {"space": box.space, "ports": list(box.ports), "step": box.step, "kicks": box.kicks}
        return {**about, "gravity": box.gravity and list(box.gravity), "restores": box.restores}, []
    if what == "start":
        return {}, [np.asarray(part, dtype=float) for part in box.start(numbers[0])]
    if what == "advance":
        return {}, [np.asarray(part, dtype=float) for part in box.advance(numbers[0], arrays[0])]
    if what == "kick":
        return {}, [np.asarray(part, dtype=float) for part in box.kick(arrays[0])]
    if what == "mobility":
        return {}, [np.asarray(box.mobility(), dtype=float)]
    if what == "state":
        return {}, [np.frombuffer(box.state(), dtype=np.uint8)]
    if what == "restore":
        box.restore(arrays[0].tobytes())
        return {}, []
    return {"channels": {str(name): float(value) for name, value in box.channels().items()}}, []


if __name__ == "__main__":
    _serve(sys.argv[1], json.loads(sys.argv[2]))
