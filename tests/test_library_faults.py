"""Every fault of a component has its own sentence, compared whole, and all of them come at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import jourdain as jd
from fault_keys import assert_they_exist
from jourdain import Table, library
from jourdain.library.mechanism_faults import faults_of as faults_of_component
from jourdain.library.mechanism_faults import part_faults
from jourdain.mechanism.parts import Component, PortName
from library_cases import bench

Build = Callable[[jd.Mechanism], Any]
JOINTS = "known: A, B, S, ball"


def faults_of(build: Build, dim: int = 2) -> list[str]:
    m = bench(dim)
    build(m)
    found = part_faults(m.frozen())
    assert_they_exist(found, m.frozen())
    return [str(fault) for fault in found]


def spring(**keys: Any) -> Build:
    return lambda m: m.spring("s", m["a"]["P"], m["b"]["Q"], **keys)


def element(**keys: Any) -> Build:
    return lambda m: m.element("e", **keys)


SENTENCES: dict[str, tuple[Build, str]] = {
    # Keys
    "unknown key": (
        lambda m: m.gear("G", joints=("A", "B"), ratio=2, tooth=3),
        "gear 'G' has an unknown key 'tooth'; known: internal, joints, ratio, teeth (did you mean 'teeth'?)",
    ),
    "missing key": (
        lambda m: m.rack_and_pinion("R", joints=("A", "S")),
        "rack-and-pinion 'R': radius is missing; expected a number",
    ),
    "missing numbers": (
        lambda m: m.belt("V", joints=("A", "B")),
        "belt 'V': radii is missing; expected 2 positive numbers",
    ),
    "number is no number": (
        lambda m: m.rack_and_pinion("R", joints=("A", "S"), radius=[1]),
        "rack-and-pinion 'R': radius is (1,); expected a number",
    ),
    "number is not finite": (
        lambda m: m.rack_and_pinion("R", joints=("A", "S"), radius=math.inf),
        "rack-and-pinion 'R': radius is inf; expected a finite number",
    ),
    "number over an unknown parameter": (
        lambda m: m.rack_and_pinion("R", joints=("A", "S"), radius="2*kicc"),
        "rack-and-pinion 'R': radius: there is no parameter 'kicc'; known: k, kick (did you mean 'kick'?)",
    ),
    "number over a channel": (
        lambda m: m.rack_and_pinion("R", joints=("A", "S"), radius="A.angle"),
        "rack-and-pinion 'R': radius: 'A.angle' is a position, which cannot stand here; allowed: parameters, t",
    ),
    "number without value": (
        lambda m: m.rack_and_pinion("R", joints=("A", "S"), radius="1/(k - 40)"),
        "rack-and-pinion 'R': radius: '1/(k - 40)' has no value (float division by zero)",
    ),
    "too few numbers": (
        lambda m: m.bushing("b", m["a"]["P"], m["b"]["Q"], stiffness=(1, 2)),
        "bushing 'b': stiffness is (1, 2); expected 3 numbers, none negative",
    ),
    "negative": (
        lambda m: m.torsion_spring_damper("T", joint="A", stiffness=-1),
        "torsion-spring-damper 'T': stiffness is -1.0; expected zero or a positive number",
    ),
    "flag": (
        lambda m: m.belt("V", joints=("A", "B"), radii=(1, 2), crossed=1),
        "belt 'V': crossed is 1; expected True or False",
    ),
    "word": (
        lambda m: m.line_load("l", m["a"]["P"], m["a"]["Q"], vector=(0, 0), axes="bodily"),
        "line-load 'l': axes is 'bodily'; expected 'fixed' or 'body'",
    ),
    "count": (
        lambda m: m.drag("d", m["a"]["P"], m["a"]["Q"], linear=1, points=0),
        "drag 'd': points is 0; expected a whole number from 1 on",
    ),
    # Names
    "no such joint": (
        lambda m: m.gear("G", joints=("A2", "B"), ratio=2),
        f"gear 'G': there is no joint 'A2'; {JOINTS} (did you mean 'A'?)",
    ),
    "joint without coordinates": (
        lambda m: m.gear("G", joints=("A", "ball"), ratio=2),
        "gear 'G': joint 'ball' is a distance joint, which has neither an angle nor a displacement",
    ),
    "joint without an angle": (
        lambda m: m.torsion_spring_damper("T", joint="S"),
        "torsion-spring-damper 'T': joint 'S' is a prismatic joint, which has no angle; it has: displacement",
    ),
    "joint without that": (
        lambda m: m.gear("G", joints=("A", "B.displacement"), ratio=2),
        "gear 'G': joint 'B' is a revolute joint, which has no displacement; it has: angle",
    ),
    "one joint": (
        lambda m: m.gear("G", joints="A", ratio=2),
        "gear 'G': joints is 'A'; expected the names of two joints",
    ),
    "joint is no name": (
        lambda m: m.torsion_spring_damper("T", joint=3),
        "torsion-spring-damper 'T': joint is 3; expected the name of a joint",
    ),
    "no such body": (
        lambda m: m.rope("r", m["a"]["P"], PortName("c", "P"), length=1, stiffness=1),
        "rope 'r': there is no body 'c'; known: a, b, ground",
    ),
    "no such point": (
        lambda m: m.rope("r", m["a"]["R"], m["b"]["P"], length=1, stiffness=1),
        "rope 'r': body 'a' has no point 'R'; known: P, Q",
    ),
    "points are none": (
        lambda m: m.rope("r", between="a.P", length=1, stiffness=1),
        "rope 'r': between is 'a.P'; expected two points like crank['B']",
    ),
    "same point": (
        lambda m: m.rope("r", m["a"]["P"], m["a"]["P"], length=1, stiffness=1),
        "rope 'r': both points are 'a.P'; expected two different ones",
    ),
    "same body": (
        lambda m: m.rope("r", m["a"]["P"], m["a"]["Q"], length=1, stiffness=1),
        "rope 'r': both points are on body 'a', so that nothing can move between them",
    ),
    "two bodies": (
        lambda m: m.drag("d", m["a"]["P"], m["b"]["Q"], linear=1),
        "drag 'd': 'a.P' and 'b.Q' are points of two bodies; expected two points of one",
    ),
    "no such body to turn": (
        lambda m: m.follower_torque("f", on="aa", torque=1),
        "follower-torque 'f': there is no body 'aa'; known: a, b (did you mean 'a'?)",
    ),
    "force on the ground": (
        lambda m: m.follower_force("f", on=m.ground["O"], vector=(1, 0)),
        "follower-force 'f': acts on the ground, which does not move; name a point of a body",
    ),
    # Formulas
    "formula cannot be read": (spring(force="2 +"), "spring 's': force: '2 +' cannot be read as a formula"),
    "unknown name": (
        spring(force="2*lenght"),
        "spring 's': force: there is no parameter 'lenght'; known: k, kick, length, rate (did you mean 'length'?)",
    ),
    "unknown channel": (
        spring(force="A.sped"),
        "spring 's': force: 'A' has no channel 'sped'; known: angle, displacement, fx, fy, load, mz, "
        "on_first.fx, on_first.fy, on_first.mz, speed (did you mean 'speed'?)",
    ),
    "unknown owner": (
        spring(force="C.angle"),
        "spring 's': force: there is no body, joint or component 'C'; known: A, B, S, a, b, ball, energy, ground, s, "
        "shaking",
    ),
    "energy": (
        spring(force="energy.kinetic"),
        "spring 's': force: 'energy.kinetic' is an energy, which cannot stand here; allowed: parameters, positions, "
        "velocities, accelerations, reaction forces, channels of components, t",
    ),
    "formula is none": (
        spring(force=(1, 2)),
        "spring 's': force is (1, 2); expected a number, a formula, a table or a function",
    ),
    "formula not finite": (spring(force=math.nan), "spring 's': force is nan; expected a finite number"),
    "input of a function": (
        spring(force=lambda x: x, inputs=["A.sped2"]),
        "spring 's': force: input: 'A' has no channel 'sped2'; known: angle, displacement, fx, fy, load, mz, "
        "on_first.fx, on_first.fy, on_first.mz, speed (did you mean 'speed'?)",
    ),
    # Relations
    "gear without ratio": (lambda m: m.gear("G", joints=("A", "B")), "gear 'G': expected either ratio or teeth"),
    "gear with both": (
        lambda m: m.gear("G", joints=("A", "B"), ratio=1, teeth=(1, 2)),
        "gear 'G': expected either ratio or teeth, not both",
    ),
    "gear of ratio zero": (
        lambda m: m.gear("G", joints=("A", "B"), ratio=0),
        "gear 'G': ratio is 0.0; expected the speed of the first joint over that of the second, not zero",
    ),
    "gear on a slider": (
        lambda m: m.gear("G", joints=("A", "S"), ratio=1),
        "gear 'G': joint 'S' has no angle; a gear joins two joints that have one",
    ),
    "gear on one joint": (
        lambda m: m.gear("G", joints=("A", "A"), ratio=1),
        "gear 'G': both joints are 'A'; expected two different ones",
    ),
    "teeth in halves": (
        lambda m: m.gear("G", joints=("A", "B"), teeth=(20.5, 60)),
        "gear 'G': teeth are (20.5, 60); expected whole numbers",
    ),
    "internal ratio": (
        lambda m: m.gear("G", joints=("A", "B"), ratio=2, internal=True),
        "gear 'G': internal goes with teeth; the sign of ratio says it already (negative: external)",
    ),
    "rack turned round": (
        lambda m: m.rack_and_pinion("R", joints=("A", "B"), radius=1),
        "rack-and-pinion 'R': joint 'B' is a revolute joint, which has no displacement; it has: angle",
    ),
    "screw without pitch": (
        lambda m: m.screw("W", joints=("A", "S"), pitch=0),
        "screw 'W': pitch is 0.0; expected a number other than zero",
    ),
    "coupling with a corner": (
        lambda m: m.coupling("c", joints=("A", "S"), function="abs(x)"),
        "coupling 'c': function: 'abs' has no derivative everywhere and cannot stand in a joint's equation; "
        "use a cam law such as poly345(x, x0, x1), or a table",
    ),
    "equation over a velocity": (
        lambda m: m.equation("E", formula="a.x - a.vx"),
        "equation 'E': formula: 'a.vx' is a velocity, which cannot stand here; allowed: parameters, positions, "
        "channels of components, t",
    ),
    "function over a velocity": (
        lambda m: m.equation("E", formula=lambda p: p.velocity[0], ports=[m["a"]["P"]]),
        "equation 'E': formula: 'a.P.vx' is a velocity; use a velocity-constraint",
    ),
    "no velocities": (
        lambda m: m.velocity_constraint("E", formula="a.x"),
        "velocity-constraint 'E': formula has no velocity in it; use an equation, which holds positions",
    ),
    # Motions
    "motion of nothing": (lambda m: m.motion("d", angle=1), "motion 'd': expected either joint, point or body"),
    "motion of both": (
        lambda m: m.motion("d", joint="A", point=m["a"]["P"], angle=1),
        "motion 'd': expected either joint, point or body, one of them",
    ),
    "nothing prescribed": (
        lambda m: m.motion("d", joint="A"),
        "motion 'd': nothing is prescribed; expected angle, displacement, speed",
    ),
    "x of a joint": (
        lambda m: m.motion("d", joint="A", angle=1, x=2),
        "motion 'd': x is no quantity of a joint here; expected angle, displacement, speed",
    ),
    "z in the plane": (
        lambda m: m.motion("d", point=m["a"]["P"], x=1, z=2),
        "motion 'd': z is no quantity of a point here; expected x, y",
    ),
    "angle of a slider": (
        lambda m: m.motion("d", joint="S", angle=1),
        "motion 'd': joint 'S' is a prismatic joint, which has no angle; it has: displacement",
    ),
    "angle and speed": (
        lambda m: m.motion("d", joint="A", angle=1, speed=1),
        "motion 'd': speed and angle are both prescribed; keep one",
    ),
    "speed from drawn": (
        lambda m: m.motion("d", joint="A", speed=1, from_drawn=True),
        "motion 'd': from_drawn does nothing to a speed; leave it out",
    ),
    "ground driven": (
        lambda m: m.motion("d", point=m.ground["O"], x=1),
        "motion 'd': point 'ground.O' is on the ground, which does not move",
    ),
    "motion with a corner": (
        lambda m: m.motion("d", joint="A", angle="max(t, 1)"),
        "motion 'd': angle: 'max' has no derivative everywhere and cannot stand in a joint's equation; "
        "use a cam law such as poly345(x, x0, x1), or a table",
    ),
    "motion over a position": (
        lambda m: m.motion("d", joint="A", angle="a.x"),
        "motion 'd': angle: 'a.x' is a position, which cannot stand here; allowed: parameters, channels of components, "
        "t",
    ),
    "motion by a bad table": (
        lambda m: m.motion("d", joint="A", angle=[(0, 1), (2,)]),
        "motion 'd': angle is ((0, 1), (2,)); expected a number, a formula, a table or a function of t",
    ),
    "motion by three points": (
        lambda m: m.motion("d", joint="A", angle=Table([0, 2, 4], [1, 3, 5], kind="spline")),
        "motion 'd': angle: a spline needs two points, or at least four; got 3",
    ),
    # Forces
    "spring without force": (spring(), "spring 's': expected either force or table"),
    "spring with both": (
        spring(force=1, table=[(0, 1), (1, 2)]),
        "spring 's': expected either force or table, not both",
    ),
    "table of one": (spring(table=[(0, 1)]), "spring 's': table is ((0, 1),); expected at least two pairs of numbers"),
    "table falling back": (
        spring(table=[(1, 1), (0, 2)]),
        "spring 's': table: the table's numbers must be finite and its first column increasing",
    ),
    "stop of nothing": (lambda m: m.stop("e", above=1, stiffness=1), "stop 'e': expected either joint or between"),
    "stop without limit": (
        lambda m: m.stop("e", joint="A", stiffness=1),
        "stop 'e': expected a limit: below, above or both",
    ),
    "stop turned round": (
        lambda m: m.stop("e", joint="A", below=2, above=1, stiffness=1),
        "stop 'e': below is 2.0 and above is 1.0; expected below < above",
    ),
    "stops without stiffness": (
        lambda m: m.actuator("e", joint="A", stops=(0, 1)),
        "actuator 'e': stops need stop_stiffness",
    ),
    "stops turned round": (
        lambda m: m.actuator("e", joint="A", stops=(1, 0), stop_stiffness=1),
        "actuator 'e': stops are (1.0, 0.0); expected the lower one first",
    ),
    "stops of nothing": (
        lambda m: m.actuator("e", joint="A", stops=(None, None), stop_stiffness=1),
        "actuator 'e': stops is (None, None); expected at least one limit",
    ),
    "idle stop damping": (
        lambda m: m.actuator("e", joint="A", stop_damping=1),
        "actuator 'e': stop_damping does nothing without stops",
    ),
    "friction without radius": (
        lambda m: m.friction("f", joint="A", coefficient=0.1),
        "friction 'f': radius is missing; friction in a turning joint acts at the radius of its pin",
    ),
    "idle radius": (
        lambda m: m.friction("f", joint="S", coefficient=0.1, radius=1),
        "friction 'f': radius does nothing in a prismatic joint that slides",
    ),
    "idle guide": (
        lambda m: m.friction("f", joint="A", coefficient=0.1, radius=1, guide_length=1),
        "friction 'f': guide_length does nothing in a revolute joint; only a prismatic one has a guide",
    ),
    "idle stribeck": (
        lambda m: m.friction("f", joint="S", coefficient=0.1, stribeck_speed=1),
        "friction 'f': stribeck_speed does nothing without static",
    ),
    "static too small": (
        lambda m: m.friction("f", joint="S", coefficient=0.2, static=0.1),
        "friction 'f': static is 0.1, less than the coefficient 0.2; expected at least as much",
    ),
    "drag of nothing": (
        lambda m: m.drag("d", m["a"]["P"], m["a"]["Q"]),
        "drag 'd': expected a coefficient: quadratic, linear or both",
    ),
    "load on the ground": (
        lambda m: m.line_load("l", m.ground["O"], m.ground["U"], vector=(0, 0)),
        "line-load 'l': both points are on the ground, which does not move; name two points of a body",
    ),
    # Elements
    "state without rate": (element(states={"y": 0}), "element 'e': rates: the rate of state 'y' is missing"),
    "rate without state": (
        element(states={"y": 0}, rates={"y": 0, "z": 0}),
        "element 'e': rates: there is no state 'z'; known: y",
    ),
    "name twice": (
        element(states={"y": 0}, inputs={"y": "t"}, rates={"y": 0}),
        "element 'e': 'y' is used twice among states, inputs and outputs",
    ),
    "name of a constant": (
        element(states={"pi": 0}, rates={}),
        "element 'e': states: 'pi' cannot be a name; expected an identifier other than e, pi, t",
    ),
    "start is no number": (
        element(states={"y": None}, rates={"y": 1}),
        "element 'e': states: y is None; expected a number",
    ),
    "unknown local name": (
        element(states={"y": 0}, inputs={"u": "t"}, rates={"y": "v"}),
        "element 'e': rates: y: there is no parameter 'v'; known: k, kick, u, y",
    ),
    "inputs see no locals": (
        element(states={"y": 0}, inputs={"u": "y"}, rates={"y": "u"}),
        "element 'e': inputs: u: there is no parameter 'y'; known: k, kick",
    ),
    "outputs in a circle": (
        element(outputs={"v": "w + 1", "w": "2*v"}),
        "element 'e': outputs: v -> w -> v is a circle; each needs the next",
    ),
    "function without names": (
        element(outputs=lambda state, inputs: (1, 2)),
        "element 'e': outputs is a function; expected output_names, the names of what it returns",
    ),
    "names without function": (
        element(outputs={"v": 1}, output_names=["w"]),
        "element 'e': output_names goes with a function as outputs",
    ),
    "rates are no mapping": (
        element(states={"y": 0}, rates="y"),
        "element 'e': rates is 'y'; expected formulas by name or a function",
    ),
    "limits turned round": (
        lambda m: m.pi_controller("c", target=1, measured=1, proportional=1, limits=(1, -1)),
        "pi-controller 'c': limits are (1.0, -1.0); expected the lower one first",
    ),
    "no time to track": (
        lambda m: m.pi_controller("c", target=1, measured=1, proportional=0, integral=1, limits=(-1, 1)),
        "pi-controller 'c': tracking_time is missing; a controller with limits and no proportional part has no time "
        "of its own",
    ),
    "idle tracking": (
        lambda m: m.pi_controller("c", target=1, measured=1, proportional=0, tracking_time=1),
        "pi-controller 'c': tracking_time does nothing without limits",
    ),
    "idle start": (
        lambda m: m.dc_motor("d", joint="A", voltage=1, resistance=1, constant=1, start=1),
        "dc-motor 'd': start does nothing without inductance: the current follows the voltage at once",
    ),
    "gear of nothing": (
        lambda m: m.dc_motor("d", joint="A", voltage=1, resistance=1, constant=1, gear=0),
        "dc-motor 'd': gear is 0.0; expected the speed of the motor over that of the joint, not zero",
    ),
    "cylinder that turns": (
        lambda m: m.hydraulic_cylinder(
            "h", joint="A", areas=(1, 1), volumes=(1, 1), pressures=(0, 0), bulk_modulus=1, flows=(0, 0)
        ),
        "hydraulic-cylinder 'h': joint 'A' turns; a cylinder needs one that slides",
    ),
    "cylinder of nothing": (
        lambda m: m.hydraulic_cylinder(
            "h", areas=(1, 1), volumes=(1, 1), pressures=(0, 0), bulk_modulus=1, flows=(0, 0)
        ),
        "hydraulic-cylinder 'h': expected either joint or between",
    ),
    # Loads and events
    "load over an unknown channel": (
        lambda m: m.force("push", on=m["a"]["P"], vector=("a.vz", 0)),
        "force 'push': 'a' has no channel 'vz'; known: P.angle, P.ax, P.ay, P.vx, P.vy, P.x, P.y, Q.angle, Q.ax, "
        "Q.ay, Q.vx, Q.vy, ... (did you mean 'vy'?)",
    ),
    "load that cannot be read": (
        lambda m: m.torque("twist", on=m["a"], torque="2 +"),
        "torque 'twist': '2 +' cannot be read as a formula",
    ),
    "event that cannot be read": (
        lambda m: m.event("hit", "a.y -"),
        "event 'hit': when: 'a.y -' cannot be read as a formula",
    ),
    "event is no formula": (lambda m: m.event("hit", 3), "event 'hit': when is 3; expected a formula"),  # type: ignore[arg-type]
    "event over an unknown name": (
        lambda m: m.event("hit", "a.y - h"),
        "event 'hit': when: there is no parameter 'h'; known: k, kick",
    ),
    "event sets nonsense": (
        lambda m: m.event("hit", "a.y", set={"k": None}),
        "event 'hit': set k is None; expected a number or a formula",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_sentences(case: str) -> None:
    build, sentence = SENTENCES[case]
    assert faults_of(build) == [sentence]


def _counting() -> Callable[[float], float]:
    """A function that returns how often it was called."""
    calls: list[float] = []

    def count(t: float) -> float:
        calls.append(t)
        return float(len(calls))

    return count


def test_motion_by_a_function_that_remembers() -> None:
    (sentence,) = faults_of(lambda m: m.motion("d", joint="A", angle=_counting()))
    assert sentence.startswith(
        "motion 'd': angle: the function cannot be differentiated: called twice it does not give"
    )
    assert "it depends on more than its arguments" in sentence


def test_coupling_by_a_function_that_nothing_can_differentiate() -> None:
    (sentence,) = faults_of(lambda m: m.coupling("c", joints=("A", "S"), function=lambda x: float(str(x))))
    words = (
        "coupling 'c': function: the function cannot be differentiated: it cannot be called with symbols (",
        "nor with derivatives carried (",
        "; write it as a formula",
    )
    assert all(part in sentence for part in words)


def test_in_space() -> None:
    assert faults_of(lambda m: m.torsion_spring_damper("T", joint="C.displacement"), 3) == [
        "torsion-spring-damper 'T': 'C.displacement' is not the angle of a joint, which is expected here"
    ]
    assert faults_of(lambda m: m.bushing("b", m["a"]["P"], m["b"]["Q"], stiffness=(1, 2, 3)), 3) == [
        "bushing 'b': stiffness is (1, 2, 3); expected 6 numbers, none negative"
    ]


def test_unknown_type() -> None:
    known = ", ".join(sorted(library.TYPES)[:12])
    blueprint = bench(2).frozen()
    assert [str(fault) for fault in faults_of_component(Component("G", "gaer", {}), blueprint)] == [
        f"'G' is of unknown type 'gaer'; known: {known}, ... (did you mean 'gear'?)"
    ]


def test_one_fault_does_not_make_others() -> None:
    """What reads a faulty component is not blamed for it."""

    def build(m: jd.Mechanism) -> None:
        m.first_order("lag", input=1, time_constant=0)
        m.motion("drive", joint="A", speed="lag.output")

    assert faults_of(build) == ["first-order 'lag': time_constant is 0.0; expected a positive number"]


def test_all_at_once() -> None:
    found = faults_of(lambda m: m.gear("G", joints=("A2", "ball"), ratio=math.nan, tooth=1, internal="yes"))
    assert found == [
        "gear 'G' has an unknown key 'tooth'; known: internal, joints, ratio, teeth (did you mean 'teeth'?)",
        f"gear 'G': there is no joint 'A2'; {JOINTS} (did you mean 'A'?)",
        "gear 'G': joint 'ball' is a distance joint, which has neither an angle nor a displacement",
        "gear 'G': ratio is nan; expected a finite number",
        "gear 'G': internal is 'yes'; expected True or False",
    ]


def test_circles() -> None:
    def build(m: jd.Mechanism) -> None:
        m.element("one", inputs={"u": "two.y"}, outputs={"y": "2*u"})
        m.element("two", inputs={"u": "one.y"}, outputs={"y": "u + 1"})
        m.first_order("lag", input="lag.output + 1", time_constant=1)

    assert faults_of(build) == [
        "channels go in a circle, one.y -> two.y -> one.y; put an element with a state between them, such as "
        "first-order"
    ]
