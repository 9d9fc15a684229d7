"""Machines of several boxes: each keeps its data to itself, joints between them see only the connected points."""
