"""`jourdain types`: what parts may be of, built in and of one's own, in words or as a page."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from ..files.types.described import Described, built_in, of_definition
from ..files.types.python_type import library
from ..files.types.registry import Registry, shipped
from ..mechanism.names import nearest
from . import codes
from .codes import UsageError

PATIENCE = 60  # seconds for the pictures of a page
ORDER = ("joints", "relations", "forces", "elements", "motions", "assemblies")


def types(arguments: Any) -> int:
    """The list, one type, or a page."""
    source, name = arguments.source, arguments.name
    own, registry = built_in(), Registry()
    is_file = source is not None and (source in shipped() or Path(source).suffix in (".yaml", ".yml", ".json"))
    if source is None:
        found = dict(own)
    elif is_file:
        registry = library(source)
        found = {key: of_definition(one) for key, one in registry.types.items()}
    else:
        found = {**own, **{key: one for path in shipped() for key, one in _of(path).items()}}
        name = name or source
    if name is not None:
        if name not in found:
            raise UsageError(f"there is no type '{name}'; {nearest(name, found)}")
        found = {name: found[name]}
    if arguments.output:
        return _page(arguments.output, source, found, registry)
    if arguments.json:
        sys.stdout.write(json.dumps([one.to_dict() for one in found.values()], indent=2, ensure_ascii=False) + "\n")
    elif name is not None or is_file:
        sys.stdout.write("\n\n".join("\n".join(one.lines()) for one in found.values()) + "\n")
    else:
        _list(found)
    return codes.OK


def _of(path: str) -> dict[str, Described]:
    return {key: of_definition(one) for key, one in library(path).types.items()}


def _list(found: dict[str, Described]) -> None:
    width = max(map(len, found))
    for section in ORDER:
        inside = [one for one in found.values() if one.section == section]
        if inside:
            sys.stdout.write(f"{section}:\n")
        for one in inside:
            sys.stdout.write(f"  {one.name:<{width}}  {one.says}\n")
    for name in shipped():
        known = _of(name)
        sys.stdout.write(f"library {name}:\n")
        for one in known.values():
            sys.stdout.write(f"  {one.name:<{width}}  {one.says}\n")
    sys.stdout.write("\ntry: jourdain types NAME, or jourdain types FILE for those of a file\n")


def _page(output: str, source: str | None, found: dict[str, Described], registry: Registry) -> int:
    from ..files.types.library_page import page
    from ..plotting.specimens import picture

    if Path(output).suffix != ".html":
        raise UsageError(f"{output}: a page ends in .html")
    title = registry.name or (Path(source).name if source else "types")
    pictures: dict[str, str] = {}
    begun = time.monotonic()
    for name in found:
        if name in registry.types and time.monotonic() - begun < PATIENCE:
            pictures[name] = picture(registry.types[name])
    if lacking := len(registry.types.keys() & found.keys()) - len(pictures):
        sys.stderr.write(f"jourdain: note: {lacking} types have no picture: the others took {PATIENCE} s\n")
    try:
        Path(output).write_text(page(title, registry.description, list(found.values()), pictures), encoding="utf-8")
    except OSError as error:
        sys.stderr.write(f"jourdain: {output} cannot be written: {error.strerror or error}\n")
        return codes.UNWRITTEN
    sys.stdout.write(f"{output} written\n")
    return codes.OK
