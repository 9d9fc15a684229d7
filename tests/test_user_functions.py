"""Users' functions of forces: compiled ones run in the kernel, plain ones are called, and errors are theirs to see."""

from __future__ import annotations

import math
import time
import traceback
from typing import Any

import numba
import numpy as np
import pytest

import jourdain as jd
from jourdain.model.facts import calls_python

G = 9.81
# With NUMBA_DISABLE_JIT=1 Numba hands functions back as they are: then all of them are plain ones.
COMPILES = not numba.config.DISABLE_JIT


def pendulum() -> jd.Mechanism:
    m = jd.Mechanism("pendulum", gravity=(0, -G))
    body = m.body("bar", mass=2, inertia=2 / 12, position=(0.5, 0), angle=0, points={"A": (-0.5, 0), "P": (0.5, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), body["A"])
    return m


def law(angle: float, speed: float, t: float) -> float:
    """A switching law: it cannot be traced."""
    if angle > -1.0:
        return -3.0 * speed + math.sin(t)
    return -3.0 * speed * abs(speed) + math.sin(t)


def pair(vx: float, vy: float) -> tuple[float, float]:
    if vx > 1e9:
        return (0.0, 0.0)
    return (-0.4 * vx, -0.9 * vy)


INPUTS = ["A.angle", "A.speed", "t"]


def test_compiled_torque_runs_in_the_kernel() -> None:
    """The same numbers to rounding, and not one call of Python."""
    runs, called = [], []

    def counted(angle: float, speed: float, t: float) -> float:
        called.append(t)
        return law(angle, speed, t)

    for function in (counted, numba.njit(law)):
        m = pendulum()
        m.torque("brake", on=m["bar"], torque=function, inputs=INPUTS)
        runs.append(jd.simulate(m, 2.0))
    python, compiled = runs
    assert compiled["A.angle"] == pytest.approx(python["A.angle"], abs=1e-13)
    assert compiled["A.speed"] == pytest.approx(python["A.speed"], abs=1e-13 * np.max(np.abs(python["A.speed"])))
    assert len(called) > 100 and calls_python(python.model)
    assert calls_python(compiled.model) is not COMPILES
    assert python.energy.total == pytest.approx(python.energy.total[0], abs=1e-6)


def test_compiled_vector_force() -> None:
    """One function for both components; text, Python and numba agree."""
    vectors: dict[str, dict[str, Any]] = {
        "text": {"vector": ("-0.4*bar.P.vx", "-0.9*bar.P.vy")},
        "python": {"vector": pair, "inputs": ["bar.P.vx", "bar.P.vy"]},
        "numba": {"vector": numba.njit(pair), "inputs": ["bar.P.vx", "bar.P.vy"]},
    }
    runs = {}
    for how, keys in vectors.items():
        m = pendulum()
        m.force("drag", on=m["bar"]["P"], **keys)
        runs[how] = jd.simulate(m, 2.0)
    assert calls_python(runs["numba"].model) is not COMPILES
    assert calls_python(runs["python"].model)
    # Functions are not asked beyond the end, so that the last step is another one: there the tolerance counts.
    assert runs["python"]["A.angle"] == pytest.approx(runs["text"]["A.angle"], abs=1e-8)
    assert runs["python"]["A.angle"] == pytest.approx(runs["numba"]["A.angle"], abs=1e-13)


@pytest.mark.parametrize("kind", ["spring", "actuator", "line-load", "follower"])
def test_compiled_everywhere(kind: str) -> None:
    """Each place that takes a function takes a compiled one, and it is the same."""

    def build(compiled: bool) -> jd.Mechanism:
        def make(function: Any) -> Any:
            return numba.njit(function) if compiled else function

        m = pendulum()
        if kind == "spring":
            m.spring("S", m.ground.point("far", (1, 1)), m["bar"]["P"], force=make(stiffening))
        elif kind == "actuator":
            m.actuator("S", joint="A", motor=make(law), inputs=INPUTS)
        elif kind == "line-load":
            m.line_load("S", m["bar"]["A"], m["bar"]["P"], vector=(0, make(snow)))
        else:
            m.follower_force("S", on=m["bar"]["P"], vector=(0, make(pulse)))
        return m

    python, compiled = (jd.simulate(build(x), 1.5) for x in (False, True))
    assert compiled["A.angle"] == pytest.approx(python["A.angle"], abs=1e-13)
    assert calls_python(compiled.model) is not COMPILES
    assert calls_python(python.model)


def stiffening(length: float) -> float:
    return 30 * (length - 1) ** 3 if length > 1 else 0.0


def snow(s: float) -> float:
    return -5.0 * s if s > 0.2 else -1.0


def pulse(t: float) -> float:
    return 3.0 if t < 0.7123 else 3.0 * math.cos(t - 0.7123)


def test_slow_function_tells_its_cost() -> None:
    """A function that takes more than a tenth of a second is named in the notes, with calls, time and the remedy."""

    called = []

    def slow(t: float) -> float:
        called.append(t)
        time.sleep(2e-3)
        return math.sin(float(t))

    m = pendulum()
    m.torque("slow", on=m["bar"], torque=slow)
    run = jd.simulate(m, 1.0)
    (note,) = [n for n in run.status.notes if "torque 'slow'" in n]
    counted = int(note.split("called ")[1].split()[0])
    assert 50 < counted <= len(called)  # sampling afterwards calls it too
    assert "numba.njit" in note


def test_quick_function_says_nothing() -> None:
    m = pendulum()
    m.torque("quick", on=m["bar"], torque=law, inputs=INPUTS)
    run = jd.simulate(m, 0.2)
    assert not any("quick" in note for note in run.status.notes)


def fails_late(t: float) -> float:
    if t > 0.5:
        raise RuntimeError("no more oil")
    return 0.0


@pytest.mark.parametrize(
    "how", [{}, {"integrator": "rk4", "step": 1e-3}, {"recipe": "nacf"}], ids=["dop853", "rk4", "nacf"]
)
@pytest.mark.parametrize("where", ["torque", "force", "element", "motion", "equation"])
def test_exception_ends_the_run(how: dict[str, Any], where: str) -> None:
    """The user's exception with its traceback is the cause; the solution keeps what was computed."""
    m = pendulum()
    if where == "torque":
        m.torque("mine", on=m["bar"], torque=fails_late)
    elif where == "force":
        m.force("mine", on=m["bar"]["P"], vector=(fails_late, 0))
    elif where == "element":
        m.element("mine", states={"x": 0}, inputs={"u": "t"}, rates=lambda s, u: (fails_late(u[0]),))
    elif where == "motion":
        m.motion("mine", joint="A", angle=lambda t: t if t < 0.5 else fails_late(t))
    else:
        m.equation("mine", formula=lambda a, t: a - t if t < 0.5 else fails_late(t), inputs=["A.angle", "t"])
    with pytest.raises(jd.JourdainError, match=r"'mine'.* raised RuntimeError: no more oil") as caught:
        jd.simulate(m, 2.0, **how)
    cause = caught.value.__cause__
    assert isinstance(cause, RuntimeError)
    assert any(frame.name == "fails_late" for frame in traceback.extract_tb(cause.__traceback__))
    run = caught.value.solution
    assert 0.1 < run.t[-1] <= 0.5 + 1e-9  # a long step is lost with its exception
    assert np.all(np.isfinite(run["A.angle"]))
    assert not run.status.ok


def test_function_that_returns_nonsense() -> None:
    m = pendulum()
    m.torque("mine", on=m["bar"], torque=lambda t: "strong")
    with pytest.raises(jd.JourdainError, match="mine"):
        jd.simulate(m, 1.0)


def test_function_with_state_is_not_frozen() -> None:
    """A function that reads a variable of the outside is called, not traced once: it sees what is there at the time."""
    gain = [0.0]

    def torque(t: float) -> float:
        return gain[0]

    m = pendulum()
    m.torque("mine", on=m["bar"], torque=torque)
    without = jd.simulate(m, 0.5)["A.angle"][-1]
    gain[0] = 5.0
    with_gain = jd.simulate(m, 0.5)["A.angle"][-1]
    assert with_gain - without > 0.1


def test_a_variable_without_a_value_yet_is_told() -> None:
    """A function that reads a variable of the function around it, called before that one has a value."""

    def build() -> tuple[jd.Mechanism, jd.Mechanism]:
        def push(t: float) -> float:
            return size * t

        found = []
        for add in (
            lambda m: m.actuator("act", joint="S", motor=push),
            lambda m: m.motion("act", joint="S", displacement=push),
        ):
            m = jd.Mechanism("late")
            body = m.body("b", mass=1, inertia=1, position=(0, 0), points={"P": (0, 0)})
            m.prismatic("S", m.ground.point("O", (0, 0)), body["P"])
            add(m)
            with pytest.raises(jd.JourdainError, match=r"'act'.*NameError: .*'size'"):
                jd.simulate(m, 0.1, progress=False)
            found.append(m)
        size = 1.0
        return found[0], found[1]

    for m in build():
        assert jd.simulate(m, 0.1, progress=False).status.ok
