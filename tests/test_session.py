"""A session: the bits of `simulate`, whoever looks, pauses or interrupts; how far it goes, what it keeps, refuses."""

from __future__ import annotations

import contextlib
import gc
import math
import threading
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
import session_ways
from test_stiff import tied_pair

METHODS: dict[str, dict[str, Any]] = {
    "auto": {},
    "dop853": {"integrator": "dop853"},
    "dopri5": {"integrator": "dopri5"},
    "radau": {"integrator": "radau"},
    "bdf": {"integrator": "bdf"},
    "rk4": {"integrator": "rk4", "step": 2e-3},
    "rk6": {"integrator": "rk6", "step": 4e-3},
    "ab6": {"integrator": "ab6", "step": 1e-3},
    "newmark": {"integrator": "newmark", "step": 1e-3},
    "generalized-alpha": {"integrator": "generalized-alpha", "step": 2e-3},
}
every_method = pytest.mark.parametrize("how", METHODS.values(), ids=METHODS)


def over(s: jd.Session, times: Any) -> np.ndarray:
    """States at times, one advance for each."""
    found = []
    for t in times:
        s.advance(to=float(t))
        found.append(s.y.copy())
    return np.array(found)


# The bits of simulate -------------------------------------------------------------------------------------------------


COVERING = session_ways.covering()


@pytest.mark.parametrize("machine, way", COVERING)
def test_a_session_over_a_grid_has_the_bits_of_simulate(machine: str, way: str) -> None:
    """So it has restored from checkpoints on the way, in the same session and in another; every way is for the soak."""
    assert not session_ways.check(machine, way)


def bouncing(**keys: Any) -> jd.Mechanism:
    """A pendulum that is let go, caught by a weld at its lowest point, and counts how often it passes."""
    m = jd.Mechanism("events", gravity=(0, -9.81))
    bar = m.body("bar", mass=2.0, inertia=0.3, position=(0.5, 0), angle=0, points={"A": (-0.5, 0), "C": (0, 0)})
    weight = m.body("weight", mass=1.0, inertia=0.1, position=(0, -2), angle=0, velocity=(1, 0), points={"C": (0, 0)})
    m.revolute("pin", m.ground.point("O", (0, 0)), bar["A"])
    m.prismatic("rail", m.ground.point("R", (0, -2)), weight["C"])
    m.parameter("pull", 0.0)
    m.force("wind", on=weight["C"], vector=("pull", "0"))
    m.event("low", "bar.vx", direction="both", set={"pull": "pull - 2"})
    m.event("off", "t - 0.9", off="rail")
    return m


CROSSING: dict[str, tuple[jd.Mechanism, float, dict[str, Any]]] = {
    "events": (bouncing(), 1.6, {}),
    "events in rk4": (bouncing(), 1.6, METHODS["rk4"]),
    "events in ab6": (bouncing(), 1.6, METHODS["ab6"]),
    "events in radau": (bouncing(), 1.6, METHODS["radau"]),
    "events in bdf": (bouncing(), 1.6, METHODS["bdf"]),
    "stiff until an event": (tied_pair(event=True), 1.2, {}),
    "stiff governor": (machines.governor(0.5), 1.0, {}),
    "singular slider-crank": (jd.example("singular_slider_crank"), 2.5, {}),
    "singular slider-crank in rk4": (jd.example("singular_slider_crank"), 2.5, METHODS["rk4"]),
    "singular four-bars": (machines.n_four_bar(4), 0.9, {}),
}


@pytest.mark.parametrize("machine, duration, how", CROSSING.values(), ids=CROSSING)
def test_checkpoints_on_the_way_through_events_takeovers_and_crossings(
    machine: jd.Mechanism, duration: float, how: dict[str, Any]
) -> None:
    """Wherever it is interrupted: just before, inside or just after."""
    run = jd.simulate(machine, times=np.linspace(0, duration, 61), **how)
    s, other = (jd.session(machine, **how) for _ in range(2))
    marks = [s.checkpoint()]
    for t in run.t[1:]:
        s.advance(to=t)
        marks.append(s.checkpoint())
    assert np.array_equal(s.y, run.samples[-1])
    for k in range(0, 60, 3):
        for who in (s, other):
            who.restore(marks[k])
            assert (who.t, *who.y) == (run.t[k], *run.samples[k])
            assert np.array_equal(over(who, run.t[k + 1 : k + 3]), run.samples[k + 1 : k + 3])
    other.restore(marks[20])
    assert np.array_equal(over(other, run.t[21:]), run.samples[21:])


def test_these_machines_do_meet_what_the_test_above_is_about() -> None:
    """Else it would show nothing."""
    runs = {name: jd.simulate(m, duration, **how) for name, (m, duration, how) in CROSSING.items()}
    assert len(runs["events"].events["low"].t) >= 1
    for name in ("stiff until an event", "stiff governor"):
        assert any("radau took over" in note for note in runs[name].status.notes)
    assert any("singular position crossed" in note for note in runs["singular four-bars"].status.notes)


def test_a_checkpoint_inside_a_crossing() -> None:
    """Times so close together that some lie within the short steps through the singular position."""
    machine, duration, how = CROSSING["singular four-bars"]
    s = jd.session(machine, **how)
    while not s.crossing.active:
        assert s.t < duration
        s.advance(2e-3)
    mark, times = s.checkpoint(), s.t + np.linspace(1e-3, 0.2, 40)
    wanted, other = over(s, times), jd.session(machine, **how)
    other.restore(mark)
    assert other.crossing.active
    assert np.array_equal(over(other, times), wanted)


# Whoever looks --------------------------------------------------------------------------------------------------------

LOOKED_AT = ("events", "stiff until an event", "singular four-bars")


@pytest.mark.parametrize("pause", [1, 7])
@pytest.mark.parametrize("name", LOOKED_AT)
def test_pauses_change_nothing(name: str, pause: int) -> None:
    """The loop gives control back after so many steps; what it would forget there is state."""
    machine, duration, how = CROSSING[name]
    one, two = (jd.session(machine, **how) for _ in range(2))
    times = np.linspace(0, min(duration, 1.2), 7)[1:]
    two.loop.pause = pause
    assert np.array_equal(over(one, times), over(two, times))


@every_method
def test_pauses_ends_and_reading_change_nothing(how: dict[str, Any]) -> None:
    """Another pause; another end of `simulate`; every channel read between two advances."""
    m = jd.example("slider_crank")
    times = np.linspace(0, 0.5, 11)
    run = jd.simulate(m, times=times, **how)
    longer = jd.simulate(m, times=np.append(times, [0.77, 3.0]), **how)
    assert np.array_equal(longer.samples[:11], run.samples)
    s = jd.session(m, **how)
    s.loop.pause = 1
    channels = s.channels
    for t, y in zip(run.t[1:], run.samples[1:], strict=True):
        s.advance(to=t)
        assert np.array_equal(s.y, y)
        s[channels]
        s.state(), s.notes, s.status, s.solution()  # looked at, nothing else


@pytest.mark.parametrize("name", ["dop853", "dopri5", "radau", "bdf", "auto"])
def test_more_stops_on_the_way_change_nothing_in_error_control(name: str) -> None:
    """A method that chooses its steps itself may have computed beyond where it stands: stops cut no step."""
    m = jd.example("four_bar")
    one, two = (jd.session(m, **METHODS[name]) for _ in range(2))
    fine = np.linspace(0, 1, 101)
    assert np.array_equal(over(one, fine[20::20]), over(two, fine[1:])[19::20])


@pytest.mark.parametrize("machine", ["four_bar", "motor_crank", "flyball_governor", "rolling_disc", "hanging_chain"])
def test_channels_are_those_of_the_sample_to_the_last_bit(machine: str) -> None:
    """Angles of spatial joints that wind are left out: a session counts their turns from its start, in steps of half a
    turn at most from what it was then, and a run from sample to sample."""
    m = jd.example(machine)
    run = jd.simulate(m, times=np.linspace(0, 0.4, 9))
    s = jd.session(m)
    spatial = m.frozen().space == "spatial"
    winding = (
        {f"{j.name}.{what}" for j in m.frozen().joints for what in ("angle", "displacement")} if spatial else set()
    )
    for k, t in enumerate(run.t):
        s.advance(to=t)
        for channel in set(run.channels) - winding:
            assert s[channel] == run[channel][k] or (math.isnan(s[channel]) and math.isnan(run[channel][k])), channel
    assert s.channels == run.channels
    with pytest.raises(KeyError, match="did you mean"):
        s[run.channels[0] + "x"]


# How far --------------------------------------------------------------------------------------------------------------


def test_advance_by_a_span_and_to_a_time() -> None:
    s = jd.session(jd.example("pendulum"))
    status = s.advance(0.25)
    assert status.ok and s.t == 0.25
    assert s.advance(to=0.75).ok and s.t == 0.75
    assert s.advance(to=0.75).ok and s.t == 0.75
    assert "0.75" in repr(s)


@pytest.mark.parametrize(
    "given, keys, words",
    [
        ((), {}, "either a time span or to="),
        ((0.1,), {"to": 1.0}, "either a time span or to="),
        ((math.nan,), {}, "advance got nan"),
        ((), {"to": math.inf}, "advance got inf"),
        (("1",), {}, "expected seconds"),
        (("soon",), {}, "advance is 'soon': .* expected a number, or a time like '3 s'"),
        ((True,), {}, "advance got True; expected seconds"),
        ((), {"to": True}, "advance got True; expected seconds"),
        (([0.1],), {}, "expected seconds"),
        ((1j,), {}, "expected seconds"),
        ((-0.1,), {}, "positive number of seconds"),
        ((), {"to": 0.25}, "stands at t = 0.5 s and goes forward only, not to 0.25 s; restore a checkpoint"),
    ],
)
def test_what_advance_refuses(given: tuple[Any, ...], keys: dict[str, Any], words: str) -> None:
    """And stays where it is."""
    s = jd.session(jd.example("pendulum"))
    s.advance(0.5)
    y = s.y.copy()
    with pytest.raises(jd.ChoiceError, match=words):
        s.advance(*given, **keys)
    assert s.t == 0.5 and np.array_equal(s.y, y)


@pytest.mark.parametrize(
    "keys, words",
    [
        ({"until": 0.0}, "until is 0.0; expected a time after the start"),
        ({"until": math.nan}, "until is nan"),
        ({"times": [1.0, 2.0], "until": 1.0}, "after the start, 1 s"),
        ({"every": -1.0}, "every is -1.0; expected a positive"),
        ({"every": 0.1, "times": [0.0, 1.0]}, "either times or every"),
        ({"times": [1.0, 0.0]}, "strictly increasing"),
        ({"times": [0.0, math.nan]}, "finite"),
        ({"integrater": "rk4"}, "no choice 'integrater'.*did you mean 'integrator'"),
        ({"untl": 1.0}, "no choice 'untl'.*did you mean 'until'"),
        ({"until": True}, "until is True; expected a time"),
        ({"until": "1"}, "until is '1'; expected a time"),
        ({"until": math.inf}, "until is inf; expected a time"),
        ({"every": True}, "every is True; expected a positive number of seconds"),
        ({"every": math.inf}, "every is inf; expected a positive number of seconds"),
        ({"times": [False, True]}, "expected increasing numbers"),
        ({"times": [0.0, True]}, "expected increasing numbers"),
        ({"times": np.array([False, True])}, "expected increasing numbers"),
        ({"times": ["0", "1"]}, "expected increasing numbers"),
        ({"times": [0.0, math.inf]}, "finite"),
        ({"times": 5}, "strictly increasing"),
        ({"state": 5}, "state is 5; expected states by name"),
    ],
)
def test_what_a_session_refuses_to_begin_with(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(jd.ChoiceError, match=words):
        jd.session(jd.example("pendulum"), **keys)


def test_what_is_no_mechanism() -> None:
    for wrong in (5, b"four_bar", None):
        for function in (jd.session, jd.simulate):
            with pytest.raises(jd.ChoiceError, match=r"is no mechanism; jd\.Mechanism"):
                function(wrong)  # type: ignore[operator]


def test_a_misspelt_argument_of_simulate() -> None:
    with pytest.raises(jd.ChoiceError, match=r"simulate has no argument 'integrater'.*did you mean 'integrator'"):
        jd.simulate(jd.example("pendulum"), 0.1, integrater="rk4")  # type: ignore[call-arg]


@pytest.mark.parametrize("wrong", [5, None, 1.5, True, b"bar.x", {}, [5], ["bar.x", None]], ids=repr)
def test_what_is_no_channel(wrong: Any) -> None:
    s = jd.session(jd.example("pendulum"))
    with pytest.raises(TypeError, match="expected the name of a channel, such as 'bar"):
        s[wrong]


def test_numbers_of_numpy_are_numbers() -> None:
    s = jd.session(jd.example("pendulum"), integrator="rk4", step=1e-3, until=np.float32(2.0), every=np.int64(1))
    assert s.step(np.int64(3)).ok and s.t == pytest.approx(0.003)  # type: ignore[arg-type]
    assert s.advance(to=np.float32(0.5)).ok and s.t == 0.5


def test_whole_steps() -> None:
    """Each of exactly that length, whatever rounding does to the time: a thousand steps are a thousand."""
    m = jd.example("four_bar")
    s, other = (jd.session(m, integrator="rk4", step=1e-3) for _ in range(2))
    for _ in range(1000):
        s.step()
    assert s.solution().statistics.steps == 1000
    assert s.t == pytest.approx(1.0, abs=1000 * np.finfo(float).eps)
    other.step(1000)
    assert other.solution().statistics.steps == 1000
    # Lengths agree to rounding, which the motion does not amplify by more than some orders within a second.
    assert np.max(np.abs(s.y - other.y)) < 1e-9
    for wrong in (0, -1, 1.5, "2", True, math.nan, None):
        with pytest.raises(jd.ChoiceError, match="whole number of steps"):
            s.step(wrong)  # type: ignore[arg-type]
    with pytest.raises(jd.ChoiceError, match="dop853 chooses its steps itself"):
        jd.session(m, integrator="dop853").step()


@every_method
def test_nothing_is_evaluated_beyond_until(how: dict[str, Any]) -> None:
    """A force that is a table over time ends there too."""
    seen = [0.0]

    def push(t: float) -> tuple[float, float]:
        seen.append(t)
        return 1.0, 0.0

    m = jd.Mechanism("pushed")
    block = m.body("block", mass=1, inertia=1, position=(0, 0), velocity=(0, 0), points={"C": (0, 0)})
    m.force("push", on=block["C"], vector=push)
    s = jd.session(m, until=0.5, **how)
    assert s.advance(0.3).ok
    s.advance(1.0)
    assert s.t == 0.5
    assert max(seen) <= 0.5 * (1 + 1e-12)
    assert s["block.x"] == pytest.approx(0.125, rel=1e-4)
    again = s.advance(0.1)
    assert not again.ok and "ended at t = 0.5 s by until = 0.5 s" in again.sentence
    assert s.t == 0.5


def test_after_a_stopping_event() -> None:
    """It stands there; it goes on only after a checkpoint is restored, or an edit."""
    m = jd.Mechanism("falling", gravity=(0, -9.81))
    m.body("ball", mass=1, inertia=1, position=(0, 1), velocity=(0, 0))
    m.event("floor", "ball.y", direction="falling", stop=True)
    s = jd.session(m, rtol=1e-12)
    mark = s.checkpoint()
    status = s.advance(2.0)
    assert "floor" in status.sentence
    assert s.t == pytest.approx(math.sqrt(2 / 9.81), abs=1e-10)
    at = s.t
    refused = s.advance(0.1)
    assert not refused.ok and "by event floor; restore a checkpoint, or edit" in refused.sentence
    assert s.t == at
    s.restore(mark)
    assert s.advance(0.2).ok and s.t == 0.2
    s.advance(2.0)
    free = jd.Mechanism("falling", gravity=(0, -9.81))
    free.body("ball", mass=1, inertia=1, position=(0, 1), velocity=(0, 0))
    assert s.edit(free).ok
    assert s.advance(to=1.0).ok and s["ball.y"] == pytest.approx(1 - 9.81 / 2, abs=1e-10)


# Samples --------------------------------------------------------------------------------------------------------------


@every_method
def test_every_is_times(how: dict[str, Any]) -> None:
    """Samples lie on the grid however far each advance goes, once each, and are those of `simulate`."""
    m = jd.example("pendulum")
    run = jd.simulate(m, 1.0, every=0.01, **how)
    every, times = jd.session(m, every=0.01, **how), jd.session(m, times=run.t, **how)
    for s in (every, times):
        s.advance(1.0)
        found = s.solution()
        assert np.array_equal(found.t, run.t)
        assert np.array_equal(found.samples, run.samples)
        for channel in run.channels:
            assert np.array_equal(found[channel], run[channel], equal_nan=True), channel


def test_samples_lie_on_the_grid_however_far_each_advance_goes() -> None:
    """A method with error control has the same samples too; one of a fixed step divides the way to where it stops."""
    m = jd.example("pendulum")
    s = jd.session(m, every=0.01)
    for dt in (0.003, 0.007, 0.1234, 1e-5, 0.5):
        s.advance(dt)
    s.advance(to=1.0)
    run = jd.simulate(m, 1.0, every=0.01)
    assert np.array_equal(s.solution().t, run.t)
    assert np.array_equal(s.solution().samples, run.samples)


def test_without_every_nothing_is_kept_but_the_present() -> None:
    """An hour needs no more than a second: no sample, no record, no note that grows."""
    m = jd.example("pendulum")
    m.event("low", f"{m.frozen().bodies[0].name}.spin", direction="both")
    s = jd.session(m, integrator="rk4", step=5e-3)

    def held() -> tuple[int, ...]:
        gc.collect()
        return (
            len(s.samples),
            len(s._pending),
            sum(len(r.t) for r in s.events.records.values()),
            len(s.notes),
        )

    s.advance(1.0)
    before, objects = held(), len(gc.get_objects())
    for _ in range(36):
        s.advance(100.0)
    assert s.t == pytest.approx(3601.0)
    assert held() == before and before[:3] == (0, 0, 0)
    assert len(gc.get_objects()) < objects + 1000
    assert len(s.solution().t) == 1


# Threads and the keyboard ---------------------------------------------------------------------------------------------


def test_two_sessions_in_two_threads() -> None:
    """They are independent: the bits of one after the other."""
    kinds = [("four_bar", METHODS["rk4"]), ("four_bar", METHODS["dop853"]), ("slider_crank", METHODS["radau"])]
    alone = [over(jd.session(jd.example(m), **how), np.linspace(0.1, 2, 20)) for m, how in kinds]
    found: dict[int, np.ndarray] = {}

    def work(k: int) -> None:
        m, how = kinds[k]
        found[k] = over(jd.session(jd.example(m), **how), np.linspace(0.1, 2, 20))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(kinds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, wanted in enumerate(alone):
        assert np.array_equal(found[k], wanted)


def held_up(s_of: list[jd.Session], inside: threading.Event, go_on: threading.Event) -> jd.Mechanism:
    """A machine whose force waits inside an evaluation, once, until told to go on."""

    def push(t: float) -> tuple[float, float]:
        if t > 0.1 and s_of and not inside.is_set():
            inside.set()
            go_on.wait(10)
        return 1.0, 0.0

    m = jd.Mechanism("pushed")
    block = m.body("block", mass=1, inertia=1, position=(0, 0), velocity=(0, 0), points={"C": (0, 0)})
    m.force("push", on=block["C"], vector=push)
    return m


def test_one_session_in_two_threads_is_refused() -> None:
    """With a sentence, at once; the first thread finishes as if nothing had been."""
    sessions: list[jd.Session] = []
    inside, go_on = threading.Event(), threading.Event()
    m = held_up(sessions, inside, go_on)
    s = jd.session(m, integrator="rk4", step=1e-2)
    mark = s.checkpoint()
    sessions.append(s)
    thread = threading.Thread(target=s.advance, args=(1.0,))
    thread.start()
    assert inside.wait(10)
    calls = {
        "advance": lambda: s.advance(0.1),
        "step": lambda: s.step(),
        "set": lambda: s.set("block.mass", 2.0),
        "edit": lambda: s.edit(integrator="rk6", step=1e-2),
        "checkpoint": lambda: s.checkpoint(),
        "restore": lambda: s.restore(mark),
        "solution": lambda: s.solution(),
        "reading": lambda: s["block.ax"],
    }
    try:
        for call in calls.values():
            with pytest.raises(jd.SimulationError, match="'pushed' is at work in another thread"):
                call()
    finally:
        go_on.set()
        thread.join()
    assert s.t == 1.0 and s["block.x"] == pytest.approx(0.5, abs=1e-12)


@every_method
def test_ctrl_c_leaves_it_where_its_last_step_ended(how: dict[str, Any]) -> None:
    """It can be read there, and going on to the same time gives the bits of a run that was never interrupted."""
    m = jd.example("four_bar")
    wanted = over(jd.session(m, **how), [0.4, 0.8])
    for after in (1, 5, 17):
        s = jd.session(m, **how)
        s.loop.pause = 3
        looks = [0]

        def press(looks: list[int] = looks, after: int = after) -> None:
            looks[0] += 1
            if looks[0] == after:
                raise KeyboardInterrupt

        s.loop.on_look = press
        status = s.advance(to=0.4)
        if looks[0] >= after:
            assert not status.ok and status.interrupted and s.t <= 0.4
            assert np.all(np.isfinite(s[s.channels[:4]])) and np.all(np.isfinite(s.y))
        s.loop.on_look = lambda: None
        assert np.array_equal(over(s, [0.4, 0.8]), wanted)


@pytest.mark.parametrize("how", [{"integrator": "rk4", "step": 1e-2}, {}, {"integrator": "radau"}], ids=str)
def test_ctrl_c_in_a_users_function(how: dict[str, Any]) -> None:
    """Where it lands if there is one: the session stands at its last step, and goes on."""
    pressed = [False]

    def push(t: float) -> tuple[float, float]:
        if t > 0.5 and not pressed[0]:
            pressed[0] = True
            raise KeyboardInterrupt
        return 1.0, 0.0

    m = jd.Mechanism("pushed")
    block = m.body("block", mass=1, inertia=1, position=(0, 0), velocity=(0, 0), points={"C": (0, 0)})
    m.force("push", on=block["C"], vector=push)
    s = jd.session(m, **how)
    status = s.advance(1.0)
    assert pressed[0] and status.interrupted and s.t <= 0.5
    assert s["block.x"] == pytest.approx(s.t**2 / 2, abs=1e-10)
    assert s.advance(to=1.0).ok and s["block.x"] == pytest.approx(0.5, abs=1e-10)


def test_ctrl_c_while_outputs_are_found_keeps_each_sample_once() -> None:
    """Between the motion and what is reported of it: no sample is lost, none is there twice."""
    m = jd.example("four_bar")
    s = jd.session(m, every=1e-3)
    s.advance(1e-2)
    real, calls = s.observer.outputs, [0]

    def outputs(*given: Any) -> Any:
        calls[0] += 1
        if calls[0] == 2:
            raise KeyboardInterrupt
        return real(*given)

    s.observer.outputs = outputs  # type: ignore[method-assign]
    with contextlib.suppress(KeyboardInterrupt):
        s.advance(to=3.0)
    assert calls[0] >= 2
    s.advance(to=3.5)
    run = jd.simulate(m, 3.5, every=1e-3)
    assert np.array_equal(s.solution().t, run.t)
    assert np.array_equal(s.solution().samples, run.samples)
