"""Addresses: the page and its parts, pictures of the gallery, and the socket, all below the token."""

from __future__ import annotations

import logging
from concurrent.futures import Executor
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from .bench import Bench
from .client import Client
from .guard import Guard

LOG = logging.getLogger("jourdain.studio")
PAGE = Path(__file__).with_name("page")
PICTURES = Path(__file__).with_name("pictures")  # of the examples, as docs/make_gallery.py makes them
MOST_PAGES = 16
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
)
FRAMED = "frame-ancestors http://localhost:* http://127.0.0.1:* https: vscode-webview:"
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".webp": "image/webp"}


def app_of(bench: Bench, guard: Guard, worker: Executor, *, framed: bool = False) -> Starlette:
    """The application of one studio; one that is `framed` may stand in a page of another program on this computer."""
    headers = {**HEADERS, "Content-Security-Policy": POLICY + (FRAMED if framed else "frame-ancestors 'none'")}
    known = {path.relative_to(PAGE).as_posix(): path for path in PAGE.rglob("*") if path.is_file()}
    known |= {f"gallery/{path.name}": path for path in PICTURES.glob("*.webp")}
    open_sockets = 0

    def refusal(connection: HTTPConnection, socket: bool) -> str:
        given = connection.headers
        token = connection.path_params["token"]
        words = guard.refusal(token, given.get("host", ""), given.get("origin"), socket)
        if words:
            LOG.warning("refused: %s", words)
        return words

    async def file(request: Request) -> Response:
        if refusal(request, socket=False):
            return PlainTextResponse("refused", 403, headers=headers)
        path = known.get(request.path_params.get("path") or "index.html")
        if path is None:
            return PlainTextResponse("there is no such file", 404, headers=headers)
        return FileResponse(path, media_type=KINDS.get(path.suffix), headers=headers)

    async def socket(connection: WebSocket) -> None:
        nonlocal open_sockets
        if refusal(connection, socket=True) or open_sockets >= MOST_PAGES:
            await connection.close(1008)
            return
        open_sockets += 1
        try:
            await Client(connection, bench, worker).run()
        finally:
            open_sockets -= 1

    return Starlette(
        routes=[
            WebSocketRoute("/{token}/socket", socket),
            Route("/{token}/{path:path}", file),
        ]
    )
