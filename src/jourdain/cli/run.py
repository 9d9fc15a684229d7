"""`jourdain run`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from ..mechanism.display import Display
from ..results.solution import Solution
from ..results.table_files import KINDS as TABLES
from ..results.table_files import chosen
from . import codes
from .codes import UsageError
from .solving import options_of, run_of, start_alone, with_defaults
from .sources import listed, mechanism, mechanism_path, variant
from .summary import as_json, report
from .writing import FILMS, PICTURES, CountBar, Writer, animated, check_target


def run(arguments: Any) -> int:
    """Simulate, write what was asked for, tell what came of it."""
    begun = time.perf_counter()
    if arguments.variant is None:
        stem, m = mechanism_path(arguments.file).stem, mechanism(arguments.file, arguments.set)
        settled: dict[str, Any] = {}
    else:
        if arguments.set:
            raise UsageError("--set and --variant are both given; the numbers of a variant are those of its study")
        m, settled = variant(arguments.file, arguments.variant)
        stem = f"{Path(arguments.file).name}-{arguments.variant}"
    channels = listed("--channels", arguments.channels)
    plots = [name for text in arguments.plot for name in listed("--plot", text) or ()]
    plot_to = arguments.plot_to or f"{stem}-plot.png"
    arguments.path_to = arguments.path_to or (f"{stem}-path.png" if arguments.path else None)
    Display.of(arguments.units)
    _check_targets(arguments, plots, plot_to)
    speed = (arguments.speed or 1.0) if arguments.animate else None
    options = options_of(with_defaults(arguments, settled), m, speed)
    for path in arguments.animate:
        check_frames(path, options["duration"], arguments.fps, arguments.speed)
    if channels or plots or arguments.animate or arguments.path:
        asked = [*plots, *([arguments.against] if arguments.against else []), *(f"{p}.x" for p in arguments.path)]
        _check_names(start_alone(m, options, arguments.quiet), channels, asked, arguments.trace)
    solution = run_of(m, options, arguments.quiet)
    writer = Writer()
    code = codes.OK
    try:
        _write(writer, solution, arguments, channels, plots, plot_to)
    except KeyboardInterrupt:
        sys.stderr.write("jourdain: interrupted while writing; finished files are kept\n")
        code = codes.INTERRUPTED
    spent = time.perf_counter() - begun
    table = solution.maxima(against=arguments.against, units=arguments.units) if arguments.maxima else None
    if arguments.json:
        sys.stdout.write(as_json(solution, spent, writer.written, table) + "\n")
    elif not arguments.quiet:
        sys.stdout.write(report(solution, options, m.defaults, spent, writer.written) + "\n")
        sys.stdout.write(f"\n{table}\n" if table else "")
    elif not solution.status.ok:
        sys.stderr.write(f"jourdain: {solution.status.sentence}\n")
    writer.tell_failures()
    return code or _code(solution, writer)


def _code(solution: Solution, writer: Writer) -> int:
    if solution.status.interrupted:
        return codes.INTERRUPTED
    if not solution.status.ok:
        return codes.FAILED
    return codes.UNWRITTEN if writer.failures else codes.OK


def _check_targets(arguments: Any, plots: list[str], plot_to: str) -> None:
    for path in arguments.output:
        check_target("-o", path, TABLES, arguments.file)
    for path in arguments.animate:
        check_target("--animate", path, FILMS)
    if plots:
        check_target("--plot-to", plot_to, PICTURES)
    if arguments.path:
        check_target("--path-to", arguments.path_to, PICTURES)
    for given, needs, name in (
        (arguments.plot_to, plots, "--plot-to does nothing without --plot"),
        (arguments.path_to, arguments.path, "--path-to does nothing without --path"),
        (arguments.against, plots or arguments.maxima, "--against does nothing without --plot or --maxima"),
        (arguments.channels, arguments.output, "--channels does nothing without -o"),
        (arguments.trace or arguments.fps, arguments.animate, "--trace and --fps do nothing without --animate"),
        (arguments.speed is not None, arguments.animate, "--speed does nothing without --animate"),
    ):
        if given and not needs:
            raise UsageError(name)
    paths = [Path(p).resolve() for p in (*arguments.output, *arguments.animate, *([plot_to] if plots else []))]
    paths += [Path(arguments.path_to).resolve()] if arguments.path else []
    for path in paths:
        if paths.count(path) > 1:
            raise UsageError(f"{path} would be written twice")
    for name in ("speed", "fps"):
        value = getattr(arguments, name)
        if value is not None and not 0 < value < float("inf"):
            raise UsageError(f"--{name} {value:g}: expected a positive number")


def _check_names(start: Solution, channels: Any, plots: list[str], traces: list[str]) -> None:
    """Mistyped names cost no run, nor do colours that do not exist."""
    from ..plotting.figures import expanded
    from ..plotting.scene import Scene

    chosen(start, channels)
    expanded(start, plots)
    Scene(start, 0, traces)


def check_frames(path: str, duration: float, fps: float | None, speed: float | None) -> None:
    """A film too long for one file is refused before the run."""
    import numpy as np

    from ..plotting.animation import FPS
    from ..plotting.tempo import frame_times

    suffix = Path(path).suffix.lower()
    if suffix != ".html":
        frame_times(np.array([0.0, duration]), fps or FPS[suffix], speed or 1.0)


def _write(writer: Writer, solution: Solution, arguments: Any, channels: Any, plots: list[str], plot_to: str) -> None:
    for path in arguments.output:
        writer.write(path, lambda p: solution.save(p, channels, arguments.units))
    if plots:
        how_plotted = {"against": arguments.against, "units": arguments.units}
        writer.write(plot_to, lambda p: solution.plot(*plots, path=p, **how_plotted))
    if arguments.path:
        writer.write(arguments.path_to, lambda p: solution.plot_path(*arguments.path, path=p))
    for path in arguments.animate:
        how = {"fps": arguments.fps, "speed": arguments.speed, "traces": arguments.trace, "quiet": arguments.quiet}
        bar = None if arguments.quiet else CountBar(path)
        writer.write(path, lambda p, how=how, bar=bar: animated(solution, p, **how, progress=bar))  # type: ignore[misc]
