"""linearise: small deviations from an equilibrium or a motion, as x' = A x + B u, y = C x + D u.

The states are independent coordinates, their rates and the states of elements. A closed state nearby is found from
deviations along the joints (p of positions, w of velocities, z of elements) by closing the joints again; coordinates,
rates, second rates and outputs there are differences of high order (differences.py). With S the derivatives of the
states by (p, w, z) and R those of their rates, A = R S^-1: any choice of deviations gives the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files.by_name import Given, or_file
from ..library import TYPES
from ..mechanism.arguments import asked
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import ChoiceError, EquilibriumError
from ..mechanism.names import counted, nearest
from ..mechanism.parts import Blueprint
from ..mechanism.ties import independent
from ..model.facts import rows_follow_states
from ..model.stopped_clock import without_speeds
from ..results.channel_values import channel_names
from ..results.resting_pose import Equilibrium
from ..results.solution import Solution
from ..results.state_space import StateSpace
from .equilibrium.independent import IndependentCoordinate, by_name, of_bodies
from .equilibrium.inputs import Inputs, unused, with_inputs
from .equilibrium.manifold import Manifold, manifold_at
from .equilibrium.readings import Readings, ReadPlace
from .simulate import simulate
from .statics import rest_of, unbalanced

Array = npt.NDArray[np.float64]

ABOUT = ("equilibrium", "start")
AT_REST = 1e-9  # of the size a second, and of all forces: what moves or is pushed less is at rest
ANGLES_FIRST = 10.0  # how much more than places angles count when coordinates are chosen: they read better
DEPENDENT = 1e-7  # of the largest: coordinates whose derivatives are smaller do not tell the pose


@or_file
@asked
def linearise(
    mechanism: Given,
    about: Any = "equilibrium",
    *,
    t: float | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    coordinates: Sequence[str] | None = None,
) -> StateSpace:
    """A mechanism linearised in independent coordinates, for named inputs and outputs.

    `about` is "equilibrium" (found downhill from the drawn pose), what `statics` returned, "start" (as drawn, with its
    velocities), a state by body name, or a run, of which the time `t` is taken. Inputs are parameters, forces and
    torques of the mechanism, or new ones: `crank.B.fx`, `crank.mz`, `A.torque`. Outputs are any channels (default: the
    coordinates). `coordinates` names as many channels as there are freedoms; by default those of bodies are chosen.
    """
    return linearised(mechanism, about, t, inputs, outputs, coordinates)[0]


@dataclass(frozen=True)
class Parts:
    """What `modes` needs besides the matrices: A in deviations that are well scaled, which need no names."""

    place: ReadPlace
    matrix: Array  # A, of (p, w, z) at rest, else of the named states
    mass: Array  # along w
    freedoms: tuple[int, int]  # coordinates, rates
    shapes: Array  # (nv, states): displacements of bodies
    states: Array  # (states, states): named states
    error: float  # of the matrix, relative
    rate_error: float  # of the part that multiplies rates
    stiffness: float  # 1/s^2, of what the forces there would hold over the length of the mechanism


def linearised(
    mechanism: Given, about: Any, t: float | None, inputs: Any, outputs: Any, coordinates: Any
) -> tuple[StateSpace, Parts]:
    driven, faults = with_inputs(blueprint_of(mechanism), inputs)
    place = find_place(driven.blueprint, mechanism, about, t)
    faults += unused(place.manifold.model, driven)
    chosen = None
    if coordinates is not None:
        found = [by_name(place.manifold.model.blueprint, name) for name in _listed(coordinates)]
        faults += [f"coordinate {part}" for part in found if isinstance(part, str)]
        chosen = [part for part in found if isinstance(part, IndependentCoordinate)]
    wanted = None if outputs is None else _listed(outputs)
    there = place.manifold.solution(place.y)
    faults += [] if wanted is None else _unknown(there, wanted)
    if faults:
        raise ChoiceError("cannot linearise: " + "; ".join(faults))
    return _matrices(place, driven, chosen, wanted)


def _listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _unknown(there: Solution, outputs: list[str]) -> list[str]:
    known = channel_names(there)
    faults = []
    for name in outputs:
        try:
            there[name]
        except KeyError:
            faults.append(f"there is no output '{name}'; {nearest(name, known)}")
    return faults


# Where --------------------------------------------------------------------------------------------------------------


def find_place(blueprint: Blueprint, mechanism: Any, about: Any, t: float | None) -> ReadPlace:
    """The state to linearise about, on a mechanism whose clock stands still for equilibria and runs for motions."""
    if isinstance(about, Equilibrium):
        if t is not None and t != about.t:
            raise ChoiceError(f"t is {t:g} s, and the equilibrium was found at t = {about.t:g} s; leave t out")
        return _at_equilibrium(blueprint, about.state(), about.t)
    if isinstance(about, str):
        if about not in ABOUT:
            raise ChoiceError(f"about is {about!r}; {nearest(about, ABOUT)}, or an equilibrium, a state or a run")
        if about == "equilibrium":
            return _at_equilibrium(blueprint, None, t or 0.0)
        return _in_motion(blueprint, None, t or 0.0, "its start")
    if isinstance(about, Solution):
        if t is None:
            raise ChoiceError("about is a run: say at which time, such as t=2.0")
        return _in_motion(blueprint, _state_at(mechanism, about, t), t, "a motion")
    if isinstance(about, Mapping):
        return _in_motion(blueprint, about, t or 0.0, "a state")
    raise ChoiceError(f"about is {type(about).__name__}; expected {', '.join(ABOUT)}, an equilibrium, a state or a run")


def _at_equilibrium(blueprint: Blueprint, state: Any, t: float) -> ReadPlace:
    manifold, y, prepared = manifold_at(without_speeds(blueprint), state, t, stopped=True)
    # What is one already must not be left because of its last digits.
    rest = rest_of(manifold, y, prepared, "downhill" if state is None else "nearest")
    return ReadPlace(manifold, rest.solution.samples[0], f"its equilibrium at t = {t:g} s", True, rest.notes)


def _in_motion(blueprint: Blueprint, state: Any, t: float, words: str) -> ReadPlace:
    manifold, y, prepared = manifold_at(blueprint, state, t, stopped=False)
    notes = (*prepared.notes, *prepared.assembly.notes(manifold.model.size))
    return ReadPlace(manifold, y, f"{words} at t = {t:g} s", at_rest(manifold, y), notes)


def at_rest(manifold: Manifold, y: Array) -> bool:
    """Whether nothing moves or accelerates, in a state of a mechanism whose clock runs."""
    model = manifold.model
    a, rates = manifold.slope(y)
    states = float(np.max(np.abs(y[model.layout.states]), initial=1.0))
    still = manifold.reach(y[model.layout.v]) <= AT_REST * model.size
    calm = float(np.max(np.abs(rates), initial=0.0)) <= AT_REST * states
    return bool(still and calm and np.sqrt(a @ manifold.weighed(y, a)) <= AT_REST * manifold.load())


def _state_at(mechanism: Mechanism | Blueprint, run: Solution, t: float) -> dict[str, Any]:
    """The state of a run at any time in it: of a sample, or simulated on from the one before."""
    if not run.t[0] <= t <= run.t[-1]:
        raise ChoiceError(f"t is {t:g} s; the run goes from {run.t[0]:g} to {run.t[-1]:g} s")
    k = int(np.searchsorted(run.t, t, side="right")) - 1
    if run.t[k] == t:
        return run.state(k)
    more = simulate(blueprint_of(mechanism), times=[float(run.t[k]), t], state=run.state(k), progress=False)
    return more.state(-1)


# Matrices -----------------------------------------------------------------------------------------------------------


def _matrices(
    place: ReadPlace, driven: Inputs, named: list[IndependentCoordinate] | None, wanted: list[str] | None
) -> tuple[StateSpace, Parts]:
    manifold, y = place.manifold, place.y
    model = manifold.model
    candidates = of_bodies(model.blueprint) if named is None else named
    outputs = wanted or []
    Nq, Nv = manifold.basis(y, positions=True), manifold.basis(y)
    reading = Readings(place, candidates, outputs, manifold.mass(y, extra=True) @ Nv)
    if manifold.is_singular(y):
        raise EquilibriumError(
            f"'{model.blueprint.name}' is in a singular position in {place.words}, where the joints leave more freedom "
            "than elsewhere: no linear equations describe its motion there; load it so that it rests elsewhere"
        )
    F, error = _derivatives(reading, Nq, Nv)
    fq, fv, ns = Nq.shape[1], Nv.shape[1], len(model.states)
    chosen = _chosen(reading, F[reading.x, :fq], model.size, named)
    free = _fastest(F[reading.v][chosen][:, fq : fq + fv], fv)
    x, v, a = ([part.start + k for k in chosen] for part in (reading.x, reading.v, reading.a))
    state_rows = [*x, *(v[k] for k in free), *range(reading.z.start, reading.z.stop)]
    rate_rows = [*v, *(a[k] for k in free), *range(reading.dz.start, reading.dz.stop)]
    S = F[state_rows]
    inverse = np.linalg.inv(S)
    A, C = F[rate_rows] @ inverse, F[reading.y] @ inverse
    U = np.zeros((len(F), len(driven.names)))
    for k, (parameter, unit) in enumerate(zip(driven.parameters, driven.units, strict=True)):
        U[:, k], _ = reading.by_input(parameter, unit)
        if not np.all(np.isfinite(U[:, k])):
            raise ChoiceError(
                f"cannot linearise: the joints do not close if input '{driven.names[k]}' is changed a little"
            )
    B, D = U[rate_rows] - A @ U[state_rows], U[reading.y] - C @ U[state_rows]
    names = [candidates[k].name for k in chosen]
    rates = [candidates[chosen[k]].rate for k in free]
    there = reading.of(y[None])[0, reading.y]
    if wanted is None:  # the coordinates themselves
        outputs, C, D = names, np.eye(fq, fq + fv + ns), np.zeros((fq, len(driven.names)))
        there = reading.of(y[None])[0, x]
    system = StateSpace(
        mechanism=model.blueprint.name,
        about=place.words,
        t=manifold.t,
        A=_clean(A, fq, names, [candidates[chosen[k]].name for k in free]),
        B=B,
        C=C,
        D=D,
        states=(*names, *rates, *(f"{element}.{name}" for element, name in model.states)),
        inputs=driven.names,
        outputs=tuple(outputs),
        outputs_there=there,
        error=_relative(F, error, [v, [a[k] for k in free], rate_rows[fq + fv :]]),
        notes=_notes(place, fq + fv),
    )
    return system, _parts(place, reading, F, error, (Nq, Nv), S, system)


def _parts(
    place: ReadPlace, reading: Readings, F: Array, error: Array, N: tuple[Array, Array], S: Array, system: StateSpace
) -> Parts:
    """At rest, deviations along the joints that are orthonormal in the mass metric give a symmetric stiffness."""
    manifold, y = place.manifold, place.y
    model = manifold.model
    fq, fv = (part.shape[1] for part in N)
    n = len(S)
    mass = N[1].T @ manifold.mass(y) @ N[1]
    shapes = np.hstack([N[0], np.zeros((model.nv, n - fq))])
    manifold.slope(y)
    slow = manifold.load() / (model.size * np.sqrt(np.trace(manifold.mass(y))))
    rate_error = float(np.max(error[reading.w, fq : fq + fv], initial=0.0))
    if not place.at_rest or fq != fv or rows_follow_states(model):
        inverse = np.linalg.inv(S)
        return Parts(place, system.A, mass, (fq, fv), shapes @ inverse, np.eye(n), system.error, rate_error, slow)
    rows = [*range(reading.w.start, reading.w.stop), *range(reading.dz.start, reading.dz.stop)]
    matrix = np.vstack([np.eye(fq, n, fq), F[rows]])
    blocks = [rows[:fv], rows[fv:]]
    return Parts(place, matrix, mass, (fq, fv), shapes, S, _relative(F, error, blocks), rate_error, slow)


def _relative(F: Array, error: Array, blocks: list[list[int]]) -> float:
    """The largest error in any block of rows, against the largest derivative there."""
    sizes = [(np.max(error[rows], initial=0.0), np.max(np.abs(F[rows]), initial=0.0)) for rows in blocks]
    return float(max((e / f for e, f in sizes if f > 0), default=0.0))


def _derivatives(reading: Readings, Nq: Array, Nv: Array) -> tuple[Array, Array]:
    """Derivatives of all readings by (p, w, z), and their errors."""
    manifold, y = reading.place.manifold, reading.place.y
    model = manifold.model
    size, ns = model.size, len(model.states)
    still, calm = np.zeros(model.nv), np.zeros(ns)
    speed = max(size, manifold.reach(y[model.layout.v]))  # one size a second, or as fast as it is
    ways = [(N, still, calm, size / manifold.reach(N)) for N in Nq.T]
    ways += [(still, N, calm, speed / manifold.reach(N)) for N in Nv.T]
    z = y[model.layout.states]
    ways += [(still, still, e, max(1.0, abs(float(e @ z)))) for e in np.eye(ns)]
    found = [reading.along(*way) for way in ways]
    if not found:
        return np.zeros((reading.y.stop, 0)), np.zeros((reading.y.stop, 0))
    F, error = (np.array([pair[k] for pair in found]).T for k in range(2))
    if not np.all(np.isfinite(F)):
        raise ChoiceError("cannot linearise: the mechanism cannot be moved a little from there; is it at a dead point?")
    return F, error


def _chosen(reading: Readings, G: Array, size: float, named: list[IndependentCoordinate] | None) -> list[int]:
    """Independent coordinates: those named, or those that move most, one after the other, the first of equals."""
    fq = G.shape[1]
    turning = np.array([reading.kind(k)[1] for k in range(len(G))])
    scaled = G * np.where(turning, size, 1.0)[:, None]
    if named is not None:
        if len(named) != fq:
            raise ChoiceError(
                f"{counted(len(named), 'coordinate')} named, and the mechanism has {counted(fq, 'freedom')}; "
                "name as many, or leave coordinates out"
            )
        if fq and np.linalg.svd(scaled, compute_uv=False)[-1] <= DEPENDENT * np.max(np.abs(scaled)):
            names = ", ".join(c.name for c in named)
            raise ChoiceError(f"coordinates {names} do not determine the pose: it can move while they stand still")
        return list(range(fq))
    if fq == 0:
        return []
    preferred = scaled * np.where(turning, ANGLES_FIRST, 1.0)[:, None]
    return sorted(independent(preferred, fq))


def _fastest(G: Array, fv: int) -> list[int]:
    """Which of the coordinates have independent rates: all, unless velocities are constrained."""
    if fv == len(G):
        return list(range(fv))
    if fv == 0:
        return []
    return sorted(independent(G, fv))


def _clean(A: Array, fq: int, names: list[str], fast: list[str]) -> Array:
    """Rows that say that a coordinate's rate is its rate: exactly so."""
    for k, name in enumerate(names):
        if name in fast:
            A[k] = 0.0
            A[k, fq + fast.index(name)] = 1.0
    return A


def _notes(place: ReadPlace, states: int) -> tuple[str, ...]:
    notes = list(place.notes)
    model = place.manifold.model
    if states == 0:
        notes.append("the mechanism has no freedom: there are no coordinates")
    if not place.at_rest:
        notes.append("about a motion the matrices hold for this moment; they are constant only if the motion is steady")
    if model.kinked:
        notes.append("some forces have kinks (stops, ropes); what is found holds on the side it is on")
    if any(TYPES[part.type].dry for part in model.blueprint.components) and place.at_rest:
        notes.append("dry friction at rest acts as a strong viscous damper here, not as a lock")
    return tuple(notes)


def motion_words(place: ReadPlace) -> str:
    """What accelerates at a state that is no equilibrium."""
    return unbalanced(place.manifold, place.y)
