"""A pendulum on a cart is balanced by a controller in plain Python: it reads, thinks, and pushes, 100 times a second.

python examples/session_controller.py [picture.png]

The controller knows positions only, as an encoder would tell them, estimates speeds from two readings, and is limited
to 40 N. After 3 s it is asked for a place half a metre away: to go there the cart first goes back a little.
"""

import math
import sys

import numpy as np

import jourdain as jd

SAMPLE, LIMIT = 0.01, 40.0  # s, N
GAINS = np.array([-32.0, -33.0, 175.0, 44.0])  # cart, its speed, angle from upright, its speed


def build() -> jd.Mechanism:
    m = jd.Mechanism("balanced pendulum", gravity=(0, -9.81))
    tilt = math.radians(8)
    cart = m.body("cart", mass=2, inertia=0.1, position=(0, 0), points={"P": (0, 0)})
    top = (-0.5 * math.sin(tilt), 0.5 * math.cos(tilt))
    pole = m.body("pole", mass=0.5, inertia=0.5 / 12, position=top, angle=tilt, points={"P": (0, -0.5)})
    m.prismatic("rail", m.ground.point("O", (0, 0)), cart["P"])
    m.revolute("hinge", cart["P"], pole["P"])
    m.parameter("push", 0.0)
    m.force("motor", on=cart["P"], vector=("push", 0))
    return m


class Controller:
    """State feedback; speeds are differences of readings."""

    def __init__(self) -> None:
        self.before: np.ndarray | None = None

    def __call__(self, t: float, readings: np.ndarray) -> float:
        before = readings if self.before is None else self.before
        self.before = readings
        place, angle = readings
        speeds = (readings - before) / SAMPLE
        error = np.array([place - (0.5 if t > 3 else 0.0), speeds[0], angle, speeds[1]])
        return float(np.clip(-GAINS @ error, -LIMIT, LIMIT))


def main() -> None:
    session = jd.session(build(), every=SAMPLE)
    controller = Controller()
    push = []
    while session.t < 8:
        push.append(controller(session.t, session[["cart.x", "pole.angle"]]))
        session.set("push", push[-1])
        session.advance(SAMPLE)
    run = session.solution()
    tilt = np.degrees(run["pole.angle"])
    print(f"largest tilt {abs(tilt).max():.1f} degrees, at the end {tilt[-1]:.4f}")
    print(f"largest push {max(map(abs, push)):.1f} N; cart at {run['cart.x'][-1]:.4f} m, wanted 0.5 m")
    assert abs(tilt[-1]) < 0.1 and abs(run["cart.x"][-1] - 0.5) < 0.01
    if len(sys.argv) > 1:
        run.plot("cart.x", "pole.angle", path=sys.argv[1])


if __name__ == "__main__":
    main()
