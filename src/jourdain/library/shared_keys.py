"""Keys that several kinds of components have, each said once."""

from __future__ import annotations

from . import kinds as k
from .kinds import Key, optional

BETWEEN = Key(k.PORTS)
CONTACT_DAMPING = "relative growth of the force per m/s (rad/s) of approach"
INPUTS = optional(k.NAMES, help="what a function takes")
INPUTS_INSTEAD = optional(k.NAMES, help="what a function takes, instead of t")
