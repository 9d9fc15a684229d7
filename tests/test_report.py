"""`jourdain report`: one page with all of a run, which needs no network and can be printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from command_line import Said
from jourdain.cli.report_command import _poses
from jourdain.files import gallery

ALL = ("Mechanism", "Check", "Motion", "Maxima", "Plots", "Kinematics", "Statics", "Modes", "Origin")


@pytest.fixture
def told(jourdain: Any) -> Said:
    return jourdain("report", "four_bar", "-o", "four_bar.html", "--with", "kinematics,statics,modes")


def test_a_report_has_all_its_sections(told: Said) -> None:
    assert (told.code, told.out, told.err) == (0, "four_bar.html written\n", "")
    text = Path("four_bar.html").read_text()
    assert tuple(re.findall(r"<h2>(.*?)</h2>", text)) == ALL
    assert "Four equal links of four metres" in text  # the description
    assert text.count("data:image/png;base64,") == 2 + 3 + 1 + 1 + 1  # drawings, plots, kinematics, statics, modes
    assert "mobility: 1 freedom" in text and "balance kept to" in text and "D.load" in text
    assert "at 1 rad/s (9.5493 rpm): no speed is given" in text
    assert re.search(r"SHA-256</th><td>[0-9a-f]{64}<", text) and "numba" in text
    assert 'class="wrong"' not in text
    assert not re.search(r"A\.displacement", text)  # a pin does not slide


def test_a_report_needs_nothing_from_elsewhere(told: Said) -> None:
    text = Path("four_bar.html").read_text()
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)|@import|url\(|fetch\(|XMLHttpRequest""", text)


def test_a_machine_with_many_motions_is_driven_by_all_of_them(jourdain: Any) -> None:
    assert jourdain("report", "stewart_platform", "--with", "kinematics,statics").code == 0
    text = Path("stewart_platform-report.html").read_text()
    assert 'class="wrong"' not in text
    assert re.search(r"driven +6 motions.*0 to 2 s, 201 samples", text, re.DOTALL)
    assert not re.search(r"joint .*e-1\d", text)  # what is rounding is printed as zero
    table = re.search(r'<div class="wide">(?:(?!</div>).)*<th[^>]*>parameter(?:(?!</div>).)*</div>', text, re.DOTALL)
    assert table is not None and table[0].count("<table") == 3  # beside each other, not over two sheets of paper


def test_poses_whole_turns_apart_are_not_chosen() -> None:
    text = gallery.path("slider_crank").read_text() + "motions: {motor: {joint: A, angle: 45 deg + 60 rpm * t}}\n"
    run = jd.simulate(jd.load(text), 2.0, every=0.01)
    angles = np.sort(np.mod(run["A.angle"][_poses(run)], 2 * np.pi))
    assert len(angles) == 5
    assert np.diff(angles, append=angles[0] + 2 * np.pi).min() > 0.5  # five poses of two turns


def test_a_section_that_cannot_be_made_says_why(jourdain: Any) -> None:
    spring = gallery.path("two_bars").read_text()
    Path("thrown.yaml").write_text(spring)
    said = jourdain("report", "thrown.yaml", "--with", "statics")
    assert said.code == 0
    assert re.search(r'<h2>Statics</h2><p class="wrong">', Path("thrown-report.html").read_text())


def test_a_run_that_stops_early_is_reported_and_fails(jourdain: Any) -> None:
    text = gallery.path("quick_return").read_text()
    Path("stuck.yaml").write_text(text + "motions: {motor: {joint: A, angle: 60 rpm * t, from: drawn}}\n")
    said = jourdain("report", "stuck.yaml")
    assert said.code == 1 and "limit of travel" in said.err
    assert "cannot be driven beyond 152.7 deg: limit of travel" in Path("stuck-report.html").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--with", "statix"), "--with statix: known: kinematics, modes, statics (did you mean 'statics'?)"),
        (("-o", "a.pdf"), "-o a.pdf: cannot write '.pdf'; known: .html"),
    ],
)
def test_what_is_asked_for_wrongly_is_refused(jourdain: Any, words: tuple[str, ...], sentence: str) -> None:
    said = jourdain("report", "four_bar", *words)
    assert said.code == 2 and sentence in said.err


@pytest.mark.browser
def test_a_report_moves_and_prints(told: Said, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(str(error)))
    page.goto(Path("four_bar.html").absolute().as_uri())
    motion = page.frame_locator("iframe")
    before = motion.locator("#time").inner_text()
    page.wait_for_function("() => document.readyState == 'complete'")
    motion.locator("#slider").fill("0.5")
    assert motion.locator("#time").inner_text() != before
    assert not page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
    page.emulate_media(media="print")
    assert not page.locator("iframe").is_visible()
    assert page.get_by_alt_text("poses of the motion").is_visible()
    assert len(page.pdf(format="A4")) > 10_000
    assert all(url.startswith(("file:", "data:", "about:")) for url in asked)
    page.close()
