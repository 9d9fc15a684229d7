"""What a body looks like, in body axes: its shapes, or a link through its points.

One description serves pictures by matplotlib and pages of HTML, in the plane and in space.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..mechanism.parts import Body, Shape
from ..mechanism.rotations import perpendicular
from ..mechanism.ties import TIE, largest, smallest

Array = npt.NDArray[np.float64]

# Points nearer than this to a line or a plane, as a part of their extent, count as on it.
FLAT = 1e-6
# Points nearer than this to a shape, as a part of its size, belong to it and need no line.
CLOSE = 0.02
ROUND = 28  # corners of what is round
ROUND_IN_PLANE = 64


@dataclass
class Form:
    """Lists of places (n, dim), each drawn in its own way."""

    faces: list[Array] = field(default_factory=list)  # filled, with an edge
    spokes: list[Array] = field(default_factory=list)  # thin dark lines that show how round things turn
    behind: dict[int, Array] = field(default_factory=dict)  # by spoke on a flat face: the middle of the face opposite
    bars: list[Array] = field(default_factory=list)  # links: two ends
    plates: list[Array] = field(default_factory=list)  # links through more than two points: corners in a plane
    stems: list[Array] = field(default_factory=list)  # thin lines from a shape to points away from it
    dots: list[Array] = field(default_factory=list)  # a body that is one place

    def pieces(self) -> Iterator[Array]:
        for kind in (self.faces, self.spokes, self.bars, self.plates, self.stems, self.dots):
            yield from kind

    def points(self, dim: int) -> Array:
        """All places, (n, dim)."""
        found = list(self.pieces())
        return np.concatenate(found) if found else np.zeros((0, dim))


def form_of(body: Body) -> Form:
    """The shapes a body was given, otherwise a link through its points and its mass centre."""
    look = body.look
    if look is not None and look.hidden:
        return Form()
    places = np.array([*(port.at for port in body.ports.values()), body.centre], dtype=float)
    form = Form()
    if look is None or not look.shapes:
        _link(form, places)
    else:
        form = form_of_shapes(look.shapes, len(body.centre))
        _stems(form, places[:-1], look.shapes)
    for stroke in look.strokes if look is not None else ():
        form.spokes += [np.array(ends, dtype=float) for ends in pairwise(stroke)]
    return form


def form_of_shapes(shapes: tuple[Shape, ...], dim: int) -> Form:
    """Shapes and nothing else."""
    form = Form()
    for shape in shapes:
        _shape(form, shape, dim)
    return form


def _link(form: Form, places: Array) -> None:
    dimensions, directions = spread(places)
    if dimensions == 0:
        form.dots.append(places[:1])
    elif dimensions == 1:
        form.bars.append(ends(places, directions[0]))
    elif dimensions == 2:
        form.plates.append(polygon(places, directions))
    else:
        from scipy.spatial import ConvexHull

        form.faces += [places[corners] for corners in ConvexHull(places).simplices]


def _stems(form: Form, places: Array, shapes: tuple[Shape, ...]) -> None:
    """Points outside all shapes hang on the nearest place of the nearest shape, by a thin line."""
    for place in places:
        feet = [_nearest(shape, place) for shape in shapes]
        gaps = [float(np.linalg.norm(place - foot)) for foot in feet]
        near = smallest(gaps, floor=TIE * float(np.linalg.norm(place)))
        if gaps[near] > CLOSE * max(float(np.linalg.norm(place)), *shapes[near].size, 0.0):
            form.stems.append(np.array([feet[near], place]))


def _nearest(shape: Shape, place: Array) -> Array:
    """The place of a shape that is nearest to a point: the point itself where it lies inside."""
    at = np.array(shape.at, dtype=float)
    d = place - at
    if shape.kind == "outline":
        corners = np.array(shape.corners) + at
        low, high = corners.min(axis=0), corners.max(axis=0)
        return np.clip(place, low, high)
    if shape.kind == "sphere" or (len(at) == 2 and shape.kind in ("disc", "cylinder")):
        return np.asarray(at + d * min(1.0, shape.size[0] / max(float(np.linalg.norm(d)), 1e-300)))
    if shape.kind == "box" and len(at) == 3:
        half = np.array(shape.size) / 2
        return np.asarray(at + np.clip(d, -half, half))
    # A rod, a disc or a cylinder about its axis; in the plane also a box along it.
    default = (1.0, 0.0) if len(at) == 2 else (0.0, 0.0, 1.0)
    axis = np.array(shape.axis or default)
    length, width = shape.size[:2] if shape.kind in ("rod", "box") else shape.size[1::-1]
    along = float(np.clip(d @ axis, -length / 2, length / 2))
    across = d - (d @ axis) * axis
    reach = width / 2 if shape.kind == "box" else width
    across = across * min(1.0, reach / max(float(np.linalg.norm(across)), 1e-300))
    return np.asarray(at + along * axis + across)


def _shape(form: Form, shape: Shape, dim: int) -> None:
    if shape.kind == "outline":
        corners = np.array(shape.corners, dtype=float) + np.array(shape.at)
        (form.faces if len(corners) > 2 else form.bars).append(corners)
    elif dim == 2:
        _flat_shape(form, shape)
    else:
        _solid_shape(form, shape)


# In the plane -----------------------------------------------------------------------------------------------------


def _flat_shape(form: Form, shape: Shape) -> None:
    at = np.array(shape.at)
    if shape.kind in ("box", "rod"):
        along = np.array(shape.axis or (1.0, 0.0))
        half = shape.size[0] / 2 * along
        width = shape.size[1] if shape.kind == "box" else 2 * shape.size[1]
        if width == 0:
            form.bars.append(np.array([at - half, at + half]))
            return
        side = width / 2 * np.array([-along[1], along[0]])
        form.faces.append(np.array([at - half - side, at + half - side, at + half + side, at - half + side]))
        return
    radius = shape.size[0]
    turn = np.linspace(0.0, 2 * np.pi, ROUND_IN_PLANE, endpoint=False)
    form.faces.append(at + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1))
    form.spokes.append(np.array([at, at + np.array([radius, 0.0])]))


# In space ---------------------------------------------------------------------------------------------------------


def _solid_shape(form: Form, shape: Shape) -> None:
    at = np.array(shape.at, dtype=float)
    if shape.kind == "box":
        half = np.array(shape.size) / 2
        square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        sides = [np.insert(square, axis, side, axis=1) for axis in range(3) for side in (-1, 1)]
        form.faces += [at + side * half for side in sides]
        return
    if shape.kind == "sphere":
        form.faces += _ball(at, shape.size[0])
        return
    axis = np.array(shape.axis or (0.0, 0.0, 1.0))
    length, radius = shape.size if shape.kind == "rod" else shape.size[::-1]
    if radius == 0:
        form.bars.append(np.array([at - length / 2 * axis, at + length / 2 * axis]))
        return
    u = -perpendicular(axis)
    v = np.cross(axis, u)
    turn = np.linspace(0.0, 2 * np.pi, ROUND, endpoint=False)
    ring = at + radius * (np.outer(np.cos(turn), u) + np.outer(np.sin(turn), v))
    low, high = ring - length / 2 * axis, ring + length / 2 * axis
    form.faces.append(low)
    if length > 0:
        form.faces.append(high)
        ahead = np.roll(np.arange(ROUND), -1)
        # In short pieces: nearer faces are drawn over farther ones, and of long ones it would be hard to say.
        cuts = np.linspace(0.0, 1.0, int(np.clip(length / (6 * radius), 1, 6)) + 1)
        rings = [low + cut * (high - low) for cut in cuts]
        for a, b in pairwise(rings):
            form.faces += [np.array([a[k], a[j], b[j], b[k]]) for k, j in zip(range(ROUND), ahead, strict=True)]
    if shape.kind != "rod":
        for end in (at - length / 2 * axis, at + length / 2 * axis):
            form.behind[len(form.spokes)] = 2 * at - end
            form.spokes.append(np.array([end, end + radius * u]))


def _ball(at: Array, radius: float) -> list[Array]:
    around, up = np.linspace(0, 2 * np.pi, 17), np.linspace(-np.pi / 2, np.pi / 2, 9)

    def place(i: int, j: int) -> Array:
        c = np.cos(up[j])
        return np.asarray(at + radius * np.array([c * np.cos(around[i]), c * np.sin(around[i]), np.sin(up[j])]))

    return [
        np.array([place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)])
        for i in range(len(around) - 1)
        for j in range(len(up) - 1)
    ]


# Points on a line or in a plane -----------------------------------------------------------------------------------


def spread(points: Array) -> tuple[int, Array]:
    """How many dimensions the points fill, and their principal directions as rows."""
    centred = points - points.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=True)
    if sizes[0] <= FLAT * max(float(np.max(np.abs(points))), 1e-300):
        return 0, directions
    return int(np.sum(sizes > FLAT * sizes[0])), directions


def ends(points: Array, direction: Array) -> Array:
    """The two outermost of points on a line, in the order in which they were given."""
    along = points @ direction
    return points[sorted((smallest(along), largest(along)))]


def polygon(points: Array, directions: Array) -> Array:
    """Convex hull of points in a plane, in order around it (Andrew's monotone chain), from the first one given."""
    flat = (points - points.mean(axis=0)) @ directions[:2].T
    order = np.lexsort((flat[:, 1], flat[:, 0]))

    def chain(indices: list[int]) -> list[int]:
        found: list[int] = []
        for i in indices:
            while len(found) > 1 and _turn(flat[found[-2]], flat[found[-1]], flat[i]) <= 0:
                found.pop()
            found.append(i)
        return found[:-1]

    around = [*chain(list(order)), *chain(list(order[::-1]))]
    # Where it begins and which way it goes depends on the directions, and their signs are LAPACK's.
    k = around.index(min(around))
    around = around[k:] + around[:k]
    return points[around if around[1] < around[-1] else [around[0], *around[:0:-1]]]


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
