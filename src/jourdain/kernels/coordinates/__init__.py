"""Coordinate sets, one file each: the only code that knows what q and v mean."""
