"""Mechanisms and results are data: pickled, copied, sent through a spawned process, they are equal to themselves."""

from __future__ import annotations

import copy
import dataclasses
import multiprocessing
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.files.gallery import example_names
from jourdain.mechanism.frozen import Frozen

RESULTS = {
    "run": lambda m: jd.simulate(m, 0.1),
    "check": jd.check,
    "many": lambda m: jd.simulate_many(m, 0.1, {f"{m.frozen().bodies[0].name}.mass": [1.0, 2.0]}),
    "channels": lambda m: jd.simulate_many(
        m, 0.1, {f"{m.frozen().bodies[0].name}.mass": [1.0]}, channels=["energy.kinetic"]
    ),
    "matrices": jd.matrices,
    "assembled": jd.assemble,
    "linear": jd.linearise,
    "graph": jd.graph,
}
OF_FOUR_BAR = {
    "modes": jd.modes,
    "statics": jd.statics,
    "sensitivity": lambda m: jd.sensitivity(m, ["k"], ["A.load"], 0.1),
    "kinematics": lambda m: jd.kinematics(m, "A", from_="-45 deg", to="-20 deg"),
    "compare": lambda m: jd.compare(m, 0.05, coordinates=["angle"], treatments=["kkt"], integrators=["dopri5"]),
    "inverse": lambda m: jd.inverse_dynamics(m, {"A": "-pi/4 + t"}, duration=0.1),
    "equilibria": lambda m: jd.equilibria(m, "k", [100, 200]),
    "branches": lambda m: jd.branches(m, {"crank.angle": "-45 deg"})[0],
    "derivation": lambda m: jd.derive("prismatic"),
    "derivation of a machine": jd.derive,
    "maxima": lambda m: jd.simulate(m, 0.1).maxima(),
    "state": lambda m: jd.simulate(m, 0.1).state(),
    "energy": lambda m: jd.simulate(m, 0.1).energy,
    "reaction": lambda m: jd.simulate(m, 0.1).reactions["A"],
    "violation": lambda m: jd.simulate(m, 0.1).violation,
    "multipliers": lambda m: jd.simulate(m, 0.1).multipliers,
    "shaking": lambda m: jd.simulate(m, 0.1).shaking(),
    "tree": lambda m: jd.tree(jd.example("double_pendulum")),
    "system": lambda m: a_system(),
    "system run": lambda m: jd.simulate(a_system(), 0.1),
    "system check": lambda m: jd.check(a_system()),
    "document": jd.Document.of,
    "table": lambda m: jd.Table([0, 1], [0, 2]),
    "type": lambda m: jd.Type("pin", kind="joint", ports=["a", "b"], equations=["dot(N - M, N - M) - 1"]),
    "body": lambda m: m["crank"],
    "choices": lambda m: [jd.Rk4(step=1e-3), jd.Baumgarte(), jd.Natural()],
    "study": lambda m: jd.study(m, 0.1, vary={"k": [1, 2]}, collect="max(A.load)"),
}


def a_system() -> jd.System:
    bar = jd.Mechanism("bar", gravity=(0, -9.81))
    bar.body("rod", mass=1, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    system = jd.System("pendulum")
    first = system.subsystem("first", bar)
    system.revolute("O", system.ground.point("O", (0, 0)), first["rod.A"])
    return system


@pytest.mark.parametrize("name", example_names())
def test_a_mechanism_comes_back_equal(name: str) -> None:
    m = jd.example(name)
    for whole in (m, m.frozen()):
        for back in (pickle.loads(pickle.dumps(whole)), copy.copy(whole), copy.deepcopy(whole)):
            assert back == whole
    assert hash(pickle.loads(pickle.dumps(m.frozen()))) == hash(m.frozen())
    changed = jd.example(name)
    changed.parameter("another", 1.0)
    assert changed != m and changed.frozen() != m.frozen()


@pytest.mark.parametrize("what", [*RESULTS, *OF_FOUR_BAR])
def test_a_result_comes_back_equal(what: str) -> None:
    names = ("four_bar", "rssr") if what in RESULTS else ("four_bar",)
    for name in names:
        found = {**RESULTS, **OF_FOUR_BAR}[what](jd.example(name))
        for back in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
            assert type(back) is type(found)
            assert back == found, (name, what)


def test_what_came_back_can_be_used() -> None:
    run = jd.simulate(jd.example("four_bar"), 0.5)
    back = pickle.loads(pickle.dumps(run))
    assert np.array_equal(back["A.load"], run["A.load"]) and back.at(0.123)["A.angle"] == run.at(0.123)["A.angle"]
    f = jd.rhs(jd.example("four_bar"))
    g = pickle.loads(pickle.dumps(f))
    assert np.array_equal(f(0.0, f.start), g(0.0, f.start))
    many = pickle.loads(pickle.dumps(jd.simulate_many(jd.example("four_bar"), 0.1, {"k": [100.0, 200.0]})))
    assert many["A.load"].shape[0] == 2 and many[1].status.ok


def test_results_with_other_numbers_are_not_equal() -> None:
    m = jd.example("four_bar")
    run = jd.simulate(m, 0.1)
    assert run == jd.simulate(m, 0.1) and run != jd.simulate(m, 0.2) and run != jd.simulate(m, 0.1, rtol=1e-6)
    back = pickle.loads(pickle.dumps(run))
    back.samples[-1, 0] = np.nan
    assert back != run and back == pickle.loads(pickle.dumps(back))  # NaN equals NaN


@pytest.mark.slow
@pytest.mark.parametrize("name", example_names())
def test_a_run_of_every_mechanism_comes_back_equal(name: str) -> None:
    run = jd.simulate(name, 0.02)
    assert pickle.loads(pickle.dumps(run)) == run


def through(m: Any) -> Any:
    return m, jd.simulate(m, 0.05)


def kept(thing: Any) -> Any:
    return thing


@pytest.fixture(scope="module")
def spawned() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_every_mechanism_goes_through_a_spawned_process(spawned: ProcessPoolExecutor) -> None:
    """And results, errors and states: what comes back is equal to what was sent."""
    machines = [jd.example(name) for name in example_names()]
    run = jd.simulate("four_bar", 0.05)
    things = [*machines, *(m.frozen() for m in machines), run, run.state(), run.maxima(), jd.check("four_bar")]
    assert spawned.submit(kept, things).result() == things
    four_bar = jd.example("four_bar")
    assert spawned.submit(through, four_bar).result() == (four_bar, run)


def refuse(name: str) -> Any:
    m = jd.Mechanism(name)
    m.body("bar", mass=-1, inertia=1)
    return jd.simulate(m, 1.0)


def test_errors_come_back_whole(spawned: ProcessPoolExecutor) -> None:
    with pytest.raises(jd.MechanismError, match="mass") as caught:
        spawned.submit(refuse, "m").result()
    assert caught.value.mechanism == "m" and caught.value.faults[0].part == "bar"
    error = jd.ChoiceError("no", "step")
    assert pickle.loads(pickle.dumps(error)).keys == ("step",)


def test_through_forked_processes_and_joblib() -> None:
    m = jd.example("four_bar")
    expected = jd.simulate(m, 0.05)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(through, [m]) == [(m, expected)]
    joblib = pytest.importorskip("joblib")
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(through)(m) for _ in range(2)) == [(m, expected)] * 2


def test_what_cannot_be_pickled_is_named() -> None:
    m = jd.Mechanism("p", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    m.force("push", on=bar["A"], vector=(lambda t: t, 0))
    with pytest.raises(pickle.PicklingError, match="force 'push': a function of Python"):
        pickle.dumps(m)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_builder_is_another_one(copied: Any) -> None:
    m = jd.Mechanism("p", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.force("push", on=bar["A"], vector=(lambda t: t, 0))
    before, other = m.frozen(), copied(m)
    other.body("more", mass=1, inertia=0.1, position=(0, 0))
    other.revolute("A", other.ground.point("A", (0, 0)), other["bar"]["A"])
    assert m.frozen() == before and not m.frozen().ground
    assert jd.simulate(other, 0.01).status.ok


@pytest.mark.parametrize("moved", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_runs_is_no_data_and_says_so(moved: Any) -> None:
    for running in (jd.session(jd.example("pendulum")), jd.live(jd.example("pendulum"))):
        with pytest.raises(
            pickle.PicklingError, match=r"can be neither pickled nor copied; (keep its checkpoint|record)"
        ):
            moved(running)


def changeable(value: Any, path: str) -> Iterator[str]:
    """Where something can be changed below a value."""
    if isinstance(value, tuple):
        for inner in value:
            yield from changeable(inner, f"{path}[]")
    elif isinstance(value, Frozen):
        for key, inner in value.items():
            yield from changeable(inner, f"{path}.{key}")
    elif dataclasses.is_dataclass(value):
        if not value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            yield path
        for f in dataclasses.fields(value):
            yield from changeable(getattr(value, f.name), f"{path}.{f.name}") if f.compare else ()
    elif not (value is None or callable(value) or isinstance(value, str | int | float | frozenset | jd.Table)):
        yield f"{path}: {type(value).__name__}"


def test_a_mechanism_is_frozen_all_the_way_down() -> None:
    m = jd.Mechanism("x")
    look = {"colour": "red", "traces": ["P"], "shapes": [{"box": [1, 2]}]}
    a = m.body("a", mass=1, inertia=1, position=[0, 0], points={"P": [0, 0]}, look=look)
    ground = m.ground.point("O", [0, 0])
    m.revolute("A", ground, a["P"], initial={"angle": 1})
    m.custom("C", ground, a["P"], equations=["dot(N - M, y_i)"])
    m.motion("d", joint="A", angle=[[0, 0], [1, 2]])
    m.linear_system("plant", inputs={"u": "A.angle"}, A=np.array([[-1.0]]), B=[[1]], C=[[1]])
    m.defaults = {"treatment": "kkt", "times": [0, 1], "more": {"a": [1]}}
    m.table("gas", jd.Table([0, 1], [1, 2]))
    m.event("e", "a.x", set={"k": 1})
    for b in (m.frozen(), *(jd.example(name).frozen() for name in example_names())):
        assert not list(changeable(b, b.name))
        hash(b)
    with pytest.raises(AttributeError, match="a table stays as it was made"):
        m.frozen().tables["gas"].kind = "spline"


def test_builders_with_nan_are_equal() -> None:
    m = jd.Mechanism("y")
    m.parameter("p", float("nan"))
    assert pickle.loads(pickle.dumps(m)) == m and copy.deepcopy(m) == m


def test_frozen_is_frozen() -> None:
    blueprint = jd.example("four_bar").frozen()
    for mapping in (blueprint.ground, blueprint.bodies[0].ports, blueprint.parameters, blueprint.joints[0].values):
        assert isinstance(mapping, Frozen)
        with pytest.raises(TypeError, match="frozen"):
            mapping["x"] = 1  # type: ignore[index]
        with pytest.raises(TypeError, match="frozen"):
            mapping.update(x=1)


def test_parts_can_be_removed() -> None:
    m = jd.example("motor_crank")
    before = m.frozen()
    m.body("extra", mass=1, inertia=1, position=(5, 5), points={"P": (0, 0)})
    m.spring_damper("more", m.ground.point("Z", (9, 9)), m["extra"]["P"], stiffness=1)
    with pytest.raises(jd.ChoiceError, match=r"no part 'mor' to remove.*did you mean 'more'"):
        m.remove("mor")
    m.remove("more")
    m.remove("extra")
    assert m.frozen().bodies == before.bodies and m.frozen().forces == before.forces
    joint = before.joints[0]
    with pytest.raises(jd.ChoiceError, match=f"held by .*{joint.name}"):
        m.remove(joint.second.body)
    m.remove(joint.name)
    assert joint.name not in [j.name for j in m.frozen().joints]


def test_a_mechanism_says_what_is_in_it() -> None:
    assert repr(jd.example("four_bar")) == "<Mechanism 'four-bar linkage', planar: 3 bodies, 4 joints, 1 force>"


def test_load_takes_parameters_by_name() -> None:
    from jourdain.files.gallery import path

    assert jd.load(path("four_bar"), parameters={"k": 300}).frozen().parameters["k"] == 300
    assert jd.load(path("four_bar"), {"k": 300}) == jd.load(path("four_bar"), k=300)
