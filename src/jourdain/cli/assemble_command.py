"""`jourdain assemble`: a mechanism closed at targets, as a report, a file or a picture."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import codes
from .codes import UsageError
from .sources import MECHANISMS, mechanism, number_or_text, seconds
from .writing import PICTURES, Writer, check_target


def assemble(arguments: Any) -> int:
    """Close the joints with the targets met, on the branch asked for; or list all branches."""
    must = targets("--target", arguments.target)
    about = targets("--about", arguments.about)
    if arguments.all and (about or arguments.branch):
        raise UsageError("--all lists every branch; --about and --branch are for one of them")
    if arguments.output:
        check_target("-o", arguments.output, MECHANISMS, arguments.file)
    if arguments.draw:
        check_target("--draw", arguments.draw, PICTURES)
    t = seconds("--at", arguments.at) or 0.0
    m = mechanism(arguments.file, arguments.set)
    from ..analysis import assemble

    if arguments.all:
        found = assemble.branches(m, must, t=t)
    else:
        found = [assemble.assemble(m, must, about=about, branch=arguments.branch, t=t)]
    if arguments.json:
        facts: Any = [one.to_dict() for one in found] if arguments.all else found[0].to_dict()
        sys.stdout.write(json.dumps(facts, indent=2) + "\n")
    else:
        if arguments.all:
            words = f"{len(found)} way{'s' if len(found) > 1 else ''} to assemble it, the nearest first"
            sys.stdout.write(f"{m.name}: {words}\n")
        sys.stdout.writelines(f"{one}\n" for one in found)
    return _written(arguments, found)


def _written(arguments: Any, found: list[Any]) -> int:
    """Files of all that was found: with several, each has its number in its name."""
    writer = Writer()
    for k, one in enumerate(found):
        for name, make in ((arguments.output, one.save), (arguments.draw, one.draw)):
            if name:
                path = Path(name)
                target = str(path if len(found) == 1 else path.with_stem(f"{path.stem}{k + 1}"))
                writer.write(target, make)
    writer.tell_failures()
    if not arguments.json:
        sys.stdout.writelines(f"{name} written\n" for name in writer.written)
    return codes.UNWRITTEN if writer.failures else codes.OK


def targets(option: str, texts: Iterable[str]) -> dict[str, float | str]:
    """`crank.angle=30deg` as a value by channel."""
    found: dict[str, float | str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value or "." not in name:
            raise UsageError(f"{option} {text!r}: expected CHANNEL=VALUE, such as {option} crank.angle=30deg")
        if name in found:
            raise UsageError(f"{option} {name} is given twice: {found[name]} and {value}")
        found[name] = number_or_text(value)
    return found
