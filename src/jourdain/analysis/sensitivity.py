"""sensitivity: derivatives of channels with respect to parameters, for simulate, kinematics and statics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import Prepared, prepare
from ..choices.contract import Ability, able
from ..engine.body_states import whole_state
from ..engine.cold_start import compile_for
from ..engine.compiled_entries import COMPLEX
from ..engine.complex_numbers import unwatched
from ..files.by_name import Given, or_file
from ..mechanism.arguments import asked
from ..mechanism.builder import Mechanism
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.names import counted, nearest
from ..mechanism.parts import Blueprint
from ..mechanism.taken import Seconds
from ..model.body_data import body_data
from ..model.extent import extent_of
from ..model.facts import calls_functions, has_jumps, has_kinks
from ..model.flat import FlatModel
from ..model.states import to_vector
from ..results.derivatives import Sensitivity
from ..results.solution import Solution
from ..results.status import Statistics, Status
from .kinematics import moved_along
from .paths.driving import positioned
from .sensitivities import corners
from .sensitivities.complex_run import Followed, closed, follow_run, steps_at_corners, steps_of
from .sensitivities.moved_equilibrium import Balance, equilibrium, moved_equilibrium
from .sensitivities.parameter import Nodes, Parameter, source_of, without_events
from .sensitivities.seeds import Seed, seed
from .simulate import simulate, time_grid

Array = npt.NDArray[Any]

ANALYSES = ("simulate", "kinematics", "statics")
SMALL_TURN = 0.005  # rad, or of the size, between two of the states at which a channel is read
INTEGRATED = ("energy.dissipated", "energy.driven", "energy.total")


@or_file
@asked
def sensitivity(
    mechanism: Given | Callable[..., Mechanism],
    parameters: Sequence[Any] | Mapping[str, float] | str,
    of: Sequence[str] | str,
    duration: Seconds | None = None,
    *,
    analysis: str = "simulate",
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    recipe: str | None = None,
    coordinates: str | ch.Coordinates | None = None,
    treatment: str | ch.Treatment | None = None,
    stabilisation: str | ch.Stabilisation | None = None,
    integrator: str | ch.Integrator | None = None,
    step: Seconds | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: Seconds | None = None,
    state: Mapping[str, Any] | None = None,
) -> Sensitivity:
    """Derivatives of the channels `of` with respect to `parameters`, over time.

    Parameters are those of the file the mechanism was read from, or numbers of its parts: `crank.mass`, `crank.B.x`,
    `spring.stiffness`, `gravity`. A function that builds the mechanism may stand in its place; `parameters` are then
    its arguments with their values. `analysis` is "simulate", "kinematics" for a machine whose motions leave no
    freedom, or "statics" for the equilibrium that `statics` finds. All other arguments are those of `simulate`.
    """
    if analysis not in ANALYSES:
        raise ChoiceError(f"unknown analysis '{analysis}'; {nearest(str(analysis), ANALYSES)}")
    blueprint, found = source_of(mechanism, parameters)
    if analysis == "kinematics":  # constant speeds are positions there, which depend on parameters by themselves
        blueprint, found = positioned(blueprint), [parameter.through(positioned) for parameter in found]
    written: dict[str, Any] = {"recipe": recipe, "coordinates": coordinates, "treatment": treatment}
    written |= {"stabilisation": stabilisation, "integrator": integrator}
    written |= {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    choices = _choices(blueprint, analysis, written)
    grid = _grid(blueprint, analysis, duration, every, times)
    _check_choices(choices, blueprint.space)
    if analysis == "simulate":
        _check_events(blueprint, choices, grid, state)
    start, method = float(grid[0]), choices.integrator
    prepared = prepare(without_events(blueprint), choices.set, state, start, choices.treatment, method)
    names = [of] if isinstance(of, str) else list(of)
    _check_model(prepared, analysis)
    _check_channels(prepared, choices, names, analysis)
    compile_for(unwatched(prepared.plan), number=COMPLEX)
    run = _Run(prepared, choices, grid, analysis, state)
    outcomes = [(one, run.outcome(one)) for one in (run.seed(parameter) for parameter in found)]
    first = outcomes[0][1]
    values = _values(prepared, choices, first, names)
    derivatives: dict[tuple[str, str], Array] = {}
    for one, outcome in outcomes:
        of_one = _derivatives(prepared, choices, one, outcome, names, values)
        if run.corners:
            corners.check(one.parameter, of_one, choices, grid, state, prepared.model.size)
        derivatives |= {(name, one.parameter.name): array for name, array in of_one.items()}
    solution = _solution(prepared.model, prepared, choices, first, 0.0, 1.0)
    return Sensitivity(
        name=blueprint.name,
        analysis=analysis,
        t=first.t,
        parameters={parameter.name: parameter.value for parameter in found},
        values=values,
        d={(name, parameter.name): derivatives[name, parameter.name] for name in names for parameter in found},
        units={name: solution.unit(name) for name in names},
        solved_by=str(choices),
        notes=(*prepared.notes, *_corners(prepared.model)),
    )


def _choices(blueprint: Blueprint, analysis: str, written: Mapping[str, Any]) -> ch.Choices:
    """As `simulate` has them; the other analyses have coordinates only."""
    whole = ch.with_defaults(written, blueprint.defaults)
    if analysis == "simulate":
        return ch.resolve(blueprint.space, **whole)
    unused = [key for key, value in written.items() if value is not None and key != "coordinates"]
    if unused:
        verb = "finds the equilibrium" if analysis == "statics" else "closes the joints at every sample"
        raise ChoiceError(
            f"{analysis} {verb} by itself, so {' and '.join(unused)} would do nothing; coordinates can be chosen"
        )
    return ch.resolve(blueprint.space, coordinates=whole.get("coordinates"))


def _grid(blueprint: Blueprint, analysis: str, duration: Any, every: Any, times: Any) -> Array:
    if analysis == "statics":
        given = {"duration": duration, "every": every, "times": times}
        unused = [key for key, value in given.items() if value is not None]
        if unused:
            raise ChoiceError(f"statics has no time, so {' and '.join(unused)} would do nothing; leave it out")
        return np.array([0.0])
    if times is None:
        duration = blueprint.defaults.get("duration") if duration is None else duration
        every = blueprint.defaults.get("every") if every is None else every
    return time_grid(duration, every, times)


class _Run:
    """One of the analyses: found in real numbers once, then in complex ones for each parameter."""

    def __init__(
        self, prepared: Prepared, choices: ch.Choices, grid: Array, analysis: str, state: Mapping[str, Any] | None
    ) -> None:
        self.prepared, self.choices, self.grid, self.analysis, self.state = prepared, choices, grid, analysis, state
        self.ends = self.samples = np.zeros(0)
        self.balance: Balance | None = None
        self.corners = analysis == "simulate" and bool(_corners(prepared.model))
        if analysis == "statics":
            self.balance = Balance(prepared, choices, float(grid[0]))
            self.y = equilibrium(self.balance, prepared.assembly.y, state)
        elif analysis == "kinematics":
            self.samples = _path(prepared.model, grid, state)
        elif isinstance(choices.integrator, ch.Adaptive):
            self.ends = steps_of(prepared, choices, grid)

    def seed(self, parameter: Parameter) -> Seed:
        return seed(parameter, self.prepared, self.state, float(self.grid[0]))

    def outcome(self, one: Seed) -> Followed:
        if self.balance is not None:
            found = moved_equilibrium(self.balance, self.prepared, self.choices, one, self.y)
        elif self.analysis == "kinematics":
            found = closed(self.prepared, self.choices, one, self.grid, self.samples)
        else:
            ends = self.ends
            if self.corners and ends.size:
                ends = steps_at_corners(self.prepared, self.choices, one, float(self.grid[0]), ends)
            found = follow_run(self.prepared, self.choices, one, self.grid, ends)
        if not (np.all(np.isfinite(found.samples)) and np.all(np.isfinite(found.out))):
            name = one.parameter.name
            raise SimulationError(f"derivatives by '{name}' are not finite: a root or a direction of length zero?")
        return found


def _path(model: FlatModel, grid: Array, state: Mapping[str, Any] | None) -> Array:
    """Closed states at all times, on the branch that `kinematics` keeps."""
    run, _ = moved_along(model.blueprint, None, {}, {"duration": None, "every": None, "times": grid}, state)
    if not run.status.ok:
        raise SimulationError(run.status.sentence)
    if model.coordinates == run.model.coordinates:
        return run.samples
    return np.array([to_vector(model, whole_state(run.model, y)) for y in run.samples])


# Channels ---------------------------------------------------------------------------------------------------------


def _solution(
    model: FlatModel, prepared: Prepared, choices: ch.Choices, outcome: Followed, ahead: float, step: float
) -> Solution:
    """The states moved `ahead` along their derivatives, to read channels from."""
    samples, out = (array.real + ahead * (array.imag / step) for array in (outcome.samples, outcome.out))
    status, statistics = Status(True, "derivatives"), Statistics(0, 0, 0, 0, 0, 0.0)
    return Solution(model, choices, outcome.t, samples, out, status, statistics, prepared.redundancy)


def _values(prepared: Prepared, choices: ch.Choices, outcome: Followed, names: Sequence[str]) -> dict[str, Array]:
    solution = _solution(prepared.model, prepared, choices, outcome, 0.0, 1.0)
    return {name: np.array(solution[name]) for name in names}


def _derivatives(
    prepared: Prepared,
    choices: ch.Choices,
    one: Seed,
    outcome: Followed,
    names: Sequence[str],
    values: Mapping[str, Array],
) -> dict[str, Array]:
    """Of channels, which are cheap and smooth functions of the state and of the mechanism: by differences."""
    model = one.model
    turn = np.max(np.abs(outcome.samples[:, model.layout.q].imag / one.step)) / min(1.0, model.size)
    spacing = min(one.spacing, SMALL_TURN / max(float(turn), 1e-300))
    found = []
    for offset in one.offsets:
        blueprint = one.parameter.at(one.parameter.value + offset * spacing)
        bodies = tuple(map(partial(body_data, blueprint), blueprint.bodies, extent_of(blueprint).of_bodies))
        shifted = replace(prepared.model, blueprint=blueprint, body_data=bodies)
        solution = _solution(shifted, prepared, choices, outcome, offset * spacing, one.step)
        found.append({name: _unwrapped(name, solution[name], values[name]) for name in names})
    nodes = Nodes(spacing, one.offsets, tuple(found))
    large = float(max(np.max(np.abs(array)) for array in (outcome.samples, outcome.out)))
    derivatives = {}
    for name in names:
        derivatives[name], smooth = nodes.derivative(lambda node, name=name: node[name], values[name], large)  # type: ignore[misc]
        if not smooth:
            raise SimulationError(f"'{name}' does not change smoothly with '{one.parameter.name}'")
    return derivatives


def _unwrapped(name: str, values: Array, near: Array) -> Array:
    """Angles may be read a turn away."""
    return values - 2 * np.pi * np.round((values - near) / (2 * np.pi)) if name.endswith(".angle") else values


def _corners(model: FlatModel) -> list[str]:
    """What formulas do that leaves derivatives less exact, or wrong."""
    notes = []
    if has_jumps(model):
        notes.append("a formula has a sign, which jumps: derivatives exist only while it does not change")
    if has_kinks(model):
        notes.append(
            "a force or a formula has kinks: where one is passed, derivatives agree with differences of runs to "
            f"{corners.AGREE:.0%} of the largest or better"
        )
    return notes


# Refusals ---------------------------------------------------------------------------------------------------------


def _check_choices(choices: ch.Choices, space: str) -> None:
    """What has no complex version, and the nearest that has."""
    method, treatment = choices.integrator, choices.treatment
    if Ability.COMPLEX not in method.abilities:
        known = able(ch.INTEGRATORS, Ability.COMPLEX)
        nearest_one = next(name for name in known if ch.INTEGRATORS[name].fixed == method.fixed)
        solves = Ability.UNKNOWNS in method.abilities or method.implies is not None
        why = "solves equations inside its steps, which sensitivity does not follow"
        why = why if solves else "has no loop in complex numbers, by which sensitivity follows a run"
        raise ChoiceError(f"{method} {why}; use {nearest_one} (followed are {', '.join(known)})")
    if Ability.COMPLEX not in treatment.abilities:
        followed = " or ".join(able(ch.TREATMENTS, Ability.COMPLEX))
        raise ChoiceError(f"{treatment} is not followed by sensitivity; use {followed}")
    if Ability.COMPLEX not in choices.set.abilities:
        use = able(ch.COORDINATES[space], Ability.COMPLEX)[0]
        raise ChoiceError(f"coordinates {choices.coordinates} are not followed by sensitivity; use {use}")


def _check_events(blueprint: Blueprint, choices: ch.Choices, grid: Array, state: Mapping[str, Any] | None) -> None:
    """Events that do something at a time that changes with parameters are refused, if they happen."""
    acting = [event.name for event in blueprint.events if any(action.kind != "record" for action in event.actions)]
    if not acting:
        return
    how: dict[str, Any] = {"treatment": choices.treatment, "integrator": choices.integrator, "state": state}
    run = simulate(blueprint, times=grid, coordinates=choices.set, progress=False, **how)
    happened = {name: float(run.events[name].t[0]) for name in acting if len(run.events[name].t)}
    if happened:
        words = ", ".join(f"'{name}' at t = {t:.4g} s" for name, t in happened.items())
        raise ChoiceError(
            f"events happen ({words}), at times that change with parameters, which sensitivity does not follow; "
            "end the run before, or leave them out"
        )


def _check_model(prepared: Prepared, analysis: str) -> None:
    model = prepared.model
    if calls_functions(model):
        raise ChoiceError(
            "functions of Python have no derivatives by parameters: write them as formulas, which have, or as tables"
        )
    if analysis == "simulate":
        return
    if model.states:
        names = ", ".join(sorted({element for element, _ in model.states}))
        raise ChoiceError(f"{analysis} knows no states, and {names} has some; use analysis='simulate'")
    if analysis == "kinematics" and prepared.redundancy.freedoms:
        free = counted(prepared.redundancy.freedoms, "degree")
        raise ChoiceError(
            f"kinematics needs motions that leave no freedom, and {free} of freedom remain; add motions, or use "
            "analysis='simulate'"
        )


def _check_channels(prepared: Prepared, choices: ch.Choices, names: Sequence[str], analysis: str) -> None:
    """All faults of the channels at once."""
    if not names:
        raise ChoiceError("of is empty; expected channels, such as 'slider.x' or 'energy.total'")
    nothing = np.zeros((1, prepared.model.length))
    blank = Followed(np.zeros(1), nothing.astype(complex), np.zeros((1, prepared.model.outputs.length), dtype=complex))
    known = set(_solution(prepared.model, prepared, choices, blank, 0.0, 1.0).channels)
    faults = []
    for name in names:
        if prepared.model.blueprint.full_name(name) not in known and name not in known:
            faults.append(f"no channel '{name}'; {nearest(str(name), known)}")
        elif name.startswith("violation."):
            faults.append(f"'{name}' is an error of the numbers, which no parameter explains")
        elif analysis != "simulate" and name in INTEGRATED:
            faults.append(f"'{name}' is summed over time, which {analysis} does not; use analysis='simulate'")
    if faults:
        raise ChoiceError("; ".join(faults))
