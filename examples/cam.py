"""A cam: a coupling of two joints by a Python function, and whether the follower would lift off.

python examples/cam.py [picture.png]
"""

import math
import sys

import numpy as np

import jourdain as jd

LIFT, SPEED = 0.01, 60.0
STIFFNESS, PRELOAD = 800.0, 30.0


def profile(x: float) -> float:
    """One rise and fall a turn, flatter on top than a cosine, smooth everywhere."""
    return LIFT / 2 * (1 - math.cos(x)) - LIFT / 12 * (1 - math.cos(3 * x))


def build() -> jd.Mechanism:
    m = jd.Mechanism("cam", gravity=(0, -9.81))
    cam = m.body("cam", mass=1, inertia=1e-3, position=(0, 0), points={"O": (0, 0)})
    tappet = m.body("tappet", mass=0.25, inertia=1e-4, position=(0, 0.04), points={"P": (0, 0)})
    upright = {"angle": math.pi / 2}
    m.revolute("A", m.ground.point("A", (0, 0)), cam["O"])
    m.prismatic("S", m.ground.point("S", (0, 0.04), **upright), tappet.point("S", (0, 0), **upright))
    m.coupling("profile", joints=("A", "S"), function=profile)
    m.actuator("spring", joint="S", stiffness=STIFFNESS, preload=-PRELOAD)
    m.motion("drive", joint="A", angle=f"{SPEED}*t")
    return m


def main() -> None:
    run = jd.simulate(build(), 2 * math.pi / SPEED)
    x = SPEED * run.t
    lift = LIFT / 2 * (1 - np.cos(x)) - LIFT / 12 * (1 - np.cos(3 * x))
    rise = SPEED**2 * (LIFT / 2 * np.cos(x) - 9 * LIFT / 12 * np.cos(3 * x))
    contact = 0.25 * (rise + 9.81) + STIFFNESS * lift + PRELOAD
    print(run.summary())
    print(
        f"\nlift {run['S.displacement'].max() * 1e3:.2f} mm, driving torque up to {run['drive.torque'].max():.3f} N m"
    )
    print(f"least contact force {run['profile.on_second'].min():.2f} N; below zero the tappet would lift off")
    assert np.allclose(run["S.displacement"], lift)
    assert np.allclose(run["profile.on_second"], contact, atol=1e-5)
    if len(sys.argv) > 1:
        run.plot("S.displacement", "profile.on_second", "drive.torque", path=sys.argv[1])


if __name__ == "__main__":
    main()
