"""Kinematics against closed forms: positions, velocities, accelerations, efforts; what is refused, by its text."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.choices import COORDINATES
from linkages import Jet, four_bar, pins, rates

TURN = 2 * math.pi
P15 = json.loads((Path(__file__).parent / "reference" / "P15_slidercrank_driven.json").read_text())["reference"]


def slider_crank(drawn: float = 0.7) -> jd.Mechanism:
    """The machine of P15, drawn at a crank angle."""
    r, L = 0.25, 1.0
    B = r * np.array([math.cos(drawn), math.sin(drawn)])
    beta = -math.asin(B[1] / L)
    C = B + L * np.array([math.cos(beta), math.sin(beta)])
    m = jd.Mechanism("slider-crank", gravity=(0, -9.81))
    crank = m.body(
        "crank", mass=1, inertia=r**2 / 12, position=B / 2, angle=drawn, points={"A": (-r / 2, 0), "B": (r / 2, 0)}
    )
    rod = m.body(
        "rod", mass=2, inertia=2 / 12, position=(B + C) / 2, angle=beta, points={"B": (-L / 2, 0), "C": (L / 2, 0)}
    )
    slider = m.body("slider", mass=3, inertia=0.1, position=C, angle=0, points={"C": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), crank["A"])
    m.revolute("B", crank["B"], rod["B"])
    m.revolute("C", rod["C"], slider["C"])
    m.prismatic("guide", m.ground["A"], slider["C"])
    return m


@pytest.fixture(scope="module")
def driven() -> jd.Kinematics:
    return jd.kinematics(slider_crank(), "A", from_=0, to="360 deg", speed=10, points=25)


@pytest.mark.parametrize(
    ("channel", "key"),
    [
        ("A.angle", "theta"),
        ("slider.x", "slider_x"),
        ("slider.vx", "slider_x_d"),
        ("slider.ax", "slider_x_dd"),
        ("rod.angle", "rod_angle"),
        ("rod.spin", "rod_angle_d"),
        ("rod.spin_rate", "rod_angle_dd"),
        ("drive.torque", "driver_torque"),
    ],
)
def test_slider_crank_against_its_closed_form(driven: jd.Kinematics, channel: str, key: str) -> None:
    """P15; its numbers are printed to 13 digits."""
    np.testing.assert_allclose(driven[channel], P15[key], rtol=1e-10, atol=1e-10)


def test_energy_of_a_driven_machine_balances() -> None:
    run = jd.kinematics(slider_crank(), "A", speed=10)
    assert np.ptp(run.energy.total) < 1e-7 * np.max(run.energy.kinetic)  # the work is integrated by a spline
    assert np.ptp(run.energy.driven) > 1.0


def test_dead_points_of_the_slider() -> None:
    run = jd.kinematics(slider_crank(), "A", from_="-10 deg", to="400 deg", points=83)
    dead = [d for d in run.dead_points if d.channel == "guide.displacement"]
    np.testing.assert_allclose([d.value for d in dead], [0, math.pi, TURN], atol=1e-12)
    np.testing.assert_allclose([d.at for d in dead], [1.25, 0.75, 1.25], atol=1e-12)
    assert "dead points of guide.displacement at A.angle = 0 deg, A.angle = 180 deg, A.angle = 360 deg" in str(run)


def test_dead_points_do_not_depend_on_the_samples() -> None:
    """Five samples in two turns lie on dead centres and between them alike; all are found."""
    run = jd.kinematics(slider_crank(), "A", from_=0.1, to=0.1 + 2 * TURN, points=5)
    dead = [d.value for d in run.dead_points if d.channel == "guide.displacement"]
    np.testing.assert_allclose(dead, math.pi * np.arange(1, 5), atol=1e-12)


def quick_return(link: float) -> jd.Mechanism:
    """P04 (Pappalardo and Guida 2018) with a link of another length; its own is 2 m and blocks a full turn."""
    down = math.radians(-105)
    u = np.array([math.cos(down), math.sin(down)])
    B = np.array([1.0, math.sqrt(3.0)])
    C, D = B + 4 * u, B - 2 * u
    rail = D[1] + math.sqrt(2.0)
    E = np.array([D[0] - math.sqrt(link**2 - 2.0), rail])
    m = jd.Mechanism("quick return", gravity=(0, -9.81))
    crank = m.body("crank", mass=5, inertia=1.7, position=B / 2, angle=math.pi / 3, points={"A": (-1, 0), "B": (1, 0)})
    block = m.body("block", mass=10, inertia=1, position=B, angle=down, points={"B": (0, 0)})
    rocker = m.body("rocker", mass=6, inertia=18, position=D + 3 * u, angle=down, points={"D": (-3, 0), "C": (3, 0)})
    turn = math.atan2(E[1] - D[1], E[0] - D[0])
    bar = m.body(
        "link", mass=2, inertia=1, position=(D + E) / 2, angle=turn, points={"D": (-link / 2, 0), "E": (link / 2, 0)}
    )
    ram = m.body("ram", mass=1, inertia=0.1, position=E, angle=0, points={"E": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), crank["A"])
    m.revolute("B", crank["B"], block["B"])
    m.prismatic("slot", rocker["C"], block["B"])
    m.revolute("C", m.ground.point("C", tuple(C)), rocker["C"])
    m.revolute("D", rocker["D"], bar["D"])
    m.revolute("E", bar["E"], ram["E"])
    m.prismatic("guide", m.ground.point("rail", tuple(E)), ram["E"])
    return m


def ram_of(theta: Jet, link: float) -> tuple[Jet, Jet, Jet]:
    """x of D, y of D and x of the ram, in closed form."""
    down = math.radians(-105)
    C = np.array([1.0, math.sqrt(3.0)]) + 4 * np.array([math.cos(down), math.sin(down)])
    rail = math.sqrt(3.0) - 2 * math.sin(down) + math.sqrt(2.0)
    x, y = 2 * theta.cos() - C[0], 2 * theta.sin() - C[1]
    over = (x * x + y * y).sqrt().inverse()
    Dx, Dy = 6 * x * over + C[0], 6 * y * over + C[1]
    return Dx, Dy, Dx - (link**2 - (rail - Dy) * (rail - Dy)).sqrt()


def test_quick_return_over_two_turns() -> None:
    run = jd.kinematics(quick_return(6.0), "A", from_=0, to="720 deg", speed=2, points=721)
    assert run.status.ok
    Dx, Dy, ram = ram_of(Jet(np.linspace(0, 2 * TURN, 721), 2.0), 6.0)
    for jet, name in ((Dx, "rocker.D.{}x"), (Dy, "rocker.D.{}y"), (ram, "ram.{}x")):
        for values, prefix in ((jet.v, ""), (jet.d, "v"), (jet.dd, "a")):
            np.testing.assert_allclose(run[name.format(prefix)], values, rtol=1e-10, atol=1e-10)


def test_quick_return_as_printed_is_blocked_by_its_link() -> None:
    """Where the link stands upright: D is link below the rail."""
    with pytest.warns(jd.SimulationWarning, match="'A' cannot be driven beyond 152.696414 deg: limit of travel"):
        run = jd.kinematics(quick_return(2.0), "A", to="360 deg")
    _, Dy, _ = ram_of(Jet(run.limits[0].value), 10.0)
    rail = math.sqrt(3.0) + 2 * math.sin(math.radians(105)) + math.sqrt(2.0)
    assert abs(rail - Dy.v - 2.0) < 1e-13
    assert not run.status.ok
    assert run["A.angle"][-1] < run.limits[0].value


def test_rssr_over_two_turns() -> None:
    """Three equations of the spatial loop solved by hand; the rod's spin about itself is idle."""
    a, d, c = 0.1, 0.5, 0.3
    run = jd.kinematics(jd.example("rssr"), "motor", from_=0, to="720 deg", speed=3, points=721)
    theta = Jet(np.linspace(0, 2 * TURN, 721), 3.0)
    x, y = a * theta.cos(), a * theta.sin()
    rod2 = (d - a) ** 2 + c**2
    sine = ((x - d) * (x - d) + y * y + (c**2 - rod2)) * (2 * c * (x - d)).inverse()
    Bx, Bz = c * sine + d, c * (1 - sine * sine).sqrt()
    for jet, axis in ((Bx, "x"), (Bz, "z")):
        for values, prefix in ((jet.v, ""), (jet.d, "v"), (jet.dd, "a")):
            np.testing.assert_allclose(run[f"rocker.B.{prefix}{axis}"], values, rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(run[f"coupler.B.{prefix}{axis}"], values, rtol=1e-10, atol=1e-10)
    assert any("1 idle freedom: coupler can turn and moves nothing else" in note for note in run.status.notes)
    # The least motion has no spin along the rod.
    along = np.array([run[f"coupler.B.{k}"] - run[f"coupler.A.{k}"] for k in "xyz"])
    spin = np.array([run[f"coupler.w{k}"] for k in "xyz"])
    assert np.max(np.abs(np.sum(along * spin, axis=0))) < 1e-12


def test_spatial_four_bar_keeps_its_redundant_equations() -> None:
    """Four ordinary revolutes in space: three equations too many, and which ones are needed changes on the way."""
    run = jd.kinematics(jd.example("spatial_four_bar"), "A", to="400 deg", points=101)
    assert run.status.ok
    assert np.max(run.violation.position) < 1e-10
    assert np.max(run.violation.velocity) < 1e-10
    assert any("3 equations redundant; reactions share their loads" in note for note in run.status.notes)


@pytest.mark.parametrize(("name", "joint"), [("spatial_four_bar", "A"), ("bricard", "J1")])
def test_rates_are_derivatives_where_equations_are_redundant(name: str, joint: str) -> None:
    """Differences of fourth order of positions and of velocities."""
    h = 2e-3
    run = jd.kinematics(jd.example(name), joint, from_=0.2, to=0.2 + 4 * h, points=5)
    body = run.blueprint.bodies[1].name
    for place, rate in (("x", "vx"), ("z", "vz"), ("vx", "ax"), ("wy", "wy_rate"), ("vz", "az")):
        f = run[f"{body}.{place}"]
        slope = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
        assert slope == pytest.approx(run[f"{body}.{rate}"][2], rel=1e-7, abs=1e-8)


def test_limits_in_space_with_an_idle_freedom() -> None:
    """The crank of an RSSR linkage that is too long to turn: at 120 deg the rocker lies level, sin(phi) = -1."""
    path = Path(jd.__file__).parent / "examples" / "rssr.yaml"
    with pytest.warns(jd.SimulationWarning, match="'O' cannot be driven beyond 120 deg"):
        run = jd.kinematics(jd.load(path, {"a": "25 cm"}), "motor", from_=0.3, to="360 deg", points=101)
    assert abs(run.limits[0].value - TURN / 3) < 1e-13


def test_one_of_several_drivers_through_a_range() -> None:
    """The other legs stand at their own t = 0 while one is brought to its start, on the branch that is drawn."""
    m = jd.example("stewart_platform")
    run = jd.kinematics(m, "leg1_drive", from_=-0.05, to=0.05, speed=1.0, points=5)
    assert run.status.ok
    np.testing.assert_allclose(run["leg1_slide.displacement"], np.linspace(-0.05, 0.05, 5), atol=1e-12)
    dynamic = jd.simulate(m, times=[0.0, 0.1])
    np.testing.assert_allclose(run["leg2_slide.displacement"][[0, -1]], dynamic["leg2_slide.displacement"], atol=1e-7)


def test_motions_of_a_file_through_time() -> None:
    """The same as a simulation of the driven machine, without its steps."""
    m = jd.example("stewart_platform")
    times = [0.0, 0.4, 1.1]
    run, dynamic = jd.kinematics(m, times=times), jd.simulate(m, times=times)
    for channel in ("platform.x", "platform.vz", "platform.az", "leg3_drive.force", "S3.fz"):
        np.testing.assert_allclose(run[channel], dynamic[channel], rtol=1e-7, atol=1e-9)


def test_constant_speeds_are_positions() -> None:
    lengths = (1, 3, 2.5, 3.2)
    m = four_bar(*lengths, speed=2.0)
    run = jd.kinematics(m, duration=1.5, every=0.25)
    np.testing.assert_allclose(run["A.angle"], 1.0 + 2.0 * run.t, atol=1e-13)
    np.testing.assert_allclose(run["rocker.spin"], rates(run["A.angle"], 2.0, *lengths)[1], atol=1e-12)


def test_prismatic_drivers_and_backward_ranges() -> None:
    m = slider_crank()
    x0 = jd.kinematics(m, "A", points=2)["slider.x"][0]
    run = jd.kinematics(m, "guide", to=0.9, speed="10 mm/s", points=7)
    np.testing.assert_allclose(run["slider.x"], np.linspace(x0, 0.9, 7), atol=1e-13)
    np.testing.assert_allclose(run["slider.vx"], -0.01, atol=1e-13)
    x = run["slider.x"]
    angle = np.arccos((x**2 + 0.25**2 - 1) / (2 * 0.25 * x))
    np.testing.assert_allclose(run["A.angle"], angle, atol=1e-12)


def test_crank_angle_from_another_drawn_angle() -> None:
    """The start need not be where it is drawn, nor less than a turn away."""
    lengths = (1, 3, 2.5, 3.2)
    run = jd.kinematics(four_bar(*lengths, drawn=-2.0, branch=-1), "A", from_="370 deg", to="300 deg", points=15)
    np.testing.assert_allclose(run["A.angle"], np.radians(np.linspace(370, 300, 15)), atol=1e-12)
    _, C, _, _ = pins(run["A.angle"], *lengths, -1)
    np.testing.assert_allclose(run["rocker.C.x"] + 1j * run["rocker.C.y"], C, atol=1e-12)


def test_results_are_those_of_any_run(tmp_path: Path) -> None:
    run = jd.kinematics(slider_crank(), "A", speed=10, points=13)
    run.save(tmp_path / "run.json")
    again = jd.load_results(tmp_path / "run.json")
    np.testing.assert_allclose(again["slider.x"], run["slider.x"], rtol=0, atol=0)
    assert again.metadata["analysis"] == "kinematics"
    assert again.metadata["driver"] == "A.angle"
    assert again.maxima("slider.x")["slider.x"].largest == run["slider.x"].max()
    assert run.draw() is not None
    assert repr(run).startswith("<Kinematics of slider-crank: 13 samples")


# Refusals --------------------------------------------------------------------------------------------------------


def double() -> jd.Mechanism:
    return jd.example("double_pendulum")


def locked() -> jd.Mechanism:
    """A triangle."""
    m = jd.Mechanism("triangle")
    a = m.body("a", mass=1, inertia=1, position=(0.5, 0.5), points={"P": (-0.5, -0.5), "Q": (0.5, 0.5)})
    b = m.body("b", mass=1, inertia=1, position=(1.5, 0.5), points={"Q": (-0.5, 0.5), "R": (0.5, -0.5)})
    m.revolute("P", m.ground.point("P", (0, 0)), a["P"])
    m.revolute("Q", a["Q"], b["Q"])
    m.revolute("R", m.ground.point("R", (2, 0)), b["R"])
    return m


@pytest.mark.parametrize(
    ("make", "arguments", "words"),
    [
        (
            slider_crank,
            {"drive": "a"},
            r"no joint or motion 'a' to drive; known: A, B, C, guide \(did you mean 'A'\?\)",
        ),
        (slider_crank, {"drive": "A.displacement"}, "joint 'A' has no 'displacement' to drive; expected angle"),
        (slider_crank, {"drive": "A", "speed": 0}, "speed is 0: a driver that does not move has no range"),
        (slider_crank, {"drive": "A", "speed": -1}, "speed is -1: the direction is that from `from_` to `to`"),
        (slider_crank, {"drive": "A", "points": 1}, "points is 1; expected a whole number from 2 on"),
        (slider_crank, {"drive": "A", "to": "2 m"}, r"to is '2 m': that is a length; expected a number \(rad\)"),
        (slider_crank, {"drive": "A", "to": "x"}, r"to is 'x': it is no number; expected a number \(rad\)"),
        (slider_crank, {"drive": "A", "from_": 1, "to": 1}, "from_ and to are both 1: a driver that does not move"),
        (slider_crank, {"drive": "guide"}, "to is missing; a displacement has no natural range"),
        (slider_crank, {"drive": 3}, "drive is 3; expected the name of a joint or of a motion"),
        (slider_crank, {"to": 1, "points": 5}, "to, points without drive: to needs drive="),
        (slider_crank, {"drive": "A", "duration": 1}, "duration with drive: duration is for motions through time"),
        (slider_crank, {"duration": 1}, "nothing drives it: it has no motions; drive one of A, B, C, guide"),
        (slider_crank, {"drive": "guide", "from_": 2, "to": 3}, "cannot be driven from where it is drawn"),
        (double, {"drive": "A"}, "1 freedom is not driven, so the motion is not determined; add a motion of one of "),
        (double, {"duration": 1}, "it needs 2, one for each freedom, of joints among A, B"),
        (locked, {"drive": "P"}, "it is locked: no freedom is left that 'P' could be driven in"),
        (locked, {"duration": 1}, "it has no motions; and nothing could: it is locked, no freedom is left"),
    ],
)
def test_refusals(make, arguments, words: str) -> None:
    with pytest.raises(jd.JourdainError, match=words):
        jd.kinematics(make(), **arguments)


def test_refusals_list_all_faults() -> None:
    with pytest.raises(jd.ChoiceError) as caught:
        jd.kinematics(slider_crank(), "A", to="2 kg", speed=0, points="many")
    assert all(name in str(caught.value) for name in ("to is '2 kg'", "speed is 0", "points is 'many'"))


def test_a_second_driver_is_refused() -> None:
    m = four_bar(1, 3, 2.5, 3.2, angle="t")
    with pytest.raises(jd.MechanismError, match="'D' cannot be driven too: all freedom is taken by 'drive'"):
        jd.kinematics(m, "D")


def test_changing_speeds_and_rolling_are_refused() -> None:
    with pytest.raises(jd.MechanismError, match="motion 'drive' prescribes a speed that changes"):
        jd.kinematics(four_bar(1, 3, 2.5, 3.2, speed="2*t"), duration=1)
    m = four_bar(1, 3, 2.5, 3.2, angle="servo.output")
    m.second_order("servo", input=1, frequency=8, damping_ratio=1)
    with pytest.raises(jd.MechanismError, match=r"motion 'drive' follows servo\.output, which changes only in a sim"):
        jd.kinematics(m, duration=1)
    m = jd.Mechanism("sleigh")
    body = m.body("sleigh", mass=1, inertia=1, position=(0, 0), angle=0, points={"K": (0, 0)})
    m.knife_edge("edge", m.ground.point("O", (0, 0)), body["K"])
    m.motion("pull", point=body["K"], x="t", y="0*t")
    with pytest.raises(jd.MechanismError, match="'edge' holds velocities only, so positions depend on what came"):
        jd.kinematics(m, duration=1)


def test_drivers_at_their_limit_and_singular_drawings() -> None:
    L = (2, 1.5, 2, 3)
    limit = math.acos((L[0] ** 2 + L[3] ** 2 - (L[1] + L[2]) ** 2) / (2 * L[0] * L[3]))
    with pytest.raises(jd.MechanismError, match="'A' stands still in every motion possible from the drawn pose"):
        jd.kinematics(four_bar(*L, drawn=limit), "A", to=0.1)
    with pytest.raises(jd.MechanismError, match="the drawn pose is singular: several motions are possible from it"):
        jd.kinematics(four_bar(1, 3, 1, 3, drawn=0.0), "A")


def test_the_python_function_of_a_motion_that_raises() -> None:
    def broken(t):
        if t > 0.5:
            raise ValueError("no more")
        return t

    m = four_bar(1, 3, 2.5, 3.2, angle=broken)
    with pytest.raises(jd.SimulationError, match="raised ValueError: no more"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jd.kinematics(m, duration=1.0)


@pytest.mark.parametrize("name", ["four_bar", "rssr"])
def test_every_coordinate_set_goes_the_same_way(name: str) -> None:
    m = jd.example(name)
    drive = m.frozen().joints[0].name
    best = jd.kinematics(m, drive, points=37)
    shown = [channel for channel in best.channels if channel.endswith((".x", ".vy", ".ax"))]
    for coordinates, one in COORDINATES[m.space].items():
        if one.shown:
            run = jd.kinematics(m, drive, points=37, coordinates=coordinates)
            assert run.status.ok and coordinates in str(run.choices)
            for channel in shown:
                np.testing.assert_allclose(run[channel], best[channel], atol=1e-9, err_msg=f"{coordinates} {channel}")
