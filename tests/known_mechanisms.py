"""Mechanisms whose mobility is known from literature or by counting on paper. All bodies are drawn at the origin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import chaplygin_sleigh
import gears_planetary
import jourdain as jd
import machines
from jourdain.mechanism.rotations import matrix_from_quaternion

EX, EY, EZ = np.eye(3)


def plane(name, *joints):
    """Joints as (type, 'body body', place[, direction]); names are numbered."""
    return _built(jd.Mechanism(name), joints, (0.0, 0.0), 0.1)


def space(name, *joints):
    """Joints as (type, 'body body', place[, axis[, axis of the second body]])."""
    return _built(jd.Mechanism(name, space="spatial"), joints, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))


def _built(m, joints, origin, inertia):
    names = dict.fromkeys(b for _, bodies, *_ in joints for b in bodies.split() if b != "ground")
    for body in names:
        m.body(body, mass=1, inertia=inertia, position=origin)
    for k, (kind, bodies, at, *axes) in enumerate(joints):
        first, second = (m[b] for b in bodies.split())
        if kind == "distance":
            ends = [b.point(f"d{k}", p) for b, p in ((first, at), (second, axes[0]))]
            m.distance(f"j{k}", *ends, length=float(np.linalg.norm(np.subtract(at, axes[0]))))
        elif kind == "universal":
            ends = [b.point(f"u{k}", at, axis=axis) for b, axis in zip((first, second), axes, strict=True)]
            m.universal(f"j{k}", *ends)
        elif kind == "screw":
            ends = [b.point(f"s{k}", at, axis=axes[0]) for b in (first, second)]
            m.screw(f"j{k}", *ends, pitch=0.01)
        elif axes:
            m.joint(kind, f"j{k}", bodies=(first, second), at=at, axis=axes[0])
        else:
            m.joint(kind, f"j{k}", bodies=(first, second), at=at)
    return m


def loop(kind, corners, axes=None, links="abcdefgh"):
    """A ring of joints of one kind; the link between the last and the first corner is the ground."""
    names = ["ground", *links[: len(corners) - 1], "ground"]
    extra = [()] * len(corners) if axes is None else [(axis,) for axis in axes]
    return [(kind, f"{names[k]} {names[k + 1]}", at, *extra[k]) for k, at in enumerate(corners)]


def undriven(example):
    """An example without its motions."""
    return replace(jd.example(example).frozen(), motions=())


# In the plane ---------------------------------------------------------------------------------------------------------

FOUR_BAR = loop("revolute", [(0, 0), (1, 2), (5, 3), (6, 0)])


def four_bar():
    return plane("four-bar", *FOUR_BAR)


def slider_crank():
    return plane(
        "slider-crank",
        *loop("revolute", [(0, 0), (1, 1), (4, 0)])[:2],
        ("revolute", "b c", (4, 0)),
        ("prismatic", "ground c", (4, 0), (1, 0)),
    )


def five_bar():
    return plane("five-bar", *loop("revolute", [(0, 0), (-1, 2), (2, 4), (5, 2), (4, 0)]))


def watt():
    """A four-bar whose coupler and rocker carry another pair of links."""
    return plane(
        "Watt", *FOUR_BAR, ("revolute", "b d", (4, 5)), ("revolute", "d e", (7, 6)), ("revolute", "c e", (7, 2))
    )


def stephenson():
    """A four-bar with a pair of links from its coupler to the ground."""
    return plane(
        "Stephenson",
        *FOUR_BAR,
        ("revolute", "b d", (3, 5)),
        ("revolute", "d e", (7, 6)),
        ("revolute", "ground e", (9, 0)),
    )


def parallelogram(angle=1.0):
    u = np.array([np.cos(angle), np.sin(angle)])
    return plane("parallelogram", *loop("revolute", [(0, 0), u, u + np.array([2, 0]), (2, 0)]))


def three_cranks(lengths=(1.0, 1.0, 1.0), angle=np.pi / 2):
    """A bar on three parallel cranks: with equal ones it moves, else only for an instant."""
    u = np.array([np.cos(angle), np.sin(angle)])
    joints = []
    for k, (x, length) in enumerate(zip((0, 1, 3), lengths, strict=True)):
        joints += [("revolute", f"ground c{k}", (x, 0)), ("revolute", f"c{k} bar", (x, 0) + length * u)]
    return plane("three cranks", *joints)


def pantograph():
    joints = [("ground a", (0, 0)), ("a b", (1, 2)), ("b c", (3, 1)), ("c d", (2, -1)), ("d a", (0.5, 1))]
    return plane("pantograph", *(("revolute", bodies, at) for bodies, at in joints))


def three_rrr():
    """A platform on three legs of two links."""
    joints = []
    for k, turn in enumerate((0.3, 2.4, 4.5)):
        u, w = (np.array([np.cos(x), np.sin(x)]) for x in (turn, turn + 0.5))
        joints += [("revolute", f"ground a{k}", 3 * u), ("revolute", f"a{k} b{k}", 2 * w)]
        joints += [("revolute", f"b{k} platform", u)]
    return plane("3-RRR", *joints)


def oldham():
    joints = [("revolute", "ground a", (0, 0)), ("prismatic", "a disc", (0, 0), (1, 0))]
    joints += [("prismatic", "b disc", (0.3, 0.1), (0, 1)), ("revolute", "ground b", (0.3, 0.1))]
    return plane("Oldham coupling", *joints)


def trammel():
    joints = [("prismatic", "ground a", (1, 0), (1, 0)), ("prismatic", "ground b", (0, 2), (0, 1))]
    return plane("trammel of Archimedes", *joints, ("revolute", "a rod", (1, 0)), ("revolute", "b rod", (0, 2)))


def truss(*braces):
    """A square of bars on two fixed pins, with braces: bars are distances between corners that are small bodies."""
    corners = {"p": (0, 2), "q": (2, 2)}
    bars = [("ground p", (0, 0)), ("ground q", (2, 0)), ("p q", None), *braces]
    joints = []
    for bodies, foot in bars:
        first, second = bodies.split()
        joints.append(("distance", bodies, foot if first == "ground" else corners[first], corners[second]))
    # Corners are points: what turns them does not matter, and is held.
    joints += [("parallel", f"ground {name}", at) for name, at in corners.items()]
    return plane("truss", *joints)


def toggle():
    """Two bars in line between fixed pins: moves for an instant only."""
    return plane("toggle", *loop("revolute", [(0, 0), (1, 0), (3, 0)]))


def toggle_on_a_swing():
    """The same, its pins on a body that swings."""
    corners = [("swing a", (0, 0)), ("a b", (1, 0)), ("swing b", (3, 0)), ("ground swing", (1, 4))]
    return plane("toggle on a swing", *(("revolute", bodies, at) for bodies, at in corners))


def differential():
    """Sun, ring and carrier all free."""
    return _planets(ring=True)


def planetary():
    return _planets(ring=False)


def _planets(ring):
    m = jd.Mechanism("planets")
    bodies = {
        n: m.body(n, mass=1, inertia=1, position=(0, 0), points={"O": (0, 0), "P": (3, 0)}) for n in ("arm", "sun")
    }
    planet = m.body("planet", mass=1, inertia=1, position=(3, 0), points={"O": (0, 0)})
    O = m.ground.point("O", (0, 0))
    m.revolute("pin", bodies["arm"]["P"], planet["O"])
    m.revolute("sun_pin", bodies["arm"]["O"], bodies["sun"]["O"])
    if ring:
        m.body("wheel", mass=1, inertia=1, position=(0, 0), points={"O": (0, 0)})
        m.revolute("arm_pin", O, bodies["arm"]["O"])
        m.revolute("ring", bodies["arm"]["O"], m["wheel"]["O"])
    else:
        m.revolute("ring", bodies["arm"]["O"], O)
    m.gear("inner", joints=("sun_pin", "pin"), teeth=(20, 20))
    m.gear("outer", joints=("pin", "ring"), teeth=(20, 60), internal=True)
    return m


def flat_n_four_bar(n):
    feet = [np.array([k, 0.0]) for k in range(n + 1)]
    ahead = np.array([1.0, 0.0])
    joints = []
    for k, foot in enumerate(feet):
        joints.append(("revolute", f"ground link{k}", foot))
        if k:
            joints.append(("revolute", f"link{k - 1} top{k}", feet[k - 1] + ahead))
            joints.append(("revolute", f"top{k} link{k}", foot + ahead))
    return plane("N four-bars, level", *joints)


# In space -------------------------------------------------------------------------------------------------------------


def bennett():
    """A skew isogram: opposite sides equal, each axis perpendicular to both its sides (Bennett 1914)."""
    P = [np.array(p, dtype=float) for p in ((3, 1, 1), (1, -2, -1), (-3, -1, 1), (-1, 2, -1))]
    axes = [np.cross(P[k] - P[k - 1], P[(k + 1) % 4] - P[k]) for k in range(4)]
    return space("Bennett", *loop("revolute", P, axes))


def goldberg():
    """Two isograms with a common side XY, which is left out; their other links at Y are one (Goldberg 1943)."""
    twist, Y = 0.7, EX
    side = np.cross((0, -np.sin(twist), np.cos(twist)), EX)  # beside x, perpendicular to the axis at Y
    halves = []
    for length, angle in ((1.2, 0.9), (0.8, 2.0)):
        d = Y + length * (np.cos(angle) * EX + np.sin(angle) * side)
        # e at this length from X in the plane z = 0, and as far from d as X from Y: A cos + B sin = C.
        A, B, C = 2 * length * d[0], 2 * length * d[1], length**2 + d @ d - 1
        turn = np.arctan2(B, A) + np.arccos(C / np.hypot(A, B))
        e = length * np.array([np.cos(turn), np.sin(turn), 0])
        halves.append(((e, np.cross(e, d - e)), (d, np.cross(d - e, Y - d))))
    (e1, d1), (e2, d2) = halves
    ring = [(0 * EX, EZ), e1, d1, d2, e2]
    return space("Goldberg", *loop("revolute", [at for at, _ in ring], [axis for _, axis in ring]))


def line_symmetric_bricard():
    """Three lines in general position and their images by half a turn about z (Bricard 1897)."""
    rng = np.random.default_rng(5)
    at, axes = rng.normal(size=(3, 3)) + 2 * EX, rng.normal(size=(3, 3))
    half = np.diag([-1.0, -1.0, 1.0])
    return space("Bricard", *loop("revolute", [*at, *(at @ half)], [*axes, *(axes @ half)]))


def sarrus(third=EX):
    """Two chains of three parallel hinges; chains in different planes leave a straight line."""
    joints = []
    for side, (u, axis) in {"a": (EX, EY), "b": (EY, third)}.items():
        joints += [("revolute", f"ground {side}1", 2 * u, axis), ("revolute", f"{side}1 {side}2", 3 * u + EZ, axis)]
        joints += [("revolute", f"{side}2 top", 2 * u + 2 * EZ, axis)]
    return space("Sarrus", *joints)


def spherical_four_bar():
    axes = [np.array(a, dtype=float) for a in ((1, 0, 0.2), (1, 1, 0.5), (0.2, 1, 1), (0, 0.3, 1))]
    return space("spherical four-bar", *loop("revolute", axes, axes))


def general_four_bar():
    """Four hinges in general position: locked."""
    rng = np.random.default_rng(3)
    return space("4R in general position", *loop("revolute", rng.normal(size=(4, 3)), rng.normal(size=(4, 3))))


def general_loop(count, kind="revolute"):
    rng = np.random.default_rng(4)
    return space(f"{count}R", *loop(kind, rng.normal(size=(count, 3)), rng.normal(size=(count, 3))))


def rssr(middle="spherical"):
    joints = [("revolute", "ground a", (0, 0, 0), EZ), ("spherical", "a b", (1, 0, 0))]
    pins = (np.cross((3, 1, 2), EX), np.cross((3, 1, 2), np.cross((3, 1, 2), EX))) if middle == "universal" else ()
    return space("RSSR", *joints, (middle, "b c", (4, 1, 2), *pins), ("revolute", "ground c", (5, 1, 0), EY + 0.2 * EX))


def rccc():
    rng = np.random.default_rng(6)
    at, axes = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    joints = loop("cylindrical", at, axes)
    return space("RCCC", ("revolute", *joints[0][1:]), *joints[1:])


def stewart(foot):
    rng = np.random.default_rng(7)
    joints = []
    for k in range(6):
        bottom = np.array([2 * np.cos(k), 2 * np.sin(k), 0.2 * rng.normal()])
        top = np.array([np.cos(1.3 * k), np.sin(1.3 * k), 2 + 0.1 * rng.normal()])
        along = top - bottom
        side = np.cross(along, EZ)
        pins = (EZ, side) if foot == "universal" else ()
        joints += [(foot, f"ground low{k}", bottom, *pins), ("prismatic", f"low{k} high{k}", bottom, along)]
        joints += [("spherical", f"high{k} platform", top)]
    return space("Stewart platform", *joints)


def delta():
    """Three hinged arms, each with two parallel rods on ball joints to the platform (Clavel 1988)."""
    joints = []
    for k in range(3):
        R = np.array([[np.cos(2.1 * k), -np.sin(2.1 * k), 0], [np.sin(2.1 * k), np.cos(2.1 * k), 0], [0, 0, 1]])
        joints.append(("revolute", f"ground arm{k}", R @ (2, 0, 0), R @ EY))
        for side in (-0.3, 0.3):
            rod = f"rod{k}{'l' if side < 0 else 'r'}"
            joints += [("spherical", f"arm{k} {rod}", R @ (3, side, 0.3))]
            joints += [("spherical", f"{rod} platform", R @ (0.5, side, -2))]
    return space("Delta", *joints)


def hooke():
    """Two shafts at an angle, joined by a universal joint where their axes meet."""
    out = np.array([np.cos(0.4), np.sin(0.4), 0])
    return space(
        "Hooke's joint",
        ("revolute", "ground a", -EX, EX),
        ("universal", "a b", (0, 0, 0), EZ, np.cross(out, EZ)),
        ("revolute", "ground b", out, out),
    )


def double_cardan():
    out = np.array([np.cos(0.5), np.sin(0.5), 0])
    middle = np.array([np.cos(0.3), np.sin(0.3), 0])
    return space(
        "double Cardan shaft",
        ("revolute", "ground a", -EX, EX),
        ("universal", "a b", (0, 0, 0), EZ, np.cross(middle, EZ)),
        ("universal", "b c", 2 * middle, np.cross(middle, EZ), EZ),
        ("revolute", "ground c", 2 * middle + out, out),
    )


def screw_jack():
    return space(
        "screw jack",
        ("revolute", "ground screw", (0, 0, 0), EZ),
        ("prismatic", "ground nut", (0, 0, 0), EZ),
        ("screw", "screw nut", (0, 0, 0), EZ),
    )


def door(hinges=2):
    return space("door", *(("revolute", "ground door", (0, 0, k), EZ) for k in range(hinges)))


def arm_6r():
    rng = np.random.default_rng(8)
    names = ["ground", *"abcdef"]
    joints = [("revolute", f"{names[k]} {names[k + 1]}", rng.normal(size=3), rng.normal(size=3)) for k in range(6)]
    return space("6R arm", *joints)


def scara():
    kinds = [("revolute", (0, 0, 0)), ("revolute", (1, 0, 0)), ("revolute", (2, 0, 0)), ("prismatic", (2, 0, 0))]
    names = ["ground", *"abcd"]
    return space("SCARA", *((kind, f"{names[k]} {names[k + 1]}", at, EZ) for k, (kind, at) in enumerate(kinds)))


def turned_spatial_four_bar():
    return machines.spatial_four_bar(matrix_from_quaternion([0.3, -0.5, 0.7, 0.2]))


def free_bodies():
    m = jd.Mechanism("two free bodies")
    for name in "ab":
        m.body(name, mass=1, inertia=0.1, position=(0, 0), points={"P": (1, 0)})
    return m


def free_body_in_space():
    m = jd.Mechanism("free body", space="spatial")
    m.body("a", mass=1, inertia=(1, 1, 1), position=(0, 0, 0), points={"P": (1, 0, 0)})
    return m


def sleigh():
    return chaplygin_sleigh.build()


def three_planets():
    return gears_planetary.build()
