"""The keys that each kind takes, as types: what editors and type checkers know of them.

Made by docs/make_part_methods.py from the library, as the schema of files and the tables of the documentation are.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

from .handles import BodyHandle
from .parts import PortName
from .taken import Amount, Amounts, Bodies, Initial, Limits, Load, Loads, Pairs, Rows


class PlaceKeys(TypedDict, total=False):
    bodies: Bodies  # instead of two points, with
    at: Amounts  # a place in fixed axes, of the drawn pose, and
    axis: Amounts  # a direction there
    initial: Initial  # where the joint starts: angle, displacement, speed


class GearKeys(TypedDict, total=False):
    joints: Required[Sequence[str]]  # two joints, by name
    ratio: Amount  # speed of the first over speed of the second; negative: external
    teeth: Limits  # numbers of teeth of the first and the second gear
    internal: bool  # with teeth: both turn the same way


class BeltKeys(TypedDict, total=False):
    joints: Required[Sequence[str]]  # two joints, by name
    radii: Required[Limits]  # [m]
    crossed: bool  # the pulleys turn against each other


class RackAndPinionKeys(TypedDict, total=False):
    joints: Required[Sequence[str]]  # the pinion's joint, the rack's
    radius: Required[Amount]  # [m]


class CouplingKeys(TypedDict, total=False):
    joints: Required[Sequence[str]]
    function: Required[Load]
    from_drawn: bool  # hold the value of the assembled pose instead of zero


class EquationKeys(TypedDict, total=False):
    formula: Required[Load]
    ports: Sequence[PortName]
    inputs: Sequence[str]  # what a function takes next: channels, parameters or t
    from_drawn: bool  # hold the value of the assembled pose instead of zero


class VelocityConstraintKeys(TypedDict, total=False):
    formula: Required[Load]
    ports: Sequence[PortName]
    inputs: Sequence[str]  # what a function takes next: channels, parameters or t


class MotionKeys(TypedDict, total=False):
    joint: str  # the joint that is driven; or point
    point: PortName  # the point that is driven; or joint
    body: BodyHandle | str
    angle: Load | Pairs  # [rad]
    displacement: Load | Pairs  # [m]
    speed: Load | Pairs  # [rad/s or m/s]
    x: Load | Pairs  # [m]
    y: Load | Pairs  # [m]
    z: Load | Pairs  # [m]
    bryan: Loads  # [rad], attitude of a body in space, intrinsic x, y, z
    from_drawn: bool  # count from the assembled pose instead of zero


class TorsionSpringDamperKeys(TypedDict, total=False):
    joint: Required[str]
    stiffness: Amount  # [N m/rad]
    damping: Amount  # [N m s/rad]
    angle: Amount  # [rad], free angle


class SpringKeys(TypedDict, total=False):
    between: Sequence[PortName]
    force: Load  # [N], pull, over length and rate
    table: Pairs  # [m, N], pairs (length, pull); straight beyond them
    damping: Amount  # [N s/m]
    inputs: Sequence[str]  # what a function takes, instead of length and rate


class BushingKeys(TypedDict, total=False):
    between: Sequence[PortName]
    stiffness: Required[Limits]  # [N/m, N m/rad]
    damping: Limits  # [N s/m, N m s/rad]


class RopeKeys(TypedDict, total=False):
    between: Sequence[PortName]
    length: Required[Amount]  # [m]
    stiffness: Required[Amount]  # [N/m]
    damping: Amount  # [s/m], relative growth of the force per m/s (rad/s) of approach


class AttractionKeys(TypedDict, total=False):
    between: Sequence[PortName]
    strength: Required[Amount]  # [N m^2], pull times length squared; negative: they repel each other


class StopKeys(TypedDict, total=False):
    joint: str  # limits its coordinate; or between
    between: Sequence[PortName]  # limits their distance; or joint
    below: Amount  # [m or rad], acts below this
    above: Amount  # [m or rad], acts above this
    stiffness: Required[Amount]  # [N/m or N m/rad]
    damping: Amount


class ActuatorKeys(TypedDict, total=False):
    joint: Required[str]
    stiffness: Amount  # [N/m or N m/rad]
    damping: Amount  # [N s/m or N m s/rad]
    free: Amount  # [m or rad], coordinate where the spring is free
    preload: Amount  # [N or N m], constant, positive: the coordinate grows
    motor: Load  # [N or N m], positive: the coordinate grows
    inputs: Sequence[str]  # what a function `motor` takes, instead of t
    stops: Limits  # [m or rad], lower and upper limit, or None
    stop_stiffness: Amount  # [N/m or N m/rad]
    stop_damping: Amount  # [s/m or s/rad]


class FrictionKeys(TypedDict, total=False):
    joint: Required[str]
    coefficient: Required[Amount]  # of sliding friction
    static: Amount  # coefficient near rest
    stribeck_speed: Amount  # [m/s]
    radius: Amount  # [m], of the pin; turning joints only
    viscous: Amount  # [N s/m or N m s/rad]
    regular_speed: Amount  # [m/s], where 76 % of it is reached
    preload: Amount  # [N], adds to the normal force
    guide_length: Amount  # [m], of the slider, centred at the second port


class LawKeys(TypedDict, total=False):
    between: Sequence[PortName]  # its two points; or joint
    joint: str  # along a coordinate of this one instead
    force: Load
    vector: Loads  # [N], on the second body, in axes of the first point
    couple: Loads  # [N m], likewise, about these axes
    states: Mapping[str, Amount]  # name of each state and its value at the start
    rates: Mapping[str, Load]  # the rate of each state
    outputs: Mapping[str, Load]  # formulas that are reported, and may stand in the others
    potential: Load  # [J], energy that it holds; its work is counted by this
    dissipated: Load
    energy: Literal["stored", "dissipated", "driven"]  # where its work is counted; by default as its formulas say


class LineLoadKeys(TypedDict, total=False):
    between: Sequence[PortName]  # two points of one body
    vector: Required[Loads]  # [N/m], s runs from 0 to 1 along the rod
    axes: Literal["fixed", "body"]
    points: int  # Gauss points along the rod
    inputs: Sequence[str]  # what a function takes


class DragKeys(TypedDict, total=False):
    between: Sequence[PortName]  # two points of one body
    quadratic: Amount  # [N s^2/m^3]
    linear: Amount  # [N s/m^2]
    points: int  # Gauss points along the rod


class FollowerForceKeys(TypedDict, total=False):
    on: Required[PortName]
    vector: Required[Loads]  # [N]
    inputs: Sequence[str]  # what a function takes


class FollowerTorqueKeys(TypedDict, total=False):
    on: Required[BodyHandle | str]
    torque: Required[Loads]  # [N m]
    inputs: Sequence[str]  # what a function takes


class ElementKeys(TypedDict, total=False):
    states: Mapping[str, Amount]  # name of each state and its value at the start
    inputs: Mapping[str, Load]  # name of each input and its channel or formula
    rates: Mapping[str, Load] | Callable[..., Any]  # the rate of each state; or a function f(state, inputs)
    outputs: Mapping[str, Load] | Callable[..., Any]  # formula of each output; or a function g(state, inputs)
    output_names: Sequence[str]  # names of what a function `outputs` returns
    units: Mapping[str, str]  # what states and outputs are in, by name; in SI, as their numbers are


class FirstOrderKeys(TypedDict, total=False):
    input: Required[Load]
    time_constant: Required[Amount]  # [s]
    gain: Amount
    start: Amount
    inputs: Sequence[str]  # what a function takes, instead of t


class SecondOrderKeys(TypedDict, total=False):
    input: Required[Load]
    frequency: Required[Amount]  # [rad/s]
    damping_ratio: Required[Amount]
    gain: Amount
    start: Amount
    inputs: Sequence[str]  # what a function takes, instead of t


class TransferFunctionKeys(TypedDict, total=False):
    input: Required[Load]
    numerator: Required[Amounts]  # factors of the powers of s, the highest first
    denominator: Required[Amounts]  # likewise; at least as many
    inputs: Sequence[str]  # what a function takes, instead of t


class LinearSystemKeys(TypedDict, total=False):
    inputs: Required[Mapping[str, Load]]  # name of each input and its channel or formula
    outputs: Sequence[str]  # their names
    A: Required[Rows]  # rates of the states over the states
    B: Required[Rows]  # rates of the states over the inputs
    C: Required[Rows]  # outputs over the states
    D: Rows  # outputs over the inputs; by default zero
    start: Amounts  # of the states; by default zero
    units: Mapping[str, str]  # what states and outputs are in, by name; in SI, as their numbers are


class PiControllerKeys(TypedDict, total=False):
    target: Required[Load]
    measured: Required[Load]
    proportional: Required[Amount]
    integral: Amount  # [1/s]
    limits: Limits  # least and greatest output
    tracking_time: Amount  # [s], how fast the integral follows a cut-off output
    start: Amount  # integral part of the output at the start


class DcMotorKeys(TypedDict, total=False):
    joint: Required[str]
    voltage: Required[Load]  # [V]
    resistance: Required[Amount]  # [ohm]
    inductance: Amount  # [H]
    constant: Required[Amount]  # [N m/A], torque per current
    back_emf: Amount  # [V s/rad], voltage per speed; by default the constant
    gear: Amount  # speed of the motor over speed of the joint
    start: Amount  # [A], current at the start
    inputs: Sequence[str]  # what a function `voltage` takes, instead of t


class HydraulicCylinderKeys(TypedDict, total=False):
    joint: str  # a joint that slides; or between
    between: Sequence[PortName]  # two points, whose distance is the coordinate; or joint
    areas: Required[Limits]  # [m^2], of the piston, on the side that extends and the other
    volumes: Required[Limits]  # [m^3], of the chambers at the reference
    reference: Amount  # [m], coordinate where the volumes hold
    pressures: Required[Limits]  # [Pa], at the start
    bulk_modulus: Required[Amount]  # [Pa]
    flows: Required[Loads]  # [m^3/s], into the chambers, over p1, p2
    leakage: Amount  # [m^3/(s Pa)], past the piston
    inputs: Sequence[str]  # what functions `flows` take, instead of p1 and p2
