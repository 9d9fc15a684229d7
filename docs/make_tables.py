"""Writes the tables of keys and of choices in the documentation again, from the library of components and the choices.

python docs/make_tables.py

A page says where a table stands by a pair of comments, `<!-- keys: gear -->` and `<!-- end of keys -->`, or
`<!-- choices: integrators -->` and `<!-- end of choices -->`; what is between them is replaced.
`tests/test_doc_tables.py` checks that the committed tables are up to date.
"""

import dataclasses
import re
from pathlib import Path
from typing import Any

from jourdain.choices import COORDINATES, INTEGRATORS, STABILISATIONS, TREATMENTS, Part
from jourdain.library import TYPES, Key
from jourdain.library import kinds as k

DOCS = Path(__file__).resolve().parent
PLACE = re.compile(r"<!-- keys: ([a-z-]+) -->\n.*?<!-- end of keys -->", re.DOTALL)
CHOICES = re.compile(r"<!-- choices: ([a-z]+) -->\n.*?<!-- end of choices -->", re.DOTALL)
PARTS: dict[str, dict[str, Any]] = {
    "coordinates": COORDINATES["planar"] | COORDINATES["spatial"],
    "treatments": TREATMENTS,
    "stabilisations": STABILISATIONS,
    "integrators": INTEGRATORS,
}
HEAD = "| key | expected | unit | default | meaning |\n|---|---|---|---|---|\n"
MANY = {
    k.NUMBER: "numbers",
    k.POSITIVE: "positive numbers",
    k.NOT_NEGATIVE: "numbers, none negative",
    k.FORMULA: "numbers, formulas or functions",
}


def expected(key: Key) -> str:
    """What to write for a key, in the plane and in space."""
    counts = [key.count(dim) for dim in (2, 3)]
    if max(counts) <= 1 or key.what not in MANY:
        return key.expected(2).python.replace("'", "`") if key.words and key.what == k.WORD else k.EXPECTED[key.what]
    plane, space = counts
    if plane == space:
        return f"{plane} {MANY[key.what]}"
    one = k.EXPECTED[key.what] if plane == 1 else f"{plane} {MANY[key.what]}"
    return f"{one}; in space {space} {MANY[key.what]}"


def default(key: Key) -> str:
    """The default of a key; `required` where there is none, nothing where leaving it out means nothing."""
    if key.required:
        return "required"
    if key.default is None:
        return ""
    return f"`{key.default:g}`" if isinstance(key.default, float) else f"`{key.default}`"


def table(name: str) -> str:
    """The keys of a type as a Markdown table."""
    rows = []
    for key_name, key in TYPES[name].keys.items():
        local = f"over {', '.join(f'`{n}`' for n in key.local)}" if key.local else ""
        meaning = key.help or local
        unit = f"{key.unit}".replace("^2", "²").replace("^3", "³")
        rows.append(f"| `{key_name}` | {expected(key)} | {unit} | {default(key)} | {meaning} |")
    return HEAD + "\n".join(rows) + "\n"


def numbers(kind: type) -> str:
    """The parameters of a choice with their defaults, as they are written."""
    found = []
    for field in dataclasses.fields(kind):
        if field.name == "space":
            continue
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            found.append(f"{field.name}={type(field.default_factory()).__name__}()")
        elif default is dataclasses.MISSING:
            found.append(field.name)
        else:
            found.append(f"{field.name}={f'{default:g}' if isinstance(default, float) else repr(default)}")
    return ", ".join(found)


def choices(kind: str) -> str:
    """All choices of a kind as a Markdown table; the sequences of Euler angles in one line."""
    rows = {}
    for name, part in PARTS[kind].items():
        cls = type(part) if isinstance(part, Part) else part
        if cls.__name__ not in rows:
            rows[cls.__name__] = f"| `{name}` | `{cls.__name__}({numbers(cls)})` | {cls.says} | {cls.source} |"
    return "| name | object | what it does | source |\n|---|---|---|---|\n" + "\n".join(rows.values()) + "\n"


def updated(text: str) -> str:
    """A page with all its tables made again."""
    text = CHOICES.sub(lambda m: f"<!-- choices: {m[1]} -->\n\n{choices(m[1])}\n<!-- end of choices -->", text)
    return PLACE.sub(lambda m: f"<!-- keys: {m[1]} -->\n\n{table(m[1])}\n<!-- end of keys -->", text)


def main() -> None:
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text()
        new = updated(text)
        if new != text:
            page.write_text(new)


if __name__ == "__main__":
    main()
