"""The documentation as a site: built with warnings as errors, whole from disk with no network, in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).resolve().parent.parent
DOCTREES = ROOT / "docs" / "_build" / "doctrees"
LINK = re.compile(r'(?:href|src)="([^"#]*)(#[^"]*)?"')
# Outside of the site: only what somebody would have to click.
OUTSIDE = ("http:", "https:", "mailto:", "data:", "javascript:")
# What a page that is seen from disk must have, as the browser sees it.
SEEN = """async () => {
    await document.fonts.ready;
    const formulas = [...document.querySelectorAll('math')];
    const visible = e => e.checkVisibility();
    return {
        broken: [...document.images].filter(i => visible(i) && !i.complete || i.naturalWidth === 0).map(i => i.src),
        formulas: formulas.length,
        empty: formulas.filter(m => visible(m) && m.getBoundingClientRect().width < 2).map(m => m.outerHTML),
        fonts: [...document.fonts].filter(f => f.status === 'error').map(f => f.family),
        mathFont: formulas.length ? document.fonts.check('16px "Jourdain Math"') : true,
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    };
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it; one that is given by JOURDAIN_SITE is taken as it is."""
    if given := os.environ.get("JOURDAIN_SITE"):
        return Path(given)
    pytest.importorskip("furo")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(DOCTREES)]
    done = subprocess.run([*command, str(ROOT / "docs"), str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def pages(site: Path) -> list[Path]:
    return [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]


def test_every_link_leads_somewhere(site: Path) -> None:
    """Files and places in them; nothing that a page needs is fetched from outside."""
    texts = {page.resolve(): page.read_text(encoding="utf-8") for page in pages(site)}
    names = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    missing = []
    for page, text in texts.items():
        if "motions" in page.parts:
            continue
        assert not re.search(r'<(?:script|img|iframe|source)[^>]* src="https?:', text), page
        assert not re.search(r'<link[^>]* rel="stylesheet"[^>]* href="https?:', text), page
        for target, place in LINK.findall(text):
            if target.startswith(OUTSIDE):
                continue
            path = (page.parent / unquote(unescape(target).partition("?")[0])).resolve() if target else page
            known = path in names and (not place or place == "#" or unquote(place[1:]) in names[path])
            if not known and not (path.is_file() and path not in names):
                missing.append(f"{page.relative_to(site.resolve())}: {target}{place}")
    assert not missing


@pytest.fixture(scope="module")
def offline(browser: Any) -> Iterator[Any]:
    """A page of a browser that has no network."""
    context = browser.new_context(offline=True, viewport={"width": 1300, "height": 900})
    page = context.new_page()
    yield page
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 390])
def test_every_page_is_whole_without_a_network(site: Path, offline: Any, width: int, scheme: str) -> None:
    wrong: list[str] = []
    offline.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    offline.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
    offline.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    offline.set_viewport_size({"width": width, "height": 900})
    offline.emulate_media(color_scheme=scheme)
    formulas = 0
    for page in pages(site):
        if "motions" in page.parts:
            continue
        offline.goto(page.as_uri())
        seen = offline.evaluate(SEEN)
        formulas += seen["formulas"]
        told = {key: seen[key] for key in ("broken", "empty", "fonts") if seen[key]}
        assert not told and not wrong and seen["mathFont"], (page.name, told, wrong)
        assert seen["wide"] <= 1, f"{page.name} is {seen['wide']} px wider than a window of {width}"
    assert formulas > 100


def test_searching_finds_a_page(site: Path, offline: Any) -> None:
    offline.set_viewport_size({"width": 1300, "height": 900})
    offline.goto((site / "search.html").as_uri() + "?q=friction")
    offline.wait_for_selector("#search-results li a", timeout=20_000)
    assert "friction" in offline.inner_text("#search-results").lower()


def test_pictures_of_the_gallery_lead_to_what_moves(site: Path, offline: Any) -> None:
    offline.goto((site / "gallery.html").as_uri())
    offline.click(".gallery a[href='gallery/four_bar.html']")
    frame = offline.frame_locator("iframe.motion")
    frame.locator("canvas, svg").first.wait_for(timeout=20_000)
    inner = next(f for f in offline.frames if f.url.endswith("motions/four_bar.html"))
    assert inner.evaluate("document.body.innerText.length") > 0
    offline.click(".next-page")
    assert offline.url.endswith("hanging_chain.html")


def test_code_can_be_copied(site: Path, offline: Any) -> None:
    offline.goto((site / "getting-started.html").as_uri())
    assert offline.locator("button.copybtn").count() > 3
