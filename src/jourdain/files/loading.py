"""A file to a Mechanism: each section handed to the builder, all faults gathered and put to their lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..choices import resolve
from ..library import kinds as k
from ..library.mechanism_faults import joint_entries
from ..mechanism import fence
from ..mechanism.arguments import asked
from ..mechanism.builder import Mechanism
from ..mechanism.display import SI_UNITS
from ..mechanism.errors import ChoiceError, FileError, MechanismError
from ..mechanism.fault import Fault, Mark, Where, whole
from ..mechanism.names import nearest
from ..mechanism.numbers import put_all
from ..mechanism.parts import PLANAR, SPATIAL, Blueprint
from ..mechanism.taken import Amount
from ..mechanism.units import UnitError, fits, unit
from . import vocabulary
from .file_faults import MAX_FAULTS, EnoughError, Faults, WrittenPart, part_of
from .including import Includes
from .nodes import MAX_BYTES, Node, UnreadableError, parse
from .parameters import declare, read_parameters
from .scope import MISSING, Scope, shown
from .sections import read_parts
from .types.kept_uses import written
from .types.registry import read_types
from .types.using import Uses, misfits, port_faults

TEXT_NAME = "<text>"


@asked
def load(source: str | Path, /, parameters: Mapping[str, Amount] | None = None, **more: Amount) -> Mechanism:
    """Read a mechanism from a file (YAML or JSON), or from a text of several lines.

    Parameters of the file can be given other values: `load("arm.yaml", k=300)`, or as text with a unit. Raises
    FileError with all faults of the file, each with its line and column.
    """
    return read(source, {**(parameters or {}), **more})


class Text(NamedTuple):
    """A text that stands for a file: the name it has in messages, and the folder that its paths start from."""

    text: str
    path: str
    folder: Path


def read(source: str | Path | Text, values: Mapping[str, Any]) -> Mechanism:
    """The same with a text that is known already. Raises FileError."""
    text, path, folder = text_of(source)
    faults = Faults()
    try:
        mechanism = _mechanism(parse(text, path), path, folder, values, faults)
        _check(mechanism, faults, Mark(path, 1, 1))
    except UnreadableError as error:
        raise FileError(path, [error.fault]) from None
    except EnoughError:
        raise FileError(path, [*faults.in_order()[:MAX_FAULTS], "... and more; mend these first"]) from None
    if faults.found:
        raise FileError(path, faults.in_order())
    mechanism.source = FromFile(source, values, faults.parts)
    return mechanism


@dataclass(frozen=True, eq=False)
class FromFile:
    """Reads the file of a mechanism again, and knows where its parts stand in it (mechanism/parts.py, `Source`)."""

    source: str | Path | Text
    values: Mapping[str, Any]
    parts: Mapping[str, WrittenPart]
    numbers: Mapping[str, Any] = field(default_factory=dict)  # that were given other values than the file gives them

    def __call__(self, values: Mapping[str, Any], /) -> Blueprint:
        return put_all(read(self.source, {**self.values, **values}).frozen(), self.numbers)

    def with_numbers(self, numbers: Mapping[str, Any], /) -> FromFile:
        return replace(self, numbers={**self.numbers, **numbers})

    def mark_of(self, fault: Fault, /) -> Mark | None:
        if not fault.part:  # of the whole mechanism: of the file
            return Mark(name_of(self.source), 1, 1)
        written = part_of(self.parts, fault)
        return None if written is None else written.mark_of(fault)


def is_text(source: str | Path | Text) -> bool:
    """Whether it is the text of a file, and not its path."""
    return isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{"))


def name_of(source: str | Path | Text) -> str:
    """What a source is called in messages."""
    return source.path if isinstance(source, Text) else TEXT_NAME if is_text(source) else str(source)


def text_of(source: str | Path | Text) -> Text:
    if isinstance(source, Text):
        return source
    if isinstance(source, str) and is_text(source):
        return Text(source, TEXT_NAME, Path())
    path = Path(source)
    return Text(read_file(path), str(source), path.parent)


def read_file(path: Path) -> str:
    """The text of a file; a FileError that says why there is none."""
    name = str(path)
    if words := fence.refusal(path):
        raise _unread(name, words)
    try:
        if path.exists() and not path.is_file():  # a pipe may wait for ever, a device never end
            raise _unread(name, "the file cannot be read: it is a folder, a pipe or a device")
        most = 4 * MAX_BYTES  # of at most four bytes a character; the exact limit is the parser's
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise _unread(name, f"the file is larger than {MAX_BYTES // 10**6} MB")
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        siblings = [p.name for p in path.parent.glob("*") if p.suffix in (".yaml", ".yml", ".json")]
        hint = f"; {nearest(path.name, siblings)}" if siblings else ""
        raise _unread(name, f"there is no such file{hint}") from None
    except UnicodeError:
        raise _unread(name, "the file is not text in UTF-8") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise _unread(name, f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _unread(name: str, words: str) -> FileError:
    return FileError(name, [Fault("", "", words, mark=Mark(name, 1, 1))])


def _mechanism(root: Node, path: str, folder: Path, values: Mapping[str, Any], faults: Faults) -> Mechanism:
    """What the file describes, as far as it could be read."""
    scope = Scope(faults, path, folder=folder)
    top = _top(root, scope)
    space = _space(scope, top)
    scope.dim = 2 if space == PLANAR else 3
    scope.given = {name: value for name, value in values.items() if "." in name and not _has(top, name)}
    read_parameters(scope, top.get("parameters"), {k: v for k, v in values.items() if k not in scope.given})
    gravity = (
        scope.value(top["gravity"], whole("gravity"), vocabulary.TOP["gravity"], now=True) if "gravity" in top else None
    )
    gravity = None if gravity is MISSING else gravity
    mechanism = Mechanism(_word(scope, top, "name", Path(path).stem), space=space, gravity=gravity)
    mechanism.description = _word(scope, top, "description", "").strip()
    declare(scope, mechanism)
    scope.types, scope.uses = read_types(scope, top, open_included), Uses()
    includes = Includes(mechanism, open_included)
    includes.read(scope, top.get("include"), folder, (_resolved(folder, path),))
    read_parts(scope, top, mechanism)
    mechanism.defaults = _defaults(scope, top.get("simulate"), space)
    mechanism.display = _display(scope, top.get("display"))
    mechanism.hints = tuple(scope.hints)
    for name in scope.given:
        known = [key for key in mechanism.frozen().parameters if "." in key]
        scope.fault(
            root, whole("parameters").at(name), f"there is no parameter '{name}' to set; {nearest(name, known)}"
        )
    if scope.uses.all or scope.types.types:
        blueprint = mechanism.frozen()
        if not scope.faults.found:  # which may be why nothing is joined to a port
            port_faults(scope, blueprint)
        mechanism.written = written(blueprint, scope.uses, scope.types)
    return mechanism


def _has(top: Mapping[str, Node], name: str) -> bool:
    return "parameters" in top and name in top["parameters"]


def _display(scope: Scope, node: Node | None) -> dict[str, str]:
    """Units of plots, reports and tables, by quantity."""
    found: dict[str, str] = {}
    where = whole("display")
    for key, value in scope.table(node, where, vocabulary.DISPLAY).items() if node is not None else ():
        wanted = unit(SI_UNITS[key])
        try:
            right = isinstance(value.value, str) and fits(unit(value.value).dimension, wanted.dimension)
        except UnitError as error:
            scope.fault(value, where.at(key), f"display: {key}: {error}")
            continue
        if right:
            found[key] = value.value
        else:
            scope.wrong(value, where.at(key), f"a unit like {vocabulary.SHOWN[key]}")
    return found


def _top(root: Node, scope: Scope) -> dict[str, Node]:
    if not isinstance(root.value, dict) or "jourdain" not in root:
        found = f"a file that begins with {shown(root)}" if not isinstance(root.value, dict) else "no 'jourdain' key"
        words = f"found {found}; expected a mechanism file, which says 'jourdain: {vocabulary.VERSION}' first"
        raise UnreadableError(root.mark, words)
    version = root["jourdain"]
    if version.value != vocabulary.VERSION or isinstance(version.value, bool):
        words = f"jourdain is {shown(version)}; expected {vocabulary.VERSION}, the version of the format"
        scope.fault(version, whole("jourdain"), words)
    top = scope.table(root, Where("", "", "the file"), vocabulary.TOP, part="")
    scope.faults.parts[""] = WrittenPart(Mark(scope.path, 1, 1), root, "")
    scope.faults.partial = len(top) < len(root.value)
    return top


def _word(scope: Scope, top: Mapping[str, Node], key: str, default: str) -> str:
    if key not in top:
        return default
    node = top[key]
    if isinstance(node.value, str):
        return node.value
    scope.wrong(node, whole(key), "text")
    return default


def _space(scope: Scope, top: Mapping[str, Node]) -> str:
    """Plane or space, as written or as gravity has it."""
    components = top["gravity"].value if "gravity" in top else None
    space = SPATIAL if isinstance(components, list) and len(components) == 3 else PLANAR
    written = scope.value(top["space"], whole("space"), vocabulary.TOP["space"]) if "space" in top else space
    return space if written is MISSING else str(written)


def _defaults(scope: Scope, node: Node | None, space: str) -> dict[str, Any]:
    """What a run takes unless told otherwise; choices that do not go together are faults already here."""
    if node is None:
        return {}
    found = {}
    where = whole("simulate")
    for key, value in scope.table(node, where, vocabulary.SIMULATE).items():
        read = scope.value(value, where.at(key), vocabulary.SIMULATE[key], now=True)
        if read is not MISSING and vocabulary.SIMULATE[key].what == k.POSITIVE and not read > 0:
            read = scope.fault(value, where.at(key), f"simulate: {key} is {read:g}; expected a positive number")
        if read is not MISSING:
            found[key] = read
    try:
        choices = {key: value for key, value in found.items() if key not in ("duration", "every")}
        resolve(space, **choices)
    except ChoiceError as error:
        blamed = next((key for key in error.keys if key in node), None)
        place, value = (where, node) if blamed is None else (where.at(blamed), node[blamed])
        scope.fault(value, place, f"simulate: {error}")
    return found


def _resolved(folder: Path, path: str) -> Path:
    return (folder / Path(path).name).resolve()


def open_included(path: Path, shown_as: str) -> Node:
    return _parsed(read_file(path), shown_as)


@lru_cache(maxsize=32)
def _parsed(text: str, path: str) -> Node:
    """Files are included several times, and read again after each change of a document; nobody changes nodes."""
    return parse(text, path)


def _check(mechanism: Mechanism, faults: Faults, start: Mark) -> None:
    """What is wrong with the whole, put to the lines of the parts it concerns."""
    try:
        blueprint = mechanism.frozen()
        joint_entries(blueprint)
        if blueprint.written is not None and not faults.found:
            for fault in misfits(blueprint.written.all, blueprint):
                faults.add(fault)
    except MechanismError as error:
        blamed = {fault.part for fault in error.faults}
        for fault in error.faults:
            mark = None if fault.used and fault.used in blamed else faults.mark_of(fault, start)
            if mark is not None:
                faults.add(fault.at(mark))
