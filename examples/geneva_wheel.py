"""A Geneva wheel of four slots: a quarter of a turn while the pin is in a slot, then it stands still.

While the pin is in, tan(psi) = sin(phi) / (sqrt(2) - cos(phi)); pin and slot meet and part at 45 degrees without speed.

python examples/geneva_wheel.py [picture.png]
"""

import math
import sys

import numpy as np

import jourdain as jd

IN_SLOT = "piecewise(x, -pi/4, -pi/4, pi/4, atan2(sin(x), sqrt(2) - cos(x)), pi/4)"


def build() -> jd.Mechanism:
    m = jd.Mechanism("Geneva wheel")
    crank = m.body("crank", mass=1, inertia=0.01, position=(0, 0), points={"O": (0, 0), "pin": (0.1, 0)})
    wheel = m.body(
        "wheel", mass=2, inertia=0.02, position=(0.1 * math.sqrt(2), 0), points={"W": (0, 0), "rim": (0.1, 0)}
    )
    m.revolute("A", m.ground.point("O", (0, 0)), crank["O"])
    m.revolute("B", m.ground.point("W", (0.1 * math.sqrt(2), 0)), wheel["W"])
    m.coupling("slot", joints=("A", "B"), function=IN_SLOT)
    m.motion("drive", joint="A", angle="-90 deg + 60 rpm*t")
    return m


def main() -> None:
    run = jd.simulate(build(), "0.5 s")
    assert abs(run["B.angle", "deg"][-1] - run["B.angle", "deg"][0] - 90) < 1e-9
    still = np.abs(run["A.angle"]) > math.pi / 4 + 1e-9
    assert np.abs(run["B.speed"][still]).max() < 1e-9
    print(
        f"wheel turns by 90 deg, at most at {run.max('B.speed')}; torque of the crank up to {run.max('drive.torque')}"
    )
    if len(sys.argv) > 1:
        run.plot("B.angle", "B.speed", "drive.torque", against="A.angle", units="deg,rpm", path=sys.argv[1])


if __name__ == "__main__":
    main()
