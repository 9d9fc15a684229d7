"""What types report and are given: names that users know, units of signals, saving beside included files, symbols."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.files import dumps
from jourdain.library import all_channels
from jourdain.mechanism.frozen import Frozen
from jourdain.mechanism.parts import PortName
from jourdain.plotting.forms import form_of
from jourdain.plotting.scene import Scene

METER = """jourdain: 1
types:
  tachometer:
    kind: element
    joints: [shaft]
    parameters: {gain: {unit: V s/rad, default: 0.1 V s/rad}}
    signals: {more: {unit: V, default: 0 V}}
    outputs: {raw: gain*shaft.speed + more}
    channels: {voltage: {formula: self.raw, unit: V}, turned: {formula: 1000*self.raw, unit: mV}}
  brake:
    kind: force
    of: actuator
    joints: [shaft]
    signals: {command: {unit: V, default: 0 V}}
    motor: -2*command
ground: {points: {P: [0, 0.5]}}
bodies:
  flywheel: {mass: 3, inertia: 0.05, position: [0, 0.5], angle: 0, spin: 20, points: {C: [0, 0]}}
joints:
  B: {type: revolute, between: [ground.P, flywheel.C]}
elements:
  tacho: {type: tachometer, joint: B}
forces:
  brake: {type: brake, joint: B, command: tacho.voltage}
"""
LINK = """
  link:
    kind: assembly
    parameters: {length: {unit: m, default: 1 m}}
    ports: {A: rod.A, B: {at: rod.B, free: true}}
    bodies:
      rod:
        mass: 1
        shape: {rod: length}
        position: [length/2, 0]
        angle: 0
        points: {A: [-length/2, 0], B: [length/2, 0]}
    symbol: {A: [[[0, 0], [length, 0]]]}
"""


def words(text: str) -> str:
    with pytest.raises(jd.FileError) as error:
        jd.load(text)
    return str(error.value)


# Names and units ------------------------------------------------------------------------------------------------------


def test_what_a_type_reports_is_listed_under_its_name_with_its_unit(tmp_path: Path) -> None:
    m = jd.load(METER)
    channels = all_channels(m.frozen())
    assert [channel.name for channel in channels if "tacho" in channel.name] == [
        "tacho.raw",
        "tacho.voltage",
        "tacho.turned",
    ]
    assert channels.quantity("tacho.voltage") == ("voltage", "V")
    assert channels.quantity("tacho.turned").unit == "kg m^2/(s^3 A)"  # its numbers are in SI, whatever unit it says
    run = jd.simulate(m, 0.01)
    run.save(tmp_path / "run.csv")
    assert np.allclose(jd.load_results(tmp_path / "run.csv")["tacho.voltage"], run["tacho.voltage"])


def test_elements_say_units_of_what_they_report() -> None:
    m = jd.Mechanism("m")
    m.body("b", mass=1, inertia=1, position=(0, 0))
    m.element("e", states={"s": 0}, rates={"s": "1"}, outputs={"w": "2*s"}, units={"s": "V s", "w": "V"})
    assert [all_channels(m.frozen()).quantity(name).unit for name in ("e.s", "e.w")] == ["V s", "V"]
    m.element("f", outputs={"w": "1"}, units={"v": "V"})
    with pytest.raises(jd.MechanismError, match="units: there is no state or output 'v'; known: w"):
        jd.check(m)
    m = jd.Mechanism("m")
    m.body("b", mass=1, inertia=1, position=(0, 0))
    m.element("e", outputs={"w": "1"}, units={"w": "Vold"})
    with pytest.raises(jd.MechanismError, match="units by name"):
        jd.check(m)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("B.speed", "command is 'B.speed', an angular speed; expected a voltage (V)"),
        ("flywheel.x + 0.1", "command is 'flywheel.x + 0.1', a length; expected a voltage (V)"),
    ],
)
def test_signals_over_channels_of_another_unit_are_told(given: str, told: str) -> None:
    found = words(METER.replace("command: tacho.voltage", f"command: {given}"))
    assert told in found and "(type at <text>:14:" in found


@pytest.mark.parametrize("given", ["0.1*B.speed", "tacho.raw", "tacho.voltage/2", "0.1*B.speed + 1 V", "12 V", "t"])
def test_signals_that_may_be_meant_are_taken(given: str) -> None:
    jd.check(jd.load(METER.replace("command: tacho.voltage", f"command: {given}")))


def test_a_signal_of_another_unit_in_python() -> None:
    m = jd.Mechanism("m")
    wheel = m.body("wheel", mass=1, inertia=1, position=(0, 0), angle=0, points={"C": (0, 0)})
    m.revolute("B", m.ground.point("O", (0, 0)), wheel["C"])
    brake = jd.Type("brake", kind="force", of="actuator", joints=["shaft"], motor="-2*command",
                    signals={"command": {"unit": "V"}}, channels=["heat"])  # fmt: skip
    m.part("brake", brake, "B", command="B.speed")
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    told = str(error.value)
    assert "command is 'B.speed', an angular speed; expected a voltage (V)" in told and "test_types_named.py" in told
    assert "type 'brake' lists the channel 'heat', and has none of that name" in told


def test_a_ring_of_signals_has_the_names_of_users() -> None:
    text = METER.replace("joint: B}\nforces", "joint: B, more: other.voltage}\n  other: {type: tachometer, joint: B, "
                         "more: tacho.voltage/9}\nforces")  # fmt: skip
    assert "tacho.raw -> other.voltage -> other.raw -> tacho.voltage -> tacho.raw" in words(text)
    assert "known: gain, raw, turned, voltage" in words(METER.replace("tacho.voltage}", "tacho.output}"))


# Saved ----------------------------------------------------------------------------------------------------------------


def test_names_of_parts_that_are_written_out() -> None:
    """A part that was changed makes all be written out; who names what types report, and ports, names the parts."""
    m = jd.load(METER).frozen()
    forces = tuple(replace(f, values={**f.values, "damping": 0.3}) for f in m.forces)
    saved = dumps(replace(m, forces=forces))
    assert "types" not in saved and "tacho.channels.voltage" in saved
    again = jd.load(saved)
    assert all_channels(again.frozen()).quantity("tacho.channels.voltage").unit == "V"
    jd.check(again)


def test_types_of_included_files_are_saved(tmp_path: Path) -> None:
    (tmp_path / "side.yaml").write_text(
        f"jourdain: 1\ntypes:{LINK}ground: {{points: {{O: [0, 0]}}}}\nassemblies: {{arm: {{type: link}}}}\n"
        "joints: {hip: {type: revolute, between: [ground.O, arm.A]}}\n"
    )
    (tmp_path / "m.yaml").write_text(
        "jourdain: 1\ninclude: {path: side.yaml, prefix: l_}\nground: {points: {P: [2, 0]}}\n"
        "types:\n  rubber: {kind: force, ports: [a, b], signals: {pull: {}}, force: 10*length + pull}\n"
        "forces: {s: {type: rubber, between: [l_arm.B, ground.P], pull: l_arm.B.vx}}\n"
    )
    m = jd.load(tmp_path / "m.yaml")
    jd.save(m, tmp_path / "saved.yaml")
    again = jd.load(tmp_path / "saved.yaml")
    assert again.frozen().forces == m.frozen().forces and again.frozen().bodies == m.frozen().bodies


def test_many_parts_of_types_in_python_are_saved_as_these() -> None:
    """Also where a symbol of one is drawn on a body of another; a parameter that is changed later is a change."""
    link = jd.Type("link", kind="assembly", parameters={"mass": {"unit": "kg"}},
                   ports={port: {"at": f"rod.{port}", "free": True} for port in "AB"},
                   bodies={"rod": {"mass": "mass", "inertia": 1, "position": [0, 0], "angle": 0,
                                   "points": {"A": [0, 0], "B": [1, 0]}}})  # fmt: skip
    pin = jd.Type("pin", kind="joint", of="revolute", ports=["a", "b"], symbol={"b": [[[0, 0], [0, 0.1]]]})
    m = jd.Mechanism("chain", gravity=(0, -9.81))
    m.parameter("k", 2.0)
    last = m.ground.point("O", (0, 0))
    for n in range(5):
        part = m.part(f"l{n}", link, mass="k", position=(n, 0))
        m.part(f"A{n}", pin, last, part["A"])
        last = part["B"]
    saved = dumps(m)
    assert saved.count("type: link") == 5 and saved.count("type: pin") == 5
    assert jd.load(saved).frozen().bodies == m.frozen().bodies
    changed = replace(m.frozen(), parameters=Frozen({**m.frozen().parameters, "k": 3.0}))
    assert "type: link" not in dumps(changed)


# Ports of assemblies --------------------------------------------------------------------------------------------------


def test_ports_are_points_wherever_points_are() -> None:
    text = f"jourdain: 1\ntypes:{LINK}assemblies: {{arm: {{type: link}}}}\nground: {{points: {{O: [0, 0]}}}}"
    m = jd.load(f"{text}\ngravity: [0, -9.81]\njoints: {{hip: {{type: revolute, between: [ground.O, arm.A]}}}}")
    run = jd.simulate(m, 0.05)
    assert list(run["arm.B.x"]) == list(run["arm.rod.B.x"]) == list(run["2*arm.B.x - arm.rod.B.x"])
    assert [line.get_label() for ax in run.plot("arm.B").axes for line in ax.lines] == ["arm.B.x", "arm.B.y"]
    assert Scene(run, 0, ["arm.B"]).traces == [PortName("arm.rod", "B")]
    found = jd.sensitivity(m, ["arm.length"], of=["arm.B.x"], duration=0.05)
    plain = jd.sensitivity(m, ["arm.length"], of=["arm.rod.B.x"], duration=0.05)
    assert list(found["arm.B.x", "arm.length"]) == list(plain["arm.rod.B.x", "arm.length"])
    path = jd.kinematics(m, drive="arm.B.y", from_=0, to=0.5, points=5)
    assert np.allclose(path["arm.B.x"] ** 2 + path["arm.B.y"] ** 2, 1)
    with jd.live(m, warm=False) as live:
        assert live.grab("arm.B").holds


# Drawn ----------------------------------------------------------------------------------------------------------------


def test_a_symbol_of_an_assembly_is_drawn_at_its_ports() -> None:
    text = (
        f"jourdain: 1\nground: {{points: {{O: [0, 0]}}}}\ntypes:{LINK}assemblies: {{arm: {{type: link, length: 2}}}}\n"
    )
    m = jd.load(text + "joints: {hip: {type: revolute, between: [ground.O, arm.A]}}\n").frozen()
    (stroke,) = form_of(m.body("arm.rod")).spokes
    assert np.allclose(stroke, [[-1, 0], [1, 0]])


def test_strokes_of_a_body() -> None:
    m = jd.Mechanism("m")
    m.body("b", mass=1, inertia=1, position=(0, 0), look={"strokes": [[(0, 0), ("10 cm", 0), (0.1, 0.2)]]})
    lines = form_of(m.frozen().body("b")).spokes
    assert np.allclose(lines, [[[0, 0], [0.1, 0]], [[0.1, 0], [0.1, 0.2]]])
    assert jd.load(dumps(m)).frozen().bodies == m.frozen().bodies
    text = dumps(m).replace("[0.1, 0]", "[1 kg, 0]")
    m.body("c", mass=1, inertia=1, position=(0, 0), look={"strokes": [[(0, 0)], [(0, 0), (1, 2, 3)]]})
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    assert "body 'c': look: strokes" in str(error.value) and len(error.value.faults) == 2
    assert "strokes" in words(text) and "a mass; expected a length" in words(text)


# Hostile --------------------------------------------------------------------------------------------------------------


def test_types_that_contain_themselves_are_told_unused(tmp_path: Path) -> None:
    body = "  {0}: {{kind: assembly, assemblies: {{p: {{type: {1}}}, q: {{type: {2}}}}}}}\n"
    rows = [("a", "b", "c"), ("b", "a", "b"), ("c", "a", "d"), ("d", "c", "e"), ("e", "e", "e")]
    text = "jourdain: 1\ntypes:\n" + "".join(body.format(*row) for row in rows)
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(jd.FileError) as error:
        jd.Type.library(tmp_path / "mine.yaml")
    for circle in ("a -> b -> a", "b -> b", "a -> c -> a", "c -> d -> c", "e -> e"):
        assert f"contains itself, {circle}" in str(error.value)
    (tmp_path / "m.yaml").write_text(METER.replace("types:", "library: mine.yaml\ntypes:"))
    with pytest.raises(jd.FileError, match=r"m\.yaml:2:10 \(type at .*mine\.yaml:4:46\)"):
        jd.load(tmp_path / "m.yaml")


def test_types_deep_in_each_other() -> None:
    chain = "".join(f"  l{i}: {{kind: assembly, assemblies: {{p: {{type: l{i - 1}}}}}}}\n" for i in range(1, 1500))
    body = "  l0: {kind: assembly, bodies: {b: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}}\n"
    text = f"jourdain: 1\ntypes:\n{body}{chain}assemblies: {{z: {{type: l%d}}}}\n"
    assert jd.load(text % 49).frozen().bodies
    assert "more than 50 types contain each other" in words(text % 1499)


@pytest.mark.parametrize("first", ["", "jourdain: 99\n"])
def test_a_file_of_types_says_its_version(first: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"{first}types: {{}}\n")
    with pytest.raises(jd.FileError, match="expected a file of types, with 'jourdain: 1' first"):
        jd.Type.library(tmp_path / "mine.yaml")
