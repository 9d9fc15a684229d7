"""Makes the pictures of the pages on studies again: `make images` calls it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PIL import Image

import jourdain as jd

COLOURS = 32
DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / "images"
FILE = re.compile(r"^```yaml\n(# \w+\.yaml\n.*?)^```$", re.MULTILINE | re.DOTALL)
STUDY = re.compile(r"^study = jd\.study\(\n(.*?)^\)$", re.MULTILINE | re.DOTALL)


def main() -> None:
    flywheel = study_of("studies-flywheel.md", J="5 kg m^2:40 kg m^2:1 kg m^2")
    flywheel.plot(path=IMAGES / "studies_flywheel.png")
    tuning = study_of("studies-suspension.md", design="latin:5000")
    figure = tuning.plot()
    figure.savefig(IMAGES / "studies_tuning.png", dpi=66, bbox_inches="tight")
    with Image.open(IMAGES / "studies_tuning.png") as picture:  # 15,000 dots: few colours make it half as large
        few = picture.convert("RGB").quantize(COLOURS)
    few.save(IMAGES / "studies_tuning.png", optimize=True)
    figure = jd.simulate(machine("studies-suspension.md")).draw([0, 16, 30])
    figure.savefig(IMAGES / "studies_suspension.png", dpi=70, bbox_inches="tight")


def machine(page: str) -> jd.Mechanism:
    found = FILE.search((DOCS / page).read_text(encoding="utf-8"))
    assert found is not None, page
    return jd.load(found[1])


def study_of(page: str, design: str = "grid", **vary: str) -> jd.Study:
    """The study of a page, as large as the page says it is."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = STUDY.search(text)
    assert found is not None, page
    words: dict[str, Any] = eval(f"dict({found[1].partition(chr(10))[2]})")
    words["vary"] |= vary
    return jd.study(machine(page), **{**words, "design": design})


if __name__ == "__main__":
    main()
