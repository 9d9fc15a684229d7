"""Events: a motor runs up, a clutch closes, the load is braked, the clutch opens again.

python examples/clutch.py [picture.png]
"""

import sys

import numpy as np

import jourdain as jd

MOTOR, LOAD = 0.2, 0.5  # inertias


def build() -> jd.Mechanism:
    m = jd.Mechanism("clutch")
    motor = m.body("motor", mass=1, inertia=MOTOR, position=(0, 0), points={"O": (0, 0)})
    load = m.body("load", mass=1, inertia=LOAD, position=(0, 0), points={"O": (0, 0)})
    m.revolute("A", m.ground.point("O", (0, 0)), motor["O"])
    m.revolute("B", m.ground["O"], load["O"])
    m.parameter("throttle", 10)
    m.torque("drive", on=motor, torque="throttle - 0.1*motor.spin")
    m.gear("clutch", joints=("A", "B"), ratio=1)
    m.switch_off("clutch")
    m.event("engage", "motor.spin - 60", on=["clutch"])
    m.event("release", "load.spin - 40", off=["clutch"], set={"throttle": 0})
    m.event("standstill", "motor.spin - 1", direction="falling", stop=True)
    return m


def main() -> None:
    run = jd.simulate(build(), 30.0)
    print(run.summary())
    for name, moments in run.events.items():
        print(
            f"{name:>12} at {moments.t[0]:.3f} s: motor {moments['motor.spin'][0]:.2f}, "
            f"load {moments['load.spin'][0]:.2f} rad/s before"
        )
    after = run["load.spin"][np.searchsorted(run.t, run.events["engage"].t[0], side="right")]
    print(f"\nafter the impact both turn with {60 * MOTOR / (MOTOR + LOAD):.3f} rad/s")
    lost = MOTOR * 60**2 / 2 * LOAD / (MOTOR + LOAD)
    assert after > 60 * MOTOR / (MOTOR + LOAD)
    assert np.isclose(run["energy.dissipated"][-1], lost)
    if len(sys.argv) > 1:
        run.plot("motor.spin", "load.spin", "energy.dissipated", path=sys.argv[1])


if __name__ == "__main__":
    main()
