"""The Chaplygin sleigh: a body on a knife edge turns until it runs straight, without friction and without loss.

python examples/chaplygin_sleigh.py [picture.png]
"""

import math
import sys

from matplotlib.figure import Figure

import jourdain as jd
from jourdain.plotting.figures import draw_mechanism

AHEAD, MASS, INERTIA = 0.3, 2.0, 0.1  # the mass centre is ahead of the edge


def build() -> jd.Mechanism:
    m = jd.Mechanism("Chaplygin sleigh")
    points = {"edge": (-AHEAD, 0), "left": (0.1, 0.12), "right": (0.1, -0.12)}
    start = {"position": (AHEAD, 0), "velocity": (-0.6, 4 * AHEAD), "spin": 4}
    sleigh = m.body("sleigh", mass=MASS, inertia=INERTIA, points=points, **start)
    m.knife_edge("blade", m.ground.point("ice", (0, 0)), sleigh["edge"])
    return m


def picture(run: jd.Solution) -> Figure:
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    draw_mechanism(run, [0, 20, 45, 70, 110, 150, 200], axes=axes)
    axes.plot(run["sleigh.edge.x"], run["sleigh.edge.y"], color="#d1495b", linewidth=1)
    return figure


def main() -> None:
    run = jd.simulate(build(), 4.0)
    speed = math.hypot(run["sleigh.vx"][-1], run["sleigh.vy"][-1])
    final = math.sqrt(2 * run["energy.kinetic"][0] / MASS)
    print(run.summary())
    print(f"\nspin: {run['sleigh.spin'][0]:.3f} -> {run['sleigh.spin'][-1]:.2e} rad/s")
    print(f"speed: {speed:.6f} m/s; all energy in it: {final:.6f} m/s")
    assert abs(speed - final) < 1e-3
    if len(sys.argv) > 1:
        picture(run).savefig(sys.argv[1], dpi=90)


if __name__ == "__main__":
    main()
