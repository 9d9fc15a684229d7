"""assemble and branches: from rough or missing poses and targets to a closed mechanism, on the branch wanted.

The drawn pose is closed first. Targets then move from where they are to where they should be, in steps short enough to
stay on the branch; only where that way is barred, or the drawn pose cannot be closed, are other starts tried.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..assembly.branch_names import branch_name, marks
from ..assembly.close_joints import changes, flipped
from ..assembly.close_joints import close_joints as close_drawn
from ..assembly.initial_values import started
from ..assembly.placing import placed_state
from ..assembly.prepare import CONTRADICTION
from ..assembly.search import NEWTON_STEPS, nearest_first, pose_fingerprint, random_start, remaining, same, solutions
from ..assembly.targets import POSITION, Target, View, read_targets, settable_channels
from ..assembly.targets_problem import Problem
from ..assembly.unmet import explained, refuse_held
from ..engine.body_states import whole_state
from ..engine.cold_start import compile_for
from ..engine.plan import Plan
from ..engine.pose import Pose, null_space
from ..engine.workspace import Workspace
from ..files.by_name import Given, or_file
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import MechanismError
from ..mechanism.fault import Fault
from ..mechanism.names import counted
from ..mechanism.parts import GROUND, Blueprint
from ..mechanism.ties import independent, largest, smallest, within_half_turn
from ..model.compile import MAX_DENSE_ROWS, compile_mechanism
from ..model.states import angle_place, check_state, to_vector
from .assembled import MET, Assembled, outcome, select

Array = npt.NDArray[np.float64]
OTHER_STARTS = 8  # from which wishes are tried where no pose is drawn


@or_file
@asked
def assemble(
    mechanism: Given,
    targets: Mapping[str, Any] | None = None,
    *,
    about: Mapping[str, Any] | None = None,
    branch: str | None = None,
    state: Mapping[str, Any] | None = None,
    t: float = 0.0,
) -> Assembled:
    """Close the joints with `targets` met exactly and those in `about` as nearly as possible.

    Both are values by channel: `{"crank.angle": "30 deg", "crank.spin": 10}`; numbers are SI and radians. The start is
    the pose as drawn, or `state`; motions hold what they say at time `t`. `branch` picks one of `branches()` by name;
    what targets leave free is held where it is drawn, joints at the ground first.
    Raises MechanismError where the joints cannot be closed or a target cannot be met.
    """
    bench = _Bench(blueprint_of(mechanism), targets, about, state, t)
    if branch is not None:
        bench.hold_what_is_free()
        return select(bench.branches(), branch)
    return bench.assembled(bench.wished(bench.nearest()))


@or_file
@asked
def branches(
    mechanism: Given,
    targets: Mapping[str, Any] | None = None,
    *,
    state: Mapping[str, Any] | None = None,
    t: float = 0.0,
) -> list[Assembled]:
    """Every way to assemble the mechanism with `targets` met: first the one that `assemble` takes, then by distance.

    The targets (with the motions at time `t`) must leave no freedom but idle spins, or there is no end of ways.
    """
    return _Bench(blueprint_of(mechanism), targets, None, state, t).branches()


@or_file
@asked
def branch_of(
    mechanism: Given,
    state: Mapping[str, Any],
    inputs: Sequence[str] | None = None,
    *,
    t: float = 0.0,
) -> tuple[str, ...]:
    """The signs of the branch on which a state is, the same all along a motion that keeps it.

    `inputs` are the channels that drive the mechanism (default: its motions, else joints at the ground until nothing is
    free): which positions separate branches depends on them.
    """
    blueprint = blueprint_of(mechanism)
    check_state(blueprint, state)
    bench = _Bench(blueprint, None, None, None, t)
    y = to_vector(bench.model, state)
    names = list(inputs) if inputs is not None else bench.inputs(y)
    held = read_targets(blueprint, dict.fromkeys(names, 0.0), None)
    return bench.signature(y, held)


class _Bench:
    """A mechanism compiled, with its targets, and the pose it starts from."""

    def __init__(
        self, blueprint: Blueprint, targets: Any, about: Any, state: Mapping[str, Any] | None, t: float
    ) -> None:
        self.blueprint, self.t = blueprint, t
        if state is not None:
            check_state(blueprint, state)
        self.model = compile_mechanism(blueprint, None)
        self.targets = read_targets(blueprint, targets, about)
        if len(self.model.rows) > MAX_DENSE_ROWS:
            words = f"{len(self.model.rows)} equations are more than assembly to targets takes ({MAX_DENSE_ROWS})"
            raise blueprint.refused([f"{words}; simulate closes mechanisms of any size as drawn"])
        plan = Plan.of(self.model)
        compile_for(plan)
        self.workspace = Workspace(plan)
        self.pose = Pose(self.model, self.workspace)
        self.problem = Problem(self.pose, t, self.targets)
        known = {*(c.name for c in blueprint.components), *(joint.name for joint in blueprint.joints)}
        unknown = sorted(name for name in state or () if not blueprint.has_body(name) and name not in known)
        self.notes = [f"the state also names {', '.join(unknown)}, which the mechanism does not have"] * bool(unknown)
        # Where poses were left out there is nothing that a branch could be near to.
        self.loose = state is None and any(body.position is None for body in blueprint.bodies)
        given = None if state is None else to_vector(self.model, state)
        self.drawn = to_vector(self.model, placed_state(self.model)) if given is None else given
        self.closed = self._closed(given)

    def _closed(self, given: Array | None) -> Array | None:
        """The drawn pose with its joints closed; None where that fails from there."""
        try:
            if given is None:
                start, notes = started(self.blueprint, self.model.set, self.t)
                self.notes += notes
                given = None if start is None else to_vector(self.model, start)
            return close_drawn(self.model, self.workspace, given, self.t).y
        except MechanismError:
            return None

    # Finding ----------------------------------------------------------------------------------------------------------

    def nearest(self) -> Array:
        """The state that is reached from the drawn pose; else the nearest of all that can be found."""
        if self.closed is not None:
            y, arrived = self.problem.follow(self.closed)
            if arrived and not flipped(self.pose, self.t, y):
                return y
            refuse_held(self.problem, self.closed)
        found = self._search() or [explained(self.problem, self.closed, self.drawn)]
        barred = "a dead position bars the way from the drawn pose to the targets; the nearest pose is taken"
        broken = "the joints do not close from the drawn pose; the nearest pose found elsewhere is taken"
        if not self.loose:
            self.notes.append(broken if self.closed is None else barred)
        return found[0]

    def wished(self, y: Array) -> Array:
        """The pose from which wishes are met best: y itself, unless poses were left out and others do better."""
        problem = self.problem
        if not self.loose or not problem.wishes or problem.missed(problem.wish(y)) < MET * self.model.size:
            return y
        found = [problem.wish(y)]
        rng = np.random.default_rng(0)
        for _ in range(OTHER_STARTS):
            other = problem.close(random_start(self.model, y, rng), most=NEWTON_STEPS)
            if problem.is_closed(other) and not flipped(self.pose, self.t, other):
                found.append(problem.wish(other))
        return found[smallest(map(problem.missed, found), floor=MET * self.model.size)]

    def _search(self) -> list[Array]:
        """All closed states, the nearest to the drawn pose first. Phases of gears are open until then."""
        self.pose.floating = self.closed is None
        found, _ = solutions(self.problem, self.drawn if self.closed is None else self.closed)
        self.pose.floating = False
        found = nearest_first(self.problem, found, self.drawn)
        if self.closed is None:
            # The nearest is the last, so that phases are its own.
            found = [close_drawn(self.model, self.workspace, y, self.t).y for y in reversed(found)][::-1]
        return found

    def hold_what_is_free(self) -> None:
        """Make targets of joint coordinates that the musts leave free, at the values they have."""
        first = self.nearest()
        values = {name: settable_channels(self.blueprint)[name] for name in self.inputs(first, self.problem.musts)}
        view = View(self.model, first)
        held = [Target(channel, channel.value(view), True) for channel in values.values()]
        if held:
            self.targets = [*self.targets, *held]
            self.problem = Problem(self.pose, self.t, self.targets)
            self.closed = first

    def branches(self) -> list[Assembled]:
        first = self.nearest()
        free = remaining(self.problem, first)
        found = [first]
        if free == 0 or self._isolated(first):
            others = nearest_first(self.problem, solutions(self.problem, first)[0], first)
            mark = pose_fingerprint(self.problem, first)
            found += [y for y in others if not same(pose_fingerprint(self.problem, y), mark, self.model.size)]
        else:
            self._refuse_freedom(free, first)
        return _named([self.assembled(y) for y in found])

    def _isolated(self, y: Array) -> bool:
        """A dead position has a freedom at that instant; elsewhere there is none."""
        others, _ = solutions(self.problem, y)
        return any(remaining(self.problem, other) == 0 for other in others)

    def _refuse_freedom(self, free: int, y: Array) -> None:
        names = self.inputs(y, self.problem.musts)
        words = f"too few targets: {counted(free, 'freedom')} would remain, and the ways to assemble have no end"
        advice = f"; give {counted(free, 'more target')}, such as {' and '.join(names)}" if names else ""
        raise self.blueprint.refused([words + advice])

    def inputs(self, y: Array, held: Sequence[Target] = ()) -> list[str]:
        """Joint coordinates, those at the ground first, that would take away what freedom there is."""
        scales = self.pose.scales()
        rows = self.pose.position_jacobian(self.t, y) * scales
        view = View(self.model, y)
        if held:
            rows = np.vstack([rows, self.problem.gradients(held, y) * scales])
        known = settable_channels(self.blueprint)
        joints = sorted(self.blueprint.joints, key=lambda j: GROUND not in (j.first.body, j.second.body))
        names = [f"{j.name}.{key}" for j in joints for key in ("angle", "displacement")]
        found: list[str] = []
        free = null_space(rows).shape[1]
        for name in names:
            if name in known and free:
                trial = np.vstack([rows, known[name].gradient(view) * scales])
                left = null_space(trial).shape[1]
                if left < free:
                    rows, free = trial, left
                    found.append(name)
        return found

    # Telling ----------------------------------------------------------------------------------------------------------

    def assembled(self, y: Array) -> Assembled:
        """Wishes and velocities at a pose that is closed, and the report."""
        problem, model = self.problem, self.model
        y = problem.wish(y)
        y = self._turned(problem.move(y))
        self._raise_if_velocities_fail(y)
        view = View(model, y)
        state = whole_state(model, y)
        moved, turned, *_ = changes(model, self.drawn, y)
        channels = {name: channel.value(view) for name, channel in settable_channels(self.blueprint).items()}
        channels |= {f"{name}.angle": angle for name, angle in state.items() if isinstance(angle, float)}
        held = [x for x in self.targets if x.must and x.channel.order == POSITION]
        names = marks(model, held if held or self.blueprint.motions else self._default_inputs(y), view)
        signature = self.signature(y, held) if model.blueprint.dim == 3 else tuple(map(str, names))
        return Assembled(
            original=self.blueprint,
            state=state,
            moved=moved,
            turned=turned,
            targets=tuple(outcome(x, x.channel.value(view), model.size) for x in self.targets),
            gap=float(np.max(np.abs(self.pose.residual(self.t, y)), initial=0.0)),
            freedoms=remaining(problem, y),
            branch=branch_name(names),
            signature=signature,
            notes=tuple(dict.fromkeys(self.notes)),
            channels=channels,
            t=self.t,
        )

    def _default_inputs(self, y: Array) -> list[Target]:
        return read_targets(self.blueprint, dict.fromkeys(self.inputs(y), 0.0), None)

    def _turned(self, y: Array) -> Array:
        """Angles asked for with whole turns are given so: 370 deg is not 10 deg."""
        model = self.model
        y = y.copy()
        for x in self.problem.musts:
            owner, rest = self.blueprint.owner_of(x.name)
            if rest != "angle":
                continue
            if self.blueprint.has_body(owner):
                k = angle_place(model, owner)
                y[k] += 2 * np.pi * round((x.wanted - y[k]) / (2 * np.pi))
            elif owner in model.turns:
                k = model.layout.turn(owner)
                y[k] += 2 * np.pi * round((x.wanted - y[k]) / (2 * np.pi))
        return y

    def _raise_if_velocities_fail(self, y: Array) -> None:
        view = View(self.model, y)
        failed: list[Fault | str] = []
        for x in self.targets:
            found = outcome(x, x.channel.value(view), self.model.size)
            if x.must and not found.met:
                failed.append(
                    f"target {x} cannot hold beside the joints, motions and other targets: the nearest is "
                    f"{x.channel.shown(found.found)}, {x.channel.shown(abs(found.missed))} off"
                )
        rates = np.abs(self.pose.rate(self.t, y))
        if np.max(rates, initial=0.0) > CONTRADICTION * max(1.0, float(np.max(np.abs(view.v), initial=0.0))):
            worst = self.model.rows[largest(rates)]
            words = f"'{worst.joint}' ({worst.meaning}) cannot move as asked beside the others"
            failed.append(Fault(worst.joint, "", f"{words}, off by {np.max(rates):.2g} (m/s or rad/s)"))
        if failed:
            raise self.blueprint.refused(failed)

    def signature(self, y: Array, held: Sequence[Target]) -> tuple[str, ...]:
        """Signs of the branch: of pairs of links in the plane, of the whole Jacobian in space."""
        if self.blueprint.dim == 2:
            return tuple(map(str, marks(self.model, held, View(self.model, y))))
        return _sense(self.problem, held, self.closed, y)


def _named(found: list[Assembled]) -> list[Assembled]:
    """Names that differ: where signs do not tell, the joint coordinate that differs most does, else a number."""
    if len({x.branch for x in found}) == len(found):
        return found
    keys = [k for k in found[0].channels if k.endswith((".angle", ".displacement"))]

    def value(x: Assembled, key: str) -> float:
        number = x.channels[key]
        return within_half_turn(number) if key.endswith(".angle") else number

    def apart(key: str) -> float:
        values = sorted(value(x, key) for x in found)
        return float(np.min(np.diff(values)))

    best = keys[largest(map(apart, keys))] if keys else ""
    if best and apart(best) > 1e-4:
        turn = best.endswith(".angle")
        words = [f"{best} {math.degrees(value(x, best)) if turn else value(x, best):.4g}" for x in found]
        words = [f"{word} {'deg' if turn else 'm'}" for word in words]
        both = [", ".join(filter(None, (x.branch, word))) for x, word in zip(found, words, strict=True)]
        return [replace(x, branch=name) for x, name in zip(found, both, strict=True)]
    return [replace(x, branch=f"{x.branch or 'way'} {k + 1}") for k, x in enumerate(found)]


def _sense(problem: Problem, held: Sequence[Target], reference: Array | None, y: Array) -> tuple[str, ...]:
    """Whether the Jacobian of joints and inputs has the sign it has in the drawn pose: it changes at dead positions."""
    if reference is None:
        return ()
    matrices = []
    for at in (reference, y):
        rows = [problem.pose.position_jacobian(problem.t, at), problem.gradients(held, at)]
        matrices.append(np.vstack(rows) * problem.pose.scales())
    n = problem.model.nv
    here = matrices[0]
    free = null_space(here)
    whole = [np.vstack([A, free.T]) for A in matrices]
    if len(whole[0]) < n:
        return ()
    chosen = sorted(independent(whole[0], n))
    signs = [np.linalg.slogdet(A[chosen])[0] for A in whole]
    return ("as drawn" if signs[0] == signs[1] else "not as drawn",)
