"""Faults as data: their part and key, the place in a file that these lead to, and what programs are told."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import jourdain as jd
from fault_keys import keys_of_parts
from jourdain.cli.main import main
from jourdain.files import vocabulary
from jourdain.files.saving import as_tree
from jourdain.library import TYPES
from jourdain.library import kinds as k
from library_cases import add_all, bench

# By what a key expects: something that looks like it and names what does not exist, or cannot be.
UNKNOWN: dict[str, Any] = {
    k.NUMBER: "nowhere",
    k.POSITIVE: "nowhere",
    k.NOT_NEGATIVE: "nowhere",
    k.FORMULA: "nowhere.x",
    k.SIGNAL: "nowhere.x",
    k.FUNCTION: {"y": "nowhere.x"},
    k.FORMULAS: {"y": "nowhere.x"},
    k.STARTS: {"y": "nowhere"},
    k.JOINT: "nowhere",
    k.JOINTS: ["nowhere", "B"],
    k.PORT: "nowhere.P",
    k.PORTS: ["a.P", "nowhere.P"],
    k.BODY: "nowhere",
    k.FLAG: "nowhere",
    k.WORD: "nowhere",
    k.COUNT: 0,
    k.TABLE: [[1, 1], [0, 0]],
    k.NAMES: [0],
    k.NUMBERS: ["nowhere"],
    k.MATRIX: [["nowhere"]],
    k.UNITS: {"y": "nowhere"},
}
ABSURD = {"a": {"b": 1}}  # a table of tables: no key of a component takes one


def text_of(tree: dict[str, Any]) -> tuple[str, dict[tuple[str, str], tuple[int, int]]]:
    """A file with every key of a part in a line of its own, and line and column of each value by part and key."""
    lines: list[str] = []
    places: dict[tuple[str, str], tuple[int, int]] = {}

    def add(text: str, value: Any, part: str, key: str) -> None:
        lines.append(f"{text}: {json.dumps(value)}")
        places[part, key] = len(lines), len(text) + 3

    for key, value in tree.items():
        if key not in vocabulary.TOP or vocabulary.TOP[key].what != vocabulary.NAMED:
            add(key, value, "", key)
            continue
        lines.append(f"{key}:")
        for name, keys in value.items():
            lines.append(f"  {name}:")
            for inner, item in keys.items():
                add(f"    {inner}", item, name, inner)
    return "\n".join(lines) + "\n", places


def found_at(tree: dict[str, Any], part: str, key: str) -> list[jd.Fault]:
    """The faults of a file that are told of this key, each inside its value."""
    text, places = text_of(tree)
    with pytest.raises(jd.FileError) as error:
        jd.load(text)
    line, column = places[part, key]
    mine = [fault for fault in error.value.faults if (fault.part, fault.key.partition(".")[0]) == (part, key)]
    assert mine, f"{part}: {key}: {error.value}"
    for fault in mine:
        assert fault.mark is not None
        assert fault.mark.line == line and fault.mark.column >= column, f"{part}: {key}: {error.value}"
        assert str(fault) == f"{fault.mark}: {fault.words}"
    return mine


@cache
def healthy(dim: int) -> dict[str, Any]:
    m = bench(dim)
    a, b = m["a"], m["b"]
    add_all(m, dim)
    m.spring_damper("coil", a["P"], b["Q"], stiffness=3)
    m.force("push", on=a["P"], vector=(1, 2, 3)[:dim])
    m.torque("twist", on=a, torque=1 if dim == 2 else (1, 2, 3))
    m.event("hit", "a.y", set={"k": 2}, off=["coil"])
    return as_tree(m.frozen())


def alone(tree: dict[str, Any], section: str, name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Bodies and joints of a file with one more part, changed; and what the part uses."""
    frame = {key: tree[key] for key in ("jourdain", "gravity", "parameters", "ground", "bodies", "joints")}
    part = {name: tree[section][name] | changes}
    more = {"hold": tree["elements"]["hold"]} if name == "motor" else {}
    return frame | {section: more | part}


@pytest.mark.parametrize("dim", [2, 3])
def test_every_key_of_every_component_is_found_in_its_file(dim: int) -> None:
    tree = healthy(dim)
    walked = set()
    for section in vocabulary.SECTIONS:
        for name, written in tree[section].items():
            type_ = written.get("type", vocabulary.DEFAULT_TYPES.get(section))
            if type_ in walked:
                continue
            walked.add(type_)
            for key, expected in vocabulary.component_keys(TYPES[type_]).items():
                bad = UNKNOWN[expected.what]
                count = expected.count(dim)
                bad = [bad] * count if count > 1 else bad
                in_file = "from" if key == "from_drawn" else key
                for value in (bad, ABSURD):
                    found_at(alone(tree, section, name, {in_file: value}), name, in_file)
    assert walked == set(TYPES)


JOINT_VALUES: dict[str, Any] = {
    "between": ["ground.O", "a.nowhere"],
    "bodies": ["a", "nowhere"],
    "at": "nowhere",
    "axis": "nowhere",
    "length": -1,
    "radius": -1,
    "pitch": 0,
    "equations": ["dot(M, nowhere)"],
    "initial": {"angle": "nowhere"},
}
JOINT_NEEDS: dict[str, dict[str, Any]] = {
    "distance": {"length": 1},
    "rolling-disc": {"radius": 1},
    "screw": {"pitch": 1},
    "custom": {"equations": ["dot(N - M, x_i)"]},
}


def told_of(text: str) -> str:
    try:
        jd.load(text)
    except jd.FileError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("type_", vocabulary.JOINTS)
def test_every_key_of_every_joint_is_found_in_its_file(type_: str, dim: int) -> None:
    tree = healthy(dim)
    frame = {key: tree[key] for key in ("jourdain", "gravity", "ground", "bodies")}
    ends: dict[str, Any] = {"between": ["ground.O", "a.P"]}
    text, _ = text_of(frame | {"joints": {"J": {"type": type_, **ends, **JOINT_NEEDS.get(type_, {})}}})
    unknown_here = "there is no" in told_of(text)  # a joint of space: its own keys are not looked at in the plane
    for key in vocabulary.JOINTS[type_]:
        if unknown_here and key in JOINT_NEEDS.get(type_, {}):
            continue
        drawn = key in ("bodies", "at", "axis")
        ends = {"bodies": ["a", "b"], "at": [0.0] * dim} if drawn else {"between": ["ground.O", "a.P"]}
        part = {"type": type_, **ends, **JOINT_NEEDS.get(type_, {})}
        found_at(frame | {"joints": {"J": part | {key: JOINT_VALUES[key]}}}, "J", key)
        found_at(frame | {"joints": {"J": part | {key: ABSURD}}}, "J", key)
    found_at(frame | {"joints": {"J": {"type": "nowhere", "between": ["ground.O", "a.P"]}}}, "J", "type")


# Wrong in ways that only the mechanism sees, after every value was read: space, section, changes of a part, and the key
# to blame. The part is the one named here, by section or by its case.
SEEN_LATER: dict[str, tuple[int, str, dict[str, Any], str]] = {
    "mass": (2, "bodies", {"mass": -1}, "mass"),
    "inertia": (2, "bodies", {"inertia": -1}, "inertia"),
    "inertia of no solid": (3, "bodies", {"inertia": [1, 1, 5]}, "inertia"),
    "density alone": (2, "bodies", {"mass": None, "density": 3}, "density"),
    "no direction": (3, "bodies", {"quaternion": [0, 0, 0, 0]}, "quaternion"),
    "no rotation": (3, "bodies", {"quaternion": None, "matrix": [[1, 0, 0], [0, 2, 0], [0, 0, 1]]}, "matrix"),
    "no sequence": (3, "bodies", {"quaternion": None, "euler": {"sequence": "xyq", "angles": [1, 2, 3]}}, "euler"),
    "attitude of space": (2, "bodies", {"angle": None, "bryan": [0, 0, 0]}, "bryan"),
    "spin twice": (2, "bodies", {"spin": 1, "spin_body": 1}, "spin_body"),
    "size of a shape": (2, "bodies", {"shape": {"rod": -1}}, "shape"),
    "key of a shape": (2, "bodies", {"shape": {"disc": 1, "angle": 1}}, "shape"),
    "drawn shape": (2, "bodies", {"look": {"shapes": [{"disc": 1}, {"rod": 0}]}}, "look"),
    "trace": (2, "bodies", {"look": {"traces": ["nowhere"]}}, "look"),
    "when": (2, "events", {"when": "a.nowhere"}, "when"),
    "set": (2, "events", {"set": {"nowhere": 3}}, "set"),
    "set to": (2, "events", {"set": {"k": "nowhere.x"}}, "set"),
    "on": (2, "events", {"on": ["nowhere"]}, "on"),
    "off": (2, "events", {"off": "nowhere"}, "off"),
    "itself": (2, "joints", {"between": ["a.P", "a.Q"]}, "between"),
    "itself, drawn": (2, "joints", {"between": None, "bodies": ["a", "a"], "at": [0, 0]}, "bodies"),
    "no such joint in the plane": (2, "joints", {"type": "universal"}, "type"),
    "no such start": (2, "joints", {"initial": {"displacement": 1}}, "initial"),
    "not smooth": (
        2,
        "joints",
        {"type": "custom", "equations": ["dot(M, N)", "dot(N - M, x_i) - abs(t)"]},
        "equations",
    ),
    "rub: static": (2, "forces", {"static": 0.1}, "static"),
    "rub: idle": (2, "forces", {"guide_length": 1}, "guide_length"),
    "slide: idle": (2, "forces", {"radius": 1}, "radius"),
    "limited: order": (2, "forces", {"stops": [1, -1]}, "stops"),
    "limited: alone": (2, "forces", {"stops": None}, "stop_stiffness"),
    "end: order": (2, "forces", {"below": 1, "above": 0}, "below"),
    "end: both": (2, "forces", {"between": ["a.P", "b.P"]}, "between"),
    "cubic: both": (2, "forces", {"table": [[0, 0], [1, 1]]}, "table"),
    "measured: order": (2, "forces", {"table": [[1, 1], [0, 0]]}, "table"),
    "snow: two bodies": (2, "forces", {"between": ["a.P", "b.P"]}, "between"),
    "thrust: ground": (2, "forces", {"on": "ground.O"}, "on"),
    "push: ground": (2, "forces", {"on": "ground.O"}, "on"),
    "coil: itself": (2, "forces", {"between": ["a.P", "a.P"]}, "between"),
    "mesh: zero": (2, "relations", {"teeth": None, "ratio": 0}, "ratio"),
    "mesh: both": (2, "relations", {"ratio": 2}, "teeth"),
    "mesh: same": (2, "relations", {"joints": ["A", "A"]}, "joints"),
    "mesh: sliding": (2, "relations", {"joints": ["A", "S"]}, "joints"),
    "rack: zero": (2, "relations", {"radius": 0}, "radius"),
    "own: velocity": (2, "relations", {"formula": "a.vx"}, "formula"),
    "own_states: circle": (2, "elements", {"outputs": {"v": "w", "w": "v"}}, "outputs"),
    "own_states: twice": (2, "elements", {"outputs": {"u": "2*y"}}, "outputs"),
    "own_states: no rate": (2, "elements", {"rates": {}}, "rates"),
    "hold: order": (2, "elements", {"limits": [1, -1]}, "limits"),
    "motor: zero": (2, "elements", {"gear": 0, "voltage": 1}, "gear"),
    "jack: turns": (2, "elements", {"joint": "A"}, "joint"),
    "turn: rough": (2, "motions", {"angle": "abs(t)"}, "angle"),
    "turn: sliding": (2, "motions", {"displacement": 1}, "joint"),
    "turn: both": (2, "motions", {"speed": 1}, "speed"),
    "lead: ground": (2, "motions", {"point": "ground.O"}, "point"),
    "lead: short": (2, "motions", {"y": [[0, 0], [1, 1], [1, 2]]}, "y"),
}


@pytest.mark.parametrize("case", SEEN_LATER)
def test_what_only_the_mechanism_sees_is_found_in_the_file(case: str) -> None:
    dim, section, changes, key = SEEN_LATER[case]
    tree = healthy(dim)
    name = {"bodies": "a", "events": "hit", "joints": "A"}.get(section, case.partition(":")[0])
    part = {inner: value for inner, value in (tree[section][name] | changes).items() if value is not None}
    frame = ("jourdain", "gravity", "parameters", "ground", "bodies", "joints")
    beside = tree[section] if section in frame else {}
    fitting = {other: tree[other] for other in frame} | {section: {**beside, name: part}}
    text, places = text_of(fitting)
    with pytest.raises(jd.FileError) as error:
        jd.load(text)
    said = {"bodies": "between"}.get(key, key)  # the mechanism has ports where the file has bodies
    mine = [f for f in error.value.faults if f.part == name and f.key.partition(".")[0] in (key, said)]
    assert [f.mark.line for f in mine if f.mark is not None] == [places[name, key][0]] * max(1, len(mine))


def test_marks_are_those_of_the_narrowest_value() -> None:
    tree = healthy(2)
    a_point = "jourdain: 1\nbodies:\n  a: {mass: 1, inertia: 1, points: {P: [0, 0], x: [1, 0]}}\n"
    for text, part, key, place in (
        (text_of(alone(tree, "relations", "mesh", {"joints": ["A", "nowhere"]}))[0], "mesh", "joints", '"nowhere"'),
        (text_of(alone(tree, "forces", "push", {"vector": [1, "nowhere.x"]}))[0], "push", "vector", '"nowhere.x"'),
        (text_of(alone(tree, "events", "hit", {"set": {"k": "a.nowhere"}}))[0], "hit", "set.k", '"a.nowhere"'),
        (a_point, "a.x", "", "x: [1, 0]"),
    ):
        with pytest.raises(jd.FileError) as error:
            jd.load(text)
        fault = next(fault for fault in error.value.faults if (fault.part, fault.key) == (part, key))
        assert fault.mark is not None
        assert text.split("\n")[fault.mark.line - 1][fault.mark.column - 1 :].startswith(place)


def test_names_of_included_files_are_found_in_them(tmp_path: Path) -> None:
    inner = "jourdain: 1\nground: {points: {O: [0, 0]}}\nbodies:\n  a: {mass: 1, inertia: 1, points: {P: [0, 0]}}\n"
    inner += "joints:\n  A: {type: revolute, between: [ground.U, a.P]}\n  B: {type: weld, between: [ground.O, a.Q]}\n"
    (tmp_path / "inner.yaml").write_text(inner + "forces:\n  f: {type: force, on: a.P, vector: [a.y, a.nowhere]}\n")
    (tmp_path / "outer.yaml").write_text("jourdain: 1\ninclude: {path: inner.yaml, prefix: left_}\n")
    with pytest.raises(jd.FileError) as error:
        jd.load(tmp_path / "outer.yaml")
    lines = (tmp_path / "inner.yaml").read_text().split("\n")
    ends = [("left_A", "between", 6, "ground.U"), ("left_B", "between", 7, "a.Q")]
    expected = [*ends, ("left_f", "vector", 9, "a.nowhere")]
    for fault, (part, key, line, text) in zip(error.value.faults, expected, strict=True):
        assert (fault.part, fault.key) == (part, key)
        assert fault.mark == (str(tmp_path / "inner.yaml"), line, lines[line - 1].index(text) + 1)


def test_a_fault_is_text_where_text_is_asked_for() -> None:
    m = jd.Mechanism("wrong")
    m.body("disc", mass=-1, inertia=1)
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    (fault,) = error.value.faults
    assert fault == jd.Fault("disc", "mass", "body 'disc': mass is -1.0; expected a positive number")
    assert "mass is -1.0" in fault and "mass is -1.0" in str(error.value)
    assert f"{fault}" == str(fault) == fault.words
    assert error.value.mechanism == "wrong"
    assert fault.to_dict() == {"part": "disc", "key": "mass", "words": fault.words}


def test_a_sentence_alone_is_a_fault_of_the_whole() -> None:
    (fault,) = jd.MechanismError("m", ["it is locked"]).faults
    assert fault == jd.Fault("", "", "it is locked")


def test_python_and_files_are_told_in_their_own_words() -> None:
    m = bench(2)
    m.motion("drive", joint="A", angle=[1])
    m.gear("mesh", joints=("A", "B"), ratio=1, internal="yes")
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    drive, mesh = (next(f for f in error.value.faults if f.part == name) for name in ("drive", "mesh"))
    assert drive.words.endswith("expected a number, a formula, a table or a function of t")
    assert drive.in_file.endswith("expected a number, a formula or a table")
    assert mesh.words.endswith("internal is 'yes'; expected True or False")
    assert mesh.in_file.endswith("internal is 'yes'; expected true or false")


def test_joints_that_do_not_close_are_parts_at_fault() -> None:
    m = jd.Mechanism("open")
    a = m.body("a", mass=1, inertia=1, position=(0, 0), angle=0, points={"P": (0, 0), "Q": (1, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), a["P"])
    m.revolute("B", m.ground.point("U", (3, 0)), a["Q"])
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    assert {fault.part for fault in error.value.faults} == {"A"} <= set(keys_of_parts(m.frozen()))


def test_what_is_found_after_loading_has_its_place_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "open.yaml"
    path.write_text(
        ARM.replace("O: [0, 0]", "O: [0, 0], U: [3, 0]") + "  B: {type: revolute, between: [ground.U, arm.P]}\n"
    )
    m = jd.load(path)
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    assert [(fault.part, fault.mark) for fault in error.value.faults] == [("A", (str(path), 7, 3))]
    assert f"  - {path}:7:3: joints 'A', 'B' cannot be closed" in str(error.value)
    assert main(["run", str(path), "--json", "--duration", "1"]) == 2
    told = json.loads(capsys.readouterr().out)["faults"]
    places = [(fault["part"], fault["path"], fault["line"], fault["column"]) for fault in told]
    assert places == [("A", str(path), 7, 3)]
    m.revolute("C", m.ground["O"], m.body("more", mass=1, inertia=1).point("X", (0, 0)))
    m.motion("turn", joint="C", speed="sin(t)")
    with pytest.raises(jd.MechanismError, match="speed that changes") as error:
        jd.kinematics(m, times=[0, 1])
    assert [fault.mark for fault in error.value.faults] == [None]  # of no file


ARM = """\
jourdain: 1
name: arm
ground: {points: {O: [0, 0]}}
bodies:
  arm: {mass: 1, inertia: 1, position: [0, 0], angle: 0, points: {P: [0, 0]}}
joints:
  A: {type: revolute, between: [ground.O, arm.P]}
"""


def test_check_prints_faults_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(ARM)
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["faults"] == []
    path.write_text(ARM.replace("mass: 1", "mass: -1").replace("arm.P]", "arm.Q]"))
    lines = path.read_text().split("\n")
    mass = {"part": "arm", "key": "mass", "words": "body 'arm': mass is -1.0; expected a positive number"}
    ends = {"part": "A", "key": "between", "words": "joint 'A': body 'arm' has no point 'Q'; known: P"}
    mass |= {"path": str(path), "line": 5, "column": lines[4].index("-1") + 1}
    ends |= {"path": str(path), "line": 7, "column": lines[6].index("arm.Q") + 1}
    for command in (["check"], ["run", "--duration", "1"]):
        assert main([command[0], str(path), "--json", *command[1:]]) == 2
        told = capsys.readouterr()
        assert json.loads(told.out) == {"mechanism": str(path), "faults": [mass, ends]}
        assert told.err.startswith(f"jourdain: {path} has 2 faults:\n  {path}:5:")
