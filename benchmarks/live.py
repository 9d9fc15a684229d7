"""Live machines (v): what a hand, an edit, a number and a frame cost, how far hands are followed, how much fits.

    python benchmarks/run.py --only v

The machines are the four-bar, a free body, a double pendulum, the Stewart platform and rows of four-bars. Every row of
the table is measured here; MuJoCo stands beside where it can do the same work: pulling a four-bar, whose loop it closes
softly, and compiling a changed model. Edits and bodies are measured in time of the processor, of which a live machine
uses one: on a computer that does nothing else that is the time on the wall.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import jourdain as jd
import machines
import peer_mujoco
from jourdain.files.gallery import path
from jourdain.live.beginning import begin
from sessions import kernel_clock

FRAME, STEP = 1 / 60, 1e-3
SHARE = 0.7  # of a frame
PIN_C = {"type": "revolute", "between": ["coupler.C", "rocker.C"]}
# At most, or at least where the last is True.
MUST: dict[str, tuple[float, str, bool]] = {
    "largest gap while dragged": (1e-10, "of the size", False),
    "tracking, free body": (2.0, "%", False),
    "tracking, double pendulum": (2.0, "%", False),
    "edit to next frame, four-bar": (1e3 * FRAME, "ms", False),
    "edit to next frame, Stewart platform": (3e3 * FRAME, "ms", False),
    "grab to next frame": (1e3 * FRAME, "ms", False),
    "release to next frame": (1e3 * FRAME, "ms", False),
    "parameter to next step": (50.0, "us", False),
    "frame beside the kernel": (100.0, "us", False),
    "bodies at 60 Hz, rk4": (750.0, "bodies", True),
    "bodies at 60 Hz, generalized-alpha": (2000.0, "bodies", True),
    "ten minutes of history": (10.0, "MB", False),
    "ten minutes of pulling": (10.0, "MB", False),
}


class Clock:
    """Seconds that go on when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def begun(source: Any, **choices: Any) -> tuple[Any, Callable[..., None]]:
    """A live machine that plays, and a function that makes a frame, with something to do before it."""
    clock = Clock()
    live = begin(source, clock=clock, warm=False, **choices)
    live.play()

    def frame(before: Callable[[], None] = lambda: None) -> None:
        clock.now += FRAME
        before()
        live.tick()

    return live, frame


def free_body() -> jd.Mechanism:
    m = jd.Mechanism("free", gravity=(0, 0))
    m.body("a", mass=1, inertia=0.1, position=(0, 0), velocity=(0, 0), spin=0, points={"P": (0, 0)})
    return m


def double_pendulum() -> jd.Mechanism:
    m = jd.Mechanism("double", gravity=(0, -9.81))
    points = {"A": (-0.25, 0), "P": (0.25, 0)}
    one = m.body("one", mass=1, inertia=0.02, position=(0.25, 0), angle=0, points=points)
    two = m.body("a", mass=1, inertia=0.02, position=(0.5, -0.25), angle=-np.pi / 2, points=points)
    m.revolute("O", m.ground.point("O", (0, 0)), one["A"])
    m.revolute("J", one["P"], two["A"])
    return m


def tracking(make: Callable[[], jd.Mechanism]) -> float:
    """% of the radius by which a hand that circles at 1 Hz is missed."""
    live, frame = begun(make(), step=STEP)
    hand, start, radius, worst = live.grab("a.P"), live[["a.P.x", "a.P.y"]], 0.2, 0.0
    for k in range(1, 240):
        now = k * FRAME
        turn = 2 * np.pi * now
        aim = start + radius * min(1.0, now) ** 2 * np.array([np.cos(turn), np.sin(turn)])
        if now > 2:
            worst = max(worst, float(np.linalg.norm(live[["a.P.x", "a.P.y"]] - aim)))
        frame(lambda aim=aim: hand.move(aim))  # type: ignore[misc]
    return 100 * worst / radius


def dragged() -> float:
    """The largest gap of a four-bar that is pulled to and fro, of its size."""
    live, frame = begun(path("four_bar"))
    rng, worst = np.random.default_rng(1), 0.0
    hand, base = live.grab("coupler.C"), live[["coupler.C.x", "coupler.C.y"]]
    size = live._engine.structure.session.prepared.model.size
    for k in range(600):
        if k % 6 == 0:
            aim = base + rng.uniform(-2, 2, 2)
        hand.move(aim)
        frame()
        worst = max(worst, live["violation.position"] / size)
    return worst


def edits(source: Any, operations: list[dict[str, Any]], rounds: int) -> list[float]:
    """Milliseconds of the processor from an operation to the end of the next frame; of several the slowest."""
    live, frame = begun(source)
    for _ in range(10):
        frame()
    found: list[list[float]] = [[] for _ in operations]
    for _ in range(rounds):
        for operation, times in zip(operations, found, strict=True):
            begun_at = time.thread_time()
            outcome = live.apply(operation)
            frame()
            times.append(1e3 * (time.thread_time() - begun_at))
            if not outcome:
                raise RuntimeError(f"{operation}: {outcome.sentence}")
            for _ in range(30):
                frame()
    return max(found, key=min)


def grabs(rounds: int, release: bool) -> list[float]:
    """Milliseconds of the processor from taking hold of a four-bar, or letting go, to the end of the next frame."""
    live, frame = begun(path("four_bar"))
    frame()
    found = []
    for _ in range(rounds):
        begun_at = time.thread_time()
        hand = live.grab("coupler.C")
        frame()
        held_at = time.thread_time()
        hand.release()
        frame()
        found.append(1e3 * (time.thread_time() - held_at if release else held_at - begun_at))
    return found


def parameter(rounds: int) -> list[float]:
    """Microseconds until a number that a slider sets acts in the next step."""
    live, frame = begun(path("four_bar"))
    frame()
    found = []
    for k in range(20 * rounds):
        operation = {"do": "set", "number": "k", "value": 200.0 + k % 50}
        begun_at = time.perf_counter()
        live.apply(operation)
        found.append(1e6 * (time.perf_counter() - begun_at))
        frame()
    return found


def overhead(rounds: int) -> list[float]:
    """Microseconds of a frame that are not the kernel's."""
    _, frame = begun(path("four_bar"))
    frame()
    found = []
    with kernel_clock() as clock:
        for _ in range(40 * rounds):
            clock.seconds, begun_at = 0.0, time.perf_counter()
            frame()
            found.append(1e6 * (time.perf_counter() - begun_at - clock.seconds))
    return found


def bodies(integrator: str) -> float:
    """Bodies of the largest row of four-bars whose frame costs no more than 70 % of its time."""
    found = 0.0
    for links in (100, 200, 300, 350, 375, 400, 500, 700, 1000, 1500, 2000, 2500):
        m = machines.n_four_bar(links)
        count = len(m.frozen().bodies)
        session = jd.session(m, integrator=integrator, step=STEP)
        session.through(STEP * np.arange(1, 3))
        costs = []
        for _ in range(3):
            begun_at = time.thread_time()
            session.through(session.t + STEP * np.arange(1, 17))
            costs.append(time.thread_time() - begun_at)
        if min(costs) > SHARE * FRAME:
            break
        found = float(count)
    return found


def history() -> float:
    """Megabytes that ten minutes of a four-bar take."""
    live, _ = begun(path("four_bar"))
    live._engine.advance(16)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(600):
        live._engine.advance(1000)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before) / 1e6


def pulled_history() -> float:
    """The same with a hand that circles and never lets go."""
    live, frame = begun(path("four_bar"))
    hand, base = live.grab("coupler.C"), live[["coupler.C.x", "coupler.C.y"]]
    frame()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    while live.t < 600.0:
        turn = 2 * np.pi * 0.7 * live.t
        hand.move(base + 0.3 * np.array([np.cos(turn), np.sin(turn)]))
        frame()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before) / 1e6


def mujoco_beside() -> dict[str, float]:
    """MuJoCo: the gap of a four-bar that is pulled as hard, and the time to compile a changed model."""
    library = peer_mujoco.library()
    if library is None:
        return {}
    linkage = peer_mujoco.Linkage(machines.four_bar().frozen(), "implicitfast", STEP)
    model, data = linkage.model, library.MjData(linkage.model)
    body, rng, worst = model.body("coupler").id, np.random.default_rng(1), 0.0
    library.mj_forward(model, data)
    base = data.xipos[body].copy()
    aim = base.copy()
    for k in range(10_000):
        if k % 100 == 0:
            aim = base + np.array([*rng.uniform(-2, 2, 2), 0.0])
        # The spring of its viewer: the mass of the machine at the body, at 8 Hz.
        w, mass = 2 * np.pi * 8, 9.0
        data.xfrc_applied[body, :3] = mass * (w**2 * (aim - data.xipos[body]) - 2 * w * data.cvel[body, 3:])
        library.mj_step(model, data)
        worst = max(worst, float(np.max(np.abs(data.efc_pos), initial=0.0)))
    spec = library.MjSpec.from_string(linkage._text("implicitfast", STEP))
    model = spec.compile()
    data = library.MjData(model)
    times = []
    for k in range(20):
        added = spec.worldbody.add_body(name=f"more{k}")
        added.add_geom(type=library.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0])
        begun_at = time.perf_counter()
        model, data = spec.recompile(model, data)
        times.append(1e3 * (time.perf_counter() - begun_at))
    return {"largest gap while dragged": worst, "edit to next frame, four-bar": min(times)}


def run(full: bool, rounds: int) -> dict[str, Any]:
    cut = [{"do": "remove", "part": "joints.C"}, {"do": "insert", "part": "joints.C", "value": PIN_C}]
    push = {"type": "force", "on": "platform.T1", "vector": [1, 0, 0]}
    load = [{"do": "insert", "part": "forces.F", "value": push}, {"do": "remove", "part": "forces.F"}]
    print("\nv. Live machines; best and median where times are meant")
    found: dict[str, Any] = {}
    measured: dict[str, Callable[[], float | list[float]]] = {
        "largest gap while dragged": dragged,
        "tracking, free body": lambda: tracking(free_body),
        "tracking, double pendulum": lambda: tracking(double_pendulum),
        "edit to next frame, four-bar": lambda: edits(path("four_bar"), cut, max(2, rounds // 2)),
        "edit to next frame, Stewart platform": lambda: edits(path("stewart_platform"), load, max(2, rounds // 4)),
        "grab to next frame": lambda: grabs(rounds, release=False),
        "release to next frame": lambda: grabs(rounds, release=True),
        "parameter to next step": lambda: parameter(rounds),
        "frame beside the kernel": lambda: overhead(rounds),
        "bodies at 60 Hz, rk4": lambda: bodies("rk4"),
        "bodies at 60 Hz, generalized-alpha": lambda: bodies("generalized-alpha"),
        "ten minutes of history": history,
        "ten minutes of pulling": pulled_history,
    }
    beside = mujoco_beside()
    for name, measure in measured.items():
        values = measure()
        listed = values if isinstance(values, list) else [values]
        found[name] = _judged(name, min(listed), statistics.median(listed), beside.get(name))
    return {"v": found}


def _judged(name: str, best: float, median: float, peer: float | None) -> dict[str, Any]:
    must, unit, least = MUST[name]
    enough = best >= must if least else best <= must
    verdict = f"{'at least' if least else 'at most'} {must:.4g}: {'enough' if enough else 'MISSED'}"
    other = "" if peer is None else f"   MuJoCo {peer:.3g}"
    print(f"  {name:<38}{best:11.4g} ({median:9.4g}) {unit:<12}{verdict}{other}", flush=True)
    return {"best": best, "median": median, "must": must, "unit": unit, "mujoco": peer}
