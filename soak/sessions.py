"""Sessions: every gallery machine in every integrator and recipe, bit for bit as `simulate`, also when restored."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterator

from campaign import FOLDER, ROOT, Outcome


def sessions(options: Namespace) -> Iterator[Outcome]:
    """A part for each machine; `--only` takes names of machines."""
    sys.path.insert(0, str(ROOT / "tests"))
    import session_ways

    machines: dict[str, list[str]] = {}
    for machine, way in session_ways.all_ways():
        machines.setdefault(machine, []).append(way)
    for machine, ways in machines.items():
        if options.only and machine not in options.only:
            continue
        log, begun, failed = FOLDER / f"sessions-{machine}.log", time.perf_counter(), 0
        with log.open("w") as file:
            for way in ways:
                try:
                    found = session_ways.check(machine, way)
                except Exception as error:  # noqa: BLE001  (told in the log; the campaign goes on)
                    found = f"{type(error).__name__}: {error}"
                failed += bool(found)
                file.write(f"{way}: {found or 'the same bits'}\n")
                file.flush()
        words = f"{len(ways) - failed} of {len(ways)} ways give the same bits"
        yield Outcome(machine, not failed, words, time.perf_counter() - begun, log)
