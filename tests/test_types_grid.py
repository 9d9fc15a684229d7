"""Types in every coordinate set of plane and space are the machine written out: runs, events, batches, sensitivities.

A joint (a point on a circle arc that a body carries), a force with a state (a Maxwell branch), a relation (by table)
and an assembly (the leg of a platform) in one machine, and the gallery's platform of six legs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import yaml

import jourdain as jd
from grids import some
from jourdain.choices.coordinates import COORDINATES
from jourdain.files import gallery
from jourdain.mechanism import rotations

SAME = 1e-12
SPACES = {2: "planar", 3: "spatial"}
FIRST = {2: ["relative", "natural"], 3: ["natural", "relative", "euler-zxz-fixed"]}  # unlike each other
FOLLOWED = {2: ["angle"], 3: ["quaternion", "bryan-fixed"]}


def grid(first: dict[int, list[str]]) -> list[tuple[int, str]]:
    """All sets of both spaces, or those named."""
    sets = {dim: sorted(COORDINATES[space], key=lambda name: name not in first[dim]) for dim, space in SPACES.items()}
    return [(dim, name) for dim in sets for name in some(sets[dim], len(first[dim]))]


RISE = "rise: {points: [[-10, 0], [-1, 0.02], [0, 0.05], [1, 0.02], [10, 0]], kind: spline, outside: hold}"
COMMON = {
    2: """jourdain: 1
gravity: [0.5, -9.81]
ground: {points: {O: [0, 0], P: [1, 0.5], S: [-1, 0], L: [1.2, -0.9]}}
bodies:
  arm:
    mass: 1
    inertia: 0.1
    position: [0.20609210263430333, -0.005103452926382814]
    angle: 0.22022075105309633
    points: {A: [-0.2, 0.05], B: [0.3, 0]}
  bob:
    mass: 2
    inertia: 0.1
    position: [0.984355477365429, -0.09618214038373041]
    angle: -0.11221171855859127
    points: {A: [-0.4, 0.1], B: [0.4, 0], C: [0, -0.1]}
  slide: {mass: 1, inertia: 0.1, position: [-0.852179743010223, 0], angle: 0, points: {C: [0, 0]}}
joints:
  A: {type: revolute, between: [ground.O, arm.A]}
  S: {type: prismatic, between: [ground.S, slide.C]}
  base: {type: revolute, between: [ground.L, leg.foot]}
  top: {type: revolute, between: [leg.top, bob.C]}
""",
    3: """jourdain: 1
gravity: [0.5, -9.81, 0.7]
ground:
  points:
    O: {at: [0, 0, 0.1], axis: [0.2, 0.1, 1]}
    P: [1, 0.5, 0.2]
    S: {at: [-1, 0, 0], axis: [1, 0.2, 0.3]}
    L: {at: [1.2, -0.9, 0.3], axis: [1, 0.1, 0.3]}
bodies:
  arm:
    mass: 1
    inertia: [0.1, 0.12, 0.15]
    position: [0.20217652988978033, -0.0016019595570519565, 0.05972488997774912]
    quaternion: [0.9863950993104955, -0.036630326735225, 0.10348034928914805, 0.12237133868069094]
    points: {A: {at: [-0.2, 0.05, 0], axis: [0, 0, 1]}, B: {at: [0.3, 0, 0], axis: [0.1, 0.2, 1]}}
  bob:
    mass: 2
    inertia: [0.2, 0.22, 0.25]
    position: [0.9448440686126026, -0.10891052780209448, 0.07799267150107408]
    quaternion: [0.9529850871722384, 0.21384527423150934, -0.20663315693901954, -0.05824397625150966]
    points: {A: [-0.4, 0.1, 0], B: [0.4, 0, 0.1], C: [0, -0.1, 0]}
  slide:
    mass: 1
    inertia: [0.1, 0.12, 0.15]
    position: [-0.8589143316448606, 0.02821713367102787, 0.042325700506541795]
    quaternion: [0.9447328547280276, 0.3084070307805826, 0.061681406156116565, 0.09252210923417475]
    points: {C: {at: [0, 0, 0], axis: [1, 0.2, 0.3]}}
joints:
  A: {type: revolute, between: [ground.O, arm.A]}
  S: {type: prismatic, between: [ground.S, slide.C]}
  base: {type: universal, between: [ground.L, leg.foot]}
  top: {type: spherical, between: [leg.top, bob.C]}
""",
}
TYPES = """
types:
  arc-pin:
    kind: joint
    ports: [slot, pin]
    parameters: {radius: {unit: m, above: 0}}
    equations: ["(dot(N - M, N - M) - radius**2)/(2*radius)"PLANE]
    coordinates: {way: "atan2(pin.y - slot.y, pin.x - slot.x)"}
  rubber:
    kind: force
    ports: [frame, arm]
    parameters: {stiffness: {unit: N/m}, branch: {unit: N/m, default: 100 N/m}, time: {unit: s, default: 0.1 s}}
    states: {s: 0}
    rates: {s: (length - 0.3 - s)/time}
    outputs: {pull: branch*(length - 0.3 - s)}
    force: stiffness*(length - 0.3) + pull
  cam:
    kind: relation
    joints: [shaft, follower]
    parameters: {base: {unit: m, default: 0.1 m}}
    tables: {RISE}
    function: base + rise(x)
  leg:
    kind: assembly
    ports: {foot: cylinder.F, top: piston.T}
    parameters: {mass: {unit: kg, default: 0.4 kg}}
    bodies: {cylinder: CYLINDER, piston: PISTON}
    joints: {slide: {type: prismatic, between: [cylinder.P, piston.P]}}
    forces: {drive: {type: actuator, joint: slide, motor: 40*cos(3*t)}}
parameters: {k: 400 N/m}
assemblies: {leg: {type: leg, PLACED}}
joints: {B: {type: arc-pin, between: [arm.B, bob.A], radius: 0.1}}
relations: {lift: {type: cam, joints: [A, S]}}
forces: {mount: {type: rubber, between: [ground.P, bob.B], stiffness: k}}
events: {hit: {when: B.way - WAY, direction: both}}
"""
WRITTEN_OUT = """
parameters: {k: 400, mount_branch: 100, mount_time: 0.1, lift_base: 0.1, leg_mass: 0.4, B_radius: 0.1}
tables: {RISE}
bodies: {leg_cylinder: CYLINDER, leg_piston: PISTON}
joints:
  B: {type: custom, between: [arm.B, bob.A], equations: ["(dot(N - M, N - M) - B_radius**2)/(2*B_radius)"PLANE]}
  leg_slide: {type: prismatic, between: [leg_cylinder.P, leg_piston.P]}
relations: {lift: {type: coupling, joints: [A, S], function: lift_base + rise(x)}}
forces:
  leg_drive: {type: actuator, joint: leg_slide, motor: 40*cos(3*t)}
  mount:
    type: law
    between: [ground.P, bob.B]
    states: {s: 0}
    rates: {s: (length - 0.3 - s)/mount_time}
    outputs: {pull: mount_branch*(length - 0.3 - s)}
    force: k*(length - 0.3) + pull
events: {hit: {when: "atan2(bob.A.y - arm.B.y, bob.A.x - arm.B.x) - WAY", direction: both}}
"""
LEANING = 1.8823256879437753, [0.5472158113196054, -0.1952431189776856, 0.015436805798191264, 0.8137546837717373]
PLACED = {2: ([1.1386970517838921, -0.7096268176974152], f"angle: {LEANING[0]}"),
          3: ([1.1350260078665233, -0.7230858002463243, 0.23306909329946607], f"quaternion: {LEANING[1]}")}  # fmt: skip
OUT = {2: 0.34006933566752897, 3: 0.392377215158492}  # of the piston, along the leg
WAY = {2: "0.2", 3: "0.7"}
LEG = {
    2: ("mass: {0}, inertia: 0.01, position: {1}, points: {{F: [-0.2, 0], P: [0, 0]}}",
        "mass: 0.2, inertia: 0.01, position: {1}, points: {{P: [-0.4, 0], T: [0.2, 0]}}"),
    3: ("mass: {0}, inertia: [0.01, 0.02, 0.02], position: {1}, "
        "points: {{F: {{at: [-0.2, 0, 0], axis: [0, 0, 1]}}, P: {{at: [0, 0, 0], axis: [1, 0, 0]}}}}",
        "mass: 0.2, inertia: [0.01, 0.02, 0.02], position: {1}, "
        "points: {{P: {{at: [-0.4, 0, 0], axis: [1, 0, 0]}}, T: [0.2, 0, 0]}}"),
}  # fmt: skip
SEEN = ("arm.B.x", "bob.C.y", "bob.B.vx", "slide.x", "mount.s", "mount.pull", "lift.on_second", "B.fx",
        "leg.piston.x", "leg.drive.force", "leg.slide.displacement")  # fmt: skip


@cache
def machines(dim: int) -> tuple[jd.Mechanism, jd.Mechanism]:
    """Of types, and written out."""
    attitude = rotations.matrix_from_angle(LEANING[0]) if dim == 2 else rotations.matrix_from_quaternion(LEANING[1])
    place, turn = PLACED[dim]
    still = "angle: 0" if dim == 2 else "quaternion: [1, 0, 0, 0]"
    made: list[jd.Mechanism] = []
    for text, placed, mass in ((TYPES, False, "mass"), (WRITTEN_OUT, True, "leg_mass")):
        ends = []
        for name, one, along in zip(("cylinder", "piston"), LEG[dim], (0.0, OUT[dim]), strict=True):
            at, how = [along, 0.0, 0.0][:dim], still
            if placed:  # the very numbers, once they are seen to be right: differences amplify a last bit
                own = made[0].frozen().body(f"leg.{name}")
                assert np.allclose(own.position, place + attitude @ np.array(at), rtol=0, atol=SAME / 1000)
                at, how = list(own.position), f"angle: {own.attitude}" if dim == 2 else f"quaternion: {[*own.attitude]}"
            ends.append(f"{{{one.format(mass, at)}, {how}}}")
        words = {"CYLINDER": ends[0], "PISTON": ends[1], "PLACED": f"position: {place}, {turn}", "RISE": RISE,
                 "PLANE": "" if dim == 2 else ', "dot(N - M, z_i)"', "WAY": WAY[dim]}  # fmt: skip
        common = COMMON[dim]
        if placed:
            common = common.replace("leg.foot", "leg_cylinder.F").replace("leg.top", "leg_piston.T")
        for word, value in words.items():
            text = text.replace(word, value)
        tree = yaml.safe_load(common)
        for section, parts in yaml.safe_load(text).items():
            tree[section] = {**tree.get(section, {}), **parts}
        if made:  # in the same order, so that sums are
            order = [
                plain(f"{one.name}.").rstrip(".")
                for part in ("bodies", "joints")
                for one in made[0].frozen().__dict__[part]
            ]
            for section in ("bodies", "joints"):
                tree[section] = {name: tree[section][name] for name in order if name in tree[section]}
        made.append(jd.load(yaml.dump(tree, sort_keys=False)))
    return made[0], made[1]


def plain(name: str) -> str:
    """A channel or number of a use, in the machine that is written out."""
    own = ("mount.branch", "mount.time", "lift.base", "leg.mass")
    return name.replace(".", "_", 1) if name.startswith("leg.") or name in own else name


def same(a: Any, b: Any, what: Any) -> None:
    scale = max(float(np.max(np.abs(b))), 1e-3)
    assert np.allclose(a, b, rtol=SAME, atol=SAME * scale), (what, float(np.max(np.abs(a - b))) / scale)


@pytest.mark.parametrize(("dim", "coordinates"), grid(FIRST))
def test_runs_and_events(dim: int, coordinates: str) -> None:
    choices: dict[str, Any] = {"coordinates": coordinates, "integrator": "rk4", "step": 1e-3}
    typed, own = (jd.simulate(m, 0.1, **choices) for m in machines(dim))
    for channel in SEEN:
        same(typed[channel], own[plain(channel)], channel)
    assert len(own.events["hit"].t) == len(typed.events["hit"].t) > 0
    same(typed.events["hit"].t, own.events["hit"].t, "event")


@pytest.mark.parametrize(("dim", "coordinates"), grid(FIRST))
def test_batches(dim: int, coordinates: str) -> None:
    given = {"mount.branch": [50.0, 100.0], "leg.mass": [0.4, 0.6], "k": [400.0, 300.0], "lift.base": [0.1, 0.12]}
    choices: dict[str, Any] = {"coordinates": coordinates, "integrator": "rk4", "step": 1e-3, "threads": 1}
    typed = jd.simulate_many(machines(dim)[0], 0.02, given, **choices)
    own = jd.simulate_many(machines(dim)[1], 0.02, {plain(key): value for key, value in given.items()}, **choices)
    for channel in SEEN:
        same(typed[channel], own[plain(channel)], channel)


@pytest.mark.parametrize(("dim", "coordinates"), grid(FOLLOWED))
def test_sensitivities(dim: int, coordinates: str) -> None:
    """In the sets that sensitivities follow; refused alike in the others."""
    given, of = ["mount.branch", "leg.mass", "k", "lift.base"], ["bob.C.y", "leg.piston.x"]
    choices: dict[str, Any] = {"coordinates": coordinates, "integrator": "rk4", "step": 1e-3}
    found: list[Any] = []
    for m, name in zip(machines(dim), (str, plain), strict=True):
        try:
            run = jd.sensitivity(m, [name(p) for p in given], of=[name(c) for c in of], duration=0.005, **choices)
        except jd.ChoiceError as error:
            assert "not followed by sensitivity" in str(error)
            found.append(str(error))
        else:
            found.append(np.array([run[name(channel), name(number)] for channel in of for number in given]))
    if isinstance(found[0], str):
        assert found[0] == found[1]
    else:
        same(found[0], found[1], "sensitivities")


def stewart() -> dict[str, Any]:
    """The gallery's platform of six legs of one type, from its own files."""
    folder = gallery.folder()
    leg = yaml.safe_load((folder / "_stewart_leg.yaml").read_text())
    tree: dict[str, Any] = yaml.safe_load((folder / "stewart_platform.yaml").read_text())
    sections = ("parameters", "ground", "bodies", "joints", "motions")
    kind = {"kind": "assembly", "ports": {"top": "piston.T"}, **{key: leg[key] for key in sections}}
    legs = {one["prefix"][:-1]: {"type": "leg", **one["parameters"]} for one in tree.pop("include")}
    for joint in tree["joints"].values():
        joint["between"][0] = joint["between"][0].replace("_piston.T", ".top")
    return {**tree, "types": {"leg": kind}, "assemblies": legs}


@pytest.mark.parametrize("coordinates", [name for dim, name in grid(FIRST) if dim == 3])
def test_six_legs_of_one_type_in_every_set_of_space(coordinates: str) -> None:
    """To the bit; where the start is a singular position of the angles, told alike."""
    found: list[Any] = []
    for m in (jd.load(yaml.dump(stewart(), sort_keys=False)), jd.example("stewart_platform")):
        try:
            run = jd.simulate(m, 0.01, coordinates=coordinates, integrator="rk4", step=1e-3)
        except jd.MechanismError as error:
            assert coordinates.endswith("-fixed")
            found.append(str(error).count("cannot move as asked"))
        else:
            leg = "leg3.drive.force" if not found else "leg3_drive.force"
            found.append([run[channel].tolist() for channel in ("platform.x", leg, "S6.fz")])
    assert found[0] == found[1]
