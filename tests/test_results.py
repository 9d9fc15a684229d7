"""What a run reports: channels against finite differences and closed forms, states, tables, summaries.

Finite differences are of order 4. The difference of two of them, with steps h and 2h, is 15 times the error of the
finer one, so it is its own yardstick; twice that is allowed, and the rounding of what is differentiated.
"""

from __future__ import annotations

import csv
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_euler, matrix_from_quaternion

TIGHT = {"rtol": 1e-11, "atol": 1e-11}
# dop853 at 1e-11 over a second or two of a calm motion: local errors add up to some hundred tolerances.
BAR = 1e-9


def lopsided(dim: int) -> jd.Mechanism:
    """A pendulum of two bodies, both with their mass centre away from their origin, swinging freely."""
    m = jd.Mechanism("lopsided", gravity=(0, -9.81) if dim == 2 else (0, 0.5, -9.81))
    if dim == 2:
        first = m.body(
            "first", mass=2, inertia=0.3, centre=(0.3, 0.1), position=(0, 0), angle=0.4, spin=1.5,
            velocity=(0, 0), points={"O": (0, 0), "P": (0.8, -0.1)},
        )  # fmt: skip
        P = np.array([0.8 * math.cos(0.4) + 0.1 * math.sin(0.4), 0.8 * math.sin(0.4) - 0.1 * math.cos(0.4)])
        second = m.body(
            "second", mass=1, inertia=0.1, centre=(-0.2, 0.2), position=P, angle=-0.5,
            points={"P": (0, 0), "Q": (0.4, 0.3)},
        )  # fmt: skip
        m.revolute("O", m.ground.point("O", (0, 0)), first["O"])
        m.revolute("P", first["P"], second["P"])
        m.spring_damper("spring", m.ground.point("S", (0, -2)), second["Q"], stiffness=20, damping=0.5, length=1)
    else:
        first = m.body(
            "first", mass=2, inertia=(0.2, 0.3, 0.4, 0.02, -0.01, 0.03), centre=(0.3, 0.1, -0.2),
            position=(0, 0, 0), bryan=(0.2, -0.3, 0.4), spin=(0.5, -1.0, 2.0), velocity=(0, 0, 0),
            points={"O": (0, 0, 0), "P": {"at": (0.8, -0.1, 0.2), "axis": (1, 2, 2)}},
        )  # fmt: skip
        R = matrix_from_quaternion(m.frozen().body("first").attitude)  # type: ignore[arg-type]
        second = m.body(
            "second", mass=1, inertia=(0.1, 0.12, 0.15), centre=(-0.2, 0.2, 0.1),
            position=R @ (0.8, -0.1, 0.2), matrix=R, points={
                "P": {"at": (0, 0, 0), "axis": (1, 2, 2)}, "Q": (0.4, 0.3, -0.3),
            },
        )  # fmt: skip
        m.spherical("O", m.ground.point("O", (0, 0, 0)), first["O"])
        m.revolute("P", first["P"], second["P"])
        m.spring_damper("spring", m.ground.point("S", (0, 0, -2)), second["Q"], stiffness=20, damping=0.5, length=1)
    return m


@cache
def run_of(dim: int) -> jd.Solution:
    return jd.simulate(lopsided(dim), 1.0, **TIGHT)


both = pytest.mark.parametrize("dim", [2, 3], ids=["plane", "space"])


# Channels -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "build",
    [machines.four_bar, machines.slider_crank, machines.two_bars, machines.spatial_four_bar],
    ids=lambda build: build.__name__,
)
def test_every_channel_has_a_number_for_each_sample(build: Any) -> None:
    run = jd.simulate(build(), 0.1, every=0.02)
    assert len(set(run.channels)) == len(run.channels)
    for name in run.channels:
        assert run[name].shape == (6,), name
        assert np.isfinite(run[name]).all(), name


def test_names_of_channels() -> None:
    plane, space = set(run_of(2).channels), set(run_of(3).channels)
    both = {f"first.{c}" for c in ("x", "y", "vx", "vy", "ax", "ay")} | {"second.Q.vx", "second.Q.ay", "P.fx", "P.fy"}
    both |= {"P.mz", "P.on_first.fx", "P.on_first.mz", "P.angle", "P.speed", "P.displacement", "spring.length"}
    both |= {"spring.force", "violation.position", "violation.velocity"}
    both |= {f"energy.{c}" for c in ("kinetic", "potential", "dissipated", "driven", "total")}
    assert both | {"first.angle", "first.spin", "first.spin_rate"} <= plane
    only_space = {f"first.{c}" for c in ("z", "qw", "qx", "qy", "qz", "vz", "wx", "wy", "wz", "az", "wx_rate")}
    assert both | only_space | {"P.fz", "P.mx", "P.my", "second.Q.z", "second.Q.az"} <= space
    assert not plane & only_space
    assert not any(name.startswith("ground") for name in plane | space)


def test_time_and_points_of_the_ground_are_channels_too() -> None:
    run = run_of(2)
    assert run["t"] is run.t
    assert run["ground.S.y"].tolist() == [-2.0] * len(run.t)
    assert not run["ground.S.vy"].any()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("first.P.vxx", "first.P.vx"),
        ("frist.x", "first.x"),
        ("P.on_frist.fx", "P.on_first.fx"),
        ("spring.lenght", "spring.length"),
        ("energy.totl", "energy.total"),
    ],
)
def test_unknown_channels_name_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(KeyError) as caught:
        run_of(2)[name]
    (text,) = caught.value.args
    assert text.startswith(f"no channel '{name}'; known: ")
    assert text.endswith(f"(did you mean '{nearest}'?)")


def test_unknown_channels_of_a_body_list_what_the_body_has() -> None:
    with pytest.raises(KeyError, match=r"known: first\.angle, first\.ax, first\.ay, first\.spin, .*, \.\.\. \(did"):
        run_of(2)["first.spn"]


@pytest.mark.parametrize(
    "name", ["second.z", "P.on_first.angle", "P.fz", "ground.x", "nobody.x", "spring.x", "second.S.x", ""]
)
def test_what_the_plane_does_not_have(name: str) -> None:
    with pytest.raises(KeyError, match="no channel"):
        run_of(2)[name]


# Rates ----------------------------------------------------------------------------------------------------------

H = 5e-3
# Projection leaves joints open by at most 1e-13 of the mechanism's size, 2 m: noise on positions. The sum of the
# coefficients of the differences is below 2/h for the first and 6/h^2 for the second.
NOISE = 2e-13


@cache
def fine_run(dim: int) -> jd.Solution:
    """Samples on steps: values between steps would carry the noise of interpolation."""
    return jd.simulate(lopsided(dim), 0.5, every=H, step=H / 5)


def first_difference(x: Any, n: int) -> np.ndarray:
    """x' at all samples but four at each end, of order 4, with a step of n samples."""
    at = np.arange(4, len(x) - 4)
    return (8 * (x[at + n] - x[at - n]) - (x[at + 2 * n] - x[at - 2 * n])) / (12 * n * H)


def second_difference(x: Any, n: int) -> np.ndarray:
    at = np.arange(4, len(x) - 4)
    near, far = x[at + n] + x[at - n], x[at + 2 * n] + x[at - 2 * n]
    return (16 * near - far - 30 * x[at]) / (12 * (n * H) ** 2)


def assert_is_rate(rate: Any, x: Any, difference: Any, noise: float, what: str) -> None:
    fine, coarse = difference(x, 1), difference(x, 2)
    bar = 2 * np.abs(fine - coarse).max() / 15 + noise
    assert bar < 1e-4 * np.abs(rate).max(), "the yardstick must be finer than what it measures"
    np.testing.assert_allclose(rate[4:-4], fine, rtol=0, atol=bar, err_msg=what)


@both
@pytest.mark.parametrize("place", ["first", "first.P", "second", "second.Q"])
def test_velocities_and_accelerations_are_rates(dim: int, place: str) -> None:
    run = fine_run(dim)
    moving = "xyz"[:dim]
    if place == "first":  # its origin is the fixed point
        assert all(np.abs(run[f"first.{kind}{c}"]).max() < 1e-10 for kind in "va" for c in moving)
        return
    for c in moving:
        x = run[f"{place}.{c}"]
        assert_is_rate(run[f"{place}.v{c}"], x, first_difference, 2 * NOISE / H, f"{place}.v{c}")
        assert_is_rate(run[f"{place}.a{c}"], x, second_difference, 6 * NOISE / H**2, f"{place}.a{c}")


def test_spin_is_the_rate_of_the_angle() -> None:
    run = fine_run(2)
    for body in ("first", "second"):
        angle = run[f"{body}.angle"]
        assert_is_rate(run[f"{body}.spin"], angle, first_difference, 2 * NOISE / H, body)
        assert_is_rate(run[f"{body}.spin_rate"], angle, second_difference, 6 * NOISE / H**2, body)


@pytest.mark.parametrize("body", ["first", "second"])
def test_angular_velocity_is_the_rate_of_the_attitude(body: str) -> None:
    run = fine_run(3)
    q = np.stack([run[f"{body}.q{c}"] for c in "wxyz"], axis=1)
    frames = np.array([matrix_from_quaternion(row) for row in q])
    w = np.stack([run[f"{body}.w{c}"] for c in "xyz"], axis=1)
    # R' = w x R, column by column, fixed axes.
    turned = np.cross(w[:, None, :], np.swapaxes(frames, 1, 2))
    for k in range(3):
        for c in range(3):
            assert_is_rate(turned[:, k, c], frames[:, c, k], first_difference, 2 * NOISE / H, f"axis {k}")
    for k, c in enumerate("xyz"):
        assert_is_rate(run[f"{body}.w{c}_rate"], w[:, k], first_difference, 20 * NOISE / H, f"w{c}_rate")


@both
def test_speed_of_a_joint_is_the_rate_of_its_angle(dim: int) -> None:
    run = fine_run(dim)
    assert_is_rate(run["P.speed"], run["P.angle"], first_difference, 2 * NOISE / H, "P.speed")


# Angles and displacements of joints -----------------------------------------------------------------------------


def spinner(dim: int, kind: str = "revolute") -> jd.Mechanism:
    """Two wheels on one axis through their centres, spinning at 50 and -20 rad/s; nothing slows them."""
    m = jd.Mechanism("spinner", space="planar" if dim == 2 else "spatial")
    if dim == 2:
        for name, spin, angle in (("fast", 50.0, 0.3), ("slow", -20.0, -1.0)):
            m.body(
                name, mass=1, inertia=1, position=(0, 0), velocity=(0, 0), angle=angle, spin=spin, points={"C": (0, 0)}
            )
        m.joint(kind, "axle", m.ground.point("O", (0, 0)), m["fast"]["C"])
    else:
        z = np.array([2.0, -1.0, 2.0]) / 3
        # Wheels whose axis is the body's own (2, -1, 2)/3: an inertia of equal entries has no preferred axis.
        for name, spin, angle in (("fast", 50.0, 0.3), ("slow", -20.0, -1.0)):
            m.body(
                name, mass=1, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(0, 0, 0), spin=spin * z,
                quaternion=(math.cos(angle / 2), *math.sin(angle / 2) * z),
                points={"C": {"at": (0, 0, 0), "axis": z, "x": (1, 2, 0)}},
            )  # fmt: skip
        m.joint(kind, "axle", m.ground.point("O", (0, 0, 0), axis=z, x=(1, 2, 0)), m["fast"]["C"])
    m.joint(kind, "pair", m["fast"]["C"], m["slow"]["C"])
    return m


@pytest.mark.parametrize(
    ("dim", "kind"), [(2, "revolute"), (3, "revolute"), (3, "cylindrical"), (3, "planar")], ids=lambda x: str(x)
)
@pytest.mark.parametrize("how", [{}, {"step": 1e-3}], ids=["dop853", "rk4"])
def test_angles_count_turns_between_coarse_samples(dim: int, kind: str, how: dict[str, float]) -> None:
    # A sample every 0.7 s: 5.6 turns of one joint, 7.8 of the other.
    run = jd.simulate(spinner(dim, kind), times=0.7 * np.arange(6), **how)
    # dop853 holds 1e-9 of attitudes a step; rk4 errs by (w h)^5 / 120 a step in phase, w h = 0.05, in the plane not
    # at all. Both far from the 2 pi of a miscounted turn.
    bar = 3500 * 0.05**5 / 120 * 2 if how else 1e-6
    np.testing.assert_allclose(run["axle.angle"], 0.3 + 50 * run.t, rtol=0, atol=bar)
    np.testing.assert_allclose(run["pair.angle"], -1.3 - 70 * run.t, rtol=0, atol=2 * bar)
    np.testing.assert_allclose(run["axle.speed"], 50, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run["pair.speed"], -70, rtol=0, atol=1e-6)
    assert np.abs(run["axle.displacement"]).max() < 1e-10


@both
def test_slider_has_displacement_and_speed(dim: int) -> None:
    # Along a direction of slope 3/4, thrown upwards: x = 1 + 2 t - g 0.6 t^2 / 2.
    m = jd.Mechanism("slide", gravity=(0, -9.81, 0)[:dim])
    u = np.array([0.8, 0.6, 0.0])[:dim]
    inertia = 1 if dim == 2 else (1, 1, 1)
    block = m.body("block", mass=3, inertia=inertia, position=u, velocity=2 * u, spin=0 if dim == 2 else (0, 0, 0))
    m.prismatic("slot", bodies=(m.ground, block), at=(0, 0, 0)[:dim], axis=u)
    run = jd.simulate(m, 1.0, **TIGHT)
    # The port of the block is where it was drawn, at the place of the ground's: displacement starts at zero.
    np.testing.assert_allclose(run["slot.displacement"], 2 * run.t - 0.6 * 9.81 / 2 * run.t**2, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["slot.speed"], 2 - 0.6 * 9.81 * run.t, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["slot.angle"], 0, rtol=0, atol=BAR)


# Springs, dampers, work -----------------------------------------------------------------------------------------


def line(dim: int, **motion: Any) -> jd.Mechanism:
    """A body of 2 kg with a point C at its centre, free, without gravity; the ground's O is 3 m behind it."""
    m = jd.Mechanism("line", space="planar" if dim == 2 else "spatial")
    zero = (0, 0, 0)[:dim]
    still = {"velocity": zero, "spin": 0 if dim == 2 else zero}
    inertia = 0.5 if dim == 2 else (0.5, 0.4, 0.3)
    m.body("mass", mass=2, inertia=inertia, position=(3, 0, 0)[:dim], points={"C": zero}, **(still | motion))
    m.ground.point("O", zero)
    return m


@both
def test_spring_swings_as_a_cosine(dim: int) -> None:
    m = line(dim)
    m.spring_damper("spring", m.ground["O"], m["mass"]["C"], stiffness=50, length=2)
    run = jd.simulate(m, 2.0, **TIGHT)
    swing = np.cos(math.sqrt(50 / 2) * run.t)
    np.testing.assert_allclose(run["spring.length"], 2 + swing, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["spring.force"], 50 * swing, rtol=0, atol=50 * BAR)
    np.testing.assert_allclose(run.energy.potential, 25 * swing**2, rtol=0, atol=50 * BAR)
    np.testing.assert_allclose(run["energy.total"], 25, rtol=0, atol=50 * BAR)
    assert not run.energy.dissipated.any()


@both
def test_damper_takes_the_kinetic_energy(dim: int) -> None:
    m = line(dim, velocity=(4, 0, 0)[:dim])
    m.spring_damper("damper", m.ground["O"], m["mass"]["C"], damping=3)
    run = jd.simulate(m, 2.0, **TIGHT)
    v = 4 * np.exp(-3 / 2 * run.t)
    np.testing.assert_allclose(run["mass.vx"], v, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["damper.force"], 3 * v, rtol=0, atol=3 * BAR)
    np.testing.assert_allclose(run["energy.dissipated"], 16 - v**2, rtol=0, atol=16 * BAR)
    np.testing.assert_allclose(run["energy.total"], 16, rtol=0, atol=16 * BAR)


@both
def test_work_of_a_force(dim: int) -> None:
    m = line(dim)
    m.force("push", on=m["mass"]["C"], vector=["6*sin(5*t)", 0, 0][:dim])
    run = jd.simulate(m, 2.0, **TIGHT)
    v = 6 / (2 * 5) * (1 - np.cos(5 * run.t))
    np.testing.assert_allclose(run["mass.vx"], v, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["energy.driven"], v**2, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["energy.total"], 0, rtol=0, atol=BAR)


@both
def test_work_of_a_torque(dim: int) -> None:
    m = line(dim)
    m.torque("motor", on=m["mass"], torque="1.5*t" if dim == 2 else (0, "1.5*t", 0))
    run = jd.simulate(m, 1.0, **TIGHT)
    inertia = 0.5 if dim == 2 else 0.4
    w = 1.5 * run.t**2 / 2 / inertia
    np.testing.assert_allclose(run["mass.spin" if dim == 2 else "mass.wy"], w, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["energy.driven"], inertia * w**2 / 2, rtol=0, atol=BAR)
    np.testing.assert_allclose(run["energy.total"], 0, rtol=0, atol=BAR)


@both
def test_force_off_the_centre_turns_the_body(dim: int) -> None:
    m = line(dim)
    arm = m["mass"].point("E", (0, 0.2, 0)[:dim])
    m.force("push", on=arm, vector=(5, 0, 0)[:dim])
    run = jd.simulate(m, 0.01)
    inertia = 0.5 if dim == 2 else 0.3
    assert run["mass.ax"][0] == pytest.approx(2.5, rel=1e-12)
    rate = run["mass.spin_rate" if dim == 2 else "mass.wz_rate"][0]
    assert rate == pytest.approx(-5 * 0.2 / inertia, rel=1e-12)


# States ---------------------------------------------------------------------------------------------------------


def with_clock(dim: int) -> jd.Mechanism:
    """The lopsided pendulum under a force that knows the time."""
    m = lopsided(dim)
    m.force("push", on=m["second"]["Q"], vector=["3*cos(4*t)", 0, "t"][:dim])
    return m


@both
def test_state_goes_in_as_it_came_out(dim: int) -> None:
    run = run_of(dim)
    again = jd.simulate(lopsided(dim), times=[0.0], state=run.state(77))
    # Away from the origin and back, and one projection of a closed state: rounding of sizes up to 10.
    n = run.model.nq + run.model.nv
    np.testing.assert_allclose(again.samples[0, :n], run.samples[77, :n], rtol=0, atol=1e-12)
    turning = {"P"} if dim == 3 else set()  # joints in space count their turns
    assert set(run.state()) == {"first", "second"} | turning
    state = run.state()["second"]
    channels = [f"second.{c}" for c in "xyz"[:dim]]
    np.testing.assert_allclose(state.position, [run[c][-1] for c in channels], rtol=0, atol=1e-14)


@both
def test_continued_run_is_the_uninterrupted_one(dim: int) -> None:
    m = with_clock(dim)
    whole = jd.simulate(m, times=np.linspace(0, 1, 11), **TIGHT)
    half = jd.simulate(m, times=np.linspace(0, 0.5, 6), **TIGHT)
    rest = jd.simulate(m, times=np.linspace(0.5, 1, 6), state=half.state(), **TIGHT)
    for c in ("first.P.x", "second.Q.y", "second.vx", "O.fx", "P.speed"):
        scale = max(1.0, np.abs(whole[c]).max())
        np.testing.assert_allclose(rest[c], whole[c][5:], rtol=0, atol=BAR * scale, err_msg=c)


@both
def test_continued_run_with_fixed_steps_takes_the_same_steps(dim: int) -> None:
    m = with_clock(dim)
    whole = jd.simulate(m, times=[0, 0.25, 0.5], step=1 / 256)
    rest = jd.simulate(m, times=[0.25, 0.5], state=whole.state(1), step=1 / 256)
    n = whole.model.nq + whole.model.nv
    # 64 steps, each rounding at 1e-15 or projecting to 2e-13; the pendulum amplifies this little in a quarter second.
    np.testing.assert_allclose(rest.samples[-1, :n], whole.samples[-1, :n], rtol=0, atol=1e-11)


def test_state_of_an_edited_mechanism() -> None:
    run = run_of(2)
    m = lopsided(2)
    m.body("third", mass=1, inertia=1, position=(5, 5), velocity=(0, 0), spin=2.0)
    again = jd.simulate(m, 0.1, state=run.state())
    assert again["second.x"][0] == pytest.approx(run["second.x"][-1], abs=1e-12)
    assert again["third.x"][0] == 5.0
    assert again["third.spin"][0] == 2.0


# The origin of body axes is a matter of taste -------------------------------------------------------------------


def shifted(dim: int, offset: Any) -> jd.Mechanism:
    """A loaded pendulum; the mass centre is at `offset` in its body axes, everything else is where it was."""
    offset = np.array(offset, dtype=float)[:dim]
    centre, hinge, end = (np.array(p)[:dim] for p in ((0.4, 0.3, 0.2), (-0.5, 0.1, 0.3), (0.2, 0.2, 0.2)))
    w = np.array([0, 0, 2.0]) if dim == 2 else np.array([1, -0.5, 2.0])
    R = matrix_from_angle(0.6) if dim == 2 else matrix_from_euler("xyz", (0.3, -0.2, 0.6))
    turn: dict[str, Any] = {"angle": 0.6, "spin": 2.0} if dim == 2 else {"matrix": R, "spin": w}
    m = jd.Mechanism("shifted", gravity=(0, -9.81) if dim == 2 else (0, 1, -9.81))
    arm = np.append(R @ (-offset - hinge), np.zeros(3 - dim))  # from the hinge to the origin
    body = m.body(
        "body",
        mass=2,
        inertia=0.3 if dim == 2 else (0.3, 0.2, 0.25, 0.02, 0.01, -0.03),
        centre=offset,
        position=centre - R @ offset,
        velocity=np.cross(w, arm)[:dim],
        points={"H": hinge + offset, "E": end + offset},
        **turn,
    )
    joint = m.revolute if dim == 2 else m.spherical
    joint("hinge", m.ground.point("H", centre + R @ hinge), body["H"])
    m.spring_damper("spring", m.ground.point("S", (1, 1, 1)[:dim]), body["E"], stiffness=30, damping=1, length=0.5)
    m.force("push", on=body["E"], vector=["2*t", 1, 0][:dim])
    m.torque("motor", on=body, torque=0.4 if dim == 2 else (0.1, "0.2*t", -0.3))
    return m


@both
def test_origin_away_from_the_mass_centre(dim: int) -> None:
    at_centre = jd.simulate(shifted(dim, (0, 0, 0)), 1.0, **TIGHT)
    away = jd.simulate(shifted(dim, (0.7, -0.4, 1.1)), 1.0, **TIGHT)
    assert not away.status.notes  # the velocity written for the other origin fits the joint too
    same = [c for c in at_centre.channels if c.startswith(("body.E", "body.H", "hinge", "spring", "energy"))]
    same += ["body.angle", "body.spin"] if dim == 2 else ["body.qw", "body.qx", "body.wx", "body.wy_rate"]
    for c in same:
        scale = max(1.0, np.abs(at_centre[c]).max())
        np.testing.assert_allclose(away[c], at_centre[c], rtol=0, atol=1e-9 * scale, err_msg=c)
    # And the origin itself is where it should be: at -offset from the mass centre, in body axes.
    distance = sum((away[f"body.{c}"] - at_centre[f"body.{c}"]) ** 2 for c in "xyz"[:dim]) ** 0.5
    np.testing.assert_allclose(distance, np.linalg.norm((0.7, -0.4, 1.1)[:dim]), rtol=0, atol=BAR)


# Tables and summaries -------------------------------------------------------------------------------------------


def test_csv_holds_every_digit(tmp_path: Path) -> None:
    run = jd.simulate(machines.four_bar(), 0.1, every=0.05)
    run.to_csv(tmp_path / "all.csv")
    with open(tmp_path / "all.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["t", *run.channels]
    table = np.array(rows, dtype=float)
    assert table.shape == (3, len(header))
    for k, name in enumerate(header):
        assert np.array_equal(table[:, k], run[name]), name


def test_csv_of_chosen_channels(tmp_path: Path) -> None:
    run = run_of(3)
    run.to_csv(str(tmp_path / "some.csv"), ["second.Q.z", "energy.total"])
    lines = (tmp_path / "some.csv").read_text().splitlines()
    assert lines[0] == "t,second.Q.z,energy.total"
    assert len(lines) == 1 + len(run.t)
    with pytest.raises(KeyError, match="no channel 'nothing'"):
        run.to_csv(tmp_path / "none.csv", ["nothing"])


def test_summary_holds_the_facts() -> None:
    run = jd.simulate(machines.spatial_four_bar(), 0.5, every=0.1)
    text = run.summary()
    for fact in (
        "spatial four-bar: 3 bodies, 4 joints",
        "1 degree of freedom; 20 equations of rank 17",
        "quaternion, kkt + projection, dop853",
        "0 to 0.5 s, 6 samples",
        f"{run.statistics.steps} steps, {run.statistics.evaluations} evaluations",
        f"closed to {run.violation.position.max():.2g}",
        "balance kept to ",
        "completed to t = 0.5 s",
        "note: 3 equations are redundant and bear no load: ",
    ):
        assert fact in text
    assert repr(run) == "<Solution of spatial four-bar: 6 samples to t = 0.5 s; completed to t = 0.5 s>"


def test_assembly_is_reported() -> None:
    m = jd.Mechanism("drawn badly", gravity=(0, -9.81))
    rod = m.body("rod", mass=1, inertia=0.1, position=(1, 0.25), velocity=(1, 0), spin=0, points={"A": (-1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    notes = jd.simulate(m, 0.1).status.notes
    assert any(note.startswith("assembly moved body 'rod' by 0.") for note in notes)
    assert any(note.startswith("assembly changed the velocity of body 'rod' by ") for note in notes)


def test_what_is_written_wins_over_what_is_left_out() -> None:
    m = jd.Mechanism("half written")
    crank = {"position": (1, 0), "angle": 0, "velocity": (0, 1), "spin": 1, "points": {"A": (-1, 0), "B": (1, 0)}}
    m.body("crank", mass=1, inertia=1, **crank)  # type: ignore[arg-type]
    m.body("rod", mass=1, inertia=1, position=(3, 0), angle=0, points={"B": (-1, 0)})  # how it moves is left out
    m.revolute("A", m.ground.point("A", (0, 0)), m["crank"]["A"])
    m.revolute("B", m["crank"]["B"], m["rod"]["B"])
    assert jd.simulate(m, 0.1)["crank.spin"][0] == pytest.approx(1, abs=1e-12)


# How a run ends -------------------------------------------------------------------------------------------------


def out_of_reach() -> jd.Solution:
    """A bar of 1 m on a pin, its end pulled along x at 1 m/s from x = 0.5: it is straight after half a second."""
    m = jd.Mechanism("reach")
    h = math.sqrt(0.75) / 2
    bar = m.body(
        "bar", mass=1, inertia=1, position=(0.25, h), angle=math.pi / 3, points={"A": (-0.5, 0), "B": (0.5, 0)}
    )
    m.revolute("pin", m.ground.point("A", (0, 0)), bar["A"])
    m.custom("pull", m.ground["A"], bar["B"], equations=["dot(N - M, e_x) - 0.5 - t"])
    with pytest.warns(jd.SimulationWarning) as caught:
        run = jd.simulate(m, 1.0, step=1e-3)
    assert str(caught[0].message) == run.status.sentence
    return run


def test_run_at_the_end_of_its_travel() -> None:
    run = out_of_reach()
    assert not run.status.ok
    assert not run.status
    (stopped,) = re.findall(r"^stopped at t = (\S+) s: joint ", run.status.sentence)
    assert 0.495 < float(stopped) <= 0.5  # of the step that could not be made, or a few before it
    assert not any("nothing moves" in note for note in run.status.notes)
    assert "could not be kept closed; the mechanism may be locked or at the end of its travel" in run.status.sentence
    # What was computed until then is kept, and right.
    assert run.t[-1] == pytest.approx(0.5, abs=1e-2)
    assert run.violation.position.max() <= 1e-10
    np.testing.assert_allclose(run["bar.B.x"], 0.5 + run.t, rtol=0, atol=1e-10)


def test_gap_of_the_joint_that_opened() -> None:
    (gap,) = re.findall(r"off by (\S+)\)", out_of_reach().status.sentence)
    assert float(gap) > 1e-10


def test_wrong_names_are_answered_with_the_nearest() -> None:
    m = machines.slider_crank()
    m.event("turned", when="crank.angle", record=True)
    run = jd.simulate(m, 0.1)
    with pytest.raises(KeyError, match=r"no event 'tuned'; known: turned \(did you mean 'turned'\?\)"):
        run.events["tuned"]
    with pytest.raises(KeyError, match="no joint 'Q'; known: "):
        run.reactions["Q"]
    with pytest.raises(KeyError, match=r"no body 'crnk' in mechanism 'slider-crank'; .*did you mean 'crank'"):
        m["crnk"]
