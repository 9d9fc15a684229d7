"""Kernels in plain Python, where they can be stepped through: the same numbers as compiled, to rounding."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import plain_ways

# What differs is rounding, where compiled code does a * b + c at once (FUSED in kernels/core/context.py): compiled
# without that, kernels have the very bits of plain Python in these cases, but for lengths of steps of dop853, where
# x**2 is a power in Python and a product in compiled code.
ROUNDING = 1e-12
# Works of radau come from slopes before the last correction of Newton's iteration, which ends when that is below
# SOLVED * rtol; the correction depends on a Jacobian made of differences, and these on rounding.
LAST_CORRECTION = 2e-4 * 1e-6
# The rod of the rssr linkage may turn about itself, and has L^2 / (6 r^2) of its other moments of inertia there: what
# is rounded in those, in some dozens of terms, shows so many times in its angular accelerations and velocities.
SLENDER = 64 * 0.5**2 / (6 * 0.01**2) * 2.0**-52
# Its crank has m r^2 / 2 about itself, and its pin bears 0.6 N m: what is rounded there is an angular acceleration.
LIGHT = 0.6 / (0.5 * 0.01**2 / 2) * 2.0**-52


def tolerance(case: str, channel: str) -> float:
    if case == "plane, radau" and channel in ("energy.dissipated", "energy.driven", "energy.total"):
        return LAST_CORRECTION
    if case == "space, recursive" and channel.startswith("coupler.w"):
        return SLENDER
    if case == "space, dop853" and vector_of(channel) == "crank.w*_rate":
        return LIGHT
    return ROUNDING


def vector_of(channel: str) -> str:
    """What is rounded in one component of a vector is a share of the vector: a component may be zero."""
    return re.sub(r"(?<=[.awvfmq])[xyz](?=_|$)", "*", channel)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    file = tmp_path_factory.mktemp("plain") / "found.npz"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, plain_ways.__file__, str(file)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "compiling" not in done.stderr
    with np.load(file) as arrays:
        return dict(arrays)


@pytest.mark.parametrize("case", plain_ways.CASES)
def test_kernels_give_the_same_numbers_in_plain_python(plain, case):
    compiled = plain_ways.found(case)
    assert {f"{case}/{name}" for name in compiled} == {name for name in plain if name.startswith(f"{case}/")}
    sizes: dict[str, float] = {}
    for name, array in compiled.items():
        sizes[vector_of(name)] = max(sizes.get(vector_of(name), 1.0), np.max(np.abs(array)))
    for name, array in compiled.items():
        off = np.max(np.abs(plain[f"{case}/{name}"] - array))
        assert off <= tolerance(case, name) * sizes[vector_of(name)], name
