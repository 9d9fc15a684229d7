"""Results of a system: channels of every subsystem under its name, of the joints between them, and of the coupling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library import quantities as q
from ..library.quantities import Quantity, ratio
from ..mechanism.equality import equal_by
from ..mechanism.errors import ResultsError
from ..mechanism.names import Named, counted, nearest
from ..mechanism.parts import GROUND, Blueprint, PortName
from ..model.states import State
from ..results.energy_drift import balance_words
from ..results.reactions import Reaction
from ..results.record import Record
from ..results.solution import Energy, Solution
from ..results.status import Status
from ..version import __version__
from .box import PortMotion
from .joined import drawn_whole, foreign
from .link_names import dotted
from .port_names import is_load
from .whole import Whole

Array = npt.NDArray[np.float64]

COUPLING = {
    "@coupling.rounds": Quantity("rounds", ""),
    "@coupling.residual": q.ACCELERATION,
    "@coupling.energy": q.ENERGY,
    "@coupling.step": q.TIME,
}
ENERGIES = ("kinetic", "potential", "dissipated", "driven", "total")
PORT = {2: ("x", "y", "angle", "vx", "vy", "spin", "ax", "ay", "spin_rate", "fx", "fy", "mz")}
PORT[3] = [
    "x",
    "y",
    "z",
    "qw",
    "qx",
    "qy",
    "qz",
    "vx",
    "vy",
    "vz",
    "wx",
    "wy",
    "wz",
    "ax",
    "ay",
    "az",
    "wx_rate",
    "wy_rate",
    "wz_rate",
    "fx",
    "fy",
    "fz",
    "mx",
    "my",
    "mz",
]  # type: ignore[assignment]
HIDDEN = ("energy.", "violation.", "shaking.")


@equal_by()
@dataclass(frozen=True)
class Violation:
    """Largest error of any joint equation over time, between subsystems and in them."""

    position: Array
    velocity: Array


@equal_by("whole", "t", "boxes", "others", "links", "coupling", "_work", "status")
class SystemSolution(Record):
    """Motion, reactions and energies of a run of a system: `run["tractor.frame.x"]`, `run["hitch.fx"]`."""

    def __init__(
        self,
        whole: Whole,
        t: Array,
        boxes: Mapping[str, Solution],
        others: Mapping[str, Mapping[str, Array]],
        links: Solution,
        coupling: Mapping[str, Array],
        work: Array,
        status: Status,
        told: Mapping[str, Any],
    ) -> None:
        self.whole, self.t, self.boxes, self.others, self.links = whole, t, dict(boxes), dict(others), links
        self.coupling, self._work, self.status, self.told = dict(coupling), work, status, dict(told)

    @property
    def name(self) -> str:
        return self.whole.name

    # Channels --------------------------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> dict[str, tuple[Any, str]]:
        """Where each channel is: a run, or a table of arrays, and its name there."""
        found: dict[str, tuple[Any, str]] = {}
        for box, run in self.boxes.items():
            for name in run.channels:
                if not is_load(name) and not name.startswith(HIDDEN):
                    found[f"{box}.{name}"] = run, name
        for box, table in self.others.items():
            found |= {f"{box}.{name}": (table, name) for name in table}
        bodies = {body.name for body in self.whole.links.bodies}
        for name in self.links.channels:
            owner = name.partition(".")[0]
            if owner not in bodies and not is_load(owner) and not name.startswith(HIDDEN):
                found[dotted(name)] = self.links, name
        found |= {f"energy.{key}": (vars_of(self.energy), key) for key in ENERGIES}
        found |= {f"violation.{key}": (vars(self.violation), key) for key in ("position", "velocity")}
        found |= {name: (self.coupling, name) for name in COUPLING}
        return found

    @property
    def channels(self) -> list[str]:
        return list(self._places)

    def channel(self, name: str) -> Array:
        if name == "t":
            return self.t
        if name in self._places:
            where, own = self._places[name]
            return np.asarray(where[own])
        for box, run in self.boxes.items():  # what a run knows without listing it, as points of its ground
            if name.startswith(f"{box}."):
                try:
                    return run[name.removeprefix(f"{box}.")]
                except KeyError:
                    break
        raise KeyError(f"no channel '{name}'; {nearest(name, self.channels)}")

    def quantity(self, channel: str) -> Quantity:
        if "/" in channel:
            over, under = (self.quantity(part.strip()) for part in channel.split("/", 1))
            return ratio(over, under)
        if channel == "t":
            return q.TIME
        if channel in COUPLING:
            return COUPLING[channel]
        if channel.startswith("energy."):
            return q.ENERGY
        where, own = self._places.get(channel, (None, ""))
        return where.quantity(own) if isinstance(where, Solution) else Quantity(channel.rpartition(".")[2], "")

    # The whole -------------------------------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> Energy:
        """Of all subsystems and of what is between them; wrenches on ports are no drives of the whole."""
        parts = [run.energy for run in self.boxes.values()]
        between = self.links.energy
        nothing = np.zeros(len(self.t))
        kinetic = sum((part.kinetic for part in parts), nothing)
        potential = sum((part.potential for part in parts), nothing) + between.potential
        dissipated = sum((part.dissipated for part in parts), nothing) + between.dissipated
        driven = sum((part.driven for part in parts), nothing) - self._work + between.driven
        return Energy(kinetic, potential, dissipated, driven)

    @cached_property
    def violation(self) -> Violation:
        runs = [*self.boxes.values(), self.links]
        return Violation(
            np.max([run.violation.position for run in runs], axis=0),
            np.max([run.violation.velocity for run in runs], axis=0),
        )

    @cached_property
    def reactions(self) -> dict[str, Reaction]:
        """Force and moment of each joint: those between subsystems by name, inner ones as `tractor.hinge`."""
        found = {dotted(name): one for name, one in self.links.reactions.items()}
        for box, run in self.boxes.items():
            found |= {f"{box}.{name}": one for name, one in run.reactions.items()}
        return Named("joint", found)

    def state(self, index: int = -1) -> State:
        """States by subsystem at a sample, and turns of joints between them: a start for another run."""
        inside = {box: run.state(index) for box, run in self.boxes.items()}
        between, joints = self.links.state(index), self.links.blueprint.joints
        return State({**inside, **{dotted(one.name): between[one.name] for one in joints if one.name in between}})

    def at(self, t: float | str) -> SystemSolution:
        """One sample, which lies on a macro point: channels have one number each."""
        found = [run.at(t) for run in (*self.boxes.values(), self.links)]
        k = int(np.argmin(np.abs(self.t - found[-1].t[0])))
        others = {box: {name: row[k : k + 1] for name, row in table.items()} for box, table in self.others.items()}
        coupling = {name: row[k : k + 1] for name, row in self.coupling.items()}
        boxes = dict(zip(self.boxes, found[:-1], strict=True))
        own = self._work[k : k + 1], self.status, self.told
        return SystemSolution(self.whole, self.t[k : k + 1], boxes, others, found[-1], coupling, *own)

    @property
    def metadata(self) -> dict[str, Any]:
        return {
            "jourdain": __version__,
            "mechanism": self.name,
            "space": self.whole.space,
            "subsystems": list(self.whole_names),
            **self.told,
            "status": self.status.sentence,
            "complete": self.status.ok,
            "notes": list(self.status.notes),
            "summary": self.summary(),
            "size": self.size,
            "mechanism_file": None,
        }

    @property
    def whole_names(self) -> list[str]:
        return [box.name for box in self.whole.boxes]

    @property
    def size(self) -> float:
        return max((run.size for run in self.boxes.values()), default=1.0)

    def summary(self) -> str:
        step, rounds = self.coupling["@coupling.step"], self.coupling["@coupling.rounds"]
        boxes = counted(len(self.whole.boxes), "subsystem")
        joints = counted(len(self.whole.links.joints), "joint")
        rows = [
            ("system", f"{self.name}: {boxes}, {joints} between them"),
            (
                "coupled by",
                f"{self.told['coupling']}, macro steps {np.nanmin(step[1:], initial=np.inf):g} to "
                f"{np.nanmax(step, initial=0.0):g} s, {np.mean(rounds[1:]) if len(rounds) > 1 else 0:.1f} rounds each",
            ),
            ("time", f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} samples"),
            ("joints", f"closed to {np.max(self.violation.position, initial=0.0):.2g}"),
            ("energy", balance_words(self)),
            ("status", str(self.status)),
        ]
        return "\n".join(f"{key:>10}  {text}" for key, text in rows)

    # Pictures --------------------------------------------------------------------------------------------------------

    @cached_property
    def blueprint(self) -> Blueprint:
        """The mechanisms of the system as one, for drawings; boxes of others cannot be drawn."""
        return drawn_whole(_drawable(self.whole))

    @property
    def poses(self) -> _Poses:
        if not self.boxes:
            raise ResultsError(f"no subsystem of '{self.name}' has bodies, so there is nothing to draw")
        return _Poses(self.blueprint, list(self.boxes.values()))

    def __repr__(self) -> str:
        end = f" to t = {self.t[-1]:g} s" if len(self.t) else ""
        return f"<SystemSolution of {self.name}: {len(self.t)} samples{end}; {self.status.sentence}>"


def vars_of(energy: Energy) -> dict[str, Array]:
    return {key: getattr(energy, key) for key in ENERGIES}


def port_channels(motions: list[PortMotion], wrenches: list[Array], ports: list[str], dim: int) -> dict[str, Array]:
    """Channels of the ports of a box of which nothing else is known."""
    found: dict[str, Array] = {}
    for k, port in enumerate(ports):
        rows = [
            np.concatenate([np.atleast_1d(part[k]).ravel() for part in (*motion, wrench)])
            for motion, wrench in zip(motions, wrenches, strict=True)
        ]
        table = np.array(rows)
        found |= {f"{port}.{name}": table[:, c] for c, name in enumerate(PORT[dim])}
    return found


def _drawable(whole: Whole) -> Whole:
    """The system without boxes of others and what holds them."""
    others = set(foreign(whole))
    if not others:
        return whole
    ports = {body: place for body, place in whole.ports.items() if place[0] not in others}
    links = whole.links
    joints = tuple(j for j in links.joints if all(p.body == GROUND or p.body in ports for p in (j.first, j.second)))
    bodies = tuple(body for body in links.bodies if body.name in ports)
    links = replace(links, bodies=bodies, joints=joints, forces=(), relations=(), motions=())
    return replace(whole, boxes=tuple(b for b in whole.boxes if b.name not in others), links=links, ports=ports)


class _Poses:
    """Where all bodies are, in the order of the one mechanism: box by box."""

    def __init__(self, blueprint: Blueprint, runs: list[Solution]) -> None:
        self._blueprint = blueprint
        self.position = np.concatenate([run.motion.position for run in runs], axis=1)
        self.frame = np.concatenate([run.motion.frame for run in runs], axis=1)
        self._names = {body.name: k for k, body in enumerate(blueprint.bodies)}

    def index(self, body: str) -> int:
        return self._names[body]

    def place(self, port: PortName) -> Array:
        at = np.array(self._blueprint.port(port).at)
        if port.body == GROUND:
            return np.tile(at, (len(self.position), 1))
        b = self.index(port.body)
        return np.asarray(self.position[:, b] + self.frame[:, b] @ at)
