"""Two states of the source side by side: python benchmarks/before_after.py OLD/src NEW/src [--python P Q] [--rounds 3]

In each round both get a process of their own, and solve the same problems in turns; the best time of each counts. The
first call of a problem in a process compiles or loads, and is not timed. A ratio is the old time over the new one:
above one the new source is faster. Machines come from the examples and benchmarks beside this file, for both. `apart`
is how far the answers are from each other. A first run of the four-bar is timed with an empty cache, too.

On a computer that does other work take `--cpu`: seconds of the processor, all threads, instead of those of the clock on
the wall. Linear algebra has one thread, since threads that wait for each other there are timed otherwise.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TURNS = 3  # of each in a round, in every problem
LEAST_SECONDS, FEWEST, MOST = 0.08, 2, 200  # of a turn, and calls in it
RK4: dict[str, Any] = {"integrator": "rk4", "step": 1e-3}
ALPHA: dict[str, Any] = {"integrator": "generalized-alpha", "step": 1e-3}
Call = Callable[[], Any]


# Problems: each prepares a call that returns numbers to compare -------------------------------------------------------


def of(where: str, *args: Any) -> Any:
    """What a function of the examples or the benchmarks makes."""
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(module), name)(*args)


def motion(make: Call, duration: float, **how: Any) -> Callable[[], Call]:
    def prepared() -> Call:
        import jourdain as jd

        m = make()
        m = m.frozen() if hasattr(m, "frozen") else m
        return lambda: jd.simulate(m, duration, progress=False, **how).motion.position[-1]

    return prepared


def chain(planar: bool) -> Any:
    return of("chains:mechanism", of("chains:chain", 100, planar), planar)


def many() -> Call:
    import jourdain as jd

    m, variants = of("pendulum:double_pendulum"), of("batches:pendulum_variants", 1000)
    return lambda: jd.simulate_many(m, 1.0, variants, rtol=1e-8, keep="end", progress=False)["bar1.angle"][:, -1]


def sensitivity() -> Call:
    import jourdain as jd

    m = of("machines:four_bar")
    return lambda: jd.sensitivity(m, "spring.stiffness", of="crank.angle", duration=1.0)["crank.angle"][-1]


def statics(make: Call) -> Callable[[], Call]:
    def prepared() -> Call:
        import jourdain as jd

        m = make()
        angles = [f"{body.name}.angle" for body in m.frozen().bodies]
        return lambda: [jd.statics(m)[name] for name in angles]

    return prepared


def modes(make: Call) -> Callable[[], Call]:
    def prepared() -> Call:
        import jourdain as jd

        m = make()
        return lambda: sorted(mode.frequency for mode in jd.modes(m))

    return prepared


def row(n: int) -> Call:
    return lambda: of("machines:n_four_bar", n)


def four_bar() -> Any:
    return of("machines:four_bar")


PROBLEMS: dict[str, Callable[[], Call]] = {
    "four-bar, auto": motion(four_bar, 5.0),
    "four-bar, rk4": motion(four_bar, 2.0, **RK4),
    "four-bar, generalized-alpha": motion(four_bar, 2.0, **ALPHA),
    "double pendulum, auto": motion(lambda: of("machines:double_pendulum"), 5.0),
    "Bricard's loop, auto": motion(lambda: of("spatial_loops:bricard"), 0.5),
    "Bricard's loop, rk4": motion(lambda: of("spatial_loops:bricard"), 0.5, **RK4),
    "Stewart platform, auto": motion(lambda: of("spatial_loops:stewart"), 0.5),
    "Stewart platform, rk4": motion(lambda: of("spatial_loops:stewart"), 0.5, **RK4),
    "row of 10 four-bars, auto": motion(row(10), 0.5),
    "row of 10 four-bars, rk4": motion(row(10), 0.5, **RK4),
    "row of 40 four-bars, auto": motion(row(40), 0.2),
    "row of 40 four-bars, rk4": motion(row(40), 0.2, **RK4),
    "chain of 100 in the plane, relative": motion(lambda: chain(True), 0.1, coordinates="relative", **RK4),
    "chain of 100 in space, relative": motion(lambda: chain(False), 0.1, coordinates="relative", **RK4),
    "1000 double pendulums": many,
    "sensitivity of the four-bar": sensitivity,
    "statics of the four-bar": statics(four_bar),
    "modes of the four-bar": modes(four_bar),
    "modes of a row of 10": modes(row(10)),
}


# In the process of one source -----------------------------------------------------------------------------------------


def work(clock: Callable[[], float]) -> None:
    """Names in, one a line; times and answers out, as JSON."""
    import numpy as np

    import harness  # noqa: F401  (the examples can be imported from now on)

    ready: dict[str, Call] = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in ready:
                ready[name] = PROBLEMS[name]()
                ready[name]()
            seconds, answer = turn(ready[name], clock)
            numbers = np.atleast_1d(np.asarray(answer, dtype=float)).ravel().tolist()
            found: dict[str, Any] = {"seconds": seconds, "answer": numbers}
        except Exception as error:  # noqa: BLE001  (a problem that one source cannot solve is told, others go on)
            found = {"words": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(found), flush=True)


def turn(call: Call, clock: Callable[[], float]) -> tuple[float, Any]:
    """The best of some calls, in seconds, and what the last one answered."""
    best, begun, done = math.inf, time.perf_counter(), 0
    while done < FEWEST or (done < MOST and time.perf_counter() - begun < LEAST_SECONDS):
        before = clock()
        answer = call()
        best, done = min(best, clock() - before), done + 1
    return best, answer


# Side by side ---------------------------------------------------------------------------------------------------------

FIRST = """
import sys, time
begun = time.perf_counter()
sys.path.insert(0, {examples!r})
import jourdain as jd, machines
jd.simulate(machines.four_bar(), 1.0)
print(time.perf_counter() - begun)
"""


class Source:
    """A source tree and the Python that runs it."""

    def __init__(self, path: str, python: str) -> None:
        self.path, self.python = Path(path).resolve(), python
        if not (self.path / "jourdain" / "__init__.py").is_file():
            raise SystemExit(f"{path} has no jourdain in it; expected the src folder of a checkout")
        self.best: dict[str, float] = {}
        self.answers: dict[str, list[float]] = {}
        self.words: dict[str, str] = {}

    def _environment(self, **more: str) -> dict[str, str]:
        return dict(os.environ, PYTHONPATH=str(self.path), OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1", **more)

    def begin(self, *how: str) -> None:
        """A fresh process."""
        command = [self.python, str(HERE / "before_after.py"), "--work", *how]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, env=self._environment(), text=True, **pipes)

    def end(self) -> None:
        self._process.communicate()

    def solve(self, name: str) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline() or '{"words": "the process ended"}')
        if "words" in found:
            self.words[name] = found["words"]
        else:
            self.best[name] = min(found["seconds"], self.best.get(name, math.inf))
            self.answers[name] = found["answer"]

    def first_run(self) -> float:
        """Seconds of a first run, import and compiling included."""
        code = FIRST.format(examples=str(HERE.parent / "examples"))
        with tempfile.TemporaryDirectory() as cache:
            how: dict[str, Any] = {"env": self._environment(JOURDAIN_CACHE_DIR=cache), "capture_output": True}
            done = subprocess.run([self.python, "-c", code], check=True, text=True, **how)
        return float(done.stdout.splitlines()[-1])


def take_turns(old: Source, new: Source, names: list[str], rounds: int, *how: str) -> None:
    for done in range(rounds):
        pair = (old, new) if done % 2 == 0 else (new, old)
        for source in pair:
            source.begin(*how)
        for name in names:
            for _ in range(TURNS):
                for source in pair:
                    source.solve(name)
        for source in pair:
            source.end()


def table(old: Source, new: Source, names: list[str]) -> list[str]:
    """A line for each problem, and what they come to."""
    lines = [f"{'':<40}{'old ms':>10}{'new ms':>10}{'old/new':>9}{'apart':>10}"]
    ratios = {}
    for name in names:
        words = old.words.get(name) or new.words.get(name)
        if words:
            lines.append(f"{name:<40}not compared: {words}")
            continue
        before, after = old.best[name], new.best[name]
        ratios[name] = before / after
        pairs = list(zip(old.answers[name], new.answers[name], strict=False))
        apart = max((abs(x - y) for x, y in pairs), default=math.nan)
        lines.append(f"{name:<40}{1e3 * before:10.3f}{1e3 * after:10.3f}{before / after:9.3f}{apart:10.1e}")
    if ratios:
        mean = math.exp(math.fsum(map(math.log, ratios.values())) / len(ratios))
        worst = min(ratios, key=ratios.__getitem__)
        lines.append(f"geometric mean {mean:.3f}; smallest {ratios[worst]:.3f} ({worst})")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sources", nargs="*", metavar="SRC", help="src folders of the old and the new checkout")
    parser.add_argument("--python", nargs=2, metavar="P", default=[sys.executable] * 2, help="interpreters for them")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each, in turns (%(default)s)")
    parser.add_argument("--only", metavar="WORDS", default="", help="problems whose names have these words in them")
    parser.add_argument("--cpu", action="store_true", help="seconds of the processor, not of the clock on the wall")
    parser.add_argument("--no-first", action="store_true", help="leave out the first run with an empty cache")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(time.process_time if options.cpu else time.perf_counter)
        return
    if len(options.sources) != 2:
        parser.error("expected two src folders, the old one first")
    old, new = (Source(path, python) for path, python in zip(options.sources, options.python, strict=True))
    names = [name for name in PROBLEMS if options.only in name]
    take_turns(old, new, names, options.rounds, *(["--cpu"] if options.cpu else []))
    print("\n".join(table(old, new, names)), flush=True)
    if not options.no_first:
        firsts = [(old.first_run(), new.first_run()) for _ in range(options.rounds)]
        before, after = (min(times) for times in zip(*firsts, strict=True))
        print(f"first run of the four-bar with an empty cache: old {before:.1f} s, new {after:.1f} s")


if __name__ == "__main__":
    main()
