"""A planar double pendulum, 10 s to an error of 1e-8 (a): adaptive methods, each at its loosest tolerance that does.

Two bars of 1 m and 1 kg, let go at rest. The reference is the equation of motion in two angles, derived by SymPy's
Kane's method and integrated by scipy's DOP853 at 3e-14; where SymPy is missing, Jourdain at 1e-13 stands in, and the
record says so. SymPy's code, compiled by Cython through PyDy and integrated by scipy, is a contender too.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import jourdain as jd
from harness import Contender, Sample, Target, compete, is_installed
from jourdain.mechanism.parts import Blueprint

G = 9.81
SECONDS = 10.0
ERROR = 1e-8
ANGLES = (-np.pi / 3, -np.pi / 4)
TOLERANCES = [10.0**-k for k in np.arange(6.0, 11.6, 0.5)]
OURS, OURS_TREE, EXUDYN = "Jourdain", "Jourdain tree", "Exudyn DOPRI5"


def double_pendulum(angles: tuple[float, float] = ANGLES, spins: tuple[float, float] = (0.0, 0.0)) -> Blueprint:
    m = jd.Mechanism("double pendulum", gravity=(0, -G))
    place, speed, port = np.zeros(2), np.zeros(2), m.ground.point("O", (0, 0))
    for k, (angle, spin) in enumerate(zip(angles, spins, strict=True)):
        along = np.array([np.cos(angle), np.sin(angle)])
        across = spin * np.array([-along[1], along[0]])
        motion = {"velocity": speed + across / 2, "spin": spin}
        body = m.body(
            f"bar{k}",
            mass=1,
            inertia=1 / 12,
            position=place + along / 2,
            angle=angle,
            points={"near": (-0.5, 0), "far": (0.5, 0)},
            **motion,
        )
        m.revolute(f"pin{k}", port, body["near"])
        place, speed, port = place + along, speed + across, body["far"]
    return m.frozen()


@functools.cache
def symbolic() -> Any:
    """Kane's equations of the two absolute angles: q, u, mass matrix and forcing; None without SymPy."""
    if not is_installed("sympy"):
        return None
    import sympy as sm
    from sympy.physics import mechanics as me

    q, u = me.dynamicsymbols("q:2"), me.dynamicsymbols("u:2")
    g = sm.Symbol("g")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    bodies, loads, pin = [], [], O
    for k in range(2):
        frame = N.orientnew(f"A{k}", "Axis", [q[k], N.z])
        frame.set_ang_vel(N, u[k] * N.z)
        centre, far = pin.locatenew(f"C{k}", frame.x / 2), pin.locatenew(f"E{k}", frame.x)
        for point in (centre, far):
            point.v2pt_theory(pin, N, frame)
        bodies.append(
            me.RigidBody(f"B{k}", centre, frame, sm.Integer(1), (me.inertia(frame, 0, 0, sm.Rational(1, 12)), centre))
        )
        loads.append((centre, -g * N.y))
        pin = far
    rates = [a.diff() - b for a, b in zip(q, u, strict=True)]
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates)
    kane.kanes_equations(bodies, loads)
    return kane, q, u, g


@functools.cache
def generated() -> tuple[Callable[..., Any], str] | None:
    """y' of the generated code, and what compiled it."""
    found = symbolic()
    if found is None:
        return None
    kane, q, u, g = found
    if is_installed("pydy"):
        try:
            from pydy.codegen.ode_function_generators import generate_ode_function

            system = (kane.forcing_full, q, u, [g])
            code = generate_ode_function(*system, mass_matrix=kane.mass_matrix_full, generator="cython")
            constants = np.array([G])
            code(np.array([*ANGLES, 0.0, 0.0]), 0.0, constants)
            return (lambda t, y: code(y, t, constants)), "PyDy Cython"
        except (ImportError, OSError, RuntimeError, ValueError, TypeError) as error:
            print(f"  PyDy's Cython cannot be used here ({type(error).__name__}); plain lambdify instead")
    import sympy as sm

    both = sm.lambdify([*q, *u, g], [kane.mass_matrix_full, kane.forcing_full], cse=True)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        M, f = both(*y, G)
        return np.linalg.solve(M, f)[:, 0]

    return rates, "lambdify"


def scipy_run(tolerance: float, duration: float = SECONDS) -> Sample:
    from scipy.integrate import solve_ivp

    made = generated()
    if made is None:
        raise RuntimeError("SymPy is not installed")
    start = np.array([*ANGLES, 0.0, 0.0])
    begun = time.perf_counter()
    found = solve_ivp(made[0], (0.0, duration), start, method="DOP853", rtol=tolerance, atol=tolerance)
    return Sample(time.perf_counter() - begun, 1, found.y[:2, -1])


def jourdain_run(m: Blueprint, tolerance: float, **how: Any) -> Sample:
    run = jd.simulate(m, SECONDS, every=SECONDS, rtol=tolerance, **how)
    return Sample(run.statistics.seconds, 1, np.array([run[f"bar{k}.angle"][-1] for k in range(2)]))


def tree_run(tree: Any, tolerance: float) -> Sample:
    """Joint coordinates; the whole call is timed, for there is no other clock."""
    begun = time.perf_counter()
    q = tree.simulate(SECONDS, every=SECONDS, rtol=tolerance).q[-1]
    seconds = time.perf_counter() - begun
    return Sample(seconds, 1, np.cumsum(q) + ANGLES[0] - tree.start.q[0])


def exudyn_run(tolerance: float) -> Sample:
    import peer_exudyn

    made = peer_exudyn.Pendulum([1.0, 1.0], [1.0, 1.0], [1 / 12] * 2, ANGLES, (0.0, 0.0), G)
    seconds, angles = made.dopri5(SECONDS, tolerance)
    return Sample(seconds, 1, angles)


def loosest(name: str, run: Callable[[float], Sample], reference: np.ndarray, ours: bool = False) -> Contender:
    """The contender at the loosest tolerance that keeps the error from there on."""
    chosen = TOLERANCES[-1]
    for tolerance in reversed(TOLERANCES):
        if not np.max(np.abs(run(tolerance).answer - reference)) <= ERROR:
            break
        chosen = tolerance
    return Contender(name, lambda: run(chosen), ERROR, f"tolerance {chosen:.1e}", ours)


def reference() -> tuple[np.ndarray, str]:
    if symbolic() is not None:
        return scipy_run(3e-14).answer, "SymPy and scipy at 3e-14"
    return jourdain_run(double_pendulum(), 1e-13).answer, "Jourdain at 1e-13, for SymPy is missing"


def run(full: bool, rounds: int) -> dict[str, Any]:
    import peer_exudyn

    m = double_pendulum()
    angles, source = reference()
    tree = jd.tree(m)
    contenders: list[Contender] = [
        loosest(OURS, lambda tol: jourdain_run(m, tol), angles, ours=True),
        loosest(OURS_TREE, lambda tol: tree_run(tree, tol), angles, ours=True),
    ]
    if peer_exudyn.library() is not None:
        contenders.append(loosest(EXUDYN, exudyn_run, angles))
    made = generated()
    if made is not None:
        contenders.append(loosest(f"SymPy, {made[1]}, scipy DOP853", scipy_run, angles))
    targets = [Target("a, to 1e-8", (OURS, OURS_TREE), (EXUDYN,), 3, 8)]
    title = f"a. Planar double pendulum, {SECONDS:g} s to {ERROR:g} rad (reference: {source})"
    return {"a": compete(title, "run", contenders, angles, targets, 2 * rounds)}
