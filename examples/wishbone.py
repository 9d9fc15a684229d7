"""A double wishbone: camber, toe and steer of the wheel over its travel, as formulas over its attitude.

x points ahead, y to the left, z up; the wheel's axle is y of the upright. Camber is its lean about x, toe and steer its
turn about z: with intrinsic z, x, y the first two angles of the upright.

python examples/wishbone.py [picture.png]
"""

import sys

import numpy as np

import jourdain as jd

CAMBER, TOE = "-upright.euler_zxy_2", "-upright.euler_zxy_1"  # of a left wheel: negative where the top leans in


def build() -> jd.Mechanism:
    m = jd.Mechanism("double wishbone", gravity=(0, 0, 0))
    ahead = {"axis": (1, 0, 0)}
    lower = m.body("lower", mass=3, inertia=(0.1, 0.1, 0.1), position=(0, 0.4, 0.2),
                   points={"pivot": {"at": (0, -0.2, 0), **ahead}, "ball": (0, 0.2, 0)})  # fmt: skip
    upper = m.body("upper", mass=2, inertia=(0.1, 0.1, 0.1), position=(-0.02, 0.42, 0.435),
                   points={"pivot": {"at": (0, -0.13, -0.015), **ahead}, "ball": (0, 0.13, 0.015)})  # fmt: skip
    upright = m.body("upright", mass=10, inertia=(0.3, 0.3, 0.3), position=(0, 0.62, 0.32),
                     points={"low": (0, -0.02, -0.12), "high": (-0.02, -0.07, 0.13), "arm": (-0.12, -0.04, -0.05),
                             "wheel": (0, 0.05, 0)})  # fmt: skip
    rod = m.body("tie_rod", mass=1, inertia=(0.01, 0.01, 0.01), position=(-0.12, 0.39, 0.27),
                 points={"rack": (0, -0.19, 0), "arm": (0, 0.19, 0)})  # fmt: skip
    ground = m.ground
    m.revolute("L", ground.point("L", (0, 0.2, 0.2), **ahead), lower["pivot"])
    m.revolute("U", ground.point("U", (-0.02, 0.29, 0.42), **ahead), upper["pivot"])
    m.spherical("low", lower["ball"], upright["low"])
    m.spherical("high", upper["ball"], upright["high"])
    m.spherical("arm", rod["arm"], upright["arm"])
    m.spherical("rack", ground.point("R", (-0.12, 0.2, 0.27)), rod["rack"])
    return m


def main() -> None:
    run = jd.kinematics(build(), drive="upright.wheel.z", from_="280 mm", to="360 mm")
    assert run.status.ok
    camber, toe = run[CAMBER, "deg"], run[TOE, "deg"]
    travel = run["upright.wheel.z", "mm"] - 320
    middle = int(np.argmin(np.abs(travel)))
    print(f"camber {camber[0]:.2f} .. {camber[middle]:.2f} .. {camber[-1]:.2f} deg over {np.ptp(travel):.0f} mm")
    print(f"toe    {toe[0]:.2f} .. {toe[middle]:.2f} .. {toe[-1]:.2f} deg; steer is toe less that at rest:")
    print(f"       {toe[-1] - toe[middle]:.3f} deg at full bump")
    assert camber[-1] < camber[middle] < camber[0]  # the upper arm draws the top of the wheel in as it rises
    if len(sys.argv) > 1:
        run.plot(CAMBER, TOE, against="upright.wheel.z", units="deg,mm", path=sys.argv[1])


if __name__ == "__main__":
    main()
