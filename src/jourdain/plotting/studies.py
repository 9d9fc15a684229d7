"""Pictures of studies: a curve over one number, a map over two, parallel coordinates, histograms at random."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.quantities import Quantity
from ..mechanism.errors import PictureError
from .figures import labelled, saved, tidied
from .scene import PALETTE

Array = npt.NDArray[np.float64]
Column = tuple[Any, Quantity]  # values of all variants, and what they are

GRID, RANDOM = "grid", ("latin", "sobol")
FEW = 4  # intervals between numbers
MOST_GROUPS = 12  # curves or maps side by side, one for each combination of words
MOST_LINES = 2000  # in parallel coordinates
LEVELS = 12
COLOURS = "viridis"


def plot_study(
    title: str, design: str, axes: Mapping[str, Column], found: Mapping[str, Column], path: str | Path | None = None
) -> Any:
    """The picture that suits the design; `axes` are what varied, `found` what was collected."""
    if not found:
        raise PictureError("this study collected no single number; plot channels of one of its variants")
    numeric = {name: column for name, column in axes.items() if np.asarray(column[0]).dtype.kind == "f"}
    words = {name: column for name, column in axes.items() if name not in numeric}
    if design in RANDOM and len(numeric) > 0:
        figure = _histograms(numeric, found)
    elif len(numeric) == 1:
        figure = _curves(numeric, words, found)
    elif len(numeric) == 2 and design == GRID:
        figure = _maps(numeric, words, found)
    elif not numeric:
        figure = _bars(words, found)
    else:
        figure = _parallel(axes, found)
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return saved(figure, path)


def _figure(rows: int, columns: int, width: float = 8.0, height: float = 2.7) -> tuple[Any, Any]:
    from .picture import picture

    figure = picture(figsize=(width, 0.5 + height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _groups(words: Mapping[str, Column], count: int) -> dict[str, npt.NDArray[Any]]:
    """Variants by the words that they have; one group of all without words."""
    if not words:
        return {"": np.arange(count)}
    labels = [", ".join(str(part) for part in parts) for parts in zip(*(c for c, _ in words.values()), strict=True)]
    found = {label: np.flatnonzero(np.array(labels) == label) for label in dict.fromkeys(labels)}
    if len(found) > MOST_GROUPS:
        raise PictureError(f"there are {len(found)} combinations of {', '.join(words)}: too many for one picture")
    return found


def _curves(numeric: Mapping[str, Column], words: Mapping[str, Column], found: Mapping[str, Column]) -> Any:
    (name, (x, kind)), *_ = numeric.items()
    figure, axes = _figure(len(found), 1)
    for ax, (what, (y, measured)) in zip(axes[:, 0], found.items(), strict=True):
        for k, (label, rows) in enumerate(_groups(words, len(x)).items()):
            order = rows[np.argsort(x[rows], kind="stable")]
            marker = "o" if len(order) <= 60 else ""
            ax.plot(x[order], y[order], color=PALETTE[k % len(PALETTE)], marker=marker, markersize=3.5, label=label)
        ax.set_ylabel(labelled(what, measured))
        tidied(ax)
    if words:
        axes[0, 0].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes[-1, 0].set_xlabel(labelled(name, kind))
    return figure


def _maps(numeric: Mapping[str, Column], words: Mapping[str, Column], found: Mapping[str, Column]) -> Any:
    (first, (x, x_kind)), (second, (y, y_kind)) = numeric.items()
    groups = _groups(words, len(x))
    figure, axes = _figure(len(found), len(groups), width=1.5 + 5.0 * min(len(groups), 3), height=3.6)
    for row, (what, (values, kind)) in zip(axes, found.items(), strict=True):
        finite = values[np.isfinite(values)]
        least, most = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
        for ax, (label, rows) in zip(row, groups.items(), strict=True):
            across, up = np.unique(x[rows]), np.unique(y[rows])
            table = np.full((up.size, across.size), np.nan)
            table[np.searchsorted(up, y[rows]), np.searchsorted(across, x[rows])] = values[rows]
            drawn = ax.pcolormesh(across, up, table, cmap=COLOURS, shading="nearest", vmin=least, vmax=most)
            if min(table.shape) >= 3 and most > least and np.isfinite(table).all():
                lines = ax.contour(across, up, table, levels=LEVELS, colors="white", linewidths=0.6, alpha=0.8)
                ax.clabel(lines, fontsize=7, fmt="%.4g")
            _best(ax, x[rows], y[rows], values[rows])
            ax.set_xlabel(labelled(first, x_kind))
            ax.set_ylabel(labelled(second, y_kind))
            ax.set_title(label, fontsize=9)
        figure.colorbar(drawn, ax=row.tolist(), label=labelled(what, kind))
    return figure


def _best(ax: Any, x: Array, y: Array, values: Array) -> None:
    """Marks at the least and the most."""
    if not np.isfinite(values).any():
        return
    for which, marker, label in ((np.nanargmin, "v", "least"), (np.nanargmax, "^", "most")):
        k = which(values)
        ax.plot(x[k], y[k], marker=marker, color="white", markeredgecolor="black", markersize=8, label=label, ls="none")
    ax.legend(fontsize=7, loc="best", framealpha=0.7)


def _histograms(numeric: Mapping[str, Column], found: Mapping[str, Column]) -> Any:
    """How often each number came, and how it goes with what varied."""
    shown = list(numeric)[:4]
    figure, axes = _figure(len(found), 1 + len(shown), width=3.2 * (1 + len(shown)))
    for row, (what, (values, kind)) in zip(axes, found.items(), strict=True):
        finite = np.isfinite(values)
        bins = int(np.clip(np.sqrt(finite.sum()), 5, 60))
        row[0].hist(values[finite], bins=bins, color=PALETTE[0])
        row[0].set_xlabel(labelled(what, kind))
        row[0].set_ylabel("variants")
        tidied(row[0])
        row[0].locator_params(axis="x", nbins=FEW)
        for ax, name in zip(row[1:], shown, strict=True):
            x, x_kind = numeric[name]
            ax.plot(x[finite], values[finite], ".", color=PALETTE[1], markersize=2.5, alpha=0.5, rasterized=True)
            ax.set_xlabel(labelled(name, x_kind))
            ax.set_ylabel(labelled(what, kind))
            tidied(ax)
            ax.locator_params(axis="x", nbins=FEW)  # of long numbers in a narrow picture
    return figure


def _bars(words: Mapping[str, Column], found: Mapping[str, Column]) -> Any:
    labels = [", ".join(str(part) for part in parts) for parts in zip(*(c for c, _ in words.values()), strict=True)]
    if len(labels) > 4 * MOST_GROUPS:
        raise PictureError(f"there are {len(labels)} combinations of {', '.join(words)}: too many for one picture")
    figure, axes = _figure(len(found), 1, height=0.9 + 0.28 * len(labels))
    for ax, (what, (values, kind)) in zip(axes[:, 0], found.items(), strict=True):
        ax.barh(np.arange(len(labels)), np.nan_to_num(values), color=PALETTE[0])
        ax.set_yticks(np.arange(len(labels)), labels)
        ax.invert_yaxis()
        ax.set_xlabel(labelled(what, kind))
        tidied(ax)
    return figure


def _parallel(axes: Mapping[str, Column], found: Mapping[str, Column]) -> Any:
    """A line for each variant through all that varied and was collected, coloured by what was collected first."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import Normalize

    columns = [*axes.items(), *found.items()]
    first, (colour, kind) = next(iter(found.items()))
    rows = np.flatnonzero(np.isfinite(colour))
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_LINES)).astype(int)] if len(rows) else rows
    figure, grid = _figure(1, 1, width=2.0 + 1.6 * len(columns), height=4.0)
    ax = grid[0, 0]
    heights = np.empty((len(rows), len(columns)))
    for k, (name, (values, measured)) in enumerate(columns):
        heights[:, k], ends = _scaled(values, rows)
        ax.text(k, 1.03, ends[1], ha="center", fontsize=8)
        ax.text(k, -0.07, ends[0], ha="center", fontsize=8)
        ax.text(k, -0.15, labelled(name, measured), ha="center", va="top", fontsize=9, rotation=15)
        ax.axvline(k, color="#8a9099", linewidth=0.8, zorder=0)
    shade = Normalize(colour[rows].min(), colour[rows].max()) if len(rows) else Normalize(0, 1)
    lines = [np.column_stack([np.arange(len(columns)), line]) for line in heights]
    colours = colormaps[COLOURS](shade(colour[rows]))
    ax.add_collection(LineCollection(lines, colors=colours, linewidths=0.8, alpha=0.6))
    ax.set(xlim=(-0.3, len(columns) - 0.7), ylim=(-0.02, 1.02))
    ax.axis("off")
    figure.colorbar(ScalarMappable(shade, COLOURS), ax=ax, label=labelled(first, kind))
    return figure


def _scaled(values: Any, rows: npt.NDArray[Any]) -> tuple[Array, tuple[str, str]]:
    """Heights from 0 to 1, and what stands at both ends."""
    column = np.asarray(values)
    if column.dtype.kind != "f":
        known = list(dict.fromkeys(column.tolist()))
        places = np.array([known.index(word) for word in column[rows].tolist()], dtype=float)
        return places / max(len(known) - 1, 1), (str(known[0]), str(known[-1]))
    least, most = np.nanmin(column), np.nanmax(column)
    return (column[rows] - least) / ((most - least) or 1.0), (f"{least:.4g}", f"{most:.4g}")


def plot_bars(title: str, found: Mapping[str, float], path: str | Path | None = None) -> Any:
    """Numbers by name, a bar each."""
    figure, axes = _figure(1, 1, height=0.4 * len(found) + 0.6)
    ax = axes[0, 0]
    ax.barh(list(found), list(found.values()), color=PALETTE[0])
    ax.invert_yaxis()
    tidied(ax)
    ax.set_title(title, fontsize=11, loc="left")
    return saved(figure, path)
