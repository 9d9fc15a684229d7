"""Pictures: every symbol can be drawn, axes say what they show, mistakes are named. How they look, people judge."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import jourdain as jd
import machines
from jourdain.plotting import drawing_spatial
from jourdain.plotting.figures import draw_mechanism, plot_channels
from jourdain.plotting.scene import Scene


def every_planar_symbol() -> jd.Mechanism:
    """One machine with each joint of the plane, springs, a damper alone, and a ground point that nothing uses."""
    m = jd.Mechanism("planar symbols", gravity=(0, -9.81))
    O, wall = m.ground.point("O", (0, 0)), m.ground.point("wall", (1, 1))
    m.ground.point("unused", (2, 0.5))
    plate = m.body(
        "plate", mass=1, inertia=0.1, position=(0.5, 0), points={"P": (-0.5, 0), "Q": (0.5, 0), "R": (0, 0.3)}
    )
    arm = m.body("arm", mass=1, inertia=0.1, position=(1.5, 0), points={"P": (-0.5, 0), "Q": (0.5, 0)})
    bob = m.body("bob", mass=1, inertia=0.1, position=(1, -1), points={"P": (0, 0)})
    block = m.body("block", mass=1, inertia=0.1, position=(3, 0), points={"P": (0, 0)})
    bead = m.body("bead", mass=1, inertia=0.1, position=(3, 1), points={"P": (0, 0)})
    m.revolute("pin", O, plate["P"])
    m.weld("weld", plate["Q"], arm["P"])
    m.distance("rod", arm["Q"], bob["P"], length=math.sqrt(2))
    m.custom("mine", m.ground.point("E", (1, -1)), bob["P"], equations=["dot(N - M, x_i)"])
    m.prismatic("guide", O, block["P"])
    m.point_on_line("line", block["P"], bead.point("C", (0, -1)))
    m.parallel("level", O, bob["P"])
    m.spring_damper("spring", wall, plate["R"], stiffness=10, damping=1, length=0.5)
    m.spring_damper("damper", bead["P"], m.ground["wall"], damping=3)
    return m


def every_spatial_symbol() -> jd.Mechanism:
    """Free bodies in a row, each joined to the ground in another way; one is a solid of four points."""
    m = jd.Mechanism("spatial symbols", gravity=(0, 0, -9.81))
    types = ("spherical", "revolute", "universal", "cylindrical", "prismatic", "weld", "point-on-line", "planar")
    for k, joint_type in enumerate(types):
        name = joint_type.replace("-", "_")
        second_axis = (0, 1, 0) if joint_type == "universal" else (0, 0, 1)
        points = {"A": {"at": (-0.2, 0, 0), "axis": second_axis}, "B": (0.2, 0, 0), "C": (0, 0.1, 0), "D": (0, 0, 0.1)}
        body = m.body(f"{name}_body", mass=1, inertia=(0.01, 0.02, 0.02), position=(0.2, k, 0), points=points)
        m.joint(joint_type, name, m.ground.point(f"G{k}", (0, k, 0), axis=(0, 0, 1)), body["A"])
    last = m["weld_body"]
    m.distance("rod", m["spherical_body"]["B"], m["revolute_body"]["B"], length=1.0)
    m.spring_damper("spring", m["cylindrical_body"]["B"], last["B"], stiffness=5, length=2)
    m.body("lone", mass=1, inertia=(0.1, 0.1, 0.1), position=(1, 1, 1))
    return m


def every_planar_component() -> jd.Mechanism:
    """Forces between points, and round things."""
    m = jd.Mechanism("planar components", gravity=(0, -9.81))
    wall = m.ground.point("wall", (0, 2))
    builders = (
        lambda *p: m.spring("nonlinear", *p, force="10*(length - 1)"),
        lambda *p: m.rope("tight", *p, length=0.5, stiffness=100),
        lambda *p: m.rope("slack", *p, length=50, stiffness=100),
        lambda *p: m.stop("end", *p, below=0.1, stiffness=100),
        lambda *p: m.bushing("rubber", *p, stiffness=(10, 10, 1)),
        lambda *p: m.hydraulic_cylinder(
            "jack", *p, areas=(1e-4, 1e-4), volumes=(1, 1), pressures=(0, 0), bulk_modulus=1e5, flows=(0, 0)
        ),
    )
    for k, build in enumerate(builders):
        bob = m.body(f"bob{k}", mass=1, inertia=0.1, position=(k, 0.5), points={"P": (0, 0)})
        build(wall, bob["P"])
    for k in range(4):
        wheel = m.body(f"wheel{k}", mass=1, inertia=0.1, position=(k, -1), points={"O": (0, 0)})
        m.revolute(f"W{k}", m.ground.point(f"W{k}", (k, -1)), wheel["O"])
    m.gear("outer", joints=("W0", "W1"), teeth=(20, 40))
    m.gear("inner", joints=("W1", "W2"), ratio=3)
    m.belt("belt", joints=("W2", "W3"), radii=(0.1, 0.3))
    m.gear("same_axis", joints=("W0", "W3"), ratio=1)
    rack = m.body("rack", mass=1, inertia=0.1, position=(0, -2), points={"P": (0, 0)})
    m.prismatic("S", m.ground.point("S", (0, -2)), rack["P"])
    m.rack_and_pinion("mesh", joints=("W0", "S"), radius=0.2)
    disc = m.body("disc", mass=1, inertia=0.1, position=(5, -0.7), velocity=(1, 0), points={"C": (0, 0)})
    m.rolling_disc("roll", m.ground.point("floor", (4, -1)), disc["C"], radius=0.3)
    sled = m.body("sled", mass=1, inertia=0.1, position=(6, 0), points={"E": (0, 0)})
    m.knife_edge("edge", m.ground["floor"], sled["E"])
    m.wheel("castor", disc["C"], sled.point("F", (0.2, 0)))
    return m


def every_spatial_component() -> jd.Mechanism:
    m = jd.Mechanism("spatial components", gravity=(0, 0, -9.81))
    wall = m.ground.point("wall", (0, 0, 2))
    oil = {"areas": (1e-4, 1e-4), "volumes": (1, 1), "pressures": (0, 0), "bulk_modulus": 1e5, "flows": (0, 0)}
    builders = (
        lambda *p: m.spring("nonlinear", *p, force="10*(length - 1)"),
        lambda *p: m.rope("tight", *p, length=0.5, stiffness=100),
        lambda *p: m.rope("slack", *p, length=50, stiffness=100),
        lambda *p: m.stop("end", *p, below=0.1, stiffness=100),
        lambda *p: m.bushing("rubber", *p, stiffness=(10, 10, 10, 1, 1, 1)),
        lambda *p: m.hydraulic_cylinder("jack", *p, **oil),
    )
    for k, build in enumerate(builders):
        bob = m.body(f"bob{k}", mass=1, inertia=(0.1, 0.1, 0.1), position=(k, 0, 0.5), points={"P": (0, 0, 0)})
        build(wall, bob["P"])
    points = {"C": {"at": (0, 0, 0), "axis": (0, 1, 0)}}
    disc = m.body("disc", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 2, 0.3), velocity=(1, 0, 0), points=points)
    m.rolling_disc("roll", m.ground.point("floor", (0, 0, 0)), disc["C"], radius=0.3)
    for k, kind in enumerate(("screw", "knife-edge", "wheel")):
        body = m.body(f"part{k}", mass=1, inertia=(0.1, 0.1, 0.1), position=(k, 3, 0), points={"P": (0, 0, 0)})
        values = {"pitch": 0.1} if kind == "screw" else None
        m.joint(kind, f"joint{k}", m.ground.point(f"G{k}", (k, 3, 0)), body["P"], values=values)
    return m


SYMBOLS = [every_planar_symbol, every_spatial_symbol, every_planar_component, every_spatial_component]


@pytest.mark.parametrize("build", SYMBOLS)
def test_every_symbol_is_drawn_at_one_and_at_several_samples(build, tmp_path: Path) -> None:
    run = jd.simulate(build(), 0.05)
    planar = run.model.blueprint.space == "planar"  # every way to say where, in the plane or in space
    for index in (0, [0, 100, -1]) if planar else (-1, np.array([5, 10])):
        path = tmp_path / "picture.png"
        figure = run.draw(index, path=path)
        assert path.stat().st_size > 10_000
        assert figure.axes[0].get_title(loc="left").startswith(run.name)
        path.unlink()


def test_planar_drawing_has_equal_axes_and_holds_all_points() -> None:
    run = jd.simulate(machines.four_bar(), 1.0)
    axes = run.draw([0, 100]).axes[0]
    assert axes.get_aspect() == 1.0
    for k in (0, 100):
        for name in ("crank.A", "crank.B", "coupler.C", "rocker.D"):
            x, y = run[f"{name}.x"][k], run[f"{name}.y"][k]
            assert axes.get_xlim()[0] < x < axes.get_xlim()[1]
            assert axes.get_ylim()[0] < y < axes.get_ylim()[1]


def test_pitch_circles_touch_and_lie_inside_the_drawing() -> None:
    run = jd.simulate(every_planar_component(), 0.05)
    scene = Scene(run, 0)
    radii = {}
    for circle in scene.circles(0):
        radii.setdefault(circle.body, []).append(float(np.linalg.norm(circle.u)))
    assert radii["wheel0"] == pytest.approx([1 / 3, 0.2])  # gear with wheel1, pinion of the rack
    assert radii["wheel1"] == pytest.approx([2 / 3, 0.5])
    assert radii["wheel2"] == pytest.approx([1.5, 0.1])
    assert radii["wheel3"] == pytest.approx([0.3])
    assert radii["disc"] == pytest.approx([0.3])
    low, high = scene.bounds()
    assert low[1] <= -1 - 1.5
    assert high[0] >= 2 + 1.5


def test_a_stop_beside_a_spring_is_not_drawn_over_it() -> None:
    m = jd.Mechanism("both")
    bob = m.body("bob", mass=1, inertia=0.1, position=(1, 0), points={"P": (0, 0)})
    ends = (m.ground.point("O", (0, 0)), bob["P"])
    m.spring_damper("spring", *ends, stiffness=10, length=1)
    m.stop("end", *ends, below=0.5, stiffness=100)
    assert [link.name for link in Scene(jd.simulate(m, 0.1), 0).links] == ["spring"]


def test_drawing_goes_into_an_axes_of_the_user() -> None:
    figure = Figure()
    axes = figure.subplots()
    assert draw_mechanism(jd.simulate(machines.four_bar(), 0.1), axes=axes) is figure


@pytest.mark.parametrize("index", [1000, -1000])
def test_a_sample_that_does_not_exist_is_named(index: int) -> None:
    run = jd.simulate(machines.four_bar(), 0.1)
    with pytest.raises(IndexError, match=f"no sample {index}; the run has 201, numbered 0 to 200"):
        run.draw(index)
    with pytest.raises(ValueError, match="index is empty"):
        run.draw([])


def test_channels_are_grouped_by_quantity() -> None:
    run = jd.simulate(machines.slider_crank(), 0.5)
    names = ["slider.x", "crank.angle", "rod.x", "guide.speed", "A.speed", "A.fx", "guide.mz", "crank.spin_rate"]
    figure = plot_channels(
        run, [*names, "spring.length", "spring.force", "energy.total", "violation.velocity", "rod.ax"]
    )
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "position (m)",
        "crank.angle (rad)",
        "guide.speed (m/s)",
        "A.speed (rad/s)",
        "force (N)",
        "guide.mz (N m)",
        "crank.spin_rate (rad/s²)",
        "spring.length (m)",
        "energy.total (J)",
        "violation.velocity (m/s or rad/s)",
        "rod.ax (m/s²)",
    ]
    assert figure.axes[-1].get_xlabel() == "t (s)"
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["slider.x", "rod.x"]


def geared_motor() -> jd.Mechanism:
    """Components with channels and states of their own."""
    m = jd.Mechanism("geared motor")
    for name, x in (("A", 0.0), ("B", 0.4)):
        wheel = m.body(f"wheel_{name}", mass=1, inertia=0.1, position=(x, 0), points={"O": (0, 0)})
        m.revolute(name, m.ground.point(name, (x, 0)), wheel["O"])
    m.gear("mesh", joints=("A", "B"), teeth=(20, 60))
    m.dc_motor("motor", joint="A", voltage="lag.output", resistance=1, inductance=0.01, constant=0.1)
    m.first_order("lag", input=12, time_constant=0.1)
    return m


@pytest.mark.parametrize("build", [machines.four_bar, machines.spatial_four_bar, geared_motor])
def test_every_channel_can_be_plotted(build) -> None:
    run = jd.simulate(build(), 0.1)
    assert plot_channels(run, run.channels).axes


def test_channels_of_components_have_units() -> None:
    run = jd.simulate(geared_motor(), 0.1)
    names = ["motor.current", "motor.voltage", "motor.power", "motor.torque", "mesh.on_first", "lag.output"]
    labels = [axes.get_ylabel() for axes in plot_channels(run, names).axes]
    assert labels == ["motor.current (A)", "motor.voltage (V)", "motor.power (W)", "moment (N m)", "lag.output"]


def test_mistyped_and_missing_channels_are_named() -> None:
    run = jd.simulate(machines.four_bar(), 0.1)
    with pytest.raises(KeyError, match=r"no channel 'coupler\.xx'"):
        run.plot("coupler.xx")
    with pytest.raises(ValueError, match="no channel to plot"):
        run.plot()


def test_pictures_need_no_pyplot() -> None:
    code = (
        "import sys, jourdain as jd, machines\n"
        "run = jd.simulate(machines.four_bar(), 0.1)\n"
        "assert 'matplotlib' not in sys.modules\n"
        "run.plot('coupler.x'), run.draw()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_one_channel_against_another_has_both_units() -> None:
    run = jd.simulate(machines.slider_crank(), 0.5)
    axes = run.plot("slider.x", "A.fx", against="crank.angle").axes
    assert [ax.get_ylabel() for ax in axes] == ["slider.x (m)", "A.fx (N)"]
    assert axes[-1].get_xlabel() == "crank.angle (rad)"
    line = axes[0].lines[0]
    assert np.array_equal(line.get_xdata(), run["crank.angle"])
    assert np.array_equal(line.get_ydata(), run["slider.x"])
    path = run.plot("rod.y", against="rod.x").axes[0]
    assert path.get_aspect() == 1.0  # places against places are a path, seen as it is


def test_energies_violations_and_reactions_by_one_word() -> None:
    run = jd.simulate(machines.slider_crank(), 0.5)
    axes = run.plot("energy", "A", "violation").axes
    names = [[line.get_label() for line in ax.lines] for ax in axes]
    assert names[0] == [f"energy.{part}" for part in ("kinetic", "potential", "dissipated", "driven", "total")]
    assert names[1] == ["A.fx", "A.fy"]
    kinds = ("position", "velocity")
    assert names[2:] == [[f"violation.{kind}", f"violation.{kind}_norm"] for kind in kinds]


def test_places_of_bodies_and_points_by_one_word() -> None:
    run = jd.simulate(machines.slider_crank(), 0.5)
    (axes,) = run.plot("slider", "rod.B").axes
    assert [line.get_label() for line in axes.lines] == ["slider.x", "slider.y", "rod.B.x", "rod.B.y"]


def test_polar_plots_take_an_angle() -> None:
    run = jd.simulate(machines.slider_crank(), 0.5)
    axes = run.plot("A.fx", "A.fy", against="crank.angle", polar=True).axes[0]
    assert axes.name == "polar"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["A.fx (N)", "A.fy (N)"]
    for against, found in ((None, "nothing"), ("slider.x", "'slider.x' in m")):
        with pytest.raises(ValueError, match=f"needs against= a channel that is an angle; found {found}"):
            run.plot("A.fx", against=against, polar=True)
    with pytest.raises(KeyError, match=r"no channel 'crank\.angel'"):
        run.plot("A.fx", against="crank.angel")


def test_paths_of_points_are_drawn_and_fit_into_the_drawing(tmp_path: Path) -> None:
    run = jd.simulate(machines.four_bar(), 1.0)
    axes = run.draw(0, traces=["coupler.C"]).axes[0]
    path = next(line for line in axes.lines if len(line.get_xdata()) == len(run.t))
    assert np.array_equal(path.get_ydata(), run["coupler.C.y"])
    assert axes.get_ylim()[0] < run["coupler.C.y"].min()
    with pytest.raises(KeyError, match=r"there is no point 'coupler\.Q' to trace"):
        run.draw(0, traces=["coupler.Q"])


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_drawings_are_saved_in_every_kind(suffix: str, tmp_path: Path) -> None:
    marks = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    jd.simulate(machines.four_bar(), 0.1).draw(path=tmp_path / f"a{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes().startswith(marks[suffix])


@pytest.mark.parametrize("near", ["first", "second"])
def test_in_space_what_is_nearer_is_drawn_over_what_is_behind(near: str) -> None:
    """Two balls one behind the other as seen: the nearer one's faces come later, in whatever order they are given."""
    m = jd.Mechanism("two balls", space="spatial")
    for name in ("first", "second"):
        m.body(name, mass=1, shape={"sphere": 0.1}, position=(0, -1 if name == near else 1, 0))
    run = jd.simulate(m, times=[0.0])
    room = drawing_spatial.begin(Scene(run, 0), Figure().add_subplot(projection="3d"))
    room.ax.view_init(elev=0, azim=-90)
    drawing_spatial.draw_moving(room, Scene(run, 0))
    first, second = (np.mean(made.get_facecolor(), axis=0) for made in room.made if hasattr(made, "set_sort_zpos"))
    blue_last = second[2] > second[0]  # the palette begins with blue and orange
    assert blue_last == (near == "first")
    assert (first[2] > first[0]) != blue_last
