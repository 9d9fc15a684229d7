"""Numbers and mechanisms that are changed under a run: what a number does from then on, what a new joint takes."""

from __future__ import annotations

import gc
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jourdain as jd

EPS = float(np.finfo(float).eps)
G = 9.81


def without(machine: Any, *names: str) -> Any:
    """A mechanism without some of its joints, motions and relations."""
    blueprint = machine.frozen()
    kept = {part: tuple(p for p in getattr(blueprint, part) if p.name not in names) for part in ("joints", "motions")}
    return replace(blueprint, **kept)


def moving(s: jd.Session) -> np.ndarray:
    """The state without the work that is driven, which a change of numbers adds to."""
    return np.delete(s.y, s.loop.workspace.model.layout.work("driven"))


# set ------------------------------------------------------------------------------------------------------------------


def oscillator(**given: float) -> jd.Mechanism:
    """A block on a spring with a damper, under gravity along the rail."""
    v = {"mass": 2.0, "k": 50.0, "c": 1.5, "g": -3.0, **given}
    m = jd.Mechanism("oscillator", gravity=(v["g"], 0))
    block = m.body(
        "block", mass=v["mass"], inertia=1, position=(1.0, 0), angle=0, velocity=(0, 0), points={"C": (0, 0)}
    )
    wall = m.ground.point("W", (-1.0, 0))
    m.parameter("push", v.get("push", 0.5))
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    m.spring_damper("spring", wall, block["C"], stiffness=v["k"], damping=v["c"], length=1.5)
    m.force("hand", on=block["C"], vector=("push * cos(3 * t)", "0"))
    return m


SETTABLE = {"block.mass": ("mass", 5.0), "spring.stiffness": ("k", 80.0), "spring.damping": ("c", 0.1)}
SETTABLE |= {"gravity.x": ("g", 4.0), "push": ("push", 9.0)}


@pytest.mark.parametrize(
    "how", [{"rtol": 1e-11}, {"integrator": "rk4", "step": 1e-3}, {"integrator": "radau", "rtol": 1e-10}]
)
@pytest.mark.parametrize("number, other", SETTABLE.items(), ids=SETTABLE)
def test_a_number_acts_from_now_on(number: str, other: tuple[str, float], how: dict[str, Any]) -> None:
    """As in a run of the mechanism that has that number, from that state on."""
    key, value = other
    s = jd.session(oscillator(), **how)
    s.advance(0.37)
    motion, state, total = moving(s), s.state(), s["energy.total"]
    s.set(number, value)
    assert s.t == 0.37 and np.array_equal(moving(s), motion)  # positions and velocities stay
    # What the energy jumps by is work of whoever turned the number: the balance closes.
    assert s["energy.total"] == pytest.approx(total, abs=1e-12)
    run = jd.simulate(oscillator(**{key: value}), times=[0.37, 0.5, 1.2], state=state, **how)
    for t, x, v, a in zip(run.t, run["block.x"], run["block.vx"], run["block.ax"], strict=True):
        s.advance(to=t)
        # Two runs to a tolerance of 1e-10 (rk4: of equal steps), with forces of some ten N.
        assert (s["block.x"], s["block.vx"]) == (pytest.approx(x, abs=2e-9), pytest.approx(v, abs=2e-8))
        assert s["block.ax"] == pytest.approx(a, abs=1e-6)
    assert s["energy.potential"] == pytest.approx(run["energy.potential"][-1], abs=1e-6)


def test_setting_back_is_as_if_nothing_had_been_for_one_step_methods() -> None:
    """Numbers are copied, nothing else: rk4 has no memory beyond its state."""
    one, two = (jd.session(oscillator(), integrator="rk4", step=1e-3) for _ in range(2))
    for s in (one, two):
        s.advance(0.3)
    for number, (_, value) in SETTABLE.items():
        before = {"block.mass": 2.0, "spring.stiffness": 50.0, "spring.damping": 1.5, "gravity.x": -3.0, "push": 0.5}
        two.set(number, value)
        two.set(number, before[number])
    for s in (one, two):
        s.advance(0.3)
    assert np.array_equal(moving(one), moving(two))
    assert one["energy.driven"] == pytest.approx(two["energy.driven"], abs=1e-12)


def test_numbers_that_are_set_are_in_checkpoints() -> None:
    """Restored in another session they are set there too; restored to before, they are as they were."""
    s, other = (jd.session(oscillator()) for _ in range(2))
    s.advance(0.2)
    before = s.checkpoint()
    s.advance(0.1)
    plain = s.y.copy()
    for number, (_, value) in SETTABLE.items():
        s.set(number, value)
    s.advance(0.1)
    mark = s.checkpoint()
    s.advance(0.3)
    wanted = s.y.copy()
    other.restore(mark)
    other.advance(0.3)
    assert np.array_equal(other.y, wanted)
    for who in (s, other):
        who.restore(before)
        who.advance(0.1)
        assert np.array_equal(who.y, plain)


def test_set_after_going_back_from_a_run_with_fewer_samples() -> None:
    """A checkpoint of the tenth sample is taken up after a run of one: nothing is asked for between the two."""
    one, two = (jd.session(oscillator(), every=0.02, integrator="rk4", step=1e-3) for _ in range(2))
    one.advance(0.2)
    mark = one.checkpoint()
    one.advance(0.02)
    one.restore(mark)
    two.restore(mark)
    for s in (one, two):
        s.set("spring.stiffness", 80.0)
        s.advance(0.1)
    assert np.array_equal(one.y, two.y)


def test_set_refuses() -> None:
    """A wrong name gets the nearest; what cannot be is not; the start is over; what would open a joint is an edit."""
    s = jd.session(jd.example("four_bar"))
    s.advance(0.1)
    mark = s.checkpoint()
    s.advance(0.1)
    wanted = s.y.copy()
    s.restore(mark)
    with pytest.raises(KeyError, match=r"no number 'crank.mas'.*did you mean 'crank.mass'"):
        s.set("crank.mas", 1.0)
    for number, value, words in [
        ("crank.mass", -1.0, "expected a positive number"),
        ("crank.mass", 0.0, "expected a positive number"),
        ("crank.mass", math.nan, "expected a finite number"),
        ("crank.mass", "3 mm", "a length; expected a mass"),
        ("crank.mass", True, "expected a number"),
        ("crank.angle", 1.0, "a number of the start, and the session has begun"),
        ("crank.spin", 1.0, "a number of the start"),
        ("crank.B.x", 3.0, "would open a joint: 'B' is .* m from closed; use edit"),
        ("ground.D.x", 3.0, "would open a joint.*use edit"),
    ]:
        with pytest.raises(jd.ChoiceError, match=words):
            s.set(number, value)  # type: ignore[arg-type]
    s.advance(0.1)
    assert np.array_equal(s.y, wanted)


def test_numbers_of_the_start_before_it_begins() -> None:
    """A block that is given a speed before it is let go moves as built so: x = cos(w t) + v / w sin(w t)."""
    m = jd.Mechanism("oscillator")
    block = m.body("block", mass=2.0, inertia=1, position=(1, 0), angle=0, velocity=(0, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    m.actuator("spring", joint="S", stiffness=50.0)
    s = jd.session(m, rtol=1e-12)
    s.set("block.vx", 3.0)
    assert (s.t, s["block.vx"]) == (0.0, 3.0)
    s.advance(0.7)
    assert s["block.x"] == pytest.approx(math.cos(5 * 0.7) + 3 / 5 * math.sin(5 * 0.7), abs=1e-10)


def test_a_parameter_that_an_event_uses() -> None:
    """A stop that is moved while the ball falls: it ends there."""
    m = jd.Mechanism("falling", gravity=(0, -G))
    m.body("ball", mass=1, inertia=1, position=(0, 1), velocity=(0, 0))
    m.parameter("floor", 0.0)
    m.event("hit", "ball.y - floor", direction="falling", stop=True)
    s = jd.session(m, rtol=1e-12)
    s.advance(0.1)
    s.set("floor", 0.5)
    s.advance(1.0)
    assert s.t == pytest.approx(math.sqrt(1.0 / G), abs=1e-9) and s["ball.y"] == pytest.approx(0.5, abs=1e-9)


def test_a_hundred_thousand_numbers_leave_nothing_behind() -> None:
    s = jd.session(oscillator(), integrator="rk4", step=1e-3)
    s.advance(0.1)
    for k in range(100):
        s.set("push", 0.01 * k)
    gc.collect()
    before, long = len(gc.get_objects()), len(s.checkpoint())
    for k in range(100_000):
        s.set("push", 1e-3 * (k % 7))
    gc.collect()
    assert len(gc.get_objects()) < before + 100
    assert abs(len(s.checkpoint()) - long) < 100
    assert s.advance(0.1).ok


# edit: joints ---------------------------------------------------------------------------------------------------------


def two_bodies(joint: str = "", gap: tuple[float, float, float] = (0, 0, 0)) -> jd.Mechanism:
    """Two bodies that touch at P, or miss each other by a gap of two lengths and an angle."""
    m = jd.Mechanism("two")
    x, y, turn = gap
    a = m.body(
        "a", mass=2.0, inertia=0.3, position=(0, 0), angle=0, velocity=(1.0, 0.2), spin=0.5, points={"P": (0.5, 0)}
    )
    place = (0.5 + 0.5 * math.cos(turn) + x, 0.5 * math.sin(turn) + y)
    b = m.body(
        "b", mass=3.0, inertia=0.7, position=place, angle=turn, velocity=(-0.4, 0.1), spin=-1.5, points={"P": (-0.5, 0)}
    )
    if joint:
        m.joint(joint, "J", a["P"], b["P"])
    return m


def test_two_free_bodies_are_welded() -> None:
    """Momentum and moment of momentum stay; the energy that is lost is that of the motion against each other."""
    s = jd.session(two_bodies())
    before = s["energy.kinetic"]
    outcome = s.edit(two_bodies("weld"))
    assert outcome.ok and bool(outcome)
    vx, vy, c = (2 - 3 * 0.4) / 5, (2 * 0.2 + 3 * 0.1) / 5, 3 / 5  # c: mass centre of both, from a
    moment = 0.3 * 0.5 - 0.7 * 1.5 - 2 * c * (0.2 - vy) + 3 * (1 - c) * (0.1 - vy)
    inertia = 0.3 + 0.7 + 2 * c**2 + 3 * (1 - c) ** 2
    w = moment / inertia
    assert s[["a.spin", "b.spin"]] == pytest.approx([w, w], abs=20 * EPS)
    assert s[["a.vx", "b.vx"]] == pytest.approx([vx, vx], abs=20 * EPS)
    assert s[["a.vy", "b.vy"]] == pytest.approx([vy - w * c, vy + w * (1 - c)], abs=20 * EPS)
    lost = before - (5 * (vx**2 + vy**2) + inertia * w**2) / 2
    assert outcome.lost == pytest.approx(lost, rel=1e-12)
    assert s["energy.dissipated"] == pytest.approx(lost, rel=1e-12)
    # On the second body: its change of momentum, and its moment at P.
    jump = 3 * (vx + 0.4), 3 * (vy + w * (1 - c) - 0.1)
    assert outcome.impulses["J"] == pytest.approx((*jump, 0.7 * (w + 1.5) + 0.5 * jump[1]), rel=1e-11)
    assert "took 1.77 J" in outcome.sentence and outcome.sentence in s.notes
    assert s.advance(1.0).ok and s["violation.position"] < 1e-12


def test_two_free_bodies_are_pinned() -> None:
    """s^T L / 2 with L = K^-1 s, K = J M^-1 J^T at the point they share."""
    s = jd.session(two_bodies())
    outcome = s.edit(two_bodies("revolute"))
    arm = 0.5
    K = np.diag([1 / 2 + 1 / 3, 1 / 2 + 1 / 3 + arm**2 * (1 / 0.3 + 1 / 0.7)])
    slip = np.array([-0.4 - 1.0, (0.1 + 1.5 * arm) - (0.2 + 0.5 * arm)])  # of b against a
    L = np.linalg.solve(K, slip)
    assert outcome.lost == pytest.approx(slip @ L / 2, rel=1e-12)
    assert outcome.impulses["J"][:2] == pytest.approx(-L, rel=1e-12)
    assert s["a.spin"] == pytest.approx(0.5 + arm * L[1] / 0.3, rel=1e-12)
    assert s["b.spin"] == pytest.approx(-1.5 + arm * L[1] / 0.7, rel=1e-12)


def test_a_falling_bar_is_caught_by_a_pin() -> None:
    """About the pin the moment of momentum stays: w = m r v / (I + m r^2)."""

    def bar(pinned: bool) -> jd.Mechanism:
        m = jd.Mechanism("bar", gravity=(0, -G))
        body = m.body(
            "bar", mass=2.0, inertia=0.3, position=(0.4, 0), angle=0, velocity=(0, 0), points={"A": (-0.4, 0)}
        )
        hook = m.ground.point("O", (0, -G * 0.3**2 / 2))
        if pinned:
            m.revolute("pin", hook, body["A"])
        return m

    s = jd.session(bar(False), rtol=1e-12)
    s.advance(0.3)
    total = s["energy.total"]
    outcome = s.edit(bar(True))
    assert outcome.ok, outcome
    v = -G * 0.3
    w = 2 * 0.4 * v / (0.3 + 2 * 0.4**2)
    assert s["bar.spin"] == pytest.approx(w, rel=1e-10)
    assert outcome.lost == pytest.approx((2 * v**2 - (0.3 + 2 * 0.4**2) * w**2) / 2, rel=1e-9)
    assert s["energy.total"] == pytest.approx(total, abs=1e-9)  # what is dissipated is in it
    assert s.advance(1.0).ok
    assert s["energy.total"] == pytest.approx(total, abs=1e-9)


def slider(speed: float | None = None) -> jd.Mechanism:
    m = jd.Mechanism("slider")
    b = m.body("b", mass=2.0, inertia=1, position=(0, 0), angle=0, velocity=(1.0, 0), spin=0, points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), b["C"])
    if speed is not None:
        m.motion("drive", joint="S", speed=speed)
    return m


@pytest.mark.parametrize("speed", [2.0, 0.5, 0.0, -1.0, 1.0])
def test_a_motion_that_comes_into_force(speed: float) -> None:
    """s = v - u, L = m s: s L / 2 is dissipated, -u L is work of the drive; together they are the change of energy."""
    s = jd.session(slider())
    s.advance(0.5)
    outcome = s.edit(slider(speed))
    slip, L = 1.0 - speed, 2.0 * (1.0 - speed)
    assert outcome.ok and s["b.vx"] == pytest.approx(speed, abs=1e-14)
    assert outcome.lost == pytest.approx(slip * L / 2, abs=1e-13)
    assert s["energy.dissipated"] == pytest.approx(slip * L / 2, abs=1e-13)
    assert s["energy.driven"] == pytest.approx(-speed * L, abs=1e-13)
    assert s["energy.kinetic"] - 1.0 == pytest.approx(s["energy.driven"] - s["energy.dissipated"], abs=1e-13)
    assert bool(outcome.impulses) == (speed != 1.0)
    assert s.advance(0.5).ok and s["b.x"] == pytest.approx(0.5 + 0.5 * speed, abs=1e-9)


@pytest.mark.parametrize("gap", [(1e-3, 0, 0), (0, -0.02, 0), (0, 0, 0.3), (0.1, 0.2, 1.5)])
def test_a_joint_that_is_open_is_refused(gap: tuple[float, float, float]) -> None:
    """By name, in metres and radians; two refusals in a row change nothing."""
    s, other = (jd.session(two_bodies(gap=gap)) for _ in range(2))
    for _ in range(2):
        outcome = s.edit(two_bodies("weld"))
        assert not outcome and outcome.sentence.startswith("nothing was changed: 'J' is ")
        assert (" m" in outcome.sentence.partition("from closed")[0]) == bool(gap[0] or gap[1])
        assert (" rad" in outcome.sentence.partition("from closed")[0]) == bool(gap[2])
    for who in (s, other):
        who.advance(0.5)
    assert np.array_equal(s.y, other.y) and not s.notes


def told_radians(outcome: Any) -> float:
    """The angle in the sentence of a refusal, 0 if there is none."""
    found = re.search(r"([\d.e+-]+) rad from closed", outcome.sentence)
    return float(found[1]) if found else 0.0


@pytest.mark.parametrize("turn", [0.3, 1.5, 2.0, 3.0, -2.5, math.pi])
def test_a_weld_in_the_plane_tells_its_true_angle(turn: float) -> None:
    """Also beyond a right angle, where the sine is small again, and at half a turn, where it is none."""
    outcome = jd.session(two_bodies(gap=(0, 0, turn))).edit(two_bodies("weld", gap=(0, 0, turn)))
    assert not outcome and told_radians(outcome) == pytest.approx(abs(turn), rel=5e-3)  # three digits are told


@pytest.mark.parametrize("angle", [0.2, 1.4, 2.0, 3.0, math.pi])
@pytest.mark.parametrize("joint", ["weld", "revolute", "universal"])
def test_joints_in_space_tell_their_true_angles(joint: str, angle: float) -> None:
    """By Rodrigues' formula: the whole rotation of a weld; of a hinge the angle between its axes; of a universal joint
    how far its axes, perpendicular where it closes, are from that."""
    rng = np.random.default_rng(int(100 * angle))
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    N = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    R = np.eye(3) + math.sin(angle) * N + (1 - math.cos(angle)) * N @ N

    def body(held: str) -> jd.Mechanism:
        m = jd.Mechanism("turned", space="spatial")
        b = m.body("b", mass=1, inertia=(1, 2, 2.5), position=(0, 0, 0), matrix=R, velocity=(0, 0, 0), spin=(0, 0, 0))
        second = {"axis": (1, 0, 0)} if held == "universal" else {"axis": (0, 0, 1)}
        if held == "weld":
            second = {}
        if held:
            first = {} if held == "weld" else {"axis": (0, 0, 1)}
            m.joint(held, "J", m.ground.point("O", (0, 0, 0), **first), b.point("P", (0, 0, 0), **second))
        return m

    wanted = {"weld": angle, "revolute": math.acos(R[2, 2]), "universal": abs(math.asin(R[2, 0]))}[joint]
    outcome = jd.session(body("")).edit(body(joint))
    assert not outcome and told_radians(outcome) == pytest.approx(wanted, rel=5e-3)


def test_a_gap_that_projection_may_close() -> None:
    """1e-7 m of a machine of a metre."""
    s = jd.session(two_bodies(gap=(1e-7, 0, 0)))
    assert s.edit(two_bodies("weld")).ok
    assert s["violation.position"] < 1e-12 and abs(s["b.x"] - 1.0) < 1e-6


@pytest.mark.parametrize("machine, joint", [("four_bar", "C"), ("slider_crank", "B"), ("rssr", ""), ("heavy_top", "")])
@pytest.mark.parametrize("how", [{}, {"integrator": "rk4", "step": 1e-3}])
def test_a_joint_that_is_cut_takes_nothing_with_it(machine: str, joint: str, how: dict[str, Any]) -> None:
    """Positions, velocities and works stay, but for rounding of a projection on the joints that are left."""
    m = jd.example(machine)
    joint = joint or m.frozen().joints[-1].name
    s = jd.session(m, **how)
    s.advance(0.2)
    before, energies = s.state(), s[["energy.kinetic", "energy.dissipated", "energy.driven"]]
    outcome = s.edit(without(m, joint))
    assert outcome.ok, outcome
    assert not outcome.impulses and outcome.lost == pytest.approx(0, abs=1e-12)
    for name, body in s.state().items():
        if hasattr(body, "velocity"):
            for key in ("position", "velocity", "attitude", "spin"):
                size = max(1.0, float(np.max(np.abs(getattr(before[name], key)))))
                assert getattr(body, key) == pytest.approx(getattr(before[name], key), abs=1e-12 * size)
    assert s[["energy.kinetic", "energy.dissipated", "energy.driven"]] == pytest.approx(energies, rel=1e-12, abs=1e-12)
    assert f"{joint}.fx" not in s.channels
    assert s.advance(0.1).ok


def test_cut_and_at_once_back_is_the_same_motion() -> None:
    """Nothing moves in between, so no impulse is needed."""
    m = jd.example("four_bar")
    s, other = (jd.session(m, rtol=1e-11) for _ in range(2))
    for who in (s, other):
        who.advance(0.3)
    assert s.edit(without(m, "C")).ok
    outcome = s.edit(m)
    assert outcome.ok and outcome.lost == pytest.approx(0, abs=1e-9)
    for who in (s, other):
        who.advance(0.3)
    assert s["crank.angle"] == pytest.approx(other["crank.angle"], abs=1e-8)
    assert s["energy.dissipated"] == pytest.approx(other["energy.dissipated"], abs=1e-6)


# edit: the rest -------------------------------------------------------------------------------------------------------


def test_a_body_that_is_gone_is_told() -> None:
    m = jd.Mechanism("one")
    m.body("a", mass=2.0, inertia=0.3, position=(0, 0), angle=0, velocity=(1.0, 0.2), spin=0.5, points={"P": (0.5, 0)})
    s = jd.session(two_bodies())
    s.advance(0.1)
    place = s[["a.x", "a.y", "a.angle"]]
    outcome = s.edit(m)
    assert outcome.ok and "b" in outcome.sentence and "gone" in outcome.sentence
    assert list(s.state()) == ["a"]
    assert np.array_equal(s[["a.x", "a.y", "a.angle"]], place)


def test_the_state_of_an_element_goes_over_or_is_told() -> None:
    """Of a filter that stays, and of one that goes."""

    def machine(*filters: str) -> jd.Mechanism:
        m = slider()
        for name in filters:
            m.first_order(name, input="b.vx", time_constant=0.3)
        return m

    s = jd.session(machine("near", "far"))
    s.advance(0.3)
    states = [name for name in s.channels if name.startswith("near.")]
    assert states
    values = s[states]
    assert np.any(values)
    outcome = s.edit(machine("near"))
    assert outcome.ok and "far" in outcome.sentence
    assert s[states] == pytest.approx(values, rel=1e-15)


@pytest.mark.parametrize(
    "choices",
    [{"integrator": "radau"}, {"integrator": "rk4", "step": 1e-3}, {"treatment": "null-space"}, {"recipe": "nacf"}],
    ids=str,
)
def test_other_choices_keep_the_state_to_the_last_bit(choices: dict[str, Any]) -> None:
    """If they have the same coordinates; and works go on counting."""
    m = jd.example("four_bar")
    s = jd.session(m, integrator="rk6", step=1e-3)
    s.advance(0.3)
    y, t = s.y.copy(), s.t
    outcome = s.edit(**choices)
    assert outcome.ok and not outcome.impulses
    assert s.t == t
    if s.choices.set.name == "angle":
        assert np.array_equal(s.y, y)
    total = s["energy.total"]  # with what is dissipated and driven
    assert s["energy.dissipated"] > 100
    assert s.advance(0.5).ok
    # The balance holds to the coarsest of these methods at its step.
    assert s["energy.total"] == pytest.approx(total, rel=1e-5)


def test_what_edit_refuses_changes_nothing() -> None:
    s, other = (jd.session(jd.example("four_bar")) for _ in range(2))
    for who in (s, other):
        who.advance(0.2)
    for mechanism, choices, words in [
        (None, {"integrator": "rk5"}, "unknown integrator 'rk5'"),
        (None, {"integrater": "rk4"}, "no choice 'integrater'"),
        (None, {"coordinates": "quaternion"}, "nothing was changed"),
        (jd.example("bricard"), {}, "the mechanism is planar, the new one spatial"),
    ]:
        outcome = s.edit(mechanism, **choices)
        assert not outcome and words in outcome.sentence, outcome
    for who in (s, other):
        who.advance(0.3)
    assert np.array_equal(s.y, other.y)


def test_two_hundred_edits() -> None:
    """A joint that is cut and inserted, again and again: energy only goes, and is counted."""
    m = jd.example("double_pendulum")
    last = m.frozen().joints[-1].name
    s = jd.session(m, rtol=1e-10)
    s.advance(0.1)
    total = s["energy.total"]
    for _ in range(100):
        assert s.edit(without(m, last)).ok
        assert s.edit(m).ok
        s.advance(0.01)
    assert s["energy.total"] == pytest.approx(total, abs=1e-6)
    assert s["violation.position"] < 1e-10
    mark = s.checkpoint()
    s.advance(0.1)
    y = s.y.copy()
    s.restore(mark)
    s.advance(0.1)
    assert np.array_equal(s.y, y)


def test_a_state_begins_another_session() -> None:
    """`s.state()` is a start: of the same motion, to the tolerance."""
    m = jd.example("slider_crank")
    s = jd.session(m, rtol=1e-11)
    s.advance(0.3)
    other = jd.session(m, state=s.state(), rtol=1e-11)
    s.advance(0.2)
    other.advance(0.2)
    name = m.frozen().bodies[0].name
    assert other[f"{name}.angle"] == pytest.approx(s[f"{name}.angle"], abs=1e-8)
