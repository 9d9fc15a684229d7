"""1000 variants (g) of a double pendulum and of a four-bar, 10 s each: end states kept, and 200 samples of each kept.

Equal work: the same variants, the same error at the end, all cores. Jourdain: one call of `simulate_many`, everything
in it timed; in vector lanes, which it takes by itself for so many, and once without them. Exudyn: one process for each
core with its share of the variants, systems built beforehand, only their solving timed, at the tolerance that gives the
error of ours. MuJoCo: `mujoco.rollout` on all cores at 1 ms with RK4, models made beforehand; it has no error control.
Every variant's end is checked against a run at a tight tolerance.
"""

from __future__ import annotations

import copy
import multiprocessing
import os
import time
from typing import Any

import numpy as np

import jourdain as jd
import machines
from harness import Contender, Sample, Target, compete, is_installed
from pendulum import ANGLES, G, double_pendulum

SECONDS = 10.0
COUNT = 1000
FEW = 16  # variants that MuJoCo does: its time is the same for all
STEP = 1e-3
BAR = 1e-4  # rad or m, of any variant
OURS_END, OURS_ALL = "Jourdain simulate_many, ends", "Jourdain simulate_many, 200 samples"
RELATIVE, ALONE = ", relative", ", no lanes"
EXUDYN, MUJOCO = "Exudyn DOPRI5, a process a core", "MuJoCo rollout, RK4"


def spins(count: int) -> np.ndarray:
    return np.linspace(-1.0, 1.0, count)


def pendulum_variants(count: int) -> dict[str, Any]:
    """The upper bar starts with a spin, the lower one moves along without turning."""
    w = spins(count)
    along = np.array([np.cos(ANGLES[0]), np.sin(ANGLES[0])])
    across = np.array([-along[1], along[0]])
    return {"bar0.spin": w, "bar0.velocity": w[:, None] * across / 2, "bar1.velocity": w[:, None] * across}


def four_bar_variants(count: int) -> dict[str, Any]:
    return {"spring.stiffness": np.linspace(100.0, 300.0, count)}


def ours(name: str, m: Any, variants: dict[str, Any], channels: list[str], rtol: float, **how: Any) -> Contender:
    count = len(next(iter(variants.values())))

    def run() -> Sample:
        begun = time.perf_counter()
        many = jd.simulate_many(m, SECONDS, variants, rtol=rtol, progress=False, **how)
        seconds = time.perf_counter() - begun
        return Sample(seconds, count, np.array([many[name][:, -1] for name in channels]).T)

    return Contender(name, run, BAR, f"rtol {rtol:.0e}, {os.cpu_count()} threads", ours=True)


# Exudyn ------------------------------------------------------------------------------------------------------------


def _exudyn_share(values: Any, tolerance: float, every: float | None) -> tuple[float, list[Any]]:
    """In a process of its own: seconds to solve its share, and the angles at the end."""
    import peer_exudyn

    made = [peer_exudyn.Pendulum([1, 1], [1, 1], [1 / 12] * 2, ANGLES, (w, 0.0), G) for w in values]
    begun = time.perf_counter()
    angles = [pendulum.dopri5(SECONDS, tolerance, every)[1] for pendulum in made]
    return time.perf_counter() - begun, angles


def exudyn(count: int, tolerance: float, every: float | None) -> Contender | None:
    if not is_installed("exudyn"):
        return None
    cores = os.cpu_count() or 1
    pool = multiprocessing.get_context("spawn").Pool(cores)
    shares = np.array_split(spins(count), cores)

    def run() -> Sample:
        found = pool.starmap(_exudyn_share, [(share, tolerance, every) for share in shares])
        return Sample(max(seconds for seconds, _ in found), count, np.array([a for _, part in found for a in part]))

    return Contender(EXUDYN, run, BAR, f"tolerance {tolerance:.0e}, {cores} processes, set-up not timed")


# MuJoCo ------------------------------------------------------------------------------------------------------------


def mujoco_rollout(m: Any, count: int, change: Any, answer: Any) -> Contender | None:
    """`change(model, data, k)` makes variant k; `answer(model, data)` reads its end."""
    if not is_installed("mujoco"):
        return None
    import mujoco
    from mujoco import rollout

    import peer_mujoco

    linkage = peer_mujoco.Linkage(m, "RK4", STEP)
    models, starts = [], []
    picked = np.linspace(0, count - 1, min(count, FEW)).astype(int)
    for k in picked:
        model, data = copy.deepcopy(linkage.model), mujoco.MjData(linkage.model)
        data.qvel[:] = linkage.start
        change(model, data, k)
        models.append(model)
        start = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        starts.append(start)
    cores = os.cpu_count() or 1
    datas = [mujoco.MjData(models[0]) for _ in range(cores)]
    steps = round(SECONDS / STEP)

    def run() -> Sample:
        begun = time.perf_counter()
        states, _ = rollout.rollout(models, datas, np.array(starts), nstep=steps)
        seconds = time.perf_counter() - begun
        found = []
        for model, end in zip(models, states[:, -1], strict=True):
            data = mujoco.MjData(model)
            mujoco.mj_setState(model, data, end, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            mujoco.mj_kinematics(model, data)
            found.append(answer(model, data))
        return Sample(seconds, len(picked), np.array(found))

    words = f"steps of {STEP:g} s, {cores} threads, {len(picked)} of the variants"
    return Contender(MUJOCO, run, BAR, words, subset=picked)


# Problems -----------------------------------------------------------------------------------------------------------


def pendulums(count: int, rounds: int) -> dict[str, Any]:
    m, variants = double_pendulum(), pendulum_variants(count)
    channels = ["bar0.angle", "bar1.angle"]
    exact = jd.simulate_many(m, SECONDS, variants, keep="end", rtol=1e-13)
    reference = np.array([exact[name][:, -1] for name in channels]).T

    def spin(model: Any, data: Any, k: int) -> None:
        data.qvel[:] = spins(count)[k], -spins(count)[k]

    contenders = [
        ours(OURS_END, m, variants, channels, 1e-8, keep="end"),
        ours(OURS_ALL, m, variants, channels, 1e-8, every=SECONDS / 200),
        ours(OURS_END + ALONE, m, variants, channels, 1e-8, keep="end", lanes=False),
        *relative(m, variants, channels),
        exudyn(count, 1e-9, None),
        mujoco_rollout(m, count, spin, lambda model, data: np.cumsum(data.qpos) + _drawn(m)),
    ]
    targets = [
        Target("g, double pendulums, ends", (OURS_END, OURS_END + RELATIVE), (EXUDYN, MUJOCO), 10, 40),
        Target("g, double pendulums, 200 samples", (OURS_ALL, OURS_ALL + RELATIVE), (EXUDYN, MUJOCO), 10, 40),
    ]
    title = f"g. {count} double pendulums, {SECONDS:g} s, errors below {BAR:g} rad"
    return compete(title, "variant", contenders, reference, targets, rounds, budget=60)


def relative(m: Any, variants: dict[str, Any], channels: list[str]) -> list[Contender]:
    """The same in joint coordinates, where `simulate` has them."""
    try:
        jd.simulate(m, 0.01, coordinates="relative")
    except jd.JourdainError:
        return []
    how = {"coordinates": "relative"}
    return [
        ours(OURS_END + RELATIVE, m, variants, channels, 1e-8, keep="end", **how),
        ours(OURS_ALL + RELATIVE, m, variants, channels, 1e-8, every=SECONDS / 200, **how),
    ]


def _drawn(m: Any) -> np.ndarray:
    """MuJoCo's joint angles count from the drawn pose."""
    return np.array([body.attitude for body in m.bodies])


def four_bars(count: int, rounds: int) -> dict[str, Any]:
    m, variants = machines.four_bar("AC").frozen(), four_bar_variants(count)
    channels = ["coupler.x", "coupler.y"]
    exact = jd.simulate_many(m, SECONDS, variants, keep="end", rtol=1e-11)
    reference = np.array([exact[name][:, -1] for name in channels]).T

    def stiffness(model: Any, data: Any, k: int) -> None:
        model.tendon_stiffness[0] = variants["spring.stiffness"][k]

    contenders = [
        ours(OURS_END, m, variants, channels, 1e-7, keep="end"),
        ours(OURS_ALL, m, variants, channels, 1e-7, every=SECONDS / 200),
        ours(OURS_END + ALONE, m, variants, channels, 1e-7, keep="end", lanes=False),
        mujoco_rollout(m, count, stiffness, lambda model, data: data.xipos[model.body("coupler").id][:2].copy()),
    ]
    targets = [
        Target("g, four-bars, ends", (OURS_END,), (MUJOCO,), 10, 40),
        Target("g, four-bars, 200 samples", (OURS_ALL,), (MUJOCO,), 10, 40),
    ]
    title = f"g. {count} four-bars with spring-damper, {SECONDS:g} s, errors below {BAR:g} m"
    return compete(title, "variant", contenders, reference, targets, rounds, budget=60)


def run(full: bool, rounds: int) -> dict[str, Any]:
    few = max(3, rounds // 4)
    return {"g pendulum": pendulums(COUNT, few), "g four-bar": four_bars(COUNT, few)}
