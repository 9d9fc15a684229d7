"""Random machines, two thousand of them: the default against two other coordinate sets, and against Newton and Euler.

A quarter goes through batches and sessions, too. What comes near a singular position and disagrees is counted apart;
what was stopped or refused was so with a sentence, which stands in the log.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator

from campaign import FOLDER, ROOT, Outcome, in_process

COUNT, PIECE = 2000, 100  # machines; in a process of their own
OTHER_WAYS = 4  # one in so many goes through batches and sessions

CODE = """
import sys
from collections import Counter
sys.path[:0] = {folders}
from machine_trial import WRONG, trial
verdicts = Counter()
for seed in range({first}, {last}):
    verdict, words = trial(seed, seed % {ways} == 0)
    verdicts[verdict] += 1
    print(words, flush=True)
print(", ".join(f"{{count}} {{verdict}}" for verdict, count in verdicts.most_common()))
sys.exit(WRONG in verdicts)
"""


def machines(options: Namespace) -> Iterator[Outcome]:
    """A part for each hundred machines, seeds from `--seed` times 100,000 on; `--only` takes the numbers of parts."""
    folders = [str(ROOT / name) for name in ("soak", "tests", "examples")]
    for part, begin in enumerate(range(0, options.count or COUNT, PIECE)):
        if options.only and str(part) not in options.only:
            continue
        first = 100_000 * options.seed + begin
        last = first + min(PIECE, (options.count or COUNT) - begin)
        log, begun = FOLDER / f"machines-{part}.log", time.perf_counter()
        code = CODE.format(folders=folders, first=first, last=last, ways=OTHER_WAYS)
        ok, said = in_process(code, log)
        yield Outcome(str(part), ok, f"seeds {first} to {last - 1}: {said}", time.perf_counter() - begun, log)
