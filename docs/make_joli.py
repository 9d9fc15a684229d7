"""Makes docs/joli-table.md and docs/images/joli.png: errors, drift and times of recipe `joli`. Run by `make images`."""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import jourdain as jd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import machines  # noqa: E402

REFERENCE = ROOT / "tests" / "reference"
ROUNDS = 20
# CPU seconds of Joli, Seguy and Feng 2008, tables 1 and 2, tolerance 1 %, by step.
PAPER = {"double pendulum": {1e-2: 5.0, 1e-3: 47.7}, "slider-crank": {1e-2: 7.0, 1e-3: 70.4}}


def main() -> None:
    pendulum = json.loads((REFERENCE / "P05_double_pendulum.json").read_text())["reference"]
    angle = np.array(json.loads((REFERENCE / "P06_slidercrank_singular.json").read_text())["reference"]["theta"])
    rows = []
    for step in (1e-2, 1e-3):
        run, seconds = timed(machines.joli_double_pendulum(), step)
        away = np.hypot(run["lower.C.x"] - pendulum["x2"], run["lower.C.y"] - pendulum["y2"]).max()
        rows.append(("double pendulum", step, away, None, lengths(run), seconds))
    for step in (1e-2, 1e-3):
        run, seconds = timed(machines.joli_slider_crank(), step)
        away = np.abs(run["rod.C.x"] - 2 * np.cos(angle)).max()
        rows.append(("slider-crank", step, away, np.abs(run["rod.C.y"]).max(), lengths(run), seconds))
    write(rows)
    picture()


def timed(m: jd.Mechanism, step: float) -> tuple[jd.Solution, float]:
    runs = [jd.simulate(m, 10.0, every=0.1, recipe="joli", step=step) for _ in range(ROUNDS)]
    return runs[0], min(run.statistics.seconds for run in runs)


def lengths(run: jd.Solution) -> float:
    """Greatest error of the length of a bar."""
    worst = 0.0
    for body in run.model.blueprint.bodies:
        a, b = body.ports
        length = np.hypot(*(run[f"{body.name}.{b}.{c}"] - run[f"{body.name}.{a}.{c}"] for c in "xy"))
        worst = max(worst, float(np.abs(length - 1).max()))
    return worst


def write(rows: list) -> None:
    lines = [
        "| Machine | Step | Error | Drift of the slider | Lengths | Time | The paper's | Times faster |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, step, away, slider, length, seconds in rows:
        paper = PAPER[name][step]
        drift = "" if slider is None else f"{slider:.1g} m"
        lines.append(
            f"| {name} | {step:g} s | {away:.1g} m | {drift} | {length:.1g} m | {1e3 * seconds:.2g} ms | {paper:g} s "
            f"| {paper / seconds:.2g} |"
        )
    (ROOT / "docs" / "joli-table.md").write_text("\n".join(lines) + "\n")


def picture() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for how, words, style in (
        ({}, "exact", {"color": "0.7", "linewidth": 3}),
        ({"recipe": "joli", "step": 1e-2}, "joli, 1e-2 s", {"color": "C3", "linewidth": 1, "linestyle": "--"}),
    ):
        run = jd.simulate(machines.joli_double_pendulum(), 5.0, every=0.01, **how)
        left.plot(run["lower.C.x"], run["lower.C.y"], label=words, **style)
        run = jd.simulate(machines.joli_slider_crank(), 10.0, every=0.01, **how)
        right.plot(run.t, run["rod.C.x"], label=words, **style)
    left.set(title="second mass of the double pendulum, 5 s", xlabel="x [m]", ylabel="y [m]", aspect="equal")
    right.set(title="slider", xlabel="t [s]", ylabel="x [m]")
    right.set_ylim(top=2.9)  # room for the legend
    right.legend(loc="upper center", ncols=2, frameon=False)
    figure.savefig(ROOT / "docs" / "images" / "joli.png", dpi=80)


if __name__ == "__main__":
    main()
