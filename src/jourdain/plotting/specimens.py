"""A picture of a type: a part of it between two plain bodies, or an assembly alone, as its file draws it.

Nothing is simulated and no joint is closed: what is seen is what the type says of itself, with its defaults.
"""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files.types.python_type import Type
from ..files.types.type_definition import Definition, Gap
from ..library import TYPES
from ..library.kinds import LinkSymbol
from ..mechanism import rotations
from ..mechanism.builder import Mechanism
from ..mechanism.parts import GROUND, SPATIAL, Blueprint, Body, PortName
from . import drawing_planar, drawing_spatial
from .forms import form_of
from .scene import Scene

Array = npt.NDArray[np.float64]

INCHES = 2.4
NAME = "part"
MOST_BODIES, MOST_STROKES = 200, 2000  # more than that is no picture
ARM = 2.0  # length of the bodies that strokes are shown on, over their extent


def picture(type: Definition) -> str:
    """As SVG; nothing where there is nothing to be seen, or where its defaults are no machine."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    blueprint = _specimen(type)
    if blueprint is None or not blueprint.bodies:
        return ""
    flat = blueprint.dim == 2
    figure = Figure(figsize=(INCHES, INCHES), layout="constrained")
    axes: Any = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    (drawing_planar if flat else drawing_spatial).draw(Scene(_AsDrawn(blueprint), 0), axes)
    axes.set_title("", loc="left")
    axes.set_axis_off()
    for text in [*axes.texts]:
        text.remove()
    if axes.get_legend() is not None:
        axes.get_legend().remove()
    file = StringIO()
    with rc_context({"svg.hashsalt": type.name}):
        figure.savefig(file, format="svg", bbox_inches="tight", pad_inches=0.05, metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]


def _specimen(type: Definition) -> Blueprint | None:
    """A mechanism of the type alone, its bars as long as suits the strokes."""
    if type.kind != "assembly" and not type.ports:
        return None
    found = _of_size(type, 1.0)
    if len(found.bodies) > MOST_BODIES:
        return None
    strokes = [place for body in found.bodies if body.look for line in body.look.strokes for place in line]
    if len(strokes) > MOST_STROKES:
        return None
    if strokes and type.kind != "assembly":
        found = _of_size(type, ARM * float(np.max(np.abs(strokes))) or 1.0)
    return found if found.bodies and all(body.position is not None for body in found.bodies) else None


def _of_size(type: Definition, size: float) -> Blueprint:
    dim = 3 if type.space == SPATIAL else 2
    m = Mechanism(type.name, gravity=(0, -9.81) if dim == 2 else (0, 0, -9.81))
    given = {name: _value(gap) for name, gap in type.parameters.items() if gap.default is None}
    given |= dict.fromkeys((name for name, gap in type.signals.items() if gap.default is None), 0.0)
    ends = [] if type.kind == "assembly" else _ends(m, type, dim, size)
    faults = Type.of(type).place(m, NAME, ends, given)
    return Mechanism(type.name).frozen() if faults else m.frozen()


def _value(gap: Gap) -> float:
    """A number within bounds, in SI: one, or what is nearest to it."""
    limits = {key: node.value for key, node in gap.bounds.items() if isinstance(node.value, int | float)}
    low = max((limits[key] for key in ("above", "at_least") if key in limits), default=-np.inf)
    high = min((limits[key] for key in ("below", "at_most") if key in limits), default=np.inf)
    if low < 1.0 < high:
        return 1.0
    return float(0.5 * (low + high) if np.isfinite(low + high) else low + 1.0 if np.isfinite(low) else high - 1.0)


def _ends(m: Mechanism, type: Definition, dim: int, size: float) -> list[PortName]:
    """Ends of bars: in a corner where the part is a joint, apart from each other where it is a force."""
    links = (LinkSymbol.RUBBER.value, TYPES[type.of].symbol.value if type.of in TYPES else "")
    drawn = type.symbol.value if type.symbol is not None else links[1]
    corner = type.kind == "joint" or drawn == links[0]
    found: list[PortName] = []
    for k, port in enumerate(type.ports):
        turn = np.pi if k == 0 else 0.3 * np.pi if corner else 0.0
        along = size * np.array([np.cos(turn), np.sin(turn), 0.0])[:dim]
        place = size * np.array([0.0 if corner else 1.2 * k, 0.0, 0.0])[:dim]
        solid: dict[str, Any] = {"inertia": 1.0, "angle": 0.0}
        if dim == 3:
            solid = {"inertia": (1.0, 1.0, 1.0), "quaternion": (1.0, 0.0, 0.0, 0.0)}
        points = {"end": (0.0,) * dim, "far": tuple(map(float, along))}
        body = m.body(f"{port}_body", mass=1.0, position=tuple(map(float, place)), points=points, **solid)
        found.append(body["end"])
    return found


def _frame(body: Body, dim: int) -> Array:
    if dim == 2:
        return rotations.matrix_from_angle(float(body.attitude or 0.0))  # type: ignore[arg-type]
    return rotations.matrix_from_quaternion(body.attitude or (1.0, 0.0, 0.0, 0.0))  # type: ignore[arg-type]


class _AsDrawn:
    """A mechanism where it is written to be, as one sample."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.t = np.zeros(1)
        self.blueprint = blueprint
        self.name = blueprint.name
        self.position = np.array([[body.position for body in blueprint.bodies]], dtype=float)
        self.frame = np.array([[_frame(body, blueprint.dim) for body in blueprint.bodies]])
        self._places = {body.name: k for k, body in enumerate(blueprint.bodies)}
        every = [self.position[0, k] + form_of(body).points(blueprint.dim) @ self.frame[0, k].T
                 for k, body in enumerate(blueprint.bodies)]  # fmt: skip
        self.size = float(np.max(np.ptp(np.concatenate(every), axis=0))) or 1.0

    @property
    def poses(self) -> _AsDrawn:
        return self

    def index(self, body: str) -> int:
        return self._places[body]

    def place(self, port: PortName) -> Array:
        """A point, (time, component)."""
        at = np.array(self.blueprint.port(port).at, dtype=float)
        if port.body == GROUND:
            return at[None]
        k = self.index(port.body)
        return np.asarray(self.position[:, k] + at @ self.frame[0, k].T)

    def __getitem__(self, name: str) -> Array:
        return np.zeros(1)
