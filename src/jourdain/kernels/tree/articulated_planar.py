"""The articulated body algorithm in the plane, and recursive Newton-Euler: dynamics of trees both ways, in O(n).

With w the spin of a link and a the acceleration of its origin O (both of the link's own frame, fixed axes), joint by
joint (Wijckmans 1992, eqs 3.17-3.26; Bae and Haug 1987):

    (w', a)_j = A (w', a)_i + B q'' + c          A = [[1, 0], [r_perp, 1]],  r from O_i to O_j
    revolute:  B = (1, 0)       c = -w_i^2 r
    prismatic: B = (0, axis)    c = -w_i^2 r + 2 w_i axis_perp q'
    free:      B = 1            c = 0            q = x, y, angle; only on the ground

Inward, with the inertia M = [[J, H], [H, m]] of a link and everything it carries (J a number, H two, m a symmetric
2 x 2 matrix) and the wrench p = (N, F) that it needs at zero acceleration:

    D = B^T M B,  u = tau - B^T p
    M~ = M - M B B^T M / D,  p~ = p + M~ c + M B u / D;  the parent gets A^T M~ A and A^T p~

and outward q'' = (u - B^T M (A a_i + c)) / D. In the code M c goes into p first, and U = M B at once into the parent's
frame. Behind a pin nothing of J and H is left in M~.

Gravity is an acceleration of the ground upwards. The inertia of the next link inward stays in registers: waiting for
memory would make chains slower by a quarter. So do spin, angle and acceleration on the way outward.
"""

from numba import njit

from ..core.context import OMEGA, VEC, ints, reals
from ..core.sines import sines_and_cosines
from ..layout.link_columns_planar import *  # noqa: F403 - others take the columns from here
from ..layout.link_columns_planar import (
    AX,
    AY,
    BX,
    BY,
    DW,
    FX,
    FY,
    HX,
    HY,
    INERTIA,
    MASS,
    MCX,
    MCY,
    MXX,
    MXY,
    MYY,
    PX,
    PY,
    RX,
    RY,
    SENSE,
    TILT,
    UN,
    UX,
    UY,
    C,
    J,
    N,
    S,
    U,
    W,
)
from .forward import make_passes
from .loads import make_load
from .table import (
    BODIES,
    CONSTANTS,
    EFFORTS,
    FAST_INSIDE,
    FREE,
    GRAVITY,
    HAS_LOADS,
    LIFT,
    LINKS,
    LOADS,
    N_LINKS,
    OWN,
    OWNERS,
    PLACES,
    PRISMATIC,
    REVOLUTE,
    STATE,
    TURNS,
)

DIM = 2


@njit(**FAST_INSIDE)
def ready(ctx):
    """Gravity is an acceleration of the ground upwards; its axes are the fixed ones."""
    st = reals(ctx, STATE)
    turns = reals(ctx, TURNS)
    gravity = reals(ctx, GRAVITY)
    turns[1, 0] = 1.0
    st[0, DW] = 0.0
    st[0, AX] = -gravity[0, 0]
    st[0, AY] = -gravity[1, 0]


@njit(**FAST_INSIDE, forceinline=True)
def place_part(ctx, q, v, first, last, second):
    """Attitudes, arms, spins and bias accelerations of links from `first` up to `last`; what carries them is placed."""
    links = ints(ctx, LINKS)
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    turns = reals(ctx, TURNS)
    # The first part takes the ground along and the last one the padding, so that whole trees are whole blocks.
    low = 0 if first == 1 else first
    high = turns.shape[1] if last > ctx[N_LINKS] else last
    angle, cosine, sine = turns[0], turns[1], turns[2]
    carrier = links[first, 0] if first < last else 0
    theta = angle[carrier]
    for j in range(first, last):
        i = links[j, 0]
        kind = links[j, 1]
        if i != j - 1:
            theta = angle[i]
        theta += con[j, TILT]
        if kind == REVOLUTE:
            theta += con[j, SENSE] * q[links[j, 2]]
        elif kind == FREE:
            theta += q[links[j, 2] + 2]
        angle[j] = theta
    sines_and_cosines(angle[low:high], cosine[low:high], sine[low:high])
    w = st[carrier, W]
    for j in range(first, last):
        i = links[j, 0]
        kind = links[j, 1]
        k = links[j, 2]
        if i != j - 1:
            w = st[i, W]
        c = cosine[i]
        s = sine[i]
        rx = c * con[j, PX] - s * con[j, PY]
        ry = s * con[j, PX] + c * con[j, PY]
        c = cosine[j]
        s = sine[j]
        if kind == REVOLUTE:
            st[j, BX] = -w * w * rx
            st[j, BY] = -w * w * ry
            w += con[j, SENSE] * v[k]
        elif kind == PRISMATIC:
            rx += c * q[k]
            ry += s * q[k]
            st[j, BX] = -w * w * rx - 2.0 * w * s * v[k]
            st[j, BY] = -w * w * ry + 2.0 * w * c * v[k]
        elif kind == FREE:
            rx = q[k]
            ry = q[k + 1]
            st[j, BX] = 0.0
            st[j, BY] = 0.0
            w = v[k + 2]
        else:
            st[j, BX] = -w * w * rx
            st[j, BY] = -w * w * ry
        st[j, W] = w
        st[j, C] = c
        st[j, S] = s
        st[j, RX] = rx
        st[j, RY] = ry
        if links[j, 5] > 1:
            for column in range(J, FY + 1):
                st[j, column] = 0.0


@njit(**FAST_INSIDE)
def _start(ctx):
    """Each link's own inertia and the wrench of its spin, less what is applied to it, for inverse dynamics."""
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    for j in range(1, ctx[N_LINKS] + 1):
        c = st[j, C]
        s = st[j, S]
        hx = c * con[j, MCX] - s * con[j, MCY]
        hy = s * con[j, MCX] + c * con[j, MCY]
        w2 = st[j, W] * st[j, W]
        st[j, J] = con[j, INERTIA]
        st[j, HX] = -hy
        st[j, HY] = hx
        st[j, MXX] = con[j, MASS]
        st[j, MXY] = 0.0
        st[j, MYY] = con[j, MASS]
        st[j, N] = 0.0
        st[j, FX] = -w2 * hx
        st[j, FY] = -w2 * hy
    if ctx[HAS_LOADS] == 1:
        loads = reals(ctx, LOADS)
        for j in range(1, ctx[N_LINKS] + 1):
            st[j, N] -= loads[j, 0]
            st[j, FX] -= loads[j, 1]
            st[j, FY] -= loads[j, 2]


@njit(**FAST_INSIDE)
def _leave(st, i, inertia, hx, hy, mxx, mxy, myy, n, fx, fy):
    """Add an inertia and a wrench to those of a link in memory."""
    st[i, J] += inertia
    st[i, HX] += hx
    st[i, HY] += hy
    st[i, MXX] += mxx
    st[i, MXY] += mxy
    st[i, MYY] += myy
    st[i, N] += n
    st[i, FX] += fx
    st[i, FY] += fy


@njit(**FAST_INSIDE)
def _put(st, i, inertia, hx, hy, mxx, mxy, myy, n, fx, fy):
    """Keep an inertia and a wrench in the row of a link."""
    for column in range(J, FY + 1):
        st[i, column] = 0.0
    _leave(st, i, inertia, hx, hy, mxx, mxy, myy, n, fx, fy)


@njit(**FAST_INSIDE)
def _with_others(st, j, inertia, hx, hy, mxx, mxy, myy, n, fx, fy):
    """An inertia and a wrench with those of a link in memory."""
    inertia, hx, hy = inertia + st[j, J], hx + st[j, HX], hy + st[j, HY]
    mxx, mxy, myy = mxx + st[j, MXX], mxy + st[j, MXY], myy + st[j, MYY]
    return inertia, hx, hy, mxx, mxy, myy, n + st[j, N], fx + st[j, FX], fy + st[j, FY]


@njit(**FAST_INSIDE, forceinline=True)
def inward_part(ctx, first, last):
    """Articulated inertias and wrenches; leaves A^T U / D, U / D and u / D of every joint in STATE.

    Of links from `first` up to `last`; what the first hands to a link of another part stays in its row. What takes
    longest is one link waiting for the next one outward, so products that do not need 1 / D are taken while it is
    computed: r_perp^T M~ r_perp = r_perp^T M r_perp - (r_perp^T M B)^2 / D, and so on.
    """
    links = ints(ctx, LINKS)
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    tau = reals(ctx, EFFORTS)
    loads = reals(ctx, LOADS)
    loaded = ctx[HAS_LOADS] == 1
    # What the next link outward passes on, where it is carried by this one.
    j_ = hx_ = hy_ = mxx_ = mxy_ = myy_ = n_ = fx_ = fy_ = 0.0
    for j in range(last - 1, first - 1, -1):
        i = links[j, 0]
        kind = links[j, 1]
        k = links[j, 3]
        c = st[j, C]
        s = st[j, S]
        x = c * con[j, MCX] - s * con[j, MCY]
        y = s * con[j, MCX] + c * con[j, MCY]
        w2 = st[j, W] * st[j, W]
        inertia = con[j, INERTIA] + j_
        hx = hx_ - y
        hy = hy_ + x
        mxx = con[j, MASS] + mxx_
        mxy = mxy_
        myy = con[j, MASS] + myy_
        n = n_
        fx = fx_ - w2 * x
        fy = fy_ - w2 * y
        if links[j, 5] > 1:  # other branches have left theirs here
            inertia, hx, hy, mxx, mxy, myy, n, fx, fy = _with_others(st, j, inertia, hx, hy, mxx, mxy, myy, n, fx, fy)
        if loaded:
            n -= loads[j, 0]
            fx -= loads[j, 1]
            fy -= loads[j, 2]
        if kind == FREE:  # solved on the way outward
            _put(st, j, inertia, hx, hy, mxx, mxy, myy, n, fx, fy)
        bx, by = st[j, BX], st[j, BY]
        rx, ry = st[j, RX], st[j, RY]
        n += hx * bx + hy * by
        fx += mxx * bx + mxy * by
        fy += mxy * bx + myy * by
        # m r_perp, and U = M B with A^T U.
        gx = mxy * rx - mxx * ry
        gy = myy * rx - mxy * ry
        ux = uy = ur = over = u = 0.0
        if kind == REVOLUTE:
            ux, uy = hx, hy
            ur = rx * hy - ry * hx  # without its own J, which would be there only to cancel
            over = 1.0 / inertia
            effort = con[j, SENSE] * tau[k, 0]
            u = (effort - n) * over
            inertia, hx, hy, n = 0.0, 0.0, 0.0, effort
        elif kind == PRISMATIC:
            ux = mxx * c + mxy * s
            uy = mxy * c + myy * s
            ur = hx * c + hy * s + rx * uy - ry * ux
            over = 1.0 / (c * ux + s * uy)
            u = (tau[k, 0] - c * fx - s * fy) * over
        st[j, UN] = ur * over
        st[j, UX] = ux * over
        st[j, UY] = uy * over
        st[j, U] = u
        j_ = inertia + rx * (2.0 * hy + gy) - ry * (2.0 * hx + gx) - ur * ur * over
        hx_ = hx + gx - ur * ux * over
        hy_ = hy + gy - ur * uy * over
        mxx_ = mxx - ux * ux * over
        mxy_ = mxy - ux * uy * over
        myy_ = myy - uy * uy * over
        n_ = n + rx * fy - ry * fx + ur * u
        fx_ = fx + ux * u
        fy_ = fy + uy * u
        if i != j - 1 or kind == FREE:
            if i >= first:
                _leave(st, i, j_, hx_, hy_, mxx_, mxy_, myy_, n_, fx_, fy_)
            elif i > 0:
                _put(st, j, j_, hx_, hy_, mxx_, mxy_, myy_, n_, fx_, fy_)
            j_ = hx_ = hy_ = mxx_ = mxy_ = myy_ = n_ = fx_ = fy_ = 0.0
    if 1 < first < last and links[first, 0] == first - 1:
        _put(st, first, j_, hx_, hy_, mxx_, mxy_, myy_, n_, fx_, fy_)


@njit(**FAST_INSIDE)
def join(ctx, j):
    """Add to a junction what the first link of a part left for it."""
    st = reals(ctx, STATE)
    i = ints(ctx, LINKS)[j, 0]
    if i > 0:
        _leave(
            st, i, st[j, J], st[j, HX], st[j, HY], st[j, MXX], st[j, MXY], st[j, MYY], st[j, N], st[j, FX], st[j, FY]
        )


@njit(**FAST_INSIDE, forceinline=True)
def outward_part(ctx, out, first, last):
    """Accelerations of joints and links, of links from `first` up to `last`."""
    links = ints(ctx, LINKS)
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    tau = reals(ctx, EFFORTS)
    gravity = reals(ctx, GRAVITY)
    carrier = links[first, 0] if first < last else 0
    w = st[carrier, DW]
    ax = st[carrier, AX]
    ay = st[carrier, AY]
    for j in range(first, last):
        i = links[j, 0]
        kind = links[j, 1]
        k = links[j, 3]
        if i != j - 1:
            w = st[i, DW]
            ax = st[i, AX]
            ay = st[i, AY]
        a = (st[j, U] - st[j, UN] * w) - (st[j, UX] * ax + st[j, UY] * ay)
        ax += st[j, BX] - w * st[j, RY]
        ay += st[j, BY] + w * st[j, RX]
        if kind == REVOLUTE:  # a is the link's whole angular acceleration
            out[k] = con[j, SENSE] * (a - w)
            w = a
        elif kind == PRISMATIC:
            ax += a * st[j, C]
            ay += a * st[j, S]
            out[k] = a
        elif kind == FREE:
            # Whole M (w', a) = tau - p, the spin eliminated first.
            over = 1.0 / st[j, J]
            gx = st[j, HX] * over
            gy = st[j, HY] * over
            n = tau[k + 2, 0] - st[j, N]
            fx = tau[k, 0] - st[j, FX] - gx * n
            fy = tau[k + 1, 0] - st[j, FY] - gy * n
            mxx = st[j, MXX] - st[j, HX] * gx
            mxy = st[j, MXY] - st[j, HX] * gy
            myy = st[j, MYY] - st[j, HY] * gy
            over_m = 1.0 / (mxx * myy - mxy * mxy)
            ax = (myy * fx - mxy * fy) * over_m
            ay = (mxx * fy - mxy * fx) * over_m
            w = n * over - gx * ax - gy * ay
            out[k] = ax + gravity[0, 0]
            out[k + 1] = ay + gravity[1, 0]
            out[k + 2] = w
        st[j, DW] = w
        st[j, AX] = ax
        st[j, AY] = ay


@njit(**FAST_INSIDE)
def efforts(ctx, a, out):
    """Recursive Newton-Euler: out = efforts that give all joints, once placed and loaded, the accelerations a.

    Leaves what each joint transmits in N, FX, FY.
    """
    links = ints(ctx, LINKS)
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    _start(ctx)
    for j in range(1, ctx[N_LINKS] + 1):
        i = links[j, 0]
        kind = links[j, 1]
        k = links[j, 3]
        w = st[i, DW]
        ax = st[i, AX] + st[j, BX] - w * st[j, RY]
        ay = st[i, AY] + st[j, BY] + w * st[j, RX]
        if kind == REVOLUTE:
            w += con[j, SENSE] * a[k]
        elif kind == PRISMATIC:
            ax += a[k] * st[j, C]
            ay += a[k] * st[j, S]
        elif kind == FREE:
            ax += a[k]
            ay += a[k + 1]
            w += a[k + 2]
        st[j, DW] = w
        st[j, AX] = ax
        st[j, AY] = ay
        st[j, N] += st[j, J] * w + st[j, HX] * ax + st[j, HY] * ay
        st[j, FX] += st[j, HX] * w + st[j, MXX] * ax + st[j, MXY] * ay
        st[j, FY] += st[j, HY] * w + st[j, MXY] * ax + st[j, MYY] * ay
    for j in range(ctx[N_LINKS], 0, -1):
        i = links[j, 0]
        kind = links[j, 1]
        k = links[j, 3]
        if kind == REVOLUTE:
            out[k] = con[j, SENSE] * st[j, N]
        elif kind == PRISMATIC:
            out[k] = st[j, C] * st[j, FX] + st[j, S] * st[j, FY]
        elif kind == FREE:
            out[k] = st[j, FX]
            out[k + 1] = st[j, FY]
            out[k + 2] = st[j, N]
        if i > 0:
            st[i, N] += st[j, N] + st[j, RX] * st[j, FY] - st[j, RY] * st[j, FX]
            st[i, FX] += st[j, FX]
            st[i, FY] += st[j, FY]


# Bodies --------------------------------------------------------------------------------------------------------------


@njit(**FAST_INSIDE)
def move(ctx, v):
    """PLACES and LIFT of all links, once they are placed; a spin changes with joint accelerations only."""
    links = ints(ctx, LINKS)
    st = reals(ctx, STATE)
    places = reals(ctx, PLACES)
    lift = reals(ctx, LIFT)
    for j in range(1, ctx[N_LINKS] + 1):
        i = links[j, 0]
        kind = links[j, 1]
        k = links[j, 3]
        w = st[i, W]
        places[j, 0] = places[i, 0] + st[j, RX]
        places[j, 1] = places[i, 1] + st[j, RY]
        places[j, 2] = places[i, 2] - w * st[j, RY]
        places[j, 3] = places[i, 3] + w * st[j, RX]
        if kind == PRISMATIC:
            places[j, 2] += st[j, C] * v[k]
            places[j, 3] += st[j, S] * v[k]
        elif kind == FREE:
            places[j, 2] += v[k]
            places[j, 3] += v[k + 1]
        lift[j, 1] = lift[i, 1] + st[j, BX]
        lift[j, 2] = lift[i, 2] + st[j, BY]


@njit(**FAST_INSIDE)
def vectors(ctx):
    """VEC and OMEGA, from PLACES and LIFT. Arms are from the link's origin, so that J is of twists there."""
    st = reals(ctx, STATE)
    places = reals(ctx, PLACES)
    lift = reals(ctx, LIFT)
    owners = ints(ctx, OWNERS)
    own = reals(ctx, OWN)
    bodies = ints(ctx, BODIES)
    vec = reals(ctx, VEC)
    omega = reals(ctx, OMEGA)
    for k in range(owners.shape[0]):
        j = owners[k, 0]
        c, s, w, point = st[j, C], st[j, S], st[j, W], own[k, 2]
        x = c * own[k, 0] - s * own[k, 1]
        y = s * own[k, 0] + c * own[k, 1]
        vec[k, 0] = point * places[j, 0] + x
        vec[k, 1] = point * places[j, 1] + y
        vec[k, 2] = x
        vec[k, 3] = y
        vec[k, 4] = point * places[j, 2] - w * y
        vec[k, 5] = point * places[j, 3] + w * x
        vec[k, 6] = point * lift[j, 1] - w * w * x
        vec[k, 7] = point * lift[j, 2] - w * w * y
    for j in range(1, ctx[N_LINKS] + 1):
        omega[bodies[j, 0], 0] = st[j, W]


load = make_load("planar", 2, move, vectors)
place, inward, outward, advance, trunk, evaluate = make_passes(
    "planar", ready, place_part, inward_part, outward_part, join, load
)
