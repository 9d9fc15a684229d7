"""A kernel that is a Python function itself, with hardly any cost of the call.

Numba's dispatcher looks up the types of all arguments and makes an array structure of each: 300 ns with four arrays, as
long as the whole recursion takes for ten planar links; its bare wrapper takes 70, and a method in Python around it 100.
Here Python calls compiled code as it calls its own built-in functions (METH_FASTCALL): arguments arrive as addresses of
objects, and the code reads type, shape, data and flags from NumPy's array structure itself (PyArrayObject, part of
NumPy's C interface and the same in NumPy 1 and 2). Arrays that are not plain vectors of float64 of the right length,
and whatever else is unusual, go to an ordinary Python function with the same arguments; so does everything where
`layout_known` finds another layout.

The interpreter lock is kept. Objects are borrowed from the caller, and only what is returned gets a reference.
"""

import ctypes
import sys

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from . import plain
from .plain import intrinsic_or

# Offsets in PyArrayObject, bytes.
TYPE, DATA, DIMENSIONS, SHAPE, STRIDES, DTYPE, FLAGS = 8, 16, 24, 32, 40, 56, 64
LOW = 0xFFFFFFFF  # of words that hold an int
NEEDED = 0x0001 | 0x0100 | 0x0400  # contiguous, aligned, writable
READ_ONLY_TOO = 0x0001 | 0x0100

INSIDE = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# What the code calls and compares with, by address: rows of a table of its own.
NDARRAY, FLOAT64, NONE, OUT, NEW_ARRAY, TUPLE_ITEM, TUPLE_SIZE, TAKE, DROP, CALL, ORDINARY, PLACES = range(12)
_PYARRAY_NEW = 93  # place in NumPy's table of C functions
_DOUBLE = 12  # NumPy's number for float64


def addresses(ordinary):
    """The table; `ordinary` is the function for unusual arguments, and somebody keeps it alive."""
    table = np.zeros(PLACES, dtype=np.int64)
    table[NDARRAY], table[FLOAT64], table[NONE] = id(np.ndarray), id(np.dtype(float)), id(None)
    table[OUT], table[ORDINARY] = id(sys.intern("out")), id(ordinary)
    api = ctypes.pythonapi
    names = {TUPLE_ITEM: "PyTuple_GetItem", TUPLE_SIZE: "PyTuple_Size", TAKE: "Py_IncRef", DROP: "Py_DecRef"}
    for place, name in (names | {CALL: "PyObject_Vectorcall"}).items():
        table[place] = ctypes.cast(getattr(api, name), ctypes.c_void_p).value
    table[NEW_ARRAY] = ctypes.c_int64.from_address(_numpy_functions() + 8 * _PYARRAY_NEW).value
    return table


def _numpy_functions():
    """Address of NumPy's table of C functions."""
    core = getattr(np, "_core", None) or np.core
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(core._multiarray_umath._ARRAY_API, None)


def _make_call(count):
    @intrinsic_or(plain.let_others_run)
    def call(typingctx, function, arguments):
        """Call a C function by address with words for arguments and result."""

        def codegen(context, builder, signature, args):
            kind = ir.FunctionType(cgutils.intp_t, [cgutils.intp_t] * count)
            words = cgutils.unpack_tuple(builder, args[1], count)
            return builder.call(builder.inttoptr(args[0], kind.as_pointer()), words)

        return types.int64(types.int64, types.UniTuple(types.int64, count)), codegen

    return call


call_1, _call_2, _call_4, _call_9 = _make_call(1), _make_call(2), _make_call(4), _make_call(9)


@intrinsic
def word(typingctx, where):
    """The eight bytes at an address."""

    def codegen(context, builder, signature, args):
        return builder.load(builder.inttoptr(args[0], cgutils.intp_t.as_pointer()))

    return types.int64(types.int64), codegen


def _make_view(array_type, item, in_python):
    @intrinsic_or(in_python)
    def view(typingctx, where, size):
        """An array over memory that somebody else holds."""

        def codegen(context, builder, signature, args):
            array = context.make_array(array_type)(context, builder)
            data = builder.inttoptr(args[0], array.data.type)
            one = cgutils.intp_t(item)
            populate_array(array, data=data, shape=[args[1]], strides=[one], itemsize=one, meminfo=None)
            return array._getvalue()

        return array_type(types.int64, types.int64), codegen

    return view


reals_at = _make_view(types.float64[::1], 8, plain.reals_at)
ints_at = _make_view(types.int64[::1], 8, plain.ints_at)


@numba.njit(**INSIDE)
def is_vector(api, o, size, flags):
    """Whether the object at o is a plain vector of that many float64."""
    if word(o + TYPE) != api[NDARRAY] or word(o + DTYPE) != api[FLOAT64]:
        return False
    if word(o + DIMENSIONS) & LOW != 1 or word(o + FLAGS) & flags != flags:
        return False
    return word(word(o + SHAPE)) == size


@numba.njit(**INSIDE)
def place_for_result(api, arguments, count, names):
    """The third of the arguments (t, q, v, None, out) or (t, q, v, out=out); -1: a new one; 0: something unusual."""
    if names == 0:
        if count == 3:
            return -1
        if count == 5 and word(arguments + 24) == api[NONE]:
            return word(arguments + 32)
    elif count == 3 and call_1(api[TUPLE_SIZE], (names,)) == 1 and _call_2(api[TUPLE_ITEM], (names, 0)) == api[OUT]:
        return word(arguments + 24)
    return 0


@numba.njit(**INSIDE)
def new_vector(api, size_at):
    """A new array; its length is read from memory. 0 if there is none left: then Python has been told."""
    return _call_9(api[NEW_ARRAY], (api[NDARRAY], 1, size_at, _DOUBLE, 0, 0, 0, 0, 0))


@numba.njit(**INSIDE)
def take(api, o):
    call_1(api[TAKE], (o,))


@numba.njit(**INSIDE)
def drop(api, o):
    call_1(api[DROP], (o,))


@numba.njit(**INSIDE)
def call_ordinary(api, arguments, count, names):
    return _call_4(api[CALL], (api[ORDINARY], arguments, count, names))


class Held(np.ndarray):
    """Words that compiled code reads, with what they point to: freed together."""


class _Definition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


def definition(address, name, doc):
    """A function for Python made of the compiled `object f(self, arguments, count, names)`; to be kept for ever."""
    return _Definition(name.encode(), address, 0x0080 | 0x0002, doc.encode())  # METH_FASTCALL | METH_KEYWORDS


def bound(what, words, *kept):
    """The Python function, with `words` for self; it keeps the rest alive."""
    self = words.view(Held)
    self.kept = kept
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(ctypes.addressof(what), self, __package__)


def layout_known():
    """Whether arrays are laid out as this file believes, tried on one."""
    probe = np.zeros((2, 3))
    words = {at: ctypes.c_int64.from_address(id(probe) + at).value for at in (TYPE, DATA, DIMENSIONS, DTYPE, FLAGS)}
    if words[TYPE] != id(np.ndarray) or words[DATA] != probe.ctypes.data or words[DIMENSIONS] & LOW != 2:
        return False
    if words[DTYPE] != id(probe.dtype) or probe.dtype is not np.dtype(float) or words[FLAGS] & NEEDED != NEEDED:
        return False
    shape, strides = (ctypes.c_int64.from_address(id(probe) + at).value for at in (SHAPE, STRIDES))
    found = [ctypes.c_int64.from_address(base + 8 * k).value for base in (shape, strides) for k in (0, 1)]
    return found == [2, 3, 24, 8]
