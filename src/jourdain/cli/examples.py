"""`jourdain examples`: list, show, copy, run."""

from __future__ import annotations

import re
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
    width = max(len(name) for name in gallery.example_names())
    for name in gallery.example_names():
        sys.stdout.write(f"{name:<{width}}  {first_sentence(_known(name).read_text(encoding='utf-8'))}\n")
    sys.stdout.write("\ntry: jourdain run NAME --animate NAME.html, or jourdain examples copy NAME to change it\n")
    return codes.OK


def first_sentence(text: str) -> str:
    """Of the description of a file, found without reading all of it as YAML, which takes its time."""
    found = re.search(r"^description: *(?:>-?)?((?:.*\n)(?: +.*\n)*)", text, re.MULTILINE)
    words = " ".join(found[1].split()) if found else ""
    end = re.search(r"[.:;](?= [A-Z(\d]| |$)", words)
    return words[: end.start()] if end else words


def _known(name: str) -> Path:
    if name not in gallery.example_names():
        raise UsageError(f"there is no example '{name}'; {nearest(name, gallery.example_names())}")
    return Path(gallery.path(name))


def _parts(source: Path) -> list[Path]:
    """Files that an example includes; their names begin with an underscore."""
    named = re.findall(r"\b_\w+\.yaml\b", source.read_text(encoding="utf-8"))
    return [source.parent / name for name in dict.fromkeys(named) if (source.parent / name).is_file()]


def _copy(arguments: Any) -> int:
    source = _known(arguments.name)
    target = Path(arguments.to or source.name)
    if target.is_dir():
        target = target / source.name
    if target.exists() and not arguments.force:
        raise UsageError(f"{target} exists; give another name, or --force to write over it")
    try:
        shutil.copyfile(source, target)
        for part in _parts(source):
            shutil.copyfile(part, target.parent / part.name)
    except OSError as error:
        sys.stderr.write(f"jourdain: cannot write {target}: {error.strerror}\n")
        return codes.UNWRITTEN
    sys.stdout.write(f"{target} written; try: jourdain run {target}\n")
    return codes.OK
