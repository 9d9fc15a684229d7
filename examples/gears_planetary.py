"""A planetary gear: sun driven, ring fixed, carrier as output, against the formula of Willis.

python examples/gears_planetary.py [picture.png]

Gears see the angles of their joints. All joints here start at the carrier, so the angles are those relative to the
carrier, which is what meshes. The ring is the ground, seen from the carrier.
"""

import sys

import numpy as np

import jourdain as jd

SUN, PLANET, RING = 24, 18, 60  # teeth
MODULE = 0.005  # metres of diameter a tooth


def build() -> jd.Mechanism:
    m = jd.Mechanism("planetary gear")
    arm = MODULE * (SUN + PLANET) / 2
    places = [(arm * np.cos(a), arm * np.sin(a)) for a in np.radians((0, 120, 240))]
    points = {"O": (0, 0), **{f"P{k}": place for k, place in enumerate(places)}}
    carrier = m.body("carrier", mass=1, inertia=4e-3, position=(0, 0), points=points)
    sun = m.body("sun", mass=1, inertia=2e-3, position=(0, 0), points={"O": (0, 0)})
    m.revolute("ring", carrier["O"], m.ground.point("O", (0, 0)))
    m.revolute("sun_pin", carrier["O"], sun["O"])
    for k, place in enumerate(places):
        planet = m.body(f"planet{k}", mass=0.3, inertia=4e-4, position=place, points={"O": (0, 0)})
        m.revolute(f"pin{k}", carrier[f"P{k}"], planet["O"])
        m.gear(f"inner{k}", joints=("sun_pin", f"pin{k}"), teeth=(SUN, PLANET))
        if k == 0:  # the other planets follow the sun; a second mesh with the ring would be redundant
            m.gear("outer", joints=(f"pin{k}", "ring"), teeth=(PLANET, RING), internal=True)
    m.torque("motor", on=sun, torque=3)
    m.torque("load", on=carrier, torque="-8*tanh(carrier.spin)")
    return m


def main() -> None:
    run = jd.simulate(build(), 2.0)
    ratio = run["sun.spin"][-1] / run["carrier.spin"][-1]
    print(run.summary())
    print(f"\nsun over carrier: {ratio:.6f}; by Willis 1 + {RING}/{SUN} = {1 + RING / SUN:.6f}")
    assert np.isclose(ratio, 1 + RING / SUN)
    if len(sys.argv) > 1:
        run.draw(20, path=sys.argv[1])


if __name__ == "__main__":
    main()
