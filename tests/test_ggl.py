"""Multipliers as unknowns of implicit steps: the stabilisation ggl, `multipliers=True`, and the recipe amesim.

The yardstick is dop853 at 1e-12 with projection, whose own tests compare it with independent solutions. Nothing of ggl
takes part in it.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import jourdain as jd
import machines
import test_rolling
import test_state_elements
from jourdain import choices as ch
from jourdain.assembly.prepare import Prepared, prepare
from jourdain.engine.kernel_cache import load_kernels
from jourdain.engine.pose import Pose
from jourdain.engine.time_loop import TimeLoop
from jourdain.kernels.layout.loops import C_STEPS
from jourdain.kernels.layout.returned import OK
from random_mechanisms import random_mechanism
from test_reference import BY_NAME

G = 9.81
GGL = jd.Kkt("ggl")


def sleigh() -> jd.Mechanism:
    m = test_rolling.planar_sled()
    m.joint("knife-edge", "blade", m.ground["O"], m["sled"]["E"])
    return m


def rolling_disc() -> jd.Mechanism:
    return test_rolling.spatial_disc(0.7, 2.0, 1.0, 0.3, (0.0225, 0.045))


def motor_drive() -> jd.Mechanism:
    """A four-bar whose motor has a current, a state under error control."""
    m = test_state_elements.four_bar(1.0)
    m.dc_motor("motor", joint="A", voltage=12, resistance=1, inductance=0.02, constant=0.5, gear=3)
    return m


def rubbing() -> jd.Mechanism:
    """A four-bar with friction in a pin, which depends on the reaction there: a multiplier."""
    m = machines.four_bar()
    m.friction("F", joint="A", coefficient=0.3, radius=0.1, regular_speed=0.1)
    return m


def driven() -> jd.Mechanism:
    """A pendulum on a sled that a motion drives: the multiplier of the motion does work."""
    m = jd.Mechanism("sled", gravity=(0, -G))
    sled = m.body("sled", mass=2, inertia=1, position=(0, 0), points={"C": (0, 0)})
    bar = m.body("bar", mass=1, inertia=1 / 12, position=(0, -0.5), angle=-math.pi / 2, points={"A": (-0.5, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), sled["C"])
    m.revolute("A", sled["C"], bar["A"])
    m.motion("drive", joint="S", displacement="0.2*sin(5*t)")
    return m


MACHINES: dict[str, Any] = {
    "four-bar": machines.four_bar,
    "slider-crank": machines.slider_crank,
    "redundant loop in space": machines.spatial_four_bar,
    "knife edge": sleigh,
    "rolling disc": rolling_disc,
    "states": motor_drive,
    "friction": rubbing,
    "driven": driven,
    "point masses": machines.double_pendulum,
}


@functools.cache
def yardstick(name: str) -> jd.Solution:
    return jd.simulate(MACHINES[name](), 1.0, every=0.1, rtol=1e-12)


def error(name: str, **how: Any) -> float:
    run = jd.simulate(MACHINES[name](), 1.0, every=0.1, **how)
    assert run.status.ok
    best = yardstick(name)
    if str(run.choices.treatment.stabilisation) == "ggl":
        assert np.max(run.violation.position) < 1e-10
        assert np.max(run.violation.velocity) < 1e-9
    return float(np.max(np.abs(run.motion.position - best.motion.position)))


# Accuracy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["radau", "bdf"])
@pytest.mark.parametrize("name", [name for name in MACHINES if name != "rolling disc"])
def test_errors_fall_with_the_tolerance(name: str, method: str) -> None:
    tolerances = 10.0 ** -np.arange(4, 10)
    errors = np.array([error(name, treatment=GGL, integrator=method, rtol=tol) for tol in tolerances])
    assert np.all(np.diff(errors) < 0)
    assert np.all(errors < 100 * tolerances)


@pytest.mark.parametrize("method", ["radau", "bdf"])
@pytest.mark.parametrize("how", ["ggl", "index 1"])
def test_a_rolling_disc(method: str, how: str) -> None:
    """Velocity rows beside one of position, in space."""
    for tol in (1e-4, 1e-6, 1e-8):
        kind = jd.Radau if method == "radau" else jd.Bdf
        given = {"treatment": GGL} if how == "ggl" else {}
        assert error("rolling disc", integrator=kind(rtol=tol, multipliers=how == "index 1"), **given) < 100 * tol


@pytest.mark.parametrize("kind", [jd.Radau, jd.Bdf], ids=["radau", "bdf"])
@pytest.mark.parametrize("how", ["projection", "euclidean", "none", jd.Baumgarte(20.0, 20.0)], ids=str)
def test_multipliers_as_unknowns(kind: Any, how: Any) -> None:
    """With every stabilisation. Without any, drift grows with time: over one second it stays within the bar."""
    tolerances = 10.0 ** -np.arange(4, 10)
    errors = [error("four-bar", treatment=jd.Kkt(how), integrator=kind(rtol=r, multipliers=True)) for r in tolerances]
    assert np.all(np.diff(errors) < 0)
    assert np.all(errors < 100 * tolerances)


@pytest.mark.parametrize("name", [name for name in MACHINES if name != "rolling disc"])
def test_multipliers_as_unknowns_of_all_machines(name: str) -> None:
    for kind, tol in ((jd.Radau, 1e-7), (jd.Bdf, 1e-6)):
        assert error(name, integrator=kind(rtol=tol, multipliers=True)) < 100 * tol


@pytest.mark.parametrize("coordinates", ["euler-parameters", "natural", "bryan"])
def test_other_coordinates(coordinates: str) -> None:
    """Intrinsic rows have multipliers too; Euler angles change their sequence on the way."""
    m = machines.spatial_four_bar() if coordinates != "bryan" else machines.two_bars()
    best = jd.simulate(m, 1.0, every=0.1, rtol=1e-12)
    run = jd.simulate(m, 1.0, every=0.1, coordinates=coordinates, treatment=GGL, integrator="radau", rtol=1e-7)
    assert run.status.ok
    assert np.max(np.abs(run.motion.position - best.motion.position)) < 1e-5
    assert np.max(run.violation.position) < 1e-10


def test_an_over_constrained_loop_without_rotary_inertia() -> None:
    """Bricard's: a row that is redundant on the manifold only, and bars without inertia about their axes."""
    best = jd.simulate(machines.bricard(), 0.3, every=0.1, rtol=1e-11)
    run = jd.simulate(machines.bricard(), 0.3, every=0.1, treatment=GGL, integrator="radau", rtol=1e-6)
    assert np.max(np.abs(run.motion.position - best.motion.position)) < 1e-6
    assert any("redundant and bears no load" in note for note in run.status.notes)


def test_reactions_and_energy() -> None:
    """Reactions are those of the closed state; the work of a motion is that of its multiplier."""
    run = jd.simulate(driven(), 1.0, every=0.1, treatment=GGL, integrator="radau", rtol=1e-8)
    best = yardstick("driven")
    assert run["drive.force"] == pytest.approx(best["drive.force"], abs=1e-5 * np.max(np.abs(best["drive.force"])))
    assert run.energy.driven == pytest.approx(best.energy.driven, abs=1e-6)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-6)


# The equations ---------------------------------------------------------------------------------------------------


def prepared(m: Any, treatment: Any, integrator: Any, t: float = 0.0) -> tuple[Prepared, ch.Choices]:
    choices = ch.resolve("planar", treatment=treatment, integrator=integrator)
    return prepare(m.frozen(), choices.set, None, t, choices.treatment, choices.integrator), choices


@pytest.mark.parametrize("how", ["ggl", "index 1"])
@pytest.mark.parametrize("seed", range(4))
def test_equations(seed: int, how: str) -> None:
    """F off the constraints, with any multipliers, is what the equations in the header of ggl.py say."""
    t, k = 0.7, load_kernels()
    c = k.context
    m = random_mechanism(seed, "planar", bodies=3 + seed % 3, loops=seed % 3)
    m.velocity_constraint("drag", formula="b1.vx + 0.3*b0.vy - 0.2*sin(t)")
    given = (GGL, jd.Radau()) if how == "ggl" else (jd.Kkt(jd.Baumgarte(3.0, 5.0)), jd.Radau(multipliers=True))
    p, _ = prepared(m, *given, t)
    model, ctx = p.model, p.workspace.ctx
    nq, ny, rows = model.nq, model.length, model.padded
    rng = np.random.default_rng(seed)
    x = np.concatenate([p.assembly.y, np.zeros((2 if how == "ggl" else 1) * rows)])
    x[: 2 * nq] += 1e-2 * rng.standard_normal(2 * nq)
    x[ny:] = rng.standard_normal(x.size - ny)
    out = np.zeros_like(x)
    assert k.dynamics.call_entry(ctx, c.F_DAE, t, x, out) == c.OK
    slope = np.zeros(ny)
    assert k.dynamics.call_entry(ctx, c.F_RHS, t, x[:ny].copy(), slope) == c.OK
    lam_rhs, residual, partial = (p.workspace[f][:, 0].copy() for f in (c.LAMBDA, c.RESIDUAL, c.PARTIAL))
    gamma = p.workspace[c.GAMMA][:, 0].copy()
    kept = [row for row in model.rows if not row.dropped]
    own = [row.row for row in kept]
    J = Pose(model, p.workspace).jacobian(t, x[:ny])[[row in kept for row in model.rows]]
    M = np.concatenate([[b.mass, b.mass, b.inertia] for b in model.blueprint.bodies]).astype(float)
    v, lam = x[nq : 2 * nq], x[ny : ny + rows]
    expected = slope[nq : 2 * nq] - (J.T @ (lam - lam_rhs)[own]) / M
    np.testing.assert_allclose(out[nq : 2 * nq], expected, atol=1e-9 * np.max(np.abs(expected)))
    padding = np.setdiff1d(np.arange(rows), own)
    np.testing.assert_array_equal(out[ny + padding], lam[padding])
    if how == "index 1":
        np.testing.assert_allclose(out[:nq], v)
        size = np.max(np.abs(J @ expected)) + np.max(np.abs(gamma))
        np.testing.assert_allclose(out[ny + np.array(own)], J @ expected - gamma[own], atol=1e-9 * size)
        return
    mu = x[ny + rows :]
    np.testing.assert_allclose(out[:nq], v - (J.T @ mu[own]) / M, atol=1e-12 * np.max(np.abs(mu)) * np.max(1 / M))
    np.testing.assert_allclose(out[ny + np.array(own)], J @ v + partial[own], atol=1e-12 * np.max(np.abs(v)))
    for row in kept:
        assert out[ny + rows + row.row] == (mu[row.row] if row.velocity else residual[row.row])
    np.testing.assert_array_equal(out[ny + rows + padding], mu[padding])


def _worst_multipliers(method: Any) -> tuple[float, float]:
    """Largest error of lam against those of kkt, and largest mu, at the ends of all steps in a second."""
    p, choices = prepared(machines.four_bar(), GGL, method)
    loop = TimeLoop(p.workspace, choices.integrator, p.assembly.y, 0.0)
    lam, mu, seen = [0.0], [0.0], [0]
    work, ny, rows = p.workspace.method_work, p.model.length, p.model.padded
    end = work[len(work) - load_kernels().method("integrators.step_rows").RAW]
    kkt = work[load_kernels().method(f"integrators.{choices.integrator.name}").W_MULTIPLIERS]

    def look() -> None:
        steps, seen[0] = seen[0], int(loop.counts[C_STEPS])
        if seen[0] > steps > 10:  # bdf starts with order 1
            lam.append(np.max(np.abs(end[ny : ny + rows] - kkt[:rows])) / np.max(np.abs(kkt[:rows])))
            mu.append(np.max(np.abs(end[ny + rows : ny + 2 * rows])))

    loop.pause, loop.on_look = 1, look
    assert loop.go(np.array([1.0]), np.zeros((1, ny))) == OK
    assert len(lam) > 20
    return max(lam), max(mu)


@pytest.mark.parametrize("method", [jd.Radau, jd.Bdf], ids=["radau", "bdf"])
def test_multipliers_at_the_ends_of_steps(method: Any) -> None:
    """lam is that of kkt, and mu nothing, to the accuracy of the method, which goes with the tolerance.

    Multipliers are of a lower order than the motion: an error e of a velocity in a step h is an error e / h of lam.
    """
    wrong = [_worst_multipliers(method(rtol=rtol)) for rtol in (1e-5, 1e-7, 1e-9)]
    assert wrong[0] > wrong[1] > wrong[2]
    assert wrong[2][0] < 1e-3 and wrong[2][1] < 1e-5


# Events ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["ggl", "index 1"])
def test_events(how: str) -> None:
    """A pendulum passes its lowest point."""
    m = machines.pendulum_bar()
    m.event("low", f"{m.frozen().bodies[0].name}.x", direction="both")
    treatment = GGL if how == "ggl" else None
    run = jd.simulate(m, 5.0, treatment=treatment, integrator=jd.Radau(rtol=1e-9, multipliers=how == "index 1"))
    exact = ellipk(math.sin(math.pi / 4) ** 2) / math.sqrt(1.5 * G) * np.arange(1, 40, 2)
    assert run.events["low"].t == pytest.approx(exact[exact < 5.0], abs=1e-7)


def test_a_joint_that_is_switched_off() -> None:
    """The number of unknowns changes on the way: a rod loses its pin and flies."""
    m = jd.Mechanism("rod", gravity=(0, -G))
    rod = m.body("rod", mass=1, inertia=1 / 12, position=(0.5, 0), angle=0, velocity=(0, 0), points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    m.event("release", "rod.x - 0.3", direction="falling", off="A")
    best = jd.simulate(m, 1.0, every=0.1, rtol=1e-12)
    run = jd.simulate(m, 1.0, every=0.1, treatment=GGL, integrator="radau", rtol=1e-8)
    assert run.status.ok and len(run.events["release"].t) == 1
    assert np.max(np.abs(run.motion.position - best.motion.position)) < 1e-6


# Recipe amesim ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four-bar AC", "slider-crank", "quick return", "double pendulum"])
def test_amesim_on_reference_motions(name: str) -> None:
    """Within 100 times the tolerance of solutions that others computed; the double pendulum grows errors 30-fold."""
    case = BY_NAME[name]
    for rtol in (1e-6, 1e-9):
        run = jd.simulate(case.build(), times=case.t, recipe="amesim", rtol=rtol)
        assert run.status.ok
        assert run.choices.integrator == jd.Bdf(rtol=rtol, multipliers=True)
        factor = 3000 if name == "double pendulum" else 100
        for channel, expected in case.positions.items():
            assert np.max(np.abs(run[channel] - expected)) < factor * rtol
        assert np.max(run.violation.position) < 100 * rtol


def test_amesim_holds_drift() -> None:
    """Drift is about the error of velocities over the gain, and does not grow; without gains it does."""
    held = jd.simulate(machines.four_bar(), 5.0, recipe="amesim").violation.position
    loose = jd.simulate(machines.four_bar(), 5.0, recipe="amesim", treatment=jd.Kkt("none")).violation.position
    assert np.max(held) < 1e-6 and np.max(held[100:]) <= np.max(held[:100])
    assert loose[-1] > 10 * np.max(held)


@pytest.mark.filterwarnings("ignore::jourdain.SimulationWarning")
@pytest.mark.parametrize("rtol", [1e-5, 1e-6, 1e-7, 1e-9])
@pytest.mark.parametrize(
    "how",
    [{"recipe": "amesim"}, {"treatment": GGL, "integrator": "bdf"}, {"treatment": GGL, "integrator": "radau"}],
    ids=["amesim", "ggl bdf", "ggl radau"],
)
def test_a_singular_position_is_crossed_or_told(how: Any, rtol: float) -> None:
    """The equal-link slider-crank: multipliers are not determined where it stretches, first at 1.163 s.

    Errors there grow a thousandfold and more; a motion on the other branch is wrong by metres.
    """
    run = jd.simulate(machines.slider_crank_singular(), 5.0, every=0.01, rtol=rtol, **how)
    best = jd.simulate(machines.slider_crank_singular(), 5.0, every=0.01).motion.position[: len(run.t)]
    wrong = np.max(np.abs(run.motion.position - best).reshape(len(run.t), -1), axis=1)
    assert np.max(wrong[run.t < 1.1]) < 100 * rtol
    words = run.status.sentence if not run.status.ok else " ".join(run.status.notes)
    if not run.status.ok or np.max(wrong) > 1e4 * rtol:
        assert any(part in words for part in ("may be singular here", "passed a singular position", "another branch"))


def test_amesim_is_listed() -> None:
    chosen = ch.resolve("spatial", recipe="amesim")
    assert str(chosen) == "quaternion, kkt + baumgarte, bdf with multipliers (recipe amesim)"
    assert "Marquis-Favre" in jd.RECIPES["amesim"].summary
    assert ch.resolve("planar", recipe="amesim", rtol=1e-8).integrator == jd.Bdf(rtol=1e-8, multipliers=True)


# Refused ---------------------------------------------------------------------------------------------------------


EXPLICIT = (
    "ggl closes positions and velocities inside the steps of an implicit method, which {} is not; "
    "use projection, or radau"
)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "dop853": ({"treatment": GGL}, EXPLICIT.format("dop853")),
    "rk4": ({"treatment": GGL, "step": 1e-3}, EXPLICIT.format("rk4")),
    "newmark": ({"treatment": GGL, "integrator": "newmark", "step": 1e-3}, EXPLICIT.format("newmark")),
    "treatment": (
        {"treatment": jd.UdwadiaKalaba("ggl"), "integrator": "radau"},
        "ggl has the multipliers among the unknowns of a step, and udwadia-kalaba would find them by itself; "
        "use kkt, or projection",
    ),
    "treatment with multipliers": (
        {"treatment": "null-space", "integrator": jd.Bdf(multipliers=True)},
        "multipliers=True of bdf has the multipliers among the unknowns of a step, and null-space would find them by "
        "itself; use kkt, or leave out multipliers=True",
    ),
    "twice": (
        {"treatment": GGL, "integrator": jd.Radau(multipliers=True)},
        "ggl has the multipliers among its unknowns in any case; leave out multipliers=True",
    ),
    "index3": (
        {"treatment": jd.Index3("ggl"), "integrator": "hht", "step": 1e-3},
        "index3 closes positions in its steps; leave out 'ggl', or use kkt with rk4",
    ),
    "no truth": ({"integrator": jd.Radau(multipliers=1)}, "multipliers is 1; expected True or False"),  # type: ignore[arg-type]
    "gains from the step": (
        {"treatment": jd.Kkt("baumgarte"), "integrator": jd.Bdf(multipliers=True)},
        "the gains of baumgarte come from the step, and bdf has no fixed one; give Baumgarte(alpha=..., beta=...), "
        "or use rk4 with step=",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    given, words = REFUSED[case]
    with pytest.raises(jd.ChoiceError) as caught:
        ch.resolve("planar", **given)
    assert str(caught.value) == words
