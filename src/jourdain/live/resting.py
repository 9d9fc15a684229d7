"""Sessions of structures that a live machine had: put away when not needed, made again when somebody goes back.

A session takes some 200 kB, its mechanism and a checkpoint next to nothing. Made again from these it has the same bits:
a checkpoint holds everything that a later step reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import choices as ch
from ..mechanism.parts import Blueprint
from ..session.preparing import prepared_for
from ..session.session import Session

if TYPE_CHECKING:
    from .hands import Hold


class Recipe(NamedTuple):
    """Of which a session is made again: what it was prepared with, so that what is chosen once is chosen alike."""

    base: Blueprint
    choices: ch.Choices
    written: dict[str, Any]
    state: Mapping[str, Any] | None
    t: float
    marks: dict[bytes, None]


def _unjudged(session: Session) -> Session:
    """Fixed steps go on through singular positions: who pulls a parallelogram flat wants to go on pulling."""
    session.judged = False
    session.loop.tell_passing(False)
    return session


class Run:
    """The session of a structure, and what its hands know of it."""

    def __init__(self, session: Session) -> None:
        self._session: Session | None = _unjudged(session)
        self._recipe: Recipe | None = None
        self.hold: Hold | None = None

    @property
    def session(self) -> Session:
        """As it is, or made again; it stands at its beginning then, and a checkpoint is to be restored."""
        if self._session is None and self._recipe is not None:
            base, choices, written, state, t, marks = self._recipe
            prepared = prepared_for(base, choices, state, t)
            s = self._session = _unjudged(Session(prepared, choices, t, written=written, given=state))
            s.marks, self._recipe = marks, None
        assert self._session is not None
        return self._session

    def rest(self) -> None:
        """Put the session away, if it can be made again."""
        s = self._session
        if s is None or s.begun_with is None:
            return
        if s.prepared.redundancy.dropped and (s.numbers or s.loop.workspace.model.off != s.base.off):
            return  # which equations are left out was chosen without these numbers
        self._recipe = Recipe(s.base, s.choices, s.written, *s.begun_with, s.marks)
        self._session = self.hold = None
