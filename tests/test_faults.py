"""Every fault of a mechanism has its own sentence, and all of them come at once.

Sentences are compared whole: a user reads them, so a changed word is a changed promise. Where a sentence lists
what is known, the list is part of it. Faults that need no solving are asked of `joint_entries`, which does not
touch a kernel; joints that do not close need `jd.check`. Joints and loads have a file of their own.
"""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import jourdain as jd
from sick import PLANAR_BODY, SPATIAL_BODY, Build, body, crank, faults_of, planar, spatial

NAN, INF = math.nan, math.inf


def test_the_healthy_ones_have_no_faults() -> None:
    assert faults_of(planar()) == faults_of(spatial()) == ()


# Bodies and points ----------------------------------------------------------------------------------------------

PLANAR_BODIES: dict[str, tuple[Build, str]] = {
    "mass zero": (body(mass=0), "body 'rod': mass is 0.0; expected a positive number"),
    "mass negative": (body(mass=-2), "body 'rod': mass is -2.0; expected a positive number"),
    "mass NaN": (body(mass=NAN), "body 'rod': mass is nan; expected a positive number"),
    "mass infinite": (body(mass=INF), "body 'rod': mass is inf; expected a positive number"),
    "mass no number": (body(mass="heavy"), "body 'rod': mass is 'heavy'; expected a number"),
    "inertia negative": (body(inertia=-1), "body 'rod': inertia is -1.0; expected zero or a positive number"),
    "inertia NaN": (body(inertia=NAN), "body 'rod': inertia is nan; expected finite numbers"),
    "inertia of two numbers": (body(inertia=(1, 1)), "body 'rod': inertia is (1, 1); expected a number"),
    "position NaN": (body(position=(0, NAN)), "body 'rod': position is (0.0, nan); expected finite numbers"),
    "position too long": (
        body(position=(1, 2, 3)),
        "body 'rod': position has 3 components (1.0, 2.0, 3.0); expected 2",
    ),
    "position no vector": (body(position=4), "body 'rod': position is 4; expected 2 numbers"),
    "velocity infinite": (body(velocity=(INF, 0)), "body 'rod': velocity is (inf, 0.0); expected finite numbers"),
    "velocity too short": (body(velocity=(1,)), "body 'rod': velocity has 1 components (1.0,); expected 2"),
    "centre NaN": (body(centre=(NAN, 0)), "body 'rod': centre is (nan, 0.0); expected finite numbers"),
    "angle NaN": (body(angle=NAN), "body 'rod': attitude is nan; expected finite numbers"),
    "spin NaN": (body(spin=NAN), "body 'rod': spin is nan; expected finite numbers"),
    "spin twice": (body(spin=1, spin_body=1), "body 'rod': spin and spin_body are both given; keep one"),
    "attitude of space": (
        body(quaternion=(1, 0, 0, 0)),
        "body 'rod': attitude by 'quaternion' in a planar mechanism; expected angle",
    ),
    "point NaN": (body(points={"P": (NAN, 0)}), "point 'rod.P': at is (nan, 0.0); expected finite numbers"),
    "point too long": (
        body(points={"P": (1, 2, 3)}),
        "point 'rod.P': at has 3 components (1.0, 2.0, 3.0); expected 2",
    ),
    "point angle NaN": (
        body(points={"P": {"at": (0, 0), "angle": NAN}}),
        "point 'rod.P': angle is nan; expected a finite number",
    ),
    "point key": (
        body(points={"P": {"at": (0, 0), "axis": (1, 0)}}),
        "point 'rod.P' has an unknown key 'axis'; known: angle, at",
    ),
    "point twice": (lambda m: m["crank"].point("A", (0, 0)), "point 'crank.A' is defined twice"),
    "ground point NaN": (
        lambda m: m.ground.point("P", (0, INF)),
        "point 'ground.P': at is (0.0, inf); expected finite numbers",
    ),
}

SPATIAL_BODIES: dict[str, tuple[Build, str]] = {
    "inertia a number": (
        body(inertia=1),
        "body 'rod': inertia is 1; in space expected (Ixx, Iyy, Izz) or (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) "
        "about the mass centre",
    ),
    "inertia of four": (
        body(inertia=(1, 1, 1, 0)),
        "body 'rod': inertia is (1, 1, 1, 0); in space expected (Ixx, Iyy, Izz) or "
        "(Ixx, Iyy, Izz, Ixy, Ixz, Iyz) about the mass centre",
    ),
    "inertia negative": (
        body(inertia=(-1, 2, 2)),
        "body 'rod': principal inertias are (-1, 2, 2); expected none negative",
    ),
    "inertia negative off the diagonal": (
        # Eigenvalues 1 - 2 and 1 + 2 of the corner, and 3.
        body(inertia=(1, 1, 3, 2, 0, 0)),
        "body 'rod': principal inertias are (-1, 3, 3); expected none negative",
    ),
    "triangle inequality": (
        body(inertia=(1, 2, 4)),
        "body 'rod': principal inertias (1, 2, 4) violate the triangle inequality (4 > 1 + 2); "
        "no distribution of mass has them",
    ),
    "inertia NaN": (
        body(inertia=(1, NAN, 1)),
        "body 'rod': inertia is (1.0, nan, 1.0, 0.0, 0.0, 0.0); expected finite numbers",
    ),
    "attitude twice": (
        body(quaternion=(1, 0, 0, 0), bryan=(0, 0, 0)),
        "body 'rod': attitude is given twice, by quaternion and bryan; keep one",
    ),
    "attitude of the plane": (
        body(angle=1),
        "body 'rod': attitude by 'angle' in a spatial mechanism; expected quaternion, bryan, euler or matrix",
    ),
    "quaternion zero": (
        body(quaternion=(0, 0, 0, 0)),
        "body 'rod': quaternion (0.0, 0.0, 0.0, 0.0) has no direction; expected (w, x, y, z) not all zero",
    ),
    "quaternion NaN": (
        body(quaternion=(NAN, 0, 0, 0)),
        "body 'rod': quaternion (nan, 0.0, 0.0, 0.0) has no direction; expected (w, x, y, z) not all zero",
    ),
    "quaternion of three": (
        body(quaternion=(1, 0, 0)),
        "body 'rod': quaternion has 3 components (1.0, 0.0, 0.0); expected 4",
    ),
    "matrix stretched": (
        body(matrix=[[2, 0, 0], [0, 1, 0], [0, 0, 1]]),
        "body 'rod': matrix is no rotation; expected 3 x 3, orthogonal, determinant +1",
    ),
    "matrix mirrored": (
        body(matrix=[[-1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        "body 'rod': matrix is no rotation; expected 3 x 3, orthogonal, determinant +1",
    ),
    "matrix planar": (
        body(matrix=[[1, 0], [0, 1]]),
        "body 'rod': matrix is no rotation; expected 3 x 3, orthogonal, determinant +1",
    ),
    "euler letters": (
        body(euler=("zxq", (0, 0, 0))),
        "body 'rod': euler is ('zxq', (0, 0, 0)); expected a sequence like 'zxz' and three angles",
    ),
    "euler of two": (
        body(euler=("zxz", (0, 0))),
        "body 'rod': euler is ('zxz', (0, 0)); expected a sequence like 'zxz' and three angles",
    ),
    "spin a number": (body(spin=3.0), "body 'rod': spin is 3.0; expected 3 numbers"),
    "point axis zero": (
        body(points={"P": {"at": (0, 0, 0), "axis": (0, 0, 0)}}),
        "point 'rod.P': axis z is zero; expected a direction",
    ),
    "point axis NaN": (
        body(points={"P": {"at": (0, 0, 0), "axis": (0, NAN, 1)}}),
        "point 'rod.P': z is (0.0, nan, 1.0); expected finite numbers",
    ),
    "point axes oblique": (
        body(points={"P": {"at": (0, 0, 0), "x": (1, 0, 0), "z": (1, 0, 1)}}),
        "point 'rod.P': axes x and z are not perpendicular (cosine 0.707)",
    ),
    "point axis twice": (
        body(points={"P": {"at": (0, 0, 0), "axis": (0, 0, 1), "z": (0, 0, 1)}}),
        "point 'rod.P': 'axis' and 'z' are the same thing; keep one",
    ),
    "point key": (
        body(points={"P": {"at": (0, 0, 0), "angle": 1}}),
        "point 'rod.P' has an unknown key 'angle'; known: at, axis, x, z",
    ),
}


@pytest.mark.parametrize("case", PLANAR_BODIES)
def test_bodies_in_the_plane(case: str) -> None:
    build, sentence = PLANAR_BODIES[case]
    m = planar()
    build(m)
    assert faults_of(m) == (sentence,)


@pytest.mark.parametrize("case", SPATIAL_BODIES)
def test_bodies_in_space(case: str) -> None:
    build, sentence = SPATIAL_BODIES[case]
    m = spatial()
    build(m)
    assert faults_of(m) == (sentence,)


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"bryan": (NAN, 0, 0)}, "attitude is (nan, nan, nan, nan)"),
        ({"spin_body": (NAN, 0, 0)}, "spin is (nan, nan, nan)"),
    ],
    ids=["bryan", "spin_body"],
)
def test_numbers_are_shown_as_numbers(data: dict[str, Any], shown: str) -> None:
    m = spatial()
    body(**data)(m)
    assert faults_of(m) == (f"body 'rod': {shown}; expected finite numbers",)


BUILDER_RAISES: dict[str, tuple[dict[str, Any], Build]] = {
    "gravity a number": ({"gravity": 5}, lambda m: None),
    "matrix a text": ({"space": "spatial"}, body(matrix="abc")),
    "bryan infinite": ({"space": "spatial"}, body(bryan=(INF, 0, 0))),
    "points a list": ({}, body(points=[("A", (0, 0))])),
    "bodies by name": ({}, lambda m: (body()(m), m.revolute("A", bodies=("ground", "rod"), at=(0, 0)))),
    "place of a body at an infinite angle": (
        {},
        lambda m: (
            body(position=(0, 0), angle=INF)(m),
            m.revolute("A", bodies=(m.ground, m["rod"]), at=(0, 0)),
        ),
    ),
}


@pytest.mark.parametrize("case", BUILDER_RAISES)
def test_builder_notes_faults_and_goes_on(case: str) -> None:
    data, build = BUILDER_RAISES[case]
    m = jd.Mechanism("sick", **data)
    build(m)
    assert faults_of(m)


@pytest.mark.parametrize("inertia", [(1, 2, 3), (0, 2, 2), (1, 2, 3 * (1 + 1e-7))])
def test_flat_bodies_and_thin_rods_are_no_fault(inertia: tuple[float, ...]) -> None:
    m = spatial()
    m.body("plate", mass=1, inertia=inertia)
    assert faults_of(m) == ()


# Names ----------------------------------------------------------------------------------------------------------

ONE_NAMESPACE = "all parts share one namespace"


def test_two_bodies_of_one_name() -> None:
    m = planar()
    m.body("twin", mass=1, inertia=1)
    m.body("twin", mass=1, inertia=1)
    assert faults_of(m) == (f"name 'twin' is used 2 times (body and body); {ONE_NAMESPACE}",)


def test_second_body_of_a_name_breaks_nothing_else() -> None:
    m = planar()
    m.body("crank", mass=1, inertia=1)
    assert faults_of(m) == (f"name 'crank' is used 2 times (body and body); {ONE_NAMESPACE}",)


def test_body_joint_and_force_of_one_name() -> None:
    m = planar()
    m.body("pin", mass=1, inertia=1)
    m.torque("pin", on=m["crank"], torque=1)
    assert faults_of(m) == (f"name 'pin' is used 3 times (body and joint and force); {ONE_NAMESPACE}",)


@pytest.mark.parametrize("name", ["ground", "energy", "violation", "t"])
def test_reserved_names(name: str) -> None:
    m = planar()
    m.body(name, mass=1, inertia=1)
    m.revolute(name, m.ground["A"], crank(m))
    words = "is reserved (energy, ground, t, violation are)"
    assert faults_of(m)[:2] == (f"body name '{name}' {words}", f"joint name '{name}' {words}")


@pytest.mark.parametrize("name", ["two words", "2nd", "a..b", "", "for", None])
def test_names_that_are_no_identifiers(name: Any) -> None:
    m = planar()
    m.body(name, mass=1, inertia=1, points={"P": (0, 0)})
    m.ground.point(name, (0, 0))
    assert faults_of(m) == (
        f"body name {name!r} is not an identifier; use letters, digits and underscores",
        f"point name {name!r} of 'ground' is not an identifier",
    )


@pytest.mark.parametrize("name", ["x", "vx", "angle", "spin_rate", "qw"])
def test_points_named_like_channels(name: str) -> None:
    m = planar()
    m["crank"].point(name, (0, 0))
    words = f"bears the name of a channel; choose another name than '{name}'"
    assert faults_of(m) == (f"point 'crank.{name}' {words}",)


# The whole mechanism --------------------------------------------------------------------------------------------


def test_empty_mechanism() -> None:
    assert faults_of(jd.Mechanism()) == ("the mechanism has no bodies; add at least one with m.body(...)",)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"gravity": (0, NAN)}, "gravity is (0.0, nan); expected finite numbers"),
        ({"gravity": (0, 0, -9.81), "space": "planar"}, "gravity has 3 components (0.0, 0.0, -9.81); expected 2"),
        ({"gravity": ("down", 0)}, "gravity is ('down', 0); expected 2 numbers"),
        ({"space": "flat"}, "space is 'flat'; expected 'planar' or 'spatial'"),
    ],
)
def test_gravity_and_space(data: dict[str, Any], sentence: str) -> None:
    m = jd.Mechanism("sick", **data)
    m.body("rod", **PLANAR_BODY)
    assert faults_of(m) == (sentence,)


def test_all_faults_at_once() -> None:
    m = jd.Mechanism("ruin", gravity=(0, NAN))
    m.body("a", mass=-1, inertia=-1, position=(1, 2, 3), points={"P": (0, 0), "x": (0, 0)})
    m.body("b", mass=1, inertia=1, quaternion=(1, 0, 0, 0))
    m.revolute("b", m.ground.point("A", (0, 0)), m["a"]["Q"])
    m.joint("universal", "u", m.ground["A"], m["a"]["P"])
    m.custom("c", m.ground["A"], m["a"]["P"], equations=["N - M"])
    m.force("f", on=m["a"]["P"], vector=("1e400", NAN))
    with pytest.raises(jd.MechanismError) as caught:
        jd.simulate(m, 1.0)
    assert set(map(str, caught.value.faults)) == {
        "body 'a': position has 3 components (1.0, 2.0, 3.0); expected 2",
        "body 'b': attitude by 'quaternion' in a planar mechanism; expected angle",
        "gravity is (0.0, nan); expected finite numbers",
        f"name 'b' is used 2 times (body and joint); {ONE_NAMESPACE}",
        "point 'a.x' bears the name of a channel; choose another name than 'x'",
        "body 'a': mass is -1.0; expected a positive number",
        "body 'a': inertia is -1.0; expected zero or a positive number",
        "joint 'b': body 'a' has no point 'Q'; known: P, x",
        "joint 'u': there is no universal joint in the plane; use revolute, or make the mechanism spatial",
        "joint 'c': 'N - M' is a vector; expected an equation like dot(N - M, y_i)",
        "force 'f' is [nan]; expected finite numbers",
        "force 'f': a number is too large",
    }
    lines = str(caught.value).splitlines()
    assert lines == ["mechanism 'ruin' has 12 faults:", *(f"  - {fault}" for fault in caught.value.faults)]


# Joints that do not close ---------------------------------------------------------------------------------------


def test_joint_that_cannot_be_closed_names_itself_and_its_gap() -> None:
    m = planar()
    # Two pins hold the same point of the crank at places 1 m apart: the best compromise leaves 0.5 m at each.
    m.revolute("other", m.ground.point("far", (0, 1)), crank(m, "A"))
    with pytest.raises(jd.MechanismError) as caught:
        jd.check(m)
    (fault,) = caught.value.faults
    pattern = r"joints 'pin', 'other' cannot be closed from the drawn pose: ([\d.e+-]+) \(m or rad\) remain; (.*)"
    match = re.match(pattern, str(fault))
    assert float(match[1]) == pytest.approx(0.5, abs=1e-3)
    assert match[2] == (
        "joints 'pin' and 'other' both join ground and crank, at points 1 m apart on ground and 0 m on crank: is one "
        "meant for another body?; points used by nothing: crank.B"
    )


@pytest.mark.parametrize(
    ("kind", "axis", "words"),
    [
        ("revolute", (0, 0, -1), ["z_i.z_j > 0"]),
        ("cylindrical", (0, 0, -1), ["z_i.z_j > 0"]),
        ("planar", (0, 0, -1), ["z_i.z_j > 0"]),
        ("parallel", (0, 0, -1), ["z_i.z_j > 0"]),
    ],
)
def test_flipped_joints_are_refused(kind: str, axis: tuple[float, ...], words: list[str]) -> None:
    m = jd.Mechanism("flipped", gravity=(0, 0, -9.81))
    m.body("rod", **SPATIAL_BODY, position=(0, 0, 0), points={"P": {"at": (0, 0, 0), "axis": axis}})
    m.joint(kind, "mine", m.ground.point("A", (0, 0, 0), axis=(0, 0, 1)), m["rod"]["P"])
    with pytest.raises(jd.MechanismError) as caught:
        jd.check(m)
    turn = "turn one of its bodies or axes by half a turn"
    expected = tuple(f"joint 'mine' is closed the wrong way round ({w} does not hold); {turn}" for w in words)
    assert tuple(map(str, caught.value.faults)) == expected


@pytest.mark.parametrize("half_turn", ["x", "y", "z"])
def test_half_turned_welds_are_refused(half_turn: str) -> None:
    # Half a turn about one axis keeps that axis and reverses the two others.
    m = jd.Mechanism("flipped", gravity=(0, 0, -9.81))
    q = (0.0, *(1.0 if axis == half_turn else 0.0 for axis in "xyz"))
    m.body("rod", **SPATIAL_BODY, position=(0, 0, 0), quaternion=q, points={"P": (0, 0, 0)})
    m.weld("mine", m.ground.point("A", (0, 0, 0)), m["rod"]["P"])
    with pytest.raises(jd.MechanismError) as caught:
        jd.check(m)
    reversed_axes = [axis for axis in "xyz" if axis != half_turn]
    assert [re.search(r"\((.*) does", str(f))[1] for f in caught.value.faults] == [  # type: ignore[index]
        f"{a}_i.{a}_j > 0" for a in reversed_axes
    ]


@pytest.mark.parametrize("kind", ["prismatic", "weld", "parallel"])
def test_half_turned_joints_in_the_plane_are_refused(kind: str) -> None:
    m = jd.Mechanism("flipped")
    m.body("rod", **PLANAR_BODY, position=(0, 0), angle=math.pi, points={"P": (0, 0)})
    m.joint(kind, "mine", m.ground.point("A", (0, 0)), m["rod"]["P"])
    with pytest.raises(jd.MechanismError, match=r"joint 'mine' is closed the wrong way round \(x_i\.x_j > 0"):
        jd.check(m)


def test_a_motion_of_a_joint_at_fault_is_not_to_blame() -> None:
    m = jd.Mechanism("slide", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=1, points={"A": (0, 0)})
    m.joint("cylindrical", "S", m.ground["rail"], a["A"])
    m.point_on_line("L", m.ground["rail"], a["A"])
    m.motion("push", joint="L", displacement="t")
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    assert [fault for fault in error.value.faults if "push" in fault] == []
    assert "joint 'L': body 'ground' has no point 'rail'; there are none" in map(str, error.value.faults)
