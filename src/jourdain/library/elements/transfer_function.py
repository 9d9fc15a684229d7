"""Transfer function: a linear block with one input and one output."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.lowered import Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from ..kinds import ELEMENTS, Key, Kind
from ..shared_keys import INPUTS_INSTEAD
from ..values import Values
from .linear_system import linear


def _check(values: Values) -> Iterator[Fault]:
    top, bottom = values.raw("numerator"), values.raw("denominator")
    if not bottom or bottom[0] == 0:
        yield values.fault("denominator", "denominator begins with 0; expected the factor of the highest power first")
    elif len(top) > len(bottom):
        words = f"the numerator is of order {len(top) - 1}, the denominator of {len(bottom) - 1}"
        yield values.fault("numerator", f"{words}; expected none above it: derivatives of the input are not known")
    if not top:
        yield values.fault("numerator", "numerator is empty; expected at least one number")


def _transfer_function(values: Values) -> Lowered:
    """Controllable canonical form: x_k' = x_{k+1}, x_n' = u - sum a_k x_k, y = sum (b_k - b_n a_k) x_k + b_n u.

    (Ogata, Modern Control Engineering, section 9-2.) Factors are divided by that of the highest power below.
    """
    bottom = [float(v) for v in values.raw("denominator")]
    n = len(bottom) - 1
    a = [v / bottom[0] for v in bottom[:0:-1]]  # of s^0, s^1 .. s^(n-1)
    top = [float(v) / bottom[0] for v in values.raw("numerator")][::-1]
    b = [*top, *[0.0] * (n + 1 - len(top))]
    u = values.formula("input")
    names = [f"x{i + 1}" for i in range(n)]
    x = [values.own(name) for name in names]
    rates = [*x[1:], u - linear(tuple(a), x)] if n else []
    direct = linear(tuple(b[i] - b[n] * a[i] for i in range(n)), x)
    output = direct + b[n] * u if b[n] else direct
    states = tuple((name, 0.0, rate) for name, rate in zip(names, rates, strict=True))
    return Lowered(states=states, channels={"output": output})


TRANSFER_FUNCTION = Kind(
    "transfer-function",
    {
        "input": Key(k.FORMULA),
        "numerator": Key(k.NUMBERS, help="factors of the powers of s, the highest first"),
        "denominator": Key(k.NUMBERS, help="likewise; at least as many"),
        "inputs": INPUTS_INSTEAD,
    },
    _transfer_function,
    "a linear block by the polynomials of its transfer function; channels output, x1, x2 ..",
    ELEMENTS,
    _check,
    example='m.transfer_function("filter", input="A.angle", numerator=(1,), denominator=(0.1, 1))',
)
