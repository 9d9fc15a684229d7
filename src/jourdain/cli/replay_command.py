"""`jourdain replay`: a recording of a live machine once more, and whether it came out the same."""

from __future__ import annotations

import sys
from typing import Any

from ..results.table_files import KINDS as TABLES
from . import codes
from .writing import FILMS, CountBar, Writer, check_target


def replay(arguments: Any) -> int:
    """Repeat, compare, write."""
    from ..live.past_samples import joined, pieces_between
    from ..live.replaying import Replay

    for path in arguments.output:
        check_target("-o", path, TABLES, arguments.file)
    for path in arguments.animate:
        check_target("--animate", path, FILMS)
    repeated = Replay.open(arguments.file)
    engine = repeated.run()
    writer = Writer()
    if arguments.output or arguments.animate:
        first = engine.timeline.marks[0].n
        pieces = pieces_between(engine, first, engine.timeline.end, arguments.every)
        table, drawn = joined(pieces), joined(pieces, held=True)
        if len(pieces) > 1:
            words = f"there are {len(pieces)} structures in it, each from the moment of its change"
            sys.stderr.write(f"jourdain: {words}; films show the joints of the last\n")
        for path in arguments.output:
            writer.write(path, lambda p: table.save(p))
        for path in arguments.animate:
            bar = CountBar(path)
            writer.write(path, lambda p, bar=bar: drawn.animate(p, progress=bar))  # type: ignore[misc]
    sys.stdout.write(f"{repeated.sentence}\n")
    for path in writer.written:
        sys.stdout.write(f"wrote {path}\n")
    writer.tell_failures()
    if repeated.diverged and arguments.verify:
        return codes.FAILED
    return codes.UNWRITTEN if writer.failures else codes.OK
