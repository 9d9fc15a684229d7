"""Equations as the papers print them, against what Jourdain computes: Wijckmans' examples, Stanescu's matrices.

Printed brackets and signs of Stanescu's eqs 34, 37 to 40, 56, 57 and 59 are damaged; what stands here is derived from
eqs 25 to 33 as the paper does. His lam is ours: he has B = -J here, since he takes the first body less the second.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from random_mechanisms import random_mechanism

Array = np.ndarray[Any, Any]
G = 9.81


# Wijckmans 1992: x points down there, and rods have length 2 l, J = m l^2 / 3.


def rods(count: int, angles: tuple[float, ...], rates: tuple[float, ...], l: float = 0.7, mass: float = 1.3) -> Any:
    """Rods that hang on each other; the first angle from the downward axis, the others from rod to rod."""
    m = jd.Mechanism("rods", gravity=(G, 0))
    before, place, v = m.ground.point("O", (0, 0)), np.zeros(2), np.zeros(2)
    angle = spin = 0.0
    for k in range(count):
        angle, spin = angle + angles[k], spin + rates[k]
        along, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
        where = {"position": place + l * along, "angle": angle, "velocity": v + l * spin * across, "spin": spin}
        rod = m.body(f"B{k + 1}", mass=mass, inertia=mass * l**2 / 3, **where, points={"A": (-l, 0), "B": (l, 0)})
        m.revolute(f"J{k + 1}", before, rod["A"])
        before, place, v = rod["B"], place + 2 * l * along, v + 2 * l * spin * across
    return m


def test_wijckmans_pendulum_by_augmentation_and_by_elimination() -> None:
    """Examples 2.1 and 2.3: 4/3 m phi'' + m g / l sin phi = 0, and the descriptor form with its two multipliers."""
    phi, rate, l, mass = 0.8, 1.7, 0.7, 1.3
    m = rods(1, (phi,), (rate,))
    f = jd.rhs(m, "relative")
    assert f(0.0, f.start)[f.model.layout.v] == pytest.approx(-G / l * math.sin(phi) / (4 / 3), rel=1e-12)
    a = jd.matrices(m, coordinates="angle")
    s, c = math.sin(phi), math.cos(phi)
    np.testing.assert_allclose(a.M, np.diag([mass, mass, mass * l**2 / 3]))
    np.testing.assert_allclose(a.J, [[1, 0, l * s], [0, 1, -l * c]], atol=1e-14)
    np.testing.assert_allclose(a.gamma, [-l * c * rate**2, -l * s * rate**2], atol=1e-13)
    np.testing.assert_allclose(a.Q, [mass * G, 0, 0], atol=1e-13)


def test_wijckmans_double_pendulum_is_the_recursion_of_its_kinematics() -> None:
    """Examples 3.1 and 3.2 (E.3.27 to E.3.30): V_2 = A_12 V_1 + B_12 theta', V'_2 likewise with c_12."""
    l, phi, theta, rates = 0.7, 0.6, -1.1, (1.3, -2.1)
    m = rods(2, (phi, theta), rates)
    run = jd.simulate(m, times=[0.0, 1e-3], coordinates="relative")
    V = [np.array([run[f"B{k}.{c}"][0] for c in ("vx", "vy", "spin")]) for k in (1, 2)]
    A1 = [np.array([run[f"B{k}.{c}"][0] for c in ("ax", "ay", "spin_rate")]) for k in (1, 2)]
    s1, c1, s12, c12 = math.sin(phi), math.cos(phi), math.sin(phi + theta), math.cos(phi + theta)
    A12 = np.array([[1, 0, -l * s1 - l * s12], [0, 1, l * c1 + l * c12], [0, 0, 1]])
    B12 = np.array([-l * s12, l * c12, 1])
    B01 = np.array([-l * s1, l * c1, 1])
    np.testing.assert_allclose(V[0], B01 * rates[0], atol=1e-12)
    np.testing.assert_allclose(V[1], A12 @ V[0] + B12 * rates[1], atol=1e-12)
    w1, w2 = rates[0], sum(rates)
    bent = -l * np.array([c1 * w1**2 + c12 * w2**2, s1 * w1**2 + s12 * w2**2, 0])
    np.testing.assert_allclose(A1[1], A12 @ A1[0] + bent + B12 * _second(run), atol=1e-9)


def _second(run: jd.Solution) -> float:
    """theta'' of the second joint."""
    return float(run["B2.spin_rate"][0] - run["B1.spin_rate"][0])


def test_wijckmans_double_pendulum_moves_by_the_reduced_equations() -> None:
    """(A.3) to (A.9) written out for two rods: D, Mt, gt inward, then theta'' and phi'' outward."""
    l, mass, phi, theta, rates = 0.7, 1.3, 0.6, -1.1, (1.3, -2.1)
    m = rods(2, (phi, theta), rates)
    s1, c1, s12, c12 = math.sin(phi), math.cos(phi), math.sin(phi + theta), math.cos(phi + theta)
    A12 = np.array([[1, 0, -l * s1 - l * s12], [0, 1, l * c1 + l * c12], [0, 0, 1]])
    B12, B01 = np.array([-l * s12, l * c12, 1]), np.array([-l * s1, l * c1, 1])
    w1, w2 = rates[0], sum(rates)
    c01 = -l * w1**2 * np.array([c1, s1, 0])
    c2 = -l * np.array([c1 * w1**2 + c12 * w2**2, s1 * w1**2 + s12 * w2**2, 0])
    M, g = np.diag([mass, mass, mass * l**2 / 3]), np.array([mass * G, 0, 0])
    D = B12 @ M @ B12
    left = M - np.outer(M @ B12, B12 @ M) / D
    Mt, gt = A12.T @ left @ A12, A12.T @ (np.eye(3) - np.outer(M @ B12, B12) / D) @ (g - M @ c2)
    first = (B01 @ (g + gt - (M + Mt) @ c01)) / (B01 @ (M + Mt) @ B01)
    V1 = B01 * first + c01
    second = B12 @ (g - M @ (A12 @ V1 + c2)) / D
    f = jd.rhs(m, "relative")
    np.testing.assert_allclose(f(0.0, f.start)[f.model.layout.v], [first, second], rtol=1e-10)


def test_wijckmans_crank_and_slider() -> None:
    """Example 3.3 (E.3.49 to E.3.52): the cut 2 l sin phi + 2 l sin(phi + theta) = 0, and what is left to move."""
    l, mass, phi, rate = 0.7, 1.3, 0.6, 1.3
    m = rods(2, (phi, -2 * phi), (rate, -2 * rate))
    m.point_on_line("cut", m.ground.point("S", (0, 0)), m["B2"]["B"])
    a = jd.matrices(m, coordinates="relative")
    row = [k for k, name in enumerate(a.rows) if name.startswith("cut")]
    s, c = math.sin(phi), math.cos(phi)
    sign = np.sign(a.J[row[0], 0]) or 1.0
    # phi + theta = -phi: both cosines are equal
    np.testing.assert_allclose(sign * a.J[row], [[4 * l * c, 2 * l * c]], atol=1e-12)
    assert abs(a.C[row[0]]) < 1e-12
    # gamma: C'' = 2 l (cos phi'' ..) - 2 l (sin phi phi'^2 + sin(phi + theta) (phi' + theta')^2), the sines cancel
    np.testing.assert_allclose(a.gamma[row], [2 * l * (s * rate**2 - s * rate**2)], atol=1e-12)
    # one freedom is left: T = 1/2 (I(phi)) phi'^2 by hand, V = - m g (l c + 3 l c)
    inertia = mass * l**2 * (1 + 1 / 3 + 1 / 3 + 9 * s**2 + c**2)
    slope = mass * l**2 * (18 * s * c - 2 * s * c)
    expected = (-0.5 * slope * rate**2 - 4 * mass * G * l * s) / inertia
    for coordinates in ("relative", "angle", "natural"):
        run = jd.simulate(m, times=[0.0, 1e-3], coordinates=coordinates)
        assert run["B1.spin_rate"][0] == pytest.approx(expected, rel=1e-9)


def test_wijckmans_crank_and_slider_by_its_reduced_equations() -> None:
    """(E.3.50), (E.3.51) and (3.44) to (3.48) written out: the cut row carried through the recursion to the base.

    psi is its reduced Jacobian (B.6), K what eliminating theta'' takes from it (3.46), and gamma the right side (3.47).
    """
    l, mass, phi, rates = 0.7, 1.3, 0.6, (1.3, -2.6)
    m = rods(2, (phi, -2 * phi), rates)
    m.point_on_line("cut", m.ground.point("S", (0, 0)), m["B2"]["B"])
    s1, c1, s12, c12 = math.sin(phi), math.cos(phi), math.sin(-phi), math.cos(-phi)
    A12 = np.array([[1, 0, -l * s1 - l * s12], [0, 1, l * c1 + l * c12], [0, 0, 1]])
    B12, B01 = np.array([-l * s12, l * c12, 1]), np.array([-l * s1, l * c1, 1])
    w1, w2 = rates[0], sum(rates)
    c01 = -l * w1**2 * np.array([c1, s1, 0])
    c2 = -l * np.array([c1 * w1**2 + c12 * w2**2, s1 * w1**2 + s12 * w2**2, 0])
    M, g = np.diag([mass, mass, mass * l**2 / 3]), np.array([mass * G, 0, 0])
    row, gamma = np.array([0, 1, l * c12]), l * s12 * w2**2  # of r_2y + l sin(phi + theta) = 0
    D = B12 @ M @ B12
    kept = np.eye(3) - np.outer(M @ B12, B12) / D
    Mt, gt, psi = A12.T @ kept @ M @ A12, A12.T @ kept @ (g - M @ c2), A12.T @ kept @ row
    K = (row @ B12) ** 2 / D
    right = gamma - row @ c2 + (row @ B12) * (B12 @ (M @ c2 - g)) / D
    whole = np.array([[B01 @ (M + Mt) @ B01, B01 @ psi], [psi @ B01, -K]])
    base = [B01 @ (g + gt - (M + Mt) @ c01), right - psi @ c01]
    first, lam = np.linalg.solve(whole, base)
    second = -(B12 @ (M @ (A12 @ (B01 * first + c01) + c2) - g + row * lam)) / D  # (E.3.50)
    a = jd.matrices(m, coordinates="relative")
    sign = np.sign(a.J[0, 0])  # whose side the row is written from
    for how in (jd.Recursion(), jd.Recursion(solve="base"), jd.Recursion(level="velocity")):
        run = jd.simulate(m, times=[0.0, 1e-3], coordinates="relative", treatment=how)
        assert run["B1.spin_rate"][0] == pytest.approx(first, rel=1e-9)
        assert run["B2.spin_rate"][0] - run["B1.spin_rate"][0] == pytest.approx(second, rel=1e-9)
        assert sign * run.multipliers["cut"][0, 0] == pytest.approx(lam, rel=1e-9)


# Pappalardo and Guida 2018

# Table 11: the largest norms of C that the print has for machines whose correction always had something to do, and of
# C'; what double precision leaves is a last digit or two of coordinates of 4 m, 8.9e-16 each.
TABLE_11 = (3.689e-15, 2.925e-14)
FOUR = {
    "four-bar": lambda: machines.four_bar("AC"),
    "slider-crank": machines.slider_crank,
    "double inverted pendulum": machines.double_inverted_pendulum,
    "quick return": machines.quick_return,
}


@pytest.mark.parametrize("name", FOUR)
def test_pappalardo_violations_reach_the_print(name: str) -> None:
    """At all 5,000 steps: to the tolerance, and to rounding where the tolerance asks for it."""
    for tolerance, position in ((1e-12, 2e-12), (1e-16, 1.1 * TABLE_11[0])):
        how = jd.UdwadiaKalaba(jd.Euclidean(tolerance=tolerance))
        run = jd.simulate(FOUR[name](), 5.0, every=1e-3, recipe="nacf", treatment=how)
        assert run.statistics.steps == 5000 and run.status.ok
        assert np.max(run["violation.position_norm"]) < position
        assert np.max(run["violation.velocity_norm"]) < TABLE_11[1]
        gaps = np.max(run["violation.position"])
        assert gaps <= tolerance or tolerance == 1e-16


def test_pappalardo_tolerance_is_checked() -> None:
    with pytest.raises(jd.ChoiceError, match="tolerance of euclidean"):
        jd.simulate(FOUR["four-bar"](), 1.0, recipe="nacf", stabilisation=jd.Euclidean(tolerance=-1.0))


def test_pappalardo_other_ways_beside_ab6() -> None:
    """Baumgarte's feedback and penalty in place of the direct correction, with the same integrator and step."""
    best = jd.simulate(FOUR["four-bar"](), 1.0, every=0.1, recipe="nacf")
    gains = jd.Baumgarte(alpha=20, beta=20)
    for how, limit in ((jd.UdwadiaKalaba(gains), 1e-7), (jd.Penalty(stabilisation=gains), 1e-3)):
        run = jd.simulate(FOUR["four-bar"](), 1.0, every=0.1, recipe="nacf", treatment=how)
        assert run.status.ok and "ab6" in str(run.choices)
        assert np.max(np.abs(run.motion.position - best.motion.position)) < limit


def test_pappalardo_other_moments_of_planar_bodies_change_nothing(tmp_path: Path) -> None:
    """Tables 1 to 4 have Ixx, Iyy, Izz, Ixy: of a planar body only Izz acts, and check says so."""
    runs = []
    for inertia in (0.5, (0.2, 0.3, 0.5), (0.1, 0.45, 0.5, 0.05, 0, 0)):
        m = jd.Mechanism("bar", gravity=(0, -G))
        bar = m.body(
            "bar", mass=2, inertia=inertia, centre=(0.1, 0), position=(0.5, 0), angle=0, points={"A": (-0.5, 0)}
        )
        m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
        runs += [jd.simulate(m, 1.0, every=0.25, coordinates=c) for c in ("angle", "natural")]
        told = [hint for hint in jd.check(m).hints if "only Izz = 0.5 kg m^2 acts" in hint]
        assert len(told) == (0 if inertia == 0.5 else 1)
        jd.save(m, tmp_path / "bar.yaml")
        again = jd.load(tmp_path / "bar.yaml").frozen().bodies[0].inertia
        assert again == 0.5 and hasattr(again, "tensor") == (inertia != 0.5)
    for run in runs[1:]:
        np.testing.assert_allclose(run["bar.x"], runs[0]["bar.x"], atol=1e-8)
    wrong = jd.Mechanism("wrong", gravity=(0, -G))
    wrong.body("bar", mass=2, inertia=(0.1, 0.1, 0.5), position=(0, 0))
    with pytest.raises(jd.MechanismError, match="triangle inequality"):
        jd.simulate(wrong, 1.0)


CHOLESKY = [*FOUR.values(), *(partial(random_mechanism, seed, "planar", bodies=4, loops=1) for seed in (1, 2, 3))]


@pytest.mark.parametrize("build", CHOLESKY)
def test_pappalardo_cholesky_coordinates_have_the_mass_matrix_one(build: Any) -> None:
    chosen = jd.Natural(cholesky=True)
    best, run = (jd.simulate(build(), 0.5, every=0.1, coordinates=c) for c in ("natural", chosen))
    a = jd.matrices(run.blueprint, run.state(), coordinates=chosen)
    np.testing.assert_allclose(a.M, np.eye(len(a.M)), atol=1e-14)
    assert not np.any(a.bias) and np.max(np.abs(a.C)) < 1e-11
    assert 0.5 * a.v @ a.v == pytest.approx(run["energy.kinetic"][-1], rel=1e-9)
    for channel in best.channels:
        if channel.endswith((".x", ".angle", ".vy", ".spin", ".ax", ".spin_rate", ".fx", ".total")):
            scale = max(1.0, float(np.max(np.abs(best[channel]))))
            np.testing.assert_allclose(run[channel], best[channel], atol=2e-7 * scale, err_msg=channel)


def test_pappalardo_cholesky_of_bodies_without_inertia_and_in_space() -> None:
    chosen = jd.Natural(cholesky=True)
    best, run = (jd.simulate(jd.example("motor_crank"), 0.2, every=0.1, coordinates=c) for c in (None, chosen))
    np.testing.assert_allclose(run["slider.x"], best["slider.x"], atol=1e-8)
    m = jd.Mechanism("point mass", gravity=(0, -G))
    bob = m.body("bob", mass=1, inertia=0, position=(1, 0), points={"P": (0, 0)})
    m.distance("rod", m.ground.point("O", (0, 0)), bob["P"], length=1)
    best, run = (jd.simulate(m, 1.0, every=0.5, coordinates=c) for c in (None, chosen))
    np.testing.assert_allclose(run["bob.x"], best["bob.x"], atol=1e-8)
    with pytest.raises(jd.ChoiceError, match="cholesky is for planar"):
        jd.simulate(machines.two_bars(), 1.0, coordinates=chosen)


# Stanescu: the two bars of section 4.


def stanescu() -> tuple[jd.Solution, Any, list[tuple[float, ...]], list[tuple[float, ...]]]:
    """A run that has gone on for a while, its matrices there, angles and their rates of both bars."""
    m = machines.two_bars()
    run = jd.simulate(m, 0.4, every=0.4, recipe="stanescu")
    a = jd.matrices(m, run.state(), coordinates="bryan", t=0.4)
    angles = [tuple(a.q[a.positions.index(f"bar{i}.angle_{k}")] for k in (1, 2, 3)) for i in (1, 2)]
    rates = [tuple(a.v[a.coordinates.index(f"bar{i}.angle_{k}")] for k in (1, 2, 3)) for i in (1, 2)]
    return run, a, angles, rates


def printed_b(angles: Any, half: float) -> Array:
    """Eqs 44 to 46: the columns of psi, theta, phi of f_1, f_2, f_3 for one bar; half is l/2."""
    (sp, st, sf), (cp, ct, cf) = np.sin(angles), np.cos(angles)
    return half * np.array(
        [
            [0, -st * cf, -ct * sf],
            [cp * st * cf - sp * sf, sp * ct * cf, -sp * st * sf + cp * cf],
            [sp * st * cf + cp * sf, -cp * ct * cf, cp * st * sf + sp * cf],
        ]
    )


def q_matrix(angles: Any) -> Array:
    """Eq. 31: omega in body axes = Q beta'."""
    _, theta, phi = angles
    st, ct, sf, cf = math.sin(theta), math.cos(theta), math.sin(phi), math.cos(phi)
    return np.array([[cf * ct, sf, 0], [-sf * ct, cf, 0], [st, 0, 1]])


def q_rate(angles: Any, rates: Any) -> Array:
    """Eq. 32."""
    (_, theta, phi), (_, dt, df) = angles, rates
    st, ct, sf, cf = math.sin(theta), math.cos(theta), math.sin(phi), math.cos(phi)
    return np.array(
        [[-df * sf * ct - dt * cf * st, df * cf, 0], [-df * cf * ct + dt * sf * st, -df * sf, 0], [dt * ct, 0, 0]]
    )


HALVES, MASSES = (0.5, 0.4), (2.0, 1.5)


def inertias(run: jd.Solution) -> list[Array]:
    return [np.diag(body.inertia[:3]) for body in run.blueprint.bodies]


def test_stanescu_matrix_of_constraints() -> None:
    """Eqs 42 to 46. Ours is the second body less the first: the other sign."""
    run, a, angles, _ = stanescu()
    B = np.hstack([np.eye(3), printed_b(angles[0], HALVES[0]), -np.eye(3), printed_b(angles[1], HALVES[1])])
    np.testing.assert_allclose(-a.J, B, atol=1e-12)
    assert len(a.coordinates) == 12 and run.status.ok


def test_stanescu_matrix_of_inertia_and_forces() -> None:
    """Eqs 47, 48: M = diag(m 1, gamma), gamma = Q^T J Q; F and F~ = -Q^T (J Q' + omega~ J Q) beta'."""
    run, a, angles, rates = stanescu()
    for i, J in enumerate(inertias(run)):
        part = slice(6 * i, 6 * i + 6)
        Q, dQ = q_matrix(angles[i]), q_rate(angles[i], rates[i])
        M = np.zeros((6, 6))
        M[:3, :3], M[3:, 3:] = MASSES[i] * np.eye(3), Q.T @ J @ Q
        np.testing.assert_allclose(a.M[part, part], M, atol=1e-12)
        np.testing.assert_allclose(a.Q[part], [0, 0, -MASSES[i] * G, 0, 0, 0], atol=1e-12)
        omega = Q @ rates[i]
        beta = -Q.T @ (J @ dQ @ rates[i] + np.cross(omega, J @ omega))
        np.testing.assert_allclose(a.bias[part], [0, 0, 0, *beta], atol=1e-11)


def test_stanescu_reference_point_that_is_not_the_mass_centre() -> None:
    """Eq. 1, of one body with any O: M with A S^T Q beside m, F~_s = -(A S^T Q' + A' S^T Q) beta', F~_beta likewise."""
    mass, c, J = 2.0, np.array([0.3, -0.2, 0.1]), np.diag([0.2, 0.3, 0.4])
    m = jd.Mechanism("top", space="spatial", gravity=(0, 0, -G))
    angles, spin = (0.4, -0.7, 1.1), (1.5, -0.8, 2.0)
    m.body("top", mass=mass, inertia=(0.2, 0.3, 0.4), centre=c, position=(0, 0, 0), bryan=angles, spin=spin)
    a = jd.matrices(m, coordinates="bryan")
    beta, rates = a.q[3:6], a.v[3:6]
    np.testing.assert_allclose(beta, angles, atol=1e-12)

    def skew(x: Any) -> Array:
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    def turned(b: Any) -> Array:
        """A = R_x R_y R_z."""
        (sp, st, sf), (cp, ct, cf) = np.sin(b), np.cos(b)
        x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
        y = np.array([[ct, 0, st], [0, 1, 0], [-st, 0, ct]])
        return x @ y @ np.array([[cf, -sf, 0], [sf, cf, 0], [0, 0, 1]])

    A, S, Q, dQ = turned(beta), skew(mass * c), q_matrix(beta), q_rate(beta, rates)
    J_O = J + mass * (c @ c * np.eye(3) - np.outer(c, c))
    omega = Q @ rates
    np.testing.assert_allclose(A @ omega, spin, atol=1e-12)
    dA = A @ skew(omega)
    coupling = A @ S.T @ Q
    M = np.block([[mass * np.eye(3), coupling], [coupling.T, Q.T @ J_O @ Q]])
    np.testing.assert_allclose(a.M, M, atol=1e-12)
    F_s = -(A @ S.T @ dQ + dA @ S.T @ Q) @ rates
    F_beta = -Q.T @ (J_O @ dQ @ rates + np.cross(omega, J_O @ omega))
    np.testing.assert_allclose(a.bias, [*F_s, *F_beta], atol=1e-12)
    np.testing.assert_allclose(a.Q, [0, 0, -mass * G, *(coupling.T @ [0, 0, -G])], atol=1e-12)


def test_stanescu_reactions_and_their_moments() -> None:
    """Eqs 50 to 59: lam by the bordered matrix, its shares on either body, moments about O on body axes by Q^-T."""
    run, a, angles, rates = stanescu()
    B = -a.J
    dB = np.zeros((3, 12))
    h = 1e-6
    for i, half in enumerate(HALVES):
        ahead, behind = (np.array(angles[i]) + by * np.array(rates[i]) for by in (h, -h))
        dB[:, 6 * i + 3 : 6 * i + 6] = (printed_b(ahead, half) - printed_b(behind, half)) / (2 * h)
    whole = np.block([[a.M, -B.T], [B, np.zeros((3, 3))]])
    lam = np.linalg.solve(whole, np.concatenate([a.Q + a.bias, -dB @ a.v]))[12:]
    np.testing.assert_allclose(run.multipliers["C"][-1], lam, atol=1e-8)
    for k, share in enumerate(run.shares["C"].values()):
        np.testing.assert_allclose(share.on_first_force[-1], lam[k] * np.eye(3)[k], atol=1e-8)  # eq. 51
        np.testing.assert_allclose(share.force[-1], -lam[k] * np.eye(3)[k], atol=1e-8)  # eq. 52
        for side, i in (("first", 0), ("second", 1)):  # eqs 54, 57
            own = lam[k] * B[k, 6 * i + 3 : 6 * i + 6]
            expected = np.linalg.solve(q_matrix(angles[i]).T, own)
            np.testing.assert_allclose(share.moment_about_origin(side)[-1], expected, atol=1e-8)
    for side, i in (("first", 0), ("second", 1)):  # eqs 55, 58, with the inverse as eq. 53 prints it
        _, theta, phi = angles[i]
        st, ct, sf, cf = math.sin(theta), math.cos(theta), math.sin(phi), math.cos(phi)
        inverse = np.array([[cf, sf * ct, -cf * st], [-sf, cf * ct, sf * st], [0, 0, ct]]) / ct
        E = B[:, 6 * i + 3 : 6 * i + 6].T @ lam
        np.testing.assert_allclose(run.reactions["C"].moment_about_origin(side)[-1], inverse @ E, atol=1e-8)


def test_stanescu_bodies_that_nothing_joins() -> None:
    """Eq. 24: B falls apart, and eq. 13 into equations of each body; B q' = C(t) with C' on the right, for the one."""
    rule = {"a": "a.vx + 0.5*a.vy - 0.1 - 0.3*t", "b": "b.vz - b.vx*b.y"}

    def free(names: str) -> jd.Mechanism:
        m = jd.Mechanism("free", space="spatial", gravity=(0, 0, -G))
        for name in names:
            spin = {"a": (1.0, -0.5, 0.3), "b": (0.2, 0.4, -1.0)}[name]
            velocity = (0.1, 0, 0) if name == "a" else (0.5, 0.2, 0.25)
            m.body(
                name, mass=2, inertia=(0.2, 0.3, 0.4), centre=(0.1, 0.2, 0), position=(0, 0.5, 0),
                bryan=(0.1, 0.2, 0.3), velocity=velocity, spin=spin,
            )  # fmt: skip
            m.velocity_constraint(f"of_{name}", formula=rule[name])
        return m

    run = jd.simulate(free("ab"), 0.5, every=0.25, recipe="stanescu", rtol=1e-10)
    a = jd.matrices(free("ab"), run.state(), coordinates="bryan", t=0.5)
    assert not np.any(a.J[0, 6:]) and not np.any(a.J[1, :6]) and not np.any(a.M[:6, 6:])
    np.testing.assert_allclose(a.J[0, :6], [1, 0.5, 0, 0, 0, 0], atol=1e-14)
    assert a.gamma[0] == pytest.approx(0.3, abs=1e-14)
    assert run["a.vx"][-1] + 0.5 * run["a.vy"][-1] == pytest.approx(0.25, abs=1e-12)
    for name in "ab":
        alone = jd.simulate(free(name), 0.5, every=0.25, recipe="stanescu", rtol=1e-10)
        for channel in (f"{name}.x", f"{name}.y", f"{name}.z", f"{name}.bryan_1", f"of_{name}.force"):
            np.testing.assert_allclose(run[channel], alone[channel], atol=1e-8, err_msg=channel)


def test_stanescu_in_the_plane_is_the_special_case() -> None:
    """Turning about z alone, in the plane and in space: the same motion by the same recipe."""
    place = 0.5 * math.cos(0.3), 0.5 * math.sin(0.3)
    plane = jd.Mechanism("plane", gravity=(0, -G))
    bar = plane.body("bar", mass=2, inertia=0.2, centre=(0.1, 0), position=place, angle=0.3, points={"A": (-0.5, 0)})
    plane.revolute("A", plane.ground.point("A", (0, 0)), bar["A"])
    space = jd.Mechanism("space", space="spatial", gravity=(0, -G, 0))
    rod = space.body(
        "bar", mass=2, inertia=(0.1, 0.2, 0.2), centre=(0.1, 0, 0), position=(*place, 0), bryan=(0, 0, 0.3),
        points={"A": {"at": (-0.5, 0, 0), "z": (0, 0, 1)}},
    )  # fmt: skip
    space.revolute("A", space.ground.point("A", (0, 0, 0), z=(0, 0, 1)), rod["A"])
    runs = [jd.simulate(one, 1.0, every=0.25, recipe="stanescu") for one in (plane, space)]
    assert "angle" in str(runs[0].choices) and "bryan" in str(runs[1].choices)
    for channel in ("bar.x", "bar.y", "A.fx", "A.fy"):
        np.testing.assert_allclose(runs[0][channel], runs[1][channel], atol=1e-7)
