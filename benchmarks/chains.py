"""One evaluation of forward dynamics of chains of pins: Jourdain, and Pinocchio and MuJoCo where installed.

    python benchmarks/chains.py

Chains of 10 and 100 links, in the plane and in space, with random links and states: all get the same numbers, and the
accelerations are compared before anything is timed. Then all take turns in short samples, and the best of each counts:
other work on the computer then disturbs all alike, and hardly the best. Every call is made from Python, with the result
left in an array that exists already (Pinocchio and MuJoCo have it in their data); Jourdain's call that returns
a new array is timed beside it. Pinocchio's call costs 0.8 us by itself. Wanted: twice as fast as both in space, eight
times in the plane.

Then the growth with the number of links, from 100 to 10,000, and time and memory to compile such a chain (wanted: below
5 s, and linear), and its inverse dynamics undone by forward dynamics. At last four branches in two threads, by size.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from importlib import metadata
from typing import Any

import numpy as np

import jourdain as jd
from four_bar import HERE, RESULTS, header
from jourdain.compiled import branches
from jourdain.compiled.branches import SPLIT_FROM
from jourdain.mechanism.attitude import matrix_from_quaternion

SIZES = (10, 100)
WANTED = {"spatial": 2, "planar": 8}  # times as fast as both peers
COMPILE_SECONDS = 5  # for the longest chain, at most
BUNCHES = (500, 1000, 2000, 4000, 8000)
GROWTH = (100, 1000, 10_000)
ROUNDS = 60
SAMPLE_SECONDS = 0.004
AGREEMENT = 1e-9  # of the largest acceleration; all are O(n) recursions without iteration
GRAVITY = 9.81
OURS, OURS_NEW = "Jourdain, out=", "Jourdain, new array"


# --- The chains ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """Joint point and axes in the axes of the link before, mass properties in own axes; pins turn about z."""

    point: np.ndarray
    axes: np.ndarray
    mass: float
    centre: np.ndarray
    inertia: np.ndarray  # about the mass centre


def chain(links: int, planar: bool, seed: int = 1) -> list[Bar]:
    rng = np.random.default_rng(seed)
    bars = []
    for k in range(links):
        axes = np.eye(3) if planar else matrix_from_quaternion(rng.normal(size=4))
        flat = np.array([1.0, 1.0, 0.0 if planar else 1.0])
        masses = 0.1 * rng.uniform(1, 2, size=6)
        places = rng.normal(size=(6, 3)) * 0.3
        middle = masses @ places / masses.sum()
        arms = places - middle
        inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
        point = np.zeros(3) if k == 0 else flat * (np.array([0.6, 0, 0]) + 0.1 * rng.normal(size=3))
        bars.append(Bar(point, axes, float(masses.sum()), flat * (middle + np.array([0.3, 0, 0])), inertia))
    return bars


def state(links: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return rng.uniform(-1, 1, size=links), rng.uniform(-1, 1, size=links)


# --- Contenders: each returns a call and the array it fills ---------------------------------------------------

Call = tuple[tuple[Any, ...], Callable[[], np.ndarray]]  # the call is a function and its arguments


def mechanism(bars: list[Bar], planar: bool) -> jd.Mechanism:
    """The chain as it stands at zero angles."""
    dim = 2 if planar else 3
    m = jd.Mechanism("chain", gravity=(0, -GRAVITY) if planar else (0, 0, -GRAVITY))
    place, frame = np.zeros(3), np.eye(3)
    handle = m.ground
    for k, bar in enumerate(bars):
        place, frame = place + frame @ bar.point, frame @ bar.axes
        I = bar.inertia
        own: dict[str, Any] = (
            {"inertia": I[2, 2], "angle": 0.0}
            if planar
            else {"inertia": I[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], "matrix": frame}
        )
        port = handle.point(
            f"out{k}", bar.point[:dim], **({} if planar else {"x": bar.axes[:, 0], "z": bar.axes[:, 2]})
        )
        handle = m.body(f"b{k}", mass=bar.mass, centre=bar.centre[:dim], position=place[:dim], **own)
        m.revolute(
            f"j{k}", port, handle.point("inner", np.zeros(dim), **({} if planar else {"x": (1, 0, 0), "z": (0, 0, 1)}))
        )
    return m


def jourdain(bars: list[Bar], planar: bool, new: bool = False) -> Call:
    tree = jd.tree(mechanism(bars, planar))
    q, v = state(len(bars))
    f, out = tree.accelerations, np.zeros(len(bars))
    if new:
        return (f, 0.0, q, v), (lambda: f(0.0, q, v))
    return (f, 0.0, q, v, None, out), (lambda: out)


def pinocchio(bars: list[Bar], planar: bool) -> Call:
    import pinocchio as pin

    model, last = pin.Model(), 0
    model.gravity.linear = np.array([0, -GRAVITY, 0]) if planar else np.array([0, 0, -GRAVITY])
    for k, bar in enumerate(bars):
        last = model.addJoint(last, pin.JointModelRZ(), pin.SE3(bar.axes, bar.point), f"j{k}")
        model.appendBodyToJoint(last, pin.Inertia(bar.mass, bar.centre, bar.inertia), pin.SE3.Identity())
    data, (q, v), tau = model.createData(), state(len(bars)), np.zeros(len(bars))
    return (pin.aba, model, data, q, v, tau), (lambda: np.array(data.ddq))


def mujoco(bars: list[Bar], planar: bool) -> Call:
    import mujoco as mj

    text = []
    for bar in bars:
        I = bar.inertia
        full = " ".join(f"{x:.17g}" for x in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))
        x, y = (" ".join(f"{c:.17g}" for c in bar.axes[:, k]) for k in (0, 1))
        at, centre = (" ".join(f"{c:.17g}" for c in p) for p in (bar.point, bar.centre))
        text.append(
            f'<body pos="{at}" xyaxes="{x} {y}"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{centre}" mass="{bar.mass:.17g}" fullinertia="{full}"/>'
        )
    gravity = f"0 {-GRAVITY} 0" if planar else f"0 0 {-GRAVITY}"
    option = f'<option gravity="{gravity}"><flag contact="disable" constraint="disable"/></option>'
    xml = f"<mujoco>{option}<worldbody>{''.join(text)}{'</body>' * len(bars)}</worldbody></mujoco>"
    model = mj.MjModel.from_xml_string(xml)
    data = mj.MjData(model)
    data.qpos[:], data.qvel[:] = state(len(bars))
    return (mj.mj_forward, model, data), (lambda: np.array(data.qacc))


PEERS = {"Pinocchio aba": ("pin", pinocchio), "MuJoCo mj_forward": ("mujoco", mujoco)}


# --- Checking and timing ------------------------------------------------------------------------------------


@dataclass
class Contender:
    name: str
    call: tuple[Any, ...]
    result: Callable[[], np.ndarray]
    repeats: int = 1
    error: float = 0.0
    times: list[float] = field(default_factory=list)  # microseconds a call

    def __post_init__(self) -> None:
        """The call as it would be written, with nothing around it."""
        names = {f"a{k}": argument for k, argument in enumerate(self.call[1:])}
        self.timer = timeit.Timer(f"f({', '.join(names)})", globals={"f": self.call[0], **names})

    def sample(self) -> None:
        self.times.append(1e6 * self.timer.timeit(self.repeats) / self.repeats)


def contenders(bars: list[Bar], planar: bool) -> list[Contender]:
    found = [Contender(OURS, *jourdain(bars, planar)), Contender(OURS_NEW, *jourdain(bars, planar, new=True))]
    for name, (package, build) in PEERS.items():
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            print(f"{name}: not installed (pip install {package})")
            continue
        found.append(Contender(name, *build(bars, planar)))
    reference = None
    for contender in found:
        contender.sample()
        result = contender.result()
        reference = result if reference is None else reference
        contender.error = float(np.max(np.abs(result - reference)) / np.max(np.abs(reference)))
        contender.times.clear()
    return found


def take_turns(found: list[Contender], rounds: int) -> None:
    for contender in found:
        contender.sample()
        contender.repeats = max(1, int(SAMPLE_SECONDS / (1e-6 * contender.times[-1])))
        contender.times.clear()
    for _ in range(rounds):
        for contender in found:
            contender.sample()


def compare(space: str, links: int, rounds: int) -> dict[str, Any]:
    found = contenders(chain(links, space == "planar"), space == "planar")
    wrong = [c.name for c in found if not c.error < AGREEMENT]
    print(f"\n{space}, {links} links: microseconds an evaluation, best of {rounds} (median), and ratio to {OURS}")
    if wrong:
        print(f"  not timed, for {', '.join(wrong)} disagree")
        return {"space": space, "links": links, "disagree": wrong}
    take_turns(found, rounds)
    ours = min(found[0].times)
    for c in found:
        best, median = min(c.times), statistics.median(c.times)
        print(f"  {c.name:<22}{best:8.3f} ({median:8.3f}) {best / ours:7.2f}   agrees to {c.error:.0e}")
    peers = [min(c.times) for c in found if c.name in PEERS]
    ratios = {c.name: min(peers) / min(c.times) for c in found if c.name not in PEERS} if peers else {}
    for name, ratio in ratios.items():
        verdict = f"{WANTED[space]} wanted{'' if ratio >= WANTED[space] else ': NOT MET'}"
        print(f"  {name}: {ratio:.1f} times as fast as the faster peer ({verdict})")
    times = {c.name: {"best_us": min(c.times), "median_us": statistics.median(c.times)} for c in found}
    return {"space": space, "links": links, "times": times, "ratios": ratios}


def growth(space: str, rounds: int) -> dict[str, Any]:
    """Time and memory over number of links, and the exponent that fits the time."""
    found, building, memory = [], [], []
    for links in GROWTH:
        bars = chain(links, space == "planar")
        blueprint = mechanism(bars, space == "planar").frozen()
        begun = time.perf_counter()
        tree = jd.tree(blueprint)
        building.append(time.perf_counter() - begun)
        memory.append(sum(array.nbytes for array in tree.model.arrays.values()) / links)
        q, v = state(links)
        found.append(Contender(str(links), (tree.accelerations, 0.0, q, v, None, np.zeros(links)), lambda q=q: q))
    take_turns(found, rounds)
    best = [min(c.times) for c in found]
    exponent = float(np.polyfit(np.log(GROWTH), np.log(best), 1)[0])
    listed = ", ".join(f"{n}: {us:.1f}" for n, us in zip(GROWTH, best, strict=True))
    met = "" if building[-1] < COMPILE_SECONDS else ": NOT MET"
    print(f"  {space:<8} us by links {listed}; exponent {exponent:.3f}")
    print(f"  {'':<8} {GROWTH[-1]} links compiled in {building[-1]:.2f} s (below {COMPILE_SECONDS} wanted{met})")
    print(f"  {'':<8} bytes of tables a link: {', '.join(f'{size:.0f}' for size in memory)}")
    error = inverse_error(tree, GROWTH[-1])
    print(f"  {'':<8} forward after inverse dynamics: accelerations of size 1 return to {error:.0e}")
    return {
        "space": space,
        "best_us": dict(zip(map(str, GROWTH), best, strict=True)),
        "exponent": exponent,
        "compile_s": building[-1],
        "bytes_a_link": memory,
        "inverse_error": error,
    }


def inverse_error(tree: Any, links: int) -> float:
    q, _ = state(links)
    v, a = np.random.default_rng(3).normal(size=(2, links)) * [[0.01], [1.0]]
    return float(np.max(np.abs(tree.accelerations(0.0, q, v, tree.inverse(0.0, q, v, a)) - a)))


def bunch(space: str, links: int, branches: int = 4) -> jd.Mechanism:
    """Chains side by side on the ground."""
    planar = space == "planar"
    m = jd.Mechanism("bunch", gravity=(0, -GRAVITY) if planar else (0, 0, -GRAVITY))
    zero = (0.0,) * (2 if planar else 3)
    inertia = 0.1 if planar else (0.1, 0.1, 0.1)
    for b in range(branches):
        port = m.ground.point(f"O{b}", zero)
        for k in range(links // branches):
            bar = m.body(f"b{b}_{k}", mass=1, inertia=inertia, points={"A": zero, "B": (0.5, *zero[1:])})
            m.revolute(f"j{b}_{k}", port, bar["A"])
            port = bar["B"]
    return m


def threads(space: str, rounds: int) -> dict[str, Any]:
    """Gain of two threads over one, by links. One after the other, not in turns: threads that wait fall asleep."""
    gains = {}
    for links in BUNCHES:
        blueprint = bunch(space, links).frozen()
        with_threads = SPLIT_FROM | {space: 1}
        before, branches.SPLIT_FROM = branches.SPLIT_FROM, with_threads
        trees = [jd.tree(blueprint, threads=count) for count in (1, 2)]
        branches.SPLIT_FROM = before
        q, v = np.random.default_rng(4).uniform(-1, 1, size=(2, links))
        found = [Contender("", (tree.accelerations, 0.0, q, v), lambda q=q: q) for tree in trees]
        if not np.array_equal(*(c.call[0](0.0, q, v) for c in found)):
            print(f"  {space}, {links} links: threads give another result")
            continue
        for contender in found:
            contender.repeats = 20
            for _ in range(rounds):
                contender.sample()
        one, two = (min(c.times) for c in found)
        gains[links] = one / two
        print(f"  {space:<8} {links:>5} links: {one:7.1f} us in one thread, {two:7.1f} in two, gain {one / two:.2f}")
    print(f"  {space:<8} used from {SPLIT_FROM[space]} links on")
    return {"space": space, "gains": gains}


def time_start() -> dict[str, float]:
    """Seconds to make a first tree, compiled code from the cache or not, and a further one."""
    bars = chain(10, False)
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        jd.tree(mechanism(bars, False)).accelerations(0.0, *state(10))
        times.append(time.perf_counter() - begun)
    return {"first tree": times[0], "further tree": times[1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="samples of each (%(default)s)")
    options = parser.parse_args()
    head = header()
    print(f"Forward dynamics of chains of pins, {head['date']}")
    print(f"{head['cpu']}, {head['cores']} cores, {head['system']}, load average {head['load_average']}")
    start = time_start()
    print(f"first tree {start['first tree']:.2f} s, further tree of 10 links {1e3 * start['further tree']:.1f} ms")
    content = head | {"start_s": start}
    spaces = ("spatial", "planar")
    content["evaluations"] = [compare(space, links, options.rounds) for space in spaces for links in SIZES]
    print("\nGrowth of Jourdain's time")
    content["growth"] = [growth(space, max(5, options.rounds // 4)) for space in spaces]
    print("\nFour branches in threads")
    content["threads"] = [threads(space, options.rounds) for space in spaces]
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"chains_{datetime.now():%Y%m%d_%H%M%S}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    print(f"\nWritten to {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
