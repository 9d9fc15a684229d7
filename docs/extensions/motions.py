"""The animation pages of the gallery, made with the site: each plays by itself, without a network.

They are kept in the folder of the build, by what the example says, so that a second build makes none again.
"""

from __future__ import annotations

import hashlib
import warnings
from pathlib import Path
from typing import Any

import jourdain as jd
from jourdain.files import gallery

SHORTENED = {"two_bars": 0.8}  # runs that leave the picture when they are followed to their end, s


def made(app: Any, error: Exception | None) -> None:
    if error is not None or app.builder.name != "html":
        return
    kept, shown = Path(app.doctreedir) / "motions", Path(app.outdir) / "motions"
    for folder in (kept, shown):
        folder.mkdir(parents=True, exist_ok=True)
    for name in gallery.example_names():
        mark = hashlib.sha256(gallery.path(name).read_bytes() + jd.__version__.encode()).hexdigest()[:16]
        page = kept / f"{name}-{mark}.html"
        if not page.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                jd.simulate(name, SHORTENED.get(name)).animate(page)
        (shown / f"{name}.html").write_bytes(page.read_bytes())


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", made)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
