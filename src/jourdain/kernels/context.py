"""The context: one table of addresses through which every kernel reaches its arrays and its neighbours.

Passing named tuples of arrays between kernels that are not inlined cost 70 ns a call with 24 arrays, as much as
the mathematics; a table of addresses costs 6 ns. A kernel takes `ctx` and fetches the few arrays it touches:

    arm = state(ctx, VEC, q)        # 1-D, in the number type of q: float64, or complex128 for derivatives

Entries are functions of one C signature, `int64 f(double t, T *a, T *b, int64 *ctx)`, called by address. So each
coordinate set, each treatment and each integrator compiles and caches alone: compile cost adds, never multiplies.

The layout is [header | functions | fields], three words (address, rows, columns) for each field. Who fills it:
`compiled/flat.py`, which also keeps the arrays alive.
"""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

# For what Python calls, and for helpers inside: those are cached as part of their callers, and the wrappers with
# which Python could call them took a quarter of the compile time.
OPTIONS = {"cache": True, "error_model": "numpy", "nogil": True}
INSIDE = {"error_model": "numpy", "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# Header: sizes and flags ------------------------------------------------------------------------------------
(
    H_BODIES,
    H_Q,  # length of q
    H_V,  # length of v
    H_Z,  # length of the quadratures z behind q and v: dissipated work, driven work, joint turns
    H_ROWS,  # constraint rows, padded to whole blocks
    H_PIN_ENTRIES,  # gradient entries that are constant because they belong to pins
    H_PIN_SLOTS,  # slots of pins, whose first columns of J are constant
    H_CHARTS,  # 1 if the coordinates have singularities that F_CHART looks after
    H_BLOCK,  # rows a block
    H_BODY_V,  # velocities a body
    H_SIDES,  # reaction sides: two for each joint
    H_SINGULAR,  # 1 if some body has a singular mass block
    H_FACTORED,  # 1 once K has been factored in this run
    H_FRESH,  # 1 if the factors belong to the very q that comes next
    H_DENSE,  # 1 if the last factorisation went the rank-revealing way
    H_RANK,  # rank found there
    H_EXPECTED_RANK,  # rank at assembly with unit rows, to be kept; 0: not known to be deficient
    H_MOORE_PENROSE,  # 1: rank-deficient systems are solved by the Moore-Penrose inverse
    H_RANK_LOSSES,  # how often that happened
    H_EVALUATIONS,
    H_NEWTONS,  # full Newton steps spent in projections
    H_COUNT,
) = range(22)

# Functions ---------------------------------------------------------------------------------------------------
(
    F_BODIES,  # (t, q, v): vectors and their Jacobians, spins, mass blocks, intrinsic rows (see general.py)
    F_CHART,  # (t, y, y): change of coordinates near a singularity; returns OK, RESTART or SINGULAR_COORDINATES
    F_ROWS,  # (t, q, v): C, C_t, gamma and gradients of all joint equations, from VEC
    F_FORCES,  # (t, q, v): applied forces at points and bodies, and their powers, from VEC
    F_SPRINGS,  # (t, q, v): ENERGY of springs; their sum in ENERGY[1]
    F_DENSE_FACTOR,  # the rank-revealing factorisation of K
    F_DENSE_SOLVE,  # (t, x, x): and its solution
    F_SIGNALS,  # (t): functions of time; compiled only for mechanisms that have any
    F_PLACE,  # (t, q, v): vectors, residuals C, C_t, gamma, Jacobian J
    F_WEIGH,  # (t, q, v): inverse mass blocks and W = M^-1 J^T
    F_LOAD,  # (t, q, v): acc = M^-1 (Q + inertia bias), and the powers dz
    F_SHIFT,  # (t, x, out): out = M^-1 E x for singular mass blocks
    F_RATES,  # (t, y, dy): q' = N(q) v
    F_RETRACT,  # (t, q, delta): q <- q (+) delta
    F_ASSEMBLE,  # K = J M^-1 J^T
    F_FACTOR,  # assemble and factor
    F_SOLVE,  # (t, x, x): K x = b in place
    F_TIMES,  # (t, v, rows): rows = J v
    F_UNIT_WEIGH,  # W = J: the Euclidean metric
    F_CORRECT,  # (t, x, rows): x -= W rows
    F_ENERGY,  # (t, q, v): fills ENERGY
    F_RHS,  # (t, y, dy): the right-hand side
    F_AFTER_STEP,  # (t, y, y): projection
    F_OUTPUTS,  # (t, y, out): what is reported at a sample
    F_COUNT,
) = range(25)

# Fields ------------------------------------------------------------------------------------------------------
# Frames: "fixed" is the ground's, "body" the body's own. dim = 2 or 3, bs = rows a block, nvb = velocities a body.
(
    BODY_VECTORS,  # int (nb, 2)      first and past-last vector of each body
    PINS,  # int (npin, 5)            vector M, vector N, first row, slot of M's body or -1, slot of N's body or -1
    ROWS,  # int (nrow, 4)            row, first and past-last term, signal f
    TERMS,  # int (nterm, 9)          a+, a-, b+, b- (vectors or -1), signal c, their gradient entries (or -1)
    ENTRIES,  # int (nentry, 5)       slot (or -1), row in block, vector, row, reaction side
    SPRINGS,  # int (nspring, 2)      two point vectors
    LOADS,  # int (nload, 1 + dim)    point vector, a signal for each component
    TORQUES,  # int (ntorque, 1 + dim or 2)  body, a signal for each component
    LOADED,  # int (n, 2)             vectors that forces act on, and their body
    SIGNALS,  # int (n, 4)            signal, derivative order, first and past-last code; or address, 0, -1
    TURNS,  # int (n, 3)              joints whose turns are counted: first body, second body, vector z_i
    SIGNS,  # int (n, 2)              pairs of axes whose scalar product must stay positive
    SLOTS,  # int (nslot, 2)          block, body
    BLOCK_SLOTS,  # int (nblock, 2)   first and past-last slot
    PAIRS,  # int (npair, 2)          two slots of one body, contributing to a block of K
    PAIR_RANGES,  # int (nk, 2)       first and past-last pair of each block of K
    PIVOTS,  # int (nblock, 5)        block, its diagonal in K, first and past-last of COLUMN, first of UPDATES
    COLUMN,  # int (n, 2)             block of K below a pivot, its row block
    UPDATES,  # int (n, 3)            target, left, right blocks of K
    UNIT_ROWS,  # int (n, 2)          padded and dropped rows: row, position of its diagonal in K
    FORMS,  # int (n, 3)              intrinsic rows of linear sets: row, i, j of a term c q_i q_j
    SPIN_FORMS,  # int (n, 3)         angular velocity of linear sets: component, i, j of a term c q_i v_j
    MASS_CENTRES,  # int (nb, 1)      vector of each body's mass centre
    PERMUTATION,  # int (nrow, 1)     of the rank-revealing factorisation
    BODY,  # float (nb, ...)          constants of each body, columns as its coordinate set says
    VECTOR_LOCAL,  # float (nvec, dim + 1)  components in body axes; 1 for points, 0 for axes
    FORM,  # float (n, 1)             c of FORMS
    FORM_SCALE,  # float (nb, rows)   factor of each intrinsic row
    FORM_CONSTANT,  # float (nb, rows)  what is subtracted, before the factor
    SPIN_FORM,  # float (n, 1)        c of SPIN_FORMS
    SPIN_SCALE,  # float (nb, 1)      factor of the angular velocity
    MASSES,  # float (nb, 1)          kg
    COEFFICIENT,  # float (nterm, 1)
    SPRING,  # float (nspring, 3)     stiffness N/m, damping N s/m, free length m
    PROGRAM,  # float (n, 1)          codes and constants of formulas
    GRAVITY,  # float (dim, 1)        fixed axes, m/s^2
    SIGNAL,  # float (nsignal, 3)     value, first and second time derivative
    SETTINGS,  # float (n, 1)         see below
    STACK,  # float (32, 1)           of the stack machine for formulas
    VEC,  # state (nvec, 4 dim)       fixed axes: position or direction X, arm from mass centre S, X', X'' at q'' = 0
    GRADIENT,  # state (nentry, dim)  dC/dX, fixed axes
    JACOBIAN,  # state (nslot, bs, nvb)
    WEIGHTED,  # state (nslot, bs, nvb)  J M^-1
    RESIDUAL,  # state (nrow)         C
    PARTIAL,  # state (nrow)          C_t
    GAMMA,  # state (nrow)            right-hand side of J v' = gamma
    LAMBDA,  # state (nrow)           multipliers; the force on the bodies is -J^T lam
    SCRATCH,  # state (nrow)
    OMEGA,  # state (nb, 1 or 3)      angular velocities, fixed axes
    VECTOR_FORCE,  # state (nvec, dim)  applied forces at points, fixed axes, N
    BODY_TORQUE,  # state (nb, 1 or 3)  applied torques, fixed axes, N m
    MASS_INVERSE,  # state (nb, ...)  as the coordinate set says
    VECTOR_JACOBIAN,  # state (nvec, dim, nvb)   dX/dv, for sets of general.py
    SPIN_JACOBIAN,  # state (nb, 1 or 3, nvb)   d omega / dv
    MASS,  # state (nb, nvb, nvb)     mass blocks
    BIAS,  # state (nb, nvb)          inertia bias: M v' = Q + bias - J^T lam
    EXTRA,  # state (nb, nvb, nvb)    E, added to singular mass blocks (see system.py)
    BODY_COLUMN,  # state (64)        scratch for one body
    ACCELERATION,  # state (nv)       v'
    FREE,  # state (nv)               M^-1 (Q + bias): acceleration without constraints
    TRIAL,  # state (nv)              next iterate for singular mass blocks
    POWER,  # state (nz)              z'
    ENERGY,  # state (2 + 2 nspring)  kinetic, potential; length and pulling force of each spring
    K,  # state (nk, bs, bs)          J M^-1 J^T, overwritten by the factors
    L,  # state (nk, bs, bs)          factors below the diagonal
    PIVOT,  # state (nblock, bs, bs)  factors of the diagonal blocks
    SCALE,  # state (nblock, bs)      diagonal of K before factorisation, in pivot order
    DENSE,  # state (nrow, nrow)      K for the rank-revealing factorisation
    GRAM,  # state (nrow, nrow)       L^T L for the Moore-Penrose inverse
    FIELD_COUNT,
) = range(70)

# SETTINGS -----------------------------------------------------------------------------------------------------
S_CLOSED = 0  # metres and radians: projection is content below this
S_OPEN = 1  # projection has failed above this
S_PIVOT = 2  # pivot / diagonal below which K counts as singular
S_EUCLIDEAN = 3  # like S_CLOSED, for the Euclidean correction

TABLE_LENGTH = H_COUNT + F_COUNT + 3 * FIELD_COUNT
_FIELDS = H_COUNT + F_COUNT

# Status codes, made into sentences by analysis/sentences.py ---------------------------------------------------
OK = 0
PAUSED = 1  # the kernel gave control back; call again to go on
NOT_CLOSED = 2  # projection did not converge
RANK_LOST = 3  # K is singular and the system too large for the rank-revealing path
NOT_FINITE = 4  # an acceleration is NaN or infinite
STEP_TOO_SMALL = 5  # error control asks for steps below rounding
SINGULAR_MASS = 6  # the iteration for singular mass blocks did not converge
TOO_MANY_STEPS = 7
RESTART = 9  # not a failure: multistep methods must start anew
SINGULAR_COORDINATES = 10
FLIPPED = 8  # a joint is closed the wrong way round


def _view(context, builder, array_type, ctx, field, flat):
    """An array over the memory that the table names; no reference counts, no checks."""
    table = context.make_array(types.int64[::1])(context, builder, ctx)
    first = builder.add(builder.mul(field, field.type(3)), field.type(_FIELDS))
    words = [builder.load(builder.gep(table.data, [builder.add(first, field.type(k))])) for k in range(3)]
    address, rows, columns = words
    item = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    size = field.type(item)
    array = context.make_array(array_type)(context, builder)
    data = builder.inttoptr(address, array.data.type)
    if flat:
        shape, strides = [builder.mul(rows, columns)], [size]
    else:
        shape, strides = [rows, columns], [builder.mul(columns, size), size]
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


@intrinsic
def ints(typingctx, ctx, field):
    """A field of integers, 2-D."""
    array_type = types.int64[:, ::1]

    def codegen(context, builder, signature, args):
        return _view(context, builder, array_type, args[0], args[1], flat=False)

    return array_type(ctx, types.int64), codegen


@intrinsic
def reals(typingctx, ctx, field):
    """A field of real numbers, 2-D."""
    array_type = types.float64[:, ::1]

    def codegen(context, builder, signature, args):
        return _view(context, builder, array_type, args[0], args[1], flat=False)

    return array_type(ctx, types.int64), codegen


@intrinsic
def state(typingctx, ctx, field, like):
    """A field as one row of numbers, of the number type of `like`."""
    array_type = like.dtype[::1]

    def codegen(context, builder, signature, args):
        return _view(context, builder, array_type, args[0], args[1], flat=True)

    return array_type(ctx, types.int64, like), codegen


@intrinsic
def call(typingctx, address, t, a, b, ctx):
    """Call the entry at `address` with the data of the three arrays."""

    def codegen(context, builder, signature, args):
        arrays = [context.make_array(signature.args[i])(context, builder, args[i]) for i in (2, 3, 4)]
        pointers = [array.data for array in arrays]
        kind = ir.FunctionType(ir.IntType(64), [ir.DoubleType(), *(p.type for p in pointers)])
        function = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(function, [args[1], *pointers])

    return types.int64(address, t, a, b, ctx), codegen


@intrinsic
def call_signal(typingctx, address, t):
    """Call a `double f(double)` by address: a user's function of time."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])

    return types.float64(address, t), codegen


@numba.njit(**INSIDE)
def run(ctx, function, t, a, b):
    """Call one of the F_ entries."""
    return call(ctx[H_COUNT + function], t, a, b, ctx)


@numba.njit(**INSIDE)
def table(pointer):
    return carray(pointer, (TABLE_LENGTH,))


@numba.njit(**INSIDE)
def largest(x):
    """Largest magnitude, infinite if any is NaN. For tests of size only, never inside the mathematics."""
    most = 0.0
    for i in range(x.size):
        size = abs(x[i])
        if not size <= most:
            most = size if size == size else np.inf
    return most


def cache_name(function, *what):
    """Give each variant of a function made by a factory a name of its own. Needed, not cosmetic:

    Compiled code finds its parts by name, and the names carry a number that counts afresh in every process. Code that
    another process put into the cache would find this process's variant for dim = 3 where it meant its own for dim = 2.
    Likewise, variants of one name share an index of cache files, which two compiling processes would both write.
    """
    plain = function.__qualname__.partition("@")[0]
    function.__qualname__ = "@".join([plain, *(str(w) for w in what)])
    return function


def entry(function, scalar=types.float64):
    """Compile `function(t, a, b, ctx)` as an entry; its `.address` goes into the table."""
    variables = [cell.cell_contents for cell in function.__closure__ or ()]
    cache_name(function, scalar, *variables)
    pointer = types.CPointer(scalar)
    signature = types.int64(types.float64, pointer, pointer, types.CPointer(types.int64))
    return numba.cfunc(signature, **OPTIONS)(function)
