"""Random trees of every joint that has joint coordinates, written in either direction, closed as drawn."""

from __future__ import annotations

import numpy as np

import jourdain as jd
from jourdain.mechanism import rotations as att
from random_mechanisms import _add_body, _add_forces, _closed_ports, rotation

PLANAR = ("revolute", "prismatic", "weld")
SPATIAL = ("revolute", "prismatic", "spherical", "universal", "cylindrical", "planar", "weld", "screw")


def random_tree(seed, space, bodies=6, forces=False, joints=None):
    """A tree of `bodies` bodies; one in six floats. Joints go from the parent to the body, or back."""
    rng = np.random.default_rng(seed)
    planar = space == "planar"
    dim = 2 if planar else 3
    m = jd.Mechanism(f"tree {space} {seed}", space=space, gravity=rng.normal(size=dim) * 5)
    frames = {"ground": (np.zeros(dim), np.eye(dim))}
    for k in range(bodies):
        parent = list(frames)[rng.integers(0, k + 1)]
        frames[f"b{k}"] = _add_body(m, rng, f"b{k}", planar)
        if rng.random() > 1 / 6 or joints:
            kind = str(rng.choice(joints or (PLANAR if planar else SPATIAL)))
            pair = (parent, f"b{k}") if rng.random() < 0.5 else (f"b{k}", parent)
            _add_joint(m, rng, f"j{k}", kind, *pair, frames, planar)
    if forces:
        _add_forces(m, rng, list(frames), dim)
    return m


def _add_joint(m, rng, name, kind, a, b, frames, planar):
    place = rng.normal(size=2 if planar else 3)
    if planar:
        axes_i = att.matrix_from_angle(rng.uniform(-3, 3))
        free_turn = att.matrix_from_angle(rng.uniform(-3, 3))
    else:
        axes_i = rotation(rng)
        free_turn = axes_i @ att.matrix_from_euler("z", [rng.uniform(-3, 3)]) @ axes_i.T
    axes_j, M, N = _closed_ports(rng, "cylindrical" if kind == "screw" else kind, place, axes_i, free_turn, planar)
    ports = []
    for body, p, axes in ((a, M, axes_i), (b, N, axes_j)):
        origin, R = frames[body]
        local = R.T @ axes
        spec = {"angle": np.arctan2(local[1, 0], local[0, 0])} if planar else {"x": local[:, 0], "z": local[:, 2]}
        ports.append((m.ground if body == "ground" else m[body]).point(f"p_{name}", R.T @ (p - origin), **spec))
    m.joint(kind, name, *ports, values={"pitch": rng.uniform(0.2, 1.0)} if kind == "screw" else None)
