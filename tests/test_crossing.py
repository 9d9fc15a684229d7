"""auto in singular positions: crossed on the true branch, for 10 s, within 1e-6 (it reaches 1e-8)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd
import machines

G = 9.81


def parallelograms(n: int, times: np.ndarray) -> np.ndarray:
    """Angle from the vertical of a row of n four-bars: one freedom, Ieff = (n + 1) / 3 + n (IFToMM benchmark A02)."""
    inertia, weight = (n + 1) / 3 + n, (n + 1) / 2 + n
    motion = solve_ivp(
        lambda t, y: [y[1], weight * G * np.sin(y[0]) / inertia],
        (0, times[-1]),
        [0, 1.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
        t_eval=times,
    )
    return np.asarray(motion.y[0])


@pytest.mark.parametrize("n", [2, 10])
def test_a_row_of_four_bars_stays_on_the_parallelogram_branch(n: int) -> None:
    """Whenever the links lie flat the freedoms jump from 1 to n + 1."""
    times = np.linspace(0, 10, 101)
    run = jd.simulate(machines.n_four_bar(n), times=times)
    assert run.status.ok, run.status
    angle = parallelograms(n, times)
    links = run.motion.frame[:, : n + 1]  # the upright ones come first
    # Every upright link has the same attitude, that of the single freedom; 1e-6 is the bar, 1e-8 what is reached.
    along = links[..., 0] if np.allclose(links[0, 0, :, 0], [0, 1]) else links[..., 1]
    ends = np.stack([np.sin(angle), np.cos(angle)], axis=-1)[:, None, :]
    assert np.max(np.abs(np.abs(along) - np.abs(ends))) < 1e-7
    drift = np.max(np.abs(run.energy.total - run.energy.total[0])) / np.max(run.energy.kinetic)
    assert drift < 1e-8


def test_the_run_says_that_it_crossed() -> None:
    run = jd.simulate(machines.n_four_bar(10), 10.0)
    assert any("singular position" in note and "crossed on the branch taken" in note for note in run.status.notes)


def test_who_chooses_dop853_gets_dop853() -> None:
    """Without the help of rk4 the adaptive method stops, and says why."""
    with pytest.warns(jd.SimulationWarning, match="steps below rounding"):
        run = jd.simulate(machines.n_four_bar(10), 10.0, integrator="dop853")
    assert not run.status.ok
    assert not any("crossed" in note for note in run.status.notes)


def test_bricards_loop_is_over_constrained_and_falls_for_ten_seconds() -> None:
    """30 equations of rank 29: the redundant one is named, and the energy holds to 1e-6 of the largest kinetic one."""
    found = jd.check(machines.bricard())
    assert (found.equations, found.rank, found.freedoms) == (30, 29, 1)
    assert [row.joint for row in found.dropped] != []
    run = jd.simulate(machines.bricard(), 10.0)
    assert run.status.ok, run.status
    drift = np.max(np.abs(run.energy.total - run.energy.total[0])) / np.max(run.energy.kinetic)
    assert drift < 1e-6
    assert np.max(run.violation.position) < 1e-10
    assert any("redundant" in note and "J" in note for note in run.status.notes)
