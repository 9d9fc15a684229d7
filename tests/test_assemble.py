"""assemble and branches: against closed forms of linkages, from any start, with targets of both kinds; refusals."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import jourdain as jd
import known_mechanisms as known
import machines
from grids import some
from jourdain.assembly.targets import POSITION, View, settable_channels
from jourdain.engine.pose import Pose
from jourdain.model.compile import compile_mechanism
from jourdain.model.states import BodyState, to_vector
from random_mechanisms import random_mechanism

TAU = 2 * math.pi


def bar(m, name, length, ends, pose=None):
    start = {} if pose is None else {"position": tuple(pose[:2]), "angle": pose[2]}
    half = length / 2
    return m.body(name, mass=1, inertia=length**2 / 12, points={ends[0]: (-half, 0), ends[1]: (half, 0)}, **start)


def four_bar(a=1.0, b=3.0, c=3.0, d=3.5, poses=(None, None, None)):
    m = jd.Mechanism("four-bar")
    crank, coupler, rocker = (
        bar(m, name, length, ends, pose)
        for name, length, ends, pose in zip(
            ("crank", "coupler", "rocker"), (a, b, c), ("AB", "BC", "DC"), poses, strict=True
        )
    )
    m.revolute("A", m.ground.point("A", (0, 0)), crank["A"])
    m.revolute("B", crank["B"], coupler["B"])
    m.revolute("C", coupler["C"], rocker["C"])
    m.revolute("D", m.ground.point("D", (d, 0)), rocker["D"])
    return m


def slider_crank(poses=(None, None, None), offset=0.2):
    m = jd.Mechanism("slider-crank")
    crank, rod = bar(m, "crank", 1.0, "AB", poses[0]), bar(m, "rod", 2.5, "BC", poses[1])
    start = {} if poses[2] is None else {"position": tuple(poses[2][:2]), "angle": poses[2][2]}
    slider = m.body("slider", mass=1, inertia=0.1, points={"C": (0, 0)}, **start)
    m.revolute("A", m.ground.point("A", (0, 0)), crank["A"])
    m.revolute("B", crank["B"], rod["B"])
    m.revolute("C", rod["C"], slider["C"])
    m.prismatic("guide", m.ground.point("G", (0, offset)), slider["C"])
    return m


def arm():
    m = jd.Mechanism("arm")
    upper, lower = bar(m, "upper", 1.0, "AB", (0.5, 0, 0)), bar(m, "lower", 1.0, "BP", (1.5, 0.1, 0.3))
    m.revolute("A", m.ground.point("A", (0, 0)), upper["A"])
    m.revolute("B", upper["B"], lower["B"])
    return m


def any_pose(rng):
    return (*rng.uniform(-5, 5, size=2), rng.uniform(-math.pi, math.pi))


def crossings(p, r, q, s):
    """Both points at distance r from p and s from q."""
    return [machines.circle_crossing(p, r, q, s), machines.circle_crossing(q, s, p, r)]


# Branches against closed forms ----------------------------------------------------------------------------------------


def test_both_branches_of_a_four_bar_are_found_from_any_pose():
    rng = np.random.default_rng(1)
    for _ in some(range(50), 12):
        angle = rng.uniform(-math.pi, math.pi)
        found = jd.branches(four_bar(poses=[any_pose(rng) for _ in range(3)]), {"crank.angle": angle})
        expected = crossings((math.cos(angle), math.sin(angle)), 3.0, (3.5, 0), 3.0)
        places = sorted((x["coupler.C.x"], x["coupler.C.y"]) for x in found)
        assert np.allclose(places, sorted(expected), rtol=0, atol=1e-9)
        assert {x.branch for x in found} == {"open", "crossed"}
        assert {x.signature for x in found} == {("B-C-D left",), ("B-C-D right",)}


def test_nortons_four_bar():
    """Design of Machinery, section 4.5: 40, 120, 80 and 100 mm at 40 degrees; open 57.33, crossed -98.01 degrees."""
    m = four_bar(0.040, 0.120, 0.080, 0.100)
    found = {x.branch: x for x in jd.branches(m, {"crank.angle": "40 deg"})}
    assert math.degrees(found["open"]["rocker.angle"]) % 360 == pytest.approx(57.33, abs=0.01)
    assert math.degrees(found["open"]["coupler.angle"]) % 360 == pytest.approx(20.30, abs=0.01)
    assert math.degrees(found["crossed"]["rocker.angle"]) % 360 == pytest.approx(360 - 98.01, abs=0.01)
    assert math.degrees(found["crossed"]["coupler.angle"]) % 360 == pytest.approx(360 - 60.98, abs=0.01)


def test_both_branches_of_a_slider_crank_from_any_pose():
    rng = np.random.default_rng(2)
    for _ in range(8):
        angle = rng.uniform(-math.pi, math.pi)
        found = jd.branches(slider_crank([any_pose(rng) for _ in range(3)]), {"crank.angle": angle})
        reach = math.sqrt(2.5**2 - (math.sin(angle) - 0.2) ** 2)
        expected = {"forward": math.cos(angle) + reach, "backward": math.cos(angle) - reach}
        assert {x.branch.rpartition(" ")[2]: x["slider.x"] for x in found} == pytest.approx(expected, abs=1e-9)
        assert all(math.remainder(x["slider.angle"], TAU) == pytest.approx(0, abs=1e-9) for x in found)


def test_a_five_bar_has_two_and_a_watt_six_bar_four():
    two = jd.branches(known.five_bar(), {"a.angle": 0.1, "d.angle": 0.2})
    assert {x.branch for x in two} == {"j1-j2-j3 left", "j1-j2-j3 right"}
    four = jd.branches(known.watt(), {"a.angle": 0.1})
    signs = {x.signature for x in four}
    sides = ("left", "right")
    assert signs == {(f"j1-j2-j3 {one}", f"j4-j5-j6 {other}") for one in sides for other in sides}
    assert len({x.branch for x in four}) == 4


def test_an_arm_reaches_a_point_with_its_elbow_up_or_down():
    found = {x.branch: x for x in jd.branches(arm(), {"lower.P.x": 1.2, "lower.P.y": 0.4})}
    heights = sorted(y for _, y in crossings((0, 0), 1.0, (1.2, 0.4), 1.0))
    assert found["elbow up"]["upper.B.y"] == pytest.approx(heights[1], abs=1e-10)
    assert found["elbow down"]["upper.B.y"] == pytest.approx(heights[0], abs=1e-10)


def test_rssr_has_two_whatever_the_idle_spin_of_its_rod():
    """|OA(a) - OB(b)| = rod is E cos b + F sin b = G: two angles of the rocker."""
    a, d, c, rod = 0.1, 0.5, 0.3, math.hypot(0.4, 0.3)
    turn = TAU * 0.1
    A = np.array([a * math.cos(turn), a * math.sin(turn), 0])
    # B = (d + c sin b, 0, c cos b): the rocker turns about y.
    E, F = -2 * c * A[2], 2 * c * (d - A[0])
    G = rod**2 - c**2 - (d - A[0]) ** 2 - A[1] ** 2
    ways = [math.atan2(F, E) + sign * math.acos(G / math.hypot(E, F)) for sign in (1, -1)]
    found = jd.branches(jd.example("rssr"), t=0.1)
    angles = sorted(math.remainder(x["Q.angle"], TAU) for x in found)
    assert angles == pytest.approx(sorted(math.remainder(b, TAU) for b in ways), abs=1e-9)
    assert {x.signature for x in found} == {("as drawn",), ("not as drawn",)}
    assert all(x.freedoms == 0 for x in found)


def test_a_spatial_four_bar_is_never_assembled_flipped():
    for x in jd.branches(known.turned_spatial_four_bar(), {"A.angle": 0.3}):
        run = jd.simulate(known.turned_spatial_four_bar(), times=[0.0], state=x.state)
        assert np.max(run.violation.position) < 1e-10 and x.gap < 1e-10
    turned = slider_crank([(0.5, 0, 0), (2, 0, 0), (3, 0.2, math.pi)])
    assert math.remainder(jd.assemble(turned)["slider.angle"], TAU) == pytest.approx(0, abs=1e-9)


def test_the_branch_is_kept_by_a_run_and_told_by_branch_of():
    m = four_bar(poses=[(0.5, 0, 0), (2, 1, 0.5), (3, 1, 1)])
    for branch in ("open", "crossed"):
        start = jd.assemble(m, {"crank.angle": "60 deg", "crank.spin": 5.0}, branch=branch)
        run = jd.simulate(m, 2.0, every=0.25, state=start.state)
        told = {jd.branch_of(m, run.state(k), ["crank.angle"]) for k in range(len(run.t))}
        assert told == {start.signature}
        assert abs(run["crank.angle"][-1] - run["crank.angle"][0]) > TAU  # more than a turn on the way
    assert jd.branch_of(m, start.state) == start.signature  # A.angle is what it takes by itself


def test_without_targets_the_first_branch_is_the_one_drawn():
    m = four_bar(poses=[(0.5, 0, 0.1), (2.4, -1.3, -0.9), (3.0, -1.4, -2.0)])
    drawn = jd.assemble(m)
    target = {"crank.angle": drawn["crank.angle"]}
    assert jd.branches(m, target)[0].signature == drawn.signature == jd.assemble(m, target).signature


# Targets --------------------------------------------------------------------------------------------------------------


def test_positions_and_velocities_of_a_slider_crank():
    angle, spin = math.radians(30), 10.0
    m = slider_crank([(0.5, 0, 0), (2, 0, 0), (3, 0.2, 0)])
    found = jd.assemble(m, {"crank.angle": "30 deg", "crank.spin": spin})
    reach = math.sqrt(2.5**2 - (math.sin(angle) - 0.2) ** 2)
    assert found["slider.x"] == pytest.approx(math.cos(angle) + reach, abs=1e-11)
    rate = -math.sin(angle) - (math.sin(angle) - 0.2) * math.cos(angle) / reach
    assert found["slider.vx"] == pytest.approx(spin * rate, abs=1e-9)
    assert found["guide.displacement"] == found["slider.x"] and found["A.speed"] == pytest.approx(spin)
    assert found.met and found.freedoms == 0 and all(target.must for target in found.targets)
    assert "target crank.angle = 30 deg: met" in str(found) and "slider: at (" in str(found)


def test_a_must_goes_before_a_wish():
    m = slider_crank([(0.5, 0, 0), (2, 0, 0), (3, 0.2, 0)])
    reached = jd.assemble(m, about={"slider.x": 3.0})
    assert reached["slider.x"] == pytest.approx(3.0, abs=1e-8) and reached.met
    most = math.sqrt(3.5**2 - 0.2**2)  # crank and rod in line
    far = jd.assemble(m, about={"slider.x": 5.0})
    assert far["slider.x"] == pytest.approx(most, abs=1e-8) and not far.met
    assert far.targets[0].missed == pytest.approx(most - 5.0, abs=1e-8)
    assert f"wish slider.x = 5 m: {most:.6g} m, missed by {5 - most:.6g} m" in str(far)
    held = jd.assemble(m, {"crank.angle": 0.5}, about={"slider.x": 5.0})
    assert held["crank.angle"] == pytest.approx(0.5, abs=1e-12) and not held.targets[1].met


def test_wishes_are_met_by_least_squares_in_what_musts_leave():
    """A five-bar with one crank given: the other brings the middle pin nearest to the place wished for."""
    m = known.five_bar()
    found = jd.assemble(m, {"a.angle": 0.0}, about={"b.j2.x": 2.5, "b.j2.y": 4.8})

    def miss(turn):
        D = np.array([4 + math.cos(turn) * 1 - math.sin(turn) * 2, math.sin(turn) * 1 + math.cos(turn) * 2])
        x, y = machines.circle_crossing((-1, 2), math.hypot(3, 2), D, math.hypot(3, 2))
        return (x - 2.5) ** 2 + (y - 4.8) ** 2

    best = minimize_scalar(miss, bounds=(-0.5, 0.9), method="bounded", options={"xatol": 1e-10})
    assert sum(target.missed**2 for target in found.targets[1:]) == pytest.approx(best.fun, rel=1e-6)
    assert found["d.angle"] == pytest.approx(best.x, abs=1e-5)


def test_wishes_choose_the_branch_where_no_pose_is_drawn():
    """The pin C may be above or below the ground line; what is left out cannot be near to either."""
    for height in (1.2, -1.2):
        found = jd.assemble(four_bar(), {"crank.angle": 0.0}, about={"coupler.C.y": height * 2})
        expected = crossings((1, 0), 3.0, (3.5, 0), 3.0)
        assert found["coupler.C.y"] == pytest.approx(max(y for _, y in expected) * math.copysign(1, height), abs=1e-9)


def test_whole_turns_are_kept_in_the_state():
    m = arm()
    found = jd.assemble(m, {"upper.angle": "370 deg", "lower.angle": 0})
    assert found["upper.angle"] == pytest.approx(math.radians(370))
    assert jd.simulate(m, times=[0.0], state=found.state)["upper.angle"][0] == pytest.approx(math.radians(370))


def test_missing_poses_are_found():
    found = jd.assemble(four_bar(), {"crank.angle": "50 deg"})
    assert found.gap < 1e-12
    assert (found["coupler.C.x"], found["coupler.C.y"]) == pytest.approx(
        min(
            crossings((math.cos(math.radians(50)), math.sin(math.radians(50))), 3.0, (3.5, 0), 3.0),
            key=lambda p: math.dist(p, (found["coupler.C.x"], found["coupler.C.y"])),
        ),
        abs=1e-10,
    )


def test_a_target_beyond_a_dead_position_is_found_and_told():
    """The triple rocker moves its crank between 9.6 and 49 degrees, or the mirror image of that."""
    m = four_bar(3.0, 1.0, 1.5, 3.0, poses=[(1.5, 0.5, 0.3), (3, 1.5, 1.0), (3, 1, 1.8)])
    found = jd.assemble(m, {"crank.angle": "-30 deg"})
    assert found["crank.angle"] == pytest.approx(-math.radians(30)) and found.gap < 1e-12
    assert "a dead position bars the way from the drawn pose to the targets; the nearest pose is taken" in str(found)


def test_a_state_is_another_start_and_unknown_names_are_told():
    m = arm()
    first = jd.assemble(m, {"upper.angle": 1.0, "lower.angle": 2.0})
    again = jd.assemble(m, {"upper.angle": 1.1}, state={**first.state, "ghost": 1.0})
    assert again["lower.angle"] == pytest.approx(2.0, abs=0.11)
    assert again.notes == ("the state also names ghost, which the mechanism does not have",)


def test_a_branch_without_targets_holds_the_crank_as_drawn():
    m = four_bar(poses=DRAWN)
    drawn = jd.assemble(m)
    other = jd.assemble(m, branch="crossed" if drawn.branch == "open" else "open")
    assert other["crank.angle"] == pytest.approx(drawn["crank.angle"], abs=1e-12)
    assert other.signature != drawn.signature and [str(x.name) for x in other.targets] == ["A.angle"]


def test_gears_stay_in_mesh():
    m = known.planetary()  # sun and planet of 20 teeth, ring of 60: the sun turns 4 times as fast as the carrier
    found = jd.assemble(m, {"arm.angle": "20 deg", "arm.spin": 1.0})
    assert found["sun.angle"] == pytest.approx(4 * math.radians(20), abs=1e-9)
    assert found["sun.spin"] == pytest.approx(4.0, abs=1e-9)


def test_the_report_says_how_far_bodies_moved():
    m = arm()
    found = jd.assemble(m, {"upper.angle": math.pi / 2, "lower.angle": math.pi / 2})
    assert found.moved["upper"] == pytest.approx(math.hypot(0.5, 0.5))
    assert found.turned["upper"] == pytest.approx(math.pi / 2)
    assert found.moved["lower"] == pytest.approx(math.dist((1.5, 0.1), (0.0, 1.5)))


# Files ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "targets"),
    [
        (lambda: known.stewart("universal"), {"platform.z": 0.2, "platform.x": 0.1}),
        (lambda: known.sarrus(), {"top.z": 0.1}),
        (lambda: four_bar(), {"crank.angle": 1.0}),
    ],
)
def test_a_saved_pose_is_the_same_mechanism(build, targets, tmp_path):
    """Axes taken from the drawn pose are written out, so that joints hold what they held."""
    found = jd.assemble(build(), targets)
    again = jd.assemble(jd.load(found.save(tmp_path / "there.yaml")))
    assert max(again.moved.values()) < 1e-9 and max(again.turned.values()) < 1e-7
    for name in found.channels:
        assert again[name] == pytest.approx(found[name], abs=1e-7), name


def test_the_command(jourdain):
    jd.save(four_bar(poses=[(0.5, 0, 0), (2, 1, 0.5), (3, 1, 1)]), "linkage.yaml")
    said = jourdain("assemble", "linkage.yaml", "--target", "crank.angle=50deg", "--branch", "crossed", "-o", "b.yaml")
    assert said.code == 0 and "closed to" in said.out and ", crossed" in said.out and "b.yaml written" in said.out
    facts = json.loads(jourdain("assemble", "b.yaml", "--about", "crank.angle=0.9", "--json").out)
    assert facts["targets"][0]["met"] and facts["bodies"]["crank"]["turned"] == pytest.approx(0.9 - math.radians(50))
    said = jourdain("assemble", "linkage.yaml", "--target", "crank.angle=50 deg", "--all", "--draw", "way.png")
    assert said.out.startswith("four-bar: 2 ways to assemble it, the nearest first\n")
    assert "way1.png written" in said.out and "way2.png written" in said.out
    both = json.loads(jourdain("assemble", "linkage.yaml", "--target", "crank.angle=1", "--all", "--json").out)
    assert {x["branch"] for x in both} == {"open", "crossed"}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--target", "crank"), "--target 'crank': expected CHANNEL=VALUE, such as --target crank.angle=30deg"),
        (("--target", "arm.angle=1", "--target", "arm.angle=2"), "--target arm.angle is given twice: 1.0 and 2"),
        (("--all", "--branch", "open"), "--all lists every branch; --about and --branch are for one of them"),
        (("--target", "arm.angle=1 kg"), "target 'arm.angle': '1 kg' is a mass; expected an angle"),
        (("--target", "arm.angel=1"), "there is no channel 'arm.angel' that assembly can set; known: "),
        (("-o", "arm.png"), "-o arm.png: cannot write '.png'; known: .json, .yaml, .yml"),
        (("--all",), "too few targets: 1 freedom would remain"),
    ],
)
def test_refusals_of_the_command(jourdain, words, text):
    said = jourdain("assemble", "arm.yaml", *words)
    assert said.code == 2 and text in said.err


# Refusals -------------------------------------------------------------------------------------------------------------


def refused(m, *arguments, **keys):
    with pytest.raises(jd.MechanismError) as caught:
        jd.assemble(m, *arguments, **keys)
    return tuple(map(str, caught.value.faults))


DRAWN = [(0.5, 0, 0), (2, 1, 0.5), (3, 1, 1)]


def test_a_target_out_of_reach_says_by_how_much():
    faults = refused(four_bar(poses=DRAWN), {"coupler.C.x": 9.0})
    # C is on a circle of 3 m about (3.5, 0), and no farther from A than 4: x = (16 + 3.5^2 - 9) / 7 at most.
    most = (16 + 3.5**2 - 9) / 7
    words = f"target coupler.C.x = 9 m is out of reach: the nearest that the joints allow is {most:.6g} m"
    assert faults == (f"{words}, {9 - most:.6g} m short",)


def test_a_crank_past_its_limit_says_how_far_it_goes():
    """A triple rocker: crank 3, coupler 1, rocker 1.5, ground 3: the law of cosines with the other two in line."""
    m = four_bar(3.0, 1.0, 1.5, 3.0, poses=[(1.5, 0.5, 0.3), (3, 1.5, 1.0), (3, 1, 1.8)])
    limit = math.degrees(math.acos((9 + 9 - 2.5**2) / 18))
    fault = refused(m, {"crank.angle": "70 deg"})[0]
    assert fault.startswith(
        f"target crank.angle = 70 deg is out of reach: the nearest that the joints allow is {limit:.6g} deg"
    )
    assert fault.endswith(" deg short")


def test_what_joints_lock_is_no_target():
    assert refused(known.truss(("ground q", (0, 0))), {"p.x": 0.1}) == (
        "target p.x = 0.1 m cannot be met: the joints lock p.x at 0 m",
    )


def test_targets_that_contradict_each_other():
    faults = refused(arm(), {"upper.angle": 0.0, "A.angle": 0.5})
    assert faults[0].startswith(
        "targets upper.angle = 0 deg and A.angle = 28.6479 deg contradict each other: each can be met, but not "
        "together; the nearest is upper.angle 14.3239 deg, 14.3239 deg off; A.angle 14.3239 deg, 14.3239 deg off"
    )


def test_velocities_that_contradict_each_other():
    faults = refused(arm(), {"upper.spin": 1.0, "A.speed": 2.0})
    assert faults == (
        "target upper.spin = 1 rad/s cannot hold beside the joints, motions and other targets: the nearest is "
        "1.5 rad/s, 0.5 rad/s off",
        "target A.speed = 2 rad/s cannot hold beside the joints, motions and other targets: the nearest is "
        "1.5 rad/s, 0.5 rad/s off",
    )


def test_joints_that_cannot_close_are_named_with_their_gaps():
    faults = refused(four_bar(1.0, 1.0, 1.0, 5.0, poses=DRAWN))
    assert len(faults) == 4  # the gap of 2 m is shared by the four pins, 0.5 m each
    for name, fault in zip("ABCD", faults, strict=True):
        assert fault.startswith(f"joint '{name}' cannot be closed: 0.5 (m or rad) remain in the best of 13 tries")


def test_what_a_motion_holds_is_no_target():
    (fault,) = refused(jd.example("rssr"), {"O.angle": "30 deg"})
    assert fault.endswith(
        "rssr.yaml:1:1: what the motions hold at t = 0 s (motor) stands against target O.angle = 30 deg; give the t at "
        "which they agree, or take the motions out"
    )


def test_too_few_targets_for_branches():
    with pytest.raises(
        jd.MechanismError, match=r"too few targets: 2 freedoms would remain.*give 2 more targets, such as"
    ):
        jd.branches(known.five_bar())
    with pytest.raises(jd.MechanismError, match=r"1 freedom would remain.*give 1 more target, such as j4\.angle"):
        jd.branches(known.five_bar(), {"j0.angle": 0.1})


def test_all_faults_of_targets_come_at_once():
    faults = refused(
        arm(),
        {"uper.angle": 1, "upper.angle": "1 m", "A.fx": 3, "lower.ax": 1, "lower.angle": "x", "lower.P.x": math.nan},
        about={"upper.angle": 1},
    )
    expected = (
        "there is no channel 'uper.angle' that assembly can set; known: ",
        "target 'upper.angle': '1 m' is a length; expected an angle",
        "'A.fx' is a reaction force; only positions and velocities of bodies, points, joints and springs can be",
        "'lower.ax' is an acceleration; only positions and velocities of bodies, points, joints and springs can be",
        "target 'lower.angle': 'x': there is no parameter 'x'; there are none",
        "target 'lower.P.x' is nan; expected a number in m, or a text with a unit such as '20 mm'",
        "target 'upper.angle' is both a must and a wish; give it once",
    )
    assert len(faults) == len(expected)
    for fault, text in zip(faults, expected, strict=True):
        assert fault.startswith(text)
    assert "did you mean 'upper.angle'?" in faults[0]
    with pytest.raises(jd.MechanismError, match="a quaternion cannot be a target"):
        jd.assemble(known.door(), {"door.qw": 1})


def test_an_unknown_branch_names_those_there_are():
    with pytest.raises(
        jd.ChoiceError, match=r"there is no branch 'corssed'; known: crossed, open \(did you mean 'crossed'"
    ):
        jd.assemble(four_bar(poses=DRAWN), {"crank.angle": 1.0}, branch="corssed")
    with pytest.raises(KeyError, match=r"no channel 'crank\.angel' of positions and velocities"):
        jd.assemble(four_bar(poses=DRAWN))["crank.angel"]


# Channels -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("space", "seed"), [("planar", 3), ("spatial", 4)])
def test_channels_are_those_of_a_run_and_gradients_their_differences(space, seed):
    m = random_mechanism(seed, space)
    found = jd.assemble(m)
    run = jd.simulate(m, times=[0.0], state=found.state)
    for name, value in found.channels.items():
        gap = value - run[name][0]
        assert abs(math.remainder(gap, TAU) if name.endswith(".angle") else gap) < 1e-9, name
    model = compile_mechanism(m.frozen(), {"planar": "angle", "spatial": "quaternion"}[space])
    pose, y = Pose(model), to_vector(model, found.state)
    way = np.random.default_rng(seed).normal(size=model.nv)
    step = 1e-6
    ahead, behind = (View(model, pose.retract(y, sign * step * way)) for sign in (1, -1))
    for name, channel in settable_channels(m.frozen()).items():
        if channel.order == POSITION:
            difference = channel.short_of(channel.value(ahead), channel.value(behind)) / (2 * step)
            assert channel.gradient(View(model, y)) @ way == pytest.approx(difference, abs=1e-6), name


@pytest.mark.parametrize(("space", "seed"), [("planar", 5), ("planar", 6), ("spatial", 7), ("spatial", 8)])
def test_random_mechanisms_are_closed_from_poses_that_are_off(space, seed):
    """Every body is moved and turned before; the closed pose is unflipped and near to where it was."""
    m = random_mechanism(seed, space)
    right = jd.assemble(m)
    rng = np.random.default_rng(seed)
    off = {}
    for name, state in right.state.items():
        if isinstance(state, BodyState):
            turned = state.attitude + rng.normal(scale=0.05) if space == "planar" else _nudged(state.attitude, rng)
            place = tuple(np.add(state.position, rng.normal(scale=0.05, size=len(state.position))))
            off[name] = BodyState(place, turned, state.velocity, state.spin)
    found = jd.assemble(m, state=off)
    assert found.gap < 1e-9 and max(found.moved.values()) < 1.0
    assert jd.check(m).mobility.finite == right.freedoms + len(jd.check(m).mobility.idle)


def _nudged(quaternion, rng):
    moved = np.add(quaternion, rng.normal(scale=0.02, size=4))
    return tuple(moved / np.linalg.norm(moved))
