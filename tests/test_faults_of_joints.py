"""Faults of joints and of loads: each has its own sentence (see `test_faults.py`)."""

from __future__ import annotations

import math
import time

import pytest

import jourdain as jd
from jourdain.equations import M, N, dot, x_i
from jourdain.library.joints import BY_NAME
from jourdain.mechanism.parts import PortName
from sick import PLANAR_BODY, Build, crank, custom, faults_of, joint, planar, push, spatial

NAN, INF = math.nan, math.inf

# Joints ---------------------------------------------------------------------------------------------------------

KNOWN_SYMBOLS = "known: M, MN, N, OM, ON, e, e_x, e_y, e_z, pi, t, x_i, x_j, y_i, y_j, z_i, z_j"
LIKE = "expected an equation like dot(N - M, y_i)"

PLANAR_JOINTS: dict[str, tuple[Build, str]] = {
    "unknown body": (
        lambda m: m.revolute("mine", m.ground["A"], PortName("krank", "B")),
        "joint 'mine': there is no body 'krank'; known: crank, ground (did you mean 'crank'?)",
    ),
    "unknown point": (
        lambda m: m.revolute("mine", m.ground["A"], crank(m, "BB")),
        "joint 'mine': body 'crank' has no point 'BB'; known: A, B (did you mean 'B'?)",
    ),
    "unknown point of the ground": (
        lambda m: m.revolute("mine", m.ground["far"], crank(m)),
        "joint 'mine': body 'ground' has no point 'far'; known: A",
    ),
    "to itself": (
        lambda m: m.revolute("mine", crank(m, "A"), crank(m, "B")),
        "joint 'mine' joins body 'crank' to itself; a joint needs two different bodies",
    ),
    "one port": (
        lambda m: m.revolute("mine", m.ground["A"]),
        "joint 'mine': expected two points like crank['B'], got PortName(body='ground', point='A') and None",
    ),
    "no port": (
        lambda m: m.revolute("mine"),
        "joint 'mine': expected two points like crank['B'], got None and None",
    ),
    "a body as port": (
        lambda m: m.revolute("mine", m.ground["A"], m["crank"]),
        "joint 'mine': expected two points like crank['B'], got PortName(body='ground', point='A') and 'crank'",
    ),
    "place without a pose": (
        lambda m: (m.body("rod", **PLANAR_BODY), m.revolute("mine", bodies=(m.ground, m["rod"]), at=(0, 0))),
        "joint 'mine': 'at' needs the position of body 'rod', which is not written",
    ),
    "length missing": (joint("distance"), "joint 'mine': a distance joint needs a length"),
    "length negative": (joint("distance", length=-1), "joint 'mine': length is -1.0; expected a positive number"),
    "length no number": (joint("distance", length="long"), "joint 'mine': length is 'long'; expected a number"),
    "spherical": (
        joint("spherical"),
        "joint 'mine': there is no spherical joint in the plane; use revolute, or make the mechanism spatial",
    ),
    "universal": (
        joint("universal"),
        "joint 'mine': there is no universal joint in the plane; use revolute, or make the mechanism spatial",
    ),
    "cylindrical": (
        joint("cylindrical"),
        "joint 'mine': there is no cylindrical joint in the plane; use prismatic, or make the mechanism spatial",
    ),
    "planar": (
        joint("planar"),
        "joint 'mine': there is no planar joint in the plane; use no joint at all, or make the mechanism spatial",
    ),
    "point in plane": (
        joint("point-in-plane"),
        "joint 'mine': there is no point-in-plane joint in the plane; use point-on-line, or make the mechanism spatial",
    ),
    "unknown type": (
        joint("hinge"),
        f"joint 'mine': unknown joint type 'hinge'; known: {', '.join(sorted(BY_NAME))}",
    ),
    "no equations": (custom(), "joint 'mine': a custom joint needs equations, such as ['dot(N - M, y_i)']"),
    "unknown name": (custom("dot(N - Q, y_i)"), f"joint 'mine': unknown name 'Q'; {KNOWN_SYMBOLS}"),
    "a vector": (custom("N - M"), f"joint 'mine': 'N - M' is a vector; {LIKE}"),
    "only time": (custom("sin(t)"), f"joint 'mine': 'sin(t)' is no scalar product; {LIKE}"),
    "only fixed axes": (custom("dot(e_x, e_x)"), "joint 'mine': 'dot(e_x, e_x)' holds no vector of the joint"),
    "a number": (custom(3.0), f"joint 'mine': '3.0' is no scalar product; {LIKE}"),
    "product of products": (
        custom("dot(x_i, x_j) * dot(N - M, y_i)"),
        "joint 'mine': a product of two scalar products is not allowed in a joint equation",
    ),
    "divided by a product": (
        custom("dot(x_i, x_j) / dot(N - M, y_i)"),
        "joint 'mine': a joint equation can only be divided by a number or a formula in t",
    ),
    "vectors multiplied": (custom("N * y_i"), "joint 'mine': use dot(a, b) to multiply two vectors"),
    "vector plus scalar": (
        custom("dot(N, y_i) + N"),
        "joint 'mine': a scalar cannot be added to a vector; use dot(a, b)",
    ),
    "vector plus number": (custom("dot(N + 1, y_i)"), "joint 'mine': a vector can only be added to a vector"),
    "number minus vector": (custom("dot(1 - N, y_i)"), "joint 'mine': '1 - N' mixes vectors and scalars"),
    "dot of a scalar": (
        custom("dot(t, y_i)"),
        "joint 'mine': dot(a, b) needs two vectors, such as dot(N - M, y_i)",
    ),
    "dot of three": (custom("dot(M, N, y_i)"), "joint 'mine': dot takes two vectors"),
    "sine of a vector": (custom("sin(N)"), "joint 'mine': sin takes 1 number(s) or formulas"),
    "z_i in the plane": (
        custom("dot(N - M, e_x)", "dot(z_i, x_j)"),
        "joint 'mine': equation 2 uses z_i, which the plane does not have",
    ),
    "e_z in the plane": (
        custom("dot(N - M, e_z)"),
        "joint 'mine': equation 1 uses e_z, which the plane does not have",
    ),
}


@pytest.mark.parametrize("case", PLANAR_JOINTS)
def test_joints(case: str) -> None:
    build, sentence = PLANAR_JOINTS[case]
    m = planar()
    build(m)
    assert faults_of(m) == (sentence,)


def test_length_zero() -> None:
    m = planar()
    m.distance("mine", m.ground["A"], crank(m), length=0)
    assert faults_of(m)[0] == "joint 'mine': length is 0.0; expected a positive number"


def test_place_of_the_wrong_length() -> None:
    m = planar()
    m.revolute("mine", bodies=(m.ground, m["crank"]), at=(0, 0, 0))
    assert set(faults_of(m)) == {"joint 'mine': at has 3 components (0.0, 0.0, 0.0); expected 2"}


def test_place_left_out() -> None:
    m = planar()
    m.revolute("mine", bodies=(m.ground, m["crank"]))
    assert any("joint 'mine'" in fault and "at" in fault for fault in faults_of(m))


@pytest.mark.parametrize("data", [{"length": 3}, {"equations": ["dot(x_i, x_j)"]}, {"at": (4, 4)}], ids=str)
def test_arguments_that_would_do_nothing(data: dict[str, object]) -> None:
    m = planar()
    m.joint("revolute", "mine", m.ground["A"], crank(m, "B"), **data)  # type: ignore[arg-type]
    assert any("joint 'mine'" in fault for fault in faults_of(m))


def test_one_equation_without_brackets() -> None:
    m = planar()
    m.custom("mine", m.ground["A"], crank(m), equations="dot(N - M, x_i)")
    assert not any("unknown name 'd'" in fault for fault in faults_of(m))


NO_DERIVATIVE = {
    "min": "min(t, 1)",
    "max": "max(t, 1)",
}


@pytest.mark.parametrize("case", NO_DERIVATIVE)
def test_equations_that_cannot_be_differentiated_are_faults_of_the_joint(case: str) -> None:
    m = planar()
    m.custom("mine", m.ground["A"], crank(m), equations=[f"dot(N - M, e_x) - 2 + {NO_DERIVATIVE[case]}"])
    with pytest.raises(jd.MechanismError, match="joint 'mine': "):
        jd.check(m)


def test_expressions_are_refused_while_they_are_written() -> None:
    with pytest.raises(ValueError, match="a product of two scalar products is not allowed"):
        dot(N - M, x_i) * dot(N, x_i)
    with pytest.raises(ValueError, match="use dot"):
        N * M


def test_equation_without_a_moving_body() -> None:
    m = planar()
    m.custom("mine", m.ground["A"], crank(m), equations=["dot(M, x_i) - 1"])
    with pytest.raises(jd.MechanismError) as caught:
        jd.check(m)
    assert tuple(map(str, caught.value.faults)) == ("joint 'mine': equation 1 holds no vector of a moving body",)


# Loads ----------------------------------------------------------------------------------------------------------

FUNCTIONS = (
    "abs, acos, asin, atan, atan2, clip, cos, cosh, cycloid, exp, harmonic, log, max, min, mod, modified_sine, "
    "modified_trapezoid, piecewise, poly345, poly4567, ramp, sign, sin, sinh, sqrt, step, tan, tanh, trapezoid, where"
)

LOADS: dict[str, tuple[Build, str]] = {
    "NaN": (push(NAN, 0), "force 'push' is [nan, 0.0]; expected finite numbers"),
    "infinite beside a formula": (push("t", INF), "force 'push' is [inf]; expected finite numbers"),
    "too short": (push(1), "force 'push': vector is [1]; expected 2 components"),
    "no number": (push(None, 0), "force 'push': vector is None; expected a number"),
    "a lone text": (
        lambda m: m.force("push", on=crank(m), vector="ab"),
        "force 'push': vector is 'ab'; expected 2 components",
    ),
    "import": (
        push("__import__('os')", 0),
        "force 'push': ''os'' is not allowed in a formula",
    ),
    "call of a call": (push("sin(t)(t)", 0), "force 'push': 'sin(t)(t)' is not allowed in a formula"),
    "attribute": (
        push("t.real", 0),
        "force 'push': there is no body, joint or component 't'; known: crank, energy, ground, pin, shaking",
    ),
    "comparison": (
        push("t > 1", 0),
        "force 'push': 't > 1' is a condition; expected it first in where(condition, a, b)",
    ),
    "lambda": (push("lambda: 1", 0), "force 'push': 'lambda: 1' is not allowed in a formula"),
    "keyword": (push("sin(x=t)", 0), "force 'push': 'sin(x=t)' is not allowed in a formula"),
    "truth": (push("True", 0), "force 'push': 'True' is not allowed in a formula"),
    "number too large": (push("1e400", 0), "force 'push': a number is too large"),
    "integer too large": (push("1" + "0" * 400, 0), "force 'push': a number is too large"),
    "product too large": (push("1e300 * 1e300", 0), "force 'push': mul of 1e+300, 1e+300 is not finite"),
    "unknown name": (push("2*x", 0), "force 'push': there is no parameter 'x'; there are none"),
    "unknown function": (
        push("sinus(t)", 0),
        f"force 'push': unknown function 'sinus'; known: dot, {FUNCTIONS} (did you mean 'sin'?)",
    ),
    "too many arguments": (push("sin(t, t)", 0), "force 'push': sin takes 1 number(s) or formulas"),
    "not a formula": (push("2 +", 0), "force 'push': '2 +' cannot be read as a formula"),
    "empty": (push("", 0), "force 'push': '' cannot be read as a formula"),
    "unknown body": (
        lambda m: m.force("push", on=PortName("crunk", "B"), vector=(0, 0)),
        "force 'push': there is no body 'crunk'; known: crank, ground (did you mean 'crank'?)",
    ),
    "unknown point": (
        lambda m: m.force("push", on=crank(m, "C"), vector=(0, 0)),
        "force 'push': body 'crank' has no point 'C'; known: A, B",
    ),
    "on a body": (
        lambda m: m.force("push", on=m["crank"], vector=(0, 0)),
        "force 'push': expected a point like crank['B'], got 'crank'",
    ),
    "torque on nobody": (
        lambda m: m.torque("motor", on="cranc", torque=1),
        "torque 'motor': there is no body 'cranc'; known: crank (did you mean 'crank'?)",
    ),
    "torque NaN": (
        lambda m: m.torque("motor", on=m["crank"], torque=NAN),
        "torque 'motor' is [nan]; expected finite numbers",
    ),
    "torque formula": (
        lambda m: m.torque("motor", on=m["crank"], torque="w"),
        "torque 'motor': there is no parameter 'w'; there are none",
    ),
    "spring to itself": (
        lambda m: m.spring_damper("coil", crank(m), crank(m), stiffness=1),
        "spring-damper 'coil' joins point 'crank.B' to itself",
    ),
    "spring of negative length": (
        lambda m: m.spring_damper("coil", m.ground["A"], crank(m), length=-1),
        "spring-damper 'coil': length is -1.0; expected zero or a positive number",
    ),
    "spring NaN": (
        lambda m: m.spring_damper("coil", m.ground["A"], crank(m), stiffness=NAN),
        "spring-damper 'coil' is (nan, 0.0, 0.0); expected finite numbers",
    ),
    "spring no number": (
        lambda m: m.spring_damper("coil", m.ground["A"], crank(m), stiffness="stiff"),
        "spring-damper 'coil': stiffness: there is no parameter 'stiff'; there are none",
    ),
    "spring on a body": (
        lambda m: m.spring_damper("coil", m.ground["A"], m["crank"], stiffness=1),
        "spring-damper 'coil': expected a point like crank['B'], got 'crank'",
    ),
}


@pytest.mark.parametrize("case", LOADS)
def test_loads(case: str) -> None:
    build, sentence = LOADS[case]
    m = planar()
    build(m)
    assert faults_of(m) == (sentence,)


@pytest.mark.parametrize(
    ("text", "beginning"),
    [("9**9**9", "pow of 9.0, 387420489.0: "), ("1/0", "div of 1.0, 0.0: "), ("log(0)", "log of 0.0: ")],
)
def test_constants_that_cannot_be_computed(text: str, beginning: str) -> None:
    # What follows is Python's own word for it, which changes with its version.
    m = planar()
    push(text, 0)(m)
    (fault,) = faults_of(m)
    assert fault.startswith(f"force 'push': {beginning}")


def test_torque_in_space_has_three_components() -> None:
    m = spatial()
    m.torque("motor", on=m["crank"], torque=(1, 2))
    assert faults_of(m) == ("torque 'motor': torque is (1, 2); expected 3 components",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(" * 5_000_000 + ")" * 5_000_000, "a formula of 10000000 characters is too long (at most 10000)"),
        ("(" * 61 + "t" + ")" * 61, "brackets are nested 61 deep (at most 60)"),
        ("-" * 9_000 + "t", "cannot be read as a formula"),
        # Which of the two limits stops these, Python's or ours, depends on the version of Python.
        ("t+" * 4_999 + "t", ("is nested too deeply", "cannot be read as a formula")),
        ("**".join(["t"] * 3_000), ("is nested too deeply", "cannot be read as a formula")),
    ],
    ids=["10 MB", "brackets", "signs", "sum", "powers"],
)
def test_monsters_are_refused_at_once(text: str, words: str | tuple[str, ...]) -> None:
    m = planar()
    m.force("push", on=crank(m), vector=(text, 0))
    begun = time.process_time()
    (fault,) = faults_of(m)
    # Refusing takes milliseconds; reading or differentiating a monster would take minutes, or the machine's memory.
    assert time.process_time() - begun < 2.0
    assert fault.startswith("force 'push': ")
    assert any(w in fault for w in ([words] if isinstance(words, str) else words))
    assert len(fault) < 200
