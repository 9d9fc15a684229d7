"""A slice of the long campaigns on random machines (`make soak`), and that their judges see what is wrong."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd

sys.path.append(str(Path(__file__).resolve().parent.parent / "soak"))
import machine_trial
from analysis_trials import ALLOWED, TRIALS
from judging import AT, grid, unbalanced, unideal, worst_channel
from random_machines import random_machine

# Small machines: a loop, a gear, an event, elements, parallel axes, a joint that stands twice.
SMALL = (3, 8, 21, 25, 26)


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize("seed", SMALL)
def test_the_default_is_right(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LONGEST", "PATIENCE"):  # kernels may have to be compiled
        monkeypatch.setattr(machine_trial, name, 600.0)
    verdict, words = machine_trial.trial(seed, other_ways=seed == 8)
    assert verdict == machine_trial.RIGHT, words


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize("seed", [3, 23])
def test_the_judges_see_another_gravity(seed: int) -> None:
    """By a part in ten thousand, of the machine that is simulated and not of the one that it is compared with."""
    machine, times = random_machine(seed), grid(0.3, 5)
    blueprint = machine.m.frozen()
    run = jd.simulate(blueprint, times=times, progress=False)
    heavier = replace(blueprint, gravity=tuple(1.0001 * g for g in blueprint.gravity))
    other = jd.simulate(heavier, times=times, progress=False)
    everything = np.ones(times.size, dtype=bool)
    assert worst_channel(other, run, everything)[0] > 1e-5
    assert unbalanced(machine, run, everything[AT])[0] < 1e-7
    assert unideal(run)[0] < 1e-9
    other.blueprint.__dict__["gravity"] = blueprint.gravity  # as if it had been simulated with that
    assert unbalanced(machine, other, everything[AT])[0] > 1e-6


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize("name", list(TRIALS))
def test_analyses_against_plain_calculations(name: str, seed: int) -> None:
    off, words = TRIALS[name](seed)
    assert off is not None, words
    assert off <= ALLOWED[name], words
