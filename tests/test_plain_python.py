"""Kernels in plain Python, where they can be stepped through: the same numbers as compiled, to rounding."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import plain_ways

# What differs is rounding: compiled code fuses multiplications. Radau iterates with a matrix made of differences, which
# amplifies it, until what is left is below a part of rtol = 1e-6: there that decides.
TOLERANCE = {case: 1e-9 if "radau" in case else 1e-12 for case in plain_ways.CASES}


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
    for name, array in compiled.items():
        off = np.max(np.abs(plain[f"{case}/{name}"] - array))
        assert off <= TOLERANCE[case] * max(1.0, np.max(np.abs(array))), name
