"""`jourdain examples`: list, show, copy, run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from ..files import gallery
from ..mechanism.names import nearest
from . import codes
from .codes import UsageError


def examples(arguments: Any) -> int:
    """What the action says; without one, the list."""
    if arguments.action == "run":
        from .run import run

        _known(arguments.file)
        return run(arguments)
    if arguments.action == "show":
        sys.stdout.write(_known(arguments.name).read_text(encoding="utf-8"))
        return codes.OK
    if arguments.action == "copy":
        return _copy(arguments)
    width = max(len(name) for name in gallery.names())
    for name in gallery.names():
        sys.stdout.write(f"{name:<{width}}  {gallery.title(name)}\n")
    sys.stdout.write("\ntry: jourdain run NAME --animate NAME.html, or jourdain examples copy NAME to change it\n")
    return codes.OK


def _known(name: str) -> Path:
    if name not in gallery.names():
        raise UsageError(f"there is no example '{name}'; {nearest(name, gallery.names())}")
    return Path(gallery.path(name))


def _copy(arguments: Any) -> int:
    source = _known(arguments.name)
    target = Path(arguments.to or source.name)
    if target.is_dir():
        target = target / source.name
    if target.exists() and not arguments.force:
        raise UsageError(f"{target} exists; give another name, or --force to write over it")
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        sys.stderr.write(f"jourdain: cannot write {target}: {error.strerror}\n")
        return codes.UNWRITTEN
    sys.stdout.write(f"{target} written; try: jourdain run {target}\n")
    return codes.OK
