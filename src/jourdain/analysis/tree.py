"""tree: a mechanism in joint coordinates, for mechanisms without closed loops.

A view of the coordinates `relative`: the same model and the same kernels, as functions of time, q and v. The cost of
every function grows linearly with the number of bodies. Joint velocities are the derivatives of the joint coordinates,
except that a quaternion goes with an angular velocity, in the axes of the port that carries the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..assembly.sentences import failure
from ..assembly.tree_start import starting_state, states_of
from ..choices import Adaptive, Integrator, resolve
from ..engine.body_states import states_by_name
from ..engine.callbacks import raise_errors
from ..engine.cold_start import compile_for
from ..engine.joint_dynamics import JointDynamics
from ..engine.plan import Plan
from ..engine.time_loop import TimeLoop
from ..engine.workspace import Workspace
from ..files.by_name import Given, or_file
from ..kernels.layout.returned import OK
from ..library.recognise import with_known_types
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import JourdainError, SimulationError
from ..mechanism.fault import Fault
from ..mechanism.parts import Blueprint
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel
from ..model.states import BodyState, State, attitude_from_frames
from ..model.topology.system_graph import SystemGraph
from ..model.tree.joint_state import drawn, joint_state
from ..model.tree.tree_arrays import cuttable
from .graph import with_picture

Array = npt.NDArray[np.float64]

_contiguous = np.ascontiguousarray


class JointState(NamedTuple):
    """Joint coordinates and velocities, in the order of `coordinates` and `velocities`."""

    q: Array
    v: Array


class TreeMotion(NamedTuple):
    """Times, and joint coordinates and velocities at each of them, in rows."""

    t: Array
    q: Array
    v: Array


class Wrench(NamedTuple):
    """What a joint transmits, on its second body at its port, fixed axes; one moment in the plane."""

    force: Array
    moment: Array


class Tree:
    """A mechanism in joint coordinates. Several threads may use it; they take turns.

    `coordinates` and `velocities` name the entries of q and v, such as `A.angle`; `start` is the drawn pose; `moved`
    names bodies that do not start as drawn, with the distance in metres and the angle in radians.
    """

    def __init__(self, blueprint: Blueprint, threads: int | None = None) -> None:
        self._threads = threads
        blueprint = with_known_types(blueprint)
        model = compile_mechanism(blueprint, "relative")
        self.graph = with_picture(model.tree.graph)
        if refused := list(_refusals(blueprint, self.graph)):
            raise blueprint.refused(refused)
        if model.flags["FEEDBACK"] or model.flags["ACCELERATIONS"]:
            words = "some force depends on reactions or accelerations, which joint coordinates cannot give it"
            raise blueprint.refused([f"{words}; use simulate or rhs"])
        self.model: FlatModel
        self.model, q, v, self.moved = starting_state(model)
        self.coordinates: tuple[str, ...] = self.model.tree.coordinates
        self.velocities: tuple[str, ...] = self.model.tree.velocities
        self.start = JointState(q, v)
        self._nq, self._nv = self.model.nq, self.model.nv
        self._dynamics = JointDynamics(self.model, threads)
        self._last: tuple[dict[str, Any], Plan] | None = None  # what was asked for the last run, and its plan
        ordinary = self.accelerations
        quick = self._dynamics.quick(ordinary)
        if quick is not ordinary:  # the method below as a built-in function: 0.2 us a call less
            self.__dict__["accelerations"] = quick

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.model.blueprint == other.model.blueprint

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self.model.blueprint, self._threads)

    # Dynamics -----------------------------------------------------------------------------------------------

    def accelerations(
        self, t: float, q: Array, v: Array, efforts: Array | None = None, out: Array | None = None
    ) -> Array:
        """Derivatives of the joint velocities, under gravity, the forces of the mechanism and efforts in the joints.

        `efforts` are forces and torques along the joint velocities; `out` takes the result without a new array.
        """
        out = np.empty(self._nv) if out is None else out
        if not isinstance(out, np.ndarray) or out.dtype != float or out.shape != (self._nv,):
            found = getattr(out, "shape", type(out).__name__)
            raise ValueError(f"out is {found}; expected an array of {self._nv} numbers of type float64")
        q, v = self._vector(q, "q", self._nq), self._vector(v, "v", self._nv)
        if efforts is not None:
            efforts = self._vector(efforts, "efforts", self._nv)
        result = np.empty(self._nv)  # `out` may be q, v or the efforts
        status = self._dynamics.accelerations(t, q, v, efforts, result)
        out[:] = result
        if status != 0:
            self._raise(q, v, result)
        return out

    def inverse(self, t: float, q: Array, v: Array, a: Array) -> Array:
        """Efforts in the joints that give these accelerations, beside gravity and the forces of the mechanism."""
        nv = self._nv
        q, v, a = self._vector(q, "q", self._nq), self._vector(v, "v", nv), self._vector(a, "a", nv)
        out = np.empty(nv)
        if self._dynamics.inverse(t, q, v, a, out) != 0:
            self._raise(q, v, out)
        return out

    def reactions(self, t: float, q: Array, v: Array, efforts: Array | None = None) -> dict[str, Wrench]:
        """What each joint of the tree transmits, efforts included, by name."""
        q, v = self._vectors(q, v)
        if efforts is not None:
            efforts = self._vector(efforts, "efforts", self._nv)
        a = np.empty(self._nv)
        status, wrenches = self._dynamics.reactions(t, q, v, efforts, a)
        if status != 0:
            self._raise(q, v, a)
        blueprint, joints = self.model.blueprint, self.model.tree.joints
        at = slice(0, blueprint.dim), slice(blueprint.dim, None)
        found = zip(blueprint.joints, wrenches[:, 1], strict=True)
        return {joint.name: Wrench(*(side[part] for part in at)) for joint, side in found if joint.name in joints}

    def rates(self, q: Array, v: Array) -> Array:
        """Derivatives of the joint coordinates: v, except for quaternions."""
        dq = np.empty(self._nq)
        self._dynamics.rates(*self._vectors(q, v), dq)
        return dq

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic energy, and potential energy of gravity, zero at the fixed origin."""
        found: tuple[float, float] = self.model.tree.energies(self._dynamics.links(*self._vectors(q, v)))
        return found

    # Time ---------------------------------------------------------------------------------------------------

    def simulate(
        self,
        duration: float,
        every: float | None = None,
        start: JointState | None = None,
        integrator: Any = "dop853",
        step: float | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        max_step: float | None = None,
    ) -> TreeMotion:
        """The motion from `start` (the drawn one) over `duration` seconds, at times `every` seconds apart.

        `integrator` is any that goes with joint coordinates: rk4, rk6, ab6 and newmark, with `step`, or dopri5, dop853,
        radau and bdf, with `rtol`, `atol` and `max_step`.
        """
        if not 0 < duration < np.inf or (every is not None and not 0 < every <= duration):
            raise ValueError(f"duration is {duration}, every is {every}; expected 0 < every <= duration")
        plan = self._planned(integrator=integrator, step=step, rtol=rtol, atol=atol, max_step=max_step)
        intervals = 100 if every is None else max(1, round(duration / every))
        grid = np.linspace(0.0, duration, intervals + 1)
        y = self._state(*(self.start if start is None else start))
        samples, at = _march(plan, y, grid), self.model.layout
        return TreeMotion(grid, samples[:, at.q], samples[:, at.v])

    def _planned(self, **asked: Any) -> Plan:
        """What a run consists of; the last one is remembered."""
        last = self._last
        if last is not None and last[0] == asked:
            return last[1]
        chosen = resolve(self.model.blueprint.space, coordinates=self.model.set, **asked)
        method = _as_told(chosen.integrator, self.model.set.tolerance)
        plan = Plan(self._dynamics.model, chosen.treatment, method)
        compile_for(plan)
        self._last = asked, plan
        return plan

    # Bodies -------------------------------------------------------------------------------------------------

    def state(self, q: Array, v: Array) -> State:
        """Poses and velocities by body name."""
        links = self._dynamics.links(*self._vectors(q, v))
        places, frames, speeds, spins = self.model.tree.body_origins(links)
        return State(states_by_name(self.model, places, attitude_from_frames(frames), speeds, spins))

    def joint_state(self, state: Mapping[str, BodyState]) -> JointState:
        """Joint coordinates and velocities of poses and velocities by body name, the nearest that the joints allow."""
        names = {body.name for body in self.model.blueprint.bodies}
        if missing := sorted(names - set(state)):
            raise ValueError(f"the state lacks {', '.join(missing)}; expected all bodies of the mechanism")
        return JointState(*joint_state(self.model.tree, drawn(self.model.blueprint, state), initial=False))

    # Checks -------------------------------------------------------------------------------------------------

    def _vectors(self, q: Any, v: Any) -> tuple[Array, Array]:
        return self._vector(q, "q", self._nq), self._vector(v, "v", self._nv)

    def _state(self, q: Any, v: Any) -> Array:
        q, v = self._vectors(q, v)
        found: Array = states_of(self.model, q, v[None])[0]
        return found

    def _vector(self, values: Any, name: str, size: int) -> Array:
        array = _contiguous(values, float)
        if array.shape != (size,):
            raise ValueError(f"{name} has shape {array.shape}; expected ({size},): see `coordinates` and `velocities`")
        return array

    def _raise(self, q: Any, v: Any, out: Array) -> None:
        """What a status means, with the first place where it is seen."""
        q, v = self._vectors(q, v)
        for name, values, names in (("q", q, self.coordinates), ("v", v, self.velocities)):
            if bad := [n for n, value in zip(names, values, strict=True) if not np.isfinite(value)]:
                raise JourdainError(f"{name} is not finite at {bad[0]}")
        bad = [n for n, value in zip(self.velocities, out, strict=True) if not np.isfinite(value)]
        raise JourdainError(
            f"the acceleration of {bad[0] if bad else 'some joint'} is not finite; a joint whose links have no "
            "inertia along it has none: give them mass or inertia"
        )


@or_file
@asked
def tree(mechanism: Given, threads: int | None = None) -> Tree:
    """The mechanism in joint coordinates: forward and inverse dynamics in a time linear in the number of bodies.

    `accelerations` of trees with thousands of bodies in several branches may use `threads`, which pays only where other
    processors are idle; their number does not change the result.
    """
    return Tree(blueprint_of(mechanism), threads)


def _refusals(blueprint: Blueprint, found: SystemGraph) -> Iterator[Fault]:
    """What joint coordinates cannot do yet, all of it."""
    switched = cuttable(blueprint)  # whose events are told below
    for joint in found.cuts:
        if joint.name not in switched:
            words = "closes a loop or has no joint coordinates; use simulate or rhs"
            yield Fault(joint.name, "", f"joint '{joint.name}' ({joint.type}) {words}")
    kinds: dict[str, tuple[Any, ...]] = {
        "relation": blueprint.relations,
        "motion": blueprint.motions,
        "element": blueprint.elements,
        "event": blueprint.events,
    }
    for kind, parts in kinds.items():
        for part in parts:
            if part.name not in blueprint.off:
                words = f"{kind} '{part.name}' cannot be used in joint coordinates; use simulate or rhs"
                yield Fault(part.name, "", words)


def _as_told(integrator: Integrator, part: float) -> Integrator:
    """Tolerances as they are given, of the joint coordinates: `relative` takes a part of them for the links beyond."""
    if not isinstance(integrator, Adaptive):
        return integrator
    atol = integrator.rtol if integrator.atol is None else integrator.atol
    return replace(integrator, rtol=integrator.rtol / part, atol=atol / part)


def _march(plan: Plan, y: Array, grid: Array) -> Array:
    """States at the times of the grid, in rows, from that at the first of them."""
    assert plan.integrator is not None
    if plan.model.nv == 0:  # locked: error control has nothing to find a step by
        return np.tile(y, (grid.size, 1))
    loop = TimeLoop(Workspace(plan), plan.integrator, y, float(grid[0]))
    samples = np.empty((grid.size, y.size))
    samples[0] = y
    status = loop.go(grid[1:], samples[1:])
    if status is None:
        raise KeyboardInterrupt
    raise_errors(loop.workspace.callbacks, f"near t = {loop.t:g} s ")
    if status != OK:
        raise SimulationError(failure(status, loop.t, plan.model, loop.workspace, loop.y))
    return samples
