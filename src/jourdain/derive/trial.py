"""Two bodies and one joint between them: what a kind of joint, or somebody's equations, are tried out on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..analysis.matrices import Evaluator
from ..engine.body_states import body_motion
from ..library.joints import JointKind
from ..mechanism.builder import Mechanism
from ..mechanism.parts import GROUND, Blueprint
from .vector_terms import cross

JOINT = "joint"


def trial_of(
    type_name: str, dim: int, equations: Sequence[Any] = (), values: Mapping[str, Any] | None = None
) -> Blueprint:
    """A mechanism of bodies i and j with ports M and N, each somewhere, with axes of their own."""
    rng = np.random.default_rng(7)
    m = Mechanism(f"{type_name} joint", gravity=(0.0,) * dim)
    for name, point in (("i", "M"), ("j", "N")):
        inertia = 0.7 if dim == 2 else (0.7, 0.8, 0.9, 0.05, 0.02, 0.01)
        at = tuple(float(x) for x in rng.uniform(-1.0, 1.0, dim))
        if dim == 2:
            port: Any = {"at": at, "angle": float(rng.uniform(-1.0, 1.0))}
        else:
            z = rng.normal(size=3)
            x = np.cross(rng.normal(size=3), z)
            port = {"at": at, "x": tuple(map(float, x)), "z": tuple(map(float, z))}
        place = tuple(float(x) for x in rng.uniform(-1.0, 1.0, dim))
        centre = tuple(float(x) for x in rng.uniform(-0.3, 0.3, dim))
        m.body(name, mass=1.5, inertia=inertia, centre=centre, position=place, points={point: port})
    given: dict[str, Any] = dict(values or {})
    length = given.pop("length", None)
    m.joint(type_name, JOINT, m["i"]["M"], m["j"]["N"], equations=tuple(equations), length=length, values=given)
    return m.frozen()


def values_of(kind: JointKind) -> dict[str, float]:
    """A number for every key of a kind."""
    return {name: 0.7 + 0.1 * k for k, name in enumerate(kind.keys) if name != "equations"}


class PortValues:
    """Vectors of a joint at a random state, in three components: what lines are evaluated with."""

    def __init__(self, evaluator: Evaluator, blueprint: Blueprint, joint: Any, axes: Mapping[str, Any]) -> None:
        self._e, self._b, self._joint, self._axes = evaluator, blueprint, joint, axes

    def at(self, samples: Any, accelerations: Any) -> dict[str, Any]:
        """By the names of vector_terms, at states in coordinates whose velocities are twists, one in each row."""
        dim, n = self._b.dim, len(samples)
        moved = body_motion(self._e.model, samples, accelerations)
        names = [body.name for body in self._b.bodies]
        found: dict[str, Any] = {f"e_{c}": np.tile(np.eye(3)[k], (n, 1)) for k, c in enumerate("xyz")}
        for side, port, point in (("i", self._joint.first, "M"), ("j", self._joint.second, "N")):
            at = np.asarray(self._b.port(port).at, dtype=float)
            if port.body == GROUND:
                R, still = np.tile(np.eye(dim), (n, 1, 1)), np.zeros((n, 3))
                place, arm, speed, spin, push, turn = _three(np.tile(at, (n, 1))), still, still, still, still, still
            else:
                k = names.index(port.body)
                G, R, V, w, A, dw = (moved[m][:, k] for m in (0, 1, 3, 4, 5, 6))
                arm = _three(R @ (at - np.asarray(self._b.bodies[k].centre)))
                place, speed, push, spin, turn = _three(G) + arm, _three(V), _three(A), _spin(w), _spin(dw)
            swing = cross(spin, arm)
            found |= {f"r_{side}": arm, f"w_{side}": spin, f"dw_{side}": turn, f"O{point}": place}
            found[f"V_{point}"] = speed + swing
            found[f"A_{point}"] = push + cross(turn, arm) + cross(spin, swing)
            for c in "xyz"[:dim]:
                found[f"{c}_{side}"] = _three(R @ np.asarray(self._axes[f"{c}_{side}"]))
        found["MN"] = found["ON"] - found["OM"]
        return found


def _three(x: Any) -> Any:
    return np.concatenate([x, np.zeros((len(x), 1))], axis=1) if x.shape[-1] == 2 else np.asarray(x)


def _spin(w: Any) -> Any:
    return np.concatenate([np.zeros((len(w), 2)), w], axis=1) if w.shape[-1] == 1 else np.asarray(w)
