"""Pictures of a machine: paths of points, and the loads of bearings as polar plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..mechanism.errors import PictureError, ResultsError
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, PortName
from .figures import curve, rounds, too_coarse
from .scene import GREY, PALETTE
from .shown import Plotted
from .tempo import dense

DPI = 150
AXES = ("fixed", "first", "second")
PLANES = ("xy", "xz", "yz")


def plot_path(run: Plotted, points: Sequence[str], path: str | Path | None = None) -> Any:
    """Paths of points, with equal scales; in space as a drawing in three dimensions."""
    from .picture import picture

    if not points:
        raise PictureError("no point to plot; give one or more like 'coupler.P'")
    dim = run.blueprint.dim
    figure = picture(figsize=(7.0, 5.5), layout="constrained")
    ax: Any = figure.add_subplot() if dim == 2 else figure.add_subplot(projection="3d")
    for k, point in enumerate(points):
        places = _path(run, point, dim)
        colour = PALETTE[k % len(PALETTE)]
        ax.plot(*places, color=colour, linewidth=1.6, label=point)
        ax.plot(*([p[0]] for p in places), "o", color=colour, markersize=4)
    ax.set_aspect("equal", adjustable="datalim" if dim == 2 else "box")
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")
    if dim == 3:
        ax.set_zlabel("z (m)")
    ax.grid(True, color="#e6e8eb", linewidth=0.7)
    ax.set_title(run.name, fontsize=11, loc="left")
    ax.legend(frameon=False, fontsize=9)
    return _saved(figure, path)


def _path(run: Plotted, point: str, dim: int) -> list[Any]:
    """Where a point or a body goes, smooth where the run knows what is between its samples."""
    sampled = [run[f"{point}.{c}"] for c in "xyz"[:dim]]  # a mistyped name is told here
    bodies = {body.name: body for body in run.blueprint.bodies}
    body, _, name = (point, "", "") if point in bodies else point.rpartition(".")
    try:
        between = dense(run)
    except ResultsError:  # a file that does not know its mechanism
        return sampled
    if between is run or body not in bodies or (name and name not in bodies[body].ports):
        return sampled
    poses = between.poses
    return list((poses.place(PortName(body, name)) if name else poses.position[:, poses.index(body)]).T)


def plot_polar(run: Plotted, joints: Sequence[str], axes: str, plane: str, path: str | Path | None = None) -> Any:
    """Forces of joints by direction and size."""
    from .picture import picture

    _check(run, joints, axes, plane)
    figure = picture(figsize=(6.5, 6.0), layout="constrained")
    ax = figure.add_subplot(projection="polar")
    coarse = too_coarse(run)
    for k, name in enumerate(joints):
        force = run[f"{name}.f{plane[0]}"] + 1j * run[f"{name}.f{plane[1]}"]
        force = force * np.exp(-1j * _turn(run, name, axes))
        ax.plot(np.angle(force), np.abs(force), **curve(k, coarse), label=name)
    ax.set_xlabel(coarse, fontsize=9, color=GREY)
    where = "fixed axes" if axes == "fixed" else f"axes of the {axes} body"
    ax.set_title(f"{run.name}: force of joints (N), {where}", fontsize=11, loc="left", pad=18)
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.05, 1.0))
    rounds(ax)
    return _saved(figure, path)


def _check(run: Plotted, joints: Sequence[str], axes: str, plane: str) -> None:
    known = [joint.name for joint in run.blueprint.joints]
    faults = [f"no joint '{name}'; {nearest(name, known)}" for name in joints if name not in known]
    if not joints:
        faults.append("no joint to plot; give one or more names")
    if axes not in AXES:
        faults.append(f"axes is {axes!r}; expected {', '.join(AXES)}")
    elif axes != "fixed" and run.blueprint.dim == 3:
        faults.append("axes of bodies are for the plane; in space loads are plotted in fixed axes, of a plane")
    if plane not in PLANES or (plane != "xy" and run.blueprint.dim == 2):
        faults.append(f"plane is {plane!r}; expected {', '.join(PLANES if run.blueprint.dim == 3 else PLANES[:1])}")
    if faults:
        raise PictureError("; ".join(faults))


def _turn(run: Plotted, name: str, axes: str) -> Any:
    """The angle of the axes in which a load is shown."""
    joint = run.blueprint.joint(name)
    body = {"first": joint.first.body, "second": joint.second.body}.get(axes, GROUND)
    return 0.0 if body == GROUND else run[f"{body}.angle"]


def _saved(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        figure.savefig(path, dpi=DPI, bbox_inches="tight", pad_inches=0.1)
    return figure
