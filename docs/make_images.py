"""Makes the pictures of README and documentation again: `make images`."""

import contextlib
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import jourdain as jd

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
TIGHT = {"bbox_inches": "tight", "pad_inches": 0.1}
sys.path.insert(0, str(ROOT / "examples"))

import chaplygin_sleigh  # noqa: E402
import coupler_curve  # noqa: E402
import engine_shaking  # noqa: E402
import four_bar_demo  # noqa: E402
import gears_planetary  # noqa: E402
import hydraulic_boom  # noqa: E402
import live_story  # noqa: E402
import machines  # noqa: E402
import rolling_coin  # noqa: E402


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    four_bar = jd.simulate(machines.four_bar(spring="AC"), 5.0, every=0.01)
    four_bar_demo.picture(four_bar).savefig(IMAGES / "four_bar.png", dpi=90)

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        slider_crank = runpy.run_path(str(ROOT / "examples" / "slider_crank.py"))["run"]
    slider_crank.draw(range(0, 70, 15)).savefig(IMAGES / "slider_crank.png", dpi=90, **TIGHT)
    slider_crank.plot("slider.x", "A.fx", "A.fy").savefig(IMAGES / "slider_crank_channels.png", dpi=80, **TIGHT)

    text = (ROOT / "docs" / "pictures.md").read_text()
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)  # the first block of the page
    linkage = jd.simulate(names["m"], 1.0)
    linkage.draw([0, 40, 80, 120], traces=["coupler.P"]).savefig(IMAGES / "crank_rocker.png", dpi=80, **TIGHT)
    linkage.animate(IMAGES / "crank_rocker.gif", fps=20, traces=["coupler.P"])

    spatial = jd.simulate(machines.spatial_four_bar(), 1.0)
    poses = np.searchsorted(spatial.t, np.linspace(0, 0.6, 6))
    spatial.draw(poses).savefig(IMAGES / "spatial_four_bar.png", dpi=90, **TIGHT)

    gears = jd.simulate(gears_planetary.build(), 2.0)
    gears.draw(20).savefig(IMAGES / "gears_planetary.png", dpi=70, **TIGHT)
    coin = jd.simulate(rolling_coin.build(), 2.5)
    coin.draw(range(0, 76, 15)).savefig(IMAGES / "rolling_coin.png", dpi=80, **TIGHT)
    sleigh = jd.simulate(chaplygin_sleigh.build(), 4.0)
    chaplygin_sleigh.picture(sleigh).savefig(IMAGES / "chaplygin_sleigh.png", dpi=80)
    curve = jd.kinematics(coupler_curve.build(), "A", from_="90 deg", to="450 deg")
    curve.draw([0, 45, 90, 135, 180], traces=["coupler.P"]).savefig(IMAGES / "coupler_curve.png", dpi=80, **TIGHT)
    engine = jd.kinematics(engine_shaking.build(0.5), "O", speed=engine_shaking.SPEED)
    engine.plot_polar("O", "A").savefig(IMAGES / "engine_loads.png", dpi=70, **TIGHT)
    for name, figure in live_story.pictures(live_story.story()[1]).items():
        figure.savefig(IMAGES / f"live_{name}.png", dpi=70, **TIGHT)
    boom = jd.simulate(hydraulic_boom.build(), 6.0)
    hydraulic_boom.picture(boom).savefig(IMAGES / "hydraulic_boom.png", dpi=80)


if __name__ == "__main__":
    main()
