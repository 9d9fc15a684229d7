"""The free choices of a run: defaults, what each name stands for, and every refusal with its reason."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.analysis.simulate import DEFAULT_SAMPLES, time_grid
from jourdain.choices import COORDINATES, INTEGRATORS, STABILISATIONS, TREATMENTS, Dop853, Kkt, Rk4, resolve
from jourdain.mechanism.parts import PLANAR, SPATIAL

NAN, INF = math.nan, math.inf


# What is chosen -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("space", "coordinates"), [(PLANAR, "angle"), (SPATIAL, "quaternion")])
def test_defaults(space: str, coordinates: str) -> None:
    choices = resolve(space)
    assert choices.recipe == "auto"
    assert choices.coordinates == coordinates
    assert choices.treatment == Kkt("projection")
    assert choices.integrator == Dop853(rtol=1e-9, atol=None, max_step=INF)
    assert str(choices) == f"{coordinates}, kkt + projection, dop853"


@pytest.mark.parametrize(
    ("given", "integrator"),
    [
        ({"step": 1e-3}, Rk4(1e-3)),
        ({"integrator": "rk4", "step": 1e-3}, Rk4(1e-3)),
        ({"integrator": Rk4(2e-3)}, Rk4(2e-3)),
        ({"integrator": "dop853"}, Dop853()),
        ({"rtol": 1e-6}, Dop853(rtol=1e-6)),
        ({"atol": 1e-4, "max_step": 0.1}, Dop853(atol=1e-4, max_step=0.1)),
        ({"integrator": Dop853(rtol=1e-5)}, Dop853(rtol=1e-5)),
    ],
    ids=str,
)
def test_integrators(given: dict[str, Any], integrator: Any) -> None:
    assert resolve(PLANAR, **given).integrator == integrator


def test_treatment_by_name_and_by_object() -> None:
    assert resolve(PLANAR, treatment="kkt").treatment == resolve(PLANAR, treatment=Kkt()).treatment == Kkt()


def test_a_run_says_what_solved_it() -> None:
    run = jd.simulate(machines.pendulum_bar(), 0.1, step=1e-2)
    assert str(run.choices) == "angle, kkt + projection, rk4 0.01 s"
    assert run.statistics.steps == DEFAULT_SAMPLES  # one for each output interval, all shorter than the step


def test_longest_step_is_kept() -> None:
    free = jd.simulate(machines.pendulum_bar(), 1.0)
    bound = jd.simulate(machines.pendulum_bar(), 1.0, max_step=0.01)
    assert free.statistics.steps < 100 <= bound.statistics.steps


# What is refused ------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "recipe": (
        {"recipe": "otto"},
        "unknown recipe 'otto'; known: amesim, auto, joli, nacf, recursive, stanescu (did you mean 'auto'?)",
    ),
    "coordinates": (
        {"coordinates": "angel"},
        "unknown coordinates 'angel'; known: angle, euler-parameters, natural, points, relative "
        "(did you mean 'angle'?)",
    ),
    "coordinates of space": (
        {"coordinates": "quaternion"},
        "coordinates 'quaternion' are spatial, the mechanism is planar; use 'angle'",
    ),
    "treatment": (
        {"treatment": "kkd"},
        "unknown treatment 'kkd'; known: augmented-lagrangian, index3, kkt, null-space, partitioning, penalty, "
        "recursion, udwadia-kalaba, uzawa (did you mean 'kkt'?)",
    ),
    "integrator": (
        {"integrator": "rk5"},
        "unknown integrator 'rk5'; known: ab6, bdf, dop853, dopri5, generalized-alpha, hht, newmark, radau, rk4, rk6 "
        "(did you mean 'rk6'?)",
    ),
    "rk4 without step": (
        {"integrator": "rk4"},
        "rk4 has a fixed step; give step=1e-3, or use dop853, which finds its own",
    ),
    "rk4 with rtol": (
        {"step": 1e-3, "rtol": 1e-6},
        "rk4 has no error control, so rtol would do nothing; use dop853, or leave it out",
    ),
    "rk4 with atol": (
        {"integrator": "rk4", "step": 1e-3, "atol": 1e-6},
        "rk4 has no error control, so atol would do nothing; use dop853, or leave it out",
    ),
    "rk4 with max_step": (
        {"step": 1e-3, "max_step": 1e-2},
        "rk4 has no error control, so max_step would do nothing; use dop853, or leave it out",
    ),
    "dop853 with step": (
        {"integrator": "dop853", "step": 1e-3},
        "dop853 finds its own steps, so step would do nothing; use max_step, or rk4",
    ),
    "object with step": (
        {"integrator": Rk4(1e-3), "step": 1e-3},
        "step given beside an integrator object; put it into the object",
    ),
    "object with tolerances": (
        {"integrator": Dop853(), "rtol": 1e-3, "atol": 1e-3},
        "rtol, atol given beside an integrator object; put it into the object",
    ),
    "step zero": ({"step": 0}, "step is 0; expected a positive number"),
    "step negative": ({"step": -1e-3}, "step is -0.001; expected a positive number"),
    "step NaN": ({"step": NAN}, "step is nan; expected a positive number"),
    "rtol zero": ({"rtol": 0.0}, "rtol is 0.0; expected a positive number"),
    "rtol NaN": ({"rtol": NAN}, "rtol is nan; expected a positive number"),
    "atol negative": ({"atol": -1.0}, "atol is -1.0; expected a positive number"),
    "max_step zero": ({"max_step": 0.0}, "max_step is 0.0; expected a positive number"),
}


KINDS: dict[str, set[str]] = {
    "coordinates": {name for sets in COORDINATES.values() for name in sets},
    "treatment": set(TREATMENTS),
    "stabilisation": set(STABILISATIONS),
    "integrator": set(INTEGRATORS),
}


def refusal(space: str, given: dict[str, Any]) -> str | None:
    number = {"step": 1e-3} if INTEGRATORS[given["integrator"]].fixed else {}
    try:
        resolve(space, **given, **number)
    except jd.ChoiceError as error:
        return str(error)
    return None


def advised(given: dict[str, Any], words: str) -> Iterator[dict[str, Any]]:
    """The choices with one that the refusal names, or without one that is to be left out."""
    named = set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", words))
    for kind, names in KINDS.items():
        yield from ({**given, kind: name} for name in sorted((named & names) - {given[kind]}))
        if "leave out" in words and kind != "integrator":
            yield {**given, kind: None}


@pytest.mark.parametrize("space", [PLANAR, SPATIAL])
def test_advice_of_refusals_leads_to_what_works(space: str) -> None:
    """Whatever is combined: who takes the advice, once for each choice that is wrong, gets choices that go together."""
    sets = [name for name, one in COORDINATES[space].items() if one.shown]
    first: dict[str, dict[str, Any]] = {}
    for choices in itertools.product(sets, TREATMENTS, (None, *STABILISATIONS), INTEGRATORS):
        given = dict(zip(KINDS, choices, strict=True))
        if words := refusal(space, given):
            first.setdefault(words, given)
    assert len(first) > 50
    for words, given in first.items():
        tried = [given]
        for _ in KINDS:
            tried = [next_one for one in tried for next_one in advised(one, refusal(space, one) or "")]
            if any(refusal(space, one) is None for one in tried):
                break
        else:
            raise AssertionError(f"no advice in: {words}")


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    given, sentence = REFUSED[case]
    with pytest.raises(jd.ChoiceError) as caught:
        jd.simulate(machines.pendulum_bar(), 1.0, **given)
    assert str(caught.value) == sentence
    assert caught.value.keys[0] in given


def test_a_refusal_blames_what_was_given() -> None:
    """ggl wants an implicit method; kkt, which is there by default, is named after those."""
    given = {"integrator": "rk4", "step": 1e-3, "stabilisation": "ggl"}
    with pytest.raises(jd.ChoiceError) as caught:
        resolve(PLANAR, **given)
    assert caught.value.keys[0] in ("integrator", "stabilisation")
    assert {key for key in caught.value.keys if key in given} == {"integrator", "stabilisation"}


def test_coordinates_of_the_plane_in_space() -> None:
    with pytest.raises(jd.ChoiceError) as caught:
        jd.simulate(machines.torque_free_body(), 1.0, coordinates="angle")
    assert str(caught.value) == "coordinates 'angle' are planar, the mechanism is spatial; use 'quaternion'"
    with pytest.raises(jd.ChoiceError, match="coordinates 'angle' are planar"):
        jd.rhs(machines.torque_free_body(), coordinates="angle")


@pytest.mark.parametrize(
    "integrator",
    [Rk4(-1e-3), Rk4(0.0), Rk4(NAN), Dop853(rtol=-1.0), Dop853(rtol=NAN), Dop853(atol=-1.0), Dop853(max_step=0.0)],
    ids=str,
)
def test_objects_are_checked_like_numbers(integrator: Any) -> None:
    with pytest.raises(jd.ChoiceError, match="expected a positive number"):
        resolve(PLANAR, integrator=integrator)


@pytest.mark.parametrize("key", ["rtol", "atol"])
def test_tolerances_are_finite(key: str) -> None:
    with pytest.raises(jd.ChoiceError, match=f"{key} is inf"):
        resolve(PLANAR, **{key: INF})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        {"treatment": Kkt(stabilisation="nothing")},
        {"treatment": 5},
        {"integrator": 5},
        {"coordinates": 5},
        {"step": "1e-3"},
        {"rtol": "tight"},
    ],
    ids=str,
)
def test_what_is_no_choice_at_all(given: dict[str, Any]) -> None:
    with pytest.raises(jd.ChoiceError):
        resolve(PLANAR, **given)


# The times of samples -------------------------------------------------------------------------------------------


def test_default_grid() -> None:
    grid = time_grid(2.0, None, None)
    assert len(grid) == DEFAULT_SAMPLES + 1 == 201
    np.testing.assert_allclose(np.diff(grid), 0.01, rtol=1e-12)
    assert (grid[0], grid[-1]) == (0.0, 2.0)


@pytest.mark.parametrize(
    ("duration", "every", "expected"),
    [
        (1.0, 0.25, [0, 0.25, 0.5, 0.75, 1.0]),
        (1.0, 0.4, [0, 0.4, 0.8, 1.0]),  # the end is always sampled
        (1.0, 3.0, [0, 1.0]),
        (0.3, 0.1, [0, 0.1, 0.2, 0.3]),  # 0.3 / 0.1 is a little less than 3
        (0.7, 0.1, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
    ],
)
def test_grid_of_every(duration: float, every: float, expected: list[float]) -> None:
    grid = time_grid(duration, every, None)
    np.testing.assert_allclose(grid, expected, rtol=1e-12)
    assert grid[-1] == duration


def test_times_are_taken_as_they_are() -> None:
    times = [0.5, 0.6, 2.0]
    run = jd.simulate(machines.pendulum_bar(), times=times)
    assert run.t.tolist() == times
    assert len(run["rod.x"]) == 3


DURATION = "expected a positive number of seconds"
TIMES = "times must be finite and strictly increasing"
BAD_TIMES: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, f"duration is None; {DURATION}"),
    "duration zero": ({"duration": 0}, f"duration is 0; {DURATION}"),
    "duration negative": ({"duration": -1.0}, f"duration is -1.0; {DURATION}"),
    "duration NaN": ({"duration": NAN}, f"duration is nan; {DURATION}"),
    "duration infinite": ({"duration": INF}, f"duration is inf; {DURATION}"),
    "every zero": ({"duration": 1.0, "every": 0.0}, f"every is 0.0; {DURATION}"),
    "every negative": ({"duration": 1.0, "every": -0.1}, f"every is -0.1; {DURATION}"),
    "every NaN": ({"duration": 1.0, "every": NAN}, f"every is nan; {DURATION}"),
    "every alone": ({"every": 0.1}, f"duration is None; {DURATION}"),
    "times and duration": ({"duration": 1.0, "times": [0, 1]}, "give either times, or duration and every; not both"),
    "times and every": ({"every": 1.0, "times": [0, 1]}, "give either times, or duration and every; not both"),
    "times empty": ({"times": []}, TIMES),
    "times falling": ({"times": [1.0, 0.5]}, TIMES),
    "times repeated": ({"times": [0.0, 0.5, 0.5]}, TIMES),
    "times NaN": ({"times": [0.0, NAN]}, TIMES),
    "times infinite": ({"times": [0.0, INF]}, TIMES),
    "times a number": ({"times": 1.0}, TIMES),
    "times a table": ({"times": [[0.0, 1.0]]}, TIMES),
}


@pytest.mark.parametrize("case", BAD_TIMES)
def test_refused_times(case: str) -> None:
    given, sentence = BAD_TIMES[case]
    with pytest.raises(jd.ChoiceError) as caught:
        jd.simulate(machines.pendulum_bar(), **given)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    "given", [{"duration": "5 m"}, {"duration": 1.0, "every": "x"}, {"times": ["a", "b"]}], ids=str
)
def test_texts_for_times(given: dict[str, Any]) -> None:
    with pytest.raises(jd.ChoiceError):
        jd.simulate(machines.pendulum_bar(), **given)
