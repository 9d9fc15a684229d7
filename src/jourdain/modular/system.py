"""`System`: subsystems, and joints between their ports. It describes; `whole.py` freezes it, `coupled.py` runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ..choices.keys import ChoiceKeys
from ..files.loading import load
from ..library import TYPES
from ..library.joints import KINDS
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.equality import equal_by
from ..mechanism.errors import ChoiceError, MechanismError
from ..mechanism.fault import Fault
from ..mechanism.machine import Machine
from ..mechanism.names import RESERVED, is_identifier, nearest
from ..mechanism.parts import PLANAR, SPATIAL, Blueprint, PortName
from ..mechanism.taken import Amounts, AxisKeys, Seconds
from .box import Box
from .inner_names import inner_parts
from .link_names import DOT, POINT, dotted, linked_values
from .port_names import CHOICES, ports_of

if TYPE_CHECKING:
    from .check_system import CheckedSystem
    from .compare_couplings import ComparedSystem
    from .coupled import SystemSession
    from .system_solution import SystemSolution
    from .typed_links import CompareKeys, RunKeys, SessionKeys
    from .typed_links import Links as _Links
else:
    _Links = object  # `__getattr__` finds them

_WITHIN = [kind.name for kind in TYPES.values() if kind.section == "elements"]
_BETWEEN = [*(kind.name for kind in KINDS), *(name for name in TYPES if name not in _WITHIN)]
# Methods of the builder that a system has between its ports, and why it lacks the others.
TAKEN = ["joint", "component", "parameter"] + [
    method for name in _BETWEEN if hasattr(Mechanism, method := name.replace("-", "_"))
]
REFUSED = {
    "body": "bodies belong to subsystems: add it to one of them, or as a subsystem of its own",
    "event": "events belong to subsystems: add it to the mechanism of one of them",
    **dict.fromkeys(
        [name.replace("-", "_") for name in _WITHIN],
        "elements with states belong to subsystems: add it to the mechanism of one of them",
    ),
}


@dataclass(frozen=True)
class Subsystem:
    """A box by name: a mechanism with its choices, or a box that somebody else wrote."""

    name: str  # with dots inside systems
    blueprint: Blueprint | None
    box: Box | None
    ports: tuple[str, ...]  # that may be joined
    choices: Mapping[str, Any]
    path: str | None = None  # of the file that it came from
    parameters: Mapping[str, Any] | None = None

    @property
    def space(self) -> str:
        return self.blueprint.space if self.blueprint is not None else str(self.box.space)  # type: ignore[union-attr]

    @property
    def gravity(self) -> tuple[float, ...] | None:
        return self.blueprint.gravity if self.blueprint is not None else self.box.gravity  # type: ignore[union-attr]


class Handle:
    """A subsystem under construction: `tractor["frame.H"]` is one of its ports."""

    def __init__(self, system: System, name: str) -> None:
        self._system, self.name = system, name

    def __getitem__(self, port: str) -> PortName:
        return self._system.port(f"{self.name}.{port}")

    @property
    def ports(self) -> tuple[str, ...]:
        """Names of the ports that it has."""
        found = []
        for box in self._system.boxes.values():
            inner = box.name.removeprefix(self.name).lstrip(".")
            if box.name == self.name or box.name.startswith(f"{self.name}."):
                found += [f"{inner}.{port}".lstrip(".") for port in box.ports]
        return tuple(found)

    def __repr__(self) -> str:
        return f"<subsystem {self.name}>"


@equal_by("name", "description", "defaults", "boxes", "inner", "links", "_ports")
class System(Machine["SystemSolution", "SystemSession", "CheckedSystem", "ComparedSystem"], _Links):
    """A machine of subsystems: each keeps its data to itself, joints see only the points that they connect.

    >>> import jourdain as jd
    >>> bar = jd.Mechanism("bar", gravity=(0, -9.81))
    >>> _ = bar.body("rod", mass=1, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    >>> s = jd.System("pendulum")
    >>> first = s.subsystem("first", bar)
    >>> s.revolute("O", s.ground.point("O", (0, 0)), first["rod.A"])
    'O'

    It takes every joint of the catalogue, relations, motions, springs, dampers, bushings and smooth friction, between
    ports of different subsystems or to its `ground`.
    """

    def __init__(self, name: str = "system", space: str | None = None) -> None:
        self.name = name
        self.description = ""
        self.defaults: dict[str, Any] = {}  # of `simulate`, by argument
        self.path: str | None = None  # of the file that it came from
        self.boxes: dict[str, Subsystem] = {}
        self.inner: dict[str, System] = {}  # systems inside, as they came
        self._links: Mechanism | None = None
        self._ports: dict[str, tuple[str, str]] = {}  # box and port of each body of the links
        if space is not None:
            self._begin(space)

    # Parts -----------------------------------------------------------------------------------------------------------

    def subsystem(
        self,
        name: str,
        what: Mechanism | Blueprint | System | Box | str | Path,
        ports: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        **choices: Unpack[ChoiceKeys],
    ) -> Handle:
        """Add a subsystem: a mechanism, the path of a file, another system, or a `Box`.

        `ports` are points of its bodies that may be joined (default: all); `choices` are those of `simulate`.
        """
        self._check_name(name)
        if unknown := sorted(set(choices) - set(CHOICES)):
            raise ChoiceError(f"subsystem '{name}': there is no choice '{unknown[0]}'; {nearest(unknown[0], CHOICES)}")
        if isinstance(what, System):
            return self._subsystems(name, what, choices)
        path = str(what) if isinstance(what, str | Path) else None
        if isinstance(what, str | Path):
            what = load(what, parameters)
        elif parameters is not None:
            raise ChoiceError(f"subsystem '{name}': parameters are for files; give the mechanism its own numbers")
        if isinstance(what, Box):
            if choices:
                raise ChoiceError(f"subsystem '{name}' is a box that solves itself; it takes no {min(choices)}")
            known = tuple(what.ports)
            self._check_spaces(name, what.space)
            found = Subsystem(name, None, what, known, {})
        else:
            blueprint = blueprint_of(what)
            known = tuple(ports_of(blueprint))
            self._check_spaces(name, blueprint.space)
            found = Subsystem(name, blueprint, None, known, dict(choices), path, parameters)
        if ports is not None:
            wrong = [port for port in ports if port not in known]
            if wrong:
                raise self.refused(f"subsystem '{name}' has no port '{wrong[0]}'; {nearest(wrong[0], known)}")
            found = replace(found, ports=tuple(ports))
        self.boxes[name] = found
        if found.box is not None:  # what it returns has all its ports
            for port in found.box.ports:
                self._joined(found, port)
        return Handle(self, name)

    def __getitem__(self, name: str) -> Handle:
        """The subsystem of that name."""
        if name not in {box.partition(".")[0] for box in self.boxes} and name not in self.boxes:
            raise KeyError(f"no subsystem '{name}' in system '{self.name}'; {nearest(name, self.boxes)}")
        return Handle(self, name)

    @property
    def ground(self) -> SystemGround:
        """`ground.point("O", (0, 0))` is a point that does not move, `ground["O"]` one that is there already."""
        return SystemGround(self)

    def port(self, name: str) -> PortName:
        """A port by its whole name, `tractor.frame.H`: what joints take."""
        for box in self._owners(name):
            port = name.removeprefix(f"{box.name}.")
            if port in box.ports:
                return self._joined(box, port)
            raise self.refused(f"subsystem '{box.name}' has no port '{port}'; {nearest(port, box.ports)}")
        known = [f"{box.name}.{port}" for box in self.boxes.values() for port in box.ports]
        raise self.refused(f"there is no port '{name}'; {nearest(name, known)}")

    def remove(self, name: str) -> None:
        """Take away a joint, relation, motion or force between subsystems, or a subsystem that nothing holds."""
        self.inner.pop(name.partition(".")[0], None)  # it is not as it came any more
        if name in self.boxes:
            bodies = {body for body, (box, _) in self._ports.items() if box == name}
            joints = self.links.frozen().joints
            held = [j.name for j in joints if {j.first.body, j.second.body} & bodies]
            if held:
                raise self.refused(f"subsystem '{name}' is still held by {', '.join(held)}; remove these first")
            del self.boxes[name]
            self._drop_ports(bodies)
            return
        links, inner = self.links, name.replace(".", DOT)
        for key in ("_joints", "_forces", "_relations", "_motions"):
            parts = getattr(links, key)
            if any(part.name == inner for part in parts):
                setattr(links, key, [part for part in parts if part.name != inner])
                return
        parts = [*links.frozen().joints, *links.frozen().forces, *links.frozen().components]
        known = [*self.boxes, *(dotted(part.name) for part in parts)]
        raise self.refused(f"there is nothing called '{name}' between the subsystems; {nearest(name, known)}")

    def copy(self) -> System:
        """Another system of the same parts, to be changed by itself."""
        other = System(self.name)
        other.description, other.defaults, other.path = self.description, dict(self.defaults), self.path
        other.boxes, other._ports, other.inner = dict(self.boxes), dict(self._ports), dict(self.inner)
        if self._links is not None:
            links = other._begin(self._links.space)
            for key in ("_bodies", "_joints", "_forces", "_relations", "_motions", "_elements"):
                setattr(links, key, list(getattr(self._links, key)))
            links._place, links._ground = dict(self._links._place), dict(self._links._ground)
            links._parameters, links._faults[:] = dict(self._links._parameters), self._links._faults
        return other

    def __copy__(self) -> System:
        return self.copy()

    @property
    def links(self) -> Mechanism:
        """The joints between ports, as a mechanism whose bodies the ports are."""
        return self._begin(PLANAR) if self._links is None else self._links

    @property
    def joined_ports(self) -> Mapping[str, tuple[str, str]]:
        """Box and port of each body of the links."""
        return self._ports

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *TAKEN]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in REFUSED:
            raise AttributeError(f"a system has no '{name}': {REFUSED[name]}")
        if name not in TAKEN:
            raise AttributeError(f"a system has no '{name}'; {nearest(name, TAKEN)}")
        method: Callable[..., Any] = getattr(self.links, name)
        if name == "parameter":
            return method

        @wraps(method)
        def add(*given: Any, **keys: Any) -> Any:
            kind = given[1] if name == "component" and len(given) > 1 else name
            return method(*given, **linked_values(self, kind, keys))

        return add

    def take_links(self, links: Blueprint) -> None:
        """Joints, forces and numbers between the subsystems as a run has them."""
        own = self.links
        own._joints, own._forces = list(links.joints), list(links.forces)
        own._relations, own._motions = list(links.relations), list(links.motions)
        own._parameters = dict(links.parameters)

    def has_port(self, name: str) -> bool:
        """Whether that is the whole name of a port."""
        return any(name.removeprefix(f"{box.name}.") in box.ports for box in self._owners(name))

    def has_link(self, name: str) -> bool:
        """Whether the links have a part of that name."""
        links = self.links
        lists = (links._joints, links._forces, links._relations, links._motions)
        return any(part.name == name for parts in lists for part in parts)

    def refused(self, words: str) -> MechanismError:
        return MechanismError(self.name, [Fault("", "", words)])

    # Within ----------------------------------------------------------------------------------------------------------

    def _owners(self, name: str) -> list[Subsystem]:
        return [box for box in self.boxes.values() if name.startswith(f"{box.name}.")]

    def _begin(self, space: str) -> Mechanism:
        self._links = Mechanism(self.name, space=space)
        return self._links

    def _check_name(self, name: str) -> None:
        if not is_identifier(name) or name in RESERVED:
            raise self.refused(f"subsystem name {name!r} is no identifier, or reserved; use letters and underscores")
        if name in {box.partition(".")[0] for box in self.boxes}:
            raise self.refused(f"subsystem '{name}' is defined twice")

    def _check_spaces(self, name: str, space: str) -> None:
        if space not in (PLANAR, SPATIAL):
            raise self.refused(f"subsystem '{name}': space is {space!r}; expected '{PLANAR}' or '{SPATIAL}'")
        other = next(iter(self.boxes.values()), None)
        if other is not None and other.space != space:
            raise self.refused(
                f"subsystem '{name}' is {space}, and '{other.name}' {other.space}; "
                "a system is all in the plane or all in space"
            )
        if self._links is None:
            self._begin(space)
        elif self._links.space != space:
            raise self.refused(f"subsystem '{name}' is {space}, and the points of the ground are {self._links.space}")

    def _joined(self, box: Subsystem, port: str) -> PortName:
        """The body of the links that stands for a port."""
        body = f"{box.name}.{port}".replace(".", DOT)
        if body not in self._ports:
            self._ports[body] = box.name, port
            dim = 2 if box.space == PLANAR else 3
            inertia: Any = 1.0 if dim == 2 else (1.0, 1.0, 1.0)
            self.links.body(body, mass=1.0, inertia=inertia, points={POINT: (0.0,) * dim})
        return PortName(body, POINT, self.links)

    def _drop_ports(self, bodies: set[str]) -> None:
        self._ports = {body: place for body, place in self._ports.items() if body not in bodies}
        links = self.links
        links._bodies = [body for body in links._bodies if body.name not in bodies]
        links._place = {body.name: k for k, body in enumerate(links._bodies)}

    def _subsystems(self, name: str, inner: System, choices: Mapping[str, Any]) -> Handle:
        """A system inside: its boxes and links become some of this one, under its name."""
        if choices:
            raise ChoiceError(f"subsystem '{name}' is a system; give {min(choices)} to the subsystems in it")
        if inner is self:
            raise self.refused(f"subsystem '{name}' is the system itself")
        if not inner.boxes:
            raise self.refused(f"subsystem '{name}' is a system without subsystems")
        self._check_spaces(name, next(iter(inner.boxes.values())).space)
        for box in inner.boxes.values():
            self.boxes[f"{name}.{box.name}"] = replace(box, name=f"{name}.{box.name}")
        for owner, port in inner.joined_ports.values():
            self._joined(self.boxes[f"{name}.{owner}"], port)
        inner_parts(self.links, inner.links, f"{name}{DOT}")
        self.inner[name] = inner.copy()
        return Handle(self, name)

    # What is done with it --------------------------------------------------------------------------------------------

    def joined(self) -> Blueprint:
        """The one mechanism that it stands for. Refused where a subsystem is no mechanism of ours."""
        from .joined import joined

        return joined(self)

    def simulate(self, duration: Seconds | None = None, **choices: Unpack[RunKeys]) -> SystemSolution:
        """As `jd.simulate(system, duration)`."""
        from .running import simulate

        return simulate(self, duration, **choices)

    def session(self, **choices: Unpack[SessionKeys]) -> SystemSession:
        """As `jd.session(system)`."""
        from .running import session

        return session(self, **choices)

    def check(self) -> CheckedSystem:
        """As `jd.check(system)`."""
        from .check_system import check

        return check(self)

    def compare(self, duration: Seconds | None = None, **choices: Unpack[CompareKeys]) -> ComparedSystem:
        """As `jd.compare(system)`."""
        from .compare_couplings import compare

        return compare(self, duration, **choices)

    def save(self, path: str | Path) -> Path:
        """As `jd.save(system, path)`."""
        from .system_files import save

        return save(self, path)

    def __repr__(self) -> str:
        return f"<System {self.name}: {', '.join(self.boxes) or 'no subsystems'}>"


class SystemGround:
    """The ground of a system. The first of its points may say whether it is in the plane or in space."""

    def __init__(self, system: System) -> None:
        self._system = system

    def point(self, name: str, at: Amounts, **axes: Unpack[AxisKeys]) -> PortName:
        """Add a point that does not move."""
        if self._system._links is None:
            self._system._begin(SPATIAL if len(tuple(at)) == 3 else PLANAR)
        found: PortName = self._system.links.ground.point(name, at, **axes)
        return found

    def __getitem__(self, point: str) -> PortName:
        return self._system.links.ground[point]
