"""What equations of motion are made of, against calculations that share nothing with the kernels.

On random mechanisms of all joint types: multipliers and shares by virtual work, with the equations' own values pushed
about for their slopes; M by kinetic energies, Q by powers of forces written out here, J and gamma by differences; the
inertia terms by Lagrange's equations beside those of Newton and Euler.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.analysis.matrices import Evaluator
from jourdain.assembly.prepare import prepare
from jourdain.choices import COORDINATES, coordinates_of
from jourdain.engine.body_states import from_vector, whole_state
from jourdain.engine.pose import Pose
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_quaternion
from jourdain.model.flat import FlatModel
from jourdain.model.states import to_vector
from random_mechanisms import random_mechanism

Array = np.ndarray[Any, Any]

H = 1e-5  # of central differences: errors of h^2, and of eps / h
SEEDS = [(space, seed) for space in ("planar", "spatial") for seed in (1, 2, 3)]
SETS = [(space, name) for space, known in COORDINATES.items() for name, one in known.items() if one.shown]
every_seed = pytest.mark.parametrize("space, seed", SEEDS)


def run_of(space: str, seed: int, **choices: Any) -> jd.Solution:
    return jd.simulate(random_mechanism(seed, space, bodies=4, loops=1), 0.02, every=0.02, **choices)


def frame(attitude: Any) -> Array:
    found = matrix_from_angle(attitude) if np.ndim(attitude) == 0 else matrix_from_quaternion(attitude)
    return np.asarray(found)


def pushed(state: Any, direction: int, by: float) -> Any:
    """The state of a body moved along, or turned about, a fixed axis."""
    dim = len(state.position)
    if direction < dim:
        return replace(state, position=tuple(np.array(state.position) + by * np.eye(dim)[direction]))
    if dim == 2:
        return replace(state, attitude=state.attitude + by)
    w, x = state.attitude[0], np.array(state.attitude[1:])
    half = 0.5 * by * np.eye(3)[direction - 3]
    turned = np.array([w - half @ x, *(x + w * half + np.cross(half, x))])
    return replace(state, attitude=tuple(turned / np.linalg.norm(turned)))


def slope(pose: Pose, t: float, state: dict[str, Any], body: str, direction: int) -> Array:
    """How all equations change with one body, by differences."""
    values = []
    for by in (H, -H):
        pose.place(t, to_vector(pose.model, {**state, body: pushed(state[body], direction, by)}))
        values.append(pose.gaps())
    return np.asarray((values[0] - values[1]) / (2 * H))


@every_seed
def test_shares_do_the_work_of_their_equations(space: str, seed: int) -> None:
    """An equation C exerts -lam dC/dx on whatever moves by x: that is what its share says, and all together."""
    run = run_of(space, seed)
    pose, state, k = run.regimes[-1][1].pose(), run.state(), len(run.t) - 1
    dim = run.blueprint.dim
    rows = {joint: [r for r, row in enumerate(pose.model.rows) if row.joint == joint] for joint in run.reactions}
    for joint in run.blueprint.joints:
        whole = sum(share.force[k] for share in run.shares[joint.name].values())
        scale = max(1.0, float(np.max(np.abs(run.multipliers[joint.name]))))
        np.testing.assert_allclose(whole, run.reactions[joint.name].force[k], atol=1e-12 * scale)
        for port, side in ((joint.first, "first"), (joint.second, "second")):
            if port.body == "ground" or joint.first.body == joint.second.body:
                continue
            dC = np.array([slope(pose, float(run.t[k]), state, port.body, d) for d in range(3 if dim == 2 else 6)])
            R = frame(state[port.body].attitude)
            for r, (share, lam) in enumerate(
                zip(run.shares[joint.name].values(), run.multipliers[joint.name][k], strict=True)
            ):
                work = -lam * dC[:, rows[joint.name][r]]
                force = (share.force if side == "second" else share.on_first_force)[k]
                moment = share.moment_about_origin(side)[k]
                found = np.concatenate([force, moment if dim == 2 else R @ moment])
                np.testing.assert_allclose(found, work, atol=1e-7 * scale)


@every_seed
def test_multipliers_are_those_of_every_coordinate_set(space: str, seed: int) -> None:
    """Joints mean the same in all sets; in joint coordinates theirs come from what they bear."""
    known = run_of(space, seed)
    scale = max(np.max(np.abs(x)) for x in known.multipliers.values())
    for name, one in COORDINATES[space].items():
        if one.shown:
            run = run_of(space, seed, coordinates=name)
            for joint in run.reactions:
                assert run.multipliers.rows[joint] == known.multipliers.rows[joint]
                if not known.reactions[joint].is_unique:
                    continue  # redundant equations: each set may leave out another one
                found = run.multipliers[joint]
                np.testing.assert_allclose(found, known.multipliers[joint], atol=1e-7 * scale, err_msg=name)


@pytest.mark.parametrize("space, name", SETS)
def test_matrices_of_random_mechanisms(space: str, name: str) -> None:
    for seed in (1, 2):
        run = run_of(space, seed)
        blueprint, state, t = run.blueprint, run.state(), float(run.t[-1])
        one = Evaluator.assembled(prepare(blueprint, coordinates_of(space, name), None))
        model = one.model
        y = to_vector(model, state)
        a = one.of(t, y)
        rng = np.random.default_rng(seed)
        at = model.layout
        for _ in range(3):
            moved = random_motion(model, y, rng)
            u, states = moved[at.v], from_vector(model, moved)
            energy = sum(kinetic(body, states[body.name]) for body in blueprint.bodies)
            assert 0.5 * u @ a.M @ u == pytest.approx(energy, rel=1e-9)
            assert u @ a.Q == pytest.approx(power(blueprint, t, state, states), rel=1e-8, abs=1e-8)
        before, after = (one.moved(t, y, by * y[at.v], y[at.v]) for by in (-H, H))
        rates = [rate(one, when, x) for when, x in ((t - H, before), (t + H, after))]
        limit = 1e-7 * max(1.0, float(np.max(np.abs(a.gamma))))
        np.testing.assert_allclose(a.gamma, -(rates[1] - rates[0]) / (2 * H), atol=limit)
        for column in range(model.nv):
            unit = H * np.eye(model.nv)[column]
            gaps = [one.of(t, one.moved(t, y, delta, y[at.v])).C for delta in (unit, -unit)]
            held = [r for r, row in enumerate(model.rows) if not row.velocity]
            np.testing.assert_allclose(a.J[held, column], ((gaps[0] - gaps[1]) / (2 * H))[held], atol=1e-6)


def random_motion(model: FlatModel, y: Array, rng: np.random.Generator) -> Array:
    """The same pose with random velocities: of bodies, or of joints."""
    at = model.layout
    if model.set.joined:
        moved = y.copy()
        moved[at.v] = rng.normal(size=model.nv)
        return moved
    dim = model.blueprint.dim
    state = dict(whole_state(model, y))
    for body in model.blueprint.bodies:
        spin = rng.normal() if dim == 2 else tuple(rng.normal(size=3))
        state[body.name] = replace(state[body.name], velocity=tuple(rng.normal(size=dim)), spin=spin)
    return to_vector(model, state)


def rate(one: Evaluator, t: float, y: Array) -> Array:
    a = one.of(t, y)
    return np.asarray(a.J @ y[one.model.layout.v] + a.partial)


def cross(w: Any, arm: Array) -> Array:
    return np.array([-w * arm[1], w * arm[0]]) if len(arm) == 2 else np.cross(w, arm)


def kinetic(body: Any, state: Any) -> float:
    R, w = frame(state.attitude), state.spin
    v = np.array(state.velocity) + cross(w, R @ np.array(body.centre))
    if len(v) == 2:
        return float(0.5 * body.mass * v @ v + 0.5 * body.inertia * w**2)
    xx, yy, zz, xy, xz, yz = body.inertia
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return float(0.5 * body.mass * v @ v + 0.5 * np.array(w) @ inertia @ np.array(w))


def power(blueprint: Any, t: float, here: dict[str, Any], moving: dict[str, Any]) -> float:
    """Of gravity, springs, the push and the twist of a random mechanism, as they are here, on other velocities."""

    def at(states: dict[str, Any], port: Any) -> tuple[Array, Array]:
        local = np.array(blueprint.port(port).at)
        if port.body == "ground":
            return local, 0 * local
        s = states[port.body]
        arm = frame(s.attitude) @ local
        return np.array(s.position) + arm, np.array(s.velocity) + cross(s.spin, arm)

    total = 0.0
    for body in blueprint.bodies:
        s = moving[body.name]
        v = np.array(s.velocity) + cross(s.spin, frame(s.attitude) @ np.array(body.centre))
        total += body.mass * np.array(blueprint.gravity) @ v
    for part in blueprint.forces:
        if hasattr(part, "stiffness"):
            (p, v), (r, u) = at(here, part.first), at(here, part.second)
            d = r - p
            length = np.linalg.norm(d)
            pull = part.stiffness * (length - part.length) + part.damping * (u - v) @ d / length
            total += pull * d / length @ (at(moving, part.first)[1] - at(moving, part.second)[1])
        elif part.name == "push":
            vector = [3 * np.sin(2 * t), *(float(str(x)) for x in part.vector[1:])]
            total += float(np.array(vector) @ at(moving, part.on)[1])
        else:
            spin = moving[part.on].spin
            total += 2 * np.cos(t) * spin if np.ndim(spin) == 0 else np.array([2 * np.cos(t), 0.5, -1.0]) @ spin
    return float(total)


@pytest.mark.parametrize("space, name", SETS)
def test_inertia_terms_of_newton_and_euler_are_those_of_lagrange(space: str, name: str) -> None:
    """Stanescu's F~ both ways; where a set has rows of its own, but for what these take up."""
    for seed in (1, 2, 3):
        run = run_of(space, seed)
        a = jd.matrices(run.blueprint, run.state(), coordinates=name)
        bodies = {body.name for body in run.blueprint.bodies}
        own = a.J[[row.split(":")[0] in bodies for row in a.rows]]
        difference = a.bias_lagrange - a.bias
        difference -= own.T @ np.linalg.lstsq(own.T, difference, rcond=None)[0]
        scale = max(1.0, float(np.max(np.abs(a.bias))))
        assert np.max(np.abs(difference)) < 1e-12 * scale


def test_multipliers_where_events_switch_and_numbers_change() -> None:
    """Each sample with what it was computed with: a joint that is let go bears nothing from then on."""
    m = jd.Mechanism("dropped", gravity=(0, -9.81))
    bar = m.body("bar", mass=2, inertia=0.1, position=(0, 0), angle=0, velocity=(0, 0), spin=0, points={"A": (0, 0)})
    m.weld("hold", m.ground.point("O", (0, 0)), bar["A"])
    m.event("let_go", "t - 0.5", off=["hold"])
    run = jd.simulate(m, 1.0, every=0.25)
    np.testing.assert_allclose(run.multipliers["hold"][:2, 1], -2 * 9.81, atol=1e-9)
    np.testing.assert_allclose(run.multipliers["hold"][3:], 0.0, atol=1e-12)
    assert run.at(0.25).multipliers["hold"][0, 1] == pytest.approx(-2 * 9.81)


def test_rows_have_names_and_a_wrong_one_gets_the_nearest() -> None:
    run = jd.simulate(jd.example("pendulum"), 0.1, every=0.1, coordinates="natural")
    assert run.multipliers.rows["bar"] == ("|alpha| = 1", "alpha perpendicular to beta", "|beta| = 1")
    assert list(run.shares["A"]) == ["translation along fixed x", "translation along fixed y"]
    with pytest.raises(KeyError, match="barr"):
        run.multipliers["barr"]


def test_equations_of_ones_own_say_what_they_take() -> None:
    """A bead on a parabola: its equation's force is along the gradient, in every coordinate set."""
    m = jd.Mechanism("bead", gravity=(0, -9.81))
    m.body("bead", mass=2, inertia=1, position=(1, 0.5), angle=0, velocity=(0, 0), spin=0)
    m.equation("wire", formula="bead.y - bead.x**2/2")
    for name in ("angle", "natural", "relative"):
        run = jd.simulate(m, 1.0, every=0.25, coordinates=name)
        np.testing.assert_allclose(run["wire.force"], 2 * (run["bead.ay"] + 9.81), atol=1e-6)
        np.testing.assert_allclose(-run["wire.force"] * run["bead.x"], 2 * run["bead.ax"], atol=1e-6)
        np.testing.assert_allclose(run.multipliers["wire"][:, 0], -run["wire.force"], atol=1e-9)


def test_a_table_to_read() -> None:
    a = jd.matrices(jd.example("pendulum"))
    lines = a.table("J").splitlines()
    assert lines[0].split() == ["bar.x", "bar.y", "bar.angle"]
    assert lines[1].startswith("A: translation along fixed x")
    assert a.table("Q").splitlines()[0].split() == ["Q"]
    with pytest.raises(jd.ChoiceError, match="there is no 'mass'"):
        a.table("mass")
