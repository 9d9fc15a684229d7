"""Every timed problem told otherwise: rotated, renamed, joints in another order, one revolute as a custom joint.

Nothing may be quick only for the machines of the benchmarks as they happen to be written: times stay within WITHIN of
those of the machine as it is, and motions the same. What a telling cannot be solved by is named with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import batches
import chains
import jourdain as jd
import machines
import spatial_loops
import transforms
from jourdain.mechanism.parts import Blueprint
from pendulum import double_pendulum

WITHIN = 1.5  # times that a machine told otherwise may take
PLAIN = "as it is"
RK4 = {"integrator": "rk4", "step": 1e-3}
ALPHA = {"integrator": "generalized-alpha", "step": 1e-3}
VARIANTS = 200  # of a batch: as many as are run side by side in vector lanes

# Seconds of one sample, and what the machine did, in axes of the machine as it is.
Timed = Callable[[], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class Case:
    """A problem of the benchmarks: its letter and name, the machine, and how a telling of it is timed."""

    name: str
    machine: Blueprint
    prepare: Callable[[Blueprint, str], Timed]


def motion(seconds: float, **how: Any) -> Callable[[Blueprint, str], Timed]:
    """One run; seconds are those of its time loop, the answer the places of all bodies at its end."""

    def prepare(m: Blueprint, word: str) -> Timed:
        back = transforms.rotation(m.dim) if word == "rotated" else np.eye(m.dim)

        def run() -> tuple[float, np.ndarray]:
            found = jd.simulate(m, seconds, every=seconds, **how)
            return found.statistics.seconds, found.motion.position[-1] @ back

        return run

    return prepare


def evaluation(m: Blueprint, word: str) -> Timed:
    """Accelerations of a chain, some hundred times; all in joint coordinates, which no telling changes."""
    tree = jd.tree(m)
    q, v = chains.state(len(m.bodies))
    out = np.zeros(len(q))
    repeats = max(10, 3000 // len(q))

    def run() -> tuple[float, np.ndarray]:
        begun = time.perf_counter()
        for _ in range(repeats):
            tree.accelerations(0.0, q, v, None, out)
        return (time.perf_counter() - begun) / repeats, out.copy()

    return run


def batch(variants: dict[str, Any], seconds: float, **how: Any) -> Callable[[Blueprint, str], Timed]:
    """A whole call of `simulate_many`; the answer is the ends of all bodies of all variants."""

    def prepare(m: Blueprint, word: str) -> Timed:
        R = transforms.rotation(m.dim) if word == "rotated" else np.eye(m.dim)
        told = {key: values @ R.T if values.ndim == 2 else values for key, values in variants.items()}
        if word == "renamed":
            told = {transforms.other_name(key.split(".")[0]) + "." + key.split(".")[1]: v for key, v in told.items()}
        places = [[f"{body.name}.{axis}" for axis in "xy"] for body in m.bodies]

        def run() -> tuple[float, np.ndarray]:
            begun = time.perf_counter()
            many = jd.simulate_many(m, seconds, told, rtol=1e-8, keep="end", progress=False, **how)
            taken = time.perf_counter() - begun
            ends = np.array([[many[name][:, -1] for name in pair] for pair in places])
            return taken, np.moveaxis(ends, 1, -1) @ R

        return run

    return prepare


def cases() -> list[Case]:
    four_bar, pendulum, row = machines.four_bar("AC").frozen(), double_pendulum(), machines.n_four_bar(10).frozen()
    slider_crank = machines.slider_crank().frozen()
    found = [
        Case("a. double pendulum", pendulum, motion(2.0, rtol=1e-8)),
        Case("b. four-bar, rk4", four_bar, motion(0.3, **RK4)),
        Case("b. four-bar, generalized-alpha", four_bar, motion(0.3, **ALPHA)),
        Case("c. slider-crank, rk4", slider_crank, motion(0.3, **RK4)),
        Case("c. slider-crank, generalized-alpha", slider_crank, motion(0.3, **ALPHA)),
        Case("d. squeezer", machines.andrews().frozen(), motion(0.03, rtol=1e-8)),
        Case("e. 10 four-bars, rk4", row, motion(0.1, **RK4)),
        Case("e. 10 four-bars, generalized-alpha", row, motion(0.1, **ALPHA)),
    ]
    for space in ("planar", "spatial"):
        for links in chains.SIZES:
            m = chains.mechanism(chains.chain(links, space == "planar"), space == "planar").frozen()
            found.append(Case(f"f. {space} chain of {links}, evaluation", m, evaluation))
            if links == chains.SIZES[0]:
                found.append(Case(f"f. {space} chain of {links}, rk4", m, motion(0.02, integrator="rk4", step=1e-4)))
    spins = batches.pendulum_variants(VARIANTS)
    springs = batches.four_bar_variants(VARIANTS)
    return [
        *found,
        Case("g. double pendulums", pendulum, batch(spins, 2.0)),
        Case("g. double pendulums, relative", pendulum, batch(spins, 2.0, coordinates="relative")),
        Case("g. four-bars", four_bar, batch(springs, 2.0)),
        Case("h. RSSR, rk4", spatial_loops.rssr(), motion(0.1, **RK4)),
        Case("h. RSSR, generalized-alpha", spatial_loops.rssr(), motion(0.1, **ALPHA)),
        Case("h. Bricard's loop, rk4", spatial_loops.bricard(), motion(0.1, **RK4)),
        Case("h. Stewart platform, rk4", spatial_loops.stewart(), motion(0.05, **RK4)),
    ]


def measured(case: Case, rounds: int) -> dict[str, Any]:
    """Ratios by telling, how far motions are apart, and reasons where a telling is refused."""
    ways: dict[str, Timed] = {}
    refused: dict[str, str] = {}
    for word, tell in {PLAIN: lambda m: m, **transforms.TOLD}.items():
        try:
            ways[word] = case.prepare(tell(case.machine), word)
            ways[word]()
        except jd.JourdainError as error:
            ways.pop(word, None)
            refused[word] = str(error).splitlines()[-1].strip(" -")
    best = dict.fromkeys(ways, np.inf)
    ends: dict[str, np.ndarray] = {}
    for _ in range(rounds):
        for word, run in ways.items():
            seconds, ends[word] = run()
            best[word] = min(best[word], seconds)
    apart = max(float(np.max(np.abs(end - ends[PLAIN]))) for end in ends.values())
    ratios = {word: best[word] / best[PLAIN] for word in ways if word != PLAIN}
    within = not refused and max(ratios.values()) <= WITHIN
    return {"ratios": ratios, "apart": apart, "refused": refused, "within": within}


def told_otherwise(rounds: int) -> dict[str, Any]:
    """All cases, printed and judged."""
    found: dict[str, Any] = {}
    print(f"\nThe same machines told otherwise: times over those as they are (at most {WITHIN:g})")
    for case in cases():
        found[case.name] = record = measured(case, rounds)
        listed = ", ".join(f"{word} {ratio:.2f}" for word, ratio in record["ratios"].items())
        verdict = f"  ABOVE {WITHIN:g}" if max(record["ratios"].values()) > WITHIN else ""
        print(f"  {case.name:<36}{listed}; {record['apart']:.0e} apart{verdict}")
        for word, why in record["refused"].items():
            print(f"  {'':<36}{word}: refused: {why}")
    above = [name for name, record in found.items() if not record["within"]]
    print(f"  All within {WITHIN:g}." if not above else f"  Not within {WITHIN:g}: {', '.join(above)}.")
    return found
