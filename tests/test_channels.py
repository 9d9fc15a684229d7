"""One definition a channel: whatever a run gives may stand in formulas, events, targets and reductions with the same
number, or its level says why not.

The kernel's own value (an event's, found on its tape from reactions, energies and accelerations of its own evaluation)
is compared with the run's (arrays over samples): two ways to one number at one state. Events are offset so that none
happens; the offset costs its own last digits, 2 eps OFFSET, and both ways round, hence 1e-9 of the channel's size.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import jourdain as jd
from jourdain.assembly.targets import channel_of
from jourdain.engine.pose import Pose
from jourdain.files import gallery
from jourdain.kernels.layout import fields as f
from jourdain.library import known_quantities
from jourdain.library.channels.known_names import unusable
from jourdain.library.levels import OF_EVENT, OF_FORCE, OF_POSITION, OF_VELOCITY
from linkages import four_bar

OFFSET = 1e5
GALLERY = gallery.names()


def crowded() -> jd.Mechanism:
    """A machine with springs, a switched one among them, a motion, a motor, a stop, a gear, friction and a lag."""
    m = jd.Mechanism("crowded", gravity=(0, -9.81))
    m.parameter("k", 30.0)
    ground = [m.ground.point(name, (x, 0), angle=0.2) for name, x in (("O", 0), ("P", 1), ("Q", 2.5), ("R", 4.5))]
    arms = []
    for k, point in enumerate(ground[:3]):
        x = float(k) if k < 2 else 2.5
        arm = m.body(f"arm{k}", mass=1 + k, inertia=0.3, position=(x + 0.3, 0.1), angle=0.3, centre=(0.1, 0.02))
        m.revolute(f"J{k}", point, arm.point("A", (-0.3, 0), angle=0.4))
        arm.point("B", (0.4, 0.1))
        arms.append(arm)
    sled = m.body("sled", mass=2, inertia=0.1, position=(4.5, 0), angle=0.2)
    m.prismatic("S", ground[3], sled.point("C", (0, 0)))
    m.spring_damper("plain", arms[0]["B"], arms[1]["B"], stiffness=20, damping=1, length=0.8)
    m.spring_damper("late", arms[2]["B"], sled["C"], stiffness=15, damping=0.5, length=1.0)
    m.switch_off("late")
    m.event("start", "t - 0.02", on=["late"])
    m.gear("G", joints=("J0", "J1"), ratio=-2)
    m.motion("drive", joint="J2", speed="1 + t")
    m.dc_motor("motor", joint="J1", voltage=5, resistance=1, inductance=0.1, constant=0.5)
    m.stop("end", joint="S", above=0.001, stiffness=500, damping=1)
    m.friction("rub", joint="J0", coefficient=0.2, radius=0.02)
    m.first_order("lag", input="J0.load", time_constant=0.1)
    return m


MACHINES = {name: (lambda name=name: jd.example(name)) for name in GALLERY} | {"crowded": crowded}


def refusals(m: jd.Mechanism, channels: list[str], allowed: tuple[str, ...]) -> dict[str, str]:
    """Why each channel cannot stand there, of those that cannot."""
    known = known_quantities(m.frozen())
    return {c: words for c in channels if (words := unusable(c, known, allowed))}


@pytest.mark.parametrize("name", MACHINES)
def test_what_a_run_gives_stands_in_events_with_the_same_value(name: str) -> None:
    m = MACHINES[name]()
    start = jd.simulate(m, times=[0.0])
    refused = refusals(m, start.channels, OF_EVENT)
    assert {c.rpartition(".")[2] for c in refused} <= {"qw", "qx", "qy", "qz", "angle", "speed"} | {
        c.partition(".")[2] for c in start.channels if c.startswith("violation.")
    }
    assert all(c.partition(".")[0] in start.joints for c in refused if c.endswith((".angle", ".speed")))
    events = [c for c in start.channels if c not in refused]
    first = len(m.frozen().events)
    for k, channel in enumerate(events):
        m.event(f"e{k}", f"{channel} + {OFFSET}")
    s = jd.session(m)
    s.advance(0.01)
    workspace = s.loop.workspace
    values = np.zeros(first + len(events))
    pose, y = Pose(workspace.model, workspace), s._y.copy()
    assert pose._run(f.F_EVENTS, s.t, y, values) == 0
    for channel, value in zip(events, values[first:] - OFFSET, strict=True):
        size = max(1.0, abs(s[channel]))
        assert abs(value - s[channel]) <= 1e-9 * size + 4 * np.finfo(float).eps * OFFSET, channel


@pytest.mark.parametrize("name", ["four_bar", "rssr", "crowded"])
def test_what_a_run_gives_stands_in_forces(name: str) -> None:
    """By repetition where it depends on reactions; forces of 1e-30 N change nothing, but must be found."""
    m = MACHINES[name]()
    plain = jd.simulate(m, times=[0.0])
    refused = refusals(m, plain.channels, OF_FORCE)
    energies = {c for c in refused if c.startswith("energy.")}
    assert len(energies) == 5 and all("is an energy, which cannot stand here" in refused[c] for c in energies)
    usable = [c for c in plain.channels if c not in refused]
    body = plain.blueprint.bodies[0].name
    dim = plain.blueprint.dim
    for k in range(0, len(usable), 10):
        formula = f"1e-30*({' + '.join(usable[k : k + 10])})"
        m.torque(f"t{k}", on=m[body], torque=formula if dim == 2 else (formula, 0, 0))
    run = jd.simulate(m, times=[0.0])
    assert run.status.ok
    for channel in usable:
        np.testing.assert_allclose(run[channel], plain[channel], rtol=1e-9, atol=1e-9, err_msg=channel)


def test_levels_say_what_equations_and_targets_may_use() -> None:
    m = four_bar(1, 3, 2.5, 3.2)
    m.spring_damper("spring", m["crank"]["B"], m.ground["D"], stiffness=1)
    m.rope("rope", m["crank"]["B"], m.ground["D"], length=9, stiffness=1)
    run = jd.simulate(m, times=[0.0])
    level = {
        "crank.x": "position", "crank.B.angle": "position", "A.angle": "position", "C.transmission": "position",
        "spring.length": "position", "A.displacement": "position",
        "crank.spin": "velocity", "A.speed": "velocity", "spring.force": "velocity",
        "crank.ax": "an acceleration", "shaking.fx": "an acceleration", "shaking.mz": "an acceleration",
        "A.fx": "a reaction force", "A.on_first.mz": "a reaction force", "A.load": "a reaction force",
        "energy.total": "an energy", "violation.position": "known after a run only",
        "rope.length": "of a component",
    }  # fmt: skip
    in_equation, in_constraint = (refusals(m, run.channels, places) for places in (OF_POSITION, OF_VELOCITY))
    for channel, words in level.items():
        faults: list[str] = []
        settable = channel_of(m.frozen(), channel, faults)
        if words in ("position", "velocity"):
            assert (channel in in_equation) == (words == "velocity") and channel not in in_constraint
            assert settable is not None or (channel == "spring.force" and "is a force; only positions" in faults[0])
        elif words != "of a component":
            assert words in in_equation[channel] and words in in_constraint[channel]
        if words not in ("position", "velocity"):
            assert settable is None and words in faults[0], channel


def test_every_settable_channel_is_a_target_where_it_is_and_a_bit_farther() -> None:
    """Transmission angle, length of a spring and angle of a point among them: closed forms are the run's own values."""
    m = four_bar(1, 3, 2.5, 3.2)
    m.spring_damper("spring", m["crank"]["B"], m.ground["D"], stiffness=1)
    start = jd.assemble(m)
    for channel in ("C.transmission", "spring.length", "crank.B.angle", "coupler.C.x", "A.angle"):
        wanted = start[channel] + 0.05
        found = jd.assemble(m, {channel: wanted})
        run = jd.simulate(m, times=[0.0], state=found.state)
        assert run[channel][0] == pytest.approx(wanted, abs=1e-9)


def test_reductions_take_every_channel() -> None:
    m = crowded()
    runs = jd.simulate_many(
        m, 0.02, {"arm0.mass": [1.0, 1.5]}, every=0.01, channels=jd.simulate(m, times=[0.0]).channels
    )
    one = jd.simulate(m, 0.02, every=0.01)
    for channel in one.channels:
        np.testing.assert_allclose(runs[channel][0], one[channel], rtol=1e-9, atol=1e-9, err_msg=channel)


def test_derivatives_of_loads_transmission_and_shaking() -> None:
    """By differences of whole runs, fifth order: h^4 = 1e-12 of them, and rounding eps / h of a run to 1e-12."""
    of = ["A.load", "C.transmission", "shaking.force", "crank.B.angle", "energy.kinetic"]
    m = four_bar(1, 3, 2.5, 3.2)
    mass = m.frozen().body("crank").mass
    found = jd.sensitivity(m, "crank.mass", of, times=[0.0, 0.1], integrator="rk4", step=1e-3)
    h = 1e-3 * mass
    many = jd.simulate_many(
        m, None, {"crank.mass": [mass + k * h for k in (-2, -1, 1, 2)]}, times=[0.0, 0.1], integrator="rk4", step=1e-3
    )
    for channel in of:
        a, b, c, d = (many[k][channel][-1] for k in range(4))
        slope = (a - 8 * b + 8 * c - d) / (12 * h)
        assert found.d[channel, "crank.mass"][-1] == pytest.approx(slope, rel=1e-7, abs=1e-8), channel


# Oracles --------------------------------------------------------------------------------------------------------------

MASS, ARM, INERTIA, G = 2.0, 0.5, 0.3, 9.81


def pendulum(space: str) -> jd.Mechanism:
    """Released from the horizontal."""
    if space == "planar":
        m = jd.Mechanism("pendulum", gravity=(0, -G))
        bar = m.body("bar", mass=MASS, inertia=INERTIA, position=(ARM, 0), angle=0, velocity=(0, 0), spin=0)
        m.revolute("A", m.ground.point("O", (0, 0)), bar.point("A", (-ARM, 0)))
        return m
    m = jd.Mechanism("pendulum", space="spatial", gravity=(0, -G, 0))
    bar = m.body(
        "bar",
        mass=MASS,
        inertia=(INERTIA, INERTIA, INERTIA),
        position=(ARM, 0, 0),
        quaternion=(1, 0, 0, 0),
        velocity=(0, 0, 0),
        spin=(0, 0, 0),
    )
    m.revolute("A", m.ground.point("O", (0, 0, 0)), bar.point("A", (-ARM, 0, 0)))
    return m


def load(fall: float) -> float:
    """What the pin bears after a fall by an angle, with w^2 = 2 m g l sin / I and w' = m g l cos / I."""
    about_pin = INERTIA + MASS * ARM**2
    along = MASS * (G * math.sin(fall) + ARM * 2 * MASS * G * ARM * math.sin(fall) / about_pin)
    across = MASS * (G * math.cos(fall) - ARM * MASS * G * ARM * math.cos(fall) / about_pin)
    return math.hypot(along, across)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_an_event_of_a_load(space: str) -> None:
    m = pendulum(space)
    m.event("heavy", "A.load - 30", direction="rising")
    run = jd.simulate(m, 1.0, rtol=1e-10, atol=1e-12)
    fall = brentq(lambda x: load(x) - 30, 0.1, math.pi / 2)
    happened = run.events["heavy"]
    assert -happened["A.angle"][0] == pytest.approx(fall, abs=1e-8)
    assert happened["A.load"][0] == pytest.approx(30, abs=1e-8)
    assert happened["energy.kinetic"][0] == pytest.approx(MASS * G * ARM * math.sin(fall), abs=1e-8)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_force_of_a_load_is_found_by_repetition(space: str) -> None:
    """Torque c A.load on the resting horizontal bar: I w' = m g l - c load, load = m (g - l w')."""
    m = pendulum(space)
    c = 0.05
    m.torque("brake", on=m["bar"], torque=f"{c}*A.load" if space == "planar" else (0, 0, f"{c}*A.load"))
    run = jd.simulate(m, times=[0.0])
    rate = (MASS * G * ARM - c * MASS * G) / (INERTIA + MASS * ARM**2 - c * MASS * ARM)
    found = run["bar.spin_rate" if space == "planar" else "bar.wz_rate"][0]
    assert -found == pytest.approx(rate, rel=1e-9)
    assert run["A.load"][0] == pytest.approx(MASS * (G - ARM * rate), rel=1e-9)


def test_an_event_of_a_transmission_angle() -> None:
    """Where the triangle BCD has an angle of 60 degrees at C: |BD|^2 = b^2 + c^2 - b c."""
    m = four_bar(1, 3, 2.5, 3.2)
    m.motion("drive", joint="A", speed=5)
    m.event("sharp", "C.transmission - pi/3")
    run = jd.simulate(m, 1.3)
    happened = run.events["sharp"]
    assert len(happened.t) >= 1
    apart = np.hypot(3.2 - np.cos(happened["A.angle"]), np.sin(happened["A.angle"]))
    np.testing.assert_allclose(apart**2, 3**2 + 2.5**2 - 3 * 2.5, atol=1e-7)


def test_angles_of_points_and_moments_in_body_axes() -> None:
    run = jd.simulate(crowded(), 0.1, every=0.05)
    for k in range(3):
        np.testing.assert_allclose(run[f"arm{k}.A.angle"], run[f"arm{k}.angle"] + 0.4, atol=1e-14)
    np.testing.assert_allclose(run["ground.O.angle"], 0.2)
    space = jd.simulate(jd.example("spatial_four_bar"), 0.1, every=0.05)
    for joint in space.blueprint.joints:
        for side, body in (("", joint.second.body), ("on_first.", joint.first.body)):
            frame = np.eye(3)[None] if body == "ground" else space.motion.frame[:, space.motion.index(body)]
            fixed = np.stack([space[f"{joint.name}.{side}m{c}"] for c in "xyz"], axis=1)
            own = np.stack([space[f"{joint.name}.{side}m{c}_body"] for c in "xyz"], axis=1)
            np.testing.assert_allclose(np.einsum("tij,tj->ti", frame * np.ones((3, 1, 1)), own), fixed, atol=1e-9)


def test_norms_of_violations() -> None:
    """Of what a pose measures itself, row by row."""
    s = jd.session(four_bar(1, 3, 2.5, 3.2), integrator="rk4", step=0.02, stabilisation="none")
    s.advance(0.4)
    pose, y = s.observer.pose(s.loop.workspace), s._y.copy()
    gaps, rates = pose.residual(s.t, y), pose.rate(s.t, y)
    assert s["violation.position"] == pytest.approx(np.max(np.abs(gaps)), rel=1e-12)
    assert s["violation.position"] > 1e-12  # otherwise rounding is compared with rounding
    assert s["violation.position_norm"] == pytest.approx(np.linalg.norm(gaps), rel=1e-9)
    assert s["violation.velocity_norm"] == pytest.approx(np.linalg.norm(rates), rel=1e-9)
