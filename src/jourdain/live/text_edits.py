"""An operation on the text of a mechanism file: which value it is about, and the text as it is then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..files import text_changes as change
from ..files.loading import FromFile
from ..files.renaming import with_name
from ..files.spans import LIST, MAPPING, SCALAR, Span, spans
from ..files.text_changes import TextChangeError
from ..files.types.filling import PLACED, all_gaps
from ..mechanism.builder import Mechanism
from ..mechanism.names import is_identifier, nearest, owner_and_rest
from ..mechanism.numbers import SIZE, get, known, numbers
from ..mechanism.parts import GROUND, Blueprint
from . import subsystem_edits
from .operations import SECTIONS, OperationError

Steps = tuple[str | int, ...]
LETTERS = ("x", "y", "z")


class TextEdit:
    """A text, what it says, and the ways in which operations change it."""

    def __init__(self, text: str, mechanism: Mechanism | None) -> None:
        """`mechanism` is None of a text that has faults."""
        self.text = text
        try:
            self.root = spans(text)
        except yaml.YAMLError:
            raise OperationError("the text cannot be read, so that only text can be put in") from None
        self.blueprint: Blueprint = (mechanism or Mechanism()).frozen()
        source = None if mechanism is None else mechanism.source
        self.parts = source.parts if isinstance(source, FromFile) else {}
        self.path = self.parts[""].mark.path if "" in self.parts else ""

    def place(self, path: tuple[Any, ...]) -> tuple[int, int] | None:
        """Where a number stands in the text, if it is plainly written there."""
        found = self.root.at(*self._steps(path)) if path[-1] != SIZE else None
        plain = found is not None and found.what == SCALAR and not found.anchored and not found.style
        return (found.start, found.end) if found is not None and plain else None

    def after(self, operation: Mapping[str, Any]) -> str:
        """The text after an operation. Raises OperationError."""
        do = operation["do"]
        try:
            found: str = getattr(self, f"_{do}")(operation)
        except TextChangeError as error:
            name = operation.get("number", operation.get("part", "simulate"))
            raise OperationError(f"{do} {name}: {error}") from None
        return found

    # Operations ------------------------------------------------------------------------------------------------------

    def _set(self, operation: Mapping[str, Any]) -> str:
        name = operation["number"]
        if (steps := self._gap(name)) is not None:
            return self._put(steps, operation["value"], None)
        self._check_own(name.partition(".")[0], name)
        path = self._path(name)
        if path[0] == GROUND and self.root.at(GROUND, "points", path[1]) is None:
            self._refuse_included(path[1], name)
        if path[0] == "parameters" and self.root.at("parameters", path[1]) is None:
            return self._given_to_include(name, operation["value"])
        if path[-1] == SIZE:
            return self._scaled(name, path, operation["value"])
        steps, value = self._steps(path), operation["value"]
        k, vector = steps[-1], get(self.blueprint, path[:-1])
        unwritten = path[0] == "bodies" and isinstance(k, int) and self.root.at(*steps[:-1]) is None
        if unwritten and isinstance(vector, tuple):  # its other numbers stay what they are
            return self._put(steps[:-1], [value if i == k else x for i, x in enumerate(vector)], None)
        return self._put(steps, value, None if path[0] == "tables" else get(self.blueprint, path))

    def _gap(self, name: str) -> Steps | None:
        """Where a use of a type gives that number; None of what belongs to no type."""
        uses = self.blueprint.written.uses if self.blueprint.written is not None else {}
        owner, rest = owner_and_rest(name.removeprefix(f"{GROUND}."), uses)
        if owner not in uses:
            return None
        used = all_gaps(uses[owner].type)
        gaps = {**used.parameters, **used.signals}
        key, _, component = rest.partition(".")
        if rest in gaps or (used.kind == "assembly" and key in PLACED and not component):
            return (uses[owner].section, owner, rest)
        if used.kind == "assembly" and key in PLACED and component in LETTERS[: self.blueprint.dim]:
            return (uses[owner].section, owner, key, LETTERS.index(component))
        raise OperationError(
            f"set {name}: it belongs to type '{used.name}', at {used.mark}, which all its uses share; set a number "
            f"that '{owner}' is given ({', '.join(gaps) or 'it has none'}), or change the type"
        )

    def _insert(self, operation: Mapping[str, Any]) -> str:
        if name := subsystem_edits.name_of(operation["part"]):
            return subsystem_edits.inserted(self.text, self.root, name, operation["value"])
        steps = self._part(operation["part"], new=True)
        value = operation["value"]
        if not is_identifier(steps[-1]):
            raise OperationError(f"insert: '{steps[-1]}' cannot be a name; expected letters, digits and underscores")
        if steps[-1] in self.parts and steps[0] in SECTIONS and len(steps) == 2:
            place = self.parts[steps[-1]].mark
            raise OperationError(f"insert {operation['part']}: '{steps[-1]}' is there already, at {place}")
        return change.inserted(self.text, self.root, steps, value)

    def _remove(self, operation: Mapping[str, Any]) -> str:
        if name := subsystem_edits.name_of(operation["part"]):
            return subsystem_edits.removed(self.text, self.root, name)
        steps = self._part(operation["part"])
        owner = self.root.at(*steps[:-1])
        entry = None if owner is None else owner.entry(steps[-1])
        if owner is None or entry is None:
            raise OperationError(f"remove: there is no {'.'.join(steps)} in the text")
        return change.removed(self.text, owner, entry)

    def _rename(self, operation: Mapping[str, Any]) -> str:
        steps, new = self._part(operation["part"]), operation["to"]
        if not is_identifier(new):
            raise OperationError(f"rename: '{new}' cannot be a name; expected letters, digits and underscores")
        if new == steps[-1]:
            return self.text
        if steps[-2] != "points" and new in self.parts:
            raise OperationError(f"rename {operation['part']}: there is a '{new}' already, at {self.parts[new].mark}")
        return with_name(self.text, self.root, steps, new)

    def _move(self, operation: Mapping[str, Any]) -> str:
        steps, to = self._part(operation["part"]), operation["to"]
        dim = self.blueprint.dim
        if not isinstance(to, list | tuple) or len(to) != dim:
            raise OperationError(f"move {operation['part']}: to is {to!r}; expected {dim} numbers")
        if steps[0] == "assemblies":
            return self._put((*steps, "position"), list(to), None)
        if len(steps) == 2 and steps[0] == "bodies":
            return self._put((*steps, "position"), list(to), self.blueprint.body(steps[1]).position)
        if steps[-2] != "points":
            raise OperationError(f"move: {operation['part']} has no place; move a body, a point of one, or an assembly")
        body = GROUND if steps[0] == GROUND else steps[1]
        below: Steps = ("at",) if self.root.at(*steps, "at") is not None else ()
        return self._put((*steps, *below), list(to), self.blueprint.ports_of(body)[steps[-1]].at)

    def _choose(self, operation: Mapping[str, Any]) -> str:
        text = self.text
        for key, value in operation.items():
            if key != "do":
                edit = TextEdit.__new__(TextEdit)
                edit.text, edit.root, edit.blueprint = text, spans(text), self.blueprint
                text = edit._without(("simulate", key)) if value is None else edit._put(("simulate", key), value, None)
        return text

    def _text(self, operation: Mapping[str, Any]) -> str:
        return str(operation["value"])

    # Values ----------------------------------------------------------------------------------------------------------

    def _put(self, steps: Steps, value: Any, now: Any) -> str:
        """A value at its place; of a list only the numbers that change."""
        as_json = change.is_json(self.root, self.text)
        found = self.root.at(*steps)
        if found is None:
            if any(isinstance(step, int) for step in steps):
                whole = ".".join(str(step) for step in steps if not isinstance(step, int))
                raise TextChangeError(f"{whole} is not written number by number; set all of it")
            return change.inserted(self.text, self.root, tuple(map(str, steps)), value)
        if isinstance(value, list | tuple) and found.what == LIST and len(found.items) == len(value):
            return self._items(steps, found, value, now)
        if found.what == MAPPING:
            raise TextChangeError("a table stands there; set its numbers one by one")
        if found.what == SCALAR and found.value == value and type(found.value) is type(value):
            return self.text
        return change.replaced(self.text, found, value, as_json)

    def _items(self, steps: Steps, found: Span, value: Sequence[Any], now: Any) -> str:
        text, as_json = self.text, change.is_json(self.root, self.text)
        for k in reversed(range(len(value))):
            same = isinstance(now, tuple) and not isinstance(value[k], str) and value[k] == now[k]
            if not same and value[k] != found.items[k].value:
                text = change.replaced(text, found.items[k], value[k], as_json)
        return text

    def _without(self, steps: tuple[str, ...]) -> str:
        owner = self.root.at(*steps[:-1])
        entry = None if owner is None else owner.entry(steps[-1])
        return self.text if owner is None or entry is None else change.removed(self.text, owner, entry)

    def _scaled(self, name: str, path: tuple[Any, ...], value: Any) -> str:
        """The size of gravity: its direction stays."""
        try:
            size = float(value)
        except (TypeError, ValueError):
            raise OperationError(
                f"set {name}: its size is {value!r}; expected a number, or set its components"
            ) from None
        now = get(self.blueprint, path[:-1])
        factor = size / float(sum(x * x for x in now) ** 0.5)
        return self._put(self._steps(path[:-1]), [x * factor for x in now], now)

    # Where things stand ----------------------------------------------------------------------------------------------

    def _path(self, name: str) -> tuple[Any, ...]:
        """Where a number stands in the mechanism, be it a formula there."""
        table = known(self.blueprint, name)
        if name not in table:
            table = known(self.blueprint)
        if name not in table:
            head, _, key = name.partition(".")
            section = self._section(head)
            if section is not None and key.isidentifier():
                return (section, head, key)
            raise OperationError(
                f"set: there is no number '{name}' in the mechanism; {nearest(name, numbers(self.blueprint))}"
            )
        paths = table[name]
        return next((p for p in paths if not isinstance(get(self.blueprint, p), tuple)), paths[0])

    def _section(self, part: str) -> str | None:
        """The section in which a part is written: relations may stand among joints."""
        return next((s for s in SECTIONS if s != "parameters" and self.root.at(s, part) is not None), None)

    def _steps(self, path: tuple[Any, ...]) -> Steps:
        """A path into the mechanism as keys of the file."""
        room, rest = path[0], path[1:]
        if room in ("gravity", "parameters"):
            return tuple(path)
        if room == GROUND:
            return self._point((GROUND, "points", rest[0]), rest[2:])
        if isinstance(rest[0], str):
            return (room, *rest)
        name = getattr(self.blueprint, room)[rest[0]].name
        section = self._section(name) or room
        keys = tuple("angle" if key == "attitude" and self.blueprint.dim == 2 else key for key in rest[1:])
        if keys[0] == "ports":
            return self._point((section, name, "points", keys[1]), keys[3:])
        if keys[0] == "values":
            keys = keys[1:]
        found = self.root.at(section, name, *keys[:1])
        if len(keys) > 1 and isinstance(keys[1], int) and found is not None and found.what == SCALAR:
            keys = keys[:1]  # a torque in the plane
        return (section, name, *keys)

    def _point(self, steps: tuple[str, ...], component: tuple[Any, ...]) -> Steps:
        below: Steps = ("at",) if self.root.at(*steps, "at") is not None else ()
        return (*steps, *below, *component)

    def _part(self, name: str, new: bool = False) -> tuple[str, ...]:
        """`joints.B`, or `B` alone where it is known, as keys of the file."""
        steps = tuple(name.split("."))
        if len(steps) == 1 and not new and (section := self._section(name) or self._own_parameter(name)):
            steps = (section, name)
        if len(steps) == 1 and not new:
            self._check_own(name, name)
        if steps[0] == GROUND and len(steps) == 3 and steps[1] == "points":
            if self.root.at(*steps) is None and steps[2] in self.blueprint.ground:
                self._refuse_included(steps[2], name)
            return steps
        if steps[0] in ("types", "library"):
            raise OperationError(f"'{name}': types are changed with the text; all that is used of them changes with it")
        self._check_of_type(steps, name)
        if len(steps) not in (2, 4) or steps[0] not in SECTIONS or (len(steps) == 4 and steps[2] != "points"):
            known_ = ", ".join(SECTIONS)
            raise OperationError(
                f"'{name}' names no part; expected a section and a name, such as joints.B or bodies.crank.points.B "
                f"(sections: {known_})"
            )
        if self.root.at(*steps[:2]) is None and (not new or len(steps) == 4):
            self._check_own(steps[1], name)
            if steps[1] in self.parts:
                self._refuse_included(steps[1], name)
            there = self.root.at(steps[0])
            names = [] if there is None else [entry.key for entry in there.entries]
            raise OperationError(f"there is no '{steps[1]}' in {steps[0]}; {nearest(steps[1], names)}")
        return steps

    def _own_parameter(self, name: str) -> str | None:
        return "parameters" if self.root.at("parameters", name) is not None else None

    # What comes from other files ---------------------------------------------------------------------------------

    def _check_own(self, part: str, name: str) -> None:
        """Refuse what is written in another file; parameters that it is given here can be changed."""
        written = self.parts.get(part)
        if written is None or written.mark.path == self.path or part in self.blueprint.parameters:
            return
        raise OperationError(
            f"'{name}' comes from another file, {written.mark.path} (line {written.mark.line}), which is not changed "
            "here; open that file, or set a parameter that it is given"
        )

    def _refuse_included(self, part: str, name: str) -> None:
        """Refuse a ground point, a parameter or a table of an included file, by the name of that file."""
        includes = self.root.at("include")
        for one in [] if includes is None else includes.items or [includes]:
            prefix, path = one.at("prefix"), one.at("path")
            if prefix is not None and path is not None and part.startswith(str(prefix.value)):
                raise OperationError(
                    f"'{name}' comes from another file, {path.value}, which is not changed here; open that file, or "
                    "set a parameter that it is given"
                )

    def _check_of_type(self, steps: Sequence[str], name: str) -> None:
        """Refuse what a type brings: `bodies.one.rod`."""
        uses = self.blueprint.written.uses if self.blueprint.written is not None else {}
        rest = steps[1:] if steps[0] in SECTIONS else steps
        if len(rest) > 1 and rest[0] in uses and steps[0] != "assemblies":
            used = uses[rest[0]].type
            raise OperationError(
                f"'{name}' belongs to type '{used.name}', at {used.mark}, which all its uses share; change the type, "
                f"or {uses[rest[0]].section}.{rest[0]}"
            )

    def _given_to_include(self, name: str, value: Any) -> str:
        """A parameter of an included file, where it is included."""
        includes = self.root.at("include")
        listed = [] if includes is None else includes.items or [includes]
        for number, one in enumerate(listed):
            prefix, path = one.at("prefix"), one.at("path")
            if prefix is None or path is None or not name.startswith(str(prefix.value)):
                continue
            own = name.removeprefix(str(prefix.value))
            written = self.parts.get(name)
            if written is None or Path(written.mark.path).name != Path(str(path.value)).name:
                continue
            steps: Steps = ("include", number) if includes is not None and includes.items else ("include",)
            found = one.at("parameters", own)
            if found is not None:
                return change.replaced(self.text, found, value, change.is_json(self.root, self.text))
            if (given := one.at("parameters")) is not None and given.what == MAPPING:
                return change.inserted(self.text, given, (own,), value)
            return change.inserted(self.text, one, ("parameters", own), value) if steps else self.text
        place = self.parts[name].mark if name in self.parts else "another file"
        raise OperationError(f"parameter '{name}' comes from {place}, which is not changed here; open that file")
