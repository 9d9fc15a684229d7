"""A moment of the machine as bytes, little-endian, the same for every page but for the channels it asked for.

uint32   serial, scene, version, flags (1 plays, 2 failed)
float64  step, t, end of the branch, speed asked for, speed as it is
uint32   subscription, hands
float32  of each body x, y, angle; in space x, y, z and a quaternion w, x, y, z; then 0 to a multiple of 8 bytes
float64  channels, in the order in which they were asked for
float64  centre of mass; of each hand its number, 1 if it turns, point, target, force or torque (2 or 3 each), power
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from ..live.look import Look

HEAD = struct.Struct("<4I5d2I")
PLAYS, FAILED = 1, 2


def packed(look: Look, serial: int, scene: int, subscription: int, channels: Sequence[str]) -> bytes:
    """The bytes of a snapshot."""
    frame = look.frame
    flags = (PLAYS if frame.playing else 0) | (FAILED if frame.sentence else 0)
    speeds = frame.target_speed, frame.actual_speed
    head = (serial, scene, frame.version, flags, float(frame.n), frame.t, look.end, *speeds)
    poses = np.concatenate([look.places, look.attitudes], axis=1).astype("<f4").tobytes()
    rest = [look.values.get(name, float("nan")) for name in channels]
    rest += look.centre.tolist()
    for hand in look.hands:
        rest += [hand.number, hand.turns, *hand.at.tolist(), *hand.target.tolist(), *hand.force.tolist(), hand.power]
    padding = b"\0" * (-len(poses) % 8)
    return HEAD.pack(*head, subscription, len(look.hands)) + poses + padding + np.array(rest, "<f8").tobytes()
