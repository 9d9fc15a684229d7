"""What kernels of one's own may use: a small list that stays, whatever else changes in the kernels.

A kernel is a plain function `f(t, a, b, ctx)` of a time, two arrays by address and the context by address; it returns
OK or another status. It must be holomorphic (no `abs`, no comparison in the mathematics) if sensitivities are to follow
it. `docs/adding-an-integrator.md` and `docs/adding-a-treatment.md` show one of each.

    ctx = table(ctx_)                     the context, from its address
    y = vector_at(y_, length(ctx))        an array that was handed over by address
    run(ctx, F_RHS, t, y, dy)             call another entry: y' = f(t, y)
    work = reals(ctx, STEP_WORK)          a field of real numbers, rows of them
    k = state(ctx, LAMBDA, like)          a field as one row of numbers of the type of `like`
    n = ints(ctx, UNIT_ROWS)              a field of integers

VERSION counts changes that could break a kernel of somebody else.
"""

from numba import njit

from .core.context import (
    F_AFTER_STEP,
    F_CORRECT,
    F_DENSE_SOLVE,
    F_FACTOR,
    F_RETRACT,
    F_RHS,
    F_SOLVE,
    F_TIMES,
    FULL,
    H_DENSE,
    H_Q,
    H_ROWS,
    H_STATES,
    H_V,
    H_Z,
    INSIDE,
    ITERATE,
    JACOBIAN,
    NO_CONVERGENCE,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    RESTART,
    S_MOST,
    S_PENALTY,
    S_RELAXATION,
    S_STEP,
    S_TOLERANCE,
    SETTINGS,
    STEP_WORK,
    UNIT_ROWS,
    WEIGHTED,
    ints,
    numbers,
    reals,
    run,
    state,
    table,
    vector_at,
)

VERSION = 1

__all__ = [
    "FULL",
    "F_AFTER_STEP",
    "F_CORRECT",
    "F_DENSE_SOLVE",
    "F_FACTOR",
    "F_RETRACT",
    "F_RHS",
    "F_SOLVE",
    "F_TIMES",
    "H_DENSE",
    "H_Q",
    "H_ROWS",
    "H_STATES",
    "H_V",
    "H_Z",
    "INSIDE",
    "ITERATE",
    "JACOBIAN",
    "NOT_FINITE",
    "NOT_SOLVED",
    "NO_CONVERGENCE",
    "OK",
    "RESTART",
    "SETTINGS",
    "STEP_WORK",
    "S_MOST",
    "S_PENALTY",
    "S_RELAXATION",
    "S_STEP",
    "S_TOLERANCE",
    "UNIT_ROWS",
    "VERSION",
    "WEIGHTED",
    "ints",
    "length",
    "numbers",
    "reals",
    "run",
    "state",
    "step_length",
    "table",
    "vector_at",
]


@njit(**INSIDE)
def length(ctx):
    """Of a state y = [q | v | z]."""
    return ctx[H_Q] + ctx[H_V] + ctx[H_Z]


@njit(**INSIDE)
def step_length(ctx):
    """s, of the step that STEP is asked for."""
    return reals(ctx, SETTINGS)[S_STEP, 0]
