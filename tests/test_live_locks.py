"""Live machines: bodies that are held where they are, hands that turn a body in space, and what happened meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd
from jourdain.files.gallery import path
from jourdain.live.engine import WRONG
from jourdain.mechanism.rotations import matrix_from_quaternion, rotation_of, rotation_vector
from live_machines import FRAME, lively

MASS, INERTIA, HALF, G = 1.0, 0.02, 0.25, 9.81


def double_pendulum() -> jd.Mechanism:
    m = jd.Mechanism("double", gravity=(0, -G))
    points = {"A": (-HALF, 0), "B": (HALF, 0)}
    one = m.body("one", mass=MASS, inertia=INERTIA, position=(HALF, 0), angle=0, points=points)
    two = m.body("two", mass=MASS, inertia=INERTIA, position=(3 * HALF, 0), angle=0, points=points)
    m.revolute("O", m.ground.point("O", (0, 0)), one["A"])
    m.revolute("J", one["B"], two["A"])
    return m


def free_body() -> jd.Mechanism:
    m = jd.Mechanism("free", gravity=(0, 0, 0))
    m.body("a", mass=2, inertia=(1.0, 2.0, 3.0), position=(0, 0, 0), points={"P": (0.5, 0, 0)}, spin=(0.2, 0, 0.5))
    return m


def attitude(live: jd.Live, body: str) -> np.ndarray:
    return matrix_from_quaternion(live._engine.structure.session.state()[body].attitude)


# Locks ---------------------------------------------------------------------------------------------------------------


def test_a_locked_body_stands_and_the_rest_swings_on_as_a_pendulum() -> None:
    live, run = lively(double_pendulum(), step=1e-3)
    run(0.4)
    spin, lower = live["one.spin"], live[["two.angle", "two.spin"]]
    held, B = live[["one.x", "one.y", "one.angle"]], live[["two.A.x", "two.A.y"]]
    arm = live[["two.x", "two.y"]] - B
    # About the pin that stops, the impulse in it has no moment: the moment of momentum of the lower bar stays.
    moment = INERTIA * lower[1] + MASS * (arm[0] * live["two.vy"] - arm[1] * live["two.vx"])
    assert abs(spin) > 1.0
    outcome = live.lock("one")
    assert outcome.ok
    assert live.locked == ("one",)
    begun = live["two.spin"]
    assert (INERTIA + MASS * HALF**2) * begun == pytest.approx(moment, rel=1e-9)
    assert outcome.lost > 0
    run(1.0)
    assert np.max(np.abs(live[["one.x", "one.y", "one.angle"]] - held)) < 1e-12
    pull = MASS * G * HALF / (INERTIA + MASS * HALF**2)
    right = solve_ivp(lambda t, y: [y[1], -pull * np.cos(y[0])], (0, 1.0), [lower[0], begun], rtol=1e-11, atol=1e-11).y[
        :, -1
    ]
    assert live[["two.angle", "two.spin"]] == pytest.approx(right, abs=1e-6)
    assert live.unlock("one").ok
    run(0.2)
    assert abs(live["one.angle"] - held[2]) > 0.01


def test_a_lock_is_no_part_of_the_document_and_follows_a_name() -> None:
    live, run = lively(path("four_bar"))
    text = live.document.text
    assert live.lock("crank").ok
    assert live.document.text == text
    assert live.apply({"do": "rename", "part": "bodies.crank", "to": "arm"}).ok
    assert live.locked == ("arm",)
    run(0.2)
    assert live["coupler.spin"] == pytest.approx(0.0, abs=1e-12)  # its one freedom is gone
    assert "already" in live.lock("arm").sentence
    assert "no body" in live.lock("rm").sentence
    assert "not locked" in live.unlock("rocker").sentence
    live.seek(0.0)
    assert live.locked == ()  # as it was then


def test_what_a_motion_drives_is_not_locked() -> None:
    live, run = lively(path("peaucellier"))
    run(0.1)
    driven = live.document.blueprint.bodies[0].name
    outcome = live.lock(driven)
    assert not outcome.ok
    assert "a motion drives it" in outcome.sentence
    assert live.locked == ()


# Hands that turn -----------------------------------------------------------------------------------------------------


def turned(now: float) -> np.ndarray:
    return np.array([0.0, 0.6 * np.sin(np.pi * now), 0.8 * now])


def test_a_body_in_space_follows_the_hand_that_turns_it() -> None:
    live, run = lively(free_body(), step=1e-3)
    begun, before_energy = attitude(live, "a"), live["energy.kinetic"]
    hand, errors = live.grab("a.P", turn=True), []
    frames = []

    def before(now: float) -> None:
        frames.append(now)
        if now > 1:
            errors.append(np.linalg.norm(rotation_vector(rotation_of(turned(now)) @ begun @ attitude(live, "a").T)))
        hand.move(turned(now))

    run(3.0, before)
    assert len(errors) > 100
    assert max(errors) < 0.02 * 0.6  # as hands that pull: 2 % of how far it goes to and fro
    assert live[["a.x", "a.y", "a.z"]] == pytest.approx(np.zeros(3), abs=1e-12)  # a torque, no force
    gained, exchanged = live["energy.kinetic"] - before_energy, live._balance.exchanged
    assert gained == pytest.approx(live["@1.work"], abs=len(frames) * WRONG * exchanged)  # what a frame may be off by
    hand.release()


def test_a_standing_body_is_turned_as_far_as_its_joints_allow() -> None:
    live, _ = lively(free_body(), step=1e-3)
    begun = attitude(live, "a")
    hand = live.grab("a.P", turn=True)
    for k in range(1, 11):
        hand.move([0.0, 0.15 * k, 0.0])
    assert rotation_vector(attitude(live, "a") @ begun.T) == pytest.approx([0.0, 1.5, 0.0], abs=1e-9)
    m = jd.Mechanism("door", gravity=(0, 0, -G))
    door = m.body("door", mass=1, inertia=(1.0, 1.0, 1.0), position=(0.5, 0, 0), points={"A": (-0.5, 0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0, 0)), door["A"])  # about z
    live, _ = lively(m, step=1e-3)
    hand = live.grab("door", at=(0, 0, 0), turn=True)
    for k in range(1, 11):
        hand.move([0.02 * k, 0.0, 0.1 * k])
    # Nearest to a turn about (0.2, 0, 1) is one about z by that part of it: the hinge stays closed.
    left = rotation_vector(attitude(live, "door"))
    assert left[:2] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert left[2] == pytest.approx(1.0, rel=0.02)
    assert live["violation.position"] < 1e-10


def test_in_the_plane_nobody_turns() -> None:
    live, _ = lively(path("four_bar"))
    with pytest.raises(jd.ChoiceError, match="in the plane"):
        live.grab("crank.B", turn=True)


def test_locks_and_turns_are_repeated_to_the_bit(tmp_path: Path) -> None:
    live, run = lively(path("stewart_platform"))
    live.record(tmp_path / "a.jdlive")
    hand = live.grab("platform", at=(0, 0, 0), turn=True)
    run(0.2, lambda now: hand.move([0.0, 0.0, 0.1 * now]))
    hand.release()
    outcome = live.lock("platform")
    assert not outcome.ok  # its legs are driven
    live.close()
    live, run = lively(free_body(), step=1e-3)
    live.record(tmp_path / "b.jdlive")
    hand = live.grab("a.P", turn=True)
    run(1.2, lambda now: hand.move(turned(now)))
    hand.release()
    assert live.lock("a").ok
    run(0.5)
    assert live.unlock("a").ok
    run(0.5)
    live.close()
    for name in ("a", "b"):
        replay = jd.Replay.open(tmp_path / f"{name}.jdlive")
        replay.run()
        assert replay.sentence.startswith("repeated to the bit"), replay.sentence


# What happened -------------------------------------------------------------------------------------------------------


def swinging() -> Any:
    """A mass on a spring, x = cos(10 t), that tells when it passes the middle."""
    m = jd.Mechanism("mass on a spring", gravity=(0, 0))
    a = m.body("a", mass=1, inertia=1, position=(1, 0), points={"P": (0, 0)})
    m.force("spring", on=a["P"], vector=("-100*a.x", "0"))
    m.event("middle", "a.x", direction="both")
    return m


def test_events_are_told_once_and_belong_to_their_branch() -> None:
    live, run = lively(swinging(), step=1e-3)
    run(1.0)
    right = np.pi / 20 + np.pi / 10 * np.arange(3)
    assert [one.names for one in live.happened] == ["middle"] * 3
    assert [one.t for one in live.happened] == pytest.approx(right, abs=1e-6)
    assert max(one.jump for one in live.happened) == 0.0
    live.seek(0.2)
    live.seek(1.0)
    assert len(live.happened) == 3  # what is shown again has not happened again
    live.seek(0.6)
    live.step(1)
    assert live.branch == "branch 1"
    assert [one.t for one in live.happened] == pytest.approx(right[:2], abs=1e-6)
    run(0.4)
    assert [one.t for one in live.happened] == pytest.approx(right, abs=1e-6)


def test_moments_with_a_name_say_when_they_were() -> None:
    live, run = lively(swinging(), step=1e-3)
    run(0.5)
    live.snapshot("here")
    t = live.t
    run(0.5)
    assert live.snapshots == {"here": ("main", pytest.approx(t, abs=1e-12))}
    live.seek("here")
    assert live.t == pytest.approx(t, abs=FRAME * 1e-9)
