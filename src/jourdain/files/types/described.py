"""A type in words: what `jourdain types` prints, writes as JSON, and puts on the page of a library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...library import TYPES as COMPONENTS
from ...library.joints import KINDS as JOINTS
from ...library.kinds import Key
from .. import vocabulary
from .filling import end_keys
from .type_definition import Definition, Gap


@dataclass(frozen=True)
class Described:
    """What a reader wants to know of a type."""

    name: str
    section: str
    says: str
    own: bool = False  # of a library or a file, not built in
    place: str = ""  # where it is defined
    space: str = ""
    of: str = ""
    ports: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()  # keys by which it is connected
    parameters: dict[str, dict[str, str]] = field(default_factory=dict)
    signals: dict[str, dict[str, str]] = field(default_factory=dict)
    channels: tuple[str, ...] = ()
    variants: tuple[Described, ...] = ()

    @property
    def sections(self) -> tuple[str, ...]:
        """Where it may stand: variants of other kinds stand elsewhere, too."""
        return tuple(dict.fromkeys((self.section, *(one.section for one in self.variants))))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = {key: value for key, value in vars(self).items() if key not in ("variants", "own") and value}
        found = {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}
        if self.variants:
            found["variants"] = {one.name: one.to_dict() for one in self.variants}
        return found

    def lines(self) -> Iterator[str]:
        """All of it."""
        space = f", {self.space} only" if self.space else ""
        of = f", of {self.of}" if self.of else ""
        yield f"{self.name}  (under {' or '.join(self.sections)}{of}{space})"
        yield from (f"  {line}" for line in (self.says, self.place and f"defined at {self.place}") if line)
        if self.ends:
            what = f": {', '.join(self.ports)}" if self.ports else ""
            yield f"  connected by {' and '.join(self.ends)}{what}"
        elif self.ports:
            yield f"  ports: {', '.join(self.ports)}"
        for title, gaps in (("parameters", self.parameters), ("signals", self.signals)):
            if gaps:
                yield f"  {title}:"
            width = max(map(len, gaps), default=0)
            for name, words in gaps.items():
                yield f"    {name:<{width}}  {'; '.join(filter(None, (words['about'], words['says'])))}"
        if self.channels:
            yield f"  channels: {', '.join(self.channels)}"
        for variant in self.variants:
            yield f"  variant {variant.name}  (of {variant.of})" if variant.of else f"  variant {variant.name}"
            yield from (f"  {line}" for line in [*variant.lines()][1:])


def of_definition(type: Definition, name: str = "", place: bool = True) -> Described:
    """A type of one's own; of variants only what they add."""
    variants = tuple(_variant(type, key, one) for key, one in type.variants.items())
    common = _common(type)
    return Described(
        name=name or type.name,
        section=type.section,
        says=_says(type),
        own=True,
        place=str(type.mark) if place else "",
        space=type.space,
        of=type.of if not variants or len({one.of for one in type.variants.values()}) == 1 else "",
        ports=type.ports or type.joints,
        ends=end_keys(type),
        parameters={key: _gap(gap) for key, gap in type.parameters.items() if key in common},
        signals={key: _gap(gap) for key, gap in type.signals.items() if key in common},
        channels=tuple(type.channels),
        variants=variants,
    )


def _says(type: Definition) -> str:
    """What the type says of itself, whatever its variants say."""
    return " ".join(str(type.node["says"].value).split()) if "says" in type.node else ""


def _common(type: Definition) -> set[str]:
    """Gaps that all variants have."""
    gaps = [{*one.parameters, *one.signals} for one in (type.variants or {"": type}).values()]
    return set.intersection(*gaps)


def _variant(type: Definition, name: str, one: Definition) -> Described:
    common = _common(type)
    return Described(
        name=name,
        section=one.section,
        says=one.says if one.says != _says(type) else "",
        of=one.of,
        parameters={key: _gap(gap) for key, gap in one.parameters.items() if key not in common},
        signals={key: _gap(gap) for key, gap in one.signals.items() if key not in common},
    )


def _gap(gap: Gap) -> dict[str, str]:
    return {"about": gap.about(), "says": gap.says, "unit": gap.unit}


def built_in() -> dict[str, Described]:
    """All types that need no library, by name; a screw is a joint and a relation."""
    found: dict[str, Described] = {}
    for joint in JOINTS:
        keys = {key: _key(one) for key, one in joint.keys.items()}
        found[joint.name] = Described(joint.name, "joints", joint.summary, ends=("between",), parameters=keys)
    for kind in COMPONENTS.values():
        ends = tuple(key for key in ("between", "on", "joint", "joints") if key in kind.keys)
        all_keys = vocabulary.component_keys(kind)
        keys = {key: _key(one) for key, one in all_keys.items() if key not in ends}
        says = f"{kind.summary[0].upper()}{kind.summary[1:]}."
        if kind.name not in found:
            found[kind.name] = Described(kind.name, kind.section, says, ends=ends, parameters=keys)
    return found


def _key(key: Key) -> dict[str, str]:
    expected = key.expected(2).file
    words = [expected, key.unit, "" if key.required or key.default is None else f"default {key.default}"]
    return {"about": ", ".join(filter(None, words)), "says": key.help, "unit": key.unit}


def example(type: Described, name: str = "") -> str:
    """A line that uses it, with what has to be given."""
    given = {
        key: words for key, words in {**type.parameters, **type.signals}.items() if "to be given" in words["about"]
    }
    ends = [f"{key}: {_placeholder(key, type.ports)}" for key in type.ends]
    variant = ["variant: .."] if type.variants else []
    keys = [
        f"type: {type.name}",
        *variant,
        *ends,
        *(f"{key}: .. {words['unit']}".rstrip() for key, words in given.items()),
    ]
    if type.section == "assemblies":
        keys.append("position: [..]")
    return f"{type.section}:\n  {name or 'NAME'}: {{{', '.join(keys)}}}"


def _placeholder(key: str, ports: tuple[str, ...]) -> str:
    if key in ("on", "joint"):
        return "BODY.POINT" if key == "on" else "JOINT"
    if key == "between":
        return f"[{', '.join('BODY.POINT' for _ in ports or (1, 2))}]"
    return f"[{', '.join('JOINT' for _ in ports or (1, 2))}]"
