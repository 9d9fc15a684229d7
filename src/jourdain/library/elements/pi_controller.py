"""PI controller with limits."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import apply
from ...equations.lowered import Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from ..kinds import ELEMENTS, Key, Kind, optional
from ..values import Values


def _controller_check(values: Values) -> Iterator[Fault]:
    if not values.has("limits"):
        if values.has("tracking_time"):
            yield values.fault("tracking_time", "tracking_time does nothing without limits")
        return
    low, high = (values.at_start(f) for f in values.numbers("limits"))
    if low >= high:
        yield values.fault("limits", f"limits are ({low}, {high}); expected the lower one first")
    if values.start_of("integral") > 0 and values.start_of("proportional") == 0 and not values.has("tracking_time"):
        words = "tracking_time is missing; a controller with limits and no proportional part has no time of its own"
        yield values.fault("tracking_time", words)


def _controller(values: Values) -> Lowered:
    """u = Kp e + I, I' = Ki e; with limits the integral is drawn back by the part of u that was cut off.

    Back-calculation with tracking time Tt, by default the integral time Kp / Ki (Astrom and Hagglund, Advanced PID
    Control, 2006, section 3.5): I' = Ki e + (sat(u) - u) / Tt.
    """
    error = values.formula("target") - values.formula("measured")
    kp, ki, stored = values.number("proportional"), values.number("integral"), values.own("sum")
    output = kp * error + stored
    rate = ki * error
    if values.has("limits"):
        low, high = values.numbers("limits")
        wanted = output
        output = apply("min", apply("max", wanted, low), high)
        if values.start_of("integral") > 0:
            tracking = values.number("tracking_time") if values.has("tracking_time") else kp / ki
            rate = rate + (output - wanted) / tracking
    channels = {"error": error, "output": output}
    return Lowered(states=(("sum", values.start_of("start"), rate),), channels=channels)


PI_CONTROLLER = Kind(
    "pi-controller",
    {
        "target": Key(k.FORMULA),
        "measured": Key(k.FORMULA),
        "proportional": Key(k.NOT_NEGATIVE),
        "integral": optional(k.NOT_NEGATIVE, 0.0, unit="1/s"),
        "limits": optional(k.NUMBER, size=2, help="least and greatest output"),
        "tracking_time": optional(k.POSITIVE, unit="s", help="how fast the integral follows a cut-off output"),
        "start": optional(k.NUMBER, 0.0, help="integral part of the output at the start"),
    },
    _controller,
    "output = proportional * error + integral of integral * error, within limits",
    ELEMENTS,
    _controller_check,
    example='m.pi_controller("hold", target=1, measured="A.angle", proportional=20, integral=5)',
)
