"""The reference problems in every treatment and stabilisation, to the accuracy of the method.

All treatments but `penalty` and `index3` solve the same equations exactly or to their tolerance, so the error is that
of dop853 at rtol = atol = 1e-10, as in test_reference.py. Baumgarte's terms vanish on the true motion, and without
stabilisation drift grows from the same local errors: both stay within ten times that bar over these durations, as does
`partitioning`, which takes errors of a step out along the dependent coordinates and not the shortest way.
`penalty` errs by O(1 / alpha), `index3` by O(h^2): both are tested for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jourdain as jd
from test_reference import CASES, CLOSED, Case

GAINS = jd.Baumgarte(10, 10)
# Name -> treatment, times the bar of the case, and whether joints are closed to rounding.
WAYS: dict[str, tuple[Any, float, bool]] = {
    "kkt + euclidean": (jd.Kkt("euclidean"), 1, True),
    "kkt + baumgarte": (jd.Kkt(GAINS), 10, False),
    "kkt + none": (jd.Kkt("none"), 10, False),
    "udwadia-kalaba": (jd.UdwadiaKalaba(), 1, True),
    "udwadia-kalaba + euclidean": (jd.UdwadiaKalaba("euclidean"), 1, True),
    "udwadia-kalaba + baumgarte": (jd.UdwadiaKalaba(GAINS), 10, False),
    "augmented-lagrangian": (jd.AugmentedLagrangian(), 1, True),
    "augmented-lagrangian + baumgarte": (jd.AugmentedLagrangian(stabilisation=GAINS), 10, False),
    "uzawa": (jd.Uzawa(), 1, True),
    "uzawa + baumgarte": (jd.Uzawa(1e-12, stabilisation=GAINS), 10, False),
    "partitioning": (jd.Partitioning(), 10, True),
    "null-space": (jd.NullSpace(), 1, True),
    "null-space + baumgarte": (jd.NullSpace(GAINS), 10, False),
    "null-space + none": (jd.NullSpace("none"), 10, False),
}
BY_NAME = {case.name: case for case in CASES}


def away(case: Case, run: jd.Solution) -> float:
    """Greatest error of a position, an angle or a quaternion."""
    assert run.status.ok, str(run.status)
    worst = max((float(np.max(np.abs(run[key] - known))) for key, known in case.positions.items()), default=0.0)
    for body, known in case.attitudes.items():
        q = np.array([run[f"{body}.q{c}"] for c in "wxyz"]).T
        q = q * np.sign(np.sum(q * known, axis=1, keepdims=True))
        worst = max(worst, float(np.max(np.abs(q - known))))
    return worst


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", BY_NAME)
def test_agreement(name: str, way: str) -> None:
    case, (treatment, times, closed) = BY_NAME[name], WAYS[way]
    run = jd.simulate(case.build(), times=case.t, treatment=treatment, integrator=jd.Dop853(1e-10, 1e-10))
    assert away(case, run) < times * case.bar
    if closed:
        assert np.max(run.violation.position, initial=0.0) < CLOSED


@pytest.mark.parametrize("name", ["four-bar AC", "slider-crank", "double inverted pendulum", "quick return"])
def test_penalty_errs_by_the_inverse_of_its_factor(name: str) -> None:
    case = BY_NAME[name]
    wrong = [
        away(
            case,
            jd.simulate(
                case.build(), times=case.t, treatment=jd.Penalty(alpha, GAINS), integrator=jd.Dop853(1e-10, 1e-10)
            ),
        )
        for alpha in (1e5, 1e6, 1e7)
    ]
    assert wrong[2] < 1e-5
    assert 0.8 < np.polyfit([5, 6, 7], -np.log10(wrong), 1)[0] < 1.2


@pytest.mark.parametrize("integrator", [jd.GeneralizedAlpha, jd.Hht])
@pytest.mark.parametrize("name", ["four-bar AC", "slider-crank", "double inverted pendulum", "quick return"])
def test_index_three_errs_by_the_square_of_the_step(name: str, integrator: Any) -> None:
    case = BY_NAME[name]
    steps = (2e-3, 1e-3, 5e-4)
    wrong = [away(case, jd.simulate(case.build(), times=case.t, integrator=integrator(h))) for h in steps]
    assert 1.8 < np.polyfit(np.log(steps), np.log(wrong), 1)[0] < 2.2
