"""cycle: the steady cycle of a machine, and the inertia that a joint needs to run as evenly as wanted.

A machine that turns comes back to where it was after a period: so much of a joint's angle, or so much time. Its steady
cycle is the motion that ends as it began. Over an angle the unknown is the speed at the start, found by the secant
method on the speed at the end; over time the machine is followed until it repeats itself. Where the work of a cycle
does not depend on the speed there is a cycle only under the load that takes this work: that load is found too.

The fluctuation is the largest less the least speed, over the mean (of the angle over time).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ..choices import checked_positive
from ..choices.keys import ChoiceKeys
from ..files.by_name import Given, or_file
from ..library.forces.actuator import ACTUATOR
from ..library.joints import ANGLE, kind_of
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.equality import equal_by
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.frozen import Frozen
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Action, Blueprint, Body, Component, Event
from ..mechanism.port_axes import joint_axes
from ..mechanism.units import UnitError, quantity
from ..plotting.cards import Card
from ..results.solution import Solution
from ..results.status import SimulationWarning
from .paths.driving import names_taken
from .simulate import simulate

Array = npt.NDArray[np.float64]

SAMPLES = 720  # of a cycle
CLOSED = 1e-9  # of the speed, or of the state: a cycle that ends so near to its start is closed
FLAT = 1e-7  # of the change itself: a change of speed that depends on the speed by less does not depend on it
MOST_TRIES = 40
MOST_CYCLES = 400
LONGEST = 30.0  # times as long as at the speed of the start a cycle may take
FOUND = 1e-6  # of the fluctuation that is wanted
TIGHT = 1e-11  # relative tolerance of the runs, unless the choices say otherwise


@equal_by()
@dataclass(frozen=True)
class Cycle(Card):
    """The steady cycle: a run over one period, and its figures in SI."""

    run: Solution
    period: float  # s
    joint: str | None
    speed: float | None  # mean, rad/s
    fluctuation: float | None
    load: float  # N m, constant, against the motion, that was added to balance the work; 0: none had to be
    inertia: float | None  # kg m^2, to be added to the joint for the fluctuation that was wanted

    def __str__(self) -> str:
        lines = [f"{self.run.name}: steady cycle of {self.period:.6g} s"]
        if self.speed is not None and self.fluctuation is not None:
            lines.append(f"mean speed of '{self.joint}' {self.speed:.6g} rad/s ({self.speed * 30 / math.pi:.6g} rpm)")
            lines.append(f"fluctuation {100 * self.fluctuation:.4g} %")
        if self.load:
            lines.append(f"balanced by a load of {self.load:.9g} N m, the mean torque of the cycle")
        if self.inertia is not None:
            lines.append(f"inertia to be added to '{self.joint}': {self.inertia:.6g} kg m^2")
        return "\n".join(lines)

    def _picture(self) -> Any:
        return self.run.draw()


@or_file
@asked
def cycle(
    mechanism: Given,
    period: float | str | None = None,
    joint: str | None = None,
    fluctuation: float | str | None = None,
    **choices: Unpack[ChoiceKeys],
) -> Cycle:
    """The steady cycle over a period: a time, or with `joint` an angle (default: that of its tables, or a turn).

    With `fluctuation` (0.01 or "1 %") the inertia is found that the joint needs for it, at the mean speed that the
    joint starts with. `choices` are those of `simulate`.
    """
    blueprint = blueprint_of(mechanism)
    if not {"rtol", "recipe", "integrator", "step"} & {*choices, *blueprint.defaults}:
        choices["rtol"] = TIGHT
    wanted = None if fluctuation is None else _amount("fluctuation", fluctuation, "1")
    if wanted is not None:
        checked_positive("fluctuation", wanted)
    if joint is None:
        if wanted is not None:
            raise ChoiceError("fluctuation needs joint, the name of the joint whose speed is meant")
        if period is None:
            raise ChoiceError("period is missing; expected a time, or joint and an angle")
        return _over_time(blueprint, _amount("period", period, "s"), choices)
    turning = Turning.of(blueprint, joint, period, choices)
    return turning.steady() if wanted is None else turning.evened(wanted)


def _amount(name: str, value: float | str, unit: str) -> float:
    try:
        found = quantity(value, unit) if isinstance(value, str) else float(value)
    except (UnitError, ValueError, TypeError) as error:
        raise ChoiceError(f"{name} is {value!r}: {error}") from None
    return float(checked_positive(name, found) or found)


# Over time ------------------------------------------------------------------------------------------------------------


def _over_time(blueprint: Blueprint, period: float, choices: Mapping[str, Any]) -> Cycle:
    """Followed until a period ends as it began."""
    state: Mapping[str, Any] | None = None
    for k in range(MOST_CYCLES):
        times = np.linspace(k * period, (k + 1) * period, SAMPLES + 1)
        run = simulate(blueprint, times=times, state=state, **choices)
        if not run.status.ok:
            raise SimulationError(f"no cycle was found: {run.status.sentence}")
        layout = run.model.layout
        moving = np.r_[layout.q, layout.v]
        first, last = run.samples[0][moving], run.samples[-1][moving]
        off = _turned(run, first, last)
        size = float(np.max(np.abs(run.samples[:, moving]), initial=1e-300))
        if off <= 1e2 * CLOSED * size:
            return Cycle(run, period, None, None, None, 0.0, None)
        state = run.state(-1)
    words = f"after {MOST_CYCLES} periods of {period:g} s the motion still changes by {off:.3g} from one to the next"
    raise SimulationError(f"{words}; does it settle at all?")


def _turned(run: Solution, first: Array, last: Array) -> float:
    """How far two states are apart; angles of bodies in the plane but for whole turns."""
    apart = last - first
    if run.blueprint.dim == 2 and run.model.coordinates == "angle":
        angles = apart[2 : run.model.nq : 3]
        angles -= 2 * math.pi * np.round(angles / (2 * math.pi))
    return float(np.max(np.abs(apart), initial=0.0))


# Over an angle --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turning:
    """A machine whose joint turns: its state at the start, the speed of the joint there, and the angle of a period."""

    blueprint: Blueprint
    joint: str
    angle: float  # rad, signed as it turns
    start: float  # rad
    speed: float  # rad/s, at the start, as written
    state: Mapping[str, Any]
    choices: Mapping[str, Any]

    @classmethod
    def of(cls, blueprint: Blueprint, joint: str, period: float | str | None, choices: Mapping[str, Any]) -> Turning:
        joints = blueprint.joints_by_name
        turning = [name for name, j in joints.items() if ANGLE in kind_of(j).coordinates]
        if joint not in turning:
            raise ChoiceError(f"joint '{joint}' is none that turns; {nearest(joint, turning)}")
        angle = _period_of(blueprint) if period is None else _amount("period", period, "rad")
        begun = simulate(blueprint, times=[0.0], **choices)
        if begun.redundancy.freedoms != 1:
            words = f"it has {begun.redundancy.freedoms} freedoms; a cycle over an angle needs a machine of one"
            driven = ", ".join(motion.name for motion in blueprint.motions)
            leave = f"leave out what drives it ({driven}), or " if driven else ""
            raise ChoiceError(f"{words}; {leave}give a period in seconds instead")
        speed = float(begun[f"{joint}.speed"][0])
        if speed == 0.0:
            raise ChoiceError(
                f"joint '{joint}' stands still at the start; give it the mean speed, as its initial speed"
            )
        start = float(begun[f"{joint}.angle"][0])
        return cls(blueprint, joint, math.copysign(angle, speed), start, speed, begun.state(0), choices)

    def steady(self) -> Cycle:
        """The cycle that ends with the speed it began with; under the load that it takes, where that is needed."""
        found = self._at_speed(self.speed, 0.0, 0.0)
        if self._gain(found, self.speed) <= CLOSED:
            return self._cycle(found, 0.0, None)
        again = self._at_speed(1.02 * self.speed, 0.0, 0.0)
        one, other = self._energy(found, self.speed), self._energy(again, 1.02 * self.speed)
        if abs(other - one) <= FLAT * max(abs(one), abs(other)):
            load, speed = self._balanced(0.0)
            return self._cycle(self._at_speed(speed, load, 0.0), load, None)
        return self._cycle(self._at_speed(self._repeated(found, again), 0.0, 0.0), 0.0, None)

    def evened(self, wanted: float) -> Cycle:
        """With the inertia for a fluctuation: it goes nearly like one over all inertia, so a secant finds it."""
        joint = self.blueprint.joints_by_name[self.joint]
        if GROUND not in (joint.first.body, joint.second.body):
            raise ChoiceError(f"joint '{self.joint}' joins two bodies that move; inertia is added to one on the ground")
        load, speed = self._balanced(0.0)
        bare = self._cycle(self._at_speed(speed, load, 0.0), load, 0.0)
        if bare.fluctuation is not None and bare.fluctuation <= wanted:
            return bare
        own = 2.0 * float(bare.run.energy.kinetic[0]) / speed**2
        added = own * ((bare.fluctuation or 0.0) / wanted - 1.0)
        points: list[tuple[float, float]] = [(1.0 / own, (bare.fluctuation or 0.0) - wanted)]
        for _ in range(MOST_TRIES):
            load, speed = self._balanced(added, load)
            found = self._cycle(self._at_speed(speed, load, added), load, added)
            off = (found.fluctuation or 0.0) - wanted
            if abs(off) <= FOUND * wanted:
                return found
            points.append((1.0 / (own + added), off))
            (a, fa), (b, fb) = points[-2:]
            added = 1.0 / max(b - fb * (b - a) / (fb - fa), 1e-12 / own) - own if fb != fa else 1.1 * added
        raise SimulationError(f"no inertia was found for a fluctuation of {100 * wanted:g} % at joint '{self.joint}'")

    def _balanced(self, inertia: float, load: float = 0.0) -> tuple[float, float]:
        """Load and speed at the start with which the cycle closes at the mean speed wanted.

        What is gained in a cycle is nearly the same whatever the speed, and falls with the load by the angle.
        """
        speed = self.speed
        for _ in range(MOST_TRIES):
            run = self._at_speed(speed, load, inertia)
            gained = self._energy(run, speed)
            mean = self.angle / float(run.t[-1] - run.t[0])
            closed = abs(gained) <= CLOSED * float(np.max(run.energy.kinetic))
            if closed and abs(mean / self.speed - 1.0) <= CLOSED:
                break
            load += 0.0 if closed else gained / abs(self.angle)
            speed *= self.speed / mean
        return load, speed

    def _repeated(self, first: Solution, second: Solution) -> float:
        """The speed that comes back, by the secant method."""
        a, b = self.speed, 1.02 * self.speed
        fa, fb = self._change(first, a), self._change(second, b)
        for _ in range(MOST_TRIES):
            if fb == fa:
                break
            step = -fb * (b - a) / (fb - fa)
            a, fa, b = b, fb, b + float(np.clip(step, -0.5 * abs(b), 0.5 * abs(b)))
            fb = self._change(self._at_speed(b, 0.0, 0.0), b)
            if abs(fb) <= CLOSED * abs(b):
                return b
        raise SimulationError(f"no speed of joint '{self.joint}' was found at which it repeats itself")

    def _change(self, run: Solution, speed: float) -> float:
        return float(run[f"{self.joint}.speed"][-1]) - speed

    def _gain(self, run: Solution, speed: float) -> float:
        return abs(self._change(run, speed)) / abs(speed)

    def _energy(self, run: Solution, speed: float) -> float:
        """J gained in a cycle: at its end the machine stands as at its start, so energies are as speeds squared."""
        ratio = float(run[f"{self.joint}.speed"][-1]) / speed
        return float(run.energy.kinetic[0]) * (ratio * ratio - 1.0)

    def _at_speed(self, speed: float, load: float, inertia: float) -> Solution:
        """One period from a speed at the start, sampled at even angles as nearly as its own length allows."""
        blueprint = self._loaded(load, inertia)
        part = speed / self.speed
        state = {
            name: replace(s, velocity=tuple(part * v for v in s.velocity), spin=_times(part, s.spin))
            if hasattr(s, "velocity")
            else s
            for name, s in self.state.items()
        }
        usual = self.angle / speed
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            once = simulate(blueprint, times=[0.0, LONGEST * usual], state=state, **self.choices)
        if not once.events[self._end].t.size:
            words = f"joint '{self.joint}' did not come round by {math.degrees(abs(self.angle)):g} deg"
            raise SimulationError(f"{words} from a speed of {speed:.6g} rad/s: {once.status.sentence}")
        end = float(once.events[self._end].t[0])
        times = np.linspace(0.0, end, SAMPLES + 1)
        return simulate(replace(blueprint, events=self.blueprint.events), times=times, state=state, **self.choices)

    @property
    def _end(self) -> str:
        taken = names_taken(self.blueprint)
        return next(name for k in range(99) if (name := f"cycle_end{k or ''}") not in taken)

    def _loaded(self, load: float, inertia: float) -> Blueprint:
        """With a constant load against the motion, more inertia at the joint, and an end after a period."""
        sign = math.copysign(1.0, self.speed)
        when = f"{sign!r}*({self.joint}.angle - {self.start!r}) - {abs(self.angle)!r}"
        end = Event(self._end, when, 1, (Action("record"), Action("stop")))
        found = replace(self.blueprint, events=(*self.blueprint.events, end))
        if load:
            values = {"joint": self.joint, "motor": -sign * load}
            against = Component(f"{self._end}_load", ACTUATOR.name, Frozen(values))
            found = replace(found, forces=(*found.forces, against))
        if inertia:
            joint = found.joints_by_name[self.joint]
            name = joint.second.body if joint.first.body == GROUND else joint.first.body
            side = "z_j" if joint.first.body == GROUND else "z_i"
            axis = joint_axes(found, joint)[side] if found.dim == 3 else None
            bodies = tuple(_heavier(b, inertia, axis) if b.name == name else b for b in found.bodies)
            found = replace(found, bodies=bodies)
        return found

    def _cycle(self, run: Solution, load: float, inertia: float | None) -> Cycle:
        period = float(run.t[-1] - run.t[0])
        speeds, mean = run[f"{self.joint}.speed"], self.angle / period
        fluctuation = (_top(run.t, speeds) + _top(run.t, -speeds)) / abs(mean)
        return Cycle(run, period, self.joint, mean, float(fluctuation), load, inertia)


def _top(t: Array, values: Array) -> float:
    """The crest of samples that repeat, by the parabola through the three about it."""
    values = values[:-1]
    k = int(np.argmax(values))
    a, b, c = (float(values[(k + i) % values.size]) for i in (-1, 0, 1))
    bend = a - 2.0 * b + c
    return b - (c - a) ** 2 / (8.0 * bend) if bend < 0.0 else b


def _times(part: float, spin: Any) -> Any:
    return part * spin if isinstance(spin, float | int) else tuple(part * v for v in spin)


def _heavier(body: Body, inertia: float, axis: Any) -> Body:
    """A body with more inertia about an axis of its own."""
    if axis is None:
        return replace(body, inertia=float(body.inertia) + inertia)  # type: ignore[arg-type]
    a = np.asarray(axis, dtype=float)
    more = inertia * np.array([a[0] ** 2, a[1] ** 2, a[2] ** 2, a[0] * a[1], a[0] * a[2], a[1] * a[2]])
    return replace(body, inertia=tuple(float(x) for x in np.asarray(body.inertia) + more))


def _period_of(blueprint: Blueprint) -> float:
    """The longest period of its tables, of which all others are parts; else a turn."""
    tables = [*blueprint.tables.values()]
    return max((table.period for table in tables if table.period), default=2 * math.pi)
