"""What every component is made of: a few kinds of parts, all written in formulas.

A gear, a bushing or a DC motor is lowered to these (`library/`), and the compiler knows nothing else. The
leaves of their formulas have keys:

    "crank.x", "A.angle"            a channel, or a parameter where there is no dot
    ("at", body, (x, y), k, order)  component k of a body point, in body axes from the origin; order 1: of its velocity
    ("axis", i, j, "x_i", k, order) component k of an axis of two ports (PortName), completed as for a joint of them
    "along", "rate"                 inside the magnitude of an Effort: its quantity and the rate of that
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..mechanism.frozen import Frozen
from .formula import Formula

# Where the work of a force is counted: total = kinetic + potential + dissipated - driven is constant. `stored` is
# potential energy found by integrating the power; a force with a `potential` of its own needs no account.
DRIVEN, DISSIPATED, STORED, OWN_POTENTIAL = "driven", "dissipated", "stored", "potential"


@dataclass(frozen=True)
class Equation:
    """A constraint `formula = 0` over positions and t; with `velocity` over velocities too, in which it may be linear.

    A `floating` one holds whatever value the formula has once the mechanism is assembled (the phase of gears).
    """

    formula: Formula
    meaning: str
    velocity: bool = False
    floating: bool = False
    linear: bool = True  # in the velocities


@dataclass(frozen=True)
class Effort:
    """A force along a quantity: `magnitude` times the gradient of `along`, so its power is magnitude times the rate.

    Positive pushes `along` to grow. `along` is a formula over positions only: an angle, a displacement, a length.
    """

    along: Formula
    magnitude: Formula
    account: str
    potential: Formula | None = None  # J, over positions; with account OWN_POTENTIAL


@dataclass(frozen=True)
class Load:
    """A force on a point of a body, components in fixed axes. `at` is in body axes, from the origin."""

    body: str
    at: tuple[float, ...]
    vector: tuple[Formula, ...]
    account: str = DRIVEN


@dataclass(frozen=True)
class Couple:
    """A torque on a body: one component in the plane, three in fixed axes in space."""

    body: str
    vector: tuple[Formula, ...]
    account: str = DRIVEN


@dataclass(frozen=True)
class Lowered:
    """A component as parts. `states` are (name, start, rate); `channels` are reported as `component.name`.

    `potential` (J, over positions and states) is of all its efforts, `dissipated` (W) what they turn into heat; with
    that alone the rest of their work is stored. Such efforts have the account OWN_POTENTIAL or STORED.
    """

    equations: tuple[Equation, ...] = ()
    efforts: tuple[Effort, ...] = ()
    loads: tuple[Load, ...] = ()
    couples: tuple[Couple, ...] = ()
    states: tuple[tuple[str, float, Formula], ...] = ()
    channels: Mapping[str, Formula] = field(default_factory=lambda: Frozen({}))
    potential: Formula | None = None
    dissipated: Formula | None = None
