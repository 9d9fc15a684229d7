"""`Mechanism`: the one mutable thing. It collects frozen parts and hands out a frozen `Blueprint`.

The builder never raises on a wrong value: it notes the fault, goes on, and all faults are reported together
when an analysis first looks at the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from . import solids
from .as_data import ROOMS, AsData
from .errors import no_mechanism
from .fault import Fault, Where, about, whole
from .frozen import Frozen, kept
from .handles import BodyHandle, PartHandle, PartType, type_of
from .names import nearest
from .part_keys import PlaceKeys
from .part_methods import ElementMethods, ForceMethods, JointMethods, MotionMethods, RelationMethods
from .parts import (
    GROUND,
    PLANAR,
    Blueprint,
    Body,
    Component,
    Event,
    Force,
    Joint,
    PointForce,
    Port,
    PortName,
    Source,
    SpringDamper,
    Torque,
)
from .reading import Reader, actions_of, idle_places, space_of
from .shown_keys import keyed
from .table_data import Table
from .taken import DRAWN, Amount, Amounts, Bodies, Expression, Initial, Load, Loads, PartValue, Place, Rows

SECTIONS = ("relations", "motions", "forces", "elements")
DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}


class Mechanism(AsData, JointMethods, ForceMethods, RelationMethods, MotionMethods, ElementMethods):
    """A mechanism being described.

    >>> m = Mechanism("pendulum", gravity=(0, -9.81))
    >>> bar = m.body("bar", mass=1, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0)})
    >>> _ = m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    >>> m.frozen().joints[0].type
    'revolute'
    """

    def __init__(self, name: str = "mechanism", gravity: Amounts | None = None, space: str | None = None) -> None:
        self.name = name
        self.description = ""
        self.defaults: dict[str, Any] = {}  # what `simulate` takes where it is told nothing else, by argument
        self.display: dict[str, str] = {}  # units of plots, reports and tables, by quantity
        self.hints: tuple[str, ...] = ()  # of its file
        self.source: Source | None = None  # of one from a file
        self._faults: list[Fault] = []
        self._last: Blueprint | None = None
        self.space = space_of(space, gravity, self._faults)
        self._dim = 2 if self.space == PLANAR else 3
        self._read = Reader(self, self.space, self._faults)
        self._gravity = self._read.vector(gravity, whole("gravity")) or (0.0,) * self._dim
        self._ground: dict[str, Port] = {}
        self._bodies: list[Body] = []
        self._place: dict[str, int] = {}  # of each body name in _bodies
        self._joints: list[Joint] = []
        self._forces: list[Force] = []
        self._relations: list[Component] = []
        self._motions: list[Component] = []
        self._elements: list[Component] = []
        self._events: list[Event] = []
        self._parameters: dict[str, float] = {}
        self._tables: dict[str, Table] = {}
        self._off: set[str] = set()
        self.other_names: dict[str, str] = {}  # of channels and points: ports of assemblies, what types report
        self.written: Any = None  # how parts that types stand for were written
        self.ground = BodyHandle(self, self._add_point, GROUND)

    def frozen(self) -> Blueprint:
        """The mechanism as it stands now. Later changes of the builder do not reach it.

        The same object as last time where nothing has changed, so that what was worked out from it need not be again.
        """
        rooms: dict[str, Any] = {room: tuple(getattr(self, f"_{room}")) for room in ROOMS}
        found = Blueprint(
            self.name,
            self.space,
            self._gravity,
            Frozen(self._ground),
            **rooms,
            parameters=Frozen(self._parameters),
            tables=Frozen(self._tables),
            off=frozenset(self._off),
            description=self.description,
            defaults=kept(self.defaults),
            display=Frozen(self.display),
            hints=self.hints,
            other_names=Frozen(self.other_names),
            written=self.written,
            early_faults=tuple(self._faults),
            source=self.source,
        )
        if self._last is None or not found.is_of_the_parts_of(self._last):
            self._last = found
        return self._last

    # Bodies -------------------------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        *,
        mass: Amount | None = None,
        inertia: Amount | Amounts | None = None,
        shape: Mapping[str, Any] | None = None,
        density: Amount | None = None,
        position: Amounts | None = None,
        angle: Amount | None = None,
        quaternion: Amounts | None = None,
        bryan: Amounts | None = None,
        euler: tuple[str, Amounts] | None = None,
        matrix: Rows | None = None,
        velocity: Amounts | None = None,
        spin: Amount | Amounts | None = None,
        spin_body: Amount | Amounts | None = None,
        centre: Amounts | None = None,
        points: Mapping[str, Place] | None = None,
        look: Mapping[str, Any] | None = None,
    ) -> BodyHandle:
        """Add a body.

        `position`, `velocity` and `points` refer to the origin of the body axes, which is the mass centre unless
        `centre` gives the mass centre in body axes. `inertia` is about the mass centre, in body axes: a number in
        the plane; (Ixx, Iyy, Izz) or (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) in space. The attitude is `angle` in the
        plane; `quaternion`, `bryan`, `euler=("zxz", angles)` or `matrix` in space. `spin` is the angular velocity
        in fixed axes, `spin_body` in body axes.

        A homogeneous `shape` may stand for the inertia, with `density` also for the mass: `shape={"box": (1, 0.2)}`,
        `rod`, `disc`, `cylinder` or `sphere`. It is drawn, and so is what `look` says: `colour`, `shapes`, `strokes`,
        `traces`.
        """
        where = about("body", name)
        solid = None if shape is None else solids.read_shape(self._read, where.at("shape"), shape)
        if solid is not None and inertia is None and centre is None:
            centre = solid.at
        written = {"angle": angle, "quaternion": quaternion, "bryan": bryan, "euler": euler, "matrix": matrix}
        pose = self._read.attitude(where, {k: v for k, v in written.items() if v is not None})
        self._place.setdefault(name, len(self._bodies))
        self._bodies.append(
            Body(
                name=name,
                mass=(weight := solids.read_mass(self._read, where, mass, density, solid)),
                inertia=solids.read_inertia(self._read, where, inertia, weight, solid, centre),
                centre=self._read.vector(centre, where.at("centre")) or (0.0,) * self._dim,
                ports={},
                position=self._read.vector(position, where.at("position")),
                attitude=pose,
                velocity=self._read.vector(velocity, where.at("velocity")),
                spin=self._read.spin(where, spin, spin_body, pose),
                look=solids.read_look(self._read, where, look, solid),
            )
        )
        if points is not None and not isinstance(points, Mapping):
            words = f"points is {points!r}; expected names and places like {{'A': (1, 0)}}"
            self._faults.append(where.key_fault("points", words))
            points = {}
        for point, spec in (points or {}).items():
            self._add_point(name, point, spec)
        return BodyHandle(self, self._add_point, name)

    def __getitem__(self, name: str) -> BodyHandle:
        """The body of that name, to continue describing it."""
        if name != GROUND and name not in self._place:
            raise KeyError(f"no body '{name}' in mechanism '{self.name}'; {nearest(name, (*self._place, GROUND))}")
        return BodyHandle(self, self._add_point, name)

    # Joints -------------------------------------------------------------------------------------------------

    def joint(
        self,
        type: str,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        bodies: Bodies | None = None,
        at: Amounts | None = None,
        axis: Amounts | None = None,
        equations: Sequence[str | Expression] | str = (),
        length: Amount | None = None,
        values: Mapping[str, Amount] | None = None,
        initial: Initial | None = None,
    ) -> str:
        """Add a joint between two ports, or between `bodies` at a place (and `axis`) of the drawn pose.

        `values` are the numbers that only some types have: the `pitch` of a screw, the `radius` of a rolling disc.
        `initial` is where the joint starts: `{"angle": 0.5, "speed": 2}`, or `displacement` where it slides.
        """
        where = about("joint", name)
        equations = self._read.several(equations)
        self._faults += idle_places(where, bodies, at, axis)
        if bodies is not None:
            if not self._read.two_bodies(bodies, at, where):
                return name
            first, second = (self._drawn_port(body.name, name, at, axis) for body in bodies)
        first, second = self._read.own((first, second), where.at("between"))
        if not isinstance(first, PortName) or not isinstance(second, PortName):
            words = f"expected two points like crank['B'], got {first!r} and {second!r}"
            self._faults.append(where.key_fault("between", words))
            return name
        if length == DRAWN:
            length = self._drawn_length(first, second, where.at("length"))
        length = None if length is None else self._read.number(length, where.at("length"))
        numbers = {key: self._read.number(value, where.at(key)) for key, value in (values or {}).items()}
        starts = self._read.initial(where, initial)
        more = Frozen(numbers), starts, bodies is not None and axis is not None
        self._joints.append(Joint(name, type, first, second, equations, length, *more))
        return name

    @keyed(PlaceKeys)
    def screw(
        self,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        pitch: Amount,
        joints: Sequence[str] | None = None,
        **where: Unpack[PlaceKeys],
    ) -> str:
        """A nut on a thread, `pitch` metres a turn: `m.screw("S", frame["A"], nut["A"], pitch=0.002)`.

        With `joints=("A", "B")` it is a relation instead: the displacement of B follows the angle of A.
        """
        if joints is not None:
            ports = [port for port in (first, second) if port is not None]
            return self.component("relations", "screw", name, *ports, joints=joints, pitch=pitch, **where)
        return self.joint("screw", name, first, second, values={"pitch": pitch}, **where)

    # Forces -------------------------------------------------------------------------------------------------

    def spring_damper(
        self,
        name: str,
        first: PortName,
        second: PortName,
        *,
        stiffness: Amount = 0.0,
        damping: Amount = 0.0,
        length: Amount = 0.0,
    ) -> str:
        """A spring of free length `length` with a damper, between two points; numbers, or formulas of parameters.

        `m.spring_damper("S", a["P"], b["Q"], stiffness=200, damping=5, length=0.4)`
        """
        keys: dict[str, Any] = {"stiffness": stiffness, "damping": damping, "length": length}
        if any(isinstance(value, str) for value in keys.values()):
            return self.component("forces", "spring-damper", name, first, second, **keys)
        where = about("spring-damper", name)
        k, c, l0 = (self._read.number(value, where.at(key)) for key, value in keys.items())
        first, second = self._read.own((first, second), where.at("between"))
        self._forces.append(SpringDamper(name, first, second, k, c, l0))
        return name

    def force(self, name: str, *, on: PortName, vector: Loads, inputs: Sequence[str] = ()) -> str:
        """A force on a point, in fixed axes; each component a number, a formula or a function of t.

        With `inputs` functions take those channels instead of t, and one function may give all components:
        `m.force("drag", on=car["C"], vector=[lambda v: -2 * v, 0], inputs=["car.vx"])`
        """
        signals = self._read.signals(vector, self._dim, about("force", name).at("vector"), inputs)
        self._forces.append(PointForce(name, self._read.own(on, about("force", name).at("on")), signals, tuple(inputs)))
        return name

    def torque(self, name: str, *, on: BodyHandle | str, torque: Loads, inputs: Sequence[str] = ()) -> str:
        """A torque on a body: one component in the plane, three in fixed axes in space. `inputs` as in `force`.

        `m.torque("drive", on=crank, torque="2*cos(t)")`
        """
        components, count = (torque, 3) if self._dim == 3 else ([torque], 1)
        signals = self._read.signals(components, count, about("torque", name).at("torque"), inputs)
        body = str(self._read.own(on, about("torque", name).at("on")))
        self._forces.append(Torque(name, body, signals, tuple(inputs)))
        return name

    # Parameters, events, switches ----------------------------------------------------------------------------

    def parameter(self, name: str, value: Amount) -> str:
        """A number with a name, which formulas use and events may set: `k = m.parameter("k", 200)`."""
        where = about("parameter", name)
        if name in self._parameters:
            self._read.wrong(where, f"{where} is defined twice")
        self._parameters[name] = self._read.number(value, where)
        return name

    def table(self, name: str, table: Table) -> str:
        """A function for formulas: `m.table("gas", jd.Table([0, 1, 2], [5, 9, 2]))`, then `gas(O.angle)`."""
        self._read.named_table(name, table, self._tables)
        return name

    def part(self, name: str, type: PartType | str, /, *ports: PortName | str, **parameters: PartValue) -> PartHandle:
        """A part of a `jd.Type`, or of one that its file names: its points (and joints), then what it is given."""
        self._faults += type_of(self, type).place(self, name, ports, parameters)
        return PartHandle(self, name)

    def event(
        self,
        name: str,
        when: str,
        *,
        direction: str = "rising",
        stop: bool = False,
        record: bool = True,
        set: Mapping[str, Load] | None = None,
        on: Sequence[str] = (),
        off: Sequence[str] = (),
        call: Callable[[Any], object] | None = None,
    ) -> str:
        """Do something where `when`, a formula over channels, passes zero (`rising`, `falling` or `both`).

        `m.event("hit", "ball.y - 0.1", direction="falling", set={"k": 1e4}, off=["rope"], stop=True)`
        """
        self._read.check_event(about("event", name), direction, DIRECTIONS, call)
        actions = actions_of(record, stop, set, on, off, call)
        self._events.append(Event(name, when, DIRECTIONS.get(direction, 0), actions))
        return name

    def switch_off(self, name: str) -> str:
        """Start with a joint, force, relation, motion or element switched off: `m.switch_off("latch")`."""
        self._off.add(name)
        return name

    def component(self, section: str, type: str, name: str, /, *ends: PortName, **keys: PartValue) -> str:
        """Any kind of the library: `m.component("forces", "attraction", "pull", sun["O"], planet["O"], strength=2)`."""
        where = about(type, name)
        if section not in SECTIONS:
            self._read.wrong(where, f"{where}: section is {section!r}; expected {', '.join(SECTIONS)}")
            return name
        if ends and "between" in keys:
            self._read.wrong(where.at("between"), f"{where}: points are given twice, alone and as between; keep one")
        keys |= {"between": ends} if ends else {}
        values = {key: self._read.own(value, where.at(key)) for key, value in keys.items()}
        getattr(self, f"_{section}").append(Component(name, type, Frozen(values)))
        return name

    # Points -------------------------------------------------------------------------------------------------

    def _add_point(self, body: str, name: str, spec: Any) -> None:
        where = about("point", f"{body}.{name}")
        port = self._read.port(where, spec if isinstance(spec, Mapping) else {"at": spec})
        owner = None if body == GROUND else self._bodies[self._place[body]]
        if name in (ports := self._ground if owner is None else owner.ports):
            self._read.wrong(where, f"{where} is defined twice")
        if owner is None:
            self._ground[name] = port
        else:
            self._bodies[self._place[body]] = replace(owner, ports={**ports, name: port})

    def _drawn_length(self, first: PortName, second: PortName, where: Where) -> float | None:
        owners = [self._bodies[k] if (k := self._place.get(end.body)) is not None else None for end in (first, second)]
        rooms = [self._ground if owner is None else owner.ports for owner in owners]
        ports = [room.get(end.point) for room, end in zip(rooms, (first, second), strict=True)]
        return self._read.drawn_length(owners, ports, where)

    def _drawn_port(self, body: str, joint: str, at: Any, axis: Any) -> PortName:
        """A port of `body` at a place of the drawn pose, given in fixed axes."""
        owner = None if body == GROUND else self._bodies[self._place[body]]
        taken = self._ground if owner is None else owner.ports
        name = joint if joint not in taken else f"{joint}_joint"
        self._add_point(body, name, self._read.drawn_point(owner, about("joint", joint), at, axis))
        return PortName(body, name)


def blueprint_of(mechanism: object) -> Blueprint:
    if not isinstance(mechanism, Mechanism | Blueprint):
        raise no_mechanism(mechanism)
    return mechanism.frozen() if isinstance(mechanism, Mechanism) else mechanism
