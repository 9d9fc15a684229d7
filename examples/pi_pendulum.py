"""A pendulum is held at an angle by a controller with proportional, integral and rate action.

python examples/pi_pendulum.py [picture.png]

Only the integral brings the error to zero: it ends up as the torque that the weight needs.
"""

import math
import sys

import numpy as np

import jourdain as jd

MASS, LENGTH, TARGET = 2.0, 0.5, math.radians(30)  # target: below or above the horizontal


def build() -> jd.Mechanism:
    m = jd.Mechanism("held pendulum", gravity=(0, -9.81))
    points = {"A": (-LENGTH, 0)}
    bob = m.body("bob", mass=MASS, inertia=0.01, position=(0, -LENGTH), angle=-math.pi / 2, points=points)
    m.revolute("A", m.ground.point("A", (0, 0)), bob["A"])
    gains = {"proportional": 40, "integral": 60, "limits": (-15, 15)}
    m.pi_controller("hold", target=TARGET, measured="A.angle", **gains)
    m.actuator("servo", joint="A", motor="hold.output - 6*A.speed")
    return m


def main() -> None:
    run = jd.simulate(build(), 6.0)
    needed = MASS * 9.81 * LENGTH * math.cos(TARGET)
    print(run.summary())
    print(f"\nangle at the end {math.degrees(run['A.angle'][-1]):.4f} degrees, wanted {math.degrees(TARGET):.0f}")
    print(f"torque at the end {run['hold.output'][-1]:.4f} N m, the weight needs {needed:.4f} N m")
    assert np.isclose(run["A.angle"][-1], TARGET, atol=1e-3)
    assert np.isclose(run["hold.output"][-1], needed, atol=2e-2)
    if len(sys.argv) > 1:
        run.plot("A.angle", "hold.output", "hold.sum", path=sys.argv[1])


if __name__ == "__main__":
    main()
