"""Calling a kernel from Python with hardly any cost of the call.

Numba's dispatcher looks up the types of all arguments and makes an array structure of each: 300 ns with four arrays, as
long as the whole recursion takes for ten planar links. Here arguments arrive as the addresses of their Python objects,
and a kernel reads type, shape, data and flags from NumPy's array structure itself (PyArrayObject, part of NumPy's C
interface and the same in NumPy 1 and 2). Arrays that are not plain vectors of float64 of the right length are turned
down, and the caller goes the ordinary way; so it does where `layout_known` finds another layout.

No reference is taken: the caller holds the objects, and the interpreter lock is kept.
"""

import ctypes

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, intrinsic, models, register_model, unbox
from numba.np.arrayobj import populate_array

# Offsets in PyArrayObject, bytes.
TYPE, DATA, DIMENSIONS, SHAPE, STRIDES, DTYPE, FLAGS = 8, 16, 24, 32, 40, 56, 64
LOW = 0xFFFFFFFF  # of words that hold an int
NEEDED = 0x0001 | 0x0100 | 0x0400  # contiguous, aligned, writable
READ_ONLY_TOO = 0x0001 | 0x0100

OPTIONS = {"cache": True, "error_model": "numpy"}
INSIDE = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class ObjectAddress(types.Type):
    """A Python object, known by its address."""

    def __init__(self):
        super().__init__(name="ObjectAddress")


address = ObjectAddress()


@register_model(ObjectAddress)
class _AddressModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.IntType(64))


@unbox(ObjectAddress)
def _unbox_address(typ, obj, c):
    return NativeValue(c.builder.ptrtoint(obj, cgutils.intp_t))


@intrinsic
def number(typingctx, obj):
    """The address as an integer."""

    def codegen(context, builder, signature, args):
        return args[0]

    return types.int64(obj), codegen


@intrinsic
def word(typingctx, where):
    """The eight bytes at an address."""

    def codegen(context, builder, signature, args):
        return builder.load(builder.inttoptr(args[0], cgutils.intp_t.as_pointer()))

    return types.int64(types.int64), codegen


def _make_view(array_type, item):
    @intrinsic
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


reals_at = _make_view(types.float64[::1], 8)
ints_at = _make_view(types.int64[::1], 8)


@numba.njit(**INSIDE)
def is_vector(obj, size, ndarray, float64, flags):
    """Whether an object is a plain vector of that many float64, by the addresses of NumPy's own types."""
    o = number(obj)
    if word(o + TYPE) != ndarray or word(o + DTYPE) != float64:
        return False
    if word(o + DIMENSIONS) & LOW != 1 or word(o + FLAGS) & flags != flags:
        return False
    return word(word(o + SHAPE)) == size


@numba.njit(**INSIDE)
def data_of(obj):
    return word(number(obj) + DATA)


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
