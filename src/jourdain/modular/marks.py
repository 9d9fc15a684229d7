"""Checkpoints of a system: the states of all boxes and the macro point, as bytes; never anything to be executed."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import numpy as np

from ..mechanism.errors import SimulationError
from .box import PortMotion
from .own_box import MechanismBox
from .step import Point
from .system_numbers import set_back

if TYPE_CHECKING:
    from .coupled import SystemSession

MAGIC = b"JDSYSTEM"
HEAD = struct.Struct("<8sI")
ARRAYS = ("z", "lam", "wrench", "ended")


def written(session: SystemSession) -> bytes:
    """Everything that a later macro step reads."""
    for name, box in session.boxes.items():
        if not box.restores:
            raise SimulationError(f"subsystem '{name}' cannot go back, so there is nothing to write down")
    marks = session.network.states()
    points = [session.point]
    arrays = [array for p in points for array in (*p.motion, *(getattr(p, key) for key in ARRAYS))]
    head = {
        "boxes": session.network.names,
        "links": _links(session),
        "numbers": session.numbers,
        "inside": {name: box.session.numbers for name, box in session.boxes.items() if isinstance(box, MechanismBox)},
        "marks": [len(mark) for mark in marks],
        "shapes": [list(np.shape(array)) for array in arrays],
        "points": [[p.t, p.scale, p.work, p.made] for p in points],
        "past": [[t, lam.tolist()] for t, lam in session.point.past],
        "macro": session.macro.now,
        "before": session.point.before and [session.point.before[0], session.point.before[1].tolist()],
    }
    text = json.dumps(head).encode()
    numbers = b"".join(np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays)
    return HEAD.pack(MAGIC, len(text)) + text + numbers + b"".join(marks)


def _links(session: SystemSession) -> list[str]:
    """What stands between the boxes, in words."""
    interface = session.network.interface
    links = session.whole.links
    parts = [part.name for part in (*links.joints, *links.forces, *links.components)]
    return [*session.whole.ports, *parts, *(f"{row.joint}: {row.meaning}" for row in interface.rows)]


def restore(session: SystemSession, mark: bytes) -> None:
    """Back to a checkpoint of this session, or of one of the same system with the same options."""
    try:
        magic, length = HEAD.unpack_from(mark)
        head = json.loads(mark[HEAD.size : HEAD.size + length])
    except (struct.error, ValueError, TypeError):
        magic, head = b"", {}
    if magic != MAGIC or head.get("boxes") != session.network.names:
        raise SimulationError("these bytes are no checkpoint of this system: its subsystems are others")
    if head["links"] != _links(session):
        raise SimulationError("these bytes are no checkpoint of this system: what joins its subsystems was another")
    set_back(session, head["numbers"], head["inside"])
    at, arrays = HEAD.size + length, []
    for shape in head["shapes"]:
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(mark, "<f8", count, at).reshape(shape).copy())
        at += 8 * count
    points = []
    width = len(PortMotion._fields) + len(ARRAYS)
    for k, (t, scale, work, made) in enumerate(head["points"]):
        own = arrays[k * width : (k + 1) * width]
        motion = PortMotion(*own[: len(PortMotion._fields)])
        z, lam, wrench, ended = own[len(PortMotion._fields) :]
        joints, factor, Y = (getattr(session.point, key) for key in ("joints", "factor", "Y"))  # for a moment
        points.append(Point(t, motion, z, lam, wrench, joints, factor, scale, ended, Y, work=work, made=made))
    for name, size in zip(session.network.names, head["marks"], strict=True):
        session.boxes[name].restore(mark[at : at + size])
        at += size
    network, now = session.network, points[0]
    network.motion, network.t = now.motion, now.t
    now.joints = network.joints(now.t, now.motion, now.z)
    now.Y = network.mobility()
    now.factor = network.factor(now.joints.J, now.Y)
    if head["before"] is not None:
        t, Y = head["before"]
        now.before = t, np.array(Y)
    now.past = tuple((t, np.array(lam)) for t, lam in head["past"])
    session.point = now
    session.z, session.macro.now = now.z, head["macro"]
    session.kept.cut(now.t)
