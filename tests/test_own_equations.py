"""A user's own scalar equation, as text or Python (traced, or called with derivatives carried), and refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jourdain as jd

G = 9.81
# The same equations give the same motion up to rounding, grown over a second or two of a regular motion.
SAME = 1e-10


def bar(space: str = "planar") -> jd.Mechanism:
    """A bar in free fall, one of its points at (1, 0) to be held by something."""
    flat = space == "planar"
    m = jd.Mechanism("bar", gravity=(0, -G) if flat else (0, 0, -G))
    at, point, origin = ((1.3, 0.1), (-0.3, -0.1), (0, 0)) if flat else ((1.3, 0.1, 0.2), (-0.3, -0.1, -0.2), (0, 0, 0))
    rest: dict[str, Any] = {"velocity": (0,) * len(at), "spin": 0 if flat else (0, 0, 0)}
    inertia: Any = 0.05 if flat else (0.05, 0.06, 0.04)
    m.body("bar", mass=1.5, inertia=inertia, position=at, points={"P": point}, **rest)
    m.ground.point("O", origin)
    return m


def traced(o: Any, p: Any) -> Any:
    d = p.position - o.position
    return (np.dot(d, d) - 1) / 2


def branching(o: Any, p: Any) -> Any:
    """The same; a branch keeps it from being traced."""
    d = p.position - o.position
    square = sum(c * c for c in d)
    if square > 1e6:
        return square * 0
    return (square - 1) / 2


OWN = {"traced": traced, "branching": branching}


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("how", ["text", *OWN])
@pytest.mark.parametrize("other", [False, True], ids=["default set", "natural"])
def test_distance(space: str, how: str, other: bool) -> None:
    """(MN.MN - 1) / 2 = 0 is the catalogue's distance joint of length 1; the multiplier too is the same force."""
    choice = {"coordinates": "natural"} if other else {}
    expected = bar(space)
    expected.distance("D", expected.ground["O"], expected["bar"]["P"], length=1.0)
    m = bar(space)
    if how == "text":
        names = "xy" if space == "planar" else "xyz"
        m.equation("D", formula="(" + " + ".join(f"bar.P.{n}**2" for n in names) + " - 1)/2")
    else:
        m.equation("D", formula=OWN[how], ports=[m.ground["O"], m["bar"]["P"]])
    a, b = (jd.simulate(x, 1.5, rtol=1e-11, **choice) for x in (m, expected))
    for channel in ("bar.x", "bar.P.y", "bar.ax", "bar.P.ay"):
        assert a[channel] == pytest.approx(b[channel], abs=SAME * max(1.0, np.max(np.abs(b[channel]))))
    assert np.ptp(b["bar.P.x"]) > 0.5


ELLIPSE: dict[str, dict[str, Any]] = {
    "text": {"formula": "bar.P.x**2/a**2 + bar.P.y**2/b**2 - 1"},
    "traced": {"formula": lambda p: (p.position[0] / 1.0) ** 2 + (p.position[1] / 0.6) ** 2 - 1, "ports": True},
    "branching": {
        "formula": lambda p: (p.position[0] / 1.0) ** 2 + (p.position[1] / 0.6) ** 2 - 1 if p.position[0] > -9 else 1,
        "ports": True,
    },
    "inputs": {"formula": lambda x, y: x**2 + (y / 0.6) ** 2 - 1, "inputs": ["bar.P.x", "bar.P.y"]},
}


@pytest.mark.parametrize("keys", ELLIPSE.values(), ids=ELLIPSE)
def test_point_on_an_ellipse(keys: dict[str, Any]) -> None:
    """A trammel: a rod with points X and Y on the axes carries P, 1 from Y and 0.6 from X, round an ellipse.

    X on its axis and P on the ellipse by a user's equation is the same mechanism.
    """
    runs = []
    for own in (True, False):
        m = jd.Mechanism("trammel", gravity=(0, -G))
        points = {"P": (0.5, 0), "X": (-0.1, 0), "Y": (-0.5, 0)}
        where: dict[str, Any] = {"position": (0.5 * math.cos(0.7), 0.1 * math.sin(0.7)), "angle": 0.7}
        rod = m.body("bar", mass=1.5, inertia=0.05, points=points, **where)
        m.point_on_line("x", m.ground.point("O", (0, 0)), rod["X"])
        if own:
            m.parameter("a", 1.0)
            m.parameter("b", 0.6)
            m.equation("rail", **{k: ([rod["P"]] if k == "ports" else v) for k, v in keys.items()})
        else:
            m.point_on_line("y", m.ground.point("up", (0, 0), angle=math.pi / 2), rod["Y"])
        runs.append(jd.simulate(m, 0.7, rtol=1e-11))  # soon after, with P on the y axis, a second branch crosses
    a, b = runs
    for channel in ("bar.x", "bar.y", "bar.angle", "bar.P.x", "bar.Y.x"):
        assert a[channel] == pytest.approx(b[channel], abs=SAME)
    assert (a["bar.P.x"] ** 2 + (a["bar.P.y"] / 0.6) ** 2) == pytest.approx(1.0, abs=SAME)
    assert a.energy.total == pytest.approx(a.energy.total[0], abs=1e-8 * G)
    assert np.ptp(a["bar.angle"]) > 1.0


@pytest.mark.parametrize("how", ["text", "function", "branching"])
def test_moving_circle(how: str) -> None:
    """With t in it: a bead on a circle whose radius grows, r = 1 + t/2, free of gravity and turning: L conserved."""
    m = jd.Mechanism("bead")
    m.body("bead", mass=2, inertia=1, position=(1, 0), velocity=(0.5, 3), points={"P": (0, 0)})
    formulas: dict[str, dict[str, Any]] = {
        "text": {"formula": "sqrt(bead.x**2 + bead.y**2) - 1 - t/2"},
        "function": {"formula": lambda x, y, t: (x**2 + y**2) ** 0.5 - 1 - t / 2},
        "branching": {"formula": lambda x, y, t: (x**2 + y**2) ** 0.5 - 1 - t / 2 if t < 99 else x},
    }
    inputs = {} if how == "text" else {"inputs": ["bead.x", "bead.y", "t"]}
    m.equation("ring", **formulas[how], **inputs)
    run = jd.simulate(m, 2.0, rtol=1e-11)
    r = 1 + run.t / 2
    angle = 3 * 2 * (1 - 1 / r)  # angle' = 3 / r^2
    assert run["bead.x"] == pytest.approx(r * np.cos(angle), abs=1e-9)
    assert run["bead.y"] == pytest.approx(r * np.sin(angle), abs=1e-9)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-8)


def test_axes_of_ports() -> None:
    """A function may use the axes: x_j . y_i = 0 with a point on a line is the catalogue's prismatic joint."""
    expected = bar()
    expected.prismatic("S", expected.ground.point("G", (1, 0), angle=-1.0), expected["bar"].point("Q", (0, 0)))
    m = bar()
    ports = [m.ground.point("G", (1, 0), angle=-1.0), m["bar"].point("Q", (0, 0))]
    m.equation("across", formula=lambda o, p: np.dot(p.position - o.position, o.y), ports=ports)
    m.equation("turn", formula=lambda o, p: np.dot(p.x, o.y), ports=ports)
    a, b = (jd.simulate(x, 1.0, rtol=1e-11) for x in (m, expected))
    for channel in ("bar.x", "bar.y", "bar.angle"):
        assert a[channel] == pytest.approx(b[channel], abs=SAME)


def test_from_drawn_holds_the_value_of_the_start() -> None:
    m = bar()
    m.equation("ring", formula="sqrt(bar.P.x**2 + bar.P.y**2)", from_drawn=True)
    run = jd.simulate(m, 1.0)
    assert np.hypot(run["bar.P.x"], run["bar.P.y"]) == pytest.approx(1.0, abs=SAME)


def wild(x: float) -> float:
    """Takes no symbols and no jets."""
    return math.sin(float(str(x)))


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "velocity": ({"formula": "bar.vx"}, "is a velocity"),
    "reaction": ({"formula": "X.fx"}, "there is no body, joint or component 'X'"),
    "not smooth": ({"formula": "max(bar.x, 0)"}, "'max' has no derivative everywhere"),
    "unknown name": ({"formula": "bar.z"}, "'bar' has no channel 'z'"),
    "no derivatives": ({"formula": wild, "inputs": ["bar.x"]}, "cannot be differentiated"),
    "two results": ({"formula": lambda x: (x, x), "inputs": ["bar.x"]}, "formula: "),
    "energy": ({"formula": "energy.kinetic - 1"}, "is an energy, which cannot stand here"),
}


@pytest.mark.parametrize(("keys", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(keys: dict[str, Any], words: str) -> None:
    m = bar()
    m.equation("mine", **keys)
    with pytest.raises(jd.MechanismError, match=words) as caught:
        jd.simulate(m, 1.0)
    assert "equation 'mine'" in str(caught.value)
