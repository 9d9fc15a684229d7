"""Equilibrium: a pose in which nothing accelerates, what its joints bear, and what happens if it is disturbed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.channels.joint import WRENCH
from ..mechanism.equality import equal_by
from ..mechanism.names import counted
from ..model.states import State
from ..plotting.cards import Card
from .reactions import Reaction
from .solution import Solution
from .status import Status

Array = npt.NDArray[np.float64]

STABLE, UNSTABLE, NEUTRAL, LOCKED = "stable", "unstable", "neutral", "locked"
# A step along a path of equilibria that is longer than both is a snap: times the usual step, and of the size.
SNAP_FACTOR, SNAP_SIZE = 5.0, 0.1
ROUNDING = 1e-12  # of the largest: printed as zero
MOST_LINES = 12  # of bodies and joints in the printed report


@equal_by()
@dataclass(frozen=True)
class Equilibrium(Card):
    """A mechanism at rest. `eq["A.fx"]` is a channel as a number, `eq.state()` a start for `simulate`.

    `stability` is judged by the tangent stiffness along the freedoms: `stable` where every small displacement is pushed
    back, `unstable` where one grows (`direction` says which), `neutral` where one meets no resistance, `locked` where
    there is no freedom.
    """

    solution: Solution = field(repr=False)
    stability: str
    direction: str  # of the softest displacement, in words; empty where locked
    stiffness: Array  # 1/s^2: of each freedom, softest first, over the mass that moves with it; negative pushes away
    residual: float  # N or N m: the largest net force or moment left on any body
    moved: dict[str, float]  # m, by body, from the closed start
    turned: dict[str, float]  # rad, by body
    iterations: int

    @property
    def stable(self) -> bool:
        """Whether every small displacement is pushed back; true of locked mechanisms."""
        return self.stability in (STABLE, LOCKED)

    @property
    def t(self) -> float:
        """The time at which motions and loads stand still."""
        return float(self.solution.t[0])

    @property
    def status(self) -> Status:
        return self.solution.status

    @property
    def notes(self) -> tuple[str, ...]:
        return self.status.notes

    @property
    def channels(self) -> list[str]:
        """Names of all channels."""
        return self.solution.channels

    @property
    def reactions(self) -> dict[str, Reaction]:
        """Force and moment of each joint, by name; arrays of one sample."""
        return self.solution.reactions

    def __getitem__(self, channel: str) -> float:
        return float(self.solution[channel][0])

    def state(self) -> State:
        """The pose by body name, at rest: a start for `simulate` and other analyses."""
        return self.solution.state(0)

    def draw(self, path: str | Path | None = None) -> Any:
        """The mechanism in equilibrium as a matplotlib figure, saved if `path` is given."""
        return self.solution.draw(0, path)

    @property
    def facts(self) -> dict[str, Any]:
        """The result as texts, numbers and tables of them."""
        b = self.solution.blueprint
        place = ("x", "y", "angle") if b.dim == 2 else ("x", "y", "z", "qw", "qx", "qy", "qz")
        wrench = WRENCH[b.dim]
        return {
            "mechanism": b.name,
            "t": self.t,
            "stability": self.stability,
            "direction": self.direction,
            "stiffness": [float(k) for k in self.stiffness],
            "residual": self.residual,
            "bodies": {body.name: {c: self[f"{body.name}.{c}"] for c in place} for body in b.bodies},
            "moved": dict(self.moved),
            "turned": dict(self.turned),
            "reactions": {
                joint.name: {c: self[f"{joint.name}.{c}"] for c in wrench}
                | {"unique": self.solution.redundancy.unique[joint.name]}
                for joint in b.joints
            },
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        b = self.solution.blueprint
        words = {
            STABLE: f"stable; softest: {self.direction}",
            UNSTABLE: f"unstable: pushed away along {self.direction}",
            NEUTRAL: f"neutral: nothing resists {self.direction}",
            LOCKED: "locked: no freedom is left",
        }
        rows = [
            ("freedom", counted(self.solution.redundancy.freedoms, "degree") + " of freedom"),
            ("balance", f"largest force or moment left {self.residual:.2g} (N or N m)"),
            ("stability", words[self.stability]),
            *((f"body {body.name}", self._place(body.name)) for body in b.bodies[:MOST_LINES]),
            *((f"joint {joint.name}", self._reaction(joint.name)) for joint in b.joints[:MOST_LINES]),
        ]
        if len(b.bodies) > MOST_LINES or len(b.joints) > MOST_LINES:
            rows.append(("...", "all by name: eq['body.x'], eq['joint.fx']"))
        rows += [("note", note) for note in self.notes]
        width = max(len(key) for key, _ in rows)
        head = f"{b.name}: equilibrium at t = {self.t:g} s"
        return "\n".join([head, *(f"  {key:>{width}}  {text}" for key, text in rows)])

    @property
    def _largest(self) -> float:
        """Of all forces, and of moments on an arm as long as the mechanism."""
        size = self.solution.size or 1.0
        found = [(r.force, r.moment / size) for r in self.reactions.values()]
        return max((float(np.abs(x).max(initial=0.0)) for pair in found for x in pair), default=0.0)

    def _place(self, body: str) -> str:
        dim = self.solution.blueprint.dim
        at = _written([self[f"{body}.{c}"] for c in "xyz"[:dim]], self.solution.size)
        turn = f", angle {_written([self[f'{body}.angle']], 1.0)} rad" if dim == 2 else ""
        moved = _written([self.moved[body]], self.solution.size, 3)
        return f"at ({at}) m{turn}; moved {moved} m, turned {_written([self.turned[body]], 1.0, 3)} rad"

    def _reaction(self, joint: str) -> str:
        reaction = self.reactions[joint]
        largest, size = self._largest, self.solution.size
        force, moment = _written(reaction.force[0], largest), _written(reaction.moment[0], largest * size)
        no = [name for name, unique in reaction.unique.items() if not unique]
        return f"force ({force}) N, moment ({moment}) N m" + (f"; not unique: {', '.join(no)}" if no else "")

    def _picture(self) -> Any:
        return self.draw()


def _written(values: Iterable[float], largest: float, digits: int = 6) -> str:
    """Numbers in a row; what is rounding beside the largest is zero."""
    return ", ".join(f"{x if abs(x) > ROUNDING * largest else 0.0:.{digits}g}" for x in values)


@equal_by()
@dataclass(frozen=True)
class Equilibria(Card):
    """Equilibria over a parameter: `path["crank.angle"]` is a channel as an array, `path[3]` one of them."""

    parameter: str
    values: Array
    equilibria: tuple[Equilibrium, ...]

    def __len__(self) -> int:
        return len(self.equilibria)

    def __getitem__(self, what: str | int) -> Any:
        if isinstance(what, str):
            return np.array([equilibrium[what] for equilibrium in self.equilibria])
        return self.equilibria[what]

    @property
    def stability(self) -> tuple[str, ...]:
        return tuple(equilibrium.stability for equilibrium in self.equilibria)

    @property
    def snaps(self) -> tuple[int, ...]:
        """Numbers of the equilibria that are far from the one before: there the path was left."""
        size = self.equilibria[0].solution.size
        steps = [max(*eq.moved.values(), *(size * turn for turn in eq.turned.values())) for eq in self.equilibria[1:]]
        usual = float(np.median(steps)) if steps else 0.0
        return tuple(k + 1 for k, step in enumerate(steps) if step > max(SNAP_FACTOR * usual, SNAP_SIZE * size))

    def __str__(self) -> str:
        head = f"{self.equilibria[0].solution.name}: {counted(len(self), 'equilibrium', 'equilibria')}"
        rows = [(f"{value:.6g}", eq.stability) for value, eq in zip(self.values, self.equilibria, strict=True)]
        width = max(len(self.parameter), *(len(value) for value, _ in rows))
        lines = [f"{head} over {self.parameter}", f"  {self.parameter:>{width}}  stability"]
        for k, (value, stability) in enumerate(rows):
            snapped = "; snapped there from the one before" if k in self.snaps else ""
            lines.append(f"  {value:>{width}}  {stability}{snapped}")
        return "\n".join(lines)
