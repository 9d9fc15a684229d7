"""Forward dynamics of trees in the plane as a whole: in one part, or part after part, and what calls it.

See articulated_planar.py for the recursion and model/tree/branches.py for parts. A branch writes to its own links, and
what its first link hands to a junction waits in that link's row until the trunk's turn. So branches may run at the same
time, and one after the other they give the same bits.
"""

from numba import njit

from ..core import context, direct, mailbox
from ..core.context import ints, reals, vector_at
from .articulated_planar import (  # noqa: F401 - two are for who loads this file
    inverse,
    inward,
    inward_part,
    join,
    load,
    motion,
    outward,
    outward_part,
    place,
    place_part,
    ready,
)
from .table import (
    BRANCH,
    CLOCK,
    FAST,
    FAST_INSIDE,
    HAS_LOADS,
    INWARD,
    N_Q,
    N_V,
    OK,
    OUTWARD,
    PARTS,
    PLACE,
    TABLE_LENGTH,
    TRUNK,
    WRONG_SIZE,
    differentiate,
    finite,
    finite_part,
    rates,  # noqa: F401 - for who loads this file
    table,
)


@njit(**FAST_INSIDE)
def _advance(ctx, q, v, out, part, steps):
    """Take the links of one part some steps farther."""
    parts = ints(ctx, PARTS)
    first, last = parts[part, 0], parts[part, 1]
    if steps & PLACE:
        place_part(ctx, q, v, first, last)
    if steps & INWARD:
        inward_part(ctx, first, last)
    if steps & OUTWARD:
        outward_part(ctx, out, first, last)
        return finite_part(ctx, out, first, last)
    return OK


@njit(**FAST)
def advance_branches(ctx, q, v, out, chosen, steps):
    """Some branches, for threads: no two of them write to the same place."""
    status = OK
    for k in range(chosen.size):
        status = max(status, _advance(ctx, q, v, out, chosen[k], steps))
    return status


@njit(**FAST)
def serve(ctx, box, chosen, patience):
    """What a helping thread does: these branches, whenever asked to, until it has waited in vain for some time."""
    while mailbox.receive(box, patience):
        q = direct.reals_at(box[mailbox.Q], ctx[N_Q])
        v = direct.reals_at(box[mailbox.V], ctx[N_V])
        out = direct.reals_at(box[mailbox.OUT], ctx[N_V])
        mailbox.finish(box, advance_branches(ctx, q, v, out, chosen, box[mailbox.STEPS]))


@njit(**FAST)
def advance_trunk(ctx, q, v, out, steps):
    """All parts of the trunk; inward, with what branches have left for it, always in the same order."""
    parts = ints(ctx, PARTS)
    status = OK
    if steps & PLACE:
        ready(ctx)
        for k in range(parts.shape[0]):
            if parts[k, 3] == TRUNK:
                _advance(ctx, q, v, out, k, PLACE)
    if steps & INWARD:
        for k in range(parts.shape[0] - 1, -1, -1):
            if parts[k, 3] == TRUNK:
                _advance(ctx, q, v, out, k, INWARD)
            join(ctx, parts[k, 0])
    if steps & OUTWARD:
        for k in range(parts.shape[0]):
            if parts[k, 3] == TRUNK:
                status = max(status, _advance(ctx, q, v, out, k, OUTWARD))
    return status


@njit(**FAST)
def apply_loads(ctx, q, v):
    """The forces of the mechanism, once all links are placed."""
    load(ctx, q, v)


@njit(**FAST_INSIDE)
def _evaluate_parts(ctx, q, v, out):
    """Part after part: so that threads, which share out the branches, find the very same numbers."""
    parts = ints(ctx, PARTS)
    advance_trunk(ctx, q, v, out, PLACE)
    loaded = ctx[HAS_LOADS] == 1
    for k in range(parts.shape[0]):
        if parts[k, 3] == BRANCH:
            _advance(ctx, q, v, out, k, PLACE if loaded else PLACE + INWARD)
    if loaded:
        load(ctx, q, v)
        for k in range(parts.shape[0]):
            if parts[k, 3] == BRANCH:
                _advance(ctx, q, v, out, k, INWARD)
    status = advance_trunk(ctx, q, v, out, INWARD + OUTWARD)
    for k in range(parts.shape[0]):
        if parts[k, 3] == BRANCH:
            status = max(status, _advance(ctx, q, v, out, k, OUTWARD))
    return status


@njit(**FAST_INSIDE)
def _evaluate(ctx, q, v, out):
    if ints(ctx, PARTS).shape[0] > 1:
        return _evaluate_parts(ctx, q, v, out)
    place(ctx, q, v)
    if ctx[HAS_LOADS] == 1:
        load(ctx, q, v)
    inward(ctx)
    outward(ctx, out)
    return finite(out)


@njit(**FAST)
def forward(ctx, q, v, out):
    """out = accelerations of all joints."""
    if q.size != ctx[N_Q] or v.size != ctx[N_V] or out.size != ctx[N_V]:
        return WRONG_SIZE
    return _evaluate(ctx, q, v, out)


def rhs(t, y_, dy_, ctx_):
    """Entry: dy of y = [q | v], for the time loops."""
    ctx = table(ctx_)
    nq = ctx[N_Q]
    y = vector_at(y_, nq + ctx[N_V])
    dy = vector_at(dy_, nq + ctx[N_V])
    if ctx[HAS_LOADS] == 1:
        reals(ctx, CLOCK)[0, 0] = t
    differentiate(ctx, y[:nq], y[nq:], dy[:nq])
    status = _evaluate(ctx, y[:nq], y[nq:], dy[nq:])
    return context.OK if status == OK else context.NOT_FINITE


def accelerations(itself, arguments, count, names):
    """accelerations(t, q, v, efforts=None, out=None) for Python (see direct.py), as an entry of addresses."""
    words = direct.word(itself + direct.DATA)
    ctx = direct.ints_at(direct.word(words), TABLE_LENGTH)
    api = direct.ints_at(words + 8, direct.PLACES)
    out = direct.place_for_result(api, arguments, count, names)
    if out == 0:
        return direct.call_ordinary(api, arguments, count, names)
    q, v = direct.word(arguments + 8), direct.word(arguments + 16)
    usual = direct.is_vector(api, q, ctx[N_Q], direct.READ_ONLY_TOO)
    usual &= direct.is_vector(api, v, ctx[N_V], direct.READ_ONLY_TOO)
    new = out == -1
    if new:
        out = direct.new_vector(api, direct.word(words) + 8 * N_V)
        if out == 0:
            return out
    else:
        usual &= direct.is_vector(api, out, ctx[N_V], direct.NEEDED)
    if usual:
        q_ = direct.reals_at(direct.word(q + direct.DATA), ctx[N_Q])
        v_ = direct.reals_at(direct.word(v + direct.DATA), ctx[N_V])
        out_ = direct.reals_at(direct.word(out + direct.DATA), ctx[N_V])
        usual = _evaluate(ctx, q_, v_, out_) == OK
    if not usual:
        if new:
            direct.drop(api, out)
        return direct.call_ordinary(api, arguments, count, names)
    if not new:
        direct.take(api, out)
    return out
