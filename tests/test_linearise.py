"""State-space matrices against closed forms and explicit equations of motion, at rest and along motions."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import jourdain as jd
from jourdain.mechanism.parts import PortName

G = 9.81
MASS, LENGTH = 2.0, 1.0
INERTIA = MASS * LENGTH**2 / 3  # about the pin


def pendulum(angle: float = -1.2, spin: float = 0.0) -> jd.Mechanism:
    m = jd.Mechanism("pendulum", gravity=(0, -G))
    at = 0.5 * LENGTH * np.array([np.cos(angle), np.sin(angle)])
    rod = m.body(
        "rod",
        mass=MASS,
        inertia=MASS * LENGTH**2 / 12,
        position=at,
        angle=angle,
        velocity=spin * np.array([-at[1], at[0]]),
        spin=spin,
        points={"A": (-0.5 * LENGTH, 0), "B": (0.5 * LENGTH, 0)},
    )
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    m.parameter("c", 0.3)
    m.parameter("idle", 1.0)
    m.torsion_spring_damper("hinge", joint="A", damping="c")
    m.force("push", on=rod["B"], vector=(3.0, 4.0))
    return m


def rest() -> float:
    """Angle at which weight and push balance: the push (3, 4) N lifts and pulls sideways."""
    return float(np.arctan2(4.0 * LENGTH - 0.5 * MASS * G * LENGTH, 3.0 * LENGTH))


def test_matrices_of_a_pendulum_for_inputs_of_every_kind() -> None:
    th = rest()
    inputs = ["A.torque", "rod.mz", "rod.fx", "rod.B.fy", "push", "push.fx", "c"]
    outputs = ["rod.angle", "rod.B.x", "rod.B.vy", "rod.spin_rate", "A.fx", "A.fy"]
    s = jd.linearise(pendulum(), inputs=inputs, outputs=outputs)
    assert s.states == ("rod.angle", "rod.spin") and s.inputs == tuple(inputs) and s.outputs == tuple(outputs)
    c, d = np.cos(th), np.sin(th)
    # Moment about the pin: (Fy - m g / 2) L cos - Fx L sin
    stiffness = (0.5 * MASS * G - 4.0) * LENGTH * -d + 3.0 * LENGTH * c
    exact = np.array([[0, 1], [-stiffness / INERTIA, -0.3 / INERTIA]])
    np.testing.assert_allclose(s.A, exact, rtol=1e-11, atol=1e-11)
    moments = np.array([1, 1, -0.5 * d, c, (4 * c - 3 * d) / 5, -d, 0])
    np.testing.assert_allclose(s.B, [0 * moments, moments / INERTIA], rtol=1e-10, atol=1e-10)
    assert s.C[:3] == pytest.approx(np.array([[1, 0], [-d, 0], [0, c]]), abs=1e-11)
    assert s.C[3] == pytest.approx(s.A[1], abs=1e-11) and s.D[3] == pytest.approx(s.B[1], abs=1e-11)
    # Reactions: F + push - m g = m a of the middle, which is alpha times half the rod across it.
    alpha_x, alpha_y = -0.5 * MASS * LENGTH * d, 0.5 * MASS * LENGTH * c
    assert s.C[4] == pytest.approx(alpha_x * s.A[1], abs=1e-10) and s.C[5] == pytest.approx(alpha_y * s.A[1], abs=1e-10)
    direct_x, direct_y = np.array([0, 0, 1, 0, 0.6, 1, 0]), np.array([0, 0, 0, 1, 0.8, 0, 0])
    assert s.D[4] == pytest.approx(alpha_x * s.B[1] - direct_x, abs=1e-10)
    assert s.D[5] == pytest.approx(alpha_y * s.B[1] - direct_y, abs=1e-10)
    assert s.outputs_there[:3] == pytest.approx([th, c * LENGTH, 0], abs=1e-12)
    assert s.error < 1e-10


def test_a_parameter_that_acts_at_rest() -> None:
    """B is the derivative of the torque by the parameter, where that is zero."""
    m = pendulum(-np.pi / 2)
    m.parameter("twist", 0.0)
    m.actuator("motor", joint="A", motor="twist**2 + 2*twist")
    s = jd.linearise(m, inputs="twist")
    assert s.B[:, 0] == pytest.approx([0, 2 / INERTIA], rel=1e-11)


def test_along_a_motion_the_stiffness_is_that_of_the_moment() -> None:
    """I th'' = -m g L/2 cos th - c th' + L (4 cos th - 3 sin th), of which A is the derivative at any th and th'."""
    m = pendulum(0.3, 2.0)
    run = jd.simulate(m, 1.0, every=0.1, rtol=1e-12)
    for t in (0.0, 0.37):
        s = jd.linearise(m, run, t=t)
        th = s.outputs_there[0]
        slope = (0.5 * MASS * G * LENGTH - 4 * LENGTH) * np.sin(th) - 3 * LENGTH * np.cos(th)
        np.testing.assert_allclose(s.A, [[0, 1], [slope / INERTIA, -0.3 / INERTIA]], rtol=1e-9, atol=1e-9)
    assert s.about == "a motion at t = 0.37 s"
    assert "about a motion the matrices hold for this moment; they are constant only if the motion is steady" in s.notes
    fine = jd.simulate(m, times=[0.0, 0.37], rtol=1e-12)
    assert th == pytest.approx(fine["rod.angle"][-1], abs=1e-9)


def double_pendulum_rate(x: np.ndarray) -> np.ndarray:
    """(th1, th2, w1, w2)' of two rods, absolute angles from the x axis, by Lagrange; takes complex numbers."""
    (L1, L2), (m1, m2) = (1.0, 0.7), (2.0, 1.2)
    th1, th2, w1, w2 = x
    M = np.array(
        [
            [m1 * L1**2 / 3 + m2 * L1**2, m2 * L1 * L2 / 2 * np.cos(th1 - th2)],
            [m2 * L1 * L2 / 2 * np.cos(th1 - th2), m2 * L2**2 / 3 + 0 * th1],
        ]
    )
    s = m2 * L1 * L2 / 2 * np.sin(th1 - th2)
    f = [-s * w2**2 - (m1 / 2 + m2) * G * L1 * np.cos(th1), s * w1**2 - m2 * G * L2 / 2 * np.cos(th2)]
    return np.array([w1, w2, *np.linalg.solve(M, np.array(f))])


def moving_rods() -> jd.Mechanism:
    m = jd.Mechanism("rods", gravity=(0, -G))
    end, at, speed = m.ground.point("O", (0, 0)), np.zeros(2), np.zeros(2)
    for k, (L, mass, th, w) in enumerate(((1.0, 2.0, -0.4, 1.5), (0.7, 1.2, 0.9, -2.5))):
        along = L * np.array([np.cos(th), np.sin(th)])
        across = w * np.array([-along[1], along[0]])
        rod = m.body(
            f"rod{k + 1}",
            mass=mass,
            inertia=mass * L**2 / 12,
            position=at + along / 2,
            angle=th,
            velocity=speed + across / 2,
            spin=w,
            points={"a": (-L / 2, 0), "b": (L / 2, 0)},
        )
        m.revolute(f"J{k + 1}", end, rod["a"])
        end, at, speed = rod["b"], at + along, speed + across
    return m


def test_a_swinging_double_pendulum_against_its_explicit_equations() -> None:
    s = jd.linearise(moving_rods(), "start")
    assert s.states == ("rod1.angle", "rod2.angle", "rod1.spin", "rod2.spin")
    x = np.array([-0.4, 0.9, 1.5, -2.5])
    exact = np.array([double_pendulum_rate(x + 1e-30j * e).imag / 1e-30 for e in np.eye(4)]).T
    np.testing.assert_allclose(s.A, exact, rtol=1e-10, atol=1e-10)


def test_coordinates_by_name_give_the_same_system() -> None:
    """Relative angles and places are other coordinates of the same motion: eigenvalues and outputs agree."""
    plain = jd.linearise(moving_rods(), outputs="J1.fx")
    for names in (["J1.angle", "J2.angle"], ["rod1.b.x", "rod2.b.x"], ["rod2.angle", "rod2.x"]):
        other = jd.linearise(moving_rods(), outputs="J1.fx", coordinates=names)
        assert other.states[:2] == tuple(names)
        assert np.sort(other.eigenvalues.imag) == pytest.approx(np.sort(plain.eigenvalues.imag), rel=1e-9)
    moving = jd.linearise(moving_rods(), "start", coordinates=["J1.angle", "J2.angle"])
    T = np.array([[1, 0], [-1, 1]])  # relative from absolute angles
    T = np.block([[T, 0 * T], [0 * T, T]])
    absolute = jd.linearise(moving_rods(), "start")
    np.testing.assert_allclose(moving.A, T @ absolute.A @ np.linalg.inv(T), rtol=1e-9, atol=1e-9)


def test_a_tumbling_top_against_neighbouring_runs() -> None:
    """x' of the difference of two runs is A x, in small rotations about fixed axes; here by differences in time."""
    m = jd.example("heavy_top")
    run = jd.simulate(m, 0.4, every=0.1, rtol=1e-13)
    s = jd.linearise(m, run, t=0.2)
    rng = np.random.default_rng(1)
    start, h, size = run.state(2), 1e-3, 1e-5
    turn, rate = rng.normal(size=3), rng.normal(size=3)
    sides = []
    for sign in (1, -1):
        times = [0.2, 0.2 + h, 0.2 + 2 * h]
        sides.append(jd.simulate(m, times=times, state=_tilted(start, sign * size, turn, rate), rtol=1e-13))
    base = jd.simulate(m, times=[0.2, 0.2 + h, 0.2 + 2 * h], state=start, rtol=1e-13)
    x = np.array([(_relative(sides[0], base, k) - _relative(sides[1], base, k)) / (2 * size) for k in range(3)])
    slope = (-3 * x[0] + 4 * x[1] - x[2]) / (2 * h)  # of the three rotations and their rates
    scale = np.max(np.abs(s.A @ x[0]))
    assert slope == pytest.approx(s.A @ x[0], abs=1e-3 * scale)  # third derivatives times h^2, some 1e3 1e-6


def _tilted(state, size, turn, rate):
    """The top turned about its tip by size * turn, its spin in fixed axes changed by size * rate."""
    from scipy.spatial.transform import Rotation

    from jourdain.model.states import BodyState

    top = state["top"]
    w, x, y, z = top.attitude
    R = Rotation.from_rotvec(size * turn) * Rotation.from_quat([x, y, z, w])
    x, y, z, w = R.as_quat()
    position = Rotation.from_rotvec(size * turn).apply(top.position)
    spin = np.array(top.spin) + size * rate
    velocity = np.cross(spin, position)
    return {**state, "top": BodyState(tuple(position), (w, x, y, z), tuple(velocity), tuple(spin))}


def _relative(run, base, k):
    """Rotation vector from the base run to the other, and its rate w' = dw + w0 x a, at sample k."""
    R = run.motion.frame[k, 0] @ base.motion.frame[k, 0].T
    a = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    w, w0 = run.motion.spin[k, 0], base.motion.spin[k, 0]
    return np.concatenate([a, w - w0 + np.cross(w0, a)])


def test_elements_have_states_and_inputs_reach_them() -> None:
    m = pendulum(-np.pi / 2)
    m.parameter("u", 0.0)
    m.first_order("lag", input="u", time_constant=0.2, gain=3)
    m.actuator("motor", joint="A", motor="lag.output")
    s = jd.linearise(m, inputs="u", outputs=["lag.output", "motor.torque"])
    assert s.states[2].startswith("lag.")
    assert s.A[1, 2] * s.C[0, 2] ** -1 == pytest.approx(1 / INERTIA, rel=1e-9)
    gain = s.D - s.C @ np.linalg.solve(s.A, s.B)  # at frequency zero
    assert gain[:, 0] == pytest.approx([3, 3], rel=1e-9)


def test_to_scipy_and_to_control() -> None:
    s = jd.linearise(pendulum(), inputs="A.torque", outputs=["rod.angle", "A.fx"])
    signal = s.to_scipy()
    transfer = signal.to_tf()
    assert transfer.den == pytest.approx([1, 0.3 / INERTIA, -s.A[1, 0]], rel=1e-9) and len(transfer.num) == 2
    control = pytest.importorskip("control")
    system = s.to_control()
    assert system.state_labels == ["rod_angle", "rod_spin"] and system.input_labels == ["A_torque"]
    assert control.poles(system) == pytest.approx(s.eigenvalues)


def test_without_python_control_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "control", None)
    s = jd.linearise(pendulum())
    with pytest.raises(jd.MissingLibraryError, match="to_control needs control, which is not installed here"):
        s.to_control()


# Refusals -----------------------------------------------------------------------------------------------------------


def test_all_wrong_names_are_told_at_once_with_the_nearest() -> None:
    with pytest.raises(jd.ChoiceError) as caught:
        jd.linearise(
            pendulum(),
            inputs=["A.torqu", "A.force", "rod.Q.fx", "rod.fz", "idle"],
            outputs=["rod.angel"],
            coordinates=["rod.agnle"],
        )
    text = str(caught.value)
    assert text.startswith("cannot linearise: ")
    for part in (
        "there is no input 'A.torqu'",
        "(did you mean 'A.torque'?)",
        "input 'A.force': a revolute joint has no displacement for it to act along",
        "input 'rod.Q.fx': body 'rod' has no point 'Q'; known: A, B",
        "input 'rod.fz': expected rod.fx, rod.fy, rod.mz or a force on a point, such as rod.POINT.fx",
        "input 'idle': no formula of the mechanism uses this parameter any more",
        "there is no output 'rod.angel'",
        "(did you mean 'rod.angle'?)",
        "coordinate 'rod.agnle' is no coordinate of the mechanism",
    ):
        assert part in text


def test_coordinates_that_do_not_fit_are_refused() -> None:
    with pytest.raises(jd.ChoiceError, match="1 coordinate named, and the mechanism has 2 freedoms; name as many"):
        jd.linearise(moving_rods(), coordinates="J1.angle")
    with pytest.raises(jd.ChoiceError, match=r"coordinates rod1.angle, J1.angle do not determine the pose"):
        jd.linearise(moving_rods(), coordinates=["rod1.angle", "J1.angle"])


def test_places_that_cannot_be_are_refused() -> None:
    m = pendulum()
    run = jd.simulate(m, 0.5)
    with pytest.raises(jd.ChoiceError, match=r"about is a run: say at which time, such as t=2.0"):
        jd.linearise(m, run)
    with pytest.raises(jd.ChoiceError, match=r"t is 3 s; the run goes from 0 to 0\.5 s"):
        jd.linearise(m, run, t=3)
    with pytest.raises(jd.ChoiceError, match="leave t out"):
        jd.linearise(m, jd.statics(m), t=1.0)
    with pytest.raises(
        jd.ChoiceError, match="about is int; expected equilibrium, start, an equilibrium, a state or a run"
    ):
        jd.linearise(m, 5)
    with pytest.raises(
        jd.ChoiceError, match=r"input 'wind': its direction is not fixed; name a component: wind\.fx, wind\.fy"
    ):
        m.force("wind", on=PortName("rod", "B"), vector=("sin(t)", 0))
        jd.linearise(m, inputs="wind")


def test_driven_joints_move_the_frame_of_the_linear_equations() -> None:
    """On a cart driven by x = 0.3 sin 5 t: I th'' = -m g L/2 cos th + m L/2 sin th x'' of a rod, at any time."""
    m = jd.Mechanism("cart", gravity=(0, -G))
    cart = m.body("cart", mass=1, inertia=1, position=(0, 0), points={"O": (0, 0)})
    points = {"A": (-0.5 * LENGTH, 0), "B": (0.5 * LENGTH, 0)}
    rod = m.body("rod", mass=MASS, inertia=MASS * LENGTH**2 / 12, position=(0, -0.5), angle=-np.pi / 2, points=points)
    m.prismatic("P", m.ground.point("O", (0, 0)), cart["O"])
    m.revolute("A", cart["O"], rod["A"])
    m.motion("drive", joint="P", displacement="0.3*sin(5*t)")
    run = jd.simulate(m, 0.5, every=0.1, rtol=1e-12)
    s = jd.linearise(m, run, t=0.3, outputs=["rod.angle", "drive.force"])
    th, push = s.outputs_there[0], -0.3 * 25 * np.sin(1.5)
    exact = 0.5 * MASS * LENGTH * (G * np.sin(th) + push * np.cos(th)) / INERTIA
    np.testing.assert_allclose(s.A, [[0, 1], [exact, 0]], rtol=1e-9, atol=1e-9)
    still = jd.linearise(m, "equilibrium", t=0.3)  # with the clock stopped the cart stands
    np.testing.assert_allclose(still.A, [[0, 1], [-0.5 * MASS * G * LENGTH / INERTIA, 0]], rtol=1e-11, atol=1e-11)
