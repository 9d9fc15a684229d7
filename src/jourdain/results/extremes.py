"""Single numbers of a channel: its largest and smallest value with their times, and its spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..mechanism.equality import equal_by
from ..mechanism.errors import ResultsError
from ..mechanism.ties import largest

if TYPE_CHECKING:
    from .record import Record

Array = npt.NDArray[np.float64]

EVEN = 1e-6  # of the mean interval: samples that are as even as that are taken as they are


@dataclass(frozen=True)
class Extremum:
    """A value, when it was first reached, and its unit."""

    value: float
    t: float
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.value:.6g}{f' {self.unit}' if self.unit else ''} at t = {self.t:.6g} s"


@equal_by()
@dataclass(frozen=True)
class Spectrum:
    """Amplitudes of the waves that a channel consists of, one-sided; the first is its mean."""

    frequency: Array  # Hz
    amplitude: Array
    phase: Array  # rad, of a cosine at the first sample
    unit: str = ""

    def peak(self) -> float:
        """The frequency of the largest wave, Hz; the mean is none."""
        return float(self.frequency[1 + int(np.argmax(self.amplitude[1:]))])


def extremum(record: Record, channel: str, sign: float, unit: str | None = None) -> Extremum:
    """The largest (sign 1) or smallest (sign -1) sample."""
    values = np.asarray(record[channel] if unit is None else record[channel, unit], dtype=float)
    good = np.flatnonzero(np.isfinite(values))
    if not good.size:
        raise ResultsError(f"'{channel}' has no sample that is a number")
    k = int(good[largest(sign * values[good])])
    return Extremum(float(values[k]), float(record.t[k]), unit or record.quantity(channel).unit)


def spectrum(record: Record, channel: str) -> Spectrum:
    """By the Fourier transform of samples at equal intervals; others are interpolated onto such."""
    t, values = np.asarray(record.t, dtype=float), np.asarray(record[channel], dtype=float)
    if t.size < 4 or not np.all(np.isfinite(values)):
        raise ResultsError(f"the spectrum of '{channel}' needs at least four samples, all of them numbers")
    steps = np.diff(t)
    if np.any(steps <= 0.0):
        raise ResultsError(f"the spectrum of '{channel}' needs samples at rising times")
    if np.ptp(steps) > EVEN * steps.mean():
        even = np.linspace(t[0], t[-1], t.size)
        values, t = np.interp(even, t, values), even
    n = t.size
    waves = np.fft.rfft(values) / n
    waves[1 : (n + 1) // 2] *= 2.0
    interval = (t[-1] - t[0]) / (n - 1)
    return Spectrum(np.fft.rfftfreq(n, interval), np.abs(waves), np.angle(waves), record.quantity(channel).unit)
