"""inverse_dynamics: the efforts of motions or of chosen actuators, and all reactions, for a prescribed motion."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..assembly.prepare import Prepared, prepare
from ..engine.pose import Pose
from ..files.by_name import Given, or_file
from ..library.forces.actuator import ACTUATOR
from ..library.geometry import split_joint
from ..library.joints import kind_of
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import ChoiceError
from ..mechanism.frozen import Frozen
from ..mechanism.names import counted, nearest
from ..mechanism.parts import Blueprint, Component
from ..mechanism.taken import Seconds
from ..mechanism.ties import largest, settled, smallest
from ..model.facts import feeds_back
from ..results.driven_motion import Kinematics
from ..results.inverse import InverseDynamics, actuator_name, parameter_name
from ..results.joint_rates import joint_rates
from ..results.record import Record
from ..results.solution import Solution
from ..results.status import SimulationWarning, Status
from .kinematics import moved_along
from .paths import driving
from .paths.freedoms import free_motions, scaled_rates

Array = npt.NDArray[np.float64]

SINGULAR = 1e-9  # of the largest singular value of what actuators do to the motion
LITTLE = 1e-2  # of the usual hold of the actuators on the motion
ROUNDS = 50  # for forces that depend on reactions
BALANCED = 1e-12  # of the efforts
EFFORTS = ("torque", "force", "fx", "fy", "fz")


@or_file
@asked
def inverse_dynamics(
    mechanism: Given,
    motion: Mapping[str, Any] | Record | None = None,
    *,
    actuators: Sequence[str] | None = None,
    weights: Mapping[str, float] | None = None,
    drive: str | None = None,
    from_: float | str | None = None,
    to: float | str | None = None,
    speed: float | str | None = None,
    points: int | None = None,
    duration: Seconds | None = None,
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
) -> InverseDynamics:
    """What it takes to move a mechanism as prescribed: efforts and reactions at all samples.

    The motion is that of the mechanism's own motions, or of `motion`: joints by name with their angle or displacement
    over time (a formula, a function, a table of pairs), or a run whose joints are followed through a spline. Or one
    joint goes through a range, as in `kinematics`, whose other arguments are the same.

    Each motion makes its own effort, unless `actuators` names joints that make it together: as many as there are
    freedoms, or more, which then share so that the sum of weight times effort squared is least (`weights` by joint,
    default 1).
    """
    blueprint = blueprint_of(mechanism)
    if motion is not None and drive is not None:
        raise ChoiceError("motion and drive both say how it moves; keep one")
    if weights is not None and actuators is None:
        raise ChoiceError("weights say how actuators share the work; name the actuators too")
    for_time: dict[str, Any] = {"duration": duration, "every": every, "times": times}
    if isinstance(motion, Record):
        blueprint, state = _followed(blueprint, motion, actuators, state)
        if all(value is None for value in for_time.values()):
            for_time["times"] = motion.t
    elif motion is not None:
        blueprint = _prescribed(blueprint, motion)
    names = {_name(blueprint, key): key for key in motion} if isinstance(motion, Mapping) else {}
    chosen = _chosen(blueprint, actuators, weights)
    blueprint = _with_actuators(blueprint, chosen)
    for_range = {"from_": from_, "to": to, "speed": speed, "points": points}
    run, prepared = moved_along(blueprint, drive, for_range, for_time, state)
    found = _result(run)
    if chosen is None:
        found.sources = {names.get(name, name): channel for name, channel in _effort_channels(run).items()}
        found.efforts = {name: run[channel] for name, channel in found.sources.items()}
    else:
        _share(found, prepared, chosen)
    if not found.status.ok:
        warnings.warn(found.status.sentence, SimulationWarning, stacklevel=4)
    return found


# The motion ------------------------------------------------------------------------------------------------------


def _prescribed(blueprint: Blueprint, motion: Mapping[str, Any]) -> Blueprint:
    """The mechanism with these coordinates prescribed, in place of motions of the same ones."""
    if not isinstance(motion, Mapping) or not motion:
        raise ChoiceError(f"motion is {motion!r}; expected joints by name with their angle or displacement, or a run")
    faults = []
    for name, value in motion.items():
        try:
            asked = driving.asked(blueprint, name)
        except ChoiceError as error:
            faults.append(str(error))
            continue
        values = {"joint": asked.joint, asked.quantity: value}
        rest = driving.without(blueprint, asked)
        blueprint = replace(rest, motions=(*rest.motions, driving.motion_of(asked.name, values)))
    if faults:
        raise ChoiceError("; ".join(faults))
    return blueprint


def _name(blueprint: Blueprint, key: str) -> str:
    """The motion that moves what `key` names."""
    return driving.asked(blueprint, key).name


def _followed(
    blueprint: Blueprint, run: Record, actuators: Sequence[str] | None, state: Mapping[str, Any] | None
) -> tuple[Blueprint, Mapping[str, Any] | None]:
    """The mechanism with as many joints prescribed as it has freedoms, each by a table of the run."""
    if isinstance(run, Solution) and state is None:
        state = {k: v for k, v in run.state(0).items() if blueprint.has_body(k)}
    free = replace(blueprint, motions=())
    base = prepare(free, None, state)
    names = _independent(base, actuators or ())
    if not names:
        raise blueprint.refused(["it is locked, so it cannot follow a motion: no freedom is left"])
    missing = [name for name in names if name not in run.channels]
    if missing:
        raise ChoiceError(f"the motion has no channel {', '.join(missing)}, which this mechanism needs")
    tables = {name: np.column_stack([run.t, run[name]]).tolist() for name in names}
    return _prescribed(free, tables), state


def _independent(base: Prepared, preferred: Sequence[str]) -> list[str]:
    """Coordinates of joints that decide the pose: of those preferred as many as may be, then the best conditioned."""
    blueprint = base.model.blueprint
    motion = free_motions(Pose(base.model, base.workspace), base.assembly.y, 0.0)
    rates, count = scaled_rates(motion), len(motion.frame)
    joints = blueprint.joints_by_name
    first = {_full(blueprint, name) for name in preferred if split_joint(name, joints)[0] in joints}
    taken: list[str] = []
    basis = np.zeros((0, count))
    for candidates in ([n for n in rates if n in first], list(rates)):
        while len(taken) < count:
            rest = {n: rates[n] - basis.T @ (basis @ rates[n]) for n in candidates if n not in taken}
            if not rest:
                break
            best = list(rest)[largest(float(np.linalg.norm(rate)) for rate in rest.values())]
            if np.linalg.norm(rest[best]) < 1e-6:
                break
            taken.append(best)
            basis = np.vstack([basis, rest[best] / np.linalg.norm(rest[best])])
    return taken


def _joints(blueprint: Blueprint) -> dict[str, Any]:
    return {joint.name: joint for joint in blueprint.joints}


def _full(blueprint: Blueprint, text: str) -> str:
    name, quantity = split_joint(text, blueprint.joints_by_name)
    return f"{name}.{quantity or (kind_of(blueprint.joint(name)).coordinates or ('',))[0]}"


# The actuators ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Actuators:
    """Actuators by joint, as they were named, and their weights."""

    names: tuple[str, ...]
    weights: Array


def _chosen(
    blueprint: Blueprint, actuators: Sequence[str] | None, weights: Mapping[str, float] | None
) -> Actuators | None:
    """Checked names and weights; every fault at once."""
    if actuators is None:
        return None
    names = [actuators] if isinstance(actuators, str) else list(actuators)
    joints = _joints(blueprint)
    usable = [name for name, joint in joints.items() if kind_of(joint).coordinates]
    faults = [] if names else [f"actuators is empty; expected joints: {', '.join(usable)}"]
    for text in names:
        name, quantity = split_joint(text, joints)
        if name not in joints:
            faults.append(f"no joint '{name}' for an actuator; {nearest(name, usable)}")
        elif not kind_of(joints[name]).coordinates or quantity not in ("", *kind_of(joints[name]).coordinates):
            faults.append(f"joint '{text}' has no angle or displacement to act on; {nearest(name, usable)}")
        elif names.count(text) > 1:
            faults.append(f"actuator '{text}' is named twice")
    for name, weight in (weights or {}).items():
        if name not in names:
            faults.append(f"weight of '{name}', which is no actuator; {nearest(name, names)}")
        elif not isinstance(weight, int | float) or not 0 < weight < float("inf"):
            faults.append(f"weight of '{name}' is {weight!r}; expected a positive number")
    if faults:
        raise ChoiceError("; ".join(dict.fromkeys(faults)))
    return Actuators(tuple(names), np.array([float((weights or {}).get(name, 1.0)) for name in names]))


def _with_actuators(blueprint: Blueprint, chosen: Actuators | None) -> Blueprint:
    """Actuators whose efforts are parameters, zero for now."""
    if chosen is None:
        return blueprint
    needed = {name for n in chosen.names for name in (actuator_name(n), parameter_name(n))}
    taken = sorted(needed & driving.names_taken(blueprint))
    if taken:
        raise ChoiceError(f"inverse_dynamics needs the names {', '.join(taken)} for itself; rename these parts")
    parts = tuple(
        Component(actuator_name(n), ACTUATOR.name, Frozen({"joint": n, "motor": parameter_name(n)}))
        for n in chosen.names
    )
    parameters = {**blueprint.parameters, **{parameter_name(n): 0.0 for n in chosen.names}}
    return replace(blueprint, forces=(*blueprint.forces, *parts), parameters=Frozen(parameters))


def _effort_channels(run: Kinematics) -> dict[str, str]:
    """The channel of each motion's effort, by its name; of a point driven in several coordinates one for each."""
    found: dict[str, str] = {}
    for motion in run.blueprint.motions:
        channels = [c for c in EFFORTS if f"{motion.name}.{c}" in run.model.reports]
        if motion.values.get("point") is not None:
            channels = [c for c in channels if c.startswith("f") and len(c) == 2]
        several = len(channels) > 1 or motion.values.get("point") is not None
        found |= {f"{motion.name}.{c}" if several else motion.name: f"{motion.name}.{c}" for c in channels}
    return found


def _result(run: Kinematics) -> InverseDynamics:
    parts = (run.model, run.choices, run.t, run.samples, run.outputs, run.status, run.statistics, run.redundancy)
    found = InverseDynamics(*parts)
    found.driver, found.limits = run.driver, run.limits
    found.change_points, found.dead_points = run.change_points, run.dead_points
    return found


def _share(found: InverseDynamics, prepared: Prepared, chosen: Actuators) -> None:
    """Efforts of the actuators with which the motions have nothing left to do; rewrites what the run reports."""
    held = _Held(prepared, found, chosen.names)
    rank = 0
    efforts = np.zeros((len(found.t), len(chosen.names)))
    weak: list[float] = []
    hold = np.zeros(len(found.t))
    for k in range(len(found.t)):
        G = held.influence(k)
        efforts[k], good = held.balanced(k, G, chosen.weights)
        rank = max(rank, good)
        hold[k] = np.linalg.svd(G, compute_uv=False)[min(len(held.columns), len(chosen.names)) - 1]
        if good < len(held.columns):
            weak.append(float(found.t[k]))
        if k == 0:
            found.internal = _internal(G, chosen.names)
    if len(weak) == len(found.t):
        raise found.blueprint.refused([_too_few(found, chosen, len(held.columns), rank)])
    if weak:
        words = f"at t = {weak[0]:g} s the actuators {', '.join(chosen.names)} cannot make the motion: they stand so "
        words += "that some freedom feels none of them"
        found.status = Status(False, words, found.status.notes)
    elif np.min(hold) < LITTLE * np.median(hold):
        when = found.t[smallest(hold)]
        note = (
            f"near t = {when:.4g} s the actuators have hardly any hold on the motion, so their efforts are large there"
        )
        found.status = replace(found.status, notes=(*found.status.notes, note))
    if found.internal:
        many = counted(len(found.internal), "actuator")
        note = f"{many} more than needed: efforts are those of least weighted squares"
        found.status = replace(found.status, notes=(*found.status.notes, note))
    found.actuators = chosen.names
    reports = found.model.reports
    efforts_of = {n: (f"{actuator_name(n)}.torque", f"{actuator_name(n)}.force") for n in chosen.names}
    found.sources = {n: next(c for c in channels if c in reports) for n, channels in efforts_of.items()}
    found.efforts = {name: efforts[:, j] for j, name in enumerate(chosen.names)}


def _too_few(found: InverseDynamics, chosen: Actuators, freedoms: int, rank: int) -> str:
    moving = [n for n, r in joint_rates(found.motion).items() if np.max(np.abs(r)) > 1e-9]
    used = {split_joint(c, found.blueprint.joints_by_name)[0] for c in chosen.names}
    others = [joint for n in moving if (joint := n.rpartition(".")[0]) not in used]
    driven = f"{counted(freedoms, 'freedom')} {'is' if freedoms == 1 else 'are'} driven"
    words = f"the actuators {', '.join(chosen.names)} cannot make this motion: {driven}, and they act on {rank}"
    return f"{words}; add one of {', '.join(dict.fromkeys(others))}" if others else words


def _internal(G: Array, names: tuple[str, ...]) -> tuple[dict[str, float], ...]:
    """Combinations of efforts that leave the motions' efforts as they are."""
    _, singular, Vt = np.linalg.svd(G)
    rank = int(np.sum(singular > SINGULAR * singular[0])) if singular.size and singular[0] > 0 else 0
    rows = [row / row[largest(np.abs(row))] for row in settled(Vt[rank:].T).T]
    return tuple(dict(zip(names, np.where(np.abs(row) > 1e-12, row, 0.0).tolist(), strict=True)) for row in rows)


class _Held:
    """The samples of a run under changing efforts: what is left for the motions to do."""

    def __init__(self, prepared: Prepared, run: InverseDynamics, names: tuple[str, ...]) -> None:
        self.pose, self.run, self.names = Pose(prepared.model, prepared.workspace), run, names
        places = run.model.outputs
        self.columns = [places.report(channel) for channel in _effort_channels(run).values()]
        self._accelerations = places.accelerations
        self._feedback = feeds_back(run.model)

    def left(self, k: int, efforts: Array) -> Array:
        """Efforts of the motions at sample k with these of the actuators; the reports of the run are those now."""
        self.pose.workspace.set_numbers(dict(zip(map(parameter_name, self.names), efforts.tolist(), strict=True)))
        part = slice(k, k + 1)
        before = self.run.outputs[k, self._accelerations].copy()
        self.pose.outputs(self.run.t[part], self.run.samples[part], self.run.outputs[part])
        self.run.outputs[k, self._accelerations] = before  # the motion is prescribed, also at a change point
        return self.run.outputs[k, self.columns].copy()

    def influence(self, k: int) -> Array:
        """What unit efforts change (motions, actuators)."""
        nothing = self.left(k, np.zeros(len(self.names)))
        units = np.eye(len(self.names))
        return np.column_stack([self.left(k, unit) - nothing for unit in units])

    def balanced(self, k: int, G: Array, weights: Array) -> tuple[Array, int]:
        """Efforts that leave nothing to the motions, of least weighted squares, and on how many they act."""
        root = 1.0 / np.sqrt(weights)
        U, s, Vt = np.linalg.svd(G * root, full_matrices=False)
        rank = int(np.sum(s > SINGULAR * max(s[0], 1e-300)))
        inverse = root[:, None] * (Vt[:rank].T / s[:rank]) @ U[:, :rank].T
        efforts = np.zeros(len(self.names))
        for _ in range(ROUNDS if self._feedback else 2):
            step = inverse @ self.left(k, efforts)
            efforts = efforts - step
            if np.max(np.abs(step), initial=0.0) <= BALANCED * np.max(np.abs(efforts), initial=1e-300):
                break
        self.left(k, efforts)
        return efforts, rank
