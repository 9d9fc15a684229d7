"""A set of one's own is a file and a line in a table: the toy of docs/adding-a-set.md runs like the built-in ones."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.kernels.coordinates import SETS


@pytest.fixture
def degrees(monkeypatch):
    monkeypatch.setitem(SETS["planar"], "degrees", "toy_degrees:degrees")
    return "degrees"


@pytest.mark.parametrize("build", [lambda: machines.four_bar("AC"), machines.slider_crank, machines.double_pendulum])
def test_toy_set_gives_the_same_motion(degrees, build):
    a, b = (jd.simulate(build(), 1.0, every=0.1, rtol=1e-10, atol=1e-10, coordinates=c) for c in ("angle", degrees))
    assert b.status.ok
    assert np.max(np.abs(a.motion.position - b.motion.position)) < 1e-7
    assert np.max(np.abs(a.motion.attitude - b.motion.attitude)) < 1e-7
    for name in a.reactions:
        scale = max(1.0, np.max(np.abs(a.reactions[name].force)))
        assert np.max(np.abs(a.reactions[name].force - b.reactions[name].force)) < 1e-6 * scale


def test_without_the_line_in_the_table_it_is_unknown():
    with pytest.raises(jd.ChoiceError, match="unknown coordinates 'degrees'"):
        jd.simulate(machines.four_bar("AC"), 1.0, coordinates="degrees")
