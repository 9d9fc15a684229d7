"""A slide driven by a table of speeds, and the same by a profile: how far it goes is the area below them.

python examples/trapezoid.py [picture.png]
"""

import sys

import jourdain as jd

TIMES, SPEEDS = [0.0, 0.5, 2.5, 3.5], [0.0, 0.1, 0.1, 0.0]
AREA = 0.275  # m


def slide(speed: object) -> jd.Mechanism:
    m = jd.Mechanism("slide")
    block = m.body("block", mass="2 kg", inertia=1, position=(0, 0), points={"A": (0, 0)})
    m.prismatic("S", m.ground.point("A", (0, 0)), block["A"])
    m.motion("drive", joint="S", speed=speed)
    return m


def main() -> None:
    by_table = jd.simulate(slide(jd.Table(TIMES, SPEEDS)), "3.5 s")
    by_profile = jd.simulate(slide("0.1*trapezoid(t, 0, 0.5, 2.5, 3.5)"), "3.5 s")
    for run in (by_table, by_profile):
        print(f"{run['block.x', 'mm'][-1]:.6f} mm, largest force {run.max('drive.force')}")
        assert abs(run["block.x"][-1] - AREA) < 1e-9
    if len(sys.argv) > 1:
        by_table.overlay(by_profile, names=["block.vx", "drive.force"], path=sys.argv[1])


if __name__ == "__main__":
    main()
