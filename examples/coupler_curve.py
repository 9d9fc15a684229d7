"""Hoeken's linkage: a turning crank moves a point along a line that is almost straight, at almost constant speed.

python examples/coupler_curve.py [picture.png]

Bars 1 : 2 (ground) : 2.5 : 2.5, and the point twice as far along the coupler (Norton, Design of Machinery, sect. 3.8).
"""

import sys

import numpy as np

import jourdain as jd

CRANK, GROUND, BAR = 0.1, 0.2, 0.25


def build() -> jd.Mechanism:
    m = jd.Mechanism("Hoeken's linkage")
    crank = m.body("crank", mass=0.1, inertia=1e-4, points={"A": (0, 0), "B": (CRANK, 0)}, position=(0, 0), angle=0)
    # With the crank along the ground B, C and D are a triangle of sides 0.1, 0.25 and 0.25.
    lean = float(np.arccos(0.5 * (GROUND - CRANK) / BAR))
    points = {"B": (0, 0), "C": (BAR, 0), "P": (2 * BAR, 0)}
    coupler = m.body("coupler", mass=0.5, inertia=1e-2, points=points, position=(CRANK, 0), angle=lean)
    place = {"position": (GROUND, 0), "angle": float(np.pi - lean)}
    rocker = m.body("rocker", mass=0.2, inertia=1e-3, points={"D": (0, 0), "C": (BAR, 0)}, **place)
    m.revolute("A", m.ground.point("A", (0, 0)), crank["A"])
    m.revolute("B", crank["B"], coupler["B"])
    m.revolute("C", coupler["C"], rocker["C"])
    m.revolute("D", m.ground.point("D", (GROUND, 0)), rocker["D"])
    return m


def main() -> None:
    run = jd.kinematics(build(), "A", from_="90 deg", to="450 deg", speed="60 rpm", points=721)
    straight = slice(0, 361)  # the half turn in which the crank points away from D
    height, speed = run["coupler.P.y"][straight], run["coupler.P.vx"][straight]
    length = np.ptp(run["coupler.P.x"][straight])
    print(run)
    print(f"\nover half a turn P moves {length:.3f} m and leaves its line by {np.ptp(height):.2g} m")
    print(f"its speed changes between {abs(speed).min():.3f} and {abs(speed).max():.3f} m/s")
    print(run.maxima("C.transmission", "coupler.P.vx", "drive.torque"))
    assert np.ptp(height) < 0.01 * length
    if len(sys.argv) > 1:
        run.plot_path("coupler.P", "coupler.C", path=sys.argv[1])


if __name__ == "__main__":
    main()
