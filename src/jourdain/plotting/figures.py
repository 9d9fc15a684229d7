"""The two pictures of a run: channels over time, and the mechanism itself.

Figures are made without pyplot, so that nothing stays behind in a global list and no display is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..library.channels.joint import WRENCH
from ..library.quantities import POSITION, Quantity
from ..mechanism.errors import PictureError, ResultsError
from . import drawing_planar, drawing_spatial
from .scene import GREY, PALETTE, Scene
from .shown import Compared, Plotted
from .tempo import dense, swings

DPI = 150
ROUNDING, LEVEL = 1e-10, 0.05  # of the largest number: what changes less is drawn as level, with this much around it
COARSE = 0.1  # of a turn or swing of the fastest body between two samples: fewer than ten
BETWEEN = np.radians(np.arange(22.5, 360.0, 45.0))  # directions of the numbers of a polar plot: beside those of angles
NARROW = 0.2  # rad


def plot_channels(
    run: Plotted,
    names: Iterable[str],
    path: str | Path | None = None,
    *,
    against: str | None = None,
    polar: bool = False,
) -> Any:
    """Channels over time or `against` another: one axes for each quantity, below each other.

    `energy`, `violation` and the name of a joint, a body or a point stand for several channels. With `polar`, `against`
    is the angle and there is one axes. Saves the figure if `path` is given.
    """
    from .picture import picture

    groups: dict[Quantity, list[str]] = {}
    for name in expanded(run, names):
        groups.setdefault(run.quantity(name), []).append(name)
    if not groups:
        raise PictureError("no channel to plot; give one or more names of run.channels")
    x = against or "t"
    run[x]
    coarse = too_coarse(run)
    if polar:
        figure = _polar(run, [n for group in groups.values() for n in group], against, coarse)
        return saved(figure, path)
    figure = picture(figsize=(8.0, 1.2 + 2.4 * len(groups)), layout="constrained")
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (kind, channels) in zip(axes, groups.items(), strict=True):
        _plot_group(ax, run, x, kind, channels, coarse)
    # Places against places are a path in the plane: it is seen as it is.
    if against and len(groups) == 1 and run.quantity(against) == next(iter(groups)) == POSITION:
        axes[0].set_aspect("equal", adjustable="datalim")
        figure.set_size_inches(7.0, 5.5)
    axes[0].set_title(run.name, fontsize=11, loc="left")
    axes[0].set_title(coarse, fontsize=9, loc="right", color=GREY)
    axes[-1].set_xlabel(labelled(x, run.quantity(x)))
    figure.align_ylabels()
    return saved(figure, path)


def expanded(run: Plotted, names: Iterable[str]) -> list[str]:
    """Channels as asked for, with `energy`, `violation`, joints, bodies and points replaced by what they stand for."""
    known = run.channels
    try:
        full: Callable[[str], str] = run.blueprint.full_name
    except ResultsError:  # a file that does not know its mechanism has no other names either
        full = str
    found: list[str] = []
    for name in names:
        parts = [c for c in known if c.startswith(f"{name}.")] if "." not in name and name != "t" else []
        if name in ("energy", "violation") and parts:
            found += [c for c in parts if c != "violation.baumgarte" or np.any(run[c])]  # zero without Baumgarte
        elif wrench := [c for c in parts if c.removeprefix(f"{name}.") in (*WRENCH[2], *WRENCH[3])]:
            found += [c for c in wrench if np.any(run[c])] or wrench  # a pin bears no moment: nothing to see
        elif name not in known and (place := [f"{name}.{c}" for c in "xyz" if full(f"{name}.{c}") in known]):
            found += place
        else:
            run[name]  # an unknown channel is reported with the nearest known one
            found.append(name)
    return list(dict.fromkeys(found))


def curve(k: int, coarse: str, width: float = 1.6) -> dict[str, Any]:
    """How curve number k is drawn: with its samples as dots where nothing is known between them."""
    return {"color": PALETTE[k % len(PALETTE)], "linewidth": width, "marker": "o" if coarse else "", "markersize": 3}


def too_coarse(run: Plotted) -> str:
    """Where samples are too far apart for a curve through them to be believed: how far, in words."""
    try:
        apart = swings(run.in_si) * float(np.max(np.diff(run.in_si.t), initial=0.0))
    except ResultsError:  # a file that does not know its mechanism
        return ""
    return f"known at dots only, {apart:.2g} turns or swings apart" if apart > COARSE else ""


def _polar(run: Plotted, channels: Sequence[str], against: str | None, coarse: str) -> Any:
    """Channels as radius over a channel that is an angle."""
    from .picture import picture

    if against is None or run.quantity(against).unit not in ("rad", ""):
        found = "nothing" if against is None else f"'{against}' in {run.quantity(against).unit}"
        raise PictureError(f"a polar plot needs against= a channel that is an angle; found {found}")
    figure = picture(figsize=(6.5, 6.0), layout="constrained")
    ax = figure.add_subplot(projection="polar")
    for k, name in enumerate(channels):
        label = labelled(name, run.quantity(name))
        ax.plot(run[against], run[name], label=label, **curve(k, coarse))
    ax.set_title(f"{run.name}, against {labelled(against, run.quantity(against))}", fontsize=11, loc="left", pad=18)
    ax.set_xlabel(coarse, fontsize=9, color=GREY)
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.05, 1.0))
    rounds(ax)
    return figure


def rounds(ax: Any) -> None:
    """The circles of a polar plot: few, light, and with numbers where no curve runs through them."""
    from matplotlib.ticker import MaxNLocator

    ax.grid(True, color="#e6e8eb", linewidth=0.7)
    ax.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    ax.spines["polar"].set_color("#c9cdd3")
    angles = np.concatenate([np.asarray(line.get_xdata(), dtype=float) for line in ax.lines] or [np.zeros(0)])
    radii = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in ax.lines] or [np.zeros(0)])
    free = [float(np.max(radii[np.cos(angles - a) > np.cos(NARROW)], initial=0.0)) for a in BETWEEN]
    ax.set_rlabel_position(np.degrees(BETWEEN[int(np.argmin(free))]))
    ax.tick_params(axis="y", labelsize=8, labelcolor=GREY)


def labelled(name: str, kind: Quantity) -> str:
    """A name with its unit."""
    return f"{name} ({kind.unit})" if kind.unit else name


# Of treatments with their stabilisation, and of coordinates, in the order in which they come.
MARKERS = "osD^v<>pP*Xh8"
DASHES = ("-", "--", ":", "-.")


def plot_comparison(comparison: Compared, path: str | Path | None = None) -> Any:
    """Work-precision: error against time on logarithmic axes, a line for each combination of choices.

    Integrators differ in colour, treatments in their marks, coordinates in their dashes.
    """
    from matplotlib.lines import Line2D

    from .picture import picture

    lines: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for way in comparison.ways:
        if way.error is not None and way.seconds > 0:
            key = (way.integrator, f"{way.treatment} + {way.stabilisation}", way.coordinates)
            lines.setdefault(key, []).append((1e3 * way.seconds, max(way.error, 1e-16)))
    integrators, treatments, sets = (list(dict.fromkeys(key[k] for key in lines)) for k in range(3))
    many = (*PALETTE, "0.1", "#d62ad0")  # there are ten integrators
    colours = {name: many[k % len(many)] for k, name in enumerate(integrators)}
    marks = {name: MARKERS[k % len(MARKERS)] for k, name in enumerate(treatments)}
    dashes = {name: DASHES[k % len(DASHES)] for k, name in enumerate(sets)}
    figure = picture(figsize=(9.5, 6.0), layout="constrained")
    ax = figure.add_subplot()
    for (integrator, treatment, coordinates), points in lines.items():
        x, y = zip(*sorted(points), strict=True)
        style: dict[str, Any] = {"color": colours[integrator], "marker": marks[treatment], "ls": dashes[coordinates]}
        ax.loglog(x, y, ms=5, lw=1.0, label=f"{coordinates}, {treatment}, {integrator}", **style)
    ax.set_xlabel("time of the run (ms)")
    ax.set_ylabel("largest error of a position (m)")
    ax.set_title(f"{comparison.mechanism}, {comparison.duration:g} s", fontsize=11, loc="left")
    ax.grid(True, which="both", lw=0.3, alpha=0.5)
    shown = [Line2D([], [], color=c, lw=3, label=name) for name, c in colours.items()]
    shown += [Line2D([], [], color="0.4", marker=m, ls="", label=name) for name, m in marks.items()]
    if len(sets) > 1:
        shown += [Line2D([], [], color="0.4", ls=d, label=name) for name, d in dashes.items()]
    figure.legend(handles=shown, fontsize=8, frameon=False, loc="outside right upper")
    return saved(figure, path)


def draw_mechanism(
    run: Plotted,
    index: int | Sequence[int] = -1,
    path: str | Path | None = None,
    *,
    traces: Sequence[str] = (),
    axes: Any = None,
) -> Any:
    """The mechanism at one sample, or at several with earlier poses lighter. Saves the figure if `path` is given.

    `traces` are points whose paths over the run are drawn.

    `axes` draws into an axes of your own figure; for a spatial mechanism it must be a 3-D one.
    """
    from .picture import picture

    scene = Scene(run, index, traces)
    if scene.traces:
        scene = Scene(run, index, traces, paths_from=dense(run))
    flat = scene.blueprint.dim == 2
    if axes is None:
        size = drawing_planar.figure_size(scene) if flat else drawing_spatial.FIGURE_SIZE
        figure = picture(figsize=size, layout="constrained")
        axes = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    (drawing_planar if flat else drawing_spatial).draw(scene, axes)
    return saved(axes.figure, path)


def _plot_group(ax: Any, run: Plotted, x: str, kind: Quantity, channels: Sequence[str], coarse: str) -> None:
    logarithmic = kind.name.endswith("violation")
    for k, name in enumerate(channels):
        values = run[name]
        if logarithmic:  # exact zeros have no place on a logarithmic axis
            values = np.where(values > 0, values, np.nan)
        ax.plot(run[x], values, label=name, **curve(k, coarse, 0.9 if logarithmic else 1.6))
    if logarithmic:
        ax.set_yscale("log")
    else:
        _plain_numbers(ax)
    ax.set_ylabel(labelled(channels[0], kind) if len(channels) == 1 else kind.label)
    if len(channels) > 1:
        ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    tidied(ax)


def _plain_numbers(ax: Any) -> None:
    """Numbers as they are, not as what is to be added in a corner; what changes by rounding alone is level."""
    ax.ticklabel_format(axis="y", useOffset=False)
    low, high = ax.dataLim.intervaly
    largest = max(abs(low), abs(high))
    if 0 < high - low < ROUNDING * largest:
        ax.set_ylim(low - LEVEL * largest, high + LEVEL * largest)


def tidied(ax: Any) -> None:
    """Light lines behind the curves, and no frame above them."""
    ax.grid(True, color="#e6e8eb", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.margins(x=0.01)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def saved(figure: Any, path: str | Path | None) -> Any:
    """The figure, also in a file where one is wanted."""
    if path is not None:
        figure.savefig(path, dpi=DPI, bbox_inches="tight", pad_inches=0.1)
    return figure
