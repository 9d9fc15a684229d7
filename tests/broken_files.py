"""A healthy mechanism file, and ways to break it: each an exchange of text in it, with the faults that are told."""

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

# By name: what is replaced by what, and every fault that is told, without the name of the file.
EXCHANGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # The file as a whole
    "version missing": (
        "jourdain: 1\n",
        "",
        ("1:1: found no 'jourdain' key; expected a mechanism file, which says 'jourdain: 1' first",),
    ),
    "version unknown": (
        "jourdain: 1",
        "jourdain: 2",
        ("1:11: jourdain is 2; expected 1, the version of the format",),
    ),
    "version as text": (
        "jourdain: 1",
        "jourdain: one",
        ("1:11: jourdain is 'one'; expected 1, the version of the format",),
    ),
    "unknown section": (
        "bodies:",
        "bodys:",
        (
            "10:1: the file has an unknown key 'bodys'; known: bodies, description, elements, events, forces, "
            "gravity, ground, include, joints, jourdain, motions, name, ... (did you mean 'bodies'?)",
        ),
    ),
    "section twice": (
        "off: [mesh]",
        "off: [mesh]\nname: again",
        ("39:1: the file: 'name' is written twice; the first is in line 2",),
    ),
    "name no text": (
        "name: press",
        "name: [press]",
        ("2:7: name is a list of one; expected text",),
    ),
    "not closed": (
        "vector: [0, -500*s]}",
        "vector: [0, -500*s}",
        ("31:70: not readable as YAML: while parsing a flow sequence did not find expected ',' or ']'",),
    ),
    "tab": (
        "  L: 40 cm",
        "\tL: 40 cm",
        (
            "5:1: not readable as YAML: while scanning for the next token found character that cannot start any "
            "token; indent by spaces, not by tabs",
        ),
    ),
    "two documents": (
        "off: [mesh]",
        "---\njourdain: 1",
        ("38:1: a second document begins here; expected one mechanism a file",),
    ),
    "tag": (
        "name: press",
        "name: !python/object press",
        ("2:7: tag '!python/object' has no meaning here; write the value alone",),
    ),
    "alias unknown": (
        "name: press",
        "name: *press",
        ("2:7: alias '*press' names no anchor above it",),
    ),
    "space unknown": (
        "name: press",
        "space: plannar",
        ("2:8: space is 'plannar'; expected 'planar' or 'spatial' (did you mean 'planar'?)",),
    ),
    "space no word": (
        "name: press",
        "space: 3",
        ("2:8: space is 3; expected 'planar' or 'spatial'",),
    ),
    "gravity short": (
        "gravity: [0, -9.81]",
        "gravity: [-9.81]",
        ("3:10: gravity is a list of one; expected a list of 2 numbers (m/s^2)",),
    ),
    "gravity in kilograms": (
        "gravity: [0, -9.81]",
        "gravity: [0, -9.81 kg]",
        ("3:14: gravity is '-9.81 kg', a mass; expected an acceleration (m/s^2)",),
    ),
    "bodies no table": (
        "off: [mesh]",
        "off: 3",
        ("38:6: off is 3; expected a name or a list of names",),
    ),
    # Parameters
    "parameters in a circle": (
        "  L: 40 cm",
        "  L: 2*half",
        ("5:6: parameters go in a circle, L -> half -> L; expected each to use others that do not use it",),
    ),
    "parameter of itself": (
        "  L: 40 cm",
        "  L: L + 1",
        ("5:6: parameters go in a circle, L -> L; expected each to use others that do not use it",),
    ),
    "parameter unknown in parameter": (
        "half: L/2",
        "half: LL/2",
        ("7:9: parameter 'half': 'LL/2': there is no parameter 'LL'; known: L, e, half, k, pi (did you mean 'L'?)",),
    ),
    "parameter over t": (
        "half: L/2",
        "half: L/2*t",
        ("7:9: parameter 'half': 'L/2*t' depends on t; expected a number, the same at all times",),
    ),
    "parameter too large": (
        "  k: 2 kN/m",
        "  k: 1e400",
        ("6:6: parameter 'k' is inf; expected a finite number",),
    ),
    "parameter too large as formula": (
        "  k: 2 kN/m",
        "  k: 2*1e400",
        (
            "6:6: parameter 'k': '2*1e400': a number is too large; expected a number, a quantity or a formula of "
            "parameters",
        ),
    ),
    "parameter not a number": (
        "  k: 2 kN/m",
        "  k: .nan",
        ("6:6: parameter 'k' is nan; expected a finite number",),
    ),
    "parameter a huge power": (
        "  k: 2 kN/m",
        "  k: 9**9**9",
        (
            "6:6: parameter 'k': '9**9**9': pow of 9.0, 387420489.0: math range error; expected a number, a "
            "quantity or a formula of parameters",
        ),
    ),
    "parameter by import": (
        "  k: 2 kN/m",
        "  k: __import__('os').system('x')",
        (
            "6:6: parameter 'k': '__import__('os').system('x')' is not allowed in a formula; expected a number, "
            "a quantity or a formula of parameters",
        ),
    ),
    "parameter a flag": (
        "  k: 2 kN/m",
        "  k: true",
        ("6:6: parameter 'k' is true; expected a number",),
    ),
    "parameter empty": (
        "  k: 2 kN/m",
        "  k:",
        ("6:5: parameter 'k' is empty; expected a number",),
    ),
    "parameter twice": (
        "half: L/2",
        "half: L/2\n  k: 3",
        ("8:3: parameters: 'k' is written twice; the first is in line 6",),
    ),
    "parameter of a reserved name": (
        "half: L/2",
        "half: L/2\n  t: 3",
        ("8:3: parameter name 't' is reserved (energy, ground, t, violation are)",),
    ),
    "parameter of a constant's name": (
        "half: L/2",
        "half: L/2\n  pi: 3",
        ("8:3: parameter name 'pi' means a constant in every formula; choose another",),
    ),
    "parameter of a part's name": (
        "half: L/2",
        "half: L/2\n  rod: 3",
        ("18:3: name 'rod' is used 2 times (body and parameter); all parts share one namespace",),
    ),
    "division by zero": (
        "half: L/2",
        "half: L/(L - L)",
        ("7:9: parameter 'half': 'L/(L - L)' has no value (float division by zero); expected a number",),
    ),
    # Units and formulas
    "unit unknown": (
        "length: 25 mm",
        "length: 25 milimeter",
        (
            "28:96: spring-damper 'spring': length: '25 milimeter': unknown unit 'milimeter' after a number; "
            "known: N, m, mm, kg, s, deg, rad, rpm, ...",
        ),
    ),
    "unit mistyped": (
        "length: 25 mm",
        "length: 25 mmm",
        (
            "28:96: spring-damper 'spring': length: '25 mmm': unknown unit 'mmm' after a number; known: N, m, "
            "mm, kg, s, deg, rad, rpm, ... (did you mean 'mm'?)",
        ),
    ),
    "length in kilograms": (
        "length: 25 mm",
        "length: 25 kg",
        ("28:96: spring-damper 'spring': length is '25 kg', a mass; expected a length (m)",),
    ),
    "mass in degrees": (
        "mass: 3\n",
        "mass: 3 deg\n",
        ("12:11: body 'crank': mass is '3 deg', an angle; expected a mass (kg)",),
    ),
    "length a stiffness": (
        "length: 25 mm",
        "length: k",
        ("28:96: spring-damper 'spring': length is 'k', a stiffness; expected a length (m)",),
    ),
    "stiffness in newtons": (
        "stiffness: k,",
        "stiffness: 200 N,",
        ("28:72: spring-damper 'spring': stiffness is '200 N', a force; expected a stiffness (N/m)",),
    ),
    "turning stiffness of a bushing": (
        "3 N m]",
        "3 N/m]",
        ("30:78: bushing 'pad': stiffness is '3 N/m', a stiffness; expected a stiffness in turning (N m/rad)",),
    ),
    "angle in hertz": (
        "angle: 1500 rpm * t",
        "speed: 50 Hz",
        ("35:28: motion 'drive': speed is '50 Hz', a frequency; expected an angular speed or a speed (rad/s or m/s)",),
    ),
    "angle in metres": (
        "angle: 0 deg",
        "angle: 3 mm",
        ("15:12: body 'crank': angle is '3 mm', a length; expected an angle (rad)",),
    ),
    "unlike things added": (
        "position: [half, 0]",
        "position: [half + 3 kg, 0]",
        ("14:16: body 'crank': position is 'half + 3 kg', a mass; expected a length (m)",),
    ),
    "sine of a length": (
        "10*sin(2*pi*t)",
        "10*sin(25 mm)",
        (
            "29:43: force 'push': vector: '10*sin(25 mm)': sin of a length means nothing; expected an angle or a "
            "plain number",
        ),
    ),
    "power of a unit": (
        "length: 25 mm",
        "length: 25 mm**2",
        ("28:96: spring-damper 'spring': length: '25 mm**' can be read two ways; write '25 mm^2' or '(25 mm)**2'",),
    ),
    "ratio in metres": (
        "ratio: -2",
        "ratio: -2 m",
        ("26:45: gear 'mesh': ratio is '-2 m', a length; expected a plain number",),
    ),
    "formula cut off": (
        "-500*s",
        "-500*",
        ("31:64: line-load 'snow': vector: '-500*' cannot be read as a formula; expected a number or a formula (N/m)",),
    ),
    "function unknown": (
        "10*sin(2*pi*t)",
        "10*sinn(2*pi*t)",
        (
            "29:43: force 'push': vector: '10*sinn(2*pi*t)': unknown function 'sinn'; known: dot, abs, acos, "
            "asin, atan, atan2, cos, cosh, exp, log, max, min, sign, sin, sinh, sqrt, tan, tanh (did you mean "
            "'sin'?)",
        ),
    ),
    "name unknown in a force": (
        "10*sin(2*pi*t)",
        "10*sin(w*t)",
        ("29:43: force 'push': there is no parameter 'w'; known: L, half, k",),
    ),
    "channel unknown": (
        "input: A.angle",
        "input: A.angel",
        (
            "33:35: first-order 'lag': input: 'A' has no channel 'angel'; known: angle, displacement, fx, fy, "
            "mz, on_first.fx, on_first.fy, on_first.mz, speed (did you mean 'angle'?)",
        ),
    ),
    "part unknown in a formula": (
        "when: rod.C.y - 1 mm",
        "when: rodd.C.y - 1 mm",
        (
            "37:15: event 'hit': when: there is no body, joint or component 'rodd'; known: A, B, crank, drive, "
            "energy, ground, lag, mesh, pad, rod, snow, spring (did you mean 'rod'?)",
        ),
    ),
    "parameter unknown in a position": (
        "position: [half, 0]",
        "position: [hulf, 0]",
        (
            "14:16: body 'crank': position: 'hulf': there is no parameter 'hulf'; known: L, e, half, k, pi (did "
            "you mean 'half'?)",
        ),
    ),
    "position over t": (
        "position: [half, 0]",
        "position: [half*t, 0]",
        ("14:16: body 'crank': position: 'half*t' depends on t; expected a number (m), the same at all times",),
    ),
    "formula with a comma in a list": (
        "position: [half, 0]",
        "position: [half, atan2(0, 1)]",
        (
            "14:15: body 'crank': position is a list of 3; expected a list of 2 numbers (m); in a list a formula with "
            "a comma needs quotes",
        ),
    ),
    # Bodies
    "key unknown": (
        "inertia: 0.04",
        "inertai: 0.04",
        (
            "13:5: body 'crank' has an unknown key 'inertai'; known: angle, bryan, centre, density, euler, "
            "inertia, look, mass, matrix, points, position, quaternion, ... (did you mean 'inertia'?)",
        ),
    ),
    "mass missing": (
        "    mass: 3\n",
        "",
        ("11:3: body 'crank': mass is missing; expected a number, or density and a shape",),
    ),
    "inertia missing": (
        "    inertia: 0.04\n",
        "",
        ("11:3: body 'crank': inertia is missing; expected numbers about the mass centre, or a shape",),
    ),
    "mass no number": (
        "mass: 3\n",
        "mass: heavy\n",
        ("12:11: body 'crank': mass: 'heavy': there is no parameter 'heavy'; known: L, e, half, k, pi",),
    ),
    "mass a list": (
        "mass: 3\n",
        "mass: [3]\n",
        ("12:11: body 'crank': mass is a list of one; expected a number (kg)",),
    ),
    "mass negative": (
        "mass: 3\n",
        "mass: -3\n",
        ("12:11: body 'crank': mass is -3.0; expected a positive number",),
    ),
    "inertia of space": (
        "inertia: 0.04",
        "inertia: [1, 2, 3]",
        ("13:14: body 'crank': inertia is a list of 3; expected a number (kg m^2)",),
    ),
    "position too long": (
        "position: [half, 0]",
        "position: [half, 0, 0]",
        ("14:15: body 'crank': position is a list of 3; expected a list of 2 numbers (m)",),
    ),
    "attitude of space": (
        "angle: 0 deg",
        "quaternion: [1, 0, 0, 0]",
        ("15:17: body 'crank': attitude by 'quaternion' in a planar mechanism; expected angle",),
    ),
    "attitude twice": (
        "angle: 0 deg",
        "angle: 0\n    quaternion: [1, 0, 0, 0]",
        ("11:3: body 'crank': attitude is given twice, by angle and quaternion; keep one",),
    ),
    "key twice": (
        "inertia: 0.04",
        "inertia: 0.04\n    mass: 4",
        ("14:5: body 'crank': 'mass' is written twice; the first is in line 12",),
    ),
    "point of a channel's name": (
        "points: {A: [-half, 0]",
        "points: {x: [0, 0], A: [-half, 0]",
        ("16:14: point 'crank.x' bears the name of a channel; choose another name than 'x'",),
    ),
    "point no place": (
        "points: {A: [-half, 0]",
        "points: {Z: 3, A: [-half, 0]",
        ("16:17: point 'crank.Z' is 3; expected a list of 2 numbers (m)",),
    ),
    "point with an axis in the plane": (
        "points: {A: [-half, 0]",
        "points: {Z: {at: [0, 0], axis: [1, 0]}, A: [-half, 0]",
        ("16:36: point 'crank.Z' has an unknown key 'axis'; known: angle, at",),
    ),
    "point without place": (
        "points: {A: [-half, 0]",
        "points: {Z: {angle: 1}, A: [-half, 0]",
        ("16:17: point 'crank.Z': at is missing",),
    ),
    "shape unknown": (
        "shape: {rod: 1}",
        "shape: {rodd: 1}",
        (
            "19:13: body 'rod': shape has an unknown key 'rodd'; known: angle, at, axis, box, cylinder, disc, "
            "rod, sphere (did you mean 'rod'?)",
        ),
    ),
    "shape negative": (
        "shape: {rod: 1}",
        "shape: {rod: -1}",
        ("19:12: body 'rod': shape: length of the rod is -1.0; expected a positive number",),
    ),
    "shape in kilograms": (
        "shape: {rod: 1}",
        "shape: {rod: 1 kg}",
        ("19:18: body 'rod': shape: rod is '1 kg', a mass; expected a length (m)",),
    ),
    "density without thickness": (
        "    mass: 2\n",
        "    density: 7800\n",
        ("18:14: body 'rod': density needs the thickness of the rod, so that there is a volume",),
    ),
    "body of a keyword's name": (
        "  crank:\n",
        "  class: {mass: 1, inertia: 1}\n  crank:\n",
        ("11:3: body name 'class' is not an identifier; use letters, digits and underscores",),
    ),
    "body of a reserved name": (
        "  crank:\n",
        "  energy: {mass: 1, inertia: 1}\n  crank:\n",
        ("11:3: body name 'energy' is reserved (energy, ground, t, violation are)",),
    ),
    "look unknown": (
        "shape: {rod: 1}",
        "shape: {rod: 1}\n    look: {color: red}",
        (
            "20:12: body 'rod': look has an unknown key 'color'; known: colour, hidden, shapes, traces (did you "
            "mean 'colour'?)",
        ),
    ),
    # Joints
    "joint type unknown": (
        "A: {type: revolute",
        "A: {type: revolut",
        (
            "23:13: joint 'A': unknown type 'revolut'; known: belt, coupling, custom, cylindrical, distance, "
            "equation, gear, knife-edge, parallel, perpendicular, planar, point-in-plane, ... (did you mean "
            "'revolute'?)",
        ),
    ),
    "joint type missing": (
        "A: {type: revolute, ",
        "A: {",
        (
            "23:6: joint 'A': type is missing; known: belt, coupling, custom, cylindrical, distance, equation, "
            "gear, knife-edge, parallel, perpendicular, planar, point-in-plane, ...",
        ),
    ),
    "joint type of space": (
        "A: {type: revolute",
        "A: {type: spherical",
        ("23:13: joint 'A': there is no spherical joint in the plane; use revolute, or make the mechanism spatial",),
    ),
    "joint to an unknown body": (
        "[ground.O, crank.A]",
        "[ground.O, crnk.A]",
        ("23:43: joint 'A': there is no body 'crnk'; known: crank, ground, rod (did you mean 'crank'?)",),
    ),
    "joint to an unknown point": (
        "[ground.O, crank.A]",
        "[ground.O, crank.AA]",
        ("23:43: joint 'A': body 'crank' has no point 'AA'; known: A, B (did you mean 'A'?)",),
    ),
    "joint to a body": (
        "[ground.O, crank.A]",
        "[ground.O, crank]",
        ("23:43: joint 'A': between is 'crank'; expected a point like crank.B",),
    ),
    "joint to one point": (
        "[ground.O, crank.A]",
        "[ground.O]",
        ("23:32: joint 'A': between is a list of one; expected two points like [crank.B, coupler.B]",),
    ),
    "joint to itself": (
        "[ground.O, crank.A]",
        "[crank.B, crank.A]",
        ("23:32: joint 'A' joins body 'crank' to itself; a joint needs two different bodies",),
    ),
    "joint without ends": (
        ", between: [ground.O, crank.A]",
        "",
        ("23:6: joint 'A': between is missing; expected two points like [crank.B, coupler.B]",),
    ),
    "joint with bodies and no place": (
        "between: [ground.O, crank.A]",
        "bodies: [ground, crank]",
        ("23:6: joint 'A': at is missing; with bodies it is the place of the joint, in fixed axes",),
    ),
    "joint of unknown bodies": (
        "between: [ground.O, crank.A]",
        "bodies: [ground, crnk], at: [0, 0]",
        ("23:31: joint 'A': there is no body 'crnk'; known: crank, ground, rod (did you mean 'crank'?)",),
    ),
    "joint with a length": (
        "crank.A]}",
        "crank.A], length: 3}",
        ("23:53: joint 'A' has an unknown key 'length'; known: at, axis, between, bodies, initial, type",),
    ),
    "distance without length": (
        "A: {type: revolute",
        "A: {type: distance",
        ("23:6: joint 'A': length is missing; expected a positive number (m)",),
    ),
    "custom without equations": (
        "A: {type: revolute",
        "A: {type: custom",
        ("23:6: joint 'A': equations is missing; expected a list of texts such as ['dot(N - M, y_i)']",),
    ),
    "custom with a wrong equation": (
        "A: {type: revolute",
        "A: {type: custom, equations: ['dot(N, y_k)']",
        (
            "23:33: joint 'A': unknown name 'y_k'; known: M, MN, N, OM, ON, e, e_x, e_y, e_z, pi, t, x_i, x_j, "
            "y_i, y_j, z_i, z_j (did you mean 'y_j'?)",
        ),
    ),
    "start unknown": (
        "initial: {angle: 10 deg}",
        "initial: {angel: 10 deg}",
        (
            "24:60: joint 'B': initial has an unknown key 'angel'; known: angle, displacement, speed (did you "
            "mean 'angle'?)",
        ),
    ),
    "start of what it has not": (
        "initial: {angle: 10 deg}",
        "initial: {displacement: 10 mm}",
        ("24:59: joint 'B': initial: displacement: a revolute joint has no displacement; it has: angle",),
    ),
    "start in metres": (
        "initial: {angle: 10 deg}",
        "initial: {angle: 10 mm}",
        ("24:67: joint 'B': initial: angle is '10 mm', a length; expected an angle (rad)",),
    ),
    # Components
    "relation of an unknown joint": (
        "joints: [A, B], ratio",
        "joints: [A, BB], ratio",
        ("26:34: gear 'mesh': there is no joint 'BB'; known: A, B (did you mean 'B'?)",),
    ),
    "relation of one joint": (
        "joints: [A, B], ratio",
        "joints: [A], ratio",
        ("26:30: gear 'mesh': joints is a list of one; expected two names like [A, B]",),
    ),
    "force type unknown": (
        "{type: line-load",
        "{type: lineload",
        (
            "31:16: force 'snow': unknown type 'lineload'; known: actuator, bushing, drag, follower-force, "
            "follower-torque, force, friction, line-load, rope, spring, spring-damper, stop, ... (did you mean "
            "'line-load'?)",
        ),
    ),
    "force without vector": (
        ", vector: [10*sin(2*pi*t), 0]",
        "",
        ("29:9: force 'push': vector is missing; expected 2 numbers or formulas",),
    ),
    "force with a long vector": (
        "[10*sin(2*pi*t), 0]",
        "[10*sin(2*pi*t), 0, 0]",
        ("29:42: force 'push': vector is a list of 3; expected a list of 2 numbers or formulas (N)",),
    ),
    "force on the ground": (
        "on: rod.C,",
        "on: ground.W,",
        ("29:27: force 'push' acts on the ground, which does not move; name a point of a body",),
    ),
    "spring key unknown": (
        "damping: 15",
        "dampping: 15",
        (
            "28:75: spring-damper 'spring' has an unknown key 'dampping'; known: between, damping, length, "
            "stiffness, type (did you mean 'damping'?)",
        ),
    ),
    "element key missing": (
        ", time_constant: 0.1 s",
        "",
        ("33:3: first-order 'lag': time_constant is missing; expected a positive number",),
    ),
    "element time negative": (
        "time_constant: 0.1 s",
        "time_constant: -0.1 s",
        ("33:59: first-order 'lag': time_constant is -0.1; expected a positive number",),
    ),
    "motion of an unknown joint": (
        "{joint: A, angle",
        "{joint: AA, angle",
        ("35:18: motion 'drive': there is no joint 'AA'; known: A, B (did you mean 'A'?)",),
    ),
    "motion of what it has not": (
        "angle: 1500 rpm * t",
        "displacement: 3 mm",
        ("35:18: motion 'drive': joint 'A' is a revolute joint, which has no displacement; it has: angle",),
    ),
    "motion of nothing": (
        ", angle: 1500 rpm * t",
        "",
        ("35:3: motion 'drive': nothing is prescribed; expected angle, displacement, speed",),
    ),
    "motion from nowhere": (
        "rpm * t}",
        "rpm * t, from: start}",
        ("35:48: motion 'drive': from is 'start'; expected 'drawn', the assembled pose",),
    ),
    "motion rough": (
        "1500 rpm * t",
        "abs(t)",
        ("35:28: motion 'drive': angle: 'abs' has no derivative everywhere and cannot stand in a joint's equation",),
    ),
    "event without when": (
        "when: rod.C.y - 1 mm, ",
        "",
        ("37:8: event 'hit': when is missing",),
    ),
    "event direction unknown": (
        "direction: falling",
        "direction: fallin",
        (
            "37:42: event 'hit': direction is 'fallin'; expected 'rising' or 'falling' or 'both' (did you mean "
            "'falling'?)",
        ),
    ),
    "event sets the unknown": (
        "set: {k: 2*k}",
        "set: {kk: 2}",
        ("37:57: event 'hit': there is no parameter 'kk'; known: L, half, k (did you mean 'k'?)",),
    ),
    "event switches the unknown": (
        "off: spring}",
        "off: sprung}",
        (
            "37:71: event 'hit': there is no part 'sprung' to switch off; known: A, B, drive, lag, mesh, pad, "
            "push, snow, spring (did you mean 'spring'?)",
        ),
    ),
    "switched off is unknown": (
        "off: [mesh]",
        "off: [mash]",
        (
            "38:6: switched off: there is no part 'mash'; known: A, B, drive, lag, mesh, pad, push, snow, spring "
            "(did you mean 'mesh'?)",
        ),
    ),
    # Simulate
    "duration negative": (
        "duration: 5 s",
        "duration: -5 s",
        ("39:22: simulate: duration is -5; expected a positive number",),
    ),
    "duration in metres": (
        "duration: 5 s",
        "duration: 5 m",
        ("39:22: simulate: duration is '5 m', a length; expected a time (s)",),
    ),
    "simulate key unknown": (
        "rtol: 1e-8",
        "rtoll: 1e-8",
        (
            "39:27: simulate has an unknown key 'rtoll'; known: atol, coordinates, duration, every, integrator, "
            "max_step, recipe, rtol, stabilisation, step, treatment (did you mean 'rtol'?)",
        ),
    ),
    "recipe unknown": (
        "rtol: 1e-8",
        "recipe: nafc",
        ("39:35: simulate: unknown recipe 'nafc'; known: auto, nacf, stanescu (did you mean 'nacf'?)",),
    ),
    "choices that do not go together": (
        "rtol: 1e-8",
        "integrator: rk4",
        ("39:39: simulate: rk4 has a fixed step; give step=1e-3, or use dop853, which finds its own",),
    ),
    "step and tolerance": (
        "rtol: 1e-8",
        "rtol: 1e-8, integrator: rk4, step: 1e-3",
        ("39:51: simulate: rk4 has no error control, so rtol would do nothing; use dop853, or leave it out",),
    ),
}


def broken(name: str) -> str:
    """The healthy file with one thing wrong."""
    old, new, _ = EXCHANGES[name]
    assert HEALTHY.count(old) == 1, name
    return HEALTHY.replace(old, new)
