"""`jourdain kinematics` and `jourdain inverse`: a mechanism moved through a range, and what that takes."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from ..mechanism.names import counted
from ..results.driven_motion import Kinematics
from ..results.inverse import InverseDynamics
from ..results.status import SimulationWarning
from ..results.table_files import KINDS as TABLES
from ..results.table_files import chosen
from . import codes
from .codes import UsageError
from .sources import listed, mechanism, mechanism_path, number_or_text, seconds
from .summary import INDENT, json_numbers
from .writing import FILMS, PICTURES, CountBar, Writer, animated, check_target

TIMES = ("duration", "every")
RANGE = {"from_": "--from", "to": "--to", "speed": "--speed", "points": "--points"}


def kinematics(arguments: Any) -> int:
    """Positions, velocities and accelerations over a range of the driver, or over the time of the motions."""
    from ..analysis.kinematics import kinematics as analysis

    return _done(arguments, analysis, {})


def inverse(arguments: Any) -> int:
    """Efforts and reactions for a prescribed motion."""
    from ..analysis.inverse_dynamics import inverse_dynamics as analysis

    more: dict[str, Any] = {"actuators": listed("--actuators", arguments.actuators)}
    if arguments.weights is not None:
        more["weights"] = dict(_weight(text) for text in listed("--weights", arguments.weights) or ())
    return _done(arguments, analysis, more)


def _weight(text: str) -> tuple[str, float]:
    name, equals, value = (part.strip() for part in text.partition("="))
    try:
        if not equals:
            raise ValueError
        return name, float(value)
    except ValueError:
        raise UsageError(f"--weights {text!r}: expected JOINT=NUMBER, such as --weights A=1,B=4") from None


def _done(arguments: Any, analysis: Any, more: dict[str, Any]) -> int:
    begun = time.perf_counter()
    m = mechanism(arguments.file, arguments.set)
    targets = _targets(arguments)
    options = {**_options(arguments), **more}
    if arguments.drive is None and options["duration"] is None and m.defaults.get("duration") is None:
        raise UsageError("over what? give --drive JOINT, or --duration 5 for the motions of the file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # the status is printed
        run = analysis(m, **options)
    writer = Writer()
    _write(writer, run, arguments, targets)
    table = run.maxima() if arguments.maxima else None
    spent = time.perf_counter() - begun
    if arguments.json:
        sys.stdout.write(_as_json(run, table, spent, writer.written) + "\n")
    elif not arguments.quiet:
        sys.stdout.write(_report(run, spent, writer.written) + "\n")
        sys.stdout.write(f"\n{table}\n" if table else "")
    elif not run.status.ok:
        sys.stderr.write(f"jourdain: {run.status.sentence}\n")
    writer.tell_failures()
    if not run.status.ok:
        return codes.FAILED
    return codes.UNWRITTEN if writer.failures else codes.OK


def _options(arguments: Any) -> dict[str, Any]:
    """The arguments of the analysis; what belongs to a range does nothing without --drive, and the other way round."""
    values = {name: getattr(arguments, name) for name in RANGE}
    idle = [option for name, option in RANGE.items() if values[name] is not None]
    if arguments.drive is None and idle:
        raise UsageError(f"{', '.join(idle)}: a range needs --drive JOINT")
    timed = [f"--{name}" for name in TIMES if getattr(arguments, name) is not None]
    if arguments.drive is not None and timed:
        raise UsageError(f"{', '.join(timed)}: with --drive the range says how long; --speed says how fast")
    found: dict[str, Any] = {name: number_or_text(v) if isinstance(v, str) else v for name, v in values.items()}
    found |= {name: seconds(f"--{name}", getattr(arguments, name)) for name in TIMES}
    return {"drive": arguments.drive, **found}


def _targets(arguments: Any) -> dict[str, str]:
    """Where pictures go, checked before anything is computed."""
    stem = mechanism_path(arguments.file).stem
    found = {}
    for option, asked in (("plot", arguments.plot), ("path", arguments.path), ("polar", arguments.polar)):
        given = getattr(arguments, f"{option}_to")
        if given and not asked:
            raise UsageError(f"--{option}-to does nothing without --{option}")
        if asked:
            found[option] = given or f"{stem}-{option}.png"
            check_target(f"--{option}-to", found[option], PICTURES)
    if arguments.against and not arguments.plot:
        raise UsageError("--against does nothing without --plot")
    if arguments.channels and not arguments.output:
        raise UsageError("--channels does nothing without -o")
    if (arguments.trace or arguments.fps or arguments.film_speed is not None) and not arguments.animate:
        raise UsageError("--trace, --fps and --film-speed do nothing without --animate")
    for path in arguments.output:
        check_target("-o", path, TABLES, arguments.file)
    for path in arguments.animate:
        check_target("--animate", path, FILMS)
    paths = [Path(p).resolve() for p in (*arguments.output, *arguments.animate, *found.values())]
    for path in paths:
        if paths.count(path) > 1:
            raise UsageError(f"{path} would be written twice")
    return found


def _write(writer: Writer, run: Kinematics, arguments: Any, targets: dict[str, str]) -> None:
    channels = listed("--channels", arguments.channels)
    plots = [name for text in arguments.plot for name in listed("--plot", text) or ()]
    against = arguments.against or run.main_axis
    _check_names(run, channels, [*plots, against, *(f"{point}.x" for point in arguments.path)])
    for path in arguments.output:
        writer.write(path, lambda p: run.save(p, channels))
    if plots:
        writer.write(targets["plot"], lambda p: run.plot(*plots, against=against, path=p))
    if arguments.path:
        writer.write(targets["path"], lambda p: run.plot_path(*arguments.path, path=p))
    if arguments.polar:
        writer.write(targets["polar"], lambda p: run.plot_polar(*arguments.polar, path=p))
    how = {"fps": arguments.fps, "speed": arguments.film_speed, "traces": arguments.trace}
    for path in arguments.animate:
        bar = None if arguments.quiet else CountBar(path)
        writer.write(path, lambda p, bar=bar: animated(run, p, "--film-speed", arguments.quiet, **how, progress=bar))  # type: ignore[misc]


def _check_names(run: Kinematics, channels: Any, plotted: list[str]) -> None:
    """Mistyped names are told before anything is written."""
    from ..plotting.figures import expanded

    chosen(run, channels)
    expanded(run, plotted)


def _report(run: Kinematics, spent: float, files: list[str]) -> str:
    """The summary of the run, with its first line as a title."""
    title = f"{run.name}: {counted(run.model.bodies, 'body', 'bodies')}, {counted(len(run.joints), 'joint')}"
    rows = []
    for line in run.summary().splitlines():
        key, text = (line[:10].strip(), line[12:]) if line[10:12] == "  " else ("note", line.removeprefix("note: "))
        if key != "mechanism":
            rows.append((key, text))
    rows.append(("computed in", f"{1e3 * run.statistics.seconds:.3g} ms for the motion, {spent:.3g} s in all"))
    rows += [("written", name) for name in files]
    return "\n".join([title, *(f"{key:>{INDENT}}  {text}" for key, text in rows)])


def _as_json(run: Kinematics, table: Any, spent: float, files: list[str]) -> str:
    kept = {k: v for k, v in run.metadata.items() if k not in ("summary", "mechanism_file")}
    kept |= {
        "samples": len(run.t),
        "t_end": float(run.t[-1]),
        "limits": [{"t": x.t, "driver": x.value} for x in run.limits],
        "change_points": [{"t": x.t, "driver": x.value} for x in run.change_points],
        "dead_points": [{"channel": x.channel, "t": x.t, "driver": x.value, "at": x.at} for x in run.dead_points],
        "seconds_in_all": spent,
        "files": files,
    }
    if isinstance(run, InverseDynamics):
        efforts = {n: {"channel": run.sources[n], "values": values.tolist()} for n, values in run.efforts.items()}
        kept["efforts"] = efforts
        kept["internal"] = list(run.internal)
    if table is not None:
        kept["maxima"] = table.as_dicts()
    return json.dumps(json_numbers(kept), indent=2, ensure_ascii=False)
