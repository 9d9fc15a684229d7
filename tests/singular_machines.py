"""Random machines that pass singular positions, with their true motion.

In the plane (and laid into space, where they are over-constrained besides): parallelograms and antiparallelograms,
deltoids, slider-cranks of equal links, each of one freedom phi. Their poses are elementary functions of phi that go on
without a corner through the positions in which bars lie in line; so phi obeys one equation of motion, which SciPy
integrates. In space: Bennett's, Goldberg's and Bricard's loops, whose truth is projected rk4 with short steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import jourdain as jd

FAMILIES = ("parallelogram", "antiparallelogram", "deltoid", "slider-crank", "bennett", "goldberg", "bricard")
TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
SHORT = 2e-4  # of the time scale: steps of rk4 that stand for the truth of loops in space


class Jet:
    """A complex function of phi with its first and second derivative: a point of the plane, or a number."""

    def __init__(self, *parts: complex) -> None:
        self.parts = parts + (0.0,) * (3 - len(parts))

    def __add__(self, other: Any) -> Jet:
        other = other if isinstance(other, Jet) else Jet(other)
        return Jet(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __mul__(self, other: Any) -> Jet:
        f, g = self.parts, (other if isinstance(other, Jet) else Jet(other)).parts
        return Jet(f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2])

    def through(self, f: complex, df: complex, ddf: complex) -> Jet:
        """A function of this one, whose derivatives at it are given."""
        _, a, b = self.parts
        return Jet(f, df * a, ddf * a * a + df * b)


def turned(angle: Jet) -> Jet:
    """exp(i angle)."""
    e = np.exp(1j * angle.parts[0])
    return angle.through(e, 1j * e, -e)


def root(x: Jet) -> Jet:
    r = np.sqrt(x.parts[0])
    return x.through(r, 0.5 / r, -0.25 / r**3)


Poses = Callable[[float], list[tuple[Jet, Jet]]]


@dataclass
class Bar:
    mass: float
    inertia: float
    length: float
    offset: complex  # of the mass centre from the first end, along and across the bar


@dataclass
class Case:
    """A machine, the names of bodies whose places are known, and where they truly are at given times."""

    words: str
    mechanism: jd.Mechanism
    bodies: list[str]
    truth: Callable[[np.ndarray], np.ndarray]  # (time, body, dim); None: unknown
    duration: float
    size: float
    growth: float = 1.0  # how much nearby starts separate
    known: dict[str, Any] = field(default_factory=dict)


def closed_form(family: str, rng: np.random.Generator, size: float) -> tuple[list[float], Poses, list[complex]]:
    """Lengths of bars; first end and angle of each as functions of phi; fixed points."""
    if family == "slider-crank":
        a = size

        def slide(phi: float) -> list[tuple[Jet, Jet]]:
            angle = Jet(phi, 1.0)
            return [(Jet(0.0), angle), (turned(angle) * a, angle * -1.0)]

        return [a, a], slide, [0.0, 0.0]
    a, L = size, size * rng.uniform(1.3, 3.0)
    if family == "parallelogram":

        def parallel(phi: float) -> list[tuple[Jet, Jet]]:
            angle = Jet(phi, 1.0)
            return [(Jet(0.0), angle), (turned(angle) * a, Jet(0.0)), (Jet(L), angle)]

        return [a, L, a], parallel, [0.0, L]
    if family == "antiparallelogram":
        # Cranks a on a base L > a: tan(psi / 2) = -(L + a) / (L - a) / tan(phi / 2) of the other crank, from outside;
        # without a corner everywhere as psi = -phi - 2 atan2(..), by which both turn whole turns.
        ratio = a / L

        def crossed(phi: float) -> list[tuple[Jet, Jet]]:
            # The coupler's angle is twice that of the axis of symmetry, through both crossing bars.
            c, s = np.cos(phi), np.sin(phi)
            beta = 2.0 * np.arctan2(-ratio * s, 1.0 - ratio * c)
            w = (1.0 - ratio * c) ** 2 + (ratio * s) ** 2
            slope = 2.0 * (-ratio * c + ratio**2) / w
            curve = 2.0 * ratio * s * (1.0 - ratio**2) / w**2
            coupler = Jet(beta, slope, curve)
            angle = Jet(phi, 1.0)
            start = turned(angle) * a
            end = start + turned(coupler) * L
            rocker = Jet(*(x - y for x, y in zip(coupler.parts, angle.parts, strict=True)))
            assert abs(end.parts[0] - L - a * np.exp(1j * rocker.parts[0])) < 1e-9 * L
            return [(Jet(0.0), angle), (start, coupler), (Jet(L), rocker)]

        return [a, L, a], crossed, [0.0, L]
    b = size * rng.uniform(1.3, 2.5)  # a deltoid: ground and crank a, coupler and rocker b

    def kite(phi: float) -> list[tuple[Jet, Jet]]:
        angle, half = Jet(phi, 1.0), Jet(phi / 2, 0.5)
        h = turned(half)
        c, s = np.cos(phi / 2), np.sin(phi / 2)
        cosine = half.through(c, -s, -c)
        sine = half.through(s, c, -s)
        apex = h * (cosine * a + root(sine * sine * (-a * a) + b * b))
        start = turned(angle) * a
        return [(Jet(0.0), angle), (start, direction(apex + start * -1.0)), (Jet(a), direction(apex + -a))]

    return [a, b, b], kite, [0.0, a]


def direction(z: Jet) -> Jet:
    """The angle of a vector: the imaginary part of its logarithm."""
    f, df, ddf = z.parts
    rate = df / f
    return Jet(float(np.angle(f)), rate.imag, (ddf / f - rate * rate).imag)


def planar_case(family: str, rng: np.random.Generator, spatial: bool, driven: bool, others: int, stiff: bool) -> Case:
    size = float(10 ** rng.uniform(-1, 1))
    lengths, poses, fixed = closed_form(family, rng, size)
    time = np.sqrt(size / 9.81)
    tilt = np.exp(1j * rng.uniform(0, 2 * np.pi))
    down = 9.81 * np.exp(1j * rng.uniform(0, 2 * np.pi))
    bars = []
    for length in lengths:
        mass = float(10 ** rng.uniform(-1, 1))
        middle = length * (rng.uniform(0.3, 0.7) + 0.2j * rng.uniform(-1, 1))
        bars.append(Bar(mass, mass * length**2 * rng.uniform(0.05, 0.2), length, middle))
    phi, speed = rng.uniform(0.4, 2.7), float(rng.choice([-1, 1]) * rng.uniform(2.5, 5.0) / time)
    duration = float(rng.uniform(1.2, 2.5) * 2 * np.pi / abs(speed))
    axes, origin = (np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3) * size) if spatial else (None, None)
    if axes is not None and np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    frame = Frame(tilt, axes, origin)
    m = jd.Mechanism(f"{family}", space="spatial" if spatial else "planar", gravity=frame.vector(down))
    at = [(start.parts[0], angle.parts[0].real) for start, angle in poses(phi)]
    names = [f"bar{k}" for k in range(len(bars))]
    moving = poses(phi)
    for name, bar, (start, angle), jets in zip(names, bars, at, moving, strict=True):
        pose = frame.pose(start + bar.offset * np.exp(1j * angle), angle)
        rate = centre(*jets, bar).parts[1] * speed
        turning = jets[1].parts[1].real * speed
        still = {"velocity": frame.vector(rate), "spin": frame.spin(turning)}
        m.body(name, mass=bar.mass, inertia=frame.inertia(bar.inertia), **pose, **still)
    ends = [start + bar.length * np.exp(1j * angle) for bar, (start, angle) in zip(bars, at, strict=True)]
    pin = frame.pin(m)
    pin("A", "ground", "bar0", fixed[0])
    pin("B", "bar0", "bar1", ends[0])
    if family == "slider-crank":
        m.body("slider", mass=1.0, inertia=frame.inertia(0.1 * size**2), **frame.pose(ends[1], 0.0))
        pin("C", "bar1", "slider", ends[1])
        frame.slide(m, "guide", "slider", ends[1])
        bars.append(Bar(1.0, 0.1 * size**2, 0.0, 0.0))
        names.append("slider")
        alone = poses

        def poses(phi: float) -> list[tuple[Jet, Jet]]:
            start, angle = alone(phi)[1]
            return [*alone(phi), (start + turned(angle) * size, Jet(0.0))]

    else:
        pin("C", "bar1", "bar2", ends[1])
        pin("D", "ground", "bar2", fixed[1])
    if driven:
        m.motion("drive", joint="A", speed=speed)
    beside(m, frame, rng, size, others, stiff)
    masses = np.array([bar.mass for bar in bars])
    inertias = np.array([bar.inertia for bar in bars])

    def rate(_t: float, y: np.ndarray) -> list[float]:
        found = [centre(*jets, bar) for jets, bar in zip(poses(y[0]), bars, strict=True)]
        r1, r2 = (np.array([jet.parts[k] * tilt for jet in found]) for k in (1, 2))
        a1, a2 = (np.array([angle.parts[k].real for _, angle in poses(y[0])]) for k in (1, 2))
        inertia = np.sum(masses * np.abs(r1) ** 2 + inertias * a1**2)
        half = np.sum(masses * (np.conj(r1) * r2).real + inertias * a1 * a2)
        pulled = np.sum(masses * (np.conj(tilt * down) * r1).real)
        return [y[1], (pulled - half * y[1] ** 2) / inertia]

    def angles(times: np.ndarray, speed: float) -> np.ndarray:
        if driven:
            return phi + speed * times
        return np.asarray(solve_ivp(rate, (0, times[-1]), [phi, speed], t_eval=times, **TIGHT).y[0])

    def truth(times: np.ndarray) -> np.ndarray:
        found = [
            [centre(*jets, bar).parts[0] for jets, bar in zip(poses(x), bars, strict=True)]
            for x in angles(times, speed)
        ]
        return np.array([[frame.place(z) for z in row] for row in found])

    ends_at = np.array([0.0, duration])
    apart = abs(angles(ends_at, speed * (1 + 1e-6))[-1] - angles(ends_at, speed)[-1]) / 1e-6
    words = ", ".join(
        [family, "space" if spatial else "plane", *(["driven"] if driven else []), f"{others} others"]
        + (["stiff"] if stiff else [])
    )
    return Case(words, m, names, truth, duration, size, max(1.0, apart))


def centre(start: Jet, angle: Jet, bar: Bar) -> Jet:
    return start + turned(angle) * bar.offset


def handle(m: jd.Mechanism, name: str) -> Any:
    return m.ground if name == "ground" else m[name]


class Frame:
    """The plane of a linkage, turned by `tilt`, in the plane itself or in space."""

    def __init__(self, tilt: complex, axes: np.ndarray | None, origin: np.ndarray | None) -> None:
        self.tilt, self.axes, self.origin = tilt, axes, origin

    def vector(self, z: complex) -> tuple[float, ...]:
        z = z * self.tilt
        found = np.array([z.real, z.imag]) if self.axes is None else self.axes[:, :2] @ [z.real, z.imag]
        return tuple(map(float, found))

    def place(self, z: complex) -> tuple[float, ...]:
        found = np.array(self.vector(z))
        return tuple(map(float, found if self.origin is None else found + self.origin))

    def pose(self, z: complex, angle: float) -> dict[str, Any]:
        angle += float(np.angle(self.tilt))
        if self.axes is None:
            return {"position": self.place(z), "angle": angle}
        c, s = np.cos(angle), np.sin(angle)
        return {"position": self.place(z), "matrix": self.axes @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])}

    def spin(self, w: float) -> Any:
        return w if self.axes is None else tuple(self.axes[:, 2] * w)

    def inertia(self, about: float) -> Any:
        return about if self.axes is None else (0.6 * about, 0.7 * about, about)

    def pin(self, m: jd.Mechanism) -> Callable[[str, str, str, complex], None]:
        def pin(name: str, first: str, second: str, z: complex) -> None:
            more = {} if self.axes is None else {"axis": tuple(self.axes[:, 2])}
            m.revolute(name, bodies=(handle(m, first), handle(m, second)), at=self.place(z), **more)

        return pin

    def slide(self, m: jd.Mechanism, name: str, body: str, z: complex) -> None:
        m.prismatic(name, bodies=(m.ground, m[body]), at=self.place(z), axis=self.vector(1.0))


def beside(m: jd.Mechanism, frame: Frame, rng: np.random.Generator, size: float, others: int, stiff: bool) -> None:
    """Pendulums that hang from each other in short chains, and a mass on a stiff spring."""
    pin = frame.pin(m)
    above = "ground"
    for k in range(others):
        place = size * (10.0 + k + 0.3j * k)
        angle = rng.uniform(-0.5, 0.5)
        still = {"velocity": frame.vector(0.0), "spin": frame.spin(0.0)}
        if k % 3 == 0:
            above, place_of = "ground", place
        m.body(
            f"p{k}", mass=1.0, inertia=frame.inertia(0.1 * size**2), **frame.pose(place_of + 0.5 * size, angle), **still
        )
        pin(f"P{k}", above, f"p{k}", place_of)
        above, place_of = f"p{k}", place_of + size
    if stiff:
        rate = 10 ** rng.uniform(3.5, 4.5) * np.sqrt(9.81 / size)
        z = -10.0 * size
        m.body("buffer", mass=1.0, inertia=frame.inertia(0.1 * size**2), **frame.pose(z, 0.0))
        frame.slide(m, "rail", "buffer", z)
        centre = m["buffer"].point("at", frame.vector(0.0))
        wall = m.ground.point("wall", frame.place(z - size))
        m.spring_damper("stiff", wall, centre, stiffness=rate**2, damping=rate, length=size)
        m.force("pull", on=centre, vector=tuple(f"{x!r}*sin(3*t)" for x in frame.vector(1.0)))


def screw(theta: float, a: float, alpha: float) -> np.ndarray:
    """Denavit and Hartenberg's: about z by theta, along x by a, about x by alpha."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, 0], [0, 0, 0, 1.0]])


def bennett(a: float, alpha: float, b: float, beta: float, theta: float) -> list[np.ndarray]:
    """Frames of the joints A, B, C, D of Bennett's loop with links b, a, b, a; theta is the angle at B."""

    def frames(x: Sequence[float]) -> list[np.ndarray]:
        found = [np.eye(4), screw(0.0, b, beta)]
        for angle, length, twist in ((theta, a, alpha), (x[0], b, beta), (x[1], a, alpha)):
            found.append(found[-1] @ screw(angle, length, twist))
        return [*found[:-1], found[-1] @ screw(x[2], 0.0, 0.0)]

    def gap(x: np.ndarray) -> np.ndarray:
        return np.asarray((frames(x)[-1] - np.eye(4))[:3].ravel())

    other = 2 * np.arctan2(np.sin((beta + alpha) / 2), np.sin((beta - alpha) / 2) * np.tan(theta / 2))
    best = min(
        (least_squares(gap, [s * other, -theta, -s * other], xtol=1e-15, ftol=1e-15, gtol=1e-15) for s in (1, -1)),
        key=lambda r: r.cost,
    )
    assert best.cost < 1e-20, "the loop does not close"
    return frames(best.x)[:4]


def spatial_case(family: str, rng: np.random.Generator, others: int, stiff: bool) -> Case:
    size = float(10 ** rng.uniform(-1, 1))
    time = np.sqrt(size / 9.81)
    if family == "bricard":
        corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float) * size
        edges = np.roll(corners, -1, axis=0) - corners
        axes = np.array([np.cross(edges[k - 1], edges[k]) for k in range(6)])
        places = corners
    else:
        beta = rng.uniform(0.6, 1.3)
        k = size / np.sin(beta)
        first, second = rng.uniform(0.3, 0.55), rng.uniform(1.4, 1.9)
        loop = bennett(k * np.sin(first), first, size, beta, rng.uniform(0.8, 2.2))
        chosen = loop
        if family == "goldberg":
            more = bennett(k * np.sin(second), second, size, beta, -rng.uniform(0.8, 2.2))
            # Ground B-C, then C-D, the two links welded at A as D-F, F-E, E-B: joints C, D, F, E, B.
            chosen = [loop[2], loop[3], more[3], more[2], loop[1]]
        places, axes = np.array([t[:3, 3] for t in chosen]), np.array([t[:3, 2] for t in chosen])
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    places, axes = places @ turn.T, axes @ turn.T
    if np.linalg.det(turn) < 0:
        axes = -axes
    m = jd.Mechanism(family, gravity=tuple(9.81 * v for v in unit(rng)))
    names = []
    for n in range(len(places) - 1):
        mass = float(10 ** rng.uniform(-0.5, 0.5))
        length = float(np.linalg.norm(places[n + 1] - places[n]))
        inertia = tuple(mass * length**2 * rng.uniform(0.08, 0.12, size=3))
        pose = {"position": tuple((places[n] + places[n + 1]) / 2), "velocity": (0, 0, 0), "spin": (0, 0, 0)}
        names.append(f"bar{n}")
        m.body(names[-1], mass=mass, inertia=inertia, **pose)
    ends = ["ground", *names, "ground"]
    for n, (place, axis) in enumerate(zip(places, axes, strict=True)):
        m.revolute(f"J{n}", bodies=(handle(m, ends[n]), handle(m, ends[n + 1])), at=tuple(place), axis=tuple(axis))
    frame = Frame(1.0, np.eye(3), np.zeros(3))
    plain = m.frozen()
    beside(m, frame, rng, size, others, stiff)
    duration = float(rng.uniform(4.0, 10.0) * time)

    def truth(times: np.ndarray) -> np.ndarray:
        run = jd.simulate(plain, times=times, coordinates="quaternion", integrator="rk4", step=SHORT * time)
        found = run.motion.position
        return found if run.status.ok else found[: len(run.t)]

    words = f"{family}, space, {others} others" + (", stiff" if stiff else "")
    return Case(words, m, names, truth, duration, size)


def unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def random_case(seed: int) -> Case:
    """Every family in turn; one in four stiff, one in four driven, one in eight beside up to 300 others."""
    rng = np.random.default_rng(seed)
    family = FAMILIES[seed % len(FAMILIES)]
    many = rng.random() < 0.125
    others = int(rng.integers(20, 301) if many else rng.integers(0, 6))
    stiff, driven, spatial = rng.random() < 0.25, rng.random() < 0.25, rng.random() < 0.4
    if family in FAMILIES[4:]:
        return spatial_case(family, rng, others, stiff)
    return planar_case(family, rng, spatial, driven, min(others, 100) if spatial else others, stiff)


# How machines are judged: in two coordinate sets and three integrators.
SETS = (None, "relative")
METHODS = ("auto", "rk4", "radau")
# Of the size, times how nearby starts separate: branches are wrong by the size itself. rk4 errs by its step, 1/500 of
# the time scale; near a position what rounding leaves of a velocity grows, and is seen at 1e-6 in the worst of cases.
ACCEPTED = {"auto": 2e-6, "radau": 2e-6, "rk4": 1e-4}


def judged(seed: int, sets: Sequence[Any] = SETS, methods: Sequence[str] = METHODS) -> list[tuple[str, str]]:
    """Of a machine in every way: "right", "stopped" or "WRONG", with words; up to where it stops it has to be right."""
    case = random_case(seed)
    times = np.linspace(0.0, case.duration, 41)
    truth = case.truth(times)
    step = 2e-3 * np.sqrt(case.size / 9.81)
    found = []
    for coordinates in sets:
        for method in methods:
            how: dict[str, Any] = {"auto": {}, "rk4": {"integrator": "rk4", "step": step}}.get(
                method, {"integrator": method}
            )
            words = f"{seed} {case.words}: {coordinates or 'default'}, {method}"
            try:
                run = jd.simulate(case.mechanism, times=times, coordinates=coordinates, progress=False, **how)
            except jd.JourdainError as error:
                found.append(("stopped", f"{words}: {error}"))
                continue
            n = min(len(run.t), len(truth))
            names = [body.name for body in run.model.blueprint.bodies]
            places = run.motion.position[:n, [names.index(name) for name in case.bodies]]
            off = float(np.max(np.abs(places - truth[:n]), initial=0.0)) / case.size
            verdict = "right" if run.status.ok else "stopped"
            told = any("do not trust the motion" in note for note in run.status.notes)
            if off > ACCEPTED[method] * case.growth and not told:
                verdict = "WRONG"
            found.append((verdict, f"{words}: off by {off:.1e}; {run.status.sentence}"))
    return found
