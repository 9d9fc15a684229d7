"""Figures of a machine: shaking force and moment, transmission angles, ratios, maxima, plots."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jourdain as jd
from jourdain.library.channels.transmission import links_at
from linkages import four_bar, pins, rates

LENGTHS = (1, 3, 2.5, 3.2)


@pytest.fixture(scope="module")
def run() -> jd.Kinematics:
    return jd.kinematics(four_bar(*LENGTHS), "A", from_=0, to="360 deg", speed=5, points=361)


@pytest.fixture(scope="module")
def swing() -> jd.Solution:
    """Nothing driven: a run of simulate."""
    return jd.simulate(four_bar(*LENGTHS), 1.0, every=0.01)


def on_ground(run) -> tuple[np.ndarray, np.ndarray]:
    """Sum of what joints exert on the ground, and its moment about the origin."""
    force = np.zeros((len(run.t), 2))
    moment = np.zeros(len(run.t))
    for joint in run.blueprint.joints:
        if joint.first.body == "ground":
            reaction = run.reactions[joint.name]
            x, y = run.blueprint.ground[joint.first.point].at
            force += reaction.on_first_force
            moment += x * reaction.on_first_force[:, 1] - y * reaction.on_first_force[:, 0]
            moment += reaction.on_first_moment[:, 0]
    return force, moment


def test_shaking_is_what_the_ground_feels_without_weight(run: jd.Kinematics) -> None:
    """Newton's law for the whole machine: joints press with inertia and weight; the motor reacts on its frame."""
    force, moment = on_ground(run)
    with_weight = run.shaking(weight=True)
    np.testing.assert_allclose(with_weight.force, force, atol=1e-9)
    np.testing.assert_allclose(with_weight.moment[:, 0], moment - run["drive.torque"], atol=1e-9)
    np.testing.assert_allclose(run["shaking.fy"] - 9.81 * sum(LENGTHS[:3]), force[:, 1], atol=1e-9)
    assert np.ptp(run["shaking.mz"]) > 10


def test_shaking_of_a_simulation_by_mass_times_acceleration(swing: jd.Solution) -> None:
    for axis, channel in (("x", "shaking.fx"), ("y", "shaking.fy")):
        inertia = sum(m * swing[f"{b}.a{axis}"] for m, b in zip(LENGTHS, ("crank", "coupler", "rocker"), strict=False))
        np.testing.assert_allclose(swing[channel], -inertia, atol=1e-10)
    _, moment = on_ground(swing)
    np.testing.assert_allclose(swing.shaking(weight=True).moment[:, 0], moment, atol=1e-8)
    np.testing.assert_allclose(swing["shaking.force"], np.hypot(swing["shaking.fx"], swing["shaking.fy"]), rtol=1e-12)


def test_shaking_about_another_point(run: jd.Kinematics) -> None:
    there, origin = run.shaking(about=(3.2, 0.5)), run.shaking()
    np.testing.assert_allclose(there.force, origin.force)
    shift = 3.2 * origin.force[:, 1] - 0.5 * origin.force[:, 0]
    np.testing.assert_allclose(there.moment[:, 0], origin.moment[:, 0] - shift, atol=1e-9)
    with pytest.raises(ValueError, match=r"about is \(1, 2, 3\); expected a point of the ground, 2 numbers"):
        run.shaking(about=(1, 2, 3))


def test_shaking_in_space_with_mass_centres_off_the_origins() -> None:
    m = jd.Mechanism("rotor", space="spatial", gravity=(0, 0, -9.81))
    body = m.body(
        "rotor",
        mass=2,
        inertia=(0.3, 0.2, 0.4, 0.05, 0.02, -0.03),
        centre=(0.1, 0.02, 0.3),
        position=(0, 0, 0),
        bryan=(0, 0, 0),
        points={"O": {"at": (0, 0, 0), "axis": (0.2, 0.1, 1)}},
    )
    m.revolute("O", m.ground.point("O", (0.5, 0.2, 0), axis=(0.2, 0.1, 1)), body["O"])
    found = jd.kinematics(m, "O", speed=7, points=25)
    reaction = found.reactions["O"]
    axis = np.array([0.2, 0.1, 1]) / np.linalg.norm([0.2, 0.1, 1])
    felt = reaction.on_first_moment - found["drive.torque"][:, None] * axis
    about = found.shaking(about=(0.5, 0.2, 0), weight=True)
    np.testing.assert_allclose(about.force, reaction.on_first_force, atol=1e-10)
    np.testing.assert_allclose(about.moment, felt, atol=1e-10)
    assert found.unit("shaking.moment") == "N m"


def test_transmission_angle_of_a_four_bar(run: jd.Kinematics) -> None:
    """cos mu by the law of cosines in the triangle BCD."""
    B, _, _, _ = pins(run["A.angle"], *LENGTHS)
    _, b, c, d = LENGTHS
    cosine = (b**2 + c**2 - np.abs(d - B) ** 2) / (2 * b * c)
    np.testing.assert_allclose(run["C.transmission"], np.arccos(cosine), atol=1e-12)
    np.testing.assert_allclose(run.transmission_angle("C", between=("B", "D")), run["C.transmission"])
    assert run.unit("C.transmission") == "rad"
    assert "transmits  C 46.05 to 99.17 deg" in str(run)
    with pytest.raises(KeyError, match="joint 'A' is no pin between two links that each have one other pin or slide"):
        run.transmission_angle("A")


def test_shafts_with_universal_joints_have_no_transmission_angle() -> None:
    """Their joints lie on the axes about which the shafts turn, and move nowhere."""
    m = jd.example("universal_shaft").frozen()
    assert [links_at(m, joint) for joint in m.joints] == [None] * len(m.joints)


def test_transmission_angles_of_slides_and_in_space() -> None:
    found = jd.kinematics(jd.example("slider_crank"), "A", points=37)
    rod = np.array([found[f"rod.C.{k}"] - found[f"rod.B.{k}"] for k in "xy"])
    sine = np.abs(rod[0]) / np.hypot(*rod)  # the slide is along x
    np.testing.assert_allclose(np.sin(found["C.transmission"]), sine, atol=1e-12)
    space = jd.kinematics(jd.example("rssr"), "motor", points=37)
    u = np.array([space[f"coupler.A.{k}"] - space[f"coupler.B.{k}"] for k in "xyz"])
    v = np.array([np.cos(space["Q.angle"]), 0 * space.t, -np.sin(space["Q.angle"])])
    sine = np.abs(np.sum(u * v, axis=0)) / np.linalg.norm(u, axis=0)
    np.testing.assert_allclose(np.sin(space["B.transmission"]), sine, atol=1e-12)


def test_velocity_ratios_as_channels(run: jd.Kinematics, tmp_path) -> None:
    _, w3, _, _ = rates(run["A.angle"], 5.0, *LENGTHS)
    np.testing.assert_allclose(run["rocker.spin/crank.spin"], w3 / 5.0, atol=1e-11)
    np.testing.assert_allclose(run.ratio("rocker.spin", "crank.spin"), w3 / 5.0, atol=1e-11)
    assert run.unit("rocker.spin/crank.spin") == ""
    assert run.unit("coupler.vx/crank.spin") == "(m/s)/(rad/s)"
    assert np.isnan(run.ratio("crank.spin", "coupler.C.vy")).sum() == 0
    with pytest.raises(KeyError, match=r"no channel 'rocker\.spn'"):
        run["rocker.spn/crank.spin"]
    run.to_csv(tmp_path / "ratio.csv", channels=["rocker.spin/crank.spin"])
    assert (tmp_path / "ratio.csv").read_text().startswith("t,rocker.spin/crank.spin")


def test_maxima_with_places_means_and_rms(run: jd.Kinematics) -> None:
    table = run.maxima("drive.torque", "drive.power", "C.load", "crank.B.x")
    x = table["crank.B.x"]
    assert (x.largest, x.smallest, x.unit) == (pytest.approx(1.0), pytest.approx(-1.0), "m")
    assert math.degrees(x.smallest_at) == pytest.approx(180.0)
    assert x.mean == pytest.approx(0.0, abs=1e-12)
    assert x.rms == pytest.approx(math.sqrt(0.5))
    assert x.peak == pytest.approx(1.0)
    torque = table["drive.torque"]
    assert torque.largest == run["drive.torque"].max()
    assert torque.mean == pytest.approx(0.0, abs=1e-9)  # no work is lost in a turn
    assert table["drive.power"].largest == pytest.approx(5 * torque.largest)
    load = np.linalg.norm(run.reactions["C"].force, axis=1)
    assert table["C.load"].largest == pytest.approx(load.max())
    lines = str(table).splitlines()
    head = "channel unit largest at A.angle (deg) smallest at A.angle (deg) mean RMS"
    assert " ".join(lines[0].split()) == head
    assert lines[4].split() == ["crank.B.x", "m", "1", "0", "-1", "180", "0", "0.70711"]
    usual = ["drive.torque", "drive.power", *(f"{joint}.load" for joint in "ABCD"), "shaking.mz", "shaking.force"]
    assert [row.channel for row in run.maxima().rows] == usual
    with pytest.raises(KeyError, match="no channel 'nothing'"):
        run.maxima("nothing")
    with pytest.raises(KeyError, match=r"no channel 'A\.load' in this table"):
        table["A.load"]


def test_maxima_of_a_simulation_are_told_by_time(swing: jd.Solution) -> None:
    table = swing.maxima()
    assert table.against == "t"
    row = table["B.load"]
    assert row.largest == swing["B.load"].max()
    assert row.largest_at == swing.t[np.argmax(swing["B.load"])]
    assert {r["channel"] for r in table.as_dicts()} >= {"shaking.force", "A.load"}


def test_maxima_of_a_table_alone(run: jd.Kinematics, tmp_path) -> None:
    run.to_csv(tmp_path / "run.csv")
    table = jd.load_results(tmp_path / "run.csv").maxima()
    assert [row.channel for row in table.rows] == [
        "A.load",
        "B.load",
        "C.load",
        "D.load",
        "shaking.mz",
        "shaking.force",
    ]


def test_polar_plots_and_paths(run: jd.Kinematics) -> None:
    line = run.plot_polar("B").axes[0].lines[0]
    force = run["B.fx"] + 1j * run["B.fy"]
    angle, radius = line.get_data()
    np.testing.assert_allclose(radius * np.exp(1j * np.asarray(angle)), force, atol=1e-9)
    turned = run.plot_polar("B", axes="first").axes[0].lines[0].get_data()
    in_crank = force * np.exp(-1j * run["crank.angle"])
    np.testing.assert_allclose(turned[1] * np.exp(1j * np.asarray(turned[0])), in_crank, atol=1e-9)
    path = run.plot_path("coupler.C").axes[0].lines[0].get_data()
    np.testing.assert_allclose(path[0] + 1j * path[1], pins(run["A.angle"], *LENGTHS)[1], atol=1e-12)
    assert run.plot("shaking", against="A.angle").axes
    with pytest.raises(jd.PictureError, match=r"no joint 'b'; known: A, B, C, D .*; axes is 'own'; expected fixed"):
        run.plot_polar("b", axes="own")
    with pytest.raises(jd.PictureError, match="no point to plot"):
        run.plot_path()


def test_pictures_of_spatial_machines() -> None:
    space = jd.kinematics(jd.example("rssr"), "motor", points=13)
    assert space.plot_path("rocker.B").axes[0].name == "3d"
    assert space.plot_polar("A", plane="xz").axes
    with pytest.raises(jd.PictureError, match="axes of bodies are for the plane"):
        space.plot_polar("A", axes="first")


def test_a_body_may_be_called_shaking() -> None:
    m = jd.Mechanism("table")
    body = m.body("shaking", mass=1, inertia=1, position=(0, 0), points={"P": (0, 0)})
    m.prismatic("rail", m.ground.point("O", (0, 0)), body["P"])
    found = jd.kinematics(m, "rail", to=1.0, points=3)
    assert "shaking.force" not in found.channels
    np.testing.assert_allclose(found["shaking.x"], [0, 0.5, 1.0], atol=1e-13)
