"""Switching at events: what a function may ask for, and what is reported of a spring that is switched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jourdain as jd


def cart(call: Any, **keys: Any) -> jd.Mechanism:
    m = jd.Mechanism("cart")
    body = m.body("cart", mass=1, inertia=1, position=(0, 0), points={"P": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), body["P"])
    m.force("push", on=body["P"], vector=(2, 0))
    m.event("now", "t - 1", call=call, **keys)
    return m


def test_a_force_that_some_event_names_can_be_switched() -> None:
    m = cart(lambda moment: moment.off("push"))
    m.event("never", "t - 100", off=["push"])
    run = jd.simulate(m, 2.0)
    assert np.isclose(run["cart.vx"][-1], 2.0)


def test_a_joint_needs_not_be_named() -> None:
    run = jd.simulate(cart(lambda moment: moment.off("S")), 2.0)
    assert run["cart.vx"][-1] == pytest.approx(4.0)


@pytest.mark.parametrize("part", ["push", "nothing"])
def test_what_cannot_be_switched_is_named(part: str) -> None:
    with pytest.raises(jd.JourdainError, match=f"'{part}' cannot be switched; name it in on= or off= of an event"):
        jd.simulate(cart(lambda moment: moment.off(part)), 2.0)


def test_force_of_a_spring_that_is_switched() -> None:
    m = jd.Mechanism("cart")
    body = m.body("cart", mass=2, inertia=1, position=(0.5, 0), points={"P": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), body["P"])
    m.spring_damper("coil", m.ground.point("wall", (-1, 0)), body["P"], stiffness=100, damping=3, length=1)
    m.event("never", "t - 100", off=["coil"])
    run = jd.simulate(m, 1.0)
    assert run["coil.force"][0] == pytest.approx(50.0)
    assert run["coil.force"] == pytest.approx(-2 * run["cart.ax"])
