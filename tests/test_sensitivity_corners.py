"""Derivatives past kinks and jumps of forces: right, or refused."""

from __future__ import annotations

import math

import pytest

import jourdain as jd

END = 1.5  # s


def block(stiffness: float = 0.0, push: str = "") -> jd.Mechanism:
    """1 kg at 1 m/s on a slide, with a stop at 0.5 m, or pushed."""
    m = jd.Mechanism("block")
    b = m.body("b", mass=1.0, inertia=0.1, position=(0.0, 0.0), velocity=(1.0, 0.0), points={"P": (0.0, 0.0)})
    m.prismatic("S", m.ground.point("O", (0.0, 0.0)), b["P"])
    if stiffness:
        m.stop("end", joint="S", above=0.5, stiffness=stiffness)
    if push:
        m.force("push", on=b["P"], vector=(push, 0.0))
    return m


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7])
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_a_stop_that_is_met(stiffness: float, rtol: float) -> None:
    """It comes back as fast after pi / sqrt(k): x = 2 s - v (T - pi / sqrt(k))."""
    found = jd.sensitivity(block(stiffness), ["b.velocity.x", "end.above"], "b.x", END, rtol=rtol)
    exact = -(END - math.pi / math.sqrt(stiffness))
    assert found["b.x", "b.velocity.x"][-1] == pytest.approx(exact, rel=1e-3)
    assert found["b.x", "end.above"][-1] == pytest.approx(2.0, rel=1e-3)


def test_a_stop_that_is_not_met_costs_no_exactness() -> None:
    found = jd.sensitivity(block(1e5), "b.velocity.x", "b.x", 0.4)
    assert found["b.x", "b.velocity.x"][-1] == pytest.approx(0.4, rel=1e-10)


def test_a_jump_that_is_passed_is_refused() -> None:
    """Braked from 0.5 m on: the time at which that begins depends on the speed, which no stage sees."""
    with pytest.raises(jd.SimulationError, match=r"'b.x' by 'b.velocity.x' differs by .* whole runs"):
        jd.sensitivity(block(push="-0.2*(1 + sign(b.x - 0.5))"), "b.velocity.x", "b.x", END)
