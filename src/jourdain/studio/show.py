"""`live.show()`: the page of the studio on a machine that a program or a notebook runs.

The server has a thread of its own, since a cell that runs keeps the notebook from answering. It listens on this
computer alone, and what a document names is read in the folder of its file only.
"""

from __future__ import annotations

import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ..files import gallery
from ..live.live import Live
from ..mechanism import fence
from ..results.notebook import FRAME
from .serve import MOST_BYTES, PORT, check_libraries, listening_at

PATIENCE = 20.0  # s, until the server answers
_shown: WeakKeyDictionary[Live, Shown] = WeakKeyDictionary()


class Shown:
    """A page: its `address`, and in a notebook the page itself; `close` ends it, and leaves the machine."""

    def __init__(self, live: Live) -> None:
        import uvicorn

        from .app import app_of
        from .bench import Bench
        from .guard import Guard

        path = live.document.path
        folder = Path.cwd() if path is None else path.resolve().parent
        bench = Bench(folder, warm=False)
        folders = [folder, gallery.folder()]
        self._worker = ThreadPoolExecutor(
            1, thread_name_prefix="jourdain page", initializer=fence.put_up_here, initargs=(folders,)
        )
        bench.later = self._worker.submit
        self._bench, token = bench, secrets.token_urlsafe(24)
        listening = listening_at("127.0.0.1", PORT)
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}/{token}/"
        app = app_of(bench, Guard(token, "127.0.0.1"), self._worker, framed=True)
        kept: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
        kept |= {"ws": "websockets-sansio", "ws_max_size": MOST_BYTES, "timeout_graceful_shutdown": 1}
        self._server = uvicorn.Server(uvicorn.Config(app, **kept))
        self._worker.submit(bench.show, live).result()
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="jourdain server", daemon=True
        )
        self._thread.start()
        end = time.monotonic() + PATIENCE
        while not self._server.started and self._thread.is_alive() and time.monotonic() < end:
            time.sleep(0.01)
        self.height = 0

    @property
    def runs(self) -> bool:
        """Whether somebody can look."""
        return self._thread.is_alive() and not self._server.should_exit

    def close(self) -> None:
        """Take the page away; the machine goes on."""
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        self._bench.close()
        self._worker.shutdown(wait=False)

    def _repr_html_(self) -> str:
        return f'<iframe src="{escape(self.address)}" style="{FRAME};height:{self.height}px"></iframe>'

    def __repr__(self) -> str:
        return f"the machine is at {self.address}"


def show(live: Live, height: int) -> Shown:
    """The page of a machine; asked for again it is the same one."""
    check_libraries()
    found = _shown.get(live)
    if found is None or not found.runs:
        found = _shown[live] = Shown(live)
    found.height = int(height)
    return found
