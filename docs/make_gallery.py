"""Writes the page of the gallery and its pictures again, from the examples that come with the package.

python docs/make_gallery.py

`tests/test_gallery_page.py` checks that the committed page is up to date and that the pictures are there.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import jourdain as jd
from jourdain.files import gallery

DOCS = Path(__file__).resolve().parent
PAGE, OWN = DOCS / "gallery.md", DOCS / "gallery"
IMAGES = DOCS / "images" / "gallery"
SMALL = DOCS.parent / "src" / "jourdain" / "studio" / "pictures"  # for the first page of the studio
WIDTH = 360
DPI = 75
# When each is drawn, s; of several poses the last is in full and the earlier ones are lighter.
POSES: dict[str, tuple[float, ...]] = {
    "andrews_squeezer": (0.006,),
    "bricard": (0.0, 0.5, 1.0),
    "double_inverted_pendulum": (0.0, 3.0, 3.6, 4.2),
    "double_pendulum": (3.34,),
    "flyball_governor": (0.3,),
    "four_bar": (0.0, 0.4, 0.8),
    "hanging_chain": (0.0, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65),
    "heavy_top": (1.0,),
    "jansen_leg": (1.34,),
    "motor_crank": (1.67,),
    "n_four_bar": (0.0, 0.4, 0.6, 0.72),
    "peaucellier": (1.34,),
    "pendulum": (0.0, 0.2, 0.3, 0.4),
    "quick_return": (0.0, 1.66),
    "rolling_disc": (0.0, 0.25, 0.5, 0.75, 1.0),
    "rssr": (0.6,),
    "scissor_lift": (0.0, 2.0, 4.0),
    "singular_slider_crank": (0.0, 0.6, 0.8, 1.0),
    "slider_crank": (0.0, 0.8),
    "spatial_four_bar": (0.0, 0.4, 0.8),
    "stewart_platform": (0.67,),
    "two_bars": (0.0, 0.25, 0.5, 0.75),
    "universal_shaft": (0.67,),
}
# Runs that leave the picture when they are followed to their end, s.
SHORTENED = {"two_bars": 0.8}
HEAD = """# Gallery

The mechanisms that come with Jourdain: each picture leads to its page, where it moves. `jourdain examples` lists them,
`jourdain examples show four_bar` prints the file of one, and `jourdain examples copy four_bar mine.yaml` gives you a
copy to change. In Python, `jd.example("four_bar")` is the mechanism, and its name alone can be simulated.
"""


def names(space: str) -> list[str]:
    """The examples in the plane or in space."""
    return [name for name in gallery.example_names() if jd.example(name).space == space]


def title_of(name: str) -> str:
    words: str = jd.example(name).name
    return words[0].upper() + words[1:]


def entry(name: str) -> str:
    """One example on the page of all."""
    title = title_of(name)
    return f"[![{title}](images/gallery/{name}.png) {title}](gallery/{name}.md)\n"


def own_page(name: str) -> str:
    """One example: what it is, how it moves, how to run it, its file."""
    m = jd.example(name)
    title = title_of(name)
    return (
        f"# {title}\n\n{m.description}\n\n"
        f'<iframe class="motion" src="../motions/{name}.html" title="{title} in motion"></iframe>\n\n'
        f"```sh\njourdain run {name} --animate {name}.html\n```\n\n"
        f'```python\nimport jourdain as jd\n\nrun = jd.simulate("{name}")\n```\n\n'
        f"## Its file\n\n```{{literalinclude}} ../../src/jourdain/examples/{name}.yaml\n:language: yaml\n```\n"
    )


def pages() -> dict[Path, str]:
    """The page of all, and one for each."""
    return {PAGE: page(), **{OWN / f"{name}.md": own_page(name) for name in gallery.example_names()}}


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for title, space in (("In the plane", "planar"), ("In space", "spatial")):
        parts += [f"## {title}\n", ":::{container} gallery\n", *(entry(name) for name in names(space)), ":::\n"]
    listed = "\n".join(f"gallery/{name}" for space in ("planar", "spatial") for name in names(space))
    return "\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"])


def picture(name: str) -> None:
    """The mechanism after a run as its file says, with the paths that its bodies ask for."""
    run = jd.simulate(jd.example(name), SHORTENED.get(name))
    index = [int(np.argmin(np.abs(run.t - t))) for t in POSES[name]]
    figure = run.draw(index)
    figure.savefig(IMAGES / f"{name}.png", dpi=DPI, bbox_inches="tight", pad_inches=0.15)
    with Image.open(IMAGES / f"{name}.png") as large:
        small = large.convert("RGB").resize((WIDTH, round(large.height * WIDTH / large.width)))
    small.save(SMALL / f"{name}.webp", quality=70, method=6)


def main(chosen: list[str]) -> None:
    OWN.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in chosen or gallery.example_names():
        picture(name)


if __name__ == "__main__":
    main(sys.argv[1:])
