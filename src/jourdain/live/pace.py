"""The clock of a live machine: how many whole steps a frame takes, and what speed that is.

    t_target += speed * min(dt_wall, 0.1);  whole fixed steps up to there

Steps that would cost more than 70 % of a frame are not taken: the machine slows down, and says so; a step is never made
longer.
"""

from __future__ import annotations

from collections import deque

LONGEST = 0.1  # s of the clock that a frame makes up for
SHARE = 0.7  # of a frame that may be spent on steps
REMEMBERED = 60  # frames over which the actual speed is measured
SLOW, AGAIN = 0.95, 0.98  # of the target, below which it is told, and above which it keeps pace again
SOON = 15  # frames that say nothing yet


class Pace:
    """Targets and what became of them."""

    def __init__(self, speed: float, frame: float) -> None:
        self.frame, self._speed = frame, speed
        self._last: float | None = None
        self._owed = 0.0  # s of the machine
        self._cost = 0.0  # s of the clock that a step takes
        self._done: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)
        self.held_back = self.slow = False

    @property
    def speed(self) -> float:
        """Seconds of the machine in a second of the clock, as asked for."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._speed = value
        self._done.clear()

    def begin(self, now: float) -> None:
        """From here on time counts."""
        self._last, self._owed = now, 0.0
        self._done.clear()

    def steps(self, now: float, h: float) -> int:
        """How many steps of h are due."""
        dt = min(now - self._last, LONGEST) if self._last is not None else 0.0
        self._last = now
        self._owed += self.speed * max(dt, 0.0)
        due = int(self._owed / h + 1e-6)
        most = max(1, int(SHARE * self.frame / self._cost)) if self._cost > 0 else due
        self.held_back = due > most
        taken = min(due, most)
        self._owed = 0.0 if self.held_back else max(0.0, self._owed - taken * h)
        self._done.append((dt, taken * h))
        if len(self._done) > SOON:
            part = self.actual / self.speed
            self.slow = part < AGAIN if self.slow else self.held_back and part < SLOW
        return taken

    def spent(self, steps: int, seconds: float) -> None:
        """What steps cost; the first ones may have loaded something."""
        if steps:
            each = seconds / steps
            self._cost = each if self._cost == 0 else 0.8 * self._cost + 0.2 * min(each, 10 * self._cost)

    @property
    def actual(self) -> float:
        """Seconds of the machine in a second of the clock."""
        done = tuple(self._done)  # which another thread may go on with
        wall = sum(dt for dt, _ in done)
        return sum(t for _, t in done) / wall if wall > 0 else 0.0
