"""The types that a file may use: its own, and those of the libraries that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from ...library import TYPES as COMPONENTS
from ...library.joints import BY_NAME as JOINTS
from ...mechanism.errors import FileError
from ...mechanism.fault import Mark, Where, whole
from ...mechanism.names import is_identifier
from .. import vocabulary
from ..nodes import Node, UnreadableError, parse
from ..scope import Scope, shown
from .type_definition import Definition, define

MAX_LIBRARIES = 50
LIBRARY = whole("library")
OpenFile = Callable[[Path, str], Node]


@dataclass
class Registry:
    """Types by name, and where each was defined. Types of libraries see those of their own file."""

    types: dict[str, Definition] = field(default_factory=dict)
    places: dict[str, Mark] = field(default_factory=dict)  # of faulty ones too
    partial: bool = False  # a library could not be read, so that any name may be missing
    libraries: tuple[str, ...] = ()  # as the file names them
    name: str = ""  # what the file says of itself
    description: str = ""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.places  # what a file has there may be a list

    def named(self, node: Node) -> Definition | None:
        """The type that a file names there, if it is one."""
        return self.types.get(node.value) if isinstance(node.value, str) else None

    def of_section(self, section: str) -> Iterator[Definition]:
        yield from (one for one in self.types.values() if one.section == section)


def shipped() -> Mapping[str, Path]:
    """Libraries that come with the package, by the names that files use."""
    folder = Path(str(files("jourdain").joinpath("libraries")))
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def read_types(scope: Scope, top: Mapping[str, Node], open_file: OpenFile) -> Registry:
    """The types of a file and of its libraries."""
    return _Reading(open_file).read(scope, top, ())


def read_library(scope: Scope, named: Node, open_file: OpenFile) -> Registry:
    """The types of one file; none, and the fault noted, where it cannot be read."""
    return _Reading(open_file).library(scope, named, ()) or Registry()


class _Reading:
    """Reads files of types, each once, and counts them."""

    def __init__(self, open_file: OpenFile) -> None:
        self.open_file = open_file
        self.done: dict[Path, Registry] = {}

    def read(self, scope: Scope, top: Mapping[str, Node], open_files: tuple[Path, ...]) -> Registry:
        said = [top[key].value if key in top else "" for key in ("name", "description")]
        name, description = (" ".join(text.split()) if isinstance(text, str) else "" for text in said)
        found = Registry(name=name, description=description)
        node = top.get("library")
        for entry in [] if node is None else node.value if isinstance(node.value, list) else [node]:
            if not isinstance(entry.value, str):
                scope.wrong(entry, LIBRARY, "a file of types, such as mine.yaml, or machine-parts")
                continue
            library = self.library(scope, entry, open_files)
            found.partial = found.partial or library is None or library.partial
            if library is not None:
                found.libraries = (*found.libraries, entry.value)
                for name, mark in library.places.items():
                    self._enter(scope, found, name, mark, entry.mark)
                found.types |= library.types
        types = scope.names(top["types"], whole("types")) if "types" in top else {}
        for name, item in types.items():
            mark = top["types"].keys[name]
            if not all(map(is_identifier, name.split("-"))):
                words = f"type name {name!r} is not a name; use letters, digits, underscores and hyphens"
                scope.fault(mark, whole("types").at(name), words)
            elif name in JOINTS or name in COMPONENTS:
                words = f"type '{name}' is a built-in type; expected another name"
                scope.fault(mark, whole("types").at(name), words)
            elif self._enter(scope, found, name, mark, mark):
                definition = define(scope, name, item, found)
                if definition is not None:
                    found.types[name] = definition
        for *names, inner, name in _circles(found, types):
            words = f"type '{name}' contains itself, {' -> '.join((*names, inner, name))}"
            mark = next(place for other, place in names_inside(types[inner]) if other == name)
            scope.fault(mark, Where("", f"types.{name}", f"type '{name}'"), words)
            found.types.pop(name, None)
        return found

    @staticmethod
    def _enter(scope: Scope, found: Registry, name: str, mark: Mark, here: Mark) -> bool:
        """Notes where a type is; a fault where there is another one of its name."""
        other = found.places.get(name)
        if other is not None and other != mark:
            words = f"there are two types '{name}', at {other} and at {mark}; give one of them another name"
            scope.fault(here, Where("", f"types.{name}", f"type '{name}'"), words)
            return False
        found.places[name] = mark
        return True

    def library(self, scope: Scope, entry: Node, open_files: tuple[Path, ...]) -> Registry | None:
        """The types of a library; None, and the fault noted, where it cannot be read."""
        own = shipped()
        path = own.get(entry.value) or scope.folder / entry.value
        if entry.value not in own and not path.suffix:
            words = f"library: there is none called '{entry.value}'; shipped ones are {', '.join(own)}"
            scope.fault(entry, LIBRARY, f"{words}; a file of your own has its ending, such as {entry.value}.yaml")
            return None
        try:
            whole_path = path.resolve()
        except (OSError, ValueError, RuntimeError) as error:
            scope.fault(entry, LIBRARY, f"library: {shown(entry)} cannot be a file: {error}")
            return None
        if whole_path in open_files:
            names = " -> ".join(p.name for p in (*open_files[open_files.index(whole_path) :], whole_path))
            scope.fault(entry, LIBRARY, f"library: files name each other in a circle, {names}")
            return None
        if whole_path in self.done:
            return self.done[whole_path]
        if len(self.done) >= MAX_LIBRARIES:
            scope.fault(entry, LIBRARY, f"library: more than {MAX_LIBRARIES} files of types are read")
            return None
        try:
            if entry.value in own:
                root = parse(path.read_text("utf-8"), path.name)
            else:
                root = self.open_file(path, str(path))
        except UnreadableError as error:
            scope.faults.add(error.fault)
            return None
        except FileError as error:
            scope.fault(entry, LIBRARY, f"library: {entry.value}: {error.faults[0].words}")
            return None
        shown_as = path.name if entry.value in own else str(path)
        inner = Scope(scope.faults, shown_as, scope.dim, folder=path.parent, hints=scope.hints, used=entry.mark)
        if not isinstance(root.value, dict) or not {"types", "library"} & root.value.keys():
            words = f"library: found {shown(root)} in {entry.value}; expected a file of types, with a key 'types'"
            scope.fault(entry, LIBRARY, words)
            return None
        version = root.value.get("jourdain")
        if version is None or version.value != vocabulary.VERSION or isinstance(version.value, bool):
            found = "no 'jourdain' key" if version is None else f"jourdain: {shown(version)}"
            words = f"library: found {found} in {entry.value}; expected a file of types, with 'jourdain: 1' first"
            inner.fault(version or root, LIBRARY, words)
            return None
        top = inner.table(root, Where("", "", "the file"), vocabulary.TOP)
        self.done[whole_path] = Registry()
        self.done[whole_path] = self.read(inner, top, (*open_files, whole_path))
        return self.done[whole_path]


def _circles(home: Registry, own: Iterable[str]) -> list[tuple[str, ...]]:
    """Types of one file that contain themselves: the names from each to itself again."""
    found: list[tuple[str, ...]] = []
    inside = {
        name: dict.fromkeys(one for one, _ in names_inside(home.types[name].node) if one in home.types)
        for name in own
        if name in home.types
    }
    state: dict[str, bool] = {}  # by name: whether all that it contains is done
    for start in inside:
        stack = [(start, iter(inside[start]))] if start not in state else []
        state.setdefault(start, False)
        while stack:
            name, rest = stack[-1]
            other = next((one for one in rest if one in inside), None)
            if other is None:
                state[name] = True
                stack.pop()
            elif other not in state:
                state[other] = False
                stack.append((other, iter(inside[other])))
            elif not state[other]:
                path = [one for one, _ in stack]
                found.append((*path[path.index(other) :], other))
    return found


def names_inside(node: Node) -> Iterator[tuple[str, Mark]]:
    """What the parts in a node are of, built in or not, and where that is written."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one.value, dict):
            name = one.value.get("type")
            if name is not None and isinstance(name.value, str):
                yield name.value, name.mark
            stack += one.value.values()
        elif isinstance(one.value, list):
            stack += one.value
