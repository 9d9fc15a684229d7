"""Formulas: the kernel's tape against Python's `math`, derivatives against Cauchy's integral (see tape_machine.py).

Two ways of judging values. Operations that IEEE 754 rounds correctly (+ - * / sqrt, and abs, sign, min, max, which do
not round at all) must agree to the last bit, in trees of any shape. Functions of a mathematics library may differ from
another library's by a few units in the last place, so each of them is tried alone.

Derivatives: the oracle's own noise, which it knows, and 1e-10 for what the formulas lose near the edges of their range
(asin at 0.9 divides by 1 - x^2 = 0.19 twice).
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import cfunc, njit

from jourdain.equations.formula import FUNCTIONS, LONGEST_TAPE, Formula, FormulaError, apply, leaf, number, t
from jourdain.equations.parse import MAX_LENGTH, MAX_NESTING, formula
from jourdain.equations.smoothness import rough
from jourdain.equations.tables import Curve, monotone, smooth
from jourdain.equations.user_functions import UserFunction
from jourdain.model.tapes import Tape
from tape_machine import STATES, Machine, codes, complex_value, derivative, on_circle

EPS = np.finfo(float).eps
# Libraries promise results within 1 to 4 units in the last place; two of them may err in opposite directions.
LIBRARY = 8 * EPS
TIMES = np.random.default_rng(1).uniform(-3.0, 3.0, 40)
POINT, OTHER, STATE = ("position", 0, 0), ("position", 3, 1), ("state", 0)
X, Y, S = leaf(POINT), leaf(OTHER), leaf(STATE)


def wind(f):
    return Formula("wind", (f,), key="A")


def plain(f, time, values, turn=0.0):
    """The oracle in plain Python; a wound angle is brought to the turn nearest to `turn`."""
    if f.op != "wind":
        return f(time, values)
    angle = f.args[0](time, values)
    return angle + 2 * math.pi * round((turn - angle) / (2 * math.pi))


@njit
def by_numba(a, b):
    return a * b + math.sin(a)


@njit
def pair_by_numba(a, b):
    return a + b, a - 2 * b


@njit
def vectors_by_numba(u, v):
    return u[0] * v[1], u[1] * v[0], u[0] + v[0]


@cfunc("float64(float64, float64)")
def by_cfunc(a, b):
    return a / (1 + b * b)


def vectors_in_python(u, v):
    return [u[0] * v[1], u[1] * v[0], u[0] + v[0]]


CURVE = smooth([(0.1 * k * (k + 1) - 1.0, math.sin(k)) for k in range(8)], "curve")
STEPS = monotone([(-0.5, 1.0), (0.1, 0.8), (0.4, -0.2), (1.0, -0.3)], "steps")

PLACES = [-1.9, -0.9, -0.6, -0.13, 0.31, 0.55, 0.9, 1.8]
INSIDE = [p for p in PLACES if abs(p) < 1]
ABOVE = [p for p in PLACES if p > 0]
# Values of x where each function is defined; y = 0.83 and t = 0.4 move too.
DOMAIN = {"asin": INSIDE, "acos": INSIDE, "log": ABOVE, "sqrt": ABOVE, "turn_factor": [*INSIDE, 0.93, 0.999, 1.0]}
ONE = [name for name, (count, _) in FUNCTIONS.items() if count == 1]
TWO = ["add", "sub", "mul", "div", "min", "max"]

# Name, formula, values of x.
CASES = {
    **{name: (Formula(name, (X,)), DOMAIN.get(name, PLACES)) for name in [*ONE, "neg", "turn_factor"]},
    **{name: (Formula(name, (X, Y)), PLACES) for name in TWO},
    **{f"{name} turned": (Formula(name, (Y, X)), PLACES) for name in TWO},
    **{f"pow {n}": (Formula("pow", (X, number(n))), [0.0, *PLACES]) for n in (0, 1, 2, 3, 4, 7)},
    **{f"pow {n}": (X ** number(n), PLACES) for n in (-1, -2, -3)},
    **{f"pow {n}": (X ** number(n), ABOVE) for n in (0.5, 1.5, -0.3)},
    "pow of a number": (1.7**X, PLACES),
    "pow, both move": (X**Y, ABOVE),
    "pow of t": (t**X, PLACES),
    "atan2": (apply("atan2", Y, X), PLACES),
    "atan2 turned": (apply("atan2", X, Y), PLACES),
    "atan2 below": (apply("atan2", X, -Y), PLACES),
    "atan2 left": (apply("atan2", -Y, X), PLACES),
    "constant": (number(2.5) + 0 * X, [0.0]),
    "time": (Formula("t"), [0.0]),
    "time and place": (apply("sin", 3 * t - X) * t, PLACES),
    "state": (S * X + apply("exp", S), PLACES),
    "wound": (wind(apply("atan2", Y, X)), PLACES),
    "floor": (X * Formula("floor", (7 * Y * X,)) + Y, PLACES),
    "step": (Formula("step", (X,)) * X * Y, PLACES),
    "where": (Formula("where", (Formula("step", (X,)), X * Y, Formula("sqrt", (2.5 - X,)))), PLACES),
    "smooth table": (CURVE.of(X), PLACES),
    "table of time": (CURVE.of(t - X), PLACES),
    "monotone table": (STEPS.of(X * Y), PLACES),
    "numba": (UserFunction(by_numba, "f").of(X, Y)[0], PLACES),
    "cfunc": (UserFunction(by_cfunc, "f").of(Y, X)[0], PLACES),
    "python": (UserFunction(lambda a, b, c: a - b * c, "f").of(X, Y, t)[0], PLACES),
    "two results": (sum(UserFunction(pair_by_numba, "f", 2).of(X, Y)), PLACES),
    "vectors, numba": (UserFunction(vectors_by_numba, "f", 3, (2, 2)).of(X, Y, t, X)[2], PLACES),
    "vectors, python": (UserFunction(vectors_in_python, "f", 3, (2, 2)).of(X, Y, t, X)[1], PLACES),
    **{
        f"leaf {key[0]}": (leaf(key) * leaf(key), [0.0])
        for key in [
            *(("velocity", 1, 1), ("spin", 1, 0), ("parameter", 1), ("along", 1), ("rate", 0), ("reaction", 1, 2)),
            *(("acceleration", 2, 1), ("multiplier", 2), ("energy", 3)),
        ]
    },
}
TIME = 0.4


def motion_of(f, x):
    """A motion of the leaves of f with x as given, every derivative alive."""
    known = {POINT: (x, 1.3, -0.7), OTHER: (0.83, -0.9, 1.1), STATE: (0.37, 0.6, -1.4)}
    others = (0.71, 0.0, 0.0)
    return {key: known.get(key, others) for key in f.quantities()}


def at_all_places(test):
    """A test of a formula with x as given, for each case, at all its places one after the other."""

    @functools.wraps(test)
    def at_each(f, places):
        for x in places:
            test(f, x)

    del at_each.__wrapped__  # whose arguments pytest would ask for
    cases = [pytest.param(f, places, id=name) for name, (f, places) in CASES.items()]
    return pytest.mark.parametrize(("f", "places"), cases)(at_each)


@functools.cache
def machine_of(f, number=np.float64):
    """One for all places: nothing of an earlier place may be left in the next."""
    return Machine(f, number)


def judged(f, motion, order, only=None):
    """The oracle's derivative at TIME and the tolerance it allows."""
    centre = {key: numbers[0] for key, numbers in motion.items()}
    real = {id(node): plain(node, TIME, centre.__getitem__) for node in f.nodes()}
    circle = on_circle(f, TIME, motion, lambda node: real[id(node)], only=only)
    expected, noise = derivative(circle, order)
    return expected, 10 * noise + 1e-10 * max(1.0, abs(expected))


def test_every_operation_of_the_kernel_is_tried():
    numbers = {node[0] for f, _ in CASES.values() for node in Machine(f).tape.nodes}
    elsewhere = {"SMOOTH_CALL"}  # in test_jets.py
    assert {name for name, code in codes().items() if code not in numbers} == elsewhere
    assert sorted(codes().values()) == list(range(len(codes())))


def test_every_function_has_a_code():
    assert {name.upper() for name in FUNCTIONS} <= set(codes())


# Values and derivatives of single operations ----------------------------------------------------------------------


@at_all_places
def test_value_is_that_of_plain_python(f, x):
    motion = motion_of(f, x)
    value = machine_of(f).forward(TIME, motion)[0]
    expected = plain(f, TIME, lambda key: motion[key][0])
    # A few operations, each within LIBRARY of numbers of about one; turn_factor divides by sqrt(1 - w^2), which loses
    # eps / (1 - w) of itself in the oracle, and tables sum six terms of either sign.
    loose = any(node.op in ("turn_factor", "table", "call") for node in f.nodes())
    assert value == pytest.approx(expected, rel=1e-12 if loose else 2 * LIBRARY, abs=0)


@at_all_places
def test_derivatives_along_the_motion(f, x):
    motion = motion_of(f, x)
    found = machine_of(f).forward(TIME, motion)
    for order in (1, 2):
        expected, tolerance = judged(f, motion, order)
        assert abs(found[order] - expected) <= tolerance, order


@at_all_places
def test_gradient(f, x):
    motion = motion_of(f, x)
    machine = machine_of(f)
    machine.forward(TIME, motion)
    gradient, slope = machine.reverse(TIME)
    assert set(gradient) == set(motion)
    for key, found in gradient.items():
        expected, tolerance = judged(f, motion, 1, only=key)
        assert abs(found - expected) <= tolerance, key
    by_time, tolerance = judged(f, motion, 1, only="t")
    by_state = sum(gradient[key] * motion[key][1] for key in gradient if key[0] == "state")
    assert abs(slope - by_time - by_state) <= tolerance


@at_all_places
def test_complex_numbers_agree_with_real_ones(f, x):
    motion = motion_of(f, x)
    real, imaginary = machine_of(f), machine_of(f, np.complex128)
    found = imaginary.forward(TIME, motion)
    expected = real.forward(TIME, motion)
    # Another library, and second derivatives that divide by 1 - x^2 = 0.19 twice.
    np.testing.assert_allclose(found.real, expected, rtol=1e-12, atol=1e-13)
    gradients = [machine.reverse(TIME)[0] for machine in (imaginary, real)]
    for key in gradients[1]:
        assert gradients[0][key].real == pytest.approx(gradients[1][key], rel=1e-12, abs=1e-13)


@at_all_places
def test_complex_steps_through_the_kernel(f, x):
    """Value and first derivative at X + ih X' have X-derivatives as imaginary parts: what tests of rows rely on."""
    h = 1e-30
    motion = motion_of(f, x)
    steps = {k: (a + 1j * h * b, b + 1j * h * c, complex(c)) for k, (a, b, c) in motion.items()}
    machine = machine_of(f, np.complex128)
    found = machine.forward(TIME, steps)
    expected = machine_of(f)
    values = expected.forward(TIME, motion)
    gradient, _ = expected.reverse(TIME)
    along = sum(gradient[key] * motion[key][1] for key in gradient)
    calls = any(node.op == "call" for node in f.nodes())
    assert found[0].imag / h == pytest.approx(0.0 if calls else along, rel=1e-9, abs=1e-12)
    if not any(node.op == "t" for node in f.nodes()):  # t itself is a real number in the kernel
        assert found[1].imag / h == pytest.approx(values[2], rel=1e-8, abs=1e-10)


def test_atan2_in_all_quadrants_and_on_the_axes():
    """Signed zeros included: a joint drawn at exactly half a turn is no corner case."""
    machine = Machine(apply("atan2", Y, X))
    for y in (-1.0, -0.0, 0.0, 1.0):
        for x in (-2.0, -0.0, 0.0, 2.0):
            if x or y:
                found = machine.forward(0.0, {POINT: (x, 0.3, 0.1), OTHER: (y, -0.2, 0.4)})
                assert found[0] == math.atan2(y, x)
                assert found[1] == pytest.approx((x * -0.2 - y * 0.3) / (x * x + y * y), rel=1e-15)


def test_wound_angles_go_on_beyond_half_a_turn():
    machine = Machine(wind(apply("atan2", Y, X)))
    for angle in np.linspace(-20.0, 20.0, 81):
        motion = {POINT: (math.cos(angle), 0, 0), OTHER: (math.sin(angle), 0, 0)}
        # The turn is counted by integration: anything less than half a turn off must do.
        for off in (-3.1, 0.0, 3.1):
            machine.put(("state", STATES - 1), angle + off)
            assert machine.forward(0.0, motion)[0] == pytest.approx(angle, rel=8 * EPS, abs=8 * EPS)


@pytest.mark.parametrize("w", [0.9 - 1e-9, 0.9 + 1e-9, 0.999, 1 - 1e-9, 1.0, 1 + 1e-12])
def test_turn_factor_joins_its_series(w):
    """On either side of where the series takes over; a rotation by rounding errors has w a little above 1."""
    f = Formula("turn_factor", (X,))
    found = Machine(f).forward(0.0, {POINT: (w, 1.0, 0.0)})
    circle = on_circle(f, 0.0, {POINT: (w, 1.0, 0.0)}, lambda node: w)
    for order in range(3):
        expected, noise = derivative(circle, order)
        # Outside the series the second derivative loses eps / (1 - w)^2 = 2e-14.
        assert abs(found[order] - expected) <= 10 * noise + 1e-13


def test_a_table_goes_on_beyond_its_ends():
    """A monotone table straight, a smooth one with its last piece; both as the oracle has it."""
    machine = Machine(STEPS.of(X))
    for x in (-9.0, -4.0, -0.5, 1.0, 1.5, 30.0):
        found = machine.forward(0.0, {POINT: (x, 1.0, 0.0)})
        np.testing.assert_allclose(found, [STEPS(x, order) for order in range(3)], rtol=1e-12, atol=1e-12)
    assert machine.forward(0.0, {POINT: (30.0, 1.0, 0.0)})[2] == 0.0
    assert STEPS(0.4) == pytest.approx(-0.2, abs=1e-15)
    assert CURVE(0.2) == pytest.approx(math.sin(3), abs=1e-13)


def test_integral_of_a_table():
    area = CURVE.integral()
    for x in (-0.9, 0.3, 2.2):
        assert area(x, 1) == pytest.approx(CURVE(x), rel=1e-12)
        assert Machine(area.of(X)).forward(0.0, {POINT: (x, 1.0, 0.0)})[1] == pytest.approx(CURVE(x), rel=1e-12)
    assert area(CURVE.span[0]) == 0.0


def test_two_tables_and_two_functions_keep_apart():
    steep = Curve((0.0, 1.0), ((2.0, 0.0),))
    g, h = UserFunction(lambda a: a + 1, "g"), UserFunction(lambda a: 10 * a, "h")
    f = CURVE.of(X) + steep.of(X) + g.of(X)[0] * h.of(g.of(Y)[0])[0]
    values = {POINT: (0.4, 0, 0), OTHER: (0.3, 0, 0)}
    assert Machine(f).forward(0.0, values)[0] == pytest.approx(CURVE(0.4) + 0.8 + 1.4 * 13.0, rel=1e-14)


def test_a_function_is_called_once_for_all_its_results():
    calls = []

    def both(a):
        calls.append(a)
        return a, 2 * a

    first, second = UserFunction(both, "f", 2).of(X)
    assert Machine(first * second).forward(0.0, {POINT: (3.0, 0, 0)})[0] == 18.0
    assert calls == [3.0]


def test_a_function_that_raises_gives_no_number():
    """In Python the exception is kept; in compiled code nothing may be left of an earlier call."""

    def sometimes(a):
        if a > 1:
            raise ValueError("too large")
        return a

    machine = Machine(UserFunction(sometimes, "f").of(X)[0])
    assert machine.forward(0.0, {POINT: (0.5, 0, 0)})[0] == 0.5
    assert np.isnan(machine.forward(0.0, {POINT: (2.0, 0, 0)})[0])
    (callback,) = machine.callbacks
    assert isinstance(callback.error, ValueError) and callback.calls == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_compiled_function_that_raises_gives_no_number(capfd):
    @njit
    def sometimes(a):
        if a > 1:
            raise ValueError("too large")
        return a

    machine = Machine(UserFunction(sometimes, "f").of(X)[0])
    assert machine.forward(0.0, {POINT: (0.5, 0, 0)})[0] == 0.5
    assert np.isnan(machine.forward(0.0, {POINT: (2.0, 0, 0)})[0])
    capfd.readouterr()  # numba writes the exception to stderr


def test_undefined_values_are_not_finite_numbers():
    """The kernel must not stop on them: the run ends with a sentence when it meets one."""
    for text, time in (("1/t", 0.0), ("log(t)", -1.0), ("sqrt(t)", -1.0), ("asin(t)", 2.0), ("exp(t)", 1e4)):
        assert not np.isfinite(Machine(formula(text)).forward(time, {})[0]), text
    assert np.isnan(Machine(formula("t ** 0.5")).forward(-1.0, {})[0])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 - 3 - 4", -5.0),
        ("2 / 4 / 5", 0.1),
        ("2 ** 3 ** 2", 512.0),
        ("-2 ** 2", -4.0),
        ("(1 + 2) * 3 - 4 / 8", 8.5),
        ("2**-1", 0.5),
    ],
)
def test_precedence_is_pythons(text, value):
    # With t in every place the whole must be computed by the kernel, not folded into a constant.
    moving = formula("".join(f"({c}*t)" if c.isdigit() else c for c in text))
    assert formula(text) == number(value)
    assert Machine(moving).forward(1.0, {})[0] == pytest.approx(value, rel=LIBRARY)


# Random trees -----------------------------------------------------------------------------------------------------

ROUND_NUMBERS = st.floats(-8, 8, width=16).map(number)


def trees(one, two, leaves):
    """Formulas over t, two places and short numbers."""

    def grow(inner):
        return st.builds(Formula, st.sampled_from(one), st.tuples(inner)) | st.builds(
            Formula, st.sampled_from(two), st.tuples(inner, inner)
        )

    return st.recursive(st.sampled_from([t, X, Y]) | ROUND_NUMBERS, grow, max_leaves=leaves)


def value_or_skip(f, time, motion):
    try:
        value = f(time, lambda key: motion[key][0])
    except (ArithmeticError, ValueError):  # where Python raises, the kernel returns what is not finite
        assume(False)
    assume(math.isfinite(value))
    return value


@settings(deadline=None, database=None, derandomize=True, max_examples=200)
@given(trees(("neg", "sqrt", "abs", "sign"), ("add", "sub", "mul", "div", "min", "max"), 25), st.floats(-8, 8))
def test_correctly_rounded_trees_agree_to_the_last_bit(f, time):
    motion = {POINT: (1.7, 0.0, 0.0), OTHER: (-0.3, 0.0, 0.0)}
    assert Machine(f).forward(time, motion)[0] == value_or_skip(f, time, motion)


SMOOTH_ONE = ("neg", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs")


def delicate(node):
    """What must not vanish inside the circle for the node to be analytic there."""
    a, *rest = node.args
    return {
        "div": lambda: rest[0],
        "tan": lambda: apply("cos", a),
        "tanh": lambda: apply("cosh", a),
        "atan": lambda: 1 + a * a,
        "atan2": lambda: a * a + rest[0] * rest[0],
        **dict.fromkeys(("log", "sqrt", "abs", "pow"), lambda: a),
    }.get(node.op, lambda: None)()


@settings(deadline=None, database=None, derandomize=True, max_examples=150)
@given(trees(SMOOTH_ONE, ("add", "sub", "mul", "div", "pow", "atan2"), 6), st.floats(-2, 2), st.floats(-2, 2))
def test_derivatives_of_random_trees(f, time, x):
    motion = {POINT: (x, 1.3, -0.7), OTHER: (0.83, -0.9, 1.1)}
    value_or_skip(f, time, motion)
    real = {id(node): node(time, lambda key: motion[key][0]) for node in f.nodes()}
    # Between these sizes a handful of operations amplify rounding by 1e6 at most; a wrong rule errs by its own size.
    assume(max(abs(value) for value in real.values()) < 1e2)
    whole = [node for node in f.nodes() if node.op == "pow" and real[id(node.args[0])] < 0]
    assume(all(node.args[1].constant for node in whole))  # (-x) ** y has no derivative by y

    def circle(g, only):
        centre = {id(node): node(time, lambda key: motion[key][0]) for node in g.nodes()}
        try:
            return on_circle(g, time, motion, lambda node: centre[id(node)], 1e-2, only)
        except (ArithmeticError, ValueError):
            assume(False)

    # It then stays within half its size of its value, inside too, by the maximum principle from the leaves upwards.
    for g in [delicate(node) for node in f.nodes() if node.args]:
        if g is None:
            continue
        value = g(time, lambda key: motion[key][0])
        assume(np.max(np.abs(circle(g, None) - value)) < 0.5 * abs(value))
    machine = Machine(f)
    found = machine.forward(time, motion)
    gradient, slope = machine.reverse(time)
    pairs = [(None, 1, found[1]), (None, 2, found[2]), (POINT, 1, gradient.get(POINT, 0.0)), ("t", 1, slope)]
    for only, order, actual in pairs:
        expected, noise = derivative(circle(f, only), order, 1e-2)
        assume(abs(expected) < 1e4)
        assert abs(actual - expected) <= 10 * noise + 1e-7 * max(1.0, abs(expected)), (only, order)


def test_the_oracle_itself():
    """The tree at a complex argument whose imaginary part is tiny is the tree."""
    for f, places in CASES.values():
        if not any(node.op in ("wind", "call") for node in f.nodes()):
            values = {k: numbers[0] for k, numbers in motion_of(f, places[0]).items()}
            real = {id(node): node(TIME, values.__getitem__) for node in f.nodes()}
            found = complex_value(f, complex(TIME), values.__getitem__, lambda node, real=real: real[id(node)])
            assert found == pytest.approx(real[id(f)], rel=1e-10)


# What is refused, and how formulas are kept -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["min", "max"])
def test_no_derivative_of(name):
    words = f"'{name}' has no derivative everywhere and cannot stand in a joint's equation"
    words += "; use a cam law such as poly345(x, x0, x1), or a table"
    assert rough(formula(f"1 + sin({name}(t, 1))")) == words
    assert rough(formula(f"{name}(1, 2) * t")) is None  # of two numbers it is a number


def test_no_derivative_of_a_function():
    assert rough(UserFunction(by_numba, "motor 'm'").of(t, t)[0]) == (
        "motor 'm' is a function without derivatives; write it as a formula"
    )
    assert rough(formula("atan2(sin(t), exp(t)) ** 2")) is None


def test_longest_tape():
    def chain(steps):
        f = X
        for k in range(steps):
            f = apply("sin", f) if k % 2 else f + 0.5 * k
        return f

    def written(f):
        tape = Tape(2, 3, lambda v: v, lambda name: 0)
        tape.add(f)
        return len(tape.nodes)

    assert written(chain(3000)) <= LONGEST_TAPE
    with pytest.raises(FormulaError, match=r"the formula takes \d+ steps \(at most 5000\); split it"):
        written(chain(2 * LONGEST_TAPE))


def test_what_occurs_twice_is_computed_once():
    twice = formula("sin(t + 1) * sin(t + 1) + (t + 1)")
    assert len(Machine(twice).tape.nodes) == 6  # t, 1, t + 1, sin, product, sum


def test_length_and_brackets_have_limits():
    fits = "(" * MAX_NESTING + "t" + ")" * MAX_NESTING
    assert formula(fits) == t
    with pytest.raises(FormulaError, match=r"brackets are nested 61 deep \(at most 60\)"):
        formula(f"({fits})")
    assert formula("t" + " " * (MAX_LENGTH - 1)) == t
    with pytest.raises(FormulaError, match=r"a formula of 10001 characters is too long \(at most 10000\)"):
        formula("t" + " " * MAX_LENGTH)


@pytest.mark.parametrize("value", ["1", None, True, 1j, [1]], ids=repr)
def test_only_numbers_go_into_formulas(value):
    with pytest.raises(TypeError):
        t + value
    with pytest.raises(TypeError, match="is neither a number nor a formula"):
        apply("sin", value)


def test_constants_are_folded():
    assert formula("2 * pi / 4 + cos(0)") == number(math.pi / 2 + 1)
    assert formula("0 * sin(t) + 1 * t ** 1 - 0") == t
    assert (2 ** (1 / t)) == formula("2 ** (1 / t)")
    assert (1 - t) / 3 == formula("(1 - t) / 3")
    for text in ("1 / 0", "log(0)", "10 ** 400", "sqrt(-1)"):
        with pytest.raises(FormulaError):
            formula(text)


def test_numpy_functions_take_formulas():
    assert np.sin(np.array([t], dtype=object))[0] == apply("sin", t)
    assert np.arctan2(np.array([X], dtype=object), np.array([t], dtype=object))[0] == apply("atan2", X, t)
    with pytest.raises(TypeError, match="a formula is neither true nor false"):
        bool(t)


def test_channels_and_parameters_are_read():
    f = formula("k * sin(crank.B.x) + A.angle / t", quantities=True)
    assert f.quantities() == ["k", "crank.B.x", "A.angle"]
    assert f(2.0, {"k": 3.0, "crank.B.x": 0.5, "A.angle": 1.0}.__getitem__) == 3 * math.sin(0.5) + 0.5
    with pytest.raises(FormulaError, match="unknown name 'k'"):
        formula("k * t")
    with pytest.raises(FormulaError, match="'k' has no value here"):
        f(2.0)


def test_leaves_are_replaced_and_nothing_else():
    table = CURVE.of(leaf("a"))
    call = UserFunction(pair_by_numba, "f", 2).of(leaf("a"), t)[1]
    wound = Formula("wind", (leaf("a"),), key="A")
    f = (table + call * wound + apply("max", t, 2)).resolved(lambda key: X)
    assert f.quantities() == [POINT]
    kept = {node.op: (node.key, node.value) for node in f.nodes() if node.op in ("table", "call", "wind")}
    assert kept == {"table": (CURVE, 0.0), "call": (call.key, 1.0), "wind": ("A", 0.0)}
