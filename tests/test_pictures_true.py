"""What pictures show of a machine: wheels, parts that are switched off, supports, names of axes; and modes in words."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import jourdain as jd
from jourdain.files import gallery
from jourdain.plotting.drawing_planar import hangs, over_rail
from jourdain.plotting.figures import draw_mechanism
from jourdain.plotting.film import Film
from jourdain.plotting.scene import Scene
from jourdain.plotting.symbols import FADED


def flywheel() -> jd.Mechanism:
    m = jd.Mechanism("flywheel", gravity=(0, -9.81))
    wheel = m.body("wheel", mass=10, inertia=0.05, position=(0, 0), points={"O": (0, 0)}, spin=5)
    arm = m.body("arm", mass=1, inertia=0.1, position=(1, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), wheel["O"])
    m.revolute("A", m.ground.point("A", (0.5, 0)), arm["A"])
    m.revolute("latch", m.ground.point("B", (1.5, 0)), arm["B"])
    m.spring_damper("spring", m.ground["O"], arm["B"], stiffness=1.0, length=1.5)
    m.switch_off("spring")
    m.event("go", "t - 0.5", off=["latch"], on=["spring"])
    return m


@cache
def latched() -> jd.Solution:
    return jd.simulate(flywheel(), 1.0, every=0.02)


# Wheels ---------------------------------------------------------------------------------------------------------------


def test_a_body_with_one_point_is_drawn_as_the_wheel_of_its_inertia() -> None:
    form = Scene(latched(), 0).forms["wheel"]
    radius = np.linalg.norm(form.faces[0], axis=1)
    assert radius == pytest.approx(np.full(len(radius), np.sqrt(2 * 0.05 / 10)))
    assert len(form.spokes) == 1  # it is seen to turn


def test_wheels_in_space_lie_across_their_axis() -> None:
    m = jd.Mechanism("rotor", gravity=(0, 0, -9.81))
    rotor = m.body("rotor", mass=2, inertia=(0.02, 0.01, 0.01), position=(0, 0, 1), points={"O": {"at": (0, 0, 0)}})
    ball = m.body("ball", mass=2, inertia=(0.01, 0.01, 0.01), position=(1, 0, 1), points={"O": {"at": (0, 0, 0)}})
    m.spherical("rotor_pin", m.ground.point("R", (0, 0, 1)), rotor["O"])
    m.spherical("ball_pin", m.ground.point("B", (1, 0, 1)), ball["O"])
    forms = Scene(jd.simulate(m, 0.01), 0).forms
    assert np.ptp(forms["rotor"].points(3)[:, 0]) < 0.2 * np.ptp(forms["rotor"].points(3)[:, 1])
    assert np.ptp(forms["ball"].points(3), axis=0) == pytest.approx(2 * np.sqrt(2.5 * 0.01 / 2) * np.ones(3), rel=0.1)


def test_the_mark_of_a_disc_is_drawn_on_the_face_that_is_seen() -> None:
    m = jd.Mechanism("disc", gravity=(0, 0, -9.81))
    disc = m.body("disc", mass=1, shape={"disc": (0.5, 0.05)}, points={"P": (0, 0, 0)})
    m.spherical("pin", m.ground.point("O", (0, 0, 0)), disc["P"])
    run = jd.simulate(m, 0.01)
    assert len(Scene(run, 0).forms["disc"].spokes) == 2  # one a face
    figure = run.draw(0)
    marks = [line for line in figure.axes[0].lines if np.hypot(*np.ptp(line.get_data_3d(), axis=1)[:2]) > 0.499]
    assert [np.mean(line.get_data_3d()[2]) > 0 for line in marks] == [True]  # seen from above


def test_points_of_mass_and_blocks_are_no_wheels() -> None:
    m = jd.Mechanism("block")
    bob = m.body("bob", mass=1, inertia=0, position=(0, 1), points={"P": (0, 0)})
    block = m.body("block", mass=1, inertia=1, points={"P": (0, 0)})
    m.distance("rod", m.ground.point("O", (0, 0)), bob["P"], length=1)
    m.prismatic("guide", m.ground["O"], block["P"])
    forms = Scene(jd.simulate(m, 0.1), 0).forms
    assert not forms["bob"].faces and not forms["block"].faces


# Switched off ---------------------------------------------------------------------------------------------------------


def test_events_switch_parts_in_pictures() -> None:
    scene = Scene(latched(), 0)
    assert scene.off(0) == {"spring"}
    assert scene.off(len(scene.run.t) - 1) == {"latch"}
    film = Scene(Film(latched(), np.array([0.0, 0.49, 0.51])), 0)
    assert [film.off(k) for k in range(3)] == [{"spring"}, {"spring"}, {"latch"}]


def test_switched_off_parts_are_pale(tmp_path: Path) -> None:
    def pale(index: int) -> int:
        ax = draw_mechanism(latched(), index).axes[0]
        return sum(artist.get_alpha() == FADED for artist in (*ax.lines, *ax.patches))

    assert pale(0) >= 2  # a zigzag and its ends
    assert pale(-1) == 1  # a pin
    path = latched().animate(tmp_path / "latch.html")
    data = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)[1])
    assert data["switches"] == [[0.0, ["spring"]], [pytest.approx(0.5), ["latch"]]]


# Supports -------------------------------------------------------------------------------------------------------------


def engine(start: float) -> jd.Solution:
    """A slider-crank whose crank points down when it is drawn."""
    m = jd.Mechanism("engine", gravity=(0, -9.81))
    b = 0.05 * np.array([np.cos(start), np.sin(start)])
    x = b[0] + np.sqrt(0.2**2 - b[1] ** 2)
    crank = m.body("crank", mass=1, inertia=1, position=(0, 0), angle=start, points={"O": (0, 0), "A": (0.05, 0)})
    rod = m.body("rod", mass=1, inertia=1, points={"A": (0, 0), "B": (0.2, 0)})
    piston = m.body("piston", mass=1, inertia=1, position=(x, 0), points={"B": (0, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), crank["O"])
    m.revolute("A", crank["A"], rod["A"])
    m.revolute("B", rod["B"], piston["B"])
    m.prismatic("guide", m.ground["O"], piston["B"])
    return jd.simulate(m, times=[0.0])


@pytest.mark.parametrize("start", [-1.6, -1.0, 0.5, 1.6])
def test_a_crank_that_points_down_stands_on_the_floor(start: float) -> None:
    scene = Scene(engine(start), 0)
    assert not hangs(scene, "O", scene.up())


def test_what_hangs_hangs_from_a_ceiling() -> None:
    for name in ("four_bar", "pendulum", "double_pendulum"):
        scene = Scene(jd.simulate(jd.load(gallery.path(name)), 1.0), 0)
        assert all(hangs(scene, joint.first.point, scene.up()) for joint in scene.blueprint.joints[:1])


# Axes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["universal_shaft", "rssr", "bricard", "stewart_platform"])
def test_names_of_axes_stand_beside_their_numbers(name: str) -> None:
    figure = jd.simulate(jd.load(gallery.path(name)), times=[0.0]).draw()
    FigureCanvasAgg(figure).draw()
    ax: Any = figure.axes[0]
    axes = (ax.xaxis, ax.yaxis, ax.zaxis)
    numbers = []
    for axis in axes:
        low, high = axis.get_view_interval()
        numbers += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    numbers = [label.get_window_extent() for label in numbers]
    names = [axis.label.get_window_extent() for axis in axes]
    for k, box in enumerate(names):
        assert not any(box.overlaps(other) for other in (*numbers, *names[:k]))


# Modes ----------------------------------------------------------------------------------------------------------------


def chain(n: int, damping: float = 0.0) -> jd.Mechanism:
    m = jd.Mechanism("row", gravity=(0, 0))
    before = m.ground.point("O", (0, 0))
    for k in range(n):
        block = m.body(f"b{k}", mass=1, inertia=1, position=(k + 1, 0), angle=0, points={"P": (0, 0)})
        m.prismatic(f"guide{k}", m.ground["O"], block["P"])
        m.spring_damper(f"s{k}", before, block["P"], stiffness=100.0, damping=damping, length=1.0)
        before = block["P"]
    return m


@pytest.mark.parametrize(
    "machine", [lambda: chain(3), lambda: chain(8), lambda: chain(1, 100.0), lambda: chain(3, 90.0)]
)
def test_no_two_modes_are_told_in_the_same_words(machine: Any) -> None:
    words = [mode.words for mode in jd.modes(machine())]
    assert len(set(words)) == len(words)


def test_a_body_that_bounces_and_pitches_is_told_by_where_it_turns_about() -> None:
    """Poles of a bar on two springs: the product of their distances from the mass centre is I/m, on either side."""
    m = jd.Mechanism("car", gravity=(0, -9.81))
    car = m.body("car", mass=2, inertia=1, position=(0, 1), angle=0, points={"F": (1, 0), "R": (-1, 0)})
    for name, x, stiffness in (("F", 1, 1000), ("R", -1, 3000)):
        m.spring_damper(name, m.ground.point(name, (x, 0)), car[name], stiffness=stiffness, length=1)
    m.point_on_line("upright", m.ground.point("O", (0, 0), angle=np.pi / 2), car.point("G", (0, 0)))
    words = [mode.words for mode in jd.modes(m)]
    poles = [re.fullmatch(r"car turns and moves \(about \((.*), (.*)\)\)", text) for text in words]
    x = [float(pole[1]) for pole in poles if pole]
    assert x[0] * x[1] == pytest.approx(-0.5, rel=0.02)


# Curves -------------------------------------------------------------------------------------------------------------


def test_curves_through_too_few_samples_show_their_samples() -> None:
    m = jd.example("slider_crank")
    m.motion("motor", joint="A", angle="45 deg + 1500 rpm*t")
    for every, marked in ((0.02, True), (5e-4, False)):
        run = jd.simulate(m, 0.08, every=every)
        polar = run.plot("A.load", against="A.angle", polar=True)
        for figure in (run.plot("motor.torque"), run.plot("motor.torque", units="ms"), polar, run.plot_polar("A")):
            (line,) = figure.axes[0].lines
            assert (line.get_marker() == "o") is marked
            assert ("known at dots only" in words(figure)) is marked


def test_paths_are_smooth_however_few_samples_there_are() -> None:
    """The pin of a crank of 4 m goes in a circle: six samples a turn are no hexagon."""
    m = jd.example("slider_crank")
    m.motion("motor", joint="A", angle="45 deg + 600 rpm*t")
    run = jd.simulate(m, 0.1, every=1 / 60)
    for figure in (run.plot_path("crank.B"), run.draw(traces=["crank.B"])):
        paths = [np.column_stack(line.get_data()) for line in figure.axes[0].lines if len(line.get_xdata()) > 20]
        assert any(np.allclose(np.linalg.norm(path, axis=1), 4, rtol=1e-3) for path in paths)


def words(figure: Any) -> str:
    ax = figure.axes[0]
    return f"{ax.get_title('right')} {ax.get_xlabel()}"


def test_numbers_of_a_polar_plot_stand_where_no_curve_is() -> None:
    run = jd.kinematics(jd.load(gallery.path("slider_crank")), "A", speed="1500 rpm")
    (ax,) = run.plot_polar("A", "B").axes
    low, high = ax.get_ylim()
    assert 1 <= sum(low < tick <= high for tick in ax.get_yticks()) <= 5
    direction = np.radians(ax.get_rlabel_position())
    for joint in ("A", "B"):
        force = run[f"{joint}.fx"] + 1j * run[f"{joint}.fy"]
        beside = np.abs(np.angle(force * np.exp(-1j * direction))) < np.radians(5)
        assert not beside.any() or np.abs(force[beside]).max() < 0.5 * np.abs(force).max()


def test_names_of_joints_that_would_cover_each_other_share_a_text() -> None:
    """Two four-bars, nearly folded: pins a hundredth of the picture apart."""
    run = jd.simulate(jd.example("n_four_bar"), 0.72)
    figure = run.draw()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts]
    assert sorted(name for text in texts for name in text.get_text().split(", ")) == sorted(
        joint.name for joint in run.blueprint.joints
    )
    for k, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[:k]), texts[k]


# In a notebook ------------------------------------------------------------------------------------------------------


def test_the_notebook_shows_what_it_says() -> None:
    """Cell by cell as a notebook does it: what the last line of a cell gives is shown."""
    notebook = json.loads((Path(__file__).parent.parent / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    shown: list[Any] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            lines = [line for line in "".join(cell["source"]).splitlines() if not line.startswith("%")]
            tree = ast.parse("\n".join(lines))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
    run, moving, curves, table, _, mode, study = shown
    assert "completed to t = 0.08 s" in run._repr_html_()
    for page in (moving, mode):
        assert re.match(
            r'<iframe [^>]*sandbox="allow-scripts"[^>]* srcdoc="&lt;!doctype html&gt;', page._repr_html_(), re.I
        )
    assert '"speed":0.02' in moving.page
    assert re.search(r'"speed":0\.\d{1,2},', mode.page)  # a round number, for the eyes
    assert len(curves.axes) == 2 and "known at dots only" not in words(curves)
    assert list(table.columns) == ["slider.x", "slider.ax", "motor.torque"]
    assert "lowest" in study._repr_html_()


# Rails --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("angle", [np.pi / 2, -np.pi / 2])
def test_an_upright_rail_stands_behind_what_slides_on_it(side: float, angle: float, tmp_path: Path) -> None:
    m = jd.Mechanism("lift", gravity=(0, -9.81))
    points = {"R": (0, 0), "hook": (0.8 * side, 0.3)}
    cabin = m.body("cabin", mass=1, inertia=1, position=(0, 0), points=points)
    m.prismatic("rail", m.ground.point("R", (0, 0), angle=angle), cabin.point("A", (0, 0), angle=angle))
    run = jd.simulate(m, 0.1)
    (joint,) = run.blueprint.joints
    np.testing.assert_allclose(over_rail(Scene(run, 0), joint), (side, 0), atol=1e-12)
    page = run.animate(tmp_path / "lift.html").read_text()
    assert f'"over":[{side}' in page


def test_numbers_of_an_axis_are_whole_and_rounding_is_no_signal() -> None:
    m = jd.Mechanism("turning")
    wheel = m.body("wheel", mass=1, inertia=1, position=(0, 0), spin=1000, points={"O": (0, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), wheel["O"])
    m.torque("drag", on=wheel, torque="-1e-4")
    run = jd.simulate(m, 1.0)
    (slow,) = run.plot("wheel.spin").axes  # from 1000 to 1000 - 1e-4
    FigureCanvasAgg(slow.figure).draw()
    assert slow.yaxis.get_offset_text().get_text() == ""
    m = jd.Mechanism("thrown")
    m.body("stone", mass=1, inertia=1, position=(0, 0), velocity=(1 / 3, 0))
    run = jd.simulate(m, 1.0)
    (level,) = run.plot("energy.total").axes
    low, high = level.get_ylim()
    assert high - low > 0.05 * high or not np.ptp(run["energy.total"])
