"""The page of the studio in a real browser, from the wheel. `make test-browser` runs these."""

from __future__ import annotations

import shlex
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jourdain.files import gallery
from jourdain.studio.document_links import text_of
from studio_page import COMPILING, PATIENCE, Page, Studio, studio
from studio_window import LOADED, NARROW, REPOSITORY, WIDE, Seen, missing, running, seen

__all__ = ["running", "seen"]

pytestmark = pytest.mark.browser

AXE = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


# Gestures ------------------------------------------------------------------------------------------------------------


def test_a_body_is_pulled_while_it_runs(seen: Seen) -> None:
    mouse = seen.window.mouse
    mouse.move(*seen.pixel([2.8284271, -2.8284271]))
    mouse.down()
    mouse.move(*seen.pixel([3.2, -2.6]), steps=4)
    seen.until(lambda p: p.shot["hands"] == 1)
    seen.window.keyboard.press("Space")
    for k in range(8):
        mouse.move(*seen.pixel([3.2 + 0.1 * k, -2.4 + 0.1 * k]))
        n = seen.page.shot["n"]
        seen.until(lambda p, n=n: p.shot["n"] > n)
    seen.until(lambda p: p.shot["hands"] == 1 and np.hypot(*p.shot["held"][6:8]) > 0)
    mouse.up()
    seen.until(lambda p: p.shot["hands"] == 0)


def test_a_standing_machine_is_dragged_and_its_joints_stay_closed(seen: Seen) -> None:
    mouse = seen.window.mouse
    mouse.move(*seen.pixel([2.8284271, -2.8284271]))
    mouse.down()
    mouse.move(*seen.pixel([3.9, -0.6]), steps=12)
    seen.until(lambda p: p.shot["poses"][0][2] > -0.3)
    x, y, angle = seen.page.shot["poses"][0]
    assert np.allclose([x, y], [2 * np.cos(angle), 2 * np.sin(angle)], atol=1e-5)
    mouse.up()
    seen.until(lambda p: p.shot["hands"] == 0)


def test_cut_and_undo(seen: Seen) -> None:
    seen.window.mouse.click(*seen.pixel([6.8284271, -2.8284271]), button="right")
    seen.window.get_by_role("menuitem", name="Cut").click()
    seen.until(lambda p: "C: {type: revolute" not in p.state["text"])
    seen.button("Undo").click()
    seen.until(lambda p: "C: {type: revolute" in p.state["text"])
    seen.button("Redo").click()
    seen.until(lambda p: "C: {type: revolute" not in p.state["text"])


def test_what_cannot_be_done_says_why(seen: Seen) -> None:
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="crank").click()
    seen.button("Do…").click()
    row = seen.window.get_by_role("menuitem", name="Remove")
    assert row.get_attribute("aria-disabled") == "true"
    assert "crank" in row.inner_text()
    row.dispatch_event("click")
    seen.message("crank")


def test_insert_a_spring_between_two_points(seen: Seen) -> None:
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="crank").click()
    seen.window.get_by_label("point of crank").select_option("crank.B")
    seen.window.get_by_label("point of another part").select_option("rocker.D")
    seen.button("Join…").click()
    seen.window.get_by_role("menuitem", name="spring-damper").click()
    seen.until(lambda p: "spring1" in p.state["text"])
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="spring1").wait_for()


def test_numbers_are_changed_as_they_are_written(seen: Seen) -> None:
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="crank").click()
    field = seen.window.locator("[data-number='crank.mass']")
    assert field.input_value() == "3 kg"
    field.fill("2500 g")
    field.press("Enter")
    seen.until(lambda p: "mass: 2500 g" in p.state["text"])
    seen.window.locator("[data-number='crank.mass'][title*='2.5']").wait_for()  # the page has it too
    field.fill("-1 kg")
    field.press("Enter")
    seen.message("mass")
    seen.window.wait_for_function("() => document.querySelector(\"[data-number='crank.mass']\").value == '2500 g'")


def test_a_slider_acts_at_once(seen: Seen) -> None:
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="k", exact=True).click()
    slider = seen.window.get_by_label("slider of k")
    slider.focus()
    slider.press("End")
    seen.until(lambda p: "k: 600" in p.state["text"])


def test_scrub_and_branch(seen: Seen) -> None:
    seen.page.ask("step", n=600)
    seen.shown(600)
    scrubber = seen.window.get_by_label("time", exact=True)
    box = scrubber.bounding_box()
    seen.window.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    seen.until(lambda p: 200 < p.shot["n"] < 400)
    seen.window.get_by_label("One step on").click()
    seen.until(lambda p: p.state.get("branch") == "branch 1")
    seen.window.get_by_label("branch").select_option("main")
    seen.until(lambda p: p.state.get("branch") == "main" and p.shot["n"] == 600)


def test_a_text_with_a_fault_is_underlined_and_then_mended(seen: Seen) -> None:
    window = seen.window
    line = window.locator(".cm-line", has_text="mass: 3 kg").first
    line.click()
    window.keyboard.press("End")
    window.keyboard.type("g")
    window.locator(".cm-lintRange-error").first.wait_for()
    window.get_by_label("faults of the text").get_by_text("kgg").wait_for()
    window.keyboard.press("Backspace")
    window.keyboard.press("Backspace")
    window.keyboard.press("Backspace")
    window.keyboard.press("Backspace")
    window.keyboard.type("4 kg")
    window.locator(".cm-lintRange-error").first.wait_for(state="detached")
    window.keyboard.press("Control+Enter")
    seen.until(lambda p: "mass: 4 kg" in p.state["text"] or "mass: 34 kg" in p.state["text"])
    window.get_by_text("Apply to the machine").wait_for(state="detached")


def test_save(seen: Seen, running: Studio) -> None:
    seen.page.ask("apply", operation={"do": "set", "number": "k", "value": "250 N/m"})
    seen.window.get_by_role("heading", name="mine.yaml •").wait_for()
    seen.window.keyboard.press("Control+s")
    seen.message("saved as mine.yaml")
    assert "k: 250 N/m" in (running.folder / "mine.yaml").read_text()


def test_plot_a_channel(seen: Seen) -> None:
    window = seen.window
    window.get_by_role("tab", name="Curves").click()
    window.get_by_label("channel to plot").fill("energy.total")
    window.keyboard.press("Enter")
    window.locator("[data-testid=plot] canvas").wait_for()
    seen.page.ask("step", n=50)
    seen.page.ask("step", n=50)
    seen.shown(100)
    with window.expect_download() as download:
        seen.button("Numbers (.csv)").click()
    rows = Path(download.value.path()).read_text().splitlines()
    assert rows[0] == "t,energy.total"
    t, energy = map(float, rows[-1].split(","))
    assert t == pytest.approx(0.1)
    assert energy == pytest.approx(983.4314711621561, rel=1e-6)
    over = window.locator(".u-over").bounding_box()
    window.mouse.move(over["x"] + 0.9 * over["width"], over["y"] + 20)
    window.mouse.down()
    window.mouse.move(over["x"] + over["width"] / 2, over["y"] + 20, steps=4)
    seen.until(lambda p: 40 <= p.shot["n"] <= 60)
    window.mouse.up()
    window.get_by_label("channel to plot").fill("no.such")
    window.keyboard.press("Enter")
    seen.message("no channel")


def test_share_and_check(seen: Seen) -> None:
    seen.button("Share").click()
    line = seen.window.get_by_label("line to send").input_value()
    assert text_of(shlex.split(line)[-1]) == seen.page.state["text"]
    seen.button("Close").click()
    seen.window.get_by_role("tab", name="Messages").click()
    seen.button("Check the machine").click()
    seen.window.get_by_test_id("report").get_by_role("button", name="coupler").click()
    seen.window.locator("[data-number='coupler.mass']").wait_for()


def test_dark_mode_is_remembered(seen: Seen) -> None:
    seen.button("Dark").click()
    seen.window.wait_for_function("() => document.documentElement.dataset.theme == 'dark'")
    seen.window.reload()
    seen.window.wait_for_function("() => document.documentElement.dataset.theme == 'dark'")
    seen.button("Light").wait_for()


def test_the_keyboard_alone(seen: Seen) -> None:
    window = seen.window
    window.keyboard.press("ArrowRight")
    seen.until(lambda p: p.shot["n"] == 1)
    window.keyboard.press("Shift+ArrowRight")
    seen.until(lambda p: p.shot["n"] == 11)
    window.keyboard.press("Home")
    seen.until(lambda p: p.shot["n"] == 0)
    part = window.get_by_role("navigation", name="Parts").get_by_role("button", name="C revolute")
    for _ in range(60):
        window.keyboard.press("Tab")
        if part.evaluate("e => e == document.activeElement"):
            break
    window.keyboard.press("Shift+F10")
    window.get_by_role("menuitem", name="Cut").wait_for()
    window.wait_for_function("() => document.activeElement.getAttribute('role') == 'menuitem'")
    window.keyboard.press("Enter")
    seen.until(lambda p: "C: {type: revolute" not in p.state["text"])
    window.keyboard.press("Control+z")
    seen.until(lambda p: "C: {type: revolute" in p.state["text"])


@pytest.mark.parametrize("seen", [{"viewport": NARROW, "has_touch": True}], indirect=True)
def test_touch(seen: Seen) -> None:
    """A finger pulls; all parts are reached on a small screen."""
    touch = seen.window.context.new_cdp_session(seen.window)

    def finger(kind: str, place: Any) -> None:
        x, y = seen.pixel(place)
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    finger("touchStart", [2.8284271, -2.8284271])
    for k in range(1, 9):
        finger("touchMove", [2.83 + 0.12 * k, -2.83 + 0.2 * k])
    seen.until(lambda p: p.shot["hands"] == 1 and p.shot["poses"][0][2] > -0.6)
    finger("touchEnd", [3.8, -1.2])
    seen.until(lambda p: p.shot["hands"] == 0)
    parts = seen.window.get_by_role("tab", name="Parts")
    while parts.get_attribute("aria-selected") != "true":  # a tap so soon after a pull may be taken for a part of it
        parts.tap()
        seen.window.wait_for_timeout(500)
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="crank").tap()
    seen.window.locator("[data-number='crank.mass']").wait_for()


def test_two_windows_and_a_reload(seen: Seen, running: Studio) -> None:
    other = Seen(seen.window.context.new_page(), seen.page)
    other.go(running)
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="crank").click()
    field = seen.window.locator("[data-number='crank.mass']")
    field.fill("7 kg")
    field.press("Enter")
    other.window.locator(".cm-line", has_text="mass: 7 kg").wait_for()
    seen.page.ask("step", n=25)
    other.window.reload()
    other.shown(25)
    other.window.locator(".cm-line", has_text="mass: 7 kg").wait_for()
    assert not other.errors


def fifty() -> str:
    """Fifty pendulums side by side, as a file."""
    points = ", ".join(f"P{k}: [{k}, 0]" for k in range(50))
    bodies = "".join(
        f"  b{k}: {{mass: 1, shape: {{box: [0.6, 0.1]}}, position: [{k + 0.3}, 0], points: {{A: [-0.3, 0]}}}}\n"
        for k in range(50)
    )
    joints = "".join(f"  j{k}: {{type: revolute, between: [ground.P{k}, b{k}.A]}}\n" for k in range(50))
    return f"jourdain: 1\nground: {{points: {{{points}}}}}\nbodies:\n{bodies}joints:\n{joints}"


def test_every_frame_that_is_sent_is_drawn(seen: Seen, running: Studio) -> None:
    """Fifty bodies: each snapshot that is acknowledged becomes a frame, none is left behind."""
    (running.folder / "fifty.yaml").write_text(fifty())
    assert seen.page.ask("open", patience=COMPILING, file="fifty.yaml")["ok"]
    seen.window.get_by_role("heading", name="fifty.yaml").wait_for()
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="b49", exact=True).wait_for()
    seen.shown(0)
    count = "() => Number(document.querySelector('canvas').dataset.frames)"
    before = seen.window.evaluate(count)
    for k in range(1, 21):
        seen.page.ask("step", n=1)
        seen.shown(k)
    assert seen.window.evaluate(count) >= before + 20


def test_names_with_markup_are_text(seen: Seen) -> None:
    text = seen.page.state["text"].replace("name: four-bar linkage", "name: '<img src=x onerror=alert(1)>'")
    seen.page.ask("apply", operation={"do": "text", "value": text})
    seen.window.locator(".cm-line", has_text="onerror").wait_for()
    assert seen.window.locator("img[src=x]").count() == 0


def test_in_space(seen: Seen) -> None:
    seen.page.ask("open", patience=COMPILING, example="stewart_platform")
    seen.window.get_by_role("heading", name="stewart_platform").wait_for()
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="platform").wait_for()
    seen.page.ask("step", n=5)
    seen.shown(5)


def test_the_gallery(seen: Seen) -> None:
    seen.button("Open…").click()
    seen.window.get_by_role("button", name="pendulum").first.wait_for()
    seen.window.wait_for_function(LOADED)
    seen.button("mine.yaml").click()
    seen.window.wait_for_selector("canvas[data-frames]")


def test_nothing_is_inaccessible(seen: Seen) -> None:
    if not AXE.is_file():
        missing("axe-core is not installed: npm install in frontend/")
    for theme in ("light", "dark"):
        for tab in ("Text", "Curves", "Messages"):
            seen.window.get_by_role("tab", name=tab).click()
            seen.window.evaluate(AXE.read_text())
            found = seen.window.evaluate(
                "async () => (await axe.run()).violations.map(v => [v.id, v.nodes.map(n => n.html)])"
            )
            assert not found, (theme, tab, found)
        seen.window.keyboard.press("Escape")
        seen.button("Dark" if theme == "light" else "Light").click()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_is_cut_off(seen: Seen, size: dict[str, int]) -> None:
    """Buttons lie inside the page and do not cover one another."""
    seen.window.set_viewport_size(size)
    seen.window.wait_for_function("w => innerWidth == w", arg=size["width"])
    boxes = seen.window.evaluate(
        """() => [...document.querySelectorAll('.top button, .time button, .time select, .tabs button')]
            .map(e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })"""
    )
    assert len(boxes) >= 12
    for k, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= 0 and right <= size["width"] and bottom <= size["height"]
        for other in boxes[k + 1 :]:
            apart = left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
            assert apart, (boxes[k], other)


def test_a_studio_that_was_killed_comes_back(browser: Any, installed: Path, tmp_path: Path) -> None:
    shutil.copy(gallery.path("four_bar"), tmp_path / "own.yaml")
    context = browser.new_context(viewport=WIDE)
    with studio(tmp_path, "own.yaml", python=installed) as first:
        with Page(first) as page:
            page.until(lambda p: p.scene)
            page.ask("apply", operation={"do": "set", "number": "k", "value": "321 N/m"})
            assert page.ask("save")["ok"]
            saved = (tmp_path / "own.yaml").read_text()
            page.ask("apply", operation={"do": "set", "number": "k", "value": "1 N/m"})  # and not saved
            seen = Seen(context.new_page(), page)
            seen.go(first)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    seen.window.get_by_test_id("lost").wait_for()
    assert (tmp_path / "own.yaml").read_text() == saved
    with studio(tmp_path, "own.yaml", python=installed) as second:
        assert second.address == first.address
        seen.window.get_by_test_id("lost").wait_for(state="detached")
        seen.window.locator(".cm-line", has_text="k: 321 N/m").wait_for()
    context.close()


# The wheel ------------------------------------------------------------------------------------------------------------


def test_the_wheel_alone_shows_the_gallery(browser: Any, installed: Path, tmp_path: Path) -> None:
    context = browser.new_context(viewport=NARROW)
    with studio(tmp_path, python=installed) as started:
        window = context.new_page()
        window.set_default_timeout(1000 * PATIENCE)
        window.goto(started.address)
        window.get_by_role("button", name="four-bar linkage").wait_for()
        window.wait_for_function(LOADED)
    context.close()
