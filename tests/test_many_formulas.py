"""Batches over parameters that formulas are made of: springs become numbers of each variant, loads stay formulas."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import jourdain as jd
from jourdain.analysis.batches.variants import read_variants
from jourdain.mechanism.numbers import varied
from jourdain.mechanism.parts import Component, SpringDamper

TEXT = """
jourdain: 1
name: arm on a spring
space: planar
parameters: {k: 100, c: 2}
ground: {points: {O: [0, 0], W: [1, 1]}}
bodies:
  a: {mass: 1 kg, inertia: 0.1, points: {P: [0, 0], Q: [1, 0]}, centre: [0.5, 0], position: [0.5, 0], angle: 0}
joints:
  A: {type: revolute, between: [ground.O, a.P]}
forces:
  s: {type: spring-damper, between: [ground.W, a.Q], stiffness: 2*k + 1/c, damping: 3, length: WHOLE}
simulate: {duration: 0.4 s, every: 0.1 s}
"""


def arm(length: str = "1", more: str = "") -> jd.Mechanism:
    return jd.load(TEXT.replace("WHOLE", length) + more)


def test_a_spring_made_of_parameters_gives_what_each_run_gives_alone() -> None:
    m = arm()
    values = {"k": [50.0, 100.0, 150.0], "c": [1.0, 2.0, 3.0], "s.damping": [1.0, 2.0, 1.5]}
    many = jd.simulate_many(m, variants=values)
    for k in range(3):
        one = m.frozen()
        for name, column in values.items():
            one = varied(one, name, column[k])
        run = jd.simulate(one)
        assert_allclose(many["a.angle"][k], run["a.angle"], rtol=0, atol=1e-7)
        assert_allclose(many["s.force"][k], run["s.force"], rtol=0, atol=1e-5)


def test_it_runs_in_vector_lanes_where_the_formula_itself_would_not() -> None:
    lanes = jd.simulate_many(arm(), variants={"k": np.linspace(50, 150, 9)}, lanes=True)
    alone = jd.simulate_many(arm(), variants={"k": np.linspace(50, 150, 9)}, lanes=False)
    assert np.array_equal(lanes["a.angle"], alone["a.angle"])


def test_what_time_events_or_switches_enter_stays_a_formula() -> None:
    events = "events:\n  late: {when: t - 0.2, set: {k: 3}}\n"
    for m in (arm("1 + 0.1*sin(t)"), arm("1", events)):
        variants = read_variants(m, {"k": [1.0, 2.0]}).folded()
        assert all(isinstance(force, Component) for force in variants.base.forces)
    assert any(isinstance(force, SpringDamper) for force in read_variants(arm(), {"k": [1.0]}).folded().base.forces)


def test_a_variant_whose_formula_has_no_value_fails_alone_and_says_why() -> None:
    with pytest.warns(jd.SimulationWarning):
        many = jd.simulate_many(arm(), variants={"c": [1.0, 0.0, 2.0]})
    assert many.ok.tolist() == [True, False, True]
    assert "'s.stiffness' has no value with these numbers" in many.statuses[1].sentence
