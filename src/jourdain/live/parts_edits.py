"""Operations on a mechanism without text: one with Python functions in it. What needs a text is refused.

What is inserted is read as a file would be, into a copy of the builder; removing leaves a part out.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..files.body_section import read_points
from ..files.file_faults import Faults
from ..files.nodes import UnreadableError, parse
from ..files.scope import Scope
from ..files.sections import PARTS, read_parts
from ..files.written_values import in_one_line
from ..library.mechanism_faults import joint_entries
from ..mechanism.arguments import is_finite
from ..mechanism.builder import Mechanism
from ..mechanism.errors import MechanismError
from ..mechanism.names import nearest
from ..mechanism.numbers import path_of, put
from ..mechanism.parts import GROUND
from .operations import OperationError

_LISTS = ("bodies", "joints", "relations", "forces", "elements", "motions", "events")


class PartsEdit:
    """A builder, and copies of it that operations have changed."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    def after(self, operation: Mapping[str, Any]) -> Mechanism:
        """The mechanism after an operation. Raises OperationError."""
        do = operation["do"]
        if do in ("rename", "text"):
            words = f"a mechanism with Python functions has no text: {do} is not possible"
            raise OperationError(f"{words}; change the program that makes it")
        found: Mechanism = getattr(self, f"_{do}")(operation)
        try:
            joint_entries(found.frozen())
        except MechanismError as error:
            raise OperationError("; ".join(str(fault) for fault in error.faults[:3])) from None
        return found

    def _copy(self) -> Mechanism:
        """A builder of its own with the same parts."""
        old, new = self.mechanism, Mechanism(self.mechanism.name, space=self.mechanism.space)
        for name, value in vars(old).items():
            if isinstance(value, list | dict | set):
                setattr(new, name, copy.copy(value))
        new.description, new._gravity = old.description, old._gravity
        return new

    def _set(self, operation: Mapping[str, Any]) -> Mechanism:
        number, value = operation["number"], operation["value"]
        try:
            if isinstance(value, str):
                scope = Scope(Faults(), "")
                value = scope.number(parse(in_one_line([value]), "").value[0], _where(number))
            if not is_finite(value):
                raise OperationError(f"set {number}: {operation['value']!r} is no number")
            changed = put(self.mechanism.frozen(), path_of(self.mechanism.frozen(), number), float(value))
        except KeyError as error:
            raise OperationError(str(error.args[0])) from None
        new = self._copy()
        for section in _LISTS:
            setattr(new, f"_{section}", list(getattr(changed, section)))
        new._gravity, new._ground = changed.gravity, dict(changed.ground)
        new._parameters = dict(changed.parameters)
        return new

    def _insert(self, operation: Mapping[str, Any]) -> Mechanism:
        steps, new, faults = operation["part"].split("."), self._copy(), Faults()
        scope = Scope(faults, "", new._dim, values=dict(new._parameters))
        scope.dimensions = dict.fromkeys(new._parameters)
        try:
            node = parse(in_one_line({steps[-1]: operation["value"]}), "")
            if len(steps) == 2 and steps[0] in PARTS:
                if steps[1] in self._names():
                    raise OperationError(f"insert: '{steps[1]}' is there already")
                read_parts(scope, {steps[0]: node}, new)
            elif len(steps) == 4 and steps[0] == "bodies" and steps[2] == "points":
                read_points(scope, new[steps[1]], node, steps[1])
            elif len(steps) == 3 and steps[:2] == [GROUND, "points"]:
                read_points(scope, new.ground, node, GROUND)
            else:
                raise OperationError(f"'{operation['part']}' names no part; expected a section and a name")
        except (UnreadableError, KeyError) as error:
            raise OperationError(str(error.args[0])) from None
        if faults.found:
            raise OperationError("; ".join(fault.words for fault in faults.in_order()[:3]))
        return new

    def _names(self) -> set[str]:
        return {part.name for section in _LISTS for part in getattr(self.mechanism, f"_{section}")}

    def _remove(self, operation: Mapping[str, Any]) -> Mechanism:
        section, _, name = operation["part"].rpartition(".")
        new = self._copy()
        for room in _LISTS if section not in _LISTS else (section,):
            parts = getattr(new, f"_{room}")
            kept = [part for part in parts if part.name != name]
            if len(kept) < len(parts):
                setattr(new, f"_{room}", kept)
                new._off.discard(name)
                new._place = {body.name: k for k, body in enumerate(new._bodies)}
                return new
        raise OperationError(f"there is no part '{operation['part']}'; {nearest(name, self._names())}")

    def _move(self, operation: Mapping[str, Any]) -> Mechanism:
        steps, to = operation["part"].split("."), operation["to"]
        number = ".".join(step for step in steps if step not in ("bodies", "points"))
        number += ".position" if len(steps) == 2 else ""
        if not isinstance(to, list | tuple) or not all(is_finite(x) for x in to):
            raise OperationError(f"move: to is {to!r}; expected numbers")
        edit = self
        for letter, value in zip("xyz", to, strict=False):
            edit = PartsEdit(edit._set({"number": f"{number}.{letter}", "value": value}))
        return edit.mechanism

    def _choose(self, operation: Mapping[str, Any]) -> Mechanism:
        new = self._copy()
        for key, value in operation.items():
            if key != "do":
                new.defaults = {k: v for k, v in {**new.defaults, key: value}.items() if v is not None}
        return new


def _where(number: str) -> Any:
    from ..mechanism.fault import Where

    return Where("", number, number)
