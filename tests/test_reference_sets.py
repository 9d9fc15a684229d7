"""The reference problems in every coordinate set that applies, to the same accuracy as in the default set."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jourdain as jd
from test_reference import CASES, CLOSED, ENERGY_BAR, assert_channels, energy_scale

OTHERS = {
    "planar": ("euler-parameters", "natural", "points", "relative"),
    "spatial": ("euler-parameters", "natural", "bryan", "euler-zxz", "euler-yxy", "relative"),
}
BY_NAME = {case.name: case for case in CASES}
PAIRS = [(case.name, name) for case in CASES for name in OTHERS[case.build().space]]

every_pair = pytest.mark.parametrize(("name", "coordinates"), PAIRS)


@cache
def run_of(name, coordinates):
    case = BY_NAME[name]
    return jd.simulate(case.build(), times=case.t, rtol=1e-10, atol=1e-10, coordinates=coordinates)


@every_pair
def test_motion(name, coordinates):
    case, run = BY_NAME[name], run_of(name, coordinates)
    assert run.status.ok, str(run.status)
    if case.positions:
        assert_channels(run, case.positions, case.bar)
    for body, expected in case.attitudes.items():
        q = np.array([run[f"{body}.q{c}"] for c in "wxyz"]).T
        q = q * np.sign(np.sum(q * expected, axis=1, keepdims=True))
        np.testing.assert_allclose(q, expected, rtol=0, atol=case.bar)


@every_pair
def test_velocities(name, coordinates):
    case = BY_NAME[name]
    if case.rates:
        assert_channels(run_of(name, coordinates), case.rates, case.bar * case.pace)


@every_pair
def test_joints_closed_and_energy_kept(name, coordinates):
    run = run_of(name, coordinates)
    assert np.max(run.violation.position, initial=0.0) <= CLOSED
    assert np.ptp(run.energy.total) <= 2 * ENERGY_BAR * energy_scale(run)
