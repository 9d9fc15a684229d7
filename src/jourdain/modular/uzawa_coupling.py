"""`uzawa`: reactions found round by round from each joint's own two mobilities; no matrix of the machine.

After Joli, Seguy and Feng (2008). At a macro point the accelerations between the boxes must obey
r = C'' + kv C' + kp C = 0, with kp = (0.2 pi / H)^2 and kv = 2 eps (0.2 pi / H), eps = 0.1. A round changes the
multipliers of each joint by w K_jj^-1 r_j (K_jj from its own two mobilities) or by rho r_j; boxes then say what their
ports do: a change of accelerations by -Y J^T of the change. That converges for w < 2/n, n the largest number of
coupling joints on one box (sufficient), and for rho < 2/lambda_max(K). Without w and rho, rounds go along conjugate
directions preconditioned by K_jj. The multipliers of a step go straight from those at its beginning to those at its
end, which are found where the boxes arrive; so each step is run twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..mechanism.arguments import is_finite
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.names import nearest
from .box_network import Network
from .factor import CUT
from .link_names import dotted
from .port_path import guessed
from .step import Coupling, NoConvergenceError, Point, Step, landed, path

Array = npt.NDArray[np.float64]

CORRECTIONS = 8  # runs of a step
SETTLED = 1e-8  # of the multipliers: another run does not change them by more
DAMPING = 0.1
POWERS = 100  # multiplications that find the largest eigenvalue of K


@dataclass(frozen=True)
class UzawaCoupling(Coupling):
    """Rounds between joints until what is left is below `tolerance` of what there was without multipliers.

    `relaxation` is w, `rho` (kg) a number or by joint instead of it; with neither, conjugate directions. `warm` begins
    with the last multipliers, else with zero; `stop="change"` is the paper's (28): the change of the multipliers
    against them, instead of the residual.
    """

    name: ClassVar[str] = "uzawa"

    relaxation: float | None = None
    rho: Any = None
    warm: bool = True
    stop: str = "residual"
    tolerance: float = 1e-10
    most: int = 5000

    def __post_init__(self) -> None:
        if self.relaxation is not None and self.rho is not None:
            raise ChoiceError("rho excludes relaxation; give one of them")
        if self.stop not in ("residual", "change"):
            raise ChoiceError(f"stop is {self.stop!r}; expected 'residual' or 'change'")
        for key in ("relaxation", "tolerance", "most"):
            value = getattr(self, key)
            if value is not None and not (is_finite(value) and value > 0):
                raise ChoiceError(f"{key} is {value!r}; expected a positive number")
        if isinstance(self.rho, Mapping) and not self.rho:
            raise ChoiceError("rho names no joint; give a number of kg, or one by joint")
        for value in self.rho.values() if isinstance(self.rho, Mapping) else () if self.rho is None else (self.rho,):
            if not (is_finite(value) and value > 0):
                raise ChoiceError(f"rho is {self.rho!r}; expected a positive number of kg, or one by joint")

    def step(self, network: Network, point: Point, H: float) -> Step:
        self._check(network)
        marks = network.marks()
        w0 = 0.2 * np.pi / H
        gains = 2 * DAMPING * w0, w0 * w0
        lam, end = point.lam.copy(), guessed(point.motion, H)
        if point.past and point.past[0][1].shape == lam.shape:
            lam = lam + (point.lam - point.past[0][1])
        rounds, history = 0, []
        try:
            for k in range(CORRECTIONS):
                ended = lam
                way = path(network, point, end, H, np.array([point.lam, lam - point.lam]))
                if k:
                    network.back(marks)
                end = network.advanced(H, way.wrenches)
                network.motion = end
                z = point.z + H * way.z_rate
                new, used, left = self._rounds(network, point.t + H, end, z, lam, gains)
                rounds += used
                history.append(left)
                change = float(np.max(np.abs(new - lam), initial=0.0))
                if change <= SETTLED * max(float(np.max(np.abs(new), initial=0.0)), 1e-9):
                    break
                lam = new
                if self.stop == "change":
                    break
        except Exception:
            network.motion = point.motion
            network.back_if_possible(marks)
            raise
        line = np.array([point.lam, ended - point.lam])
        way = way.measured_on(path(network, point, end, H, line, measured=True))
        found = landed(network, point, way, H, end, ended, gains)
        gap = float(np.max(np.where(network.interface.velocity, 0.0, np.abs(found.joints.C)), initial=0.0))
        return Step(found, rounds, history[-1], gap, history)

    def _check(self, network: Network) -> None:
        if self.relaxation is None:
            return
        most = max(_joints_on(network).values(), default=1)
        if self.relaxation >= 2.0 / most:
            raise ChoiceError(
                f"relaxation is {self.relaxation:g}, and one subsystem has {most} coupling joints: rounds converge for "
                f"certain below {2.0 / most:g}; give less, or leave it out for conjugate directions"
            )

    def _rounds(
        self, network: Network, t: float, motion: Any, z: Array, lam: Array, gains: tuple[float, float]
    ) -> tuple[Array, int, float]:
        """Multipliers at a motion of the ports whose rates are under `lam`."""
        joints = network.joints(t, motion, z)
        J, Y, algebra = joints.J, network.mobility(), network.algebra
        position = np.where(network.interface.velocity, 0.0, joints.C)
        rest = gains[0] * joints.rate + gains[1] * position

        def forced(change: Array) -> Array:
            """What the boxes answer to a change of multipliers: K times it, box by box."""
            return algebra.answered(J, Y, change)

        r = algebra.times(J, network.rates(motion)) - joints.gamma + rest
        without = r + forced(lam)
        if not self.warm:
            r, lam = without, np.zeros_like(lam)
        size = max(float(np.linalg.norm(without)), 1e-300)
        own = _own_blocks(network, J, Y)
        if self.relaxation is None and self.rho is None:
            return self._conjugate(r, lam, forced, own, size, network)
        rho = self._rho(network)
        for k in range(self.most):
            change = rho * r if rho is not None else float(self.relaxation or 1.0) * own(r)
            lam = lam + change
            r = r - forced(change)
            left = float(np.linalg.norm(r)) / size
            small = float(np.linalg.norm(change)) <= self.tolerance * float(np.linalg.norm(lam))
            if left <= self.tolerance if self.stop == "residual" else small:
                return lam, k + 1, left
            if not np.isfinite(left) or left > 1e6:
                break
        if rho is not None and (bound := 2.0 / _largest(forced, r.size)) <= float(np.max(rho)):
            raise SimulationError(
                f"rounds with rho = {np.max(rho):g} kg do not converge at t = {t:g} s: that takes less than "
                f"2 / lambda_max(K) = {bound:.3g} kg there; give less, or leave rho out for conjugate directions"
            )
        raise NoConvergenceError([left], network.named(int(np.argmax(np.abs(r)))))

    def _rho(self, network: Network) -> Array | None:
        if self.rho is None:
            return None
        rows = network.interface.rows
        if not isinstance(self.rho, Mapping):
            return np.full(len(rows), float(self.rho))
        names = {dotted(row.joint) for row in rows}
        if unknown := sorted(set(self.rho) - names):
            raise ChoiceError(f"rho: there is no joint '{unknown[0]}' between subsystems; {nearest(unknown[0], names)}")
        return np.array([float(self.rho.get(dotted(row.joint), 1.0)) for row in rows])

    def _conjugate(
        self, r: Array, lam: Array, forced: Any, own: Any, size: float, network: Network
    ) -> tuple[Array, int, float]:
        """Conjugate gradients with the joints' own blocks as preconditioner."""
        s = own(r)
        p, rs = s, float(r @ s)
        left = float(np.linalg.norm(r)) / size
        k = 0
        while left > self.tolerance and k < self.most and rs > 0.0:
            Kp = forced(p)
            curve = float(p @ Kp)
            if not curve > 0.0:
                break
            lam, r = lam + (rs / curve) * p, r - (rs / curve) * Kp
            s = own(r)
            rs, last = float(r @ s), rs
            p = s + (rs / last) * p
            left = float(np.linalg.norm(r)) / size
            k += 1
        if not np.isfinite(left) or k >= self.most:
            raise NoConvergenceError([left], network.named(int(np.argmax(np.abs(r)))))
        return lam, max(k, 1), left


def _largest(forced: Any, size: int) -> float:
    """The largest eigenvalue of K, by repeated multiplication."""
    x = np.ones(size)
    for _ in range(POWERS):
        x = forced(x / np.linalg.norm(x))
    return float(np.linalg.norm(x))


def _joints_on(network: Network) -> dict[str, int]:
    """Coupling joints on each box."""
    found: dict[str, int] = {}
    links = network.interface.model.blueprint
    place = {body.name: k for k, body in enumerate(links.bodies)}
    for joint in links.joints:
        for port in (joint.first, joint.second):
            k = place.get(port.body)
            for name, where in network.where.items():
                if k is not None and where.start <= k < where.stop:
                    found[name] = found.get(name, 0) + 1
    return found


def _own_blocks(network: Network, J: Array, Y: Array) -> Callable[[Array], Array]:
    """r -> K_jj^-1 r_j, each joint by the mobilities at its own two ports; without what has no stiffness."""
    found = []
    for rows, blocks in network.algebra.own_stiffness(J, Y):
        diagonal = np.diagonal(blocks, axis1=1, axis2=2)
        largest = np.max(diagonal, axis=1, keepdims=True)
        scale = 1.0 / np.sqrt(np.where(diagonal > CUT * CUT * largest, diagonal, np.where(largest > 0, largest, 1.0)))
        inverse = np.linalg.pinv(scale[:, :, None] * blocks * scale[:, None, :], rcond=CUT, hermitian=True)
        found.append((rows, scale[:, :, None] * inverse * scale[:, None, :]))

    def solve(r: Array) -> Array:
        own = np.empty_like(r)
        for rows, inverse in found:
            own[rows] = np.einsum("jab,jb->ja", inverse, r[rows])
        return own

    return solve
