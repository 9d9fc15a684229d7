"""The stack machine that evaluates formulas in t, so that no formula costs a compilation.

Codes are those of `equations/formula.py` (CODES), in the same order; a test runs every one of them.
"""

import math

import numpy as np
from numba import njit

from .context import INSIDE, OK, PROGRAM, SIGNAL, SIGNALS, STACK, call_signal, ints, reals, table

(
    CONST,
    T,
    ADD,
    SUB,
    MUL,
    DIV,
    POW,
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
    ATAN2,
    MIN,
    MAX,
) = range(25)
STACK_DEPTH = 32


@njit(**INSIDE)
def _unary(code, a):
    if code == NEG:
        return -a
    if code == SIN:
        return math.sin(a)
    if code == COS:
        return math.cos(a)
    if code == TAN:
        return math.tan(a)
    if code == ASIN:
        return np.arcsin(a)
    if code == ACOS:
        return np.arccos(a)
    if code == ATAN:
        return math.atan(a)
    if code == SINH:
        return math.sinh(a)
    if code == COSH:
        return math.cosh(a)
    if code == TANH:
        return math.tanh(a)
    if code == EXP:
        return np.exp(a)
    if code == LOG:
        return np.log(a)
    if code == SQRT:
        return np.sqrt(a)
    if code == ABS:
        return abs(a)
    return float(np.sign(a))


@njit(**INSIDE)
def _binary(code, a, b):
    if code == ADD:
        return a + b
    if code == SUB:
        return a - b
    if code == MUL:
        return a * b
    if code == DIV:
        return a / b
    if code == POW:
        return a**b
    if code == ATAN2:
        return math.atan2(a, b)
    if code == MIN:
        return min(a, b)
    return max(a, b)


@njit(**INSIDE)
def evaluate(program, first, last, t, stack):
    """Value of the program[first:last] at time t; `stack` is STACK_DEPTH numbers of scratch."""
    top = -1
    k = first
    while k < last:
        code = int(program[k, 0])
        k += 1
        if code == CONST:
            top += 1
            stack[top, 0] = program[k, 0]
            k += 1
        elif code == T:
            top += 1
            stack[top, 0] = t
        elif ADD <= code <= POW or code >= ATAN2:
            top -= 1
            stack[top, 0] = _binary(code, stack[top, 0], stack[top + 1, 0])
        else:
            stack[top, 0] = _unary(code, stack[top, 0])
    return stack[0, 0]


def signals(t, unused_, also_unused_, ctx_):
    """Entry: bring all functions of time, and the derivatives that equations need, up to t."""
    ctx = table(ctx_)
    todo = ints(ctx, SIGNALS)
    value = reals(ctx, SIGNAL)
    program = reals(ctx, PROGRAM)
    stack = reals(ctx, STACK)
    for k in range(todo.shape[0]):
        if todo[k, 3] < 0:
            value[todo[k, 0], todo[k, 1]] = call_signal(todo[k, 2], t)
        else:
            value[todo[k, 0], todo[k, 1]] = evaluate(program, todo[k, 2], todo[k, 3], t, stack)
    return OK
