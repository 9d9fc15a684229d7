"""Memory and growth of cost (k): rows of four-bars and hanging chains of growing length, exponents fitted.

Memory is that of the arrays of a compiled mechanism and of its workspace, exactly counted; time is that of compiling,
of assembling, and of a step of rk4 with projection.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import jourdain as jd
import machines
from chains import chain, mechanism
from harness import exponent
from jourdain.assembly.close_joints import close_joints
from jourdain.choices import Rk4
from jourdain.engine.cold_start import compile_for
from jourdain.engine.plan import Plan
from jourdain.engine.workspace import Workspace
from jourdain.model.compile import compile_mechanism

SHORT, LONG = (10, 30, 100), (10, 30, 100, 300, 1000)


def measured(m: Any, coordinates: str, steps: int) -> dict[str, float]:
    begun = time.perf_counter()
    model = compile_mechanism(m, coordinates)
    compiling = time.perf_counter() - begun
    plan = Plan.of(model, Rk4(1e-4))
    compile_for(plan)
    workspace = Workspace(plan)
    begun = time.perf_counter()
    close_joints(model, workspace)
    assembling = time.perf_counter() - begun
    arrays = {id(a.base) if a.base is not None else id(a): a for a in workspace.arrays.values()}
    memory = sum((a.base if a.base is not None else a).nbytes for a in arrays.values())
    best = np.inf
    for _ in range(5):
        run = jd.simulate(m, steps * 1e-4, every=steps * 1e-4, integrator="rk4", step=1e-4, coordinates=coordinates)
        best = min(best, run.statistics.seconds / run.statistics.steps)
    return {"compile s": compiling, "assemble s": assembling, "memory bytes": memory, "step us": 1e6 * best}


def run(full: bool, rounds: int) -> dict[str, Any]:
    sizes = LONG if full else SHORT
    makers = {
        "rows of four-bars (bodies 2 N + 1)": (lambda n: machines.n_four_bar(n).frozen(), "angle"),
        "spatial chains (bodies N)": (lambda n: mechanism(chain(n, False), False).frozen(), "quaternion"),
    }
    found: dict[str, Any] = {}
    for name, (make, coordinates) in makers.items():
        print(f"\nk. {name}")
        rows = [measured(make(n), coordinates, 20) for n in sizes]
        record: dict[str, Any] = {"sizes": list(sizes)}
        for key in rows[0]:
            values = [row[key] for row in rows]
            power = exponent(sizes[-2:], values[-2:])  # smaller ones are solved dense
            print(f"  {key:<14}" + ", ".join(f"N = {n}: {v:.4g}" for n, v in zip(sizes, values, strict=True)), end="")
            print(f"; exponent {power:.2f}")
            record[key] = {"values": values, "exponent": power}
        found[name] = record
    return {"k": found}
