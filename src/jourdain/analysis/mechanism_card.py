"""What a mechanism says of itself: its parts, its freedoms by count, and its drawn pose. Nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..assembly.placing import placed_state
from ..library.joints import JointError, rows_of
from ..mechanism.errors import JourdainError
from ..mechanism.names import counted
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName
from ..mechanism.port_axes import joint_axes
from ..mechanism.rotations import matrix_from_angle, matrix_from_quaternion
from ..model.compile import compile_mechanism
from ..plotting.cards import card
from ..plotting.figures import draw_mechanism

Array = npt.NDArray[np.float64]

MOST = 12  # parts of one sort that are listed one by one


def words_of(blueprint: Blueprint) -> str:
    """Bodies, joints, freedoms and the rest, as lines."""
    rows = [(counted(len(blueprint.bodies), "body", "bodies"), ", ".join(_names(blueprint.bodies)))]
    rows += _lines(blueprint.joints, "joint", lambda j: f"{j.type}, {j.first} to {j.second}")
    rows.append(("freedoms", _freedoms(blueprint)))
    for room in ("relations", "forces", "motions", "elements", "events"):
        rows += _lines(getattr(blueprint, room), room[:-1], lambda part: getattr(part, "type", ""))
    if blueprint.parameters:
        rows.append(("parameters", ", ".join(f"{name} = {value:g}" for name, value in blueprint.parameters.items())))
    width = max(len(key) for key, _ in rows)
    head = f"{blueprint.name}, {blueprint.space}"
    return "\n".join([head, *(f"  {key:<{width}}  {text}" for key, text in rows)])


def html_of(blueprint: Blueprint) -> str:
    return card(words_of(blueprint), lambda: drawn(blueprint), blueprint.name)


def drawn(blueprint: Blueprint) -> Any:
    """The mechanism as it is written, as a figure."""
    return draw_mechanism(cast(Any, Drawn(blueprint)), 0)


def _names(parts: Any) -> list[str]:
    names = [part.name for part in parts]
    return names if len(names) <= MOST else [*names[:MOST], f"and {len(names) - MOST} more"]


def _lines(parts: Any, word: str, says: Any) -> Iterator[tuple[str, str]]:
    if len(parts) > MOST:
        yield counted(len(parts), word), ", ".join(_names(parts))
    else:
        yield from ((f"{word} {part.name}", says(part)) for part in parts)


def _freedoms(blueprint: Blueprint) -> str:
    """By Grübler's count, which does not know what equations say twice."""
    each = 3 if blueprint.dim == 2 else 6
    try:
        equations = sum(
            _equations(joint, blueprint.dim) for joint in blueprint.joints if joint.name not in blueprint.off
        )
    except (JointError, ValueError):
        return "not counted: a joint has a fault"
    equations += len(blueprint.relations)
    found = each * len(blueprint.bodies) - equations
    return f"{each} x {len(blueprint.bodies)} - {equations} = {found} by count; jd.check says what is independent"


def _equations(joint: Joint, dim: int) -> int:
    rows = rows_of(joint, dim)
    return len(rows.equations) + len(rows.formulas)


class Drawn:
    """A mechanism as it is written, for a drawing: bodies that have no pose stand where their joints suggest."""

    def __init__(self, blueprint: Blueprint) -> None:
        model = compile_mechanism(blueprint, None)
        states = placed_state(model)
        self.blueprint, self.name, self.size = blueprint, blueprint.name, model.size
        self.t = np.zeros(1)
        turn: Any = matrix_from_angle if blueprint.dim == 2 else matrix_from_quaternion
        self.position: Array = np.array([[state.position for state in states.values()]], dtype=float)
        self.frame: Array = np.array([[turn(state.attitude) for state in states.values()]], dtype=float)
        self._names = list(states)

    @property
    def poses(self) -> Drawn:
        return self

    def index(self, body: str) -> int:
        return self._names.index(body)

    def place(self, port: PortName) -> Array:
        at = np.array(self.blueprint.ports_of(port.body)[port.point].at)
        if port.body == GROUND:
            return at[None]
        k = self.index(port.body)
        found: Array = self.position[:, k] + self.frame[:, k] @ at
        return found

    def __getitem__(self, name: str) -> Array:
        """What a drawing asks: how far a joint slides as drawn; ropes are taut."""
        owner, _, quantity = name.rpartition(".")
        if quantity == "stretch":
            return np.ones(1)
        if quantity != "displacement" or owner not in self.blueprint.joints_by_name:
            raise JourdainError(f"'{name}' is not known before the mechanism moves")
        joint = self.blueprint.joints_by_name[owner]
        axis = joint_axes(self.blueprint, joint)["x_i" if self.blueprint.dim == 2 else "z_i"]
        k = None if joint.first.body == GROUND else self.index(joint.first.body)
        axis = axis if k is None else self.frame[0, k] @ axis
        return np.atleast_1d((self.place(joint.second) - self.place(joint.first))[0] @ axis)
