"""A cam by a table of lifts, with a valve spring: rise, dwell, fall, dwell, and the force at the contact.

python examples/cam_table.py [picture.png]
"""

import math
import sys

import numpy as np

import jourdain as jd

SPEED, MASS, STIFFNESS, PRELOAD = 60.0, 0.25, 4000.0, 60.0
ANGLES = [0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330]  # deg
LIFTS = [0, 0, 1.2, 5, 8.8, 10, 10, 8.8, 5, 1.2, 0, 0]  # mm


def build() -> jd.Mechanism:
    m = jd.Mechanism("cam", gravity=(0, -9.81))
    cam = m.body("cam", mass=1, inertia=1e-3, position=(0, 0), points={"O": (0, 0)})
    tappet = m.body("tappet", mass=MASS, inertia=1e-4, position=(0, "40 mm"))
    upright = {"angle": "90 deg"}
    m.revolute("A", m.ground.point("A", (0, 0)), cam["O"])
    m.prismatic("S", m.ground.point("S", (0, "40 mm"), **upright), tappet.point("S", (0, 0), **upright))
    lift = jd.Table(np.radians(ANGLES), np.array(LIFTS) / 1e3, periodic="360 deg")
    m.coupling("profile", joints=("A", "S"), function=lift)
    m.actuator("spring", joint="S", stiffness=STIFFNESS, preload=-PRELOAD)
    m.motion("drive", joint="A", angle=f"{SPEED}*t")
    return m


def main() -> None:
    run = jd.simulate(build(), 2 * math.pi / SPEED, every=math.pi / SPEED / 180)
    by_hand = MASS * (run["tappet.ay"] + 9.81) + STIFFNESS * run["S.displacement"] + PRELOAD
    assert np.allclose(run["profile.on_second"], by_hand, rtol=1e-9)
    top = (run["A.angle", "deg"] > 150.1) & (run["A.angle", "deg"] < 179.9)
    assert np.abs(run["S.speed"][top]).max() < 1e-9  # a dwell stands still
    print(f"contact force {run.min('profile.on_second')} to {run.max('profile.on_second')}")
    print("\n".join(run.status.notes))
    if len(sys.argv) > 1:
        run.plot("S.displacement", "profile.on_second", against="A.angle", units="deg,mm", path=sys.argv[1])


if __name__ == "__main__":
    main()
