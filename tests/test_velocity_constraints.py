"""Velocity constraints that are not linear in the velocities, psi(q, q', t) = 0 (Wijckmans 1992, eq. 2.15).

The oracle is the rule itself, in coordinates of a point: v' = g - n (n.g + psi_t / m) / n.n with n = d psi / dv.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd

Array = np.ndarray[Any, Any]


def of_constant_speed(velocity: tuple[float, float] = (1.0, 0.5)) -> jd.Mechanism:
    m = jd.Mechanism("constant speed", gravity=(0, -9.81))
    m.body("bead", mass=2, inertia=1, position=(0, 0), angle=0, spin=0, velocity=velocity)
    m.velocity_constraint("speed", formula="bead.vx**2 + bead.vy**2 - 1.25*(1 + 0.3*t)")
    return m


def on_a_cone() -> jd.Mechanism:
    """Appell's: the velocity keeps its angle with the vertical. It grows here, away from where the cone ends."""
    m = jd.Mechanism("cone", gravity=(0.5, 0, 2))
    m.body("bead", mass=2, inertia=(1, 1, 1), position=(0, 0, 0), spin=(0, 0, 0), velocity=(1, 0.2, np.sqrt(1.04)))
    m.velocity_constraint("cone", formula="bead.vz**2 - bead.vx**2 - bead.vy**2")
    return m


def solved(gravity: Array, normal: Callable[[Array], Array], partial: float, v: Array, end: float) -> Array:
    def slope(t: float, y: Array) -> Array:
        u = y[len(gravity) :]
        n = normal(u)
        return np.concatenate([u, gravity - n * (n @ gravity + partial) / (n @ n)])

    start = np.concatenate([np.zeros(len(v)), v])
    return np.asarray(solve_ivp(slope, (0, end), start, rtol=1e-12, atol=1e-12).y[:, -1])


WAYS: list[dict[str, Any]] = [
    {},
    *({"coordinates": one} for one in ("natural", "points", "euler-parameters", "relative")),
    {"recipe": "nacf"},
    *({"treatment": one} for one in ("udwadia-kalaba", "null-space", "partitioning", "augmented-lagrangian", "uzawa")),
    {"integrator": "radau"},
    {"integrator": "rk4", "step": 1e-3},
    {"integrator": "generalized-alpha", "step": 1e-3},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_speed_that_is_prescribed(way: dict[str, Any]) -> None:
    known = solved(np.array([0, -9.81]), lambda u: 2 * u, -1.25 * 0.3, np.array([1.0, 0.5]), 1.5)
    run = jd.simulate(of_constant_speed(), 1.5, every=0.5, **way)
    exact = way.get("integrator") != "generalized-alpha"
    assert run["bead.x"][-1] == pytest.approx(known[0], abs=1e-8 if exact else 1e-5)
    assert run["bead.vy"][-1] == pytest.approx(known[3], abs=1e-8 if exact else 1e-5)
    assert np.max(run.violation.velocity) < 1e-10
    np.testing.assert_allclose(run.energy.total, run.energy.total[0], atol=1e-5 if exact else 1e-3)
    # Newton's law: the force of the constraint is along its gradient, 2 v.
    needed = 2 * (run["bead.ay"] + 9.81) / (2 * run["bead.vy"])
    np.testing.assert_allclose(run["speed.force"], needed, rtol=1e-6)


@pytest.mark.parametrize("coordinates", ["quaternion", "bryan", "natural", "relative"])
def test_cone_in_space(coordinates: str) -> None:
    g, start = np.array([0.5, 0, 2.0]), np.array([1, 0.2, np.sqrt(1.04)])
    known = solved(g, lambda u: 2 * u * [-1, -1, 1], 0.0, start, 0.5)
    run = jd.simulate(on_a_cone(), 0.5, every=0.5, coordinates=coordinates)
    np.testing.assert_allclose([run[f"bead.{c}"][-1] for c in "xyz"], known[:3], atol=1e-9)
    assert np.max(np.abs(run["bead.vz"] ** 2 - run["bead.vx"] ** 2 - run["bead.vy"] ** 2)) < 1e-12


def test_a_start_far_from_it_is_closed_by_newtons_method() -> None:
    run = jd.simulate(of_constant_speed((1.5, 0.1)), 0.5, every=0.5)
    assert run["bead.vx"][0] ** 2 + run["bead.vy"][0] ** 2 == pytest.approx(1.25, abs=1e-13)


def test_a_start_that_does_not_tell_the_way_is_refused() -> None:
    with pytest.raises(jd.MechanismError, match=r"'speed' cannot be met from the written velocities: 1\.25 remains"):
        jd.simulate(of_constant_speed((0.0, 0.0)), 1.0)


@pytest.mark.parametrize("formula", ["sqrt(bead.vx**2 + bead.vy**2) - 1", "sqrt(bead.vx)", "log(bead.vx)"])
def test_a_start_without_a_derivative_is_told_as_that(formula: str) -> None:
    m = jd.Mechanism("bead", gravity=(0, -9.81))
    m.body("bead", mass=2, inertia=1, position=(0, 0), angle=0, spin=0, velocity=(0, 0))
    m.velocity_constraint("speed", formula=formula)
    with pytest.raises(jd.MechanismError, match=r"'speed' \(velocity constraint\).* derivative is not finite there"):
        jd.simulate(m, 0.1)


def test_driven_work_of_generalized_alpha_is_counted_whole() -> None:
    """A bead that a constraint accelerates by 1 m/s^2: its work is the change of kinetic energy."""
    m = jd.Mechanism("pushed", gravity=(0, -9.81))
    m.body("bead", mass=2, inertia=1, position=(0, 0), angle=0, spin=0, velocity=(1, 0))
    m.velocity_constraint("speed", formula="bead.vx - 1 - t")
    for name in ("generalized-alpha", "hht"):
        run = jd.simulate(m, 1.0, every=1.0, integrator=name, step=1e-3)
        assert run.energy.driven[-1] == pytest.approx(3.0, abs=1e-6)
