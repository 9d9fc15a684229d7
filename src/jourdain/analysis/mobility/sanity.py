"""Numbers that are legal and look wrong: units mixed up, a decimal point astray. Each is a hint, never a fault."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

import numpy as np

from ...mechanism.parts import Blueprint, Body, MomentInPlane

WIDE, NARROW = 3.0, 0.01  # radius of gyration against the reach of points: a ring and a bead on an arm lie between
LARGE, SMALL = 500.0, 1e-5  # m: a larger or smaller body is rarely meant
ODD = 300.0  # a body so many times larger than the others
DENSEST = 22600.0  # kg/m3, osmium
MASSES_APART = 1e7
GRAVITIES = {9810.0: "mm/s2", 981.0: "cm/s2", 32.2: "ft/s2", 386.0: "inch/s2"}  # 9.81 m/s2 in other units
INERTIA_UNITS = {1e-6: "kg mm^2", 1e-4: "kg cm^2", 1e-3: "g m^2", 1e-9: "g mm^2"}


def hints(blueprint: Blueprint) -> list[str]:
    """What looks wrong, in sentences that say why and what may be meant."""
    found = list(_gravity(blueprint))
    reaches = {body.name: reach(body) for body in blueprint.bodies}
    known = sorted(r for r in reaches.values() if r > 0)
    for body in blueprint.bodies:
        found += [*_lengths(body, reaches[body.name], known), *_angle(body), *_inertia(body, reaches[body.name])]
    masses = sorted((body.mass, body.name) for body in blueprint.bodies)
    if masses and known and masses[-1][0] > MASSES_APART * masses[0][0]:
        (light, first), (heavy, last) = masses[0], masses[-1]
        found.append(
            f"masses differ by {heavy / light:.0e}: '{first}' has {light:g} kg and '{last}' {heavy:g} kg; grams?"
        )
    return found


def reach(body: Body) -> float:
    """How far points are from the mass centre, m."""
    return max((float(np.linalg.norm(np.subtract(p.at, body.centre))) for p in body.ports.values()), default=0.0)


def _gravity(blueprint: Blueprint) -> Iterator[str]:
    size = float(np.linalg.norm(blueprint.gravity))
    for value, unit in GRAVITIES.items():
        if abs(size - value) < 0.01 * value:
            yield f"gravity is {size:g} m/s2, which is 9.81 m/s2 in {unit}; numbers without a unit are SI"
            return
    if size > 300:
        yield f"gravity is {size:g} m/s2; on earth it is 9.81"


def _lengths(body: Body, far: float, known: list[float]) -> Iterator[str]:
    """Against the lengths of all bodies, of which its own hardly moves the middle."""
    where = f"body '{body.name}'"
    if far > LARGE:
        yield f"{where}: points are {far:g} m from its mass centre; millimetres? numbers without a unit are metres"
    elif 0 < far < SMALL:
        yield f"{where}: points are {far:g} m from its mass centre; numbers without a unit are metres"
    elif known and far > ODD * median(known):
        yield f"{where}: points are {far:g} m from its mass centre, those of other bodies {median(known):g} m"


def _angle(body: Body) -> Iterator[str]:
    angle = body.attitude
    if isinstance(angle, float) and 10 <= abs(angle) <= 360 and angle % 5 == 0:
        yield f"body '{body.name}': angle is {angle:g} rad; degrees? write {angle:g} deg"


def _inertia(body: Body, far: float) -> Iterator[str]:
    where = f"body '{body.name}'"
    if isinstance(body.inertia, MomentInPlane):
        yield f"{where}: in the plane only Izz = {float(body.inertia):g} kg m^2 acts; its other moments change nothing"
    values = np.atleast_1d(np.asarray(body.inertia, dtype=float))
    if values.size == 6:
        xx, yy, zz, xy, xz, yz = values
        values = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    largest = float(values[-1])
    if largest <= 0:  # a point mass
        return
    radius = math.sqrt(largest / body.mass)
    extent = max(far, radius)
    density = body.mass / (2 * extent) / (2 * extent) / (2 * extent)  # one by one: a volume may be below all numbers
    if density > DENSEST:
        yield (
            f"{where}: {body.mass:g} kg within {extent:.3g} m would be denser than any metal "
            f"({density:.2g} kg/m3 in a cube around it); grams?"
        )
    if far == 0:
        return
    words = f"{where}: inertia {largest:g} kg m^2 means a radius of gyration of {radius:.3g} m"
    if radius > WIDE * far:
        yield f"{words}, its points reach {far:.3g} m{_unit_hint(body.mass, largest, far)}"
    elif radius < NARROW * far:
        usual = body.mass * far**2 / 3
        yield f"{words}, its points reach {far:.3g} m; of a rod that long it would be some {usual:.2g} kg m^2"


def _unit_hint(mass: float, inertia: float, far: float) -> str:
    for factor, unit in INERTIA_UNITS.items():
        if 0.1 * far < math.sqrt(inertia * factor / mass) < 1.5 * far:
            return f"; in {unit} it would fit: write {inertia:g} {unit}"
    return ""
