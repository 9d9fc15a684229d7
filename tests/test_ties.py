"""What is ordered, chosen or named does not change with the last bit of a computed number.

Rounding is played by hand: numbers that are equal by symmetry are moved apart by some 1e-14, and bases that LAPACK may
return in any mixture are turned at random. Everything shown must stay as it is.
"""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

import jourdain as jd
from jourdain.analysis.assemble import _Bench
from jourdain.analysis.check import _largest
from jourdain.analysis.compare import Comparison, Way
from jourdain.analysis.equilibrium.eigen import eigenpairs
from jourdain.analysis.inverse_dynamics import _internal
from jourdain.analysis.statics import _settled
from jourdain.assembly.prepare import prepare
from jourdain.assembly.redundancy import _self_stress, redundant_rows
from jourdain.assembly.search import nearest_first, solutions
from jourdain.choices import DEFAULT_COORDINATES
from jourdain.engine.pose import Pose, null_space
from jourdain.mechanism import ties
from jourdain.mechanism.builder import blueprint_of
from jourdain.mechanism.rotations import matrix_from_euler, perpendicular, quaternion_from_matrix
from jourdain.model.compile import compile_mechanism
from jourdain.plotting import forms
from jourdain.results.maxima import maxima

SEEDS = range(12)
ROUNDING = 1e-14
G = 9.81


def rounded(values, seed: int):
    """Numbers as another processor might have found them."""
    values = np.asarray(values, dtype=float)
    return values * (1 + ROUNDING * np.random.default_rng(seed).uniform(-1, 1, size=values.shape))


def mixed(count: int, seed: int):
    """An orthogonal matrix."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(count, count)))[0]


# The helpers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_of_equals_is_taken(seed: int) -> None:
    assert ties.largest(rounded([1.0, 3.0, 3.0, 2.0, 3.0], seed)) == 1
    assert ties.smallest(rounded([2.0, -3.0, 1.0, -3.0], seed)) == 1
    assert ties.smallest([1e-17, 0.0, 1.0], floor=1e-12) == 0
    keys = dict(zip("abcd", rounded([2.0, 1.0, 2.0, 1.0], seed), strict=True))
    assert ties.ordered("abcd", keys.__getitem__) == [*"bdac"]


def test_what_is_not_finite_is_the_largest() -> None:
    assert ties.largest([1.0, np.inf, np.inf]) == 1
    assert ties.largest([1.0, np.nan, 2.0]) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_half_a_turn_is_positive(seed: int) -> None:
    assert ties.within_half_turn(rounded(-np.pi, seed).item()) == pytest.approx(np.pi)
    assert ties.within_half_turn(rounded(3 * np.pi, seed).item()) == pytest.approx(np.pi)
    assert ties.within_half_turn(-3.0) == -3.0


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_could_be_chosen_equally_well_are_chosen_as_declared(seed: int) -> None:
    rows = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 2.0], [0, 0, 2.0]])
    assert ties.independent(rounded(rows, seed), 3) == [4, 0, 2]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("complex_too", [False, True])
def test_a_space_has_one_basis(seed: int, complex_too: bool) -> None:
    rng = np.random.default_rng(5)
    space = rng.normal(size=(6, 3)) + (1j * rng.normal(size=(6, 3)) if complex_too else 0)
    space = np.linalg.qr(np.vstack([space, space[::-1]]))[0]  # rows that are equal in pairs
    turned = ties.settled(space @ mixed(3, seed))
    assert np.allclose(turned, ties.settled(space), atol=1e-12)
    assert np.allclose(turned.conj().T @ turned, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_null_space_has_one_basis(seed: int) -> None:
    A = np.array([[1.0, 1, 0, 0, 0, 0], [0, 0, 1, -1, 0, 0]])
    assert np.allclose(null_space(rounded(mixed(2, seed) @ A, seed)), null_space(A), atol=1e-12)


# Modes ----------------------------------------------------------------------------------------------------------------


def shapes(A, mass, seen, freedoms) -> list[tuple[complex, np.ndarray]]:
    found = eigenpairs(A, mass, freedoms, 1e-13, 0.0, 1.0, seen)
    moved = [seen @ pair.vector for pair in found]
    return [(p.value, x / x[ties.largest(np.abs(x))]) for p, x in zip(found, moved, strict=True)]


def assert_same(found, expected) -> None:
    assert len(found) == len(expected)
    for (value, shape), (other, wanted) in zip(found, expected, strict=True):
        assert value == pytest.approx(other, abs=1e-10)
        assert np.allclose(shape, wanted, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_grows_comes_before_what_decays(seed: int) -> None:
    """Two freedoms that fall and one that swings, all of one size, with spins that keep the problem from symmetry."""
    noise = ROUNDING * np.random.default_rng(seed).normal(size=(6, 6))
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [np.diag([4.0, -4.0, 4.0]), 1e-9 * np.ones((3, 3))]]) + noise
    found = eigenpairs(A, np.eye(3), (3, 3), 1e-9, 0.0, 1.0, np.eye(3, 6))
    assert [pair.value for pair in found] == pytest.approx([2, 2, 2j, -2, -2], abs=1e-7)
    assert [int(np.argmax(np.abs(pair.vector[:3]))) for pair in found] == [0, 2, 1, 0, 2]


@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("seed", SEEDS)
def test_equal_modes_come_in_declared_order_whatever_the_basis(seed: int, damping: float) -> None:
    """Three equal oscillators and a faster one, seen through a basis of coordinates turned at random."""
    Q = mixed(4, seed)
    K = Q.T @ np.diag([9.0, 4.0, 4.0, 4.0]) @ Q
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-K, -damping * np.eye(4)]])
    w = [complex(-damping / 2, np.sqrt(k - damping**2 / 4)) for k in (4.0, 9.0)]
    expected = [(w[0], np.eye(4)[k]) for k in (1, 2, 3)] + [(w[1], np.eye(4)[0])]
    assert_same(shapes(A, np.eye(4), np.hstack([Q, np.zeros((4, 4))]), (4, 4)), expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_free_motions_of_a_body_come_one_by_one(seed: int) -> None:
    Q = mixed(3, seed)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [np.zeros((3, 6))]])
    expected = [(0.0, row) for row in np.eye(3)]
    assert_same(shapes(A, np.eye(3), np.hstack([Q, np.zeros((3, 3))]), (3, 3)), expected)


def test_two_equal_pendulums_swing_one_by_one() -> None:
    m = jd.Mechanism("two pendulums", gravity=(0, -G))
    for name, x in (("left", 0.0), ("right", 1.0)):
        rod = m.body(name, mass=1, inertia=1 / 12, position=(x, -0.5), points={"top": (0, 0.5)})
        m.revolute(f"J_{name}", m.ground.point(name, (x, 0)), rod["top"])
    found = jd.modes(m)
    assert found[1].frequency == found[2].frequency
    assert [mode.words.partition(" ")[0] for mode in found] == ["left", "right"]
    assert np.max(np.abs(found[1].shape["right"][0])) < 1e-9


def test_a_ball_on_a_thread_swings_along_x_then_y() -> None:
    m = jd.Mechanism("ball", gravity=(0, 0, -G))
    ball = m.body("ball", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1), points={"top": (0, 0, 1)})
    m.spherical("S", m.ground.point("O", (0, 0, 0)), ball["top"])
    found = [mode for mode in jd.modes(m) if mode.frequency]
    assert np.abs(found[0].shape["ball"][0]) == pytest.approx([1, 0, 0], abs=1e-9)
    assert np.abs(found[1].shape["ball"][0]) == pytest.approx([0, 1, 0], abs=1e-9)


# Statics --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_softest_direction_has_one_sign_and_one_mixture(seed: int) -> None:
    values, scales = rounded([2.0, 2.0, 5.0], seed), np.ones(4)
    vectors = np.linalg.qr(np.random.default_rng(3).normal(size=(4, 3)))[0]
    Q = np.eye(3)
    Q[:2, :2] = mixed(2, seed)
    Q[2, 2] = (-1.0) ** seed
    same = _settled(vectors, np.array([2.0, 2.0, 5.0]), 0.0, scales)
    assert np.allclose(_settled(vectors @ Q, values, 0.0, scales), same, atol=1e-12)


def test_what_stands_upright_falls_to_the_positive_side() -> None:
    m = jd.Mechanism("upright", gravity=(0, -G))
    rod = m.body("rod", mass=1, inertia=1 / 12, position=(0, 0.5), points={"foot": (0, -0.5)})
    m.revolute("J", m.ground.point("O", (0, 0)), rod["foot"])
    assert jd.statics(m).direction == "rod turns and moves"
    assert jd.statics(m, seek="stable")["rod.angle"] == pytest.approx(np.pi)


# Redundancy -----------------------------------------------------------------------------------------------------------


def door() -> jd.Mechanism:
    """On three equal hinges: ten equations of fifteen depend on the others."""
    m = jd.Mechanism("door", gravity=(0, 0, -G))
    points = {f"h{k}": {"at": (-0.4, 0, z), "axis": (0, 0, 1)} for k, z in enumerate((-0.8, 0.0, 0.8))}
    leaf = m.body("leaf", mass=20, inertia=(4, 6, 2), position=(0.4, 0, 0), points=points)
    for k, z in enumerate((-0.8, 0.0, 0.8)):
        m.revolute(f"H{k}", m.ground.point(f"g{k}", (0, 0, z), axis=(0, 0, 1)), leaf[f"h{k}"])
    return m


def test_the_same_redundant_equations_are_named_on_every_processor() -> None:
    blueprint = blueprint_of(door())
    coordinates = DEFAULT_COORDINATES["spatial"]
    prepared = prepare(blueprint, coordinates)
    whole = compile_mechanism(blueprint, coordinates)
    J = Pose(whole).scaled_jacobian(0.0, prepared.assembly.y)
    named = [whole.rows.index(row) for row in prepared.redundancy.dropped]
    stress = _self_stress(None, J, 10)
    for seed in SEEDS:
        other = rounded(J, seed) + 1e-16 * np.random.default_rng(seed).normal(size=J.shape)
        assert redundant_rows(whole, other, prepared.redundancy.rank) == named
        assert np.allclose(_self_stress(None, other, 10), stress, atol=1e-10)


def test_names_of_equal_weight_stay_in_declared_order() -> None:
    assert _largest({"b": 1.0, "a": 1.0 + 1e-15, "c": 2.0}) == ("c", "b", "a")


# Assembly -------------------------------------------------------------------------------------------------------------


def test_mirror_images_come_in_one_order() -> None:
    m = jd.Mechanism("arm")
    m.ground.point("O", (0, 0))
    upper = m.body("upper", mass=1, inertia=0.1, position=(0.5, 0), points={"a": (-0.5, 0), "b": (0.5, 0)})
    lower = m.body("lower", mass=1, inertia=0.1, position=(1.5, 0), points={"a": (-0.5, 0), "b": (0.5, 0)})
    m.revolute("A", m.ground["O"], upper["a"])
    m.revolute("B", upper["b"], lower["a"])
    bench = _Bench(blueprint_of(m), {"lower.b.x": 1.0, "lower.b.y": 0.0}, None, None, 0.0)
    found = solutions(bench.problem, bench.drawn)[0]
    assert len(found) == 2
    orders = [nearest_first(bench.problem, [found[k] for k in order], bench.drawn) for order in permutations(range(2))]
    assert np.array_equal(orders[0], orders[1])
    assert orders[0][0][2] > 0  # the elbow that is farther up, both being as far right


# Numbers, attitudes, pictures -----------------------------------------------------------------------------------------


class Table(dict):
    """As much of a record as a table of extremes needs."""

    channels = ("flat", "wave")

    def __init__(self, seed: int) -> None:
        self.t = np.linspace(0.0, 4.0, 401)
        wave = rounded(np.cos(2 * np.pi * self.t), seed)
        super().__init__(t=self.t, flat=rounded(np.full(401, 7.0), seed), wave=wave)

    def quantity(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(unit="s" if name == "t" else "N")


@pytest.mark.parametrize("seed", SEEDS)
def test_an_extreme_is_where_it_is_first_reached(seed: int) -> None:
    found = maxima(Table(seed), ["flat", "wave"], "t")
    assert (found["flat"].largest_at, found["flat"].smallest_at) == (0.0, 0.0)
    assert (found["wave"].largest_at, found["wave"].smallest_at) == (0.0, 0.5)
    assert found["wave"].largest == pytest.approx(1.0, rel=1e-13)


def test_ways_that_show_one_error_are_listed_as_tried() -> None:
    ways = [Way("c", "t", "s", name, "", error, 0, 0, 1, 1, "") for name, error in (("b", 1.52e-9), ("a", 1.51e-9))]
    lines = str(Comparison("m", 1.0, tuple(ways), ())).splitlines()[3:]
    assert [line.split()[4] for line in lines] == ["b", "a"]


@pytest.mark.parametrize("seed", SEEDS)
def test_combinations_of_efforts_are_the_same(seed: int) -> None:
    names, G = ("A", "B", "C", "D"), np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, -1.0, -1.0]])
    expected = _internal(G, names)
    for found, wanted in zip(_internal(mixed(2, seed) @ G, names), expected, strict=True):
        assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_attitudes_after_half_a_turn_and_axes_beside_others(seed: int) -> None:
    noise = 1e-16 * np.random.default_rng(seed).normal(size=(3, 3))
    for axis in "xyz":
        R = matrix_from_euler(axis, [np.pi]).round(12)
        assert np.allclose(quaternion_from_matrix(R + noise), [0.0, *("xyz".index(axis) == k for k in range(3))])
    diagonal = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]])  # half a turn about (1, 1, 0)
    assert np.allclose(quaternion_from_matrix(diagonal + noise), [0, np.sqrt(0.5), np.sqrt(0.5), 0])
    assert np.allclose(perpendicular(np.array([0.0, 0, 1]) + noise[0]), perpendicular(np.array([0.0, 0, 1])))


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_outlines_do_not_depend_on_the_signs_of_principal_directions(signs: tuple[int, int]) -> None:
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    directions = np.diag(signs).astype(float)
    assert np.array_equal(forms.polygon(square, directions), square)
    line = np.array([[0.0, 0], [2, 0], [1, 0]])
    assert np.array_equal(forms.ends(line, directions[0]), line[:2])
