"""Writes what docs/nacf.md shows: the paper's table 11 beside ours, and its figures 6 to 9 with three formulations.

Run it from the docs folder after changes of the kernels: `python make_nacf.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))

import jourdain as jd  # noqa: E402
import machines  # noqa: E402  (needs the path above)

FORMULATIONS = ("natural", "angle", "euler-parameters")
# Machine, channel of the figure, number and ordinate of the figure, table 11 of the paper (m; m/s), reference file.
MACHINES = {
    "four-bar": (lambda: machines.four_bar("AC"), "coupler.y", 6, (1.256e-15, 2.126e-14), "P01_fourbar"),
    "slider-crank": (machines.slider_crank, "slider.x", 7, (3.689e-15, 2.925e-14), "P02_slidercrank"),
    "double inverted pendulum": (
        machines.double_inverted_pendulum,
        3,
        8,
        (9.630e-13, 1.088e-14),
        "P03_double_inverted_pendulum",
    ),
    "quick return": (machines.quick_return, 5, 9, (9.269e-13, 8.615e-15), "P04_quick_return"),
}


def reference(file: str) -> dict:
    variants = json.loads((HERE.parent / "tests" / "reference" / f"{file}.json").read_text())["variants"]
    return list(variants.values())[-1]["reference"]


def error(run: jd.Solution, ref: dict) -> float:
    """Largest error of any position or angle at any sample."""
    worst = 0.0
    for body, motion in zip(run.model.blueprint.bodies, ref["bodies"].values(), strict=True):
        for ours, theirs in (("x", "x"), ("y", "y"), ("angle", "theta")):
            worst = max(worst, float(np.max(np.abs(run[f"{body.name}.{ours}"] - np.array(motion[theirs])))))
    return worst


def channel_name(run: jd.Solution, channel: str | int) -> str:
    """A channel, or y (figure 8) or x (figure 9) of the body with that number."""
    if isinstance(channel, str):
        return channel
    return f"{run.model.blueprint.bodies[channel - 1].name}.{'y' if channel == 3 else 'x'}"


def draw(runs: dict[str, jd.Solution], channel: str, path: Path) -> None:
    figure = Figure(figsize=(6.4, 2.8), layout="constrained")
    axes = figure.add_subplot()
    for (name, run), style in zip(runs.items(), ("-", "--", ":"), strict=True):
        axes.plot(run.t, run[channel], style, label=name, linewidth=2)
    axes.set_xlabel("t / s")
    axes.set_ylabel(f"{channel} / m")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main() -> None:
    lines = [
        "| machine | paper: position, velocity | ours: position, velocity | largest error against the reference |",
        "|---|---|---|---|",
    ]
    for name, (build, channel, number, theirs, file) in MACHINES.items():
        ref = reference(file)
        run = jd.simulate(build(), times=ref["t"], recipe="nacf")
        ours = float(np.max(run.violation.position)), float(np.max(run.violation.velocity))
        lines.append(
            f"| {name} | {theirs[0]:.3e} m, {theirs[1]:.3e} m/s | {ours[0]:.1e} m, {ours[1]:.1e} m/s "
            f"| {error(run, ref):.1e} |"
        )
        runs = {c: jd.simulate(build(), 5.0, every=0.01, recipe="nacf", coordinates=c) for c in FORMULATIONS}
        draw(runs, channel_name(run, channel), HERE / "images" / f"nacf_figure_{number}.png")
    (HERE / "nacf-table.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
