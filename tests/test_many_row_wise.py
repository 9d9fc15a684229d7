"""Channels of many runs that are read at once are those of each run by itself, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
from jourdain.mechanism.numbers import numbers

MACHINES = ("four_bar", "slider_crank", "rssr", "double_pendulum", "motor_crank")
SETS = {"planar": ("angle", "natural", "points"), "spatial": ("quaternion", "natural")}


@pytest.mark.parametrize("name", MACHINES)
def test_a_channel_of_all_variants_is_that_of_each(name: str) -> None:
    m = jd.example(name)
    known = numbers(m.frozen())
    varied = [n for n in known if n.endswith((".mass", ".stiffness", ".damping")) and known[n] > 0][:3]
    values = {n: [known[n] * f for f in (1.0, 1.1, 1.3)] for n in varied}
    for coordinates in SETS[m.space]:
        many = jd.simulate_many(m, 0.2, values, every=0.05, coordinates=coordinates)
        for channel in many[0].channels:
            together = many[channel]
            for k in range(3):
                same = np.array_equal(together[k], many[k][channel], equal_nan=True)
                assert same, f"{coordinates}: {channel} of variant {k}"
