"""`jourdain sweep`: one mechanism with many values of its parameters."""

from __future__ import annotations

import json
import sys
import warnings
from itertools import product
from typing import Any

import numpy as np

from ..library.number_units import unit_of_number
from ..mechanism.builder import Mechanism
from ..mechanism.units import UnitError, quantity
from ..results.many import KINDS
from ..results.status import SimulationWarning
from . import codes
from .codes import UsageError
from .solving import options_of
from .sources import listed, mechanism
from .summary import json_numbers
from .writing import Writer, check_target

MOST = 1_000_000  # variants: more are a slip of the pen
ROWS = 20  # variants that are printed


def sweep(arguments: Any) -> int:
    """Simulate all combinations of the values, print how each ended, and write channels if asked to."""
    m = mechanism(arguments.file, arguments.set)
    for path in arguments.output:
        check_target("-o", path, KINDS, arguments.file)
    variants = _combinations(m, arguments.vary)
    channels = listed("--channels", arguments.channels)
    options = options_of(arguments, m)
    if arguments.end:
        if options["every"] is not None:
            raise UsageError("--end keeps the end alone; --every does nothing beside it")
        options["keep"] = "end"
    from ..analysis.simulate_many import simulate_many

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # what failed is printed
        many = simulate_many(m, variants=variants, channels=channels, **options)
    writer = Writer()
    for path in arguments.output:
        writer.write(path, lambda p: many.save(p, channels))
    shown = channels or []
    if arguments.json:
        facts = [
            {**many.values_of(k), "ok": status.ok, "status": status.sentence}
            | {name: float(many[name][k, -1]) for name in shown}
            for k, status in enumerate(many.statuses)
        ]
        sys.stdout.write(json.dumps(json_numbers({"mechanism": m.name, "variants": facts}), indent=2) + "\n")
    else:
        sys.stdout.write(f"{many}\n{_table(many, shown)}")
    writer.tell_failures()
    if any(status.interrupted for status in many.statuses):
        return codes.INTERRUPTED
    if not many.ok.all():
        return codes.FAILED
    return codes.UNWRITTEN if writer.failures else codes.OK


def _combinations(m: Mechanism, written: list[str]) -> dict[str, Any]:
    """`k=100:300:50` and `crank.spin=0,1,2` to columns of all combinations, the last one changing first."""
    columns: dict[str, Any] = {}
    for text in written:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            raise UsageError(f"--vary {text!r}: expected NAME=FROM:TO:STEP or NAME=A,B,C")
        if name in columns:
            raise UsageError(f"--vary {name} is given twice")
        columns[name] = _values(text, values, unit_of_number(m.frozen(), name))
    if not columns:
        raise UsageError("nothing varies; give --vary k=100:300:50")
    if np.prod([float(len(column)) for column in columns.values()]) > MOST:
        raise UsageError(f"these are more than {MOST} variants; vary less, or in larger steps")
    rows = np.array(list(product(*columns.values())))
    return dict(zip(columns, rows.T, strict=True))


def _values(text: str, values: str, units: str) -> list[float]:
    words = values.split(":" if ":" in values else ",")
    try:
        numbers = [quantity(word, units) for word in words]
        if ":" in values:
            first, last, step = numbers
    except ValueError as error:
        said = f" ({error})" if isinstance(error, UnitError) else ""
        raise UsageError(f"--vary {text!r}: expected numbers, as FROM:TO:STEP or A,B,C{said}") from None
    bare = [word for word in words if _is_bare(word)]
    if len(bare) < len(words) and (lacks := [word for word in bare if float(word) != 0.0]):
        raise UsageError(f"--vary {text!r}: {lacks[0].strip()} has no unit, though others have; expected one at each")
    if ":" not in values:
        return numbers
    if step == 0 or (last - first) / step < 0 or not np.isfinite((last - first) / step):
        raise UsageError(f"--vary {text!r}: steps of {step:g} do not lead from {first:g} to {last:g}")
    count = (last - first) / step
    if count > MOST:
        raise UsageError(f"--vary {text!r}: these are more than {MOST} values")
    return [first + step * k for k in range(int(count * (1 + 1e-12)) + 1)]


def _is_bare(word: str) -> bool:
    """Whether a number has no unit."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _table(many: Any, channels: list[str]) -> str:
    """Values of each variant and channels at its end."""
    heads = [*many.values, *channels]
    lines = ["  ".join(f"{head:>14}" for head in ["variant", *heads])] if channels else []
    for k in range(min(len(many), ROWS) if channels else 0):
        numbers = [many.values[key][k] for key in many.values] + [many[name][k, -1] for name in channels]
        lines.append("  ".join([f"{k:>14}", *(f"{number:>14.6g}" for number in numbers)]))
    if channels and len(many) > ROWS:
        lines.append(f"... and {len(many) - ROWS} more; -o sweep.csv writes them all")
    return "\n".join(lines) + "\n" if lines else ""
