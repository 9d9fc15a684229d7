"""Orders and tolerances of the integrators, on constrained problems with damping."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.kernels.integrators import dop853_table as table

REFERENCE_TOLERANCE = 1e-13


def end_state(**choices):
    run = jd.simulate(machines.four_bar(spring="AC"), 1.0, every=1.0, **choices)
    assert run.status.ok
    return run.motion.position[-1].ravel()


@pytest.fixture(scope="module")
def exact():
    return end_state(rtol=REFERENCE_TOLERANCE, atol=REFERENCE_TOLERANCE)


def test_rk4_is_of_order_four(exact):
    steps = np.array([1 / 50, 1 / 100, 1 / 200, 1 / 400])
    errors = [np.max(np.abs(end_state(step=h) - exact)) for h in steps]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert 3.8 < slope < 4.4


def test_dop853_error_follows_the_tolerance(exact):
    tolerances = 10.0 ** -np.arange(4, 11)
    errors = [np.max(np.abs(end_state(rtol=tol, atol=tol) - exact)) for tol in tolerances]
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 0.8 < slope < 1.2
    assert np.all(np.array(errors) < 100 * tolerances)


def test_dense_output_is_as_good_as_the_steps():
    """Samples between steps agree with samples on steps of a tighter run."""
    m = machines.double_pendulum()
    coarse = jd.simulate(m, 2.0, every=0.01, rtol=1e-9, atol=1e-9)
    fine = jd.simulate(m, 2.0, every=0.01, rtol=1e-12, atol=1e-12)
    assert coarse.statistics.steps < 150 < len(coarse.t)
    assert np.max(np.abs(coarse.motion.position - fine.motion.position)) < 1e-7
    assert np.max(coarse.violation.position) < 1e-12
    assert np.max(coarse.violation.velocity) < 1e-10


def test_samples_do_not_change_the_steps():
    m = machines.four_bar(spring="AC")
    few, many = (jd.simulate(m, 1.0, every=e) for e in (1.0, 0.001))
    assert few.statistics.steps == many.statistics.steps
    assert np.array_equal(few.samples[-1], many.samples[-1])


@pytest.mark.parametrize("power", range(1, 9))
def test_dop853_weights_integrate_powers_exactly(power):
    """Quadrature conditions of order 8: sum b c^(k-1) = 1/k."""
    b = table.A[table.STAGES, : table.STAGES]
    assert abs(b @ table.C[: table.STAGES] ** (power - 1) - 1 / power) < 1e-14


def test_dop853_rows_sum_to_their_times():
    assert np.max(np.abs(table.A.sum(axis=1) - table.C)) < 1e-14


def test_rk4_steps_divide_odd_output_intervals():
    run = jd.simulate(machines.four_bar(spring="AC"), times=[0.0, 0.0105, 0.02], step=1e-3)
    assert run.statistics.steps == 11 + 10


def test_a_joint_that_cannot_be_kept_closed_is_told_in_words():
    """A stretched bar cannot follow a slider that is driven off its line."""
    m = jd.Mechanism("too far")
    bar = m.body("bar", mass=1, inertia=1, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    slider = m.body("slider", mass=1, inertia=1, position=(1.0, 0), points={"S": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    m.revolute("B", bar["B"], slider["S"])
    m.parallel("upright", m.ground["A"], slider["S"])
    m.custom("pull", m.ground["A"], slider["S"], equations=["dot(N - M, e_x) - 0.9 - 0.1*cos(t)"])
    m.custom("stretch", m.ground["A"], slider["S"], equations=["dot(N - M, e_y)"])
    with pytest.warns(jd.SimulationWarning, match="could not be kept closed"):
        run = jd.simulate(m, 2.0)
    assert not run.status.ok
