"""Channels of components that use each other: which there are, and each in terms of what is known before them.

A controller reads a sensor, a motor reads the controller. Their channels are formulas, so each can be written over
positions, velocities, reactions, states and parameters alone, unless they go in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..equations.formula import Formula, leaf
from ..equations.lowered import Lowered
from ..mechanism.fault import Fault


def circular_channels(parts: Mapping[str, Lowered], other_name: Callable[[str], str] = str) -> Iterator[Fault]:
    """Channels that need themselves, in sentences. `parts` are components by name."""
    formulas = _formulas(parts)
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> Iterator[Fault]:
        if name in path:
            circle = " -> ".join(map(other_name, (*path[path.index(name) :], name)))
            words = f"channels go in a circle, {circle}; put an element with a state between them, such as first-order"
            yield Fault(name.partition(".")[0], "", words)
            return
        if name in done:
            return
        keys = formulas[name].quantities()
        for key in keys:
            if key in formulas:
                yield from visit(key, (*path, name))
        done.add(name)

    for name in formulas:
        yield from visit(name, ())


def written_out(parts: Mapping[str, Lowered]) -> dict[str, Formula]:
    """Every channel by its full name, over leaves that are no channels of components. There must be no circles."""
    formulas = _formulas(parts)
    done: dict[str, Formula] = {}

    def written(name: str) -> Formula:
        if name not in done:
            done[name] = formulas[name].resolved(lambda key: written(key) if key in formulas else leaf(key))
        return done[name]

    return {name: written(name) for name in formulas}


def _formulas(parts: Mapping[str, Lowered]) -> dict[str, Formula]:
    return {f"{name}.{channel}": f for name, low in parts.items() for channel, f in low.channels.items()}
