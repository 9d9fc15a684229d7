"""generalized-alpha and hht on the index-3 equations: order, damping, driven, rolling and stiff machines, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines

METHODS = ("generalized-alpha", "hht")
TIMES = np.linspace(0, 1, 11)


def error(m: jd.Mechanism, channel: str, expected: np.ndarray, **how: object) -> float:
    run = jd.simulate(m, times=TIMES, **how)  # type: ignore[arg-type]
    assert run.status.ok, run.status
    return float(np.max(np.abs(run[channel] - expected)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("machine", [machines.four_bar, machines.spatial_four_bar], ids=["plane", "space"])
def test_order_two(method: str, machine: object) -> None:
    """Halving the step quarters the error: of a machine with spring and damper, closed loops, redundant in space."""
    m = machine()  # type: ignore[operator]
    channel = f"{m.frozen().bodies[1].name}.x"
    exact = jd.simulate(m, times=TIMES, rtol=1e-12)[channel]
    coarse, fine = (error(m, channel, exact, integrator=method, step=h) for h in (2e-3, 1e-3))
    # The next term of the error is h times smaller; 10 % leaves room for it.
    assert coarse / fine == pytest.approx(4, rel=0.1)
    assert fine < 1e-4


@pytest.mark.parametrize("coordinates", ["natural", "points", "euler-parameters"])
def test_other_coordinates_have_the_same_order(coordinates: str) -> None:
    m = machines.four_bar()
    exact = jd.simulate(m, times=TIMES, rtol=1e-12)["coupler.x"]
    how = {"integrator": "generalized-alpha", "coordinates": coordinates}
    coarse, fine = (error(m, "coupler.x", exact, step=h, **how) for h in (2e-3, 1e-3))
    assert coarse / fine == pytest.approx(4, rel=0.15)


def test_positions_are_closed_in_every_step_and_velocities_to_the_order() -> None:
    runs = [jd.simulate(machines.four_bar(), times=TIMES, integrator="hht", step=h) for h in (2e-3, 1e-3)]
    assert all(np.max(run.violation.position) < 1e-11 for run in runs)
    drift = [np.max(run.violation.velocity) for run in runs]
    assert drift[0] / drift[1] == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize("stiffness", [0.0, 0.5])
def test_turns_in_space_are_those_of_the_exponential(stiffness: float) -> None:
    """A rotor turns 0.5 rad a step: exact if nothing brakes it; on a spring, w = 0.5, exact to (w h)^2 of the phase."""
    m = jd.Mechanism("rotor", gravity=(0, 0, 0))
    rotor = m.body("rotor", mass=1, inertia=(1, 1, 2), position=(0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 50))
    m.revolute("A", bodies=(m.ground, rotor), at=(0, 0, 0), axis=(0, 0, 1))
    m.torsion_spring_damper("spring", joint="A", stiffness=stiffness, damping=0.0)
    run = jd.simulate(m, 20.0, integrator="generalized-alpha", step=1e-2)
    exact = 100 * np.sin(0.5 * run.t) if stiffness else 50 * run.t
    # 2000 steps with 1e-13 each of the fraction; or 10 rad of phase and an amplitude of 100 rad, times (w h)^2 / 4.
    np.testing.assert_allclose(run["A.angle"], exact, rtol=0, atol=1e-2 if stiffness else 1e-9)


def oscillator(stiffness: float) -> jd.Mechanism:
    m = jd.Mechanism("oscillator")
    bob = m.body("bob", mass=1, inertia=1, position=(1.1, 0), angle=0, velocity=(0, 0), spin=0, points={"P": (0, 0)})
    m.prismatic("slide", m.ground.point("O", (0, 0)), bob["P"])
    m.spring_damper("spring", m.ground["O"], bob["P"], stiffness=stiffness, length=1)
    return m


@pytest.mark.parametrize("rho", [0.5, 0.8, 1.0])
def test_rho_damps_what_a_step_hardly_resolves(rho: float) -> None:
    """Of x'' = -w^2 x the method makes a recursion whose spectral radius is known: compared over many steps."""
    h, w = 0.01, 100.0
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - am + af
    beta = 0.25 * (gamma + 0.5) ** 2
    # Unknown (x, v, a) of the next step from the last: the three equations of the method for x'' = -w^2 x.
    new = np.array([[1, 0, -(h**2) * beta], [0, 1, -h * gamma], [(1 - af) * w**2, 0, 1 - am]])
    old = np.array([[1, h, h**2 * (0.5 - beta)], [0, 1, h * (1 - gamma)], [-af * w**2, 0, -am]])
    step = np.linalg.solve(new, old)
    state = np.array([0.1, 0.0, -(w**2) * 0.1])
    run = jd.simulate(oscillator(w**2), 1.0, every=h, integrator=jd.GeneralizedAlpha(step=h, rho=rho))
    for k in range(101):
        # 100 steps, each solved to 1e-6 of its first correction, which is below the amplitude of 0.1.
        assert run["bob.x"][k] - 1 == pytest.approx(state[0], abs=1e-5)
        state = step @ state


def test_driven_machine_follows_its_motion() -> None:
    """P15: kinematics are the driver's; the position of the slider in closed form."""
    r, L, w = 0.25, 1.0, 10.0
    m = jd.Mechanism("slider-crank", gravity=(0, -9.81))
    crank = m.body("crank", mass=1, inertia=r**2 / 12, position=(r / 2, 0), points={"A": (-r / 2, 0), "B": (r / 2, 0)})
    rod = m.body("rod", mass=2, inertia=L**2 / 6, position=(r + L / 2, 0), points={"B": (-L / 2, 0), "C": (L / 2, 0)})
    slider = m.body("slider", mass=3, inertia=1, position=(r + L, 0), points={"C": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), crank["A"])
    m.revolute("B", crank["B"], rod["B"])
    m.revolute("C", rod["C"], slider["C"])
    m.prismatic("S", m.ground["A"], slider["C"])
    m.motion("drive", joint="A", angle=f"{w}*t")
    run = jd.simulate(m, 1.0, integrator="generalized-alpha", step=1e-3)
    x = r * np.cos(w * run.t) + np.sqrt(L**2 - (r * np.sin(w * run.t)) ** 2)
    # Position rows are solved in every step, so positions of a fully driven machine carry no error of the method.
    np.testing.assert_allclose(run["slider.x"], x, rtol=0, atol=1e-10)


def test_velocity_constraints_are_held() -> None:
    """A sleigh whose blade does not slip: v along the blade by v = V tanh(a V t / b^2 + c) (closed form, P11)."""
    mass, inertia, a, v0, w0 = 2.0, 0.6, 0.3, 0.2, 3.0
    m = jd.Mechanism("sleigh")
    start = {"position": (a, 0), "angle": 0, "velocity": (v0, w0 * a), "spin": w0}
    sleigh = m.body("sleigh", mass=mass, inertia=inertia, points={"B": (-a, 0)}, **start)
    m.knife_edge("edge", m.ground.point("O", (0, 0)), sleigh["B"])
    b2 = (inertia + mass * a**2) / mass
    V = math.sqrt(v0**2 + b2 * w0**2)
    exact = V / math.sqrt(b2) / np.cosh(a * V * TIMES / b2 + math.atanh(v0 / V))
    errors = []
    for h in (2e-3, 1e-3):
        run = jd.simulate(m, times=TIMES, integrator="generalized-alpha", step=h)
        assert np.max(run.violation.velocity) < 1e-9
        errors.append(np.max(np.abs(run["sleigh.spin"] - exact)))
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)


def test_events_and_states_work_with_it() -> None:
    m = oscillator(100.0)
    m.first_order("lag", input="bob.x", time_constant=0.1)
    m.event("middle", "bob.x - 1", direction="falling")
    run = jd.simulate(m, 1.0, integrator="hht", step=1e-4)
    # x = 1 + 0.1 cos 10 t falls through 1 at a quarter period; the method errs by (w h)^2 / 12 of a turn.
    assert run.events["middle"].t == pytest.approx([math.pi / 20, math.pi / 4], abs=1e-6)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-3 * 0.5)


def test_what_does_not_go_together_is_refused() -> None:
    m = machines.four_bar()
    with pytest.raises(jd.ChoiceError, match="solves the index-3 equations itself; leave out 'kkt', or use rk4"):
        jd.simulate(m, 1.0, integrator="hht", step=1e-3, treatment="kkt")
    with pytest.raises(jd.ChoiceError, match="index3 is solved inside a step, which dop853 cannot do"):
        jd.simulate(m, 1.0, treatment="index3")
    with pytest.raises(jd.ChoiceError, match="cannot change from one Euler sequence to another; use quaternion"):
        jd.simulate(machines.two_bars(), 1.0, integrator="hht", step=1e-3, coordinates="bryan")


# The iteration matrix ------------------------------------------------------------------------------------------------


def pair() -> jd.Mechanism:
    """Two bars tied by a damper so strong that explicit steps are microseconds."""
    m = jd.Mechanism("pair", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "C": (0, 0)})
    b = m.body("b", mass=1, inertia=0.1, position=(0.5, -1), points={"A": (-0.5, 0), "C": (0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), a["A"])
    m.revolute("B", m.ground.point("B", (0, -1)), b["A"])
    m.spring_damper("S", a["C"], b["C"], stiffness=8e5, damping=4e4, length=1)
    return m


def rubber(speed: float = 3.0) -> jd.Mechanism:
    """Two bodies in space, one hung from the ground, the other to it by a stiff bushing; at 3 m/s as one."""
    m = jd.Mechanism("rubber", gravity=(0, 0, -9.81))
    inertia = (0.02, 0.08, 0.08)
    a = m.body("a", mass=1, inertia=inertia, position=(0.5, 0, 0), spin=(0, 0, 2), points={"A": (-0.5, 0, 0)})
    start: dict[str, Any] = {"velocity": (0, speed, 0), "spin": (0, 0, speed - 1)}
    b = m.body("b", mass=1, inertia=inertia, position=(1.5, 0, 0), points={"A": (-0.5, 0, 0)}, **start)
    m.spherical("A", m.ground.point("A", (0, 0, 0)), a["A"])
    stiff = {"stiffness": (1e7, 1e7, 1e7, 1e5, 1e5, 1e5), "damping": (1e5, 1e5, 1e5, 1e3, 1e3, 1e3)}
    m.bushing("tie", a.point("B", (0.5, 0, 0)), b["A"], **stiff)
    return m


@pytest.mark.parametrize("method", [jd.GeneralizedAlpha, jd.Hht], ids=METHODS)
@pytest.mark.parametrize("newton", ["auto", "exact"])
def test_stiff_machines_are_solved_in_long_steps(method: Any, newton: str) -> None:
    """Ten times the step, a hundred times the error. Radau at 1e-10 is right to 1e-8."""
    m = pair()
    exact = jd.simulate(m, times=TIMES, integrator=jd.Radau(rtol=1e-10))["b.x"]
    coarse, fine = (error(m, "b.x", exact, integrator=method(h, newton=newton)) for h in (1e-2, 1e-3))
    assert fine < 2e-5
    assert coarse / fine == pytest.approx(100, rel=0.1)


def test_stiff_bushing_in_space() -> None:
    m = rubber()
    exact = jd.simulate(m, times=TIMES, integrator=jd.Radau(rtol=1e-10))["b.y"]
    coarse, fine = (error(m, "b.y", exact, integrator=jd.Hht(h, newton="exact")) for h in (4e-3, 2e-3))
    assert coarse / fine == pytest.approx(4, rel=0.1)
    assert fine < 1e-3


def test_what_is_faster_than_a_step_at_the_start_is_damped_away() -> None:
    """The bushing pulls b from rest to 3 m/s in microseconds, with no say in what the step is: the rest is the same."""
    m = rubber(speed=1.0)
    exact = jd.simulate(m, times=TIMES, integrator=jd.Radau(rtol=1e-8))["b.y"]
    assert error(m, "b.y", exact, integrator=jd.GeneralizedAlpha(2e-3, rho=0.5)) < 0.05


def test_auto_tells_when_it_takes_the_exact_matrix_and_else_leaves_it() -> None:
    run = jd.simulate(pair(), 0.1, every=1e-2, integrator="generalized-alpha", step=1e-2)
    (note,) = run.status.notes
    assert note.endswith("s on steps were solved with the exact iteration matrix where they had to be")
    run = jd.simulate(machines.four_bar(), 1.0, integrator="generalized-alpha", step=1e-3)
    assert run.status.notes == ()
    assert run.statistics.evaluations < 2.1 * run.statistics.steps


def test_auto_goes_back_to_the_masses_when_the_machine_is_no_longer_stiff() -> None:
    m = oscillator(1.0)
    m.force("brake", on=m["bob"]["P"], vector=["-1e5*exp(-(t/0.1)**8)*bob.vx", 0])
    stiff, all_of_it = (jd.simulate(m, T, every=0.1, integrator="hht", step=1e-3).statistics for T in (0.1, 2.0))
    assert stiff.evaluations >= 2 * stiff.steps
    # At most 200 steps are dearer before the masses are tried again.
    assert all_of_it.evaluations - stiff.evaluations < 1.2 * (all_of_it.steps - stiff.steps) + 600


def test_corrections_shrink_by_what_differences_are_exact_to() -> None:
    """Where forces are linear. From 1e4 m, which is h^2 v', to 1e-10 are two corrections by 1e-8, and one to see that.

    One matrix serves the whole run: it costs two columns a velocity.
    """
    run = jd.simulate(oscillator(1e9), 1.0, integrator=jd.GeneralizedAlpha(1e-2, newton="exact"), every=0.01)
    assert run.statistics.steps == 100
    assert run.statistics.evaluations <= 1 + 3 * 100 + (1 + 2 * 3)


def test_newton_converges_fast_on_a_stiff_machine() -> None:
    """Two or three evaluations a step; a matrix costs 13, and does for several steps."""
    run = jd.simulate(pair(), times=TIMES, integrator=jd.GeneralizedAlpha(1e-3, newton="exact"))
    assert run.statistics.evaluations < 6 * run.statistics.steps


@pytest.mark.parametrize("machine", [machines.four_bar, machines.spatial_four_bar], ids=["plane", "redundant"])
def test_both_matrices_lead_to_the_same_motion(machine: Any) -> None:
    """Steps are solved to 1e-6 of what they correct: far below the error of the method, which is 2.6e-5 here."""
    m = machine()
    channel = f"{m.frozen().bodies[1].name}.x"
    runs = [
        jd.simulate(m, times=TIMES, integrator=jd.GeneralizedAlpha(1e-3, newton=n))[channel]
        for n in ("modified", "exact")
    ]
    np.testing.assert_allclose(runs[0], runs[1], rtol=0, atol=2.6e-8)


@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_friction_that_turns_round_within_a_step(step: float) -> None:
    """A block stops after v^2 / (2 mu g). The step in which it does is of order 1: it ends within mu g h^2 / 2."""
    mu, g, v = 0.3, 9.81, 1.0
    m = jd.Mechanism("block", gravity=(0, -g))
    block = m.body("block", mass=2, inertia=1, position=(0, 0), velocity=(v, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    m.friction("F", joint="S", coefficient=mu, regular_speed=1e-5)
    run = jd.simulate(m, 1.0, integrator="generalized-alpha", step=step)
    assert run.status.ok, run.status
    assert run["block.x"][-1] == pytest.approx(v**2 / (2 * mu * g), abs=mu * g * step**2 / 2)
    assert run["F.normal"] == pytest.approx(2 * g, rel=1e-9)


def test_fast_states_are_solved_and_damped_like_vibrations() -> None:
    """A lag of 10 us behind x = 1 + 0.1 cos 10 t, in steps of 1 ms; its start at 0 is damped by rho a step."""
    m = oscillator(100.0)
    m.first_order("lag", input="bob.x", time_constant=1e-5)
    run = jd.simulate(m, 1.0, integrator="generalized-alpha", step=1e-3)
    late = run.t > 0.3
    # (w h)^2 / 12 of the phase, times amplitude and 10 rad; the lag adds 1e-5 s at 1 m/s.
    assert run["lag.output"][late] == pytest.approx(1 + 0.1 * np.cos(10 * run.t[late]), abs=3e-5)


@pytest.mark.parametrize("method", [jd.GeneralizedAlpha(0.01), jd.GeneralizedAlpha(0.01, 0.5), jd.Hht(0.01)], ids=str)
@pytest.mark.parametrize("rate", [10.0, 1e4])
def test_states_follow_the_recursion_of_the_method(method: Any, rate: float) -> None:
    """Of z' = -r z the method makes a matrix on (z, w); slow states converge by the masses alone, fast ones do not."""
    h = method.step
    am, af, _, g = method.parameters
    m = oscillator(1.0)
    m.element("decay", states={"z": 1.0}, rates={"z": f"-{rate}*z"})
    run = jd.simulate(m, 0.5, every=h, integrator=method)
    new = np.array([[1, -h * g], [(1 - af) * rate, 1 - am]])
    old = np.array([[1, h * (1 - g)], [-af * rate, -am]])
    y = np.array([1.0, -rate])
    for z in run["decay.z"]:
        assert z == pytest.approx(y[0], abs=1e-5)
        y = np.linalg.solve(new, old @ y)


def test_bodies_without_inertia_keep_none() -> None:
    """A point mass on a bar: the inertia that helps to factor its mass block must not act."""
    m = machines.pendulum_point()
    exact = jd.simulate(m, times=TIMES, rtol=1e-11)["bob.x"]
    for newton in ("modified", "exact"):
        coarse, fine = (
            error(m, "bob.x", exact, integrator=jd.GeneralizedAlpha(h, newton=newton)) for h in (2e-3, 1e-3)
        )
        assert coarse / fine == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize("newton", ["auto", "exact"])
@pytest.mark.parametrize("added", [0.5, 3.0])
def test_forces_that_depend_on_accelerations(newton: str, added: float) -> None:
    """Added mass slows the oscillator; above the mass itself, repetition would not converge."""
    m = oscillator(100.0)
    m.force("water", on=m["bob"]["P"], vector=[f"-({added})*bob.ax", 0])
    run = jd.simulate(m, 1.0, integrator=jd.GeneralizedAlpha(1e-3, newton=newton))
    w = math.sqrt(100.0 / (1 + added))
    assert run["bob.x"] == pytest.approx(1 + 0.1 * np.cos(w * run.t), abs=2e-5)


def test_events_in_a_stiff_machine() -> None:
    m = pair()
    m.event("down", "b.y + 1.1", direction="falling")
    exact = jd.simulate(m, 1.0, integrator=jd.Radau(rtol=1e-9)).events["down"].t
    run = jd.simulate(m, 1.0, integrator="hht", step=1e-3)
    assert run.status.ok, run.status
    assert run.events["down"].t == pytest.approx(exact, abs=2e-5)


def test_wrong_choices_of_the_matrix_are_refused() -> None:
    m = machines.four_bar()
    with pytest.raises(
        jd.ChoiceError, match=r"newton is 'exakt'; known: auto, exact, modified \(did you mean 'exact'\?\)"
    ):
        jd.simulate(m, 1.0, integrator=jd.Hht(1e-3, newton="exakt"))
    words = (
        r"newton='exact' has a dense matrix and takes up to 600 velocities; these coordinates have 663; use "
        r"newton='auto', which takes it only where nothing else helps, or a shorter step"
    )
    with pytest.raises(jd.ChoiceError, match=words):
        jd.simulate(machines.n_four_bar(110), 1.0, integrator=jd.Hht(1e-3, newton="exact"))


def test_many_bodies_are_told_that_the_matrix_is_dense() -> None:
    m = jd.Mechanism("swarm")
    O = m.ground.point("O", (0, 0))
    for k in range(201):
        bob = m.body(f"b{k}", mass=1, inertia=1, position=(1.1, 0), velocity=(0, 0), points={"P": (0, 0)})
        m.spring_damper(f"s{k}", O, bob["P"], stiffness=1e9, length=1)
    run = jd.simulate(m, 0.02, every=0.01, integrator="hht", step=0.01)
    assert run.status.ok
    assert "it is dense, which is slow with 603 velocities: a shorter step may be faster" in str(run.status)


def test_a_machine_too_stiff_for_the_masses_alone_is_told() -> None:
    words = "the machine is stiff for this step; shorten it, or leave out newton='modified'"
    with pytest.warns(jd.SimulationWarning, match=words):
        run = jd.simulate(oscillator(1e9), 0.1, integrator=jd.Hht(1e-2, newton="modified"))
    assert not run.status.ok
