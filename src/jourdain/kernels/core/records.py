"""Records of arrays by address: Python hands a table over, and kernels look up what is in it.

Numba unpacks every array of a named tuple at each call, which takes longer (40 us for the boxes of a system) than
many calls themselves. A record is a table of int64, WORDS for each of its fields: the address of an array and its
shape, or a number. Whoever made it keeps the arrays alive (engine/addresses.py).
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.np.arrayobj import populate_array

from . import plain
from .plain import intrinsic_or

WORDS = 5


def _make_view(number, item, dimensions):
    array_type = types.Array(number, dimensions, "C")
    dtype = np.dtype(item)

    def in_python(table, field):
        words = table[WORDS * field : WORDS * (field + 1)].tolist()
        return plain.array_at(words[0], tuple(words[1 : 1 + dimensions]), dtype)

    @intrinsic_or(in_python)
    def view(typingctx, table, field):
        """Array number `field` of a record."""

        def codegen(context, builder, signature, args):
            words = context.make_array(types.int64[::1])(context, builder, args[0])
            first = builder.mul(args[1], args[1].type(WORDS))
            found = [
                builder.load(builder.gep(words.data, [builder.add(first, first.type(k))]))
                for k in range(1 + dimensions)
            ]
            shape, strides = found[1:], [ir.IntType(64)(dtype.itemsize)]
            for k in range(dimensions - 1, 0, -1):
                strides.insert(0, builder.mul(strides[0], shape[k]))
            array = context.make_array(array_type)(context, builder)
            data = builder.inttoptr(found[0], array.data.type)
            size = ir.IntType(64)(dtype.itemsize)
            populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
            return array._getvalue()

        return array_type(table, types.int64), codegen

    return view


ints_1, ints_2, ints_3 = (_make_view(types.int64, "int64", n) for n in (1, 2, 3))
reals_1, reals_2, reals_3, reals_4 = (_make_view(types.float64, "float64", n) for n in (1, 2, 3, 4))
