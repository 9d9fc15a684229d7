"""Applied forces: springs and dampers between points, forces on points, torques on bodies, and their powers.

Forces are collected at points (VECTOR_FORCE) and bodies (BODY_TORQUE), in fixed axes; a coordinate set turns them
into its generalised forces. POWER receives z': rates of states, then [dissipated, driven, stored, turns ...], which
are integrated beside the motion: total = kinetic + potential + dissipated - driven is constant. Forces that are
formulas are collected by `formula_parts.py`, called from here.
"""

import numpy as np
from numba import njit

from .context import (
    BODY_TORQUE,
    EFFORTS,
    ENERGY,
    F_TAPE_FORCES,
    F_TAPE_VALUES,
    GIVEN,
    H_GIVEN,
    H_Q,
    H_STATES,
    H_TORQUES,
    HOT,
    LAW,
    LOADED,
    LOADS,
    OK,
    OMEGA,
    PARAMETERS,
    POLYNOMIALS,
    POTENTIALS,
    POWER,
    SIGNAL,
    SPRING,
    SPRINGS,
    STATE_TAPES,
    TORQUES,
    TURNS,
    VALUE_TAPES,
    VEC,
    VECTOR_FORCE,
    ints,
    numbers,
    run,
    state,
    table,
    vector_at,
)
from .formula_parts import WORKS, account
from .lane_numbers import choose


@njit(**HOT)
def _polynomials(ctx, t, like):
    """Signals that are polynomials of the time, their coefficients parameters: what acts on ports of a subsystem."""
    rows = ints(ctx, POLYNOMIALS)
    if rows.shape[0] == 0:
        return
    held = numbers(ctx, PARAMETERS, like)
    signal = state(ctx, SIGNAL, like)
    for k in range(rows.shape[0]):
        s = (t - held[rows[k, 1], 0]) * held[rows[k, 2], 0]
        last = 3 + rows[k, 3]
        value = held[rows[k, last], 0]
        for i in range(last - 1, 3, -1):
            value = held[rows[k, i], 0] + s * value
        signal[3 * rows[k, 0]] = value


def make_forces(dim):
    """Entry: all applied forces in `dim` dimensions; angular velocities have 1 or 3 components."""
    spin = 1 if dim == 2 else 3

    def forces(t, q_, v_, ctx_):
        ctx = table(ctx_)
        like = vector_at(q_, ctx[H_Q])
        vec = state(ctx, VEC, like)
        force = state(ctx, VECTOR_FORCE, like)
        power = state(ctx, POWER, like)
        loaded = ints(ctx, LOADED)
        zero = 0.0 * like[0]
        works = ctx[H_STATES]
        for k in range(power.size):
            power[k] = zero
        if ctx[H_TORQUES] == 1:
            torque = state(ctx, BODY_TORQUE, like)
            for k in range(torque.size):
                torque[k] = zero
        for k in range(loaded.shape[0]):
            for i in range(dim):
                force[loaded[k, 0] * dim + i] = zero

        if ints(ctx, VALUE_TAPES).size + ints(ctx, STATE_TAPES).size + ints(ctx, EFFORTS).size > 0:
            run(ctx, F_TAPE_FORCES, t, like, like)
        _polynomials(ctx, t, like)

        springs = ints(ctx, SPRINGS)
        spring = numbers(ctx, SPRING, like)
        given = state(ctx, GIVEN, like)
        law = state(ctx, LAW, like)
        for k in range(springs.shape[0]):
            M = springs[k, 0]
            N = springs[k, 1]
            square = zero
            along = zero
            for i in range(dim):
                d = vec[N * 4 * dim + i] - vec[M * 4 * dim + i]
                dd = vec[N * 4 * dim + 2 * dim + i] - vec[M * 4 * dim + 2 * dim + i]
                square += d * d
                along += d * dd
            length = np.sqrt(square)
            # Where the length is zero there is no direction to pull in; a spring of free length zero is content there.
            over = choose(length, length, zero + 1.0)
            speed = along / over
            law[k] = choose(length, spring[k, 0] * (length - spring[k, 2]) + spring[k, 1] * speed, zero)
            pull = (given[k] if ctx[H_GIVEN] == 1 else law[k]) / over
            power[works] += spring[k, 1] * speed * speed
            for i in range(dim):
                f = pull * (vec[N * 4 * dim + i] - vec[M * 4 * dim + i])
                force[M * dim + i] += f
                force[N * dim + i] -= f

        loads = ints(ctx, LOADS)
        signal = state(ctx, SIGNAL, like)
        for k in range(loads.shape[0]):
            p = loads[k, 0]
            for i in range(dim):
                f = signal[3 * loads[k, 2 + i]]
                force[p * dim + i] += f
                account(power, works, loads[k, 1], f * vec[p * 4 * dim + 2 * dim + i])

        torques = ints(ctx, TORQUES)
        omega = state(ctx, OMEGA, like)
        if torques.shape[0] > 0:
            turning = state(ctx, BODY_TORQUE, like)
            for k in range(torques.shape[0]):
                b = torques[k, 0]
                for i in range(spin):
                    tau = signal[3 * torques[k, 2 + i]]
                    turning[b * spin + i] += tau
                    account(power, works, torques[k, 1], tau * omega[b * spin + i])

        turns = ints(ctx, TURNS)
        for k in range(turns.shape[0]):
            for i in range(spin):
                relative = omega[turns[k, 1] * spin + i] - omega[turns[k, 0] * spin + i]
                power[works + WORKS + k] += relative if dim == 2 else relative * vec[turns[k, 2] * 4 * dim + i]
        return OK

    return forces


def make_springs(dim):
    """Entry: length and pulling force of each spring, and the sum of their energies, into ENERGY."""

    def springs_energy(t, q_, v_, ctx_):
        ctx = table(ctx_)
        like = vector_at(q_, ctx[H_Q])
        vec = state(ctx, VEC, like)
        energy = state(ctx, ENERGY, like)
        springs = ints(ctx, SPRINGS)
        spring = numbers(ctx, SPRING, like)
        total = 0.0 * like[0]
        for k in range(springs.shape[0]):
            M = springs[k, 0] * 4 * dim
            N = springs[k, 1] * 4 * dim
            square = 0.0 * like[0]
            along = 0.0 * like[0]
            for i in range(dim):
                d = vec[N + i] - vec[M + i]
                square += d * d
                along += d * (vec[N + 2 * dim + i] - vec[M + 2 * dim + i])
            length = np.sqrt(square)
            pull = spring[k, 0] * (length - spring[k, 2])
            total += 0.5 * pull * (length - spring[k, 2])
            pull += spring[k, 1] * along / choose(length, length, 0.0 * length + 1.0)
            energy[2 + 2 * k] = length
            energy[3 + 2 * k] = pull
        energy[1] = total
        if ints(ctx, POTENTIALS).shape[0] > 0:
            run(ctx, F_TAPE_VALUES, t, like, like)
        return OK

    return springs_energy
