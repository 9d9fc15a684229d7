"""`jourdain sweep`: one mechanism with many values of its parameters."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np

from ..mechanism.builder import Mechanism
from ..results.many import KINDS
from ..results.status import SimulationWarning
from . import codes
from .codes import UsageError
from .solving import options_of
from .sources import listed, mechanism
from .study_command import study
from .summary import json_numbers
from .writing import Writer, check_target

MOST = 1_000_000  # variants: more are a slip of the pen
OF_STUDIES = ("design", "collect", "into", "cluster", "workers", "plot")  # options that make a sweep a study
ROWS = 20  # variants that are printed


def sweep(arguments: Any) -> int:
    """Simulate all combinations of the values, print how each ended, and write channels if asked to."""
    m = mechanism(arguments.file, arguments.set)
    if any(getattr(arguments, name) for name in OF_STUDIES) or arguments.seed is not None:
        return study(arguments, m)
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
    """Columns of all combinations, the last one changing first."""
    from ..studies.axes import NUMBER
    from ..studies.design import GRID, read_design

    if not written:
        raise UsageError("nothing varies; give --vary k=100:300:50")
    design = read_design(m.frozen(), written, GRID, 0)
    words = [axis.name for axis in design.axes if axis.kind != NUMBER]
    if words:
        raise UsageError(f"--vary {words[0]}: choices and files vary in studies; say what to --collect of each run")
    if design.count > MOST:
        raise UsageError(
            f"these are more than {MOST} variants; vary less, in larger steps, or --collect numbers of them"
        )
    return {name: np.asarray(column) for name, column in design.columns().items()}


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
