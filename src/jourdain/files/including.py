"""Sub-mechanisms: the parts of another file, each name with a prefix before it.

Of an included file come its parameters, ground points, bodies, joints, relations, forces, elements, motions, events and
what is off; its name, gravity and defaults are those of a mechanism of its own and are left behind.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..mechanism.builder import Mechanism
from ..mechanism.errors import FileError
from ..mechanism.fault import Where, whole
from ..mechanism.names import is_identifier
from ..mechanism.parts import PLANAR, SPATIAL
from . import vocabulary
from .nodes import Node, UnreadableError
from .parameters import declare, read_parameters
from .scope import Scope, shown
from .sections import read_parts
from .types.registry import read_types

MAX_FILES = 200
INCLUDE = whole("include")


class Includes:
    """Reads included files into one mechanism, and counts them: two files that include two each soon are a million."""

    def __init__(self, mechanism: Mechanism, open_file: Callable[[Path, str], Node]) -> None:
        self.mechanism = mechanism
        self.open_file = open_file
        self.count = 0

    def read(self, scope: Scope, node: Node | None, folder: Path, open_files: tuple[Path, ...]) -> None:
        """All includes of a file, which itself was included by the `open_files` before the last."""
        if node is None:
            return
        entries = node.value if isinstance(node.value, list) else [node]
        for entry in entries:
            keys = scope.table(entry, INCLUDE, vocabulary.INCLUDE, required=("path", "prefix"))
            texts = {key: keys[key].value for key in ("path", "prefix") if key in keys}
            for key, value in texts.items():
                if not isinstance(value, str):
                    scope.wrong(keys[key], INCLUDE.at(key), "text")
            if len(texts) < 2 or not all(isinstance(value, str) for value in texts.values()):
                continue
            if not is_identifier(texts["prefix"] + "x"):
                words = "letters, digits and underscores, beginning with a letter"
                scope.fault(
                    keys["prefix"],
                    INCLUDE.at("prefix"),
                    f"include: prefix is {shown(keys['prefix'])}; expected {words}",
                )
                continue
            self._one(scope, keys, folder, open_files)

    def _one(self, scope: Scope, keys: dict[str, Node], folder: Path, open_files: tuple[Path, ...]) -> None:
        place = keys["path"]
        path = folder / place.value
        try:
            whole = path.resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a name that no file can have, links in a circle
            scope.fault(place, INCLUDE.at("path"), f"include: {shown(place)} cannot be a file: {error}")
            return
        self.count += 1
        if whole in open_files:
            names = " -> ".join(p.name for p in (*open_files[open_files.index(whole) :], whole))
            scope.fault(place, INCLUDE.at("path"), f"include: files include each other in a circle, {names}")
            return
        if self.count > MAX_FILES:
            if self.count == MAX_FILES + 1:
                scope.fault(place, INCLUDE.at("path"), f"include: more than {MAX_FILES} files are included")
            return
        try:
            root = self.open_file(path, str(path))
        except UnreadableError as error:
            scope.faults.add(error.fault)
            return
        except FileError as error:
            scope.fault(place, INCLUDE.at("path"), f"include: {place.value}: {error.faults[0].words}")
            return
        self._parts(scope, keys, root, path, (*open_files, whole))

    def _parts(self, outer: Scope, keys: dict[str, Node], root: Node, path: Path, open_files: tuple[Path, ...]) -> None:
        prefix = outer.prefix + keys["prefix"].value
        inner = Scope(outer.faults, str(path), outer.dim, prefix, path.parent, hints=outer.hints)
        inner.coordinates, inner.uses, inner.given = outer.coordinates, outer.uses, outer.given
        if not isinstance(root.value, dict) or "jourdain" not in root:
            words = f"found {shown(root)}; expected a mechanism file, which says 'jourdain: 1' first"
            inner.fault(root, whole("jourdain"), words)
            return
        top = inner.table(root, Where("", "", "the file"), vocabulary.TOP)
        space = PLANAR if outer.dim == 2 else SPATIAL
        if _space_of(top) != space:
            words = f"include: the file is {_space_of(top)}; expected a {space} mechanism like this"
            outer.fault(keys["path"], INCLUDE.at("path"), words)
            return
        given: dict[str, Any] = {}
        if "parameters" in keys:
            for name, node in outer.names(keys["parameters"], INCLUDE.at("parameters")).items():
                value = outer.number(node, Where("", f"include.parameters.{name}", f"include: parameter '{name}'"))
                given[name] = Node(value if isinstance(value, float) else 1.0, node.mark)
        read_parameters(inner, top.get("parameters"), given)
        declare(inner, self.mechanism)
        inner.types = read_types(inner, top, self.open_file)
        self.read(inner, top.get("include"), path.parent, open_files)
        read_parts(inner, top, self.mechanism)
        # The file that includes may name what it included.
        outer.own |= {keys["prefix"].value + name for name in inner.own}
        own = keys["prefix"].value
        for port, end in inner.aliases.items():
            ground = "ground." if end.startswith("ground.") else ""
            outer.aliases[own + port] = ground + own + end.removeprefix(ground)


def _space_of(top: dict[str, Node]) -> str:
    if "space" in top:
        return str(top["space"].value)
    gravity = top["gravity"].value if "gravity" in top else None
    return "spatial" if isinstance(gravity, list) and len(gravity) == 3 else PLANAR
