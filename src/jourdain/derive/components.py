"""Level `components`: rows, masses and forces in a coordinate set, with abbreviations printed once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..equations.formula import Formula
from .formula_ink import Abbreviations
from .ink import ZERO as _ZERO
from .ink import Ink, Matrix, Relation, Symbol
from .machine_formulas import MachineFormulas, RowFormulas
from .sheet import Sheet, Table
from .symbolic_rates import is_zero
from .written_names import Names, given_ink

MATRIX_FITS = 7  # columns of a matrix that is printed as one
LONGEST = 85  # characters of its columns side by side


def write_components(
    document: Sheet, machine: MachineFormulas, owners: Iterable[str] | None = None, whole: bool = False
) -> None:
    """Rows of these owners (default: all); with `whole` masses and forces too."""
    names = Names(machine.evaluator)
    wanted = None if owners is None else set(owners)
    rows = [(k, row) for k, row in enumerate(machine.rows, 1) if wanted is None or row.owner in wanted]
    forces = {n: f for n, f in machine.forces.items() if wanted is None or n in wanted}
    formulas: list[Formula] = [f for _, row in rows for f in (row.C, *row.J.values(), row.gamma)]
    formulas += [f for part in forces.values() for f in part.values()]
    if whole:
        formulas += [*machine.set.M.values(), *machine.set.bias.values()]
    short = Abbreviations(formulas, names, names.angle)
    write_names(document, machine, short)
    for owner in dict.fromkeys(row.owner for _, row in rows):
        section = document.section(f"Equations of {owner}")
        for k, row in rows:
            if row.owner == owner:
                _write_row(section, k, row, names, short)
    if whole:
        _write_masses(document, machine, names, short)
    for name, part in forces.items():
        section = document.section(f"Forces of {name}")
        for n, f in sorted(part.items()):
            if not is_zero(f):
                section.line(Relation(_indexed("Q", names.q_or_v(n)), short(f)), "theory, motion")


def _indexed(head: str, of: Ink) -> Ink:
    return Symbol(head, of.text())


def write_names(document: Sheet, machine: MachineFormulas, short: Abbreviations) -> None:
    if used := short.constants:
        section = document.section("Constants")
        rows = tuple((given_ink(name), f"{machine.given.values[name]:.12g}") for name in used)
        section.items.append(Table(("constant", "value (SI)"), rows))
    if short.lines:
        section = document.section("Abbreviations")
        for name, meaning in short.lines:
            section.line(Relation(name, meaning))


def _write_row(section: Any, k: int, row: RowFormulas, names: Names, short: Abbreviations) -> None:
    left = Symbol("C", str(k), dots=1) if row.velocity else Symbol("C", str(k))
    section.line(Relation(left, short(row.C)), row.meaning)
    for n, f in row.J.items():
        section.line(Relation(_indexed("J", Symbol(f"{k},{names.q_or_v(n).text()}")), short(f)), "theory, contraction")
    section.line(Relation(Symbol("gamma", str(k)), short(row.gamma)), "theory, gamma")


def _write_masses(document: Sheet, machine: MachineFormulas, names: Names, short: Abbreviations) -> None:
    section = document.section("Masses")
    at = machine.evaluator.model.layout
    blocks = [slice(0, machine.evaluator.model.nv)] if machine.evaluator.model.set.joined else list(at.moves_of)
    labels = ["M"] if machine.evaluator.model.set.joined else list(at.owners)
    for label, part in zip(labels, blocks, strict=True):
        places = range(part.start, part.stop)
        cells = [[short(machine.set.M[k, l]) if (k, l) in machine.set.M else _ZERO for l in places] for k in places]
        width = sum(max(len(cell.text()) for cell in column) + 2 for column in zip(*cells, strict=True))
        if cells and len(places) <= MATRIX_FITS and width <= LONGEST:
            section.line(Relation(Symbol("M", "" if label == "M" else label), Matrix(tuple(map(tuple, cells)))))
            continue
        for k in places:
            for l in range(part.start, k + 1):
                f = machine.set.M.get((k, l))
                if f is not None and not is_zero(f):
                    index = f"{names.q_or_v(k).text()},{names.q_or_v(l).text()}"
                    section.line(Relation(Symbol("M", index), short(f)))
    for n, f in sorted(machine.set.bias.items()):
        if not is_zero(f):
            section.line(Relation(_indexed("bias", names.q_or_v(n)), short(f)), "theory, motion, with bias beside Q")
