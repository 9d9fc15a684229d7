"""Subsystems of one's own: a point mass in a few lines, and a hydraulic cylinder with scipy's integrator inside."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import jourdain as jd


class PointMass(jd.Box):
    """A point mass in the plane, thrown: one port that has no attitude of its own."""

    ports = ("P",)
    gravity = (0.0, -9.81)

    def __init__(self, mass: float, position: tuple[float, float], velocity: tuple[float, float] = (0.0, 0.0)) -> None:
        self.mass, self.x = mass, np.array([*position, *velocity], dtype=float)
        self._a = np.array(self.gravity)

    def _motion(self) -> jd.PortMotion:
        zero = np.zeros((1, 1))
        return jd.PortMotion(self.x[None, :2], np.zeros(1), self.x[None, 2:], zero, self._a[None], zero)

    def start(self, t: float) -> jd.PortMotion:
        return self._motion()

    def advance(self, H: float, wrenches: np.ndarray) -> jd.PortMotion:
        """Forces are polynomials of tau/H, so the motion under them is known exactly."""
        forces, g = wrenches[:, 0, :2] / self.mass, np.array(self.gravity)
        k = np.arange(len(forces))
        v = self.x[2:] + H * (g + np.sum(forces / (k + 1)[:, None], axis=0))
        p = self.x[:2] + H * self.x[2:] + H**2 * (0.5 * g + np.sum(forces / ((k + 1) * (k + 2))[:, None], axis=0))
        self.x, self._a = np.concatenate([p, v]), g + np.sum(forces, axis=0)
        return self._motion()

    def mobility(self) -> np.ndarray:
        return np.diag([1 / self.mass, 1 / self.mass, 0.0])

    def kick(self, impulses: np.ndarray) -> jd.PortMotion:
        self.x[2:] += impulses[0, :2] / self.mass
        return self._motion()

    def state(self) -> bytes:
        return np.concatenate([self.x, self._a]).tobytes()

    def restore(self, state: bytes) -> None:
        numbers = np.frombuffer(state).copy()
        self.x, self._a = numbers[:4], numbers[4:]


class HydraulicCylinder(jd.Box):
    """A piston with its rod on a line along x, oil behind it: pressure is a state of its own, stiff against the rest.

    p' = (bulk / volume) (flow - area x'), mass x'' = area p - damping x' + force at the port. The box cannot turn and
    cannot leave its line: its mobility says so.
    """

    ports = ("rod",)
    gravity = None

    def __init__(self, at: tuple[float, float], mass: float = 5.0, area: float = 1e-3, flow: float = 1e-4) -> None:
        self.at, self.mass, self.area, self.flow = at, mass, area, flow
        self.bulk, self.volume, self.damping = 1e8, 1e-3, 20.0
        self.y = np.array([0.0, 0.0, 0.0])  # place, speed, pressure above that of rest
        self.force = 0.0

    def _rates(self, y: np.ndarray, force: float) -> list[float]:
        x, v, p = y
        pressure = self.bulk / (self.volume + self.area * x) * (self.flow - self.area * v)
        return [v, (self.area * p - self.damping * v + force) / self.mass, pressure]

    def _motion(self) -> jd.PortMotion:
        zero = np.zeros((1, 1))
        a = self._rates(self.y, self.force)[1]
        place, speed = np.array([[self.at[0] + self.y[0], self.at[1]]]), np.array([[self.y[1], 0.0]])
        return jd.PortMotion(place, np.zeros(1), speed, zero, np.array([[a, 0.0]]), zero)

    def start(self, t: float) -> jd.PortMotion:
        return self._motion()

    def advance(self, H: float, wrenches: np.ndarray) -> jd.PortMotion:
        along = wrenches[:, 0, 0]
        powers = np.arange(len(along))

        def rates(tau: float, y: np.ndarray) -> list[float]:
            return self._rates(y, float(np.sum(along * (tau / H) ** powers)))

        found = solve_ivp(rates, (0.0, H), self.y, method="Radau", rtol=1e-8, atol=1e-10)
        self.y, self.force = found.y[:, -1], float(np.sum(along))
        return self._motion()

    def mobility(self) -> np.ndarray:
        return np.diag([1 / self.mass, 0.0, 0.0])

    def kick(self, impulses: np.ndarray) -> jd.PortMotion:
        self.y = self.y + np.array([0.0, impulses[0, 0] / self.mass, 0.0])
        return self._motion()

    def state(self) -> bytes:
        return np.append(self.y, self.force).tobytes()

    def restore(self, state: bytes) -> None:
        numbers = np.frombuffer(state).copy()
        self.y, self.force = numbers[:3], float(numbers[3])

    def channels(self) -> dict[str, float]:
        return {"pressure": float(self.y[2])}


def pendulum_of_points(length: float = 1.0) -> jd.System:
    """A point mass on a rod: one box and one joint."""
    system = jd.System("pendulum")
    mass = system.subsystem("mass", PointMass(2.0, (length, 0.0)))
    system.distance("rod", system.ground.point("O", (0, 0)), mass["P"], length=length)
    return system


def lifted_arm() -> jd.System:
    """An arm of ours that a cylinder of somebody else's lifts by a rod."""
    arm = jd.Mechanism("arm", gravity=(0, -9.81))
    arm.body("bar", mass=3, inertia=0.25, position=(0.0, 0.5), angle=np.pi / 2, points={"A": (-0.5, 0), "B": (0.1, 0)})
    arm.revolute("A", arm.ground.point("A", (0, 0)), arm["bar"]["A"])
    system = jd.System("lifted arm")
    jack = system.subsystem("jack", HydraulicCylinder(at=(-0.5, 0.6)))
    lever = system.subsystem("arm", arm, integrator="rk4", step=1e-3)
    system.distance("rod", jack["rod"], lever["bar.B"], length=0.5)
    return system


if __name__ == "__main__":
    pendulum_of_points().simulate(2.0, macro_step=0.01).plot("mass.P.x", path="pendulum.png")
    lifted_arm().simulate(0.1, macro_step=0.01).plot("jack.pressure", path="jack.png")
