"""`jourdain check` and `jourdain compare`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from . import codes
from .codes import UsageError
from .sources import listed, mechanism, seconds
from .summary import DRIVEN, json_numbers
from .writing import PICTURES, CountBar, Writer, check_target

CHOICES = ("coordinates", "treatments", "stabilisations", "integrators")


def check(arguments: Any) -> int:
    """Faults of the file come as an error, all at once; otherwise freedoms and redundancy are told."""
    m = mechanism(arguments.file, arguments.set)
    from ..analysis.check import check as analyse

    found = analyse(m)
    if arguments.json:
        sys.stdout.write(json.dumps({"mechanism": m.name, "faults": [], **found.to_dict()}, indent=2) + "\n")
    else:
        driven = f"{DRIVEN}\n" if found.freedoms == 0 and m.frozen().motions else ""
        sys.stdout.write(f"{m.name}: no faults\n{found}\n{driven}")
    return codes.OK


def compare(arguments: Any) -> int:
    """Every combination of choices that goes together."""
    if arguments.plot:
        check_target("--plot", arguments.plot, PICTURES)
    m = mechanism(arguments.file, arguments.set)
    duration = seconds("--duration", arguments.duration) or m.defaults.get("duration")
    if duration is None:
        raise UsageError("how long? the file has no 'simulate: {duration: ...}'; give --duration 5")
    chosen: dict[str, Any] = {name: listed(f"--{name}", getattr(arguments, name)) for name in CHOICES}
    chosen |= {name: listed(f"--{name}", getattr(arguments, name), True) for name in ("steps", "tolerances")}
    from ..analysis.compare import compare as run_all

    chosen = {name: value for name, value in chosen.items() if value is not None}
    bar = CountBar(m.name, "way")
    found = run_all(m, duration, **chosen, progress=bar)
    bar.clear()
    if arguments.json:
        sys.stdout.write(json.dumps(json_numbers(asdict(found)), indent=2) + "\n")
    else:
        sys.stdout.write(f"{found}\n")
    writer = Writer()
    if arguments.plot:
        writer.write(arguments.plot, found.plot)
    writer.tell_failures()
    if found.interrupted:
        return codes.INTERRUPTED
    return codes.UNWRITTEN if writer.failures else codes.OK
