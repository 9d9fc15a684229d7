"""Law: a force element of one's own, between two points or along a joint, with states where it needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...equations.formula import Formula, leaf, number
from ...equations.lowered import DISSIPATED, DRIVEN, OWN_POTENTIAL, STORED, Effort, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from .. import quantities as measured
from ..geometry import axis_of_ports, dot, length, separation
from ..kinds import FORCES, Kind, LinkSymbol, optional
from ..values import Local, Values
from .bushing import rotation_vector, turn_of_plane
from .laws import dropped

ALONG_LINE = ("length", "rate")
SHIFTS, SHIFT_RATES = ("x", "y", "z"), ("vx", "vy", "vz")
RATES = ("rate", *SHIFT_RATES)
OWN = "law"  # of leaves that stand for what its formulas may name
Names = tuple[str, ...]
ENERGIES = (STORED, DISSIPATED, DRIVEN)
OF_ENERGY = ("potential", "dissipated")


def _check(values: Values) -> Iterator[Fault]:
    if values.has("between") == values.has("joint"):
        both = values.has("joint")
        yield values.fault("between", "expected either two points or a joint" + (", not both" if both else ""))
        return
    if not any(values.has(key) for key in ("force", "vector", "couple")):
        yield values.fault("force", "expected a force" + ("" if values.has("joint") else ", a vector or a couple"))
    for key in ("vector", "couple"):
        if values.has("joint") and values.has(key):
            yield values.fault(key, f"{key} goes with two points; along a joint there is force alone")
    for key in ("potential", "dissipated"):
        if values.has("energy") and values.has(key):
            yield values.fault("energy", f"{key} says already where its work is counted; leave out one of them")
    states, rates = values.raw("states"), values.raw("rates")
    for name in states:
        if name not in rates:
            yield values.fault("rates", f"rates: the rate of state '{name}' is missing")
    for name in rates:
        if name not in states:
            words = f"rates: there is no state '{name}'; known: {', '.join(sorted(states)) or 'none'}"
            yield values.fault(f"rates.{name}", words)
    for name in sorted({*states} & {*values.raw("outputs")}):
        yield values.fault("outputs", f"'{name}' is used twice among states and outputs", name=name)


def _law(values: Values) -> Lowered:
    """Pull along the line, positive where the points are drawn together; vector and couple act on the second body."""
    turns, local = ((), _of_joint(values)) if values.has("joint") else _of_points(values)
    states = {name: values.own(name) for name in values.raw("states")}
    known: dict[str, Formula] = {**{name: leaf((OWN, name)) for name in local}, **states}
    _check_names(values, known)
    written = values.raw("outputs").items()
    known |= {name: values.read(text, "outputs", known) for name, text in written}

    def here(f: Formula) -> Formula:
        return f.resolved(lambda key: local[key[1]] if isinstance(key, tuple) and key[0] == OWN else leaf(key))

    efforts: list[Effort] = []
    channels = {name: local[name] for name in ALONG_LINE if name in local}
    for names, letters, formulas in _parts(values, turns, known):
        channels |= {letter: here(f) for letter, f in zip(letters, formulas, strict=True)}
        for name, f in zip(names, formulas, strict=True):
            parts = _split(values, -f if name == "length" else f)
            efforts += [Effort(local[name], here(part), account) for part, account in parts]
    channels |= {name: here(known[name]) for name, _ in written}
    starts = [values.at_start(values.read(start, "states")) for start in values.raw("states").values()]
    rates = [here(values.read(values.raw("rates")[name], "rates", known)) for name in states]
    found = tuple(zip(states, starts, rates, strict=True))
    held, heat = (here(values.formula(key, known)) if values.has(key) else None for key in OF_ENERGY)
    return Lowered(efforts=dropped(tuple(efforts)), states=found, channels=channels, potential=held, dissipated=heat)


def _parts(values: Values, turns: tuple[str, ...], known: Local) -> Iterator[tuple[Names, Names, tuple[Formula, ...]]]:
    """What is written: the quantities along which it acts, the channels it is, and its formulas."""
    dim = values.blueprint.dim
    if values.has("force") and values.has("joint"):
        channel = "torque" if values.coordinate().angular else "force"
        yield ("coordinate",), (channel,), (values.formula("force", known),)
    elif values.has("force"):
        yield ("length",), ("force",), (values.formula("force", known),)
    if values.has("vector"):
        shifts = SHIFTS[:dim]
        yield shifts, tuple(f"f{n}" for n in shifts), values.formulas("vector", known)
    if values.has("couple"):
        yield turns, ("mz",) if dim == 2 else ("mx", "my", "mz"), values.formulas("couple", known)


def _split(values: Values, f: Formula) -> tuple[tuple[Formula, str], ...]:
    """Where the work of a formula is counted, unless said: at rest it is stored, what rates add to that is dissipated.

    What depends on states, on channels or on t is counted as driven.
    """
    if values.has("energy"):
        return ((f, values.raw("energy")),)
    if values.has("potential"):
        return ((f, OWN_POTENTIAL),)
    if values.has("dissipated"):
        return ((f, STORED),)
    own = [key[1] for key in f.quantities() if isinstance(key, tuple) and key[0] == OWN]
    foreign = [key for key in f.quantities() if not isinstance(key, tuple) and key not in values.blueprint.parameters]
    if foreign or any(node.op == "t" for node in f.nodes()):
        return ((f, DRIVEN),)
    if not {*own} & {*RATES}:
        return ((f, STORED),)
    still = {(OWN, name) for name in RATES}
    at_rest = f.resolved(lambda key: number(0.0) if key in still else leaf(key))
    return (at_rest, STORED), (f - at_rest, DISSIPATED)


def _check_names(values: Values, known: Local) -> None:
    """That formulas use no name of another dimension, or of points where it is along a joint."""
    found = [(key, text) for key in ("rates", "outputs") for text in values.raw(key).values()]
    for key in ("force", "vector", "couple", *OF_ENERGY):
        value = values.raw(key)
        found += [(key, one) for one in (value if isinstance(value, tuple | list) else (value,)) if one is not None]
    for key, text in found:
        for name in values.read(text, key).quantities():
            if name in LOCAL and name not in known:
                words = f"'{name}' means nothing {'along a joint' if values.has('joint') else 'here'}"
                raise values.error(key, f"{key}: {words}; known: {', '.join(known)}")


def _of_joint(values: Values) -> Local:
    q = values.coordinate()
    return {"coordinate": q.along, "rate": q.rate}


def _of_points(values: Values) -> tuple[tuple[str, ...], Local]:
    """What formulas may name: the distance, and the place and turn of the second port in axes of the first."""
    blueprint, (first, second) = values.blueprint, values.ports()
    dim = blueprint.dim
    distance, rate = length(blueprint, first, second)
    local = {"length": distance, "rate": rate}
    apart, moved = separation(blueprint, first, second), separation(blueprint, first, second, 1)
    axes_i = [axis_of_ports(blueprint, first, second, f"{n}_i") for n in SHIFTS[:dim]]
    axes_j = [axis_of_ports(blueprint, first, second, f"{n}_j") for n in SHIFTS[:dim]]
    for n, v, a in zip(SHIFTS, SHIFT_RATES, axes_i, strict=False):
        local[n] = dot(apart, a)
        local[v] = dot(moved, a) + dot(apart, axis_of_ports(blueprint, first, second, f"{n}_i", 1))
    turns = turn_of_plane(axes_i, axes_j) if dim == 2 else rotation_vector(axes_i, axes_j)
    names = ("angle",) if dim == 2 else ("rx", "ry", "rz")
    return names, {**local, **dict(zip(names, turns, strict=True))}


LOCAL = (*ALONG_LINE, *SHIFTS, *SHIFT_RATES, "angle", "rx", "ry", "rz", "coordinate")
_KEYS: Mapping[str, k.Key] = {
    "between": optional(k.PORTS, help="its two points; or joint"),
    "joint": optional(k.JOINT, help="along a coordinate of this one instead"),
    "force": optional(
        k.FORMULA,
        unit="N or N m",
        local=LOCAL,
        states=True,
        help="pull over length and rate; of a joint push, over coordinate, rate",
    ),
    "vector": optional(
        k.FORMULA, size="dim", unit="N", local=LOCAL, states=True, help="on the second body, in axes of the first point"
    ),
    "couple": optional(
        k.FORMULA, size="turns", unit="N m", local=LOCAL, states=True, help="likewise, about these axes"
    ),
    "states": optional(k.STARTS, {}, help="name of each state and its value at the start"),
    "rates": optional(k.FORMULAS, {}, local=LOCAL, help="the rate of each state"),
    "outputs": optional(k.FORMULAS, {}, local=LOCAL, help="formulas that are reported, and may stand in the others"),
    "potential": optional(
        k.FORMULA, unit="J", local=LOCAL, states=True, help="energy that it holds; its work is counted by this"
    ),
    "dissipated": optional(
        k.FORMULA,
        unit="W",
        local=LOCAL,
        states=True,
        help="power that it turns into heat; without potential the rest is stored",
    ),
    "energy": optional(k.WORD, words=ENERGIES, help="where its work is counted; by default as its formulas say"),
}
LAW = Kind(
    "law",
    _KEYS,
    _law,
    "a force of your own between two points or along a joint, with states where it needs them",
    FORCES,
    _check,
    symbol=LinkSymbol.COIL,
    measures={
        "length": measured.LENGTH,
        "rate": measured.VELOCITY,
        "force": measured.FORCE,
        **measured.FORCES,
        **dict.fromkeys(("torque", "mx", "my", "mz"), measured.MOMENT),
    },
    example='m.law("magnet", a["P"], b["Q"], force="0.02/length**4")',
)
