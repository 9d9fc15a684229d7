"""Which memory a later step reads: scratch is spoiled in the middle of a run, and no bit changes.

A checkpoint holds what is marked as kept and nothing else: a field that is wrongly called scratch is a run that takes
another way after `restore`. What no evaluation has changed is left as it is: fields of scratch begin with constants of
the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.choices.contract import Use
from jourdain.engine.template import FIELDS, HEADER, SETTINGS_
from jourdain.engine.workspace import KEPT_HEADER, KEPT_SETTINGS, Workspace
from jourdain.model.field_kinds import KINDS

BEFORE = np.linspace(0, 0.3, 7)[1:]  # s
AFTER = (0.304, 0.32, 0.35)  # whole steps of 1 and 2 ms: multistep methods go on with what they know

AB6 = {"integrator": "ab6", "step": 1e-3}
RK4 = {"integrator": "rk4", "step": 2e-3}
ALPHA = {"integrator": "generalized-alpha", "step": 2e-3}

CASES: list[tuple[str, dict[str, Any]]] = [
    ("four_bar", {}),
    ("four_bar", RK4),
    ("four_bar", {"integrator": "rk6", "step": 2e-3}),
    ("four_bar", ALPHA),
    ("four_bar", {"integrator": "newmark", "step": 1e-3}),
    ("four_bar", {"integrator": "dopri5"}),
    ("four_bar", {"treatment": "uzawa"}),
    ("four_bar", {"treatment": "augmented-lagrangian"}),
    ("four_bar", {"treatment": "partitioning", **RK4}),
    ("four_bar", {"coordinates": "natural"}),
    ("slider_crank", AB6),
    ("slider_crank", {"treatment": "null-space", **AB6}),
    ("slider_crank", {"treatment": "partitioning", **AB6}),
    ("slider_crank", {"coordinates": "relative", **AB6}),
    ("slider_crank", {"integrator": "radau"}),
    ("slider_crank", {"integrator": jd.Radau(multipliers=True)}),
    ("slider_crank", {"integrator": "bdf"}),
    ("slider_crank", {"stabilisation": "ggl", "integrator": "radau"}),
    ("motor_crank", {}),
    ("bricard", RK4),
    ("heavy_top", AB6),
    ("heavy_top", {"coordinates": "bryan", **RK4}),
    ("universal_shaft", {"coordinates": "relative", **AB6}),
    ("hanging_chain", {"coordinates": "relative"}),
    ("rolling_disc", {}),
]
GOVERNOR = machines.governor(0.5)  # stiff: radau takes over


def uses(workspace: Workspace) -> dict[int, tuple[str, Use]]:
    """Name and use of every field that is not shared with the model."""
    recipe = workspace.plan.recipe
    found = {FIELDS[name]: (name, one.use) for name, one in {**recipe.memory, **recipe.method}.items()}
    for key in workspace.model.fields:
        found.setdefault(key, (KINDS[key].name, KINDS[key].use))
    return {key: found[key] for key in workspace.arrays if key in found and not workspace.is_shared(key)}


class Spoiled:
    """A run in the middle of which fields that were written are filled with what is no number."""

    def __init__(self, machine: Any, how: dict[str, Any]) -> None:
        self.machine, self.how = machine, how
        self.s = s = jd.session(machine, **how)
        header = s.loop.workspace.ctx.copy()
        changed: dict[int, Any] = {}
        for t in BEFORE:
            s.advance(to=t)
            workspace = s.loop.workspace
            fresh = Workspace(workspace.plan).arrays
            for key in uses(workspace):
                array = workspace[key]
                now = array != fresh[key]
                before = changed.get(key)
                changed[key] = now if before is None or before.shape != now.shape else before | now
        self.changed, self.header = changed, header
        self.uses = uses(s.loop.workspace)

    def fill(self, *names: str) -> None:
        """These fields, or all scratch and all words that are not kept."""
        workspace = self.s.loop.workspace
        for key, (name, use) in self.uses.items():
            if (name in names) if names else use is Use.SCRATCH:
                mask, array = self.changed[key].copy(), workspace[key]
                if name == "SETTINGS":
                    mask[[SETTINGS_[word] for word in KEPT_SETTINGS]] = False
                # Integers may be indices: they change places, and stay within their bounds.
                array[mask] = array[mask][::-1].copy() if array.dtype == np.int64 else np.nan
        if not names:
            kept = {HEADER[name] for name in KEPT_HEADER}
            words = [k for k in HEADER.values() if k not in kept and k < self.header.size]  # of a tree, if there is one
            workspace.ctx[words] = self.header[words] if self.s.takeover is None else workspace.ctx[words]

    def onward(self) -> np.ndarray:
        found = []
        for t in AFTER:
            self.s.advance(to=t)
            found.append(self.s.y.copy())
        return np.array(found)


@pytest.mark.parametrize("machine, how", CASES, ids=str)
def test_scratch_is_not_read_by_a_later_step(machine: str, how: dict[str, Any]) -> None:
    one, two = (Spoiled(jd.example(machine), how) for _ in range(2))
    two.fill()
    assert np.array_equal(one.onward(), two.onward())


def test_scratch_is_not_read_after_a_takeover() -> None:
    """Whether radau is at work, or dop853 again."""
    one, two = (Spoiled(GOVERNOR, {}) for _ in range(2))
    assert one.s.takeover is not None and one.s.takeover.count
    two.fill()
    assert np.array_equal(one.onward(), two.onward())


# Fields that a step reads, each where it was seen: else the tests above would prove nothing.
READ = {
    "LAMBDA": ("four_bar", ALPHA),
    "GUESS": ("slider_crank", {"treatment": "uzawa"}),
    "WRENCHES": ("motor_crank", {}),
    "METHOD_WORK": ("four_bar", {"integrator": "dop853"}),
    "PERMUTATION": ("four_bar", {"treatment": "partitioning"}),
    "COLUMN_ORDER": ("four_bar", {"treatment": "partitioning"}),
    # Where C is tiny a projection begins with the factors of the step before: in ab6, which has one stage.
    "L": ("slider_crank", AB6),
    "PIVOT": ("slider_crank", AB6),
    "WEIGHTED": ("slider_crank", AB6),
    "SCALE": ("slider_crank", {"treatment": "null-space", **AB6}),
    "DENSE_ROWS": ("slider_crank", {"treatment": "partitioning", **AB6}),
    "REFLECTIONS": ("slider_crank", {"treatment": "null-space", **AB6}),
    "TANGENT": ("slider_crank", {"treatment": "null-space", **AB6}),
    "REDUCED": ("slider_crank", {"treatment": "null-space", **AB6}),
    "TREE_ELIMINATED": ("slider_crank", {"coordinates": "relative", **AB6}),
    "TREE_MEETING": ("slider_crank", {"coordinates": "relative", **AB6}),
    "TREE_CROSSINGS": ("slider_crank", {"coordinates": "relative", **AB6}),
}


@pytest.mark.parametrize("field", READ)
def test_what_is_kept_is_read(field: str) -> None:
    machine, how = READ[field]
    one, two = (Spoiled(jd.example(machine), how) for _ in range(2))
    assert dict(two.uses.values())[field] is Use.KEPT
    two.fill(field)
    assert not np.array_equal(one.onward(), two.onward(), equal_nan=True)
