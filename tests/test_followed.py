"""A run whose steps went over what acts says so: samples there have accelerations that the motion does not follow."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import jourdain as jd

METHODS = ("dop853", "dopri5", "bdf", "radau")


def blow(at: float, length: float) -> Callable[[float], float]:
    """A function that nobody can look into: it branches. Its integral is sqrt(pi)."""

    def force(t: float) -> float:
        x = (t - at) / length
        return math.exp(-x * x) / length if abs(x) < 8.0 else 0.0

    return force


def pushed(force: Callable[[float], float], space: str = "planar", speed: float = 0.0) -> jd.Mechanism:
    m = jd.Mechanism("block", space=space)
    along = (1.0, 0.0) if space == "planar" else (1.0, 0.0, 0.0)
    where = {"z": along} if space == "spatial" else {}
    inertia = 0.1 if space == "planar" else (0.1, 0.1, 0.1)
    b = m.body("b", mass=1.0, inertia=inertia, position=[0.0] * len(along), velocity=[speed * x for x in along])
    m.prismatic("S", m.ground.point("O", [0.0] * len(along), **where), b.point("P", [0.0] * len(along), **where))
    m.force("push", on=b["P"], vector=lambda t: tuple(force(t) * x for x in along))
    return m


def told(run: jd.Solution) -> bool:
    return not run.status.ok and "do not trust the motion from t = " in run.status.sentence


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize(("space", "coordinates"), [("planar", None), ("planar", "relative"), ("spatial", "relative")])
@pytest.mark.parametrize("integrator", METHODS)
def test_a_blow_arrives_or_is_told_of(integrator: str, coordinates: str | None, space: str) -> None:
    """Samples every 50 ms see blows of 0.1 s, whatever the steps are."""
    went_over = 0
    for at in (3.14, 5.0, 7.77):
        m = pushed(blow(at, 0.1), space)
        run = jd.simulate(m, 10.0, integrator=integrator, coordinates=coordinates, progress=False)
        arrived = abs(run["b.vx"][-1] - math.sqrt(math.pi)) < 1e-3
        assert arrived != told(run), run.status.sentence
        went_over += not arrived
        short = jd.simulate(m, 10.0, integrator=integrator, coordinates=coordinates, max_step=0.05, progress=False)
        assert short.status.ok
        assert short["b.vx"][-1] == pytest.approx(math.sqrt(math.pi), rel=1e-4)
    assert went_over or integrator == "dop853"


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
def test_a_thing_that_is_short_in_space_is_told_of() -> None:
    """A wall of 5 cm that a block goes through in one step: a formula, but not one of time alone."""
    m = pushed(lambda t: 0.0, speed=1.0)
    m.force("wall", on=m["b"]["P"], vector=("-4*exp(-((b.x - 50)/0.05)**2)", 0.0))
    run = jd.simulate(m, 100.0, every=0.02, integrator="dopri5", progress=False)
    work = 4.0 * 0.05 * math.sqrt(math.pi)
    assert told(run) or run["b.vx"][-1] == pytest.approx(math.sqrt(1.0 - 2.0 * work), rel=1e-3)


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
def test_sessions_say_it_and_forget_it_where_they_go_back() -> None:
    s = jd.session(pushed(blow(5.0, 0.1)), every=0.05, integrator="dopri5")
    assert s.advance(to=3.0).ok
    mark = s.checkpoint()
    status = s.advance(to=8.0)
    assert not status.ok
    assert "do not trust the motion from t = 4.7 s on" in status.sentence
    assert told(s.solution())
    s.restore(mark)
    assert s.advance(to=4.0).ok


# Machines without a freedom ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("integrator", [None, "dopri5", "bdf", "radau"])
def test_a_locked_machine_has_nothing_to_control_in_joint_coordinates(integrator: str | None, space: str) -> None:
    """No velocity is left there, and error control divided by their number; reactions follow the load all the same."""
    zero = [0.0, 0.0, 0.0][: 2 if space == "planar" else 3]
    m = jd.Mechanism("locked", space=space)
    inertia = 0.1 if space == "planar" else (0.1, 0.1, 0.1)
    b = m.body("b", mass=1.0, inertia=inertia, position=zero, points={"T": zero})
    m.weld("W", m.ground.point("O", zero), b.point("P", zero))
    m.force("push", on=b["T"], vector=["sin(t)", *zero[1:]])
    m.event("later", "t - 0.5")
    run = jd.simulate(m, 1.0, coordinates="relative", integrator=integrator, progress=False)
    assert run.status.ok
    assert abs(run["W.fx"][-1]) == pytest.approx(math.sin(1.0), abs=1e-12)
    assert run.events["later"].t == pytest.approx([0.5], abs=1e-9)
