"""Live systems: from Python and from a file, subsystems in and out while they run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.live.subsystem_names import known, understood
from live_machines import lively


def system() -> jd.System:
    s = jd.System("two")
    arms = []
    for name in ("a", "b"):
        m = jd.Mechanism("arm", gravity=(0, -9.81))
        m.body("bar", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
        arms.append(s.subsystem(name, m, ports=["bar.A", "bar.B"]))
    s.revolute("p", s.ground.point("O", (0, 0)), arms[0]["bar.A"])
    s.revolute("q", arms[0]["bar.B"], arms[1]["bar.A"])
    return s


@pytest.mark.parametrize("way", ["python", "file", "text"])
def test_a_system_is_live_as_the_machine_that_it_stands_for(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "two.yaml"
    system().save(file)
    monkeypatch.chdir(tmp_path)
    live, run = lively({"python": system(), "file": file, "text": file.read_text(encoding="utf-8")}[way])
    run(0.5)
    wanted = jd.simulate(system().joined(), 0.5, every=0.5, rtol=1e-11, atol=1e-11)
    assert live["b_bar.x"] == pytest.approx(wanted["b_bar.x"][-1], abs=1e-6)


def test_parts_of_subsystems_have_the_names_that_the_system_gives_them(tmp_path: Path) -> None:
    live, run = lively(system())
    live.record(tmp_path / "a.jdlive")
    run(0.2)
    assert live["b.bar.x"] == live["b_bar.x"] and live.look(["b.bar.B.y"]).values["b.bar.B.y"] == live["b_bar.B.y"]
    assert np.array_equal(live[["a.bar.spin", "q.fx"]], live[["a_bar.spin", "q.fx"]])
    hand = live.grab("b.bar.B")
    assert live.hands[hand.number] == "b_bar.B"
    hand.release()
    assert live.apply({"do": "set", "number": "b.bar.mass", "value": "2 kg"})
    assert live.document.blueprint.body("b_bar").mass == 2
    value = {"type": "force", "on": "b.bar.B", "vector": ["-3*b.bar.B.vx", "sin(a.bar.angle)"]}
    assert live.apply({"do": "insert", "part": "forces.s", "value": value})
    value = {"type": "spring-damper", "between": ["a.bar.A", "b.bar.B"], "stiffness": "2 N/m", "length": 1}
    assert live.apply({"do": "insert", "part": "forces.spring", "value": value})
    assert live.apply({"do": "rename", "part": "bodies.b.bar", "to": "end"})
    assert live.document.blueprint.body("end").mass == 2
    assert live.apply({"do": "move", "part": "bodies.a.bar.points.B", "to": [0.6, 0]})
    run(0.4)
    with pytest.raises(KeyError, match="bb"):
        live["bb.bar.x"]
    with pytest.raises(jd.ChoiceError, match="there is no body"):
        live.grab("b.baar.B")
    live.close()
    assert jd.Replay.open(tmp_path / "a.jdlive").run().t == live.t


def test_names_that_mean_something_stay() -> None:
    parts = frozenset({"a", "a_bar", "b_two_bar", "c.knee", "c_knee", "ground"})
    assert [known(name, lambda: parts) for name in ("a.bar.x", "a", "b.two.bar.B.x", "b.two", "t", "c.knee.x")] == [
        "a.bar.x",
        "a",
        "b_two_bar.B.x",
        "b.two",
        "t",
        "c.knee.x",
    ]
    text = {"do": "text", "value": "b.two.bar"}
    assert understood(text, lambda: parts) == text
    inserted = {"do": "insert", "part": "subsystems.b", "value": {"path": "b.two.bar"}}
    assert understood(inserted, lambda: parts) == inserted


def test_subsystems_come_and_go(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    system().save(file)
    live, run = lively(file)
    first = live.document.text
    live.record(tmp_path / "a.jdlive")
    run(0.3)
    assert live.apply({"do": "insert", "part": "subsystems.c", "value": {"path": "two-a.yaml"}})
    assert live.apply({"do": "insert", "part": "subsystems.d", "value": {"path": "two-b.yaml"}})
    joint = {"type": "revolute", "between": ["b_bar.B", "c_bar.A"]}
    assert "an impulse stopped" in live.apply({"do": "insert", "part": "joints.r", "value": joint}).sentence
    run(0.5)
    assert np.hypot(live["b_bar.B.x"] - live["c_bar.A.x"], live["b_bar.B.y"] - live["c_bar.A.y"]) < 1e-10
    used = live.apply({"do": "remove", "part": "subsystems.c"})
    assert not used and "there is no body 'c_bar'" in used.sentence
    for part in ("subsystems.d", "joints.r", "subsystems.c", "joints.q", "subsystems.b"):
        assert live.apply({"do": "remove", "part": part}), part
    run(0.2)
    assert [body.name for body in live.document.blueprint.bodies] == ["a_bar"]
    for part, value in (("c", 3), ("c d", {"path": "two-a.yaml"}), ("a", {"path": "two-a.yaml"}), ("e", {"path": "x"})):
        refused = live.apply({"do": "insert", "part": f"subsystems.{part}", "value": value})
        assert not refused and refused.sentence.startswith("nothing was changed")
    assert not live.apply({"do": "remove", "part": "subsystems.b"})
    for _ in range(8):
        assert live.undo()
    assert live.document.text == first and not live.failure
    live.close()
    assert jd.Replay.open(tmp_path / "a.jdlive").run().t == live.t


LISTED = """\
jourdain: 1
include:   # two files
  - {path: arm.yaml, prefix: x_}   # the first
  - path: arm.yaml
    prefix: y_
bodies: {own: {mass: 1, inertia: 1, position: [0, 0]}}
"""


def test_the_list_of_files_keeps_its_comments(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text("jourdain: 1\nbodies: {bar: {mass: 1, inertia: 1, position: [0, 0]}}\n")
    document = jd.Document(LISTED, path=tmp_path / "main.yaml")
    assert document.apply({"do": "insert", "part": "subsystems.z", "value": {"path": "arm.yaml"}})
    assert document.text == LISTED.replace("y_\n", "y_\n  - {path: arm.yaml, prefix: z_}\n")
    for name in "xy":
        assert document.apply({"do": "remove", "part": f"subsystems.{name}"})
    assert "# two files\n  - {path: arm.yaml, prefix: z_}\nbodies" in document.text
    assert document.apply({"do": "remove", "part": "subsystems.z"}) and "include" not in document.text
    for flow in ("[]", "[{path: arm.yaml, prefix: x_}, {path: arm.yaml, prefix: y_}]"):
        flat = jd.Document(f"jourdain: 1\ninclude: {flow}\n{LISTED.splitlines()[-1]}\n", path=tmp_path / "main.yaml")
        first = flat.text
        assert flat.apply({"do": "insert", "part": "subsystems.z", "value": {"path": "arm.yaml"}})
        if "x_" in flow:
            assert flat.apply({"do": "remove", "part": "subsystems.x"}) and flat.undo()
        assert flat.apply({"do": "remove", "part": "subsystems.z"})
        assert flat.text == first or flow == "[]"
