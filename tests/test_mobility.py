"""Mobility of known mechanisms: expected numbers are from literature or counted on paper, never from a run."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import jourdain as jd
import known_mechanisms as k
import machines
from jourdain.mechanism.port_axes import joint_axes

# Builder, freedoms at the instant, freedoms in finite motion, redundant equations.
KNOWN = {
    # The plane, 3 (n - 1) - 2 j of Gruebler (1883) where nothing else is said.
    "four-bar": (k.four_bar, 1, 1, 0),  # 9 - 8
    "slider-crank": (k.slider_crank, 1, 1, 0),  # 9 - 8
    "five-bar": (k.five_bar, 2, 2, 0),  # 12 - 10
    "Watt six-bar": (k.watt, 1, 1, 0),  # 15 - 14
    "Stephenson six-bar": (k.stephenson, 1, 1, 0),  # 15 - 14
    "quick return": (lambda: k.undriven("quick_return"), 1, 1, 0),  # 15 - 14
    "Peaucellier": (lambda: k.undriven("peaucellier"), 1, 1, 0),  # 21 - 20: 8 links, 10 pins counted at double ones
    "scissor lift": (lambda: k.undriven("scissor_lift"), 1, 1, 0),
    "Jansen's leg": (lambda: k.undriven("jansen_leg"), 1, 1, 0),
    "parallelogram": (k.parallelogram, 1, 1, 0),
    "parallelogram, flat": (lambda: k.parallelogram(0.0), 2, 1, 0),  # parallelogram and antiparallelogram meet
    "parallelogram, folded": (lambda: k.parallelogram(np.pi), 2, 1, 0),
    "three equal cranks": (k.three_cranks, 1, 1, 1),  # 12 - 12, and moves: one equation too many
    "three equal cranks, flat": (lambda: k.three_cranks(angle=0.0), 2, 1, 1),  # the bar may rise and tilt at first
    "three unequal cranks": (lambda: k.three_cranks((1.0, 1.5, 2.0)), 1, 0, 0),  # parallel bars: shaky (Wunderlich)
    "two four-bars, level": (lambda: k.flat_n_four_bar(2), 3, 1, 0),  # IFToMM A02: from 1 to n + 1
    "three four-bars, level": (lambda: k.flat_n_four_bar(3), 4, 1, 0),
    "three four-bars, upright": (lambda: machines.n_four_bar(3), 1, 1, 0),
    "pantograph": (k.pantograph, 2, 2, 0),  # 12 - 10
    "3-RRR": (k.three_rrr, 3, 3, 0),  # 21 - 18
    "Oldham coupling": (k.oldham, 1, 1, 0),  # 9 - 8
    "trammel": (k.trammel, 1, 1, 0),  # 9 - 8
    "square of bars": (k.truss, 1, 1, 0),  # Maxwell: 4 coordinates, 3 bars
    "truss": (lambda: k.truss(("ground q", (0, 0))), 0, 0, 0),  # 4 bars
    "over-braced truss": (lambda: k.truss(("ground q", (0, 0)), ("ground p", (2, 0))), 0, 0, 1),  # 5 bars
    "toggle in line": (k.toggle, 1, 0, 0),  # Maxwell's stiff frame of degenerate form
    "toggle on a swing": (k.toggle_on_a_swing, 2, 1, 0),  # the swing, and the toggle for an instant, everywhere
    "planetary gear": (k.planetary, 1, 1, 0),  # Willis: 9 - 6 - 2
    "planetary gear, three planets": (k.three_planets, 1, 1, 0),
    "differential": (k.differential, 2, 2, 0),  # 12 - 8 - 2
    "two free bodies": (k.free_bodies, 6, 6, 0),
    "double pendulum": (lambda: jd.example("double_pendulum"), 2, 2, 0),
    # Space, 6 (n - 1) - sum of what joints take, or more by geometry.
    "planar four-bar": (k.turned_spatial_four_bar, 1, 1, 3),  # 18 - 20 = -2, and moves
    "4R in general position": (k.general_four_bar, 0, 0, 2),  # 18 - 20
    "7R": (lambda: k.general_loop(7), 1, 1, 0),  # 36 - 35
    "6R": (lambda: k.general_loop(6), 0, 0, 0),  # 30 - 30
    "Bennett": (k.bennett, 1, 1, 3),  # Bennett (1903)
    "Goldberg": (k.goldberg, 1, 1, 2),  # Goldberg (1943): 24 - 25, and moves
    "Bricard, line-symmetric": (k.line_symmetric_bricard, 1, 1, 1),  # Bricard (1897)
    "Bricard, trihedral": (lambda: jd.example("bricard"), 1, 1, 1),  # IFToMM A04
    "Sarrus": (k.sarrus, 1, 1, 1),  # Sarrus (1853): 30 - 30, and moves
    "Sarrus, hinges all parallel": (lambda: k.sarrus(k.EY), 3, 3, 3),  # a planar six-bar: 3
    "spherical four-bar": (k.spherical_four_bar, 1, 1, 3),  # 3 (4 - 1) - 2 * 4 on the sphere
    "RSSR": (k.rssr, 2, 2, 0),  # 18 - 16, one of them idle
    "RSUR": (lambda: k.rssr("universal"), 1, 1, 0),  # 18 - 17
    "RCCC": (k.rccc, 1, 1, 0),  # 18 - 17
    "Stewart platform, 6-UPS": (lambda: k.stewart("universal"), 6, 6, 0),  # 78 - 72 (Stewart 1965)
    "Stewart platform, 6-SPS": (lambda: k.stewart("spherical"), 12, 12, 0),  # 78 - 66, six of them idle
    "Delta": (k.delta, 9, 9, 0),  # 60 - 51: three, and six rods that spin idly (Clavel 1988)
    "Hooke's joint": (k.hooke, 1, 1, 3),  # 12 - 14: a spherical four-bar
    "double Cardan shaft": (k.double_cardan, 1, 1, 1),  # 18 - 18: the distance of the crosses is kept twice
    "screw jack": (k.screw_jack, 1, 1, 4),  # 12 - 15
    "door": (k.door, 1, 1, 5),  # 6 - 10
    "6R arm": (k.arm_6r, 6, 6, 0),
    "SCARA": (k.scara, 4, 4, 0),
    "free body": (k.free_body_in_space, 6, 6, 0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_mobility_of_known_mechanisms(name):
    build, instantaneous, finite, redundant = KNOWN[name]
    found = jd.check(build())
    assert (found.mobility.instantaneous, found.mobility.finite) == (instantaneous, finite)
    assert len(found.dropped) == redundant
    # A self-stress exists for every equation too many, and for one more wherever the position is singular.
    assert len(found.self_stress) == found.equations - found.rank_here
    assert f"mobility: {instantaneous} freedom" in str(found)


def test_velocity_constraints_keep_positions_free():
    """Chaplygin's sleigh: 3 of positions, 2 of velocities; a rolling disc 5 and 3 (Neimark and Fufaev 1972)."""
    sleigh = jd.check(k.sleigh())
    assert (sleigh.mobility.finite, sleigh.mobility.velocities, sleigh.freedoms) == (3, 2, 2)
    assert "velocities have 2 freedoms: knife-edge 'blade' holds the others" in str(sleigh)
    disc = jd.check(jd.example("rolling_disc"))
    assert (disc.mobility.finite, disc.mobility.velocities) == (5, 3)


def test_crossing_branches_and_shaky_positions_are_told_apart():
    flat = jd.check(k.parallelogram(0.0))
    assert flat.mobility.ways == 2
    assert (
        "mobility: 2 freedoms at this instant, 1 freedom in finite motion: 2 branches of motion cross in this position"
        in str(flat)
    )
    toggle = jd.check(k.toggle())
    assert "1 freedom at this instant, 0 freedoms in finite motion: the rest is infinitesimal" in str(toggle)
    assert jd.check(k.three_cranks(angle=0.0)).mobility.ways == 1  # an antiparallelogram needs two cranks


def test_branches_of_unlike_freedom_are_both_counted():
    """angle x = angle y = 0 is a plane of positions (angle = 0) and a line (x = y = 0) that meet at the origin."""
    m = jd.Mechanism("kinematotropic")
    m.body("b", mass=1, inertia=1, position=(0, 0), angle=0, points={"P": (1, 0)})
    m.equation("e", formula="b.angle*b.x")
    m.equation("f", formula="b.angle*b.y")
    found = jd.check(m).mobility
    assert (found.instantaneous, found.finite, found.all_finite) == (3, 2, (2, 1))
    assert "branches of motion have 1 and 2 freedoms" in found.sentences()


def test_idle_freedoms_are_named():
    found = jd.check(k.rssr())
    assert "idle freedom: b spins about the line between j1 and j2, which moves nothing else" in str(found)
    legs = jd.check(k.stewart("spherical")).mobility.idle
    assert len(legs) == 6 and legs[0].bodies == ("low0", "high0")
    assert not jd.check(k.rssr("universal")).mobility.idle and len(jd.check(k.delta()).mobility.idle) == 6


def test_what_motions_take_away_is_told():
    found = jd.check(jd.example("rssr"))
    assert (found.mobility.instantaneous, found.mobility.without_motions) == (1, 2)
    assert "without its motions it would have 2 freedoms at this instant" in str(found)


# Advice ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [k.bennett, k.turned_spatial_four_bar, k.door, k.three_cranks, k.hooke, k.sarrus])
def test_advice_removes_all_redundancy_and_adds_no_freedom(build):
    """Each proposal is built and checked anew."""
    before = jd.check(build())
    assert before.advice
    for changes in before.advice[:2]:
        after = jd.check(_changed(build(), changes))
        assert not after.dropped and not after.self_stress, changes
        assert after.mobility.instantaneous == before.mobility.instantaneous, changes


def _changed(m, changes):
    """The same mechanism with the joints changed as proposed."""
    new = {change.joint: change for change in changes}
    blueprint = m.frozen()
    joints = []
    for joint in blueprint.joints:
        change = new.get(joint.name)
        if change is None:
            joints.append(joint)
        elif change.new != "nothing":
            joints.append(replace(joint, type=change.new, one_axis=False))  # a second pin gets its own below
            if "slot along y" in change.note:  # slots are along x of the first point
                blueprint = _with_port(blueprint, joint.first, x=(0.0, 1.0))
            if "second pin" in change.note:
                axes = joint_axes(blueprint, joint)
                z = tuple(axes["x_j" if "along x" in change.note else "y_j"])
                blueprint = _with_port(blueprint, joint.second, x=None, z=z)
    return replace(blueprint, joints=tuple(joints))


def _with_port(blueprint, port, **axes):
    known = blueprint.ports_of(port.body)
    ports = {**known, port.point: replace(known[port.point], **axes)}
    if port.body == "ground":
        return replace(blueprint, ground=ports)
    bodies = (replace(body, ports=ports) if body.name == port.body else body for body in blueprint.bodies)
    return replace(blueprint, bodies=tuple(bodies))


def test_advice_in_words():
    text = str(jd.check(k.turned_spatial_four_bar()))
    assert "to remove redundancy: make revolute 'A' cylindrical and make revolute 'B' spherical" in text
    braced = jd.check(k.truss(("ground q", (0, 0)), ("ground p", (2, 0))))
    # Any bar of the loaded square may go: all five are loaded by the self-stress.
    assert {str(c) for changes in braced.advice for c in changes} <= {f"leave out distance 'j{n}'" for n in range(5)}
    assert not jd.check(k.four_bar()).advice


# Nearness and odd numbers ---------------------------------------------------------------------------------------------


def test_nearness_falls_towards_a_singular_position():
    """Near the flat position the smallest singular value goes with the angle; both ends of the range are known."""
    values = [jd.check(k.parallelogram(angle)).nearness.value for angle in (1e-1, 1e-2, 1e-3)]
    assert 8 < values[0] / values[1] < 12 and 8 < values[1] / values[2] < 12
    found = jd.check(k.parallelogram(1e-4))
    assert str(found.nearness).startswith("nearly singular: ")
    assert "joints j" in str(found.nearness) and "with bodies" in str(found.nearness)
    assert jd.check(k.parallelogram(0.0)).nearness.value == 0.0 == jd.check(k.toggle()).nearness.value


def odd(gravity=(0, -9.81), **body):
    m = jd.Mechanism("odd", gravity=gravity)
    one = {"mass": 1, "inertia": 0.1, "position": (0, 0), "points": {"A": (-0.5, 0), "B": (0.5, 0)}} | body
    m.body("bar", **one)
    return jd.check(m).hints


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gravity": (0, -9810)}, "gravity is 9810 m/s2, which is 9.81 m/s2 in mm/s2"),
        ({"gravity": (0, -500)}, "gravity is 500 m/s2; on earth it is 9.81"),
        (
            {"points": {"A": (-2000, 0), "B": (0, 0)}, "inertia": 1e6},
            "points are 2000 m from its mass centre; millimetres?",
        ),
        ({"points": {"A": (1e-6, 0)}, "inertia": 1e-13, "mass": 1e-15}, "points are 1e-06 m from its mass centre"),
        ({"inertia": 1e5}, "radius of gyration of 316 m, its points reach 0.5 m; in kg mm^2 it would fit"),
        (
            {"inertia": 1e-6},
            "radius of gyration of 0.001 m, its points reach 0.5 m; of a rod that long it would be some 0.083",
        ),
        ({"angle": 45}, "body 'bar': angle is 45 rad; degrees? write 45 deg"),
        ({"mass": 1e6, "inertia": 1e3}, "1e+06 kg within 0.5 m would be denser than any metal"),
        ({"points": {"A": (0, 0)}, "inertia": 1e-300}, "1 kg within 1e-150 m would be denser than any metal"),
    ],
)
def test_numbers_that_look_wrong(change, words):
    hints = odd(**change)
    assert any(words in hint for hint in hints), hints


def test_ordinary_machines_are_not_suspected():
    assert odd() == ()
    for name in ("four_bar", "andrews_squeezer", "flyball_governor", "stewart_platform", "double_pendulum"):
        assert jd.check(jd.example(name)).hints == (), name


def test_a_body_without_inertia_that_may_turn_is_told():
    m = jd.Mechanism("bead")
    m.body("bead", mass=1, inertia=0, position=(0, 0))
    assert "body 'bead' has no inertia in a direction in which nothing holds it from turning" in jd.check(m).hints[0]


def test_masses_far_apart_are_told():
    m = jd.Mechanism("grams")
    for name, mass in (("a", 1.0), ("b", 1e-8)):
        m.body(name, mass=mass, inertia=0.1 * mass, position=(0, 0), points={"P": (0.5, 0)})
    assert any("masses differ by 1e+08: 'b' has 1e-08 kg and 'a' 1 kg; grams?" in hint for hint in jd.check(m).hints)


def test_the_command_tells_all_of_it(jourdain):
    jd.save(k.three_cranks(), "cranks.yaml")
    said = jourdain("check", "cranks.yaml")
    assert "mobility: 1 freedom, at this instant and in finite motion" in said.out
    assert "to remove redundancy: make revolute" in said.out
    facts = json.loads(jourdain("check", "cranks.yaml", "--json").out)
    assert facts["mobility"]["finite"] == 1 and len(facts["redundant"]) == 1
    assert len(facts["self_stress"]) == 1 and facts["advice"] and facts["nearness"]["value"] > 0
