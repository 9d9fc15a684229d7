"""The bucket of an excavator drawn level through the ground: kinematics over a coordinate of its tip.

The bucket's tip moves along x at a constant depth; stick and bucket follow.

    jourdain kinematics mine.yaml --drive bucket.T.x --from 2.2m --to 1.4m

python examples/excavator_bucket.py [picture.png]
"""

import sys

import numpy as np

import jourdain as jd

DEPTH = -1.0


def build() -> jd.Mechanism:
    m = jd.Mechanism("excavator", gravity=(0, -9.81))
    stick = m.body("stick", mass=200, inertia=50, position=(1.0, 0.25), angle="-20 deg",
                   points={"A": (-0.75, 0), "B": (0.75, 0)})  # fmt: skip
    bucket = m.body("bucket", mass=150, inertia=20, angle="-80 deg", points={"B": (-0.45, 0), "T": (0.45, 0)})
    m.revolute("A", m.ground.point("A", (0.3, 0.6)), stick["A"])
    m.revolute("B", stick["B"], bucket["B"])
    m.motion("depth", point=bucket["T"], y=DEPTH)
    return m


def main() -> None:
    run = jd.kinematics(build(), drive="bucket.T.x", from_="1.9 m", to="1.3 m")
    assert run.status.ok and np.allclose(run["bucket.T.y"], DEPTH)
    assert np.allclose(run["bucket.T.x"][[0, -1]], [1.9, 1.3])
    print(run.summary())
    print(f"the bucket turns from {run['B.angle', 'deg'][0]:.1f} to {run['B.angle', 'deg'][-1]:.1f} deg")
    if len(sys.argv) > 1:
        run.plot("A.angle", "B.angle", against="bucket.T.x", units="deg,mm", path=sys.argv[1])


if __name__ == "__main__":
    main()
