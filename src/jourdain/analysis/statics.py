"""statics: where a mechanism rests under its springs, weights and loads, what its joints bear, and whether it stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..assembly.prepare import Prepared
from ..files.by_name import Given, or_file
from ..library import TYPES
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.equality import equal_by
from ..mechanism.errors import ChoiceError, EquilibriumError
from ..mechanism.names import counted, nearest
from ..mechanism.ties import TIE, largest, ordered, tied, turned
from ..model.facts import depends_on_time
from ..model.stopped_clock import without_speeds
from ..results.resting_pose import LOCKED, NEUTRAL, STABLE, UNSTABLE, Equilibrium
from .equilibrium import balance
from .equilibrium.balance import BALANCED, Forces, Search
from .equilibrium.differences import derivative
from .equilibrium.flat_balance import sharpen
from .equilibrium.manifold import Manifold, manifold_at
from .equilibrium.mode_words import direction, in_words, travelled

Array = npt.NDArray[np.float64]

SEEK = ("downhill", "stable", "nearest")
NEUTRAL_PART = 1e-8  # of the stiffness that weights and springs of the mechanism could give: less resists nothing
UNSYMMETRIC = 1e-6  # of the largest stiffness
SHARE = 0.02  # of the largest acceleration: bodies that have more are named


@or_file
@asked
def statics(
    mechanism: Given,
    *,
    t: float = 0.0,
    state: Mapping[str, Any] | None = None,
    seek: str = "downhill",
) -> Equilibrium:
    """Equilibrium of a mechanism under springs, gravity and loads, all elements at rest.

    Motions hold their joints and loads keep their values as at time `t`; damping and friction do nothing. The search
    begins at `state` (default: as drawn) and goes by `seek`: "downhill" to where the mechanism would settle, which is
    where it starts if that is an equilibrium already, stable or not; "stable" leaves unstable equilibria too, downhill;
    "nearest" takes the equilibrium that Newton's method finds first, stable or not.

    Raises EquilibriumError where there is none, naming the bodies that would move on.
    """
    if seek not in SEEK:
        raise ChoiceError(f"seek is {seek!r}; {nearest(str(seek), SEEK)}")
    blueprint = blueprint_of(mechanism)
    manifold, y, prepared = manifold_at(without_speeds(blueprint), state, t, stopped=True)
    return rest_of(manifold, y, prepared, seek)


def rest_of(manifold: Manifold, y: Array, prepared: Prepared, seek: str) -> Equilibrium:
    """The equilibrium from a closed state of a manifold whose clock stands still."""
    model = manifold.model
    start = y.copy()
    start[model.layout.v] = 0.0
    _refuse_moving(manifold, start)
    search = Search(start)
    walk = balance.nearest_balance if seek == "nearest" else balance.downhill
    walk(manifold, search)
    balance.polish(manifold, search)
    sharpen(manifold, search)
    if model.states and not search.balanced:  # states such as an integral that only the pose can bring to rest
        balance.nearest_balance(manifold, search)
        balance.polish(manifold, search)
    _refuse_unbalanced(manifold, search, seek)
    stiffness = Stiffness.of(manifold, search)
    for _ in range(balance.MOST_KICKS if seek == "stable" else 0):
        if stiffness.stability != UNSTABLE or stiffness.values[0] >= 0:  # flutter has no downhill
            break
        search.y = stiffness.kicked(manifold, search.y)
        balance.downhill(manifold, search)
        balance.polish(manifold, search)
        sharpen(manifold, search)
        _refuse_unbalanced(manifold, search, seek)
        stiffness = Stiffness.of(manifold, search)
    closing = [note for note in prepared.assembly.notes(model.size) if "moved body" in note]  # velocities do not matter
    notes = (*prepared.notes, *closing, *_notes(manifold, prepared, search, stiffness, seek))
    moved, turned = travelled(model, start, search.y)
    return Equilibrium(
        solution=manifold.solution(search.y, notes),
        stability=stiffness.stability,
        direction=stiffness.words,
        stiffness=stiffness.values,
        residual=max((max(f, c) for _, f, c in _left_over(manifold, search.y)), default=0.0),
        moved=moved,
        turned=turned,
        iterations=search.steps,
    )


@equal_by()
@dataclass(frozen=True)
class Stiffness:
    """Tangent stiffness along the freedoms, over their masses, by principal direction; softest first."""

    values: Array
    vectors: Array  # (nv, freedoms)
    stability: str
    words: str
    symmetric: bool

    @classmethod
    def of(cls, manifold: Manifold, search: Search) -> Stiffness:
        forces = Forces(manifold, search)
        if forces.freedoms == 0:
            return cls(np.zeros(0), np.zeros((manifold.model.nv, 0)), LOCKED, "", True)
        K, error = _exact(forces)
        stiffest = float(np.max(np.abs(K)))
        symmetric = bool(np.max(np.abs(K - K.T)) <= UNSYMMETRIC * stiffest + error)
        flutter = False
        if symmetric:
            values, U = np.linalg.eigh(0.5 * (K + K.T))
        else:  # without a potential two stiffnesses may become complex, and then vibrations grow
            mass = forces.N.T @ manifold.mass(search.y) @ forces.N  # one, but for bodies without inertia
            squares, vectors = np.linalg.eig(np.linalg.lstsq(mass, K, rcond=BALANCED)[0])
            order = np.argsort(squares.real)
            values, U = squares.real[order], vectors.real[:, order]
            flutter = bool(np.max(np.abs(squares.imag)) > NEUTRAL_PART * stiffest + 10.0 * error)
        # What a weight or a spring that carries the forces there would resist over the length of the mechanism.
        possible = max(search.load, search.around) / (
            manifold.model.size * np.sqrt(np.trace(manifold.mass(search.y)) + 1e-300)
        )
        small = max(NEUTRAL_PART * max(stiffest, possible), 10.0 * error)
        stability = UNSTABLE if flutter or values[0] < -small else NEUTRAL if values[0] <= small else STABLE
        vectors = _settled(forces.N @ U, values, small if symmetric else -1.0, manifold.pose.scales())
        words = in_words(manifold.model, search.y, vectors[:, 0])
        return cls(values, vectors, stability, words, symmetric)

    def kicked(self, manifold: Manifold, y: Array) -> Array:
        """A little off the summit, to the side where the potential falls faster."""
        best, gain = y, -np.inf
        for sign in (1.0, -1.0):
            v = self.vectors[:, 0]
            delta = sign * balance.KICK * manifold.model.size / manifold.reach(v) * v
            found = manifold.moved(y, delta)
            if found is None:
                continue
            work = float(delta @ manifold.weighed(found, manifold.slope(found)[0]))
            if work - TIE * abs(work) > gain:  # equal: the first, where the largest displacement is positive
                best, gain = found, work
        return manifold.unwound(best)


def _settled(vectors: Array, values: Array, floor: float, scales: Array) -> Array:
    """Directions whose sign, and whose mixture where stiffnesses are equal, declared order decides and not rounding.

    Without a potential (floor below zero) directions are not orthogonal, and only their signs are settled.
    """
    seen, found = vectors / scales[:, None], vectors.copy()
    alone = [[k] for k in range(len(values))]
    for group in alone if floor < 0 else tied(range(len(values)), lambda k: values[k], TIE, floor):
        found[:, group] = vectors[:, group] @ turned(seen[:, group])
    return found


def _exact(forces: Forces) -> tuple[Array, float]:
    """The stiffness with states of elements following, to nearly rounding, and its error."""
    f, n = forces.freedoms, forces.freedoms + len(forces.s)
    K = np.zeros((n, n))
    worst = 0.0
    for k in range(n):

        def values(h: Array, k: int = k) -> tuple[Array, Array]:
            sides = np.full((2, len(h), n), np.nan)
            for side, sign in enumerate((1.0, -1.0)):
                for level, length in enumerate(h):
                    found = forces.after(sign * length * np.eye(n)[k])
                    if found is not None:
                        sides[side, level] = np.concatenate(found)
            return sides[0], sides[1]

        column, error = derivative(values, forces.unit(k), (f, n - f))
        K[:, k] = -column
        worst = max(worst, float(np.max(error[:f], initial=0.0)))
    if not np.all(np.isfinite(K)):  # the mechanism can be moved to one side only
        K, worst = forces.stiffness(), 0.0
    if n > f:
        return K[:f, :f] - K[:f, f:] @ np.linalg.pinv(K[f:, f:], rcond=1e-12) @ K[f:, :f], worst
    return K, worst


def _left_over(manifold: Manifold, y: Array) -> list[tuple[str, float, float]]:
    """Net force (N) and moment (N m) on each body, by name."""
    model = manifold.model
    a, _ = manifold.slope(y)
    net = model.layout.moves_by_body(manifold.weighed(y, a))
    dim = model.blueprint.dim
    norms = [(float(np.linalg.norm(row[:dim])), float(np.linalg.norm(row[dim:]))) for row in net]
    return [(body.name, *pair) for body, pair in zip(model.blueprint.bodies, norms, strict=True)]


def unbalanced(manifold: Manifold, y: Array) -> str:
    """Which bodies would move on, and by what, in words."""
    model = manifold.model
    a, _ = manifold.slope(y)
    dim = model.blueprint.dim
    rows = model.layout.moves_by_body(a)
    net = model.layout.moves_by_body(manifold.weighed(y, a))
    sizes = [max(float(np.linalg.norm(row[:dim])), model.size * float(np.linalg.norm(row[dim:]))) for row in rows]
    parts = []
    for k in ordered(range(len(sizes)), lambda k: -sizes[k])[:3]:
        if sizes[k] < SHARE * max(sizes):
            continue
        force, couple = net[k, :dim], net[k, dim:]
        words = []
        if np.linalg.norm(force) > SHARE * model.body_data[k].mass * max(sizes):
            words.append(f"a net force of {np.linalg.norm(force):.3g} N along {direction(force)}")
        if model.size * np.linalg.norm(rows[k, dim:]) > SHARE * max(sizes) and np.linalg.norm(couple) > 0:
            about = "" if dim == 2 else f" about {direction(couple)}"
            words.append(f"a net moment of {np.linalg.norm(couple):.3g} N m{about}")
        if words:
            parts.append(f"{' and '.join(words)} on body '{model.blueprint.bodies[k].name}'")
    return ", ".join(parts) or "nothing on bodies"


def _refuse_unbalanced(manifold: Manifold, search: Search, seek: str) -> None:
    if search.within(balance.ROUGH):
        return
    model = manifold.model
    if search.resting(balance.ROUGH):
        _, rates = manifold.slope(search.y)
        k = largest(np.abs(rates))
        element, name = model.states[k]
        words = f"the state '{element}.{name}' does not come to rest: its rate is still {rates[k]:.3g} per second"
    else:
        words = f"{unbalanced(manifold, search.y)} remains"
    where = f"no equilibrium of '{model.blueprint.name}'"
    if search.travelled >= balance.FAR * model.size:
        far = f"after it moved {search.travelled:.3g} m (turns counted by its size)"
        advice = "nothing holds it back: add a joint, a spring or a stop, or take the load away"
        raise EquilibriumError(f"{where}: {words} {far}; {advice}")
    other = "downhill" if seek == "nearest" else "nearest"
    advice = f"start nearer to one (draw it there, or state=), or try seek='{other}'"
    raise EquilibriumError(f"{where} was found in {counted(search.steps, 'step')}: {words}; {advice}")


def _refuse_moving(manifold: Manifold, y: Array) -> None:
    """Constraints that ask for a velocity cannot hold at rest."""
    rates = np.abs(manifold.pose.rate(manifold.t, y))
    wrong = [row.joint for row, rate in zip(manifold.model.rows, rates, strict=True) if row.velocity and rate > 1e-12]
    if wrong:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(wrong))
        where = f"no equilibrium of '{manifold.model.blueprint.name}'"
        raise EquilibriumError(f"{where}: {names} asks for a velocity, and at rest there is none")


def _notes(manifold: Manifold, prepared: Prepared, search: Search, stiffness: Stiffness, seek: str) -> list[str]:
    model = manifold.model
    notes = []
    if not search.within(balance.FINE):
        notes.append("forces balance only roughly here: the position is singular, or forces change very sharply")
    if depends_on_time(prepared.model):
        notes.append(f"motions and loads that depend on time stand still as at t = {manifold.t:g} s")
    if any(TYPES[part.type].dry for part in model.blueprint.components):
        notes.append("friction is left out: at rest its forces are zero here, so that nothing sticks")
    if prepared.redundancy.self_stress:
        no = [name for name, parts in prepared.redundancy.unique.items() if not all(parts.values())]
        notes.append(
            f"rigid bodies do not determine all reactions: those of {', '.join(no)} are one possibility of many"
        )
    if manifold.is_singular(search.y):
        notes.append("it rests in a singular position, where the joints leave more freedom than elsewhere")
    if model.states:
        notes.append("stability takes the states of elements as following at once; modes tells how they do in time")
    if not stiffness.symmetric:
        notes.append("the forces have no potential, so damping decides on stability too: see modes")
    if stiffness.stability == UNSTABLE and seek != "stable" and stiffness.values[0] < 0:
        notes.append("seek='stable' goes on downhill from here")
    return notes
