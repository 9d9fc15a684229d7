"""Names of ports: points of bodies as a system knows them. Nothing here needs a compiler."""

from __future__ import annotations

from ..mechanism.parts import Blueprint, PortName

PREFIX = "port_load"  # of the loads on ports, and of their parameters
CHOICES = ("recipe", "coordinates", "treatment", "stabilisation", "integrator", "step", "rtol", "atol", "max_step")


def is_load(name: str) -> bool:
    """Whether a part of a box, or a channel, is of the loads on its ports."""
    return name.startswith(PREFIX)


def port_name(port: str) -> PortName:
    """`frame.H` as a point of a body."""
    body, _, point = port.rpartition(".")
    return PortName(body, point)


def ports_of(blueprint: Blueprint) -> list[str]:
    """All points of all bodies."""
    return [f"{body.name}.{point}" for body in blueprint.bodies for point in body.ports]
