"""modes: eigenfrequencies, damping and mode shapes of a mechanism about an equilibrium, or along a motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from ..files.by_name import Given, or_file
from ..mechanism.arguments import asked
from ..mechanism.equality import equal_by
from ..mechanism.errors import EquilibriumError, PictureError
from ..mechanism.names import counted
from ..mechanism.ties import largest
from ..plotting.cards import Card
from ..results.notebook import Moving
from ..results.record import AnimateKeys
from ..results.solution import Solution
from ..results.state_space import StateSpace
from .equilibrium.eigen import EigenPair, eigenpairs
from .equilibrium.mode_words import by_body, in_words, shares
from .linearise import Parts, linearised, motion_words

Array = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]

RIGID, REST, UNDAMPED, DAMPED, GROWING = "rigid", "rests anywhere", "undamped", "damped", "growing oscillation"
DECAY, GROWTH, CRITICAL = "decays", "grows", "critically damped"
LEAST_DAMPING = 1e-10  # smaller damping ratios are rounding
STILL = 1e-12  # of the largest state: bodies that move less stand still
AMPLITUDE = 0.1  # of the mechanism's size, or rad: what is drawn
FRAMES, CYCLES, SECONDS = 40, 3, 1.6  # of a film: frames a cycle, cycles, how long one is shown
DPI = 150  # of pictures
SMALLER = 12  # how often the amplitude is halved where joints do not close


@equal_by()
@dataclass(frozen=True)
class Mode:
    """One way in which a mechanism moves by itself: proportional to exp(eigenvalue t).

    `shape` gives for each body the displacement of its origin and its rotation, fixed axes, as complex numbers whose
    phases tell who is ahead; the largest displacement, angles counted by the mechanism's size, is 1 m.
    """

    number: int
    kind: str
    eigenvalue: complex  # 1/s
    shape: dict[str, tuple[Complex, Complex]] = field(repr=False)
    states: Complex = field(repr=False)  # the same as deviations of the states
    words: str
    vector: Complex = field(repr=False, compare=False)  # displacements of mass centres and rotations, body by body

    @property
    def angular_frequency(self) -> float:
        """rad/s, of the oscillation as it is seen; 0 where there is none."""
        return abs(self.eigenvalue.imag)

    @property
    def frequency(self) -> float:
        """Hz, of the oscillation as it is seen; 0 where there is none."""
        return self.angular_frequency / (2 * np.pi)

    @property
    def natural_frequency(self) -> float:
        """rad/s: the size of the eigenvalue, which is the frequency without damping."""
        return abs(self.eigenvalue)

    @property
    def damping_ratio(self) -> float:
        """1 for all that decays without oscillation; negative where it grows; nan for zero eigenvalues."""
        return 0.0 - self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else float("nan")

    @property
    def time_constant(self) -> float:
        """s, in which the motion changes by the factor e; infinite where it neither decays nor grows."""
        return 1.0 / abs(self.eigenvalue.real) if self.eigenvalue.real else float("inf")

    @property
    def unstable(self) -> bool:
        return self.eigenvalue.real > 0


@equal_by()
@dataclass(frozen=True)
class Modes(Card):
    """The modes of a mechanism, numbered from 1: `modes[1]`, `for mode in modes`, `print(modes)`.

    They come by natural frequency, slowest first, then by growth, what grows first; modes that are equal in both, to
    1e-8, come in the order in which the bodies that they move were declared.
    """

    system: StateSpace
    modes: tuple[Mode, ...]
    notes: tuple[str, ...]
    _parts: Parts = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.modes)

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def __getitem__(self, number: int) -> Mode:
        if not 1 <= number <= len(self.modes):
            there = f"numbered 1 to {len(self.modes)}" if self.modes else "and there is none at all"
            raise KeyError(f"there is no mode {number}; the mechanism has {counted(len(self.modes), 'mode')}, {there}")
        return self.modes[number - 1]

    @property
    def frequencies(self) -> Array:
        """Hz, of all modes that oscillate."""
        return np.array([mode.frequency for mode in self.modes if mode.frequency > 0])

    @property
    def angular_frequencies(self) -> Array:
        """rad/s, of all modes that oscillate."""
        return 2 * np.pi * self.frequencies

    @property
    def stable(self) -> bool:
        """Whether no mode grows."""
        return not any(mode.unstable for mode in self.modes)

    def record(self, number: int, amplitude: float | None = None) -> Solution:
        """Some cycles of a mode as poses over time, the largest displacement `amplitude` (m, angles by the size)."""
        mode = self[number]
        turns = np.linspace(0.0, 2 * np.pi * CYCLES, FRAMES * CYCLES + 1)
        factors = np.exp(1j * turns) if mode.angular_frequency else np.sin(turns) + 0j
        period = 2 * np.pi / mode.angular_frequency if mode.angular_frequency else SECONDS
        return self._poses(mode, factors, turns / (2 * np.pi) * period, amplitude)

    def plot(self, number: int, path: str | Path | None = None, *, amplitude: float | None = None) -> Any:
        """The mechanism at both ends of a mode and between, as a matplotlib figure; saved if `path` is given."""
        mode = self[number]
        factors = np.array([-1.0, 0.0, 1.0]) + 0j
        figure = self._poses(mode, factors, np.arange(3.0), amplitude).draw([0, 1, 2])
        oscillation = f"{mode.frequency:.4g} Hz" if mode.frequency else mode.kind
        figure.axes[0].set_title(f"{self.system.mechanism}: mode {number}, {oscillation}", fontsize=11, loc="left")
        if path is not None:
            figure.savefig(path, dpi=DPI, bbox_inches="tight", pad_inches=0.1)
        return figure

    @overload
    def animate(
        self, number: int, path: str | Path, *, amplitude: float | None = None, **how: Unpack[AnimateKeys]
    ) -> Path: ...

    @overload
    def animate(self, number: int, *, amplitude: float | None = None, **how: Unpack[AnimateKeys]) -> Moving: ...

    def animate(
        self, number: int, path: str | Path | None = None, *, amplitude: float | None = None, **how: Unpack[AnimateKeys]
    ) -> Path | Moving:
        """A mode as .gif, .mp4 or a page .html, slowed down or sped up so that a cycle takes a second or two.

        Without a path: what plays below the cell of a notebook.
        """
        record: Any = self.record(number, amplitude)
        speed = float(f"{float(record.t[-1] - record.t[0]) / (CYCLES * SECONDS):.2g}")
        found: Path | Moving = record.animate(path, **{"speed": speed, **how})
        return found

    def _poses(self, mode: Mode, factors: Complex, times: Array, amplitude: float | None) -> Solution:
        manifold, y = self._parts.place.manifold, self._parts.place.y
        if amplitude is not None and not 0 < amplitude < np.inf:
            raise PictureError(f"amplitude is {amplitude}; expected a positive number")
        largest = AMPLITUDE * manifold.model.size if amplitude is None else amplitude
        rest = y.copy()
        rest[manifold.model.layout.v] = 0.0
        for _ in range(SMALLER):
            found = [manifold.moved(rest, largest * (factor * mode.vector).real) for factor in factors]
            if all(sample is not None for sample in found):
                samples = np.array(found)
                out = np.zeros((len(samples), manifold.model.outputs.length))
                record = manifold.solution(samples, out=out)
                record.t = times
                return record
            largest *= 0.5
        raise PictureError(f"mode {mode.number} cannot be drawn: the joints do not close near the pose")

    @property
    def facts(self) -> dict[str, Any]:
        """The result as texts, numbers and tables of them."""

        def parts(values: Complex) -> dict[str, list[float]]:
            return {"real": values.real.tolist(), "imaginary": values.imag.tolist()}

        return {
            "mechanism": self.system.mechanism,
            "about": self.system.about,
            "states": list(self.system.states),
            "modes": [
                {
                    "number": m.number,
                    "kind": m.kind,
                    "eigenvalue": [m.eigenvalue.real, m.eigenvalue.imag],
                    "frequency": m.frequency,
                    "angular_frequency": m.angular_frequency,
                    "natural_frequency": m.natural_frequency,
                    "damping_ratio": m.damping_ratio,
                    "time_constant": m.time_constant,
                    "words": m.words,
                    "shape": {
                        name: {"displacement": parts(r), "rotation": parts(turn)} for name, (r, turn) in m.shape.items()
                    },
                }
                for m in self.modes
            ],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        head = f"{self.system.mechanism}: {counted(len(self), 'mode')} about {self.system.about}"
        lines = [head]
        if self.modes:
            title = ("mode", "Hz", "rad/s", "damping", "time const.", "kind", "shape")
            rows = [title, *(_row(mode) for mode in self.modes)]
            widths = [max(len(row[k]) for row in rows) for k in range(6)]
            for row in rows:
                cells = [cell.rjust(w) for cell, w in zip(row[:5], widths, strict=False)]
                lines.append("  ".join(["", *cells, row[5].ljust(widths[5]), row[6]]).rstrip())
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _picture(self) -> Any:
        return self.plot(1)


def _row(mode: Mode) -> tuple[str, ...]:
    real = mode.eigenvalue.imag == 0 and mode.kind != CRITICAL
    tau = f"{mode.time_constant:.4g} s" if np.isfinite(mode.time_constant) else "-"
    damping = "-" if real else f"{mode.damping_ratio:.4g}"
    oscillation = (f"{mode.frequency:.6g}", f"{mode.angular_frequency:.6g}") if mode.frequency else ("-", "-")
    return (str(mode.number), *oscillation, damping, tau, mode.kind, mode.words)


@or_file
@asked
def modes(
    mechanism: Given,
    about: Any = "equilibrium",
    *,
    t: float | None = None,
    coordinates: Any = None,
) -> Modes:
    """Eigenfrequencies, damping and mode shapes; `about`, `t` and `coordinates` as in `linearise`.

    A state at rest that is no equilibrium is refused; about a motion the modes are those of the moment.
    """
    system, parts = linearised(mechanism, about, t, (), None, coordinates)
    place = parts.place
    moving = place.manifold.reach(place.y[place.manifold.model.layout.v]) > 0
    if not place.at_rest and not moving and not isinstance(about, Solution):
        raise EquilibriumError(
            f"'{system.mechanism}' is not in equilibrium in {place.words}: {motion_words(place)} remains; use "
            "about='equilibrium', or about=run, t=... for modes along a motion"
        )
    seen = parts.shapes / place.manifold.pose.scales()[:, None]
    pairs = eigenpairs(parts.matrix, parts.mass, parts.freedoms, parts.error, parts.rate_error, parts.stiffness, seen)
    found = _told_apart([_mode(k + 1, pair, parts) for k, pair in enumerate(pairs)], parts)
    return Modes(system, found, (*system.notes, *_notes(found)), parts)


def _mode(number: int, pair: EigenPair, parts: Parts) -> Mode:
    """A mode with its largest displacement, the first of equals, 1 m; where bodies stand still, its largest state."""
    model, y = parts.place.manifold.model, parts.place.y
    vector = parts.shapes @ pair.vector
    scaled = vector / parts.place.manifold.pose.scales()
    k, state = largest(np.abs(scaled)), largest(np.abs(pair.vector))
    still = abs(scaled[k]) <= STILL * abs(pair.vector[state])
    factor = 1.0 / (pair.vector[state] if still else scaled[k])
    value = pair.value
    if value.imag and abs(value.real) <= LEAST_DAMPING * abs(value):
        value = complex(0.0, value.imag)
    vector = vector * (0.0 if still else factor)
    words = in_words(model, y, vector.real)
    if still:
        words = f"bodies stand still, {'.'.join(model.states[state - sum(parts.freedoms)])} changes"
    shape = by_body(model, y, vector)
    return Mode(number, _kind(pair, value), value, shape, parts.states @ pair.vector * factor, words, vector)


def _told_apart(modes: list[Mode], parts: Parts) -> tuple[Mode, ...]:
    """No two modes in the same words: alike ones by the shares of bodies, and then by how fast they are."""
    model, y = parts.place.manifold.model, parts.place.y

    def more(modes: list[Mode], words: Callable[[Mode], str]) -> list[Mode]:
        told: dict[str, dict[str, None]] = {}
        for mode in modes:
            told.setdefault(mode.words, {})[words(mode)] = None
        alike = {before for before, after in told.items() if len(after) > 1}
        return [replace(m, words=f"{m.words} ({words(m)})") if m.words in alike and words(m) else m for m in modes]

    modes = more(modes, lambda mode: shares(model, y, mode.vector.real))
    modes = more(modes, lambda mode: f"{mode.frequency:.4g} Hz" if mode.frequency else "")
    modes = more(modes, lambda mode: f"in {mode.time_constant:.4g} s" if np.isfinite(mode.time_constant) else "")
    return tuple(more(modes, lambda mode: f"mode {mode.number}"))


def _kind(pair: EigenPair, value: complex) -> str:
    if pair.zeros:
        return RIGID if pair.zeros == 2 else REST
    if pair.double:
        return CRITICAL if value.real < 0 else GROWTH
    if value.imag == 0:
        return DECAY if value.real < 0 else GROWTH
    if value.real == 0:
        return UNDAMPED
    return DAMPED if value.real < 0 else GROWING


def _notes(found: tuple[Mode, ...]) -> list[str]:
    def numbers(modes: list[Mode]) -> str:
        return ("mode " if len(modes) == 1 else "modes ") + ", ".join(str(mode.number) for mode in modes)

    notes = []
    if bad := [mode for mode in found if mode.unstable]:
        notes.append(f"unstable: {numbers(bad)} {'grows' if len(bad) == 1 else 'grow'}")
    if rigid := [mode for mode in found if mode.kind == RIGID]:
        notes.append(f"{numbers(rigid)}: free motion that nothing resists (zero eigenvalues, in pairs)")
    if slow := [mode for mode in found if mode.kind == DECAY]:
        notes.append(f"{numbers(slow)} {'decays' if len(slow) == 1 else 'decay'} without oscillation")
    if double := [mode for mode in found if mode.kind == CRITICAL]:
        notes.append(
            f"{numbers(double)}: two eigenvalues in one with a single shape (critical damping), so that motion goes "
            "like (1 + c t) exp(-t/T)"
        )
    return notes
