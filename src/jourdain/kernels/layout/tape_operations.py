"""Operations of a tape (see kernels/core/tape.py), and how many numbers each of its nodes has."""

# Operations of two arguments, of one, and leaves: kernels/core/tape.py uses the order.
(
    ADD,
    SUB,
    MUL,
    DIV,
    POW,
    ATAN2,
    MIN,
    MAX,
    NEG,
    SIN,
    COS,
    TAN,
    ASIN,
    ACOS,
    ATAN,
    SINH,
    COSH,
    TANH,
    EXP,
    LOG,
    SQRT,
    ABS,
    SIGN,
    FLOOR,
    STEP,  # 0 below zero, else 1
    TURN_FACTOR,  # 2 acos(w) / sqrt(1 - w^2)
    TABLE_OF,  # second argument: number of the table
    WIND,  # an angle brought to the turn of z[second argument]
    CONST,
    T,
    POSITION,  # of a body vector: place in VEC
    VELOCITY,
    SPIN,  # place in OMEGA
    STATE,  # place in z
    PARAMETER,
    ALONG,  # quantity of an effort
    RATE,
    REACTION,  # place in WRENCHES
    POINT_ACCELERATION_OF,
    MULTIPLIER,  # row
    ENERGY_OF,
    CALL,  # first of ARGUMENTS, how many, function
    PICK,  # one result of a call: place in RESULTS
    SMOOTH_CALL,  # like CALL, of a function that gives its derivatives too
    WHERE,  # condition, what where it is not zero, what else
) = range(45)

COLUMNS = 6  # of NODES: value, first, second, adjoint, partial by the first and by the second argument
