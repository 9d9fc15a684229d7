"""Joints of the spatial recursion: where a link is carried, how it moves there, and the columns of B.

See articulated_spatial.py for the mathematics. A link's place starts as that of the carrying port: its axes in R, r
from the parent's origin in ARM. The joint turns and shifts it and leaves the relative angular velocity and velocity in
REL, from which angular velocity and bias follow.
"""

from numba import njit

from ..core.context import ints, reals
from ..core.sines import sines_and_cosines
from ..layout.link_columns_spatial import *  # noqa: F403 - others take the columns from here
from ..layout.link_columns_spatial import (
    ARM,
    BIAS,
    LEAD,
    REL,
    B,
    F,
    J,
    P,
    R,
    T,
    W,
)
from .table import (
    COLUMNS,
    CONSTANTS,
    CYLINDRICAL,
    FAST_INSIDE,
    FREE,
    LINKS,
    N_LINKS,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SCREW,
    SPHERICAL,
    STATE,
    TURNS,
    UNIVERSAL,
)


@njit(**FAST_INSIDE)
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@njit(**FAST_INSIDE)
def _turns(ctx, q, first, last, second):
    """Cosines and sines of all coordinates that are angles; a universal joint has a second, behind those of links."""
    links = ints(ctx, LINKS)
    turns = reals(ctx, TURNS)
    angles, cosines, sines = turns[0], turns[1], turns[2]
    others = second
    for j in range(first, last):
        kind = links[j, 1]
        k = links[j, 2]
        if kind in (REVOLUTE, SCREW, CYLINDRICAL):
            turns[0, j] = q[k]
        elif kind == UNIVERSAL:
            turns[0, j] = q[k]
            turns[0, second] = q[k + 1]
            second += 1
        elif kind == PLANAR:
            turns[0, j] = q[k + 2]
    if first == 1 and last > ctx[N_LINKS]:  # whole blocks
        sines_and_cosines(angles, cosines, sines)
    else:
        sines_and_cosines(angles[first:last], cosines[first:last], sines[first:last])
        sines_and_cosines(angles[others:second], cosines[others:second], sines[others:second])


@njit(**FAST_INSIDE)
def _turn(st, j, a, b, c, s):
    """Turn two of the link's axes about the third."""
    for k in range(0, 9, 3):
        x = st[j, R + k + a]
        y = st[j, R + k + b]
        st[j, R + k + a] = c * x + s * y
        st[j, R + k + b] = c * y - s * x


@njit(**FAST_INSIDE)
def _column(cols, l, st, j, axis, rotation, translation):
    """Column of B along one of the link's present axes."""
    for k in range(3):
        cols[l, B + k] = rotation * st[j, R + 3 * k + axis]
        cols[l, B + 3 + k] = translation * st[j, R + 3 * k + axis]


@njit(**FAST_INSIDE)
def _moved(st, j, axis, shift, spin, speed):
    """Shift along one of the link's present axes, and move about and along it."""
    for k in range(3):
        e = st[j, R + 3 * k + axis]
        st[j, ARM + k] += e * shift
        st[j, REL + k] += e * spin
        st[j, REL + 3 + k] += e * speed


@njit(**FAST_INSIDE)
def _place_axial(ctx, st, cols, j, q, v):
    """Joints that turn about Z and slide along it: prismatic, screw, cylindrical."""
    links = ints(ctx, LINKS)
    turns = reals(ctx, TURNS)
    kind = links[j, 1]
    k = links[j, 2]
    l = links[j, 3]
    if kind == PRISMATIC:
        _column(cols, l, st, j, 2, 0.0, 1.0)
        _moved(st, j, 2, q[k], 0.0, v[l])
        return
    if kind == SCREW:
        lead = reals(ctx, CONSTANTS)[j, LEAD]
        _column(cols, l, st, j, 2, 1.0, lead)
        _moved(st, j, 2, lead * q[k], v[l], lead * v[l])
    else:
        _column(cols, l, st, j, 2, 1.0, 0.0)
        _column(cols, l + 1, st, j, 2, 0.0, 1.0)
        _moved(st, j, 2, q[k + 1], v[l], v[l + 1])
    _turn(st, j, 0, 1, turns[1, j], turns[2, j])


@njit(**FAST_INSIDE)
def _place_planar(ctx, st, cols, j, q, v):
    links = ints(ctx, LINKS)
    turns = reals(ctx, TURNS)
    k = links[j, 2]
    l = links[j, 3]
    for axis in range(2):
        _column(cols, l + axis, st, j, axis, 0.0, 1.0)
        _moved(st, j, axis, q[k + axis], 0.0, v[l + axis])
    _column(cols, l + 2, st, j, 2, 1.0, 0.0)
    _moved(st, j, 2, 0.0, v[l + 2], 0.0)
    _turn(st, j, 0, 1, turns[1, j], turns[2, j])


@njit(**FAST_INSIDE)
def _place_universal(ctx, st, cols, j, v, second):
    """Turn about z_i, then about z_j, which at zero is -y_i while x_j is x_i. Leaves (z_i q1') x (z_j q2') in BIAS."""
    l = ints(ctx, LINKS)[j, 3]
    turns = reals(ctx, TURNS)
    _column(cols, l, st, j, 2, 1.0, 0.0)
    _turn(st, j, 0, 1, turns[1, j], turns[2, j])
    for k in range(0, 9, 3):
        y = st[j, R + k + 1]
        st[j, R + k + 1] = st[j, R + k + 2]
        st[j, R + k + 2] = -y
    _column(cols, l + 1, st, j, 2, 1.0, 0.0)
    for k in range(3):
        st[j, REL + k] = cols[l, B + k] * v[l] + cols[l + 1, B + k] * v[l + 1]
    turn = v[l] * v[l + 1]
    x, y, z = cols[l + 1, B], cols[l + 1, B + 1], cols[l + 1, B + 2]
    x, y, z = cross(cols[l, B], cols[l, B + 1], cols[l, B + 2], x, y, z)
    st[j, BIAS] = turn * x
    st[j, BIAS + 1] = turn * y
    st[j, BIAS + 2] = turn * z
    _turn(st, j, 0, 1, turns[1, second], turns[2, second])


@njit(**FAST_INSIDE)
def _place_ball(st, cols, j, q, k, v, l):
    """Any rotation, by the quaternion at q[k] from the axes of the carrying port."""
    for axis in range(3):
        _column(cols, l + axis, st, j, axis, 1.0, 0.0)
        _moved(st, j, axis, 0.0, v[l + axis], 0.0)
    w, x, y, z = q[k], q[k + 1], q[k + 2], q[k + 3]
    d = 2.0 / (w * w + x * x + y * y + z * z)  # so that rounding of its length does no harm
    xx, yy, zz = 1.0 - d * (y * y + z * z), 1.0 - d * (x * x + z * z), 1.0 - d * (x * x + y * y)
    xy, yx = d * (x * y - w * z), d * (x * y + w * z)
    xz, zx = d * (x * z + w * y), d * (x * z - w * y)
    yz, zy = d * (y * z - w * x), d * (y * z + w * x)
    for row in range(0, 9, 3):
        a, b, c = st[j, R + row], st[j, R + row + 1], st[j, R + row + 2]
        st[j, R + row] = a * xx + b * yx + c * zx
        st[j, R + row + 1] = a * xy + b * yy + c * zy
        st[j, R + row + 2] = a * xz + b * yz + c * zz


@njit(**FAST_INSIDE)
def _swung(st, j, wx, wy, wz, rx, ry, rz):
    """w_i x (w_i x r) as bias of the origin."""
    tx, ty, tz = cross(wx, wy, wz, rx, ry, rz)
    st[j, BIAS + 3], st[j, BIAS + 4], st[j, BIAS + 5] = cross(wx, wy, wz, tx, ty, tz)


@njit(**FAST_INSIDE)
def _place_other(ctx, st, j, q, v, wx, wy, wz, second):
    """The link of any joint but a pin, from the carrying port in R and ARM."""
    links = ints(ctx, LINKS)
    cols = reals(ctx, COLUMNS)
    kind = links[j, 1]
    k = links[j, 2]
    l = links[j, 3]
    for c in range(6):
        st[j, REL + c] = 0.0
        st[j, BIAS + c] = 0.0
    if kind in (PRISMATIC, SCREW, CYLINDRICAL):
        _place_axial(ctx, st, cols, j, q, v)
    elif kind == UNIVERSAL:
        _place_universal(ctx, st, cols, j, v, second)
    elif kind == SPHERICAL:
        _place_ball(st, cols, j, q, k, v, l)
    elif kind == PLANAR:
        _place_planar(ctx, st, cols, j, q, v)
    elif kind == FREE:
        for axis in range(3):
            _column(cols, l + axis, st, j, axis, 0.0, 1.0)
            _moved(st, j, axis, q[k + axis], 0.0, v[l + axis])
        _place_ball(st, cols, j, q, k + 3, v, l + 3)
    ox, oy, oz = st[j, REL], st[j, REL + 1], st[j, REL + 2]
    st[j, W] = wx + ox
    st[j, W + 1] = wy + oy
    st[j, W + 2] = wz + oz
    tx, ty, tz = cross(wx, wy, wz, ox, oy, oz)
    st[j, BIAS] += tx
    st[j, BIAS + 1] += ty
    st[j, BIAS + 2] += tz
    _swung(st, j, wx, wy, wz, st[j, ARM], st[j, ARM + 1], st[j, ARM + 2])
    tx, ty, tz = cross(wx, wy, wz, st[j, REL + 3], st[j, REL + 4], st[j, REL + 5])
    st[j, BIAS + 3] += 2.0 * tx
    st[j, BIAS + 4] += 2.0 * ty
    st[j, BIAS + 5] += 2.0 * tz


@njit(**FAST_INSIDE, forceinline=True)
def place_part(ctx, q, v, first, last, second):
    """Axes, arms, angular velocities, bias accelerations and columns of B of links from `first` up to `last`.

    What carries them is placed. Second angles start at `second`.
    """
    links = ints(ctx, LINKS)
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    turns = reals(ctx, TURNS)
    _turns(ctx, q, first, last, second)
    for j in range(first, last):
        i = links[j, 0]
        kind = links[j, 1]
        for k in range(0, 9, 3):
            x, y, z = st[i, R + k], st[i, R + k + 1], st[i, R + k + 2]
            st[j, R + k] = x * con[j, T] + y * con[j, T + 3] + z * con[j, T + 6]
            st[j, R + k + 1] = x * con[j, T + 1] + y * con[j, T + 4] + z * con[j, T + 7]
            st[j, R + k + 2] = x * con[j, T + 2] + y * con[j, T + 5] + z * con[j, T + 8]
            st[j, ARM + k // 3] = x * con[j, P] + y * con[j, P + 1] + z * con[j, P + 2]
        wx, wy, wz = st[i, W], st[i, W + 1], st[i, W + 2]
        if kind == REVOLUTE:
            speed = v[links[j, 3]]
            zx, zy, zz = st[j, R + 2], st[j, R + 5], st[j, R + 8]
            _turn(st, j, 0, 1, turns[1, j], turns[2, j])
            st[j, W] = wx + zx * speed
            st[j, W + 1] = wy + zy * speed
            st[j, W + 2] = wz + zz * speed
            tx, ty, tz = cross(wx, wy, wz, zx, zy, zz)
            st[j, BIAS] = speed * tx
            st[j, BIAS + 1] = speed * ty
            st[j, BIAS + 2] = speed * tz
            _swung(st, j, wx, wy, wz, st[j, ARM], st[j, ARM + 1], st[j, ARM + 2])
        else:
            _place_other(ctx, st, j, q, v, wx, wy, wz, second)
            if kind == UNIVERSAL:
                second += 1
        if links[j, 5] != 1:  # ends and junctions; other links get theirs from the only one they carry
            for column in range(J, F + 3):
                st[j, column] = 0.0
