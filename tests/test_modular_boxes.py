"""Boxes of one's own and in other processes, sessions, edits, files, and what is refused."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import boxes
import jourdain as jd
from jourdain.mechanism.errors import ChoiceError, FileError, JourdainError, MechanismError, SimulationError
from jourdain.model.time_marks import ClockFunctions
from systems import RK4, chain, double_pendulum, loose, pinned

EXAMPLES = str(Path(__file__).resolve().parent.parent / "examples")


def hung(box: jd.Box) -> jd.System:
    s = jd.System("pendulum")
    mass = s.subsystem("mass", box)
    s.distance("rod", s.ground.point("O", (0, 0)), mass["P"], length=1.0)
    return s


def angle_after(t: float) -> float:
    """Of a mathematical pendulum of 1 m let go from the horizontal."""
    way = solve_ivp(lambda t, y: [y[1], -9.81 * np.cos(y[0])], (0, t), [0, 0], method="DOP853", rtol=1e-12, atol=1e-12)
    return float(way.y[0, -1])


def test_a_point_mass_in_a_few_lines() -> None:
    run = jd.simulate(boxes.pendulum_of_points(), 0.5, macro_step=0.01)
    a = angle_after(0.5)
    assert run["mass.P.x"][-1] == pytest.approx(np.cos(a), abs=1e-6)
    assert run["mass.P.y"][-1] == pytest.approx(np.sin(a), abs=1e-6)
    # The pull of a rod that fell by h: 3 m g sin.
    assert run["rod.load"][-1] == pytest.approx(3 * 2.0 * 9.81 * abs(np.sin(a)), rel=1e-4)


def test_a_cylinder_with_scipy_inside() -> None:
    runs = [jd.simulate(boxes.lifted_arm(), 0.1, macro_step=H) for H in (0.01, 0.005)]
    assert all(run.status.ok for run in runs)
    assert abs(runs[0]["arm.bar.angle"][-1] - runs[1]["arm.bar.angle"][-1]) < 1e-4
    assert np.max(np.abs(runs[0]["jack.pressure"])) > 0


def test_a_box_in_another_process_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", EXAMPLES + os.pathsep + os.environ.get("PYTHONPATH", ""))
    with jd.ProcessBox("boxes:PointMass", 2.0, [1.0, 0.0]) as box:
        there = jd.simulate(hung(box), 0.5, macro_step=0.01)
    here = jd.simulate(hung(boxes.PointMass(2.0, (1.0, 0.0))), 0.5, macro_step=0.01)
    for name in ("mass.P.x", "mass.P.vy", "rod.load"):
        assert np.array_equal(there[name], here[name])


class Sleeper(boxes.PointMass):
    """A box whose process dies, or hangs, in the middle."""

    def __init__(self, how: str, after: int) -> None:
        super().__init__(2.0, (1.0, 0.0))
        self.how, self.left = how, after

    def advance(self, H: float, wrenches: Any) -> jd.PortMotion:
        self.left -= 1
        if self.left < 0:
            if self.how == "dies":
                os._exit(3)
            time.sleep(60)
        return super().advance(H, wrenches)


@pytest.mark.parametrize(("how", "words"), [("dies", "ended with code 3"), ("hangs", "gave no answer to advance")])
def test_a_process_that_dies_or_hangs_is_told(how: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.pathsep.join([EXAMPLES, str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    box = jd.ProcessBox("test_modular_boxes:Sleeper", how, 40, patience=20.0)
    box._patience = 1.0  # once it has imported everything
    session = jd.session(hung(box), macro_step=0.01)
    status = session.advance(1.0)
    box.close()
    assert not status.ok
    assert words in status.sentence
    assert "Sleeper" in status.sentence


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("boxes:Nothing",), "'boxes:Nothing' could not be made in its process: AttributeError"),
        (("nobody:PointMass",), "No module named 'nobody'"),
        (("boxes:PointMass", 2.0, np.zeros(2)), "takes numbers, words and lists of them"),
    ],
)
def test_a_box_that_its_process_cannot_make_is_told(
    given: tuple[Any, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([EXAMPLES, os.environ.get("PYTHONPATH", "")]))
    with pytest.raises(JourdainError, match=words):
        jd.ProcessBox(*given)


def test_boxes_that_lie_are_named() -> None:
    class Liar(boxes.PointMass):
        def mobility(self) -> Any:
            return 3 * super().mobility()

    class Forgetful(boxes.PointMass):
        def restore(self, state: bytes) -> None:
            """Nothing is restored."""

    class Wrong(boxes.PointMass):
        def advance(self, H: float, wrenches: Any) -> Any:
            return super().advance(H, wrenches)[:4]

    for kind, words in ((Liar, "mobility is wrong"), (Forgetful, "does not restore"), (Wrong, "no PortMotion")):
        with pytest.raises(SimulationError, match=f"subsystem 'mass'.*{words}"):
            jd.session(hung(kind(2.0, (1.0, 0.0))), macro_step=0.01)


def test_a_box_that_raises_leaves_the_session_at_the_last_macro_point() -> None:
    class Raises(boxes.PointMass):
        calls = 0

        def advance(self, H: float, wrenches: Any) -> jd.PortMotion:
            type(self).calls += 1
            if type(self).calls > 40:
                raise ValueError("oil is out")
            return super().advance(H, wrenches)

    session = jd.session(hung(Raises(2.0, (1.0, 0.0))), macro_step=0.01, every=0.01)
    status = session.advance(1.0)
    assert not status.ok
    assert "subsystem 'mass' raised ValueError when advanced: oil is out" in status.sentence
    k = round(session.t / 0.01)
    assert session.t == pytest.approx(0.01 * k)
    assert session["mass.P.x"] == session.solution()["mass.P.x"][k]


def test_a_box_that_cannot_go_back_is_coupled_explicitly() -> None:
    class OneWay(boxes.PointMass):
        restores = False

    with pytest.raises(ChoiceError, match=r"cannot go back.*explicit"):
        jd.session(hung(OneWay(2.0, (1.0, 0.0))), macro_step=0.01)
    run = jd.simulate(hung(OneWay(2.0, (1.0, 0.0))), 0.5, macro_step=0.0025, coupling="explicit")
    assert run["mass.P.x"][-1] == pytest.approx(np.cos(angle_after(0.5)), abs=1e-4)


# Sessions -------------------------------------------------------------------------------------------------------------


def test_checkpoints_bring_back_the_same_bits() -> None:
    session = jd.session(double_pendulum(), macro_step=0.01, every=0.01)
    session.advance(0.1)
    mark = session.checkpoint()
    session.advance(0.1)
    first = session[["two.bar.x", "B.fx", "energy.total"]]
    session.restore(mark)
    assert session.t == pytest.approx(0.1)
    session.advance(0.1)
    assert np.array_equal(session[["two.bar.x", "B.fx", "energy.total"]], first)
    assert len(session.solution().t) == 21
    with pytest.raises(SimulationError, match="no checkpoint of this system"):
        session.restore(b"nonsense")


def test_numbers_can_be_set() -> None:
    session = jd.session(double_pendulum(), macro_step=0.01)
    session.set("two.bar.mass", 5.0)
    one = jd.session(double_pendulum(mass=5.0).joined())
    assert session["one.bar.spin_rate"] != pytest.approx(one["one_bar.spin_rate"], rel=1e-3)  # inertia is another
    session.set("two.bar.inertia", 5.0 / 12)
    assert session["one.bar.spin_rate"] == pytest.approx(one["one_bar.spin_rate"], rel=1e-9)


def test_insert_and_cut_have_the_impulse_of_the_monolith() -> None:
    session, one = jd.session(loose(False), macro_step=0.005), jd.session(loose(False).joined(), **RK4)
    found, expected = session.edit(loose(True)), one.edit(loose(True).joined())
    assert found.ok
    assert found.impulses["J"] == pytest.approx(expected.impulses["J"], abs=1e-9)
    assert found.lost == pytest.approx(expected.lost, abs=1e-9)
    for name in ("a.p.vx", "a.p.vy", "a.p.spin", "b.q.vx", "b.q.vy", "b.q.spin"):
        assert session[name] == pytest.approx(one[name.replace(".", "_", 1)], abs=1e-9)
    total = session["energy.total"]
    session.advance(0.1)
    cut = session.system.copy()
    cut.remove("J")
    assert session.edit(cut).ok
    one.advance(0.1)
    one.edit(loose(False).joined())
    session.advance(0.1)
    one.advance(0.1)
    assert session["b.q.x"] == pytest.approx(one["b_q.x"], abs=1e-7)
    assert session["energy.total"] == pytest.approx(total, abs=1e-7)


def test_an_edit_that_does_not_close_changes_nothing() -> None:
    session = jd.session(loose(False), macro_step=0.005)
    session.advance(0.05)
    before = session[["a.p.x", "b.q.vx"]]
    wrong = loose(False)
    wrong.revolute("J", wrong["a"]["p.P"], wrong["b"]["q.Q"])
    found = session.edit(wrong)
    assert not found.ok
    assert "joint 'J' is" in found.sentence
    assert np.array_equal(session[["a.p.x", "b.q.vx"]], before)
    assert session.advance(0.05).ok


def test_subsystems_come_and_go() -> None:
    session = jd.session(chain(3), macro_step=0.005)
    session.advance(0.02)
    shorter = session.system.copy()
    shorter.remove("J2")
    shorter.remove("b2")
    outcome = session.edit(shorter)
    assert outcome.ok
    assert "gone: b2" in outcome.sentence
    assert session.advance(0.02).ok
    assert "b2.bar.x" not in session.solution().channels


def test_functions_of_time_in_a_box_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads on ports are parameters that change in every round, and none that such functions read."""
    looked = []
    corners = ClockFunctions.corners

    def counted(*given: Any) -> list[float]:
        looked.append(given)
        return corners(*given)

    monkeypatch.setattr(ClockFunctions, "corners", counted)
    m = pinned("one", (0, 0), (1, 0))
    m.parameter("k", 3.0)
    m.torque("T", on=m["bar"], torque="k*sign(sin(40*t))")
    other = jd.Mechanism("two", gravity=(0, -9.81))
    other.body("bar", mass=1, inertia=1 / 12, position=(1.5, 0), angle=0, points={"A": (-0.5, 0)})
    s = jd.System("shaken")
    one, two = s.subsystem("one", m, **RK4), s.subsystem("two", other, **RK4)
    s.revolute("B", one["bar.B"], two["bar.A"])
    assert jd.simulate(s, 0.1, macro_step=0.01).status.ok
    assert len(looked) == 1


# Files ----------------------------------------------------------------------------------------------------------------


def test_files_of_systems_come_back_the_same(tmp_path: Path) -> None:
    s = double_pendulum()
    s.spring_damper("k", s.ground.point("W", (2, 0)), s["two"]["bar.B"], stiffness=5, damping=0.1, length=1)
    s.defaults = {"duration": 0.2, "macro_step": 0.01, "coupling": "extended"}
    path = jd.save(s, tmp_path / "double.yaml")
    again = jd.load(path)
    assert isinstance(again, jd.System)
    assert np.array_equal(jd.simulate(again)["two.bar.x"], jd.simulate(s)["two.bar.x"])


def test_faults_of_a_file_have_line_and_column(tmp_path: Path) -> None:
    jd.save(pinned("one", (0, 0), (1, 0)), tmp_path / "one.yaml")
    text = """jourdain: 1
subsystems:
  a: {path: one.yaml, simulate: {stepp: 1}}
  b: {path: none.yaml}
  c: {fmu: engine.fmu}
joints:
  B: {type: revolute, between: [a.bar.X, ground.O]}
simulate: {coupling: magic, macro_step: -1}
"""
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(FileError) as found:
        jd.load(tmp_path / "s.yaml")
    said = str(found.value)
    for words in ("unknown key 'stepp'", "no such file", "FMUs cannot be read yet", "no port 'bar.X'", "'magic'"):
        assert words in said
    assert "s.yaml:7:" in said


# What is refused ------------------------------------------------------------------------------------------------------


def test_bad_systems_are_told_with_names() -> None:
    s = double_pendulum()
    with pytest.raises(MechanismError, match=r"subsystem 'one' has no port 'bar.X'.*did you mean"):
        s["one"]["bar.X"]
    s.distance("self", s["one"]["bar.A"], s["one"]["bar.B"], length=1.0)
    with pytest.raises(MechanismError, match="'self' joins subsystem 'one' to itself"):
        jd.simulate(s, 0.1)
    with pytest.raises(MechanismError, match="subsystem 'three' is spatial, and 'one' planar"):
        double_pendulum().subsystem("three", jd.Mechanism("three", space="spatial"))
    other = double_pendulum()
    other.subsystem("moon", jd.Mechanism("moon", gravity=(0, -1.62)))
    with pytest.raises(MechanismError, match=r"gravity differs.*'one'.*'moon'"):
        jd.simulate(other, 0.1)
    with pytest.raises(MechanismError, match="no subsystems"):
        jd.simulate(jd.System("empty"), 0.1)
    with pytest.raises(AttributeError, match="bodies belong to subsystems"):
        s.body("crank")


def test_two_drivers_on_one_freedom_are_told() -> None:
    m = pinned("one", (0, 0), (1, 0))
    m.motion("inner", joint="O", speed=1.0)
    s = jd.System("driven twice")
    one = s.subsystem("one", m, **RK4)
    s.revolute("Q", s.ground.point("Q", (0, 0)), one["bar.A"])
    s.motion("outer", joint="Q", speed=2.0)
    with pytest.raises(MechanismError, match=r"cannot move as asked beside the others"):
        jd.simulate(s, 0.1, macro_step=0.01)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"macro_step": 0.0015}, "no multiple of the step of subsystem 'one', 0.001 s; the nearest are 0.001"),
        ({"macro_step": 0.0005}, "shorter than the step of subsystem 'one'"),
        ({"macro_step": -1.0}, "macro_step is -1.0; expected a positive number"),
        ({"macro_step": 0.01, "every": 0.015}, "the nearest that fit are 0.01 s and 0.02 s"),
        ({"coupling": "spring"}, "unknown coupling 'spring'"),
        ({"couplin": "uzawa"}, "did you mean 'coupling'"),
        ({"macro_step": 0.01, "threads": 0}, "threads is 0"),
    ],
)
def test_bad_choices_are_told(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ChoiceError) as found:
        jd.simulate(double_pendulum(), 0.3, **given)
    assert words in str(found.value)


def test_a_session_stands_on_macro_points_alone() -> None:
    session = jd.session(double_pendulum(), macro_step=0.01)
    with pytest.raises(ChoiceError, match=r"between two macro points, 0.02 s and 0.03 s"):
        session.advance(0.025)
    assert session.t == 0.0


def test_relaxation_beyond_what_converges_is_refused() -> None:
    with pytest.raises(ChoiceError, match="2 coupling joints"):
        jd.simulate(chain(3), 0.05, macro_step=0.005, coupling=jd.UzawaCoupling(relaxation=1.2))


def test_open_joints_at_the_start_are_told() -> None:
    s = jd.System("apart")
    mass = s.subsystem("mass", boxes.PointMass(1.0, (2.0, 0.0)))
    s.distance("rod", s.ground.point("O", (0, 0)), mass["P"], length=1.0)
    with pytest.raises(MechanismError, match=r"joint 'rod' is 1.5.* from closed"):
        jd.session(s, macro_step=0.01)


def test_what_takes_no_system_says_so() -> None:
    with pytest.raises(JourdainError, match=r"is no mechanism; its joined\(\) is the one"):
        jd.statics(double_pendulum())  # type: ignore[arg-type]


def test_systems_at_the_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jourdain.cli.main import main

    s = double_pendulum()
    s.defaults = {"duration": 0.1}
    jd.save(s, tmp_path / "s.yaml")
    file = str(tmp_path / "s.yaml")
    assert main(["run", file, "--macro-step", "10ms", "-o", str(tmp_path / "o.csv")]) == 0
    assert "2 subsystems, 1 joint between them" in capsys.readouterr().out
    assert main(["check", file]) == 0
    assert "2 degrees of freedom" in capsys.readouterr().out
    assert "two.bar.x" in (tmp_path / "o.csv").read_text()
