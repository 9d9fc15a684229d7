"""jd.Document: the text is the truth, operations change the least of it, undo and redo miss nothing."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.files.gallery import example_names, path
from jourdain.mechanism.numbers import numbers

FOUR_BAR = path("four_bar").read_text(encoding="utf-8")
WRITTEN = """\
jourdain: 1      # the version
# a note before
parameters: {L: 2 m, k: 200 N/m}   # sizes
gravity: [0, -9.81]
ground: {points: {A: [0, 0]}}
bodies:
  arm:            # the arm
    mass: 3 kg    # heavy
    inertia: 1/12
    position: [L/2, 0]
    angle: 0
    points: {A: [-L/2, 0], B: [L/2, 0]}
    look: {traces: [B]}
joints:
  # pins
  A: {type: revolute, between: [ground.A, arm.A]}
forces:
  s: {type: spring, between: [ground.A, arm.B], force: "k*(length - L)"}
  push: {type: force, on: arm.B, vector: [2*arm.vx - k*arm.B.y, "0 N"]}
events: {low: {when: arm.B.y + L, set: {k: 2*k}}}
"""


def lines_changed(before: str, after: str) -> list[tuple[str, str]]:
    return [pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]]


def test_set_changes_one_value_and_leaves_the_rest() -> None:
    document = jd.Document(WRITTEN)
    for number, value, line in (
        ("arm.mass", "5 kg", "    mass: 5 kg    # heavy"),
        ("k", 300, "parameters: {L: 2 m, k: 300}   # sizes"),
        ("arm.B.x", "L/3", "    points: {A: [-L/2, 0], B: [L/3, 0]}"),
        ("gravity.y", -1.62, "gravity: [0, -1.62]"),
    ):
        before = document.text
        assert document.apply({"do": "set", "number": number, "value": value})
        assert [new for _, new in lines_changed(before, document.text)] == [line]
    assert numbers(document.blueprint)["arm.mass"] == 5.0
    assert numbers(document.blueprint)["arm.B.x"] == pytest.approx(2 / 3)


def test_rename_follows_every_reference_also_in_formulas() -> None:
    document = jd.Document(WRITTEN)
    for part, to in (("bodies.arm", "bar"), ("parameters.k", "stiff"), ("bodies.bar.points.B", "tip")):
        assert document.apply({"do": "rename", "part": part, "to": to}), part
    text = document.text
    assert 'vector: [2*bar.vx - stiff*bar.tip.y, "0 N"]' in text
    assert "set: {stiff: 2*stiff}" in text and "when: bar.tip.y + L" in text and "traces: [tip]" in text
    assert "# the arm" in text and "# pins" in text
    one, two = (jd.simulate(jd.load(source), 0.5, step=0.01, integrator="rk4") for source in (WRITTEN, text))
    assert np.array_equal(one["arm.angle"], two["bar.angle"])


def test_a_name_that_means_something_else_in_a_formula_is_refused() -> None:
    document = jd.Document(WRITTEN)
    outcome = document.apply({"do": "rename", "part": "parameters.k", "to": "length"})
    assert not outcome and "means something else" in outcome.sentence and document.text == WRITTEN
    taken = document.apply({"do": "rename", "part": "parameters.k", "to": "arm"})
    assert not taken and "already" in taken.sentence
    # A unit is no name, whatever a parameter is called.
    units = jd.Document(
        "jourdain: 1\nparameters: {m: 2 m, s: 3*m}\nbodies: {a: {mass: 1, inertia: 1, position: [m, 0]}}\n"
    )
    assert units.apply({"do": "rename", "part": "parameters.m", "to": "b"})
    assert (
        units.text
        == "jourdain: 1\nparameters: {b: 2 m, s: 3*b}\nbodies: {a: {mass: 1, inertia: 1, position: [b, 0]}}\n"
    )


@pytest.mark.parametrize("name", example_names())
def test_every_part_of_the_gallery_is_renamed_without_a_change_of_the_machine(name: str) -> None:
    document = jd.Document.open(path(name))
    first, rng = document.text, random.Random(name)
    before = jd.simulate(document.mechanism, 0.01, step=0.001, integrator="rk4")
    sections = {"bodies": "bodies", "joints": "joints", "forces": "forces", "motions": "motions"}
    for section, room in sections.items():
        for part in rng.sample(getattr(document.blueprint, room), min(2, len(getattr(document.blueprint, room)))):
            outcome = document.apply({"do": "rename", "part": f"{section}.{part.name}", "to": f"{part.name}_new"})
            assert outcome or "another file" in outcome.sentence, outcome.sentence
    after = jd.simulate(document.mechanism, 0.01, step=0.001, integrator="rk4")
    assert np.array_equal(before["energy.kinetic"], after["energy.kinetic"])
    while document.undo():
        pass
    assert document.text == first


def test_insert_and_remove_keep_style_and_comments() -> None:
    document = jd.Document(WRITTEN)
    joint = {"type": "revolute", "between": ["ground.A", "arm.B"]}
    assert document.apply({"do": "insert", "part": "joints.B", "value": joint})
    assert "  B: {type: revolute, between: [ground.A, arm.B]}\nforces:" in document.text
    assert document.apply({"do": "remove", "part": "joints.B"}) and document.text == WRITTEN
    assert document.apply({"do": "insert", "part": "bodies.arm.points.C", "value": [0, "10 cm"]})
    assert "B: [L/2, 0], C: [0, 10 cm]}" in document.text
    assert document.apply({"do": "remove", "part": "events.low"}) and "events: {}" in document.text
    assert document.apply({"do": "remove", "part": "forces.s"})
    assert document.apply({"do": "remove", "part": "forces.push"}) and "forces:\nevents" in document.text
    assert document.apply({"do": "insert", "part": "forces.s", "value": {"type": "torque", "on": "arm", "torque": 1}})
    assert "forces:\n  s: {type: torque, on: arm, torque: 1}\nevents" in document.text
    refused = document.apply({"do": "remove", "part": "bodies.arm"})
    assert not refused and "there is no body 'arm'" in refused.sentence


def test_json_and_crlf_stay_what_they_are() -> None:
    text = '{"jourdain": 1, "parameters": {"k": 2},\r\n "bodies": {"a": {"mass": 1, "inertia": 1, "position": [0, 0]}}}'
    document = jd.Document(text)
    assert document.apply({"do": "set", "number": "a.mass", "value": "2 kg"})
    assert document.apply(
        {"do": "insert", "part": "joints.W", "value": {"type": "weld", "bodies": ["ground", "a"], "at": [0, 0]}}
    )
    assert '"mass": "2 kg"' in document.text and '"W": {"type": "weld"' in document.text and "},\r\n" in document.text
    block = jd.Document(WRITTEN.replace("\n", "\r\n"))
    assert block.apply(
        {"do": "insert", "part": "joints.B", "value": {"type": "revolute", "between": ["ground.A", "arm.B"]}}
    )
    assert block.text.count("\n") == block.text.count("\r\n") == WRITTEN.count("\n") + 1


def test_text_with_faults_keeps_the_last_good_mechanism() -> None:
    document = jd.Document(WRITTEN)
    good = document.mechanism
    outcome = document.apply({"do": "text", "value": WRITTEN.replace("mass: 3 kg", "mas: 3 kg")})
    assert outcome and "unknown key 'mas'" in outcome.sentence
    assert document.mechanism is good and document.faults[0].mark[1:] == (8, 5)
    refused = document.apply({"do": "set", "number": "k", "value": 1})
    assert not refused and "mend them first" in refused.sentence
    assert document.undo() and not document.faults and document.text == WRITTEN
    assert document.redo() and document.faults
    broken = jd.Document("jourdain: [1")
    assert broken.mechanism is None and broken.faults[0].mark.line == 2


def test_what_comes_from_another_file_is_refused_by_its_name() -> None:
    document = jd.Document.open(path("stewart_platform"))
    for operation in (
        {"do": "set", "number": "leg1_piston.mass", "value": 1},
        {"do": "remove", "part": "bodies.leg1_piston"},
        {"do": "rename", "part": "joints.leg2_slide", "to": "x"},
    ):
        outcome = document.apply(operation)
        assert not outcome and "_stewart_leg.yaml" in outcome.sentence, outcome.sentence
    assert document.apply({"do": "set", "number": "leg1_phase", "value": "10 deg"})
    assert "Tz: height, phase: 10 deg}" in document.text
    assert numbers(document.blueprint)["leg1_phase"] == pytest.approx(np.deg2rad(10))


def test_everything_of_an_included_file_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(WRITTEN + "tables: {lift: {points: [[0, 0], [1, 1]]}}\n")
    text = """jourdain: 1
include: {path: arm.yaml, prefix: L_}
gravity: [0, -9.81]
bodies: {c: {mass: 1, inertia: 1, position: [1, 2]}}
"""
    document = jd.Document(text, path=tmp_path / "m.yaml")
    for operation in (
        {"do": "move", "part": "ground.points.L_A", "to": [0, 2]},
        {"do": "set", "number": "ground.L_A.x", "value": 2},
        {"do": "remove", "part": "ground.points.L_A"},
        {"do": "rename", "part": "parameters.L_k", "to": "stiff"},
        {"do": "rename", "part": "tables.L_lift", "to": "rise"},
        {"do": "move", "part": "bodies.L_arm.points.B", "to": [0, 1]},
    ):
        outcome = document.apply(operation)
        assert not outcome and "arm.yaml" in outcome.sentence, outcome.sentence
    assert document.apply({"do": "set", "number": "L_k", "value": 300}) and "parameters: {k: 300}" in document.text


def test_tables_come_go_and_are_renamed() -> None:
    text = WRITTEN.replace("2*arm.vx", "lift(t) + 2*arm.vx") + "tables: {lift: {points: [[0, 0], [9, 1]]}}  # as seen\n"
    document = jd.Document(text)
    assert document.apply({"do": "rename", "part": "tables.lift", "to": "rise"})
    assert "vector: [rise(t) + 2*arm.vx" in document.text and "tables: {rise: {points" in document.text
    assert "rise" in document.apply({"do": "remove", "part": "tables.rise"}).sentence  # the force needs it
    assert document.apply({"do": "insert", "part": "tables.drop", "value": {"points": [[0, 1], [9, 0]]}})
    assert document.apply({"do": "set", "number": "push.vector.x", "value": "drop(t)"})
    assert document.apply({"do": "remove", "part": "tables.rise"})
    assert "tables: {drop: {points: [[0, 1], [9, 0]]}}  # as seen\n" in document.text
    while document.undo():
        pass
    assert document.text == text


def test_a_vector_that_is_not_written_is_set_by_its_components() -> None:
    document = jd.Document(WRITTEN)
    assert document.apply({"do": "set", "number": "arm.centre.y", "value": "1 cm"})
    assert document.blueprint.body("arm").centre == (0.0, 0.01) and "# the arm" in document.text


def test_saving_is_whole_and_asks(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + WRITTEN.encode())
    document = jd.Document.open(file)
    document.apply({"do": "set", "number": "k", "value": 1})
    assert document.save() == file and file.read_bytes() == b"\xef\xbb\xbf" + document.text.encode()
    file.write_text(WRITTEN, encoding="utf-8")
    document.apply({"do": "set", "number": "k", "value": 2})
    with pytest.raises(jd.JourdainError, match="changed on disk"):
        document.save()
    assert file.read_text(encoding="utf-8") == WRITTEN
    document.save(overwrite=True)
    with pytest.raises(jd.JourdainError, match="there already"):
        jd.Document(WRITTEN).save(file)
    with pytest.raises(jd.JourdainError, match="cannot be written"):
        document.save(tmp_path / "no" / "m.yaml")
    assert [p.name for p in tmp_path.iterdir()] == ["m.yaml"]


def test_a_mechanism_with_functions_can_be_edited_but_not_saved() -> None:
    m = jd.Mechanism("arm", gravity=(0, -9.81))
    arm = m.body("arm", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), arm["A"])
    m.force("push", on=arm["B"], vector=[lambda t: abs(np.sin(t)) if t > 0.1 else 0.0, 0])
    document = jd.Document.of(m)
    assert not document.has_text and document.text == ""
    assert document.apply({"do": "set", "number": "arm.mass", "value": "2 kg"})
    assert document.blueprint.body("arm").mass == 2.0 and m.frozen().body("arm").mass == 1.0
    between = {"type": "distance", "between": ["ground.A", "arm.B"], "length": 1}
    assert document.apply({"do": "insert", "part": "joints.rod", "value": between})
    assert document.apply({"do": "remove", "part": "joints.rod"})
    assert "no text" in document.apply({"do": "rename", "part": "bodies.arm", "to": "bar"}).sentence
    assert document.undo() and document.blueprint.joint("rod").length == 1.0
    with pytest.raises(jd.JourdainError, match="push"):
        document.save("nowhere.yaml")


def test_a_document_can_begin_with_nothing() -> None:
    document = jd.Document("jourdain: 1\n")
    assert document.mechanism is None and "no bodies" in document.faults[0]
    assert document.apply({"do": "insert", "part": "bodies.a", "value": {"mass": 1, "inertia": 1, "position": [0, 1]}})
    assert (
        not document.faults and document.text == "jourdain: 1\nbodies: {a: {mass: 1, inertia: 1, position: [0, 1]}}\n"
    )
    assert document.apply({"do": "insert", "part": "ground.points.A", "value": [0, 0]})
    assert document.blueprint.ground["A"].at == (0.0, 0.0)


OPERATIONS = (None, 3, {}, {"do": "jump"}, {"do": "set"}, {"do": "set", "number": 3, "value": 1},
              {"do": "set", "number": "k", "value": {1: object()}}, {"do": "move", "part": "bodies.arm", "to": 3},
              {"do": "rename", "part": "bodies.arm", "to": "a b"}, {"do": "insert", "part": "x", "value": 1},
              {"do": "set", "number": "nothing", "value": 1}, {"do": "remove", "part": "joints.Z"},
              {"do": "insert", "part": "joints.A", "value": {}}, {"do": "choose", "speed": 3},
              {"do": "text", "value": 3}, {"do": "set", "number": "arm.mass", "value": "-1 kg"},
              {"do": "set", "number": "arm.mass", "value": "1 m"})  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS, ids=[f"{k}" for k in range(len(OPERATIONS))])
def test_what_is_no_operation_gets_a_sentence(operation: object) -> None:
    document = jd.Document(WRITTEN)
    outcome = document.apply(operation)  # type: ignore[arg-type]
    assert not outcome and outcome.sentence.startswith("nothing was changed: ") and document.text == WRITTEN
    assert not document.undo() and not document.redo()
