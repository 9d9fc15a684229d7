"""An integrator of one's own: Heun's method, in one file, at the speed of the built-in ones.

`Heun` says what the method needs by name; `step` is compiled when it is first used. Nothing is registered anywhere:
the object goes wherever the name of a built-in integrator does.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import jourdain as jd
from jourdain.choices import Entry, FixedStep
from jourdain.kernels.author import (
    F_AFTER_STEP,
    F_RHS,
    OK,
    STEP_WORK,
    length,
    reals,
    run,
    step_length,
    table,
    vector_at,
)


def step(t, y_, unused_, ctx_):
    """y <- y + h/2 (f(t, y) + f(t + h, y + h f(t, y))), closed afterwards."""
    ctx = table(ctx_)
    y = vector_at(y_, length(ctx))
    work = reals(ctx, STEP_WORK)
    first, second, there = work[0], work[1], work[2]
    h = step_length(ctx)
    status = run(ctx, F_RHS, t, y, first)
    if status != OK:
        return status
    for i in range(y.size):
        there[i] = y[i] + h * first[i]
    status = run(ctx, F_RHS, t + h, there, second)
    if status != OK:
        return status
    for i in range(y.size):
        y[i] += 0.5 * h * (first[i] + second[i])
    return run(ctx, F_AFTER_STEP, t + h, y, y)


@dataclass(frozen=True)
class Heun(FixedStep):
    """Heun's method of order 2, two evaluations a step."""

    name: ClassVar[str] = "heun"
    says: ClassVar[str] = "Heun's method, two evaluations a step"
    source: ClassVar[str] = "Heun 1900"
    order: ClassVar[int] = 2
    work_rows: ClassVar[int] = 3

    def stepper(self, plan) -> Entry:
        return Entry("STEP", "heun:step")


def main() -> None:
    m = jd.example("four_bar")
    run = jd.simulate(m, 1.0, integrator=Heun(step=1e-3))
    print(run.summary())
    beside = jd.compare(m, 1.0, coordinates="angle", treatments="kkt", integrators=["rk4", Heun(step=1e-3)])
    print(beside)
    if len(sys.argv) > 1:
        beside.plot(sys.argv[1])


if __name__ == "__main__":
    main()
