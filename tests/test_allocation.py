"""The time loops allocate nothing: ten times the steps, as many allocations by compiled code as before."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

import jourdain as jd
import machines


@pytest.fixture(autouse=True)
def counting():
    """Numba counts its allocations only if told to."""
    was = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    yield
    if not was:
        _nrt_python.memsys_disable_stats()


def allocations(work) -> int:
    before = rtsys.get_allocation_stats().alloc
    work()
    return rtsys.get_allocation_stats().alloc - before


@njit
def _allocating(n):
    total = 0.0
    for k in range(n):
        total += np.zeros(k + 1)[k]
    return total


def test_allocations_are_counted():
    _allocating(1)
    assert allocations(lambda: _allocating(100)) >= 100


@pytest.mark.parametrize(
    "how",
    [
        {"integrator": "rk4", "step": 1e-3},
        {"integrator": "generalized-alpha", "step": 1e-3},
        {"integrator": "dop853", "rtol": 1e-8, "max_step": 1e-2},
    ],
    ids=lambda how: how["integrator"],
)
def test_steps_allocate_nothing(how):
    m = machines.four_bar("AC").frozen()

    def run(seconds: float) -> int:
        return jd.simulate(m, seconds, every=seconds, **how).statistics.steps

    run(0.05)  # whatever is compiled or loaded at first
    steps = [run(0.05), run(0.5)]
    assert steps[1] > 5 * steps[0]
    assert allocations(lambda: run(0.05)) == allocations(lambda: run(0.5))


def test_variants_of_a_batch_allocate_nothing():
    m = machines.four_bar("AC").frozen()

    def run(seconds: float) -> None:
        jd.simulate_many(m, seconds, {"spring.stiffness": [100.0, 200.0]}, keep="end", threads=1)

    run(0.05)
    assert allocations(lambda: run(0.05)) == allocations(lambda: run(0.5))
