"""The page of the studio (u): how long a picture takes to follow the pointer, and what a frame costs the browser.

    python benchmarks/run.py --only u

A real Chromium without a GPU, at a studio of its own. From pointer to frame: a hand holds a four-bar that runs, the
pointer jumps, and the time from the event of the pointer to the end of the first drawing that has the hand's new
target is taken, a hundred times. Frames a second: those drawn while 17 four-bars, 51 bodies, played for five seconds.
Script a frame: time of the processor that the browser's own account says of all script on the page, over the frames
that were drawn.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from jourdain.files.gallery import path as example

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))  # last: no module there may hide one of ours

# At most, or at least where the last is True.
MUST: dict[str, tuple[float, str, bool]] = {
    "pointer to frame, median": (17.0, "ms", False),
    "pointer to frame, p95": (33.0, "ms", False),
    "frames with 51 planar bodies": (59.0, "a second", True),  # 60, less the frame at either end
    "script a frame, 51 planar bodies": (8.0, "ms", False),
    "script a frame, Stewart platform": (8.0, "ms", False),
}
JUMPS, SECONDS, BARS = 100, 5.0, 17
WATCH = """() => {
    const canvas = document.querySelector('[data-testid=picture]');
    window.jumps = [];
    let begun = 0, from = null;
    addEventListener('pointerrawupdate', e => {
        if (from === null) { begun = e.timeStamp; from = canvas.dataset.hand.split(' ').map(Number); }
    }, true);
    new MutationObserver(() => {
        if (from === null) return;
        const to = canvas.dataset.hand.split(' ').map(Number);
        if (Math.hypot(to[0] - from[0], to[1] - from[1]) < 0.1) return;
        window.jumps.push(performance.now() - begun);
        from = null;
    }).observe(canvas, {attributes: true, attributeFilter: ['data-hand']});
}"""
FRAMES = "() => Number(document.querySelector('[data-testid=picture]').dataset.frames)"


def rows() -> str:
    """Many four-bars beside one another, as a file."""
    bodies, joints, points = [], [], []
    for k in range(BARS):
        x, y = 10.0 * (k % 6), 8.0 * (k // 6)
        points.append(f"A{k}: [{x}, {y}], D{k}: [{x + 4}, {y}]")
        s = 2**0.5
        for name, px, py, angle in (
            ("a", x + s, y - s, -45),
            ("b", x + 2 * s + 2, y - 2 * s, 0),
            ("c", x + 4 + s, y - s, 135),
        ):
            ends = "points: {A: [-2, 0], B: [2, 0]}"
            form = f"shape: {{box: [4, 0.4]}}, position: [{px}, {py}], angle: {angle} deg"
            bodies.append(f"  {name}{k}: {{mass: 3, {form}, {ends}}}")
        pairs = (f"ground.A{k}, a{k}.A", f"a{k}.B, b{k}.A", f"b{k}.B, c{k}.A", f"ground.D{k}, c{k}.B")
        joints += [f"  j{k}_{i}: {{type: revolute, between: [{pair}]}}" for i, pair in enumerate(pairs)]
    head = f"jourdain: 1\nname: rows\nspace: planar\ngravity: [0, -9.81]\nground: {{points: {{{', '.join(points)}}}}}\n"
    return head + "bodies:\n" + "\n".join(bodies) + "\njoints:\n" + "\n".join(joints) + "\n"


@contextmanager
def window() -> Iterator[tuple[Any, Any]]:
    """A browser's window on a studio, and a page without one."""
    from playwright.sync_api import sync_playwright

    from studio_page import COMPILING, Page, studio
    from studio_window import FLAGS, WIDE, Seen

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(example("four_bar"), folder / "four_bar.yaml")
        (folder / "rows.yaml").write_text(rows())
        with studio(folder, "four_bar.yaml") as running, Page(running) as page, sync_playwright() as started:
            page.until(lambda p: p.scene, COMPILING)
            browser = started.chromium.launch(executable_path=program, args=list(FLAGS))
            seen = Seen(browser.new_context(viewport=WIDE).new_page(), page)
            seen.go(running)
            yield seen, page
            browser.close()


def jumps(seen: Any, page: Any) -> list[float]:
    """Milliseconds from pointer to frame."""
    mouse, base = seen.window.mouse, seen.pixel([2.8284271, -2.8284271])
    mouse.move(*base)
    mouse.down()
    mouse.move(base[0] + 5, base[1], steps=2)
    seen.until(lambda p: p.shot and p.shot["hands"] == 1)
    page.ask("play")
    seen.window.evaluate(WATCH)
    rng = np.random.default_rng(24)
    for k in range(JUMPS):
        seen.window.wait_for_timeout(100 + float(rng.uniform(0, 50)))  # longer than a pointer is extrapolated
        mouse.move(base[0] + (40 if k % 2 == 0 else 5), base[1] - (30 if k % 2 == 0 else 0))
        seen.window.wait_for_function("n => window.jumps.length >= n", arg=k + 1)
    mouse.up()
    found: list[float] = seen.window.evaluate("() => window.jumps")
    return found


def frames(seen: Any, page: Any) -> tuple[float, float]:
    """Frames a second while it plays, and milliseconds of script a frame."""
    account = seen.window.context.new_cdp_session(seen.window)
    account.send("Performance.enable", {"timeDomain": "threadTicks"})  # time of the processor

    def state() -> tuple[float, float, float]:
        metrics = {one["name"]: one["value"] for one in account.send("Performance.getMetrics")["metrics"]}
        return time.monotonic(), metrics["ScriptDuration"], float(seen.window.evaluate(FRAMES))

    page.ask("play")
    seen.window.wait_for_timeout(1000)
    first = state()
    seen.window.wait_for_timeout(1000 * SECONDS)
    last = state()
    page.ask("pause")
    count = last[2] - first[2]
    return count / (last[0] - first[0]), 1e3 * (last[1] - first[1]) / max(count, 1)


def run(full: bool, rounds: int) -> dict[str, Any]:
    print("\nu. The page of the studio, in Chromium without a GPU")
    try:
        import playwright  # noqa: F401
    except ImportError:
        print("  playwright is not installed: not measured")
        return {}
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        print("  there is no chromium here: not measured")
        return {}
    from studio_page import COMPILING

    found: dict[str, float] = {}
    with window() as (seen, page):
        times = jumps(seen, page)
        found["pointer to frame, median"] = statistics.median(times)
        found["pointer to frame, p95"] = float(np.percentile(times, 95))
        assert page.ask("open", patience=COMPILING, file="rows.yaml")["ok"]
        seen.window.wait_for_function("() => document.querySelectorAll('.part').length > 100")
        found["frames with 51 planar bodies"], found["script a frame, 51 planar bodies"] = frames(seen, page)
        assert page.ask("open", patience=COMPILING, example="stewart_platform")["ok"]
        seen.window.get_by_role("heading", name="stewart_platform").wait_for()
        seen.window.wait_for_selector("canvas[data-frames]")
        found["script a frame, Stewart platform"] = frames(seen, page)[1]
    return {"u": {name: _judged(name, value) for name, value in found.items()}}


def _judged(name: str, value: float) -> dict[str, Any]:
    must, unit, least = MUST[name]
    enough = value >= must if least else value <= must
    verdict = f"{'at least' if least else 'at most'} {must:.4g}: {'enough' if enough else 'MISSED'}"
    print(f"  {name:<38}{value:11.4g} {unit:<12}{verdict}", flush=True)
    return {"value": value, "must": must, "unit": unit}
