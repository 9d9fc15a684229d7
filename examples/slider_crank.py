"""A slider-crank in ten lines: a motor turns the crank, a rod pushes the slider.

python examples/slider_crank.py
"""

import jourdain as jd

m = jd.Mechanism("slider-crank", gravity=(0, -9.81))
crank = m.body("crank", mass=2, inertia=0.015, position=(0, 0.15), points={"O": (0, -0.15), "A": (0, 0.15)})
rod = m.body("rod", mass=1, inertia=0.021, position=(0.2, 0.15), points={"A": (-0.2, 0.15), "B": (0.2, -0.15)})
slider = m.body("slider", mass=3, inertia=0.01, position=(0.4, 0), points={"B": (0, 0)})
m.revolute("O", m.ground.point("O", (0, 0)), crank["O"])
m.revolute("A", crank["A"], rod["A"])
m.revolute("B", rod["B"], slider["B"])
m.prismatic("guide", m.ground["O"], slider["B"])
m.torque("motor", on=crank, torque="8*sin(2*pi*t)")
run = jd.simulate(m, 3.0, every=0.005)

print(run.summary())
run.plot("slider.x", "A.fx", "A.fy", path="slider_crank.png")
print("Channels drawn in slider_crank.png")
