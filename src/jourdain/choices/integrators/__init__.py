"""The third free choice: how time goes on. One file for each integrator; this is the list of those that have a name."""

from __future__ import annotations

from ..contract import Integrator
from .ab6 import Ab6
from .bdf import Bdf
from .dop853 import Dop853
from .dopri5 import Dopri5
from .generalized_alpha import GeneralizedAlpha
from .hht import Hht
from .newmark import Newmark
from .radau import Radau
from .rk4 import Rk4
from .rk6 import Rk6

INTEGRATORS: dict[str, type[Integrator]] = {
    kind.name: kind for kind in (Rk4, Rk6, Ab6, Newmark, GeneralizedAlpha, Hht, Dop853, Dopri5, Radau, Bdf)
}
