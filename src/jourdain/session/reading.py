"""Channels of one state, read one at a time: by a place in the state or in what is reported there, where there is one.

A controller reads a channel in every frame; making a Solution of it took a thousand times as long.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..mechanism.parts import SpringDamper
from ..model.flat import FlatModel
from ..model.formula_tables import switched
from ..results.channels import SPRING_CHANNELS, WRENCH_CHANNELS

STATE, OUTPUT = 0, 1
Place = tuple[int, int]  # STATE or OUTPUT, and which number of it

# What stands in q and v of a body, by coordinate set, if its origin is its mass centre.
POSES = {"angle": ("x", "y", "angle"), "quaternion": ("x", "y", "z", "qw", "qx", "qy", "qz")}
TWISTS = {"angle": ("vx", "vy", "spin"), "quaternion": ("vx", "vy", "vz", "wx", "wy", "wz")}
ROTATIONS = ("angle", "spin", "qw", "qx", "qy", "qz", "wx", "wy", "wz")  # wherever the origin is


def places(model: FlatModel) -> dict[str, Place]:
    """Channels that are single numbers of the state, or of what is reported there."""
    return dict((*_bodies(model), *_elements(model), *_reported(model)))


def _bodies(model: FlatModel) -> Iterator[tuple[str, Place]]:
    poses, twists = POSES.get(model.coordinates, ()), TWISTS.get(model.coordinates, ())
    if not poses:
        return
    for b, (body, data) in enumerate(zip(model.blueprint.bodies, model.body_data, strict=True)):
        centred = not np.any(data.centre)
        for names, where in ((poses, model.layout.q_of[b]), (twists, model.layout.v_of[b])):
            for k, name in enumerate(names):
                if centred or name in ROTATIONS:
                    yield f"{body.name}.{name}", (STATE, where.start + k)


def _elements(model: FlatModel) -> Iterator[tuple[str, Place]]:
    for element, name in model.states:
        yield f"{element}.{name}", (STATE, model.layout.state(element, name))
    for work in ("dissipated", "driven"):
        yield f"energy.{work}", (STATE, model.layout.work(work))


def _reported(model: FlatModel) -> Iterator[tuple[str, Place]]:
    blueprint, out = model.blueprint, model.outputs
    yield "violation.position", (OUTPUT, out.position_error)
    yield "violation.velocity", (OUTPUT, out.velocity_error)
    yield "energy.kinetic", (OUTPUT, out.kinetic)
    springs = [force.name for force in blueprint.forces if isinstance(force, SpringDamper)]
    for k, spring in enumerate(springs):
        for i, name in enumerate(SPRING_CHANNELS):
            if spring not in switched(blueprint):
                yield f"{spring}.{name}", (OUTPUT, out.springs.start + len(SPRING_CHANNELS) * k + i)
    for name in model.reports:
        yield name, (OUTPUT, out.report(name))
    names = WRENCH_CHANNELS[blueprint.dim]
    for k, joint in enumerate(blueprint.joints):
        for i, name in enumerate(names):
            first = out.wrenches.start + 2 * k * len(names) + i
            yield f"{joint.name}.on_first.{name}", (OUTPUT, first)
            yield f"{joint.name}.{name}", (OUTPUT, first + len(names))
