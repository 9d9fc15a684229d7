"""Faults of components: every key against what its type expects, all at once, in the user's names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..equations.formula import Formula, FormulaError
from ..equations.vectors import EquationError
from ..mechanism.names import is_identifier, nearest
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName
from . import kinds as k
from .channels.known_names import PARAMETER, unusable
from .geometry import coordinates_of, split_joint
from .kinds import Key
from .values import Values, constant, is_function, is_number, is_sequence

# Names that mean something in every formula already.
CONSTANTS = ("e", "pi", "t")
_NUMBERS = (k.NUMBER, k.POSITIVE, k.NOT_NEGATIVE)


def key_faults(values: Values, known: Mapping[str, str]) -> Iterator[str]:
    """Unknown keys, missing keys, and values that are not what their key expects."""
    keys, written = values.kind.keys, values.component.values
    for name in written:
        if name not in keys:
            yield f"{values.where} has an unknown key '{name}'; {nearest(name, keys)}"
    for name, key in keys.items():
        if not values.has(name):
            if key.required:
                yield f"{values.where}: {name} is missing; expected {key.expected(values.blueprint.dim)}"
            continue
        for sentence in _value_faults(values, name, key, known):
            yield f"{values.where}: {sentence}"


def _value_faults(values: Values, name: str, key: Key, known: Mapping[str, str]) -> Iterator[str]:
    value, blueprint = values.raw(name), values.blueprint
    wrong = f"{name} is {value!r}; expected {key.expected(blueprint.dim)}"
    if key.what in _NUMBERS or key.what == k.FORMULA:
        yield from _scalars(values, name, key, known)
    elif key.what == k.SIGNAL:
        if not is_sequence(value):
            yield from formula_faults(values, name, value, known, key, wrong)
        elif not _pairs(value):
            yield wrong
    elif key.what in (k.JOINT, k.JOINTS):
        names = [value] if key.what == k.JOINT else list(value) if is_sequence(value) else []
        if len(names) != (1 if key.what == k.JOINT else 2) or not all(isinstance(text, str) for text in names):
            yield wrong
        else:
            for text in names:
                yield from joint_faults(blueprint, text, key.coordinate)
    elif key.what in (k.PORT, k.PORTS, k.PLACES):
        yield from _ports(blueprint, value, key, wrong)
    elif key.what == k.BODY:
        yield from _body(blueprint, value, wrong)
    elif key.what in (k.FORMULAS, k.FUNCTION, k.STARTS):
        yield from _mapping(values, name, key, known, wrong)
    elif not _plain(value, key):
        yield wrong


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
    return _pairs(value)


def _pairs(value: Any) -> bool:
    pairs = is_sequence(value) and len(value) >= 2
    return pairs and all(is_sequence(p) and len(p) == 2 and all(is_number(v) for v in p) for p in value)


def _scalars(values: Values, name: str, key: Key, known: Mapping[str, str]) -> Iterator[str]:
    value, count = values.raw(name), key.count(values.blueprint.dim)
    wrong = f"{name} is {value!r}; expected {key.expected(values.blueprint.dim)}"
    items = [value]
    if count and not (is_function(value) and key.what == k.FORMULA):
        if not is_sequence(value) and count == 1:
            items = [value]
        elif not is_sequence(value) or len(value) != count:
            yield wrong
            return
        else:
            items = list(value)
    for item in items:
        if key.what == k.FORMULA:
            yield from formula_faults(values, name, item, known, key, wrong)
        elif item is not None or not count:  # a limit that is None is no limit
            yield from _number(values, name, item, key, known, wrong)


def _number(values: Values, name: str, item: Any, key: Key, known: Mapping[str, str], wrong: str) -> Iterator[str]:
    if not is_number(item) and not isinstance(item, str | Formula):
        yield wrong
        return
    try:
        f = constant(item)
    except (FormulaError, EquationError) as error:
        yield f"{name}: {error}"
        return
    leaves = f.quantities()
    bad = [s for leaf_key in leaves if (s := unusable(leaf_key, known, (PARAMETER,)))]
    if bad:
        yield from (f"{name}: {sentence}" for sentence in bad)
        return
    try:
        found = values.at_start(f)
    except KeyError:
        return  # the name of a component that is at fault itself, and told so
    except (ArithmeticError, ValueError) as error:
        yield f"{name}: '{item}' has no value ({error})"
        return
    low = {k.POSITIVE: found > 0, k.NOT_NEGATIVE: found >= 0, k.NUMBER: True}[key.what]
    if not math.isfinite(found) or not low:
        words = k.EXPECTED[key.what] if math.isfinite(found) else "a finite number"
        yield f"{name} is {found}; expected {words}"


def formula_faults(
    values: Values, name: str, item: Any, known: Mapping[str, str], key: Key, wrong: str
) -> Iterator[str]:
    """What is wrong with a formula: its text, its names, or that it is none."""
    if is_function(item):
        inputs = values.raw("inputs") if "inputs" in values.kind.keys and values.has("inputs") else ()
        for text in inputs if is_sequence(inputs) else ():
            yield from formula_faults(values, f"{name}: input", text, known, key, wrong)
        return
    if is_number(item):
        if not math.isfinite(item):
            yield f"{name} is {item}; expected a finite number"
        return
    if not isinstance(item, str | Formula):
        yield wrong
        return
    try:
        f = constant(item)
    except (FormulaError, EquationError) as error:
        yield f"{name}: {error}"
        return
    leaves = f.quantities()
    for leaf_key in leaves:
        if leaf_key not in key.local and (sentence := unusable(leaf_key, known, key.allowed, key.local)):
            yield f"{name}: {sentence}"


def joint_faults(blueprint: Blueprint, text: str, wanted: str) -> Iterator[str]:
    """That there is such a joint and that it has the coordinate that is meant."""
    name, quantity = split_joint(text)
    joints = {joint.name: joint for joint in reversed(blueprint.joints)}
    if name not in joints:
        yield f"there is no joint '{name}'; {nearest(name, joints)}"
        return
    joint, has = joints[name], coordinates_of(joints[name])
    if quantity and wanted and quantity != wanted:
        yield f"'{text}' is not the {wanted} of a joint, which is expected here"
    elif (quantity or wanted) and (quantity or wanted) not in has:
        yield f"joint '{name}' is a {joint.type} joint, which has no {quantity or wanted}{_instead(has)}"
    elif not has:
        yield f"joint '{name}' is a {joint.type} joint, which has neither an angle nor a displacement"


def start_faults(joint: Joint) -> Iterator[str]:
    """What is wrong with the start that a joint says."""
    has = coordinates_of(joint)
    for key, value in joint.initial.items():
        where = f"joint '{joint.name}': initial: {key}"
        if not math.isfinite(value):
            yield f"{where} is {value}; expected a finite number"
        elif key not in (*has, *(("speed",) if has else ())):
            yield f"{where}: a {joint.type} joint has no {key}{_instead(has)}"


def _instead(has: tuple[str, ...]) -> str:
    return f"; it has: {', '.join(has)}" if has else ""


def _ports(blueprint: Blueprint, value: Any, key: Key, wrong: str) -> Iterator[str]:
    ports = [value] if key.what == k.PORT else list(value) if is_sequence(value) else []
    right_number = bool(ports) if key.what == k.PLACES else len(ports) == (1 if key.what == k.PORT else 2)
    if not right_number or not all(isinstance(port, PortName) for port in ports):
        yield wrong
        return
    faults = [sentence for port in ports for sentence in port_faults(blueprint, port)]
    yield from faults
    if key.what == k.PORTS and not faults:
        first, second = ports
        if first == second:
            yield f"both points are '{first}'; expected two different ones"
        elif "same body" in key.words and first.body != second.body:
            yield f"'{first}' and '{second}' are points of two bodies; expected two points of one"
        elif "same body" not in key.words and first.body == second.body:
            yield f"both points are on body '{first.body}', so that nothing can move between them"


def port_faults(blueprint: Blueprint, port: PortName) -> Iterator[str]:
    """That there is such a body and that it has such a point."""
    if not blueprint.has_body(port.body):
        yield f"there is no body '{port.body}'; {nearest(port.body, [GROUND, *(b.name for b in blueprint.bodies)])}"
    elif port.point not in blueprint.ports_of(port.body):
        yield f"body '{port.body}' has no point '{port.point}'; {nearest(port.point, blueprint.ports_of(port.body))}"


def _body(blueprint: Blueprint, value: Any, wrong: str) -> Iterator[str]:
    bodies = [body.name for body in blueprint.bodies]
    if not isinstance(value, str):
        yield wrong
    elif value not in bodies:
        yield f"there is no body '{value}'; {nearest(value, bodies)}"


def _mapping(values: Values, name: str, key: Key, known: Mapping[str, str], wrong: str) -> Iterator[str]:
    value = values.raw(name)
    if key.what == k.FUNCTION and is_function(value):
        return
    if not isinstance(value, Mapping):
        yield wrong
        return
    for inner, item in value.items():
        if not is_identifier(inner) or inner in CONSTANTS:
            yield f"{name}: {inner!r} cannot be a name; expected an identifier other than {', '.join(CONSTANTS)}"
        elif key.what == k.STARTS:
            wrong_item = f"{name}: {inner} is {item!r}; expected a number"
            yield from _number(values, f"{name}: {inner}", item, Key(k.NUMBER), known, wrong_item)
        else:
            wrong_item = f"{name}: {inner} is {item!r}; expected a number or a formula"
            named = replace(key, local=local_names(values, name))
            yield from formula_faults(values, f"{name}: {inner}", item, known, named, wrong_item)


def local_names(values: Values, key: str) -> tuple[str, ...]:
    """The bare names that mean something inside an element's formulas: its states, inputs and outputs."""
    if key == "inputs":
        return ()
    found: list[str] = []
    for other in ("states", "inputs", "outputs"):
        value = values.raw(other)
        found += list(value) if isinstance(value, Mapping) else []
    return tuple(found)
