"""Loops in joint coordinates as one chooses: where their rows are solved, from which body the tree grows, what is held.

The oracle is the same motion in coordinates of bodies; what is not held drifts by the errors of the integrator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.choices import Baumgarte, Recursion, Relative
from jourdain.kernels.layout import tree_table as t

MACHINES = {"four_bar": "coupler", "slider_crank": "rod", "spatial_four_bar": "coupler", "stewart_platform": "platform"}
ROUNDING = 1e-13  # of metres and seconds, that projection leaves


def moved(name: str, **ways: Any) -> tuple[jd.Solution, float]:
    """A run, and how far it is from the motion in coordinates of bodies."""
    m = jd.example(name)
    run = jd.simulate(m, 0.5, every=0.1, **ways)
    assert run.status.ok, run.status
    best = jd.simulate(m, 0.5, every=0.1, coordinates="angle" if m.frozen().dim == 2 else "quaternion", rtol=1e-11)
    return run, float(np.max(np.abs(run.motion.position - best.motion.position)))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("solve", ["junction", "base"])
@pytest.mark.parametrize("from_body", [False, True], ids=["ground", "body"])
def test_wherever_rows_are_solved_the_motion_is_the_same(name: str, solve: str, from_body: bool) -> None:
    base = MACHINES[name] if from_body else None
    bodies = [body.name for body in jd.example(name).frozen().bodies]
    base = base if base is None or base in bodies else bodies[1]
    run, off = moved(name, coordinates=Relative(base=base), treatment=Recursion(solve=solve))
    assert off < 1e-8
    links = run.model.tree.graph.links
    if base is not None:
        assert links[0].body == base
        assert links[0].joint is None
    if solve == "base":  # the body it grows from, or the ground
        at = {int(j) for j in np.flatnonzero(np.diff(run.model.fields[t.SPOT_RANGES][:, :2], axis=1)[:, 0])}
        assert at <= {0, 1}


@pytest.mark.parametrize("name", ["slider_crank", "stewart_platform"])
def test_what_is_not_held_drifts_and_what_is_does_not(name: str) -> None:
    """Gaps of positions and velocities at each level, beside what projection leaves."""
    gaps = {}
    for level in ("position", "velocity", "acceleration"):
        run, off = moved(name, treatment=Recursion(level=level))
        assert off < 1e-7
        gaps[level] = np.max(run.violation.position[1:]), np.max(run.violation.velocity[1:])
    size = max(1.0, run.model.size)
    assert gaps["position"][0] < 10 * ROUNDING * size
    assert gaps["velocity"][0] > 10 * gaps["position"][0]
    assert gaps["velocity"][1] < 10 * ROUNDING * size
    assert gaps["acceleration"][1] > 100 * gaps["velocity"][1]


def test_baumgarte_holds_cut_joints() -> None:
    """Gaps grow for as long as nothing holds them; fed back, those of velocities or of both stay what a step makes."""
    m = jd.example("four_bar")
    gaps = {}
    for level, held in (("acceleration", "none"), ("velocity", Baumgarte(5.0, 5.0)), ("position", Baumgarte(5.0, 5.0))):
        way = Recursion(stabilisation=held, level=level)
        run = jd.simulate(m, 20.0, every=1.0, treatment=way, integrator="rk4", step=0.01)
        assert run.status.ok, run.status
        gaps[level] = np.mean(run.violation.position[-5:]), np.mean(run.violation.velocity[-5:])
    assert gaps["velocity"][1] < 0.5 * gaps["acceleration"][1]
    assert gaps["position"][0] < 0.5 * gaps["velocity"][0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: {"treatment": Recursion(solve="ends")}, "expected 'junction' or 'base'"),
        (lambda: {"treatment": Recursion(level="speed")}, "level of recursion is 'speed'"),
        (lambda: {"treatment": Recursion(stabilisation="none", level="velocity")}, "holds nothing"),
        (lambda: {"treatment": Recursion(stabilisation=Baumgarte(1.0, 1.0), level="acceleration")}, "leave out one"),
        (lambda: {"coordinates": Relative(base="cranc")}, "did you mean 'crank'"),
        (lambda: {"coordinates": Relative(base=3)}, "expected the name of a body"),
    ],
)
def test_what_cannot_be_is_told(make: Any, words: str) -> None:
    with pytest.raises((jd.ChoiceError, jd.MechanismError), match=words):
        jd.simulate(jd.example("four_bar"), 0.1, **make())
