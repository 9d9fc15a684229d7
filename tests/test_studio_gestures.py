"""More of the page in a real browser, from the wheel: locks, turns, menus that insert, moments, what was once more."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.mechanism.rotations import matrix_from_quaternion, rotation_vector
from studio_page import COMPILING, Studio
from studio_window import Seen, running, seen

__all__ = ["running", "seen"]

pytestmark = pytest.mark.browser

TOP = """\
jourdain: 1
name: a plate that floats
space: spatial
bodies:
  plate: {mass: 1 kg, shape: {box: [1 m, 1 m, 0.2 m]}, position: [0, 0, 0], points: {P: [0.3, 0, 0]}}
  weight: {mass: 1 kg, shape: {sphere: 0.1 m}, position: [0, 0, -1], points: {P: [0, 0, 0]}}
"""


def parts(seen: Seen, name: str, exact: bool = True) -> Any:
    return seen.window.get_by_role("navigation", name="Parts").get_by_role("button", name=name, exact=exact)


def test_a_body_is_locked_and_moves_again(seen: Seen) -> None:
    parts(seen, "crank").click()
    seen.button("Do…").click()
    seen.window.get_by_role("menuitem", name="Lock it").click()
    parts(seen, "crank (locked)").wait_for()
    before = seen.page.shot["poses"]
    seen.page.ask("step", n=200)
    seen.shown(200)
    assert np.allclose(seen.page.shot["poses"], before, atol=1e-6)
    assert "lock" not in seen.page.state["text"]
    seen.button("Do…").click()
    seen.window.get_by_role("menuitem", name="Let it move again").click()
    parts(seen, "crank").wait_for()
    seen.page.ask("step", n=200)
    seen.until(lambda p: abs(p.shot["poses"][0][2] - before[0][2]) > 0.05)


def test_shift_turns_in_space(seen: Seen, running: Studio) -> None:
    (running.folder / "plate.yaml").write_text(TOP)
    seen.page.ask("open", patience=COMPILING, file="plate.yaml")
    seen.window.get_by_role("heading", name="plate.yaml").wait_for()
    parts(seen, "plate").wait_for()
    seen.window.wait_for_function("() => document.querySelector('canvas')?.dataset.frames > 0")
    seen.until(lambda p: p.scene["dim"] == 3 and p.shot["scene"] == p.scene["number"])
    begun = matrix_from_quaternion(seen.page.shot["poses"][0][3:])
    mouse = seen.window.mouse
    x, y = seen.pixel([0, 0])
    seen.window.keyboard.down("Shift")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 8, y, steps=2)
    seen.until(lambda p: p.shot["hands"] == 1 and p.shot["held"][1] == 1)
    mouse.move(x + 100, y, steps=10)
    quarter = 100 * np.pi / 400
    seen.until(lambda p: np.linalg.norm(turn_of(p.shot["poses"][0][3:], begun)) > 0.99 * quarter)
    turn = turn_of(seen.page.shot["poses"][0][3:], begun)
    assert np.linalg.norm(turn) == pytest.approx(quarter, rel=1e-3)
    assert turn[2] > 0.9 * quarter  # about what points up in the picture
    assert np.allclose(seen.page.shot["poses"][0][:3], 0.0, atol=1e-6)
    mouse.up()
    seen.window.keyboard.up("Shift")
    seen.until(lambda p: p.shot["hands"] == 0)


def turn_of(quaternion: Any, begun: np.ndarray) -> np.ndarray:
    return rotation_vector(matrix_from_quaternion(quaternion) @ begun.T)


def test_a_body_and_a_motor_are_inserted_from_menus(seen: Seen) -> None:
    seen.button("put something into bodies").click()
    seen.window.get_by_role("menuitem", name="A rod").click()
    seen.until(lambda p: "rod1:" in p.state["text"])
    seen.window.locator("[data-number='rod1.mass']").wait_for()
    seen.button("put something into motions").click()
    seen.window.get_by_role("menuitem", name="Drive A at").click()
    seen.until(lambda p: "motor1: {joint: A, speed: 1 rad/s}" in p.state["text"])
    seen.page.ask("step", n=100)
    seen.until(lambda p: p.shot["n"] == 100)
    crank = seen.page.shot["poses"][0][2]
    seen.page.ask("step", n=500)
    seen.until(lambda p: p.shot["n"] == 600)
    assert seen.page.shot["poses"][0][2] - crank == pytest.approx(0.5, abs=1e-4)
    seen.button("put something into parameters").click()
    seen.window.get_by_role("menuitem", name="A parameter").click()
    seen.window.get_by_role("textbox", name="name").fill("width")
    seen.button("Insert").click()
    seen.until(lambda p: "width: 1" in p.state["text"])


def test_the_path_of_any_point(seen: Seen) -> None:
    parts(seen, "crank").click()
    seen.button("point crank.B").click()
    seen.button("B: do…").click()
    seen.window.get_by_role("menuitem", name="Draw its path").click()
    ink = "() => document.querySelector('[data-testid=picture]').toDataURL()"
    seen.page.ask("step", n=300)
    seen.shown(300)
    with_path = seen.window.evaluate(ink)
    seen.button("B: do…").click()
    seen.window.get_by_role("menuitem", name="Draw its path no longer").click()
    seen.window.wait_for_function(f"before => ({ink})() != before", arg=with_path)


def test_moments_and_what_was_once_more(seen: Seen) -> None:
    seen.page.ask("step", n=200)
    seen.shown(200)
    seen.button("Moments").click()
    seen.window.get_by_label("name of this moment").fill("at rest")
    seen.button("Mark").click()
    seen.window.get_by_role("button", name=re.compile("moment: at rest")).wait_for()
    seen.page.ask("apply", operation={"do": "set", "number": "k", "value": "250 N/m"})
    seen.page.ask("step", n=200)
    seen.shown(400)
    seen.window.get_by_role("button", name=re.compile("moment: at rest")).click()
    seen.shown(200)
    seen.window.get_by_role("dialog", name="moments").get_by_role("button", name="Close").click()
    seen.button("Watch").click()
    seen.shown(400)
    assert seen.page.state["branch"] == "main"  # looking on is no other way
    seen.window.keyboard.press("b")  # back to before the edit
    seen.shown(200)
    seen.until(lambda p: "k: 200 N/m" in p.state["text"])


def test_the_keyboard_pulls(seen: Seen) -> None:
    parts(seen, "crank").click()
    seen.window.get_by_test_id("picture").focus()
    before = seen.page.shot["poses"][0][2]
    for _ in range(4):
        seen.window.keyboard.press("Control+Shift+ArrowUp")
    seen.until(lambda p: p.shot["hands"] == 1 and abs(p.shot["poses"][0][2] - before) > 0.05)
    seen.window.keyboard.press("Escape")
    seen.until(lambda p: p.shot["hands"] == 0)


def test_a_recording_is_opened_and_watched(seen: Seen, running: Studio) -> None:
    seen.button("Record").click()
    seen.message("recorded in")
    seen.page.ask("step", n=300)
    seen.page.ask("open", file="mine.yaml")
    (name,) = (path.name for path in running.folder.glob("*.jdlive"))
    seen.window.get_by_role("heading", name="mine.yaml").wait_for()
    seen.button("Open…").click()
    seen.button(name).click()
    seen.window.get_by_role("heading", name=Path(name).stem).wait_for()
    seen.until(lambda p: p.shot["t"] == 0.0 and p.shot["end"] == pytest.approx(0.3))
    seen.button("Watch").click()
    seen.shown(300)
    assert any("repeated to the bit" in words for words in seen.page.heard)
    (running.folder / name).unlink()


@contextmanager
def notebook(cell: str) -> Iterator[str]:
    """A page of another program on this computer, with a cell in it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<body>{cell}</body>".encode())

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_a_live_machine_of_a_program_is_shown(browser: Any) -> None:
    """What a notebook has below its cell: without a way to open something else."""
    live = jd.live(jd.example("pendulum"), warm=False)
    with live:
        page = live.show()
        window = browser.new_page()
        with notebook(page._repr_html_()) as address:
            window.goto(address)
        frame = window.frame_locator("iframe")
        frame.get_by_role("button", name="Play").wait_for()
        assert frame.get_by_role("button", name="Open…").count() == 0
        frame.get_by_role("button", name="All right").click()
        frame.get_by_role("button", name="Play").click()
        frame.get_by_role("button", name="Pause").wait_for()
        while live.t < 0.1:
            window.wait_for_timeout(50)
        window.close()
        page.close()
        assert live.playing
    run = jd.simulate(jd.example("pendulum"), 0.5)
    window = browser.new_page()
    window.set_content(f"<body>{run.show()._repr_html_()}</body>")
    window.frame_locator("iframe").get_by_role("button", name="Pause").wait_for()
    window.close()
