"""What a newcomer stumbled over: contacts passed over in long steps, poses that have no value, energy from nowhere."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd


def carts(stiffness: float) -> jd.Mechanism:
    """Two equal carts on one line; the first runs into the second."""
    m = jd.Mechanism("carts")
    first = m.body("a", mass=1, inertia=1, position=(0, 0), velocity=(2, 0), points={"P": (0, 0)})
    second = m.body("b", mass=1, inertia=1, position=(3, 0), points={"P": (0, 0)})
    ground = m.ground.point("O", (0, 0))
    m.prismatic("A", ground, first["P"])
    m.prismatic("B", ground, second["P"])
    m.stop("bump", first["P"], second["P"], below=0.4, stiffness=stiffness)
    return m


def test_a_contact_far_ahead_is_met() -> None:
    """Equal masses exchange their velocities; before, one long step carried the carts through each other."""
    run = jd.simulate(carts(1e4), 5.0)
    assert run["a.vx"][-1] == pytest.approx(0, abs=1e-6)
    assert run["b.vx"][-1] == pytest.approx(2, abs=1e-6)
    assert not any("energy balance" in note for note in run.status.notes)


def test_energy_from_nowhere_is_told() -> None:
    """Steps of 50 ms cannot see a contact of a fraction of a millisecond: energy appears, and the run says so."""
    run = jd.simulate(carts(1e7), 5.0, integrator="rk4", step=0.05)
    drift = np.max(np.abs(run.energy.total - run.energy.total[0]))
    assert drift > 0.1
    assert any(note.startswith("the energy balance is off by") for note in run.status.notes)


def test_a_disc_that_lies_flat_is_refused_by_name() -> None:
    m = jd.Mechanism("coin", gravity=(0, 0, -9.81))
    coin = m.body("coin", mass=1, inertia=(1, 1, 1), position=(0, 0, 0.1), points={"C": (0, 0, 0)})
    m.rolling_disc("floor", m.ground.point("O", (0, 0, 0)), coin["C"], radius=0.1)
    with pytest.raises(jd.MechanismError, match=r"'floor' \(height of the centre\).*a rolling disc must not lie flat"):
        jd.check(m)
