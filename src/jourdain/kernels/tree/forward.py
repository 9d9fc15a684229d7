"""Trees as a whole, in the plane and in space: in one part, or part after part, and what calls it.

See articulated_planar.py and articulated_spatial.py for the recursions, which have the same names for what is done to
the links of one part, and model/tree/branches.py for parts. A branch writes to its own links, and what its first link
hands to a junction waits in that link's row until the trunk's turn. So branches may run at the same time, and one after
the other they give the same bits.

What Python calls closes over the module of a recursion: Numba's cache knows a module by its name and finds the function
again, which it would not if that closed over functions.
"""

from numba import njit

from ..core import direct, mailbox
from ..core.context import cache_name, ints
from .table import (
    BRANCH,
    FAST,
    FAST_INSIDE,
    HAS_LOADS,
    INWARD,
    N_LINKS,
    N_Q,
    N_V,
    OK,
    OUTWARD,
    PARTS,
    PLACE,
    TABLE_LENGTH,
    TRUNK,
    WRONG_SIZE,
    finite,
    finite_part,
    rates,  # noqa: F401 - for who loads this file
)

# Of all links, from what is done to those of one part --------------------------------------------------------------


def make_passes(space, ready, place_part, inward_part, outward_part, join, load):
    """place, inward and outward of all links; advance, trunk and evaluate of trees in parts."""

    def place(ctx, q, v):
        """All links, outward from the ground, which gravity accelerates upwards."""
        ready(ctx)
        place_part(ctx, q, v, 1, ctx[N_LINKS] + 1, ctx[N_LINKS] + 1)

    def inward(ctx):
        inward_part(ctx, 1, ctx[N_LINKS] + 1)

    def outward(ctx, out):
        outward_part(ctx, out, 1, ctx[N_LINKS] + 1)

    def advance(ctx, q, v, out, part, steps):
        """Take the links of one part some steps farther."""
        parts = ints(ctx, PARTS)
        first, last = parts[part, 0], parts[part, 1]
        if steps & PLACE:
            place_part(ctx, q, v, first, last, parts[part, 2])
        if steps & INWARD:
            inward_part(ctx, first, last)
        if steps & OUTWARD:
            outward_part(ctx, out, first, last)
            return finite_part(ctx, out, first, last)
        return OK

    def trunk(ctx, q, v, out, steps):
        """All parts of the trunk; inward, with what branches have left for it, always in the same order."""
        parts = ints(ctx, PARTS)
        status = OK
        if steps & PLACE:
            ready(ctx)
            for k in range(parts.shape[0]):
                if parts[k, 3] == TRUNK:
                    advance(ctx, q, v, out, k, PLACE)
        if steps & INWARD:
            for k in range(parts.shape[0] - 1, -1, -1):
                if parts[k, 3] == TRUNK:
                    advance(ctx, q, v, out, k, INWARD)
                join(ctx, parts[k, 0])
        if steps & OUTWARD:
            for k in range(parts.shape[0]):
                if parts[k, 3] == TRUNK:
                    status = max(status, advance(ctx, q, v, out, k, OUTWARD))
        return status

    def evaluate_parts(ctx, q, v, out):
        """Part after part: so that threads, which share out the branches, find the very same numbers."""
        parts = ints(ctx, PARTS)
        trunk(ctx, q, v, out, PLACE)
        loaded = ctx[HAS_LOADS] == 1
        for k in range(parts.shape[0]):
            if parts[k, 3] == BRANCH:
                advance(ctx, q, v, out, k, PLACE if loaded else PLACE + INWARD)
        if loaded:
            load(ctx, q, v)
            for k in range(parts.shape[0]):
                if parts[k, 3] == BRANCH:
                    advance(ctx, q, v, out, k, INWARD)
        status = trunk(ctx, q, v, out, INWARD + OUTWARD)
        for k in range(parts.shape[0]):
            if parts[k, 3] == BRANCH:
                status = max(status, advance(ctx, q, v, out, k, OUTWARD))
        return status

    def evaluate(ctx, q, v, out):
        """The articulated body algorithm: out = accelerations of all joints."""
        if ints(ctx, PARTS).shape[0] > 1:
            return evaluate_parts(ctx, q, v, out)
        place(ctx, q, v)
        if ctx[HAS_LOADS] == 1:
            load(ctx, q, v)
        inward(ctx)
        outward(ctx, out)
        return finite(out)

    def inside(function):
        return njit(**FAST_INSIDE)(cache_name(function, space))

    place, inward, outward, advance = inside(place), inside(inward), inside(outward), inside(advance)
    trunk, evaluate_parts = inside(trunk), inside(evaluate_parts)
    return place, inward, outward, advance, trunk, inside(evaluate)


# For Python ---------------------------------------------------------------------------------------------------------


def _called(function, recursion):
    return njit(**FAST)(cache_name(function, recursion.__name__))


def make_forward(recursion):
    def forward(ctx, q, v, out):
        """out = accelerations of all joints."""
        if q.size != ctx[N_Q] or v.size != ctx[N_V] or out.size != ctx[N_V]:
            return WRONG_SIZE
        return recursion.evaluate(ctx, q, v, out)

    return _called(forward, recursion)


def make_inverse(recursion):
    def inverse(ctx, q, v, a, out):
        """out = efforts of all joints that give them the accelerations a; what each transmits stays in STATE."""
        if q.size != ctx[N_Q] or v.size != ctx[N_V] or a.size != ctx[N_V] or out.size != ctx[N_V]:
            return WRONG_SIZE
        recursion.place(ctx, q, v)
        if ctx[HAS_LOADS] == 1:
            recursion.load(ctx, q, v)
        recursion.efforts(ctx, a, out)
        return finite(out)

    return _called(inverse, recursion)


def make_advance_branches(recursion):
    def advance_branches(ctx, q, v, out, chosen, steps):
        """Some branches, for threads: no two of them write to the same place."""
        status = OK
        for k in range(chosen.size):
            status = max(status, recursion.advance(ctx, q, v, out, chosen[k], steps))
        return status

    return _called(advance_branches, recursion)


def make_serve(recursion):
    def serve(ctx, box, chosen, patience):
        """What a helping thread does: these branches, whenever asked to, until it has waited in vain for some time."""
        while mailbox.receive(box, patience):
            q = direct.reals_at(box[mailbox.Q], ctx[N_Q])
            v = direct.reals_at(box[mailbox.V], ctx[N_V])
            out = direct.reals_at(box[mailbox.OUT], ctx[N_V])
            status = OK
            for k in range(chosen.size):
                status = max(status, recursion.advance(ctx, q, v, out, chosen[k], box[mailbox.STEPS]))
            mailbox.finish(box, status)

    return _called(serve, recursion)


def make_advance_trunk(recursion):
    def advance_trunk(ctx, q, v, out, steps):
        return recursion.trunk(ctx, q, v, out, steps)

    return _called(advance_trunk, recursion)


def make_apply_loads(recursion):
    def apply_loads(ctx, q, v):
        """The forces of the mechanism, once all links are placed."""
        recursion.load(ctx, q, v)

    return _called(apply_loads, recursion)


def make_accelerations(recursion):
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
            usual = recursion.evaluate(ctx, q_, v_, out_) == OK
        if not usual:
            if new:
                direct.drop(api, out)
            return direct.call_ordinary(api, arguments, count, names)
        if not new:
            direct.take(api, out)
        return out

    return cache_name(accelerations, recursion.__name__)
