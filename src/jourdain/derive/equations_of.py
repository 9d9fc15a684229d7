"""derive: the equations of a joint, a part, a set, a treatment or a mechanism, checked against the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from .. import library
from ..analysis.matrices import Evaluator
from ..assembly.prepare import prepare
from ..choices import COORDINATES, TREATMENTS, Coordinates, Natural, Treatment, coordinates_of
from ..equations.formula import FormulaError
from ..equations.parse import equation
from ..equations.vectors import EquationError, Scalar
from ..library.joints import BY_NAME, JointKind, kind_of
from ..library.joints.custom import CUSTOM
from ..library.joints.revolute import REVOLUTE
from ..library.joints.spherical import SPHERICAL
from ..library.mechanism_faults import joint_entries
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import ChoiceError
from ..mechanism.handles import BodyHandle
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, PLANAR, SPATIAL, Blueprint
from .blocks import write_blocks
from .components import write_components
from .derivation import Derivation
from .joint_vectors import check_joint, rank_words, write_joint
from .kernel_check import Checked, check_code
from .machine_formulas import MachineFormulas
from .minimal import BUDGET, derive_minimal
from .part_vectors import write_body, write_equation, write_part
from .python_code import python_code
from .sample_parts import PART, known_types, sample_of
from .set_check import check_set
from .set_lines import set_lines
from .sheet import Sheet
from .take_away import take_away
from .treatment_check import check_treatment
from .treatment_lines import LINES, write_treatment
from .trial import JOINT, trial_of, values_of

LEVELS = ("vectors", "components", "blocks", "minimal")
VECTORS, COMPONENTS, BLOCKS, MINIMAL = LEVELS


def derive(
    thing: Any,
    level: str | None = None,
    coordinates: str | Coordinates | None = None,
    *,
    part: str | None = None,
    treatment: str | Treatment | None = None,
    budget: float = BUDGET,
) -> Derivation:
    """The equations of a thing, to read, to check, to take away.

    `thing` is a mechanism (with `part` one of its joints, relations, motions, forces, elements or bodies), or a name of
    the catalogue: a joint kind, a type of relation or force, a coordinate set, a treatment; or vector equations of a
    joint of your own, such as `"dot(N - M, y_i)"`, one or a list of them. `level` is vectors, components, blocks or
    minimal; by default blocks for a mechanism, else vectors. `budget` are the seconds that the minimal form may take.
    """
    if not isinstance(budget, Real) or isinstance(budget, bool) or not budget > 0:
        raise ChoiceError(f"budget is {budget!r}; expected seconds, more than none", "budget")
    if level is not None and level not in LEVELS:
        raise ChoiceError(f"level is {level!r}; expected one of {', '.join(LEVELS)}", "level")
    if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], Mechanism | Blueprint):
        thing, part = thing
    if callable(joined := getattr(thing, "joined", None)):  # a system: the one mechanism it stands for
        thing = joined()
    if isinstance(thing, BodyHandle):
        thing, part = thing.owner, thing.name
    if isinstance(thing, Mechanism | Blueprint):
        return _of_mechanism(blueprint_of(thing), part, level, coordinates, treatment, budget)
    if part is not None:
        raise ChoiceError(f"part '{part}' is of a mechanism; give the mechanism too: derive(m, part='{part}')", "part")
    return _of_name(thing, level, coordinates)


# Mechanisms ------------------------------------------------------------------------------------------------------


def machine_of(
    blueprint: Blueprint, coordinates: str | Coordinates | None, drawn: bool = False
) -> tuple[MachineFormulas, Checked]:
    """Formulas of a mechanism, and the stand-alone functions made of them checked against the kernel."""
    machine = formulas_of(blueprint, coordinates, drawn)
    return machine, _checked(machine)


def formulas_of(blueprint: Blueprint, coordinates: str | Coordinates | None, drawn: bool) -> MachineFormulas:
    chosen = coordinates_of(blueprint.space, coordinates)
    if isinstance(chosen, Natural) and (chosen.cholesky or chosen.eliminate):
        words = f"{chosen} is natural coordinates in other numbers, which are not written down"
        raise ChoiceError(f"{words}; derive(.., coordinates='natural'), or ask jd.matrices", "coordinates")
    evaluator = Evaluator.drawn(blueprint, chosen) if drawn else Evaluator.assembled(prepare(blueprint, chosen))
    return MachineFormulas(blueprint, evaluator)


@dataclass(eq=False)
class Source:
    """The formulas of a mechanism for whoever takes them away; made again where they were left behind by pickling."""

    blueprint: Blueprint
    coordinates: str | Coordinates | None
    machine: MachineFormulas | None = None
    drawn: bool = False

    def __call__(self) -> MachineFormulas:
        if self.machine is None:
            self.machine = formulas_of(self.blueprint, self.coordinates, self.drawn)
        return self.machine

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "machine": None}


def _checked(machine: MachineFormulas) -> Checked:
    functions: dict[str, Any] = {}
    exec(compile(python_code(take_away(machine), ""), "<derived>", "exec"), functions)
    return check_code(machine, functions)


def _of_mechanism(
    b: Blueprint, part: str | None, level: str | None, coordinates: Any, treatment: Any, budget: float
) -> Derivation:
    if part is not None:
        return _of_part(b, part, level or VECTORS, coordinates)
    level = level or BLOCKS
    if treatment is not None and level != BLOCKS:
        raise ChoiceError(f"level {level} shows no treatment; blocks do", "treatment")
    machine, checked = machine_of(b, coordinates)
    source = Source(b, coordinates, machine)
    set_name = machine.evaluator.model.coordinates
    document = Sheet(f"{b.name}: {level} in coordinates {set_name}")
    if level == MINIMAL:
        found, sentence = derive_minimal(machine, document, budget)
        if found is not None:
            document.title = f"{b.name}: minimal form in joint coordinates"
            return Derivation(
                b.name, level, "relative", _told(document, found.checked), found.checked, source, found.objects
            )
        lower = Sheet(f"{b.name}: {BLOCKS} in coordinates {set_name}")
        lower.section("Minimal form").say(sentence)
        document, level = lower, BLOCKS
    if level == COMPONENTS:
        write_components(document, machine, whole=True)
    elif level == VECTORS:
        for joint, entry in zip(b.joints, joint_entries(b), strict=True):
            write_joint(document, entry, b.dim, f"{joint.type} {joint.name}")
            _write_formula_rows(document, entry)
            if entry.equations and not machine.evaluator.model.set.joined:
                evaluator = machine.evaluator if machine.evaluator.model.set.twists else Evaluator.drawn(b)
                check_joint(b, joint, entry, evaluator)
        for name, low in machine.parts.items():
            document.section(name)
            write_part(document, name, low)
    else:
        name = _treatment_name(machine, b, treatment)
        check_treatment(name, 2)
        write_blocks(document, machine, name)
    return Derivation(b.name, level, set_name, _told(document, checked), checked, source)


def _treatment_name(machine: MachineFormulas, b: Blueprint, treatment: Any) -> str:
    name = treatment.name if isinstance(treatment, Treatment) else treatment
    if machine.evaluator.model.set.joined:
        if name not in (None, "recursion"):
            raise ChoiceError(f"joint coordinates are solved by recursion, not by '{name}'", "treatment")
        return "recursion"
    if name == "recursion":
        raise ChoiceError("recursion goes with coordinates 'relative'", "treatment")
    name = name or b.defaults.get("treatment") or "kkt"
    if name not in LINES:
        raise ChoiceError(f"unknown treatment '{name}'; {nearest(str(name), LINES)}", "treatment")
    return str(name)


def _told(document: Sheet, checked: Checked) -> Sheet:
    document.section("Checked").say(f"{str(checked)[0].upper()}{str(checked)[1:]}.")
    return document


# Parts -----------------------------------------------------------------------------------------------------------


def _of_part(b: Blueprint, name: str, level: str, coordinates: Any, title: str = "", drawn: bool = False) -> Derivation:
    """One part; those of samples are not closed, only `drawn`."""
    components = {c.name: c for c in b.components} | {f.name: f for f in b.forces}
    known = [*b.joints_by_name, *components, *(body.name for body in b.bodies)]
    if name not in known:
        raise ChoiceError(f"there is no part '{name}' in '{b.name}'; {nearest(name, known)}", "part")
    if level in (BLOCKS, MINIMAL):
        raise ChoiceError(
            f"level {level} is of whole mechanisms; of '{name}' there are vectors and components", "level"
        )
    machine, checked = machine_of(b, coordinates, drawn)
    set_name = machine.evaluator.model.coordinates
    document = Sheet(f"{title or name}: {level}" + (f" in coordinates {set_name}" if level == COMPONENTS else ""))
    if level == COMPONENTS:
        write_components(document, machine, [name], whole=b.has_body(name) and name != GROUND)
    elif name in b.joints_by_name:
        joint = b.joint(name)
        entry = dict(zip((j.name for j in b.joints), joint_entries(b), strict=True))[name]
        _write_kind(document, kind_of(joint))
        write_joint(document, entry, b.dim)
        _write_formula_rows(document, entry)
        _write_rank(document, entry.equations, b.dim)
        if entry.equations:
            checked = check_joint(b, joint, entry, Evaluator.drawn(b))
    elif b.has_body(name):
        write_body(document, name, b.dim, b.ports_of(name))
    else:
        write_part(document, name, library.lowered(components[name], b))
    source = Source(b, coordinates, machine, drawn)
    return Derivation(title or name, level, set_name, _told(document, checked), checked, source)


def _write_formula_rows(document: Sheet, entry: Any) -> None:
    if entry.formulas:
        section = document.section("Rows that are no sums of scalar products")
        section.say("In components of the ports' vectors in fixed axes; a dot is a rate.")
        for k, one in enumerate(entry.formulas, len(entry.equations) + 1):
            write_equation(section, k, one)


def _write_kind(document: Sheet, kind: JointKind) -> None:
    section = document.section("The joint")
    section.say(kind.summary.replace("`", ""))
    section.say("M is the first port with axes x_i, y_i, z_i, N the second with x_j, y_j, z_j; MN goes from M to N.")


def _write_rank(document: Sheet, equations: Sequence[Scalar], dim: int) -> None:
    section = document.section("Freedoms and rank")
    all_freedoms = 3 if dim == 2 else 6
    left = all_freedoms - len(equations)
    section.say(f"{len(equations)} of {all_freedoms} relative freedoms are held; freedoms left: {left}.")
    for words in rank_words(equations, dim):
        section.say(words)


# Names -----------------------------------------------------------------------------------------------------------


def _of_name(thing: Any, level: str | None, coordinates: Any) -> Derivation:
    if isinstance(thing, Coordinates):
        return _of_set(thing, level, coordinates)
    if isinstance(thing, Treatment):
        return _of_treatment(thing.name, level, coordinates)
    if isinstance(thing, JointKind):
        return _of_kind(thing, level, coordinates)
    if isinstance(thing, Scalar) or (isinstance(thing, Sequence) and not isinstance(thing, str)):
        return _of_equations(thing, level, coordinates)
    if not isinstance(thing, str):
        raise ChoiceError(
            f"cannot derive {thing!r}; expected a mechanism, a name of the catalogue, or vector equations"
        )
    if thing in BY_NAME and thing != CUSTOM.name:
        return _of_kind(BY_NAME[thing], level, coordinates)
    if thing in known_types():
        return _of_part(sample_of(thing), PART, level or VECTORS, coordinates, thing, drawn=True)
    for known in COORDINATES.values():
        if thing in known:
            return _of_set(known[thing], level, coordinates)
    if thing in TREATMENTS:
        return _of_treatment(thing, level, coordinates)
    if "dot(" in thing:
        return _of_equations([thing], level, coordinates)
    names = [*BY_NAME, *known_types(), *COORDINATES[PLANAR], *COORDINATES[SPATIAL], *TREATMENTS]
    words = f"of a mechanism m its parts are derive(m, part={thing!r})"
    raise ChoiceError(f"there is nothing called '{thing}' to derive; {nearest(thing, names)}; {words}")


def _space_of(coordinates: Any) -> int | None:
    """The dimension that a coordinate set asks for, if only one space has it."""
    if coordinates is None:
        return None
    name = coordinates if isinstance(coordinates, str) else coordinates.name
    spaces = [dim for dim, space in ((2, PLANAR), (3, SPATIAL)) if name in COORDINATES[space]]
    return spaces[0] if len(spaces) == 1 else None


def _of_kind(kind: JointKind, level: str | None, coordinates: Any) -> Derivation:
    level = _low_level(level, kind.name)
    wanted = _space_of(coordinates)
    dims = [dim for dim in (2, 3) if kind.rows(dim) is not None and wanted in (None, dim)]
    if not dims:
        raise ChoiceError(f"there is no {kind.name} joint in the {'plane' if wanted == 2 else 'space'}; {kind.instead}")
    document = Sheet(f"{kind.name} joint: {level}")
    checks = []
    trials = {dim: trial_of(kind.name, dim, values=values_of(kind)) for dim in dims}
    _write_kind(document, kind)
    for dim, b in trials.items():
        place = "in the plane" if dim == 2 else "in space"
        checks.append(_write_trial(document, b, level, coordinates, place))
    checked, last = _together(checks), trials[dims[-1]]
    name = coordinates_of(last.space, coordinates).name
    told = _told(document, checked)
    return Derivation(f"{kind.name} joint", level, name, told, checked, Source(last, coordinates, drawn=True))


def _of_equations(texts: Any, level: str | None, coordinates: Any) -> Derivation:
    level = _low_level(level, "a joint")
    listed = [texts] if isinstance(texts, Scalar) else list(texts)
    try:
        scalars = [equation(text) for text in listed]
    except (EquationError, FormulaError) as error:
        raise ChoiceError(f"the equations of the joint cannot be used: {error}") from None
    used = {name for s in scalars for pair in s.products for name in pair}
    spatial = any(name.startswith(("z_", "e_z")) for name in used)
    dim = _space_of(coordinates) or (3 if spatial else 2)
    if spatial and dim == 2:
        raise ChoiceError("the equations use axes z, which the plane does not have")
    b = trial_of(CUSTOM.name, dim, equations=listed)
    document = Sheet(f"joint of one's own: {level}")
    told = _told(document, checked := _write_trial(document, b, level, coordinates, ""))
    name = coordinates_of(b.space, coordinates).name
    return Derivation("joint of one's own", level, name, told, checked, Source(b, coordinates, drawn=True))


def _write_trial(document: Sheet, b: Blueprint, level: str, coordinates: Any, place: str) -> Checked:
    """A joint between two loose bodies, written and checked."""
    joint, entry = b.joint(JOINT), joint_entries(b)[0]
    if level == COMPONENTS or entry.formulas:
        machine = formulas_of(b, coordinates, drawn=True)
        checked = _checked(machine)
        if level == COMPONENTS:
            write_components(document, machine, [JOINT])
            return checked
    write_joint(document, entry, b.dim, place)
    _write_formula_rows(document, entry)
    _write_rank(document, entry.equations, b.dim)
    if not entry.equations:
        return checked
    by_vectors = check_joint(b, joint, entry, Evaluator.drawn(b))
    return _together([checked, by_vectors]) if entry.formulas else by_vectors


def _together(checks: list[Checked]) -> Checked:
    left_out = tuple(words for c in checks for words in c.left_out)
    return Checked(checks[0].poses, max(c.worst for c in checks), sum(c.lines for c in checks), left_out=left_out)


def _low_level(level: str | None, what: str) -> str:
    if level in (BLOCKS, MINIMAL):
        raise ChoiceError(f"level {level} is of whole mechanisms; of {what} there are vectors and components", "level")
    return level or VECTORS


def _of_set(s: Coordinates, level: str | None, coordinates: Any) -> Derivation:
    """One body in the set: its blocks, and in components where it is, how it moves, what it weighs."""
    if level == MINIMAL:
        raise ChoiceError(f"level {level} is of whole mechanisms; of {s.name} there are blocks and components", "level")
    if coordinates is not None:
        raise ChoiceError(f"'{s.name}' is a coordinate set itself; leave out coordinates", "coordinates")
    dim = s.dim
    b = trial_of((SPHERICAL if dim == 3 else REVOLUTE).name, dim)
    document = Sheet(f"coordinates {s.name}: {s.says}")
    if level != COMPONENTS:
        section = document.section("Blocks")
        for ink, source in set_lines(s):
            section.line(ink, source)
    machine = MachineFormulas(b, Evaluator.drawn(b, s))
    checked = _together([_checked(machine), check_set(s, b)])
    if level != BLOCKS or s.joined:
        write_components(document, machine, ["i"], whole=True)
    told = _told(document, checked)
    return Derivation(
        f"coordinates {s.name}", level or COMPONENTS, s.name, told, checked, Source(b, s, machine, drawn=True)
    )


def _of_treatment(name: str, level: str | None, coordinates: Any) -> Derivation:
    if level not in (None, VECTORS) or coordinates is not None:
        raise ChoiceError(f"the lines of {name} are the same at every level and in all coordinates; leave these out")
    document = Sheet(f"treatment {name}: {TREATMENTS[name].says}")
    write_treatment(document.section("Lines"), name)
    checked = check_treatment(name)
    return Derivation(f"treatment {name}", VECTORS, "", _told(document, checked), checked)
