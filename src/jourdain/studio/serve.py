"""Start and end of a studio: which port, which address, and whether one is there already."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import secrets
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files import gallery
from ..mechanism import fence
from ..mechanism.errors import JourdainError, MissingLibraryError
from .guard import LOOPBACK, Guard, is_loopback

PORT = 8642
TRIED = 50  # ports, one after the other
MOST_BYTES = 4_000_000  # of a message
KEPT = 86400.0  # s, for which a page that lost its studio may come back to the next one
NEEDED = ("starlette", "uvicorn", "websockets")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Wanted:
    """What the studio is to do. `source` is a file, or an example where `example` says so; or there is a `text`."""

    source: Path | None = None
    example: bool = False
    text: str = ""  # that came by a link
    port: int | None = None
    host: str = "127.0.0.1"
    open_browser: bool = True
    warm: bool = True


def check_libraries() -> None:
    """Raises MissingLibraryError with the line for pip."""
    for library in NEEDED:
        try:
            __import__(library)
        except ImportError:
            words = (
                f"the studio needs {library}, which is not installed here; get it by: pip install 'jourdain[studio]'"
            )
            raise MissingLibraryError(words) from None


def serve(wanted: Wanted, say: Say) -> None:
    """Run a studio until it is interrupted or told to end."""
    check_libraries()
    import uvicorn

    from .app import app_of
    from .bench import Bench

    note = Note(wanted)
    if not wanted.text and (address := note.running()) is not None:
        say(f"a studio has {_called(wanted)} open already; this is its page:\n  {address}")
        _open(wanted, address)
        return
    token, port = note.token or secrets.token_urlsafe(24), wanted.port or note.port
    listening = listening_at(wanted.host, port)
    port = listening.getsockname()[1]
    own = wanted.source is not None and not wanted.example
    folder = wanted.source.resolve().parent if own and wanted.source is not None else Path.cwd()
    bench = Bench(folder, warm=wanted.warm)
    worker = ThreadPoolExecutor(1, thread_name_prefix="jourdain studio")
    bench.later = worker.submit
    fence.put_up([folder, gallery.folder()])
    address = f"http://{_named(wanted.host)}:{port}/{token}/"
    logging.basicConfig(format="jourdain studio: %(message)s", level=logging.WARNING)
    config = uvicorn.Config(
        app_of(bench, Guard(token, wanted.host), worker),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=MOST_BYTES,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    if wanted.source is not None or wanted.text:
        worker.submit(_first, bench, wanted, say)
    say(_welcome(wanted, address, port))
    note.write(token, port, address)
    if not is_loopback(wanted.host):
        say("warning: everybody who reaches this machine and knows the address can change what is open")
    threading.Thread(target=_open, args=(wanted, address), daemon=True).start()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    finally:
        worker.shutdown(wait=True, cancel_futures=True)  # what is being saved is saved
        bench.close()
        fence.put_up(None)


def _first(bench: Any, wanted: Wanted, say: Say) -> None:
    """Open what was named; what is wrong with it the page shows as well."""
    try:
        if wanted.source is not None:
            bench.open(wanted.source.resolve(), example=wanted.example)
        else:
            bench.open_text(wanted.text)
    except JourdainError as error:
        say(str(error))
        bench.told("fail", str(error))


def _called(wanted: Wanted) -> str:
    return "this folder" if wanted.source is None else wanted.source.name


def _named(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def listening_at(host: str, port: int) -> socket.socket:
    """A socket at this port, or at the next one that is free. Raises JourdainError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for k in range(TRIED):
        found = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # a port that was left a moment ago
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, port + k))
            found.listen(64)
            return found
        except OSError as error:
            found.close()
            if not isinstance(error, PermissionError) and error.errno not in (98, 48, 10048):
                raise JourdainError(f"{host}:{port + k} cannot be listened at: {error.strerror or error}") from None
    raise JourdainError(f"the ports {port} to {port + TRIED - 1} are taken; say another one with --port")


def _welcome(wanted: Wanted, address: str, port: int) -> str:
    lines = [f"the studio is at\n  {address}\nand ends with Ctrl-C"]
    if os.environ.get("SSH_CONNECTION") and wanted.host in LOOPBACK:
        lines.append(
            f"from your own computer: ssh -L {port}:127.0.0.1:{port} {socket.gethostname()}, then the address above"
        )
    return "\n".join(lines)


def _open(wanted: Wanted, address: str) -> None:
    """The page in a browser, where there is one that can be seen."""
    seen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if wanted.open_browser and seen and not os.environ.get("SSH_CONNECTION"):
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)


class Note:
    """Says in a place of the user's own where the studio of a file is: for a second one, and for the one after it."""

    def __init__(self, wanted: Wanted) -> None:
        self.token, self.port = "", PORT
        name = wanted.text or str(wanted.source.resolve() if wanted.source else Path.cwd())
        user = str(os.getuid()) if hasattr(os, "getuid") else "own"
        self._folder = Path(tempfile.gettempdir()) / f"jourdain-studio-{user}"
        self._path = self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"
        self._safe = self._make_folder()
        self._known = self._read()

    def _make_folder(self) -> bool:
        """Whether nobody else can read or write there."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            found = self._folder.lstat()
        except OSError:
            return False
        return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and found.st_mode & 0o077 == 0)

    def _read(self) -> dict[str, Any]:
        try:
            old = time.time() - self._path.stat().st_mtime > KEPT
            found = json.loads(self._path.read_text(encoding="utf-8")) if self._safe and not old else {}
            token, port = str(found["token"]), int(found["port"])
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        self.token, self.port = token, port
        return dict(found)

    def running(self) -> str | None:
        """The address of a studio that has the same file open."""
        if not self._known:
            return None
        try:
            with socket.create_connection((str(self._known["host"]), self.port), timeout=5.0) as line:
                request = f"GET /{self.token}/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                line.sendall(request.encode())
                line.settimeout(10.0)
                answer = line.recv(15)
        except OSError:
            return None
        return str(self._known["address"]) if b" 200" in answer else None

    def write(self, token: str, port: int, address: str) -> None:
        if not self._safe:
            return
        host = "127.0.0.1" if "[" not in address else "::1"
        content = json.dumps({"token": token, "port": port, "address": address, "host": host, "process": os.getpid()})
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
            with open(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(content)
