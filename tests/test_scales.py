"""Sizes, masses and turns far from one: what is right at 1 m, 1 kg and one turn is right at the ends of the scales."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd
from jourdain.session.auto import headway
from jourdain.session.auto.headway import why

PINS = {"A": (0.0, 0.0), "B": (0.0, 0.4), "C": (1.1, 0.8), "D": (1.0, 0.0)}


def four_bar(m: jd.Mechanism, size: float = 1.0, at: float = 0.0, tag: str = "") -> None:
    """A linkage whose motion scales with its size if gravity does."""
    pins = {name: (size * x + at, size * y) for name, (x, y) in PINS.items()}
    bars = {}
    for name, (p, q) in {"a": "AB", "b": "BC", "c": "DC"}.items():
        (x, y), (u, v) = pins[p], pins[q]
        d = size * math.dist(PINS[p], PINS[q])
        place, angle = ((x + u) / 2, (y + v) / 2), math.atan2(v - y, u - x)
        points = {p: (-d / 2, 0), q: (d / 2, 0)}
        bars[name] = m.body(name + tag, mass=1, inertia=d * d / 12, position=place, angle=angle, points=points)
    m.revolute("A" + tag, m.ground.point("A" + tag, pins["A"]), bars["a"]["A"])
    m.revolute("B" + tag, bars["a"]["B"], bars["b"]["B"])
    m.revolute("C" + tag, bars["b"]["C"], bars["c"]["C"])
    m.revolute("D" + tag, m.ground.point("D" + tag, pins["D"]), bars["c"]["D"])


def linkage(size: float = 1.0) -> jd.Mechanism:
    m = jd.Mechanism("linkage", gravity=(0, -9.81 * size))
    four_bar(m, size)
    return m


# What is drawn far away -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 1e12])
@pytest.mark.parametrize("ratio", [1e6, 1e8, 1e12])
def test_unconnected_bodies_far_away_change_no_verdict(size: float, ratio: float) -> None:
    m = linkage(size)
    m.body("far", mass=1, inertia=size**2, position=(ratio * size, 0))
    found = jd.check(m)
    assert (found.mobility.instantaneous, found.dropped) == (4, ())
    assert not any("far" in hint and "inertia" in hint for hint in found.hints)
    run, alone = jd.simulate(m, 0.3, progress=False), jd.simulate(linkage(), 0.3, progress=False)
    assert run.status.ok
    # Two runs at rtol 1e-9, which choose their steps differently; a machine of another size moves alike.
    assert abs(run["a.angle"][-1] - alone["a.angle"][-1]) < 1e-7


@pytest.mark.parametrize("other", ["as large", "larger"])
def test_linkages_far_apart_are_each_closed_by_their_own_size(other: str) -> None:
    m = jd.Mechanism("two", gravity=(0, -9.81))
    four_bar(m)
    four_bar(m, 1.0 if other == "as large" else 1e8, 1e8, "2")
    found = jd.check(m)
    assert (found.mobility.instantaneous, found.dropped) == (2, ())
    run, alone = jd.simulate(m, 0.3, progress=False), jd.simulate(linkage(), 0.3, progress=False)
    assert run.status.ok
    # The default tolerance is relative to positions, of which those of the second are 1e8 m.
    assert abs(run["a.angle"][-1] - alone["a.angle"][-1]) < 1e-6
    assert np.max(np.hypot(run["b.x"] - alone["b.x"], run["b.y"] - alone["b.y"])) < 1e-6


@pytest.mark.parametrize("far", [1e5, 1e12, 1e16, 1e100])
@pytest.mark.parametrize("space", [2, 3])
def test_a_body_drawn_far_from_its_joint_is_brought_there(far: float, space: int) -> None:
    m = jd.Mechanism("p", gravity=(0, -9.81) if space == 2 else (0, -9.81, 0))
    place, pin, inertia = ((far, 0), (-0.5, 0), 1 / 12) if space == 2 else ((far, 0, 0), (-0.5, 0, 0), (1, 1, 1))
    b = m.body("b", mass=1, inertia=inertia, position=place, points={"A": pin})
    ground = m.ground.point("O", (0,) * space)
    m.revolute("A", ground, b["A"])
    try:
        run = jd.simulate(m, 0.1, progress=False)
    except jd.MechanismError as error:
        assert far >= 1e100
        assert "'A'" in str(error) or "'b'" in str(error)
        return
    assert run.status.ok
    assert np.max(run.violation.position) < 1e-12
    assert math.hypot(run["b.x"][0], run["b.y"][0]) == pytest.approx(0.5, abs=1e-11)


def test_what_cannot_be_measured_is_refused_by_name() -> None:
    m = jd.Mechanism("p", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=1, position=(1e200, 0), points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), b["A"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(jd.MechanismError, match="'b' is drawn too far away"):
            jd.simulate(m, 0.1, progress=False)


# Many turns -----------------------------------------------------------------------------------------------------------


def geared(speed: float, apart: float) -> jd.Mechanism:
    m = jd.Mechanism("shafts")
    for name, x in (("A", 0.0), ("B", apart)):
        b = m.body(f"w{name}", mass=1, inertia=1, position=(x, 0), points={"O": (0, 0)})
        m.revolute(name, m.ground.point(name, (x, 0)), b["O"], initial={"speed": speed} if name == "A" else None)
    m.gear("mesh", joints=("A", "B"), ratio=-3.14159)
    return m


@pytest.mark.parametrize(("speed", "apart"), [(1e4, 1.0), (1e4, 1e-9), (1e7, 1e6)])
def test_rounding_of_large_angles_locks_nothing(speed: float, apart: float) -> None:
    """Nothing brakes the shafts: angles are speed times time, to the last digits that such a number has."""
    run = jd.simulate(geared(speed, apart), 100.0, progress=False)
    assert (run.status.ok, run.status.notes) == (True, ())
    assert run["A.angle"][-1] == pytest.approx(100 * speed, rel=1e-10)
    assert np.max(np.abs(run["A.angle"] + 3.14159 * run["B.angle"])) < 1e-14 * 100 * speed + 1e-7


def test_a_motion_goes_on_after_many_turns() -> None:
    m = jd.Mechanism("rotor")
    b = m.body("b", mass=1, inertia=1, position=(0, 0), points={"O": (0, 0)})
    m.revolute("J", m.ground.point("O", (0, 0)), b["O"])
    m.motion("M", joint="J", angle="3e6*t + sin(t)")
    run = jd.simulate(m, 20.0, every=1.0, progress=False)
    assert run.status.ok
    assert np.max(np.abs(run["J.angle"] - 3e6 * run.t - np.sin(run.t))) < 1e-6


# Light bodies ---------------------------------------------------------------------------------------------------------


def on_a_rod(mass: float, inertia: float) -> jd.Mechanism:
    """A point mass of 1 kg on the end of a rod of 1 m."""
    m = jd.Mechanism("rod", gravity=(0, -9.81))
    a = m.body("a", mass=mass, inertia=inertia, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    c = m.body("c", mass=1, inertia=0, position=(1, 0), points={"B": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), a["A"])
    m.revolute("B", a["B"], c["B"])
    return m


def height(mass: float, inertia: float, t: float) -> float:
    """Of the point mass: one equation, (I + m/4 + 1) q'' = -(m/2 + 1) g cos q."""
    ratio = 9.81 * (mass / 2 + 1) / (inertia + mass / 4 + 1)
    found = solve_ivp(lambda _, y: [y[1], -ratio * math.cos(y[0])], (0, t), [0, 0], "DOP853", rtol=1e-12, atol=1e-12)
    return math.sin(found.y[0, -1])


@pytest.mark.parametrize(("mass", "inertia"), [(1e-3, 1e-4), (1e-7, 1e-9), (1e-9, 1e-12), (1e-11, 1e-11)])
def test_light_rods_carry_as_massless_ones(mass: float, inertia: float) -> None:
    run = jd.simulate(on_a_rod(mass, inertia), 2.0, progress=False)
    assert run.status.ok
    assert abs(run["c.y"][-1] - height(mass, inertia, 2.0)) < 1e-8
    assert run.statistics.steps < 100  # as many as with a rod of 1 g: noise would make thousands


@pytest.mark.parametrize("mass", [1e-13, 1e-15, 1e-20])
def test_a_rod_too_light_for_rounding_is_named(mass: float) -> None:
    with pytest.warns(jd.SimulationWarning):
        run = jd.simulate(on_a_rod(mass, mass), 2.0, progress=False)
    assert not run.status.ok
    assert "body 'a' is so light" in run.status.sentence


# Headway --------------------------------------------------------------------------------------------------------------


def quick_and_slow() -> jd.Mechanism:
    m = jd.Mechanism("fast", gravity=(0, -9.81))
    ground = m.ground.point("O", (0, 0))
    for name, mass, place, stiffness in (("slow", 1.0, (0, 1), 10.0), ("quick", 1e-4, (1.3, 0), 1e6)):
        b = m.body(name, mass=mass, inertia=1, position=place, points={"P": (0, 0)})
        m.spring_damper(f"of_{name}", ground, b["P"], stiffness=stiffness, length=1.0)
    return m


def test_the_motion_that_sets_the_step_is_named() -> None:
    session = jd.session(quick_and_slow())
    session.advance(1e-3)
    before = session.checkpoint()
    words = why(session.loop)
    assert words == "a vibration at 1e+05 rad/s, mostly of body 'quick' sets the step; 'of_quick' drives it"
    assert session.checkpoint() == before  # sqrt(1e6 / 1e-4) = 1e5, and nothing was changed to find it


def test_a_run_without_headway_says_why_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headway, "FIRST_LOOK", 0.0)
    monkeypatch.setattr(headway, "BETWEEN", 0.0)
    looks: list[float] = []

    def stop(look: Any) -> None:
        looks.append(look.t)
        if len(looks) == 5:
            raise KeyboardInterrupt

    with pytest.warns(jd.SimulationWarning) as told:
        run = jd.simulate(quick_and_slow(), times=[0, 1e-3, 2e-3, 1e9], progress=stop)
    assert "hardly any headway" in str(told[0].message)
    assert "mostly of body 'quick' sets the step" in str(told[0].message)
    assert run.status.interrupted
    assert len(run.t) == 3
    assert any("hardly any headway" in note for note in run.status.notes)


def test_a_run_that_is_too_long_does_not_blame_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headway, "FIRST_LOOK", 0.0)
    monkeypatch.setattr(headway, "BETWEEN", 0.0)
    monkeypatch.setattr(headway, "FAST", 0.0)
    looks: list[float] = []

    def stop(look: Any) -> None:
        looks.append(look.t)
        if len(looks) == 5:
            raise KeyboardInterrupt

    with pytest.warns(jd.SimulationWarning) as told:
        run = jd.simulate(quick_and_slow(), times=[0, 1e-3, 1e300], progress=stop)
    assert str(told[0].message).startswith("a long way to t = 1e+300 s: at t = ")
    assert ": ask for a shorter run; interrupt it" in str(told[0].message)
    assert run.status.interrupted
    assert len(run.t) == 2


def test_steps_below_rounding_name_what_asks_for_them() -> None:
    m = jd.Mechanism("fast")
    b = m.body("quick", mass=1e-10, inertia=1, position=(1.3, 0), points={"P": (0, 0)})
    m.spring_damper("hard", m.ground.point("O", (0, 0)), b["P"], stiffness=1e10, length=1.0)
    with pytest.warns(jd.SimulationWarning, match="'quick' sets the step; 'hard' drives it"):
        jd.simulate(m, 1.0, progress=False)


# Statics --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-13, 1e-9, 1.0, 1e6])
def test_distances_are_as_good_in_small_machines(size: float) -> None:
    """A weight that is let go on a rope just tight: depth (1 - cos(w t)) g / w^2, in a time that has no size."""
    m = jd.Mechanism("rope", gravity=(0, -0.1 * size))
    m.body("bob", mass=2, inertia=size**2, position=(0, -size), angle=0, spin=0, velocity=(0, 0), points={"C": (0, 0)})
    m.rope("r", m.ground.point("O", (0, 0)), m["bob"]["C"], length=size, stiffness=2.0)
    run = jd.simulate(m, 3.0, every=0.5)
    depth = 0.1 * (1 - np.cos(run.t))
    assert run["r.stretch"] / size == pytest.approx(depth, abs=1e-8)  # ten times the tolerance
    assert run["bob.y"] / size == pytest.approx(-1 - depth, abs=1e-8)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("force", [1e-12, 1e12])
@pytest.mark.parametrize("law", ["-u**3", "-u**5", "-sign(u)*abs(u)**1.5"])
def test_flat_equilibria_are_found(size: float, force: float, law: str) -> None:
    """The force vanishes at 0.3 sizes, and its slope with it (or it is infinite)."""
    m = jd.Mechanism("s")
    b = m.body("b", mass=1, inertia=0.1, position=(0.4 * size, 0), points={"P": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), b["P"])
    m.force("F", on=b["P"], vector=(f"{force}*({law})".replace("u", f"(b.x/{size}-0.3)"), 0))
    found = jd.statics(m)
    assert found.stability in ("stable", "neutral")
    assert found["b.x"] / size == pytest.approx(0.3, abs=1e-9)


def test_flat_equilibria_of_several_bodies_are_found() -> None:
    m = jd.Mechanism("s")
    for k, law in enumerate(("-b0.x**3", "-(b1.x-1)**3", "2-b2.x")):
        b = m.body(f"b{k}", mass=1, inertia=0.1, position=(0.1, k), points={"P": (0, 0)})
        m.prismatic(f"S{k}", m.ground.point(f"O{k}", (0, k)), b["P"])
        m.force(f"F{k}", on=b["P"], vector=(law, 0))
    found = jd.statics(m)
    # Forces of cubes vanish to rounding well before displacements do.
    assert [found[f"b{k}.x"] for k in range(3)] == pytest.approx([0, 1, 2], abs=1e-4)


def test_a_force_that_jumps_balances_nowhere() -> None:
    m = jd.Mechanism("s")
    b = m.body("b", mass=1, inertia=0.1, position=(0.1, 0), points={"P": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), b["P"])
    m.force("F", on=b["P"], vector=("-1-2*sign(b.x-0.05)", 0))
    with pytest.raises(jd.EquilibriumError):
        jd.statics(m)


# Energy ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", ["sin(20*pi*t)**2", "1e-6*sin(20*pi*t)**4", "1e6*sin(20*pi*t)**2"])
def test_samples_at_rest_raise_no_alarm(speed: str) -> None:
    """Every sample falls on a zero of the speed; sin^2 is 1/2 in the mean, sin^4 is 3/8."""
    m = jd.Mechanism("s")
    b = m.body("b", mass=1, inertia=0.1, position=(0, 0), points={"P": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), b["P"])
    m.motion("D", joint="S", speed=speed)
    run = jd.simulate(m, 10.0, progress=False)
    mean = {"s": 0.5, "1e-": 3e-6 / 8, "1e6": 5e5}[speed[:3] if speed[0] == "1" else "s"]
    assert run["b.x"][-1] == pytest.approx(10 * mean, rel=1e-8, abs=1e-9)  # the default tolerance
    assert run.status.notes == ()


# Bushings -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, -1, 0), (1, 2, 8)])
@pytest.mark.parametrize("turn", [1.0, 2.0, 2.2, 3.0, 3.1415926])
def test_bushings_turn_back_along_their_rotation(axis: tuple[float, ...], turn: float) -> None:
    """With equal stiffness the moment on a body that is turned is -k times its rotation vector, up to half a turn."""
    n = np.array(axis) / np.linalg.norm(axis)
    q = (math.cos(turn / 2), *(math.sin(turn / 2) * n))
    m = jd.Mechanism("b", gravity=(0, 0, 0))
    b = m.body("b", mass=1, inertia=(1, 1, 1), position=(0, 0, 0), quaternion=q, points={"P": (0, 0, 0)})
    m.bushing("mount", m.ground.point("O", (0, 0, 0)), b["P"], stiffness=(1, 1, 1, 2, 2, 2))
    run = jd.simulate(m, 1e-9, progress=False)
    found = [run[f"mount.{name}"][0] for name in ("rx", "ry", "rz")]
    assert found == pytest.approx(turn * n, abs=1e-12)
    faster = [run[f"b.{name}"][0] for name in ("wx_rate", "wy_rate", "wz_rate")]
    assert faster == pytest.approx(-2 * turn * n, abs=1e-7)


@pytest.mark.parametrize(("spin", "damping"), [((0, 0, 10), 0.0), ((1, 2, 8), 0.1), ((5, -5, 0), 0.0)])
def test_bushings_pass_half_a_turn(spin: tuple[float, ...], damping: float) -> None:
    m = jd.Mechanism("b", gravity=(0, 0, 0))
    b = m.body("b", mass=1, inertia=(1, 1.1, 1.2), position=(0, 0, 0), spin=spin, points={"P": (0, 0, 0)})
    k = (100, 100, 100, 2, 2, 2)
    m.bushing("mount", m.ground.point("O", (0, 0, 0)), b["P"], stiffness=k, damping=(0, 0, 0, *(damping,) * 3))
    run = jd.simulate(m, 1.5, progress=False)
    assert run.status.ok
    assert run.statistics.steps < 300
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.total[0]  # the potential has a kink there, and no jump


@pytest.mark.parametrize(
    ("written", "far", "place"),
    [("A: [0, 0]", "A: [0, -1e308]", "3:12"), ("position: [0, 0]", "position: [1e200, 0]", "5:40")],
)
def test_what_is_too_far_away_to_be_measured_is_told_with_its_place(tmp_path, written, far, place) -> None:
    bar = "{mass: 1, inertia: 1, position: [0, 0], points: {P: [0, 0]}}"
    text = f"jourdain: 1\nground:\n  points: {{A: [0, 0]}}\nbodies:\n  bar: {bar}\n"
    path = tmp_path / "far.yaml"
    path.write_text(text.replace(written, far))
    with pytest.raises(jd.MechanismError, match=rf"far.yaml:{place}: .* is drawn too far away to be measured"):
        jd.simulate(jd.load(path), 1.0)


# Starts of joints -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", [True, False])
def test_a_start_of_a_joint_moves_the_body_that_is_free(written: bool) -> None:
    """An arm that is written at rest stays so; where nothing is written, momentum is kept."""
    m = jd.Mechanism("rotor", gravity=(0, 0))
    still: Any = {"velocity": (0, 0), "spin": 0} if written else {}
    arm = m.body("arm", mass=1, inertia=1, position=(0, 0), points={"R": (1, 0)}, **still)
    rotor = m.body("rotor", mass=1, inertia=1, position=(1, 0), points={"R": (0, 0)})
    m.revolute("shaft", arm["R"], rotor["R"], initial={"speed": 10})
    run = jd.simulate(m, 0.1, progress=False)
    assert run["shaft.speed"][0] == pytest.approx(10)
    assert (abs(run["arm.spin"][0]) < 1e-12) == written
    assert run["rotor.spin"][0] == pytest.approx(10) or not written
    assert run.status.notes == ()


def test_a_written_velocity_that_a_start_of_a_joint_changes_is_told() -> None:
    m = jd.Mechanism("rotor", gravity=(0, 0))
    b = m.body("b", mass=1, inertia=1, position=(0, 0), spin=3, points={"O": (0, 0)})
    m.revolute("J", m.ground.point("O", (0, 0)), b["O"], initial={"speed": 10})
    run = jd.simulate(m, 0.1, progress=False)
    assert run["J.speed"][0] == pytest.approx(10)
    assert any("changed the spin of body 'b' by 7 rad/s" in note for note in run.status.notes)
