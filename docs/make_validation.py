"""Writes docs/validation.md: every reference problem of tests/reference solved by every recipe.

Run it from anywhere after changes of the kernels: `python docs/make_validation.py`.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "examples"), str(HERE.parent / "tests")]

import jourdain as jd  # noqa: E402
import machines  # noqa: E402  (needs the paths above)
import test_reference as reference  # noqa: E402

FOLDER = HERE.parent / "tests" / "reference"
HEAD = """# Validation

Every problem of `tests/reference` solved by every recipe that applies, with the settings the recipe has by itself. The
references were computed in closed form or in extended precision, without any multibody program (see
`tests/reference/README.md` in the sources); none of them is our own earlier output. This page is made by
`docs/make_validation.py`.

- **error**: the largest difference of any position or angle of the reference, at all its samples, m or rad
- **drift**: the largest error of any joint equation, m or rad
- **energy**: how far the balance of energies is off, as a part of the largest energy in the run
- **steps**, and **ms** spent in the time loop on the machine that made this page, which did other things too

The recipes of papers keep the accuracy of their papers: `joli` and `amesim` hold joints by Baumgarte's gains, so drift
is part of them, and `joli` takes steps of second order. Where they lose the branch at a singular position, or their
step is too long for the machine, the error says so in bold: nothing else would, for drift and energy look well.
{missing}
"""
WRONG = 1e-2  # m or rad: no answer at all
NOTES = {
    "singular slider-crank": "It passes a position from which two motions are possible; only the trajectory tells "
    "whether the branch was kept.",
    "row of two four-bars": "It passes a position at which its degrees of freedom jump from one to three.",
}


@dataclass(frozen=True)
class Problem:
    """A machine, sample times, and channels as they should be."""

    name: str
    file: str
    build: Callable[[], jd.Mechanism]
    t: np.ndarray
    channels: dict[str, np.ndarray]
    attitudes: dict[str, np.ndarray]


def read(file: str, *path: str) -> dict[str, Any]:
    found = json.loads((FOLDER / f"{file}.json").read_text())
    for step in path:
        found = found[step]
    return {key: np.array(value) if isinstance(value, list) else value for key, value in found.items()}


def sleigh() -> jd.Mechanism:
    m = jd.Mechanism("sleigh")
    sled = m.body(
        "sled", mass=2.0, inertia=0.6, position=(0.3, 0), angle=0, velocity=(0.2, 0.9), spin=3, points={"E": (-0.3, 0)}
    )
    m.joint("knife-edge", "blade", m.ground.point("O", (0, 0)), sled["E"])
    return m


def driven_slider_crank() -> jd.Mechanism:
    """P15: crank 0.25 m and rod 1 m in line, the crank driven at 10 rad/s."""
    m = jd.Mechanism("driven slider-crank", gravity=(0, -9.81))
    crank = m.body(
        "crank", mass=1, inertia=1 / 192, position=(0.125, 0), angle=0, points={"A": (-0.125, 0), "B": (0.125, 0)}
    )
    rod = m.body("rod", mass=2, inertia=1 / 6, position=(0.75, 0), angle=0, points={"B": (-0.5, 0), "C": (0.5, 0)})
    slider = m.body("slider", mass=3, inertia=1, position=(1.25, 0), angle=0, points={"C": (0, 0)})
    A = m.ground.point("A", (0, 0))
    m.revolute("A", A, crank["A"])
    m.revolute("B", crank["B"], rod["B"])
    m.revolute("C", rod["C"], slider["C"])
    m.prismatic("guide", A, slider["C"])
    m.motion("drive", joint="A", angle="10*t")
    return m


def problems() -> list[Problem]:
    files = ["P01", "P01", "P02", "P03", "P04", "P05", "P07", "P08", "P13", "P17"]
    found = [
        Problem(case.name, file, case.build, case.t, dict(case.positions), dict(case.attitudes))
        for file, case in zip(files, reference.CASES, strict=True)
    ]
    singular = read("P06_slidercrank_singular", "reference")
    row = read("P09_A02_N_fourbar", "variants", "N=2", "reference")
    sled, driven = read("P11_sleigh", "reference"), read("P15_slidercrank_driven", "reference")
    found += [
        Problem(
            "singular slider-crank",
            "P06",
            machines.slider_crank_singular,
            singular["t"],
            {"crank.x": singular["x12"], "crank.y": singular["y12"], "rod.x": singular["x22"]},
            {},
        ),
        Problem(
            "row of two four-bars",
            "P09",
            lambda: machines.n_four_bar(2),
            row["t"],
            {"link0.B.x": row["B0_x"], "link0.B.y": row["B0_y"]},
            {},
        ),
        Problem(
            "sleigh on a knife edge",
            "P11",
            sleigh,
            sled["t"],
            {"sled.E.x": sled["blade_x"], "sled.E.y": sled["blade_y"], "sled.angle": sled["heading"]},
            {},
        ),
        Problem(
            "driven slider-crank",
            "P15",
            driven_slider_crank,
            driven["t"],
            {"slider.x": driven["slider_x"], "rod.angle": driven["rod_angle"]},
            {},
        ),
    ]
    return sorted(found, key=lambda problem: problem.file)


def row_of(problem: Problem, recipe: str) -> tuple[str, float]:
    """A line of the table, and the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", jd.SimulationWarning)
            jd.simulate(problem.build(), times=problem.t[:2], recipe=recipe)  # compiles
            run = jd.simulate(problem.build(), times=problem.t, recipe=recipe)
    except jd.JourdainError as error:
        words = " ".join(str(error).split()).replace("|", "\\|")
        return f"| `{recipe}` | refused: {words} | | | | |", np.nan
    if not run.status.ok:
        return f"| `{recipe}` | {run.status.sentence} | | | {run.statistics.steps} | |", np.nan
    errors = [float(np.max(np.abs(run[name] - values))) for name, values in problem.channels.items()]
    for body, expected in problem.attitudes.items():
        q = np.array([run[f"{body}.q{c}"] for c in "wxyz"]).T
        q = q * np.sign(np.sum(q * expected, axis=1, keepdims=True))  # a quaternion and its negative are the same
        errors.append(float(np.max(np.abs(q - expected))))
    total, scale = run.energy.total, reference.energy_scale(run)
    energy = float(np.max(np.abs(total - total[0]))) / scale if scale > 0 else 0.0
    s = run.statistics
    drift = float(np.max(run.violation.position, initial=0.0))
    error = f"{max(errors):.0e}" if max(errors) < WRONG else f"**{max(errors):.0e}, wrong**"
    numbers = f"{error} | {drift:.0e} | {energy:.0e} | {s.steps} | {1e3 * s.seconds:.2g}"
    return f"| `{recipe}` | {numbers} |", max(errors)


def main() -> None:
    lines = []
    worst = 0.0
    for problem in problems():
        lines += [f"\n## {problem.file}: {problem.name}\n"]
        if problem.name in NOTES:
            lines += [NOTES[problem.name] + "\n"]
        lines += ["| recipe | error | drift | energy | steps | ms |", "|---|---|---|---|---|---|"]
        for recipe in jd.RECIPES:
            line, error = row_of(problem, recipe)
            lines.append(line)
            if recipe == "auto":
                worst = max(worst, error)
            sys.stderr.write(f"{problem.file} {recipe}: {error:.1e}\n")
    words = f"With `auto`, the largest error of all is {worst:.0e}."
    (HERE / "validation.md").write_text(HEAD.format(missing=words) + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
