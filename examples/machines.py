"""The machines of the tests and the gallery: one function each, returning a `jd.Mechanism`.

Geometry is computed (square roots, crossings of circles), never typed in as rounded decimals, so that every
loop closes to rounding error in the drawn pose. Velocities are written even where they are zero: what is left
out is free for the assembly to choose. SI units and radians throughout.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import jourdain as jd

GRAVITY = (0.0, -9.81)
AT_REST = {"velocity": (0.0, 0.0), "spin": 0.0}
AT_REST_IN_SPACE = {"velocity": (0.0, 0.0, 0.0), "spin": (0.0, 0.0, 0.0)}

EX, EY, EZ = np.eye(3)


# Building blocks ------------------------------------------------------------------------------------------


def box_inertia(mass: float, length: float, width: float) -> float:
    """Of a homogeneous box about its centre, axis perpendicular to `length` and `width`."""
    return mass * (length**2 + width**2) / 12


def bar(
    m: jd.Mechanism,
    name: str,
    ends: str,
    *,
    mass: float,
    length: float,
    start: Sequence[float],
    angle: float,
    width: float = 0.4,
    **motion: Any,
) -> Any:
    """Homogeneous bar from `start` in direction `angle`; `ends` is two letters, the first one at `start`.

    Its axes have their origin at mid-length, x along the bar. It is at rest unless `motion` says otherwise.
    """
    half = length / 2
    return m.body(
        name,
        mass=mass,
        inertia=box_inertia(mass, length, width),
        position=(start[0] + half * math.cos(angle), start[1] + half * math.sin(angle)),
        angle=angle,
        points={ends[0]: (-half, 0), ends[1]: (half, 0)},
        **(AT_REST | motion),
    )


def mass_on_bar(
    m: jd.Mechanism, name: str, ends: str, *, mass: float, length: float, start: Sequence[float], angle: float
) -> Any:
    """Point mass at the far end of a massless bar that begins at `start`; the body's origin is the mass."""
    return m.body(
        name,
        mass=mass,
        inertia=0,
        position=(start[0] + length * math.cos(angle), start[1] + length * math.sin(angle)),
        angle=angle,
        points={ends[0]: (-length, 0), ends[1]: (0, 0)},
        **AT_REST,
    )


def circle_crossing(p: Sequence[float], r: float, q: Sequence[float], s: float) -> tuple[float, float]:
    """Point at distance r from p and s from q, on the left of the way from p to q."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    d = math.hypot(dx, dy)
    along = (d * d + r * r - s * s) / (2 * d)
    aside = math.sqrt(r * r - along * along)
    return p[0] + (along * dx - aside * dy) / d, p[1] + (along * dy + aside * dx) / d


# Pappalardo & Guida, Applied and Computational Mechanics 12 (2018), tables 1 to 10 -----------------------


def four_bar(spring: str = "AC") -> jd.Mechanism:
    """Four-bar linkage, four equal links of 4 m, with a spring-damper.

    Pappalardo & Guida, tables 1, 5, 6, 10. Their text joins the spring to B and C, the two ends of the rigid
    coupler, where it never acts (`spring="BC"`: a pendulum); `spring="AC"` joins the ground point A to C.
    """
    m = jd.Mechanism("four-bar", gravity=GRAVITY)
    L, low = 4.0, 2 * math.sqrt(2)
    A, D = m.ground.point("A", (0, 0)), m.ground.point("D", (L, 0))
    crank = bar(m, "crank", "AB", mass=3, length=L, start=(0, 0), angle=-math.pi / 4)
    coupler = bar(m, "coupler", "BC", mass=3, length=L, start=(low, -low), angle=0)
    rocker = bar(m, "rocker", "CD", mass=3, length=L, start=(L + low, -low), angle=3 * math.pi / 4)
    m.revolute("A", A, crank["A"])
    m.revolute("B", crank["B"], coupler["B"])
    m.revolute("C", coupler["C"], rocker["C"])
    m.revolute("D", D, rocker["D"])
    # The spring ends on the rocker's C: on the coupler it would join a body to itself in the variant BC.
    near = {"AC": A, "BC": coupler["B"]}[spring]
    m.spring_damper("spring", near, rocker["C"], stiffness=200, damping=15, length=L)
    return m


def slider_crank() -> jd.Mechanism:
    """Slider-crank with a spring of free length zero from B to the slider's axis.

    Pappalardo & Guida, tables 2, 5, 7, 10. The point D of the spring is only drawn there; here it lies on the
    axis below the initial B.
    """
    m = jd.Mechanism("slider-crank", gravity=GRAVITY)
    high, rod_length = 2 * math.sqrt(2), 4 * (1 + math.sqrt(3))
    A, D = m.ground.point("A", (0, 0)), m.ground.point("D", (high, 0))
    crank = bar(m, "crank", "AB", mass=2, length=4, start=(0, 0), angle=math.pi / 4)
    rod = bar(m, "rod", "BC", mass=3, length=rod_length, start=(high, high), angle=-math.pi / 12)
    slider = m.body(
        "slider",
        mass=4,
        inertia=box_inertia(4, 2, 1),
        position=(high * (3 + math.sqrt(3)), 0),
        angle=0,
        points={"C": (0, 0)},
        **AT_REST,
    )
    m.revolute("A", A, crank["A"])
    m.revolute("B", crank["B"], rod["B"])
    m.revolute("C", rod["C"], slider["C"])
    m.prismatic("guide", A, slider["C"])
    m.spring_damper("spring", crank["B"], D, stiffness=300, damping=40, length=0)
    return m


def double_inverted_pendulum() -> jd.Mechanism:
    """Cart with two links, the upper one exactly upright at the start.

    Pappalardo & Guida, tables 3, 5, 8, 10. The point C of the spring is only drawn there; here it lies 1 m
    below the initial B, so that the spring starts unstretched.
    """
    m = jd.Mechanism("double inverted pendulum", gravity=GRAVITY)
    rail, C = m.ground.point("rail", (0, 0)), m.ground.point("C", (4, -1))
    cart = m.body(
        "cart",
        mass=5,
        inertia=box_inertia(5, 1, 1),
        position=(0, 0),
        angle=0,
        points={"A": (0, 0)},
        **AT_REST,
    )
    lower = bar(m, "lower", "AB", mass=3, length=4, start=(0, 0), angle=0)
    upper = bar(m, "upper", "BT", mass=1, length=6, start=(4, 0), angle=math.pi / 2)
    m.prismatic("guide", rail, cart["A"])
    m.revolute("A", cart["A"], lower["A"])
    m.revolute("B", lower["B"], upper["B"])
    m.spring_damper("spring", lower["B"], C, stiffness=400, damping=30, length=1)
    return m


def quick_return() -> jd.Mechanism:
    """Quick-return mechanism: a block slides along the rocker and turns with it.

    Pappalardo & Guida, tables 4, 5, 9, 10. The point F of the spring is only drawn there, and which end of
    the rocker is the pivot C is not said: here F is 2 m left of the initial D, and C is the lower end.
    """
    m = jd.Mechanism("quick return", gravity=GRAVITY)
    # The rocker's x axis points down: from D through B to C.
    down = -math.radians(105)
    ux, uy = math.cos(down), math.sin(down)
    Bx, By = 1.0, math.sqrt(3)
    Dx, Dy = Bx - 2 * ux, By - 2 * uy
    Ex, Ey = Dx - math.sqrt(2), Dy + math.sqrt(2)
    A, C = m.ground.point("A", (0, 0)), m.ground.point("C", (Bx + 4 * ux, By + 4 * uy))
    F, rail = m.ground.point("F", (Dx - 2, Dy)), m.ground.point("rail", (Ex, Ey))
    crank = bar(m, "crank", "AB", mass=5, length=2, start=(0, 0), angle=math.pi / 3)
    block = m.body(
        "block",
        mass=10,
        inertia=box_inertia(10, 0.8, 0.8),
        position=(Bx, By),
        angle=down,
        points={"B": (0, 0)},
        **AT_REST,
    )
    rocker = bar(m, "rocker", "DC", mass=6, length=6, start=(Dx, Dy), angle=down)
    link = bar(m, "link", "DE", mass=2, length=2, start=(Dx, Dy), angle=3 * math.pi / 4)
    ram = m.body(
        "ram",
        mass=1,
        inertia=box_inertia(1, 0.8, 0.8),
        position=(Ex, Ey),
        angle=0,
        points={"E": (0, 0)},
        **AT_REST,
    )
    m.revolute("A", A, crank["A"])
    m.revolute("B", crank["B"], block["B"])
    m.prismatic("slot", rocker["C"], block["B"])
    m.revolute("C", C, rocker["C"])
    m.revolute("D", rocker["D"], link["D"])
    m.revolute("E", link["E"], ram["E"])
    m.prismatic("guide", rail, ram["E"])
    m.spring_damper("spring", rocker["D"], F, stiffness=100, damping=5, length=0.1)
    return m


# Joli, Seguy & Feng, J. Comput. Nonlinear Dyn. (2008), section 5 ------------------------------------------


def double_pendulum() -> jd.Mechanism:
    """Two point masses of 1 kg on massless bars of 1 m, one level, one hanging (Joli, sec. 5.1)."""
    m = jd.Mechanism("double pendulum", gravity=GRAVITY)
    upper = mass_on_bar(m, "upper", "AB", mass=1, length=1, start=(0, 0), angle=0)
    lower = mass_on_bar(m, "lower", "BC", mass=1, length=1, start=(1, 0), angle=-math.pi / 2)
    m.revolute("A", m.ground.point("A", (0, 0)), upper["A"])
    m.revolute("B", upper["B"], lower["B"])
    return m


def slider_crank_singular() -> jd.Mechanism:
    """The double pendulum with the second mass on the line y = 0, both bars at 45 degrees (Joli, sec. 5.2).

    With equal bars the crank passes a kinematic bifurcation whenever it hangs: the slider could stay on the
    pivot. The true motion is smooth, slider at 2 cos(crank angle).
    """
    m = jd.Mechanism("singular slider-crank", gravity=GRAVITY)
    A, half = m.ground.point("A", (0, 0)), math.sqrt(0.5)
    crank = mass_on_bar(m, "crank", "AB", mass=1, length=1, start=(0, 0), angle=math.pi / 4)
    rod = mass_on_bar(m, "rod", "BC", mass=1, length=1, start=(half, half), angle=-math.pi / 4)
    m.revolute("A", A, crank["A"])
    m.revolute("B", crank["B"], rod["B"])
    m.point_on_line("guide", A, rod["C"])
    return m


def _lumped(
    m: jd.Mechanism, name: str, ends: str, masses: tuple[float, float], start: Sequence[float], angle: float
) -> Any:
    """A bar of 1 m whose masses sit at its two ends."""
    total = sum(masses)
    centre = masses[1] / total
    return m.body(
        name,
        mass=total,
        inertia=masses[0] * centre**2 + masses[1] * (1 - centre) ** 2,
        position=(start[0] + centre * math.cos(angle), start[1] + centre * math.sin(angle)),
        angle=angle,
        velocity=(0, 0),
        spin=0,
        points={ends[0]: (-centre, 0), ends[1]: (1 - centre, 0)},
    )


def joli_double_pendulum() -> jd.Mechanism:
    """The same motion as `double_pendulum`, lumped as Joli's subsystems: each bar bears half of a shared end.

    What the end on the ground weighs has no effect on the motion, but decides with which rho Uzawa's iteration
    converges: with 1 kg the paper's 1.5 and 0.4 do, with less they do not.
    """
    m = jd.Mechanism("double pendulum of Joli", gravity=GRAVITY)
    upper = _lumped(m, "upper", "AB", (1.0, 0.5), (0, 0), 0.0)
    lower = _lumped(m, "lower", "BC", (0.5, 1.0), (1, 0), -math.pi / 2)
    m.revolute("A", m.ground.point("A", (0, 0)), upper["A"])
    m.revolute("B", upper["B"], lower["B"])
    return m


def joli_slider_crank() -> jd.Mechanism:
    """The same motion as `slider_crank_singular`, lumped likewise."""
    m = jd.Mechanism("slider-crank of Joli", gravity=GRAVITY)
    A, half = m.ground.point("A", (0, 0)), math.sqrt(0.5)
    crank = _lumped(m, "crank", "AB", (1.0, 0.5), (0, 0), math.pi / 4)
    rod = _lumped(m, "rod", "BC", (0.5, 1.0), (half, half), -math.pi / 4)
    m.revolute("A", A, crank["A"])
    m.revolute("B", crank["B"], rod["B"])
    m.point_on_line("guide", A, rod["C"])
    return m


# In space -------------------------------------------------------------------------------------------------


def _bryan_motion(angles: Sequence[float], rates: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Attitude matrix and angular velocity, fixed axes, of Bryan angles (x, then new y, then new z)."""
    R, w = np.eye(3), np.zeros(3)
    for k, (angle, rate) in enumerate(zip(angles, rates, strict=True)):
        w = w + rate * R[:, k]
        i, j = (k + 1) % 3, (k + 2) % 3
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = math.cos(angle)
        turn[j, i], turn[i, j] = math.sin(angle), -math.sin(angle)
        R = R @ turn
    return R, w


def two_bars() -> jd.Mechanism:
    """Two bars with a spherical joint at C, thrown into the air (the example of Stanescu; own numbers)."""
    m = jd.Mechanism("two bars", gravity=(0, 0, -9.81))
    half1, half2 = 0.5, 0.4
    angles1, angles2 = (0.3, -0.4, 0.5), (-0.2, 0.35, -0.6)
    R1, w1 = _bryan_motion(angles1, (1.0, -0.7, 2.0))
    R2, w2 = _bryan_motion(angles2, (-1.5, 0.8, 0.6))
    v1 = np.array([0.5, -0.3, 4.0])
    arm1, arm2 = half1 * R1 @ EX, half2 * R2 @ EX
    bar1 = m.body(
        "bar1",
        mass=2,
        inertia=(0.01, 0.17, 0.175),
        position=(0, 0, 0),
        bryan=angles1,
        velocity=v1,
        spin=w1,
        points={"A": (-half1, 0, 0), "C": (half1, 0, 0)},
    )
    bar2 = m.body(
        "bar2",
        mass=1.5,
        inertia=(0.006, 0.082, 0.085),
        position=arm1 + arm2,
        bryan=angles2,
        velocity=v1 + np.cross(w1, arm1) + np.cross(w2, arm2),
        spin=w2,
        points={"C": (-half2, 0, 0), "B": (half2, 0, 0)},
    )
    m.spherical("C", bar1["C"], bar2["C"])
    return m


def torque_free_body() -> jd.Mechanism:
    """Free body with three different principal inertias, spinning about none of its axes (Euler's case)."""
    m = jd.Mechanism("torque-free body", space="spatial")
    m.body(
        "body",
        mass=1,
        inertia=(1, 2, 3),
        position=(0, 0, 0),
        quaternion=(1, 0, 0, 0),
        velocity=(0, 0, 0),
        spin_body=(0.8, 0.3, 1.5),
    )
    return m


def spatial_four_bar(R: Any = None) -> jd.Mechanism:
    """`four_bar("AC")` in space, on four ordinary revolutes, of whose 20 equations three are redundant.

    The whole machine, gravity included, is turned by the rotation matrix R: the motion is the planar one,
    turned. Bars are boxes of 4 x 0.4 x 0.4 m.
    """
    R = np.eye(3) if R is None else np.asarray(R, dtype=float)
    L, w, mass, low = 4.0, 0.4, 3.0, 2 * math.sqrt(2)
    m = jd.Mechanism("spatial four-bar", gravity=-9.81 * R @ EY)
    A, D = (m.ground.point(name, at, axis=R @ EZ) for name, at in (("A", np.zeros(3)), ("D", L * R @ EX)))

    def spatial_bar(name: str, ends: str, start: tuple[float, float], angle: float) -> Any:
        c, s = math.cos(angle), math.sin(angle)
        in_plane = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        across = box_inertia(mass, L, w)
        return m.body(
            name,
            mass=mass,
            inertia=(box_inertia(mass, w, w), across, across),
            position=R @ (start[0] + L / 2 * c, start[1] + L / 2 * s, 0.0),
            matrix=R @ in_plane,
            points={end: {"at": (x, 0, 0), "axis": EZ} for end, x in zip(ends, (-L / 2, L / 2), strict=True)},
            **AT_REST_IN_SPACE,
        )

    crank = spatial_bar("crank", "AB", (0, 0), -math.pi / 4)
    coupler = spatial_bar("coupler", "BC", (low, -low), 0)
    rocker = spatial_bar("rocker", "CD", (L + low, -low), 3 * math.pi / 4)
    m.revolute("A", A, crank["A"])
    m.revolute("B", crank["B"], coupler["B"])
    m.revolute("C", coupler["C"], rocker["C"])
    m.revolute("D", D, rocker["D"])
    m.spring_damper("spring", A, rocker["C"], stiffness=200, damping=15, length=L)
    return m


# Benchmarks of the plane -----------------------------------------------------------------------------------


def andrews() -> jd.Mechanism:
    """Andrews' squeezing mechanism: seven bodies, one degree of freedom, motor torque on K1, no gravity.

    Schiehlen (ed.), Multibody Systems Handbook (1990); Hairer & Wanner, Solving Ordinary Differential
    Equations II; IVP Test Set. Every body has its origin at its inner pin and axes such that its angle is the
    orientation used there: beta, beta + theta, gamma, phi + delta, delta, Omega + epsilon, epsilon.
    """
    m = jd.Mechanism("Andrews' squeezing mechanism")
    O, A, B, C = (0.0, 0.0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
    rr, d, ss, e, zt, zf, u = 0.007, 0.028, 0.035, 0.02, 0.04, 0.02, 0.04
    # It starts folded: K2 lies back along K1 (theta = 0), so that F is at d - rr from O, opposite to P.
    F = circle_crossing(O, d - rr, B, ss)
    P = (-F[0] * rr / (d - rr), -F[1] * rr / (d - rr))
    G = circle_crossing(A, zt, F, e)
    H = circle_crossing(F, zf, A, u)

    def along(p: tuple[float, float], q: tuple[float, float]) -> float:
        return math.atan2(q[1] - p[1], q[0] - p[0])

    def K(i: int, mass: float, inertia: float, pin: Any, angle: float, centre: Any, points: Any) -> Any:
        motion = {"position": pin, "angle": angle, **AT_REST}
        return m.body(f"K{i}", mass=mass, inertia=inertia, centre=centre, points=points, **motion)

    down = math.pi / 2  # Of K3, K4 and K7 the axis -y points to the next pin, of the others x or -x.
    K1 = K(1, 0.04325, 2.194e-6, O, along(O, P), (0.00092, 0), {"O": (0, 0), "P": (rr, 0)})
    K2 = K(2, 0.00365, 4.410e-7, P, along(F, P), (-0.0115, 0), {"P": (0, 0), "F": (-d, 0)})
    on_K3 = {"B": (0, 0), "F": (0, -ss), "D": (0.02, -0.018)}
    K3 = K(3, 0.02373, 5.255e-6, B, along(B, F) + down, (0.01043, -0.01874), on_K3)
    K4 = K(4, 0.00706, 5.667e-7, G, along(G, F) + down, (0, 0.01421 - e), {"G": (0, 0), "F": (0, -e)})
    K5 = K(5, 0.07050, 1.169e-5, A, along(A, G), (0.02308, 0.00916), {"A": (0, 0), "G": (zt, 0)})
    K6 = K(6, 0.00706, 5.667e-7, H, along(H, F), (zf - 0.01421, 0), {"H": (0, 0), "F": (zf, 0)})
    K7 = K(7, 0.05498, 1.912e-5, A, along(A, H) + down, (-0.00449, -0.01228), {"A": (0, 0), "H": (0, -u)})
    ground = {name: m.ground.point(name, at) for name, at in {"O": O, "A": A, "B": B, "C": C}.items()}
    m.revolute("O", ground["O"], K1["O"])
    m.revolute("P", K1["P"], K2["P"])
    m.revolute("B", ground["B"], K3["B"])
    m.revolute("A5", ground["A"], K5["A"])
    m.revolute("A7", ground["A"], K7["A"])
    m.revolute("G", K5["G"], K4["G"])
    m.revolute("H", K7["H"], K6["H"])
    # F is shared by four bodies: three joints, each from K2.
    m.revolute("F3", K2["F"], K3["F"])
    m.revolute("F4", K2["F"], K4["F"])
    m.revolute("F6", K2["F"], K6["F"])
    m.torque("motor", on=K1, torque=0.033)
    m.spring_damper("spring", K3["D"], ground["C"], stiffness=4530, length=0.07785)
    return m


def n_four_bar(n: int) -> jd.Mechanism:
    """Row of n four-bars: `link0` to `linkN` upright, `top1` to `topN` between their upper ends.

    IFToMM benchmark A02. All bars are slender, 1 m, 1 kg; B0 starts with 1 m/s to the right. Whenever the
    links lie level the degrees of freedom jump from 1 to n + 1.
    """
    m = jd.Mechanism(f"{n} four-bars", gravity=GRAVITY)
    slender = {"mass": 1, "length": 1, "width": 0}
    links = []
    for k in range(n + 1):
        swing = {"velocity": (0.5, 0), "spin": -1}
        link = bar(m, f"link{k}", "AB", start=(k, 0), angle=math.pi / 2, **slender, **swing)
        m.revolute(f"A{k}", m.ground.point(f"A{k}", (k, 0)), link["A"])
        links.append(link)
    for k in range(1, n + 1):
        top = bar(m, f"top{k}", "LR", start=(k - 1, 1), angle=0, velocity=(1, 0), **slender)
        m.revolute(f"L{k}", links[k - 1]["B"], top["L"])
        m.revolute(f"R{k}", top["R"], links[k]["B"])
    return m


def pendulum_point(amplitude: float = -math.pi / 2) -> jd.Mechanism:
    """Point mass of 1 kg on a massless bar of 1 m, released at `amplitude` from hanging.

    As it stands, released from (-1, 0): IFToMM benchmark A01.
    """
    m = jd.Mechanism("pendulum", gravity=GRAVITY)
    bob = mass_on_bar(m, "bob", "AB", mass=1, length=1, start=(0, 0), angle=amplitude - math.pi / 2)
    m.revolute("A", m.ground.point("A", (0, 0)), bob["A"])
    return m


def pendulum_bar(amplitude: float = math.pi / 2) -> jd.Mechanism:
    """Uniform slender bar, 1 kg, 1 m, hung by one end and released at `amplitude` from hanging."""
    m = jd.Mechanism("bar pendulum", gravity=GRAVITY)
    rod = bar(m, "rod", "AB", mass=1, length=1, width=0, start=(0, 0), angle=amplitude - math.pi / 2)
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    return m


def governor(ball: float = 5.0) -> jd.Mechanism:
    """Flyball governor: a shaft turning at 11 rad/s, two rods hinged to it 0.1 m apart, a slider on it.

    Rods of 1 m and 0.3 kg with a ball of `ball` kg at the end are tied in their middles to the slider by springs of
    8e5 N/m with dampers of 4e4 N s/m: stiff, and the more so the lighter the ball.
    """
    m = jd.Mechanism("governor", gravity=(0, 0, -9.81))
    speed, tilt, rod, length, radius = 11.0, math.radians(30), 0.3, 1.0, 0.05
    ends = {"A": {"at": (0.05, 0, 0), "axis": (0, 1, 0)}, "B": {"at": (-0.05, 0, 0), "axis": (0, 1, 0)}}
    along = {"at": (0, 0, 0), "x": (1, 0, 0), "z": (0, 0, 1)}
    still: dict[str, Any] = {"velocity": (0, 0, 0), "spin": (0, 0, speed)}
    shaft = m.body(
        "shaft", mass=0.3, inertia=(0.02, 0.02, 0.01), position=(0, 0, 0), points={"O": along, **ends}, **still
    )
    m.revolute("turn", m.ground.point("O", (0, 0, 0), axis=(0, 0, 1)), shaft["O"])
    height = -0.5 * math.cos(tilt)
    slider = m.body("slider", mass=3, inertia=(0.005,) * 3, position=(0, 0, height), points={"C": along}, **still)
    m.prismatic("slide", shaft["O"], slider["C"])
    mass = rod + ball
    centre = (0.5 * rod + ball) * length / mass
    across = rod * length**2 / 12 + rod * (0.5 * length - centre) ** 2 + ball * (length - centre) ** 2
    ball_inertia = 0.4 * ball * radius**2
    for name, side in (("right", 1), ("left", -1)):
        place = np.array([side * (0.05 + centre * math.sin(tilt)), 0, -centre * math.cos(tilt)])
        body = m.body(
            name,
            mass=mass,
            inertia=(across + ball_inertia, across + ball_inertia, 5e-6 + ball_inertia),
            position=place,
            quaternion=(math.cos(tilt / 2), 0, -side * math.sin(tilt / 2), 0),
            velocity=np.cross([0, 0, speed], place),
            spin=(0, 0, speed),
            points={"H": {"at": (0, 0, centre), "axis": (0, 1, 0)}, "S": (0, 0, centre - 0.5 * length)},
        )
        m.revolute(f"hinge_{name}", shaft["A" if side > 0 else "B"], body["H"])
        m.spring_damper(f"spring_{name}", body["S"], slider["C"], stiffness=8e5, damping=4e4, length=0.5)
    return m


def bricard() -> jd.Mechanism:
    """Bricard's loop (IFToMM benchmark A03): six unit bars along edges of a cube, one of them the ground.

    At each corner the axis is perpendicular to both bars. 30 equations have rank 29, on the manifold only.
    """
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    edges = np.roll(corners, -1, axis=0) - corners
    m = jd.Mechanism("Bricard", gravity=(0, 0, -9.81))
    bars = []
    for k, (start, x) in enumerate(zip(corners[:-1], edges[:-1], strict=True)):
        z = np.abs(np.roll(x, 1))
        pose = {"position": tuple(start + x / 2), "matrix": np.stack([x, np.cross(z, x), z], axis=1)}
        bars.append(m.body(f"bar{k + 1}", mass=10, inertia=(0, 10 / 12, 10 / 12), **pose, **AT_REST_IN_SPACE))
    ends = [m.ground, *bars, m.ground]
    for k in range(6):
        axis = np.cross(edges[k - 1], edges[k])
        m.revolute(f"J{k + 1}", bodies=(ends[k], ends[k + 1]), at=tuple(corners[k]), axis=tuple(axis))
    return m
