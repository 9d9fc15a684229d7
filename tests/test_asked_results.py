"""Results as one asks for them: units, formulas, extremes, moments, spectra, events in files, attitude angles."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import jourdain as jd
from jourdain.files import dumps


@pytest.fixture(scope="module")
def run():
    m = jd.Mechanism("bar", gravity=(0, -9.81))
    body = m.body(
        "bar", mass="2 kg", inertia="0.3 kg m^2", position=("500 mm", 0), points={"A": ("-50 cm", 0), "B": (0.5, 0)}
    )
    m.revolute("A", m.ground.point("A", (0, 0)), body["A"], initial={"speed": "60 rpm"})
    m.event("across", "bar.x", direction="falling")
    return jd.simulate(m, "2 s", every="10 ms")


def test_units_in_python(run):
    body = run.blueprint.body("bar")
    assert body.mass == 2.0 and body.position == (0.5, 0.0) and body.ports["A"].at == (-0.5, 0.0)
    assert run["A.speed"][0] == pytest.approx(2 * math.pi) and run.t[-1] == 2.0 and run.t[1] == 0.01


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda m: m.body("b", mass="3 mm"), "a length; expected a mass"),
        (lambda m: m.body("b", mass=1, position=("3 kg", 0)), "a mass; expected a length"),
        (lambda m: m.body("b", mass="3 kgg"), "unknown unit 'kgg'"),
        (lambda m: m.body("b", mass=1, position=("1,5 mm", 0)), "decimals are written with a point"),
        (lambda m: m.body("b", mass="3 N*s", position=(0, 0)), "multiplied by a space, as 'N s'"),
        (lambda m: m.body("b", mass=1, position=("3 MM", 0)), "did you mean 'mm'"),
    ],
)
def test_units_that_do_not_fit(make, words):
    m = jd.Mechanism("m")
    make(m)
    with pytest.raises(jd.MechanismError, match=words):
        jd.simulate(m, 1.0)


def test_a_time_with_a_wrong_unit(run):
    with pytest.raises(jd.ChoiceError, match="a length; expected a time"):
        jd.simulate(run.blueprint, "3 m")


def test_units_of_formulas_have_their_names(run):
    assert run.quantity("60 N m s * bar.spin").unit == "N m"  # and no kg m^2 s^-2 rad
    assert run.quantity("3 kg * bar.ax").unit == "N" and run.quantity("bar.x * bar.x").unit == "m^2"
    assert run.quantity("bar.x * bar.spin * 1 kg").unit == "kg m rad/s"
    with pytest.raises(jd.ChoiceError, match="is no name of a channel"):
        run.maxima(["A.angle", "bar.x"])


def test_channels_in_units(run):
    assert np.allclose(run["A.angle", "deg"], np.degrees(run["A.angle"]))
    assert np.allclose(run["bar.x", "mm"], 1e3 * run["bar.x"])
    with pytest.raises(jd.ChoiceError, match="does not fit"):
        run["bar.x", "deg"]


@pytest.mark.parametrize(
    "text, unit",
    [("bar.B.x - bar.x", "m"), ("2*bar.x", "m"), ("sqrt(bar.x**2 + bar.y**2)", "m"), ("bar.mass_is_none + 1", None)],
)
def test_formulas_over_channels(run, text, unit):
    if unit is None:
        with pytest.raises(KeyError, match="mass_is_none"):
            run[text]
        return
    names = {"bar.B.x": run["bar.B.x"], "bar.x": run["bar.x"], "bar.y": run["bar.y"]}
    plain = text.replace("sqrt", "np.sqrt")
    for name in sorted(names, key=len, reverse=True):
        plain = plain.replace(name, f"names['{name}']")
    assert np.allclose(run[text], eval(plain)) and run.quantity(text).unit == unit


def test_extremes_with_their_times(run):
    top = run.max("A.load")
    assert top.value == run["A.load"].max() and run["A.load"][run.t == top.t][0] == top.value
    assert run.min("bar.y").value == run["bar.y"].min()


def test_a_moment_of_the_run(run):
    assert run.at(1.0)["bar.x"][0] == run["bar.x"][100]
    between = run.at("1.0037 s")
    finer = jd.simulate(run.blueprint, times=[0, 1.0037])
    assert between["bar.x"][0] == pytest.approx(finer["bar.x"][-1], abs=1e-7) and len(between.t) == 1
    with pytest.raises(jd.ResultsError, match="the run goes from"):
        run.at(3.0)


def test_a_spectrum_of_known_waves():
    m = jd.Mechanism("m")
    m.body("b", mass=1, inertia=1, position=(0, 0), points={"P": (0, 0)})
    m.motion("d", body="b", x="0.3*sin(2*pi*5*t) + 0.1*cos(2*pi*12*t)", y=0, angle=0)
    found = jd.simulate(m, times=np.arange(0, 1000) / 500.0).spectrum("b.x")
    assert found.peak() == pytest.approx(5.0)
    assert found.amplitude[np.argmin(np.abs(found.frequency - 5))] == pytest.approx(0.3, abs=1e-6)
    assert found.amplitude[np.argmin(np.abs(found.frequency - 12))] == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("suffix", ["csv", "json", "nc"])
def test_events_are_kept_in_files(run, tmp_path, suffix):
    run.save(tmp_path / f"r.{suffix}")
    again = jd.load_results(tmp_path / f"r.{suffix}")
    assert again.event_times["across"] == pytest.approx(run.events["across"].t.tolist())
    assert np.allclose(again["bar.x"], run["bar.x"])


def test_a_csv_with_events_is_a_table_of_numbers_to_others(run, tmp_path):
    run.to_csv(tmp_path / "r.csv", ["bar.x"])
    with open(tmp_path / "r.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:2] == ["t", "bar.x"] and len(header) == 3
    assert np.array_equal(np.array(rows, float)[:, :2], np.stack([run.t, run["bar.x"]], axis=1))
    (tmp_path / "bad.csv").write_text('t,bar.x,"# events {""across"": 3}"\n0,0,nan\n')
    with pytest.raises(jd.JourdainError, match=r"bad\.csv:1: the times of events"):
        jd.load_results(tmp_path / "bad.csv")


def test_a_csv_in_chosen_units(run, tmp_path):
    run.to_csv(tmp_path / "r.csv", ["A.angle", "bar.x"], units="deg,mm")
    assert (tmp_path / "r.csv").read_text().startswith("t (s),A.angle (deg),bar.x (mm),")
    again = jd.load_results(tmp_path / "r.csv")
    assert np.allclose(again["A.angle"], run["A.angle"]) and again.quantity("A.angle").unit == "rad"


def test_display_of_a_file(tmp_path):
    m = jd.example("pendulum")
    m.display = {"angle": "deg"}
    again = jd.load(_saved(m, tmp_path))
    table = jd.simulate(again, 0.1).maxima("A.angle" if "A" in again.frozen().joints_by_name else "pin.angle")
    assert table.rows[0].unit == "deg"


def _saved(m, folder):
    jd.save(m, folder / "m.yaml")
    return folder / "m.yaml"


def test_a_bare_number_beside_an_angle_gets_a_hint():
    text = dumps(jd.example("pendulum"))
    joint = jd.example("pendulum").frozen().joints[0].name
    m = jd.load(text + f"motions: {{d: {{joint: {joint}, angle: 90 + 60 rpm*t}}}}\n")
    assert any("90 is 90 rad" in hint for hint in m.hints)
    assert not jd.load(text + f"motions: {{d: {{joint: {joint}, angle: 90 deg + 60 rpm*t}}}}\n").hints


@pytest.mark.parametrize("sequence", ["xyz", "zyx", "zxz", "yxy", "zyz", "yzx"])
def test_attitude_angles_turn_as_the_body(sequence):
    m = jd.Mechanism("top", gravity=(0, 0, 0))
    m.body("b", mass=1, inertia=(1, 2, 3), position=(0, 0, 0), bryan=(0.3, -0.4, 0.5), spin=(0.3, 2, -1))
    run = jd.simulate(m, 2.0)
    matrices = Rotation.from_quat(np.stack([run[f"b.q{c}"] for c in "xyzw"], axis=1)).as_matrix()
    angles = np.stack([run[f"b.euler_{sequence}_{k}"] for k in (1, 2, 3)], axis=1)
    assert np.allclose(Rotation.from_euler(sequence.upper(), angles).as_matrix(), matrices, atol=1e-12)
    if sequence == "xyz":
        assert np.allclose(run["b.bryan_2"], angles[:, 1])


def test_batches_as_frames_and_figures(run, tmp_path):
    pandas = pytest.importorskip("pandas")
    many = jd.simulate_many(run.blueprint, 0.2, variants={"bar.mass": [1.0, 2.0]})
    frame = many.to_pandas(["bar.x"])
    assert isinstance(frame, pandas.DataFrame) and frame.shape == (2 * many.t.size, 2)
    many.plot("bar.x", path=tmp_path / "m.png")
    run.overlay(jd.simulate(run.blueprint, 1.0), names=["bar.x"], path=tmp_path / "o.png")
    assert (tmp_path / "m.png").exists() and (tmp_path / "o.png").exists()


def test_kinematics_over_a_coordinate_of_a_point():
    m = jd.example("slider_crank")
    found = jd.kinematics(m, drive="crank.B.x", to="50 cm")
    assert found.status.ok and found["crank.B.x"][-1] == pytest.approx(0.5, abs=1e-12)
    with pytest.raises(jd.ChoiceError, match="has no point 'Q'"):
        jd.kinematics(m, drive="crank.Q.x", to=1.0)


def test_the_pose_of_a_platform():
    m = jd.example("stewart_platform")
    z = m.frozen().body("platform").position[2]
    m._motions.clear()
    m.motion("path", body="platform", x="0.02*sin(t)", y=0, z=z, bryan=("0.1*sin(t)", "5 deg*sin(2*t)", "0.05*t"))
    run = jd.kinematics(m, duration=2)
    assert run.status.ok
    assert np.allclose(run["platform.bryan_1"], 0.1 * np.sin(run.t), atol=1e-12)
    assert np.allclose(run["platform.bryan_2"], np.radians(5) * np.sin(2 * run.t), atol=1e-12)
    legs = [c for c in run.channels if c.endswith("_slide.displacement")]
    assert len(legs) == 6 and all(np.ptp(run[leg]) > 1e-3 for leg in legs)


# Units where numbers are given by name, and in what is asked for ------------------------------------------------------


def heavy() -> jd.Mechanism:
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass="300 g", inertia="12 kg cm^2", position=("200 mm", 0), points={"A": ("-200 mm", 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), b["A"])
    m.actuator("spring", joint="A", stiffness="1 N m/rad")
    m.event("low", "A.angle + 10 deg", direction="falling")
    return m


def test_numbers_by_name_have_units():
    many = jd.simulate_many(heavy(), "0.1 s", variants={"b.mass": ["100 g", 0.2], "spring.stiffness": "2 N m/rad"})
    assert many.values["b.mass"].tolist() == [0.1, 0.2] and set(many.values["spring.stiffness"]) == {2.0}
    assert np.allclose(many["b.x", "mm"], 1e3 * many["b.x"])
    session = jd.session(heavy())
    session.set("b.mass", "100 g")
    session.advance("100 ms")
    one = heavy()
    one = jd.simulate_many(one, "0.1 s", variants={"b.mass": [0.1]})
    assert session["b.x"] == pytest.approx(one["b.x"][0, -1], abs=1e-9)


@pytest.mark.parametrize(
    "number, value, words",
    [
        ("b.mass", "3 mm", "expected a mass"),
        ("b.x", "3 kg", "expected a length"),
        ("spring.stiffness", "3 N/m", "expected a stiffness in turning"),
        ("gravity.y", "3 m/s", "expected an acceleration"),
        ("b.mass", "heavy", "'b.mass' is 'heavy': 'heavy' is no number with a unit"),
    ],
)
def test_what_does_not_fit_a_number_is_refused(number, value, words):
    with pytest.raises(jd.ChoiceError, match=words):
        jd.session(heavy()).set(number, value)
    with pytest.raises(jd.ChoiceError, match=words):
        jd.simulate_many(heavy(), 0.1, variants={number: [value]})


def test_a_parameter_has_the_unit_of_what_it_stands_for():
    m = jd.example("four_bar")  # whose spring has `stiffness: k`
    with pytest.raises(jd.ChoiceError, match="'2 kg' is a mass; expected a stiffness"):
        jd.session(m).set("k", "2 kg")
    with pytest.raises(jd.ChoiceError, match="'2 kg' is a mass; expected a stiffness"):
        jd.simulate_many(m, 0.1, variants={"k": ["2 kg"]})


def test_times_lists_and_extremes_in_units():
    run = jd.simulate(heavy(), times=["0 s", "20 ms", 0.04])
    assert run.t.tolist() == [0.0, 0.02, 0.04]
    assert np.allclose(run[["b.x", "b.y"], "mm"], 1e3 * np.stack([run["b.x"], run["b.y"]], axis=1), rtol=1e-15)
    assert run.max("b.x", "mm").value == pytest.approx(1e3 * run["b.x"].max()) and run.max("b.x", "mm").unit == "mm"


def test_energies_and_moments_are_shown_each_in_its_unit(tmp_path):
    run = jd.simulate(heavy(), "0.1 s")
    run.to_csv(tmp_path / "run.csv", units=["mJ", "N mm", "deg"])
    head = (tmp_path / "run.csv").read_text().splitlines()[0]
    assert "energy.total (mJ)" in head and "A.mz (N mm)" in head and "A.angle (deg)" in head
    with pytest.raises(jd.ChoiceError, match="both a torque or an energy"):
        run.to_csv(tmp_path / "run.csv", units="mJ,kJ")


def test_files_with_units_and_events_are_read_back(tmp_path):
    """Where two joints are coupled, and where a unit is words alone, as that of violations."""
    m = jd.Mechanism("cam")
    cam = m.body("cam", mass=1, inertia=1, position=(0, 0), points={"O": (0, 0)})
    tappet = m.body("tappet", mass=1, inertia=1, position=(0, 0), points={"S": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), cam["O"])
    m.prismatic("S", m.ground["O"], tappet["S"])
    m.coupling("lift", joints=("A", "S"), function="0.01*sin(x)")
    m.motion("drive", joint="A", speed="60 rpm")
    m.event("top", "S.speed", direction="falling")
    run = jd.simulate(m, "0.5 s")
    assert run.unit("lift.on_second") == "N" and run.unit("drive.torque") == "N m"
    for name in ("run.csv", "run.json", "run.nc"):
        run.save(tmp_path / name, units="mm,deg") if name == "run.csv" else run.save(tmp_path / name)
        again = jd.load_results(tmp_path / name)
        assert np.allclose(again["S.displacement"], run["S.displacement"], atol=1e-15)
        assert again["A.angle", "deg"] == pytest.approx(run["A.angle", "deg"])
        assert again.unit("lift.on_second") == "N" and again.unit("violation.position") == "m or rad"
        assert again.events["top"].t == pytest.approx([0.25], abs=1e-9)


def test_numbers_with_units_in_formulas_fit_their_channels(run):
    assert np.allclose(run["bar.x - 20 mm"], run["bar.x"] - 0.02, atol=1e-15)
    with pytest.raises(jd.ChoiceError, match="a mass and a length cannot be added"):
        run["3 kg + bar.x"]
