"""A Stewart platform led along a path, attitude included: the strokes of its six legs (inverse kinematics).

python examples/platform_path.py [picture.png]
"""

import sys

import numpy as np

import jourdain as jd


def build() -> jd.Mechanism:
    m = jd.example("stewart_platform")
    for motion in m.frozen().motions:  # its legs are driven there; here they follow
        m.switch_off(motion.name)
    x, y, z = m.frozen().body("platform").position
    m.motion(
        "path",
        body="platform",
        x=f"{x} + 0.05*cycloid(t, 0, 1)",
        y=y,
        z=f"{z} + 0.03*poly345(t, 1, 2)",
        bryan=("6 deg*cycloid(t, 0, 1)", "4 deg*sin(pi*t)", 0),
    )
    return m


def main() -> None:
    run = jd.simulate(build(), "2 s", every="10 ms")
    legs = [f"leg{k}_slide.displacement" for k in range(1, 7)]
    assert abs(run["platform.bryan_1", "deg"][-1] - 6) < 1e-6
    for leg in legs:
        print(f"{leg}: {np.ptp(run[leg, 'mm']):.2f} mm of stroke")
    if len(sys.argv) > 1:
        run.plot(*legs, units="mm", path=sys.argv[1])


if __name__ == "__main__":
    main()
