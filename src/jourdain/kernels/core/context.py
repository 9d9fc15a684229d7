"""The context: one table of addresses through which every kernel reaches its arrays and its neighbours.

Passing named tuples of arrays between kernels that are not inlined cost 70 ns a call with 24 arrays, as much as
the mathematics; a table of addresses costs 6 ns. A kernel takes `ctx` and fetches the few arrays it touches:

    arm = state(ctx, VEC, q)        # 1-D, in the number type of q: float64, or complex128 for derivatives

Entries are functions of one C signature, `int64 f(double t, T *a, T *b, int64 *ctx)`, called by address. So each
coordinate set, each treatment and each integrator compiles and caches alone: compile cost adds, never multiplies.

The layout is [header | functions | fields], three words (address, rows, columns) for each field (layout/fields.py). Who
fills it: `engine/workspace.py`, which also keeps the arrays alive.
"""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.np.arrayobj import populate_array

from ..layout.fields import *  # noqa: F403 - kernels take all their words from here
from ..layout.fields import FIRST_FIELD, H_COUNT, TABLE_LENGTH
from ..layout.returned import *  # noqa: F403
from . import plain
from .helper_compiler import HelperCompiler
from .lane_numbers import lanes, larger  # noqa: F401 - a number type for entries
from .plain import IN_PYTHON, intrinsic_or

# For what Python calls, and for helpers inside: those are cached as part of their callers, and the wrappers with
# which Python could call them took a quarter of the compile time. Arrays are views of memory that Python owns, so none
# are counted; the few kernels that make arrays of their own are ALLOCATING.
# HOT are those that every evaluation calls: handing over two arrays costs 5 ns, and a step of rk4 on a four-bar took
# 2.5 us before they were woven into their callers, 2.1 after; weaving in all of them cost 15 % more time to compile.
COMMON = {"error_model": "numpy", "nogil": True, "_nrt": False}
OPTIONS = {**COMMON, "cache": True}
INSIDE = {**COMMON, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": HelperCompiler}
HOT = {**INSIDE, "forceinline": True}
ALLOCATING = {**INSIDE, "_nrt": True}
# Where a * b + c may be done at once. Not where differences vanish exactly, as a x a: fused, it is a rounding error.
FUSED = {"fastmath": {"contract"}}


def _view(context, builder, array_type, ctx, field, flat):
    """An array over the memory that the table names; no reference counts, no checks."""
    table = context.make_array(types.int64[::1])(context, builder, ctx)
    first = builder.add(builder.mul(field, field.type(3)), field.type(FIRST_FIELD))
    words = [builder.load(builder.gep(table.data, [builder.add(first, field.type(k))])) for k in range(3)]
    address, rows, columns = words
    item = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    size = field.type(item)
    array = context.make_array(array_type)(context, builder)
    data = builder.inttoptr(address, array.data.type)
    if flat:
        shape, strides = [builder.mul(rows, columns)], [size]
    else:
        shape, strides = [rows, columns], [builder.mul(columns, size), size]
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


def _over(context, builder, array_type, pointer, shape):
    """An array over memory that somebody else owns."""
    size = ir.IntType(64)(context.get_abi_sizeof(context.get_data_type(array_type.dtype)))
    strides = [size] if len(shape) == 1 else [builder.mul(shape[1], size), size]
    array = context.make_array(array_type)(context, builder)
    populate_array(array, data=pointer, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


@intrinsic_or(plain.vector_at)
def vector_at(typingctx, pointer, length):
    """The numbers that an entry was given by address."""
    array_type = pointer.dtype[::1]

    def codegen(context, builder, signature, args):
        return _over(context, builder, array_type, args[0], [args[1]])

    return array_type(pointer, types.int64), codegen


@intrinsic_or(plain.matrix_at)
def matrix_at(typingctx, pointer, rows, columns):
    array_type = pointer.dtype[:, ::1]

    def codegen(context, builder, signature, args):
        return _over(context, builder, array_type, args[0], list(args[1:]))

    return array_type(pointer, types.int64, types.int64), codegen


def make_table(length):
    @intrinsic_or(lambda ctx: ctx)
    def table(typingctx, pointer):
        """The context itself, of an entry that was given its address."""
        array_type = types.int64[::1]

        def codegen(context, builder, signature, args):
            return _over(context, builder, array_type, args[0], [ir.IntType(64)(length)])

        return array_type(pointer), codegen

    return table


table = make_table(TABLE_LENGTH)


@intrinsic_or(plain.ints)
def ints(typingctx, ctx, field):
    """A field of integers, 2-D."""
    array_type = types.int64[:, ::1]

    def codegen(context, builder, signature, args):
        return _view(context, builder, array_type, args[0], args[1], flat=False)

    return array_type(ctx, types.int64), codegen


@intrinsic_or(plain.reals)
def reals(typingctx, ctx, field):
    """A field of real numbers, 2-D."""
    array_type = types.float64[:, ::1]

    def codegen(context, builder, signature, args):
        return _view(context, builder, array_type, args[0], args[1], flat=False)

    return array_type(ctx, types.int64), codegen


@intrinsic_or(plain.numbers)
def numbers(typingctx, ctx, field, like):
    """A field of constants, 2-D, of the number type of `like`: complex ones carry derivatives by parameters."""
    array_type = like.dtype[:, ::1]

    def codegen(context, builder, signature, args):
        return _view(context, builder, array_type, args[0], args[1], flat=False)

    return array_type(ctx, types.int64, like), codegen


@intrinsic_or(plain.state)
def state(typingctx, ctx, field, like):
    """A field as one row of numbers, of the number type of `like`."""
    array_type = like.dtype[::1]

    def codegen(context, builder, signature, args):
        return _view(context, builder, array_type, args[0], args[1], flat=True)

    return array_type(ctx, types.int64, like), codegen


@intrinsic_or(plain.run)
def run(typingctx, ctx, function, t, a, b):
    """Call one of the F_ entries, by its address in the table, with the data of the three arrays.

    As a kernel of its own it would be compiled for every combination of array types: 37 times for a first run.
    """

    def codegen(context, builder, signature, args):
        arrays = [context.make_array(signature.args[i])(context, builder, args[i]) for i in (3, 4, 0)]
        pointers = [array.data for array in arrays]
        place = builder.add(args[1], args[1].type(H_COUNT))
        kind = ir.FunctionType(ir.IntType(64), [ir.DoubleType(), *(p.type for p in pointers)])
        entry = builder.inttoptr(builder.load(builder.gep(pointers[2], [place])), kind.as_pointer())
        return builder.call(entry, [args[2], *pointers])

    return types.int64(ctx, types.int64, types.float64, a, b), codegen


@intrinsic_or(plain.call_function)
def call_function(typingctx, address, numbers, results, offset):
    """Call a user's `int64 f(double *numbers, double *results)` by address; its results begin at `offset`."""

    def codegen(context, builder, signature, args):
        arrays = [context.make_array(signature.args[i])(context, builder, args[i]) for i in (1, 2)]
        pointers = [arrays[0].data, builder.gep(arrays[1].data, [args[3]])]
        kind = ir.FunctionType(ir.IntType(64), [p.type for p in pointers])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), pointers)

    return types.int64(address, numbers, results, types.int64), codegen


@numba.njit(**HOT)
def largest(x):
    """Largest magnitude, infinite if any is NaN. For tests of size only, never inside the mathematics."""
    most = 0.0
    for i in range(x.size):
        most = larger(most, abs(x[i]))
    return most


@numba.njit(**HOT)
def length(x):
    """Euclidean norm of magnitudes; likewise for tests of size only."""
    total = 0.0
    for i in range(x.size):
        total = total + abs(x[i]) * abs(x[i])
    return np.sqrt(total)


def cache_name(function, *what):
    """Give each variant of a function made by a factory a name of its own. Needed, not cosmetic:

    Compiled code finds its parts by name, and the names carry a number that counts afresh in every process. Code that
    another process put into the cache would find this process's variant for dim = 3 where it meant its own for dim = 2.
    Likewise, variants of one name share an index of cache files, which two compiling processes would both write.
    """
    plain = function.__qualname__.partition("@")[0]
    function.__qualname__ = "@".join([plain, *(str(w) for w in what)])
    return function


def entry(function, scalar=types.float64):
    """Compile `function(t, a, b, ctx)` as an entry; its `.address` goes into the table.

    What differs from OPTIONS is in an attribute `options` of the function.
    """
    variables = [getattr(cell.cell_contents, "__name__", cell.cell_contents) for cell in function.__closure__ or ()]
    cache_name(function, scalar, *variables)
    if IN_PYTHON:
        return plain.Entry(function)
    pointer = types.CPointer(scalar)
    signature = types.int64(types.float64, pointer, pointer, types.CPointer(types.int64))
    return numba.cfunc(signature, **OPTIONS | getattr(function, "options", {}))(function)
