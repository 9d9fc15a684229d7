"""Whole turns are state: however far apart samples are, angles of joints count all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jourdain as jd

SPEED, DURATION = 100.0, 10.0  # rad/s, s: half a turn takes 0.03 s


def wheels(dim: int, kind: str, backwards: bool) -> jd.Mechanism:
    """A wheel on the ground and one on it, three times as fast, about the same axis: nothing acts on them."""
    m = jd.Mechanism("wheels", gravity=(0.0,) * dim)
    here, inertia = (0.0,) * dim, 1.0 if dim == 2 else (1.0, 1.0, 1.0)

    def wheel(name: str, spin: float) -> Any:
        turning = spin if dim == 2 else (0.0, 0.0, spin)
        return m.body(name, mass=1.0, inertia=inertia, position=here, spin=turning, points={"O": here})

    a, b = wheel("a", SPEED), wheel("b", 3 * SPEED)
    ports = [m.ground.point("O", here), a["O"]]
    getattr(m, kind)("A", *(reversed(ports) if backwards else ports))
    m.revolute("B", a["O"], b["O"])
    return m


@pytest.mark.parametrize("backwards", [False, True], ids=["", "backwards"])
@pytest.mark.parametrize(
    ("dim", "kind", "coordinates"),
    [
        (2, "revolute", "angle"),
        (2, "revolute", "relative"),
        (2, "revolute", "natural"),
        (3, "revolute", "relative"),
        (3, "cylindrical", "relative"),
        (3, "planar", "relative"),
        (3, "planar", "quaternion"),
        (3, "revolute", "natural"),
    ],
)
def test_angles_of_joints_count_turns_between_samples(dim: int, kind: str, coordinates: str, backwards: bool) -> None:
    m = wheels(dim, kind, backwards)
    run = jd.simulate(m, DURATION, every=0.4, coordinates=coordinates, progress=False)
    sign = -1.0 if backwards else 1.0
    # Error control at 1e-9 of turns that add up: 1e-7 of them all.
    np.testing.assert_allclose(run["A.angle"], sign * SPEED * run.t, atol=1e-7 * SPEED * DURATION)
    np.testing.assert_allclose(run["B.angle"], 2 * SPEED * run.t, atol=1e-7 * SPEED * DURATION)
    s = jd.session(m, coordinates=coordinates)
    s.advance(DURATION)
    assert s["A.angle"] == pytest.approx(sign * SPEED * DURATION, rel=1e-7)


def test_whole_turns_at_the_start_are_kept_in_joint_coordinates() -> None:
    """A run that goes on from a state counts on from the turns there."""
    m = wheels(3, "revolute", False)
    first = jd.simulate(m, 1.0, coordinates="relative", progress=False)
    on = jd.simulate(m, 1.0, coordinates="relative", state=first.state(), progress=False)
    assert on["A.angle"][0] == pytest.approx(SPEED, rel=1e-12)
    assert on["A.angle"][-1] == pytest.approx(2 * SPEED, rel=1e-12)
