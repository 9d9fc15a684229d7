"""Tables in files: `{table: {file: gas.csv, columns: [angle, pressure], over: O.angle}}` wherever a formula may be."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ..mechanism.csv_columns import read_columns
from ..mechanism.errors import TableError
from ..mechanism.fault import Where
from ..mechanism.table_data import Table
from ..mechanism.units import Dimension, UnitError, fits, name_of, unit
from . import vocabulary
from .nodes import Node

if TYPE_CHECKING:
    from .scope import Scope


def is_table(node: Node) -> bool:
    """Whether a value is written as a table: `{table: ..}`."""
    return isinstance(node.value, dict) and set(node.value) == {"table"}


class Tables:
    """Reads the tables of one file."""

    def __init__(self, scope: Scope, missing: Any) -> None:
        self._scope = scope
        self._missing = missing

    def read(
        self, node: Node, where: Where, units: str = "", local: Collection[str] = (), named: bool = False
    ) -> tuple[Any, Dimension | None]:
        """The table of a node, and the dimension of its values where they have a unit; MISSING with the fault noted."""
        scope, nothing = self._scope, (self._missing, None)
        if isinstance(node.value, list):
            node = Node({"points": node}, node.mark)
        known = {name: key for name, key in vocabulary.TABLE.items() if not (named and name == "over")}
        keys = scope.table(node, where, known)
        if not keys:
            return nothing
        if ("file" in keys) == ("points" in keys):
            words = "file and points are both given; keep one" if "file" in keys else "expected file or points"
            return scope.fault(node, where, f"{where}: {words}"), None
        more: dict[str, Any] = {}
        for key in ("kind", "outside"):
            if key in keys:
                more[key] = scope.value(keys[key], where.at(key), known[key])
        if "periodic" in keys:
            more["periodic"] = scope.number(keys["periodic"], where.at("periodic"))
        if "over" in keys:
            more["over"] = scope.formula(keys["over"], where.at("over"), "", local)
            more["over"] = more["over"] if more["over"] is self._missing else str(more["over"])
        if any(value is self._missing for value in more.values()):
            return nothing
        try:
            found = self._of_file(keys, where) if "file" in keys else self._of_points(keys, where, units)
            if found is None:
                return nothing
            x, y, worth, source = found
            if not self._fits(node, where, worth, units):
                return nothing
            return Table(x, y, source=source, **more), unit(worth).dimension if worth else None
        except (TableError, UnitError) as error:
            return scope.fault(node, where, f"{where}: {error}"), None

    def _of_file(self, keys: dict[str, Node], where: Where) -> tuple[Any, Any, str, str] | None:
        scope = self._scope
        names = {
            key: scope.value(keys[key], where.at(key), vocabulary.TABLE[key])
            for key in ("columns", "units")
            if key in keys
        }
        path = keys["file"].value
        if not isinstance(path, str):
            scope.wrong(keys["file"], where.at("file"), "the name of a CSV file")
            return None
        if any(value is self._missing for value in names.values()):
            return None
        found = read_columns(scope.folder / path, names.get("columns"), names.get("units"))
        return found.x, found.y, found.units[1], path

    def _of_points(self, keys: dict[str, Node], where: Where, units: str) -> tuple[Any, Any, str, str] | None:
        scope = self._scope
        worths = ("", "")
        if "columns" in keys:
            scope.fault(keys["columns"], where.at("columns"), f"{where}: columns go with file, not with points")
            return None
        if "units" in keys:
            given = scope.value(keys["units"], where.at("units"), vocabulary.TABLE["units"])
            if given is self._missing or len(given) != 2:
                scope.wrong(keys["units"], where.at("units"), "two units like [deg, bar]")
                return None
            worths = tuple(given)
        pairs = scope.pairs(keys["points"], where.at("points"), ("", units if not worths[1] else ""))
        if pairs is self._missing:
            return None
        scales = [float(unit(text).factor) if text else 1.0 for text in worths]
        return [p[0] * scales[0] for p in pairs], [p[1] * scales[1] for p in pairs], worths[1], ""

    def _fits(self, node: Node, where: Where, worth: str, units: str) -> bool:
        if not worth or not units or worth in ("-", "1"):
            return True
        found = unit(worth).dimension
        if any(fits(found, unit(one).dimension) for one in units.split(" or ")):
            return True
        self._scope.fault(node, where, f"{where}: the table has {name_of(found)} ({worth}); expected {units}")
        return False
