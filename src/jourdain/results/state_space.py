"""StateSpace: a mechanism linearised, x' = A x + B u, y = C x + D u, all by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.equality import equal_by
from ..optional import need
from ..plotting.cards import Card

Array = npt.NDArray[np.float64]


@equal_by()
@dataclass(frozen=True)
class StateSpace(Card):
    """Small deviations of states, inputs and outputs from those at the state looked at.

    `states` are coordinates, then their rates, then states of elements; `outputs_there` are the outputs themselves at
    the state looked at. `error` estimates the largest error of A, relative to its largest entry in the same rows.
    """

    _drawn_in_letters = True

    mechanism: str
    about: str
    t: float
    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    outputs_there: Array
    error: float
    notes: tuple[str, ...] = ()

    @property
    def eigenvalues(self) -> npt.NDArray[np.complex128]:
        """Of A, 1/s. `modes` sorts and names them, and knows which are zero."""
        return np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128)

    def to_scipy(self) -> Any:
        """scipy.signal.StateSpace of the same matrices."""
        from scipy.signal import StateSpace as Signal

        return Signal(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """A state-space system of python-control, with the names. Needs the package control."""
        control = need("control", "to_control")

        def plain(names: tuple[str, ...]) -> list[str]:
            return [name.replace(".", "_") for name in names]  # dots mean signals of sub-systems there

        names = {"states": plain(self.states), "inputs": plain(self.inputs), "outputs": plain(self.outputs)}
        return control.ss(self.A, self.B, self.C, self.D, **names)

    @property
    def facts(self) -> dict[str, Any]:
        """The result as texts, numbers and tables of them."""
        return {
            "mechanism": self.mechanism,
            "about": self.about,
            "t": self.t,
            **{name: getattr(self, name).tolist() for name in ("A", "B", "C", "D")},
            **{name: list(getattr(self, name)) for name in ("states", "inputs", "outputs", "notes")},
            "outputs_there": self.outputs_there.tolist(),
            "error": self.error,
        }

    def __str__(self) -> str:
        lines = [
            f"{self.mechanism}, linearised about {self.about}",
            f"     states  {', '.join(self.states) or 'none'}",
            f"     inputs  {', '.join(self.inputs) or 'none'}",
            f"    outputs  {', '.join(self.outputs) or 'none'}",
        ]
        for name in ("A", "B", "C", "D"):
            matrix = getattr(self, name)
            if matrix.size:
                shown = np.array2string(matrix, precision=6, suppress_small=True, max_line_width=110, threshold=400)
                lines += [f"{name} =", shown]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])
