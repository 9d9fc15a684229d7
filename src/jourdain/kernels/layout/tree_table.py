"""The table of a tree of links: its fields with their shapes, words of the header, kinds of joints, parts.

Columns of CONSTANTS, STATE and COLUMNS are in link_columns_planar.py and link_columns_spatial.py.
"""

from .fields import FIELD_COUNT, H_Q, H_V
from .fields import TABLE_LENGTH as _CONTEXT_LENGTH

BLOCK = 4  # angles that kernels/core/sines.py takes at once

# Fields, behind those of fields.py: so the time loops and whatever else lives on that table can use this one.
(
    LINKS,  # int (n + 1, 6)        parent, kind, first coordinate, first velocity, number of velocities, number
    # of links that it carries
    CONSTANTS,  # float (n + 1, ..) of each link, columns as the kernel says
    STATE,  # float (n + 1, ..)     likewise, written by every evaluation
    COLUMNS,  # float (nv, ..)      of each joint velocity, likewise; in space only
    TURNS,  # float (3, n + 1 ..)   angles that turn, their cosines and sines; rows a multiple of BLOCK long
    LOADS,  # float (n + 1, 3 or 6) applied moment at the link's origin and force, fixed axes
    EFFORTS,  # float (nv, 1)       force or torque along each joint velocity
    GRAVITY,  # float (dim, 1)      fixed axes, m/s^2
    CLOCK,  # float (1, 1)          the time, for applied forces
    PLACES,  # float (n + 1, 2 dim) position and velocity of every link's origin, fixed axes
    BODIES,  # int (n + 1, 1)       body of each link
    OWNERS,  # int (nvec, 1)        link of each body vector
    OWN,  # float (nvec, dim + 1)   its components in link axes, from the link's origin for points; 1 for points
    WINDING,  # int (nturn, 3)      place in Z of an angle that formulas unwrap, its coordinate or -1, its link or -1:
    # where states have no z that counts turns
    OFFSET,  # float (nturn, 1)     angle of that link in its body
    # nd = 3 or 6 (see joint_coordinates.py and loop_closing.py).
    LIFT,  # float (n + 1, nd)      acceleration of every link's origin at v' = 0: angular, then linear; fixed axes
    MATRIX,  # float (n + 1, nd^2)  articulated inertia, moment and force against angular and linear acceleration
    PASSING,  # float (n + 1, 2 nd) wrench on its way inward, acceleration on its way outward
    ELIMINATED,  # float (nv, 2 nd + 2)  of each joint velocity: b, U = M b, 1 / b.U, u
    SPOTS,  # int (nspot, 2)        a row where it is carried: row, and its spot in the parent's list or -1
    SPOT_RANGES,  # int (n + 1, 6)  of each link: first spot, first that goes on inward, past-last, pair, crossing,
    # first of CLOSINGS
    SPOT_PAIRS,  # int (n, 1)       place in MEETING of each pair of a link's spots that go on inward
    CLOSINGS,  # int (n, 4)         of each row, where its loop closes: place of its pivot in MEETING, first and
    # past-last of its NEIGHBOURS, first of CLOSING_UPDATES
    NEIGHBOURS,  # int (n, 2)       a row that meets another that closes: its spot, place in MEETING of the pair
    CLOSING_UPDATES,  # int (n, 1)  places in MEETING of the pairs of such neighbours, each with itself and those behind
    SLOT_SPOTS,  # int (nslot bs, 1)  spot of each row of each slot of J, or -1
    SHARES,  # float (nspot, nd)    G: how a row's multiplier acts on the link
    CROSSINGS,  # float (n, 1)      b.G of each joint velocity and each row that passes it
    MEETING,  # float (n, 1)        R of rows that are carried together; 1 / d of a row that was solved
    SUMS,  # float (nrow, 1)        R's diagonal if every link were free, against which pivots are judged
    PENDING,  # float (nrow, 1)     right-hand sides on their way inward
    RESPONSE,  # float (nv, 1)      -M^-1 J^T lam of the multipliers that were last solved for
    TREE_WORK,  # float (3, nd^2)   scratch
    CARRIERS,  # int (n + 1, 2)     reaction sides of the joint that carries a link: on the link, on its parent; or -1
    PORTS,  # float (n + 1, dim)    the parent's port from the parent's origin, axes of the parent link
    PARTS,  # int (npart, 4)        first and past-last link, first second angle of universal joints, TRUNK or BRANCH
    _PAST,
) = range(FIELD_COUNT, FIELD_COUNT + 37)

# Header: number of coordinates and velocities where every context has them, the rest behind the fields. HAS_LOADS is 1
# if anything acts on the bodies or asks where they are; OPEN is 1 for a tree without rows whose forces do not depend on
# reactions.
N_Q, N_V = H_Q, H_V
_FIRST = _CONTEXT_LENGTH + 3 * (_PAST - LINKS)
N_LINKS, HAS_LOADS, OPEN = range(_FIRST, _FIRST + 3)
TABLE_LENGTH = _FIRST + 3

# Kinds of joint coordinates. Order and signs are described in docs/recursion.md.
WELD, REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE = range(9)

# Parts of a tree (see model/tree/branches.py).
BRANCH, TRUNK = range(2)
