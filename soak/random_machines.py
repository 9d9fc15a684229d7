"""Random machines of all kinds: 1 to 60 bodies in plane and space, trees, loops, redundant and driven ones.

They have relations, elements and events, and each has a list of what acts on its bodies beside gravity and joints.

Ports are placed so that each joint is closed as drawn (tests/random_mechanisms.py). Loads are known here by their own
formulas, so that Newton's and Euler's equations can be put together without the program that is tested.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import jourdain as jd
from jourdain.mechanism import rotations as att
from random_mechanisms import _add_body, _closed_ports, rotation

MOST_BODIES = 60
PLANAR_TREE = ("revolute",) * 5 + ("prismatic",) * 2 + ("weld", "distance", "point-on-line")
SPATIAL_TREE = (
    *("revolute",) * 6, *("spherical",) * 2, *("universal",) * 2, *("prismatic",) * 2,
    *("cylindrical", "planar", "weld", "distance", "screw", "point-in-plane"),
)  # fmt: skip
PLANAR_LOOPS = {"revolute": 2, "distance": 1, "point-on-line": 1, "prismatic": 2}
SPATIAL_LOOPS = {"distance": 1, "spherical": 3, "point-in-plane": 1, "universal": 4, "cylindrical": 4, "revolute": 5}
ROWS = {
    "planar": {"revolute": 2, "prismatic": 2, "weld": 3, "distance": 1, "point-on-line": 1},
    "spatial": {
        "revolute": 5,
        "prismatic": 5,
        "spherical": 3,
        "universal": 4,
        "cylindrical": 4,
        "planar": 3,
        "weld": 6,
        "distance": 1,
        "screw": 5,
        "point-in-plane": 1,
        "point-on-line": 2,
    },
}


@dataclass
class Machine:
    """A mechanism, and what its judge has to know."""

    m: jd.Mechanism
    seed: int
    bodies: int
    words: list[str] = field(default_factory=list)
    # (body, point of it, components over (t, run)): forces in fixed axes; torques have no point
    forces: list[tuple[str, str, Any]] = field(default_factory=list)
    torques: list[tuple[str, Any]] = field(default_factory=list)
    # (joint, channel, about or along): what acts in a joint, in the direction in which its coordinate grows
    in_joints: list[tuple[str, str, str]] = field(default_factory=list)
    springs: list[tuple[str, str, str, str, str]] = field(default_factory=list)  # name and two points
    drives: dict[str, tuple[str, float, float]] = field(default_factory=dict)  # of joints: a sin(w t) from as drawn

    @property
    def planar(self) -> bool:
        return self.m.frozen().dim == 2

    def __str__(self) -> str:
        kind = "planar" if self.planar else "spatial"
        return f"machine {self.seed}: {kind}, {self.bodies} bodies" + "".join(f", {word}" for word in self.words)


def random_machine(seed: int, nudge: float = 0.0) -> Machine:
    """The machine of a seed; `nudge` changes the velocities at the start by so much, for one that starts nearby."""
    maker = _Maker(seed, nudge, MOST_BODIES)
    if maker.rng.random() < 0.2:
        maker.doubled()
    maker.driven()
    maker.relations()
    maker.springs()
    maker.push()
    maker.spiral()
    maker.elements()
    maker.events()
    return maker.machine


def still_machine(seed: int, bodies: int = 12) -> Machine:
    """Joints, springs and a force that does not change, and nothing else; each body on a spring of its own."""
    maker = _Maker(seed, 0.0, bodies, plain=True)
    maker.springs(every=True)
    maker.push(steady=True)
    return maker.machine


def driven_machine(seed: int, bodies: int = 12) -> Machine:
    """A machine whose freedoms are all driven: a tree of joints with one coordinate each, and up to two loops."""
    return _Driven(seed, bodies).machine


class _Maker:
    def __init__(self, seed: int, nudge: float, most: int, tree: bool = False, plain: bool = False) -> None:
        self.plain = plain  # joints that plain_model.py knows
        self.rng = rng = np.random.default_rng([seed, 20])
        self.nearby = np.random.default_rng([seed, 21])
        self.nudge = nudge
        planar = bool(rng.random() < 0.5)
        self.space, self.dim = ("planar", 2) if planar else ("spatial", 3)
        n = round(most ** rng.random())
        m = jd.Mechanism(f"machine {seed}", space=self.space, gravity=rng.normal(size=self.dim) * 5)
        self.m, self.machine = m, Machine(m, seed, n)
        self.frames = {"ground": (np.zeros(self.dim), np.eye(self.dim))}
        self.joints: dict[str, tuple[str, str, str, dict[str, Any]]] = {}  # kind, bodies, axes and points
        self.freedoms = 0
        self.parallel = None if planar or rng.random() < 0.8 else rotation(rng)  # one direction of all axes
        for k in range(n):
            self._body(f"b{k}")
        if self.parallel is not None:
            self.machine.words.append("parallel axes")
        if not tree:
            self._loops()

    def handle(self, body: str) -> Any:
        return self.m.ground if body == "ground" else self.m[body]

    # Bodies and joints ------------------------------------------------------------------------------------------------

    def _body(self, name: str) -> None:
        rng = self.rng
        names = list(self.frames)
        parent = names[rng.integers(max(0, len(names) - 5), len(names))]
        self.frames[name] = _add_body(_Nudged(self), rng, name, self.dim == 2)
        self.freedoms += 3 if self.dim == 2 else 6
        if self.parallel is not None:
            kind = "revolute"
        elif rng.random() < 0.05:
            return
        else:
            kind = str(rng.choice(PLANAR_TREE if self.dim == 2 else SPATIAL_TREE))
            kind = "cylindrical" if kind == "screw" and self.plain else kind
        pair = (parent, name) if rng.random() < 0.7 else (name, parent)
        self._joint(f"j{len(self.joints)}", kind, *pair)
        self.freedoms -= ROWS[self.space][kind]

    def _joint(self, name: str, kind: str, a: str, b: str) -> None:
        rng, planar = self.rng, self.dim == 2
        place = rng.normal(size=self.dim)
        if planar:
            axes_i = att.matrix_from_angle(rng.uniform(-3, 3))
            free_turn = att.matrix_from_angle(rng.uniform(-3, 3))
        else:
            axes_i = rotation(rng) if self.parallel is None else self.parallel
            free_turn = axes_i @ att.matrix_from_euler("z", [rng.uniform(-3, 3)]) @ axes_i.T
        as_kind = "cylindrical" if kind == "screw" else kind
        axes_j, M, N = _closed_ports(rng, as_kind, place, axes_i, free_turn, planar)
        ports = []
        for body, p, axes in ((a, M, axes_i), (b, N, axes_j)):
            origin, R = self.frames[body]
            local = R.T @ axes
            spec = {"angle": np.arctan2(local[1, 0], local[0, 0])} if planar else {"x": local[:, 0], "z": local[:, 2]}
            ports.append(self.handle(body).point(f"p_{name}", R.T @ (p - origin), **spec))
        more: dict[str, Any] = {}
        if kind == "distance":
            more["length"] = float(np.linalg.norm(N - M))
        if kind == "screw":
            more["values"] = {"pitch": rng.uniform(0.2, 1.0)}
        self.m.joint(kind, name, *ports, **more)
        self.joints[name] = kind, a, b, {"ports": ports}

    def _loops(self) -> None:
        rng, n = self.rng, self.machine.bodies
        wanted = int(rng.integers(0, 1 + max(1, n // 3))) if rng.random() < 0.6 else 0
        rows = {"revolute": 2} if self.parallel is not None else PLANAR_LOOPS if self.dim == 2 else SPATIAL_LOOPS
        left = self.freedoms if self.parallel is None else len(self.joints)
        made = 0
        for _ in range(wanted):
            kind = str(rng.choice(list(rows)))
            names = list(self.frames)
            k = int(rng.integers(1, len(names)))
            near = names[max(0, k - 6) : k]
            if left - rows[kind] < 1:
                continue
            left -= rows[kind]
            self._joint(f"j{len(self.joints)}", kind, str(rng.choice(near)), names[k])
            made += 1
        self.freedoms = left
        if made:
            self.machine.words.append(f"{made} loops")

    def doubled(self) -> None:
        """A joint that stands twice: redundant, whatever it is."""
        held = [name for name, joint in self.joints.items() if joint[0] in ("revolute", "prismatic", "spherical")]
        if held:
            name = str(self.rng.choice(held))
            kind, _, _, more = self.joints[name]
            self.m.joint(kind, f"{name}_again", *more["ports"])
            self.machine.words.append(f"{name} twice")

    # What drives and couples ------------------------------------------------------------------------------------------

    def _free_joints(self, *kinds: str) -> list[str]:
        """Joints of the tree with one coordinate that nothing else holds yet."""
        return [name for name, joint in self.joints.items() if joint[0] in kinds and "held" not in joint[3]]

    def driven(self) -> None:
        rng = self.rng
        if rng.random() > 0.3 or self.freedoms < 1:
            return
        free = self._free_joints("revolute", "prismatic")
        if not free:
            return
        name = str(rng.choice(free))
        quantity = "angle" if self.joints[name][0] == "revolute" else "displacement"
        a, w = rng.uniform(0.1, 0.8), rng.uniform(1.0, 6.0)
        self.m.motion("drive", joint=name, **{quantity: f"{a}*sin({w}*t)"}, from_drawn=True)
        self.machine.in_joints.append((name, "drive.torque" if quantity == "angle" else "drive.force", quantity))
        self.joints[name][3]["held"] = True
        self.freedoms -= 1
        self.machine.words.append("driven")

    def relations(self) -> None:
        rng = self.rng
        if rng.random() > 0.25 or self.freedoms < 2:
            return
        turning, sliding = self._free_joints("revolute"), self._free_joints("prismatic")
        if len(turning) >= 2:
            a, b = (str(name) for name in rng.choice(turning, 2, replace=False))
            self.m.gear("gear", joints=(a, b), ratio=float(rng.uniform(0.5, 2.0) * rng.choice((-1, 1))))
            self.machine.in_joints += [(a, "gear.on_first", "angle"), (b, "gear.on_second", "angle")]
            self.machine.words.append("gear")
        elif turning and sliding:
            a, b = str(rng.choice(turning)), str(rng.choice(sliding))
            self.m.rack_and_pinion("rack", joints=(a, b), radius=float(rng.uniform(0.1, 0.5)))
            self.machine.in_joints += [(a, "rack.on_first", "angle"), (b, "rack.on_second", "displacement")]
            self.machine.words.append("rack")

    # What acts --------------------------------------------------------------------------------------------------------

    def springs(self, every: bool = False) -> None:
        rng, names = self.rng, list(self.frames)
        count = len(names) - 1 if every else int(rng.integers(0, 1 + len(names) // 2))
        for k in range(count):
            pair = (names[0], names[k + 1]) if every else rng.choice(names, 2, replace=False)
            a, b = (str(name) for name in pair)
            ends = [self.handle(body).point(f"s{k}", rng.normal(size=self.dim)) for body in (a, b)]
            stiffness, damping = float(rng.uniform(1, 30)), float(rng.uniform(0, 2))
            self.m.spring_damper(
                f"spring{k}", *ends, stiffness=stiffness, damping=damping, length=float(rng.uniform(0, 1))
            )
            self.machine.springs.append((f"spring{k}", a, f"s{k}", b, f"s{k}"))

    def push(self, steady: bool = False) -> None:
        rng = self.rng
        body = str(rng.choice(list(self.frames)[1:]))
        size, w = rng.normal(size=self.dim) * 3, rng.uniform(1.0, 5.0)
        vector = size.tolist() if steady else [f"{s}*sin({w}*t)" for s in size]
        self.m.force("push", on=self.handle(body).point("push", rng.normal(size=self.dim)), vector=vector)
        self.machine.forces.append((body, "push", lambda run: size * (1.0 if steady else np.sin(w * run.t)[:, None])))

    def spiral(self) -> None:
        rng = self.rng
        free = self._free_joints("revolute")
        if free and rng.random() < 0.5:
            name = str(rng.choice(free))
            self.m.torsion_spring_damper(
                "spiral", joint=name, stiffness=float(rng.uniform(0, 10)), damping=float(rng.uniform(0, 1))
            )
            self.machine.in_joints.append((name, "spiral.torque", "angle"))

    def elements(self) -> None:
        rng = self.rng
        if rng.random() > 0.3:
            return
        names = list(self.frames)[1:]
        seen, moved = (str(rng.choice(names)) for _ in range(2))
        self.m.first_order("lag", input=f"{seen}.vx", time_constant=float(rng.uniform(0.02, 0.3)))
        gain = float(rng.uniform(-1, 1))
        self._torque("servo", moved, f"{gain}*lag.output", lambda run: gain * run["lag.output"])
        free = self._free_joints("revolute", "prismatic")
        if free:
            name = str(rng.choice(free))
            turns = self.joints[name][0] == "revolute"
            self.m.pi_controller("hold", target=0.0, measured=f"{name}.speed", proportional=2.0, integral=3.0)
            self.m.actuator("motor", joint=name, motor="hold.output")
            what = ("motor.torque", "angle") if turns else ("motor.force", "displacement")
            self.machine.in_joints.append((name, *what))
        self.machine.words.append("elements")

    def events(self) -> None:
        rng = self.rng
        if rng.random() > 0.3:
            return
        names = list(self.frames)[1:]
        seen, moved = (str(rng.choice(names)) for _ in range(2))
        at = float(self.frames[seen][0][0]) + float(rng.normal() * 0.2)
        self.m.parameter("p", 1.0)
        self.m.event("crossed", f"{seen}.x - {at}", direction="both", set={"p": "p + 0.5"})
        self._torque(
            "kick", moved, "p", lambda run: 1.0 + 0.5 * np.searchsorted(run.events["crossed"].t, run.t, side="right")
        )
        self.machine.words.append("event")

    def _torque(self, name: str, body: str, formula: str, value: Any) -> None:
        vector: Any = formula if self.dim == 2 else [formula, f"-({formula})", 0.5]
        self.m.torque(name, on=self.handle(body), torque=vector)

        def components(run: Any) -> Any:
            one = np.broadcast_to(value(run), run.t.shape)
            return one[:, None] if self.dim == 2 else np.stack([one, -one, 0.0 * one + 0.5], axis=1)

        self.machine.torques.append((body, components))


class _Driven(_Maker):
    """Joints with one coordinate each, all driven; then loops of distances, each with one motion less."""

    def __init__(self, seed: int, bodies: int) -> None:
        super().__init__(seed, 0.0, bodies, tree=True)
        rng = self.rng
        names, free = list(self.joints), set()
        for k in rng.permutation(len(names))[: int(rng.integers(0, 3))]:
            if k > 0:  # body k is held to the ground in place of the motion of its own joint, number k
                self._joint(f"j{len(self.joints)}", "distance", "ground", f"b{k}")
                free.add(names[k])
        for name in names:
            if name in free:
                continue
            quantity = "angle" if self.joints[name][0] == "revolute" else "displacement"
            a, w = rng.uniform(0.05, 0.3), rng.uniform(1.0, 4.0)
            self.m.motion(f"drive_{name}", joint=name, **{quantity: f"{a}*sin({w}*t)"}, from_drawn=True)
            effort = "torque" if quantity == "angle" else "force"
            self.machine.in_joints.append((name, f"drive_{name}.{effort}", quantity))
            self.drives[name] = (quantity, a, w)
        self.springs()
        self.push()

    def _body(self, name: str) -> None:
        rng, names = self.rng, list(self.frames)
        parent = names[rng.integers(max(0, len(names) - 5), len(names))]
        self.frames[name] = _add_body(_Nudged(self), rng, name, self.dim == 2)
        pair = (parent, name) if rng.random() < 0.7 else (name, parent)
        self._joint(f"j{len(self.joints)}", str(rng.choice(("revolute", "revolute", "prismatic"))), *pair)

    @property
    def drives(self) -> dict[str, tuple[str, float, float]]:
        return self.machine.drives


class _Nudged:
    """Takes bodies for a mechanism with velocities a little changed."""

    def __init__(self, maker: _Maker) -> None:
        self.maker = maker

    def body(self, name: str, *, velocity: Any, spin: Any, **more: Any) -> None:
        maker = self.maker
        apart = [maker.nudge * maker.nearby.normal(size=np.shape(value)) for value in (velocity, spin)]
        maker.m.body(name, velocity=velocity + apart[0], spin=spin + apart[1], **more)
