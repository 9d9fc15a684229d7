"""Exudyn as a contender on spatial loops, from the same blueprints.

Bodies have their mass centre as origin, and axes parallel to the fixed ones in the drawn pose: mass matrices are then
the simplest, and Bryan angles start far from where they are singular. Joints are Exudyn's own objects; a universal
joint is its generic one with one rotation held.

What was tried on the three machines of problem h: nodes with Bryan angles, Euler parameters and rotation vectors, dense
and sparse solvers, full and modified Newton, its tolerance 1e-6 and 1e-8. Euler parameters with modified Newton to 1e-6
win on all three, with the dense solver up to ten bodies or so and the sparse one on the platform.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jourdain.mechanism.parts import GROUND, Blueprint, PortName
from jourdain.mechanism.port_axes import drawn_frame, joint_axes
from jourdain.model.body_data import inertia_matrix
from peer_exudyn import Linkage

# Rows of Exudyn's generic joint: three places, then three rotations.
UNIVERSAL = [1, 1, 1, 1, 0, 0]  # y of the first port stays perpendicular to z of the second
LESS = [1, 0, 1, 1, 1, 0]  # a revolute about z without its second row


class SpatialLinkage(Linkage):
    """Revolute, spherical, universal and prismatic joints, spring-dampers; bodies at rest.

    `relaxed` is a revolute that loses one of its equations: in an overconstrained loop they all hold without it.
    """

    def __init__(self, blueprint: Blueprint, relaxed: str = "") -> None:
        self.relaxed = relaxed
        super().__init__(blueprint)

    def _add_body(self, body: Any) -> None:
        items, add = self.items, self.system
        R = drawn_frame(self.blueprint, body.name)
        I = R @ inertia_matrix(body) @ R.T
        centre = np.array(body.position) + R @ np.array(body.centre)
        node = add.AddNode(items.NodeRigidBodyEP(referenceCoordinates=[*centre, 1.0, 0.0, 0.0, 0.0]))
        six = [I[0, 0], I[1, 1], I[2, 2], I[1, 2], I[0, 2], I[0, 1]]
        number = add.AddObject(items.ObjectRigidBody(mass=body.mass, inertia=six, nodeNumber=node))
        self.bodies[body.name] = number
        marker = add.AddMarker(items.MarkerBodyMass(bodyNumber=number))
        add.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=list(self.blueprint.gravity)))

    def _local(self, body: str, point: Any) -> np.ndarray:
        """A point of a body in the axes that it has here."""
        if body == GROUND:
            return np.array(point)
        return drawn_frame(self.blueprint, body) @ np.subtract(point, self.blueprint.body(body).centre)

    def _marker(self, port: PortName, axes: Any = None) -> Any:
        frame = np.eye(3) if axes is None else drawn_frame(self.blueprint, port.body) @ np.array(axes).T
        at = self.exudyn.HT(rotation=frame, translation=self._local(port.body, self.blueprint.port(port).at))
        return self.system.AddMarker(self.items.MarkerBodyRigid(bodyNumber=self.bodies[port.body], localHT=at))

    def _add_joint(self, joint: Any) -> None:
        items = self.items
        # Which of our axes are x, y and z of Exudyn's joint, on either side.
        kinds = {
            "spherical": (items.ObjectJointSpherical, ("xyz", "xyz"), {}),
            "revolute": (items.ObjectJointRevoluteZ, ("xyz", "xyz"), {}),
            "prismatic": (items.ObjectJointPrismaticX, ("zxy", "zxy"), {}),
            "universal": (items.ObjectJointGeneric, ("yzx", "xyz"), {"constrainedAxes": UNIVERSAL}),
        }
        made, orders, more = kinds[joint.type]
        if joint.name == self.relaxed:
            made, more = items.ObjectJointGeneric, {"constrainedAxes": LESS}
        axes = joint_axes(self.blueprint, joint)
        ports = zip((joint.first, joint.second), "ij", orders, strict=True)
        markers = [self._marker(port, [axes[f"{letter}_{side}"] for letter in order]) for port, side, order in ports]
        self.system.AddObject(made(markerNumbers=markers, **more))

    def _ends(self) -> np.ndarray:
        """Origins of all bodies, as the blueprint has them."""
        kind = self.exudyn.OutputVariableType.Position
        origins = [self._local(b.name, np.zeros(3)) for b in self.blueprint.bodies]
        numbers = [self.bodies[b.name] for b in self.blueprint.bodies]
        return np.array(
            [self.system.GetObjectOutputBody(n, kind, list(at)) for n, at in zip(numbers, origins, strict=True)]
        )
