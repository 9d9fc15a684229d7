"""Channels of several runs over each other: one axes a channel, one line a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .figures import DPI, expanded
from .scene import PALETTE
from .shown import Plotted

STYLES = ("-", "--", ":", "-.")


def plot_overlay(runs: Sequence[Plotted], names: Sequence[str], path: str | Path | None = None) -> Any:
    """The same channels of all runs."""
    from matplotlib.figure import Figure

    channels = list(dict.fromkeys(expanded(runs[0], names or ("energy",))))
    figure = Figure(figsize=(8.0, 1.2 + 2.4 * len(channels)), layout="constrained")
    axes = figure.subplots(len(channels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, channel in zip(axes, channels, strict=True):
        for k, run in enumerate(runs):
            label = run.name if [r.name for r in runs].count(run.name) == 1 else f"{run.name} ({k + 1})"
            style = {"color": PALETTE[k % len(PALETTE)], "linestyle": STYLES[k % len(STYLES)]}
            ax.plot(run.t, run[channel], label=label, **style)
        unit = runs[0].quantity(channel).unit
        ax.set_ylabel(f"{channel} ({unit})" if unit else channel)
        ax.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    unit = runs[0].quantity("t").unit
    axes[-1].set_xlabel(f"t ({unit})")
    if path is not None:
        figure.savefig(path, dpi=DPI)
    return figure
