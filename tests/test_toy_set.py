"""A set of one's own is a file and an object: the toy of docs/adding-coordinates.md runs like the built-in ones."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
import machines
from toy_degrees import Degrees


@pytest.mark.parametrize("build", [lambda: machines.four_bar("AC"), machines.slider_crank, machines.double_pendulum])
def test_toy_set_gives_the_same_motion(build):
    a, b = (jd.simulate(build(), 1.0, every=0.1, rtol=1e-10, atol=1e-10, coordinates=c) for c in ("angle", Degrees()))
    assert b.status.ok
    assert str(b.choices) == "degrees, kkt + projection, dop853"
    assert np.max(np.abs(a.motion.position - b.motion.position)) < 1e-7
    assert np.max(np.abs(a.motion.attitude - b.motion.attitude)) < 1e-7
    for name in a.reactions:
        scale = max(1.0, np.max(np.abs(a.reactions[name].force)))
        assert np.max(np.abs(a.reactions[name].force - b.reactions[name].force)) < 1e-6 * scale


def test_it_is_compared_and_differentiated_like_the_others():
    found = jd.compare(
        machines.four_bar("AC"), 0.2, coordinates=["angle", Degrees()], treatments="kkt", integrators="rk4"
    )
    assert {way.coordinates for way in found.ways} == {"angle", "degrees"}
    assert max(way.error for way in found.ways) < 1e-6
    how = {"parameters": ["crank.mass"], "of": ["rocker.x"], "duration": 0.2, "every": 0.1, "rtol": 1e-9}
    angle, degrees = (jd.sensitivity(machines.four_bar("AC"), coordinates=c, **how) for c in ("angle", Degrees()))
    pair = ("rocker.x", "crank.mass")
    assert degrees.d[pair] == pytest.approx(angle.d[pair], abs=1e-6 * np.max(np.abs(angle.d[pair])))


def test_its_name_is_known_to_nobody():
    with pytest.raises(jd.ChoiceError, match="unknown coordinates 'degrees'"):
        jd.simulate(machines.four_bar("AC"), 1.0, coordinates="degrees")


def test_it_is_for_the_plane():
    with pytest.raises(jd.ChoiceError, match="coordinates 'degrees' are planar, the mechanism is spatial"):
        jd.simulate(machines.torque_free_body(), 1.0, coordinates=Degrees())
