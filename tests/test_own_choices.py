"""An integrator and a treatment of one's own, each one file outside the package: the examples of the documentation.

They run at compiled speed, go into `compare`, `simulate_many` and events, and pass the tests that built-in ones pass.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from conjugate_gradients import ConjugateGradients
from heun import Heun
from jourdain.assembly.prepare import prepare
from jourdain.engine.pose import Pose
from random_mechanisms import random_mechanism

HOW = {"coordinates": "angle", "treatments": "kkt"}


def best(m: jd.Mechanism, end: float) -> Any:
    return jd.simulate(m, end, every=0.1, rtol=1e-12).motion.position


# The integrator -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [machines.four_bar, machines.spatial_four_bar, machines.double_pendulum])
def test_order(build):
    """Of the error of positions at steps that halve: 2, to what the third order adds."""
    m = build()
    right = best(m, 0.4)
    runs = [jd.simulate(m, 0.4, every=0.1, integrator=Heun(h)) for h in (4e-3, 2e-3, 1e-3)]
    errors = [np.max(np.abs(run.motion.position - right)) for run in runs]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 2) < 0.1), (errors, orders)


def test_it_is_called_by_its_name_and_checked():
    run = jd.simulate(machines.four_bar(), 0.1, integrator=Heun(step=1e-3))
    assert str(run.choices) == "angle, kkt + projection, heun 0.001 s"
    assert run.statistics.evaluations <= 2 * run.statistics.steps + 10
    with pytest.raises(jd.ChoiceError, match="step is -1; expected a positive number"):
        jd.simulate(machines.four_bar(), 0.1, integrator=Heun(step=-1))
    with pytest.raises(jd.ChoiceError, match="step given beside an integrator object"):
        jd.simulate(machines.four_bar(), 0.1, integrator=Heun(1e-3), step=1e-3)
    with pytest.raises(jd.ChoiceError, match="which heun is not; use projection, or radau"):
        jd.simulate(machines.four_bar(), 0.1, integrator=Heun(1e-3), stabilisation="ggl")
    with pytest.raises(jd.ChoiceError, match="heun has no loop in complex numbers"):
        jd.sensitivity(machines.four_bar(), ["crank.mass"], ["crank.x"], 0.1, integrator=Heun(1e-3))


def test_compare():
    found = jd.compare(machines.four_bar(), 1.0, **HOW, integrators=["rk4", Heun(step=1e-3)])
    assert {(way.integrator, way.setting) for way in found.ways} == {
        ("rk4", "0.002"),
        ("rk4", "0.001"),
        ("heun", "0.001"),
    }
    assert all(way.error is not None and way.error < 1e-4 for way in found.ways)


def test_speed():
    """A step costs what its evaluations and its projection do: no more than one of rk4, which has four."""
    m = machines.four_bar()
    seconds = {}
    for integrator in (Heun(1e-4), jd.Rk4(1e-4)):
        runs = [jd.simulate(m, 1.0, integrator=integrator).statistics for _ in range(5)]
        seconds[integrator.name] = min(run.seconds / run.steps for run in runs)
    assert seconds["heun"] < 1.2 * seconds["rk4"]


def test_events_and_baumgarte():
    m = machines.pendulum_bar()
    m.event("low", when="-1.5 - rod.angle")
    runs = [jd.simulate(m, 1.0, integrator=i) for i in (Heun(1e-3), jd.Rk4(1e-3))]
    assert [len(run.events["low"].t) for run in runs] == [len(runs[1].events["low"].t)] * 2
    assert len(runs[0].events["low"].t) > 0
    np.testing.assert_allclose(runs[0].events["low"].t, runs[1].events["low"].t, atol=1e-5)
    run = jd.simulate(machines.four_bar(), 0.5, integrator=Heun(1e-3), stabilisation="baumgarte")
    assert 0 < np.max(run.violation.position) < 1e-5


def test_batches():
    m = machines.four_bar()
    masses = [1.0, 2.0, 3.0]
    many = jd.simulate_many(m, 0.2, {"crank.mass": masses}, every=0.1, integrator=Heun(1e-3))
    for k in range(3):
        one = jd.simulate(_with_mass(m, masses[k]), 0.2, every=0.1, integrator=Heun(1e-3))
        np.testing.assert_array_equal(many["rocker.x"][k], one["rocker.x"])


def _with_mass(m: jd.Mechanism, mass: float) -> Any:
    blueprint = m.frozen()
    bodies = tuple(dataclasses.replace(b, mass=mass) if b.name == "crank" else b for b in blueprint.bodies)
    return dataclasses.replace(blueprint, bodies=bodies)


def test_a_tree():
    """jd.tree takes it as `relative` does, to the bit."""
    m = machines.double_pendulum()
    found = jd.tree(m).simulate(0.1, every=0.1, integrator=Heun(1e-3))
    expected = jd.simulate(m, 0.1, every=0.1, integrator=Heun(1e-3), coordinates="relative")
    np.testing.assert_array_equal(found.q[-1], expected.samples[-1, expected.model.layout.q])


# The treatment ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("coordinates", ["angle", "natural", "quaternion"])
def test_the_same_accelerations_and_reactions(seed, coordinates):
    """As kkt, on random mechanisms without redundant rows, to the tolerance times the condition of K."""
    space = "spatial" if coordinates == "quaternion" else "planar"
    m = random_mechanism(seed, space, bodies=3, loops=seed % 2)
    found = []
    for treatment in (jd.Kkt(), ConjugateGradients(1e-13)):
        p = prepare(m, coordinates, treatment=treatment)
        if p.redundancy.dropped:
            pytest.skip("redundant: reactions are not unique")
        status, slope = Pose(p.model, p.workspace).slope(0.0, p.assembly.y)
        assert status == 0
        found.append(slope[p.model.nq : p.model.nq + p.model.nv])
    scale = max(1.0, float(np.max(np.abs(found[0]))))
    np.testing.assert_allclose(found[1], found[0], atol=1e-8 * scale)


@pytest.mark.parametrize("build", [machines.four_bar, machines.slider_crank, machines.spatial_four_bar])
def test_the_same_motion_with_joints_closed(build):
    m = build()
    run = jd.simulate(m, 0.5, every=0.1, treatment=ConjugateGradients(), rtol=1e-10)
    assert run.status.ok, run.status
    assert np.max(np.abs(run.motion.position - best(m, 0.5))) < 1e-7
    assert np.max(run.violation.position) < 1e-10
    assert "conjugate-gradients + projection" in str(run.choices)


def test_redundant_rows_share_their_load():
    run = jd.simulate(machines.spatial_four_bar(), 0.2, treatment=ConjugateGradients())
    assert any("share their loads by least squares" in note for note in run.status.notes)


def test_both_together_in_compare():
    found = jd.compare(
        machines.four_bar(),
        0.5,
        coordinates="angle",
        treatments=["kkt", ConjugateGradients()],
        integrators=[Heun(1e-3)],
    )
    errors = {way.treatment: way.error for way in found.ways}
    assert errors["conjugate-gradients"] == pytest.approx(errors["kkt"], rel=1e-3)


def test_a_run_that_does_not_converge_says_so():
    with pytest.warns(jd.SimulationWarning, match="did not converge in 1 rounds"):
        run = jd.simulate(machines.four_bar(), 0.2, treatment=ConjugateGradients(most=1))
    assert not run.status.ok
