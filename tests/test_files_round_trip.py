"""Writing a mechanism and reading it back gives the same one."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import jourdain as jd
import machines
from jourdain import library
from jourdain.files import dumps, load, save
from library_cases import add_all, bench
from random_mechanisms import random_mechanism

# Angles of ports are stored as directions: writing one as an angle and taking its cosine again rounds.
ROUNDING = 4e-16


def plain(value: Any) -> Any:
    """Nested tuples of numbers and texts, for comparison number by number."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.compare}
    if hasattr(value, "items"):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def same(a: Any, b: Any, where: str = "") -> None:
    """Equal, numbers up to the rounding of a cosine."""
    if isinstance(a, dict):
        assert isinstance(b, dict) and list(a) == list(b), where
        for key in a:
            same(a[key], b[key], f"{where}.{key}")
    elif isinstance(a, list):
        assert isinstance(b, list) and len(a) == len(b), where
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{where}[{k}]")
    elif isinstance(a, float):
        assert isinstance(b, float) and abs(a - b) <= ROUNDING * max(1.0, abs(a)), f"{where}: {a!r} and {b!r}"
    else:
        assert a == b, f"{where}: {a!r} and {b!r}"


def round_trip(m: jd.Mechanism, form: str = "yaml") -> jd.Mechanism:
    text = dumps(m, form)
    again = load(text)
    same(_sorted(plain(m.frozen())), _sorted(plain(again.frozen())))
    return again


def _sorted(tree: Any) -> Any:
    """Keys of components in one order: a file may write them in another."""
    for section in ("relations", "motions", "elements", "forces"):
        for part in tree[section]:
            if "values" in part:
                part["values"] = {key: part["values"][key] for key in sorted(part["values"])}
    return tree


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("seed", range(12))
def test_random_mechanisms(seed: int, space: str, form: str) -> None:
    round_trip(random_mechanism(seed, space), form)


@pytest.mark.parametrize("dim", [2, 3])
def test_every_type_of_component_can_be_written_and_read(dim: int) -> None:
    m = bench(dim)
    add_all(m, dim)
    a, b = m["a"], m["b"]
    m.spring_damper("plain", a["P"], b["Q"], stiffness=10, damping=1, length=0.3)
    m.spring_damper("with_parameter", a["P"], b["Q"], stiffness="2*k")
    m.force("push", on=a["P"], vector=["k*sin(t)", 1, 2][:dim])
    m.torque("twist", on=a, torque="kick*t" if dim == 2 else (1, "kick", 3))
    m.event("hit", "a.y - 0.1", direction="falling", set={"k": "2*k"}, off=["rope"], on=["cubic"], stop=True)
    m.event("quiet", "b.x", record=False, stop=True)
    m.switch_off("cubic")
    again = round_trip(m)
    blueprint = again.frozen()
    types = {part.type for part in blueprint.components} | {"force", "torque"}
    assert types == set(library.TYPES)


def test_rolling_and_thread_joints_and_starts() -> None:
    m = jd.Mechanism("rolling", gravity=(0, 0, -9.81))
    points = {"C": {"at": (0, 0, 0), "axis": (0, 0, 1)}, "S": (0, 0.1, 0)}
    look = {"colour": "#ff0000", "traces": ["S"], "shapes": [{"sphere": 0.05, "at": (0, 0.1, 0)}]}
    pose = {"position": (0, 0, 0.3), "bryan": (0.1, 0.2, 0.3)}
    disc = m.body("disc", mass=1, shape={"disc": (0.3, 0.02)}, points=points, look=look, **pose)
    nut = m.body("nut", density=7800, shape={"cylinder": (0.1, 0.2), "axis": (0, 1, 1)}, points={"C": (0, 0, 0)})
    floor = m.ground.point("floor", (0, 0, 0))
    m.rolling_disc("roll", floor, disc["C"], radius=0.3)
    m.screw("thread", floor, nut["C"], pitch=0.002, initial={"angle": 0.3, "speed": 2})
    m.description = "A disc and a nut.\n\nTwo paragraphs: one, two."
    m.defaults = {"duration": 2.0, "recipe": "stanescu"}
    again = round_trip(m)
    assert again.frozen().joint("thread").initial == {"angle": 0.3, "speed": 2.0}
    assert again.description == m.description
    assert again.defaults == {"duration": 2.0, "recipe": "stanescu"}


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_texts_that_look_like_something_else_stay_texts(form: str) -> None:
    for name in ("1e3", "no", "true", "null", "12", "a: b", "- x", "#c", "é ∂"):
        m = machines.pendulum_bar()
        m.name = name
        assert load(dumps(m, form)).name == name


def test_save_writes_what_the_name_says(tmp_path: Path) -> None:
    m = machines.four_bar()
    assert (save(m, tmp_path / "a.json")).read_text().startswith("{\n")
    assert (save(m, tmp_path / "a.yaml")).read_text().startswith("jourdain: 1\n")
    same(plain(load(tmp_path / "a.json").frozen()), plain(load(tmp_path / "a.yaml").frozen()))
    with pytest.raises(jd.JourdainError, match=r"missing.a\.yaml cannot be written: No such file or directory"):
        save(m, tmp_path / "missing" / "a.yaml")


def test_what_only_python_has_is_refused_by_name() -> None:
    m = bench(2)
    a = m["a"]
    m.force("push", on=a["P"], vector=[lambda t: t, 0])
    m.actuator("drive", joint="A", motor=lambda t: t)
    m.event("hit", "t - 1", call=lambda state: None)
    m.element("own", states={"y": 0}, rates=lambda s, u: (1,))
    with pytest.raises(jd.MechanismError) as error:
        dumps(m)
    assert tuple(map(str, error.value.faults)) == (
        "element 'own': rates is a Python function, which a file cannot hold; write it as a formula",
        "force 'push': vector is a Python function, which a file cannot hold; write it as a formula",
        "actuator 'drive': motor is a Python function, which a file cannot hold; write it as a formula",
        "event 'hit': call is a Python function, which a file cannot hold",
    )


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_accelerations_are_the_same(space: str) -> None:
    m = random_mechanism(3, space)
    again = load(dumps(m))
    a, b = (jd.simulate(x, times=[0.0]) for x in (m, again))
    for name in ("b0", "b4"):
        for channel in ("ax", "ay"):
            first, second = a[f"{name}.{channel}"][0], b[f"{name}.{channel}"][0]
            assert abs(first - second) <= 1e-12 * max(1.0, abs(first))
