"""Custom joints that are joints of the catalogue written out: for joint coordinates they are those joints."""

from __future__ import annotations

from dataclasses import replace

from ..mechanism.parts import Blueprint, Joint
from ..mechanism.port_axes import drawn_frame, joint_axes
from .catalogue import entry, known_type


def with_known_types(blueprint: Blueprint) -> Blueprint:
    """Custom joints that are joints of the catalogue written out get their names, and so their joint coordinates."""

    def named(joint: Joint) -> Joint:
        found = known_type(joint.equations, blueprint.dim) if joint.type == "custom" else None
        if found is None:
            return joint
        axes = joint_axes(blueprint, joint)
        R = {"i": drawn_frame(blueprint, joint.first.body), "j": drawn_frame(blueprint, joint.second.body)}
        signs = entry(found, blueprint.dim, None, ()).signs
        # A custom joint may be drawn the other way round, where the joint of the catalogue is refused.
        drawn_so = all((R["i"] @ axes[a]) @ (R["j"] @ axes[b]) > 0 for a, b in signs)
        return replace(joint, type=found, equations=()) if drawn_so else joint

    if not any(joint.type == "custom" for joint in blueprint.joints):
        return blueprint
    return replace(blueprint, joints=tuple(named(joint) for joint in blueprint.joints))
