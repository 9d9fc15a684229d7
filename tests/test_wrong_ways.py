"""Ways to be wrong about a simulation, and what one is told: where, what was found, what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import jourdain as jd
import machines


def pendulum(**start: Any) -> tuple[jd.Mechanism, Any]:
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    points = {"A": (-0.5, 0), "B": (0.5, 0)}
    bar = m.body("bar", mass=1, inertia=1 / 12, position=(0.5, 0), points=points, **start)
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    return m, bar


def two_motions() -> jd.Mechanism:
    m, _ = pendulum()
    m.motion("slow", joint="A", angle="t")
    m.motion("fast", joint="A", angle="2*t")
    return m


def too_long() -> jd.Mechanism:
    m, bar = pendulum()
    m.revolute("B", m.ground.point("B", (3, 0)), bar["B"])
    return m


def massless() -> jd.Mechanism:
    m = jd.Mechanism("dust", gravity=(0, -9.81))
    m.body("mote", mass=0, inertia=0, position=(0, 0))
    return m


def spun_point() -> jd.Mechanism:
    """A moment on a body that nothing keeps from turning, and that has no inertia."""
    m = jd.Mechanism("point", gravity=(0, -9.81))
    m.body("point", mass=1, inertia=0, position=(0, 0))
    m.torque("twist", on="point", torque=1)
    return m


# Choices that do not fit: refused before anything runs ---------------------------------------------------------------

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "index 3 with rk4": (
        {"treatment": "index3", "integrator": "rk4", "step": 1e-3},
        "index3 is solved inside a step, which rk4 cannot do; use generalized-alpha or hht, or kkt instead",
    ),
    "kkt in an index-3 method": (
        {"treatment": "kkt", "integrator": "hht", "step": 1e-3},
        "hht solves the index-3 equations itself; leave out 'kkt', or use rk4",
    ),
    "step 0": ({"step": 0}, "step is 0; expected a positive number"),
    "negative tolerance": ({"rtol": -1e-6}, "rtol is -1e-06; expected a positive number"),
    "tolerance below rounding": ({"rtol": 1e-18}, "rtol is 1e-18; numbers have 16 digits"),
    "tolerance that is no number": ({"atol": float("nan")}, "atol is nan; expected a positive number"),
    "longest step 0": ({"max_step": 0}, "max_step is 0; expected a positive number"),
    "no step": ({"integrator": "rk4"}, "rk4 has a fixed step; give step=1e-3, or use dop853, which finds its own"),
    "a step too many": (
        {"integrator": "dop853", "step": 1e-3},
        "dop853 finds its own steps, so step would do nothing; use max_step, or rk4",
    ),
    "a tolerance too many": (
        {"integrator": "rk4", "step": 1e-3, "rtol": 1e-9},
        "rk4 has no error control, so rtol would do nothing; use dop853, or leave it out",
    ),
    "step beside an object": (
        {"integrator": jd.Dop853(), "step": 1e-3},
        "step given beside an integrator object; put it into the object",
    ),
    "stabilisation beside an object": (
        {"treatment": jd.Kkt(), "stabilisation": "none"},
        "stabilisation given beside a treatment object; put it into the object",
    ),
    "gains from no step": (
        {"stabilisation": "baumgarte"},
        "the gains of baumgarte come from the step, and dop853 has no fixed one; give Baumgarte(alpha=..., beta=...), "
        "or use rk4 with step=",
    ),
    "half of the gains": (
        {"stabilisation": jd.Baumgarte(alpha=5)},
        "baumgarte has one of alpha and beta; give both, or none to take them from the step",
    ),
    "unknown stabilisation": ({"stabilisation": "projektion"}, "did you mean 'projection'?"),
    "partitioning projected": (
        {"treatment": "partitioning", "stabilisation": "projection"},
        "partitioning corrects its dependent coordinates; leave out 'projection', or use null-space with projection",
    ),
    "penalty without stabilisation": (
        {"treatment": "penalty", "stabilisation": "none", "step": 1e-3},
        "without stabilisation joints come apart; use baumgarte",
    ),
    "euclidean null space": (
        {"treatment": "null-space", "stabilisation": "euclidean"},
        "null-space projects in the mass metric; use projection, or udwadia-kalaba with euclidean",
    ),
    "negative penalty": (
        {"treatment": jd.AugmentedLagrangian(alpha=-1)},
        "alpha is -1; expected a positive number",
    ),
    "tolerance of 200 %": ({"treatment": jd.Uzawa(tolerance=2)}, "tolerance is 2; expected 1e-14 to 1"),
    "alpha inside": (
        {"treatment": jd.Uzawa(inside=1e12)},
        "inside is 1e+12; expected an alpha from 1 to 1e+09, or None",
    ),
    "nothing inside": (
        {"treatment": jd.Uzawa(inside=1e4)},
        "inside is for equations that keep bodies rigid, and angle has none; leave it out, or use points or natural",
    ),
    "damping beside gains": (
        {"stabilisation": jd.Baumgarte(5, 5, damping=0.7)},
        "damping is for gains from the step, and alpha and beta were given; leave out one",
    ),
    "spectral radius 2": (
        {"integrator": jd.GeneralizedAlpha(1e-3, rho=2)},
        "rho is 2; expected 0 (damps most) to 1 (damps nothing)",
    ),
    "three corrections": (
        {"integrator": jd.Newmark(1e-3, corrections=3)},
        "corrections is 3; newmark takes 1 (order 1) or 2 (order 2)",
    ),
    "coordinates of space": (
        {"coordinates": "quaternion"},
        "coordinates 'quaternion' are spatial, the mechanism is planar; use 'angle'",
    ),
    "recipe misspelt": ({"recipe": "jolli"}, "did you mean 'joli'?"),
    "treatment 3": ({"treatment": 3}, "treatment is 3; expected a name (kkt, "),
    "no time": ({"duration": 0}, "duration is 0; expected a positive number of seconds"),
    "time that stands": ({"duration": None, "times": [0, 1, 1]}, "times must be finite and strictly increasing"),
}


@pytest.mark.parametrize("choices, words", REFUSED.values(), ids=REFUSED)
def test_choices_that_do_not_fit(choices: dict[str, Any], words: str) -> None:
    with pytest.raises(jd.ChoiceError) as caught:
        jd.simulate(machines.four_bar(), **{"duration": 1.0, **choices})
    assert words in str(caught.value)


# Mechanisms that cannot be, or not like that -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, words",
    [
        (two_motions, "if two motions drive one freedom, take one away or make them agree"),
        (
            too_long,
            "joints 'A', 'B' cannot be closed from the drawn pose: 1 (m or rad) remain; joints 'A' and",
        ),
        (massless, "body 'mote': mass is 0.0; expected a positive number"),
    ],
    ids=["over-driven", "too long", "massless"],
)
def test_mechanisms_that_cannot_be(make: Callable[[], jd.Mechanism], words: str) -> None:
    with pytest.raises(jd.MechanismError) as caught:
        jd.simulate(make(), 1.0)
    assert words in str(caught.value)


def test_a_body_without_inertia_that_a_moment_turns() -> None:
    with pytest.warns(jd.SimulationWarning, match=r"bodies without full inertia \(point\) did not settle"):
        assert not jd.simulate(spun_point(), 1.0).status.ok


def test_a_start_that_contradicts_the_joints_is_mended_and_told() -> None:
    m, _ = pendulum(angle=0, velocity=(1, 0), spin=0)
    run = jd.simulate(m, 0.1)
    assert "assembly changed the velocity of body 'bar' by 1 m/s to agree with the joints" in run.status.notes


def test_a_locked_mechanism_is_told_of() -> None:
    m, bar = pendulum()
    m.revolute("B", m.ground.point("B", (1, 0)), bar["B"])
    notes = jd.simulate(m, 1.0).status.notes
    assert "the mechanism is locked: no freedom is left, so nothing moves" in notes
    assert "1 equation is redundant and bears no load: B (translation along fixed x)" in notes
    assert not any("energy" in note for note in notes)


def test_drift_is_told_of() -> None:
    run = jd.simulate(machines.four_bar(), 20.0, step=5e-2, stabilisation="none")
    assert run.violation.position.max() > 1e-4
    assert any(note.startswith("joints came apart by up to 0.00") for note in run.status.notes)
    assert not any("apart" in note for note in jd.simulate(machines.four_bar(), 1.0).status.notes)


def test_recipes_are_listed_with_what_they_consist_of() -> None:
    words = jd.recipes()
    for name in jd.RECIPES:
        assert f"\n{name} " in f"\n{words}"
    assert "points or natural; uzawa + baumgarte; newmark" in words
    assert "Joli, Seguy and Feng 2008" in words and "Pappalardo and Guida 2018" in words
