"""Four-bar linkages and their closed forms, for tests of kinematics: complex numbers, no code of the package."""

from __future__ import annotations

import numpy as np

import jourdain as jd


def four_bar(crank, coupler, rocker, ground, drawn=1.0, branch=1, name="four-bar", **motion):
    """Pins A (origin), B, C, D; `branch` +1 has C to the left of the line from B to D."""
    B, C, _, _ = pins(np.array([drawn]), crank, coupler, rocker, ground, branch)
    B, C = B[0], C[0]
    m = jd.Mechanism(name, gravity=(0, -9.81))
    m.ground.point("A", (0, 0))
    m.ground.point("D", (ground, 0))

    def link(label, start, end, length, first, last):
        middle, turn = (start + end) / 2, float(np.angle(end - start))
        points = {first: (-length / 2, 0), last: (length / 2, 0)}
        inertia = length**3 / 12
        return m.body(
            label, mass=length, inertia=inertia, position=(middle.real, middle.imag), angle=turn, points=points
        )

    a = link("crank", 0j, B, crank, "A", "B")
    b = link("coupler", B, C, coupler, "B", "C")
    c = link("rocker", complex(ground), C, rocker, "D", "C")
    m.revolute("A", m.ground["A"], a["A"])
    m.revolute("B", a["B"], b["B"])
    m.revolute("C", b["C"], c["C"])
    m.revolute("D", m.ground["D"], c["D"])
    if motion:
        m.motion("drive", joint="A", **motion)
    return m


def pins(theta, crank, coupler, rocker, ground, branch=1):
    """B and C as complex numbers, and the angles of coupler and rocker."""
    B = crank * np.exp(1j * theta)
    BD = ground - B
    d = np.abs(BD)
    along = (coupler**2 - rocker**2 + d**2) / (2 * d)
    height = np.sqrt(np.maximum(coupler**2 - along**2, 0.0))
    C = B + (along + branch * 1j * height) * BD / d
    return B, C, np.angle(C - B), np.angle(C - ground)


def rates(theta, speed, crank, coupler, rocker, ground, branch=1):
    """Angular velocities and accelerations of coupler and rocker at constant speed of the crank (loop equations)."""
    _, _, beta, gamma = pins(theta, crank, coupler, rocker, ground, branch)
    e, f, g = crank * np.exp(1j * theta), coupler * np.exp(1j * beta), rocker * np.exp(1j * gamma)
    # e + f - g = ground: i (e w1 + f w2 - g w3) = 0, and once more differentiated
    M = np.array([[f.real, -g.real], [f.imag, -g.imag]])

    def solved(right):
        det = M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]
        x, y = right.real, right.imag
        return (M[1, 1] * x - M[0, 1] * y) / det, (M[0, 0] * y - M[1, 0] * x) / det

    w2, w3 = solved(-speed * e)
    a2, a3 = solved(-1j * (e * speed**2 + f * w2**2 - g * w3**2))
    return w2, w3, a2, a3


class Jet:
    """A value with its first two derivatives along a parameter, for closed forms: exact, where differences are not."""

    def __init__(self, value, rate=0.0, second=0.0):
        self.v, self.d, self.dd = (np.asarray(x, dtype=float) for x in (value, rate, second))

    @classmethod
    def of(cls, x):
        return x if isinstance(x, Jet) else cls(x)

    def __add__(self, other):
        o = Jet.of(other)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    def __neg__(self):
        return Jet(-self.v, -self.d, -self.dd)

    def __sub__(self, other):
        return self + -Jet.of(other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        o = Jet.of(other)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d, self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    def through(self, f, df, ddf):
        """f of this, given f and its two derivatives here."""
        return Jet(f, df * self.d, ddf * self.d**2 + df * self.dd)

    def sqrt(self):
        r = np.sqrt(self.v)
        return self.through(r, 0.5 / r, -0.25 / r**3)

    def inverse(self):
        return self.through(1 / self.v, -1 / self.v**2, 2 / self.v**3)

    def cos(self):
        return self.through(np.cos(self.v), -np.sin(self.v), -np.cos(self.v))

    def sin(self):
        return self.through(np.sin(self.v), np.cos(self.v), -np.sin(self.v))

    __radd__, __rmul__ = __add__, __mul__
