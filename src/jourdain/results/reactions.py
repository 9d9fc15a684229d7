"""Reactions of joints: force and moment on either body, and which components the mechanism determines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..mechanism.equality import equal_by
from ..mechanism.parts import GROUND, Joint
from .body_motion import Motion

Array = npt.NDArray[np.float64]


@equal_by()
@dataclass(frozen=True)
class Reaction:
    """Force and moment of a joint on its second body at its port, fixed axes, over time.

    `on_first_*` is what the first body feels, at its own port. `unique` says for each component in the axes of the
    first port whether rigid bodies determine it at all; where not, the values are one possibility of many.
    """

    joint: Joint
    force: Array
    moment: Array
    on_first_force: Array
    on_first_moment: Array
    unique: dict[str, bool]
    _motion: Motion

    @property
    def is_unique(self) -> bool:
        return all(self.unique.values())

    def moment_about_origin(self, side: str = "second") -> Array:
        """Moment about the origin of the body on that side, in its body axes (Stanescu, eqs 51-59)."""
        if side not in ("first", "second"):
            raise ValueError(f"side is {side!r}; expected 'first' or 'second'")
        port = self.joint.first if side == "first" else self.joint.second
        force = self.on_first_force if side == "first" else self.force
        moment = self.on_first_moment if side == "first" else self.moment
        if port.body == GROUND:
            origin, R = np.zeros_like(force), np.eye(force.shape[1])
        else:
            b = self._motion.index(port.body)
            origin, R = self._motion.position[:, b], self._motion.frame[:, b]
        arm = self._motion.point(port)[0] - origin
        if force.shape[1] == 2:
            return moment + (arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])[:, None]
        total = moment + np.cross(arm, force)
        return np.einsum("...ji,...j->...i", R, total)

    def __repr__(self) -> str:
        most = float(np.max(np.linalg.norm(self.force, axis=1), initial=0.0))
        words = "unique" if self.is_unique else "not unique: " + ", ".join(n for n, u in self.unique.items() if not u)
        return f"<reaction of joint {self.joint.name}: force up to {most:.4g} N, {words}>"
