"""`Mechanism`: the one mutable thing. It collects frozen parts and hands out a frozen `Blueprint`.

The builder never raises on a wrong value: it notes the fault, goes on, and all faults are reported together
when an analysis first looks at the mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import solids
from .as_data import ROOMS, AsData
from .errors import no_mechanism
from .fault import Fault, about, whole
from .frozen import Frozen
from .handles import BodyHandle, PartHandle, type_of
from .names import nearest
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
from .table_data import Table

SECTIONS = ("relations", "motions", "forces", "elements")
DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}


class Mechanism(AsData):
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
            defaults=Frozen(self.defaults),
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
        mass: float | None = None,
        inertia: float | Sequence[float] | None = None,
        shape: Mapping[str, Any] | None = None,
        density: float | None = None,
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
        bodies: tuple[BodyHandle, BodyHandle] | None = None,
        at: Sequence[float] | None = None,
        axis: Sequence[float] | None = None,
        equations: Sequence[Any] = (),
        length: float | None = None,
        values: Mapping[str, Any] | None = None,
        initial: Mapping[str, float] | None = None,
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
        length = None if length is None else self._read.number(length, where.at("length"))
        numbers = {key: self._read.number(value, where.at(key)) for key, value in (values or {}).items()}
        starts = self._read.initial(where, initial)
        more = Frozen(numbers), starts, bodies is not None and axis is not None
        self._joints.append(Joint(name, type, first, second, equations, length, *more))
        return name

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

    def knife_edge(self, name: str, *ports: PortName, **where: Any) -> str:
        """The second port's point does not move along that port's y: `m.knife_edge("E", ice["O"], sled["E"])`."""
        return self.joint("knife-edge", name, *ports, **where)

    def rolling_disc(self, name: str, *ports: PortName, radius: float, **where: Any) -> str:
        """A disc about the second port, its z the disc's axis, rolls on the plane through the first port, normal z.

        `m.rolling_disc("roll", m.ground["floor"], disc["centre"], radius=0.3)`
        """
        return self.joint("rolling-disc", name, *ports, values={"radius": radius}, **where)

    def wheel(self, name: str, *ports: PortName, **where: Any) -> str:
        """The second port's point does not move along its axle, y in the plane and z in space: no side slip."""
        return self.joint("wheel", name, *ports, **where)

    def screw(self, name: str, *ports: PortName, pitch: Any, joints: Any = None, **where: Any) -> str:
        """A nut on a thread, `pitch` metres a turn: `m.screw("S", frame["A"], nut["A"], pitch=0.002)`.

        With `joints=("A", "B")` it is a relation instead: the displacement of B follows the angle of A.
        """
        if joints is not None:
            return self.component("relations", "screw", name, *ports, joints=joints, pitch=pitch, **where)
        return self.joint("screw", name, *ports, values={"pitch": pitch}, **where)

    # Forces -------------------------------------------------------------------------------------------------

    def spring_damper(
        self,
        name: str,
        first: PortName,
        second: PortName,
        *,
        stiffness: float | str = 0.0,
        damping: float | str = 0.0,
        length: float | str = 0.0,
    ) -> str:
        """A spring of free length `length` with a damper, between two points; numbers, or formulas of parameters."""
        keys: dict[str, Any] = {"stiffness": stiffness, "damping": damping, "length": length}
        if any(isinstance(value, str) for value in keys.values()):
            return self.component("forces", "spring-damper", name, first, second, **keys)
        where = about("spring-damper", name)
        k, c, l0 = (self._read.number(value, where.at(key)) for key, value in keys.items())
        first, second = self._read.own((first, second), where.at("between"))
        self._forces.append(SpringDamper(name, first, second, k, c, l0))
        return name

    def force(self, name: str, *, on: PortName, vector: Any, inputs: Sequence[str] = ()) -> str:
        """A force on a point, in fixed axes; each component a number, a formula or a function of t.

        With `inputs` functions take those channels instead of t, and one function may give all components:
        `m.force("drag", on=car["C"], vector=[lambda v: -2 * v, 0], inputs=["car.vx"])`
        """
        signals = self._read.signals(vector, self._dim, about("force", name).at("vector"), inputs)
        self._forces.append(PointForce(name, self._read.own(on, about("force", name).at("on")), signals, tuple(inputs)))
        return name

    def torque(self, name: str, *, on: BodyHandle, torque: Any, inputs: Sequence[str] = ()) -> str:
        """A torque on a body: one component in the plane, three in fixed axes in space. `inputs` as in `force`."""
        components, count = (torque, 3) if self._dim == 3 else ([torque], 1)
        signals = self._read.signals(components, count, about("torque", name).at("torque"), inputs)
        body = str(self._read.own(on, about("torque", name).at("on")))
        self._forces.append(Torque(name, body, signals, tuple(inputs)))
        return name

    def torsion_spring_damper(self, name: str, **keys: Any) -> str:
        """A torque that follows the angle of a joint; `angle` is the free one.

        `m.torsion_spring_damper("hinge", joint="A", stiffness=20, damping=0.1, angle=0.5)`
        """
        return self.component("forces", "torsion-spring-damper", name, **keys)

    def spring(self, name: str, *ports: PortName, **keys: Any) -> str:
        """A pull between two points: `force` over `length` and `rate`, or `table` of (length, pull); `damping`.

        `m.spring("S", a["P"], b["Q"], force="200*(length - 1)**3")`
        """
        return self.component("forces", "spring", name, *ports, **keys)

    def actuator(self, name: str, **keys: Any) -> str:
        """Along a joint: `stiffness`, `damping`, `free`, `preload`, `motor`, `stops` and what they are made of.

        `m.actuator("leg", joint="A", motor="5*sin(t)", stops=(-1, 1), stop_stiffness=1e4)`
        """
        return self.component("forces", "actuator", name, **keys)

    def bushing(self, name: str, *ports: PortName, **keys: Any) -> str:
        """Springs along and about the first port's axes: 3 numbers in the plane (x, y, angle), 6 in space.

        `m.bushing("rubber", frame["A"], arm["A"], stiffness=(1e5, 1e5, 200), damping=(50, 50, 1))`
        """
        return self.component("forces", "bushing", name, *ports, **keys)

    def stop(self, name: str, *ports: PortName, **keys: Any) -> str:
        """Pushes back `below` or `above` a limit of a joint's coordinate or of the distance of two points.

        `m.stop("end", joint="S", above=0.2, stiffness=1e5, damping=0.5)`
        """
        return self.component("forces", "stop", name, *ports, **keys)

    def rope(self, name: str, *ports: PortName, **keys: Any) -> str:
        """Pulls when longer than `length`, never pushes.

        `m.rope("cable", crane["top"], load["eye"], length=4, stiffness=1e5)`
        """
        return self.component("forces", "rope", name, *ports, **keys)

    def friction(self, name: str, **keys: Any) -> str:
        """Dry friction in a joint by the reaction it carries; turning joints need the `radius` of the pin.

        `m.friction("F", joint="A", coefficient=0.1, radius=0.02)`
        """
        return self.component("forces", "friction", name, **keys)

    def line_load(self, name: str, *ports: PortName, **keys: Any) -> str:
        """A force per metre along a rod, `vector` over `s` from 0 to 1; in `axes` 'fixed' or 'body'.

        `m.line_load("snow", beam["A"], beam["B"], vector=(0, "-500*s"))`
        """
        return self.component("forces", "line-load", name, *ports, **keys)

    def drag(self, name: str, *ports: PortName, **keys: Any) -> str:
        """Resistance of a rod per metre, `linear` and `quadratic` in its velocity across itself.

        `m.drag("water", oar["A"], oar["B"], quadratic=40)`
        """
        return self.component("forces", "drag", name, *ports, **keys)

    def follower_force(self, name: str, **keys: Any) -> str:
        """A force on a point whose components are in body axes: it turns with the body.

        `m.follower_force("thrust", on=rocket["tail"], vector=(0, 100))`
        """
        return self.component("forces", "follower-force", name, **keys)

    def follower_torque(self, name: str, **keys: Any) -> str:
        """A torque on a body whose components are in body axes.

        `m.follower_torque("rotor", on=drone, torque=(0, 0, "0.1*t"))`
        """
        return self.component("forces", "follower-torque", name, **keys)

    # Relations and motions -----------------------------------------------------------------------------------------

    def gear(self, name: str, **keys: Any) -> str:
        """Two joint angles in a `ratio` of speeds (negative: external), or by `teeth` and `internal`.

        `m.gear("G", joints=("A", "B"), teeth=(20, 60))`
        """
        return self.component("relations", "gear", name, **keys)

    def belt(self, name: str, **keys: Any) -> str:
        """Two pulleys of `radii` and a belt that does not slip, `crossed` or not.

        `m.belt("V", joints=("A", "B"), radii=(0.1, 0.3))`
        """
        return self.component("relations", "belt", name, **keys)

    def rack_and_pinion(self, name: str, **keys: Any) -> str:
        """The displacement of the second joint is `radius` times the angle of the first.

        `m.rack_and_pinion("R", joints=("A", "B"), radius=0.05)`
        """
        return self.component("relations", "rack-and-pinion", name, **keys)

    def coupling(self, name: str, **keys: Any) -> str:
        """The coordinate of the second joint as a `function` of that of the first, `x`.

        `m.coupling("cam", joints=("A", "B"), function="0.1*(1 - cos(x))")`
        """
        return self.component("relations", "coupling", name, **keys)

    def equation(self, name: str, **keys: Any) -> str:
        """An equation of your own over positions and t: a formula, or a function of `ports` and `inputs`.

        `m.equation("E", formula="crank.angle - 2*rod.angle")`
        """
        return self.component("relations", "equation", name, **keys)

    def velocity_constraint(self, name: str, **keys: Any) -> str:
        """An equation of your own over velocities, positions and t.

        `m.velocity_constraint("skate", formula="sled.vy*cos(sled.angle) - sled.vx*sin(sled.angle)")`
        """
        return self.component("relations", "velocity-constraint", name, **keys)

    def motion(self, name: str, **keys: Any) -> str:
        """Prescribes `angle`, `displacement` or `speed` of a joint, or `x`, `y`, `z` of a point, over time.

        `m.motion("drive", joint="A", angle="2*pi*t")`
        """
        return self.component("motions", "motion", name, **keys)

    # Elements with states ------------------------------------------------------------------------------------------

    def element(self, name: str, **keys: Any) -> str:
        """First-order equations of your own: `states`, `inputs`, `rates`, `outputs`.

        `m.element("lag", states={"y": 0}, inputs={"u": "A.angle"}, rates={"y": "(u - y)/0.1"})`
        """
        return self.component("elements", "element", name, **keys)

    def first_order(self, name: str, **keys: Any) -> str:
        """A lag: `time_constant` * output' + output = `gain` * `input`.

        `m.first_order("filter", input="A.angle", time_constant=0.1)`
        """
        return self.component("elements", "first-order", name, **keys)

    def second_order(self, name: str, **keys: Any) -> str:
        """An oscillator of `frequency` (rad/s) and `damping_ratio`, driven by `input`.

        `m.second_order("servo", input="sin(t)", frequency=60, damping_ratio=0.7)`
        """
        return self.component("elements", "second-order", name, **keys)

    def dc_motor(self, name: str, **keys: Any) -> str:
        """A motor in a joint: `voltage`, `resistance`, `inductance`, `constant`, `gear`.

        `m.dc_motor("motor", joint="A", voltage=12, resistance=1, inductance=1e-3, constant=0.05)`
        """
        return self.component("elements", "dc-motor", name, **keys)

    def pi_controller(self, name: str, **keys: Any) -> str:
        """`proportional` and `integral` action on `target` - `measured`, within `limits`.

        `m.pi_controller("hold", target=1, measured="A.angle", proportional=20, integral=5)`
        """
        return self.component("elements", "pi-controller", name, **keys)

    def hydraulic_cylinder(self, name: str, *ports: PortName, **keys: Any) -> str:
        """Two chambers of oil: `areas`, `volumes`, `pressures`, `bulk_modulus`, `flows`.

        `m.hydraulic_cylinder("jack", joint="S", areas=(2e-3, 1e-3), volumes=(1e-4, 1e-3), pressures=(1e5, 1e5),
        bulk_modulus=1.4e9, flows=("1e-4", 0))`
        """
        return self.component("elements", "hydraulic-cylinder", name, *ports, **keys)

    # Parameters, events, switches ----------------------------------------------------------------------------

    def parameter(self, name: str, value: float) -> str:
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

    def part(self, name: str, type: Any, /, *ports: Any, **parameters: Any) -> PartHandle:
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
        set: Mapping[str, Any] | None = None,
        on: Sequence[str] = (),
        off: Sequence[str] = (),
        call: Any = None,
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

    def component(self, section: str, type: str, name: str, /, *ports: PortName, **keys: Any) -> str:
        """Any kind of the library: `m.component("forces", "attraction", "pull", sun["O"], planet["O"], strength=2)`."""
        where = about(type, name)
        if section not in SECTIONS:
            self._read.wrong(where, f"{where}: section is {section!r}; expected {', '.join(SECTIONS)}")
            return name
        if ports and "between" in keys:
            self._read.wrong(where.at("between"), f"{where}: points are given twice, alone and as between; keep one")
        keys |= {"between": ports} if ports else {}
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
