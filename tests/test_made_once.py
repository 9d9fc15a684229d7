"""What is worked out from a mechanism is worked out once, and again as soon as anything in it has changed."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain import library
from jourdain.mechanism.parts import PortName
from jourdain.model.compile import compile_mechanism

FRAMES = 1500  # of one simulate on the four-bar, warm: about 1000


def sprung() -> jd.Mechanism:
    m = machines.four_bar()
    m.parameter("k", 40.0)
    m.torsion_spring_damper("brake", joint="A", stiffness="2*k", damping=0.1)
    return m


def test_a_blueprint_is_the_same_object_until_the_mechanism_changes():
    m = sprung()
    first = m.frozen()
    assert m.frozen() is first
    m.event("turn", when="crank.angle")
    second = m.frozen()
    assert second is not first
    assert second.bodies[0] is first.bodies[0]
    m.defaults["step"] = 1e-3
    assert m.frozen() is not second


def test_a_model_is_made_once_where_nobody_can_change_its_values():
    m = sprung()
    blueprint = m.frozen()
    one = compile_mechanism(blueprint, "angle")
    assert compile_mechanism(blueprint, "angle") is one
    assert compile_mechanism(blueprint, "natural") is not one
    assert compile_mechanism(replace(blueprint), "angle") is not one


def test_functions_are_looked_at_anew():
    """What a function does may depend on anything."""
    size = [1.0]
    m = machines.pendulum_bar()
    body = m.frozen().bodies[0]
    m.force("push", on=PortName(body.name, list(body.ports)[-1]), vector=[lambda t: size[0] * (1 + t), 0.0])
    blueprint = m.frozen()
    assert not blueprint.is_settled
    ends = []
    for size[0] in (1.0, 5.0):
        ends.append(jd.simulate(blueprint, 0.2)["rod.angle"][-1])
    assert abs(ends[1] - ends[0]) > 1e-4


def test_changed_values_reach_the_next_run():
    m = sprung()
    before = jd.simulate(m, 0.2)["crank.angle"][-1]
    m.torsion_spring_damper("more", joint="A", stiffness=1000.0)
    assert jd.simulate(m, 0.2)["crank.angle"][-1] != before
    blueprint = m.frozen()
    heavier = replace(blueprint, parameters=MappingProxyType({"k": 4000.0}))
    assert jd.simulate(heavier, 0.2)["crank.angle"][-1] != jd.simulate(blueprint, 0.2)["crank.angle"][-1]


def test_components_are_lowered_once(monkeypatch):
    counts: dict[str, int] = {}
    kinds = dict(library.TYPES)

    def counting(kind):
        def lower(values):
            counts[values.component.name] = counts.get(values.component.name, 0) + 1
            return kind.lower(values)

        return replace(kind, lower=lower)

    monkeypatch.setattr(library, "TYPES", {name: counting(kind) for name, kind in kinds.items()})
    jd.simulate(sprung(), 0.1)
    assert set(counts.values()) == {1}
    assert "brake" in counts


def test_frames_of_a_run():
    m = jd.example("four_bar")
    for _ in range(3):
        jd.simulate(m, 5)
    count = 0

    def look(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(look)
    try:
        jd.simulate(m, 5)
    finally:
        sys.setprofile(None)
    assert count < FRAMES


@pytest.mark.parametrize("integrator", [jd.Rk4(1e-3), jd.Dop853()], ids=str)
def test_runs_of_one_model_do_not_meet(integrator):
    m = sprung()
    first, second = (jd.simulate(m, 0.5, integrator=integrator) for _ in range(2))
    np.testing.assert_array_equal(first.samples, second.samples)
