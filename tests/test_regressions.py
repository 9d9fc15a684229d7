"""Faults that a reading of the code found; each test failed before its cause was mended."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jourdain as jd


@pytest.mark.parametrize("inertia", [1e-4, 1e-5, 1e-6])
@pytest.mark.parametrize("push", [0.0, 1e5])
def test_singular_masses_settle_whatever_stands_beside_them(inertia, push):
    """A body without inertia welded to one with very little: the torque turns both at torque / inertia."""
    m = jd.Mechanism("tiny")
    a = m.body("a", mass=1, inertia=0, position=(0, 0), angle=0, points={"C": (0, 0), "E": (0.5, 0)})
    b = m.body("b", mass=1, inertia=inertia, position=(0, 0), angle=0, points={"C": (0, 0)})
    m.weld("w", a["C"], b["C"])
    m.torque("twist", on=a, torque=0.1 * inertia)
    far = m.body("far", mass=1, inertia=1, position=(3, 0), points={"P": (0, 0)})
    m.force("push", on=far["P"], vector=(push, 0))
    run = jd.simulate(m, times=[0.0])
    assert run.status.ok
    assert run["a.spin_rate"][0] == pytest.approx(0.1, rel=1e-10)


def pendulum():
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    return m


def test_right_hand_side_refuses_a_state_of_the_wrong_length():
    f = jd.rhs(pendulum())
    for call in (f, f.project):
        with pytest.raises(ValueError, match=r"y has shape \(6,\); expected \(9,\)"):
            call(0.0, f.start[:6])


def test_projection_of_a_right_hand_side_may_change_the_sequence():
    m = jd.Mechanism("body", space="spatial")
    m.body("body", mass=1, inertia=(1, 2, 2.5), position=(0, 0, 0))
    f = jd.rhs(m, "bryan")
    y = f.start.copy()
    y[4] = 1.5
    changed = f.project(0.0, y)
    assert changed[6] != y[6]
    assert f.state(changed)["body"].attitude == pytest.approx(f.state(y)["body"].attitude, abs=1e-12)


def test_a_run_that_fails_at_once_can_still_be_shown():
    m = jd.Mechanism("spun bead")
    bead = m.body("bead", mass=1, inertia=0, position=(2, 0))
    m.torque("twist", on=bead, torque=1.0)
    with pytest.warns(jd.SimulationWarning, match="did not settle"):
        run = jd.simulate(m, 1.0)
    assert "give them an inertia" in repr(run) and "give them an inertia" in run.summary()
    assert run["bead.x"] == pytest.approx([2.0])
    assert run.state()["bead"].position == (2.0, 0.0)


def test_forces_are_not_asked_beyond_the_end():
    asked = []
    m = jd.Mechanism("slow")
    body = m.body("body", mass=1, inertia=1, position=(1, 0), points={"P": (0, 0)})
    m.force("push", on=body["P"], vector=(lambda t: asked.append(t) or 1e-4, 0))
    jd.simulate(m, 1.0)
    assert max(asked) <= 1.0 + 1e-12


@pytest.mark.parametrize("order", [("near", "far"), ("far", "near")])
def test_a_force_that_ends_stops_the_run_and_blames_no_other_body(order):
    m = jd.Mechanism("ends")
    place = {"near": (0, 0), "far": (100, 0)}
    for name in order:
        m.body(name, mass=1, inertia=1, position=place[name], points={"P": (0, 0)})
    m.force("push", on=m["near"]["P"], vector=("sqrt(0.5 - t)", 0))
    m.spring_damper("spring", m.ground.point("O", (99, 0)), m["far"]["P"], stiffness=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jd.SimulationWarning)
        run = jd.simulate(m, 1.0, every=0.01)
    assert not run.status.ok and "no longer finite" in run.status.sentence and "'far'" not in run.status.sentence
    assert run.t[-1] <= 0.5 and np.all(np.isfinite(run.samples))


def test_euclidean_correction_keeps_quaternions_normal():
    m = jd.Mechanism("free", space="spatial")
    m.body("body", mass=1, inertia=(1, 2, 2.5), position=(0, 0, 0), spin=(1, 2, 3))
    run = jd.simulate(m, 10.0, every=1.0, treatment=jd.Kkt("euclidean"), step=0.02)
    assert np.max(np.abs(np.linalg.norm(run.samples[:, 3:7], axis=1) - 1)) < 1e-14
