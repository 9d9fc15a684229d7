"""Bodies of a file with their shapes, looks and points, into the builder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..mechanism.builder import Mechanism
from ..mechanism.fault import Mark, Where, about
from ..mechanism.handles import BodyHandle
from . import vocabulary
from .file_faults import WrittenPart
from .nodes import Node
from .scope import MISSING, Scope


def remember_part(scope: Scope, name: str, mark: Mark, node: Node) -> None:
    """Where a part and its keys stand, for faults that are found later."""
    scope.faults.parts[name] = WrittenPart(mark, node, scope.prefix)


def read_body(scope: Scope, mechanism: Mechanism, name: str, node: Node) -> None:
    where = about("body", scope.named(name))
    keys = scope.table(node, where, vocabulary.BODY, part=scope.named(name))
    values = body_values(scope, where, {key: item for key, item in keys.items() if key != "points"})
    if any(value is MISSING for value in values.values()):
        # Harmless values instead, so that nobody is blamed for what follows from them.
        harmless = {"mass": 1.0, "inertia": 1.0 if scope.dim == 2 else (1.0, 1.0, 1.0), "position": (0.0,) * scope.dim}
        if any(values.get(key) is MISSING for key in ("density", "shape")):
            values |= {"mass": MISSING, "inertia": MISSING, "density": MISSING}
        values = {key: harmless.get(key) if value is MISSING else value for key, value in values.items()}
    if scope.placed is not None:
        values = scope.placed.body(values)
    handle = mechanism.body(scope.named(name), **values)
    read_points(scope, handle, keys.get("points"), scope.named(name))


def body_values(scope: Scope, where: Where, written: Mapping[str, Node]) -> dict[str, Any]:
    """Values of keys of a body; MISSING where one is wrong."""
    return {key: _of_body(scope, where, key, item) for key, item in written.items()}


def _of_body(scope: Scope, where: Where, key: str, node: Node) -> Any:
    field = vocabulary.BODY[key]
    where = where.at(key)
    if field.what == vocabulary.INERTIA:
        if scope.dim == 2 and not isinstance(node.value, list):
            return scope.number(node, where, field.unit)
        return _numbers(scope, node, where, (3, 6), field.unit)
    if field.what == vocabulary.VECTOR_OR_NUMBER:
        if scope.dim == 2:
            return scope.number(node, where, field.unit)
        return _numbers(scope, node, where, (3,), field.unit)
    if field.what == vocabulary.MATRIX:
        rows = node.value if isinstance(node.value, list) else []
        if len(rows) != 3:
            return scope.wrong(node, where, "three rows of three numbers")
        found = [_numbers(scope, row, where, (3,), "") for row in rows]
        return MISSING if any(row is MISSING for row in found) else found
    if key == "euler":
        inner = scope.table(node, where, vocabulary.EULER, required=("sequence", "angles"))
        if len(inner) < 2:
            return MISSING
        angles = scope.value(inner["angles"], where.at("angles"), vocabulary.EULER["angles"], now=True)
        return MISSING if angles is MISSING else (str(inner["sequence"].value), angles)
    if key == "shape":
        return _shape(scope, node, where, vocabulary.SHAPE)
    if key == "look":
        return _look(scope, node, where)
    return scope.value(node, where, field, now=True)


def _numbers(scope: Scope, node: Node, where: Where, counts: tuple[int, ...], units: str) -> Any:
    if not isinstance(node.value, list) or len(node.value) not in counts:
        suffix = f" ({units})" if units else ""
        return scope.wrong(node, where, f"a list of {' or '.join(map(str, counts))} numbers{suffix}")
    found = tuple(scope.number(item, where, units) for item in node.value)
    return MISSING if any(value is MISSING for value in found) else found


def _shape(scope: Scope, node: Node, where: Where, table: Mapping[str, vocabulary.FileKey]) -> Any:
    if not isinstance(node.value, dict):
        return scope.wrong(node, where, "a shape such as {rod: 1}, {box: [1, 0.2]} or {disc: 0.1}")
    found: dict[str, Any] = {}
    for key, item in scope.table(node, where, table).items():
        field, inside = table[key], where.at(key)
        if field.what == vocabulary.SIZES_OF and isinstance(item.value, list):
            found[key] = _numbers(scope, item, inside, tuple(range(1, len(field.words) + 1)), field.unit)
        elif field.what == vocabulary.SIZES_OF:
            found[key] = scope.number(item, inside, field.unit)
        elif field.what == vocabulary.CORNERS:
            found[key] = _corners(scope, item, inside, field.unit)
        else:
            found[key] = scope.value(item, inside, field, now=True)
    misspelt = any(key not in table for key in node.value)
    return MISSING if misspelt or any(value is MISSING for value in found.values()) else found


def _corners(scope: Scope, node: Node, where: Where, units: str) -> Any:
    """Places, one after another."""
    corners = node.value if isinstance(node.value, list) else []
    found = [_numbers(scope, corner, where, (scope.dim,), units) for corner in corners]
    return MISSING if any(corner is MISSING for corner in found) else found


def _look(scope: Scope, node: Node, where: Where) -> Any:
    found: dict[str, Any] = {}
    for key, item in scope.table(node, where, vocabulary.LOOK).items():
        if key == "shapes":
            entries = item.value if isinstance(item.value, list) else [item]
            places = [Where(where.part, f"{where.key}.shapes.{n}", f"{where}: shapes") for n in range(len(entries))]
            drawn = zip(entries, places, strict=True)
            shapes = [_shape(scope, entry, place, vocabulary.DRAWN_SHAPE) for entry, place in drawn]
            found[key] = [shape for shape in shapes if shape is not MISSING]
        elif key == "strokes":
            lines = item.value if isinstance(item.value, list) else [item]
            read = [_corners(scope, line, where.at(key), "m") for line in lines]
            found[key] = MISSING if any(line is MISSING for line in read) else read
        else:
            found[key] = scope.value(item, where.at(key), vocabulary.LOOK[key])
    return {key: value for key, value in found.items() if value is not MISSING}


def read_points(scope: Scope, handle: BodyHandle, node: Node | None, owner: str, prefix: str = "") -> None:
    if node is None:
        return
    for name, item in scope.names(node, Where(owner, "points", f"points of '{owner}'")).items():
        where = about("point", f"{owner}.{prefix}{name}")
        remember_part(scope, where.part, node.keys[name], item)
        spec = _place(scope, where, item)
        if spec is not MISSING:
            moves = owner == "ground" and scope.placed is not None
            handle.point(prefix + name, **(scope.placed.port(spec) if moves else spec))
        else:
            handle.point(prefix + name, (0.0,) * scope.dim)


def _place(scope: Scope, where: Where, node: Node) -> Any:
    if not isinstance(node.value, dict):
        at = scope.value(node, where._replace(key="at"), vocabulary.POINT["at"], now=True)
        return MISSING if at is MISSING else {"at": at}
    keys = scope.table(node, where, vocabulary.POINT, required=("at",))
    found = {key: scope.value(item, where.at(key), vocabulary.POINT[key], now=True) for key, item in keys.items()}
    broken = "at" not in found or any(value is MISSING for value in found.values())
    return MISSING if broken else found
