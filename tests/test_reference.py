"""Whole motions against independent solutions (`tests/reference`), with the default way of simulating.

The bars hold for dop853 at rtol = atol = 1e-10: positions and angles within 1e-7, and within 1e-9 where the
motion hardly amplifies errors. Where another bound is used, the comment beside it derives it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import jourdain as jd
import machines

FOLDER = Path(__file__).parent / "reference"
POSITION_BAR = 1e-7
TIGHT_BAR = 1e-9
CLOSED = 1e-10
ENERGY_BAR = 1e-8
# Accelerations of the start are one linear solve: 100 cond eps, with cond = 1e4 for masses and arms of these
# sizes. The files have 13 digits, which is less.
SOLVE_BAR = 100 * 1e4 * np.finfo(float).eps

Channels = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """One motion of the reference: a machine, the sample times, and what its channels must be there."""

    name: str
    build: Callable[[], jd.Mechanism]
    t: np.ndarray
    bar: float = POSITION_BAR
    positions: Channels = field(default_factory=dict)
    rates: Channels = field(default_factory=dict)
    # Body name -> quaternions (w, x, y, z).
    attitudes: Channels = field(default_factory=dict)
    accelerations: Mapping[str, float] = field(default_factory=dict)
    # Kinetic plus potential, and what dampers took.
    energy: np.ndarray | None = None
    dissipated: np.ndarray | None = None

    @property
    def pace(self) -> float:
        """Greatest ratio of acceleration to speed, 1/s: positions wrong by e mean rates wrong by e * pace.

        A motion late by dt is wrong by v dt in position and by a dt in velocity. Rates that are only rounding
        noise do not count, nor does a pace under 1/s: not every error is a matter of time.
        """
        top = max(np.abs(v).max() for v in self.rates.values())
        moving = [v for v in self.rates.values() if np.abs(v).max() > 1e-6 * top]
        return max(1.0, *(np.abs(np.diff(v) / np.diff(self.t)).max() / np.abs(v).max() for v in moving))


# Reading the files -----------------------------------------------------------------------------------------


def load(file: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{file}.json").read_text())


def vector_channels(prefix: str, names: str, values: Any) -> dict[str, np.ndarray]:
    """`values` has one row a sample; `names` are the channels of its columns."""
    columns = np.array(values).T
    return {f"{prefix}.{name}": column for name, column in zip(names.split(), columns, strict=True)}


def linkage_case(name: str, build: Callable[[], jd.Mechanism], file: str, variant: str) -> Case:
    """A problem of Pappalardo & Guida: bodies 1, 2, ... of the file are the machine's, in order."""
    reference = load(file)["variants"][variant]["reference"]
    bodies = [body.name for body in build().frozen().bodies]
    motion = dict(zip(bodies, reference["bodies"].values(), strict=True))

    def channels(pairs: Mapping[str, str]) -> dict[str, np.ndarray]:
        return {f"{b}.{ours}": np.array(motion[b][theirs]) for b in bodies for ours, theirs in pairs.items()}

    return Case(
        name,
        build,
        np.array(reference["t"]),
        positions=channels({"x": "x", "y": "y", "angle": "theta"}),
        rates=channels({"vx": "vx", "vy": "vy", "spin": "omega"}),
        accelerations={
            f"{body}.{channel}": value
            for body, values in zip(bodies, reference["initial_accelerations_xytheta"], strict=True)
            for channel, value in zip(("ax", "ay", "spin_rate"), values, strict=True)
        },
        energy=np.array(reference["energy_at_samples"]),
        dissipated=np.array(reference["dissipated_energy_at_samples"]),
    )


def double_pendulum_case() -> Case:
    ref = {key: np.array(value) for key, value in load("P05_double_pendulum")["reference"].items()}
    bodies = {"upper": "1", "lower": "2"}
    positions = {f"{body}.{c}": ref[c + n] for body, n in bodies.items() for c in "xy"}
    positions |= {"upper.angle": ref["theta1"], "lower.angle": ref["theta1"] + ref["theta2_relative"]}
    return Case(
        "double pendulum",
        machines.double_pendulum,
        ref["t"],
        bar=TIGHT_BAR,
        positions=positions,
        rates={f"{body}.{c}": ref[c + n] for body, n in bodies.items() for c in ("vx", "vy")},
    )


def two_bars_case() -> Case:
    ref = load("P07_two_bars_spherical")["variants"]["a_free_flight"]["reference"]
    positions = vector_channels("bar2.B", "x y z", ref["tip_B"])
    rates: dict[str, np.ndarray] = {}
    for k in "12":
        positions |= vector_channels(f"bar{k}", "x y z", ref[f"r{k}"])
        positions |= vector_channels(f"bar{k}.C", "x y z", ref["C"])
        rates |= vector_channels(f"bar{k}", "vx vy vz", ref[f"v{k}"])
        rates |= vector_channels(f"bar{k}", "wx wy wz", in_fixed_axes(ref[f"quat{k}_wxyz"], ref[f"omega{k}_body"]))
    return Case(
        "two bars",
        machines.two_bars,
        np.array(ref["t"]),
        positions=positions,
        rates=rates,
        attitudes={f"bar{k}": np.array(ref[f"quat{k}_wxyz"]) for k in "12"},
    )


def andrews_orientations(q: Any) -> np.ndarray:
    """Orientations of K1 to K7 from the relative angles beta, theta, gamma, phi, delta, Omega, epsilon."""
    beta, theta, gamma, phi, delta, omega, epsilon = np.array(q).T
    return np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon]).T


def andrews_case() -> Case:
    data = load("P08_andrews")
    ref = data["reference"]
    start = andrews_orientations(data["initial_state"]["qdd(0)"])
    angles, spins = andrews_orientations(ref["q"]), andrews_orientations(ref["qdot"])
    return Case(
        "Andrews",
        machines.andrews,
        np.array(ref["t"]),
        positions={f"K{i + 1}.angle": angles[:, i] for i in range(7)} | vector_channels("K2.F", "x y", ref["F_xy"]),
        rates={f"K{i + 1}.spin": spins[:, i] for i in range(7)},
        accelerations={f"K{i + 1}.spin_rate": start[i] for i in range(7)},
    )


def torque_free_case() -> Case:
    ref = load("P13_torque_free_body")["variants"]["a_generic"]["reference"]
    quaternions = np.array(ref["quat_wxyz_positive_w"])
    return Case(
        "torque-free body",
        machines.torque_free_body,
        np.array(ref["t"]),
        bar=TIGHT_BAR,
        rates=vector_channels("body", "wx wy wz", in_fixed_axes(quaternions, ref["omega_body"])),
        attitudes={"body": quaternions},
    )


def pendulum_case() -> Case:
    ref = load("P17_pendulum")["A01_reference"]
    positions = {f"bob.{c}": np.array(ref[c]) for c in "xy"}
    return Case("pendulum A01", machines.pendulum_point, np.array(ref["t"]), positions=positions)


def in_fixed_axes(quaternions: Any, vectors: Any) -> np.ndarray:
    """Vectors in body axes, one a row, turned by the quaternions (w, e): v + 2 e x (e x v + w v)."""
    q, v = np.array(quaternions), np.array(vectors)
    w, e = q[:, :1], q[:, 1:]
    return v + 2 * np.cross(e, np.cross(e, v) + w * v)


CASES = [
    linkage_case("four-bar BC", lambda: machines.four_bar("BC"), "P01_fourbar", "a_spring_BC_literal"),
    linkage_case("four-bar AC", lambda: machines.four_bar("AC"), "P01_fourbar", "c_spring_AC"),
    linkage_case("slider-crank", machines.slider_crank, "P02_slidercrank", "b_spring_B_to_ground_D_at_2sqrt2_0"),
    linkage_case(
        "double inverted pendulum",
        machines.double_inverted_pendulum,
        "P03_double_inverted_pendulum",
        "b_spring_B_to_ground_C_at_4_-1",
    ),
    linkage_case("quick return", machines.quick_return, "P04_quick_return", "c_spring_D_to_ground_F_2m_left_of_D"),
    double_pendulum_case(),
    two_bars_case(),
    andrews_case(),
    torque_free_case(),
    pendulum_case(),
]
BY_NAME = {case.name: case for case in CASES}


def cases(having: str | None = None) -> pytest.MarkDecorator:
    """Parametrise over the cases, or over those whose reference has the field `having`."""

    def has(case: Case) -> bool:
        return having is None or (getattr(case, having) is not None and len(getattr(case, having)) > 0)

    chosen = [case for case in CASES if has(case)]
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name.replace(" ", "-"))


# Running and comparing -------------------------------------------------------------------------------------


def simulate(mechanism: jd.Mechanism, times: np.ndarray) -> Any:
    run = jd.simulate(mechanism, times=times, rtol=1e-10, atol=1e-10, integrator="dop853")
    assert run.status.ok, str(run.status)
    np.testing.assert_allclose(run.t, times, rtol=0, atol=1e-12 * times[-1])
    return run


@cache
def run_of(name: str) -> Any:
    """One run a case, shared by all tests that look at it."""
    case = BY_NAME[name]
    return simulate(case.build(), case.t)


def assert_channels(run: Any, expected: Channels, bar: float) -> None:
    """Every channel within `bar` at every sample; names the worst one if not."""
    errors = {channel: float(np.abs(run[channel] - values).max()) for channel, values in expected.items()}
    worst = max(errors, key=lambda channel: errors[channel])
    assert errors[worst] <= bar, f"{worst} is off by {errors[worst]:.2e}, allowed {bar:.2e}"


def energy_scale(run: Any) -> float:
    """Kinetic energy, the swing of potential energy (its zero is arbitrary), losses and work: their peaks."""
    e = run.energy
    parts = (np.max(e.kinetic), np.ptp(e.potential), np.max(np.abs(e.dissipated)), np.max(np.abs(e.driven)))
    return float(sum(parts))


def gap(run: Any, blueprint: Any, joint: Any) -> float:
    """Greatest distance of the joint's two points over the run, from the channels of the points."""

    def path(port: Any, axis: int) -> np.ndarray:
        if port.body == "ground":
            return np.full(len(run.t), blueprint.port(port).at[axis])
        return run[f"{port}.{'xyz'[axis]}"]

    apart = [path(joint.second, k) - path(joint.first, k) for k in range(blueprint.dim)]
    return float(np.linalg.norm(apart, axis=0).max())


# Tests over all cases --------------------------------------------------------------------------------------


@cases(having="positions")
def test_positions_and_angles(case: Case) -> None:
    assert_channels(run_of(case.name), case.positions, case.bar)


@cases(having="attitudes")
def test_attitudes(case: Case) -> None:
    run = run_of(case.name)
    for body, expected in case.attitudes.items():
        q = np.array([run[f"{body}.q{c}"] for c in "wxyz"]).T
        # A quaternion and its negative are the same attitude.
        q = q * np.sign(np.sum(q * expected, axis=1, keepdims=True))
        np.testing.assert_allclose(q, expected, rtol=0, atol=case.bar)
        np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, rtol=0, atol=CLOSED)


@cases(having="rates")
def test_velocities(case: Case) -> None:
    assert_channels(run_of(case.name), case.rates, case.bar * case.pace)


@cases()
def test_joints_stay_closed(case: Case) -> None:
    run = run_of(case.name)
    blueprint = case.build().frozen()
    assert len(run.violation.position) == len(case.t)
    assert np.max(run.violation.position, initial=0.0) <= CLOSED
    # The run's own word is not enough: look at the points too.
    for joint in blueprint.joints:
        if joint.type in ("revolute", "spherical"):
            assert gap(run, blueprint, joint) <= CLOSED, joint.name


@cases()
def test_total_energy_is_constant(case: Case) -> None:
    run = run_of(case.name)
    total = run.energy.total
    assert np.abs(total - total[0]).max() <= ENERGY_BAR * energy_scale(run)


@cases(having="dissipated")
def test_energies(case: Case) -> None:
    run = run_of(case.name)
    assert case.energy is not None
    bar = ENERGY_BAR * energy_scale(run)
    np.testing.assert_allclose(run.energy.dissipated, case.dissipated, rtol=0, atol=bar)
    # Only differences of potential energy mean anything.
    stored = run.energy.kinetic + run.energy.potential
    np.testing.assert_allclose(stored - stored[0], case.energy - case.energy[0], rtol=0, atol=bar)


@cases(having="accelerations")
def test_initial_accelerations(case: Case) -> None:
    run = run_of(case.name)
    scale = max(abs(a) for a in case.accelerations.values())
    for channel, value in case.accelerations.items():
        assert run[channel][0] == pytest.approx(value, rel=0, abs=SOLVE_BAR * scale), channel


# Forces in joints ------------------------------------------------------------------------------------------


def test_force_in_the_spherical_joint() -> None:
    ref = load("P07_two_bars_spherical")["variants"]["a_free_flight"]["reference"]
    case, run = BY_NAME["two bars"], run_of("two bars")
    # The file has the force of bar 2 on bar 1; the channel is the force on the second body, bar 2.
    force = -np.array([run[f"C.f{c}"] for c in "xyz"]).T
    # The joint carries m r w^2: an error e of position changes it by m w^2 e, one of spin, e * pace, by
    # 2 m r w e * pace. Arms are under 1 m.
    mass, spin = 2.0, max(np.abs(case.rates[f"bar{k}.w{c}"]).max() for k in "12" for c in "xyz")
    bar = mass * spin * (spin + 2 * case.pace) * case.bar
    np.testing.assert_allclose(force, ref["force_of_bar2_on_bar1_at_C"], rtol=0, atol=bar)


def andrews_pins(run: Any, sample: int) -> np.ndarray:
    """Forces on K3, K4 and K6 at F: the multipliers of the published equations (M q'' + G^T lam = f)."""
    return np.array([run[f"F{i}.f{c}"][sample] for i in (3, 4, 6) for c in "xy"])


def test_andrews_forces_at_the_start() -> None:
    expected = np.array(load("P08_andrews")["initial_state"]["lambda(0)"])
    found = andrews_pins(run_of("Andrews"), 0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SOLVE_BAR * np.abs(expected).max())


def test_andrews_at_30_milliseconds() -> None:
    case, run = BY_NAME["Andrews"], run_of("Andrews")
    end = np.array(load("P08_andrews")["reference"]["end_t0.03_q_qdot_qdd_lambda"])
    angles, spins, spin_rates = (andrews_orientations(end[7 * k : 7 * k + 7]) for k in range(3))
    pins = end[21:]
    sample = int(np.flatnonzero(np.isclose(run.t, 0.03, rtol=0, atol=1e-9))[0])

    def found(channel: str) -> np.ndarray:
        return np.array([run[f"K{i}.{channel}"][sample] for i in range(1, 8)])

    # Each derivative costs one more factor of the pace.
    bar = 1e-8
    np.testing.assert_allclose(found("angle"), angles, rtol=0, atol=bar)
    np.testing.assert_allclose(found("spin"), spins, rtol=0, atol=bar * case.pace)
    np.testing.assert_allclose(found("spin_rate"), spin_rates, rtol=0, atol=bar * case.pace**2)
    # The pins carry what accelerates the bodies: the same relative error.
    relative = bar * case.pace**2 / np.abs(spin_rates).max()
    np.testing.assert_allclose(andrews_pins(run, sample), pins, rtol=0, atol=relative * np.abs(pins).max())


# Periods ---------------------------------------------------------------------------------------------------

PENDULUMS = {
    # Machine, its body, its length as a point pendulum, its column of the file.
    "point": (machines.pendulum_point, "bob", 1.0, "T_simple_pendulum_l1_g9.81"),
    "bar": (machines.pendulum_bar, "rod", 2 / 3, "T_uniform_bar_l1_g9.81"),
}
PERIODS = load("P17_pendulum")["periods"]


def period(amplitude: float, length: float) -> float:
    return 4 * math.sqrt(length / 9.81) * ellipk(math.sin(amplitude / 2) ** 2)


@pytest.mark.parametrize("pendulum", PENDULUMS)
@pytest.mark.parametrize("row", PERIODS, ids=lambda row: f"{row['amplitude_deg']}deg")
def test_pendulum_period(pendulum: str, row: Mapping[str, float]) -> None:
    build, body, length, column = PENDULUMS[pendulum]
    amplitude, T = math.radians(row["amplitude_deg"]), row[column]
    # At the turning points an error of time does not show in the angle; at the bottom it shows most.
    run = simulate(build(amplitude), T * np.arange(5) / 4)
    rate = math.sqrt(9.81 / length)
    fastest = 2 * rate * math.sin(amplitude / 2)
    angles = amplitude * np.array([1, 0, -1, 0, 1])
    spins = fastest * np.array([0, -1, 0, 1, 0])
    # Local errors add up to some 100 tolerances. A wrong amplitude also means a wrong period, and what is
    # late by dt is off by speed * dt: this amplifies the error 450 times at 179 degrees, hardly at 5.
    h = 1e-6
    lateness = (period(amplitude + h, length) - period(amplitude - h, length)) / (2 * h)
    bar = 100 * 1e-10 * (1 + lateness * fastest)
    np.testing.assert_allclose(run[f"{body}.angle"] + math.pi / 2, angles, rtol=0, atol=bar)
    np.testing.assert_allclose(run[f"{body}.spin"], spins, rtol=0, atol=bar * rate)
