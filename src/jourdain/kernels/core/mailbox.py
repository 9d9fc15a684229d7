"""Jobs for a thread that waits for the next one in compiled code, without the interpreter lock.

Waking a thread by a lock takes 30 to 60 us, as long as the recursion for a thousand links in the plane. So a thread
that has just finished looks for its next job for a while before it sleeps, and the one that waits for it does likewise.
Now and then both let others run, for processors may be scarce: without that, threads took twice the time of one where
no second processor was free. A mailbox is a row of words; those that both sides write are eight apart, each in a cache
line of its own.

    sender    writes the job, then its number; wakes the other if that is asleep
    receiver  does the job, then writes its number; before it falls asleep it says so and looks once more

Whoever turns ASLEEP from 1 to 0 has the say: the receiver, and it stays awake, or the sender, and it must wake it.
"""

import ctypes
import sys

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from . import direct, plain
from .context import INSIDE, OPTIONS
from .plain import intrinsic_or

SENT, DONE, ASLEEP, Q, V, OUT, STEPS, STATUS, LET_RUN, LENGTH = 0, 8, 16, 24, 25, 26, 27, 28, 29, 32
LOOKS = 64  # of about a nanosecond each, between two calls that let others run


def new_box():
    """An empty mailbox of a thread that sleeps; it holds the address of the system's function that lets others run."""
    box = np.zeros(LENGTH, dtype=np.int64)
    box[ASLEEP] = 1
    let_run = ctypes.windll.kernel32.SwitchToThread if sys.platform == "win32" else ctypes.CDLL(None).sched_yield
    box[LET_RUN] = ctypes.cast(let_run, ctypes.c_void_p).value
    return box


def _place(context, builder, array_type, args):
    data = context.make_array(array_type)(context, builder, args[0]).data
    return builder.gep(data, [args[1]])


@intrinsic_or(plain.load)
def _load(typingctx, box, k):
    def codegen(context, builder, signature, args):
        return builder.load_atomic(_place(context, builder, signature.args[0], args), "seq_cst", 8)

    return types.int64(box, types.int64), codegen


@intrinsic_or(plain.store)
def _store(typingctx, box, k, value):
    def codegen(context, builder, signature, args):
        builder.store_atomic(args[2], _place(context, builder, signature.args[0], args), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(box, types.int64, types.int64), codegen


@intrinsic_or(plain.wakes)
def _wakes(typingctx, box, k):
    """Turn a 1 into a 0; whether it was there."""

    def codegen(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], args)
        one, zero = ir.Constant(cgutils.intp_t, 1), ir.Constant(cgutils.intp_t, 0)
        return builder.extract_value(builder.cmpxchg(place, one, zero, "seq_cst", "seq_cst"), 1)

    return types.boolean(box, types.int64), codegen


@numba.njit(**OPTIONS)
def send(box, q, v, out, steps):
    """Hand a job over; whether the other thread must be woken for it."""
    box[Q], box[V], box[OUT], box[STEPS] = q.ctypes.data, v.ctypes.data, out.ctypes.data, steps
    _store(box, SENT, _load(box, SENT) + 1)
    return _wakes(box, ASLEEP)


@numba.njit(**INSIDE)
def _changes(box, k, known, patience):
    """Wait until the word is another one than it is known to be, for a while; whether it is."""
    for _ in range(patience):
        for _ in range(LOOKS):
            if _load(box, k) != known:
                return True
        direct.call_1(box[LET_RUN], (0,))
    return False


@numba.njit(**OPTIONS)
def is_done(box, patience):
    """Wait a while; whether the job is done."""
    return _changes(box, DONE, _load(box, SENT) - 1, patience)


@numba.njit(**INSIDE)
def receive(box, patience):
    """Wait a while; whether there is a job. If not, somebody will wake this thread."""
    last = _load(box, DONE)
    if _changes(box, SENT, last, patience):
        return True
    _store(box, ASLEEP, 1)
    return _load(box, SENT) != last and _wakes(box, ASLEEP)


@numba.njit(**INSIDE)
def finish(box, status):
    box[STATUS] = status
    _store(box, DONE, _load(box, SENT))
