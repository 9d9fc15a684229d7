"""The words of a context, by name: header, functions, fields with their shapes and frames, and the SETTINGS."""

# Header: sizes and flags ------------------------------------------------------------------------------------
(
    H_BODIES,
    H_Q,  # length of q
    H_V,  # length of v
    H_Z,  # length of z behind q and v: states of elements, then the works dissipated, driven, stored, then turns
    H_STATES,  # how many of z are states of elements: they are under error control like q and v
    H_ROWS,  # constraint rows, padded to whole blocks
    H_PIN_ENTRIES,  # gradient entries that are constant because they belong to pins
    H_PIN_SLOTS,  # slots of pins, whose first columns of J are constant
    H_TORQUES,  # 1 if anything writes BODY_TORQUE
    H_FEEDBACK,  # 1 if forces depend on reactions or accelerations, which are then iterated
    H_FLOATING,  # 1 while assembling: floating rows hold nothing yet
    H_MOTION_STATES,  # 1 if rows depend on states of elements, whose rates are then needed first
    H_FIRST,  # for F_FORWARD and F_REVERSE: first and past-last node,
    H_LAST,
    H_ACCELERATIONS,  # 1 if formulas depend on accelerations of points
    H_SHARP,  # 1: steps too long to see events in are refused
    H_BLURS,  # such steps that were taken all the same
    H_EVENT_LEVEL,  # 0: events depend on positions and velocities only; 1: also on accelerations or reactions
    H_CHARTS,  # 1 if the coordinates have singularities that F_CHART looks after
    H_BLOCK,  # rows a block
    H_BODY_V,  # velocities a body
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
    H_BAUMGARTE,  # 1: F_BAUMGARTE adds to gamma
    H_ACCELERATING,  # 1 while F_SOLVE is asked for LAMBDA, whose last value is a good guess
    H_MATRIX_FREE,  # 1: F_SOLVE multiplies with J and W, which must be of one pose
    H_CHOSEN,  # of partitioning: 0 independent coordinates are to be chosen; 1 they are; 2 they have become poor;
    # where linear joints are eliminated, which inverse the factors are of (see linear_joints.py)
    H_WORK,  # where F_TRY and F_DENSE have their rows: METHOD_WORK, or STEP_WORK while events are searched
    H_INTERPOLANT,  # 1 once F_DENSE has prepared its polynomial for this step
    H_STIFF,  # steps whose length stability decided, not accuracy
    H_SLOPE,  # which entry implicit methods solve: F_RHS, or F_DAE where multipliers are unknowns of a step
    H_MULTIPLIERS,  # how many these are
    H_UNKNOWN_FORCES,  # 1: they are forces of springs and efforts (see unknown_multipliers.py)
    H_SUBSTITUTE,  # 1: steps to events are those of F_SUBSTITUTE, since the method needs a history
    H_GIVEN,  # 1: springs and efforts have the forces in GIVEN; 0: those of their laws. Both write the laws' to LAW
    H_PROBING,  # 1: F_FACTOR of joint coordinates tells whether rows can be solved where they are, and does no more
    H_RECURSIVE,  # 1: F_WHOLE finds accelerations and multipliers together, and FREE is Q, not M^-1 Q
    H_KINKED,  # 1: some force has a kink (a stop, a rope): long steps could pass over a contact unseen
    H_REFINED,  # 1: masses differ so much that accelerations are corrected until they agree with the constraints
    H_ROUNDS,  # rounds that iterations for the multipliers have taken
    H_NONLINEAR,  # 1: some row of velocities is not linear in them, so that J depends on v
    H_COUNT,
) = range(50)

# Functions ---------------------------------------------------------------------------------------------------
(
    F_BODIES,  # (t, q, v): vectors and their Jacobians, spins, mass blocks, intrinsic rows (see rate_sets.py)
    F_CHART,  # (t, y, y): change of coordinates near a singularity; returns OK, RESTART or SINGULAR_COORDINATES
    F_ROWS,  # (t, q, v): C, C_t, gamma and gradients of all joint equations, from VEC
    F_TERM_ROWS,  # (t, q, v): those of TERMS; compiled only for mechanisms that have any
    F_FORCES,  # (t, q, v): applied forces at points and bodies, and their powers, from VEC
    F_SPRINGS,  # (t, q, v): ENERGY of springs; their sum in ENERGY[1]
    F_DENSE_FACTOR,  # the rank-revealing factorisation of K
    F_DENSE_SOLVE,  # (t, x, x): and its solution
    F_SIGNALS,  # (t): functions of time; compiled only for mechanisms that have any
    F_FORWARD,  # (t, q, v): values and derivatives of part of TAPE; this and the next only where there are formulas
    F_REVERSE,  # (t, part, part): adjoints of that part; part[0] = its derivative by t and by states, times their rates
    F_TAPE_ROWS,  # (t, q, v): rows that are formulas
    F_TAPE_FORCES,  # (t, q, v): forces that are formulas, and rates of states
    F_TAPE_VALUES,  # (t, q, v): potential energies
    F_WIND,  # (t, y, y): turns in z are set to the unwrapped angles
    F_FEEDBACK,  # (t, q, v): accelerations where forces depend on the reactions they cause
    F_REACTIONS,  # (t, q, v): WRENCHES, and POINT_ACCELERATION where asked for
    F_PLACE,  # (t, q, v): vectors, residuals C, C_t, gamma, Jacobian J
    F_WEIGH,  # (t, q, v): inverse mass blocks and W = M^-1 J^T
    F_LOAD,  # (t, q, v): acc = M^-1 (Q + inertia bias), and the powers dz
    F_SHIFT,  # (t, x, out): out = M^-1 E x for singular mass blocks
    F_SHIFTED,  # (t, q, q): ACCELERATION and LAMBDA for them, from the first guess of both
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
    F_EVENTS,  # (t, y, g): values of all event functions
    F_STEP,  # (t, y, y): one step of length SETTINGS[S_STEP] of the integrator from y in place, projected
    F_SEARCH,  # (t, y, dy): the first event in the step that ends at y with slope dy (see event_search.py)
    F_BAUMGARTE,  # (t, q, v): gamma -= kv (J v + C_t) + kp C
    F_MASS,  # (t, x, out): out = (M + E) x
    F_BLOCK_SOLVE,  # (t, x, x): like F_SOLVE, with the block factors, where F_SOLVE iterates with them
    F_TRY,  # (t, y, y): a step of an adaptive method and its error (see adaptive_loop.py)
    F_DENSE,  # (s, y, out): the state at time s inside that step, not projected
    F_SUBSTITUTE,  # like F_TRY, of a method that needs no history
    F_DAE,  # (t, x, out): slopes and algebraic equations at x = [y | multipliers] (see unknown_multipliers.py)
    F_EXACT,  # (t, y, work): a step of generalized-alpha by Newton's method (generalized_alpha_exact.py); compiled late
    F_WHOLE,  # (t, q, v): ACCELERATION and LAMBDA from FREE and GAMMA; of joint coordinates (see joint_coordinates.py)
    F_TREE_REACTIONS,  # (t, q, v): WRENCHES of joints that have no rows, likewise
    F_TREE_FACTOR,  # (t, q, q): the tree factored with its rows, or alone if H_DENSE is 1, likewise
    F_TREE_SOLVE,  # (t, x, lam): from efforts x to accelerations, in place, and lam, likewise
    F_COUNT,
) = range(50)

# Fields ------------------------------------------------------------------------------------------------------
# Frames: "fixed" is the ground's, "body" the body's own. dim = 2 or 3, bs = rows a block, nvb = velocities a body.
(
    BODY_VECTORS,  # int (nb, 2)      first and past-last vector of each body
    PINS,  # int (npin, 5)            vector M, vector N, first row, slot of M's body or -1, slot of N's body or -1
    ROWS,  # int (nrow, 4)            row, first and past-last term, signal f
    TERMS,  # int (nterm, 9)          a+, a-, b+, b- (vectors or -1), signal c, their gradient entries (or -1)
    ENTRIES,  # int (nentry, 5)       slot (or -1), row in block, vector, row, reaction side
    SPRINGS,  # int (nspring, 2)      two point vectors
    LOADS,  # int (nload, 2 + dim)    point vector, account, a signal for each component
    TORQUES,  # int (ntorque, 2 + 1 or 3)  body, account, a signal for each component
    LOADED,  # int (n, 2)             vectors that forces act on, and their body
    SIGNALS,  # int (n, 3)            functions of time: first and past-last node of TAPE, signal
    TAPE,  # int (n, 4)               operation and its arguments (see tape.py)
    ARGUMENTS,  # int (n, 1)          nodes that are arguments of users' functions
    FUNCTIONS,  # int (n, 3)          address, arguments, first result in RESULTS
    TABLES,  # int (n, 3)             first break in TABLE, intervals, coefficients an interval
    ROW_TAPES,  # int (n, 6)          first and past-last node, row, level (0 position, 1 velocity, 2 floating), leaves
    ROW_LEAVES,  # int (n, 3)         node, gradient entry, component
    VALUE_TAPES,  # int (n, 3)        of forces: first and past-last node, signal
    POLYNOMIALS,  # int (n, 4 + most) sum c_k (rate (t - t0))^k: signal, t0, rate, how many, c_k; places in PARAMETERS
    STATE_TAPES,  # int (n, 3)        first and past-last node, place in z
    EFFORTS,  # int (n, 6)            first and past-last node of the quantity, signal, account, leaves
    EFFORT_LEAVES,  # int (n, 4)      node, vector, component, body whose axis it is or -1 for points
    POTENTIALS,  # int (n, 2)         first and past-last node
    REPORTS,  # int (n, 2)            first and past-last node
    WINDINGS,  # int (n, 3)           first and past-last node of an angle, place in z of its turns
    EVENTS,  # int (n, 3)             first and past-last node, direction: +1 rising, -1 falling, 0 both
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
    COLUMN_ORDER,  # int (nv, 1)      of velocities in partitioning, dependent ones first
    EVENT_FIRED,  # int (n, 1)        1 for each event that happens where the time loop stopped
    STEP_PIVOTS,  # int (rows, n)     row exchanges of implicit methods, beside STEP_WORK
    METHOD_PIVOTS,  # int (rows, n)   and beside METHOD_WORK
    STEP_ORDERS,  # int (2, 1)        order of bdf and that of its next step, beside STEP_WORK
    METHOD_ORDERS,  # int (2, 1)      and beside METHOD_WORK
    EXACT_PIVOTS,  # int (1, n)       row exchanges of EXACT
    BODY,  # number (nb, ...)         constants of each body, columns as its coordinate set says
    VECTOR_LOCAL,  # number (nvec, dim + 1)  components in body axes; 1 for points, 0 for axes
    FORM,  # number (n, 1)            c of FORMS
    FORM_SCALE,  # number (nb, rows)  factor of each intrinsic row
    FORM_CONSTANT,  # number (nb, rows)  what is subtracted, before the factor
    SPIN_FORM,  # number (n, 1)       c of SPIN_FORMS
    SPIN_SCALE,  # number (nb, 1)     factor of the angular velocity
    MASSES,  # number (nb, 1)         kg
    COEFFICIENT,  # number (nterm, 1)
    SPRING,  # number (nspring, 3)    stiffness N/m, damping N s/m, free length m
    CONSTANTS,  # number (n, 1)       constants of TAPE
    TABLE,  # number (n, 1)           breaks and coefficients of tables
    GRAVITY,  # number (dim, 1)       fixed axes, m/s^2
    SETTINGS,  # float (n, 1)         see below
    PARAMETERS,  # number (n, 1)      numbers that events may change, and the phases of floating rows
    CALL_IN,  # float (n, 1)          arguments of a user's function
    RESULTS,  # float (n, 1)          and what users' functions returned
    EVENT_VALUE,  # float (n, 1)      of each event at the last accepted step; 0 if it has not left zero yet
    EVENT_TRIAL,  # float (n, 1)      and where it is being looked at
    EVENT_WORK,  # float (rows, n)    memory of the search, rows as event_search.py says
    STEP_WORK,  # float (rows, ny + multipliers)  work rows of F_STEP, then those of event_search.py
    METHOD_WORK,  # float (rows, ny + multipliers)  work rows of F_TRY, then those of step_rows.py; see NOTES_WIDTH
    METHOD_TABLE,  # float (rows, stages)  coefficients of radau (see radau_table.py)
    EXACT,  # float (n + rows, n)     factors of the iteration matrix, then rows of generalized_alpha_exact.py
    SIGNAL,  # state (nsignal, 3)     value, first and second time derivative
    NODES,  # state (nnode, 6)        of TAPE: value, first and second derivative, adjoint, partial by each argument
    Z,  # state (nz)                  copy of z
    Z_RATE,  # state (nz + 1, 2)      first and second derivative of the states of elements; scratch of F_REVERSE
    WRENCHES,  # state (nside, 3 or 6)  reactions as last found, for forces that depend on them
    POINT_ACCELERATION,  # state (nvec, dim)  X'' as last found, likewise
    SLOPE,  # state (ny)              y' where it is only wanted for what it leaves behind
    GIVEN,  # state (nspring + neffort)  forces that stand in place of laws
    LAW,  # state (nspring + neffort)   and what the laws say
    QUANTITY,  # state (neffort, 2)   value and rate of what an effort acts along
    REPORTED,  # state (nreport)      reported quantities
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
    MASS_INVERSE,  # state (nb, ...)  inverses of mass blocks, or of their rotary part
    ATTITUDE,  # state (nb, ...)      of body axes in fixed ones: R, or angles, cosines and sines of all bodies
    VECTOR_JACOBIAN,  # state (nvec, dim, nvb)   dX/dv, for sets of rate_sets.py
    SPIN_JACOBIAN,  # state (nb, 1 or 3, nvb)   d omega / dv
    MASS,  # state (nb, nvb, nvb)     mass blocks
    BIAS,  # state (nb, nvb)          inertia bias: M v' = Q + bias - J^T lam
    EXTRA,  # state (nb, nvb, nvb)    E, added to singular mass blocks (see dynamics.py)
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
    SHIFT,  # state (nrow)            what is added to the diagonal of K (see iterated.py); this and the rest only for
    GUESS,  # state (nrow)            the treatments that need them: the last multipliers
    ITERATE,  # state (4, nrow)       right-hand side, iterate or residual, directions
    DENSE_ROWS,  # state (nrow, nv)   J, row by row divided by its largest entry, and its factors (see reduced.py)
    REFLECTIONS,  # state (nrow, nv)  Householder vectors of null-space
    TANGENT,  # state (nv, nv)        motions that the rows allow, one in each of the first rows
    REDUCED,  # state (nv, nv)        Cholesky factor of their mass matrix
    FULL,  # state (3, nv)            scratch
    MARGINS,  # float (nrow + 1, 3)   pivot over diagonal before the last step, after it, of the step tried; its length
    RHO,  # float (nrow)              of uzawa, in kg: what each row multiplies its acceleration with
    LINEAR_PLACE,  # int (nblock, 1)  k of the k-th linear block of rows, -1 - k of the k-th other (linear_joints.py)
    LINEAR_MADE_FOR,  # state (2, n^2)  K_LL of two metrics
    LINEAR_INVERSE,  # state (2, n^2)  and their inverses
    LINEAR_COUPLING,  # state (2, n rest)  Z = K_NL, and Y = K_NL K_LL^-1
    LINEAR_REST,  # state (rest, rest)  S and its factors
    LINEAR_RIGHT,  # state (nrow)     scratch
    FIELD_COUNT,
) = range(129)

# SETTINGS -----------------------------------------------------------------------------------------------------
S_CLOSED = 0  # metres and radians: projection is content below this
S_OPEN = 1  # projection has failed above this
S_PIVOT = 2  # pivot / diagonal below which K counts as singular
S_EUCLIDEAN = 3  # like S_CLOSED, for the Euclidean correction
S_AM, S_AF, S_BETA, S_GAMMA = 5, 6, 7, 8  # of generalized-alpha
S_SHRINKS = 9  # factor by which Newton's corrections of an implicit step shrank when last seen; 0: not known
S_KV, S_KP = 10, 11  # gains of Baumgarte, 1/s and 1/s^2
S_PENALTY = 12  # alpha of augmented-lagrangian and penalty
S_TOLERANCE, S_MOST, S_RELAXATION = 13, 14, 15  # of iterations for the multipliers
S_SMALLEST = 16  # smallest pivot of partitioning when its coordinates were chosen
S_STEP = 4  # s, length of the step of F_STEP and F_TRY; written by the time loops
S_RTOL, S_ATOL = 17, 18  # of adaptive methods
S_ERROR = 19  # of the step that F_TRY tried, against the tolerance
S_START = 20  # s, where it began; for F_DENSE
S_WHATEVER = 21  # 1: its end is wanted whatever its error
S_CORRECTIONS = 22  # of a step of newmark
S_OWN, S_INSIDE = 24, 25  # of uzawa: blocks solved inside bodies, and alpha there
S_FACTOR = 23  # of the next step to this one, where F_TRY knows better than the loop; else 0
S_NEWTON = 26  # iteration matrix of generalized-alpha: AUTO, EXACT_ONLY or MODIFIED_ONLY
S_EXACT = 27  # of AUTO: steps yet to be solved with the exact matrix before the other is tried again
S_SIZE = 28  # m, extent of the mechanism
S_WARM = 29  # of uzawa: 1: accelerations begin with the last multipliers; 0: with none
S_STOP = 30  # of uzawa: BY_RESIDUAL or BY_CHANGE
SETTING_COUNT = 31
BY_RESIDUAL, BY_CHANGE = range(2)
AUTO, EXACT_ONLY, MODIFIED_ONLY = range(3)

NOTES_ROW = 8  # of a method's work, counted from the end: what it remembers, infinite numbers among them
NOTES_WIDTH = 9  # numbers that a method remembers in one row of its work, which is as wide however short y is

IMAGINARY = 1e-30  # of real parts: the size of imaginary ones that carry derivatives, small enough to square to nothing

FIRST_FIELD = H_COUNT + F_COUNT  # word of the table at which the fields begin, three words each
TABLE_LENGTH = FIRST_FIELD + 3 * FIELD_COUNT
