"""Joints as scalar products: terms, the catalogue, and the symbols with which users write their own."""

from . import pappalardo
from .formula import t
from .vectors import M, N, dot, e_x, e_y, e_z, x_i, x_j, y_i, y_j, z_i, z_j

__all__ = ["M", "N", "dot", "e_x", "e_y", "e_z", "pappalardo", "t", "x_i", "x_j", "y_i", "y_j", "z_i", "z_j"]
