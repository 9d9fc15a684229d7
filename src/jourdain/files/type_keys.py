"""What may stand in a type, beside the keys of the built-in kind that its main part is."""

from __future__ import annotations

from ..library import TYPES
from ..library import kinds as k
from ..library.joints import BY_NAME
from ..library.kinds import Key
from ..mechanism.parts import PLANAR, SPATIAL
from .vocabulary import NAMED, NAMES_OR_NAME, TABLE_OF, TEXT, FileKey

# The section in which a type of each kind is used, and the built-in type that its main part is unless it says another.
SECTIONS = {
    "joint": "joints",
    "force": "forces",
    "relation": "relations",
    "motion": "motions",
    "element": "elements",
    "assembly": "assemblies",
}
DEFAULT_OF = {
    "joint": "custom",
    "force": "law",
    "relation": "coupling",
    "motion": "motion",
    "element": "element",
    "assembly": "",
}
# Sections of parts that a type may bring beside its main part, in the order in which they are read.
INSIDE = ("tables", "assemblies", "ground", "bodies", "joints", "relations", "forces", "elements", "motions", "events")
BOUNDS = {"above": "more than", "at_least": "at least", "below": "less than", "at_most": "at most"}


def _optional(what: str, **more: object) -> FileKey:
    return FileKey(what, required=False, **more)  # type: ignore[arg-type]


SIGNAL_GAP: dict[str, FileKey] = {
    "unit": _optional(TEXT, help="in SI or any other", example="N m"),
    "default": _optional(k.FORMULA, help="without one it must be given"),
    "says": _optional(TEXT, help="what it is, in a sentence"),
}
GAP: dict[str, FileKey] = {
    **SIGNAL_GAP,
    "above": _optional(k.NUMBER, help="it must be more than that"),
    "at_least": _optional(k.NUMBER, help="it must not be less"),
    "below": _optional(k.NUMBER, help="it must be less than that"),
    "at_most": _optional(k.NUMBER, help="it must not be more"),
}
CHANNEL: dict[str, FileKey] = {
    "formula": FileKey(k.FORMULA, help="over its parts, ends and self"),
    "unit": _optional(TEXT, help="in which others may take it as a signal", example="V"),
    "says": _optional(TEXT, help="what it is, in a sentence"),
}
TYPE: dict[str, FileKey] = {
    "kind": _optional(k.WORD, words=tuple(SECTIONS), help="what it is, and so the section it is used in"),
    "says": _optional(TEXT, help="what it does, in a sentence"),
    "space": _optional(k.WORD, words=(PLANAR, SPATIAL), help="where it can be used, if not in both"),
    "of": _optional(TEXT, help="the built-in type that it fills in", example="spring"),
    "ports": _optional(k.NAMES, help="names of the points it is given; of an assembly: where its ports lead"),
    "joints": _optional(k.NAMES, help="names of the joints it is given; of an assembly: its own joints"),
    "parameters": _optional(NAMED, table=GAP, help="numbers that are given where it is used"),
    "signals": _optional(NAMED, table=SIGNAL_GAP, help="formulas that are given where it is used"),
    "channels": _optional(NAMES_OR_NAME, help="what every variant reports; with a formula where no part does"),
    "coordinates": _optional(NAMES_OR_NAME, help="the same, of a joint: what it leaves free"),
    "symbol": _optional(TABLE_OF, help="the name of a built-in symbol, or strokes in axes of its ports"),
    "variants": _optional(NAMED, help="models of different depth, chosen by `variant`"),
}
NAMES = Key(k.NAMES)


def built_in_types(kind: str) -> list[str]:
    """What `of` may say."""
    if kind == "joint":
        return sorted(BY_NAME)
    return sorted(name for name, one in TYPES.items() if one.section == SECTIONS[kind])
