"""A mechanism solved as the options say."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

from ..mechanism.builder import Mechanism
from ..results.solution import Solution
from ..results.status import SimulationWarning
from .codes import UsageError
from .sources import seconds

CHOICES = ("recipe", "coordinates", "treatment", "stabilisation", "integrator")
FRAME = 1 / 60  # s: samples that an animation needs, at true speed


def with_defaults(arguments: Any, known: dict[str, Any]) -> Any:
    """Arguments completed by those that a study gave; what is said again on the command line counts."""
    for name, value in known.items():
        if getattr(arguments, name, None) is None:
            setattr(arguments, name, str(value) if name in ("duration", "every", "step") else value)
    return arguments


def options_of(arguments: Any, m: Mechanism, film_speed: float | None = None) -> dict[str, Any]:
    """The arguments of `simulate`. With `film_speed`, samples come often enough for an animation at that speed."""
    found: dict[str, Any] = {name: getattr(arguments, name) for name in CHOICES}
    found |= {"rtol": arguments.rtol, "atol": arguments.atol}
    found |= {name: seconds(f"--{name}", getattr(arguments, name)) for name in ("duration", "every", "step")}
    duration = found["duration"] if found["duration"] is not None else m.defaults.get("duration")
    if duration is None:
        raise UsageError("how long? the file has no 'simulate: {duration: ...}'; give --duration 5")
    found["duration"] = duration
    found |= _of_systems(arguments, m)
    if (
        film_speed is not None
        and isinstance(m, Mechanism)
        and found["every"] is None
        and m.defaults.get("every") is None
    ):
        found["every"] = min(duration / 200, FRAME * film_speed)
    return found


def _of_systems(arguments: Any, m: Mechanism) -> dict[str, Any]:
    """How subsystems are coupled, which only a file with subsystems has a use for."""
    coupling, macro = getattr(arguments, "coupling", None), getattr(arguments, "macro_step", None)
    if isinstance(m, Mechanism):
        if coupling is not None or macro is not None:
            raise UsageError("--coupling and --macro-step are for files with subsystems")
        return {}
    return {"coupling": coupling, "macro_step": macro if macro == "auto" else seconds("--macro-step", macro)}


def run_of(m: Mechanism, options: dict[str, Any], quiet: bool = False) -> Solution:
    """Run; the warning of a run that stops early is left out, because its status is printed."""
    from ..analysis.simulate import simulate

    with warnings.catch_warnings(), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore", SimulationWarning)
        if quiet:
            import io

            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        return simulate(m, **options, progress=False if quiet else None)


def start_alone(m: Mechanism, options: dict[str, Any], quiet: bool = False) -> Solution:
    """The start alone: names of channels and points can be checked before a long run."""
    chosen = {key: value for key, value in options.items() if key not in ("duration", "every")}
    return run_of(m, {**chosen, "times": [0.0]}, quiet)
