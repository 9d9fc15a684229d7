"""A boom is lifted by a hydraulic cylinder between two points, fed by a valve.

python examples/hydraulic_boom.py [picture.png]
"""

import math
import sys

import numpy as np
from matplotlib.figure import Figure

import jourdain as jd
from jourdain.plotting.figures import draw_mechanism

MASS, LENGTH, SUPPLY = 200.0, 3.0, 16e6
AREAS = (2e-3, 1.2e-3)


def build() -> jd.Mechanism:
    m = jd.Mechanism("boom", gravity=(0, -9.81))
    points = {"A": (-LENGTH / 2, 0), "C": (-LENGTH / 2 + 0.9, 0), "tip": (LENGTH / 2, 0)}
    boom = m.body("boom", mass=MASS, inertia=MASS * LENGTH**2 / 12, position=(LENGTH / 2, 0), points=points)
    m.revolute("A", m.ground.point("A", (0, 0)), boom["A"])
    start = math.hypot(0.6, 0.8)
    arm = 0.9 * 0.8 / start  # of the cylinder about A
    hold = MASS * 9.81 * LENGTH / 2 / arm  # force that carries the boom at the start
    back = 1e6
    m.parameter("valve", 0)
    m.hydraulic_cylinder(
        "ram",
        m.ground.point("F", (0.3, -0.8)),
        boom["C"],
        areas=AREAS,
        volumes=(1e-3, 2e-3),
        reference=start,
        pressures=((hold + back * AREAS[1]) / AREAS[0], back),
        bulk_modulus=4e8,  # oil with hoses
        # A valve of square-root law: from the supply into chamber 1, from chamber 2 to the tank.
        flows=(f"valve*2e-7*sqrt(max(0, {SUPPLY} - p1))", "-valve*2e-7*sqrt(max(0, p2))"),
        leakage=1e-11,
    )
    m.torsion_spring_damper("losses", joint="A", damping=4000)
    m.event("open", "t - 0.5", set={"valve": 1})
    m.event("close", "boom.angle - 0.6", set={"valve": 0})
    return m


def picture(run: jd.Solution) -> Figure:
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_mechanism(run, [0, -1], axes=left)
    right.plot(run.t, run["ram.p1"] / 1e5, label="chamber 1")
    right.plot(run.t, run["ram.p2"] / 1e5, label="chamber 2")
    right.set(xlabel="t (s)", ylabel="pressure (bar)")
    right.legend(frameon=False)
    right.grid(True, color="#e6e8eb")
    return figure


def main() -> None:
    run = jd.simulate(build(), 6.0)
    print(run.summary())
    closed = run.events["close"].t[0]
    print(f"\nthe valve closes at {closed:.3f} s; the tip ends at {run['boom.tip.y'][-1]:.3f} m")
    print(f"pressure in chamber 1 at the end {run['ram.p1'][-1] / 1e5:.1f} bar")
    C = np.array([run["boom.C.x"][-1], run["boom.C.y"][-1]])
    ram = (C - (0.3, -0.8)) / np.linalg.norm(C - (0.3, -0.8))
    moment = run["ram.force"][-1] * (C[0] * ram[1] - C[1] * ram[0])
    assert np.isclose(moment, MASS * 9.81 * run["boom.x"][-1], rtol=2e-2)  # it carries the boom
    if len(sys.argv) > 1:
        picture(run).savefig(sys.argv[1], dpi=90)


if __name__ == "__main__":
    main()
