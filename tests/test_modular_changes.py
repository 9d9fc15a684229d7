"""Systems that change while they run, and files of systems: numbers, edits, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boxes
import jourdain as jd
from jourdain.mechanism.errors import ChoiceError, FileError, JourdainError, SimulationError
from systems import RK4, double_pendulum, free, loose, pinned


def wheel(**more: Any) -> jd.System:
    """A wheel that has turned three times after a second, against a weak spring."""
    m = jd.Mechanism("wheel", gravity=(0, 0))
    m.body("w", mass=1, inertia=0.1, position=(0, 0), angle=0.0, spin=20.0, points={"O": (0, 0), "Q": (0.1, 0)})
    s = jd.System("wheel")
    box = s.subsystem("b", m, **RK4)
    s.revolute("R", s.ground.point("O", (0, 0)), box["w.O"])
    s.torsion_spring_damper("T", joint="R", stiffness=0.01, **more)
    return s


def exact(t: float, k: float = 0.01) -> float:
    w = np.sqrt(k / 0.1)
    return float(20.0 / w * np.sin(w * t))


def test_reactions_are_right_at_once_after_an_edit() -> None:
    session, one = jd.session(loose(False), macro_step=0.005), jd.session(loose(False).joined(), **RK4)
    for joined in (True, False):
        assert session.edit(loose(joined)).ok
        one.edit(loose(joined).joined())
        for name in ("a.p.ax", "b.q.ay", "b.q.spin_rate", *(["J.fx", "J.fy"] if joined else [])):
            same = name if name.startswith("J") else name.replace(".", "_", 1)
            assert session[name] == pytest.approx(one[same], abs=1e-9)
        session.advance(0.05)
        one.advance(0.05)
    assert session["energy.dissipated"] == pytest.approx(one["energy.dissipated"], abs=1e-8)


def test_turns_survive_edits_and_go_into_states() -> None:
    session = jd.session(wheel(), macro_step=0.01)
    session.advance(1.0)
    assert session["R.angle"] == pytest.approx(exact(1.0), abs=1e-6)
    more = session.system.copy()
    more.force("F", on=more["b"]["w.Q"], vector=(0, 0))
    assert session.edit(more).ok
    assert session["R.angle"] == pytest.approx(exact(1.0), abs=1e-6)
    session.advance(0.5)
    assert session["R.angle"] == pytest.approx(exact(1.5), abs=1e-6)
    run = jd.simulate(wheel(), times=[0.0, 1.0], macro_step=0.01)
    rest = jd.simulate(wheel(), times=[1.0, 1.5], macro_step=0.01, state=run.state())
    assert rest["R.angle"][-1] == pytest.approx(exact(1.5), abs=1e-6)


def test_numbers_between_subsystems_can_be_set() -> None:
    session = jd.session(wheel(), macro_step=0.01)
    session.advance(1.0)
    torque, total = session["T.torque"], session["energy.total"]
    mark = session.checkpoint()
    session.set("T.stiffness", 0.05)
    assert session["T.torque"] == pytest.approx(5 * torque)
    assert session["energy.total"] == pytest.approx(total)  # what the operator put in is driven
    session.advance(0.1)
    session.restore(mark)
    assert session["T.torque"] == torque
    session.advance(0.5)
    assert session["R.angle"] == pytest.approx(exact(1.5), abs=1e-6)
    with pytest.raises(KeyError, match=r"no number .T\.stifness"):
        session.set("T.stifness", 1.0)


def test_numbers_that_were_set_survive_edits_and_checkpoints_bring_them_back() -> None:
    session = jd.session(double_pendulum(), macro_step=0.01)
    mark = session.checkpoint()
    session.set("two.bar.mass", 3.0)
    more = session.system.copy()
    more.spring_damper("S", more.ground.point("W", (2, 0)), more["two"]["bar.B"], stiffness=0.0, length=1.0)
    assert session.edit(more).ok
    heavy = jd.session(double_pendulum(mass=3.0), macro_step=0.01)
    heavy.set("two.bar.inertia", 1 / 12)
    assert session["one.bar.spin_rate"] == pytest.approx(heavy["one.bar.spin_rate"], rel=1e-9)
    with pytest.raises(SimulationError, match="what joins its subsystems was another"):
        session.restore(mark)
    light = jd.session(double_pendulum(), macro_step=0.01)
    rate, mark = light["one.bar.spin_rate"], light.checkpoint()
    light.set("two.bar.mass", 3.0)
    light.restore(mark)
    light.set("one.bar.mass", 1.0)
    assert light["one.bar.spin_rate"] == pytest.approx(rate, rel=1e-12)


def test_the_coupling_can_change_while_it_runs() -> None:
    session = jd.session(double_pendulum(), macro_step=0.01)
    session.advance(0.05)
    assert session.edit(coupling="uzawa", macro_step=0.005).ok
    assert session.step(2).ok
    assert session.t == pytest.approx(0.06)
    assert session["@coupling.step"] == pytest.approx(0.005)
    found = session.edit(macro_step=0.0015)
    assert not found.ok
    assert "no multiple of the step of subsystem 'one'" in found.sentence
    assert session.step().ok
    assert "did you mean 'coupling'" in session.edit(couplin="uzawa").sentence


def test_boxes_that_an_edit_brings_are_looked_at() -> None:
    session = jd.session(double_pendulum(), macro_step=0.01)
    session.advance(0.02)
    before = session["two.bar.x"]

    class Liar(boxes.PointMass):
        def mobility(self) -> Any:
            return 3 * super().mobility()

    class OneWay(boxes.PointMass):
        restores = False

    slow = free("slow", (5, 5), (6, 5))
    for what, choices, words in (
        (Liar(1.0, (5.0, 5.0)), {}, "mobility is wrong"),
        (OneWay(1.0, (5.0, 5.0)), {}, "cannot go back"),
        (slow, {"integrator": "rk4", "step": 3e-3}, "no multiple of the step of subsystem 'new'"),
    ):
        more = session.system.copy()
        new = more.subsystem("new", what, **choices)
        port = new[new.ports[0]]
        more.spring_damper("S", more.ground.point("W", (4, 4)), port, stiffness=1.0, length=1.0)
        found = session.edit(more)
        assert not found.ok
        assert words in found.sentence
        assert session["two.bar.x"] == before
    assert session.advance(0.02).ok


def test_progress_and_texts_with_units() -> None:
    looks: list[Any] = []
    run = jd.simulate(double_pendulum(), "200 ms", macro_step="10 ms", every="20 ms", progress=looks.append)
    assert len(run.t) == 11
    assert [look.over for look in looks[-2:]] == [False, True]
    assert looks[3].t == pytest.approx(0.04)


def test_a_run_at_one_time() -> None:
    run = jd.simulate(double_pendulum(), 0.2, macro_step=0.01)
    one = run.at("100 ms")
    k = int(np.argmin(np.abs(run.t - 0.1)))
    for name in ("two.bar.x", "B.fx", "@coupling.rounds", "energy.total"):
        assert one[name] == run[name][k : k + 1]
    with pytest.raises(JourdainError, match="between samples"):
        run.at(0.105)


# Files ----------------------------------------------------------------------------------------------------------------

FILE = """jourdain: 1
name: two bars
MORE
subsystems:
  one: {path: one.yaml, simulate: {integrator: rk4, step: 1 ms}}
  two: {path: two.yaml, simulate: {integrator: rk4, step: 1 ms}}
ground: {points: {W: [2, 1]}}
joints:
  B: {type: revolute, between: [one.bar.B, two.bar.A]}
forces:
  S: {type: spring-damper, between: [ground.W, two.bar.B], stiffness: 5, length: 1}
  F: {type: force, on: two.bar.B, vector: [-2*B.speed, 0.3*one.bar.B.vx]}
  T: {type: torque, on: two.bar.B, torque: 0.1*t}
simulate: {duration: 0.1 s, macro_step: 10 ms}
"""


def written(folder: Path, name: str = "s.yaml", more: str = "", text: str = FILE) -> Path:
    jd.save(pinned("one", (0, 0), (1, 0)), folder / "one.yaml")
    jd.save(free("two", (1, 0), (2, 0)), folder / "two.yaml")
    jd.save(free("three", (2, 0), (3, 0)), folder / "three.yaml")
    (folder / name).write_text(text.replace("MORE", more or "description: none"))
    return folder / name


def test_formulas_of_a_file_name_ports(tmp_path: Path) -> None:
    s = jd.load(written(tmp_path))
    assert isinstance(s, jd.System)
    run, reference = jd.simulate(s), jd.simulate(s.joined(), times=[0.0, 0.1], rtol=1e-11, atol=1e-12)
    assert run["two.bar.x"][-1] == pytest.approx(reference["two_bar.x"][-1], abs=1e-8)
    again = jd.load(jd.save(s, tmp_path / "again.yaml"))
    assert np.array_equal(jd.simulate(again)["two.bar.x"], run["two.bar.x"])


def test_systems_inside_systems_have_files_of_their_own(tmp_path: Path) -> None:
    written(tmp_path)
    outer = """jourdain: 1
subsystems:
  arm: {path: s.yaml}
  end: {path: three.yaml}
joints:
  E: {type: revolute, between: [arm.two.bar.B, end.bar.A]}
forces:
  T: {type: torsion-spring-damper, joint: arm.B, stiffness: 1}
simulate: {duration: 0.05 s, macro_step: 10 ms}
"""
    s = jd.load(written(tmp_path, "outer.yaml", text=outer))
    assert isinstance(s, jd.System)
    run = jd.simulate(s)
    assert {"arm.two.bar.x", "arm.B.fx", "arm.S.force", "T.torque", "E.fx"} <= set(run.channels)
    again = jd.load(jd.save(s, tmp_path / "again.yaml"))
    assert np.array_equal(jd.simulate(again)["end.bar.x"], run["end.bar.x"])
    s.remove("T")
    assert jd.simulate(s).status.ok


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("MORE", "gravity: [0, -1.62]", "gravity is [0.0, -1.62], and in subsystem 'one' [0.0, -9.81]"),
        ("MORE", "space: spatial", "space is 'spatial', and subsystem 'one' is planar"),
        ("path: one.yaml", "path: one.yaml, step: 3 ms", "step goes with fmu:"),
        ("10 ms}", "10 ms, threads: 1.5}", "threads is 1.5; expected a whole number"),
        ("0.3*one.bar.B.vx", "0.3*one.bar.vx", "subsystem 'one' has no port 'bar.vx'"),
        ("two.bar.A]", "two.bar.Q]", "subsystem 'two' has no port 'bar.Q'"),
    ],
)
def test_what_a_file_says_is_used_or_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    text = FILE.replace(old, new)
    line = 1 + next(k for k, row in enumerate(text.splitlines()) if new in row)
    with pytest.raises(FileError) as found:
        jd.load(written(tmp_path, text=text))
    assert words in str(found.value)
    assert f"s.yaml:{line}:" in str(found.value)


@pytest.mark.parametrize("rho", [-1.0, "much", {"B": 0.0}])
def test_rho_that_is_none_is_refused(rho: Any) -> None:
    with pytest.raises(ChoiceError, match="expected a positive number of kg"):
        jd.UzawaCoupling(rho=rho)


def test_rho_of_a_joint_that_is_not_there_is_refused() -> None:
    with pytest.raises(ChoiceError, match="there is no joint 'Z' between subsystems"):
        jd.simulate(double_pendulum(), 0.1, macro_step=0.01, coupling=jd.UzawaCoupling(rho={"Z": 1.0}))
