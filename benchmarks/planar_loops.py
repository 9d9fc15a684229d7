"""Planar linkages in steps of 1 ms: four-bar (b), slider-crank (c), rows of N four-bars (e).

References: tests/reference P01 and P02, and for the rows the equation of their one angle, integrated by scipy.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import jourdain as jd
import machines
from harness import REFERENCE, Contender, Sample, Target, compete, exponent, is_installed
from jourdain.mechanism.parts import Blueprint

STEP = 1e-3
G = 9.81
TIMED = 300  # steps, in which the machines move fastest; short, so that other work misses the best samples
SHORT, LONG = (2, 10, 40), (2, 10, 40, 200)
OURS_RK4, OURS_ALPHA = "Jourdain rk4 + projection", "Jourdain generalized-alpha"
EXUDYN, MUJOCO, QUICK = "Exudyn generalized-alpha", "MuJoCo RK4", "MuJoCo implicitfast"


def centres(run: jd.Solution) -> np.ndarray:
    """x and y of all mass centres at the end."""
    arms = np.array([body.centre for body in run.blueprint.bodies])
    return run.motion.position[-1] + np.einsum("bij,bj->bi", run.motion.frame[-1], arms)


def jourdain(name: str, m: Blueprint, steps: int, checked: int, bar: float, **how: Any) -> Contender:
    """Seconds inside the time loop of the kernels, as `statistics` has them."""

    def run(count: int = steps) -> Sample:
        found = jd.simulate(m, count * STEP, every=count * STEP, step=STEP, **how)
        return Sample(found.statistics.seconds, found.statistics.steps, centres(found))

    words = ", ".join(f"{key}={value}" for key, value in how.items())
    return Contender(name, _checked_first(run, steps, checked), bar, words, ours=True)


def _checked_first(run: Callable[[int], Sample], steps: int, checked: int) -> Callable[[], Sample]:
    """The first call answers for the check, all others are for the clock."""
    calls = iter([checked])
    return lambda: run(next(calls, steps))


def exudyn(m: Blueprint, steps: int, checked: int, bar: float) -> Contender | None:
    import peer_exudyn

    if peer_exudyn.library() is None:
        return None

    def run(count: int) -> Sample:
        seconds, found = peer_exudyn.Linkage(m).generalized_alpha(count, STEP)
        return Sample(seconds, count, found[:, :2])

    return Contender(EXUDYN, _checked_first(run, steps, checked), bar, "fast build, full Newton to 1e-6, radius 0.9")


def mujoco(name: str, m: Blueprint, integrator: str, steps: int, checked: int, bar: float) -> Contender | None:
    if not is_installed("mujoco"):
        return None
    import peer_mujoco

    linkage = peer_mujoco.Linkage(m, integrator, STEP)

    def run(count: int) -> Sample:
        seconds, found = linkage.steps(count)
        return Sample(seconds, count, found)

    return Contender(name, _checked_first(run, steps, checked), bar, "connect, mj_step(nstep), all else off")


def published(file: str, variant: str, t: float) -> np.ndarray:
    motion = json.loads((REFERENCE / f"{file}.json").read_text())["variants"][variant]["reference"]
    row = motion["t"].index(t)
    return np.array([[body["x"][row], body["y"][row]] for body in motion["bodies"].values()])


def four_bar_reference() -> np.ndarray:
    return published("P01_fourbar", "c_spring_AC", 0.5)


def slider_crank_reference() -> np.ndarray:
    return published("P02_slidercrank", "b_spring_B_to_ground_D_at_2sqrt2_0", 0.5)


def row_reference(n: int, t: float) -> np.ndarray:
    """All links are parallel, slender, 1 m, 1 kg: one angle from the horizontal."""
    inertia, moment = (n + 1) / 3 + n, G * ((n + 1) / 2 + n)

    def rates(_: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], -moment * np.cos(y[0]) / inertia

    angle = solve_ivp(rates, (0, t), (np.pi / 2, -1.0), rtol=1e-11, atol=1e-12).y[0, -1]
    along = np.array([np.cos(angle), np.sin(angle)])
    links = [np.array([k, 0]) + along / 2 for k in range(n + 1)]
    return np.array([*links, *(np.array([k + 0.5, 0]) + along for k in range(n))])


def compare(title: str, m: Blueprint, reference: np.ndarray, letter: str, rounds: int) -> dict[str, Any]:
    alpha = {"integrator": "generalized-alpha"}
    targets = [Target(f"{letter}, generalized-alpha", (OURS_ALPHA,), (EXUDYN,), 10, 20)]
    if letter == "b":
        targets.append(Target("b, rk4 with projection", (OURS_RK4,), (MUJOCO,), 4, 8))
    # rk4 at 1 ms is right to 1e-8 on both machines; methods of second order and first to the bars beside them.
    contenders = [
        jourdain(OURS_RK4, m, TIMED, 500, 1e-7, integrator="rk4"),
        jourdain(OURS_ALPHA, m, TIMED, 500, 1e-3, **alpha),
        exudyn(m, TIMED, 500, 1e-3),
        mujoco(MUJOCO, m, "RK4", TIMED, 500, 1e-3),
        mujoco(QUICK, m, "implicitfast", TIMED, 500, 5e-2),
    ]
    return compete(title, "step of 1 ms", contenders, reference, targets, 5 * rounds)


def row(n: int, rounds: int) -> dict[str, Any]:
    m = machines.n_four_bar(n).frozen()
    steps = max(10, 1200 // n)  # a few milliseconds: other work on the computer then misses the best of them
    checked = 100
    contenders = [
        jourdain(OURS_RK4, m, steps, checked, 1e-7, integrator="rk4"),
        jourdain(OURS_ALPHA, m, steps, checked, 1e-4, integrator="generalized-alpha"),
        exudyn(m, steps, checked, 1e-4),
        mujoco(MUJOCO, m, "RK4", steps, checked, 1e-5),
    ]
    targets = [
        Target(f"e, N = {n}, generalized-alpha", (OURS_ALPHA,), (EXUDYN,), 10, 20),
        Target(f"e, N = {n}, rk4", (OURS_RK4,), (MUJOCO,), 2.5, 6),
    ]
    title = f"e. Row of {n} four-bars, {2 * n + 1} bodies"
    return compete(title, "step of 1 ms", contenders, row_reference(n, checked * STEP), targets, rounds)


def run(full: bool, rounds: int) -> dict[str, Any]:
    found = {
        "b": compare(
            "b. Four-bar with spring-damper", machines.four_bar("AC").frozen(), four_bar_reference(), "b", rounds
        ),
        "c": compare("c. Slider-crank", machines.slider_crank().frozen(), slider_crank_reference(), "c", rounds),
    }
    rows = {n: row(n, 2 * rounds) for n in (LONG if full else SHORT)}
    growth = {}
    for name in (OURS_RK4, OURS_ALPHA, EXUDYN, MUJOCO):
        times = {n: next((c["best_us"] for c in r["contenders"] if c["name"] == name), None) for n, r in rows.items()}
        known = {2 * n + 1: t for n, t in times.items() if t is not None and n >= 10}
        if len(known) > 1:
            growth[name] = exponent(list(known), list(known.values()))
            print(f"  {name}: time a step grows with the bodies to the power of {growth[name]:.2f} (from N = 10 on)")
    return found | {f"e{n}": record for n, record in rows.items()} | {"e growth": {"exponents": growth}}
