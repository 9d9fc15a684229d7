"""An element of one's own: first-order equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...equations.formula import Formula, leaf
from ...equations.lowered import Lowered
from ...equations.tracing import reads_only_arguments, trace
from ...equations.user_functions import UserFunction
from ...mechanism.fault import Fault
from ...mechanism.names import nearest
from .. import kinds as k
from ..kinds import ELEMENTS, Kind, optional
from ..values import Local, Values, is_function


def _element_check(values: Values) -> Iterator[Fault]:
    states, inputs, outputs = values.raw("states"), values.raw("inputs"), values.raw("outputs")
    names = [*states, *inputs, *_output_names(values)]
    for name in sorted({n for n in names if names.count(n) > 1}):
        again = "outputs" if name in _output_names(values) else "inputs"
        yield values.fault(again, f"'{name}' is used twice among states, inputs and outputs", name=name)
    if isinstance(values.raw("rates"), Mapping):
        for name in states:
            if name not in values.raw("rates"):
                yield values.fault("rates", f"rates: the rate of state '{name}' is missing")
        for name in values.raw("rates"):
            if name not in states:
                words = f"rates: there is no state '{name}'; known: {', '.join(sorted(states))}"
                yield values.fault(f"rates.{name}", words)
    yield from unknown_units(values, [*states, *_output_names(values)])
    if is_function(outputs) != values.has("output_names"):
        lacking = "outputs is a function; expected output_names, the names of what it returns"
        idle = "output_names goes with a function as outputs"
        yield values.fault("output_names", lacking if is_function(outputs) else idle)


def unknown_units(values: Values, known: Sequence[str]) -> Iterator[Fault]:
    """Of units of what there is not."""
    for name in values.raw("units"):
        if name not in known:
            yield values.fault(f"units.{name}", f"units: there is no state or output '{name}'; {nearest(name, known)}")


def _output_names(values: Values) -> tuple[str, ...]:
    outputs = values.raw("outputs")
    return tuple(outputs) if isinstance(outputs, Mapping) else tuple(values.raw("output_names") or ())


def _element(values: Values) -> Lowered:
    states = {name: values.own(name) for name in values.raw("states")}
    inputs = {name: values.read(source, "inputs") for name, source in values.raw("inputs").items()}
    outputs = _outputs(values, states, inputs)
    local = {**states, **inputs, **outputs}
    rates = values.raw("rates")
    if is_function(rates):
        found = _vector_function(values, rates, "rates", len(states), (states, inputs))
    else:
        found = tuple(values.read(rates[name], "rates", local) for name in states)
    starts = [values.at_start(values.read(start, "states")) for start in values.raw("states").values()]
    return Lowered(states=tuple(zip(states, starts, found, strict=True)), channels=outputs)


def _outputs(values: Values, states: Local, inputs: Local) -> dict[str, Formula]:
    """Outputs as formulas over states and inputs; an output may use another that does not use it in turn."""
    written, names = values.raw("outputs"), _output_names(values)
    if is_function(written):
        return dict(zip(names, _vector_function(values, written, "outputs", len(names), (states, inputs)), strict=True))
    done: dict[str, Formula] = {}

    def output(name: str, path: tuple[str, ...]) -> Formula:
        if name in path:
            words = f"outputs: {' -> '.join((*path, name))} is a circle; each needs the next"
            raise values.error("outputs", words)
        if name not in done:
            f = values.read(written[name], "outputs", {**states, **inputs})
            done[name] = f.resolved(lambda key: output(key, (*path, name)) if key in written else leaf(key))
        return done[name]

    return {name: output(name, ()) for name in names}


def _vector_function(
    values: Values, function: Callable[..., Any], key: str, outputs: int, vectors: tuple[Local, Local]
) -> tuple[Formula, ...]:
    """A function f(state, inputs) -> sequence: as formulas where that is sure to be the same, otherwise called."""
    if reads_only_arguments(function):
        found = trace(function, [tuple(v.values()) for v in vectors])
        if found.results is not None and len(found.results) == outputs:
            return found.results
    sizes = tuple(len(v) for v in vectors)
    arguments = [f for v in vectors for f in v.values()]
    return UserFunction(function, str(values.where.at(key)), outputs, sizes).of(*arguments)


ELEMENT = Kind(
    "element",
    {
        "states": optional(k.STARTS, {}, help="name of each state and its value at the start"),
        "inputs": optional(k.FORMULAS, {}, help="name of each input and its channel or formula"),
        "rates": optional(k.FUNCTION, {}, help="the rate of each state; or a function f(state, inputs)"),
        "outputs": optional(k.FUNCTION, {}, help="formula of each output; or a function g(state, inputs)"),
        "output_names": optional(k.NAMES, help="names of what a function `outputs` returns"),
        "units": optional(k.UNITS, {}, help="what states and outputs are in, by name; in SI, as their numbers are"),
    },
    _element,
    "first-order equations of your own, with inputs and outputs",
    ELEMENTS,
    _element_check,
    example='m.element("lag", states={"y": 0}, inputs={"u": "A.angle"}, rates={"y": "(u - y)/0.1"})',
)
