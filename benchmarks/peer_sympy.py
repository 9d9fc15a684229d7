"""SymPy as a contender on planar linkages: Kane's equations of a loop, compiled by PyDy's Cython, integrated by scipy.

The linkage is a chain of three bodies, each with its absolute angle, whose last joint closes the loop: two constraints.
One angle and its speed are independent; SymPy eliminates the other speeds by the velocity constraints, and the
accelerations of the constraints are rows of the mass matrix, so that the system is one of ordinary differential
equations. Nothing corrects drift, which stays below the error of the integration in half a second. Deriving,
generating and compiling the code takes seconds, which are told beside the figures and not timed.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from harness import Sample, is_installed
from jourdain.mechanism.parts import GROUND, Blueprint, PortName, SpringDamper

NAME = "SymPy, PyDy Cython, scipy DOP853"


class Chain:
    """The bodies of a linkage hung one on another, as SymPy's frames and points, and what closes the loop."""

    def __init__(self, m: Blueprint) -> None:
        import sympy as sm
        from sympy.physics import mechanics as me

        self.m, self.me, self.sm = m, me, sm
        self.q, self.u = me.dynamicsymbols("q:3"), me.dynamicsymbols("u:3")
        self.ground, self.origin = me.ReferenceFrame("N"), me.Point("O")
        self.origin.set_vel(self.ground, 0)
        self.frames: dict[str, Any] = {GROUND: self.ground}
        self.points: dict[tuple[str, str], Any] = {}
        self.centres: list[Any] = []
        for name, port in m.ground.items():
            self._add_point(GROUND, name, self.origin, port.at)
        for k, joint in enumerate(m.joints[:3]):
            self._hang(k, joint)

    def _add_point(self, body: str, name: str, base: Any, arm: Any) -> Any:
        frame = self.frames[body]
        x, y = (self.sm.Float(float(c), 17) for c in arm)
        point = base.locatenew(f"{body}_{name}", x * frame.x + y * frame.y)
        if body == GROUND:
            point.set_vel(self.ground, 0)
        else:
            point.v2pt_theory(base, self.ground, frame)
        self.points[body, name] = point
        return point

    def _hang(self, k: int, joint: Any) -> None:
        near, own = joint.first, joint.second
        if joint.type != "revolute" or (near.body, near.point) not in self.points:
            raise ValueError(f"{joint.name}: no chain of revolutes")
        body = self.m.body(own.body)
        frame = self.ground.orientnew(f"F{k}", "Axis", [self.q[k], self.ground.z])
        frame.set_ang_vel(self.ground, self.u[k] * self.ground.z)
        self.frames[own.body] = frame
        pin = self.points[near.body, near.point]
        at = np.array(body.ports[own.point].at)
        self.points[own.body, own.point] = pin
        for name, port in body.ports.items():
            if name != own.point:
                self._add_point(own.body, name, pin, np.array(port.at) - at)
        self.centres.append(self._add_point(own.body, "mass", pin, np.array(body.centre) - at))

    def point(self, port: PortName) -> Any:
        return self.points[port.body, port.point]

    def closed(self) -> tuple[list[Any], list[Any]]:
        """Constraints of the last joint, of positions and of velocities."""
        joint = self.m.joints[3]
        first, second = self.point(joint.first), self.point(joint.second)
        apart, speed = second.pos_from(first), second.vel(self.ground) - first.vel(self.ground)
        x, y = self.ground.x, self.ground.y
        if joint.type == "revolute":
            return [apart.dot(x), apart.dot(y)], [speed.dot(x), speed.dot(y)]
        if joint.type != "prismatic" or joint.first.body != GROUND:
            raise ValueError(f"{joint.name}: {joint.type}")
        return [apart.dot(y), self.q[2]], [speed.dot(y), self.u[2]]

    def loads(self) -> list[Any]:
        gx, gy = self.m.gravity
        x, y = self.ground.x, self.ground.y
        bodies = [self.m.body(j.second.body) for j in self.m.joints[:3]]
        found = [(c, b.mass * (gx * x + gy * y)) for c, b in zip(self.centres, bodies, strict=True)]
        for spring in self.m.forces:
            if not isinstance(spring, SpringDamper):
                raise ValueError(f"force {spring.name}")
            first, second = self.point(spring.first), self.point(spring.second)
            along = second.pos_from(first)
            length = self.sm.sqrt(along.dot(along))
            speed = (second.vel(self.ground) - first.vel(self.ground)).dot(along) / length
            pull = (spring.stiffness * (length - spring.length) + spring.damping * speed) / length * along
            ends = ((first, spring.first, pull), (second, spring.second, -pull))
            found += [(point, force) for point, port, force in ends if port.body != GROUND]
        return found

    def kane(self) -> Any:
        me, q, u = self.me, self.q, self.u
        positions, velocities = self.closed()
        method = me.KanesMethod(
            self.ground,
            q_ind=q[:1],
            u_ind=u[:1],
            q_dependent=q[1:],
            u_dependent=u[1:],
            configuration_constraints=positions,
            velocity_constraints=velocities,
            kd_eqs=[a.diff() - b for a, b in zip(q, u, strict=True)],
            constraint_solver="CRAMER",  # elimination in a fixed order divides by zero where a bar is level
        )
        bodies = []
        for joint, centre in zip(self.m.joints[:3], self.centres, strict=True):
            body, frame = self.m.body(joint.second.body), self.frames[joint.second.body]
            inertia = (me.inertia(frame, 0, 0, body.inertia), centre)
            bodies.append(me.RigidBody(body.name, centre, frame, body.mass, inertia))
        method.kanes_equations(bodies, self.loads())
        return method


class Generated:
    """y' of a linkage as compiled code, its start, and the mass centres of a state."""

    def __init__(self, m: Blueprint) -> None:
        from pydy.codegen.ode_function_generators import generate_ode_function

        begun = time.perf_counter()
        chain = Chain(m)
        kane = chain.kane()
        # PyDy wants a constant, and there is none.
        unused = chain.sm.Symbol("unused")
        code = generate_ode_function(
            kane.forcing_full, chain.q, chain.u, [unused], mass_matrix=kane.mass_matrix_full, generator="cython"
        )
        places = [c.pos_from(chain.origin).to_matrix(chain.ground)[:2] for c in chain.centres]
        self.centres = chain.sm.lambdify(chain.q, places)
        bodies = [m.body(joint.second.body) for joint in m.joints[:3]]
        self.start = np.array([*(b.attitude for b in bodies), *(b.spin or 0.0 for b in bodies)], dtype=float)
        one = np.array([1.0])
        self.rates: Callable[[float, Any], Any] = lambda t, y: code(y, t, one)
        if not np.all(np.isfinite(self.rates(0.0, self.start))):  # scipy would never come to an end
            raise ValueError("not finite at the start")
        self.seconds = time.perf_counter() - begun

    def run(self, seconds: float, tolerance: float) -> Sample:
        from scipy.integrate import solve_ivp

        begun = time.perf_counter()
        found = solve_ivp(
            self.rates, (0.0, seconds), self.start, method="DOP853", rtol=tolerance, atol=tolerance, t_eval=[seconds]
        )
        taken = time.perf_counter() - begun
        return Sample(taken, 1, np.array(self.centres(*found.y[:3, -1]), dtype=float))


def generated(m: Blueprint) -> Generated | str:
    """The code, or why there is none."""
    if len(m.bodies) != 3 or len(m.joints) != 4:
        return "its equations are derived here for loops of three bodies only"
    missing = [name for name in ("sympy", "pydy", "Cython") if not is_installed(name)]
    if missing:
        return f"{' and '.join(missing)} not installed"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Generated(m)
    except (ImportError, OSError, RuntimeError, ValueError, TypeError) as error:
        return f"its code cannot be compiled here ({type(error).__name__})"
