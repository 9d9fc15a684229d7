"""`jourdain plot`, `draw` and `animate`: of results as they are, or of a mechanism that is run first."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..results.record import Record
from . import codes
from .codes import UsageError
from .solving import options_of, run_of, start_alone
from .sources import is_results, mechanism, mechanism_path, seconds
from .writing import FILMS, PICTURES, CountBar, Writer, animated, check_target

SOLVING = (
    "duration",
    "every",
    "step",
    "rtol",
    "atol",
    "recipe",
    "coordinates",
    "treatment",
    "stabilisation",
    "integrator",
)


def plot(arguments: Any) -> int:
    """Channels over time or against another; without channels, what there is to plot."""
    target = arguments.output or f"{_stem(arguments.file)}-plot.png"
    check_target("-o", target, PICTURES)
    if Path(arguments.file).is_dir():
        return _plot_study(arguments, target)
    if not arguments.channel:
        if arguments.against or arguments.polar or arguments.output or _solving(arguments):
            raise UsageError(f"what is to be plotted? 'jourdain plot {arguments.file}' alone lists the channels")
        return _list_channels(arguments)
    record, code = _record(arguments)
    how = {"against": arguments.against, "polar": arguments.polar}
    return (
        _written(target, lambda path: record.plot(*arguments.channel, **how, path=path, units=arguments.units)) or code
    )


def draw(arguments: Any) -> int:
    """The mechanism at the times asked for; by default as it starts, or as results end."""
    target = arguments.output or f"{_stem(arguments.file)}.png"
    check_target("-o", target, PICTURES)
    times = [seconds("--at", text) or 0.0 for text in arguments.at]
    if is_results(arguments.file) or times or arguments.trace or _solving(arguments):
        record, code = _record(arguments)
    else:
        start = start_alone(mechanism(arguments.file, arguments.set), {})
        sys.stderr.writelines(f"jourdain: note: {note}\n" for note in start.status.notes)
        record, code = start, codes.OK
    for t in times:
        if not record.t[0] - 1e-9 <= t <= record.t[-1] + 1e-9:
            raise UsageError(f"--at {t:g}: the run goes from {record.t[0]:g} to {record.t[-1]:g} s")
    _require_poses(record)
    index = [int(np.argmin(np.abs(record.t - t))) for t in times] or [len(record.t) - 1]
    return _written(target, lambda path: record.draw(index, path, traces=arguments.trace)) or code


def animate(arguments: Any) -> int:
    """The motion as a page, a GIF or a film."""
    target = arguments.output or f"{_stem(arguments.file)}.html"
    check_target("-o", target, FILMS)
    record, code = _record(arguments, arguments.speed or 1.0)
    _require_poses(record)
    how = {"fps": arguments.fps, "speed": arguments.speed, "traces": arguments.trace}
    return _written(target, lambda path: animated(record, path, **how, progress=CountBar(path))) or code


def _plot_study(arguments: Any, target: str) -> int:
    """What the study in a folder collected; its variants are runs, with `jourdain run FOLDER --variant N`."""
    idle = [*_solving(arguments), *["--set"] * bool(arguments.set), *["--against"] * bool(arguments.against)]
    if idle:
        raise UsageError(f"{', '.join(idle)}: {arguments.file} holds a study, which is not computed anew")
    from ..studies.load_study import load_study

    study = load_study(arguments.file)
    sys.stdout.write(f"{study}\n")
    return _written(target, lambda path: study.plot(*arguments.channel, path=path))


def _stem(name: str) -> str:
    if Path(name).is_dir():
        return Path(name).resolve().name
    return Path(name).stem if is_results(name) else mechanism_path(name).stem


def _solving(arguments: Any) -> list[str]:
    """Options of solving that were given."""
    return [f"--{name}" for name in SOLVING if getattr(arguments, name) is not None]


def _record(arguments: Any, film_speed: float | None = None) -> tuple[Record, int]:
    """Results read back, or a mechanism run as the options say; with the exit code that the run deserves."""
    if is_results(arguments.file):
        idle = _solving(arguments) + ["--set"] * bool(arguments.set)
        if idle:
            raise UsageError(f"{', '.join(idle)}: {arguments.file} holds results, which are not computed anew")
        from ..results.reload import load_results

        return load_results(arguments.file), codes.OK
    m = mechanism(arguments.file, arguments.set)
    run = run_of(m, options_of(arguments, m, film_speed))
    if run.status.ok:
        return run, codes.OK
    sys.stderr.write(f"jourdain: {run.status.sentence}\n")
    return run, codes.INTERRUPTED if run.status.interrupted else codes.FAILED


def _require_poses(record: Record) -> None:
    """Results that cannot be drawn are refused as such, not as a file that cannot be written."""
    if not len(record.poses.position):
        raise UsageError("there are no samples to draw")


def _list_channels(arguments: Any) -> int:
    record: Record
    if is_results(arguments.file):
        record, _ = _record(arguments)
    else:
        record = start_alone(mechanism(arguments.file, arguments.set), {})
    for name in record.channels:
        unit = record.quantity(name).unit
        sys.stdout.write(f"{name} ({unit})\n" if unit else f"{name}\n")
    return codes.OK


def _written(target: str, make: Callable[[str], Any]) -> int:
    writer = Writer()
    writer.write(target, make)
    writer.tell_failures()
    if writer.failures:
        return codes.UNWRITTEN
    sys.stdout.write(f"{target} written\n")
    return codes.OK
