"""Joint coordinates: the articulated body algorithm, and loops closed on it."""
