"""Work and precision (i): error at the end against time, for the four-bar, the slider-crank and Andrews' squeezer.

All recipes of Jourdain and some integrators beside them at several steps or tolerances, and the peers at several steps.
Errors are those of all mass centres against tests/reference (of the point F for the squeezer). Every point is the best
of a few runs. Who cannot do a machine is named with the reason.
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
from jourdain.choices import RECIPES, Adaptive
from jourdain.mechanism.parts import Blueprint
from planar_loops import centres, four_bar_reference, slider_crank_reference

SECONDS = 0.5  # of the linkages
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
STEPS = (5e-3, 2e-3, 1e-3, 5e-4)
SMALL = 1e-2  # of these steps are the squeezer's
# Name, arguments, and whether it has tolerances or steps.
WAYS: dict[str, tuple[dict[str, Any], bool]] = {
    **{f"recipe {name}": ({"recipe": name}, isinstance(r.integrator, Adaptive)) for name, r in RECIPES.items()},
    "dopri5": ({"integrator": "dopri5"}, True),
    "radau": ({"integrator": "radau"}, True),
    "bdf": ({"integrator": "bdf"}, True),
    "rk4": ({"integrator": "rk4"}, False),
    "rk6": ({"integrator": "rk6"}, False),
    "ab6": ({"integrator": "ab6"}, False),
    "generalized-alpha": ({"integrator": "generalized-alpha"}, False),
}
SHORT = ("recipe auto", "recipe nacf", "dopri5", "radau", "rk4", "generalized-alpha")
ENOUGH = 2.0  # seconds that one run may take; finer settings of who takes longer are left out
WORST = 1.0  # m, or sizes of the squeezer: a larger error is no answer


def curve(
    name: str, settings: Any, run: Callable[[float], Sample], reference: np.ndarray, rounds: int, words: str = ""
) -> dict[str, Any]:
    """Errors and times, by setting; and why there are none, or fewer."""
    points: list[dict[str, float]] = []
    why = words
    for setting in settings:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", jd.SimulationWarning)
                samples = [run(setting)]
                slow = samples[0].seconds > ENOUGH
                samples += [run(setting) for _ in range(0 if slow else rounds - 1)]
        except (jd.JourdainError, ValueError, RuntimeError) as fault:
            why = str(fault).splitlines()[0]
            continue
        error = float(np.max(np.abs(np.asarray(samples[0].answer) - reference)))
        if error < WORST:
            points.append({"setting": setting, "error": error, "ms": 1e3 * min(s.seconds for s in samples)})
        else:
            why = f"off by {error:.0e} at {setting:g}"
        if slow:
            break
    listed = ", ".join(f"{p['error']:.0e} in {p['ms']:.3g} ms" for p in points)
    print(f"  {name:<34}{listed or why}" + (f" ({why})" if listed and why else ""))
    return {"name": name, "points": points, "words": why}


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


def peers(m: Blueprint, seconds: float, reference: np.ndarray, scale: float = 1.0, answer: Any = None) -> list[Any]:
    """Curves of Exudyn, MuJoCo and SymPy; `answer` makes of places and angles what is compared."""
    import peer_exudyn
    import peer_mujoco

    found = []
    if peer_exudyn.library() is not None:

        def alpha(setting: float) -> Sample:
            step = setting * scale
            taken, ends = peer_exudyn.Linkage(m).generalized_alpha(round(seconds / step), step)
            return Sample(taken, 1, answer(ends) if answer else ends[:, :2])

        found.append(curve("Exudyn generalized-alpha", STEPS, alpha, reference, 3))
    for integrator in ("RK4", "implicitfast") if is_installed("mujoco") else ():

        def roll(setting: float, integrator: str = integrator) -> Sample:
            step = setting * scale
            linkage = peer_mujoco.Linkage(m, integrator, step)
            taken, ends = linkage.steps(round(seconds / step), angles=answer is not None)
            return Sample(taken, 1, answer(ends) if answer else ends)

        found.append(curve(f"MuJoCo {integrator}", STEPS, roll, reference, 3))
    found.append(symbolic(m, seconds, reference))
    return found


def symbolic(m: Blueprint, seconds: float, reference: np.ndarray) -> dict[str, Any]:
    """The curve of SymPy's generated code, or why there is none."""
    import peer_sympy

    code = peer_sympy.generated(m)
    if isinstance(code, str):
        print(f"  {peer_sympy.NAME:<34}{code}")
        return {"name": peer_sympy.NAME, "points": [], "words": code}
    words = f"its code is made in {code.seconds:.0f} s, which are not counted"
    return curve(peer_sympy.NAME, TOLERANCES, lambda tol: code.run(seconds, tol), reference, 3, words)


def draw(record: dict[str, Any], letter: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # a tenth of the size
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    axes.set_prop_cycle(color=plt.get_cmap("tab20").colors)
    marks = iter("s^Dv")
    for made in record["curves"]:
        ours = made["name"].startswith("Jourdain")
        errors, times = ([p[key] for p in made["points"]] for key in ("error", "ms"))
        if errors:
            style = {} if ours else {"color": "black", "linestyle": "--", "alpha": 0.7}
            mark = "o" if ours else next(marks)
            axes.loglog(errors, times, label=made["name"], marker=mark, markersize=4, linewidth=1.2, **style)
    axes.set(title=record["title"], xlabel="error", ylabel="time, ms")
    axes.invert_xaxis()
    axes.grid(True, which="major", alpha=0.3)
    figure.legend(fontsize=7, loc="outside right upper")
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
        record["curves"] += peers(m, SECONDS, reference)
        found[f"i {letter}"] = record
    m = machines.andrews().frozen()

    def point(run: jd.Solution) -> np.ndarray:
        return np.array([run["K2.F.x"][-1], run["K2.F.y"][-1]]) / squeezer.SIZE

    record = diagram("Andrews' squeezer, 0.03 s", m, squeezer.SECONDS, point, squeezer.point_f(), full, SMALL)
    ends = lambda found: squeezer.point_of(m, found)  # noqa: E731
    record["curves"] += peers(m, squeezer.SECONDS, squeezer.point_f(), SMALL, ends)
    found["i d"] = record
    for letter in "bcd":
        draw(found[f"i {letter}"], letter)
    return found
