"""Writes the methods of the builder again, one a kind, from the library: src/jourdain/mechanism/part_methods.py.

python docs/make_part_methods.py

The types of their keys stand beside them in part_keys.py. So the builder, the keys of files and the tables of the
documentation are made of the same definitions; `tests/test_surface.py` checks that the committed ones are up to date.
"""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from jourdain.library import TYPES, Key, Kind
from jourdain.library import kinds as k
from jourdain.library.joints import KINDS, JointKind

ROOM = Path(__file__).resolve().parent.parent / "src" / "jourdain" / "mechanism"
KEYS, METHODS = ROOM / "part_keys.py", ROOM / "part_methods.py"
WIDE = 116
# These are written by hand in builder.py: parts of their own, and what is a joint or a relation.
BY_HAND = ("force", "torque", "spring-damper", "screw")
GROUPS = {"forces": "Forces", "relations": "Relations", "motions": "Motions", "elements": "Elements"}
PYTHON = {
    k.NUMBER: "Amount",
    k.POSITIVE: "Amount",
    k.NOT_NEGATIVE: "Amount",
    k.FORMULA: "Load",
    k.SIGNAL: "Load | Pairs",
    k.FUNCTION: "Mapping[str, Load] | Callable[..., Any]",
    k.FORMULAS: "Mapping[str, Load]",
    k.STARTS: "Mapping[str, Amount]",
    k.JOINT: "str",
    k.JOINTS: "Sequence[str]",
    k.PORT: "PortName",
    k.PORTS: "Sequence[PortName]",
    k.PLACES: "Sequence[PortName]",
    k.BODY: "BodyHandle | str",
    k.FLAG: "bool",
    k.WORD: "str",
    k.COUNT: "int",
    k.NAMES: "Sequence[str]",
    k.TABLE: "Pairs",
    k.NUMBERS: "Amounts",
    k.MATRIX: "Rows",
    k.UNITS: "Mapping[str, str]",
}
EXAMPLES = {k.POSITIVE: "0.3", k.NUMBER: "0.002"}  # of the keys of joints
HEAD = '''"""{words}

Made by docs/make_part_methods.py from the library, as the schema of files and the tables of the documentation are.
"""
'''


def method_name(name: str) -> str:
    return name.replace("-", "_")


def keys_name(name: str) -> str:
    """`LineLoadKeys` of `line-load`."""
    return "".join(word.capitalize() for word in name.split("-")) + "Keys"


def python_type(key: Key) -> str:
    """What may be given for a key."""
    if key.what == k.WORD:
        return f"Literal[{', '.join(repr(word) for word in key.words)}]"
    if key.what == k.FORMULA and key.size:
        return "Loads"
    if key.size:
        return "Limits"
    return PYTHON[key.what]


def takes_ports(kind: Kind) -> bool:
    return any(key.what == k.PORTS for key in kind.keys.values())


def generated() -> list[Kind]:
    return [kind for kind in TYPES.values() if kind.name not in BY_HAND]


# Types of keys --------------------------------------------------------------------------------------------------


def keys_file() -> str:
    """Without `annotations` of the future, which would hide from Python what is required."""
    parts = [
        HEAD.format(words="The keys that each kind takes, as types: what editors and type checkers know of them."),
        "from collections.abc import Callable, Mapping, Sequence\n"
        "from typing import Any, Literal, Required, TypedDict\n\n"
        "from .handles import BodyHandle\n"
        "from .parts import PortName\n"
        "from .taken import Amount, Amounts, Bodies, Initial, Limits, Load, Loads, Pairs, Rows\n",
    ]
    parts.append(PLACES)
    for kind in generated():
        lines = [f"class {keys_name(kind.name)}(TypedDict, total=False):"]
        for name, key in kind.keys.items():
            found = python_type(key)
            required = key.required and key.what != k.PORTS  # points may stand in front of the keys
            lines.append(f"    {name}: {f'Required[{found}]' if required else found}{_note(key)}")
        parts.append("\n".join(lines) + "\n")
    return "\n\n".join(parts)


def _note(key: Key) -> str:
    words = ", ".join(filter(None, [f"[{key.unit}]" if key.unit else "", key.help]))
    return f"  # {words}" if words and len(words) < 70 else ""


# Methods --------------------------------------------------------------------------------------------------------


def methods_file() -> str:
    kinds = generated()
    names = "\n".join(f"    {name}," for name in sorted(["PlaceKeys", *(keys_name(kind.name) for kind in kinds)]))
    imports = (
        "from __future__ import annotations\n\n"
        "from abc import abstractmethod\n"
        "from collections.abc import Mapping, Sequence\n"
        "from typing import Unpack\n\n"
        "from .parts import PortName\n"
        f"from .part_keys import (\n{names}\n)\n"
        "from .shown_keys import keyed\n"
        "from .taken import Amount, Amounts, Bodies, Expression, Initial, PartValue\n"
    )
    parts = [HEAD.format(words="A method of the builder for each kind of the library.") + "\n" + imports]
    parts.append(_class("JointMethods", "Joints, each between two points.", ABSTRACT_JOINT, [joint(j) for j in KINDS]))
    for section, title in GROUPS.items():
        found = [component(kind) for kind in kinds if kind.section == section]
        parts.append(_class(f"{title.removesuffix('s')}Methods", f"{title}.", ABSTRACT_COMPONENT, found))
    return "\n\n".join(parts)


PLACES = """class PlaceKeys(TypedDict, total=False):
    bodies: Bodies  # instead of two points, with
    at: Amounts  # a place in fixed axes, of the drawn pose, and
    axis: Amounts  # a direction there
    initial: Initial  # where the joint starts: angle, displacement, speed
"""
ABSTRACT_JOINT = '''
@abstractmethod
def joint(
    self,
    type: str,
    name: str,
    first: PortName | None = None,
    second: PortName | None = None,
    *,
    bodies: Bodies | None = None,
    at: Amounts | None = None,
    axis: Amounts | None = None,
    equations: Sequence[str | Expression] | str = (),
    length: Amount | None = None,
    values: Mapping[str, Amount] | None = None,
    initial: Initial | None = None,
) -> str:
    """Any joint, by its type."""
'''
ABSTRACT_COMPONENT = '''
@abstractmethod
def component(self, section: str, type: str, name: str, /, *ends: PortName, **keys: PartValue) -> str:
    """Any kind, by its section and type."""
'''


def _class(name: str, words: str, first: str, methods: list[str]) -> str:
    body = "\n\n".join(textwrap.indent(text.strip("\n"), "    ") for text in [first, *methods])
    return f'class {name}:\n    """{words}"""\n\n{body}\n'


def joint(kind: JointKind) -> str:
    if kind.name in BY_HAND:
        return ""
    given = {"length": "length", "equations": "equations"}
    own = {
        name: "Sequence[str | Expression] | str"
        if name == "equations"
        else "Amount" + ("" if key.required else f" = {key.default!r}")
        for name, key in kind.keys.items()
    }
    arguments = [
        "self",
        "name: str",
        "first: PortName | None = None",
        "second: PortName | None = None",
        *(["*"] if own else []),
        *(f"{name}: {found}" for name, found in own.items()),
        "**where: Unpack[PlaceKeys]",
    ]
    passed = [f"{name}={name}" for name in own if name in given]
    values = ", ".join(f'"{name}": {name}' for name in own if name not in given)
    passed += [f"values={{{values}}}"] if values else []
    passed.append("**where")
    said = _docstring(kind.summary, joint_example(kind), kind.keys)
    body = f'return self.joint("{kind.name}", name, first, second, {", ".join(passed)})'
    return f"@keyed(PlaceKeys)\ndef {method_name(kind.name)}({', '.join(arguments)}) -> str:\n{said}\n    {body}\n"


def joint_example(kind: JointKind) -> str:
    keys = {name: f'["{key.example}"]' if key.example else EXAMPLES[key.what] for name, key in kind.keys.items()}
    given = "".join(f", {name}={value}" for name, value in keys.items())
    return f'm.{method_name(kind.name)}("J", frame["A"], arm["A"]{given})'


def component(kind: Kind) -> str:
    ports = "*ports: PortName, " if takes_ports(kind) else ""
    passed = "*ports, " if ports else ""
    summary = f"{kind.summary[0].upper()}{kind.summary[1:]}".rstrip(" .") + "."
    said = _docstring(summary, kind.example, kind.keys)
    head = f"def {method_name(kind.name)}(self, name: str, {ports}**keys: Unpack[{keys_name(kind.name)}]) -> str:"
    body = f'return self.component("{kind.section}", "{kind.name}", name, {passed}**keys)'
    return f"@keyed({keys_name(kind.name)})\n{head}\n{said}\n    {body}\n"


def _docstring(summary: str, example: str, keys: object) -> str:
    lines = textwrap.wrap(summary, WIDE - 8)
    shown = [*lines, "", *textwrap.wrap(f"`{example}`", WIDE - 8, break_on_hyphens=False)]
    words = "\n    ".join(line for line in shown)
    words = re.sub(r"\n +\n", "\n\n", words)
    quotes = 'r"""' if "\\" in words else '"""'
    return f'    {quotes}{words}\n    """'


def texts() -> dict[Path, str]:
    """Both files as they should be, in the style of the house."""
    return {path: _styled(text, path) for path, text in ((KEYS, keys_file()), (METHODS, methods_file()))}


def _styled(text: str, path: Path) -> str:
    for command in (["check", "--select", "I,UP", "--fix-only", "-q"], ["format", "-q"]):
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ruff"), *command, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
