"""A mechanism as flat arrays: what the kernels work on."""
