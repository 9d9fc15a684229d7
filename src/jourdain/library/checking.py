"""Faults of components: every key against what its type expects, all at once, in the user's names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..equations.formula import Formula
from ..equations.unit_formulas import Faulty
from ..mechanism.fault import Fault, Where, about
from ..mechanism.names import is_identifier, nearest
from ..mechanism.parts import GROUND, Joint, PortName
from ..mechanism.table_data import Table
from ..mechanism.units import is_unit
from . import kinds as k
from .channels.known_names import Refusal, unusable
from .geometry import split_joint
from .joints import kind_of
from .kinds import Key
from .levels import PARAMETER
from .values import Values, constant, is_function, is_number, is_sequence, misfit, with_tables

# Names that mean something in every formula already.
CONSTANTS = ("e", "pi", "t")
_NUMBERS = (k.NUMBER, k.POSITIVE, k.NOT_NEGATIVE)
# That the value is not at all what its key expects; a function, since its sentence is seldom wanted.
_Wrong = Callable[[], Fault]


def key_faults(values: Values, known: Mapping[str, str]) -> Iterator[Fault]:
    """Unknown keys, missing keys, and values that are not what their key expects."""
    keys, written = values.kind.keys, values.component.values
    for name in written:
        if name not in keys:
            words = f"{values.where} has an unknown key '{name}'; {nearest(name, keys)}"
            yield values.where.at(name).fault(words)
    for name, key in keys.items():
        if values.has(name):
            yield from _value_faults(values, values.where.at(name), key, known)
        elif key.required:
            where = values.where.at(name)
            yield where.fault(f"{where} is missing", key.expected(values.blueprint.dim))


def _value_faults(values: Values, where: Where, key: Key, known: Mapping[str, str]) -> Iterator[Fault]:
    value = values.raw(where.key)
    if key.states:
        key = replace(key, local=local_names(values, where.key))

    def wrong() -> Fault:
        return where.fault(f"{where} is {value!r}", key.expected(values.blueprint.dim))

    if key.what in _NUMBERS or key.what == k.FORMULA:
        yield from _scalars(values, where, key, known, wrong)
    elif key.what == k.SIGNAL:
        if not is_sequence(value):
            yield from formula_faults(values, where, value, known, key, wrong)
        elif not _pairs(value):
            yield wrong()
    elif key.what in (k.JOINT, k.JOINTS):
        names = [value] if key.what == k.JOINT else list(value) if is_sequence(value) else []
        if len(names) != (1 if key.what == k.JOINT else 2) or not all(isinstance(text, str) for text in names):
            yield wrong()
        else:
            for text in names:
                yield from joint_faults(values, where.key, text, key.coordinate)
    elif key.what in (k.PORT, k.PORTS, k.PLACES):
        yield from _ports(values, where.key, value, key, wrong)
    elif key.what == k.BODY:
        yield from _body(values, where.key, value, wrong)
    elif key.what in (k.FORMULAS, k.FUNCTION, k.STARTS):
        yield from _mapping(values, where, key, known, wrong)
    elif not _plain(value, key):
        yield wrong()


def _plain(value: Any, key: Key) -> bool:
    """Flags, words, counts, names and tables."""
    if key.what == k.FLAG:
        return isinstance(value, bool)
    if key.what == k.WORD:
        return value in key.words
    if key.what == k.COUNT:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if key.what == k.NAMES:
        return is_sequence(value) and all(isinstance(v, str) for v in value)
    if key.what == k.UNITS:
        return isinstance(value, Mapping) and all(map(is_unit, value.values()))
    if key.what == k.NUMBERS:
        return _finite_row(value)
    if key.what == k.MATRIX:
        rows = is_sequence(value) and len(value) > 0 and all(_finite_row(row) and len(row) > 0 for row in value)
        return rows and len({len(row) for row in value}) == 1
    return _pairs(value)


def _finite_row(value: Any) -> bool:
    return is_sequence(value) and all(is_number(v) and math.isfinite(v) for v in value)


def _pairs(value: Any) -> bool:
    if isinstance(value, Table):
        return True
    pairs = is_sequence(value) and len(value) >= 2
    return pairs and all(is_sequence(p) and len(p) == 2 and all(_is_quantity(v) for v in p) for p in value)


def _is_quantity(value: Any) -> bool:
    return is_number(value) or isinstance(value, str)


def _scalars(values: Values, where: Where, key: Key, known: Mapping[str, str], wrong: _Wrong) -> Iterator[Fault]:
    value, count = values.raw(where.key), key.count(values.blueprint.dim)
    items = [value]
    if count and not (is_function(value) and key.what == k.FORMULA):
        if not is_sequence(value) and count == 1:
            items = [value]
        elif not is_sequence(value) or len(value) != count:
            yield wrong()
            return
        else:
            items = list(value)
    for item in items:
        if key.what == k.FORMULA:
            yield from formula_faults(values, where, item, known, key, wrong)
        elif item is not None or not count:  # a limit that is None is no limit
            yield from _number(values, where, item, key, known, wrong)


def _number(
    values: Values, where: Where, item: Any, key: Key, known: Mapping[str, str], wrong: _Wrong
) -> Iterator[Fault]:
    if not is_number(item) and not isinstance(item, str | Formula):
        yield wrong()
        return
    try:
        f = with_tables(constant(item), values.blueprint, str(where))
        if words := misfit(item, values.unit(key)):
            yield where.fault(f"{where}: {words}")
            return
    except Faulty as error:
        yield where.fault(f"{where}: {error}")
        return
    leaves = f.quantities()
    refused = [no for leaf_key in leaves if (no := unusable(leaf_key, known, (PARAMETER,)))]
    if refused:
        yield from (name_fault(where, no) for no in refused)
        return
    try:
        found = values.at_start(f)
    except KeyError:
        return  # the name of a component that is at fault itself, and told so
    except (ArithmeticError, ValueError) as error:
        yield where.fault(f"{where}: '{item}' has no value ({error})")
        return
    low = {k.POSITIVE: found > 0, k.NOT_NEGATIVE: found >= 0, k.NUMBER: True}[key.what]
    if not math.isfinite(found) or not low:
        words = k.EXPECTED[key.what] if math.isfinite(found) else "a finite number"
        yield where.fault(f"{where} is {found}; expected {words}")


def formula_faults(
    values: Values, where: Where, item: Any, known: Mapping[str, str], key: Key, wrong: _Wrong
) -> Iterator[Fault]:
    """What is wrong with a formula: its text, its names, or that it is none."""
    if is_function(item):
        inputs = values.raw("inputs") if "inputs" in values.kind.keys and values.has("inputs") else ()
        place = Where(where.part, "inputs", f"{where}: input")
        for text in inputs if is_sequence(inputs) else ():
            yield from formula_faults(values, place, text, known, key, wrong)
        return
    if isinstance(item, Table):
        if item.over is not None:
            yield from formula_faults(
                values, Where(where.part, where.key, f"{where}: over"), item.over, known, key, wrong
            )
        return
    if is_number(item):
        if not math.isfinite(item):
            yield where.fault(f"{where} is {item}; expected a finite number")
        elif words := misfit(item, values.unit(key)):
            yield where.fault(f"{where}: {words}")
        return
    if not isinstance(item, str | Formula):
        yield wrong()
        return
    try:
        f = with_tables(constant(item), values.blueprint, str(where))
        if words := misfit(item, values.unit(key)):
            yield where.fault(f"{where}: {words}")
            return
    except Faulty as error:
        yield where.fault(f"{where}: {error}")
        return
    leaves = f.quantities()
    for leaf_key in leaves:
        if leaf_key not in key.local and (no := unusable(leaf_key, known, key.allowed, key.local)):
            yield name_fault(where, no)


def name_fault(where: Where, no: Refusal) -> Fault:
    """That a name cannot stand in a formula."""
    return where.fault(f"{where}: {no.words}", name=no.name, missing=no.missing)


def joint_faults(values: Values, key: str, text: str, wanted: str) -> Iterator[Fault]:
    """That there is such a joint and that it has the coordinate that is meant."""
    joints = values.blueprint.joints_by_name
    name, quantity = split_joint(text, joints)
    if name not in joints:
        words = f"there is no joint '{name}'; {nearest(name, joints)}"
        yield values.fault(key, words, name=name, missing=True)
        return
    joint, has = joints[name], kind_of(joints[name]).coordinates
    if quantity and wanted and quantity != wanted:
        yield values.fault(key, f"'{text}' is not the {wanted} of a joint, which is expected here", name=text)
    elif (quantity or wanted) and (quantity or wanted) not in has:
        words = f"joint '{name}' is a {joint.type} joint, which has no {quantity or wanted}{_instead(has)}"
        yield values.fault(key, words, name=name, used=name)
    elif not has:
        words = f"joint '{name}' is a {joint.type} joint, which has neither an angle nor a displacement"
        yield values.fault(key, words, name=name, used=name)


def start_faults(joint: Joint) -> Iterator[Fault]:
    """What is wrong with the start that a joint says."""
    has = kind_of(joint).coordinates
    for key, value in joint.initial.items():
        where = about("joint", joint.name).at("initial").at(key)
        if not math.isfinite(value):
            yield where.fault(f"{where} is {value}; expected a finite number")
        elif key not in (*has, *(("speed",) if has else ())):
            yield where.fault(f"{where}: a {joint.type} joint has no {key}{_instead(has)}")


def _instead(has: tuple[str, ...]) -> str:
    return f"; it has: {', '.join(has)}" if has else ""


def _ports(values: Values, name: str, value: Any, key: Key, wrong: _Wrong) -> Iterator[Fault]:
    ports = [value] if key.what == k.PORT else list(value) if is_sequence(value) else []
    right_number = bool(ports) if key.what == k.PLACES else len(ports) == (1 if key.what == k.PORT else 2)
    if not right_number or not all(isinstance(port, PortName) for port in ports):
        yield wrong()
        return
    faults = [fault for port in ports for fault in _port_faults(values, name, port)]
    yield from faults
    if key.what == k.PORTS and not faults:
        first, second = ports
        if first == second:
            yield values.fault(name, f"both points are '{first}'; expected two different ones")
        elif "same body" in key.words and first.body != second.body:
            words = f"'{first}' and '{second}' are points of two bodies; expected two points of one"
            yield values.fault(name, words)
        elif "same body" not in key.words and first.body == second.body:
            words = f"both points are on body '{first.body}', so that nothing can move between them"
            yield values.fault(name, words)


def _port_faults(values: Values, key: str, port: PortName) -> Iterator[Fault]:
    """That there is such a body and that it has such a point."""
    blueprint = values.blueprint
    if not blueprint.has_body(port.body):
        words = f"there is no body '{port.body}'; {nearest(port.body, [GROUND, *(b.name for b in blueprint.bodies)])}"
        yield values.fault(key, words, name=port.body, missing=True)
    elif port.point not in blueprint.ports_of(port.body):
        known = blueprint.ports_of(port.body)
        words = f"body '{port.body}' has no point '{port.point}'; {nearest(port.point, known)}"
        yield values.fault(key, words, name=str(port))


def _body(values: Values, key: str, value: Any, wrong: _Wrong) -> Iterator[Fault]:
    bodies = [body.name for body in values.blueprint.bodies]
    if not isinstance(value, str):
        yield wrong()
    elif value not in bodies:
        yield values.fault(key, f"there is no body '{value}'; {nearest(value, bodies)}", name=value, missing=True)


def _mapping(values: Values, where: Where, key: Key, known: Mapping[str, str], wrong: _Wrong) -> Iterator[Fault]:
    value = values.raw(where.key)
    if key.what == k.FUNCTION and is_function(value):
        return
    if not isinstance(value, Mapping):
        yield wrong()
        return
    for inner, item in value.items():
        inside = where.at(str(inner))
        expected = "a number" if key.what == k.STARTS else "a number or a formula"

        def wrong_item(inside: Where = inside, item: Any = item, expected: str = expected) -> Fault:
            return inside.fault(f"{inside} is {item!r}; expected {expected}")

        if not is_identifier(inner) or inner in CONSTANTS:
            words = f"{inner!r} cannot be a name; expected an identifier other than {', '.join(CONSTANTS)}"
            yield inside.fault(f"{where}: {words}")
        elif key.what == k.STARTS:
            yield from _number(values, inside, item, Key(k.NUMBER), known, wrong_item)
        else:
            named = replace(key, local=local_names(values, where.key))
            yield from formula_faults(values, inside, item, known, named, wrong_item)


def local_names(values: Values, key: str) -> tuple[str, ...]:
    """The bare names that mean something inside an element's formulas: its states, inputs and outputs."""
    if key == "inputs":
        return ()
    found = list(values.kind.keys[key].local)
    for other in ("states", "inputs", "outputs"):
        value = values.raw(other) if other in values.kind.keys else None
        found += list(value) if isinstance(value, Mapping) else []
    return tuple(found)
