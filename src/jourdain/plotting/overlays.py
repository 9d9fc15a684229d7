"""Channels of several runs over each other: one axes a channel, one line a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..library.quantities import Quantity
from ..mechanism.errors import PictureError
from .figures import DPI, expanded
from .scene import PALETTE
from .shown import Plotted

MOST_LABELS = 12  # variants whose values fit into a legend
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


def plot_many(
    title: str, t: Any, channels: Mapping[str, Any], kinds: Mapping[str, Quantity], labels: Sequence[str], path: Any
) -> Any:
    """Channels (variants, samples) over time: one axes a channel, one line a variant."""
    from matplotlib.figure import Figure

    if not channels:
        raise PictureError("no channel to plot; give one or more names")
    figure = Figure(figsize=(8.0, 1.2 + 2.4 * len(channels)), layout="constrained")
    axes = figure.subplots(len(channels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (name, rows) in zip(axes, channels.items(), strict=True):
        for k, row in enumerate(rows):
            ax.plot(t, row, color=PALETTE[k % len(PALETTE)], label=labels[k])
        ax.set_ylabel(f"{name} ({kinds[name].unit})" if kinds[name].unit else name)
        ax.grid(alpha=0.3)
    if len(labels) <= MOST_LABELS:
        axes[0].legend(fontsize=8)
    axes[0].set_title(title, fontsize=11, loc="left")
    axes[-1].set_xlabel("t (s)")
    if path is not None:
        figure.savefig(path, dpi=DPI)
    return figure
