"""Ways in and out: `jd.rhs`, forces that are Python functions, and what importing costs."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd
import machines

# The right-hand side -------------------------------------------------------------------------------------------


def test_a_state_by_name_is_no_vector() -> None:
    f, run = jd.rhs(machines.four_bar()), jd.simulate(machines.four_bar(), 0.01)
    with pytest.raises(jd.ChoiceError, match=r"the method Solution\.state itself.* expected an array of .* `start`"):
        f(0.0, run.state)
    with pytest.raises(jd.ChoiceError, match=r"y is .*; expected an array of .* numbers, laid out as `start`"):
        f(0.0, run.state())
    with pytest.raises(jd.ChoiceError, match=r"state is the method Solution\.at; expected values by name"):
        jd.simulate(machines.four_bar(), 0.01, state=run.at)


@pytest.mark.parametrize(
    "build", [machines.four_bar, machines.slider_crank, machines.two_bars], ids=lambda build: build.__name__
)
def test_another_integrator_finds_the_same_motion(build: Any) -> None:
    times = np.linspace(0, 0.5, 6)
    run = jd.simulate(build(), times=times, rtol=1e-11, atol=1e-11)
    f = jd.rhs(build())
    other = solve_ivp(f, (0, 0.5), f.start, method="DOP853", t_eval=times, rtol=1e-11, atol=1e-11)
    assert other.success
    # Nothing holds the joints closed here: errors of 1e-11 a step drift apart with t^2, and stay far below this.
    np.testing.assert_allclose(other.y.T, run.samples, rtol=0, atol=1e-8 * max(1.0, np.abs(run.samples).max()))


def test_projection_of_the_right_hand_side() -> None:
    f = jd.rhs(machines.four_bar())
    open_state = f.start + 1e-4 * np.random.default_rng(0).normal(size=f.start.size)
    before = open_state.copy()
    closed = f.project(0.0, open_state)
    assert np.array_equal(open_state, before)
    B = []
    for body, to_B in (("crank", 2), ("coupler", -2)):
        state = f.state(closed)[body]
        B.append(np.add(state.position, (to_B * math.cos(state.attitude), to_B * math.sin(state.attitude))))
    # Projection is content at 1e-13 of the size of 7 m.
    np.testing.assert_allclose(B[0], B[1], rtol=0, atol=1e-12)
    assert np.abs(closed - before).max() < 1e-3


def test_start_of_the_right_hand_side_is_the_drawn_state() -> None:
    f = jd.rhs(machines.four_bar())
    assert f.state(f.start)["coupler"].position == pytest.approx((2 * math.sqrt(2) + 2, -2 * math.sqrt(2)), abs=1e-12)


def test_right_hand_side_has_no_memory() -> None:
    run = jd.simulate(machines.four_bar(), 0.5)
    f = jd.rhs(machines.four_bar())
    first, second = f(0.5, run.samples[-1]), f(0.5, run.samples[-1])
    assert np.array_equal(first, second)


def test_right_hand_side_passes_on_exceptions() -> None:
    f = jd.rhs(pushed(broken))
    with pytest.raises(jd.JourdainError) as caught:
        f(0.5, f.start)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_threads_that_share_a_right_hand_side_take_turns() -> None:
    """One waits inside its force until another has evaluated another state, if it may, in the same memory."""
    inside, done = threading.Event(), threading.Event()

    def slow(t: float) -> float:
        if t == 1.0:
            inside.set()
            done.wait(0.3)
        return 2.0 * (t > 0.0)  # a branch: not read as a formula

    f = jd.rhs(pushed(slow))
    first, second = f.start + 0.1, f.start - 0.2
    expected = f(1.5, first)  # before anybody waits
    found: list[np.ndarray] = []
    waiting = threading.Thread(target=lambda: found.append(f(1.0, first)))
    waiting.start()
    inside.wait(10.0)
    f(0.5, second)
    done.set()
    waiting.join()
    np.testing.assert_array_equal(found[0], expected)


# Forces in Python -----------------------------------------------------------------------------------------------


def pushed(force: Any) -> jd.Mechanism:
    m = machines.pendulum_bar()
    m.force("push", on=m["rod"]["B"], vector=(force, 0))
    return m


def polynomial(t: float) -> float:
    return 3 * t * t - 2 * t + 0.5


def broken(t: float) -> float:
    return 1 / 0 if t > 0.3 else 1.0


def test_formula_function_and_compiled_function_are_one() -> None:
    """Products and sums are rounded alike everywhere, so the motions agree to the last bit.

    A plain function that can be traced is a formula. One that is called is not asked beyond the end, so that its last
    step is another one: there they agree to the tolerance.
    """
    compiled = numba.cfunc("float64(float64)")(polynomial)
    runs = [jd.simulate(pushed(f), 1.0) for f in ("3*t*t - 2*t + 0.5", polynomial, compiled)]
    assert np.array_equal(runs[0].samples, runs[1].samples)
    assert np.array_equal(runs[0].samples[:20], runs[2].samples[:20])
    np.testing.assert_allclose(runs[0].samples, runs[2].samples, rtol=0, atol=1e-8)
    assert not np.array_equal(runs[0].samples, jd.simulate(pushed(0.5), 1.0).samples)


@pytest.mark.parametrize("how", [{}, {"step": 1e-2}], ids=["dop853", "rk4"])
def test_exception_in_a_force_is_passed_on(how: dict[str, float]) -> None:
    with pytest.raises(jd.JourdainError) as caught:
        jd.simulate(pushed(broken), 1.0, **how)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    text = str(caught.value)
    assert text.startswith("stopped near t = 0.")
    assert text.endswith("the function of force 'push' raised ZeroDivisionError: division by zero")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """TimeoutError in what takes longer: a run that never ends looks at Python now and then."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


needs_alarm = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarm clock on this system")


@pytest.mark.parametrize("how", [{}, {"step": 1e-2}], ids=["dop853", "rk4"])
def test_exception_at_the_start(how: dict[str, float]) -> None:
    m = machines.pendulum_bar()
    m.torque("motor", on=m["rod"], torque=lambda t: "strong")
    with pytest.raises(jd.JourdainError, match=r"torque 'motor' raised ValueError: ") as caught:
        jd.simulate(m, 1.0, **how)
    assert isinstance(caught.value.__cause__, ValueError)


@needs_alarm
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"step": 1e-2},
    ],
    ids=["dop853", "rk4"],
)
def test_force_without_a_value_at_the_start(how: dict[str, float]) -> None:
    with time_limit(3), warnings.catch_warnings():
        warnings.simplefilter("ignore", jd.SimulationWarning)
        run = jd.simulate(pushed("1/t - 1/t"), 1.0, **how)
    assert "the motion of body 'rod' is no longer finite" in run.status.sentence


def test_absolute_tolerance_of_zero() -> None:
    """With a component at zero no step would be short enough."""
    with pytest.raises(jd.ChoiceError, match=r"atol is 0.0; expected a positive number"):
        jd.simulate(machines.pendulum_bar(), 0.1, atol=0.0)


def test_exception_only_at_a_sample_between_steps() -> None:
    def narrow(t: float) -> float:
        return 1 / 0 if abs(t - 0.99) < 1e-9 else 0.0

    with pytest.raises(jd.JourdainError, match="raised ZeroDivisionError"):
        jd.simulate(pushed(narrow), times=[0.0, 0.99, 1.0], rtol=1e-6)


@pytest.mark.parametrize("force", ["1/(0.3 - t)**2", lambda t: math.nan if t > 0.3 else 0.0], ids=["pole", "NaN"])
def test_force_that_is_not_finite_ends_the_run_with_a_sentence(force: Any) -> None:
    with pytest.warns(jd.SimulationWarning):
        run = jd.simulate(pushed(force), 1.0)
    assert not run.status.ok
    assert run.status.sentence.startswith("stopped at t = 0.")
    assert run.t[-1] <= 0.3
    assert np.isfinite(run["rod.x"]).all()


# Importing ------------------------------------------------------------------------------------------------------

LIGHT = """
import sys
import jourdain as jd
{work}
print([name for name in ("numba", "scipy", "matplotlib", "llvmlite") if name in sys.modules])
"""
FAULTY = """
m = jd.Mechanism("faulty", gravity=(0, -9.81))
m.body("rod", mass=-1, inertia=1)
from jourdain.library.mechanism_faults import joint_entries
try:
    joint_entries(m.frozen())
except jd.MechanismError:
    pass
else:
    raise SystemExit("no fault was found")
"""


@pytest.mark.parametrize("work", ["", FAULTY], ids=["import", "faults"])
def test_no_compiler_is_imported_before_it_is_needed(work: str) -> None:
    command = [sys.executable, "-c", LIGHT.format(work=work)]
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | path)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_public_names() -> None:
    assert set(jd.__all__) <= set(dir(jd))
    assert all(getattr(jd, name) is not None for name in jd.__all__)
    with pytest.raises(AttributeError, match="module 'jourdain' has no attribute 'simulat'"):
        jd.simulat  # type: ignore[attr-defined]  # noqa: B018


def test_warnings_point_at_whoever_called() -> None:
    """Python shows a warning once for each line: the one that called, not one of ours."""
    m = jd.Mechanism("drop")
    b = m.body("b", mass=1.0, inertia=1.0, position=(0, 0), points={"P": (0, 0)})
    m.force("push", on=b["P"], vector=lambda t: (1.0 if t < 0.5 else math.nan, 0.0))
    with pytest.warns(jd.SimulationWarning) as told:
        jd.simulate(m, 1.0)
    assert told[0].filename == __file__


@pytest.mark.parametrize("call", [jd.check, jd.rhs, jd.statics, jd.modes], ids=lambda f: f.__name__)
def test_arguments_that_are_not_there_are_refused_by_name(call: Any) -> None:
    with pytest.raises(jd.ChoiceError, match=f"^{call.__name__} has no argument 'colour'"):
        call(machines.four_bar(), colour="red")
