"""Bodies under construction, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .errors import ChoiceError
from .names import nearest
from .parts import PortName

if TYPE_CHECKING:
    from .fault import Fault
    from .taken import Amount, Amounts


class BodyHandle:
    """A body under construction: `crank["B"]` names its point B, `crank.point("B", (2, 0))` adds one."""

    def __init__(self, owner: Any, add_point: Callable[[str, str, Any], None], name: str) -> None:
        self.owner = owner  # the mechanism that it is a body of
        self._add_point = add_point
        self.name = name

    def __getitem__(self, point: str) -> PortName:
        return PortName(self.name, point, self.owner)

    def point(
        self,
        name: str,
        at: Amounts,
        *,
        angle: Amount | None = None,
        axis: Amounts | None = None,
        x: Amounts | None = None,
        z: Amounts | None = None,
    ) -> PortName:
        """Add a point at `at` (body axes), with `angle=` in the plane, `axis=` or `x=` and `z=` in space."""
        axes = {"angle": angle, "axis": axis, "x": x, "z": z}
        self._add_point(self.name, name, {"at": at, **{k: v for k, v in axes.items() if v is not None}})
        return PortName(self.name, name, self.owner)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BodyHandle) and (self.name, self.owner) == (other.name, other.owner)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<body {self.name}>"


class PartHandle:
    """A part of a type of one's own: `leg["foot"]` is the point that its port leads to."""

    def __init__(self, owner: Any, name: str) -> None:
        self.owner = owner
        self.name = name

    def __getitem__(self, port: str) -> PortName:
        ports: dict[str, str] = self.owner.other_names
        if f"{self.name}.{port}" not in ports:
            known = [key.removeprefix(f"{self.name}.") for key in ports if key.startswith(f"{self.name}.")]
            raise KeyError(f"'{self.name}' has no port '{port}'; {nearest(port, known)}")
        body, _, point = ports[f"{self.name}.{port}"].rpartition(".")
        return PortName(body, point, self.owner)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartHandle) and (self.name, self.owner) == (other.name, other.owner)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<part {self.name}>"


class PartType(Protocol):
    """A type of one's own, `jd.Type`: what the builder knows of it."""

    def place(self, mechanism: Any, name: str, ports: Sequence[Any], given: Mapping[str, Any], /) -> list[Fault]: ...


def type_of(mechanism: Any, type: PartType | str) -> Any:
    """A type as it is given to `m.part`: itself, or by the name that the file of the mechanism has for it."""
    if isinstance(type, str) and mechanism.written is not None:
        return mechanism.written.type(type)
    if not hasattr(type, "place"):
        words = f"type is {type!r}; expected a jd.Type"
        raise ChoiceError(
            f"{words}: jd.Type('pin', kind='joint', ..) makes one, jd.Type.library('mine.yaml') reads them"
        )
    return type
