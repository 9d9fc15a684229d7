"""A swing on a rope: it falls freely, the rope becomes tight, it swings, and lets go at the right moment.

python examples/rope_swing.py [picture.png]
"""

import sys

import numpy as np
from matplotlib.figure import Figure

import jourdain as jd
from jourdain.plotting.figures import draw_mechanism

MASS, LENGTH, G = 70.0, 4.0, 9.81


def build() -> jd.Mechanism:
    m = jd.Mechanism("rope swing", gravity=(0, -G))
    points = {"hands": (0, 0)}
    person = m.body("person", mass=MASS, inertia=5, position=(-3.0, 4.0), velocity=(2, 0), points=points)
    m.rope("rope", m.ground.point("branch", (0, 6)), person["hands"], length=LENGTH, stiffness=2e4, damping=0.15)
    m.event("tight", "rope.length - 4", record=True)
    m.event("let_go", "person.vy - 0.6*person.vx - 100*max(0, -person.x)", off=["rope"])
    m.event("water", "person.y", direction="falling", stop=True)
    return m


def picture(run: jd.Solution) -> Figure:
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    draw_mechanism(run, list(range(0, int(np.searchsorted(run.t, run.events["let_go"].t[0])), 4)), axes=axes)
    axes.plot(run["person.x"], run["person.y"], color="#d1495b", linewidth=1)
    axes.set(xlim=(-4.5, run["person.x"].max() + 0.5), ylim=(-0.3, 6.6))
    return figure


def main() -> None:
    run = jd.simulate(build(), 10.0, every=0.02)
    go = run.events["let_go"]
    print(run.summary())
    most = run["rope.force"][run.t < go.t[0]].max() / (MASS * G)
    print(f"\nrope tight at {run.events['tight'].t[0]:.3f} s; it carries at most {most:.2f} times the weight")
    x, y, vx, vy = (go[f"person.{c}"][0] for c in ("x", "y", "vx", "vy"))
    flight = (vy + np.sqrt(vy**2 + 2 * G * y)) / G
    print(
        f"lets go at {go.t[0]:.3f} s with {np.hypot(vx, vy):.2f} m/s, into the water at x = {run['person.x'][-1]:.3f} m"
    )
    assert np.isclose(run["person.x"][-1], x + vx * flight)
    if len(sys.argv) > 1:
        picture(run).savefig(sys.argv[1], dpi=90)


if __name__ == "__main__":
    main()
