"""A mechanism as arrays, and what stands where in its state and its outputs."""
