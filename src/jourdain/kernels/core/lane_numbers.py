"""A number that is WIDTH numbers side by side: one instruction of the processor adds or multiplies all of them.

Kernels are written for any number type (float64, complex128 for derivatives); with this one they run WIDTH variants of
a mechanism at once. What may differ between variants is their numbers, never the way through the code, so

- a comparison is one answer: whether it holds in all lanes. Tests that guard (`if not pivot > smallest`) thereby fail
  as soon as one lane fails, and the caller leaves all of them to the ordinary way;
- what is chosen for each lane by itself is chosen by `choose` and `larger`, which work for every number type.
"""

import math
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, overload_attribute, register_model

from . import plain
from .plain import intrinsic_or

WIDTH = 8
BYTES = 8 * WIDTH  # arrays of lanes must begin at multiples of this
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_PLAIN = (types.Float, types.Integer)
_INDEX = ir.IntType(32)


class Lanes(types.Type):
    def __init__(self):
        super().__init__(name=f"lanes{WIDTH}")

    def unify(self, typingctx, other):
        return self if isinstance(other, _PLAIN) else None

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, _PLAIN) else None


lanes = Lanes()


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


def _spread(builder, number):
    """The same number in all lanes."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, _INDEX(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INDEX, WIDTH), [0] * WIDTH))


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
def _from_plain(context, builder, fromty, toty, value):
    return _spread(builder, context.cast(builder, value, fromty, types.float64))


def _is_mixed(args):
    return lanes in args and all(a == lanes or isinstance(a, _PLAIN) for a in args)


# Arithmetic ------------------------------------------------------------------------------------------------------


def _register_arithmetic(operation, instruction):
    @infer_global(operation)
    class Arithmetic(AbstractTemplate):
        def generic(self, args, kws):
            return signature(lanes, lanes, lanes) if len(args) == 2 and _is_mixed(args) else None

    @lower_builtin(operation, Lanes, Lanes)
    def lower(context, builder, sig, args):
        return getattr(builder, instruction)(*args)


def _register_comparison(operation, sign):
    @infer_global(operation)
    class Comparison(AbstractTemplate):
        def generic(self, args, kws):
            return signature(types.boolean, lanes, lanes) if len(args) == 2 and _is_mixed(args) else None

    @lower_builtin(operation, Lanes, Lanes)
    def lower(context, builder, sig, args):
        # != is whether it holds anywhere: not ==
        everywhere = _all(builder, builder.fcmp_ordered("==" if sign == "!=" else sign, *args))
        return builder.not_(everywhere) if sign == "!=" else everywhere


def _all(builder, bits):
    whole = builder.bitcast(bits, ir.IntType(WIDTH))
    return builder.icmp_unsigned("==", whole, whole.type(2**WIDTH - 1))


def _register_function(function, name):
    """A function of one number that LLVM knows for vectors."""

    @infer_global(function)
    class Function(AbstractTemplate):
        def generic(self, args, kws):
            return signature(lanes, lanes) if tuple(args) == (lanes,) else None

    @lower_builtin(function, Lanes)
    def lower(context, builder, sig, args):
        return _call_llvm(builder, name, args)


def _call_llvm(builder, name, args):
    kind = ir.FunctionType(_VECTOR, [_VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{WIDTH}f64"), args)


for _operations, _instruction in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _operation in _operations:
        _register_arithmetic(_operation, _instruction)
for _operation, _sign in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _register_comparison(_operation, _sign)
for _function, _name in (
    (abs, "llvm.fabs"),
    (np.sqrt, "llvm.sqrt"),
    (math.sqrt, "llvm.sqrt"),
    (np.sin, "llvm.sin"),
    (np.cos, "llvm.cos"),
):
    _register_function(_function, _name)


@infer_global(operator.neg)
class _Negative(AbstractTemplate):
    def generic(self, args, kws):
        return signature(lanes, lanes) if tuple(args) == (lanes,) else None


@lower_builtin(operator.neg, Lanes)
def _negative(context, builder, sig, args):
    return builder.fneg(args[0])


@infer_global(operator.pow)
class _Square(AbstractTemplate):
    def generic(self, args, kws):
        square = len(args) == 2 and args[0] == lanes and getattr(args[1], "literal_value", 2) == 2
        return signature(lanes, lanes, types.int64) if square and isinstance(args[1], types.Integer) else None


@lower_builtin(operator.pow, Lanes, types.int64)
def _square(context, builder, sig, args):
    return builder.fmul(args[0], args[0])


@overload_attribute(Lanes, "real")
def _real(number):
    return lambda number: number


@overload_attribute(Lanes, "imag")
def _imaginary(number):
    return lambda number: 0.0


# Each lane by itself ---------------------------------------------------------------------------------------------


def _real_part(context, builder, kind, value):
    return context.make_complex(builder, kind, value).real if isinstance(kind, types.Complex) else value


@intrinsic_or(plain.choose)
def choose(typingctx, x, yes, no):
    """`yes` where x (its real part) is above zero, else `no`."""
    result = typingctx.unify_types(yes, no)

    def codegen(context, builder, sig, args):
        kind = sig.args[0]
        zero = ir.Constant(_VECTOR, [0.0] * WIDTH) if kind == lanes else ir.Constant(ir.DoubleType(), 0.0)
        above = builder.fcmp_ordered(">", _real_part(context, builder, kind, args[0]), zero)
        return builder.select(above, args[1], args[2])

    return result(x, result, result), codegen


@intrinsic_or(plain.larger)
def larger(typingctx, a, b):
    """The larger of a >= 0 and b; infinite if b is NaN."""
    result = typingctx.unify_types(a, b)

    def codegen(context, builder, sig, args):
        old, new = args
        unlimited = ir.Constant(ir.DoubleType(), math.inf)
        unlimited = _spread(builder, unlimited) if result == lanes else unlimited
        new = builder.select(builder.fcmp_ordered("ord", new, new), new, unlimited)
        return builder.select(builder.fcmp_ordered(">", new, old), new, old)

    return result(result, result), codegen


@intrinsic_or(plain.moment)
def moment(typingctx, t):
    """A time for an entry, which takes one only: that of the first lane. What runs in lanes does not depend on time."""

    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], _INDEX(0)) if sig.args[0] == lanes else args[0]

    return types.float64(t), codegen


@intrinsic_or(plain.lane)
def lane(typingctx, x, place):
    """The number in one lane."""

    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], builder.trunc(args[1], _INDEX))

    return types.float64(lanes, types.int64), codegen


@intrinsic_or(plain.with_lane)
def with_lane(typingctx, x, place, number):
    """x with another number in one lane."""

    def codegen(context, builder, sig, args):
        return builder.insert_element(args[0], args[2], builder.trunc(args[1], _INDEX))

    return lanes(lanes, types.int64, types.float64), codegen


@intrinsic_or(plain.LanesArray)
def lanes_over(typingctx, array):
    """A matrix of lanes over the memory of a cube of float64 whose last axis has WIDTH."""
    kind = types.Array(lanes, 2, "C")

    def codegen(context, builder, sig, args):
        from numba.np.arrayobj import populate_array

        cube = context.make_array(sig.args[0])(context, builder, args[0])
        rows, columns = (builder.extract_value(cube.shape, k) for k in range(2))
        size = ir.IntType(64)(BYTES)
        matrix = context.make_array(kind)(context, builder)
        data = builder.bitcast(cube.data, matrix.data.type)
        strides = [builder.mul(columns, size), size]
        populate_array(matrix, data=data, shape=[rows, columns], strides=strides, itemsize=size, meminfo=None)
        return matrix._getvalue()

    return kind(types.float64[:, :, ::1]), codegen
