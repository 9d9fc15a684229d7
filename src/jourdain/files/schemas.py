"""JSON Schema of the mechanism file, made from the tables that the reader uses (`vocabulary.py` and the library).

An editor that knows the schema completes keys and marks wrong ones while one types; what it cannot know (names of other
parts, dimensions, formulas) is found when the file is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..library import kinds as k
from ..library.kinds import Key, Kind
from ..mechanism.parts import SPATIAL
from . import system_keys, type_keys, vocabulary
from .types.filling import PLACED, all_gaps, end_keys
from .types.type_definition import Definition, Gap
from .vocabulary import FileKey

NAME = r"^[^\W\d]\w*(\.[^\W\d]\w*)*$"
PORT = r"^\w+(\.\w+)+$"
_NUMBER: dict[str, Any] = {"type": ["number", "string"]}
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_PAIRS: dict[str, Any] = {
    "type": "array",
    "minItems": 2,
    "items": {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2},
}
_OF_TABLE: dict[str, Any] = {
    "type": "object",
    "properties": {"table": {"$ref": "#/$defs/table"}},
    "required": ["table"],
    "additionalProperties": False,
}
_OR_TABLE: dict[str, Any] = {"anyOf": [_NUMBER, _OF_TABLE]}
_OWN_TYPE: dict[str, Any] = {"type": "string", "pattern": r"^[^\W\d]\w*(-\w+)*$"}
_NAMED: dict[str, Any] = {"type": ["object", "null"], "propertyNames": {"pattern": NAME}}
_BY_NAME: dict[str, Any] = {"type": "object", "propertyNames": {"pattern": NAME}, "additionalProperties": _NUMBER}


def schema(types: str | Path | None = None) -> dict[str, Any]:
    """The schema of version 1 of the format; with the types of a library or of a mechanism file, where one is named."""
    found = _schema()
    if types is not None:
        from .types.python_type import library  # which reads files

        for definition in library(types).types.values():
            _add_type(found["properties"], definition)
    return found


def _add_type(sections: dict[str, Any], type: Definition) -> None:
    """What is written where a type of one's own is used."""
    whole = all_gaps(type)
    keys = {**_ends(type), **{name: _gap(gap) for name, gap in {**whole.parameters, **whole.signals}.items()}}
    if type.variants:
        keys["variant"] = {"enum": list(type.variants)}
    if type.kind == "assembly":
        body = _table(vocabulary.BODY)["properties"]
        keys |= {key: body[key] for key in PLACED}
    if type.kind == "joint":
        keys["initial"] = _table(vocabulary.INITIAL)
    table = {"description": type.says, "type": "object", "properties": {"type": {"const": type.name}, **keys}}
    needs = ["type", *_ends(type), *_needed(type)]
    rule = {"if": {"properties": {"type": {"const": type.name}}, "required": ["type"]},
            "then": {**table, "required": needs, "additionalProperties": False}}  # fmt: skip
    for section in dict.fromkeys(one.section for one in (type, *type.variants.values())):
        parts = sections[section]["additionalProperties"]
        if "allOf" not in parts:  # motions have a type only where it is not the built-in one; assemblies have no other
            parts = {"allOf": [] if section == "assemblies" else [_not_typed(parts)]}
            sections[section]["additionalProperties"] = parts
        parts["allOf"].append(rule)
        enum = parts.get("properties", {}).get("type", {}).get("anyOf", [{}])[0].get("enum")
        if enum is not None:
            enum.append(type.name)


def _not_typed(table: dict[str, Any]) -> dict[str, Any]:
    return {"if": {"not": {"required": ["type"]}}, "then": table}


def _ends(type: Definition) -> dict[str, Any]:
    points = {"type": "string", "pattern": PORT}
    counts = {"between": (len(type.ports), points), "joints": (len(type.joints), _TEXT)}
    single = {"on": points, "joint": _TEXT}
    return {key: single.get(key) or _whole((counts[key][0],) * 2, counts[key][1]) for key in end_keys(type)}


def _gap(gap: Gap) -> dict[str, Any]:
    return {"description": " ".join(part for part in (gap.says, f"({gap.about()})") if part), **_NUMBER}


def _needed(type: Definition) -> list[str]:
    """Gaps that every variant has to be given."""
    models = type.variants.values() or [type]
    sets = [{name for name, gap in {**one.parameters, **one.signals}.items() if gap.default is None} for one in models]
    return sorted(set.intersection(*sets))


def _schema() -> dict[str, Any]:
    keys = {**vocabulary.TOP, "subsystems": system_keys.SUBSYSTEMS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Jourdain mechanism file, version 1",
        "description": "Numbers may be written as text with a unit ('25 mm') or as a formula ('L/2').",
        **_table(keys, extra={**_sections(), **_types(), "simulate": _simulate()}),
        "allOf": [_only_built_in(), _system_or_mechanism()],
        "$defs": {"table": {"anyOf": [_PAIRS, _table(vocabulary.TABLE)]}},
    }


def _sections() -> dict[str, Any]:
    """What the sections of typed parts hold."""
    relations = {name: _component(name, kind) for name, kind in vocabulary.SECTIONS["relations"].items()}
    joints = {name: _typed(name, _table(table)) for name, table in vocabulary.JOINTS.items()}
    joints |= {name: table for name, table in relations.items() if name not in joints}
    joints |= {name: {"anyOf": [joints[name], relations[name]]} for name in vocabulary.JOINTS if name in relations}
    found = {"joints": _choice(joints, True), "relations": _choice(relations, True)}
    for section in ("forces", "elements", "motions"):
        kinds = {name: _component(name, kind) for name, kind in vocabulary.SECTIONS[section].items()}
        found[section] = _choice(kinds, section not in vocabulary.DEFAULT_TYPES)
    return {
        section: {**_about(vocabulary.TOP[section]), **_NAMED, "additionalProperties": parts}
        for section, parts in found.items()
    }


def _choice(kinds: Mapping[str, Any], typed: bool) -> dict[str, Any]:
    """One of several types: what must hold follows from `type`, so that an editor speaks of the type meant."""
    if not typed:
        (table,) = kinds.values()
        return dict(table)
    rules = [
        {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": table}
        for name, table in kinds.items()
    ]
    known = {"anyOf": [{"enum": sorted(kinds)}, _OWN_TYPE]}
    return {"type": "object", "required": ["type"], "properties": {"type": known}, "allOf": rules}


def _only_built_in() -> dict[str, Any]:
    """Where a file has no types of its own, the built-in ones are all there are."""
    sections = {}
    for section, table in _sections().items():
        if section not in vocabulary.DEFAULT_TYPES:
            enum = table["additionalProperties"]["properties"]["type"]["anyOf"][0]
            sections[section] = {"additionalProperties": {"properties": {"type": enum}}}
    own = [{"required": [key]} for key in ("types", "library")]
    return {"if": {"not": {"anyOf": own}}, "then": {"properties": sections}}


def _simulate() -> dict[str, Any]:
    """Of a mechanism, or of a system, which has more to choose."""
    table = _table(system_keys.RUN)
    table["properties"]["coupling"] |= {"enum": list(system_keys.COUPLINGS)}
    return {**_about(vocabulary.TOP["simulate"]), **table}


def _system_or_mechanism() -> dict[str, Any]:
    """A system has subsystems and what is between them; a mechanism chooses nothing for systems."""
    plain = {"simulate": {"propertyNames": {"enum": list(vocabulary.SIMULATE)}}}
    return {
        "if": {"required": ["subsystems"]},
        "then": {"propertyNames": {"enum": list(system_keys.TOP)}},
        "else": {"properties": plain},
    }


def _types() -> dict[str, Any]:
    """Types of one's own, and assemblies made of them."""
    body = _table(type_keys.TYPE)
    for key in ("ports", "joints", "channels", "coordinates", "symbol"):
        either = {"anyOf": [*([] if key == "symbol" else [_TEXTS]), _TEXT, {"type": "object"}]}
        body["properties"][key] = {**_about(type_keys.TYPE[key]), **either}
    gaps = {"parameters": _table(type_keys.GAP), "signals": _table(type_keys.SIGNAL_GAP)}
    for key, gap in gaps.items():
        gap["properties"].pop("default", None)
        gap["properties"]["default"] = {**_about(type_keys.GAP["default"]), **_NUMBER}
        given = {"anyOf": [gap, {"type": ["number", "string", "null"]}]}
        body["properties"][key] = {**_about(type_keys.TYPE[key]), **_NAMED, "additionalProperties": given}
    body["properties"]["variants"] = {**_about(type_keys.TYPE["variants"]), **_NAMED}
    body["additionalProperties"] = True  # those of the built-in type that it fills in, and sections
    used = {"type": "object", "required": ["type"], "properties": {"type": _OWN_TYPE}}
    return {
        "types": {**_about(vocabulary.TOP["types"]), "type": ["object", "null"], "additionalProperties": body},
        "assemblies": {**_about(vocabulary.TOP["assemblies"]), **_NAMED, "additionalProperties": used},
    }


def _typed(name: str, table: dict[str, Any], required: bool = True) -> dict[str, Any]:
    properties = {"type": {"const": name}, **table["properties"]}
    needs = sorted({*table.get("required", []), *(["type"] if required else [])})
    return {**table, "properties": properties, **({"required": needs} if needs else {})}


def _component(name: str, kind: Kind) -> dict[str, Any]:
    keys = vocabulary.component_keys(kind)
    table = _table(keys)
    if "from_drawn" in keys:
        table["properties"][vocabulary.FROM] = {
            "const": vocabulary.DRAWN,
            "description": "count from the assembled pose",
        }
    return {"description": kind.summary, **_typed(name, table, name not in vocabulary.DEFAULT_TYPES.values())}


def _table(keys: Mapping[str, Key], extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """An object with these keys and no others."""
    extra = extra or {}
    found: dict[str, Any] = {
        "type": "object",
        "properties": {name: extra.get(name) or {**_about(key), **_value(key)} for name, key in keys.items()},
        "additionalProperties": False,
    }
    required = [name for name, key in keys.items() if key.required]
    return {**found, "required": required} if required else found


def _about(key: Key) -> dict[str, Any]:
    """The words of a key: its meaning, unit and default."""
    unit = f"[{key.unit}]" if key.unit else ""
    where = f"({key.space} only)" if isinstance(key, FileKey) and key.space else ""
    words = " ".join(part for part in (key.help, unit, where) if part)
    found: dict[str, Any] = {"description": words} if words else {}
    plain = key.default is not None and not key.required and isinstance(key.default, str | bool | int | float)
    return {**found, "default": key.default} if plain else found


def _value(key: Key) -> dict[str, Any]:
    """What the value of a key may be."""
    if isinstance(key, FileKey) and key.what in _OWN:
        return _OWN[key.what](key)
    if key.what in (k.NUMBER, k.POSITIVE, k.NOT_NEGATIVE, k.FORMULA):
        return _numbers(key)
    if key.what == k.SIGNAL:
        return {"anyOf": [_NUMBER, _PAIRS, _OF_TABLE]}
    return _PLAIN[key.what](key)


def _numbers(key: Key) -> dict[str, Any]:
    spaces = (3,) if isinstance(key, FileKey) and key.space == SPATIAL else (2, 3)
    counts = sorted({key.count(dim) for dim in spaces})
    limits = key.what == k.NUMBER and key.size == 2
    item = {"type": [*_NUMBER["type"], "null"]} if limits else _NUMBER
    many = {"type": "array", "items": item, "minItems": counts[0], "maxItems": counts[-1]}
    if key.what == k.FORMULA and not isinstance(key, FileKey):
        many["items"] = _OR_TABLE
        if counts[-1] == 0:
            return dict(_OR_TABLE)
        return {"anyOf": [*_OR_TABLE["anyOf"], many]} if counts[0] <= 1 else many
    if counts[-1] == 0:
        return dict(_NUMBER)
    return {"anyOf": [_NUMBER, many]} if counts[0] <= 1 else many


def _whole(counts: tuple[int, int], item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": counts[0], "maxItems": counts[1]}


def _named(key: FileKey) -> dict[str, Any]:
    table = _table(key.table)
    if key.table is vocabulary.POINT:
        table = {"anyOf": [_whole((2, 3), _NUMBER), table]}
    return {**_NAMED, "additionalProperties": table}


_OWN: dict[str, Any] = {
    vocabulary.TEXT: lambda key: _TEXT | ({"examples": [key.example]} if key.example else {}),
    vocabulary.VECTOR_OR_NUMBER: lambda key: {"anyOf": [_NUMBER, _whole((3, 3), _NUMBER)]},
    vocabulary.INERTIA: lambda key: {"anyOf": [_NUMBER, _whole((3, 6), _NUMBER)]},
    vocabulary.MATRIX: lambda key: _whole((3, 3), _whole((3, 3), _NUMBER)),
    vocabulary.SEQUENCE: lambda key: {"type": "string", "pattern": "^[xyz]{3}$"},
    vocabulary.TABLE_OF: lambda key: _table(key.table),
    vocabulary.NAMED: _named,
    vocabulary.LISTED: lambda key: {"anyOf": [_table(key.table), {"type": "array", "items": _table(key.table)}]},
    vocabulary.SIZES_OF: lambda key: {"anyOf": [_NUMBER, _whole((1, len(key.words)), _NUMBER)]},
    vocabulary.CORNERS: lambda key: {"type": "array", "items": _whole((2, 3), _NUMBER), "minItems": 2},
    vocabulary.STROKES: lambda key: {
        "type": "array",
        "items": {"type": "array", "items": _whole((2, 3), _NUMBER), "minItems": 2},
    },
    vocabulary.PAIRS: lambda key: _PAIRS,
    vocabulary.PARAMETERS: lambda key: _BY_NAME,
    vocabulary.SETTINGS: lambda key: _BY_NAME,
    vocabulary.NAMES_OR_NAME: lambda key: {"anyOf": [_TEXT, _TEXTS]},
    vocabulary.BODIES: lambda key: _whole((2, 2), _TEXT),
}
_PLAIN: dict[str, Any] = {
    k.FUNCTION: lambda key: {**_BY_NAME, "additionalProperties": _OR_TABLE},
    k.FORMULAS: lambda key: {**_BY_NAME, "additionalProperties": _OR_TABLE},
    k.STARTS: lambda key: _BY_NAME,
    k.JOINT: lambda key: _TEXT,
    k.JOINTS: lambda key: _whole((2, 2), _TEXT),
    k.PORT: lambda key: {"type": "string", "pattern": PORT},
    k.PORTS: lambda key: _whole((2, 2), {"type": "string", "pattern": PORT}),
    k.PLACES: lambda key: {"type": "array", "items": {"type": "string", "pattern": PORT}},
    k.BODY: lambda key: _TEXT,
    k.FLAG: lambda key: {"type": "boolean"},
    k.WORD: lambda key: {"enum": list(key.words)},
    k.COUNT: lambda key: {"type": "integer", "minimum": 1},
    k.NAMES: lambda key: _TEXTS,
    k.UNITS: lambda key: {**_BY_NAME, "additionalProperties": _TEXT},
    k.NUMBERS: lambda key: {"type": "array", "items": _NUMBER},
    k.MATRIX: lambda key: {"type": "array", "minItems": 1, "items": {"type": "array", "items": _NUMBER}},
    k.TABLE: lambda key: {"anyOf": [_PAIRS, {"$ref": "#/$defs/table"}]},
}
