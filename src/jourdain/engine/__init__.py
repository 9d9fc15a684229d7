"""The room that knows the context: what kernels are asked and what they answer, by name."""
