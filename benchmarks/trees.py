"""Large trees (t): compiling chains, their memory, inverse dynamics undone by forward dynamics, branches in threads.

Wanted: a chain of 10,000 links compiled in less than 5 s, memory linear in the links, and threads that change no bit.
"""

from __future__ import annotations

import time
import timeit
from typing import Any

import numpy as np

import jourdain as jd
from chains import GRAVITY, chain, mechanism, state
from jourdain.model.tree import branches

COMPILE_SECONDS = 5
LINKS = (100, 1000, 10_000)
BUNCHES = (1000, 4000, 8000)


def compiling(space: str) -> dict[str, Any]:
    seconds, memory, tree = [], [], None
    for links in LINKS:
        blueprint = mechanism(chain(links, space == "planar"), space == "planar").frozen()
        begun = time.perf_counter()
        tree = jd.tree(blueprint)
        seconds.append(time.perf_counter() - begun)
        memory.append(sum(array.nbytes for array in tree._dynamics.arrays.values()) / links)
    met = "" if seconds[-1] < COMPILE_SECONDS else ": NOT MET"
    error = inverse_error(tree, LINKS[-1])
    print(f"  {space:<8} {LINKS[-1]} links compiled in {seconds[-1]:.2f} s (below {COMPILE_SECONDS} wanted{met})")
    print(f"  {'':<8} bytes of tables a link: {', '.join(f'{size:.0f}' for size in memory)}")
    print(f"  {'':<8} forward after inverse dynamics: accelerations of size 1 return to {error:.0e}")
    return {"compile_s": seconds, "bytes_a_link": memory, "inverse_error": error}


def inverse_error(tree: Any, links: int) -> float:
    q, _ = state(links)
    v, a = np.random.default_rng(3).normal(size=(2, links)) * [[0.01], [1.0]]
    return float(np.max(np.abs(tree.accelerations(0.0, q, v, tree.inverse(0.0, q, v, a)) - a)))


def bunch(space: str, links: int, count: int = 4) -> jd.Mechanism:
    """Chains side by side on the ground."""
    planar = space == "planar"
    m = jd.Mechanism("bunch", gravity=(0, -GRAVITY) if planar else (0, 0, -GRAVITY))
    zero = (0.0,) * (2 if planar else 3)
    inertia = 0.1 if planar else (0.1, 0.1, 0.1)
    for b in range(count):
        port = m.ground.point(f"O{b}", zero)
        for k in range(links // count):
            bar = m.body(f"b{b}_{k}", mass=1, inertia=inertia, points={"A": zero, "B": (0.5, *zero[1:])})
            m.revolute(f"j{b}_{k}", port, bar["A"])
            port = bar["B"]
    return m


def threads(space: str, rounds: int) -> dict[str, Any]:
    """Gain of two threads over one, by links. One after the other, not in turns: threads that wait fall asleep."""
    gains = {}
    for links in BUNCHES:
        blueprint = bunch(space, links).frozen()
        before, branches.SPLIT_FROM = branches.SPLIT_FROM, branches.SPLIT_FROM | {space: 1}
        trees = [jd.tree(blueprint, threads=count) for count in (1, 2)]
        branches.SPLIT_FROM = before
        q, v = np.random.default_rng(4).uniform(-1, 1, size=(2, links))
        if not np.array_equal(*(tree.accelerations(0.0, q, v) for tree in trees)):
            print(f"  {space}, {links} links: threads give another result")
            continue
        best = [
            1e6 * min(timeit.repeat(lambda t=t, q=q, v=v: t.accelerations(0.0, q, v), number=20, repeat=rounds)) / 20
            for t in trees
        ]
        gains[links] = best[0] / best[1]
        print(f"  {space:<8} {links:>5} links: {best[0]:7.1f} us in one thread, {best[1]:7.1f} in two")
    return {"gains": gains, "from": branches.SPLIT_FROM[space]}


def run(full: bool, rounds: int) -> dict[str, Any]:
    print("\nt. Large trees")
    spaces = ("spatial", "planar")
    found = {f"{space}, compiling": compiling(space) for space in spaces}
    if full:
        found |= {f"{space}, threads": threads(space, rounds) for space in spaces}
    return {"t": found}
