"""Ways to break a mechanism file by its frame: the file as a whole, parameters, units and formulas."""

from __future__ import annotations

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
            "10:1: the file has an unknown key 'bodys'; known: assemblies, bodies, description, display, "
            "elements, events, forces, gravity, ground, include, joints, jourdain, ... (did you mean 'bodies'?)",
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
        (
            "31:70: not readable as YAML: while parsing a flow sequence did not find expected ',' or ']'; is there "
            "a comma missing, or a bracket that is not closed?",
        ),
    ),
    "indented by three": (
        "    mass: 3\n",
        "   mass: 3\n",
        (
            "13:12: not readable as YAML: mapping values are not allowed in this context; look at the indentation of "
            "this line and the one before",
        ),
    ),
    "colon missing": (
        "joints:\n",
        "joints\n",
        (
            "23:4: not readable as YAML: while scanning a simple key could not find expected ':'; is there a colon "
            "missing in the line before, or a quote that is not closed?",
        ),
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
        ("35:28: motion 'drive': speed is '50 Hz', a frequency; expected an angular speed (rad/s)",),
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
            "asin, atan, atan2, clip, cos, cosh, cycloid, exp, harmonic, log, max, min, mod, modified_sine, "
            "modified_trapezoid, piecewise, poly345, poly4567, ramp, sign, sin, sinh, sqrt, step, tan, tanh, "
            "trapezoid, where (did you mean 'sin'?)",
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
            "33:35: first-order 'lag': input: 'A' has no channel 'angel'; known: angle, displacement, fx, fy, load, "
            "mz, on_first.fx, on_first.fy, on_first.mz, speed (did you mean 'angle'?)",
        ),
    ),
    "part unknown in a formula": (
        "when: rod.C.y - 1 mm",
        "when: rodd.C.y - 1 mm",
        (
            "37:15: event 'hit': when: there is no body, joint or component 'rodd'; known: A, B, crank, drive, "
            "energy, ground, lag, mesh, pad, rod, shaking, snow, ... (did you mean 'rod'?)",
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
}
