"""Makes the tables and figures of the five papers again, prints them beside the papers' own, and writes the page of it.

Run by `make papers`; it takes a minute. What a table says of ours is measured here; figures of the papers are typed.
Writes docs/papers-again.md and docs/images/papers_*.png; docs/make_nacf.py and docs/make_joli.py, which it runs too,
make the figures 6 to 9 of Pappalardo and Guida and what docs/joli.md shows.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]

import make_joli  # noqa: E402
import make_nacf  # noqa: E402

import jourdain as jd  # noqa: E402
import machines  # noqa: E402

DURATION = 10.0
TRIES = 5  # of which the fastest counts
STEPS = (1e-2, 1e-3)
TOLERANCES = (0.01, 0.1)
PRINTED = jd.Uzawa(
    rho={"A": 1.5, "B": 0.4}, warm=False, stop="change", tolerance=0.01, inside=1e4, stabilisation=jd.Baumgarte()
)
# Seconds that the paper took, by tolerance and step: tables 1 and 2.
TABLE_1 = {(0.01, 1e-2): 5.0, (0.01, 1e-3): 47.7, (0.1, 1e-2): 2.6, (0.1, 1e-3): 25.9}
TABLE_2 = {(0.01, 1e-2): 7.0, (0.01, 1e-3): 70.4, (0.1, 1e-2): 3.0, (0.1, 1e-3): 30.1}
JOLI = {
    "double pendulum": (machines.joli_double_pendulum, TABLE_1),
    "slider-crank": (machines.joli_slider_crank, TABLE_2),
}
CENTRALISED = 1.54  # s, of the print at a step of 1e-4 s
CHAINS = (20, 80, 320, 1280)
MATRICES = (20, 80)  # of these chains also by a dense matrix of the whole


def main() -> None:
    warnings.simplefilter("ignore", jd.SimulationWarning)
    parts = [HEAD]
    for make in (joli, pappalardo, wijckmans, stanescu, marquis_favre):
        text = filled(make())
        sys.stdout.write(text)
        parts.append(text)
    (HERE / "papers-again.md").write_text("\n".join(parts))
    if "--fast" not in sys.argv:
        make_nacf.main()
        make_joli.main()


HEAD = """# The five papers made again

This page is written by `make papers`: every table and figure of the five papers that can be made, print beside ours,
with the reason where they differ. Times are processor time of the machine that made the page last. What the papers say,
claim by claim, is in [another table](papers-claims.md); their equations are [here](papers.md).
"""


def filled(text: str) -> str:
    """Paragraphs in lines of even length; tables, headings and pictures stay."""
    blocks = text.split("\n\n")
    kept = ("|", "#", "!")
    return "\n\n".join(b if b.lstrip().startswith(kept) else textwrap.fill(b, 118) for b in blocks) + "\n"


def table(head: str, rows: list[str]) -> str:
    columns = head.count("|") - 1
    return "\n".join([head, "|" + "---|" * columns, *rows]) + "\n"


def milliseconds(build: Callable[[], jd.Mechanism], duration: float, **choices: Any) -> float:
    """Of processor time that the motion takes, without what comes before it; the least of some tries."""
    best = np.inf
    for _ in range(TRIES):
        session = jd.session(build(), **choices)
        begun = time.process_time()
        session.advance(to=duration)
        best = min(best, time.process_time() - begun)
    return 1e3 * best


def figure(name: str, draw: Callable[[Any], None], size: tuple[float, float] = (6.4, 3.2)) -> str:
    picture = Figure(figsize=size, layout="constrained")
    draw(picture.add_subplot())
    picture.savefig(HERE / "images" / f"papers_{name}.png", dpi=80)
    return f"images/papers_{name}.png"


# Joli, Seguy and Feng ---------------------------------------------------------------------------------------------


def as_printed(step: float, tolerance: float) -> dict[str, Any]:
    """The choices."""
    how = dataclasses.replace(PRINTED, tolerance=tolerance)
    return {"coordinates": "points", "treatment": how, "integrator": jd.Newmark(step, corrections=1), "every": step}


def joli() -> str:
    rows, drifts, sliders = [], {}, {}
    for name, (build, paper) in JOLI.items():
        for step in STEPS:
            runs = {}
            spent = {}
            for tolerance in TOLERANCES:
                how = as_printed(step, tolerance)
                run = runs[tolerance] = jd.simulate(build(), DURATION, **how)
                spent[tolerance] = milliseconds(build, DURATION, **how)
                if name == "slider-crank":
                    drifts[tolerance, step] = float(np.abs(run["rod.C.y"]).max())
                    sliders[step] = sliders.get(step, run)
            rounds = [runs[tolerance].statistics.rounds for tolerance in TOLERANCES]
            cpu = [paper[tolerance, step] for tolerance in TOLERANCES]
            ours = [spent[tolerance] for tolerance in TOLERANCES]
            rows.append(
                f"| {name} | {step:g} s | {cpu[0]:g} s | {cpu[1]:g} s | {cpu[0] / cpu[1]:.1f} | {ours[0]:.0f} ms "
                f"| {ours[1]:.0f} ms | {rounds[0]} | {rounds[1]} | {rounds[0] / rounds[1]:.1f} |"
            )
    head = "| machine | step | print: 1 % | 10 % | ratio | ours: 1 % | 10 % | rounds: 1 % | 10 % | ratio |"
    drift = [
        f"| {step:g} s | {printed} | {drifts[0.01, step]:.1e} m | {drifts[0.1, step]:.1e} m |"
        for step, printed in ((1e-3, "2.3e-7 m"), (1e-2, "5.1e-? m (the exponent is lost)"))
    ]
    return "\n".join(
        [
            "## Joli, Seguy and Feng 2008\n",
            "### Tables 1 and 2: time of 10 s\n",
            "The iteration as printed (eqs 25 to 28): `rho` 1.5 and 0.4 (the slider: 1), `lam = 0` at each step, done "
            "when the multipliers change by less than 1 % or 10 %, Baumgarte's gains from the step, Newmark with one "
            "correction. The bars have 1 kg and 0.5 kg at their ends, and 0.5 kg and 1 kg; how the print lumps them it "
            "does not say. With 0.5 kg in place of the 1 kg on the ground, `rho = 1.5` diverges.\n",
            table(head, rows),
            "Print: seconds on a PC of 1.4 GHz. Ours have the time of watching over the branch in them, which the "
            "paper does not do, and which looks the oftener the coarser the motion is: at 10 % the slider-crank is "
            "looked at 58 times, at 1 % 33 times, 1 ms each. Rounds are our count, which has to go as their time does. "
            "They take the accelerations of the last but one multipliers, ours belong to the last: a round's "
            "difference. The equations written out with theirs drift by 5.0e-5 m and 4.2e-7 m at 1 %, so the exponent "
            "that is lost below is -5.\n",
            "### Largest drift of the slider\n",
            table("| step | print | ours, 1 % | ours, 10 % |", drift),
            figure_7(),
            figure_9(),
            figure_10(sliders),
        ]
    )


def figure_7() -> str:
    """Figures 6 to 8: the path of the second mass, centralised and modular."""
    m = machines.joli_double_pendulum
    best = jd.simulate(m(), DURATION, every=0.02)

    def centralised(step: float, corrections: int) -> jd.Solution:
        newmark = jd.Newmark(step, corrections=corrections)
        return jd.simulate(m(), DURATION, every=0.02, coordinates="relative", integrator=newmark)

    def modular(step: float, corrections: int) -> jd.Solution:
        how = jd.Newmark(step, corrections=corrections)
        return jd.simulate(m(), DURATION, every=0.02, coordinates="points", treatment=PRINTED, integrator=how)

    def away(run: jd.Solution) -> str:
        apart = np.hypot(*(run[f"lower.C.{c}"] - best[f"lower.C.{c}"] for c in "xy"))
        return f"{apart[run.t <= 2].max():.1g} m, {apart[run.t <= 5].max():.1g} m, {apart.max():.1g} m"

    rows, drawn = [], {}
    for corrections in (1, 2):
        for step in STEPS:
            runs = centralised(step, corrections), modular(step, corrections)
            rows.append(f"| {corrections} | {step:g} s | {away(runs[0])} | {away(runs[1])} |")
            if corrections == 1:
                drawn |= {("centralised", step): runs[0], ("modular", step): runs[1]}
    reference = centralised(1e-4, 1)
    rows.append(f"| 1 | 0.0001 s (their reference) | {away(reference)} | |")
    panels = {
        "figure 6: centralised, 1e-2 s": drawn["centralised", 1e-2],
        "figure 7: modular, 1e-2 s": drawn["modular", 1e-2],
        "figure 8: modular, 1e-3 s": drawn["modular", 1e-3],
    }
    path = paths(panels, reference)
    spent = milliseconds(m, DURATION, coordinates="relative", integrator=jd.Newmark(1e-4, corrections=1))
    head = "| corrections | step | centralised: 2 s, 5 s, 10 s | modular: 2 s, 5 s, 10 s |"
    return "\n".join(
        [
            "### Figures 6 to 8: centralised and modular\n",
            "Largest distance of the second mass from the exact path. With one correction, as printed, Newmark's",
            "rule is of",
            "order 1 wherever forces depend on velocities: the centralised solution in joint angles suffers from",
            "that more than",
            "the modular one, which is nearer at 1e-2 s, as figure 7 says. With two corrections it is the other",
            "way round.\n",
            table(head, rows),
            f"Their centralised reference at 1e-4 s took {CENTRALISED} s, ours {spent:.0f} ms.\n",
            "The second mass in 5 s, dashed, over their reference, grey:\n",
            f"![The path of the second mass by three solutions over the reference]({path})\n",
        ]
    )


def paths(panels: dict[str, jd.Solution], reference: jd.Solution) -> str:
    """The path of the second mass in 5 s, by each solution over the reference."""
    picture = Figure(figsize=(11, 4.2), layout="constrained")
    for axes, (words, run) in zip(picture.subplots(1, 3, sharey=True), panels.items(), strict=True):
        until = run.t <= 5
        for one, style in ((reference, {"color": "0.75", "linewidth": 3}), (run, {"color": "C3", "linestyle": "--"})):
            axes.plot(one["lower.C.x"][until], one["lower.C.y"][until], **style)
        axes.set(xlabel="x [m]", aspect="equal", title=words)
    picture.axes[0].set_ylabel("y [m]")
    picture.savefig(HERE / "images" / "papers_joli_7.png", dpi=80)
    return "images/papers_joli_7.png"


def figure_9() -> str:
    """The joint between the bars is deleted while it runs."""
    m = machines.joli_double_pendulum()
    session = jd.session(m, every=0.02, recipe="joli", step=1e-3)
    session.advance(to=1.2)
    before = session.solution()
    v = [session[f"lower.C.v{c}"] for c in "xy"]
    blueprint = m.frozen()
    without = dataclasses.replace(blueprint, joints=tuple(j for j in blueprint.joints if j.name != "B"))
    session.edit(without)
    session.advance(to=1.7)
    after = session.solution()
    t = after.t - after.t[0]
    centre = [after["lower.x"], after["lower.y"]]
    start = [after["lower.vx"][0], after["lower.vy"][0]]
    free = np.hypot(
        centre[0] - (centre[0][0] + start[0] * t), centre[1] - (centre[1][0] + start[1] * t - 9.81 * t**2 / 2)
    ).max()

    def draw(axes: Any) -> None:
        axes.plot(before["lower.C.x"], before["lower.C.y"], "C0-", label="with the joint")
        axes.plot(after["lower.C.x"], after["lower.C.y"], "C3--", label="without")
        axes.plot([before["lower.C.x"][-1]], [before["lower.C.y"][-1]], "ko", label="deleted here")
        axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="second mass, joint B deleted at 1.2 s")
        axes.legend(fontsize="small")

    path = figure("joli_9", draw, (5.0, 4.2))
    return "\n".join(
        [
            "### Figure 9: a joint is deleted while it runs\n",
            "The print shows its window. `session.edit` does it here, at 1.2 s; the second mass moves at "
            f"{np.hypot(*v):.2f} m/s then, and the centre of the lower bar goes on along a parabola, to {free:.1e} m. "
            "The [studio](studio.md) does it by a click.\n",
            f"![The path of the second mass before and after]({path})\n",
        ]
    )


def figure_10(runs: dict[float, jd.Solution]) -> str:
    def draw(axes: Any) -> None:
        for (step, run), style in zip(runs.items(), ("C3--", "C0-"), strict=True):
            axes.plot(run.t, run["rod.C.x"], style, label=f"{step:g} s")
        axes.set(xlabel="t [s]", ylabel="x [m]", title="slider, as printed, 1 %")
        axes.legend(fontsize="small")

    energy = {step: float(np.ptp(run.energy.kinetic + run.energy.potential)) for step, run in runs.items()}
    return "\n".join(
        [
            "### Figure 10: the slider\n",
            "Both steps stay on the branch through twelve singular positions. The print says that the energy is "
            "conserved: to "
            + " and ".join(f"{value:.2g} J at {step:g} s" for step, value in energy.items())
            + " of the 9.81 J that fall.\n",
            f"![The slider over time with both steps]({figure('joli_10', draw)})\n",
        ]
    )


# Pappalardo and Guida ---------------------------------------------------------------------------------------------


def pappalardo() -> str:
    rows, times, corrected = [], [], []
    sets = {"natural": "natural", "cholesky": jd.Natural(cholesky=True), "eliminated": jd.Natural(eliminate=True)}
    for name, (build, _, _, theirs, _) in make_nacf.MACHINES.items():
        norms = []
        for tolerance in (1e-12, 1e-16):
            how = jd.UdwadiaKalaba(jd.Euclidean(tolerance=tolerance))
            run = jd.simulate(build(), 5.0, every=1e-3, recipe="nacf", treatment=how)
            norms.append((run["violation.position_norm"].max(), run["violation.velocity_norm"].max()))
            assert run.statistics.steps == 5000 and len(run.t) == 5001
            if tolerance == 1e-12:
                corrected.append(f"{run.statistics.newton_steps} on the {name}")
        spent = [milliseconds(build, 5.0, every=5.0, recipe="nacf", coordinates=c) for c in sets.values()]
        sizes = [jd.matrices(build(), coordinates=sets[which]).J.shape for which in ("natural", "eliminated")]
        shapes = " | ".join(f"{columns} with {count}" for count, columns in sizes)
        times.append(f"| {name} | {shapes} | {' | '.join(f'{ms:.1f} ms' for ms in spent)} |")
        rows.append(
            f"| {name} | {theirs[0]:.3e} | {norms[0][0]:.3e} | {norms[1][0]:.3e} "
            f"| {theirs[1]:.3e} | {norms[0][1]:.3e} | {norms[1][1]:.3e} |"
        )
    head = (
        "| machine | C, print (m) | tolerance 1e-12 | to rounding | C', print (m/s) | tolerance 1e-12 | to rounding |"
    )
    return "\n".join(
        [
            "## Pappalardo and Guida 2018\n",
            "### Table 11: largest Euclidean norms of C and C' at all 5,000 steps\n",
            table(head, rows),
            "The print has two kinds of numbers. Its tolerance is 1e-12 (table 10), and 9e-13 is what is left "
            "where a correction finds nothing to do yet; 1e-15 is what is left where it always had to, for Newton's "
            "method squares its errors. Which it is depends on how far a step drifts, and so on the springs, whose "
            "far ends are in lost figures: with the velocities corrected, ours hardly drift (corrections of positions "
            f"in 5,000 steps: {', '.join(corrected)}). So it is neither units nor the norm but one more "
            "correction: `Euclidean(tolerance=1e-16)` corrects until rounding stops it, and 1e-15 is reached on all "
            "four. Coordinates of 4 m have a last digit of 8.9e-16, so less than 1e-15 is luck.\n",
            "### Cholesky coordinates, and linear joints eliminated before the run\n",
            "5 s by recipe `nacf`, in natural coordinates, in those whose mass matrix is one "
            "(`Natural(cholesky=True)`), and with what is linear eliminated (`Natural(eliminate=True)`): pins, and "
            "guides on the ground. Coordinates with equations, of the full set and of what is left; the motion is the "
            "same to rounding.\n",
            table("| machine | natural | eliminated | time: natural | cholesky | eliminated |", times),
            "Nothing is gained by either here. Inverses of mass blocks are found once in any case. What is left of "
            "the equations is half as many, but each then has to do with all others and they are solved dense, while "
            "those of the full set have to do with their neighbours only, which is how they are solved here.\n",
            "Figures 6 to 9: [here](nacf.md).\n",
        ]
    )


# Wijckmans --------------------------------------------------------------------------------------------------------


def chain(n: int) -> jd.Mechanism:
    m = jd.Mechanism(f"chain of {n}", gravity=(0, -9.81))
    before = m.ground.point("P", (0, 0))
    for k in range(n):
        points = {"A": (-0.5, 0), "B": (0.5, 0)}
        link = m.body(
            f"b{k}", mass=1, inertia=1 / 12, position=(k + 0.5, 0), angle=0, velocity=(0, 0), spin=0, points=points
        )
        m.revolute(f"J{k}", before, link["A"])
        before = link["B"]
    return m


def microseconds(m: jd.Mechanism, dense: bool) -> float:
    """Of one evaluation: by the recursion, or with M and J as matrices of the whole."""
    f = jd.rhs(m, "relative" if not dense else "angle")
    if not dense:

        def once() -> Any:
            return f(0.0, f.start)
    else:
        a = jd.matrices(m, coordinates="angle")
        zero = np.zeros((len(a.rows), len(a.rows)))
        whole = np.block([[a.M, a.J.T], [a.J, zero]])
        right = np.concatenate([a.Q + a.bias, a.gamma])

        def once() -> Any:
            return np.linalg.solve(whole, right)

    best = np.inf
    for _ in range(7):
        begun = time.process_time()
        for _ in range(20):
            once()
        best = min(best, (time.process_time() - begun) / 20)
    return 1e6 * best


def operations() -> list[str]:
    """Counted in a process whose kernels are plain Python."""
    found = subprocess.run(
        [sys.executable, str(HERE / "count_operations.py")], capture_output=True, text=True, check=True
    )
    return ["| " + " | ".join(line.split()) + " |" for line in found.stdout.splitlines()]


def wijckmans() -> str:
    fast = {n: microseconds(chain(n), False) for n in CHAINS}
    slow = {n: microseconds(chain(n), True) for n in MATRICES}
    rows = [f"| {n} | {fast[n]:.0f} us | {f'{slow[n]:.0f} us' if n in slow else ''} |" for n in CHAINS]
    power = np.log(fast[CHAINS[-1]] / fast[CHAINS[-2]]) / np.log(CHAINS[-1] / CHAINS[-2])
    whole = np.log(slow[MATRICES[1]] / slow[MATRICES[0]]) / np.log(MATRICES[1] / MATRICES[0])
    return "\n".join(
        [
            "## Wijckmans 1992\n",
            "### Section 3.3: the number of operations grows only linearly with the bodies\n",
            "The paper counts no further than that, and says that only matrices as small as a joint are inverted. "
            "Counted by numbers that count what is done with them: (A.3) to (A.9) with matrices of 3 x 3 that are "
            "taken as full, once A, B, c, M and g are there; and ours, which knows what is zero in them, with all "
            "sines, cosines and velocities. Both give the same accelerations.\n",
            table("| bodies | print: products | sums | quotients | ours: products | sums | quotients |", operations()),
            "A body more costs the same however many there are. The descriptor form has 5 n unknowns, which takes "
            "(5 n)^3 / 3 products as one dense matrix. Measured on chains of pendulums, one evaluation of all "
            "accelerations:\n",
            table("| bodies | recursion | one dense matrix |", rows),
            f"The last step of the recursion goes with n^{power:.1f}, that of the matrix with n^{whole:.1f}.\n",
            "Its examples are tests of the printed equations: [claims](papers-claims.md).\n",
        ]
    )


# Stanescu ---------------------------------------------------------------------------------------------------------


def stanescu() -> str:
    m = machines.two_bars()
    run = jd.simulate(m, 1.0, every=0.25, recipe="stanescu")
    rows = []
    for k, t in enumerate(run.t):
        a = jd.matrices(m, run.at(t).state(), coordinates="bryan", t=t)
        lam, r = run.multipliers["C"][k], run.reactions["C"]
        first, second = (r.moment_about_origin(side)[k] for side in ("first", "second"))
        rows.append(
            f"| {t:g} s | {np.abs(a.bias - a.bias_lagrange).max():.0e} | {np.round(-lam, 4).tolist()} "
            f"| {np.round(first, 4).tolist()} | {np.round(second, 4).tolist()} |"
        )
    columns = "force of C on CB (N) | moment about O_1, axes of AC (N m) | about O_2, axes of CB"
    head = f"| t | F~ of Newton and Euler less that of Lagrange | {columns} |"
    return "\n".join(
        [
            "## Stanescu\n",
            "The example of section 4 has no numbers; these are ours. Of eqs 48 to 59: the reaction of C on",
            "fixed axes, which is",
            "its multipliers but for the sign, its moments about the mass centres on body axes, and the inertia",
            "terms both ways.\n",
            table(head, rows),
            "Along the bars (the first component) the moments vanish: a spherical joint bears no couple, and C",
            "lies on both axes.\n",
        ]
    )


# Marquis-Favre, Bideaux and Scavarda ------------------------------------------------------------------------------


def marquis_favre() -> str:
    rows = []
    for name, build in (("slider-crank", machines.slider_crank), ("four-bar", lambda: machines.four_bar("AC"))):
        best = jd.simulate(build(), 2.0, every=0.1)
        run = jd.simulate(build(), 2.0, every=0.1, recipe="amesim")
        apart = np.max(np.abs(run.motion.position - best.motion.position))
        rows.append(f"| {name} | {apart:.0e} m | {run.violation.position.max():.0e} m | {run.statistics.steps} |")
    return "\n".join(
        [
            "## Marquis-Favre, Bideaux and Scavarda 2006\n",
            "Part I has no numbers: its figures are schemes, and its equations are [made again](papers.md) by",
            "`jd.derive`. The",
            "squeezer, its large example, is in part II, which is not at hand; ours is held by the",
            "[reference of the literature](validation.md). Its way of solving, recipe `amesim`, against `auto`",
            "over 2 s:\n",
            table("| machine | farthest apart | largest gap | steps |", rows),
        ]
    )


if __name__ == "__main__":
    main()
