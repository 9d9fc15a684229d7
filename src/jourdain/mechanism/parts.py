"""The frozen parts of a mechanism. Numbers are SI and radians; names are the user's own.

Plane: vectors have two components, `inertia` and `spin` are numbers, an attitude is an angle.
Space: vectors have three, `inertia` is (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), an attitude is a quaternion (w, x, y, z).
`None` in a start value means: not written, so assembly may choose it.
"""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol, Self

from .errors import MechanismError
from .fault import Fault, Mark
from .frozen import Frozen
from .names import owner_and_rest
from .table_data import Table

Vector = tuple[float, ...]
# A component of a load: a number, a formula in `t`, a table, or a function of t.
Signal = float | str | Table | Callable[..., Any]

GROUND = "ground"
PLANAR = "planar"
SPATIAL = "spatial"


def told_by(name: str) -> Any:
    """Notebooks and `print` ask a mechanism itself; who counts and draws is in a room above, so found by its name."""
    return getattr(import_module("jourdain.analysis.mechanism_card"), name)


@dataclass(frozen=True)
class PortName:
    """A point of a body, by name: what joints and forces refer to."""

    body: str
    point: str
    owner: Any = field(default=None, compare=False, repr=False)  # the mechanism whose user got it

    def __str__(self) -> str:
        return f"{self.body}.{self.point}"


_PLAIN = (str, int, float, tuple, PortName, Table)  # values that nobody can change


@dataclass(frozen=True)
class Port:
    """A point of a body with its axes, all in body axes. Axes that were not given are None."""

    at: Vector
    x: Vector | None = None
    z: Vector | None = None


@dataclass(frozen=True)
class Shape:
    """A homogeneous solid in body axes, about its middle `at`.

    `size` is, by kind: box (x, y[, z]); rod (length, radius); disc and cylinder (radius, length); sphere (radius,).
    `axis` is the direction of a rod, the axis of a disc or a cylinder in space, and x of a box in the plane. An
    `outline` has corners instead and is only drawn.
    """

    kind: str
    size: Vector
    at: Vector
    axis: Vector | None = None
    corners: tuple[Vector, ...] = ()


@dataclass(frozen=True)
class Look:
    """How a body is drawn: its shapes, a colour by name or as #rrggbb, and points whose paths are drawn."""

    shapes: tuple[Shape, ...] = ()
    colour: str | None = None
    traces: tuple[str, ...] = ()
    hidden: bool = False
    strokes: tuple[tuple[Vector, ...], ...] = ()  # lines in body axes, such as symbols of types


class MomentInPlane(float):
    """Izz of a body in the plane of which all moments were written; the others change nothing there, and are kept."""

    tensor: Vector  # Ixx, Iyy, Izz, Ixy, Ixz, Iyz

    def __new__(cls, tensor: Vector) -> MomentInPlane:
        found = super().__new__(cls, tensor[2])
        found.tensor = tensor
        return found

    def __reduce__(self) -> tuple[type[MomentInPlane], tuple[Vector]]:
        return MomentInPlane, (self.tensor,)


@dataclass(frozen=True)
class Body:
    """A rigid body. `position`, `velocity` and ports refer to the origin of the body axes.

    `centre` is the mass centre in body axes; `inertia` is about the mass centre, in body axes, with products
    of inertia as tensor entries (`-int xy dm`). `spin` is the angular velocity in fixed axes.
    """

    name: str
    mass: float
    inertia: float | Vector
    centre: Vector
    ports: Mapping[str, Port]
    position: Vector | None = None
    attitude: float | Vector | None = None
    velocity: Vector | None = None
    spin: float | Vector | None = None
    look: Look | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.ports, Frozen):
            object.__setattr__(self, "ports", Frozen(self.ports))


@dataclass(frozen=True)
class Joint:
    """Two ports and a type of the catalogue; `custom` joints bring their own equations.

    `initial` is where the joint starts, of its `angle`, `displacement` and `speed` what was written.
    """

    name: str
    type: str
    first: PortName
    second: PortName
    equations: tuple[Any, ...] = ()
    length: float | None = None
    # What only some types have: the `pitch` of a screw, the `radius` of a rolling disc.
    values: Mapping[str, Any] = field(default_factory=lambda: Frozen({}))
    initial: Mapping[str, float] = field(default_factory=lambda: Frozen({}))
    one_axis: bool = field(default=False, compare=False, repr=False)  # of the drawn pose, which both ports were made of
    symbol: str = field(default="", compare=False, repr=False)  # another than its kind's, by name


@dataclass(frozen=True)
class Component:
    """Anything else, as it was written: a type of `library/` and the values of its keys.

    Values are numbers, texts (formulas, names of joints, channels), PortNames, functions, tables of pairs.
    """

    name: str
    type: str
    values: Mapping[str, Any]
    symbol: str = field(default="", compare=False, repr=False)  # another than its kind's, by name


@dataclass(frozen=True)
class Action:
    """What an event does: `stop`, `record`, `set` a parameter, switch a part `on` or `off`, or `call` a function."""

    kind: str
    target: str = ""
    value: Any = None


@dataclass(frozen=True)
class Event:
    """A zero crossing of `when`, a formula over channels: `direction` +1 rising, -1 falling, 0 both."""

    name: str
    when: str
    direction: int
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class SpringDamper:
    """A force along the line between two points: `stiffness (l - length) + damping l'`, pulling when positive."""

    name: str
    first: PortName
    second: PortName
    stiffness: float
    damping: float
    length: float
    symbol: str = field(default="", compare=False, repr=False)  # another than a coil, by name


@dataclass(frozen=True)
class PointForce:
    """A force on a point, components in fixed axes; functions take `inputs` (channels) where given, otherwise t.

    A single function in `vector` gives all components.
    """

    name: str
    on: PortName
    vector: tuple[Signal, ...]
    inputs: tuple[str, ...] = ()  # channels that functions among the components take instead of t


@dataclass(frozen=True)
class Torque:
    """A torque on a body: one component in the plane, three in fixed axes in space. `inputs` as in a PointForce."""

    name: str
    on: str
    torque: tuple[Signal, ...]
    inputs: tuple[str, ...] = ()


Force = SpringDamper | PointForce | Torque | Component


class Source(Protocol):
    """The file that a mechanism came from."""

    def __call__(self, values: Mapping[str, Any], /) -> Blueprint:
        """The mechanism read again, with other values of parameters, by name."""

    def mark_of(self, fault: Fault, /) -> Mark | None:
        """Where the part of a fault is written, or the key to blame; None if it is not in the file."""

    def with_numbers(self, numbers: Mapping[str, Any], /) -> Source:
        """The same, with other values of numbers such as `crank.mass` whenever it is read."""


@dataclass(frozen=True)
class Blueprint:
    """A whole mechanism, frozen: what a builder or a file produces and every analysis takes."""

    name: str
    space: str
    gravity: Vector
    ground: Mapping[str, Port]
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    forces: tuple[Force, ...]
    relations: tuple[Component, ...] = ()
    motions: tuple[Component, ...] = ()
    elements: tuple[Component, ...] = ()
    events: tuple[Event, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=lambda: Frozen({}))
    tables: Mapping[str, Table] = field(default_factory=lambda: Frozen({}))  # functions in formulas, by name
    off: frozenset[str] = frozenset()  # parts that are switched off at the start, by name
    description: str = ""
    defaults: Mapping[str, Any] = field(default_factory=lambda: Frozen({}))  # of `simulate`, by argument
    display: Mapping[str, str] = field(default_factory=lambda: Frozen({}))  # units to be shown, by quantity
    hints: tuple[str, ...] = ()  # what may be meant otherwise
    # Of channels and points, in full: ports of assemblies (`leg3.foot`) and what types report have two.
    other_names: Mapping[str, str] = field(default_factory=lambda: Frozen({}))
    # How parts that types stand for were written, for whoever saves them (files/types/kept_uses.py).
    written: Any = field(default=None, compare=False, repr=False)
    # What the builder could not store as asked; reported together with all other faults.
    early_faults: tuple[Fault, ...] = field(default=())
    source: Source | None = field(default=None, compare=False, repr=False)

    def _repr_html_(self) -> str:
        return str(told_by("html_of")(self))

    def __post_init__(self) -> None:
        if not isinstance(self.ground, Frozen):
            object.__setattr__(self, "ground", Frozen(self.ground))

    def __getstate__(self) -> dict[str, Any]:
        """For pickling and copying: what it is, without what was worked out from it."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if unfit := [name for name, value in _functions(self) if not _is_importable(value)]:
            words = f"{unfit[0]}: a function of Python cannot be pickled, unless it is one of a module by its name"
            raise pickle.PicklingError(words)
        return found

    def __copy__(self) -> Self:
        return self  # frozen all the way down

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @cached_property
    def dim(self) -> int:
        return 2 if self.space == PLANAR else 3

    @cached_property
    def no_length(self) -> float:
        """Metres that are none: far below the size of the machine, or below a metre where it is larger."""
        ports = [*self.ground.values(), *(port for body in self.bodies for port in body.ports.values())]
        places = [*(port.at for port in ports), *(body.position or () for body in self.bodies)]
        reach = max((abs(number) for place in places for number in place), default=0.0)
        return 1e-12 * min(1.0, reach or 1.0)

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """All components of the library, in a fixed order."""
        forces = (force for force in self.forces if isinstance(force, Component))
        return (*self.relations, *self.motions, *self.elements, *forces)

    def is_of_the_parts_of(self, other: Blueprint) -> bool:
        """Whether both consist of the very same parts: not equal ones, which would take longer to find out."""
        for name in self.__dataclass_fields__:
            a, b = getattr(self, name), getattr(other, name)
            if a is b:
                continue
            if isinstance(a, Mapping):
                if a.keys() != b.keys():
                    return False
                a, b = tuple(a.values()), tuple(b.values())
            if isinstance(a, tuple):
                if len(a) != len(b) or not all(map(operator.is_, a, b)):
                    return False
            elif a != b:
                return False
        return True

    @cached_property
    def is_settled(self) -> bool:
        """Whether all values of its parts are plain ones, which nobody can change: no functions, no lists."""
        values = [v for component in self.components for v in component.values.values()]
        values += [v for joint in self.joints for v in (joint.equations, *joint.values.values())]
        values += [v for force in self.forces if not isinstance(force, Component) for v in vars(force).values()]
        values += [v for value in values if isinstance(value, tuple) for v in value]
        return all(value is None or isinstance(value, _PLAIN) for value in values)

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """What others have worked out from it and need not work out again; no part of what it is."""
        return {}

    def full_name(self, channel: str) -> str:
        """The name of a channel or a point by its other name, `leg3.foot.x`; else the same."""
        if not self.other_names:
            return channel
        end = len(channel)
        while end > 0:
            if channel[:end] in self.other_names:
                return self.other_names[channel[:end]] + channel[end:]
            end = channel.rfind(".", 0, end)
        return channel

    def other_name(self, channel: str) -> str:
        """The name by which a type reports a channel of one of its parts; else the same."""
        return self._reported.get(channel, channel)

    @cached_property
    def _reported(self) -> dict[str, str]:
        points = {str(PortName(body.name, point)) for body in self.bodies for point in body.ports}
        return {full: name for name, full in self.other_names.items() if full not in points}

    @cached_property
    def owners(self) -> frozenset[str]:
        """Names of all that has channels of its own."""
        parts = (*self.bodies, *self.joints, *self.forces, *self.components)
        return frozenset({GROUND, *(part.name for part in parts)})

    def owner_of(self, name: str) -> tuple[str, str]:
        """The part whose channel this is, and the rest of its name: `leg3.knee` and `angle`, `crank` and `B.x`."""
        return owner_and_rest(name, self.owners)

    @cached_property
    def _by_name(self) -> dict[str, Body]:
        return {body.name: body for body in reversed(self.bodies)}  # of two with one name the first counts

    @cached_property
    def joints_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in reversed(self.joints)}

    def refused(self, faults: Sequence[Fault | str]) -> MechanismError:
        """The error that lists these faults; those of parts from a file at their places there."""
        return MechanismError(self.name, [self._placed(fault) for fault in faults])

    def _placed(self, fault: Fault | str) -> Fault | str:
        if self.source is None or (isinstance(fault, Fault) and fault.mark is not None):
            return fault
        fault = Fault("", "", fault) if isinstance(fault, str) else fault
        mark = self.source.mark_of(fault)
        return fault if mark is None else fault.at(mark)

    def body(self, name: str) -> Body:
        return self._by_name[name]

    def has_body(self, name: str) -> bool:
        return name == GROUND or name in self._by_name

    def ports_of(self, body: str) -> Mapping[str, Port]:
        return self.ground if body == GROUND else self.body(body).ports

    def joint(self, name: str) -> Joint:
        return self.joints_by_name[name]

    def port(self, name: PortName) -> Port:
        return self.ports_of(name.body)[name.point]


def _functions(blueprint: Blueprint) -> Iterator[tuple[str, Any]]:
    """Functions of Python among the values of parts, each with the name of its part."""
    for force in blueprint.forces:
        if isinstance(force, PointForce | Torque):
            signals = force.vector if isinstance(force, PointForce) else force.torque
            kind = "force" if isinstance(force, PointForce) else "torque"
            yield from ((f"{kind} '{force.name}'", value) for value in signals if callable(value))
    for component in blueprint.components:
        yield from ((f"{component.type} '{component.name}'", value) for value in _inside(component.values))


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _inside(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _inside(inner)
    elif callable(value):
        yield value


def _is_importable(function: Any) -> bool:
    try:
        pickle.dumps(function)
    except Exception:  # noqa: BLE001  (whatever an object raises that cannot be pickled)
        return False
    return True
