"""Fast machines in animations: every pose that is drawn lies on the mechanism, in pages, GIFs and films."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import jourdain as jd
import machines
from jourdain.files import gallery
from jourdain.plotting.film import Film, far_apart
from jourdain.plotting.tempo import dense, natural_speed, pace_of_film, pace_of_page, rounded_down, swings

SPEEDS = (1, 60, 600, 1500, 10_000)  # rpm
CRANK_ROCKER = """
jourdain: 1
name: crank-rocker
space: planar
ground: {points: {A: [0, 0], D: [4, 0]}}
bodies:
  crank: {mass: 1, inertia: 1, position: [0, 0], angle: 60 deg, points: {A: [0, 0], B: [1, 0]}}
  coupler: {mass: 1, inertia: 1, points: {B: [0, 0], C: [3.5, 0], P: [1.5, 1]}}
  rocker: {mass: 1, inertia: 1, position: [4, 0], angle: 100 deg, points: {D: [0, 0], C: [2.5, 0]}}
joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
motions: {motor: {joint: A, angle: 60 rpm * t, from: drawn}}
"""
WHITWORTH = """
jourdain: 1
name: Whitworth's quick return
space: planar
ground: {points: {A: [0, 0], C: [0, -3]}}
bodies:
  crank: {mass: 1, inertia: 1, position: [0, 0], angle: 20 deg, points: {A: [0, 0], B: [1, 0]}}
  block: {mass: 1, inertia: 1, points: {B: [0, 0]}}
  rocker: {mass: 1, inertia: 1, position: [0, -3], angle: 80 deg, points: {C: [0, 0], D: [5, 0]}}
joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, block.B]}
  C: {type: revolute, between: [ground.C, rocker.C]}
  slot: {type: prismatic, between: [rocker.C, block.B]}
motions: {motor: {joint: A, angle: 60 rpm * t, from: drawn}}
"""
TEXTS = {
    "crank_rocker": CRANK_ROCKER,
    "whitworth": WHITWORTH,
    "slider_crank": gallery.path("slider_crank").read_text()
    + "motions: {motor: {joint: A, angle: 45 deg + 60 rpm * t}}\n",
    **{name: gallery.path(name).read_text() for name in ("rssr", "universal_shaft", "jansen_leg")},
}
TURNS, SAMPLES_A_TURN = 3, 6
FRAMES = 40
PIXELS = 1.0


@cache
def run_of(name: str, rpm: float) -> jd.Solution:
    """Three turns with six samples each: what lies between them is nowhere near a curve through them."""
    text = re.sub(r"\d+ rpm \* t", f"{rpm} rpm * t", TEXTS[name])
    times = np.linspace(0.0, TURNS * 60.0 / rpm, TURNS * SAMPLES_A_TURN + 1)
    return jd.simulate(jd.load(text), times=times, rtol=1e-8)


def parted(run: jd.Solution, film: Film) -> float:
    """The largest gap of a joint that is drawn, as a part of the picture's larger side."""
    low, high = (f(film.poses.position, axis=(0, 1)) for f in (np.min, np.max))
    gaps = [0.0]
    for joint in run.blueprint.joints:
        apart = film.poses.place(joint.second) - film.poses.place(joint.first)
        if joint.type in ("revolute", "spherical", "universal"):
            gaps.append(float(np.max(np.linalg.norm(apart, axis=1))))
    return max(gaps) / float(np.max(high - low))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("rpm", [600, 10_000])
def test_frames_between_far_samples_are_closed(name: str, rpm: float) -> None:
    run = run_of(name, rpm)
    assert len(far_apart(run)) > 0
    film = Film(run, np.linspace(run.t[0], run.t[-1], 500))
    assert not film.jumps
    assert parted(run, film) < 1e-3
    assert parted(run, Film(run, pace_of_page(run, None).times)) < 1e-3


@pytest.mark.browser
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("rpm", SPEEDS)
def test_no_joint_is_seen_to_part(name: str, rpm: float, browser: Any, tmp_path: Path) -> None:
    run = run_of(name, rpm)
    path = run.animate(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    span = float(run.t[-1] - run.t[0])
    rng = np.random.default_rng(28)
    worst = 0.0
    for time in sorted(rng.uniform(0.0, span, FRAMES)):
        for joint in page.evaluate("t => jourdainPage.joints(t)", float(time)):
            gap = np.subtract(joint["second"], joint["first"])
            if joint["along"] is not None:  # it may slide along this
                gap = gap - np.dot(gap, joint["along"]) * np.array(joint["along"])
            worst = max(worst, float(np.linalg.norm(gap)))
    said = page.locator("#pace").inner_text()
    page.close()
    assert not errors
    assert worst <= PIXELS
    assert ("slowed down" in said) == (natural_speed(run) < 1)


# How fast -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["slider_crank", "rssr"])
@pytest.mark.parametrize("rpm", [60, 1500])
def test_turns_a_second_are_found(name: str, rpm: float) -> None:
    assert swings(run_of(name, rpm)) == pytest.approx(rpm / 60, rel=0.15)


def test_what_is_too_fast_is_slowed_down_to_a_round_part() -> None:
    assert natural_speed(run_of("slider_crank", 60)) == 1
    assert natural_speed(run_of("slider_crank", 600)) == 0.05
    assert natural_speed(run_of("slider_crank", 1500)) == 0.02
    assert [rounded_down(x) for x in (0.03, 0.05, 0.0999, 0.1, 0.7)] == [0.02, 0.05, 0.05, 0.1, 0.5]


def test_a_spring_that_shakes_is_fast_though_nothing_turns() -> None:
    m = jd.Mechanism("shaker")
    block = m.body("block", mass=1, inertia=1, position=(1.1, 0), points={"P": (0, 0)})
    m.prismatic("guide", m.ground.point("O", (0, 0)), block["P"])
    m.spring_damper("k", m.ground["O"], block["P"], stiffness=(2 * np.pi * 50) ** 2, length=1)
    run = jd.simulate(m, 0.5, every=1e-3)
    assert swings(run) == pytest.approx(50, rel=0.05)
    assert pace_of_film(run, 25, None).words == "slowed down 100 times"


def frames_of(path: Path) -> list[bytes]:
    with Image.open(path) as image:
        found = []
        for k in range(image.n_frames):
            image.seek(k)
            found.append(image.convert("RGB").tobytes())
    return found


def test_no_two_frames_of_a_fast_gif_are_the_same(tmp_path: Path) -> None:
    run = jd.kinematics(jd.load(gallery.path("slider_crank")), "A", speed="1500 rpm")
    frames = frames_of(run.animate(tmp_path / "fast.gif", fps=10))
    assert len(frames) == 21  # a turn of 40 ms, slowed down 50 times
    assert all(a != b for a, b in pairwise(frames))


def test_a_speed_at_which_whole_turns_are_lost_is_told(tmp_path: Path) -> None:
    run = run_of("slider_crank", 1500)
    words = "1 turns or swings from one frame to the next; leave speed out, or give 0.02"
    with pytest.warns(jd.PictureWarning, match=words):
        run.animate(tmp_path / "fast.gif", speed=1)


def test_a_page_that_cannot_hold_the_whole_motion_says_how_far_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jourdain.plotting.tempo.MOST_POSES_OF_PAGE", 120)
    run = run_of("slider_crank", 600)
    pace = pace_of_page(run, None)
    assert len(pace.times) == 50
    assert re.match(r"only t = 0 to 0\.\d+ s of 0\.3 s are shown: the motion is too fast for more", pace.notes[0])
    assert parted(run, Film(run, pace.times)) < 1e-3


def test_results_of_a_file_that_are_too_far_apart_jump_and_say_so(tmp_path: Path) -> None:
    run_of("slider_crank", 1500).save(tmp_path / "coarse.json")
    kept = jd.load_results(tmp_path / "coarse.json")
    words = "samples are up to 0.00667 s apart, too far to say what is between them"
    with pytest.warns(jd.PictureWarning, match=words):
        path = kept.animate(tmp_path / "coarse.html")
    data = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)[1])
    assert data["jumps"] is True
    known = np.round(kept["slider.x"], 5)
    slider = next(b for b in data["bodies"] if b["name"] == "slider")
    assert all(np.min(np.abs(known - place[0])) < 2e-5 for place in slider["position"])


def test_results_of_a_file_with_velocities_are_smooth(tmp_path: Path) -> None:
    run = jd.simulate(machines.four_bar(), 1.0, every=0.02)
    run.save(tmp_path / "fine.json")
    kept = jd.load_results(tmp_path / "fine.json")
    times = np.linspace(0, 1, 333)
    here, there = Film(run, times).poses, Film(kept, times).poses
    np.testing.assert_allclose(here.position, there.position, atol=1e-12)


def test_paths_of_fast_points_are_no_polygons() -> None:
    run = run_of("slider_crank", 600)
    path = dense(run)
    assert len(path.t) > 400
    radius = np.linalg.norm(path.poses.place(run.blueprint.joint("B").first), axis=1)
    assert np.ptp(radius) < 1e-4 * radius.max()
