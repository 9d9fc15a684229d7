"""A four-bar linkage driven by a DC motor: the current follows the load of the linkage.

python examples/dc_motor_four_bar.py [picture.png]
"""

import math
import sys

import numpy as np

import jourdain as jd

A, B, C, D = 0.1, 0.3, 0.25, 0.3  # crank, coupler, rocker, base


def rod(m, name, mass, ends):
    """A slender rod through two named places of the drawn pose."""
    p, q = ends.values()
    length = math.dist(p, q)
    points = dict(zip(ends, ((-length / 2, 0), (length / 2, 0)), strict=True))
    pose = {"position": ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2), "angle": math.atan2(q[1] - p[1], q[0] - p[0])}
    return m.body(name, mass=mass, inertia=mass * length**2 / 12, points=points, **pose)


def build() -> jd.Mechanism:
    m = jd.Mechanism("motor and four-bar", gravity=(0, -9.81))
    # The drawn pose: the crank along the base; coupler and rocker close a triangle over what is left of it.
    side = D - A
    x = (B**2 - C**2 + side**2) / (2 * side)
    P, Q, R, S = (0, 0), (A, 0), (A + x, math.sqrt(B**2 - x**2)), (D, 0)

    crank, coupler, rocker = (
        rod(m, name, mass, ends)
        for name, mass, ends in (
            ("crank", 0.5, {"P": P, "Q": Q}),
            ("coupler", 1.0, {"Q": Q, "R": R}),
            ("rocker", 1.0, {"S": S, "R": R}),
        )
    )
    m.revolute("O", m.ground.point("O", P), crank["P"])
    m.revolute("Q", crank["Q"], coupler["Q"])
    m.revolute("R", coupler["R"], rocker["R"])
    m.revolute("S", m.ground.point("S", S), rocker["S"])
    m.dc_motor("motor", joint="O", voltage="min(24, 48*t)", resistance=0.6, inductance=2e-3, constant=0.06, gear=20)
    return m


def main() -> None:
    run = jd.simulate(build(), 3.0)
    late = run.t > 1
    print(run.summary())
    speed = (run["O.angle"][-1] - run["O.angle"][late][0]) / (run.t[-1] - run.t[late][0])
    print(f"\nmean speed {speed:.2f} rad/s; without load {24 / (20 * 0.06):.2f} rad/s")
    print(f"current between {run['motor.current'][late].min():.2f} and {run['motor.current'][late].max():.2f} A")
    assert np.isclose(speed, 24 / (20 * 0.06), rtol=0.02)  # nothing takes energy on the average
    if len(sys.argv) > 1:
        run.plot("O.speed", "motor.current", "motor.voltage", "motor.torque", path=sys.argv[1])


if __name__ == "__main__":
    main()
