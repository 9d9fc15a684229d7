"""Writes the tables of joints, keys, channels and choices in the documentation again, from library and choices.

python docs/make_tables.py

A page says where a table stands by a pair of comments, `<!-- keys: gear -->` and `<!-- end of keys -->`, or
`<!-- choices: integrators -->` and `<!-- end of choices -->`, or `<!-- channels -->` and `<!-- end of channels -->`, or
`<!-- joints: plane -->` and `<!-- end of joints -->`, or `<!-- derived: prismatic, in the plane -->` and
`<!-- end of derived -->`, which `jd.derive` writes; what is between them is replaced.
`tests/test_doc_tables.py` checks that the committed tables are up to date.
"""

import dataclasses
import re
from pathlib import Path
from typing import Any

import jourdain as jd
from jourdain.choices import COORDINATES, INTEGRATORS, STABILISATIONS, TREATMENTS, Part
from jourdain.derive.sheet import Line
from jourdain.derive.vector_terms import JointRow
from jourdain.library import TYPES, Key, all_channels
from jourdain.library import kinds as k
from jourdain.library.channels import Channel
from jourdain.library.joints import KINDS, JointKind, JointRows
from jourdain.mechanism.builder import Mechanism
from jourdain.mechanism.parts import Blueprint

DOCS = Path(__file__).resolve().parent
PLACE = re.compile(r"<!-- keys: ([a-z-]+) -->\n.*?<!-- end of keys -->", re.DOTALL)
CHOICES = re.compile(r"<!-- choices: ([a-z]+) -->\n.*?<!-- end of choices -->", re.DOTALL)
CHANNELS = re.compile(r"<!-- channels -->\n.*?<!-- end of channels -->", re.DOTALL)
DERIVED = re.compile(r"<!-- derived: ([^>]+?) -->\n.*?<!-- end of derived -->", re.DOTALL)
JOINTS = re.compile(r"<!-- joints: ([a-z]+) -->\n.*?<!-- end of joints -->", re.DOTALL)
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
    section = TYPES[name].section
    place = section if section == k.MOTIONS else f"{section.removesuffix('s')}-{name}"
    for key_name, key in TYPES[name].keys.items():
        local = f"over {', '.join(f'`{n}`' for n in key.local)}" if key.local else ""
        meaning = key.help or local
        unit = f"{key.unit}".replace("^2", "²").replace("^3", "³")
        rows.append(
            f"| [`{key_name}`](file-reference.md#{place}) | {expected(key)} | {unit} | {default(key)} | {meaning} |"
        )
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


def samples() -> list[Blueprint]:
    """Mechanisms whose body, joint and spring have all the channels there are, in the plane and in space."""
    found = []
    for dim, kind in ((3, "revolute"), (2, "revolute"), (2, "prismatic")):
        m = jd.Mechanism("sample", space="planar" if dim == 2 else "spatial")
        names = ("body", "rod")
        inertia: Any = 1 if dim == 2 else (1, 1, 1)
        points = {"point": (0,) * dim, "end": (1,) * dim}
        body, rod = (m.body(name, mass=1, inertia=inertia, position=(0,) * dim, points=points) for name in names)
        here, there = (m.ground.point(name, (k,) * dim) for k, name in enumerate(("A", "B")))
        m.revolute("first", here, body["point"])
        m.joint(kind, "joint", body["end"], rod["point"])
        m.revolute("last", there, rod["end"])
        m.spring_damper("spring", body["end"], there, stiffness=1)
        found.append(m.frozen())
    return found


def channels() -> str:
    """All channels but those of components; a row for those of one owner that say the same."""
    rows: dict[tuple[str, ...], list[Channel]] = {}
    for blueprint in samples():
        for channel in all_channels(blueprint):
            stem = channel.name.rpartition(".")[0]
            if stem.partition(".")[0] in ("rod", "first", "last") or stem == "body.end":
                continue
            level = "results only" if channel.refused else channel.level
            found = rows.setdefault((stem, level, channel.says), [])
            found += [channel] if channel not in found else []
    lines = ["| channel | unit | kind | meaning |", "|---|---|---|---|"]
    order = ("body", "body.point", "joint", "joint.on_first", "spring", "shaking", "energy", "violation")
    for (_, level, says), found in sorted(rows.items(), key=lambda row: order.index(row[0][0])):
        names = list(dict.fromkeys(c.name for c in found))
        short = [f"`{names[0]}`", *(f"`{name.rpartition('.')[2]}`" for name in names[1:])]
        unit = ", ".join(dict.fromkeys(c.quantity.unit for c in found))
        lines.append(f"| {', '.join(short)} | {unit} | {level} | {says} |")
    return "\n".join([*lines, "| `t` | s | | time |"]) + "\n"


def method(kind: JointKind) -> str:
    """How a joint is written in Python."""
    name = kind.name.replace("-", "_")
    return f"`m.{name}`" if hasattr(Mechanism, name) else f'`m.joint("{kind.name}", ..)`'


def equations(kind: JointKind, dim: int) -> tuple[str, str]:
    """What must vanish and what must be positive, as the table shows it."""
    rows = kind.rows(dim)
    if not isinstance(rows, JointRows):
        return kind.written, ""
    products = [JointRow(row, "").C.ink().text() for row in rows.equations]
    signs = [f"{a}·{b} > 0" for a, b in rows.signs]
    return ", ".join(f"`{text}`" for text in products), ", ".join(f"`{text}`" for text in signs)


def joints(where: str) -> str:
    """The joints of the plane, of space, or those whose rows are no sums of scalar products."""
    if where == "formulas":
        places = {(True, True): "plane, space", (False, True): "space", (True, False): "plane"}
        lines = [
            f"| `{kind.name}` | {method(kind)} | {places[bool(kind.plane), bool(kind.space)]} | {kind.does} |"
            for kind in KINDS
            if kind.does
        ]
        return "| type | method | where | what it does |\n|---|---|---|---|\n" + "\n".join(lines) + "\n"
    dim = {"plane": 2, "space": 3}[where]
    lines = [
        f"| `{kind.name}` | {method(kind)} | {' | '.join(equations(kind, dim))} |".replace("|  |", "| |")
        for kind in KINDS
        if kind.rows(dim) is not None and not kind.does
    ]
    return "| type | method | equations | must also hold |\n|---|---|---|---|\n" + "\n".join(lines) + "\n"


def derived(words: str) -> str:
    """Lines of a derivation: `prismatic, in space`, or vector equations joined by `and`.

    Without their check, whose last digits are the processor's.
    """
    thing, _, place = words.partition(", in ")
    found = jd.derive(thing.split(" and ") if "dot(" in thing else thing).document
    lines = []
    for section in found.sections[:1] if thing in COORDINATES["spatial"] else found.sections:
        shown = [item for item in section.items if isinstance(item, Line)]
        if shown and section.title.endswith(place):
            title = section.title.removesuffix(f", in {place}")
            texts = [f"{item.ink.text()}   ({item.source})" for item in shown]
            lines += [f"{title}:", "", "```text", *texts, "```", ""]
    return "\n".join(lines)


def updated(text: str) -> str:
    """A page with all its tables made again."""
    text = DERIVED.sub(lambda m: f"<!-- derived: {m[1]} -->\n\n{derived(m[1])}\n<!-- end of derived -->", text)
    text = CHANNELS.sub(lambda _: f"<!-- channels -->\n\n{channels()}\n<!-- end of channels -->", text)
    text = JOINTS.sub(lambda m: f"<!-- joints: {m[1]} -->\n\n{joints(m[1])}\n<!-- end of joints -->", text)
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
