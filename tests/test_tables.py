"""Tables wherever a function may stand: kinds, ends, corners, files. Oracles are closed forms and compiled laws."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from numba import njit

import jourdain as jd
from jourdain.equations.smoothness import FREE, POSITION, SPEED
from jourdain.equations.tables import FormulaError, curve

TRAPEZOID = ([0.0, 0.5, 2.5, 3.5], [0.0, 0.1, 0.1, 0.0])
DISTANCE = 0.275  # the area below it
DWELL = [(0, 0), (1, 0), (2, 0.5), (3, 0.5), (4, 0.5), (5, 0), (6, 0)]


def slide(**motion) -> jd.Mechanism:
    m = jd.Mechanism("slide")
    body = m.body("b", mass=2, inertia=1, position=(0, 0), points={"A": (0, 0)})
    m.prismatic("S", m.ground.point("A", (0, 0)), body["A"])
    if motion:
        m.motion("drive", joint="S", **motion)
    return m


# Kinds ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("needed, kind", [(FREE, "linear"), (SPEED, "linear"), (POSITION, "spline")])
def test_default_kinds(needed, kind):
    x = np.linspace(0, 3, 9)
    assert curve(jd.Table(x, np.sin(x)), "t", needed).kind == kind


@pytest.mark.parametrize("shift", [0.0, 0.3, 1.1])
def test_a_spline_may_turn_beside_a_turning_point_of_the_table(shift):
    x = np.linspace(0, 7, 24) + shift
    assert curve(jd.Table(x, np.sin(x)), "t", POSITION).kind == "spline"


@pytest.mark.parametrize("points", [DWELL, [(0, 0), (1, 0.01), (2, 0.02), (2.1, 1), (3, 1.01), (4, 1.02), (5, 1.03)]])
def test_what_would_overshoot_is_smooth(points):
    x, y = np.array(points, dtype=float).T
    made = curve(jd.Table(x, y), "t", POSITION)
    values = made.over(np.linspace(x[0], x[-1], 2001))
    assert made.kind == "smooth"
    assert values.min() >= y.min() - 1e-12 and values.max() <= y.max() + 1e-12


@pytest.mark.parametrize("kind", ["smooth", "spline"])
def test_derivatives_are_those_of_the_curve(kind):
    x = np.linspace(0, 2, 12)
    made = curve(jd.Table(x, np.cos(x), kind=kind), "t", POSITION)
    at, h = 0.777, 1e-6
    assert made(at, 1) == pytest.approx((made(at + h) - made(at - h)) / (2 * h), rel=1e-7)


def test_a_position_by_straight_lines_is_refused():
    m = slide(displacement=jd.Table([0, 1, 2], [0, 1, 0], kind="linear"))
    with pytest.raises(jd.MechanismError, match="its speed would jump"):
        jd.simulate(m, 1.0)


@pytest.mark.parametrize("kind", ["linear", "smooth", "spline"])
def test_periodic_tables_repeat(kind):
    x = np.linspace(0, 2 * math.pi, 25)[:-1]
    made = curve(jd.Table(x, np.sin(x), kind=kind, periodic="360 deg"), "t", FREE)
    f = made.of(jd_time())
    for t in (0.1, 3.0, 6.2, 6.28318):
        assert f(t + 4 * math.pi) == pytest.approx(f(t), abs=1e-12)
        assert f(t - 2 * math.pi) == pytest.approx(math.sin(t), abs=0.02)


def jd_time():
    from jourdain.equations.formula import t

    return t


def test_a_periodic_table_whose_ends_differ():
    table = jd.Table([0, 1, 2], [0, 1, 3], periodic=2)
    assert curve(table, "t", FREE).jumps
    for needed in (SPEED, POSITION):
        with pytest.raises(FormulaError, match="it would jump there"):
            curve(table, "t", needed)


# Over time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator, step", [("dop853", None), ("radau", None), ("rk4", 1e-3), ("rk6", 7e-3)])
def test_the_trapezoid_travels_its_area(integrator, step):
    run = jd.simulate(slide(speed=jd.Table(*TRAPEZOID)), 3.5, every=0.3, integrator=integrator, step=step)
    assert run.status.ok
    assert run["b.x"][-1] == pytest.approx(DISTANCE, abs=1e-9)
    assert run["b.vx"].max() <= 0.1 + 1e-12 and run["b.vx"].min() >= -1e-12


def test_a_dwell_has_no_speed():
    run = jd.simulate(slide(displacement=DWELL), 6.0)
    still = (run.t > 2) & (run.t < 4)
    assert np.abs(run["b.vx"][still]).max() <= 1e-12
    assert run["b.x"].min() >= -1e-9 and run["b.x"].max() <= 0.5 + 1e-9
    assert any("smooth" in note for note in run.status.notes)


@pytest.mark.parametrize("integrator, step", [("dop853", None), ("rk4", 1e-2)])
def test_outside_is_refused_with_the_time_asked_for(integrator, step):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = jd.simulate(slide(speed=jd.Table(*TRAPEZOID)), 5.0, every=0.25, integrator=integrator, step=step)
    assert not run.status.ok and "covers 0 to 3.5 and was asked for 3.75" in run.status.sentence
    assert run.t[-1] == 3.5 and run["b.x"][-1] == pytest.approx(DISTANCE, abs=1e-9)


@pytest.mark.parametrize("outside, speed", [("hold", 0.1), ("extrapolate", 0.3)])
def test_outside_as_asked_for(outside, speed):
    run = jd.simulate(slide(speed=jd.Table([0, 1], [0, 0.1], outside=outside)), 3.0)
    assert run.status.ok and run["b.vx"][-1] == pytest.approx(speed, abs=1e-9)


# Over channels --------------------------------------------------------------------------------------------------------

X, Y = np.array([-1.0, -0.2, 0.1, 0.6, 1.0]), np.array([30.0, 8.0, 0.0, -25.0, -60.0])


@njit
def law(x):
    if x < -0.2:
        return 30.0 + (x + 1.0) * (8.0 - 30.0) / 0.8
    if x < 0.1:
        return 8.0 + (x + 0.2) * (0.0 - 8.0) / 0.3
    if x < 0.6:
        return 0.0 + (x - 0.1) * -25.0 / 0.5
    return -25.0 + (x - 0.6) * -35.0 / 0.4


def swinging(motor, inputs=()) -> jd.Mechanism:
    m = jd.Mechanism("swing", gravity=(0, -9.81))
    body = m.body("b", mass=2, inertia=0.3, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), body["A"])
    m.parameter("k", 1.0)
    m.actuator("law", joint="A", motor=motor, **({"inputs": inputs} if inputs else {}))
    return m


TABLE = jd.Table(X, Y, over="A.angle", outside="extrapolate")


@pytest.mark.parametrize("coordinates", ["angle", "natural", "points", "relative"])
def test_a_law_by_table_is_that_law_compiled_in_every_coordinate_set(coordinates):
    by_table = jd.simulate(swinging(TABLE), 1.0, coordinates=coordinates, rtol=1e-10)
    by_law = jd.simulate(swinging(law, ["A.angle"]), 1.0, coordinates=coordinates, rtol=1e-10)
    assert np.allclose(by_table["A.angle"], by_law["A.angle"], atol=1e-8)
    here = by_table["A.angle"]
    assert np.allclose(by_table["law.torque"], [law(x) for x in here], atol=1e-9)


@pytest.mark.parametrize(
    "coordinates", ["quaternion", "euler-parameters", "natural", "relative", "bryan", "euler-zxz", "euler-zyx-fixed"]
)
def test_a_law_by_table_is_that_law_compiled_in_space(coordinates):
    def swing(motor, inputs):
        m = jd.Mechanism("swing", gravity=(0, -9.81, 0))
        points = {"A": {"at": (-0.5, 0, 0), "axis": (0, 0, 1)}}
        body = m.body("b", mass=2, inertia=(0.3, 0.3, 0.3), position=(0.5, 0, 0), points=points)
        m.revolute("A", m.ground.point("A", (0, 0, 0), axis=(0, 0, 1)), body["A"])
        m.actuator("law", joint="A", motor=motor, inputs=inputs)
        return jd.simulate(m, 0.5, coordinates=coordinates, integrator="rk4", step=1e-3)

    by_table, by_law = swing(TABLE, ()), swing(law, ["A.angle"])
    assert np.allclose(by_table["A.angle"], by_law["A.angle"], atol=1e-11)
    assert np.allclose(by_table["law.torque"], by_law["law.torque"], atol=1e-9)


def test_a_table_by_name_in_a_formula_and_an_event():
    m = swinging("k*spring(A.angle)")
    m.table("spring", jd.Table(X, Y, outside="extrapolate"))
    m.event("neutral", "spring(A.angle) - 4", direction="both")
    run = jd.simulate(m, 1.0)
    assert np.allclose(run["law.torque"], np.interp(run["A.angle"], X, Y), atol=1e-9)
    assert np.allclose(run.events["neutral"]["A.angle"], -0.05, atol=1e-9) and len(run.events["neutral"].t)


def test_a_table_in_sensitivities_against_finite_differences():
    m = swinging("k*spring(A.angle)")
    m.table("spring", jd.Table(X, Y, kind="spline", outside="extrapolate"))
    found = jd.sensitivity(m, "k", of="A.angle", duration=0.3)
    runs = []
    for k in (1 - 1e-4, 1 + 1e-4):
        other = swinging(f"{k}*spring(A.angle)")
        other.table("spring", jd.Table(X, Y, kind="spline", outside="extrapolate"))
        runs.append(jd.simulate(other, 0.3, rtol=1e-12)["A.angle"][-1])
    assert np.ravel(found["A.angle", "k"])[-1] == pytest.approx((runs[1] - runs[0]) / 2e-4, rel=1e-5)


def test_a_table_in_batches():
    m = swinging("k*spring(A.angle)")
    m.table("spring", jd.Table(X, Y, outside="extrapolate"))
    many = jd.simulate_many(m, 0.2, variants={"k": [0.5, 1.0]})
    one = jd.simulate(m, 0.2)
    assert np.allclose(many["A.angle"][1], one["A.angle"], atol=1e-8)


def test_leaving_a_table_over_a_channel_stops_the_run():
    m = swinging(jd.Table([-0.5, 0.2], [2, -3], over="A.angle"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = jd.simulate(m, 2.0)
    assert not run.status.ok and "leaves the table" in run.status.sentence
    assert run["A.angle"].min() >= -0.5 - 1e-6


def test_a_cam_by_table_and_its_contact_force():
    """Hand calculation: m (s'' + g) + k s + F0, with s(phi) of the curve and phi = w t."""
    phi = np.linspace(0, 2 * math.pi, 37)
    lift = 0.005 * (1 - np.cos(phi))
    table = jd.Table(phi, lift, periodic="360 deg", kind="spline")
    mass, stiffness, preload, speed = 0.25, 800.0, 30.0, 60.0
    m = jd.Mechanism("cam", gravity=(0, -9.81))
    cam = m.body("cam", mass=1, inertia=1e-3, position=(0, 0), points={"O": (0, 0)})
    tappet = m.body("tappet", mass=mass, inertia=1e-4, position=(0, 0.04), points={"P": (0, 0)})
    upright = {"angle": math.pi / 2}
    m.revolute("A", m.ground.point("A", (0, 0)), cam["O"])
    m.prismatic("S", m.ground.point("S", (0, 0.04), **upright), tappet.point("S", (0, 0), **upright))
    m.coupling("profile", joints=("A", "S"), function=table)
    m.actuator("spring", joint="S", stiffness=stiffness, preload=-preload)
    m.motion("drive", joint="A", angle=f"{speed}*t")
    run = jd.kinematics(m, duration=2.5 * 2 * math.pi / speed)
    made = curve(table, "t", POSITION)
    at = np.mod(speed * run.t, 2 * math.pi)
    contact = mass * (speed**2 * made.over(at, 2) + 9.81) + stiffness * made.over(at) + preload
    assert np.allclose(run["S.displacement"], made.over(at), atol=1e-12)
    assert np.allclose(run["profile.on_second"], contact, rtol=1e-9)


# Files ----------------------------------------------------------------------------------------------------------------

HEAD = """jourdain: 1
bodies: {b: {mass: 2, inertia: 1, position: [0, 0], points: {A: [0, 0]}}}
ground: {points: {A: [0, 0]}}
joints: {S: {type: prismatic, between: [ground.A, b.A]}}
"""
TEXTS = {
    "comma": "time (ms),speed [mm/s]\n0,0\n500,100\n2500,100\n3500,0\n",
    "semicolon": "\ufeff# by the bench\ntime (ms);speed (mm/s)\n0;0\n500;100,0\n2500;100,0\n3500;0\n",
    "tab": "time (ms)\tother\tspeed (mm/s)\n0\t1\t0\n500\t1\t100\n2500\t2\t100\n3500\t2\t0\n",
}


@pytest.mark.parametrize("form", TEXTS)
def test_a_csv_as_programs_write_it(tmp_path, form):
    (tmp_path / "t.csv").write_text(TEXTS[form], encoding="utf-8")
    motion = "motions: {d: {joint: S, speed: {table: {file: t.csv, columns: [time, speed]}}}}\n"
    (tmp_path / "m.yaml").write_text(HEAD + motion)
    run = jd.simulate(jd.load(tmp_path / "m.yaml"), "3.5 s")
    assert run["b.x"][-1] == pytest.approx(DISTANCE, abs=1e-9)


@pytest.mark.parametrize(
    "text, words",
    [
        ("t,v\n0,0\n1,1\n1,2\n", "t.csv:4: column 1: 1 stands twice"),
        ("t,v\n0,0\n2,1\n1,2\n", "t.csv:4: column 1: 1 comes after 2"),
        ("t,v\n0,0\n1,nan\n", "t.csv:3: column 2 is 'nan'; expected a finite number"),
        ("t,v\n0,0\n1\n", "t.csv:3: 1 columns; expected 2"),
        ("t,w\n0,0\n1,2\n", "t.csv:1: there is no column 'v'"),
        ("t (deg),v (furlong)\n0,0\n1,2\n", "t.csv:1: there is no column"),
        ("", "there is nothing in it"),
    ],
)
def test_bad_files_are_faults_with_line_and_column(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    motion = "motions: {d: {joint: S, speed: {table: {file: t.csv, columns: [t, v]}}}}\n"
    (tmp_path / "m.yaml").write_text(HEAD + motion)
    if "furlong" in text:
        words = "unknown unit 'furlong'"
    with pytest.raises(jd.FileError) as caught:
        jd.load(tmp_path / "m.yaml")
    assert words in str(caught.value) and "m.yaml:5:" in str(caught.value)


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(jd.TableError, match="a folder, a pipe or a device"):
        jd.Table.read(tmp_path)


def test_tables_are_written_and_read_back(tmp_path):
    m = slide(speed=jd.Table(*TRAPEZOID, outside="hold"))
    m.table("f", jd.Table([0, 1], [2, 3], periodic=4))
    jd.save(m, tmp_path / "m.yaml")
    again = jd.load(tmp_path / "m.yaml").frozen()
    assert again.tables["f"] == m.frozen().tables["f"]
    assert again.motions[0].values["speed"] == m.frozen().motions[0].values["speed"]


@pytest.mark.parametrize(
    "key", [{"kind": "straight"}, {"outside": "stop"}, {"periodic": "5 kg m x"}, {"periodic": 0.5}]
)
def test_keys_of_tables_are_checked(key):
    with pytest.raises(jd.TableError):
        jd.Table([0, 1], [0, 1], **key)


def test_every_key_takes_a_table():
    m = swinging(0.0)
    body = m["b"]
    over = jd.Table([0, 1, 2], [0, 1, 0], outside="hold")
    m.force("push", on=body.point("P", (0.5, 0)), vector=(over, 0))
    m.torque("turn", on=body, torque=over)
    m.element("lag", states={"y": 0}, inputs={"u": over}, rates={"y": "u - y"})
    run = jd.simulate(m, 2.5)
    assert run.status.ok and np.isfinite(run["lag.y"]).all()


def test_a_start_outside_is_refused():
    with pytest.raises(jd.SimulationError, match="cannot begin at t = 0 s"):
        jd.simulate(slide(speed=jd.Table([1, 2], [0, 1])), 2.0)
    with pytest.raises(jd.SimulationError, match="lies outside the table"):
        jd.simulate(swinging(jd.Table([1, 2], [0, 1], over="A.angle")), 2.0)


def test_kinematics_outside_a_table_says_so():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = jd.kinematics(slide(displacement=[(0, 0), (1, 2)]), duration=2)
    assert not run.status.ok and "was asked for" in run.status.sentence


def test_units_of_formulas_in_python_are_checked():
    with pytest.raises(jd.MechanismError, match="a length; expected a speed"):
        jd.simulate(slide(speed="3 mm"), 1.0)
    assert jd.simulate(slide(speed="30 mm/s"), "2 s")["b.x"][-1] == pytest.approx(0.06)


def test_a_force_that_jumps_at_the_end_of_its_period_is_told():
    table = jd.Table([0, 1], [0, 2], over="t", periodic=1)
    run = jd.simulate(swinging(table), 0.5)
    assert any("jumps from 2 to 0 at the end of its period" in note for note in run.status.notes)


def test_a_session_takes_times_with_units():
    s = jd.session(slide(speed=jd.Table(*TRAPEZOID)))
    s.advance("500 ms")
    s.advance(to="3.5 s")
    assert s["b.x"] == pytest.approx(DISTANCE, abs=1e-9)


def test_a_session_that_pauses_at_will_has_the_bits_of_a_run():
    times = np.array([0.0, 0.31, 0.5, 0.77, 2.5, 3.0, 3.5])
    run = jd.simulate(slide(speed=jd.Table(*TRAPEZOID)), times=times)
    s = jd.session(slide(speed=jd.Table(*TRAPEZOID)), times=times)
    for t in times[1:]:
        s.advance(to=float(t))
    assert np.array_equal(s.solution()["b.x"], run["b.x"])


# Dialects, and units in Python ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        "angle (deg),p\n0,1\n180,2\n".encode("utf-16"),
        "# gemessen in Köln\nangle (°),p\n0,1\n180,2\n".encode("cp1252"),
        b"angle (deg),p,\n0,1,\n180,2,\n",  # a separator behind each row
        b"angle (deg);p\r\n0,0;1,0\r\n180,0;2,0\r\n",
        b'"angle [deg]","p"\n"0","1"\n"180","2"\n',
    ],
)
def test_a_csv_of_other_programs(tmp_path, data):
    (tmp_path / "t.csv").write_bytes(data)
    for columns in (None, ["angle", "p"], ["angle (deg)", "p"]):
        table = jd.Table.read(tmp_path / "t.csv", columns)
        assert np.allclose(table.x, [0, math.pi]) and np.allclose(table.y, [1, 2])


@pytest.mark.parametrize(
    "data, words",
    [
        (b"a,b\n" + b"1" * 200_000, "t.csv:2: field larger than"),
        (bytes(range(256)), "is no text"),
        (b"a,b\n0,1\n1,\x002\n", "is no text"),
    ],
)
def test_what_is_no_csv(tmp_path, data, words):
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(jd.TableError, match=words):
        jd.Table.read(tmp_path / "t.csv")


def test_columns_and_pairs_with_units_in_python():
    table = jd.Table(["0 ms", "500 ms", "2500 ms", 3.5], ["0 mm/s", "100 mm/s", 0.1, 0])
    pairs = [("0 ms", 0), ("500 ms", "100 mm/s"), (2.5, "0.1 m/s"), ("3.5 s", "0 mm/s")]
    for speed in (table, pairs):
        assert jd.simulate(slide(speed=speed), "3.5 s")["b.x"][-1] == pytest.approx(DISTANCE, abs=1e-9)
    with pytest.raises(jd.TableError, match="unknown unit 'parsec'"):
        jd.Table(["0 parsec", 1], [0, 1])


@pytest.mark.parametrize("speed", ["30 rpm", [("0 s", "0 rpm"), ("1 s", "30 rpm")]])
def test_what_slides_has_no_angular_speed(speed):
    with pytest.raises(jd.MechanismError, match=r"an angular speed; expected a speed \(m/s\)"):
        jd.simulate(slide(speed=speed), 1.0)


@pytest.mark.parametrize(
    "speed, mark",
    [
        ("30 rpm", "5:32"),
        ("{table: {points: [[0, 0], [1, 2]], units: [s, rpm]}}", "5:40"),
        ("[[0 s, 0 mm/s], [1 s, 2 rpm]]", "5:54"),
    ],
)
def test_in_a_file_neither(speed, mark):
    with pytest.raises(jd.FileError, match=mark) as caught:
        jd.load(HEAD + f"motions: {{d: {{joint: S, speed: {speed}}}}}\n")
    assert "angular speed" in str(caught.value)


def test_a_spline_that_swings_out_is_told_or_not_taken():
    """A cubic through (0, 0), (0.01, 1), (1, 0), (2, 3) goes up to 12 beside its turning point."""
    x, y = [0, 0.01, 1, 2], [0, 1, 0, 3]
    assert curve(jd.Table(x, y), "t", POSITION).kind == "smooth"
    run = jd.simulate(slide(displacement=jd.Table(x, y, kind="spline")), 2.0)
    assert any("the spline turns where the table does not, and goes from" in note for note in run.status.notes)


def test_kinematics_and_inverse_dynamics_take_times_with_units():
    m = slide(displacement=jd.Table([0, 1], [0, 2]))
    for run in (jd.kinematics(m, duration="500 ms"), jd.inverse_dynamics(m, duration="500 ms")):
        assert run["b.x"][-1] == pytest.approx(1.0)
