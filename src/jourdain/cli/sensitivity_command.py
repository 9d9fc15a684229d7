"""`jourdain sensitivity`."""

from __future__ import annotations

import json
import sys
from typing import Any

from . import codes
from .codes import UsageError
from .solving import CHOICES, options_of
from .sources import listed, mechanism
from .summary import json_numbers
from .writing import Writer, check_target


def sensitivity(arguments: Any) -> int:
    """Derivatives of channels by parameters: a table of the last ones, and all as CSV where asked for."""
    by = [name for text in arguments.by for name in listed("--by", text) or ()]
    of = [name for text in arguments.of for name in listed("--of", text) or ()]
    for option, names in (("--by k", by), ("--of slider.x", of)):
        if not names:
            raise UsageError(f"derivatives of what, by what? give {option}")
    if arguments.output:
        check_target("-o", arguments.output, (".csv",), arguments.file)
    m = mechanism(arguments.file, arguments.set)
    if arguments.analysis == "statics":
        options = {name: getattr(arguments, name) for name in (*CHOICES, "duration", "every", "step", "rtol", "atol")}
    else:
        options = options_of(arguments, m)
    from ..analysis.sensitivity import sensitivity as derive

    found = derive(m, by, of, analysis=arguments.analysis, **options)
    writer = Writer()
    if arguments.output:
        writer.write(arguments.output, found.to_csv)
    if arguments.json:
        facts = {
            "mechanism": found.name,
            "analysis": found.analysis,
            "t": float(found.t[-1]),
            "parameters": dict(found.parameters),
            "values": {name: float(array[-1]) for name, array in found.values.items()},
            "derivatives": {name: {p: found.final[name, p] for p in by} for name in of},
        }
        sys.stdout.write(json.dumps(json_numbers(facts), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(f"{found}\n")
    writer.tell_failures()
    return codes.UNWRITTEN if writer.failures else codes.OK
