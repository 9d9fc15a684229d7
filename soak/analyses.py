"""Kinematics, inverse dynamics, statics, modes and sensitivities of 300 random machines each, against plain numpy.

Machines that were refused or are near a singular position are counted apart, and others take their places.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator

from campaign import FOLDER, ROOT, Outcome, in_process

COUNT = 300
NAMES = ("kinematics", "inverse-dynamics", "statics", "modes", "sensitivity")

CODE = """
import sys
sys.path[:0] = {folders}
from analysis_trials import survey
right, apart, wrong = survey({name!r}, {first}, {count})
others = "".join(f", {{n}} {{why}}" for why, n in apart.most_common())
print(f"{{right}} right, {{wrong}} wrong{{others}}")
sys.exit(bool(wrong))
"""


def analyses(options: Namespace) -> Iterator[Outcome]:
    """A part for each analysis, which `--only` takes by name; seeds go up from `--seed` times 100,000."""
    folders = [str(ROOT / name) for name in ("soak", "tests", "examples")]
    for name in NAMES:
        if options.only and name not in options.only:
            continue
        log, begun = FOLDER / f"analyses-{name}.log", time.perf_counter()
        first = 100_000 * options.seed
        code = CODE.format(folders=folders, name=name, first=first, count=options.count or COUNT)
        ok, said = in_process(code, log)
        yield Outcome(name, ok, f"seeds from {first}: {said}", time.perf_counter() - begun, log)
