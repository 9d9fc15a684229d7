"""Start-up (j): import, a first run with nothing compiled, a first run from the cache, a further run; each afresh."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from harness import HERE

CODE = """
import json, sys, time
begun = time.perf_counter()
import jourdain as jd
imported = time.perf_counter() - begun
sys.path.insert(0, {examples!r})
import machines
m = machines.{machine}
times = []
for _ in range(3):
    begun = time.perf_counter()
    jd.simulate(m, 1.0)
    times.append(time.perf_counter() - begun)
print(json.dumps({{"import": imported, "first": times[0], "further": min(times[1:])}}))
"""
MACHINES = {"planar": "four_bar('AC')", "spatial": "spatial_four_bar()"}
MUST = {"planar": (15.0, 1.5), "spatial": (None, 1.5)}


def times(machine: str, cache: str) -> dict[str, float]:
    code = CODE.format(examples=str(HERE.parent / "examples"), machine=machine)
    environment = dict(os.environ, JOURDAIN_CACHE_DIR=cache)
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def run(full: bool, rounds: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    print("\nj. Start-up, seconds")
    for name, machine in MACHINES.items() if full else list(MACHINES.items())[:1]:
        with tempfile.TemporaryDirectory() as cache:
            cold = times(machine, cache)
            warm = min((times(machine, cache) for _ in range(3)), key=lambda t: t["import"] + t["first"])
        record = {
            "import": warm["import"],
            "cold": cold["import"] + cold["first"],
            "warm": warm["import"] + warm["first"],
            "further run": warm["further"],
        }
        print(f"  {name}: " + ", ".join(f"{key} {value:.3f}" for key, value in record.items()))
        found[name] = record | {"must": dict(zip(("cold", "warm"), MUST[name], strict=True))}
    return {"j": found}
