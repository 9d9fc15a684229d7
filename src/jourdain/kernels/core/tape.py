"""Formulas as tapes: values, derivatives along the motion, and gradients, so that a formula costs no compilation.

A node of TAPE is an operation and its arguments, all earlier nodes; CONSTANTS[n] is the number of a constant. A forward
pass carries value, first and second derivative along the motion at v' = 0 (a truncated Taylor series); a reverse pass
gives the derivative of the last node by every leaf. So an equation needs no derivative written down:

    C = value,  gamma = -(second derivative),  dC/dX = adjoint of the leaf X,  C_t = derivative by t

Everything is holomorphic but what cannot be (abs, sign, min, max, floor, step, where, rounding to a turn), which look
at real parts. What `where` does not choose may be no number at all: nothing of it is read.
"""

import numpy as np
from numba import njit

from ..layout.tape_operations import (
    ABS,
    ACOS,
    ADD,
    ALONG,
    ASIN,
    ATAN,
    ATAN2,
    CALL,
    COLUMNS,
    CONST,
    COS,
    COSH,
    DIV,
    ENERGY_OF,
    EXP,
    FLOOR,
    LOG,
    MAX,
    MIN,
    MUL,
    MULTIPLIER,
    NEG,
    PARAMETER,
    POINT_ACCELERATION_OF,
    POSITION,
    POW,
    RATE,
    REACTION,
    SIGN,
    SIN,
    SINH,
    SMOOTH_CALL,
    SPIN,
    SQRT,
    STATE,
    STEP,
    SUB,
    TABLE_OF,
    TAN,
    TANH,
    VELOCITY,
    WHERE,
    WIND,
    T,
)
from .context import (
    ARGUMENTS,
    CALL_IN,
    CONSTANTS,
    ENERGY,
    F_FORWARD,
    F_REVERSE,
    FUNCTIONS,
    H_FIRST,
    H_LAST,
    H_Q,
    INSIDE,
    LAMBDA,
    NODES,
    OK,
    OMEGA,
    PARAMETERS,
    POINT_ACCELERATION,
    QUANTITY,
    RESULTS,
    TABLE,
    TABLES,
    TAPE,
    VEC,
    VECTOR_LOCAL,
    WRENCHES,
    Z_RATE,
    Z,
    call_function,
    ints,
    numbers,
    reals,
    run,
    state,
    table,
    vector_at,
)

TURN = 2.0 * np.pi
# 2 acos(w) / sqrt(1 - w^2) in powers of x = 1 - w, highest first: a_n+1 / a_n = (n + 1) / (2 n + 3). Up to x = 0.1 the
# rest is below rounding, in the second derivative too.
SERIES = tuple(2.0 * np.cumprod([1.0, *((n + 1) / (2 * n + 3) for n in range(16))])[::-1])


@njit(**INSIDE)
def evaluate(ctx, t, like, first, last):
    """Run a part of the tape; its value is then `nodes[COLUMNS * (last - 1)]`."""
    ctx[H_FIRST] = first
    ctx[H_LAST] = last
    run(ctx, F_FORWARD, t, like, like)


@njit(**INSIDE)
def differentiate(ctx, t, like, first, last):
    """Adjoints after `evaluate`; returns the derivative of the last node by t and states, times their rates."""
    ctx[H_FIRST] = first
    ctx[H_LAST] = last
    slope = state(ctx, Z_RATE, like)
    run(ctx, F_REVERSE, t, like, slope)
    return slope[slope.size - 1]


@njit(**INSIDE)
def _turn_factor(w):
    """2 acos(w) / sqrt(1 - w^2) with two derivatives; near w = 1 by its series in 1 - w."""
    x = 1.0 - w
    if abs(x) < 0.1:
        f = 0.0 * x
        d = 0.0 * x
        dd = 0.0 * x
        for a in SERIES:
            dd = dd * x + 2.0 * d
            d = d * x + f
            f = f * x + a
        return f, -d, dd
    s = 1.0 - w * w
    f = 2.0 * np.arccos(w) / np.sqrt(s)
    d = (w * f - 2.0) / s
    return f, d, (f + 3.0 * w * d) / s


@njit(**INSIDE)
def _unary(op, a):
    """f(a), f'(a), f''(a)."""
    one = 1.0 + 0.0 * a
    zero = 0.0 * a
    if op == NEG:
        return -a, -one, zero
    if op == SIN:
        s = np.sin(a)
        return s, np.cos(a), -s
    if op == COS:
        c = np.cos(a)
        return c, -np.sin(a), -c
    if op == TAN:
        f = np.tan(a)
        d = 1.0 + f * f
        return f, d, 2.0 * f * d
    if op == ASIN:
        d = 1.0 / np.sqrt(1.0 - a * a)
        return np.arcsin(a), d, a * d * d * d
    if op == ACOS:
        d = 1.0 / np.sqrt(1.0 - a * a)
        return np.arccos(a), -d, -a * d * d * d
    if op == ATAN:
        d = 1.0 / (1.0 + a * a)
        return np.arctan(a), d, -2.0 * a * d * d
    if op == SINH:
        f = np.sinh(a)
        return f, np.cosh(a), f
    if op == COSH:
        f = np.cosh(a)
        return f, np.sinh(a), f
    if op == TANH:  # of large complex numbers numba's is not a number
        f = np.tanh(a) if abs(a.real) < 300.0 else np.sign(a.real) * one
        d = 1.0 - f * f
        return f, d, -2.0 * f * d
    if op == EXP:
        f = np.exp(a)
        return f, f, f
    if op == LOG:
        return np.log(a), 1.0 / a, -1.0 / (a * a)
    if op == SQRT:
        f = np.sqrt(a)
        return f, 0.5 / f, -0.25 / (f * a)
    if op == ABS:
        return (a, one, zero) if a.real >= 0.0 else (-a, -one, zero)
    if op == SIGN:
        return np.sign(a.real) * one, zero, zero
    if op == FLOOR:
        return np.floor(a.real) * one, zero, zero
    if op == STEP:
        return (one, zero, zero) if a.real >= 0.0 else (zero, zero, zero)
    return _turn_factor(a)


@njit(**INSIDE)
def _raised(a, b):
    """a^b; whole powers of negative numbers by those of positive ones: complex powers would turn by b pi, rounded."""
    if a.real < 0.0 and b == np.floor(b.real):
        even = np.floor(0.5 * b.real) == 0.5 * b.real
        return (-a) ** b if even else -((-a) ** b)
    return a**b


@njit(**INSIDE)
def _power(a, b):
    """a^b and its derivatives by a; whole powers of negative numbers included."""
    f = _raised(a, b)
    if b.real == 0.0:
        return f, 0.0 * a, 0.0 * a
    d = b * _raised(a, b - 1.0)
    dd = 0.0 * a if b.real == 1.0 else b * (b - 1.0) * _raised(a, b - 2.0)
    return f, d, dd


@njit(**INSIDE)
def _angle(y, x):
    """atan2, holomorphic: the real angle plus the arc tangent of what is left after turning back by it."""
    h = np.sqrt(x.real * x.real + y.real * y.real)
    if h == 0.0:
        return 0.0 * y
    c = x.real / h
    s = y.real / h
    return np.arctan2(y.real, x.real) + np.arctan((y * c - x * s) / (x * c + y * s))


@njit(**INSIDE)
def _tabulated(tables, values, k, x):
    """Value and two derivatives of a piecewise polynomial; beyond its ends the outermost pieces go on."""
    first = tables[k, 0]
    pieces = tables[k, 1]
    terms = tables[k, 2]
    low = 0
    high = pieces
    while high - low > 1:
        middle = (low + high) // 2
        if x.real >= values[first + middle, 0].real:
            low = middle
        else:
            high = middle
    u = x - values[first + low, 0]
    c = first + pieces + 1 + low * terms
    f = values[c, 0] + 0.0 * x
    d = 0.0 * x
    dd = 0.0 * x
    for i in range(1, terms):
        dd = dd * u + 2.0 * d
        d = d * u + f
        f = f * u + values[c + i, 0]
    return f, d, dd


@njit(**INSIDE)
def _leaf(ctx, op, a, t, like, node, o, n):
    """Value and derivatives along the motion of what a leaf stands for."""
    zero = 0.0 * like[0]
    value = zero
    first = zero
    second = zero
    if op == CONST:
        value = zero + numbers(ctx, CONSTANTS, like)[n, 0]
    elif op == T:
        value = zero + t
        first = zero + 1.0
    elif op in (POSITION, VELOCITY):
        vec = state(ctx, VEC, like)
        dim = reals(ctx, VECTOR_LOCAL).shape[1] - 1
        if op == POSITION:
            value = vec[a]
            first = vec[a + 2 * dim]
            second = vec[a + 3 * dim]
        else:
            value = vec[a + 2 * dim]
            first = vec[a + 3 * dim]
    elif op == SPIN:
        value = state(ctx, OMEGA, like)[a]
    elif op == STATE:
        rate = state(ctx, Z_RATE, like)
        value = state(ctx, Z, like)[a]
        first = rate[2 * a]
        second = rate[2 * a + 1]
    elif op == PARAMETER:
        value = zero + numbers(ctx, PARAMETERS, like)[a, 0]
    elif op in (ALONG, RATE):
        value = state(ctx, QUANTITY, like)[2 * a + (1 if op == RATE else 0)]
    elif op == REACTION:
        value = state(ctx, WRENCHES, like)[a]
    elif op == POINT_ACCELERATION_OF:
        value = state(ctx, POINT_ACCELERATION, like)[a]
    elif op == MULTIPLIER:
        value = state(ctx, LAMBDA, like)[a]
    elif op == ENERGY_OF:
        value = state(ctx, ENERGY, like)[a]
    else:
        value = zero + reals(ctx, RESULTS)[a, 0]
    node[o] = value
    node[o + 1] = first
    node[o + 2] = second


@njit(**INSIDE)
def _call(ctx, tape, n, node):
    """A user's function: real numbers in, real numbers out."""
    arguments = ints(ctx, ARGUMENTS)
    functions = ints(ctx, FUNCTIONS)
    numbers = reals(ctx, CALL_IN)
    for k in range(tape[n, 2]):
        numbers[k, 0] = node[COLUMNS * arguments[tape[n, 1] + k, 0]].real
    f = tape[n, 3]
    return call_function(functions[f, 0], numbers, reals(ctx, RESULTS), functions[f, 2])


@njit(**INSIDE)
def _smooth_call(ctx, tape, n, node):
    """A user's function with derivatives: takes values, rates and second rates of its arguments, and gives
    [value, first, second, partial by each argument]."""
    arguments = ints(ctx, ARGUMENTS)
    functions = ints(ctx, FUNCTIONS)
    numbers = reals(ctx, CALL_IN)
    results = reals(ctx, RESULTS)
    count = tape[n, 2]
    for k in range(count):
        a = COLUMNS * arguments[tape[n, 1] + k, 0]
        for i in range(3):
            numbers[i * count + k, 0] = node[a + i].real
    f = tape[n, 3]
    status = call_function(functions[f, 0], numbers, results, functions[f, 2])
    for i in range(3):
        node[COLUMNS * n + i] = 0.0 * node[0] + results[functions[f, 2] + i, 0]
    return status


@njit(**INSIDE)
def _two(op, node, o, a, b):
    """Value, derivatives and partials of an operation of two arguments."""
    x, x1, x2 = node[a], node[a + 1], node[a + 2]
    y, y1, y2 = node[b], node[b + 1], node[b + 2]
    one = 1.0 + 0.0 * x
    if op in (ADD, SUB):
        sign = 1.0 if op == ADD else -1.0
        f, f1, f2, by_x, by_y = x + sign * y, x1 + sign * y1, x2 + sign * y2, one, sign * one
    elif op == MUL:
        f, f1, f2, by_x, by_y = x * y, x1 * y + x * y1, x2 * y + 2.0 * x1 * y1 + x * y2, y, x
    elif op == DIV:
        f = x / y
        f1 = (x1 - f * y1) / y
        f2 = (x2 - 2.0 * f1 * y1 - f * y2) / y
        by_x = 1.0 / y
        by_y = -f / y
    elif op == ATAN2:
        square = x * x + y * y
        f = _angle(x, y)
        f1 = (y * x1 - x * y1) / square
        f2 = (y * x2 - x * y2 - 2.0 * f1 * (x * x1 + y * y1)) / square
        by_x = y / square
        by_y = -x / square
    elif op == POW:
        f, by_x, curve = _power(x, y)
        f1 = by_x * x1
        f2 = curve * x1 * x1 + by_x * x2
        by_y = 0.0 * x
        if y1 != 0.0 or y2 != 0.0:  # an exponent that moves: f = exp(y log x)
            l = np.log(x)
            u = y1 * l + y * x1 / x
            f1 = f * u
            f2 = f * u * u + f * (y2 * l + 2.0 * y1 * x1 / x + y * (x2 / x - x1 * x1 / (x * x)))
        if x.real > 0.0:
            by_y = f * np.log(x)
    else:
        left = (x.real <= y.real) == (op == MIN)
        if left:
            f, f1, f2, by_x, by_y = x, x1, x2, one, 0.0 * one
        else:
            f, f1, f2, by_x, by_y = y, y1, y2, 0.0 * one, one
    node[o] = f
    node[o + 1] = f1
    node[o + 2] = f2
    node[o + 4] = by_x
    node[o + 5] = by_y


# Theory, eq. 13 (jets).
def forward(t, like_, unused_, ctx_):
    """Entry: the nodes from ctx[H_FIRST] to ctx[H_LAST]."""
    ctx = table(ctx_)
    like = vector_at(like_, ctx[H_Q])
    tape = ints(ctx, TAPE)
    node = state(ctx, NODES, like)
    for n in range(ctx[H_FIRST], ctx[H_LAST]):
        op = tape[n, 0]
        o = COLUMNS * n
        a = COLUMNS * tape[n, 1]
        if op <= MAX:
            _two(op, node, o, a, COLUMNS * tape[n, 2])
        elif op == CALL:
            _call(ctx, tape, n, node)
        elif op == SMOOTH_CALL:
            _smooth_call(ctx, tape, n, node)
        elif op == WHERE:
            chosen = COLUMNS * tape[n, 2 if node[a].real != 0.0 else 3]
            for i in range(3):
                node[o + i] = node[chosen + i]
        elif op >= CONST:
            _leaf(ctx, op, tape[n, 1], t, like, node, o, n)
        else:
            if op == WIND:
                f = node[a]
                f += TURN * np.round((state(ctx, Z, like)[tape[n, 2]].real - f.real) / TURN)
                d = 1.0 + 0.0 * f
                dd = 0.0 * f
            elif op == TABLE_OF:
                f, d, dd = _tabulated(ints(ctx, TABLES), numbers(ctx, TABLE, like), tape[n, 2], node[a])
            else:
                f, d, dd = _unary(op, node[a])
            node[o] = f
            node[o + 1] = d * node[a + 1]
            node[o + 2] = dd * node[a + 1] * node[a + 1] + d * node[a + 2]
            node[o + 4] = d
    return OK


# Theory, eq. 14 (adjoint).
def reverse(t, like_, slope_, ctx_):
    """Entry: adjoints of the nodes from ctx[H_FIRST] to ctx[H_LAST], whose last has adjoint one.

    The derivative by t and by states, times their rates, goes behind the last of Z_RATE.
    """
    ctx = table(ctx_)
    like = vector_at(like_, ctx[H_Q])
    tape = ints(ctx, TAPE)
    node = state(ctx, NODES, like)
    rate = state(ctx, Z_RATE, like)
    arguments = ints(ctx, ARGUMENTS)
    results = reals(ctx, RESULTS)
    first = ctx[H_FIRST]
    last = ctx[H_LAST]
    slope = 0.0 * like[0]
    for n in range(first, last):
        node[COLUMNS * n + 3] = 0.0
    node[COLUMNS * (last - 1) + 3] = 1.0
    for n in range(last - 1, first - 1, -1):
        op = tape[n, 0]
        o = COLUMNS * n
        if node[o + 3] == 0.0:  # whose slope may be no number, where it was not chosen
            continue
        if op < CONST:
            node[COLUMNS * tape[n, 1] + 3] += node[o + 4] * node[o + 3]
            if op <= MAX:
                node[COLUMNS * tape[n, 2] + 3] += node[o + 5] * node[o + 3]
        elif op in (T, STATE):
            slope += node[o + 3] * node[o + 1]
        elif op == WHERE:
            chosen = tape[n, 2 if node[COLUMNS * tape[n, 1]].real != 0.0 else 3]
            node[COLUMNS * chosen + 3] += node[o + 3]
        elif op == SMOOTH_CALL:
            partial = ints(ctx, FUNCTIONS)[tape[n, 3], 2] + 3
            for k in range(tape[n, 2]):
                node[COLUMNS * arguments[tape[n, 1] + k, 0] + 3] += results[partial + k, 0] * node[o + 3]
    rate[rate.size - 1] = slope
    return OK
