"""What intrinsics do, in plain Python: with NUMBA_DISABLE_JIT=1 kernels can be stepped through, and lines counted.

Kernels stay as they are. Numba leaves their functions alone then, and each intrinsic is the function here that its
decorator names. Arrays are handed over as arrays and entries are numbers of a list, where compiled code has addresses;
fields are arrays over the memory that the table names, in both. Thousands of times slower, and the same to rounding.
"""

import ctypes
import functools
import threading
import time
from typing import NamedTuple

import numpy as np
from numba import config
from numba.extending import intrinsic

from ..layout.fields import FIRST_FIELD, H_COUNT

IN_PYTHON = bool(config.DISABLE_JIT)
if IN_PYTHON:
    np.seterr(all="ignore")  # as compiled code, which goes on with infinities and NaN and says nothing


def intrinsic_or(plain):
    """Decorates an intrinsic; `plain` takes its place where nothing is compiled."""
    return (lambda _: plain) if IN_PYTHON else intrinsic


# Arrays ----------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1 << 14)
def _over(address, shape, dtype):
    """An array over memory that somebody else owns."""
    if isinstance(dtype, Lanes):
        return LanesArray(_over(address, (*shape, dtype.width), REAL))
    size = dtype.itemsize * int(np.prod(shape))
    if size == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


INT, REAL = np.dtype(np.int64), np.dtype(np.float64)


def array_at(address, shape, dtype):
    return _over(int(address), shape, dtype)


def ints_at(address, size):
    return _over(int(address), (int(size),), INT)


def reals_at(address, size):
    return _over(int(address), (int(size),), REAL)


def _field(ctx, field, dtype):
    first = FIRST_FIELD + 3 * field
    address, rows, columns = ctx[first : first + 3].tolist()
    return _over(address, (rows, columns), dtype)


def ints(ctx, field):
    return _field(ctx, field, INT)


def reals(ctx, field):
    return _field(ctx, field, REAL)


def numbers(ctx, field, like):
    return _field(ctx, field, like.dtype)


def state(ctx, field, like):
    return _field(ctx, field, like.dtype).reshape(-1)


def vector_at(array, length):
    """The first numbers of an array that an entry was given. It may have fewer, where only its number type matters."""
    return array.reshape(-1)[:length]


def matrix_at(array, rows, columns):
    return vector_at(array, rows * columns).reshape(rows, columns)


# Entries and users' functions ------------------------------------------------------------------------------------


def _nothing(t, a, b, ctx):
    raise LookupError("a kernel calls an entry that this context does not have")


_entries = [_nothing]
_numbers = {}


class Entry:
    """A function in the list; its `address` is its number there."""

    def __init__(self, function):
        if function not in _numbers:
            _numbers[function] = len(_entries)
            _entries.append(function)
        self.address = _numbers[function]


def run(ctx, function, t, a, b):
    return _entries[ctx[H_COUNT + function]](np.float64(t), a, b, ctx)


_USER = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


def call_function(address, numbers, results, offset):
    return _USER(int(address))(numbers.ctypes.data, results.ctypes.data + results.itemsize * int(offset))


# Numbers ---------------------------------------------------------------------------------------------------------


class Lanes(NamedTuple):
    """The number type of numbers side by side (lane_numbers.py)."""

    width: int


class LanesNumber(np.ndarray):
    """Numbers side by side: each lane computes for itself, a comparison is whether it holds in all of them."""

    def __array_ufunc__(self, ufunc, method, *inputs, **_):  # `out` too: += makes a new number
        found = getattr(ufunc, method)(*(np.asarray(x) for x in inputs))
        if found.dtype != bool:
            return found.view(LanesNumber)
        return bool(np.any(found) if ufunc is np.not_equal else np.all(found))


class LanesArray:
    """An array of such numbers, over an array of float64 whose last axis are the lanes."""

    def __init__(self, over):
        self.over = over
        self.shape = over.shape[:-1]
        self.size = int(np.prod(self.shape))
        self.dtype = Lanes(over.shape[-1])

    def __getitem__(self, place):
        part = self.over[place]
        return part.copy().view(LanesNumber) if part.ndim == 1 else LanesArray(part)

    def __setitem__(self, place, number):
        self.over[place] = number

    def reshape(self, *shape):
        return LanesArray(self.over.reshape(*shape, self.dtype.width))


def choose(x, yes, no):
    if isinstance(x, LanesNumber):
        return np.where(np.asarray(x) > 0.0, yes, no).view(LanesNumber)
    return yes if x.real > 0.0 else no


def larger(a, b):
    if isinstance(a, LanesNumber) or isinstance(b, LanesNumber):
        old, new = np.asarray(a), np.asarray(b)
        new = np.where(np.isnan(new), np.inf, new)
        return np.where(new > old, new, old).view(LanesNumber)
    b = b if b == b else np.inf
    return b if b > a else a


def moment(t):
    return t[0] if isinstance(t, LanesNumber) else t


def lane(x, place):
    return x[place]


def with_lane(x, place, number):
    changed = np.array(x)
    changed[place] = number
    return changed.view(LanesNumber)


# Words that two threads write ------------------------------------------------------------------------------------

_changing = threading.Lock()


def load(box, k):
    return box[k]


def store(box, k, value):
    box[k] = value


def wakes(box, k):
    with _changing:
        was = box[k] == 1
        if was:
            box[k] = 0
        return was


def let_others_run(function, arguments):
    time.sleep(0)
