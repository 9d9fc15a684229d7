"""What the whole set of tests compiles, before it starts: each kernel once, by whichever worker is free.

Workers that meet a kernel at the same time would both compile it, and start helpers that do so again: a third of all
the time that tests took. So they first go through one list together. What is missing in it is compiled by the test
that needs it; what nobody needs takes time for nothing. Kernels of one module share their inner functions, which are in
no cache, so that a module is compiled by one worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import jourdain as jd
from jourdain.choices import INTEGRATORS, Entry, FixedStep, Loop, resolve
from jourdain.engine import cold_start
from jourdain.engine.compiled_entries import COMPLEX, FLOAT, LANES, marker
from jourdain.engine.kernel_cache import in_python
from jourdain.engine.lanes_workspace import why_not_in_lanes
from jourdain.engine.plan import Plan
from jourdain.files.gallery import example_names
from jourdain.mechanism.errors import ChoiceError
from jourdain.mechanism.parts import Blueprint
from jourdain.model.compile import compile_mechanism
from jourdain.model.tree import branches
from random_mechanisms import random_mechanism
from random_trees import random_tree
from session_ways import WAYS

SETS = {
    "planar": ("angle", "euler-parameters", "natural", "points", "relative"),
    "spatial": ("quaternion", "euler-parameters", "natural", "bryan", "relative"),
}
DEFAULT = ("angle", "quaternion")
IN_BATCHES = ("dop853", "dopri5", "rk4", "rk6", "generalized-alpha")
# Of the workspaces in complex numbers of tests/test_identities.py.
IN_COMPLEX_STEPS = (
    *("BODIES", "PLACE", "ROWS", "TERM_ROWS", "TIMES", "RATES", "ENERGY", "SPRINGS", "SIGNALS", "FORWARD"),
    *("REVERSE", "TAPE_ROWS", "TAPE_FORCES", "TAPE_VALUES", "WIND"),
)
LOOPS = ("jourdain.kernels.integrators", "jourdain.kernels.batch.one_by_one")  # loops of batches hold those of runs


def ways(space: str) -> Iterator[dict[str, Any]]:
    yield from WAYS.values()
    yield from ({"coordinates": name} for name in SETS[space])
    yield from ({"treatment": "uzawa", "coordinates": name} for name in SETS[space][:3])
    yield from ({"treatment": "augmented-lagrangian", "coordinates": name} for name in SETS[space][:3])
    yield from ({"stabilisation": name} for name in ("none", "euclidean"))
    for name, kind in INTEGRATORS.items():
        yield {"integrator": name, **({"step": 1e-3} if issubclass(kind, FixedStep) else {})}


def plans(blueprint: Blueprint) -> Iterator[Plan]:
    for way in ways(blueprint.space):
        try:
            chosen = resolve(blueprint.space, **way)
            yield Plan(compile_mechanism(blueprint, chosen.set), chosen.treatment, chosen.integrator)
        except ChoiceError:  # a machine that cannot run in this way
            continue


def tasks() -> Iterator[tuple[Entry, str]]:
    """Entries and loops with their number type, many of them again and again."""
    for name in example_names():
        blueprint = jd.example(name).frozen()
        for plan in plans(blueprint):
            for one in (plan, plan.assembling):
                yield from ((entry, FLOAT) for entry in (*cold_start._tasks(one), *one.recipe.entries.values()))
            if Loop.MANY in plan.loops and plan.integrator.name in IN_BATCHES:
                yield plan.loops[Loop.MANY], FLOAT
            if plan.coordinates.name in DEFAULT and plan.treatment == jd.Kkt() and not blueprint.events:
                if plan.integrator.name in ("dop853", "rk4"):
                    yield from ((entry, COMPLEX) for entry in cold_start._tasks(plan, COMPLEX))
                if not why_not_in_lanes(plan):
                    yield from ((entry, LANES) for entry in cold_start._tasks(plan, LANES))
    for space, names in SETS.items():
        for name in names[:4]:
            entries = Plan.of(compile_mechanism(random_mechanism(4, space).frozen(), name)).recipe.entries
            yield from ((entries[slot], COMPLEX) for slot in IN_COMPLEX_STEPS if slot in entries)


def jd_tree(space: str) -> None:
    """What `jd.tree` compiles, also in threads, which otherwise only large trees use."""
    one, other = (random_tree(1, space, bodies=25, forces=True) for _ in range(2))  # a model is compiled once
    before = branches.SPLIT_FROM, branches.LEAST_GAIN
    trees = [jd.tree(one)]
    branches.SPLIT_FROM, branches.LEAST_GAIN = dict.fromkeys(before[0], 1), 0.0
    try:
        trees.append(jd.tree(other, threads=2))
    finally:
        branches.SPLIT_FROM, branches.LEAST_GAIN = before
    for tree in trees:
        q, v = tree.start
        a = tree.accelerations(0.0, q, v)
        type(tree).accelerations(tree, 0.0, q, v, tree.inverse(0.0, q, v, a))  # by the ordinary way in
        tree.state(q, v)
        tree.rates(q, v)


def groups() -> dict[str, Callable[[], Any]]:
    """By name: loops take longest, trees need kernels of float numbers, and small groups come last."""
    found: dict[str, list[tuple[Entry, str]]] = {}
    for entry, number in dict.fromkeys(tasks()):
        module = entry.source.partition(":")[0]
        name = "loops" if module.startswith(LOOPS) and number == FLOAT else f"{module}-{number}"
        if not marker(entry, number).exists():
            found.setdefault(name, []).append((entry, number))
    seconds = {name: sum(cold_start._seconds(entry) for entry, _ in listed) for name, listed in found.items()}
    names = sorted(found, key=lambda name: -seconds[name])
    plain = [name for name in names if name.endswith(FLOAT)]
    trees = {f"jd.tree-{space}": partial(jd_tree, space) for space in ("spatial", "planar")}
    ordered = {name: partial(compile_all, found[name]) for name in dict.fromkeys(["loops", *plain]) if name in found}
    return ordered | trees | {name: partial(compile_all, found[name]) for name in names if name not in ordered}


def compile_all(listed: list[tuple[Entry, str]]) -> None:
    for entry, number in listed:
        cold_start._compile([entry], number)


def compile_first(claims: Path) -> None:
    """All groups that no other worker has claimed."""
    if in_python():
        return
    for name, compiling in groups().items():
        if cold_start._claim(claims / name):
            with redirect_stderr(StringIO()):  # where it says what it compiles
                compiling()
