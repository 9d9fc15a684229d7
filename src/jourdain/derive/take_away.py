"""What a mechanism's stand-alone code consists of, whatever the language: names, constants, tables and formulas.

State y = [q | v | states of elements | turns]: turns are angles counted beyond half a turn, where formulas need them.
"""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..equations.formula import Formula
from ..mechanism.parts import GROUND
from .machine_formulas import MachineFormulas
from .symbolic_rates import ZERO, minus, plus, times

# Words of C that Python does not have, and names of C's library that a name of ours would hide.
_OF_C = """auto case char const default do double enum extern float goto inline int long register restrict short signed
sizeof static struct switch typedef union unsigned void volatile exp log sin cos tan asin acos atan atan2 sinh cosh tanh
sqrt fabs floor rint fmin fmax y0 y1 j0 j1 jn yn erf main I"""
# What the code itself is made of.
_OURS = """M J gamma Q bias C C_t rhs rates state_rates solve START NQ NV NZ NY ROWS UNUSED N t q v y z lam np math
bisect out dy how angle turn table x order breaks pieces k s c total slope"""
KEYWORDS = frozenset([*keyword.kwlist, *dir(builtins), *_OF_C.split(), *_OURS.split()])
_TEMPORARY = re.compile(r"a\d+|table_\d+|_.*")  # names of shared parts and of helpers


def identifier(name: str, taken: set[str]) -> str:
    """A name that every language takes, of letters, digits and underscores."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
    if plain[0].isdigit() or plain in KEYWORDS or _TEMPORARY.fullmatch(plain):
        plain = f"own_{plain}"
    while plain in taken:
        plain += "_"
    taken.add(plain)
    return plain


@dataclass(frozen=True)
class TakeAway:
    """Everything that code needs."""

    name: str
    set: str
    coordinates: tuple[str, ...]  # of q
    velocities: tuple[str, ...]
    states: tuple[str, ...]
    turns: tuple[str, ...]
    rows: tuple[str, ...]
    start: tuple[float, ...]
    constants: dict[str, tuple[str, float]]  # by the name of the given: identifier and value
    tables: tuple[Any, ...]
    M: list[list[Formula]]
    J: list[list[Formula]]
    gamma: list[Formula]
    C: list[Formula]
    partial: list[Formula]
    Q: list[Formula]
    bias: list[Formula]
    rates: list[Formula]
    state_rates: list[Formula]
    turn_rates: list[Formula]
    redundant: bool  # rows depend on each other
    lacking: tuple[str, ...]  # what could not be written down: rhs would be wrong without it
    notes: tuple[str, ...]

    @property
    def nq(self) -> int:
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        return len(self.velocities)


def take_away(machine: MachineFormulas) -> TakeAway:
    """From the formulas of a mechanism."""
    e = machine.evaluator
    model = e.model
    nv = model.nv
    Q, J = machine.Q, machine.rows
    taken: set[str] = set()
    constants = {name: (identifier(name, taken), value) for name, value in machine.given.values.items()}
    M = [[machine.set.M.get((k, l), ZERO) for l in range(nv)] for k in range(nv)]
    turn_rates = [_turning(machine, name) for name in machine.turns]
    formulas = [*Q.values(), *(row.C for row in J), *machine.state_rates]
    tables = {id(n.key): n.key for f in formulas for n in f.nodes() if n.op in ("table", "table_slope")}
    y, at = e.start, model.layout
    turns = [y[at.turn(n)] if n in at.turn_names else 0.0 for n in machine.turns]
    start = [*y[at.motion], *y[at.states], *turns]
    matrices = e.of(0.0, y)
    rank = int(np.linalg.matrix_rank(matrices.J, tol=1e-9 * max(1.0, float(np.max(np.abs(matrices.J), initial=0.0)))))
    return TakeAway(
        name=machine.blueprint.name,
        set=model.coordinates,
        coordinates=e.positions,
        velocities=e.coordinates,
        states=tuple(f"{a}.{b}" for a, b in model.states),
        turns=tuple(machine.turns),
        rows=tuple(f"{row.owner}: {row.meaning}" for row in J),
        start=tuple(float(x) for x in start),
        constants=constants,
        tables=tuple(tables.values()),
        M=M,
        J=[[row.J.get(n, ZERO) for n in range(nv)] for row in J],
        gamma=[row.gamma for row in J],
        C=[row.C for row in J],
        partial=[row.partial for row in J],
        Q=[Q.get(n, ZERO) for n in range(nv)],
        bias=[machine.set.bias.get(n, ZERO) for n in range(nv)],
        rates=list(machine.set.rates),
        state_rates=machine.state_rates,
        turn_rates=turn_rates,
        redundant=rank < len(J),
        lacking=tuple(machine.problems),
        notes=tuple(machine.notes),
    )


def _turning(machine: MachineFormulas, name: str) -> Formula:
    """Rate of a counted angle: the relative spin about z_i."""
    b = machine.blueprint
    if b.has_body(name):
        return machine.spin(name).X[2]
    joint = b.joint(name)
    first, second = (machine.spin(p.body).X for p in (joint.first, joint.second))
    if b.dim == 2:
        return minus(second[2], first[2])
    axis = np.asarray(machine.measures.vectors.key(machine.measures.turn_of(joint)[2])[2])
    z = machine.vector(joint.first.body, axis, False).X if joint.first.body != GROUND else tuple(map(_n, axis))
    return plus(*(times(minus(s, f), c) for f, s, c in zip(first, second, z, strict=True)))


def _n(value: float) -> Formula:
    return Formula("const", value=float(value))
