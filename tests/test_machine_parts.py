"""The library of types that is shipped: each part is what it says, in all its variants."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import jourdain as jd
from jourdain.files import gallery
from jourdain.files.nodes import parse
from jourdain.files.types.python_type import library
from test_reference import andrews_case

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
LIFT = """jourdain: 1
gravity: [0, -9.81]
library: machine-parts
ground: {points: {O: [0, 0.45], P: [1, 0]}}
assemblies:
  jack: {type: cylinder, variant: oil, position: [1, 0], angle: 90 deg}
  box: {type: gearbox-stage, position: [-1, 0], angle: 30 deg}
bodies:
  arm: {mass: 5, inertia: 1, position: [0.5, 0.45], angle: 0, points: {A: [-0.5, 0], B: [0.5, 0]}}
joints:
  A: {type: bearing, variant: ideal, between: [ground.O, arm.A]}
  B: {type: bearing, between: [arm.B, jack.eye]}
  C: {type: revolute, between: [ground.P, jack.base]}
forces:
  drive: {type: motor, joint: box.input_shaft, variant: electric}
"""


def lift(**variants: str) -> jd.Mechanism:
    tree = yaml.safe_load(LIFT)
    for section, name in (("assemblies", "jack"), ("joints", "A"), ("forces", "drive")):
        if name in variants:
            words = variants[name].split(", ")
            tree[section][name] |= {"variant": words[0], **dict(word.split(": ") for word in words[1:])}
    return jd.load(yaml.dump(tree, sort_keys=False))


@pytest.mark.parametrize("bearing", ["ideal", "elastic", "rubbing"])
@pytest.mark.parametrize("jack", ["oil", "pushed, push: 500 N", "driven"])
def test_variants_exchange(bearing: str, jack: str) -> None:
    """A joint for a force, a motion for a force: the same ports and channels, nothing else is changed."""
    run = jd.simulate(lift(A=bearing, jack=jack), 0.01)
    assert run.status.ok
    # What stands on the bearing and the jack: half the arm's weight each, and the rod's, while they hardly move.
    expected = {"A.load": 5 * 9.81 / 2, "jack.thrust": 5 * 9.81 / 2 + 3 * 9.81}
    if jack == "driven":
        for channel, value in expected.items():
            assert run[channel][-1] == pytest.approx(value, rel=2e-2)
    assert np.all(np.isfinite(run["drive.torque"]))


@pytest.mark.parametrize(("motor", "turned"), [("torque, torque: 0.1 N m", None), ("speed, speed: 30 rad/s", 0.3)])
def test_a_motor_by_torque_and_by_speed(motor: str, turned: float | None) -> None:
    run = jd.simulate(lift(drive=motor), 0.01)
    r1, r2 = 0.02, 0.06
    disc = [7800 * 0.02 * np.pi * r**4 / 2 for r in (r1, r2)]
    seen = disc[0] + disc[1] * (r1 / r2) ** 2  # of the wheel, at the pinion
    turned = 0.1 / seen * 0.01**2 / 2 if turned is None else turned
    start = run["box.input_shaft.angle"][0]
    assert run["box.input_shaft.angle"][-1] - start == pytest.approx(turned, rel=1e-6)
    out = run["box.output_shaft.angle"]
    assert out[-1] - out[0] == pytest.approx(-turned / 3, rel=1e-6)


def test_a_session_goes_on_with_another_variant() -> None:
    session = jd.session(lift(A="ideal"))
    session.advance(0.01)
    assert session.edit(lift(A="elastic")).ok
    session.advance(0.01)
    assert session["A.load"] > 0
    assert session.edit(lift(A="rubbing")).ok
    session.advance(0.01)
    assert session.t == pytest.approx(0.03)


def test_an_elastic_bearing_becomes_an_ideal_one() -> None:
    """It had given way: its parts are moved together, which is told; from far away that is refused."""
    session = jd.session(lift(A="elastic, stiffness: 1e5"))
    session.advance(0.01)
    away = float(np.hypot(session["arm.A.x"], session["arm.A.y"] - 0.45))
    found = session.edit(lift(A="ideal"))
    assert found.ok and "'A' had given way by" in found.sentence and "was closed" in found.sentence
    told = float(found.sentence.split("had given way by ")[1].split(" m")[0])
    assert told == pytest.approx(away, rel=1e-2)  # three digits
    assert session["violation.position"] < 1e-10
    session = jd.session(lift(A="elastic, stiffness: 1, damping: 1"))
    session.advance(0.3)
    assert "from closed; edit where the joint closes" in session.edit(lift(A="ideal")).sentence


def test_a_channel_that_a_variant_lacks_is_told() -> None:
    tree = {"jourdain": 1, "space": "planar", "ground": {"points": {"O": [0, 0]}},
            "bodies": {"b": {"mass": 1, "inertia": 1, "points": {"P": [0, 0]}}},
            "types": {"pin": {"kind": "joint", "of": "revolute", "ports": ["a", "b"], "channels": ["heat"]}},
            "joints": {"A": {"type": "pin", "between": ["ground.O", "b.P"]}}}  # fmt: skip
    with pytest.raises(jd.FileError, match="type 'pin' lists the channel 'heat', and has none of that name"):
        jd.load(yaml.dump(tree))


def platform(variant: str) -> jd.Mechanism:
    """The legs of the gallery's platform, placed."""
    own = jd.example("stewart_platform").frozen()
    tree: dict[str, Any] = {"jourdain": 1, "gravity": [0, 0, -9.81], "library": "machine-parts", "assemblies": {},
                            "joints": {}, "ground": {"points": {}}, "bodies": {}}  # fmt: skip
    plate = own.body("platform")
    points = {name: list(port.at) for name, port in plate.ports.items()}
    tree["bodies"]["platform"] = {"mass": plate.mass, "inertia": list(plate.inertia), "points": points,
                                  "position": list(plate.position), "quaternion": [1, 0, 0, 0]}  # fmt: skip
    for k in range(1, 7):
        foot, body = own.ground[f"leg{k}_B"], own.body(f"leg{k}_cylinder")
        top = np.array(plate.ports[f"T{k}"].at) + plate.position
        length = float(np.linalg.norm(top - foot.at))
        tree["ground"]["points"][f"B{k}"] = {"at": list(foot.at), "axis": list(foot.z)}
        tree["assemblies"][f"leg{k}"] = {"type": "stewart-leg", "variant": variant, "length": length,
                                         "position": list(foot.at), "quaternion": list(body.attitude)}  # fmt: skip
        tree["joints"][f"base{k}"] = {"type": "universal", "between": [f"ground.B{k}", f"leg{k}.foot"]}
        tree["joints"][f"S{k}"] = {"type": "spherical", "between": [f"leg{k}.top", f"platform.T{k}"]}
    return jd.load(yaml.dump(tree, sort_keys=False))


def test_stewart_legs() -> None:
    """Standing still each carries what the gallery's platform puts on it at the start, when its legs accelerate not."""
    m = platform("driven")
    assert jd.check(m).freedoms == 0
    run = jd.simulate(m, 0.1)
    assert np.ptp(run["platform.z"]) < 1e-12
    total = sum(run[f"base{k}.fz"][-1] for k in range(1, 7))
    assert total == pytest.approx((50 + 36) * 9.81, rel=1e-9)
    assert jd.check(platform("pushed")).freedoms == 6


def test_wishbone_corner() -> None:
    """The example's camber and toe, on the left and mirrored on the right."""
    own = runpy.run_path(str(EXAMPLES / "wishbone.py"))
    text = """jourdain: 1
gravity: [0, 0, 0]
library: machine-parts
assemblies: {{c: {{type: wishbone-corner, side: {0}}}}}
ground:
  points: {{L: {{at: [0, 0.2*{0}, 0.2], axis: [1, 0, 0]}}, U: {{at: [-0.02, 0.29*{0}, 0.42], axis: [1, 0, 0]}},
           R: [-0.12, 0.2*{0}, 0.27]}}
joints:
  L: {{type: revolute, between: [ground.L, c.lower]}}
  U: {{type: revolute, between: [ground.U, c.upper]}}
  R: {{type: spherical, between: [ground.R, c.rack]}}
"""
    drive = {"from_": "280 mm", "to": "360 mm"}
    known = jd.kinematics(own["build"](), drive="upright.wheel.z", **drive)
    for side in (1, -1):
        run = jd.kinematics(jd.load(text.format(side)), drive="c.upright.wheel.z", **drive)
        for angle in ("euler_zxy_1", "euler_zxy_2"):
            assert side * run[f"c.upright.{angle}"] == pytest.approx(known[f"upright.{angle}"], abs=1e-9)


def test_the_squeezer_from_types() -> None:
    """Seven bodies of seven types, joined by ports only, on the published reference."""
    path = gallery.path("andrews_squeezer")
    tree = parse(path.read_text(), path.name).plain()
    tree["types"], tree["assemblies"] = {}, {}
    for name, body in tree.pop("bodies").items():
        points = body["points"]
        parts = {key: body[key] for key in ("mass", "inertia", "centre", "velocity", "spin", "points")}
        given = {
            key: ""
            for key in ("rr", "d", "ss", "ee", "zt", "zf", "u")
            if key in str(body["points"]) + str(body["centre"])
        }
        tree["types"][name] = {
            "kind": "assembly",
            "parameters": {key: {"unit": "m"} for key in given},
            "ports": {point: {"at": f"link.{point}", "free": True} for point in points},
            "bodies": {"link": {**parts, "position": [0, 0], "angle": 0}},
        }
        placed = {"position": body["position"], "angle": body["angle"]}
        tree["assemblies"][name] = {"type": name, **placed, **{key: key for key in given}}
    tree["forces"]["motor"]["on"] = "K1.link"
    m = jd.load(yaml.dump(tree, sort_keys=False))
    assert [body.name for body in m.frozen().bodies] == [f"K{k}.link" for k in range(1, 8)]
    case = andrews_case()
    run = jd.simulate(m, times=case.t, integrator="dop853", rtol=1e-11, atol=1e-13)
    for k in range(1, 8):
        assert run[f"K{k}.link.angle"] == pytest.approx(case.positions[f"K{k}.angle"], abs=case.bar)


def test_every_type_says_what_it_does() -> None:
    for name, one in library("machine-parts").types.items():
        assert one.says, name
        assert all(gap.says or gap.unit for gap in one.parameters.values()), name
