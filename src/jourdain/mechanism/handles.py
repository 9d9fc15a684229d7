"""Bodies under construction, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .parts import PortName


class BodyHandle:
    """A body under construction: `crank["B"]` names its point B, `crank.point("B", (2, 0))` adds one."""

    def __init__(self, owner: Any, add_point: Callable[[str, str, Any], None], name: str) -> None:
        self.owner = owner  # the mechanism that it is a body of
        self._add_point = add_point
        self.name = name

    def __getitem__(self, point: str) -> PortName:
        return PortName(self.name, point, self.owner)

    def point(self, name: str, at: Sequence[float], **axes: Any) -> PortName:
        """Add a point at `at` (body axes), with `angle=` in the plane, `axis=` or `x=` and `z=` in space."""
        self._add_point(self.name, name, {"at": at, **axes})
        return PortName(self.name, name, self.owner)

    def __repr__(self) -> str:
        return f"<body {self.name}>"
