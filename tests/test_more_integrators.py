"""Every integrator on constrained machines with damping: orders, tolerances, stiffness, events, refusals.

References are independent of the kernels: minimal coordinates and scipy, closed forms, amplification matrices.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import jourdain as jd
import machines
from jourdain.choices import resolve
from jourdain.engine.kernel_cache import load_kernels
from jourdain.kernels.integrators import radau_table

G = 9.81
FOLDER = Path(__file__).parent / "reference"
ADAPTIVE = ["dop853", "dopri5", "radau", "bdf"]

# A rod on a pin, its end held to the ground by a spring and a damper.
ANCHOR, STIFFNESS, DAMPING, FREE_LENGTH = np.array([0.3, -1.5]), 30.0, 2.0, 0.4


def damped_rod() -> jd.Mechanism:
    m = jd.Mechanism("rod", gravity=(0, -G))
    points = {"A": (-0.5, 0), "B": (0.5, 0)}
    rod = m.body("rod", mass=1, inertia=1 / 12, position=(0.5, 0), angle=0, velocity=(0, 0), spin=0, points=points)
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    anchor = m.ground.point("D", tuple(ANCHOR))
    m.spring_damper("S", rod["B"], anchor, stiffness=STIFFNESS, damping=DAMPING, length=FREE_LENGTH)
    return m


def swing(t: float, y: Any) -> Any:
    """Its angle and spin: inertia about the pin is 1/3."""
    end = np.array([math.cos(y[0]), math.sin(y[0])])
    across = np.array([-end[1], end[0]])
    away = ANCHOR - end
    length = np.linalg.norm(away)
    pull = STIFFNESS * (length - FREE_LENGTH) - DAMPING * (away @ across) / length * y[1]
    return [y[1], 3 * (pull * (away @ across) / length - 0.5 * G * end[0])]


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    angle, spin = solve_ivp(swing, (0, 1), [0.0, 0.0], method="DOP853", rtol=3e-14, atol=1e-14).y[:, -1]
    return np.array([math.cos(angle) / 2, math.sin(angle) / 2, angle, spin])


def error(exact: np.ndarray, **how: Any) -> float:
    run = jd.simulate(damped_rod(), 1.0, every=1.0, **how)
    assert run.status.ok
    end = np.array([run[f"rod.{key}"][-1] for key in ("x", "y", "angle", "spin")])
    return float(np.max(np.abs(end - exact)))


# Fixed steps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", ["angle", "natural"])
@pytest.mark.parametrize(
    "make, order, steps",
    [
        (jd.Rk4, 4, (100, 200, 400)),
        (jd.Rk6, 6, (40, 80, 160)),
        (jd.Ab6, 6, (200, 400, 800)),
        (lambda h: jd.Newmark(h, corrections=1), 1, (200, 400, 800)),
        (jd.Newmark, 2, (200, 400, 800)),
        (jd.Hht, 2, (200, 400, 800)),
        (jd.GeneralizedAlpha, 2, (200, 400, 800)),
    ],
    ids=["rk4", "rk6", "ab6", "newmark-1", "newmark-2", "hht", "generalized-alpha"],
)
def test_order(exact: np.ndarray, coordinates: str, make: Any, order: int, steps: Any) -> None:
    errors = [error(exact, integrator=make(1 / n), coordinates=coordinates) for n in steps]
    slope = np.polyfit(-np.log(steps), np.log(errors), 1)[0]
    assert order - 0.25 < slope < order + 0.6


@pytest.mark.parametrize("make", [jd.Newmark, jd.GeneralizedAlpha, jd.Hht], ids=["newmark", "alpha", "hht"])
def test_order_in_space(make: Any) -> None:
    """Two bars in quaternions, whose rates are not their velocities, and whose attitudes do not add."""
    best = jd.simulate(machines.two_bars(), 1.0, every=1.0, rtol=1e-12).motion.position[-1]
    steps = (400, 800, 1600)
    runs = [jd.simulate(machines.two_bars(), 1.0, every=1.0, integrator=make(1 / n)) for n in steps]
    errors = [np.max(np.abs(run.motion.position[-1] - best)) for run in runs]
    assert 1.8 < np.polyfit(-np.log(steps), np.log(errors), 1)[0] < 2.3
    assert all(np.max(run.violation.position) < 1e-10 for run in runs)


def test_newmark_through_a_change_of_euler_angles() -> None:
    how: dict[str, Any] = {"coordinates": "bryan", "integrator": "newmark"}
    m = machines.torque_free_body()
    best = jd.simulate(m, 2.0, every=2.0, rtol=1e-11)
    wrong = [apart(jd.simulate(m, 2.0, every=2.0, step=h, **how), best) for h in (2e-3, 1e-3)]
    assert wrong[1] < 1e-2
    assert 3.0 < wrong[0] / wrong[1] < 5.0


def apart(run: jd.Solution, other: jd.Solution) -> float:
    """Greatest difference of attitudes, as quaternions of either sign."""
    a, b = run.motion.attitude[-1], other.motion.attitude[-1]
    return float(min(np.max(np.abs(a - b)), np.max(np.abs(a + b))))


def chain(n: int) -> jd.Mechanism:
    m = jd.Mechanism("chain", gravity=(0, -G))
    last = m.ground.point("O", (0, 0))
    for k in range(n):
        points = {"A": (-0.5, 0), "B": (0.5, 0)}
        link = m.body(f"b{k}", mass=1, inertia=1 / 12, position=(k + 0.5, 0), velocity=(0, 0), spin=0, points=points)
        m.revolute(f"j{k}", last, link["A"])
        last = link["B"]
    return m


def test_ab6_says_when_it_diverges() -> None:
    with pytest.warns(jd.SimulationWarning, match=r"ab6 is unstable with this step.*rk4 or dop853"):
        run = jd.simulate(chain(20), 2.0, integrator="ab6", step=5e-3)
    assert not run.status.ok
    good = jd.simulate(chain(20), 2.0, integrator="rk4", step=5e-3)
    assert good.status.ok
    half = run.t <= 0.5 * run.t[-1]
    assert run.motion.position[half] == pytest.approx(good.motion.position[: np.sum(half)], abs=1e-4)


@pytest.mark.parametrize("machine", [lambda: chain(20), machines.four_bar, machines.slider_crank, machines.andrews])
def test_ab6_is_not_stopped_for_nothing(machine: Any) -> None:
    andrews = machine is machines.andrews
    assert jd.simulate(machine(), 0.02 if andrews else 2.0, integrator="ab6", step=2e-6 if andrews else 1e-3).status.ok


def test_ab6_at_rest_and_after_a_sudden_force() -> None:
    """Rounding is not roughness, nor is a force that is switched."""
    m = jd.Mechanism("block", gravity=(0, -G))
    block = m.body("block", mass=1, inertia=1, position=(0, 0), velocity=(0, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    assert jd.simulate(m, 1.0, integrator="ab6", step=1e-3).status.ok
    m.force("push", on=block["C"], vector=("5*sign(sin(20*t))", 0))
    assert jd.simulate(m, 1.0, integrator="ab6", step=1e-3).status.ok


# Error control ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dop853", "dopri5"])
def test_errors_follow_the_tolerance(exact: np.ndarray, name: str) -> None:
    tolerances = 10.0 ** -np.arange(4, 11)
    errors = np.array([error(exact, integrator=name, rtol=tol, atol=tol) for tol in tolerances])
    assert 0.8 < np.polyfit(np.log(tolerances), np.log(errors), 1)[0] < 1.2
    assert np.all(errors < 100 * tolerances)


@pytest.mark.parametrize("name", ["radau", "bdf"])
def test_implicit_errors_fall_with_the_tolerance(exact: np.ndarray, name: str) -> None:
    tolerances = 10.0 ** -np.arange(3, 10)
    errors = np.array([error(exact, integrator=name, rtol=tol, atol=tol) for tol in tolerances])
    assert np.all(np.diff(errors) < 0)
    assert np.all(errors < 100 * tolerances)


@pytest.mark.parametrize("name", ADAPTIVE)
@pytest.mark.parametrize("machine", [machines.two_bars, machines.four_bar], ids=["two bars", "four-bar"])
def test_samples_between_steps(name: str, machine: Any) -> None:
    """Dense output is as good as the steps, and projected."""
    run = jd.simulate(machine(), 1.0, every=0.002, integrator=name, rtol=1e-7)
    best = jd.simulate(machine(), 1.0, every=0.002, rtol=1e-12)
    assert run.status.ok
    assert run.statistics.steps < len(run.t)
    assert np.max(np.abs(run.motion.position - best.motion.position)) < 1e-5
    assert np.max(run.violation.position) < 1e-10
    assert np.max(run.violation.velocity) < 1e-9
    assert run.energy.total == pytest.approx(run.energy.total[0], rel=1e-5)


@pytest.mark.parametrize("name", ["dopri5", "radau", "bdf"])
def test_through_a_change_of_euler_angles(name: str) -> None:
    m = machines.torque_free_body()
    run = jd.simulate(m, 3.0, coordinates="bryan", integrator=name, rtol=1e-8)
    best = jd.simulate(m, 3.0, rtol=1e-12)
    assert apart(run, best) < 1e-5


@pytest.mark.parametrize("power", range(1, 6))
def test_weights_integrate_powers_exactly(power: int) -> None:
    """Quadrature conditions of order 5, and the dense output of dopri5 at the end of a step."""
    dopri5 = load_kernels().method("integrators.dopri5")
    b = dopri5.A[dopri5.STAGES]
    assert abs(b @ dopri5.C ** (power - 1) - 1 / power) < 1e-14
    assert np.max(np.abs(dopri5.A[:6].sum(axis=1) - dopri5.C)) < 1e-14
    assert abs(dopri5.E.sum()) < 1e-15
    assert abs(dopri5.D.sum()) < 1e-13


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_radau_tables(stages: int) -> None:
    """Quadrature of order 2 s - 1, stages of order s, the transformation, and an estimate of order s."""
    table = radau_table.table(stages)
    nodes, estimate, eigenvalues = table[:3]
    A, T, inverse, P = table[3:].reshape(4, stages, stages)
    for power in range(1, 2 * stages):
        assert abs(A[-1] @ nodes ** (power - 1) - 1 / power) < 1e-14
    for power in range(1, stages + 1):
        np.testing.assert_allclose(A @ nodes ** (power - 1), nodes**power / power, atol=1e-14)
        # Of y = t^p: its slope at 0, which is 1 for p = 1 and 0 otherwise, and the stages t^p at the nodes.
        assert abs((power == 1) + estimate @ nodes**power) < 1e-11
    assert abs(estimate @ nodes ** (stages + 1)) > 1e-4
    blocks = np.zeros((stages, stages))
    blocks[0, 0] = eigenvalues[0]
    for k in range(1, stages, 2):
        blocks[k : k + 2, k : k + 2] = [[eigenvalues[k], -eigenvalues[k + 1]], [eigenvalues[k + 1], eigenvalues[k]]]
    assert np.max(np.abs(T @ inverse - np.eye(stages))) < 1e-12
    assert np.max(np.abs(inverse @ np.linalg.inv(A) @ T - blocks)) < 1e-10
    np.testing.assert_allclose(P.T @ nodes**2, [0, 1, *[0] * (stages - 2)], atol=1e-10)  # the polynomial of x^2 is x^2


# Stiff machines --------------------------------------------------------------------------------------------------


def stiff_pair() -> jd.Mechanism:
    """Two bars on pins, side by side, joined by a spring of 8e5 N/m and a damper of 4e4 N s/m."""
    m = jd.Mechanism("pair", gravity=(0, -G))
    bars = []
    for name, y in (("a", 0.0), ("b", -1.0)):
        points = {"A": (-0.5, 0), "C": (0, 0)}
        bar = m.body(name, mass=1, inertia=0.1, position=(0.5, y), velocity=(0, 0), spin=0, points=points)
        m.revolute(f"pin_{name}", m.ground.point(name.upper(), (0, y)), bar["A"])
        bars.append(bar)
    m.spring_damper("S", bars[0]["C"], bars[1]["C"], stiffness=8e5, damping=4e4, length=1.0)
    return m


@pytest.fixture(scope="module")
def explicit_runs() -> dict[str, jd.Solution]:
    return {name: jd.simulate(stiff_pair(), 1.0, integrator=name, rtol=1e-6) for name in ("dop853", "dopri5")}


@pytest.mark.parametrize("name", ["dop853", "dopri5"])
def test_stiffness_is_noticed(explicit_runs: dict[str, jd.Solution], name: str) -> None:
    notes = explicit_runs[name].status.notes
    assert any("the machine is stiff" in note and "radau would take far fewer steps" in note for note in notes)


@pytest.mark.parametrize("name", ["radau", "bdf"])
def test_implicit_methods_on_a_stiff_machine(explicit_runs: dict[str, jd.Solution], name: str) -> None:
    best = explicit_runs["dop853"]
    run = jd.simulate(stiff_pair(), 1.0, integrator=name, rtol=1e-6)
    assert run.status.ok and not run.status.notes
    assert run.statistics.steps < best.statistics.steps / 15
    assert run.statistics.evaluations < best.statistics.evaluations / 15
    assert np.max(np.abs(run.motion.position - best.motion.position)) < 1e-4
    assert np.max(run.violation.position) < 1e-10


@pytest.mark.parametrize("name", ["dop853", "dopri5"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("machine", ["four_bar", "double_pendulum", "slider_crank", "quick_return", "two_bars"])
def test_ordinary_machines_are_not_called_stiff(machine: str, name: str, tol: float) -> None:
    run = jd.simulate(getattr(machines, machine)(), 2.0, integrator=name, rtol=tol)
    assert run.status.ok and not any("stiff" in note for note in run.status.notes)


# Events ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{"integrator": "dopri5"}, {"integrator": "radau"}], ids=["dopri5", "radau"])
def test_events(how: Any) -> None:
    """A pendulum passes its lowest point."""
    m = machines.pendulum_bar()
    m.event("low", f"{m.frozen().bodies[0].name}.x", direction="both")
    run = jd.simulate(m, 5.0, rtol=1e-9, **how)
    quarter = ellipk(math.sin(math.pi / 4) ** 2) / math.sqrt(1.5 * G)
    exact = quarter * np.arange(1, 40, 2)
    assert run.events["low"].t == pytest.approx(exact[exact < 5.0], abs=1e-7)


def test_events_with_newmark() -> None:
    m = machines.pendulum_bar()
    m.event("low", f"{m.frozen().bodies[0].name}.x", direction="both")
    quarter = ellipk(math.sin(math.pi / 4) ** 2) / math.sqrt(1.5 * G)
    runs = [jd.simulate(m, 1.0, every=0.5, integrator="newmark", step=h) for h in (4e-3, 2e-3)]
    late = [run.events["low"].t[0] - quarter for run in runs]
    assert abs(late[1]) < 1e-4
    assert 3.0 < late[0] / late[1] < 5.0


def test_events_with_bdf() -> None:
    """Which needs a history: steps to events are those of radau. Samples before an event are as good as the others."""
    m = machines.pendulum_bar()
    body = m.frozen().bodies[0].name
    m.event("low", f"{body}.x", direction="both")
    run = jd.simulate(m, 5.0, every=0.01, rtol=1e-8, integrator="bdf")
    quarter = ellipk(math.sin(math.pi / 4) ** 2) / math.sqrt(1.5 * G)
    exact = quarter * np.arange(1, 40, 2)
    assert run.events["low"].t == pytest.approx(exact[exact < 5.0], abs=1e-5)
    best = jd.simulate(machines.pendulum_bar(), 5.0, every=0.01, rtol=1e-12)
    assert np.max(np.abs(run[f"{body}.x"] - best[f"{body}.x"])) < 1e-5


# Choices ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how, words",
    [
        (
            {"integrator": "radau", "step": 1e-3},
            "radau finds its own steps, so step would do nothing; use max_step, or rk4",
        ),
        ({"integrator": "newmark"}, "newmark has a fixed step; give step=1e-3, or use dop853, which finds its own"),
        (
            {"integrator": "newmark", "step": 1e-3, "rtol": 1e-3},
            "newmark has no error control, so rtol would do nothing; use dop853, or leave it out",
        ),
        ({"integrator": jd.Newmark(1e-3, 3)}, "corrections is 3; newmark takes 1 (order 1) or 2 (order 2)"),
        ({"integrator": jd.GeneralizedAlpha(1e-3, 1.5)}, "rho is 1.5; expected 0 (damps most) to 1 (damps nothing)"),
        ({"integrator": jd.Hht(1e-3, 0.5)}, "alpha is 0.5; expected 0 (damps nothing) to 1/3 (damps most)"),
        (
            {"integrator": "radau", "treatment": "index3"},
            "index3 is solved inside a step, which radau cannot do; use generalized-alpha or hht, or kkt instead",
        ),
    ],
)
def test_refusals(how: Any, words: str) -> None:
    with pytest.raises(jd.ChoiceError) as caught:
        resolve("planar", **how)
    assert str(caught.value) == words


def test_by_name_and_as_objects() -> None:
    for made, name in ((jd.Dopri5, "dopri5"), (jd.Radau, "radau"), (jd.Bdf, "bdf")):
        assert resolve("planar", integrator=name, rtol=1e-5).integrator == made(rtol=1e-5)
        assert str(resolve("planar", integrator=made())) == f"angle, kkt + projection, {name}"
    assert resolve("planar", integrator="newmark", step=1e-3).integrator == jd.Newmark(1e-3)


# Generalized-alpha and HHT ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [jd.GeneralizedAlpha(0.01, rho) for rho in (1.0, 0.9, 0.5, 0.0)] + [jd.Hht(0.01, a) for a in (0.0, 0.1, 0.3)],
    ids=str,
)
def test_high_frequencies_are_damped_as_the_amplification_matrix_says(method: Any) -> None:
    """A mass on a spring with h w = 0.6; one step is a 3 x 3 matrix on (q, v, a)."""
    w, h = 60.0, method.step
    am, af, b, g = method.parameters
    m = jd.Mechanism("mass")
    mass = m.body("mass", mass=1, inertia=1, position=(1.5, 0), velocity=(0, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), mass["C"])
    m.spring_damper("K", m.ground["O"], mass["C"], stiffness=w * w, length=1.0)
    run = jd.simulate(m, 2.0, every=h, integrator=method)
    left = np.array([[1, 0, -b * h * h], [0, 1, -g * h], [(1 - af) * w * w, 0, 1 - am]])
    right = np.array([[1, h, (0.5 - b) * h * h], [0, 1, (1 - g) * h], [-af * w * w, 0, -am]])
    y = np.array([0.5, 0.0, -0.5 * w * w])
    expected = [y[0]]
    for _ in range(200):
        y = np.linalg.solve(left, right @ y)
        expected.append(y[0])
    # Steps are solved to 1e-6 of their own corrections, some 1e-3 here; 200 of them add up.
    assert run["mass.x"] - 1 == pytest.approx(np.array(expected), abs=5e-5)


@pytest.mark.parametrize("name", ["generalized-alpha", "hht"])
def test_velocity_rows(name: str) -> None:
    """The sleigh of P11 on its knife edge."""
    reference = json.loads((FOLDER / "P11_sleigh.json").read_text())["reference"]
    wrong = []
    for h in (1e-2, 5e-3):
        m = jd.Mechanism("sleigh")
        where: dict[str, Any] = {"position": (0.3, 0), "angle": 0, "velocity": (0.2, 0.9), "spin": 3}
        sled = m.body("sled", mass=2, inertia=0.6, points={"E": (-0.3, 0)}, **where)
        m.knife_edge("blade", m.ground.point("O", (0, 0)), sled["E"])
        run = jd.simulate(m, times=0.1 * np.arange(51), integrator=name, step=h)
        wrong.append(np.max(np.abs(run["sled.E.x"] - np.array(reference["blade_x"]))))
        assert np.max(run.violation.velocity) < 1e-8
    assert wrong[1] < 1e-3
    assert 3.0 < wrong[0] / wrong[1] < 5.0


@pytest.mark.parametrize("name", ["generalized-alpha", "hht", "newmark"])
def test_driven_joints(name: str) -> None:
    """A crank of length r at 10 rad/s and a rod of length 1: the slider follows."""
    r, rod_length, w = 0.25, 1.0, 10.0
    m = jd.Mechanism("slider-crank", gravity=(0, -G))
    crank = m.body("crank", mass=1, inertia=r**2 / 12, position=(r / 2, 0), angle=0)
    rod = m.body("rod", mass=2, inertia=1 / 6, position=(r + 0.5, 0), angle=0)
    slider = m.body("slider", mass=3, inertia=1, position=(r + rod_length, 0), angle=0)
    m.revolute("A", m.ground.point("O", (0, 0)), crank.point("A", (-r / 2, 0)))
    m.revolute("B", crank.point("B", (r / 2, 0)), rod.point("B", (-0.5, 0)))
    m.revolute("C", rod.point("C", (0.5, 0)), slider.point("C", (0, 0)))
    m.prismatic("S", m.ground["O"], slider["C"])
    m.motion("drive", joint="A", angle="10*t")
    run = jd.simulate(m, 0.6, integrator=name, step=1e-3)
    x = r * np.cos(w * run.t) + np.sqrt(rod_length**2 - (r * np.sin(w * run.t)) ** 2)
    assert run["slider.x"] == pytest.approx(x, abs=1e-10)


@pytest.mark.parametrize("name", ["generalized-alpha", "hht"])
def test_friction(name: str) -> None:
    """A block that slides to rest: v^2 / (2 mu g), and a little more for the regularisation."""
    m = jd.Mechanism("block", gravity=(0, -G))
    block = m.body("block", mass=2, inertia=1, position=(0, 0), velocity=(1, 0), points={"C": (0, 0)})
    m.prismatic("S", m.ground.point("O", (0, 0)), block["C"])
    m.friction("F", joint="S", coefficient=0.3, regular_speed=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = jd.simulate(m, 1.0, integrator=name, step=2e-4)
    assert run["block.x"][-1] == pytest.approx(1 / (2 * 0.3 * G), rel=1e-2)
    assert run["F.normal"] == pytest.approx(2 * G, rel=1e-6)
