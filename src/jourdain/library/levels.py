"""Levels of what can be named in a formula, and which of them may stand where.

A position equation takes positions, a force also velocities, reactions and accelerations (which are then iterated), an
event anything that is known while a run goes on.
"""

from __future__ import annotations

# Levels: what a channel depends on, which says where it may stand.
PARAMETER, POSITION, VELOCITY, ACCELERATION = "parameter", "position", "velocity", "acceleration"
REACTION, ENERGY = "reaction", "energy"
RESULT = "result"  # of a component: its own formula says what it depends on
AFTER = "after"  # known over the samples of a run only; `Channel.refused` says why

OF_FORCE = (PARAMETER, POSITION, VELOCITY, ACCELERATION, REACTION, RESULT)
OF_EVENT = (*OF_FORCE, ENERGY)
OF_POSITION = (PARAMETER, POSITION, RESULT)
OF_VELOCITY = (PARAMETER, POSITION, VELOCITY, RESULT)
OF_TIME = (PARAMETER, RESULT)
OF_TARGET = (POSITION, VELOCITY)
LEVELS = {
    PARAMETER: ("a parameter", "parameters"),
    POSITION: ("a position", "positions"),
    VELOCITY: ("a velocity", "velocities"),
    ACCELERATION: ("an acceleration", "accelerations"),
    REACTION: ("a reaction force", "reaction forces"),
    ENERGY: ("an energy", "energies"),
    RESULT: ("a channel of a component", "channels of components"),
}
