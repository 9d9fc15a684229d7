"""Stanescu's two bars: Bryan angles about any origin, reactions and their body-axis moments (eqs 51-59)."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.choices.coordinates.euler import SEQUENCES, euler_sets

ANGLES = [one.name for one in euler_sets() if not one.fixed]


def two_bars_held():
    """The two bars with end A of the first held by a spherical joint."""
    m = machines.two_bars()
    first = m.frozen().bodies[0]
    R = jd.simulate(m, times=[0.0]).motion.frame[0, 0]
    place = np.array(first.position) + R @ np.array(first.ports["A"].at)
    m.spherical("A", m.ground.point("A", place), m["bar1"]["A"])
    return m


@pytest.mark.parametrize("build", [machines.two_bars, two_bars_held])
def test_bryan_equals_quaternion(build):
    choices = {"every": 0.1, "rtol": 1e-11, "atol": 1e-11}
    a, b = (jd.simulate(build(), 2.0, coordinates=c, **choices) for c in ("quaternion", "bryan"))
    assert a.status.ok and b.status.ok
    assert np.max(np.abs(a.motion.position - b.motion.position)) < 1e-9
    assert np.max(np.abs(a.motion.frame - b.motion.frame)) < 1e-9
    for name in a.reactions:
        scale = np.max(np.abs(a.reactions[name].force))
        assert np.max(np.abs(a.reactions[name].force - b.reactions[name].force)) < 1e-7 * scale


@pytest.mark.parametrize("build", [machines.two_bars, two_bars_held])
def test_reactions_and_their_moments_by_hand(build):
    """Force of C from Newton's law of bar 2 alone; its moment about each body's origin is arm x force in body axes."""
    run = jd.simulate(build(), 1.0, every=0.1, recipe="stanescu", rtol=1e-11, atol=1e-11)
    g = np.array([0, 0, -9.81])
    on_second = 1.5 * (run.motion.acceleration[:, 1] - g)  # the joint is all that touches bar 2
    reaction = run.reactions["C"]
    scale = np.max(np.abs(on_second))
    assert np.max(np.abs(reaction.force - on_second)) < 1e-9 * scale
    assert np.max(np.abs(reaction.on_first_force + on_second)) < 1e-9 * scale
    for side, body, arm, force in (("second", 1, (-0.4, 0, 0), on_second), ("first", 0, (0.5, 0, 0), -on_second)):
        R = run.motion.frame[:, body]
        in_body_axes = np.einsum("tji,tj->ti", R, force)
        expected = np.cross(arm, in_body_axes)
        assert np.max(np.abs(reaction.moment_about_origin(side) - expected)) < 1e-9 * scale
        # Action and reaction: nothing along the arm, since a spherical joint bears no couple.
        assert np.max(np.abs(reaction.moment_about_origin(side)[:, 0])) < 1e-9 * scale


def tumbling(axis="y"):
    """A free body turning fast, nearly about one axis: the middle angle of sequences about it goes round and round."""
    m = jd.Mechanism("tumbler", gravity=(0, 0, -9.81))
    spin = np.array([0.05, 0.08, 0.1])
    spin["xyz".index(axis)] = 6.0
    m.body("body", mass=2, inertia=(1, 2, 2.5), centre=(0.3, -0.2, 0.1), position=(0, 0, 0), spin=spin)
    return m


@pytest.mark.parametrize("name", ANGLES)
def test_sequences_change_near_their_singularity(name):
    m = tumbling("y" if name == "bryan" else name[-2])
    a, b = (jd.simulate(m, 3.0, every=0.05, rtol=1e-11, atol=1e-11, coordinates=c) for c in ("quaternion", name))
    assert b.status.ok
    own = SEQUENCES.index("xyz" if name == "bryan" else name[-3:])
    assert np.any(b.samples[:, 6] != own)  # somewhere on the way another sequence took over
    assert np.max(np.abs(a.motion.frame - b.motion.frame)) < 1e-8
    assert np.max(np.abs(a["body.wx"] - b["body.wx"])) < 1e-7
    q = np.stack([b[f"body.q{c}"] for c in "wxyz"], 1)
    assert np.min(np.sum(q[1:] * q[:-1], axis=1)) > 0.5  # the quaternion channels do not jump


def test_multistep_methods_start_anew_after_a_change():
    """A history in two charts would be wrong in the first digit; angles near a singularity leave ab6 1e-8."""
    a = jd.simulate(tumbling(), 2.0, every=0.1, rtol=1e-12, atol=1e-12)
    b = jd.simulate(tumbling(), 2.0, every=0.1, coordinates="bryan", integrator="ab6", step=5e-4)
    assert np.max(np.abs(a.motion.frame - b.motion.frame)) < 1e-7


def test_a_sequence_that_may_not_change_stops_with_the_reason():
    with pytest.warns(jd.SimulationWarning, match="Euler angles of a body are near their singularity"):
        run = jd.simulate(tumbling(), 3.0, coordinates="bryan-fixed")
    assert not run.status.ok and 0.1 < run.t[-1] < 0.5
