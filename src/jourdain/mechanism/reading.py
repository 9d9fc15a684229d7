"""Values as users write them, read into numbers. A wrong one is noted as a fault, and a harmless one returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import rotations as att
from .fault import Expected, Fault, Where, about
from .frozen import Frozen
from .handles import BodyHandle
from .names import nearest
from .parts import PLANAR, SPATIAL, Action, Body, MomentInPlane, Port, PortName, Vector
from .table_data import Table
from .units import Measured, UnitError, quantity

UNIT = 4e-16  # a quaternion this near to length one is left as it is, so that it can be written and read back
START_KEYS = ("angle", "displacement", "speed")


# Units of the keys of bodies, points and joints, by their last words; others have none, or any.
UNITS_OF = {
    "mass": "kg",
    "density": "kg/m^3 or kg/m^2 or kg/m",
    "inertia": "kg m^2",
    "position": "m",
    "centre": "m",
    "at": "m",
    "length": "m",
    "radius": "m",
    "pitch": "m",
    "displacement": "m",
    "angle": "rad",
    "bryan": "rad",
    "euler": "rad",
    "velocity": "m/s",
    "spin": "rad/s",
    "spin_body": "rad/s",
    "speed": "rad/s or m/s",
    "gravity": "m/s^2",
    "stiffness": "N/m",
    "damping": "N s/m",
}


def unit_of(where: Where) -> str:
    """The unit that a key has in SI."""
    return UNITS_OF.get(where.key.rpartition(".")[2], "")


def actions_of(
    record: bool, stop: bool, set: Mapping[str, Any] | None, on: Any, off: Any, call: Any
) -> tuple[Action, ...]:
    """What an event does, in the order it is done."""
    actions = [Action("set", target, value) for target, value in (set or {}).items()]
    for kind, targets in (("on", on), ("off", off)):
        actions += [Action(kind, t) for t in ([targets] if isinstance(targets, str) else targets)]
    actions += [Action("call", value=call)] if call is not None else []
    return (*actions, *(Action(kind) for kind, wanted in (("record", record), ("stop", stop)) if wanted))


class Reader:
    """Reads the values of one mechanism and collects what is wrong with them in `faults`."""

    def __init__(self, owner: Any, space: str, faults: list[Fault]) -> None:
        self.owner = owner
        self.space = space
        self.dim = 2 if space == PLANAR else 3
        self.faults = faults

    def wrong(self, where: Where, words: str, expected: Expected | None = None) -> None:
        self.faults.append(where.fault(words, expected))

    def own(self, value: Any, where: Where) -> Any:
        """A value that nobody can change any more, its points and bodies by name; those must be of this mechanism."""
        if isinstance(value, Mapping):
            return Frozen({key: self.own(inner, where) for key, inner in value.items()})
        if isinstance(value, np.ndarray | np.generic):
            return self.own(value.tolist(), where)
        if isinstance(value, list | tuple | range):
            return tuple(self.own(inner, where) for inner in value)
        if isinstance(value, str):
            return Measured.of(value)
        if not isinstance(value, BodyHandle | PortName):
            return value
        self.is_foreign(value, where)
        return value.name if isinstance(value, BodyHandle) else PortName(value.body, value.point)

    def is_foreign(self, value: BodyHandle | PortName, where: Where) -> bool:
        """Whether a body or point is another mechanism's: by its name it could be taken for one of this."""
        if value.owner is None or value.owner is self.owner:
            return False
        said = f"body '{value.name}'" if isinstance(value, BodyHandle) else f"point '{value}'"
        here, there = self.owner.name, value.owner.name
        whose = f"mechanism '{there}'" if there != here else "another mechanism of the same name"
        self.wrong(where, f"{where}: {said} belongs to {whose}; expected one of '{here}' itself")
        return True

    def two_bodies(self, bodies: Any, at: Any, where: Where) -> bool:
        """Whether a joint between bodies has what it needs."""
        pair = bodies if isinstance(bodies, Sequence) else ()
        if len(pair) != 2 or not all(isinstance(body, BodyHandle) for body in pair) or at is None:
            self.faults.append(where.key_fault("bodies", "bodies= needs two bodies and at=, a place in fixed axes"))
            return False
        return not any([self.is_foreign(body, where.at("bodies")) for body in pair])

    @staticmethod
    def several(values: Any) -> tuple[Any, ...]:
        """One value or several."""
        return tuple(values) if isinstance(values, Sequence) and not isinstance(values, str) else (values,)

    def number(self, value: Any, where: Where) -> float:
        """A number, or a text with a unit that fits its key."""
        try:
            return quantity(value, unit_of(where)) if isinstance(value, str) else float(value)
        except UnitError as error:
            self.wrong(where, f"{where} is {value!r}; expected a number ({error})")
        except (TypeError, ValueError, OverflowError):
            self.wrong(where, f"{where} is {value!r}; expected a number")
        return 1.0

    def drawn_point(self, owner: Body | None, where: Where, at: Any, axis: Any) -> dict[str, Any]:
        """A port of a body at a place of the drawn pose, given in fixed axes."""
        p = np.array(self.vector(at, where.at("at")) or (0.0,) * self.dim)
        a = None if axis is None else np.array(self.vector(axis, where.at("axis")) or (1.0,) * self.dim)
        if owner is not None and owner.position is None:
            words = f"'at' needs the position of body '{owner.name}', which is not written"
            self.faults.append(where.key_fault("at", words))
        return drawn_spec(owner, p, a)

    def drawn_length(self, owners: Sequence[Body | None], ports: Sequence[Port | None], where: Where) -> float | None:
        """How far two points are apart in the drawn pose; that there is such a point is found by others."""
        places = []
        for owner, port in zip(owners, ports, strict=True):
            if port is None:
                return 1.0
            if owner is not None and (owner.position is None or (owner.attitude is None and any(port.at))):
                words = f"{where} is missing, and the pose of body '{owner.name}' that would tell it is not written"
                self.wrong(where, words, Expected("a length, or the drawn pose", "a length, or the drawn pose"))
                return 1.0
            at = np.array(port.at)
            places.append(at if owner is None else np.array(owner.position) + drawn_matrix(owner) @ at)
        length = float(np.linalg.norm(places[1] - places[0]))
        if length > 0:
            return length
        words = f"{where} is missing, and cannot be taken from points that are drawn at one place"
        self.wrong(where, words, Expected("a length, or points drawn apart", "a length, or points drawn apart"))
        return 1.0

    def check_event(self, where: Where, direction: Any, known: Mapping[str, int], call: Any) -> None:
        if direction not in known:
            words = f"direction is {direction!r}; expected 'rising', 'falling' or 'both'"
            self.faults.append(where.key_fault("direction", words))
        if call is not None and not callable(call):
            self.faults.append(where.key_fault("call", f"call is {call!r}; expected a function"))

    def named_table(self, name: str, table: Any, known: dict[str, Table]) -> None:
        """A table as a function in formulas."""
        where = about("table", name)
        if name in known:
            self.wrong(where, f"{where} is defined twice")
        elif not isinstance(table, Table):
            self.wrong(where, f"{where} is {table!r}; expected a jd.Table")
        elif table.over is not None:
            self.wrong(where, f"{where}: over does nothing here: formulas say of what it is, as in {name}(t)")
        else:
            known[name] = table

    def vector(self, value: Any, where: Where, size: int | None = None) -> Vector | None:
        if value is None:
            return None
        size = size or self.dim
        try:
            if isinstance(value, str):
                raise TypeError
            unit = unit_of(where)
            numbers = tuple(quantity(x, unit) if isinstance(x, str) else float(x) for x in value)
        except UnitError as error:
            self.wrong(where, f"{where} is {value!r}; expected {size} numbers ({error})")
            return None
        except (TypeError, ValueError, OverflowError):
            self.wrong(where, f"{where} is {value!r}; expected {size} numbers")
            return None
        if len(numbers) != size:
            self.wrong(where, f"{where} has {len(numbers)} components {numbers}; expected {size}")
            return None
        return numbers

    def signals(self, values: Any, count: int, where: Where, inputs: Any = ()) -> tuple[Any, ...]:
        """Components of a load; one function may stand for all of them."""
        if isinstance(inputs, str) or not all(isinstance(name, str) for name in inputs):
            self.wrong(
                where._replace(key="inputs"),
                f"{where}: inputs is {inputs!r}; expected names of channels like ['crank.angle']",
            )
        if callable(values):
            return (values,)
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) != count:
            self.wrong(where, f"{where} is {values!r}; expected {count} components")
            return (0.0,) * count
        return tuple(v if isinstance(v, str | Table) or callable(v) else self.number(v, where) for v in values)

    def inertia(self, value: Any, where: Where) -> float | Vector:
        """In the plane Izz alone, or all moments, of which the others change nothing."""
        whole = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(value) in (3, 6)
        if self.dim == 2:
            if not whole:
                return self.number(value, where.at("inertia"))
            moments = self.vector(value, where.at("inertia"), len(value)) or (1.0,) * 3
            return MomentInPlane(moments if len(moments) == 6 else (*moments, 0.0, 0.0, 0.0))
        if not isinstance(value, Sequence | np.ndarray) or len(value) not in (3, 6):
            self.wrong(
                where.at("inertia"),
                f"{where}: inertia is {value!r}; in space expected (Ixx, Iyy, Izz) or "
                "(Ixx, Iyy, Izz, Ixy, Ixz, Iyz) about the mass centre",
            )
            return (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        numbers = self.vector(value, where.at("inertia"), len(value)) or (1.0,) * 3
        return numbers if len(numbers) == 6 else (*numbers, 0.0, 0.0, 0.0)

    def attitude(self, where: Where, written: dict[str, Any]) -> float | Vector | None:
        if len(written) > 1:
            self.wrong(
                where.at([*written][1]), f"{where}: attitude is given twice, by {' and '.join(written)}; keep one"
            )
        if not written:
            return None
        key, value = next(iter(written.items()))
        if (key == "angle") != (self.dim == 2):
            wanted = "angle" if self.dim == 2 else "quaternion, bryan, euler or matrix"
            self.wrong(where.at(key), f"{where}: attitude by '{key}' in a {self.space} mechanism; expected {wanted}")
            return None
        if key == "angle":
            return self.number(value, where.at("angle"))
        return self._spatial_attitude(where, key, value)

    def _spatial_attitude(self, where: Where, key: str, value: Any) -> Vector | None:
        if key == "quaternion":
            q = self.vector(value, where.at("quaternion"), 4)
            if q is not None and not 0.0 < np.linalg.norm(q) < np.inf:
                self.wrong(
                    where.at("quaternion"),
                    f"{where}: quaternion {q} has no direction; expected (w, x, y, z) not all zero",
                )
                return None
            if q is None or abs(np.linalg.norm(q) - 1.0) < UNIT:
                return q
            return tuple(float(x) for x in np.array(q) / np.linalg.norm(q))
        if key == "bryan":
            R = self._euler(where, ("xyz", value), "bryan", "three finite angles")
        elif key == "euler":
            R = self._euler(where, value, "euler", "a sequence like 'zxz' and three angles")
        else:
            try:
                R = np.asarray(value, dtype=float)
            except (TypeError, ValueError, OverflowError):
                R = np.zeros(())
            if R.shape != (3, 3) or not np.allclose(R.T @ R, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0:
                self.wrong(
                    where.at("matrix"), f"{where}: matrix is no rotation; expected 3 x 3, orthogonal, determinant +1"
                )
                return None
        return None if R is None else tuple(float(x) for x in att.quaternion_from_matrix(R))

    def _euler(self, where: Where, value: Any, key: str, expected: str) -> Any:
        try:
            sequence, angles = value
            turns = [quantity(a, "rad") if isinstance(a, str) else float(a) for a in angles]
            return att.matrix_from_euler(str(sequence), turns)
        except (TypeError, ValueError, OverflowError):
            shown = value[1] if key == "bryan" else value
            self.wrong(where.at(key), f"{where}: {key} is {shown!r}; expected {expected}")
            return None

    def spin(self, where: Where, spin: Any, spin_body: Any, pose: Any) -> float | Vector | None:
        if spin is not None and spin_body is not None:
            self.wrong(where.at("spin_body"), f"{where}: spin and spin_body are both given; keep one")
        if self.dim == 2:
            value = spin if spin is not None else spin_body
            return None if value is None else self.number(value, where.at("spin"))
        if spin_body is not None:
            w = self.vector(spin_body, where.at("spin_body"))
            R = np.eye(3) if pose is None else att.matrix_from_quaternion(pose)
            return None if w is None else tuple(float(x) for x in R @ np.array(w))
        return self.vector(spin, where.at("spin"))

    def initial(self, where: Where, written: Any) -> Mapping[str, float]:
        """Where a joint starts: numbers of its coordinates."""
        if written is not None and not isinstance(written, Mapping):
            self.wrong(where.at("initial"), f"{where}: initial is {written!r}; expected keys {', '.join(START_KEYS)}")
            written = None
        for key in written or ():
            if key not in START_KEYS:
                self.wrong(
                    where.at("initial").at(key),
                    f"{where}: initial has an unknown key '{key}'; {nearest(key, START_KEYS)}",
                )
        known = {key: value for key, value in (written or {}).items() if key in START_KEYS}
        return Frozen({key: self.number(v, where.at("initial").at(key)) for key, v in known.items()})

    def port(self, where: Where, spec: Mapping[str, Any]) -> Port:
        allowed = {"at", "angle"} if self.dim == 2 else {"at", "axis", "x", "z"}
        for key in sorted(set(spec) - allowed):
            self.wrong(where.at(key), f"{where} has an unknown key '{key}'; known: {', '.join(sorted(allowed))}")
        at = self.vector(spec.get("at"), where.at("at")) or (0.0,) * self.dim
        if self.dim == 2:
            if spec.get("angle") is None:
                return Port(at)
            angle = self.number(spec["angle"], where.at("angle"))
            if not np.isfinite(angle):
                self.wrong(where.at("angle"), f"{where}: angle is {angle}; expected a finite number")
                return Port(at)
            return Port(at, x=(float(np.cos(angle)), float(np.sin(angle))))
        if "axis" in spec and "z" in spec:
            self.wrong(where.at("z"), f"{where}: 'axis' and 'z' are the same thing; keep one")
        z = self.vector(spec.get("axis", spec.get("z")), where.at("axis"))
        return Port(at, x=self.vector(spec.get("x"), where.at("x")), z=z)


def space_of(space: Any, gravity: Any, faults: list[Fault]) -> str:
    """Plane or space, as written or as gravity has it."""
    if isinstance(space, str) and space in (PLANAR, SPATIAL):
        return space
    if space is not None:
        faults.append(Fault("", "space", f"space is {space!r}; expected 'planar' or 'spatial'"))
    three = isinstance(gravity, Sequence) or (isinstance(gravity, np.ndarray) and gravity.ndim > 0)
    return SPATIAL if three and len(gravity) == 3 else PLANAR


def idle_places(where: Where, bodies: Any, at: Any, axis: Any) -> Iterator[Fault]:
    """What was given to a joint and would do nothing."""
    if bodies is None and (at is not None or axis is not None):
        yield where.at("at" if at is not None else "axis").fault(
            f"{where}: at= and axis= go with bodies=; two points bring their own"
        )


def drawn_spec(owner: Body | None, at: Any, axis: Any) -> dict[str, Any]:
    """A port of a body (or of the ground) at the place `at` of the drawn pose with the axis `axis`, both in fixed axes.

    Without an axis both ports of a joint take the fixed axes of the drawing, so that the drawn pose is held.
    """
    R_WB = np.eye(len(at))
    if owner is not None:
        if np.all(np.isfinite(np.atleast_1d(owner.attitude or 0.0))):
            R_WB = drawn_matrix(owner)
        at = R_WB.T @ (at - np.array(owner.position or (0.0,) * len(at)))
        axis = None if axis is None else R_WB.T @ axis
    spec: dict[str, Any] = {"at": tuple(at)}
    if len(at) == 2:
        x = R_WB.T[:, 0] if axis is None else axis
        spec["angle"] = np.arctan2(x[1], x[0])
    elif axis is None:
        spec |= {"x": tuple(R_WB.T[:, 0]), "z": tuple(R_WB.T[:, 2])}
    else:
        spec["axis"] = tuple(axis)
    return spec


def drawn_matrix(body: Body) -> Any:
    """Attitude of the drawn pose as a matrix; what is not written counts as zero."""
    if len(body.centre) == 2:
        return att.matrix_from_angle(float(body.attitude or 0.0))  # type: ignore[arg-type]
    return np.eye(3) if body.attitude is None else att.matrix_from_quaternion(body.attitude)  # type: ignore[arg-type]
