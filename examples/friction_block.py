"""Stick and slip: a block on a moving belt, held by a spring. Friction near rest is greater than in sliding.

python examples/friction_block.py [picture.png]
"""

import sys

import numpy as np

import jourdain as jd

MASS, STIFFNESS, BELT = 1.0, 200.0, 0.02
STATIC, KINETIC, G = 0.5, 0.3, 9.81


def build() -> jd.Mechanism:
    m = jd.Mechanism("stick and slip", gravity=(0, -G))
    belt = m.body("belt", mass=5, inertia=1, position=(0, 0), velocity=(BELT, 0), points={"B": (0, 0)})
    block = m.body("block", mass=MASS, inertia=0.01, position=(0, 0), velocity=(BELT, 0), points={"P": (0, 0)})
    m.prismatic("rollers", m.ground.point("O", (0, 0)), belt["B"])
    m.motion("drive", joint="rollers", speed=BELT)
    m.prismatic("contact", belt["B"], block["P"])
    friction = {"coefficient": KINETIC, "static": STATIC, "stribeck_speed": 0.01, "regular_speed": 5e-4}
    m.friction("dry", joint="contact", **friction)
    m.spring_damper("spring", m.ground.point("wall", (-0.5, 0)), block["P"], stiffness=STIFFNESS, length=0.5)
    return m


def main() -> None:
    run = jd.simulate(build(), 6.0, every=0.005)
    pull = run["spring.force"]
    print(run.summary())
    print(f"\nspring force between {pull.min():.2f} and {pull.max():.2f} N")
    print(f"the block breaks loose near {STATIC * MASS * G:.2f} N, slides with {KINETIC * MASS * G:.2f} N")
    assert np.isclose(pull.max(), STATIC * MASS * G, rtol=0.05)
    assert np.isclose(run["dry.normal"], MASS * G).all()
    if len(sys.argv) > 1:
        run.plot("block.x", "spring.force", "contact.speed", path=sys.argv[1])


if __name__ == "__main__":
    main()
