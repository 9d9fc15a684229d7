"""Everything that a live machine may need is compiled and loaded before it starts: nothing stops the picture later.

A machine with one of everything, in the coordinates and with the method at hand, runs for two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..mechanism.builder import Mechanism
from ..mechanism.errors import JourdainError
from ..mechanism.parts import PLANAR
from ..session.begin import begin

Told = Callable[[int, int, str], None]


def warm_up(space: str, written: Mapping[str, Any], told: Told) -> None:
    """Run machines that need what others may need."""
    own = "angle" if space == PLANAR else "quaternion"
    given = {key: value for key, value in written.items() if key != "coordinates"}
    sets = (written["coordinates"],) if written.get("coordinates") else (own, "relative")
    makers = [(make, coordinates) for coordinates in sets for make in (_jointed, _driven)]
    for k, (make, coordinates) in enumerate(makers):
        told(k, len(makers), f"what machines in {coordinates} coordinates need")
        try:
            session = begin(make(space == PLANAR), coordinates=coordinates, **given)
            step = float(getattr(session.choices.integrator, "step", None) or 1e-3)
            session.through(np.array([step, 2 * step]))
            session.checkpoint()
        except JourdainError:
            continue  # such a choice takes no such machine; the user's own is compiled in any case
    told(len(makers), len(makers), "ready")


def _jointed(planar: bool) -> Mechanism:
    """Pins, slides, a loop, springs, dry friction, loads that are formulas, a state of its own, an event."""
    m = Mechanism("warm-up", gravity=(0, -9.81) if planar else (0, 0, -9.81))
    inertia: Any = 1.0 if planar else (1.0, 1.0, 1.0)

    def place(x: float, y: float) -> tuple[float, ...]:
        return (x, y) if planar else (x, y, 0.0)

    points = {"A": place(-0.5, 0), "B": place(0.5, 0)}
    bars = [m.body(f"b{k}", mass=1, inertia=inertia, position=place(k + 0.5, 0.0), points=points) for k in range(3)]
    m.ground.point("O", place(0, 0))
    m.ground.point("E", place(3, 1))
    m.revolute("J0", m.ground["O"], bars[0]["A"])
    m.revolute("J1", bars[0]["B"], bars[1]["A"])
    m.prismatic("J2", bars[1]["B"], bars[2]["A"])
    m.distance("rod", m.ground["E"], bars[2]["B"], length=1)
    if not planar:
        m.universal("U", m.ground["E"], bars[2]["B"])
        m.switch_off("U")
    m.spring_damper("S", m.ground["E"], bars[0]["B"], stiffness=10, damping=1, length=1)
    m.friction("F", joint="J0", coefficient=0.1, radius=0.01)
    m.force("P", on=bars[0]["B"], vector=("sin(t)*b0.vx", *("0",) * (1 if planar else 2)))
    m.element("L", states={"w": 0}, rates={"w": "b0.vx - w"})
    m.event("late", "t - 1e6")
    return m


def _driven(planar: bool) -> Mechanism:
    """A motion, a gear, and an equation of one's own."""
    m = Mechanism("warm-up", gravity=(0, -9.81) if planar else (0, 0, -9.81))
    inertia: Any = 1.0 if planar else (1.0, 1.0, 1.0)
    zero = (0.0,) * (2 if planar else 3)
    for k in range(2):
        at = (float(k), *zero[1:])
        wheel = m.body(f"w{k}", mass=1, inertia=inertia, position=at, points={"O": zero, "P": (0.3, *zero[1:])})
        m.revolute(f"R{k}", m.ground.point(f"O{k}", at), wheel["O"])
    m.gear("G", joints=("R0", "R1"), ratio=-1)
    m.motion("M", joint="R0", speed="1 + 0.1*t")
    m.torque("T", on=m["w1"], torque="-w1.spin" if planar else ("0", "0", "-w1.wz"))
    return m
