"""Time of one 1 ms step of a four-bar with a spring-damper: Jourdain and the peers that are installed.

    python benchmarks/four_bar.py

The answer is checked before it is timed: at 0.5 s, where the coupler runs at 13 m/s, and at 5 s, where the
damper has nearly stopped it, so that errors look small there. Then all take turns in short samples, and the
best of each counts: other work on the computer then disturbs all alike, and hardly the best.

The steps are timed inside the kernel loop (Jourdain) or inside the library's own loop (peers). Neither
building the model nor the first call is in that figure; Jourdain's are printed apart.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from peers import PEERS, STEP, Peer, Sample

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
REFERENCE = HERE.parent / "tests" / "reference" / "P01_fourbar.json"
RESULTS = HERE / "results"

CHECKED_STEPS = (500, 5000)
TIMED_STEPS = 5000  # the whole motion: Newton's iterations depend on how fast it goes
ROUNDS = 15
BUDGET_SECONDS = 50.0
OURS = "Jourdain RK4 + projection"


# --- Jourdain -----------------------------------------------------------------------------------------------


def simulate_jourdain(n_steps: int, every: float) -> Sample:
    """The only place that knows Jourdain's interface."""
    import jourdain as jd

    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    import machines

    duration = n_steps * STEP
    machine = machines.four_bar(spring="AC")
    run = jd.simulate(machine, duration, every=min(every, duration), integrator="rk4", step=STEP)
    x, y = run["coupler.x"][-1], run["coupler.y"][-1]
    return Sample(run.statistics.seconds, run.statistics.steps, float(x), float(y))


def jourdain(name: str, version: str, every: float) -> Peer:
    # RK4 at 1 ms on the crank's angle alone is right to 2e-11; projection may add the tolerance of the loop.
    return Peer(
        name,
        version,
        f'integrator="rk4", output every {every:g} s',
        1e-8,
        lambda n_steps: simulate_jourdain(n_steps, every),
    )


def jourdains() -> list[Peer]:
    try:
        from jourdain.version import __version__
    except ModuleNotFoundError:
        return []
    return [jourdain(OURS, __version__, 0.1), jourdain(OURS + ", end only", __version__, 5.0)]


def time_start() -> dict[str, float]:
    """In a fresh process: seconds for the import, the first call, and the best of some further calls."""
    start = time.perf_counter()
    import jourdain  # noqa: F401

    imported = time.perf_counter() - start
    calls = []
    for _ in range(6):
        start = time.perf_counter()
        simulate_jourdain(TIMED_STEPS, 0.1)
        calls.append(time.perf_counter() - start)
    return {"import": imported, "first call": calls[0], "steady call": min(calls[1:])}


def time_starts() -> dict[str, dict[str, float]]:
    """Twice over one empty cache of compiled code: the first process has to compile, the second finds it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, JOURDAIN_CACHE_DIR=folder)
        command = [sys.executable, str(Path(__file__).resolve()), "--time-start"]
        starts = {}
        for cache in ("empty cache", "filled cache"):
            done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
            starts[cache] = json.loads(done.stdout.splitlines()[-1])
    return starts


# --- Checking and timing ------------------------------------------------------------------------------------


@dataclass
class Contender:
    peer: Peer
    errors: list[float]
    step_times: list[float] = field(default_factory=list)  # microseconds per step

    @property
    def right(self) -> bool:
        return all(error <= self.peer.bar for error in self.errors)  # False for a NaN too

    def record(self) -> dict[str, Any]:
        return {
            "name": self.peer.name,
            "version": self.peer.version,
            "settings": self.peer.settings,
            "errors_m": dict(zip(map(str, CHECKED_STEPS), self.errors, strict=True)),
            "within_bar": self.right,
            "best_us": min(self.step_times, default=None),
            "median_us": statistics.median(self.step_times) if self.step_times else None,
        }


def read_reference(path: Path) -> dict[int, tuple[float, float]]:
    """The coupler's position after the checked numbers of steps."""
    if not path.exists():
        sys.exit(f"{path.name} was not found in {path.parent}: without it no answer can be checked.")
    motion = json.loads(path.read_text())["variants"]["c_spring_AC"]["reference"]
    coupler = motion["bodies"]["body2"]
    rows = {round(t / STEP): row for row, t in enumerate(motion["t"])}
    return {n: (coupler["x"][rows[n]], coupler["y"][rows[n]]) for n in CHECKED_STEPS}


def check(peer: Peer, reference: dict[int, tuple[float, float]]) -> Contender:
    errors = []
    for n_steps, (x, y) in reference.items():
        end = peer.run(n_steps)
        errors.append(max(abs(end.x - x), abs(end.y - y)))
    return Contender(peer, errors)


def take_turns(contenders: list[Contender], rounds: int) -> int:
    """Add one sample of each per round; return the rounds made before the time was up."""
    deadline = time.perf_counter() + BUDGET_SECONDS
    for done in range(rounds):
        if time.perf_counter() > deadline:
            return done
        for contender in contenders:
            sample = contender.peer.run(TIMED_STEPS)
            contender.step_times.append(1e6 * sample.seconds / sample.steps)
    return rounds


# --- Reporting ----------------------------------------------------------------------------------------------


def cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def library_versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for name in ("jourdain", "numpy", "scipy", "numba", "exudyn", "mujoco"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def load_average() -> list[float] | None:
    return [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None


def header() -> dict[str, Any]:
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load_average": load_average(),
        "versions": library_versions(),
    }


def print_header(head: dict[str, Any]) -> None:
    print(f"Four-bar with spring-damper A-C, steps of 1 ms, {head['date']}")
    print(f"{head['cpu']}, {head['cores']} cores, {head['system']}, load average {head['load_average']}")
    print(", ".join(f"{name} {version}" for name, version in head["versions"].items()))


def print_starts(starts: dict[str, dict[str, float]]) -> None:
    print("\nStarting Jourdain, seconds (a call is the whole simulate, 5000 steps)")
    for cache, times in starts.items():
        print(f"  {cache:<13}" + ", ".join(f"{name} {seconds:.3f}" for name, seconds in times.items()))
    cold, filled = (starts[cache]["first call"] for cache in ("empty cache", "filled cache"))
    if cold > 2 * filled:
        print(f"  compiling took {cold - filled:.1f} s, once")
    else:
        print("  no compiling seen")


def print_checks(contenders: list[Contender]) -> None:
    times = ", ".join(f"{n * STEP:g} s" for n in CHECKED_STEPS)
    print(f"\nLargest error of the coupler's x and y after {times}, metres")
    for contender in contenders:
        errors = "  ".join(f"{error:8.1e}" for error in contender.errors)
        verdict = "" if contender.right else f"  above {contender.peer.bar:g}: wrong, not timed"
        print(f"  {contender.peer.name:<36}{errors}{verdict}")


def print_times(contenders: list[Contender], rounds: int) -> None:
    ours = next((min(c.step_times) for c in contenders if c.peer.name == OURS and c.step_times), None)
    print(f"\nMicroseconds per step of 1 ms, best of {rounds} (median), and ratio to Jourdain")
    for contender in contenders:
        if not contender.step_times:
            continue
        best, median = min(contender.step_times), statistics.median(contender.step_times)
        ratio = f"{best / ours:6.2f}" if ours else "     -"
        print(f"  {contender.peer.name:<36}{best:7.2f} ({median:6.2f}) {ratio}   {contender.peer.settings}")


def write_results(content: dict[str, Any]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"four_bar_{datetime.now():%Y%m%d_%H%M%S}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    return path


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="samples of each (%(default)s)")
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="P01_fourbar.json")
    parser.add_argument("--no-start", action="store_true", help="do not time import and compiling")
    parser.add_argument("--time-start", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.time_start:
        print(json.dumps(time_start()))
        return
    head = header()
    print_header(head)
    reference = read_reference(options.reference)

    ours = jourdains()
    if not ours:
        print(f"{OURS}: not installed")
    starts = time_starts() if ours and not options.no_start else {}
    if starts:
        print_starts(starts)

    peers = {name: make() for name, make in PEERS.items()}
    for name in (name for name, peer in peers.items() if peer is None):
        print(f"{name}: not installed, or too old (pip install jourdain[bench])")
    contenders = [check(peer, reference) for peer in (*ours, *peers.values()) if peer is not None]
    print_checks(contenders)
    right = [contender for contender in contenders if contender.right]
    rounds = take_turns(right, options.rounds)
    print_times(right, rounds)

    content = head | {"start_s": starts, "rounds": rounds, "contenders": [c.record() for c in contenders]}
    path = write_results(content)
    print(f"\nWritten to {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
