"""Kernels of coordinate sets, one file each: with choices/coordinates the only code that knows what q and v mean."""
