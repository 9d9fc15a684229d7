"""A slider-crank whose crank turns at a constant speed: what torque does that take?

python examples/driven_slider_crank.py [picture.png]
"""

import math
import sys

import numpy as np

import jourdain as jd

CRANK, ROD, SPEED = 0.1, 0.35, 2 * math.pi * 5


def build() -> jd.Mechanism:
    m = jd.Mechanism("driven slider-crank")
    crank = m.body("crank", mass=1, inertia=2e-3, position=(0, 0), points={"O": (0, 0), "A": (CRANK, 0)})
    rod = m.body("rod", mass=0.4, inertia=4e-3, points={"A": (-ROD / 2, 0), "B": (ROD / 2, 0)}, position=(0.275, 0))
    piston = m.body("piston", mass=0.6, inertia=1e-3, position=(CRANK + ROD, 0), points={"B": (0, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), crank["O"])
    m.revolute("A", crank["A"], rod["A"])
    m.revolute("B", rod["B"], piston["B"])
    m.prismatic("guide", m.ground["O"], piston["B"])
    m.motion("drive", joint="O", angle=f"{SPEED}*t")
    return m


def main() -> None:
    run = jd.simulate(build(), 0.4)
    angle = SPEED * run.t
    x = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    print(run.summary())
    print(f"\nlargest driving torque: {abs(run['drive.torque']).max():.2f} N m")
    print(f"piston against the closed form: {abs(run['piston.x'] - x).max():.1e} m")
    print(f"work over two turns: {run['energy.driven'][-1] - run['energy.driven'][0]:.1e} J (nothing takes any)")
    assert np.allclose(run["piston.x"], x)
    if len(sys.argv) > 1:
        run.plot("drive.torque", "B.fx", "guide.fy", path=sys.argv[1])


if __name__ == "__main__":
    main()
