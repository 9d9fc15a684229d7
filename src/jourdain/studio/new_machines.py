"""What a new machine begins as: a bar on a pin, in the plane or in space."""

PLANAR = """\
jourdain: 1
name: my machine
space: planar
gravity: [0, -9.81]

ground: {points: {A: [0, 0]}}

bodies:
  bar:
    mass: 1 kg
    shape: {box: [1 m, 0.1 m]}
    position: [0.5, 0]
    points: {A: [-0.5, 0], B: [0.5, 0]}

joints:
  A: {type: revolute, between: [ground.A, bar.A]}
"""
SPATIAL = """\
jourdain: 1
name: my machine
space: spatial
gravity: [0, 0, -9.81]

ground: {points: {A: {at: [0, 0, 0], axis: [0, 1, 0]}}}

bodies:
  bar:
    mass: 1 kg
    shape: {box: [1 m, 0.1 m, 0.1 m]}
    position: [0.5, 0, 0]
    points: {A: {at: [-0.5, 0, 0], axis: [0, 1, 0]}, B: [0.5, 0, 0]}

joints:
  A: {type: revolute, between: [ground.A, bar.A]}
"""
NEW = {"planar": PLANAR, "spatial": SPATIAL}
