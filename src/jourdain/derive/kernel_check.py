"""Every derivation is evaluated at random poses and velocities and compared with what the kernels find there.

Poses are of rigid bodies and need not be closed: the equations are identities, and hold off the joints too. What is
compared is relative to the largest entry of each matrix, or one; a difference above LIMIT is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..analysis.matrices import Evaluator
from ..assembly.prepare import prepare
from ..engine.body_states import from_vector
from ..mechanism.errors import JourdainError
from ..mechanism.parts import GROUND
from ..model.states import BodyState, to_vector
from .machine_formulas import MachineFormulas

Array = npt.NDArray[np.float64]

POSES = 20
# Some hundred operations in each entry, terms of up to a thousand times its size: beyond, a formula is wrong.
LIMIT = 1e-11


@dataclass(frozen=True)
class Checked:
    """How a derivation was checked. `str()` is the sentence it prints."""

    poses: int
    worst: float
    lines: int
    what: str = "against the kernel"
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = f"checked at {self.poses} poses to {self.worst:.0e} {self.what}"
        return words + (f"; not checked: {'; '.join(self.left_out)}" if self.left_out else "")


class DerivationError(JourdainError):
    """A line that does not agree with the kernel: a defect of ours, never silent."""


def random_states(evaluator: Evaluator, poses: int = POSES, seed: int = 0) -> list[tuple[float, Array]]:
    """Times and states near the start: every body moved by some of its size and turned, with velocities of its own."""
    rng = np.random.default_rng(seed)
    model = evaluator.model
    found = []
    for _ in range(poses):
        t = float(rng.uniform(0.0, 2.0))
        if model.set.joined or model.set.charts or not model.bodies:  # angles keep the sequence they start in
            delta = rng.normal(scale=0.4, size=model.nv) * np.where(model.set.lengths_of(model), model.size, 1.0)
            y = evaluator.moved(t, evaluator.start, delta, rng.normal(size=model.nv))
        else:
            y = to_vector(model, _random_bodies(evaluator, rng))
            y[model.layout.states] = evaluator.start[model.layout.states] + 0.1 * rng.normal(size=len(model.states))
            y = evaluator.moved(t, y, np.zeros(model.nv), y[model.layout.v])
        found.append((t, y))
    return found


def _random_bodies(evaluator: Evaluator, rng: np.random.Generator) -> dict[str, Any]:
    """Bodies of the start moved and turned; in the plane with the angles of joints that this gives, whole turns too."""
    model = evaluator.model
    planar, dim, at = model.blueprint.dim == 2, model.blueprint.dim, model.layout
    start = from_vector(model, evaluator.start)
    found: dict[str, Any] = {}
    turned = {GROUND: 0.0}
    for body, size in zip(model.blueprint.bodies, model.body_sizes, strict=True):
        old = start[body.name]
        place = tuple(float(x) for x in np.asarray(old.position) + size * rng.normal(scale=0.5, size=dim))
        speed = tuple(float(x) for x in size * rng.normal(size=dim))
        if planar:
            turned[body.name] = float(rng.uniform(-3.0, 3.0))
            found[body.name] = BodyState(place, old.attitude + turned[body.name], speed, float(rng.normal()))
        else:
            p = rng.normal(size=4)
            attitude = tuple(float(x) for x in p / np.linalg.norm(p))
            found[body.name] = BodyState(place, attitude, speed, tuple(float(x) for x in rng.normal(size=3)))
    for joint in model.blueprint.joints if planar else ():
        if joint.name in at.turn_names:
            change = turned[joint.second.body] - turned[joint.first.body]
            found[joint.name] = float(evaluator.start[at.turn(joint.name)]) + change
    return found


class Comparison:
    """The largest relative difference, with the line that has it."""

    def __init__(self) -> None:
        self.worst = 0.0
        self.lines = 0

    def __call__(self, what: str, found: Any, expected: Any, limit: float = LIMIT) -> None:
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        self.lines += 1
        if found.shape != expected.shape:
            raise DerivationError(f"{what} has shape {found.shape}, the kernel's {expected.shape}")
        if not found.size:
            return
        difference = float(np.max(np.abs(found - expected))) / max(1.0, float(np.max(np.abs(expected))))
        if not difference <= limit:
            raise DerivationError(f"{what} differs from the kernel by {difference:.1e}; nothing was derived")
        self.worst = max(self.worst, difference)


def check_code(machine: MachineFormulas, functions: dict[str, Callable[..., Any]], poses: int = POSES) -> Checked:
    """The functions of stand-alone Python against the kernel."""
    e = machine.evaluator
    at = e.model.layout
    forces, left_out = _loaded(machine)
    compare = Comparison()
    holonomic = np.array([not row.velocity for row in machine.rows], dtype=bool)
    rows = [k for k in range(len(e.rows)) if k not in machine.unwritten]
    if machine.unwritten:
        left_out += (f"rows {', '.join(str(k + 1) for k in machine.unwritten)}, which cannot be written down",)
    for t, y in random_states(e, poses):
        expected = e.of(t, y)
        q, v = y[at.q], y[at.v]
        turns = [y[at.turn(n)] if n in at.turn_names else 0.0 for n in machine.turns]
        z = np.concatenate([y[at.states], turns])
        compare("M", functions["M"](q), expected.M)
        compare("J", functions["J"](q, t, z), expected.J[rows])
        compare("gamma", functions["gamma"](q, v, t, z), expected.gamma[rows])
        compare("C", functions["C"](q, v, t, z)[holonomic], expected.C[rows][holonomic])
        compare("bias", functions["bias"](q, v), expected.bias)
        compare("q'", functions["rates"](q, v), e.rates(t, y))
        if forces is not None:
            own = y if forces is e else _transferred(e, forces, y)
            compare("Q", functions["Q"](q, v, t, z), forces.of(t, own).Q)
    return Checked(poses, compare.worst, compare.lines, left_out=left_out)


def _loaded(machine: MachineFormulas) -> tuple[Evaluator | None, tuple[str, ...]]:
    """What Q is compared with: the mechanism without the forces that cannot be written down."""
    lacking = {words.split("'")[1] for words in machine.problems if words.startswith("'")}
    lacking &= {part.name for part in (*machine.blueprint.forces, *machine.blueprint.elements)}
    if not lacking:
        return machine.evaluator, ()
    b = machine.blueprint
    without = replace(
        b,
        forces=tuple(f for f in b.forces if f.name not in lacking),
        elements=tuple(f for f in b.elements if f.name not in lacking),
        events=(),
        off=b.off - lacking,
    )
    chosen = machine.evaluator.model.set
    try:
        found = Evaluator.assembled(prepare(without, chosen)) if chosen.joined else Evaluator.drawn(without, chosen)
    except JourdainError:
        return None, (f"Q, since {', '.join(sorted(lacking))} cannot be written down",)
    return found, (f"forces of {', '.join(sorted(lacking))}, which cannot be written down",)


def _transferred(whole: Evaluator, part: Evaluator, y: Array) -> Array:
    """A state of the whole mechanism as one of the same bodies with fewer states of elements."""
    a, b = whole.model.layout, part.model.layout
    found = part.start.copy()
    found[b.motion] = y[a.motion]
    for k, key in enumerate(b.state_names):
        found[b.states.start + k] = y[a.state(*key)]
    for name in b.turn_names:
        if name in a.turn_names:
            found[b.turn(name)] = y[a.turn(name)]
    return found
