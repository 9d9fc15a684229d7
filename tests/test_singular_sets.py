"""Bodies without full inertia in every coordinate set: point masses in the plane, slender rods and discs in space."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
from jourdain.assembly.prepare import prepare
from jourdain.engine.kernel_cache import load_kernels
from test_singular import chain_of_point_masses, slender_double_pendulum

PLANAR = ("euler-parameters", "natural", "points")
SPATIAL = ("euler-parameters", "natural", "bryan")


@pytest.mark.parametrize("coordinates", PLANAR)
def test_point_masses_swing_the_same_in_every_set(coordinates):
    """A chain is sensitive: 0.5 s at 1e-10 leaves about 1e-8."""
    m = chain_of_point_masses(4)
    a, b = (jd.simulate(m, 0.5, every=0.1, rtol=1e-10, atol=1e-10, coordinates=c) for c in ("angle", coordinates))
    assert b.status.ok
    assert np.max(np.abs(a.motion.position - b.motion.position)) < 1e-7
    for name, reaction in a.reactions.items():
        scale = np.max(np.abs(reaction.force))
        assert np.max(np.abs(b.reactions[name].force - reaction.force)) < 1e-6 * scale


@pytest.mark.parametrize("coordinates", SPATIAL)
def test_slender_rods_swing_the_same_in_every_set(coordinates):
    m = slender_double_pendulum(0.0)
    a, b = (jd.simulate(m, 1.0, every=0.25, rtol=1e-10, atol=1e-10, coordinates=c) for c in ("quaternion", coordinates))
    assert b.status.ok
    assert np.max(np.abs(a.motion.position - b.motion.position)) < 1e-7
    assert np.max(np.abs(a.motion.frame - b.motion.frame)) < 1e-7


def test_a_flat_disc_has_a_singular_natural_mass_block():
    """All its mass lies in a plane, so nothing resists the third unit vector but the rows that keep it in place."""
    m = jd.Mechanism("disc", gravity=(0, 0, -9.81))
    disc = m.body(
        "disc", mass=2, inertia=(0.5, 0.5, 1.0), position=(1, 0, 0), spin=(0, 3, 20), points={"O": (-1, 0, 0)}
    )
    m.spherical("O", m.ground.point("O", (0, 0, 0)), disc["O"])
    p = prepare(m, "natural")
    c = load_kernels().context
    assert np.linalg.matrix_rank(p.model.fields[c.MASS].reshape(12, 12)) == 9
    a, b = (jd.simulate(m, 1.0, every=0.1, rtol=1e-10, atol=1e-10, coordinates=c) for c in ("quaternion", "natural"))
    assert np.max(np.abs(a.motion.frame - b.motion.frame)) < 1e-7


def test_a_bar_with_lumped_ends_has_just_those_masses():
    """Joli 2008: a massless bar with m1 and m2 at its ends has the mass matrix diag(m1, m1, m2, m2) in its points."""
    m1, m2, length = 2.0, 3.0, 1.5
    total = m1 + m2
    m = jd.Mechanism("bar")
    m.body(
        "bar",
        mass=total,
        inertia=m1 * m2 / total * length**2,
        centre=(m2 / total * length, 0),
        position=(0.3, 0.4),
        angle=0.7,
        points={"P": (0, 0), "Q": (length, 0)},
    )
    model = prepare(m, "points").model
    c = load_kernels().context
    mass = model.fields[c.MASS].reshape(4, 4)
    assert np.max(np.abs(mass - np.diag([m1, m1, m2, m2]))) < 1e-14
