"""Forces and moments of joints: they balance, they obey Newton and Euler, and they mean what the docs say.

Two bodies thrown into the air hang together by one joint, so its wrench is all that acts on either besides its
weight and a torque on the second. Accelerations and wrenches come out of one linear system: 100 cond eps of the
largest force, with cond = 1e4 for bodies of some kilograms and decimetres.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import catalogue_cases
import jourdain as jd
import machines
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_quaternion

SOLVE = 100 * 1e4 * np.finfo(float).eps
every_joint = pytest.mark.parametrize("case", catalogue_cases.CASES, ids=str)


@cache
def _run_of(name: str) -> jd.Solution:
    case = next(case for case in catalogue_cases.CASES if str(case) == name)
    run = jd.simulate(catalogue_cases.build(case, on_ground=False), 0.3, every=0.05)
    assert run.status.ok, str(run.status)
    return run


def run_of(case: catalogue_cases.Case) -> jd.Solution:
    """One run a case, shared by all tests that look at it."""
    return _run_of(str(case))


def vector(run: jd.Solution, owner: str, kind: str = "") -> np.ndarray:
    """Three components, one row a sample; in the plane the third is zero."""
    columns = [run[f"{owner}.{kind}{c}"] for c in "xyz"[: run.model.blueprint.dim]]
    return np.stack([*columns, np.zeros(len(run.t))][:3], axis=1)


def moment(run: jd.Solution, owner: str) -> np.ndarray:
    columns = [run[f"{owner}.m{c}"] if run.model.blueprint.dim == 3 or c == "z" else 0 * run.t for c in "xyz"]
    return np.stack(columns, axis=1)


def frames(run: jd.Solution, body: str) -> np.ndarray:
    if run.model.blueprint.dim == 3:
        return np.array([matrix_from_quaternion(q) for q in np.stack([run[f"{body}.q{c}"] for c in "wxyz"], axis=1)])
    R = np.tile(np.eye(3), (len(run.t), 1, 1))
    R[:, :2, :2] = [matrix_from_angle(angle) for angle in run[f"{body}.angle"]]
    return R


def spins(run: jd.Solution, body: str, rate: bool = False) -> np.ndarray:
    if run.model.blueprint.dim == 3:
        return np.stack([run[f"{body}.w{c}{'_rate' if rate else ''}"] for c in "xyz"], axis=1)
    return run[f"{body}.{'spin_rate' if rate else 'spin'}"][:, None] * np.array([0, 0, 1.0])


def inertia_tensor(body: Any) -> np.ndarray:
    if isinstance(body.inertia, float):
        return np.diag([0, 0, body.inertia])
    xx, yy, zz, xy, xz, yz = body.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def euler_moment(run: jd.Solution, name: str) -> np.ndarray:
    """I w' + w x I w about the mass centre, fixed axes: what turns the body as it turns."""
    R, w, dw = frames(run, name), spins(run, name), spins(run, name, rate=True)
    tensor = R @ inertia_tensor(run.model.blueprint.body(name)) @ np.swapaxes(R, 1, 2)
    return np.einsum("tij,tj->ti", tensor, dw) + np.cross(w, np.einsum("tij,tj->ti", tensor, w))


def padded(v: Any) -> np.ndarray:
    return np.append(np.asarray(v, dtype=float), np.zeros(3 - len(v)))


@every_joint
def test_the_two_sides_balance(case: catalogue_cases.Case) -> None:
    run = run_of(case)
    on_b, on_a = vector(run, "joint", "f"), vector(run, "joint.on_first", "f")
    total = moment(run, "joint") + moment(run, "joint.on_first")
    total += np.cross(vector(run, "b.Q"), on_b) + np.cross(vector(run, "a.P"), on_a)
    scale = np.abs(on_b).max() + np.abs(moment(run, "joint")).max()
    assert scale > 0.1, "a joint that carries nothing proves nothing"
    # Sums of the very numbers that cancel: rounding alone.
    np.testing.assert_allclose(on_a, -on_b, rtol=0, atol=1e-13 * scale)
    np.testing.assert_allclose(total, 0, rtol=0, atol=1e-13 * scale)


@every_joint
@pytest.mark.parametrize("side", ["first", "second"])
def test_newton_and_euler(case: catalogue_cases.Case, side: str) -> None:
    run = run_of(case)
    name, port, owner = ("a", "a.P", "joint.on_first") if side == "first" else ("b", "b.Q", "joint")
    body = run.model.blueprint.body(name)
    force = vector(run, owner, "f")
    arm = np.einsum("tij,j->ti", frames(run, name), padded(body.centre))
    w, dw = spins(run, name), spins(run, name, rate=True)
    acceleration = vector(run, name, "a") + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    bar = SOLVE * max(np.abs(force).max(), np.abs(moment(run, owner)).max(), 10 * body.mass)
    needed = body.mass * (acceleration - padded(run.model.blueprint.gravity))
    np.testing.assert_allclose(force, needed, rtol=0, atol=bar)
    lever = vector(run, port) - vector(run, name) - arm
    turning = moment(run, owner) + np.cross(lever, force)
    if name == "b":
        turning = turning + (catalogue_cases.TORQUE[3] if case.dim == 3 else (0, 0, catalogue_cases.TORQUE[2]))
    np.testing.assert_allclose(turning, euler_moment(run, name), rtol=0, atol=bar)


# What each joint can carry, in axes of the first port: force components, then moment components at N.
CARRIES = {
    ("spherical", 3): "fx fy fz",
    ("revolute", 3): "fx fy fz mx my",
    ("universal", 3): "fx fy fz mx my",
    ("cylindrical", 3): "fx fy mx my",
    ("prismatic", 3): "fx fy mx my mz",
    ("planar", 3): "fz mx my",
    ("weld", 3): "fx fy fz mx my mz",
    ("point-on-line", 3): "fx fy",
    ("point-in-plane", 3): "fz",
    ("parallel", 3): "mx my",
    ("perpendicular", 3): "mx my",
    ("revolute", 2): "fx fy",
    ("prismatic", 2): "fy mz",
    ("weld", 2): "fx fy mz",
    ("point-on-line", 2): "fy",
    ("parallel", 2): "mz",
    ("perpendicular", 2): "mz",
}


@every_joint
def test_joints_carry_only_what_they_can(case: catalogue_cases.Case) -> None:
    run = run_of(case)
    force, couple = vector(run, "joint", "f"), moment(run, "joint")
    scale = np.abs(force).max() + np.abs(couple).max()
    if case.kind in ("distance", "point-on-circle"):  # along the rod, whatever the axes; no couple at its ball end
        if case.kind == "point-on-circle" and case.dim == 3:  # and across the plane of the circle
            normal = frames(run, "a") @ np.array(run.model.blueprint.body("a").ports["P"].z)
            force = force - np.sum(force * normal, axis=1)[:, None] * normal
        rod = vector(run, "b.Q") - vector(run, "a.P")
        np.testing.assert_allclose(np.cross(rod, force), 0, rtol=0, atol=1e-12 * scale)
        assert not couple.any()
        return
    port = run.model.blueprint.body("a").ports["P"]
    x, z = padded(port.x), np.array([0, 0, 1.0]) if case.dim == 2 else np.array(port.z)
    axes = frames(run, "a") @ np.stack([x, np.cross(z, x), z], axis=1)
    parts = np.hstack([np.einsum("tij,ti->tj", axes, force), np.einsum("tij,ti->tj", axes, couple)])
    carried = CARRIES[case.kind, case.dim].split()
    idle = [k for k, name in enumerate(("fx", "fy", "fz", "mx", "my", "mz")) if name not in carried]
    np.testing.assert_allclose(parts[:, idle], 0, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("side", ["first", "second"])
def test_moment_about_the_origin_turns_the_body(side: str) -> None:
    """Both bars have their origin at the mass centre and hang on one ball joint: what it exerts is Euler's moment."""
    run = jd.simulate(machines.two_bars(), 0.5, every=0.1)
    name = {"first": "bar1", "second": "bar2"}[side]
    found = run.reactions["C"].moment_about_origin(side)
    expected = np.einsum("tji,tj->ti", frames(run, name), euler_moment(run, name))
    np.testing.assert_allclose(found, expected, rtol=0, atol=SOLVE * np.abs(expected).max())


def test_moment_about_the_origin_in_the_plane() -> None:
    run = jd.simulate(machines.pendulum_bar(), 0.5, every=0.1)
    expected = 1 / 12 * run["rod.spin_rate"]
    found = run.reactions["A"].moment_about_origin()
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=SOLVE * np.abs(expected).max())
    # The pin is at the ground's own origin, so nothing turns about it.
    np.testing.assert_allclose(run.reactions["A"].moment_about_origin("first"), 0, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="side is 'left'; expected 'first' or 'second'"):
        run.reactions["A"].moment_about_origin("left")


def test_reactions_say_whether_they_are_unique() -> None:
    plane = jd.simulate(machines.four_bar(), 0.1).reactions["B"]
    assert plane.is_unique
    assert repr(plane).endswith("N, unique>")
    space = jd.simulate(machines.spatial_four_bar(), 0.1).reactions["B"]
    assert not space.is_unique
    # In its own plane the linkage is determined; across it the four hinges can strain against each other.
    assert space.unique == {"fx": True, "fy": True, "fz": False, "mx": False, "my": False, "mz": True}
    assert repr(space).endswith("N, not unique: fz, mx, my>")
