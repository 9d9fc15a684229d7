"""Statics against closed forms: equilibria, reactions, stability, and refusals by their texts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import jourdain as jd
from jourdain.mechanism.parts import PortName
from jourdain.model.states import BodyState
from random_mechanisms import random_mechanism

G = 9.81


def pendulum(angle: float = 0.0, name: str = "pendulum") -> jd.Mechanism:
    """A rod of 1 m and 2 kg, drawn at an angle from the x axis."""
    m = jd.Mechanism(name, gravity=(0, -G))
    at = (0.5 * np.cos(angle), 0.5 * np.sin(angle))
    rod = m.body("rod", mass=2, inertia=1 / 6, position=at, angle=angle, points={"A": (-0.5, 0), "B": (0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    return m


# Closed forms -------------------------------------------------------------------------------------------------------


def test_a_rod_drawn_level_hangs_down_and_its_pin_bears_the_weight() -> None:
    eq = jd.statics(pendulum())
    assert eq["rod.angle"] == pytest.approx(-np.pi / 2, abs=1e-14)
    assert (eq["A.fx"], eq["A.fy"]) == (pytest.approx(0, abs=1e-12), pytest.approx(2 * G, rel=1e-14))
    assert eq.stability == "stable" and eq.stable
    assert eq.stiffness == pytest.approx([1.5 * G], rel=1e-11)  # m g l / I, about the pin
    assert eq.turned["rod"] == pytest.approx(np.pi / 2) and eq.moved["rod"] == pytest.approx(np.sqrt(0.5))


def test_a_chain_of_links_between_two_supports_is_the_discrete_catenary() -> None:
    """tan of link i = (mean vertical force in it) / H; H from the span (Routh, Analytical Statics)."""
    n, length, weight, span = 9, 1.0, 2 * G, 6.0
    middles = weight * (np.arange(1, n + 1) - (n + 1) / 2)

    def gap(H: float) -> float:
        return float(np.sum(length * np.cos(np.arctan(middles / H)))) - span

    H = brentq(gap, 1e-3, 1e4, xtol=1e-13, rtol=1e-14)
    m = jd.Mechanism("chain", gravity=(0, -G))
    m.ground.point("L", (0, 0))
    m.ground.point("R", (span, 0))
    end = m.ground["L"]
    for k in range(n):  # drawn as a roof, the wrong way up
        turn = 0.8 if k < n / 2 else -0.8
        ends = {"a": (-length / 2, 0), "b": (length / 2, 0)}
        link = m.body(f"link{k}", mass=2, inertia=2 / 12, angle=turn, points=ends)
        m.revolute(f"J{k}", end, link["a"])
        end = link["b"]
    m.revolute("J9", end, m.ground["R"])
    eq = jd.statics(m, seek="stable")
    angles = np.array([np.sin(eq[f"link{k}.angle"]) for k in range(n)])
    assert angles == pytest.approx(np.sin(np.arctan(middles / H)), abs=1e-11)
    assert eq["J0.fx"] == pytest.approx(-H, rel=1e-10) and eq["J0.fy"] == pytest.approx(n * weight / 2, rel=1e-10)
    assert eq.stability == "stable" and len(eq.stiffness) == n - 2


def toggle(angle: float) -> jd.Mechanism:
    """Two bars of 1 m, pinned at the left, a knee between them, sliding at the right against a spring of 500 N/m."""
    m = jd.Mechanism("toggle", gravity=(0, 0))
    m.parameter("P", 20)
    m.parameter("idle", 1)
    c, s = np.cos(angle), np.sin(angle)
    ends = {"a": (-0.5, 0), "b": (0.5, 0)}
    left = m.body("left", mass=1, inertia=0.1, position=(c / 2, s / 2), angle=angle, points=ends)
    right = m.body("right", mass=1, inertia=0.1, position=(1.5 * c, s / 2), angle=-angle, points=ends)
    block = m.body("block", mass=1, inertia=1, position=(2 * c, 0), points={"O": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), left["a"])
    m.revolute("knee", left["b"], right["a"])
    m.revolute("C", right["b"], block["O"])
    m.prismatic("guide", m.ground["A"], block["O"])
    m.actuator("spring", joint="guide", stiffness=500, free=2 * np.cos(0.6))
    m.force("load", on=left["b"], vector=(0, "-P"))
    return m


def toggle_slope(angle: float) -> float:
    """dV/d(angle) of V = P sin + k/2 (2 cos - x0)^2."""
    return float(20 * np.cos(angle) - 2 * 500 * np.sin(angle) * (2 * np.cos(angle) - 2 * np.cos(0.6)))


def test_a_toggle_with_a_spring_has_three_equilibria_and_each_is_found() -> None:
    upper = brentq(toggle_slope, 0.3, 0.8, xtol=1e-15)
    middle = brentq(toggle_slope, 0.0, 0.3, xtol=1e-15)
    lower = brentq(toggle_slope, -0.9, -0.4, xtol=1e-15)
    for seek, start, angle, stability in (
        ("downhill", 0.7, upper, "stable"),
        ("downhill", 0.01, lower, "stable"),
        ("nearest", middle + 0.03, middle, "unstable"),
        ("stable", middle, None, "stable"),
    ):
        eq = jd.statics(toggle(start), seek=seek)
        assert eq.stability == stability
        if angle is None:
            angle = min((upper, lower), key=lambda x: abs(x - eq["left.angle"]))
        assert eq["left.angle"] == pytest.approx(angle, abs=1e-12)
        assert eq["spring.force"] == pytest.approx(-500 * (2 * np.cos(angle) - 2 * np.cos(0.6)), rel=1e-9)
        assert eq["A.fy"] == pytest.approx(10, rel=1e-9)  # either end bears half the load


def test_a_path_of_equilibria_follows_the_load_and_tells_where_it_snaps() -> None:
    loads = np.linspace(0, 120, 13)
    path = jd.equilibria(toggle(0.6), "P", loads)
    for load, angle in zip(loads, path["left.angle"], strict=True):
        assert load * np.cos(angle) == pytest.approx(2000 * np.sin(angle) * (np.cos(angle) - np.cos(0.6)), abs=1e-8)
    bears = max(2000 * np.tan(x) * (np.cos(x) - np.cos(0.6)) for x in np.linspace(0, 0.6, 2001))
    assert path.snaps == (int(np.searchsorted(loads, bears)),) and path.stability == ("stable",) * 13
    assert "90  stable; snapped there from the one before" in str(path)
    assert path[0]["left.angle"] == pytest.approx(0.6, abs=1e-12) and len(path) == 13


def test_a_path_over_what_is_no_parameter_is_refused() -> None:
    with pytest.raises(jd.ChoiceError, match="there is no parameter 'p'; known: P, idle"):
        jd.equilibria(toggle(0.6), "p", [1.0])
    with pytest.raises(jd.ChoiceError, match="input 'idle': no formula of the mechanism uses this parameter any more"):
        jd.equilibria(toggle(0.6), "idle", [1.0])
    with pytest.raises(jd.ChoiceError, match="expected one or more numbers"):
        jd.equilibria(toggle(0.6), "P", [])


def buckler(stiffness: float, angle: float = np.pi / 2) -> jd.Mechanism:
    """The rod stands on its pin, held by a torsion spring; m g l / 2 of the rod is 2 G / 2."""
    m = pendulum(angle, "buckler")
    m.torsion_spring_damper("hinge", joint="A", stiffness=stiffness, angle=np.pi / 2)
    return m


def test_a_rod_on_a_torsion_spring_buckles_where_the_spring_equals_the_weight() -> None:
    critical = 2 * G * 0.5
    assert jd.statics(buckler(1.001 * critical)).stability == "stable"
    neutral = jd.statics(buckler(critical))
    assert neutral.stability == "neutral"
    assert "neutral: nothing resists rod turns and moves" in str(neutral)
    upright = jd.statics(buckler(0.8 * critical))
    assert upright.stability == "unstable" and upright["rod.angle"] == pytest.approx(np.pi / 2, abs=1e-14)
    assert "unstable: pushed away along rod turns and moves" in str(upright)
    assert "seek='stable' goes on downhill from here" in upright.notes
    bent = jd.statics(buckler(0.8 * critical), seek="stable")
    lean = brentq(lambda x: 0.8 * x - np.sin(x), 0.5, 2.0, xtol=1e-15)
    assert abs(bent["rod.angle"] - np.pi / 2) == pytest.approx(lean, abs=1e-11) and bent.stable


def test_a_lever_balances_and_bears_both_weights() -> None:
    """3 kg at 1 m against a spring of 200 N/m upright at 0.5 m: it gives by 3 g 1 / 0.5 / 200."""
    m = jd.Mechanism("lever", gravity=(0, -G))
    points = {"O": (0, 0), "load": (1, 0), "S": (-0.5, 0)}
    lever = m.body("lever", mass=3, inertia=0.2, centre=(1, 0), position=(0, 0), points=points)
    m.revolute("O", m.ground.point("O", (0, 0)), lever["O"])
    pull = 3 * G / 0.5
    m.spring_damper("spring", lever["S"], m.ground.point("S", (-0.5, -1.0)), stiffness=200, length=1.0 - pull / 200)
    eq = jd.statics(m)
    assert eq["lever.angle"] == pytest.approx(0, abs=1e-12)
    assert eq["spring.force"] == pytest.approx(pull, rel=1e-12)
    assert eq["O.fy"] == pytest.approx(3 * G + pull, rel=1e-12)


def test_a_beam_on_three_supports_has_unique_reactions_only_where_rigid_bodies_give_them() -> None:
    m = jd.Mechanism("beam", gravity=(0, -G))
    beam = m.body("beam", mass=12, inertia=4, position=(1, 0), points={"A": (-1, 0), "B": (0, 0), "C": (1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), beam["A"])
    for name, x in (("B", 1.0), ("C", 2.0)):
        m.point_on_line(name, m.ground.point(name, (x, 0)), beam[name])
    m.force("push", on=beam["C"], vector=(7, 0))
    eq = jd.statics(m)
    assert eq.stability == "locked" and eq.stable and len(eq.stiffness) == 0
    assert eq["A.fx"] == pytest.approx(-7, rel=1e-12) and eq.reactions["A"].unique == {
        "fx": True,
        "fy": False,
        "mz": True,
    }
    assert sum(eq[f"{name}.fy"] for name in "ABC") == pytest.approx(12 * G, rel=1e-12)
    assert "rigid bodies do not determine all reactions: those of A, B, C are one possibility of many" in eq.notes
    assert "not unique: fy" in str(eq)


def test_a_body_on_three_springs_in_space_sinks_by_its_weight() -> None:
    m = jd.Mechanism("table", gravity=(0, 0, -G))
    feet = {f"P{k}": (np.cos(2.1 * k), np.sin(2.1 * k), 0.0) for k in range(3)}
    top = m.body("top", mass=6, inertia=(1, 1, 2), position=(0, 0, 1), points=feet)
    for k in range(3):
        x, y, _ = feet[f"P{k}"]
        foot = m.ground.point(f"G{k}", (x, y, 0))
        m.bushing(f"leg{k}", foot, top[f"P{k}"], stiffness=(900, 900, 300, 0, 0, 0), damping=(1, 1, 1, 0, 0, 0))
    eq = jd.statics(m)  # springs of no length: each foot lies 6 g / 900 below the floor, if the weight is shared
    weights = np.linalg.solve([[1, 1, 1], *np.array([feet[f"P{k}"][:2] for k in range(3)]).T], [6 * G, 0, 0])
    assert [eq[f"leg{k}.fz"] for k in range(3)] == pytest.approx(weights, rel=2e-2)  # it leans a little
    assert sum(eq[f"leg{k}.fz"] for k in range(3)) == pytest.approx(6 * G, rel=1e-11)
    assert eq.stable


# Time, states, friction ---------------------------------------------------------------------------------------------


def test_motions_and_loads_stand_still_as_at_the_time_asked_for() -> None:
    m = pendulum()
    m.motion("drive", joint="A", angle="0.3 + 2*t + 5*t**2")
    m.force("push", on=PortName("rod", "B"), vector=("4*t", 0))
    t = 0.2
    eq = jd.statics(m, t=t)
    angle = 0.3 + 2 * t + 5 * t**2
    assert eq["rod.angle"] == pytest.approx(angle, abs=1e-14)
    assert eq["rod.spin"] == 0 and eq["rod.spin_rate"] == pytest.approx(0, abs=1e-12)
    assert eq["drive.torque"] == pytest.approx(2 * G * 0.5 * np.cos(angle) + 4 * t * np.sin(angle), rel=1e-12)
    assert eq["A.fx"] == pytest.approx(-4 * t, rel=1e-12)
    assert "motions and loads that depend on time stand still as at t = 0.2 s" in eq.notes


def test_motions_from_the_drawn_pose_and_driven_speeds_hold() -> None:
    m = pendulum(0.4)
    m.motion("drive", joint="A", angle="3*t", from_drawn=True)
    assert jd.statics(m, t=0.1)["rod.angle"] == pytest.approx(0.7, abs=1e-13)
    m = pendulum(0.4)
    m.motion("drive", joint="A", speed=7)
    eq = jd.statics(m)
    assert eq["rod.angle"] == pytest.approx(0.4, abs=1e-14)
    assert eq["drive.torque"] == pytest.approx(G * np.cos(0.4), rel=1e-12)


def test_states_of_elements_come_to_rest_too() -> None:
    """A controller with an integral holds the rod where it is told; its state is the torque that takes."""
    m = pendulum(0.1)
    m.pi_controller("hold", target=0.5, measured="A.angle", proportional=30, integral=12)
    m.actuator("motor", joint="A", motor="hold.output")
    eq = jd.statics(m)
    assert eq["rod.angle"] == pytest.approx(0.5, abs=1e-10)
    assert eq["motor.torque"] == pytest.approx(G * np.cos(0.5), rel=1e-9)


def test_an_equilibrium_is_a_start_that_stays() -> None:
    eq = jd.statics(toggle(0.7))
    assert isinstance(eq.state()["left"], BodyState)
    run = jd.simulate(toggle(0.7), 1.0, state=eq.state())
    assert np.max(np.abs(run["left.angle"] - eq["left.angle"])) < 1e-9


def test_facts_are_the_result_for_programs() -> None:
    facts = jd.statics(pendulum()).facts
    assert facts["stability"] == "stable" and facts["reactions"]["A"]["fy"] == pytest.approx(2 * G)
    assert facts["bodies"]["rod"]["angle"] == pytest.approx(-np.pi / 2)


@pytest.mark.parametrize(("space", "seed", "other"), [("planar", 6, "natural"), ("spatial", 5, "euler-parameters")])
def test_random_mechanisms_rest_in_other_coordinates_too(space: str, seed: int, other: str) -> None:
    """Nothing accelerates, by kernels that the search does not use; and reactions hold every body against its loads."""
    m = random_mechanism(seed, space, bodies=4, loops=1)
    eq = jd.statics(m)
    assert eq.stability == "stable"
    run = jd.simulate(m, times=[0.0], state=eq.state(), coordinates=other)
    axes = "xyz"[: 2 if space == "planar" else 3]
    accelerations = [abs(run[f"b{k}.a{axis}"][0]) for k in range(4) for axis in axes]
    assert max(accelerations) < 1e-8
    reactions = [(run[f"j0.f{axis}"][0], eq[f"j0.f{axis}"]) for axis in axes]
    assert all(a == pytest.approx(b, abs=1e-7) for a, b in reactions)


def test_a_block_dropped_on_a_stop_sinks_in_by_its_weight() -> None:
    m = jd.Mechanism("drop", gravity=(0, -G))
    up = {"angle": np.pi / 2}
    block = m.body("block", mass=3, inertia=1, position=(0, 2), points={"O": (0, 0)})
    m.prismatic("P", m.ground.point("O", (0, 0), **up), block.point("up", (0, 0), **up))
    m.stop("floor", joint="P", below=0, stiffness=1e5, damping=0.5)
    eq = jd.statics(m)
    assert eq["block.y"] == pytest.approx(-3 * G / 1e5, rel=1e-10)
    assert eq.stiffness == pytest.approx([1e5 / 3], rel=1e-8)  # on the side it is on, 0.3 mm from where it lifts off


def test_huge_forces_on_the_way_do_not_hide_small_ones() -> None:
    """A block 10 cm off a spring of 1e9 N/m carries a soft pendulum: both rest where they should."""
    m = jd.Mechanism("stiff and soft", gravity=(0, -G))
    block = m.body("block", mass=5, inertia=1, position=(0.1, 0), points={"O": (0, 0)})
    bob = m.body("bob", mass=1e-3, inertia=1e-6, position=(0.8, -0.7), points={"A": (-0.7, 0.7), "P": (0, 0)})
    m.prismatic("guide", m.ground.point("O", (0, 0)), block["O"])
    m.revolute("A", block["O"], bob["A"])
    m.actuator("spring", joint="guide", stiffness=1e9)
    m.force("wind", on=bob["P"], vector=(1e-3 * G, 0))
    eq = jd.statics(m)
    assert np.arctan2(-eq["bob.y"], eq["bob.x"] - eq["block.x"]) == pytest.approx(np.pi / 4, abs=1e-9)
    assert eq["block.x"] == pytest.approx(1e-3 * G / 1e9, abs=1e-15) and eq.stable


def test_springs_that_pull_against_each_other_balance_to_rounding() -> None:
    """Forces of a million newtons leave 1e-9 N of rounding, which is no reason to find no equilibrium."""
    m = jd.Mechanism("string")
    bead = m.body("bead", mass=1e-3, inertia=1e-6, position=(0.1, 0.2), points={"O": (0, 0), "P": (0.01, 0)})
    for k, x in enumerate((-1.0, 1.0)):
        m.spring_damper(f"s{k}", m.ground.point(f"G{k}", (x, 0)), bead["O"], stiffness=1e7, length=0.9)
    eq = jd.statics(m)
    assert (eq["bead.x"], eq["bead.y"]) == (pytest.approx(0, abs=1e-14), pytest.approx(0, abs=1e-14))
    assert eq["s0.force"] == pytest.approx(1e6, rel=1e-12)
    assert eq.stability == "neutral" and eq.direction == "bead turns"


# Refusals -----------------------------------------------------------------------------------------------------------


def test_a_free_body_falls_and_is_named() -> None:
    m = jd.Mechanism("ball", gravity=(0, -G))
    m.body("ball", mass=2, inertia=1, position=(0, 0))
    with pytest.raises(jd.EquilibriumError) as caught:
        jd.statics(m)
    text = str(caught.value)
    assert text.startswith(
        "no equilibrium of 'ball': a net force of 19.6 N along -y on body 'ball' remains after it moved"
    )
    assert text.endswith("nothing holds it back: add a joint, a spring or a stop, or take the load away")


def test_a_torque_that_turns_for_ever_is_told() -> None:
    m = jd.Mechanism("rotor", gravity=(0, 0))
    disc = m.body("disc", mass=1, inertia=0.5, position=(0, 0), points={"O": (0, 0), "P": (0.2, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), disc["O"])
    m.torque("motor", on=disc, torque=3)
    with pytest.raises(jd.EquilibriumError, match=r"a net moment of 3 N m on body 'disc' remains after it moved"):
        jd.statics(m)


def test_a_state_that_never_rests_is_told() -> None:
    m = pendulum()
    m.element("clock", states={"x": 0.0}, rates={"x": "1"})
    with pytest.raises(
        jd.EquilibriumError, match=r"the state 'clock\.x' does not come to rest: its rate is still 1 per second"
    ):
        jd.statics(m)


def test_a_constraint_that_asks_for_a_velocity_is_told() -> None:
    m = pendulum()
    m.velocity_constraint("belt", formula="rod.spin - 2")
    with pytest.raises(jd.EquilibriumError, match="'belt' asks for a velocity, and at rest there is none"):
        jd.statics(m)


def test_an_unknown_way_to_seek_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        jd.ChoiceError, match=r"seek is 'stabel'; known: downhill, nearest, stable \(did you mean 'stable'\?\)"
    ):
        jd.statics(pendulum(), seek="stabel")


def test_friction_is_left_out_and_that_is_said() -> None:
    m = pendulum()
    m.friction("bearing", joint="A", coefficient=0.3, radius=0.1)
    eq = jd.statics(m)
    assert eq["rod.angle"] == pytest.approx(-np.pi / 2, abs=1e-9)
    assert "friction is left out: at rest its forces are zero here, so that nothing sticks" in eq.notes
