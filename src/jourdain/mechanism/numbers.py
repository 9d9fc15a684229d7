"""The numbers of a mechanism by name: where each of them stands, and the mechanism with another one there.

`crank.mass`, `crank.B.x`, `spring.stiffness`, `gravity`, `A.initial.speed`: what a body, a point, a joint or a force is
written with, in SI. A name becomes a path into the blueprint, such as ("bodies", 0, "mass"). Whole vectors have names
too (`crank.position`), and their components one or two (`crank.position.x`, or `crank.x` as the channel). Only what is
written can be changed: where a position is left out, assembly chooses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from .frozen import Frozen
from .names import counted, nearest
from .parts import GROUND, Blueprint

Path = tuple[Any, ...]
Shape = tuple[int, ...]  # () of a number, (n,) of a vector
Table = dict[str, tuple[Path, ...]]

SIZE = "size"  # the last step of a path: length of the vector, whose direction stays
BODY_KEYS = ("mass", "inertia", "centre", "position", "velocity", "spin")
ROOMS = ("joints", "forces", "relations", "motions", "elements")
NO_NUMBERS = ("name", "type", "first", "second", "on", "inputs", "equations")
# Components have these letters after the name of their vector; those of an attitude mean nothing alone.
LETTERS = {"inertia": ("xx", "yy", "zz", "xy", "xz", "yz"), "attitude": ()}
# And these instead of it.
SHORT = {
    "position": ("x", "y", "z"),
    "velocity": ("vx", "vy", "vz"),
    "spin": ("wx", "wy", "wz"),
    "vector": ("x", "y", "z"),
    "torque": ("x", "y", "z"),
}
LENGTHS = frozenset({"at", "position", "centre", "length"})


def known(blueprint: Blueprint, like: str | None = None) -> Table:
    """All names, and what each may mean: a number or a vector, such as the size of gravity or its components.

    `like` a name: only those of parts that can have that name, which is far quicker where there are many.
    """
    found: dict[str, tuple[Path, ...]] = {}
    for name, path in _all(blueprint, like):
        found[name] = (*found.get(name, ()), path)
    return found


def numbers(blueprint: Blueprint) -> dict[str, float]:
    """All single numbers by name."""
    table = known(blueprint)
    values = ((name, get(blueprint, path)) for name, paths in table.items() for path in paths)
    return {name: float(value) for name, value in values if _shape(value) == ()}


def varied(blueprint: Blueprint, name: str, value: float) -> Blueprint:
    """The mechanism with another value of one number."""
    found: Blueprint = put(blueprint, path_of(blueprint, name), value)
    return found


def path_of(blueprint: Blueprint, name: Any) -> Path:
    """Where a single number stands. Raises KeyError with the nearest name where there is none."""
    path, fault = find(blueprint, known(blueprint, name) if isinstance(name, str) else {}, name)
    if fault:
        raise KeyError(find(blueprint, known(blueprint), name)[1])
    return path


def find(blueprint: Blueprint, table: Table, name: Any, shape: Shape = ()) -> tuple[Path, str]:
    """The path at which a value of this shape can stand, by its name in the table; or what is wrong with the name."""
    if not isinstance(name, str):
        return (), f"a parameter is {name!r}; expected a name, such as 'k' or 'crank.mass'"
    values = [(path, get(blueprint, path)) for path in table.get(name, ())]
    for path, value in values:
        if _shape(value) == shape:
            return path, ""
    if not values:
        fitting = [key for key, paths in table.items() if any(_shape(get(blueprint, p)) == shape for p in paths)]
        owner, rest = blueprint.owner_of(name)
        near = [key for key in fitting if rest and key.startswith(f"{owner}.")] or fitting
        return (), f"there is no number '{name}' in the mechanism; {nearest(name, near)}"
    return (), _unfit(blueprint, table, name, values[0][1], shape)


def is_length(path: Path) -> bool:
    """Whether what stands at a path is in metres."""
    return not LENGTHS.isdisjoint(path)


def get(whole: Any, path: Path) -> Any:
    """What stands at a path; None if it or what holds it is not written."""
    for step in path:
        if whole is None:
            return None
        if step == SIZE and isinstance(whole, tuple):
            whole = _length(whole)
        else:
            whole = getattr(whole, step) if is_dataclass(whole) else whole[step]
    return whole


def put(whole: Any, path: Path, value: Any) -> Any:
    """The same with another value at a path; nothing is changed in place."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    if is_dataclass(whole) and not isinstance(whole, type):
        return replace(whole, **{head: put(getattr(whole, head), rest, value)})
    if isinstance(whole, tuple):
        if head == SIZE:
            size = _length(whole)
            return tuple(x * value / size for x in whole)
        return (*whole[:head], put(whole[head], rest, value), *whole[head + 1 :])
    changed = {**whole, head: put(whole[head], rest, value)}
    return changed if isinstance(whole, dict) else Frozen(changed)


def put_all(blueprint: Blueprint, numbers: Mapping[str, Any]) -> Blueprint:
    """The same with other values of numbers, by name. Raises KeyError with the nearest name where there is none."""
    for name, value in numbers.items():
        blueprint = put(blueprint, path_of(blueprint, name), value)
    return blueprint


# The table --------------------------------------------------------------------------------------------------------


def _all(b: Blueprint, like: str | None) -> Iterator[tuple[str, Path]]:
    """Names of all that is written, of components too."""
    for key in b.parameters:
        yield key, ("parameters", key)
    if _length(b.gravity) > 0:
        yield "gravity", ("gravity", SIZE)
    for name, path in _written(b, like):
        yield name, path
        yield from _components(b, name, path)


def _written(b: Blueprint, like: str | None) -> Iterator[tuple[str, Path]]:
    yield "gravity", ("gravity",)
    for name in b.ground:
        yield f"{GROUND}.{name}", ("ground", name, "at")
    for k, body in enumerate(b.bodies):
        if like is not None and not like.startswith(body.name):
            continue
        for key in BODY_KEYS:
            yield f"{body.name}.{key}", ("bodies", k, key)
        yield f"{body.name}.{'angle' if b.dim == 2 else 'quaternion'}", ("bodies", k, "attitude")
        for name in body.ports:
            yield f"{body.name}.{name}", ("bodies", k, "ports", name, "at")
    for room in ROOMS:
        for k, part in enumerate(getattr(b, room)):
            if like is not None and not like.startswith(part.name):
                continue
            for f in fields(part):
                value = getattr(part, f.name)
                if isinstance(value, Mapping):
                    inner = f"{part.name}.initial." if f.name == "initial" else f"{part.name}."
                    yield from ((inner + name, (room, k, f.name, name)) for name in value)
                elif value is not None and f.name not in NO_NUMBERS:
                    yield f"{part.name}.{f.name}", (room, k, f.name)


def _components(b: Blueprint, name: str, path: Path) -> Iterator[tuple[str, Path]]:
    """Of a vector, also of one that is not written, those that have names."""
    value, key = get(b, path), path[-1]
    if value is None:
        vector = key in ("position", "velocity") or (b.dim == 3 and key == "spin")
        count = b.dim if vector else 0
    else:
        count = len(value) if isinstance(value, tuple) else 0
    if count == 1:  # a torque in the plane
        yield name, (*path, 0)
        return
    letters = LETTERS.get(key, ("x", "y", "z"))
    for k in range(count if count <= len(letters) else 0):
        yield f"{name}.{letters[k]}", (*path, k)
        if key in SHORT and path[0] in ("bodies", "forces") and len(path) == 3:
            yield f"{name.removesuffix(f'.{key}')}.{SHORT[key][k]}", (*path, k)


def _length(vector: Iterable[float]) -> float:
    return float(sum(x * x for x in vector) ** 0.5)


def _shape(value: Any) -> Shape | None:
    """None of what is no number and no vector of numbers."""
    if isinstance(value, tuple):
        return (len(value),) if all(_shape(x) == () for x in value) else None
    return () if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unfit(blueprint: Blueprint, table: Table, name: str, value: Any, shape: Shape) -> str:
    """Why a value of this shape cannot stand where `value` does."""
    if value is None:
        return f"'{name}' is not written in the mechanism, so that assembly chooses it; write it first"
    own = _shape(value)
    if own is not None:
        parts = [key for key in table if key.startswith(f"{name}.")] if shape == () else []
        words = f"; name one of them: {', '.join(parts)}" if parts else ""
        return f"'{name}' is {_counted(own)}, not {_counted(shape)}{words}"
    inside = value if isinstance(value, tuple) else (value,)
    text = next((x for x in inside if isinstance(x, str)), None)
    if text is not None:
        return f"'{name}' is the formula '{text}', no number; {nearest(text, blueprint.parameters)}"
    kind = "a function" if any(callable(x) for x in inside) else "something else"
    return f"'{name}' is {kind}, no number; {nearest(name, blueprint.parameters)}"


def _counted(shape: Shape) -> str:
    return f"an array {shape}" if len(shape) > 1 else counted(shape[0] if shape else 1, "number")
