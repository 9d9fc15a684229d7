"""jd.matrices: M v' = Q + bias - J^T lam and J v' = gamma hold with the accelerations of the solver, in every set."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
from jourdain.choices import COORDINATES

MACHINES = ("four_bar", "slider_crank", "motor_crank", "spatial_four_bar", "rolling_disc", "flyball_governor", "rssr")
SETS = {space: [name for name, one in known.items() if one.shown] for space, known in COORDINATES.items()}


@pytest.mark.parametrize("name", MACHINES)
def test_matrices_give_the_accelerations_of_the_solver(name: str) -> None:
    m = jd.example(name)
    run = jd.simulate(m, 0.2, every=0.2)
    for coordinates in SETS[m.space]:
        f = jd.rhs(m, coordinates)
        a = jd.matrices(m, coordinates=coordinates)
        assert a.M.shape == (len(a.coordinates),) * 2
        assert a.J.shape == (len(a.rows), len(a.coordinates))
        assert np.max(np.abs(a.C), initial=0.0) < 1e-12
        expected = f(0.0, f.start)[f.model.layout.v]
        found = accelerations(a)
        scale = max(1.0, np.max(np.abs(expected)))
        assert np.max(np.abs(found - expected)) < 1e-9 * scale, coordinates  # cond of the bordered matrix is 1e6
    assert run.status.ok


def accelerations(a: jd.Matrices) -> np.ndarray:
    """By least squares: redundant rows are among them."""
    zero = np.zeros((len(a.rows), len(a.rows)))
    K = np.block([[a.M, a.J.T], [a.J, zero]])
    right = np.concatenate([a.Q + a.bias, a.gamma])
    return np.asarray(np.linalg.lstsq(K, right, rcond=1e-12)[0][: len(a.M)])


def test_kinetic_energy_is_a_quadratic_form_of_the_mass_matrix_in_every_set() -> None:
    for name in ("double_pendulum", "two_bars"):
        m = jd.example(name)
        run = jd.simulate(m, 0.5, every=0.5)
        state = run.state()
        for coordinates in SETS[m.space]:
            a = jd.matrices(m, state, coordinates=coordinates)
            assert 0.5 * a.v @ a.M @ a.v == pytest.approx(run["energy.kinetic"][-1], rel=1e-9)
            assert np.max(np.abs(a.J @ a.v + a.partial), initial=0.0) < 1e-9 * max(1.0, np.max(np.abs(a.v)))


def test_forces_that_depend_on_reactions_are_in_q() -> None:
    m = jd.Mechanism("block", gravity=(0, -9.81))
    block = m.body("block", mass=2, inertia=1, position=(0, 0), velocity=(3, 0), points={"P": (0, 0)})
    m.prismatic("slide", m.ground.point("O", (0, 0)), block["P"])
    m.friction("rub", joint="slide", coefficient=0.25)
    for coordinates in SETS["planar"]:
        a = jd.matrices(m, coordinates=coordinates)
        assert accelerations(a)[0] == pytest.approx(-0.25 * 9.81, rel=1e-6)


def test_names_of_coordinates_and_rows() -> None:
    a = jd.matrices(jd.example("pendulum"))
    assert a.coordinates == ("bar.x", "bar.y", "bar.angle")
    assert a.positions == a.coordinates
    assert a.rows == ("A: translation along fixed x", "A: translation along fixed y")
    b = jd.matrices(jd.example("pendulum"), coordinates="natural")
    assert b.coordinates[2:] == ("bar.alpha_x", "bar.alpha_y", "bar.beta_x", "bar.beta_y")
    assert b.rows[0] == "bar: |alpha| = 1"
    with pytest.raises(jd.ChoiceError, match="unknown coordinates"):
        jd.matrices(jd.example("pendulum"), coordinates="nature")
