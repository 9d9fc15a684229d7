"""Springs, forces and torques as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..mechanism.parts import Blueprint, PointForce, PortName, SpringDamper
from .rows import Vectors
from .signals import Signals


@dataclass
class Loads:
    """SPRINGS, SPRING, LOADS and TORQUES under construction (columns: kernels/context.py)."""

    springs: list[tuple[int, int]] = field(default_factory=list)
    spring_constants: list[tuple[float, float, float]] = field(default_factory=list)
    loads: list[tuple[int, ...]] = field(default_factory=list)
    torques: list[tuple[int, ...]] = field(default_factory=list)

    def renumber(self, order: Sequence[int]) -> None:
        self.springs = [(order[a], order[b]) for a, b in self.springs]
        self.loads = [(order[p], *signals) for p, *signals in self.loads]

    def loaded(self, vectors: Vectors) -> list[tuple[int, int]]:
        """Every vector a force acts on, with its moving body or -1."""
        used = {v for pair in self.springs for v in pair} | {load[0] for load in self.loads}
        return [(v, vectors.moving(v)) for v in sorted(used)]


def collect_loads(blueprint: Blueprint, vectors: Vectors, signals: Signals) -> Loads:
    """All applied forces of the mechanism; springs in the order written."""
    found = Loads()

    def vector(port: PortName) -> int:
        return vectors.point(port.body, blueprint.port(port).at)

    for force in blueprint.forces:
        if isinstance(force, SpringDamper):
            found.springs.append((vector(force.first), vector(force.second)))
            found.spring_constants.append((force.stiffness, force.damping, force.length))
        elif isinstance(force, PointForce):
            components = [signals.add(s, f"force '{force.name}'") for s in force.vector]
            found.loads.append((vector(force.on), *components))
        else:
            components = [signals.add(s, f"torque '{force.name}'") for s in force.torque]
            found.torques.append((vectors.body_index(force.on), *components))
    return found
