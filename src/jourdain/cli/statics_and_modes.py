"""`jourdain statics` and `jourdain modes`."""

from __future__ import annotations

import json
import sys
from typing import Any

from ..mechanism.builder import Mechanism
from . import codes
from .codes import UsageError
from .sources import mechanism, mechanism_path, seconds
from .summary import json_numbers
from .writing import FILMS, PICTURES, Writer, check_target


def statics(arguments: Any) -> int:
    """Equilibrium, reactions, stability."""
    if arguments.draw:
        check_target("--draw", arguments.draw, PICTURES, str(mechanism_path(arguments.file)))
    t = seconds("--at", arguments.at) or 0.0
    m = mechanism(arguments.file, arguments.set)
    from ..analysis.statics import statics as analyse

    found = analyse(m, t=t, seek=arguments.seek)
    writer = Writer()
    if arguments.draw:
        writer.write(arguments.draw, found.draw)
    return _told(found, arguments.json, writer)


def modes(arguments: Any) -> int:
    """Eigenfrequencies, damping and shapes, as a table, pictures and films."""
    films = [_numbered("--animate", text, FILMS, arguments.file) for text in arguments.animate]
    pictures = [_numbered("--plot", text, PICTURES, arguments.file) for text in arguments.plot]
    m = mechanism(arguments.file, arguments.set)
    about, t = _about(m, arguments.about, seconds("--at", arguments.at))
    from ..analysis.modes import modes as analyse

    found = analyse(m, about, t=t)
    for number, _ in (*films, *pictures):
        found[number]
    writer = Writer()
    for number, path in films:
        writer.write(path, lambda p, n=number: found.animate(n, p))  # type: ignore[misc]
    for number, path in pictures:
        writer.write(path, lambda p, n=number: found.plot(n, p))  # type: ignore[misc]
    return _told(found, arguments.json, writer)


def _about(m: Mechanism, about: str, t: float | None) -> tuple[Any, float | None]:
    """Equilibrium and start by their names; a time is that of the motion from the start."""
    if about in ("equilibrium", "start"):
        return about, t
    try:
        when = seconds("--about", about)
    except UsageError:
        raise UsageError(
            f"--about {about!r}: expected equilibrium, start, or a time of the motion such as 2s"
        ) from None
    if t is not None:
        raise UsageError("--at is the time at which an equilibrium is looked for; --about already says a time")
    from ..analysis.simulate import simulate

    if not when:
        return "start", 0.0
    return simulate(m, times=[0.0, when]), when


def _numbered(option: str, text: str, kinds: Any, source: str) -> tuple[int, str]:
    """`1=mode1.html`: the number of a mode and a file."""
    number, equals, path = text.partition("=")
    if not equals or not number.strip().isdigit():
        raise UsageError(
            f"{option} {text!r}: expected the number of a mode and a file, such as {option} 1=mode1{kinds[0]}"
        )
    check_target(option, path, kinds, str(mechanism_path(source)))
    return int(number), path


def _told(found: Any, as_json: bool, writer: Writer) -> int:
    if as_json:
        sys.stdout.write(json.dumps(json_numbers({**found.facts, "files": writer.written}), indent=2) + "\n")
    else:
        sys.stdout.write(f"{found}\n")
        sys.stdout.writelines(f"{path} written\n" for path in writer.written)
    writer.tell_failures()
    return codes.UNWRITTEN if writer.failures else codes.OK
