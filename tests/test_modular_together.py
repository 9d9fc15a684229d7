"""Boxes that go on together inside the kernel: the bits that they have one by one, and through Python alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.modular import own_box
from systems import RK4, chain, double_pendulum, four_bar, free, pair


def spatial_chain() -> jd.System:
    """Bodies alike in space, pinned by balls."""
    s = jd.System("balls")
    last = s.ground.point("O", (0, 0, 0))
    for k in range(4):
        m = jd.Mechanism("link", gravity=(0, 0, -9.81))
        ends = {"A": (-0.1, 0, 0), "B": (0.1, 0.01, 0)}
        m.body("bar", mass=1, inertia=(0.01, 0.02, 0.02), position=(0.1 + 0.2 * k, 0.01 * k, 0), points=ends)
        box = s.subsystem(f"b{k}", m, **RK4)
        s.spherical(f"J{k}", last, box["bar.A"])
        last = box["bar.B"]
    return s


def turning() -> jd.System:
    s, p, q = pair("planar")
    s.prismatic("J", p, q)
    return s


MACHINES: dict[str, Callable[[], jd.System]] = {
    "chain": lambda: chain(4),
    "balls in space": spatial_chain,
    "four-bar in three": lambda: four_bar(3),
    "directions that turn": turning,
}


def after(s: jd.System, prepare: Callable[[Any], None] = lambda session: None) -> Any:
    session = jd.session(s, macro_step=0.01, threads=1)
    prepare(session)
    assert session.advance(0.1).ok
    return session.network.motion


def one_by_one(session: Any) -> None:
    session.network.beside.off = True


@pytest.mark.parametrize("machine", MACHINES)
def test_boxes_have_the_same_bits_together_and_one_by_one(machine: str) -> None:
    s = MACHINES[machine]()
    together, apart = after(s), after(s, one_by_one)
    assert all(np.array_equal(a, b) for a, b in zip(together, apart, strict=True))


def test_boxes_are_together() -> None:
    session = jd.session(chain(6), macro_step=0.01)
    session.advance(0.02)
    groups = session.network.beside.groups
    assert [len(one.boxes) for one in groups] == [5, 1]  # the last has another number of ports
    assert session.network.beside.others == []


@pytest.mark.parametrize("machine", ["chain", "balls in space"])
def test_an_advance_has_the_bits_of_a_session(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody but the kernel decides, against the time loop called from Python."""
    rng = np.random.default_rng(3)
    session = jd.session(MACHINES[machine](), macro_step=0.01)
    inside = session.boxes["b1"]
    monkeypatch.setattr(own_box, "may_sit", lambda loop: False)
    outside = jd.session(MACHINES[machine](), macro_step=0.01).boxes["b1"]
    assert inside.grouped and not outside.grouped  # type: ignore[union-attr]
    for _ in range(3):
        wrenches = rng.normal(size=(2, 2, 3 if machine == "chain" else 6))
        for box in (inside, outside):
            box.advance(0.01, wrenches)
        assert np.array_equal(inside.session.y, outside.session.y)  # type: ignore[union-attr]
    assert inside.mobility() == pytest.approx(outside.mobility(), rel=1e-9, abs=1e-9)
    for a, b in zip(inside.advance(0.01, wrenches), outside.advance(0.01, wrenches), strict=True):
        assert a == pytest.approx(b, rel=1e-12, abs=1e-12)


def test_threads_and_checkpoints_keep_the_bits() -> None:
    alone = after(chain(8))
    session = jd.session(chain(8), macro_step=0.01, threads=3)
    session.advance(0.05)
    mark = session.checkpoint()
    session.advance(0.02)
    session.restore(mark)
    session.advance(0.05)
    assert all(np.array_equal(a, b) for a, b in zip(alone, session.network.motion, strict=True))


def test_numbers_that_are_set_reach_boxes_that_go_together() -> None:
    def heavier(session: Any) -> None:
        session.advance(0.02)
        session.set("b1.bar.mass", 0.3)

    def heavier_apart(session: Any) -> None:
        one_by_one(session)
        heavier(session)

    a, b = after(chain(4), heavier), after(chain(4), heavier_apart)
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    assert not np.array_equal(a.position, after(chain(4)).position)


def test_a_box_that_fails_among_others_is_named_and_nothing_is_advanced() -> None:
    s = jd.System("pair")
    ends = []
    for k, name in enumerate(("good", "bad")):
        m = free(name, (k, 0), (k + 1, 0))
        m.force("F", on=m["bar"]["B"], vector=("1/(t - 0.05)**4" if name == "bad" else "0*t", 0))
        ends.append(s.subsystem(name, m, **RK4))
    s.revolute("J", ends[0]["bar.B"], ends[1]["bar.A"])
    session = jd.session(s, macro_step=0.01, every=0.01)
    status = session.advance(0.2)
    assert not status.ok
    assert "bad" in status.sentence
    assert session.t < 0.051
    run = session.solution()
    for name in ("good.bar.x", "bad.bar.vy"):
        assert session[name] == run[name][-1]


def test_a_step_that_is_small_is_left_to_python_and_its_keyboard() -> None:
    s = double_pendulum()
    s.boxes["one"].choices["step"] = 5e-6  # type: ignore[index]
    session = jd.session(s, macro_step=0.01)
    assert session.advance(0.02).ok
    other = jd.session(double_pendulum(), macro_step=0.01)
    other.advance(0.02)
    assert session["two.bar.x"] == pytest.approx(other["two.bar.x"], abs=1e-10)
