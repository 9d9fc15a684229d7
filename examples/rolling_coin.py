"""A coin that rolls in a circle on a table, tilted: the steady motion, against its closed form.

python examples/rolling_coin.py [picture.png]
"""

import math
import sys

import numpy as np

import jourdain as jd

MASS, RADIUS = 0.02, 0.05
TILT, CIRCLE = math.radians(25), 0.12  # from the vertical; radius of the centre's path
ACROSS, ABOUT = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2  # inertias of a thin disc
G = 9.81


def rate() -> float:
    """How fast the coin goes round, from the balance of moments about its centre."""
    arm = ACROSS * math.sin(TILT) + (ABOUT + MASS * RADIUS**2) * CIRCLE / RADIUS
    return math.sqrt(MASS * G * RADIUS * math.tan(TILT) / arm)


def build() -> jd.Mechanism:
    """The coin at (CIRCLE, 0), leaning inwards: its axis, z of the body, points outwards and up."""
    m = jd.Mechanism("rolling coin", gravity=(0, 0, -G))
    axis = np.array([math.cos(TILT), 0, math.sin(TILT)])
    along = np.array([0.0, 1.0, 0.0])
    turning = np.array([0, 0, rate()]) - (rate() * CIRCLE / RADIUS + rate() * math.sin(TILT)) * axis
    coin = m.body(
        "coin",
        mass=MASS,
        inertia=(ACROSS, ACROSS, ABOUT),
        position=(CIRCLE, 0, RADIUS * math.cos(TILT)),
        matrix=np.column_stack([along, np.cross(axis, along), axis]),
        velocity=(0, rate() * CIRCLE, 0),
        spin=turning,
        points={"C": (0, 0, 0)},
    )
    m.rolling_disc("roll", m.ground.point("table", (0, 0, 0)), coin["C"], radius=RADIUS)
    return m


def main() -> None:
    turns = 2.0
    run = jd.simulate(build(), turns * 2 * math.pi / rate())
    radius = np.hypot(run["coin.x"], run["coin.y"])
    print(run.summary())
    print(
        f"\none round takes {2 * math.pi / rate():.4f} s; two rounds end at angle "
        f"{math.degrees(math.atan2(run['coin.y'][-1], run['coin.x'][-1])):.1e} degrees"
    )
    print(f"the radius {CIRCLE} m is kept to {np.ptp(radius):.1e} m")
    assert np.allclose(radius, CIRCLE, atol=1e-6)
    if len(sys.argv) > 1:
        run.draw(range(0, 76, 15), path=sys.argv[1])


if __name__ == "__main__":
    main()
