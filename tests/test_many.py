"""Batches: every variant as it would be alone, bit for bit; faults told and kept apart."""

from __future__ import annotations

import csv
import warnings
from dataclasses import replace

import h5py
import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.analysis.batches.variants import read_variants
from jourdain.cli.main import main
from jourdain.files import gallery
from jourdain.mechanism.numbers import find, get, known, put

SPAN = 1.0
EVERY = 0.05
RNG = np.random.default_rng(3)


def pendulum(stiffness: str | float = 30.0) -> jd.Mechanism:
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body(
        "bar",
        mass=1,
        inertia=0.1,
        position=(0.5, 0),
        angle=0.0,
        velocity=(0, 0),
        spin=0,
        points={"A": (-0.5, 0), "B": (0.5, 0)},
    )
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    m.spring_damper("spring", m.ground.point("S", (0, -1)), bar["B"], stiffness=stiffness, damping=1, length=1)
    m.parameter("push", 0.0)
    m.torque("load", on=bar, torque="push*sin(3*t)")
    return m


def alone(m, variants, index, **how):
    """The same variant by `simulate`, from the mechanism that Python's own `replace` made."""
    read = read_variants(m, variants)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jd.SimulationWarning)
        return jd.simulate(read.blueprint(index), SPAN, state=read.state(index), **how)


def assert_same(many, m, variants, indices=(0, -1), **how):
    for index in indices:
        one, other = many[index], alone(m, variants, index % len(many), **how)
        assert one.status.sentence == other.status.sentence
        assert one.samples.tobytes() == other.samples.tobytes()
        assert one["energy.total"].tobytes() == other["energy.total"].tobytes()
        assert one.statistics.evaluations == other.statistics.evaluations


@pytest.mark.parametrize(
    "variants",
    [
        {"push": RNG.uniform(-5, 5, 7)},
        {"spring.stiffness": RNG.uniform(1, 90, 7), "spring.length": 0.8},
        {"bar.mass": RNG.uniform(0.5, 2, 7), "bar.inertia": RNG.uniform(0.05, 0.5, 7)},
        {"bar.spin": RNG.uniform(-3, 3, 7)},  # velocities that contradict it: the joint decides
        {"bar.B": RNG.uniform(0.4, 0.6, (7, 2))},
        {"gravity.y": RNG.uniform(-20, 0, 7)},
        {"gravity": RNG.uniform(-20, 0, (7, 2))},
    ],
    ids=lambda v: next(iter(v)),
)
def test_variants_are_what_single_runs_give(variants):
    m = pendulum().frozen()
    assert_same(jd.simulate_many(m, SPAN, variants, every=EVERY), m, variants, every=EVERY)


@pytest.mark.parametrize(
    "how", [{"integrator": "rk4", "step": 2e-3}, {"integrator": "generalized-alpha", "step": 2e-3}]
)
def test_methods_with_a_fixed_step(how):
    m, variants = machines.four_bar("AC"), {"spring.stiffness": [50.0, 400.0], "crank.mass": [2.0, 5.0]}
    assert_same(jd.simulate_many(m, SPAN, variants, every=EVERY, **how), m, variants, every=EVERY, **how)


def test_the_kernels_do_it_without_simulate(monkeypatch):
    """Springs, masses and starts need no compiling and no assembly in Python for each variant."""
    from jourdain.analysis import simulate_many as module

    def refuse(*_, **__):
        raise AssertionError("the ordinary way was taken")

    monkeypatch.setattr(module, "simulate", refuse)
    monkeypatch.setattr(module.Runner, "_prepare_and_run", refuse)
    m = machines.four_bar("AC")
    for variants in (
        {"spring.stiffness": np.linspace(50, 400, 20), "coupler.mass": 4.0},
        {"gravity": np.linspace((0, -5), (1, -9), 20)},
    ):
        many = jd.simulate_many(m, SPAN, variants, keep="end")
        assert many.ok.all()
        assert np.unique(many["coupler.x"][:, -1]).size == 20


@pytest.mark.parametrize("dim", [2, 3])
def test_starts_of_open_trees_in_joint_coordinates(dim, monkeypatch):
    """Starts are made all at once, each with the bits it has alone; one that tears a joint goes another way."""
    from jourdain.analysis import simulate_many as module

    gravity, zero = (0, -9.81, 0)[:dim], (0.0,) * dim
    m = jd.Mechanism("two bars", gravity=gravity)
    port = m.ground.point("A", zero)
    for k, name in enumerate(("upper", "lower")):
        ends = {"A": (-0.5, *zero[1:]), "B": (0.5, *zero[1:])}
        inertia = 0.1 if dim == 2 else (0.01, 0.1, 0.1)
        still = {
            "velocity": zero,
            "spin": 0.0 if dim == 2 else zero,
            "angle" if dim == 2 else "bryan": zero[0] if dim == 2 else zero,
        }
        bar = m.body(name, mass=1, inertia=inertia, position=(k + 0.5, *zero[1:]), points=ends, **still)
        m.revolute(f"J{k}", port, bar["A"])
        port = bar["B"]
    w = np.linspace(-1, 1, 7)
    across = np.eye(dim)[1]
    spins = w if dim == 2 else w[:, None] * np.eye(3)[2]
    variants = {"upper.spin": spins, "upper.velocity": 0.5 * w[:, None] * across, "lower.velocity": w[:, None] * across}
    how = {"every": EVERY, "coordinates": "relative"}
    assert_same(jd.simulate_many(m, SPAN, variants, **how), m, variants, **how)
    with monkeypatch.context() as only:
        only.setattr(module.Runner, "_prepare_and_run", lambda *_: pytest.fail("prepared by Python"))
        assert np.ptp(jd.simulate_many(m, SPAN, variants, **how)["lower.y"][:, -1]) > 1e-3
    torn = {**variants, "lower.velocity": np.ones((7, dim))}
    assert_same(jd.simulate_many(m, SPAN, torn, **how), m, torn, **how)


def test_spatial_mechanisms():
    m, variants = machines.two_bars(), {f"{machines.two_bars().frozen().bodies[0].name}.mass": [1.0, 2.0, 3.0]}
    assert_same(jd.simulate_many(m, SPAN, variants, every=EVERY), m, variants, every=EVERY)


@pytest.mark.parametrize("how", [{}, {"integrator": "radau"}, {"integrator": "rk4", "step": 1e-2}], ids=str)
@pytest.mark.parametrize(
    "push", ["10*ramp(t, t0, t0 + w)", "9*where(t > t0, where(t < t0 + w, 1, 0), 0)", "max(sin(t/t0), w)"]
)
def test_corners_of_functions_of_time(push, how):
    """They lie elsewhere in each variant, and what steps do at them is what they do in a single run."""
    m = pendulum()
    m.parameter("t0", 0.05)
    m.parameter("w", 0.01)
    m.force("late", on=m["bar"]["B"], vector=(0, push))
    variants = {"t0": [0.02, 0.05, 0.07], "bar.mass": [1.0, 2.0, 1.5]}
    assert_same(jd.simulate_many(m, SPAN, variants, every=EVERY, **how), m, variants, (0, 1, 2), every=EVERY, **how)


def test_starts_from_states():
    m = pendulum()
    run = jd.simulate(m, SPAN, every=EVERY)
    variants = {"state": [run.state(3), run.state(8), run.state(-1)]}
    assert_same(jd.simulate_many(m, SPAN, variants, every=EVERY), m, variants, every=EVERY)


def test_parameters_of_a_file_reach_all_that_uses_them():
    m = jd.example("four_bar")
    variants = {"k": [100.0, 250.0], "L": [4.0, 4.2]}
    many = jd.simulate_many(m, SPAN, variants, every=EVERY)
    for index, (k, L) in enumerate(zip(variants["k"], variants["L"], strict=True)):
        other = jd.simulate(jd.load(gallery.path("four_bar"), k=k, L=L), SPAN, every=EVERY)
        assert many[index].samples.tobytes() == other.samples.tobytes()
    traced = read_variants(m, {"k": [100.0, 150.0, 180.0, 250.0, 300.0]})
    assert traced.paths is not None and any("parameters" in path for path in traced.paths["k"])
    assert read_variants(m, {"L": [4.0, 4.2]}).paths is None  # products of L are not copies of it


def test_of_two_keys_for_one_number_the_last_counts():
    m, last = pendulum(), [3.0, 4.0]
    many = jd.simulate_many(m, SPAN, {"bar.vy": [1.0, 2.0], "bar.velocity.y": last}, keep="end")
    other = jd.simulate_many(m, SPAN, {"bar.velocity.y": last}, keep="end")
    assert np.array_equal(many["bar.x"], other["bar.x"])
    first = jd.simulate_many(m, SPAN, {"bar.vy": [1.0, 2.0]}, keep="end")
    assert not np.any(first["bar.x"][:, -1] == other["bar.x"][:, -1])


def test_of_a_parameter_and_what_it_decides_the_last_counts():
    m = jd.load(
        "jourdain: 1\ngravity: [0, -9.81]\nparameters: {load: 2}\nground: {points: {A: [0, 0]}}\n"
        "bodies: {bar: {mass: load, inertia: 1, position: [1, 0], angle: 0, points: {A: [-1, 0]}}}\n"
        "joints: {A: {type: revolute, between: [ground.A, bar.A]}}\n"
    )
    masses = [3.0, 4.0]
    many = jd.simulate_many(m, SPAN, {"load": [1.0, 2.0], "bar.mass": masses}, keep="end")
    assert [many[k].blueprint.body("bar").mass for k in range(2)] == masses
    other = jd.simulate_many(m, SPAN, {"load": masses}, keep="end")
    assert np.array_equal(many["bar.y"], other["bar.y"])


def test_a_mechanism_changed_after_reading_is_refused():
    m = jd.example("four_bar")
    m.torque("push", on="crank", torque=1.0)
    with pytest.raises(jd.ChoiceError, match="the mechanism was changed after it was read"):
        jd.simulate_many(m, SPAN, {"k": [100, 200]})


def test_a_function_makes_the_mechanism():
    def build(p):
        return pendulum(p["k"])

    many = jd.simulate_many(build, SPAN, {"k": [10.0, 50.0]}, every=EVERY)
    for index, k in enumerate((10.0, 50.0)):
        assert many[index].samples.tobytes() == jd.simulate(pendulum(k), SPAN, every=EVERY).samples.tobytes()


def test_events_and_python_functions_go_the_ordinary_way():
    m = pendulum()
    m.event("done", "bar.angle + push", direction="falling", stop=True)
    variants = {"push": [0.3, 0.6]}
    many = jd.simulate_many(m, SPAN, variants, every=EVERY)
    assert [status.sentence for status in many.statuses] == [
        alone(m, variants, k, every=EVERY).status.sentence for k in (0, 1)
    ]
    assert all("by event done" in status.sentence for status in many.statuses)
    assert np.isnan(many["bar.angle"][:, -1]).all()  # not reached
    assert len(many[0].events["done"].t) == 1


def test_a_failing_variant_is_told_and_stops_nobody():
    m = machines.four_bar("AC")
    mass = np.array([3.0, -1.0, 3.0])
    with pytest.warns(
        jd.SimulationWarning, match=r"1 of 3 variants did not complete; the first: variant 1 \(crank.mass = -1"
    ):
        many = jd.simulate_many(m, SPAN, {"crank.mass": mass}, every=EVERY)
    assert many.ok.tolist() == [True, False, True]
    assert "mass" in many.statuses[1].sentence
    assert many.failures == [f"variant 1 (crank.mass = -1): {many.statuses[1].sentence}"]
    assert np.isfinite(many["coupler.x"][[0, 2]]).all() and np.isnan(many["coupler.x"][1]).all()
    assert "variant 1 (crank.mass = -1)" in str(many)
    with pytest.raises(jd.SimulationError, match="variant 1"):
        many[1]


@pytest.mark.parametrize("also", [{}, {"crank.mass": 3.0}])
def test_faults_of_copied_numbers_are_found_too(also):
    m = machines.four_bar("AC")
    with pytest.warns(jd.SimulationWarning, match=r"variant 1 \(.*length is -1.0; expected zero or a positive number"):
        many = jd.simulate_many(m, SPAN, {"spring.length": [4.0, -1.0, 3.0], **also}, keep="end")
    assert many.ok.tolist() == [True, False, True]


def test_inertias_that_no_body_has_are_refused():
    m = machines.two_bars()
    body = m.frozen().bodies[0].name
    with pytest.warns(jd.SimulationWarning, match="violate the triangle inequality"):
        many = jd.simulate_many(m, SPAN, {f"{body}.inertia": [(1, 1, 1, 0, 0, 0), (1, 1, 9, 0, 0, 0)]}, keep="end")
    assert many.ok.tolist() == [True, False]


def test_a_variant_that_cannot_be_closed_is_told():
    m = machines.four_bar("AC")
    with pytest.warns(jd.SimulationWarning, match="cannot be closed"):
        many = jd.simulate_many(m, SPAN, {"crank.B": [(2.0, 0.0), (30.0, 0.0)]}, keep="end")
    assert many.ok.tolist() == [True, False]


def test_what_is_kept():
    m, variants = machines.four_bar("AC"), {"spring.stiffness": [100.0, 200.0, 300.0]}
    full = jd.simulate_many(m, SPAN, variants, every=EVERY)
    assert full["coupler.x"].shape == (3, 21)
    assert full["A.angle"].shape == (3, 21)  # unwrapped variant by variant
    assert np.array_equal(full["A.angle"][2], full[2]["A.angle"])
    assert np.array_equal(full["coupler.x"][1], full[1]["coupler.x"])
    chosen = jd.simulate_many(m, SPAN, variants, every=EVERY, channels=["coupler.x", "A.fx"])
    assert np.array_equal(chosen["A.fx"], full["A.fx"])
    assert np.array_equal(chosen[1]["coupler.x"], full["coupler.x"][1])
    assert chosen[1].values == {"spring.stiffness": 200.0}
    with pytest.raises(
        KeyError, match=r"'coupler.y' was not kept; known: A.fx, coupler.x \(did you mean 'coupler.x'\?\)"
    ):
        chosen["coupler.y"]
    with pytest.raises(KeyError, match=r"no channel 'coupler.q'"):
        jd.simulate_many(m, SPAN, variants, channels=["coupler.q"])
    with pytest.raises(IndexError, match="there is no variant 3; there are 3"):
        full[3]
    ends = jd.simulate_many(m, SPAN, variants, keep="end")
    assert ends.t.tolist() == [0.0, SPAN]
    assert_same(ends, m, variants, every=SPAN)


def test_tables(tmp_path):
    many = jd.simulate_many(pendulum(), SPAN, {"push": [1.0, 2.0]}, every=0.5)
    many.to_csv(tmp_path / "many.csv", ["bar.angle"])
    rows = list(csv.reader((tmp_path / "many.csv").read_text().splitlines()))
    assert rows[0] == ["variant", "push", "t", "bar.angle"]
    assert [float(x) for x in rows[4]] == [1.0, 2.0, 0.0, many["bar.angle"][1, 0]]
    data = many.to_xarray(["bar.angle"])
    assert data["bar.angle"].dims == ("variant", "t") and data["push"].values.tolist() == [1.0, 2.0]


def test_netcdf_as_xarray_reads_it(tmp_path):
    """A number varied that bears the name of a channel, and one that is a vector, keep their columns."""
    pytest.importorskip("netCDF4", exc_type=ImportError)
    xarray = pytest.importorskip("xarray")
    variants = {"bar.spin": [0.0, 1.0], "bar.velocity": [[0.0, 0.0], [0.0, 0.5]]}
    many = jd.simulate_many(pendulum(), SPAN, variants, every=0.5)
    many.save(tmp_path / "many.nc", ["bar.angle", "bar.spin"])
    with xarray.open_dataset(tmp_path / "many.nc", engine="netcdf4") as read:
        assert read["bar.spin"].dims == ("variant", "t") and read["bar.spin"].attrs["units"] == "rad/s"
        assert read["bar.spin"].values.tolist() == many["bar.spin"].tolist()
        assert read.coords["varied.bar.spin"].values.tolist() == [0.0, 1.0]
        assert read.coords["bar.velocity.y"].values.tolist() == [0.0, 0.5]
        assert read.coords["t"].values.tolist() == many.t.tolist() and read.attrs["failures"] == "[]"
    with pytest.raises(jd.JourdainError, match=r"batches cannot be written as '\.jsn'.*\.csv"):
        many.save(tmp_path / "many.jsn")
    with pytest.raises(jd.JourdainError, match="is no file of results"):
        jd.load_results(tmp_path / "many.nc")


@pytest.mark.parametrize(
    ("variants", "words"),
    [
        ({}, "nothing varies"),
        ({"pusch": [1]}, r"there is no number 'pusch' in the mechanism; .*did you mean 'push'"),
        ({"push": [1, 2], "bar.mass": [1, 2, 3]}, "the values differ in number: 'push' 2, 'bar.mass' 3"),
        ({"push": ["x"], "bar.mass": [np.nan]}, "'push' is .*; 'bar.mass' holds what is not finite"),
        (
            {"bar.position": [1, 2]},
            "'bar.position' is 2 numbers, not 1 number; name one of them: bar.position.x, bar.position.y",
        ),
        ({"load.torque": [[1.0]]}, "'load.torque' is the formula '.*push.*', no number; known: push"),
        ({"bar.mass": [[1.0, 2.0]]}, "'bar.mass' is 1 number, not 2 numbers"),
        ({"A.initial.angle": [1.0]}, r"there is no number 'A.initial.angle' in the mechanism"),
        ([{"push": 1}, {"bar.mass": 2}], "variant 0 says nothing of bar.mass; variant 1 says nothing of push"),
    ],
)
def test_faulty_variants(variants, words):
    with pytest.raises(jd.ChoiceError, match=words):
        jd.simulate_many(pendulum(), SPAN, variants)


def test_faulty_options():
    with pytest.raises(jd.ChoiceError, match="keep is 'ends'; known: all, end"):
        jd.simulate_many(pendulum(), SPAN, {"push": [1]}, keep="ends")
    with pytest.raises(jd.ChoiceError, match="every does nothing beside it"):
        jd.simulate_many(pendulum(), SPAN, {"push": [1]}, keep="end", every=0.1)
    with pytest.raises(jd.ChoiceError, match="expected a Mechanism, or a function"):
        jd.simulate_many(5, SPAN, {"push": [1]})


def test_progress_counts_variants():
    looks = []
    jd.simulate_many(pendulum(), SPAN, {"push": np.linspace(0, 1, 9)}, keep="end", progress=looks.append)
    assert looks[-1].over and looks[-1].t == 9 and looks[-1].end == 9
    assert "9 of 9 variants" in str(looks[-1])


def test_paths_into_a_blueprint():
    base = pendulum().frozen()
    table = known(base)
    path, fault = find(base, table, "bar.position.y")
    assert not fault and get(base, path) == 0.0
    changed = put(base, path, 2.0)
    assert changed.body("bar").position == (0.5, 2.0) and base.body("bar").position == (0.5, 0.0)
    assert replace(changed, bodies=base.bodies) == base
    for short, long in (("y", "position.y"), ("vx", "velocity.x")):
        assert find(base, table, f"bar.{short}") == find(base, table, f"bar.{long}") != ((), "")


def test_gravity_by_its_size_and_by_its_components():
    m = pendulum()
    by_size = jd.simulate_many(m, SPAN, {"gravity": [0.0, 1.62]}, every=EVERY)
    by_component = jd.simulate_many(m, SPAN, {"gravity.y": [0.0, -1.62]}, every=EVERY)
    whole = jd.simulate_many(m, SPAN, {"gravity": [(0.0, 0.0), (0.0, -1.62)]}, every=EVERY)
    assert np.array_equal(by_size["bar.angle"], whole["bar.angle"])
    assert np.array_equal(by_component["bar.angle"], whole["bar.angle"])
    assert np.ptp(whole["bar.angle"], axis=0).max() > 0.05


def test_sweep_at_the_prompt(tmp_path, capsys):
    table = tmp_path / "sweep.csv"
    words = ["sweep", "four_bar", "--duration", "0.5", "--vary", "k=100:300:100", "--vary", "crank.mass=2,3"]
    cube = tmp_path / "sweep.nc"
    assert main([*words, "--channels", "coupler.x", "--end", "-o", str(table), "-o", str(cube)]) == 0
    out = capsys.readouterr().out
    assert "6 variants of k, crank.mass" in out and "coupler.x" in out
    rows = list(csv.reader(table.read_text().splitlines()))
    assert rows[0] == ["variant", "k", "crank.mass", "t", "coupler.x"] and len(rows) == 1 + 6 * 2
    with h5py.File(cube) as file:
        assert file["coupler.x"][()].ravel().tolist() == [float(row[-1]) for row in rows[1:]]
        assert file["crank.mass"][()].tolist() == [2.0, 3.0] * 3
    for wrong, said in (
        (["--vary", "k=1:2"], "expected FROM:TO:STEP or A,B,C"),
        (["--vary", "k=1:2:-1"], "steps of -1 do not lead from 1 to 2"),
        (["--vary", "k"], "expected NAME=FROM:TO:STEP"),
        ([], "nothing varies"),
        (["--vary", "k=1,2", "--vary", "k=3"], "'k' is given twice"),
    ):
        assert main(["sweep", "four_bar", *wrong]) == 2
        assert said in capsys.readouterr().err
