"""Types: components of one's own, used by name, are the same machine as the one written out."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import jourdain as jd
from jourdain.choices.coordinates import COORDINATES
from jourdain.files import dumps
from jourdain.library.joints import KINDS, JointRows, symbol_of
from jourdain.library.joints.row_rank import dependent
from jourdain.library.recognise import with_known_types
from jourdain.mechanism import fence
from jourdain.plotting.forms import form_of
from jourdain.plotting.page import page_data
from jourdain.plotting.scene import Scene
from jourdain.studio.shown_parts import tree_of, words_of
from test_types_grid import stewart

TYPES = """
types:
  arc-pin:
    kind: joint
    says: A pin in a round slot.
    ports: [slot, pin]
    parameters: {radius: {unit: m, default: 20 mm, above: 0, at_most: 5 m}}
    equations: ["(dot(N - M, N - M) - radius**2)/(2*radius)"]
    coordinates: {way: "atan2(pin.y - slot.y, pin.x - slot.x)"}
  rubber:
    kind: force
    says: A spring with a Maxwell branch beside it.
    ports: [frame, arm]
    parameters:
      stiffness: {unit: N/m, above: 0}
      branch: {unit: N/m, default: 100 N/m}
      time: {unit: s, default: 0.1 s, above: 0}
      free: {unit: m, default: 0.5 m}
    states: {s: 0}
    rates: {s: (length - free - s)/time}
    outputs: {pull: branch*(length - free - s)}
    force: stiffness*(length - free) + pull
  cam:
    kind: relation
    joints: [shaft, follower]
    parameters: {base: {unit: m, default: 0.1 m}}
    tables: {rise: {points: [[-10, 0], [-1, 0.02], [0, 0.05], [1, 0.02], [10, 0]], kind: spline, outside: hold}}
    function: base + rise(x)
  bar:
    kind: assembly
    says: A rod with two ends.
    parameters: {length: {unit: m, default: 1 m, above: 0}, mass: {unit: kg, default: 1 kg}}
    ports: {A: rod.A, B: {at: rod.B, free: true}}
    bodies:
      rod:
        mass: mass
        shape: {rod: length}
        position: [length/2, 0]
        angle: 0
        points: {A: [-length/2, 0], B: [length/2, 0]}
"""
USED = f"""jourdain: 1
name: typed
gravity: [0, -9.81]
parameters: {{k: 400 N/m, R: 200 mm}}
{TYPES}
ground: {{points: {{O: [0, 0], P: [1, 0.5], S: [-1, 0]}}}}
assemblies:
  one: {{type: bar, length: 2*R}}
  two: {{type: bar, position: [2.1*R, 0], angle: -20 deg, mass: 2 kg}}
bodies:
  slide: {{mass: 1, inertia: 1, position: [-0.85, 0], angle: 0, points: {{C: [0, 0]}}}}
joints:
  A: {{type: revolute, between: [ground.O, one.A]}}
  B: {{type: arc-pin, between: [one.B, two.A], radius: R/10}}
  S: {{type: prismatic, between: [ground.S, slide.C]}}
relations:
  lift: {{type: cam, joints: [A, S]}}
forces:
  mount: {{type: rubber, between: [ground.P, two.B], stiffness: k}}
  drag: {{type: follower-force, on: one.B, vector: [0, -one.B.vx*0.1]}}
events:
  hit: {{when: one.B.x - 0.39, direction: falling}}
"""
WRITTEN_OUT = """jourdain: 1
name: typed
gravity: [0, -9.81]
parameters: {k: 400, R: 0.2, mount_branch: 100, mount_time: 0.1, mount_free: 0.5, lift_base: 0.1}
tables: {rise: {points: [[-10, 0], [-1, 0.02], [0, 0.05], [1, 0.02], [10, 0]], kind: spline, outside: hold}}
ground: {points: {O: [0, 0], P: [1, 0.5], S: [-1, 0]}}
bodies:
  one: {mass: 1, shape: {rod: 2*R}, position: [R, 0], angle: 0, points: {A: [-R, 0], B: [R, 0]}}
  two:
    mass: 2
    shape: {rod: 1}
    position: [2.1*R + 0.5*cos(20 deg), -0.5*sin(20 deg)]
    angle: -20 deg
    points: {A: [-0.5, 0], B: [0.5, 0]}
  slide: {mass: 1, inertia: 1, position: [-0.85, 0], angle: 0, points: {C: [0, 0]}}
joints:
  A: {type: revolute, between: [ground.O, one.A]}
  B: {type: custom, between: [one.B, two.A], equations: ["(dot(N - M, N - M) - 0.02**2)/(2*0.02)"]}
  S: {type: prismatic, between: [ground.S, slide.C]}
relations:
  lift: {type: coupling, joints: [A, S], function: lift_base + rise(x)}
forces:
  mount:
    type: law
    between: [ground.P, two.B]
    states: {s: 0}
    rates: {s: (length - mount_free - s)/mount_time}
    outputs: {pull: mount_branch*(length - mount_free - s)}
    force: k*(length - mount_free) + pull
  drag: {type: follower-force, on: one.B, vector: [0, -one.B.vx*0.1]}
events:
  hit: {when: one.B.x - 0.39, direction: falling}
"""


def faults(text: str) -> list[str]:
    with pytest.raises(jd.FileError) as error:
        jd.load(text)
    return [str(fault).removeprefix("<text>:") for fault in error.value.faults]


# The machine itself ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", [name for name, one in COORDINATES["planar"].items() if one.shown])
def test_types_are_the_machine_written_out(coordinates: str) -> None:
    """In every set: the same accelerations and rates to the last bits, and the same first steps."""
    runs = [jd.simulate(jd.load(text), 0.02, coordinates=coordinates, integrator="rk4", step=1e-3)
            for text in (USED, WRITTEN_OUT)]  # fmt: skip
    pairs = {"two.rod.B.x": "two.B.x", "one.rod.angle": "one.angle", "slide.x": "slide.x", "mount.s": "mount.s"}
    pairs |= {name: name for name in ("B.fx", "lift.on_second", "mount.force", "mount.pull")}
    for typed, plain in pairs.items():
        assert np.allclose(runs[0][typed], runs[1][plain], rtol=1e-12, atol=1e-12), (coordinates, typed)
    assert np.array_equal(runs[0]["two.B.x"], runs[0]["two.rod.B.x"])
    way = np.arctan2(runs[1]["two.A.y"] - runs[1]["one.B.y"], runs[1]["two.A.x"] - runs[1]["one.B.x"])
    assert np.allclose(runs[0]["B.way"], way, atol=1e-12)


def test_a_type_appears_wherever_parts_do() -> None:
    m = jd.load(USED)
    assert "one.rod" in str(jd.graph(m))
    assert jd.check(m).freedoms == 3
    found = jd.sensitivity(m, ["two.mass", "k", "mount.branch"], of=["two.rod.B.x"], duration=0.1)
    plain = jd.sensitivity(jd.load(WRITTEN_OUT), ["two.mass", "k", "mount_branch"], of=["two.B.x"], duration=0.1)
    for a, b in (("k", "k"), ("mount.branch", "mount_branch")):
        assert found["two.rod.B.x", a][-1] == pytest.approx(plain["two.B.x", b][-1], rel=1e-6)
    batch = jd.simulate_many(m, 0.1, {"mount.branch": [50.0, 100.0], "two.mass": [2.0, 3.0]})
    assert batch["two.rod.B.x"].shape[0] == 2
    run = jd.simulate(m, 0.5)
    assert list(run.events) == ["hit"] and len(run.events["hit"].t)


def test_numbers_of_types_can_be_given_and_set() -> None:
    heavy = jd.load(USED, {"two.mass": 5.0, "mount.time": "200 ms"})
    assert heavy.frozen().body("two.rod").mass == 5.0
    assert heavy.frozen().parameters["mount.time"] == 0.2
    session = jd.session(jd.load(USED))
    session.set("k", 500.0)  # given to a type as a formula, it stays one
    session.set("mount.branch", 90.0)
    session.advance(0.01)
    expected = 500.0 * (session["mount.length"] - 0.5) + 90.0 * (session["mount.length"] - 0.5 - session["mount.s"])
    assert session["mount.force"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("choices", [{}, {"coordinates": "relative"}, {"recipe": "nacf", "step": 1e-3}])
def test_six_legs_of_one_type_are_the_platform_of_the_gallery(choices: dict[str, Any]) -> None:
    """To the bit."""
    typed = jd.simulate(jd.load(yaml.dump(stewart(), sort_keys=False)), 0.1, **choices)
    own = jd.simulate(jd.example("stewart_platform"), 0.1, **choices)
    for channel in ("platform.x", "platform.z", "platform.qw", "leg1_drive.force", "S6.fz"):
        assert np.array_equal(typed[channel.replace("_", ".")], own[channel])


# Saved and loaded -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [USED, yaml.dump(stewart(), sort_keys=False)], ids=["four types", "platform"])
def test_types_are_saved(text: str) -> None:
    m = jd.load(text)
    saved = dumps(m)
    again = jd.load(saved)
    assert again.frozen() == m.frozen()
    assert yaml.safe_load(saved)["types"].keys() == yaml.safe_load(text)["types"].keys()
    assert dumps(again) == saved
    assert jd.load(dumps(m, "json")).frozen() == m.frozen()


def test_what_was_changed_is_saved_part_by_part() -> None:
    m = jd.load(USED).frozen()
    bodies = tuple(replace(b, mass=7.0) if b.name == "one.rod" else b for b in m.bodies)
    saved = dumps(replace(m, bodies=bodies))
    assert "types" not in yaml.safe_load(saved)
    again = jd.load(saved).frozen()
    assert again.body("one.rod").mass == 7.0
    assert (again.joints, again.forces, again.parameters) == (m.joints, m.forces, m.parameters)


# Bad input ------------------------------------------------------------------------------------------------------------


def test_a_number_of_the_wrong_unit_is_told_with_both_places() -> None:
    found = faults(USED.replace("radius: R/10", "radius: 3 kg"))
    assert found == [
        "54:55 (type at <text>:11:26): joint 'B': radius is '3 kg', a mass; expected a length (m)",
    ]


@pytest.mark.parametrize(("given", "words"), [("-R", "more than 0 m"), ("6 m", "at most 5 m")])
def test_a_number_out_of_bounds_is_told_with_both_places(given: str, words: str) -> None:
    (found,) = faults(USED.replace("radius: R/10", f"radius: {given}"))
    assert found.startswith("54:55 (type at <text>:11:") and found.endswith(f"m; expected {words}")


def test_a_port_that_is_not_connected() -> None:
    (found,) = faults(USED.replace("[one.B, two.A]", "[one.B]"))
    assert found.endswith("joint 'B': port 'pin' of type 'arc-pin' is not connected; expected between: [slot, pin]")
    (found,) = faults(USED.replace("[ground.O, one.A]", "[ground.O, slide.C]"))
    assert "assembly 'one': nothing is joined to its port 'A'; join something to one.A" in found
    assert "(type at <text>:37:16)" in found


def test_a_type_that_contains_itself() -> None:
    text = USED.replace("    bodies:\n      rod:", "    assemblies: {in: {type: bar}}\n    bodies:\n      rod:")
    assert any("type 'bar' contains itself, bar -> bar" in fault for fault in faults(text))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kind: joint", "kind: joins", "type 'arc-pin': kind is 'joins'; known: assembly, element, force, joint"),
        ("  arc-pin:\n", "  revolute:\n", "type 'revolute' is a built-in type; expected another name"),
        ("type: arc-pin", "type: arcpin", "unknown type 'arcpin'; known: "),
        ("{type: arc-pin", "{type: [arc-pin]", "unknown type a list of one"),
        ("one: {type: bar", "one: {type: [bar]", "unknown type a list of one"),
        ("one: {type: bar", "one: {type: {a: bar}", "unknown type a table (a)"),
        ("joints:\n  A", "forces:\n  A", "belongs under joints"),
        ("kind: force", "kind: force\n    of: {a: 1}", "of is a table (a), no built-in type of that kind"),
        ("says: A pin in a round slot.", "says: {a: 1}", "type 'arc-pin': says is a table (a); expected text"),
        ("{way: ", "{way: {unit: {a: 1}, formula: 0}, away: ", "unit: a table (a) is no unit"),
        ("one: {type: bar", "'a\\ud800': {type: bar", "assembly 'a\\ud800': nothing is joined"),
        ("radius: R/10", "radios: R/10", "joint 'B' has an unknown key 'radios'; known: between, initial, radius"),
        ("stiffness: k}", "branch: k}", "force 'mount': stiffness is missing; expected a number (N/m)"),
        ("unit: m, default: 20 mm", "unit: metre, default: 20 mm", "unit: unknown unit 'metre'"),
        ("default: 0.1 s, above", "default: 3 kg, above", "its default is a mass; expected a time (s)"),
        ("dot(N - M, N - M)", "dot(N - M, N - Q)", "unknown name 'Q'"),
        ("force: stiffness*(length - free)", "force: stifness*(length - free)", "there is no parameter 'stifness'"),
    ],
)
def test_what_is_wrong_with_types(old: str, new: str, words: str) -> None:
    text = USED.replace(old, new, 1)
    assert text != USED
    assert any(words in fault for fault in faults(text)), faults(text)


def test_libraries(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"jourdain: 1\n{TYPES}")
    used = USED.replace(TYPES, "\nlibrary: mine.yaml\n")
    (tmp_path / "m.yaml").write_text(used)
    m = jd.load(tmp_path / "m.yaml")
    assert m.frozen() == replace(jd.load(USED).frozen(), name="typed")
    for library, words in {
        "their.yaml": "library: their.yaml: there is no such file",
        "theirs": "library: there is none called 'theirs'; shipped ones are",
    }.items():
        (tmp_path / "n.yaml").write_text(used.replace("mine.yaml", library))
        with pytest.raises(jd.FileError, match=words):
            jd.load(tmp_path / "n.yaml")
    (tmp_path / "other.yaml").write_text(f"jourdain: 1\n{TYPES}")
    (tmp_path / "n.yaml").write_text(used.replace("mine.yaml", "[mine.yaml, other.yaml]"))
    with pytest.raises(
        jd.FileError, match=r"there are two types 'arc-pin', at .*mine.yaml:4:3 and at .*other.yaml:4:3"
    ):
        jd.load(tmp_path / "n.yaml")
    (tmp_path / "mine.yaml").write_text(f"jourdain: 1\nlibrary: mine.yaml\n{TYPES}")
    with pytest.raises(jd.FileError, match=r"files name each other in a circle, mine.yaml -> mine.yaml"):
        jd.load(tmp_path / "m.yaml")


# In Python ------------------------------------------------------------------------------------------------------------


def bar_type() -> jd.Type:
    return jd.Type(
        "bar",
        kind="assembly",
        parameters={"length": {"unit": "m", "default": 1, "above": 0}},
        ports={"A": "rod.A", "B": {"at": "rod.B", "free": True}},
        bodies={
            "rod": {"mass": 2, "shape": {"rod": "length"}, "position": ["length/2", 0], "angle": 0,
                    "points": {"A": ["-length/2", 0], "B": ["length/2", 0]}}
        },
    )  # fmt: skip


def test_types_in_python() -> None:
    """A double pendulum of two bars is the one built by hand, and is saved with its type."""
    bar, m, own = bar_type(), jd.Mechanism("double", gravity=(0, -9.81)), jd.Mechanism("double", gravity=(0, -9.81))
    one, two = m.part("one", bar, length="50 cm"), m.part("two", bar, position=(0.5, 0), angle=-0.3)
    m.revolute("A", m.ground.point("O", (0, 0)), one["A"])
    m.revolute("B", one["B"], two["A"])
    c, s = np.cos(0.3), np.sin(0.3)
    ends = {n: {"A": (-n / 2, 0), "B": (n / 2, 0)} for n in (0.5, 1.0)}
    first = own.body("one", mass=2, inertia=2 * 0.25 / 12, position=(0.25, 0), angle=0, points=ends[0.5])
    second = own.body("two", mass=2, inertia=2 / 12, position=(0.5 + c / 2, -s / 2), angle=-0.3, points=ends[1.0])
    own.revolute("A", own.ground.point("O", (0, 0)), first["A"])
    own.revolute("B", first["B"], second["A"])
    runs = [jd.simulate(one, 0.5) for one in (m, own)]
    assert runs[0]["two.B.x"] == pytest.approx(runs[1]["two.B.x"], abs=1e-9)
    assert runs[0]["one.rod.angle"] == pytest.approx(runs[1]["one.angle"], abs=1e-9)
    saved = dumps(m)
    assert list(yaml.safe_load(saved)["assemblies"]) == ["one", "two"]
    assert jd.load(saved).frozen() == replace(m.frozen(), source=None)
    with pytest.raises(KeyError, match="'one' has no port 'C'; known: A, B"):
        one["C"]


def test_a_port_that_is_not_connected_in_python() -> None:
    """Told when the mechanism is complete, with the line that uses the type; a port of an assembly inside too."""
    pair = jd.Type("pair", kind="assembly", uses=[bar_type()], ports={"A": "one.A"},
                   assemblies={"one": {"type": "bar"}, "two": {"type": "bar"}})  # fmt: skip
    m = jd.Mechanism("m", gravity=(0, 0))
    part = m.part("pair", pair)
    with pytest.raises(
        jd.MechanismError, match=r"nothing is joined to its port 'A'; join something to pair\.A"
    ) as error:
        jd.check(m)
    lines = [str(fault) for fault in error.value.faults]
    assert all("test_types.py:" in line for line in lines)
    assert any("join something to pair.two.A" in line for line in lines)
    m.revolute("A", m.ground.point("O", (0, 0)), part["A"])
    m.revolute("B", m["pair.two.rod"]["A"], m.ground["O"])
    assert jd.check(m).freedoms == 2


def test_faults_in_python_name_lines() -> None:
    m = jd.Mechanism("m", gravity=(0, 0))
    m.part("one", bar_type(), lenght=1)
    m.part("two", bar_type(), length="3 kg")
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    lines = [str(fault) for fault in error.value.faults]
    assert all("test_types.py:" in line for line in lines)
    assert "unknown key 'lenght'" in lines[0] and "length is '3 kg', a mass; expected a length (m)" in lines[1]
    with pytest.raises(jd.FileError, match="type 'odd': kind is missing"):
        jd.Type("odd")


def test_a_library_in_python() -> None:
    found = jd.Type.library("machine-parts")
    assert {"bearing", "cylinder", "stewart-leg"} <= found.keys()
    assert found["bearing"].variants == ("ideal", "elastic", "rubbing")
    m = jd.Mechanism("m", gravity=(0, -9.81))
    rod = m.body("rod", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.part("A", found["bearing"], m.ground.point("O", (0, 0)), rod["A"], variant="elastic", stiffness="1 kN/mm")
    assert jd.simulate(m, 0.01)["A.load"][-1] > 0
    with pytest.raises(jd.FileError, match="no such file"):
        jd.Type.library("nowhere.yaml")


# Equations ------------------------------------------------------------------------------------------------------------

PAIR = """jourdain: 1
space: spatial
types:
  mine: {{kind: joint, ports: [a, b], equations: [{}]}}
ground: {{points: {{O: {{at: [0, 0, 0], axis: [0, 0, 1]}}}}}}
bodies:
  b:
    {{mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], quaternion: [1, 0, 0, 0],
      points: {{P: {{at: [0, 0, 0], axis: [0, 0, 1]}}}}}}
joints: {{A: {{type: mine, between: [ground.O, b.P]}}}}
"""
PIN = [f'"dot(N - M, e_{axis})"' for axis in "xyz"]


@pytest.mark.parametrize(
    ("equations", "words"),
    [
        ([*PIN, PIN[0]], "4 equations of rank 3 wherever its ports are: some say what others say already"),
        ([*PIN, '"dot(N - M, e_x) - 0.1"'], "and there is no place where all of them hold: they contradict each other"),
        (['"dot(x_i, x_i) - 1"'], "its equation holds wherever its ports are, so that it says nothing"),
        (['"dot(x_i, x_j)"', '"dot(y_i, x_j)"', '"dot(z_i, x_j)"'], "3 equations of rank 2"),
    ],
)
def test_equations_that_cannot_be_a_joint(equations: list[str], words: str) -> None:
    (found,) = faults(PAIR.format(", ".join(equations)))
    assert found.startswith("10:") and "(type at <text>:4:" in found and words in found


def test_equations_of_the_catalogue_are_independent() -> None:
    """Every kind of joint, in the plane and in space, but those that hold more than is needed."""
    for dim, kind in ((dim, kind) for dim in (2, 3) for kind in KINDS):
        if isinstance(kind.rows(dim), JointRows):
            assert not dependent(kind.rows(dim), dim), (kind.name, dim)


def test_conditions_of_a_joint() -> None:
    """A revolute written out with its condition is a revolute, and not the flipped one."""
    tilt = ['"dot(z_i, x_j)"', '"dot(z_i, y_j)"', '"dot(z_i, z_j) > 0"']
    text = PAIR.format(", ".join([*PIN, *tilt]))
    assert jd.check(jd.load(text)).freedoms == 1
    flipped = text.replace("quaternion: [1, 0, 0, 0]", "quaternion: [0, 1, 0, 0]")
    with pytest.raises(jd.MechanismError, match="joint 'A'"):
        jd.simulate(jd.load(flipped), 0.1)
    (found,) = faults(text.replace("> 0", "> 1"))
    assert "is no condition; expected a product of two port axes" in found


# Hostile files --------------------------------------------------------------------------------------------------------


def test_types_that_explode_are_refused_soon() -> None:
    """Each level holds ten of the one below: a million million bars."""
    levels = "".join(
        f"  l{k}: {{kind: assembly, assemblies: {{{', '.join(f'p{i}: {{type: l{k - 1}}}' for i in range(10))}}}}}\n"
        for k in range(1, 13)
    )
    bar = "  l0: {kind: assembly, bodies: {b: {mass: 1, inertia: 1}}}\n"
    text = f"jourdain: 1\nspace: planar\ntypes:\n{bar}{levels}assemblies: {{a: {{type: l12}}}}\n"
    begin = time.perf_counter()
    assert any("types are used more than" in fault for fault in faults(text))
    assert time.perf_counter() - begin < 60


# Drawn ----------------------------------------------------------------------------------------------------------------


def test_symbols_are_drawn_in_axes_of_the_ports() -> None:
    text = USED.replace(
        "    ports: [slot, pin]", "    ports: [slot, pin]\n    symbol: {pin: [[[0, 0], [2*radius, 0], [0, radius]]]}"
    )
    m = jd.load(text)
    look = m.frozen().body("two.rod").look
    assert look is not None
    (stroke,) = look.strokes
    assert np.allclose(stroke, [(-0.5, 0), (-0.5 + 0.04, 0), (-0.5, 0.02)])
    spokes = form_of(m.frozen().body("two.rod")).spokes
    assert np.allclose(spokes[-1], [stroke[1], stroke[2]])
    assert jd.load(dumps(m)).frozen() == m.frozen()
    assert "there is no port 'pins'" in faults(text.replace("symbol: {pin:", "symbol: {pins:"))[0]


def test_symbols_by_name(tmp_path: Path) -> None:
    """A built-in one on a joint, also at points of the ground, and between the points of a force."""
    text = USED.replace("    ports: [slot, pin]", "    ports: [slot, pin]\n    symbol: pin", 1)
    text = text.replace("    ports: [frame, arm]", "    ports: [frame, arm]\n    symbol: rubber", 1)
    m = jd.load(text)
    assert symbol_of(m.frozen().joint("B")) == "pin" and symbol_of(jd.load(USED).frozen().joint("B")) == "diamond"
    run = jd.simulate(m, 0.01)
    run.draw(path=tmp_path / "pose.svg")
    scene = Scene(run, 0)
    assert [link.symbol for link in scene.links] == ["rubber"]
    assert [entry["symbol"] for entry in page_data(scene, 1.0)["joints"]] == ["pin", "pin", "block"]
    assert jd.load(dumps(m)).frozen() == m.frozen() and symbol_of(jd.load(dumps(m)).frozen().joint("B")) == "pin"
    (found,) = faults(text.replace("symbol: pin", "symbol: pim"))
    assert "type 'arc-pin': symbol: is 'pim'; known: ball, " in found and "(did you mean 'pin'?)" in found
    assert "symbol: is 'block'" in faults(text.replace("symbol: pin", "symbol: block"))[0]  # it needs a displacement


def test_a_machine_of_types_is_drawn_like_the_one_written_out(tmp_path: Path) -> None:
    for text in (USED, WRITTEN_OUT):
        run = jd.simulate(jd.load(text), 0.05)
        run.draw(path=tmp_path / "pose.svg")
        run.animate(tmp_path / "run.html")
        assert (tmp_path / "pose.svg").stat().st_size > 1000 and (tmp_path / "run.html").stat().st_size > 1000


# Beside other things --------------------------------------------------------------------------------------------------


def test_types_in_an_included_file(tmp_path: Path) -> None:
    (tmp_path / "part.yaml").write_text(USED)
    text = """jourdain: 1
gravity: [0, -9.81]
include: {path: part.yaml, prefix: L_, parameters: {k: 300}}
bodies: {c: {mass: 1, inertia: 1, position: [1.5, 0], points: {P: [0, 0]}}}
forces:
  f: {type: spring-damper, between: [L_two.B, c.P], stiffness: 10, length: 0.1}
  g: {type: force, on: c.P, vector: [0, 10 - L_two.B.vy]}
"""
    (tmp_path / "m.yaml").write_text(text)
    m = jd.load(tmp_path / "m.yaml", {"L_two.mass": 9})
    assert [body.name for body in m.frozen().bodies] == ["L_one.rod", "L_two.rod", "L_slide", "c"]
    assert m.frozen().body("L_two.rod").mass == 9
    assert jd.load(dumps(m)).frozen().joints == m.frozen().joints
    assert jd.simulate(m, 0.01).status.ok


def test_a_library_outside_the_fence(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "mine.yaml").write_text(f"jourdain: 1\n{TYPES}")
    (tmp_path / "inside" / "m.yaml").write_text(USED.replace(TYPES, "\nlibrary: ../mine.yaml\n"))
    assert jd.load(tmp_path / "inside" / "m.yaml").frozen().joints
    fence.put_up([tmp_path / "inside"])
    try:
        with pytest.raises(
            jd.FileError, match=r"library: ../mine.yaml: the file lies outside the folder that was opened"
        ):
            jd.load(tmp_path / "inside" / "m.yaml")
        assert jd.load(USED.replace(TYPES, f"{TYPES}library: machine-parts\n")).frozen().joints
    finally:
        fence.put_up(None)


@pytest.mark.parametrize(
    "content", ["types: [", "types: {a: &a [*a]}", "types: 3", "- 1", "", "x" * 100, "types: {a: }"]
)
def test_libraries_that_are_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(content)
    (tmp_path / "m.yaml").write_text(USED.replace(TYPES, "\nlibrary: mine.yaml\n"))
    with pytest.raises(jd.FileError, match=r"mine\.yaml"):
        jd.load(tmp_path / "m.yaml")


def test_a_joint_written_out_is_recognised_in_a_type() -> None:
    text = PAIR.format(", ".join([*PIN, '"dot(z_i, x_j)"', '"dot(z_i, y_j)"']))
    assert with_known_types(jd.load(text).frozen()).joint("A").type == "revolute"


def test_parts_of_types_in_the_studio() -> None:
    document = jd.Document(USED)
    sections = {one["section"]: {part["name"]: part for part in one["parts"]} for one in tree_of(document)}
    assert {"k", "R", "two.mass", "mount.branch"} <= sections["parameters"].keys()
    assert [row["key"] for row in sections["bodies"]["one.rod"]["numbers"]][:1] == ["mass"]
    assert {"arc-pin", "rubber", "two.mass", "radius", "branch", "slot", "way", "at_most"} <= {*words_of(document)}
