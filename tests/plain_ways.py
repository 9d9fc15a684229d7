"""Short runs whose numbers must be the same in plain Python: python plain_ways.py FILE writes them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import jourdain as jd

FIXED = {"duration": 0.03, "every": 0.01, "step": 0.01}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "plane, rk4": ("four_bar", {**FIXED, "integrator": "rk4"}),
    "plane, dop853": ("four_bar", {"duration": 0.3, "every": 0.1}),
    "plane, radau": ("four_bar", {"duration": 0.1, "every": 0.05, "integrator": "radau"}),
    "plane, generalized-alpha": ("four_bar", {**FIXED, "integrator": "generalized-alpha"}),
    "plane, relative": ("four_bar", {"duration": 0.1, "every": 0.05, "recipe": "recursive"}),
    "space, rk4": ("rssr", {**FIXED, "integrator": "rk4"}),
    "space, dop853": ("rssr", {"duration": 0.1, "every": 0.05}),
    "space, generalized-alpha": ("rssr", {**FIXED, "integrator": "generalized-alpha"}),
    "space, relative": ("rssr", {**FIXED, "integrator": "rk4", "coordinates": "relative"}),
    "space, recursive": ("rssr", {"duration": 0.1, "every": 0.05, "recipe": "recursive"}),
    "space, overconstrained": ("spatial_four_bar", {**FIXED, "integrator": "rk4"}),
}


def found(case: str) -> dict[str, np.ndarray]:
    """Every channel of a case."""
    machine, choices = CASES[case]
    run = jd.simulate(jd.example(machine), progress=False, **choices)
    assert run.status.ok
    return {name: np.asarray(run[name], dtype=float) for name in run.channels}


if __name__ == "__main__":
    np.savez(sys.argv[1], **{f"{case}/{name}": array for case in CASES for name, array in found(case).items()})
