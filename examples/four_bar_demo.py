"""A four-bar linkage with a spring-damper: simulate it, report on it, draw it. This is what `make demo` runs."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jourdain as jd
import machines
from jourdain.plotting.figures import draw_mechanism

PICTURE = Path("demo.png")


def reaction_table(run: jd.Solution) -> str:
    """The largest reaction force of each joint, and when it acts."""
    rows = ["joint   largest force (N)   at t (s)"]
    for name, reaction in run.reactions.items():
        force = np.linalg.norm(reaction.force, axis=1)
        k = int(np.argmax(force))
        rows.append(f"{name:<5}   {force[k]:17.1f}   {run.t[k]:8.3f}")
    return "\n".join(rows)


def picture(run: jd.Solution) -> Figure:
    """Poses of the first swing with the coupler's path, and energies and reactions over time."""
    figure = Figure(figsize=(12, 5), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.35, 1))
    mechanism, energies, forces = (figure.add_subplot(place) for place in (grid[:, 0], grid[0, 1], grid[1, 1]))
    first_swing = np.searchsorted(run.t, np.linspace(0, 0.65, 6))
    draw_mechanism(run, first_swing, axes=mechanism)
    mechanism.plot(run["coupler.x"], run["coupler.y"], color="#d1495b", linewidth=1.2, zorder=4.5)
    mechanism.get_legend().set(loc="upper center", bbox_to_anchor=(0.5, 1.0))
    for name in ("kinetic", "potential", "dissipated", "total"):
        energies.plot(run.t, run[f"energy.{name}"], label=name)
    energies.set(ylabel="energy (J)", title="energies")
    for name, reaction in run.reactions.items():
        forces.plot(run.t, np.linalg.norm(reaction.force, axis=1), label=name)
    forces.set(xlabel="t (s)", ylabel="force (N)", title="reactions of the joints")
    for axes in (energies, forces):
        axes.grid(True, color="#e6e8eb")
        axes.legend(frameon=False, fontsize=9, ncols=2)
    return figure


def main() -> None:
    run = jd.simulate(machines.four_bar(spring="AC"), 5.0, every=0.01)
    print(run.summary())
    print()
    print(reaction_table(run))
    picture(run).savefig(PICTURE, dpi=120)
    print(f"\nPicture written to {PICTURE.resolve()}")


if __name__ == "__main__":
    main()
