"""Applied forces of a mechanism as loads on the links of its tree.

The forces are computed by the kernels that compute them for every coordinate set, from points, axes and angular
velocities of the bodies; here these come from joint coordinates, and the forces at points and bodies go to the origins
of the links. Angles that formulas use are unwrapped by the joint coordinates themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import MechanismError, SimulationError
from .callbacks import Callback
from .choices import DEFAULT_COORDINATES
from .cold_start import compile_for
from .compile import compile_mechanism
from .flat import Workspace
from .kernels import load_kernels, load_recursion
from .link_motion import link_motion, swung
from .tree import TreeModel

Array = npt.NDArray[np.float64]


class AppliedForces:
    """Computes LOADS of a tree."""

    def __init__(self, model: TreeModel) -> None:
        c = load_kernels().context
        blueprint = model.blueprint
        self._tree = model
        flat = compile_mechanism(blueprint, DEFAULT_COORDINATES[blueprint.space])
        if flat.header[c.H_FEEDBACK] or flat.header[c.H_ACCELERATIONS]:
            words = "some force depends on reactions or accelerations, which joint coordinates cannot give it"
            raise MechanismError(blueprint.name, [f"{words}; use simulate or rhs"])
        compile_for(flat)
        self._workspace = Workspace(flat)
        self._callbacks = [held for held in flat.keepalive if isinstance(held, Callback)]
        links = np.empty(len(model.graph.order), dtype=np.int64)
        links[list(model.graph.order)] = np.arange(links.size)
        self._links = links  # of each body
        ranges, local = flat.fields[c.BODY_VECTORS], flat.fields[c.VECTOR_LOCAL]
        self._owner = links[np.repeat(np.arange(len(ranges)), ranges[:, 1] - ranges[:, 0])]
        moving = self._owner.size
        # Link axes from body axes, for components of the body vectors; the ground's vectors come last and stay.
        self._local = np.einsum("nji,nj->ni", model.axes[self._owner], local[:moving, :-1])
        self._point = local[:moving, -1:]
        loaded = flat.fields[c.LOADED]
        self._loaded = loaded[loaded[:, 1] >= 0]
        self._turns = self._places_of_turns(flat.turns)
        self._first_turn = flat.nz - len(flat.turns)
        self._scratch = np.zeros(max(1, flat.nq))

    def _places_of_turns(self, names: tuple[str, ...]) -> list[tuple[int, int, float]]:
        """For each turn its coordinate in q, or the link whose angle it is and the angle of the link in its body."""
        places = {name: k for k, name in enumerate(self._tree.coordinates)}
        rows = {link.body: j for j, link in enumerate(self._tree.graph.links)}
        found = []
        for name in names:
            if name in rows:
                axes = self._tree.axes[rows[name]]
                found.append((-1, rows[name] + 1, float(np.arctan2(axes[1, 0], axes[0, 0]))))
            else:
                found.append((places.get(f"{name}.angle", -1), -1, 0.0))
        return found

    def apply(self, t: float, q: Array, v: Array) -> None:
        """Fill LOADS for this state."""
        kernels = load_kernels()
        c, k = kernels.context, load_recursion(self._tree.blueprint.space)
        dim = self._tree.blueprint.dim
        spin = 1 if dim == 2 else 3
        w, ctx = self._workspace, self._workspace.ctx
        motion = link_motion(self._tree, q, v)
        centres = np.einsum("nij,nj->ni", motion.frames, self._tree.centres)
        owner = self._owner
        S = np.einsum("nij,nj->ni", motion.frames[owner], self._local)
        speeds = motion.velocities + swung(motion.spins, centres)
        vec = w[c.VEC][: owner.size]
        vec[:, :dim] = self._point * (motion.places + centres)[owner] + S
        vec[:, dim : 2 * dim] = S
        vec[:, 2 * dim : 3 * dim] = self._point * speeds[owner] + swung(motion.spins[owner], S)
        w[c.OMEGA][: self._links.size] = motion.spins[self._links]
        self._wind(q, self._tree.arrays[k.common.TURNS][0])
        if w[c.SIGNALS].shape[0] > 0:
            kernels.system.call_entry(ctx, c.F_SIGNALS, t, self._scratch, self._scratch)
        kernels.system.call_entry(ctx, c.F_FORCES, t, self._scratch, self._scratch)
        self._check(t)
        loads = self._tree.arrays[k.common.LOADS]
        loads[:] = 0.0
        vectors, rows = self._loaded[:, 0], self._links[self._loaded[:, 1]]
        forces = w[c.VECTOR_FORCE][vectors]
        np.add.at(loads[:, spin:], rows + 1, forces)
        np.add.at(loads[:, :spin], rows + 1, _moments(S[vectors] + centres[rows], forces))
        if ctx[c.H_TORQUES] == 1:
            loads[self._links + 1, :spin] += w[c.BODY_TORQUE]
        self._tree.table[k.common.HAS_LOADS] = 1

    def _wind(self, q: Array, angles: Array) -> None:
        """Turns by which formulas unwrap their angles: joint coordinates, and angles of links in the plane."""
        z = self._workspace[load_kernels().context.Z][:, 0]
        for place, (coordinate, link, offset) in enumerate(self._turns, start=self._first_turn):
            if coordinate >= 0:
                z[place] = q[coordinate]
            elif link >= 0:
                z[place] = angles[link] - offset

    def _check(self, t: float) -> None:
        for callback in self._callbacks:
            if callback.error is not None:
                words = f"the function of {callback.where} raised {type(callback.error).__name__}: {callback.error}"
                raise SimulationError(f"at t = {t:g} s {words}") from callback.error


def _moments(arms: Array, forces: Array) -> Array:
    if arms.shape[1] == 2:
        return (arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0])[:, None]
    return np.cross(arms, forces)
