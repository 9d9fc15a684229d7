"""`Mechanism`: the one mutable thing. It collects frozen parts and hands out a frozen `Blueprint`.

The builder never raises on a wrong value: it notes the fault, goes on, and all faults are reported together
when an analysis first looks at the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from . import attitude as att
from .parts import (
    GROUND,
    PLANAR,
    SPATIAL,
    Blueprint,
    Body,
    Force,
    Joint,
    PointForce,
    Port,
    PortName,
    SpringDamper,
    Torque,
    Vector,
)


class BodyHandle:
    """A body under construction: `crank["B"]` names its point B, `crank.point("B", (2, 0))` adds one."""

    def __init__(self, mechanism: Mechanism, name: str) -> None:
        self._mechanism = mechanism
        self.name = name

    def __getitem__(self, point: str) -> PortName:
        return PortName(self.name, point)

    def point(self, name: str, at: Sequence[float], **axes: Any) -> PortName:
        """Add a point at `at` (body axes), with `angle=` in the plane, `axis=` or `x=` and `z=` in space."""
        self._mechanism._add_point(self.name, name, {"at": at, **axes})
        return PortName(self.name, name)

    def __repr__(self) -> str:
        return f"<body {self.name}>"


class Mechanism:
    """A mechanism being described.

    >>> m = Mechanism("pendulum", gravity=(0, -9.81))
    >>> bar = m.body("bar", mass=1, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0)})
    >>> _ = m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    >>> m.frozen().joints[0].type
    'revolute'
    """

    def __init__(
        self, name: str = "mechanism", gravity: Sequence[float] | None = None, space: str | None = None
    ) -> None:
        self.name = name
        self._faults: list[str] = []
        if space not in (None, PLANAR, SPATIAL):
            self._faults.append(f"space is {space!r}; expected 'planar' or 'spatial'")
            space = None
        three = isinstance(gravity, Sequence | np.ndarray) and len(gravity) == 3
        self.space = space or (SPATIAL if three else PLANAR)
        self._dim = 2 if self.space == PLANAR else 3
        self._gravity = self._vector(gravity, "gravity") or (0.0,) * self._dim
        self._ground: dict[str, Port] = {}
        self._bodies: list[Body] = []
        self._place: dict[str, int] = {}  # of each body name in _bodies
        self._joints: list[Joint] = []
        self._forces: list[Force] = []
        self.ground = BodyHandle(self, GROUND)

    def frozen(self) -> Blueprint:
        """The mechanism as it stands now. Later changes of the builder do not reach it."""
        return Blueprint(
            self.name,
            self.space,
            self._gravity,
            dict(self._ground),
            tuple(self._bodies),
            tuple(self._joints),
            tuple(self._forces),
            tuple(self._faults),
        )

    # Bodies -------------------------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        *,
        mass: float,
        inertia: float | Sequence[float],
        position: Sequence[float] | None = None,
        angle: float | None = None,
        quaternion: Sequence[float] | None = None,
        bryan: Sequence[float] | None = None,
        euler: tuple[str, Sequence[float]] | None = None,
        matrix: Any = None,
        velocity: Sequence[float] | None = None,
        spin: float | Sequence[float] | None = None,
        spin_body: Sequence[float] | None = None,
        centre: Sequence[float] | None = None,
        points: Mapping[str, Any] | None = None,
    ) -> BodyHandle:
        """Add a body.

        `position`, `velocity` and `points` refer to the origin of the body axes, which is the mass centre unless
        `centre` gives the mass centre in body axes. `inertia` is about the mass centre, in body axes: a number in
        the plane; (Ixx, Iyy, Izz) or (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) in space. The attitude is `angle` in the
        plane; `quaternion`, `bryan`, `euler=("zxz", angles)` or `matrix` in space. `spin` is the angular velocity
        in fixed axes, `spin_body` in body axes.
        """
        where = f"body '{name}'"
        written = {"angle": angle, "quaternion": quaternion, "bryan": bryan, "euler": euler, "matrix": matrix}
        pose = self._attitude(where, {k: v for k, v in written.items() if v is not None})
        self._place.setdefault(name, len(self._bodies))
        self._bodies.append(
            Body(
                name=name,
                mass=self._number(mass, f"{where}: mass"),
                inertia=self._inertia(inertia, where),
                centre=self._vector(centre, f"{where}: centre") or (0.0,) * self._dim,
                ports={},
                position=self._vector(position, f"{where}: position"),
                attitude=pose,
                velocity=self._vector(velocity, f"{where}: velocity"),
                spin=self._spin(where, spin, spin_body, pose),
            )
        )
        if points is not None and not isinstance(points, Mapping):
            self._faults.append(f"{where}: points is {points!r}; expected names and places like {{'A': (1, 0)}}")
            points = {}
        for point, spec in (points or {}).items():
            self._add_point(name, point, spec)
        return BodyHandle(self, name)

    def __getitem__(self, name: str) -> BodyHandle:
        """The body of that name, to continue describing it."""
        if name != GROUND and name not in self._place:
            raise KeyError(f"no body '{name}' in mechanism '{self.name}'")
        return BodyHandle(self, name)

    # Joints -------------------------------------------------------------------------------------------------

    def joint(
        self,
        type: str,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        bodies: tuple[BodyHandle, BodyHandle] | None = None,
        at: Sequence[float] | None = None,
        axis: Sequence[float] | None = None,
        equations: Sequence[Any] = (),
        length: float | None = None,
    ) -> str:
        """Add a joint between two ports, or between `bodies` at a place (and `axis`) of the drawn pose."""
        where = f"joint '{name}'"
        equations = (equations,) if isinstance(equations, str) else tuple(equations)
        self._faults += self._idle_arguments(where, type, bodies, at, axis, equations, length)
        if bodies is not None:
            if len(bodies) != 2 or not all(isinstance(body, BodyHandle) for body in bodies) or at is None:
                self._faults.append(f"{where}: bodies= needs two bodies and at=, a place in fixed axes")
                return name
            first, second = (self._drawn_port(body.name, name, at, axis) for body in bodies)
        if not isinstance(first, PortName) or not isinstance(second, PortName):
            self._faults.append(f"{where}: expected two points like crank['B'], got {first!r} and {second!r}")
            return name
        if length is not None:
            length = self._number(length, f"{where}: length")
        self._joints.append(Joint(name, type, first, second, equations, length))
        return name

    @staticmethod
    def _idle_arguments(
        where: str, type: str, bodies: Any, at: Any, axis: Any, equations: tuple[Any, ...], length: Any
    ) -> Iterator[str]:
        """What was given and would do nothing, or cannot work."""
        if length is not None and type != "distance":
            yield f"{where}: length does nothing in a {type} joint; only a distance joint has one"
        if equations and type != "custom":
            yield f"{where}: equations do nothing in a {type} joint; use a custom joint"
        if bodies is None and (at is not None or axis is not None):
            yield f"{where}: at= and axis= go with bodies=; two points bring their own"
        if bodies is not None and axis is not None and type == "universal":
            yield f"{where}: a universal joint has a pin on each body; give two points, each with its axis"

    def revolute(self, name: str, *ports: PortName, **where: Any) -> str:
        """One point shared; in space also the axes z kept parallel: one rotation left."""
        return self.joint("revolute", name, *ports, **where)

    def prismatic(self, name: str, *ports: PortName, **where: Any) -> str:
        """Sliding along the first port's x (plane) or z (space), no rotation."""
        return self.joint("prismatic", name, *ports, **where)

    def spherical(self, name: str, *ports: PortName, **where: Any) -> str:
        """One point shared, all rotations free."""
        return self.joint("spherical", name, *ports, **where)

    def universal(self, name: str, *ports: PortName, **where: Any) -> str:
        """One point shared and the pins, each port's z, kept perpendicular."""
        return self.joint("universal", name, *ports, **where)

    def cylindrical(self, name: str, *ports: PortName, **where: Any) -> str:
        """Axes z kept on one line: one rotation and one translation left."""
        return self.joint("cylindrical", name, *ports, **where)

    def planar(self, name: str, *ports: PortName, **where: Any) -> str:
        """Second point kept in the plane of the first port (normal z), axes z kept parallel."""
        return self.joint("planar", name, *ports, **where)

    def weld(self, name: str, *ports: PortName, **where: Any) -> str:
        """Nothing left free."""
        return self.joint("weld", name, *ports, **where)

    def distance(self, name: str, *ports: PortName, length: float, **where: Any) -> str:
        """The distance of the two points kept: a massless rod with two ball ends."""
        return self.joint("distance", name, *ports, length=length, **where)

    def point_on_line(self, name: str, *ports: PortName, **where: Any) -> str:
        """The second point kept on the line through the first port along x (plane) or z (space)."""
        return self.joint("point-on-line", name, *ports, **where)

    def point_in_plane(self, name: str, *ports: PortName, **where: Any) -> str:
        """The second point kept in the plane through the first port with normal z."""
        return self.joint("point-in-plane", name, *ports, **where)

    def parallel(self, name: str, *ports: PortName, **where: Any) -> str:
        """Axes z (space) or x (plane) kept parallel; points free."""
        return self.joint("parallel", name, *ports, **where)

    def perpendicular(self, name: str, *ports: PortName, **where: Any) -> str:
        """Axes z (space) or x (plane) kept perpendicular; points free."""
        return self.joint("perpendicular", name, *ports, **where)

    def custom(self, name: str, *ports: PortName, equations: Sequence[Any], **where: Any) -> str:
        """A joint of your own: vector equations, as text like `"dot(N - M, y_i)"` or as expressions."""
        return self.joint("custom", name, *ports, equations=equations, **where)

    # Forces -------------------------------------------------------------------------------------------------

    def spring_damper(
        self,
        name: str,
        first: PortName,
        second: PortName,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        length: float = 0.0,
    ) -> str:
        """A spring of free length `length` with a damper, between two points."""
        k, c, l0 = (
            self._number(value, f"spring-damper '{name}': {key}")
            for key, value in (("stiffness", stiffness), ("damping", damping), ("length", length))
        )
        self._forces.append(SpringDamper(name, first, second, k, c, l0))
        return name

    def force(self, name: str, *, on: PortName, vector: Sequence[Any]) -> str:
        """A force on a point, in fixed axes; each component a number, a formula in `t` or a function of t."""
        self._forces.append(PointForce(name, on, self._signals(vector, self._dim, f"force '{name}': vector")))
        return name

    def torque(self, name: str, *, on: BodyHandle, torque: Any) -> str:
        """A torque on a body: one component in the plane, three in fixed axes in space."""
        components = [torque] if self._dim == 2 else torque
        count = 1 if self._dim == 2 else 3
        signals = self._signals(components, count, f"torque '{name}': torque")
        self._forces.append(Torque(name, getattr(on, "name", str(on)), signals))
        return name

    # Reading values -----------------------------------------------------------------------------------------

    def _number(self, value: Any, where: str) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            self._faults.append(f"{where} is {value!r}; expected a number")
            return 1.0

    def _vector(self, value: Any, where: str, size: int | None = None) -> Vector | None:
        if value is None:
            return None
        size = size or self._dim
        try:
            if isinstance(value, str):
                raise TypeError
            numbers = tuple(float(x) for x in value)
        except (TypeError, ValueError):
            self._faults.append(f"{where} is {value!r}; expected {size} numbers")
            return None
        if len(numbers) != size:
            self._faults.append(f"{where} has {len(numbers)} components {numbers}; expected {size}")
            return None
        return numbers

    def _signals(self, values: Any, count: int, where: str) -> tuple[Any, ...]:
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) != count:
            self._faults.append(f"{where} is {values!r}; expected {count} components")
            return (0.0,) * count
        return tuple(v if isinstance(v, str) or callable(v) else self._number(v, where) for v in values)

    def _inertia(self, value: Any, where: str) -> float | Vector:
        if self._dim == 2:
            return self._number(value, f"{where}: inertia")
        if not isinstance(value, Sequence | np.ndarray) or len(value) not in (3, 6):
            self._faults.append(
                f"{where}: inertia is {value!r}; in space expected (Ixx, Iyy, Izz) or "
                "(Ixx, Iyy, Izz, Ixy, Ixz, Iyz) about the mass centre"
            )
            return (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        numbers = self._vector(value, f"{where}: inertia", len(value)) or (1.0,) * 3
        return numbers if len(numbers) == 6 else (*numbers, 0.0, 0.0, 0.0)

    def _attitude(self, where: str, written: dict[str, Any]) -> float | Vector | None:
        if len(written) > 1:
            self._faults.append(f"{where}: attitude is given twice, by {' and '.join(written)}; keep one")
        if not written:
            return None
        key, value = next(iter(written.items()))
        if (key == "angle") != (self._dim == 2):
            wanted = "angle" if self._dim == 2 else "quaternion, bryan, euler or matrix"
            self._faults.append(f"{where}: attitude by '{key}' in a {self.space} mechanism; expected {wanted}")
            return None
        if key == "angle":
            return self._number(value, f"{where}: angle")
        return self._spatial_attitude(where, key, value)

    def _spatial_attitude(self, where: str, key: str, value: Any) -> Vector | None:
        if key == "quaternion":
            q = self._vector(value, f"{where}: quaternion", 4)
            if q is not None and not 0.0 < np.linalg.norm(q) < np.inf:
                self._faults.append(f"{where}: quaternion {q} has no direction; expected (w, x, y, z) not all zero")
                return None
            return None if q is None else tuple(float(x) for x in np.array(q) / np.linalg.norm(q))
        if key == "bryan":
            R = self._euler(where, ("xyz", value), "bryan", "three finite angles")
        elif key == "euler":
            R = self._euler(where, value, "euler", "a sequence like 'zxz' and three angles")
        else:
            try:
                R = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                R = np.zeros(())
            if R.shape != (3, 3) or not np.allclose(R.T @ R, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0:
                self._faults.append(f"{where}: matrix is no rotation; expected 3 x 3, orthogonal, determinant +1")
                return None
        return None if R is None else tuple(float(x) for x in att.quaternion_from_matrix(R))

    def _euler(self, where: str, value: Any, key: str, expected: str) -> Any:
        try:
            sequence, angles = value
            return att.matrix_from_euler(str(sequence), [float(a) for a in angles])
        except (TypeError, ValueError):
            shown = value[1] if key == "bryan" else value
            self._faults.append(f"{where}: {key} is {shown!r}; expected {expected}")
            return None

    def _spin(self, where: str, spin: Any, spin_body: Any, pose: Any) -> float | Vector | None:
        if spin is not None and spin_body is not None:
            self._faults.append(f"{where}: spin and spin_body are both given; keep one")
        if self._dim == 2:
            value = spin if spin is not None else spin_body
            return None if value is None else self._number(value, f"{where}: spin")
        if spin_body is not None:
            w = self._vector(spin_body, f"{where}: spin_body")
            R = np.eye(3) if pose is None else att.matrix_from_quaternion(pose)
            return None if w is None else tuple(float(x) for x in R @ np.array(w))
        return self._vector(spin, f"{where}: spin")

    # Points -------------------------------------------------------------------------------------------------

    def _add_point(self, body: str, name: str, spec: Any) -> None:
        where = f"point '{body}.{name}'"
        port = self._port(where, spec if isinstance(spec, Mapping) else {"at": spec})
        ports = self._ground if body == GROUND else self._bodies[self._place[body]].ports
        if name in ports:
            self._faults.append(f"{where} is defined twice")
        if body == GROUND:
            self._ground[name] = port
        else:
            owner = self._bodies[self._place[body]]
            self._bodies[self._place[body]] = replace(owner, ports={**owner.ports, name: port})

    def _port(self, where: str, spec: Mapping[str, Any]) -> Port:
        allowed = {"at", "angle"} if self._dim == 2 else {"at", "axis", "x", "z"}
        for key in sorted(set(spec) - allowed):
            self._faults.append(f"{where} has an unknown key '{key}'; known: {', '.join(sorted(allowed))}")
        at = self._vector(spec.get("at"), f"{where}: at") or (0.0,) * self._dim
        if self._dim == 2:
            if spec.get("angle") is None:
                return Port(at)
            angle = self._number(spec["angle"], f"{where}: angle")
            if not np.isfinite(angle):
                self._faults.append(f"{where}: angle is {angle}; expected a finite number")
                return Port(at)
            return Port(at, x=(float(np.cos(angle)), float(np.sin(angle))))
        if "axis" in spec and "z" in spec:
            self._faults.append(f"{where}: 'axis' and 'z' are the same thing; keep one")
        z = self._vector(spec.get("axis", spec.get("z")), f"{where}: axis")
        return Port(at, x=self._vector(spec.get("x"), f"{where}: x"), z=z)

    def _drawn_port(self, body: str, joint: str, at: Any, axis: Any) -> PortName:
        """A port of `body` at a place of the drawn pose, given in fixed axes."""
        where = f"joint '{joint}'"
        p = np.array(self._vector(at, f"{where}: at") or (0.0,) * self._dim)
        a = None if axis is None else np.array(self._vector(axis, f"{where}: axis") or (1.0,) * self._dim)
        R = np.eye(self._dim)
        owner = None if body == GROUND else self._bodies[self._place[body]]
        if owner is not None:
            if owner.position is None:
                self._faults.append(f"{where}: 'at' needs the position of body '{body}', which is not written")
            origin = np.array(owner.position or (0.0,) * self._dim)
            if np.all(np.isfinite(np.atleast_1d(owner.attitude or 0.0))):
                R = drawn_matrix(owner)
            p, a = R.T @ (p - origin), None if a is None else R.T @ a
        taken = self._ground if owner is None else owner.ports
        name = joint if joint not in taken else f"{joint}_joint"
        spec: dict[str, Any] = {"at": tuple(p)}
        # Without an axis both ports take the fixed axes of the drawing, so that the drawn pose is held.
        if self._dim == 2:
            x = R.T[:, 0] if a is None else a
            spec["angle"] = np.arctan2(x[1], x[0])
        elif a is None:
            spec |= {"x": tuple(R.T[:, 0]), "z": tuple(R.T[:, 2])}
        else:
            spec["axis"] = tuple(a)
        self._add_point(body, name, spec)
        return PortName(body, name)


def drawn_matrix(body: Body) -> Any:
    """Attitude of the drawn pose as a matrix; what is not written counts as zero."""
    if len(body.centre) == 2:
        return att.matrix_from_angle(float(body.attitude or 0.0))  # type: ignore[arg-type]
    return np.eye(3) if body.attitude is None else att.matrix_from_quaternion(body.attitude)  # type: ignore[arg-type]
