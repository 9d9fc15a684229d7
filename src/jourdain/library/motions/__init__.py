"""Prescribed motions: one file a kind. A new one is a file and its line in `KINDS`."""

from __future__ import annotations

from ..kinds import Kind
from .motion import MOTION

KINDS: tuple[Kind, ...] = (MOTION,)
