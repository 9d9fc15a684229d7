"""A method of the builder for each kind of the library.

Made by docs/make_part_methods.py from the library, as the schema of files and the tables of the documentation are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Unpack

from .part_keys import (
    ActuatorKeys,
    AttractionKeys,
    BeltKeys,
    BushingKeys,
    CouplingKeys,
    DcMotorKeys,
    DragKeys,
    ElementKeys,
    EquationKeys,
    FirstOrderKeys,
    FollowerForceKeys,
    FollowerTorqueKeys,
    FrictionKeys,
    GearKeys,
    HydraulicCylinderKeys,
    LawKeys,
    LinearSystemKeys,
    LineLoadKeys,
    MotionKeys,
    PiControllerKeys,
    PlaceKeys,
    RackAndPinionKeys,
    RopeKeys,
    SecondOrderKeys,
    SpringKeys,
    StopKeys,
    TorsionSpringDamperKeys,
    TransferFunctionKeys,
    VelocityConstraintKeys,
)
from .parts import PortName
from .shown_keys import keyed
from .taken import Amount, Amounts, Bodies, Expression, Initial, PartValue


class JointMethods:
    """Joints, each between two points."""

    @abstractmethod
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
        """Any joint, by its type."""

    @keyed(PlaceKeys)
    def revolute(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """One point shared; in space also the axes z kept parallel: one rotation left.

        `m.revolute("J", frame["A"], arm["A"])`
        """
        return self.joint("revolute", name, first, second, **where)

    @keyed(PlaceKeys)
    def cylindrical(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """Axes z kept on one line: one rotation and one translation left.

        `m.cylindrical("J", frame["A"], arm["A"])`
        """
        return self.joint("cylindrical", name, first, second, **where)

    @keyed(PlaceKeys)
    def prismatic(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """Sliding along the first port's x (plane) or z (space), no rotation.

        `m.prismatic("J", frame["A"], arm["A"])`
        """
        return self.joint("prismatic", name, first, second, **where)

    @keyed(PlaceKeys)
    def spherical(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """One point shared, all rotations free.

        `m.spherical("J", frame["A"], arm["A"])`
        """
        return self.joint("spherical", name, first, second, **where)

    @keyed(PlaceKeys)
    def universal(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """One point shared and the pins, each port's z, kept perpendicular.

        `m.universal("J", frame["A"], arm["A"])`
        """
        return self.joint("universal", name, first, second, **where)

    @keyed(PlaceKeys)
    def planar(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """Second point kept in the plane of the first port (normal z), axes z kept parallel.

        `m.planar("J", frame["A"], arm["A"])`
        """
        return self.joint("planar", name, first, second, **where)

    @keyed(PlaceKeys)
    def weld(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """Nothing left free.

        `m.weld("J", frame["A"], arm["A"])`
        """
        return self.joint("weld", name, first, second, **where)

    @keyed(PlaceKeys)
    def point_on_line(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """The second point kept on the line through the first port along x (plane) or z (space).

        `m.point_on_line("J", frame["A"], arm["A"])`
        """
        return self.joint("point-on-line", name, first, second, **where)

    @keyed(PlaceKeys)
    def point_in_plane(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """The second point kept in the plane through the first port with normal z.

        `m.point_in_plane("J", frame["A"], arm["A"])`
        """
        return self.joint("point-in-plane", name, first, second, **where)

    @keyed(PlaceKeys)
    def point_on_circle(
        self,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        radius: Amount,
        **where: Unpack[PlaceKeys],
    ) -> str:
        """The second point kept on the circle of `radius` about the first, in space in the plane with normal z.

        `m.point_on_circle("J", frame["A"], arm["A"], radius=0.3)`
        """
        return self.joint("point-on-circle", name, first, second, values={"radius": radius}, **where)

    @keyed(PlaceKeys)
    def parallel(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """Axes z (space) or x (plane) kept parallel; points free.

        `m.parallel("J", frame["A"], arm["A"])`
        """
        return self.joint("parallel", name, first, second, **where)

    @keyed(PlaceKeys)
    def perpendicular(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """Axes z (space) or x (plane) kept perpendicular; points free.

        `m.perpendicular("J", frame["A"], arm["A"])`
        """
        return self.joint("perpendicular", name, first, second, **where)

    @keyed(PlaceKeys)
    def distance(
        self,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        length: Amount = "drawn",
        **where: Unpack[PlaceKeys],
    ) -> str:
        """The distance of the two points kept: a massless rod with two ball ends.

        `m.distance("J", frame["A"], arm["A"], length=0.3)`
        """
        return self.joint("distance", name, first, second, length=length, **where)

    @keyed(PlaceKeys)
    def custom(
        self,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        equations: Sequence[str | Expression] | str,
        **where: Unpack[PlaceKeys],
    ) -> str:
        """A joint of your own: vector equations, as text like `"dot(N - M, y_i)"` or as expressions.

        `m.custom("J", frame["A"], arm["A"], equations=["dot(N - M, y_i)"])`
        """
        return self.joint("custom", name, first, second, equations=equations, **where)

    @keyed(PlaceKeys)
    def knife_edge(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """The second port's point does not move along that port's y.

        `m.knife_edge("J", frame["A"], arm["A"])`
        """
        return self.joint("knife-edge", name, first, second, **where)

    @keyed(PlaceKeys)
    def wheel(
        self, name: str, first: PortName | None = None, second: PortName | None = None, **where: Unpack[PlaceKeys]
    ) -> str:
        """The second port's point does not move along its axle, y in the plane and z in space.

        `m.wheel("J", frame["A"], arm["A"])`
        """
        return self.joint("wheel", name, first, second, **where)

    @keyed(PlaceKeys)
    def rolling_disc(
        self,
        name: str,
        first: PortName | None = None,
        second: PortName | None = None,
        *,
        radius: Amount,
        **where: Unpack[PlaceKeys],
    ) -> str:
        """A disc about the second port, its z the disc's axis, rolls on the plane through the first port, normal z.

        `m.rolling_disc("J", frame["A"], arm["A"], radius=0.3)`
        """
        return self.joint("rolling-disc", name, first, second, values={"radius": radius}, **where)


class ForceMethods:
    """Forces."""

    @abstractmethod
    def component(self, section: str, type: str, name: str, /, *ends: PortName, **keys: PartValue) -> str:
        """Any kind, by its section and type."""

    @keyed(TorsionSpringDamperKeys)
    def torsion_spring_damper(self, name: str, **keys: Unpack[TorsionSpringDamperKeys]) -> str:
        """A torque in a joint that follows its angle and speed; torque: on the second body.

        `m.torsion_spring_damper("hinge", joint="A", stiffness=20, damping=0.1, angle=0.5)`
        """
        return self.component("forces", "torsion-spring-damper", name, **keys)

    @keyed(SpringKeys)
    def spring(self, name: str, *ports: PortName, **keys: Unpack[SpringKeys]) -> str:
        """A pull between two points by any formula of their distance, or by a table.

        `m.spring("S", a["P"], b["Q"], force="200*(length - 1)**3")`
        """
        return self.component("forces", "spring", name, *ports, **keys)

    @keyed(BushingKeys)
    def bushing(self, name: str, *ports: PortName, **keys: Unpack[BushingKeys]) -> str:
        """Springs and dampers along and about the axes of the first port.

        `m.bushing("rubber", frame["A"], arm["A"], stiffness=(1e5, 1e5, 200), damping=(50, 50, 1))`
        """
        return self.component("forces", "bushing", name, *ports, **keys)

    @keyed(RopeKeys)
    def rope(self, name: str, *ports: PortName, **keys: Unpack[RopeKeys]) -> str:
        """Pulls when longer than its length, never pushes.

        `m.rope("cable", crane["top"], load["eye"], length=4, stiffness=1e5)`
        """
        return self.component("forces", "rope", name, *ports, **keys)

    @keyed(AttractionKeys)
    def attraction(self, name: str, *ports: PortName, **keys: Unpack[AttractionKeys]) -> str:
        """A pull between two points that falls off with the square of their distance.

        `m.attraction("pull", sun["O"], planet["O"], strength=2)`
        """
        return self.component("forces", "attraction", name, *ports, **keys)

    @keyed(StopKeys)
    def stop(self, name: str, *ports: PortName, **keys: Unpack[StopKeys]) -> str:
        """An elastic limit of a joint's coordinate or of a distance; it never pulls.

        `m.stop("end", joint="S", above=0.2, stiffness=1e5, damping=0.5)`
        """
        return self.component("forces", "stop", name, *ports, **keys)

    @keyed(ActuatorKeys)
    def actuator(self, name: str, **keys: Unpack[ActuatorKeys]) -> str:
        """A force or torque along a joint's coordinate: spring, damper, preload, motor and stops.

        `m.actuator("leg", joint="A", motor="5*sin(t)", stops=(-1, 1), stop_stiffness=1e4)`
        """
        return self.component("forces", "actuator", name, **keys)

    @keyed(FrictionKeys)
    def friction(self, name: str, **keys: Unpack[FrictionKeys]) -> str:
        """Dry friction in a joint, from the reaction it carries.

        `m.friction("F", joint="A", coefficient=0.1, radius=0.02)`
        """
        return self.component("forces", "friction", name, **keys)

    @keyed(LawKeys)
    def law(self, name: str, *ports: PortName, **keys: Unpack[LawKeys]) -> str:
        """A force of your own between two points or along a joint, with states where it needs them.

        `m.law("magnet", a["P"], b["Q"], force="0.02/length**4")`
        """
        return self.component("forces", "law", name, *ports, **keys)

    @keyed(LineLoadKeys)
    def line_load(self, name: str, *ports: PortName, **keys: Unpack[LineLoadKeys]) -> str:
        """A force per metre along a rod.

        `m.line_load("snow", beam["A"], beam["B"], vector=(0, "-500*s"))`
        """
        return self.component("forces", "line-load", name, *ports, **keys)

    @keyed(DragKeys)
    def drag(self, name: str, *ports: PortName, **keys: Unpack[DragKeys]) -> str:
        """Resistance per metre of a rod against its velocity across itself.

        `m.drag("water", oar["A"], oar["B"], quadratic=40)`
        """
        return self.component("forces", "drag", name, *ports, **keys)

    @keyed(FollowerForceKeys)
    def follower_force(self, name: str, **keys: Unpack[FollowerForceKeys]) -> str:
        """A force on a point, components in body axes.

        `m.follower_force("thrust", on=rocket["tail"], vector=(0, 100))`
        """
        return self.component("forces", "follower-force", name, **keys)

    @keyed(FollowerTorqueKeys)
    def follower_torque(self, name: str, **keys: Unpack[FollowerTorqueKeys]) -> str:
        """A torque on a body, components in body axes.

        `m.follower_torque("rotor", on=drone, torque=(0, 0, "0.1*t"))`
        """
        return self.component("forces", "follower-torque", name, **keys)


class RelationMethods:
    """Relations."""

    @abstractmethod
    def component(self, section: str, type: str, name: str, /, *ends: PortName, **keys: PartValue) -> str:
        """Any kind, by its section and type."""

    @keyed(GearKeys)
    def gear(self, name: str, **keys: Unpack[GearKeys]) -> str:
        """Two joint angles in a fixed ratio.

        `m.gear("G", joints=("A", "B"), teeth=(20, 60))`
        """
        return self.component("relations", "gear", name, **keys)

    @keyed(BeltKeys)
    def belt(self, name: str, **keys: Unpack[BeltKeys]) -> str:
        """Two pulleys and a belt that does not slip.

        `m.belt("V", joints=("A", "B"), radii=(0.1, 0.3))`
        """
        return self.component("relations", "belt", name, **keys)

    @keyed(RackAndPinionKeys)
    def rack_and_pinion(self, name: str, **keys: Unpack[RackAndPinionKeys]) -> str:
        """Displacement of a rack = radius times angle of a pinion.

        `m.rack_and_pinion("R", joints=("A", "B"), radius=0.05)`
        """
        return self.component("relations", "rack-and-pinion", name, **keys)

    @keyed(CouplingKeys)
    def coupling(self, name: str, **keys: Unpack[CouplingKeys]) -> str:
        """The coordinate of the second joint as a function of that of the first, x.

        `m.coupling("cam", joints=("A", "B"), function="0.1*(1 - cos(x))")`
        """
        return self.component("relations", "coupling", name, **keys)

    @keyed(EquationKeys)
    def equation(self, name: str, **keys: Unpack[EquationKeys]) -> str:
        """An equation of your own: formula = 0, over positions and t.

        `m.equation("E", formula="crank.angle - 2*rod.angle")`
        """
        return self.component("relations", "equation", name, **keys)

    @keyed(VelocityConstraintKeys)
    def velocity_constraint(self, name: str, **keys: Unpack[VelocityConstraintKeys]) -> str:
        """A velocity constraint of your own: formula = 0, over velocities, positions and t.

        `m.velocity_constraint("skate", formula="sled.vy*cos(sled.angle) - sled.vx*sin(sled.angle)")`
        """
        return self.component("relations", "velocity-constraint", name, **keys)


class MotionMethods:
    """Motions."""

    @abstractmethod
    def component(self, section: str, type: str, name: str, /, *ends: PortName, **keys: PartValue) -> str:
        """Any kind, by its section and type."""

    @keyed(MotionKeys)
    def motion(self, name: str, **keys: Unpack[MotionKeys]) -> str:
        """A joint's angle, displacement or speed, a point's coordinates, or a body's pose, as functions of time.

        `m.motion("drive", joint="A", angle="2*pi*t")`
        """
        return self.component("motions", "motion", name, **keys)


class ElementMethods:
    """Elements."""

    @abstractmethod
    def component(self, section: str, type: str, name: str, /, *ends: PortName, **keys: PartValue) -> str:
        """Any kind, by its section and type."""

    @keyed(ElementKeys)
    def element(self, name: str, **keys: Unpack[ElementKeys]) -> str:
        """First-order equations of your own, with inputs and outputs.

        `m.element("lag", states={"y": 0}, inputs={"u": "A.angle"}, rates={"y": "(u - y)/0.1"})`
        """
        return self.component("elements", "element", name, **keys)

    @keyed(FirstOrderKeys)
    def first_order(self, name: str, **keys: Unpack[FirstOrderKeys]) -> str:
        """A lag: time_constant * output' + output = gain * input.

        `m.first_order("filter", input="A.angle", time_constant=0.1)`
        """
        return self.component("elements", "first-order", name, **keys)

    @keyed(SecondOrderKeys)
    def second_order(self, name: str, **keys: Unpack[SecondOrderKeys]) -> str:
        """An oscillator driven by its input.

        `m.second_order("servo", input="sin(t)", frequency=60, damping_ratio=0.7)`
        """
        return self.component("elements", "second-order", name, **keys)

    @keyed(TransferFunctionKeys)
    def transfer_function(self, name: str, **keys: Unpack[TransferFunctionKeys]) -> str:
        """A linear block by the polynomials of its transfer function; channels output, x1, x2.

        `m.transfer_function("filter", input="A.angle", numerator=(1,), denominator=(0.1, 1))`
        """
        return self.component("elements", "transfer-function", name, **keys)

    @keyed(LinearSystemKeys)
    def linear_system(self, name: str, **keys: Unpack[LinearSystemKeys]) -> str:
        """A linear block x' = A x + B u, y = C x + D u; channels x1, x2 .. and its outputs.

        `m.linear_system("lag", inputs={"u": "A.angle"}, A=((-10,),), B=((10,),), C=((1,),))`
        """
        return self.component("elements", "linear-system", name, **keys)

    @keyed(PiControllerKeys)
    def pi_controller(self, name: str, **keys: Unpack[PiControllerKeys]) -> str:
        """Output = proportional * error + integral of integral * error, within limits.

        `m.pi_controller("hold", target=1, measured="A.angle", proportional=20, integral=5)`
        """
        return self.component("elements", "pi-controller", name, **keys)

    @keyed(DcMotorKeys)
    def dc_motor(self, name: str, **keys: Unpack[DcMotorKeys]) -> str:
        """A motor with brushes in a joint; channels current, torque, voltage, power.

        `m.dc_motor("motor", joint="A", voltage=12, resistance=1, inductance=1e-3, constant=0.05)`
        """
        return self.component("elements", "dc-motor", name, **keys)

    @keyed(HydraulicCylinderKeys)
    def hydraulic_cylinder(self, name: str, *ports: PortName, **keys: Unpack[HydraulicCylinderKeys]) -> str:
        """Two chambers of compressible oil; channels p1, p2, v1, v2, flow1, flow2, force.

        `m.hydraulic_cylinder("jack", joint="S", areas=(2e-3, 1e-3), volumes=(1e-4, 1e-3), pressures=(1e5, 1e5),
        bulk_modulus=1.4e9, flows=("1e-4", 0))`
        """
        return self.component("elements", "hydraulic-cylinder", name, *ports, **keys)
