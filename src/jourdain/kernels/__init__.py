"""Compiled code only: arrays in, arrays out. Imports nothing of Jourdain but kernels."""
