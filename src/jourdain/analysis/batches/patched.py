"""Which variants the kernels can run by themselves, and their numbers and starts for `engine/batch.py`."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import choices as ch
from ...assembly.as_written import motions_as_written, start_as_written, start_of_all
from ...assembly.close_joints import Freedom
from ...assembly.prepare import Prepared
from ...engine.batch import Driver, Job, Watch
from ...mechanism.errors import ChoiceError, JourdainError
from ...model.compile import compile_mechanism
from ...model.facts import calls_python, has_events
from ...model.flat import FlatModel
from ...model.patches import Patches, agree, find_patches, is_faulty
from ...model.states import to_vector
from ...model.time_marks import has_corners_in_time
from ...session.auto.branch_watch import needs_watching
from ...session.auto.crossing import has_loops, is_ahead, is_far
from ...session.auto.stiffness import LARGEST, WORTH
from .variants import Variants

Array = npt.NDArray[np.float64]

PROVED = 3  # variants that are compiled to prove that patching gives the same


def patches_for(variants: Variants, model: FlatModel, choices: ch.Choices) -> Patches | None:
    """How to come from the model of the base to those of the variants, proved on a few; None: by compiling each."""
    if variants.paths is None:
        return None
    patches = find_patches(model, variants.changed)
    if patches is None or patches.moves_marks:
        return None
    for k in {0, variants.count // 2, variants.count - 1, *range(min(variants.count, PROVED - 2))}:
        try:
            blueprint = variants.blueprint(k)
        except JourdainError:
            continue  # it will say so itself
        patched = patches.patched(blueprint)
        if patched is not None and not agree(patched, compile_mechanism(blueprint, choices.set)):
            return None
    return patches


def is_plain(prepared: Prepared, choices: ch.Choices) -> bool:
    """Whether the kernels can do everything, from closing the joints to the end."""
    model = prepared.model
    driven = any(m.values.get("angle") is not None for m in model.blueprint.motions)
    started = any(joint.initial for joint in model.blueprint.joints)
    full = not prepared.redundancy.dropped and prepared.redundancy.rank == prepared.redundancy.equations
    open_tree = choices.treatment == ch.Recursion() and not model.rows
    own = open_tree or choices.treatment in (ch.Kkt(), ch.Index3())
    return own and full and not (driven or started or model.floating) and runs_alone(model)


def runs_alone(model: FlatModel) -> bool:
    """Whether a run needs nothing of Python on its way: no events, no functions in plain Python.

    The time loop steps over corners of functions of time, or divides fixed steps there, so that is Python's, too.
    """
    return not calls_python(model) and not has_events(model) and not has_corners_in_time(model)


class Batch:
    """Pieces of the variants as numbers for the kernels."""

    def __init__(
        self, prepared: Prepared, choices: ch.Choices, grid: Array, threads: int, outputs: bool, lanes: bool
    ) -> None:
        self._choices, self._prepared, self._threads, self._lanes = choices, prepared, threads, lanes
        self._first = prepared.assembly.y
        self._driver = Driver(prepared.plan, choices.integrator, self._first, grid, outputs)

    def stop(self) -> None:
        """Give up what is running."""
        self._driver.stop()

    @property
    def together(self) -> int:
        """How many variants a thread should have at least."""
        return self._driver.together() if self._lanes else 1

    # Variants that differ in patched numbers only --------------------------------------------------------------

    def share(self, patches: Patches, variants: Variants) -> None:
        """Make what threads need, and the numbers of all variants."""
        self._patches, self._variants = patches, variants
        base = patches.model
        self._driver.share(
            self._prepared.plan.with_(model=base, numbers={}), patches.places, self._threads, self._lanes
        )
        free = Freedom.of(base)
        self._free = (bool(np.any(free.pose)), bool(np.any(free.motion)))
        self._drawn = start_of_all(base, self._first)

    def of(self, variants: Variants) -> Batch:
        """The same for other values of the same keys."""
        other = copy(self)
        other._variants = variants
        return other

    def numbers(self, first: int, last: int) -> tuple[Array, Array, list[int]]:
        """Values at the places, starts, and which variants cannot be patched."""
        places = self._patches.places
        values = np.zeros((last - first, len(places)))
        starts = np.tile(self._drawn, (last - first, 1))
        left: list[int] = []
        found = None if self._variants.states or self._patches.bodies else self._starts(first, last)
        if found is not None:  # copies alone: whole columns at once
            starts[:, self._patches.model.layout.motion], fits = found
            left += (first + np.flatnonzero(~fits)).tolist()
            for k, (path, _) in enumerate(self._patches.copied):
                values[:, k] = self._variants.column(path)[first:last]
                left += (first + np.flatnonzero(is_faulty(path, values[:, k]))).tolist()
            return values, starts, sorted(set(left))
        for k in range(first, last):
            try:
                model = self._patches.patched(self._variants.blueprint(k))
            except ChoiceError:  # a formula without a value
                model = None
            if model is None:
                left.append(k)
                continue
            values[k - first] = [model.fields[field][i, j] for field, i, j in places]
            state = self._variants.state(k)
            if state is not None:
                starts[k - first] = to_vector(model, state)
            elif self._patches.starts:
                start = start_as_written(model)
                if start is None:
                    left.append(k)
                else:
                    starts[k - first] = start
        return values, starts, left

    def _starts(self, first: int, last: int) -> tuple[Array, npt.NDArray[np.bool_]] | None:
        """[q | v] of variants that start from one pose, and which of them can; None: each has to be looked at."""
        base = self._patches.model
        if not self._patches.starts:
            return np.tile(self._drawn[base.layout.motion], (last - first, 1)), np.ones(last - first, dtype=bool)
        velocities = {
            body.name: (
                self._rows(("bodies", index, "velocity"), body.velocity, first, last),
                self._rows(("bodies", index, "spin"), body.spin, first, last),
            )
            for index, body in enumerate(base.blueprint.bodies)
        }
        found = motions_as_written(base, velocities, last - first)
        if found is None:
            return None
        q = np.tile(self._drawn[base.layout.q], (last - first, 1))
        return np.hstack([q, found[0]]), found[1]

    def _rows(self, path: tuple[Any, ...], written: Any, first: int, last: int) -> Array | None:
        """A vector of every variant, in rows; None if it is written for none."""
        changed = [p for p in self._variants.changed if p[:3] == path]
        if path in changed:
            return np.asarray(self._variants.column(path)[first:last], dtype=float).reshape(last - first, -1)
        if written is None:
            return None
        rows = np.tile(np.atleast_1d(np.asarray(written, dtype=float)), (last - first, 1))
        for place in changed:
            rows[:, place[3]] = self._variants.column(place)[first:last]
        return rows

    def run_shared(self, first: int, last: int, values: Array, starts: Array) -> Job:
        """Close and run variants; called in a thread."""
        free = (False, False) if self._variants.states else self._free
        return self._driver.run_shared(first, last, values, starts, free, self._watch(self._patches.model))

    # Variants that were prepared each on its own -----------------------------------------------------------------

    def run_prepared(self, index: int, prepared: Prepared) -> Job:
        watch = self._watch(prepared.model)
        return self._driver.run_prepared(index, prepared.workspace, prepared.assembly.y, watch)

    def _watch(self, model: FlatModel) -> Watch:
        free = self._choices.free
        passing = not needs_watching(self._choices) and has_loops(model.blueprint)
        fixed = isinstance(self._choices.integrator, ch.FixedStep)
        is_plain = is_far if fixed else lambda loop: not is_ahead(loop, loop.usual_step)
        return Watch(free, WORTH if free and model.length <= LARGEST else 0, passing, is_plain)
