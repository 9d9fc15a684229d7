"""Every joint of the catalogue: its freedoms, its motion in closed form, and the same joint written by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import catalogue_cases
import jourdain as jd
from catalogue_cases import CASES, Case
from jourdain import equations
from jourdain.library.joints import KINDS
from jourdain.mechanism.rotations import matrix_from_euler

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-11}
# dop853 at 1e-11 over a second of a calm motion: local errors add up to some hundred tolerances.
BAR = 1e-9
CLOSED = 1e-10
every_joint = pytest.mark.parametrize("case", CASES, ids=str)
STILL: dict[str, Any] = {"velocity": (0, 0, 0), "spin": (0, 0, 0)}

# A slope of 30 degrees: u points down along it, n out of it, v across.
SLOPE = math.radians(30)
u = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
n = np.array([math.sin(SLOPE), 0.0, math.cos(SLOPE)])
v = np.array([0.0, 1.0, 0.0])
DOWNHILL = G * math.sin(SLOPE)


def block(m: jd.Mechanism, axis: Any, at: Any = (0, 0, 0), **motion: Any) -> Any:
    """A body of 2 kg whose port C, at its mass centre, has this axis; a ball, so that any axis is a principal one."""
    port = {"at": (0, 0, 0), "axis": axis}
    return m.body("block", mass=2, inertia=(0.3, 0.3, 0.3), position=at, points={"C": port}, **(STILL | motion))


def weighted() -> jd.Mechanism:
    return jd.Mechanism("slope", gravity=(0, 0, -G))


def path(run: jd.Solution, place: str, kind: str = "") -> np.ndarray:
    return np.stack([run[f"{place}.{kind}{c}"] for c in "xyz"], axis=1)


def assert_close(found: Any, expected: Any, bar: float = BAR) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=bar)


# All of them ----------------------------------------------------------------------------------------------------


def test_the_whole_catalogue_is_here() -> None:
    """But for those told elsewhere: custom ones, and those that are no sums of scalar products."""
    for dim in (2, 3):
        here = {kind.name for kind in KINDS if kind.rows(dim) is not None and not kind.does}
        assert {case.kind for case in CASES if case.dim == dim} == here - {"custom"}


@every_joint
def test_freedoms_of_a_body_on_the_ground(case: Case) -> None:
    found = jd.check(catalogue_cases.build(case, on_ground=True))
    assert found.freedoms == case.freedoms
    assert found.rank == found.equations == (3 if case.dim == 2 else 6) - case.freedoms
    assert not found.dropped
    assert not found.singular


@every_joint
@pytest.mark.parametrize("on_ground", [True, False], ids=["on the ground", "between two bodies"])
@pytest.mark.parametrize("how", [{}, {"step": 5e-3}], ids=["dop853", "rk4"])
def test_stays_closed_and_keeps_its_energy(case: Case, on_ground: bool, how: dict[str, float]) -> None:
    run = jd.simulate(catalogue_cases.build(case, on_ground), 0.5, every=0.05, **how)
    assert run.status.ok, str(run.status)
    assert run.violation.position.max() <= CLOSED
    assert run.violation.velocity.max() <= 10 * CLOSED
    e = run.energy
    # rk4 errs by (w h)^4 a second, with w = 5 rad/s: 4e-7, and some.
    bar = (1e-5 if how else 1e-8) * (e.kinetic.max() + np.abs(e.potential).max())
    assert np.ptp(e.total) <= bar


def moving(case: Case, joint: dict[str, Any] | None = None) -> jd.Solution:
    run = jd.simulate(catalogue_cases.build(case, on_ground=False, joint=joint), 0.2, every=0.05)
    assert run.status.ok, str(run.status)
    return run


@every_joint
@pytest.mark.parametrize("form", ["text", "expression"])
def test_the_same_joint_written_by_hand(case: Case, form: str) -> None:
    written: list[Any] = list(case.equations)
    if form == "expression":
        written = [eval(text, {name: getattr(equations, name) for name in equations.__all__}) for text in written]
    own = moving(case, {"type": "custom", "equations": written, "length": None, "values": None})
    ready = moving(case)
    nq = ready.model.nq + ready.model.nv
    assert_close(own.samples[:, :nq], ready.samples[:, :nq], 1e-12)
    for c in [c for c in ready.channels if c.startswith(("joint.f", "joint.m"))]:
        assert_close(own[c], ready[c], 1e-12 * max(1.0, np.abs(ready[c]).max()))


@every_joint
def test_scaled_and_mixed_equations_mean_the_same(case: Case) -> None:
    """Sums and multiples of the equations are the same joint; only their multipliers differ."""
    total = " + ".join(f"({text})" for text in case.equations)
    mixed = [total, *(f"-3 * ({text})" for text in case.equations[1:])]
    own = moving(case, {"type": "custom", "equations": mixed, "length": None, "values": None})
    ready = moving(case)
    nq = ready.model.nq + ready.model.nv
    # Other rounding, other steps: the tolerance of the integrator, 1e-9, over a few steps.
    assert_close(own.samples[:, :nq], ready.samples[:, :nq], 1e-7)


def test_equation_that_always_holds_loads_nothing() -> None:
    m = jd.Mechanism("idle")
    m.body("body", mass=1, inertia=1, position=(0, 0), points={"C": (0, 0)})
    equations = ["dot(x_j, x_j) - 1", "dot(N - M, e_x)"]
    m.custom("mine", m.ground.point("O", (0, 0)), m["body"]["C"], equations=equations)
    found = jd.check(m)
    assert (found.rank, found.freedoms) == (1, 2)
    assert all(found.unique["mine"].values())


# In the plane ---------------------------------------------------------------------------------------------------


def test_prismatic_in_the_plane_slides_downhill() -> None:
    m = jd.Mechanism("slide", gravity=(0, -G))
    rail = m.ground.point("O", (0, 0), angle=-SLOPE)
    body = m.body(
        "block", mass=2, inertia=0.3, position=(0, 0), angle=0.4, velocity=(0, 0), spin=0,
        points={"C": {"at": (0, 0), "angle": -SLOPE - 0.4}},
    )  # fmt: skip
    m.prismatic("rail", rail, body["C"])
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(run["rail.displacement"], DOWNHILL * run.t**2 / 2)
    assert_close(run["rail.speed"], DOWNHILL * run.t)
    assert_close(run["block.angle"], 0.4)
    normal = 2 * G * math.cos(SLOPE)
    assert_close(run["rail.fx"], normal * math.sin(SLOPE), 1e-9 * normal)
    assert_close(run["rail.fy"], normal * math.cos(SLOPE), 1e-9 * normal)
    assert_close(run["rail.mz"], 0, 1e-9 * normal)


def test_bead_in_the_plane_slides_and_spins() -> None:
    m = jd.Mechanism("bead", gravity=(0, -G))
    m.body("bead", mass=2, inertia=0.3, position=(0, 0), angle=0, velocity=(0, 0), spin=3, points={"C": (0, 0)})
    m.point_on_line("wire", m.ground.point("O", (0, 0), angle=-SLOPE), m["bead"]["C"])
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(run["wire.displacement"], DOWNHILL * run.t**2 / 2)
    assert_close(run["bead.angle"], 3 * run.t)
    assert_close(run["wire.mz"], 0)


@pytest.mark.parametrize(("kind", "angle"), [("parallel", 0.2), ("perpendicular", 0.2 + math.pi / 2)])
def test_attitude_is_held_while_falling(kind: str, angle: float) -> None:
    m = jd.Mechanism("falling", gravity=(0, -G))
    body = m.body("body", mass=2, inertia=0.3, position=(1, 0), angle=angle, velocity=(2, 0), spin=0)
    body.point("P", (0.3, 0.1))
    m.joint(kind, "held", m.ground.point("O", (0, 0), angle=0.2), body["P"])
    m.torque("motor", on=body, torque=0.7)
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(run["body.angle"], angle)
    assert_close(run["body.x"], 1 + 2 * run.t)
    assert_close(run["body.y"], -G * run.t**2 / 2)
    assert_close(run["held.mz"], -0.7)
    assert_close(np.hypot(run["held.fx"], run["held.fy"]), 0)


# Sliding in space -----------------------------------------------------------------------------------------------


def test_prismatic_slides_downhill() -> None:
    m = weighted()
    m.prismatic("rail", m.ground.point("O", (0, 0, 0), axis=u), block(m, u)["C"])
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(run["rail.displacement"], DOWNHILL * run.t**2 / 2)
    assert_close(run["rail.speed"], DOWNHILL * run.t)
    assert_close(run["rail.angle"], 0)
    assert_close(path(run, "rail", "f"), np.tile(2 * G * math.cos(SLOPE) * n, (len(run.t), 1)), 1e-8)


def test_cylindrical_slides_and_spins() -> None:
    m = weighted()
    m.cylindrical("rod", m.ground.point("O", (0, 0, 0), axis=u), block(m, u, spin=4 * u)["C"])
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(run["rod.displacement"], DOWNHILL * run.t**2 / 2)
    assert_close(run["rod.angle"], 4 * run.t)
    assert_close(run["rod.speed"], 4)


def test_planar_joint_on_a_slope() -> None:
    m = weighted()
    m.planar("table", m.ground.point("O", (0, 0, 0), axis=n), block(m, n, velocity=2 * v, spin=3 * n)["C"])
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(path(run, "block"), np.outer(DOWNHILL * run.t**2 / 2, u) + np.outer(2 * run.t, v))
    assert_close(run["table.angle"], 3 * run.t)
    assert_close(path(run, "table", "f") @ n, 2 * G * math.cos(SLOPE), 1e-8)


def test_bead_on_a_line() -> None:
    m = weighted()
    body = block(m, (0, 0, 1), spin=(1, 2, 3), bryan=(0.3, 0.2, 0.1))
    m.point_on_line("wire", m.ground.point("O", (0, 0, 0), axis=u), body["C"])
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(path(run, "block"), np.outer(DOWNHILL * run.t**2 / 2, u))
    assert_close(path(run, "block", "w"), np.tile([1.0, 2.0, 3.0], (len(run.t), 1)))
    assert_close(path(run, "wire", "f"), np.tile(2 * G * math.cos(SLOPE) * n, (len(run.t), 1)), 1e-8)


def test_point_in_a_plane() -> None:
    m = weighted()
    body = block(m, (0, 0, 1), velocity=1.5 * v - u, spin=(1, 2, 3))
    m.point_in_plane("table", m.ground.point("O", (0, 0, 0), axis=n), body["C"])
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(path(run, "block"), np.outer(DOWNHILL * run.t**2 / 2 - run.t, u) + np.outer(1.5 * run.t, v))
    assert_close(path(run, "block", "w"), np.tile([1.0, 2.0, 3.0], (len(run.t), 1)))


def test_parallel_axes_only_turn_about_themselves() -> None:
    m = weighted()
    m.parallel("gimbal", m.ground.point("O", (5, 5, 5), axis=n), block(m, n, velocity=2 * v, spin=3 * n)["C"])
    m.torque("motor", on=m["block"], torque=0.6 * u)
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(path(run, "block"), np.outer(2 * run.t, v) - np.outer(G * run.t**2 / 2, [0, 0, 1]))
    assert_close(path(run, "block", "w"), np.tile(3 * n, (len(run.t), 1)))
    assert_close(path(run, "gimbal", "m"), np.tile(-0.6 * u, (len(run.t), 1)))
    assert_close(path(run, "gimbal", "f"), 0)


def test_perpendicular_axes_resist_the_third() -> None:
    # z_i = n, z_j = u of the ball: a torque about n x u = v is held, until then free axes turn freely.
    m = weighted()
    m.perpendicular("gimbal", m.ground.point("O", (0, 0, 0), axis=n), block(m, u)["C"])
    m.torque("motor", on=m["block"], torque=0.6 * v + 0.9 * n)
    run = jd.simulate(m, 1.0, **TIGHT)
    # About n the ball turns faster and faster, and its axis u stays in the plane across n.
    assert_close(path(run, "block", "w") @ n, 0.9 / 0.3 * run.t)
    assert_close(path(run, "gimbal", "m")[0], -0.6 * v)
    assert run.violation.position.max() <= CLOSED


# Turning in space -----------------------------------------------------------------------------------------------


def test_weld_bears_the_weight_and_its_moment() -> None:
    m = weighted()
    centre = np.array([0.4, -0.3, 0.7])
    body = m.body(
        "arm", mass=2, inertia=(0.3, 0.2, 0.4), centre=centre, position=(1, 1, 1), **STILL, points={"P": (0, 0, 0)}
    )
    m.weld("wall", m.ground.point("O", (1, 1, 1)), body["P"])
    run = jd.simulate(m, 1.0)
    weight = np.array([0, 0, -2 * G])
    assert_close(path(run, "arm"), 1, CLOSED)
    assert_close(path(run, "wall", "f"), np.tile(-weight, (len(run.t), 1)), 1e-9)
    assert_close(path(run, "wall", "m"), np.tile(-np.cross(centre, weight), (len(run.t), 1)), 1e-9)
    assert jd.check(m).freedoms == 0


def test_distance_is_a_spherical_pendulum() -> None:
    m = weighted()
    at = np.array([0.6, 0.0, -0.8])
    m.distance("rod", m.ground.point("O", (0, 0, 0)), block(m, (0, 0, 1), at, velocity=(0.5, 1.2, 0))["C"], length=1)
    run = jd.simulate(m, 3.0, **TIGHT)
    r, w = path(run, "block"), path(run, "block", "v")
    assert_close(np.linalg.norm(r, axis=1), 1, CLOSED)
    energy = 0.5 * np.sum(w * w, axis=1) + G * r[:, 2]
    assert_close(energy, energy[0], 1e-8)
    spin = r[:, 0] * w[:, 1] - r[:, 1] * w[:, 0]
    assert_close(spin, spin[0], 1e-8)
    # A rod with ball ends: the force is along it, m (w.w + g.r) / L inwards.
    pull = 2 * (np.sum(w * w, axis=1) - G * r[:, 2])
    assert_close(path(run, "rod", "f"), -pull[:, None] * r, 1e-7)


def test_conical_pendulum_goes_round_in_a_circle() -> None:
    m = weighted()
    rate = math.sqrt(G / 0.8)
    start = {"at": (0.6, 0, -0.8), "velocity": (0, 0.6 * rate, 0)}
    m.distance("rod", m.ground.point("O", (0, 0, 0)), block(m, (0, 0, 1), **start)["C"], length=1)
    run = jd.simulate(m, 2.0, **TIGHT)
    circle = np.stack([0.6 * np.cos(rate * run.t), 0.6 * np.sin(rate * run.t), -0.8 + 0 * run.t], axis=1)
    assert_close(path(run, "block"), circle, 1e-8)
    assert_close(np.linalg.norm(path(run, "rod", "f"), axis=1), 2 * G / 0.8, 1e-7)


def cardan(bend: float) -> jd.Mechanism:
    """Two shafts that meet at the origin, the second bent by `bend` about x; the pins are x and y of the bent frame.

    Over-constrained: both shafts are held by a revolute, and their meeting point by the universal joint again.
    """
    m = jd.Mechanism("cardan", space="spatial")
    d = np.array([0.0, math.sin(bend), math.cos(bend)])
    f = np.cross(d, (1, 0, 0))
    shaft = {"mass": 1, "inertia": (0.2, 0.2, 0.1), "position": (0, 0, 0)}
    points = {"U": {"at": (0, 0, 0), "axis": (1, 0, 0)}, "B": {"at": (0, 0, -1), "axis": (0, 0, 1)}}
    first = m.body("first", **shaft, points=points, velocity=(0, 0, 0), spin=(0, 0, 5))
    matrix = np.stack([(1, 0, 0), f, d], axis=1)
    points = {"U": {"at": (0, 0, 0), "axis": (0, 1, 0)}, "B": {"at": (0, 0, 1), "axis": (0, 0, 1)}}
    second = m.body("second", **shaft, matrix=matrix, points=points)
    m.revolute("drive", m.ground.point("drive", (0, 0, -1), axis=(0, 0, 1)), first["B"])
    m.revolute("driven", m.ground.point("driven", d, axis=d), second["B"])
    m.universal("cross", first["U"], second["U"])
    return m


@pytest.mark.parametrize("degrees", [0, 20, 45])
def test_cardan_shafts_turn_unevenly(degrees: float) -> None:
    bend = math.radians(degrees)
    run = jd.simulate(cardan(bend), 3.0, **TIGHT)
    assert run.redundancy.freedoms == 1
    theta, speed = run["drive.angle"], run["drive.speed"]
    assert np.ptp(theta) > 2 * math.pi
    # The pin of the first shaft is x, across the plane of the shafts, at theta = 0: tan(driven) = cos(bend) tan(theta).
    ratio = math.cos(bend) / (1 - math.sin(bend) ** 2 * np.sin(theta) ** 2)
    assert_close(run["driven.speed"] / speed, ratio, 1e-8)
    assert_close(np.tan(run["driven.angle"]) * np.cos(theta), math.cos(bend) * np.sin(theta), 1e-7)
    if degrees:
        assert np.ptp(speed) > 0.01  # energy is shared: the first shaft cannot turn evenly either


# Equations that know the time -----------------------------------------------------------------------------------


def shaken(dim: int) -> jd.Solution:
    m = jd.Mechanism("shaken", gravity=(0, -G, 0)[:dim])
    zero = (0, 0, 0)[:dim]
    m.body("body", mass=2, inertia=0.3 if dim == 2 else (0.3, 0.3, 0.3), position=zero, velocity=(0.3, 0, 0)[:dim],
           spin=0 if dim == 2 else zero, points={"C": zero})  # fmt: skip
    m.custom("shaker", m.ground.point("O", zero), m["body"]["C"], equations=["dot(N - M, e_x) - 0.1*sin(3*t)"])
    return jd.simulate(m, 2.0, **TIGHT)


@pytest.mark.parametrize("dim", [2, 3], ids=["plane", "space"])
def test_shaken_body_follows(dim: int) -> None:
    run = shaken(dim)
    assert not run.status.notes
    x, speed = 0.1 * np.sin(3 * run.t), 0.3 * np.cos(3 * run.t)
    assert_close(run["body.x"], x, CLOSED)
    assert_close(run["body.vx"], speed, 10 * CLOSED)
    assert_close(run["body.ax"], -9 * x)
    assert_close(run["body.y"], -G * run.t**2 / 2)
    assert_close(run["shaker.fx"], 2 * -9 * x)
    # The shaker's work is what it gives to the motion along x.
    assert_close(run["energy.driven"], speed**2 - 0.09)
    assert_close(run["energy.total"], run["energy.total"][0], 1e-8)


def test_bead_in_a_turning_tube() -> None:
    """Coefficients that depend on time: the tube's normal is (-sin wt, cos wt), so r = r0 cosh(wt)."""
    rate, r0 = 1.5, 0.2
    m = jd.Mechanism("tube")
    m.body("bead", mass=2, inertia=0.3, position=(r0, 0), velocity=(0, r0 * rate), spin=0, points={"C": (0, 0)})
    tube = "cos(1.5*t)*dot(N - M, e_y) - sin(1.5*t)*dot(N - M, e_x)"
    m.custom("tube", m.ground.point("O", (0, 0)), m["bead"]["C"], equations=[tube])
    run = jd.simulate(m, 2.0, **TIGHT)
    r = r0 * np.cosh(rate * run.t)
    assert_close(run["bead.x"], r * np.cos(rate * run.t), 10 * BAR)
    assert_close(run["bead.y"], r * np.sin(rate * run.t), 10 * BAR)
    # Coriolis: the tube pushes with 2 m w r', and its work is the gain of kinetic energy.
    push = 2 * 2 * rate * r0 * rate * np.sinh(rate * run.t)
    assert_close(np.hypot(run["tube.fx"], run["tube.fy"]), push, 100 * BAR)
    assert_close(run["energy.driven"], run["energy.kinetic"] - run["energy.kinetic"][0], 100 * BAR)


def test_point_on_a_line_of_growing_slope() -> None:
    """A coefficient whose second derivative is not its own multiple: y = t^2 x with x held at 3."""
    m = jd.Mechanism("slope")
    m.body("body", mass=2, inertia=0.3, position=(3, 0), velocity=(0, 0), spin=0, points={"C": (0, 0)})
    equations = ["dot(N - M, e_y) - t**2 * dot(N - M, e_x)", "dot(N - M, e_x) - 3"]
    m.custom("line", m.ground.point("O", (0, 0)), m["body"]["C"], equations=equations)
    run = jd.simulate(m, 1.0, **TIGHT)
    assert_close(run["body.y"], 3 * run.t**2, CLOSED)
    assert_close(run["body.ay"], 6)
    assert_close(run["line.fy"], 12)
    assert_close(run["energy.driven"], (6 * run.t) ** 2, 100 * BAR)


def test_drawn_at_the_time_of_the_start() -> None:
    m = jd.Mechanism("late")
    m.body("body", mass=1, inertia=1, position=(1, 0), points={"C": (0, 0)})
    m.custom("shift", m.ground.point("O", (0, 0)), m["body"]["C"], equations=["dot(N - M, e_x) - t"])
    run = jd.simulate(m, times=[3.0, 4.0])
    assert_close(run["body.x"], [3, 4], CLOSED)
    assert_close(run["body.vx"], [1, 1], CLOSED)


# Ways of writing ports ------------------------------------------------------------------------------------------

AXIS = np.array([2.0, -1.0, 2.0]) / 3
WITH_AXIS = ("revolute", "cylindrical", "prismatic", "planar", "weld", "point-on-line", "point-in-plane", "parallel")


def hung(kind: str, dim: int, form: str) -> jd.Mechanism:
    """A tilted body joined to the ground at one place, by ports written out or by the place alone."""
    m = jd.Mechanism("hung", gravity=(0, 1, -G)[3 - dim :])
    position, place = np.array([0.3, 0.4, -0.2])[:dim], np.array([0.1, -0.2, 0.3])[:dim]
    axis = AXIS if dim == 3 else np.array([0.8, 0.6])
    R = matrix_from_euler("xyz", (0.4, -0.3, 0.7)) if dim == 3 else catalogue_cases.matrix_from_angle(0.7)
    body: dict[str, Any] = {"mass": 2, "inertia": (0.3, 0.2, 0.4), "matrix": R, "spin": (1, 2, 3)}
    if dim == 2:
        body = {"mass": 2, "inertia": 0.3, "angle": 0.7, "spin": 1}
    m.body("body", **body, position=position, velocity=(1, 0, 0)[:dim])
    if form == "place":
        m.joint(kind, "joint", bodies=(m.ground, m["body"]), at=place, axis=axis)
        return m
    if dim == 3:
        first = m.ground.point("P", place, axis=axis)
        second = m["body"].point("P", R.T @ (place - position), axis=R.T @ axis)
    else:
        first = m.ground.point("P", place, angle=math.atan2(0.6, 0.8))
        second = m["body"].point("P", R.T @ (place - position), angle=math.atan2(0.6, 0.8) - 0.7)
    m.joint(kind, "joint", first, second)
    return m


@pytest.mark.parametrize(
    ("kind", "dim"),
    [*((kind, 3) for kind in WITH_AXIS), *((kind, 2) for kind in ("revolute", "prismatic", "weld", "point-on-line"))],
)
def test_place_and_axis_stand_for_two_ports(kind: str, dim: int) -> None:
    by_place, by_ports = (jd.simulate(hung(kind, dim, form), 0.3, every=0.1) for form in ("place", "ports"))
    # The drawn pose is closed already, and held: no note says that a body was moved.
    assert not any("moved" in note for note in by_place.status.notes)
    nq = by_ports.model.nq + by_ports.model.nv
    assert_close(by_place.samples[:, :nq], by_ports.samples[:, :nq], 1e-9)
    assert_close(by_place["joint.angle"][0], 0, 1e-12)


@pytest.mark.parametrize("kind", ["prismatic", "weld"])
def test_ports_with_only_an_axis_hold_the_drawn_attitude(kind: str) -> None:
    run = jd.simulate(hung(kind, 3, "ports"), 0.5, every=0.1)
    for c in "wxyz":
        assert_close(run[f"body.q{c}"], run[f"body.q{c}"][0], CLOSED)
    assert_close(run["joint.angle"], 0, CLOSED)


@pytest.mark.parametrize("given", ["first", "second"])
def test_one_port_with_all_axes_and_one_with_only_an_axis(given: str) -> None:
    """The port with only an axis takes its x from the other, as drawn: the angle counts from the drawing."""
    m = jd.Mechanism("mixed", gravity=(0, 0, -G))
    full, part = {"axis": (0, 0, 1), "x": (3, 4, 0)}, {"axis": (0, 0, 1)}
    first, second = (full, part) if given == "first" else (part, full)
    body = m.body("body", mass=1, inertia=(1, 1, 1), position=(0, 0, 0), bryan=(0, 0, 0.8), spin=(0, 0, 2))
    m.revolute("axle", m.ground.point("O", (0, 0, 0), **first), body.point("O", (0, 0, 0), **second))
    run = jd.simulate(m, 1.0)
    assert_close(run["axle.angle"], 2 * run.t, 1e-8)


@pytest.mark.parametrize("dim", [2, 3], ids=["plane", "space"])
def test_weld_at_a_place_holds_the_drawn_pose(dim: int) -> None:
    m = jd.Mechanism("held", space="planar" if dim == 2 else "spatial")
    tilted: dict[str, Any] = {"inertia": 1, "angle": 0.5} if dim == 2 else {"inertia": (1, 1, 1), "bryan": (0.5, 0, 0)}
    body = m.body("body", mass=1, position=(1, 0, 0)[:dim], **tilted)
    m.weld("weld", bodies=(m.ground, body), at=(0, 0, 0)[:dim])
    assert not any("moved" in note for note in jd.simulate(m, 0.1).status.notes)
