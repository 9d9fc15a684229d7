"""Ten states of the page, as the documentation shows them.

`JOURDAIN_PICTURES=docs/images make test-browser` writes them.

Without that they are taken all the same, and found to show something.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from jourdain.files import gallery
from studio_page import COMPILING, Page, Studio
from studio_window import LOADED, NARROW, WIDE, Seen, running

__all__ = ["running"]

pytestmark = pytest.mark.browser

STATES = ("gallery", "first", "runs", "pulled", "menu", "fault", "dark", "small", "small_parts", "space")


@pytest.fixture
def start(browser: Any, running: Studio) -> Iterator[Seen]:
    shutil.copy(gallery.path("four_bar"), running.folder / "mine.yaml")
    context = browser.new_context(viewport=WIDE)
    with Page(running) as page:
        assert page.ask("open", file="mine.yaml")["ok"]
        page.until(lambda p: p.shot and p.shot["t"] == 0.0 and p.state["saved"])
        found = Seen(context.new_page(), page)
        found.window.goto(running.address)
        found.window.wait_for_selector("canvas[data-frames]")
        yield found
    context.close()


def gallery_state(seen: Seen) -> None:
    seen.button("Open…").click()
    seen.window.wait_for_function(LOADED)


def first_state(seen: Seen) -> None:
    seen.button("All right").wait_for()


def begin(seen: Seen) -> None:
    seen.button("All right").click()


def runs_state(seen: Seen) -> None:
    begin(seen)
    seen.button("Forces").click()
    seen.window.get_by_role("tab", name="Curves").click()
    seen.window.get_by_label("channel to plot").fill("crank.angle")
    seen.window.keyboard.press("Enter")
    seen.window.locator("[data-testid=plot] canvas").wait_for()
    for k in range(1, 61):
        seen.page.ask("step", n=20)
        seen.shown(20 * k)


def pulled_state(seen: Seen) -> None:
    begin(seen)
    seen.window.mouse.move(*seen.pixel([2.8284271, -2.8284271]))
    seen.window.mouse.down()
    seen.window.mouse.move(*seen.pixel([3.2, -2.4]), steps=4)
    seen.until(lambda p: p.shot["hands"] == 1)
    seen.window.keyboard.press("Space")
    seen.window.mouse.move(*seen.pixel([4.5, -0.5]), steps=4)
    seen.until(lambda p: p.shot["hands"] == 1 and np.hypot(*p.shot["held"][6:8]) > 1)


def menu_state(seen: Seen) -> None:
    begin(seen)
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="crank").click()
    seen.button("Do…").click()
    seen.window.get_by_role("menuitem", name="Remove").wait_for()


def fault_state(seen: Seen) -> None:
    begin(seen)
    seen.window.locator(".cm-line", has_text="mass: 3 kg").first.click()
    seen.window.keyboard.press("End")
    seen.window.keyboard.type("g")
    seen.window.locator(".cm-lintRange-error").first.wait_for()
    seen.window.get_by_label("faults of the text").wait_for()


def dark_state(seen: Seen) -> None:
    begin(seen)
    seen.button("Dark").click()
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="k", exact=True).click()
    seen.window.get_by_label("slider of k").wait_for()


def small_state(seen: Seen) -> None:
    begin(seen)
    seen.window.set_viewport_size(NARROW)
    seen.window.get_by_role("tab", name="Parts").wait_for()


def small_parts_state(seen: Seen) -> None:
    small_state(seen)
    seen.window.get_by_role("tab", name="Parts").click()
    seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name="crank").click()
    seen.window.locator("[data-number='crank.mass']").wait_for()


def space_state(seen: Seen) -> None:
    begin(seen)
    seen.page.ask("open", patience=COMPILING, example="stewart_platform")
    seen.window.get_by_role("heading", name="stewart_platform").wait_for()
    seen.page.ask("step", n=3)
    seen.shown(3)


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_shown(start: Seen, tmp_path: Path, state: str) -> None:
    globals()[f"{state}_state"](start)
    folder = Path(os.environ.get("JOURDAIN_PICTURES", tmp_path))
    path = folder / f"studio_{state}.png"
    start.window.screenshot(path=str(path), animations="disabled")
    with Image.open(path) as picture:
        size = picture.size
        drawn = np.asarray(picture.convert("L"), dtype=float)
        small = picture.convert("RGB").quantize(96)
    small.save(path, optimize=True)
    assert size == ((390, 844) if state.startswith("small") else (1280, 800))
    assert drawn.std() > 10.0
    assert not start.errors
    start.window.mouse.up()
