"""A single-cylinder engine at 3000 rpm: what shakes its frame, and what half a counterweight does about it.

python examples/engine_shaking.py [picture.png]

The classical compromise balances the crank and half of the mass that goes to and fro: the force along the cylinder is
halved, and some appears across it (Norton, Design of Machinery, engine dynamics).
"""

import sys

import numpy as np

import jourdain as jd

CRANK, ROD, SPEED = 0.05, 0.2, "3000 rpm"
ROD_MASS, PISTON_MASS, NEAR = 0.6, 0.5, 0.06  # kg; m from the big end to the mass centre of the rod


def build(balanced: float) -> jd.Mechanism:
    """With counterweights for the crank pin and a part of the piston."""
    going = PISTON_MASS + ROD_MASS * NEAR / ROD
    turning = ROD_MASS * (ROD - NEAR) / ROD
    crank_mass = 4.0
    centre = (-(turning + balanced * going) * CRANK / crank_mass, 0)
    m = jd.Mechanism("engine", gravity=(0, -9.81))
    points = {"O": (0, 0), "A": (CRANK, 0)}
    crank = m.body("crank", mass=crank_mass, inertia=1e-2, centre=centre, position=(0, 0), angle=0, points=points)
    ends = {"A": (-NEAR, 0), "B": (ROD - NEAR, 0)}
    inertia = ROD_MASS * NEAR * (ROD - NEAR)
    rod = m.body("rod", mass=ROD_MASS, inertia=inertia, position=(CRANK + NEAR, 0), angle=0, points=ends)
    piston = m.body("piston", mass=PISTON_MASS, inertia=1e-4, position=(CRANK + ROD, 0), points={"B": (0, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), crank["O"])
    m.revolute("A", crank["A"], rod["A"])
    m.revolute("B", rod["B"], piston["B"])
    m.prismatic("guide", m.ground["O"], piston["B"])
    return m


def main() -> None:
    runs = {part: jd.kinematics(build(part), "O", speed=SPEED) for part in (0.0, 0.5, 1.0)}
    for part, run in runs.items():
        along, across = (float(np.max(np.abs(run[c]))) for c in ("shaking.fx", "shaking.fy"))
        print(f"{100 * part:3.0f} % of the piston balanced: up to {along:6.0f} N along and {across:6.0f} N across")
    print(f"\nhalf balanced, over one turn:\n{runs[0.5].maxima()}")
    going = PISTON_MASS + ROD_MASS * NEAR / ROD
    w = 2 * np.pi * 50
    # At the dead centres the piston has r w^2 (1 + r/l) and r w^2 (1 - r/l).
    assert np.isclose(runs[0.0]["shaking.fx"][0], going * CRANK * w**2 * (1 + CRANK / ROD))
    assert np.isclose(runs[1.0]["shaking.fx"][0], going * CRANK * w**2 * CRANK / ROD)
    if len(sys.argv) > 1:
        runs[0.5].plot_polar("O", "A", path=sys.argv[1])


if __name__ == "__main__":
    main()
