"""`jourdain cycle`."""

from __future__ import annotations

import json
import sys
from typing import Any

from ..results.table_files import KINDS as TABLES
from . import codes
from .sources import listed, mechanism, number_or_text
from .summary import json_numbers
from .writing import PICTURES, Writer, check_target


def cycle(arguments: Any) -> int:
    """The steady cycle, and the inertia that a joint needs."""
    for path in arguments.output:
        check_target("-o", path, TABLES, arguments.file)
    plots = [name for text in arguments.plot for name in listed("--plot", text) or ()]
    if plots:
        check_target("--plot-to", arguments.plot_to, PICTURES)
    m = mechanism(arguments.file, arguments.set)
    from ..analysis.cycle import cycle as analyse

    period, fluctuation = (v and number_or_text(v) for v in (arguments.period, arguments.fluctuation))
    found = analyse(m, period=period, joint=arguments.joint, fluctuation=fluctuation)
    writer = Writer()
    for path in arguments.output:
        writer.write(path, lambda p: found.run.save(p, None, arguments.units))
    if plots:
        writer.write(arguments.plot_to, lambda p: found.run.plot(*plots, path=p, units=arguments.units))
    table = found.run.maxima(units=arguments.units) if arguments.maxima else None
    if arguments.json:
        kept = {name: getattr(found, name) for name in ("period", "joint", "speed", "fluctuation", "load", "inertia")}
        kept |= {"maxima": table.as_dicts()} if table else {}
        sys.stdout.write(json.dumps(json_numbers({**kept, "files": writer.written}), indent=2) + "\n")
    else:
        sys.stdout.write(f"{found}\n" + (f"\n{table}\n" if table else ""))
    writer.tell_failures()
    return codes.UNWRITTEN if writer.failures else codes.OK
