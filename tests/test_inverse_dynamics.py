"""Inverse dynamics: efforts against power balances, and back again by simulation; what is refused, by its text."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jourdain as jd
from linkages import four_bar, pins, rates

LENGTHS = (1, 3, 2.5, 3.2)


def back_again(found: jd.InverseDynamics, channel: str) -> float:
    """How far a simulation with the efforts is from the motion that was prescribed."""
    run = jd.simulate(found.driven_by_efforts(), times=found.t, state=found.state(0), rtol=1e-11)
    assert run.status.ok
    return float(np.max(np.abs(run[channel] - found[channel])))


def test_torque_of_a_four_bar_by_its_power() -> None:
    """T w = sum (m a . v + I alpha w) + m g v_y, all from the closed form of the loop."""
    speed = 4.0
    found = jd.inverse_dynamics(four_bar(*LENGTHS), drive="A", from_=0, to="360 deg", speed=speed, points=73)
    theta = np.linspace(0, 2 * math.pi, 73)
    B, _, beta, gamma = pins(theta, *LENGTHS)
    w2, w3, a2, a3 = rates(theta, speed, *LENGTHS)
    a, b, c, _ = LENGTHS
    vB, aB = 1j * speed * B, -(speed**2) * B
    half = b / 2 * np.exp(1j * beta)
    v2, A2 = vB + 1j * w2 * half, aB + (1j * a2 - w2**2) * half
    arm = c / 2 * np.exp(1j * gamma)
    v3, A3 = 1j * w3 * arm, (1j * a3 - w3**2) * arm
    power = np.zeros(73)
    for mass, v, acceleration in ((a, vB / 2, aB / 2), (b, v2, A2), (c, v3, A3)):
        power += mass * ((acceleration * v.conj()).real + 9.81 * v.imag)
    power += b**3 / 12 * a2 * w2 + c**3 / 12 * a3 * w3
    np.testing.assert_allclose(found.efforts["drive"] * speed, power, rtol=1e-11, atol=1e-9)
    assert found.sources == {"drive": "drive.torque"}
    assert "effort  drive: up to " in str(found)


def test_back_by_simulation_with_springs_and_friction() -> None:
    m = four_bar(*LENGTHS)
    m.torsion_spring_damper("twist", joint="D", stiffness=3.0, damping=0.4)
    m.friction("bearing", joint="B", coefficient=0.2, radius=0.05)
    m.motion("drive", joint="A", angle="1 + 0.9*sin(2*t)")
    found = jd.inverse_dynamics(m, duration=1.5, every=0.002)
    assert back_again(found, "rocker.angle") < 1e-7


def test_back_by_simulation_from_joints_by_formula() -> None:
    """An open chain with two joints prescribed; efforts by the names of the joints."""
    m = jd.example("double_pendulum")
    found = jd.inverse_dynamics(m, {"A": "0.3*sin(3*t)", "B": "0.2*t**2"}, duration=1.0, every=0.005)
    assert list(found.efforts) == ["A", "B"]
    np.testing.assert_allclose(found["B.angle"] - 0.2 * found.t**2, 0, atol=1e-12)
    assert back_again(found, "B.angle") < 1e-7


def test_back_by_simulation_in_space() -> None:
    found = jd.inverse_dynamics(jd.example("rssr"), duration=1.0, every=0.002)
    assert back_again(found, "rocker.B.x") < 1e-7


def test_back_by_simulation_of_a_driven_point() -> None:
    m = jd.Mechanism("mass", gravity=(0, -9.81))
    body = m.body("body", mass=2, inertia=0.1, position=(0, 0), angle=0, points={"P": (0, 0)})
    m.prismatic("rail", m.ground.point("O", (0, 0)), body["P"])
    m.motion("hand", point=body["P"], x="t**2")
    found = jd.inverse_dynamics(m, duration=1.0, every=0.02)
    np.testing.assert_allclose(found.efforts["hand.fx"], 4.0, atol=1e-11)
    assert back_again(found, "body.x") < 1e-7


def test_efforts_of_a_run_through_its_spline() -> None:
    """A motor that swings a linkage; the inverse of the run is the motor."""
    m = four_bar(*LENGTHS)
    m.torque("motor", on="crank", torque="20*sin(3*t)")
    run = jd.simulate(m, 1.5, every=0.002, rtol=1e-12)
    found = jd.inverse_dynamics(four_bar(*LENGTHS), run, actuators=["A"])
    inner = slice(10, -10)  # a spline knows less at its ends
    np.testing.assert_allclose(found.efforts["A"][inner], 20 * np.sin(3 * run.t[inner]), atol=1e-5)
    np.testing.assert_allclose(found["rocker.angle"], run["rocker.angle"], atol=1e-8)


@pytest.mark.parametrize("weights", [None, {"A": 1.0, "D": 4.0, "C": 0.5}])
def test_actuators_that_share(weights: dict[str, float] | None) -> None:
    """Least squares under one power balance: each effort goes with its own speed over its weight."""
    m = four_bar(*LENGTHS, angle="1 + 1.5*t")
    alone = jd.inverse_dynamics(m, duration=2.0, every=0.05)
    found = jd.inverse_dynamics(m, actuators=["A", "D", "C"], weights=weights, duration=2.0, every=0.05)
    w = np.array([(weights or {}).get(name, 1.0) for name in ("A", "D", "C")])
    speeds = np.array([found[f"{name}.speed"] for name in ("A", "D", "C")])
    hold = speeds / w[:, None]
    expected = alone["drive.power"] * hold / np.sum(speeds * hold, axis=0)
    for name, values in zip(("A", "D", "C"), expected, strict=True):
        np.testing.assert_allclose(found.efforts[name], values, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found[f"actuator_{name}.torque"], values, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["drive.torque"], 0.0, atol=1e-9)
    assert len(found.internal) == 2
    for stress in found.internal:
        assert abs(sum(stress[name] * found[f"{name}.speed"][0] for name in stress)) < 1e-9
    assert any("2 actuators more than needed" in note for note in found.status.notes)
    assert "these efforts together move nothing" in str(found)


def test_reactions_under_shared_efforts_are_those_of_the_simulation() -> None:
    m = four_bar(*LENGTHS, angle="1 + 1.5*t")
    found = jd.inverse_dynamics(m, actuators=["A", "D"], duration=1.0, every=0.01)
    run = jd.simulate(found.driven_by_efforts(), times=found.t, state=found.state(0), rtol=1e-11)
    for joint in "ABCD":
        np.testing.assert_allclose(run.reactions[joint].force, found.reactions[joint].force, rtol=1e-5, atol=1e-4)
    assert np.ptp(found["D.fx"]) > 1.0


def test_hardly_any_hold_is_told() -> None:
    """The rocker stands still at a dead point of its own; no torque there moves the crank."""
    m = four_bar(*LENGTHS, angle="t")
    found = jd.inverse_dynamics(m, actuators=["D"], duration=1.0, every=0.001)
    assert any("near t = 0.675 s the actuators have hardly any hold on the motion" in n for n in found.status.notes)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"actuators": ["E"]}, "no joint 'E' for an actuator; known: A, B, C, D"),
        ({"actuators": []}, "actuators is empty; expected joints: A, B, C, D"),
        ({"actuators": ["A", "A"]}, "actuator 'A' is named twice"),
        ({"weights": {"A": 1}}, "weights say how actuators share the work; name the actuators too"),
        (
            {"actuators": ["A"], "weights": {"B": 1, "A": 0}},
            "weight of 'B', which is no actuator; known: A; weight of 'A' is 0; expected a positive number",
        ),
        ({"motion": {"A": "t"}, "drive": "A"}, "motion and drive both say how it moves; keep one"),
        ({"motion": {"x": "t", "y": "t"}}, "no joint or motion 'x' to drive.*no joint or motion 'y' to drive"),
        ({"motion": 3}, "motion is 3; expected joints by name with their angle or displacement, or a run"),
    ],
)
def test_refusals(arguments, words: str) -> None:
    with pytest.raises(jd.ChoiceError, match=words):
        jd.inverse_dynamics(four_bar(*LENGTHS), duration=1.0, **arguments)


def test_names_that_the_analysis_needs_are_not_overwritten() -> None:
    m = four_bar(*LENGTHS, angle="t")
    m.parameter("effort_A", 3.0)
    with pytest.raises(jd.ChoiceError, match="inverse_dynamics needs the names effort_A for itself; rename"):
        jd.inverse_dynamics(m, actuators=["A"], duration=1.0)
    m = four_bar(*LENGTHS)
    m.parameter("drive", 3.0)
    assert jd.inverse_dynamics(m, drive="A", points=3).sources == {"drive_A": "drive_A.torque"}


def test_a_run_read_back_from_a_file(tmp_path) -> None:
    run = jd.simulate(four_bar(*LENGTHS), 0.5, every=0.002)
    run.save(tmp_path / "run.json")
    found = jd.inverse_dynamics(four_bar(*LENGTHS), jd.load_results(tmp_path / "run.json"))
    assert np.max(np.abs(found.efforts["drive"][10:-10])) < 1e-3  # nothing drove it
    with pytest.raises(jd.MechanismError, match="it is locked, so it cannot follow a motion"):
        jd.inverse_dynamics(locked(), run)


def locked() -> jd.Mechanism:
    m = jd.Mechanism("post")
    bar = m.body("bar", mass=1, inertia=1, position=(0, 0), angle=0, points={"P": (0, 0)})
    m.weld("P", m.ground.point("P", (0, 0)), bar["P"])
    return m


def test_too_few_actuators_and_too_few_motions() -> None:
    m = jd.example("double_pendulum")
    words = "the actuators B cannot make this motion: 2 freedoms are driven, and they act on 1; add one of A"
    with pytest.raises(jd.MechanismError, match=words):
        jd.inverse_dynamics(m, {"A": "t", "B": "2*t"}, actuators=["B"], duration=0.5)
    with pytest.raises(jd.MechanismError, match="1 freedom is not driven, so the motion is not determined"):
        jd.inverse_dynamics(m, {"A": "t"}, duration=0.5)
    with pytest.raises(jd.ChoiceError, match="efforts of 3 samples cannot be joined smoothly"):
        jd.inverse_dynamics(m, {"A": "t", "B": "t"}, times=[0, 1, 2]).driven_by_efforts()
