"""A table of extremes: the largest and smallest value of channels, where, and their mean and root mean square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..mechanism.equality import equal_by
from ..mechanism.errors import ResultsError
from ..mechanism.ties import largest
from .table_files import chosen

if TYPE_CHECKING:
    from .record import Record

Array = npt.NDArray[np.float64]

EFFORTS = ("torque", "force", "power")
DUST = 1e-12  # smaller numbers are rounding, in the units of the channel and of its peak
SAME = 1e-9  # of the peak: an extreme is where it is first reached but for that


@dataclass(frozen=True)
class Extreme:
    """One channel: extremes of its samples and where they are first (`against`), mean and RMS over time."""

    channel: str
    unit: str
    largest: float
    largest_at: float
    smallest: float
    smallest_at: float
    mean: float
    rms: float

    @property
    def peak(self) -> float:
        """The largest absolute value."""
        return max(abs(self.largest), abs(self.smallest))


@equal_by()
@dataclass(frozen=True)
class Maxima:
    """Extremes by channel. `against` says by what places are told: a driver or time."""

    rows: tuple[Extreme, ...]
    against: str
    unit: str

    def __getitem__(self, channel: str) -> Extreme:
        for row in self.rows:
            if row.channel == channel:
                return row
        raise KeyError(f"no channel '{channel}' in this table; it has {', '.join(r.channel for r in self.rows)}")

    def as_dicts(self) -> list[dict[str, Any]]:
        """For programs: a dict for each channel."""
        return [{**vars(row), "peak": row.peak} for row in self.rows]

    def __str__(self) -> str:
        """Angles are shown in degrees."""
        factor, unit = (180 / np.pi, "deg") if self.unit == "rad" else (1.0, self.unit)
        at = f"at {self.against} ({unit})"
        head = ("channel", "unit", "largest", at, "smallest", at, "mean", "RMS")
        lines = [head]
        for r in self.rows:
            dust = max(DUST, DUST * r.peak)
            largest, smallest, mean, rms = (_shown(x, dust) for x in (r.largest, r.smallest, r.mean, r.rms))
            numbers = (largest, _shown(r.largest_at * factor), smallest, _shown(r.smallest_at * factor), mean, rms)
            lines.append((r.channel, r.unit, *numbers))
        widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
        return "\n".join(
            "  ".join(c.ljust(w) if k < 2 else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths, strict=True)))
            for line in lines
        )


def _shown(value: float, dust: float = DUST) -> str:
    """Rounding errors are shown as zero."""
    return f"{0.0 if abs(value) < dust else value:.5g}"


def maxima(record: Record, names: Sequence[str], against: str) -> Maxima:
    """Extremes of channels; by default efforts and powers of motions, loads of joints, and what shakes the ground."""
    channels = chosen(record, list(names)) if names else _usual(record)
    places = record[against]
    rows = []
    for name in channels:
        values = np.asarray(record[name], dtype=float)
        good = np.isfinite(values)
        if not np.any(good):
            continue
        top, bottom = float(np.max(values[good])), float(np.min(values[good]))
        same = max(DUST, SAME * max(abs(top), abs(bottom)))
        high, low = (int(np.flatnonzero(good)[largest(sign * values[good], 0.0, same)]) for sign in (1.0, -1.0))
        mean, square = _mean(record.t, values, good), _mean(record.t, values**2, good)
        ends = (top, float(places[high]), bottom, float(places[low]))
        rows.append(Extreme(name, record.quantity(name).unit, *ends, mean, float(np.sqrt(square))))
    return Maxima(tuple(rows), against, record.quantity(against).unit)


def _mean(t: Array, values: Array, good: npt.NDArray[np.bool_]) -> float:
    """Over time, by the trapezoidal rule: exact to rounding for smooth cycles with samples all round."""
    t, values = t[good], values[good]
    return float(np.trapezoid(values, t) / (t[-1] - t[0])) if t.size > 1 and t[-1] > t[0] else float(values[0])


def _usual(record: Record) -> list[str]:
    known = record.channels
    try:
        motions = {motion.name for motion in record.blueprint.motions}
    except ResultsError:  # a table alone does not say what drives
        motions = set()
    found = [name for name in known if name.rpartition(".")[0] in motions and name.rpartition(".")[2] in EFFORTS]
    found += [name for name in known if name.endswith(".load")]
    return found + [name for name in known if name in ("shaking.force", "shaking.mz", "shaking.moment")]
