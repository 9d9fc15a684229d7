"""A healthy mechanism, and ways to make it sick, for the tests of faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jourdain as jd
from fault_keys import assert_they_exist
from jourdain.library.mechanism_faults import joint_entries
from jourdain.mechanism.parts import PortName

PLANAR_BODY: dict[str, Any] = {"mass": 1, "inertia": 1}
SPATIAL_BODY: dict[str, Any] = {"mass": 1, "inertia": (1, 1, 1)}
Build = Callable[[jd.Mechanism], Any]


def planar() -> jd.Mechanism:
    """A pendulum without fault: `crank` on the ground's A, with a free end B."""
    m = jd.Mechanism("sick", gravity=(0, -9.81))
    m.body("crank", mass=1, inertia=1, position=(1, 0), points={"A": (-1, 0), "B": (1, 0)})
    m.revolute("pin", m.ground.point("A", (0, 0)), m["crank"]["A"])
    return m


def spatial() -> jd.Mechanism:
    """The same in space, on a ball joint."""
    m = jd.Mechanism("sick", gravity=(0, 0, -9.81))
    m.body("crank", mass=1, inertia=(1, 1, 1), position=(1, 0, 0), points={"A": (-1, 0, 0), "B": (1, 0, 0)})
    m.spherical("pin", m.ground.point("A", (0, 0, 0)), m["crank"]["A"])
    return m


def faults_of(m: jd.Mechanism) -> tuple[str, ...]:
    """What `joint_entries` complains of; nothing if it does not."""
    try:
        joint_entries(m.frozen())
    except jd.MechanismError as error:
        assert_they_exist(error.faults, m.frozen())
        return tuple(map(str, error.faults))
    return ()


def crank(m: jd.Mechanism, point: str = "B") -> PortName:
    return m["crank"][point]


def body(**data: Any) -> Build:
    """A second body, with these changes to a healthy one."""
    healthy = {"planar": PLANAR_BODY, "spatial": SPATIAL_BODY}
    return lambda m: m.body("rod", **(healthy[m.space] | data))


def custom(*equations: Any) -> Build:
    return lambda m: m.custom("mine", m.ground["A"], crank(m), equations=list(equations))


def joint(kind: str, **data: Any) -> Build:
    return lambda m: m.joint(kind, "mine", m.ground["A"], crank(m), **data)


def push(*vector: Any) -> Build:
    return lambda m: m.force("push", on=crank(m), vector=list(vector))
