"""Ways to break a mechanism file by its parts: bodies, joints, components, choices of a run."""

from __future__ import annotations

from jourdain import RECIPES
from jourdain.library import forces

# A dozen are told, whatever others there will be.
FORCES = ", ".join(sorted(kind.name for kind in forces.KINDS)[:12])

# By name: what is replaced by what, and every fault that is told, without the name of the file.
EXCHANGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
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
        "inertia: [1, 2]",
        ("13:14: body 'crank': inertia is a list of 2; expected a list of 3 or 6 numbers (kg m^2)",),
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
        ("16:17: body 'crank': attitude is given twice, by angle and quaternion; keep one",),
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
    "shape without size": (
        "shape: {rod: 1}",
        "shape: rod",
        ("19:12: body 'rod': shape is 'rod'; expected a shape such as {rod: 1}, {box: [1, 0.2]} or {disc: 0.1}",),
    ),
    "trace of no point": (
        "shape: {rod: 1}",
        "shape: {rod: 1}\n    look: {traces: [c]}",
        ("20:21: body 'rod': traces: it has no point 'c'; known: B, C (did you mean 'C'?)",),
    ),
    "shape negative": (
        "shape: {rod: 1}",
        "shape: {rod: -1}",
        ("19:18: body 'rod': shape: length of the rod is -1.0; expected a positive number",),
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
            "20:12: body 'rod': look has an unknown key 'color'; known: colour, hidden, shapes, strokes, traces "
            "(did you mean 'colour'?)",
        ),
    ),
    # Joints
    "joint by another name": (
        "A: {type: revolute",
        "A: {type: hinge",
        (
            "23:13: joint 'A': unknown type 'hinge'; known: belt, coupling, custom, cylindrical, distance, "
            "equation, gear, knife-edge, parallel, perpendicular, planar, point-in-plane, ... ('hinge' is called "
            "'revolute' here)",
        ),
    ),
    "joint among forces": (
        "push: {type: force,",
        "push: {type: weld,",
        (f"29:16: force 'push': unknown type 'weld'; known: {FORCES}, ...; 'weld' belongs under joints",),
    ),
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
        (
            "23:3: joint 'A': length is missing, and cannot be taken from points that are drawn at one place; expected "
            "a length, or points drawn apart",
        ),
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
        ("24:74: joint 'B': initial: displacement: a revolute joint has no displacement; it has: angle",),
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
        (f"31:16: force 'snow': unknown type 'lineload'; known: {FORCES}, ... (did you mean 'line-load'?)",),
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
        (
            "35:28: motion 'drive': angle: 'abs' has no derivative everywhere and cannot stand in a joint's equation; "
            "use a cam law such as poly345(x, x0, x1), or a table",
        ),
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
            "38:7: switched off: there is no part 'mash'; known: A, B, drive, lag, mesh, pad, push, snow, spring "
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
        (f"39:35: simulate: unknown recipe 'nafc'; known: {', '.join(sorted(RECIPES))} (did you mean 'nacf'?)",),
    ),
    "choices that do not go together": (
        "rtol: 1e-8",
        "integrator: rk4",
        ("39:39: simulate: rk4 has a fixed step; give step=1e-3, or use dop853, which finds its own",),
    ),
    "step and tolerance": (
        "rtol: 1e-8",
        "rtol: 1e-8, integrator: rk4, step: 1e-3",
        ("39:33: simulate: rk4 has no error control, so rtol would do nothing; use dop853, or leave it out",),
    ),
}
