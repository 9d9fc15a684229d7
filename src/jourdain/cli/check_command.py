"""`jourdain check` and `jourdain compare`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from ..mechanism.builder import Mechanism
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
        motions = isinstance(m, Mechanism) and m.frozen().motions
        driven = f"{DRIVEN}\n" if found.freedoms == 0 and motions else ""
        sys.stdout.write(f"{m.name}: no faults\n{found}\n{driven}")
    return codes.OK


def _coupled(found: Any, arguments: Any) -> int:
    """Of a system its couplings were compared."""
    if arguments.plot:
        raise UsageError("--plot does nothing for a system: its couplings are compared in a table")
    text = json.dumps(json_numbers(asdict(found)), indent=2) if arguments.json else str(found)
    sys.stdout.write(f"{text}\n")
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
    if not isinstance(m, Mechanism):
        return _coupled(run_all(m, duration, **chosen), arguments)
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
