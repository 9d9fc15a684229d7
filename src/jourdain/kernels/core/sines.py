"""Sine and cosine together, of many angles: a third of the time of a planar recursion went into libm.

The angle is reduced to |x| <= pi/4 by multiples of pi/2 in three parts (Cody and Waite 1980), then both series are
summed up to x^15 and x^16, whose next terms are below 1e-16. No branch, so that compilers take BLOCK angles
(layout/tree_table.py) at once. Beyond BIG, and for NaN, libm does it: there the three parts no longer suffice.
"""

import numpy as np
from numba import njit

from .context import FUSED, HOT

BIG = 1e5
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to whole numbers
TWO_OVER_PI = 0.6366197723675814
# pi/2 in parts of 33 bits each, so that whole multiples up to 2^20 are exact.
PART_1, PART_2, PART_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21

S3, S5, S7, S9 = -1 / 6.0, 1 / 120.0, -1 / 5040.0, 1 / 362880.0
S11, S13, S15 = -1 / 39916800.0, 1 / 6227020800.0, -1 / 1307674368000.0
C4, C6, C8, C10 = 1 / 24.0, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0
C12, C14, C16 = 1 / 479001600.0, -1 / 87178291200.0, 1 / 20922789888000.0


@njit(**HOT, **FUSED)
def _both(angle):
    """Cosine and sine of an angle below BIG."""
    turns = (angle * TWO_OVER_PI + ROUNDER) - ROUNDER
    x = ((angle - turns * PART_1) - turns * PART_2) - turns * PART_3
    z = x * x
    # Both series in halves that do not wait for each other.
    z2 = z * z
    z4 = z2 * z2
    s = ((S3 + z * S5) + z2 * (S7 + z * S9)) + z4 * ((S11 + z * S13) + z2 * S15)
    c = ((C4 + z * C6) + z2 * (C8 + z * C10)) + z4 * ((C12 + z * C14) + z2 * C16)
    s = x + x * z * s
    c = 1.0 - (0.5 * z - z2 * c)
    # The quadrant: exchange sine and cosine in odd ones; signs follow the second bit.
    half = (0.5 * turns + ROUNDER) - ROUNDER  # nearest whole; odd turns are exactly between two
    odd = abs(turns - 2.0 * half)
    quarter = 0.25 * (turns - odd)
    back = 1.0 - 4.0 * abs(quarter - ((quarter + ROUNDER) - ROUNDER))
    return back * ((1.0 - odd) * c - odd * s), back * (odd * c + (1.0 - odd) * s)


@njit(**HOT, **FUSED)
def sines_and_cosines(angles, cosines, sines):
    """Fill cosines and sines of all angles, quickest if their number is a multiple of BLOCK.

    An imaginary part carries a derivative: it is so small that its square is nothing.
    """
    n = angles.size
    small = True
    for k in range(n):
        small &= abs(angles[k].real) < BIG
    if not small:
        for k in range(n):
            cosines[k] = np.cos(angles[k])
            sines[k] = np.sin(angles[k])
        return
    for k in range(n):
        x = angles[k].real
        c, s = _both(x)
        rest = angles[k] - x
        cosines[k] = c - s * rest
        sines[k] = s + c * rest
