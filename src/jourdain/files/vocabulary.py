"""What may stand in a file: the keys of every table. The reader, the schema and the reference are made from these.

Components (relations, motions, forces, elements) have their keys in `library/`; this is the rest. A `what`
of `kinds.py` means the same here; those defined below are the file's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..library import TYPES
from ..library import kinds as k
from ..library.joints import KINDS as JOINT_KINDS
from ..library.kinds import Key, Kind
from ..library.motions.motion import MOTION
from ..mechanism.parts import PLANAR, SPATIAL
from ..mechanism.solids import SIZES
from ..mechanism.table_data import KINDS, OUTSIDE, REFUSE

VERSION = 1

TEXT = "text"
VECTOR_OR_NUMBER = "number, or vector in space"
INERTIA = "inertia"
MATRIX = "rotation matrix"
SEQUENCE = "sequence of axes"
TABLE_OF = "table"  # a mapping with keys of its own, `Field.table`
NAMED = "named tables"  # a mapping of names to such tables
LISTED = "tables"  # a list of them, or a single one
SIZES_OF = "sizes"  # one number or several
CORNERS = "corners"
STROKES = "strokes"  # lines, each of corners
PARAMETERS = "parameters"
SETTINGS = "values by parameter"
NAMES_OR_NAME = "names, or one name"
BODIES = "two bodies"
PAIRS = "pairs"
# Quantities whose unit `display` chooses, each with one that is often wanted.
SHOWN = {
    "angle": "deg",
    "length": "mm",
    "speed": "mm/s",
    "spin": "rpm",
    "force": "kN",
    "moment": "N mm",
    "power": "kW",
    "energy": "kJ",
    "time": "ms",
    "pressure": "bar",
    "mass": "g",
    "acceleration": "mm/s^2",
}


@dataclass(frozen=True)
class FileKey(Key):
    """A key of a table; `table` are the keys below it, `space` says where it exists."""

    table: Mapping[str, FileKey] = field(default_factory=dict)
    space: str = ""


def _optional(what: str, **more: Any) -> FileKey:
    return FileKey(what, required=False, **more)


def _vector(unit: str, **more: Any) -> FileKey:
    return _optional(k.NUMBER, size="dim", unit=unit, **more)


SHAPE: dict[str, FileKey] = {
    **{
        kind: _optional(SIZES_OF, unit="m", help=", ".join(names), words=tuple(names))
        for kind, (names, _) in SIZES.items()
    },
    "at": _vector("m", help="its middle, in body axes"),
    "angle": _optional(k.NUMBER, unit="rad", space=PLANAR, help="direction of a rod or a box"),
    "axis": _optional(k.NUMBER, size="dim", space=SPATIAL, help="direction of a rod, axis of a disc or cylinder"),
}
DRAWN_SHAPE: dict[str, FileKey] = {**SHAPE, "outline": _optional(CORNERS, unit="m", help="corners, joined by lines")}

LOOK: dict[str, FileKey] = {
    "colour": _optional(TEXT, help="a name or '#rrggbb'", example="steelblue"),
    "shapes": _optional(LISTED, table=DRAWN_SHAPE, help="drawn beside the body's own shape"),
    "traces": _optional(NAMES_OR_NAME, help="points whose paths are drawn"),
    "strokes": _optional(STROKES, unit="m", help="lines in body axes, each a list of places"),
    "hidden": _optional(k.FLAG, default=False, help="not drawn at all"),
}

POINT: dict[str, FileKey] = {
    "at": FileKey(k.NUMBER, size="dim", unit="m", help="in body axes"),
    "angle": _optional(k.NUMBER, unit="rad", space=PLANAR, help="of the port's x against the body's"),
    "axis": _optional(k.NUMBER, size="dim", space=SPATIAL, help="the port's z, in body axes"),
    "x": _optional(k.NUMBER, size="dim", space=SPATIAL, help="the port's x, in body axes"),
    "z": _optional(k.NUMBER, size="dim", space=SPATIAL, help="the same as axis"),
}
EULER: dict[str, FileKey] = {
    "sequence": FileKey(SEQUENCE, help="intrinsic, in the order written", example="zxz"),
    "angles": FileKey(k.NUMBER, size=3, unit="rad"),
}
_POINTS = _optional(NAMED, table=POINT, help="names and places, or places with axes")

BODY: dict[str, FileKey] = {
    "mass": _optional(k.NUMBER, unit="kg", help="or density and a shape"),
    "density": _optional(k.POSITIVE, unit="kg/m^3", help="of the shape"),
    "inertia": _optional(
        INERTIA,
        unit="kg m^2",
        help="about the mass centre; in space (xx, yy, zz) or (xx, yy, zz, xy, xz, yz), of which the plane takes zz",
    ),
    "shape": _optional(TABLE_OF, table=SHAPE, help="a homogeneous solid: inertia where none is given, and drawn"),
    "centre": _vector("m", help="the mass centre, in body axes; by default their origin"),
    "position": _vector("m", help="of the origin; left out: assembly finds it"),
    "angle": _optional(k.NUMBER, unit="rad", space=PLANAR, help="left out: assembly finds it"),
    "quaternion": _optional(k.NUMBER, size=4, space=SPATIAL, help="(w, x, y, z), body axes to fixed axes"),
    "bryan": _optional(k.NUMBER, size=3, unit="rad", space=SPATIAL, help="intrinsic x, y, z"),
    "euler": _optional(TABLE_OF, table=EULER, space=SPATIAL),
    "matrix": _optional(MATRIX, space=SPATIAL, help="three rows; takes body axes to fixed axes"),
    "velocity": _vector("m/s", help="of the origin"),
    "spin": _optional(VECTOR_OR_NUMBER, unit="rad/s", help="in space: angular velocity in fixed axes"),
    "spin_body": _optional(VECTOR_OR_NUMBER, unit="rad/s", help="the same in body axes"),
    "points": _POINTS,
    "look": _optional(TABLE_OF, table=LOOK, help="how it is drawn"),
}
GROUND: dict[str, FileKey] = {"points": _POINTS}

INITIAL: dict[str, FileKey] = {
    "angle": _optional(k.NUMBER, unit="rad"),
    "displacement": _optional(k.NUMBER, unit="m"),
    "speed": _optional(k.NUMBER, unit="rad/s or m/s"),
}
_PLACED: dict[str, FileKey] = {
    "between": _optional(k.PORTS, help="two points, or bodies and at"),
    "bodies": _optional(BODIES, help="instead of between"),
    "at": _vector("m", help="with bodies: the place in the drawn pose, fixed axes"),
    "axis": _optional(k.NUMBER, size="dim", help="with bodies: z in space, x in the plane; fixed axes"),
    "initial": _optional(TABLE_OF, table=INITIAL, help="where the joint starts"),
}
# Joints by type; the relations may stand among them, as the joints they are.
JOINTS: dict[str, dict[str, Key]] = {
    kind.name: {**_PLACED, **kind.keys} for kind in sorted(JOINT_KINDS, key=lambda kind: kind.name)
}

EVENT: dict[str, FileKey] = {
    "when": FileKey(k.FORMULA, help="over channels, parameters and t; the event is where it passes zero"),
    "direction": _optional(k.WORD, default="rising", words=("rising", "falling", "both")),
    "stop": _optional(k.FLAG, default=False, help="ends the run"),
    "record": _optional(k.FLAG, default=True, help="keeps time and state"),
    "set": _optional(SETTINGS, help="new values of parameters"),
    "on": _optional(NAMES_OR_NAME, help="parts to switch on"),
    "off": _optional(NAMES_OR_NAME, help="parts to switch off"),
}
TABLE: dict[str, FileKey] = {
    "file": _optional(TEXT, help="a CSV file, from the folder of this one", example="gas.csv"),
    "columns": _optional(k.NAMES, help="names of the columns x and y; by default the first two"),
    "units": _optional(k.NAMES, help="of the two columns; by default those in the header, else SI"),
    "points": _optional(PAIRS, help="pairs of numbers instead of file"),
    "over": _optional(TEXT, help="what it is a function of; by default t, or the first quantity of the key"),
    "kind": _optional(k.WORD, words=KINDS, help="by default as the key has it: see tables"),
    "periodic": _optional(k.NUMBER, help="after what it repeats", example="720 deg"),
    "outside": _optional(k.WORD, default=REFUSE, words=OUTSIDE, help="what holds beyond its points"),
}
DISPLAY: dict[str, FileKey] = {
    quantity: _optional(TEXT, example=example, help="unit of plots, reports and tables")
    for quantity, example in SHOWN.items()
}
SIMULATE: dict[str, FileKey] = {
    "duration": _optional(k.POSITIVE, unit="s"),
    "every": _optional(k.POSITIVE, unit="s", help="interval of the samples"),
    "step": _optional(k.POSITIVE, unit="s", help="of methods with a fixed step"),
    "max_step": _optional(k.POSITIVE, unit="s", help="longest step of methods that find their own"),
    "rtol": _optional(k.POSITIVE, help="relative tolerance of methods that find their own steps"),
    "atol": _optional(k.POSITIVE, help="absolute tolerance of those"),
    "recipe": _optional(TEXT, help="a named set of choices", example="nacf"),
    "coordinates": _optional(TEXT, help="how poses are described", example="natural"),
    "treatment": _optional(TEXT, help="how accelerations and multipliers are found", example="kkt"),
    "stabilisation": _optional(TEXT, help="how drift is held", example="projection"),
    "integrator": _optional(TEXT, help="how time goes on", example="rk4"),
}
INCLUDE: dict[str, FileKey] = {
    "path": FileKey(TEXT, help="of a file, from the folder of this one"),
    "prefix": FileKey(TEXT, help="put before every name of that file", example="left_"),
    "parameters": _optional(PARAMETERS, help="values for its parameters"),
}

# Types that a section takes, of components.
SECTIONS: dict[str, dict[str, Kind]] = {
    section: {name: kind for name, kind in TYPES.items() if kind.section == section}
    for section in ("relations", "forces", "elements", "motions")
}
DEFAULT_TYPES = {"motions": MOTION.name}

TOP: dict[str, FileKey] = {
    "jourdain": FileKey(k.COUNT, help="version of the format: 1"),
    "name": _optional(TEXT, help="by default that of the file"),
    "description": _optional(TEXT, help="a paragraph about the mechanism"),
    "space": _optional(k.WORD, words=(PLANAR, SPATIAL), help="by default as gravity has it: two numbers or three"),
    "gravity": _optional(k.NUMBER, size="dim", unit="m/s^2", help="by default none"),
    "parameters": _optional(PARAMETERS, help="numbers, quantities or formulas by name"),
    "tables": _optional(NAMED, table=TABLE, help="functions that formulas call by name: gas(O.angle)"),
    "types": _optional(NAMED, help="components of your own, used by name"),
    "library": _optional(NAMES_OR_NAME, help="files of types, or machine-parts", example="mine.yaml"),
    "include": _optional(LISTED, table=INCLUDE, help="other files as parts of this one"),
    "ground": _optional(TABLE_OF, table=GROUND, help="points that do not move"),
    "bodies": _optional(NAMED, table=BODY, help="rigid bodies"),
    "assemblies": _optional(NAMED, help="several parts as one, of a type of your own"),
    "joints": _optional(NAMED, help="between two points, each with a type"),
    "relations": _optional(NAMED, help="between joints, each with a type"),
    "forces": _optional(NAMED, help="each with a type"),
    "elements": _optional(NAMED, help="parts with states of their own, each with a type"),
    "motions": _optional(NAMED, help="coordinates that follow a function of time"),
    "events": _optional(NAMED, table=EVENT, help="what happens where a formula passes zero"),
    "off": _optional(NAMES_OR_NAME, help="parts that are switched off at the start"),
    "simulate": _optional(TABLE_OF, table=SIMULATE, help="what a run takes unless told otherwise"),
    "display": _optional(TABLE_OF, table=DISPLAY, help="units of plots, reports and tables"),
}
# How `from_drawn: true` of the library is written in a file.
FROM = "from"
DRAWN = "drawn"
# Keys of components without a unit that are plain numbers; the others without one may have any dimension.
PLAIN = frozenset({"ratio", "teeth", "coefficient", "static", "damping_ratio", "gear"})
# What only Python can say: a function's inputs.
PYTHON_ONLY = frozenset({"inputs", "output_names", "ports"})


def component_keys(kind: Kind) -> dict[str, Key]:
    """The keys of a component in a file: those of the library, without what only functions need."""
    mapping_inputs = kind.keys.get("inputs") is not None and kind.keys["inputs"].what == k.FORMULAS
    left_out = PYTHON_ONLY - ({"inputs"} if mapping_inputs else set())
    return {name: key for name, key in kind.keys.items() if name not in left_out}
