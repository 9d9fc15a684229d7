"""Solution: everything a run found, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..choices import Choices
from ..engine.body_states import whole_state
from ..engine.regime import Regime
from ..library.quantities import Quantity
from ..mechanism.equality import equal_by
from ..mechanism.names import Named, counted
from ..mechanism.parts import GROUND, Blueprint, Joint
from ..model.flat import FlatModel
from ..model.states import State
from . import channel_values, formula_values
from .body_motion import Motion
from .energy_drift import balance_words
from .figures_of_machines import Shaking, shaking_of, transmission
from .metadata import describe
from .moment import Between, sample_at, samples_at
from .reactions import Reaction
from .record import Record
from .row_multipliers import Multipliers, row_multipliers, shares_of
from .status import Statistics, Status

Array = npt.NDArray[np.float64]


@equal_by()
@dataclass(frozen=True)
class Energy:
    """Joules over time; total = kinetic + potential + dissipated - driven is constant."""

    kinetic: Array
    potential: Array
    dissipated: Array
    driven: Array

    @classmethod
    def of(cls, model: FlatModel, samples: Array, out: Array) -> Energy:
        """Of samples (..., number) and what was reported with them."""
        works, places = samples[..., model.layout.works], model.outputs
        dissipated, driven, stored = (works[..., k] for k in range(works.shape[-1]))
        return cls(out[..., places.kinetic], out[..., places.potential] + stored, dissipated, driven)

    @property
    def total(self) -> Array:
        return self.kinetic + self.potential + self.dissipated - self.driven


@equal_by()
@dataclass(frozen=True)
class Violation:
    """Largest error of any joint equation over time: `position` in m or rad, `velocity` in m/s or rad/s.

    `position_norm` and `velocity_norm` are the Euclidean norms of all errors together.

    `baumgarte` is |kv C' + kp C| over |K lam| without it (Joli, Seguy and Feng 2008, eq. 15): the part of the
    constrained accelerations that is stabilisation. It should be small against 1, and is 0 with other
    stabilisations.
    """

    position: Array
    velocity: Array
    baumgarte: Array
    position_norm: Array
    velocity_norm: Array


@equal_by("blueprint", "choices", "t", "samples", "outputs", "status", "events")
class Solution(Record):
    """Motion, reactions and energies of one run. `run["crank.B.x"]` gives a channel; `run.channels` lists them."""

    def __init__(
        self,
        model: FlatModel,
        choices: Choices,
        t: Array,
        samples: Array,
        outputs: Array,
        status: Any,
        statistics: Any,
        redundancy: Any,
        events: Mapping[str, Solution] | None = None,
    ) -> None:
        self.model = model
        self.choices = choices
        self.t = t
        self.samples = samples
        self.status: Status = status
        self.statistics: Statistics = statistics
        # What each event recorded: a Solution whose samples are the moments at which it happened.
        self.events = Named("event", events or {})
        self.redundancy = redundancy
        self._out = outputs
        self.between: Between | None = None  # goes on from a state, as the run did
        self.regimes: tuple[tuple[float, Regime], ...] = ()  # what it was computed with, from which time on

    @property
    def outputs(self) -> Array:
        """What the kernels reported at each sample; `model.outputs` says what stands where."""
        return self._out

    @property
    def name(self) -> str:
        return self.model.blueprint.name

    @property
    def channels(self) -> list[str]:
        """Names of all channels."""
        return channel_values.channel_names(self)

    def channel(self, name: str) -> Array:
        return channel_values.value(self, name)

    def quantity(self, channel: str) -> Quantity:
        """What a channel, or a formula over channels, measures, and its unit."""
        if formula_values.is_formula(channel) and not channel_values.is_ratio(self, channel):
            return formula_values.quantity(self, channel)
        return self.model.channels.quantity(channel)

    def at(self, t: float | str) -> Solution:
        """One sample, at any time of the run: a Solution whose channels have one number each.

        Between samples it is found by going on from the sample before, as the run did.
        """
        return sample_at(self, t)

    def sampled(self, times: Array) -> Solution | None:
        """The run at these times, which lie within it in order; None where nothing is known between samples."""
        return samples_at(self, times)

    @property
    def blueprint(self) -> Blueprint:
        """The mechanism as it was simulated."""
        return self.model.blueprint

    @property
    def size(self) -> float:
        """A length of the mechanism, m."""
        return float(self.model.size)

    @property
    def poses(self) -> Motion:
        """Where all bodies are at all samples."""
        return self.motion

    @property
    def metadata(self) -> dict[str, Any]:
        """Mechanism, parameters, choices, status and version, as files keep them."""
        return describe(self)

    @staticmethod
    def load(path: str | Path) -> Record:
        """Results read back from a file .csv, .json, .nc or .h5, to look at and plot without running again."""
        from .reload import load_results

        return load_results(path)

    def state(self, index: int = -1) -> State:
        """State by name at a sample: a start for another run, also of an edited mechanism.

        A BodyState for each body; states of elements by name; the unwrapped angles of joints that count their turns.
        """
        return whole_state(self.model, self.samples[index])

    @cached_property
    def motion(self) -> Motion:
        """Poses, velocities and accelerations of all bodies."""
        return Motion(self.model, self.samples, self._out[:, self.model.outputs.accelerations])

    @cached_property
    def energy(self) -> Energy:
        return Energy.of(self.model, self.samples, self._out)

    @cached_property
    def violation(self) -> Violation:
        out, at = self._out, self.model.outputs
        places = at.position_error, at.velocity_error, at.strain, at.position_norm, at.velocity_norm
        return Violation(*(out[:, place] for place in places))

    @property
    def springs(self) -> Array:
        """Length and pulling force of each spring-damper (time, spring, 2)."""
        return self.model.outputs.by_spring(self._out)

    @cached_property
    def reactions(self) -> dict[str, Reaction]:
        """Force and moment of each joint, by name."""
        dim, wrench = self.blueprint.dim, self.model.outputs.by_joint(self._out)
        found = {
            joint.name: Reaction(
                joint,
                force=wrench[:, k, 1, :dim],
                moment=wrench[:, k, 1, dim:],
                on_first_force=wrench[:, k, 0, :dim],
                on_first_moment=wrench[:, k, 0, dim:],
                unique=self.redundancy.unique[joint.name],
                _motion=self.motion,
            )
            for k, joint in enumerate(self.blueprint.joints)
        }
        return Named("joint", found)

    @cached_property
    def multipliers(self) -> Multipliers:
        """Of every equation, by the name of whose it is: samples x rows; the force on the bodies is -J^T lam.

        Joints, relations, motions, and bodies whose coordinates have rows of their own. `multipliers.rows[name]` says
        what each row holds. In joint coordinates those of joints are found from their reactions.
        """
        return row_multipliers(self)

    @cached_property
    def shares(self) -> Mapping[str, Mapping[str, Reaction]]:
        """What each equation of a joint has of its reaction, by joint and by what it holds: `shares["A"]["..."]`."""
        return shares_of(self)

    @cached_property
    def joints(self) -> dict[str, Joint]:
        """The joints of the mechanism, by name."""
        return {joint.name: joint for joint in self.blueprint.joints}

    def turn_guess(self, joint: Joint) -> Array | None:
        """Relative rotation about the joint's axis, integrated or a coordinate: says how often it went round."""
        layout, columns = self.model.layout, self.model.set.angle_columns(self.model)
        if joint.name in self.model.turns:
            return self.samples[:, layout.turn(joint.name)]
        if joint.name in columns:
            return self.samples[:, layout.q][:, columns[joint.name]]
        if self.model.blueprint.dim == 2:
            angles = [0.0 if p.body == GROUND else self[f"{p.body}.angle"] for p in (joint.first, joint.second)]
            return np.asarray(angles[1] - angles[0] + np.zeros(len(self.t)))
        return None

    def shaking(self, about: Any = None, weight: bool = False) -> Shaking:
        """Force and moment of inertia on the ground, fixed axes, about a point of it (default: the origin).

        With `weight` the weight of all bodies is in them too. The channels `shaking.fx` ... are about the origin.
        """
        return shaking_of(self, about, weight)

    def transmission_angle(self, joint: str, between: tuple[str, str] | None = None) -> Array:
        """The transmission angle at a pin, rad: the channel `joint.transmission`.

        Where a body has more than two joints, `between` names the other joint of the first and of the second body.
        """
        named = Named("joint", self.joints)
        others = None if between is None else (named[between[0]], named[between[1]])
        return transmission(self, named[joint], others)

    def summary(self) -> str:
        """A few lines a person likes to read."""
        r, s = self.redundancy, self.statistics
        rows = [
            (
                "mechanism",
                f"{self.name}: {counted(self.model.bodies, 'body', 'bodies')}, "
                f"{counted(len(self.model.blueprint.joints), 'joint')}",
            ),
            (
                "freedom",
                f"{counted(r.freedoms, 'degree')} of freedom; {counted(r.equations, 'equation')} of rank {r.rank}",
            ),
            ("solved by", str(self.choices)),
            ("time", f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} samples"),
            ("steps", f"{s.steps} steps, {s.evaluations} evaluations, {1e3 * s.seconds:.3g} ms"),
            ("joints", f"closed to {np.max(self.violation.position, initial=0.0):.2g}"),
            ("energy", balance_words(self)),
            ("status", str(self.status)),
        ]
        return "\n".join(f"{key:>10}  {text}" for key, text in rows)

    def __repr__(self) -> str:
        end = f" to t = {self.t[-1]:g} s" if len(self.t) else ""
        return f"<Solution of {self.name}: {len(self.t)} samples{end}; {self.status.sentence}>"
