"""Writes the schema of the mechanism file and the reference page again, both from the tables of the reader.

python docs/make_file_reference.py

`tests/test_files_schema.py` checks that the committed ones are up to date.
"""

import json
from pathlib import Path
from typing import Any

import jourdain as jd

DOCS = Path(__file__).resolve().parent
SCHEMA = DOCS / "schema" / "jourdain-1.json"
PAGE = DOCS / "file-reference.md"
HEAD = "| key | value | default | meaning |\n|---|---|---|---|\n"
INTRODUCTION = """# File reference

Every key of a mechanism file. The page is made from the [schema](schema/jourdain-1.json), which editors can use too;
what the words mean and how numbers, units and formulas are written is on the page [The mechanism file](file-format.md).

"number" stands for a number, a quantity (`25 mm`) or a formula (`L/2`). Units in brackets are those of bare numbers.
A list of "2 to 3" has two values in the plane, three in space.
"""
PARTS = (
    ("ground", "Ground", "Points that do not move."),
    ("bodies", "Bodies", "Each by its name, under `bodies`."),
    ("events", "Events", "Each by its name, under `events`: something to do where a formula passes zero."),
    (
        "simulate",
        "Simulate",
        "Defaults of a run; arguments of `simulate` override them.",
    ),
    (
        "types",
        "Types",
        "Components of your own, each by its name, under `types`: see [Make a library](make-a-library.md). Beside "
        "these keys they have those of the built-in type that they fill in, and sections of parts.",
    ),
    (
        "subsystems",
        "Subsystems",
        "Mechanisms of a [system](modular.md), each by its name, under `subsystems`. Beside them a system has "
        "`ground`, `joints`, `relations`, `forces` and `motions` between their points, `tractor.frame.H`.",
    ),
    ("include", "Include", "Other files as parts of this one; a table, or a list of them."),
)
TYPED = (
    ("joints", "Joints", "Each by its name, under `joints`, with its `type`. Relations may stand here too."),
    ("relations", "Relations", "Each by its name, under `relations`, with its `type`."),
    ("forces", "Forces", "Each by its name, under `forces`, with its `type`."),
    ("elements", "Elements", "Each by its name, under `elements`, with its `type`: parts with states of their own."),
)


def value(schema: dict[str, Any]) -> str:
    """What may be written, in words."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{word}`" for word in schema["enum"])
    if "$ref" in schema:
        return "keys of a [table](tables.md)"
    if set(schema.get("properties", ())) == {"table"}:
        return "`{table: ..}`"
    if "anyOf" in schema:
        return ", or ".join(dict.fromkeys(value(part) for part in schema["anyOf"]))
    kind = schema.get("type")
    if kind in (["number", "string"], ["number", "string", "null"]):
        return "number"
    if kind == "array":
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        count = f"of {low}" if low == high else f"of {low} to {high}" if high else f"of {low} or more" if low else ""
        return f"list {count}: {value(schema['items'])}".replace(" :", ":")
    if kind == "string":
        return "point, `body.point`" if "pattern" in schema and "\\." in schema["pattern"] else "text"
    if kind == "object" or kind == ["object", "null"]:
        return "names, each with a value" if "propertyNames" in schema else "table"
    return {"boolean": "`true` or `false`", "integer": "whole number"}[str(kind)]


def table(schema: dict[str, Any]) -> str:
    """The keys of an object."""
    required = schema.get("required", ())
    rows = []
    for key, inner in schema["properties"].items():
        if key == "type" and "const" in inner:
            continue
        default = "required" if key in required else f"`{_plain(inner['default'])}`" if "default" in inner else ""
        rows.append(f"| `{key}` | {value(inner)} | {default} | {inner.get('description', '')} |")
    return HEAD + "\n".join(rows) + "\n"


def _plain(default: Any) -> str:
    return (
        json.dumps(default) if isinstance(default, bool) else f"{default:g}" if isinstance(default, float) else default
    )


def _inner(schema: dict[str, Any]) -> dict[str, Any]:
    """The table below a section: of the parts by name, of a list, or itself."""
    if "additionalProperties" in schema and isinstance(schema["additionalProperties"], dict):
        return _inner(schema["additionalProperties"])
    if "$ref" in schema:
        return "keys of a [table](tables.md)"
    if set(schema.get("properties", ())) == {"table"}:
        return "`{table: ..}`"
    if "anyOf" in schema:
        return next(part for part in schema["anyOf"] if part.get("type") == "object")
    return schema


def nested(name: str, schema: dict[str, Any], level: int = 3) -> str:
    """The tables inside a table, each under a heading of its own."""
    found = ""
    for key, inner in schema["properties"].items():
        if inner.get("type") in ("object", ["object", "null"]) or "anyOf" in inner:
            try:
                below = _inner(inner)
            except StopIteration:
                continue
            if "properties" in below and below is not schema:
                found += f"\n{'#' * level} {name}: `{key}`\n\n{table(below)}" + nested(f"{name}: `{key}`", below, level)
    return found


def page(schema: dict[str, Any]) -> str:
    """The whole reference."""
    sections = schema["properties"]
    text = INTRODUCTION + f"\n## The file\n\n{table(schema)}"
    for key, title, words in PARTS:
        inner = _inner(sections[key])
        text += f"\n## {title}\n\n{words}\n\n{table(inner)}" + nested(title, inner)
    motion = _inner(sections["motions"])
    text += f"\n## Motions\n\nEach by its name, under `motions`: {motion['description']}.\n\n{table(motion)}"
    relations = {rule["if"]["properties"]["type"]["const"] for rule in _rules(sections["relations"])}
    for key, title, words in TYPED:
        text += f"\n## {title}\n\n{words}\n"
        if key == "joints":
            text += "\n### Where a joint starts: `initial`\n\n"
            text += table(_rules(sections[key])[0]["then"]["properties"]["initial"])
        for rule in _rules(sections[key]):
            name = rule["if"]["properties"]["type"]["const"]
            if key == "joints" and name in relations and name != "screw":
                continue
            body = rule["then"]["anyOf"][0] if "anyOf" in rule["then"] else rule["then"]
            about = f"{body['description'][0].upper()}{body['description'][1:]}.\n\n" if "description" in body else ""
            text += f"\n### {title[:-1]} `{name}`\n\n{about}{table(body)}"
    return text


def _rules(section: dict[str, Any]) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = section["additionalProperties"]["allOf"]
    return rules


def texts() -> dict[Path, str]:
    """Both files as they should be."""
    schema = jd.schema()
    return {SCHEMA: json.dumps(schema, indent=1, ensure_ascii=False) + "\n", PAGE: page(schema)}


def main() -> None:
    for path, text in texts().items():
        path.write_text(text)


if __name__ == "__main__":
    main()
