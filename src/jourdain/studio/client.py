"""One page at the other end of a socket.

Events go out in order, none is left out; of snapshots only the newest, and only when the page has acknowledged the one
before, so that a slow link never shows old states. What the page asks is done one after the other; of movements of a
hand that have not been done yet only the last counts.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..live.look import Look
from .asks import Asker
from .bench import Bench, Event
from .guard import Rate
from .snapshot import packed

LOG = logging.getLogger("jourdain.studio")
A_SECOND, MOST_AT_ONCE = 400.0, 2000.0  # messages
MOST_WAITING = 200  # things that were asked for and not done yet
MOST_EVENTS = 5000  # that a page has not taken
DONE, TOO_BIG, TOO_MUCH = 1000, 1009, 1008
MOST_LETTERS = 3_000_000  # of a message


class Client:
    """Reads what the page asks, writes answers, events and snapshots."""

    def __init__(self, socket: WebSocket, bench: Bench, worker: Executor) -> None:
        self._socket, self._bench, self._worker = socket, bench, worker
        self._asker = Asker(bench)
        self._loop = asyncio.get_running_loop()
        self._events: deque[str] = deque()
        self._look: tuple[Look, int] | None = None
        self._wake = asyncio.Event()
        self._serial, self._in_flight = 0, False
        self._rate = Rate(A_SECOND, MOST_AT_ONCE)
        self._waiting = 0
        self._moves: dict[Any, Event] = {}
        self._end: tuple[int, str] | None = None

    # Told by the bench, in any thread --------------------------------------------------------------------------------

    @property
    def channels(self) -> tuple[str, ...]:
        return self._asker.channels

    def tell(self, event: Event) -> None:
        """An event, after those before it."""
        text = json.dumps(event, allow_nan=True)
        self._soon(lambda: self._put(text))

    def show(self, look: Look, scene: int) -> None:
        """The machine as it is now, after the events before it; what was not yet shown of before is forgotten."""
        self._soon(lambda: self._shows(look, scene))

    def _soon(self, f: Callable[[], object]) -> None:
        try:
            self._loop.call_soon_threadsafe(f)
        except RuntimeError:  # the server is ending
            return

    def _shows(self, look: Look, scene: int) -> None:
        self._look = look, scene
        self._wake.set()

    def _put(self, text: str) -> None:
        self._events.append(text)
        if len(self._events) > MOST_EVENTS:
            self._stop(TOO_MUCH, "the page does not take its events")
        self._wake.set()

    # The socket ------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until one end has enough."""
        await self._socket.accept()
        self._bench.join(self)
        writer = asyncio.create_task(self._write())
        try:
            await self._read()
        except (WebSocketDisconnect, RuntimeError):  # RuntimeError: it was closed from this end
            self._end = self._end or (DONE, "")
        finally:
            self._bench.leave(self)
            self._wake.set()
            await asyncio.gather(writer, return_exceptions=True)
            self._worker.submit(self._asker.let_go)

    async def _read(self) -> None:
        while self._end is None:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                self._end = self._end or (DONE, "")
                return
            text = message.get("text")
            if not self._rate.take():
                self._stop(TOO_MUCH, "too many messages")
                return
            if text is None or len(text) > MOST_LETTERS:
                LOG.warning("refused: a message that is no text, or too long")
                self._put(json.dumps({"ok": False, "sentence": "expected a text that is not too long"}))
                continue
            self._take(text)

    def _take(self, text: str) -> None:
        try:
            found = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            LOG.warning("refused: a message that is not JSON")
            self._put(json.dumps({"ok": False, "sentence": "that is not JSON"}))
            return
        if isinstance(found, dict) and "ack" in found:
            if found["ack"] == self._serial:
                self._in_flight = False
                self._wake.set()
            return
        if isinstance(found, dict) and found.get("ask") == "move":
            self._move(found)
            return
        if self._waiting >= MOST_WAITING:
            self._answer(found, {"ok": False, "sentence": "too much is waiting to be done; wait a little"})
            return
        self._do(found)

    def _move(self, found: Event) -> None:
        hand = found.get("hand")
        if not isinstance(hand, int) or len(self._moves) > MOST_WAITING:
            return
        waits = hand in self._moves
        self._moves[hand] = found
        if not waits:
            self._worker.submit(self._carry, hand)

    def _carry(self, hand: int) -> None:
        found = self._moves.pop(hand, None)
        if found is not None:
            self._asker.answer(found)

    def _do(self, found: Any) -> None:
        self._waiting += 1

        def work() -> None:
            try:
                reply = self._asker.answer(found)
            except Exception:
                LOG.exception("an ask failed")
                reply = {"ok": False, "sentence": "that failed in the studio itself; its log says where"}
            self._soon(lambda: self._done(found, reply))

        self._worker.submit(work)

    def _done(self, found: Any, reply: Event) -> None:
        self._waiting -= 1
        self._answer(found, reply)

    def _answer(self, found: Any, reply: Event) -> None:
        number = found.get("id") if isinstance(found, dict) else None
        if not reply["ok"]:
            LOG.info("refused: %s", reply["sentence"])
        self._put(json.dumps({"id": number if isinstance(number, int | str) else None, **reply}))

    def _stop(self, code: int, words: str) -> None:
        if self._end is None:
            LOG.warning("closed: %s", words)
            self._end = code, words
            self._wake.set()

    async def _write(self) -> None:
        while self._end is None:
            await self._wake.wait()
            self._wake.clear()
            while self._events and self._end is None:
                await self._socket.send_text(self._events.popleft())
            if self._look is not None and not self._in_flight and self._end is None:
                (look, scene), self._look = self._look, None
                self._serial = (self._serial + 1) & 0xFFFFFFFF
                self._in_flight = True
                asker = self._asker
                await self._socket.send_bytes(packed(look, self._serial, scene, asker.subscription, asker.channels))
        code, words = self._end
        if code != DONE:
            await self._socket.close(code, words)


def _refuse(word: str) -> float:
    raise ValueError(word)
