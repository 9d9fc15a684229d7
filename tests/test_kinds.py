"""Kinds of joints and components: each stands in one place, and whatever is made from them knows all of them."""

from __future__ import annotations

import ast
import inspect
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import jourdain as jd
import library_cases
from jourdain.library import TYPES, lowered
from jourdain.library.joints import KINDS, JointKind, rows_of
from jourdain.library.joints.joint_kind import Draw
from jourdain.library.kinds import Kind
from jourdain.mechanism.parts import Joint, PortName
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_euler, matrix_from_quaternion

SOURCE = Path(jd.__file__).parent
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def texts_of(path: Path) -> set[str]:
    """The texts a module has in quotes."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.fixture(scope="module")
def speaking() -> dict[str, set[str]]:
    """Modules, pages and the texts they have in quotes."""
    # Kernels know joints by codes; where they say planar it is the space.
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if "kernels" not in path.parts]
    found = {path.relative_to(SOURCE).as_posix(): texts_of(path) for path in paths}
    for path in SOURCE.rglob("*.html"):
        found[path.relative_to(SOURCE).as_posix()] = set(path.read_text(encoding="utf-8").split('"'))
    return found


@every_kind
def test_a_kind_is_known_by_name_in_three_modules(kind: JointKind, speaking: dict[str, set[str]]) -> None:
    """Its own, the builder's, and one more (the relation of the same name, the space of the same name)."""
    know_it(kind.name, "joints", speaking)


# Names of components that are ordinary words too: of channels, keys, sections, events, symbols, choices and operations.
WORDS = {
    "force",
    "torque",
    "stop",
    "motion",
    "element",
    "gear",
    "rope",
    "equation",
    "spring",
    "coupling",
    "drag",
    "law",
}
# Show one of each, and know nothing of any: written by hand, and made from the library.
SAMPLES = {"derive/sample_parts.py", "mechanism/part_methods.py"}


@pytest.mark.parametrize(
    "kind", [kind for kind in TYPES.values() if kind.name not in WORDS], ids=lambda kind: kind.name
)
def test_a_component_is_known_by_name_in_three_modules(kind: Kind, speaking: dict[str, set[str]]) -> None:
    know_it(kind.name, kind.section, speaking)


def know_it(name: str, room: str, speaking: dict[str, set[str]]) -> None:
    saying = {module for module, texts in speaking.items() if name in texts and module not in SAMPLES}
    assert f"library/{room}/{name.replace('-', '_')}.py" in saying
    assert len(saying) <= 3, f"ask the kind instead: {sorted(saying)}"


@pytest.mark.parametrize("kind", TYPES.values(), ids=lambda kind: kind.name)
def test_a_component_has_a_file_of_its_own(kind: Kind) -> None:
    texts = (SOURCE / "library" / kind.section / f"{kind.name.replace('-', '_')}.py").read_text()
    assert f'Kind(\n    "{kind.name}",' in texts


@every_kind
def test_the_builder_says_what_the_kind_says(kind: JointKind) -> None:
    method = getattr(jd.Mechanism, kind.name.replace("-", "_"), None)
    if method is not None:
        words = (inspect.getdoc(method) or "").splitlines()[0]
        assert words.rstrip(".:").startswith(kind.summary.rstrip("."))


@every_kind
@pytest.mark.parametrize("dim", [2, 3])
def test_random_places_are_allowed(kind: JointKind, dim: int) -> None:
    """Rows vanish where the kind says its second port may be, whatever it is drawn as."""
    if kind.anywhere is None or kind.rows(dim) is None:
        return
    values = {key: 0.3 for key in kind.keys if key not in ("length", "equations")}
    joint = Joint(
        "J", kind.name, PortName("a", "P"), PortName("b", "P"), (), 0.3 if "length" in kind.keys else None, values
    )
    rng = np.random.default_rng(4)
    for _ in range(5):
        angle = rng.uniform(-3, 3)
        about, anyhow = matrix_from_angle(angle), matrix_from_angle(angle)
        if dim == 3:
            about, anyhow = matrix_from_euler("z", [angle]), matrix_from_quaternion(list(rng.normal(size=4)))
        d, turn = kind.anywhere(Draw(rng, rng.uniform(-1, 1, size=1 if dim == 2 else 3), about, anyhow), joint)
        vectors: dict[str, Any] = {"MN": d}
        vectors |= {f"{name}_i": axis for name, axis in zip("xyz", np.eye(dim), strict=False)}
        vectors |= {f"{name}_j": axis for name, axis in zip("xyz", turn.T, strict=False)}
        vectors |= {f"e_{name}": axis for name, axis in zip("xyz", np.eye(dim), strict=False)}
        table = rows_of(joint, dim)
        for row in table.equations:
            products = sum(c.value * vectors[a] @ vectors[b] for (a, b), c in row.products.items())
            assert abs(products + row.free.value) < 1e-14
        assert all(vectors[a] @ vectors[b] > 0 for a, b in table.signs)


def test_numbers_that_a_joint_does_not_have() -> None:
    m = jd.Mechanism("m")
    bar = m.body("bar", mass=1, inertia=1, position=(0, 0), points={"P": (0, 0)})
    m.joint("revolute", "A", m.ground.point("O", (0, 0)), bar["P"], values={"radius": 1.0})
    m.joint("point-on-circle", "B", m.ground.point("Q", (1, 0)), bar["P"], values={"pitch": 1.0})
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    assert "joint 'A': radius does nothing in a revolute joint; it has no numbers" in str(error.value)
    assert "joint 'B': pitch does nothing in a point-on-circle joint; it has radius" in str(error.value)


def test_what_does_nothing_in_a_joint_is_a_fault_of_its_key() -> None:
    m = jd.Mechanism("idle", space="spatial")
    a, b = (m.body(name, mass=1, inertia=(1, 1, 1), position=(0, 0, 0)) for name in "ab")
    m.joint("revolute", "A", bodies=(a, b), at=(0, 0, 0), axis=(0, 0, 1), length=2)
    m.joint("spherical", "B", bodies=(a, b), at=(0, 0, 0), equations="dot(MN, MN) - 1")
    m.joint("universal", "C", bodies=(a, b), at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(jd.MechanismError) as error:
        jd.check(m)
    assert {(fault.part, fault.key): fault.words for fault in error.value.faults} == {
        ("A", "length"): "joint 'A': length does nothing in a revolute joint; only a distance joint has one",
        ("B", "equations"): "joint 'B': equations do nothing in a spherical joint; use a custom joint",
        ("C", "axis"): "joint 'C': a universal joint has a pin on each body; give two points, each with its axis",
    }


@pytest.mark.parametrize("dim", [2, 3])
def test_kinds_say_what_all_their_channels_measure(dim: int) -> None:
    """But for elements that have whatever unit their inputs have."""
    blueprint, seen = library_cases.blueprint(dim), set()
    for component in blueprint.components:
        low, kind = lowered(component, blueprint), TYPES[component.type]
        own = {name for key in ("states", "outputs") if kind.name == "law" for name in component.values.get(key, ())}
        names = {*low.channels, *(name for name, _, _ in low.states)} - own
        assert names <= kind.measures.keys() or (kind.section == "elements" and not kind.measures), component.name
        seen |= {kind.name} if kind.measures else set()
    assert len(seen) > 15


@pytest.mark.parametrize("radius", [None, -0.5, 0.0, math.inf])
def test_a_circle_needs_a_radius(radius: float | None) -> None:
    m = jd.Mechanism("m")
    bead = m.body("bead", mass=1, inertia=1, position=(1, 0), points={"P": (0, 0)})
    m.joint(
        "point-on-circle",
        "A",
        m.ground.point("O", (0, 0)),
        bead["P"],
        values={} if radius is None else {"radius": radius},
    )
    with pytest.raises(jd.MechanismError, match=r"joint 'A': radius is .*; expected a positive number"):
        jd.check(m)


@pytest.mark.parametrize("coordinates", ["default", "relative"])
def test_a_bead_on_a_tilted_ring_is_a_pendulum(coordinates: str) -> None:
    """Tilted by b, weight along the ring is g cos(b): the period is 4 sqrt(R / (g cos b)) K(sin^2(a/2))."""
    g, R, tilt, start = 9.81, 0.7, 0.5, 2.0
    normal = np.array([0.0, math.cos(tilt), math.sin(tilt)])
    down = np.array([0.0, math.sin(tilt), -math.cos(tilt)])
    place = R * (math.cos(start) * down + math.sin(start) * np.array([1.0, 0.0, 0.0]))
    m = jd.Mechanism("ring", gravity=(0, 0, -g))
    bead = m.body("bead", mass=0.3, inertia=(0.1, 0.1, 0.1), position=place, points={"P": (0, 0, 0)})
    centre = m.ground.point("O", (0, 0, 0), axis=normal)
    m.joint("point-on-circle", "A", centre, bead["P"], values={"radius": R})
    period = 4 * math.sqrt(R / (g * math.cos(tilt))) * ellipk(math.sin(start / 2) ** 2)
    how = {} if coordinates == "default" else {"coordinates": coordinates}
    run = jd.simulate(m, period, every=period / 4, rtol=1e-11, atol=1e-11, **how)
    path = np.stack([run[f"bead.{c}"] for c in "xyz"], axis=1)
    lowest, other = R * down, R * (math.cos(start) * down - math.sin(start) * np.array([1.0, 0.0, 0.0]))
    # dop853 at 1e-11 over one period: errors add up to some hundred tolerances.
    np.testing.assert_allclose(path, [place, lowest, other, lowest, place], rtol=0, atol=1e-8)
    # At the bottom the ring bears the weight down the slope and m v^2 / R, v^2 = 2 g cos(b) R (1 - cos a).
    pull = 0.3 * g * math.cos(tilt) * (1 + 2 * (1 - math.cos(start)))
    force = np.array([run[f"A.f{c}"][1] for c in "xyz"])
    np.testing.assert_allclose(force @ down, -pull, rtol=1e-7)
    np.testing.assert_allclose(force @ normal, 0.3 * g * math.sin(tilt), rtol=1e-7)


def test_all_places_of_a_pin_on_a_circle_are_found() -> None:
    """A crank whose pin is on a round slot: circles of radii 0.5 and 0.7, 0.6 apart, meet in two points."""
    m = jd.Mechanism("two circles")
    crank = m.body("crank", mass=1, inertia=1, position=(0, 0), points={"A": (0, 0), "P": (0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), crank["A"])
    m.joint("point-on-circle", "B", m.ground.point("C", (0.6, 0)), crank["P"], values={"radius": 0.7})
    found = sorted(float(state["crank.angle"]) for state in jd.branches(m))
    x = (0.5**2 - 0.7**2 + 0.6**2) / (2 * 0.6)
    np.testing.assert_allclose(found, [-math.acos(x / 0.5), math.acos(x / 0.5)], atol=1e-9)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_circle_is_read_saved_and_drawn(dim: int, tmp_path: Path) -> None:
    inertia, place, out = ("1", "[0, 0]", "[0.7, 0]") if dim == 2 else ("[1, 1, 1]", "[0, 0, 0]", "[0.7, 0, 0]")
    text = (
        f"jourdain: 1\nspace: {'planar' if dim == 2 else 'spatial'}\nground: {{points: {{O: {place}}}}}\n"
        f"bodies: {{a: {{mass: 1, inertia: {inertia}, position: {out}, points: {{P: {place}}}}}}}\n"
        "joints: {J: {type: point-on-circle, between: [ground.O, a.P], radius: 70 cm}}\n"
    )
    (tmp_path / "ring.yaml").write_text(text)
    m = jd.load(tmp_path / "ring.yaml")
    assert dict(m.frozen().joint("J").values) == {"radius": 0.7}
    jd.save(m, tmp_path / "again.yaml")
    assert jd.load(tmp_path / "again.yaml").frozen().joint("J") == m.frozen().joint("J")
    run = jd.simulate(m, 0.1)
    run.draw(path=tmp_path / "ring.png")
    run.animate(tmp_path / "ring.html")
    assert '"symbol":"touch"' in (tmp_path / "ring.html").read_text()


# A force element in one file: attraction -----------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [2, 3])
def test_two_bodies_that_attract_each_other_move_on_ellipses(dim: int) -> None:
    """Kepler: relative motion with reduced mass mu, period 2 pi sqrt(mu a^3 / k), half of it to the far end."""
    k, a, e, m1, m2 = 3.0, 0.8, 0.4, 1.5, 0.5
    mu = m1 * m2 / (m1 + m2)
    fast = math.sqrt(k / mu * (1 + e) / (a * (1 - e)))
    x, y = np.eye(dim)[0], np.eye(dim)[1]
    inertia: Any = 0.1 if dim == 2 else (0.1, 0.1, 0.1)
    m = jd.Mechanism("two bodies", gravity=(0,) * dim)
    one, two = (
        m.body(
            name, mass=own, inertia=inertia, position=s * a * (1 - e) * x, velocity=s * fast * y, points={"O": 0 * x}
        )
        for name, own, s in (("one", m1, m2 / (m1 + m2)), ("two", m2, -m1 / (m1 + m2)))
    )
    m.component("forces", "attraction", "pull", one["O"], two["O"], strength=k)
    period = 2 * math.pi * math.sqrt(mu * a**3 / k)
    run = jd.simulate(m, period, every=period / 2, rtol=1e-11, atol=1e-11)
    apart = np.stack([run[f"one.{c}"] - run[f"two.{c}"] for c in "xyz"[:dim]], axis=1)
    # dop853 at 1e-11 over one period: errors add up to some hundred tolerances.
    np.testing.assert_allclose(apart, np.outer([1 - e, -1 - e, 1 - e], a * x), rtol=0, atol=1e-8)
    np.testing.assert_allclose(run["pull.force"], k / np.array([1 - e, 1 + e, 1 - e]) ** 2 / a**2, rtol=1e-7)
    # The vis-viva equation: kinetic and potential energy are -k / 2 a together, at any place.
    np.testing.assert_allclose(run.energy.kinetic + run.energy.potential, -k / (2 * a), rtol=1e-9)


def test_a_section_that_does_not_exist() -> None:
    m = jd.Mechanism("m")
    bar = m.body("bar", mass=1, inertia=1, points={"P": (0, 0)})
    m.component("loads", "attraction", "pull", m.ground.point("O", (1, 0)), bar["P"], strength=1)
    with pytest.raises(jd.MechanismError, match="attraction 'pull': section is 'loads'; expected relations, motions"):
        jd.check(m)
