"""A healthy mechanism file, and ways to break it: each an exchange of text in it, or a text of its own."""

from __future__ import annotations

HEALTHY = """\
jourdain: 1
name: press
gravity: [0, -9.81]
parameters:
  L: 40 cm
  k: 2 kN/m
  half: L/2
ground:
  points: {O: [0, 0], W: {at: [1, 0], angle: 90 deg}}
bodies:
  crank:
    mass: 3
    inertia: 0.04
    position: [half, 0]
    angle: 0 deg
    points: {A: [-half, 0], B: [half, 0]}
  rod:
    mass: 2
    shape: {rod: 1}
    position: [L + 0.5, 0]
    points: {B: [-0.5, 0], C: [0.5, 0]}
joints:
  A: {type: revolute, between: [ground.O, crank.A]}
  B: {type: revolute, between: [crank.B, rod.B], initial: {angle: 10 deg}}
relations:
  mesh: {type: gear, joints: [A, B], ratio: -2}
forces:
  spring: {type: spring-damper, between: [ground.W, rod.C], stiffness: k, damping: 15, length: 25 mm}
  push: {type: force, on: rod.C, vector: [10*sin(2*pi*t), 0]}
  pad: {type: bushing, between: [ground.W, rod.C], stiffness: [1 kN/m, 1000, 3 N m]}
  snow: {type: line-load, between: [rod.B, rod.C], vector: [0, -500*s]}
elements:
  lag: {type: first-order, input: A.angle, time_constant: 0.1 s}
motions:
  drive: {joint: A, angle: 1500 rpm * t}
events:
  hit: {when: rod.C.y - 1 mm, direction: falling, set: {k: 2*k}, off: spring}
off: [mesh]
simulate: {duration: 5 s, rtol: 1e-8}
"""

EXCHANGES: dict[str, tuple[str, str]] = {
    # The file as a whole
    "version missing": ("jourdain: 1\n", ""),
    "version unknown": ("jourdain: 1", "jourdain: 2"),
    "version as text": ("jourdain: 1", "jourdain: one"),
    "unknown section": ("bodies:", "bodys:"),
    "section twice": ("off: [mesh]", "off: [mesh]\nname: again"),
    "name no text": ("name: press", "name: [press]"),
    "not closed": ("vector: [0, -500*s]}", "vector: [0, -500*s}"),
    "tab": ("  L: 40 cm", "\tL: 40 cm"),
    "two documents": ("off: [mesh]", "---\njourdain: 1"),
    "tag": ("name: press", "name: !python/object press"),
    "alias unknown": ("name: press", "name: *press"),
    "space unknown": ("name: press", "space: plannar"),
    "space no word": ("name: press", "space: 3"),
    "gravity short": ("gravity: [0, -9.81]", "gravity: [-9.81]"),
    "gravity in kilograms": ("gravity: [0, -9.81]", "gravity: [0, -9.81 kg]"),
    "bodies no table": ("off: [mesh]", "off: 3"),
    # Parameters
    "parameters in a circle": ("  L: 40 cm", "  L: 2*half"),
    "parameter of itself": ("  L: 40 cm", "  L: L + 1"),
    "parameter unknown in parameter": ("half: L/2", "half: LL/2"),
    "parameter over t": ("half: L/2", "half: L/2*t"),
    "parameter too large": ("  k: 2 kN/m", "  k: 1e400"),
    "parameter too large as formula": ("  k: 2 kN/m", "  k: 2*1e400"),
    "parameter not a number": ("  k: 2 kN/m", "  k: .nan"),
    "parameter a huge power": ("  k: 2 kN/m", "  k: 9**9**9"),
    "parameter by import": ("  k: 2 kN/m", "  k: __import__('os').system('x')"),
    "parameter a flag": ("  k: 2 kN/m", "  k: true"),
    "parameter empty": ("  k: 2 kN/m", "  k:"),
    "parameter twice": ("half: L/2", "half: L/2\n  k: 3"),
    "parameter of a reserved name": ("half: L/2", "half: L/2\n  t: 3"),
    "parameter of a constant's name": ("half: L/2", "half: L/2\n  pi: 3"),
    "parameter of a part's name": ("half: L/2", "half: L/2\n  rod: 3"),
    "division by zero": ("half: L/2", "half: L/(L - L)"),
    # Units and formulas
    "unit unknown": ("length: 25 mm", "length: 25 milimeter"),
    "unit mistyped": ("length: 25 mm", "length: 25 mmm"),
    "length in kilograms": ("length: 25 mm", "length: 25 kg"),
    "mass in degrees": ("mass: 3\n", "mass: 3 deg\n"),
    "length a stiffness": ("length: 25 mm", "length: k"),
    "stiffness in newtons": ("stiffness: k,", "stiffness: 200 N,"),
    "turning stiffness of a bushing": ("3 N m]", "3 N/m]"),
    "angle in hertz": ("angle: 1500 rpm * t", "speed: 50 Hz"),
    "angle in metres": ("angle: 0 deg", "angle: 3 mm"),
    "unlike things added": ("position: [half, 0]", "position: [half + 3 kg, 0]"),
    "sine of a length": ("10*sin(2*pi*t)", "10*sin(25 mm)"),
    "power of a unit": ("length: 25 mm", "length: 25 mm**2"),
    "ratio in metres": ("ratio: -2", "ratio: -2 m"),
    "formula cut off": ("-500*s", "-500*"),
    "function unknown": ("10*sin(2*pi*t)", "10*sinn(2*pi*t)"),
    "name unknown in a force": ("10*sin(2*pi*t)", "10*sin(w*t)"),
    "channel unknown": ("input: A.angle", "input: A.angel"),
    "part unknown in a formula": ("when: rod.C.y - 1 mm", "when: rodd.C.y - 1 mm"),
    "parameter unknown in a position": ("position: [half, 0]", "position: [hulf, 0]"),
    "position over t": ("position: [half, 0]", "position: [half*t, 0]"),
    # Bodies
    "key unknown": ("inertia: 0.04", "inertai: 0.04"),
    "mass missing": ("    mass: 3\n", ""),
    "inertia missing": ("    inertia: 0.04\n", ""),
    "mass no number": ("mass: 3\n", "mass: heavy\n"),
    "mass a list": ("mass: 3\n", "mass: [3]\n"),
    "mass negative": ("mass: 3\n", "mass: -3\n"),
    "inertia of space": ("inertia: 0.04", "inertia: [1, 2, 3]"),
    "position too long": ("position: [half, 0]", "position: [half, 0, 0]"),
    "attitude of space": ("angle: 0 deg", "quaternion: [1, 0, 0, 0]"),
    "attitude twice": ("angle: 0 deg", "angle: 0\n    quaternion: [1, 0, 0, 0]"),
    "key twice": ("inertia: 0.04", "inertia: 0.04\n    mass: 4"),
    "point of a channel's name": ("points: {A: [-half, 0]", "points: {x: [0, 0], A: [-half, 0]"),
    "point no place": ("points: {A: [-half, 0]", "points: {Z: 3, A: [-half, 0]"),
    "point with an axis in the plane": (
        "points: {A: [-half, 0]",
        "points: {Z: {at: [0, 0], axis: [1, 0]}, A: [-half, 0]",
    ),
    "point without place": ("points: {A: [-half, 0]", "points: {Z: {angle: 1}, A: [-half, 0]"),
    "shape unknown": ("shape: {rod: 1}", "shape: {rodd: 1}"),
    "shape negative": ("shape: {rod: 1}", "shape: {rod: -1}"),
    "shape in kilograms": ("shape: {rod: 1}", "shape: {rod: 1 kg}"),
    "density without thickness": ("    mass: 2\n", "    density: 7800\n"),
    "body of a keyword's name": ("  crank:\n", "  class: {mass: 1, inertia: 1}\n  crank:\n"),
    "body of a reserved name": ("  crank:\n", "  energy: {mass: 1, inertia: 1}\n  crank:\n"),
    "look unknown": ("shape: {rod: 1}", "shape: {rod: 1}\n    look: {color: red}"),
    # Joints
    "joint type unknown": ("A: {type: revolute", "A: {type: revolut"),
    "joint type missing": ("A: {type: revolute, ", "A: {"),
    "joint type of space": ("A: {type: revolute", "A: {type: spherical"),
    "joint to an unknown body": ("[ground.O, crank.A]", "[ground.O, crnk.A]"),
    "joint to an unknown point": ("[ground.O, crank.A]", "[ground.O, crank.AA]"),
    "joint to a body": ("[ground.O, crank.A]", "[ground.O, crank]"),
    "joint to one point": ("[ground.O, crank.A]", "[ground.O]"),
    "joint to itself": ("[ground.O, crank.A]", "[crank.B, crank.A]"),
    "joint without ends": (", between: [ground.O, crank.A]", ""),
    "joint with bodies and no place": ("between: [ground.O, crank.A]", "bodies: [ground, crank]"),
    "joint of unknown bodies": ("between: [ground.O, crank.A]", "bodies: [ground, crnk], at: [0, 0]"),
    "joint with a length": ("crank.A]}", "crank.A], length: 3}"),
    "distance without length": ("A: {type: revolute", "A: {type: distance"),
    "custom without equations": ("A: {type: revolute", "A: {type: custom"),
    "custom with a wrong equation": ("A: {type: revolute", "A: {type: custom, equations: ['dot(N, y_k)']"),
    "start unknown": ("initial: {angle: 10 deg}", "initial: {angel: 10 deg}"),
    "start of what it has not": ("initial: {angle: 10 deg}", "initial: {displacement: 10 mm}"),
    "start in metres": ("initial: {angle: 10 deg}", "initial: {angle: 10 mm}"),
    # Components
    "relation of an unknown joint": ("joints: [A, B], ratio", "joints: [A, BB], ratio"),
    "relation of one joint": ("joints: [A, B], ratio", "joints: [A], ratio"),
    "force type unknown": ("{type: line-load", "{type: lineload"),
    "force without vector": (", vector: [10*sin(2*pi*t), 0]", ""),
    "force with a long vector": ("[10*sin(2*pi*t), 0]", "[10*sin(2*pi*t), 0, 0]"),
    "force on the ground": ("on: rod.C,", "on: ground.W,"),
    "spring key unknown": ("damping: 15", "dampping: 15"),
    "element key missing": (", time_constant: 0.1 s", ""),
    "element time negative": ("time_constant: 0.1 s", "time_constant: -0.1 s"),
    "motion of an unknown joint": ("{joint: A, angle", "{joint: AA, angle"),
    "motion of what it has not": ("angle: 1500 rpm * t", "displacement: 3 mm"),
    "motion of nothing": (", angle: 1500 rpm * t", ""),
    "motion from nowhere": ("rpm * t}", "rpm * t, from: start}"),
    "motion rough": ("1500 rpm * t", "abs(t)"),
    "event without when": ("when: rod.C.y - 1 mm, ", ""),
    "event direction unknown": ("direction: falling", "direction: fallin"),
    "event sets the unknown": ("set: {k: 2*k}", "set: {kk: 2}"),
    "event switches the unknown": ("off: spring}", "off: sprung}"),
    "switched off is unknown": ("off: [mesh]", "off: [mash]"),
    # Simulate
    "duration negative": ("duration: 5 s", "duration: -5 s"),
    "duration in metres": ("duration: 5 s", "duration: 5 m"),
    "simulate key unknown": ("rtol: 1e-8", "rtoll: 1e-8"),
    "recipe unknown": ("rtol: 1e-8", "recipe: nafc"),
    "choices that do not go together": ("rtol: 1e-8", "integrator: rk4"),
    "step and tolerance": ("rtol: 1e-8", "rtol: 1e-8, integrator: rk4, step: 1e-3"),
}


def broken(name: str) -> str:
    old, new = EXCHANGES[name]
    assert HEALTHY.count(old) == 1, name
    return HEALTHY.replace(old, new)
