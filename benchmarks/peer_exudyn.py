"""Exudyn as a contender: planar linkages and chains from the same blueprints, with the settings that suit it best.

Every function returns None where Exudyn is not installed or too old. Set-up is never timed. What was tried: dense and
sparse solvers, full and modified Newton, tolerances of Newton from 1e-4 to 1e-8; dense full Newton wins up to ten
bodies or so, sparse with the pattern kept from then on; at 1e-6 the errors are those of the default within 4 %.
"""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import time
from typing import Any

import numpy as np

from jourdain.mechanism.parts import GROUND, Blueprint, PortName, SpringDamper, Torque
from jourdain.mechanism.rotations import matrix_from_angle

SPARSE_FROM = 12  # bodies


@functools.cache
def library() -> Any:
    """The module, in its build without range checks; None if it cannot be had."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            import exudyn
            import exudyn.itemInterface
    except ModuleNotFoundError:
        return None
    if not hasattr(exudyn.SimulationSettings(), "linearSolver"):
        return None  # before 1.13 settings and masses had other names
    exudyn.config.printToConsole = False
    return exudyn


class Linkage:
    """A planar mechanism of revolute joints, sliders along x of the ground, spring-dampers and constant torques."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.exudyn = library()
        self.items = self.exudyn.itemInterface
        self.blueprint = blueprint
        self.container = self.exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        self.nodes: dict[str, Any] = {}
        self.bodies = {GROUND: self.system.AddObject(self.items.ObjectGround())}
        for body in blueprint.bodies:
            self._add_body(body)
        for joint in blueprint.joints:
            self._add_joint(joint)
        for force in blueprint.forces:
            self._add_force(force)
        self.system.Assemble()

    def _add_body(self, body: Any) -> None:
        items, add = self.items, self.system
        R = matrix_from_angle(body.attitude)
        place = np.array(body.position) + R @ np.array(body.centre)
        speed = np.array(body.velocity or (0.0, 0.0))
        spin = body.spin or 0.0
        arm = R @ np.array(body.centre)
        speed = speed + spin * np.array([-arm[1], arm[0]])
        node = add.AddNode(
            items.NodeRigidBody2D(referenceCoordinates=[*place, body.attitude], initialVelocities=[*speed, spin])
        )
        self.nodes[body.name] = node
        self.bodies[body.name] = add.AddObject(
            items.ObjectRigidBody2D(mass=body.mass, inertia=body.inertia, nodeNumber=node)
        )
        for k, g in enumerate(self.blueprint.gravity):
            if g:
                marker = add.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))
                add.AddLoad(items.LoadCoordinate(markerNumber=marker, load=body.mass * g))

    def _marker(self, port: PortName) -> Any:
        at = np.array(self.blueprint.port(port).at)
        if port.body != GROUND:
            at = at - np.array(self.blueprint.body(port.body).centre)
        local = [float(at[0]), float(at[1]), 0.0]
        return self.system.AddMarker(
            self.items.MarkerBodyPosition(bodyNumber=self.bodies[port.body], localPosition=local)
        )

    def _add_joint(self, joint: Any) -> None:
        items, add = self.items, self.system
        if joint.type == "revolute":
            markers = [self._marker(joint.first), self._marker(joint.second)]
            add.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))
            return
        if joint.type != "prismatic" or joint.first.body != GROUND:
            raise ValueError(f"{joint.name}: {joint.type}")
        still = add.AddMarker(items.MarkerNodeCoordinate(nodeNumber=add.AddNode(items.NodePointGround()), coordinate=0))
        for k in (1, 2):  # height and angle
            moving = add.AddMarker(items.MarkerNodeCoordinate(nodeNumber=self.nodes[joint.second.body], coordinate=k))
            add.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[still, moving]))

    def _add_force(self, force: Any) -> None:
        items, add = self.items, self.system
        if isinstance(force, SpringDamper):
            add.AddObject(
                items.ObjectConnectorSpringDamper(
                    markerNumbers=[self._marker(force.first), self._marker(force.second)],
                    referenceLength=force.length,
                    stiffness=force.stiffness,
                    damping=force.damping,
                )
            )
        elif isinstance(force, Torque) and isinstance(force.torque[0], float):
            marker = add.AddMarker(items.MarkerNodeCoordinate(nodeNumber=self.nodes[force.on], coordinate=2))
            add.AddLoad(items.LoadCoordinate(markerNumber=marker, load=force.torque[0]))
        else:
            raise ValueError(f"force {force.name}")

    def generalized_alpha(
        self, steps: int, step: float, tolerance: float = 1e-6, modified: bool = False
    ) -> tuple[float, np.ndarray]:
        """Seconds spent stepping, and where the bodies are at the end."""
        exudyn = self.exudyn
        settings = exudyn.SimulationSettings()
        settings.solution.file.write = False
        kinds = exudyn.LinearSolverType
        sparse = len(self.blueprint.bodies) >= SPARSE_FROM
        settings.linearSolver.solverType = kinds.EigenSparse if sparse else kinds.EXUdense
        settings.linearSolver.reuseAnalyzedPattern = sparse
        settings.linearSolver.ignoreSingularJacobian = True
        integration = settings.timeIntegration
        integration.numberOfSteps, integration.endTime = steps, steps * step
        integration.verboseMode = 0
        integration.generalizedAlpha.spectralRadius = 0.9
        integration.newton.useModifiedNewton = modified
        integration.newton.relativeTolerance = tolerance
        integration.newton.absoluteTolerance = 1e-2 * tolerance
        solver = exudyn.MainSolverImplicitSecondOrder()
        solver.InitializeSolver(self.system, settings)
        begun = time.perf_counter()
        solver.SolveSteps(self.system, settings)
        seconds = time.perf_counter() - begun
        solver.FinalizeSolver(self.system, settings)
        return seconds, self._ends()

    def _ends(self) -> np.ndarray:
        """x, y, angle of all mass centres."""
        kind = self.exudyn.OutputVariableType.Coordinates
        displaced = np.array([self.system.GetNodeOutput(self.nodes[b.name], kind) for b in self.blueprint.bodies])
        start = [
            [*np.add(b.position, matrix_from_angle(b.attitude) @ b.centre), b.attitude] for b in self.blueprint.bodies
        ]
        return displaced + np.array(start)


class Pendulum:
    """A chain of revolutes in the plane as a kinematic tree in joint angles: Exudyn's fastest way for chains."""

    def __init__(self, lengths: Any, masses: Any, inertias: Any, angles: Any, spins: Any, gravity: float) -> None:
        exudyn = self.exudyn = library()
        items = exudyn.itemInterface
        n = len(lengths)
        self.container = exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        relative = [angles[0], *np.diff(angles)]
        self.node = self.system.AddNode(
            items.NodeGenericODE2(
                referenceCoordinates=[0.0] * n,
                initialCoordinates=[float(a) for a in relative],
                initialCoordinates_t=[float(w) for w in [spins[0], *np.diff(spins)]],
                numberOfODE2Coordinates=n,
            )
        )
        matrices, vectors = exudyn.Matrix3DList, exudyn.Vector3DList
        offsets = [[0.0, 0.0, 0.0], *([float(L), 0.0, 0.0] for L in lengths[:-1])]
        self.system.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=self.node,
                jointTypes=[exudyn.JointType.RevoluteZ] * n,
                linkParents=list(range(-1, n - 1)),
                jointTransformations=matrices([np.eye(3)] * n),
                jointOffsets=vectors(offsets),
                linkInertiasCOM=matrices([np.diag([i, i, i]) for i in inertias]),
                linkCOMs=vectors([[float(L) / 2, 0.0, 0.0] for L in lengths]),
                linkMasses=[float(m) for m in masses],
                gravity=[0.0, -gravity, 0.0],
            )
        )
        self.system.Assemble()

    def dopri5(self, duration: float, tolerance: float, every: float | None = None) -> tuple[float, np.ndarray]:
        """Seconds spent stepping, and the absolute angles of the links at the end."""
        exudyn = self.exudyn
        settings = exudyn.SimulationSettings()
        settings.solution.file.write = False
        integration = settings.timeIntegration
        integration.endTime, integration.numberOfSteps = duration, 1 if every is None else round(duration / every)
        integration.verboseMode = 0
        integration.relativeTolerance = integration.absoluteTolerance = tolerance
        integration.automaticStepSize = True
        integration.minimumStepSize = 1e-6
        integration.initialStepSize = 1e-3
        integration.explicitIntegration.dynamicSolverType = exudyn.DynamicSolverType.DOPRI5
        integration.explicitIntegration.computeEndOfStepAccelerations = False
        solver = exudyn.MainSolverExplicit()
        solver.InitializeSolver(self.system, settings)
        begun = time.perf_counter()
        solver.SolveSteps(self.system, settings)
        seconds = time.perf_counter() - begun
        solver.FinalizeSolver(self.system, settings)
        found = self.system.GetNodeOutput(self.node, exudyn.OutputVariableType.Coordinates)
        return seconds, np.cumsum(np.atleast_1d(found))
