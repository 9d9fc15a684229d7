"""Colours of bodies and curves are told apart by colour-blind people, too.

Sight without one kind of cone is simulated by the matrices of Machado, Oliveira and Fernandes (2009), severity 1, on
linear RGB; the distance is that of CIE 1976 L*a*b*, in which 2.3 is just noticeable (Mahy and others, 1994).
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from jourdain.plotting.scene import PALETTE

SIGHT = {
    "all cones": np.eye(3),
    "no long cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no middle cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no short cones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
APART = 5 * 2.3  # times what is just noticeable
CURVES = ("#3b76b5", "#c96a00")  # of frontend/src/Curves.svelte, beside the ink of day or night


def lab(colour: str, sight: str) -> np.ndarray:
    rgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = XYZ @ np.clip(np.asarray(SIGHT[sight]) @ linear, 0, 1) / WHITE
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("colours", [PALETTE, (*CURVES, "#22262c"), (*CURVES, "#e3e7ed")])
def test_any_two_colours_are_apart(colours: tuple[str, ...], sight: str) -> None:
    for one, other in itertools.combinations(colours, 2):
        assert np.linalg.norm(lab(one, sight) - lab(other, sight)) > APART, (one, other)
