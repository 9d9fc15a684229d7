"""One random machine in one analysis, against a calculation that shares nothing with it but the blueprint.

Each trial returns how far off the analysis is, of the range of what is compared, and in what; None where the machine
has nothing to analyse, with the reason. What is refused raises a JourdainError.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

import jourdain as jd
from judging import APART, AT, TINY, differences, grid, most, unbalanced, unideal
from plain_model import PlainModel
from random_machines import driven_machine, still_machine

Array = npt.NDArray[Any]
Verdict = tuple[float | None, str]

DURATION, MOMENTS = 0.6, 12
SINGULAR = 1e-4  # of the largest, the least singular value of all rows: nearer to a singular position is told apart


def kinematics(seed: int) -> Verdict:
    """Closure in plain numpy, driven coordinates, and rates by differences of positions and of velocities."""
    machine = driven_machine(seed)
    times = grid(DURATION, MOMENTS)
    run = jd.kinematics(machine.m, times=times)
    if not run.status.ok:
        return None, f"stopped: {run.status.sentence.splitlines()[0]}"
    if (near := _conditioning(run)) < SINGULAR:
        return None, f"singular: {near:.1e}"
    return max(_closed(run), _as_driven(machine, run), _rates(run))


def inverse_dynamics(seed: int) -> Verdict:
    """Newton and Euler for every body, with rates by differences, reactions that do no work, and efforts as told."""
    machine = driven_machine(seed)
    run = jd.inverse_dynamics(machine.m, times=grid(DURATION, MOMENTS))
    if not run.status.ok:
        return None, f"stopped: {run.status.sentence.splitlines()[0]}"
    if (near := _conditioning(run)) < SINGULAR:
        return None, f"singular: {near:.1e}"
    use = np.ones(MOMENTS, dtype=bool)
    return max(unbalanced(machine, run, use), unideal(run), _as_driven(machine, run))


def statics(seed: int) -> Verdict:
    """Closed, every body in balance under its loads and ideal reactions, and as stable as energy in numpy says."""
    machine = still_machine(seed)
    found = jd.statics(machine.m)
    plain = PlainModel(found.solution)
    zero = np.zeros(plain.n)
    J, gradient = plain.jacobian(zero), plain.gradient(plain.potential, zero)
    closed = float(np.max(np.abs(plain.residual(zero)), initial=0.0)), "closure"
    multipliers = np.linalg.lstsq(J.T, -gradient, rcond=1e-10)[0] if J.size else np.zeros(0)
    loads = TINY + np.max(np.abs(gradient)) + np.max(np.abs(J.T * multipliers), initial=0.0)
    off = float(np.max(np.abs(gradient + J.T @ multipliers if J.size else gradient))) / loads, "balance"
    values, _ = _eigenvalues(plain, multipliers)
    least = float(
        np.max(values.real, initial=-np.inf)
    )  # of s in exp(s t): undamped, so growth means a negative stiffness
    growing = least > 1e-4 * np.max(np.abs(values), initial=1.0)
    if growing and found.stability == "stable":
        return 1.0, f"said to be stable, grows by {least:.2g} 1/s"
    return max(closed, off, unideal(found.solution))


def modes(seed: int) -> Verdict:
    """Eigenvalues of masses, stiffness and damping in plain numpy, along the null space of the closure equations."""
    machine = still_machine(seed)
    try:
        found = jd.modes(machine.m)
    except jd.EquilibriumError as error:
        return None, f"no equilibrium: {str(error).splitlines()[0]}"
    plain = PlainModel(jd.statics(machine.m).solution)
    zero = np.zeros(plain.n)
    J = plain.jacobian(zero)
    gradient = plain.gradient(plain.potential, zero)
    multipliers = np.linalg.lstsq(J.T, -gradient, rcond=1e-10)[0] if J.size else np.zeros(0)
    wanted, near = _eigenvalues(plain, multipliers)
    if near < SINGULAR:
        return None, f"singular: {near:.1e}"
    given = [value for mode in found for value in _pair(mode)]
    largest = float(np.max(np.abs(wanted), initial=1e-9))
    off = 0.0
    for value in given:  # a double eigenvalue is as uncertain as the root of what the matrix is
        off = max(off, float(np.min(np.abs(wanted - value))) / largest)
    for value in wanted:
        off = max(off, float(np.min(np.abs(np.array(given) - value), initial=np.inf)) / largest)
    return off, f"eigenvalues, of {largest:.3g} 1/s"


def sensitivity(seed: int) -> Verdict:
    """Differences of whole runs at a tolerance of 1e-12, of fourth order, for a mass, a stiffness and a place."""
    machine = still_machine(seed, 6)
    blueprint = machine.m.frozen()
    rng = np.random.default_rng([seed, 22])
    body = str(rng.choice([body.name for body in blueprint.bodies]))
    names = [
        f"{body}.mass",
        "spring0.stiffness",
        f"{body}.push.x" if body == machine.forces[0][0] else "spring0.damping",
    ]
    channels = [f"{body}.x", f"{body}.vy", *(f"{joint.name}.fx" for joint in blueprint.joints[:1])]
    times = np.linspace(0.0, DURATION, 13)
    found = jd.sensitivity(machine.m, names, channels, times=times)
    numbers = {name: _number(blueprint, name) for name in names}
    worst = (0.0, "")
    for name in names:
        value = numbers[name]
        h = 1e-3 * max(abs(value), 0.1)
        steps = [value + k * h for k in (-2, -1, 1, 2)]
        many = jd.simulate_many(machine.m, variants={name: steps}, times=times, rtol=1e-12, progress=False)
        if not all(many[k].status.ok for k in range(4)):
            return None, "stopped beside"
        for channel in channels:
            a, b, c, d = (many[k][channel] for k in range(4))
            wanted = (a - 8 * b + 8 * c - d) / (12 * h)
            # Differences are no better than 1e-10 of the channel over h: 1e-5 of a hundredth of it over the number.
            scale = max(most(wanted), 1e-5 * most(many[1][channel]) / h, 1e-6)
            worst = max(worst, (most(found[channel, name] - wanted) / scale, f"{channel} by {name}"))
    return worst


def _number(blueprint: Any, name: str) -> float:
    owner, _, rest = name.partition(".")
    if rest == "mass":
        return float(blueprint.body(owner).mass)
    if rest.endswith(".x"):
        return float(blueprint.body(owner).ports[rest[:-2]].at[0])
    return float(getattr(next(force for force in blueprint.forces if force.name == owner), rest))


def _pair(mode: Any) -> tuple[complex, ...]:
    value = complex(mode.eigenvalue)
    return (value, value.conjugate()) if value.imag else (value,)


def _eigenvalues(plain: PlainModel, multipliers: Array) -> tuple[Array, float]:
    """Of the motion beside an equilibrium, and the distance to a singular position."""
    J = plain.jacobian(np.zeros(plain.n))
    if J.size:
        _, sizes, rows = np.linalg.svd(J)
        rank = int(np.sum(sizes > 1e-8 * sizes[0]))
        basis, near = rows[rank:].T, float(sizes[rank - 1] / sizes[0])
    else:
        basis, near = np.eye(plain.n), 1.0
    M, D = (basis.T @ A @ basis for A in (plain.mass(), plain.damping()))
    K, n = plain.stiffness(multipliers, basis), len(M)
    first = np.linalg.solve(M, np.hstack([K, D]))
    whole = np.block([[np.zeros((n, n)), np.eye(n)], [-first[:, :n], -first[:, n:]]])
    return np.linalg.eigvals(whole), near


# Of a path ------------------------------------------------------------------------------------------------------------


def _conditioning(run: Any) -> float:
    """Of closure and drives together, at some moments."""
    least = 1.0
    for sample in range(0, run.t.size, 7):
        plain = PlainModel(run, sample)
        rows = [plain.jacobian(np.zeros(plain.n))]
        for motion in run.blueprint.motions:
            rows.append(_drive_row(plain, run.blueprint.joint(motion.values["joint"]), "angle" in motion.values))
        sizes = np.linalg.svd(np.vstack(rows), compute_uv=False)
        least = min(least, float(sizes[-1] / sizes[0])) if sizes.size else least
    return least


def _drive_row(plain: PlainModel, joint: Any, turns: bool) -> Array:
    def value(q: Array) -> Any:
        (M, A), (N, B) = plain.port(q, joint.first), plain.port(q, joint.second)
        if not turns:
            return np.dot(N - M, A[:, 0 if plain.dim == 2 else 2])
        s, c = np.dot(B[:, 0], A[:, 1]), np.dot(B[:, 0], A[:, 0])
        return np.arctan(s / c) if abs(c) > abs(s) else -np.arctan(c / s)

    return plain.gradient(value, np.zeros(plain.n))[None]


def _closed(run: Any) -> Verdict:
    worst = 0.0
    for sample in range(run.t.size):
        plain = PlainModel(run, sample)
        worst = max(worst, float(np.max(np.abs(plain.residual(np.zeros(plain.n))), initial=0.0)))
    return worst, "closure"


def _as_driven(machine: Any, run: Any) -> Verdict:
    worst = (0.0, "drives")
    for name, (quantity, a, w) in machine.drives.items():
        found = run[f"{name}.{quantity}"]
        off = most(found - found[0] - a * np.sin(w * run.t))
        worst = max(worst, (off, f"{quantity} of {name}"))
    return worst


def _rates(run: Any) -> Verdict:
    """Velocities against differences of positions, accelerations against differences of velocities."""
    worst = (0.0, "rates")
    turned = (
        [("angle", "spin"), ("spin", "spin_rate")]
        if run.blueprint.dim == 2
        else [(f"w{k}", f"w{k}_rate") for k in "xyz"]
    )
    moved = [(f"{a}{k}", f"{b}{k}") for k in "xyz"[: run.blueprint.dim] for a, b in (("", "v"), ("v", "a"))]
    for body in run.blueprint.bodies:
        for of, rate in (*moved, *turned):
            wanted = differences(run[f"{body.name}.{of}"][:, None])[:, 0] / APART[0]
            given = run[f"{body.name}.{rate}"]
            scale = max(most(given), 1e-2)
            worst = max(worst, (most(given[AT] - wanted) / scale, f"{body.name}.{rate}"))
    return worst


TRIALS = {
    "kinematics": kinematics,
    "inverse-dynamics": inverse_dynamics,
    "statics": statics,
    "modes": modes,
    "sensitivity": sensitivity,
}
# How far off is wrong. Kinematics and inverse dynamics: differences over 1e-3 s of what rounds to 1e-15, and closure to
# 1e-10; statics: the residual that it stops at; modes: roots of a double eigenvalue; sensitivity: rtol 1e-9 of a run
# whose differences are good to 1e-12/1e-3.
ALLOWED = {"kinematics": 1e-7, "inverse-dynamics": 1e-7, "statics": 1e-7, "modes": 1e-5, "sensitivity": 1e-5}


def survey(name: str, first: int, count: int) -> tuple[int, Counter[str], int]:
    """Machines until so many were judged: how many were right, what stood apart and why, how many were wrong."""
    right, wrong, apart, seed = 0, 0, Counter[str](), first
    warnings.simplefilter("ignore", jd.SimulationWarning)
    while right + wrong < count:
        try:
            off, words = TRIALS[name](seed)
        except jd.JourdainError as error:
            off, words = None, f"refused: {error}"
        except Exception as error:  # noqa: BLE001  (it is what is looked for)
            off, words = np.inf, f"traceback: {type(error).__name__}: {error}"
        if off is None:
            apart[words.split(":")[0]] += 1
        right += off is not None and off <= ALLOWED[name]
        wrong += off is not None and not off <= ALLOWED[name]
        verdict = "apart" if off is None else "right" if off <= ALLOWED[name] else "WRONG"
        said = words if off is None else f"{off:.1e} in {words}"
        sys.stdout.write(f"machine {seed}: {verdict}; {said}\n")
        sys.stdout.flush()
        seed += 1
    return right, apart, wrong
