"""What the kernels counted in workspaces: how much work was done, and what was out of the ordinary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..kernels.layout import fields as f
from .workspace import Workspace


@dataclass(frozen=True)
class Counts:
    """Sums over workspaces."""

    evaluations: int
    newton_steps: int  # full ones, in projections
    rounds: int  # of iterations for the multipliers
    rank_losses: int
    blurs: int  # steps too long to see events in, taken all the same
    stiff_steps: int  # whose length stability decided, not accuracy


def counts(workspaces: Iterable[Workspace]) -> Counts:
    words = (f.H_EVALUATIONS, f.H_NEWTONS, f.H_ROUNDS, f.H_RANK_LOSSES, f.H_BLURS, f.H_STIFF)
    used = list(workspaces)
    return Counts(*(sum(int(workspace.ctx[word]) for workspace in used) for word in words))
