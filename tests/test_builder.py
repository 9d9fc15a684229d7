"""What the builder keeps of components, events and parameters, and the faults of their names."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any

import pytest

import jourdain as jd
from fault_keys import assert_they_exist
from jourdain import library
from jourdain.library.mechanism_faults import part_faults
from jourdain.mechanism import checks
from jourdain.mechanism.parts import Blueprint, PortName
from library_cases import bench

Build = Callable[[jd.Mechanism], Any]
JOINTS = "known: A, B, S, ball"


def checked(build: Build) -> list[str]:
    m = bench(2)
    build(m)
    found = checks.faults(m.frozen())
    assert_they_exist(found, m.frozen())
    return [str(fault) for fault in found]


OF_PARTS: dict[str, tuple[Build, str]] = {
    "relation and joint": (
        lambda m: m.gear("A", joints=("A", "B"), ratio=1),
        "name 'A' is used 2 times (joint and relation); all parts share one namespace",
    ),
    "motion and parameter": (
        lambda m: m.motion("k", joint="A", angle=1),
        "name 'k' is used 2 times (motion and parameter); all parts share one namespace",
    ),
    "element and event": (
        lambda m: (m.first_order("x1", input=1, time_constant=1), m.event("x1", "t - 1")),
        "name 'x1' is used 2 times (element and event); all parts share one namespace",
    ),
    "parameter of a constant's name": (
        lambda m: m.parameter("pi", 3),
        "parameter name 'pi' means a constant in every formula; choose another",
    ),
    "reserved parameter": (
        lambda m: m.parameter("t", 3),
        "parameter name 't' is reserved (energy, ground, t, violation are)",
    ),
    "parameter twice": (lambda m: m.parameter("k", 3), "parameter 'k' is defined twice"),
    "parameter not finite": (
        lambda m: m.parameter("h", math.inf),
        "parameter 'h' is inf; expected finite numbers",
    ),
    "parameter no number": (lambda m: m.parameter("h", "high"), "parameter 'h' is 'high'; expected a number"),  # type: ignore[arg-type]
    "event sets nothing known": (
        lambda m: m.event("hit", "a.y", set={"kicc": 1}),
        "event 'hit': there is no parameter 'kicc'; known: k, kick (did you mean 'kick'?)",
    ),
    "event switches nothing known": (
        lambda m: m.event("hit", "a.y", off=["A2"]),
        f"event 'hit': there is no part 'A2' to switch off; {JOINTS} (did you mean 'A'?)",
    ),
    "event switches a body": (
        lambda m: m.event("hit", "a.y", on="a"),
        f"event 'hit': there is no part 'a' to switch on; {JOINTS} (did you mean 'A'?)",
    ),
    "event does nothing": (
        lambda m: m.event("hit", "a.y", record=False),
        "event 'hit' does nothing; expected stop, record, set, on, off or call",
    ),
    "event of no direction": (
        lambda m: m.event("hit", "a.y", direction="up"),
        "event 'hit': direction is 'up'; expected 'rising', 'falling' or 'both'",
    ),
    "event calls no function": (
        lambda m: m.event("hit", "a.y", call=3),
        "event 'hit': call is 3; expected a function",
    ),
    "nothing to switch off": (
        lambda m: m.switch_off("latch"),
        f"switched off: there is no part 'latch'; {JOINTS}",
    ),
    "points twice": (
        lambda m: m.rope("r", m["a"]["P"], m["b"]["P"], between=(m["a"]["P"], m["b"]["P"]), length=1, stiffness=1),
        "rope 'r': points are given twice, alone and as between; keep one",
    ),
    "pitch is no number": (
        lambda m: m.screw("W", m.ground["O"], m["b"]["P"], pitch="fine"),
        "joint 'W': pitch is 'fine'; expected a number",
    ),
    "inputs are no names": (
        lambda m: m.force("push", on=m["a"]["P"], vector=(0, 0), inputs=[3]),  # type: ignore[list-item]
        "force 'push': vector: inputs is [3]; expected names of channels like ['crank.angle']",
    ),
}


@pytest.mark.parametrize("case", OF_PARTS)
def test_faults_of_names_and_targets(case: str) -> None:
    build, sentence = OF_PARTS[case]
    assert checked(build) == [sentence]


class _AnyBody:
    """Stands for whatever body an example of the documentation speaks of."""

    name = "a"

    def __getitem__(self, point: str) -> PortName:
        return PortName("a", point)


EXAMPLES = sorted(
    (name, example)
    for name, method in inspect.getmembers(jd.Mechanism)
    for example in re.findall(r"`(?:k = )?(m\.[^`]+)`", getattr(method, "__doc__", None) or "")
)


def test_every_type_has_an_example() -> None:
    with_example = {name.replace("_", "-") for name, _ in EXAMPLES}
    with_method = {name for name in library.TYPES if hasattr(jd.Mechanism, name.replace("-", "_"))}
    assert with_method == set(library.TYPES) and with_method <= with_example


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_examples_of_the_builder_use_keys_that_exist(name: str, example: str) -> None:
    m = bench(2)
    bodies = dict.fromkeys(re.findall(r"(\w+)\[", example), _AnyBody()) | {"drone": m["a"], "crank": m["a"]}
    eval(example, {"m": m, "jd": jd, **bodies})
    words = ("unknown key", "is missing", "expected either", "does nothing")
    assert [s for s in part_faults(m.frozen()) if any(w in s for w in words)] == []


def test_what_the_builder_keeps() -> None:
    m = bench(2)
    assert m.parameter("h", 2) == "h"

    def shout(state: Any) -> None:
        """Nothing."""

    m.rope("r", m["a"]["P"], m["b"]["P"], length=[1], stiffness=1)
    m.event("hit", "a.y", direction="falling", set={"k": "2*h"}, on=["r"], off="A", call=shout, stop=True)
    m.switch_off("r")
    m.knife_edge("edge", m.ground["O"], m["b"]["P"])
    m.rolling_disc("roll", m.ground["O"], m["b"]["P"], radius=0.3)
    m.wheel("wheel", m.ground["O"], m["b"]["P"])
    m.screw("W", m.ground["O"], m["b"]["P"], pitch=0.1)
    m.screw("V", joints=("A", "S"), pitch=0.1)
    b: Blueprint = m.frozen()
    assert b.parameters == {"k": 40.0, "kick": 0.5, "h": 2.0}
    assert b.off == {"r"}
    (event,) = b.events
    assert (event.name, event.when, event.direction) == ("hit", "a.y", -1)
    assert [(a.kind, a.target, a.value) for a in event.actions] == [
        ("set", "k", "2*h"),
        ("on", "r", None),
        ("off", "A", None),
        ("call", "", shout),
        ("record", "", None),
        ("stop", "", None),
    ]
    types = {j.name: (j.type, dict(j.values)) for j in b.joints}
    assert types["edge"] == ("knife-edge", {})
    assert types["roll"] == ("rolling-disc", {"radius": 0.3})
    assert types["wheel"] == ("wheel", {})
    assert types["W"] == ("screw", {"pitch": 0.1})
    assert [(c.name, c.type) for c in b.relations] == [("V", "screw")]
    (rope,) = b.forces
    assert rope.values["length"] == (1,)  # type: ignore[union-attr]
    with pytest.raises(TypeError):
        rope.values["length"] = 2  # type: ignore[union-attr, index]
