"""Events on what rests at zero: they happen when it leaves, in their direction, and once a passage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jourdain as jd

WAYS = ({}, {"integrator": "rk4", "step": 1e-3}, {"integrator": "radau"}, {"coordinates": "relative"})


def dropped(direction: str) -> jd.Mechanism:
    """A ball on a rail falls a metre onto a springy floor, again and again."""
    m = jd.Mechanism("ball", gravity=(0, -9.81))
    ball = m.body("ball", mass=1, inertia=0.1, position=(0, 1), angle=np.pi / 2, points={"P": (0, 0)})
    m.prismatic("guide", m.ground.point("O", (0, 0), angle=np.pi / 2), ball["P"])
    m.stop("floor", joint="guide", below=0, stiffness=1e4, damping=1)
    m.event("hit", "floor.depth", direction=direction, record=True)
    return m


@pytest.mark.parametrize("choices", WAYS, ids=str)
@pytest.mark.parametrize("direction", ["rising", "falling", "both"])
def test_the_depth_of_a_stop_is_an_event(direction: str, choices: dict[str, Any]) -> None:
    run = jd.simulate(dropped(direction), 1.1, every=1e-4, **choices)
    depth = run["floor.depth"]
    down = run.t[1:][(depth[:-1] == 0) & (depth[1:] > 0)]
    up = run.t[1:][(depth[:-1] > 0) & (depth[1:] == 0)]
    assert len(down) == 7 and down[0] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-4)
    expected = {"rising": down, "falling": up, "both": np.sort([*down, *up])}[direction]
    np.testing.assert_allclose(run.events["hit"].t, expected, atol=1.1e-4)


def at(when: str, direction: str, choices: dict[str, Any]) -> list[float]:
    m = jd.Mechanism("clock")
    cart = m.body("cart", mass=1, inertia=1, position=(0, 0), velocity=(1, 0), points={"P": (0, 0)})
    m.prismatic("rail", m.ground.point("O", (0, 0)), cart["P"])
    m.event("e", when, direction=direction, record=True)
    return [float(t) for t in jd.simulate(m, 3.0, **choices).events["e"].t]


@pytest.mark.parametrize("choices", WAYS, ids=str)
@pytest.mark.parametrize(
    ("when", "rising", "falling"),
    [
        ("clip(cart.x - 1, 0, 9)", [1], []),
        ("-clip(cart.x - 1, 0, 9)", [], [1]),
        # From above to below with a rest: one passage.
        ("clip(1 - cart.x, 0, 9) - clip(cart.x - 2, 0, 9)", [], [1]),
        # To zero and back.
        ("clip(1 - cart.x, 0, 9) + clip(cart.x - 2, 0, 9)", [2], [1]),
        ("-clip(1 - cart.x, 0, 9) - clip(cart.x - 2, 0, 9)", [1], [2]),
        # Touching without a rest is none, and neither is a start at zero that is left at once.
        ("cart.x", [], []),
        ("-cart.x**2", [], []),
    ],
)
def test_a_rest_is_left_in_the_direction_of_the_event(
    when: str, rising: list[float], falling: list[float], choices: dict[str, Any]
) -> None:
    assert at(when, "rising", choices) == pytest.approx(rising, abs=1e-9)
    assert at(when, "falling", choices) == pytest.approx(falling, abs=1e-9)
    assert at(when, "both", choices) == pytest.approx(sorted([*rising, *falling]), abs=1e-9)


@pytest.mark.parametrize("choices", [*WAYS, {"every": 0.07}], ids=str)
@pytest.mark.parametrize(
    ("when", "rising", "falling"),
    [
        ("clip(t - 1, 0, 9)", [1], []),
        ("-max(t - 1, 0)", [], [1]),
        ("ramp(t, 1, 2)", [1], []),
        ("where(t > 1, (t - 1)**2, 0)", [1], []),
        ("clip(1 - t, 0, 9) - clip(t - 2, 0, 9)", [], [1]),
        ("clip(1 - t, 0, 9) + clip(t - 2, 0, 9)", [2], [1]),
        ("-clip(1 - t, 0, 9) - clip(t - 2, 0, 9)", [1], [2]),
    ],
)
def test_a_rest_that_a_function_of_time_ends(
    when: str, rising: list[float], falling: list[float], choices: dict[str, Any]
) -> None:
    """Steps end at its corners, where another look begins."""
    assert at(when, "rising", choices) == pytest.approx(rising, abs=1e-9)
    assert at(when, "falling", choices) == pytest.approx(falling, abs=1e-9)
    assert at(when, "both", choices) == pytest.approx(sorted(rising + falling), abs=1e-9)


def test_a_rest_is_remembered_in_checkpoints() -> None:
    whole = jd.session(dropped("rising"), every=0.01)
    whole.advance(0.2)
    mark = whole.checkpoint()
    whole.advance(0.5)
    other = jd.session(dropped("rising"), every=0.01)
    other.restore(mark)
    other.advance(to=0.7)
    assert other.solution().events["hit"].t.tolist() == whole.solution().events["hit"].t.tolist()
    assert len(other.solution().events["hit"].t) == 2
