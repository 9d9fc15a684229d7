"""Work and precision (i): error at the end against time, for the four-bar, the slider-crank and Andrews' squeezer.

All recipes of Jourdain at several steps or tolerances, and the peers at several steps. Errors are those of all mass
centres against tests/reference (of the point F for the squeezer). Every point is the best of a few runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import jourdain as jd
import machines
import squeezer
from harness import RESULTS, Sample, is_installed
from jourdain.mechanism.parts import Blueprint
from linkages import centres, four_bar_reference, slider_crank_reference

SECONDS = 0.5  # of the linkages
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
STEPS = (5e-3, 2e-3, 1e-3, 5e-4)
# Name, arguments, and whether it has tolerances or steps.
WAYS: dict[str, tuple[dict[str, Any], bool]] = {
    "auto": ({}, True),
    "dopri5": ({"integrator": "dopri5"}, True),
    "radau": ({"integrator": "radau"}, True),
    "bdf": ({"integrator": "bdf"}, True),
    "rk4": ({"integrator": "rk4"}, False),
    "ab6": ({"integrator": "ab6"}, False),
    "generalized-alpha": ({"integrator": "generalized-alpha"}, False),
    "recipe amesim": ({"recipe": "amesim"}, True),
    "recipe nacf": ({"recipe": "nacf"}, False),
    "recipe joli": ({"recipe": "joli"}, False),
}
SHORT = ("auto", "dopri5", "radau", "rk4", "generalized-alpha", "recipe nacf")


def curve(
    name: str, settings: Any, run: Callable[[float], Sample], reference: np.ndarray, rounds: int
) -> dict[str, Any]:
    points = []
    for setting in settings:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", jd.SimulationWarning)
                samples = [run(setting) for _ in range(rounds)]
        except (jd.JourdainError, ValueError, RuntimeError):
            continue
        error = float(np.max(np.abs(np.asarray(samples[0].answer) - reference)))
        if error < 1.0:
            points.append({"setting": setting, "error": error, "ms": 1e3 * min(s.seconds for s in samples)})
    listed = ", ".join(f"{p['error']:.0e} in {p['ms']:.3g} ms" for p in points)
    print(f"  {name:<28}{listed}")
    return {"name": name, "points": points}


def diagram(
    title: str, m: Blueprint, seconds: float, answer: Any, reference: np.ndarray, full: bool, scale: float = 1.0
) -> dict[str, Any]:
    print(f"\ni. Work and precision: {title}")
    curves = []
    for name in WAYS if full else SHORT:
        how, adaptive = WAYS[name]

        def run(setting: float, how: Any = how, adaptive: bool = adaptive) -> Sample:
            given = {"rtol": setting} if adaptive else {"step": setting * scale}
            found = jd.simulate(m, seconds, every=seconds, **how, **given)
            if not found.status.ok:
                raise RuntimeError(found.status.sentence)
            return Sample(found.statistics.seconds, 1, answer(found))

        settings = TOLERANCES if adaptive else STEPS
        curves.append(curve(f"Jourdain {name}", settings, run, reference, 3))
    return {"title": title, "curves": curves}


def peers(record: dict[str, Any], m: Blueprint, reference: np.ndarray) -> None:
    import peer_exudyn

    if peer_exudyn.library() is not None:

        def run(step: float) -> Sample:
            seconds, found = peer_exudyn.Linkage(m).generalized_alpha(round(SECONDS / step), step)
            return Sample(seconds, 1, found[:, :2])

        record["curves"].append(curve("Exudyn generalized-alpha", STEPS, run, reference, 3))
    for integrator in ("RK4", "implicitfast") if is_installed("mujoco") else ():
        import peer_mujoco

        def roll(step: float, integrator: str = integrator) -> Sample:
            seconds, found = peer_mujoco.Linkage(m, integrator, step).steps(round(SECONDS / step))
            return Sample(seconds, 1, found)

        record["curves"].append(curve(f"MuJoCo {integrator}", STEPS, roll, reference, 3))


def draw(record: dict[str, Any], letter: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # a tenth of the size
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for made in record["curves"]:
        ours = made["name"].startswith("Jourdain")
        errors, times = ([p[key] for p in made["points"]] for key in ("error", "ms"))
        axes.loglog(errors, times, "o-" if ours else "s--", label=made["name"], markersize=4, linewidth=1.2)
    axes.set(title=record["title"], xlabel="error", ylabel="time, ms")
    axes.invert_xaxis()
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=7, ncol=2)
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / f"work_precision_{letter}.svg")
    plt.close(figure)


def run(full: bool, rounds: int) -> dict[str, Any]:
    found = {}
    cases = {
        "b": ("four-bar, 0.5 s", machines.four_bar("AC").frozen(), four_bar_reference()),
        "c": ("slider-crank, 0.5 s", machines.slider_crank().frozen(), slider_crank_reference()),
    }
    for letter, (title, m, reference) in cases.items():
        record = diagram(title, m, SECONDS, centres, reference, full)
        peers(record, m, reference)
        found[f"i {letter}"] = record
    m = machines.andrews().frozen()

    def point(run: jd.Solution) -> np.ndarray:
        return np.array([run["K2.F.x"][-1], run["K2.F.y"][-1]]) / squeezer.SIZE

    record = diagram("Andrews' squeezer, 0.03 s", m, squeezer.SECONDS, point, squeezer.point_f(), full, scale=1e-2)
    import peer_exudyn

    if peer_exudyn.library() is not None:
        run_it = lambda h: squeezer.exudyn_run(m, h)  # noqa: E731
        steps = squeezer.STEPS[:4]
        record["curves"].append(curve("Exudyn generalized-alpha", steps, run_it, squeezer.point_f(), 2))
    found["i d"] = record
    for letter in "bcd":
        draw(found[f"i {letter}"], letter)
    return found
