"""Inertia of shapes: closed forms against sums over many small pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jourdain as jd
from jourdain.mechanism.checks import faults

Points = npt.NDArray[np.float64]
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0


def _midpoints(n: int, length: float) -> Points:
    return (np.arange(n) + 0.5) / n * length - length / 2


def _box(x: float, y: float, z: float) -> Points:
    axes = np.meshgrid(_midpoints(40, x), _midpoints(40, y), _midpoints(40, z), indexing="ij")
    return np.stack([a.ravel() for a in axes], axis=1)


def _cylinder(radius: float, length: float, axis: Points) -> Points:
    """Pieces of equal volume: rings of equal area, points around them, layers along the axis."""
    r = radius * np.sqrt((np.arange(60) + 0.5) / 60)
    phi = np.arange(24) * 2 * np.pi / 24
    R, P, Z = (a.ravel() for a in np.meshgrid(r, phi, _midpoints(60, length), indexing="ij"))
    e = np.eye(3)[int(np.argmin(np.abs(axis)))]
    u = np.cross(e, axis) / np.linalg.norm(np.cross(e, axis))
    v = np.cross(axis, u)
    return np.outer(R * np.cos(P), u) + np.outer(R * np.sin(P), v) + np.outer(Z, axis)


def _sphere(radius: float) -> Points:
    grid = _box(2 * radius, 2 * radius, 2 * radius)
    fine = np.concatenate([grid, grid + radius / 80, grid - radius / 80])
    return fine[np.linalg.norm(fine, axis=1) < radius]


def _tensor(points: Points, mass: float) -> tuple[float, ...]:
    m = mass / len(points)
    full = m * (np.sum(points**2) * np.eye(3) - points.T @ points)
    return tuple(float(full[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


Z = np.array([0.0, 0.0, 1.0])
X = np.array([1.0, 0.0, 0.0])
SOLIDS: dict[str, tuple[dict[str, Any], Points, float]] = {
    "box": ({"box": (0.4, 0.3, 0.2)}, _box(0.4, 0.3, 0.2), 0.4 * 0.3 * 0.2),
    "rod": ({"rod": (0.5, 0.05)}, _cylinder(0.05, 0.5, X), np.pi * 0.05**2 * 0.5),
    "rod along": ({"rod": (0.5, 0.05), "axis": (2, -1, 2)}, _cylinder(0.05, 0.5, AXIS), np.pi * 0.05**2 * 0.5),
    "disc": ({"disc": (0.3, 0.02)}, _cylinder(0.3, 0.02, Z), np.pi * 0.3**2 * 0.02),
    "cylinder": ({"cylinder": (0.1, 0.6)}, _cylinder(0.1, 0.6, Z), np.pi * 0.1**2 * 0.6),
    "cylinder along": ({"cylinder": (0.1, 0.6), "axis": (2, -1, 2)}, _cylinder(0.1, 0.6, AXIS), np.pi * 0.1**2 * 0.6),
    "sphere": ({"sphere": 0.2}, _sphere(0.2), 4 / 3 * np.pi * 0.2**3),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_in_space(name: str) -> None:
    shape, points, volume = SOLIDS[name]
    m = jd.Mechanism("solid", space="spatial")
    m.body("light", mass=2, shape=shape)
    m.body("heavy", density=7800, shape=shape)
    light, heavy = m.frozen().bodies
    assert faults(m.frozen()) == []
    scale = max(light.inertia)  # type: ignore[type-var, arg-type]
    assert np.allclose(light.inertia, _tensor(points, 2.0), atol=1e-2 * scale)  # the pieces are 1/40 of a side
    assert heavy.mass == pytest.approx(7800 * volume, rel=1e-14)
    assert np.allclose(np.array(heavy.inertia) * 2.0 / heavy.mass, light.inertia, rtol=1e-13)


@pytest.mark.parametrize("name", ["box", "rod", "disc", "cylinder", "sphere"])
def test_solids_in_the_plane_are_those_of_space_about_z(name: str) -> None:
    shape = SOLIDS[name][0]
    plane, space = jd.Mechanism("plane"), jd.Mechanism("space", space="spatial")
    for m in (plane, space):
        m.body("a", density=1000, shape=shape)
    a, b = plane.frozen().bodies[0], space.frozen().bodies[0]
    assert a.mass == b.mass
    assert a.inertia == pytest.approx(b.inertia[2], rel=1e-14)  # type: ignore[index]


def test_the_middle_of_the_shape_is_the_mass_centre() -> None:
    m = jd.Mechanism("plane")
    m.body("a", mass=1, shape={"rod": 2, "at": (1, 0)})
    m.body("b", mass=1, inertia=3, shape={"rod": 2, "at": (1, 0)})
    a, b = m.frozen().bodies
    assert (a.centre, a.inertia) == ((1.0, 0.0), pytest.approx(1 / 3))
    assert (b.centre, b.inertia) == ((0.0, 0.0), 3.0)  # a shape beside an inertia is only drawn


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "both": ({"mass": 1, "density": 2, "shape": {"sphere": 1}}, "body 'a': mass and density are both given; keep one"),
    "no mass": ({"shape": {"sphere": 1}}, "body 'a': mass is missing; expected a number, or density and a shape"),
    "no inertia": ({"mass": 1}, "body 'a': inertia is missing; expected numbers about the mass centre, or a shape"),
    "density alone": ({"density": 1, "inertia": 1}, "body 'a': density needs a shape, so that there is a volume"),
    "no thickness": (
        {"density": 1, "shape": {"disc": 1}},
        "body 'a': density needs the thickness of the disc, so that there is a volume",
    ),
    "two kinds": (
        {"mass": 1, "shape": {"disc": 1, "rod": 1}},
        "body 'a': shape is {'disc': 1, 'rod': 1}; expected one of box, rod, disc, cylinder, sphere like "
        "{'box': (1, 0.2)}",
    ),
    "wrong sizes": (
        {"mass": 1, "shape": {"cylinder": 1}},
        "body 'a': shape: cylinder is 1; expected 2 sizes: radius, length",
    ),
    "negative": (
        {"mass": 1, "shape": {"sphere": -1}},
        "body 'a': shape: radius of the sphere is -1.0; expected a positive number",
    ),
    "axis in the plane": (
        {"mass": 1, "shape": {"disc": 1, "axis": (0, 1)}},
        "body 'a': shape: a disc has no 'axis' here; known: at, disc (did you mean 'disc'?)",
    ),
    "two middles": (
        {"mass": 1, "shape": {"disc": 1, "at": (1, 0)}, "centre": (0, 1)},
        "body 'a': centre is (0.0, 1.0), but the middle of the shape is at (1.0, 0.0); keep one",
    ),
    "look": (
        {"mass": 1, "inertia": 1, "look": {"color": "red"}},
        "body 'a': look has an unknown key 'color'; "
        "known: colour, hidden, shapes, strokes, traces (did you mean 'colour'?)",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    arguments, sentence = FAULTS[name]
    m = jd.Mechanism("plane")
    m.body("a", **arguments)
    assert sentence in map(str, faults(m.frozen()))
