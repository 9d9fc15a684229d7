"""`jourdain derive`: equations to read, or to take away as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from . import codes
from .codes import UsageError
from .sources import mechanism
from .writing import Writer, check_target

KINDS = {".tex": "latex", ".md": "markdown", ".html": "html", ".py": "python", ".c": "c"}


def derive(arguments: Any) -> int:
    """Markdown on the terminal unless files are asked for."""
    for path in arguments.output:
        check_target("-o", path, KINDS, arguments.file)
    if not arguments.budget > 0:
        raise UsageError(f"--budget {arguments.budget:g}: expected seconds, more than none")
    from ..derive.equations_of import derive as equations_of

    choices = {"level": arguments.level, "coordinates": arguments.coordinates}
    thing: Any = arguments.file
    if not _is_of_catalogue(arguments.file):
        thing = mechanism(arguments.file, arguments.set)
        choices |= {"part": arguments.part, "treatment": arguments.treatment, "budget": arguments.budget}
    elif arguments.part or arguments.set:
        raise UsageError(f"'{arguments.file}' is no mechanism: it has no parts and no parameters")
    found = equations_of(thing, **choices)
    writer = Writer()
    for path in arguments.output:
        make = getattr(found, KINDS[Path(path).suffix.lower()])
        writer.write(path, lambda target, make=make: Path(target).write_text(make(), encoding="utf-8"))  # type: ignore[misc]
    if arguments.output:
        for path in writer.written:
            sys.stdout.write(f"{path}: {found.title}, {found.level}; {found.checked}\n")
    else:
        sys.stdout.write(found.markdown())
    writer.tell_failures()
    return codes.UNWRITTEN if writer.failures else codes.OK


def _is_of_catalogue(name: str) -> bool:
    """A name that is no file and no example, but one of joints, types, coordinate sets, treatments; or an equation."""
    if Path(name).exists():
        return False
    from ..files import gallery

    if name in gallery.example_names():
        return False
    from ..choices import COORDINATES, TREATMENTS
    from ..derive.sample_parts import known_types
    from ..library.joints import BY_NAME

    sets = {name for known in COORDINATES.values() for name in known}
    return "dot(" in name or name in {*BY_NAME, *known_types(), *TREATMENTS, *sets}
