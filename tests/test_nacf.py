"""Recipe `nacf`: the four machines of Pappalardo and Guida 2018 at 1e-3 s for 5 s, and their building blocks."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.equations import M, N, e_y, pappalardo, x_i, x_j, y_i
from test_reference import CASES, assert_channels

MACHINES = ("four-bar AC", "slider-crank", "double inverted pendulum", "quick return")
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize("coordinates", ["natural", "angle", "euler-parameters", "points"])
@pytest.mark.parametrize("name", MACHINES)
def test_four_machines_at_every_sample(name, coordinates):
    case = BY_NAME[name]
    run = jd.simulate(case.build(), times=case.t, recipe="nacf", coordinates=coordinates)
    assert run.status.ok
    assert_channels(run, case.positions, 1e-9)
    # Their table 11: largest violations below 1e-12 m and 1e-12 m/s.
    assert np.max(run.violation.position) < 1e-12
    assert np.max(run.violation.velocity) < 1e-12
    assert run.statistics.steps == 5000


def test_recipe_is_what_it_says():
    recipe = jd.RECIPES["nacf"]
    assert recipe.treatment == jd.UdwadiaKalaba("euclidean")
    assert recipe.integrator == jd.Ab6(1e-3)
    run = jd.simulate(machines.four_bar("AC"), 0.1, recipe="nacf")
    assert "natural" in run.summary() and "udwadia-kalaba + euclidean" in run.summary() and "ab6" in run.summary()


@pytest.mark.parametrize(("name", "order"), [("rk6", 6), ("ab6", 6)])
def test_order(name, order):
    m = machines.four_bar("AC")
    exact = jd.simulate(m, 0.5, every=0.5, rtol=1e-13, atol=1e-13).motion.position[-1]
    steps = np.array([1 / 50, 1 / 100, 1 / 200] if name == "rk6" else [1 / 200, 1 / 400, 1 / 800])
    errors = [
        np.max(np.abs(jd.simulate(m, 0.5, every=0.5, integrator=name, step=h).motion.position[-1] - exact))
        for h in steps
    ]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert order - 0.4 < slope < order + 1.0


def test_moore_penrose_where_redundant_cholesky_where_not():
    """Spatial four-bar, all 20 rows kept: same motion and unique reactions as kkt; lam has the least norm."""
    m = machines.spatial_four_bar()
    kkt = jd.simulate(m, 1.0, every=0.1, rtol=1e-10, atol=1e-10)
    uk = jd.simulate(m, 1.0, every=0.1, rtol=1e-10, atol=1e-10, treatment="udwadia-kalaba")
    assert uk.status.ok and "share their loads by least squares" in str(uk.status)
    assert np.max(np.abs(uk.motion.position - kkt.motion.position)) < 1e-8
    assert np.max(uk.violation.position) < 1e-10
    for name in kkt.reactions:
        scale = np.max(np.abs(kkt.reactions[name].force))
        assert np.max(np.abs(uk.reactions[name].force[:, :2] - kkt.reactions[name].force[:, :2])) < 1e-7 * scale
    rows = [row.row for row in kkt.model.rows]
    norms = []
    for run in (uk, kkt):
        norms.append(np.linalg.norm(np.concatenate(list(run.multipliers.values()), axis=1), axis=1))
    assert len(rows) == 20
    assert np.all(norms[0] <= norms[1] * (1 + 1e-9))
    assert not any(row.dropped for row in uk.model.rows)


def test_building_blocks_make_the_slider_crank():
    """Their joints from their blocks: position for the pins, orthogonality of both kinds for the slider."""
    by_catalogue = machines.slider_crank()
    m = machines.slider_crank()
    m._joints = [joint for joint in m._joints if joint.type != "prismatic"]
    slider = next(joint for joint in by_catalogue.frozen().joints if joint.type == "prismatic")
    m.custom(
        slider.name,
        slider.first,
        slider.second,
        equations=[pappalardo.orthogonality_second(y_i, 0.0), pappalardo.orthogonality_first(x_j, y_i, 0.0)],
    )
    runs = [jd.simulate(k, 1.0, every=0.1) for k in (by_catalogue, m)]
    assert np.max(np.abs(runs[0].motion.position - runs[1].motion.position)) < 1e-12


def test_position_and_generalized_blocks():
    assert [str(e) for e in pappalardo.position((0, 0))] == [str(e) for e in pappalardo.position((0, 0))]
    m = jd.Mechanism("bead", gravity=(1, -9.81))
    bead = m.body("bead", mass=1, inertia=1, position=(0.5, 2), points={"P": (0, 0)})
    level = pappalardo.generalized([(1.0, N, e_y), (-1.0, M, e_y)], 2.0)
    m.custom("level", m.ground.point("O", (0, 0)), bead["P"], equations=[level])
    run = jd.simulate(m, 1.0, every=0.5)
    assert run["bead.y"] == pytest.approx([2, 2, 2], abs=1e-12)
    assert run["bead.x"][-1] == pytest.approx(0.5 + 0.5 * 1.0, abs=1e-9)
    pinned = jd.Mechanism("pinned", gravity=(0, -9.81))
    bar = pinned.body("bar", mass=1, inertia=1, position=(1.25, 0.5), points={"A": (-1, 0)})
    pinned.custom("A", pinned.ground.point("O", (0, 0)), bar["A"], equations=pappalardo.position((-0.25, -0.5)))
    assert jd.check(pinned).freedoms == 1
    assert pappalardo.orthogonality_first(x_i, x_j, 0.5).free.value == -0.5
