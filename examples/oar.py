"""Drag: an oar is pulled through the water by a constant torque until resistance balances it.

python examples/oar.py [picture.png]
"""

import sys

import numpy as np

import jourdain as jd

LENGTH, MASS, TORQUE = 1.5, 3.0, 60.0
DENSITY, COEFFICIENT, WIDTH = 1000.0, 1.2, 0.05
DRAG = DENSITY * COEFFICIENT * WIDTH / 2  # per metre and (m/s)^2


def build() -> jd.Mechanism:
    m = jd.Mechanism("oar")
    ends = {"A": (-LENGTH / 2, 0), "B": (LENGTH / 2, 0)}
    oar = m.body("oar", mass=MASS, inertia=MASS * LENGTH**2 / 12, position=(LENGTH / 2, 0), points=ends)
    m.revolute("A", m.ground.point("A", (0, 0)), oar["A"])
    m.drag("water", oar["A"], oar["B"], quadratic=DRAG)
    m.torque("rower", on=oar, torque=TORQUE)
    return m


def main() -> None:
    run = jd.simulate(build(), 1.0)
    inertia = MASS * LENGTH**2 / 3
    brake = DRAG * LENGTH**4 / 4  # its moment is this times the square of the speed
    final = np.sqrt(TORQUE / brake)
    exact = final * np.tanh(np.sqrt(TORQUE * brake) / inertia * run.t)
    print(run.summary())
    print(f"\nspeed at the end {run['oar.spin'][-1]:.6f} rad/s, in balance {final:.6f} rad/s")
    print(f"against the closed form: {abs(run['oar.spin'] - exact).max():.1e} rad/s")
    assert np.allclose(run["oar.spin"], exact, atol=1e-6)
    if len(sys.argv) > 1:
        run.plot("oar.spin", "water.fx", "water.fy", path=sys.argv[1])


if __name__ == "__main__":
    main()
