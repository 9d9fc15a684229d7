"""tree: a mechanism in joint coordinates, for mechanisms without closed loops.

The cost of every function grows linearly with the number of bodies. Joint velocities are the derivatives of the joint
coordinates, except that a quaternion goes with an angular velocity, in the axes of the port that carries the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..assembly.tree_start import moved, starting_state
from ..choices import resolve
from ..engine.applied import AppliedForces
from ..engine.link_motion import body_origins, link_motion, transmitted
from ..engine.tree_memory import TreeMemory
from ..engine.tree_motion import march
from ..engine.tree_threads import crew_for
from ..library.recognise import with_known_types
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import JourdainError
from ..mechanism.fault import Fault
from ..mechanism.parts import Blueprint
from ..mechanism.rotations import swung
from ..model.states import BodyState, attitude_from_frames
from ..model.topology.system_graph import SystemGraph
from ..model.tree.joint_state import drawn, joint_state
from ..model.tree.links import TreeModel, compile_tree
from .graph import graph

Array = npt.NDArray[np.float64]


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
    """A mechanism in joint coordinates. Not to be shared between threads.

    `coordinates` and `velocities` name the entries of q and v, such as `A.angle`; `start` is the drawn pose; `moved`
    names bodies that do not start as drawn, with the distance in metres and the angle in radians.
    """

    def __init__(self, blueprint: Blueprint, threads: int | None = None) -> None:
        blueprint = with_known_types(blueprint)
        self.graph: SystemGraph = graph(blueprint)
        if refused := list(_refusals(blueprint, self.graph)):
            raise blueprint.refused(refused)
        self.model: TreeModel
        self.model, *start = starting_state(compile_tree(blueprint, self.graph))
        self.coordinates = self.model.coordinates
        self.velocities = self.model.velocities
        self.start = JointState(*start)
        self._memory = TreeMemory(self.model)
        self.moved = moved(self._memory, *self.start, drawn(blueprint))
        self._forces = AppliedForces(self._memory) if blueprint.forces else None
        self._efforts = self._memory.efforts
        self._nv = self.model.nv
        self._crew = crew_for(self._memory, threads)
        if self._crew is None and self._forces is None:  # the method below as a built-in function: 0.2 us a call less
            self.__dict__["accelerations"] = self._memory.quick_accelerations(self.accelerations)

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
        q, v = self._vectors(q, v)
        if efforts is not None:
            self._efforts[:] = self._vector(efforts, "efforts", self._nv)
        result = np.empty(self._nv)
        if self._forces is not None:
            self._forces.at(t)
        try:
            if self._crew is not None:
                status = self._crew.forward(q, v, result)
            else:
                status = self._memory.forward(q, v, result)
        finally:
            self._efforts[:] = 0.0
        out[:] = result
        if self._forces is not None:
            self._forces.check(t)
        if status != 0:
            self._raise(q, v, result)
        return out

    def inverse(self, t: float, q: Array, v: Array, a: Array) -> Array:
        """Efforts in the joints that give these accelerations, beside gravity and the forces of the mechanism."""
        out = np.empty(self._nv)
        q, v = self._vectors(q, v)
        if self._forces is not None:
            self._forces.at(t)
        status = self._memory.inverse(q, v, self._vector(a, "a", self._nv), out)
        if self._forces is not None:
            self._forces.check(t)
        if status != 0:
            self._raise(q, v, out)
        return out

    def reactions(self, t: float, q: Array, v: Array, efforts: Array | None = None) -> dict[str, Wrench]:
        """What each joint of the tree transmits, efforts included, by name."""
        self.inverse(t, q, v, self.accelerations(t, q, v, efforts))
        return {name: Wrench(force, moment) for name, force, moment in transmitted(self._memory)}

    def rates(self, q: Array, v: Array) -> Array:
        """Derivatives of the joint coordinates: v, except for quaternions."""
        dq = np.empty(self.model.nq)
        self._memory.rates(*self._vectors(q, v), dq)
        return dq

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic energy, and potential energy of gravity, zero at the fixed origin."""
        model, motion = self.model, link_motion(self._memory, *self._vectors(q, v))
        arms = np.einsum("nij,nj->ni", motion.frames, model.centres)
        speeds = motion.velocities + swung(motion.spins, arms)
        if model.blueprint.dim == 2:
            turning = np.sum(model.inertias * motion.spins[:, 0] ** 2)
        else:
            own = np.einsum("nji,nj->ni", motion.frames, motion.spins)
            turning = np.einsum("ni,nij,nj->", own, model.inertias, own)
        kinetic = 0.5 * float(np.sum(model.masses[:, None] * speeds**2) + turning)
        weights = model.masses[:, None] * np.array(model.blueprint.gravity)
        return kinetic, -float(np.sum(weights * (motion.places + arms)))

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

        `integrator` is one of rk4, rk6 and ab6, with `step`, or dopri5 and dop853, with `rtol`, `atol` and `max_step`.
        """
        if not 0 < duration < np.inf or (every is not None and not 0 < every <= duration):
            raise ValueError(f"duration is {duration}, every is {every}; expected 0 < every <= duration")
        chosen = resolve(
            self.model.blueprint.space, integrator=integrator, step=step, rtol=rtol, atol=atol, max_step=max_step
        )
        intervals = 100 if every is None else max(1, round(duration / every))
        grid = np.linspace(0.0, duration, intervals + 1)
        q, v = self._vectors(*(self.start if start is None else start))
        check = None if self._forces is None else self._forces.check
        return TreeMotion(grid, *march(self._memory, q, v, grid, chosen.integrator, check))

    # Bodies -------------------------------------------------------------------------------------------------

    def state(self, q: Array, v: Array) -> dict[str, BodyState]:
        """Poses and velocities by body name."""
        motion = link_motion(self._memory, *self._vectors(q, v))
        places, frames, speeds = body_origins(self.model, motion)
        attitudes = attitude_from_frames(frames)
        planar = self.model.blueprint.dim == 2
        found = {}
        for j, link in enumerate(self.graph.links):
            attitude: Any = float(attitudes[j]) if planar else tuple(attitudes[j].tolist())
            spin: Any = float(motion.spins[j, 0]) if planar else tuple(motion.spins[j].tolist())
            found[link.body] = BodyState(tuple(places[j].tolist()), attitude, tuple(speeds[j].tolist()), spin)
        return {body.name: found[body.name] for body in self.model.blueprint.bodies}

    def joint_state(self, state: Mapping[str, BodyState]) -> JointState:
        """Joint coordinates and velocities of poses and velocities by body name, the nearest that the joints allow."""
        names = {body.name for body in self.model.blueprint.bodies}
        if missing := sorted(names - set(state)):
            raise ValueError(f"the state lacks {', '.join(missing)}; expected all bodies of the mechanism")
        return JointState(*joint_state(self.model, drawn(self.model.blueprint, state), initial=False))

    # Checks -------------------------------------------------------------------------------------------------

    def _vectors(self, q: Any, v: Any) -> tuple[Array, Array]:
        return self._vector(q, "q", self.model.nq), self._vector(v, "v", self._nv)

    def _vector(self, values: Any, name: str, size: int) -> Array:
        array = np.ascontiguousarray(values, dtype=float)
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


def tree(mechanism: Mechanism | Blueprint, threads: int | None = None) -> Tree:
    """The mechanism in joint coordinates: forward and inverse dynamics in a time linear in the number of bodies.

    `accelerations` of trees with thousands of bodies in several branches use as many threads as the computer has
    processors, or `threads`; their number does not change the result.
    """
    return Tree(blueprint_of(mechanism), threads)


def _refusals(blueprint: Blueprint, found: SystemGraph) -> Iterator[Fault]:
    """What joint coordinates cannot do yet, all of it."""
    for joint in found.cuts:
        words = f"joint '{joint.name}' ({joint.type}) closes a loop or has no joint coordinates; use simulate or rhs"
        yield Fault(joint.name, "", words)
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
