"""Studies that are large or often killed: a million pendulums, and a study killed at ten moments of a real process."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator

from campaign import FOLDER, Outcome, in_process

MILLION = """
import resource, sys, tempfile, time
import numpy as np
import jourdain as jd

m = jd.example("pendulum")
given = dict(vary={{"bar.spin": (0.0, 1.0)}}, design="latin:1000000", collect="max(A.load)", every=0.02)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
small = dict(given, design="latin:10000")
with tempfile.TemporaryDirectory() as folder:
    jd.study(m, 0.2, into=folder + "/small", **small)
    before, begun = peak(), time.perf_counter()
    found = jd.study(m, 0.2, into=folder + "/large", **given)
    seconds, after = time.perf_counter() - begun, peak()
    count, failed = len(found), found.failed
print(f"{{count}} variants in {{seconds:.0f}} s, {{failed}} failed, {{after - before:.0f}} MB above {{before:.0f}} MB")
sys.exit(failed > 0 or count != 1_000_000)
"""

KILLED = """
import random, subprocess, sys, tempfile, time
from pathlib import Path
import jourdain as jd

WORK = '''
import sys
import jourdain as jd
jd.study(jd.example("four_bar"), 2.0, vary={{"k": "100:300", "crank.mass": "1:3"}}, design="latin:40000",
         collect={{"peak": "max(A.load)", "end": "final(coupler.x)"}}, every=0.02, into=sys.argv[1])
'''
rng = random.Random({seed})

def pieces(folder):
    return {{p.name: p.stat().st_mtime_ns for p in Path(folder).glob("pieces/*.npz")}}

with tempfile.TemporaryDirectory() as folder:
    whole, killed = folder + "/whole", folder + "/killed"
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", WORK, whole], check=True)
    span, computed = time.perf_counter() - begun, 0
    for _ in range(10):
        before = pieces(killed)
        process = subprocess.Popen([sys.executable, "-c", WORK, killed])
        time.sleep(1.5 + rng.uniform(0.0, 0.12) * span)
        process.kill(); process.wait()
        after = pieces(killed)
        assert before.items() <= after.items(), "a piece was computed twice"
        computed += len(after) - len(before)
    subprocess.run([sys.executable, "-c", WORK, killed], check=True)
    a, b = jd.load_results(whole), jd.load_results(killed)
    same = all(a[name].tobytes() == b[name].tobytes() for name in a.names)
    print(f"{{computed}} of {{len(pieces(killed))}} pieces before the last go, same bits: {{same}}")
sys.exit(not same)
"""


def studies(options: Namespace) -> Iterator[Outcome]:
    """`million` and `killed`, which `--only` takes by name."""
    for name, code in (("million", MILLION), ("killed", KILLED)):
        if options.only and name not in options.only:
            continue
        log, begun = FOLDER / f"studies-{name}.log", time.perf_counter()
        ok, said = in_process(code.format(seed=options.seed), log)
        yield Outcome(name, ok, said, time.perf_counter() - begun, log)
