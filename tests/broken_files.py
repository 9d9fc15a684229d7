"""A healthy mechanism file, and ways to break it: each an exchange of text in it, with the faults that are told."""

from __future__ import annotations

import broken_parts
import broken_texts

HEALTHY = """\
jourdain: 1
name: press
gravity: [0, -9.81]
parameters:
  L: 40 cm
  k: 2 kN/m
  half: L/2
ground:
  points: {O: [0, 0], W: {at: [1, 0], angle: 90 deg}}
bodies:
  crank:
    mass: 3
    inertia: 0.04
    position: [half, 0]
    angle: 0 deg
    points: {A: [-half, 0], B: [half, 0]}
  rod:
    mass: 2
    shape: {rod: 1}
    position: [L + 0.5, 0]
    points: {B: [-0.5, 0], C: [0.5, 0]}
joints:
  A: {type: revolute, between: [ground.O, crank.A]}
  B: {type: revolute, between: [crank.B, rod.B], initial: {angle: 10 deg}}
relations:
  mesh: {type: gear, joints: [A, B], ratio: -2}
forces:
  spring: {type: spring-damper, between: [ground.W, rod.C], stiffness: k, damping: 15, length: 25 mm}
  push: {type: force, on: rod.C, vector: [10*sin(2*pi*t), 0]}
  pad: {type: bushing, between: [ground.W, rod.C], stiffness: [1 kN/m, 1000, 3 N m]}
  snow: {type: line-load, between: [rod.B, rod.C], vector: [0, -500*s]}
elements:
  lag: {type: first-order, input: A.angle, time_constant: 0.1 s}
motions:
  drive: {joint: A, angle: 1500 rpm * t}
events:
  hit: {when: rod.C.y - 1 mm, direction: falling, set: {k: 2*k}, off: spring}
off: [mesh]
simulate: {duration: 5 s, rtol: 1e-8}
"""

EXCHANGES = broken_texts.EXCHANGES | broken_parts.EXCHANGES


def broken(name: str) -> str:
    """The healthy file with one thing wrong."""
    old, new, _ = EXCHANGES[name]
    assert HEALTHY.count(old) == 1, name
    return HEALTHY.replace(old, new)
