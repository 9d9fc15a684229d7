"""What a file keeps of a run besides its channels: whoever opens it later can tell what it is and how it was made."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..mechanism.errors import JourdainError
from ..mechanism.parts import Blueprint
from ..version import __version__

if TYPE_CHECKING:
    from .solution import Solution


def describe(run: Solution) -> dict[str, Any]:
    """Texts, numbers, and lists and tables of them."""
    blueprint, choices, status = run.blueprint, run.choices, run.status
    settings = {k: v for k, v in asdict(choices.integrator).items() if k != "name" and isinstance(v, int | float)}
    found: dict[str, Any] = {
        "jourdain": __version__,
        "mechanism": blueprint.name,
        "space": blueprint.space,
        "parameters": dict(blueprint.parameters),
        "recipe": choices.recipe,
        "coordinates": choices.coordinates,
        "treatment": choices.treatment.name,
        "stabilisation": str(choices.treatment.stabilisation),
        "integrator": choices.integrator.name,
        **{key: value for key, value in settings.items() if value != float("inf")},
    }
    if status is not None:  # the moments of an event have none
        found |= {"status": status.sentence, "complete": status.ok, "notes": list(status.notes)}
        found |= {"summary": run.summary(), **run.statistics._asdict()}
    if run.events:
        found["events"] = {name: [float(t) for t in moments.t] for name, moments in run.events.items()}
    if run.redundancy is not None:
        r = run.redundancy
        found |= {"degrees_of_freedom": r.freedoms, "equations": r.equations, "rank": r.rank}
    found["size"] = run.size
    found["mechanism_file"] = mechanism_text(blueprint)
    return found


def mechanism_text(blueprint: Blueprint) -> str | None:
    """The mechanism as a mechanism file, so that a reloaded run can be drawn; None if it holds functions of Python."""
    from ..files import dumps

    try:
        return dumps(blueprint)
    except JourdainError:
        return None
