"""`jourdain studio`: the machine on a page of the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from . import codes
from .codes import UsageError
from .sources import MECHANISMS, mechanism_path


def studio(arguments: Any) -> int:
    """Serve the page until it is interrupted."""
    from ..files import gallery
    from ..studio.serve import Wanted, serve

    if arguments.port is not None and not 0 < arguments.port < 65536:
        raise UsageError(f"--port {arguments.port}: expected a number from 1 to 65535")
    path: Path | None = None
    example = False
    if arguments.file is not None:
        path = mechanism_path(arguments.file)
        example = path.parent == gallery.folder()
        if path.suffix not in MECHANISMS:
            raise UsageError(f"'{arguments.file}' is no mechanism file; expected {', '.join(MECHANISMS)}")
    serve(Wanted(path, example, arguments.port, arguments.host, not arguments.no_open), _say)
    return codes.OK


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()
