"""generalized-alpha and hht on the index-3 equations: order, damping, driven and rolling machines, refusals."""

from __future__ import annotations

import math

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


def test_a_stiff_machine_is_told() -> None:
    with pytest.warns(jd.SimulationWarning, match="the machine is stiff for this step; shorten it"):
        run = jd.simulate(oscillator(1e9), 0.1, integrator="hht", step=1e-2)
    assert not run.status.ok
