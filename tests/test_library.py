"""The library of components, by the plain-Python value of its formulas: signs, energies, closed forms.

Bodies move freely in `oracle.World`, so every identity is tried in general position, out of any joint's way.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain.equations.formula import leaf, number
from jourdain.equations.lowered import DISSIPATED, DRIVEN, OWN_POTENTIAL, STORED, Lowered
from jourdain.library import TYPES, lowered
from jourdain.library.forces.bushing import rotation_vector
from jourdain.library.mechanism_faults import part_faults
from library_cases import EXTRA, bench, blueprint, component, effort, low_of, made, pull
from oracle import World, slope

# Central differences of fourth order with h = 1e-4 lose about eps / h of what they subtract.
FINITE = 1e-8
NAMES = {dim: [c.name for c in blueprint(dim).components] for dim in (2, 3)}
CASES = [(dim, name) for dim, names in NAMES.items() for name in names]


def test_every_type_has_a_case() -> None:
    """By a method of the builder, or by `Mechanism.component`."""
    for kind in TYPES.values():
        assert kind.summary
        assert kind.section in ("relations", "motions", "forces", "elements")
    tried = {c.type for dim in (2, 3) for c in blueprint(dim).components}
    assert set(TYPES) - tried == {"spring-damper", "force", "torque"}


@pytest.mark.parametrize("dim", [2, 3])
def test_healthy_components_have_no_faults(dim: int) -> None:
    assert part_faults(blueprint(dim)) == []


# Energy -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dim", "name"), CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_potentials_account_for_the_work(dim: int, name: str, seed: int) -> None:
    """The rate of a potential is minus the power of its effort, magnitude times rate."""
    b = blueprint(dim)
    world = World(b, seed, dict(EXTRA))
    for e in lowered(component(b, name), b).efforts:
        assert (e.potential is not None) == (e.account == OWN_POTENTIAL)
        if e.potential is not None:
            _, rate, magnitude = effort(e, world, 0.3)
            gained = slope(lambda when, e=e: world(e.potential, when), 0.3)
            np.testing.assert_allclose(gained, -magnitude * rate, rtol=FINITE, atol=FINITE * max(1.0, abs(magnitude)))


@pytest.mark.parametrize(("dim", "name"), CASES)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_dissipated_is_taken(dim: int, name: str, seed: int) -> None:
    b = blueprint(dim)
    world = World(b, seed, dict(EXTRA))
    low = lowered(component(b, name), b)
    for e in low.efforts:
        if e.account == DISSIPATED:
            _, rate, magnitude = effort(e, world)
            assert magnitude * rate <= 0.0
    for load in low.loads:
        if load.account == DISSIPATED:
            force = [world(f) for f in load.vector]
            assert np.dot(force, world.point(load.body, load.at, 0.0, 1)) < 0.0


DAMPED = {
    "torsion": (1, "torque"),
    "cubic": (-1, "force"),
    "measured": (-1, "force"),
    "drive": (1, "torque"),
    "limited": (1, "force"),
    "end": (1, "force"),
    "near": (1, "force"),
    "rope": (-1, "force"),
    "rub": (1, "torque"),
    "slide": (1, "force"),
    "motor": (1, "torque"),
    "jack": (1, "force"),
    "ram": (1, "force"),
}


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("name", DAMPED)
def test_channels_report_the_efforts(dim: int, name: str) -> None:
    """What a component says it does is the sum of what it does, with the rate from channels instead of differences."""
    sign, channel = DAMPED[name]
    low = low_of(dim, name)
    world = World(blueprint(dim), 3, dict(EXTRA))
    whole = sum(effort(e, world, 0.2)[2] for e in low.efforts)
    assert whole != 0.0
    np.testing.assert_allclose(world(low.channels[channel], 0.2), sign * whole, rtol=1e-7)


def test_rate_channel_is_the_rate_of_the_length() -> None:
    low, world = low_of(3, "cubic"), World(blueprint(3))
    expected = slope(lambda when: world(low.channels["length"], when), 0.1)
    np.testing.assert_allclose(world(low.channels["rate"], 0.1), expected, rtol=FINITE)


def test_sliding_rate_of_a_cylindrical_joint() -> None:
    low, world = made(lambda m: m.motion("go", joint="C.displacement", speed=0), 3)
    (equation,) = low.equations
    assert equation.velocity
    expected = slope(lambda when: world.value("C.displacement", when), 0.1)
    np.testing.assert_allclose(world(equation.formula, 0.1), expected, rtol=FINITE)


# Relations ----------------------------------------------------------------------------------------------------------


def residual(low: Lowered, **angles: float) -> float:
    (equation,) = low.equations
    return equation.formula(0.0, lambda key: angles[key.partition(".")[0]])


RELATIONS: dict[str, tuple[Any, dict[str, float]]] = {
    # An external pair 20:60: one turn of the wheel is three turns of the pinion, the other way.
    "external teeth": (lambda m: m.gear("g", joints=("A", "B"), teeth=(20, 60)), {"A": -3.0, "B": 1.0}),
    "internal teeth": (lambda m: m.gear("g", joints=("A", "B"), teeth=(20, 60), internal=True), {"A": 3.0, "B": 1.0}),
    "ratio": (lambda m: m.gear("g", joints=("A", "B"), ratio=-2.5), {"A": -2.5, "B": 1.0}),
    "belt": (lambda m: m.belt("g", joints=("A", "B"), radii=(0.1, 0.3)), {"A": 3.0, "B": 1.0}),
    "crossed": (lambda m: m.belt("g", joints=("A", "B"), radii=(0.1, 0.3), crossed=True), {"A": 3.0, "B": -1.0}),
    "rack": (lambda m: m.rack_and_pinion("g", joints=("A", "S"), radius=0.05), {"A": 2.0, "S": 0.1}),
    "screw": (lambda m: m.screw("g", joints=("A", "S"), pitch=0.002), {"A": 4 * math.pi, "S": 0.004}),
    "coupling": (lambda m: m.coupling("g", joints=("A", "S"), function="x**2"), {"A": 3.0, "S": 9.0}),
}


@pytest.mark.parametrize("case", RELATIONS)
def test_relations_hold_where_they_should(case: str) -> None:
    build, right = RELATIONS[case]
    low, _ = made(build)
    assert residual(low, **right) == pytest.approx(0.0, abs=1e-15)
    assert abs(residual(low, **{**right, "A": -right["A"] + 0.1})) > 1e-6
    assert low.equations[0].floating == (case != "coupling")


def test_the_phase_of_a_gear_is_named() -> None:
    assert low_of(2, "mesh").equations[0].meaning == "mesh of the teeth (phase of the assembled pose)"


def test_screw_of_one_cylindrical_joint() -> None:
    low, _ = made(lambda m: m.screw("g", joints=("C", "C"), pitch=0.5), 3)
    f = low.equations[0].formula
    assert set(f.quantities()) == {"C.angle", "C.displacement"}
    assert f(0.0, {"C.angle": 2 * math.pi, "C.displacement": 0.5}.__getitem__) == pytest.approx(0.0, abs=1e-15)


def cam(x: float) -> float:
    return 0.1 * (1 - math.cos(x)) + np.sin(x) ** 2


def test_coupling_by_a_function_is_a_formula() -> None:
    low, _ = made(lambda m: m.coupling("g", joints=("A", "S"), function=cam, from_drawn=True))
    assert residual(low, A=0.7, S=cam(0.7)) == pytest.approx(0.0, abs=1e-15)
    assert low.equations[0].floating


def on_circle(p: Any, q: Any, t: Any) -> Any:
    d = q.position - p.position
    return d @ d - (1 + t) ** 2 + p.x @ q.y


@pytest.mark.parametrize("dim", [2, 3])
def test_equation_over_ports(dim: int) -> None:
    low, world = made(
        lambda m: m.equation("own", formula=on_circle, ports=(m.ground["O"], m["b"]["Q"]), inputs=["t"]), dim
    )
    value = world(low.equations[0].formula, 0.4)
    q = world.point("b", world.blueprint.body("b").ports["Q"].at, 0.4, 0)
    d = q - np.array(world.blueprint.ground["O"].at)
    x = np.eye(dim)[0]
    y = [world.value(("axis", *_pair(), "y_j", k, 0), 0.4) for k in range(dim)]
    assert value == pytest.approx(d @ d - 1.4**2 + x @ y)


def _pair() -> tuple[Any, Any]:
    m = bench(2)
    return m.ground["O"], m["b"]["Q"]


def slip(p: Any) -> Any:
    return p.velocity @ p.y + 0.3 * p.spin


def test_velocity_constraint_over_ports() -> None:
    low, world = made(lambda m: m.velocity_constraint("own", formula=slip, ports=[m["b"]["Q"]]))
    (equation,) = low.equations
    assert equation.velocity
    port = world.blueprint.body("b").ports["Q"]
    y = world.turned("b", (-port.x[1], port.x[0]), 0.0, 0)  # type: ignore[index]
    expected = world.point("b", port.at, 0.0, 1) @ y + 0.3 * world.paths["b"][3][0]
    assert world(equation.formula) == pytest.approx(expected)


# Motions ------------------------------------------------------------------------------------------------------------


def test_motions() -> None:
    low, world = made(lambda m: m.motion("go", joint="A", angle=lambda t: 2 * t + math.sin(t), from_drawn=True))
    assert low.equations[0].floating
    assert not low.equations[0].velocity
    expected = world.value("A.angle", 0.5) - 1.0 - math.sin(0.5)
    assert world(low.equations[0].formula, 0.5) == pytest.approx(expected)


def test_motion_of_speed_and_of_a_point() -> None:
    low, world = made(lambda m: m.motion("go", joint="S", speed="3*t"))
    assert low.equations[0].velocity
    assert world(low.equations[0].formula, 0.5) == pytest.approx(world.value("S.speed", 0.5) - 1.5)
    low, world = made(lambda m: m.motion("go", point=m["a"]["P"], x="t", y=[(0, 1), (1, 3)]))
    found = [world(e.formula, 0.5) for e in low.equations]
    assert found == pytest.approx([world.value("a.P.x", 0.5) - 0.5, world.value("a.P.y", 0.5) - 2.0])


def test_motion_by_table_goes_through_its_points() -> None:
    table = [(x, math.sin(x)) for x in np.linspace(0, 3, 16)]
    low, _ = made(lambda m: m.motion("go", joint="A", angle=table))
    f = low.equations[0].formula
    for x, y in table:
        assert f(x, lambda key: 0.0) == pytest.approx(-y, abs=1e-14)
    # A quintic spline of step 0.2 errs by less than the sixth power of it.
    assert f(1.1, lambda key: 0.0) == pytest.approx(-math.sin(1.1), abs=0.2**6)


# Springs and bushings -----------------------------------------------------------------------------------------------


def test_stretched_springs_pull_back() -> None:
    low, _ = made(lambda m: m.spring("s", m["a"]["P"], m["b"]["Q"], force="k*(length - 0.5)", damping=2))
    assert pull(low, 0.75) == -10.0
    assert pull(low, 0.25) == +10.0
    assert pull(low, 0.75, rate=3.0) == -16.0
    assert [e.account for e in low.efforts] == [STORED, DISSIPATED]
    torsion = low_of(2, "torsion")
    assert pull(torsion, 0.5) == pytest.approx(-80 * 0.1)
    assert pull(torsion, 0.4, rate=1.0) == pytest.approx(-3.0)


def test_spring_by_formula_is_split_into_what_is_stored_and_lost() -> None:
    low = low_of(2, "cubic")
    stored, lost, damper = low.efforts
    at = {"along": 1.5, "rate": 0.7, "k": 40.0}
    assert [e.account for e in low.efforts] == [STORED, DISSIPATED, DISSIPATED]
    assert [e.magnitude(0.0, at.__getitem__) for e in (stored, lost, damper)] == pytest.approx([-40, -1.4, -0.35])
    for force in ("length*t", "length*A.angle"):
        low, _ = made(lambda m, f=force: m.spring("s", m["a"]["P"], m["b"]["Q"], force=f))
        assert [e.account for e in low.efforts] == [DRIVEN]


def test_spring_by_function_of_length_and_rate() -> None:
    low, _ = made(lambda m: m.spring("s", m["a"]["P"], m["b"]["Q"], force=lambda length: 10 * (length - 1)))
    assert pull(low, 1.5) == -5.0
    low, _ = made(lambda m: m.spring("s", m["a"]["P"], m["b"]["Q"], force=lambda rate, length: length + 100 * rate))
    assert pull(low, 1.5, rate=0.1) == pytest.approx(-11.5)
    low, _ = made(lambda m: m.spring("s", m["a"]["P"], m["b"]["Q"], force=lambda w: 3 * w, inputs=["a.spin"]))
    assert pull(low, 1.5, **{"a.spin": 2.0}) == -6.0


SETTING = {"gain": 2.0}


def test_function_that_reads_a_variable_is_called() -> None:
    """The variable may change during a run, so that no formula may stand for the function."""
    low, _ = made(lambda m: m.spring("s", m["a"]["P"], m["b"]["Q"], force=lambda length: SETTING["gain"] * length))
    assert pull(low, 1.5) == -3.0
    SETTING["gain"] = 4.0
    assert pull(low, 1.5) == -6.0


def test_spring_table_and_its_energy() -> None:
    low, world = low_of(2, "measured"), World(blueprint(2))
    (e,) = low.efforts
    assert [-e.magnitude(0.0, lambda key, x=x: x) for x in (0.5, 1, 2, 3)] == pytest.approx([-20, 0, 50, 60])
    assert e.potential is not None
    energy = e.potential.resolved(lambda key: number(0.0))  # all points at the origin, so that only ground.O is left
    assert energy() > 0.0
    table = e.potential.key
    assert table(1.0) == pytest.approx(0.0, abs=1e-12)
    assert slope(table, 1.7) == pytest.approx(-e.magnitude(0.0, lambda key: 1.7), rel=FINITE)
    assert slope(table, 4.5) == pytest.approx(-e.magnitude(0.0, lambda key: 4.5), rel=FINITE)
    assert world(low.channels["length"]) > 0


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("angle", [-2.5, -0.4, 1e-9, 0.3, 3.0])
def test_bushing_about_one_axis_is_a_torsion_spring(axis: int, angle: float) -> None:
    R = Rotation.from_rotvec(angle * np.eye(3)[axis]).as_matrix()
    axes_i = [tuple(number(v) for v in row) for row in np.eye(3)]
    axes_j = [tuple(leaf((k, c)) for c in range(3)) for k in range(3)]
    found = [f(0.0, lambda key: R[key[1], key[0]]) for f in rotation_vector(axes_i, axes_j)]
    np.testing.assert_allclose(found, angle * np.eye(3)[axis], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_bushing_turns_by_the_rotation_vector(seed: int) -> None:
    world = World(blueprint(3), seed)
    low = low_of(3, "rubber")
    ground, b = world.blueprint.ground["U"], world.blueprint.body("b").ports["Q"]
    frames = [np.column_stack([p.x, np.cross(p.z, p.x), p.z]) for p in (ground, b)]  # type: ignore[arg-type]
    R_ij = frames[0].T @ world.rotation("b", 0.0) @ frames[1]
    expected = Rotation.from_matrix(R_ij).as_rotvec()
    assert [world(low.channels[c]) for c in ("rx", "ry", "rz")] == pytest.approx(expected, rel=1e-9)
    apart = world.point("b", b.at, 0.0, 0) - np.array(ground.at)
    assert [world(low.channels[c]) for c in "xyz"] == pytest.approx(frames[0].T @ apart)
    elastic = [e for e in low.efforts if e.account == OWN_POTENTIAL]
    found = [effort(e, world)[2] for e in elastic]
    assert found == pytest.approx(-np.arange(10, 16) * [*(frames[0].T @ apart), *expected], rel=1e-9)


@pytest.mark.parametrize("dim", [2, 3])
def test_bushing_channels_of_force(dim: int) -> None:
    count = 3 if dim == 2 else 6
    stiffness, damping = range(10, 10 + count), range(1, 1 + count)
    low, world = made(lambda m: m.bushing("r", m["a"]["Q"], m["b"]["P"], stiffness=stiffness, damping=damping), dim)
    for k, c in enumerate("xyz"[:dim]):
        both = low.efforts[2 * k : 2 * k + 2]
        whole = sum(effort(e, world, 0.1)[2] for e in both)
        assert world(low.channels[f"f{c}"], 0.1) == pytest.approx(whole, rel=1e-8)


def test_bushing_in_the_plane() -> None:
    low, world = low_of(2, "rubber"), World(blueprint(2), 1)
    turn = world.paths["b"][2][0] + 0.6 - 0.3  # attitude of the body and angles of its port and the ground's
    assert world(low.channels["angle"]) == pytest.approx(turn)
    assert effort(low.efforts[4], world)[2] == pytest.approx(-12 * turn)


# One-sided forces ---------------------------------------------------------------------------------------------------


def test_stops_push_and_never_pull() -> None:
    low, _ = made(lambda m: m.stop("e", joint="A", below=-1, above=1, stiffness=100, damping=0.5))
    assert pull(low, 0.0, rate=5.0) == 0.0
    assert pull(low, 1.1) == pytest.approx(-10.0)
    assert pull(low, -1.1) == pytest.approx(+10.0)
    assert pull(low, 1.1, rate=1.0) == pytest.approx(-15.0)
    assert pull(low, 1.1, rate=-1.0) == pytest.approx(-5.0)
    assert pull(low, -1.1, rate=-1.0) == pytest.approx(+15.0)
    assert pull(low, 1.1, rate=-50.0) == pytest.approx(0.0, abs=1e-12)
    assert pull(low, -1.1, rate=50.0) == pytest.approx(0.0, abs=1e-12)
    # Continuous at first touch, whatever the speed.
    assert abs(pull(low, 1 + 1e-12, rate=100.0)) < 1e-8


def test_ropes_pull_and_never_push() -> None:
    low, _ = made(lambda m: m.rope("e", m["a"]["P"], m["b"]["P"], length=2, stiffness=100, damping=0.5))
    assert pull(low, 1.9, rate=5.0) == 0.0
    assert pull(low, 2.1) == pytest.approx(-10.0)
    assert pull(low, 2.1, rate=1.0) == pytest.approx(-15.0)
    assert pull(low, 2.1, rate=-50.0) == pytest.approx(0.0, abs=1e-12)


def test_actuator_keeps_its_accounts_apart() -> None:
    low, _ = made(
        lambda m: m.actuator(
            "e", joint="A", stiffness=5, damping=2, free=1, preload=3, motor="7*t", stops=(None, 4), stop_stiffness=100
        )
    )
    accounts = [e.account for e in low.efforts]
    assert accounts == [OWN_POTENTIAL, DISSIPATED, OWN_POTENTIAL, DRIVEN, OWN_POTENTIAL]
    values = {"along": 5.0, "rate": 0.5}
    found = [e.magnitude(2.0, values.__getitem__) for e in low.efforts]
    assert found == pytest.approx([-20.0, -1.0, 3.0, 14.0, -100.0])
