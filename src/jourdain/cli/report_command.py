"""`jourdain report`: what one hands to a colleague, as one page."""

from __future__ import annotations

import hashlib
import platform
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version as installed
from typing import Any

import numpy as np

from ..library.joints import kind_of
from ..mechanism.builder import Mechanism
from ..mechanism.errors import JourdainError, PictureWarning
from ..mechanism.names import nearest
from ..mechanism.parts import Joint
from ..results.driven_motion import Kinematics
from ..results.solution import Solution
from ..results.status import SimulationWarning
from ..version import __version__
from . import codes
from .codes import UsageError
from .report_page import Section, page
from .solving import options_of, run_of
from .sources import listed, mechanism, mechanism_path
from .summary import INDENT
from .summary import report as summary_of
from .writing import Writer, check_target

MORE = ("kinematics", "statics", "modes")
POSES = 5  # in the picture of the motion
STANDING = 1e-3  # of the mechanism's size: poses closer than that look the same
MOST_JOINTS = 6  # whose coordinates and loads are plotted
MOST_MODES = 4  # that are drawn
LIBRARIES = ("numpy", "scipy", "numba", "matplotlib")


def report(arguments: Any) -> int:
    """Run the file as its `simulate:` says, and put all that a reader wants to see on one page."""
    path = mechanism_path(arguments.file)
    target = arguments.output or f"{path.stem}-report.html"
    check_target("-o", target, (".html",), arguments.file)
    more = listed("--with", arguments.with_) or []
    for name in more:
        if name not in MORE:
            raise UsageError(f"--with {name}: {nearest(name, MORE)}")
    m = mechanism(arguments.file, arguments.set)
    if not isinstance(m, Mechanism):
        raise UsageError("report is for a single mechanism; run a file with subsystems with jourdain run")
    options = options_of(arguments, m, 1.0)
    run = run_of(m, options, quiet=True)
    sections = [
        _mechanism(m, run),
        _checked(m),
        _motion(run, options, m, arguments.trace),
        _maxima(run, arguments.units),
        _plots(run, arguments.units),
        *(_asked_for(name, m, run) for name in more),
        _origin(path.read_bytes(), arguments, run),
    ]
    writer = Writer()
    lead = f"Simulated by Jourdain {__version__} from {path.name}"
    writer.write(target, lambda p: _write(p, page(m.name, lead, sections)))
    writer.tell_failures()
    if writer.failures:
        return codes.UNWRITTEN
    sys.stdout.write(f"{target} written\n")
    if not run.status.ok:
        sys.stderr.write(f"jourdain: {run.status.sentence}\n")
    return codes.OK if run.status.ok else codes.FAILED


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _guarded(section: Section, make: Callable[[], None]) -> Section:
    """What cannot be told is told as that: one part of a report does not take the others with it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", PictureWarning)
        warnings.simplefilter("ignore", SimulationWarning)
        try:
            make()
        except JourdainError as error:
            section.wrong(str(error))
    for warning in told:
        if issubclass(warning.category, PictureWarning):
            section.text(f"Note: {warning.message}")
    return section


def _mechanism(m: Mechanism, run: Solution) -> Section:
    section, blueprint = Section("Mechanism"), run.blueprint

    def make() -> None:
        if blueprint.description:
            section.text(blueprint.description)
        section.picture(run.draw(0), f"{m.name} at the start")
        masses = [(body.name, f"{body.mass:.6g}", _inertia(body.inertia)) for body in blueprint.bodies]
        section.numbers(("body", "mass (kg)", "inertia (kg m²)"), masses)
        ends = [(joint.name, joint.type, f"{joint.first}, {joint.second}") for joint in blueprint.joints]
        section.numbers(("joint", "type", "between"), ends)
        if blueprint.parameters:
            section.numbers(("parameter", "value (SI)"), [(k, f"{v:.6g}") for k, v in blueprint.parameters.items()])

    return _guarded(section, make)


def _inertia(value: Any) -> str:
    return ", ".join(f"{x:.4g}" for x in np.atleast_1d(value))


def _checked(m: Mechanism) -> Section:
    section = Section("Check")

    def make() -> None:
        from ..analysis.check import check

        section.lines(str(check(m)))

    return _guarded(section, make)


def _motion(run: Solution, options: dict[str, Any], m: Mechanism, traces: list[str]) -> Section:
    section = Section("Motion")

    def make() -> None:
        if not run.status.ok:
            section.wrong(run.status.sentence)
        section.animation(run, traces)
        section.picture(run.draw(_poses(run), traces=traces), "poses of the motion")
        text = summary_of(run, options, m.defaults, run.statistics.seconds, ["this page"])
        rows = [(line[:INDENT].strip(), line[INDENT:].strip()) for line in text.splitlines()[1:]]
        section.facts([(key, words) for key, words in rows if key not in ("written", "computed in")])

    return _guarded(section, make)


def _poses(run: Solution) -> list[int]:
    """Samples that look as different as can be: evenly spaced ones may be whole turns apart."""
    places = run.poses.position.reshape(len(run.t), -1)
    turns = run.size * run.poses.frame.reshape(len(run.t), -1)
    looks = np.concatenate([places, turns], axis=1)
    chosen, apart = [0], np.full(len(looks), np.inf)
    while len(chosen) < POSES:
        apart = np.minimum(apart, np.linalg.norm(looks - looks[chosen[-1]], axis=1))
        if apart.max() < STANDING * run.size:
            break
        chosen.append(int(apart.argmax()))
    return sorted(chosen)


def _maxima(run: Solution, units: str | None) -> Section:
    section = Section("Maxima")

    def make() -> None:
        shown = [line.rstrip() for line in str(run.maxima(units=units)).splitlines()]
        section.lines("\n".join(shown) if len(shown) > 1 else "no loads and no efforts: nothing bears anything")

    return _guarded(section, make)


def _plots(run: Solution, units: str | None) -> Section:
    section = Section("Plots")

    def make() -> None:
        known = set(run.channels)
        joints = run.blueprint.joints[:MOST_JOINTS]
        for words, names in (
            ("coordinates of joints", _coordinates(joints)),
            ("loads of joints", [f"{joint.name}.load" for joint in joints]),
            ("energies", ["energy"]),
        ):
            there = [name for name in names if name in known or name == "energy"]
            if there:
                section.picture(run.plot(*there, units=units), words)

    return _guarded(section, make)


def _coordinates(joints: Sequence[Joint]) -> list[str]:
    return [f"{joint.name}.{quantity}" for joint in joints for quantity in kind_of(joint).coordinates]


def _asked_for(name: str, m: Mechanism, run: Solution) -> Section:
    section = Section(name.capitalize())
    if name == "kinematics":
        return _guarded(section, lambda: _kinematics(section, m, run))
    make = {"statics": _statics, "modes": _modes}[name]
    return _guarded(section, lambda: make(section, m))


def _kinematics(section: Section, m: Mechanism, ran: Solution) -> None:
    run = _driven(m, ran)
    section.lines(run.summary())
    own = run.driver.channel if run.driver is not None else ""
    names = [name for name in _coordinates(run.blueprint.joints) if name in run.channels and name != own]
    section.picture(run.plot(*names[:MOST_JOINTS], against=run.main_axis), "over the driver")


def _driven(m: Mechanism, ran: Solution) -> Kinematics:
    """By its own motion, a turn where one motion turns it; without any through a turn of the first joint that can."""
    from ..analysis.kinematics import kinematics

    motions = m.frozen().motions
    if len(motions) > 1:
        return kinematics(m, times=ran.t)
    first: JourdainError | None = None
    for drive in [motion.name for motion in motions] or [joint.name for joint in m.frozen().joints]:
        try:
            return kinematics(m, drive)
        except JourdainError as error:
            first = first or error
    if motions or first is None:
        return kinematics(m, times=ran.t)
    raise first


def _statics(section: Section, m: Mechanism) -> None:
    from ..analysis.statics import statics

    found = statics(m)
    section.lines(str(found))
    section.picture(found.draw(), "at rest")


def _modes(section: Section, m: Mechanism) -> None:
    from ..analysis.modes import modes

    found = modes(m)
    section.lines(str(found))
    for mode in list(found)[:MOST_MODES]:
        section.picture(found.plot(mode.number), f"mode {mode.number}")


def _origin(content: bytes, arguments: Any, run: Solution) -> Section:
    section = Section("Origin")
    rows = [
        ("file", str(arguments.file)),
        ("SHA-256", hashlib.sha256(content).hexdigest()),
        *(("set", text) for text in arguments.set),
        ("choices", str(run.choices)),
        ("Jourdain", __version__),
        ("Python", platform.python_version()),
        *((name, installed(name)) for name in LIBRARIES),
        ("computer", f"{platform.system()}, {platform.machine()}"),
    ]
    section.facts(rows)
    return section
