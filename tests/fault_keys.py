"""That the part and the key of a fault exist: whoever looks a fault up by them finds something."""

from __future__ import annotations

from collections.abc import Iterable

import jourdain as jd
from jourdain.files import vocabulary
from jourdain.library import TYPES
from jourdain.library.forces.parts_as_components import as_component
from jourdain.mechanism.parts import Blueprint, Component

JOINT_KEYS = {"type", *(key for table in vocabulary.JOINTS.values() for key in table)}
EVENT_KEYS = {*vocabulary.EVENT, "call"}


def keys_of_parts(blueprint: Blueprint) -> dict[str, set[str]]:
    """What may be wrong with each part of a mechanism, by name."""
    found: dict[str, set[str]] = {"": set(vocabulary.TOP)}
    found |= {name: set() for name in blueprint.parameters}
    for body in ("ground", *(body.name for body in blueprint.bodies)):
        found[body] = set(vocabulary.BODY)
        found |= {f"{body}.{point}": set(vocabulary.POINT) for point in blueprint.ports_of(body)}
    found |= {joint.name: JOINT_KEYS for joint in blueprint.joints}
    for part in (*blueprint.components, *blueprint.forces):
        component = part if isinstance(part, Component) else as_component(part)
        known = TYPES[component.type].keys if component.type in TYPES else ()
        found[part.name] = {"type", *known, *component.values}
    return found | {event.name: EVENT_KEYS for event in blueprint.events}


def assert_they_exist(faults: Iterable[jd.Fault], blueprint: Blueprint) -> None:
    known = keys_of_parts(blueprint)
    for fault in faults:
        key = fault.key.partition(".")[0]
        if fault.part not in known:  # so wrong that it was not made
            assert fault.words.startswith(f"joint '{fault.part}': "), fault
            assert key in JOINT_KEYS, fault
        else:
            used_twice = "all parts share one namespace" in fault  # the name tells not whose key it is
            assert not key or used_twice or key in known[fault.part] or "unknown key" in fault, fault
