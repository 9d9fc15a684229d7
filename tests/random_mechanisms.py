"""Random mechanisms for identity tests: trees and loops of all joints, in the plane and in space, closed as drawn.

Bodies get random poses; each joint is placed so that its equations hold in the drawn pose: its ports are found by
taking a random place and random axes in fixed axes and expressing them in both bodies (turned about, or slid along,
what the joint leaves free). Velocities are random; assembly makes them consistent.
"""

from __future__ import annotations

import numpy as np

import jourdain as jd
from jourdain.mechanism import rotations as att

PLANAR_JOINTS = ("revolute", "prismatic", "weld", "distance", "point-on-line", "parallel", "perpendicular", "custom")
SPATIAL_JOINTS = (
    *("revolute", "prismatic", "spherical", "universal", "cylindrical", "planar", "weld", "distance"),
    *("point-on-line", "point-in-plane", "parallel", "perpendicular", "custom"),
)


def rotation(rng):
    """A random rotation matrix."""
    return att.matrix_from_quaternion(rng.normal(size=4))


def random_mechanism(seed, space, bodies=5, loops=2, joints=None, constraint_limit=True):
    """A random tree of `bodies` bodies with `loops` further joints, springs, dampers and loads."""
    rng = np.random.default_rng(seed)
    planar = space == "planar"
    dim = 2 if planar else 3
    m = jd.Mechanism(f"random {space} {seed}", space=space, gravity=rng.normal(size=dim) * 5)
    frames = {"ground": (np.zeros(dim), np.eye(dim))}
    freedoms = 0
    for k in range(bodies):
        frames[f"b{k}"] = _add_body(m, rng, f"b{k}", planar)
        freedoms += 3 if planar else 6
    names = list(frames)
    catalogue = joints or (PLANAR_JOINTS if planar else SPATIAL_JOINTS)
    pairs = [(names[rng.integers(0, k + 1)], names[k + 1]) for k in range(bodies)]
    pairs += [tuple(rng.choice(names, 2, replace=False)) for _ in range(loops)]
    for k, (a, b) in enumerate(pairs):
        kind = str(rng.choice(catalogue))
        rows = _count(kind, planar)
        if constraint_limit and freedoms - rows < 1:  # keep it movable
            kind, rows = "distance", 1
        if freedoms - rows < 1:
            break
        freedoms -= rows
        _add_joint(m, rng, f"j{k}", kind, a, b, frames, planar)
    _add_forces(m, rng, names, dim)
    return m


def _count(kind, planar):
    if kind == "custom":
        return 2
    table = {"revolute": 2, "prismatic": 2, "weld": 3} if planar else {
        "revolute": 5, "prismatic": 5, "spherical": 3, "universal": 4, "cylindrical": 4, "planar": 3, "weld": 6,
        "point-on-line": 2, "parallel": 2,
    }  # fmt: skip
    return table.get(kind, 1)


def _add_body(m, rng, name, planar):
    position = rng.normal(size=2 if planar else 3)
    common = {"mass": rng.uniform(0.5, 3), "position": position, "centre": 0.3 * rng.normal(size=position.size)}
    if planar:
        angle = rng.uniform(-3, 3)
        m.body(name, inertia=rng.uniform(0.1, 2), angle=angle, velocity=rng.normal(size=2), spin=rng.normal(), **common)
        return position, att.matrix_from_angle(angle)
    R = rotation(rng)
    # The inertia of eight random point masses is always physical.
    points = rng.normal(size=(8, 3)) * 0.5
    inertia = sum(0.3 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)
    entries = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    m.body(name, inertia=entries, matrix=R, velocity=rng.normal(size=3), spin=rng.normal(size=3), **common)
    return position, R


def _add_joint(m, rng, name, kind, a, b, frames, planar):
    dim = 2 if planar else 3
    place = rng.normal(size=dim)
    if planar:
        axes_i = att.matrix_from_angle(rng.uniform(-3, 3))
        free_turn = att.matrix_from_angle(rng.uniform(-3, 3))
    else:
        axes_i = rotation(rng)
        free_turn = axes_i @ att.matrix_from_euler("z", [rng.uniform(-3, 3)]) @ axes_i.T
    axes_j, M, N = _closed_ports(rng, kind, place, axes_i, free_turn, planar)
    kwargs = {}
    if kind == "distance":
        kwargs["length"] = float(np.linalg.norm(N - M))
    if kind == "custom":
        kwargs["equations"] = ["dot(N - M, y_i) + 0.2*dot(x_j, x_j) - 0.2", "(2 + sin(t)) * dot(N - M, x_i)"]
    ports = []
    for body, p, axes in ((a, M, axes_i), (b, N, axes_j)):
        origin, R = frames[body]
        local = R.T @ axes
        handle = m.ground if body == "ground" else m[body]
        spec = {"angle": np.arctan2(local[1, 0], local[0, 0])} if planar else {"x": local[:, 0], "z": local[:, 2]}
        ports.append(handle.point(f"p_{name}", R.T @ (p - origin), **spec))
    m.joint(kind, name, *ports, **kwargs)


def _closed_ports(rng, kind, M, axes_i, free_turn, planar):
    """Axes of the second port and both points such that the joint is closed."""
    along = axes_i[:, 0] if planar else axes_i[:, 2]
    same, turned, any_turn = axes_i, free_turn @ axes_i, rotation(rng) if not planar else free_turn @ axes_i
    aside = rng.normal(size=M.size)
    if kind == "revolute":
        return turned, M, M
    if kind == "prismatic":
        return same, M, M + rng.normal() * along
    if kind == "spherical":
        return any_turn, M, M
    if kind == "universal":  # z_j perpendicular to z_i
        swapped = axes_i[:, [2, 0, 1]]
        return free_turn @ swapped, M, M
    if kind == "cylindrical":
        return turned, M, M + rng.normal() * along
    if kind == "planar":
        return turned, M, M + axes_i[:, 0] * rng.normal() + axes_i[:, 1] * rng.normal()
    if kind == "weld":
        return same, M, M
    if kind in ("point-on-line", "custom"):
        return any_turn, M, M if kind == "custom" else M + rng.normal() * along
    if kind == "point-in-plane":
        return any_turn, M, M + axes_i[:, 0] * rng.normal() + axes_i[:, 1] * rng.normal()
    if kind == "parallel":
        return (same if planar else turned), M, M + aside
    if kind == "perpendicular":
        quarter = axes_i @ att.matrix_from_angle(np.pi / 2) if planar else free_turn @ axes_i[:, [2, 0, 1]]
        return quarter, M, M + aside
    return any_turn, M, M + aside  # distance


def _add_forces(m, rng, names, dim):
    handles = [m.ground if n == "ground" else m[n] for n in names]
    for k in range(2):
        a, b = rng.choice(len(names), 2, replace=False)
        ends = [handles[i].point(f"s{k}", rng.normal(size=dim)) for i in (a, b)]
        m.spring_damper(f"spring{k}", *ends, stiffness=rng.uniform(1, 20), damping=rng.uniform(0, 2), length=0.5)
    on = handles[-1].point("push", rng.normal(size=dim))
    m.force("push", on=on, vector=["3*sin(2*t)", *rng.normal(size=dim - 1)])
    m.torque("twist", on=handles[1], torque="2*cos(t)" if dim == 2 else ["2*cos(t)", 0.5, -1.0])
