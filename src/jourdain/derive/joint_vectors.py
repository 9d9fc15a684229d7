"""Level `vectors` of a joint: its equations, their rates, gamma, and force and couple at each port."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.matrices import Evaluator
from ..equations.vectors import Scalar
from ..library.joints import JointRows
from ..mechanism.parts import GROUND, Blueprint, Joint
from ..mechanism.port_axes import joint_axes
from .formula_ink import ink_of
from .ink import Relation, Symbol
from .kernel_check import Checked, Comparison, random_states
from .port_formulas import in_port_variables, port_ink, port_loads
from .sheet import Section, Sheet
from .trial import PortValues
from .vector_terms import JointRow, cross, sum_value, vector_sum

NOW, ONE = np.zeros(1), np.ones(1)
PAPER = "Marquis-Favre"
MENDED = f"{PAPER} 26; there θ''² stands for θ'², and mixed terms want velocities"
ACCELERATIONS = "With accelerations of points A and rates of spins; what remains without them is gamma."


def rows_of_joint(entry: JointRows) -> list[JointRow]:
    return [JointRow(s, meaning) for s, meaning in zip(entry.equations, entry.meanings, strict=True)]


def write_joint(document: Sheet, entry: JointRows, dim: int, place: str = "") -> None:
    """Sections of a joint's sums of scalar products."""
    rows = rows_of_joint(entry)
    suffix = f", {place}" if place else ""
    if rows:
        equations = document.section(f"Equations{suffix}")
        for k, row in enumerate(rows, 1):
            equations.line(Relation(Symbol("C", str(k)), row.C.ink()), f"{PAPER} 13: {row.meaning}")
        rates = document.section(f"Velocities{suffix}")
        for k, row in enumerate(rows, 1):
            rates.line(Relation(Symbol("C", str(k), dots=1), row.rate.ink()), f"{PAPER} 24")
        second = document.section(f"Accelerations{suffix}")
        second.say(ACCELERATIONS)
        for k, row in enumerate(rows, 1):
            second.line(
                Relation(Symbol("C", str(k), dots=2), row.acceleration.ink()), MENDED if k == 1 else f"{PAPER} 26"
            )
        for k, row in enumerate(rows, 1):
            second.line(Relation(Symbol("gamma", str(k)), row.gamma.ink()), "theory, gamma")
        _write_loads(document.section(f"Force and couple at the ports{suffix}"), rows)
        if dim == 2:
            _write_ports(document.section(f"In the variables of the ports{suffix}"), rows)
    if entry.signs:
        section = document.section(f"Must also hold{suffix}")
        for a, b in entry.signs:
            section.say(
                f"{a}·{b} > 0 excludes the pose in which {b} points against {a}: the equations hold there too, and "
                "Newton's method finds it as gladly."
            )


def _write_loads(section: Section, rows: list[JointRow]) -> None:
    section.say(
        "On the bodies, in the house sign: the force of a constraint is -dC/dq λ. The paper has the other sign of λ."
    )
    for side, point in (("i", "M"), ("j", "N")):
        forces = vector_sum([(k, row.force(side)) for k, row in enumerate(rows, 1)])
        couples = vector_sum([(k, row.couple(side)) for k, row in enumerate(rows, 1)])
        section.line(Relation(Symbol("F", side, vector=True), forces), f"{PAPER} 17, at {point}")
        section.line(Relation(Symbol("C", side, vector=True), couples), f"{PAPER} 17")


def _write_ports(section: Section, rows: list[JointRow]) -> None:
    section.say("x, y and angle θ of the port axes at M and N, as bodies pass them to joints; θ'² terms are kept.")
    for k, row in enumerate(rows, 1):
        for dots, (f, source) in enumerate(zip(in_port_variables(row.scalar), ("28", "29", "30"), strict=True)):
            section.line(Relation(Symbol("C", str(k), dots=dots), ink_of(f, port_ink)), f"{PAPER}, as {source}")
    for name, f in port_loads(rows).items():
        head, index = name.split("_")
        section.line(Relation(Symbol(head, index), ink_of(f, port_ink)), f"{PAPER}, as 22")


# Check -----------------------------------------------------------------------------------------------------------


def check_joint(blueprint: Blueprint, joint: Joint, entry: JointRows, evaluator: Evaluator, poses: int = 20) -> Checked:
    """Every line against J, gamma and C of the kernel, in coordinates whose velocities are twists."""
    rows = rows_of_joint(entry)
    listed = [k for k, row in enumerate(evaluator.model.rows) if row.joint == joint.name][: len(rows)]
    values = PortValues(evaluator, blueprint, joint, joint_axes(blueprint, joint))
    rng = np.random.default_rng(1)
    at = evaluator.model.layout
    states = random_states(evaluator, poses)
    times = np.array([t for t, _ in states])
    found = [evaluator.of(t, y) for t, y in states]
    accelerations, lam = rng.normal(size=(poses, evaluator.model.nv)), rng.normal(size=(poses, len(rows)))
    env = values.at(np.array([y for _, y in states]), accelerations)
    J = np.array([K.J[listed] for K in found])
    v = np.array([y[at.v] for _, y in states])
    C, gamma, partial = (np.array([getattr(K, name)[listed] for K in found]) for name in ("C", "gamma", "partial"))
    rate = np.einsum("pkn,pn->pk", J, v) + partial
    second = np.einsum("pkn,pn->pk", J, accelerations) - gamma
    compare = Comparison()
    for k, row in enumerate(rows):
        compare(f"C_{k + 1}", row.C.value(env, times), C[:, k])
        compare(f"C'_{k + 1}", row.rate.value(env, times), rate[:, k])
        compare(f"C''_{k + 1}", row.acceleration.value(env, times), second[:, k])
        compare(f"gamma_{k + 1}", row.gamma.value(env, times), gamma[:, k])
    loads = _port_loads(rows, lam, env, times)
    compare("port forces", _generalised(blueprint, joint, loads, env, at), -np.einsum("pkn,pk->pn", J, lam))
    if blueprint.dim == 2:
        _compare_ports(compare, rows, env, lam, times, (C, rate, second), loads)
    return Checked(poses, compare.worst, compare.lines)


def _port_loads(rows: list[JointRow], lam: Any, env: Any, times: Any) -> dict[str, Any]:
    """F and C at either port, by the vector lines."""
    found = {}
    for side in "ij":
        found[f"F{side}"] = sum_value([(lam[:, k], row.force(side)) for k, row in enumerate(rows)], env, times)
        found[f"C{side}"] = sum_value([(lam[:, k], row.couple(side)) for k, row in enumerate(rows)], env, times)
    return found


def _generalised(blueprint: Blueprint, joint: Joint, loads: Any, env: Any, at: Any) -> Any:
    """-J^T lam from forces and couples at the ports."""
    found = np.zeros((len(loads["Fi"]), sum(at.v_lengths)))
    for side, port in (("i", joint.first), ("j", joint.second)):
        if port.body == GROUND:
            continue
        F = loads[f"F{side}"]
        couple = loads[f"C{side}"] + cross(env[f"r_{side}"], F)
        part = at.moves_of[at.owners.index(port.body)]
        plane = np.concatenate([F[:, :2], couple[:, 2:]], axis=1)
        found[:, part] += plane if blueprint.dim == 2 else np.concatenate([F, couple], axis=1)
    return found


def _compare_ports(
    compare: Comparison, rows: list[JointRow], env: Any, lam: Any, times: Any, expected: Any, loads: Any
) -> None:
    """Lines in port variables, pose by pose."""
    equations, formulas = [in_port_variables(row.scalar) for row in rows], port_loads(rows)
    for n, t in enumerate(times):
        numbers = _port_numbers(env, lam, n)
        for row, lines in enumerate(equations):
            for k, f in enumerate(lines):
                compare(
                    f"C{k * chr(39)}_{row + 1} at the ports", [f(t, numbers.__getitem__)], expected[k][n, row : row + 1]
                )
        for side in "ij":
            mine = [formulas[f"{name}{side}"](t, numbers.__getitem__) for name in ("F_x", "F_y", "C_z")]
            compare("loads at the ports", mine, [*loads[f"F{side}"][n, :2], loads[f"C{side}"][n, 2]])


def _port_numbers(env: Any, lam: Any, n: int) -> dict[Any, float]:
    numbers: dict[Any, float] = {("lam", k + 1): float(x) for k, x in enumerate(lam[n])}
    for point, side in (("M", "i"), ("N", "j")):
        for order, name in enumerate((f"O{point}", f"V_{point}", f"A_{point}")):
            numbers["port", f"x_{point}", order], numbers["port", f"y_{point}", order] = env[name][n, :2]
        x = env[f"x_{side}"][n]
        numbers["port", f"theta_{point}", 0] = float(np.arctan2(x[1], x[0]))
        numbers["port", f"theta_{point}", 1] = env[f"w_{side}"][n, 2]
        numbers["port", f"theta_{point}", 2] = env[f"dw_{side}"][n, 2]
    return numbers


# Rank ------------------------------------------------------------------------------------------------------------


def rank_words(equations: Sequence[Scalar], dim: int) -> list[str]:
    """Where a joint of two ports loses rank, found at poses where that may be: points that meet, axes that agree."""
    rows = [JointRow(s, "") for s in equations]
    if not rows:
        return []
    rng = np.random.default_rng(3)
    words = []
    for met, aligned in ((True, True), (True, False), (False, True)):
        best = len(rows)
        closed = False
        for _ in range(4):
            env = _special(rng, dim, met, aligned)
            if max(abs(float(row.C.value(env, NOW)[0])) for row in rows) > 1e-12:
                continue
            closed = True
            best = min(best, _rank(rows, env, dim))
        if closed and best < len(rows):
            where = " and ".join(w for w, yes in (("M = N", met), ("parallel axes", aligned)) if yes)
            words.append(f"With {where} its {len(rows)} rows have rank {best}: some of them say the same there.")
            break
    return words or ["No loss of rank was found where points meet or axes agree."]


def _special(rng: np.random.Generator, dim: int, met: bool, aligned: bool) -> dict[str, Any]:
    def frame() -> Any:
        if dim == 2:
            a = rng.uniform(-3.0, 3.0)
            return np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
        return np.linalg.qr(rng.normal(size=(3, 3)))[0]

    first = frame()
    second = first if aligned else frame()
    env: dict[str, Any] = {f"e_{c}": np.eye(3)[k] for k, c in enumerate("xyz")}
    for side, R in (("i", first), ("j", second)):
        env |= {f"{c}_{side}": R[:, k] for k, c in enumerate("xyz")}
    env["OM"] = np.array([*rng.normal(size=dim), *[0.0] * (3 - dim)])
    slide = first[:, 0 if dim == 2 else 2]
    env["MN"] = np.zeros(3) if met else slide * rng.uniform(0.5, 1.0)
    env["ON"] = env["OM"] + env["MN"]
    return {name: vector[None] for name, vector in env.items()}


def _rank(rows: list[JointRow], env: Any, dim: int) -> int:
    """Of gradients by M, N and the two spins, about M and N."""
    J = []
    for row in rows:
        parts = []
        for side in "ij":
            F = sum_value([(ONE, row.force(side))], env, NOW)[0]
            C = sum_value([(ONE, row.couple(side))], env, NOW)[0]
            parts += [*F[:2], C[2]] if dim == 2 else [*F, *C]
        J.append(parts)
    return int(np.linalg.matrix_rank(np.array(J), tol=1e-9))
