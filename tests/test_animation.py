"""Moving pictures: they last as long as the motion, axes stand still, bodies stay rigid, and the page draws itself."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import jourdain as jd
import machines
from jourdain.plotting import forms
from jourdain.plotting.animation import decimals, pictures
from jourdain.plotting.drawing_planar import clearance
from jourdain.plotting.film import Film, cubic, orthonormal
from jourdain.plotting.scene import Scene
from jourdain.plotting.tempo import frame_times

NODE = shutil.which("node")


@cache
def run_of(space: str) -> jd.Solution:
    m = machines.four_bar() if space == "plane" else machines.spatial_four_bar()
    return jd.simulate(m, 1.0, every=0.02)


both = pytest.mark.parametrize("space", ["plane", "space"])


def shaped(dim: int) -> jd.Mechanism:
    """A body of each shape, on a pin each."""
    m = jd.Mechanism("shapes", gravity=(0, -9.81) if dim == 2 else (0, 0, -9.81))
    flat = (
        {"box": (0.4, 0.2)},
        {"rod": 0.5},
        {"rod": (0.5, 0.02)},
        {"disc": 0.2},
        {"cylinder": (0.1, 0.3)},
        {"sphere": 0.1},
    )
    solid = (
        {"box": (0.4, 0.2, 0.1)},
        {"rod": 0.5},
        {"rod": (0.5, 0.02)},
        {"disc": (0.2, 0.02)},
        {"cylinder": (0.1, 0.3)},
        {"sphere": 0.1},
    )
    for k, shape in enumerate(flat if dim == 2 else solid):
        place = (k + 0.4, 0) if dim == 2 else (k + 0.4, 0, 0)
        pin = (-0.4, 0) if dim == 2 else (-0.4, 0, 0)
        look = {"colour": "crimson", "traces": ["A"]} if k == 0 else {"hidden": True} if k == 1 else None
        body = m.body(f"b{k}", mass=1, shape=shape, position=place, points={"A": pin}, look=look)
        ground = (k, 0) if dim == 2 else (k, 0, 0)
        m.joint("revolute", f"J{k}", m.ground.point(f"G{k}", ground), body["A"])
    return m


# Time and frames --------------------------------------------------------------------------------------------------


def durations(path: Path) -> list[int]:
    with Image.open(path) as image:
        found = []
        for k in range(image.n_frames):
            image.seek(k)
            found.append(image.info["duration"])
    return found


@both
def test_a_gif_lasts_as_long_as_the_motion(space: str, tmp_path: Path) -> None:
    path = run_of(space).animate(tmp_path / "motion.gif")
    times = durations(path)
    with Image.open(path) as image:
        for k in (0, 10, 25):
            image.seek(k)
            assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
    assert len(times) == 26  # 25 a second, and the last
    assert set(times) == {40}
    fast = durations(run_of(space).animate(tmp_path / "fast.gif", fps=30, speed=2))
    assert len(fast) == 16
    assert sum(fast[:-1]) == pytest.approx(500, abs=10)


def test_an_mp4_has_its_frames_and_length(tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = run_of("plane").animate(tmp_path / "motion.mp4", speed=2)
    reader = ffmpeg.read_frames(str(path))
    facts = next(reader)
    reader.close()
    assert facts["fps"] == 30
    assert facts["duration"] == pytest.approx(0.5, abs=0.05)


def test_frames_start_and_end_with_the_run() -> None:
    times = frame_times(np.array([1.0, 1.5, 3.0]), fps=10, speed=1)
    assert len(times) == 21
    assert (times[0], times[-1]) == (1.0, 3.0)
    assert len(frame_times(np.array([0.0]), fps=10, speed=1)) == 2
    with pytest.raises(
        ValueError, match=r"100001 frames are too many for one file \(at most 5000\); raise speed above 20"
    ):
        frame_times(np.array([0.0, 4000.0]), fps=25, speed=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "a.avi"}, r"an animation cannot be written as '\.avi'; known: \.gif, \.html, \.mp4"),
        ({"path": "a.gif", "fps": 0}, "fps is 0; expected a positive number"),
        ({"path": "a.gif", "speed": -1}, "speed is -1; expected a positive number"),
        ({"path": "a.html", "speed": math.nan}, "speed is nan; expected a positive number"),
    ],
)
def test_what_cannot_be_animated_is_refused(arguments: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        run_of("plane").animate(**arguments)


def test_a_path_of_a_point_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match=r"no point 'coupler\.P' to trace; .*did you mean 'coupler\.[BC]'"):
        run_of("plane").animate(tmp_path / "a.html", traces=["coupler.P"])


def test_short_motions_get_enough_digits() -> None:
    assert decimals(np.linspace(0, 1, 26)) == 2
    assert decimals(np.linspace(0, 0.03, 31)) == 3
    assert decimals(np.array([0.0, 0.0])) == 2


def test_a_slim_mechanism_gets_room_for_its_axis() -> None:
    run = jd.simulate(machines.pendulum_bar(amplitude=1e-3), 0.1)
    low, high = Scene(run, 0).bounds()
    assert (high - low)[0] >= 0.29 * (high - low)[1]


def test_progress_counts_frames(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    run_of("plane").animate(tmp_path / "a.gif", fps=5, progress=lambda done, count: seen.append((done, count)))
    assert seen == [(k, 6) for k in range(1, 7)]


# Between samples --------------------------------------------------------------------------------------------------


def test_cubics_between_samples_are_of_third_order() -> None:
    """Slopes from central differences: the error falls by 8 when the interval is halved, or faster."""
    errors = []
    for n in (21, 41):
        t = np.linspace(0, 2, n)
        at = np.linspace(0.3, 1.7, 97)
        errors.append(np.max(np.abs(cubic(t, np.sin(3 * t), at) - np.sin(3 * at))))
    assert errors[0] / errors[1] > 7
    assert np.array_equal(cubic(t, np.sin(t), t), np.sin(t))  # through the samples


@both
def test_bodies_stay_rigid_and_joints_closed_between_samples(space: str) -> None:
    run = run_of(space)
    film = Film(run, np.linspace(0, 1, 333))
    frames = film.poses.frame
    eye = np.eye(frames.shape[-1])
    np.testing.assert_allclose(np.einsum("tbji,tbjk->tbik", frames, frames), eye + 0 * frames, atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(frames), 1, atol=1e-12)
    for joint in run.blueprint.joints:
        gap = np.linalg.norm(film.poses.place(joint.first) - film.poses.place(joint.second), axis=1)
        assert gap.max() < 1e-3 * run.size  # well below a pixel
    direct = jd.simulate(machines.four_bar() if space == "plane" else machines.spatial_four_bar(), times=film.t)
    assert np.abs(film.poses.position - direct.motion.position).max() < 1e-3 * run.size


def test_half_a_turn_between_samples_draws_nothing_instead_of_failing() -> None:
    frames = orthonormal(np.zeros((1, 2, 2)))
    assert np.array_equal(frames, np.zeros((1, 2, 2)))


# Axes -------------------------------------------------------------------------------------------------------------


@both
def test_axes_hold_the_whole_motion_and_do_not_jump(space: str) -> None:
    run = run_of(space)
    scene = Scene(Film(run, frame_times(run.t, 50, 1)), 0, whole=True)
    low, high = scene.bounds()
    for body in run.blueprint.bodies:
        for point in body.ports:
            places = np.stack([run[f"{body.name}.{point}.{c}"] for c in "xyz"[: run.blueprint.dim]], axis=1)
            assert np.all(places >= low - 1e-9)
            assert np.all(places <= high + 1e-9)
    frames = list(pictures(scene))
    assert len(frames) == 51
    sizes = {frame.shape for frame in frames}
    assert len(sizes) == 1
    height, width, _ = sizes.pop()
    assert height % 2 == 0 and width % 2 == 0  # film makers ask for it
    # The left border holds the numbers of the axis: no frame may differ there.
    edge = width // 14 if space == "plane" else 10
    assert all(np.array_equal(frame[:, :edge], frames[0][:, :edge]) for frame in frames)
    assert any(not np.array_equal(frame, frames[0]) for frame in frames)


# Shapes -----------------------------------------------------------------------------------------------------------


def test_points_away_from_a_shape_hang_on_it_by_a_line() -> None:
    m = jd.Mechanism("stems")
    points = {"A": (-0.5, 0), "B": (0.5, 0.001), "P": (0.2, 0.3)}
    m.body("rod", mass=1, shape={"rod": 1.0}, points=points)
    m.body("bob", mass=1, shape={"disc": 0.1}, points={"O": (0, 1), "in": (0.05, 0.05)})
    m.body("box", mass=1, shape={"box": (0.4, 0.2), "at": (1, 0)}, points={"corner": (1.2, 0.1), "far": (1.5, 0)})
    rod, bob, box = (forms.form_of(body).stems for body in m.frozen().bodies)
    assert [stem.tolist() for stem in rod] == [[[0.2, 0], [0.2, 0.3]]]
    assert [stem.tolist() for stem in bob] == [[[0, 0.1], [0, 1]]]
    assert np.allclose(box, [[[1.2, 0], [1.5, 0]]])


def test_a_rail_runs_under_the_shape_that_slides_on_it() -> None:
    m = jd.Mechanism("slider", gravity=(0, -9.81))
    block = m.body("block", mass=1, shape={"box": (0.4, 0.3)}, points={"P": (0, 0.05)}, position=(0, -0.05))
    joint = m.prismatic("guide", m.ground.point("O", (0, 0)), block["P"])
    run = jd.simulate(m, 0.1)
    scene = Scene(run, 0)
    assert clearance(scene, run.blueprint.joint(joint), 0) == pytest.approx(0.2)


def test_shapes_have_their_sizes() -> None:
    blueprint = shaped(3).frozen()
    extents = [
        np.ptp(forms.form_of(body).points(3), axis=0) if k != 1 else None for k, body in enumerate(blueprint.bodies)
    ]
    # A line leads from each shape that does not reach it to the point at x = -0.4.
    assert extents[0] == pytest.approx([0.6, 0.2, 0.1])
    assert extents[2][1:] == pytest.approx([0.04, 0.04])
    assert extents[3][1:] == pytest.approx([0.4, 0.02], rel=0.01)
    assert extents[4][1:] == pytest.approx([0.2, 0.3], rel=0.01)
    assert extents[5][1:] == pytest.approx([0.2, 0.2], rel=0.05)
    assert not forms.form_of(blueprint.bodies[1]).points(3).size  # hidden


@pytest.mark.parametrize("dim", [2, 3])
def test_shapes_are_drawn_in_their_colours(dim: int, tmp_path: Path) -> None:
    run = jd.simulate(shaped(dim), 0.1)
    run.draw([0, -1], tmp_path / "shapes.png")
    with Image.open(tmp_path / "shapes.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    red = (pixels[..., 0] > 150) & (pixels[..., 1] < 110) & (pixels[..., 2] < 130)
    assert red.sum() > 200


def test_an_outline_is_drawn_as_a_plate_and_a_bad_colour_is_named() -> None:
    m = jd.Mechanism("plate")
    outline = {"shapes": [{"outline": [(0, 0), (1, 0), (0, 1)]}]}
    m.body("plate", mass=1, inertia=1, look=outline)
    assert forms.form_of(m.frozen().bodies[0]).faces[0].tolist() == [[0, 0], [1, 0], [0, 1]]
    m.body("odd", mass=1, inertia=1, look={"colour": "blueish"})
    with pytest.raises(ValueError, match="body 'odd': there is no colour 'blueish'; use a name like 'steelblue'"):
        jd.simulate(m, 0.1).draw()


def test_traces_that_bodies_ask_for_are_drawn() -> None:
    run = jd.simulate(shaped(2), 0.1)
    assert [str(port) for port in Scene(run, 0).traces] == ["b0.A"]
    assert [str(port) for port in Scene(run, 0, ["b2.A"]).traces] == ["b0.A", "b2.A"]


# The page ---------------------------------------------------------------------------------------------------------

# A canvas that counts what is drawn on it, and the few things of a browser that the page uses.
BROWSER = """
const fs = require("fs"), html = fs.readFileSync(process.argv[2], "utf8"), end = +process.argv[3];
const between = (a, b) => html.split(a)[1].split(b)[0];
const data = between('id="data">', "</" + "script>"), code = between("<script>\\n", "</" + "script>");
const counts = { fill: 0, stroke: 0, fillText: 0 }, texts = new Set();
let bad = 0, moves = 0;
const canvas = new Proxy({}, { get: (kept, name) => name in kept ? kept[name] : (...values) => {
  if (name in counts) counts[name]++;
  if (name === "fillText") texts.add(values[0]);
  if (name === "moveTo" || name === "lineTo") { moves++; bad += values.some((x) => !Number.isFinite(x)); }
  return name === "measureText" ? { width: 10 } : undefined;
} });
const elements = {};
const element = (id) => elements[id] ||= { checked: true, clientWidth: 800, clientHeight: 600, getContext: () => canvas,
  add() {}, parentElement: {}, textContent: id === "data" ? data : "" };
Object.assign(global, { document: { getElementById: element }, window: {}, addEventListener() {}, Option: class {},
  matchMedia: () => ({ matches: true }), requestAnimationFrame() {} });
new Function(code)();
const times = [0, end / 2, end].map((time) => global.jourdainPage.show(time));
global.jourdainPage.turn(1.5, -1, 2);
console.log(JSON.stringify({ counts, bad, times, texts: [...texts], moves }));
"""


def drawn_by_the_page(path: Path, end: float, tmp_path: Path) -> dict:
    (tmp_path / "browser.js").write_text(BROWSER)
    command = [str(NODE), str(tmp_path / "browser.js"), str(path), str(end)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def page_data(path: Path) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)[1].replace("<\\/", "</"))


@both
def test_a_page_needs_nothing_from_elsewhere(space: str, tmp_path: Path) -> None:
    path = run_of(space).animate(tmp_path / "page.html", traces=["coupler.C"])
    text = path.read_text()
    assert not re.search(r"(?:src|href)\s*=|https?:|@import|url\(|fetch\(|XMLHttpRequest", text)
    assert text.count("</script>") == 2


@both
def test_a_page_knows_the_poses(space: str, tmp_path: Path) -> None:
    run = run_of(space)
    data = page_data(run.animate(tmp_path / "page.html"))
    assert data["frames"] >= 25
    assert data["step"] * (data["frames"] - 1) == pytest.approx(1)
    coupler = next(b for b in data["bodies"] if b["name"] == "coupler")
    assert coupler["position"][-1][0] == pytest.approx(run["coupler.x"][-1], abs=1e-5)
    angle = coupler["attitude"][-1]
    expected = [run["coupler.angle"][-1]] if space == "plane" else [run[f"coupler.q{c}"][-1] for c in "wxyz"]
    sign = 1 if space == "plane" else np.sign(np.dot(angle, expected))
    if space == "plane":
        assert math.remainder(angle[0] - expected[0], 2 * math.pi) == pytest.approx(0, abs=1e-5)
    else:
        assert np.array(angle) * sign == pytest.approx(expected, abs=1e-5)


def test_a_name_cannot_break_the_page(tmp_path: Path) -> None:
    m = machines.pendulum_bar()
    m.name = "</script><b>bold</b>"
    path = jd.simulate(m, 0.1).animate(tmp_path / "page.html")
    assert path.read_text().count("</script>") == 2
    assert "<b>" not in path.read_text().split('id="data">')[0]
    assert page_data(path)["name"] == m.name


def test_a_long_run_of_many_bodies_keeps_the_page_small(tmp_path: Path) -> None:
    run = jd.simulate(machines.n_four_bar(40), times=[0.0, 100.0 * 1e-3])
    slow = run.animate(tmp_path / "page.html", speed=1e-4)
    assert page_data(slow)["frames"] < 1300
    assert slow.stat().st_size < 10e6


@pytest.mark.skipif(NODE is None, reason="the page's program is run by node, which is not installed")
@pytest.mark.parametrize("build", [lambda: shaped(2), lambda: shaped(3)], ids=["plane", "space"])
def test_the_program_of_the_page_draws_shapes(build, tmp_path: Path) -> None:
    path = jd.simulate(build(), 0.2).animate(tmp_path / "page.html")
    seen = drawn_by_the_page(path, 0.2, tmp_path)
    assert seen["bad"] == 0
    assert seen["times"] == ["t = 0.000 s", "t = 0.100 s", "t = 0.200 s"]
    assert seen["counts"]["fill"] > 30


@pytest.mark.skipif(NODE is None, reason="the page's program is run by node, which is not installed")
def test_the_program_of_the_page_draws_every_symbol(tmp_path: Path) -> None:
    import test_plotting

    for k, build in enumerate(test_plotting.SYMBOLS):
        run = jd.simulate(build(), 0.05)
        seen = drawn_by_the_page(run.animate(tmp_path / f"page{k}.html"), 0.05, tmp_path)
        assert seen["bad"] == 0
        assert seen["moves"] > 100
        first = run.blueprint.joints[0].name
        if len(run.blueprint.joints) <= 16:
            assert any(first in text for text in seen["texts"])
