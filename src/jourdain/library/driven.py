"""Whether something moves a mechanism by the clock."""

from __future__ import annotations

from ..mechanism.parts import Blueprint
from .mechanism_faults import joint_entries


def is_driven(blueprint: Blueprint) -> bool:
    """Whether it has a motion, or a joint of its own with the time in an equation."""
    if blueprint.motions:
        return True
    rows = (row for entry in joint_entries(blueprint) for row in entry.equations)
    return any(not f.constant for row in rows for f in (*row.products.values(), row.free))
