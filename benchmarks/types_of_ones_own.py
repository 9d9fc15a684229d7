"""Types (y): a step of machines that are made of types of one's own, beside the same machines written out.

A joint by its equations, a force with a state, a relation by a table, and the gallery's platform of six legs of one
type. Types are filled in when a file is read, so that a step must cost the same, and answers are the same to the bit;
what reading the file costs is told too. All in time of the processor, which others that compute disturb least.
"""

from __future__ import annotations

import time
from typing import Any

import yaml

import jourdain as jd
from harness import Contender, Sample, Target, compete
from jourdain.files import gallery

MUST = 0.91  # a step of types may take 1.1 times that of the machine written out
SECONDS, STEP = {2: 4.0, 3: 0.2}, 1e-3
SETS = {2: ("angle", "relative", "natural"), 3: ("quaternion", "relative", "natural")}

COMMON = """jourdain: 1
gravity: [0.3, -9.81]
ground: {points: {O: [0, 0], P: [1, 0.5], S: [-1, 0]}}
bodies:
  one: {mass: 1, inertia: 0.1, position: [0.2, 0], angle: 0, points: {A: [-0.2, 0], B: [0.2, 0]}}
  two: {mass: 2, inertia: 0.1, position: [0.8, 0], angle: 0, points: {A: [-0.3, 0], B: [0.4, 0]}}
  slide: {mass: 1, inertia: 1, position: [-0.85, 0], angle: 0, points: {C: [0, 0]}}
joints:
  A: {type: revolute, between: [ground.O, one.A]}
  S: {type: prismatic, between: [ground.S, slide.C]}
"""
RISE = "rise: {points: [[-10, 0], [-1, 0.02], [0, 0.05], [1, 0.02], [10, 0]], kind: spline, outside: hold}"
TYPES = {
    "a joint by its equations": """types:
  arc-pin:
    kind: joint
    ports: [slot, pin]
    parameters: {radius: {unit: m}}
    equations: ["(dot(N - M, N - M) - radius**2)/(2*radius)"]
joints: {B: {type: arc-pin, between: [one.B, two.A], radius: 0.1}}
""",
    "a force with a state": """types:
  mount:
    kind: force
    ports: [frame, part]
    parameters: {stiffness: {unit: N/m}, branch: {unit: N/m}, time: {unit: s}}
    states: {s: 0}
    rates: {s: (length - 0.5 - s)/time}
    force: stiffness*(length - 0.5) + branch*(length - 0.5 - s)
joints: {B: {type: revolute, between: [one.B, two.A]}}
forces: {F: {type: mount, between: [ground.P, two.B], stiffness: 300, branch: 100, time: 0.1}}
""",
    "a relation by a table": f"""types:
  cam:
    kind: relation
    joints: [shaft, follower]
    parameters: {{base: {{unit: m}}}}
    tables: {{{RISE}}}
    function: base + rise(x)
joints: {{B: {{type: revolute, between: [one.B, two.A]}}}}
relations: {{C: {{type: cam, joints: [A, S], base: 0.1}}}}
""",
}
WRITTEN_OUT = {
    "a joint by its equations": """
parameters: {radius: 0.1}
joints: {B: {type: custom, between: [one.B, two.A], equations: ["(dot(N - M, N - M) - radius**2)/(2*radius)"]}}
""",
    "a force with a state": """
parameters: {stiffness: 300, branch: 100, time: 0.1}
joints: {B: {type: revolute, between: [one.B, two.A]}}
forces:
  F:
    type: law
    between: [ground.P, two.B]
    states: {s: 0}
    rates: {s: (length - 0.5 - s)/time}
    force: stiffness*(length - 0.5) + branch*(length - 0.5 - s)
""",
    "a relation by a table": f"""
parameters: {{base: 0.1}}
tables: {{{RISE}}}
joints: {{B: {{type: revolute, between: [one.B, two.A]}}}}
relations: {{C: {{type: coupling, joints: [A, S], function: base + rise(x)}}}}
""",
}


def joined(text: str) -> str:
    """The common machine with the parts of one case."""
    tree = yaml.safe_load(COMMON)
    for section, parts in yaml.safe_load(text).items():
        tree[section] = {**tree.get(section, {}), **parts}
    return yaml.dump(tree, sort_keys=False)


def platform() -> str:
    """The platform of the gallery with six legs of one type in place of its six included files."""
    folder = gallery.folder()
    leg = yaml.safe_load((folder / "_stewart_leg.yaml").read_text())
    tree = yaml.safe_load((folder / "stewart_platform.yaml").read_text())
    sections = ("parameters", "ground", "bodies", "joints", "motions")
    tree["types"] = {"leg": {"kind": "assembly", "ports": {"top": "piston.T"}, **{key: leg[key] for key in sections}}}
    tree["assemblies"] = {one["prefix"][:-1]: {"type": "leg", **one["parameters"]} for one in tree.pop("include")}
    for joint in tree["joints"].values():
        joint["between"][0] = joint["between"][0].replace("_piston.T", ".top")
    return yaml.dump(tree, sort_keys=False)


def stepping(m: Any, coordinates: str) -> Any:
    """A run by equal steps; its answer is where all bodies are at its end."""
    seconds = SECONDS[m.frozen().dim]

    def run() -> Sample:
        session = jd.session(m, coordinates=coordinates, integrator="rk4", step=STEP, every=seconds)
        begun = time.process_time()
        session.advance(seconds)
        done = time.process_time() - begun
        return Sample(done, round(seconds / STEP), session.solution().motion.position[-1])

    return run


def reading(text: Any) -> float:
    """Seconds to read a machine, the best of ten."""
    times = []
    for _ in range(10):
        begun = time.process_time()
        jd.example("stewart_platform") if text is None else jd.load(text)
        times.append(time.process_time() - begun)
    return min(times)


def run(full: bool, rounds: int) -> dict[str, Any]:
    cases: dict[str, tuple[str, Any]] = {what: (joined(TYPES[what]), joined(WRITTEN_OUT[what])) for what in TYPES}
    cases["six legs of one type"] = (platform(), None)
    found: dict[str, Any] = {}
    for n, (what, (typed, own)) in enumerate(cases.items(), start=1):
        machines = jd.load(typed), jd.example("stewart_platform") if own is None else jd.load(own)
        sets = SETS[machines[0].frozen().dim]
        for coordinates in sets if full else sets[:1]:
            reference = stepping(machines[1], coordinates)().answer
            names = "types", "written out"
            contenders = [
                Contender(name, stepping(m, coordinates), bar=0.0, ours=name == "types", settings=coordinates)
                for name, m in zip(names, machines, strict=True)
            ]
            target = Target(f"{what}, {coordinates}", names[:1], names[1:], must=MUST, aim=1.0)
            title = f"y{n}. Types: {what}, {coordinates}"
            found[f"y{n} {coordinates}"] = compete(title, "step", contenders, reference, [target], 3 * rounds)
        ratio = reading(typed) / reading(own)
        print(f"  reading the file: {ratio:.2f} of the time of the machine written out")
        found[f"y{n} {sets[0]}"] |= {"reading": ratio}
    return found
