"""Types in documents: numbers set, parts moved and renamed, standing and live."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import jourdain as jd
from jourdain.files import dumps
from live_machines import lively
from test_types import USED


@pytest.mark.parametrize(
    ("number", "value", "line"),
    [
        ("two.mass", "3 kg", "two: {type: bar, position: [2.1*R, 0], angle: -20 deg, mass: 3 kg}"),
        ("one.mass", "3 kg", "one: {type: bar, length: 2*R, mass: 3 kg}"),
        ("B.radius", "15 mm", "B: {type: arc-pin, between: [one.B, two.A], radius: 15 mm}"),
        ("mount.branch", 50, "mount: {type: rubber, between: [ground.P, two.B], stiffness: k, branch: 50}"),
    ],
)
def test_numbers_of_types_are_set_where_they_are_used(number: str, value: Any, line: str) -> None:
    document = jd.Document(USED)
    assert document.apply({"do": "set", "number": number, "value": value}).ok
    assert f"  {line}\n" in document.text
    assert document.undo().ok and document.text == USED


def test_parts_of_types_in_a_document() -> None:
    document = jd.Document(USED)
    refused = document.apply({"do": "set", "number": "one.rod.mass", "value": 3})
    assert not refused.ok and "it belongs to type 'bar', at <text>:34:5, which all its uses share" in refused.sentence
    assert document.apply({"do": "rename", "part": "assemblies.one", "to": "rod"}).ok
    assert "between: [ground.O, rod.A]" in document.text and "vector: [0, -rod.B.vx*0.1]" in document.text
    assert document.text.count("A: rod.A, B: {at: rod.B") == 1  # inside the type its own names stay
    found = document.apply(
        {
            "do": "insert",
            "part": "joints.Z",
            "value": {"type": "arc-pin", "between": ["two.B", "ground.P"], "radius": 1},
        }
    )
    assert found.ok and document.mechanism.frozen().joint("Z").equations


def test_assemblies_are_moved_and_what_types_bring_is_refused_by_their_name() -> None:
    document = jd.Document(USED)
    assert document.apply({"do": "move", "part": "assemblies.two", "to": [1, "1 m"]}).ok
    assert document.apply({"do": "set", "number": "two.position.x", "value": "R"}).ok
    assert "two: {type: bar, position: [R, 1 m], angle: -20 deg" in document.text
    for operation in (
        {"do": "rename", "part": "bodies.one.rod", "to": "x"},
        {"do": "move", "part": "bodies.one.rod.points.A", "to": [1, 2]},
        {"do": "remove", "part": "one.rod"},
    ):
        assert "belongs to type 'bar', at <text>:34:5" in document.apply(operation).sentence
    assert "types are changed with the text" in document.apply({"do": "remove", "part": "types.bar"}).sentence


def test_a_live_assembly_keeps_its_motion_when_it_is_renamed() -> None:
    """So do hands on it, which take hold of it by its ports, and bodies that are locked."""
    live, run = lively(USED, step=1e-3, integrator="rk4")
    run(0.05)
    hand = live.grab("one.B")
    assert live.hands == {hand.number: "one.rod.B"}
    before = live[["one.rod.x", "one.rod.vx", "one.rod.spin", "two.rod.angle", "energy.total"]]
    assert abs(before[1]) > 1e-3  # it moves
    assert live.apply({"do": "rename", "part": "assemblies.one", "to": "uno"}).ok
    after = live[["uno.rod.x", "uno.rod.vx", "uno.rod.spin", "two.rod.angle", "energy.total"]]
    assert after == pytest.approx(before, rel=1e-12, abs=1e-12)
    live.lock("two.rod")
    assert live.apply({"do": "rename", "part": "two", "to": "zwei"}).ok
    assert live.hands == {hand.number: "uno.rod.B"} and live.locked == ("zwei.rod",)
    assert live.undo().ok and live.undo().ok and live.hands == {hand.number: "one.rod.B"}
    assert live.document.text == USED


def test_a_type_of_the_file_in_python() -> None:
    m = jd.load(USED)
    m.part("three", "bar", position=(3, 0), length="1 m")
    m.part("C", "arc-pin", m["two.rod"]["B"], m["three.rod"]["A"], radius=0.5)
    assert m.frozen().has_body("three.rod") and yaml.safe_load(dumps(m))["assemblies"].keys() == {"one", "two", "three"}
    with pytest.raises(jd.ChoiceError, match="there is no type 'ba' in the file"):
        m.part("four", "ba")
    with pytest.raises(jd.ChoiceError, match=r"type is 'bar'; expected a jd\.Type"):
        jd.Mechanism("m").part("one", "bar")
