"""How coordinates, velocities, constants and channels are written on paper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..analysis.matrices import Evaluator
from .ink import GREEK, Ink, Symbol

_ANGLES = {
    "angle": "theta",
    "angle_1": "psi",
    "angle_2": "theta",
    "angle_3": "phi",
    "angle_first": "theta",
    "angle_second": "phi",
}
_CONSTANTS = {"mass": "m", "inertia": "I", "length": "L", "lead": "h", "phase": "phi", "zero": "theta"}
_RATES = {"vx": "x", "vy": "y", "vz": "z", "speed": "theta"}


def _coordinate(name: str, dots: int) -> Ink:
    owner, _, what = name.rpartition(".")
    if what in _ANGLES:
        return Symbol(_ANGLES[what], owner, dots)
    if what in ("wx", "wy", "wz"):
        return Symbol("omega", f"{what[1]},{owner}")
    if what[0] in "pq" and what[1:] and len(what) == 2:
        return Symbol(what[0], f"{what[1]},{owner}", dots)
    head, _, component = what.partition("_")
    if head in ("alpha", "beta", "gamma"):
        return Symbol(head, f"{component},{owner}", dots)
    if what == "displacement":
        return Symbol("s", owner, dots)
    return Symbol(what[0], f"{what[1:]},{owner}" if what[1:] else owner, dots)


def given_ink(name: str) -> Ink:
    """A constant by the name it was given; vectors of a link go from joint to joint."""
    owner, _, what = name.rpartition(".")
    owner = owner.replace("_to_", "→")
    if not owner:
        return Symbol(name)
    if what in _CONSTANTS:
        return Symbol(_CONSTANTS[what], owner)
    if what[0] in "IJM" and len(what) > 1:
        return Symbol(what[0], f"{what[1:]},{owner}")
    return Symbol(what if len(what) == 1 else "k", owner if len(what) == 1 else f"{what},{owner}")


class Names:
    """Ink of the leaves of a machine's formulas."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.q = [_coordinate(name, 0) for name in evaluator.positions]
        self.v = [_coordinate(name, 1) for name in evaluator.coordinates]
        self._states = [f"{a}.{b}" for a, b in evaluator.model.states]
        names = zip(self.q, evaluator.positions, strict=True)
        self._angles = [ink for ink, name in names if name.rpartition(".")[2] in _ANGLES]

    def __call__(self, key: Any) -> Ink:
        kind = key[0]
        if kind == "q":
            return self.q[key[1]]
        if kind == "v":
            return self.v[key[1]]
        if kind == "given":
            return given_ink(key[1])
        if kind == "state":
            return Symbol("z", self._states[key[1]])
        return Symbol(str(kind), ",".join(map(str, key[1:])))

    def q_or_v(self, n: int) -> Ink:
        """The column of velocity n by name, without the dot of its rate."""
        ink = self.v[n]
        return replace(ink, dots=0) if isinstance(ink, Symbol) else ink

    def angle(self, key: Any) -> str:
        """Index of the cosine and sine of an angle."""
        ink = self(key)
        if not isinstance(ink, Symbol):
            return "?"
        alone = sum(isinstance(other, Symbol) and other.index == ink.index for other in self._angles) < 2
        return ink.index or ink.name if alone else f"{GREEK.get(ink.name, ink.name)},{ink.index}"


def channel_ink(key: Any, dots: int = 0) -> Ink:
    """A quantity of a formula that somebody wrote: a channel, a parameter, or a part of a component."""
    if not isinstance(key, str):
        return Symbol(str(key[0]), ",".join(str(part) for part in key[1:4]), dots)
    owner, _, what = key.rpartition(".")
    if not owner:
        return Symbol({"along": "s", "rate": "s"}.get(key, key), "", 1 if key == "rate" else dots)
    if what in _ANGLES:
        return Symbol(_ANGLES[what], owner, dots)
    if what in _RATES:
        return Symbol(_RATES[what], owner, dots + 1)
    if what == "displacement":
        return Symbol("s", owner, dots)
    return Symbol(what, owner, dots)
