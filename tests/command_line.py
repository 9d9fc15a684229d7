"""A folder with one mechanism file, for tests of the command line."""

from __future__ import annotations

from pathlib import Path

ARM = """\
jourdain: 1
name: swinging arm
gravity: [0, -9.81]
parameters: {L: 1 m, k: 20 N/m}
ground: {points: {A: [0, 0], S: [0, -1.5]}}
bodies:
  arm: {mass: 1, inertia: L**2/12, position: [L/2, 0], angle: 0, points: {A: [-L/2, 0], B: [L/2, 0]}}
joints:
  A: {type: revolute, between: [ground.A, arm.A]}
forces:
  spring: {type: spring-damper, between: [ground.S, arm.B], stiffness: k, length: 1}
simulate: {duration: 1 s}
"""


def files() -> set[str]:
    """What is in the folder besides the file that was there."""
    return {path.name for path in Path().iterdir()} - {"arm.yaml"}


class Said:
    """What one call printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
