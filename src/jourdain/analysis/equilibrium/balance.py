"""The way to equilibrium: downhill along the joints to where forces vanish, then Newton's method to the last digit.

With N the displacements that the joints allow and a the accelerations at rest, r = N^T M a are the forces along the
freedoms and K = -dr/dp is their stiffness, curvature of the constraints included, since it is differenced on the closed
poses themselves. A step along each principal direction of K is r / |K|: Newton's where the direction is stable, away
from the summit where it is not, so that what is reached is where the mechanism would settle in honey (Dauphin and
others 2014 call it saddle-free). It is shortened to a trust radius and accepted if the forces do work along it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...mechanism.errors import JourdainError, SimulationError
from .manifold import Manifold

Array = npt.NDArray[np.float64]

STEP = 1e-5  # of the size: differences for the stiffness on the way; the end is polished
FIRST_RADIUS, LARGEST_RADIUS, SMALLEST_RADIUS = 0.1, 0.5, 1e-9  # of the size: how far one step goes
MOST_STEPS = 400
FAR = 60.0  # sizes, angles counted by the size: who has come so far runs away
NEAR = 1e-7  # of the size: steps so short are left to Newton's method
SOFT = 1e-10  # of the largest stiffness: nothing is held there
BALANCED = 1e-10  # of all forces there: less is none
ROUGH = 1e-6  # less is an equilibrium all the same, found roughly: in a singular position the last digits are lost
FINE = 1e-9  # more than this is told
ROUNDING = 1e-13  # of the force that a displacement by one size takes: springs leave that much
KICK = 0.01  # of the size: off a summit
MOST_KICKS = 20


@dataclass
class Search:
    """Where the search stands, and what it has seen."""

    y: Array
    load: float = 0.0  # size of all forces at y, in the units of r
    around: float = 0.0  # of those a little way off, where the ones at y are all about to vanish (flat_balance.py)
    floor: float = 0.0  # rounding of r, by the stiffness last found
    rate_units: Array | None = None  # rates of states that displacements by one size cause, likewise
    travelled: float = 0.0
    steps: int = 0
    residual: float = np.inf  # |r| at y
    rates: float = 0.0  # largest z' at y, over what it would be after a displacement by one size

    @property
    def balanced(self) -> bool:
        return self.within(BALANCED)

    def within(self, part: float) -> bool:
        """Whether what remains is less than a part of what acts there."""
        return self.resting(part) and self.rates <= part

    def resting(self, part: float) -> bool:
        """The same of bodies alone."""
        return self.residual <= part * max(self.load, self.around) + self.floor


class Forces:
    """r and z' around a closed state, over p (along N) and z."""

    def __init__(self, manifold: Manifold, search: Search) -> None:
        self.manifold = manifold
        self.search = search
        self.y = search.y
        self.N = manifold.basis(self.y)
        self._z = manifold.model.layout.states
        self.freedoms = self.N.shape[1]
        self.r, self.s = self._at(self.y)
        search.load, search.residual = manifold.load(), float(np.linalg.norm(self.r))
        self._note_rates()

    def _note_rates(self) -> None:
        units = np.abs(self.y[self._z]) + (0.0 if self.search.rate_units is None else self.search.rate_units)
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(self.s == 0.0, 0.0, np.abs(self.s) / units)
        self.search.rates = float(np.max(relative, initial=0.0))

    def _at(self, y: Array) -> tuple[Array, Array]:
        a, s = self.manifold.slope(y)
        return self.N.T @ self.manifold.weighed(y, a), s

    def moved(self, step: Array) -> Array | None:
        """The closed state after a step of p and z."""
        z = self.y[self._z] + step[self.freedoms :]
        return self.manifold.moved(self.y, self.N @ step[: self.freedoms], states=z)

    def after(self, step: Array) -> tuple[Array, Array] | None:
        """r and z' there; None where joints do not close or forces are not finite."""
        y = self.moved(step)
        try:
            return None if y is None else self._at(y)
        except SimulationError:  # of a user's function
            raise
        except JourdainError:
            return None

    def reach(self, step: Array) -> float:
        return self.manifold.reach(self.N @ step[: self.freedoms])

    def unit(self, k: int) -> float:
        """How much of coordinate k makes a step of one size (or a state of about its own value)."""
        if k >= self.freedoms:
            return max(1.0, abs(float(self.y[self._z][k - self.freedoms])))
        return self.manifold.model.size / self.manifold.reach(self.N[:, k])

    def stiffness(self) -> Array:
        """-d(r, z')/d(p, z), by central differences. What it tells about rounding is noted."""
        f, n = self.freedoms, self.freedoms + len(self.s)
        K = np.zeros((n, n))
        for k in range(n):
            h = STEP * self.unit(k)
            step = np.zeros(n)
            step[k] = h
            plus, minus = self.after(step), self.after(-step)
            if plus is not None and minus is not None:
                K[:, k] = (np.concatenate(minus) - np.concatenate(plus)) / (2 * h)
            elif plus is not None or minus is not None:
                side, sign = (plus, 1.0) if plus is not None else (minus, -1.0)
                here = np.concatenate([self.r, self.s])
                K[:, k] = sign * (here - np.concatenate(side)) / h  # type: ignore[arg-type]
        units = np.array([self.unit(k) for k in range(n)])
        self.search.floor = ROUNDING * float(np.max(np.linalg.norm(K[:f], axis=0) * units, initial=0.0))
        self.search.rate_units = np.abs(K[f:]) @ units
        self._note_rates()
        return K


def downhill(manifold: Manifold, search: Search) -> None:
    """Walk to where the forces along the freedoms vanish; leaves the search where it came to."""
    size = manifold.model.size
    radius = FIRST_RADIUS * size
    while search.steps < MOST_STEPS and search.travelled < FAR * size and radius > SMALLEST_RADIUS * size:
        forces = Forces(manifold, search)
        if search.balanced:
            return
        K = forces.stiffness()
        while radius > SMALLEST_RADIUS * size:
            step = _shortened(forces, K, radius, search)
            length = forces.reach(step)
            found = forces.after(step)
            search.steps += 1
            if found is not None and _accepted(forces, step, found):
                break
            radius = 0.25 * min(radius, length) if length > 0 else 0.0
        else:
            return
        here = forces.moved(step)
        if here is None:
            return
        search.y = manifold.unwound(here)
        search.travelled += length
        radius = min(2 * max(radius, length), LARGEST_RADIUS * size)
        if length < NEAR * size:
            return


def _shortened(forces: Forces, K: Array, radius: float, search: Search) -> Array:
    """The step r / (|K| + mu) along principal directions, mu such that it is no longer than the radius."""
    f = forces.freedoms
    Kz = K[f:, f:]
    coupled = len(Kz) > 0
    inverse = np.linalg.pinv(Kz, rcond=1e-12) if coupled else Kz
    effective = K[:f, :f] - K[:f, f:] @ inverse @ K[f:, :f] if coupled else K
    r = forces.r - K[:f, f:] @ inverse @ forces.s if coupled else forces.r
    values, U = np.linalg.eigh(0.5 * (effective + effective.T))
    along = U.T @ r
    stiff = np.abs(values)
    largest = float(np.max(stiff, initial=0.0))
    # Directions that nothing holds and nothing pushes stay where they are.
    idle = (stiff <= SOFT * largest) & (np.abs(along) <= BALANCED * search.load + search.floor)
    along = np.where(idle, 0.0, along)
    mu = 0.0
    floor = max(1e-6 * largest, 1e-6 * float(np.linalg.norm(r)) / radius, 1e-300)
    for _ in range(200):
        with np.errstate(divide="ignore", invalid="ignore"):
            p = U @ np.where(along == 0.0, 0.0, along / (stiff + mu))
        if np.all(np.isfinite(p)) and forces.reach(p) <= radius:
            break
        mu = max(2.0 * mu, floor)
    z = inverse @ (forces.s - K[f:, :f] @ p) if coupled else np.zeros(0)
    return np.concatenate([p, z])


def _accepted(forces: Forces, step: Array, found: tuple[Array, Array]) -> bool:
    """The forces do work on the way, by the mean of both ends; or they shrink, as near the end."""
    r, s = found
    if not (np.all(np.isfinite(r)) and np.all(np.isfinite(s))):
        return False
    p = step[: forces.freedoms]
    work = 0.5 * float((forces.r + r) @ p)
    if work > 1e-3 * abs(float(forces.r @ p)) and len(s) == 0:
        return True
    before, after = (float(np.linalg.norm(np.concatenate(pair))) for pair in ((forces.r, forces.s), (r, s)))
    return after < 0.999 * before or (len(s) > 0 and work > 0)


def polish(manifold: Manifold, search: Search, rounds: int = 12, most: float = 0.05) -> None:
    """Newton's method with the whole stiffness, until forces no longer shrink. Steps are at most `most` sizes."""
    best = np.inf
    kept = search.y
    for _ in range(rounds):
        forces = Forces(manifold, search)
        here = search.residual + search.rates
        if not here < best:
            search.y = kept
            break
        best, kept = here, search.y
        if here == 0.0:
            break
        K = forces.stiffness()
        step = np.linalg.lstsq(K, np.concatenate([forces.r, forces.s]), rcond=SOFT)[0]
        if not forces.reach(step) <= most * manifold.model.size:
            break
        found = forces.moved(step)
        if found is None:
            break
        search.y = manifold.unwound(found)
        search.steps += 1
    Forces(manifold, search)


def nearest_balance(manifold: Manifold, search: Search) -> None:
    """Levenberg's and Marquardt's way to the nearest place without forces, whether stable or not."""
    size = manifold.model.size
    damping = 1e-3
    while search.steps < MOST_STEPS:
        forces = Forces(manifold, search)
        if search.balanced:
            return
        K = forces.stiffness()
        units = np.array([forces.unit(k) for k in range(len(K))])
        scaled = K * units
        target = np.concatenate([forces.r, forces.s])
        gram, slope = scaled.T @ scaled, scaled.T @ target
        largest = float(np.max(np.diag(gram), initial=0.0))
        if largest == 0.0:
            return
        while damping < 1e12:
            step = units * np.linalg.solve(gram + damping * largest * np.eye(len(K)), slope)
            search.steps += 1
            found = forces.after(step) if forces.reach(step) <= LARGEST_RADIUS * size else None
            if found is not None and np.linalg.norm(np.concatenate(found)) < np.linalg.norm(target):
                break
            damping = 4.0 * damping
        else:
            return
        here = forces.moved(step)
        if here is None:
            return
        search.y, damping = manifold.unwound(here), max(damping / 10.0, 1e-14)
        if forces.reach(step) < NEAR * size:
            return
