"""Systems of subsystems against the one mechanism that they stand for, closed forms and the paper's figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jourdain as jd
from systems import (
    RK4,
    apart,
    chain,
    double_pendulum,
    equal_links,
    four_bar,
    free,
    monolith,
    pair,
    parallelogram,
    pinned,
    rssr,
    slider_crank,
    stewart,
)

CLOSER = 12.0  # times closer with half the macro step, at least
ORDER_6 = 40.0  # likewise, where nothing but the coupling counts; 64 in the limit
OWN = 5e-10  # m: what the boxes' own steps of rk4 leave


@pytest.mark.parametrize(
    ("angles", "at_10", "at_5"), [((0.0, 0.0), 5e-6, 4e-7), ((-np.pi / 3, -np.pi / 6), 1e-7, 1e-8)]
)
def test_double_pendulum_in_two_boxes(angles: tuple[float, float], at_10: float, at_5: float) -> None:
    s = double_pendulum(*angles)
    reference = monolith(s, [0.0, 2.0])
    off = {}
    for H in (0.04, 0.02, 0.01, 0.005):
        run = jd.simulate(s, times=np.linspace(0, 2, 26), macro_step=H)
        off[H] = float(np.hypot(*(run[f"two.bar.{c}"][-1] - reference[f"two_bar.{c}"][-1] for c in "xy")))
        assert np.max(run.violation.position) < 1e-10
    assert off[0.01] < at_10
    assert off[0.005] < at_5
    assert all(off[H] > CLOSER * off[H / 2] or off[H] < OWN for H in (0.04, 0.02, 0.01))


@pytest.mark.parametrize(("machine", "body", "H"), [(double_pendulum, "two.bar", 0.04), (four_bar, "two.rocker", 0.02)])
def test_coupling_is_of_order_six(machine: Any, body: str, H: float) -> None:
    """With steps in the boxes that leave nothing: pins, whose directions do not turn."""
    s, times = machine(), np.linspace(0, 1.2, 16)
    for box in s.boxes.values():
        box.choices["step"] = H / 40
    reference = monolith(s, times)
    off = [apart(jd.simulate(s, times=times, macro_step=h), reference, body) for h in (H, H / 2)]
    assert off[0] > ORDER_6 * off[1]


def test_directions_that_turn_are_of_order_six() -> None:
    """A slide along a bar that turns: its directions are followed by quintics, its wrenches by cubics at four times."""
    s, first, second = pair("planar")
    s.prismatic("S", first, second)
    for box in s.boxes.values():
        box.choices["step"] = 5e-4
    times = np.linspace(0, 0.8, 11)
    reference = monolith(s, times)
    off = [apart(jd.simulate(s, times=times, macro_step=h), reference, "b.q") for h in (0.04, 0.02)]
    assert off[0] > ORDER_6 * off[1]


@pytest.mark.parametrize(
    ("machine", "body"),
    [(lambda: four_bar(2), "two.rocker"), (lambda: four_bar(3), "three.bar"), (slider_crank, "two.slider")],
    ids=["four-bar in two", "four-bar in three", "slider-crank"],
)
def test_loops_cut_into_boxes(machine: Any, body: str) -> None:
    s, times = machine(), np.linspace(0, 0.6, 7)
    reference = monolith(s, times)
    off = [apart(jd.simulate(s, times=times, macro_step=H), reference, body) for H in (0.01, 0.005)]
    assert off[1] < 1e-6
    assert off[0] > CLOSER * off[1] or off[0] < OWN


@pytest.mark.parametrize(("machine", "body"), [(rssr, "three.rocker"), (stewart, "platform.top")])
def test_spatial_loops_cut_into_boxes(machine: Any, body: str) -> None:
    s, times = machine(), np.array([0.0, 0.1])
    reference = monolith(s, times)
    off = [apart(jd.simulate(s, times=times, macro_step=H), reference, body) for H in (0.01, 0.005)]
    assert off[1] < 1e-7
    assert off[0] > CLOSER * off[1] or off[0] < OWN


PLANAR = ["revolute", "prismatic", "weld", "point_on_line", "parallel"]
SPATIAL = [
    *("spherical", "revolute", "universal", "cylindrical", "prismatic", "planar", "weld", "point_on_line"),
    *("point_in_plane", "parallel"),
]


def _joined_by(kind: str) -> Any:
    if kind == "distance":
        return lambda s, p, q: s.distance("J", p, q, length=0.4)
    if kind == "custom":
        return lambda s, p, q: s.custom("J", p, q, equations=["dot(N - M, y_i)"])
    if kind == "screw":
        return lambda s, p, q: s.screw("J", p, q, pitch=0.1)
    return lambda s, p, q: getattr(s, kind)("J", p, q)


def _with(space: str, *more: tuple[str, dict[str, Any]]) -> Any:
    def add(s: jd.System, p: Any, q: Any) -> None:
        s.revolute("J", p, q)
        for kind, keys in more:
            getattr(s, kind)("K", joint="J", **keys)

    return space, add


def _pinned_with(kind: str, **keys: Any) -> Any:
    """A pin, and a force or couple on the second port, which may depend on channels of ports."""

    def add(s: jd.System, p: Any, q: Any) -> None:
        (s.revolute if s.links.space == "planar" else s.spherical)("J", p, q)
        getattr(s, kind)("K", on=q, **keys)

    return add


CASES = {
    "force by channels of ports": ("planar", _pinned_with("force", vector=("-3*b.q.P.vx", "-2*a.p.P.y"))),
    "torque by the spin of a port": ("planar", _pinned_with("torque", torque="-0.3*b.q.P.spin")),
    "torque in space": ("spatial", _pinned_with("torque", torque=(1, 2, "sin(t)"))),
    "torque that follows": ("spatial", _pinned_with("follower_torque", torque=(1, 2, 3))),
    "point on a circle": (
        "planar",
        lambda s, p, q: s.joint("point-on-circle", "J", p, q, values={"radius": 0.2}),
    ),
    **{f"planar {kind}": ("planar", _joined_by(kind)) for kind in [*PLANAR, "distance", "custom"]},
    **{f"spatial {kind}": ("spatial", _joined_by(kind)) for kind in [*SPATIAL, "distance", "custom", "screw"]},
    "motion": _with("planar", ("motion", {"angle": "0.3*sin(5*t)"})),
    "friction": _with("spatial", ("friction", {"coefficient": 0.2, "radius": 0.05, "regular_speed": 0.1})),
    "torsion spring": _with("planar", ("torsion_spring_damper", {"stiffness": 20, "damping": 0.2, "angle": 0.1})),
}


@pytest.mark.parametrize("case", CASES)
def test_every_joint_between_boxes_is_that_of_one_mechanism(case: str) -> None:
    """Motion, reactions and the balance of energies, by the same tables of equations."""
    space, add = CASES[case]
    s, p, q = pair(space)
    add(s, p, q)
    times = np.array([0.0, 0.1, 0.2])
    reference = monolith(s, times)
    run = jd.simulate(s, times=times, macro_step=0.01)
    assert run.status.ok
    assert apart(run, reference, "b.q") < 1e-6
    scale = max(1.0, float(np.max(np.abs(reference["J.load"]))))
    for name in [name for name in run.channels if name.startswith(("J.f", "J.m", "J.on_first.f"))]:
        assert np.allclose(run[name], reference[name], atol=1e-5 * scale), name
    assert np.ptp(run.energy.total) < 1e-5
    assert run.energy.total[0] == pytest.approx(reference.energy.total[0], abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "keys"),
    [("equation", {"formula": "b.q.P.angle - a.p.P.angle - 0.1*t", "from_drawn": True}),
     ("velocity_constraint", {"formula": "b.q.P.vx"})],
)  # fmt: skip
def test_equations_over_channels_of_ports(kind: str, keys: dict[str, Any]) -> None:
    s, *_ = pair("planar")
    getattr(s, kind)("K", **keys)
    times = np.array([0.0, 0.2])
    run, reference = jd.simulate(s, times=times, macro_step=0.01), monolith(s, times)
    assert apart(run, reference, "b.q") < 1e-6


def test_what_subsystems_do_not_show_is_not_seen() -> None:
    s, _, q = pair("planar")
    with pytest.raises(jd.MechanismError, match=r"'b' has no port 'q.vx'.* stays inside"):
        s.force("K", on=q, vector=("b.q.vx", 0))
    s.distance("a", s["a"]["p.P"], q, length=0.4)
    with pytest.raises(jd.MechanismError, match="'a' is the name of a subsystem and of"):
        jd.simulate(s, 0.1)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_forces_alone_between_boxes(space: str) -> None:
    s, p, q = pair(space)
    n = 3 if space == "planar" else 6
    s.bushing("rubber", p, q, stiffness=(200,) * (n // 2 + n % 2) + (10,) * (n // 2), damping=(2,) * n)
    times = np.array([0.0, 0.2])
    reference = monolith(s, times)
    off = [apart(jd.simulate(s, times=times, macro_step=H), reference, "b.q") for H in (0.01, 0.005)]
    assert off[1] < 1e-6
    assert off[0] > CLOSER * off[1] or off[0] < OWN


def test_gear_between_joints_of_different_boxes() -> None:
    s = jd.System("gears")
    names = ("small", "large")
    for k, (name, inertia) in enumerate(zip(names, (0.01, 0.4), strict=True)):
        m = jd.Mechanism(name, gravity=(0, 0))
        spin = (2.0, -6.0)[k]
        m.body("wheel", mass=1, inertia=inertia, position=(0.4 * k, 0), angle=0.0, spin=spin, points={"O": (0, 0)})
        box = s.subsystem(name, m, **RK4)
        s.revolute(f"O{k}", s.ground.point(f"O{k}", (0.4 * k, 0)), box["wheel.O"])
    s.gear("G", joints=("O0", "O1"), ratio=-1 / 3)
    s.torsion_spring_damper("T", joint="O1", stiffness=3.0)
    times = np.linspace(0, 2, 5)
    reference = monolith(s, times)
    run = jd.simulate(s, times=times, macro_step=0.02)
    assert np.allclose(-3 * run["small.wheel.angle"], run["large.wheel.angle"], atol=1e-9)
    assert np.allclose(run["large.wheel.angle"], reference["large_wheel.angle"], atol=1e-5)


def test_change_point_of_a_parallelogram() -> None:
    """Exact: without gravity it turns evenly, and the coupler never turns."""
    times = np.linspace(0, 1, 11)
    run = jd.simulate(parallelogram(), times=times, macro_step=0.01)
    assert run.status.ok
    assert np.max(np.abs(run["one.bar.angle"] - np.pi / 2 - 4 * times)) < 1e-6
    assert np.max(np.abs(run["two.coupler.angle"])) < 1e-9


def test_singular_position_of_equal_links() -> None:
    s, times = equal_links(), np.linspace(0, 1.5, 16)
    reference = jd.simulate(s.joined(), times=times, integrator="rk4", step=2e-4)
    assert apart(jd.simulate(s, times=times, macro_step=0.01), reference, "two.bar") < 1e-5


def test_a_coupling_that_loses_a_joint_says_so() -> None:
    """Uzawa's rounds do not hold the slider through the singular position at this macro step."""
    s = equal_links()
    session = jd.session(s, macro_step=0.02, coupling="uzawa")
    status = session.advance(3.0)
    assert not status.ok or any("was open by" in note for note in status.notes)
    assert "'" in status.sentence or status.notes


def test_redundant_joints_between_boxes_have_the_motion_and_the_report_of_the_monolith() -> None:
    s, p, q = pair("spatial")
    s.revolute("J", p, q)
    s.parallel("K", p, q)
    times = np.array([0.0, 0.2])
    reference = monolith(s, times)
    run = jd.simulate(s, times=times, macro_step=0.01)
    assert apart(run, reference, "b.q") < 1e-6
    unique = {name: part.unique for name, part in run.reactions.items() if name in ("J", "K")}
    assert unique == {name: reference.reactions[name].unique for name in ("J", "K")}
    found, one = jd.check(s), jd.check(s.joined())
    assert (found.rank, found.freedoms, found.equations) == (one.rank, one.freedoms, one.equations)
    assert str(found).count("self-stress") == str(one).count("self-stress") > 0
    assert "a.O" in str(found)
    assert "a_O" not in str(found)


@pytest.mark.parametrize("coupling", ["uzawa", "explicit", jd.UzawaCoupling(relaxation=0.9), jd.Explicit(held=True)])
def test_other_couplings_come_near(coupling: Any) -> None:
    s, times = double_pendulum(), np.array([0.0, 0.2, 0.4])
    reference = monolith(s, times)
    off = [
        apart(jd.simulate(s, times=times, coupling=coupling, macro_step=H), reference, "two.bar") for H in (0.01, 0.005)
    ]
    assert off[0] < 5e-3
    assert off[1] < 0.5 * off[0]


def test_the_papers_own_rounds_and_where_they_end() -> None:
    """At the pin K has eigenvalues of at most 8 / kg here, so 0.2 kg converges and 2 kg does not."""
    s, times = double_pendulum(), np.array([0.0, 0.1])
    paper = jd.UzawaCoupling(rho=0.2, warm=False, stop="change", tolerance=1e-6)
    run = jd.simulate(s, times=times, macro_step=0.005, coupling=paper)
    assert run.status.ok
    assert apart(run, monolith(s, times), "two.bar") < 1e-4
    session = jd.session(s, macro_step=0.005, coupling=jd.UzawaCoupling(rho={"B": 2.0}))
    status = session.advance(0.1)
    assert not status.ok
    assert "rho = 2 kg do not converge" in status.sentence
    assert session.t == 0.0


def test_rounds_of_conjugate_directions_grow_less_than_a_joint_each_on_a_bent_chain() -> None:
    rounds = []
    for n in (6, 24):
        run = jd.simulate(chain(n), 0.02, macro_step=0.005, coupling="uzawa")
        assert run.status.ok
        rounds.append(run["@coupling.rounds"][-1])
    assert rounds[1] < 4 * rounds[0]


def test_auto_puts_macro_points_on_samples_and_holds_the_error() -> None:
    s, times = double_pendulum(0.0, 0.0), np.linspace(0, 1, 8)
    reference = monolith(s, times)
    run = jd.simulate(s, times=times)
    assert np.array_equal(run.t, times)
    assert apart(run, reference, "two.bar") < 1e-5
    assert len(set(run["@coupling.step"][1:])) > 1


def test_a_small_step_in_one_box_costs_that_box_alone() -> None:
    """Counted in evaluations, which do not depend on the load of the machine."""
    counts = []
    for step in (1e-3, 1e-5):
        s = chain(4)
        s.boxes["b3"].choices["step"] = step  # type: ignore[index]
        session = jd.session(s, macro_step=0.01)
        session.advance(0.02)
        counts.append({name: box.session.loop.steps for name, box in session.boxes.items()})
    assert counts[0]["b0"] == counts[1]["b0"]
    assert counts[1]["b3"] == 100 * counts[0]["b3"]


def test_systems_inside_systems() -> None:
    inner = double_pendulum()
    outer = jd.System("two of them")
    part = outer.subsystem("arm", inner)
    C = np.array([np.cos(-np.pi / 3) + np.cos(-np.pi / 6), np.sin(-np.pi / 3) + np.sin(-np.pi / 6)])
    end = outer.subsystem("end", free("end", tuple(C), (C[0] + 0.5, C[1])), **RK4)
    outer.revolute("E", part["two.bar.B"], end["bar.A"])
    times = np.array([0.0, 0.3])
    reference = monolith(outer, times)
    run = jd.simulate(outer, times=times, macro_step=0.01)
    assert run["arm.two.bar.x"] == pytest.approx(reference["arm_two_bar.x"], abs=1e-7)
    assert run["arm.B.fx"] == pytest.approx(reference["arm_B.fx"], abs=1e-5)


def test_sessions_step_by_macro_steps() -> None:
    session = jd.session(double_pendulum(), macro_step=0.01)
    assert session.step(3).ok
    assert session.t == pytest.approx(0.03)
    with pytest.raises(jd.ChoiceError, match="'auto'"):
        jd.session(double_pendulum()).step()


def test_threads_give_the_same_bits() -> None:
    runs = [jd.simulate(chain(6), 0.05, macro_step=0.005, threads=n)["b5.bar.x"] for n in (1, 2)]
    assert np.array_equal(*runs)


def test_pictures_show_the_whole(tmp_path: Any) -> None:
    run = jd.simulate(four_bar(2), 0.1, macro_step=0.005)
    assert [body.name for body in run.blueprint.bodies] == ["one.bar", "two.bar", "two.rocker"]
    run.draw(path=tmp_path / "a.png", traces=["two.rocker.A"])
    run.animate(tmp_path / "a.html")
    m = pinned("one", (0, 0), (1, 0))
    m.rope("r", m.ground.point("W", (1, 1)), m["bar"]["B"], length=1.2, stiffness=1e4, damping=10)
    s = jd.System("on a rope")
    s.revolute("B", s.subsystem("one", m)["bar.B"], s.subsystem("two", free("two", (1, 0), (2, 0)))["bar.A"])
    hung = jd.simulate(s, 0.1)
    hung.draw(path=tmp_path / "c.png", traces=["two.bar.B"])
    hung.animate(tmp_path / "c.html")  # pictures ask a run for what its parts are like, by their names
    assert "one.r.stretch" in hung.channels
    run.plot("two.rocker.x", "@coupling.rounds", path=tmp_path / "b.png")
    run.save(tmp_path / "a.csv")
    assert "two.rocker.x" in (tmp_path / "a.csv").read_text().splitlines()[0]


def test_compare_tells_all_couplings() -> None:
    found = jd.compare(double_pendulum(), 0.2)
    assert {way.coupling for way in found.ways} >= {"extended", "uzawa", "explicit", "one mechanism, auto"}
    best = {way.coupling: way.error for way in found.ways if way.error is not None}
    assert best["extended"] < best["uzawa"] < best["explicit, held"]
    assert "extended" in str(found)


def test_auto_holds_the_error_of_forces_between_boxes() -> None:
    s, p, q = pair("planar")
    s.bushing("rubber", p, q, stiffness=(1e3, 1e3, 1e2), damping=(1, 1, 0.1))
    times = np.array([0.0, 0.4])
    assert apart(jd.simulate(s, times=times), monolith(s, times), "b.q") < 1e-5


def test_a_macro_step_that_is_too_long_for_reactions_is_told() -> None:
    """The crank falls through a position in which forces peak within some milliseconds."""
    s, times = rssr(), np.array([0.0, 0.8])
    long, short = (jd.simulate(s, times=times, macro_step=H) for H in (0.02, 0.001))
    assert apart(long, monolith(s, times), "three.rocker") > 1e-5
    assert any("places may be off by about" in note for note in long.status.notes)
    assert not short.status.notes


def test_auto_follows_reactions_that_peak_within_some_milliseconds() -> None:
    """The same machine over 5 s, about 1e-4 m off where every macro step is 5 ms."""
    s, times = rssr(), np.linspace(0.0, 5.0, 11)
    run = jd.simulate(s, times=times)
    assert apart(run, monolith(s, times), "three.rocker") < 1e-5
    assert not run.status.notes
