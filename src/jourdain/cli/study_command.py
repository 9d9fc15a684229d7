"""`jourdain sweep` with --collect, --into and their like: a study."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

from ..mechanism.builder import Mechanism
from ..results.many import KINDS
from ..results.status import SimulationWarning
from . import codes
from .codes import UsageError
from .solving import options_of
from .sources import listed
from .summary import json_numbers
from .writing import PICTURES, Writer, check_target


def study(arguments: Any, m: Mechanism) -> int:
    """Run the study, print its best and worst variants with the commands that run them again."""
    if not isinstance(m, Mechanism):
        raise UsageError("studies are of mechanisms; a file with subsystems can be run with --set, one by one")
    for path in arguments.output:
        check_target("-o", path, KINDS, arguments.file)
    if arguments.plot:
        check_target("--plot", arguments.plot, PICTURES)
    if arguments.end:
        raise UsageError("--end keeps ends of channels; of a study say --collect 'name=final(CHANNEL)'")
    options = {key: value for key, value in options_of(arguments, m).items() if value is not None}
    from ..studies.study import study as run_study

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", SimulationWarning)
        found = run_study(
            m,
            vary=arguments.vary,
            design=arguments.design or "grid",
            collect=arguments.collect,
            channels=listed("--channels", arguments.channels) or (),
            into=arguments.into,
            cluster=arguments.cluster,
            workers=arguments.workers,
            seed=arguments.seed or 0,
            **options,
        )
    for warning in told:
        if "did not complete" not in str(warning.message):  # which the summary says
            sys.stderr.write(f"jourdain: note: {warning.message}\n")
    writer = Writer()
    for path in arguments.output:
        writer.write(path, found.save)
    if arguments.plot:
        writer.write(arguments.plot, lambda path: found.plot(path=path))
    sys.stdout.write(_json(found) if arguments.json else f"{found}\n")
    writer.tell_failures()
    if found.interrupted:
        return codes.INTERRUPTED
    if found.failed:
        return codes.FAILED
    return codes.UNWRITTEN if writer.failures else codes.OK


def _json(found: Any) -> str:
    variants = []
    for k in range(len(found)):
        variant = found.variant(k)
        collected = {name: value.tolist() for name, value in variant.collected.items()}
        variants.append({**variant.values, "ok": variant.ok, "sentence": variant.sentence, **collected})
    return json.dumps(json_numbers({"mechanism": found.name, "variants": variants}), indent=2) + "\n"
