"""The time loop as Python sees it: events, singular positions, stiffness, progress, sentences."""
