"""Channels of several runs over each other: one axes a channel, one line a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..library.quantities import TIME, Quantity
from ..mechanism.errors import PictureError
from .figures import expanded, labelled, saved, tidied
from .scene import PALETTE
from .shown import Plotted

STYLES = ("-", "--", ":", "-.")
MOST_LABELS = 12  # lines that fit into a legend

Line = tuple[str, Any, Any]  # label, times, values


def plot_overlay(runs: Sequence[Plotted], names: Sequence[str], path: str | Path | None = None) -> Any:
    """The same channels of all runs; runs of one name are numbered."""
    channels = list(dict.fromkeys(expanded(runs[0], names or ("energy",))))
    known = [run.name for run in runs]
    labels = [name if known.count(name) == 1 else f"{name} ({k + 1})" for k, name in enumerate(known)]
    lines = {c: [(label, run.t, run[c]) for label, run in zip(labels, runs, strict=True)] for c in channels}
    kinds = {"t": runs[0].quantity("t"), **{c: runs[0].quantity(c) for c in channels}}
    return saved(_stacked(lines, kinds, ""), path)


def plot_many(
    title: str, t: Any, channels: Mapping[str, Any], kinds: Mapping[str, Quantity], labels: Sequence[str], path: Any
) -> Any:
    """Channels (variants, samples) over time, a line for each variant."""
    if not channels:
        raise PictureError("no channel to plot; give one or more names")
    lines = {
        name: [(label, t, row) for label, row in zip(labels, rows, strict=True)] for name, rows in channels.items()
    }
    return saved(_stacked(lines, {"t": TIME, **kinds}, title), path)


def _stacked(lines: Mapping[str, Iterable[Line]], kinds: Mapping[str, Quantity], title: str) -> Any:
    from .picture import picture

    figure = picture(figsize=(8.0, 1.2 + 2.4 * len(lines)), layout="constrained")
    axes = figure.subplots(len(lines), 1, sharex=True, squeeze=False)[:, 0]
    count, named = 0, False
    for ax, (name, drawn) in zip(axes, lines.items(), strict=True):
        for count, (label, t, values) in enumerate(drawn, 1):
            colour, dashes = PALETTE[(count - 1) % len(PALETTE)], STYLES[(count - 1) % len(STYLES)]
            named = named or bool(label)
            ax.plot(t, values, color=colour, linestyle=dashes, linewidth=1.6, label=label)
        ax.set_ylabel(labelled(name, kinds[name]))
        tidied(ax)
    if named and count <= MOST_LABELS:
        axes[0].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes[0].set_title(title, fontsize=11, loc="left")
    axes[-1].set_xlabel(labelled("t", kinds["t"]))
    return figure
