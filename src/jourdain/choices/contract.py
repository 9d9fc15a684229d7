"""The contract of a choice: what coordinates, a treatment, a stabilisation or an integrator supplies, in one place.

A run is put together from five parts: the compiled mechanism, coordinates, a treatment, its stabilisation and an
integrator. Each is one object that says by name what it brings, so that nobody else keeps lists of it. A choice of
one's own is a frozen dataclass that fulfils the contract of `Part` and of its kind; it goes wherever a built-in one
does, and is registered nowhere.

Nothing here knows Numba, arrays of a mechanism or addresses: compiled functions are names (`Entry`), memory is a list
of names and sizes (`Field`). The engine imports, compiles and allocates them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from ..kernels.layout.fields import NOTES_WIDTH
from ..kernels.layout.loops import OWN
from ..mechanism.errors import ChoiceError
from .positive import above_rounding, positive

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .coordinates.coordinate_set import Coordinates

    Array = npt.NDArray[np.float64]

__all__ = [
    "Ability",
    "Adaptive",
    "Chosen",
    "Entry",
    "Field",
    "FixedStep",
    "Integrator",
    "Loop",
    "Number",
    "Part",
    "PlanLike",
    "Sizes",
    "Stabilisation",
    "Tolerances",
    "Treatment",
    "Unknowns",
    "Use",
    "able",
    "raise_if",
]


class Entry(NamedTuple):
    """A compiled function as data: what is compiled on a first run, and the mark that it is in the cache.

    Never a function itself: Numba stores closures under a random name and would not find them in the cache again.
    """

    slot: str  # where it stands in the context: "TRY", "FACTOR" ... of kernels/layout/fields.py, or a loop's name
    source: str  # "jourdain.kernels.integrators.radau:dense", or "heun:step" of one's own
    args: tuple[int | str, ...] = ()  # if not empty, the source is a maker, which gets these
    late: bool = False  # compiled when first called: few runs need it


class Use(Enum):
    """What becomes of an array in a run."""

    CONSTANT = "constant"  # comes from the mechanism and is never written
    SCRATCH = "scratch"  # written before it is read; may start with constants in it, which the model gives
    KEPT = "kept"  # a later step reads it: a checkpoint holds it


class Number(Enum):
    """What an array consists of."""

    INT = "int"
    REAL = "real"  # float64 in every instance
    NUMBER = "number"  # follows the instance: float64, complex128 for derivatives, lanes for batches


@dataclass(frozen=True)
class Field:
    """One array of the context."""

    name: str  # of kernels/layout/fields.py
    shape: tuple[int, int]
    use: Use
    number: Number = Number.NUMBER
    below: int | None = None  # of integers that kernels index with: 0 <= x < below
    start: Any = 0.0  # a number for all, an array, or an Entry whose maker gives the array


class Loop(StrEnum):
    """The time loops an integrator may have; one that is missing means that it cannot do that."""

    RUN = "run"
    FOLLOW = "follow"  # the same steps in complex numbers, for sensitivities
    MANY = "many"  # variants one after the other inside the kernel
    LANES = "lanes"  # variants side by side in vector lanes


class Ability(Enum):
    """What a part can do beyond plain runs."""

    COMPLEX = "complex"  # its kernels exist in complex numbers: sensitivities follow it (Loop.FOLLOW)
    LANES = "lanes"  # its kernels exist in vector lanes (Loop.LANES)
    UNKNOWNS = "unknowns"  # of an integrator: solves for multipliers or forces beside the motion


class Tolerances(NamedTuple):
    """Of a method with error control."""

    order: int  # of its error estimate
    rtol: float
    atol: float
    max_step: float


@dataclass(frozen=True)
class Unknowns:
    """What an integrator solves for beside the motion."""

    count: int = 0
    slope: str = "RHS"  # the entry it solves: RHS, or DAE
    forces: bool = False  # they are forces of springs and efforts, not multipliers


@dataclass(frozen=True)
class Sizes:
    """What a part may ask of a compiled mechanism."""

    space: str
    dim: int
    bodies: int
    q: int
    v: int
    z: int
    states: int  # of elements: the first of z
    rows: int  # of constraints, padded to whole blocks
    forces: int  # of springs and efforts along a line or about an axis
    events: int
    extent: float  # m
    singular: bool  # some body has a singular mass block
    feedback: bool  # forces depend on reactions or accelerations

    @property
    def y(self) -> int:
        """Length of y = [q | v | z]."""
        return self.q + self.v + self.z

    @property
    def controlled(self) -> int:
        """How many numbers of y are under error control."""
        return self.q + self.v + self.states


class RowLike(Protocol):
    """What parts see of an equation (model/flat.py)."""

    @property
    def joint(self) -> str: ...
    @property
    def row(self) -> int: ...
    @property
    def intrinsic(self) -> bool: ...


class PlanLike(Protocol):
    """What parts see of a plan (engine/plan.py): sizes of the mechanism, and the other parts."""

    @property
    def sizes(self) -> Sizes: ...
    @property
    def coordinates(self) -> Coordinates: ...
    @property
    def treatment(self) -> Treatment: ...
    @property
    def stabilisation(self) -> Stabilisation: ...
    @property
    def integrator(self) -> Integrator | None: ...
    @property
    def redundant(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    def blocks_on_body(self, but_rigid: bool) -> int: ...
    @property
    def row_owners(self) -> Sequence[RowLike]: ...
    @property
    def linear_blocks(self) -> Sequence[bool]: ...


class Chosen(Protocol):
    """What `refuses` sees: the choices, before anything is compiled."""

    @property
    def set(self) -> Coordinates: ...
    @property
    def treatment(self) -> Treatment: ...
    @property
    def integrator(self) -> Integrator: ...


class Part:
    """One part of a run. What every part supplies:

    1. `name`: what files, the prompt and `str()` call it.
    2. `says` and `source`: one sentence and the paper, for the tables of the documentation and `--help`.
    3. `wrong()`: a sentence if a number of its own cannot be, else None. Asked before anything else.
    4. `refuses(chosen)`: a sentence if it does not go with the other choices, with the nearest that works. Asked before
       compiling; other parts are seen as objects.
    5. `fits(plan)`: likewise after compiling, where sizes are known: too many rows, a dense matrix. `notes(plan)` are
       sentences for the user that refuse nothing.
    6. `entries(plan)`: its compiled functions, by slot. A slot that two parts give is an error.
    7. `memory(plan)`: its arrays, by field, with their use and bounds. A field that two parts give is an error.
    8. `settings(plan)`: its numbers by the names of S_ words; a later part may override an earlier one.
    9. `flags(plan)`: its words by the names of H_ words; a text is the number of that slot.
    10. `abilities`: what it can do beyond plain runs.

    A coordinate set (coordinates/coordinate_set.py), a treatment, a stabilisation and an integrator add what their own
    base class says. Numbers that a
    user may give are the fields of the dataclass, with defaults; their names are those of the keywords.
    """

    name: ClassVar[str] = ""
    says: ClassVar[str] = ""
    source: ClassVar[str] = ""
    abilities: ClassVar[frozenset[Ability]] = frozenset()

    def __str__(self) -> str:
        return self.name

    def wrong(self) -> str | None:
        return None

    def refuses(self, chosen: Chosen) -> str | None:
        return None

    def fits(self, plan: PlanLike) -> str | None:
        return None

    def notes(self, plan: PlanLike) -> tuple[str, ...]:
        return ()

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return ()

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        return ()

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        return {}

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {}


@dataclass(frozen=True)
class Stabilisation(Part):
    """How drift is held. Besides what every part supplies:

    1. `projects`: it leaves velocities without drift, so that equations that contradict each other show.
    2. `unknowns`: unknowns of a step for each row, beside the motion.
    3. `with_step(step)`: itself with what depends on a fixed step.

    Its entry AFTER_STEP is called with every new state of a step.
    """

    projects: ClassVar[bool] = False
    unknowns: ClassVar[int] = 0

    def with_step(self, step: float | None) -> Stabilisation:
        return self


class Treatment(Part):
    """How accelerations and multipliers are found. Besides what every part supplies:

    1. `stabilisation`, an object or its name.
    2. `keeps_rows`: redundant rows are all kept; else they are left out at the start and bear no load.
    3. `direct`: FACTOR and SOLVE are exact, so it can close joints and stop motions by itself; else `kkt` does.
    4. `approximate`: accelerations are wrong by a little, and joints open with them.

    Its entries FACTOR and SOLVE find lam from K lam = b, K = J M^-1 J^T, in place. A step is told to begin anew by the
    status RESTART of AFTER_STEP.
    """

    keeps_rows: ClassVar[bool] = False
    direct: ClassVar[bool] = False
    approximate: ClassVar[bool] = False

    stabilisation: Any  # a field of the treatments themselves, behind their own numbers

    def __post_init__(self) -> None:
        from .stabilisations import stabilisation_of

        object.__setattr__(self, "stabilisation", stabilisation_of(self.stabilisation))

    @property
    def own_coordinates(self) -> str | None:
        """The only coordinates it is for, by name, if there are such."""
        return None


@dataclass(frozen=True)
class Integrator(Part):
    """How time goes on. Besides what every part supplies:

    1. `order` of its error in the step, and `fixed`: whether its step is.
    2. `implies`: the treatment that whoever asks for it means.
    3. `rows(plan)`: work rows of a step, as long as y and the unknowns.
    4. `unknowns(plan)`: what it solves for beside the motion.
    5. `tolerances(plan)` of a method with error control, else None.
    6. `loops(plan)`: its time loops.
    7. `fastest(plan, work)`: 1/s, the largest eigenvalue of the motion that it knows from its work rows, if it does.
    """

    order: ClassVar[int] = 0
    fixed: ClassVar[bool] = True

    @property
    def implies(self) -> Treatment | None:
        return None

    def rows(self, plan: PlanLike) -> int:
        raise NotImplementedError

    def unknowns(self, plan: PlanLike) -> Unknowns:
        count = plan.stabilisation.unknowns * plan.sizes.rows
        return Unknowns(count, "DAE" if count else "RHS")

    def tolerances(self, plan: PlanLike) -> Tolerances | None:
        return None

    def loops(self, plan: PlanLike) -> Mapping[Loop, Entry]:
        return {}

    def fastest(self, plan: PlanLike, work: Array) -> float:
        return math.inf

    def width(self, plan: PlanLike) -> int:
        """Numbers in a row of work: those of y and the unknowns, and at least those of a row of notes."""
        return max(plan.sizes.y + self.unknowns(plan).count, NOTES_WIDTH)

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        unknowns = self.unknowns(plan)
        return {
            "MULTIPLIERS": unknowns.count,
            "UNKNOWN_FORCES": int(unknowns.forces),
            "SLOPE": unknowns.slope,
            "SUBSTITUTE": 0,
        }


EVENT_ROWS = 3  # behind the rows of a step where events are searched, which events.py has for itself
SEARCH = Entry("SEARCH", "jourdain.kernels.integrators.event_search:search")
STEPS_TO_EVENTS = (Entry("STEP", "jourdain.kernels.integrators.adaptive_loop:step"), SEARCH)
# Time loops of methods with error control: without the search for events, with it, and for batches.
PLAIN, SEARCHING = (
    Entry("ADVANCE_ADAPTIVE", f"jourdain.kernels.integrators.adaptive_loop:{name}")
    for name in ("advance_plain", "advance")
)
DRIVE = Entry("DRIVE", "jourdain.kernels.batch.one_by_one:make_drive", (0,))


@dataclass(frozen=True)
class FixedStep(Integrator):
    """A method with a fixed step. One of one's own gives `name`, `order`, `work_rows` and `stepper`; no more.

    The entry STEP takes one step of length SETTINGS[STEP] from y in place, projected, with work rows in STEP_WORK. The
    loop calls it by address, which costs nanoseconds; the built-in methods have loops with their steps woven in.
    """

    work_rows: ClassVar[int] = 1
    woven: ClassVar[bool] = False  # the loop has the step inside, and STEP is only for steps to events

    step: float

    def wrong(self) -> str | None:
        return positive("step", self.step)

    def step_up_to(self, t: float) -> float:
        """The step, for a run to time t; refused where times cannot tell one step from the next."""
        apart = math.ulp(t)
        if self.step < apart:
            words = f"step is {self.step:g} s, and at t = {t:g} s numbers are {apart:.2g} s apart"
            raise ChoiceError(f"{words}: no step can be shorter than that; give a longer one")
        return self.step

    def stepper(self, plan: PlanLike) -> Entry:
        """The entry STEP."""
        raise NotImplementedError

    def rows(self, plan: PlanLike) -> int:
        return self.work_rows

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        if plan.sizes.events:
            return (self.stepper(plan), SEARCH)
        return () if self.woven else (self.stepper(plan),)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        rows = self.rows(plan) + EVENT_ROWS if plan.sizes.events or not self.woven else 0
        return (Field("STEP_WORK", (rows, self.width(plan)), Use.KEPT, Number.REAL),)

    def loops(self, plan: PlanLike) -> Mapping[Loop, Entry]:
        return {
            Loop.RUN: Entry("ADVANCE", "jourdain.kernels.integrators.fixed_loop:advance_entry"),
            Loop.MANY: Entry("DRIVE", "jourdain.kernels.batch.one_by_one:make_drive", (OWN,)),
        }


@dataclass(frozen=True)
class Adaptive(Integrator):
    """A method with error control: entries TRY, which tries a step, and DENSE, which interpolates in it."""

    fixed: ClassVar[bool] = False

    rtol: float = 1e-6
    atol: float | None = None
    max_step: float = math.inf

    def wrong(self) -> str | None:
        return (
            positive("rtol", self.rtol)
            or above_rounding(self.rtol)
            or (None if self.atol is None else positive("atol", self.atol))
            or positive("max_step", self.max_step, infinite=True)
        )

    def error_order(self) -> int:
        """Order of the error estimate."""
        return self.order

    def trying(self, plan: PlanLike) -> tuple[Entry, Entry]:
        """The entries TRY and DENSE."""
        raise NotImplementedError

    def tolerances(self, plan: PlanLike) -> Tolerances:
        from .positive import MIN_RTOL

        rtol = self.rtol
        atol = rtol * min(1.0, plan.sizes.extent) if self.atol is None else self.atol
        part = plan.coordinates.tolerance
        if part != 1.0:
            rtol, atol = max(part * rtol, MIN_RTOL), part * atol
        return Tolerances(self.error_order(), rtol, atol, self.max_step)

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (*self.trying(plan), *STEPS_TO_EVENTS) if plan.sizes.events else self.trying(plan)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        rows, width = self.rows(plan) + EVENT_ROWS, self.width(plan)
        return (
            Field("METHOD_WORK", (rows, width), Use.KEPT),
            Field("STEP_WORK", (rows if plan.sizes.events else 0, width), Use.KEPT, Number.REAL),
        )

    def loops(self, plan: PlanLike) -> Mapping[Loop, Entry]:
        return {Loop.RUN: SEARCHING if plan.sizes.events else PLAIN, Loop.MANY: DRIVE}


def raise_if(sentence: str | None, *keys: str) -> None:
    """Refuse what a part found wrong; `keys` are the arguments to blame."""
    if sentence:
        raise ChoiceError(sentence, *keys)


def able(kinds: Mapping[str, Any], ability: Ability) -> list[str]:
    """Names of those in a list of choices that can do something."""
    return [name for name, kind in kinds.items() if ability in kind.abilities]
