"""Counts the operations of Wijckmans' recursion: of the equations as printed, with full matrices, and of our kernels.

Kernels are run as plain Python, on numbers that count what is done with them: so this is a process of its own, with
NUMBA_DISABLE_JIT=1. `python docs/count_operations.py` prints a table; docs/make_papers.py puts it into its page.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import numpy as np

import jourdain as jd
from jourdain.engine.kernel_cache import imported

LENGTHS = (5, 10, 20, 40)
KINDS = ("products", "sums", "quotients")


class Counted:
    """A number that counts."""

    count = dict.fromkeys(KINDS, 0)
    __array_ufunc__ = None  # numbers of NumPy leave operations to it
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = float(value)

    @property
    def real(self) -> Counted:
        return self

    def __float__(self) -> float:
        return self.value

    def __lt__(self, other: Any) -> bool:
        return self.value < float(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)

    def __eq__(self, other: object) -> bool:
        return self.value == float(other)  # type: ignore[arg-type]

    def __abs__(self) -> Counted:
        return Counted(abs(self.value))

    def __neg__(self) -> Counted:
        return Counted(-self.value)

    def __hash__(self) -> int:
        return hash(self.value)


def _operation(name: str, kind: str, of: Any) -> None:
    def forward(self: Counted, other: Any) -> Counted:
        Counted.count[kind] += 1
        return Counted(of(self.value, float(other)))

    def backward(self: Counted, other: Any) -> Counted:
        Counted.count[kind] += 1
        return Counted(of(float(other), self.value))

    setattr(Counted, f"__{name}__", forward)
    setattr(Counted, f"__r{name}__", backward)


_operation("add", "sums", lambda a, b: a + b)
_operation("sub", "sums", lambda a, b: a - b)
_operation("mul", "products", lambda a, b: a * b)
_operation("truediv", "quotients", lambda a, b: a / b)


class CountingArray:
    """An array of float64 whose numbers count when they are read."""

    def __init__(self, over: Any) -> None:
        self._over, self.shape, self.size = over, over.shape, over.size

    def __getitem__(self, place: Any) -> Any:
        found = self._over[place]
        return CountingArray(found) if isinstance(found, np.ndarray) else Counted(found)

    def __setitem__(self, place: Any, value: Any) -> None:
        self._over[place] = float(value)


def chain(n: int) -> jd.Mechanism:
    """Pendulums that hang on each other, each a little turned against the one before."""
    m = jd.Mechanism(f"chain of {n}", gravity=(9.81, 0))
    before, place, angle = m.ground.point("P", (0, 0)), np.zeros(2), 0.0
    for k in range(n):
        angle += 0.3 + 0.1 * k
        along = 0.5 * np.array([np.cos(angle), np.sin(angle)])
        link = m.body(
            f"b{k}", mass=1 + 0.1 * k, inertia=0.1, position=place + along, angle=angle,
            points={"A": (-0.5, 0), "B": (0.5, 0)},
        )  # fmt: skip
        m.revolute(f"J{k}", before, link["A"])
        before, place = link["B"], place + 2 * along
    return m


def of_kernels(n: int) -> tuple[dict[str, int], Any]:
    """Operations of one evaluation, and the accelerations."""
    tree = jd.tree(chain(n))
    q = tree.start[0]
    v = np.linspace(-1.0, 1.0, n)
    module = imported("jourdain.kernels.tree.articulated_planar")
    plain = module.reals
    found = tree.accelerations(0.0, q, v)
    module.reals = lambda ctx, field: CountingArray(plain(ctx, field))
    Counted.count = dict.fromkeys(KINDS, 0)
    try:
        counted = tree.accelerations(0.0, q, v)
    finally:
        module.reals = plain
    assert np.allclose(counted, found, rtol=1e-12, atol=0.0)
    return Counted.count, found


def as_printed(n: int) -> tuple[dict[str, int], Any]:
    """Operations of (A.3) to (A.9) on matrices of 3 x 3 that are taken as full, once A, B, c, M and g are there."""
    m = chain(n)
    angles = np.array([body.attitude for body in m.frozen().bodies])
    spins = np.cumsum(np.linspace(-1.0, 1.0, n))
    arms = 0.5 * np.stack([np.cos(angles), np.sin(angles)], 1)
    A, B, c, M, g = [], [], [], [], []
    for k, body in enumerate(m.frozen().bodies):
        r = arms[k] + (arms[k - 1] if k else 0.0)
        A.append(_counted(np.array([[1, 0, -r[1]], [0, 1, r[0]], [0, 0, 1.0]])))
        B.append(_counted(np.array([-arms[k][1], arms[k][0], 1.0])))
        bent = -(arms[k] * spins[k] ** 2) - (arms[k - 1] * spins[k - 1] ** 2 if k else 0.0)
        c.append(_counted(np.array([*bent, 0.0])))
        M.append(_counted(np.diag([body.mass, body.mass, float(body.inertia)])))
        g.append(_counted(np.array([9.81 * body.mass, 0.0, 0.0])))
    Counted.count = dict.fromkeys(KINDS, 0)
    for k in range(n - 1, -1, -1):
        MB = M[k] @ B[k]
        D = B[k] @ MB
        scaled = _times(1.0 / D, MB)
        h = g[k] - M[k] @ c[k]
        A_T = A[k].T
        if k > 0:
            M[k - 1] = M[k - 1] + A_T @ (M[k] - np.outer(scaled, MB)) @ A[k]
            g[k - 1] = g[k - 1] + A_T @ (h - _times(B[k] @ h, scaled))
        g[k] = h, scaled, B[k] @ h, D
    V, out = _counted(np.zeros(3)), []
    for k in range(n):
        carried = A[k] @ V
        _, scaled, work, D = g[k]
        qdd = work / D - scaled @ carried
        V = carried + c[k] + _times(qdd, B[k])
        out.append(float(qdd))
    return Counted.count, np.array(out)


def _times(number: Counted, x: Any) -> Any:
    return np.array([number * each for each in x], dtype=object)


def _counted(x: Any) -> Any:
    return np.vectorize(Counted, otypes=[object])(x)


def main() -> None:
    rows = []
    for n in LENGTHS:
        ours, a = of_kernels(n)
        print_, b = as_printed(n)
        assert np.allclose(a, b, rtol=1e-9), (a, b)
        rows.append([n, *(print_[kind] for kind in KINDS), *(ours[kind] for kind in KINDS)])
    sys.stdout.write("\n".join(" ".join(map(str, row)) for row in rows) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
