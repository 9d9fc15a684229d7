"""The contract of a coordinate set: what q and v mean, and the ways from poses to coordinates and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import PLANAR
from ...mechanism.rotations import swung
from ..contract import Entry, Part, PlanLike, Treatment

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Coordinates(Part):
    """What q and v of a body mean. Besides what every part supplies:

    1. `per_body`: for each space it is for, how many coordinates and velocities a body has; `space`, the one at hand,
       is that of the mechanism once it is known.
    2. Sizes of one body there: `nq`, `nv`, and `block`, rows a block. `lengths` says which velocities are in m/s;
       `intrinsic` names the rows that keep the coordinates rigid; `called` names coordinates and velocities.
    3. `from_origin`: body vectors count from the body's origin, not its mass centre. `twists`: v of a body begins with
       the velocity of its mass centre, then its spin. `vector_jacobian`: gradients contract with a field that holds
       dX/dv of every vector, mass centres among them (kernels/coordinates/rate_sets.py). `charts`: there are
       singularities that the entry CHART looks after. `counts_angle`: q holds the angle of a planar body, whole turns
       included. `joined`: they are not each body's own, but of joints on a tree, which the model builds for them; the
       joints are closed in the default coordinates first.
    4. `constants(bodies, vectors)`: its fields that the mechanism decides, by name, and "singular".
    5. `pose_in`, `twist_in`: from one body's mass centre, attitude, rotation matrix and data to its q, and from
       velocity and spin to its v; `pose_out`, `twist_out`, `acceleration_out`: the way back, of all bodies.
    6. `shares(model)`, `vector(model, ..)`, `motion(model, ..)`, `angles(model, q)`, `attitudes(model, samples)`: of a
       compiled mechanism as a whole, whose numbers stand in q and v, and the ways in and out. Given by 5 for sets whose
       coordinates are each body's own.
    7. `tolerance`: part of an integrator's tolerance that its errors are held to.
    8. `mass_entry()`: x -> M x, which only some treatments need. `reading()`: the compiled function whose answer
       `motion` gets, if it needs one. `slope(plan)`: the entry RHS, where they have a shorter way to it than by PLACE,
       LOAD and the treatment.
    9. `jacobian(pose)`, `row_sizes(pose)`: J of a pose that was placed, and sizes below which a row of it is rounding.
    10. `eliminates`: rows whose gradients are constant are eliminated before the run.
    11. `lengths_of(model)`, `patches(path)`, `valid(q)`: which velocities are lengths, which numbers of the mechanism
        stand in arrays as they are, and whether coordinates from outside can be used.
    """

    per_body: ClassVar[Mapping[str, tuple[int, int]]]
    from_origin: ClassVar[bool] = False
    twists: ClassVar[bool] = False
    vector_jacobian: ClassVar[bool] = False
    charts: ClassVar[bool] = False
    counts_angle: ClassVar[bool] = False
    joined: ClassVar[bool] = False
    tolerance: ClassVar[float] = 1.0

    space: str = field(default="", repr=False)

    @cached_property
    def at_hand(self) -> str:
        """The space, or the first that it is for."""
        return self.space or next(iter(self.per_body))

    @cached_property
    def dim(self) -> int:
        return 2 if self.at_hand == PLANAR else 3

    @cached_property
    def nq(self) -> int:
        return self.per_body[self.at_hand][0]

    @cached_property
    def nv(self) -> int:
        return self.per_body[self.at_hand][1]

    @cached_property
    def block(self) -> int:
        return self.dim

    @property
    def lengths(self) -> tuple[bool, ...]:
        raise NotImplementedError

    @property
    def intrinsic(self) -> tuple[str, ...]:
        return ()

    @property
    def called(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the coordinates and of the velocities of one body."""
        return tuple(f"q{k + 1}" for k in range(self.nq)), tuple(f"v{k + 1}" for k in range(self.nv))

    def row_weight(self, body: Any) -> float:
        """w, where the mass block that kernels keep has w J^T J of the body's own row added to it."""
        return 0.0

    @property
    def eliminates(self) -> bool:
        return False

    @property
    def shown(self) -> bool:
        """Whether it stands in lists and comparisons of all sets: of many that differ in little, one is enough."""
        return True

    @property
    def own_treatment(self) -> Treatment | None:
        """The only treatment they go with, if there is one."""
        return None

    def lengths_of(self, model: Any) -> tuple[bool, ...]:
        """Which of all velocities of a model are in m/s; the others are in rad/s."""
        return self.lengths * int(model.bodies)

    def patches(self, path: tuple[Any, ...]) -> bool:
        """Whether a number of the mechanism, by its path in the blueprint, may go straight into the arrays."""
        return True

    def mass_entry(self) -> Entry:
        raise NotImplementedError

    def reading(self) -> Sequence[Entry]:
        """Compiled functions that turn samples into motions of bodies, where NumPy does not do it."""
        return ()

    def slope(self, plan: PlanLike) -> Entry | None:
        """A right-hand side of their own, or None."""
        return None

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        raise NotImplementedError

    def pose_in(self, position: Array, attitude: Any, frame: Array, body: Any) -> Array:
        raise NotImplementedError

    def twist_in(self, velocity: Array, spin: Any, q: Array, body: Any) -> Array:
        raise NotImplementedError

    def pose_out(self, q: Array, bodies: Sequence[Any]) -> tuple[Array, Array, Array | None]:
        raise NotImplementedError

    def twist_out(self, q: Array, v: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        raise NotImplementedError

    def valid(self, q: Array) -> str | None:
        """What is wrong with coordinates that somebody else wrote, beyond what rows say; kernels index with some."""
        return None

    # Of all bodies together ------------------------------------------------------------------------------------------

    def shares(self, model: Any) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
        """Bodies in the order of q and v, and how many coordinates and velocities each has."""
        names = tuple(body.name for body in model.blueprint.bodies)
        return names, (self.nq,) * len(names), (self.nv,) * len(names)

    def vector(
        self,
        model: Any,
        states: Mapping[str, Any],
        frames: Mapping[str, Array],
        angles: Mapping[str, float | None],
    ) -> tuple[Array, Array]:
        """q and v of states and rotation matrices of all bodies, by name; `angles` of joints, where they are known."""
        q, v = [np.zeros(0)], [np.zeros(0)]
        for body, data in zip(model.blueprint.bodies, model.body_data, strict=True):
            b, frame = states[body.name], frames[body.name]
            arm = frame @ data.centre
            q.append(self.pose_in(np.array(b.position) + arm, b.attitude, frame, data))
            velocity = np.array(b.velocity) + swung(np.atleast_1d(b.spin), arm)
            v.append(self.twist_in(velocity, b.spin, q[-1], data))
        return np.concatenate(q), np.concatenate(v)

    def motion(self, model: Any, samples: Array, accelerations: Array, links: Any) -> tuple[Any, ...]:
        """Mass centre, axes, attitude or None, velocity, spin, acceleration, its rate of all bodies at samples of y.

        `links` is what the function of `reading` found.
        """
        at, bodies = model.layout, model.body_data
        q, v, a = at.by_body(samples), at.moves_by_body(samples[:, at.v]), at.moves_by_body(accelerations)
        return (*self.pose_out(q, bodies), *self.twist_out(q, v, bodies), *self.acceleration_out(q, v, a, bodies))

    def angle_columns(self, model: Any) -> Mapping[str, int]:
        """Where in q angles of joints stand, whole turns included, by name."""
        return {}

    def attitudes(self, model: Any, samples: Array) -> Array | None:
        """Quaternions of all bodies (time, body, 4), if coordinates know better than rotation matrices how they go."""
        return None

    def jacobian(self, pose: Any) -> Array:
        """J as kernels left it, by row of the model."""
        found: Array = pose.dense(pose.slots)
        return found

    def row_sizes(self, pose: Any) -> Array:
        """How large each row of J would be without what cancels in it; zero where nothing does."""
        return np.zeros(len(pose.model.rows))

    # Of each body ----------------------------------------------------------------------------------------------------

    def acceleration_out(self, q: Array, v: Array, a: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        """Where `twist_out` is right for accelerations too, as it is without a bias, this need not be given."""
        return self.twist_out(q, a, bodies)
