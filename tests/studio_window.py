"""A window of a real browser on a studio that was installed from the wheel.

The wheel is made from the sources as they are, and installed into an environment of its own, whose libraries are the
ones that are here. Its kernels are the same to the byte, so what was compiled of them serves it too.

What a browser shall have done is waited for at the server, by a page without a browser: a step, a text, a branch; or
at the page, by what it shows; never for a time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from jourdain.engine import kernel_cache
from jourdain.files import gallery
from studio_page import COMPILING, PATIENCE, Page, Studio, studio

REPOSITORY = Path(__file__).resolve().parent.parent
FLAGS = (
    *("--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)
REQUIRED = "JOURDAIN_BROWSER_REQUIRED"  # where it is set, nothing is skipped
LOADED = """() => {
    const seen = [...document.querySelectorAll('img')].filter(i => i.getBoundingClientRect().top < innerHeight);
    return seen.length >= 2 && seen.every(i => i.complete && i.naturalWidth > 0);
}"""
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def missing(words: str) -> NoReturn:
    """Skip, where that is allowed."""
    if os.environ.get(REQUIRED):
        pytest.fail(words)
    pytest.skip(words)


def browsing() -> Iterator[Any]:
    """A browser, for the fixture of all files: Playwright runs only once in a process."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        missing("there is no chromium here; on Debian: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed; pip install 'jourdain[dev]'")
    with sync_playwright() as started:
        found = started.chromium.launch(executable_path=executable, args=list(FLAGS), timeout=1000 * PATIENCE)
        yield found
        found.close()


def with_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    run("hatchling", "build", "-t", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("*.whl")
    own = folder / "environment"
    venv.create(own, with_pip=False)
    python = own / "bin" / "python"
    run("pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps", str(wheel))
    words = "import jourdain, sysconfig; print(jourdain.__file__, sysconfig.get_path('purelib'))"
    site = Path(
        subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    (site / "libraries.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("-packages")))
    found = subprocess.run([python, "-c", words], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert Path(found.split()[0]).is_relative_to(own)
    share_kernels(site / "jourdain" / "kernels", python)
    return python


def run(*words: str) -> None:
    made = subprocess.run([sys.executable, "-m", *words], cwd=REPOSITORY, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr


def share_kernels(theirs: Path, python: Path) -> None:
    """What was compiled of our kernels, for the same kernels in another place.

    Numba knows a source by its folder, its time and its size.
    """
    ours = kernel_cache.KERNELS
    for source in ours.rglob("*.py"):
        copy = theirs / source.relative_to(ours)
        assert copy.read_bytes() == source.read_bytes()
        times = source.stat()
        os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))
    words = "from jourdain.engine.kernel_cache import cache_folder; print(cache_folder())"
    told = subprocess.run([python, "-c", words], cwd=theirs, capture_output=True, text=True, check=True).stdout
    folders = {
        f"{place.name}_{digest(place)}": f"{place.name}_{digest(theirs / place.relative_to(ours))}"
        for place in (ours, *ours.rglob("*"))
        if place.is_dir()
    }
    for found in kernel_cache.cache_folder().iterdir():
        to = Path(told.strip()) / folders.get(found.name, found.name)
        if found.is_dir():
            shutil.copytree(found, to, dirs_exist_ok=True)
        else:
            shutil.copy2(found, to)


def digest(folder: Path) -> str:
    return hashlib.sha1(str(folder).encode()).hexdigest()


@pytest.fixture(scope="module")
def running(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("machines")
    shutil.copy(gallery.path("four_bar"), folder / "mine.yaml")
    with studio(folder, "mine.yaml", python=installed) as found:
        with Page(found) as page:
            page.until(lambda p: p.scene, COMPILING)
        yield found


class Seen:
    """A window of the browser, and beside it a page that hears what the server says."""

    def __init__(self, window: Any, page: Page) -> None:
        self.window, self.page = window, page
        self.errors: list[str] = []
        window.set_default_timeout(1000 * PATIENCE)
        window.on("pageerror", lambda error: self.errors.append(str(error)))

    def go(self, studio: Studio) -> None:
        self.window.goto(studio.address)
        self.window.wait_for_selector("canvas[data-frames]")
        self.window.evaluate("localStorage.setItem('jourdain hint', 'seen')")
        if self.window.get_by_role("button", name="All right").is_visible():
            self.window.get_by_role("button", name="All right").click()

    def until(self, wanted: Any) -> None:
        """Until the server says so; the window goes on meanwhile."""
        self.page.until(wanted)

    def shown(self, n: float) -> None:
        """Until the picture shows this step."""
        self.window.wait_for_function("n => document.querySelector('canvas').dataset.step == String(n)", arg=n)

    def pixel(self, place: Any) -> tuple[float, float]:
        """Of a place in the plane."""
        box = self.window.get_by_test_id("picture").bounding_box()
        data = self.window.evaluate("() => ({...document.querySelector('[data-testid=picture]').dataset})")
        x, y = map(float, data["origin"].split())
        scale = float(data["scale"])
        return box["x"] + x + scale * place[0], box["y"] + y - scale * place[1]

    def button(self, name: str) -> Any:
        return self.window.get_by_role("button", name=name, exact=True)

    def message(self, words: str) -> None:
        self.window.get_by_test_id("message").filter(has_text=words).wait_for()


@pytest.fixture
def seen(browser: Any, running: Studio, request: pytest.FixtureRequest) -> Iterator[Seen]:
    """A window on a four-bar that stands at its start."""
    options = getattr(request, "param", {"viewport": WIDE})
    folder = running.folder
    shutil.copy(gallery.path("four_bar"), folder / "mine.yaml")
    context = browser.new_context(**options)
    with Page(running) as page:
        assert page.ask("open", file="mine.yaml")["ok"]
        page.until(lambda p: p.shot and p.shot["t"] == 0.0 and p.state["saved"])
        found = Seen(context.new_page(), page)
        found.go(running)
        yield found
        assert not found.errors
    context.close()
