"""compare: every combination that applies, judged against the most accurate run."""

from __future__ import annotations

import pytest

import jourdain as jd
import machines


@pytest.fixture(scope="module")
def comparison():
    return jd.compare(
        machines.four_bar(),
        0.5,
        coordinates=["angle", "natural"],
        treatments=["kkt", "udwadia-kalaba", "index3"],
        integrators=["rk4", "generalized-alpha", "dop853"],
    )


def test_combinations_that_do_not_go_together_are_left_out_with_the_reason(comparison):
    names = {(way.treatment, way.integrator) for way in comparison.ways}
    assert ("index3", "generalized-alpha") in names and ("kkt", "rk4") in names
    assert ("kkt", "generalized-alpha") not in names and ("index3", "rk4") not in names
    assert any("index3 is solved inside a step" in reason for reason in comparison.refused)


def test_errors_are_those_of_the_methods(comparison):
    """RK4 at 2 ms errs by 1e-9 on this machine, generalized-alpha by 1e-4: halving the step shows their orders."""

    def errors(integrator, treatment):
        return {
            way.setting: way.error
            for way in comparison.ways
            if (way.coordinates, way.treatment, way.integrator) == ("angle", treatment, integrator)
        }

    rk4, alpha = errors("rk4", "kkt"), errors("generalized-alpha", "index3")
    assert rk4["0.002"] / rk4["0.001"] == pytest.approx(16, rel=0.3)
    assert alpha["0.002"] / alpha["0.001"] == pytest.approx(4, rel=0.2)
    assert all(way.violation < 1e-10 for way in comparison.ways)
    assert all(way.evaluations > 0 and way.seconds > 0 for way in comparison.ways)


def test_table_is_sorted_by_error_and_picture_has_a_line_each(comparison, tmp_path):
    rows = [line for line in str(comparison).splitlines() if line.startswith(("angle", "natural"))]
    ranked = sorted(comparison.ways, key=lambda way: way.error)
    assert [row.partition("  ")[0] for row in rows] == [way.name for way in ranked]
    path = tmp_path / "comparison.png"
    figure = comparison.plot(path)
    lines = {(way.coordinates, way.treatment, way.integrator) for way in comparison.ways}
    assert len(figure.axes[0].lines) == len(lines)
    assert path.stat().st_size > 10_000


def test_a_run_that_fails_is_in_the_table_with_its_sentence():
    m = jd.Mechanism("stiff")
    bob = m.body("bob", mass=1, inertia=1, position=(1, 0), velocity=(0, 1), points={"P": (0, 0)})
    m.spring_damper("spring", m.ground.point("O", (0, 0)), bob["P"], stiffness=1e9, length=1)
    found = jd.compare(m, 0.1, coordinates=["angle"], treatments=["kkt"], integrators=["ab6"], steps=[1e-3])
    (way,) = found.ways
    assert way.error is None
    assert "ab6 is unstable with this step" in way.status
    assert way.status in str(found)


def test_nothing_to_compare_with():
    m = jd.Mechanism("wall", gravity=(0, -9.81))
    ball = m.body("ball", mass=1, inertia=1, position=(1, 0), velocity=(0, 0), points={"P": (0, 0)})
    m.force("wild", on=ball["P"], vector=("1 / (0.05 - t)**3", 0))
    with pytest.warns(jd.SimulationWarning), pytest.raises(jd.JourdainError, match="nothing to compare with"):
        jd.compare(m, 0.1)


def test_defaults_that_a_mechanism_brings_along_do_not_hinder():
    m = machines.four_bar()
    m.defaults = {"duration": 5.0, "integrator": "rk4", "step": 1e-3}
    found = jd.compare(m, 0.1, coordinates=["angle"], treatments=["kkt"], integrators=["dop853"])
    assert all(way.error is not None for way in found.ways)
