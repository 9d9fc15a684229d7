"""A plan: a compiled mechanism and everything that was chosen for it, and what a workspace of it consists of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..choices.contract import (
    Entry,
    Field,
    Integrator,
    Loop,
    Part,
    Sizes,
    Stabilisation,
    Treatment,
)
from ..choices.coordinates import Coordinates
from ..choices.resolve import with_stabilisation
from ..choices.stabilisations import Projection
from ..choices.treatments import Kkt
from ..mechanism.errors import ChoiceError
from ..model.flat import FlatModel, Row
from .model_part import ModelPart, blocks_on_body
from .template import Template

MOST_TEMPLATES = 16  # that are kept with a model


@dataclass(frozen=True, eq=False)
class Plan:
    """The only argument of a workspace, of `compile_for`, of lanes. Plans are equal if their workspaces are.

    Raises ChoiceError where a part does not fit the mechanism.
    """

    model: FlatModel
    treatment: Treatment
    integrator: Integrator | None = None
    redundant: int = 0  # rows that share their load with others; those that were left out are no longer in the model
    exact: bool = False  # a step has asked for the exact iteration matrix
    numbers: Mapping[str, float] = field(default_factory=dict)  # parameters and phases to begin with

    def __post_init__(self) -> None:
        for part in self.parts:
            if words := part.fits(self):
                raise ChoiceError(words)

    @classmethod
    def of(cls, model: FlatModel, integrator: Integrator | None = None) -> Plan:
        """To close joints and to look at single poses: the direct treatment of these coordinates, and projection."""
        return cls(model, model.set.own_treatment or Kkt(), integrator)

    @cached_property
    def coordinates(self) -> Coordinates:
        return self.model.set

    @cached_property
    def stabilisation(self) -> Stabilisation:
        how: Stabilisation = self.treatment.stabilisation
        return how

    @cached_property
    def sizes(self) -> Sizes:
        return self.model.sizes

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """In the order in which they are merged."""
        found: tuple[Part, ...] = (ModelPart(self.model), self.coordinates, self.treatment, self.stabilisation)
        return found if self.integrator is None else (*found, self.integrator)

    def blocks_on_body(self, but_rigid: bool) -> int:
        return blocks_on_body(self.model, but_rigid)

    @property
    def row_owners(self) -> tuple[Row, ...]:
        return self.model.rows

    @property
    def linear_blocks(self) -> tuple[bool, ...]:
        return self.model.linear_blocks

    def with_(self, **changes: Any) -> Plan:
        """Another plan; `stabilisation` may be given like the fields."""
        treatment = changes.pop("treatment", self.treatment)
        if "stabilisation" in changes:
            treatment = with_stabilisation(treatment, changes.pop("stabilisation"))
        keys = ("model", "integrator", "redundant", "exact", "numbers")
        return Plan(treatment=treatment, **{key: changes.pop(key, getattr(self, key)) for key in keys}, **changes)

    @cached_property
    def assembling(self) -> Plan:
        """To close the joints before their rank is known; this plan itself, where it will do."""
        t = self.treatment
        own = t if t.direct and not t.keeps_rows else Kkt()
        plan = self.with_(treatment=own, stabilisation=Projection(), redundant=0)
        return self if plan == self else plan

    @cached_property
    def colliding(self) -> Plan:
        """For impulses, which act in the mass metric whatever holds drift otherwise."""
        own = self.treatment if self.treatment.direct else Kkt()
        return self.with_(treatment=own, stabilisation=Projection(), integrator=None, exact=False)

    @cached_property
    def observing(self) -> Plan:
        """To look at single states: without the integrator and its memory."""
        return self.with_(integrator=None, exact=False, numbers={})

    # What it consists of ---------------------------------------------------------------------------------------------

    @cached_property
    def recipe(self) -> WorkspaceParts:
        """Everything the parts supply, merged; what two of them give is an error."""
        return WorkspaceParts.of(self)

    def template(self, number: type, slots: Collection[str] | None = None) -> Template:
        """What all its workspaces have in common, made once for a model."""
        key = *self._key(), number, None if slots is None else frozenset(slots)
        templates = self.model.templates
        if key not in templates:
            if len(templates) >= MOST_TEMPLATES:  # many steps or tolerances were tried
                templates.clear()
            templates[key] = Template(self, number, slots)
        found: Template = templates[key]
        return found

    @cached_property
    def loops(self) -> Mapping[Loop, Entry]:
        """The time loops of the integrator."""
        return {} if self.integrator is None else self.integrator.loops(self)

    def _key(self) -> tuple[Any, ...]:
        return id(self.model), self.treatment, self.integrator, self.redundant, self.exact

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


@dataclass(frozen=True)
class WorkspaceParts:
    """Of a workspace: entries, arrays of the parts, settings and flags, by name."""

    entries: Mapping[str, Entry]
    memory: Mapping[str, Field]  # of model, coordinates, treatment and stabilisation
    method: Mapping[str, Field]  # of the integrator, which a run may change
    settings: Mapping[str, float]
    flags: Mapping[str, int | str]

    @staticmethod
    def of(plan: Plan) -> WorkspaceParts:
        entries: dict[str, Entry] = {}
        memory: dict[str, Field] = {}
        method: dict[str, Field] = {}
        settings: dict[str, float] = {}
        flags: dict[str, int | str] = {}
        for part in plan.parts:
            own = method if part is plan.integrator else memory
            for entry in part.entries(plan):
                if entry.slot in entries:
                    raise ValueError(_twice(plan, "entry", entry.slot, entry.source))
                entries[entry.slot] = entry
            for one in part.memory(plan):
                if one.name in memory or one.name in method:
                    raise ValueError(_twice(plan, "field", one.name, part.name))
                own[one.name] = one
            settings.update(part.settings(plan))
            flags.update(part.flags(plan))
        return WorkspaceParts(entries, memory, method, settings, flags)


def _twice(plan: Plan, kind: str, name: str, who: str) -> str:
    parts = ", ".join(part.name or "the mechanism" for part in plan.parts)
    return f"{kind} {name} is given twice, the second time by {who}; the parts are {parts}"
