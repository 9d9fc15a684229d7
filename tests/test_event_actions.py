"""What events do: stop, record, set, switch, call; impulses and clutches; thousands of events."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines

G = 9.81
# A step that makes each method exact to about 1e-11 on motions of order one; the events themselves are found to 1e-12.
INTEGRATORS: dict[str, dict[str, Any]] = {
    "dop853": {"rtol": 1e-12},
    "rk4": {"integrator": "rk4", "step": 2e-4},
    "rk6": {"integrator": "rk6", "step": 2e-3},
    "ab6": {"integrator": "ab6", "step": 1e-3},
}
every_integrator = pytest.mark.parametrize("how", INTEGRATORS.values(), ids=INTEGRATORS)


def oscillator(x: float = 1.0, k: float = 50.0, mass: float = 2.0) -> jd.Mechanism:
    m = jd.Mechanism("oscillator")
    block = m.body("block", mass=mass, inertia=1, position=(x, 0), angle=0, velocity=(0, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    m.parameter("k", k)
    m.actuator("spring", joint="S", stiffness="k")
    return m


def ball(height: float = 1.0) -> jd.Mechanism:
    m = jd.Mechanism("ball", gravity=(0, -G))
    m.body("ball", mass=1, inertia=1, position=(0, height), velocity=(0, 0), points={"C": (0, 0)})
    return m


@every_integrator
@pytest.mark.parametrize("coordinates", ["angle", "natural"])
def test_recorded_times(how: dict[str, Any], coordinates: str) -> None:
    """x = cos(5 t): zeros at (n + 1/2) pi / 5, rising and falling in turn."""
    m = oscillator()
    m.event("down", "block.x", direction="falling")
    m.event("up", "block.x", direction="rising")
    m.event("each", "block.x", direction="both")
    m.event("top", "block.vx", direction="falling")
    run = jd.simulate(m, 3.0, coordinates=coordinates, **how)
    zeros = (np.arange(5) + 0.5) * math.pi / 5
    assert run.events["each"].t == pytest.approx(zeros[zeros < 3], abs=1e-10)
    assert run.events["down"].t == pytest.approx(zeros[::2][zeros[::2] < 3], abs=1e-10)
    assert run.events["up"].t == pytest.approx(zeros[1::2], abs=1e-10)
    assert run.events["top"].t == pytest.approx([2 * math.pi / 5, 4 * math.pi / 5], abs=1e-10)
    # A Solution of the moments: channels as anywhere.
    assert run.events["each"]["block.x"] == pytest.approx(0.0, abs=1e-9)
    assert np.abs(run.events["each"]["block.vx"]) == pytest.approx(5.0, abs=1e-8)


@every_integrator
def test_stop(how: dict[str, Any]) -> None:
    """A ball stops the run where it lands, and the last sample is there."""
    m = ball()
    m.event("floor", "ball.y", direction="falling", stop=True)
    run = jd.simulate(m, 2.0, **how)
    landing = math.sqrt(2 / G)
    assert run.t[-1] == pytest.approx(landing, abs=1e-10)
    assert run["ball.vy"][-1] == pytest.approx(-G * landing, abs=1e-9)
    assert run.status.ok
    assert "by event floor" in run.status.sentence


@every_integrator
def test_stiffness_jump(how: dict[str, Any]) -> None:
    """Falling through zero, k goes from 50 to 200 to 800: twice the frequency and half the amplitude each time."""
    m = oscillator()
    m.event("jump", "block.x", direction="falling", set={"k": "4*k"})
    t = np.linspace(0, 1.2, 121)
    run = jd.simulate(m, times=t, **how)
    t0 = math.pi / 10  # v = -5 here; w = 10 from now on, and the next falling zero is a period of it later
    t1 = t0 + math.pi / 5
    later = np.where(t < t1, -0.5 * np.sin(10 * (t - t0)), -0.25 * np.sin(20 * (t - t1)))
    assert run.events["jump"].t == pytest.approx([t0, t1], abs=1e-9)
    assert run["block.x"] == pytest.approx(np.where(t < t0, np.cos(5 * t), later), abs=1e-8)


@every_integrator
def test_force_switched(how: dict[str, Any]) -> None:
    """A push that is off at first, on from x = 1, off again from x = 3: piecewise uniform acceleration."""
    m = jd.Mechanism("push")
    block = m.body("block", mass=2, inertia=1, position=(0, 0), velocity=(1, 0), points={"C": (0, 0)})
    m.force("push", on=block["C"], vector=(8, 0))
    m.switch_off("push")
    m.event("begin", "block.x - 1", on=["push"])
    m.event("end", "block.x - 3", off=["push"])
    run = jd.simulate(m, 4.0, **how)
    end = 1 + (-1 + math.sqrt(1 + 16)) / 4  # 2 = s + 2 s^2
    assert run.events["begin"].t == pytest.approx([1.0], abs=1e-10)
    assert run.events["end"].t == pytest.approx([end], abs=1e-9)
    final = math.sqrt(1 + 2 * 4 * 2)
    assert run["block.vx"][-1] == pytest.approx(final, abs=1e-9)
    assert run["block.x"][-1] == pytest.approx(3 + final * (4 - end), abs=1e-8)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8)


# Switched joints ----------------------------------------------------------------------------------------------------


@every_integrator
def test_pendulum_let_go(how: dict[str, Any]) -> None:
    """Released where it hangs down, a pendulum flies on: its centre on a parabola, its spin kept."""
    m = jd.Mechanism("release", gravity=(0, -G))
    body = m.body("bar", mass=2, inertia=2 / 12, position=(0.5, 0), angle=0, points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), body["A"])
    m.event("down", "bar.x", direction="falling", off=["A"])
    run = jd.simulate(m, 1.5, **how)
    moment = run.events["down"]
    w = -math.sqrt(3 * G)  # m g/2 = I w^2 / 2 with I = m/3
    assert moment["bar.spin"] == pytest.approx([w], abs=1e-8)
    late = run.t > moment.t[0]
    s = run.t[late] - moment.t[0]
    assert run["bar.x"][late] == pytest.approx(0.5 * w * s, abs=1e-7)
    assert run["bar.y"][late] == pytest.approx(-0.5 - 0.5 * G * s**2, abs=1e-7)
    assert run["bar.angle"][late] == pytest.approx(-math.pi / 2 + w * s, abs=1e-7)
    assert np.all(run["A.fx"][late] == 0)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8)


def momentum(run: jd.Solution, names: tuple[str, ...], masses: tuple[float, ...], about: Any) -> np.ndarray:
    """Linear momentum and angular momentum about a point, of planar bodies of unit inertia."""
    p = sum(m * np.stack([run[f"{b}.vx"], run[f"{b}.vy"]]) for b, m in zip(names, masses, strict=True))
    L = sum(
        m * ((run[f"{b}.x"] - about[0]) * run[f"{b}.vy"] - (run[f"{b}.y"] - about[1]) * run[f"{b}.vx"])
        + run[f"{b}.spin"]
        for b, m in zip(names, masses, strict=True)
    )
    return np.stack([p[0], p[1], L])


@every_integrator
@pytest.mark.parametrize("coordinates", ["angle", "natural"])
def test_two_bodies_welded(how: dict[str, Any], coordinates: str) -> None:
    """Two free bodies meet and are welded: momentum and angular momentum about any point go on, energy is dissipated.

    Body a flies at 2 m/s into b; at t = 1/2 their points touch with the same attitude.
    """
    masses = (2.0, 3.0)
    m = jd.Mechanism("weld")
    a = m.body("a", mass=2, inertia=1, position=(0, 0), angle=0, velocity=(2, 0.4), spin=0, points={"P": (0.5, 0.1)})
    b = m.body("b", mass=3, inertia=1, position=(2, 0.2), angle=0, velocity=(0, 0), spin=0, points={"Q": (-0.5, 0.1)})
    m.weld("W", a["P"], b["Q"])
    m.switch_off("W")
    m.event("touch", "a.P.x - b.Q.x", on=["W"])
    run = jd.simulate(m, times=np.linspace(0, 1.5, 31), coordinates=coordinates, **how)
    assert run.events["touch"].t == pytest.approx([0.5], abs=1e-10)
    for about in ((0.0, 0.0), (3.0, -7.0)):
        whole = momentum(run, ("a", "b"), masses, about)
        assert whole == pytest.approx(np.repeat(whole[:, :1], 31, axis=1), abs=1e-8)
    late = run.t > 0.5
    assert run["a.spin"][late] == pytest.approx(run["b.spin"][late], abs=1e-8)
    # By hand: velocity of the common centre, spin from angular momentum about it.
    v = np.array([2.0 * 2, 2.0 * 0.4]) / 5
    apart = np.array([1.0, 0.0])  # from a's centre to b's at the touch
    w = -(2 * 3 / 5) * (apart[0] * 0.4 - apart[1] * 2) / (2 + 2 * 3 / 5 * 1.0)
    energy = 0.5 * 5 * (v @ v) + 0.5 * (2 + 6 / 5) * w**2
    assert run["a.spin"][-1] == pytest.approx(w, abs=1e-8)
    assert run.energy.kinetic[-1] == pytest.approx(energy, abs=1e-8)
    lost = 0.5 * 2 * (4 + 0.16) - energy
    assert run.energy.dissipated[late] == pytest.approx(lost, abs=1e-8)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8)


def test_welded_in_space() -> None:
    """Two spatial bodies of unequal inertia, welded while they turn: six momenta conserved."""
    m = jd.Mechanism("weld", gravity=(0, 0, 0))
    inertias = {"a": (0.5, 0.7, 0.9), "b": (0.4, 0.3, 0.6)}
    a = m.body(
        "a",
        mass=2,
        inertia=inertias["a"],
        position=(0, 0, 0),
        velocity=(1, 0, 0),
        spin=(0, 0, 0),
        points={"P": (0.5, 0.2, 0.1)},
    )
    b = m.body(
        "b", mass=3, inertia=inertias["b"], position=(1.5, 0.4, 0.3), velocity=(0, 0, 0), spin=(0, 0, 0),
        points={"Q": (-0.5, -0.2, -0.2)},
    )  # fmt: skip
    m.weld("W", a["P"], b["Q"])
    m.switch_off("W")
    m.event("touch", "a.P.x - b.Q.x", on=["W"])
    run = jd.simulate(m, 2.0, rtol=1e-12)
    assert run.events["touch"].t == pytest.approx([0.5], abs=1e-10)
    total, p = np.zeros((3, len(run.t))), np.zeros((3, len(run.t)))
    for name, mass in (("a", 2.0), ("b", 3.0)):
        v, x, w = (np.stack([run[f"{name}.{k}{c}"] for c in "xyz"]) for k in ("v", "", "w"))
        R = rotation(*(run[f"{name}.q{c}"] for c in "wxyz"))
        spin = np.einsum("ijt,j,kjt,kt->it", R, inertias[name], R, w)
        total += mass * np.cross(x, v, axis=0) + spin
        p += mass * v
    assert p == pytest.approx(np.repeat(p[:, :1], len(run.t), axis=1), abs=1e-9)
    assert total == pytest.approx(np.repeat(total[:, :1], len(run.t), axis=1), abs=1e-8)
    assert run.energy.dissipated[-1] > 0.1
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8)


def rotation(w: Any, x: Any, y: Any, z: Any) -> Any:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@every_integrator
@pytest.mark.parametrize("ratio", [1.0, -2.0])
def test_clutch(how: dict[str, Any], ratio: float) -> None:
    """A gear switched on between a turning and a resting shaft: J1 (w0 - w1) = J2 w1 / i^2, by the impulse."""
    J1, J2, w0 = 0.3, 0.8, 10.0
    m = jd.Mechanism("clutch")
    for name, inertia, spin in (("a", J1, w0), ("b", J2, 0.0)):
        body = m.body(name, mass=1, inertia=inertia, position=(0, 0), angle=0, spin=spin, points={"C": (0, 0)})
        m.revolute(name.upper(), m.ground.point(name.upper(), (0, 0)), body["C"])
    m.gear("clutch", joints=("A", "B"), ratio=ratio)
    m.switch_off("clutch")
    m.event("engage", "t - 1", on=["clutch"])
    m.event("release", "t - 2", off=["clutch"])
    run = jd.simulate(m, 3.0, **how)
    w1 = J1 * w0 / (J1 + J2 / ratio**2)
    late = run.t > 1
    assert run.events["engage"].t == pytest.approx([1.0], abs=1e-10)
    assert run["A.speed"][late] == pytest.approx(w1, abs=1e-8)
    assert run["B.speed"][late] == pytest.approx(w1 / ratio, abs=1e-8)
    assert run["B.angle"][late] == pytest.approx(w1 / ratio * (run.t[late] - 1), abs=1e-7)
    lost = 0.5 * J1 * w0**2 - 0.5 * (J1 + J2 / ratio**2) * w1**2
    assert run.energy.dissipated[-1] == pytest.approx(lost, abs=1e-8)


@every_integrator
def test_joint_off_and_on_again(how: dict[str, Any]) -> None:
    """A block leaves its rail and is caught on it again: the velocity across is lost, the one along is kept.

    Off the rail y'' = 2.5 - 4 s, so y = 1.25 s^2 - 2/3 s^3: back at s = 15/8 with y' = -75/32.
    """
    m = jd.Mechanism("rail")
    block = m.body("block", mass=2, inertia=1, position=(0, 0), angle=0, velocity=(3, 0), spin=0, points={"C": (0, 0)})
    m.point_on_line("rail", m.ground.point("O", (0, 0)), block["C"])
    m.force("push", on=block["C"], vector=(0, "5 - 8*(t - 1)"))
    m.event("leave", "t - 1", off=["rail"])
    m.event("back", "block.y", direction="falling", on=["rail"])
    run = jd.simulate(m, times=np.linspace(0, 4, 81), **how)
    back = 1 + 15 / 8
    assert run.events["back"].t == pytest.approx([back], abs=1e-9)
    assert run["block.vx"] == pytest.approx(3.0, abs=1e-9)
    s = np.clip(run.t - 1, 0, 15 / 8)
    assert run["block.y"] == pytest.approx(1.25 * s**2 - 2 / 3 * s**3, abs=1e-8)
    held = (run.t < 1) | (run.t > back)
    assert run["rail.fy"][held] == pytest.approx(-5 + 8 * (run.t[held] - 1), abs=1e-8)
    assert np.all(run["rail.fy"][(run.t > 1.01) & (run.t < back)] == 0)
    lost = np.where(run.t > back, 0.5 * 2 * (75 / 32) ** 2, 0.0)
    assert run.energy.dissipated == pytest.approx(lost, abs=1e-8)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8)


def test_open_joint_is_refused() -> None:
    """Switched on while its points are apart: the run ends with a sentence that names it and its gap."""
    m = jd.Mechanism("apart")
    a = m.body("a", mass=2, inertia=1, position=(0, 0), velocity=(1, 0), points={"P": (0, 0)})
    m.revolute("R", m.ground.point("O", (5, 0)), a["P"])
    m.switch_off("R")
    m.event("grab", "t - 1", on=["R"])
    with pytest.warns(jd.SimulationWarning, match="cannot come into force here"):
        run = jd.simulate(m, 2.0)
    assert "R cannot come into force here: 'R' is 4 (m or rad) from closed" in run.status.sentence
    assert not run.status.ok
    assert run["a.x"][-1] <= 1.0 + 1e-9


# Functions ----------------------------------------------------------------------------------------------------------


def test_call() -> None:
    """A function sees the moment and may set, switch and stop."""
    seen: list[tuple[float, float, float]] = []

    def act(moment: Any) -> None:
        seen.append((moment.t, moment["block.vx"], moment["k"]))
        moment.set("k", 4 * moment["k"])
        if len(seen) == 2:
            moment.stop()

    m = oscillator()
    m.event("zero", "block.x", direction="falling", call=act)
    run = jd.simulate(m, 9.0, rtol=1e-12)
    assert seen[0] == pytest.approx((math.pi / 10, -5.0, 50.0), abs=1e-8)
    assert seen[1] == pytest.approx((math.pi / 10 + math.pi / 5, -5.0, 200.0), abs=1e-8)
    assert run.t[-1] == pytest.approx(math.pi / 10 + math.pi / 5, abs=1e-9)
    assert "by event zero" in run.status.sentence


def test_bouncing_by_a_function() -> None:
    """At each landing a function makes the floor stiff, at each start it takes it away: a ball that keeps bouncing.

    Contact of stiffness k takes pi/w plus a little for the weight: each bounce repeats the last, period in closed form.
    """
    m = ball(1.0)
    m.parameter("k", 0.0)
    m.force("floor", on=m["ball"]["C"], vector=(0, "-k*ball.y"))
    stiff = 1e4
    m.event("land", "ball.y", direction="falling", call=lambda moment: moment.set("k", stiff))
    m.event("lift", "ball.y", direction="rising", call=lambda moment: moment.set("k", 0.0))
    run = jd.simulate(m, 4.0, rtol=1e-12)
    w, fall = math.sqrt(stiff), math.sqrt(2 / G)
    contact = 2 * (math.pi - math.atan2(G * fall / w, G / w**2)) / w
    land = fall + (2 * fall + contact) * np.arange(5)
    assert run.events["land"].t == pytest.approx(land[land < 4], abs=1e-8)
    assert run.events["lift"].t == pytest.approx((land + contact)[land + contact < 4], abs=1e-8)


@every_integrator
def test_five_thousand_events(how: dict[str, Any]) -> None:
    """A rotor counts 5,000 turns at 20 rad/s, each where it belongs; 1e-10 a step adds up to 1e-7 s."""
    turns = 5000
    m = jd.Mechanism("counter")
    body = m.body("rotor", mass=1, inertia=1, position=(0, 0), angle=-0.1, spin=20.0, points={"C": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), body["C"])
    m.parameter("count", 0.0)
    m.event("turn", "sin(A.angle/2)", direction="both", set={"count": "count + 1"})
    how = {k: v for k, v in how.items() if k != "step"} | ({"step": 2e-2} if "step" in how else {})
    until = (turns - 0.5) * 2 * math.pi / 20 + 0.1 / 20
    run = jd.simulate(m, times=np.linspace(0, until, 11), **how)
    t = run.events["turn"].t
    assert len(t) == turns
    assert t == pytest.approx((0.1 + 2 * math.pi * np.arange(turns)) / 20, abs=1e-7)


def test_error_in_a_call_keeps_the_solution() -> None:
    m = oscillator()

    def act(moment: Any) -> None:
        raise ZeroDivisionError("of the user")

    m.event("zero", "block.x", direction="falling", call=act)
    with pytest.raises(jd.JourdainError, match=r"event.*ZeroDivisionError: of the user") as caught:
        jd.simulate(m, 3.0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    run = caught.value.solution
    assert run.t[-1] <= math.pi / 10 + 1e-9
    assert run["block.x"] == pytest.approx(np.cos(5 * run.t), abs=1e-7)
    assert len(run.t) > 10


def test_unknown_parameter_in_a_call() -> None:
    m = oscillator()
    m.event("zero", "block.x", direction="falling", call=lambda moment: moment.set("kk", 1.0))
    with pytest.raises(jd.JourdainError, match="kk"):
        jd.simulate(m, 3.0)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown channel": ({"when": "block.z"}, "'block' has no channel 'z'"),
    "unknown part": ({"when": "block.x", "off": ["belt"]}, "belt"),
    "unknown parameter": ({"when": "block.x", "set": {"kk": 1}}, "kk"),
    "direction": ({"when": "block.x", "direction": "up"}, "direction is 'up'"),
}


@pytest.mark.parametrize(("keys", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(keys: dict[str, Any], words: str) -> None:
    m = oscillator()
    m.event("e", keys["when"], **{k: v for k, v in keys.items() if k != "when"})
    with pytest.raises(jd.MechanismError, match=words):
        jd.simulate(m, 1.0)


def test_gears_that_shift_conserve_momentum_along_the_new_ratio() -> None:
    """r' I1 w1 + I2 w2 is not changed by an impulse along (1, -r'); positions do not jump."""
    inertia, before, after, start = (0.3, 0.7), 2.0, 3.0, 1.5
    m = jd.Mechanism("gearbox")
    for k, name in enumerate("AB"):
        spin = start if k == 0 else start / before
        body = m.body(f"w{k}", mass=1, inertia=inertia[k], position=(k, 0), angle=0, spin=spin, points={"O": (0, 0)})
        m.revolute(name, m.ground.point(name, (k, 0)), body["O"])
    m.parameter("r", before)
    m.gear("G", joints=("A", "B"), ratio="r")
    m.event("shift", "t - 0.5", set={"r": after})
    run = jd.simulate(m, times=[0, 0.5 - 1e-9, 0.5 + 1e-9, 1.0])
    second = (after * inertia[0] * start + inertia[1] * start / before) / (after**2 * inertia[0] + inertia[1])
    np.testing.assert_allclose(run["w1.spin"][2:], second, rtol=1e-12)
    np.testing.assert_allclose(run["w0.spin"][2:], after * second, rtol=1e-12)
    np.testing.assert_allclose(run["w0.angle"][1:3], start * 0.5, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.energy.total, run.energy.total[0], rtol=1e-12)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("no")])
def test_what_is_told_where_a_function_of_an_event_fails(error: BaseException) -> None:
    def fail(moment: Any) -> None:
        raise error

    m = machines.pendulum_bar()
    m.event("half", when="t - 0.5", call=fail)
    if isinstance(error, KeyboardInterrupt):
        with pytest.warns(jd.SimulationWarning):
            status = jd.simulate(m, 1.0).status
        assert status.interrupted and status.sentence == "interrupted at t = 0.5 s; what was computed is kept"
    else:
        with pytest.raises(jd.SimulationError, match="ValueError: no") as caught:
            jd.simulate(m, 1.0)
        assert caught.value.solution.status.sentence == "stopped at t = 0.5 s: the function of an event failed"


def test_a_clutch_engages_where_other_joints_have_drifted() -> None:
    """Baumgarte leaves joints open by 6e-6 m here, which is no reason not to close another."""
    m = jd.Mechanism("clutch", gravity=(0, -9.81))
    for name, x in (("a", 0.0), ("b", 2.0)):
        points = {"A": (-0.5, 0), "C": (0.5, 0)}
        bar = m.body(name, mass=1, inertia=0.1, position=(x + 0.5, 0), velocity=(0, 0), spin=0, points=points)
        m.revolute(f"pin_{name}", m.ground.point(name.upper(), (x, 0)), bar["A"])
    m.gear("clutch", joints=["pin_a", "pin_b"], ratio=2)
    m.switch_off("clutch")
    m.event("on", when="t - 0.5", on="clutch")
    best = jd.simulate(m, 2.0)
    run = jd.simulate(m, 2.0, stabilisation="baumgarte", step=1e-2)
    assert run.status.ok and abs(run["a.C.y"] - best["a.C.y"]).max() < 1e-3


def test_moments_of_events_show_themselves() -> None:
    """Also an event that never happened."""
    m = jd.Mechanism("fall", gravity=(0, -9.81))
    m.body("ball", mass=1, inertia=0.1, position=(0, 0), angle=0)
    m.event("low", "-1 - ball.y")
    m.event("high", "ball.y - 1")
    run = jd.simulate(m, 1.0)
    end = f"{math.sqrt(2 / 9.81):g}"
    assert repr(run.events["low"]) == f"<Solution of fall: 1 samples to t = {end} s; moments of an event>"
    assert repr(run.events["high"]) == "<Solution of fall: 0 samples; moments of an event>"
    assert "moments of an event" in run.events["low"].summary()
