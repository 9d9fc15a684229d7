"""A session of a system: it stands at a macro point, goes on by macro steps, can be read, edited and written down."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ..assembly.prepare import prepare
from ..assembly.redundancy import Redundancy
from ..choices.keys import MachineKeys
from ..engine.body_states import whole_state
from ..engine.interface import Interface
from ..mechanism.arguments import is_finite
from ..mechanism.errors import ChoiceError, MechanismError, SimulationError
from ..mechanism.names import nearest
from ..mechanism.stays_here import StaysHere
from ..model.states import BodyState, State, to_vector
from ..results.status import Status
from ..session.editing import Outcome
from .box import Box, PortMotion
from .box_network import Network
from .explicit_coupling import Explicit
from .extended_coupling import Extended
from .impulses import Stopped, stopped
from .joined import foreign, joined_whole, names_inside
from .kept import Kept
from .link_names import dotted
from .macro import Macro, checked_macro
from .own_box import MechanismBox
from .step import Coupling, NoConvergenceError, Point, evaluated
from .system import Subsystem, System
from .system_solution import SystemSolution
from .trust import try_boxes
from .uzawa_coupling import UzawaCoupling
from .whole import Whole, frozen, with_start

Array = npt.NDArray[np.float64]

OWN = ("coupling", "macro_step", "threads")
COUPLINGS = {"extended": Extended, "uzawa": UzawaCoupling, "explicit": Explicit}
HALVINGS = 8  # of a macro step that does not close its joints
OPEN = 1e-6  # of the size: joints that are wider open at the start are not closed
WIDE = 1e-2  # of the size: joints that open farther while it runs are lost
STILL = 1e-9  # of the largest speed, or of 1 m/s: what joints let through at the start
MOST_THREADS = 8
BUSY = 4  # boxes a thread, below which threads cost more than they save


@dataclass(frozen=True)
class Options:
    """How a system is run, checked."""

    coupling: Coupling
    macro_step: float | str
    threads: int | None
    choices: Mapping[str, Any]  # of boxes that have none of their own

    def __str__(self) -> str:
        step = self.macro_step if isinstance(self.macro_step, str) else f"{self.macro_step:g} s"
        return f"coupled by {self.coupling}, macro steps {step}"


class SystemSession(StaysHere):
    """A run of a system. It advances by whole macro steps, and stands at the last one if something fails."""

    def __init__(
        self,
        system: System,
        options: Options,
        *,
        t: float = 0.0,
        every: float | None = None,
        times: Array | None = None,
        until: float | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        self.system, self.options = system.copy(), options
        self.every, self.times, self.until = every, times, until
        self.start, self.told = t, []  # type: tuple[float, list[str]]
        self._sentence = "ready"
        self._ok, self._interrupted = True, False
        self.point: Point
        self.on_step: Callable[[float], None] = lambda t: None  # told after each macro step
        whole = self.with_choices(frozen(system))
        self._begin(whole, {box.name: box_of(whole, box) for box in whole.boxes}, t, state)
        self.look()

    # Beginning -------------------------------------------------------------------------------------------------------

    def with_choices(self, whole: Whole) -> Whole:
        """Choices of the whole are those of every mechanism that has none of its own."""
        given = self.options.choices
        if not given:
            return whole
        own = [b if b.blueprint is None or b.choices else replace(b, choices=dict(given)) for b in whole.boxes]
        return replace(whole, boxes=tuple(own))

    def _begin(self, whole: Whole, boxes: dict[str, Box], t: float, state: Mapping[str, Any] | None) -> None:
        self.whole, self.boxes = whole, boxes
        assembled = self._assembled(whole, t)
        started = assembled if state is None else state
        for name, box in boxes.items():
            if isinstance(box, MechanismBox):
                box.begun_with = started.get(name)
        self.macro = Macro(self.options.macro_step, boxes, t)
        self.fits(boxes)
        network = Network(boxes, ports_alone(whole), 1)
        network.start(t)
        self.numbers, self.first_numbers = {}, {}  # type: dict[str, float], dict[str, float]
        self.link(network.motion, t, state or {})
        self._settle(t)
        self.kept = Kept(self)
        try_boxes(self.network, boxes)

    def link(self, motion: Any, t: float, known: Mapping[str, Any], works: Array | None = None) -> None:
        """The joints between the boxes, where these stand; `known` are turns of joints by name."""
        links, self.load_names = with_start(self.whole, motion)
        exerts = bool(self.whole.links.forces)
        interface = Interface(links)
        interface.exerts = exerts
        interface.constant = interface.pins_only and not exerts
        self.network = Network(self.boxes, interface, self._threads())
        self.network.motion, self.network.t = motion, t
        model = interface.model
        dim = self.whole.links.dim
        states = {
            body.name: BodyState(
                tuple(map(float, motion.position[k])),
                float(motion.attitude[k]) if dim == 2 else tuple(map(float, motion.attitude[k])),
                tuple(map(float, motion.velocity[k])),
                float(motion.spin[k, 0]) if dim == 2 else tuple(map(float, motion.spin[k])),
            )
            for k, body in enumerate(links.bodies)
        }
        turns = {joint.name: known.get(dotted(joint.name)) for joint in links.joints}
        y = to_vector(model, {**states, **{name: turn for name, turn in turns.items() if turn is not None}})
        if works is not None:
            y[model.layout.works] = works
        interface.decide_phases(t, self.network.vector(motion, y[model.layout.z]))
        self.z = y[model.layout.z].copy()
        reach = [box.size for box in self.boxes.values() if isinstance(box, MechanismBox)]
        self.size = max([*reach, float(model.size)])
        self._check_closed(t)

    def link_again(self, motion: PortMotion, wrench: Array, ended: Array) -> Stopped:
        """The joints as `whole` has them now, for those before: turns and works go over, an impulse stops what it must.

        The point has no past: what multipliers did before says nothing of those that come.
        """
        before, t = self.network, self.point.t
        y = before.vector(self.point.motion, self.point.z)
        self.link(motion, t, self.turns(), y[before.interface.model.layout.works])
        network, lam = self.network, np.zeros(len(self.network.interface.rows))
        point = evaluated(network, t, motion, self.z, lam, wrench, (0.0, 0.0), ended)
        network.motion = point.motion
        found = stopped(network, point)
        if found.by_joint:
            point = evaluated(network, t, network.motion, self.z, lam, found.wrench, (0.0, 0.0), ended)
            network.motion = point.motion
        self.point = point
        return found

    def turns(self) -> dict[str, float]:
        """Angles of the joints between boxes that count their turns."""
        model = self.network.interface.model
        state = whole_state(model, self.network.vector(self.point.motion, self.point.z))
        return {dotted(joint.name): state[joint.name] for joint in model.blueprint.joints if joint.name in state}

    def _threads(self) -> int:
        asked = self.options.threads
        if asked is not None:
            return asked
        return max(1, min(MOST_THREADS, os.cpu_count() or 1, len(self.boxes) // BUSY))

    def _assembled(self, whole: Whole, t: float) -> dict[str, Any]:
        """States of the boxes of ours in which the joints of the whole are closed; found once, before time begins."""
        self.redundancy: Redundancy | None = None
        if foreign(whole):
            return {}
        try:
            prepared = prepare(joined_whole(whole), None, None, t)
        except MechanismError as error:
            raise self._named(error, whole) from error
        self.told += [self._words(note, whole) for note in prepared.notes]
        self.redundancy = prepared.redundancy
        state = whole_state(prepared.model, prepared.assembly.y)
        inner = names_inside(whole)
        return {box: {old: state[new] for old, new in names.items() if new in state} for box, names in inner.items()}

    def _named(self, error: MechanismError, whole: Whole) -> MechanismError:
        return MechanismError(whole.name, [self._words(str(fault), whole) for fault in error.faults])

    def _words(self, words: str, whole: Whole) -> str:
        """A sentence on the one mechanism in the names of the system."""
        from .check_system import in_names_of

        return in_names_of(whole, words)

    def fits(self, boxes: Mapping[str, Box]) -> None:
        """Refuse boxes that the coupling or the macro step does not go with."""
        for name, box in boxes.items():
            if self.options.coupling.restores and not box.restores:
                raise ChoiceError(
                    f"subsystem '{name}' cannot go back to a state before, which {self.options.coupling} needs; "
                    "use coupling='explicit'"
                )
        self.macro.use(self.options.macro_step, boxes)

    def choose(self, choices: Mapping[str, Any]) -> None:
        """Another coupling, macro step or number of threads from now on; macro points are counted from here then."""
        if unknown := sorted(set(choices) - set(OWN)):
            raise ChoiceError(f"there is no choice '{unknown[0]}' for an edit of a system; {nearest(unknown[0], OWN)}")
        if not choices:
            return
        now = {key: getattr(self.options, key) for key in OWN}
        self.options = replace(chosen_options({**now, **choices}), choices=self.options.choices)
        if "macro_step" in choices:
            self.macro = Macro(self.options.macro_step, self.boxes, self.t)
        self.fits(self.boxes)
        self.network.use_threads(self._threads())

    def _check_closed(self, t: float) -> None:
        network = self.network
        joints = network.joints(t, network.motion, self.z, matrix=False)
        open_ = np.where(network.interface.velocity, 0.0, np.abs(joints.C))
        if not open_.size or np.max(open_) <= OPEN * self.size:
            return
        worst = int(np.argmax(open_))
        row = network.interface.rows[worst]
        raise MechanismError(
            self.whole.name,
            [
                f"joint '{dotted(row.joint)}' is {open_[worst]:.3g} (m or rad) from closed at t = {t:g} s "
                f"({row.meaning}); place its subsystems so that it closes"
            ],
        )

    def _settle(self, t: float) -> None:
        """Velocities that joints forbid are stopped by impulses, then reactions are found."""
        network = self.network
        wrench = np.zeros((len(network.motion.position), network.width))
        lam = np.zeros(len(network.interface.rows))
        self.point = evaluated(network, t, network.motion, self.z, lam, wrench, (0.0, 0.0))
        network.motion = self.point.motion
        speed = max(1.0, float(np.max(np.abs(network.motion.velocity), initial=0.0)))
        if np.max(np.abs(self.point.joints.rate), initial=0.0) > STILL * speed:
            found = stopped(network, self.point)
            self.told.append(f"at the start {found.told()}")
            self.point = evaluated(network, t, network.motion, self.z, lam, found.wrench, (0.0, 0.0), wrench)
            network.motion = self.point.motion

    # Going on --------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """s, where it stands."""
        return self.point.t

    def advance(self, dt: float | None = None, *, to: float | None = None) -> Status:
        """On by `dt` seconds, or to a time: whole macro steps."""
        if (dt is None) == (to is None):
            raise ChoiceError("advance takes either a time span or to=, a time")
        given = dt if to is None else to
        if not is_finite(given):
            raise ChoiceError(f"advance got {given!r}; expected seconds")
        target = float(given) if to is not None else self.t + float(given)  # type: ignore[arg-type]
        if target < self.t:
            raise ChoiceError(f"the session stands at t = {self.t:g} s and goes forward only, not to {target:g} s")
        if self.until is not None:
            target = min(target, self.until)
        self._ok, self._sentence, self._interrupted = True, "completed", False
        for end in self._stops(target):
            if not self._go(end):
                break
            self.look()
        return self.status

    def _stops(self, target: float) -> Iterator[float]:
        """Sample times on the way, and the target."""
        slack = 1e-9 * max(abs(target), 1e-3)
        if self.times is not None:
            wanted = [t for t in self.times if self.t + slack < t <= target + slack]
        elif self.every is not None:
            first = int(np.floor((self.t - self.start) / self.every + 1e-9)) + 1
            last = int(np.floor((target - self.start) / self.every + 1e-9))
            wanted = [self.start + k * self.every for k in range(first, last + 1)]
        else:
            wanted = []
        self.macro.check(self.t, target)
        yield from (float(t) for t in wanted)
        if not wanted or wanted[-1] < target - slack:
            yield target

    def _go(self, end: float) -> bool:
        """To a time, macro step by macro step; False, and where it was before the step that failed, if it cannot."""
        try:
            for H, last in self.macro.steps(self, end):
                self._step(H)
                if last:
                    self.point.t = self.network.t = end
                self.on_step(self.t)
        except NoConvergenceError as error:
            self._ok, self._sentence = False, self._unclosed(error)
        except KeyboardInterrupt:
            self._ok, self._sentence, self._interrupted = False, f"interrupted at t = {self.t:g} s", True
        except SimulationError as error:
            self._ok, self._sentence = False, f"stopped at t = {self.t:g} s: {error}"
        return self._ok

    def _step(self, H: float, depth: int = 0) -> None:
        """One macro step, in halves where it does not close its joints."""
        coupling, marks = self.options.coupling, None
        if depth == 0 and coupling.restores:
            marks = self.network.marks()
        point = self.point
        try:
            self._tried(coupling, H, depth)
        except BaseException:
            self.point = point
            self.network.motion, self.network.t = point.motion, point.t
            if marks is not None:
                self.network.back_if_possible(marks)
            raise

    def _tried(self, coupling: Coupling, H: float, depth: int) -> None:
        try:
            found = coupling.step(self.network, self.point, H)
        except NoConvergenceError:
            if depth >= HALVINGS or not coupling.restores:
                raise
            self.kept.halved(self.t, H)
            self._step(0.5 * H, depth + 1)
            self._step(0.5 * H, depth + 1)
            return
        self.point = found.point
        self.z = found.point.z
        self.kept.count(found, H)
        gap, joint = self.kept.opened()
        if gap > WIDE * self.size:
            raise SimulationError(
                f"joint '{joint}' opened by {gap:.2g} (m or rad): {coupling} lost it, perhaps at a singular position; "
                "give a smaller macro_step, or use coupling='extended'"
            )
        self.macro.learn(found, H, self.size)

    def _unclosed(self, error: NoConvergenceError) -> str:
        joint = dotted(error.joint)
        return (
            f"stopped at t = {self.t:g} s: joint '{joint}' could not be closed over the macro step that follows, nor "
            f"over {2**HALVINGS} parts of it (residuals {', '.join(f'{x:.1e}' for x in error.history[:4])} ...); "
            "the machine may be at a singular position, or its parts too unlike for this macro step: "
            "give a smaller macro_step, or run it as one mechanism with joined()"
        )

    def step(self, n: int = 1) -> Status:
        """On by `n` whole macro steps of a fixed length."""
        if self.macro.fixed is None:
            raise ChoiceError("macro_step is 'auto' and chosen as it goes; use advance, or give macro_step a number")
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ChoiceError(f"n is {n!r}; expected a positive whole number of macro steps")
        count = round((self.t - self.start) / self.macro.fixed) + n
        return self.advance(to=self.start + count * self.macro.fixed)

    # What it is like now ---------------------------------------------------------------------------------------------

    def look(self) -> None:
        if self.every is not None or self.times is not None:
            self.kept.sample()

    @property
    def status(self) -> Status:
        return Status(self._ok, self._sentence, self.notes, self._interrupted)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.told, *self.kept.notes()]))

    def __getitem__(self, channel: str | list[str] | tuple[str, ...]) -> Any:
        """A channel now, or several as an array."""
        if isinstance(channel, list | tuple):
            return np.array([self[name] for name in channel])
        return float(self.kept.now()[channel][-1])

    def state(self) -> State:
        """States of all mechanisms by subsystem, and turns of joints between them: what another run can start from."""
        inside = {name: box.session.state() for name, box in self.boxes.items() if isinstance(box, MechanismBox)}
        return State({**inside, **self.turns()})

    def solution(self) -> SystemSolution:
        """What was sampled, as `simulate` gives it; without samples, the present."""
        return self.kept.solution(self.status)

    # Changes ---------------------------------------------------------------------------------------------------------

    def set(self, number: str, value: float) -> None:
        """Give a number another value from now on: `tractor.frame.mass` of a subsystem, `k` between them."""
        from .system_numbers import put_number

        put_number(self, number, value)

    def edit(self, system: System | None = None, **choices: Unpack[MachineKeys]) -> Outcome:
        """Go on with another system: subsystems and joints come and go, by an impulse where velocities jump.

        `coupling`, `macro_step` and `threads` may be given instead or besides.
        """
        from .system_edits import edit

        return edit(self, system, choices)

    def checkpoint(self) -> bytes:
        """Everything that a later step reads, as bytes."""
        from .marks import written

        return written(self)

    def restore(self, mark: bytes) -> None:
        """Go back to a checkpoint of this session."""
        from .marks import restore

        restore(self, mark)

    def close(self) -> None:
        """Threads end; boxes are the user's, and live on."""
        self.network.close()

    def __repr__(self) -> str:
        return f"<Session of {self.whole.name} at t = {self.t:g} s: {self._sentence}>"


def box_of(whole: Whole, part: Subsystem) -> Box:
    """A subsystem as a box, with the ports that are joined."""
    if part.box is not None:
        return part.box
    assert part.blueprint is not None
    return MechanismBox(part.name, part.blueprint, whole.ports_of(part.name), part.choices, whole.degree)


class _Ports:
    """What a network needs to know of joints before the boxes are started: nothing but the width of a wrench."""

    def __init__(self, width: int) -> None:
        self.width = width


def ports_alone(whole: Whole) -> Any:
    """In place of the joints, where these are not made yet."""
    return _Ports(3 if whole.links.dim == 2 else 6)


def chosen_options(given: dict[str, Any]) -> Options:
    """The options of a run as written; `given` keeps what is for the boxes."""
    couplings = COUPLINGS
    coupling = given.pop("coupling", None) or "extended"
    macro_step = given.pop("macro_step", None)
    threads = given.pop("threads", None)
    if isinstance(coupling, str):
        if coupling not in couplings:
            raise ChoiceError(f"unknown coupling '{coupling}'; {nearest(coupling, couplings)}")
        coupling = couplings[coupling]()
    if not isinstance(coupling, Coupling):
        raise ChoiceError(f"coupling is {coupling!r}; expected one of {', '.join(couplings)}")
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise ChoiceError(f"threads is {threads!r}; expected a whole number from 1 on")
    return Options(coupling, checked_macro("auto" if macro_step is None else macro_step), threads, given)


__all__ = ["COUPLINGS", "Options", "SystemSession", "chosen_options"]
