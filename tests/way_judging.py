"""One gallery machine in one way to solve it: right within what the method errs by, refused, or stopped in words.

What a method errs by is what half the step, or a hundredth of the tolerance (and of the treatment's own), changes;
where that stops earlier, what a smaller change does. The yardstick is `auto` at a tolerance far below the others'.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

import jourdain as jd
from jourdain import choices as ch
from jourdain.files.gallery import example_names

RIGHT, STOPPED, REFUSED, WRONG = "right", "stopped", "refused", "WRONG"
TIMES = 10.0  # of what the method errs by
YARDSTICK, TOLERANCE, STEP = 1e-11, 1e-6, 2e-3
# Of the size, with fixed steps and with error control: what is as good as asked for.
NOTHING = {True: 1e-7, False: TOLERANCE}
BRANCH = 1e-3  # of the size, where nothing finer got as far: another branch is wrong by the size itself
FINER = (100.0, 10.0, 3.0)  # the tolerances are finer by this, in turn, until a run gets as far
USUAL = 1.0  # s; longer where a machine passes singular positions later
DURATIONS = {"singular_slider_crank": 3.0, "n_four_bar": 3.0, "bricard": 2.0, "andrews_squeezer": 0.03}
SAMPLES = 41
STEPS = 10  # fixed ones between two samples, at least


def all_ways() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every gallery machine in every coordinate set, treatment and integrator, and in every recipe."""
    for name in example_names():
        space = jd.example(name).frozen().space
        for recipe in ch.RECIPES:
            yield name, {"recipe": recipe}
        sets = [key for key, one in ch.COORDINATES[space].items() if one.shown]
        for coordinates, treatment, integrator in product(sets, ch.TREATMENTS, ch.INTEGRATORS):
            yield name, {"coordinates": coordinates, "treatment": treatment, "integrator": integrator}


def judged(name: str, way: dict[str, Any]) -> tuple[str, str]:
    """The verdict, and what was found."""
    blueprint = replace(jd.example(name).frozen(), defaults={})
    times = np.linspace(0.0, DURATIONS.get(name, USUAL), SAMPLES)
    fixed = "integrator" in way and ch.INTEGRATORS[way["integrator"]].fixed
    step = min(STEP, times[1] / STEPS)
    number = {"step": step} if fixed else {"rtol": TOLERANCE, "atol": TOLERANCE} if "integrator" in way else {}
    words = f"{name} {', '.join(way.values())}"
    try:
        chosen = ch.resolve(blueprint.space, **way, **number)
        run = _run(blueprint, times, chosen)
    except (jd.ChoiceError, jd.MechanismError) as error:
        return REFUSED, f"{words}: {error}"
    except jd.JourdainError as error:
        return STOPPED, f"{words}: {error}"
    verdict = RIGHT if run.status.ok else STOPPED
    off = _apart(run, _yardstick(name))
    finer = run
    for by in FINER if verdict == RIGHT else FINER[:1]:
        finer = _run(blueprint, times, _finer(chosen, by))
        if len(finer.t) >= len(run.t):
            break
    errs, there = _apart(run, finer), _apart(run, _yardstick(name), len(finer.t))
    bar = TIMES * errs + NOTHING[isinstance(chosen.integrator, ch.FixedStep)]
    if there > bar or off > max(bar, BRANCH):
        verdict = WRONG
    return verdict, f"{words}: off by {off:.1e}, errs by {errs:.1e}; {run.status.sentence}; {finer.status.sentence}"


@functools.cache
def _yardstick(name: str) -> Any:
    blueprint = replace(jd.example(name).frozen(), defaults={})
    times = np.linspace(0.0, DURATIONS.get(name, USUAL), SAMPLES)
    return _run(blueprint, times, ch.resolve(blueprint.space, rtol=YARDSTICK, atol=YARDSTICK))


def _run(blueprint: Any, times: np.ndarray, chosen: Any) -> Any:
    """By whole objects, which a finer way is made of; what is left to `auto` stays so."""
    given: dict[str, Any] = {"coordinates": chosen.set, "treatment": chosen.treatment, "integrator": chosen.integrator}
    if chosen.free:
        given = {"rtol": chosen.integrator.rtol, "atol": chosen.integrator.atol}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return jd.simulate(blueprint, times=times, progress=False, **given)


def _finer(chosen: Any, by: float) -> Any:
    method, treatment = chosen.integrator, chosen.treatment
    if isinstance(method, ch.FixedStep):
        method = replace(method, step=method.step / 2)
    else:
        atol = method.rtol if method.atol is None else method.atol
        method = replace(method, rtol=method.rtol / by, atol=atol / by)
    if hasattr(treatment, "tolerance"):
        treatment = replace(treatment, tolerance=max(treatment.tolerance / by, 1e-13))
    if treatment.name == "penalty":
        treatment = replace(treatment, alpha=2 * treatment.alpha)
    return replace(chosen, integrator=method, treatment=treatment)


def _apart(one: Any, other: Any, most: int = SAMPLES) -> float:
    """Of the size, over the times that both reached, `most` of them."""
    n = min(len(one.t), len(other.t), most)
    apart = np.abs(one.motion.position[:n] - other.motion.position[:n])
    return float(np.max(apart, initial=0.0)) / one.model.size
