"""Derivation: what `jd.derive` gives back, to print, to compute with, to take away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..mechanism.errors import ChoiceError
from . import sheet as paper
from .c_code import c_code
from .kernel_check import Checked
from .machine_formulas import MachineFormulas
from .python_code import python_code
from .sheet import Sheet
from .sympy_objects import objects
from .take_away import TakeAway, take_away


@dataclass(frozen=True)
class Derivation:
    """Equations of a part or a mechanism at one level, in one coordinate set, compared with the kernels.

    `.latex()`, `.markdown()` and `.html()` are whole documents; `.sympy()` objects by name; `.python()` and `.c()` the
    text of functions that need nothing of ours. `.checked` says how it was checked.
    """

    title: str
    level: str
    coordinates: str
    document: Sheet = field(repr=False)
    checked: Checked
    source: Callable[[], MachineFormulas] | None = field(
        default=None, repr=False, compare=False
    )  # its formulas, made when asked for
    minimal: dict[str, Any] | None = field(default=None, repr=False)  # SymPy objects of the minimal form

    def latex(self) -> str:
        return paper.latex(self.document)

    def markdown(self) -> str:
        return paper.markdown(self.document)

    def html(self) -> str:
        return paper.html(self.document)

    def sympy(self) -> dict[str, Any]:
        """M, J, gamma, Q, bias, C, q, v, t and constants; of the minimal form what it found."""
        return dict(self.minimal) if self.minimal is not None else objects(self._take_away("SymPy objects"))

    def python(self) -> str:
        """A module with M(q), J(q), gamma(q, v), rhs(t, y) and START, in Python with NumPy."""
        return python_code(self._take_away("Python functions"), f"Derived by Jourdain, {self.checked}.")

    def c(self) -> str:
        """The same in one file of C99."""
        return c_code(self._take_away("C functions"), f"Derived by Jourdain, {self.checked}.")

    @cached_property
    def _taken(self) -> TakeAway:
        assert self.source is not None
        return take_away(self.source())

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_taken"}

    def _take_away(self, what: str) -> TakeAway:
        if self.source is None:
            raise ChoiceError(f"{self.title} has no {what}: derive a joint, a body or a mechanism")
        return self._taken

    def __str__(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        return paper.fragment(self.document)

    def _repr_latex_(self) -> str | None:
        return None
