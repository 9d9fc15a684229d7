"""Checkpoints with a right checksum and anything in them: refused, or no other run; and nothing ends the process."""

from __future__ import annotations

import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator

from campaign import FOLDER, ROOT, Outcome

WILD = 1000  # of each session


def checkpoints(options: Namespace) -> Iterator[Outcome]:
    """A part for each session of tests/crafted_checkpoints.py, in a process of its own; `--only` takes their names."""
    folders = [str(ROOT / "tests"), str(ROOT / "examples")]
    names = f"import sys; sys.path[:0] = {folders}; import crafted_checkpoints as c; print(*c.SESSIONS)"
    listed = subprocess.run([sys.executable, "-c", names], capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        if options.only and name not in options.only:
            continue
        log, begun = FOLDER / f"checkpoints-{name}.log", time.perf_counter()
        code = f"""
import sys
sys.path[:0] = {folders}
import crafted_checkpoints as c
print(c.all_heads(c.marked({name!r})), "heads refused", flush=True)
print(c.all_numbers(c.marked({name!r})), "numbers refused", flush=True)
c.wild({name!r}, {WILD}, {options.seed})
print("alive")
"""
        with log.open("w") as file:
            done = subprocess.run([sys.executable, "-c", code], stdout=file, stderr=subprocess.STDOUT)
        lines = log.read_text().splitlines() or [""]
        ok = done.returncode == 0 and lines[-1] == "alive"
        words = f"{', '.join(lines[-3:-1])}, {WILD} wild ones" if ok else f"ended with {done.returncode}: {lines[-1]}"
        yield Outcome(name, ok, words, time.perf_counter() - begun, log)
