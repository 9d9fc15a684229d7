"""Level `blocks`: a mechanism as named blocks M, J, gamma, Q, with a picture of what is where, and how it is solved."""

from __future__ import annotations

from typing import Any

from .. import library
from ..analysis.graph import graph
from ..library.mechanism_faults import joint_entries
from ..mechanism.parts import GROUND
from .grid import Grid
from .ink import Raised, Relation, Symbol, added, multiplied
from .joint_vectors import PAPER, rows_of_joint
from .machine_formulas import MachineFormulas
from .part_vectors import efforts_of, write_equation
from .set_lines import jacobian_lines, set_lines
from .sheet import Drawing, Section, Sheet
from .symbolic_rates import is_zero
from .treatment_lines import write_treatment
from .vector_terms import JointRow, signed


def write_blocks(document: Sheet, machine: MachineFormulas, treatment: str) -> None:
    e, b = machine.evaluator, machine.blueprint
    section = document.section("The equations")
    section.say(
        f"{len(e.coordinates)} velocities in coordinates {e.model.coordinates}, {len(e.rows)} rows. In the house sign:"
    )
    M, J, lam = Symbol("M"), Symbol("J"), Symbol("lambda")
    right = added([(1, Symbol("Q")), (1, Symbol("bias")), (-1, multiplied(Raised(J, "T"), lam))])
    section.line(Relation(multiplied(M, Symbol("v", dots=1)), right), "theory, motion")
    section.line(Relation(multiplied(J, Symbol("v", dots=1)), Symbol("gamma")), "theory, gamma")
    document.section("Where blocks are").items.append(_picture(machine))
    shown = document.section("Graph and cuts")
    shown.items.append(Drawing(tuple(str(graph(b)).splitlines())))
    definitions = document.section("Blocks of bodies and joints")
    for ink, source in [*set_lines(e.model.set), *jacobian_lines(e.model.set.joined)]:
        definitions.line(ink, source)
    if e.sequences and len(set(e.sequences)) > 1:
        names = ", ".join(f"{n} {s}" for n, s in zip(e.model.layout.owners, e.sequences, strict=True))
        definitions.say(f"Sequences of angles at the start: {names}.")
    for meaning in e.model.set.intrinsic:
        definitions.say(f"Each body has the row of its own: {meaning}.")
    _write_joints(document, machine)
    _write_forces(document, machine)
    solved = document.section(f"How it is solved: {treatment}")
    write_treatment(solved, treatment)


def _picture(machine: MachineFormulas) -> Grid:
    """Bodies (or joint coordinates) by bodies: M where there is mass; below, owners of rows: # where J has a block."""
    e = machine.evaluator
    model, at = e.model, e.model.layout
    columns = list(at.owners) if not model.set.joined else list(e.coordinates)
    places: list[Any] = list(at.moves_of) if not model.set.joined else [slice(k, k + 1) for k in range(model.nv)]
    column_of = {n: k for k, part in enumerate(places) for n in range(part.start, part.stop)}
    mass: dict[int, set[int]] = {}
    for (k, l), f in machine.set.M.items():
        if not is_zero(f):
            mass.setdefault(column_of[k], set()).add(column_of[l])
    held: dict[str, set[int]] = {}
    for row in machine.rows:
        held.setdefault(row.owner, set()).update(column_of[n] for n in row.J)
    n = len(columns)
    cells = ["".join("M" if k in mass.get(r, ()) else "." for k in range(n)) for r in range(n)]
    cells += ["".join("#" if k in present else "." for k in range(n)) for present in held.values()]
    return Grid((*(f"M {name}" for name in columns), *held), tuple(columns), tuple(cells))


def _write_joints(document: Sheet, machine: MachineFormulas) -> None:
    """Joints of one kind together: their lines are the same but for names."""
    b, model = machine.blueprint, machine.evaluator.model
    carried = model.tree.joints if model.set.joined else frozenset()
    groups: dict[Any, tuple[list[str], Any]] = {}
    for joint, entry in zip(b.joints, joint_entries(b), strict=True):
        if joint.name in model.off or joint.name in carried:
            continue
        rows = rows_of_joint(entry)
        key = joint.type, tuple(row.C.ink().text() for row in rows), len(entry.formulas)
        groups.setdefault(key, ([], entry))[0].append(_between(joint))
    for (kind, *_), (names, entry) in groups.items():
        section = document.section(f"Rows of {kind}")
        section.say(f"Of {', '.join(names)}.")
        rows = rows_of_joint(entry)
        for k, row in enumerate(rows, 1):
            _write_row(section, k, row)
        for k, equation in enumerate(entry.formulas, len(rows) + 1):
            write_equation(section, k, equation)
    if carried:
        document.section("Joints of the tree").say(f"In the coordinates, without rows: {', '.join(sorted(carried))}.")
    for name, part in machine.parts.items():
        if part.equations and name not in model.off:
            section = document.section(f"Row of {name}")
            for k, equation in enumerate(part.equations, 1):
                write_equation(section, k, equation)


def _between(joint: Any) -> str:
    ends = [p.body for p in (joint.first, joint.second)]
    return f"{joint.name} ({' - '.join('ground' if e == GROUND else e for e in ends)})"


def _write_row(section: Section, k: int, row: JointRow) -> None:
    section.line(Relation(Symbol("C", str(k)), row.C.ink()), f"{PAPER} 13: {row.meaning}")
    for name in ("OM", "ON", *(f"{a}_{s}" for s in "ij" for a in "xyz")):
        if gradient := row.gradient(name):
            plain = added([_term(c, v) for c, v in gradient])
            section.line(Relation(Symbol("f", f"{k},{name}", vector=True), plain), f"{PAPER} 14: gradient by {name}")
    section.line(Relation(Symbol("gamma", str(k)), row.gamma.ink()), f"{PAPER} 26")


def _term(c: Any, v: Any) -> Any:
    sign, factor = signed(c, None)
    return sign, multiplied(factor, v.ink())


def _write_forces(document: Sheet, machine: MachineFormulas) -> None:
    b = machine.blueprint
    section = document.section("Applied forces")
    acting = [name for name in machine.forces if name != "gravity"]
    words = f"Q is the sum over gravity{' and ' if acting else ''}{', '.join(acting)}, each by its gradient."
    section.say(words)
    for force in b.forces:
        if force.name not in machine.forces:
            continue
        for along, size in efforts_of(library.lowered(force, b)):
            section.line(Relation(Symbol("s", force.name), along), "acts along")
            section.line(Relation(Symbol("f", force.name), size), "theory, effort")
    for words in machine.problems:
        section.say(f"Not in these equations: {words}.")
    for words in machine.notes:
        section.say(f"{words[0].upper()}{words[1:]}.")
