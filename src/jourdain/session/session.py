"""Session: one object owns a run. It stands at a time, goes on, can be read, changed, written down and brought back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import Prepared
from ..choices.keys import ChoiceKeys
from ..engine.body_states import whole_state
from ..engine.pose import Pose
from ..engine.table_bounds import outside
from ..engine.time_loop import TimeLoop
from ..kernels.layout import returned as st
from ..mechanism.arguments import is_finite, is_plain, seconds_of
from ..mechanism.builder import Mechanism
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.parts import Blueprint
from ..mechanism.stays_here import StaysHere
from ..model.flat import FlatModel
from ..model.places import STATE, Place, place_of
from ..model.states import State
from ..results.solution import Solution
from ..results.status import Status
from . import checkpoint, editing, setting
from .auto.branch_watch import IN_DOUBT, BranchWatch, needs_watching
from .auto.crossing import Crossing, has_loops
from .auto.headway import Headway
from .auto.row_choice import RowChoice
from .auto.stiffness import Takeover
from .editing import Outcome
from .event_actions import Events
from .followed import Followed
from .going_on import GoesOn
from .notes import (
    callback_errors,
    contradicted,
    drift_notes,
    imbalance_notes,
    raise_errors,
    run_notes,
    statistics,
    status_of,
)
from .observer import Observer
from .preparing import check_room, positive_seconds, prepared_for
from .samples import BLOCK, Samples
from .shelf import Shelf

Array = npt.NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")

SAME = 1e-12  # of a time: a sample no farther away is at that time


def alone(method: Callable[Concatenate[Session, P], R]) -> Callable[Concatenate[Session, P], R]:
    """One thread at a time: a second one is refused, not made to wait."""

    @wraps(method)
    def guarded(self: Session, *args: P.args, **kwargs: P.kwargs) -> R:
        if not self._lock.acquire(blocking=False):
            raise SimulationError(self._busy())
        self._owner = threading.get_ident()
        try:
            return method(self, *args, **kwargs)
        finally:
            self._owner = 0
            self._lock.release()

    return guarded


class Session(StaysHere):
    """A run that lives on: `advance`, read channels by name, `set` numbers, `edit` the machine, `checkpoint`."""

    def __init__(
        self,
        prepared: Prepared,
        choices: ch.Choices,
        t: float,
        *,
        times: Array | None = None,
        every: float | None = None,
        until: float | None = None,
        written: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        """Samples are kept at `times`, or `every` so many seconds; without either nothing is but the present.

        `written` are the choices as the user gave them, `given` the state that he began with, if any.
        """
        self._lock = threading.Lock()
        self._owner = 0  # the thread that it is at work in
        self._times, self._every, self._start = times, every, t
        self._until = np.inf if until is None else until
        self._goal = t  # the time that it was asked to go on to last
        self.written, self.given = dict(written or {}), given
        # The state that it was prepared with, and when; None where that cannot be told any more.
        self.begun_with: tuple[Mapping[str, Any] | None, float] | None = (given, t)
        self.base = prepared.model.blueprint  # as it was given, before any number was set
        self.numbers: dict[str, float] = {}  # that were set since
        self.told: list[str] = []  # notes of edits
        self.judged = True  # whether fixed steps are stopped where they left their branch
        self._begin(prepared, choices, t)
        if (left := outside(Pose(prepared.model, prepared.workspace), t, self.loop.y)) is not None:
            raise SimulationError(f"the run cannot begin at t = {t:g} s: {left[1]}")
        if self.keeps:
            self._keep(np.array([t]), self.loop.y[None])

    def _begin(self, prepared: Prepared, choices: ch.Choices, t: float) -> None:
        """Everything that belongs to one mechanism and one set of choices."""
        self.prepared, self.choices = prepared, choices
        method = choices.integrator
        self.loop = loop = TimeLoop(prepared.workspace, method, prepared.assembly.y, t)
        loop.until = self._until
        loop.look_over_ends()
        self.takeover = Takeover(loop, method) if choices.free and isinstance(method, ch.Adaptive) else None
        self.followed = Followed(prepared.model, method, self.takeover)
        watched = needs_watching(choices)
        self.rows = RowChoice(loop)
        self.watch = None if choices.free and not watched else BranchWatch(loop, watched, self.rows)
        self.crossing = Crossing(loop, self.takeover, self.watch, self.rows)
        loop.tell_passing(self.judged and not watched and has_loops(loop.workspace.model.blueprint))
        loop.takeover, loop.crossing = self.takeover or self.watch, self.crossing
        loop.tell_crawling(choices.free)
        loop.headway = Headway(loop, self.told, lambda: self._goal).look
        self.observer = Observer()
        self.events = Events(prepared, choices, self.loop, self.observer, self.keeps)
        self.events.before = self.rows.before = self._before_event
        self.rows.put = self.events.put
        self.samples = Samples(self.loop.y.size, self.loop.workspace.reported)
        self._asked: tuple[Array, Array, int] = (np.zeros(0), np.zeros((0, 0)), 0)
        self._taken = 0
        self._pending: list[tuple[Array, Array]] = []  # samples whose outputs are not found yet
        self._t, self._y = t, self.loop.y.copy()
        self.reference = self._y.copy()  # turns of joints count from here
        self._outcome: int | None = st.OK
        self._last: Status | None = None  # of the last advance
        self._out: Array | None = None
        self._places: dict[str, Place | None] = {}  # of channels read so far
        self._stale = False  # numbers were set that the blueprint of the model does not have yet
        self._noted: tuple[Any, tuple[str, ...]] = (None, ())
        self.shelf: Shelf | None = None  # what a checkpoint holds in numbers, found when first asked for
        self.marks: dict[bytes, None] = {}  # checksums of the checkpoints it wrote, the oldest first
        self.slots: dict[str, setting.Slot] = {}  # numbers that were set, and where they stand

    # What it is ----------------------------------------------------------------------------------------------------

    @property
    def blueprint(self) -> Blueprint:
        """The mechanism as it is now."""
        self.refresh()
        return self.prepared.model.blueprint

    @property
    def keeps(self) -> bool:
        """Whether samples are kept."""
        return self._times is not None or self._every is not None

    @property
    def begun(self) -> bool:
        """Whether time has gone on since the start."""
        return self._t > self._start

    @property
    def start(self) -> float:
        """s, where it began."""
        return self._start

    @property
    def outcome(self) -> int | None:
        """What the time loop ended with when it was asked to go on last."""
        return self._outcome

    @property
    def t(self) -> float:
        """s, where it stands."""
        return self._t

    @property
    def y(self) -> Array:
        """The state where it stands, as numbers of its coordinates."""
        return self._y

    def _be_alone(self) -> None:
        """For what only looks: no other thread is at work in it."""
        if self._owner and self._owner != threading.get_ident():
            raise SimulationError(self._busy())

    def _busy(self) -> str:
        return (
            f"the session of '{self.base.name}' is at work in another thread; use one session in one thread at a time, "
            "or a session for each"
        )

    # Going on ------------------------------------------------------------------------------------------------------

    @alone
    def advance(self, dt: float | str | None = None, *, to: float | str | None = None) -> Status:
        """On by `dt` seconds, or to a time. The status says how far it got, and why no farther."""
        target = self._goal = self._target(dt, to)
        if target == self._t:
            return self.status
        if self._ended:
            return self._refused()
        self._outcome, self._last = st.OK, None
        for times, kept in self._ahead(target):
            self._outcome = self._go(times, kept)
            if self._outcome != st.OK:
                break
        self._out = None
        self._report()
        self._last = status = self.status
        if callback_errors(self.loop, self.observer) or self.events.error is not None:
            raise_errors(self.loop, self.observer, self.events)
        return status

    @alone
    def through(self, times: Array) -> Status:
        """On through these times, the end of a fixed step each: where somebody looks makes no difference in a bit."""
        if self._ended:
            return self._refused()
        self._goal, self._last = float(times[-1]), None
        self._outcome = self._go(times, 0)
        self._out = None
        self._last = status = self.status
        if callback_errors(self.loop, self.observer) or self.events.error is not None:
            raise_errors(self.loop, self.observer, self.events)
        return status

    def step(self, n: int = 1) -> Status:
        """On by `n` whole steps of a method with a fixed step."""
        length = getattr(self.choices.integrator, "step", None)
        if length is None:
            name = self.choices.integrator.name
            raise ChoiceError(f"{name} chooses its steps itself; use advance, or a method with step=, such as rk4")
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
            raise ChoiceError(f"n is {n!r}; expected a positive whole number of steps")
        return self.advance(to=self._t + int(n) * length)

    def _target(self, dt: float | str | None, to: float | str | None) -> float:
        if (dt is None) == (to is None):
            raise ChoiceError("advance takes either a time span or to=, a time")
        given = dt if to is None else to
        if isinstance(given, str) and not is_plain(given):
            given = seconds_of("advance", given)
        if given is None or not is_finite(given):
            raise ChoiceError(f"advance got {given!r}; expected seconds")
        target = float(given) if to is not None else self._t + positive_seconds("dt", float(given))
        if target < self._t:
            raise ChoiceError(
                f"the session stands at t = {self._t:g} s and goes forward only, not to {target:g} s; "
                "restore a checkpoint to go back"
            )
        return target

    @property
    def _ended(self) -> bool:
        return self._outcome == st.ENDED or self._t >= self._until or bool(self.events.stopped_by)

    def _refused(self) -> Status:
        """Nothing goes beyond where it ended."""
        if self.events.stopped_by:
            words = f"by event {self.events.stopped_by}; restore a checkpoint, or edit, to go on"
        else:
            words = f"by until = {self._until:g} s; restore a checkpoint to go back, or begin another session"
        words = f"the session ended at t = {self._t:g} s {words}"
        return Status(False, words, self.notes)

    def _ahead(self, target: float) -> Iterator[tuple[Array, int]]:
        """Times up to the target in blocks, and how many of them are kept: all but perhaps the last."""
        target = min(target, self._until)
        wanted = self._sample_times(target)
        while True:
            block = wanted[:BLOCK]
            wanted = wanted[BLOCK:]
            last = len(wanted) == 0
            if last and (len(block) == 0 or block[-1] != target):
                yield np.append(block, target), len(block)
            else:
                yield block, len(block)
            if last:
                return

    def _sample_times(self, target: float) -> Array:
        """Sample times after now, up to the target."""
        width = 1 + self._y.size + self.loop.workspace.reported
        if self._times is not None:
            check_room(len(self._times), width)
            later = self._times[self._times > self._t]
            return later[later <= target]
        if self._every is None:
            return np.zeros(0)
        check_room((target - self._t) / self._every, width)
        each, slack = self._every, SAME * max(abs(target), self._every)
        first = int(np.floor((self._t - self._start) / each)) + 1
        last = int(np.floor((target - self._start + slack) / each))
        times: Array = np.asarray(self._start + each * np.arange(first, last + 1), dtype=np.float64)
        times = times[times > self._t]
        if len(times) and abs(times[-1] - target) <= slack:
            times[-1] = target
        return times

    def _go(self, times: Array, kept: int) -> int | None:
        width, loop = self._y.size, self.loop
        buffer = np.full((len(times), width + self.followed.columns * (kept > 0)), np.nan)
        self._asked = times, buffer, kept
        self._taken = 0
        outcome = loop.go(times, buffer)
        if self.watch is not None and outcome in IN_DOUBT:
            self.watch.take_back(times)
        self._take()
        filled = loop.filled
        if filled and times[filled - 1] > loop.t:  # inside the step ahead
            self._t, self._y = float(times[filled - 1]), buffer[filled - 1, :width].copy()
        elif loop.t >= self._t:
            self._t, self._y = loop.t, loop.y.copy()
        return outcome

    def _take(self) -> None:
        """Samples that were filled since last time are kept."""
        times, buffer, kept = self._asked
        last = min(self.loop.filled, kept)
        if last > self._taken:
            self._pending.append((times[self._taken : last], buffer[self._taken : last]))
            self._taken = last

    def _keep(self, times: Array, states: Array) -> None:
        self._pending.append((times, states))
        self._report()

    def _before_event(self) -> None:
        self._report()
        self.refresh()

    def refresh(self) -> None:
        """Models know the numbers that went straight into the arrays."""
        if self._stale:
            self._stale = False
            setting.refresh(self)

    def _report(self) -> None:
        """Outputs of samples that have none yet: before anything changes them, and at the end."""
        if self.loop.times is self._asked[0]:
            self._take()
        while self._pending:  # an interrupt anywhere on the way loses nothing and keeps nothing twice
            times, rows = self._pending[0]
            states = np.ascontiguousarray(rows[:, : self._y.size])
            out = self.observer.outputs(self.loop.workspace, times, states)
            self.followed.look(times, rows, out)
            self.samples.cut_from(times[0])
            self.samples.append(times, states, out, self.loop.workspace)
            del self._pending[0]

    # What it is like now -------------------------------------------------------------------------------------------

    @overload
    def __getitem__(self, channel: str) -> float: ...
    @overload
    def __getitem__(self, channel: list[str] | tuple[str, ...]) -> Array: ...
    def __getitem__(self, channel: str | list[str] | tuple[str, ...]) -> float | Array:
        """A channel now, or several as an array."""
        self._be_alone()
        if isinstance(channel, list | tuple):
            return np.array([self[name] for name in channel])
        if not isinstance(channel, str):
            raise TypeError(f"s[{channel!r}]: expected the name of a channel, such as 'bar.x', or a list of names")
        place = self._places.get(channel)
        if place is None and channel not in self._places:
            place = self._places[channel] = self._place(channel)
        if place is None:
            return float(self._present()[channel][-1])
        which, index = place
        return float(self._y[index] if which == STATE else self._outputs()[index])

    def _place(self, channel: str) -> Place | None:
        model = self.loop.workspace.model
        found = model.channels.find(channel)
        return None if found is None else place_of(model, found.kept)

    def _outputs(self) -> Array:
        if self._out is None:
            self._out = self.observer.outputs(self.loop.workspace, np.array([self._t]), self._y[None])[0]
        return self._out

    def _present(self) -> Solution:
        """A Solution that ends now and begins where turns count from."""
        self.refresh()
        out, t = self._outputs(), self._t
        model, p = self.loop.workspace.model, self.prepared
        times, states = np.array([t, t]), np.array([self.reference, self._y])
        return Solution(model, self.choices, times, states, np.array([out, out]), None, None, p.redundancy)

    @property
    def channels(self) -> list[str]:
        """Names of all channels."""
        self._be_alone()
        return self._present().channels

    def state(self) -> State:
        """State by name: a start for another run, also of an edited mechanism."""
        return whole_state(self.loop.workspace.model, self._y)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the run so far."""
        loop = self.loop
        taken = 0 if self.takeover is None else (self.takeover.count, *self.takeover.spans)
        counts = loop.workspace.counters[3:].tolist()
        rows = id(loop.workspace.model)
        key = (counts, rows, self.crossing.count, taken, loop.exact_from, len(self.told), self._outcome)
        if self._noted[0] != key:
            lost = self._outcome == st.NOT_FINITE
            found = run_notes(self.prepared, self.choices, loop, self.crossing, self.takeover, lost)
            self._noted = key, (*found, *self.told)
        return self._noted[1]

    @property
    def status(self) -> Status:
        """How far it got, and why no farther."""
        if self._last is not None:  # what was raised since is no longer there to be told
            return self._last
        found = status_of(self.loop, self.observer, self.events, self._outcome, self._t, self.notes)
        return Status(False, self.followed.words, found.notes) if found.ok and self.followed.words else found

    @alone
    def solution(self) -> Solution:
        """What was sampled, as `simulate` gives it; of a session that keeps no samples, the present."""
        self.refresh()
        p, loop = self.prepared, self.loop
        status = self.status  # first: it reads the workspace as a failing step left it
        self._report()
        t, samples, out = self.samples.arrays()
        if not self.keeps or (self.events.stopped_by and self._t > t[-1]):  # where it stopped is of interest
            t, samples = np.append(t, self._t), np.vstack([samples, self._y])
            out = np.vstack([out, self._outputs()])
        if status.ok and not np.all(np.isfinite(out)):
            when = t[int(np.argmin(np.all(np.isfinite(out), axis=1)))]
            status = Status(False, f"accelerations or reactions are not finite at t = {when:g} s", status.notes)
        elif status.ok:
            status = contradicted(p.model, p.redundancy, self.choices, status, t, samples, out)
        events = self.events.recorded()
        found = Solution(p.model, self.choices, t, samples, out, status, statistics(loop), p.redundancy, events)
        found.status = replace(status, notes=(*status.notes, *drift_notes(found), *imbalance_notes(found, Session)))
        found.between = None if self.events.changed else GoesOn(self.blueprint, self.choices)
        found.regimes = self.samples.regimes_of(loop.workspace)
        return found

    # Changes -------------------------------------------------------------------------------------------------------

    @alone
    def set(self, number: str, value: float | str) -> None:
        """Give a number of the mechanism another value, from now on: the names are those of sensitivities and batches.

        Numbers of the start are refused once time has gone on, and so is what would open a joint: that is an `edit`.
        """
        setting.put_number(self, number, value)

    @alone
    def edit(self, mechanism: Mechanism | Blueprint | None = None, **choices: Unpack[ChoiceKeys]) -> Outcome:
        """Go on with another mechanism, or other choices: the state goes over by name.

        A joint that is inserted must be closed to 1e-6 of the size; an impulse stops what it forbids. Nothing changes
        if that is refused.
        """
        return editing.edit(self, mechanism, choices)

    @alone
    def checkpoint(self) -> bytes:
        """Everything that a later step reads: from `restore` on, the run takes the same way to the last bit."""
        return checkpoint.written(self)

    @alone
    def restore(self, mark: bytes) -> None:
        """Go back to a checkpoint of this session, or of another of the same mechanism with the same choices."""
        checkpoint.restore(self, mark)

    def change_to(self, prepared: Prepared, choices: ch.Choices, written: Mapping[str, Any]) -> None:
        """Go on with another mechanism or other choices, from the state in `prepared`.

        Samples begin anew where the layout of states is another.
        """
        self._report()
        spent, kept, followed = self.loop.seconds, self.samples, self.followed
        old, new = self.prepared.model, prepared.model
        same = (new.layout, new.outputs, new.coordinates) == (old.layout, old.outputs, old.coordinates)
        before, changed = self["energy.total"], new.blueprint != self.blueprint
        self.written = dict(written)
        self.base, self.numbers = prepared.model.blueprint, {}
        self._begin(prepared, choices, self._t)
        self.loop.seconds = spent
        self.followed.take_over(followed)
        if not same and self.keeps:
            self._keep(np.array([self._t]), self.loop.y[None])
        if same:
            self.samples = kept
        if same and changed:  # the energy that jumps is work of the operator
            self._y[new.layout.work("driven")] += self["energy.total"] - before
            self.loop.y[:] = self._y

    def renamed(self, blueprint: Blueprint) -> None:
        """The model has other numbers; its arrays have them already."""
        workspace = self.loop.workspace
        workspace.rename(blueprint)
        model = replace(self.prepared.model, blueprint=blueprint, body_data=workspace.model.body_data)
        self.prepared = replace(self.prepared, model=model)
        self.events.renew(self.prepared, workspace)

    @alone
    def steer(self, numbers: Mapping[str, float]) -> None:
        """Parameters that no energy depends on have other values from here on."""
        self.loop.workspace.set_numbers(numbers)
        self._out, self._last = None, None
        self.loop.begin_anew(self._t, self._y)

    @alone
    def place(self, y: Array) -> None:
        """Stand in another closed state; the energy that it takes is the operator's."""
        before, driven = self._energy(), self.prepared.model.layout.work("driven")
        self.stand(y)
        moved = self._y.copy()
        moved[driven] += self._energy() - before
        self.stand(moved)

    def stand(self, y: Array) -> None:
        """Stand in another state at the same time."""
        self._y, self._out, self._last = y.copy(), None, None
        self.loop.begin_anew(self._t, self._y)

    def fork(self) -> Session:
        """Another one that stands where this one does and can be edited; this one must not go on meanwhile."""
        other = object.__new__(type(self))  # `copy` is refused, for anybody else's use
        other.__dict__.update(self.__dict__)
        other._lock, other._owner = threading.Lock(), 0
        other.told, other.numbers, other.written = list(self.told), dict(self.numbers), dict(self.written)
        other.marks, other.slots = {}, {}
        return other

    def weighed(self, model: FlatModel) -> None:
        """Bodies have other masses; what reads them from the model must know."""
        self.loop.workspace.rename(self.loop.workspace.model.blueprint, model.body_data)

    def renumber(self, prepared: Prepared) -> None:
        """Begin once more, as prepared with another number of the mechanism: time has not gone on yet."""
        base, numbers_set = self.base, self.numbers
        self._begin(prepared, self.choices, self._t)
        self.base, self.numbers = base, numbers_set
        if self.keeps:
            self._keep(np.array([self._t]), self.loop.y[None])

    @contextmanager
    def work_of_the_operator(self) -> Iterator[None]:
        """Numbers change where it stands: what was computed beyond is forgotten, the energy that jumps is driven."""
        model, before = self.prepared.model, self._energy()
        yield
        self._out, self._stale, self._last = None, True, None
        y = self._y.copy()
        y[model.layout.work("driven")] += self._energy() - before
        self._y = y
        self.loop.begin_anew(self._t, y)

    def _energy(self) -> float:
        """J, kinetic and potential."""
        out, places = self._outputs(), self.prepared.model.outputs
        return float(out[places.kinetic] + out[places.potential])

    def stands(self, t: float, y: Array, outcome: int | None, reference: Array) -> None:
        """Where it stands, the loop being there already."""
        self._t, self._y, self._out, self._outcome = t, y.copy(), None, outcome
        self.reference, self._last = reference, None
        self._noted = (None, ())
        self._pending.clear()
        self.followed.forget(t)
        self.samples.cut(t)
        self.events.cut(t)

    def renumbered(self, given: dict[str, float]) -> None:
        """The mechanism as it was given, with these numbers and no others."""
        if given == self.numbers:
            return
        if setting.copied_back(self, given):
            self.numbers, self._out, self._stale = given, None, True
            return
        blueprint = setting.with_numbers(self.base, given)
        base, state, self.begun_with = self.base, self.state(), None
        samples, told = self.samples, self.told
        self._begin(prepared_for(blueprint, self.choices, state, self._t), self.choices, self._t)
        self.base, self.numbers, self.samples, self.told = base, given, samples, told

    def __repr__(self) -> str:
        return f"<Session of {self.blueprint.name} at t = {self._t:g} s: {self.status.sentence}>"
