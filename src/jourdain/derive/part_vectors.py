"""Level `vectors` of what is no sum of scalar products: relations, motions, forces, elements, rolling joints, bodies.

Their equations are formulas over quantities s (angles, displacements, places); with f = C(s, t)

    C' = sum f_k s_k' + f_t,    gamma = -(sum f_kl s_k' s_l' + 2 sum f_kt s_k' + f_tt + sum f_k s_k''0)

and a quantity s is pushed by -f_k lam: along its direction at points, about it as a couple on axes (theory, effort).
"""

from __future__ import annotations

from typing import Any

from ..equations.formula import Formula, FormulaError, leaf
from ..equations.lowered import Lowered
from .formula_ink import ink_of
from .ink import Ink, Pairing, Relation, Symbol, added, multiplied
from .sheet import Section, Sheet
from .symbolic_rates import ONE, by, derivative, is_zero
from .written_names import channel_ink


def part_ink(f: Formula) -> Any:
    return ink_of(f, _leaf)


def _leaf(key: Any) -> Any:
    if isinstance(key, tuple) and key and key[0] == "d":
        return channel_ink(key[1], 1)
    if isinstance(key, tuple) and key and key[0] == "symbol":
        _, name, k, order = key
        head, _, side = name.partition("_")
        return Symbol(head, f"{side + ',' if side else ''}{'xyz'[k]}", order)
    if isinstance(key, tuple) and key and key[0] == "axis":
        return Symbol(key[3][0], f"{key[3][-1]},{'xyz'[key[4]]}", key[5])
    if isinstance(key, tuple) and key and key[0] == "at":
        return Symbol("r", f"{key[1]},{'xyz'[key[3]]}", key[4])
    return channel_ink(key)


def _rate(key: Any) -> Formula | None:
    if isinstance(key, tuple) and key[0] == "d":
        return None
    if isinstance(key, tuple) and key[0] in ("symbol", "at", "axis"):
        return leaf((*key[:-1], key[-1] + 1))
    return leaf(("d", key)) if "." in str(key) else None


def write_part(document: Sheet, name: str, part: Lowered) -> None:
    """All that a component consists of."""
    section = document.section("What it is made of")
    for k, equation in enumerate(part.equations, 1):
        write_equation(section, k, equation)
    efforts = efforts_of(part)
    for k, (along, size) in enumerate(efforts, 1):
        index = str(k) if len(efforts) > 1 else ""
        section.line(Relation(Symbol("s", index), along), "what it acts along")
        section.line(Relation(Symbol("f", index), size), "theory, effort: Q = f ds/dq")
    for load in part.loads:
        for c, f in zip("xyz", load.vector, strict=False):
            section.line(Relation(Symbol("F", f"{c},{load.body}"), part_ink(f)), "force at its point, fixed axes")
    for couple in part.couples:
        axes = "z" if len(couple.vector) == 1 else "xyz"
        for c, f in zip(axes, couple.vector, strict=True):
            section.line(Relation(Symbol("T", f"{c},{couple.body}"), part_ink(f)), "couple on the body, fixed axes")
    for state, start, rate in part.states:
        section.line(Relation(Symbol(state, name, 1), part_ink(rate)), f"a state, {start:g} at the start")
    used = _quantities(part)
    if used:
        _write_quantities(document.section("Quantities"), used)


def efforts_of(part: Lowered) -> list[tuple[Ink, Ink]]:
    """What it acts along, and how hard: all that acts along the same together."""
    found: dict[str, tuple[Ink, list[tuple[int, Ink]]]] = {}
    for effort in part.efforts:
        along = part_ink(effort.along)
        found.setdefault(along.text(), (along, []))[1].append((1, part_ink(effort.magnitude)))
    return [(along, added(sizes)) for along, sizes in found.values()]


def write_equation(section: Section, k: int, equation: Any) -> None:
    """C, C' and gamma of a formula over quantities."""
    f, index = equation.formula, str(k)
    kind = "a rate that must be zero" if equation.velocity else "must be zero"
    section.line(
        Relation(Symbol("C", index, 1 if equation.velocity else 0), part_ink(f)), f"{equation.meaning}: {kind}"
    )
    try:
        first = derivative(f, _rate, ONE)
    except FormulaError as error:
        section.say(f"Its rates are not written down: {error}.")
        return
    if not equation.velocity:
        section.line(Relation(Symbol("C", index, 1), part_ink(first)), "theory, tape-row")
    if equation.floating:
        section.say("It holds the value that the assembled pose gives it: a phase is taken off.")
    channels = [key for key in f.quantities() if isinstance(key, str) and "." in key]
    for key in channels:
        slope = by(f, key)
        if not is_zero(slope):
            load = added([(-1, multiplied(part_ink(slope).within(2), Symbol("lambda", index)))])
            section.line(Relation(Symbol("f", channel_ink(key).text()), load), "what it exerts along that quantity")


def _quantities(part: Lowered) -> list[str]:
    formulas = [e.formula for e in part.equations] + [f for e in part.efforts for f in (e.along, e.magnitude)]
    found = [key for f in formulas for key in f.quantities() if isinstance(key, str) and "." in key]
    return list(dict.fromkeys(found))


def _write_quantities(section: Section, names: list[str]) -> None:
    x_i, y_i, x_j, z_i = (Symbol(c, s, vector=True) for c, s in (("x", "i"), ("y", "i"), ("x", "j"), ("z", "i")))
    w_i, w_j, MN = Symbol("omega", "i", vector=True), Symbol("omega", "j", vector=True), Symbol("MN", vector=True)
    for name in names:
        what = name.rpartition(".")[2]
        ink = channel_ink(name)
        if what == "angle":
            section.line(
                Relation(Symbol("tan"), Pairing(x_j, y_i, "."), f"({ink.text()}) x_j·x_i ="),
                "unwrapped: turns are counted",
            )
            turning = Pairing(z_i, added([(1, w_j), (-1, w_i)]), ".")
            section.line(Relation(channel_ink(name, 1), turning), "about z_i; in the plane the difference of spins")
        elif what == "displacement":
            section.line(Relation(ink, Pairing(MN, x_i, ".")), "in space along z_i")


def write_body(document: Sheet, name: str, dim: int, ports: Any) -> None:
    """Newton and Euler, with the forces of all ports."""
    section = document.section("Equations of motion")
    m, I = Symbol("m", name), Symbol("I", name)
    a, w, dw = Symbol("A", "G", vector=True), Symbol("omega", vector=True), Symbol("omega", dots=1, vector=True)
    F, C, r = (Symbol(x, "k", vector=True) for x in ("F", "C", "r"))
    g = Symbol("g", vector=True)
    force = added([(1, multiplied(m, g)), (1, multiplied(Symbol("Σ"), F))])
    section.line(Relation(multiplied(m, a), force), "Marquis-Favre 5")
    turning: Any = multiplied(I, dw)
    if dim == 3:
        turning = added([(1, turning), (1, Pairing(w, multiplied(I, w), "x"))])
    couple = multiplied(Symbol("Σ"), added([(1, C), (1, Pairing(r, F, "x"))]))
    section.line(Relation(turning, couple), "Marquis-Favre 9, sums over ports 18")
    section.say(f"Ports k of {name}: {', '.join(ports) or 'none'}; r from the mass centre G to the port.")
