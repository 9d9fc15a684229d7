"""Linear joints eliminated before the run: the same motion, multipliers and reactions from fewer equations."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from random_mechanisms import random_mechanism

Array = np.ndarray[Any, Any]

LEFT_OUT = jd.Natural(eliminate=True)
FOUR = {
    "four-bar": partial(machines.four_bar, "AC"),
    "slider-crank": machines.slider_crank,
    "double inverted pendulum": machines.double_inverted_pendulum,
    "quick return": machines.quick_return,
}
RANDOM = {
    f"{space} {seed}": partial(random_mechanism, seed, space, bodies=4, loops=1)
    for space in ("planar", "spatial")
    for seed in (1, 2, 3)
}
ALL = {**FOUR, **RANDOM, "two bars": machines.two_bars}


def both(m: jd.Mechanism, duration: float, **choices: Any) -> tuple[jd.Solution, jd.Solution]:
    full, fewer = (
        jd.simulate(m, duration, every=duration / 2, coordinates=c, **choices) for c in ("natural", LEFT_OUT)
    )
    assert full.status.ok and fewer.status.ok
    return full, fewer


def accelerations(a: jd.Matrices) -> tuple[dict[str, float], dict[str, float]]:
    """And multipliers, by name; least squares, since masses may be singular."""
    n, k = len(a.coordinates), len(a.rows)
    whole = np.block([[a.M, a.J.T], [a.J, np.zeros((k, k))]])
    found = np.linalg.lstsq(whole, np.concatenate([a.Q + a.bias, a.gamma]), rcond=1e-13)[0]
    return dict(zip(a.coordinates, found[:n], strict=True)), dict(zip(a.rows, found[n:], strict=True))


@pytest.mark.parametrize("name", ALL)
def test_the_same_run(name: str) -> None:
    """Rounding apart: it is the same elimination in another order, so steps are the same too."""
    full, fewer = both(ALL[name](), 0.1, rtol=1e-8)
    assert fewer.statistics.steps == full.statistics.steps
    for part in ("position", "attitude", "velocity", "spin", "acceleration", "spin_rate"):
        a, b = (np.asarray(getattr(run.motion, part)) for run in (full, fewer))
        np.testing.assert_allclose(b, a, atol=1e-8 * max(1.0, float(np.max(np.abs(a)))), err_msg=part)
    for owner, lam in full.multipliers.items():
        if owner not in full.reactions or full.reactions[owner].is_unique:
            scale = max(1.0, float(np.max(np.abs(lam))))
            np.testing.assert_allclose(fewer.multipliers[owner], lam, atol=1e-7 * scale, err_msg=owner)


@pytest.mark.parametrize("name", ALL)
def test_what_is_left_is_a_system_of_its_own(name: str) -> None:
    """Its mass matrix has the energy; its accelerations and multipliers are those of the full set, by its matrices."""
    m = ALL[name]()
    run = jd.simulate(m, 0.1, every=0.1, coordinates="natural", rtol=1e-8)
    full, fewer = (jd.matrices(m, run.state(), coordinates=c, t=0.1) for c in ("natural", LEFT_OUT))
    gone = len(full.rows) - len(fewer.rows)
    assert gone > 0 and len(fewer.coordinates) >= len(full.coordinates) - gone
    assert set(fewer.rows) < set(full.rows) and set(fewer.coordinates) < set(full.coordinates)
    assert 0.5 * fewer.v @ fewer.M @ fewer.v == pytest.approx(run["energy.kinetic"][-1], rel=1e-9)
    np.testing.assert_allclose(fewer.J @ fewer.v + fewer.partial, 0.0, atol=1e-9)
    a, lam = accelerations(full)
    b, left = accelerations(fewer)
    scale = max(map(abs, a.values()))
    assert [b[key] for key in b] == pytest.approx([a[key] for key in b], abs=1e-7 * scale)
    forces = max(map(abs, lam.values()))
    if all(reaction.is_unique for reaction in run.reactions.values()):
        assert [left[key] for key in left] == pytest.approx([lam[key] for key in left], abs=1e-7 * forces)
    np.testing.assert_allclose(fewer.bias, fewer.bias_lagrange, atol=1e-12 * scale)


@pytest.mark.parametrize("name", ALL)
def test_linear_equations_have_constant_gradients(name: str) -> None:
    """Where the machine is somewhere else they are the same, and what is left has others."""
    m = ALL[name]()
    run = jd.simulate(m, 0.2, every=0.1, coordinates="natural")
    here, there = (jd.matrices(m, run.at(t).state(), coordinates="natural", t=t) for t in (0.0, 0.2))
    left = set(jd.matrices(m, coordinates=LEFT_OUT).rows)
    same = {row: np.array_equal(a, b) for row, a, b in zip(here.rows, here.J, there.J, strict=True)}
    assert all(same[row] for row in here.rows if row not in left)
    assert not all(same[row] for row in left)


@pytest.mark.parametrize("treatment", [jd.Kkt(), jd.Kkt("baumgarte"), jd.UdwadiaKalaba(jd.Euclidean())])
def test_with_every_way_to_hold_drift(treatment: Any) -> None:
    """Also of redundant rows, and in the metric of 1."""
    for build in (FOUR["quick return"], machines.spatial_four_bar):
        full, fewer = both(build(), 0.2, treatment=treatment, integrator="rk4", step=1e-3)
        np.testing.assert_allclose(fewer.motion.position, full.motion.position, atol=1e-9)
        assert fewer.violation.position.max() < max(1e-10, 2 * full.violation.position.max())


def test_masses_that_change_and_checkpoints() -> None:
    """The constant inverse belongs to the masses it was made with."""
    runs = []
    for chosen in ("natural", LEFT_OUT):
        session = jd.session(FOUR["four-bar"](), every=0.1, coordinates=chosen, integrator="rk4", step=1e-3)
        session.advance(to=0.2)
        session.set("coupler.mass", 5.0)
        session.advance(to=0.3)
        kept = session.checkpoint()
        session.advance(to=0.5)
        end = session["coupler.x"]
        session.restore(kept)
        session.advance(to=0.5)
        assert session["coupler.x"] == end
        runs.append(end)
    assert runs[1] == pytest.approx(runs[0], abs=1e-10)


def test_derivatives_and_singular_positions() -> None:
    how = {"parameters": ["crank.mass"], "of": ["rocker.x"], "duration": 0.2, "every": 0.1, "rtol": 1e-9}
    full, fewer = (jd.sensitivity(FOUR["four-bar"](), coordinates=c, **how) for c in ("angle", LEFT_OUT))
    pair = ("rocker.x", "crank.mass")
    assert fewer.d[pair] == pytest.approx(full.d[pair], abs=1e-6 * np.max(np.abs(full.d[pair])))
    m = jd.example("singular_slider_crank")
    best, run = (jd.simulate(m, 2.0, every=0.1, coordinates=c) for c in ("angle", LEFT_OUT))
    np.testing.assert_allclose(run["rod.C.x"], best["rod.C.x"], atol=1e-3)


def test_what_it_does_not_go_with() -> None:
    m = FOUR["four-bar"]()
    with pytest.raises(jd.ChoiceError, match="kkt and udwadia-kalaba; leave out eliminate with null-space"):
        jd.simulate(m, 0.1, coordinates=LEFT_OUT, treatment="null-space")
    with pytest.raises(jd.ChoiceError, match="leave out eliminate"):
        jd.simulate(m, 0.1, coordinates=LEFT_OUT, integrator="generalized-alpha", step=1e-3)
    run = jd.simulate(m, 0.1, every=0.1, coordinates=jd.Natural(eliminate=True, cholesky=True))
    best = jd.simulate(m, 0.1, every=0.1)
    np.testing.assert_allclose(run["rocker.x"], best["rocker.x"], atol=1e-8)
    assert str(run.choices).startswith("natural (eliminate, cholesky), kkt")


def test_variants_and_comparisons() -> None:
    """In a batch, where masses change from one to the next, and beside the full set under a name of its own."""
    ways = ("natural", LEFT_OUT, jd.Natural(cholesky=True))
    masses = {"crank.mass": [1.0, 2.0, 3.0]}
    full, *others = (jd.simulate_many(FOUR["four-bar"](), 0.2, masses, every=0.1, coordinates=c) for c in ways)
    for batch in others:
        np.testing.assert_allclose(batch["rocker.x"], full["rocker.x"], atol=1e-9)
    found = jd.compare(FOUR["four-bar"](), 0.1, coordinates=ways[:2], treatments="kkt", integrators="rk4")
    assert {way.coordinates for way in found.ways} == {"natural", "natural (eliminate)"}
    assert max(way.error for way in found.ways) < 1e-6
