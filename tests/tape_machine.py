"""A tape by itself: one formula in the kernel's two passes without a mechanism, and an oracle for its derivatives.

Leaves are given a motion a + b s + c s^2 / 2, so value, first and second derivative along it are a, b and c. The
oracle is the plain tree at complex s by `cmath`, differentiated by Cauchy's integral over a circle: it shares no rule
of differentiation with the code. The integral over N points errs by (radius / distance to a singularity)^N, and by
rounding, n! eps / radius^n of the largest value on the circle.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from jourdain.choices import Entry
from jourdain.engine.callbacks import own_callbacks
from jourdain.engine.compiled_entries import address
from jourdain.engine.kernel_cache import load_kernels
from jourdain.kernels.layout import tape_operations as operations
from jourdain.model.tapes import Tape

VECTORS, STATES, EFFORTS, REACTIONS, ROWS, ENERGIES, PARAMETERS = 4, 3, 2, 2, 3, 4, 2
DIM, WIDTH = 2, 3
POINTS = 64
RADIUS = 0.02
ANGLES = 2 * np.pi * (np.arange(POINTS) + 0.5) / POINTS


def codes():
    """Names and numbers of all operations."""
    return {name: code for name, code in vars(operations).items() if name.isupper() and name != "COLUMNS"}


class Machine:
    """One formula as a tape. `motion` maps each leaf's key to (value, first, second derivative)."""

    def __init__(self, formula, number=np.float64):
        self.k = load_kernels()
        c = self.c = self.k.context
        self.tape = Tape(DIM, WIDTH, lambda v: v, {"A": STATES - 1}.__getitem__)
        self.first, self.last, self.leaves = self.tape.add(formula)
        t = self.tape
        integers = {
            c.TAPE: (t.nodes, 4),
            c.ARGUMENTS: (t.arguments, 1),
            c.FUNCTIONS: (t.functions, 3),
            c.TABLES: (t.tables, 3),
        }
        reals = {
            c.CONSTANTS: np.array(t.constants, dtype=number).reshape(-1, 1),
            c.TABLE: np.array(t.table_values, dtype=number).reshape(-1, 1),
            c.VECTOR_LOCAL: np.zeros((VECTORS, DIM + 1), dtype=number),
            c.PARAMETERS: np.zeros((PARAMETERS, 1), dtype=number),
            c.CALL_IN: np.zeros((t.most_arguments, 1)),
            c.RESULTS: np.zeros((t.results, 1)),
        }
        states = {
            c.NODES: (len(t.nodes), 6),
            c.Z: (STATES, 1),
            c.Z_RATE: (STATES + 1, 2),
            c.VEC: (VECTORS, 4 * DIM),
            c.OMEGA: (2, 1),
            c.QUANTITY: (EFFORTS, 2),
            c.WRENCHES: (REACTIONS, WIDTH),
            c.POINT_ACCELERATION: (VECTORS, DIM),
            c.LAMBDA: (ROWS, 1),
            c.ENERGY: (ENERGIES, 1),
        }
        self.arrays = {key: np.array(rows, dtype=np.int64).reshape(-1, n) for key, (rows, n) in integers.items()}
        self.callbacks, self.arrays[c.FUNCTIONS] = own_callbacks(t.keepalive, self.arrays[c.FUNCTIONS])
        self.arrays |= reals | {key: np.zeros(shape, dtype=number) for key, shape in states.items()}
        self.ctx = np.zeros(c.TABLE_LENGTH, dtype=np.int64)
        self.ctx[c.H_Q] = 1
        self.ctx[c.H_FIRST], self.ctx[c.H_LAST] = self.first, self.last
        for function, name in ((c.F_FORWARD, "forward"), (c.F_REVERSE, "reverse")):
            entry = Entry(name.upper(), f"jourdain.kernels.core.tape:{name}")
            self.ctx[c.H_COUNT + function] = address(entry, np.dtype(number).name)
        for key, array in self.arrays.items():
            base = c.H_COUNT + c.F_COUNT + 3 * key
            self.ctx[base : base + 3] = array.ctypes.data, *array.shape
        self.like = np.zeros(1, dtype=number)

    def _call(self, function, time):
        assert self.k.dynamics.call_entry(self.ctx, function, time, self.like, self.like) == 0

    def put(self, key, value, first=0.0, second=0.0):
        """Write a leaf's quantity where the kernel reads it."""
        c, a = self.c, self.arrays
        kind, *rest = key
        if kind == "position":
            v, i = rest
            a[c.VEC][v, i], a[c.VEC][v, 2 * DIM + i], a[c.VEC][v, 3 * DIM + i] = value, first, second
        elif kind == "velocity":
            v, i = rest
            a[c.VEC][v, 2 * DIM + i], a[c.VEC][v, 3 * DIM + i] = value, first
        elif kind == "state":
            a[c.Z][rest[0], 0] = value
            a[c.Z_RATE][rest[0]] = first, second
        elif kind in ("along", "rate"):
            a[c.QUANTITY][rest[0], 0 if kind == "along" else 1] = value
        else:
            fields = {
                "spin": c.OMEGA,
                "parameter": c.PARAMETERS,
                "reaction": c.WRENCHES,
                "acceleration": c.POINT_ACCELERATION,
                "multiplier": c.LAMBDA,
                "energy": c.ENERGY,
            }
            array = a[fields[kind]]
            array[tuple(rest) if len(rest) == 2 else (rest[0], 0)] = value if array.dtype == complex else value.real

    def forward(self, time, motion):
        """Value, first and second derivative along the motion."""
        for key, numbers in motion.items():
            self.put(key, *numbers)
        self._call(self.c.F_FORWARD, time)
        return self.arrays[self.c.NODES][self.last - 1, :3].copy()

    def reverse(self, time):
        """Gradient by key, and the derivative by t and states times their rates."""
        self._call(self.c.F_REVERSE, time)
        nodes = self.arrays[self.c.NODES]
        return {key: nodes[n, 3] for key, n in self.leaves.items()}, self.arrays[self.c.Z_RATE][-1, 1]


# The oracle -------------------------------------------------------------------------------------------------------


def complex_value(f, time, values, real):
    """The tree at complex arguments. What is not analytic looks at `real(node)`, the value at the circle's centre."""
    if f.op == "const":
        return complex(f.value)
    if f.op == "t":
        return time
    if f.op == "leaf":
        return values(f.key)
    a, *rest = (complex_value(arg, time, values, real) for arg in f.args)
    if f.op in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"):
        return getattr(cmath, f.op)(a)
    if f.op == "table":
        breaks = np.array(f.key.breaks)
        piece = min(max(np.searchsorted(breaks, real(f.args[0]), side="right") - 1, 0), len(breaks) - 2)
        return np.polyval(f.key.coefficients[piece], a - breaks[piece])
    if f.op in ("min", "max"):
        x, y = (real(arg) for arg in f.args)
        return a if {"min": min, "max": max}[f.op](x, y) == x else rest[0]
    return _more(f, a, rest, real)


def _more(f, a, rest, real):
    centre = real(f.args[0])
    if f.op == "floor":
        return complex(math.floor(centre))
    if f.op == "step":
        return complex(centre >= 0)
    if f.op == "where":
        return rest[0] if centre else rest[1]
    sign = (centre > 0) - (centre < 0)
    if f.op == "atan2":  # -i log of the point on the unit circle, counted from the centre
        x, x0 = rest[0], real(f.args[1])
        unit, unit0 = (x + 1j * a) / cmath.sqrt(x * x + a * a), complex(x0, centre) / math.hypot(x0, centre)
        return math.atan2(centre, x0) - 1j * cmath.log(unit / unit0)
    if f.op == "pow":
        b = rest[0]
        return a ** int(b.real) if f.args[1].constant and f.args[1].value % 1 == 0 else cmath.exp(b * cmath.log(a))
    if f.op == "turn_factor":  # analytic at 1, though neither factor is
        return 2.0 * cmath.acos(a) / cmath.sqrt((1.0 - a) * (1.0 + a)) if a != 1.0 else 2.0
    simple = {
        "neg": lambda: -a,
        "abs": lambda: sign * a,
        "sign": lambda: complex(sign),
        "add": lambda: a + rest[0],
        "sub": lambda: a - rest[0],
        "mul": lambda: a * rest[0],
        "div": lambda: a / rest[0],
        "wind": lambda: a + (real(f) - centre),
        "call": lambda: complex(real(f)),  # users' functions have no derivative
    }
    return simple[f.op]()


def on_circle(f, time, motion, oracle, radius=RADIUS, only=None):
    """Values around a circle of s about 0; with `only`, that leaf (or "t") moves by s and nothing else."""

    def at(s):
        def values(key):
            a, b, c = motion[key]
            if only is None:
                return a + b * s + 0.5 * c * s * s
            return a + s if key == only else complex(a)

        moved = time + s if only in (None, "t") else complex(time)
        return complex_value(f, moved, values, oracle)

    return np.array([at(radius * cmath.exp(1j * angle)) for angle in ANGLES])


def derivative(circle, order, radius=RADIUS):
    """Cauchy's integral, and the rounding error to expect of it."""
    found = math.factorial(order) * np.mean(circle * np.exp(-1j * order * ANGLES)) / radius**order
    noise = math.factorial(order) * np.finfo(float).eps * np.max(np.abs(circle)) / radius**order
    return float(found.real), float(noise)
