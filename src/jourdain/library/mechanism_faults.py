"""Everything wrong with a mechanism that can be found without solving anything, all at once.

joint_entries(blueprint)    the equations of every joint; raises MechanismError with all faults of the mechanism
part_faults(blueprint)      of all components, loads, events and starts of joints
faults_of(component, ..)    of one component
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from ..equations.formula import FormulaError
from ..equations.smoothness import rough
from ..equations.vectors import EquationError, Scalar
from ..mechanism import checks
from ..mechanism.fault import Fault, about
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Blueprint, Component, Joint, PointForce, Torque
from . import TYPES, known_quantities, lowered
from .channels.body import NAMES as BODY_CHANNELS
from .checking import key_faults, start_faults
from .event_faults import event_faults
from .forces.parts_as_components import load_faults
from .joints import KINDS, JointError, JointRows, kind_of, rows_of
from .network import circular_channels
from .values import LoweringError, Values


def joint_entries(blueprint: Blueprint) -> list[JointRows]:
    """The equations of every joint; raises MechanismError with all faults of the whole mechanism.

    Found once for a blueprint: it is compiled for several coordinates, and again without redundant rows.
    """
    if "catalogue" in blueprint.derived:
        known: list[JointRows] = blueprint.derived["catalogue"]
        return known
    faults = checks.faults(blueprint)
    found: list[JointRows] = []
    sound: dict[int, JointRows] = {}  # joints of one type share their equations: once is enough
    for joint in blueprint.joints:
        faults += _idle(joint)
        table = _entry(joint, blueprint.dim, faults)
        if table is None:
            continue
        found.append(table)
        if id(table) in sound:
            continue
        reasons = [_not_smooth(row) for row in table.equations]
        where = about("joint", joint.name)
        for k, (reason, meaning) in enumerate(zip(reasons, table.meanings, strict=True)):
            if reason:
                faults.append(where.at(f"equations.{k}").fault(f"{where}: {meaning}: {reason}"))
        if not any(reasons):
            sound[id(table)] = table
    faults += part_faults(blueprint)
    if blueprint.written is not None and not faults:
        faults += blueprint.written.late_faults(blueprint)
    if faults:
        raise blueprint.refused(faults)
    blueprint.derived["catalogue"] = found
    return found


def _idle(joint: Joint) -> Iterator[Fault]:
    """What was given to a joint and would do nothing, or cannot work, by what its kind says."""
    kind, where = kind_of(joint), about("joint", joint.name)
    if joint.length is not None and "length" not in kind.keys:
        words = f"{where}: length does nothing in a {joint.type} joint; only {_with('length')} has one"
        yield where.at("length").fault(words)
    if joint.equations and "equations" not in kind.keys:
        words = f"{where}: equations do nothing in a {joint.type} joint; use {_with('equations')}"
        yield where.at("equations").fault(words)
    if joint.one_axis and kind.two_axes:
        words = f"{where}: a {joint.type} joint has a pin on each body; give two points, each with its axis"
        yield where.at("axis").fault(words)


def _with(key: str) -> str:
    """The joints that have a key."""
    return " or ".join(f"a {kind.name} joint" for kind in KINDS if key in kind.keys)


def _entry(joint: Joint, dim: int, faults: list[Fault]) -> JointRows | None:
    """The equations of one joint; None, and the fault noted, where it has none."""
    try:
        return rows_of(joint, dim)
    except (ValueError, TypeError, RecursionError) as error:
        where = about("joint", joint.name)
        key = error.key if isinstance(error, JointError) else "type"
        faults.append(where.at(key).fault(f"{where}: {error}"))
        return None


def _not_smooth(equation: Scalar) -> str | None:
    """Why a joint's equation cannot be differentiated twice in time, or None."""
    try:
        for f in (*equation.products.values(), equation.free):
            if reason := rough(f):
                return reason
    except (FormulaError, RecursionError) as error:
        return str(error)
    return None


def faults_of(component: Component, blueprint: Blueprint, known: Mapping[str, str] | None = None) -> list[Fault]:
    """Everything wrong with a component; `known` are the quantities formulas may use, where already at hand."""
    name, type = component.name, component.type
    if type not in TYPES:
        return [Fault(name, "type", f"'{name}' is of unknown type '{type}'; {nearest(type, TYPES)}")]
    kind = TYPES[type]
    values = Values(component, kind, blueprint)
    found = list(key_faults(values, known_quantities(blueprint) if known is None else known))
    try:
        if not found and kind.check is not None:
            found = list(kind.check(values))
        if not found:
            lowered(component, blueprint)
    except LoweringError as error:
        found = [error.fault]
    except (FormulaError, EquationError) as error:
        found = [values.where.fault(f"{values.where}: {error}")]
    except KeyError:
        return []  # a joint it uses names a body or a point that does not exist, and is told so itself
    return found


def part_faults(blueprint: Blueprint) -> list[Fault]:
    """The faults of all components, events and loads; those of other parts are found by `mechanism.checks`."""
    uses_names = blueprint.components or blueprint.events or blueprint.forces
    known = known_quantities(blueprint) if uses_names else {}
    found = [fault for component in blueprint.components for fault in faults_of(component, blueprint, known)]
    if not found:
        with contextlib.suppress(KeyError):  # as in `faults_of`
            found += circular_channels(
                {component.name: lowered(component, blueprint) for component in blueprint.components},
                blueprint.other_name,
            )
    found += point_faults(blueprint)
    loads = (force for force in blueprint.forces if isinstance(force, PointForce | Torque))
    found += [fault for load in loads for fault in load_faults(load, blueprint, known)]
    found += [fault for joint in blueprint.joints for fault in start_faults(joint)]
    return found + [fault for event in blueprint.events for fault in event_faults(event, blueprint, known)]


def point_faults(blueprint: Blueprint) -> list[Fault]:
    """Points that cannot be told from channels of their bodies."""
    words = "bears the name of a channel; choose another name than"
    owners = (GROUND, *(body.name for body in blueprint.bodies))
    named = [(f"{owner}.{point}", point) for owner in owners for point in blueprint.ports_of(owner)]
    return [Fault(part, "", f"point '{part}' {words} '{point}'") for part, point in named if point in BODY_CHANNELS]
