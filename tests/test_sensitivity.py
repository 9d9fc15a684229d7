"""sensitivity: derivatives against closed forms, and against Richardson's differences of whole runs.

With a fixed step a run is a smooth function of its parameters, so that differences of order 6 are right to about 1e-10;
error control moves steps about, and 1e-6 is what is promised there.
"""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import special

import jourdain as jd
from jourdain.files import gallery
from jourdain.mechanism.numbers import numbers, varied

PENDULUM = """\
jourdain: 1
name: rod
gravity: [0, -g]
parameters: {L: 0.8 m, g: 9.81, start: 60 deg, m: 2}
ground: {points: {A: [0, 0]}}
bodies:
  rod:
    mass: m
    inertia: m*L**2/12
    position: [L/2*sin(start), -L/2*cos(start)]
    angle: start - 90 deg
    velocity: [0, 0]
    spin: 0
    points: {A: [-L/2, 0]}
joints:
  A: {type: revolute, between: [ground.A, rod.A]}
"""


def richardson(f, p, h):
    """df/dp by central differences with steps h, h/2 and h/4, extrapolated to order 6."""
    a = [(f(p + s) - f(p - s)) / (2 * s) for s in (h, h / 2, h / 4)]
    b = [(4 * a[1] - a[0]) / 3, (4 * a[2] - a[1]) / 3]
    return (16 * b[1] - b[0]) / 15


def agree(build, value, of, tolerance, part=2e-3, **options):
    """Derivatives of channels by the only parameter of `build`, against differences of whole runs."""
    found = jd.sensitivity(build, {"p": value}, of, **options)
    step = part * (abs(value) or 1.0)
    runs = richardson(lambda p: np.array([jd.simulate(build(p), **options)[name] for name in of]), value, step)
    for name, expected in zip(of, runs, strict=True):
        assert np.max(np.abs(expected)) > 1e-6, "a derivative that says something"
        assert found[name, "p"] == pytest.approx(expected, abs=tolerance * np.max(np.abs(expected))), name


def of_example(name, parameter):
    """The example as a function of one of its parameters, or of a number of one of its parts."""
    mechanism = jd.load(gallery.path(name))
    if parameter in mechanism.frozen().parameters:
        return lambda p: jd.load(gallery.path(name), {parameter: p})
    return lambda p: varied(mechanism.frozen(), parameter, p)


# Closed forms ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pendulum():
    m = jd.load(PENDULUM)
    of = ["rod.angle", "rod.spin", "rod.spin_rate", "energy.total", "A.fy"]
    return jd.sensitivity(m, ["L", "g", "m", "start", "rod.spin"], of, 2.0, every=0.05, rtol=1e-12)


def test_angle_of_a_pendulum_depends_on_w_t_alone(pendulum):
    """w = sqrt(3 g / (2 L)), so L d/dL = -t/2 d/dt and g d/dg = t/2 d/dt; the mass does nothing."""
    rate, t = pendulum["rod.spin"], pendulum.t
    assert pendulum["rod.angle", "L"] == pytest.approx(-t * rate / (2 * 0.8), abs=1e-8)
    assert pendulum["rod.angle", "g"] == pytest.approx(t * rate / (2 * 9.81), abs=1e-9)
    assert pendulum["rod.angle", "m"] == pytest.approx(np.zeros_like(t), abs=1e-9)
    assert pendulum["A.fy", "m"] == pytest.approx(pendulum["A.fy"] / 2, rel=1e-8, abs=1e-8)


def elliptic_angle(start, t, w):
    """Landau and Lifshitz, Mechanics, sec. 11: sin(angle / 2) = k cd(w t, k) from rest, k = sin(start / 2)."""
    k = np.sin(start / 2)
    _, cn, dn, _ = special.ellipj(w * t, k * k)
    return 2 * np.arcsin(k * cn / dn)


def test_start_of_a_pendulum(pendulum):
    w = np.sqrt(1.5 * 9.81 / 0.8)
    start = np.radians(60)
    expected = richardson(lambda x: elliptic_angle(x, pendulum.t, w), start, 0.02)
    assert pendulum["rod.angle"] + np.pi / 2 == pytest.approx(elliptic_angle(start, pendulum.t, w), abs=1e-9)
    assert pendulum["rod.angle", "start"] == pytest.approx(expected, abs=1e-8)


def test_the_whole_energy_changes_with_its_start(pendulum):
    """E = -m g L cos(start) / 2, and 0 = dE / d spin at rest."""
    assert pendulum["energy.total", "L"] == pytest.approx(np.full(41, -2 * 9.81 * 0.25), abs=1e-8)
    assert pendulum["energy.total", "start"] == pytest.approx(np.full(41, 9.81 * 0.8 * np.sin(np.pi / 3)), abs=1e-8)
    assert pendulum["energy.total", "rod.spin"] == pytest.approx(np.zeros(41), abs=1e-8)


def test_period_of_a_pendulum():
    """T = 4 sqrt(2 L / (3 g)) K(k): dT/dL = T / (2 L). At T the spin vanishes: dT/dL = -(d spin / dL) / spin'."""
    T = 4 * np.sqrt(2 * 0.8 / (3 * 9.81)) * special.ellipk(np.sin(np.pi / 6) ** 2)
    s = jd.sensitivity(jd.load(PENDULUM), "L", ["rod.spin", "rod.spin_rate"], times=[0, T], rtol=1e-12)
    assert -s.final["rod.spin", "L"] / s["rod.spin_rate"][-1] == pytest.approx(T / (2 * 0.8), rel=1e-9)


def slider_crank(r=0.1, L=0.3, w=5.0, **motion):
    m = jd.Mechanism("slider-crank")
    crank = m.body("crank", mass=1, inertia=0.01, position=(0, 0), angle=0, points={"O": (0, 0), "A": (r, 0)})
    rod = m.body("rod", mass=1, inertia=0.02, position=(r, 0), angle=0, points={"A": (0, 0), "B": (L, 0)})
    slider = m.body("slider", mass=2, inertia=0.01, position=(r + L, 0), angle=0, points={"B": (0, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), crank["O"])
    m.revolute("A", crank["A"], rod["A"])
    m.revolute("B", rod["B"], slider["B"])
    m.prismatic("guide", m.ground["O"], slider["B"])
    m.parameter("w", w)
    m.motion("drive", joint="O", **(motion or {"angle": "w*t"}))
    return m


@pytest.mark.parametrize(
    ("motion", "coordinates"), [({"angle": "w*t"}, None), ({"speed": "w"}, None), ({"angle": "w*t"}, "natural")]
)
def test_kinematics_of_a_slider_crank(motion, coordinates):
    """x = r cos a + sqrt(L^2 - r^2 sin^2 a), a = w t, differentiated by complex step and by the chain rule in time."""
    t = np.linspace(0, 2, 41)
    at = {"r": 0.1, "L": 0.3, "w": 5.0}
    of = ["slider.x", "slider.vx", "slider.ax"]
    build = partial(slider_crank, **motion)
    s = jd.sensitivity(build, at, of, analysis="kinematics", times=t, coordinates=coordinates)

    def closed(r, L, w):
        a = w * t
        root = np.sqrt(L**2 - (r * np.sin(a)) ** 2)
        by_a = -r * np.sin(a) - r**2 * np.sin(2 * a) / (2 * root)
        twice = -r * np.cos(a) - r**2 * np.cos(2 * a) / root - r**4 * np.sin(2 * a) ** 2 / (4 * root**3)
        return r * np.cos(a) + root, w * by_a, w**2 * twice

    for name in at:
        moved = closed(**{**at, name: at[name] + 1e-30j})
        for channel, value, derivative in zip(of, closed(**at), moved, strict=True):
            assert s[channel] == pytest.approx(value, abs=1e-10)
            expected = derivative.imag / 1e-30
            assert s[channel, name] == pytest.approx(expected, abs=1e-10 * np.max(np.abs(expected)))


def test_statics_of_a_loaded_pendulum_and_a_spring():
    """sin(angle) = T / (m g a); a weight on a spring hangs by m g / k."""

    def hanging(torque=4.0, mass=2.0, a=0.5, k=300.0):
        m = jd.Mechanism("hanging", gravity=(0, -9.81))
        m.parameter("torque", torque)
        bar = m.body("bar", mass=mass, inertia=0.1, position=(0, -a), points={"A": (0, a)})
        weight = m.body("weight", mass=mass, inertia=0.1, position=(1, -1), points={"B": (0, 0)})
        m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
        m.prismatic("guide", m.ground.point("C", (1, 0), angle=np.pi / 2), weight.point("up", (0, 0), angle=np.pi / 2))
        m.spring_damper("spring", m.ground["C"], weight["B"], stiffness=k, length=1.0)
        m.torque("load", on=bar, torque="torque")
        return m

    at = {"torque": 4.0, "mass": 2.0, "a": 0.5, "k": 300.0}
    s = jd.sensitivity(hanging, at, ["bar.angle", "weight.y", "A.fy", "spring.force"], analysis="statics")
    sine = 4.0 / (2.0 * 9.81 * 0.5)
    cosine = np.sqrt(1 - sine**2)
    assert s["bar.angle"] == pytest.approx([np.arcsin(sine)], rel=1e-12)
    expected = {"torque": sine / 4 / cosine, "mass": -sine / 2 / cosine, "a": -sine / 0.5 / cosine, "k": 0.0}
    assert {p: s.final["bar.angle", p] for p in at} == pytest.approx(expected, rel=1e-10, abs=1e-12)
    expected = {"torque": 0.0, "mass": -9.81 / 300, "a": 0.0, "k": 2 * 9.81 / 300**2}
    assert {p: s.final["weight.y", p] for p in at} == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert s.final["A.fy", "mass"] == pytest.approx(9.81, rel=1e-10)
    assert s.final["spring.force", "mass"] == pytest.approx(9.81, rel=1e-10)
    assert "hanging, statics: derivatives at rest" in str(s)


# Differences of whole runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameter", "value", "of"),
    [
        ("four_bar", "k", 200.0, ["coupler.x", "B.fx", "energy.dissipated", "rocker.C.vy", "A.angle"]),
        ("four_bar", "L", 4.0, ["crank.angle", "B.on_first.fy", "energy.kinetic"]),
        ("four_bar", "crank.mass", 3.0, ["coupler.y", "D.fx", "coupler.ax"]),
        ("four_bar", "crank.B.x", 2.0, ["coupler.x", "A.fy", "energy.potential"]),
        ("four_bar", "crank.spin", 0.0, ["coupler.x", "spring.length", "spring.force"]),
        ("slider_crank", "rod_length", 10.928203230275509, ["slider.x", "guide.fy", "slider.vx"]),
        ("slider_crank", "slider.mass", 10.0, ["slider.x", "A.fx"]),
    ],
)
def test_planar_machines_with_a_fixed_step(name, parameter, value, of):
    options = {"duration": 0.6, "every": 0.1, "integrator": "rk4", "step": 5e-3}
    if "." in parameter:
        value = numbers(jd.load(gallery.path(name)).frozen())[parameter]
    agree(of_example(name, parameter), value, of, 1e-8, **options)


@pytest.mark.parametrize(
    ("name", "parameter", "value", "of"),
    [
        ("four_bar", "k", 200.0, ["coupler.x", "B.fx"]),
        ("spatial_four_bar", "L", 4.0, ["rocker.x", "coupler.vy"]),
        ("spatial_four_bar", "k", 200.0, ["rocker.x", "energy.kinetic"]),
        ("rolling_disc", "radius", 0.05, ["coin.y", "coin.wx"]),
    ],
)
def test_machines_with_error_control(name, parameter, value, of):
    """Also a loop of four revolute joints in space, with three redundant equations, and one that rolls."""
    value = jd.load(gallery.path(name)).frozen().parameters[parameter]
    agree(of_example(name, parameter), value, of, 1e-6, duration=0.4, every=0.1, rtol=1e-11)


def double(a=1.0, damping=0.0, at=0.5, inertia=0.1):
    m = jd.Mechanism("double", gravity=(0, -9.81))
    m.parameter("a", a)
    upper = m.body("upper", mass=1, inertia=inertia, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    lower = m.body("lower", mass=2, inertia=inertia, position=(1.5, 0), points={"B": (-0.5, 0), "C": (0, 0)})
    upper.point("S", (at, 0))
    m.revolute("A", m.ground.point("A", (0, 0)), upper["A"])
    m.revolute("B", upper["B"], lower["B"])
    m.spring_damper("s", m.ground.point("D", (1, 1)), upper["S"], stiffness=30.0, damping=damping, length=1.0)
    m.torque("drive", on=upper, torque="a*sin(3*t) - 0.1*upper.spin*abs(upper.spin) + max(0, 2*t - 1)")
    return m


DOUBLE = {"duration": 0.5, "every": 0.1, "integrator": "rk4", "step": 5e-3}


def test_parameter_of_a_formula():
    agree(lambda p: double(a=p), 1.0, ["lower.x", "B.fx"], 1e-8, **DOUBLE)


def test_a_point_that_leaves_another_one():
    """S lies on B, and is kept as one vector with it until the parameter moves it."""
    agree(lambda p: double(at=p), 0.5, ["lower.x", "s.force", "upper.S.y"], 1e-8, **DOUBLE)


def test_bodies_without_inertia():
    agree(lambda p: varied(double(inertia=0.0).frozen(), "upper.mass", p), 1.0, ["lower.x", "B.fx"], 1e-8, **DOUBLE)


def test_a_damper_that_is_none_yet():
    """Negative dampings are refused, so that differences go to one side."""
    s = jd.sensitivity(double(), "s.damping", "lower.x", **DOUBLE)
    f = [jd.simulate(double(damping=k * 5e-3), **DOUBLE)["lower.x"] for k in range(5)]
    expected = (-25 * f[0] + 48 * f[1] - 36 * f[2] + 16 * f[3] - 3 * f[4]) / (12 * 5e-3)
    assert s["lower.x", "s.damping"] == pytest.approx(expected, abs=1e-8)


def test_friction_by_the_reaction_of_a_joint():
    """Its forces are iterated, in imaginary parts too. The block slides one way, and is pressed down all the time."""

    def block(p):
        m = jd.Mechanism("block", gravity=(0, -9.81))
        body = m.body("block", mass=1, inertia=0.01, position=(0, 0), velocity=(2, 0), points={"P": (0, 0)})
        m.prismatic("floor", m.ground.point("O", (0, 0)), body["P"])
        m.friction("dry", joint="floor", coefficient=p, regular_speed=0.005)
        m.force("press", on=body["P"], vector=("-1", "-3 - 5*block.x"))
        return m

    agree(block, 0.2, ["block.x", "floor.fy", "energy.dissipated"], 1e-8, **DOUBLE)


ROCKER = """\
jourdain: 1
name: crank and rocker
gravity: [0, -9.81]
parameters: {r: 0.1, drawn: 0.4, w: 3}
ground: {points: {O: [0, 0], P: [0.5, 0]}}
bodies:
  crank: {mass: 1, inertia: 0.01, angle: drawn, points: {O: [0, 0], A: [r, 0]}}
  rod: {mass: 1, inertia: 0.02, points: {A: [0, 0], B: [0.4, 0]}, position: [0.1, 0.05]}
  rocker: {mass: 1, inertia: 0.02, points: {B: [0, 0.3], P: [0, 0]}, position: [0.5, 0]}
joints:
  O: {type: revolute, between: [ground.O, crank.O]INITIAL}
  A: {type: revolute, between: [crank.A, rod.A]}
  B: {type: revolute, between: [rod.B, rocker.B]}
  P: {type: revolute, between: [ground.P, rocker.P]}
"""
DRIVEN = ROCKER.replace("INITIAL", "") + "motions:\n  drive: {joint: O, angle: w*t, from: drawn}\n"
STARTED = ROCKER.replace("INITIAL", ", initial: {speed: w}")


@pytest.mark.parametrize("parameter", ["r", "drawn", "w"])
def test_assembly_and_phases_depend_on_parameters(parameter):
    """Positions left out, a motion that starts where the crank is drawn, a joint that starts with a speed."""
    value = jd.load(STARTED).frozen().parameters[parameter]
    agree(lambda p: jd.load(STARTED, {parameter: p}), value, ["rocker.angle", "B.fx"], 1e-8, **DOUBLE)
    found = jd.sensitivity(jd.load(DRIVEN), parameter, "drive.torque", 0.5, every=0.1, analysis="kinematics")

    def torque(p):
        return jd.simulate(jd.load(DRIVEN, {parameter: p}), 0.5, every=0.1)["drive.torque"]

    expected = richardson(torque, value, 2e-3 * value)
    assert found["drive.torque", parameter] == pytest.approx(expected, abs=1e-8 * np.max(np.abs(expected)))


# Interface -------------------------------------------------------------------------------------------------------


def test_every_number_can_be_changed_and_changed_back():
    for name in ("four_bar", "rssr", "motor_crank", "universal_shaft"):
        blueprint = jd.load(gallery.path(name)).frozen()
        for key, value in numbers(blueprint).items():
            changed = varied(blueprint, key, value + 0.25)
            assert numbers(changed)[key] == pytest.approx(value + 0.25), key
            assert numbers(varied(changed, key, value)) == pytest.approx(numbers(blueprint)), key


@pytest.fixture(scope="module")
def arm():
    from command_line import ARM

    return jd.load(ARM)


def test_result_reads_like_a_table(arm, tmp_path):
    s = jd.sensitivity(arm, ["k", "arm.mass"], ["arm.angle", "spring.length"], 0.5, every=0.1)
    assert str(s).splitlines()[0].startswith("swinging arm, simulate: derivatives at t = 0.5 s (angle, kkt")
    assert "d/d arm.mass" in str(s) and "at 20" in str(s)
    assert s.final["arm.angle", "k"] == s.d["arm.angle", "k"][-1] == s["arm.angle", "k"][-1]
    assert s.relative["spring.length", "k"] == pytest.approx(20 * s["spring.length", "k"] / s["spring.length"])
    with pytest.raises(KeyError, match=r"no channel 'arm.x' was asked for; known: arm.angle, spring.length"):
        s["arm.x"]
    with pytest.raises(KeyError, match=r"no derivative of 'arm.angle' by 'L' was asked for; .* \(did you mean"):
        s["arm.angle", "L"]
    s.to_csv(tmp_path / "s.csv")
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1]["d(arm.angle)/d(k)"]) == s.final["arm.angle", "k"]


def test_command(jourdain):
    said = jourdain("sensitivity", "arm.yaml", "--by", "k,L", "--of", "arm.angle", "--duration", "0.3", "--json")
    facts = json.loads(said.out)
    expected = jd.sensitivity(jd.load("arm.yaml"), ["k", "L"], "arm.angle", 0.3).final
    assert facts["derivatives"] == {"arm.angle": {p: expected["arm.angle", p] for p in ("k", "L")}}
    table = jourdain(
        "sensitivity", "arm.yaml", "--by", "k", "--of", "arm.angle", "--analysis", "statics", "-o", "s.csv"
    )
    assert "derivatives at rest" in table.out and Path("s.csv").exists()
    assert "give --by k" in jourdain("sensitivity", "arm.yaml", "--of", "arm.angle").err
    assert "did you mean 'k'" in jourdain("sensitivity", "arm.yaml", "--by", "K", "--of", "arm.angle").err


def refusal(*arguments, **options):
    with pytest.raises(jd.ChoiceError) as caught:
        jd.sensitivity(*arguments, **options)
    return str(caught.value)


def test_wrong_names(arm):
    assert refusal(arm, ["arm.mess", "k"], "arm.x", 1.0).startswith(
        "there is no number 'arm.mess' in the mechanism; known: arm.angle, "
    )
    assert "(did you mean 'arm.mass'?)" in refusal(arm, ["arm.mess", "k"], "arm.x", 1.0)
    words = refusal(arm, "spring.stiffness", "arm.x", 1.0)
    assert words == "'spring.stiffness' is the formula 'k', no number; known: L, k (did you mean 'k'?)"
    words = refusal(arm, ["arm.position", "arm.vx"], "arm.x", 1.0)
    assert words.startswith(
        "'arm.position' is 2 numbers, not 1 number; name one of them: arm.position.x, arm.position.y; "
    )
    assert words.endswith("'arm.vx' is not written in the mechanism, so that assembly chooses it; write it first")
    assert "a parameter is 3; expected a name" in refusal(arm, [3], "arm.x", 1.0)
    assert "parameters is empty" in refusal(arm, [], "arm.x", 1.0)
    words = refusal(arm, "k", ["arm.xx", "violation.position"], 1.0)
    assert "no channel 'arm.xx'" in words and "(did you mean 'arm.x'?)" in words
    assert "'violation.position' is an error of the numbers" in words
    assert "of is empty" in refusal(arm, "k", [], 1.0)
    assert "unknown analysis 'static'" in refusal(arm, "k", "arm.x", analysis="static")
    assert "(did you mean 'statics'?)" in refusal(arm, "k", "arm.x", analysis="static")
    assert "expected names only" in refusal(arm, {"k": 20.0}, "arm.x", 1.0)
    assert "give its arguments with values" in refusal(slider_crank, ["r"], "slider.x", 1.0)
    assert "parameter 'r' is '10 cm'; expected a number" in refusal(slider_crank, {"r": "10 cm"}, "slider.x", 1.0)
    assert "the function gave 1.0; expected a Mechanism" in refusal(lambda r: r, {"r": 1.0}, "slider.x", 1.0)
    assert "expected a Mechanism, or a function" in refusal(7, {"r": 1.0}, "slider.x", 1.0)


def test_ways_that_are_not_followed(arm):
    words = "radau solves equations inside its steps, which sensitivity does not follow; use dop853"
    assert words in refusal(arm, "k", "arm.x", 1.0, integrator="radau")
    assert "use rk4 (followed are" in refusal(arm, "k", "arm.x", 1.0, integrator="hht", step=1e-3)
    assert "use kkt or udwadia-kalaba" in refusal(arm, "k", "arm.x", 1.0, treatment="null-space")
    words = refusal(jd.example("heavy_top"), "axle", "top.x", 1.0, coordinates="bryan")
    assert words == "coordinates bryan are not followed by sensitivity; use quaternion"
    words = refusal(arm, "k", "arm.x", 1.0, analysis="kinematics", integrator="rk4", step=1e-3)
    assert words.startswith("kinematics closes the joints at every sample by itself, so integrator and step would do")


def test_analyses_that_do_not_fit(arm):
    assert "1 degree of freedom remain" in refusal(arm, "k", "arm.x", 1.0, analysis="kinematics")
    assert "statics has no time, so duration" in refusal(arm, "k", "arm.x", 1.0, analysis="statics")
    words = refusal(arm, "k", "energy.total", analysis="statics")
    assert words == "'energy.total' is summed over time, which statics does not; use analysis='simulate'"
    words = refusal(jd.example("motor_crank"), "r", "slider.x", analysis="statics")
    assert words == "statics knows no states, and motor has some; use analysis='simulate'"
    with pytest.raises(jd.SimulationError, match=r"'.*' cannot be driven beyond .* deg: limit of travel"):
        jd.sensitivity(lambda r: slider_crank(r, L=0.3), {"r": 0.35}, "slider.x", 1.0, analysis="kinematics")
    with pytest.raises(jd.SimulationError, match="there is no equilibrium while drive moves"):
        jd.sensitivity(slider_crank, {"r": 0.1}, "slider.x", analysis="statics")
    free = jd.Mechanism("thrown", gravity=(0, -9.81))
    free.body("stone", mass=1, inertia=1, position=(0, 0), points={"P": (0, 0)})
    with pytest.raises(
        jd.EquilibriumError, match=r"no equilibrium of 'thrown': a net force of 9.81 N .*nothing holds it"
    ):
        jd.sensitivity(free, "stone.mass", "stone.x", analysis="statics")
    floor = jd.Mechanism("puck")
    puck = floor.body("puck", mass=1, inertia=1, position=(0, 0), points={"P": (0, 0)})
    floor.prismatic("floor", floor.ground.point("O", (0, 0)), puck["P"])
    with pytest.raises(jd.EquilibriumError, match=r"'puck' has no derivatives: nothing resists .*so it rests anywhere"):
        jd.sensitivity(floor, "puck.mass", "puck.x", analysis="statics")


def test_events_that_happen_are_refused_and_others_are_not():
    text = PENDULUM + "events:\n  low: {when: -90 deg - rod.angle, stop: true}\n"
    m = jd.load(text)
    words = refusal(m, "L", "rod.angle", 2.0)
    assert words.startswith("events happen ('low' at t = 0.3931 s)")
    assert words.endswith("end the run before, or leave them out")
    before = jd.sensitivity(m, "L", "rod.angle", 0.2, every=0.1)
    assert before["rod.angle", "L"] == pytest.approx(-before.t / 1.6 * _spin(before.t), abs=1e-8)


def _spin(t):
    w, k = np.sqrt(1.5 * 9.81 / 0.8), 0.5
    sn, _, dn, _ = special.ellipj(w * t, k * k)
    # d/dt of 2 asin(k cd): cd' = -(1 - k^2) w sn / dn^2, and cos(angle / 2) = sqrt(1 - k^2) / dn
    return -2 * k * np.sqrt(1 - k * k) * w * sn / dn


def test_functions_and_changed_mechanisms_are_refused(arm):
    m = double()
    m.force("wind", on=m.frozen().joint("B").first, vector=[lambda t: 1.0 if t > 0.2 else 0.0, 0.0])
    assert "functions of Python have no derivatives by parameters" in refusal(m, "a", "lower.x", 1.0)
    changed = jd.load(PENDULUM)
    changed.parameter("more", 1.0)
    words = refusal(changed, "L", "rod.angle", 1.0)
    assert "was changed after it was read from a file" in words and words.endswith("give a function instead")


def test_what_has_no_derivative_is_told():
    def kinked(p):
        return double(a=abs(p - 1.0))

    assert "does not change smoothly with it" in refusal(kinked, {"p": 1.0}, "lower.x", **DOUBLE)

    def narrow(p):  # a rod that only just closes: any change of its length opens it
        m = jd.Mechanism("narrow")
        rod = m.body("rod", mass=1, inertia=1, position=(0.5, 0), points={"A": (-0.5, 0), "B": (p - 0.5, 0)})
        m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
        m.revolute("B", m.ground.point("B", (1, 0)), rod["B"])
        return m

    words = refusal(narrow, {"p": 1.0}, "rod.x", **DOUBLE)
    assert words.startswith("there is no derivative by 'p': with a value a little other than 1 the mechanism is no")
    assert "cannot be closed from the drawn pose" in words
