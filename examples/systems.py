"""Machines cut into boxes: each with its own coordinates, integrator and step. `monolith` runs the same as one."""

from __future__ import annotations

from typing import Any

import numpy as np

import jourdain as jd

RK4 = {"integrator": "rk4", "step": 1e-3}
G2, G3 = (0.0, -9.81), (0.0, 0.0, -9.81)


def bar(m: jd.Mechanism, name: str, P: Any, Q: Any, mass: float = 1.0) -> Any:
    """A bar between two places, at rest."""
    p, q = np.array(P, dtype=float), np.array(Q, dtype=float)
    d = q - p
    L = float(np.hypot(*d))
    return m.body(
        name,
        mass=mass,
        inertia=mass * L * L / 12,
        position=tuple((p + q) / 2),
        angle=float(np.arctan2(d[1], d[0])),
        velocity=(0, 0),
        spin=0,
        points={"A": (-L / 2, 0), "B": (L / 2, 0)},
    )


def pinned(name: str, P: Any, Q: Any, mass: float = 1.0) -> jd.Mechanism:
    """A bar that turns about its first end."""
    m = jd.Mechanism(name, gravity=G2)
    bar(m, "bar", P, Q, mass)
    m.revolute("O", m.ground.point("O", P), m["bar"]["A"])
    return m


def free(name: str, P: Any, Q: Any, mass: float = 1.0) -> jd.Mechanism:
    m = jd.Mechanism(name, gravity=G2)
    bar(m, "bar", P, Q, mass)
    return m


def double_pendulum(first: float = -np.pi / 3, second: float = -np.pi / 6, mass: float = 1.0) -> jd.System:
    """One box in angle at 1 ms, one in natural at 0.5 ms."""
    B = (np.cos(first), np.sin(first))
    C = (B[0] + np.cos(second), B[1] + np.sin(second))
    s = jd.System("double pendulum")
    one = s.subsystem("one", pinned("one", (0, 0), B), coordinates="angle", **RK4)
    two = s.subsystem("two", free("two", B, C, mass), coordinates="natural", integrator="rk4", step=5e-4)
    s.revolute("B", one["bar.B"], two["bar.A"])
    return s


def four_bar(boxes: int = 2) -> jd.System:
    A, B, C, D = (0, 0), (0.3, 0.4), (1.5, 0.9), (1.2, 0)
    s = jd.System("four-bar")
    one = s.subsystem("one", pinned("one", A, B), **RK4)
    m = free("two", B, C, 2.0)
    if boxes == 2:
        bar(m, "rocker", C, D, 1.5)
        m.revolute("C", m["bar"]["B"], m["rocker"]["A"])
        two = s.subsystem("two", m, **RK4)
        end = two["rocker.B"]
    else:
        two = s.subsystem("two", m, **RK4)
        three = s.subsystem("three", free("three", C, D, 1.5), coordinates="natural", **RK4)
        s.revolute("C", two["bar.B"], three["bar.A"])
        end = three["bar.B"]
    s.revolute("B", one["bar.B"], two["bar.A"])
    s.revolute("D", s.ground.point("D", D), end)
    return s


def slider_crank() -> jd.System:
    s = jd.System("slider-crank")
    one = s.subsystem("one", pinned("one", (0, 0), (0.3, 0.4)), **RK4)
    m = free("two", (0.3, 0.4), (1.4, 0))
    m.body("slider", mass=1, inertia=0.01, position=(1.4, 0), angle=0.0, points={"C": (0, 0)})
    m.revolute("C", m["bar"]["B"], m["slider"]["C"])
    two = s.subsystem("two", m, **RK4)
    s.revolute("B", one["bar.B"], two["bar.A"])
    s.prismatic("S", s.ground.point("S", (0, 0)), two["slider.C"])
    return s


def equal_links() -> jd.System:
    """A slider-crank of equal links: it passes a singular position."""
    q = float(np.sqrt(0.5))
    s = jd.System("equal links")
    one = s.subsystem("one", pinned("one", (0, 0), (q, q)), **RK4)
    two = s.subsystem("two", free("two", (q, q), (2 * q, 0)), **RK4)
    s.revolute("B", one["bar.B"], two["bar.A"])
    s.point_on_line("S", s.ground.point("S", (0, 0)), two["bar.B"])
    return s


def parallelogram(spin: float = 4.0) -> jd.System:
    """Without gravity it turns evenly through its change points."""
    s = jd.System("parallelogram")
    m = jd.Mechanism("one", gravity=(0, 0))
    points = {"A": (-0.25, 0), "B": (0.25, 0)}
    m.body("bar", mass=1, inertia=0.02, position=(0, 0.25), angle=np.pi / 2, spin=spin, points=points)
    m.revolute("A", m.ground.point("A", (0, 0)), m["bar"]["A"])
    one = s.subsystem("one", m, **RK4)
    n = jd.Mechanism("two", gravity=(0, 0))
    n.body("coupler", mass=1, inertia=0.12, position=(0.6, 0.5), angle=0.0, points={"B": (-0.6, 0), "C": (0.6, 0)})
    n.body("rocker", mass=1, inertia=0.02, position=(1.2, 0.25), angle=np.pi / 2, points=points)
    n.revolute("C", n["coupler"]["C"], n["rocker"]["B"])
    two = s.subsystem("two", n, **RK4)
    s.revolute("B", one["bar.B"], two["coupler.B"])
    s.revolute("D", s.ground.point("D", (1.2, 0)), two["rocker.A"])
    return s


def chain(n: int, bent: bool = True, length: float = 0.1) -> jd.System:
    """Links of 0.1 kg, let go from a zigzag, or from a line."""
    s, P = jd.System("chain"), np.zeros(2)
    last = s.ground.point("O", (0, 0))
    for k in range(n):
        angle = (-1.2 if k % 2 else -0.3) if bent else -0.8
        Q = P + length * np.array([np.cos(angle), np.sin(angle)])
        box = s.subsystem(f"b{k}", free("link", P, Q, 0.1), coordinates="angle", **RK4)
        s.revolute(f"J{k}", last, box["bar.A"])
        last, P = box["bar.B"], Q
    return s


def pair(space: str) -> tuple[jd.System, Any, Any]:
    """Two bodies in two boxes, the first held at a point, and a port of each with axes."""
    s = jd.System("pair")
    if space == "planar":
        a = jd.Mechanism("a", gravity=G2)
        points: dict[str, Any] = {"P": {"at": (0.2, 0.1), "angle": 0.3}, "Q": (-0.3, 0)}
        a.body("p", mass=2, inertia=0.3, position=(0.3, 0.1), angle=0.0, spin=0.7, points=points)
        a.revolute("O", a.ground.point("O", (0.0, 0.1)), a["p"]["Q"])
        b = jd.Mechanism("b", gravity=G2)
        points = {"P": {"at": (-0.25, 0.05), "angle": 0.1}, "R": (0.3, 0)}
        b.body("q", mass=1, inertia=0.1, points=points, position=(0.9, 0.2), angle=0.4)
    else:
        a = jd.Mechanism("a", gravity=G3)
        points = {"P": {"at": (0.3, 0.1, 0), "x": (1, 0, 0), "z": (0, 0, 1)}, "Q": (-0.3, 0, 0)}
        spin = (0.3, 0.4, 0.5)
        a.body("p", mass=2, inertia=(0.2, 0.3, 0.25), position=(0.3, 0, 0.1), spin=spin, points=points)
        a.spherical("O", a.ground.point("O", (0.0, 0, 0.1)), a["p"]["Q"])
        b = jd.Mechanism("b", gravity=G3)
        points = {"P": {"at": (-0.25, 0.05, 0), "x": (1, 0, 0), "z": (0, 0, 1)}, "R": (0.3, 0, 0)}
        b.body("q", mass=1, inertia=(0.1, 0.12, 0.15), points=points, position=(0.9, 0.1, 0.2))
    first, second = s.subsystem("a", a, **RK4), s.subsystem("b", b, **RK4)
    return s, first["p.P"], second["q.P"]


def loose(joined: bool) -> jd.System:
    """Two bodies that fly past each other, a pin between them or not."""
    s, c = jd.System("s"), np.cos(0.3)
    a = jd.Mechanism("a", gravity=(0, -9.81))
    a.body("p", mass=2, inertia=0.3, position=(0, 0), angle=0.3, velocity=(0.3, -0.2), spin=1.5, points={"P": (0.5, 0)})
    b = jd.Mechanism("b", gravity=(0, -9.81))
    at = (0.5 * c + 0.3, 0.5 * np.sin(0.3))
    points = {"P": (-0.3, 0), "Q": (0.2, 0)}
    b.body("q", mass=1, inertia=0.1, position=at, angle=0.0, velocity=(-1, 0.5), spin=-2.0, points=points)
    first, second = s.subsystem("a", a, **RK4), s.subsystem("b", b, **RK4)
    s.spring_damper("k", first["p.P"], second["q.Q"], stiffness=0.0)
    if joined:
        s.revolute("J", first["p.P"], second["q.P"])
    return s


def monolith(system: jd.System, times: Any) -> Any:
    """The one mechanism, by a method of its own at tight tolerances."""
    return jd.simulate(system.joined(), times=times, integrator="dop853", rtol=1e-11, atol=1e-12)


def apart(run: Any, reference: Any, body: str) -> float:
    """The largest distance of a body (`two.bar`) from the same one of the monolith, m."""
    axes = "xy" if run.whole.space == "planar" else "xyz"
    one = body.replace(".", "_")
    return float(np.max(np.linalg.norm([run[f"{body}.{c}"] - reference[f"{one}.{c}"] for c in axes], axis=0)))


def rssr() -> jd.System:
    """A spatial four-bar of two revolute and two spherical joints, cut at three of them."""
    s = jd.System("rssr")
    one = jd.Mechanism("one", gravity=G3)
    points: dict[str, Any] = {"O": {"at": (-0.15, 0, 0), "axis": (0, 0, 1)}, "B": (0.15, 0, 0)}
    one.body("crank", mass=1, inertia=(0.01, 0.02, 0.02), position=(0.15, 0, 0), velocity=(0, 0, 0), points=points)
    one.revolute("O", one.ground.point("O", (0, 0, 0), axis=(0, 0, 1)), one["crank"]["O"])
    B, C, D = np.array([0.3, 0, 0]), np.array([0.8, 0.6, 0.5]), np.array([1.0, 0, 0.2])
    x, L = (C - B) / np.linalg.norm(C - B), float(np.linalg.norm(C - B))
    z = np.cross(x, (0, 1, 0))
    z /= np.linalg.norm(z)
    two = jd.Mechanism("two", gravity=G3)
    R = np.array([x, np.cross(z, x), z]).T
    ends = {"B": (-L / 2, 0, 0), "C": (L / 2, 0, 0)}
    two.body("rod", mass=1, inertia=(0.004, 0.1, 0.1), position=tuple((B + C) / 2), matrix=R, points=ends)
    axis = np.array([1.0, 0, 0]) - (C - D) * (C - D)[0] / float((C - D) @ (C - D))
    three = jd.Mechanism("three", gravity=G3)
    points = {"C": tuple((C - D) / 2), "D": {"at": tuple((D - C) / 2), "axis": tuple(axis)}}
    where = {"position": tuple((C + D) / 2), "velocity": (0, 0, 0)}
    three.body("rocker", mass=1.2, inertia=(0.1, 0.1, 0.1), points=points, **where)
    a, b, c = (s.subsystem(m.name, m, **RK4) for m in (one, two, three))
    s.spherical("B", a["crank.B"], b["rod.B"])
    s.spherical("C", b["rod.C"], c["rocker.C"])
    s.revolute("D", s.ground.point("D", tuple(D), axis=tuple(axis)), c["rocker.D"])
    return s


def stewart() -> jd.System:
    """A Stewart platform as seven boxes: the platform, and six legs of two parts with a spring in each."""
    s = jd.System("stewart")
    angles = [(2 * np.pi * (k // 2) / 3 + (0.25 if k % 2 else -0.25)) for k in range(6)]
    below = [(2 * np.pi * ((k + 1) // 2) / 3 - np.pi / 3 + (-0.2 if k % 2 else 0.2)) for k in range(6)]
    top = [np.array([0.5 * np.cos(a), 0.5 * np.sin(a), 0.0]) for a in angles]
    feet = [np.array([0.9 * np.cos(a), 0.9 * np.sin(a), 0.0]) for a in below]
    m = jd.Mechanism("platform", gravity=G3)
    points = {f"P{k}": tuple(place) for k, place in enumerate(top)}
    still = {"velocity": (0, 0, 0), "spin": (0, 0, 0)}
    m.body("top", mass=5, inertia=(0.4, 0.4, 0.8), position=(0, 0, 1), points=points, **still)
    platform = s.subsystem("platform", m, **RK4)
    for k in range(6):
        P, Q = top[k] + np.array([0, 0, 1.0]), feet[k]
        L = float(np.linalg.norm(P - Q))
        u = (P - Q) / L
        x = np.cross((0, 0.3, 1), u)
        x /= np.linalg.norm(x)
        R = np.array([x, np.cross(u, x), u]).T
        slide = {"x": (1, 0, 0), "z": (0, 0, 1)}
        leg = jd.Mechanism(f"leg{k}", gravity=G3)
        points = {"Q": {"at": (0, 0, -L / 4), "axis": (1, 0, 0)}, "S": {"at": (0, 0, 0), **slide}}
        leg.body("lower", mass=1, inertia=(0.03, 0.03, 0.002), position=tuple(Q + u * L / 4), matrix=R, points=points)
        points = {"P": (0, 0, L / 4), "S": {"at": (0, 0, -L / 2), **slide}}
        place = tuple(Q + u * 3 * L / 4)
        leg.body("upper", mass=0.6, inertia=(0.02, 0.02, 0.001), position=place, matrix=R, points=points)
        leg.universal("U", leg.ground.point("Q", tuple(Q), axis=tuple(R[:, 1])), leg["lower"]["Q"])
        leg.prismatic("S", leg["lower"]["S"], leg["upper"]["S"])
        ends = leg["lower"]["Q"], leg["upper"]["P"]
        leg.spring_damper("drive", *ends, stiffness=2000, damping=5, length=1.02 * L)
        box = s.subsystem(f"leg{k}", leg, **RK4)
        s.spherical(f"T{k}", box["upper.P"], platform[f"top.P{k}"])
    return s
