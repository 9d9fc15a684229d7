"""The parameters of a file: numbers, quantities and formulas of each other, in an order that can be evaluated."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..equations.unit_formulas import Expression
from ..mechanism.builder import Mechanism
from ..mechanism.fault import Mark, Where, whole
from ..mechanism.names import nearest
from .file_faults import WrittenPart
from .nodes import Node
from .scope import MISSING, Scope


def read_parameters(scope: Scope, node: Node | None, given: Mapping[str, Any]) -> None:
    """Evaluate them all into the scope. `given` replaces what is written."""
    written = {} if node is None else scope.names(node, whole("parameters"))
    top = Mark(scope.path, 1, 1) if node is None else node.mark
    nodes: dict[str, Node] = {}
    for name, value in written.items():
        nodes[name] = value
        mark = node.keys[name] if node is not None else top
        scope.faults.parts[scope.named(name)] = WrittenPart(mark, value, scope.prefix)
    for name, value in given.items():
        if name in nodes:
            nodes[name] = value if isinstance(value, Node) else Node(number_given(value), nodes[name].mark)
        else:
            place = value.mark if isinstance(value, Node) else top
            words = f"there is no parameter '{name}' to set; {nearest(name, written)}"
            scope.fault(place, whole("parameters").at(name), words)
    expressions = {name: _expression(scope, name, value) for name, value in nodes.items()}
    uses = {name: _used(read, nodes) for name, read in expressions.items()}
    order, circles = _order(uses)
    for circle in circles:
        path = circle if len(circle) <= 10 else [*circle[:8], "...", circle[-1]]
        words = f"parameters go in a circle, {' -> '.join(path)}; expected each to use others that do not use it"
        scope.fault(nodes[circle[0]], _where(scope, circle[0]), words)
    in_circle = {name for circle in circles for name in circle}
    # What cannot be evaluated still has a name, so that its users are not blamed.
    scope.values = dict.fromkeys(nodes, 1.0)
    scope.dimensions = dict.fromkeys(nodes)
    for name in order:
        if expressions[name] is MISSING or name in in_circle:
            continue
        number = scope.number(nodes[name], _where(scope, name))
        if number is not MISSING:
            scope.values[name] = number
            again = _expression(scope, name, nodes[name]) if isinstance(nodes[name].value, str) else None
            scope.dimensions[name] = None if again is None or again is MISSING else again.dimension
    scope.own |= set(nodes)
    scope.known.clear()


def declare(scope: Scope, mechanism: Mechanism) -> None:
    """Make them parameters of the mechanism, which formulas use and events may set."""
    for name, value in scope.values.items():
        mechanism.parameter(scope.named(name), value)


def number_given(value: Any) -> Any:
    """A value given in Python, as a file would hold it: numpy's numbers are numbers too."""
    return value if isinstance(value, str | bool) or value is None else float(value)


def _where(scope: Scope, name: str) -> Where:
    return Where(scope.named(name), "", f"parameter '{name}'")


def _expression(scope: Scope, name: str, node: Node) -> Expression | Any:
    if not isinstance(node.value, str):
        return None
    return scope.expression(node, _where(scope, name), "a number, a quantity or a formula of parameters")


def _used(read: Expression | Any, known: Mapping[str, Node]) -> list[str]:
    if read is None or read is MISSING:
        return []
    keys = read.formula.quantities()
    return [key for key in keys if key in known]


def _order(uses: Mapping[str, Collection[str]]) -> tuple[list[str], list[list[str]]]:
    """Parameters in an order in which each comes after those it uses; and the circles, each as a path."""
    order: list[str] = []
    state: dict[str, int] = {}  # 1: on the path, 2: done
    circles: list[list[str]] = []
    for start in uses:
        path = [(start, iter(uses[start]))] if state.get(start) is None else []
        while path:
            name, rest = path[-1]
            state[name] = 1
            for other in rest:
                if state.get(other) == 1:
                    names = [entry for entry, _ in path]
                    circles.append([*names[names.index(other) :], other])
                elif other in uses and state.get(other) is None:
                    path.append((other, iter(uses[other])))
                    break
            else:
                state[name] = 2
                order.append(name)
                path.pop()
    return order, circles
