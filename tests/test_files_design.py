"""The example that the format was promised by, word for word, with its dots filled in."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
import machines

EXAMPLE = """\
jourdain: 1
name: four-bar linkage
space: planar                       # or spatial
gravity: [0, -9.81]                 # spatial: three numbers
parameters: {L: 4, k: 200 N/m}      # numbers, quantities or formulas; usable below and changeable at the prompt

ground: {points: {A: [0, 0], D: [L, 0]}}

bodies:
  crank:
    mass: 3
    inertia: 4.04                   # about the mass centre
    position: [L*sqrt(2)/4, -L*sqrt(2)/4]
    angle: -45 deg
    velocity: [0, 0]
    spin: 0
    points: {A: [-L/2, 0], B: [L/2, 0]}     # in body axes
  coupler: {mass: 3, inertia: 4.04, position: [L*sqrt(2)/2 + L/2, -L*sqrt(2)/2], angle: 0, velocity: [0, 0], spin: 0,
            points: {B: [-L/2, 0], C: [L/2, 0]}}
  rocker: {mass: 3, inertia: 4.04, position: [L + L*sqrt(2)/4, -L*sqrt(2)/4], angle: 135 deg, velocity: [0, 0], spin: 0,
           points: {C: [-L/2, 0], D: [L/2, 0]}}

joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
  mine:                             # a user's own joint: its vector equations
    type: custom
    between: [crank.B, coupler.C]
    equations: ["dot(N - M, y_i)", "dot(x_j, y_i)"]

forces:
  spring: {type: spring-damper, between: [crank.B, ground.D], stiffness: k, damping: 15, length: 4}
  push: {type: force, on: coupler.C, vector: [10*sin(2*pi*t), 0]}

motions:                            # drivers
  drive: {joint: A, angle: -45 deg + 2*pi*t}

simulate: {duration: 5 s, recipe: nacf, step: 1e-3}   # defaults for a run; the prompt overrides
"""
MINE = EXAMPLE[EXAMPLE.index("  mine:") : EXAMPLE.index("forces:")]


def test_the_whole_example_is_read() -> None:
    b = jd.load(EXAMPLE).frozen()
    assert b.joint("mine").equations == ("dot(N - M, y_i)", "dot(x_j, y_i)")
    assert dict(b.defaults) == {"duration": 5.0, "recipe": "nacf", "step": 1e-3}


@pytest.mark.parametrize("k", [200.0, 350.0])
def test_the_driven_linkage_runs_by_its_recipe(k: float) -> None:
    # Its own joint would hold the coupler in line with the crank, and the linkage could not move: without it.
    run = jd.simulate(jd.load(EXAMPLE.replace(MINE, ""), k=k), every=0.1)
    assert run.status.ok
    assert str(run.choices) == "natural, udwadia-kalaba + euclidean, ab6 0.001 s (recipe nacf)"
    assert np.allclose(run["A.angle"], -np.pi / 4 + 2 * np.pi * run.t, atol=1e-6)


def test_without_the_motion_it_is_the_linkage_of_the_paper() -> None:
    """Pappalardo and Guida's four-bar, but for the ends of the spring: accelerations at the start."""
    text = EXAMPLE.replace(MINE, "").replace("[crank.B, ground.D]", "[ground.A, rocker.C]")
    text = text[: text.index("  push:")] + text[text.index("simulate:") :]
    a, b = (jd.simulate(m, times=[0.0]) for m in (jd.load(text), machines.four_bar()))
    for channel in ("crank.spin_rate", "coupler.ax", "rocker.ay"):
        assert a[channel][0] == pytest.approx(b[channel][0], rel=1e-12)
