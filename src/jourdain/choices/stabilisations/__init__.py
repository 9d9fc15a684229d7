"""How drift is held: one file for each stabilisation; this is the list of those that have a name."""

from __future__ import annotations

from typing import Any

from ...mechanism.names import nearest
from ..contract import Stabilisation
from .baumgarte import Baumgarte
from .dependent import Dependent
from .euclidean import Euclidean
from .ggl import Ggl
from .projection import Projection
from .unstabilised import Unstabilised

STABILISATIONS: dict[str, type[Stabilisation]] = {
    kind.name: kind for kind in (Projection, Euclidean, Baumgarte, Ggl, Unstabilised, Dependent)
}


def stabilisation_of(written: Any) -> Any:
    """The stabilisation of a name. What is none stays as it is: `wrong_stabilisation` has the sentence for it."""
    if isinstance(written, str) and written in STABILISATIONS:
        return STABILISATIONS[written]()
    return written


def wrong_stabilisation(found: Any) -> str | None:
    """What is wrong with the stabilisation of a treatment, if anything."""
    if isinstance(found, Stabilisation):
        return found.wrong()
    if isinstance(found, str):
        return f"unknown stabilisation '{found}'; {nearest(found, STABILISATIONS)}"
    return f"stabilisation is {found!r}; expected a name ({', '.join(STABILISATIONS)}) or Baumgarte()"
