"""Joints between boxes, as kernels see them: what they forbid and exert where the connected ports are.

The ports are the bodies of a mechanism of its own, each a unit mass with unit inertia in no gravity, so that what
kernels call free accelerations are the forces and couples that springs and their like exert on the ports. Coordinates
are `angle` or `quaternion`, whose velocities are velocity and spin in fixed axes. No equation of motion of this
mechanism is ever integrated: the boxes say how the ports move.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout import returned
from ..mechanism.parts import Blueprint
from ..model.compile import compile_mechanism
from .cold_start import compile_for
from .plan import Plan
from .pose import Pose
from .workspace import Workspace

Array = npt.NDArray[np.float64]


class Interface:
    """Equations, forces and outputs of the joints between ports; `lam` is by row, a wrench vector by port."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.model = model = compile_mechanism(blueprint, None)
        plan = Plan.of(model)
        compile_for(plan)
        self.pose = Pose(model, Workspace(plan))
        self.rows = model.rows
        self.velocity = np.array([row.velocity for row in model.rows], dtype=bool)
        self.padded = np.array([row.row for row in model.rows], dtype=np.int64)  # of each row, among whole blocks
        fields = model.fields
        self.pins_only = not len(fields[f.ROWS]) + len(fields[f.ROW_TAPES])
        self.driven = model.layout.work("driven") - model.layout.z.start  # place in z
        self.exerts = True  # something but constraints acts on the ports; who made the blueprint knows better
        self.constant = False  # J never changes

    @property
    def width(self) -> int:
        """Numbers in the motion of a port, and in a wrench."""
        return 3 if self.model.blueprint.dim == 2 else 6

    # Where the ports are ---------------------------------------------------------------------------------------------

    def place(self, t: float, y: Array) -> None:
        self.pose.place(t, y)

    def gaps(self) -> Array:
        """C of every row as last placed."""
        return self.pose.gaps()

    def rates(self, t: float, y: Array) -> Array:
        """C' of every row at the state last placed, which is y's."""
        return self.pose.speeds(t, y)

    # What they exert -------------------------------------------------------------------------------------------------

    def applied(self, t: float, y: Array, acceleration: Array, lam: Array) -> tuple[Array, Array]:
        """Wrenches of springs and their like on all ports, and the rates of z; at the state last placed, which is y's.

        Friction goes by the reactions of `lam`.
        """
        w, at = self.pose.workspace, self.model.layout
        q, v = y[at.q].copy(), y[at.v].copy()
        self.pose._run(f.F_WEIGH, t, q, q)  # couples are turned into accelerations by what this finds
        if w.ctx[f.H_FEEDBACK] == 1:
            w[f.LAMBDA][:] = 0.0
            w[f.LAMBDA][self.padded, 0] = lam
            w[f.ACCELERATION][:, 0] = acceleration
            self.pose._run(f.F_REACTIONS, t, q, v)
        self.pose._run(f.F_LOAD, t, q, v)
        return w[f.FREE][:, 0].copy(), w[f.POWER][:, 0].copy()

    def wind(self, t: float, y: Array) -> None:
        """Turns of y counted on, in place."""
        self.pose.wind(t, y)

    def decide_phases(self, t: float, y: Array) -> None:
        """Motions that begin as drawn begin here."""
        self.pose.floating = False
        self.pose.workspace.set_numbers(self.pose.phases(t, y))

    def outputs(self, t: float, y: Array, free: Array, lam: Array, names: list[str]) -> Array:
        """What a sample reports: accelerations, reactions and energies of the joints themselves.

        `free` is what the unit masses need on top of the joints' own forces to move as the ports do; it goes in
        through the parameters `names`. Reactions are those of `lam`, be there other ways to share them.
        """
        w, places = self.pose.workspace, self.model.outputs
        w.set_numbers(dict(zip(names, free.tolist(), strict=True)))
        status, out = self.pose.outputs(np.array([t]), y[None])
        w.set_numbers(dict.fromkeys(names, 0.0))
        row = out[0]
        if status != returned.OK:
            row[:] = 0.0
        self.place(t, y)
        row[places.wrenches] = self.pose.reactions(lam).ravel()
        row[places.position_error] = np.max(np.abs(self.gaps()), initial=0.0)
        row[places.velocity_error] = np.max(np.abs(self.rates(t, y)), initial=0.0)
        row[places.kinetic] = 0.0
        return np.asarray(row)


class PortLoads:
    """Forces and couples on the ports of a mechanism as polynomials of time: parameters of its formulas.

    `names` are of the time they count from, one over their length, and all coefficients (degree, port, component).
    """

    def __init__(self, workspace: Workspace, clock: tuple[str, str], names: list[str], shape: tuple[int, ...]) -> None:
        places = workspace.model.parameters
        self._clock = [places[name] for name in clock]
        self._places = np.array([places[name] for name in names], dtype=np.int64).reshape(shape)

    @property
    def places(self) -> list[int]:
        """Of the clock and all coefficients among the parameters."""
        return [*self._clock, *self._places.ravel().tolist()]

    def put(self, workspace: Workspace, t: float, H: float, wrenches: Array) -> None:
        """From t on the wrenches are sum_k wrenches[k] ((time - t) / H)^k."""
        held = workspace[f.PARAMETERS]
        degrees = len(wrenches)
        held[self._clock[0], 0], held[self._clock[1], 0] = t, 1.0 / H
        held[self._places[:degrees].ravel(), 0] = wrenches.ravel()
        held[self._places[degrees:].ravel(), 0] = 0.0
