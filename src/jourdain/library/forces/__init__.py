"""Forces: one file a kind. A new one is a file and its line in `KINDS`."""

from __future__ import annotations

from ..kinds import Kind
from .actuator import ACTUATOR
from .attraction import ATTRACTION
from .bushing import BUSHING
from .drag import DRAG
from .follower_force import FOLLOWER_FORCE
from .follower_torque import FOLLOWER_TORQUE
from .force import FORCE
from .friction import FRICTION
from .law import LAW
from .line_load import LINE_LOAD
from .rope import ROPE
from .spring import SPRING
from .spring_damper import SPRING_DAMPER
from .stop import STOP
from .torque import TORQUE
from .torsion_spring_damper import TORSION_SPRING_DAMPER

KINDS: tuple[Kind, ...] = (
    SPRING_DAMPER,
    FORCE,
    TORQUE,
    TORSION_SPRING_DAMPER,
    SPRING,
    BUSHING,
    ROPE,
    ATTRACTION,
    STOP,
    ACTUATOR,
    FRICTION,
    LAW,
    LINE_LOAD,
    DRAG,
    FOLLOWER_FORCE,
    FOLLOWER_TORQUE,
)
