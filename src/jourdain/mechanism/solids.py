"""Homogeneous solids: how people write them, their volume, and their inertia about the middle.

A shape is written as a mapping with one kind and its sizes, `{"box": (1, 0.2)}`, and where it is and points to:
`at` (its middle, body axes), `angle` in the plane (of a rod or a box), `axis` in space (of a rod, disc or cylinder).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .fault import Expected, Where
from .names import nearest
from .parts import Look, Shape, Vector
from .reading import Reader

# Sizes each kind takes, by name; those from the second number on may be left out, and count as zero.
SIZES: dict[str, tuple[tuple[str, ...], int]] = {
    "box": (("length along x", "along y", "along z"), 2),
    "rod": (("length", "radius"), 1),
    "disc": (("radius", "thickness"), 1),
    "cylinder": (("radius", "length"), 2),
    "sphere": (("radius",), 1),
}
DIRECTED = {2: ("box", "rod"), 3: ("rod", "disc", "cylinder")}
LOOK_KEYS = ("shapes", "colour", "traces", "strokes", "hidden")


def read_shape(read: Reader, where: Where, written: Any, outlines: bool = False) -> Shape | None:
    """A shape as written; a wrong one is noted as a fault."""
    kinds = (*SIZES, "outline") if outlines else tuple(SIZES)
    if not isinstance(written, Mapping) or sum(key in kinds for key in written) != 1:
        one = f"one of {', '.join(kinds)} like"
        read.wrong(where, f"{where} is {written!r}", Expected(f"{one} {{'box': (1, 0.2)}}", f"{one} {{box: [1, 0.2]}}"))
        return None
    kind = next(key for key in written if key in kinds)
    direction = "angle" if read.dim == 2 else "axis"
    allowed = (kind, "at", direction) if kind in DIRECTED[read.dim] else (kind, "at")
    for key in written:
        if key not in allowed:
            read.wrong(where.at(key), f"{where}: a {kind} has no '{key}' here; {nearest(key, allowed)}")
    at = read.vector(written.get("at"), where.at("at")) or (0.0,) * read.dim
    if kind == "outline":
        return _outline(read, where, written[kind], at)
    return Shape(kind, _sizes(read, where, kind, written[kind]), at, _direction(read, where, kind, written))


def _outline(read: Reader, where: Where, corners: Any, at: Vector) -> Shape | None:
    if not isinstance(corners, Sequence | np.ndarray) or isinstance(corners, str) or len(corners) < 2:
        read.wrong(where.at("outline"), f"{where}: outline is {corners!r}; expected two or more corners")
        return None
    points = [read.vector(corner, where.at("outline")) for corner in corners]
    return Shape("outline", (), at, None, tuple(p for p in points if p is not None))


def _sizes(read: Reader, where: Where, kind: str, value: Any) -> Vector:
    names, least = SIZES[kind]
    many = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    values = list(value) if many else [value]
    least = 3 if kind == "box" and read.dim == 3 else least
    if not least <= len(values) <= len(names):
        count = f"{least}" if least == len(names) else f"{least} to {len(names)}"
        read.wrong(where.at(kind), f"{where}: {kind} is {value!r}; expected {count} sizes: {', '.join(names)}")
        return (1.0,) * len(names)
    numbers = [read.number(v, where.at(kind)) for v in values]
    for number, name in zip(numbers, names, strict=False):
        thin = name in ("radius", "thickness") and kind in ("rod", "disc")
        if not (math.isfinite(number) and (number > 0 or (thin and number == 0 and name != names[0]))):
            read.wrong(where.at(kind), f"{where}: {name} of the {kind} is {number}; expected a positive number")
    return tuple(numbers) + (0.0,) * (len(names) - len(numbers))


def _direction(read: Reader, where: Where, kind: str, written: Mapping[str, Any]) -> Vector | None:
    if kind not in DIRECTED[read.dim]:
        return None
    if read.dim == 2:
        angle = read.number(written.get("angle", 0.0), where.at("angle"))
        return (math.cos(angle), math.sin(angle)) if math.isfinite(angle) else (1.0, 0.0)
    axis = read.vector(written.get("axis"), where.at("axis")) or ((1.0, 0, 0) if kind == "rod" else (0, 0, 1.0))
    length = float(np.linalg.norm(axis))
    if not 0 < length < math.inf:
        read.wrong(where.at("axis"), f"{where}: axis is {axis}; expected a direction")
        return None
    return tuple(float(a) / length for a in axis)


def read_look(read: Reader, where: Where, written: Any, shape: Shape | None) -> Look | None:
    """How a body is drawn; its own shape comes first."""
    shapes = [] if shape is None else [shape]
    if written is None:
        return Look(tuple(shapes)) if shapes else None
    if not isinstance(written, Mapping):
        read.wrong(where.at("look"), f"{where}: look is {written!r}; expected keys {', '.join(LOOK_KEYS)}")
        return None
    for key in written:
        if key not in LOOK_KEYS:
            read.wrong(where.at("look").at(key), f"{where}: look has an unknown key '{key}'; {nearest(key, LOOK_KEYS)}")
    for n, source in enumerate(written.get("shapes") or ()):
        place = Where(where.part, f"look.shapes.{n}", f"{where}: look")
        found = read_shape(read, place, source, outlines=True)
        shapes += [] if found is None else [found]
    colour, traces = written.get("colour"), written.get("traces") or ()
    if colour is not None and not isinstance(colour, str):
        read.wrong(where.at("look").at("colour"), f"{where}: colour is {colour!r}; expected a name or #rrggbb")
        colour = None
    if isinstance(traces, str) or not all(isinstance(name, str) for name in traces):
        read.wrong(where.at("look").at("traces"), f"{where}: traces is {traces!r}; expected names of points")
        traces = ()
    strokes = _strokes(read, where, written.get("strokes") or ())
    return Look(tuple(shapes), colour, tuple(traces), bool(written.get("hidden", False)), strokes)


def _strokes(read: Reader, where: Where, written: Any) -> tuple[tuple[Vector, ...], ...]:
    """Lines in body axes."""
    place, found = Where(where.part, "look.strokes", f"{where}: look: strokes"), []
    for line in written if isinstance(written, list | tuple) else [written]:
        places = line if isinstance(line, list | tuple) else []
        if len(places) < 2:
            read.wrong(place, f"{place} has {line!r}; expected lines of two or more places each")
            continue
        corners = [read.vector(corner, place) for corner in places]
        if all(corner is not None for corner in corners):
            found.append(tuple(corner for corner in corners if corner is not None))
    return tuple(found)


def power(x: float, n: int) -> float:
    """x^n, infinite where no number is so large."""
    try:
        return float(x**n)
    except OverflowError:
        return math.inf


def volume(shape: Shape) -> float:
    """In m^3; zero for what is drawn without thickness."""
    a = shape.size
    if shape.kind == "box":
        return a[0] * a[1] * a[2]
    if shape.kind == "rod":
        return math.pi * power(a[1], 2) * a[0]
    if shape.kind == "sphere":
        return 4.0 / 3.0 * math.pi * power(a[0], 3)
    return math.pi * power(a[0], 2) * a[1]


def inertia(shape: Shape, mass: float, dim: int) -> float | Vector:
    """About the middle, in body axes: a number in the plane, six in space."""
    if shape.kind == "box":
        xx, yy, zz = (side * side / 12.0 for side in shape.size)
        principal = (mass * (yy + zz), mass * (xx + zz), mass * (xx + yy))
        return principal[2] if dim == 2 else (*principal, 0.0, 0.0, 0.0)
    if shape.kind == "sphere":
        same = 0.4 * mass * power(shape.size[0], 2)
        return same if dim == 2 else (same, same, same, 0.0, 0.0, 0.0)
    length, radius = shape.size if shape.kind == "rod" else shape.size[::-1]
    along, across = mass * power(radius, 2) / 2.0, mass * (power(radius, 2) / 4.0 + power(length, 2) / 12.0)
    if dim == 2:
        return across if shape.kind == "rod" else along
    # I = across E + (along - across) a a^T for a body of revolution about a.
    a = np.array(shape.axis or (0.0, 0.0, 1.0))
    with np.errstate(invalid="ignore"):  # of infinite numbers, which are told of
        full = across * np.eye(3) + (along - across) * np.outer(a, a)
    return tuple(float(full[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def read_mass(read: Reader, where: Where, mass: Any, density: Any, solid: Shape | None) -> float:
    """The mass as written, or of a solid of that density."""
    if mass is not None and density is not None:
        read.wrong(where.at("density"), f"{where}: mass and density are both given; keep one")
    elif density is not None:
        size = 0.0 if solid is None else volume(solid)
        if size > 0:
            return read.number(density, where.at("density")) * size
        lack = "a shape" if solid is None else f"the thickness of the {solid.kind}"
        read.wrong(where.at("density"), f"{where}: density needs {lack}, so that there is a volume")
    elif mass is None:
        read.wrong(where.at("mass"), f"{where}: mass is missing; expected a number, or density and a shape")
    return 1.0 if mass is None else read.number(mass, where.at("mass"))


def read_inertia(
    read: Reader, where: Where, written: Any, mass: float, solid: Shape | None, centre: Any
) -> float | Vector:
    """The inertia as written, or of the solid."""
    if written is not None:
        return read.inertia(written, where)
    if solid is None:
        words = "inertia is missing; expected numbers about the mass centre, or a shape"
        read.wrong(where.at("inertia"), f"{where}: {words}")
        return 1.0 if read.dim == 2 else (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    middle = read.vector(centre, where.at("centre"))
    if middle is not None and not np.allclose(middle, solid.at):
        words = f"centre is {middle}, but the middle of the shape is at {solid.at}; keep one"
        read.wrong(where.at("centre"), f"{where}: {words}")
    return inertia(solid, mass, read.dim)
