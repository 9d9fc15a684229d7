"""Loops where they close (o): the cost of an evaluation and of a step in joint coordinates as loops become many.

Rows of four-bars close at the ground, scissor lifts at their bars, grids share bars among loops. Accelerations are
compared with `kkt` in coordinates of bodies first. Then rows of four-bars through all their singular positions, for
10 s, against their exact motion, beside MuJoCo's rk4 at 1 ms where it is installed.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import jourdain as jd
import machines
from harness import exponent
from jourdain.assembly.prepare import prepare
from jourdain.engine.body_states import body_motion
from jourdain.engine.pose import Pose
from peer_mujoco import Linkage, library

SIZES, ALL = (20, 60, 200), (20, 40, 100, 200, 400)
SAME = 1e-10  # of the largest acceleration
RIGHT = 1e-7  # m


def bar(m: Any, name: str, start: tuple[float, float], end: tuple[float, float]) -> Any:
    """A slender bar of 1 kg a metre with points L and R at its ends and C in the middle."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    length = float(np.hypot(dx, dy))
    body = m.body(
        name, mass=length, inertia=length**3 / 12, position=(x + dx / 2, y + dy / 2), angle=np.arctan2(dy, dx)
    )
    for point, at in (("L", -length / 2), ("C", 0.0), ("R", length / 2)):
        body.point(point, (at, 0))
    return body


def scissor_lift(stages: int) -> Any:
    """Crossed bars, stage on stage: loops close at bars."""
    m = jd.Mechanism(f"scissor lift of {stages}", gravity=(0, -9.81))
    w, h = 1.0, 0.4
    below: list[Any] = []
    for k in range(stages):
        up = bar(m, f"u{k}", (0, k * h), (w, (k + 1) * h))
        down = bar(m, f"d{k}", (w, k * h), (0, (k + 1) * h))
        m.revolute(f"C{k}", up["C"], down["C"])
        if below:
            m.revolute(f"A{k}", below[1]["R"], up["L"])
            m.revolute(f"B{k}", below[0]["R"], down["L"])
        else:
            m.revolute("A", m.ground.point("A", (0, 0)), up["L"])
            m.point_on_line("B", m.ground.point("B", (0, 0)), down["L"])
        below = [up, down]
    return m


def grid(columns: int, rows: int) -> Any:
    """A lattice of bars pinned at its nodes, hung by its upper edge: every loop shares bars with its neighbours."""
    m = jd.Mechanism(f"grid of {columns} x {rows}", gravity=(3, -9.81))
    nodes: dict[tuple[int, int], list[Any]] = {}
    for j in range(rows + 1):
        for i in range(columns + 1):
            if i < columns and j > 0:
                beam = bar(m, f"h{i}_{j}", (i, -j), (i + 1, -j))
                nodes.setdefault((i, j), []).append(beam["L"])
                nodes.setdefault((i + 1, j), []).append(beam["R"])
            if j < rows:
                post = bar(m, f"v{i}_{j}", (i, -j), (i, -j - 1))
                nodes.setdefault((i, j), []).append(post["L"])
                nodes.setdefault((i, j + 1), []).append(post["R"])
    for (i, j), ends in nodes.items():
        first = m.ground.point(f"G{i}", (i, 0)) if j == 0 else ends.pop(0)
        for k, end in enumerate(ends):
            m.revolute(f"n{i}_{j}_{k}", first, end)
    return m


def accelerations(m: Any, coordinates: str) -> tuple[np.ndarray, float]:
    """Of all mass centres, in m/s^2; and microseconds an evaluation."""
    prepared = prepare(m.frozen(), coordinates)
    pose, y = Pose(prepared.model, prepared.workspace), prepared.assembly.y
    best = np.inf
    for _ in range(30):
        begun = time.perf_counter()
        _, slope = pose.slope(0.0, y)
        best = min(best, time.perf_counter() - begun)
    return body_motion(prepared.model, y[None], slope[None, prepared.model.layout.v])[5][0], 1e6 * best


def rounding(m: Any) -> float:
    """What accelerations by `kkt` change by, of the largest, where the pose changes in its last digits: at most ten."""
    prepared = prepare(m.frozen(), "angle")
    pose, y, layout = Pose(prepared.model, prepared.workspace), prepared.assembly.y, prepared.model.layout
    rng, found = np.random.default_rng(0), pose.slope(0.0, y)[1][layout.v].copy()
    nudged = y.copy()
    nudged[layout.q] += 10 * np.spacing(np.abs(y[layout.q])) * rng.uniform(-1, 1, size=y[layout.q].size)
    pose.project(0.0, nudged)
    return float(np.max(np.abs(pose.slope(0.0, nudged)[1][layout.v] - found)) / np.max(np.abs(found)))


def step(m: Any) -> float:
    """Microseconds of processor time a step of rk4 with projection."""
    best, session = np.inf, jd.session(m, integrator="rk4", step=1e-4, coordinates="relative")
    session.step(2)
    for _ in range(5):
        begun = time.process_time()
        session.step(40)
        best = min(best, (time.process_time() - begun) / 40)
    return 1e6 * best


def growth(name: str, make: Callable[[int], Any], sizes: tuple[int, ...]) -> dict[str, Any]:
    evaluations, steps = [], []
    for n in sizes:
        m = make(n)
        found, cost = accelerations(m, "relative")
        true, _ = accelerations(m, "angle")
        off = np.max(np.abs(found - true)) / np.max(np.abs(true))
        if not off < SAME:
            print(f"  {name}, {n}: off by {off:.1e}, where rounding the pose makes {rounding(m):.1e} in bodies alone")
        evaluations.append(cost)
        steps.append(step(m))
    powers = [exponent((sizes[0], sizes[-1]), (values[0], values[-1])) for values in (evaluations, steps)]
    print(
        f"  {name:<34}"
        + ", ".join(f"{n}: {e:.1f} / {s:.1f}" for n, e, s in zip(sizes, evaluations, steps, strict=True))
    )
    print(f"  {'':<34}us an evaluation / a step; exponents {powers[0]:.2f} and {powers[1]:.2f}")
    return {"sizes": list(sizes), "evaluation us": evaluations, "step us": steps, "exponents": powers}


def exact(n: int, t: np.ndarray) -> np.ndarray:
    """Angle of all links of a row of n four-bars, which move as one."""
    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    ways = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": t}
    return solve_ivp(lambda t, y: [y[1], -weight * np.cos(y[0]) / inertia], (0, t[-1]), [np.pi / 2, -1.0], **ways).y[0]


def crossing(n: int, coordinates: str | None) -> tuple[float, float]:
    """Processor seconds for 10 s through all singular positions, and the largest error in metres."""
    m = machines.n_four_bar(n)
    jd.simulate(m, 1.0, coordinates=coordinates)
    begun = time.process_time()
    run = jd.simulate(m, 10.0, coordinates=coordinates)
    spent = time.process_time() - begun
    angle = exact(n, run.t)
    off = max(float(np.max(np.abs(run[f"link{k}.x"] - k - 0.5 * np.cos(angle)))) for k in range(n + 1))
    return spent, off


def run(full: bool, rounds: int) -> dict[str, Any]:
    print("\no. loops where they close, joint coordinates")
    sizes = ALL if full else SIZES
    kinds: dict[str, tuple[Callable[[int], Any], tuple[int, ...]]] = {
        "rows of four-bars (ground)": (machines.n_four_bar, sizes),
        "scissor lifts (bars)": (scissor_lift, sizes),
        "grids 4 wide, N / 4 long (shared)": (lambda n: grid(4, n // 4), sizes),
        "grids as wide as long (shared)": (lambda n: grid(round(n**0.5), round(n**0.5)), sizes),
    }
    found: dict[str, Any] = {name: growth(name, make, wanted) for name, (make, wanted) in kinds.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for coordinates in ("angle", "relative"):
            spent = {n: crossing(n, coordinates) for n in (40, 400)}
            words = ", ".join(f"N = {n}: {s:.2f} s, off by {off:.1e} m" for n, (s, off) in spent.items())
            ratio = spent[400][0] / spent[40][0]
            print(f"  through singular positions for 10 s, {coordinates}: {words}; ratio {ratio:.1f}")
            if not max(off for _, off in spent.values()) < RIGHT:
                print("  that is not right")
            found[f"crossing, {coordinates}"] = {str(n): list(pair) for n, pair in spent.items()}
    if library() is not None:
        peer, begun = Linkage(machines.n_four_bar(40).frozen(), "RK4", 1e-3), time.process_time()
        peer.steps(10_000)
        seconds = time.process_time() - begun
        found["crossing, MuJoCo rk4"] = seconds
        print(f"  MuJoCo's rk4 at 1 ms, N = 40: {seconds:.2f} s")
    return {"o": found}
