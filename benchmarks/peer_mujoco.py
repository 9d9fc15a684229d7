"""MuJoCo as a contender: planar linkages from the same blueprints; loops are closed by `connect` equalities.

The tree is cut at the joints that a breadth-first walk from the ground does not use. `solref` is the time constant of
the stabilisation: half a step is the shortest that RK4 follows on these machines, two steps the shortest at which
implicitfast is stable. Contacts, islands, warm starts and the rest are off: they only cost on machines this small.
"""

from __future__ import annotations

import functools
import time
from typing import Any

import numpy as np

from jourdain.mechanism.parts import GROUND, Blueprint, PortName, SpringDamper, Torque
from jourdain.mechanism.port_axes import joint_axes
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_quaternion, quaternion_from_matrix
from jourdain.model.body_data import inertia_matrix

TIME_CONSTANTS = {"RK4": 0.5, "implicitfast": 2.0}  # steps


@functools.cache
def library() -> Any:
    try:
        import mujoco
    except ModuleNotFoundError:
        return None
    return mujoco


def _numbers(*values: float) -> str:
    return " ".join(f"{float(v):.17g}" for v in values)


def _in_space(v: Any) -> tuple[float, ...]:
    return (*v, 0.0) if len(v) == 2 else tuple(v)


class Linkage:
    """A planar mechanism of revolute and prismatic joints, spring-dampers and constant torques."""

    def __init__(self, blueprint: Blueprint, integrator: str, step: float) -> None:
        self.mujoco = library()
        self.blueprint = blueprint
        self.used: set[str] = set()
        self._hung = self._walk()
        self.sites: dict[PortName, str] = {}
        for force in blueprint.forces:
            if isinstance(force, SpringDamper):
                for port in (force.first, force.second):
                    self.sites[port] = f"site_{port.body}_{port.point}"
        text = self._text(integrator, step)
        self.model = self.mujoco.MjModel.from_xml_string(text)
        self.bodies = [self.model.body(b.name).id for b in blueprint.bodies]
        self.torques = [
            (self.model.body(f.on).id, float(f.torque[0]))  # type: ignore[arg-type]
            for f in blueprint.forces
            if isinstance(f, Torque)
        ]
        self.start = self._start()

    def _walk(self) -> dict[str, list[tuple[Any, PortName]]]:
        """Joints of the tree and ports of the bodies they hang, by parent, found breadth first from the ground."""
        hung: dict[str, list[tuple[Any, PortName]]] = {}
        seen, line = {GROUND}, [GROUND]
        for parent in line:
            for joint in self.blueprint.joints:
                ends = {joint.first.body: joint.second, joint.second.body: joint.first}
                port = ends.get(parent)
                if port is not None and port.body not in seen:
                    seen.add(port.body)
                    line.append(port.body)
                    self.used.add(joint.name)
                    hung.setdefault(parent, []).append((joint, port))
        return hung

    def _text(self, integrator: str, step: float) -> str:
        b = self.blueprint
        tree = self._children(GROUND, np.zeros(2), 0.0)
        constant = TIME_CONSTANTS[integrator] * step
        gravity = _numbers(*_in_space(b.gravity))
        loops = "".join(self._loop(j, constant) for j in b.joints if j.name not in self.used)
        springs = "".join(
            f'<spatial springlength="{f.length:.17g}" stiffness="{f.stiffness:.17g}" damping="{f.damping:.17g}">'
            f'<site site="{self.sites[f.first]}"/><site site="{self.sites[f.second]}"/></spatial>'
            for f in b.forces
            if isinstance(f, SpringDamper)
        )
        return f"""<mujoco><compiler angle="radian"/>
          <option timestep="{step}" gravity="{gravity}" integrator="{integrator}" solver="Newton">
            <flag contact="disable" refsafe="disable" island="disable" warmstart="disable" limit="disable"
              frictionloss="disable" actuation="disable" sensor="disable" midphase="disable"/></option>
          <worldbody>{self._site_tags(GROUND)}{tree}</worldbody>
          <equality>{loops}</equality><tendon>{springs}</tendon></mujoco>"""

    def _site_tags(self, body: str) -> str:
        return "".join(
            f'<site name="{name}" pos="{_numbers(*_in_space(self.blueprint.port(port).at))}"/>'
            for port, name in self.sites.items()
            if port.body == body
        )

    def _children(self, parent: str, place: np.ndarray, angle: float) -> str:
        """Bodies hung on a parent whose origin and angle are given, in the drawn pose."""
        text = ""
        for joint, port in self._hung.get(parent, ()):
            body = self.blueprint.body(port.body)
            at = matrix_from_angle(-angle) @ (np.array(body.position) - place)
            pin = self.blueprint.port(port).at
            axis = 'type="hinge" axis="0 0 1"' if joint.type == "revolute" else 'type="slide" axis="1 0 0"'
            inside = self._children(body.name, np.array(body.position), body.attitude)  # type: ignore[arg-type]
            text += (
                f'<body name="{body.name}" pos="{_numbers(*at, 0)}" euler="{_numbers(0, 0, body.attitude - angle)}">'
                f'<joint name="{joint.name}" {axis} pos="{_numbers(*pin, 0)}"/>'
                f'<inertial pos="{_numbers(*body.centre, 0)}" mass="{body.mass:.17g}" '
                f'diaginertia="{_numbers(*[body.inertia] * 3)}"/>{self._site_tags(body.name)}{inside}</body>'
            )
        return text

    def _loop(self, joint: Any, constant: float) -> str:
        if joint.type != "revolute":
            raise ValueError(f"{joint.name}: {joint.type} in a loop")
        second = "" if joint.second.body == GROUND else f' body2="{joint.second.body}"'
        first, anchor = joint.first, self.blueprint.port(joint.first).at
        if first.body == GROUND:
            first, anchor, second = joint.second, self.blueprint.port(joint.second).at, ""
        return (
            f'<connect body1="{first.body}"{second} anchor="{_numbers(*anchor, 0)}" '
            f'solref="{constant} 1" solimp="0.9999 0.9999"/>'
        )

    def _start(self) -> np.ndarray:
        """Joint speeds of the written velocities."""
        speeds = np.zeros(self.model.nv)
        for joint in self.blueprint.joints:
            if joint.name not in self.used:
                continue
            spins = [
                0.0 if p.body == GROUND else self.blueprint.body(p.body).spin or 0.0
                for p in (joint.first, joint.second)
            ]
            place = self.model.joint(joint.name).dofadr[0]
            hinge = joint.type == "revolute"
            parent_first = self._is_parent(joint.first.body, joint.second.body)
            sign = 1.0 if parent_first else -1.0
            speeds[place] = (
                sign * (spins[1] - spins[0]) if hinge else (self.blueprint.body(joint.second.body).velocity or (0,))[0]
            )
        return speeds

    def _is_parent(self, first: str, second: str) -> bool:
        if first == GROUND:
            return True
        if second == GROUND:
            return False
        return int(self.model.body(second).parentid[0]) == self.model.body(first).id

    def steps(self, count: int, angles: bool = False) -> tuple[float, np.ndarray]:
        """Seconds spent stepping, and x and y of all mass centres at the end, and the bodies' angles if asked for."""
        mj = self.mujoco
        data = mj.MjData(self.model)
        data.qvel[:] = self.start
        for body, torque in self.torques:
            data.xfrc_applied[body, 5] = torque
        begun = time.perf_counter()
        mj.mj_step(self.model, data, nstep=count)
        seconds = time.perf_counter() - begun
        mj.mj_kinematics(self.model, data)  # a step leaves the positions of its beginning in data
        places = np.array(data.xipos[self.bodies][:, :2])
        if not angles:
            return seconds, places
        axes = np.array(data.xmat[self.bodies])
        return seconds, np.column_stack([places, np.arctan2(axes[:, 3], axes[:, 0])])


class SpatialLinkage(Linkage):
    """The same in space: revolute, spherical, universal and prismatic joints; bodies hung on nothing float."""

    def _text(self, integrator: str, step: float) -> str:
        self._axes = {j.name: joint_axes(self.blueprint, j) for j in self.blueprint.joints}
        return super()._text(integrator, step)

    def _children(self, parent: str, place: Any, angle: Any) -> str:
        text = ""
        R_parent, at_parent = self._pose(parent)
        for joint, port in self._hung.get(parent, ()):
            body = self.blueprint.body(port.body)
            R, at = self._pose(body.name)
            pose = quaternion_from_matrix(R_parent.T @ R)
            I = inertia_matrix(body)
            full = _numbers(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
            text += (
                f'<body name="{body.name}" pos="{_numbers(*(R_parent.T @ (at - at_parent)))}" quat="{_numbers(*pose)}">'
                f"{self._joint_tags(joint, port, R)}"
                f'<inertial pos="{_numbers(*body.centre)}" mass="{body.mass:.17g}" fullinertia="{full}"/>'
                f"{self._site_tags(body.name)}{self._children(body.name, None, None)}</body>"
            )
        return text

    def _pose(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        if name == GROUND:
            return np.eye(3), np.zeros(3)
        body = self.blueprint.body(name)
        return np.array(matrix_from_quaternion(body.attitude)), np.array(body.position)

    def _joint_tags(self, joint: Any, port: PortName, R: np.ndarray) -> str:
        at = _numbers(*self.blueprint.port(port).at)
        if joint.type == "spherical":
            return f'<joint name="{joint.name}" type="ball" pos="{at}"/>'
        axes = self._axes[joint.name]
        own = "i" if port == joint.first else "j"
        z = {side: self._pose(p.body)[0] @ axes[f"z_{side}"] for side, p in (("i", joint.first), ("j", joint.second))}
        other = "j" if own == "i" else "i"
        turning = {"revolute": [own], "prismatic": [own], "universal": [other, own]}[joint.type]
        kind = "slide" if joint.type == "prismatic" else "hinge"
        return "".join(
            f'<joint name="{joint.name}{k or ""}" type="{kind}" pos="{at}" axis="{_numbers(*(R.T @ z[side]))}"/>'
            for k, side in enumerate(turning)
        )

    def _loop(self, joint: Any, constant: float) -> str:
        first, second = joint.first, joint.second
        if first.body == GROUND:
            first, second = second, first
        points = [np.array(self.blueprint.port(first).at)]
        if joint.type == "revolute":
            side = "i" if first == joint.first else "j"
            points.append(points[0] + 0.3 * self._axes[joint.name][f"z_{side}"])
        elif joint.type != "spherical":
            raise ValueError(f"{joint.name}: {joint.type} in a loop")
        other = "" if second.body == GROUND else f' body2="{second.body}"'
        soft = f'solref="{constant} 1" solimp="0.9999 0.9999"'
        return "".join(f'<connect body1="{first.body}"{other} anchor="{_numbers(*p)}" {soft}/>' for p in points)

    def _start(self) -> np.ndarray:
        return np.zeros(self.model.nv)

    def steps(self, count: int) -> tuple[float, np.ndarray]:
        """Seconds spent stepping, and the origins of all bodies at the end."""
        mj = self.mujoco
        data = mj.MjData(self.model)
        begun = time.perf_counter()
        mj.mj_step(self.model, data, nstep=count)
        seconds = time.perf_counter() - begun
        mj.mj_kinematics(self.model, data)
        return seconds, np.array(data.xpos[self.bodies])
