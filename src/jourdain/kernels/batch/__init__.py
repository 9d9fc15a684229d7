"""Many variants of one mechanism: one by one, and in vector lanes."""
