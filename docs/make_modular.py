"""Makes docs/modular-*.md and docs/images/modular.png: errors, gaps and rounds of couplings. Run by `make images`."""

import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import jourdain as jd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import systems  # noqa: E402

WAYS = {
    "reaction held": jd.Explicit(held=True),
    "extrapolated (`explicit`)": jd.Explicit(),
    "`uzawa`": jd.UzawaCoupling(),
    "`extended`": jd.Extended(),
}
STEPS = (0.04, 0.02, 0.01, 0.005)
TRIED = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def main() -> None:
    warnings.simplefilter("ignore", jd.SimulationWarning)
    couplings()
    paper()
    limits()


def written(name: str, head: str, rows: list[str]) -> None:
    columns = head.count("|") - 1
    lines = [head, "|" + " --- |" * columns, *rows]
    (ROOT / "docs" / f"modular-{name}.md").write_text("\n".join(lines) + "\n")


def couplings() -> None:
    """The double pendulum by all couplings, 2 s, and a picture of the error over the macro step."""
    s, times = systems.double_pendulum(), np.linspace(0, 2, 26)
    reference = systems.monolith(s, times)
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    rows = []
    for name, coupling in WAYS.items():
        steps, errors = [], []
        for H in STEPS:
            run = jd.simulate(s, times=times, coupling=coupling, macro_step=H)
            if not run.status.ok:
                continue
            error = systems.apart(run, reference, "two.bar")
            steps.append(1e3 * H)
            errors.append(error)
            if H in (0.01, 0.005):
                gap, made = np.max(run.violation.position), np.max(np.abs(run["@coupling.energy"]))
                rounds = run.told["rounds"] / run.told["macro_steps"]
                rows.append(f"| {name} | {1e3 * H:g} ms | {error:.1e} m | {gap:.1e} m | {made:.1e} J | {rounds:.1f} |")
        axes.loglog(steps, errors, "o-", label=name.replace("`", ""))
    one = jd.simulate(s.joined(), times=times)
    away = np.hypot(*(one[f"two_bar.{c}"] - reference[f"two_bar.{c}"] for c in "xy")).max()
    rows.append(f"| one mechanism, `auto` | | {away:.1e} m | {np.max(one.violation.position):.1e} m | | |")
    axes.set_xticks([1e3 * H for H in STEPS], [f"{1e3 * H:g}" for H in STEPS], minor=False)
    axes.xaxis.set_minor_formatter("")
    axes.set(xlabel="macro step [ms]", ylabel="largest error [m]", title="double pendulum in two boxes, 2 s")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(ROOT / "docs" / "images" / "modular.png", dpi=80)
    written("couplings", "| Coupling | Macro step | Error | Largest gap | Energy made | Rounds a step |", rows)


def paper() -> None:
    """The two machines of the paper: drift and rounds against the step."""
    rows = []
    for make, body, words in (
        (systems.double_pendulum, "two.bar", "double pendulum"),
        (systems.equal_links, "two.bar", "slider-crank of equal links"),
    ):
        s, times = make(), np.linspace(0, 3, 31)
        reference = jd.simulate(s.joined(), times=times, integrator="rk4", step=2e-4)
        for name, coupling in (("`uzawa`", jd.UzawaCoupling()), ("`extended`", jd.Extended())):
            for H in (0.01, 0.005):
                run = jd.simulate(s, times=times, coupling=coupling, macro_step=H)
                error = f"{systems.apart(run, reference, body):.1e} m" if run.status.ok else "stops, and says so"
                gap, rounds = np.max(run.violation.position), run.told["rounds"] / max(run.told["macro_steps"], 1)
                rows.append(f"| {words} | {name} | {1e3 * H:g} ms | {error} | {gap:.1e} m | {rounds:.1f} |")
    written("paper", "| Machine | Coupling | Macro step | Error, 3 s | Largest gap | Rounds a step |", rows)


def limits() -> None:
    """The longest macro step that closes its joints at once, with small estimated errors."""
    rows = []
    for ratio in (1, 10, 100, 1000):
        rows.append(f"| second bar {ratio} times as heavy | {longest(systems.double_pendulum(mass=float(ratio)))} |")
    for k in (1e2, 1e4, 1e6):
        s, p, q = systems.pair("planar")
        s.bushing("rubber", p, q, stiffness=(k, k, 0.1 * k), damping=(1e-3 * k, 1e-3 * k, 1e-4 * k))
        rows.append(f"| bushing of {k:g} N/m | {longest(s)} |")
    for speed in (0.1, 0.01, 0.001):
        s, p, q = systems.pair("planar")
        s.revolute("J", p, q)
        s.friction("F", joint="J", coefficient=0.3, radius=0.05, regular_speed=speed)
        rows.append(f"| friction in the coupling joint, regular speed {speed:g} m/s | {longest(s)} |")
    written("limits", "| What is coupled | Longest macro step tried without a note |", rows)


def longest(s: jd.System) -> str:
    for box in s.boxes.values():
        box.choices["step"] = 5e-4
    for H in TRIED:
        run = jd.simulate(s, 5 * 0.1, macro_step=H, every=0.1)
        if run.status.ok and not run.status.notes:
            return f"{1e3 * H:g} ms"
    return f"below {1e3 * TRIED[-1]:g} ms"


if __name__ == "__main__":
    main()
